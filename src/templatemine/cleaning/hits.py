"""Counts of cuts, by source and day: how often each expression hit, and how much went.

`clean` counts, `drift` looks at the counts.  Each run writes a file of its own, named after its content: the same run
again gives the same file, so that nothing counts twice, and runs at the same time do not meet.  It begins each source
with the expressions of its pack, so that one which came later, or was taken out, is not taken for one that did not hit.
A date that may read two ways (03/04/2026) is written as it is, and settled by those of all runs.
"""

from __future__ import annotations

import errno
import gzip
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from templatemine.errors import CorpusError
from templatemine.io.files import READ_ERRORS, read_error
from templatemine.io.jsonl import decode_line, encode_line
from templatemine.io.write import atomic_writer, write_errors
from templatemine.model import Cleaned

SUFFIX = ".hits.jsonl.gz"


@dataclass(slots=True)
class DayHits:
    """Counts of a day of a source: cleaned documents, their characters, by how many fewer come out, stubs,
    and documents with a match of each expression, by its id.

    `packs` are the documents that a pack with these expressions cleaned; of those that are in none of them it is not
    known, and all expressions count as looked for.
    """

    documents: int = 0
    characters: int = 0
    cut: int = 0
    stubs: int = 0
    hits: Counter[str] = field(default_factory=Counter)
    packs: Counter[frozenset[str]] = field(default_factory=Counter)

    def add_document(self, size: int, cut: int, cleaned: Cleaned) -> None:
        """Count a document of `size` characters, `cut` of which do not come out."""
        self.documents += 1
        self.characters += size
        self.cut += cut
        self.stubs += cleaned.stub
        self.hits.update({name for span in cleaned.removed for name in span.templates})

    def add(self, other: DayHits) -> None:
        """Add the counts of another."""
        self.documents += other.documents
        self.characters += other.characters
        self.cut += other.cut
        self.stubs += other.stubs
        self.hits.update(other.hits)
        self.packs.update(other.packs)


Days = dict[str, dict[str, DayHits]]
"""Source -> day (empty for documents without one; from `read_hits` on never what may read two ways) -> counts."""


def add_days(days: Days, more: Mapping[str, Mapping[str, DayHits]]) -> None:
    """Add counts to others."""
    for source, by_day in more.items():
        mine = days.setdefault(source, {})
        for day, counts in by_day.items():
            mine.setdefault(day, DayHits()).add(counts)


def make_folder(folder: str) -> None:
    """Make the folder of counts if it is missing.

    Raises
    ------
    CorpusError
        Fatal: it cannot be made, or not be written to; better known before hours of cleaning than after them.
    """
    with write_errors(folder):
        os.makedirs(folder, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, "no permission to write there")


def write_hits(folder: str, days: Days, expressions: Mapping[str, Iterable[str]] | None = None) -> str:
    """Write the counts of a run into a folder, which is made if it is missing; gives the path.

    Parameters
    ----------
    expressions : mapping, optional
        Source -> ids of all expressions of the pack that cleaned its documents.
    """
    from hashlib import blake2b

    lines = []
    for source, by_day in sorted(days.items()):
        if expressions is not None and source in expressions:
            lines.append(encode_line({"source": source, "expressions": sorted(expressions[source])}))
        for day, one in sorted(by_day.items()):
            row: dict[str, Any] = {"source": source, "day": day, "documents": one.documents}
            row |= {"characters": one.characters, "cut": one.cut, "stubs": one.stubs}
            lines.append(encode_line({**row, "hits": dict(sorted(one.hits.items()))}))
    data = b"".join(lines)
    make_folder(folder)
    path = os.path.join(folder, blake2b(data, digest_size=8).hexdigest() + SUFFIX)
    with atomic_writer(path, force=True) as handle:
        handle.write(data)
    return path


def read_hits(folder: str) -> Days:
    """Return the counts of all runs in a folder, by days that all dates of a source settle.

    Raises
    ------
    CorpusError
        Fatal: no folder, none in it, or a file that holds something else.
    """
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(SUFFIX) and not name.startswith("."))
    except FileNotFoundError:
        names = []
    except OSError as error:
        raise read_error(error, folder) from error
    if not names:
        problem = f"expected counts of hits (*{SUFFIX}), found none; clean --hits {folder} counts them"
        raise CorpusError(problem, folder, fatal=True)
    days: Days = {}
    for name in names:
        path = os.path.join(folder, name)
        packs: dict[str, frozenset[str]] = {}
        try:
            with gzip.open(path, "rb") as lines:
                for number, line in enumerate(lines, 1):
                    add_days(days, _parse(line, f"{path}:{number}", packs))
        except READ_ERRORS as error:
            raise read_error(error, path) from error
    return {source: _settle_days(by_day) for source, by_day in days.items()}


def _settle_days(by_text: Mapping[str, DayHits]) -> dict[str, DayHits]:
    """Return the counts of a source by day, of those by the texts of `dates.day_or_text`."""
    from templatemine.text.dates import settle_texts

    settled: Days = {}
    for text, day in settle_texts(by_text).items():
        add_days(settled, {"": {day: by_text[text]}})
    return settled.get("", {})


def _parse(line: bytes, where: str, packs: dict[str, frozenset[str]]) -> Days:
    """Return the counts of a line; or none, for one that tells the expressions of a source, which go into `packs`."""
    try:
        row = decode_line(line)
        if "expressions" in row:
            packs[str(row["source"])] = frozenset(map(str, row["expressions"]))
            return {}
        counts = [row[name] for name in ("documents", "characters", "cut", "stubs")]
        hits = Counter({str(name): int(number) for name, number in row["hits"].items()})
        documents, characters, cut, stubs = counts
        least = (documents, characters, stubs, *hits.values())  # pages become longer in some formats: `cut` is negative
        if not (all(isinstance(count, int) and count >= 0 for count in least) and isinstance(cut, int)):
            raise TypeError
        source = str(row["source"])
        by = Counter({packs[source]: documents} if source in packs else {})
        return {source: {str(row["day"]): DayHits(documents, characters, cut, stubs, hits, by)}}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        problem = "expected the counts of a day: an object with source, day, documents, characters, cut, stubs and hits"
        raise CorpusError(problem, where, fatal=True) from error
