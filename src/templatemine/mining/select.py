"""Which candidates of a source are templates: the decision in the way of each method.

In come the candidates of a source and what `cross_source` knows of them, out goes a verdict for each, with the reasons
by name.  A few passes over columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from templatemine.config import EvidenceConfig
from templatemine.mining.background import background
from templatemine.mining.candidates import SourceCandidates, inner, parts
from templatemine.mining.cross_source import Elsewhere
from templatemine.mining.cutoff import choose_cutoff, histogram
from templatemine.mining.features import ACCEPTED, JOINT, LOOSE, RARE, REASONS, TABLE, Evidence, fewest, judge
from templatemine.mining.features import SHARED as STANDS_ELSEWHERE
from templatemine.mining.index import document_floor
from templatemine.mining.methods import ResolvedConfig
from templatemine.model import Cutoff

__all__ = ["BELOW_CUTOFF", "COMMON", "NO_MODE", "SHARED", "Decision", "decide"]


BELOW_CUTOFF = "below the cut-off"
NO_MODE = "no second mode"
SHARED = "in other sources"
COMMON = "common elsewhere, by the background"


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
    return (_by_evidence if options.method.evidence else _by_histogram)(candidates, elsewhere, options)


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


def _by_evidence(candidates: SourceCandidates, elsewhere: Elsewhere, options: ResolvedConfig) -> Decision:
    """The verdicts of `features`; the histogram is kept for the reader."""
    evidence, count = candidates.evidence, candidates.repeats.count
    assert evidence is not None
    constants = options.evidence
    rates, in_prose = elsewhere.rates, elsewhere.prose_rates
    exclusive = np.float32(2.0**constants.exclusive_bits)
    free_of_sources = candidates.rates >= in_prose * exclusive
    ground = background(options.background, options.patterns)
    if ground is not None:
        # One more source, all of it prose.
        common = ground.of(candidates.hashes)
        rates, in_prose = np.maximum(rates, common), np.maximum(in_prose, common)
    verdict, unheld = judge(
        evidence, candidates.repeats, rates, in_prose, candidates.documents, constants, candidates.period
    )
    _parentheses(candidates, verdict, constants)
    free = candidates.rates >= in_prose * exclusive
    _frame(candidates, verdict, constants)
    _branch(candidates, verdict, free, constants)
    for left in (True, False):
        anchored = evidence.starts if left else evidence.ends
        bases = np.where(free & (anchored >= constants.edge), count, 0)
        rows = np.flatnonzero((verdict == ACCEPTED) & (evidence.lines < constants.whole) & (bases > 0))
        owner, part = parts(candidates, rows, left)
        little = _adds_little(evidence, rows[owner], part, constants)
        longest = np.zeros(len(rows), np.int32)
        np.maximum.at(longest, owner[little], bases[part[little]])
        verdict[rows[count[rows] < constants.joint_share * longest]] = JOINT
    _left_alone(candidates, verdict, free, constants)
    _drop_left_over(candidates, verdict, constants)
    _drop_parts(candidates, verdict, unheld, free, constants)
    counts = histogram(candidates.repeats.df, candidates.documents, options.cutoff.bins)
    number = int(np.count_nonzero(verdict == ACCEPTED))
    cutoff = Cutoff(
        method="evidence",
        df=None,
        share=None,
        energy=None,
        histogram=tuple(int(one) for one in counts),
        note=f"{number} with evidence" if number else "no string shows evidence of being a template",
    )
    verdict[(verdict == STANDS_ELSEWHERE) & free_of_sources] = len(REASONS)
    return Decision(cutoff, verdict, (*REASONS, COMMON))


def _adds_little(
    evidence: Evidence, longer: NDArray[np.int64], part: NDArray[np.int64], config: EvidenceConfig
) -> NDArray[np.bool_]:
    """Which strings say so little more than a part of theirs that they may continue it by chance."""
    return evidence.information[longer] - evidence.information[part] < config.chance_information


_BRACKETS = {
    closing.encode().decode("latin-1"): opening.encode().decode("latin-1")
    for opening, closing in ("()", "[]", "（）", "［］")
}
"""Closing to opening ones, byte by byte as forms have them."""


def _parentheses(candidates: SourceCandidates, verdict: NDArray[np.int8], config: EvidenceConfig) -> None:
    """Refuse phrases of prose that end with a bracket they opened themselves: "the Federal Railway Office (FRO)".

    It closes what is in it, and the sentence goes on.  `verdict` is INOUT.
    """
    evidence, strings = candidates.evidence, candidates.strings
    assert evidence is not None
    loose = (evidence.prose >= config.half) & (np.maximum(evidence.starts, evidence.ends) < config.edge)
    for row in np.flatnonzero((verdict == ACCEPTED) & loose).tolist():
        text = b" ".join(strings.names[token] for token in strings.ids(row)).decode("latin-1")
        closing = next((mark for mark in _BRACKETS if text.endswith(mark)), "")
        before, _, within = text.removesuffix(closing).rpartition(_BRACKETS.get(closing, "\n"))
        # What counts its readers, "Reload the player (12)", is a call.
        if before and not (len(within) == 2 and within[0] == "\xff"):
            verdict[row] = LOOSE


def _frame(candidates: SourceCandidates, verdict: NDArray[np.int8], config: EvidenceConfig) -> None:
    """Accept rows of tables whose key, "Text:" of "Text: NAME", is too frequent for a table.  `verdict` is INOUT."""
    evidence = candidates.evidence
    assert evidence is not None
    frame = (verdict == ACCEPTED) & (evidence.starts >= config.edge) & (evidence.closes >= config.closed)
    frame &= candidates.repeats.df >= config.half * candidates.documents
    rows = np.flatnonzero((verdict == TABLE) & (evidence.starts >= config.edge))
    owner, part = parts(candidates, rows, True)
    verdict[rows[owner[frame[part]]]] = ACCEPTED


def _branch(
    candidates: SourceCandidates, verdict: NDArray[np.int8], free: NDArray[np.bool_], config: EvidenceConfig
) -> None:
    """Accept edges of lines in scripts without spaces that end where many ways part.

    What a word is nobody says there, but where a string ends that is always the same, any character may follow (Harris
    1955): no longer string takes most of its occurrences.  It needs to say less if its line mostly ends there too.
    `verdict` is INOUT.
    """
    c, evidence, repeats = config, candidates.evidence, candidates.repeats
    assert evidence is not None
    able = (
        (verdict == RARE) & free & (evidence.own_script >= c.half) & (evidence.prose <= c.quiet) & ~evidence.holds_value
    )
    able &= evidence.information >= np.where(evidence.lines >= c.half, c.brief_information, 2 * c.rich)
    able &= repeats.df >= max(fewest(candidates.documents, c), c.often_share * candidates.documents)
    able &= (evidence.tabular < c.half) | (repeats.df >= c.table_share * candidates.documents)
    for left, anchored in ((True, evidence.starts), (False, evidence.ends)):
        edge = able & (anchored >= c.edge)
        if edge.any():
            rows = np.flatnonzero(anchored >= c.edge)
            owner, part = parts(candidates, rows, left)
            longest = np.zeros(len(repeats), np.int32)
            np.maximum.at(longest, part, repeats.count[rows[owner]])
            verdict[edge & (longest < c.joint_share * repeats.count)] = ACCEPTED


def _left_alone(
    candidates: SourceCandidates, verdict: NDArray[np.int8], free: NDArray[np.bool_], config: EvidenceConfig
) -> None:
    """Accept lines with which longer templates begin or end: "The Evening Mail", above "The Evening Mail is our ...".

    What these leave of its occurrences must be whole lines, as ever; and half of all must be.  `verdict` is INOUT.
    """
    c, evidence, repeats = config, candidates.evidence, candidates.repeats
    assert evidence is not None
    able = np.isin(verdict, (RARE, LOOSE, JOINT)) & free & (evidence.lines >= c.half)
    able &= evidence.information >= c.shared_information
    able &= repeats.df >= max(fewest(candidates.documents, c), c.often_share * candidates.documents)
    rows = np.flatnonzero(verdict == ACCEPTED)
    for left, anchored in ((True, evidence.starts), (False, evidence.ends)):
        owner, part = parts(candidates, rows, left)
        # The longest template that begins so too; what begins with it is counted with it.
        inside = np.zeros(len(rows), np.int32)
        within = verdict[part] == ACCEPTED
        np.maximum.at(inside, owner[within], repeats.length[part[within]])
        first = inside[owner] < repeats.length[part]
        said = np.zeros(len(repeats), np.int64)
        np.add.at(said, part[first], repeats.count[rows[owner[first]]])
        alone = evidence.lines * repeats.count >= c.whole * (repeats.count - said)
        verdict[able & (anchored >= c.edge) & (said > 0) & alone] = ACCEPTED


def _drop_left_over(candidates: SourceCandidates, verdict: NDArray[np.int8], config: EvidenceConfig) -> None:
    """Refuse what longer templates mostly say, and prose else: "report." of "contributed to this report.".

    Its other occurrences are what it would cut besides, so they must be boilerplate as well, which in prose asks for as
    much as a phrase says; but what a colon closes announces whatever follows ("Editor's note:").  `verdict` is INOUT.
    """
    c, evidence, count = config, candidates.evidence, candidates.repeats.count
    assert evidence is not None
    wanted = (verdict == ACCEPTED) & (evidence.lines < c.whole) & (evidence.prose < c.half)
    wanted &= evidence.information < c.phrase_information
    wanted &= ~((evidence.starts >= c.edge) & evidence.announces)
    rows = np.flatnonzero(verdict == ACCEPTED)
    pairs = [
        inner(candidates, rows, np.flatnonzero(wanted)),
        *(parts(candidates, rows, left) for left in (True, False)),
    ]
    longer = rows[np.concatenate([owner for owner, _ in pairs])]
    part = np.concatenate([part for _, part in pairs]).astype(np.int64)
    longer, part = longer[wanted[part]], part[wanted[part]]
    frequent = np.argsort(count[longer], kind="stable")
    most = np.full(len(count), -1)
    most[part[frequent]] = longer[frequent]
    part = np.flatnonzero(most >= 0)
    longer = most[part]
    prose = np.rint(evidence.prose * count)
    left_over = count[part] - count[longer]
    loose = (left_over < c.half * count[part]) & (prose[part] - prose[longer] > c.quiet * left_over)
    verdict[part[loose]] = LOOSE


def _drop_parts(
    candidates: SourceCandidates,
    verdict: NDArray[np.int8],
    unheld: NDArray[np.bool_],
    free: NDArray[np.bool_],
    config: EvidenceConfig,
) -> None:
    """Drop parts of longer templates, and chance continuations, of what nothing holds: no edge, no mark on both sides.

    A sample holds no other occurrence of what nearly is always within a longer template, and drops it as well.

    `verdict` is INOUT.
    """
    evidence, count = candidates.evidence, candidates.repeats.count
    assert evidence is not None
    rows = np.flatnonzero(verdict == ACCEPTED)
    owner, part = inner(candidates, rows, rows[unheld[rows]])
    verdict[part[count[rows[owner]] >= config.edge * count[part]]] = JOINT
    for left in (True, False):
        owner, part = parts(candidates, rows, left)
        longer, part = rows[owner], part.astype(np.int64)
        most = unheld[part] & (count[longer] >= config.edge * count[part])
        chance = unheld[longer] & (verdict[part] == ACCEPTED) & free[part]
        chance &= _adds_little(evidence, longer, part, config) & (count[longer] < config.joint_share * count[part])
        verdict[part[most & (verdict[part] == ACCEPTED)]] = JOINT
        verdict[longer[chance]] = JOINT
