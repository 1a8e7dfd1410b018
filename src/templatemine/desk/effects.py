"""Pack and sample articles -> what templates and answers do there, and what is in danger if they are wrong.

The occurrences of the templates of a source, also of those that people removed, are found once.  A decision then only
says which of them count, which takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from threading import RLock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from templatemine.archive.apply_answers import add_answer_rules, possible_answers
from templatemine.archive.apply_overrides import apply_rules
from templatemine.cleaning.cleaner import Cleaner, count_lost
from templatemine.cleaning.parts import unite_spans
from templatemine.desk.library import Article
from templatemine.errors import CapacityError
from templatemine.model import Question, RejectedCandidate, Span, Template
from templatemine.packs.families import Variants
from templatemine.packs.pack import Pack
from templatemine.report.doubts import MAX_MATCHED_TEXTS, Signs, find_signs, measure_matches, varies
from templatemine.report.harm import Blamed, find_blamed
from templatemine.report.rests import SHARED, Rests, find_rests, find_shared
from templatemine.report.risk import OccurrenceColumns, Occurrences
from templatemine.text.tears import JudgedCut, SentenceEnds, judge_cuts

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
class EffectColumns:
    """The effects of templates in the sample, a row each.

    Attributes
    ----------
    seen : array
        Articles with the template.
    covered : array
        Characters of all that it matches in the sample.
    signs : list of Signs
        Why it may be story (`report.doubts`); none of what people decided.
    heads : array
        The row of the head of its family, its own for a head.
    """

    seen: NDArray[np.int64]
    covered: NDArray[np.int64]
    signs: list[Signs]
    heads: NDArray[np.int64]


class Effects:
    """The templates of a source on its sample, in which their occurrences are found once.

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
        self._templates: list[Template] = []
        self._by_identity: dict[int, tuple[Template, int]] = {}
        self._by_value: dict[Template, int] = {}  # whatever their kind
        self._occurrences = [OccurrenceColumns(*(np.zeros(0, np.int64) for _ in range(3))) for _ in articles]
        self._article_counts, self._covered_lengths = (np.zeros(0, np.int64) for _ in range(2))
        self._variants = Variants()
        self._families: tuple[bytes, NDArray[np.int64]] = b"", np.zeros(0, np.int64)
        self._signs: list[Signs] = []
        self._lock = RLock()
        self._last_indices: list[tuple[Sequence[Template], NDArray[np.int64]]] = []
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
            fresh = {
                replace(one, kind=""): one
                for one in templates
                if id(one) not in known and self._find_index(one) is None
            }
            if fresh:
                self._add([*fresh.values()])
        return True

    def _add(self, templates: Sequence[Template]) -> None:
        first = len(self._templates)
        for place, one in enumerate(templates, first):
            self._by_identity[id(one)] = one, place
            self._by_value[replace(one, kind="")] = place
        self._templates += templates
        self._variants.add(templates)
        occurrences = Occurrences(replace(self._pack, templates=tuple(templates)))
        more = np.zeros(len(templates), np.int64)
        columns = self._article_counts, self._covered_lengths
        self._article_counts, self._covered_lengths = (np.concatenate([column, more]) for column in columns)
        slow: list[Article] = []
        for number, (before, article) in enumerate(zip(self._occurrences, self._articles, strict=True)):
            try:
                starts, ends, places = occurrences.find(article.document.body)
            except CapacityError:
                slow.append(article)
                if len(slow) > MAX_SLOW:
                    raise
                continue
            if not len(places):
                continue
            found = OccurrenceColumns(starts, ends, places + first)
            self._occurrences[number] = OccurrenceColumns(*map(np.concatenate, zip(before, found, strict=True)))
            np.add.at(self._covered_lengths, found.template_indices, ends - starts)
            self._article_counts[np.unique(found.template_indices)] += 1
        if slow:
            raise SlowArticles(slow)
        self._signs += self._find_signs(first)

    def _find_signs(self, first: int) -> list[Signs]:
        """Return the signs of the templates from a place on: as the report has them, of the matches in some articles
        of the sample."""
        templates = self._templates[first:]
        varying = np.zeros(len(self._templates), np.bool_)
        varying[first:] = [varies(one) for one in templates]
        holding = (
            (article.document.body, OccurrenceColumns(*(column[there] for column in found)))
            for article, found in zip(self._articles, self._occurrences, strict=True)
            if (there := varying[found.template_indices]).any()
        )
        matches = measure_matches(islice(holding, MAX_MATCHED_TEXTS))
        documents = self._pack.documents
        return [find_signs(one, one.df, documents, matches.get(place)) for place, one in enumerate(templates, first)]

    def _find_index(self, template: Template) -> int | None:
        known = self._by_identity.get(id(template))
        if known is None:
            place = self._by_value.get(replace(template, kind=""))
            if place is None:
                return None
            known = self._by_identity[id(template)] = template, place
        return known[1]

    def _find_indices(self, templates: Sequence[Template]) -> NDArray[np.int64]:
        """Return the places of templates, -1 of those that were not looked for; of the last sequences they are kept."""
        found = next((places for last, places in self._last_indices if last is templates), None)
        if found is None:
            known = [self._find_index(one) for one in templates]
            found = np.array([-1 if place is None else place for place in known], np.int64)
            if not len(found) or found.min() >= 0:
                self._last_indices = [(templates, found), *self._last_indices[:3]]
        return found

    def find_articles(self, templates: Iterable[Template]) -> list[int] | None:
        """Return the places of the articles in which any of these occurs; None if not all templates were looked for."""
        with self._lock:
            wanted = np.zeros(len(self._templates), np.bool_)
            for one in templates:
                place = self._find_index(one)
                if place is None:
                    return None
                wanted[place] = True
            return [number for number, found in enumerate(self._occurrences) if wanted[found.template_indices].any()]

    def restrict_pack(self, pack: Pack, articles: Iterable[int]) -> Pack:
        """Return a pack with those of its templates alone that occur in some articles, by their places; with all of
        them, if they were not all looked for."""
        with self._lock:
            there = np.zeros(len(self._templates), np.bool_)
            for number in articles:
                there[self._occurrences[number].template_indices] = True
            places = self._find_indices(pack.templates)
        if len(places) and places.min() < 0:
            return pack
        return replace(pack, templates=tuple(pack.templates[row] for row in np.flatnonzero(there[places]).tolist()))

    def measure(self, pack: Pack) -> EffectColumns:
        """Return the effect of each template of the pack, and then of each that is left out of it, and its family."""
        removed = find_left_out(pack)
        with self._lock:
            places = np.concatenate([self._find_indices(pack.templates), self._find_indices(removed)])
            signs = [self._signs[place] for place in places.tolist()]
            if pack.overrides.added:  # what a person decided is not in doubt
                added = set(pack.overrides.added)
                for row, one in enumerate((*pack.templates, *removed)):
                    if one.id in added:
                        signs[row] = Signs(0.0, ())
            return EffectColumns(
                seen=self._article_counts[places],
                covered=self._covered_lengths[places],
                signs=signs,
                heads=self._find_heads(places),
            )

    def _find_heads(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the row of the head of the family of each row, whatever was decided about them."""
        key = np.sort(places).tobytes()
        if self._families[0] != key:
            templates = self._templates
            ordered = sorted({*places.tolist()}, key=lambda place: (-templates[place].df, templates[place].id))
            heads = np.zeros(len(templates), np.int64)
            for family in self._variants.group(ordered):
                heads[family] = family[0]
            self._families = key, heads
        rows = np.zeros(len(self._templates), np.int64)
        rows[places] = np.arange(len(places))
        found: NDArray[np.int64] = rows[self._families[1][places]]
        return found


def find_left_out(pack: Pack) -> list[Template]:
    """Return the mined templates that rules took out of a pack, and did not write anew."""
    there = {one.id for one in pack.templates}
    return [one for one in pack.overrides.removed if one.id not in there]


class ArticleCuts(NamedTuple):
    """The characters that an article loses, its cuts, judged, what they leave behind (`share_rests`), and the rests
    among that which other articles may share."""

    characters: int = 0
    judged: Sequence[JudgedCut[str]] = ()
    left: Sequence[Blamed] = ()
    rests: Rests = Rests()


def find_cuts(pack: Pack, articles: Sequence[Article], ends: SentenceEnds) -> list[ArticleCuts]:
    """Find what the pack removes from each article, and what its cuts leave behind: of pages nothing, for these are not
    cut by lines."""
    cleaner, occurrences = Cleaner(pack), Occurrences(pack)
    found = []
    for one in articles:
        text = one.document.body
        spans = cleaner.spans(text)
        judged = [] if pack.html else judge_cuts(text, spans, ends.leaves_part, occurrences.find_ids)
        left, rests = find_blamed(text, judged), find_rests(text, judged)
        found.append(ArticleCuts(count_lost(text, spans), judged, left, rests))
    return found


def share_rests(articles: Sequence[ArticleCuts]) -> list[ArticleCuts]:
    """Return the articles of a sample, with those rests that they share among what their cuts leave behind."""
    shared = find_shared([one.rests for one in articles])
    return [
        one._replace(left=[*(pair for pair in one.left if pair[0].kind != SHARED), *some])
        for one, some in zip(articles, shared, strict=True)
    ]


def count_cuts(pack: Pack, articles: Sequence[Article]) -> list[int]:
    """Count the characters that each article loses by the pack: those of the cleaner itself."""
    cleaner = Cleaner(pack)
    return [count_lost(text, cleaner.spans(text)) for text in (one.document.body for one in articles)]


def compare_cuts(before: Sequence[int], after: Sequence[int]) -> dict[str, int]:
    """Count the articles whose cuts change, and the characters that they lose by it, or keep if negative."""
    pairs = list(zip(before, after, strict=True))
    return {"articles": sum(a != b for a, b in pairs), "characters": sum(b - a for a, b in pairs)}


def sum_cuts(cuts: Sequence[int], articles: Sequence[Article]) -> dict[str, int]:
    """Sum up articles, those of them that change, their characters, and the removed ones."""
    size = sum(len(one.document.body) for one in articles)
    return {"articles": len(cuts), "touched": sum(cut > 0 for cut in cuts), "characters": size, "cut": sum(cuts)}


def measure_change(
    pack: Pack, whole: Pack, articles: Sequence[Article], effects: Effects, before: Sequence[int]
) -> dict[str, int]:
    """Count the articles of a sample that lose more or less if the `whole` takes the place of the pack, and the
    characters that they lose by it, or keep if negative.

    Only articles in which a template occurs that is not in both are cleaned, and only by templates that occur there.

    Parameters
    ----------
    before : sequence of int
        The characters that each article loses by the pack.
    """
    places, _, then = _restrict_change(pack, whole, articles, effects)
    after = count_cuts(then, [articles[place] for place in places])
    return compare_cuts([before[place] for place in places], after)


def measure_exchange(pack: Pack, whole: Pack, articles: Sequence[Article], effects: Effects) -> dict[str, int]:
    """Count the characters of a sample that go if the `whole` takes the place of the pack, and those that stay: what
    `measure_change` counts is the difference."""
    places, now, then = _restrict_change(pack, whole, articles, effects)
    cleaners = Cleaner(now), Cleaner(then)
    goes = stays = 0
    for text in (articles[place].document.body for place in places):
        before, after = (cleaner.spans(text) for cleaner in cleaners)
        spans = unite_spans((one.start, one.end) for one in (*before, *after))
        either = count_lost(text, [Span(*one) for one in spans])
        goes += either - count_lost(text, before)
        stays += either - count_lost(text, after)
    return {"new": goes, "stays": stays}


def _restrict_change(
    pack: Pack, whole: Pack, articles: Sequence[Article], effects: Effects
) -> tuple[list[int], Pack, Pack]:
    """Return the places of the articles in which a template occurs that is not in both packs, and both with the
    templates alone that occur there."""
    changed = symmetric_difference(pack.templates, whole.templates)
    places = effects.find_articles(changed)
    if places is None:
        occurrences = Occurrences(replace(pack, templates=tuple(changed)))
        places = [place for place, one in enumerate(articles) if len(occurrences.find(one.document.body).starts)]
    there = effects.restrict_pack(pack, places)
    return places, there, replace(there, templates=_carry(pack, whole, there))


def measure_answers(
    pack: Pack,
    rejected: Sequence[RejectedCandidate],
    question: Question,
    articles: Sequence[Article],
    effects: Effects,
    before: Sequence[int],
) -> dict[str, dict[str, int]]:
    """Measure what each answer to a question would change (`measure_change`)."""
    found = {}
    for answer in possible_answers(question):
        whole = apply_rules(pack, rejected, add_answer_rules(pack, pack.overrides.rules, question, answer))
        found[answer] = measure_change(pack, whole, articles, effects, before)
    return found


def _carry(pack: Pack, whole: Pack, there: Pack) -> tuple[Template, ...]:
    """Return the templates of a part of a pack, with the changes that led from the pack to the `whole`."""
    old, new = {one.id: one for one in pack.templates}, {one.id: one for one in whole.templates}
    kept = [one for one in there.templates if new.get(one.id) is old[one.id]]
    return (*kept, *(one for name, one in new.items() if one is not old.get(name)))


def symmetric_difference(one: Sequence[Template], other: Sequence[Template]) -> list[Template]:
    """Return the templates that only one of two packs has; those that are the same objects are not looked into."""
    mine, its = ({id(template): template for template in templates} for templates in (one, other))
    return [*({mine[key] for key in mine.keys() - its.keys()} ^ {its[key] for key in its.keys() - mine.keys()})]
