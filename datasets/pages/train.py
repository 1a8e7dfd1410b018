#!/usr/bin/env python3
"""Train the page model and write it as a table of trees.

    train.py pages/scrapinghub.jsonl.gz pages/wcxb.jsonl.gz -o src/templatemine/pages/model.npz

In: sets of pages, JSON lines {id, source, html, gold, type?}.  Out: the trees of both models as arrays (see
`templatemine.pages._scores.Forest`), and beside them a JSON file that says what they were trained on and
by which command.  Needs lightgbm and rapidfuzz (`pip install --group training`).  The same sets, seed and version of
lightgbm give the same table.  Eight minutes of one core for ten thousand pages, made anew ones included.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).resolve().parent
for folder in (str(HERE), str(HERE.parent)):
    if folder not in sys.path:
        sys.path.insert(0, folder)

from comments import THREADS  # noqa: E402
from labels import LabelledPage, add_comments, label_head, label_page, read_pages, weigh_blocks  # noqa: E402
from listings import make_listing  # noqa: E402
from variants import add_insets, add_lists, add_teasers, collect_headlines, shorten_story  # noqa: E402

from templatemine.pages import _blocks, _scores  # noqa: E402
from trees import TreeTable, average_trees, extract_trees  # noqa: E402

OPTIONS: dict[str, Any] = {
    "objective": "binary",
    "num_leaves": 15,
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
SECOND_OPTIONS: dict[str, Any] = {"feature_fraction": 0.5}
FOLDS = 3
"""Of the models whose scores the second one learns from: each page is scored by one that has not seen its site."""


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a model is trained.

    Attributes
    ----------
    kinds : mapping
        What a page counts: as it is, if it is an article or is not, and by each way of making it anew.
    features : int
        So many of the features are looked at.
    trees, rate : (int, float)
        Trees of the first look, and by how much each one is followed.
    held_trees, held_rate : (int, float)
        Of the models for the folds.
    second_trees : int
    thin : int
        Of blocks that are no main text and have fewer than `LONG_WORDS` words, nine tenths of all, one in so many
        is learnt from, and counts for as many: it changes no figure by more than chance, and takes half the time.
    seeds : int
        Trainings, each by other dice.
    weight : float
        Of each of them in the mean.
    """

    kinds: Mapping[str, float]
    features: int
    trees: int
    rate: float
    held_trees: int
    held_rate: float
    second_trees: int
    thin: int
    seeds: int
    weight: float


RECIPES = {
    "many": Recipe(
        kinds={
            "article": 1.0,
            "other": 1.0,
            "comments": 0.8,
            "teasers": 0.7,
            "listing": 0.6,
            "insets": 0.4,
            "lists": 0.5,
            "shortened": 0.4,
            "shortened, comments": 0.4,
            "shortened, teasers": 0.4,
        },
        features=len(_blocks.FEATURES),
        trees=200,
        rate=0.1,
        held_trees=70,
        held_rate=0.16,
        second_trees=100,
        thin=3,
        seeds=2,
        weight=1.0,
    ),
    "few": Recipe(
        kinds={"article": 1.0, "other": 1.0, "few comments": 0.8, "few teasers": 0.7, "few shortened": 0.25},
        features=_blocks.FEATURES.index(_blocks.SECTIONS[0]),
        trees=300,
        rate=0.08,
        held_trees=150,
        held_rate=0.12,
        second_trees=150,
        thin=1,
        seeds=1,
        weight=2.0,
    ),
}
"""Models of the first recipe are precise, those of the second find more; the mean of their scores is better than
either.  The weights are as they are because more of the first loses on sites with a history what it gains on pages
alone (docs/research/pages.md).  The second one does not look at the sections; its invented comments all stand in an
element of their own, for nothing else would tell them."""

LONG_WORDS = 8

LICENCES = {"scrapinghub": "MIT", "wcxb": "CC-BY-4.0", "wcxb_kinds": "CC-BY-4.0"}
"""Of the sets whose licence allows weights trained on them to be shipped; written beside the trees."""

TrainingPage = tuple[LabelledPage, str]


def make_pages(paths: Sequence[str], seed: int) -> Iterator[TrainingPage]:
    """The pages of the sets with their kind; articles also made anew."""
    draw, draw_few = random.Random(seed), random.Random(seed)
    contained_threads = [kind for kind in THREADS if not kind.flat]
    labelled_rows = [(row, label_page(row)) for path in paths for row in read_pages(path)]
    articles = [(row, one) for row, one in labelled_rows if one and row.get("type") in (None, "article")]
    paragraphs = [line for row, _ in articles for line in row["gold"].split("\n") if 8 <= len(line.split()) <= 200]
    titles = collect_headlines([one for _, one in articles])
    for row, plain in labelled_rows:
        if plain is None:
            continue
        if row.get("type") not in (None, "article"):
            yield plain, "other"
            continue
        variants = {
            "article": plain,
            "comments": add_comments(row, paragraphs, draw),
            "teasers": add_teasers(plain, row, paragraphs, titles, draw),
            "listing": make_listing(plain, row, paragraphs, titles, draw),
            "insets": add_insets(plain, row, paragraphs, titles, draw),
            "lists": add_lists(plain, row, draw),
        }
        for what in ("", ", comments", ", teasers"):
            short = shorten_story(plain, row, draw)
            one = label_page(short) if short else None
            if short and one and what == ", comments":
                one = add_comments(short, paragraphs, draw)
            elif short and one and what == ", teasers":
                one = add_teasers(one, short, paragraphs, titles, draw)
            variants[f"shortened{what}"] = one
        variants["few comments"] = add_comments(row, paragraphs, draw_few, contained_threads)
        variants["few teasers"] = add_teasers(plain, row, paragraphs, titles, draw_few)
        short = shorten_story(plain, row, draw_few)
        variants["few shortened"] = label_page(short) if short else None
        for kind, one in variants.items():
            if one is not None:
                if kind != "listing":
                    label_head(one)
                yield one, kind


