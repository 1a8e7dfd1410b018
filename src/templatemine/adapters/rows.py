"""Columns of sources and texts in, columns of cleaned texts and of cuts out: the core of every adapter.

What a row becomes is what `records.RecordCleaner` makes of a record, and so what ``templatemine clean`` writes.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from templatemine.cleaning.records import RecordCleaner, RecordConfig, read_cuts
from templatemine.config import CleanConfig, ReadConfig
from templatemine.errors import ConfigError, CorpusError
from templatemine.io.fields import is_missing, json_type
from templatemine.io.jsonl import decode_line
from templatemine.io.pending import Items
from templatemine.model import Document, exact_str
from templatemine.packs.pack import Pack
from templatemine.packs.pack_folder import PackFiles

__all__ = ["Columns", "Packs", "RowCleaner", "body_columns", "in_order"]

Packs = Mapping[str, Pack] | str | os.PathLike[str]
"""Packs by source, or a file or folder of them."""

_ROW_INDEX = "\x00place"


@dataclass(frozen=True)
class Columns:
    """Results of some rows, a column each.

    Attributes
    ----------
    texts : list
        Cleaned; of pages their text.  What could not be cleaned is as it was.
    removed : list
        ``[{"start", "end", "templates", "kind"}]`` in code points of the original; None where nothing was looked for,
        because the source has no pack or one of another kind.
    stub : list of bool
        Nearly all of the article is boilerplate.
    errors : list of (row, error)
    """

    texts: list[str | None]
    removed: list[list[dict[str, Any]] | None]
    stub: list[bool]
    errors: list[tuple[int, CorpusError]]


class RowCleaner:
    """Cleans columns of texts, each with the pack of its source.

    It may be pickled: other processes get the packs, and make their automata themselves.

    Parameters
    ----------
    packs : mapping, or path
        A path is loaded at once, so that a pack that cannot be trusted is reported before the work begins: a warning
        names it if it is in a folder, and rows of its source stay as they are.
    clean : CleanConfig, optional
    again : bool, default False
        Also clean rows that were cleaned before, by what their column of cuts holds.
    """

    def __init__(self, packs: Packs, clean: CleanConfig | None = None, *, again: bool = False) -> None:
        self._packs = packs if isinstance(packs, Mapping) else PackFiles([packs], errors="skip").load_all()
        if clean is not None and clean.stubs == "drop":
            raise ConfigError("stubs: expected mark or keep where rows are cleaned, for none can be left out; got drop")
        self._config = RecordConfig(clean=clean or CleanConfig(), again=again)
        self._cleaner = RecordCleaner(self._packs, self._config)

    def __getstate__(self) -> tuple[Mapping[str, Pack], RecordConfig]:
        return self._packs, self._config

    def __setstate__(self, state: tuple[Mapping[str, Pack], RecordConfig]) -> None:
        self._packs, self._config = state
        self._cleaner = RecordCleaner(self._packs, self._config)

    def columns(
        self,
        sources: Sequence[str | None],
        texts: Sequence[str | None] | None = None,
        pages: Sequence[str | None] | None = None,
        urls: Sequence[object] | None = None,
        removed: Sequence[object] | None = None,
        stubs: Sequence[object] | None = None,
    ) -> Columns:
        """Clean some rows.

        Parameters
        ----------
        sources, texts, pages : sequences of the same length
            Of each row its source, its text, and its HTML; None for what it has not.
        urls : sequence, optional
            Addresses of the pages, for the links in them; values that are no strings are ignored.
        removed, stubs : sequences, optional
            What an earlier cleaning made of the rows: one with cuts is left as it is.
        """
        for name, values in (("texts", texts), ("pages", pages)):
            if values is not None and len(values) != len(sources):
                raise ConfigError(f"{name}: expected {len(sources)} rows, as sources has, got {len(values)}")
        nothing: list[str | None] = [None] * len(sources)
        texts, pages = texts if texts is not None else nothing, pages if pages is not None else nothing
        out = Columns(list(texts), [None] * len(sources), [False] * len(sources), [])
        rows: list[tuple[str, int]] = []
        items: list[tuple[str, str, Mapping[str, Any]]] = []
        for place, row in enumerate(zip(sources, texts, pages, strict=True)):
            # Input of adapters comes from tables of others: numbers, bytes, lists.
            try:
                source = _check_row(*row)
            except ValueError as error:
                out.errors.append((place, CorpusError(str(error), str(place))))
            else:
                if source is not None:
                    rows.append((source, place))
        # Sources one after the other: a row of one between those of another would cost a look-up in cold memory.
        for source, place in sorted(rows):
            fields: dict[str, Any] = {_ROW_INDEX: place}
            if (text := texts[place]) is not None:
                fields["text"] = exact_str(text)
            if (page := pages[place]) is not None:
                fields["html"] = exact_str(page)
                if urls is not None and isinstance(url := urls[place], str):
                    fields["url"] = exact_str(url)
            if removed is not None and (cuts := read_cuts(removed[place])) is not None:
                fields["removed"] = cuts
                fields |= {"removed_stub": True} if stubs is not None and stubs[place] is True else {}
            items.append((source, str(place), fields))
        batch = self._cleaner.clean_batch(Items(items))
        for line in batch.data.splitlines():
            record = decode_line(line)
            place = record[_ROW_INDEX]
            out.texts[place] = record.get("text")
            out.removed[place] = record.get("removed")
            out.stub[place] = record.get("removed_stub", False)
        out.errors.extend((int(error.where), error) for error in batch.errors)
        return out


def _check_row(source: object, text: object, page: object) -> str | None:
    """Return the source of a row, None if it is missing or blank; numbers count as sources, as they do in files.

    Raises
    ------
    ValueError
        A source that is neither, or a body that is no string.
    """
    for name, value in (("text", text), ("html", page)):
        if not isinstance(value, str) and value is not None:
            raise ValueError(f"expected a string as {name}, found {json_type(value)}")
    if is_missing(source):
        return None
    if isinstance(source, str) or type(source) is int or type(source) is float:
        return exact_str(source) if isinstance(source, str) else str(source)
    raise ValueError(f"expected a string or a number as source, found {json_type(source)}")


def body_columns(names: ReadConfig, columns: Collection[str], removed: str = "removed") -> list[str]:
    """Return the columns of text and of HTML that a frame has.

    Parameters
    ----------
    names : ReadConfig
    columns : collection of str
        Those of the frame.
    removed : str
        The column for the cuts.

    Raises
    ------
    ConfigError
        It has neither, or no column of sources, or two of one name; or the cuts would replace one.
    """
    RecordConfig(read=names, removed_field=removed)  # which refuses a name that another column has
    listed = list(columns)
    body = [name for name in (names.text_field, names.html_field) if name in listed]
    if names.source_field not in listed or not body:
        wanted = f"{names.source_field}, and {names.text_field} or {names.html_field}"
        raise ConfigError(f"columns: expected {wanted}, found {', '.join(map(str, listed)) or 'none'}")
    for name in (names.source_field, *body):
        if listed.count(name) > 1:
            raise ConfigError(f"columns: expected one called {name!r}, found {listed.count(name)}")
    return body


def in_order(documents: Iterable[Document]) -> list[Document]:
    """Order documents as the adapters mine them where no column does: a local run over these gives the same bytes."""
    return sorted(documents, key=lambda one: (one.source, one.id, one.date or "", one.html or "", one.text or ""))
