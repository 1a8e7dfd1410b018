"""density: the node of the page with most characters for each structural element.

The single file mode of WC Cleaner (Baisa, Web Content Cleaning, 2009, section 2.3).  Each node has the characters and
the structural elements in it; their ratio is its density.  From body, algorithm 1 goes down to the densest
child for as long as that holds more than half of the characters of its parent, and all text of the node it ends at is
kept.  On request a page is left out whose target node is sparse (tables, lists); the appendix has the constant.

Structural are the elements that are on lines of their own, br and hr among them.  Characters are those of blocks, so
white space is trimmed as in the paper (``addStatToDOMTree``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from templatemine.config import ExtractConfig
from templatemine.errors import ConfigError
from templatemine.model import IntArray, LongArray
from templatemine.pages import _blocks, _html
from templatemine.pages.baselines import _systems
from templatemine.pages.blocks import Page
from templatemine.pages.scanner import TAG_FLAGS, TAG_NAMES
from templatemine.pages.systems import BlockClassifier, Site, SystemOutput

REASONS = (
    "outside of the node with most text for its structure",
    "in the node with most text for its structure",
    "not shown",
    "the page is sparse",
)
OUTSIDE, INSIDE, HIDDEN, SPARSE = range(4)

BODY = TAG_NAMES.index("body")
_STRUCTURAL = (TAG_FLAGS & _html.FLAGS["block"] > 0).astype(np.int64)
"""1 for the tags that structure a page, by their number."""


@dataclass(frozen=True, slots=True)
class TargetNode:
    """Number of an element, and its characters for each structural element."""

    element: int
    density: float


def find_target(page: Page, share: float) -> TargetNode:
    """Return the target node of a page (algorithm 1); linear in the page."""
    columns = page.columns
    parents, tags, element = columns["parents"], columns["tags"], columns["element"]
    within = np.flatnonzero(columns["text"] & 0xC0 == 0x80)  # bytes that begin no character
    characters = np.diff(columns["bounds"]) - np.diff(np.searchsorted(within, columns["bounds"]))
    characters[page.hidden] = 0
    breaks = _systems.count_line_breaks(page.data, columns["starts"], columns["ends"])
    size = len(parents)
    own_characters = np.bincount(element, weights=characters, minlength=size).astype(np.int64)
    structure = _STRUCTURAL[tags] + np.bincount(element, weights=breaks, minlength=size).astype(np.int64)
    total_characters, total_structure = (
        _blocks.sum_subtrees(parents, own_characters),
        _blocks.sum_subtrees(parents, structure),
    )
    body = np.flatnonzero(tags == BODY)
    # Text outside of body is text of the page all the same, so a body that lacks some of it is not where to begin.
    root = int(body[0]) if len(body) and total_characters[body[0]] == total_characters[0] else 0
    found = find_densest(parents, total_characters, total_structure, root, share)
    return TargetNode(found, float(total_characters[found] / max(1, total_structure[found])))


def find_densest(parents: IntArray, characters: LongArray, structure: LongArray, root: int, share: float) -> int:
    """Go from an element down to the densest child as long as that has more than a share of the characters of its
    parent; of equal children the first is taken, and one without structure counts as one with a single element."""
    density = characters / np.maximum(structure, 1)
    while len(children := root + 1 + np.flatnonzero(parents[root + 1 :] == root)):
        densest = int(children[density[children].argmax()])
        if characters[densest] <= share * characters[root]:
            break
        root = densest
    return root


def make(site: Site, config: ExtractConfig) -> BlockClassifier:
    """Make the classifier; see `ExtractConfig.density_share` and `sparse`."""
    if not 0 <= config.density_share < 1:
        raise ConfigError(f"density_share: expected a share below 1, got {config.density_share}")

    def classify(page: Page) -> SystemOutput:
        node = find_target(page, config.density_share)
        is_target = np.zeros(len(page.columns["parents"]), np.uint8)
        is_target[node.element] = INSIDE
        reason = _blocks.inherit_by_blocks(page.columns["parents"], is_target, page.columns["element"]).astype(np.int8)
        reason[page.hidden] = HIDDEN
        note = ""
        if config.sparse is not None and node.density < config.sparse:
            reason[reason == INSIDE] = SPARSE
            note = f"left out as sparse: fewer than {config.sparse:g} characters for each structural element"
        return SystemOutput(kept=reason == INSIDE, reason=reason, reasons=REASONS, note=note)

    return classify
