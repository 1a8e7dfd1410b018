"""Labels that go without what they label, in articles of one line."""

from __future__ import annotations

import random
from dataclasses import replace

import hypothesis
import hypothesis.strategies as st
import pytest

from invented import mine_pack, words
from strategies import examples
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig
from templatemine.mining import stages
from templatemine.mining.select import REASONS, TEXT_STAYS
from templatemine.mining.stranded import Titles, find_stranded, name_headlines
from templatemine.model import Document, Template
from templatemine.packs.pack import Pack
from templatemine.packs.pack_record import template_id
from templatemine.text.reading import ReadingRules
from templatemine.text.slots import ANY, slot_token

LABEL = ("Read", "also:")
FILLED = (*LABEL, slot_token(ANY))


def _article(number: int, behind: str, title: str | None = None) -> Document:
    dice = random.Random(number)
    before, after = (f"{words(dice, 12).capitalize()}." for _ in range(2))
    text = f"{before} Read also: {behind} {words(dice, 12).capitalize()}. {after}"
    return Document(source="a.example", id=str(number), text=text, title=title)


def _pack(*strings: tuple[str, ...], kind: str = "related", one_line: bool = True) -> Pack:
    templates = tuple(
        Template(
            id=template_id(tokens),
            regex="",
            tokens=tokens,
            df=40,
            count=40,
            example="Read also:",
            kind=kind,
        )
        for tokens in strings
    )
    mined = mine_pack([_article(place, "") for place in range(20)])
    return replace(mined, templates=templates, reading=ReadingRules(sentences=one_line))


def _titles(number: int) -> list[str]:
    """Titles that are written as sentences are, so that nothing but the archive shows what they are."""
    return [words(random.Random(1000 + place), 7).capitalize() for place in range(number)]


def _stranded(pack: Pack, articles: list[Document]) -> dict[str, tuple[int, int]]:
    return {name: tuple(count) for name, count in find_stranded(pack, articles, articles).items()}


def test_a_label_before_titles_of_the_archive_stays() -> None:
    titles = _titles(40)
    articles = [_article(place, titles[place - 1], titles[place]) for place in range(40)]
    label = template_id(LABEL)
    assert _stranded(_pack(LABEL), articles) == {label: (40, 40)}
    untitled = [replace(one, title=None) for one in articles]
    assert _stranded(_pack(LABEL), untitled) == {}
    assert _stranded(_pack(LABEL, one_line=False), articles) == {}
    assert _stranded(_pack(LABEL, kind="dateline"), articles) == {}


def test_a_label_whose_headlines_are_gone_goes() -> None:
    titles = _titles(40)
    articles = [
        _article(place, f"{words(random.Random(place), 9).capitalize()}.", titles[place]) for place in range(40)
    ]
    assert _stranded(_pack(LABEL), articles) == {}


def test_without_titles_capitals_show_what_stays() -> None:
    for behind in ("The Old Mill Burns Down At Last", "a plain credit Nevertheless"):
        articles = [_article(place, behind) for place in range(40)]
        articles = [replace(one, text=f"{one.text} It was nevertheless so.") for one in articles]
        assert _stranded(_pack(LABEL), articles) == {template_id(LABEL): (40, 40)}


def test_a_slot_that_ends_within_titles_takes_no_part_of_them() -> None:
    titles = [f"{title}. {more}" for title, more in zip(_titles(40), reversed(_titles(80)[40:]), strict=True)]
    articles = [_article(place, titles[place - 1], titles[place]) for place in range(40)]
    assert _stranded(_pack(FILLED), articles) == {template_id(FILLED): (40, 40)}
    whole = [replace(one, title=(one.title or "").partition(".")[0]) for one in articles]
    assert _stranded(_pack(FILLED), whole) == {}


def _named(pack: Pack, articles: list[Document]) -> dict[str, tuple[int, int, str]]:
    return {one.example: (one.df, one.count, one.kind) for one in name_headlines(pack, pack.templates, articles)}


@pytest.mark.parametrize("tokens", [LABEL, FILLED])
def test_known_headlines_go_with_their_label(tokens: tuple[str, ...]) -> None:
    titles = _titles(40)
    articles = [_article(place, titles[place // 2], titles[place]) for place in range(40)]
    pack = _pack(tokens, kind="")
    expected = {f"Read also: {title}": (2, 2, "related") for title in titles[1:20]}
    # The first two are before the title of one of them.
    assert _named(pack, articles) == {**expected, f"Read also: {titles[0]}": (2, 2, "related")}
    named = replace(pack, templates=tuple(name_headlines(pack, pack.templates, articles)))
    cleaner = Cleaner(named, CleanConfig())
    for place, one in enumerate(articles):
        assert cleaner.clean(one.body).text.split() == one.body.replace(f"Read also: {titles[place // 2]}", "").split()
    assert _named(pack, [replace(one, title=None) for one in articles]) == {}
    assert _named(pack, articles[:2]) == {}  # one title says nothing of a label


def test_a_headline_to_which_a_sentence_is_glued_is_unknown() -> None:
    titles = _titles(40)
    articles = [_article(place, titles[place - 1], titles[place]) for place in range(40)]
    glued = [
        replace(one, text=one.body.replace(titles[place - 1] + " ", titles[place - 1]))
        for place, one in enumerate(articles)
    ]
    assert _named(_pack(LABEL), glued) == {}


def test_names_of_sites_and_repeated_titles_are_no_titles() -> None:
    titles = _titles(40)
    articles = [_article(place, titles[place - 1], f"{titles[place]} | The Stonefield Courier") for place in range(40)]
    assert len(_named(_pack(LABEL), articles)) == 40
    same = [replace(one, title=titles[place // 4]) for place, one in enumerate(articles)]
    assert _named(_pack(LABEL), same) == {}


def test_mining_says_why_such_labels_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    titles = _titles(60)
    articles = [_article(place, titles[place - 1], titles[place]) for place in range(60)]
    articles = [replace(one, text=one.body.replace("Read also:", "Video:")) for one in articles]
    kept = mine_pack(articles)
    assert not any(one.tokens == ("Video:",) for one in kept.templates)
    monkeypatch.setattr(stages, "find_stranded", lambda *_: {})
    other = mine_pack(articles)
    assert [one.tokens for one in other.templates] == [("Video:",)]
    assert sorted(one.example for one in kept.templates) == sorted(f"Video: {title}" for title in titles)
    reason = REASONS[TEXT_STAYS]
    assert kept.rejected[reason] == other.rejected.get(reason, 0) + 1


@examples(300)
@hypothesis.given(st.data())
def test_titles_are_found_by_their_letters(data: st.DataObject) -> None:
    pieces = st.sampled_from(["Mill", "MILL", "ß", "SS", "é", "\u65b0\u805e", "burns", "-", " ", ".", "\n", "’", "9"])
    title, before, behind = ("".join(data.draw(st.lists(pieces, max_size=12))) for _ in range(3))
    text, start = f"{before} {title}{behind}", len(before) + 1
    documents = [Document(source="a", id="1", text="", title=title), Document(source="a", id="2", text="", title=None)]

    def letters(part: str) -> str:
        return "".join(char for char in part.casefold() if char.isalnum())

    found = Titles(documents).find_end(text, start, "2")
    is_title = len(letters(title)) >= (9 if "\u65b0" in letters(title)[:9] or "\u805e" in letters(title)[:9] else 18)
    if found < 0:
        assert not is_title
    else:
        assert is_title
        assert letters(text[start:found]) == letters(title)
        assert text[found - 1].isalnum()
    assert Titles(documents).find_end(text, start, "1") < 0
