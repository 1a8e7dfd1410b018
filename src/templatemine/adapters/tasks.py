"""Tasks of the executors: Arrow batches of rows in, Arrow batches out; knows pyarrow and nothing of Spark.

Between two tasks travel rows of `Row`, bytes with an address: the partition that a source has, the source, what it is,
and a number that says which part of it.  Rows come in sorted by source, so a task holds one source at a time.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import groupby
from operator import add, attrgetter
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from templatemine.adapters.exchange import Answers, collect_counts, compare_part, partition_hashes
from templatemine.adapters.rows import RowCleaner
from templatemine.adapters.table import TableCleaner
from templatemine.cleaning.records import RecordConfig
from templatemine.config import ReadConfig, SampleConfig
from templatemine.errors import CorpusError, PackError, UnreadablePackError
from templatemine.io.read import read_documents
from templatemine.mining.candidates import SourceCandidates
from templatemine.mining.methods import ResolvedConfig
from templatemine.mining.sampling import sample_digests
from templatemine.mining.stages import (
    SourceReport,
    Step,
    complete_step,
    decide_source,
    mine_source,
    skip_source,
    unfit_reason,
)
from templatemine.model import Document
from templatemine.packs.pack import Pack
from templatemine.packs.pack_json import write_checked

STATE, COUNTS, STRINGS, REPORT, QUERY, ANSWER = range(6)
"""Kinds of rows: the state of a source, the strings of other sources, the answers to them, its report, and of one that
was mined from a sample the query to all of its documents, and the answers of some."""

MAX_ROW_BYTES = 32 << 20
"""Bytes of a row at most: Arrow and Spark hold no rows beyond 2 GB, and copy each."""

MAX_BUFFERED = 32 << 20
"""Characters of documents that wait to be counted, of all sources: an automaton is made for some, not for each."""

MAX_CLEANERS = 1000
"""Sources whose automata a task keeps, 50 to 100 kB each; one is made in a few milliseconds."""

_TYPES = {"int": pa.int32(), "long": pa.int64(), "string": pa.string(), "binary": pa.binary()}


def _arrow_schema(columns: str) -> pa.Schema:
    """Return the schema of columns as Spark spells them."""
    return pa.schema([(name, _TYPES[kind]) for name, kind in (column.split() for column in columns.split(", "))])


ROW_SCHEMA = "part int, source string, kind int, number int, piece int, data binary"
_ARROW = _arrow_schema(ROW_SCHEMA)


class Row(NamedTuple):
    """One row between two tasks, or a piece of one."""

    part: int
    source: str
    kind: int
    number: int
    piece: int
    data: bytes


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Inputs that all tasks share.

    Attributes
    ----------
    options : ResolvedConfig
    bits : int
        The strings of all sources are compared in ``2 ** bits`` parts.
    floor : int
        See `exchange.partition_hashes`.
    sampled : mapping of str to (documents, fit)
        Of those sources alone of which only a sample is there: how many they have, and whether they can be mined.
    """

    options: ResolvedConfig
    bits: int
    floor: int
    sampled: Mapping[str, tuple[int, bool]] = field(default_factory=dict)


# ------------------------------------------------------------------------------------------------ rows and documents


def serialize(value: Any) -> bytes:
    """Write a value as bytes, for another task of the same job."""
    data = pickle.dumps(value, protocol=5)
    smaller: bytes = pa.compress(data, codec="zstd", asbytes=True)
    return len(data).to_bytes(8, "little") + smaller


def deserialize(data: bytes) -> Any:
    """Invert `serialize`."""
    size = int.from_bytes(data[:8], "little")
    return pickle.loads(pa.decompress(data[8:], decompressed_size=size, codec="zstd", asbytes=True))


def _split_row(part: int, source: str, kind: int, data: bytes) -> Iterator[Row]:
    for piece, start in enumerate(range(0, max(1, len(data)), MAX_ROW_BYTES)):
        yield Row(part, source, kind, 0, piece, data[start : start + MAX_ROW_BYTES])


