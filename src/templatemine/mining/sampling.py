"""Sample, then verify: mining sources that are too large to sort whole (Toivonen 1996, for frequent item sets).

A seeded sample of the documents is mined as ever.  What becomes a template is counted over all documents (`matches`,
`counting`), in one pass at the speed of cleaning and in memory that does not grow with the source.
`config.SampleConfig` says how likely a string is missed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from templatemine.config import SampleConfig
from templatemine.mining.kept_texts import checksum, digest, kept_digest
from templatemine.model import Document, Template
from templatemine.packs.pack import Pack


def choose_sample(documents: Sequence[Document], config: SampleConfig) -> NDArray[np.int64] | None:
    """Choose the places of the documents of the sample, ascending; None if all are to be mined."""
    if config.exact or len(documents) <= config.documents:
        return None
    order = np.argsort(sample_digests((document.id for document in documents), config), kind="stable")
    return np.sort(order[: config.documents])


def choose_by_text(documents: Sequence[Document], most: int) -> Sequence[Document]:
    """Choose some documents by their text.  Neither their order nor their ids matter: executors leave ids out."""
    if len(documents) <= most:
        return documents
    digests = np.frombuffer(b"".join(kept_digest(one.body, _TEXT_KEY) for one in documents), np.uint64)
    return [documents[place] for place in np.argsort(digests, kind="stable")[:most].tolist()]


def shuffle_by_text(documents: Iterable[Document]) -> list[Document]:
    """Return documents in an order of their own, whatever that of the archive: the first ones with a string stand for
    all."""
    return sorted(documents, key=lambda one: checksum(one.body))


def find_share(pack: Pack, documents: Sequence[Document]) -> float:
    """Return how many times the documents of a source are those that were mined, 1 without a sample."""
    return max(1.0, pack.documents / max(1, len(documents)))


def scale_counts(template: Template, share: float) -> Template:
    """Return a template counted in a sample as one of its source, which is so many times that: other strings are
    counted in all documents."""
    return replace(template, df=round(share * template.df), count=round(share * template.count))


def sample_digests(ids: Iterable[str], config: SampleConfig) -> NDArray[np.uint64]:
    """Return hashes of ids; the sample has the least: uint64 array, one an id."""
    key = _read_key(config)
    return np.frombuffer(b"".join(digest(document_id, key) for document_id in ids), np.uint64)


def _read_key(config: SampleConfig) -> bytes:
    return config.seed.to_bytes(8, "little", signed=True)


_TEXT_KEY = _read_key(SampleConfig())
