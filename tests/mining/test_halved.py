"""Templates that go without what belongs to them: beginnings of sentences, labels without their headlines."""

from __future__ import annotations

import random
import time
from dataclasses import replace

import pytest

import templatemine
from templatemine.mining.halved import _find_blamed, find_halving
from templatemine.mining.heads import make_scanner, read_tokens
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


def _read_tokens(text: str) -> tuple[str, ...]:
    return (*map(PACK.patterns.readable, read_tokens(PACK, make_scanner(PACK), text).forms),)


def _with(*strings: str) -> Pack:
    templates = []
    for string in strings:
        tokens = _read_tokens(string)
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
    assert all(strings[name].endswith((":", "\uff1a")) for name in labels)
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


@pytest.mark.parametrize(
    ("before", "space", "label"),
    [
        ("Tell your friends about this.", " ", "You may send gifts to:"),
        ("Tell your friends about the BBC!", " ", "You may send gifts to:"),
        ("\u8bf7\u5173\u6ce8\u6211\u4eec\u3002", "", "\u60a8\u53ef\u4ee5\u53d1\u9001\uff1a"),
    ],
)
def test_what_stands_before_the_halved_sentence_is_not_to_blame(before: str, space: str, label: str) -> None:
    lines = [f"{before}{space}{label} {_sentence(1)}" for _ in ARTICLES]
    assert _halving(_with(before, label), lines) == {" ".join(_read_tokens(label))}


@pytest.mark.parametrize("last", ["North Quay", "of the U.S. Quay", "and Dr. Quay", "vs. No. Quay"])
def test_all_parts_of_a_halved_beginning_are_to_blame(last: str) -> None:
    """Without the last one alone, the first would leave it, and more."""
    lines = [f"The Harbour Institute {last} said {_sentence(5)}." for _ in ARTICLES]
    assert _halving(_with("The Harbour Institute", last), lines) == {
        "The Harbour Institute",
        " ".join(_read_tokens(last)),
    }


@pytest.mark.parametrize("piece", ["a.b", ".", "\u6e2f\u53e3", "a. "])
def test_who_is_to_blame_is_found_in_linear_time(piece: str) -> None:
    """In a cut of a megabyte, such as an address."""
    began = time.process_time()
    _find_blamed(PACK, piece * (1_000_000 // len(piece)))
    assert time.process_time() - began < 3
