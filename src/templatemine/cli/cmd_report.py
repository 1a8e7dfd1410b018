"""``templatemine report``: packs and an archive -> one HTML report."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from templatemine.cli import common, messages, pack_paths
from templatemine.cli.parser import Need
from templatemine.config import ReportConfig
from templatemine.errors import CorpusError, counted
from templatemine.progress import report_reading

if TYPE_CHECKING:
    from templatemine.cli.parser import Parser
    from templatemine.report.findings import NotableTemplate
    from templatemine.report.view import Report, SourceView

DESCRIPTION = """\
Writes one HTML file that tells what cuts leave behind, which templates may be
story and what is removed. For each source it has charts, templates, rejected
candidates with the reasons, and articles with every cut marked. The file loads
nothing from elsewhere, so you can send and keep it.

Without --archive the report is about the packs; with it, also about their
effect on the articles of the archive, which may differ from the archive they
were mined from.
"""


_MAX_TOLD = 80
"""Characters of a template in the summary."""

COMMON = ("--archive", "--output", "--against", "--title", "--samples", "--rows", "--force", "--json")

NEEDS = {
    "--samples": Need("--archive", why="articles come from it"),
    "--context": Need("--archive"),
    **common.archive_needs("--only reports on one source"),
}


def add(parser: Parser) -> None:
    """Add the options."""
    common.add_packs_and_archive(parser, common.PACKS_HELP)
    common.add_only_option(parser, "report on this source only")
    parser.add_argument("--output", "-o", metavar="FILE", required=True, help="HTML file; - for standard output")
    parser.add_argument(
        "--title", metavar="TEXT", default="", help="title of the report (default: one that names its sources)"
    )
    parser.add_argument(
        "--against", metavar="OLD", help="packs before, a file or a folder; adds what changed since, as diff tells it"
    )
    group = parser.add_argument_group("size of the report")
    common.add_field(group, ReportConfig, "samples", "articles per source")
    common.add_field(group, ReportConfig, "context", "characters of context around a removed part")
    told = "rows in the tables of templates, of all sources together"
    common.add_number(group, "--rows", 1, ReportConfig().rows, told)
    common.add_field(group, ReportConfig, "rejected", "rejected candidates for each reason")
    common.add_input_options(parser)
    group = parser.add_argument_group("running")
    group.add_argument("--force", "-f", action="store_true", help="replace a file that exists")
    group.add_argument("--json", action="store_true", help="print the conclusion and figures of each source as JSON")
    common.add_reading_options(group, "no progress and no summary")


def run(args: argparse.Namespace, terminal: messages.Terminal) -> None:
    """Load, measure, write."""
    from templatemine.io.write import atomic_writer
    from templatemine.model import RejectedCandidate
    from templatemine.packs.pack_folder import PackFiles, read_rejected
    from templatemine.packs.readable import shorten
    from templatemine.report.page import first_commands, rejection_command, render, require_libraries
    from templatemine.report.summary import summarise
    from templatemine.report.verdict import give_verdict
    from templatemine.report.view import make_report

    require_libraries()
    args.packs = pack_paths.find_packs(args.packs)

    config = common.record_of(ReportConfig, args)
    with atomic_writer(args.output, force=args.force) as output:
        files = PackFiles(args.packs, errors="skip")
        packs = common.choose_packs(args, files.load_all(terminal.skip_bad_pack), files)
        records = None
        if args.archive:
            some = common.read_nonempty_records(args.archive, common.read_config(args), terminal)
            records = common.tell_overruled(args, common.select_records(args, some, terminal))

        def rejected(source: str) -> Iterable[RejectedCandidate]:
            try:
                yield from read_rejected(files.files[source]) if args.rejected else ()
            except CorpusError as error:
                terminal.say(
                    f"no rejected candidates of {messages.escape_line(source)}: {messages.escape_line(str(error))}"
                )

        before = (
            PackFiles([pack_paths.find_pack(args.against)], errors="skip").load_all(terminal.skip_bad_pack)
            if args.against is not None
            else None
        )
        size = 0
        with terminal.progress() as steps:
            told = () if records is None else report_reading(records, steps)
            documents = None if records is None else (record.document for record in told)
            report = make_report(packs, documents, rejected, config, terminal.reader_report, before)
            terminal.tell_more_skipped()
            desk = _desk_command(args)
            for part in render(report, args.title, config, args.packs, desk):
                size += output.write(part.encode("utf-8", "backslashreplace"))
    if args.json:
        terminal.print_json(_report_json(args, terminal, report, size), to_stdout=args.output != "-")
        return
    what = f"{counted(len(report.sources), 'source')} in {size / 1e6:.1f} MB"
    skipped = [f"{counted(terminal.skipped, 'document')} skipped"] if terminal.skipped else []
    verdict = give_verdict(report)
    first = (f"{before} {command}".strip() for before, command in first_commands(verdict, args.packs, desk))
    terminal.say(messages.escape_line(verdict.said), messages.escape_line(verdict.first), *first, "")
    terminal.say(*summarise(report), "")
    for one in (*report.harmful, *report.riskiest)[:1]:
        rank = "worst" if one.harm.harmed else "most doubtful"
        worst = messages.escape_line(f"{one.template.id} of {one.source}: {shorten(one.text, _MAX_TOLD)}")
        terminal.say(f"{rank} template: {worst}", f"to leave it in: {rejection_command(args.packs, one)}", "")
    terminal.say(
        f"{what} written to {common.name_output(args.output)} in {terminal.seconds:.1f} s", *skipped, *terminal.notes()
    )


def _desk_command(args: argparse.Namespace) -> str:
    """Return the command that opens the packs at a desk, which takes those of one path, with an archive."""
    if len(args.packs) > 1 or not args.archive or "-" in args.archive:
        return ""
    return common.suggest_command(args, "desk", *args.packs, "--archive", *args.archive)


def _report_json(args: argparse.Namespace, terminal: messages.Terminal, report: Report, size: int) -> dict[str, Any]:
    """Return the conclusion of a report, and the figures of its table of sources."""
    from templatemine.report.summary import summarise
    from templatemine.report.verdict import give_verdict

    verdict = give_verdict(report)
    measures = [
        {"measured": one.worst.what, "source": one.worst.source, "share": one.worst.share, "limit": one.worst.most}
        | {"sources": one.sources, "over": one.over}
        for one in verdict.rows
    ]
    return {
        "output": args.output,
        "bytes": size,
        "verdict": {"within": verdict.is_within, "said": verdict.said, "first": verdict.first, "worst": measures},
        "conclusion": summarise(report),
        "riskiest": [_risk_json(args, one) for one in (*report.harmful, *report.riskiest)],
        "sources": [_source_json(one) for one in report.sources],
        "without_pack": dict(report.unknown),
        **terminal.figures(),
    }


def _risk_json(args: argparse.Namespace, one: NotableTemplate) -> dict[str, Any]:
    from templatemine.report.page import rejection_command

    template = {"source": one.source, "template": one.template.id, "expression": one.text}
    return {**template, "found": [*one.told], "remedy": rejection_command(args.packs, one)}


def _source_json(one: SourceView) -> dict[str, Any]:
    facts: dict[str, Any] = {"source": one.name, "templates": len(one.pack.templates), "risk": round(one.story)}
    if (found := one.measured) is not None:
        facts |= messages.facts_of(found, "documents", "changed", "stubs", "characters", "cut")
        facts |= {"looked": one.left.looked, "harmed": one.left.articles}
    return facts
