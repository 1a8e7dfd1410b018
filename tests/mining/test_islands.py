"""What stays between two cuts again and again: templates of it, unless it is story."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from invented import bare_pack, words
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig
from templatemine.mining.islands import MAX_SIZE, MIN_ISLANDS, MIN_RESTS, add_islands, add_rests
from templatemine.model import Document, Template
from templatemine.packs.pack import Pack
from templatemine.packs.pack_checks import drop_mismatches
from templatemine.packs.pack_record import template_id

BEFORE, BEHIND = "Sign up for our letter.", "All rights reserved."
LINK = "The Harbour Guide"


def _pack(*strings: str, anchor: str = "line", kind: str = "promotion") -> Pack:
    pack = bare_pack(40)
    templates = [
        Template(
            id=template_id(string.split()),
            regex="",
            tokens=tuple(string.split()),
            df=9,
            count=9,
            example=string,
            anchor=anchor,
            kind=kind,
        )
        for string in strings
    ]
    return replace(pack, templates=tuple(replace(one, regex=pack.derived(one)) for one in templates))


def _prose(dice: random.Random, sentences: int = 4) -> str:
    return " ".join(f"{words(dice, 9).capitalize()}." for _ in range(sentences))


def _archive(block: Callable[[int], str], number: int = 20, *, own: bool = True, seed: int = 3) -> list[Document]:
    """Articles with a block behind three paragraphs of their own, or of one story."""
    dice = random.Random(seed)
    story = [_prose(dice) for _ in range(3)]
    texts = []
    for index in range(number):
        story = [_prose(dice) for _ in range(3)] if own else story
        texts.append("\n".join([*story, block(index)]))
    return [Document(source="a.example", id=str(index), text=text) for index, text in enumerate(texts)]


def _added(pack: Pack, documents: list[Document]) -> dict[str, Template]:
    known = {one.id for one in pack.templates}
    return {one.example: one for one in add_islands(pack, documents, documents).templates if one.id not in known}


PACK = _pack(BEFORE, BEHIND)


@pytest.mark.parametrize("engine", ["native", "regex"])
def test_what_stays_between_two_cuts_goes_with_them(engine: str) -> None:
    documents = _archive(lambda index: f"{BEFORE}\n{LINK}\n{BEHIND}" if index % 2 else BEHIND, 40)
    (island,) = _added(PACK, documents).values()
    assert (island.example, island.anchor, island.df, island.count, island.kind) == (LINK, "line", 20, 20, "promotion")
    assert island.reasons_for == ("stays between others, and hardly stands elsewhere",)
    pack = add_islands(PACK, documents, documents)
    assert Pack.from_json(pack.to_json(), "pack").templates == pack.templates
    for document in documents:
        kept = Cleaner(pack, CleanConfig(engine=engine)).clean(document.body).text
        assert kept.strip() == "\n".join(document.body.split("\n")[:3])


@pytest.mark.parametrize("block", [f"{BEHIND}\n{LINK}", f"{BEFORE}\n{LINK}\n"])
def test_what_stays_behind_the_last_cut_goes_too(block: str) -> None:
    assert [*_added(PACK, _archive(lambda _: block))] == [LINK]


def test_what_stays_before_the_first_cut_goes_too() -> None:
    documents = [replace(one, text=f"{LINK}\n{BEFORE}\n{one.body}") for one in _archive(lambda _: "")]
    assert [*_added(PACK, documents)] == [LINK]


def test_figures_count_as_equal() -> None:
    documents = _archive(lambda index: f"{BEFORE}\nThe Harbour Guide, part {index + 3} of all\n{BEHIND}")
    (island,) = _added(PACK, documents).values()
    assert island.tokens == ("The", "Harbour", "Guide,", "part", "{number}", "of", "all")


def test_an_item_of_a_list_goes_with_its_dash() -> None:
    """Its example began with the dash, which is no token, so that the template had no match there and was dropped."""
    documents = _archive(lambda _: f"{BEFORE}\n- {LINK}\n{BEHIND}")
    (island,) = _added(PACK, documents).values()
    assert (island.example, island.anchor) == (LINK, "line")
    pack = drop_mismatches(add_islands(PACK, documents, documents))
    assert island.id in {one.id for one in pack.templates}
    assert all("Guide" not in Cleaner(pack, CleanConfig()).clean(one.body).text for one in documents)


@pytest.mark.parametrize("number", [MIN_ISLANDS, 30])
def test_a_sentence_of_one_story_stays(number: int) -> None:
    """A paragraph between two advertisements, in copies and versions of the story, was an island in all of them."""
    block = f"{BEFORE}\n{LINK} was told so.\n{BEHIND}"
    assert _added(PACK, _archive(lambda _: block, number)) != {}
    assert _added(PACK, _archive(lambda _: block, number, own=False)) == {}
    longer = [
        replace(one, text=f"{one.body}\n{words(random.Random(int(one.id)), 4).capitalize()}.")
        for one in _archive(lambda _: block, number, own=False)
    ]
    assert _added(PACK, longer) == {}


@pytest.mark.parametrize("end", [".", "।", "。"])
def test_paragraphs_between_advertisements_in_versions_of_a_story_stay(end: str) -> None:
    """Where all paragraphs but the lead are short, and each version has another lead, only these made the story."""
    dice = random.Random(7)
    paragraphs = [f"{words(dice, 9).capitalize()}{end}" for _ in range(8)]
    documents = _archive(lambda _: f"{BEFORE}\n{_prose(dice, 1)}\n{BEHIND}", 60)
    for index in range(6):
        text = f"\n{BEFORE}\n".join([f"{words(dice, 12).capitalize()}{end}", *paragraphs])
        documents.append(Document(source="a.example", id=f"v{index}", text=f"{text}\n{BEHIND}"))
    assert _added(PACK, documents) == {}


@pytest.mark.parametrize("value", ["Reds 4-2 Blues", "11:20", "Goal!", "He was 84.", "2 cups flour"])
def test_short_headings_and_values_stay(value: str) -> None:
    """They are of the story, be it between players, advertisements or lines of a live blog."""
    assert _added(PACK, _archive(lambda _: f"{BEFORE}\n{value}\n{BEHIND}")) == {}


def test_what_a_daily_story_tells_in_figures_stays() -> None:
    said = "On day {0} of month {0} there were {0} new cases, {0} of them at sea, {0} on land and {0} in the air"
    assert _added(PACK, _archive(lambda index: f"{BEFORE}\n{said.format(index + 3)}\n{BEHIND}")) == {}


def test_articles_that_say_nothing_themselves_tell_no_stories() -> None:
    documents = [
        Document(source="a.example", id=str(index), text=f"{BEFORE}\n{LINK}\n{BEHIND}\n{index}") for index in range(9)
    ]
    assert _added(PACK, documents) == {}


def test_too_few_articles_show_nothing() -> None:
    documents = _archive(lambda index: f"{BEFORE}\n{LINK}\n{BEHIND}" if index < MIN_ISLANDS - 1 else BEHIND)
    assert _added(PACK, documents) == {}


@pytest.mark.parametrize(("elsewhere", "goes"), [(1, True), (9, False)])
def test_what_stands_elsewhere_too_stays(elsewhere: int, goes: bool) -> None:
    """Its places are counted as its template would cut: a line of its own in the story counts, the words in it not."""
    documents = [
        replace(one, text=f"{LINK}\nHe read {LINK} then.\n{one.body}" if index < elsewhere else one.body)
        for index, one in enumerate(_archive(lambda _: f"{BEFORE}\n{LINK}\n{BEHIND}"))
    ]
    assert bool(_added(PACK, documents)) is goes


def test_what_other_templates_cut_does_not_speak_for_what_stays() -> None:
    """An advertisement is cut whole in one wording, and in two pieces in others, between which a string stays."""
    stays = "installers who would do it for you,"
    whole = f"We know {stays} at any time."
    pack = _pack("Nobody else has", "so ask for a price.", whole, anchor="")
    documents = _archive(lambda index: f"Nobody else has {stays} so ask for a price." if index < 6 else whole, 40)
    assert [*_added(pack, documents)] == [stays]


def test_places_within_longer_islands_count() -> None:
    """A string that is an island in a third of its places, and a part of a longer one in the others."""
    stays = "installers who would do it for you,"
    pack = _pack("Nobody else has", "so ask for a price.", anchor="")
    blocks = [stays, f"good {stays}", f"better {stays}"]
    documents = _archive(lambda index: f"Nobody else has {blocks[index % 3]} so ask for a price.", 30)
    assert stays in _added(pack, documents)


@pytest.mark.parametrize(
    ("island", "goes"),
    [
        ("Gone.", False),
        ("It is gone for good, and so are we.", True),
        ("已经消失。", False),
        ("我们都已经消失了再见。", True),
    ],
)
def test_a_few_letters_within_a_line_are_chance(island: str, goes: bool) -> None:
    pack = _pack(BEFORE, BEHIND, anchor="")
    documents = [
        replace(one, text=one.body.replace("\n", " ")) for one in _archive(lambda _: f"{BEFORE} {island} {BEHIND}")
    ]
    assert bool(_added(pack, documents)) is goes


@pytest.mark.parametrize(("torn", "goes"), [(0, True), (1, False)])
def test_what_would_tear_sentences_elsewhere_stays(torn: int, goes: bool) -> None:
    pack, link = _pack(BEFORE, BEHIND, anchor=""), "the Guide to the Old Harbour"
    documents = [
        replace(one, text=one.body.replace("\n", f" They read {link} at home. " if index < torn else " "))
        for index, one in enumerate(_archive(lambda _: f"{BEFORE} {link} {BEHIND}"))
    ]
    assert bool(_added(pack, documents)) is goes


@pytest.mark.parametrize("between", ["x" * (MAX_SIZE + 1), "...", "* * *"])
def test_long_text_and_signs_are_no_islands(between: str) -> None:
    assert _added(PACK, _archive(lambda _: f"{BEFORE}\n{between}\n{BEHIND}")) == {}


def test_all_templates_of_a_pack_stay_and_nothing_is_found_in_pages() -> None:
    documents = _archive(lambda _: f"{BEFORE}\n{LINK}\n{BEHIND}")
    assert {*PACK.templates} < {*add_islands(PACK, documents, documents).templates}
    page = replace(PACK, html=True)
    assert add_islands(page, documents, documents) is page


def test_the_order_of_documents_does_not_matter() -> None:
    """Nor where more articles than are asked tell one story, and come first."""
    block = f"{BEFORE}\n{LINK}\n{BEHIND}"
    copies = [replace(one, id=f"c{one.id}") for one in _archive(lambda _: block, 30, own=False)]
    documents = [*copies, *_archive(lambda index: f"{block} {index % 4}", 60)]
    packs = [
        add_islands(PACK, given, given) for given in (documents, documents[::-1], documents[1::2] + documents[::2])
    ]
    assert packs[0] == packs[1] == packs[2]


def test_counts_are_of_all_documents_and_grow_with_a_sample() -> None:
    documents = _archive(lambda _: f"{BEFORE}\n{LINK}\n{BEHIND}")
    (island,) = (one for one in add_islands(PACK, documents[:8], documents).templates if one.example == LINK)
    assert island.df == 40  # the pack is of 40 documents, these are a sample of 20


OPEN = "The views in this column are"


def _counted(number: int, *strings: str, anchor: str = "line") -> Pack:
    """A pack of templates that so many documents have."""
    pack = _pack(*strings, anchor=anchor)
    templates = tuple(replace(one, df=number, count=number) for one in pack.templates)
    return replace(pack, documents=number, templates=templates)


def _completed(pack: Pack, documents: list[Document]) -> dict[str, tuple[int, str]]:
    known = {one.id for one in pack.templates}
    added = add_rests(pack, documents, documents).templates
    return {one.example: (one.df, one.anchor) for one in added if one.id not in known}


@pytest.mark.parametrize("behind", ["", f" {BEHIND}"])
def test_the_short_rest_of_a_sentence_goes_with_its_beginning(behind: str) -> None:
    """A template that ends within its sentence, for that has several ends; each of three articles counts."""
    pack = replace(_pack(OPEN, BEHIND, anchor=""), documents=3 * MIN_RESTS)
    ends = ("his own.", "hers.", "3:10 4:20")
    documents = _archive(lambda index: f"{OPEN} {ends[index % 3]}{behind}", 3 * MIN_RESTS)
    found = _completed(pack, documents)
    assert found == {f"{OPEN} {end}": (MIN_RESTS, "") for end in ends}
    completed = add_rests(pack, documents, documents)
    assert Pack.from_json(completed.to_json(), "pack").templates == completed.templates
    for document in documents:
        assert Cleaner(completed).clean(document.body).text.strip() == "\n".join(document.body.split("\n")[:3])
    assert _completed(pack, documents[: 3 * MIN_RESTS - 3]) == {}
    assert add_rests(pack, documents[::-1], documents[::-1]) == completed
    unnamed = [replace(one, id="") for one in documents]  # as executors on many machines pass them
    assert add_rests(pack, unnamed, unnamed) == completed


def test_a_rest_goes_with_a_string_that_differs_by_figures() -> None:
    """Which template ends a cut is told by its expression: letters of its example would be of another article."""
    pack = _pack("{number} readers of the Courier", anchor="")
    pack = replace(pack, documents=2 * MIN_RESTS)
    documents = _archive(lambda index: f"{index + 70},858 readers of the Courier at https://courier.example/p/{index}")
    added = {one.tokens: one.df for one in add_rests(pack, documents, documents).templates}
    assert added["{number}", "readers", "of", "the", "Courier", "at", "{url}"] == len(documents)


def test_a_rest_goes_with_the_signs_before_it() -> None:
    pack = replace(_pack("Listen to the column", anchor=""), documents=20)
    documents = _archive(lambda index: f"Listen to the column · 3:{index + 10} 3:{index + 10}")
    added = {one.tokens: one.df for one in add_rests(pack, documents, documents).templates}
    assert added["Listen", "to", "the", "column", "·", "{clock}", "{clock}"] == len(documents)
    assert Cleaner(add_rests(pack, documents, documents)).clean(documents[0].body).text.count("\n") == 2


@pytest.mark.parametrize(
    "block",
    [f"{OPEN}. His own.", f"{OPEN}\nhis own.", f"{OPEN} {words(random.Random(4), 30)}."],
    ids=["end", "line", "long"],
)
def test_what_goes_on_elsewhere_or_for_long_stays(block: str) -> None:
    """In a third of the articles that have the string before it."""
    documents = _archive(lambda index: f"{OPEN}." if index % 3 else block, 30)
    assert _completed(_counted(30, OPEN, f"{OPEN}.", anchor=""), documents) == {}


@pytest.mark.parametrize("engine", ["native", "regex"])
@pytest.mark.parametrize("behind", [f"\n{BEHIND}", ""])
def test_what_is_mostly_behind_a_string_goes_with_it(engine: str, behind: str) -> None:
    """The name of the site stands in its stories, too; behind a line of the block it goes."""
    opening = "Get the latest updates from"
    pack = _counted(24, opening, BEHIND)
    documents = [
        replace(one, text=f"{words(random.Random(1), 9)}\n{LINK}\n{one.body}")
        for one in _archive(lambda index: f"{opening}\n{LINK}{behind if index % 3 else chr(10) + BEHIND}", 24)
    ]
    assert add_islands(pack, documents, documents) == pack
    ((example, (df, anchor)),) = _completed(pack, documents).items()
    assert (example, df, anchor) == (f"{opening}\n{LINK}", 24, "line")
    completed = add_rests(pack, documents, documents)
    for document in documents:
        kept = Cleaner(completed, CleanConfig(engine=engine)).clean(document.body).text.strip().split("\n")
        assert kept == document.body.split("\n")[:5]


@pytest.mark.parametrize(
    ("behind", "share", "goes"),
    [
        ("200 of them", 1, False),
        ("$36.50 a kilo", 1, False),
        ("Replies(200)", 1, False),
        ("The harbour guides, part 3", 1, True),
        ("5 May 2024", 1, True),
        ("Goal!", 1, True),
        ("Goal!", 0.6, False),
        (LINK, 0.6, True),
    ],
)
def test_what_is_behind_a_string_is_no_data_and_no_chance(behind: str, share: float, goes: bool) -> None:
    documents = _archive(lambda index: f"{BEFORE}\n{behind if index < share * 30 else index}\n{BEHIND}", 30)
    assert bool(_completed(_counted(30, BEFORE, BEHIND), documents)) is goes


def test_the_rest_of_a_sentence_of_one_story_stays() -> None:
    documents = _archive(lambda _: f"{OPEN} told so.", own=False)
    assert _completed(_pack(OPEN, anchor=""), documents) == {}
