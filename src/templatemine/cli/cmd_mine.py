"""``templatemine mine``: archives -> a folder of packs."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from templatemine.cli import common, messages, number_types, text_tables
from templatemine.cli.parser import Need
from templatemine.config import (
    MineConfig,
    PipelineConfig,
    SampleConfig,
    SharedConfig,
    TokeniseConfig,
)
from templatemine.errors import CorpusError, counted, list_names

if TYPE_CHECKING:
    from templatemine.archive.archive_report import ArchiveReport
    from templatemine.cli.parser import Parser
    from templatemine.model import Record
    from templatemine.packs.pack_folder import SourceOutcome

DESCRIPTION = """\
Learns the boilerplate templates of each source from its articles, and writes
them into a folder, as one JSON file per source: its pack.

Beside a pack is NAME.rejected.jsonl.gz: the candidates that repeat but are not
templates, each with the reason. If a pack is replaced, the decisions of people
about its templates (its overrides) are kept and applied.

All packs appear together at the end; a run that fails leaves the folder
unchanged.

With --memory the archive may be of any size. It is first sorted by source on
disk, in a hidden folder beside the packs; this is deleted at the end. A run
that was interrupted continues when the same command is given again; if inputs
or options have changed, it prints this and starts over.

--shared writes one more pack, _shared.json: lines that are boilerplate in many
sources. It is for articles of sources that are too small or too new for a pack
of their own. Only "clean --fallback _shared" uses it.
"""

COMMON = (
    "--output",
    "--source-of",
    "--source",
    "--text-field",
    "--method",
    "--caution",
    "--shared",
    "--memory",
    "--jobs",
    "--force",
    "--json",
)

_MANY_COPIES = 0.1
"""Share of the documents of a source from which on the table tells of near-duplicates among them."""

_OF_COUNTS = Need("--method", ("energy", "thesis"))

NEEDS = {
    "--min-df": _OF_COUNTS,
    "--min-share": _OF_COUNTS,
    "--max-sources": _OF_COUNTS,
    **common.SCORING_NEEDS,
    "--restart": Need("--memory", why="other runs leave nothing to continue from"),
    "--shared-sources": Need("--shared"),
}


def add(parser: Parser) -> None:
    """Add the options."""
    common.add_inputs(parser)
    parser.add_argument(
        "--output", "-o", metavar="FOLDER", required=True, help="folder for the packs; created if missing"
    )
    group = parser.add_argument_group("mining")
    told = "how templates are found: by learned scores, by frequency, or as in the thesis"
    common.add_field(group, PipelineConfig, "method", told)
    group.add_argument(
        "--patterns-file",
        metavar="FILE",
        help="your own patterns for variable parts: TOML, [[pattern]] tables with name, regex and spans",
    )
    group.add_argument(
        "--separators",
        metavar="CHARACTERS",
        default=TokeniseConfig().separators,
        help="characters that separate tokens, besides white space (default: %(default)s); write --separators=...",
    )
    common.add_text_markup(group)
    told = "skip a source with fewer documents (default: 5, energy and thesis 10)"
    common.add_field(group, MineConfig, "min_docs", told)
    told = "energy and thesis: minimum document frequency of a candidate (default: %(default)s) ..."
    common.add_field(group, MineConfig, "min_df", told)
    told = "... and minimum share of the documents (default: that of the method)"
    common.add_field(group, MineConfig, "min_share", told, metavar="X")
    told = "energy and thesis: reject a candidate that N other sources have"
    common.add_field(group, MineConfig, "max_sources", told)
    sample = SampleConfig().documents
    group.add_argument(
        "--exact",
        action="store_true",
        help=f"never sample; by default a source of over {sample:,} documents is mined from a sample",
    )
    common.add_scoring_options(group)
    _add_other_options(parser)
    common.add_only_option(parser, "mine this source only; no other is compared with it")
    common.add_input_options(parser)
    common.add_run_options(parser, "number of processes; each with one source at a time, threads with --memory")


def _add_other_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("archives larger than memory")
    group.add_argument(
        "--memory",
        metavar="SIZE",
        type=number_types.parse_size,
        help="memory limit, such as 500M or 2G; a source that does not fit is mined from a sample",
    )
    group.add_argument(
        "--restart", action="store_true", help="with --memory: start over, do not continue an earlier run"
    )
    group = parser.add_argument_group("shared boilerplate")
    group.add_argument("--shared", action="store_true", help="also write the pack of what many sources share")
    told = f"least number of sources with a template, and {SharedConfig().share:.0%}% of all sources"
    common.add_field(group, SharedConfig, "least", told, "--shared-sources")


def run(args: argparse.Namespace, terminal: messages.Terminal) -> None:
    """Read, mine, write."""
    if args.output == "-":
        raise CorpusError("expected a folder for the packs, found standard output", "-", fatal=True)
    mined = _mine_in_memory(args, terminal) if args.memory is None else _mine_on_disk(args, terminal)
    if mixed := _explain_mixed_sources(args, mined):
        terminal.note(mixed)
    if unreadable := mined.dates.describe():
        terminal.note(unreadable)
    if args.memory is not None:
        _name_bugs(terminal, mined.outcomes)
    _print_summary(args, terminal, mined)
    if not terminal.skipped_packs and all(one.pack is None for one in mined.outcomes):
        terminal.note(_explain_no_packs(args, mined))
        terminal.end_with(1)


def _explain_mixed_sources(args: argparse.Namespace, mined: ArchiveReport) -> str:
    """Explain why records of several sources are one: by --source, or none is where it is looked for."""
    nameless = mined.nameless
    if overruled := common.describe_overruled(args, nameless.overruled):
        return overruled
    field = next((name for name, values in nameless.others.items() if len(values) > 1), None)
    if field is not None:
        told = f"their field {field!r} names {list_names(sorted(nameless.others[field]))}"
        way = f"--source-field {field} takes the source from it"
    elif len(nameless.hosts) > 1:
        told = f"they come from {list_names(sorted(nameless.hosts.values()))}"
        way = "--source-of host takes the source from the address"
    else:
        return ""
    number = counted(nameless.records, "record")
    return f"{number} without a field {args.source_field!r}: the name of the file is their source, though {told}; {way}"


def _name_earlier(args: argparse.Namespace, mined: ArchiveReport) -> list[str]:
    """Name the packs in the folder that are of other sources than this run, if there are any."""
    from templatemine.packs.pack_folder import read_pack_names

    earlier = sorted({*read_pack_names(args.output)} - {one.source for one in mined.outcomes})
    what = f"{counted(len(earlier), 'pack')} of earlier runs, which this one left as they are"
    return [f"{args.output} also holds {what}: {list_names(earlier)}"] if earlier else []


def _name_bugs(terminal: messages.Terminal, outcomes: Iterable[SourceOutcome]) -> None:
    """Name the packs that were not written, for nobody could read them; the first one stops a strict run."""
    for one in outcomes:
        if one.bug:
            terminal.skip_pack(one.bug)


def _explain_no_packs(args: argparse.Namespace, mined: ArchiveReport) -> str:
    """Explain why no source has a pack: nearly always each has too few documents."""
    from templatemine.mining.methods import resolve_defaults
    from templatemine.mining.shared_pack import SHARED_PACK

    least = resolve_defaults(_pipeline_config(args)).min_docs
    sources = [one for one in mined.outcomes if one.source != SHARED_PACK]
    largest = max(sources, key=lambda one: one.documents)
    return (
        f"no pack: expected a source with {least:,} documents or more, found {counted(len(sources), 'source')}, "
        f"the largest {largest.source!r} with {counted(largest.documents, 'document')} ({largest.note}); "
        "give more of each, --source NAME if all are of one source, or a smaller --min-docs"
    )


def _mine_in_memory(args: argparse.Namespace, terminal: messages.Terminal) -> ArchiveReport:
    from templatemine.archive.in_memory import mine_in_memory

    with terminal.progress() as steps:
        mined = mine_in_memory(
            _read_records(args, terminal),
            args.output,
            _pipeline_config(args),
            read=common.read_config(args),
            jobs=args.jobs,
            force=args.force,
            progress=steps,
            inspect=partial(_name_bugs, terminal),
        )
    return replace(mined, skipped=terminal.skipped)


def _read_records(args: argparse.Namespace, terminal: messages.Terminal) -> Iterator[Record]:
    records = common.read_nonempty_records(args.inputs, common.read_config(args), terminal)
    yield from common.select_records(args, records, terminal)
    terminal.tell_more_skipped()


def _mine_on_disk(args: argparse.Namespace, terminal: messages.Terminal) -> ArchiveReport:
    from templatemine.archive.run import ArchiveRun, RunConfig

    config = common.record_of(RunConfig, args, pipeline=_pipeline_config(args), read=common.read_config(args))
    common.check_inputs(args.inputs)
    with terminal.progress() as steps:
        run = ArchiveRun(
            args.inputs, args.output, config, progress=steps, tell=terminal.note, on_error=terminal.reader_report
        )
        mined = run.run()
    terminal.tell_more_skipped()
    return mined


def _pipeline_config(args: argparse.Namespace) -> PipelineConfig:
    tokenise = common.record_of(TokeniseConfig, args)
    if args.patterns_file is not None:
        from templatemine.text.patterns import load_user_patterns

        tokenise = replace(tokenise, user_patterns=load_user_patterns(args.patterns_file))
    return PipelineConfig(
        method=args.method,
        tokenise=tokenise,
        mine=common.record_of(MineConfig, args),
        sample=SampleConfig(exact=args.exact),
        shared=SharedConfig(least=args.shared_sources) if args.shared else None,
        **common.scoring_config(args),
    )


def _print_summary(args: argparse.Namespace, terminal: messages.Terminal, mined: ArchiveReport) -> None:
    if args.json:
        totals = {
            "documents": mined.documents,
            "duplicate_ids": mined.duplicates,
            "unreadable_dates": mined.dates.total(),
            **terminal.figures(),
            "skipped": mined.skipped,
        }
        terminal.print_json({**totals, "sources": [_source_json(one) for one in mined.outcomes]}, to_stdout=True)
        return
    header = ("source", ">documents", ">templates", ">rejected", "note")
    shown = sorted(mined.outcomes, key=lambda one: (-one.documents, one.source))
    rows = [_format_row(one) for one in shown]
    stakes = [one.documents if row[-1] else 0 for one, row in zip(shown, rows, strict=True)]
    terminal.say(*text_tables.capped_table(header, rows, stakes), "", *_format_totals(args, terminal, mined))
    terminal.say(*_suggest_next(args, mined))


def _suggest_next(args: argparse.Namespace, mined: ArchiveReport) -> list[str]:
    """Return the command that shows what cleaning would do, or what came near; nothing for an archive that cannot be
    read twice."""
    if not any(one.templates for one in mined.outcomes):
        near = shlex.join(("templatemine", "show", args.output, "--rejected", "--limit", "10"))
        return [f"next, see what came near: {near}"] if any(one.rejected for one in mined.outcomes) else []
    if "-" in args.inputs:
        return []
    words = ("explain", args.inputs[0], "--packs", args.output, "--limit", "3", "--context", "80")
    return [f"next, see what it cuts: {common.suggest_command(args, *words)}"]


def _source_json(one: SourceOutcome) -> dict[str, Any]:
    facts = messages.facts_of(one, "source", "documents", "pack", "note")
    if one.pack is not None:
        facts |= {**messages.facts_of(one, "templates", "cutoff_df", "copies"), "rejected": dict(one.rejected)}
        facts |= {"overrides": one.overrides} if one.overrides else {}
    return facts


def _format_row(one: SourceOutcome) -> tuple[str, ...]:
    if one.pack is None:
        return one.source, f"{one.documents:,}", "-", "-", f"no pack: {one.note}"
    note = f"no templates: {one.note}"
    if one.templates:
        note = f"{counted(one.copies, 'near-duplicate')} ignored" if one.copies >= _MANY_COPIES * one.documents else ""
    if one.overrides:
        note = f"{counted(one.overrides, 'override')} kept" + (f"; {note}" if note else "")
    return one.source, f"{one.documents:,}", f"{one.templates:,}", f"{sum(one.rejected.values()):,}", note


def _format_totals(args: argparse.Namespace, terminal: messages.Terminal, mined: ArchiveReport) -> list[str]:
    from templatemine.mining.shared_pack import SHARED_PACK
    from templatemine.packs.readable import DECODED

    packs = [one for one in mined.outcomes if one.pack is not None]
    templates = sum(one.templates for one in packs)
    written = f"{counted(len(packs), 'pack')} with {counted(templates, 'template')} in {args.output}"
    lines = [
        written if packs else "no pack is written",
        *_name_earlier(args, mined),
        f"{counted(mined.documents, 'document')} in {terminal.seconds:.1f} s",
    ]
    for one in mined.outcomes:
        if one.source == SHARED_PACK and one.pack is None:
            lines.append(f"no shared pack: {one.note} (--shared-sources, --min-docs)")
        elif one.source == SHARED_PACK and not one.templates:
            lines.append(f"no string is shared: {SHARED_PACK} cuts nothing as a fallback of clean")
    if decoded := [one.source for one in packs if one.templates and one.note.endswith(DECODED)]:
        lines.append(f"{DECODED} to find templates: {list_names(decoded)} (--text-markup)")
    if mined.skipped:
        lines.append(f"{counted(mined.skipped, 'document')} skipped")
    if mined.duplicates:
        lines.append(f"{counted(mined.duplicates, 'document')} with an id seen before (kept)")
    return lines + terminal.notes()
