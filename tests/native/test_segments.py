"""Segments and how often strings occur, against their slow twins."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from strategies import examples
from templatemine.config import TokeniseConfig
from templatemine.mining import _candidates
from templatemine.mining.segments import segment
from templatemine.mining.tokenise import tokenise
from templatemine.model import Document
from templatemine.text import _scan
from templatemine.text.patterns import pattern_set

FORMS = 12
documents = st.lists(st.lists(st.integers(0, FORMS - 1), max_size=14), max_size=5)
traits = st.lists(
    st.sampled_from([0, 2, 3, 5, 7, 64, 512, 1024, 1025, 2 | 2048, 2 | 4096, 512 | 2, 256]),
    min_size=FORMS,
    max_size=FORMS,
)


def flat(some: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    starts = np.array([0, *accumulate(map(len, some))], np.int64)
    return np.array([form for one in some for form in one], np.int32), starts


@examples(400)
@given(documents, traits, st.booleans(), st.data())
def test_segments_are_those_of_the_reference(
    some: list[list[int]], bits: list[int], lines: bool, data: st.DataObject
) -> None:
    places = [(number, place) for number, one in enumerate(some) for place in range(len(one))]
    gaps = set(data.draw(st.lists(st.sampled_from(places), max_size=6))) if places else set()
    forms, starts = flat(some)
    at = np.array(sorted(starts[number] + place for number, place in gaps), np.int64)
    tokens, bounds, document, begins, doc_tokens = _candidates.cut_segments(
        forms, starts, np.array(bits, np.uint16), at, lines
    )
    wanted = reference.segments(some, bits, gaps, lines)
    found: list[list[tuple[bool, list[int]]]] = [[] for _ in some]
    for number in range(len(document)):
        own = tokens[bounds[number] : bounds[number + 1]].tolist()
        found[document[number]].append((bool(begins[number]), own))
    assert found == wanted
    kept = [[form for form in one if form or not lines] for one in some]
    assert tokens.tolist() == [form for one in kept for form in one]
    assert doc_tokens.tolist() == [0, *accumulate(map(len, kept))]


def test_segments_refuse_what_does_not_fit() -> None:
    forms, starts, bits = np.array([0, 5], np.int32), np.array([0, 2], np.int64), np.zeros(3, np.uint16)
    none = np.empty(0, np.int64)
    with pytest.raises(ValueError, match="forms"):
        _candidates.cut_segments(forms, starts, bits, none, True)
    with pytest.raises(ValueError, match="doc_starts"):
        _candidates.cut_segments(forms[:1], starts, bits, none, True)


@examples(400)
@given(documents, st.lists(st.lists(st.integers(0, FORMS - 1), min_size=1, max_size=5), max_size=8), st.data())
def test_occurrences_are_those_of_the_reference(
    some: list[list[int]], strings: list[list[int]], data: st.DataObject
) -> None:
    # Some that are there for sure.
    for one in some:
        if one:
            start = data.draw(st.integers(0, len(one) - 1))
            strings.append(one[start : start + data.draw(st.integers(1, 4))])
    (text, starts), (tokens, bounds) = flat(some), flat(strings)
    found = _candidates.count_occurrences(text, starts, tokens, bounds, FORMS)
    assert found.tolist() == reference.counted(some, strings)


def test_occurrences_refuse_what_does_not_fit() -> None:
    text, starts = np.array([0, 1], np.int32), np.array([0, 2], np.int64)
    with pytest.raises(ValueError, match="string 1: expected a token at least, got none"):
        _candidates.count_occurrences(text, starts, text[:1], np.array([0, 1, 1], np.int64), 2)
    with pytest.raises(ValueError, match="text"):
        _candidates.count_occurrences(text, starts, text[:1], np.array([0, 1], np.int64), 1)


@examples(300)
@given(
    st.lists(st.lists(st.sampled_from(["word", "x", " ", "  ", "\t", "\n", "\u00a0", "-"])).map("".join), max_size=4)
)
def test_gaps_are_where_two_blanks_are(texts: list[str]) -> None:
    """Of the tokens of a line all but the first that have two blanks or more before them."""
    scanner = _scan.Tokeniser(*pattern_set("none").scanner_arguments("-", False), True)
    wanted: list[int] = []
    number = 0
    for text in texts:
        scanner.add_all([text])
        for line in text.split("\n"):
            first, blanks, inside = True, [], False
            for char in line:
                if char in " \t\u00a0-":
                    blanks.append(char)
                    inside = False
                    continue
                if not inside:
                    wanted += [number] * (len(blanks) >= 2 and "-" not in blanks and not first)
                    # A line with a token begins with a break.
                    number += 1 + first
                    first, inside, blanks = False, True, []
    assert scanner.gaps().tolist() == wanted


@examples(300)
@given(st.lists(st.lists(st.sampled_from(["word", "x", " ", "\t", "\n", "-", "–"])).map("".join), max_size=4))
def test_dashes_are_where_a_hyphen_and_a_blank_are(texts: list[str]) -> None:
    """Of the tokens of a line all but the first, those with a hyphen before them and a blank at once before them."""
    scanner = _scan.Tokeniser(*pattern_set("none").scanner_arguments("-", False), True)
    wanted: list[int] = []
    number = 0
    for text in texts:
        scanner.add_all([text])
        for line in text.split("\n"):
            tokens = [*re.finditer(r"[^ \t-]+", line)]
            for one, two in pairwise(tokens):
                between = line[one.end() : two.start()]
                number += 1
                if "-" in between and between[-1] in " \t":
                    wanted.append(number + 1)
            number += 2 if tokens else 0
    assert scanner.dashes().tolist() == wanted


def test_a_dash_near_the_beginning_ends_a_segment() -> None:
    head = "OSTHAFEN, Courier - The ferry sailed late - again - said the warden."
    texts = [
        head,
        "LYNDE – The mill stands – they say.",
        "A story " * 20 + "of a dog - big - and a cat",
        "- only",
        "x -",
    ]
    documents = [Document(source="a", id=str(at), text=text) for at, text in enumerate(texts)]
    corpus = tokenise("a", documents, TokeniseConfig(), lines=True)
    some = segment(corpus)
    names = corpus.form_names
    parts = [" ".join(names[one].decode() for one in some.tokens[a:b]) for a, b in pairwise(some.bounds.tolist())]
    dashed = [part for part, is_dashed in zip(parts, some.dashed, strict=True) if is_dashed]
    assert dashed == ["OSTHAFEN, Courier", "The ferry sailed late", "again", "LYNDE –", "The mill stands –"]
