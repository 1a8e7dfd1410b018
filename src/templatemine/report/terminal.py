"""Pieces of articles and changes of records, as lines for a terminal or a file.

On a terminal a removed part has a colour; elsewhere, and if ``NO_COLOR`` is set (no-color.org), it is written between
``[-`` and ``-]``, as in wdiff.  No text can control the terminal.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from templatemine.cleaning.cleaner import page_text
from templatemine.cleaning.records import RecordCleaner
from templatemine.controls import name_controls
from templatemine.errors import CorpusError
from templatemine.io.jsonl import decode_line
from templatemine.io.pending import Items
from templatemine.model import Record, Span, Template
from templatemine.packs.pack import Pack
from templatemine.packs.readable import describe_position, describe_reasons_once, shorten, template_text
from templatemine.report.explain import MAX_ALSO_MATCHED, CutParts, find_cut_template
from templatemine.report.marks import TextPiece, elide, split_pieces
from templatemine.text.slots import HEADLINES

_CUT, _NUMBER, _SOFT, _OUT, _IN, _PLACE = "\x1b[30;43m", "\x1b[1;33m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[36m"
_BOLD, _END = "\x1b[1m", "\x1b[0m"
_FILLER = "\x1b[30;46m"

_MAX_ALSO_LENGTH = 80
"""Characters of a template that also matched; `show` has all of it."""


class Painter:
    """Colours on a terminal, brackets or nothing elsewhere."""

    def __init__(self, colours: bool) -> None:
        self.colours = colours

    def paint(self, text: str, colour: str) -> str:
        """Make text safe on a terminal, in a colour; line by line, as pagers need it."""
        text = name_controls(text)
        if not self.colours:
            return text
        return "\n".join(f"{colour}{line}{_END}" if line else "" for line in text.split("\n"))

    def title(self, text: str) -> str:
        """Return a heading of one line."""
        return self.paint(" ".join(text.split()), _BOLD)

    def cut(self, text: str) -> str:
        """Return a removed part."""
        return self.paint(text, _CUT) if self.colours else f"[-{name_controls(text)}-]"

    def filler(self, text: str) -> str:
        """Return what goes with a removed label."""
        return self.paint(text, _FILLER) if self.colours else f"{{-{name_controls(text)}-}}"


HEADER = ("", ">documents", ">share", ">count", "position", "id", "expression")
"""Columns of `format_rows`."""


@dataclass(frozen=True, slots=True)
class ListedTemplate:
    """A template that cuts of an article are listed under, its number, and others that matched there.

    Attributes
    ----------
    also : dict of str to Template
        Those that are to be named, by their ids.
    matched : set of str
        Ids of all others.
    took : dict of str to str
        What each took in the first of the cuts.
    torn : dict of str to Template
        Those of them that may be to blame where a cut tears a sentence, by their ids.
    """

    number: int
    template: Template
    also: dict[str, Template] = field(default_factory=dict)
    matched: set[str] = field(default_factory=set)
    took: dict[str, str] = field(default_factory=dict)
    torn: dict[str, Template] = field(default_factory=dict)


def format_article(
    parts: Iterable[TextPiece],
    pack: Pack | None,
    painter: Painter,
    context: int | None = None,
    cuts: Mapping[int, CutParts] | None = None,
) -> tuple[str, list[ListedTemplate]]:
    """Return an article with its removed parts numbered, each under one template, and these templates.

    Parameters
    ----------
    context : int or None
        Characters shown beside a removed part; None for all.
    cuts : mapping of int to CutParts, optional
        By where a removed part starts; one that may tear a sentence has a "!" behind its number.
    """
    templates = {one.id: one for one in (() if pack is None else pack.templates)}
    listed: dict[str, ListedTemplate] = {}
    out: list[str] = []
    for piece in parts if context is None else elide(parts, context):
        if piece.hidden:
            out.append(painter.paint(f" … {piece.hidden:,} characters … ", _SOFT))
        elif not piece.templates:
            out.append(name_controls(piece.text))
        else:
            found = find_cut_template(piece, templates)
            out.append(painter.cut(piece.text))
            if found is not None:
                one = listed.setdefault(found.head.id, ListedTemplate(len(listed) + 1, found.head))
                one.also.update((other.id, other) for other in found.also)
                one.matched.update(piece.templates)
                cut = (cuts or {}).get(piece.start, CutParts())
                for start, end, template in cut.parts:
                    one.took.setdefault(template.id, piece.text[start - piece.start : end - piece.start])
                    one.also.setdefault(template.id, template)
                one.torn.update((blamed.id, blamed) for blamed in cut.torn.values())
                out.append(painter.paint(f"{{{one.number}{'!' * bool(cut.torn)}}}", _NUMBER))
    return "".join(out), [*listed.values()]


def format_rows(listed: Iterable[ListedTemplate], pack: Pack) -> list[tuple[str, ...]]:
    """Return a row of `HEADER` for each."""
    return [_format_row(one.number, one.template, pack) for one in listed]


TEARS_TOLD = (
    "{N!}: by the words on both sides this cut may tear a sentence or a headline; others of its template need not"
)
"""What the mark at a number says."""


def format_reasons(listed: Iterable[ListedTemplate]) -> list[str]:
    """Explain why they are templates, where a score decided, and below it others that matched."""
    listed, lines = list(listed), []
    said = describe_reasons_once((str(one.number), one.template) for one in listed)
    for one, reasons in zip(listed, said, strict=True):
        head = f"{one.number}: "
        torn = [f"{{{one.number}!}} by {blamed.id} {_short_text(blamed)}" for blamed in one.torn.values()]
        for words in filter(None, (*torn, reasons, _format_also(one))):
            lines.append(head + words)
            head = " " * len(head)
    return lines


def _short_text(template: Template) -> str:
    return name_controls(shorten(template_text(template), _MAX_ALSO_LENGTH))


def _format_also(one: ListedTemplate) -> str:
    """Name the others that matched: all with a part of their own, with what they took if their words do not tell, or
    the first where parts are not known."""
    others = [other for other in one.also.values() if other.id != one.template.id]
    also = []
    for other in others if one.took else others[:MAX_ALSO_MATCHED]:
        words, took = _short_text(other), name_controls(shorten(one.took.get(other.id, ""), _MAX_ALSO_LENGTH))
        also.append(f"{other.id} {words}" + (f" (here: {took})" if took not in ("", words) else ""))
    if more := len(one.matched - {one.template.id}) - len(also):
        also.append(f"{more:,} within it")
    return f"also matched: {'; '.join(also)}" if also else ""


def _format_row(number: int, template: Template, pack: Pack) -> tuple[str, ...]:
    share = f"{template.df / pack.documents:.1%}" if pack.documents else "-"
    position = describe_position(template, pack)
    if template.slot in ("end", "start"):
        position += ", with the headlines behind it" if template.filler == HEADLINES else ", with the rest"
    return (
        f"{number}",
        f"{template.df:,}",
        share,
        f"{template.count:,}",
        position,
        template.id,
        template_text(template),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A record that cleaning changes: its text (of a page, without mark-up), the text that would be written, and the
    cuts of a text (of a page they are not in `before`)."""

    source: str
    id: str
    where: str
    before: str
    after: str
    removed: tuple[Span, ...] = ()


