"""Packs by source, as `mine` gives them: to save in a folder, and to clean with."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from templatemine import notebook
from templatemine.cleaning.cleaners import Cleaners
from templatemine.config import CleanConfig
from templatemine.errors import counted
from templatemine.io.documents_like import DocumentsLike, Errors
from templatemine.model import Cleaned, Document
from templatemine.packs.pack import Pack
from templatemine.packs.pack_folder import load_packs, pack_names

__all__ = ["Packs"]


class Packs(dict[str, Pack]):
    """Packs by source.

    Examples
    --------
    >>> packs = templatemine.mine("archive.jsonl.gz")  # doctest: +SKIP
    >>> packs.save("packs/")  # doctest: +SKIP
    >>> for document, cleaned in packs.clean("new.jsonl"):  # doctest: +SKIP
    ...     print(document.id, cleaned.text)
    """

    @classmethod
    def load(cls, *paths: str | os.PathLike[str], errors: str = "raise") -> Packs:
        """Return the packs of files and folders.

        Parameters
        ----------
        errors : {"raise", "skip"}
            What becomes of a pack in a folder that cannot be trusted: it is raised, or left out with a warning.
        """
        return cls(load_packs(paths, errors=errors))

    def save(self, folder: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write each pack into a folder, which is made if it is missing, under the name of its source.

        Raises
        ------
        CorpusError
            A file exists, and `force` is not given.
        """
        for source, pack in sorted(self.items()):
            pack.save(Path(folder, pack_names(source)[0]), force=force)

    def clean(
        self,
        documents: DocumentsLike,
        config: CleanConfig | None = None,
        *,
        source: str | None = None,
        errors: Errors = "raise",
    ) -> Iterator[tuple[Document, Cleaned]]:
        """Yield documents and what cleaning gives of each; see `Cleaners.clean_all`."""
        return Cleaners(self, config).clean_all(documents, source=source, errors=errors)

    def __repr__(self) -> str:
        templates = sum(len(pack.templates) for pack in self.values())
        return f"<Packs of {counted(len(self), 'source')}: {counted(templates, 'template')}>"

    def _repr_html_(self) -> str:
        """Return the packs as a table, for notebooks."""
        rows = [(source, f"{pack.documents:,}", f"{len(pack.templates):,}") for source, pack in sorted(self.items())]
        return notebook.paragraph(repr(self)) + notebook.table(("source", "documents", "templates"), rows)
