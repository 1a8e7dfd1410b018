"""Text that a page hides from its readers is not given out."""

from __future__ import annotations

import pytest

from templatemine import extract
from templatemine.pages.blocks import Page
from templatemine.pages.hidden import find_hidden

STORY = "".join(
    f"<p>The {place} paragraph of the story says, in some words of its own, what happened in the town that day.</p>"
    for place in ("first", "second", "third", "fourth")
)
SECRET = "These are words that nobody sees on the page, in a sentence of their own, by design."


def page(piece: str, style: str = "") -> str:
    head = f"<html><head><title>What happened in the town</title>{style}</head><body><h1>What happened in the town</h1>"
    return head + STORY + piece.format(SECRET) + STORY.replace("paragraph", "part") + "</body></html>"


HIDING = [
    ("<p hidden>{}</p>", ""),
    ('<div style="display: none"><p>{}</p></div>', ""),
    ('<p style="visibility:hidden">{}</p>', ""),
    ("<template><p>{}</p></template>", ""),
    ('<div class="later"><p>{}</p></div>', "<style>.later{display:none}</style>"),
    (
        '<p class="a later b">{}</p>',
        "<style>/* {} */ p { color: red } p.later, .x { margin: 0; display : none !important }</style>",
    ),
    ("<div id=later>{}</div>", "<style>@import 'x.css'; #later{visibility:hidden}</style>"),
]
SHOWING = [
    ('<div class="later"><p>{}</p></div>', "<style>@media print{.later{display:none}}</style>"),
    ('<div class="later"><p>{}</p></div>', "<style>.later{display:none} .later{display:block}</style>"),
    ('<div class="later"><p>{}</p></div>', "<style>.off .later{display:none} .later:empty{display:none}</style>"),
    ('<div class="later"><p>{}</p></div>', "<style>div#later,a.later{display:none}</style>"),
    ('<div class="later"><p>{}</p></div>', "<style>.later{display:none"),
    ('<p aria-hidden="true">{}</p>', ""),
]


@pytest.mark.parametrize(("piece", "style"), HIDING)
def test_hidden_text_is_left_out(piece: str, style: str) -> None:
    found = extract(page(piece, style))
    assert SECRET not in found.text
    assert found.text.count("happened in the town that day") == 8


@pytest.mark.parametrize(("piece", "style"), SHOWING)
def test_shown_text_stays(piece: str, style: str) -> None:
    if style and not style.endswith("</style>"):
        style += "</style>"
    html = page(piece, style)
    blocks = Page(html)
    kept = blocks.words > 0
    assert not find_hidden(blocks, kept).any()


def test_a_story_that_a_script_shows_is_kept() -> None:
    html = page("{}").replace("<body>", "<body><style>main{display:none}.all{display:none}</style><main class=all>")
    assert extract(html).text.count("happened in the town that day") == 8
