"""The cleaners of many sources: documents in, each cleaned with the pack of its source."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any

from templatemine.cleaning.cleaner import Cleaner, choose_kinds, require_plain_text
from templatemine.config import CleanConfig, ReadConfig
from templatemine.errors import ConfigError, SkippedPackError, counted, warn_caller
from templatemine.io.documents_like import DocumentsLike, Errors, documents_of
from templatemine.model import Cleaned, Document
from templatemine.packs.pack import Pack
from templatemine.packs.pack_folder import PackFiles, warn_skipped

NAMED_SOURCES = 3
"""Sources of packs that a warning names."""


class Cleaners(Mapping[str, Cleaner]):
    """A `Cleaner` a source, made when it is asked for; safe to share between threads, and to pickle.

    Parameters
    ----------
    packs : mapping
        Packs by source.
    config : CleanConfig, optional
    fallback : str, optional
        The source whose pack is used for documents of sources without a pack; by default these do not change.
    policy, keep : optional
        As for `Cleaner`.

    Attributes
    ----------
    skipped : dict of str to SkippedPackError
        Sources whose documents did not change because their pack has an error (see `load`).

    Examples
    --------
    >>> cleaners = Cleaners.load("packs/")  # doctest: +SKIP
    >>> for document, cleaned in cleaners.clean_all(templatemine.read("new.jsonl")):  # doctest: +SKIP
    ...     print(document.id, cleaned.text)
    """

    def __init__(
        self,
        packs: Mapping[str, Pack],
        config: CleanConfig | None = None,
        *,
        fallback: str | None = None,
        policy: str | None = None,
        keep: str | Iterable[str] = (),
    ) -> None:
        if not isinstance(packs, Mapping):  # the length of a path is a number, too, and no source is in it
            found = type(packs).__name__
            raise TypeError(f"expected packs by source, got {found}; Cleaners.load reads them from a folder or files")
        self.packs = packs
        self.config = choose_kinds(CleanConfig() if config is None else config, policy, keep)
        self.fallback = fallback
        if fallback is not None and fallback not in packs:
            raise ConfigError(f"fallback: expected a source that has a pack, got {fallback!r}")
        require_plain_text(self.config)
        self.skipped: dict[str, SkippedPackError] = {}
        self._cleaners: dict[str, Cleaner] = {}

    @classmethod
    def load(
        cls,
        *paths: str | os.PathLike[str],
        config: CleanConfig | None = None,
        fallback: str | None = None,
        policy: str | None = None,
        keep: str | Iterable[str] = (),
        errors: str = "skip",
    ) -> Cleaners:
        """Return the cleaners of packs and folders of packs; a pack is read when its source is first needed.

        Parameters
        ----------
        paths : str or path
            Packs (JSON files), or folders of packs.
        config, fallback, policy, keep : optional
            As above.
        errors : {"skip", "raise"}
            Treatment of a pack in a folder that has an error.  With "skip" a warning names it, documents of its source
            do not change, and ``cleaners[source]`` raises `SkippedPackError`.  A file that is given by name is never
            skipped.

        Raises
        ------
        PackError
            There is nothing at a path, or two packs are for the same source.
        """
        return cls(PackFiles(paths, errors=errors), config, fallback=fallback, policy=policy, keep=keep)

    def __getitem__(self, source: str) -> Cleaner:
        if source not in self._cleaners:
            self._cleaners[source] = Cleaner(self.packs[source], self.config)
        return self._cleaners[source]

    def __iter__(self) -> Iterator[str]:
        return iter(self.packs)

    def __len__(self) -> int:
        return len(self.packs)

    def __contains__(self, source: object) -> bool:
        return source in self.packs

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Cleaners, fallback=self.fallback), (self.packs, self.config)

    def __repr__(self) -> str:
        return f"<Cleaners: {counted(len(self), 'source')}>"

    def clean(self, text: str, source: str) -> Cleaned:
        """Clean one text of a source (a page, if its pack is of pages); without a pack it does not change."""
        cleaner = self._find_cleaner(source)
        return Cleaned(text, ()) if cleaner is None else cleaner.clean(text)

    def clean_all(
        self,
        documents: DocumentsLike,
        read: ReadConfig | None = None,
        *,
        source: str | None = None,
        errors: Errors = "raise",
    ) -> Iterator[tuple[Document, Cleaned]]:
        """Yield (document, cleaned) for each document, one at a time.

        A document without a pack, or with a pack of the other kind (text or pages), does not change.  If no document
        has a pack, a warning says so.

        Parameters
        ----------
        documents : path, or iterable of Document or dict, or data frame
        read : ReadConfig, optional
            Names of the fields of records.
        source : str, optional
            The source of all documents, whatever their fields say.
        errors : {"raise", "skip"}
            Treatment of records that hold no document: raise an error for the first, or leave all out with a warning.

        Yields
        ------
        tuple of (Document, Cleaned)
        """
        return self._clean_each(documents_of(documents, read, source=source, errors=errors))

    def _clean_each(self, documents: Iterable[Document]) -> Iterator[tuple[Document, Cleaned]]:
        alone: str | None = None
        has_pack = False
        for document in documents:
            cleaner = self._find_cleaner(document.source)
            has_pack |= cleaner is not None
            alone = document.source if alone is None else alone
            body = document.body
            if cleaner is None or cleaner.pack.html != document.is_html:
                yield document, Cleaned(body, ())
            else:
                yield document, cleaner.clean(body)
        if alone is not None and self.packs and not has_pack:
            some = ", ".join(map(repr, islice(self.packs, NAMED_SOURCES)))
            warn_caller(f"no document has a pack; the first is of {alone!r}, and packs are of {some}")

    def _find_cleaner(self, source: str) -> Cleaner | None:
        name = source if source in self.packs else self.fallback
        if name is None or name in self.skipped:
            return None
        try:
            return self[name]
        except SkippedPackError as error:
            self.skipped[name] = error
            warn_skipped(name, error)
            return None
