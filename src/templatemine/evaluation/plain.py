"""All the text of a page or of a feed's entry, by the parser of the standard library."""

from __future__ import annotations

from html import unescape
from html.parser import HTMLParser

from templatemine.model import Document


class _TextParser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._hidden += tag in ("script", "style")
        self.parts.append(" ")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= bool(self._hidden) and tag in ("script", "style")
        self.parts.append(" ")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(data)


def strip_markup(value: str) -> str:
    """Strip mark-up, also if all of it was escaped, as feeds do; entities resolved, white space made blanks."""
    if "<" not in value:
        value = unescape(value)
    if "<" in value:
        parser = _TextParser()
        parser.feed(value)
        parser.close()
        value = "".join(parser.parts)
    return " ".join(value.split())


def plain_text(document: Document) -> str:
    """Return the text of a document before anything is cut: of a page, all that is not mark-up."""
    return strip_markup(document.body) if document.is_html else document.body
