"""``templatemine explain``: prints articles with the removed parts marked, and the expressions behind them."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from templatemine.cli import common, messages, number_types, pack_paths, text_tables
from templatemine.config import CleanConfig
from templatemine.errors import CapacityError, ConfigError, CorpusError, SkippedPackError, counted
from templatemine.kinds import DEFAULT_POLICY, POLICIES

if TYPE_CHECKING:
    from templatemine.cli.parser import Parser
    from templatemine.model import Document
    from templatemine.packs.pack import Pack
    from templatemine.packs.pack_folder import PackFiles
    from templatemine.report.explain import Explainer, Explanation
    from templatemine.report.terminal import Painter

DESCRIPTION = """\
Prints articles with every cut marked and numbered: {2} is the second. A table
lists the longest expression of each cut, with document frequency, count, and
required position in a line. Reasons, and what else matched, follow. {2!} may
tear a sentence: ask --reject ID rejects the template that is named there. With
--json, "parts" has what each expression took, "torn" where a cut tears.

Articles that lose something come first, one of each source before the second
of any; --id and --limit 0 print all in their order.

On a terminal removed parts are coloured; elsewhere, and if NO_COLOR is set,
they are written between [- and -].
"""

_MAX_DOCUMENTS = 10
_CONTEXT = 200
"""Characters beside a removed part, unless an article is asked for by its id."""
_MAX_NEAR = 3
"""Ids that are suggested."""
_MAX_AHEAD = 10_000
"""Articles that are looked at for another source, when there are enough of the others."""

COMMON = ("--packs", "--id", "--only", "--limit", "--context", "--html", "--source-of", "--json")


def add(parser: Parser) -> None:
    """Add the options."""
    packs = common.add_packs_option(parser, common.PACKS_HELP, required=True)
    common.add_inputs(parser, packs, f"{common.INPUT_HELP}; or a .json file of one object")
    parser.add_argument("--id", metavar="ID", action="append", help="only the article with this id; may be repeated")
    common.add_only_option(parser, "only articles of this source")
    common.add_number(parser, "--limit", 0, _MAX_DOCUMENTS, "maximum number of articles; 0 for all", short="-n")
    parser.add_argument(
        "--context",
        metavar="N",
        type=number_types.int_at_least(0),
        help=f"characters of context around a removed part (default: {_CONTEXT}); with --id the whole article is shown",
    )
    told = "for pages: mark everything but the main text, or templates only"
    common.add_field(parser, CleanConfig, "html", told)
    common.add_choice_options(parser, DEFAULT_POLICY)
    parser.add_argument("--json", action="store_true", help="print JSON lines, an article each")
    common.add_input_options(parser)
    common.add_reading_options(parser, "no counts of what was met; skipped documents are still printed")


def run(args: argparse.Namespace, terminal: messages.Terminal) -> None:
    """Read, explain, print."""
    from templatemine.packs.pack_folder import PackFiles
    from templatemine.report.explain import Explainer
    from templatemine.report.terminal import Painter

    packs = PackFiles(pack_paths.find_packs(args.packs), errors="skip")
    painter = Painter(messages.shows_colours(sys.stdout))
    config = CleanConfig(html=args.html, choice=common.read_choice(args) or POLICIES[DEFAULT_POLICY])
    explainers: dict[str, Explainer] = {}
    texts = _ArchiveTexts(args)
    near: list[str] = []
    read = printed = unchanged = 0
    first_late: CorpusError | None = None
    told: set[str] = set()
    context = _CONTEXT if args.context is None and args.id is None else args.context

    sources: set[str] = set()
    bad: set[str] = set()
    met_ids: set[str] = set()
    left_out: dict[str, str] = {}  # ids that were asked for, of sources that were not

    def explain_all() -> Iterator[_Explained]:
        nonlocal read, first_late
        for document in _read_documents(args, terminal):
            sources.add(document.source)
            if args.only is not None and document.source not in args.only:
                if args.id is not None and document.id in args.id:
                    left_out.setdefault(document.id, document.source)
                continue
            read += 1
            if args.id is not None and document.id not in args.id:
                if len(near) < _MAX_NEAR and _ends_in(document.id, args.id):
                    near.append(document.id)
                continue
            met_ids.add(document.id)
            if document.source not in explainers:
                pack = _find_pack(packs, document.source, terminal, bad)
                explainers[document.source] = Explainer(pack, config, texts.of(document.source))
            try:
                yield _explain(document, explainers[document.source], document.source in bad)
            except CapacityError as error:
                late = CorpusError(f"cannot be explained: {error}", f"{document.source}: {document.id}")
                if first_late is None and not args.strict:
                    first_late = late  # if nothing is printed, it is the error
                else:
                    terminal.reader_report(late)

    choice = _ArticleChoice(args.limit, set(args.only or packs))
    for one in (
        choice.choose(explain_all()) if args.limit and args.id is None else islice(explain_all(), args.limit or None)
    ):
        if args.json:
            shown = json.dumps(_document_json(one))
        else:
            shown = "\n" * bool(printed) + "\n".join(_format_document(one, painter, context, told))
        messages.print_text(shown + "\n")
        printed += 1
        unchanged += one.found is not None and not one.is_changed
    if args.limit and args.id is None and unchanged == printed > 0:
        some = f"{counted(read, 'article')} that {'was' if read == 1 else 'were'} read"
        messages.print_error(f"nothing goes from {some}; show --rejected lists what came near", "")
    if choice.has_more:
        messages.print_error("there are more articles; --limit 0 prints all", "")
    if not choice.has_more or len(explainers) < args.limit:
        common.check_only(args, sources)
    if not read:
        raise common.no_documents_error(terminal, args.inputs)
    if first_late is not None:
        if not printed:
            raise first_late
        terminal.reader_report(first_late)
    terminal.tell_more_skipped()
    terminal.say(*terminal.notes())
    if args.id is not None and (not args.limit or printed < args.limit):
        _check_ids(args, met_ids, near, left_out)


def _check_ids(args: argparse.Namespace, met: set[str], near: Sequence[str], left_out: Mapping[str, str]) -> None:
    """Name the ids of ``--id`` that no article has; raise an error if they are all."""
    missing = [one for one in dict.fromkeys(args.id) if one not in met]
    if not missing:
        return
    hint = f"; did you mean {', '.join(map(repr, near))}?" if near else ""
    if left_out:
        named = (f"{name!r} of {messages.escape_line(source)}" for name, source in left_out.items())
        hint = f"; --only leaves out {' and '.join(named)}"
    said = f"--id: no article with the id {' or '.join(map(repr, missing))}{hint}"
    if not met:
        raise ConfigError(said)
    messages.print_error(said, "")


def _ends_in(name: str, asked: Iterable[str]) -> bool:
    """Return whether an id ends in one that is asked for, behind a sign: ``iha.com.tr/197`` in ``197``."""
    return any(name.endswith(one) and not name[-len(one) - 1].isalnum() for one in asked if one)


@dataclass(frozen=True, slots=True)
class _Explained:
    """An article, the part of it that is cleaned, and what cleaning does to that; None where nothing is cleaned."""

    document: Document
    explainer: Explainer
    body: str | None
    found: Explanation | None
    has_bad_pack: bool

    @property
    def is_changed(self) -> bool:
        return self.found is not None and bool(self.found.spans)


def _explain(document: Document, explainer: Explainer, has_bad_pack: bool) -> _Explained:
    body = explainer.body(document)
    return _Explained(document, explainer, body, None if body is None else explainer.explain(body), has_bad_pack)


def _find_pack(packs: PackFiles, source: str, terminal: messages.Terminal, bad: set[str]) -> Pack | None:
    """Return the pack of a source, if it has one that can be used; note it as `bad` if it has an error."""
    try:
        return packs.get(source)
    except SkippedPackError as error:
        terminal.skip_bad_pack(source, error)
        bad.add(source)
        return None


class _ArticleChoice:
    """The articles that are printed: the first changed one of each source, then more that change, then others.

    Attributes
    ----------
    has_more : bool
        There are articles that were not chosen.
    """

    def __init__(self, limit: int, sources: set[str]) -> None:
        self._limit, self._sources = limit, sources
        self.has_more = False

    def choose(self, articles: Iterable[_Explained]) -> Iterator[_Explained]:
        """Yield them, those of the first kind as soon as they are met."""
        seen: set[str] = set()
        changed: list[_Explained] = []
        others: list[_Explained] = []
        full_for = 0
        for one in articles:
            left = self._limit - len(seen)
            if not left or (len(changed) >= left and (self._sources <= seen or full_for == _MAX_AHEAD)):
                self.has_more = True
                break
            full_for += len(changed) >= left
            if one.is_changed and one.document.source not in seen:
                seen.add(one.document.source)
                yield one
            else:
                kept = changed if one.is_changed else others
                if len(kept) < self._limit:
                    kept.append(one)
                else:
                    self.has_more = True
        left = self._limit - len(seen)
        self.has_more |= len(changed) + len(others) > left
        yield from (changed + others)[:left]


def _read_documents(args: argparse.Namespace, terminal: messages.Terminal) -> Iterator[Document]:
    from templatemine.report.explain import read_json_object

    read = common.read_config(args)
    common.check_inputs(args.inputs)
    for path in args.inputs:
        alone = read_json_object(path, read)
        if alone is not None:
            yield alone
        else:
            records = common.tell_overruled(args, common.open_records([path], read, terminal.reader_report))
            yield from (record.document for record in records)


class _ArchiveTexts:
    """Texts of the inputs, by source, which tell how each ends its sentences: those of files, which can be read twice,
    and only once a cut is in doubt."""

    def __init__(self, args: argparse.Namespace) -> None:
        self._args = args

    @cached_property
    def _by_source(self) -> Mapping[str, Sequence[str]]:
        from templatemine.io.files import Report, expand_paths

        texts: dict[str, list[str]] = {}
        with suppress(CorpusError):  # whoever reads the articles tells it
            # A pipe is read once.
            paths = [path for path in expand_paths(self._args.inputs) if os.path.isfile(path) or os.path.isdir(path)]
            records = common.open_records(paths, common.read_config(self._args), Report(lambda _: None))
            for record in islice(records, _MAX_AHEAD):
                if record.document.text is not None:
                    texts.setdefault(record.document.source, []).append(record.document.text)
        return texts

    def of(self, source: str) -> Iterator[str]:
        """Yield those of a source."""
        yield from self._by_source.get(source, ())


def _document_json(one: _Explained) -> dict[str, Any]:
    """Return an article with its cuts, each with the expression that it is listed under."""
    from templatemine.packs.readable import template_text
    from templatemine.report.explain import find_cut_template
    from templatemine.report.marks import TextPiece

    document, explainer, body, found = one.document, one.explainer, one.body, one.found
    facts: dict[str, Any] = {"source": document.source, "id": document.id, "pack": explainer.pack is not None}
    if body is None or found is None:
        return {**facts, "removed": None}
    templates = {one.id: one for one in explainer.pack.templates} if explainer.pack else {}
    removed = []
    for span, cut in zip(found.spans, explainer.find_parts(body, found.spans), strict=True):
        piece = TextPiece(span.start, body[span.start : span.end], span.templates, kind=span.kind)
        head = find_cut_template(piece, templates)
        names = {} if head is None else {"template": head.head.id, "expression": template_text(head.head)}
        parts = [
            {"start": start, "end": end, "template": part.id, "expression": template_text(part)}
            for start, end, part in cut.parts
        ]
        torn = {edge: part.id for edge, part in cut.torn.items()}
        removed.append({**span._asdict(), "text": piece.text, **names, "parts": parts, "torn": torn})
    return {**facts, "share": round(found.share, 6), "stub": found.stub, "whole": found.whole, "removed": removed}


def _format_document(one: _Explained, painter: Painter, context: int | None, told: set[str]) -> list[str]:
    """Format an article and what is below it; `told` has what stands below one before it, once for all."""
    from templatemine.packs.readable import title_text
    from templatemine.report.terminal import HEADER, TEARS_TOLD, format_article, format_reasons, format_rows
    from templatemine.text.tears import join_spans

    document, body, found = one.document, one.body, one.found
    head = painter.title(" ".join(filter(None, (document.source, document.id, document.date, title_text(document)))))
    pack = one.explainer.pack
    source = messages.escape_line(document.source)
    no_pack = f"the pack of {source} has an error" if one.has_bad_pack else f"no pack of {source}"
    if body is None or found is None:
        if pack is None:
            return [head, f"{no_pack}: unchanged"]
        return [head, f"unchanged: the pack is for {'HTML' if pack.html else 'text'}, and this article has none"]
    taken = one.explainer.find_parts(body, found.spans)
    parts = {span.start: of_span for span, of_span in zip(found.spans, taken, strict=True)}
    text, listed = format_article(one.explainer.pieces(body, found), pack, painter, context, parts)
    if found.whole:
        verdict = f"left whole: {found.share:.1%} of the characters would be removed"
    else:
        verdict = f"{counted(len(found.spans), 'part')} removed, {found.share:.1%} of the characters"
        cuts = [] if pack is None or pack.html else join_spans(body, found.spans)
        torn = sum(one.explainer.is_torn(body, *cut[:2]) for cut in cuts)
        verdict += f"; {counted(torn, 'cut')} may tear a sentence or a headline" if torn else ""
    table = (
        text_tables.format_table(HEADER, format_rows(listed, pack), text_tables.terminal_width(sys.stdout))
        if pack and listed
        else []
    )
    legend = {TEARS_TOLD} - told if any(row.torn for row in listed) else set()
    told |= legend
    below = [line for part in (legend, table, format_reasons(listed)) if part for line in ("", *part)]
    alone = [f"{no_pack}: main text by the page model alone"] if pack is None else []
    return [head, *alone, verdict, "", text.rstrip("\n"), *below]
