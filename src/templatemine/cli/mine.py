"""``templatemine mine``: archives -> a folder of packs."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from templatemine.cli import common, tables
from templatemine.config import CrossSiteConfig, MineConfig, PipelineConfig, SampleConfig, TokeniseConfig
from templatemine.errors import CorpusError

if TYPE_CHECKING:
    from templatemine.model import Document
    from templatemine.pipeline import SourceReport
    from templatemine.shelf import Shelf
    from templatemine.stream import Census

__all__ = ["DESCRIPTION", "METHODS", "add", "run"]

DESCRIPTION = """\
Learns what repeats in the articles of each source and writes one pack a
source, a JSON file named after the source, into a folder; beside it, in
NAME.dropped.jsonl.gz, the strings that repeat but are no templates, each with
the reason.  What people decided about the templates of a pack that is
replaced (its overrides) is kept and applied.

All packs appear together when everything is done; whatever happens before
that leaves the folder as it was.
"""

METHODS = ("default", "energy", "thesis")
"""Names of `pipeline.METHODS`, here so that --help need not import it; a test holds the two together."""

_EVERY = 256
"""Documents between two steps of the progress bar."""


def add(parser: argparse.ArgumentParser) -> None:
    """The options."""
    tokenise, mine = TokeniseConfig(), MineConfig()
    parser.add_argument("inputs", metavar="INPUT", nargs="+", help=common.INPUT_HELP)
    parser.add_argument(
        "--output", "-o", metavar="FOLDER", required=True, help="folder for the packs; made if it is missing"
    )
    group = parser.add_argument_group("mining")
    group.add_argument(
        "--method",
        choices=METHODS,
        default=METHODS[0],
        help="what tells templates from prose: all evidence, frequency, or the thesis (default: %(default)s)",
    )
    group.add_argument(
        "--patterns-file",
        metavar="FILE",
        help="own patterns for what varies in a template: TOML, [[pattern]] tables of name, regex, perhaps spans",
    )
    group.add_argument(
        "--separators",
        metavar="CHARACTERS",
        default=tokenise.separators,
        help="characters that part words beside white space (default: %(default)s); write --separators=...",
    )
    group.add_argument(
        "--min-docs",
        metavar="N",
        type=common.at_least(1),
        default=mine.min_docs,
        help="skip a source with fewer documents (default: %(default)s)",
    )
    group.add_argument(
        "--min-df",
        metavar="N",
        type=common.at_least(1),
        default=mine.min_df,
        help="look only at strings in so many documents of a source (default: %(default)s) ...",
    )
    group.add_argument(
        "--min-share",
        metavar="X",
        type=common.share,
        default=mine.min_share,
        help="... and in this share of them (default: what the method asks)",
    )
    group.add_argument(
        "--max-sources",
        metavar="N",
        type=common.at_least(1),
        default=CrossSiteConfig().max_sources,
        help="drop a string that so many other sources have as well (default: %(default)s)",
    )
    sample = SampleConfig().documents
    group.add_argument(
        "--exact",
        action="store_true",
        help=f"never sample; of a source of over {sample:,} documents a sample is mined, and the result counted in all",
    )
    common.add_field_options(parser)
    common.add_run_options(parser, "threads, one a source at a time")


def run(args: argparse.Namespace) -> int:
    """Read, mine, write."""
    from templatemine.pipeline import Miner
    from templatemine.shelf import open_shelf
    from templatemine.steer import keep_rules
    from templatemine.stream import Census

    terminal = common.Terminal(quiet=args.quiet, strict=args.strict)
    config = _config(args)
    census = Census(args.id_field)
    if args.output == "-":
        raise CorpusError("expected a folder for the packs, found standard output", "-", fatal=True)
    with open_shelf(args.output, args.force) as shelf, terminal.progress() as steps:
        documents = _documents(args, terminal, census, shelf, config, steps)
        reports = Miner(config, jobs=args.jobs, progress=steps).run(documents)
        reports = [keep_rules(report, shelf.standing(report.source)) for report in reports]
        packs = {}
        for place, report in enumerate(reports, 1):
            packs[report.source] = shelf.save(report)
            steps("writing", place, len(reports))
    _summary(args, terminal, census, reports, packs)
    return 0


def _config(args: argparse.Namespace) -> PipelineConfig:
    tokenise = TokeniseConfig(separators=args.separators)
    if args.patterns_file is not None:
        from templatemine.patterns import load_user_patterns

        tokenise = replace(tokenise, user_patterns=load_user_patterns(args.patterns_file))
    return PipelineConfig(
        method=args.method,
        tokenise=tokenise,
        mine=MineConfig(min_docs=args.min_docs, min_df=args.min_df, min_share=args.min_share),
        crosssite=CrossSiteConfig(max_sources=args.max_sources),
        sample=SampleConfig(exact=args.exact),
    )


def _documents(
    args: argparse.Namespace,
    terminal: common.Terminal,
    census: Census,
    shelf: Shelf,
    config: PipelineConfig,
    steps: common.Steps,
) -> Iterator[Document]:
    """All documents; when the last one is read and before mining begins, what can be known to fail fails."""
    number = 0
    for number, document in enumerate(
        census.documents(common.open_records(args.inputs, common.read_config(args), terminal.skip)), 1
    ):
        if number % _EVERY == 0:
            steps("reading", number, None)
        yield document
    steps("reading", number, number)
    terminal.skipped_more()
    if not number:
        found = f"found {terminal.skipped:,} that cannot be read" if terminal.skipped else "found none"
        raise CorpusError(
            f"expected documents, {found}",
            ", ".join("stdin" if path == "-" else path for path in args.inputs),
            fatal=True,
        )
    shelf.refuse_existing(source for source, documents in census.sources.items() if documents >= config.mine.min_docs)


def _summary(
    args: argparse.Namespace,
    terminal: common.Terminal,
    census: Census,
    reports: list[SourceReport],
    packs: dict[str, str | None],
) -> None:
    if args.json:
        totals = {
            "documents": census.sources.total(),
            "skipped": terminal.skipped,
            "duplicate_ids": census.duplicates,
            "seconds": round(terminal.seconds, 3),
        }
        terminal.report(
            {**totals, "sources": [_facts(report, packs[report.source]) for report in reports]}, to_stdout=True
        )
        return
    header = ("source", ">documents", ">templates", ">least df", ">dropped", "note")
    rows = [_row(report) for report in sorted(reports, key=lambda report: (-report.documents, report.source))]
    terminal.say(*tables.capped_table(header, rows, "sources"), "", *_totals(args, terminal, census, reports))


def _facts(report: SourceReport, path: str | None) -> dict[str, Any]:
    pack = report.pack
    facts: dict[str, Any] = {"source": report.source, "documents": report.documents, "pack": path, "note": report.note}
    if pack is not None:
        facts |= {"templates": len(pack.templates), "cutoff_df": pack.cutoff.df, "dropped": dict(pack.dropped)}
        facts |= {"overrides": len(pack.overrides.rules)} if pack.overrides.rules else {}
    return facts


def _row(report: SourceReport) -> tuple[str, ...]:
    pack = report.pack
    if pack is None:
        return (
            report.source,
            f"{report.documents:,}",
            "-",
            "-",
            "-",
            f"no pack: {report.note.removeprefix('skipped: ')}",
        )
    note = "" if pack.templates else f"no templates: {report.note}"
    if pack.overrides.rules:
        note = f"{tables.count(len(pack.overrides.rules), 'override')} kept" + (f"; {note}" if note else "")
    numbers = (f"{len(pack.templates):,}", tables.least_df(pack), f"{sum(pack.dropped.values()):,}")
    return report.source, f"{report.documents:,}", *numbers, note


def _totals(
    args: argparse.Namespace, terminal: common.Terminal, census: Census, reports: list[SourceReport]
) -> list[str]:
    packs = [report.pack for report in reports if report.pack is not None]
    templates = sum(len(pack.templates) for pack in packs)
    lines = [
        f"{tables.count(len(packs), 'pack')} with {tables.count(templates, 'template')} in {args.output}",
        f"{tables.count(census.sources.total(), 'document')} in {terminal.seconds:.1f} s",
    ]
    if terminal.skipped:
        lines.append(f"{tables.count(terminal.skipped, 'document')} skipped")
    if census.duplicates:
        lines.append(f"{tables.count(census.duplicates, 'document')} with an id seen before (kept)")
    return lines
