"""Kinds and choices: what a person says of them, and what that cuts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templatemine.errors import ConfigError
from templatemine.kinds import CUT_ALL, KINDS, POLICIES, Choice, choose, parse_kinds

some_kinds = st.sets(st.sampled_from(KINDS))


def test_there_are_thirteen_kinds() -> None:
    assert len(KINDS) == len({*KINDS}) == 13


def test_policies() -> None:
    assert choose() == POLICIES["llm"]
    assert choose().kept == ("note",)
    assert choose("reader").kept == ("caption", "byline", "dateline", "note")
    assert choose("archive").cut == ()
    assert not choose("archive").cuts("")


def test_words() -> None:
    assert choose(keep="Caption, byline,").kept == ("caption", "byline", "note")
    assert choose("reader", "sharing").kept == ("sharing", "caption", "byline", "dateline", "note")
    assert choose(cut_only="related,promotion").cut == ("promotion", "related")
    assert choose(cut_only="all") == CUT_ALL
    assert choose(keep="all").cut == ()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("all",), "policy: expected one of llm, reader, archive, got 'all'"),
        ((None, "bylines"), "keep: expected kinds of promotion, .*, got 'bylines'; did you mean byline?"),
        ((None, " , "), "keep: expected kinds of promotion, .*, or all, got ' , '"),
        ((None, None, "all,byline"), "cut_only: expected kinds .* got 'all'"),
        ((None, "note", "byline"), "cut_only: expected no keep beside it, for it keeps all other kinds"),
        (("archive", "byline"), "keep: expected none beside policy archive, which keeps every kind; leave one out"),
        (("llm", None, "byline"), "cut_only: expected no policy beside it"),
    ],
)
def test_mistakes_are_named(words: tuple[str | None, ...], why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        choose(*words)


def test_a_choice_takes_kinds_and_no_text() -> None:
    with pytest.raises(ConfigError, match="cut: expected several kinds, got the text 'note'"):
        Choice("note")  # type: ignore[arg-type]


@given(some_kinds, some_kinds)
def test_a_choice_has_each_kind_once(cut: set[str], kept: set[str]) -> None:
    choice = Choice(tuple(cut))
    assert sorted((*choice.cut, *choice.kept)) == sorted(KINDS)
    less = choice.keeping(kept)
    assert {*less.cut} == cut - kept
    assert all(less.cuts(kind) == (kind in cut - kept) for kind in KINDS)
    assert less.cuts("") == bool(cut - kept)
    assert parse_kinds(",".join(choice.cut or KINDS), "x") == (choice.cut or KINDS)
