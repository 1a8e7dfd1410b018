"""Headlines that only stand in the lists of other templates: they go, and no cut changes, whatever is kept."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from invented import bare_pack, mine_pack, words
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig
from templatemine.kinds import choose
from templatemine.mining.covered import find_covered
from templatemine.mining.headlines import name_listed
from templatemine.model import Document, Template
from templatemine.packs.pack import Pack
from templatemine.packs.pack_record import template_id
from templatemine.text.slots import HEADLINES, slot_token

KINDS = ("related", "legal")
WORDS = ("alpha", "beta", "gamma")
LIST = ("Read", "more", slot_token(HEADLINES))
CHOICES = ("promotion,related", "legal", "related,legal")


_Strings = dict[tuple[str, ...], tuple[str, int]]
"""Tokens -> kind and document frequency."""


def _pack(strings: _Strings) -> Pack:
    """Return a pack of templates of some strings."""
    pack = bare_pack(1)
    templates = [
        Template(id=template_id(tokens), regex="", tokens=tokens, df=df, count=df, example=" ".join(tokens), kind=kind)
        for tokens, (kind, df) in strings.items()
    ]
    return replace(pack, templates=tuple(replace(one, regex=pack.derived(one)) for one in templates))


def _documents(texts: list[str]) -> list[Document]:
    return [Document(source="a.example", id=str(place), text=text) for place, text in enumerate(texts)]


words_of_lines = st.lists(st.sampled_from((*WORDS, "delta")), min_size=1, max_size=3).map(" ".join)
strings_of_kinds = st.dictionaries(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(tuple),
    st.tuples(st.sampled_from(KINDS), st.integers(2, 9)),
    min_size=1,
    max_size=8,
)
texts_of_lines = st.lists(
    st.lists(st.one_of(words_of_lines, st.sampled_from(("Read more", "The end."))), max_size=8), min_size=1, max_size=4
)


@given(strings_of_kinds, texts_of_lines, st.integers(1, 4))
def test_no_cut_changes_whatever_is_kept(strings: _Strings, texts: list[list[str]], looked: int) -> None:
    pack = _pack({LIST: ("related", 8), **strings})
    documents = _documents(["\n".join(lines) for lines in texts])
    covered = find_covered(pack, documents[:looked], documents)
    assert covered <= {template_id(tokens) for tokens, (kind, df) in strings.items() if kind == "related" and df < 8}
    fewer = replace(pack, templates=tuple(one for one in pack.templates if one.id not in covered))
    for choice in CHOICES:
        config = CleanConfig(choice=choose(cut_only=choice))
        before, after = Cleaner(pack, config), Cleaner(fewer, config)
        for document in documents:
            cuts = [[(span.start, span.end, span.kind) for span in one.spans(document.body)] for one in (before, after)]
            assert cuts[0] == cuts[1]


def test_headlines_of_a_list_are_one_template() -> None:
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
    # Else the next mining takes it for the decision of a person.
    assert {mark.partition(" ")[0] for mark in pack.mined or ()} == {one.id for one in pack.templates}
    cleaner = Cleaner(pack)
    assert not any(headline in cleaner.clean(text).text for text in texts for headline in headlines)


LISTED = "gamma delta.\nRead more\nalpha beta\ngamma"


@pytest.mark.parametrize(("elsewhere", "kind"), [(1, "related"), (2, "byline")])
def test_what_mostly_stands_in_lists_is_of_their_kind(elsewhere: int, kind: str) -> None:
    """A headline that was taken for a byline was kept with these, and the list with it."""
    pack = _pack({LIST: ("related", 9), ("alpha", "beta"): ("byline", 5)})
    named = name_listed(pack, _documents([*[LISTED] * 5, *["delta\nalpha beta\nThe end."] * elsewhere]))
    assert [one.kind for one in named.templates] == ["related", kind]


def test_one_place_of_its_own_keeps_a_template() -> None:
    pack = _pack({LIST: ("related", 9), ("alpha", "beta"): ("related", 5)})
    texts = [LISTED] * 5
    assert find_covered(pack, _documents(texts), _documents(texts)) == {template_id(("alpha", "beta"))}
    texts = [*texts, "delta alpha beta"]
    for looked in (5, 6):
        assert not find_covered(pack, _documents(texts)[:looked], _documents(texts))


@pytest.mark.parametrize(
    ("kind", "df", "beside"), [("byline", 5, "legal"), ("related", 9, "related"), ("related", 5, "note")]
)
def test_one_of_another_kind_or_beside_one_or_as_frequent_stays(kind: str, df: int, beside: str) -> None:
    pack = _pack({LIST: ("related", 9), ("alpha", "beta"): (kind, df), ("gamma",): (beside, 9)})
    assert not find_covered(pack, _documents([LISTED]), _documents([LISTED]))


def test_a_sample_tells_nothing() -> None:
    pack = replace(_pack({LIST: ("related", 9), ("alpha", "beta"): ("related", 5)}), documents=9)
    assert not find_covered(pack, _documents([LISTED]), _documents([LISTED]))
    assert find_covered(replace(pack, documents=1), _documents([LISTED]), _documents([LISTED]))
