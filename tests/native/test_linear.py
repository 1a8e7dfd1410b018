"""Time per token does not grow with the size of the text, not even for the worst texts of suffix structures.

The largest text is 16 times the smallest; what is quadratic would take 16 times as long per token, and must not pass.
What is linear takes up to three times as long, because the larger text no longer fits the cache.  Both sizes are those
of TEMPLATEMINE_SCALE=1, or a quarter of them where that tells as much.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from itertools import product
from types import ModuleType

import numpy as np
import pytest
import regex

from scale import scaled
from strategies import closed, corpus_of, fibonacci_word
from templatemine import _core
from templatemine.config import MineConfig
from templatemine.matching import _automaton, _cutting
from templatemine.mining.index import build_index
from templatemine.mining.repeats import find_repeats, suffix_array
from templatemine.pages import _blocks
from templatemine.pages.blocks import Page, load_forests
from templatemine.text import _scan
from templatemine.text.expressions import SLOT_REACH, expression, two_sided_expression
from templatemine.text.patterns import pattern_set
from templatemine.text.slots import DATELINE, HEADLINES, kind_code, kind_words

SMALL, LARGE = 20_000, 320_000
FACTOR = 10.0
NEWS = pattern_set("news")
ARGUMENTS = NEWS.scanner_arguments("-", False)
HTML = NEWS.scanner_arguments("-", True)


def best(work: Callable[[], object], runs: int = 5) -> float:
    """The shortest of several runs, in processor time: what else the machine does can only add to it."""
    times = []
    for _ in range(runs):
        start = time.thread_time()
        work()
        times.append(time.thread_time() - start)
    return min(times)


def hold(
    prepare: Callable[[int], Callable[[], object]],
    small: int = SMALL,
    large: int = LARGE,
    factor: float = FACTOR,
    part: int = 4,
) -> None:
    """Time per token at `large` is at most `factor` times that at `small`; measured again before it is believed.

    More runs at `large` can only lower the ratio, so that they end with the first that passes.
    """
    small, large = scaled(small, small // part), scaled(large, large // part)
    for _ in range(3):
        work, at_small = prepare(large), best(prepare(small)) / small
        for _ in range(5):
            ratio = best(work, 1) / large / at_small
            if ratio <= factor:
                return
    pytest.fail(f"{ratio:.1f} times as long per token at {large} as at {small}, measured three times")


def random_words(size: int, symbols: int = 1000) -> list[int]:
    return np.random.default_rng(1).integers(1, symbols, size).tolist()


TEXTS: dict[str, Callable[[int], list[list[int]]]] = {
    "all equal": lambda size: [[1] * size],
    "all equal, many documents": lambda size: [[1] * 100] * (size // 100),
    "Fibonacci word": lambda size: [fibonacci_word(size)],
    "Fibonacci words": lambda size: [fibonacci_word(1000)] * (size // 1000),
    "periodic": lambda size: [[1, 2, 1, 3] * (size // 4)],
    "one document repeated": lambda size: [random_words(1000)] * (size // 1000),
    "one huge document": lambda size: [random_words(size)],
    "one huge document among small ones": lambda size: [random_words(size // 2), *([[1, 2]] * (size // 4))],
    "documents of one token": lambda size: [[1]] * size,
    "growing documents": lambda size: [[1] * length for length in range(int((2 * size) ** 0.5))],
}


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("wide", [False, True], ids=["32 bit", "64 bit"])
def test_kernels_of_the_index(text: str, wide: bool) -> None:
    """LCP and maximal strings; the suffix array is made by pydivsufsort and not timed."""

    def prepare(size: int) -> Callable[[], object]:
        documents = TEXTS[text](size)
        symbols, doc_of = closed(documents)
        sa = suffix_array(symbols).astype(np.int64 if wide else np.int32)
        return lambda: _core.find_repeats(symbols, doc_of, sa, _core.lcp(symbols, sa), len(documents), 1, 1)

    hold(prepare)


@pytest.mark.parametrize("text", TEXTS)
def test_stages_together(text: str) -> None:
    """Corpus to strings, with the sorting, which costs a logarithm."""

    def prepare(size: int) -> Callable[[], object]:
        corpus = corpus_of(TEXTS[text](size))
        config = MineConfig(min_df=1, min_share=0.0, min_tokens=2)
        return lambda: find_repeats(build_index(corpus, config), corpus.documents, 1, config)

    hold(prepare)


DOCUMENTS: dict[str, str] = {
    "words": "the news of the day ",
    "one long word": "a",
    "hyphens": "-",
    "hyphened": "a-",
    "marks": "a-b@c-d.org http://x.org/a-b 2013-11-26 1-800-555-0100 9f86d081 ",
    "nearly marks": "www. http:// a@b 2013-11- 555-123- deadbeef@ ",
    "at-signs": "@",
    "addresses without an end": "a@b-",
    "dotted labels": "a@b.",
    "web without an address": "www..",
    "digits": "1",
    "joints": "1.",
    "hexadecimal": "a1",
    "letters with dots": "U.",
    "currency": "$5",
    "rules": "_",
    "Han": "中国",
    "wide spaces": "\u3000",
    "line breaks": "a\n",
}
PAGES: dict[str, str] = {
    "tags": "<p class=a>b</p>",
    "open tags": "<a ",
    "angles": "<",
    "words with angles": "a<3",
    "comments": "<!-- a -->",
    "open comments": "<!--",
    "scripts": "<script>a</script>",
    "open scripts": "<script>",
    "ends of scripts": "<script></",
    "attributes": "<p " + "class=a " * 20 + ">",
    "quotes": "<p class='",
    "equals": "<p =",
}


@pytest.mark.parametrize("piece", [*DOCUMENTS, *PAGES])
def test_tokeniser(piece: str) -> None:
    """One document of a repeated piece: 160 kB against 2.5 MB."""
    arguments = HTML if piece in PAGES else ARGUMENTS
    unit = (PAGES.get(piece) or DOCUMENTS[piece]).encode()

    def prepare(size: int) -> Callable[[], object]:
        text = (unit * (size // len(unit) + 1))[:size]
        return lambda: _scan.Tokeniser(*arguments).add(text)

    hold(prepare, 160_000, 2_560_000)


@pytest.mark.parametrize("piece", ["words", "one long word", "hyphened", "marks", "nearly marks", "Han"])
def test_matcher(piece: str) -> None:
    """The text has some thousand occurrences of a few strings."""
    native = _automaton.Matcher(
        *ARGUMENTS,
        [b"the", b"news", b"of", b"a"],
        np.array([0, 1, 2, 0, 3, 3], np.int32),
        np.array([0, 4, 6], np.int64),
    )
    unit = DOCUMENTS[piece].encode()

    def prepare(size: int) -> Callable[[], object]:
        text = unit * (size // len(unit))
        return lambda: native.find(text)

    hold(prepare, 160_000, 2_560_000)


@pytest.mark.parametrize(
    "piece", ["newsletter", "newsletter ", "newsletter\n", "-newsletter", "語newsletter", "the newsletter 12 "]
)
@pytest.mark.parametrize("edges", [0, 1, 2, 3, 4, 8])
def test_sieve(piece: str, edges: int) -> None:
    """Texts in which everything gives strings away, in one word, one line or many."""
    native = _automaton.Matcher(
        *ARGUMENTS,
        [b"our", b"newsletter", b"of", b"the", b"day", b"\xff\x08"],
        np.array([0, 1, 2, 3, 4, 5], np.int32),
        np.array([0, 5, 6], np.int64),
        np.array([edges, edges], np.uint8),
        2,
    )
    unit = piece.encode()

    def prepare(size: int) -> Callable[[], object]:
        text = unit * (size // len(unit))
        return lambda: native.find(text)

    hold(prepare, 160_000, 2_560_000)


@pytest.mark.parametrize("edges", [0, 1, 2])
@pytest.mark.parametrize(
    "piece", ["newsletter", "newsletter ", "newsletter" + " -" * 40, "Mx", "Mx ", "\nMx", "M" + " -" * 40]
)
def test_sieve_of_many_strings_that_look_alike(piece: str, edges: int) -> None:
    """Hundreds of strings with one word, and hundreds that give themselves away by one letter."""
    names = [bytes(f"{a}{b}", "ascii") for a in "bcdfghjkl" for b in "mnpqrstvw"]
    vocabulary = [b"newsletter", *(b"w" + name for name in names), *(b"M" + name for name in names)]
    pairs = [place for number in range(len(names)) for place in (0, number + 1)]
    native = _automaton.Matcher(
        *ARGUMENTS,
        vocabulary,
        np.array([*pairs, *range(len(names) + 1, 2 * len(names) + 1)], np.int32),
        np.array([*range(0, 2 * len(names), 2), *range(2 * len(names), 3 * len(names) + 1)], np.int64),
        np.full(2 * len(names), edges, np.uint8),
        2,
    )

    def prepare(size: int) -> Callable[[], object]:
        text = (piece * (size // len(piece))).encode()
        return lambda: native.find(text)

    hold(prepare, 160_000, 2_560_000)


@pytest.mark.parametrize("strings", [10, 10_000])
def test_matcher_does_not_depend_on_the_number_of_strings(strings: int) -> None:
    """A hundred times as many strings in the pack take no more than some cache misses."""
    text = ("the news of the day and some more words of all kinds " * 4000).encode()

    def prepare(count: int) -> Callable[[], object]:
        vocabulary = [b"the", b"news", *(b"w%d" % number for number in range(count))]
        flat = np.array([place for number in range(count) for place in (0, 1, number + 2)], np.int32)
        native = _automaton.Matcher(*ARGUMENTS, vocabulary, flat, np.arange(0, 3 * count + 1, 3, dtype=np.int64))
        return lambda: native.find(text)

    assert best(prepare(strings)) < 3 * best(prepare(10)) + 0.01


def test_merging() -> None:
    def prepare(size: int) -> Callable[[], object]:
        starts = np.random.default_rng(1).integers(0, 4 * size, size)
        return lambda: _cutting.merge(starts, starts + 3, 2)

    hold(prepare)


def test_the_trees_of_the_page_model() -> None:
    """A page of a hundred thousand cells has a matrix of 90 MB; going over all of it for each tree took six times as
    long a row as pages of a few hundred do."""
    forest = load_forests()[0]

    def prepare(blocks: int) -> Callable[[], object]:
        page = Page("<tr><td>a b<td>c" * (blocks // 2))
        rows = _blocks.compute_features(page.columns)
        return lambda: forest.scores(rows)

    hold(prepare, small=200, large=100_000, factor=3.0, part=1)


@pytest.mark.parametrize("kind", ["date", "url", "names", "60"])
@pytest.mark.parametrize("side", [4, 8])
@pytest.mark.parametrize("piece", ["by ", "By ", "By Ann ", "by:", "by:/", "later \0By ", "later \0May "])
def test_slots_of_a_kind(piece: str, side: int, kind: str) -> None:
    """Texts of one line in which strings that take the rest of their line follow each other, or words without an end;
    one string is so long that it begins before where others ended.  What is before the null stands once, at the edge."""
    native = _automaton.Matcher(
        *ARGUMENTS,
        [b"by", b"by:", b"By", b"\xff\x15"],
        np.array([0, 1, 2, 3, *[2] * 7, *[3] * 7], np.int32),
        np.array([0, 1, 2, 3, 4, 11, 18], np.int64),
        np.array([side] * 6, np.uint8),
        1,
        bytes([kind_code(kind)] * 6),
        kind_words(),
    )
    once, _, often = piece.rpartition("\0")

    def prepare(size: int) -> Callable[[], object]:
        text = often * (size // len(often))
        edged = (once + text if side == 8 else text + once).encode()
        return lambda: native.find(edged)

    hold(prepare, 8_000, 128_000)


@pytest.mark.parametrize(
    "piece", ["— ", "— Ann ", "(x) ", "— (x) ", "Ann (x) ", "ann ", "— ann (x) ", "語(x)— ", "—\n(x) ", "Ann—(x)", "x"]
)
def test_names_between_strings(piece: str) -> None:
    """Lines of heads, of strings, of names, and of one word, in native code and in engines that backtrack."""
    native = _automaton.Matcher(
        *ARGUMENTS,
        ["—".encode(), b"(x)"],
        np.array([1, 1, 0, 0, 0, 0], np.int32),
        np.array([0, 1, 3, 4, 6], np.int64),
        np.array([64, 64, 32, 32], np.uint8),
        1,
        bytes([kind_code("names")] * 4),
        kind_words(),
        b"",
        None,
        np.array([2, 3, -1, -1], np.int32),
    )
    source = two_sided_expression(["—".encode()], [b"(x)"], NEWS, "-", kind="names")

    def prepare(size: int) -> Callable[[], object]:
        text = f"— {piece * (size // len(piece.encode()))} (x)".encode()
        return lambda: native.find(text)

    hold(prepare, 8_000, 128_000)
    for engine in (re, regex):
        compiled = engine.compile(source)

        def search(size: int, compiled: re.Pattern[str] = compiled) -> Callable[[], object]:
            text = f"— {piece * (size // len(piece))} (x)"
            return lambda: [match.span() for match in compiled.finditer(text)]

        hold(search, 2_000, 32_000)


@pytest.mark.parametrize("piece", ["by", "By by ", "\n", "\n \n", "By by\n"])
def test_slots_for_datelines(piece: str) -> None:
    """Texts that begin with lines of nothing, of which one holds the string often; and texts of such lines alone."""
    native = _automaton.Matcher(
        *ARGUMENTS,
        [b"by"],
        np.array([0], np.int32),
        np.array([0, 1], np.int64),
        np.array([SLOT_REACH["start"]], np.uint8),
        1,
        bytes([kind_code(DATELINE)]),
        kind_words(),
    )

    def prepare(size: int) -> Callable[[], object]:
        half = size // 2
        text = (piece * (half // len(piece)) + "By by " * (half // 6)).encode()
        return lambda: native.find(text)

    hold(prepare, 8_000, 128_000)


@pytest.mark.parametrize("piece", ["by\nx\n", "by\nBy x.\n", "by\nby\n.\n", "by By\n"])
def test_slots_for_headlines(piece: str) -> None:
    """Texts in which each line may open a list, with other strings among its headlines."""
    native = _automaton.Matcher(
        *ARGUMENTS,
        [b"by", b"x", b"By"],
        np.array([0, 1, 2], np.int32),
        np.arange(4, dtype=np.int64),
        np.array([SLOT_REACH["end"], 0, 0], np.uint8),
        1,
        bytes([kind_code(HEADLINES), 0, 0]),
        kind_words(),
    )

    def prepare(size: int) -> Callable[[], object]:
        text = (piece * (size // len(piece))).encode()
        return lambda: native.find(text)

    hold(prepare, 8_000, 128_000)


@pytest.mark.parametrize("engine", [re, regex])
@pytest.mark.parametrize(
    ("side", "kind"), [*product(["end", "start"], ["date", "url", "names", "60"]), ("start", DATELINE)]
)
@pytest.mark.parametrize("piece", ["By ", "By Ann ", "By:", "By:/", "May 5 ", "By/Ann:"])
def test_expressions_of_kinds(piece: str, side: str, kind: str, engine: ModuleType) -> None:
    """Engines that backtrack, on lines of what fillers hold that are of no kind in the end."""
    slow = "later " * 4 + "x" * 130
    for fixed in (b"By", b"By:", b"\xff\x15"):
        compiled = engine.compile(expression([fixed], NEWS, "-", False, anchor=side, slot=side, kind=kind))

        def prepare(size: int, compiled: re.Pattern[str] = compiled) -> Callable[[], object]:
            text = piece * (size // len(piece))
            line = slow + " " + text if side == "start" else text + slow
            return lambda: [match.span() for match in compiled.finditer(line)]

        hold(prepare, 2_000, 32_000)
