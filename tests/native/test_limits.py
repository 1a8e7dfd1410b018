"""Edges and misuse: sizes 0, 1 and 2, read-only arrays, what is no such array at all, several threads at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from arrays import i32, i64, u8
from numpy.typing import NDArray

from templatemine import _core
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig
from templatemine.matching import _automaton, _cutting
from templatemine.mining.repeats import suffix_array
from templatemine.text import _scan
from templatemine.text.patterns import pattern_set

NEWS = pattern_set("news")
SCANNER = NEWS.scanner_arguments("-", False)


def u64(*values: int) -> NDArray[np.uint64]:
    return np.array(values, np.uint64)


# Each kernel with arguments that it takes.
KERNELS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "document_frequency": (_core.document_frequency, (i32(0, 1, 1), i64(0, 2, 3), 2)),
    "find_rare_pairs": (_core.find_rare_pairs, (i32(0, 1, 1), i64(0, 2, 3), u8(1, 2), u64(7, 8))),
    "find_versions": (_core.find_versions, (i32(0, 1, 1), i64(0, 2, 3), u8(1, 2), u64(7, 8), i64(1, 0), 1, 1, 0.1)),
    "reduce_tokens": (_core.reduce_tokens, (i32(0, 1, 1), i64(0, 2, 3), i32(0, 1))),
    "lcp": (_core.lcp, (i32(1, 1, 0), i32(2, 1, 0))),
    "lcp of 64 bits": (_core.lcp, (i32(1, 1, 0), i64(2, 1, 0))),
    "find_repeats": (_core.find_repeats, (i32(1, 1, 0), i32(0, 0, 0), i32(2, 1, 0), i32(0, 0, 1), 1, 1, 1)),
    "find_repeats of 64 bits": (
        _core.find_repeats,
        (i32(1, 1, 0), i32(0, 0, 0), i64(2, 1, 0), i64(0, 0, 1), 1, 1, 1),
    ),
    "find_first_positions": (_core.find_first_positions, (i64(1), i32(2), i64(2, 1, 0), 9)),
    "grow_strings": (_core.grow_strings, (i32(1, 1, 0), i64(0, 3), 1, 1, 100)),
    "gather_slices_i32": (_core.gather_slices_i32, (i32(1, 1, 0), i64(0), i32(3))),
    "gather_slices_u8": (_core.gather_slices_u8, (u8(1, 1, 0), i64(0), i32(3))),
    "hash_strings": (_core.hash_strings, (i32(1, 1, 0), u64(7, 8), i64(0), i32(2))),
    "format_json_rows": (
        _core.format_json_rows,
        (i32(0, 1), i64(0, 2), b'"a""b"', i64(0, 3, 6), i32(1), i32(2), b"}\n", i64(0, 2), np.zeros(1, np.int8)),
    ),
    "form_traits": (_scan.form_traits, (u8(65, 66), i64(0, 1, 2))),
    "form_hashes": (_scan.form_hashes, (u8(65, 66), i64(0, 1, 2))),
    "merge": (_cutting.merge, (i64(0, 4), i64(2, 5), 3)),
    "code_points": (_scan.code_points, (u8(65, 66), i64(0, 2))),
    "token_spans": (_scan.Tokeniser(*SCANNER).token_spans, (u8(65, 66),)),
    "add": (_scan.Tokeniser(*SCANNER).add, (u8(65, 66),)),
    "strip": (_cutting.Stripper([b"p"]).strip, (u8(60, 112, 62, 65), i64(0, 4))),
    "count": (_cutting.Stripper([b"p"]).count, (u8(60, 112, 62, 65), i64(0, 4))),
    "find": (_automaton.Matcher(*SCANNER, [b"a"], i32(0), i64(0, 1)).find, (u8(65, 66),)),
    "Matcher": (_automaton.Matcher, (*SCANNER, [b"a"], i32(0), i64(0, 1), u8(0))),
}
PLACES = {
    name: [place for place, one in enumerate(good) if isinstance(one, np.ndarray)]
    for name, (_, good) in KERNELS.items()
}
"""Where arrays stand among the arguments of each."""


def call(name: str, place: int, value: Any) -> Any:
    """The kernel with one argument replaced."""
    kernel, good = KERNELS[name]
    return kernel(*good[:place], value, *good[place + 1 :])


def refuses(
    error: type[Exception] | tuple[type[Exception], ...], told: str, name: str, place: int, value: object
) -> None:
    """A failure shows the arguments, so that all places and values are of one test."""
    with pytest.raises(error, match=told):
        call(name, place, value)


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_take_what_they_are_given_here(name: str) -> None:
    kernel, good = KERNELS[name]
    kernel(*good)


@pytest.mark.parametrize("name", KERNELS)
def test_read_only_arrays_are_taken(name: str) -> None:
    for place in PLACES[name]:
        value = KERNELS[name][1][place].copy()
        value.flags.writeable = False
        call(name, place, value)


@pytest.mark.parametrize("name", KERNELS)
def test_what_is_no_buffer_is_refused(name: str) -> None:
    for place in PLACES[name]:
        for value in ([1, 2], "text", 3, object()):
            refuses(TypeError, ".", name, place, value)
        if (name, place) == ("Matcher", 8):
            call(name, place, None)  # edges are optional
        else:
            refuses(TypeError, ".", name, place, None)


@pytest.mark.parametrize("name", KERNELS)
def test_arrays_of_another_make_are_refused(name: str) -> None:
    """Of another type, strided, or of more dimensions; where two types will do, no more is told."""
    wrong, none = (ValueError, TypeError), "No matching signature"
    for place in PLACES[name]:
        value = KERNELS[name][1][place]
        for dtype in (np.float64, np.int16, np.uint32):
            other = value.astype(np.float32 if value.dtype == dtype else dtype)
            refuses(wrong, f"Buffer dtype mismatch|{none}", name, place, other)
        strided = np.repeat(np.concatenate([value, value]), 2, axis=0)[::2]
        refuses(ValueError, "not C.contiguous", name, place, strided)
        refuses(wrong, f"wrong number of dimensions|{none}", name, place, value[np.newaxis])


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("document_frequency", 0),
        ("document_frequency", 1),
        ("find_rare_pairs", 0),
        ("find_rare_pairs", 1),
        ("find_versions", 0),
        ("find_versions", 1),
        ("reduce_tokens", 0),
        ("reduce_tokens", 1),
        ("lcp", 1),
        ("lcp of 64 bits", 1),
        ("find_repeats", 1),
        ("find_repeats", 2),
        ("find_repeats", 3),
        ("find_repeats of 64 bits", 1),
        ("find_repeats of 64 bits", 2),
        ("find_repeats of 64 bits", 3),
        ("find_first_positions", 0),
        ("find_first_positions", 1),
        ("gather_slices_i32", 1),
        ("gather_slices_i32", 2),
        ("gather_slices_u8", 1),
        ("gather_slices_u8", 2),
        ("hash_strings", 0),
        ("hash_strings", 2),
        ("hash_strings", 3),
        ("form_traits", 1),
        ("form_hashes", 1),
        ("code_points", 1),
        ("Matcher", 6),
        ("Matcher", 7),
    ],
)
def test_numbers_that_point_nowhere_are_refused(name: str, place: int) -> None:
    """An index out of range would read or write foreign memory, so each is looked at."""
    for value in (-1, 4, 2**31 - 1, -(2**31)):
        wrong = KERNELS[name][1][place].copy()
        wrong[-1] = value
        refuses(ValueError, "expected|empty|string 0", name, place, wrong)


LONE = ("token_spans", "add", "find", "strip", "count")


@pytest.mark.parametrize("name", [name for name in KERNELS if name not in LONE])
def test_lengths_that_disagree_are_refused(name: str) -> None:
    may_be_longer = {
        ("reduce_tokens", 2),
        ("gather_slices_i32", 0),
        ("gather_slices_u8", 0),
        ("hash_strings", 0),
        ("hash_strings", 1),
        ("find_first_positions", 2),
        ("code_points", 0),
    }
    for place in PLACES[name]:
        if (name, place) not in may_be_longer:
            value = KERNELS[name][1][place]
            refuses(ValueError, "expected|empty", name, place, np.concatenate([value, value]))


@pytest.mark.parametrize("name", ["document_frequency", "reduce_tokens", "form_traits", "form_hashes", "Matcher"])
def test_bounds_may_not_be_empty(name: str) -> None:
    place = 7 if name == "Matcher" else 1
    with pytest.raises(ValueError, match="expected bounds"):
        call(name, place, i64())


# ---------------------------------------------------------------------------------------------------- sizes 0, 1 and 2


@pytest.mark.parametrize("size", [0, 1, 2])
@pytest.mark.parametrize("wide", [False, True])
def test_small_texts(size: int, wide: bool) -> None:
    symbols = i32(*([1] * size))
    sa = suffix_array(symbols).astype(np.int64 if wide else np.int32)
    lcp = _core.lcp(symbols, sa)
    rank, length, count, df = _core.find_repeats(symbols, i32(*([0] * size)), sa, lcp, 1, 1, 1)
    assert lcp.tolist() == [0, 1][:size]
    assert list(zip(length, count, df, strict=True)) == ([(1, 2, 1)] if size == 2 else [])
    assert len(rank) == len(length)


def test_nothing_gives_nothing() -> None:
    no32, no64, no8 = i32(), i64(), u8()
    assert [len(column) for column in _core.document_frequency(no32, i64(0), 0)] == [0, 0]
    assert [len(column) for column in _core.reduce_tokens(no32, i64(0), no32)] == [0, 1, 0, 0]
    assert [len(column) for column in _core.find_repeats(no32, no32, no32, no32, 0, 2, 2)] == [0, 0, 0, 0]
    assert _core.find_first_positions(no64, no32, no64, 1).tolist() == []
    grown = _core.grow_strings(no32, i64(0), 1, 1, 0)
    assert grown is not None
    assert [len(column) for column in grown] == [0] * 6
    assert _core.hash_strings(no32, u64(), no64, no32).tolist() == []
    assert _core.format_json_rows(no32, i64(0), b"", i64(0), no32, no32, b"", i64(0), np.empty(0, np.int8)) == b""
    assert _scan.form_traits(no8, i64(0)).tolist() == []
    assert _scan.form_hashes(no8, i64(0)).tolist() == []
    assert [len(column) for column in _cutting.merge(no64, no64, 3)] == [0, 0, 0]
    assert _scan.code_points(no8, no64).tolist() == []
    assert _cutting.Stripper([]).strip(no8, no64) == b""
    assert _cutting.Stripper([]).count(no8, no64) == []
    assert _scan.code_points(b"", i64(0, 0)).tolist() == [0, 0]


def test_a_tokeniser_without_documents() -> None:
    forms, starts, arena, offsets = _scan.Tokeniser(*SCANNER).finish()
    assert (forms.tolist(), starts.tolist(), arena.tolist(), offsets.tolist()) == ([], [0], [], [0])


def test_empty_documents_count() -> None:
    native = _scan.Tokeniser(*SCANNER)
    for text in (b"", b" ", b"a", b""):
        native.add(text)
    assert native.finish()[1].tolist() == [0, 0, 0, 1, 1]


def test_a_tokeniser_hands_over_what_it_has_and_keeps_its_forms() -> None:
    native = _scan.Tokeniser(*SCANNER)
    native.add(b"a b")
    first = native.finish()
    native.add_all([b"b c", b"a"])
    forms, starts, arena, offsets = native.finish()
    assert (first[0].tolist(), first[1].tolist()) == ([0, 1], [0, 2])
    assert (forms.tolist(), starts.tolist()) == ([1, 2, 0], [0, 2, 3])
    assert [bytes(arena[offsets[form] : offsets[form + 1]]) for form in range(3)] == [b"a", b"b", b"c"]
    assert native.finish()[0].tolist() == []


@pytest.mark.parametrize("size", [0, 1, 5])
def test_many_documents_at_once_are_one_after_the_other(size: int) -> None:
    documents = [b"", b"a b", b"", b"b 12:30\nc", b"c"][:size]
    one, all_ = _scan.Tokeniser(*SCANNER, True), _scan.Tokeniser(*SCANNER, True)
    for document in documents:
        one.add(document)
    all_.add_all(documents)
    for a, b in zip(one.finish(), all_.finish(), strict=True):
        assert a.tolist() == b.tolist()
    with pytest.raises(TypeError):
        all_.add_all([7])  # type: ignore[list-item]


def test_tokens_of_any_length() -> None:
    native = _scan.Tokeniser(*SCANNER)
    long = "x1" * 200_000
    native.add(f"a {long} b".encode())
    forms, _, arena, offsets = native.finish()
    assert len(forms) == 3
    assert bytes(arena[offsets[1] : offsets[2]]) == b"x\xff\x08" * 200_000


def test_many_types_and_forms() -> None:
    """More types than the tables begin with room for, added twice."""
    native = _scan.Tokeniser(*pattern_set("none").scanner_arguments("-", False))
    text = " ".join(f"w{number}" for number in range(50_000)).encode()
    native.add(text)
    native.add(text)
    forms, starts, arena, offsets = native.finish()
    assert forms.tolist() == [*range(50_000), *range(50_000)]
    assert starts.tolist() == [0, 50_000, 100_000]
    assert bytes(arena[offsets[49_999] :]) == b"w49999"


# -------------------------------------------------------------------------------------------- arguments of the scanner


@pytest.mark.parametrize(
    ("place", "value", "problem"),
    [
        (0, b"a", "ASCII punctuation"),
        (0, b" ", "ASCII punctuation"),
        (0, b"\xe9", "ASCII punctuation"),
        (1, b"\x01", "mask of 256 bytes"),
        (2, [b"May"], "pattern number for each word"),
        (2, [], "pattern number for each word"),
    ],
)
def test_arguments_of_the_scanner(place: int, value: Any, problem: str) -> None:
    arguments: list[Any] = list(SCANNER)
    arguments[place] = value
    with pytest.raises(ValueError, match=problem):
        _scan.Tokeniser(*arguments)


@pytest.mark.parametrize("place", [0, 1, 2, 3])
@pytest.mark.parametrize("value", [None, "text", 1.5])
def test_types_of_the_arguments_of_the_scanner(place: int, value: object) -> None:
    arguments: list[Any] = list(SCANNER)
    arguments[place] = value
    with pytest.raises(TypeError):
        _scan.Tokeniser(*arguments)


@pytest.mark.parametrize("words", [[None], ["May"], [7]])
def test_words_are_bytes(words: list[Any]) -> None:
    with pytest.raises(TypeError):
        _scan.Tokeniser(b"-", bytes(256), words, [21], False)


def test_a_word_stands_in_one_pattern() -> None:
    with pytest.raises(ValueError, match="stands in two patterns"):
        _scan.Tokeniser(b"-", bytes(256), [b"May", b"May"], [21, 22], False)


@pytest.mark.parametrize("number", [0, -1, 256, 2**40])
def test_pattern_numbers_fit_a_byte(number: int) -> None:
    with pytest.raises((ValueError, OverflowError)):
        _scan.Tokeniser(b"-", bytes(256), [b"May"], [number], False)


def test_strings_of_a_matcher() -> None:
    with pytest.raises(ValueError, match="twice"):
        _automaton.Matcher(*SCANNER, [b"a", b"a"], i32(0), i64(0, 1))
    with pytest.raises(ValueError, match="string 1 is empty"):
        _automaton.Matcher(*SCANNER, [b"a"], i32(0), i64(0, 1, 1))
    with pytest.raises(ValueError, match="edges of 1 strings, got 2"):
        _automaton.Matcher(*SCANNER, [b"a"], i32(0), i64(0, 1), u8(0, 0))


@pytest.mark.parametrize(
    ("token", "kind"), [(b"", 0), (b"x", 1), (b"<", 1), (b"<b>", 2), (b"<", 2), (b"a", 3), (b"a", -1)]
)
def test_what_is_no_token_has_no_form(token: bytes, kind: int) -> None:
    with pytest.raises(ValueError, match="expected"):
        _scan.Tokeniser(*SCANNER).form(token, kind)


# -------------------------------------------------------------------------------------------------------------- threads


def texts_for_threads() -> list[str]:
    random = np.random.default_rng(1)
    words = ["read", "more", "12:30", "on", "2013-11-26", "a-b", "中国", "é", "\n", "http://x.org/a-b", "$5", "more."]
    return [" ".join(words[k] for k in random.integers(0, len(words), 3000)) for _ in range(40)]


def test_several_threads_share_a_matcher() -> None:
    texts = [text.encode() for text in texts_for_threads()]
    vocabulary = [b"read", b"more", b"\xff\x09", b"\xff\x04", b"a", b"b"]
    native = _automaton.Matcher(*SCANNER, vocabulary, i32(0, 1, 0, 1, 2, 4, 5), i64(0, 2, 5, 7))
    alone = [tuple(column.tolist() for column in native.find(text)) for text in texts]
    assert sum(len(columns[0]) for columns in alone) > 1000
    together = _at_once(lambda text: tuple(column.tolist() for column in native.find(text)), texts)
    assert together == alone


def test_several_threads_share_many_matchers() -> None:
    """What a call used is used again by that of another matcher, to which the same tokens are others; here more matchers
    than tokens are remembered."""
    words = [b"Ann's", b"12:30", b"read,", b"more.", b"(on)"]
    forms = [_scan.Tokeniser(*SCANNER).form(word) for word in words]
    text = b" ".join(words)
    orders = [[(place + shift) % 5 for place in range(size)] for shift in range(5) for size in range(1, 6)]
    order = [orders[number % len(orders)] for number in range(2600)]
    natives = [
        _automaton.Matcher(*SCANNER, [forms[k] for k in some], i32(*range(len(some))), i64(*range(len(some) + 1)))
        for some in order
    ]
    alone = [sorted(words[k] for k in some) for some in order]

    def found(number: int) -> list[bytes]:
        starts, ends, strings = (column.tolist() for column in natives[number].find(text, union_only=True))
        here = [words[order[number][k]] for k in strings]
        assert here == [text[start:end] for start, end in zip(starts, ends, strict=True)]
        return sorted(here)

    assert _at_once(found, list(range(len(natives)))) == alone


def test_several_threads_share_a_scanner() -> None:
    texts = [text.encode() for text in texts_for_threads()]
    native = _scan.Tokeniser(*SCANNER)
    alone = [tuple(column.tolist() for column in native.token_spans(text)) for text in texts]
    assert _at_once(lambda text: tuple(column.tolist() for column in native.token_spans(text)), texts) == alone


@pytest.mark.parametrize("engine", ["native", "regex"])
def test_several_threads_share_a_cleaner(engine: str) -> None:
    from strategies import make_pack, scan

    texts = texts_for_threads()
    _, forms = scan("read more on 2013-11-26", NEWS, "-", False)
    pack = make_pack([(forms[:2], "read more"), (forms[2:], "on 2013-11-26")], NEWS, "-", False)
    alone = [Cleaner(pack).spans(text) for text in texts]
    cleaner = Cleaner(pack, CleanConfig(engine=engine))
    assert _at_once(cleaner.spans, texts) == alone


def _at_once(function: Callable[[Any], Any], items: list[Any]) -> list[Any]:
    """All items by each of four threads, which begin together; the answers of all of them must be the same."""
    start = threading.Barrier(4)

    def work(_: int) -> list[Any]:
        start.wait()
        return [function(item) for item in items]

    with ThreadPoolExecutor(4) as pool:
        first, *others = pool.map(work, range(4))
    assert all(other == first for other in others)
    return first


def test_what_a_matcher_holds_from_end_to_end() -> None:
    native = _automaton.Matcher(*SCANNER, [b"a", b"b"], i32(0, 1, 0, 0), i64(0, 2, 3, 4))
    assert [native.is_whole_match(b"a b", string) for string in range(3)] == [True, False, False]
    assert [native.is_whole_match(b"a", string) for string in range(3)] == [False, True, True]
    assert not any(native.is_whole_match(text, 0) for text in (b"", b"a b ", b" a b", b"a b a", b"a"))


def test_what_a_matcher_has_seen_changes_nothing() -> None:
    """It remembers some tokens, far fewer than these, of 1 to 24 bytes."""
    random = np.random.default_rng(3)
    pieces = ["a", "Bc", "12", ".", ",", "é", "”", "x1", "word", "March", "$", "-", "ABC", "www."]
    words = ["".join(pieces[k] for k in random.integers(0, len(pieces), size)) for size in random.integers(1, 7, 9000)]
    texts = [" ".join(words[k] for k in random.integers(0, len(words), 800)).encode() for _ in range(40)]
    chosen = dict.fromkeys(_scan.Tokeniser(*SCANNER).form(word.encode()) for word in words[:300] if "-" not in word)
    flat = np.arange(len(chosen), dtype=np.int32)
    arguments = (*SCANNER, list(chosen), flat, np.arange(len(chosen) + 1, dtype=np.int64))
    used = _automaton.Matcher(*arguments)
    found = 0
    for text in texts:
        fresh = [column.tolist() for column in _automaton.Matcher(*arguments).find(text)]
        assert [column.tolist() for column in used.find(text)] == fresh
        assert used.spans([text.decode()], 3) == _automaton.Matcher(*arguments).spans([text.decode()], 3)
        found += len(fresh[0])
    assert found > 100
