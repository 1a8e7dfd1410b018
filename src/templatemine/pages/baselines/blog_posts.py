"""The posts of a page as elements: of each its text, its title and its date.

By the steps of section 4 of the paper (G. and D. Petasis, BlogBuster), over an `Outline` and the rules of
`pages.blog_rules`.  Linear in the page: no more than `SEARCHED` elements of a kind are looked at for a post.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from templatemine.pages.baselines.blog_rules import ALL, ALONE, INNER, PAPER, PARTS, UNNAMED, RuleSet, rule_set
from templatemine.pages.outline import Outline, attributes
from templatemine.pages.page_dates import LONGEST, is_date, normalised

__all__ = ["Found", "Parts", "posts_of"]

SEARCHED = 64
"""Elements of a kind that are looked at for a post, and levels up that it is looked for: more make no post."""


class Parts:
    """The elements of a page that may be parts of posts.

    Attributes
    ----------
    named : RuleSet
        All rules: names tell titles from other headings also where posts go by the paper's.
    of : mapping of str to (places, ranks)
        By part, elements that meet one of its rules, in the order of the page, and which rule.
    aside : sequence of bool
        Of each element, whether it stands where no posts are.
    posts : set of int
        The elements that are posts by their names.
    """

    def __init__(self, outline: Outline, rules: RuleSet) -> None:
        self.outline = outline
        self.rules = rules
        self.named = rule_set(ALL, rules.own)
        self.of: dict[str, tuple[list[int], list[int]]] = {part: ([], []) for part in PARTS if part != "aside"}
        self.aside: list[bool] = []
        rows = zip(outline.tags, outline.attributes, outline.parents, strict=True)
        for number, (tag, written, parent) in enumerate(rows):
            over = parent >= 0 and self.aside[parent]
            self.aside.append(over or rules.rank("aside", tag, written) >= 0)
            for part, (places, ranks) in self.of.items():
                if (rank := rules.rank(part, tag, written)) >= 0:
                    places.append(number)
                    ranks.append(rank)
        self.posts = frozenset(self.of["post"][0])

    def within(self, part: str, element: int) -> list[int]:
        """Elements of a part in another one, best rule first, then in the order of the page."""
        places, ranks = self.of[part]
        left = bisect_right(places, element)
        right = min(bisect_right(places, self.outline.lasts[element]), left + SEARCHED)
        return [places[at] for at in sorted(range(left, right), key=lambda at: ranks[at])]

    def before(self, part: str, element: int) -> Iterator[int]:
        """Elements of a part that are previous siblings of another one, nearest first."""
        places, _ = self.of[part]
        parent = self.outline.parents[element]
        for at in range(bisect_left(places, element) - 1, max(-1, bisect_left(places, element) - SEARCHED), -1):
            if places[at] <= parent:
                return
            if self.outline.parents[places[at]] == parent:
                yield places[at]


@dataclass(frozen=True, slots=True)
class Found:
    """A post as elements: of its text, title and date (-1 for none), and the date."""

    body: int
    title: int
    dated: int
    date: str | None


def bodies(parts: Parts) -> list[int]:
    """Elements that hold the text of a post each, none within another (steps 1 and 2)."""
    outline = parts.outline
    places, ranks = parts.of["body"]
    direct = {place for place, rank in zip(places, ranks, strict=True) if parts.rules.rule("body", rank).where != INNER}
    whole = frozenset(parts.of["whole"][0])
    around: list[int] = []  # of each element the innermost of `whole` that it stands in
    for parent in outline.parents:
        around.append(parent if parent in whole or parent < 0 else around[parent])
    found: set[int] = set()
    empty: list[int] = []
    for post in sorted(whole | parts.posts):
        if parts.aside[post]:
            continue
        if post in direct:
            found.add(post)
        elif inner := [one for one in parts.within("body", post) if not parts.aside[one]]:
            found.update(_joined(parts, [one for one in inner if around[one] == post], inner[0]))
        elif post in whole:
            empty.append(post)
    # By the rules of today a text needs no element around it.
    alone = [place for place in parts.of[ALONE][0] if around[place] < 0 and not parts.aside[place]]
    paragraphs = [place for place in alone if outline.tags[place] == "p"]
    found.update(place for place in alone if outline.tags[place] != "p")
    if paragraphs:
        found.update(_joined(parts, paragraphs, paragraphs[0]))
    ordered = sorted(found)
    for post in empty:
        at = bisect_left(ordered, post)
        if at == len(ordered) or ordered[at] > outline.lasts[post]:
            found.add(post)
    return list(_outermost(outline, sorted(found)))


def _joined(parts: Parts, pieces: Sequence[int], best: int) -> list[int]:
    """The best text of a post; if several have its tag and its rule they are parts, and what holds them is the text."""
    outline, rules = parts.outline, parts.rules

    def kind(one: int) -> tuple[str, int]:
        return outline.tags[one], rules.rank("body", outline.tags[one], outline.attributes[one])

    alike = sorted(one for one in pieces if kind(one) == kind(best))
    if len(alike) < 2:
        return [best]
    holder = alike[0]
    while holder >= 0 and outline.lasts[holder] < alike[-1]:
        holder = outline.parents[holder]
    return [holder] if holder >= 0 else alike


def _outermost(outline: Outline, found: Sequence[int]) -> Iterator[int]:
    """Of elements within each other one: the inner ones if they are most of the outer, else that."""
    at = 0
    while at < len(found):
        outer = found[at]
        end = bisect_right(found, outline.lasts[outer])
        held, next_one = 0, at + 1
        while next_one < end:  # past what stands in each, or deep nesting would be walked once a level
            inner = found[next_one]
            held += outline.ends[inner] - outline.insides[inner]
            next_one = bisect_right(found, outline.lasts[inner])
        if 2 * held > outline.ends[outer] - outline.insides[outer]:
            at += 1
        else:
            yield outer
            at = end


def _scopes(parts: Parts, found: Sequence[int], body: int) -> tuple[list[int], int]:
    """The element of a post's text, and those around it that hold no other's; then the one that does, -1 for none."""
    outline, scopes = parts.outline, [body]
    parent = outline.parents[body]
    while parent >= 0 and len(scopes) < SEARCHED and outline.tags[parent] not in ("body", "html"):
        if bisect_right(found, outline.lasts[parent]) - bisect_left(found, parent) > 1:
            return scopes, parent
        if parts.rules.kind != PAPER or parent in parts.posts:
            scopes.append(parent)
        parent = outline.parents[parent]
    return scopes, -1


def posts_of(outline: Outline, rules: RuleSet | None = None) -> tuple[Parts, list[Found]]:
    """The posts of a page, in its order; by all rules if none are given."""
    parts = Parts(outline, rules or rule_set())
    found = bodies(parts)
    return parts, [_post(parts, *_scopes(parts, found, body), body) for body in found]


def _post(parts: Parts, scopes: Sequence[int], several: int, body: int) -> Found:
    title = next((one for scope in scopes for one in _titles(parts, scope, body)), -1)
    for scope in scopes:
        for one in _dates(parts, scope):
            if date := _date(parts.outline, one):
                return Found(body, title, one, date)
    if parts.rules.kind == PAPER:
        return Found(body, title, -1, None)
    # No name says so, but a short text that is nothing but a date is one.
    for scope in scopes:
        if scope != body or _whole(parts, body):
            for one in _leaves(parts.outline, scope, body):
                if date := normalised(parts.outline.text(one, LONGEST + 1), whole=True):
                    return Found(body, title, one, date)
    # What stands before several posts holds for each of them: Blogger writes the date of a day once.
    for one in parts.before("date before", several) if several >= 0 else ():
        if date := _date(parts.outline, one):
            return Found(body, title, one, date)
    return Found(body, title, -1, None)


def _whole(parts: Parts, element: int) -> bool:
    outline = parts.outline
    return parts.rules.rank("whole", outline.tags[element], outline.attributes[element]) >= 0


def _titles(parts: Parts, scope: int, body: int) -> Iterator[int]:
    """Steps 3a and 3b for one element around a post; a heading of no name is a title before the text alone."""
    outline = parts.outline
    for one in (*parts.within("title", scope), *parts.before("title before", scope)):
        text = outline.text(one, 400)
        if not text or is_date(text) or (parts.aside[one] and not parts.aside[body]):
            continue
        if one <= body <= outline.lasts[one]:  # the name of a post without a title is its text
            continue
        rank = parts.named.rank("title", outline.tags[one], outline.attributes[one])
        named = rank >= 0 and parts.named.rule("title", rank) is not UNNAMED
        if named or one < body or (scope == body and _whole(parts, body)):
            yield one


def _dates(parts: Parts, scope: int) -> Iterator[int]:
    """Steps 4a to 4c for one element around a post."""
    yield from (one for one in parts.within("date", scope) if not parts.aside[one] or parts.outline.tags[one] == "time")
    yield from parts.within("date before", scope)
    yield from parts.before("date before", scope)


def _date(outline: Outline, element: int) -> str | None:
    """The date that an element has in an attribute, or shows."""
    found = attributes(outline.attributes[element])
    for name in ("datetime", "content", "title"):
        if name in found and (date := normalised(found[name], ask=True)):
            return date
    return normalised(outline.text(element, LONGEST + 1), ask=True)


def _leaves(outline: Outline, scope: int, body: int) -> Iterator[int]:
    """Elements without elements in them, before the text of the post or behind it."""
    inside = range(body + 1, outline.lasts[body] + 1) if scope != body else range(0)
    for one in range(scope + 1, min(outline.lasts[scope], scope + 40 * SEARCHED) + 1):
        if outline.lasts[one] == one and one not in inside and outline.ends[one] - outline.insides[one] <= 2 * LONGEST:
            yield one
