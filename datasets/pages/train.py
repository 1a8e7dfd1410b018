#!/usr/bin/env python3
"""Train the page model and write it as a table of trees.

    train.py pages/scrapinghub.jsonl.gz pages/wcxb.jsonl.gz -o src/templatemine/pages/model.npz

In: sets of pages, JSON lines {id, source, html, gold, type?}; of sets with types only articles are taken.  Out: the
trees as arrays (see `templatemine._pages.Forest`), and beside them a JSON file that says what they were trained on and
by which command.  Needs lightgbm and rapidfuzz (`pip install --group training`).  The same sets, seed and version of
lightgbm give the same table.  One core, a minute for a thousand pages.
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

from templatemine import _pages  # noqa: E402

OPTIONS: dict[str, Any] = {
    "objective": "binary",
    "num_leaves": 15,
    "learning_rate": 0.06,
    "min_data_in_leaf": 50,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 5,
    "max_bin": 63,
    "num_threads": 1,
    "deterministic": True,
    "verbose": -1,
}
TREES = 300


def pages(paths: Sequence[str], seed: int) -> Iterator[Labelled]:
    """All articles of the sets, each once as it stands and once with invented comments."""
    draw = random.Random(seed)
    articles = [row for path in paths for row in rows(path) if row.get("type") in (None, "article")]
    said = [line for row in articles for line in row["gold"].split("\n") if 8 <= len(line.split()) <= 200]
    for row in articles:
        for one in (label(row), with_comments(row, said, draw)):
            if one is not None:
                with_head(one)
                yield one


def train(labelled: Sequence[Labelled], seed: int) -> Any:
    """A lightgbm booster."""
    import lightgbm

    matrix = np.concatenate([one.features for one in labelled])
    labels = np.concatenate([one.labels for one in labelled])
    weight = np.concatenate([weights(one) for one in labelled])
    return lightgbm.train({**OPTIONS, "seed": seed}, lightgbm.Dataset(matrix, labels, weight=weight), TREES)


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
    booster = train(labelled, args.seed)
    columns = table(booster)
    forest = _pages.Forest(*columns.values())
    sample = labelled[0].features
    assert np.allclose(forest.scores(sample), booster.predict(sample, raw_score=True), atol=1e-4)
    np.savez_compressed(args.output, **columns)
    import lightgbm

    told = {
        "sets": {os.path.basename(path): hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in args.sets},
        "command": "train.py " + " ".join(os.path.basename(path) for path in args.sets) + f" --seed {args.seed}",
        "lightgbm": lightgbm.__version__,
        "pages": len(labelled),
        "blocks": sum(len(one.labels) for one in labelled),
        "trees": len(columns["sizes"]),
        "features": list(_pages.FEATURES),
        "options": OPTIONS,
    }
    Path(args.output).with_suffix(".json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    print(f"{told['pages']} pages, {told['blocks']} blocks, {told['trees']} trees", file=sys.stderr)


if __name__ == "__main__":
    main()
