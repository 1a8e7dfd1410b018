"""Sample, then verify: mining sources that are too large to sort whole (Toivonen 1996, for frequent item sets).

A seeded sample of the documents is mined as ever.  What could be a template there, by thresholds a good deal lower than
those that decide, is then counted exactly over all documents (`counting`), in one pass at the speed of tokenising and
in memory that does not grow with the source.  `config.SampleConfig` says how likely a string is missed.

A sample hides strings: those that are always in the same longer string there, and elsewhere perhaps not.  Strings are
looked for where they are maximal.  One that is so in the whole source need not be in a sample of it: if one occurrence
of "More On" in two hundred goes on otherwise than with "This", a sample of some hundred may not hold it.  So of a
sample the strings that are not maximal are looked at as well (`find_hidden`), if they are frequent enough for a
template: as far as they could be one, they are counted with the others, and with them how often the same token is
before and after them.  What is maximal in all documents stays (`counting.recounted`).  That takes the time of growing
the strings of the sample once more, without those that are rare.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from templatemine import _core
from templatemine.config import EvidenceConfig, SampleConfig
from templatemine.mining.features import ACCEPTED, collect, judge
from templatemine.mining.repeats import STEPS
from templatemine.model import Corpus, Document, Index, IntArray, LongArray, MaximalRepeats, Repeats

__all__ = ["MOST", "HiddenRepeats", "choose", "digests", "find_hidden", "relaxed", "with_hidden"]

MOST = 32
"""Tokens of a string that is always behind the same token, at most.  What begins where a longer string begins may
have any length."""


def choose(documents: Sequence[Document], config: SampleConfig) -> NDArray[np.int64] | None:
    """Places of the documents of the sample, ascending; None if all are to be mined."""
    if config.exact or len(documents) <= config.documents:
        return None
    order = np.argsort(digests((document.id for document in documents), config), kind="stable")
    return np.sort(order[: config.documents])


def digests(ids: Iterable[str], config: SampleConfig) -> NDArray[np.uint64]:
    """What orders documents for the sample, which are those with the least: uint64 array, one an id."""
    key = config.seed.to_bytes(8, "little", signed=True)
    joined = b"".join(blake2b(one.encode("utf-8", "surrogatepass"), digest_size=8, key=key).digest() for one in ids)
    return np.frombuffer(joined, np.uint64)


def relaxed(config: EvidenceConfig) -> tuple[EvidenceConfig, ...]:
    """Thresholds for the sample: what fails all of these fails the real ones in all documents too, but for rare chance.

    In the first, all that speaks for a string is asked for less.  In the second, what speaks against it is asked for
    more as well: tables, lines, and parts of longer strings must be more clearly what they are.
    """
    easy = replace(
        config,
        exclusive_bits=config.exclusive_bits - 1,
        anchored_bits=config.anchored_bits - 1,
        deviations=0.0,
        line_share=config.line_share * 0.5,
        edge_share=config.edge_share * 0.6,
        often_share=config.often_share * 0.6,
        apart_share=config.apart_share * 0.6,
        stock_share=config.stock_share * 0.6,
        common_share=config.common_share - 0.1,
        whole=config.whole - 0.1,
        edge=config.edge - 0.1,
        mark=config.mark - 0.1,
        half=config.half - 0.1,
        quiet=config.quiet + 0.1,
        half_quiet=config.half_quiet + 0.1,
        closed=config.closed - 0.1,
        after_close=config.after_close - 0.1,
        bound=config.bound * 0.9,
        burst=config.burst * 1.2,
        joint_share=config.joint_share * 1.2,
        chance_information=config.chance_information - 1,
        line_information=config.line_information - 1,
        edge_information=config.edge_information - 1,
        mark_information=config.mark_information - 1,
        phrase_information=config.phrase_information - 1,
        brief_information=config.brief_information - 1,
        period_share=config.period_share * 0.6,
        period_least=max(2, config.period_least // 2),
        shared_information=config.shared_information - 1,
        table_share=config.table_share * 0.8,
        passage_information=config.passage_information + 10,
        rich=config.rich - 1,
    )
    hard = replace(
        easy,
        whole=config.whole + 0.1,
        edge=config.edge + 0.05,
        half=config.half + 0.15,
        joint_share=config.joint_share * 0.8,
    )
    return easy, hard


@dataclass(frozen=True, kw_only=True)
class HiddenRepeats:
    """Strings of a sample that are not maximal there.

    Attributes
    ----------
    repeats : Repeats
        Their `rank` is 0: nobody asks for it.
    first : int64 array
        Where each occurs first.
    position_counts : int32 array, shape (strings, 11)
        Occurrences by their position, see `_core.stand_counts`.
    before, after : int32 arrays
        The symbol that is always before (after) each; 0 if there are several.
    """

    repeats: Repeats
    first: LongArray
    position_counts: IntArray
    before: IntArray
    after: IntArray


def find_hidden(index: Index, corpus: Corpus, config: EvidenceConfig) -> HiddenRepeats | None:
    """The strings that the sample hides and that could be templates, as far as it can tell without other sources.

    None if there are none, or if the text is such that they cannot be grown, but only sorted.
    """
    asked = relaxed(config)
    # No kind but "line" asks for less, and what is hidden is never a line: a line ends with a break.
    share = min(min(one.edge_share, one.often_share) for one in asked)
    floor = max(config.least, int(share * corpus.documents))
    arguments = index.symbols, index.doc_starts, index.positions, 1, floor, MOST, STEPS * len(index.symbols) + 1024
    found = _core.grow_parts(*arguments)
    if found is None or not len(found[0]):
        return None
    first, length, count, df, before, after, position_counts = found
    starts = first.astype(np.int64)
    repeats = Repeats(rank=np.zeros(len(first), np.int64), length=length, count=count, df=df)
    evidence = collect(index, repeats, position_counts, starts, corpus.traits)
    nowhere = np.zeros(len(first), np.float32)
    able = np.zeros(len(first), np.bool_)
    for one in asked:
        able |= judge(evidence, repeats, nowhere, nowhere, corpus.documents, one)[0] == ACCEPTED
    rows = np.flatnonzero(able)
    return HiddenRepeats(
        repeats=repeats.take(rows),
        first=starts[rows],
        position_counts=position_counts[rows],
        before=before[rows],
        after=after[rows],
    )


def with_hidden(found: MaximalRepeats, hidden: HiddenRepeats) -> MaximalRepeats:
    """The maximal strings of a sample, and those that it hides behind them."""
    columns = {
        name: np.concatenate([getattr(found.repeats, name), getattr(hidden.repeats, name)])
        for name in ("rank", "length", "count", "df")
    }
    return MaximalRepeats(
        repeats=Repeats(**columns),
        places=found.places,
        first=np.concatenate([found.first, hidden.first]),
        position_counts=np.concatenate([found.position_counts, hidden.position_counts]),
    )
