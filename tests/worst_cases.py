"""The worst inputs that are known, for each part of the program, at any size; and what they take beside ordinary ones.

``python tests/worst_cases.py [SCALE]`` prints the table of docs/reliability.md: processor time a byte at four sizes, the
exponent of the time, the time a byte beside ordinary input of the same kind, and the peak of memory of the largest size.
"""

from __future__ import annotations

import math
import multiprocessing
import resource
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import cycle, islice
from typing import NamedTuple

import numpy as np

from strategies import make_pack
from templatemine import extract
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import PipelineConfig
from templatemine.model import Document
from templatemine.pipeline import Miner
from templatemine.text import _scan
from templatemine.text.patterns import pattern_set

Work = Callable[[], object]
Prepare = Callable[[int], Work]
"""Input of about so many bytes; what is given does the work, and only that is timed."""

WORDS = [
    f"{a}{b}{c}" for a in ("bar", "cel", "dom", "fen", "gul", "hap") for b in "aeiou" for c in ("ta", "ren", "lis")
]
ORDINARY = "ordinary"
_ARTICLE = 600


def words(size: int) -> str:
    """As frequent as words of a language are (Zipf), in sentences and lines."""
    random = np.random.default_rng(1)
    places = np.minimum(random.zipf(1.3, size // 6), 50_000) - 1
    some = [WORDS[p] if p < len(WORDS) else f"{WORDS[p % 90]}{WORDS[p // 90 % 90]}" for p in places.tolist()]
    text = " ".join(
        word.capitalize() + "." if place % 12 == 0 else word + "\n" * (place % 60 == 59)
        for place, word in enumerate(some)
    )
    return text[:size]


def fibonacci(size: int) -> str:
    """The Fibonacci word of two words: as many repeats as a text can have."""
    before, text = "wb ", "wa "
    while len(text) < size:
        before, text = text, text + before
    return text[:size]


def de_bruijn(size: int) -> str:
    """Every row of 16 of two words once, over and over."""
    period = "".join("wa " if digit == 0 else "wb " for digit in _lyndon_words(16))
    return (period * (size // len(period) + 1))[:size]


@cache
def _lyndon_words(length: int) -> tuple[int, ...]:
    """Those of 0 and 1 whose length divides another one, in order: the least de Bruijn sequence."""
    found: list[int] = []
    word = [-1]
    while word:
        word[-1] += 1
        if length % len(word) == 0:
            found += word
        whole = len(word)
        while len(word) < length:
            word.append(word[-whole])
        while word and word[-1] == 1:
            word.pop()
    return tuple(found)


TEXTS: Mapping[str, Callable[[int], str]] = {
    ORDINARY: words,
    "one token for ever": lambda size: "a " * (size // 2),
    "one word without an end": lambda size: "a" * size,
    "Fibonacci word": fibonacci,
    "de Bruijn sequence": de_bruijn,
    "no word twice": lambda size: " ".join(f"w{number:x}" for number in range(size // 6)),
}


def tokenising(text: Callable[[int], str]) -> Prepare:
    def prepare(size: int) -> Work:
        data = text(size).encode()
        return lambda: _scan.Tokeniser(*pattern_set("news").scanner_arguments("-", False)).add(data)

    return prepare


# ---------------------------------------------------------------------------------------------------------------- mining


def one_source(texts: Sequence[str]) -> list[Document]:
    return [Document(source="a.example", id=str(number), text=text) for number, text in enumerate(texts)]


def pieces(text: str) -> list[Document]:
    """Articles of one source, each of so many characters."""
    return one_source([text[start : start + _ARTICLE] for start in range(0, len(text), _ARTICLE)])


def articles(size: int) -> list[Document]:
    """Prose with a sign-up prompt and a credit."""
    text = words(size)
    ends = "\nSign up for the morning letter today.\n{}\nReporting by the staff of the paper"
    return one_source([ends.format(text[start : start + _ARTICLE]).strip() for start in range(0, len(text), _ARTICLE)])


def sources(size: int) -> list[Document]:
    return [
        Document(source=f"s{number}.example", id="1", text=text[:60])
        for number, text in enumerate(islice(cycle([words(4000)]), size // 60))
    ]


ARCHIVES: Mapping[str, Callable[[int], list[Document]]] = {
    ORDINARY: articles,
    "one token for ever": lambda size: pieces(TEXTS["one token for ever"](size)),
    "one article of one token for ever": lambda size: one_source(["a b"] * 8 + [TEXTS["one token for ever"](size)]),
    "Fibonacci words": lambda size: pieces(TEXTS["Fibonacci word"](size)),
    "de Bruijn sequences": lambda size: pieces(TEXTS["de Bruijn sequence"](size)),
    "all articles equal": lambda size: one_source([words(_ARTICLE)] * (size // _ARTICLE)),
    "all lines equal": lambda size: one_source(["Read more.\n" * 50] * (size // 550)),
    "no word twice": lambda size: pieces(TEXTS["no word twice"](size)),
    "documents of one token": lambda size: one_source([f"w{number % 7}" for number in range(size // 2)]),
    "sources of one document": sources,
}


def mining(archive: Callable[[int], list[Document]], method: str) -> Prepare:
    def prepare(size: int) -> Work:
        documents = archive(size)
        return lambda: Miner(PipelineConfig(method=method)).run(documents)

    return prepare


# -------------------------------------------------------------------------------------------------------------- cleaning

_TEMPLATES = 5000


def template(number: int) -> list[str]:
    """Words of a template; all begin alike, and hundreds share what follows."""
    return ["Sign", "up", "for", WORDS[number % 9], WORDS[9 + number // 9 % 9], "letter", f"w{number}x", "today"]


@cache
def cleaner() -> Cleaner:
    strings = [
        ([word.encode() for word in template(number)], " ".join(template(number))) for number in range(_TEMPLATES)
    ]
    return Cleaner(make_pack(strings, pattern_set("none"), "-", False))


def repeated(pieces: Sequence[str], size: int) -> str:
    found: list[str] = []
    length = 0
    for piece in cycle(pieces):
        if length >= size:
            break
        found.append(piece)
        length += len(piece) + 1
    return " ".join(found)


TO_CLEAN: Mapping[str, Callable[[int], str]] = {
    **TEXTS,
    "templates without their last word": lambda size: repeated(
        [" ".join(template(number)[:-1]) for number in range(_TEMPLATES)], size
    ),
    "templates without their last two words": lambda size: repeated(
        [" ".join(template(number)[:-2]) for number in range(_TEMPLATES)], size
    ),
    "nothing but templates": lambda size: repeated([" ".join(template(number)) for number in range(_TEMPLATES)], size),
}


def cleaning(text: Callable[[int], str]) -> Prepare:
    def prepare(size: int) -> Work:
        given, own = text(size), cleaner()
        own.clean(given)  # what is made at the first text
        return lambda: own.clean(given)

    return prepare


# ----------------------------------------------------------------------------------------------------------------- pages


def ordinary_page(size: int) -> str:
    menu = "".join(f"<li><a href=/{word}>{word}</a>" for word in WORDS[:12])
    text = words(size // 2)
    story = "".join(f"<p class=story>{text[start : start + 300]}</p>" for start in range(0, len(text), 300))
    return f"<title>News</title><ul>{menu}</ul><h1>News</h1>{story}" + f"<ul>{menu}</ul>" * (size // 2 // len(menu))


PAGES: Mapping[str, Callable[[int], str]] = {
    ORDINARY: ordinary_page,
    "nested deep": lambda size: "<div>" * (size // 11) + "x" + "</div>" * (size // 11),
    "nested deep, never closed": lambda size: "<div>" * (size // 5) + "x",
    "nested in-line": lambda size: "<b>" * (size // 3) + "x",
    "nested tables": lambda size: "<table><tr><td>x" * (size // 16),
    "one attribute": lambda size: '<p class="' + "a " * (size // 2) + '">x',
    "one attribute, never closed": lambda size: '<p title="' + "a" * size,
    "many attributes": lambda size: "<p " + "".join(f"a{number}=1 " for number in range(size // 8)) + ">x",
    "one paragraph": lambda size: "<p>" + words(size),
    "many blocks": lambda size: "<p>x" * (size // 4),
    "ends without beginnings": lambda size: "</p></div>" * (size // 10),
    "character references": lambda size: "<p>" + "&amp;" * (size // 5),
    "comments": lambda size: "<!--" * (size // 4),
    "one script": lambda size: "<script>" + "a<b " * (size // 4),
}


def extracting(page: Callable[[int], str]) -> Prepare:
    def prepare(size: int) -> Work:
        html = page(size)
        return lambda: extract(html)

    return prepare


# ------------------------------------------------------------------------------------------------------------ measuring


class Part(NamedTuple):
    """A part of the program: its inputs by name, the first of them ordinary, and how many seconds of processor time the
    smallest size takes at least, so that what each call takes anyway does not count."""

    inputs: Mapping[str, Prepare]
    least: float


PARTS: Mapping[str, Part] = {
    "tokenise": Part({name: tokenising(text) for name, text in TEXTS.items()}, 0.01),
    "mine": Part({name: mining(archive, "learned") for name, archive in ARCHIVES.items()}, 0.02),
    "mine, thesis": Part({name: mining(archive, "thesis") for name, archive in ARCHIVES.items()}, 0.02),
    "clean": Part({name: cleaning(text) for name, text in TO_CLEAN.items()}, 0.01),
    "extract": Part({name: extracting(page) for name, page in PAGES.items()}, 0.01),
}
SMALLEST, LARGEST = 1 << 14, 1 << 20
SIZES = (1, 2, 4, 8)


def seconds(work: Work, runs: int) -> float:
    """The shortest of some runs, in processor time of all threads."""
    times = []
    for _ in range(runs):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


def smallest_size(prepare: Prepare, least: float) -> int:
    """That takes so many seconds, or is as large as any test needs."""
    size = SMALLEST
    prepare(size)()
    while size < LARGEST and seconds(prepare(size), 1) < least:
        size *= 2
    return size


def measured(prepare: Prepare, smallest: int, runs: int = 2) -> list[float]:
    """Processor time a byte at four sizes."""
    return [seconds(prepare(smallest * times), runs) / (smallest * times) for times in SIZES]


def exponent(rates: Sequence[float]) -> float:
    """b of the least squares fit of time = a size^b: 1 is linear, 2 quadratic; a logarithm adds 0.06."""
    logs = [math.log(size) for size in SIZES]
    values = [math.log(rate) for rate in rates]
    mean, level = sum(logs) / len(logs), sum(values) / len(values)
    slope = sum((x - mean) * (y - level) for x, y in zip(logs, values, strict=True))
    return 1 + slope / sum((x - mean) ** 2 for x in logs)


def _row(arguments: tuple[str, str, float]) -> tuple[int, list[float], int]:
    part, name, scale = arguments
    inputs, least = PARTS[part]
    size = smallest_size(inputs[name], least * scale)
    return size, measured(inputs[name], size), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def main(scale: float) -> None:
    print(
        "| part | input | MB | ns a byte | exponent | beside ordinary | peak, MB |\n|---|---|---:|---|---:|---:|---:|"
    )
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for part, (inputs, _) in PARTS.items():
            usual = 0.0
            for name in inputs:
                size, rates, peak = pool.apply(_row, ((part, name, scale),))
                usual = usual or rates[-1]
                shown = " ".join(f"{rate * 1e9:.3g}" for rate in rates)
                print(
                    f"| {part} | {name} | {size * SIZES[-1] / 1e6:.1f} | {shown} | {exponent(rates):.2f} "
                    f"| {rates[-1] / usual:.2f} | {peak / 1e6:.0f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0)