def _to_batches(rows: Iterable[Row]) -> Iterator[pa.RecordBatch]:
    """Put rows into batches of about `MAX_ROW_BYTES` bytes."""
    batch: list[Row] = []
    size = 0
    for row in rows:
        batch.append(row)
        size += len(row.data)
        if size >= MAX_ROW_BYTES or len(batch) >= 4096:
            yield _to_batch(batch)
            batch, size = [], 0
    if batch:
        yield _to_batch(batch)


def _to_batch(rows: Sequence[Row]) -> pa.RecordBatch:
    columns = zip(*rows, strict=True)
    return pa.RecordBatch.from_arrays(
        [pa.array(column, one.type) for column, one in zip(columns, _ARROW, strict=True)], schema=_ARROW
    )


def _join_rows(batches: Iterable[pa.RecordBatch]) -> Iterator[Row]:
    """Join the rows of some batches that were split into pieces; sorted by source, kind, number and piece."""
    for _, pieces in groupby(_iterate_rows(batches), key=attrgetter("source", "kind", "number", "part")):
        whole = list(pieces)
        yield whole[0] if len(whole) == 1 else whole[0]._replace(data=b"".join(one.data for one in whole))


def _documents(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, Document]]:
    """Yield partition and document of each row."""
    for batch in batches:
        names = ("part", "source", "id", "text", "html", "date", "title")
        for part, *values in zip(*(batch[one].to_pylist() for one in names), strict=True):
            yield part, Document(**dict(zip(names[1:], values, strict=True)))


DOCUMENT_SCHEMA = (
    "source string, id string, url string, date string, title string, text string, html string, file string, place long"
)


def read(batches: Iterable[pa.RecordBatch], config: ReadConfig) -> Iterator[pa.RecordBatch]:
    """Read the documents of the files at some paths, in any format of `io.read`, with the place of each in its file.

    A record that holds no document is left out; how many were, and the first of them, is said in the executor's log.
    """
    for batch in batches:
        for path in batch["path"].to_pylist():
            troubles: list[CorpusError] = []
            rows: list[dict[str, Any]] = []
            for number, document in enumerate(read_documents([path], config, troubles.append)):
                rows.append({**{name: getattr(document, name) for name in _FIELDS}, "file": path, "place": number})
                if len(rows) == _READ_ROWS:
                    yield pa.RecordBatch.from_pylist(rows, schema=_DOCUMENT)
                    rows = []
            if rows:
                yield pa.RecordBatch.from_pylist(rows, schema=_DOCUMENT)
            if troubles:
                print(f"{len(troubles)} records skipped: {troubles[0]}", file=sys.stderr)


_READ_ROWS = 256
_FIELDS = ("source", "id", "url", "date", "title", "text", "html")
_DOCUMENT = _arrow_schema(DOCUMENT_SCHEMA)


# ------------------------------------------------------------------------------------------------------------- mining


def sample_keys(ids: Iterable[str], config: SampleConfig) -> list[int]:
    """Return digests of ids (see `sampling.sample_digests`) as signed numbers in the same order."""
    keys: list[int] = (sample_digests(ids, config) ^ np.uint64(1 << 63)).view(np.int64).tolist()
    return keys


def mine(batches: Iterable[pa.RecordBatch], plan: Plan) -> Iterator[pa.RecordBatch]:
    """Mine documents sorted by source (first map): yield the state of each source, and the hashes of its strings."""
    return _to_batches(_mine(batches, plan))


