"""Kinds of fillers: what each takes, how it is written, and that the tables hold together."""

from __future__ import annotations

import re

import pytest

from templatemine.text._scan import (
    MAX_FIGURE_WORDS,
    MAX_GLUED_JOINTS,
    MAX_GLUED_SIZE,
    MAX_NAME_WORDS,
    MAX_SIZED_SLOT,
    MAX_SMALL_LETTERS,
    MAX_SMALL_RUN,
)
from templatemine.text.characters import LETTER, OWN_TOKEN, SPACED_LETTER
from templatemine.text.slots import KINDS, allowed_words, kind_code, kind_words, matches_kind, slot_kind, slot_token

FILLERS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "number": (("3", "(1,234.5)", "$4.50 – 5", "12-13", "٣", "२०२६", "๒๕ ၁"), ("three", "3 of 4", "27th", "May")),
    "date": (
        ("May 3, 2014", "Wednesday, 3 April 2019 at 10:30 a.m. EDT", "27th", "3pm", "2013-11-26", "5 février 2020"),
        ("3 hours ago", "Mayor 3", "may 3", "May be"),
    ),
    "duration": (("3 hours ago", "5min", "2 weeks, 3 days", "1 h"), ("3 hours later", "many hours")),
    "url": (
        (
            *("https://example.org/a-b", "www.example.org", "desk@example.org.", "@courier", "usat.ly/2gB4"),
            *("https://example.org/beneficiário-3", "пример.рф", "http://example.org/خبر", "/é"),
        ),
        ("report.", "see example.org", "example", "a-b", "…example.org", "é", "é.", "example.org/語", "example.org/ é"),
    ),
    "names": (
        ("Jane Roe", "Jane Roe, of the Courier", "JANE ROE and Łukasz Żak", "École de Paris", "3 Doors", "Ольга Мин"),
        (
            "it was only later that",
            "Jane Roe would not have him there",
            "the, Courier",
            "أحمد علي",
            "Jane Roe أحمد",
            "राम",
            "김철수",
            "דוד",
            "ნინო",
        ),
    ),
    "20": (("one", "one two three", "one-two three", "– one two", "語 one"), ("one two three four five",)),
}


@pytest.mark.parametrize("kind", FILLERS)
@pytest.mark.parametrize("side", ["end", "start"])
def test_what_kinds_take(kind: str, side: str) -> None:
    taken, refused = FILLERS[kind]
    written = (lambda one: f" {one}") if side == "end" else (lambda one: f"{one} ")
    # A full stop behind an address is a part of its last word.
    assert [one for one in taken if not matches_kind(kind, written(one), "-", side)] == []
    assert [one for one in refused if matches_kind(kind, written(one), "-", side)] == []
    assert matches_kind(kind, "", "-", side)
    assert matches_kind(kind, written("語"), "-", side) == kind.isdigit()


@pytest.mark.parametrize("side", ["end", "start"])
def test_limits_of_kinds(side: str) -> None:
    def takes(kind: str, words: list[str]) -> bool:
        text = " ".join(words)
        return matches_kind(kind, f" {text}" if side == "end" else f"{text} ", "-", side)

    # A line begins once, so that what stands before a string may have any number of words.
    before = side == "start"
    assert takes("names", ["Ann"] * MAX_NAME_WORDS)
    assert takes("names", ["Ann"] * (MAX_NAME_WORDS + 1)) == before
    assert takes("names", ["Ann", *["of"] * MAX_SMALL_RUN, "Lee"])
    assert takes("names", ["Ann", *["of"] * (MAX_SMALL_RUN + 1), "Lee"]) == before
    assert takes("names", ["Ann", "x" * MAX_SMALL_LETTERS])
    assert takes("names", ["Ann", "x" * (MAX_SMALL_LETTERS + 1)]) != before
    assert takes("number", ["5"] * MAX_FIGURE_WORDS)
    assert takes("number", ["5"] * (MAX_FIGURE_WORDS + 1)) == before
    assert matches_kind("20", " " + "x" * 19, "-", side)
    assert not matches_kind("20", " " + "x" * 20, "-", side)
    for kind in KINDS:
        # A word that is glued to the string may be anything, but for some limits.
        assert matches_kind(kind, "x" * MAX_GLUED_SIZE, "-", side)
        assert matches_kind(kind, "x" * (MAX_GLUED_SIZE + 1), "-", side) == (kind != "url")
        assert matches_kind(kind, "é" * MAX_GLUED_SIZE, "-", side)
        assert matches_kind(kind, "é" * (MAX_GLUED_SIZE + 1), "-", side) == (kind != "url")
        assert matches_kind(kind, "/".join("x" * (MAX_GLUED_JOINTS + 1)), "-", side)
        assert matches_kind(kind, "/".join("x" * (MAX_GLUED_JOINTS + 2)), "-", side) == (kind == "url")


@pytest.mark.parametrize("kind", ["", *KINDS, "10", str(MAX_SIZED_SLOT - 1)])
def test_kinds_are_written_and_read(kind: str) -> None:
    assert slot_kind(slot_token(kind)) == kind
    assert (kind_code(kind) == 0) == (kind == "")


@pytest.mark.parametrize(
    "token", ["{slot:}", "{slot:name}", "{slot:1}", "{slot:010}", f"{{slot:{MAX_SIZED_SLOT}}}", "{slots}", "x"]
)
def test_what_is_no_slot(token: str) -> None:
    assert slot_kind(token) is None


def test_codes_are_different() -> None:
    kinds = ["", *KINDS, *map(str, range(10, MAX_SIZED_SLOT))]
    assert len({kind_code(kind) for kind in kinds}) == len(kinds)


def test_known_words_hold_no_separator_and_no_sign_at_their_ends() -> None:
    for words in (allowed_words("date"), allowed_words("duration")):
        assert [word for word in words if re.search(r"[\s\-]|^\W|\W$|\d", word)] == []
    assert set(allowed_words("date")) < set(allowed_words("duration"))
    assert allowed_words("names") == ()
    assert [len(words) for words in kind_words()] == [len(allowed_words("date")), len(allowed_words("duration"))]


def test_letters_of_scripts_with_spaces() -> None:
    letter, own, spaced = (re.compile(f"[{some}]") for some in (LETTER, OWN_TOKEN, SPACED_LETTER))
    for code in [*range(0x30000), *range(0xE0000, 0xE0100), 0x10FFFF]:
        char = chr(code)
        assert (spaced.match(char) is not None) == (letter.match(char) is not None and own.match(char) is None), hex(
            code
        )
