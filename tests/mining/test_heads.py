"""Sentences that a string ends and a head opens: one template of both."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from invented import mine_pack, words
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig
from templatemine.mining import stages
from templatemine.mining.heads import MAX_PLACES, MIN_SENTENCES, add_heads, add_tails, find_unbounded
from templatemine.model import Document
from templatemine.packs.pack import Pack
from templatemine.text.reading import ReadingRules

FOOTER = "appeared first on The Stonefield Courier."


def _archive(opening: str, number: int = 80, own: bool = True) -> list[Document]:
    """Articles of three paragraphs; the last one ends with a sentence that varies between its opening and its end."""
    dice = random.Random(7)
    articles = []
    for index in range(number):
        sentences = [f"{words(dice, 12).capitalize()}." for _ in range(6)]
        if not own:
            sentences[1:5] = [f"{opening} {words(dice, 10)}." for _ in range(4)]
        prose = "\n\n".join(" ".join(sentences[place : place + 2]) for place in (0, 2, 4))
        footer = f"{opening} {words(dice, 6).capitalize()} {FOOTER}"
        articles.append(Document(source="a.example", id=str(index), text=f"{prose} {footer}"))
    return articles


def _bare(pack: Pack) -> Pack:
    """The pack with the strings that repeat alone, as where no label is likely."""
    return replace(pack, templates=tuple(template for template in pack.templates if not template.slot))


def _heads(articles: list[Document]) -> set[str]:
    found = add_heads(_bare(mine_pack(articles)), articles)
    return {" ".join(template.head) for template in found.templates if template.slot == "middle"}


def test_the_whole_sentence_goes() -> None:
    articles = _archive("The post")
    assert _heads(articles) == {"The post"}
    pack = add_heads(_bare(mine_pack(articles)), articles)
    cleaner = Cleaner(pack, CleanConfig())
    assert not any("The post" in cleaner.clean(one.body).text for one in articles)
    assert all(len(cleaner.clean(one.body).text.split()) == 72 for one in articles)
    assert Pack.from_json(pack.to_json(), "pack").templates == pack.templates


def test_what_other_templates_cut_needs_no_head() -> None:
    articles = _archive("The post")
    pack = mine_pack(articles)
    assert any(template.slot == "end" for template in pack.templates)
    assert add_heads(pack, articles) == pack


def test_a_head_takes_the_place_of_a_slot_that_reaches_over_the_story() -> None:
    """Excerpts without a mark at their end, behind which the footer stands, as feeds have them."""
    dice = random.Random(7)
    leads = [words(dice, 12).capitalize() for _ in range(80)]
    articles = [
        Document(source="a.example", id=str(place), text=f"{lead} The post {words(dice, 5).capitalize()} {FOOTER}")
        for place, lead in enumerate(leads)
    ]
    mined = mine_pack(articles)
    # As where the filler is likely.
    reaching = [
        replace(one, tokens=("{slot}", *(one.string or ())), anchor="line")
        for one in mined.templates
        if one.tokens and one.tokens[-1] == "Courier."
    ][:1]
    plain = replace(mined, templates=tuple(replace(one, regex=mined.derived(one)) for one in reaching))
    pack = add_heads(plain, articles)
    assert [(" ".join(one.head), one.slot, one.anchor) for one in pack.templates] == [("The post", "middle", "end")]
    cleaner = Cleaner(pack, CleanConfig(guard=1.0))
    assert [cleaner.clean(one.body).text for one in articles] == leads


def test_words_that_open_other_sentences_are_no_head() -> None:
    assert _heads(_archive("The post", own=False)) == set()


@pytest.mark.parametrize("share", [0.5, 0.7])
def test_what_opens_too_few_of_the_sentences_is_no_head(share: float) -> None:
    dice = random.Random(3)
    articles = []
    for one in _archive("The post"):
        opening = "The post" if dice.random() < share else words(dice, 2).capitalize()
        articles.append(Document(source=one.source, id=one.id, text=one.body.replace("The post", opening)))
    assert _heads(articles) == set()


def test_order_and_number_of_articles_do_not_matter() -> None:
    articles = _archive("The post")
    plain = _bare(mine_pack(articles))
    shuffled = articles[:]
    random.Random(1).shuffle(shuffled)
    assert add_heads(plain, shuffled) == add_heads(plain, articles)
    assert add_heads(plain, articles[:3]) == plain


def test_the_first_articles_do_not_decide() -> None:
    """Half of the sentences open with the head: which of them are looked at must not depend on the archive's order."""
    articles = _archive("The post", MAX_PLACES) + [
        replace(one, id=f"x{one.id}", text=one.body.replace("The post ", ""))
        for one in _archive("The post", MAX_PLACES)
    ]
    plain = _bare(mine_pack(articles))
    assert add_heads(plain, articles) == add_heads(plain, articles[::-1])
    assert add_heads(plain, articles[:MAX_PLACES]) != plain


def _excerpts(head: str, number: int = 12, elsewhere: int = 0) -> list[Document]:
    """Items of a feed: an excerpt that ends without a mark, a head, the title, the footer; and the head elsewhere."""
    dice = random.Random(11)
    items = []
    for index in range(number):
        excerpt = " ".join([*(f"{words(dice, 14)} {head}" for _ in range(elsewhere)), words(dice, 14)])
        text = f"{excerpt} {head} {words(dice, 6)} {FOOTER}"
        items.append(Document(source="a.example", id=str(index), text=text))
    return items


def test_a_head_behind_an_excerpt_without_a_mark_goes() -> None:
    items = _excerpts("The post")
    pack = add_heads(_bare(mine_pack(items)), items)
    assert _heads(items) == {"The post"}
    assert all(len(Cleaner(pack, CleanConfig()).clean(item.body).text.split()) == 14 for item in items)


