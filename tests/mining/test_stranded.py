"""Labels that go without what they label, in articles of one line."""

from __future__ import annotations

import random
from dataclasses import replace
from time import perf_counter
from unicodedata import normalize

import hypothesis
import hypothesis.strategies as st
import pytest

from invented import mine_pack, words
from strategies import examples
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig
from templatemine.mining import stages
from templatemine.mining.select import HEADLINES_STAY, REASONS
from templatemine.mining.stranded import Titles, find_own_titles, find_stranded, name_headlines
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
    return {name: tuple(count) for name, count in find_stranded(pack, articles, Titles(articles, pack.reading)).items()}


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


SLOT = slot_token(ANY)


@pytest.mark.parametrize(
    ("tokens", "line", "taken"),
    [
        ((SLOT, "Cash"), "{} Cash", True),
        (("Fact", "check:", SLOT), "Fact check: {}", True),
        (("By", "AP", SLOT), "By AP {}", False),
    ],
)
def test_a_slot_takes_no_headline_of_its_own_article(tokens: tuple[str, ...], line: str, taken: bool) -> None:
    """A word that ends several headlines, a label that is a part of them, and a credit before them."""
    titles, lead = _titles(40), [words(random.Random(place), 12).capitalize() for place in range(40)]
    texts = [f"{line.format(title)}\n{before}." for title, before in zip(titles, lead, strict=True)]
    named = [line.format(title) if taken else title for title in titles]
    rows = [*enumerate(zip(texts, named, strict=True))]
    articles = [Document(source="a.example", id=str(place), text=text, title=name) for place, (text, name) in rows]
    pack = _pack(tokens, FILLED, one_line=False)
    found = find_own_titles(pack, articles, Titles(articles, pack.reading))
    assert {name: one and one.tokens for name, one in found.items()} == {
        template_id(tokens): None if taken else tokens[:-1]
    }
    for others in (
        [replace(one, title=name) for one, name in zip(articles, _titles(80)[40:], strict=True)],
        [replace(one, text="\n".join(reversed(one.text.split("\n")))) for one in articles],
    ):
        assert find_own_titles(pack, others, Titles(others, pack.reading)) == {}


def test_a_footer_or_a_list_may_hold_the_own_title() -> None:
    titles = _titles(40)
    articles = [_article(place, f"The post {title} appeared first.", title) for place, title in enumerate(titles)]
    articles += [replace(one, id=f"{one.id} b", text=f"{one.title}\nRead also: {one.title}\nOn.") for one in articles]
    pack = _pack(("The", "post", SLOT, "appeared", "first."), FILLED, one_line=False)
    assert find_own_titles(pack, articles, Titles(articles, pack.reading)) == {}


def _named(pack: Pack, articles: list[Document]) -> dict[str, tuple[int, int, str]]:
    return {
        one.example: (one.df, one.count, one.kind)
        for one in name_headlines(pack, pack.templates, articles, Titles(articles, pack.reading))
    }


