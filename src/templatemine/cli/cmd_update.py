"""``templatemine update``: new documents -> packs that are up to date."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from templatemine.cli import common, messages, number_types, text_tables
from templatemine.config import PipelineConfig, TokeniseConfig
from templatemine.errors import ConfigError, counted

if TYPE_CHECKING:
    from templatemine.archive.update import SourceUpdate
    from templatemine.archive.window import WindowConfig
    from templatemine.cli.parser import Parser
    from templatemine.model import Template

DESCRIPTION = """\
Brings packs up to date with new documents, and prints which expressions were
added, removed and changed. Give the first update the whole archive, which
fills the windows, and later ones only new documents.

A hidden folder beside the packs keeps a window for each source: its newest
documents, from which its pack is mined. Only sources with new documents are
mined again. A pack stays unchanged until its window holds enough documents, or
while it has an error, which is reported.
In the table, "given" counts the documents that were read, "window" those in the
window, and "new" those of them that were not known before, or have changed.
An expression that is no longer found in the window stays in the pack for a
while, counted as "kept". It goes when enough documents in a row are without it,
or when mining rejects it. Its line then says how many documents still have it,
and the line below names the command that keeps the first; --json has all rules.
--dry-run shows what would change. Packs that will be learnt from fewer
documents than before are named before anything is written.

A folder that is missing, and a source that the folder has neither a pack nor a
window of, are refused unless --new-sources is given; an empty folder takes all
sources. Records without a source would get the name of their file as one:
--source NAME says whose they are.

A document that is given again (the same id) replaces the old one; it is counted
if its text has changed. Packs and windows change together or not at all; a run
that ends early has changed nothing and starts anew.

