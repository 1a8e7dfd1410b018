"""Templates that differ in a name alone: one template with a slot for names."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from invented import mine_pack, words
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig
from templatemine.mining.name_slots import MIN_MEMBERS
from templatemine.model import Document
from templatemine.packs.pack import Pack
from templatemine.text.slots import DATELINE

NAMES = (
    *(
        "Jane Roe",
        "John Doe",
        "Ann Hill",
        "Ida Mann",
        "Tom Voss",
        "Eva Lund",
        "Max Kerr",
        "Lea Dahl",
        "Kai Bok",
        "Pia Holt",
    ),
)


def _archive(
    stamp: str, number: int = 120, names: int = len(NAMES), gap: str = "\n\n", seed: int = 4
) -> list[Document]:
    """Articles whose first line holds a stamp with one of some names, and prose."""
    dice = random.Random(seed)
    articles = []
    for index in range(number):
        opening = stamp.format(NAMES[dice.randrange(names)])
        prose = [f"{words(dice, 14).capitalize()}. {words(dice, 9).capitalize()}." for _ in range(3)]
        text = f"{opening}{gap}" + "\n\n".join(prose)
        articles.append(Document(source="a.example", id=str(index), text=text))
    return articles


def _strings(pack: Pack) -> set[str]:
    return {" ".join(one.tokens or ()) for one in pack.templates if one.filler == "names"}


@pytest.mark.parametrize(
    ("stamp", "expected", "gap"),
    [
        ("By {}", "By {slot:names}", "\n\n"),
        ("{}, The Stonefield Courier", "{slot:names} The Stonefield Courier", "\n\n"),
        ("{} (Reuters)", "{slot:names} (Reuters)", " - "),
    ],
)
def test_the_next_name_goes_too(stamp: str, expected: str, gap: str) -> None:
    pack = mine_pack(_archive(stamp, gap=gap))
    assert any(expected.replace(" {slot:names}", "").replace("{slot:names} ", "") in one for one in _strings(pack))
    cleaner = Cleaner(pack, CleanConfig())
    text = f"{stamp.format('Rosa Quist')}{gap}The mill closed on Monday."
    assert cleaner.clean(text).text.strip(" -\n") == "The mill closed on Monday."
    assert Pack.from_json(pack.to_json(), "pack").templates == pack.templates


def test_a_prompt_to_follow_somebody_goes_with_any_name() -> None:
    """The kind of such a prompt is not that of a byline."""
    articles = [
        replace(one, text="{1}\n\n{0}".format(*one.body.split("\n\n", 1))) for one in _archive("Follow {} on Twitter.")
    ]
    pack = mine_pack(articles)
    assert {one.kind for one in pack.templates if one.filler == "names"} == {"promotion"}
    text = "The mill closed on Monday.\n\nFollow Rosa Quist on Twitter."
    assert Cleaner(pack, CleanConfig(guard=1.0)).clean(text).text.strip() == "The mill closed on Monday."


def test_a_sentence_that_begins_like_a_byline_stays() -> None:
    cleaner = Cleaner(mine_pack(_archive("By {}")), CleanConfig())
    for text in ("By Monday the water had gone down again.", "By Jane Roe's account the mill was never insured."):
        assert cleaner.clean(text).text == text


def test_order_of_documents_does_not_matter() -> None:
    articles = _archive("By {}")
    assert _strings(mine_pack(articles)) == _strings(mine_pack(articles[::-1]))


def test_members_are_gone_and_counted() -> None:
    pack = mine_pack(_archive("By {}"))
    assert not any("Jane Roe" in " ".join(one.tokens or ()) for one in pack.templates)
    (united,) = [one for one in pack.templates if one.filler == "names"]
    assert united.df == 120


def test_few_names_are_no_family() -> None:
    pack = mine_pack(_archive("{}, The Stonefield Courier", names=MIN_MEMBERS - 1))
    assert not any(
        one.count == 120 and one.filler == "names" and one.string == ("The", "Stonefield", "Courier")
        for one in pack.templates
    )


@pytest.mark.parametrize(
    ("stamp", "sentence"),
    [
        ("By {}", "By {} they were back in the town with {}."),
        ("{} (Reuters)", "{} said to all of them and {} (Reuters) heard it."),
    ],
)
def test_no_family_takes_sentences(stamp: str, sentence: str) -> None:
    dice = random.Random(2)
    articles = []
    for place, one in enumerate(_archive(stamp, gap="\n\n" if stamp.startswith("By") else " - ")):
        told = sentence.format(f"{words(dice, 1).title()}day", f"{words(dice, 1).title()} Lee")
        text = f"{one.body}\n\n{told}\n\nThat is all of it." if place % 10 == 0 else one.body
        articles.append(Document(source="a.example", id=one.id, text=text))
    cleaner = Cleaner(mine_pack(articles), CleanConfig(guard=1.0))
    new = sentence.format("Friday", "Hugo Frost")
    assert cleaner.clean(f"The mill closed.\n\n{new}\n\nThat is all of it.").text.count(new) == 1


PLACES = ("LYNDE", "STONEFIELD", "NEW MILL", "Saltmouth")


def _dated(inner: bool = False) -> list[Document]:
    """Articles that begin with the place of a dateline; or whose second paragraph does."""
    articles = []
    for one in _archive("{}"):
        place = PLACES[int(one.id or 0) % len(PLACES)]
        opening, *paragraphs = one.body.split("\n\n")
        paragraphs[0] = f"{place} \u2013 {paragraphs[0]}"
        if inner:
            paragraphs = [f"{opening} spoke of {words(random.Random(one.id), 9)}.", *paragraphs]
        articles.append(Document(source="a.example", id=one.id, text="\n\n".join(paragraphs)))
    return articles


def _datelines(pack: Pack) -> list[tuple[str, ...] | None]:
    return [one.tokens for one in pack.templates if one.filler == DATELINE]


def test_a_place_that_is_new_goes_where_articles_begin_with_one() -> None:
    pack = mine_pack(_dated())
    assert _datelines(pack) == [("{slot:dateline}", "\u2013")]
    assert not any("LYNDE" in (one.tokens or ()) for one in pack.templates)
    cleaner = Cleaner(pack, CleanConfig(guard=1.0))
    assert cleaner.clean("PORT ALDER \u2013 The mill closed.").text == "The mill closed."
    story = "The mill closed.\n\nJane Roe \u2013 she owned it \u2013 left.\n\nLYNDE \u2013 of all places \u2013 gained."
    assert cleaner.clean(story).text == story


def test_a_place_glued_to_its_dash_behind_a_byline_goes_too() -> None:
    articles = [
        replace(one, text=f"By {words(random.Random(one.id), 2).title()}\n\n{one.body}".replace(" \u2013 ", "\u2014"))
        for one in _dated()
    ]
    pack = mine_pack(articles)
    assert _datelines(pack) == [("{slot:dateline}", "\u2014")]
    cleaner = Cleaner(pack, CleanConfig(guard=1.0))
    assert "PORT ALDER" not in cleaner.clean("By Ann Hill\n\nPORT ALDER\u2014The mill closed.").text
    story = "The mill closed.\n\nJane Roe\u2014she owned it\u2014left."
    assert cleaner.clean(story).text == story


def test_places_that_open_most_articles_go_wherever_they_stood_before() -> None:
    """The template of all cuts the head alone, so those of places that stand elsewhere, too, stay beside it."""
    articles = _dated()
    articles[0] = replace(articles[0], text=f"{articles[0].body}\n\nLYNDE \u2013 {words(random.Random(3), 20)}.")
    pack = mine_pack(articles)
    tokens = [one.tokens for one in pack.templates]
    assert ("{slot:dateline}", "\u2013") in tokens
    assert ("LYNDE", "\u2013") in tokens
    assert ("STONEFIELD", "\u2013") not in tokens


def test_places_that_stand_elsewhere_make_no_dateline() -> None:
    pack = mine_pack(_dated(inner=True))
    assert _datelines(pack) == []
    assert any(one.tokens == ("LYNDE", "\u2013") for one in pack.templates)


def test_places_within_some_articles_make_no_dateline_whatever_else_opens_articles() -> None:
    dice = random.Random(2)
    articles = _dated()[:90] + _dated(inner=True)[90:]
    articles += [
        Document(source="a.example", id=f"x{index}", text=f"{words(dice, 1).title()} \u2013 {words(dice, 30)}.")
        for index in range(30)
    ]
    assert _datelines(mine_pack(articles)) == []


def test_places_that_make_no_dateline_leave_other_families_alone() -> None:
    articles = _archive("{} (Reuters) \u2013", gap=" ", seed=9) + [
        replace(one, id=f"x{one.id}") for one in _dated(inner=True)
    ]
    pack = mine_pack(articles)
    assert _datelines(pack) == []
    assert any("(Reuters)" in one for one in _strings(pack))


def test_clubs_in_lines_of_results_are_no_datelines() -> None:
    dice = random.Random(6)
    clubs = ("Lynde", "Wilton", "Alder", "Hexham", "Northam")
    articles = [
        Document(
            source="a.example",
            id=str(index),
            text=f"{dice.choice(clubs)} \u2013 {dice.choice(clubs)} 2:1\n\n{words(dice, 30).capitalize()}.",
        )
        for index in range(120)
    ]
    assert _datelines(mine_pack(articles)) == []
