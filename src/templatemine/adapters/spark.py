"""Mining and cleaning on a Spark cluster: data frames in and out, the packs byte for byte those of one machine::

    counts      how many documents each source has, and how large they are
    first map   documents go to their source's partition; of a giant only the sample goes, tiny ones share a partition
    reduce      strings as hashes, by range of hash; the answers go back
    second map  what a giant asks all of its documents is broadcast, and answered where they are
    cleaning    packs are broadcast

The order is that of `pipeline.drive`, of which `SparkExecutor` is an executor; `tasks` is what runs on those of Spark,
`exchange` the comparison of sources in parts.  Needs PySpark 4.1 or newer, Java 17,
and templatemine on every executor.  docs/spark.md computes what an archive needs.
"""

from __future__ import annotations

import heapq
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from templatemine.config import CleanConfig, PipelineConfig, ReadConfig, SampleConfig
from templatemine.errors import ConfigError, CorpusError, SkippedPackError, needs_extra

with needs_extra("running on Spark needs pyspark and pyarrow", "spark"):
    import pyarrow as pa
    from pyspark import StorageLevel
    from pyspark.sql import functions as F

from templatemine.adapters import tasks
from templatemine.adapters.rows import Packs, body_columns, in_order
from templatemine.cleaning.records import RecordConfig
from templatemine.mining.methods import ResolvedConfig, resolve_defaults
from templatemine.mining.stages import count_queries
from templatemine.packs.pack_folder import PackFiles, warn_skipped
from templatemine.pipeline import Executor, drive

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

__all__ = ["ArchiveConfig", "clean_archive", "in_order", "mine_archive", "read_archive"]

_PARTITION_BYTES = 64 << 20
"""Bytes of text that a partition is planned for: a source takes some seven times its own, see docs/performance.md."""

_PART_STRINGS = 1 << 22
"""Strings that a part of the cross-site filter is planned for: 140 bytes each while it is worked on, so 600 MB."""

_STRINGS_PER_BYTE = 0.04
"""Strings that a byte of text gives: 0.015 of English news, 0.035 of Chinese ones."""

_DIGEST_STEPS = 64
"""Steps of digests that a sample is chosen by, beforehand: a 64th of it may be too much and is left away later."""

_STORAGE_LEVEL = StorageLevel.DISK_ONLY
"""Python's processes need the memory."""


@dataclass(frozen=True, kw_only=True)
class ArchiveConfig:
    """Columns of a data frame that hold documents, and the number of tasks.

    read : names of the columns; text, html and date may be missing.
    order : column that orders the documents of a source as a local run would read them; None for their ids.  It decides
        which documents are the sample if ids are equal.
    partitions : of sources; None for what their text and the cluster ask for.
    parts : of the cross-site filter, a power of two; None for what the text asks for.
    floor : strings in fewer documents of their source take no part in the cross-site filter.  Up to 3, the default of
        `MineConfig.min_df`, all do, and the packs are those of a local run; docs/spark.md says what more would do.
    """

    read: ReadConfig = field(default_factory=ReadConfig)
    order: str | None = None
    partitions: int | None = None
    parts: int | None = None
    floor: int = 0

    def __post_init__(self) -> None:
        for name, value in (("partitions", self.partitions), ("parts", self.parts)):
            if value is not None and value < 1:
                raise ConfigError(f"{name}: expected at least 1, got {value}")
        if self.parts is not None and self.parts & (self.parts - 1):
            raise ConfigError(f"parts: expected a power of two, got {self.parts}")


def read_archive(spark: SparkSession, paths: Iterable[str], read: ReadConfig | None = None) -> DataFrame:
    """Read the documents of files in any format that templatemine reads, a task a file.

    For formats that Spark has no reader for; every executor must see the files under the same paths.  Lazy.

    Parameters
    ----------
    paths : iterable of str
        As for `io.read.read_records`.
    read : ReadConfig, optional
        Names of the fields in JSON lines; the columns are always named as below.

    Returns
    -------
    DataFrame
        source, id, url, date, title, text, html, and file and place, which file and where in it a document is.
    """
    listed = list(enumerate(paths))
    files = spark.createDataFrame(listed, "number int, path string").repartitionById(max(1, len(listed)), "number")
    return files.mapInArrow(partial(tasks.read, config=read or ReadConfig()), tasks.DOCUMENT_SCHEMA)


# -------------------------------------------------------------------------------------------------------------- mining


