"""A str of a subclass (numpy's, lxml's, Beautiful Soup's) is text wherever text is taken, by what it holds."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

import templatemine
from templatemine import CleanConfig, Cleaner, Cleaners, Document, PageCleaner
from templatemine.config import UserPattern
from templatemine.matching import _cutting
from templatemine.model import exact_str
from templatemine.pages import _html
from templatemine.text.patterns import make_pattern_set


class Plain(str):
    __slots__ = ()


class Odd(str):
    """One that says something else of itself than it holds."""

    __slots__ = ()

    def __str__(self) -> str:
        return "odd"

    def __len__(self) -> int:
        return 1

    def encode(self, *_: Any) -> bytes:
        return b"odd"


def from_lxml(text: str) -> str:
    html = pytest.importorskip("lxml.html")
    element = html.Element("p")
    element.text = text
    return element.xpath("string()")  # type: ignore[no-any-return]


def from_soup(text: str) -> str:
    bs4 = pytest.importorskip("bs4")
    return bs4.NavigableString(text)  # type: ignore[no-any-return]


MAKERS: list[Callable[[str], str]] = [Plain, Odd, np.str_, from_lxml, from_soup]
TEXTS = [
    f"{' '.join(''.join(Random(40 * i + place).choices('abcdefghijklmn', k=7)) for place in range(20))} é{i} and 日{i}.\n"
    f"Alice{i} went to town {i}.\nSign up for our daily newsletter here, it is free\n"
    for i in range(30)
]
PAGES = [
    f"<html><head><title>Title {i} é</title></head><body><nav><a href=/a>Home</a></nav><h1>Title {i} é</h1>"
    f"<p>{f'A long story {i} with many words of its own, and more. ' * 20}</p></body></html>"
    for i in range(5)
]


@pytest.fixture(scope="module")
def pack() -> templatemine.Pack:
    return templatemine.mine([Document(source="a", id=str(i), text=text) for i, text in enumerate(TEXTS)])["a"]


@pytest.mark.parametrize("make", MAKERS)
def test_the_same_text_and_no_more(make: Callable[[str], str]) -> None:
    for text in ("", "abc", "é", "日本", "\U0001f600"):
        made = exact_str(make(text)) if text or make is not from_lxml else ""
        assert type(made) is str
        assert made == text


@pytest.mark.parametrize("make", MAKERS)
def test_mining(make: Callable[[str], str], pack: templatemine.Pack) -> None:
    date = make("2024-01-02")
    documents = [
        Document(
            source=make("a"),
            id=make(f"{i} "),
            text=make(text),
            title=make("T"),
            url=make(f"http://a.example/{i}"),
            date=date,
        )
        for i, text in enumerate(TEXTS)
    ]
    assert {type(value) for value in (documents[0].source, documents[0].text, documents[0].date)} == {str}
    records = [{"source": make("a"), "id": make(f"{i} "), "text": make(text)} for i, text in enumerate(TEXTS)]
    for given in (documents, records):
        mined = templatemine.mine(given)
        assert list(mined) == ["a"]
        assert [one.as_dict() for one in mined["a"].templates] == [one.as_dict() for one in pack.templates]
        assert mined["a"].templates


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("engine", ["native", "regex"])
def test_cleaning(make: Callable[[str], str], engine: str, pack: templatemine.Pack) -> None:
    cleaner = Cleaner(pack, CleanConfig(engine=engine))
    for text in (TEXTS[0], "nothing of it", "\ud800 " + TEXTS[0]):
        if "\ud800" in text and make in (from_lxml, np.str_):
            continue  # which these do not hold
        wanted = cleaner.clean(text)
        for found in (cleaner.clean(make(text)), *cleaner.clean_all([make(text)])):
            assert found == wanted
            assert type(found.text) is str
        assert cleaner.spans(make(text)) == cleaner.spans(text)
    document = {"source": make("a"), "text": make(TEXTS[0])}
    ((_, cleaned),) = Cleaners({"a": pack}).clean_all([document])
    assert cleaned == cleaner.clean(TEXTS[0])
    assert Cleaners({"a": pack}).clean(make(TEXTS[0]), make("a")) == cleaner.clean(TEXTS[0])


@pytest.mark.parametrize("make", MAKERS)
def test_pages(make: Callable[[str], str]) -> None:
    for system in ("hybrid", "bte", "density"):
        wanted = templatemine.extract(PAGES[0], system=system, url="http://a.example/")
        found = templatemine.extract(make(PAGES[0]), system=system, url=make("http://a.example/"))
        assert found.as_dict(metadata=True) == wanted.as_dict(metadata=True)
    assert PageCleaner().clean(make(PAGES[0])) == PageCleaner().clean(PAGES[0])
    pages = [
        [Document(source="h", id=str(i), html=one(page)) for i, page in enumerate(PAGES)] for one in (make, exact_str)
    ]
    first, second = (templatemine.mine(some) for some in pages)
    assert {name: one.to_json() for name, one in first.items()} == {name: one.to_json() for name, one in second.items()}


@pytest.mark.parametrize("make", MAKERS)
def test_native_entries(make: Callable[[str], str], pack: templatemine.Pack) -> None:
    text = TEXTS[0]
    assert _cutting.cut(make(text), [(0, 5)]) == _cutting.cut(text, [(0, 5)])
    assert type(_cutting.cut(make(text), [])) is str
    assert _html.encode_page(make(text)) == text.encode()
    matcher, rows = pack.matcher()
    assert matcher.spans([make(text)], 1) == matcher.spans([text], 1)
    sides = np.full(len(rows), 1, np.uint8)
    assert matcher.find_rests([make(text)], sides) == matcher.find_rests([text], sides)


@pytest.mark.parametrize("make", MAKERS)
def test_patterns(make: Callable[[str], str]) -> None:
    own = UserPattern(name=make("own"), regex=make("a+b"))
    assert make_pattern_set((), (own,)).user_matches(make("xaab"), __import__("regex").compile(r"\s"))


def test_what_is_no_text_is_refused(pack: templatemine.Pack) -> None:
    for value in (5, None, b"bytes", ["a"]):
        with pytest.raises(TypeError):
            _cutting.cut(value, [])
        with pytest.raises(TypeError):
            _html.encode_page(value)
        with pytest.raises(TypeError):
            Cleaner(pack).clean(value)
