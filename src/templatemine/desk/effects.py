"""Pack and sample articles -> what each template does there, and what is in danger if it is wrong.

The occurrences of the templates of a source, also of those that people removed, are found once.  A decision then only
says which of them count, which takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig
from templatemine.desk.library import Article
from templatemine.model import Template
from templatemine.packs.families import families
from templatemine.packs.pack import Pack
from templatemine.report.risk import Occurrences, alone, doubt

__all__ = ["Effect", "Effects", "cuts_of", "total"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What a template does in the sample.

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
        """As the browser gets it."""
        return {
            "seen": self.seen,
            "articles": self.articles,
            "characters": self.characters,
            "risk": round(self.risk, 1),
        }


class Effects:
    """The templates of a source on its sample.

    Parameters
    ----------
    templates : sequence of Template
        Those of the pack, and those that people removed.

    Attributes
    ----------
    heads : mapping of str to str
        Id of a variant -> id of the head of its family; heads are not in it.
    """

    def __init__(self, pack: Pack, templates: Sequence[Template], articles: Sequence[Article]) -> None:
        self._places = {one: place for place, one in enumerate(templates)}
        self.heads = _heads(templates)
        occurrences = Occurrences(replace(pack, templates=tuple(templates)))
        texts = [one.document.body for one in articles]
        self._found = [occurrences.find(text) for text in texts]
        self._sizes = [len(text) for text in texts]

    def covers(self, templates: Sequence[Template]) -> bool:
        """Whether all of these were looked for."""
        return all(one in self._places for one in templates)

    def articles_with(self, templates: Iterable[Template]) -> list[int] | None:
        """Places of the articles in which any of these occurs; None if they were not all looked for."""
        wanted = np.zeros(len(self._places), np.bool_)
        for one in templates:
            if one not in self._places:
                return None
            wanted[self._places[one]] = True
        return [place for place, found in enumerate(self._found) if wanted[found.places].any()]

    def _kept(self, templates: Sequence[Template]) -> NDArray[np.bool_]:
        kept = np.zeros(len(self._places), np.bool_)
        kept[[self._places[one] for one in templates]] = True
        return kept

    def each(self, pack: Pack) -> dict[str, Effect]:
        """The effect of each template of the pack, and of each that was removed from it."""
        kept, size = self._kept(pack.templates), len(self._places)
        seen, articles, characters, covered = (np.zeros(size, np.int64) for _ in range(4))
        for found, length in zip(self._found, self._sizes, strict=True):
            own = alone(found, length, kept)
            np.add.at(characters, found.places, own)
            np.add.at(covered, found.places, found.ends - found.starts)
            seen[np.unique(found.places)] += 1
            articles[np.unique(found.places[own > 0])] += 1
        added = set(pack.overrides.added)
        return {
            one.id: Effect(
                seen=int(seen[place]),
                articles=int(articles[place]),
                characters=int(characters[place]),
                risk=doubt(one, by_hand=one.id in added) * int(covered[place]),
            )
            for one in (*pack.templates, *pack.overrides.removed)
            for place in [self._places[one]]
        }


def cuts_of(pack: Pack, articles: Sequence[Article], config: CleanConfig) -> list[int]:
    """Characters that the pack removes of each article: those of the cleaner itself, which takes 0.1 s for 300."""
    cleaner = Cleaner(pack, config)
    return [sum(span.end - span.start for span in cleaner.spans(one.document.body)) for one in articles]


def total(cuts: Sequence[int], articles: Sequence[Article]) -> dict[str, int]:
    """Articles, those of them that change, their characters, and those of them that are removed."""
    size = sum(len(one.document.body) for one in articles)
    return {"articles": len(cuts), "touched": sum(cut > 0 for cut in cuts), "characters": size, "cut": sum(cuts)}


def _heads(templates: Sequence[Template]) -> dict[str, str]:
    """The head of the family of each template that is not its own."""
    ordered = sorted(templates, key=lambda one: -one.df)
    return {ordered[place].id: ordered[family[0]].id for family in families(ordered) for place in family[1:]}