def mine_archive(
    df: DataFrame, config: PipelineConfig | None = None, archive: ArchiveConfig | None = None
) -> DataFrame:
    """Mine the packs of all sources of an archive; runs at once.

    Parameters
    ----------
    df : DataFrame
        A row a document.  It is read up to four times, so it should come from files, or be cached.  Rows without a
        source or without a body are left out.
    config : PipelineConfig, optional
        As for `pipeline.Miner`.
    archive : ArchiveConfig, optional

    Returns
    -------
    DataFrame
        source, documents, templates, note, pack: a row a source.  `pack` is the JSON text that `Pack.save` writes, null
        if the source has none, and `note` says why.  Cached; ``unpersist`` it when it is written.

    Raises
    ------
    ConfigError
        An option, or a column that is not there.
    CorpusError
        No documents.
    """
    options, archive = resolve_defaults(config or PipelineConfig()), archive or ArchiveConfig()
    documents = _documents(df, archive)
    executor = SparkExecutor(
        documents, _plan_placement(_count_sources(documents, options), documents, options, archive)
    )
    result = drive(executor)
    result.count()
    executor.unpersist()
    return result


class SparkExecutor(Executor["DataFrame", "DataFrame", "DataFrame"]):
    """Rows of `tasks` in data frames.

    Parameters
    ----------
    documents : DataFrame
        As `_documents` has them.
    """

    def __init__(self, documents: DataFrame, placement: _Placement) -> None:
        self._documents = documents
        self._placement = placement
        self._spark = documents.sparkSession
        self._persisted: list[DataFrame] = []

    def unpersist(self) -> None:
        """Release the frames kept between the stages."""
        for one in self._persisted:
            one.unpersist()

    def map_documents(self) -> DataFrame:
        return self._persist(
            _select_documents(self._documents, self._placement, self._spark)
            .repartitionById(self._placement.partitions, "part")
            .sortWithinPartitions("source", "at", "id", "date", "html", "text")
            .mapInArrow(partial(tasks.mine, plan=self._placement.plan), tasks.ROW_SCHEMA)
        )

    def reduce(self, kept: DataFrame) -> DataFrame:
        return (
            kept.where(F.col("kind") == tasks.STRINGS)
            .repartitionById(2**self._placement.plan.bits, "number")
            .sortWithinPartitions("number", "source")
            .mapInArrow(tasks.compare_strings, tasks.ROW_SCHEMA)
        )

    def map_candidates(self, kept: DataFrame, table: DataFrame) -> DataFrame:
        plan = self._placement.plan
        decide, proceed = partial(tasks.decide, plan=plan), partial(tasks.proceed, plan=plan)
        known = kept.where(F.col("kind") != tasks.STRINGS).unionByName(table)
        steps = self._persist(self._partition_by_source(known).mapInArrow(decide, tasks.ROW_SCHEMA))
        reports = steps.where(F.col("kind") == tasks.REPORT)
        if self._placement.giants:
            for _ in range(count_queries(self._placement.plan.options)):
                states = steps.where(F.col("kind") == tasks.STATE).unionByName(self._answer_queries(steps))
                steps = self._persist(self._partition_by_source(states).mapInArrow(proceed, tasks.ROW_SCHEMA))
            reports = reports.unionByName(steps.where(F.col("kind") == tasks.REPORT))
        return reports.mapInArrow(tasks.read_reports, tasks.REPORT_SCHEMA).persist(_STORAGE_LEVEL)

    def _persist(self, rows: DataFrame) -> DataFrame:
        self._persisted.append(rows.persist(_STORAGE_LEVEL))
        return self._persisted[-1]

    def _partition_by_source(self, rows: DataFrame) -> DataFrame:
        placed = rows.repartitionById(self._placement.partitions, "part")
        return placed.sortWithinPartitions("source", "kind", "number", "piece")

    def _answer_queries(self, steps: DataFrame) -> DataFrame:
        """Return the answers of all documents of giants to their queries."""
        options = self._placement.plan.options
        pieces: dict[str, list[tuple[int, bytes]]] = {}
        for row in steps.where(F.col("kind") == tasks.QUERY).toLocalIterator():
            pieces.setdefault(row["source"], []).append((row["piece"], bytes(row["data"])))
        queries = self._spark.sparkContext.broadcast(
            {source: b"".join(data for _, data in sorted(found)) for source, found in pieces.items()}
        )

        def answer(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            return tasks.answer_queries(batches, queries.value, options)

        listed = self._spark.createDataFrame(list(self._placement.giants.items()), "source string, part int")
        return (
            self._documents.join(F.broadcast(listed), "source")
            .select("part", "source", "id", "text", "html", "date", "title")
            .mapInArrow(answer, tasks.ROW_SCHEMA)
            .withColumn("number", F.spark_partition_id())
        )


def _documents(df: DataFrame, archive: ArchiveConfig) -> DataFrame:
    """Select the columns that are needed, under names of our own."""
    names = archive.read
    body = [name for name in (names.text_field, names.html_field) if name in df.columns]
    needed = [names.source_field, *([] if archive.order is None else [archive.order])]
    missing = [name for name in needed if name not in df.columns]
    if missing or not body:
        wanted = ", ".join(missing) or f"{names.text_field} or {names.html_field}"
        raise ConfigError(f"columns: expected {wanted}, found {', '.join(df.columns)}")

    def text(name: str | None) -> Column:
        return (F.col(name) if name in df.columns and name is not None else F.lit(None)).cast("string")

    article, page = text(names.text_field), text(names.html_field)
    documents = df.select(
        text(names.source_field).alias("source"),
        text(names.id_field).alias("id"),
        article.alias("text"),
        F.when(article.isNull() | page.rlike(r"(?U)\S"), page).alias("html"),  # as `fields.page_of` has it
        text(names.date_field).alias("date"),
        text(names.title_field).alias("title"),
        (F.lit(0) if archive.order is None else F.col(archive.order)).alias("at"),
    ).where(F.col("source").rlike(r"(?U)\S") & (F.col("text").isNotNull() | F.col("html").isNotNull()))
    # A document without an id gets one that is its own: the sample is chosen by it.
    own = F.concat(F.lit("#"), F.hex(F.xxhash64(_body())))
    return documents.withColumn("id", F.coalesce("id", own))


def _body() -> Column:
    return F.coalesce("html", "text")


@dataclass(frozen=True, kw_only=True)
class _SourceSize:
    name: str
    documents: int
    size: int
    fit: bool


def _count_sources(documents: DataFrame, options: ResolvedConfig) -> list[_SourceSize]:
    """Count documents and bytes of each source, by name, and note whether it is fit to be mined (as `Miner` says
    it)."""
    mark = F.xxhash64(_body())
    rows = (
        documents.groupBy("source")
        .agg(
            F.count("*").alias("documents"),
            F.sum(F.octet_length(_body())).alias("size"),
            (F.min(mark) != F.max(mark)).alias("differ"),
        )
        .collect()
    )
    if not rows:
        raise CorpusError("expected documents, found none with a source and a body", "data frame", fatal=True)
    return [
        _SourceSize(
            name=row["source"],
            documents=row["documents"],
            size=row["size"],
            fit=row["differ"] and row["documents"] >= options.min_docs,
        )
        for row in sorted(rows, key=lambda row: row["source"])
    ]


@dataclass(frozen=True, kw_only=True)
class _Placement:
    """Partition of each source, and of giants the last step of digests (see `_DIGEST_STEPS`) in the sample."""

    plan: tasks.Plan
    partitions: int
    rows: Sequence[tuple[str, int, int | None, float | None]]
    giants: Mapping[str, int]


def _plan_placement(
    sources: Sequence[_SourceSize], documents: DataFrame, options: ResolvedConfig, archive: ArchiveConfig
) -> _Placement:
    sample = options.sample.documents
    giants = {one.name: one for one in sources if one.documents > sample and not options.sample.exact}
    steps = {name: one.documents * _DIGEST_STEPS / sample for name, one in giants.items()}
    limits = _step_limits(documents, steps, options.sample) if giants else {}
    sizes = [one.size * (sample / one.documents if one.name in giants else 1.0) for one in sources]
    cores = documents.sparkSession.sparkContext.defaultParallelism
    partitions = archive.partitions or max(2 * cores, -int(-sum(sizes) // _PARTITION_BYTES))
    placed = _assign_partitions(sizes, partitions)
    parts = archive.parts or max(cores, int(sum(sizes) * _STRINGS_PER_BYTE / _PART_STRINGS))
    return _Placement(
        plan=tasks.Plan(
            options=options,
            bits=(parts - 1).bit_length(),
            floor=archive.floor,
            sampled={name: (one.documents, one.fit) for name, one in giants.items()},
        ),
        partitions=partitions,
        rows=[
            (one.name, part, limits.get(one.name), steps.get(one.name))
            for one, part in zip(sources, placed, strict=True)
        ],
        giants={one.name: part for one, part in zip(sources, placed, strict=True) if one.name in giants and one.fit},
    )


def _assign_partitions(sizes: Sequence[float], partitions: int) -> list[int]:
    """Assign a partition to each source: the largest first, each into the least filled (Graham 1969)."""
    loads = [(0.0, part) for part in range(partitions)]
    placed = [0] * len(sizes)
    for place in sorted(range(len(sizes)), key=lambda place: (-sizes[place], place)):
        load, part = heapq.heappop(loads)
        placed[place] = part
        heapq.heappush(loads, (load + sizes[place], part))
    return placed


def _digest_step() -> Column:
    """Return the step of digests that a document of a giant is in: the sample is in the first ones, about
    `_DIGEST_STEPS`."""
    share = (F.col("key").cast("double") + F.lit(2.0**63)) / F.lit(2.0**64)
    return F.least(F.floor(share * F.col("steps")), F.lit(4 * _DIGEST_STEPS)).cast("int")


def _add_keys(documents: DataFrame, config: SampleConfig) -> DataFrame:
    def key(ids: pa.Array) -> pa.Array:
        return pa.array(tasks.sample_keys(ids.to_pylist(), config), pa.int64())

    return documents.withColumn("key", F.arrow_udf(key, "long")(F.col("id")))


def _step_limits(documents: DataFrame, steps: Mapping[str, float], config: SampleConfig) -> dict[str, int]:
    """Return, for each giant, the least step up to which there are as many documents as the sample has."""
    listed = documents.sparkSession.createDataFrame(list(steps.items()), "source string, steps double")
    ids = documents.select("source", "id").join(F.broadcast(listed), "source")
    rows = _add_keys(ids, config).groupBy("source", _digest_step().alias("step")).count().collect()
    limits: dict[str, int] = {}
    so_far = dict.fromkeys(steps, 0)
    for row in sorted(rows, key=lambda row: row["step"]):
        source = row["source"]
        so_far[source] += row["count"]
        if so_far[source] >= config.documents:
            limits.setdefault(source, row["step"])
    return limits


def _select_documents(documents: DataFrame, placement: _Placement, spark: SparkSession) -> DataFrame:
    """Select all documents of ordinary sources, and the sample of giants with a few more, with their partitions."""
    listed = spark.createDataFrame(list(placement.rows), "source string, part int, last int, steps double")
    joined = documents.join(F.broadcast(listed), "source")
    if any(row[2] is not None for row in placement.rows):
        keyed = _add_keys(joined, placement.plan.options.sample)
        joined = keyed.where(F.col("last").isNull() | (_digest_step() <= F.col("last")))
    return joined.select("part", "source", "id", "text", "html", "date", "title", "at")


# ------------------------------------------------------------------------------------------------------------ cleaning


def clean_archive(
    df: DataFrame,
    packs: DataFrame | Packs,
    clean: CleanConfig | None = None,
    archive: ArchiveConfig | None = None,
    removed_field: str = "removed",
) -> DataFrame:
    """Clean a data frame of documents, each with the pack of its source.

    Parameters
    ----------
    df : DataFrame
    packs : DataFrame, mapping, or path
        What `mine_archive` gave, or any with the columns source and pack; packs by source; or a file or folder of them,
        which only the driver reads.  They are collected, and broadcast: docs/spark.md says how large that is.
    clean : CleanConfig, optional
    archive : ArchiveConfig, optional
        For the names of columns.
    removed_field : str

    Returns
    -------
    DataFrame
        `df` with the text cleaned, and with two more columns: `removed_field`, the cuts, as
        ``array<struct<start, end, templates, kind>>`` in code points of the original, null where nothing was looked
        for; and ``{removed_field}_stub``, true where nearly all of an article is boilerplate.
        Lazy.  All other columns as they were.

    Raises
    ------
    ConfigError
        A column that is not there.
    PackError
        A pack file that cannot be trusted.  Of a folder or a data frame such a one is skipped, with a warning, and rows
        of its source stay as they are.
    """
    archive = archive or ArchiveConfig()
    names = archive.read
    config = RecordConfig(read=names, clean=clean or CleanConfig(), removed_field=removed_field)
    kinds = dict(df.dtypes)
    for name in (names.source_field, *body_columns(names, df.columns)):
        if kinds[name] != "string":
            raise ConfigError(f"column {name}: expected string, found {kinds[name]}")
    shipped = df.sparkSession.sparkContext.broadcast(_serialize_packs(packs))

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return tasks.clean(batches, shipped.value, config)

    added = {
        names.text_field: "string",
        removed_field: tasks.REMOVED_SCHEMA,
        f"{removed_field}_stub": "boolean",
    }
    # Spark alone knows how to spell the types of all the columns that are passed on.
    wanted = df
    for name, kind in added.items():
        wanted = wanted.withColumn(name, F.lit(None).cast(kind))
    return df.mapInArrow(work, wanted.schema)


def _serialize_packs(packs: DataFrame | Packs) -> dict[str, bytes]:
    """Serialise packs by source to be broadcast; those of a data frame are checked on the executors."""
    if isinstance(packs, (str, os.PathLike)):
        packs = PackFiles([packs], errors="skip").load_all()
    if isinstance(packs, Mapping):
        return {source: tasks.serialize(pack) for source, pack in packs.items()}
    some = packs.where(F.col("pack").isNotNull()).select("source", "pack")
    rows = some.mapInArrow(tasks.check_packs, tasks.CHECKED_SCHEMA).collect()
    for row in rows:
        if row["problem"] is not None:
            warn_skipped(row["source"], SkippedPackError(row["problem"]))
    return {row["source"]: bytes(row["pack"]) for row in rows if row["problem"] is None}
