"""Strings counted in documents, against a search for each string at each token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from strategies import examples
from templatemine import _core
from templatemine.text.patterns import pattern_set

NEWS = pattern_set("news")
ENOUGH = 1 << 20
Sizes = tuple[int, int, int, int, int]


def counter(
    strings: Sequence[Sequence[bytes]],
    lines: bool = True,
    sizes: Sizes = (16, 100, 12, 4, 3),
    most: int = ENOUGH,
    neighbours: Sequence[tuple[int, int]] | None = None,
) -> _core.Counter:
    vocabulary = sorted({form for string in strings for form in string})
    flat = np.array([vocabulary.index(form) for string in strings for form in string], np.int32)
    bounds = np.cumsum([0, *map(len, strings)], dtype=np.int64)
    before, after = np.array(neighbours or [(-1, -1)] * len(strings), np.int32).reshape(-1, 2).T.copy()
    arguments = NEWS.scanner_arguments("-", False)
    return _core.Counter(*arguments, lines, vocabulary, flat, bounds, before, after, sizes, most)


words = st.builds(
    str.__add__,
    st.sampled_from(["a", "b", "ab", "7", "12:30", "March", "averyveryverylongtoken"]),
    st.sampled_from(["", "", ".", ",", ":", "!\u201d", "\u3002", "\u300d"]),
)
separators = st.sampled_from([" ", " ", "\n", "-", "\n\n", "\u2028"])
texts = st.lists(st.tuples(words, separators), max_size=24).map(lambda pairs: "".join(map("".join, pairs)))
sizes_of_lines = st.tuples(
    st.integers(0, 4), st.integers(1, 6), st.integers(0, 3), st.integers(1, 3), st.integers(1, 3)
)


@examples(400)
@given(st.lists(texts, max_size=5), st.booleans(), sizes_of_lines, st.sampled_from([0, 2, ENOUGH]), st.data())
def test_counts(documents: list[str], lines: bool, sizes: Sizes, most: int, data: st.DataObject) -> None:
    """Occurrences, documents, neighbours, how the occurrences stand, and occurrences of each form."""
    breaks = [[one.first and lines for one in reference.tokens(text, "-", NEWS, False)] for text in documents]
    forms = [reference.forms(text, "-", NEWS, False) for text in documents]
    everything = [form for document in forms for form in document]
    known = st.sampled_from(sorted(set(everything))) if everything else st.just(b"a")
    strings = data.draw(st.lists(st.lists(known | st.just(b"zz"), min_size=1, max_size=3), max_size=6, unique_by=tuple))
    vocabulary = sorted({form for string in strings for form in string})
    place = st.integers(-1, len(vocabulary) - 1)
    neighbours = data.draw(st.lists(st.tuples(place, place), min_size=len(strings), max_size=len(strings)))

    native = counter(strings, lines, sizes, most, neighbours)
    half = len(documents) // 2
    for batch in (documents[:half], documents[half:]):
        native.count_all([text.encode() for text in batch])

    numbers: dict[bytes, int] = {}
    for form in everything:
        numbers.setdefault(form, len(numbers) + 1)
    traits = [0, *map(reference.traits, numbers)]
    counts, dfs, alikes = [0] * len(strings), [0] * len(strings), [[0, 0] for _ in strings]
    stands: list[list[tuple[int, int]]] = [[] for _ in strings]
    tokens = 0
    for firsts, document in zip(breaks, forms, strict=True):
        ids = [
            number for first, form in zip(firsts, document, strict=True) for number in ([0] * first + [numbers[form]])
        ]
        tokens += len(ids)
        how = [flag for flag, number in zip(reference.standing(ids, traits, lines, *sizes), ids, strict=True) if number]
        seen = set()
        for start, end, string in reference.occurrences(document, strings):
            if any(firsts[start + 1 : end + 1]):
                continue
            counts[string] += 1
            dfs[string] += string not in seen
            seen.add(string)
            stands[string].append((how[start], how[end]))
            left, right = neighbours[string]
            alikes[string][0] += (
                left >= 0 and start > 0 and not firsts[start] and document[start - 1] == vocabulary[left]
            )
            alikes[string][1] += (
                right >= 0
                and end + 1 < len(document)
                and not firsts[end + 1]
                and document[end + 1] == vocabulary[right]
            )
    found = native.counts()
    assert found[0].tolist() == counts
    assert found[1].tolist() == dfs
    assert found[2].tolist() == alikes
    nothing = [0] * 11
    assert found[3].tolist() == [reference.stand_counts(one) if one and lines else nothing for one in stands]
    assert found[4].tolist() == [everything.count(form) for form in vocabulary]
    assert found[5] == tokens


def test_more_occurrences_than_are_packed() -> None:
    """Counts of how occurrences stand share a number until there are 4,095."""
    native = counter([[b"a"], [b"a", b"b"], [b"b"]])
    native.count_all([b"a b\n" * 5000, b"a\n" * 4095, b"a b\n" * 5000])
    count, df, _, stands, forms, tokens = native.counts()
    assert (count.tolist(), df.tolist()) == ([14095, 10000, 10000], [3, 2, 2])
    assert (forms.tolist(), tokens) == ([14095, 10000], 2 * 14095 + 10000)
    assert stands[:, :3].tolist() == [[14095, 4095, 4095], [10000, 10000, 10000], [0, 10000, 0]]
    assert native.counts()[0].tolist() == count.tolist()


def test_no_strings() -> None:
    native = counter([])
    native.count_all([b"a b", b""])
    assert [getattr(column, "shape", column) for column in native.counts()] == [(0,), (0,), (0, 2), (0, 11), (0,), 3]


def test_what_is_remembered_is_bounded() -> None:
    """Counts are the same however often words are forgotten, in the tables of short, long and normalised ones."""
    documents = [f"w{number}x a b verylongtokenofitsown{number}x c".encode() for number in range(300)]
    few, many = (counter([[b"a", b"b"], [b"c"]], most=most) for most in (7, ENOUGH))
    for native in (few, many):
        native.count_all(documents)
    for one, other in zip(few.counts(), many.counts(), strict=True):
        assert np.array_equal(one, other)
    assert few.counts()[0].tolist() == [300, 300]


@pytest.mark.parametrize(
    ("vocabulary", "flat", "bounds", "before", "after", "problem"),
    [
        ([b"a", b"a"], [0], [0, 1], [-1], [-1], "stands in the vocabulary twice"),
        ([b"a"], [1], [0, 1], [-1], [-1], "expected a place in a vocabulary of 1, got 1"),
        ([b"a"], [0], [0, 0, 1], [-1, -1], [-1, -1], "string 0 is empty"),
        ([b"a"], [0, 0], [0, 1], [-1], [-1], "bounds"),
        ([b"a"], [0, 0], [0, 1, 2], [-1, -1], [-1, -1], "string 1 is string 0 again"),
        ([b"a"], [0], [0, 1], [1], [-1], "expected neighbours within a vocabulary of 1, got 1"),
        ([b"a"], [0], [0, 1], [], [-1], "expected neighbours of 1 strings, got 0 and 1"),
    ],
)
def test_wrong_arguments_are_refused(
    vocabulary: list[bytes], flat: list[int], bounds: list[int], before: list[int], after: list[int], problem: str
) -> None:
    arguments: list[Any] = [np.array(flat, np.int32), np.array(bounds, np.int64)]
    arguments += [np.array(before, np.int32), np.array(after, np.int32)]
    with pytest.raises(ValueError, match=problem):
        _core.Counter(*NEWS.scanner_arguments("-", False), True, vocabulary, *arguments, (1, 2, 3, 4, 5), 9)
