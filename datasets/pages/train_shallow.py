#!/usr/bin/env python3
"""Train the decision tree of the system `shallow`, and reproduce table 1 of San and Aye.

    train_shallow.py scrapinghub.jsonl.gz wcxb.jsonl.gz -o src/templatemine/pages/baselines/shallow.json
    train_shallow.py l3s_gn1.jsonl.gz l3s_gn1_blocks.jsonl.gz --table

In: pages, JSON lines {id, source, html, gold}; a set without golds is followed by the blocks of its pages as people
labelled them, {id, blocks: [[label, text], ...]}: 0 is boilerplate, all else content, as in the two-class figures of
the paper.  Out: the tree as a table of nodes, with what it was trained on and by which command; or the rows of the
table, by ten folds over sites.  Needs scikit-learn and rapidfuzz (`pip install --group training`).  A minute on a core.

Our blocks are not those of the gold: each of ours takes the label that most of its words have in the gold, by the
longest common subsequence of the two lists of words; words the gold lacks count as boilerplate.  Rows are weighted by
words, in training and in the figures, and the figures are means over the two classes, weighted by their words.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sklearn
from alignment import align_words, describe_provenance, read_records
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from templatemine.io.write import atomic_writer
from templatemine.pages.baselines.shallow import FEATURES, compute_features
from templatemine.pages.blocks import Page

FOLDS = 10
MIN_LEAF_BLOCKS = 100
"""Blocks of a leaf.  The paper has 1,000 instances, which brings F1 of the last row from 93.5 to 92.8 per cent."""


def _add_neighbours(*names: str) -> tuple[str, ...]:
    """Features of a block and of both its neighbours."""
    return tuple(f"{name}{side}" for name in names for side in ("", "_before", "_after"))


TABLE_ROWS: dict[str, tuple[str, ...]] = {
    "only average word length": ("word_length",),
    "only link density": ("link_density",),
    "1R: text density": ("text_density",),
    "C4.8 link density": _add_neighbours("link_density"),
    "C4.8 number of words": _add_neighbours("words"),
    "C4.8 number of words + link density": _add_neighbours("words", "link_density"),
    "C4.8 text density + link density": _add_neighbours("text_density", "link_density"),
    "C4.8 our proposed shallow text features": FEATURES,
}
"""Rows of table 1 below its baseline, and the features of each."""


@dataclass(frozen=True, slots=True)
class LabelledBlocks:
    """Blocks of all pages: features, content or not, words, and the number of the site."""

    rows: NDArray[np.float64]
    content: NDArray[np.bool_]
    words: NDArray[np.float64]
    site: NDArray[np.int64]


def label_texts(texts: Sequence[str], gold: Sequence[tuple[int, str]]) -> NDArray[np.bool_]:
    """Content or not, for each of our texts."""
    owners, pairs = align_words(texts, gold)
    content, word_counts = np.zeros(len(texts)), np.bincount(owners, minlength=len(texts))
    for at, kind in pairs:
        content[at] += kind != 0
    return content * 2 > word_counts


def load_blocks(sets: Sequence[str]) -> LabelledBlocks:
    """All pages that have labels."""
    rows = [row for path in sets for row in read_records(path)]
    blocks = {os.path.basename(row["id"]): row["blocks"] for row in rows if "blocks" in row}
    sites: dict[str, int] = {}
    found = []
    for row in rows:
        if "html" not in row:
            continue
        gold = blocks.get(os.path.basename(row["id"])) or ([(1, row["gold"])] if row.get("gold") else None)
        page = Page(row["html"])
        if gold is not None and len(page):
            site = np.full(len(page), sites.setdefault(row["source"], len(sites)))
            texts = [page.text(block) for block in range(len(page))]
            found.append((compute_features(page)[0], label_texts(texts, gold), page.words.astype(np.float64), site))
    return LabelledBlocks(*(np.concatenate(column) for column in zip(*found, strict=True)))


def grow_tree(data: LabelledBlocks, selected: NDArray[np.bool_], names: Sequence[str]) -> DecisionTreeClassifier:
    """A tree by information gain on some blocks and features."""
    columns = [FEATURES.index(name) for name in names]
    model = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=MIN_LEAF_BLOCKS, random_state=1)
    return model.fit(data.rows[selected][:, columns], data.content[selected], sample_weight=data.words[selected])


def compute_figures(
    content: NDArray[np.bool_], predicted: NDArray[np.bool_], words: NDArray[np.float64]
) -> tuple[float, ...]:
    """Precision, recall and F1, each the mean over the two classes weighted by their words."""
    sums = np.zeros(3)
    for kind in (True, False):
        of, hit = words[content == kind].sum(), words[(content == kind) & (predicted == kind)].sum()
        precision, recall = hit / max(1.0, words[predicted == kind].sum()), hit / max(1.0, of)
        sums += of * np.array([precision, recall, 2 * precision * recall / max(1e-12, precision + recall)])
    return tuple(sums / words.sum())


def cross_validate(data: LabelledBlocks, seed: int) -> Iterator[tuple[str, tuple[float, ...]]]:
    """The rows of table 1, each block judged by a tree that has seen no page of its site."""
    yield (
        "Zero R (baseline, predict content)",
        compute_figures(data.content, np.ones(len(data.content), np.bool_), data.words),
    )
    sites = int(data.site.max()) + 1
    fold = np.random.default_rng(seed).permutation(sites)[data.site] % FOLDS
    for name, names in TABLE_ROWS.items():
        predicted = np.zeros(len(data.content), np.bool_)
        columns = [FEATURES.index(one) for one in names]
        for number in range(FOLDS):
            model = grow_tree(data, fold != number, names)
            predicted[fold == number] = model.predict(data.rows[fold == number][:, columns])
        yield name, compute_figures(data.content, predicted, data.words)


def list_nodes(model: DecisionTreeClassifier) -> Iterator[dict[str, Any]]:
    """The nodes of a tree, the root first."""
    tree = model.tree_
    content = list(model.classes_).index(True)
    for node in range(tree.node_count):
        if tree.children_left[node] < 0:
            share = tree.value[node, 0] / tree.value[node, 0].sum()
            yield {"content": round(float(share[content]), 4)}
        else:
            yield {
                "feature": FEATURES[tree.feature[node]],
                "threshold": float(np.float32(tree.threshold[node])),
                "left": int(tree.children_left[node]),
                "right": int(tree.children_right[node]),
            }


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", metavar="SET", nargs="+")
    parser.add_argument("--output", "-o")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    data = load_blocks(args.sets)
    print(f"{len(data.rows):,} blocks of {data.site.max() + 1} sites, {data.words.sum():,.0f} words")
    if args.table:
        for name, row in cross_validate(data, args.seed):
            print(f"{name:44}", *(f"{100 * value:5.1f}" for value in row))
    if args.output:
        model = grow_tree(data, np.ones(len(data.rows), np.bool_), FEATURES)
        head = {
            **describe_provenance("train_shallow.py", args.sets),
            "scikit-learn": sklearn.__version__,
            "blocks": len(data.rows),
        }
        lines = ",\n  ".join(json.dumps(node) for node in list_nodes(model))
        text = json.dumps(head, indent=1)[:-2] + f',\n "nodes": [\n  {lines}\n ]\n}}\n'
        with atomic_writer(args.output, force=True) as out:
            out.write(text.encode())


if __name__ == "__main__":
    sys.exit(main())