def test_words_that_stand_elsewhere_in_excerpts_are_no_head() -> None:
    assert _heads(_excerpts("The post", elsewhere=2)) == set()


def test_one_filler_is_no_head() -> None:
    items = [
        replace(item, text=f"{item.body.split(' The post ')[0]} The post same words {FOOTER}")
        for item in _excerpts("The post")
    ]
    assert _heads(items) == set()


def test_in_texts_of_one_line_no_slot_reaches_over_the_sentence_before_its_string() -> None:
    """A story sentence that ends as related headlines do stays; names before "(Reuters)" still go."""
    pack = mine_pack(_archive("The post"))
    first = pack.templates[0]
    made = [
        replace(first, tokens=(slot, "of", "Stonefield."), anchor="line")
        for slot in ("{slot}", "{slot:90}", "{slot:names}")
    ]
    templates = tuple(replace(one, id=one.tokens[0], regex=pack.derived(one)) for one in made)
    one_line = ReadingRules(sentences=True)
    assert find_unbounded(replace(pack, templates=templates, reading=one_line)) == {"{slot}"}
    assert find_unbounded(replace(pack, templates=templates, reading=ReadingRules())) == set()


def test_mining_rejects_such_templates_with_their_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def reach(pack: Pack, _: Sequence[Document]) -> Pack:
        made = [replace(one, tokens=("{slot}", *(one.string or ()))) for one in pack.templates]
        return replace(pack, templates=tuple(replace(one, regex=pack.derived(one)) for one in made))

    monkeypatch.setattr(stages, "add_heads", reach)
    articles = _archive("The post")
    one_line = [replace(one, text=one.body.replace("\n\n", " ")) for one in articles]
    pack = mine_pack(articles)
    assert any(one.slot == "start" for one in pack.templates)
    assert stages.UNBOUNDED not in pack.rejected
    pack = mine_pack(one_line)
    assert not any(one.slot == "start" for one in pack.templates)
    assert pack.rejected[stages.UNBOUNDED] >= 1


# ---------------------------------------------------------------------------------------------------------------- tails


def _items(glued: int, number: int = 60, cut_off: int = 0, tail: str = FOOTER, differ: bool = True) -> list[Document]:
    """Items of a feed with "The post TITLE" and a tail on a line of its own, in some behind an excerpt without a mark;
    others end within the title."""
    dice = random.Random(5)
    items = []
    for index in range(number):
        excerpt, title = words(dice, 14).capitalize(), words(dice, 6).capitalize() if differ else "The same words"
        footer = f"The post {title}" if index >= number - cut_off else f"The post {title} {tail}"
        items.append(
            Document(source="a.example", id=str(index), text=f"{excerpt}{' ' if index < glued else chr(10)}{footer}")
        )
    return items


def _label(items: list[Document]) -> Pack:
    """A pack of the label alone, which takes the rest of its line."""
    mined = mine_pack(items)
    first = replace(mined.templates[0], tokens=("The", "post", "{slot}"), anchor="line", df=len(items))
    return replace(mined, templates=(replace(first, regex=mined.derived(first)),))


def _tails(items: list[Document]) -> set[str]:
    found = add_tails(_label(items), items, items).templates
    return {" ".join(one.string or ()) for one in found if one.slot == "middle"}


def test_the_end_of_its_lines_bounds_a_label_behind_an_excerpt_without_a_mark() -> None:
    items = _items(glued=10)
    label = _label(items)
    pack = add_tails(label, items, items)
    assert [(one.head, one.anchor, one.df) for one in pack.templates if one.slot == "middle"] == [
        (("The", "post"), "end", len(items))
    ]
    assert pack.templates != label.templates
    assert all(len(Cleaner(pack, CleanConfig()).clean(one.body).text.split()) == 14 for one in items)
    assert not all(len(Cleaner(label, CleanConfig()).clean(one.body).text.split()) == 14 for one in items)
    assert add_tails(label, items[::-1], items[::-1]) == pack
    assert Pack.from_json(pack.to_json(), "pack").templates == pack.templates


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        (_items(glued=MIN_SENTENCES - 1), set()),
        (_items(glued=MIN_SENTENCES), {FOOTER}),
        (_items(glued=10, cut_off=30), {FOOTER}),
        (_items(glued=10, cut_off=45), set()),
        (_items(glued=10, tail="Courier."), set()),
        (_items(glued=10, differ=False), set()),
    ],
    ids=["covered", "enough", "cut off", "few tails", "one word", "one filler"],
)
def test_which_labels_have_tails(items: list[Document], expected: set[str]) -> None:
    assert _tails(items) == expected


@pytest.mark.parametrize(
    ("tail", "straying", "expected"), [(FOOTER, 3, 1), (FOOTER, 4, 0), ("on St. Louis News", 3, 1)]
)
def test_a_slot_that_reaches_over_sentences_of_story_has_no_tail(tail: str, straying: int, expected: int) -> None:
    dice = random.Random(6)
    items = [
        replace(one, text=f"{words(dice, 5)}\n{words(dice, 5)}\n{one.text}")  # articles of lines, not of sentences
        for one in _items(glued=15, tail=tail)
    ]
    for place in range(straying):
        title, story = words(dice, 4), words(dice, 9).capitalize()
        items[place] = replace(
            items[place], text=f"{words(dice, 5)}\n{words(dice, 5)}\n{words(dice, 9)} The post {title}. {story} {tail}"
        )
    assert len(_tails(items)) == expected


def test_what_has_a_tail_is_counted_in_all_articles() -> None:
    items = _items(glued=50, number=900)
    tails = [one for one in add_tails(_label(items), items[:200], items).templates if one.slot == "middle"]
    assert [(one.df, one.count) for one in tails] == [(900, 900)]
