#!/usr/bin/env python3
"""Each page-level system alone and with a pack of the site: F1 of words, precision and recall in brackets, in per cent.

    python bench/page_systems.py crawl_to_the_future.jsonl.gz dragnet.jsonl.gz

In: pages, JSON lines {source, html, gold}; of the gold CleanEval's marks and line of the address go, and comments behind
a line "!@#$%^&*()  COMMENTS".  What is known of a site is learnt from four fifths of its pages, and its other fifth
extracted with it, five times: the pack of `mine`, and for diff the page of middle size.  Sites of too few pages have no
pack.  Means over pages.  Needs rapidfuzz.  Half a minute a set.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections.abc import Iterator
from html import unescape
from statistics import fmean
from typing import Any

from templatemine import Document, mine
from templatemine.config import ExtractConfig
from templatemine.evaluation.metrics import score_words, split_words
from templatemine.packs.pack import Pack
from templatemine.pages.baselines.diff import order_by_middle
from templatemine.pages.extract import Extractor
from templatemine.pages.systems import SYSTEMS

FOLDS = 5
ROWS = (*((name, ExtractConfig()) for name in SYSTEMS), ("shallow", ExtractConfig(main_block=True)))
COMMENTS = "!@#$%^&*()"
MARKS = re.compile(r"<[phl]>|^\s*URL:.*$", re.IGNORECASE | re.MULTILINE)


def split_folds(path: str) -> Iterator[tuple[list[dict[str, Any]], Pack | None, tuple[str, ...]]]:
    """Pages, and the pack and the page of middle size of the others of their site."""
    sites: dict[str, list[dict[str, Any]]] = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            sites.setdefault(row.get("source") or row["id"], []).append(row)
    for source, rows in sorted(sites.items()):
        for fold in range(min(FOLDS, len(rows))):
            others = [row["html"] for place, row in enumerate(rows) if place % FOLDS != fold]
            documents = [Document(source=source, id=str(place), html=html) for place, html in enumerate(others)]
            packs = mine(documents) if documents else {}
            reference = tuple(others[place] for place in order_by_middle([len(html) for html in others])[:1])
            yield [row for row in rows[fold::FOLDS] if row["gold"] is not None], packs.get(source), reference


def main() -> None:
    """The program."""
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for path in sys.argv[1:]:
        scores: dict[tuple[str, bool, bool], list[tuple[float, float, float]]] = {}
        for rows, pack, reference in split_folds(path):
            golds = [unescape(MARKS.sub(" ", row["gold"].split(COMMENTS)[0])) for row in rows]
            for system, config in ROWS:
                for known in (False, True):
                    extractor = Extractor(system, pack=pack if known else None, references=reference, config=config)
                    for row, gold in zip(rows, golds, strict=True):
                        found = score_words(split_words(extractor.extract(row["html"]).text), split_words(gold))
                        key = system, config.main_block, known
                        scores.setdefault(key, []).append((found.f1, found.precision, found.recall))
        print(path)
        for (system, main_block, known), found in sorted(scores.items()):
            f1, precision, recall = (100 * fmean(column) for column in zip(*found, strict=True))
            name = system + (", main block" if main_block else "") + (", with a pack" if known else "")
            print(f"  {name:34} {f1:5.1f} ({precision:.0f} / {recall:.0f})")


if __name__ == "__main__":
    main()
