"""The item pipeline, in a real spider."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from crawl_sites import support

pytest.importorskip("scrapy")
pytest.importorskip("tldextract")

from templatemine.api import mine
from templatemine.cleaning.cleaner import Cleaner
from templatemine.cleaning.records import span_fields
from templatemine.config import CleanConfig, MarkupConfig
from templatemine.crawl.item_pipeline import TemplateCleanerPipeline
from templatemine.errors import ConfigError
from templatemine.model import Document

ROWS = support.records(("alpha-news.org",))
PACKS = mine(Document(**{name: row[name] for name in ("source", "id", "date", "text")}) for row in ROWS)
(PACK,) = PACKS.values()

SPIDER = """
import dataclasses, json, sys
import scrapy
from scrapy.crawler import CrawlerProcess

@dataclasses.dataclass
class Article:
    url: str
    text: str
    removed: list | None = None

class Bare(scrapy.Item):
    source = scrapy.Field()
    text = scrapy.Field()

class Own(scrapy.Spider):
    name = "own"
    async def start(self):
        for row in map(json.loads, open("rows.jsonl")):
            yield {"source": row["source"], "text": row["text"]}
        yield Article(url=f"https://www.{row['source']}/1", text=row["text"])
        yield Bare(source=row["source"], text=row["text"])
        yield {"source": "unknown.example", "text": row["text"]}
        yield {"source": row["source"]}

process = CrawlerProcess({
    "ITEM_PIPELINES": {"templatemine.crawl.item_pipeline.TemplateCleanerPipeline": 300},
    "TEMPLATEMINE_PACKS": "packs",
    "FEEDS": {"out.jsonl": {"format": "jsonlines"}},
    "LOG_ENABLED": False, "TELNETCONSOLE_ENABLED": False,
})
crawler = process.create_crawler(Own)
process.crawl(crawler)
process.start()
print(json.dumps({k: v for k, v in crawler.stats.get_stats().items() if k.startswith("templatemine/")}))
"""


def test_items_of_every_kind_leave_a_real_spider_clean(tmp_path: Path) -> None:
    (tmp_path / "packs").mkdir()
    PACK.save(tmp_path / "packs" / "alpha.json")
    support.write(tmp_path / "rows.jsonl", ROWS)
    ran = subprocess.run(
        [sys.executable, "-c", SPIDER], capture_output=True, text=True, cwd=tmp_path, timeout=100, check=True
    )
    out = support.read(tmp_path / "out.jsonl")
    # Scrapy writes items as they come out, which is as they went in, for the pipeline never waits.
    assert len(out) == len(ROWS) + 4
    cleaner = Cleaner(PACK)
    for row, item in zip(ROWS, out, strict=False):
        wanted = cleaner.clean(row["text"])
        assert item["text"] == wanted.text != row["text"]
        assert item["removed"] == [{**span_fields(one), "templates": list(one.templates)} for one in wanted.removed]
    last = cleaner.clean(ROWS[-1]["text"]).text
    declared, bare, unknown, empty = out[len(ROWS) :]
    assert declared["text"] == bare["text"] == last
    assert declared["removed"]
    assert "removed" not in bare
    assert unknown == {"source": "unknown.example", "text": ROWS[-1]["text"]}
    assert empty == {"source": ROWS[-1]["source"]}
    counted = json.loads(ran.stdout)
    assert counted == {
        "templatemine/changed": len(ROWS) + 2,
        "templatemine/no pack": 1,
        "templatemine/without text or source": 1,
    }


def test_pages_and_fields_of_other_names() -> None:
    pipeline = TemplateCleanerPipeline({}, text_field="body", url_field="link", html=True)
    page = "<html><body><div class=menu><a href=/>Home</a></div><p>" + "The council met and talked at length. " * 20
    item = pipeline.process_item({"link": "http://www.alpha-news.org/1", "body": page})
    assert item["body"].startswith("The council met")
    assert page[: item["removed"][0]["end"]].endswith("</div><p>")
    markdown = CleanConfig(text_format="markdown", markup=MarkupConfig(links=True))
    pipeline = TemplateCleanerPipeline({}, text_field="body", url_field="link", html=True, clean=markdown)
    page = "<html><body><p>" + "The council met <a href=b.html>at length</a> and talked. " * 20
    item = pipeline.process_item({"link": "http://www.alpha-news.org/d/1", "body": page})
    assert item["body"].startswith("The council met [at length](http://www.alpha-news.org/d/b.html)")


def test_without_packs() -> None:
    from scrapy.settings import Settings

    with pytest.raises(ConfigError, match="TEMPLATEMINE_PACKS: expected a file or folder"):
        TemplateCleanerPipeline.from_crawler(SimpleNamespace(settings=Settings(), stats=None))
