"""The token automaton against a search for each string at each token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import reference
from strategies import Case, cases, examples, fibonacci_word, scan
from templatemine.matching import _automaton
from templatemine.packs.pack import Pack
from templatemine.text import _scan
from templatemine.text.expressions import EncodedText
from templatemine.text.patterns import pattern_set
from widening_reference import widen_cuts

PLAIN = pattern_set("none")


def matcher(
    strings: Sequence[Sequence[str]], edges: Sequence[int] | None = None, html: bool = False, sieve: int = 1
) -> _automaton.Matcher:
    """An automaton of strings of tokens without patterns."""
    vocabulary = sorted({token for string in strings for token in string})
    place = {token: number for number, token in enumerate(vocabulary)}
    flat = np.array([place[token] for string in strings for token in string], np.int32)
    bounds = np.cumsum([0, *map(len, strings)], dtype=np.int64)
    arguments = PLAIN.scanner_arguments("-", html)
    anchors = None if edges is None else np.array(edges, np.uint8)
    return _automaton.Matcher(*arguments, [token.encode() for token in vocabulary], flat, bounds, anchors, sieve)


def found(native: _automaton.Matcher, text: str) -> list[tuple[int, int, int]]:
    starts, ends, strings = native.find(text.encode())
    assert [column.dtype for column in (starts, ends, strings)] == [np.int64, np.int64, np.int32]
    assert np.all(np.diff(ends) >= 0)
    return sorted(zip(starts.tolist(), ends.tolist(), strings.tolist(), strict=True))


tokens = st.sampled_from(["a", "b", "ab", "c"])
strings_of_tokens = st.lists(st.lists(tokens, min_size=1, max_size=5), max_size=8, unique_by=tuple)
separators = st.sampled_from([" ", "\n", "-", "\n\n", " - ", "\u2028", " \n "])


@examples(600)
@given(strings_of_tokens, st.lists(st.tuples(tokens, separators), max_size=40), st.data())
@example([["a"], ["a", "a"], ["a", "a", "a"]], [("a", " ")] * 6, None)
@example([["a", "b", "a"], ["b", "a", "b"], ["b"]], [("a", " "), ("b", " ")] * 5, None)
def test_every_occurrence_of_every_string(
    strings: list[list[str]], pairs: list[tuple[str, str]], data: st.DataObject | None
) -> None:
    text = "".join(token + gap for token, gap in pairs)
    places = reference.tokens(text, "-", PLAIN, False)
    words = [text[one.start : one.end] for one in places]
    size = len(strings)
    edges = data.draw(st.lists(st.integers(0, 3), min_size=size, max_size=size)) if data else [0] * size
    bytes_before = [len(text[:place].encode()) for place in range(len(text) + 1)]
    expected = []
    for first, last, number in reference.occurrences(words, strings):
        starts = places[first].first
        ends = last + 1 == len(places) or places[last + 1].first
        if (starts or not edges[number] & 1) and (ends or not edges[number] & 2):
            expected.append((bytes_before[places[first].start], bytes_before[places[last].end], number))
    assert found(matcher(strings, edges), text) == sorted(expected)


def unions(matches: Sequence[tuple[int, int, int]]) -> list[tuple[int, int, list[int]]]:
    """Intervals of overlapping matches, with the strings that lie in each."""
    merged: list[tuple[int, int]] = []
    for start, end, _ in sorted(matches):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return [
        (start, end, sorted({string for first, last, string in matches if start <= first and last <= end}))
        for start, end in merged
    ]


@examples(400)
@given(strings_of_tokens, st.lists(st.tuples(tokens, separators), max_size=40), st.data())
def test_the_union_needs_fewer_matches(
    strings: list[list[str]], pairs: list[tuple[str, str]], data: st.DataObject
) -> None:
    text = "".join(token + gap for token, gap in pairs).encode()
    edges = data.draw(st.lists(st.sampled_from([0, 0, 0, 1, 2]), min_size=len(strings), max_size=len(strings)))
    native = matcher(strings, edges)
    every = list(zip(*(column.tolist() for column in native.find(text)), strict=True))
    fewer = list(zip(*(column.tolist() for column in native.find(text, union_only=True)), strict=True))
    assert set(fewer) <= set(every)
    assert unions(fewer) == unions(every)


def test_nested_strings_take_a_match_a_token() -> None:
    native = matcher([["a"] * size for size in range(1, 301)])
    text = b"a " * 20_000
    starts, _, strings = native.find(text, union_only=True)
    assert len(starts) <= 20_000 + 300
    assert sorted(set(strings.tolist())) == list(range(300))


def test_fibonacci_word() -> None:
    word = ["xab"[symbol] for symbol in fibonacci_word(600)]
    strings = [
        word[start : start + length]
        for start, length in [(0, 1), (0, 2), (1, 2), (0, 3), (0, 8), (5, 21), (0, 144), (7, 300)]
    ]
    strings = [string for place, string in enumerate(strings) if string not in strings[:place]]
    expected = sorted((2 * first, 2 * last + 1, number) for first, last, number in reference.occurrences(word, strings))
    assert found(matcher(strings), " ".join(word)) == expected


def test_no_strings_match_nothing() -> None:
    assert found(matcher([]), "a b c") == []


def test_nothing_is_found_in_an_empty_text() -> None:
    assert found(matcher([["a"]]), "") == []


def test_longer_tokens_do_not_match() -> None:
    native = matcher([["ab", "c"]])
    assert found(native, "ab c") == [(0, 4, 0)]
    assert found(native, "xab c") == []
    assert found(native, "ab cd") == []
    assert found(native, "ab x c") == []


def test_tags_and_words_are_told_apart() -> None:
    native = matcher([["a", "<b>"], ["<b>", "c"]], html=True)
    assert found(native, "a<B href=x>c") == [(0, 11, 0), (1, 12, 1)]


def test_equal_strings_are_both_found() -> None:
    assert sorted(found(matcher([["a", "b"], ["a", "b"]]), "a b")) == [(0, 3, 0), (0, 3, 1)]
    assert found(matcher([["a"], ["a"]], edges=[1, 2]), "x a") == [(2, 3, 1)]


@pytest.mark.parametrize("count", [1, 2, 1000])
def test_many_strings(count: int) -> None:
    strings = [[f"w{number}", f"w{number + 1}"] for number in range(count)]
    text = " ".join(f"w{number}" for number in range(count + 1))
    assert len(found(matcher(strings), text)) == count


# -------------------------------------------------------------------------------------- with patterns, on any text


def by_search(case: Case, pack: Pack, text: str) -> list[tuple[int, int, int]]:
    """What the automaton of a pack must find: each string looked for in the forms of the text, in characters."""
    spans, forms = scan(text, case.patterns, case.separators, case.html)
    strings = [pack.forms(template) for template in pack.templates]
    found = reference.occurrences(forms, strings)
    return sorted((spans[first][0], spans[last][1], number) for first, last, number in found)


@pytest.mark.parametrize("html", [False, True], ids=["text", "html"])
@examples(500)
@given(st.data())
def test_tokens_are_looked_up_by_their_forms(html: bool, data: st.DataObject) -> None:
    """The automaton knows most tokens by their spelling; that must give what normalising each would."""
    case = replace(data.draw(cases(html)), anchors=())
    pack = case.pack()
    native, rows = pack.matcher()
    assert rows == list(range(len(pack.templates)))
    for text in (*case.texts, *case.others):
        encoded = EncodedText(text, case.patterns, case.separators)
        starts, ends, strings = native.find(encoded.data)
        edges = np.unique(np.concatenate([starts, ends]))
        places = dict(zip(edges.tolist(), encoded.code_points(edges).tolist(), strict=True))
        triples = zip(starts.tolist(), ends.tolist(), strings.tolist(), strict=True)
        assert sorted((places[start], places[end], number) for start, end, number in triples) == by_search(
            case, pack, text
        )


@pytest.mark.parametrize("html", [False, True], ids=["text", "html"])
@examples(300)
@given(st.data(), st.integers(0, 5))
def test_spans_are_the_union_of_what_is_found(html: bool, data: st.DataObject, gap: int) -> None:
    """The short way from text to spans, against the automaton and the union of intervals."""
    case = replace(data.draw(cases(html)), own=(), many=False)
    native, _ = case.pack().matcher()
    texts = [*case.texts, *case.others]
    for text, spans in zip(texts, native.spans(texts, gap), strict=True):
        if any("\ud800" <= char <= "\udfff" for char in text):
            assert spans is None
            continue
        data_bytes = np.frombuffer(text.encode(), np.uint8)
        starts, ends, strings = native.find(data_bytes)
        order = np.argsort(starts, kind="stable")
        left = np.empty_like(starts)
        left[order] = _scan.code_points(data_bytes, starts[order])
        right = _scan.code_points(data_bytes, ends)
        unions, members = reference.merge(list(zip(left.tolist(), right.tolist(), strict=True)), gap)
        rows: list[set[int]] = [set() for _ in unions]
        for member, string in zip(members, strings.tolist(), strict=True):
            rows[member].add(string)
        if not html:
            unions = widen_cuts(text, unions)
        assert spans == [(start, end, sorted(names)) for (start, end), names in zip(unions, rows, strict=True)]


def test_spans_of_many_texts() -> None:
    """Texts without a match, without a character, with lone surrogates and beyond ASCII do not shift those behind them."""
    native = matcher([["a"], ["a", "b"], ["é"]])
    texts = ["x a b", "", "\ud800 a", "none", "é é a", "a"]
    expected = [[(2, 5, [0, 1])], [], None, [], [(0, 1, [2]), (2, 3, [2]), (4, 5, [0])], [(0, 1, [0])]]
    assert native.spans(texts, 1) == expected
    assert native.spans(texts[::-1], 1) == expected[::-1]
    assert native.spans([], 1) == []
    with pytest.raises(TypeError):
        native.spans([b"a"], 1)


SHORT = st.lists(
    st.sampled_from([*"aAbBmMwWyz.!,()-<>&", "é", "5", "@", "May", "www.", "a.m.", "U.S.", "hours", "\x01"]), max_size=6
).map("".join)


@pytest.mark.parametrize("preset", ["news", "thesis", "none"])
@examples(250)
@given(st.lists(SHORT, min_size=1, max_size=8), st.lists(SHORT, min_size=1, max_size=20))
def test_short_tokens(preset: str, known: list[str], others: list[str]) -> None:
    """Words of letters and signs, which are mostly not normalised, beside all that looks like them and is."""
    patterns = pattern_set(preset)
    arguments = patterns.scanner_arguments("-", False)
    forms = sorted(set(scan(" ".join(known), patterns, "-", False)[1]))
    native = _automaton.Matcher(
        *arguments, forms, np.arange(len(forms), dtype=np.int32), np.arange(len(forms) + 1, dtype=np.int64)
    )
    text = " ".join([*others, *known])
    spans, all_forms = scan(text, patterns, "-", False)
    found = [
        (start, number) for start, _, number in zip(*map(np.ndarray.tolist, native.find(text.encode())), strict=True)
    ]
    places = [len(text[:start].encode()) for start, _ in spans]
    assert found == [(place, forms.index(form)) for place, form in zip(places, all_forms, strict=True) if form in forms]


# --------------------------------------------------------------------------------------------------- running counts


@examples(400)
@given(
    st.lists(st.lists(tokens, min_size=1, max_size=3), min_size=1, max_size=6),
    st.lists(st.lists(st.tuples(tokens, separators), max_size=14), max_size=4),
)
def test_running_counts(strings: list[list[str]], documents: list[list[tuple[str, str]]]) -> None:
    """Occurrences and documents, of all of a text and of what the sieve lets pass."""
    native = matcher(strings)
    table = np.zeros((len(strings), 2), np.int64)
    last, expected = np.full(len(strings), -1, np.int64), np.zeros_like(table)
    sieved, less, last_of_less = matcher(strings, sieve=2), table.copy(), last.copy()
    for number, pairs in enumerate(documents):
        text = "".join(token + gap for token, gap in pairs)
        native.count(text.encode(), number, table, last)
        sieved.count(text.encode(), number, less, last_of_less)
        words = [text[one.start : one.end] for one in reference.tokens(text, "-", PLAIN, False)]
        seen = set()
        for _, _, string in reference.occurrences(words, strings):
            expected[string] += [1, string not in seen]
            seen.add(string)
    assert table.tolist() == less.tolist() == expected.tolist()


@pytest.mark.parametrize("wrong", range(3))
def test_tables_of_other_sizes_are_refused(wrong: int) -> None:
    native = matcher([["a"], ["b"]])
    shapes = [[2, 2], [2]]
    place, axis = [(0, 0), (0, 1), (1, 0)][wrong]
    shapes[place][axis] += 1
    tables = [np.zeros(shape, np.int64) for shape in shapes]
    with pytest.raises(ValueError, match="expected tables of 2 x 2 and 2"):
        native.count(b"a b", 0, *tables)


@pytest.mark.parametrize("place", range(2))
def test_tables_are_written_to(place: int) -> None:
    native = matcher([["a"]])
    tables = [np.zeros((1, 2), np.int64), np.zeros(1, np.int64)]
    tables[place].flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        native.count(b"a", 0, *tables)
