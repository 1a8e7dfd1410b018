#!/usr/bin/env python3
"""Train the model of kinds of pages and write it as arrays.

    train_kinds.py pages/wcxb.jsonl.gz pages/wcxb_kinds.jsonl.gz pages/scrapinghub.jsonl.gz \
        -o src/templatemine/pages/page_kind.npz
    train_kinds.py pages/wcxb.jsonl.gz pages/wcxb_kinds.jsonl.gz pages/scrapinghub.jsonl.gz --held-out

In: sets of pages, JSON lines {id, source, url, html, gold, type?}; without a type a page is an article.  Out: the
logistic regression that tells the kind, and the forest that scores the blocks of pages that are no articles, see
`templatemine.pages.page_kind`; beside them a JSON file that says what they were trained on.  `--held-out` writes none,
but trains five times on four fifths of the sites, and prints F1 of the other fifth by kind, by the page model alone
and with the kind.  Needs lightgbm, rapidfuzz and scikit-learn (`pip install --group training`); half a minute of one
core, two held out.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).resolve().parent
for folder in (str(HERE), str(HERE.parent)):
    if folder not in sys.path:
        sys.path.insert(0, folder)

from labels import WORD, label_page, read_pages, split_gold, weigh_blocks  # noqa: E402
from rapidfuzz.distance import LCSseq  # noqa: E402
from train import LICENCES, OPTIONS  # noqa: E402

from templatemine.config import PageConfig  # noqa: E402
from templatemine.io.sources import domain_of  # noqa: E402
from templatemine.pages import _blocks, _scores  # noqa: E402
from templatemine.pages.blocks import Page, load_forests  # noqa: E402
from templatemine.pages.extract import Extraction  # noqa: E402
from templatemine.pages.hybrid import make_classifier  # noqa: E402
from templatemine.pages.page_kind import (  # noqa: E402
    ARTICLE_CHANCE,
    KINDS,
    MAX_DEVIATION,
    SURE_SHARE,
    VALUES,
    KindModel,
    describe_page,
    kind_rows,
)
from trees import TreeTable, extract_trees  # noqa: E402

FOLDS = 5
STRENGTH = 0.03
"""Inverse of the regularisation of the regression: a third or three times as much change its loss by a fifth."""
ARTICLE_ODDS = 10.0
"""How many times as many of its pages are articles where the software is used as in the sets: the intercept says so."""

ADDRESS, DECLARED = ("address_", "host_", "path_"), ("type_", "declared_")
MODERN = tuple(f"tag_{name}" for name in ("article", "button", "figcaption", "figure", "nav", "svg", "time", "video"))
MASKS: Sequence[tuple[str, ...]] = ((), (*ADDRESS, *DECLARED), (*ADDRESS, *DECLARED, *MODERN))
"""Values that copies of the training pages lack, as older pages do: without these, one in four of such articles
(waddle) is taken for a list, with them one in six."""
TREES, RATE = 150, 0.08
TRAINED_CHANCE = 0.9
"""Probability of an article below which the forest learns from a page: more than those that it will score."""


@dataclass(slots=True)
class KindPage:
    """A page with its kind, its values with and without its address, and its blocks as the page model sees them."""

    set_name: str
    site: str
    kind: int
    values: tuple[NDArray[np.float64], NDArray[np.float64]]
    page: Page
    features: NDArray[np.float32]
    context: NDArray[np.float32]
    scores: tuple[NDArray[np.float64], ...]
    labels: NDArray[np.float32]
    weights: NDArray[np.float64]
    gold: list[str]

    def rows(self, chances: NDArray[np.float64]) -> NDArray[np.float32]:
        """What the forest sees, given the chances of kinds."""
        return kind_rows(self.features, self.context, self.scores, chances)


def read_kind_pages(paths: Sequence[str]) -> Iterator[KindPage]:
    """The pages of the sets that have blocks."""
    first, second = load_forests()
    for path in paths:
        for row in read_pages(path):
            labelled = label_page(row)
            if labelled is None:
                continue
            page = Page(row["html"], row.get("url"), kind="article")
            alone = first.scores(labelled.features).astype(np.float64)
            context = _blocks.compute_context(labelled.columns, alone)
            contextual = second.scores(context).astype(np.float64)
            values = tuple(describe_page(one, page.scores) for one in (page, Page(row["html"], kind="article")))
            yield KindPage(
                set_name=os.path.basename(path).split(".")[0],
                site=domain_of(row.get("url") or "") or labelled.site,
                kind=KINDS.index(row.get("type") or KINDS[0]),
                values=(values[0], values[1]),
                page=page,
                features=labelled.features,
                context=context,
                scores=(alone, contextual, page.scores),
                labels=labelled.labels,
                weights=weigh_blocks(labelled),
                gold=split_gold(row["gold"]),
            )


def assign_folds(pages: Sequence[KindPage], seed: int) -> NDArray[np.int64]:
    """A fold for each page, the same for all of a site."""
    sites = sorted({page.site for page in pages})
    random.Random(seed).shuffle(sites)
    place = {site: index % FOLDS for index, site in enumerate(sites)}
    return np.array([place[page.site] for page in pages])


def train_regression(pages: Sequence[KindPage]) -> dict[str, NDArray[np.float64]]:
    """The columns of `KindModel` but for the forest; each page counts with its address, without it, and masked."""
    from sklearn.linear_model import LogisticRegression

    given, alone = (np.array([page.values[index] for page in pages]) for index in (0, 1))
    matrix = np.concatenate([given, *(mask_values(alone, names) for names in MASKS)])
    copies = 1 + len(MASKS)
    kinds = np.tile([page.kind for page in pages], copies)
    mean, scale = matrix.mean(0), np.maximum(matrix.std(0), 1e-3)
    standard = np.clip((matrix - mean) / scale, -MAX_DEVIATION, MAX_DEVIATION)
    model = LogisticRegression(C=STRENGTH / copies, max_iter=500).fit(standard, kinds)
    intercept = model.intercept_ + np.log(ARTICLE_ODDS) * (np.arange(len(KINDS)) == 0)
    return {"mean": mean, "scale": scale, "weights": model.coef_, "intercept": intercept}


def mask_values(matrix: NDArray[np.float64], prefixes: tuple[str, ...]) -> NDArray[np.float64]:
    """Values of pages, as if they had none of these names; a page without types declares none."""
    masked = matrix.copy()
    masked[:, [name.startswith(prefixes) for name in VALUES] if prefixes else []] = 0
    if set(DECLARED) <= set(prefixes):
        masked[:, VALUES.index("declared_none")] = 1
    return masked


def predict(columns: dict[str, NDArray[np.float64]], page: KindPage) -> NDArray[np.float64]:
    """The chances of the kinds of a page."""
    return KindModel(**columns, forest=load_forests()[0]).chances(page.values[0])


def hold_out(pages: Sequence[KindPage], seed: int) -> list[NDArray[np.float64]]:
    """The chances of kinds for each page, by a regression that has not seen its site."""
    folds = assign_folds(pages, seed)
    chances: list[NDArray[np.float64]] = [np.empty(0)] * len(pages)
    for fold in range(FOLDS):
        columns = train_regression([page for page, own in zip(pages, folds, strict=True) if own != fold])
        for index in np.flatnonzero(folds == fold).tolist():
            chances[index] = predict(columns, pages[index])
    return chances


def train_forest(pages: Sequence[KindPage], chances: Sequence[NDArray[np.float64]], seed: int) -> TreeTable:
    """The forest, from the pages that may be no articles, each counting as surely as it is none."""
    import lightgbm

    own = [(page, one) for page, one in zip(pages, chances, strict=True) if one[0] < TRAINED_CHANCE]
    matrix = np.concatenate([page.rows(one) for page, one in own])
    labels = np.concatenate([page.labels for page, _ in own])
    weights = np.concatenate([page.weights * (1 - one[0]) for page, one in own])
    options = {**OPTIONS, "learning_rate": RATE, "seed": seed}
    data = lightgbm.Dataset(matrix, labels, weight=weights, params={"max_bin": OPTIONS["max_bin"]})
    return extract_trees(lightgbm.train(options, data, TREES))


def score_page(one: KindPage, scores: NDArray[np.float64], chances: NDArray[np.float64]) -> float:
    """F1 of the words of a page's main text, given the scores of its blocks and the chances of its kind."""
    page = one.page
    page.__dict__.update(_judgement=(scores, page.headline, scores), scores=scores, kind_chances=chances)
    text = Extraction(page, make_classifier(None, PageConfig())(page), "hybrid").text
    words = WORD.findall(text)
    match = LCSseq.similarity(words, one.gold)
    return float(2 * match / max(len(words) + len(one.gold), 1))


