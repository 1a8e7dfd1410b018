#!/usr/bin/env python3
"""Clicks and keys that annotation takes on pages with gold text: from nothing, and from the proposals of the desk.

    desk_effort.py pages.jsonl.gz [--each 20]

A block is main text if half of its words are in the longest common subsequence with the gold (`datasets/pages/labels`).
From nothing each passage, a run of such blocks, takes two clicks, and the page one key.  From a proposal each run of
blocks that are wrong takes two clicks, and the page one key.  Nobody clicks here: it is the least that a careful person
needs, labels of kinds of text apart.  Packs are learnt on all pages of a site, without their gold.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from itertools import groupby
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "datasets" / "pages"))

from labels import label_page, read_pages  # noqa: E402

from templatemine.config import CleanConfig  # noqa: E402
from templatemine.desk.annotations import OTHER, find_units, label_units  # noqa: E402
from templatemine.desk.compare import propose_marks  # noqa: E402
from templatemine.kinds import CUT_ALL  # noqa: E402
from templatemine.model import Document  # noqa: E402
from templatemine.pipeline import mine  # noqa: E402


def measure_effort(found: list[dict[str, Any]], each: int) -> dict[str, float]:
    """Pages, passages, and clicks and keys from nothing and from proposals."""
    sums: dict[str, float] = defaultdict(float)
    by_source: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in found:
        by_source[row["source"]].append(row)
    documents = [Document(source=row["source"], id=str(row["id"]), html=row["html"]) for row in found]
    packs = mine(documents)
    for source, pages in sorted(by_source.items()):
        for row in pages[:: max(1, len(pages) // each)][:each]:
            labelled = label_page(row)
            document = Document(source=source, id=str(row["id"]), html=row["html"])
            parts = find_units(document)
            if labelled is None or len(labelled.labels) != len(parts):
                continue
            is_main = [bool(one) for one in labelled.labels.tolist()]
            proposed = [
                one != OTHER
                for one in label_units(propose_marks(document, packs.get(source), CleanConfig(choice=CUT_ALL)), parts)
            ]
            passages = sum(key for key, _ in groupby(is_main))
            wrong = [0 if a == b else 1 if a else 2 for a, b in zip(is_main, proposed, strict=True)]
            fixes = [key for key, _ in groupby(wrong) if key]
            sums["pages"] += 1
            sums["passages"] += passages
            sums["from nothing: clicks"] += 2 * passages
            sums["from nothing: keys"] += 1
            sums["from proposals: clicks"] += 2 * len(fixes)
            sums["from proposals: keys"] += 1
            sums["pages right as proposed"] += not fixes
    return sums


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages")
    parser.add_argument("--each", type=int, default=20, help="pages of each site that are scored")
    args = parser.parse_args()
    sums = measure_effort(list(read_pages(args.pages)), args.each)
    for name, value in sums.items():
        print(
            f"{name:28}{value:8.0f}{value / max(1, sums['passages']):8.2f} a passage{value / max(1, sums['pages']):8.2f} a page"
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