def _mine(batches: Iterable[pa.RecordBatch], plan: Plan) -> Iterator[Row]:
    for source, group in groupby(_documents(batches), key=lambda item: item[1].source):
        placed = list(group)
        part, documents = placed[0][0], [document for _, document in placed]
        is_sampled = source in plan.sampled
        total, fit = plan.sampled[source] if is_sampled else (len(documents), not unfit_reason(documents, plan.options))
        if not fit:
            report = replace(skip_source(source, documents, plan.options), documents=total)
            yield from _report_rows(part, report)
            continue
        candidates = mine_source(source, documents, plan.options, np.arange(len(documents)) if is_sampled else None)
        yield from _split_row(part, source, STATE, serialize((candidates, _mined_documents(candidates, documents))))
        for number, table in partition_hashes(candidates, plan.bits, plan.floor).items():
            yield Row(part, source, STRINGS, number, 0, table)


_EMPTY_DOCUMENT = Document(source="", id="", text="")


def _mined_documents(candidates: SourceCandidates, documents: Sequence[Document]) -> list[Document]:
    """Restore the documents that were mined, with what deciding needs of them: texts, dates and titles.  Others stay
    empty."""
    places = range(len(documents)) if candidates.sample is None else candidates.sample.tolist()
    kept = [_EMPTY_DOCUMENT] * len(documents)
    for place in places:
        one = documents[place]
        text = one.text if one.html is None else None
        kept[place] = Document(source="", id="", text=text, html=one.html, date=one.date, title=one.title)
    return kept


def compare_strings(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Compare the strings of sources: yield counts for each; rows sorted by number."""

    def rows() -> Iterator[Row]:
        for _, group in groupby(_iterate_rows(batches), key=attrgetter("number")):
            tellers = list(group)
            for row, table in zip(tellers, compare_part([row.data for row in tellers]), strict=True):
                if table:
                    yield row._replace(kind=COUNTS, data=table)

    return _to_batches(rows())


def _iterate_rows(batches: Iterable[pa.RecordBatch]) -> Iterator[Row]:
    for batch in batches:
        yield from (Row(*values) for values in zip(*(one.to_pylist() for one in batch.columns), strict=True))


def decide(batches: Iterable[pa.RecordBatch], plan: Plan) -> Iterator[pa.RecordBatch]:
    """Decide on each source by its state and counts (second map): yield its report; of a sampled one, its state and a
    query."""

    def rows() -> Iterator[Row]:
        for _, group in groupby(_join_rows(batches), key=attrgetter("source")):
            first, *rest = group
            if first.kind == REPORT:
                yield from _split_row(*first[:3], first.data)
                continue
            candidates, documents = deserialize(first.data)
            answers: Answers = {row.number: row.data for row in rest}
            step = decide_source(candidates, collect_counts(candidates, answers, plan.bits, plan.floor), plan.options)
            if candidates.sample is None:
                step = complete_step(step, documents, plan.options)
            yield from _step_rows(first, step, documents)

    return _to_batches(rows())


def _step_rows(first: Row, step: Step, documents: Sequence[Document]) -> Iterator[Row]:
    """Yield the rows of a step of a source, which has the address of its `first` row."""
    if isinstance(step, SourceReport):
        yield from _report_rows(first.part, step)
        return
    yield from _split_row(first.part, first.source, QUERY, serialize(step.query))
    yield from _split_row(first.part, first.source, STATE, serialize((step, documents)))


# ---------------------------------------------------------------------------------------------------- sampled sources


def answer_queries(
    batches: Iterable[pa.RecordBatch], queries: Mapping[str, bytes], options: ResolvedConfig
) -> Iterator[pa.RecordBatch]:
    """Answer the query of each sampled source from its documents, in any order: yield a row a source.

    The caller numbers the rows, so that those of several tasks are told apart.

    Parameters
    ----------
    queries : mapping of str to bytes
        By source, serialized.
    """
    sums: dict[tuple[int, str], Any] = {}
    waiting: dict[tuple[int, str], list[Document]] = {}
    size = 0

    def answer_waiting() -> None:
        for key, documents in waiting.items():
            found = deserialize(queries[key[1]]).answer(documents, options)
            sums[key] = sums[key] + found if key in sums else found
        waiting.clear()

    for part, document in _documents(batches):
        waiting.setdefault((part, document.source), []).append(document)
        size += len(document.body)
        if size >= MAX_BUFFERED:
            answer_waiting()
            size = 0
    answer_waiting()
    return _to_batches(
        row for (part, source), one in sums.items() for row in _split_row(part, source, ANSWER, serialize(one))
    )


def proceed(batches: Iterable[pa.RecordBatch], plan: Plan) -> Iterator[pa.RecordBatch]:
    """Proceed with sampled sources, given the answers of their documents: yield reports, or states and next queries."""

    def rows() -> Iterator[Row]:
        for _, group in groupby(_join_rows(batches), key=attrgetter("source")):
            first, *rest = group
            step, documents = deserialize(first.data)
            answer = reduce(add, (deserialize(row.data) for row in rest))
            yield from _step_rows(first, step.proceed(answer, documents, plan.options), documents)

    return _to_batches(rows())


REPORT_SCHEMA = "source string, documents long, templates int, note string, pack string"
"""Report of a source, as users see it."""
_REPORT = _arrow_schema(REPORT_SCHEMA)


def _report_rows(part: int, report: SourceReport) -> Iterator[Row]:
    """Yield the rows of the report of a source."""
    pack, note = report.pack, report.note
    text: str | None = None
    if pack is not None:
        try:
            text = write_checked(pack)
        except UnreadablePackError as error:
            note = str(error)
    values = (report.source, report.documents, 0 if pack is None else len(pack.templates), note, text)
    data = serialize(dict(zip(_REPORT.names, values, strict=True)))
    yield from _split_row(part, report.source, REPORT, data)


def read_reports(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Turn rows of reports into a row a source, as users see it."""
    for row in _join_rows(batches):
        yield pa.RecordBatch.from_pylist([deserialize(row.data)], schema=_REPORT)


# ----------------------------------------------------------------------------------------------------------- cleaning


class _LazyPacks(Mapping[str, Pack]):
    """Packs that are deserialized when they are asked for."""

    def __init__(self, data: Mapping[str, bytes]) -> None:
        self._data = data

    def __getitem__(self, source: str) -> Pack:
        pack: Pack = deserialize(self._data[source])
        return pack

    def __contains__(self, source: object) -> bool:
        return source in self._data

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)


