"""Measures quality beside contenders and renders docs/research/quality.md.

    python bench/quality/run.py                          all sections
    python bench/quality/run.py --only texts pages       some; the others stay as they were measured last
    python bench/quality/run.py --who templatemine       only contenders of such a name; the others' rows stay
    python bench/quality/run.py --render                 measure nothing

Each section leaves its rows in build/bench/quality/SECTION.json, with date, command, machine and versions.  It needs
the real archives (../shared); contenders that are not installed are said to be missing.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT / "bench") not in sys.path:
    sys.path.insert(0, str(ROOT / "bench"))

from machine import describe_machine  # noqa: E402
from quality import archives  # noqa: E402
from quality.contenders import (  # noqa: E402
    EXTRACTORS,
    PAGE_CONTENDERS,
    TEXT_CONTENDERS,
    Contender,
    chain_contenders,
    change_config,
)
from quality.quality_page import render_page  # noqa: E402
from templatemine.config import CleanConfig, PipelineConfig  # noqa: E402
from templatemine.evaluation.cleaning_systems import mining_learner  # noqa: E402
from templatemine.evaluation.gold import ALL_PAGES, GoldConfig, evaluate_annotation, score_texts  # noqa: E402
from templatemine.evaluation.injection import InjectionConfig, evaluate_injection  # noqa: E402
from templatemine.evaluation.mirror import MirrorConfig, evaluate_mirror  # noqa: E402
from templatemine.evaluation.protocol import Learner, as_system, assign_folds  # noqa: E402
from templatemine.evaluation.retrieval import RetrievalConfig, evaluate_clustering, evaluate_near_duplicates  # noqa: E402
from templatemine.kinds import CUT_ALL  # noqa: E402
from templatemine.model import Cleaned, Document  # noqa: E402

__all__ = ["ABLATIONS", "SECTIONS", "read_ablations", "main"]

Row = dict[str, Any]

PAGE = ROOT / "docs" / "research" / "quality.md"
ABLATIONS = Path(__file__).with_name("ablations.toml")
SETS = {**archives.PAGES, "l3s_gn1": 1, "blogger_dumpleton": 5, "wordpress_hides": 5}
"""Sets of pages -> folds."""


def _results_folder() -> Path:
    return ROOT / "build" / "bench" / "quality"


# -------------------------------------------------------------------------------------------------------------- texts


def measure_texts(selection: RowFilter) -> list[Row]:
    """Text contenders on the annotated articles and on an archive without boilerplate."""
    return [
        _measure_contender(contender, selection, lambda learner: _measure_text_row(learner, harm=True))
        for contender in TEXT_CONTENDERS
    ]


@dataclass(frozen=True, kw_only=True)
class RowFilter:
    """Selects the rows to measure: those with `name_part` in their names, and those not among `previous_rows`."""

    name_part: str = ""
    previous_rows: Mapping[str, Row] = field(default_factory=dict)


def _measure_contender(contender: Contender, selection: RowFilter, measure: Callable[[Learner], Row]) -> Row:
    """A row of a contender, or why there is none."""
    if selection.name_part not in contender.name and contender.name in selection.previous_rows:
        return selection.previous_rows[contender.name]
    versions = [_describe_version(name) for name in contender.packages]
    names = {"contender": contender.name, "versions": versions, "note": contender.note}
    began = time.monotonic()
    try:
        learner = contender.make()
    except ImportError as error:
        return {**names, "missing": f"not installed ({error})"}
    row = {**names, "measured": date.today().isoformat(), **measure(learner)}
    print(f"{time.monotonic() - began:6.1f} s  {contender.name}", flush=True)
    return row


def _describe_version(name: str) -> str:
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"{name} missing"


def _measure_text_row(learner: Learner, *, harm: bool) -> Row:
    """Figures of a learner on the annotated archives; `harm`: also its speed, and what it cuts of a clean archive."""
    documents = archives.load_texts(*archives.ANNOTATED)
    began = time.perf_counter()
    clean = learner(documents)
    learnt = time.perf_counter()
    result = evaluate_annotation(
        documents, archives.load_annotated(*archives.ANNOTATED), lambda history, rows: clean(rows)
    )[0]
    row: Row = {name: result.row(source="mean")[name] for name in ("recall", "precision", "f1", "loss")}
    row["worst loss"] = max(one["loss"] for one in result.rows if one["source"] != "mean")
    row["sources"] = {one["source"]: one["f1"] for one in result.rows if one["source"] != "mean"}
    if harm:
        size = _count_bytes(documents)
        row["learn MB/s"] = size / 1e6 / (learnt - began)
        began = time.perf_counter()
        clean(documents)
        row["clean MB/s"] = size / 1e6 / (time.perf_counter() - began)
        row["cut of fakebr"] = _measure_cut_share(learner, archives.load_texts("fakebr"))
    return row


def _count_bytes(documents: Sequence[Document]) -> int:
    return sum(len(document.body.encode("utf-8", "surrogatepass")) for document in documents)


def _measure_cut_share(learner: Learner, documents: Sequence[Document]) -> float:
    """Share of the characters of an archive that is cut."""
    answers = learner(documents)(documents)
    removed = sum(span.end - span.start for answer in answers for span in answer.removed)
    return removed / sum(len(document.body) for document in documents)


# ---------------------------------------------------------------------------------------------------------- ablations


def read_ablations(rows: str = "row", path: Path = ABLATIONS) -> list[tuple[str, Learner]]:
    """The default, and every row of the table as a learner: "row" for articles, "page_row" for pages.

    Raises
    ------
    TypeError, AttributeError
        A row names an option that does not exist.
    """
    learners: list[tuple[str, Learner]] = [("learned", mining_learner())]
    for row in tomllib.loads(path.read_text(encoding="utf-8"))[rows]:
        config = change_config(PipelineConfig(), row.get("set", {}))
        one = mining_learner(config, change_config(CleanConfig(choice=CUT_ALL), row.get("clean", {})))
        learners.append((row["name"], one))
    return learners


def measure_ablation(selection: RowFilter) -> list[Row]:
    """Each step taken away."""
    rows = []
    for name, learner in read_ablations():
        began = time.monotonic()
        rows.append({"contender": name, **_measure_text_row(learner, harm=False)})
        print(f"{time.monotonic() - began:6.1f} s  {name}", flush=True)
    return rows


# -------------------------------------------------------------------------------------------------------------- pages


def measure_pages(selection: RowFilter) -> list[Row]:
    """Page contenders on the sets of pages that they are meant for."""

    def measured(contender: Contender) -> Row:
        names = contender.sets or tuple(SETS)
        return _measure_contender(contender, selection, lambda learner: {"sets": _measure_page_sets(learner, names)})

    return [measured(contender) for contender in PAGE_CONTENDERS]


def measure_extracted(selection: RowFilter) -> list[Row]:
    """What extractors leave of pages, as it is and without the boilerplate that the other texts of the site tell of."""
    learners = [one for one in TEXT_CONTENDERS if one.name in ("templatemine, default", "frequent sentences")]
    names = [name for name, folds in SETS.items() if folds > 1]
    return [
        _measure_contender(one, selection, lambda made: {"sets": _measure_page_sets(made, names)})
        for extractor in EXTRACTORS
        for one in (extractor, *(chain_contenders(extractor, learner) for learner in learners))
    ]


def measure_page_ablation(selection: RowFilter) -> list[Row]:
    """Each step taken away, on the sets of pages with a history and several sites."""
    rows = []
    for name, learner in read_ablations("page_row"):
        began = time.monotonic()
        rows.append({"contender": name, "sets": _measure_page_sets(learner, ("crawl_to_the_future", "dragnet"))})
        print(f"{time.monotonic() - began:6.1f} s  {name}", flush=True)
    return rows


MIN_LEARNING_SECONDS = 0.05
"""Seconds of learning of those who learn nothing."""


def _measure_page_sets(learner: Learner, names: Sequence[str] = tuple(SETS)) -> dict[str, Row]:
    rows: dict[str, Row] = {}
    for name in names:
        folds = SETS[name]
        documents, gold = archives.load_pages(name)
        cleaned, learning, cleaning = _clean_folds(learner, documents, folds)
        form = "cleaneval" if name.startswith("cleaneval") else "auto"
        result = score_texts(documents, gold, cleaned, GoldConfig(form=form, folds=folds))
        whole = {key: value for key, value in result.row(source=ALL_PAGES).items() if key != "source"}
        size = _count_bytes(documents) / 1e6
        learnt = size * max(1, folds - 1) / learning if learning > MIN_LEARNING_SECONDS else None
        rows[name] = {**whole, "folds": folds, "clean MB/s": size / cleaning, "learn MB/s": learnt}
    return rows


def _clean_folds(learner: Learner, documents: Sequence[Document], folds: int) -> tuple[list[Cleaned], float, float]:
    """Each page cleaned with what the other folds taught; seconds of learning and of cleaning."""
    fold = assign_folds(documents, folds, 1)
    answers: dict[int, Cleaned] = {}
    learning = cleaning = 0.0
    for number in range(folds):
        places = [place for place, own in enumerate(fold) if own == number]
        history = [row for row, own in zip(documents, fold, strict=True) if folds == 1 or own != number]
        began = time.perf_counter()
        clean = learner(history)
        learnt = time.perf_counter()
        cleaned = clean([documents[place] for place in places])
        learning, cleaning = learning + learnt - began, cleaning + time.perf_counter() - learnt
        answers.update(zip(places, cleaned, strict=True))
    return [answers[place] for place in range(len(documents))], learning, cleaning


# ------------------------------------------------------------------------------------------------------------- trials


def measure_trials(selection: RowFilter) -> list[Row]:
    """Text contenders in the trials that need no gold."""
    return [_measure_contender(contender, selection, _measure_trial_row) for contender in TEXT_CONTENDERS]


def _measure_trial_row(learner: Learner) -> Row:
    system = as_system(learner)
    english, channels = archives.load_texts("allsides"), archives.load_texts("livedoor")
    injected = evaluate_injection(english, system, InjectionConfig(documents=(100, 400)))
    mirror = evaluate_mirror(english, system, MirrorConfig(sample=100)).row(source="all")
    retrieval = RetrievalConfig(sample=50)
    pairs = evaluate_near_duplicates(english, system, retrieval)
    labels = {document.id: document.source for document in channels}
    clusters = evaluate_clustering(channels, labels, system, RetrievalConfig(sample=150))
    whole = injected.row(by="all")
    return {
        **{name: whole[name] for name in ("recall", "found", "precision", "false per 10k")},
        "groups": {f"{row['by']} {row['value']}": row["recall"] for row in injected.rows if row["by"] != "all"},
        **{name: mirror[name] for name in ("distance before", "distance after", "article kept")},
        "pairs before": pairs.row(articles="as they are")["f1"],
        "pairs after": pairs.row(articles="cleaned")["f1"],
        "Rand before": clusters.row(articles="as they are")["adjusted Rand"],
        "Rand after": clusters.row(articles="cleaned")["adjusted Rand"],
    }


SECTIONS: dict[str, Callable[[RowFilter], list[Row]]] = {
    "texts": measure_texts,
    "ablation": measure_ablation,
    "pages": measure_pages,
    "page_ablation": measure_page_ablation,
    "extracted": measure_extracted,
    "trials": measure_trials,
}


# --------------------------------------------------------------------------------------------------------------- main


def _build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=list(SECTIONS), help=", ".join(SECTIONS))
    parser.add_argument("--who", metavar="TEXT", default="", help="contenders with this in their names")
    parser.add_argument("--render", action="store_true", help="measure nothing")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page (default: docs/research/quality.md)")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; 2 where the real archives are missing."""
    args = _build_parser().parse_args(arguments)
    if not args.render:
        if not archives.has_shared_archives():
            print("the real archives (../shared) are not here; nothing was measured", file=sys.stderr)
            return 2
        _results_folder().mkdir(parents=True, exist_ok=True)
        for name in args.only:
            head = {"date": date.today().isoformat(), "command": _format_command(), **describe_machine()}
            kept = {row["contender"]: row for row in _read_sections().get(name, {"rows": ()})["rows"]}
            section = {"head": head, "rows": SECTIONS[name](RowFilter(name_part=args.who, previous_rows=kept))}
            (_results_folder() / f"{name}.json").write_text(json.dumps(section, indent=1), encoding="utf-8")
    args.page.write_text(render_page(_read_sections()), encoding="utf-8")
    print(f"tables in {args.page}")
    return 0


def _read_sections() -> dict[str, Any]:
    """What was measured last."""
    return {
        name: json.loads(path.read_text(encoding="utf-8"))
        for name in SECTIONS
        if (path := _results_folder() / f"{name}.json").exists()
    }


def _format_command() -> str:
    return shlex.join(["python", "bench/quality/run.py", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
