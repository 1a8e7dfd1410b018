"""A block for datatrove pipelines::

    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.writers import JsonlWriter
    from templatemine.adapters.datatrove import TemplateCleaner

    pipeline = [JsonlReader("articles/"), TemplateCleaner("packs/"), JsonlWriter("clean/")]

Needs a source in the metadata of each document; datatrove's readers put the fields there that they don't know.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from templatemine.adapters.rows import Packs, RowCleaner
from templatemine.config import CleanConfig
from templatemine.errors import needs_extra

with needs_extra("this block needs datatrove", "datatrove"):
    from datatrove.pipeline.base import PipelineStep

if TYPE_CHECKING:
    from datatrove.data import Document

__all__ = ["TemplateCleaner"]


class TemplateCleaner(PipelineStep):  # type: ignore[misc]
    """Cuts the templates of its source out of each document, and lists the cuts in its metadata.

    ``metadata["removed"]`` gets ``[{"start", "end", "templates", "kind"}]`` in code points of the original text, and
    ``metadata["removed_stub"]`` is true where nearly all of a text is boilerplate.  A
    document whose source has no pack passes as it is, without ``removed``.

    Parameters
    ----------
    packs : mapping, or path
    source_key : str
        Where the metadata have the source.
    html : bool
        The texts are pages; they become their main text.
    clean : CleanConfig, optional
    removed_key : str
    """

    name = "Templates"
    type = "✂️ - FORMAT"

    def __init__(
        self,
        packs: Packs,
        source_key: str = "source",
        *,
        html: bool = False,
        clean: CleanConfig | None = None,
        removed_key: str = "removed",
    ) -> None:
        super().__init__()
        self.rows = RowCleaner(packs, clean)
        self.source_key, self.html, self.removed_key = source_key, html, removed_key

    def run(self, data: Iterable[Document], rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """Yield each document, cleaned."""
        for document in data:
            self.stat_update("total")
            with self.track_time():
                self._clean(document)
            yield document

    def _clean(self, document: Document) -> None:
        source = document.metadata.get(self.source_key)
        body = [document.text]
        url = [document.metadata.get("url")]
        earlier = ([document.metadata.get(f"{self.removed_key}{end}")] for end in ("", "_stub"))
        done = self.rows.columns([source], None if self.html else body, body if self.html else None, url, *earlier)
        for _, error in done.errors:
            self.stat_update("error")
            document.metadata["templatemine_error"] = error.problem
        removed = done.removed[0]
        if removed is None:
            self.stat_update("no pack")
            return
        size, document.text = len(document.text), done.texts[0] or ""
        document.metadata[self.removed_key] = removed
        if done.stub[0]:
            self.stat_update("stub")
            document.metadata[f"{self.removed_key}_stub"] = True
        if removed:
            self.stat_update("changed")
            self.stat_update("cut", value=size - len(document.text), unit="characters")