def train(labelled: Sequence[TrainingPage], recipe: Recipe, seed: int) -> tuple[TreeTable, TreeTable]:
    """Two tables of trees: of the features of blocks, and of what the scores of the first say of their surroundings.

    The second learns from scores of models that have not seen the site, as scores of unseen pages will be.
    """
    import lightgbm

    options = {**OPTIONS, "learning_rate": recipe.rate, "seed": seed}
    own = [(one, recipe.kinds[kind]) for one, kind in labelled if kind in recipe.kinds]
    selected = _select_blocks([one for one, _ in own], recipe.thin, seed)
    matrix = np.concatenate(
        [one.features[rows, : recipe.features] for (one, _), rows in zip(own, selected, strict=True)]
    )
    labels = np.concatenate([one.labels[rows] for (one, _), rows in zip(own, selected, strict=True)])
    weight = np.concatenate(
        [
            (weigh_blocks(one) * counts * np.where(_is_long(one), 1, recipe.thin))[rows]
            for (one, counts), rows in zip(own, selected, strict=True)
        ]
    )
    data = lightgbm.Dataset(matrix, labels, weight=weight, params={"max_bin": OPTIONS["max_bin"]}, free_raw_data=False)
    first = extract_trees(lightgbm.train(options, data, recipe.trees))
    folds = _assign_folds([one.site for one, _ in own], seed)
    fold = np.repeat(folds, [int(rows.sum()) for rows in selected])
    pieces: list[NDArray[Any]] = [np.empty(0)] * len(own)
    for number in range(FOLDS):
        seen = data.subset(np.flatnonzero(fold != number))
        booster = lightgbm.train({**options, "learning_rate": recipe.held_rate}, seen, recipe.held_trees)
        held_out = _scores.Forest(*extract_trees(booster).values())
        for place in np.flatnonzero(np.array(folds) == number).tolist():
            one = own[place][0]
            scores = held_out.scores(one.features).astype(np.float64)
            pieces[place] = _blocks.compute_context(one.columns, scores)[selected[place]]
    around = lightgbm.Dataset(np.concatenate(pieces), labels, weight=weight)
    return first, extract_trees(lightgbm.train({**options, **SECOND_OPTIONS}, around, recipe.second_trees))


def _is_long(one: LabelledPage) -> NDArray[np.bool_]:
    """Blocks of main text, and all that have some words."""
    return (one.labels > 0) | (one.words >= LONG_WORDS)


def _select_blocks(labelled: Sequence[LabelledPage], thin: int, seed: int) -> list[NDArray[np.bool_]]:
    """Blocks of each page that are learnt from, see `Recipe.thin`."""
    draw = np.random.default_rng(seed)
    return [_is_long(one) | (draw.random(len(one.labels)) < 1 / thin) for one in labelled]


def _assign_folds(sites: Sequence[str], seed: int) -> list[int]:
    """A fold for each page, the same for all of a site."""
    names = sorted(set(sites))
    random.Random(seed).shuffle(names)
    place = {name: number % FOLDS for number, name in enumerate(names)}
    return [place[site] for site in sites]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", metavar="SET", nargs="+")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", required=True)
    args = parser.parse_args()
    pairs, counts, draw_size = [], [], [0, 0]
    for seed in range(args.seed, args.seed + max(recipe.seeds for recipe in RECIPES.values())):
        pages = list(make_pages(args.sets, seed))
        draw_size = [len(pages), sum(len(one.labels) for one, _ in pages)] if seed == args.seed else draw_size
        for recipe in RECIPES.values():
            if seed < args.seed + recipe.seeds:
                pairs.append(train(pages, recipe, seed))
                counts.append(recipe.weight)
    columns = {}
    for which, tables in zip(("first", "second"), zip(*pairs, strict=True), strict=True):
        columns.update({f"{which}_{column}": values for column, values in average_trees(tables, counts).items()})
    np.savez_compressed(args.output, **columns)
    import lightgbm

    model_card = {
        "sets": {os.path.basename(path): hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in args.sets},
        "licences": {
            name: LICENCES.get(name.split(".")[0], "unknown: not to be shipped")
            for name in map(os.path.basename, args.sets)
        },
        "command": "train.py " + " ".join(os.path.basename(path) for path in args.sets) + f" --seed {args.seed}",
        "lightgbm": lightgbm.__version__,
        "pages and blocks of a draw": draw_size,
        "recipes": {name: asdict(recipe) for name, recipe in RECIPES.items()},
        "trees": [len(columns["first_sizes"]), len(columns["second_sizes"])],
        "features": list(_blocks.FEATURES),
        "context": list(_blocks.CONTEXT),
        "options": OPTIONS,
        "second": SECOND_OPTIONS,
    }
    Path(args.output).with_suffix(".json").write_text(json.dumps(model_card, indent=1) + "\n", encoding="utf-8")
    print(
        f"{draw_size[0]} pages and {draw_size[1]} blocks a draw, {model_card['trees']} trees",
        file=sys.stderr,
    )


if __name__ == "__main__":
    main()
