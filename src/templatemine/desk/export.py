"""Annotations -> files: marked HTML, spans for ``evaluate``, CleanEval's mark-up, and pages to train on."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

from templatemine.desk.annotations import LABELS, Mark, document_kind, find_units, label_units, merge_labels
from templatemine.desk.library import Library
from templatemine.desk.safe_page import read_tags
from templatemine.desk.store import Annotation
from templatemine.io.write import safe_file_name
from templatemine.model import Document


def select_finished(annotations: Iterable[Annotation], name: str | None = None) -> list[Annotation]:
    """Return the finished annotation of each document: that of `name`, or the last one."""
    best: dict[tuple[str, str], Annotation] = {}
    for one in annotations:
        key = one.source, one.id
        if one.done and (name is None or one.name == name) and (key not in best or best[key].time <= one.time):
            best[key] = one
    return [best[key] for key in sorted(best)]


def merge_marks(html: str, marks: Sequence[Mark]) -> str:
    """Return the page with its marks: marked text is wrapped in ``<span data-tm="LABEL">``; nothing else changes."""
    rows, out = sorted(marks), []
    for kind, start, end, _ in read_tags(html):
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


def merge_article_marks(text: str, marks: Sequence[Mark], title: str) -> str:
    """Return an article as HTML with its marks."""
    out, place = [], 0
    for start, end, label in sorted(marks):
        out += [escape(text[place:start]), f'<mark data-tm="{label}">', escape(text[start:end]), "</mark>"]
        place = end
    head = f"<!doctype html><meta charset=utf-8><title>{escape(title)}</title>"
    return f'{head}<pre dir="auto">{"".join(out)}{escape(text[place:])}</pre>\n'


def _labelled_blocks(document: Document, marks: Sequence[Mark]) -> list[tuple[str, str]]:
    """Return the labelled blocks of a page: (label, text)."""
    import numpy as np

    from templatemine.pages.blocks import Page

    page = Page(document.body)
    labels = label_units(marks, page.spans(np.arange(len(page))))
    rows = [(label, page.text(block)) for block, label in enumerate(labels)]
    return [(label, text) for label, text in rows if label in {one.name for one in LABELS["page"]} and text]


def main_text(document: Document, marks: Sequence[Mark]) -> str:
    """Return the labelled blocks of a page, one per line."""
    return "\n".join(text for _, text in _labelled_blocks(document, marks))


def cleaneval_text(document: Document, marks: Sequence[Mark]) -> str:
    """Return the labelled blocks of a page in CleanEval's mark-up, one per line."""
    sign = {label.name: label.sign for label in LABELS["page"]}
    return "\n".join(f"<{sign[label]}>{text}" for label, text in _labelled_blocks(document, marks))


def _annotated_documents(
    library: Library, annotations: Sequence[Annotation], kind: str
) -> Iterator[tuple[Document, Annotation]]:
    for one in annotations:
        article = library.article(one.source, one.id)
        if article is not None and kind in ("any", document_kind(article.document)):
            yield article.document, one


def _json_lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n" for row in rows)


def _export_spans(library: Library, annotations: Sequence[Annotation]) -> bytes:
    rows = _annotated_documents(library, annotations, "article")
    return _json_lines({"id": document.id, "spans": [list(mark) for mark in one.marks]} for document, one in rows)


def _export_cleaneval(library: Library, annotations: Sequence[Annotation]) -> bytes:
    rows = _annotated_documents(library, annotations, "page")
    return _json_lines(
        {**_document_fields(document), "gold": cleaneval_text(document, one.marks)} for document, one in rows
    )


def _export_training(library: Library, annotations: Sequence[Annotation]) -> bytes:
    def row(document: Document, one: Annotation) -> dict[str, Any]:
        parts = find_units(document)
        blocks = [[*part, label] for part, label in zip(parts, label_units(one.marks, parts), strict=True)]
        return {
            **_document_fields(document),
            "gold": main_text(document, one.marks),
            "blocks": blocks,
            "annotator": one.name,
        }

    return _json_lines(row(*found) for found in _annotated_documents(library, annotations, "page"))


def _document_fields(document: Document) -> dict[str, Any]:
    found = {"source": document.source, "id": document.id, "url": document.url, "html": document.html}
    return {name: value for name, value in found.items() if value is not None}


def _export_html(library: Library, annotations: Sequence[Annotation]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for document, one in _annotated_documents(library, annotations, "any"):
            if document.is_html:
                text = merge_marks(
                    document.body, merge_labels(label_units(one.marks, parts := find_units(document)), parts)
                )
            else:
                text = merge_article_marks(document.body, one.marks, document.id)
            name = f"{safe_file_name(document.source)}/{safe_file_name(document.id)}.html"
            info = zipfile.ZipInfo(name)  # without the time, so that the same marks give the same file
            archive.writestr(info, text.encode("utf-8", "xmlcharrefreplace"), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


EXPORT_FORMATS: Mapping[str, tuple[str, str, Callable[[Library, Sequence[Annotation]], bytes]]] = {
    "spans": ("spans.jsonl", "articles, for templatemine evaluate gold --spans", _export_spans),
    "cleaneval": ("cleaneval.jsonl", "pages, for templatemine evaluate gold --form cleaneval", _export_cleaneval),
    "training": ("training.jsonl", "pages with their text and the label of each block, to train on", _export_training),
    "html": ("marked.zip", "the documents themselves with the marks merged in", _export_html),
}
"""Name -> file name, purpose, and the function that makes it."""
