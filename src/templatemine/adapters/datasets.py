"""A function for ``map`` of Hugging Face datasets::

    from templatemine.adapters.datasets import TemplateCleaner

    cleaner = TemplateCleaner("packs/")
    clean = dataset.map(cleaner, batched=True, features=cleaner.features(dataset.features), num_proc=4)

All other columns stay.  A changed pack, or another option, gives the function another fingerprint, so that the cache of
`datasets` does not give the answer of before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from templatemine.adapters.rows import Packs, RowCleaner, body_columns
from templatemine.config import CleanConfig, ReadConfig
from templatemine.errors import ConfigError, MissingExtraError, pip_line

__all__ = ["TemplateCleaner"]


class TemplateCleaner:
    """Batch of columns -> the columns that change: the text, ``removed`` and ``removed_stub``.

    Parameters
    ----------
    packs : mapping, or path
    read : ReadConfig, optional
        Names of the columns; a column of text or of HTML may be missing.
    clean : CleanConfig, optional
    removed_column : str
        ``[{"start", "end", "templates", "kind"}]`` in code points of the original; None for rows whose source has no
        pack.
    """

    def __init__(
        self,
        packs: Packs,
        read: ReadConfig | None = None,
        *,
        clean: CleanConfig | None = None,
        removed_column: str = "removed",
    ) -> None:
        self.rows = RowCleaner(packs, clean)
        self.read = read or ReadConfig()
        self.removed_column = removed_column

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, list[Any]]:
        names = self.read
        body_columns(names, batch, self.removed_column)
        if isinstance(batch[names.source_field], str):
            raise ConfigError("expected a batch of rows, found one: map(cleaner, batched=True)")
        done = self.rows.columns(
            batch[names.source_field],
            batch.get(names.text_field),
            batch.get(names.html_field),
            batch.get(names.url_field),
            batch.get(self.removed_column),
            batch.get(f"{self.removed_column}_stub"),
        )
        return {
            names.text_field: done.texts,
            self.removed_column: done.removed,
            f"{self.removed_column}_stub": done.stub,
        }

    def features(self, features: Mapping[str, Any]) -> Any:
        """The types of all columns afterwards; `datasets` would guess, and a batch without cuts misleads it."""
        try:
            from datasets import ClassLabel, Features, List, Value
        except ImportError as error:
            raise MissingExtraError(f"types of columns need datasets: {pip_line('datasets')}") from error
        if isinstance(features.get(self.read.source_field), ClassLabel):
            raise ConfigError(
                f"column {self.read.source_field}: expected strings, found ClassLabel, which hands out numbers; its "
                "int2str gives the names"
            )
        span = {
            "start": Value("int64"),
            "end": Value("int64"),
            "templates": List(Value("string")),
            "kind": Value("string"),
        }
        added = {self.removed_column: List(span), f"{self.removed_column}_stub": Value("bool")}
        return Features({**features, self.read.text_field: Value("string"), **added})
