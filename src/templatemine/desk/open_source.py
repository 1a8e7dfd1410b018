"""A source that somebody reviews: what is found out about it once, and kept for what is asked next.

All is made of the pack as it is on disk, known by its digest, and of the sample.  A decision changes a few templates,
and only what they touch is found anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import RLock

from templatemine.archive.apply_overrides import mined_templates
from templatemine.desk.effects import ArticleCuts, Effects, SlowArticles, find_cuts, share_rests, symmetric_difference
from templatemine.desk.library import Article, Library, StoredPack
from templatemine.desk.review import CutoffPreview, HarmfulCut
from templatemine.desk.review_table import ReviewTable, RowFacts
from templatemine.desk.risks import SourceRisk, measure_risk
from templatemine.model import Template
from templatemine.packs.pack import Pack
from templatemine.report.harm import RESIDUE_KINDS, CutResidues, blame_templates, count_residues, find_cut_of
from templatemine.text.tears import JudgedCut, SentenceEnds


class OpenSource:
    """Effects, table and preview of one source; safe to share between threads."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._lock = RLock()
        self._effects: tuple[Pack, Effects] | None = None
        self._cuts: list[tuple[tuple[Template, ...], list[ArticleCuts]]] = []
        self._ends: tuple[int, SentenceEnds] | None = None
        self._facts: dict[int, RowFacts] = {}
        self._table: tuple[Pack, int, ReviewTable] | None = None
        self._preview: tuple[tuple[str, ...], CutoffPreview] | None = None

    def effects(self, stored: StoredPack) -> Effects:
        """Return what the templates of the pack and those removed from it do in the sample. Articles for which
        expressions take too long leave it, or these could be neither seen nor removed."""
        with self._lock:
            known = self._effects
            if known is not None and known[0] is stored.pack:
                return known[1]
            wanted = (*stored.pack.templates, *stored.pack.overrides.removed)
            self._effects = None
            while True:
                articles = self._library.matching_articles(stored)
                try:
                    if known is None or not known[1].extend(stored.pack, wanted, articles):
                        known = stored.pack, Effects(stored.pack, wanted, articles)
                except SlowArticles as slow:
                    self._library.leave_out(stored, slow.articles)
                    known = None
                else:
                    self._effects = stored.pack, known[1]
                    return known[1]

    def sample(self, stored: StoredPack) -> list[Article]:
        """Return the articles of the source for which no template of its pack takes too long."""
        self.effects(stored)
        return self._library.matching_articles(stored)

    def pack_there(self, stored: StoredPack, articles: Sequence[Article] | None = None) -> Pack:
        """Return the pack with those of its templates alone that occur in some articles of the sample, by default in
        all, which cuts these as the whole pack does and takes no time to build."""
        with self._lock:
            effects, sample = self.effects(stored), self._library.matching_articles(stored)
            wanted = None if articles is None else {id(one) for one in articles}
            places = [place for place, one in enumerate(sample) if wanted is None or id(one) in wanted]
            whole = wanted is not None and len(places) < len(wanted)  # some are not of the sample
            return stored.pack if whole else effects.restrict_pack(stored.pack, places)

    def cuts(self, stored: StoredPack, pack: Pack | None = None) -> list[int]:
        """Count the characters that a pack of the source, by default the present one, removes from each article of
        the sample."""
        return [one.characters for one in self._find_cuts(stored, pack or stored.pack)]

    def judged(self, stored: StoredPack) -> list[Sequence[JudgedCut[str]]]:
        """Return the cuts of each article of the sample, judged."""
        return [one.judged for one in self._find_cuts(stored, stored.pack)]

    def risk(self, stored: StoredPack, table: ReviewTable) -> SourceRisk:
        """Measure the risk of the source, by its table."""
        return measure_risk(table, self._find_cuts(stored, stored.pack), self.residues(stored))

    def residues(self, stored: StoredPack, pack: Pack | None = None) -> CutResidues:
        """Count what the cuts of such a pack leave behind in the sample."""
        return count_residues([one[1:3] for one in self._find_cuts(stored, pack or stored.pack) if one.judged])

    def find_harm(self, stored: StoredPack, name: str) -> list[HarmfulCut]:
        """Find the cuts of the pack by which a template leaves something behind in the sample, the worst first."""
        cuts = self._find_cuts(stored, stored.pack)
        changed = [place for place, one in enumerate(cuts) if one.judged]
        articles, order = self._library.matching_articles(stored), list(RESIDUE_KINDS)
        found = [
            HarmfulCut(
                articles[place], find_cut_of(residue, cuts[place].judged, name), cuts[place].judged, residue.kind
            )
            for place, residues in zip(changed, blame_templates([cuts[place][1:3] for place in changed]), strict=True)
            for residue, culprit in residues
            if culprit == name
        ]
        return sorted(found, key=lambda one: order.index(one.kind))

    def _find_cuts(self, stored: StoredPack, pack: Pack) -> list[ArticleCuts]:
        """Find what a pack of the source removes from each article of the sample.

        Of articles in which none of the templates occurs that it has and the pack before had not, or the other way
        round, they are those of the pack before.
        """
        with self._lock:
            effects, articles = self.effects(stored), self._library.matching_articles(stored)
            known = next((cuts for templates, cuts in self._cuts if templates == pack.templates), None)
            if known is None or len(known) != len(articles):
                last, cuts = self._cuts[0] if self._cuts else ((), [])
                places = effects.find_articles(symmetric_difference(last, pack.templates)) if last else None
                if places is None or len(cuts) != len(articles):
                    cuts, places = [ArticleCuts()] * len(articles), [*range(len(articles))]
                known = [*cuts]
                there = effects.restrict_pack(pack, places)
                if self._ends is None or self._ends[0] != len(articles):
                    self._ends = len(articles), SentenceEnds([one.document.body for one in articles])
                fresh = find_cuts(there, [articles[place] for place in places], self._ends[1])
                for place, cut in zip(places, fresh, strict=True):
                    known[place] = cut
                known = share_rests(known)
                # As mined, before a decision, and after it.
                self._cuts = [(pack.templates, known), *self._cuts[:2]]
            return known

    def table(self, stored: StoredPack, reviewed: Mapping[str, str], seq: int) -> ReviewTable:
        """Return the table of the pack, after an event of its history."""
        with self._lock:
            known = self._table
            if known is None or known[0] is not stored.pack or known[1] != seq:
                made = ReviewTable(stored.pack, self.effects(stored), self.residues(stored).harm, reviewed, self._facts)
                known = self._table = stored.pack, seq, made
            return known[2]

    def preview(self, stored: StoredPack) -> CutoffPreview:
        """Return the preview of cut-offs.  It depends on the mined templates only, and stays valid after decisions."""
        key = tuple(one.id for one in mined_templates(stored.pack))
        with self._lock:
            if self._preview is None or self._preview[0] != key:
                rejected = self._library.rejected(stored)
                self._preview = key, CutoffPreview(stored.pack, rejected, self.sample(stored))
            return self._preview[1]
