"""Single decisions on labelled strings of publishers left out: the quick yardstick; writes docs/research/labels.md.

    python bench/quality/labels.py             fit in parts and measure
    python bench/quality/labels.py --render    measure nothing

Readers labelled strings of 109 sources (../shared/data/labels).  Those that are candidates are scored by a model that has
seen no source of their publisher: publishers are split into `FOLDS` parts, and each part is scored by a model of the
others, of annotated articles and labelled strings, without synthetic ones.  AUC: how likely boilerplate has a higher
score than content.  Errors are at the thresholds of `--method learned`.  It has ten times the decisions of
`bench/quality/loso.py` and takes two minutes: choose by this, confirm by that.  It needs the real archives (../shared);
figures are left in build/bench/quality/labels.json.
"""

from __future__ import annotations

import os

# Threads of libraries would keep the process from being forked.
for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import argparse  # noqa: E402
import json  # noqa: E402
import shlex  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
from collections.abc import Iterator, Mapping, Sequence  # noqa: E402
from datetime import date  # noqa: E402
from pathlib import Path  # noqa: E402
from statistics import fmean  # noqa: E402
from typing import Any  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
for folder in ("datasets/templates", "datasets", "bench"):
    if str(ROOT / folder) not in sys.path:
        sys.path.insert(0, str(ROOT / folder))

import numpy as np  # noqa: E402
import score_model  # noqa: E402
from numpy.typing import NDArray  # noqa: E402
from training_data import UNITS, load_annotated_sources  # noqa: E402

from machine import describe_machine  # noqa: E402
from quality import archives  # noqa: E402
from quality.loso_page import format_percent, format_table  # noqa: E402
from templatemine.config import SHIPPED, SelectConfig  # noqa: E402
from templatemine.mining.labels import KINDS  # noqa: E402
from templatemine.mining.score import (  # noqa: E402
    FILLER_FORESTS,
    KIND_FORESTS,
    Model,
    kind_matrix,
    load_model,
    model_from_tables,
)
from templatemine.parallel.forks import map_as_completed  # noqa: E402

__all__ = [
    "area_under_curve",
    "main",
    "measure_decisions",
    "render_page",
    "score_decisions",
    "split_publishers",
]

Row = dict[str, Any]
Table = Mapping[str, NDArray[Any]]
"""Columns of decisions, one row a labelled candidate: source, unit, label, filler and kind, which readers gave (-1 not
given); score, filler_score and said_kind, which a model gives."""

PAGE = ROOT / "docs" / "research" / "labels.md"
FOLDS, SEED = 5, 7
DRAWS, SIDES = 500, (2.5, 97.5)
OURS, RELEASED = "publishers left out", "as released"


# ------------------------------------------------------------------------------------------------------------ decisions


def split_publishers(sources: Sequence[Any], folds: int = FOLDS) -> list[frozenset[str]]:
    """The publishers of some sources in parts, by chance."""
    names = sorted({one.publisher for one in sources})
    np.random.default_rng(SEED).shuffle(names)
    return [frozenset(part) for number in range(folds) if (part := names[number::folds])]


def score_decisions(
    examples: Sequence[score_model.SourceExamples],
    model: Model,
) -> Table:
    """What a model says of the labelled candidates of some sources."""
    parts = []
    for one in examples:
        for kind in KINDS:
            own = one.kinds[kind]
            rows = np.flatnonzero(own.label >= 0)
            if not len(rows):
                continue
            matrix = np.ascontiguousarray(own.matrix[rows])
            scores = model.scores(kind, matrix)
            has_kind = own.kinds[rows].any(axis=1)
            parts.append(
                {
                    "source": np.full(len(rows), one.source, object),
                    "unit": own.unit[rows],
                    "label": own.label[rows],
                    "filler": own.filler[rows],
                    "kind": np.where(has_kind, own.kinds[rows].argmax(axis=1), -1),
                    "score": scores,
                    "filler_score": (
                        model.fillers(kind, matrix, scores)
                        if kind in FILLER_FORESTS
                        else np.zeros(len(rows), np.float32)
                    ),
                    "said_kind": model.boilerplate_kinds(
                        kind_matrix(kind, matrix, own.surroundings[rows]), score_model.score_words(model, own, rows)
                    ),
                }
            )
    return _join_tables(parts)


def _join_tables(parts: Sequence[Table]) -> Table:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]} if parts else {}


_examples: list[score_model.SourceExamples] = []
"""Of all sources; filled before any process is forked."""


