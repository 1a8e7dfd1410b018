"""Templates that are only within the cuts of more frequent ones: they go, and no cut changes."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from invented import mine_pack, words
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig, TokeniseConfig
from templatemine.kinds import choose
from templatemine.mining.covered import find_covered
from templatemine.model import Cutoff, Document, Template
from templatemine.packs.pack import Pack
from templatemine.packs.pack_record import template_id
from templatemine.text.patterns import pattern_set
from templatemine.text.slots import HEADLINES, slot_token

KINDS = ("related", "legal")
WORDS = ("alpha", "beta", "gamma")
SLOT = slot_token("")
CHOICES = ("promotion,related", "legal", "related,legal")


_Strings = dict[tuple[str, ...], tuple[str, int]]
"""Tokens -> kind and document frequency."""


def _pack(strings: _Strings) -> Pack:
    """Return a pack of templates of some strings."""
    pack = Pack(
        source="a.example",
        html=False,
        tokenise=TokeniseConfig(),
        enabled=pattern_set("news").enabled,
        documents=40,
        method="learned",
        cutoff=Cutoff(method="score", df=None, share=None, energy=None, histogram=(), note=""),
        templates=(),
    )
    templates = [
        Template(id=template_id(tokens), regex="", tokens=tokens, df=df, count=df, example=" ".join(tokens), kind=kind)
        for tokens, (kind, df) in strings.items()
    ]
    return replace(pack, templates=tuple(replace(one, regex=pack.derived(one)) for one in templates))


def _documents(texts: list[str]) -> list[Document]:
    return [Document(source="a.example", id=str(place), text=text) for place, text in enumerate(texts)]


def _places(tokens: tuple[str, ...], lines: list[list[str]]) -> list[tuple[int, int, int]]:
    """Return line, first word and end of the places of a string; its slot takes what is behind it on the line."""
    string = [token for token in tokens if token != SLOT]
    places = []
    for number, line in enumerate(lines):
        for start in range(len(line) - len(string) + 1):
            end = start + len(string)
            if line[start:end] == string and (end < len(line) or len(string) == len(tokens)):
                places.append((number, start, end if len(string) == len(tokens) else len(line)))
    return places


def _reference(strings: _Strings, texts: list[list[list[str]]]) -> set[tuple[str, ...]]:
    """Return the strings that have places, all of them within the slots of more frequent strings of their kind."""
    found = set()
    for own, (kind, df) in strings.items():
        covers = [other for other, known in strings.items() if other[-1] == SLOT and known[0] == kind and known[1] > df]
        within = [
            any(
                at == line and first <= start and end <= last
                for one in covers
                for at, first, last in _places(one, text)
            )
            for text in texts
            for line, start, end in _places(own, text)
        ]
        if within and all(within):
            found.add(own)
    return found


words_of_strings = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3)
strings_of_kinds = st.dictionaries(
    st.tuples(words_of_strings, st.sampled_from(([], [SLOT]))).map(lambda parts: (*parts[0], *parts[1])),
    st.tuples(st.sampled_from(KINDS), st.integers(2, 5)),
    min_size=1,
    max_size=8,
)
texts_of_lines = st.lists(
    st.lists(st.lists(st.sampled_from((*WORDS, "delta")), min_size=1, max_size=8), max_size=3), min_size=1, max_size=4
)


@given(strings_of_kinds, texts_of_lines, st.integers(1, 4))
def test_what_fills_the_slots_of_others_is_found_and_no_cut_changes(
    strings: _Strings, texts: list[list[list[str]]], looked: int
) -> None:
    pack = _pack(strings)
    documents = _documents(["\n".join(" ".join(line) for line in text) for text in texts])
    covered = find_covered(pack, documents[:looked], documents)
    # Of several slots that hold a place only the one that goes on longest is compared, so that some stay.
    assert covered <= {template_id(tokens) for tokens in _reference(strings, texts)}
    fewer = replace(pack, templates=tuple(one for one in pack.templates if one.id not in covered))
    for choice in CHOICES:
        config = CleanConfig(choice=choose(cut_only=choice))
        before, after = Cleaner(pack, config), Cleaner(fewer, config)
        for document in documents:
            cuts = [[(span.start, span.end, span.kind) for span in one.spans(document.body)] for one in (before, after)]
            assert cuts[0] == cuts[1]


def test_headlines_of_a_list_are_one_template() -> None:
    """A headline that was taken for a byline was kept with these, and the list with it."""
    dice = random.Random(3)
    headlines = [words(dice, 6).capitalize() for _ in range(40)]
    texts = []
    for _ in range(60):
        story = "\n\n".join(f"{words(dice, 14).capitalize()}. {words(dice, 9).capitalize()}." for _ in range(4))
        listed = [*dice.sample(headlines, 3), words(dice, 6).capitalize()]  # the last one is in no other article
        texts.append("\n".join([story, "", "Read more:", *listed]))
    pack = mine_pack(_documents(texts))
    assert [one.filler for one in pack.templates if one.slot] == [HEADLINES]
    assert not {*headlines} & {" ".join(one.tokens or ()) for one in pack.templates}
    assert pack.rejected["within another template"] > 0
    cleaner = Cleaner(pack)
    assert not any(headline in cleaner.clean(text).text for text in texts for headline in headlines)


def test_one_place_of_its_own_keeps_a_template() -> None:
    pack = _pack({("alpha", SLOT): ("related", 9), ("beta",): ("related", 5)})
    texts = ["alpha beta"] * 5
    assert find_covered(pack, _documents(texts), _documents(texts)) == {template_id(("beta",))}
    texts = [*texts, "delta beta"]
    for looked in (5, 6):
        assert not find_covered(pack, _documents(texts)[:looked], _documents(texts))


def test_a_list_holds_templates_of_every_kind() -> None:
    lines = {("Read", "more", slot_token(HEADLINES)): ("related", 9), ("alpha", "beta"): ("byline", 5)}
    texts = _documents(["gamma delta.\nRead more\nalpha beta\ngamma"])
    assert find_covered(_pack(lines), texts, texts) == {template_id(("alpha", "beta"))}


def test_a_list_sets_the_kind_of_what_it_holds() -> None:
    """A longer template that also stands elsewhere named the headlines around it."""
    long = ("A", *WORDS, *WORDS, *WORDS, "beta")
    pack = _pack({("Read", "more", slot_token(HEADLINES)): ("related", 9), long: ("byline", 5)})
    text = f"gamma delta.\nRead more\nalpha\n{' '.join(long)}\ngamma"
    for engine in ("native", "regex"):
        (span,) = Cleaner(pack, CleanConfig(engine=engine)).spans(text)
        assert (text[span.start : span.start + 9], span.kind, len(span.templates)) == ("Read more", "related", 2)


@pytest.mark.parametrize(("kind", "df"), [("byline", 5), ("related", 9)])
def test_one_of_another_kind_or_as_frequent_stays(kind: str, df: int) -> None:
    texts = _documents(["alpha beta"])
    assert not find_covered(_pack({("alpha", SLOT): ("related", 9), ("beta",): (kind, df)}), texts, texts)
