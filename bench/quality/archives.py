"""The archives that quality is measured on: generated ones always, and real ones where they are at hand.

Each archive is read once in a process.  Digests are of what is measured on: of the bytes of real files, and of the
records that the generator makes.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [path for path in (str(ROOT / "datasets"), str(ROOT / "bench")) if path not in sys.path]


from benchmark_archives import read_rows  # noqa: E402
from templatemine.evaluation.gold import read_spans  # noqa: E402
from templatemine.evaluation.metrics import GoldSpan  # noqa: E402
from templatemine.model import Document  # noqa: E402

__all__ = [
    "ANNOTATED",
    "PAGES",
    "SHARED",
    "load_annotated",
    "digest_files",
    "make_generated",
    "make_generated_pages",
    "gold_files",
    "page_file",
    "load_pages",
    "has_shared_archives",
    "text_file",
    "load_texts",
]

SHARED = ROOT.parent / "shared" / "data"
GOLD = "gold2"

ANNOTATED = ("allsides", "livedoor", "saudinews")
"""Archives of texts that hold the annotated articles; what is in one file is of one language."""


PAGES = {"crawl_to_the_future": 5, "dragnet": 5, "cleaneval_dev": 1, "scrapinghub": 1, "wcxb": 1}
"""Set of pages -> folds; 1 where a site has a page or two, so that there is no history to learn from."""

SEED = 7
GENERATED = {"sources": 6, "documents": 200, "seed": SEED}
GENERATED_PAGES = {"sources": 3, "documents": 40, "seed": SEED}


def has_shared_archives() -> bool:
    """Whether the real archives are at hand."""
    return SHARED.is_dir()


def text_file(name: str) -> Path:
    return SHARED / "text" / f"{name}.jsonl.gz"


def page_file(name: str) -> Path:
    return SHARED / "html" / f"{name}.jsonl.gz"


def gold_files(*names: str) -> list[Path]:
    """Annotated spans, a file a source; of the sources of some archives, or of all articles that are annotated."""
    files = sorted((SHARED / GOLD).glob("*.jsonl"))
    sources = {document.source for document in load_texts(*names)}
    return [file for file in files if not names or file.stem in sources]


@cache
def load_texts(*names: str) -> list[Document]:
    """The articles of some archives."""
    return [
        Document(source=row["source"], id=row["id"], text=row["text"], date=row.get("date") or None)
        for name in names
        for row in read_rows(text_file(name))
    ]


@cache
def load_annotated(*names: str) -> dict[str, list[GoldSpan]]:
    """Annotated spans by id, of the sources of some archives, or of all articles that are annotated."""
    return {key: spans for file in gold_files(*names) for key, spans in read_spans(file).items()}


@cache
def load_pages(name: str) -> tuple[list[Document], dict[str, str | None]]:
    """The pages of a set and their gold."""
    rows = list(read_rows(page_file(name)))
    documents = [Document(source=row.get("source") or name, id=row["id"], html=row["html"]) for row in rows]
    return documents, {row["id"]: row.get("gold") for row in rows}


@cache
def make_generated() -> tuple[list[Document], dict[str, list[GoldSpan]], str]:
    """A generated archive, its spans, its digest."""
    from generate import Archive, ArchiveSpec

    articles = list(Archive(ArchiveSpec(**GENERATED)).articles())
    documents = [_make_document(article.record) for article in articles]
    gold = {article.record["id"]: list(article.spans) for article in articles}
    return documents, gold, _digest_rows([[article.record, article.spans] for article in articles])


@cache
def make_generated_pages() -> tuple[list[Document], dict[str, str | None], str]:
    """Generated pages, their gold texts, their digest."""
    from generate import generate_pages as make

    rows = list(make(**GENERATED_PAGES))
    return [_make_document(row) for row in rows], {row["id"]: row["gold"] for row in rows}, _digest_rows(rows)


def _make_document(row: dict[str, Any]) -> Document:
    return Document(
        source=row["source"], id=row["id"], text=row.get("text"), html=row.get("html"), date=row.get("date")
    )


def _digest_rows(rows: Sequence[object]) -> str:
    lines = "".join(json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n" for row in rows)
    return hashlib.sha256(lines.encode()).hexdigest()


@cache
def digest_files(*paths: Path) -> str:
    """One digest of several files, their names included."""
    whole = hashlib.sha256()
    for path in paths:
        whole.update(f"{path.name}\n{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()
