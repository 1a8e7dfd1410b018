"""Choose the format of cleaned records, and open its writer."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, Protocol

from templatemine.errors import ConfigError, CorpusError
from templatemine.io.files import unpacked_name
from templatemine.io.formats import FORMATS, Format, format_by_name, format_by_path, module_of

_TABLE_FORMATS = ("parquet", "arrow")
"""Formats whose columns have types."""


class Writer(Protocol):
    """Pieces in, a file out."""

    def write(self, piece: bytes, /) -> Any:
        """Write the output of `RecordCleaner.pieces`."""

    def close(self) -> None:
        """Write the end of the file."""


def has_no_format(output: str) -> bool:
    """Return whether a path has a suffix, such as .md or .xlsx, which promises what `choose_format` does not make of
    it."""
    return output != "-" and format_by_path(output) is None and bool(os.path.splitext(unpacked_name(output))[1])


def choose_format(output: str, inputs: Iterable[Format], named: str | None = None) -> Format:
    """Return the format of the output: the one that is named, else by the suffix, else that of the inputs if they all
    have the same and it can be written, else JSON lines.

    Raises
    ------
    CorpusError
        Fatal: the format cannot be written, or not under this name.
    ConfigError
        There is no format of that name.
    """
    inputs = list(inputs)
    writable = ", ".join(one.name for one in FORMATS if one.writes)
    found = (
        format_by_name(named, "output_format")
        if named is not None
        else None
        if output == "-"
        else format_by_path(output)
    )
    if found is None:
        same = {one.name for one in inputs}
        found = format_by_name(same.pop()) if len(same) == 1 else format_by_name("jsonl")
        if not found.writes or (unpacked_name(output) != output.lower() and not found.packed):
            found = format_by_name("jsonl")
    if not found.writes:
        raise CorpusError(f"cannot be written as {found.name}; what can be written: {writable}", output, fatal=True)
    if not found.packed and unpacked_name(output) != output.lower():
        raise ConfigError(f"{output}: {found.name} is packed inside, and not once more")
    return found


def takes_rows(found: Format) -> bool:
    """Return whether rows of tables may go into a format as they stand."""
    return found.name in _TABLE_FORMATS


@contextmanager
def open_writer(
    found: Format, stream: BinaryIO, place: str, text_field: str, removed_field: str, blocks_field: str | None
) -> Iterator[Writer]:
    """Open a writer of pieces to a stream; the end of the file is written unless the with-block ends by an
    exception.

    Raises
    ------
    MissingExtraError
        A library that the format needs is not installed.
    """
    module = module_of(found)
    if takes_rows(found):
        from templatemine.io.tables import cleaned_columns

        columns = cleaned_columns(text_field, removed_field, blocks_field)
    else:
        stub = f"{removed_field}_stub"
        columns = dict.fromkeys((text_field, removed_field, stub, *([blocks_field] if blocks_field else ())))
    writer = module.writer(stream, "stdout" if place == "-" else place, columns)
    yield writer
    writer.close()
