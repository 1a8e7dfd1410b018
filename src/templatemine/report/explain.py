"""(document, pack) -> the parts that cleaning removes, with their templates: for terminal, report and desk."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from templatemine.cleaning.cleaner import Cleaner, FindSpans, count_lost, find_all_kinds, page_text, tears_with_kept
from templatemine.config import CleanConfig, ReadConfig
from templatemine.io.fields import build_document
from templatemine.io.jsonl import encode_line, parse
from templatemine.io.pending import Lines
from templatemine.model import Document, Span, Template
from templatemine.packs.pack import Pack
from templatemine.packs.readable import outermost_templates
from templatemine.pages.main_text import PageCleaner
from templatemine.report.marks import TextPiece, split_pieces
from templatemine.report.risk import Occurrences
from templatemine.text.tears import IsTorn, SentenceEnds, judge_cuts


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The effect of cleaning on a body.

    Attributes
    ----------
    spans : sequence of Span
        The removed parts, in code points of the body; for a text left `whole`, the parts that would be removed.
    size, cut : int
        Characters, and by how many fewer come out, or would of a text left `whole`; for a page, those of its text
        without mark-up.
    stub : bool
        Nearly all of it is boilerplate.
    whole : bool
        A stub that is left as it is.
    """

    spans: Sequence[Span]
    size: int
    cut: int
    stub: bool = False
    whole: bool = False

    @property
    def share(self) -> float:
        """Return the share of the characters that is removed, or would be."""
        return self.cut / self.size if self.size else 0.0


class Explainer:
    """Explains bodies by one pack, or pages by the page model alone; safe to share between threads.

    Parameters
    ----------
    texts : iterable of str
        Of the same source, by which `is_torn` tells what tears; read when a cut is first in doubt.

    Examples
    --------
    >>> explainer = Explainer(pack)  # doctest: +SKIP
    >>> explanation = explainer.explain(body)  # doctest: +SKIP
    >>> list(explainer.pieces(body, explanation))  # doctest: +SKIP
    """

    def __init__(self, pack: Pack | None, config: CleanConfig | None = None, texts: Iterable[str] = ()) -> None:
        self.pack = pack
        self.config = (config or CleanConfig()).plain()
        self._cleaner = None if pack is None else Cleaner(pack, self.config)
        self._uses_html = pack is None or pack.html
        self.is_torn: IsTorn = SentenceEnds(texts).leaves_part
        self.find_all: FindSpans = lambda text: []
        if self._cleaner is not None and not self._uses_html:
            self.find_all = find_all_kinds(self._cleaner)
            self.is_torn = tears_with_kept(self.is_torn, self.find_all, self.config)

    def body(self, document: Document) -> str | None:
        """Return the part of a document that is cleaned: what the pack is for, its HTML or its text; None if it has
        none.  Without a pack only a page on its own is."""
        if self.pack is None:
            return document.html if document.text is None and self.config.html == "main" else None
        return document.html if self._uses_html else document.text

    def explain(self, body: str) -> Explanation:
        """Find the parts of a body that cleaning removes."""
        if self._cleaner is not None and not self._uses_html:
            cleaned = self._cleaner.clean(body)
            if cleaned.stub and not cleaned.removed:
                spans = self._cleaner.spans(body)
                return Explanation(spans=spans, size=len(body), cut=count_lost(body, spans), stub=True, whole=True)
            lost = len(body) - len(cleaned.text)
            return Explanation(spans=cleaned.removed, size=len(body), cut=lost, stub=cleaned.stub)
        spans = [] if self._cleaner is None else self._cleaner.spans(body)
        size = len(page_text(body, ()))
        if self.config.html == "strip":
            return Explanation(spans=spans, size=size, cut=size - len(page_text(body, spans)))
        cleaned = self._page_cleaner.clean(body)
        spans = _add_templates(cleaned.removed, spans)
        return Explanation(spans=spans, size=size, cut=max(size - len(cleaned.text), 0))

    @cached_property
    def _page_cleaner(self) -> PageCleaner:
        return PageCleaner(None if self.pack is None else self.pack.pages, self.config)

    def find_parts(self, body: str, spans: Sequence[Span]) -> list[CutParts]:
        """Return for each span of a body what its templates took, and where it tears a sentence."""
        if self.pack is None or self._uses_html:
            return [CutParts() for _ in spans]
        found = self._occurrences.find_ids(body)
        known = {one.id: one for one in self.pack.templates}
        torn: list[dict[str, Template]] = [{} for _ in spans]
        for cut in judge_cuts(body, spans, self.is_torn, lambda _: found):
            within = [place for place, one in enumerate(spans) if cut.start <= one.start and one.end <= cut.end]
            for edge, names in cut.torn.items():
                torn[within[0 if edge == "start" else -1]][edge] = known[names[0]]
        parts = [_outermost_parts(((start, end, known[name]) for start, end, name in found), one) for one in spans]
        return [CutParts(*one) for one in zip(parts, torn, strict=True)]

    @cached_property
    def _occurrences(self) -> Occurrences:
        if self.pack is None:
            raise ValueError("expected a pack")
        return Occurrences(self.pack)

    def pieces(self, body: str, explanation: Explanation) -> Iterator[TextPiece]:
        """Return the body as pieces; the pieces of a page without mark-up, and without those that are only mark-up."""
        parts = split_pieces(body, explanation.spans)
        return _strip_markup(parts) if self._uses_html else parts