A source that has a pack is mined with the options of that pack: its method,
caution, separators and own patterns. --caution counts instead of that of the
packs, and they keep it. All other options have their defaults. Packs do not
record the model: give the same --model as when they were mined. A source
without a pack is mined with the defaults. If it needs other options, such as
own patterns, first run "mine --patterns-file ... -o PACKS" on its documents.
"""

_MAX_LISTED, _MAX_TEXT, _MAX_NAMED = 10, 100, 40
_DAYS, _LEAST = 14, 500
"""Of `window.WindowConfig`, here so that --help need not import it; a test holds the two together."""

COMMON = ("--window", "--dry-run", "--new-sources", "--source-of", "--source", "--text-field", "--caution", "--json")


def add(parser: Parser) -> None:
    """Add the options."""
    packs = parser.add_argument("packs", metavar="PACKS", help="folder of the packs; created with --new-sources")
    inputs = parser.add_argument("inputs", metavar="INPUT", nargs="+", help=common.INPUT_HELP)
    common.name_packs(parser, packs, inputs)
    common.name_inputs(parser, inputs, packs)
    group = parser.add_argument_group("window")
    group.add_argument(
        "--window",
        metavar="DAYS",
        type=number_types.number_of("WindowConfig.days"),
        default=_DAYS,
        help="keep documents of the last DAYS days (default: %(default)s); up to the newest ...",
    )
    told = "... or the newest N, if these are more; a pack of more documents waits for N"
    common.add_number(group, "--least", 1, _LEAST, told)
    parser.add_argument(
        "--new-sources",
        action="store_true",
        help="also make packs of new sources, and a missing folder; always, if it is empty",
    )
    group.add_argument(
        "--today", metavar="DAY", help="the date of undated documents, such as 2024-05-31 (default: today)"
    )
    parser.add_argument("--dry-run", action="store_true", help="write nothing, show what would change")
    group.add_argument(
        "--memory", metavar="SIZE", type=number_types.parse_size, default=1 << 30, help="memory limit (default: 1G)"
    )
    mining = parser.add_argument_group("mining")
    common.add_scoring_options(mining, of_packs=True)
    common.add_text_markup(mining)
    common.add_only_option(parser, "take in documents of this source only")
    common.add_input_options(parser)
    common.add_run_options(parser, "")


def run(args: argparse.Namespace, terminal: messages.Terminal) -> None:
    """Read, mine the windows, write."""
    from datetime import UTC, datetime

    from templatemine.archive.update import UpdateConfig, update_packs
    from templatemine.archive.window import WindowConfig
    from templatemine.text.dates import resolve_day

    today = args.today or datetime.now(UTC).date().isoformat()
    if resolve_day(today) != today:
        raise ConfigError(f"--today: expected a date such as 2024-05-31, got {today!r}")
    common.check_inputs(args.inputs)
    config = common.record_of(
        UpdateConfig,
        args,
        today=today,
        pipeline=PipelineConfig(tokenise=TokeniseConfig(text_markup=args.text_markup), **common.scoring_config(args)),
        read=common.read_config(args),
        window=WindowConfig(days=args.window, least=args.least),
    )
    with terminal.progress() as steps:
        found = update_packs(
            args.packs,
            args.inputs,
            config,
            progress=steps,
            tell=terminal.note,
            on_error=terminal.reader_report,
            on_bad_pack=terminal.skip_pack,
            on_start=lambda: terminal.say(_describe_window(config.window)),
        )
    if terminal.skipped and not found:
        raise common.no_documents_error(terminal, args.inputs)
    terminal.tell_more_skipped()
    if args.json:
        terminal.print_json({**terminal.figures(), "sources": [_source_json(one) for one in found]}, to_stdout=True)
        return
    mined = (">templates", ">rejected", ">kept", ">added", ">removed", ">changed")
    header = ("source", ">given", ">new", ">window", "days", *mined, "note")
    shown = sorted(found, key=lambda one: (-one.given, one.source))
    stakes = [one.given if one.note else 0 for one in shown]
    if shown:
        terminal.say(*text_tables.capped_table(header, [_format_row(one) for one in shown], stakes))
    for one in shown:
        terminal.say(*_format_changes(one, args.packs))
    if notes := [*_format_notes(found, args.dry_run), *terminal.notes()]:
        terminal.say("", *notes)


def _describe_window(window: WindowConfig) -> str:
    """Say which documents packs are mined from, before anything is read."""
    days = "the newest day" if window.days == 1 else f"the {window.days:,} days up to the newest"
    newest = f"the newest {window.least:,} if these are more"
    return f"packs are mined from windows: of each source, documents of {days}, or {newest} (--window, --least)"


def _format_notes(found: Sequence[SourceUpdate], dry_run: bool) -> list[str]:
    """Format what is told once of all sources."""
    notes = []
    if replaced := sum(one.replaced for one in found):
        notes.append(f"{counted(replaced, 'document')} with a known id and a different text (the last version counts)")
    if short := sum(one.is_short for one in found):
        wait, it = ("waits for a larger window", "it") if short == 1 else ("wait for larger windows", "them")
        notes.append(f"{counted(short, 'pack')} {wait}: give the archive once, before the new documents, to fill {it}")
    return [*notes, *(["nothing has been written (--dry-run)"] if dry_run else [])]


def _format_row(one: SourceUpdate) -> tuple[str, ...]:
    changes = one.changes
    numbers = (f"{len(changes.added):,}", f"{len(changes.removed):,}", f"{len(changes.changed):,}")
    templates = "-" if one.templates is None else f"{one.templates:,}"
    rejected = "-" if one.rejected is None else f"{sum(one.rejected.values()):,}"
    note = f"pack unchanged: {one.note}" if one.note else ""
    return (
        one.source,
        f"{one.given:,}",
        f"{one.new:,}",
        f"{one.window:,}",
        f"{one.first} to {one.last}" if one.first else "-",
        templates,
        rejected,
        f"{one.kept:,}",
        *numbers,
        note,
    )


def _format_changes(one: SourceUpdate, folder: str) -> list[str]:
    """Format the expressions of a source that were added, removed and changed, the most frequent first; and how to keep
    one that went though documents have it."""
    changes = one.changes
    if not changes:
        return []
    lines = ["", messages.escape_line(one.source)]
    marked = [
        *(f"~ {_format_template(old)} -> {_format_template(new)}" for old, new in changes.changed),
        *(f"+ {_format_template(template)}" for template in changes.added),
        *(f"- {_format_removed(template, one)}" for template in _by_what_is_left(one)),
    ]
    for kind in "~+-":
        of_kind = [line for line in marked if line.startswith(kind)]
        lines += [f"  {line}" for line in of_kind[:_MAX_LISTED]]
        if len(of_kind) > _MAX_LISTED:
            lines.append(f"  {kind} and {len(of_kind) - _MAX_LISTED:,} more (--json lists all)")
    first = next((template for template in _by_what_is_left(one) if template.id in one.left), None)
    return lines if first is None else [*lines, *_format_rule(first, one.source, folder)]


def _format_rule(template: Template, source: str, folder: str) -> list[str]:
    """Format how to keep an expression that an update takes out of a pack."""
    from templatemine.packs.readable import shorten, template_text

    which = messages.escape_line(shorten(template_text(template), _MAX_NAMED))
    command = shlex.join(("templatemine", "ask", folder, "--only", source, "--accept", template.id))
    return [f'  to keep "{which}": {messages.escape_line(command)}']


def _by_what_is_left(one: SourceUpdate) -> list[Template]:
    return sorted(one.changes.removed, key=lambda template: -one.left.get(template.id, 0))


def _format_removed(template: Template, one: SourceUpdate) -> str:
    """Format an expression that was removed, and say so if documents of the window still have it."""
    left = one.left.get(template.id, 0)
    told = f"  (rejected now; still in {left:,} of {counted(one.window, 'document')})" if left else ""
    return _format_template(template) + told


def _format_template(template: Template) -> str:
    return text_tables.format_template(template, _MAX_TEXT)


def _source_json(one: SourceUpdate) -> dict[str, Any]:
    from templatemine.packs.overrides import accept_rule

    changes = one.changes
    return {
        **messages.facts_of(one, "source", "given", "new", "window", "replaced", "first", "last", "templates"),
        **({} if one.rejected is None else {"rejected": dict(one.rejected)}),
        **messages.facts_of(one, "kept", "unreadable_dates", "documents_before", "note"),
        "added": [_template_json(template) for template in changes.added],
        "removed": [
            {
                **_template_json(template),
                "left": one.left.get(template.id, 0),
                **({"rule": accept_rule(template).as_dict()} if template.id in one.left else {}),
            }
            for template in _by_what_is_left(one)
        ],
        "changed": [{"from": _template_json(old), "to": _template_json(new)} for old, new in changes.changed],
    }


def _template_json(template: Template) -> dict[str, Any]:
    return messages.facts_of(template, "id", "tokens", "anchor", "df")
