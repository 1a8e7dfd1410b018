"""Columns of sources and texts in, columns of cleaned texts and of what was cut out: what every adapter does.

What a row becomes is what `stream.RecordCleaner` makes of a record, and so what ``templatemine clean`` writes.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from templatemine.config import CleanConfig, ReadConfig
from templatemine.errors import ConfigError, CorpusError
from templatemine.io.jsonl import decode_line
from templatemine.io.work import Items
from templatemine.packs import Pack
from templatemine.shelf import load_packs
from templatemine.stream import RecordCleaner, StreamConfig

__all__ = ["Columns", "Packs", "RowCleaner", "body_columns", "row_cleaner"]

Packs = Mapping[str, Pack] | str | os.PathLike[str]
"""Packs by source, or a file or folder of them."""

_PLACE = "\x00place"


@dataclass(frozen=True)
class Columns:
    """What became of some rows.

    Attributes
    ----------
    texts : list
        Cleaned; of pages their text.  What could not be cleaned is as it was.
    removed : list
        ``[{"start", "end", "templates"}]`` in code points of the original; None where nothing was looked for, because
        the source has no pack or one of another kind.
    spared : list of bool
        The article was left whole because nearly all of it would have gone.
    errors : list of (row, error)
    """

    texts: list[str | None]
    removed: list[list[dict[str, Any]] | None]
    spared: list[bool]
    errors: list[tuple[int, CorpusError]]


class RowCleaner:
    """Cleans columns of texts, each with the pack of its source.

    It may be pickled: other processes get the packs, and make their automata themselves.

    Parameters
    ----------
    packs : mapping, or path
        A path is loaded at once, so that a pack that cannot be trusted is told before the work begins.
    clean : CleanConfig, optional
    """

    def __init__(self, packs: Packs, clean: CleanConfig | None = None) -> None:
        self._packs = packs if isinstance(packs, Mapping) else load_packs([packs])
        self._config = StreamConfig(clean=clean or CleanConfig())
        self._cleaner = RecordCleaner(self._packs, self._config)

    def __getstate__(self) -> tuple[Mapping[str, Pack], StreamConfig]:
        return self._packs, self._config

    def __setstate__(self, state: tuple[Mapping[str, Pack], StreamConfig]) -> None:
        self._packs, self._config = state
        self._cleaner = RecordCleaner(self._packs, self._config)

    def columns(
        self,
        sources: Sequence[str | None],
        texts: Sequence[str | None] | None = None,
        pages: Sequence[str | None] | None = None,
    ) -> Columns:
        """Clean some rows.

        Parameters
        ----------
        sources, texts, pages : sequences of the same length
            Of each row its source, its text, and its HTML; None for what it has not.
        """
        nothing: list[str | None] = [None] * len(sources)
        texts, pages = texts if texts is not None else nothing, pages if pages is not None else nothing
        items: list[tuple[str, str, Mapping[str, Any]]] = []
        # Sources one after the other: a row of one between those of another would cost a look-up in cold memory.
        rows = sorted((source, place) for place, source in enumerate(sources) if source is not None)
        for source, place in rows:
            fields: dict[str, Any] = {_PLACE: place}
            if texts[place] is not None:
                fields["text"] = texts[place]
            if pages[place] is not None:
                fields["html"] = pages[place]
            items.append((source, str(place), fields))
        out = Columns(list(texts), [None] * len(sources), [False] * len(sources), [])
        batch = self._cleaner.clean_batch(Items(items))
        for line in batch.data.splitlines():
            record = decode_line(line)
            place = record[_PLACE]
            out.texts[place] = record.get("text")
            out.removed[place] = record.get("removed")
            out.spared[place] = record.get("removed_spared", False)
        out.errors.extend((int(error.where), error) for error in batch.errors)
        return out


def body_columns(names: ReadConfig, columns: Collection[str]) -> list[str]:
    """Those of the columns of text and of HTML that a frame has.

    Raises
    ------
    ConfigError
        It has neither, or no column of sources.
    """
    body = [name for name in (names.text_field, names.html_field) if name in columns]
    if names.source_field not in columns or not body:
        wanted = f"{names.source_field}, and {names.text_field} or {names.html_field}"
        raise ConfigError(f"columns: expected {wanted}, found {', '.join(map(str, columns))}")
    return body


def row_cleaner(packs: Packs | RowCleaner, clean: CleanConfig | None) -> RowCleaner:
    """A `RowCleaner` as it is, or one for packs."""
    return packs if isinstance(packs, RowCleaner) else RowCleaner(packs, clean)