CHECKED_SCHEMA = "source string, pack binary, problem string"


def check_packs(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Check packs in JSON by all rules of `Pack.from_json`: yield each source with its pack, serialised, or null and
    the reason."""
    for batch in batches:
        rows: list[dict[str, Any]] = []
        for name, text in zip(batch["source"].to_pylist(), batch["pack"].to_pylist(), strict=True):
            try:
                rows.append({"source": name, "pack": serialize(Pack.from_json(text, f"pack of {name}"))})
            except PackError as error:
                rows.append({"source": name, "problem": str(error)})
        yield pa.RecordBatch.from_pylist(rows, schema=_arrow_schema(CHECKED_SCHEMA))


REMOVED_SCHEMA = "array<struct<start:bigint,end:bigint,templates:array<string>,kind:string>>"
"""`tables.SPANS`, as Spark spells it."""


def clean(
    batches: Iterable[pa.RecordBatch], packs: Mapping[str, bytes], config: RecordConfig
) -> Iterator[pa.RecordBatch]:
    """Clean batches as `table.TableCleaner` does; few packs at a time are in memory."""

    def make_cleaner() -> TableCleaner:
        rows = RowCleaner(_LazyPacks(packs), config.clean)
        return TableCleaner(rows, config.read, removed_column=config.removed_field)

    cleaner, seen = make_cleaner(), set[str]()
    for batch in batches:
        if len(seen) > MAX_CLEANERS:
            cleaner, seen = make_cleaner(), set()
        seen.update(filter(None, batch[config.read.source_field].to_pylist()))
        yield cleaner.batch(batch, cleaner.schema(batch.schema))
