"""Blocks that a reader does not see: by an attribute, by their style, or by a rule of the page's own style sheets.

The scanner knows what elements say of themselves (``hidden``, ``style="display: none"``).  Here come the rules of
``<style>`` that hide a class or an id, of style sheets before the first block that is kept.  Only simple selectors
outside of any condition count (``.a``, ``#b``, ``p.a``): others depend on the place or on the screen.  Text for screen
readers alone is text, and ``aria-hidden`` hides none from the eye.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from templatemine.pages import _html, _model

__all__ = ["unseen"]

LARGEST = 1 << 20
"""Bytes of a style sheet that is read."""

_HIDES = re.compile(rb"display\s*:\s*none|visibility\s*:\s*hidden")
_SPEAKS = re.compile(r"(?<![\w-])(?:display|visibility)\s*:")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_RULE = re.compile(r"([^{}]*)([{}])")
_SIMPLE = re.compile(r"(?:[a-z][a-z0-9]*)?[.#][A-Za-z_-]+")
_PARTS = re.compile(r"[.#][^.#]*")


def unseen(columns: Mapping[str, Any], data: bytes, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Of the blocks that are kept, those in an element that is not shown.

    Parameters
    ----------
    columns : mapping of str to array
        What `_html.BlockScanner.blocks` gave.
    data : bytes
        The page.
    kept : bool array, shape (blocks,)
    """
    own = columns["hidden"]
    # Few pages have rules that hide, and of these few have one for an element that is kept.
    sheets = [sheet for sheet in _sheets(data, int(columns["starts"][np.argmax(kept)])) if _HIDES.search(sheet)]
    if sheets:
        signs = _signs(columns, kept)
        told = "\n".join(signs.values()).encode()
        if names := _named([sheet for sheet in sheets if _speaks_of(told, sheet)]):
            nodes = np.zeros(len(columns["node_parents"]), np.uint8)
            nodes[[node for node, sign in signs.items() if _is_named(sign, names)]] = 1
            own = own | nodes[columns["element_nodes"]]
    return kept & _model.inherited(columns["parents"], own)[columns["element"]].astype(np.bool_)  # type: ignore[no-any-return]


def _named(sheets: list[bytes]) -> frozenset[str]:
    """Simple selectors that style sheets hide."""
    return frozenset(_rules([_COMMENT.sub(" ", sheet.decode("utf-8", "replace")) for sheet in sheets]))


def _sheets(data: bytes, before: int) -> Iterator[bytes]:
    """The style sheets that end before this byte, with a word that hides in them."""
    for start, end in _html.styles(data, before):
        hides = data.find(b"none", start, end) >= 0 or data.find(b"hidden", start, end) >= 0
        if hides and end - start <= LARGEST:
            yield data[start:end]


def _speaks_of(signs: bytes, sheet: bytes) -> bool:
    """Before a declaration that hides stands a selector that ends in a class or id that the page has."""
    return any(_ends_in(signs, sheet, at) for at in _HIDES.finditer(sheet))


def _ends_in(signs: bytes, sheet: bytes, at: re.Match[bytes]) -> bool:
    """A selector before this declaration ends in a class or id that the page has."""
    brace = sheet.rfind(b"{", 0, at.start())
    selectors = sheet[max(sheet.rfind(b"}", 0, brace), sheet.rfind(b"{", 0, brace)) + 1 : max(brace, 0)]
    ends = (re.split(rb"(?=[.#])", one.strip())[-1] for one in selectors.split(b","))
    return any(end[:1] in (b".", b"#") and end in signs for end in ends)


def _rules(sheets: list[str]) -> Iterator[str]:
    """Simple selectors of rules that hide, and that no later rule of the same selector shows again.

    Paths have no digits, so that a name with one is passed over.
    """
    shown: dict[str, bool] = {}
    for sheet in sheets:
        for selectors, body in _top(sheet):
            if _SPEAKS.search(body):
                hides = _HIDES.search(body.encode()) is not None
                shown |= {one: not hides for one in map(str.strip, selectors.split(",")) if _SIMPLE.fullmatch(one)}
    return (selector for selector, seen in shown.items() if not seen)


def _top(sheet: str) -> Iterator[tuple[str, str]]:
    """Selectors and declarations of the rules that stand under no condition such as ``@media``."""
    opened: list[str] = []
    for found in _RULE.finditer(sheet):
        if found[2] == "{":
            opened.append(found[1].rpartition(";")[2].strip())
        elif opened:
            selectors = opened.pop()
            if not opened and not selectors.startswith("@"):
                yield selectors, found[1]


def _signs(columns: Mapping[str, Any], kept: NDArray[np.bool_]) -> dict[int, str]:
    """Tag, classes and id (``div.story#main``) of each node of the tree of paths that some blocks stand under."""
    bounds, parents = columns["sign_bounds"], columns["node_parents"]
    found: dict[int, str] = {}
    for start in set(columns["node"][kept].tolist()):
        node = start
        while node > 0 and node not in found:
            found[node] = columns["signs"][bounds[node] : bounds[node + 1]].tobytes().decode("utf-8", "replace")
            node = int(parents[node])
    return found


def _is_named(sign: str, names: frozenset[str]) -> bool:
    parts = _PARTS.findall(sign)
    tag = sign[: len(sign) - sum(map(len, parts))]
    return any(part in names or tag + part in names for part in parts)
