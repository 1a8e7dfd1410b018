"""Signatures of embedded posts: a dash, ever new names, a handle and a date, as one template."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from invented import mine_pack, words
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig
from templatemine.mining.signatures import _HANDLE_SIGNS, add_signatures, is_signature
from templatemine.model import Document, Template
from templatemine.packs.pack import Pack
from templatemine.packs.pack_record import bare_template
from templatemine.text.reading import PLAIN, read_string

MONTHS = {
    "en": "January February March April May June July August September October November December".split(),
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split(),
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre".split(),
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split(),
}
FORMS = {
    "en": "{month} {day}, {year}",
    "fr": "{day} {month} {year}",
    "it": "10:05 - {day} {month} {year}",
    "es": "{day} de {month} de {year}",
}
Name = Callable[[random.Random], str]


def _name(dice: random.Random) -> str:
    """The name of a person, or of an account."""
    first, last = (words(dice, 1).capitalize() for _ in range(2))
    return dice.choice((f"{first} {last}", f"{first} van der {last}", f"{first} News", first.lower(), f"{first} 🦊"))


def _archive(language: str = "en", number: int = 60, name: Name = _name, dash: str = "—") -> list[Document]:
    """Articles of prose, some with a post or two; dashes and handles stand in the prose, and in the posts, too."""
    dice = random.Random(5)
    articles = []
    for index in range(number):
        lines = [f"{words(dice, 12).capitalize()} {dash} {words(dice, 6)}. {words(dice, 9).capitalize()}."]
        lines += [f"{words(dice, 8).capitalize()}, said @{words(dice, 1)} on May 5. {words(dice, 9).capitalize()}."]
        for _ in range(dice.randint(0, 2)):
            date = FORMS[language].format(
                month=dice.choice(MONTHS[language]), day=dice.randint(1, 28), year=dice.randint(2012, 2022)
            )
            post = f"{words(dice, 5).capitalize()} {dash} {words(dice, 7)}."
            lines += [f"{post} {dash} {name(dice)} (@{words(dice, 1)}) {date}", f"{words(dice, 14).capitalize()}."]
        articles.append(Document(source="a.example", id=str(index), text="\n\n".join(lines)))
    return articles


def _signed(pack: Pack) -> list[tuple[str, ...]]:
    return [one.tokens or () for one in pack.templates if one.slot == "middle"]


def _prose(article: Document) -> str:
    """The text of an article without its signatures."""
    return "\n\n".join(line.rpartition(" — ")[0] if "(@" in line else line for line in article.body.split("\n\n"))


def test_signatures_go_whole_and_nothing_else_does() -> None:
    articles = _archive()
    pack = mine_pack(articles)
    assert _signed(pack) == [("—", "{slot:names}", "({handle})", "{month}", "{number},", "{number}")]
    assert [(one.kind, one.anchor) for one in pack.templates] == [("embed", "")]
    for engine in ("native", "regex"):
        cleaner = Cleaner(pack, CleanConfig(engine=engine, guard=1.0))
        assert [cleaner.clean(one.body).text.rstrip() for one in articles] == [_prose(one) for one in articles]
    assert Pack.from_json(pack.to_json(), "pack").templates == pack.templates


@pytest.mark.parametrize("language", ["fr", "it", "es"])
def test_dates_of_other_languages(language: str) -> None:
    articles = _archive(language)
    pack = mine_pack(articles)
    assert [tokens[:3] for tokens in _signed(pack)] == [("—", "{slot:names}", "({handle})")]
    cleaner = Cleaner(pack, CleanConfig(guard=1.0))
    assert [cleaner.clean(one.body).text.rstrip() for one in articles] == [_prose(one) for one in articles]


def test_links_before_a_signature_go_with_it() -> None:
    """A post ends with links to what it is about and to its picture; links elsewhere stay."""
    dice = random.Random(11)
    links = ("https://t.example/{}", "pic.twitter.com/{}")

    def linked(line: str) -> str:
        if "(@" not in line:
            return f"{line} {words(dice, 3).capitalize()} https://b.example/{words(dice, 1)} {words(dice, 4)}."
        post, _, signature = line.rpartition(" — ")
        shown = "".join(f" {link.format(words(dice, 1))}" for link in links[: dice.randint(0, 2)])
        return f"{post}{shown} — {signature}"

    articles = [
        replace(one, text="\n\n".join(linked(line) for line in one.body.split("\n\n"))) for one in _archive(number=90)
    ]
    pack = mine_pack(articles)
    date = ("—", "{slot:names}", "({handle})", "{month}", "{number},", "{number}")
    assert {*_signed(pack)} == {date, ("{url}", *date), ("{url}", "{url}", *date)}
    for engine in ("native", "regex"):
        cleaner = Cleaner(pack, CleanConfig(engine=engine, guard=1.0))
        for one in articles:
            text = cleaner.clean(one.body).text
            assert "(@" not in text
            assert "pic." not in text
            assert text.count("https://b.example/") == one.body.count("https://b.example/")
            assert "https://t." not in text


def test_frequent_people_need_no_template_of_their_own() -> None:
    def frequent(dice: random.Random) -> str:
        return "Jane Roe" if dice.random() < 0.5 else _name(dice)

    articles = _archive(name=frequent)
    pack = mine_pack(articles)
    assert len(_signed(pack)) == len(pack.templates) == 1


@pytest.mark.parametrize(
    "name",
    [
        lambda dice: words(dice, 5),  # prose
        lambda dice: dice.choice(("Jane Roe", "John Doe", "Ann Hill")),  # who may all be told in the story
    ],
)
def test_without_different_names_there_is_no_such_template(name: Name) -> None:
    pack = mine_pack(_archive(name=name))
    assert _signed(pack) == []
    assert not any(is_signature(one.tokens or ()) for one in pack.templates)


def test_without_a_dash_the_handle_and_the_date_stay() -> None:
    pack = mine_pack(_archive(dash="~"))
    assert _signed(pack) == []
    assert not any(is_signature(one.tokens or ()) for one in pack.templates)


def test_what_holds_more_takes_the_place_of_what_lies_within() -> None:
    """A string that was accepted goes with its names, and a part of it needs no template."""
    articles = [
        replace(one, text="\n\n".join(f"{line} Report" if "(@" in line else line for line in one.body.split("\n\n")))
        for one in _archive()
    ]
    empty = replace(mine_pack(_archive()), templates=())
    date = ("({handle})", "{month}", "{number},", "{number}")

    def made(*tokens: str) -> Template:
        one = replace(bare_template(tokens, 9, 9), anchor="end")
        return replace(one, regex=empty.derived(one))

    pack = replace(empty, templates=(made(*date, "Report"), made("Read", "more")))
    found = add_signatures(pack, [made(*date)], articles)
    assert {one.tokens for one in found.templates} == {("—", "{slot:names}", *date, "Report"), ("Read", "more")}
    shuffled = articles[::-1]
    assert add_signatures(pack, [made(*date)], shuffled) == found
    assert add_signatures(pack, [made(*date)], articles[:3]) == pack


@pytest.mark.parametrize(
    ("tokens", "alone", "starts"),
    [
        (("({handle})", "{month}", "{number},", "{number}"), True, True),
        (("({handle})", "{month}", "{number},", "{number}", "Report"), False, True),
        (("{handle}", "·", "{month_short}", "{number}"), True, True),
        (("({handle})", "{iso_date}"), True, True),
        (("({handle})", "{time}", "-", "{number}", "de", "{month_other}", "de", "{number}"), False, False),
        (("({handle})", "{number}"), False, False),
        (("({handle})",), False, False),
        (("Follow", "{handle}", "{month}"), False, False),
        (("({handle})", "said", "on", "{month}", "{number}"), False, False),
        ((), False, False),
    ],
)
def test_what_is_a_signature(tokens: Sequence[str], alone: bool, starts: bool) -> None:
    assert is_signature(tokens) == alone
    assert is_signature(tokens, alone=False) == starts


def test_a_handle_is_looked_for_by_all_that_is_read_as_its_sign() -> None:
    signs = {char for char in map(chr, range(0x20000)) if "@" in read_string(char, PLAIN)}
    assert signs == {*_HANDLE_SIGNS}
