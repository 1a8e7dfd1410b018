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

from templatemine.pages import _html
from templatemine.pages.blocks import Page

MAX_SHEET_BYTES = 1 << 20
"""Bytes of a style sheet that is read."""

_HIDES = re.compile(rb"display\s*:\s*none|visibility\s*:\s*hidden")
_DECLARES = re.compile(r"(?<![\w-])(?:display|visibility)\s*:")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_RULE = re.compile(r"([^{}]*)([{}])")
_SIMPLE = re.compile(r"(?:[a-z][a-z0-9]*)?[.#][A-Za-z_-]+")
_CLASS_OR_ID = re.compile(r"[.#][^.#]*")


def find_hidden(page: Page, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which of the kept blocks are in an element that is not shown."""
    columns, data = page.columns, page.data
    # Few pages have rules that hide, and of these few have one for an element that is kept.
    sheets = [sheet for sheet in _style_sheets(data, int(columns["starts"][kept.argmax()])) if _HIDES.search(sheet)]
    if sheets:
        signatures = _node_signatures(columns, kept)
        listed = "\n".join(signatures.values()).encode()
        if selectors := _hiding_selectors([sheet for sheet in sheets if _may_hide(listed, sheet)]):
            return kept & page.in_elements(columns["hidden"] | _select_nodes(columns, signatures, selectors))
    return kept & page.hidden


def select_elements(
    columns: Mapping[str, Any], selectors: frozenset[str], kept: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return which elements contain blocks and match a simple selector (``.a``, ``#b``, ``p.a``)."""
    return _select_nodes(columns, _node_signatures(columns, kept), selectors).astype(np.bool_)


def _select_nodes(
    columns: Mapping[str, Any], signatures: Mapping[int, str], selectors: frozenset[str]
) -> NDArray[np.uint8]:
    nodes = np.zeros(len(columns["node_parents"]), np.uint8)
    nodes[[node for node, signature in signatures.items() if _matches_selector(signature, selectors)]] = 1
    return nodes[columns["element_nodes"]]  # type: ignore[no-any-return]


def _hiding_selectors(sheets: list[bytes]) -> frozenset[str]:
    """Return the simple selectors that style sheets hide."""
    return frozenset(_hidden_by_rules([_COMMENT.sub(" ", sheet.decode("utf-8", "replace")) for sheet in sheets]))


def _style_sheets(data: bytes, before: int) -> Iterator[bytes]:
    """Yield the style sheets that end before this byte, with a word that hides in them."""
    for start, end in _html.find_styles(data, before):
        hides = data.find(b"none", start, end) >= 0 or data.find(b"hidden", start, end) >= 0
        if hides and end - start <= MAX_SHEET_BYTES:
            yield data[start:end]


def _may_hide(signatures: bytes, sheet: bytes) -> bool:
    """Return whether a selector before a hiding declaration ends in a class or id that the page has."""
    return any(_selects_any(signatures, sheet, match) for match in _HIDES.finditer(sheet))


def _selects_any(signatures: bytes, sheet: bytes, match: re.Match[bytes]) -> bool:
    """Return whether a selector before this declaration ends in a class or id that the page has."""
    brace = sheet.rfind(b"{", 0, match.start())
    selectors = sheet[max(sheet.rfind(b"}", 0, brace), sheet.rfind(b"{", 0, brace)) + 1 : max(brace, 0)]
    for selector in selectors.split(b","):
        start = max(selector.rfind(b"."), selector.rfind(b"#"))
        if start >= 0 and selector[start:].rstrip() in signatures:
            return True
    return False


def _hidden_by_rules(sheets: list[str]) -> Iterator[str]:
    """Yield simple selectors of rules that hide, and that no later rule of the same selector shows again.

    Paths have no digits, so that a name with one is passed over.
    """
    shown: dict[str, bool] = {}
    for sheet in sheets:
        for selectors, body in _top_level_rules(sheet):
            if _DECLARES.search(body):
                hides = _HIDES.search(body.encode()) is not None
                shown |= {
                    selector: not hides
                    for selector in map(str.strip, selectors.split(","))
                    if _SIMPLE.fullmatch(selector)
                }
    return (selector for selector, is_shown in shown.items() if not is_shown)


def _top_level_rules(sheet: str) -> Iterator[tuple[str, str]]:
    """Yield selectors and declarations of the rules that are under no condition such as ``@media``."""
    open_selectors: list[str] = []
    for match in _RULE.finditer(sheet):
        if match[2] == "{":
            open_selectors.append(match[1].rpartition(";")[2].strip())
        elif open_selectors:
            selectors = open_selectors.pop()
            if not open_selectors and not selectors.startswith("@"):
                yield selectors, match[1]


def _node_signatures(columns: Mapping[str, Any], kept: NDArray[np.bool_]) -> dict[int, str]:
    """Return tag, classes and id (``div.story#main``) of each node of the tree of paths above some blocks."""
    bounds, parents = columns["sign_bounds"], columns["node_parents"]
    signatures: dict[int, str] = {}
    for start in set(columns["node"][kept].tolist()):
        node = start
        while node > 0 and node not in signatures:
            signatures[node] = columns["signs"][bounds[node] : bounds[node + 1]].tobytes().decode("utf-8", "replace")
            node = int(parents[node])
    return signatures


def _matches_selector(signature: str, selectors: frozenset[str]) -> bool:
    parts = _CLASS_OR_ID.findall(signature)
    tag = signature[: len(signature) - sum(map(len, parts))]
    return any(part in selectors or tag + part in selectors for part in parts)
