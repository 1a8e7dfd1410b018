"""The templates of a source as columns, in memory -> what a window of their list shows.

The list, its order, its facets and what a decision about all that are shown is about are found here, among thousands of
templates in a few milliseconds.  An answer holds some rows around the one that is looked at, so that its size does not
depend on how many templates there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from templatemine.desk.effects import Effects, find_left_out
from templatemine.errors import ConfigError
from templatemine.kinds import KINDS, choose
from templatemine.model import Template
from templatemine.packs.pack import Pack
from templatemine.packs.readable import fold_search, template_text
from templatemine.report.doubts import MIN_DOUBT, describe_doubt, measure_damage
from templatemine.report.harm import NO_HARM, Harm, rank_harm

WINDOW = 100
"""Rows of an answer: some five screens, so that the next rows are there before their answer is."""
MAX_TEXT = 300
"""Characters of a template that its row shows; the detail has all."""
MAX_NEXT = 20
"""Of the riskiest that wait for a decision: as many may wait to be decided at once."""

KEPT, ADDED, OUT = range(3)
_STATES = ("kept", "added", "out")
_ANCHORS = ("", "start", "end", "line")
_BOUNDS: Mapping[str, tuple[float, ...]] = {"df": (5, 20, 100, 1000), "words": (2, 4, 8, 16), "score": (0.6, 0.8, 0.95)}

FACETS: Mapping[str, tuple[str, ...]] = {
    "kind": ("not known", *KINDS),
    "position": ("anywhere", "start of a line", "end of a line", "whole line"),
    "df": ("below 5", "5 to 19", "20 to 99", "100 to 999", "1,000 and more"),
    "words": ("1", "2 to 3", "4 to 7", "8 to 15", "16 and more"),
    "score": ("below 0.6", "0.6 to below 0.8", "0.8 to below 0.95", "0.95 and more", "none"),
}
"""What templates have in common: names of facets -> their values in order."""

_KIND_CODES = {"": 0} | {kind: code for code, kind in enumerate(KINDS, 1)}


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What a person looks at.

    Attributes
    ----------
    order : str
        "risk" or "df", the greatest first.
    text : str
        Words that rows contain, whatever their case and accents.
    facets : mapping
        Name of a facet -> code of the value that rows have.
    undecided, decided : bool
        Only those about which nobody has decided, or only the others.
    folded : bool
        Variants are shown only below the heads in `unfolded`, while nothing narrows the list.
    first : int or None
        Where the window begins; None for around the template `at`, or the beginning.
    at : str
        Id of a template that is shown among the folded ones, too.
    """

    order: str = "df"
    text: str = ""
    facets: Mapping[str, int] = field(default_factory=dict)
    undecided: bool = False
    decided: bool = False
    folded: bool = False
    unfolded: frozenset[str] = frozenset()
    first: int | None = None
    at: str = ""

    @property
    def folds(self) -> bool:
        """Return whether variants are folded: whoever narrows the list looks for single templates."""
        return self.folded and not (self.text or self.facets or self.undecided or self.decided)


def read_view(data: object) -> View:
    """Read a view as the browser sends it.

    Raises
    ------
    ConfigError
        Naming the field and the expectation.
    """
    if not isinstance(data, dict):
        raise ConfigError(f"view: expected an object, got {type(data).__name__}")
    values: dict[str, Any] = {}
    for name, value in data.items():
        if name in FACETS:
            if value not in FACETS[name]:
                raise ConfigError(f"view: {name}: expected one of {', '.join(FACETS[name])}, got {value!r:.60}")
            values.setdefault("facets", {})[name] = FACETS[name].index(value)
        elif name not in _FIELD_TYPES:
            raise ConfigError(f"view: expected {', '.join((*_FIELD_TYPES, *FACETS))}, got {name!r:.60}")
        elif not isinstance(value, _FIELD_TYPES[name]) or (isinstance(value, bool) and _FIELD_TYPES[name] is int):
            raise ConfigError(f"view: {name}: expected {_FIELD_TYPES[name].__name__}, got {type(value).__name__}")
        else:
            values[name] = value
    if values.get("order", "df") not in ("df", "risk"):
        raise ConfigError(f"view: order: expected df or risk, got {values['order']!r:.60}")
    values["unfolded"] = frozenset(one for one in values.get("unfolded", ()) if isinstance(one, str))
    values["text"] = fold_search(values.get("text", ""))
    return View(**values)


_FIELD_TYPES: Mapping[str, type] = {
    **dict.fromkeys(("order", "text", "at"), str),
    **dict.fromkeys(("undecided", "decided", "folded"), bool),
    "unfolded": list,
    "first": int,
}


class RowFacts(NamedTuple):
    """What does not change about a template: its text, codes of its facets without the kind, its rank, and a text that
    only templates of the same string have, None for an expression."""

    template: Template
    text: str
    sought: str
    position: int
    df: int
    words: int
    score: int
    rank: tuple[int, int, str, str]
    string: str | None


