"""Pages of a site -> its dead links: files and anchors that are not there, and what would be loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["problems"]

LOADED = {("link", "href"), ("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src")}
"""Attributes whose address a browser fetches by itself."""


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value or "")
            elif name in ("href", "src"):
                self.links.append((value or "", (tag, name) in LOADED))


def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def problems(site: Path) -> list[str]:
    """A line for each link that is dead, or is loaded from another server."""
    pages = {path: _read(path) for path in sorted(site.rglob("*.html"))}
    return [
        f"{path.relative_to(site)}: {problem}: {link}"
        for path, page in pages.items()
        for link, loaded in page.links
        for problem in _wrong(path, link, loaded, pages)
    ]


def _wrong(path: Path, link: str, loaded: bool, pages: dict[Path, _Page]) -> Iterator[str]:
    parts = urlsplit(link)
    if parts.scheme == "data":
        return
    if parts.scheme or parts.netloc:
        if loaded:
            yield "loaded from elsewhere"
        return
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not target.exists():
        yield "no such file"
    elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
        yield "no such anchor"
