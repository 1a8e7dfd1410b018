"""Trees of lightgbm as columns, as `templatemine.pages._scores.Forest` takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["TreeTable", "average_trees", "extract_trees"]

TreeTable = dict[str, np.ndarray[Any, Any]]


def extract_trees(booster: Any, classes: int = 1, place: int = 0) -> TreeTable:
    """The trees of a booster as columns; of one with several classes, those of one of them."""
    columns: dict[str, list[float]] = {name: [] for name in ("feature", "threshold", "left", "right", "leaf")}
    sizes: list[int] = []
    for tree in booster.dump_model()["tree_info"][place::classes]:
        nodes: list[dict[str, Any]] = []
        leaves: list[float] = []

        def number_nodes(
            node: dict[str, Any], nodes: list[dict[str, Any]] = nodes, leaves: list[float] = leaves
        ) -> int:
            if "leaf_value" in node:
                leaves.append(node["leaf_value"])
                return ~(len(leaves) - 1)
            nodes.append(node)
            place = len(nodes) - 1
            node["children"] = (number_nodes(node["left_child"]), number_nodes(node["right_child"]))
            return place

        if number_nodes(tree["tree_structure"]) != 0:
            continue  # a tree that is a leaf only
        sizes.append(len(nodes))
        columns["leaf"] += leaves
        for node in nodes:
            columns["feature"].append(node["split_feature"])
            columns["threshold"].append(_round_down(node["threshold"]))
            columns["left"].append(node["children"][0])
            columns["right"].append(node["children"][1])
    kinds = {"feature": np.int16, "threshold": np.float32, "left": np.int16, "right": np.int16, "leaf": np.float32}
    return {
        **{name: np.array(column, kinds[name]) for name, column in columns.items()},
        "sizes": np.array(sizes, np.int32),
    }


def average_trees(tables: Sequence[TreeTable], counts: Sequence[float]) -> TreeTable:
    """Trees whose sum is the mean of what several tables give, each counted so often."""
    joined = {name: np.concatenate([one[name] for one in tables]) for name in tables[0]}
    shares = np.repeat(np.array(counts) / sum(counts), [len(one["leaf"]) for one in tables])
    joined["leaf"] = (joined["leaf"] * shares).astype(np.float32)
    return joined


def _round_down(threshold: float) -> np.float32:
    """The greatest float32 not above a threshold: a feature is at most the one if and only if at most the other."""
    value = np.float32(threshold)
    return np.nextafter(value, np.float32(-np.inf)) if float(value) > threshold else value
