"""The pack: the result of mining one source, as a file and as a record.

A template is its `tokens`; its `regex` is what they compile to and accompanies them for readers and for use
elsewhere.  A template with ``tokens`` None is an expression written by hand; it is linted and applied unchanged.
`pack_record` has the contents, `pack_json` the file, `pack_checks` the checks that make a pack trusted.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from templatemine.config import CleanConfig
from templatemine.errors import PackError, attribute_error, unreadable
from templatemine.io.write import atomic_writer
from templatemine.model import Cleaned, check_str
from templatemine.packs import pack_json
from templatemine.packs.pack_record import PackRecord
from templatemine.text.reading import PLAIN, read_text

MAX_PACK_BYTES = 256 << 20
"""Bytes of a pack file: some hundred times the largest one that was mined."""

_DECISIONS = "the commands desk and ask take decisions about templates, and keep them in its file"
_ELSEWHERE = {
    "accept": _DECISIONS,
    "clean_all": "templatemine.Cleaner(pack).clean_all(texts) cleans several texts",
    "diff": "templatemine.Packs({pack.source: pack}).report(file, against={pack.source: old}) compares two",
    "explain": "pack.clean(text).beside(text) marks what goes, and removed names its templates",
    "reject": _DECISIONS,
    "report": "templatemine.Packs({pack.source: pack}).report(file) writes a report",
    "update": "the command update takes in new documents",
}
"""What people ask of a pack -> what does it."""


class Pack(PackRecord):
    """The templates of one source, and all else that cleaning its documents needs.

    `templatemine.mine` makes packs; `load` reads one from its JSON file.

    Attributes
    ----------
    source : str
    html : bool
        True if it was mined from pages, and applies to pages.
    documents : int
        Number of documents it was mined from.
    first_date, last_date : str or None
        The days they cover, if the archive has dates.
    templates : tuple of Template
        The most frequent first.
    rejected : mapping
        Reason -> number of candidates rejected for it.
    pages : PageHistory or None
        Where the main text is on the pages of the source.
    overrides : Overrides
        Decisions of people; they are already applied to `templates`.
    questions : tuple of Question
        Uncertain strings, those with most at stake first.
    mined : tuple of str or None
        `mined_entry` of each template that mining found; None in old packs.
    caution : float
        `SelectConfig.caution` of its mining, if scores decided.
    reading : ReadingRules
        How the reading form of texts is made; pages are read unchanged.
    """

    def __getattr__(self, name: str) -> Any:
        """Say what does what people ask of a pack, and it does not do."""
        raise attribute_error(self, name, _ELSEWHERE)

    def clean(
        self,
        text: str,
        config: CleanConfig | None = None,
        *,
        policy: str | None = None,
        keep: str | Iterable[str] = (),
    ) -> Cleaned:
        """Cut the templates out of one text, as `templatemine.clean` does; for many texts, make a `Cleaner` once.

        Examples
        --------
        >>> pack.clean("The story. Sign up for our newsletter").text  # doctest: +SKIP
        'The story.'
        """
        from templatemine.cleaning.cleaner import clean

        return clean(text, self, config, policy=policy, keep=keep)

    def to_json(self) -> str:
        """Return the pack as JSON text; the same pack gives the same text."""
        return pack_json.write(self)

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the pack to a file, whole or not at all; missing folders are created.

        Parameters
        ----------
        path : str or path
        force : bool, default False
            Replace an existing file.

        Raises
        ------
        CorpusError
            The file exists, and `force` is not given.
        UnreadablePackError
            `load` would refuse the pack.
        """
        text = pack_json.write_checked(self)
        with suppress(OSError):  # the writer has the better message
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        with atomic_writer(str(path), force=force) as handle:
            handle.write(text.encode("utf-8"))

    @classmethod
    def load(cls, path: str | Path, *, history_only: bool = False) -> Self:
        """Read a pack from its file.

        Parameters
        ----------
        path : str or path
        history_only : bool, default False
            Read a pack of pages without its templates, which the main text does not need: to check them takes longer
            than to clean some pages.

        Raises
        ------
        PackError
            The file has an error; the message names the field and its value.
        """
        try:
            with open(os.fspath(path), "rb") as file:
                data = file.read(MAX_PACK_BYTES + 1)
            if len(data) > MAX_PACK_BYTES:
                raise PackError(f"{path}: expected at most {MAX_PACK_BYTES:,} bytes, found more")
            text = data.decode("utf-8-sig")  # some editors write a byte order mark
        except IsADirectoryError as error:
            raise PackError(f"{path}: expected a pack, found a folder; Packs.load reads one of packs") from error
        except OSError as error:
            named = f"{os.fspath(path)}.json"  # by its source alone
            hint = f"; did you mean {named}?" if not os.path.exists(path) and os.path.exists(named) else ""
            raise PackError(f"{path}: {unreadable(error)}{hint}") from error
        except UnicodeDecodeError as error:
            if data[:2] == b"\x1f\x8b":
                raise PackError(f"{path}: expected a pack, found a compressed file; packs are plain JSON") from error
            found = f"byte 0x{data[error.start]:02x} at byte offset {error.start}"
            raise PackError(f"{path}: expected a pack in UTF-8, found {found}") from error
        return cls.from_json(text, where=str(path), history_only=history_only)

    @classmethod
    def from_json(cls, text: str, where: str = "pack", *, history_only: bool = False) -> Self:
        """Return the pack that `to_json` wrote, with every check of `load`."""
        return pack_json.read(text, where, cls, history_only=history_only)


def reading(text: str, pack: Pack | None = None) -> str:
    """Return the reading form of a text, which the expressions of a pack match.

    Call it before you apply the expressions of a pack in other software; cleaning does so by itself.

    Parameters
    ----------
    text : str
    pack : Pack, optional
        That of the text's source; without it, rules of single sources are not applied.

    Examples
    --------
    >>> reading("It\u2019s over\u2026 So long a dialogue.Log in to comment")
    "It's over... So long a dialogue.\\nLog in to comment"
    """
    check_str(text, "text")
    rules = PLAIN if pack is None else pack.rules
    found = None if rules is None else read_text(text, rules)
    return text if found is None else found.text
