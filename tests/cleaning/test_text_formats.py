"""The main text of pages as Markdown, TEI and JSON: what `clean` writes is what `extract` writes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from invented_pages import CALL, learn_history, marked_page, page
from templatemine import Cleaner, Cleaners, MarkupConfig, PageCleaner, extract, mine
from templatemine.cleaning.records import RecordCleaner, RecordConfig
from templatemine.cleaning.tally import SourceTally
from templatemine.config import TEXT_FORMATS, CleanConfig, PageConfig
from templatemine.errors import ConfigError
from templatemine.evaluation.cleaning_systems import pack_cleaner
from templatemine.io.pending import Items
from templatemine.model import Document
from templatemine.packs.pack import Pack
from templatemine.report.explain import Explainer

URL = "http://lantern.example/2004/story"
FORMATS = TEXT_FORMATS[1:]
FULL = MarkupConfig(links=True, images=True, tables=False)


@pytest.fixture(scope="module")
def packs() -> Mapping[str, Pack]:
    pages = [{"source": "lantern.example", "html": page(number, CALL)} for number in range(20)]
    texts = [{"source": "text.example", "text": f"{line(number)}\nRead our letter, now."} for number in range(20)]
    return mine([*pages, *texts])


def line(number: int) -> str:
    digits = str.maketrans("0123456789", "aeiouklmnr")
    return " ".join(f"{one}{str(number * place).translate(digits)}" for place, one in enumerate("bcdfghjpqst", 1))


@pytest.mark.parametrize("markup", [MarkupConfig(), FULL, MarkupConfig(links=True)])
@pytest.mark.parametrize("form", FORMATS)
def test_pages_are_written_as_extract_writes_them(packs: Mapping[str, Pack], form: str, markup: MarkupConfig) -> None:
    pack = packs["lantern.example"]
    config = CleanConfig(text_format=form, markup=markup)
    for known in (pack, None):
        for number in (77, 78):
            found = extract(marked_page(number, CALL), pack=known, url=URL)
            cleaner = PageCleaner(None if known is None else known.pages, config)
            cleaned, blocks = cleaner.clean_blocks(marked_page(number, CALL), URL)
            assert cleaned == cleaner.clean(marked_page(number, CALL), URL)
            assert cleaned.text == found.format_text(form, markup)
            assert cleaned.removed == found.removed
            assert "\n".join(block.text for block in blocks) == found.text
            assert ("http://lantern.example/2004/b.html" in cleaned.text) == markup.links
            assert ("http://lantern.example/2004/c.png" in cleaned.text) == markup.images
            assert ("Readers have" in cleaned.text) == (known is None)


@pytest.mark.parametrize(
    ("form", "bold", "table"),
    [
        ("markdown", "**board**", "| North quay, which is the older one of both |"),
        ("tei", '<hi rend="bold">board</hi>', "<cell>North quay, "),
        ("json", '{"text":"board","style":["strong"]}', '{"type":"table",'),
    ],
)
def test_formats_hold_structure(form: str, bold: str, table: str) -> None:
    def text(markup: MarkupConfig) -> str:
        return PageCleaner(config=CleanConfig(text_format=form, markup=markup)).clean(marked_page(7)).text

    kept, left = text(MarkupConfig()), text(MarkupConfig(tables=False))
    assert bold in kept
    assert bold in left
    assert table in kept
    assert table not in left
    assert "North quay, " in left


@pytest.mark.parametrize("form", TEXT_FORMATS)
def test_stubs_are_cleaned_or_left_whole_in_every_format(form: str) -> None:
    def formulaic(number: int) -> str:
        said = f"<p>The town of number {number} has a high of {number * 7} and a low of {number * 3} degrees, they said.</p>"
        return f"<title>Weather {number}</title><div class=story><h1>Weather {number}</h1>{said * 3}</div>"

    history = learn_history([formulaic(number) for number in range(80)], PageConfig())
    assert history is not None
    for stubs in ("clean", "keep"):
        config = CleanConfig(stubs=stubs, page=PageConfig(repeat=50.0), text_format=form)
        cleaned, plain = (PageCleaner(history, one).clean(formulaic(90)) for one in (config, config.plain()))
        assert cleaned.stub
        assert cleaned[1:] == plain[1:]
        assert ("has a high of" in cleaned.text) == (stubs == "keep")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"text_format": "html"}, "text_format: expected text, markdown, tei or json, got 'html'"),
        ({"text_format": "tei", "html": "strip"}, "text_format: expected text with html strip, got tei"),
        ({"markup": FULL}, "markup: expected text_format markdown or tei or json, got text"),
        (
            {"text_format": "json", "markup": MarkupConfig(comments=True)},
            "markup: comments and metadata: expected text_format markdown or tei, got json",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        CleanConfig(**options)
    assert str(caught.value) == problem


@pytest.mark.parametrize("make", [lambda packs, config: Cleaner(packs["text.example"], config), Cleaners])
def test_texts_have_no_other_format(packs: Mapping[str, Pack], make: Callable[..., object]) -> None:
    with pytest.raises(ConfigError, match="text_format: expected text where templates are cut out, got tei"):
        make(packs, CleanConfig(text_format="tei"))


def test_what_is_measured_and_explained_is_plain_text(packs: Mapping[str, Pack]) -> None:
    config, html = CleanConfig(text_format="tei"), marked_page(3, CALL)
    pack = packs["lantern.example"]
    assert Explainer(pack, config).explain(html) == Explainer(pack).explain(html)
    document = Document(source="lantern.example", id="x", html=html)
    assert pack_cleaner(packs, config)([document]) == [PageCleaner(pack.pages).clean(html)]


ROWS: list[dict[str, Any]] = [
    {"source": "lantern.example", "url": URL, "html": marked_page(60, CALL)},
    {"source": "other.example", "url": URL, "html": marked_page(61)},
    {"source": "other.example", "html": marked_page(62), "url": 7},
    {"source": "text.example", "text": f"{line(63)}\nRead our letter, now."},
    {"source": "text.example", "text": f"{line(64)}\nRead our letter, now.", "html": marked_page(64)},
    {"source": "other.example", "text": "A *text* of its own.", "html": marked_page(65)},
    {"source": "other.example", "text": "A *text* of its own."},
    {"source": "lantern.example", "text": "A *text* of its own."},
    {"source": "lantern.example", "text": "A text.", "html": " "},
    {"source": "lantern.example", "text": "Of a parser.", "html": marked_page(66)},
]
PAGES = (0, 1, 2, 9)
"""Those of which the main text is written."""


@pytest.mark.parametrize("form", FORMATS)
def test_only_the_main_text_of_pages_has_a_format(packs: Mapping[str, Pack], form: str) -> None:
    def done(config: CleanConfig) -> tuple[list[dict[str, Any]], SourceTally]:
        cleaner = RecordCleaner(packs, RecordConfig(clean=config))
        batch = cleaner.clean_batch(Items([(row["source"], str(place), dict(row)) for place, row in enumerate(ROWS)]))
        assert not batch.errors
        return [json.loads(line) for line in batch.data.splitlines()], batch.tally.total()

    plain, before = done(CleanConfig())
    rows, tally = done(CleanConfig(text_format=form, markup=FULL))
    assert (before.formatted, tally.formatted) == (0, len(PAGES))
    assert replace(tally, formatted=0) == before  # marks of a format are no text
    for place, (row, other) in enumerate(zip(rows, plain, strict=True)):
        if place in PAGES:
            pack = packs.get(row["source"])
            url = row.get("url") if place != 2 else None
            found = extract(row["html"], pack=pack, url=url)
            assert row.pop("text") == found.format_text(form, FULL)
            assert other.pop("text") == found.text
        assert row == other


def test_records_are_lines_in_every_format(packs: Mapping[str, Pack]) -> None:
    """Lone surrogates, too, which no encoding has."""
    html = marked_page(5).replace("said the engineer", "said \ud800 the engineer")
    for form in FORMATS:
        cleaner = RecordCleaner(packs, RecordConfig(clean=CleanConfig(text_format=form)))
        batch = cleaner.clean_batch(Items([("o", "f:1", {"source": "o", "html": html})]))
        text = json.loads(batch.data)["text"]
        assert isinstance(text, str)
        assert "the engineer" in text
