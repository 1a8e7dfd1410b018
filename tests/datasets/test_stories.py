"""Stories written by hand: the tables are complete, and mining cuts none of them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import templatemine

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "datasets"))

import demo  # noqa: E402
from generate import Archive  # noqa: E402
from newsgen.stories import (  # noqa: E402
    PEOPLE,
    SLOT,
    STORIES,
    paragraphs,
)

LANGUAGES = sorted(STORIES)


@pytest.mark.parametrize("name", LANGUAGES)
def test_the_file_says_that_it_is_free(name: str) -> None:
    assert "CC0-1.0" in (ROOT / "datasets" / "stories" / f"{name}.toml").read_text(encoding="utf-8").split("\n")[1]


@pytest.mark.parametrize("name", LANGUAGES)
def test_every_slot_has_a_list(name: str) -> None:
    table = STORIES[name].stories or {}
    common = {*table["facts"], *table["fresh"], *PEOPLE}
    for topic, text in paragraphs(table):
        facts = set(table["topics"].get(topic, {"facts": ()})["facts"])
        if topic == "general":  # it goes with any topic, so every one must have its facts
            facts = set.intersection(*(set(one["facts"]) for one in table["topics"].values()))
        assert {slot for _, slot, _ in SLOT.findall(text)} <= common | facts, text
    for topic in table["topics"].values():
        for text in (*topic["headlines"], *topic["captions"]):
            assert {slot for _, slot, _ in SLOT.findall(text)} <= common | set(topic["facts"]), text


def test_no_sentence_of_the_demo_is_a_template() -> None:
    """Neither a whole one nor its beginning.  What goes with "(MORE: headline)" in a line is another matter."""
    archive = Archive(demo.SPEC)
    told = cut = taken = 0
    for index in range(len(archive.sources)):
        articles = list(archive.source_articles(index))
        (pack,) = templatemine.mine([article.record for article in articles]).values()
        slotted = {template.id for template in pack.templates if any("{slot" in one for one in template.tokens or ())}
        cleaner = templatemine.Cleaner(pack)
        for article in articles:
            text = article.record["text"]
            story = bytearray(b"\1" * len(text))
            for start, end, _ in article.spans:
                story[start:end] = bytes(end - start)
            told += sum(story)
            for span in cleaner.clean(text).removed:
                lost = sum(story[at] and not text[at].isspace() for at in range(span.start, span.end))
                cut += lost
                taken += lost if lost > 3 and slotted.isdisjoint(span.templates) else 0
    assert taken <= 0.0005 * told
    assert cut <= 0.005 * told
