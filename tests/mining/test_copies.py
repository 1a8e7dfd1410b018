"""The promise about copies: no letter of a story is removed by templates learnt from its copies."""

from __future__ import annotations

import gzip
import json
import random
import re
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from copies_table import ARTICLES, COPIES, KINDS, SCRIPTS, SOURCE, add_copies, count_lost, measure
from scale import SCALE
from templatemine.api import mine
from templatemine.cleaning.cleaner import Cleaner
from templatemine.cleaning.cleaners import Cleaners
from templatemine.config import PipelineConfig, SharedConfig
from templatemine.io.page_addresses import canonical_address
from templatemine.model import Document
from templatemine.pages.main_text import PageCleaner

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"
BESIDE = dict.fromkeys(ARTICLES, COPIES) if SCALE >= 1 else {5: (2, 5, 30), 40: (5, 30, 100), 400: (30,)}
"""Copies beside so many articles: all of the table with TEMPLATEMINE_SCALE=1."""


@pytest.mark.parametrize(
    ("script", "articles", "kind"),
    [
        (script, articles, kind)
        for script, articles, kind in product(SCRIPTS, BESIDE, KINDS)
        if articles < 400 or SCALE >= 1 or (script == "latin" and kind in ("verbatim", "excerpts"))
    ],
)
def test_no_letter_of_a_story_goes_for_its_copies(script: str, articles: int, kind: str) -> None:
    for number in BESIDE[articles]:
        assert measure(script, articles, kind, number)[0] == 0, number


@pytest.mark.parametrize("field", ["id", "url"])
def test_versions_of_one_id_or_address_are_one(field: str) -> None:
    """However much of them is new: here half of each is."""
    documents, copies = add_copies("latin", 40, "verbatim", 12)
    rng = random.Random(3)
    lines = (copies[0].text or "").split("\n")
    versions = []
    for number in range(12):
        new = [" ".join("".join(rng.choices("aeiounrst", k=6)) for _ in range(12)) + "." for _ in lines]
        own = (
            {"id": "story"}
            if field == "id"
            else {"id": str(number), "url": f"https://www.a.example/x/?utm_id={number}"}
        )
        versions.append(Document(source=SOURCE, text="\n".join([*lines, *new]), **own))
    once = mine([*documents, versions[0]])[SOURCE]
    assert count_lost(mine([*documents, *versions])[SOURCE], once, versions)[0] == 0


@pytest.mark.parametrize("own", [0, 6, 25])
def test_captures_of_a_page_cost_it_nothing(own: int) -> None:
    """Also where each begins with words of its own, as live pages do."""
    rng = random.Random(own)

    def write(words: int) -> str:
        return (
            " ".join("".join(rng.choices("aeioulmnrst", k=rng.randrange(2, 9))) for _ in range(words)).capitalize()
            + "."
        )

    def make_page(number: int, paragraphs: list[str]) -> Document:
        menu = "".join(f'<li><a href="/{name}">{name}</a></li>' for name in ("News", "Sport", "Weather", "Jobs"))
        body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
        html = f"<html><body><nav><ul>{menu}</ul></nav><article><h1>{write(5)}</h1>{body}</article></body></html>"
        return Document(source=SOURCE, id=str(number), url=f"https://a.example/{number}", html=html)

    pages = [make_page(number, [write(40) for _ in range(5)]) for number in range(60)]
    story = [write(40) for _ in range(6)]
    captures = [make_page(100 + number, [*([write(own)] if own else []), *story]) for number in range(30)]
    packs = mine([*pages, *captures])
    for _, cleaned in Cleaners(packs).clean_all(captures):
        text = cleaned.text
        assert all(paragraph in text for paragraph in story)
        assert "Weather" not in text


def test_an_agency_text_stays_in_each_source_that_prints_it() -> None:
    documents, copies = add_copies("latin", 40, "verbatim", 1)
    story = copies[0].text or ""
    archive = [
        Document(source=f"{paper}.example", id=document.id, text=document.text, date=document.date)
        for paper in range(12)
        for document in [*documents[3 * paper : 3 * paper + 20], copies[0]]
    ]
    packs = mine(archive, PipelineConfig(shared=SharedConfig()))
    assert len(packs) >= 12
    for pack in packs.values():
        assert Cleaner(pack).clean(story).text == story


