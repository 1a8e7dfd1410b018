"""What goes wrong under the kernels: memory that runs out, lists that change under them, two threads at one object, numbers
at the ends of their type, and bytes that are no text.

Most of it shows only where memory is watched: run this file under `make sanitize` as well.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import threading
from array import array
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from arrays import i32, i64, u8
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from strategies import examples
from templatemine import _core
from templatemine.cleaning import _records
from templatemine.matching import _automaton, _cutting
from templatemine.pages import _html
from templatemine.pages.baselines import _systems
from templatemine.pages.baselines.crf import find_runs
from templatemine.pages.blocks import Page
from templatemine.pages.scanner import block_scanner
from templatemine.text import _scan
from templatemine.text.patterns import pattern_set

SCANNER = pattern_set("news").scanner_arguments("-", False)
FIELDS = _records.Fields([b"text", b"html", b"source", b"id", b"removed", b"stub"], 1 << 40)


def matcher(sieve: int = 1) -> _automaton.Matcher:
    """ "Sign up now" to the end of its line, and "read" alone."""
    words = [b"Sign", b"up", b"now", b"read"]
    return _automaton.Matcher(*SCANNER, words, i32(0, 1, 2, 3), i64(0, 3, 4), u8(4, 0), sieve)


# ------------------------------------------------------------------------------------------------------ memory runs out

# Allocations fail at another place each time, until they do not; what was refused once must still be of use.
SCARCE = """
import resource, sys
import numpy as np
from templatemine.text import _scan
from templatemine.text.patterns import pattern_set

