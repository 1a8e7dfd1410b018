"""A source of a desk -> what its cuts leave behind in the sample, how many are in doubt, and where to begin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock, Thread

from templatemine.desk.effects import ArticleCuts
from templatemine.desk.library import StoredPack
from templatemine.desk.review_table import ReviewTable
from templatemine.errors import counted
from templatemine.packs.readable import shorten, template_text
from templatemine.report.harm import CutResidues, find_cuts_of

WAIT = 1.0
"""Seconds that the list of sources waits for what is being measured."""
_MAX_SHOWN = 80
"""Characters of a template in a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRisk:
    """What the cuts of a source do in the articles of the sample that change.

    Attributes
    ----------
    sample, articles, harmed : int
        Articles of the sample; those that change; and those of them in which a cut tears a sentence or leaves something
        else behind.
    cuts, doubted : int
        All cuts; and those by a template without a decision that may be story, or leave something behind there.
    worst, text, told : str
        The template to begin with: its id, its words, and what is wrong with it; empty if there is none.
    """

    sample: int = 0
    articles: int = 0
    harmed: int = 0
    cuts: int = 0
    doubted: int = 0
    worst: str = ""
    text: str = ""
    told: str = ""

    def rank(self, documents: int) -> tuple[float, float]:
        """Return by what sources of so many documents are ranked, as in the report: how many articles are harmed; then
        how many cuts are in doubt."""
        scale = documents / max(1, self.sample)
        return self.harmed * scale, self.doubted * scale


def measure_risk(table: ReviewTable, cuts: Sequence[ArticleCuts], left: CutResidues) -> SourceRisk:
    """Measure the risk of a source by the table of its templates, and its cuts in the sample."""
    undecided, doubtful = table.find_undecided()
    row = table.find_worst()
    return SourceRisk(
        sample=len(cuts),
        articles=left.looked,
        harmed=left.articles,
        cuts=sum(len(one.judged) for one in cuts),
        doubted=sum(_count_doubted(one, undecided, doubtful) for one in cuts),
        worst="" if row is None else table.templates[row].id,
        text="" if row is None else shorten(template_text(table.templates[row]), _MAX_SHOWN),
        told="" if row is None else " ".join(table.describe_doubt(row)[:1]),
    )


def _count_doubted(article: ArticleCuts, undecided: set[str], doubtful: set[str]) -> int:
    blamed = {cut.start: {name for names in cut.torn.values() for name in names} for cut in article.judged}
    for residue, names in article.left:
        for cut in find_cuts_of(residue, article.judged):
            blamed[cut.start].update(names)
    return sum(
        bool(doubtful.intersection(cut.names) or undecided.intersection(cut.names, blamed[cut.start]))
        for cut in article.judged
    )


def describe_risks(risks: Sequence[SourceRisk]) -> str:
    """Say in a sentence or two what the cuts of all sources leave behind, and how many are in doubt; empty if no cut
    was looked at."""
    articles, harmed = (sum(getattr(one, name) for one in risks) for name in ("articles", "harmed"))
    cuts, doubted = (sum(getattr(one, name) for one in risks) for name in ("cuts", "doubted"))
    if not cuts:
        return ""
    looked = f"{counted(articles, 'article')} of the sample that {'changes' if articles == 1 else 'change'}"
    first = (
        f"Cuts tear a sentence or leave something else behind in {harmed:,} ({harmed / articles:.1%}) of {looked}."
        if harmed
        else f"In {looked}, no cut tears a sentence or leaves anything else that is counted."
    )
    return (
        f"{first} Of {counted(cuts, 'cut')}, {doubted:,} ({doubted / cuts:.1%}) are in doubt: their templates do so, "
        "or may be story."
    )


class Risks:
    """The risks of sources, measured in a thread of its own, and kept as long as the pack is the same.

    Parameters
    ----------
    measure : callable
        Measures that of a pack.
    """

    def __init__(self, measure: Callable[[StoredPack], SourceRisk]) -> None:
        self._measure = measure
        self._known: dict[str, tuple[str, SourceRisk]] = {}
        self._wanted: dict[str, StoredPack] = {}
        self._forgotten = Counter[str]()
        self._lock = Lock()
        self._thread: Thread | None = None
        self._doing = "", ""

    def forget(self, path: str) -> None:
        """Forget that of a pack about which somebody decided."""
        with self._lock:
            self._known.pop(path, None)
            self._forgotten[path] += 1

    def look(self, packs: Iterable[StoredPack], wait: float = WAIT) -> dict[str, SourceRisk]:
        """Return the risks of packs by their paths, those that are known after a moment."""
        packs = list(packs)
        with self._lock:
            missing = [one for one in packs if self._known.get(one.path, ("",))[0] != one.version]
            self._wanted.update((one.path, one) for one in missing if (one.path, one.version) != self._doing)
            if missing and (self._thread is None or not self._thread.is_alive()):
                self._thread = Thread(target=self._work, daemon=True)
                self._thread.start()
            thread = self._thread
        if missing and thread is not None:
            thread.join(wait)
        with self._lock:
            known = {one.path: self._known[one.path] for one in packs if one.path in self._known}
        return {one.path: known[one.path][1] for one in packs if known.get(one.path, ("",))[0] == one.version}

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._wanted:
                    self._thread, self._doing = None, ("", "")
                    return
                path = next(iter(self._wanted))
                one = self._wanted.pop(path)
                self._doing, decisions = (path, one.version), self._forgotten[path]
            risk = SourceRisk()
            with suppress(Exception):  # the review tells; without a result it would be tried for ever
                risk = self._measure(one)
            with self._lock:
                if self._forgotten[path] == decisions:  # or somebody decided meanwhile
                    self._known[path] = one.version, risk
                self._doing = "", ""