def _score_fold(held_out: frozenset[str]) -> Table:
    known = [one for one in _examples if one.publisher not in held_out]
    model = model_from_tables(score_model.fit(known))
    return score_decisions([one for one in _examples if one.publisher in held_out], model)


# ------------------------------------------------------------------------------------------------------------- measures


def area_under_curve(scores: NDArray[Any], labels: NDArray[Any]) -> float | None:
    """How likely one that is labelled has a higher score than one that is not, equal ones half; None without both."""
    positive = labels > 0
    many, few = int(np.count_nonzero(positive)), int(np.count_nonzero(~positive))
    if not many or not few:
        return None
    _, place, count = np.unique(scores, return_inverse=True, return_counts=True)
    rank = (np.cumsum(count) - (count - 1) / 2)[place]
    return float((rank[positive].sum() - many * (many + 1) / 2) / (many * few))


def measure_decisions(table: Table, config: SelectConfig | None = None) -> list[Row]:
    """The figures of segments, labels, strings, fillers and kinds."""
    config = config or SelectConfig()
    rows = []
    for place, unit in enumerate(UNITS):
        own = _select(table, table["unit"] == place)
        threshold = config.label if unit in FILLER_FORESTS else config.segment
        rows.append(_measure_row(_plural(unit), own, own["score"], own["label"], own["score"] >= threshold))
    for unit in FILLER_FORESTS:
        own = _select(table, (table["unit"] == UNITS.index(unit)) & (table["filler"] >= 0))
        goes = own["score"] * own["filler_score"] >= config.filler
        row = _measure_row(f"fillers of {_plural(unit)}", own, own["filler_score"], own["filler"] > 0, goes)
        behind = own["filler"] > 0
        both = goes & (own["score"] >= config.label)
        rows.append({**row, "both gone": float(both[behind].mean()) if behind.any() else None})
    own = _select(table, table["kind"] >= 0)
    wrong = own["kind"] != own["said_kind"]
    by_kind = [float(wrong[own["kind"] == kind].mean()) for kind in np.unique(own["kind"])]
    rows.append({"decision": "kinds", "number": len(wrong), "error": float(wrong.mean()) if len(wrong) else None})
    rows.append(
        {"decision": "kinds, mean over kinds", "number": len(wrong), "error": fmean(by_kind) if by_kind else None}
    )
    return rows


def _plural(unit: str) -> str:
    return f"{unit}es" if unit.endswith("x") else f"{unit}s"


def _select(table: Table, rows: NDArray[np.bool_]) -> Table:
    return {name: column[rows] for name, column in table.items()}


def _measure_row(name: str, table: Table, scores: NDArray[Any], labels: NDArray[Any], said: NDArray[np.bool_]) -> Row:
    positive = labels > 0
    return {
        "decision": name,
        "number": len(positive),
        "boilerplate": int(np.count_nonzero(positive)),
        "auc": area_under_curve(scores, labels),
        "interval": _find_interval(table["source"], scores, labels),
        "error": float((said != positive).mean()) if len(positive) else None,
        "missed": float((~said)[positive].mean()) if positive.any() else None,
        "false": float(said[~positive].mean()) if not positive.all() else None,
    }


def _find_interval(sources: NDArray[Any], scores: NDArray[Any], labels: NDArray[Any]) -> list[float] | None:
    """95 % bootstrap interval of the area under the curve: sources are drawn anew."""
    names, place = np.unique(sources.astype(str), return_inverse=True)
    own = [np.flatnonzero(place == number) for number in range(len(names))]
    random = np.random.default_rng(SEED)
    drawn = []
    for _ in range(DRAWS if own else 0):
        rows = np.concatenate([own[number] for number in random.integers(len(own), size=len(own))])
        drawn.append(area_under_curve(scores[rows], labels[rows]))
    areas = [area for area in drawn if area is not None]
    return np.percentile(areas, SIDES).tolist() if areas else None


# ----------------------------------------------------------------------------------------------------------------- page

TITLE = """\
# Single decisions

Written by `bench/quality/labels.py` (`make labels`). Readers labelled {strings:,} strings of {sources} sources, of
{publishers} publishers, in 26 languages; {candidates:,} of them are candidates, and not mixed. A model that has seen no
source of their publisher scores them: publishers are split into {folds} parts. *{released}*: the model that ships, which
knows the sources of its card. The strings were chosen by mass, by uncertainty and by chance, so that shares of errors say
less than their differences.

- **AUC**: how likely boilerplate has a higher score than content, in brackets its 95 % interval of {draws} bootstrap draws
  of sources. **error**: wrong decisions at the thresholds of `--method learned`; **missed**: of boilerplate; **false**: of
  content.
- **fillers**: whether what fills the rest of a line goes with its label, of labels that are boilerplate. **both gone**: of
  labels with boilerplate behind them, those that go together with it.
- **kinds**: which of {kinds} kinds boilerplate is.
- **strings** cross segments: they count from the day on which there are such candidates.
"""


