"""Mining and cleaning with Ray Data, a source a task; packs are byte for byte those of one machine::

    from templatemine.adapters.ray import clean_dataset, mine_dataset

    packs = mine_dataset(ray.data.read_parquet("articles/"))
    clean_dataset(ray.data.read_parquet("new/"), packs).write_parquet("clean/")

The documents of a source must fit into the memory of one worker.  The default method compares with no other source, so
that tasks need nothing of each other; `energy` and `thesis`, and the pack of what sources share, are for Spark.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from templatemine import api
from templatemine.adapters.rows import Packs, RowCleaner, body_columns, in_order
from templatemine.config import CleanConfig, PipelineConfig, ReadConfig
from templatemine.errors import ConfigError, needs_extra
from templatemine.io.documents_like import Errors, documents_of
from templatemine.packs.pack import Pack
from templatemine.pipeline import Miner

with needs_extra("this needs Ray Data", "ray"):
    import pyarrow as pa
    import ray.data

from templatemine.adapters.table import TableCleaner

__all__ = ["clean_dataset", "mine_dataset", "mine_group"]

_REPORT = pa.schema([("source", pa.string()), ("note", pa.string()), ("pack", pa.string())])


def mine_group(table: pa.Table, *, config: PipelineConfig, read: ReadConfig, errors: Errors) -> pa.Table:
    """Mine the documents of one source: its pack as JSON, or a note why it has none."""
    documents = in_order(documents_of(table, read, errors=errors))
    reports = Miner(config).run(documents)
    rows = [(one.source, one.note, one.pack.to_json() if one.pack is not None else None) for one in reports]
    return pa.Table.from_pylist([dict(zip(_REPORT.names, row, strict=True)) for row in rows], schema=_REPORT)


def mine_dataset(
    dataset: ray.data.Dataset,
    config: PipelineConfig | None = None,
    read: ReadConfig | None = None,
    *,
    errors: Errors = "raise",
    **group: Any,
) -> api.Packs:
    """Mine packs by source, as `templatemine.mine` does from the documents in the order of their ids.

    Parameters
    ----------
    dataset : ray.data.Dataset
        A row a document.
    config : PipelineConfig, optional
        Of the default method, without a shared pack.
    read : ReadConfig, optional
        Names of the columns.  The source must be a column of its own.
    errors : "raise" or "skip", default "raise"
        As of `templatemine.mine`.
    group
        Options of ``map_groups``, such as ``num_cpus`` and ``memory`` of a task.

    Raises
    ------
    ConfigError
        A column that is not there, or options that need all sources at once.
    """
    config, read = config or PipelineConfig(), read or ReadConfig()
    if config.method != "learned" or config.shared is not None:
        raise ConfigError("config: expected the default method and no shared pack, which need no other sources")
    if read.source_of is not None or read.source is not None:
        raise ConfigError(f"read: expected the source in a column ({read.source_field}), got a rule for it")
    body_columns(read, dataset.columns() or [])
    work = partial(mine_group, config=config, read=read, errors=errors)
    reports = dataset.groupby(read.source_field).map_groups(work, batch_format="pyarrow", **group)
    packs, left_out = api.Packs(), dict[str, str]()
    for row in sorted(reports.iter_rows(), key=lambda row: str(row["source"])):
        if row["pack"] is None:
            left_out[str(row["source"])] = row["note"]
        else:
            packs[row["source"]] = Pack.from_json(row["pack"], f"pack of {row['source']}")
    api.warn_without(left_out, packs)
    return packs


def clean_dataset(
    dataset: ray.data.Dataset,
    packs: Packs | RowCleaner,
    read: ReadConfig | None = None,
    *,
    clean: CleanConfig | None = None,
    removed_column: str = "removed",
    **batches: Any,
) -> ray.data.Dataset:
    """Clean the texts of a dataset, each with the pack of its source; lazy, all other columns stay as they were.

    Parameters
    ----------
    dataset : ray.data.Dataset
    packs, read, clean, removed_column
        As of `table.TableCleaner`.
    batches
        Options of ``map_batches``, such as ``batch_size`` and ``concurrency``.
    """
    cleaner = TableCleaner(packs, read, clean=clean, removed_column=removed_column)
    body_columns(cleaner.read, dataset.columns() or [], removed_column)
    return dataset.map_batches(cleaner, batch_format="pyarrow", zero_copy_batch=True, **batches)
