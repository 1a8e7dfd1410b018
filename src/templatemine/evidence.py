"""Repeats -> Evidence -> verdicts: which strings are furniture, without labels.

On archives of articles the document frequency alone does not part furniture from prose: "of the" stands in 95 % of long
articles, a credit line in 3 %.  What parts them is how a string stands in its documents.  For each maximal string we
count how often it begins a line, ends one and is a whole one; how much information it carries (the sum of -log2 of the
rates of its tokens); how tightly its tokens belong to it (the geometric mean of the share of each token's occurrences
that it takes); and how much greater its rate is than in any other source.  Four kinds of evidence are accepted:

line      a whole line, whether of this source alone or not: prose does not repeat whole lines edge      begins or
ends a line wherever it stands, and is this source's own phrase    stands anywhere, but is frequent, this source's own
and bound together, beyond what prose of the source reaches mark      one token that begins a line wherever it stands
("More:")

Constants were chosen on the annotated articles so that doubling or halving any of them moves mean F1 by less than two
points; `tests/archives` holds the figures reached.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from templatemine import _core
from templatemine.config import EvidenceConfig
from templatemine.model import Index, IntArray, LongArray, Repeats

__all__ = ["ACCEPTED", "JOINT", "REASONS", "Evidence", "collect", "judge", "recount"]

ACCEPTED, SHARED, RARE, LOOSE, POOR, JOINT = range(6)
REASONS = (
    "",
    "stands in other sources",
    "too rare for its kind",
    "stands in mid-line like prose",
    "carries too little information",
    "a template and a chance continuation",
)


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Columns beside `Repeats`, one row a string.

    Attributes
    ----------
    starts, ends, lines : float32 arrays
        Share of the occurrences that begin a line, end one, are one.
    after_close, closes : float32 arrays
        Share that begin a line or follow a punctuation mark; that end a line or end with a punctuation mark.
    prose, within : float32 arrays
        Share that stand in a line of prose, a long one that ends a sentence; that neither begin nor end it.
    near_end, near_begin : float32 arrays
        Share after which the line ends soon; before which it began not long ago.
    information : float32 array, bits
        A character of a script without spaces counts half: it is no word.
    own_script, mutable : float32 arrays
        Share of its tokens that are characters of a script without spaces; that hold a mutable pattern.
    value : bool array
        Its last token begins with a number.
    bound : float32 array
        Geometric mean over the tokens of count(string) / count(token), 0 to 1.
    rate : float32 array
        Occurrences a token of the source.
    """

    starts: NDArray[np.float32]
    ends: NDArray[np.float32]
    lines: NDArray[np.float32]
    after_close: NDArray[np.float32]
    closes: NDArray[np.float32]
    prose: NDArray[np.float32]
    near_end: NDArray[np.float32]
    near_begin: NDArray[np.float32]
    within: NDArray[np.float32]
    information: NDArray[np.float32]
    own_script: NDArray[np.float32]
    mutable: NDArray[np.float32]
    value: NDArray[np.bool_]
    bound: NDArray[np.float32]
    rate: NDArray[np.float32]


STANDS = ("starts", "ends", "lines", "after_close", "closes", "prose", "near_end", "near_begin", "within")


def collect(
    index: Index, repeats: Repeats, stands: IntArray, position: LongArray, traits: NDArray[np.uint8]
) -> Evidence:
    """Evidence of all strings of a source.

    Parameters
    ----------
    stands : int32 array, shape (strings, 9)
        Occurrences by how they stand, see `_core.stand_counts`.
    position : int64 array
        Where one occurrence of each string begins in `index.symbols`.
    traits : uint8 array, shape (forms,)
        `Corpus.traits`.
    """
    count = np.maximum(repeats.count, 1)
    total = float(index.form_counts.sum())
    counts = index.form_counts[index.forms[1:]].astype(np.float64)
    bits = -np.log2(counts / total) * np.where(traits[index.forms[1:]] & 4, 0.5, 1.0)
    information = _string_sums(index, repeats, position, bits)
    of_symbol = traits[index.forms[1:]]
    own_script = _string_sums(index, repeats, position, (of_symbol & 4 > 0).astype(np.float64)) / repeats.length
    mutable = _string_sums(index, repeats, position, (of_symbol & 8 > 0).astype(np.float64)) / repeats.length
    logs = _string_sums(index, repeats, position, np.log(counts))
    bound = np.exp(np.log(repeats.count) - logs / repeats.length)
    return Evidence(
        **{name: (stands[:, place] / count).astype(np.float32) for place, name in enumerate(STANDS)},
        information=information.astype(np.float32),
        own_script=own_script.astype(np.float32),
        mutable=mutable.astype(np.float32),
        value=traits[index.forms[index.symbols[position + repeats.length - 1]]] & 16 > 0,
        bound=bound.astype(np.float32),
        rate=(repeats.count / total).astype(np.float32),
    )


