"""How much is cut of passages that several articles of a running story repeat."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT / "datasets" / "templates") not in sys.path:
    sys.path.insert(0, str(ROOT / "datasets" / "templates"))

from running_stories import repeat_passages  # noqa: E402

from templatemine.evaluation.protocol import System, group_by_source  # noqa: E402
from templatemine.mining.near_duplicates import is_blank  # noqa: E402
from templatemine.model import Document  # noqa: E402

__all__ = ["measure_running_stories"]

STORIES, MIN_DOCUMENTS, SEED = 12, 60, 7
"""Stories of a source, and documents that one must have."""


def measure_running_stories(documents: Sequence[Document], system: System) -> float:
    """Return the share of the characters of repeated passages that is cut, over all sources.

    Passages are taken of what the system leaves of articles of the archive as it is; then it learns from the archive in
    which they are repeated.
    """
    total = cut = 0
    for rows in group_by_source(documents).values():
        articles = [one for one in rows if not is_blank(one)]
        if len(articles) < MIN_DOCUMENTS:
            continue
        origins = [place * len(articles) // STORIES for place in range(STORIES)]
        before = system(articles, [articles[place] for place in origins])
        kept = {
            articles[place].id: [(span.start, span.end) for span in cleaned.removed]
            for place, cleaned in zip(origins, before, strict=True)
        }
        repeated, passages = repeat_passages(articles, origins, kept, SEED)
        followers = sorted({place for one in passages for place in one.followers})
        after = dict(zip(followers, system(repeated, [repeated[place] for place in followers]), strict=True))
        for passage in passages:
            for place in passage.followers:
                start = repeated[place].body.find(passage.text)
                if start < 0:  # another passage stands within it
                    continue
                end = start + len(passage.text)
                total += len(passage.text)
                cut += sum(max(0, min(end, one.end) - max(start, one.start)) for one in after[place].removed)
    return cut / total if total else 0.0
