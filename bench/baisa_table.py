#!/usr/bin/env python3
"""Table 3.1 of Baisa (Web Content Cleaning, 2009) with our systems: CleanEval's 58 development pages, its mark-up.

    python bench/baisa_table.py cleaneval_dev.jsonl.gz

In: pages, JSON lines {html, gold}, the gold in CleanEval's mark-up.  Out: rows of the table, in per cent: precision of
words, recall of words and mark-up together, and F1 of the latter, means over pages; see `metrics.CleanEvalScore`.  Needs
rapidfuzz.  Some seconds.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from statistics import fmean

from templatemine.config import ExtractConfig
from templatemine.evaluation.metrics import cleaneval_score
from templatemine.pages.extract import Extractor

ROWS = (
    ("bte", ExtractConfig()),
    ("density", ExtractConfig()),
    ("density", ExtractConfig(sparse=10)),
    ("shallow", ExtractConfig()),
    ("hybrid", ExtractConfig()),
)
URL = re.compile(r"^\s*URL:.*$", re.MULTILINE)


def main() -> None:
    """The program."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with gzip.open(sys.argv[1], "rt", encoding="utf-8") as lines:
        pages = [json.loads(line) for line in lines]
    for system, config in ROWS:
        extractor = Extractor(system, config=config)
        found = [cleaneval_score(extractor.extract(row["html"]).marked, URL.sub("", row["gold"])) for row in pages]
        columns = zip(*((one.text.precision, one.marked.recall, one.marked.f1) for one in found), strict=True)
        name = system + (f", sparse {config.sparse:g}" if config.sparse is not None else "")
        print(f"{name:20}", *(f"{100 * fmean(column):6.2f}" for column in columns))


if __name__ == "__main__":
    main()
