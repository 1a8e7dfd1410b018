"""Which candidates of a source are templates: the decision in the way of each method.

In come candidates with their scores, or with their document frequencies and what `cross_source` knows of them; out goes
a verdict for each, with the reasons by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from math import exp, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from templatemine import _core
from templatemine.config import SelectConfig
from templatemine.mining.candidates import SourceCandidates, Verdicts
from templatemine.mining.cross_source import Elsewhere
from templatemine.mining.cutoff import choose_cutoff, histogram
from templatemine.mining.features import FEATURES
from templatemine.mining.index import document_floor
from templatemine.mining.labels import KINDS, PREFIX, SEGMENT, SUFFIX, Candidates
from templatemine.mining.methods import ResolvedConfig
from templatemine.mining.segments import Segments
from templatemine.model import Cutoff, LongArray, Template
from templatemine.text import _scan
from templatemine.text._scan import SLOT_SIZE

__all__ = [
    "UNLIKELY",
    "BELOW_CUTOFF",
    "FEW",
    "NO_MODE",
    "REASONS",
    "SHARED",
    "Decision",
    "decide",
    "is_unlikely",
    "select",
]


BELOW_CUTOFF = "below the cut-off"
NO_MODE = "no second mode"
SHARED = "in other sources"

ACCEPTED, UNLIKELY, FEW, CONTINUED, ELSEWHERE, REDUNDANT = range(6)
REASONS = (
    "",
    "not likely enough to be boilerplate",
    "in too few documents",
    "a label with a chance continuation",
    "mostly stands elsewhere in lines",
    "within another template",
)

_FITS = 100
"""Characters of a string that may be in a slot: a few less than it takes (`SLOT_SIZE`), for what is beside it."""
_BEGINS, _ENDS = _scan.BEGINS_LINE, _scan.ENDS_LINE


class Decision(NamedTuple):
    """Which candidates of a source are templates.

    Attributes
    ----------
    cutoff : Cutoff
        Of the histogram over document frequencies, for the reader where it decides nothing.
    reason_of : int8 array, shape (strings,)
        Place in `reasons` of what speaks against each candidate; 0 for templates.
    reasons : sequence of str
    """

    cutoff: Cutoff
    reason_of: NDArray[np.int8]
    reasons: Sequence[str]


def decide(candidates: SourceCandidates, elsewhere: Elsewhere, options: ResolvedConfig) -> Decision:
    """Which candidates are templates, in the way of the method."""
    if candidates.verdicts is not None:
        return _as_selected(candidates, candidates.verdicts.reason_of, options)
    return _by_histogram(candidates, elsewhere, options)


def _by_histogram(candidates: SourceCandidates, elsewhere: Elsewhere, options: ResolvedConfig) -> Decision:
    """Steps 7 to 9 of the thesis and its second level."""
    method, df = options.method, candidates.repeats.df
    is_shared = elsewhere.sources >= options.cross_source.max_sources
    asked = ~is_shared if method.shared_first else np.ones(len(is_shared), np.bool_)
    floor = document_floor(candidates.documents, options.mine)
    cutoff = choose_cutoff(
        candidates.repeats.take(asked), candidates.documents, floor, options.cutoff, gate=method.gate
    )
    above = df >= cutoff.df if cutoff.df is not None else np.zeros(len(asked), np.bool_)
    # The reason that a string met first.
    reason_of = np.where(is_shared & (above | method.shared_first), 2, np.where(above, 0, 1)).astype(np.int8)
    return Decision(cutoff, reason_of, ("", BELOW_CUTOFF if cutoff.df is not None else NO_MODE, SHARED))


def _as_selected(candidates: SourceCandidates, reason_of: NDArray[np.int8], options: ResolvedConfig) -> Decision:
    counts = histogram(candidates.repeats.df, max(1, candidates.documents), options.cutoff.bins)
    number = int(np.count_nonzero(reason_of == ACCEPTED))
    cutoff = Cutoff(
        method="score",
        df=None,
        share=None,
        energy=None,
        histogram=tuple(int(one) for one in counts),
        note=f"{number} by their scores" if number else "nothing is likely enough to be a template",
    )
    return Decision(cutoff, reason_of, REASONS)


# ------------------------------------------------------------------------------------------------------------ by scores


def select(
    segments: Segments,
    candidates: Sequence[Candidates],
    matrices: Sequence[NDArray[np.float32]],
    scores: Sequence[tuple[NDArray[np.float32], NDArray[np.float32]]],
    config: SelectConfig,
    *,
    html: bool = False,
) -> Verdicts:
    """Decide of the candidates of one source, in the order of `labels.KINDS`, by features and scores.

    In HTML no label takes a filler.
    """
    parts = [
        _verdicts(one, matrix, *both, config, html)
        for one, matrix, both in zip(candidates, matrices, scores, strict=True)
    ]
    verdicts = Verdicts(
        **{one.name: np.concatenate([getattr(part, one.name) for part in parts]) for one in fields(Verdicts)}
    )
    rows = np.flatnonzero(verdicts.reason_of == ACCEPTED)
    if len(rows):
        starts = np.concatenate([one.starts(segments, one.first, one.length) for one in candidates])[rows]
        lengths = np.concatenate([one.length for one in candidates]).astype(np.int64)[rows]
        characters = [matrix[:, FEATURES[SEGMENT].index("characters")] for matrix in matrices]
        chosen = _Chosen(segments, rows, starts, lengths, np.concatenate(characters)[rows] < log(_FITS) / log(2))
        chosen.merge(verdicts)
        chosen.drop_covered(verdicts, np.concatenate([one.df for one in candidates])[rows], config.uncovered)
        chosen.drop_within_slots(verdicts)
        verdicts.stake[verdicts.reason_of == REDUNDANT] = 0
    return verdicts


def is_unlikely(template: Template, config: SelectConfig) -> bool:
    """Whether a template is less likely than any must be, by its score, which is rounded; without one it is not."""
    least = _odds(min(config.segment, config.label), config.caution)
    return template.score is not None and template.score + 0.0005 < least


def _odds(share: float, caution: float) -> float:
    """The share whose odds are so many times those of another."""
    return 1 / (1 + exp(-log(share / (1 - share)) - log(caution)))


def _verdicts(
    one: Candidates,
    matrix: NDArray[np.float32],
    score: NDArray[np.float32],
    filler: NDArray[np.float32],
    config: SelectConfig,
    html: bool,
) -> Verdicts:
    c, whole = config, one.kind == SEGMENT
    column = {name: matrix[:, place] for place, name in enumerate(FEATURES[one.kind])}
    begins, ends = column["begins"] >= c.edge, column["ends"] >= c.edge
    anchor = np.zeros(len(one), np.int8)
    if whole:
        alone = column["alone"] > 0.5
        anchor[begins | alone] |= _BEGINS
        anchor[(ends & ~begins) | alone] |= _ENDS
    else:
        anchor[begins if one.kind == PREFIX else ends] = _BEGINS if one.kind == PREFIX else _ENDS
    least = {SEGMENT: 0.0, PREFIX: c.prefix_own, SUFFIX: c.suffix_own}[one.kind]
    reason = np.zeros(len(one), np.int8)
    reason[column["own"] < np.where(anchor == 0, c.inline_own, least)] = ELSEWHERE
    if whole:
        reason[(one.df <= c.few) & (column["share"] < log(c.few_share) / log(2))] = FEW
    else:
        reason[(one.shorter < c.continued) & (one.length > 1)] = CONTINUED
    reason[score < _odds(c.segment if whole else c.label, c.caution)] = UNLIKELY
    slot = (column["own"] >= c.filler_own) & (score * filler >= _odds(c.filler, c.caution)) & (not (html or whole))
    stake = np.where(reason == ACCEPTED, 1 - score, score) * np.exp2(column["characters"])
    if not whole:
        rest = np.minimum(np.exp2(column["fill_characters"]), SLOT_SIZE)
        stake += np.where(slot & (reason == ACCEPTED), 1 - score * filler, score * filler) * rest
    # What an answer brings in must hold wherever its string stands.
    stake[((reason != ACCEPTED) & (reason != UNLIKELY)) | (column["own"] < c.filler_own)] = 0
    return Verdicts(
        kind=np.full(len(one), KINDS.index(one.kind), np.int8),
        score=score,
        filler=filler,
        anchor=anchor,
        slot=slot,
        reason_of=reason,
        grounds=np.zeros(len(one), np.int64),
        stake=(stake * one.df).astype(np.float32),
    )


class _Chosen:
    """The strings that scores choose: some `rows`, with their tokens, and whether each is short enough for a slot."""

    def __init__(
        self, segments: Segments, rows: LongArray, starts: LongArray, lengths: LongArray, short: NDArray[np.bool_]
    ) -> None:
        # Their own tokens alone: hashing goes over all that it is given.
        self.tokens, bounds = _core.stretches_i32(segments.tokens, starts, lengths.astype(np.int32))
        self.rows, self.starts, self.lengths, self.short = rows, bounds[:-1], lengths, short
        self.forms = np.arange(1, len(segments.traits) + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        self.kept: dict[tuple[int, int], int] = {}

    def hashes(self, starts: LongArray, lengths: LongArray) -> list[int]:
        found: list[int] = _core.string_hashes(self.tokens, self.forms, starts, lengths.astype(np.int32)).tolist()
        return found

    def merge(self, verdicts: Verdicts) -> None:
        """Of equal strings keep one, at the edges of lines that all of them stand at.  `verdicts` is INOUT."""
        for row, key in zip(self.rows.tolist(), self.hashes(self.starts, self.lengths), strict=True):
            side = int(verdicts.kind[row]) if verdicts.slot[row] else 0
            first = self.kept.setdefault((key, side), row)
            if first != row:
                verdicts.anchor[first] &= verdicts.anchor[row]
                verdicts.reason_of[row] = REDUNDANT

    def drop_covered(self, verdicts: Verdicts, df: LongArray, least: float) -> None:
        """Drop labels most of whose documents have one and the same longer label that is chosen: the others speak for
        themselves, and few they are.  `verdicts` is INOUT."""
        for kind in (PREFIX, SUFFIX):
            side = KINDS.index(kind)
            some = np.flatnonzero((verdicts.kind[self.rows] == side) & (verdicts.reason_of[self.rows] == ACCEPTED))
            some = some[np.argsort(-self.lengths[some], kind="stable")]
            covered: dict[int, int] = {}
            for place, key in zip(some.tolist(), self.hashes(self.starts[some], self.lengths[some]), strict=True):
                row, documents = self.rows[place], int(df[place])
                if not verdicts.slot[row] and documents - covered.get(key, 0) < least * documents:
                    verdicts.reason_of[row] = REDUNDANT
                    continue
                sizes = np.arange(1, self.lengths[place])
                starts = np.full(len(sizes), self.starts[place])
                if kind == SUFFIX:
                    starts += self.lengths[place] - sizes
                for shorter in self.hashes(starts, sizes):
                    covered[shorter] = max(documents, covered.get(shorter, 0))

    def drop_within_slots(self, verdicts: Verdicts) -> None:
        """Drop what lies in the match of a label with its filler: lines that begin (end) with it, longer labels.
        `verdicts` is INOUT."""
        for kind, outer in ((PREFIX, _ENDS), (SUFFIX, _BEGINS)):
            side = KINDS.index(kind)
            reaching = {key: row for (key, of_side), row in self.kept.items() if of_side == side}
            longest = max((self.lengths[np.searchsorted(self.rows, row)] for row in reaching.values()), default=0)
            slot = verdicts.slot[self.rows]
            # What reaches to the edge of its line that the slot does, too.
            able = self.short & (slot | (verdicts.anchor[self.rows] & outer > 0))
            able &= ~slot | (verdicts.kind[self.rows] == side)
            for size in range(1, int(longest) + 1):
                # Strings with a slot are in that of a shorter label; those without also in that of an equal one.
                some = np.flatnonzero(able & (self.lengths >= size + slot))
                starts = self.starts[some]
                if kind == SUFFIX:
                    starts = starts + self.lengths[some] - size
                for place, key in zip(some.tolist(), self.hashes(starts, np.full(len(some), size)), strict=True):
                    row, by = int(self.rows[place]), reaching.get(key)
                    if by is not None and verdicts.anchor[by] & ~verdicts.anchor[row] == 0:
                        verdicts.reason_of[row] = REDUNDANT
