"""Real pages, the history of a site learnt on four fifths of them and the others cleaned with it, five times over.

The floors are what was reached when they were set, less half a point; they may rise, not fall.  The page model was
trained on none of these sites.
"""

from __future__ import annotations

import gzip
import html
import json
import re
from pathlib import Path
from typing import Any

import pytest
from rapidfuzz.distance import LCSseq

import templatemine
from invented_pages import learn_history
from templatemine.config import PageConfig
from templatemine.packs.pack import Pack
from templatemine.pages.main_text import PageCleaner

PAGES = Path(__file__).resolve().parents[3] / "shared" / "data" / "html"
FOLDS = 5

pytestmark = [
    pytest.mark.skipif(not PAGES.is_dir(), reason="the pages with gold (../shared) are not here"),
    pytest.mark.slow,  # thousands of real pages
]

WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")


def words(gold: str) -> list[str]:
    gold = re.sub(r"^\s*URL:.*$", "", gold.split("!@#$%^&*()")[0], flags=re.M)
    return WORD.findall(html.unescape(re.sub(r"<[phl]>", " ", gold, flags=re.I)))


def f1(text: str, gold: str) -> float:
    got, want = WORD.findall(text), words(gold)
    match = LCSseq.similarity(got, want)
    return 2 * match / (len(got) + len(want)) if match else 0.0


def five_fold(name: str) -> tuple[float, float]:
    """Mean F1 over pages in percent, with the history of the site and without."""
    sites: dict[str, list[dict[str, Any]]] = {}
    with gzip.open(PAGES / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            sites.setdefault(row["source"], []).append(row)
    alone = PageCleaner()
    scores: list[tuple[float, float]] = []
    for rows in sites.values():
        for fold in range(FOLDS):
            history = learn_history(
                (row["html"] for place, row in enumerate(rows) if place % FOLDS != fold), PageConfig()
            )
            cleaner = PageCleaner(history)
            for row in rows[fold::FOLDS]:
                if row["gold"] is not None:
                    page, gold = row["html"], row["gold"]
                    scores.append((f1(cleaner.clean(page).text, gold), f1(alone.clean(page).text, gold)))
    return tuple(100 * sum(column) / len(scores) for column in zip(*scores, strict=True))  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("name", "with_history", "without"), [("crawl_to_the_future", 97.4, 96.8), ("dragnet", 95.0, 93.6)]
)
def test_main_text(name: str, with_history: float, without: float) -> None:
    got = five_fold(name)
    assert got[0] >= with_history
    assert got[1] >= without


def test_a_pack_mined_from_real_pages_loads_again() -> None:
    """No two templates of one id: labels and segments of the same tokens are one."""
    packs = templatemine.mine(PAGES / "crawl_to_the_future.jsonl.gz")
    assert sum(len(pack.templates) for pack in packs.values()) > 100
    for pack in packs.values():
        assert Pack.from_json(pack.to_json()).templates == pack.templates