def _string_sums(
    index: Index, repeats: Repeats, position: LongArray, by_symbol: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Sum of a value over the tokens of each string."""
    return _core.string_sums(index.symbols, np.concatenate([np.zeros(1), by_symbol]), position, repeats.length)


def recount(
    evidence: Evidence,
    rows: NDArray[np.int64],
    share: NDArray[np.float64],
    bound: NDArray[np.float64],
    rate: NDArray[np.float64],
) -> Evidence:
    """Evidence with other figures in some rows: `share` has the columns starts, ends, lines."""
    columns = {"starts": share[:, 0], "ends": share[:, 1], "lines": share[:, 2], "bound": bound, "rate": rate}
    changed: dict[str, NDArray[np.float32]] = {}
    for name, values in columns.items():
        changed[name] = getattr(evidence, name).copy()
        changed[name][rows] = values
    return replace(evidence, **changed)


def prose_level(evidence: Evidence, df: NDArray[np.int32], own: NDArray[np.bool_], config: EvidenceConfig) -> float:
    """Document frequency that prose of this source reaches: a quantile over its own informative strings in mid-line."""
    prose = (
        own
        & (np.maximum(evidence.starts, evidence.ends) < config.loose)
        & (evidence.information >= config.prose_information)
    )
    if np.count_nonzero(prose) < config.prose_strings:
        return 0.0
    return float(np.quantile(df[prose], config.prose_quantile))


def judge(
    evidence: Evidence,
    repeats: Repeats,
    elsewhere: NDArray[np.float32],
    documents: int,
    alone: bool,
    config: EvidenceConfig,
) -> tuple[NDArray[np.int8], float]:
    """The verdict on each string: ACCEPTED or the reason against it, a place in `REASONS`.

    Parameters
    ----------
    elsewhere : float32 array
        Greatest rate of each string in any other source.
    alone : bool
        No other source of this language is known; then strings that are not whole lines must be bound together.

    Returns
    -------
    verdict : int8 array
    level : float
        Document frequency a phrase in mid-line had to reach.
    """
    df, e = repeats.df, evidence
    own = e.rate >= elsewhere * np.float32(2.0**config.exclusive_bits)
    often = max(3.0, config.phrase_share * documents)
    level = max(often, config.prose_factor * prose_level(e, df, own, config))
    whole = e.lines >= config.whole
    edge = np.maximum(e.starts, e.ends) >= config.edge
    if alone:
        edge &= e.bound >= config.bound
    asked = np.where(e.information >= config.rich, max(3.0, config.edge_share * documents), often)
    mark = (
        (repeats.length == 1)
        & (e.starts >= config.mark)
        & (e.information >= config.mark_information)
        & (df >= often)
        & (not alone)
    )
    accept_line = (
        whole
        & (own | (e.information >= config.shared_information) | (df >= often))
        & (df >= max(3.0, config.line_share * documents))
    )
    accept_line &= e.information >= config.line_information
    accept_edge = edge & own & (df >= asked) & (e.information >= config.edge_information)
    accept_phrase = (
        own & (df >= level) & (repeats.length >= 2) & (e.information >= config.rich) & (e.bound >= config.bound)
    )
    accepted = accept_line | accept_edge | (mark & own) | accept_phrase
    # The first thing that speaks against a string, from the most general to the most particular.
    verdict = np.select(
        [accepted, ~own & ~whole, e.information < config.line_information, ~whole & ~edge & (e.bound < config.bound)],
        [ACCEPTED, SHARED, POOR, LOOSE],
        RARE,
    ).astype(np.int8)
    return verdict, level
