"""Annotations -> files: marked HTML, spans for ``evaluate``, CleanEval's mark-up, and pages to train on."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

from templatemine.desk.annotations import LABELS, Mark, kind_of, labels_of, marks_of, units
from templatemine.desk.library import Library
from templatemine.desk.safe_page import tags
from templatemine.desk.store import Annotation
from templatemine.io.write import safe_file_name
from templatemine.model import Document

__all__ = ["FORMS", "chosen", "cleaneval", "main_text", "merged", "merged_article"]


def chosen(annotations: Iterable[Annotation], name: str | None = None) -> list[Annotation]:
    """The finished annotation of each document: that of `name`, or the last one."""
    best: dict[tuple[str, str], Annotation] = {}
    for one in annotations:
        key = one.source, one.id
        if one.done and (name is None or one.name == name) and (key not in best or best[key].time <= one.time):
            best[key] = one
    return [best[key] for key in sorted(best)]


def merged(html: str, marks: Sequence[Mark]) -> str:
    """The page with its marks: marked text is wrapped in ``<span data-tm="LABEL">``; nothing else changes."""
    rows, out = sorted(marks), []
    for kind, start, end, _ in tags(html):
        if kind != "text":
            out.append(html[start:end])
            continue
        for first, last, label in rows:
            if last <= start or first >= end or not html[max(first, start) : min(last, end)].strip():
                continue
            first, last = max(first, start), min(last, end)
            out += [html[start:first], f'<span data-tm="{label}">', html[first:last], "</span>"]
            start = last
        out.append(html[start:end])
    return "".join(out)


def merged_article(text: str, marks: Sequence[Mark], title: str) -> str:
    """An article as HTML with its marks."""
    out, place = [], 0
    for start, end, label in sorted(marks):
        out += [escape(text[place:start]), f'<mark data-tm="{label}">', escape(text[start:end]), "</mark>"]
        place = end
    head = f"<!doctype html><meta charset=utf-8><title>{escape(title)}</title>"
    return f'{head}<pre dir="auto">{"".join(out)}{escape(text[place:])}</pre>\n'


def _kept(document: Document, marks: Sequence[Mark]) -> list[tuple[str, str]]:
    """The labelled blocks of a page: (label, text)."""
    import numpy as np

    from templatemine.pages.blocks import Page

    page = Page(document.body)
    labels = labels_of(marks, page.spans(np.arange(len(page))))
    rows = [(label, page.text(block)) for block, label in enumerate(labels)]
    return [(label, text) for label, text in rows if label in {one.name for one in LABELS["page"]} and text]


def main_text(document: Document, marks: Sequence[Mark]) -> str:
    """The labelled blocks of a page, one per line."""
    return "\n".join(text for _, text in _kept(document, marks))


def cleaneval(document: Document, marks: Sequence[Mark]) -> str:
    """The labelled blocks of a page in CleanEval's mark-up, one per line."""
    sign = {label.name: label.sign for label in LABELS["page"]}
    return "\n".join(f"<{sign[label]}>{text}" for label, text in _kept(document, marks))


Row = tuple[Document, Annotation, list[Mark]]


def _rows(library: Library, annotations: Sequence[Annotation], kind: str) -> Iterator[Row]:
    for one in annotations:
        article = library.article(one.source, one.id)
        if article is not None and kind in ("any", kind_of(article.document)):
            yield article.document, one, [(start, end, label) for start, end, label in one.marks]


def _lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n" for row in rows)


def _spans(library: Library, annotations: Sequence[Annotation]) -> bytes:
    rows = _rows(library, annotations, "article")
    return _lines({"id": document.id, "spans": [list(mark) for mark in marks]} for document, _, marks in rows)


def _cleaneval(library: Library, annotations: Sequence[Annotation]) -> bytes:
    rows = _rows(library, annotations, "page")
    return _lines({**_record(document), "gold": cleaneval(document, marks)} for document, _, marks in rows)


def _training(library: Library, annotations: Sequence[Annotation]) -> bytes:
    def row(document: Document, one: Annotation, marks: list[Mark]) -> dict[str, Any]:
        parts = units(document)
        blocks = [[*part, label] for part, label in zip(parts, labels_of(marks, parts), strict=True)]
        return {**_record(document), "gold": main_text(document, marks), "blocks": blocks, "annotator": one.name}

    return _lines(row(*found) for found in _rows(library, annotations, "page"))


def _record(document: Document) -> dict[str, Any]:
    found = {"source": document.source, "id": document.id, "url": document.url, "html": document.html}
    return {name: value for name, value in found.items() if value is not None}


def _html(library: Library, annotations: Sequence[Annotation]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for document, _, marks in _rows(library, annotations, "any"):
            if document.is_html:
                text = merged(document.body, marks_of(labels_of(marks, parts := units(document)), parts))
            else:
                text = merged_article(document.body, marks, document.id)
            name = f"{safe_file_name(document.source)}/{safe_file_name(document.id)}.html"
            info = zipfile.ZipInfo(name)  # without the time, so that the same marks give the same file
            archive.writestr(info, text.encode("utf-8", "xmlcharrefreplace"), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


FORMS: Mapping[str, tuple[str, str, Callable[[Library, Sequence[Annotation]], bytes]]] = {
    "spans": ("spans.jsonl", "articles, for templatemine evaluate gold --spans", _spans),
    "cleaneval": ("cleaneval.jsonl", "pages, for templatemine evaluate gold --form cleaneval", _cleaneval),
    "training": ("training.jsonl", "pages with their text and the label of each block, to train on", _training),
    "html": ("marked.zip", "the documents themselves with the marks merged in", _html),
}
"""Name -> file name, purpose, and the function that makes it."""
