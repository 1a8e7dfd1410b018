"""``templatemine drift``: counts of matches -> warnings that a site has changed."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from templatemine.cli import common, messages, pack_paths, text_tables

if TYPE_CHECKING:
    from templatemine.cleaning.drift import DriftAlert, SourceDrift
    from templatemine.cli.parser import Parser
    from templatemine.packs.pack import Pack

DESCRIPTION = """\
Reads the counts of "clean --hits PACKS/hits" and warns if a site has probably
changed: if an expression that used to match has stopped, or if the share of
removed text has changed. Then the pack should be updated or mined again.

The first documents of a source define what is normal. As long as nothing
changes, a source gives at most one false warning in 100,000 documents.

Exit code 1: there are warnings, so that a cron job can tell.
"""

OF_ARTICLES = (
    "drift takes packs alone, and the counts that cleaning makes: templatemine clean {inputs} --packs {packs} "
    "-o cleaned.jsonl --hits {packs}/hits"
)

COMMON = ("--hits", "--between", "--reference", "--json", "--quiet")


def add(parser: Parser) -> None:
    """Add the options."""
    common.name_packs(parser, parser.add_argument("packs", metavar="PACKS", help=common.ONE_PACK_HELP), None)
    parser.add_argument("--hits", metavar="FOLDER", help="folder of the counts (default: PACKS/hits)")
    common.add_number(
        parser, "--between", 1, 100_000, "average number of documents of a source between two false warnings"
    )
    common.add_number(parser, "--reference", 1, 200, "first documents of a source, which define what is normal")
    parser.add_argument("--json", action="store_true", help="print the result as JSON on standard output")
    parser.add_argument("--quiet", "-q", action="store_true", help="print only warnings, no table")


def run(args: argparse.Namespace, terminal: messages.Terminal) -> None:
    """Read, watch, warn."""
    from templatemine.cleaning.drift import DriftConfig, detect_drift
    from templatemine.cleaning.hits import read_hits
    from templatemine.packs.pack_folder import PackFiles

    path = pack_paths.find_pack(args.packs)
    packs = PackFiles([path], errors="skip").load_all(terminal.skip_bad_pack)
    is_folder = os.path.isdir(path)
    days = read_hits(args.hits or os.path.join(path if is_folder else os.path.dirname(path), "hits"))
    if not is_folder:
        days = {source: by_day for source, by_day in days.items() if source in packs}
    config = DriftConfig(documents=args.between, reference=args.reference)
    found = [detect_drift(source, by_day, config) for source, by_day in sorted(days.items())]
    if any(one.warnings for one in found):
        terminal.end_with(1)
    if args.json:
        terminal.print_json({"sources": [_source_json(one, packs.get(one.source)) for one in found]}, to_stdout=True)
        return
    header = ("source", ">reference", ">watched", ">expressions", ">warnings", "note")
    rows = [
        (
            one.source,
            f"{one.reference:,}",
            f"{one.documents:,}",
            f"{one.expressions:,}",
            f"{len(one.warnings):,}",
            _format_note(one),
        )
        for one in sorted(found, key=lambda one: (-len(one.warnings), one.source))
    ]
    terminal.say(*text_tables.capped_table(header, rows), "")
    for one in found:
        for line in _format_source(one, packs.get(one.source)):
            messages.print_text(f"{messages.escape_line(one.source)}: {line}\n")


_MAX_LISTED = 5


def _format_source(one: SourceDrift, pack: Pack | None) -> list[str]:
    """Format the warnings of a source, the most certain first; if many expressions stopped, some of them."""
    shares = [warning for warning in one.warnings if warning.kind != "stopped"]
    stopped = sorted((warning for warning in one.warnings if warning.kind == "stopped"), key=lambda w: -w.before)
    lines = [_format_warning(warning, pack) for warning in (*shares, *stopped[:_MAX_LISTED])]
    if len(stopped) > _MAX_LISTED:
        days = sorted(warning.since for warning in stopped)
        lines.append(
            f"{len(stopped):,} of {one.expressions:,} expressions stopped in all, half of them by "
            f"{days[(len(days) - 1) // 2]} (--json lists all)"
        )
    return [messages.escape_line(line) for line in lines]


def _format_note(one: SourceDrift) -> str:
    without = f"{one.undated:,} undated" if one.undated else ""
    return "; ".join(part for part in (one.note, without) if part)


def _template_text(name: str, pack: Pack | None) -> str:
    template = next((one for one in pack.templates if one.id == name), None) if pack is not None else None
    if template is None:
        return f"{name} (no longer in the pack)"
    text = " ".join(template.example.split())
    return f"{name} “{text if len(text) <= 80 else text[:79] + '…'}”"


def _format_warning(warning: DriftAlert, pack: Pack | None) -> str:
    when = f"since {warning.since}, noticed {warning.day}"
    if warning.kind == "stopped":
        name = _template_text(warning.template, pack)
        return f"{name} stopped: in {warning.before:.1%} of documents, now {warning.after:.1%}; {when}"
    when += ", with an earlier pack" if warning.other_pack else ""
    return f"{warning.kind} is removed than before: {warning.before:.1%} of the text, now {warning.after:.1%}; {when}"


def _source_json(one: SourceDrift, pack: Pack | None) -> dict[str, Any]:
    warnings = [
        {
            "kind": warning.kind,
            "template": warning.template or None,
            "since": warning.since,
            "noticed": warning.day,
            **messages.facts_of(warning, "before", "after", "other_pack"),
            "message": _format_warning(warning, pack),
        }
        for warning in one.warnings
    ]
    return {
        "source": one.source,
        "reference": one.reference,
        "watched": one.documents,
        **messages.facts_of(one, "expressions", "undated", "note"),
        "warnings": warnings,
    }
