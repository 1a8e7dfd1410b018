"""diff: a page against another page of its site; what both have goes.

The multiple file mode of WC Cleaner (Baisa, Web Content Cleaning, 2009, section 2.4).  The trees of both pages are
walked together, level by level.  Where two levels are equal (the same kinds of children in the same order) the walk
goes down; texts that stand at the same place in both are compared.  Where levels differ, algorithm 2 maps the children
of the page onto those of the reference in order, and what a pair shares is deleted (`diffCleanLowestLevel`,
`deleteEqualNodes`); of two texts that differ, the words they begin and end with alike (`findCommonParts`).

A page that is built otherwise than its reference goes to `density` (pruning, option -p there), and so does one that has
no reference.  The best reference is the page of middle size (section 2.4, searching reference file): `middle`.

The children of a node are its texts and the elements in it; of elements that only mark up a text (b, a, span) those
that hold a text of their own.  Algorithm 2 looks at all pairs of children; here an index of texts finds the first one
that shares something, so that time is linear in both pages but for sorting.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from templatemine.config import ExtractConfig
from templatemine.pages import _html
from templatemine.pages.baselines import density
from templatemine.pages.blocks import Page
from templatemine.pages.systems import Judge, Site, Verdict

__all__ = ["common_parts", "make", "middle", "similar"]

SHARED, SHARE = 2, 1 / 3
"""Words that two texts must begin (or end) with alike, and their share of the text, before they are cut.  The paper has
no such floor; without it, whatever begins with "In the" would lose it."""
LEVELS, ALIKE = 4, 0.5
"""Levels of elements that are counted to tell whether two pages are built alike, and the least ratio of the counts.
The paper compares numbers of child nodes (`isSimilarByChildCount`) and names no limits."""

REASONS = (
    "the reference page has it in the same place",
    "the reference page has nothing like it there",
    "not shown",
    *(f"by density: {reason}" for reason in density.REASONS),
)
SAME, OWN, HIDDEN, OTHERWISE = range(4)

BLOCK = [bool(flags & _html.FLAGS["block"]) for _, flags in _html.TAGS]
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
        first: list[int | None] = [None] * len(parents)
        own: dict[int, list[int]] = {}
        for block, (element, hidden) in enumerate(zip(columns["element"].tolist(), page.hidden.tolist(), strict=True)):
            if not hidden:
                own.setdefault(element, []).append(block)
                first[element] = block if first[element] is None else first[element]
        for element in range(len(parents) - 1, 0, -1):
            at, above = first[element], first[parents[element]]
            if at is not None and (above is None or at < above):
                first[parents[element]] = at
        inside: dict[int, list[int]] = {}
        for element in range(1, len(parents)):
            if first[element] is not None or BLOCK[self.tags[element]]:
                inside.setdefault(parents[element], []).append(element)
        self.children = {
            node: self._in_order(own.get(node, []), inside.get(node, []), first) for node in own.keys() | inside.keys()
        }

    @staticmethod
    def _in_order(blocks: list[int], elements: list[int], first: list[int | None]) -> list[int]:
        """Texts and elements as they stand; an element without text goes with the next one that has some."""
        rows: list[tuple[float, int, int]] = [(block, 0, ~block) for block in blocks]
        following = float("inf")
        for element in reversed(elements):
            at = first[element]
            following = following if at is None else at
            rows.append((following, element, element))
        return [child for _, _, child in sorted(rows)]

    @cached_property
    def body(self) -> int:
        """Where the walk begins: body if all text stands in it, else the page."""
        bodies = [element for element in range(len(self.tags)) if self.tags[element] == density.BODY]
        inner = {block for body in bodies[:1] for block in self.blocks(body)}
        return bodies[0] if bodies and len(inner) == sum(1 for _ in self.blocks(0)) else 0

    def kind(self, child: int) -> int:
        """The tag of an element, `TEXT` of a text."""
        return TEXT if child < 0 else self.tags[child]

    def blocks(self, child: int) -> Iterator[int]:
        """Blocks in a child, itself if it is a text."""
        pending = [child]
        while pending:
            one = pending.pop()
            if one < 0:
                yield ~one
            else:
                pending.extend(self.children.get(one, ()))


def similar(one: _Tree, other: _Tree, node: int, at: int) -> bool:
    """True if two nodes have about as many elements on each of the first levels below them."""
    left, right = [node], [at]
    for _ in range(LEVELS):
        left = [child for element in left for child in one.children.get(element, ()) if child >= 0]
        right = [child for element in right for child in other.children.get(element, ()) if child >= 0]
        if min(len(left), len(right)) < ALIKE * max(len(left), len(right)):
            return False
    return True


def common_parts(text: str, reference: str) -> Cuts:
    """Stretches of a text that it begins and ends with like another one, in whole words.

    "posted by Jack F." and "posted by anonymous" give that of "posted by".
    """
    if text == reference:
        return ((0, len(text)),)
    ours, theirs = text.split(" "), reference.split(" ")
    most, least = min(len(ours), len(theirs)), max(SHARED, SHARE * len(ours))
    head = next((n for n in range(most) if ours[n] != theirs[n]), most)
    tail = next((n for n in range(most - head) if ours[-1 - n] != theirs[-1 - n]), most - head)
    found = []
    if head >= least:
        found.append((0, min(len(text), sum(map(len, ours[:head])) + head)))
    if tail >= least:
        begin = len(text) - sum(map(len, ours[len(ours) - tail :])) - tail
        found.append((max(begin, found[-1][1] if found else 0), len(text)))
    return tuple(found)


class _Walk:
    """What becomes of the blocks of a page: `gone` those to delete, `cuts` the shared stretches of others."""

    def __init__(self, tree: _Tree, reference: _Tree) -> None:
        self.tree, self.reference = tree, reference
        self.gone: set[int] = set()
        self.cuts: dict[int, Cuts] = {}

    def run(self, node: int, at: int) -> None:
        """diffCleanNode: both trees down, as long as their levels are equal."""
        pending = deque([(node, at)])
        while pending:
            one, other = pending.popleft()
            ours, theirs = self.tree.children.get(one, []), self.reference.children.get(other, [])
            if [*map(self.tree.kind, ours)] != [*map(self.reference.kind, theirs)]:
                self._lowest_level(ours, theirs)
                continue
            for left, right in zip(ours, theirs, strict=True):
                if left < 0:
                    self._texts(~left, ~right)
                else:
                    pending.append((left, right))

    def _texts(self, block: int, other: int) -> None:
        text = self.tree.texts[block]
        cuts = common_parts(text, self.reference.texts[other])
        if cuts and sum(end - start for start, end in cuts) >= len(text):
            self.gone.add(block)
        elif cuts:
            self.cuts[block] = cuts

    def _lowest_level(self, ours: Sequence[int], theirs: Sequence[int]) -> None:
        """diffCleanLowestLevel: algorithm 2."""
        index: dict[tuple[int, str], list[int]] = {}
        for place, child in enumerate(theirs):
            kind = self.reference.kind(child)
            for block in self.reference.blocks(child):
                for key in _keys(self.reference.texts[block], kind):
                    index.setdefault((kind, key), []).append(place)
        begin = 0
        for child in ours:
            kind = self.tree.kind(child)
            keys = {key for block in self.tree.blocks(child) for key in _keys(self.tree.texts[block], kind)}
            hits = [found for key in keys if (found := _from(index.get((kind, key)), begin)) is not None]
            for place in sorted(set(hits)):
                if self._share(child, theirs[place]):
                    begin = place + 1
                    break

    def _share(self, child: int, other: int) -> bool:
        """Delete what two children of the same kind share; True if there was anything."""
        before = len(self.gone) + len(self.cuts)
        if child < 0:
            self._texts(~child, ~other)
        else:
            known = {self.reference.texts[block] for block in self.reference.blocks(other)}
            self.gone.update(block for block in self.tree.blocks(child) if self.tree.texts[block] in known)
        return len(self.gone) + len(self.cuts) > before


def _keys(text: str, kind: int) -> tuple[str, ...]:
    """What a text is looked up by: itself; alone, also the words it begins and ends with."""
    if kind != TEXT:
        return (text,)
    head, tail = text.split(" ", SHARED)[:SHARED], text.rsplit(" ", SHARED)[-SHARED:]
    return text, "< " + " ".join(head), "> " + " ".join(tail)


def _from(places: list[int] | None, begin: int) -> int | None:
    if places is None:
        return None
    at = bisect_left(places, begin)
    return places[at] if at < len(places) else None


# -------------------------------------------------------------------------------------------------------------- system


def middle(sizes: Sequence[int]) -> list[int]:
    """Places of the pages of a site, the best reference first: that of middle size, then those next to it by size."""
    order = sorted(range(len(sizes)), key=lambda place: (sizes[place], place))
    half = len(order) // 2
    return [order[rank] for rank in sorted(range(len(order)), key=lambda rank: (abs(rank - half), rank))]


def make(site: Site, config: ExtractConfig) -> Judge:
    """The first of the site's references that is not the page itself; see `ExtractConfig.prune` and `from_target`."""
    alone = density.make(site, config)
    ready: dict[int, _Tree] = {}

    def reference(page: Page) -> _Tree | None:
        for place, html in enumerate(site.references):
            if html != page.html:
                if place not in ready:
                    ready[place] = _Tree(Page(html))
                return ready[place]
        return None

    def judge(page: Page) -> Verdict:
        other = reference(page)
        if other is None:
            return _alone(alone(page), "no other page of the site to compare with; by density")
        tree = _Tree(page)
        node, at = tree.body, other.body
        if config.from_target:
            node = density.target(page, config.density_share).element
            at = density.target(other.page, config.density_share).element
        if config.prune and not similar(tree, other, node, at):
            return _alone(alone(page), "built otherwise than the reference page; by density")
        walk = _Walk(tree, other)
        walk.run(node, at)
        reason = np.full(len(page), OWN, np.int8)
        reason[list(walk.gone)] = SAME
        if config.from_target:
            outside = np.ones(len(page), np.bool_)
            outside[list(tree.blocks(node))] = False
            reason[outside] = OTHERWISE + density.OUTSIDE
        reason[page.hidden] = HIDDEN
        cuts = {block: cut for block, cut in walk.cuts.items() if reason[block] == OWN}
        return Verdict(kept=reason == OWN, reason=reason, reasons=REASONS, cuts=cuts)

    return judge


def _alone(verdict: Verdict, note: str) -> Verdict:
    return Verdict(
        kept=verdict.kept,
        reason=verdict.reason + np.int8(OTHERWISE),
        reasons=REASONS,
        note="; ".join(part for part in (note, verdict.note) if part),
    )
