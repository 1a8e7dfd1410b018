#!/usr/bin/env python3
"""Train a page model without a human label, and tell how far it gets beside one that was trained on gold.

    train_unlabelled.py --sites dragnet.jsonl.gz --test crawl_to_the_future.jsonl.gz

In: pages of sites with a history, whose gold is not looked at, and pages with gold to score on.  Labels come from what
the pages of a site share, as in Chakrabarti, Kumar and Punera (WWW 2007): a block whose text is under the same path
on two pages is template; prose that is on one page only is content unless most of what its path holds is template;
what is neither has no label.  The same trees are trained on these labels and, for comparison, on the gold of the same
pages.  Out: F1 of both, in per cent.  Needs lightgbm and rapidfuzz (`pip install --group training`).
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

HERE = str(Path(__file__).resolve().parent)
if HERE not in sys.path:
    sys.path.insert(0, HERE)

from labels import WORD, LabelledPage, label_page, read_pages, weigh_blocks  # noqa: E402
from rapidfuzz.distance import LCSseq  # noqa: E402
from train import OPTIONS  # noqa: E402

from templatemine.config import PageConfig  # noqa: E402
from templatemine.pages import _html  # noqa: E402
from templatemine.pages.decode import decode, is_kept  # noqa: E402

FULL, NEAR = _html.KEYS.index("full"), _html.KEYS.index("near")
WORDS, LINKED, SENTENCES = (_html.COUNTS.index(name) for name in ("words", "linked", "sentences"))

MIN_PAGES = 8
"""Pages of a site that has something to say."""
PROSE_WORDS, PROSE_LINKED = 10, 1 / 3
"""A block of at least so many words, with a sentence and at most this share of links, is prose."""
TREES = 200


def group_by_site(pages: Iterable[LabelledPage]) -> dict[str, list[LabelledPage]]:
    """Pages of each site that has enough of them."""
    sites: dict[str, list[LabelledPage]] = defaultdict(list)
    for one in pages:
        sites[one.site].append(one)
    return {site: own for site, own in sites.items() if len(own) >= MIN_PAGES}


def label_by_repetition(site: Sequence[LabelledPage]) -> list[NDArray[np.float32]]:
    """Labels of the blocks of each page of a site: 1 content, 0 template, nan unknown."""
    keys = [
        list(zip(one.columns["keys"][:, NEAR].tolist(), one.columns["hashes"].tolist(), strict=True)) for one in site
    ]
    df = Counter(key for page_keys in keys for key in set(page_keys))
    words: Counter[int] = Counter()
    repeated: Counter[int] = Counter()
    for one, page_keys in zip(site, keys, strict=True):
        for key, size in zip(page_keys, one.words.tolist(), strict=True):
            words[key[0]] += size
            repeated[key[0]] += size * (df[key] > 1)
    labels = []
    for one, page_keys in zip(site, keys, strict=True):
        counts = one.columns["counts"]
        prose = counts[:, WORDS] >= PROSE_WORDS
        prose &= (counts[:, SENTENCES] > 0) & (counts[:, LINKED] <= PROSE_LINKED * counts[:, WORDS])
        shared = np.array([df[key] > 1 for key in page_keys])
        boilerplate = np.array([2 * repeated[path] > words[path] for path, _ in page_keys])
        labels.append(np.where(shared, 0, np.where(prose, ~boilerplate, np.nan)).astype(np.float32))
    return labels


def train(pages: Sequence[LabelledPage], labels: Sequence[NDArray[np.float32]]) -> Any:
    """Trees of the blocks that have a label."""
    import lightgbm

    target = np.concatenate(labels)
    known = ~np.isnan(target)
    matrix = np.concatenate([one.features for one in pages])
    weight = np.concatenate([weigh_blocks(one) for one in pages])
    data = lightgbm.Dataset(matrix[known], target[known], weight=weight[known])
    return lightgbm.train({**OPTIONS, "seed": 1}, data, TREES)


def score_pages(booster: Any, pages: Sequence[LabelledPage]) -> float:
    """Mean F1 of words over pages."""
    scores = []
    for one in pages:
        odds = booster.predict(one.features, raw_score=True, num_threads=1)
        columns = one.columns
        code = decode(
            np.asarray(odds, np.float64),
            np.ascontiguousarray(columns["counts"][:, WORDS]),
            np.ascontiguousarray(columns["keys"][:, FULL]),
            columns["hashes"],
            PageConfig(),
        )
        kept_words = [
            word for block in np.flatnonzero(is_kept(code)).tolist() for word in WORD.findall(one.texts[block])
        ]
        scores.append(2 * LCSseq.similarity(kept_words, one.gold) / max(1, len(kept_words) + len(one.gold)))
    return float(np.mean(scores))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sites", nargs="+", required=True, metavar="SET", help="pages to learn from")
    parser.add_argument("--test", nargs="+", required=True, metavar="SET", help="pages to score on; no site of --sites")
    args = parser.parse_args()
    sites = group_by_site(
        one for path in args.sites for row in read_pages(path) if (one := label_page(row)) is not None
    )
    pages = [one for own in sites.values() for one in own]
    repetition_labels = [labels for own in sites.values() for labels in label_by_repetition(own)]
    all_labels = np.concatenate(repetition_labels)
    print(f"{len(sites)} sites, {len(pages)} pages; {np.isfinite(all_labels).mean():.0%} of blocks have a label")
    models = {"evidence": train(pages, repetition_labels), "gold": train(pages, [one.labels for one in pages])}
    for path in args.test:
        test = [
            one for row in read_pages(path) if row.get("source") not in sites and (one := label_page(row)) is not None
        ]
        scores = ", ".join(f"{name} {100 * score_pages(booster, test):.1f}" for name, booster in models.items())
        print(f"{Path(path).name}: {len(test)} pages: {scores}")


if __name__ == "__main__":
    main()