def test_the_order_of_the_archive_changes_no_byte() -> None:
    """Among near-copies that differ in common words only, and in which document an example is from."""
    rng = random.Random(1)
    words = ["".join(rng.choice("bdfgklmnprst") + rng.choice("aeiou") for _ in range(3)) for _ in range(4000)]
    archive = [
        Document(
            source=SOURCE,
            id=str(number),
            text=" ".join(rng.choices(words, k=80))
            + "."
            + ("\nSign up for our newsletter" if number % 2 else "")
            + f"\nPublished {number + 1} May 2024",
        )
        for number in range(10)
    ]
    archive.append(Document(source=SOURCE, id="again", text=(archive[1].text or "").replace("\nSign up for our", "")))
    documents, copies = add_copies("latin", 40, "changed", 5)
    for some in (archive, [*documents, *copies]):
        packs = []
        for _ in range(4):
            packs.append(mine(some)[SOURCE].to_json())
            some = rng.sample(some, len(some))
        assert packs[1:] == packs[:-1]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("https://www.a.example/x/?utm_source=b&id=3#top", "http://A.example:80/x?id=3"),
        ("https://a.example/x?b=1&a=2", "https://a.example/x?a=2&b=1&fbclid=7"),
        ("https://a.example/x/", "//a.example/x"),
    ],
)
def test_one_page_has_one_address(first: str, second: str) -> None:
    assert canonical_address(first) == canonical_address(second) is not None


@pytest.mark.parametrize("address", [None, "", "https://a.example", "https://www.a.example/?utm_source=x", "/"])
def test_what_leads_to_no_article_is_no_address(address: str | None) -> None:
    assert canonical_address(address) is None


@pytest.mark.parametrize("address", ["https://a.example/x?id=4", "https://a.example/y", "https://b.example/x", "#!/x"])
def test_other_pages_have_others(address: str) -> None:
    assert canonical_address(address) != canonical_address("https://a.example/x?id=3")


# ------------------------------------------------------------------------------------------------------- the cases


def _read_case(name: str) -> list[dict[str, Any]]:
    path = CASES / name
    if not path.exists():
        pytest.skip(f"needs {path.name} of the cases beside the project")
    with gzip.open(path, "rt") if path.suffix == ".gz" else open(path) as lines:
        return [json.loads(line) for line in lines]


def _repeated(records: list[dict[str, Any]]) -> Iterator[str]:
    """The records that are copies or versions: those that share a long line with another."""
    holders: dict[str, int] = {}
    for record in records:
        for line in set(record["text"].split("\n")):
            if len(line) > 100:
                holders[line] = holders.get(line, 0) + 1
    for record in records:
        if any(holders.get(line, 0) > 1 for line in record["text"].split("\n")):
            yield record["text"]


@pytest.mark.parametrize(
    "name",
    [
        "39-copies/eight.jsonl.gz",
        "39-copies/six.jsonl.gz",
        "39-copies/lv-diff.jsonl",
        "39-copies/lv-same.jsonl",
        "20-breaking/archive.jsonl.gz",
    ],
)
def test_texts_of_the_cases_stay(name: str) -> None:
    records = _read_case(name)
    cleaner = Cleaner(next(iter(mine(records).values())))
    stories = [*_repeated(records)]
    assert len(stories) >= 3
    for text in stories:
        removed = [text[span.start : span.end] for span in cleaner.clean(text).removed]
        assert not [piece for piece in removed if len(piece) > 60], removed


@pytest.mark.parametrize("name", ["pg-20-6.jsonl", "pg-54-6.jsonl.gz", "pg-200-30.jsonl.gz"])
def test_pages_of_the_cases_keep_headline_and_story(name: str) -> None:
    """Captures of one page among others, each with its story and without the menu."""
    records = _read_case(f"39-copies/{name}")
    cleaner = PageCleaner(next(iter(mine(records).values())).pages)
    for record in records:
        headline = record["html"].partition("<title>")[2].partition(" | ")[0].strip()
        paragraphs = re.findall(r"<p>([^<]{80,})</p>", record["html"])
        left = cleaner.clean(record["html"]).text
        assert len(paragraphs) >= 2
        assert [part for part in [headline, *paragraphs] if part not in left] == []
        assert "Obituaries" not in left


@pytest.mark.parametrize("pair", [("o1", "o2"), ("o3", "o4")])
def test_orders_of_the_cases_give_the_same_packs(pair: tuple[str, str]) -> None:
    one, two = (mine(_read_case(f"40-order/{name}.jsonl")) for name in pair)
    assert [*one] == [*two]
    assert all(one[source].to_json() == two[source].to_json() for source in one)
