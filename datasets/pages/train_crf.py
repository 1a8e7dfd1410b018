#!/usr/bin/env python3
"""Train the model of the system `crf`, and measure it as tables 2 and 3 and figure 2 of Spousta et al. (2008) do.

    train_crf.py scrapinghub.jsonl.gz wcxb.jsonl.gz --parts -o src/templatemine/pages/baselines/crf
    train_crf.py l3s_gn1.jsonl.gz l3s_gn1_blocks.jsonl.gz cleaneval_dev.jsonl.gz --table [--language langid1] [--first]

In: sets of pages, JSON lines {id, source, html} with a gold: its text, where what the page has as a heading is a header
and the rest text; or in CleanEval's mark-up, where <h> is a header.  A set without golds is followed by the blocks of
its pages as people labelled them, {id, blocks: [[label, text], ...]}: 1 is a headline, 2 and 3 text, all else
(boilerplate, related, comments) other.  `--labelled` takes pages that were labelled by hand, as the desk exports them
to train on: {source, html, blocks: [[start, end, label], ...]}, in code points of the html; a list counts as text, and
what has no label as other.

Out: a table of weights (`.json`), with what they were trained on and by which command; or, by ten folds over sites,
accuracy over three and two labels, precision and recall of blocks (runs of text), and precision and recall by
threshold, which `--figure` draws as an SVG.  `--language` adds distances from the language of the page (langid2 needs
resiliparse).  Needs python-crfsuite and rapidfuzz.  A minute, and ten for a table, on one core.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import struct
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np
import pycrfsuite
from alignment import align_words, describe_provenance, read_records
from langid import LANGUAGE_FEATURES
from numpy.typing import NDArray

from templatemine.io.write import atomic_writer
from templatemine.pages.baselines.crf import (
    FEATURES,
    LABELS,
    NEIGHBOURS,
    OFFSETS,
    ChainWeights,
    FeatureValues,
    TextRuns,
    compute_features,
    find_runs,
    hash_weights,
)
from templatemine.pages.blocks import Page

FOLDS = 10
ROUNDS = 60
OPTIONS = {"c1": 0.1, "c2": 1.0, "max_iterations": ROUNDS, "feature.possible_transitions": True}
"""Both norms, the first of which keeps the model small; rounds are what ten folds can afford."""

BLOCK_LABELS = {1: "header", 2: "text", 3: "text"}
"""Labels of the blocks; all others are other."""

AROUND, LENGTH = 8, (4, 60)
"""Runs of a page around its main text, and of that, in a page that is cut out."""

THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(1, 20))
_HEADING = FEATURES.index("container.class-header")
_PIECE = re.compile(r"<(h|p|l)>", re.IGNORECASE)
_URL = re.compile(r"^\s*URL:.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class LabelledRuns:
    """A page: its site, features of its runs (`crf.compute_features`), the label of each as an index into `LABELS`."""

    site: str
    values: FeatureValues
    labels: NDArray[np.int64]


def align_labels(texts: Sequence[str], gold: Sequence[tuple[str, str]]) -> NDArray[np.int64]:
    """The label of each text: that of most of its words in the gold, by the longest common subsequence of both."""
    owners, pairs = align_words(texts, gold)
    votes = np.zeros((len(texts), len(LABELS)))
    votes[:, 2] = np.bincount(owners, minlength=len(texts))  # words that the gold lacks are other
    for at, label in pairs:
        votes[at, LABELS.index(label)] += 1
        votes[at, 2] -= 1
    # A run without a word, such as a full stop behind a link, goes with the run before.
    empty = votes.sum(axis=1) == 0
    found = np.where(empty, -1, np.argmax(votes, axis=1))
    for at in np.flatnonzero(empty):
        found[at] = found[at - 1] if at else 2
    return found


def parse_cleaneval(gold: str) -> list[tuple[str, str]]:
    """Label and text of the pieces of a gold in CleanEval's mark-up."""
    parts = _PIECE.split(_URL.sub("", gold))
    pieces = zip_longest(parts[1::2], parts[2::2], fillvalue="")
    return [("text", parts[0]), *(("header" if mark.lower() == "h" else "text", text) for mark, text in pieces)]