scanner = pattern_set("news").scanner_arguments("-", False)
# Forms longer than what is written, each a number and all different.
names = [chr(97 + i // 676) + chr(97 + i // 26 % 26) + chr(97 + i % 26) for i in range(4_000)]
text = " ".join(f"{name} a1b2c3d4e5f6g7h8{name}" for name in names) + " read"

def tokenise():
    native = _scan.Tokeniser(*scanner)
    def use():
        native.add_all([text] * 2)
        forms, starts, arena, offsets = native.finish()
        last = forms[starts[-2]:starts[-1]]
        return [bytes(arena[a:b]) for a, b in zip(offsets[last].tolist(), offsets[last + 1].tolist())]
    return native.add_all, use

soft, hard = resource.getrlimit(resource.RLIMIT_AS)
refused = 0
expected = tokenise()[1]()
for room in range(0, 1_200_000, 8192):
    add, use = tokenise()
    with open("/proc/self/statm") as file:
        held = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + room, hard))
    try:
        add([text] * 2)
    except MemoryError:
        refused += 1
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    assert use() == expected, room
print(refused)
"""


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="the limit and the file that tells what is held are Linux's"
)
@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="sanitizers take all of the address space")
def test_where_memory_ran_out_goes_on_with_more() -> None:
    """A token known without its form, or a table given up before the next one was there, was read out of bounds."""
    # Whatever is larger than a page is asked of the system anew, so that what was freed does not help out.
    pages = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "4096", "MALLOC_TOP_PAD_": "0", "MALLOC_TRIM_THRESHOLD_": "0"}
    ran = subprocess.run([sys.executable, "-c", SCARCE], capture_output=True, text=True, timeout=120, env=pages)
    assert ran.returncode == 0, ran.stderr
    assert int(ran.stdout) > 10


# ---------------------------------------------------------------------------------------------- arguments out of bounds


@pytest.mark.parametrize(
    "arguments",
    [(None, b"", b""), (FIELDS, None, b""), (FIELDS, b"", None), (), (FIELDS,)],
    ids=["fields", "block", "source", "none", "one"],
)
def test_lines_without_arguments(arguments: tuple[Any, ...]) -> None:
    """What was never made is freed all the same; it wrote into None."""
    for _ in range(3):
        with pytest.raises(TypeError):
            _records.BlockCleaner(*arguments)
    gc.collect()


def test_none_is_no_text() -> None:
    native = matcher()
    with pytest.raises(TypeError, match="text 1: expected a str or bytes, got None"):
        native.find_rests(["a", None], u8(4, 4))  # type: ignore[list-item]
    with pytest.raises(TypeError, match="text 1: expected a str, got None"):
        native.spans(["a", None], 3)  # type: ignore[list-item]
    with pytest.raises(TypeError):
        _scan.Tokeniser(*SCANNER).add_all(["a", None])  # type: ignore[list-item]


def test_names_are_tuples() -> None:
    with pytest.raises(TypeError):
        matcher().clean(["Sign up now"], 3, 1.0, False, [7, 8], tuple, tuple)  # type: ignore[list-item]


HUGE = 2**63 - 1
TEXT, PAGE = u8(97, 98, 99), u8(97, 98, 99)
JSON_ROWS: dict[str, Any] = {
    **{"tokens": i32(0, 1), "bounds": i64(0, 2), "names": b'"a""b"', "name_bounds": i64(0, 3, 6)},
    **{"df": i32(1), "count": i32(2), "ends": b"}\n", "end_bounds": i64(0, 2), "end_of": np.zeros(1, np.int8)},
}


@pytest.mark.parametrize(
    "call",
    [
        lambda: _core.find_first_positions(i64(HUGE), i32(1), i64(0, 1), 9),
        lambda: _core.gather_slices_i32(i32(1, 2), i64(HUGE), i32(1)),
        lambda: _core.gather_slices_u8(TEXT, i64(HUGE), i32(1)),
        lambda: _core.hash_strings(i32(0, 0), np.zeros(1, np.uint64), i64(HUGE), i32(1)),
        *(
            lambda change=change: _core.format_json_rows(**{**JSON_ROWS, **change})
            for change in (
                {"tokens": i32(0, 2)},
                {"tokens": i32(0, -1)},
                {"bounds": i64(0, HUGE)},
                {"bounds": i64(2)},
                {"name_bounds": i64(0, HUGE, 6)},
                {"names": b""},
                {"df": i32(-1)},
                {"count": i32(1, 2)},
                {"end_bounds": i64(0)},
                {"end_of": np.ones(1, np.int8)},
                {"end_of": np.full(1, -1, np.int8)},
            )
        ),
        lambda: _systems.measure_wrapped(TEXT, i64(0, -(1 << 40), 3)),
        lambda: _systems.extract_keywords(TEXT, i64(0, 3, 0, 3, 0, 3), 1),
        lambda: _systems.count_line_breaks(PAGE, i64(0, 1 << 40, 2), i64(1, 1 << 41, 3)),
        lambda: _systems.find_stretch(PAGE, i64(0, 0, 2), i64(1, 1 << 41, 3), i32(0, 0, 0), i32(1, 1, 1), u8(1, 1, 1)),
        lambda: _systems.find_stretch(PAGE, i64(0, -9), i64(1, 1), i32(0, 0), i32(1, 1), u8(1, 1)),
    ],
)  # fmt: skip
def test_numbers_within_the_array_whatever_stands_around_them(call: Callable[[], Any]) -> None:
    """Sums that leave 64 bits, and bounds of which only the first and the last were looked at."""
    with pytest.raises(ValueError, match="expected"):
        call()


def test_what_is_no_suffix_array_points_nowhere() -> None:
    """Places that it does not hold have no suffix before them; what they were taken for lay anywhere."""
    for _ in range(3):
        np.full(4, 2**63 - 1)  # what the next array of four numbers may find
        assert len(_core.lcp(i32(1, 1, 1, 0), i32(0, 0, 0, 0))) == 4
        assert len(_core.lcp(i32(1, 1, 1, 0), i64(0, 0, 0, 0))) == 4


def test_half_a_character_is_a_word() -> None:
    """It was looked at for ever."""
    for half in (b"\xe4", b"one \xe4\xb8", b"\xed", b"\xe3\x81"):
        page, whole = np.frombuffer(half + b"<b>", np.uint8), i64(len(half) + 3)
        assert _systems.find_stretch(page, i64(0), whole, i32(1), i32(2), u8(1))[0] == 0


@pytest.mark.parametrize("side", [4, 8])
@pytest.mark.parametrize(
    "beside", ["é".encode(), "中国".encode(), "😀😀".encode(), b"x\xff\x08"], ids=["two", "three", "four", "mark"]
)
def test_what_stands_beside_the_occurrences_of_one_long_line(side: int, beside: bytes) -> None:
    """It took memory by the square of the line; no character is cut, and no mark of a pattern."""
    one = b"read " + beside + b" "
    text = one * 2000
    rests = matcher().find_rests([text], u8(4, side))
    assert len(rests) == 2000
    step, first = len(one), len("read") if side == 4 else 0
    for place, (_, string, rest) in enumerate(rests):
        at = place * step + first
        whole = text[at:] if side == 4 else text[:at]
        assert string == 1
        assert rest == whole if len(whole) <= 2048 else 2044 <= len(rest) <= 2048
        assert whole.startswith(rest) if side == 4 else whole.endswith(rest)
        rest.replace(b"\xff\x08", b"").decode()


# ------------------------------------------------------------------------------------------------- lists, and threads


class Grows:
    """A span that is asked for its ends and lets the list of spans grow meanwhile."""

    def __init__(self, spans: list[Any]) -> None:
        self.spans = spans

    def __getitem__(self, place: int) -> int:
        if len(self.spans) < 1000:
            self.spans += [self] * 500
        return place


def test_spans_that_change_while_they_are_read() -> None:
    spans: list[Any] = []
    spans.append(Grows(spans))
    assert _cutting.cut("abc", spans) == "bc"
    spans[:] = [Grows(spans), (1, 2)]
    assert _cutting.cut("abc", spans) == "c"


def _together(slow: Callable[[], Any], quick: Callable[[], Any]) -> int:
    """How often `quick` was refused while another thread was at `slow`."""
    refused = 0
    failed: list[BaseException] = []

    def work() -> None:
        while True:
            try:
                slow()
            except RuntimeError:
                continue  # the other one was first
            except BaseException as error:
                failed.append(error)
            return

    other = threading.Thread(target=work)
    other.start()
    while other.is_alive():
        try:
            quick()
        except RuntimeError as error:
            refused += "one thread at a time" in str(error)
    other.join()
    assert not failed
    return refused


def test_a_tokeniser_serves_one_thread_at_a_time() -> None:
    native = _scan.Tokeniser(*SCANNER)
    text = " ".join(f"word{number} 12:30" for number in range(200_000))
    assert _together(lambda: native.add_all([text]), lambda: native.add(b"a")) > 0
    forms, starts, _, _ = native.finish()
    assert starts[-1] == len(forms) >= 400_000


def test_lines_serve_one_thread_at_a_time() -> None:
    line = json.dumps({"text": "Sign up now " * 100}).encode() + b"\n"
    one = _records.BlockCleaner(FIELDS, line * 10_000, b"d")
    assert one.run() == _records.UNKNOWN
    one.add_source(b"d", _records.CLEAN, _records.TextCleaner(matcher(), [b"a", b"b"], 3, 1.0, False))
    assert _together(one.run, one.take_output) > 0
    assert one.counts()[0][2] == 10_000


def test_texts_that_are_dropped_and_changed_while_they_are_read() -> None:
    native, tokeniser = matcher(), _scan.Tokeniser(*SCANNER)
    texts = [f"é {number} Sign up now {'word ' * 2000}" for number in range(300)]
    over = threading.Event()

    def change() -> None:
        while not over.is_set():
            texts[:] = ["b" * number for number in range(300)]
            texts[:] = [f"é {number} Sign up now {'word ' * 2000}" for number in range(300)]
            texts.clear()

    other = threading.Thread(target=change)
    other.start()
    try:
        for _ in range(20):
            native.clean(texts, 3, 1.0, False, [("a",), ("b",)], tuple, tuple)
            native.spans(texts, 3)
            native.find_rests(texts, u8(4, 8))
            tokeniser.add_all(texts)
            _cutting.cut("é" * 50, [(number, number + 1) for number in range(0, len(texts) // 10, 2)])
    finally:
        over.set()
        other.join()
    tokeniser.finish()


# ------------------------------------------------------------------------------------------------------------ any bytes

PIECES = st.sampled_from(
    [
        *(b"Sign up now", b"read", b"By Jane Doe", b"word ", b"Paper", b" ", b"\n", b"\r\n", b"\0", b"-", b"@", b"12:30", b"2013-11-26T10:00+01:00"),
        *(b"\xff", b"\xff\x08", b"\xc3", b"\xe2\x80", b"\xe2\x80\xa8", b"\xed\xa0\x80", b"\xf0\x9f\x98", b"\xf4\x90\x80\x80", b"\x80", b"\xef\xbb\xbf"),
        *(b"http://", b"www.", b"a@b.c", b"123e4567-e89b-12d3-a456-", b"+1.555.", b"a.m", b"U.S.", b"\xd9", b"\xe2\x82", b"x" * 17, b"y" * 64),
        *(b"<p", b"<p class='", b'<a href="x">', b"<div>", b"</div>", b"<script>", b"<!--", b"</scrip", b"<title>", b"<select>", b"<", b"&", b"&#", b"&#x1F600"),
        *(b"&amp", b"&notit;", b"&#0;", b"&#99999999999;", b"<xmp>", b"<td>", b"<h1>", b"style='display:none'", b"=", b"'", b'"', b"/", b">"),
        *(b'{"text":"', b'"source":"a"', b"\\", b"\\u", b"\\ud83d\\ude00", b"\\ud800", b"[" * 61, b'{"a":', b"1e9", b"-", b"null", b":", b",", b"}", b"]"),
    ]
)  # fmt: skip
BYTES = st.one_of(st.lists(PIECES, max_size=24).map(b"".join), st.binary(max_size=120))


def alone(data: bytes) -> NDArray[np.uint8]:
    """In memory of its own, so that a look at the byte behind it is seen where memory is watched."""
    return np.frombuffer(data, np.uint8).copy()


def disjoint(starts: NDArray[np.int64], ends: NDArray[np.int64], size: int) -> bool:
    bounds = np.stack([starts, ends], axis=1).ravel()
    return bool((np.diff(np.concatenate([[0], bounds, [size]])) >= 0).all())


@examples(300)
@given(BYTES, st.booleans())
def test_any_bytes_have_tokens(data: bytes, html: bool) -> None:
    native = _scan.Tokeniser(*pattern_set("news").scanner_arguments("-", html), True)
    starts, ends, kinds = native.token_spans(alone(data))
    assert disjoint(starts, ends, len(data))
    forms = [native.form(data[a:b], int(kind)) for a, b, kind in zip(starts, ends, kinds, strict=True)]
    native.add(alone(data))
    ids, doc_starts, arena, offsets = native.finish()
    assert doc_starts.tolist() == [0, len(ids)]
    assert [bytes(arena[offsets[one] : offsets[one + 1]]) for one in ids if one] == forms


@examples(300)
@given(BYTES, st.integers(0, 2))
def test_any_bytes_are_searched(data: bytes, sieve: int) -> None:
    native = matcher(sieve=sieve)
    starts, ends, strings = native.find(alone(data))
    assert all(0 <= a <= b <= len(data) for a, b in zip(starts, ends, strict=True))
    assert set(strings.tolist()) <= {0, 1}
    assert all(0 <= a <= b <= len(data) for a, b in native.regions(alone(data)))
    assert len(native.find_rests([data], u8(4, 8))) == len(starts)
    text = data.decode("utf-8", "replace")
    ((left, spans, _),) = native.clean([text], 3, 1.0, False, [("a",), ("b",)], tuple, tuple)
    assert _cutting.cut(text, list(spans)) == left


@examples(300)
@given(BYTES)
def test_any_bytes_are_a_page(data: bytes) -> None:
    columns: dict[str, Any] = block_scanner().scan_blocks(alone(data))
    assert disjoint(columns["starts"], columns["ends"], len(data))
    assert disjoint(columns["bounds"][:-1], columns["bounds"][1:], len(columns["text"]))
    count = len(columns["starts"])
    assert len(_systems.extract_keywords(columns["text"], columns["bounds"], 3)[0]) <= len(data)
    words = columns["counts"][:, _html.COUNTS.index("words")].copy()
    tags, shown = np.zeros(count, np.int32), np.ones(count, np.uint8)
    assert _systems.find_stretch(alone(data), columns["starts"], columns["ends"], tags, words, shown)[0] < max(count, 1)
    runs = find_runs(Page(data.decode("utf-8", "replace")))
    assert len(runs.texts) == len(runs.column("start"))
    stripper, edges = _cutting.Stripper([b"p", b"div"]), array("q", [0, count, count + 1, 2**40])
    assert len(stripper.strip(alone(data), edges)) <= len(data) + 4
    assert len(stripper.count(alone(data), array("q", [*reversed(edges), *edges, -1, 1]))) == 5


@examples(300)
@given(st.lists(BYTES, max_size=4), st.booleans())
def test_any_bytes_are_lines(lines: list[bytes], passed: bool) -> None:
    """Lines are passed on, or left as they stand; none is lost."""
    block = b"\n".join(lines)
    one = _records.BlockCleaner(FIELDS, block, b"d")
    cut = _records.TextCleaner(matcher(), [b"a\x01", b'b"'], 3, 1.0, False)
    left = []
    while (why := one.run()) != _records.DONE:
        if why == _records.UNKNOWN:
            one.add_source(one.source, _records.PASS if passed else _records.CLEAN, None if passed else cut)
        else:
            left.append(one.line)
    assert len(one.take_output().splitlines()) + len(left) == one.number == _scan.line_ends(block, 3)[0]
    assert set(b"".join(left).split(b"\n")) <= {*block.split(b"\n"), b""}


@examples(100)
@given(st.lists(st.integers(0, 2**32 - 1), max_size=40), st.integers(0, 3))
def test_any_numbers_are_letters(letters: list[int], parts: int) -> None:
    """Code points that there are not, too."""
    bounds = np.linspace(0, len(letters), parts + 1).astype(np.int64)
    rows = np.zeros((parts, 11), np.int64)
    edges = np.zeros(len(_systems.RUN_FEATURES) + 1, np.int64)
    assert _systems.compute_run_features(
        rows, np.array(letters, np.uint32), bounds, 0, 0, np.empty(0), edges
    ).shape == (
        parts,
        len(_systems.RUN_FEATURES),
    )


def test_many_symbols() -> None:
    """More than 16 bits hold, each twice, so that every pair is a string."""
    half = np.arange(1, 70_001, dtype=np.int32)
    symbols = np.concatenate([half, i32(0), half, i32(0)])
    grown = _core.grow_strings(symbols, i64(0, 70_001, 140_002), 1, 2, 10**7)
    assert grown is not None
    assert (grown[3].tolist(), grown[4].tolist()) == ([70_000], [2])
