"""Cleaning polars data frames, at once or lazily::

    from templatemine.adapters.polars import clean_frame

    clean = clean_frame(polars.read_parquet("articles.parquet"), "packs/")
    clean_frame(polars.scan_parquet("articles/*.parquet"), "packs/").sink_parquet("clean.parquet")

A lazy frame is cleaned batch by batch.
"""

from __future__ import annotations

from typing import TypeVar

from templatemine.adapters.rows import Packs, RowCleaner, body_columns, row_cleaner
from templatemine.config import CleanConfig, ReadConfig
from templatemine.errors import ConfigError, MissingExtraError, pip_line

try:
    import polars as pl
except ImportError as error:
    raise MissingExtraError(f"data frames need polars: {pip_line('polars')}") from error

__all__ = ["REMOVED", "clean_frame"]

Frame = TypeVar("Frame", pl.DataFrame, pl.LazyFrame)

REMOVED = pl.List(pl.Struct({"start": pl.Int64, "end": pl.Int64, "templates": pl.List(pl.String), "kind": pl.String}))
"""Type of the column of what was cut."""


def clean_frame(
    frame: Frame,
    packs: Packs | RowCleaner,
    read: ReadConfig | None = None,
    *,
    clean: CleanConfig | None = None,
    removed_column: str = "removed",
) -> Frame:
    """A data frame with its texts cleaned, each with the pack of its source.

    Parameters
    ----------
    frame : DataFrame or LazyFrame
    packs : mapping, path, or RowCleaner
        For many frames, make a `RowCleaner` once.
    read : ReadConfig, optional
        Names of the columns; a column of text or of HTML may be missing.
    clean : CleanConfig, optional
        Not for a `RowCleaner`, which has its own.
    removed_column : str

    Returns
    -------
    DataFrame or LazyFrame
        The rows in their order and the other columns untouched.  `removed_column` is of type `REMOVED`, offsets are
        code points of the original, null where the source has no pack; ``{removed_column}_stub`` is true where
        nearly all of a text is boilerplate.

    Raises
    ------
    ConfigError
        A column that is not there, or no strings.
    """
    names = read or ReadConfig()
    schema = frame.collect_schema()
    body: list[str] = body_columns(names, schema, removed_column)
    for name in (*body, names.source_field):
        if schema[name] not in (pl.String, pl.Categorical, pl.Enum, pl.Null):
            raise ConfigError(f"column {name}: expected strings, found {schema[name]}")
    rows, stub_column = row_cleaner(packs, clean), f"{removed_column}_stub"

    def work(some: pl.DataFrame) -> pl.DataFrame:
        columns = [
            some[name].to_list() if name in some.columns else None
            for name in (names.text_field, names.html_field, names.url_field, removed_column, stub_column)
        ]
        done = rows.columns(some[names.source_field].to_list(), *columns)
        return some.with_columns(
            pl.Series(names.text_field, done.texts, pl.String),
            pl.Series(removed_column, done.removed, REMOVED),
            pl.Series(stub_column, done.stub, pl.Boolean),
        )

    if isinstance(frame, pl.DataFrame):
        return work(frame)
    added = {names.text_field: pl.String, removed_column: REMOVED, stub_column: pl.Boolean}
    # Rows know nothing of each other, so a batch at a time will do; but a filter must see the cleaned text.
    return frame.map_batches(
        work, schema={**schema, **added}, streamable=True, predicate_pushdown=False, projection_pushdown=False
    )