def label_by_offsets(page: Page, labels: Sequence[tuple[int, int, str]]) -> NDArray[np.int64]:
    """The label of each run of a page that an annotation tool labelled."""
    runs = find_runs(page)
    starts, ends = (page.code_points(runs.column(name)) for name in ("start", "end"))
    found = np.full(len(runs), 2)
    for at, (start, end) in enumerate(zip(starts, ends, strict=True)):
        share = np.zeros(len(LABELS))
        for left, right, label in labels:
            share[LABELS.index("text" if label == "list" else label)] += max(0, min(end, right) - max(start, left))
        share[2] += end - start - share.sum()
        found[at] = np.argmax(share)
    return found


def load_pages(args: argparse.Namespace) -> list[LabelledRuns]:
    """All pages that have labels."""
    sets = [list(read_records(path)) for path in args.sets]
    blocks = {os.path.basename(row["id"]): row["blocks"] for rows in sets for row in rows if "blocks" in row}
    pages, draw = [], random.Random(args.seed)
    for rows in sets:
        golds = [row["gold"] for row in rows if row.get("gold") is not None]
        in_marks = 2 * sum(_PIECE.search(gold) is not None for gold in golds) > len(golds)  # pages may tell of HTML
        for row in rows:
            labels = blocks.get(os.path.basename(row["id"]))
            if "html" in row and (labels is not None or row.get("gold") is not None):
                pages.append(_label_page(row, labels, in_marks, args.language))
            if args.parts and row.get("gold") is not None and (part := cut_part(row, draw)) is not None:
                pages.append(part)
    for path in args.labelled:
        for row in read_records(path):
            page = Page(row["html"])
            values = _compute_features(find_runs(page), args.language)
            pages.append(LabelledRuns(row["source"], values, label_by_offsets(page, row["blocks"])))
    return [page for page in pages if len(page.values)]


def _label_page(
    row: dict[str, Any], blocks: Sequence[tuple[int, str]] | None, in_marks: bool, language: Sequence[str]
) -> LabelledRuns:
    """By the blocks of a page, or else its gold."""
    runs = find_runs(Page(row["html"]))
    values = _compute_features(runs, language)
    if blocks is not None:
        pieces = [(BLOCK_LABELS.get(label, "other"), text) for label, text in blocks]
        return LabelledRuns(row["source"], values, align_labels(runs.texts, pieces))
    labels = align_labels(runs.texts, parse_cleaneval(row["gold"]))
    if in_marks:
        return LabelledRuns(row["id"], values, labels)  # pages of CleanEval are of as many sites
    return LabelledRuns(row["source"], values, _mark_headings(values, labels))


