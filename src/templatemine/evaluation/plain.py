"""All the text of a page or of a feed's entry, as cleaning has it that keeps all of a page but templates."""

from __future__ import annotations

from html import unescape

from templatemine.cleaning.cleaner import page_text
from templatemine.model import Document


def strip_markup(value: str) -> str:
    """Strip mark-up, also if all of it was escaped, as feeds do; entities resolved, white space made blanks."""
    if "<" not in value:
        value = unescape(value)
    if "<" in value:
        value = page_text(value, ())
    return " ".join(value.split())


def plain_text(document: Document) -> str:
    """Return the text of a document before anything is cut: of a page, all that is not mark-up."""
    return strip_markup(document.body) if document.is_html else document.body
