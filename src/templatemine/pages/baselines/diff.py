"""diff: a page against another page of its site; common parts go.

The multiple file mode of WC Cleaner (Baisa, Web Content Cleaning, 2009, section 2.4).  The trees of both pages are
walked together, level by level.  Where two levels are equal (the same kinds of children in the same order) the walk
goes down; texts at the same place in both are compared.  Where levels differ, algorithm 2 maps the children
of the page onto those of the reference in order, and what a pair shares is deleted (``diffCleanLowestLevel``,
``deleteEqualNodes``); of two texts that differ, the words they begin and end with alike (``findCommonParts``).

A page that is built otherwise than its reference goes to `density` (pruning, option -p there), and so does one that has
no reference.  The best reference is the page of middle size (section 2.4, searching reference file): `order_by_middle`.

The children of a node are its texts and the elements in it; of elements that only mark up a text (b, a, span) those
that hold a text of their own.  Algorithm 2 looks at all pairs of children; here an index of texts finds the first one
that shares something, so that time is linear in both pages but for sorting.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from templatemine.config import ExtractConfig
from templatemine.pages import _html
from templatemine.pages.baselines import density
from templatemine.pages.blocks import Page
from templatemine.pages.lazy import lazy
from templatemine.pages.scanner import TAG_FLAGS
from templatemine.pages.systems import BlockClassifier, Site, SystemOutput

MIN_SHARED_WORDS, MIN_SHARED_PART = 2, 1 / 3
"""Words that two texts must begin (or end) with alike, and their share of the text, before they are cut.  The paper has
no such floor; without it, whatever begins with "In the" would lose it."""
LEVELS, MIN_RATIO = 4, 0.5
"""Levels of elements that are counted to tell whether two pages are built alike, and the least ratio of the counts.
The paper compares numbers of child nodes (``isSimilarByChildCount``) and names no limits."""

REASONS = (
    "the reference page has it in the same place",
    "the reference page has nothing like it there",
    "not shown",
    *(f"by density: {reason}" for reason in density.REASONS),
)
SAME, DIFFERENT, HIDDEN, BY_DENSITY = range(4)

BLOCK = (TAG_FLAGS & _html.FLAGS["block"] > 0).tolist()
TEXT = -1
"""The kind of a child that is a text; that of an element is the number of its tag."""

Cuts = tuple[tuple[int, int], ...]


class _Tree:
    """The elements and texts of a page.  A child is an element e >= 0, or a block b as ~b."""

    def __init__(self, page: Page) -> None:
        self.page = page
        columns = page.columns
        self.tags: list[int] = columns["tags"].tolist()
        self.texts = [page.text(block) for block in range(len(page))]
        parents: list[int] = columns["parents"].tolist()
        first_block: list[int | None] = [None] * len(parents)
        own_blocks: dict[int, list[int]] = {}
        for block, (element, hidden) in enumerate(zip(columns["element"].tolist(), page.hidden.tolist(), strict=True)):
            if not hidden:
                own_blocks.setdefault(element, []).append(block)
                first_block[element] = block if first_block[element] is None else first_block[element]
        for element in range(len(parents) - 1, 0, -1):
            position, parent_first = first_block[element], first_block[parents[element]]
            if position is not None and (parent_first is None or position < parent_first):
                first_block[parents[element]] = position
        inner_elements: dict[int, list[int]] = {}
        for element in range(1, len(parents)):
            if first_block[element] is not None or BLOCK[self.tags[element]]:
                inner_elements.setdefault(parents[element], []).append(element)
        self.children = {
            node: self._in_order(own_blocks.get(node, []), inner_elements.get(node, []), first_block)
            for node in own_blocks.keys() | inner_elements.keys()
        }

    @staticmethod
    def _in_order(blocks: list[int], elements: list[int], first_block: list[int | None]) -> list[int]:
        """Merge texts and elements in the order of the page; an element without text goes with the next one that has
        some."""
        rows: list[tuple[float, int, int]] = [(block, 0, ~block) for block in blocks]
        position_after = float("inf")
        for element in reversed(elements):
            position = first_block[element]
            position_after = position_after if position is None else position
            rows.append((position_after, element, element))
        return [child for _, _, child in sorted(rows)]

    @lazy
    def body(self) -> int:
        """Return the element where the walk begins: body if it holds all text, else the page."""
        bodies = [element for element in range(len(self.tags)) if self.tags[element] == density.BODY]
        inner = {block for body in bodies[:1] for block in self.blocks(body)}
        return bodies[0] if bodies and len(inner) == sum(1 for _ in self.blocks(0)) else 0

    def kind(self, child: int) -> int:
        """Return the tag of an element, `TEXT` of a text."""
        return TEXT if child < 0 else self.tags[child]

    def blocks(self, child: int) -> Iterator[int]:
        """Yield the blocks in a child, itself if it is a text."""
        pending = [child]
        while pending:
            node = pending.pop()
            if node < 0:
                yield ~node
            else:
                pending.extend(self.children.get(node, ()))


def is_similar(tree: _Tree, reference: _Tree, node: int, reference_node: int) -> bool:
    """Return whether two nodes have about as many elements on each of the first levels below them."""
    left, right = [node], [reference_node]
    for _ in range(LEVELS):
        left = [child for element in left for child in tree.children.get(element, ()) if child >= 0]
        right = [child for element in right for child in reference.children.get(element, ()) if child >= 0]
        if min(len(left), len(right)) < MIN_RATIO * max(len(left), len(right)):
            return False
    return True


def common_parts(text: str, reference: str) -> Cuts:
    """Return the stretches at which a text begins and ends like another one, in whole words.

    "posted by Jack F." and "posted by anonymous" give that of "posted by".
    """
    if text == reference:
        return ((0, len(text)),)
    ours, theirs = text.split(" "), reference.split(" ")
    limit, min_words = min(len(ours), len(theirs)), max(MIN_SHARED_WORDS, MIN_SHARED_PART * len(ours))
    head = next((n for n in range(limit) if ours[n] != theirs[n]), limit)
    tail = next((n for n in range(limit - head) if ours[-1 - n] != theirs[-1 - n]), limit - head)
    parts = []
    if head >= min_words:
        parts.append((0, min(len(text), sum(map(len, ours[:head])) + head)))
    if tail >= min_words:
        begin = len(text) - sum(map(len, ours[len(ours) - tail :])) - tail
        parts.append((max(begin, parts[-1][1] if parts else 0), len(text)))
    return tuple(parts)


class _TreeComparison:
    """The comparison of a page: blocks to delete (`removed`), and shared stretches of others (`cuts`)."""

    def __init__(self, tree: _Tree, reference: _Tree) -> None:
        self.tree, self.reference = tree, reference
        self.removed: set[int] = set()
        self.cuts: dict[int, Cuts] = {}

    def compare(self, node: int, reference_node: int) -> None:
        """Compare both trees downwards, as long as their levels are equal (diffCleanNode)."""
        pending = deque([(node, reference_node)])
        while pending:
            left_node, right_node = pending.popleft()
            ours, theirs = self.tree.children.get(left_node, []), self.reference.children.get(right_node, [])
            if [*map(self.tree.kind, ours)] != [*map(self.reference.kind, theirs)]:
                self._lowest_level(ours, theirs)
                continue
            for left, right in zip(ours, theirs, strict=True):
                if left < 0:
                    self._texts(~left, ~right)
                else:
                    pending.append((left, right))

    def _texts(self, block: int, reference_block: int) -> None:
        text = self.tree.texts[block]
        cuts = common_parts(text, self.reference.texts[reference_block])
        if cuts and sum(end - start for start, end in cuts) >= len(text):
            self.removed.add(block)
        elif cuts:
            self.cuts[block] = cuts

    def _lowest_level(self, ours: Sequence[int], theirs: Sequence[int]) -> None:
        """Compare the lowest level (diffCleanLowestLevel, algorithm 2)."""
        postings: dict[tuple[int, str], list[int]] = {}
        for index, child in enumerate(theirs):
            kind = self.reference.kind(child)
            for block in self.reference.blocks(child):
                for key in _lookup_keys(self.reference.texts[block], kind):
                    postings.setdefault((kind, key), []).append(index)
        begin = 0
        for child in ours:
            kind = self.tree.kind(child)
            keys = {key for block in self.tree.blocks(child) for key in _lookup_keys(self.tree.texts[block], kind)}
            matches = [match for key in keys if (match := _first_from(postings.get((kind, key)), begin)) is not None]
            for index in sorted(set(matches)):
                if self._share(child, theirs[index]):
                    begin = index + 1
                    break

    def _share(self, child: int, reference_child: int) -> bool:
        """Delete the common parts of two children of the same kind; True if there was anything."""
        before = len(self.removed) + len(self.cuts)
        if child < 0:
            self._texts(~child, ~reference_child)
        else:
            reference_texts = {self.reference.texts[block] for block in self.reference.blocks(reference_child)}
            self.removed.update(block for block in self.tree.blocks(child) if self.tree.texts[block] in reference_texts)
        return len(self.removed) + len(self.cuts) > before


def _lookup_keys(text: str, kind: int) -> tuple[str, ...]:
    """List the keys that a text is looked up by: itself; alone, also the words it begins and ends with."""
    if kind != TEXT:
        return (text,)
    head, tail = (
        text.split(" ", MIN_SHARED_WORDS)[:MIN_SHARED_WORDS],
        text.rsplit(" ", MIN_SHARED_WORDS)[-MIN_SHARED_WORDS:],
    )
    return text, "< " + " ".join(head), "> " + " ".join(tail)


def _first_from(indices: list[int] | None, begin: int) -> int | None:
    if indices is None:
        return None
    position = bisect_left(indices, begin)
    return indices[position] if position < len(indices) else None


# -------------------------------------------------------------------------------------------------------------- system


def order_by_middle(sizes: Sequence[int]) -> list[int]:
    """Return indices of the pages of a site, the best reference first: that of middle size, then those next to it by
    size."""
    order = sorted(range(len(sizes)), key=lambda page: (sizes[page], page))
    half = len(order) // 2
    return [order[rank] for rank in sorted(range(len(order)), key=lambda rank: (abs(rank - half), rank))]


def make(site: Site, config: ExtractConfig) -> BlockClassifier:
    """Return the first of the site's references that is not the page itself; see `ExtractConfig.prune` and
    `from_target`."""
    classify_by_density = density.make(site, config)
    trees: dict[int, _Tree] = {}

    def reference(page: Page) -> _Tree | None:
        for index, html in enumerate(site.references):
            if html != page.html:
                if index not in trees:
                    trees[index] = _Tree(Page(html))
                return trees[index]
        return None

    def classify(page: Page) -> SystemOutput:
        reference_tree = reference(page)
        if reference_tree is None:
            return _use_density(classify_by_density(page), "no other page of the site to compare with; by density")
        tree = _Tree(page)
        node, reference_node = tree.body, reference_tree.body
        if config.from_target:
            node = density.find_target(page, config.density_share).element
            reference_node = density.find_target(reference_tree.page, config.density_share).element
        if config.prune and not is_similar(tree, reference_tree, node, reference_node):
            return _use_density(classify_by_density(page), "built otherwise than the reference page; by density")
        comparison = _TreeComparison(tree, reference_tree)
        comparison.compare(node, reference_node)
        reason = np.full(len(page), DIFFERENT, np.int8)
        reason[list(comparison.removed)] = SAME
        if config.from_target:
            outside = np.ones(len(page), np.bool_)
            outside[list(tree.blocks(node))] = False
            reason[outside] = BY_DENSITY + density.OUTSIDE
        reason[page.hidden] = HIDDEN
        cuts = {block: cut for block, cut in comparison.cuts.items() if reason[block] == DIFFERENT}
        return SystemOutput(kept=reason == DIFFERENT, reason=reason, reasons=REASONS, cuts=cuts)

    return classify


def _use_density(output: SystemOutput, note: str) -> SystemOutput:
    notes = "; ".join(filter(None, (note, output.note)))
    return replace(output, reason=output.reason + np.int8(BY_DENSITY), reasons=REASONS, note=notes)