def _band(name: str, value: float) -> int:
    return sum(value >= bound for bound in _BOUNDS[name])


def _row_facts(one: Template) -> RowFacts:
    text, tokens = template_text(one), one.tokens or ()
    return RowFacts(
        template=one,
        text=text,
        sought=fold_search(text),
        position=_ANCHORS.index(one.anchor),
        df=_band("df", one.df),
        words=_band("words", len(tokens or text.split())),
        score=len(_BOUNDS["score"]) + 1 if one.score is None else _band("score", one.score),
        rank=(-one.df, -len(tokens), "\0".join(tokens), one.id),  # the order of packs, which no decision changes
        string=None if one.tokens is None else "\0".join(one.string or ()),
    )


class ReviewTable:
    """The templates of a pack and those that people removed from it, a row each.

    Parameters
    ----------
    harm : mapping
        Id of a template -> what its cuts leave behind in the sample.
    reviewed : mapping
        Id of a template -> who looked at it last.
    known : dict
        Facts by identity of the template: of thousands a decision changes a few.
    """

    def __init__(
        self,
        pack: Pack,
        effects: Effects,
        harm: Mapping[str, Harm],
        reviewed: Mapping[str, str],
        known: dict[int, RowFacts],
    ) -> None:
        self.templates: Sequence[Template] = (*pack.templates, *find_left_out(pack))
        for one in self.templates:
            if id(one) not in known:
                known[id(one)] = _row_facts(one)
        self._facts = facts = [known[id(one)] for one in self.templates]
        self.rows = {one.id: row for row, one in enumerate(self.templates)}
        size = len(facts)
        self.state = np.zeros(size, np.int8)
        self.state[[self.rows[name] for name in pack.overrides.added if name in self.rows]] = ADDED
        self.state[len(pack.templates) :] = OUT
        self.reviewed = reviewed
        self.is_reviewed = np.zeros(size, np.bool_)
        self.is_reviewed[[self.rows[name] for name in reviewed if name in self.rows]] = True
        self.is_decided = self.is_reviewed | (self.state != KEPT)
        self._effects = effects.measure(pack)
        self._harm = harm
        self.risks = self.measure_risks(harm)
        self.heads = self._effects.heads
        self._family_sizes = np.bincount(self.heads, minlength=size)
        self._family_risks = np.zeros(size)
        there = self.state != OUT
        np.maximum.at(self._family_risks, self.heads[there], self.risks[there])
        self._codes = {
            "kind": np.array([_KIND_CODES.get(one.kind, 0) for one in self.templates], np.int64),
            **{name: np.array([getattr(one, name) for one in facts], np.int64) for name in list(FACETS)[1:]},
        }
        by_rank = sorted(range(size), key=[one.rank for one in facts].__getitem__)
        self._ranks = np.zeros(size, np.int64)
        self._ranks[by_rank] = np.arange(size)
        self._df = np.array([one.df for one in self.templates], np.int64)
        self._orders: dict[str, NDArray[np.int64]] = {}

    def measure_risks(self, harm: Mapping[str, Harm]) -> NDArray[np.float64]:
        """Return by what the rows are ranked, as in the report: what a template may do to stories, by its signs and
        this harm; nothing, where cleaning leaves its kind in."""
        harmed = np.zeros(len(self.templates))
        for name, one in harm.items():
            if name in self.rows:
                harmed[self.rows[name]] = one.share
        chances = np.array([one.chance for one in self._effects.signs], np.float64)
        damage = measure_damage(chances, harmed, self._effects.covered)
        choice = choose()
        return np.round(damage * [choice.cuts(one.kind) for one in self.templates], 1)

    def describe_doubt(self, row: int) -> tuple[str, ...]:
        """Say in sentences, as in the report, what cuts of a template leave behind, and why it may be story."""
        return describe_doubt(self._effects.signs[row], self._harm.get(self.templates[row].id, NO_HARM))

    def find_undecided(self) -> tuple[set[str], set[str]]:
        """Return the ids of the templates about which nobody has decided, and of those of them that may be story."""
        rows = np.flatnonzero(~self.is_decided).tolist()
        doubtful = {self.templates[row].id for row in rows if self._effects.signs[row].chance >= MIN_DOUBT}
        return {self.templates[row].id for row in rows}, doubtful

    def find_worst(self) -> int | None:
        """Return the row to begin with: the undecided template whose cuts leave most behind, as in the report; without
        one, the riskiest that may be story; None if there is neither."""
        harms = {
            row: self._harm[self.templates[row].id]
            for row in self.list_open(len(self.templates))
            if self.templates[row].id in self._harm
        }
        if harms:
            return min(harms, key=lambda row: rank_harm(harms[row], self.templates[row].df))
        first = self.list_open(1)
        return next((row for row in first if self.risks[row] and self._effects.signs[row].chance >= MIN_DOUBT), None)

    # ------------------------------------------------------------------------------------------------------- the list

    def _order(self, name: str) -> NDArray[np.int64]:
        """Return the rows in an order; variants stand below the head of their family."""
        if name not in self._orders:
            own = self._df if name == "df" else self.risks
            of_family = self._df[self.heads] if name == "df" else self._family_risks[self.heads]
            is_variant = self.heads != np.arange(len(self.heads))
            self._orders[name] = np.lexsort((self._ranks, -own, is_variant, self._ranks[self.heads], -of_family))
        return self._orders[name]

    def _filter(self, view: View) -> NDArray[np.bool_]:
        """Return which rows have the words of a view, and are decided or not as it says."""
        shown = np.ones(len(self._facts), np.bool_)
        if view.text:
            shown &= np.array([view.text in one.sought for one in self._facts], np.bool_)
        if view.decided:
            shown &= self.is_decided
        if view.undecided:
            shown &= ~self.is_decided
        return shown

    def _narrow(self, view: View) -> NDArray[np.bool_]:
        """Return which rows a view shows, whatever its facets."""
        shown = self._filter(view)
        if view.folds:
            open_ones = np.zeros(len(shown), np.bool_)
            open_ones[[self.rows[name] for name in view.unfolded if name in self.rows]] = True
            unfolded = (self.heads == np.arange(len(shown))) | open_ones[self.heads] | (self.state != KEPT)
            if view.at in self.rows:
                unfolded[self.rows[view.at]] = True
            shown &= unfolded
        return shown

    def list_rows(self, view: View) -> NDArray[np.int64]:
        """Return the rows that a view shows, in its order."""
        shown = self._narrow(view)
        for name, code in view.facets.items():
            shown &= self._codes[name] == code
        order = self._order(view.order)
        return order[shown[order]]

    def family(self, head: str) -> list[int]:
        """Return the rows of a family, the head first."""
        order = self._order("df")
        found: list[int] = order[self.heads[order] == self.rows[head]].tolist() if head in self.rows else []
        return found

    def count_facets(self, view: View) -> dict[str, list[tuple[str, int]]]:
        """Return the values of each facet, with how many templates the other facets and the words leave them, those
        that are left in among them, as in the list."""
        matching = self._filter(view)
        same = {name: self._codes[name] == code for name, code in view.facets.items()}
        found = {}
        for name, values in FACETS.items():
            among = matching.copy()
            for other, mask in same.items():
                if other != name:
                    among &= mask
            counts = np.bincount(self._codes[name][among], minlength=len(values)).tolist()
            chosen = view.facets.get(name)
            found[name] = [
                (value, count)
                for code, (value, count) in enumerate(zip(values, counts, strict=True))
                if count or code == chosen
            ]
        return found

    def list_open(self, most: int = MAX_NEXT) -> list[int]:
        """Return the rows of templates about which nobody has decided, the riskiest first."""
        rows = np.flatnonzero(~self.is_decided)
        order = np.lexsort((self._ranks[rows], -self._df[rows], -self.risks[rows]))[:most]
        found: list[int] = rows[order].tolist()
        return found

    def strings(self) -> dict[object, int]:
        """Return the strings of the templates of the pack, with the documents that have them."""
        facts = self._facts[: int((self.state != OUT).sum())]
        return {one.string: one.template.df for one in facts if one.string is not None}

    def describe(self, view: View) -> dict[str, Any]:
        """Return what the browser shows of a view: a window of rows, and figures over all templates."""
        rows = self.list_rows(view)
        places = np.flatnonzero(rows == self.rows.get(view.at, -1)).tolist()
        first = view.first if view.first is not None else (places or [0])[0] - WINDOW // 2
        first = max(0, min(first, len(rows) - WINDOW))
        return {
            "first": first,
            "place": places[0] if places else None,
            "listed": len(rows),
            "folded": len(self._facts) - len(rows) if view.folds else 0,
            "there": int((self.state[rows] != OUT).sum()),
            "all": len(self._facts),
            "done": int(self.is_decided.sum()),
            "facets": self.count_facets(view),
            "next": [self.row(row) for row in self.list_open()],
            "templates": [self.row(row) for row in rows[first : first + WINDOW].tolist()],
        }

    def row(self, row: int) -> dict[str, Any]:
        """Return what a list shows of a template.  The rest is shown of one alone: `Desk.describe_template`."""
        one, effects = self.templates[row], self._effects
        text, head = self._facts[row].text, int(self.heads[row])
        return {
            "id": one.id,
            "text": text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…",
            "df": one.df,
            "kind": one.kind,
            "score": one.score,
            "state": _STATES[self.state[row]],
            "reviewed": self.reviewed.get(one.id, ""),
            "head": self.templates[head].id,
            "variants": int(self._family_sizes[row]) - 1 if head == row else 0,
            "family_risk": float(self._family_risks[head]),
            "effect": {
                "seen": int(effects.seen[row]),
                "risk": float(self.risks[row]),
            },
        }