def render_page(found: Mapping[str, Any]) -> str:
    """The page."""
    head = found["head"]
    lines = [TITLE.format(**head["counts"], folds=FOLDS, draws=DRAWS, kinds=len(KIND_FORESTS), released=RELEASED)]
    for part, tables in found["parts"].items():
        lines += [f"## {part}", "", *_format_part(tables), ""]
    lines += [f"{head['date']}, `{head['command']}`, code {head['code']}; {head['python']}; {head['processor']};"]
    lines += [f"{head['seconds']:.0f} seconds, while other work ran on the machine."]
    return "\n".join(lines).rstrip() + "\n"


def _format_part(tables: Mapping[str, Sequence[Row]]) -> Iterator[str]:
    cells = []
    for name, rows in tables.items():
        for row in rows:
            if not row["number"]:
                continue
            area, sides = row.get("auc"), row.get("interval")
            shown = "–" if area is None else f"{area:.3f}" + (f" ({sides[0]:.3f} to {sides[1]:.3f})" if sides else "")
            shares = [format_percent(row.get(share), 1) for share in ("error", "missed", "false", "both gone")]
            cells.append(
                [
                    f"{row['decision']}, {name}",
                    str(row["number"]),
                    str(row.get("boilerplate", row["number"])),
                    shown,
                    *shares,
                ]
            )
    heads = ["decision", "number", "boilerplate", "AUC", "error", "missed", "false", "both gone"]
    yield from format_table(heads, cells)


# ----------------------------------------------------------------------------------------------------------------- main


def measure_labels(jobs: int) -> Row:
    """Figures by part of the sources, by model."""
    began = time.monotonic()
    sources = load_annotated_sources(archives.SHARED)
    _examples.clear()
    made = dict(map_as_completed(score_model.make_examples, sources, jobs))
    _examples.extend(made[place] for place in range(len(sources)))
    print(f"{time.monotonic() - began:6.1f} s  examples of {len(sources)} sources", flush=True)
    labelled = [one for one in sources if one.labels]
    folds = split_publishers(labelled)
    tables = {
        OURS: _join_tables([table for _, table in sorted(map_as_completed(_score_fold, folds, jobs)) if table]),
        RELEASED: score_decisions(_examples, load_model(SHIPPED)),
    }
    feeds = {one.name for one in sources if one.is_feed}
    parts: dict[str, dict[str, list[Row]]] = {"Articles": {}, "Feeds": {}}
    for name, table in tables.items():
        is_feed = np.array([source in feeds for source in table["source"]], np.bool_)
        for part, rows in (("Articles", ~is_feed), ("Feeds", is_feed)):
            parts[part][name] = measure_decisions(_select(table, rows))
    counts = {
        "strings": sum(len(one.labels) for one in labelled),
        "sources": len(labelled),
        "publishers": len({one.publisher for one in labelled}),
        "candidates": len(tables[OURS]["label"]),
    }
    head = {
        "date": date.today().isoformat(),
        "command": shlex.join(["python", "bench/quality/labels.py", *sys.argv[1:]]),
    }
    head |= describe_machine()
    return {"head": {**head, "counts": counts, "seconds": time.monotonic() - began}, "parts": parts}


def _build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--render", action="store_true", help="measure nothing")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page (default: docs/research/labels.md)")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; 2 where the real archives are missing, or nothing was measured yet."""
    args = _build_parser().parse_args(arguments)
    results_file = ROOT / "build" / "bench" / "quality" / "labels.json"
    if not args.render:
        if not archives.has_shared_archives():
            print("the real archives (../shared) are not here; nothing was measured", file=sys.stderr)
            return 2
        results_file.parent.mkdir(parents=True, exist_ok=True)
        results_file.write_text(json.dumps(measure_labels(args.jobs), indent=1), encoding="utf-8")
    if not results_file.exists():
        print("nothing was measured yet; run it without --render", file=sys.stderr)
        return 2
    page = render_page(json.loads(results_file.read_text(encoding="utf-8")))
    args.page.write_text(page, encoding="utf-8")
    print("\n".join(line for line in page.splitlines() if line.startswith("|")))
    print(f"tables in {args.page}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
