"""Stories written by hand: the tables are complete, a paper prints no sentence twice, and mining cuts none of them."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path
from random import Random

import pytest

import templatemine

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "datasets"))

import demo  # noqa: E402
from generate import Archive, ArchiveSpec, Article  # noqa: E402
from newsgen.stories import (  # noqa: E402
    PEOPLE,
    SENTENCE_END,
    SLOT,
    STORIES,
    StoryLanguage,
    count_forms,
    paragraphs,
)

LANGUAGES = sorted(STORIES)


def content(article: Article) -> list[str]:
    """The lines of an article without its boilerplate."""
    text, at, kept = article.record["text"], 0, []
    for start, end, _ in article.spans:
        kept.append(text[at:start])
        at = end
    return [line.strip() for line in "\n".join([*kept, text[at:]]).split("\n") if line.strip()]


def test_eight_languages_and_so_many_paragraphs() -> None:
    counts = {name: len(list(paragraphs(script.stories or {}))) for name, script in STORIES.items()}
    assert counts == {"en": 150, **dict.fromkeys(("ar", "de", "es", "fr", "ja", "ru", "zh"), 20)}


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


@pytest.mark.parametrize("name", LANGUAGES)
def test_nothing_of_the_notation_is_left(name: str) -> None:
    language, rng = StoryLanguage(STORIES[name]), Random(3)
    for _ in range(200):
        draft = language.begin().article(rng, sentences=14)
        assert len(draft.body) >= 2
        for text in (draft.title, language.caption(rng, draft.tale), *draft.body):
            assert not re.search(r"[<>{}|^@*]", text), text
            assert text == text.strip()


def test_a_paragraph_can_be_written_in_many_ways() -> None:
    """The median of the English bank; numbers and names of people come on top."""
    table = STORIES["en"].stories or {}
    forms = sorted(count_forms(table, topic, text) for topic, text in paragraphs(table))
    assert forms[0] >= 9
    assert forms[len(forms) // 2] >= 1_000


def test_forms_are_counted_as_they_can_be_drawn() -> None:
    table = {"facts": {"town": ["A", "B", "C"]}, "fresh": {}, "topics": {}, "general": {"body": []}}
    assert count_forms(table, "general", "{x|y in <town>} and {1|2}") == 2 * (1 + 3)


@pytest.mark.parametrize("name", LANGUAGES)
def test_a_paper_prints_no_sentence_twice(name: str) -> None:
    spec = ArchiveSpec(sources=1, documents=60, kilobytes=2.0, scripts=(name,), near_duplicates=0.0, agency=0.0)
    script = STORIES[name]
    names = sorted((*script.months, *script.weekdays), key=len, reverse=True)
    equal = re.compile("|".join([r"\d+", *map(re.escape, names)]))
    language = StoryLanguage(script).begin()
    rng, seen = Random(5), Counter[str]()
    for _ in range(spec.documents):
        for paragraph in language.article(rng, sentences=12).body:
            seen.update(equal.sub("0", one) for one in SENTENCE_END.split(paragraph))
    twice = {sentence: count for sentence, count in seen.items() if count > 1}
    assert sum(twice.values()) <= 0.04 * sum(seen.values())  # leads of articles of which nothing else is left


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


def test_articles_of_the_demo_are_no_copies() -> None:
    packs = templatemine.mine([article.record for article in Archive(demo.SPEC).articles()])
    assert len(packs) == demo.SPEC.sources
    notes = [pack.cutoff.note or "" for pack in packs.values()]
    copies = [int(found[1]) for found in map(re.compile(r"(\d+) cop(?:y|ies) of").search, notes) if found]
    assert sum(copies) <= 6  # of 600
