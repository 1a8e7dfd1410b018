"""Consent to cookies and donations are no story, where they stand; stories about them are."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from page_reference import mentions
from strategies import examples
from templatemine import extract
from templatemine.pages.appeals import _SIGNS, _TELLING, appeals
from templatemine.pages.blocks import Page
from templatemine.pages.hybrid import APPEAL, REASONS

STORY = (
    "The council voted on Tuesday to rebuild the old bridge over the river after three years of debate.",
    "Engineers said that the work would begin in spring, and that the road would stay open to buses and bicycles.",
    "Residents had asked for a second crossing, which the mayor called too expensive for a town of this size.",
)
APPEALS = {
    "consent of two paragraphs": (
        "We and our partners store and access information on a device, such as cookies, and process personal data for "
        "personalised advertising and content, measurement and audience research.",
        "With your permission we and our partners may use precise geolocation data. You may click to consent to our "
        "processing, or change your preferences before consenting.",
    ),
    "consent": (
        "We use cookies to give you the best experience. By continuing to browse the site you agree to our use of them.",
    ),
    "consent, German": (
        "Wir verwenden Cookies und ähnliche Technologien, um Inhalte und Anzeigen zu personalisieren und Zugriffe zu "
        "zählen. Sie können Ihre Einwilligung jederzeit widerrufen.",
    ),
    "consent, French": (
        "Nous utilisons des cookies pour mesurer notre audience et vous proposer des contenus adaptés. Vous pouvez les "
        "accepter ou modifier vos préférences à tout moment.",
    ),
    "donation of two paragraphs": (
        "As you are joining us today, we have a small favour to ask. Millions rely on our independent journalism, and "
        "we keep it open to everyone.",
        "If you can, please consider supporting us with a small amount each month. It takes less than a minute.",
    ),
    "donation": (
        "Please donate. We depend on the support of our readers. Your contribution, however small, keeps this site free.",
    ),
    "donation, German": (
        "Unser Journalismus ist frei zugänglich, weil viele ihn bezahlen. Bitte unterstützen Sie uns: jetzt spenden.",
    ),
}
STORIES = (
    "The regulator fined the company because its site stored cookies before visitors could agree or refuse.",
    "Readers donated four million to the museum, which called the contributions a sign of trust in its work.",
    "Donations can be made at any branch of the bank. The Red Cross asks for blankets, not for clothes.",
    "We use cookies as a metaphor, she said, for everything that crumbles when it is carried too far.",
)


def page(*paragraphs: str, title: str = "Bridge to be rebuilt") -> str:
    return (
        f"<!doctype html><html><head><title>{title}</title></head><body><div class=nav><a href=/>Home</a></div><article>"
        f"<h1>{title}</h1>{''.join(f'<p>{one}</p>' for one in paragraphs)}</article></body></html>"
    )


@pytest.mark.parametrize("name", APPEALS)
def test_appeals_are_left_out(name: str) -> None:
    for html in (page(*STORY, *APPEALS[name]), page(*APPEALS[name], *STORY)):
        found = extract(html)
        assert all(one in found.text for one in STORY)
        assert not any(one in found.text for one in APPEALS[name])
    alone = extract("".join(f"<p>{one}</p>" for one in APPEALS[name]))
    assert alone.text == ""
    assert {REASONS[code] for code in alone.verdict.reason} == {REASONS[APPEAL]}


@pytest.mark.parametrize("text", STORIES)
def test_stories_about_such_things_stay(text: str) -> None:
    assert text in extract(page(*STORY[:2], text, STORY[2])).text


@pytest.mark.parametrize("title", ["Privacy policy", "How we use cookies", "Make a donation", "Datenschutz"])
def test_pages_about_them_are_left_alone(title: str) -> None:
    for texts in APPEALS.values():
        made = Page(page(*texts, title=title))
        assert not appeals(made, made.words > 0).any()


SIGNS = [(sign, telling) for name, signs in _SIGNS.items() for sign, telling in zip(signs, _TELLING[name], strict=True)]


@examples(60)
@given(st.data())
@pytest.mark.parametrize(("sign", "telling"), SIGNS)
def test_whatever_has_a_sign_has_a_string_that_tells_it(
    sign: re.Pattern[str], telling: tuple[str, ...], data: st.DataObject
) -> None:
    text = data.draw(st.from_regex(sign)).replace("\n", " ")
    assert mentions(text, [(string, 0) for string in telling])


def test_a_page_without_blocks() -> None:
    assert extract("<p></p>").text == ""
