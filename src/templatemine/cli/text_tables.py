"""Tables for people: fitted to the width of a terminal, in full elsewhere."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, TextIO

from templatemine.cli.messages import escape_line
from templatemine.controls import name_on_line

if TYPE_CHECKING:
    from templatemine.model import Template


def terminal_width(stream: TextIO | None) -> int | None:
    """Return the columns of a terminal; None if the stream is no terminal, and lines may have any length."""
    if stream is None or not stream.isatty():
        return None
    return shutil.get_terminal_size().columns


_MAX_CELL, _MAX_NARROW_CELL = 40, 28
"""Widest cell before the last column, on terminals of 100 columns and more, and on others."""
_MIN_SHRUNK = 12
"""Narrowest that such a cell becomes where a table would be wider than its terminal."""
_MIN_LAST = 16
"""Least room of the last column."""


def format_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], width: int | None, *, wrap: bool = False
) -> list[str]:
    """Lay out a table, a line a row; where it cannot fit, a few lines a row, with the names of the columns.

    Parameters
    ----------
    header : sequence of str
        Names of the columns, on one line or on two; those that begin with ``>`` are set to the right, and those that
        begin with ``=`` are never cut.
    width : int or None
        The last column is fitted into what is left of so many cells, and where that is little the widest of the others
        are cut; None fits nothing.
    wrap : bool, default False
        Wrap the last column instead of cutting it.
    """
    names = [name.lstrip(">=").split("\n") for name in header]
    height = max(map(len, names))
    heads = [[*row] for row in zip(*([""] * (height - len(name)) + name for name in names), strict=True)]
    most = _MAX_CELL if width is None or width >= 100 else _MAX_NARROW_CELL
    caps = [None if name.startswith("=") else most for name in header[:-1]]
    whole = [[name_on_line(cell) for cell in row] for row in rows]
    lines = _shorten_cells([*heads, *whole], caps)
    widths = _column_widths(lines)
    if width is not None:
        last = min(max((_display_width(line[-1]) for line in whole), default=0), _MIN_LAST)
        if not last:  # nothing below it: its name goes too
            lines = [[*line[:-1], ""] for line in lines]
        room = width - 2 * len(widths) - 1 - last
        shrinkable = [place for place, name in enumerate(header[:-1]) if not name.startswith((">", "="))]
        fitted = _shrink_widths(widths, shrinkable, room)
        if sum(fitted) > room:
            return _stack_rows([" ".join(name) for name in names], whole, width, wrap)
        lines, widths = _shorten_cells(lines, fitted), fitted
    right = [name.startswith(">") for name in header]
    left = None if width is None else width - sum(widths) - 2 * len(widths) - 1
    laid = []
    for line in lines:
        cells = [
            _pad(cell, _display_width(cell), widths[column], right[column]) for column, cell in enumerate(line[:-1])
        ]
        first, *more = _fit_last_cell(line[-1], left, wrap)
        laid.append("  ".join([*cells, first]).rstrip())
        laid += [" " * (sum(widths) + 2 * len(widths)) + piece for piece in more]
    return laid


def _shorten_cells(lines: Iterable[Sequence[str]], widths: Sequence[int | None]) -> list[list[str]]:
    """Cut all cells but the last of each line to a width each."""
    return [
        [*(cell if most is None else _fit(cell, most) for cell, most in zip(line, widths, strict=False)), line[-1]]
        for line in lines
    ]


def _column_widths(lines: Sequence[Sequence[str]]) -> list[int]:
    return [max(_display_width(line[column]) for line in lines) for column in range(len(lines[0]) - 1)]


def _shrink_widths(widths: Sequence[int], shrinkable: Sequence[int], room: int) -> list[int]:
    """Reduce the widest of some widths until all fit into the room or are as narrow as they may become."""
    fitted = list(widths)
    while sum(fitted) > room:
        widest = max(shrinkable, key=lambda place: fitted[place], default=None)
        if widest is None or fitted[widest] <= _MIN_SHRUNK:
            break
        fitted[widest] -= 1
    return fitted


def _stack_rows(names: Sequence[str], rows: Iterable[Sequence[str]], width: int, wrap: bool) -> list[str]:
    """Format rows as a few lines each: the first cell, then the others with their names, then the last."""
    laid = []
    for row in rows:
        # A last column of words stands for itself; one of figures is as the others.
        few = row if len(row[-1]) <= _MIN_LAST else row[:-1]
        told = "; ".join(f"{name}: {cell}" for name, cell in list(zip(names, few, strict=False))[1:] if cell)
        laid += [row[0], *(f"  {piece}" for piece in _wrap_text(told, width - 3))]
        laid += [f"  {piece}" for piece in _fit_last_cell(row[-1], width - 3, wrap) if len(few) < len(row)]
    return [_fit(line, width - 1) for line in laid]


def _fit_last_cell(cell: str, left: int | None, wrap: bool) -> list[str]:
    if left is None:
        return [cell]
    return (_wrap_text(cell, left) or [""]) if wrap else [_fit(cell, left)]


def _wrap_text(text: str, width: int) -> list[str]:
    """Wrap a text to lines of so many cells, broken at blanks, and within words that are wider."""
    from rich.cells import chop_cells

    lines: list[str] = []
    for word in text.split():
        for part in chop_cells(word, max(width, 2)):
            longer = f"{lines[-1]} {part}" if lines else part
            if lines and _display_width(longer) <= width:
                lines[-1] = longer
            else:
                lines.append(part)
    return lines


_MAX_ROWS, _MAX_FIRST, _MAX_MORE = 40, 30, 5
"""Rows of a summary, with more sources than that the rest is only counted, unless it is few; of them, those of sources
with a note."""


def capped_table(header: Sequence[str], rows: Sequence[Sequence[str]], stakes: Sequence[int] = ()) -> list[str]:
    """Format the table of a summary, a row a source, as wide as standard error.

    Parameters
    ----------
    rows : sequence
        The largest sources first.
    stakes : sequence of int, optional
        For each row how much its note is about, 0 where there is none.  Where not all rows have room, those with the
        most at stake come first, then the first of the others.
    """
    more, with_note, order = len(rows) - _MAX_ROWS, "", ""
    if more <= _MAX_MORE:
        return format_table(header, rows, terminal_width(sys.stderr), wrap=True)
    if any(stakes):
        noted = sorted((place for place, stake in enumerate(stakes) if stake), key=lambda place: -stakes[place])
        first = noted[:_MAX_FIRST]
        others = (place for place in range(len(rows)) if place not in first)
        chosen = [*first, *islice(others, _MAX_ROWS - len(first))]
        rows = [rows[place] for place in chosen]
        left_out = len(noted) - sum(stakes[place] > 0 for place in chosen)
        with_note = f", {f'{left_out:,}' if left_out else 'none'} with a note"
        order = "; above, those with a note come first, then the largest"
    lines = format_table(header, rows[:_MAX_ROWS], terminal_width(sys.stderr), wrap=True)
    return [*lines, f"and {more:,} more sources{with_note} (--json lists all){order}"]


def format_template(template: Template, most: int | None = None) -> str:
    """Format the words of a template, up to `most` characters, and its place in the line."""
    from templatemine.packs.readable import template_text

    text = escape_line(template_text(template))
    where = f" [{template.anchor}]" if template.anchor else ""
    return (text if most is None or len(text) <= most else text[: most - 1] + "…") + where


def _pad(cell: str, taken: int, width: int, right: bool) -> str:
    blanks = " " * (width - taken)
    return blanks + cell if right else cell + blanks


def _display_width(text: str) -> int:
    """Return the columns of a terminal that a text takes; wide characters take two."""
    from rich.cells import cell_len

    return cell_len(text)


def _fit(text: str, width: int) -> str:
    """Cut a text to so many cells."""
    from rich.cells import set_cell_size

    return (
        text if _display_width(text) <= width else set_cell_size(text, max(width - 1, 0)).rstrip() + "…" * (width > 0)
    )
