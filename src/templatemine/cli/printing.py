"""Tables for people: fitted to the width of a terminal, in full elsewhere."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TextIO

from templatemine.cli.common import visible

if TYPE_CHECKING:
    from templatemine.packs.pack import Pack

__all__ = ["capped_table", "count", "min_df", "table", "terminal_width"]


def terminal_width(stream: TextIO | None) -> int | None:
    """Columns of a terminal; None if the stream is no terminal, and lines may be as long as they are."""
    if stream is None or not stream.isatty():
        return None
    return shutil.get_terminal_size().columns


_CELL, _NARROW = 40, 28
"""Widest cell before the last column, on terminals of 100 columns and more, and on others."""


def table(header: Sequence[str], rows: Iterable[Sequence[str]], width: int | None, *, wrap: bool = False) -> list[str]:
    """Lay out a table, a line a row.

    Parameters
    ----------
    header : sequence of str
        Names of the columns; those that begin with ``>`` are set to the right.
    rows : iterable of sequence of str
    width : int or None
        The last column is fitted into what is left of so many cells; None fits nothing.
    wrap : bool, default False
        Wrap the last column instead of cutting it.
    """
    from rich.cells import cell_len

    right = [name.startswith(">") for name in header]
    most = _CELL if width is None or width >= 100 else _NARROW
    lines = [[name.removeprefix(">") for name in header]]
    lines += [[_fit(visible(cell), most) for cell in row[:-1]] + [visible(row[-1])] for row in rows]
    widths = [max(cell_len(line[column]) for line in lines) for column in range(len(header) - 1)]
    left = None if width is None else max(width - sum(widths) - 2 * len(widths) - 1, 16)
    laid = []
    for line in lines:
        cells = [_pad(cell, cell_len(cell), widths[column], right[column]) for column, cell in enumerate(line[:-1])]
        first, *more = _last(line[-1], left, wrap)
        laid.append("  ".join([*cells, first]).rstrip())
        laid += [" " * (sum(widths) + 2 * len(widths)) + piece for piece in more]
    return laid


def _last(cell: str, left: int | None, wrap: bool) -> list[str]:
    if left is None:
        return [cell]
    return (textwrap.wrap(cell, left) or [""]) if wrap else [_fit(cell, left)]


_ROWS = 40
"""Rows of a summary; with more sources than that the rest is only counted."""


def capped_table(header: Sequence[str], rows: Sequence[Sequence[str]], what: str) -> list[str]:
    """The table of a summary, as wide as standard error."""
    lines = table(header, rows[:_ROWS], terminal_width(sys.stderr), wrap=True)
    return lines if len(rows) <= _ROWS else [*lines, f"and {len(rows) - _ROWS:,} more {what} (--json lists all)"]


def count(number: int, what: str) -> str:
    """A number with a noun: ``1 pack``, ``2,000 packs``."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def min_df(pack: Pack) -> str:
    """The document frequency of the rarest template of a pack."""
    return f"{min(one.df for one in pack.templates):,}" if pack.templates else "-"


def _pad(cell: str, taken: int, width: int, right: bool) -> str:
    blanks = " " * (width - taken)
    return blanks + cell if right else cell + blanks


def _fit(text: str, width: int) -> str:
    """Text cut to so many cells; wide characters take two."""
    from rich.cells import cell_len, set_cell_size

    return text if cell_len(text) <= width else set_cell_size(text, width - 1).rstrip() + "…"
