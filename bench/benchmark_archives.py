"""The archives that benchmarks work on, made once and kept in build/bench/.

    python bench/benchmark_archives.py generated|shared [--quick] [--shared FOLDER]

Each group of archives is a folder of the same names, so that a row does not know where its text comes from:

    archive.jsonl   articles of several sources          packs/        what mining it gives
    large.jsonl     one source with many documents       peers.jsonl   articles of other sources, to tell idioms by
    largest.jsonl   the largest source as it is          growth.jsonl  one source that prefixes are taken of
    articles.jsonl  articles of 2 to 10 KB, a source     expressions-N.json  packs of N expressions for them
    one.jsonl       one article of archive.jsonl         dense.json    a pack that cuts some 50 times an article
    pages.jsonl     HTML pages, some-pages.jsonl of them  page-packs/   what mining them gives
    text.txt        the texts of archive.jsonl, one after the other

`generated` comes from `datasets/generate.py`, seed 7; `shared` from archives of real articles that may not be passed
on, where they are at hand.  Texts are made anew when the generator or this file has changed, packs also when the
library has.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "datasets"))

__all__ = [
    "EXPRESSIONS",
    "SIZES",
    "Sizes",
    "describe",
    "load_documents",
    "folder_of",
    "main",
    "make_archives",
    "load_texts",
]

Row = dict[str, Any]

SEED = 7
EXPRESSIONS = (50, 500, 5000)
"""Expressions of the packs that cleaning is measured with."""

LARGE_TEMPLATES = 300
"""Of the large generated source: with fewer, a single one that is missed would be a percent."""

ARTICLE_BYTES = (2_000, 10_000)
REAL_TEXTS, REAL_PAGES = "allsides", ("crawl_to_the_future", "dragnet")


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """Megabytes of text, documents and pages of a run; `growth` in megabytes, ascending."""

    archive: float
    large: float
    peers: int
    articles: float
    many: int
    pages: int
    some_pages: float
    growth: tuple[float, ...]
    keep: int
    sample: int


SIZES = {
    False: Sizes(
        archive=100,
        large=160,
        peers=1500,
        articles=8,
        many=2500,
        pages=1000,
        some_pages=80.0,
        growth=(10, 20, 40, 80, 160),
        keep=1,
        sample=6500,
    ),
    True: Sizes(
        archive=6,
        large=16,
        peers=300,
        articles=1,
        many=600,
        pages=30,
        some_pages=2.0,
        growth=(1, 2, 4, 8, 16),
        keep=12,
        sample=1000,
    ),
}
"""By whether the run is quick.  `keep`: every so-manieth real article is taken; `sample`: documents that are mined
where mining samples."""


def folder_of(group: str, quick: bool) -> Path:
    """Where the files of a group lie."""
    return ROOT / "build" / "bench" / ("quick" if quick else "full") / group


def describe(group: str) -> str:
    """What the archives of a group are, for readers of results."""
    if group == "generated":
        return (
            f"by datasets/generate.py, seed {SEED}: archive = 6 sources of 3 KB an article; large = one source of 4 KB "
            f"an article and {LARGE_TEMPLATES} templates; expressions beyond the source's own 50 are templates of "
            "another source of the same language; pages = 3 sources"
        )
    return (
        f"archive = {REAL_TEXTS}, English news, 14 sources; large = its source with most articles, repeated with "
        "digits drawn anew, twelve years apart; growth = all its articles as one source; expressions beyond the source's own 50 are templates "
        f"of the other sources, then of a generated one; pages = sites of {' and '.join(REAL_PAGES)} with 10 pages or more"
    )


# -------------------------------------------------------------------------------------------------------------- reading


def read_rows(path: Path) -> Iterator[Row]:
    """The records of JSON lines, plain or .gz."""
    import orjson

    with gzip.open(path, "rb") if path.suffix == ".gz" else open(path, "rb") as lines:
        yield from map(orjson.loads, lines)


def load_documents(path: Path, every: int = 1) -> list[Any]:
    """The documents of a file, or every so-manieth."""
    from templatemine.model import Document

    return [
        Document(
            source=row["source"], id=row["id"], text=row.get("text"), html=row.get("html"), date=row.get("date") or None
        )
        for row in islice(read_rows(path), 0, None, every)
    ]


def load_texts(path: Path) -> list[str]:
    """Texts or pages of a file."""
    return [row["html"] if "html" in row else row["text"] for row in read_rows(path)]


def count_bytes(texts: Iterable[str]) -> int:
    """Bytes of UTF-8."""
    return sum(len(text.encode()) for text in texts)


# --------------------------------------------------------------------------------------------------------------- making


def make_archives(group: str, quick: bool, shared: Path) -> None:
    """Make the files of a group, unless they are there and made by the same code."""
    folder = folder_of(group, quick)
    text_code = [*sorted((ROOT / "datasets").rglob("*.py")), Path(__file__)]
    library = [path for path in sorted((ROOT / "src").rglob("*")) if path.suffix in (".py", ".pyx", ".pxd")]
    maker = _make_generated if group == "generated" else _make_real
    _make_if_changed(folder / "texts.made", text_code, lambda: maker(folder, SIZES[quick], shared))
    _make_if_changed(folder / "packs.made", [*text_code, *library], lambda: _make_packs(folder, quick))


def _make_if_changed(stamp: Path, code: Iterable[Path], work: Callable[[], object]) -> None:
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in code)).hexdigest()
    if stamp.exists() and stamp.read_text(encoding="utf-8") == digest:
        return
    stamp.parent.mkdir(parents=True, exist_ok=True)
    work()
    stamp.write_text(digest, encoding="utf-8")


def _write_rows(path: Path, rows: Iterable[Row]) -> None:
    with open(path, "w", encoding="utf-8") as lines:
        for row in rows:
            lines.write(json.dumps(row, ensure_ascii=False) + "\n")


def _write_joined(folder: Path, sizes: Sizes) -> None:
    """text.txt, one.jsonl and some-pages.jsonl of an archive."""
    with open(folder / "text.txt", "w", encoding="utf-8") as out:
        for row in read_rows(folder / "archive.jsonl"):
            out.write(row["text"] + "\n")
    _write_rows(folder / "one.jsonl", islice(read_rows(folder / "archive.jsonl"), 1))
    total = count_bytes(row["html"] for row in read_rows(folder / "pages.jsonl"))
    every = max(1, round(total / 1e6 / sizes.some_pages))
    _write_rows(folder / "some-pages.jsonl", islice(read_rows(folder / "pages.jsonl"), 0, None, every))


def _select_by_size(rows: Iterable[Row], megabytes: float) -> Iterator[Row]:
    """Articles of the sizes that cleaning is measured with, up to so much text."""
    left = megabytes * 1e6
    for row in rows:
        size = len(row["text"].encode())
        if ARTICLE_BYTES[0] <= size <= ARTICLE_BYTES[1] and left > 0:
            left -= size
            yield row


def _make_generated(folder: Path, sizes: Sizes, _: Path) -> None:
    from generate import Archive, ArchiveSpec, generate, scale_spec
    from generate import generate_pages as generated_pages

    spec = ArchiveSpec(seed=SEED, sources=6)
    _write_rows(folder / "archive.jsonl", generate(scale_spec(spec, sizes.archive)))
    one = replace(spec, sources=1, kilobytes=4)
    _write_rows(folder / "large.jsonl", generate(scale_spec(replace(one, templates=LARGE_TEMPLATES), sizes.large)))
    for name in ("largest", "growth"):
        (folder / f"{name}.jsonl").unlink(missing_ok=True)
        (folder / f"{name}.jsonl").symlink_to("large.jsonl")
    peers = Archive(replace(spec, documents=sizes.peers))
    _write_rows(folder / "peers.jsonl", (one.record for place in (1, 2, 3) for one in peers.source_articles(place)))
    own = Archive(replace(one, documents=round(sizes.articles * 500))).source_articles(0)
    _write_rows(folder / "articles.jsonl", _select_by_size((article.record for article in own), sizes.articles))
    _write_rows(folder / "pages.jsonl", generated_pages(replace(spec, sources=3, documents=sizes.pages)))
    _write_joined(folder, sizes)


def _make_real(folder: Path, sizes: Sizes, shared: Path) -> None:
    rows = list(islice(read_rows(shared / "text" / f"{REAL_TEXTS}.jsonl.gz"), 0, None, sizes.keep))
    _write_rows(folder / "archive.jsonl", rows)
    count, weight = Counter(row["source"] for row in rows), Counter[str]()
    for row in rows:
        weight[row["source"]] += len(row["text"])
    largest, most = weight.most_common(1)[0][0], count.most_common(1)[0][0]
    _write_rows(folder / "largest.jsonl", (row for row in rows if row["source"] == largest))
    _write_rows(folder / "growth.jsonl", ({**row, "source": "all"} for row in rows))
    repeated = [row for row in rows if row["source"] == most]
    copies = max(2, round(sizes.large * 1e6 / weight[most]))
    _write_rows(folder / "large.jsonl", (_renumber(row, copy) for copy in range(copies) for row in repeated))
    others = [source for source, _ in count.most_common(4) if source != most]
    _write_rows(folder / "peers.jsonl", (row for source in others for row in rows if row["source"] == source))
    _write_rows(
        folder / "articles.jsonl", _select_by_size((row for row in rows if row["source"] == largest), sizes.articles)
    )
    _write_rows(folder / "pages.jsonl", _select_real_pages(shared, sizes.keep))
    _write_joined(folder, sizes)


def _renumber(row: Row, copy: int) -> Row:
    """A copy of an article with every digit drawn anew, dated twelve years later than the last; the first is the article.

    On its own day it would be what is boilerplate of that day: what many documents of it have.
    """
    if not copy:
        return row
    date = re.sub(r"[0-9]{4}", lambda year: str(int(year[0]) + 12 * copy), row.get("date") or "", count=1)
    row = {**row, "date": date}
    random = Random(f"{copy} {row['id']}")
    text = "".join([str(int(random.random() * 10)) if "0" <= char <= "9" else char for char in row["text"]])
    return {**row, "id": f"{row['id']} copy {copy}", "text": text}


def _select_real_pages(shared: Path, keep: int) -> Iterator[Row]:
    for name in REAL_PAGES:
        rows = list(read_rows(shared / "html" / f"{name}.jsonl.gz"))
        count = Counter(row["source"] for row in rows)
        sites = [site for site, number in count.items() if number >= 10][:: max(1, keep // 3)]
        yield from ({name: row[name] for name in ("source", "id", "html")} for row in rows if row["source"] in sites)


# ---------------------------------------------------------------------------------------------------------------- packs


def _make_packs(folder: Path, quick: bool) -> None:
    from templatemine.api import mine

    packs = mine(load_documents(folder / "archive.jsonl"))
    _save_packs(packs, folder / "packs")
    _save_packs(mine(load_documents(folder / "pages.jsonl")), folder / "page-packs")
    source = next(read_rows(folder / "articles.jsonl"))["source"]
    own = packs.pop(source)
    others = sorted((row for pack in packs.values() for row in pack.templates), key=lambda row: -row.df)
    many = _mine_many_templates(SIZES[quick].many)
    others = many if folder.name == "generated" else others + many
    rows: dict[str, Any] = {}
    for row in [*own.templates[:50], *others]:
        rows.setdefault(row.id, row)  # what other sources have, too, is the source's own
    for number in EXPRESSIONS:
        templates = tuple(rows.values())[:number]
        if len(templates) < number and not quick:
            raise SystemExit(f"{folder}: expected {number} expressions, found {len(templates)}")
        replace(own, templates=templates).save(folder / f"expressions-{number}.json", force=True)
    if folder.name == "generated":
        replace(own, templates=tuple(many)).save(folder / "dense.json", force=True)
        _write_rows(
            folder / "dense.jsonl", _select_by_size(_generate_many_rows(SIZES[quick].many), SIZES[quick].articles)
        )


def _generate_many_rows(number: int) -> Iterator[Row]:
    """Articles of a source with thousands of templates."""
    from generate import Archive, ArchiveSpec

    spec = ArchiveSpec(seed=SEED, sources=2, documents=number, templates=7000, kilobytes=4)
    return (article.record for article in Archive(spec).source_articles(1))


def _mine_many_templates(number: int) -> list[Any]:
    """The templates mined from them.

    Whatever its scores say: what is wanted are thousands of expressions, not the right ones.
    """
    from templatemine.api import mine
    from templatemine.config import PipelineConfig, SelectConfig
    from templatemine.model import Document

    lax = PipelineConfig(select=SelectConfig(caution=1e-9))
    rows = (
        Document(source="many", id=row["id"], text=row["text"], date=row["date"]) for row in _generate_many_rows(number)
    )
    (pack,) = mine(rows, lax).values()
    return list(pack.templates)


def _save_packs(packs: dict[str, Any], folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for place, pack in enumerate(packs.values()):
        pack.save(folder / f"{place}.json")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("group", choices=("generated", "shared"))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared" / "data")
    arguments = parser.parse_args()
    make_archives(arguments.group, arguments.quick, arguments.shared)


if __name__ == "__main__":
    main()
