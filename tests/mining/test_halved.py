"""Templates that go without what belongs to them: beginnings of sentences, labels without their headlines."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

import templatemine
from templatemine.mining.halved import find_halving
from templatemine.mining.own_cuts import tearing_templates
from templatemine.model import Document, Template
from templatemine.packs.pack import Pack
from templatemine.packs.pack_record import template_id

LINE = "Sign up for our newsletter to get the best of the week."
DICE = random.Random(5)
WORDS = ["".join(DICE.choices("ghijklmnopqrstuv", k=8)) for _ in range(4000)]


def _sentence(size: int = 14) -> str:
    return f"{' '.join(DICE.choices(WORDS, k=size)).capitalize()}"


ARTICLES = [
    Document(source="a.example", id=str(number), text="\n".join([*(f"{_sentence()}." for _ in range(5)), LINE]))
    for number in range(60)
]
PACK = templatemine.mine(ARTICLES)["a.example"]


def _with(*strings: str) -> Pack:
    templates = []
    for string in strings:
        tokens = (*string.split(),)
        one = Template(id=template_id(tokens), regex="", tokens=tokens, df=60, count=60, example=string)
        templates.append(replace(one, regex=PACK.derived(one)))
    return replace(PACK, templates=(*PACK.templates, *templates))


def _halving(pack: Pack, lines: list[str], titles: list[str] | None = None) -> set[str]:
    """Return the strings of the templates that halve, in articles that each end with one of some lines."""
    articles = [
        replace(one, text=f"{one.text}\n{line}", title=titles[number] if titles else None)
        for number, (one, line) in enumerate(zip(ARTICLES, lines, strict=True))
    ]
    beginnings, labels = find_halving(pack, articles)
    assert not tearing_templates(pack, articles)
    strings = {one.id: " ".join(one.tokens or ()) for one in pack.templates}
    assert all(strings[name].endswith(":") for name in labels)
    assert not any(strings[name].endswith(":") for name in beginnings)
    return {strings[name] for name in beginnings | labels}


@pytest.mark.parametrize("cut_off", [29, 31])
def test_what_mostly_takes_beginnings_is_no_template(cut_off: int) -> None:
    """ "The Harbour Institute" behind a full stop, of a sentence that goes on, in half of its places or fewer."""
    lines = [f"It was late.\nThe Harbour Institute{' said so.' * (number < cut_off)}" for number in range(60)]
    assert _halving(_with("The Harbour Institute"), lines) == ({"The Harbour Institute"} if cut_off > 30 else set())


@pytest.mark.parametrize("alone", [29, 31])
def test_a_label_stays_with_the_headlines_that_it_announces(alone: int) -> None:
    """Or goes, where most of its places are before stories."""
    lines = [f"Opinion: {_sentence(8)}{'.' * (number >= alone)}" for number in range(60)]
    assert _halving(_with("Opinion:"), lines) == ({"Opinion:"} if alone > 30 else set())


def test_a_label_goes_from_the_title_of_its_article() -> None:
    titles = [_sentence(8) for _ in ARTICLES]
    lines = [f"All options for: {title}" for title in titles]
    assert _halving(_with("All options for:"), lines, titles) == set()
    assert _halving(_with("All options for:"), lines, titles[1:] + titles[:1]) == {"All options for:"}


def test_what_stands_before_the_halved_sentence_is_not_to_blame() -> None:
    pack = _with("Tell your friends about this.", "You may send gifts to:")
    lines = [f"Tell your friends about this. You may send gifts to: {_sentence(1)}" for _ in ARTICLES]
    assert _halving(pack, lines) == {"You may send gifts to:"}


def test_all_parts_of_a_halved_beginning_are_to_blame() -> None:
    """Without the last one alone, the first would leave it, and more."""
    lines = [f"The Harbour Institute North Quay said {_sentence(5)}." for _ in ARTICLES]
    names = {"The Harbour Institute", "North Quay"}
    assert _halving(_with(*sorted(names)), lines) == names
