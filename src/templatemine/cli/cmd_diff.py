"""``templatemine diff``: two packs, or two folders of packs -> what a review has to look at."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from templatemine.cli import common, messages, pack_paths, text_tables
from templatemine.errors import ConfigError, counted
from templatemine.progress import report_reading

if TYPE_CHECKING:
    from templatemine.model import Template
    from templatemine.packs.pack import Pack
    from templatemine.report.pack_diff import CutDifference, PackDiff

DESCRIPTION = """\
Compares packs before and after: two packs, or two folders, such as checkouts of
a repository. Lists the templates that were added (+), removed (-) and changed
(~), and those whose share of the documents moved by more than chance (^).

With --archive, also prints how many characters of its articles only one of both
removes, for each template and in all.
"""

_MAX_LISTED = 10

COMMON = ("--archive", "--limit", "--full", "--json")

NEEDS = common.archive_needs("to compare one source give its two packs")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("old", metavar="OLD", help=common.ONE_PACK_HELP)
    parser.add_argument("new", metavar="NEW", help="another one")
    common.add_archive_option(parser)
    common.add_number(parser, "--limit", 0, _MAX_LISTED, "rows of each kind for a source; 0 for all", short="-n")
    parser.add_argument("--full", action="store_true", help="print strings in full, however narrow the terminal")
    parser.add_argument("--json", action="store_true", help="print JSON")
    common.add_input_options(parser)
    common.add_reading_options(parser.add_argument_group("running"), "no progress")


def run(args: argparse.Namespace, terminal: messages.Terminal) -> None:
    """Load, compare, measure, print."""
    from templatemine.report.pack_diff import diff_packs, measure_diffs

    old, new = _load_both(args.old, args.new, terminal)
    diffs = diff_packs(old, new, measured=bool(args.archive))
    left_out = 0
    if args.archive:
        records = common.read_archive(args, terminal)
        with terminal.progress() as steps:
            documents = (record.document for record in report_reading(records, steps))
            left_out = measure_diffs(diffs, documents, on_error=terminal.reader_report)
        terminal.tell_more_skipped()
    if args.json:
        terminal.print_json({"sources": [_source_json(one) for one in diffs]}, to_stdout=True)
        return
    width = None if args.full else text_tables.terminal_width(sys.stdout)
    lines = [line for one in diffs if one for line in (*_format_source(one, args.limit, width), "")]
    notes = [f"{counted(left_out, 'document')} of sources without packs"] if left_out else []
    messages.print_text("\n".join([*lines, *_format_sum(diffs), *notes, *terminal.notes()]) + "\n")


def _load_both(old: str, new: str, terminal: messages.Terminal) -> tuple[Mapping[str, Pack], Mapping[str, Pack]]:
    """Load the packs of both sides; two files are compared whatever their sources."""
    from templatemine.packs.pack import Pack
    from templatemine.packs.pack_folder import PackFiles

    old, new = pack_paths.find_pack(old), pack_paths.find_pack(new)
    if os.path.isdir(old) != os.path.isdir(new):
        folder, file = (old, new) if os.path.isdir(old) else (new, old)
        raise ConfigError(
            f"OLD and NEW: expected two packs or two folders of packs, got one of each: {folder} is a folder, {file} "
            f"is none; {os.path.join(folder, 'SOURCE')} is the pack of a source in it"
        )
    if not os.path.isdir(old):
        before, after = Pack.load(old), Pack.load(new)
        if before.source != after.source:
            terminal.note(
                f"the packs are of two sources, {before.source!r} and {after.source!r}: what follows compares "
                "these, and not one source before and after"
            )
        return {after.source: before}, {after.source: after}
    before_all, after_all = (PackFiles([path], errors="skip").load_all(terminal.skip_bad_pack) for path in (old, new))
    return before_all, after_all


# --------------------------------------------------------------------------------------------------------- for people


def _format_source(one: PackDiff, limit: int, width: int | None) -> list[str]:
    """Format a source: its packs, then a row for each template; within a kind, most characters first."""
    measured = one.cuts is not None
    header = ("", ">documents", ">share", *((">characters",) if measured else ()), "template")
    rows: list[tuple[str, ...]] = []
    for mark, pairs in one.rows().items():
        for old, new in pairs[: limit or None]:
            characters = (_format_characters(one.cuts, old, new),) if one.cuts is not None else ()
            rows.append((mark, *_format_shares(one, old, new), *characters, _format_texts(old, new)))
        if limit and len(pairs) > limit:
            more = f"and {len(pairs) - limit:,} more (--limit 0 lists all)"
            rows.append((mark, "", "", *(("",) if measured else ()), more))
    told = messages.escape_line(one.source)
    head = f"{told}: {_format_pack(one.old)} -> {_format_pack(one.new)}"
    return [head, *text_tables.format_table(header, rows, width)] if rows else [head]


def _format_pack(pack: Pack | None) -> str:
    if pack is None:
        return "no pack"
    return f"{counted(len(pack.templates), 'template')} of {counted(pack.documents, 'document')}"


def _format_shares(one: PackDiff, old: Template | None, new: Template | None) -> tuple[str, str]:
    """Format document frequency and share, of both packs where both have the template."""
    found = one.shares(old, new)
    counts = " -> ".join(f"{df:,}" for df, _ in found)
    return counts, " -> ".join("-" if share is None else f"{share:.1%}" for _, share in found)


def _format_characters(cuts: CutDifference, old: Template | None, new: Template | None) -> str:
    less, more = cuts.of_template(old, new)
    return " ".join([*([f"-{less:,}"] if less else []), *([f"+{more:,}"] if more else [])]) or "0"


def _format_texts(old: Template | None, new: Template | None) -> str:
    return " -> ".join(dict.fromkeys(text_tables.format_template(one) for one in (old, new) if one is not None))


def _format_sum(diffs: list[PackDiff]) -> list[str]:
    """Format the totals of all sources: counts, and the characters of the archive."""
    differing = [one for one in diffs if one]
    counts = {
        "added": sum(len(one.changes.added) for one in diffs),
        "removed": sum(len(one.changes.removed) for one in diffs),
        "changed": sum(len(one.changes.changed) for one in diffs),
        "moved": sum(len(one.moved) for one in diffs),
    }
    told = ", ".join(f"{number:,} {what}" for what, number in counts.items())
    lines = [f"{len(differing):,} of {counted(len(diffs), 'source')} with differences; templates: {told}"]
    cuts = [one.cuts for one in diffs if one.cuts is not None]
    if cuts:
        size = sum(one.characters for one in cuts)
        old, new = sum(one.old_cut for one in cuts), sum(one.new_cut for one in cuts)
        lines += [
            f"characters removed: {_share(old, size)} -> {_share(new, size)}; in spans, no longer: "
            f"{sum(one.only_old for one in cuts):,}, now: {sum(one.only_new for one in cuts):,}; "
            f"{sum(one.differing for one in cuts):,} of {counted(sum(one.documents for one in cuts), 'article')} differ"
        ]
    return lines


def _share(part: int, whole: int) -> str:
    return f"{part:,} ({part / whole:.1%})" if whole else f"{part:,}"


# ------------------------------------------------------------------------------------------------------- for machines


def _source_json(one: PackDiff) -> dict[str, Any]:
    cuts = one.cuts
    less, more = _by_template(cuts)
    facts: dict[str, Any] = {
        "source": one.source,
        "documents": [None if pack is None else pack.documents for pack in (one.old, one.new)],
        "templates": [None if pack is None else len(pack.templates) for pack in (one.old, one.new)],
        "added": [_template_json(new, None, more) for new in one.changes.added],
        "removed": [_template_json(old, less, None) for old in one.changes.removed],
        "changed": [_pair_json(old, new, cuts) for old, new in one.changes.changed],
        "moved": [_pair_json(old, new, cuts) for old, new in one.moved],
    }
    if cuts is not None:
        names = ("documents", "differing", "characters", "old_cut", "new_cut", "only_old", "only_new")
        facts["archive"] = messages.facts_of(cuts, *names)
    return facts


def _pair_json(old: Template, new: Template, cuts: CutDifference | None) -> dict[str, Any]:
    less, more = _by_template(cuts)
    return {"from": _template_json(old, less, None), "to": _template_json(new, None, more)}


def _by_template(cuts: CutDifference | None) -> tuple[Mapping[str, int] | None, Mapping[str, int] | None]:
    """Return, by template, the characters that are no longer removed, and those that are now."""
    return (None, None) if cuts is None else (cuts.old_by_template, cuts.new_by_template)


def _template_json(
    template: Template, less: Mapping[str, int] | None, more: Mapping[str, int] | None
) -> dict[str, Any]:
    facts = messages.facts_of(template, "id", "tokens", "anchor", "df", "count")
    if template.tokens is None:
        facts["regex"] = template.regex
    for name, by_template in (("no_longer_removed", less), ("now_removed", more)):
        if by_template is not None:
            facts[name] = by_template[template.id]
    return facts
