"""``templatemine bench``: how fast mining and cleaning are on the user's own archive."""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from templatemine._version import __version__
from templatemine.cli import common, tables
from templatemine.config import PipelineConfig, SampleConfig

if TYPE_CHECKING:
    from templatemine.measure import Measured, Stage
    from templatemine.model import Document

__all__ = ["DESCRIPTION", "add", "run"]

DESCRIPTION = """\
Reads archives, mines packs from them and cleans every article with the pack
of its source, several times, in one process; of pages, the main text is taken,
as "clean" does. Writes no files.

Prints seconds, MB (10^6 bytes of the texts in UTF-8) and documents a second
by stage; speeds are those of the median run. Peak memory is that of the whole
process when a stage was first done, documents included. Other work on the
same machine makes the figures worse than they are.
"""

_RUNS = 3
_EVERY = 256
"""Documents between two steps of the progress bar."""


def add(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument("inputs", metavar="INPUT", nargs="+", help=common.INPUT_HELP)
    group = parser.add_argument_group("measuring")
    group.add_argument(
        "--runs",
        metavar="N",
        type=common.at_least(1),
        default=_RUNS,
        help="how often to mine and to clean (default: %(default)s)",
    )
    group.add_argument(
        "--exact", action="store_true", help="mine all documents of a source, however many, instead of a sample"
    )
    group.add_argument("--json", action="store_true", help="print JSON")
    group.add_argument("--quiet", "-q", action="store_true", help="no progress")
    common.add_input_options(parser)


def run(args: argparse.Namespace) -> int:
    """Read, measure, print."""
    from templatemine.measure import MeasureConfig, measure

    terminal = common.Terminal(quiet=args.quiet, strict=False)
    config = MeasureConfig(runs=args.runs, pipeline=replace(PipelineConfig(), sample=SampleConfig(exact=args.exact)))
    with terminal.progress() as steps:
        measured = measure(_documents(args, terminal, steps), config, progress=steps)
    terminal.skipped_more()
    if args.json:
        common.out(json.dumps(_facts(measured, terminal), indent=1) + "\n")
    else:
        common.out("\n".join([*_table(measured), "", *_totals(measured, terminal, args.runs)]) + "\n")
    return 0


def _documents(args: argparse.Namespace, terminal: common.Terminal, steps: common.Steps) -> Iterator[Document]:
    for number, record in enumerate(common.open_records(args.inputs, common.read_config(args), terminal.met), 1):
        if number % _EVERY == 0:
            steps("read", number, None)
        yield record.document


def _facts(measured: Measured, terminal: common.Terminal) -> dict[str, Any]:
    return {
        "templatemine": __version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "documents": measured.documents,
        "skipped": terminal.skipped,
        "met": terminal.met.notes,
        "bytes": measured.size,
        "sources": measured.sources,
        "sources_too_small": measured.too_small,
        "templates": measured.templates,
        "peak_memory": measured.peak_memory,
        "stages": [_stage_facts(stage) for stage in measured.stages],
    }


def _stage_facts(stage: Stage) -> dict[str, Any]:
    return {
        "stage": stage.name.removeprefix("- "),
        "part_of": "mine" if stage.name.startswith("- ") else None,
        "documents": stage.documents,
        "bytes": stage.size,
        "seconds": [round(one, 6) for one in stage.seconds],
        "min_s": round(stage.least, 6),
        "median_s": round(stage.median, 6),
        "mb_per_s": round(stage.bytes_per_second / 1e6, 2),
        "documents_per_s": round(stage.documents_per_second, 1),
        "peak_memory": stage.peak_memory,
    }


def _table(measured: Measured) -> list[str]:
    from templatemine.measure import STAGES

    header = ("stage", ">min s", ">median s", ">MB/s", ">documents/s", ">peak MB", "what it does")
    return tables.table(header, [(*_row(stage), STAGES[stage.name]) for stage in measured.stages], None)


def _row(stage: Stage) -> Sequence[str]:
    return (
        stage.name,
        f"{stage.least:.3f}",
        f"{stage.median:.3f}",
        f"{stage.bytes_per_second / 1e6:,.1f}",
        f"{stage.documents_per_second:,.0f}",
        f"{stage.peak_memory / 1e6:,.0f}",
    )


def _totals(measured: Measured, terminal: common.Terminal, runs: int) -> list[str]:
    sources = tables.count(measured.sources, "source")
    if measured.too_small:
        sources += f" ({measured.too_small:,} too small to be mined)"
    parts = [
        f"{tables.count(measured.documents, 'document')} of {sources}, {measured.size / 1e6:,.1f} MB",
        tables.count(measured.templates, "template"),
        tables.count(runs, "run"),
        f"templatemine {__version__}, Python {platform.python_version()}, {platform.machine()}",
    ]
    if terminal.skipped:
        parts.insert(1, f"{tables.count(terminal.skipped, 'document')} skipped")
    return ["; ".join(parts), *terminal.notes()]
