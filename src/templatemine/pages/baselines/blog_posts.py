"""The posts of a page as elements: of each its text, its title and its date.

By the steps of section 4 of the paper (G. and D. Petasis, BlogBuster), over an `Outline` and the rules of
`pages.blog_rules`.  Linear in the page: no more than `MAX_SEARCHED` elements of a kind are looked at for a post.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from templatemine.pages.baselines.blog_rules import (
    ALL_RULES,
    HEADING_RULE,
    INNER_RULE,
    PAPER_RULES,
    PARTS,
    STANDALONE,
    RuleSet,
    rule_set,
)
from templatemine.pages.baselines.outline import Outline
from templatemine.pages.declared import parse_attributes
from templatemine.pages.page_dates import MAX_DATE_LENGTH, is_date, normalise_date

MAX_SEARCHED = 64
"""Elements of a kind that are looked at for a post, and levels up that it is looked for: more make no post."""


class PostCandidates:
    """The elements of a page that may be parts of posts.

    Attributes
    ----------
    all_rules : RuleSet
        All rules: names tell titles from other headings also where posts go by the paper's.
    elements_of : mapping of str to (places, ranks)
        By part, elements that meet one of its rules, in the order of the page, and which rule.
    is_aside : sequence of bool
        Of each element, whether it is where no posts are.
    posts : set of int
        The elements that are posts by their names.
    """

    def __init__(self, outline: Outline, rules: RuleSet) -> None:
        self.outline = outline
        self.rules = rules
        self.all_rules = rule_set(ALL_RULES, rules.own)
        self.elements_of: dict[str, tuple[list[int], list[int]]] = {part: ([], []) for part in PARTS if part != "aside"}
        self.is_aside: list[bool] = []
        rows = zip(outline.tags, outline.attributes, outline.parents, strict=True)
        for element, (tag, source, parent) in enumerate(rows):
            parent_aside = parent >= 0 and self.is_aside[parent]
            self.is_aside.append(parent_aside or rules.find_rule("aside", tag, source) >= 0)
            for part, (elements, ranks) in self.elements_of.items():
                if (rank := rules.find_rule(part, tag, source)) >= 0:
                    elements.append(element)
                    ranks.append(rank)
        self.posts = frozenset(self.elements_of["post"][0])

    def within(self, part: str, element: int) -> list[int]:
        """Return elements of a part in another one, best rule first, then in the order of the page."""
        elements, ranks = self.elements_of[part]
        start = bisect_right(elements, element)
        stop = min(bisect_right(elements, self.outline.last_descendants[element]), start + MAX_SEARCHED)
        return [elements[index] for index in sorted(range(start, stop), key=lambda index: ranks[index])]

    def preceding(self, part: str, element: int) -> Iterator[int]:
        """Yield elements of a part that are previous siblings of another one, nearest first."""
        elements, _ = self.elements_of[part]
        parent = self.outline.parents[element]
        for index in range(
            bisect_left(elements, element) - 1, max(-1, bisect_left(elements, element) - MAX_SEARCHED), -1
        ):
            if elements[index] <= parent:
                return
            if self.outline.parents[elements[index]] == parent:
                yield elements[index]


@dataclass(frozen=True, slots=True)
class PostElements:
    """A post as elements: of its text, title and date (-1 for none), and the date."""

    body: int
    title: int
    date_element: int
    date: str | None


def find_bodies(candidates: PostCandidates) -> list[int]:
    """Find the elements that hold the text of a post each, none within another (steps 1 and 2)."""
    outline = candidates.outline
    elements, ranks = candidates.elements_of["body"]
    direct = {
        place
        for place, rank in zip(elements, ranks, strict=True)
        if candidates.rules.rule("body", rank).where != INNER_RULE
    }
    whole_posts = frozenset(candidates.elements_of["whole"][0])
    whole_around: list[int] = []  # of each element the innermost of `whole_posts` around it
    for parent in outline.parents:
        whole_around.append(parent if parent in whole_posts or parent < 0 else whole_around[parent])
    bodies: set[int] = set()
    without_body: list[int] = []
    for post in sorted(whole_posts | candidates.posts):
        if candidates.is_aside[post]:
            continue
        if post in direct:
            bodies.add(post)
        elif inner_bodies := [
            element for element in candidates.within("body", post) if not candidates.is_aside[element]
        ]:
            bodies.update(
                _join_bodies(
                    candidates, [element for element in inner_bodies if whole_around[element] == post], inner_bodies[0]
                )
            )
        elif post in whole_posts:
            without_body.append(post)
    # By the rules of today a text needs no element around it.
    standalone = [
        place
        for place in candidates.elements_of[STANDALONE][0]
        if whole_around[place] < 0 and not candidates.is_aside[place]
    ]
    paragraphs = [place for place in standalone if outline.tags[place] == "p"]
    bodies.update(place for place in standalone if outline.tags[place] != "p")
    if paragraphs:
        bodies.update(_join_bodies(candidates, paragraphs, paragraphs[0]))
    ordered = sorted(bodies)
    for post in without_body:
        index = bisect_left(ordered, post)
        if index == len(ordered) or ordered[index] > outline.last_descendants[post]:
            bodies.add(post)
    return list(_outermost(outline, sorted(bodies)))


def _join_bodies(candidates: PostCandidates, elements: Sequence[int], best: int) -> list[int]:
    """Return the best text of a post; if several have its tag and its rule they are parts, and what holds them is the
    text."""
    outline, rules = candidates.outline, candidates.rules

    def kind(element: int) -> tuple[str, int]:
        return outline.tags[element], rules.find_rule("body", outline.tags[element], outline.attributes[element])

    same_kind = sorted(element for element in elements if kind(element) == kind(best))
    if len(same_kind) < 2:
        return [best]
    container = same_kind[0]
    while container >= 0 and outline.last_descendants[container] < same_kind[-1]:
        container = outline.parents[container]
    return [container] if container >= 0 else same_kind


def _outermost(outline: Outline, elements: Sequence[int]) -> Iterator[int]:
    """Yield the inner of nested elements if they are most of the outer, else the outer."""
    index = 0
    while index < len(elements):
        outer = elements[index]
        end = bisect_right(elements, outline.last_descendants[outer])
        inner_length, next_index = 0, index + 1
        while next_index < end:  # past the contents of each, or deep nesting would be walked once a level
            inner = elements[next_index]
            inner_length += outline.content_ends[inner] - outline.content_starts[inner]
            next_index = bisect_right(elements, outline.last_descendants[inner])
        if 2 * inner_length > outline.content_ends[outer] - outline.content_starts[outer]:
            index += 1
        else:
            yield outer
            index = end


def _post_scopes(candidates: PostCandidates, bodies: Sequence[int], body: int) -> tuple[list[int], int]:
    """Return the element of a post's text, and those around it that hold no other's; then the one that does, -1 for
    none."""
    outline, scopes = candidates.outline, [body]
    parent = outline.parents[body]
    while parent >= 0 and len(scopes) < MAX_SEARCHED and outline.tags[parent] not in ("body", "html"):
        if bisect_right(bodies, outline.last_descendants[parent]) - bisect_left(bodies, parent) > 1:
            return scopes, parent
        if candidates.rules.kind != PAPER_RULES or parent in candidates.posts:
            scopes.append(parent)
        parent = outline.parents[parent]
    return scopes, -1


def find_posts(outline: Outline, rules: RuleSet | None = None) -> tuple[PostCandidates, list[PostElements]]:
    """Return the posts of a page, in its order; by all rules if none are given."""
    candidates = PostCandidates(outline, rules or rule_set())
    bodies = find_bodies(candidates)
    return candidates, [_make_post(candidates, *_post_scopes(candidates, bodies, body), body) for body in bodies]


def _make_post(candidates: PostCandidates, scopes: Sequence[int], common_parent: int, body: int) -> PostElements:
    title = next((element for scope in scopes for element in _title_candidates(candidates, scope, body)), -1)
    for scope in scopes:
        for element in _date_candidates(candidates, scope):
            if date := _element_date(candidates.outline, element):
                return PostElements(body, title, element, date)
    if candidates.rules.kind == PAPER_RULES:
        return PostElements(body, title, -1, None)
    # No name says so, but a short text that is nothing but a date is one.
    for scope in scopes:
        if scope != body or _is_whole(candidates, body):
            for element in _leaf_elements(candidates.outline, scope, body):
                if date := normalise_date(candidates.outline.text(element, MAX_DATE_LENGTH + 1), whole=True):
                    return PostElements(body, title, element, date)
    # Text before several posts holds for each of them: Blogger writes the date of a day once.
    for element in candidates.preceding("date before", common_parent) if common_parent >= 0 else ():
        if date := _element_date(candidates.outline, element):
            return PostElements(body, title, element, date)
    return PostElements(body, title, -1, None)


def _is_whole(candidates: PostCandidates, element: int) -> bool:
    outline = candidates.outline
    return candidates.rules.find_rule("whole", outline.tags[element], outline.attributes[element]) >= 0


def _title_candidates(candidates: PostCandidates, scope: int, body: int) -> Iterator[int]:
    """Yield title candidates (steps 3a and 3b) for one element around a post; an unnamed heading counts only before
    the text."""
    outline = candidates.outline
    for element in (*candidates.within("title", scope), *candidates.preceding("title before", scope)):
        text = outline.text(element, 400)
        if not text or is_date(text) or (candidates.is_aside[element] and not candidates.is_aside[body]):
            continue
        if element <= body <= outline.last_descendants[element]:  # the name of a post without a title is its text
            continue
        rank = candidates.all_rules.find_rule("title", outline.tags[element], outline.attributes[element])
        is_named = rank >= 0 and candidates.all_rules.rule("title", rank) is not HEADING_RULE
        if is_named or element < body or (scope == body and _is_whole(candidates, body)):
            yield element


def _date_candidates(candidates: PostCandidates, scope: int) -> Iterator[int]:
    """Yield date candidates (steps 4a to 4c) for one element around a post."""
    yield from (
        element
        for element in candidates.within("date", scope)
        if not candidates.is_aside[element] or candidates.outline.tags[element] == "time"
    )
    yield from candidates.within("date before", scope)
    yield from candidates.preceding("date before", scope)


def _element_date(outline: Outline, element: int) -> str | None:
    """Return the date that an element has in an attribute, or shows."""
    element_attributes = parse_attributes(outline.attributes[element])
    for name in ("datetime", "content", "title"):
        if name in element_attributes and (date := normalise_date(element_attributes[name], use_dateparser=True)):
            return date
    return normalise_date(outline.text(element, MAX_DATE_LENGTH + 1), use_dateparser=True)


def _leaf_elements(outline: Outline, scope: int, body: int) -> Iterator[int]:
    """Yield elements without elements in them, before the text of the post or behind it."""
    body_elements = range(body + 1, outline.last_descendants[body] + 1) if scope != body else range(0)
    for element in range(scope + 1, min(outline.last_descendants[scope], scope + 40 * MAX_SEARCHED) + 1):
        if (
            outline.last_descendants[element] == element
            and element not in body_elements
            and outline.content_ends[element] - outline.content_starts[element] <= 2 * MAX_DATE_LENGTH
        ):
            yield element
