"""Pack and sample articles -> what each template does there, and what is in danger if it is wrong.

The occurrences of the templates of a source, also of those that people removed, are found once.  A decision then only
says which of them count, which takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig
from templatemine.desk.library import Article
from templatemine.errors import CapacityError
from templatemine.model import Template
from templatemine.packs.families import group_families
from templatemine.packs.pack import Pack
from templatemine.report.risk import OccurrenceColumns, Occurrences, exclusive_lengths, story_probability

__all__ = ["Effects", "SlowArticles", "TemplateEffect", "count_cuts", "sum_cuts"]

MAX_SLOW = 5
"""Articles for which expressions may take too long before this is an error: each costs seconds."""


class SlowArticles(Exception):
    """Articles for which expressions of a pack take too long.

    Attributes
    ----------
    articles : list of Article
    """

    def __init__(self, articles: list[Article]) -> None:
        super().__init__(", ".join(one.name for one in articles))
        self.articles = articles


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateEffect:
    """The effect of a template in the sample.

    Attributes
    ----------
    seen : int
        Articles with the template.
    articles, characters : int
        Articles in which it alone removes something, and how many characters: those that stay if it is rejected.  Of a
        template that is out: those that go if it is accepted.
    risk : float
        Characters expected to be story among all that it stands for in the sample (`report.risk`).
    """

    seen: int = 0
    articles: int = 0
    characters: int = 0
    risk: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as the browser gets them."""
        return {
            "seen": self.seen,
            "articles": self.articles,
            "characters": self.characters,
            "risk": round(self.risk, 1),
        }