@pytest.mark.parametrize("tokens", [LABEL, FILLED])
def test_known_headlines_go_with_their_label(tokens: tuple[str, ...]) -> None:
    titles = _titles(40)
    articles = [_article(place, titles[place // 2], titles[place]) for place in range(40)]
    pack = _pack(tokens, kind="")
    expected = {f"Read also: {title}": (2, 2, "related") for title in titles[1:20]}
    # The first two are before the title of one of them.
    assert _named(pack, articles) == {**expected, f"Read also: {titles[0]}": (2, 2, "related")}
    named = replace(
        pack, templates=tuple(name_headlines(pack, pack.templates, articles, Titles(articles, pack.reading)))
    )
    cleaner = Cleaner(named, CleanConfig())
    for place, one in enumerate(articles):
        assert cleaner.clean(one.body).text.split() == one.body.replace(f"Read also: {titles[place // 2]}", "").split()
    assert _named(pack, [replace(one, title=None) for one in articles]) == {}
    assert _named(pack, articles[:2]) == {}  # one title says nothing of a label


def test_labels_that_go_take_the_headlines_that_are_known() -> None:
    """One that is mostly a line of its own is no stranded label, and still has headlines behind it at times."""
    titles = _titles(40)
    articles = [_article(place, titles[place - 1], titles[place]) for place in range(40)]
    for tokens in (LABEL, FILLED, (*LABEL, "\u2022")):
        pack = _pack(tokens)
        pack = replace(pack, templates=tuple(replace(one, anchor="line") for one in pack.templates))
        shown = (
            articles
            if tokens[-1] != "\u2022"
            else [replace(one, text=one.body.replace("also:", "also: \u2022")) for one in articles]
        )
        named = name_headlines(pack, [], shown, Titles(shown, pack.reading))
        assert len(named) == 40
        assert not any(one.anchor for one in named)
        assert name_headlines(replace(pack, reading=ReadingRules()), [], shown, Titles(shown, ReadingRules())) == []
    other = _pack(("Read", "also"))
    assert name_headlines(other, [], articles, Titles(articles, other.reading)) == []


def test_a_headline_to_which_a_sentence_is_glued_is_unknown() -> None:
    titles = _titles(40)
    articles = [_article(place, titles[place - 1], titles[place]) for place in range(40)]
    glued = [
        replace(one, text=one.body.replace(titles[place - 1] + " ", titles[place - 1]))
        for place, one in enumerate(articles)
    ]
    assert _named(_pack(LABEL), glued) == {}


@pytest.mark.parametrize("parting", [" | ", "|", " - ", " \u00bb ", " \u2022 ", " | World - "])
def test_names_of_sites_and_repeated_titles_are_no_titles(parting: str) -> None:
    """Whatever parts them, as on pages: "»" and a bar without blanks did not."""
    titles = _titles(40)
    articles = [
        _article(place, titles[place - 1], f"{titles[place]}{parting}The Stonefield Courier") for place in range(40)
    ]
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
    assert [one for one in other.templates if one not in kept.templates] == [
        one for one in other.templates if one.tokens == ("Video:",)
    ]
    assert sorted(one.example for one in kept.templates) == sorted(f"Video: {title}" for title in titles)
    reason = REASONS[HEADLINES_STAY]
    assert kept.rejected[reason] == other.rejected.get(reason, 0) + 1
    assert all(one.tokens != ("Video:",) for one in (*kept.questions, *other.questions))


def test_people_are_asked_about_labels_that_stay_before_some_headlines() -> None:
    titles, others = _titles(60), _titles(90)[60:]
    articles = [
        _article(place, titles[place - 1] if place % 2 else others[place // 2], titles[place]) for place in range(60)
    ]
    pack = mine_pack(articles)
    assert all(one.string != LABEL for one in pack.templates)
    (asked,) = (one for one in pack.questions if one.tokens == LABEL)
    assert (asked.df, asked.filled, asked.within) == (60, "", 0.5)


def test_the_longest_title_counts_in_any_order() -> None:
    titles = _titles(40)
    longer = f"{titles[0]} once more {words(random.Random(1), 2)}"
    articles = [_article(place, titles[place - 1], titles[place]) for place in range(1, 40)]
    articles += [_article(50, titles[3], longer), _article(51, longer, titles[0]), _article(52, titles[0], titles[39])]
    named = _named(_pack(LABEL), articles)
    assert {f"Read also: {longer}", f"Read also: {titles[0]}"} <= set(named)
    assert _named(_pack(LABEL), articles[::-1]) == named


def test_a_title_that_begins_a_sentence_of_the_story_names_nothing() -> None:
    titles = _titles(40)
    articles = [_article(place, titles[place - 1], titles[place]) for place in range(40)]
    torn = _article(
        60, f"{titles[5]} spreads to the church, and two people are hurt.", "A story of something else, now"
    )
    assert f"Read also: {titles[5]}" in _named(_pack(LABEL), articles)
    assert set(_named(_pack(LABEL), articles)) - set(_named(_pack(LABEL), [*articles, torn])) == {
        f"Read also: {titles[5]}"
    }


def test_lists_go_as_far_as_their_headlines_are_known() -> None:
    titles = _titles(40)
    known = [_article(place, f"- {titles[place - 1]} - {titles[place - 2]}", titles[place]) for place in range(40)]
    named = _named(_pack((*LABEL, "-"), LABEL), known)
    assert len(named) == 40
    assert all(one.count(" - ") == 2 for one in named)
    unknown = [
        _article(place, f"- {titles[place - 1]} - Nobody knows this one at all", titles[place]) for place in range(40)
    ]
    assert _named(_pack((*LABEL, "-"), LABEL), unknown) == {}


def test_a_bullet_hides_no_label() -> None:
    titles = _titles(40)
    articles = [_article(place, f"\u2022 {titles[place - 1]}", titles[place]) for place in range(40)]
    tokens = (*LABEL, "\u2022")
    pack = _pack(tokens)
    pack = replace(pack, templates=tuple(replace(one, example="Read also: \u2022") for one in pack.templates))
    assert _stranded(pack, articles) == {template_id(tokens): (40, 40)}


def test_a_label_on_a_line_of_its_own_leaves_nothing() -> None:
    titles = _titles(40)
    articles = [_article(place, titles[place - 1], titles[place]) for place in range(40)]
    apart = [replace(one, text=one.body.replace("also: ", "also:\n")) for one in articles]
    assert _stranded(_pack(LABEL), apart) == {}


def test_the_label_that_ends_a_cut_is_to_blame() -> None:
    titles = _titles(40)
    articles = [_article(place, f"Sign up now. Read also: {titles[place - 1]}", titles[place]) for place in range(40)]
    offer = ("Sign", "up", "now.")
    pack = _pack(LABEL, offer)
    first, second = pack.templates
    pack = replace(pack, templates=(first, replace(second, example="Sign up now.")))
    assert _stranded(pack, articles) == {template_id(LABEL): (40, 40)}


def test_titles_are_read_as_texts_are() -> None:
    written = [f"{title} f\u00fcr & mit Th\u00e9 2024" for title in _titles(40)]
    for change in (lambda one: normalize("NFD", one), lambda one: one.replace("&", "&amp;"), lambda one: one.upper()):
        articles = [_article(place, written[place - 1], change(written[place])) for place in range(40)]
        assert len(_named(_pack(LABEL), articles)) == 40


def test_many_titles_that_begin_alike_cost_no_more() -> None:
    dice = random.Random(3)
    common = "The weather in all of Stonefield and around it"
    titles = [f"{common} {words(dice, 4)}" for _ in range(20_000)]
    known = Titles([Document(source="a", id=title, text="", title=title) for title in titles], ReadingRules())
    before = perf_counter()
    for _ in range(1000):
        assert known.find_end(f"{common} {words(dice, 4)}, and more of it", 0, "") == -1
    assert perf_counter() - before < 5  # a look at each title would take minutes


PIECES = st.sampled_from(
    ["Mill", "MILL", "\u00df", "SS", "\u00e9", "\u65b0\u805e", "burns", "-", " ", ".", "\n", "\u2019", "9"]
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)


@examples(300)
@hypothesis.given(st.lists(TEXTS, max_size=5), TEXTS, TEXTS, st.data())
def test_titles_are_found_by_their_letters(titles: list[str], before: str, behind: str, data: st.DataObject) -> None:
    title = data.draw(st.sampled_from(titles)) if titles else ""
    own = data.draw(st.sampled_from(titles)) if titles else ""
    text, start = f"{before} {title}{behind}", len(before) + 1

    def letters(part: str) -> str:
        return "".join(char for char in part.casefold() if char.isalnum())

    def is_title(part: str) -> bool:
        is_own = any(char in "\u65b0\u805e" for char in letters(part)[:9])
        called = [letters(one) for one in titles].count(letters(part))
        return len(letters(part)) >= (9 if is_own else 22) and called <= 2 and letters(part) != letters(own)

    sizes = {len(letters(one)) for one in titles if is_title(one) and letters(text[start:]).startswith(letters(one))}
    ends = [
        place for place in range(start + 1, len(text) + 1) if len(letters(text[start:place])) == max(sizes, default=0)
    ]
    documents = [Document(source="a", id="1", text="", title=one) for one in titles]
    known = Titles(documents, ReadingRules())
    own_letters = known.letters_of(Document(source="a", id="1", text="", title=own))
    # A letter that folds to two may belong to a title with its first half alone.
    assert known.find_end(text, start, own_letters) in (
        [ends[0]] if sizes and ends else [-1] if not sizes else range(-1, 999)
    )
