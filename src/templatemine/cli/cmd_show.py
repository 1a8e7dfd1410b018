"""``templatemine show``: prints the contents of a pack, or the packs of a folder."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice, repeat
from typing import TYPE_CHECKING, Any

from templatemine.cli import common, messages, number_types, pack_paths, text_tables
from templatemine.controls import escape_regex
from templatemine.errors import ConfigError, CorpusError, PackError, counted
from templatemine.kinds import DEFAULT_POLICY, POLICIES, parse_kinds

if TYPE_CHECKING:
    from templatemine.cli.parser import Parser
    from templatemine.model import PageHistory, RejectedCandidate, Template
    from templatemine.packs.overrides import Overrides
    from templatemine.packs.pack import Pack

DESCRIPTION = """\
Shows a pack: its source, a histogram of strings over document frequency, and
its templates. Words in braces are patterns: {number} matches any number; --why
has an example. A dash or bar that a cut would leave alone goes with it, and is
not shown: JAKARTA also cuts "JAKARTA -". Variants of a string are indented
below the most frequent one, at most three unless --limit 0 lists all; --json
lists their ids as "families".
Of a folder, lists the packs, each with its histogram over the share of
documents, 0 to 100%; with --rejected, their rejected candidates.

On a terminal long strings are cut to its width; elsewhere, and with --full,
they are printed in full.
"""

_MAX_TEMPLATES = 30
_MAX_VARIANTS = 3
"""Rows of a family below its first, where rows are limited: there may be dozens of "Read more"."""
_MAX_EXAMPLE = 80
"""Characters of an example."""
_NEAREST, _FREQUENT, _MIN_FREQUENT = 10, 0.1, 10
"""Rejected candidates worth a decision: so many that are nearest to being templates, and those in such a share of the
documents, and in so many."""
_SPARKLINE_WIDTH = 20
"""Columns of a histogram in the list of a folder."""

OF_ARTICLES = "show takes a pack alone, and explain shows its cuts: templatemine explain {inputs} --packs {packs}"

COMMON = ("--why", "--kind", "--rejected", "--regex", "--limit", "--full", "--json")


def add(parser: Parser) -> None:
    """Add the options."""
    common.name_packs(parser, parser.add_argument("pack", metavar="PACK", help=common.ONE_PACK_HELP), None)
    parser.add_argument(
        "--rejected",
        action="store_true",
        help="list the rejected candidates worth a decision, with the reasons; first those that ask asks about, "
        "with the characters at stake; --limit 0 lists all",
    )
    parser.add_argument("--why", action="store_true", help="also print the reasons for and against each template")
    parser.add_argument(
        "--kind", metavar="KINDS", help="list templates of these kinds of boilerplate only, such as caption,byline"
    )
    parser.add_argument("--regex", action="store_true", help="print the expressions instead of the words")
    parser.add_argument(
        "--limit",
        "-n",
        metavar="N",
        type=number_types.int_at_least(0),
        help=f"maximum number of rows; 0 for all (default: {_MAX_TEMPLATES}, with --json 0)",
    )
    parser.add_argument("--full", action="store_true", help="print strings in full, however narrow the terminal")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace, terminal: messages.Terminal) -> None:
    """Load and print."""
    args.pack = pack_paths.find_pack(args.pack)
    if os.path.isdir(args.pack):
        for name in ("why", "regex", "kind"):
            if getattr(args, name):
                raise ConfigError(f"--{name}: expected a pack, got a folder of packs; give one of its files")
        _show_folder(args, terminal)
        return
    from templatemine.packs.pack import Pack

    pack = whole = Pack.load(args.pack)
    if args.kind is not None:
        kinds = parse_kinds(args.kind, "--kind")
        pack = replace(pack, templates=tuple(one for one in pack.templates if one.kind in kinds))
    if args.json:
        messages.print_text(json.dumps(_pack_json(args, pack), indent=1) + "\n")
        return
    width = None if args.full else text_tables.terminal_width(sys.stdout)
    limit = _MAX_TEMPLATES if args.limit is None else args.limit
    listed = (
        _format_rejected(pack, args.pack, args.limit, width)
        if args.rejected
        else _format_templates(pack, args, limit, width)
    )
    messages.print_text("\n".join([*_format_header(whole, width), "", *listed]) + "\n")


def _pack_json(args: argparse.Namespace, pack: Pack) -> dict[str, Any]:
    from templatemine.packs.families import group_families

    limit = args.limit or None
    facts: dict[str, Any] = json.loads(pack.to_json())
    facts["templates"] = [one.as_dict() for one in pack.templates[:limit]]  # with their expressions in full
    del facts["boundaries"]
    facts["families"] = [
        [pack.templates[place].id for place in family] for family in group_families(pack.templates[:limit])
    ]
    if args.rejected:
        facts["rejected_candidates"] = _rejected_json(pack, args.pack, limit)
    return facts


def _rejected_json(pack: Pack, file: str, limit: int | None) -> list[dict[str, Any]]:
    from templatemine.packs.pack_record import template_id

    names, asked = ("tokens", "df", "count", "reason"), _asked_candidates(pack, file)
    stakes = [{"stake": stake} for _, stake in asked]
    rows = islice(_order_rejected(asked, file), limit)
    return [
        {"id": template_id(row[0]), **dict(zip(names, row, strict=False)), **stake}
        for row, stake in zip(rows, chain(stakes, repeat({})), strict=False)
    ]


def _asked_candidates(pack: Pack, file: str) -> list[tuple[RejectedCandidate, int]]:
    """Return the rejected candidates that the open questions of a pack are about, each with the characters at stake,
    the most first."""
    from templatemine.archive.apply_answers import current_removal, open_questions
    from templatemine.packs.pack_folder import read_rejected

    stakes = {one.tokens: one.stake for one in reversed(open_questions(pack)) if not current_removal(pack, one)}
    rows = (row for row in read_rejected(file) if row[0] in stakes)
    found = [(row, stakes[row[0]]) for row in islice(rows, len(stakes))]
    return sorted(found, key=lambda one: -one[1])


def _select_rejected(pack: Pack, asked: Sequence[tuple[RejectedCandidate, int]], file: str) -> list[RejectedCandidate]:
    """Return those that a person may want to decide: asked about; once templates; or of two words or more, for one is
    in every story, and the nearest to being some, or frequent."""
    first = [row for row, _ in asked]
    withdrawn: list[RejectedCandidate] = []  # the first in the file, but for those that other templates cover
    nearest: list[RejectedCandidate] = []
    frequent: list[RejectedCandidate] = []
    least = max(_MIN_FREQUENT, _FREQUENT * pack.documents)
    for row in islice(_order_rejected(asked, file), len(first), None):
        near = withdrawn if row.example and not nearest else nearest
        if len(near) < _NEAREST and (row[0][1:] or near is withdrawn):
            near.append(row)
        elif row[0][1:] and row[1] >= least:
            frequent.append(row)
    return [*first, *withdrawn, *nearest, *sorted(frequent, key=lambda row: -row[1])]


def _order_rejected(asked: Sequence[tuple[RejectedCandidate, int]], file: str) -> Iterator[RejectedCandidate]:
    """Yield those rejected candidates, and then all others in the order of their file."""
    from templatemine.packs.pack_folder import read_rejected

    first = {row[0]: row for row, _ in asked}
    yield from first.values()
    yield from (row for row in read_rejected(file) if row[0] not in first)


# ------------------------------------------------------------------------------------------------------------- a pack


def _format_header(pack: Pack, width: int | None) -> list[str]:
    dates = _format_dates(pack)
    own = ", ".join(own.name for own in pack.tokenise.user_patterns)
    separators = f"white space and {' '.join(pack.tokenise.separators)}" if pack.tokenise.separators else "white space"
    rows = [
        ("source", pack.source),
        ("documents", f"{pack.documents:,}" + (f", {dates}" if dates else "")),
        (
            "mined from",
            f"{'HTML' if pack.html else 'text'}, tokens separated by {separators}, {len(pack.enabled)} patterns"
            + (f" and your own: {own}" if own else "")
            + (", tags and entities decoded" if pack.reading.markup else "")
            + (f", texts cut off at {pack.reading.cut_off:,} characters" if pack.reading.cut_off else ""),
        ),
        ("method", f"{pack.mined_by} ({pack.generator})"),
        ("cut-off", _format_cutoff(pack)),
        ("templates", f"{len(pack.templates):,}"),
        *((("kinds", _format_kinds(pack)),) if pack.has_kinds else ()),
        *((("decisions", _format_decisions(pack.overrides)),) if pack.overrides.rules else ()),
        *((("pages", _format_pages(pack.pages)),) if pack.pages is not None else ()),
        ("rejected", counted(sum(pack.rejected.values()), "candidate")),
        *(("", f"{number:,} {reason}") for reason, number in pack.rejected.items()),
    ]
    lines = [line for name, value in rows for line in _wrap_field(name, messages.escape_line(value), width)]
    return [*lines, "", *_format_histogram(pack, width)]


def _format_kinds(pack: Pack) -> str:
    """Format the number of templates of each kind, the most first."""
    counts = Counter(one.kind or "none known" for one in pack.templates)
    return ", ".join(f"{number:,} {kind}" for kind, number in counts.most_common())


_NAME_WIDTH = 12


def _wrap_field(name: str, value: str, width: int | None) -> list[str]:
    pieces = [value] if width is None else textwrap.wrap(value, max(width - _NAME_WIDTH - 1, 20))
    return [f"{name if not place else '':{_NAME_WIDTH}}{piece}" for place, piece in enumerate(pieces or [""])]


def _wrap_line(line: str, width: int | None) -> list[str]:
    """Wrap a line, with a hanging indent."""
    return [line] if width is None else textwrap.wrap(line, max(width - 1, 20), subsequent_indent="  ")


def _format_cutoff(pack: Pack) -> str:
    cutoff = pack.cutoff
    if cutoff.method == "score":
        from templatemine.packs.readable import describe_choice

        return f"none: {describe_choice(pack)}"
    if cutoff.df is None:
        return f"none: {cutoff.note}"
    return f"in at least {cutoff.df:,} documents ({cutoff.df / max(pack.documents, 1):.1%}): {cutoff.note}"


def _format_decisions(overrides: Overrides) -> str:
    """Format the decisions of people about the pack."""
    kinds = Counter(rule.action for rule in overrides.rules)
    told = ", ".join(f"{number:,} {action}" for action, number in kinds.items())
    removed, added = counted(len(overrides.removed), "template"), f"{len(overrides.added):,}"
    return f"{told}; {removed} removed and {added} added by them"


def _format_pages(history: PageHistory) -> str:
    """Format what the pack knows of the pages of its source."""
    kept = f"{history.share:.0%} of the words of {counted(history.documents, 'page')} taken for main text"
    paths, texts = counted(len(history.paths), "path"), counted(len(history.texts), "text")
    return f"{kept}; votes on {paths}; {texts} repeated on several pages"


def _format_histogram(pack: Pack, width: int | None) -> list[str]:
    """Draw the number of strings by share of documents, on a log scale, with a mark below the cut-off."""
    counts = [max(count, 0) for count in pack.cutoff.histogram]
    if not counts:
        return []
    from templatemine.report.histogram import sparkline

    bins = len(counts)
    columns = bins if width is None or bins + 12 <= width else bins // 2
    merged = -(-bins // columns)
    line = sparkline(counts, columns, _bar_characters())
    lines = ["strings by share of documents (log scale)", f"  0% {line} 100%"]
    if pack.cutoff.df is not None and pack.documents:
        share = pack.cutoff.df / pack.documents
        place = min(max(math.ceil(share * bins) - 1, 0), bins - 1) // merged
        lines.append(" " * (5 + place) + f"^ cut-off, {share:.1%}")
    return lines


def _bar_characters() -> str:
    """Return the bars that standard output can encode."""
    from templatemine.report.histogram import BARS, PLAIN_BARS

    try:
        BARS.encode((sys.stdout and sys.stdout.encoding) or "utf-8")
    except UnicodeEncodeError:
        return PLAIN_BARS
    return BARS


def _format_templates(pack: Pack, args: argparse.Namespace, limit: int, width: int | None) -> list[str]:
    if not pack.templates:
        return ["no templates"]
    from templatemine.packs.families import group_families
    from templatemine.packs.readable import describe_position, describe_reasons_once, template_text

    rows: list[tuple[str, ...]] = []
    shown: list[Template] = []
    # Variants stand below the most frequent of them, a few where not all rows are asked for.
    for family in group_families(pack.templates):
        if limit and len(shown) == limit:
            break
        some = family[: 1 + _MAX_VARIANTS] if limit and len(family) > 2 + _MAX_VARIANTS else family
        for place in some[: limit - len(shown) if limit else None]:
            one = pack.templates[place]
            string = escape_regex(one.regex) if args.regex else messages.escape_line(template_text(one))
            indent = "" if place == family[0] else "  "
            kind = (_mark_kind(one.kind),) if pack.has_kinds else ()
            rows.append((f"{one.df:,}", _format_share(one.df, pack), f"{one.count:,}", one.id, *kind, indent + string))
            shown.append(one)
        if (more := len(family) - len(some)) and len(shown) < limit:
            rows.append(("", "", "", "", *([""] if pack.has_kinds else []), f"  and {counted(more, 'variant')}"))
    last = "expression" if args.regex else "template"
    # The string is the last column: it may be cut, or in a script that is written from right to left.
    lines = text_tables.format_table(
        (">documents", ">share", ">count", "id", *(["kind"] if pack.has_kinds else []), last), rows, width
    )
    if any(one.kind and not POLICIES[DEFAULT_POLICY].cuts(one.kind) for one in shown):
        lines += ["", "* clean leaves these in, unless it is told --cut-only all"]
    if args.why:
        reasons = describe_reasons_once((one.id, one) for one in shown)
        told = [
            f"{one.id}  {describe_position(one, pack)}{_format_example(one)}; {said or 'no score decided'}"
            for one, said in zip(shown, reasons, strict=True)
        ]
        lines += ["", *(piece for line in told for piece in _wrap_line(line, width))]
    return lines + _format_more(len(pack.templates) - len(shown))


def _mark_kind(kind: str) -> str:
    """Mark a kind that is kept by default."""
    return kind if POLICIES[DEFAULT_POLICY].cuts(kind) else f"{kind}*"


def _format_example(template: Template) -> str:
    """Return a string that a template with patterns was learnt from: what is a month to them may be another word."""
    from templatemine.packs.readable import shorten

    has_patterns = any("{" in token for token in template.tokens or ())
    return f', as in "{messages.escape_line(shorten(template.example, _MAX_EXAMPLE))}"' if has_patterns else ""


def _format_rejected(pack: Pack, file: str, limit: int | None, width: int | None) -> list[str]:
    from templatemine.packs.pack_record import template_id
    from templatemine.packs.readable import join_tokens

    asked = _asked_candidates(pack, file)
    stakes = chain((f"{stake:,}" for _, stake in asked), repeat("-"))
    rows = [
        (
            f"{one.df:,}",
            _format_share(one.df, pack),
            f"{one.count:,}",
            *([next(stakes)] if asked else []),
            one.reason,
            template_id(one.tokens),
            messages.escape_line(join_tokens(one.tokens, one.example)),
        )
        for one in (
            _select_rejected(pack, asked, file)[:_MAX_TEMPLATES]
            if limit is None
            else islice(_order_rejected(asked, file), limit or None)
        )
    ]
    lines = ["no rejected candidates"]
    if rows:
        header = (">documents", ">share", ">count", *([">at stake"] if asked else []), "reason", "id", "candidate")
        table = text_tables.format_table(header, rows, width)
        order = "the nearest to being templates first" if pack.method == "learned" else "the most frequent first"
        first = "first what ask asks about, by the characters at stake; then the others, " if asked else ""
        lines = [f"rejected candidates, {first}{order}", *table]
    others = sum(pack.rejected.values()) - len(rows)
    if limit is None and others > 0:
        return [*lines, f"and {others:,} more, rarer or less likely (--limit 0 lists all)"]
    return lines + _format_more(others if limit else 0)


def _format_share(df: int, pack: Pack) -> str:
    return f"{df / pack.documents:.1%}" if pack.documents else "-"


def _format_more(number: int) -> list[str]:
    return [f"and {number:,} more (--limit 0 lists all)"] if number > 0 else []


# ----------------------------------------------------------------------------------------------------------- a folder


def _show_folder(args: argparse.Namespace, terminal: messages.Terminal) -> None:
    """List the packs in a folder; for a pack with errors print them, and end with exit code 2."""
    from templatemine.packs.pack import Pack
    from templatemine.packs.pack_folder import pack_files

    packs: list[tuple[str, Pack]] = []
    bad = 0
    for file in pack_files(args.pack):
        try:
            packs.append((file, Pack.load(file)))
        except PackError as error:
            bad += 1
            messages.print_error(str(error))
    packs.sort(key=lambda row: (-row[1].documents, row[1].source))  # as mine, update and clean list sources
    if args.rejected:
        bad += _show_rejected_of_each(args, packs)
    elif args.json:
        messages.print_text(json.dumps([_folder_row_json(file, pack) for file, pack in packs], indent=1) + "\n")
    else:
        header = ["source", ">documents", ">templates", "=share of documents", "=dates", "file, if not SOURCE.json"]
        rows = [_folder_row(file, pack) for file, pack in packs]
        if not any(row[-1] for row in rows):
            header, rows = header[:-1], [row[:-1] for row in rows]
        width = None if args.full else text_tables.terminal_width(sys.stdout)
        messages.print_text("\n".join(text_tables.format_table(header, rows, width)) + "\n")
    if bad:
        terminal.end_with(2)


def _show_rejected_of_each(args: argparse.Namespace, packs: Sequence[tuple[str, Pack]]) -> int:
    """Print the rejected candidates of each pack below its source; return the number of packs whose cannot be read."""
    width = None if args.full else text_tables.terminal_width(sys.stdout)
    rows, bad = [], 0
    for number, (file, pack) in enumerate(packs):
        try:
            if args.json:
                rejected = _rejected_json(pack, file, args.limit or None)
                rows.append({**_folder_row_json(file, pack), "rejected_candidates": rejected})
                continue
            listed = _format_rejected(pack, file, args.limit, width)
            messages.print_text(
                "\n".join([*([""] if number else []), messages.escape_line(pack.source), *listed]) + "\n"
            )
        except CorpusError as error:
            bad += 1
            messages.print_error(str(error))
    if args.json:
        messages.print_text(json.dumps(rows, indent=1) + "\n")
    return bad


def _folder_row_json(file: str, pack: Pack) -> dict[str, Any]:
    return {
        "file": file,
        **messages.facts_of(pack, "source", "documents"),
        "dates": [pack.first_date, pack.last_date],
        **messages.facts_of(pack, "method", "caution", "html"),
        "cutoff_df": pack.cutoff.df,
        "templates": len(pack.templates),
    }


def _folder_row(file: str, pack: Pack) -> Sequence[str]:
    name = os.path.basename(file)
    numbers = (f"{pack.documents:,}", f"{len(pack.templates):,}")
    from templatemine.report.histogram import sparkline

    # Between bars, so that its ends are visible.
    strip = f"|{sparkline([max(count, 0) for count in pack.cutoff.histogram], _SPARKLINE_WIDTH, _bar_characters())}|"
    return pack.source, *numbers, strip, _format_dates(pack) or "-", "" if name == f"{pack.source}.json" else name


def _format_dates(pack: Pack) -> str:
    return f"{pack.first_date or '?'} to {pack.last_date or '?'}" if pack.first_date or pack.last_date else ""
