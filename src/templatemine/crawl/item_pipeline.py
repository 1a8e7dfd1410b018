"""An item pipeline for your own spiders: it removes the boilerplate of the site from each item::

    ITEM_PIPELINES = {"templatemine.crawl.item_pipeline.TemplateCleanerPipeline": 300}
    TEMPLATEMINE_PACKS = "packs/"

Items may be of every type that Scrapy supports (dicts, Item, dataclasses, attrs).
"""

from __future__ import annotations

from typing import Any

from templatemine.adapters.rows import Packs, RowCleaner
from templatemine.config import CleanConfig
from templatemine.errors import ConfigError, needs_extra
from templatemine.io.fields import is_missing
from templatemine.io.sources import domain_of

with needs_extra("this pipeline needs Scrapy", "crawl"):
    from itemadapter import ItemAdapter

__all__ = ["TemplateCleanerPipeline"]


class TemplateCleanerPipeline:
    """Removes the templates of its source from the text of each item, and lists the removed parts in ``removed``.

    The source is the field `source` of an item, or else the registered domain of its field `url`.  Items without text,
    and items whose source has no pack, pass unchanged.  ``removed`` (and ``removed_stub``, if nearly all of a text is
    boilerplate) is set on dicts, and on items of other types that declare the field.  Scrapy's statistics have counts
    under ``templatemine/``.

    Parameters
    ----------
    packs : mapping, or path
        Setting ``TEMPLATEMINE_PACKS``.
    text_field, source_field, url_field : str
        Settings ``TEMPLATEMINE_TEXT_FIELD``, ``TEMPLATEMINE_SOURCE_FIELD`` and ``TEMPLATEMINE_URL_FIELD``.
    html : bool
        Setting ``TEMPLATEMINE_HTML``: the texts are pages; they become their main text.
    clean : CleanConfig, optional
    stats : optional
        Scrapy's.
    """

    def __init__(
        self,
        packs: Packs,
        *,
        text_field: str = "text",
        source_field: str = "source",
        url_field: str = "url",
        html: bool = False,
        clean: CleanConfig | None = None,
        stats: Any = None,
    ) -> None:
        self.rows = RowCleaner(packs, clean)
        self.text_field, self.source_field, self.url_field, self.html = text_field, source_field, url_field, html
        self._stats = stats

    @classmethod
    def from_crawler(cls, crawler: Any) -> TemplateCleanerPipeline:
        """Construct it; Scrapy calls this."""
        settings = crawler.settings
        packs = settings.get("TEMPLATEMINE_PACKS")
        if not packs:
            raise ConfigError("TEMPLATEMINE_PACKS: expected a file or folder of packs, found no such setting")
        return cls(
            packs,
            text_field=settings.get("TEMPLATEMINE_TEXT_FIELD", "text"),
            source_field=settings.get("TEMPLATEMINE_SOURCE_FIELD", "source"),
            url_field=settings.get("TEMPLATEMINE_URL_FIELD", "url"),
            html=settings.getbool("TEMPLATEMINE_HTML"),
            stats=crawler.stats,
        )

    def process_item(self, item: Any) -> Any:
        """Clean one item."""
        fields = ItemAdapter(item)
        text = fields.get(self.text_field)
        source = fields.get(self.source_field)
        if is_missing(source):
            source = domain_of(fields.get(self.url_field) or "")
        if not isinstance(text, str) or not source:
            self._count("without text or source")
            return item
        url = [fields.get(self.url_field)]
        cleaned = self.rows.columns([source], None if self.html else [text], [text] if self.html else None, url)
        if cleaned.errors:
            self._count("errors")
            return item
        removed = cleaned.removed[0]
        if removed is None:
            self._count("no pack")
            return item
        fields[self.text_field] = cleaned.texts[0] or ""
        self._count("changed" if removed else "unchanged")
        self._set_field(fields, "removed", removed)
        if cleaned.stub[0]:
            self._count("stub")
            self._set_field(fields, "removed_stub", True)
        return item

    def _set_field(self, fields: Any, name: str, value: Any) -> None:
        if isinstance(fields.item, dict) or name in fields.field_names():
            fields[name] = value

    def _count(self, event: str) -> None:
        if self._stats is not None:
            self._stats.inc_value(f"templatemine/{event}")
