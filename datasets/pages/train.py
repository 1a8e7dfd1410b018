#!/usr/bin/env python3
"""Train the page model and write it as a table of trees.

    train.py pages/scrapinghub.jsonl.gz pages/wcxb.jsonl.gz -o src/templatemine/pages/model.npz

In: sets of pages, JSON lines {id, source, html, gold, type?}.  Out: the trees of both models as arrays (see
`templatemine._forest.Forest`), and beside them a JSON file that says what they were trained on and
by which command.  Needs lightgbm and rapidfuzz (`pip install --group training`).  The same sets, seed and version of
lightgbm give the same table.  One core, four minutes for two thousand pages, made anew ones included.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

HERE = str(Path(__file__).resolve().parent)
if HERE not in sys.path:
    sys.path.insert(0, HERE)

from labels import Labelled, label, rows, weights, with_comments, with_head  # noqa: E402
from variants import headlines, shortened, with_teasers  # noqa: E402

from templatemine import _forest, _pages  # noqa: E402

OPTIONS: dict[str, Any] = {
    "objective": "binary",
    "num_leaves": 15,
    "learning_rate": 0.08,
    "min_data_in_leaf": 50,
    "feature_fraction": 0.3,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 5,
    "max_bin": 63,
    "force_col_wise": True,
    "num_threads": 1,
    "deterministic": True,
    "verbose": -1,
}
TREES = 300

HELD_OUT: dict[str, Any] = {"learning_rate": 0.12}
HELD_OUT_TREES = 150
FOLDS = 3
"""Of the models whose scores the second one learns from: each page is scored by one that has not seen its site."""

SECOND: dict[str, Any] = {"feature_fraction": 0.5}
SECOND_TREES = 150

KINDS = {"article": 1.0, "other": 1.0, "comments": 0.8, "teasers": 0.7, "shortened": 0.25}
"""What a page counts: as it stands, if it is an article or is not, and each way of making it anew.  Shortened ones make
models more precise on articles and blind on pages that are none."""

Weighted = tuple[Labelled, float]


def pages(paths: Sequence[str], seed: int) -> Iterator[Weighted]:
    """The pages of the sets with what each counts; articles also made anew."""
    draw = random.Random(seed)
    found = [(row, label(row)) for path in paths for row in rows(path)]
    articles = [(row, one) for row, one in found if one and row.get("type") in (None, "article")]
    said = [line for row, _ in articles for line in row["gold"].split("\n") if 8 <= len(line.split()) <= 200]
    titles = headlines([one for _, one in articles])
    for row, plain in found:
        if plain is None:
            continue
        made: dict[str, Labelled | None] = {"other": plain}
        if row.get("type") in (None, "article"):
            made = {
                "article": plain,
                "comments": with_comments(row, said, draw),
                "teasers": with_teasers(plain, row, said, titles, draw),
                "shortened": shortened(plain, row, draw),
            }
        for kind, one in made.items():
            if one is not None:
                if kind != "other":
                    with_head(one)
                yield one, KINDS[kind]


def train(labelled: Sequence[Weighted], seed: int) -> tuple[Any, Any]:
    """Two lightgbm boosters: of the features of blocks, and of what the scores of the first say of their surroundings.

    The second learns from scores of models that have not seen the site, as scores of unseen pages will be.
    """
    import lightgbm

    sizes = [len(one.labels) for one, _ in labelled]
    matrix = np.concatenate([one.features for one, _ in labelled])
    labels = np.concatenate([one.labels for one, _ in labelled])
    weight = np.concatenate([weights(one) * counts for one, counts in labelled])
    data = lightgbm.Dataset(matrix, labels, weight=weight, params={"max_bin": OPTIONS["max_bin"]}, free_raw_data=False)
    options = {**OPTIONS, "seed": seed}
    first = lightgbm.train(options, data, TREES)
    fold = np.repeat(_folds([one.site for one, _ in labelled], seed), sizes)
    scores = np.zeros(len(labels))
    for number in range(FOLDS):
        seen = data.subset(np.flatnonzero(fold != number))
        held_out = lightgbm.train({**options, **HELD_OUT}, seen, HELD_OUT_TREES)
        scores[fold == number] = held_out.predict(matrix[fold == number], raw_score=True, num_threads=1)
    pieces = np.split(scores, np.cumsum(sizes)[:-1])
    context = np.concatenate([_pages.context(one.page, own) for (one, _), own in zip(labelled, pieces, strict=True)])
    second = lightgbm.train({**options, **SECOND}, lightgbm.Dataset(context, labels, weight=weight), SECOND_TREES)
    return first, second


def _folds(sites: Sequence[str], seed: int) -> list[int]:
    """A fold for each page, the same for all of a site."""
    names = sorted(set(sites))
    random.Random(seed).shuffle(names)
    place = {name: number % FOLDS for number, name in enumerate(names)}
    return [place[site] for site in sites]


def table(booster: Any) -> dict[str, np.ndarray[Any, Any]]:
    """The trees of a booster as columns."""
    columns: dict[str, list[float]] = {name: [] for name in ("feature", "threshold", "left", "right", "leaf")}
    sizes: list[int] = []
    for tree in booster.dump_model()["tree_info"]:
        nodes: list[dict[str, Any]] = []
        leaves: list[float] = []

        def number(node: dict[str, Any], nodes: list[dict[str, Any]] = nodes, leaves: list[float] = leaves) -> int:
            if "leaf_value" in node:
                leaves.append(node["leaf_value"])
                return ~(len(leaves) - 1)
            nodes.append(node)
            place = len(nodes) - 1
            node["children"] = (number(node["left_child"]), number(node["right_child"]))
            return place

        if number(tree["tree_structure"]) != 0:
            continue  # a tree that is a leaf only
        sizes.append(len(nodes))
        columns["leaf"] += leaves
        for node in nodes:
            columns["feature"].append(node["split_feature"])
            columns["threshold"].append(_below(node["threshold"]))
            columns["left"].append(node["children"][0])
            columns["right"].append(node["children"][1])
    kinds = {"feature": np.int16, "threshold": np.float32, "left": np.int16, "right": np.int16, "leaf": np.float32}
    return {
        **{name: np.array(column, kinds[name]) for name, column in columns.items()},
        "sizes": np.array(sizes, np.int32),
    }


def _below(threshold: float) -> np.float32:
    """The greatest float32 not above a threshold: a feature is at most the one if and only if at most the other."""
    value = np.float32(threshold)
    return np.nextafter(value, np.float32(-np.inf)) if float(value) > threshold else value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", metavar="SET", nargs="+")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", required=True)
    args = parser.parse_args()
    labelled = list(pages(args.sets, args.seed))
    first, second = train(labelled, args.seed)
    sample = labelled[0][0]
    columns = {}
    for name, booster, features in (
        ("first", first, sample.features),
        ("second", second, _pages.context(sample.page, np.zeros(len(sample.labels)))),
    ):
        trees = table(booster)
        scores = _forest.Forest(*trees.values()).scores(features)
        assert np.allclose(scores, booster.predict(features, raw_score=True, num_threads=1), atol=1e-4)
        columns.update({f"{name}_{column}": values for column, values in trees.items()})
    np.savez_compressed(args.output, **columns)
    import lightgbm

    told = {
        "sets": {os.path.basename(path): hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in args.sets},
        "command": "train.py " + " ".join(os.path.basename(path) for path in args.sets) + f" --seed {args.seed}",
        "lightgbm": lightgbm.__version__,
        "pages": len(labelled),
        "blocks": sum(len(one.labels) for one, _ in labelled),
        "kinds": KINDS,
        "trees": [len(columns["first_sizes"]), len(columns["second_sizes"])],
        "features": list(_pages.FEATURES),
        "context": list(_pages.CONTEXT),
        "options": OPTIONS,
        "second": SECOND,
    }
    Path(args.output).with_suffix(".json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    print(f"{told['pages']} pages, {told['blocks']} blocks, {told['trees']} trees", file=sys.stderr)


if __name__ == "__main__":
    main()