class Effects:
    """The templates of a source on its sample.

    Occurrences are found once, and what templates do is kept: after a decision only those articles are looked at again
    in which a template occurs that it takes out or brings in.

    Parameters
    ----------
    templates : sequence of Template
        Those of the pack, and those that people removed.

    Raises
    ------
    SlowArticles
        Expressions take too long for some articles; the same templates can be looked for in the others.
    CapacityError
        They do for more than `MAX_SLOW`.
    """

    def __init__(self, pack: Pack, templates: Sequence[Template], articles: Sequence[Article]) -> None:
        self._pack, self._articles = pack, list(articles)
        self._sizes = [len(one.document.body) for one in articles]
        self._templates: list[Template] = []
        self._by_identity: dict[int, tuple[Template, int]] = {}
        self._by_value: dict[Template, int] = {}
        self._occurrences = [OccurrenceColumns(*(np.zeros(0, np.int64) for _ in range(3))) for _ in articles]
        self._family_heads: tuple[frozenset[str], dict[str, str]] = frozenset(), {}
        self._lock = Lock()
        self._last_indices: tuple[Sequence[Template], list[int]] = (), []
        self._add(templates)

    def extend(self, pack: Pack, templates: Sequence[Template], articles: Sequence[Article]) -> bool:
        """Look for those templates that are new, if the pack finds the others as before and the articles are the same;
        else False.  After an error these effects are of no use any more."""
        same = all(
            getattr(pack, name) == getattr(self._pack, name) for name in ("html", "tokenise", "enabled", "reading")
        )
        if not same or len(articles) != len(self._articles):
            return False
        if any(one is not other for one, other in zip(articles, self._articles, strict=True)):
            return False
        with self._lock:
            known = self._by_identity
            fresh = [one for one in templates if id(one) not in known and self._find_index(one) is None]
            if fresh:
                self._add(fresh)
        return True

    def _add(self, templates: Sequence[Template]) -> None:
        first = len(self._templates)
        for place, one in enumerate(templates, first):
            self._by_identity[id(one)] = one, place
            self._by_value[one] = place
        self._templates += templates
        occurrences = Occurrences(replace(self._pack, templates=tuple(templates)))
        slow: list[Article] = []
        for number, (before, article) in enumerate(zip(self._occurrences, self._articles, strict=True)):
            try:
                starts, ends, places = occurrences.find(article.document.body)
            except CapacityError:
                slow.append(article)
                if len(slow) > MAX_SLOW:
                    raise
                continue
            more = starts, ends, places + first
            self._occurrences[number] = OccurrenceColumns(*map(np.concatenate, zip(before, more, strict=True)))
        if slow:
            raise SlowArticles(slow)
        size = len(self._templates)
        self._article_counts, self._covered_lengths, self._changed_counts, self._characters = (
            np.zeros(size, np.int64) for _ in range(4)
        )
        self._kept = np.zeros(size, np.bool_)
        self._exclusive_lengths = [np.zeros(len(found.template_indices), np.int64) for found in self._occurrences]
        for found in self._occurrences:
            np.add.at(self._covered_lengths, found.template_indices, found.ends - found.starts)
            self._article_counts[np.unique(found.template_indices)] += 1
        self._count(range(len(self._occurrences)))
        self._effect_cache: dict[int, tuple[bool, TemplateEffect]] = {}

    def _find_index(self, template: Template) -> int | None:
        known = self._by_identity.get(id(template))
        if known is None:
            place = self._by_value.get(template)
            if place is None:
                return None
            known = self._by_identity[id(template)] = template, place
        return known[1]

    def _find_indices(self, templates: Sequence[Template]) -> list[int]:
        """Return the places of templates that were looked for; those of the last ones are kept."""
        last = self._last_indices
        if last[0] is not templates:
            last = self._last_indices = templates, [cast(int, self._find_index(one)) for one in templates]
        return last[1]

    def find_articles(self, templates: Iterable[Template]) -> list[int] | None:
        """Return the places of the articles in which any of these occurs; None if not all templates were looked for."""
        wanted = np.zeros(len(self._templates), np.bool_)
        for one in templates:
            place = self._find_index(one)
            if place is None:
                return None
            wanted[place] = True
        return self._find_articles(wanted)

    def _find_articles(self, wanted: NDArray[np.bool_]) -> list[int]:
        return [number for number, found in enumerate(self._occurrences) if wanted[found.template_indices].any()]

    def restrict_pack(self, pack: Pack, articles: Iterable[int]) -> Pack:
        """Return a pack with those of its templates alone that occur in some articles, by their places; with all of
        them, if they were not all looked for."""
        there = np.zeros(len(self._templates), np.bool_)
        for number in articles:
            there[self._occurrences[number].template_indices] = True
        kept, places = there.tolist(), self._find_indices(pack.templates)
        if None in places:
            return pack
        chosen = (one for one, place in zip(pack.templates, places, strict=True) if kept[place])
        return replace(pack, templates=tuple(chosen))

    def _count(self, articles: Iterable[int]) -> None:
        """Count anew what templates alone remove of some articles."""
        for number in articles:
            found = self._occurrences[number]
            for own, sign in (
                (self._exclusive_lengths[number], -1),
                (exclusive_lengths(found, self._sizes[number], self._kept), 1),
            ):
                np.add.at(self._characters, found.template_indices, sign * own)
                self._changed_counts[np.unique(found.template_indices[own > 0])] += sign
                self._exclusive_lengths[number] = own

    def template_effects(self, pack: Pack) -> dict[str, TemplateEffect]:
        """Return the effect of each template of the pack, and of each that was removed from it."""
        added = set(pack.overrides.added)
        with self._lock:
            kept = np.zeros(len(self._templates), np.bool_)
            places = self._find_indices(pack.templates)
            kept[places] = True
            changed = self._find_articles(kept != self._kept)
            self._kept = kept
            self._count(changed)
            for number in changed:
                for place in np.unique(self._occurrences[number].template_indices).tolist():
                    self._effect_cache.pop(place, None)
            made = {
                one.id: self._make_effect(one, place, one.id in added)
                for one, place in zip(pack.templates, places, strict=True)
            }
            removed = pack.overrides.removed
            for one, place in zip(removed, self._find_indices(removed), strict=True):
                made[one.id] = self._make_effect(one, place, one.id in added)
            return made

    def _make_effect(self, template: Template, place: int, by_hand: bool) -> TemplateEffect:
        known = self._effect_cache.get(place)
        if known is None or known[0] != by_hand:
            effect = TemplateEffect(
                seen=int(self._article_counts[place]),
                articles=int(self._changed_counts[place]),
                characters=int(self._characters[place]),
                risk=story_probability(template, by_hand=by_hand) * int(self._covered_lengths[place]),
            )
            known = self._effect_cache[place] = by_hand, effect
        return known[1]

    def family_heads(self, pack: Pack) -> dict[str, str]:
        """Map the id of each variant to that of the head of its family, for the templates of `template_effects`,
        without heads."""
        templates = (*pack.templates, *pack.overrides.removed)
        with self._lock:
            key = frozenset(one.id for one in templates)
            if self._family_heads[0] != key:
                self._family_heads = key, _find_heads(templates)
            return self._family_heads[1]


def count_cuts(pack: Pack, articles: Sequence[Article], config: CleanConfig) -> list[int]:
    """Count the characters that the pack removes from each article: those of the cleaner itself."""
    cleaner = Cleaner(pack, config)
    return [sum(span.end - span.start for span in cleaner.spans(one.document.body)) for one in articles]


def sum_cuts(cuts: Sequence[int], articles: Sequence[Article]) -> dict[str, int]:
    """Sum up articles, those of them that change, their characters, and the removed ones."""
    size = sum(len(one.document.body) for one in articles)
    return {"articles": len(cuts), "touched": sum(cut > 0 for cut in cuts), "characters": size, "cut": sum(cuts)}


def _find_heads(templates: Sequence[Template]) -> dict[str, str]:
    """Return the head of the family of each template that is not its own."""
    ordered = sorted(templates, key=lambda one: (-one.df, one.id))  # whatever was decided about them
    return {ordered[place].id: ordered[family[0]].id for family in group_families(ordered) for place in family[1:]}
