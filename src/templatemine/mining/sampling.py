"""Sample, then verify: mining sources that are too large to sort whole (Toivonen 1996, for frequent item sets).

A seeded sample of the documents is mined as ever.  What could be a template there, by thresholds a good deal lower than
those that decide, is then counted exactly over all documents (`_count`), in one pass at the speed of tokenising and in
memory that does not grow with the source.  Strings that are maximal in the whole, but not in the sample, are looked at
as well (`hidden`).  `config.SampleConfig` says how likely a string is missed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from hashlib import blake2b
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from templatemine import _core
from templatemine.config import EvidenceConfig, SampleConfig
from templatemine.model import Document

__all__ = ["Counts", "choose", "count_strings", "digests", "relaxed"]

BATCH = 64
"""Documents that the native core is given at a time."""


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
class Counts:
    """Exact counts of some strings over all documents.

    Attributes
    ----------
    count, df : int64 arrays, shape (strings,)
        Occurrences and documents.
    alike : int64 array, shape (strings, 2)
        Occurrences behind, and in front of, the token that alone stood there in the sample.
    stands : int64 array, shape (strings, 11)
        Occurrences by how they stand, see `_core.stand_counts`.
    forms : int64 array, shape (vocabulary,)
        Occurrences of each form that stands in a string.
    tokens : int
        All tokens of all documents, line breaks with them where they part strings.
    """

    count: NDArray[np.int64]
    df: NDArray[np.int64]
    alike: NDArray[np.int64]
    stands: NDArray[np.int64]
    forms: NDArray[np.int64]
    tokens: int

    def __add__(self, other: Counts) -> Counts:
        """Counts over the documents of both; no document may be in both."""
        return Counts(**{one.name: getattr(self, one.name) + getattr(other, one.name) for one in fields(self)})


def count_strings(counter: _core.Counter, documents: Iterable[str | bytes]) -> Counts:
    """Count the strings of a counter in all documents (str, or UTF-8), in one pass."""
    batches = iter(documents)
    while batch := list(islice(batches, BATCH)):
        # A batch at a time: each call waits for Python's lock.
        counter.count_all(batch)
    count, df, alike, stands, forms, tokens = counter.counts()
    return Counts(count=count, df=df, alike=alike, stands=stands, forms=forms, tokens=tokens)
