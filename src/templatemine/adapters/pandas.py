"""Cleaning pandas data frames::

    from templatemine.adapters.pandas import clean_frame

    clean = clean_frame(frame, "packs/")

The frame that is given stays as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from templatemine.adapters.rows import Packs, RowCleaner, body_columns, row_cleaner
from templatemine.config import CleanConfig, ReadConfig
from templatemine.errors import ConfigError, MissingExtraError, pip_line

try:
    import pandas as pd
except ImportError as error:
    raise MissingExtraError(f"data frames need pandas: {pip_line('pandas')}") from error

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["clean_frame"]


def clean_frame(
    frame: pd.DataFrame,
    packs: Packs | RowCleaner,
    read: ReadConfig | None = None,
    *,
    clean: CleanConfig | None = None,
    removed_column: str = "removed",
) -> pd.DataFrame:
    """A data frame with its texts cleaned, each with the pack of its source.

    Parameters
    ----------
    frame : DataFrame
        Left as it is.
    packs : mapping, path, or RowCleaner
        For many frames, make a `RowCleaner` once.
    read : ReadConfig, optional
        Names of the columns; a column of text or of HTML may be missing.
    clean : CleanConfig, optional
        Not for a `RowCleaner`, which has its own.
    removed_column : str

    Returns
    -------
    DataFrame
        With the same index, and the other columns and their types untouched.  `removed_column` holds lists of
        ``{"start", "end", "templates", "kind"}`` in code points of the original, None where the source has no pack;
        ``{removed_column}_stub`` is true where nearly all of a text is boilerplate.

    Raises
    ------
    ConfigError
        A column that is not there, or that holds values but not one string.
    """
    names = read or ReadConfig()
    for name in body_columns(names, frame.columns, removed_column):
        _check_column(frame[name], str)
    _check_column(frame[names.source_field], (str, int, float))
    rows, stub_column = row_cleaner(packs, clean), f"{removed_column}_stub"

    def column(name: str) -> Sequence[str | None] | None:
        if name not in frame.columns:
            return None
        values = frame[name].astype(object)
        found: list[str | None] = values.where(frame[name].notna(), None).tolist()
        return found

    sources = column(names.source_field)
    assert sources is not None
    urls = column(names.url_field) if list(frame.columns).count(names.url_field) == 1 else None
    earlier = (frame[name].tolist() if name in frame.columns else None for name in (removed_column, stub_column))
    done = rows.columns(sources, column(names.text_field), column(names.html_field), urls, *earlier)
    kind = _text_type(frame[names.text_field].dtype) if names.text_field in frame.columns else "object"
    return frame.assign(
        **{
            names.text_field: pd.Series(done.texts, index=frame.index, dtype=kind),
            removed_column: pd.Series(done.removed, index=frame.index, dtype="object"),
            stub_column: pd.Series(done.stub, index=frame.index, dtype="bool"),
        }
    )


def _check_column(column: pd.Series, kinds: type | tuple[type, ...]) -> None:
    """Refuse a column of numbers, bytes and the like, of which not one row could be cleaned."""
    held = column.dropna()
    if len(held) and not any(isinstance(value, kinds) for value in held):
        raise ConfigError(
            f"column {column.name}: expected strings, found {type(held.iloc[0]).__name__} (dtype {column.dtype})"
        )


def _text_type(kind: Any) -> Any:
    """The type of the cleaned texts: that of the texts, if it takes any string."""
    if isinstance(kind, pd.CategoricalDtype):  # cleaned texts are none of its categories, and would become NaN
        kind = kind.categories.dtype
    # The latter are dictionaries of Arrow.
    return kind if kind.type in (str, pd.CategoricalDtype.type) else "object"