class CutPart(NamedTuple):
    """What one of the templates of a cut took, in code points of the body."""

    start: int
    end: int
    template: Template


class CutParts(NamedTuple):
    """What the templates of a cut took, those within others left out; and where it begins ("start") or ends ("end")
    within a sentence, the template there."""

    parts: Sequence[CutPart] = ()
    torn: Mapping[str, Template] = {}


def _outermost_parts(found: Iterable[tuple[int, int, Template]], span: Span) -> list[CutPart]:
    """Return the occurrences within a span that are no part of another one, from left to right; of those that are the
    same place, the first."""
    ids, parts = {*span.templates}, list[CutPart]()
    for start, end, template in sorted(found, key=lambda one: (one[0], -one[1])):
        inside = template.id in ids and start < span.end and end > span.start
        if inside and (not parts or min(end, span.end) > parts[-1].end):
            parts.append(CutPart(max(start, span.start), min(end, span.end), template))
    return parts


MAX_ALSO_MATCHED = 5
"""Templates named beside the one that a cut is listed under."""


class CutTemplate(NamedTuple):
    """The template that a cut is listed under, the longest there; the first of those that `also` matched and are no
    part of another one; and how many more there are."""

    head: Template
    also: Sequence[Template]
    within: int


def find_cut_template(piece: TextPiece, templates: Mapping[str, Template]) -> CutTemplate | None:
    """Find the template that a removed piece is listed under; None if none matched, as in pages.

    Parameters
    ----------
    templates : mapping
        Of the pack, by their ids.
    """
    known = [templates[one] for one in piece.templates if one in templates]
    if not known:
        return None
    head, *others = outermost_templates(known)
    also = others[:MAX_ALSO_MATCHED]
    return CutTemplate(head, also, len(known) - 1 - len(also))


def _add_templates(removed: Sequence[Span], templates: Sequence[Span]) -> list[Span]:
    """Return the parts that the page model removes, with the templates found in them."""
    out = []
    for one in removed:
        inside = (other.templates for other in templates if other.start < one.end and other.end > one.start)
        out.append(Span(one.start, one.end, tuple(dict.fromkeys(name for names in inside for name in names))))
    return out


def _strip_markup(parts: Iterable[TextPiece]) -> Iterator[TextPiece]:
    for part in parts:
        text = page_text(part.text, ())
        if text:
            yield TextPiece(part.start, text + "\n", part.templates, kind=part.kind)


def read_json_object(path: str, config: ReadConfig) -> Document | None:
    """Return the document of a file that holds one JSON object over several lines; None if it holds anything else."""
    if not path.lower().endswith(".json"):
        return None
    try:
        with open(path, "rb") as file:
            found = json.loads(file.read())
    except (OSError, ValueError):
        return None  # the reader of JSON lines will report the error
    if not isinstance(found, dict):
        return None
    name = os.path.splitext(os.path.basename(path))[0]
    lines = Lines(path, name, 1, encode_line(found))
    for source, _, fields, _ in parse(lines, config, lambda error: None):
        return build_document(fields, config, source, 1, path)
    return None
