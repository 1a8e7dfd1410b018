"""Sample, then verify: mining sources that are too large to sort whole (Toivonen 1996, for frequent item sets).

A seeded sample of the documents is mined as ever.  What could be a template there, by thresholds a good deal lower than
those that decide, is then counted exactly over all documents by the cleaner's automaton, in one pass at cleaning speed
and in memory that does not grow with the source.  `config.SampleConfig` says how likely a string is missed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from templatemine import _core, _spans
from templatemine.config import EvidenceConfig, SampleConfig
from templatemine.model import Document

__all__ = ["Counts", "choose", "count_strings", "digests", "relaxed"]


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


def relaxed(config: EvidenceConfig) -> EvidenceConfig:
    """Thresholds for the sample: what fails these fails the real ones in all documents too, but for rare chance."""
    return replace(
        config,
        exclusive_bits=config.exclusive_bits - 1,
        anchored_bits=config.anchored_bits - 1,
        line_share=config.line_share * 0.5,
        edge_share=config.edge_share * 0.6,
        often_share=config.often_share * 0.6,
        whole=config.whole - 0.1,
        edge=config.edge - 0.1,
        mark=config.mark - 0.1,
        half=config.half - 0.1,
        quiet=config.quiet + 0.1,
        half_quiet=config.half_quiet + 0.1,
        closed=config.closed - 0.1,
        after_close=config.after_close - 0.1,
        bound=config.bound * 0.9,
        line_information=config.line_information - 1,
        edge_information=config.edge_information - 1,
        mark_information=config.mark_information - 1,
        phrase_information=config.phrase_information - 1,
        brief_information=config.brief_information - 1,
        period_share=config.period_share * 0.6,
        period_least=max(2, config.period_least // 2),
        table_share=config.table_share * 0.8,
        rich=config.rich - 1,
    )


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Exact counts of some strings over all documents.

    Attributes
    ----------
    count, df : int64 arrays, shape (strings,)
        Occurrences and documents.
    stands : int32 array, shape (strings, 10)
        Occurrences by how they stand, see `_core.stand_counts`.
    forms : int64 array, shape (vocabulary,)
        Occurrences of each form that stands in a string.
    tokens : int
        All tokens of all documents, line breaks with them where they part strings.
    """

    count: NDArray[np.int64]
    df: NDArray[np.int64]
    stands: NDArray[np.int32]
    forms: NDArray[np.int64]
    tokens: int

    def __add__(self, other: Counts) -> Counts:
        """Counts over the documents of both; no document may be in both."""
        return Counts(**{one.name: getattr(self, one.name) + getattr(other, one.name) for one in fields(self)})


def count_strings(
    matcher: _spans.Matcher,
    strings: int,
    vocabulary: int,
    documents: Iterable[bytes],
    lines: tuple[int, int, int] | None,
) -> Counts:
    """Count the strings of an automaton over all documents, in one pass.

    Parameters
    ----------
    strings, vocabulary : int
        How many the automaton has.
    documents : iterable of bytes
        UTF-8.
    lines : tuple of int or None
        Line breaks part strings: the sizes of lines as `_core.standing` takes them.
    """
    table, stands = np.zeros((strings, 2), np.int64), np.zeros((strings, _core.STAND_COUNTS), np.int32)
    last = np.full(strings, -1, np.int64)
    forms = np.zeros(vocabulary + 1, np.int64)
    for number, document in enumerate(documents):
        matcher.count(document, number, table, stands, last, forms, lines)
    return Counts(
        count=table[:, 0],
        df=table[:, 1],
        stands=stands,
        forms=forms[:-1],
        tokens=int(forms[-1]),
    )
