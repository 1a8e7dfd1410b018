"""Lists of related stories behind a line that opens them: one template of both."""

from __future__ import annotations

import random

import pytest

from invented import mine_pack, words
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig
from templatemine.mining.headlines import MIN_PLACES
from templatemine.model import Document
from templatemine.packs.pack import Pack
from templatemine.text.slots import HEADLINES


def _prose(dice: random.Random, number: int = 4) -> str:
    return "\n\n".join(f"{words(dice, 14).capitalize()}. {words(dice, 9).capitalize()}." for _ in range(number))


def _archive(
    number: int = 60, *, pool: int = 40, opener: str = "Read more:", behind: str = "", ends: str = "", seed: int = 3
) -> list[Document]:
    """Articles that end with a list of three headlines out of so many, and one that no other article has."""
    dice = random.Random(seed)
    headlines = [f"{words(dice, 6).capitalize()}{ends}" for _ in range(pool)]
    articles = []
    for index in range(number):
        own = f"{words(dice, 6).capitalize()}{ends}"
        listed = "\n".join([*dice.sample(headlines, 3), own])
        text = f"{_prose(dice)}\n\n{opener}\n{listed}"
        articles.append(Document(source="a.example", id=str(index), text=f"{text}\n\n{behind and _prose(dice, 2)}"))
    return articles


def _openers(pack: Pack) -> set[str]:
    return {" ".join(one.string or ()) for one in pack.templates if one.slot and one.filler == HEADLINES}


@pytest.mark.parametrize("opener", ["Read more:", "More stories", "\u25a0\u95a2\u9023\u8a18\u4e8b"])
def test_list_goes_with_the_line_that_opens_it(opener: str) -> None:
    pack = mine_pack(_archive(opener=opener))
    assert len(_openers(pack)) == 1
    for document in _archive(5, opener=opener, seed=8):
        story, _, _ = document.body.partition(opener)
        for engine in ("native", "regex"):
            assert Cleaner(pack, CleanConfig(engine=engine)).clean(document.body).text.strip() == story.strip()
    assert Pack.from_json(pack.to_json(), "pack").templates == pack.templates


def test_story_behind_the_list_stays() -> None:
    pack = mine_pack(_archive())
    (new,) = _archive(1, behind="prose", seed=8)
    kept = Cleaner(pack, CleanConfig()).clean(new.body).text
    assert [line for line in kept.split("\n") if line] == [line for line in new.body.split("\n") if line.endswith(".")]


def test_one_paragraph_may_be_behind_lists() -> None:
    dice = random.Random(5)
    articles = [
        Document(
            source="a.example",
            id=one.id,
            text=f"{one.body.rstrip()}\n\u2014 {words(dice, 3)} writes of {words(dice, 4)}.",
        )
        for one in _archive()
    ]
    assert _openers(mine_pack(articles)) == {"Read more:"}


@pytest.mark.parametrize(
    ("archive", "why"),
    [
        ({"behind": "prose"}, "prose follows"),
        ({"ends": "."}, "lines are sentences"),
        ({"pool": 10_000}, "no line is known"),
        ({"number": MIN_PLACES - 1}, "too few places"),
    ],
)
def test_what_is_no_list_stays(archive: dict[str, object], why: str) -> None:
    articles = _archive(**archive)  # type: ignore[arg-type]
    assert _openers(mine_pack(articles)) == set(), why


def test_order_of_documents_does_not_matter() -> None:
    articles = _archive()
    pack = mine_pack(articles)
    again = mine_pack(articles[::-1])
    assert {one.id: one.example for one in again.templates} == {one.id: one.example for one in pack.templates}


def test_a_part_behind_the_lists_is_no_headline() -> None:
    """A heading that all articles have, and rows behind it that no other article has, were taken for headlines."""
    dice = random.Random(9)
    articles = []
    for one in _archive(pool=10_000):
        rows = "\n".join(f"{words(dice, 2).capitalize()} plc {dice.randrange(900)}.25 +3.6%" for _ in range(6))
        articles.append(Document(source="a.example", id=one.id, text=f"{one.body.rstrip()}\n\nClosing prices\n{rows}"))
    assert _openers(mine_pack(articles)) == set()