def judge(pages: Sequence[KindPage], seed: int) -> None:
    """Print F1 by set and kind, each page by models that have not seen its site."""
    folds, chances = assign_folds(pages, seed), hold_out(pages, seed)
    article = np.eye(len(KINDS))[0]
    table: dict[tuple[str, str], list[tuple[float, float, float]]] = defaultdict(list)
    for fold in range(FOLDS):
        seen = np.flatnonzero(folds != fold).tolist()
        forest = _scores.Forest(
            *train_forest([pages[index] for index in seen], [chances[index] for index in seen], seed).values()
        )
        for index in np.flatnonzero(folds == fold).tolist():
            one, own = pages[index], chances[index]
            alone, scores = one.scores[-1], one.scores[-1]
            if own[0] < ARTICLE_CHANCE and _scores.measure_doubt(alone, one.page.words) >= SURE_SHARE:
                scores = own[0] * alone + (1 - own[0]) * forest.scores(one.rows(own))
            before, after = score_page(one, alone, article), score_page(one, scores, own)
            right = float(own.argmax() == one.kind)
            for name in (KINDS[one.kind], *(["no article"] if one.kind else []), "all"):
                table[one.set_name, name].append((before, after, right))
    for (name, kind), rows in sorted(table.items()):
        before, after, right = 100 * np.array(rows).T
        gain = after - before
        print(
            f"{name:12} {kind:14} {len(rows):4} pages  kind right {right.mean():5.1f} %  F1 {before.mean():5.1f}"
            f" -> {after.mean():5.1f}  {gain.mean():+5.2f} +- {1.96 * gain.std() / len(rows) ** 0.5:.2f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", metavar="SET", nargs="+")
    parser.add_argument("--seed", type=int, default=1)
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("-o", "--output")
    group.add_argument("--held-out", action="store_true")
    args = parser.parse_args()
    pages = list(read_kind_pages(args.sets))
    if args.held_out:
        judge(pages, args.seed)
        return
    columns: dict[str, Any] = {name: values.astype(np.float32) for name, values in train_regression(pages).items()}
    trees = train_forest(pages, hold_out(pages, args.seed), args.seed)
    columns.update({f"forest_{name}": values for name, values in trees.items()})
    np.savez_compressed(args.output, **columns)
    import lightgbm

    names = list(map(os.path.basename, args.sets))
    card = {
        "sets": {
            name: hashlib.sha256(Path(path).read_bytes()).hexdigest()
            for name, path in zip(names, args.sets, strict=True)
        },
        "licences": {name: LICENCES.get(name.split(".")[0], "unknown: not to be shipped") for name in names},
        "command": f"train_kinds.py {' '.join(names)} --seed {args.seed}",
        "lightgbm": lightgbm.__version__,
        "pages": {kind: sum(page.kind == index for page in pages) for index, kind in enumerate(KINDS)},
        "kinds": KINDS,
        "values": VALUES,
        "trees": len(trees["sizes"]),
        "options": {**OPTIONS, "learning_rate": RATE},
    }
    Path(args.output).with_suffix(".json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
