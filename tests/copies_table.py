"""How much of a story its copies cost it: `python tests/copies_table.py` prints the table that docs/reliability.md sums up.

Articles of the generator and so many copies of one more are mined; what is counted are the letters and digits of the
copies that are removed and would stay if the story had been published once.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from pathlib import Path

from templatemine.api import mine
from templatemine.cleaning.cleaner import Cleaner
from templatemine.model import Document
from templatemine.packs.pack import Pack

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "datasets"))
from generate import Archive, ArchiveSpec

ARTICLES = (5, 40, 400, 4000)
COPIES = (2, 3, 5, 10, 30, 100)
KINDS = ("verbatim", "changed", "growing", "excerpts", "added", "led", "ended")
WITH_NEW = ("added", "led", "ended")
"""Kinds of which each copy has lines of its own."""
SCRIPTS = ("latin", "han")
SOURCE = "echo.example"


@lru_cache(maxsize=2)
def _generate(script: str, articles: int) -> tuple[list[Document], list[str]]:
    """Articles, and the lines of a story as long as three of them, without boilerplate."""
    return _read_lines(script, articles, articles, 3)


@lru_cache(maxsize=4)
def _read_lines(script: str, seed: int, articles: int, stories: int) -> tuple[list[Document], list[str]]:
    spec = ArchiveSpec(seed=seed, sources=1, documents=articles + stories, near_duplicates=0.0, scripts=(script,))
    generated = list(Archive(spec).articles())
    lines: list[str] = []
    for article in generated[articles:]:
        text, position, kept = article.record["text"], 0, ""
        for start, end, _ in article.spans:
            kept, position = kept + text[position:start], end
        lines += [line for line in (kept + text[position:]).split("\n") if len(line) > 40]
    documents = [
        Document(source=SOURCE, id=f"a{number}", text=article.record["text"], date=article.record["date"])
        for number, article in enumerate(generated[:articles])
    ]
    return documents, lines


def make_versions(kind: str, lines: Sequence[str], number: int, seed: int = 1, script: str = "latin") -> list[str]:
    """So many copies of a story of one kind."""
    rng = random.Random(seed)
    if kind == "verbatim":
        return ["\n".join(lines)] * number
    if kind == "growing":
        return ["\n".join(lines[: max(2, len(lines) * (step + 1) // number)]) for step in range(number)]
    if kind == "excerpts":
        size = max(2, len(lines) // 2)
        first = [rng.randrange(len(lines) - size + 1) for _ in range(number)]
        return ["\n".join(lines), *("\n".join(lines[begin : begin + size]) for begin in first[1:])]
    if kind in WITH_NEW:
        # From one new line to half as many as the story has: at its head and in it, at its head, or at its end.
        new = _read_lines(script, seed=99, articles=0, stories=40)[1]
        added = [rng.sample(new, 1 + step % (len(lines) // 2)) for step in range(number)]
        place = {"led": 0, "ended": len(lines)}.get(kind)
        places = [step % 2 * len(lines) // 2 if place is None else place for step in range(number)]
        return ["\n".join([*lines[:at], *own, *lines[at:]]) for at, own in zip(places, added, strict=True)]
    return ["\n".join(_change(rng, line, script) for line in lines) for _ in range(number)]


def _change(rng: random.Random, line: str, script: str) -> str:
    """A line with one word in twenty changed; of a script without spaces, two characters in forty."""
    if script == "han":
        pairs = [line[begin : begin + 2] for begin in range(0, len(line), 2)]
        return "".join(chr(rng.randrange(0x4E00, 0x9000)) * 2 if rng.random() < 0.05 else pair for pair in pairs)
    words = line.split(" ")
    return " ".join("".join(rng.choices("aeioulmnrst", k=6)) if rng.random() < 0.05 else word for word in words)


def add_copies(script: str, articles: int, kind: str, number: int) -> tuple[list[Document], list[Document]]:
    """Articles, and copies of a story that is none of them."""
    documents, lines = _generate(script, articles)
    texts = make_versions(kind, lines, number, script=script)
    copies = [
        Document(source=SOURCE, id=f"c{place}", text=text, date=documents[place % articles].date)
        for place, text in enumerate(texts)
    ]
    return documents, copies


def count_lost(pack: Pack, once: Pack, copies: Sequence[Document]) -> tuple[int, int]:
    """Letters and digits of some copies that a pack removes and one learnt from a single copy leaves; and all of
    them."""
    lost = total = 0
    cleaner, cleaner_once = Cleaner(pack), Cleaner(once)
    for copy in copies:
        text = copy.text or ""
        removed, removed_once = (
            {place for span in one.clean(text).removed for place in range(span.start, span.end)}
            for one in (cleaner, cleaner_once)
        )
        lost += sum(text[place].isalnum() for place in removed - removed_once)
        total += sum(map(str.isalnum, text))
    return lost, total


@lru_cache(maxsize=8)
def _mine_once(script: str, articles: int, kind: str) -> Pack:
    documents, copies = add_copies(script, articles, kind, 1)
    return mine([*documents, *copies])[SOURCE]


def measure(script: str, articles: int, kind: str, number: int) -> tuple[int, int]:
    """`count_lost` of one cell of the table."""
    documents, copies = add_copies(script, articles, kind, number)
    if kind not in WITH_NEW:
        return count_lost(mine([*documents, *copies])[SOURCE], _mine_once(script, articles, kind), copies)
    # What is new has phrases of other articles, and makes them more frequent: it is learnt from beside one copy, too.
    story = set(_generate(script, articles)[1])
    new = [
        Document(
            source=SOURCE,
            id=f"n{place}",
            text="\n".join(line for line in (copy.text or "").split("\n") if line not in story),
        )
        for place, copy in enumerate(copies)
    ]
    once = mine([*documents, copies[0], *new])[SOURCE]
    return count_lost(mine([*documents, *copies])[SOURCE], once, copies)


def _rows() -> Iterator[str]:
    yield "| articles | copies | " + " | ".join(f"{kind}, {script}" for script, kind in product(SCRIPTS, KINDS)) + " |"
    yield "|---:|---:|" + "---:|" * len(KINDS) * len(SCRIPTS)
    for articles, number in product(ARTICLES, COPIES):
        cells = [measure(script, articles, kind, number) for script, kind in product(SCRIPTS, KINDS)]
        yield f"| {articles:,} | {number} | " + " | ".join(f"{100 * lost / total:.1f}" for lost, total in cells) + " |"


if __name__ == "__main__":
    for row in _rows():
        print(row, flush=True)