def find_changes(
    records: Iterable[Record],
    packs: Mapping[str, Pack],
    cleaner: RecordCleaner,
    on_error: Callable[[CorpusError], None],
) -> Iterator[Change]:
    """Yield the changes, as the cleaner itself computes it; counts are in its `tally`."""
    names = cleaner.config.read
    for record in records:
        document = record.document
        batch = cleaner.clean_batch(Items([(document.source, record.where, record.fields)]))
        for error in batch.errors:
            on_error(error)
        cleaner.tally.add(batch.tally)
        total = batch.tally.total()
        if total.changed:
            written = decode_line(batch.data)
            pack = packs.get(document.source)
            if pack is None and cleaner.config.fallback is not None and document.text is not None:
                pack = packs[cleaner.config.fallback]
            page = document.html is not None and (pack is None or pack.html)
            before = page_text(document.html or "", ()) if page else document.text or ""
            cuts = () if page else written[cleaner.config.removed_field]
            yield Change(
                source=document.source,
                id=document.id,
                where=record.where,
                before=before,
                after=written[names.text_field],
                removed=tuple(Span(one["start"], one["end"], (*one["templates"],)) for one in cuts),
            )


_DIFF_CONTEXT = 60
"""Characters beside a cut."""


def diff_lines(change: Change, painter: Painter) -> Iterator[str]:
    """Yield the cuts of a text, marked, each in its context, for a line may be a whole article; of a page, whose cuts
    are not known in its text, a unified diff."""
    name = f"{change.source} {change.id}"
    if change.removed:
        yield painter.paint(f"--- {name} ({change.where})", _BOLD)
        text, _ = format_article(split_pieces(change.before, change.removed), None, painter, _DIFF_CONTEXT)
        yield text.rstrip("\n")
        return
    for line in _unified_lines(change, name):
        colour = next((colour for start, colour in _DIFF.items() if line.startswith(start)), None)
        yield painter.paint(line, colour) if colour else name_controls(line)


def _unified_lines(change: Change, name: str) -> Iterator[str]:
    return difflib.unified_diff(
        change.before.splitlines(),
        change.after.splitlines(),
        f"{name} ({change.where})",
        f"{name} (cleaned)",
        n=1,
        lineterm="",
    )


_DIFF: Mapping[str, str] = {"---": _BOLD, "+++": _BOLD, "@@": _PLACE, "-": _OUT, "+": _IN}
