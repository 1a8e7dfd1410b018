"""Kinds on annotated articles: whether cuts are called what they are, what bylines say, and what keeping one changes.

    python bench/quality/kinds.py                 with the model that ships, which has seen some of the publishers
    python bench/quality/kinds.py --held-out      each publisher by a model trained without it, as bench/quality/loso.py
    python bench/quality/kinds.py --packs FOLDER  with packs that were mined of the same archives before
    python bench/quality/kinds.py --render        measure nothing

Packs are mined of the archives of the annotated sources (../shared), feeds left out, and clean the annotated articles.
Three tables go to docs/research/kinds.md: **kinds** of removed characters beside those of the annotation; **found**, what
`MetadataFinder` says beside what the same reader reads in the annotated bylines and datelines; **keep**, what stays and
what else changes with `--keep byline`.  Figures are left in build/bench/quality/kinds.json.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
for folder in ("datasets/templates", "datasets", "bench"):
    if str(ROOT / folder) not in sys.path:
        sys.path.insert(0, str(ROOT / folder))

import numpy as np  # noqa: E402
from training_data import AnnotatedSource, load_annotated_sources  # noqa: E402

from machine import describe_machine  # noqa: E402
from quality import archives, loso  # noqa: E402
from quality.loso_page import format_percent, format_table  # noqa: E402
from templatemine.api import mine  # noqa: E402
from templatemine.cleaning.cleaner import Cleaner  # noqa: E402
from templatemine.cleaning.found import SOURCES_OF_NAMES, MetadataFinder, read_byline, read_dateline  # noqa: E402
from templatemine.config import CleanConfig, PipelineConfig  # noqa: E402
from templatemine.evaluation.cut_score import CutScore, score_cuts  # noqa: E402
from templatemine.evaluation.metrics import GoldSpan, span_mask, visible_mask  # noqa: E402
from templatemine.kinds import CUT_ALL, KINDS  # noqa: E402
from templatemine.model import Span  # noqa: E402
from templatemine.packs.pack import Pack  # noqa: E402

__all__ = ["compare_found", "main", "measure_keep", "render_page", "unite_spans"]

Row = dict[str, Any]

PAGE = ROOT / "docs" / "research" / "kinds.md"
FIELDS = ("byline", "agency", "place", "updated")
KEPT = "byline"
FOUND = ("wanted", "found", "in it", "same")
KEEP = ("gold", "untouched", "spans", "whole spans", "cut elsewhere", "other elsewhere")


# ------------------------------------------------------------------------------------------------------------ measuring


def measure_source(source: AnnotatedSource, pack: Pack | None) -> Row:
    """The counts of one source; nothing is cut without a pack."""
    score, found, keep = CutScore(), _no_counts(FIELDS, FOUND), dict.fromkeys(KEEP, 0)
    cleaners = [
        None if pack is None else Cleaner(pack, CleanConfig(choice=choice, guard=1.0))
        for choice in (CUT_ALL, CUT_ALL.keeping([KEPT]))
    ]
    finder = None if pack is None else MetadataFinder(pack)
    for article in source.articles:
        text, gold = article.body, source.gold[article.id]
        cuts, fewer = ([] if cleaner is None else cleaner.spans(text) for cleaner in cleaners)
        score += score_cuts(text, gold, [(cut.start, cut.end, cut.kind) for cut in cuts])
        for field, counts in compare_found(text, gold, {} if finder is None else finder.find(text)).items():
            found[field] = {name: found[field][name] + counts[name] for name in FOUND}
        for name, count in measure_keep(text, gold, cuts, fewer).items():
            keep[name] += count
    return {"kinds": {kind: count._asdict() for kind, count in score.kinds.items()}, "found": found, "keep": keep}


def unite_spans(text: str, gold: Iterable[GoldSpan], kinds: Sequence[str]) -> list[tuple[int, int, str]]:
    """Annotated spans of some kinds; those of one kind with nothing but a blank between them are one."""
    joined: list[tuple[int, int, str]] = []
    for start, end, kind in sorted((start, end, kind[0]) for start, end, _, *kind in gold if kind and kind[0] in kinds):
        if joined and joined[-1][2] == kind and start - joined[-1][1] <= 1 and not text[joined[-1][1] : start].strip():
            joined[-1] = joined[-1][0], end, kind
        else:
            joined.append((start, end, kind))
    return joined


def compare_found(text: str, gold: Iterable[GoldSpan], found: Mapping[str, Any]) -> dict[str, Row]:
    """Of each field: what is read in the annotation, what was found, how much of that stands in an annotated byline or
    dateline, and how much is the same."""
    wanted: dict[str, set[str]] = {field: set() for field in FIELDS}
    spans = unite_spans(text, gold, SOURCES_OF_NAMES)
    for start, end, kind in spans:
        if kind == KEPT:
            wanted[KEPT] |= {*map(_fold, read_byline(text[start:end]))}
        else:
            for field, value in read_dateline(text[start:end]).items():
                wanted[field] |= set() if wanted[field] else {_fold(value)}  # an article has one of them
    annotated = "\n".join(_fold(text[start:end]) for start, end, _ in spans)
    rows: dict[str, Row] = {}
    for field in FIELDS:
        value = found.get(field, ())
        own = [*map(_fold, [value] if isinstance(value, str) else value)]
        inside = sum(one in annotated or one in wanted[field] for one in own)
        same = sum(one in wanted[field] for one in own)
        rows[field] = {"wanted": len(wanted[field]), "found": len(own), "in it": inside, "same": same}
    return rows


def measure_keep(text: str, gold: Iterable[GoldSpan], cuts: Sequence[Span], fewer: Sequence[Span]) -> Row:
    """Characters of annotated bylines that nothing is cut of where bylines are kept, spans of which nothing is, and what
    is cut elsewhere with and without bylines."""
    spans = [(start, end) for start, end, _ in unite_spans(text, gold, [KEPT])]
    visible = visible_mask(text)
    own = span_mask(len(text), spans)
    before, after = (span_mask(len(text), [(cut.start, cut.end) for cut in some]) for some in (cuts, fewer))
    counts = {
        "gold": own & visible,
        "untouched": own & visible & ~after,
        "cut elsewhere": before & visible & ~own,
        "other elsewhere": (before != after) & visible & ~own,
    }
    whole = sum(not after[start:end].any() for start, end in spans)
    return {
        **{name: int(np.count_nonzero(mask)) for name, mask in counts.items()},
        "spans": len(spans),
        "whole spans": whole,
    }


def _no_counts(rows: Iterable[str], names: Sequence[str]) -> dict[str, Row]:
    return {row: dict.fromkeys(names, 0) for row in rows}


def _fold(text: str) -> str:
    return " ".join(text.split()).casefold()


def load_packs(
    sources: Sequence[AnnotatedSource], folder: Path | None, held_out: bool, jobs: int
) -> Iterator[Pack | None]:
    """The pack of each source."""
    if held_out:
        loso.prepare_models([one for one in loso.METHODS if one.name == "learned"], jobs)
    for source in sources:
        if folder is not None:
            file = folder / f"{source.name}.json"
            yield Pack.load(file) if file.exists() else None
            continue
        config = PipelineConfig(model=str(loso.model_without(source.publisher))) if held_out else PipelineConfig()
        yield mine(source.documents, config).get(source.name)


# -------------------------------------------------------------------------------------------------------------- the page


def render_page(results: Row) -> str:
    """The page, of the counts of all sources."""
    head, sources = results["head"], results["sources"]
    counts = _add_rows(row["kinds"] for row in sources.values())
    ours = {kind: counts[kind] for kind in KINDS if kind in counts}
    shares = [row["right"] / row["cut"] for row in ours.values() if row["cut"]]
    totals = [(_total(row["kinds"], "right"), _total(row["kinds"], "told")) for row in sources.values()]
    of_sources = [right / told for right, told in totals if told]
    low, high = loso.bootstrap_interval(of_sources) or (0.0, 0.0)
    found = _add_rows(row["found"] for row in sources.values())
    keep = _add_rows({KEPT: row["keep"]} for row in sources.values())[KEPT]
    lines = [
        "# Kinds",
        "",
        f"Written by `bench/quality/kinds.py`: the annotated articles of {len(sources)} sources, cleaned with packs of"
        f" their archives, {head['model']}. Counts are characters other than white space; feeds are left out.",
        "",
        "## What is removed",
        "",
        f"Of removed characters whose kind is annotated, {_share(sum(of_sources), len(of_sources))} %"
        f" ({_share(low, 1)} to {_share(high, 1)}, 95 % interval) are called by it in the mean over {len(of_sources)}"
        f" sources; of all together {_share(_total(counts, 'right'), _total(counts, 'told'))} %, since those with long"
        f" blocks count most; {_share(sum(shares), len(shares))} % in the mean over kinds. *Recall*: of removed characters"
        " of a kind, those that are called so; *precision*: of those called so, those that are.",
        "",
        *format_table(
            ["kind", "removed", "called so", "recall", "precision"],
            [
                [
                    kind,
                    f"{row['cut']:,}",
                    f"{row['told']:,}",
                    *(_share(row["right"], row[name]) for name in ("cut", "told")),
                ]
                for kind, row in ours.items()
            ],
        ),
        "",
        "## What bylines and datelines say",
        "",
        "`clean --found` beside what the same reader reads in the annotated bylines and datelines (*wanted*): so *recall*"
        " is of what strings and slots catch. *Precision*: of what is found, what stands in one of them.",
        "",
        *format_table(
            ["field", "wanted", "found", "recall", "precision"],
            [
                [
                    field,
                    str(row["wanted"]),
                    str(row["found"]),
                    _share(row["same"], row["wanted"]),
                    _share(row["in it"], row["found"]),
                ]
                for field, row in found.items()
            ],
        ),
        "",
        f"## `--keep {KEPT}`",
        "",
        f"Of the characters of {keep['spans']} annotated bylines {_share(keep['untouched'], keep['gold'])} % stay, and"
        f" {_share(keep['whole spans'], keep['spans'])} % of the bylines whole. Elsewhere"
        f" {_share(keep['other elsewhere'], keep['cut elsewhere'])} % of what is cut without it is not cut with it.",
        "",
        f"{head['date']}, `{head['command']}`, code {head['code']}; {head['python']}; {head['processor']};",
        f"{head['seconds']:.0f} seconds, while other work ran on the machine.",
        "",
    ]
    return "\n".join(lines)


def _add_rows(tables: Iterable[Mapping[str, Row]]) -> dict[str, Row]:
    total: dict[str, Row] = {}
    for table in tables:
        for name, row in table.items():
            own = total.setdefault(name, dict.fromkeys(row, 0))
            for column, count in row.items():
                own[column] += count
    return total


def _total(rows: Mapping[str, Row], column: str) -> int:
    return sum(row[column] for row in rows.values())


def _share(part: float, whole: float) -> str:
    return format_percent(part / whole if whole else None, 1)


# ------------------------------------------------------------------------------------------------------------------ main


def measure_kinds(folder: Path | None, held_out: bool, jobs: int) -> Row:
    """All counts, by source."""
    began = time.monotonic()
    data = load_annotated_sources(archives.SHARED, labelled=held_out)
    judged = [one for one in data if one.gold and not one.is_feed]
    rows = {}
    for source, pack in zip(judged, load_packs(judged, folder, held_out, jobs), strict=True):
        rows[source.name] = measure_source(source, pack)
        print(f"{time.monotonic() - began:6.1f} s  {source.name}", flush=True)
    shipped = "by the model that ships, which has seen those of its card"
    head = {
        "date": date.today().isoformat(),
        "command": shlex.join(["python", "bench/quality/kinds.py", *(["--held-out"] if held_out else [])]),
        "model": "each by a model that has not seen its publisher" if held_out else shipped,
        **describe_machine(),
        "seconds": time.monotonic() - began,
    }
    return {"head": head, "sources": rows}


def _build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--held-out", action="store_true", help="models that have not seen the publisher")
    parser.add_argument("--packs", type=Path, metavar="FOLDER", help="packs of the same archives, SOURCE.json")
    parser.add_argument("--render", action="store_true", help="measure nothing")
    parser.add_argument("--jobs", type=int, default=2, help="processes for models (default: 2)")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page (default: docs/research/kinds.md)")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; 2 where the real archives are missing, or nothing was measured yet."""
    args = _build_parser().parse_args(arguments)
    results_file = ROOT / "build" / "bench" / "quality" / "kinds.json"
    if not args.render:
        if not archives.has_shared_archives():
            print("the real archives (../shared) are not here; nothing was measured", file=sys.stderr)
            return 2
        results_file.parent.mkdir(parents=True, exist_ok=True)
        results = measure_kinds(args.packs, args.held_out, args.jobs)
        results_file.write_text(json.dumps(results, indent=1), encoding="utf-8")
    if not results_file.exists():
        print("nothing was measured yet; run it without --render", file=sys.stderr)
        return 2
    page = render_page(json.loads(results_file.read_text(encoding="utf-8")))
    args.page.write_text(page, encoding="utf-8")
    print(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