def _mark_headings(values: FeatureValues, labels: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.where((labels == 1) & (values[:, _HEADING] > 0), 0, labels)


def cut_part(row: dict[str, Any], draw: random.Random) -> LabelledRuns | None:
    """A page of parts of a page: the beginning of its main text, and a few runs before and behind all of it; None
    without main text.

    The pages of these sets are large, and half of what is on them is other; a model that saw no other pages would find
    nothing on a small one.
    """
    page = Page(row["html"])
    runs = find_runs(page)
    main = np.flatnonzero(align_labels(runs.texts, parse_cleaneval(row["gold"])) != 2)
    if not len(main):
        return None
    starts, ends = runs.column("start"), runs.column("end")
    first = max(0, int(main[0]) - draw.randrange(AROUND))
    kept = int(main[min(len(main) - 1, draw.randrange(*LENGTH))])
    behind, last = int(main[-1]) + 1, min(len(runs) - 1, int(main[-1]) + 1 + draw.randrange(AROUND))
    data = bytes(page.data[starts[first] : ends[kept]])
    if behind <= last:
        data += page.data[max(ends[kept], ends[behind - 1]) : ends[last]]
    part = data.decode("utf-8", "surrogatepass")
    found = find_runs(Page(part))
    values = compute_features(found)
    labels = align_labels(found.texts, parse_cleaneval(row["gold"]))
    return LabelledRuns(row["source"], values, _mark_headings(values, labels)) if len(values) else None


def _compute_features(runs: TextRuns, language: Sequence[str]) -> FeatureValues:
    texts = runs.texts if language else []
    return compute_features(runs, {name: LANGUAGE_FEATURES[name](texts) for name in language})


def crf_attributes(values: FeatureValues) -> list[list[str]]:
    """List the features of each run for the model: its own, and some of its neighbours', as name=value; none for a
    0."""
    rows = [dict(zip(FEATURES, row, strict=True)) for row in values.tolist()]
    attributes = [[f"{name}={value}" for name, value in row.items() if value] for row in rows]
    neighbour_attributes = [[f"{name}={row[name]}" for name in NEIGHBOURS if row[name]] for row in rows]
    for offset in OFFSETS:
        for index, row in enumerate(attributes):
            if 0 <= index + offset < len(rows):
                row += [f"{offset:+}:{attribute}" for attribute in neighbour_attributes[index + offset]]
            else:
                row.append(f"{offset:+}:edge")
    return attributes


def train(pages: Sequence[LabelledRuns]) -> dict[str, Any]:
    """The weights of a model of some pages."""
    trainer = pycrfsuite.Trainer(verbose=False, algorithm="lbfgs", params=OPTIONS)
    for page in pages:
        trainer.append(crf_attributes(page.values), [LABELS[label] for label in page.labels.tolist()])
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "crf.model"
        trainer.train(str(path))
        return read_weights(path.read_bytes())


def read_weights(model: bytes) -> dict[str, Any]:
    """The weights in a file of CRFsuite, by attribute and from label to label, in the order of `LABELS`.

    `Tagger.info` gives them as well, but with six decimals only.  The format is that of its crf1d_model.c: a head of
    twelve fields, of which the last five say where the parts begin; features as (type, from, to, weight), of type 0
    from an attribute to a label, of type 1 from label to label; and names as constant databases (cqdb).
    """
    head = struct.unpack_from("<4sI4s9I", model)
    if head[0] != b"lCRF" or head[2] != b"FOMC":
        raise ValueError("expected a file of CRFsuite")
    at = {name: head[7 + place] for place, name in enumerate(("features", "labels", "attributes"))}
    labels, attributes = _read_strings(model, at["labels"]), _read_strings(model, at["attributes"])
    steps = {label: [0.0] * len(LABELS) for label in LABELS}
    table: dict[str, dict[str, list[float]]] = {"steps": steps, "weights": {}}
    (count,) = struct.unpack_from("<8xI", model, at["features"])
    for kind, source, target, weight in struct.iter_unpack("<3Id", model[at["features"] + 12 :][: 20 * count]):
        rows, names = (table["steps"], labels) if kind else (table["weights"], attributes)
        row = rows.setdefault(names[source], [0.0] * len(LABELS))
        row[LABELS.index(labels[target])] = weight
    return table


def _read_strings(model: bytes, start: int) -> dict[int, str]:
    """Number -> string of a constant database: behind its head the places of all records, by number."""
    count, places = struct.unpack_from("<16x2I", model, start)
    found = {}
    for place in struct.unpack_from(f"<{count}I", model, start + places):
        number, size = struct.unpack_from("<2I", model, start + place)
        found[number] = model[start + place + 8 :][: size - 1].decode()
    return found


def format_model(head: Mapping[str, Any], table: Mapping[str, Any]) -> str:
    """Head and weights as JSON, a line an attribute."""
    lines = [json.dumps(dict(head), indent=1).removesuffix("\n}")]
    for name in ("steps", "weights"):
        rows = (f"  {json.dumps(key)}: {json.dumps(row)}" for key, row in table[name].items())
        lines.append(f' "{name}": {{\n' + ",\n".join(rows) + "\n }")
    return ",\n".join(lines) + "\n}\n"


def cross_validate(pages: Sequence[LabelledRuns], seed: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """True labels and marginals of all runs, each judged by a model that has seen no page of its site."""
    sites = sorted({page.site for page in pages})
    shuffled = np.random.default_rng(seed).permutation(len(sites)) % FOLDS
    fold = dict(zip(sites, shuffled.tolist(), strict=True))
    true, probabilities = [], []
    for number in range(FOLDS):
        model = ChainWeights.from_table(train([page for page in pages if fold[page.site] != number]))
        for page in pages:
            if fold[page.site] == number:
                true.append(page.labels)
                probabilities.append(model.marginals(page.values))
    return np.concatenate(true), np.concatenate(probabilities)


def compute_figures(
    true: NDArray[np.int64], probabilities: NDArray[np.float64], threshold: float = 0.5
) -> tuple[float, ...]:
    """Accuracy over three labels and over two, precision and recall of text and header together (section 5.2)."""
    content = probabilities[:, 2] < threshold
    predicted = np.where(content, np.argmax(probabilities[:, :2], axis=1), 2)
    is_content = true != 2
    hit = (content & is_content).sum()
    return (
        float((predicted == true).mean()),
        float((content == is_content).mean()),
        float(hit / max(1, content.sum())),
        float(hit / max(1, is_content.sum())),
    )


def draw_figure(points: Sequence[tuple[float, float]]) -> str:
    """Precision against recall, a point a threshold, as figure 2 of the paper has it; both axes from 0.5 to 1."""

    def place(point: tuple[float, float]) -> str:
        precision, recall = point
        return f"{40 + 640 * (recall - 0.5):.1f},{340 - 640 * (precision - 0.5):.1f}"

    ticks = [0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 380" font-family="sans-serif" font-size="11">',
        '<rect width="400" height="380" fill="#fff"/>',
    ]
    for tick in ticks:
        across, up = 40 + 640 * (tick - 0.5), 340 - 640 * (tick - 0.5)
        lines.append(f'<path d="M{across:.0f} 20V340M40 {up:.0f}H360" stroke="#ddd" fill="none"/>')
        lines.append(f'<text x="{across:.0f}" y="354" text-anchor="middle">{tick:g}</text>')
        lines.append(f'<text x="34" y="{up + 4:.0f}" text-anchor="end">{tick:g}</text>')
    lines.append(f'<polyline points="{" ".join(map(place, points))}" stroke="#125" stroke-width="1.5" fill="none"/>')
    for threshold, point in zip(THRESHOLDS, points, strict=True):
        across, up = place(point).split(",")
        chosen = threshold == 0.5
        lines.append(
            f'<circle cx="{across}" cy="{up}" r="{4 if chosen else 2}" fill="{"#c30" if chosen else "#125"}"/>'
        )
        if threshold in (0.05, 0.2, 0.5, 0.8, 0.95):
            lines.append(f'<text x="{float(across) + 6:.1f}" y="{float(up) - 5:.1f}">{threshold:g}</text>')
    lines.append('<text x="200" y="372" text-anchor="middle">recall</text>')
    lines.append('<text x="12" y="180" text-anchor="middle" transform="rotate(-90 12 180)">precision</text></svg>')
    return "\n".join(lines) + "\n"


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", metavar="SET", nargs="+")
    parser.add_argument("--labelled", action="append", default=[])
    parser.add_argument("--output", "-o")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--figure", help="with --table: an SVG of precision against recall")
    parser.add_argument("--language", nargs="+", choices=LANGUAGE_FEATURES, default=[])
    parser.add_argument("--parts", action="store_true", help="for each page of a gold, also one of a part of it")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    pages = load_pages(args)
    counts = np.bincount(np.concatenate([page.labels for page in pages]), minlength=3).tolist()
    print(f"{len(pages)} pages,", ", ".join(f"{count:,} {label}" for count, label in zip(counts, LABELS, strict=True)))
    if args.table:
        true, probabilities = cross_validate(pages, args.seed)
        names = ("labels", "content", "precision", "recall")
        for name, value in zip(names, compute_figures(true, probabilities), strict=True):
            print(f"{name:10} {100 * value:6.2f}")
        points = [compute_figures(true, probabilities, threshold)[2:] for threshold in THRESHOLDS]
        for threshold, point in zip(THRESHOLDS, points, strict=True):
            print(threshold, *(f"{100 * value:6.2f}" for value in point))
        if args.figure:
            with atomic_writer(args.figure, force=True) as out:
                out.write(draw_figure([(precision, recall) for precision, recall in points]).encode())
    if args.output:
        table = train(pages)
        head = {
            **describe_provenance(
                "train_crf.py --parts" if args.parts else "train_crf.py", [*args.sets, *args.labelled]
            ),
            "python-crfsuite": version("python-crfsuite"),
            "options": OPTIONS,
            "pages": len(pages),
            "labels": dict(zip(LABELS, counts, strict=True)),
            "sha256": hash_weights(table),
        }
        with atomic_writer(f"{args.output}.json", force=True) as out:
            out.write(format_model(head, table).encode())


if __name__ == "__main__":
    sys.exit(main())
