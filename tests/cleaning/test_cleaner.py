"""Putting a text together after a cut, page texts, and expressions written by hand."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from random import Random
from typing import Literal

import pytest

from strategies import make_pack
from templatemine.api import mine
from templatemine.cleaning.cleaner import Cleaner, cut, page_text
from templatemine.cleaning.records import RecordCleaner
from templatemine.config import CleanConfig
from templatemine.errors import CapacityError, ConfigError
from templatemine.io.pending import Items
from templatemine.model import Document, Span, Template
from templatemine.packs.pack import Pack
from templatemine.text import linear
from templatemine.text.patterns import pattern_set


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a [[X]] b", "a b"),
        ("a\n\n[[X]]\n\nb", "a\n\nb"),
        ("a [[X]]\n\nb", "a\n\nb"),
        ("a\n\n[[X]] b", "a\n\nb"),
        ("a\n[[X]]  b", "a\nb"),
        ("[[X]]\n\nb", "b"),
        ("a\n\n[[X]]", "a"),
        ("  a [[X]]", "  a"),
        ("[[X]]", ""),
        ("a-[[X]]-b", "a- -b"),
        ("a[[X]]b", "a b"),
        ("文[[X]]字", "文字"),
        ("a [[X]] [[Y]] b", "a b"),
        ("a\n\n[[X]] \n [[Y]] b", "a\n\nb"),
        ("nothing", "nothing"),
        ("", ""),
    ],
)
def test_words_are_never_glued_and_paragraphs_stay_apart(text: str, wanted: str) -> None:
    plain, spans = "", []
    for part in text.replace("[[", "\0[").replace("]]", "\0").split("\0"):
        if part.startswith("["):
            spans.append(Span(len(plain), len(plain) + len(part) - 1))
            part = part[1:]
        plain += part
    assert cut(plain, spans) == wanted


def test_page_text_breaks_at_blocks_and_resolves_entities() -> None:
    page = "<p>One &amp; <b>two</b></p><script>if (a < b) x();</script><div>three<br>four</div><!-- five --> a < b"
    assert page_text(page, []) == "One & two\nthree\nfour\na < b"


def test_page_text_without_a_stretch() -> None:
    page = "<p>Kept é</p><div>cut</div><p>and <i>kept</i></p>"
    start = page.index("<div>")
    assert page_text(page, [Span(start, page.index("<p>and"))]) == "Kept é\nand kept"
    start = page.index("<i>")
    assert page_text(page, [Span(start, start + 3)]) == "Kept é\ncut\nand kept"


def test_page_text_of_broken_pages() -> None:
    assert page_text("", []) == ""
    assert page_text("<", []) == "<"
    assert page_text("text <p", []) == "text"
    assert page_text("<script>never closed", []) == ""
    assert page_text("lone \ud800 surrogate", []) == "lone \ud800 surrogate"


def documents() -> list[Document]:
    rng = Random(1)
    words = [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in ("m", "n", "rst")]
    stories = [" ".join(rng.choices(words, k=20)) for _ in range(30)]
    return [
        Document(source="x.example", id=str(place), text=f"{story}.\nPlease read our rules before you write.")
        for place, story in enumerate(stories)
    ]


@pytest.mark.parametrize("engine", ["native", "regex"])
def test_many_texts_are_cleaned_as_each_of_them(engine: str) -> None:
    pack = make_pack([([b"Sign", b"up"], "Sign up"), ([b"here"], "here")], pattern_set("news"), "-", False)
    cleaner = Cleaner(pack, CleanConfig(engine=engine))
    texts = [
        "A day. Sign up here and go on.",
        "",
        "none of it",
        "\ud800 here and there",
        "é: Sign up, now",
        "here we are, here",
    ]
    cleaned = cleaner.clean_all(iter(texts))
    assert cleaned == [cleaner.clean(text) for text in texts]
    assert [len(one.removed) for one in cleaned] == [1, 0, 0, 1, 0, 2]
    assert cleaner.clean_all([]) == []


def test_an_expression_written_by_hand_is_applied_by_both_engines() -> None:
    pack = mine(documents())["x.example"]
    own = Template(id="mine", regex=r"\(Photo: ([A-Z][a-z]+)\)", tokens=None, df=0, count=0, example="(Photo: Ann)")
    pack = replace(pack, templates=(*pack.templates, own))
    assert type(pack).from_json(pack.to_json()).templates == pack.templates
    for engine in ("native", "regex"):
        spans = Cleaner(pack, CleanConfig(engine=engine)).spans("A day (Photo: Ben) out.")
        assert spans == [Span(14, 17, ("mine",))]


def slow(monkeypatch: pytest.MonkeyPatch) -> Pack:
    """A pack with an expression that takes the square of a text of one letter, and little time for it."""
    monkeypatch.setattr(linear, "SECONDS", 0.002)
    monkeypatch.setattr(linear, "SECONDS_PER_CHARACTER", 0.0)
    pack = mine(documents())["x.example"]
    own = Template(id="slow", regex="aa.*~|aa+b?", tokens=None, df=0, count=0, example="aab")
    return replace(pack, templates=(*pack.templates, own))


@pytest.mark.parametrize("engine", ["native", "regex"])
def test_an_expression_that_takes_too_long_for_a_text_is_told_by_name(
    engine: Literal["native", "regex"], monkeypatch: pytest.MonkeyPatch
) -> None:
    cleaner = Cleaner(slow(monkeypatch), CleanConfig(engine=engine))
    with pytest.raises(
        CapacityError, match=r"'aa\.\*~\|aa\+b\?' takes longer than 0\.002 s for 5,000 characters; bound"
    ):
        cleaner.spans("a" * 5_000)
    assert [span.templates for span in cleaner.spans("a" * 50 + "b")] == [("slow",)]


def test_the_expressions_of_a_pack_share_the_time_for_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty of them took 36 s for 21,000 characters, each below its own limit."""
    monkeypatch.setattr(linear, "SECONDS", 0.5)
    monkeypatch.setattr(linear, "SECONDS_PER_CHARACTER", 0.0)
    pack = mine(documents())["x.example"]
    own = [
        Template(id=f"slow{n}", regex=f"(?s)a(?:.*z{n})?", tokens=None, df=0, count=0, example=f"az{n}")
        for n in range(30)
    ]
    text = "a" * 5_000
    assert Cleaner(replace(pack, templates=(own[0],))).spans(text)
    with pytest.raises(CapacityError, match="takes longer than"):
        Cleaner(replace(pack, templates=tuple(own))).spans(text)


def test_records_that_take_too_long_are_skipped_and_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    cleaner = RecordCleaner({"x.example": slow(monkeypatch)})
    bodies = ["aab and on", "a" * 5_000, "It goes on, aab."]
    batch = cleaner.clean_batch(Items([("x.example", str(place), {"text": body}) for place, body in enumerate(bodies)]))
    assert [json.loads(line)["text"] for line in batch.data.splitlines()] == ["and on", "It goes on, ."]
    assert [error.where for error in batch.errors] == ["1"]
    assert "cannot be cleaned: the expression" in batch.errors[0].problem
    assert batch.tally.source_counts("x.example").records == 2


def test_gaps_below_the_limit_are_closed() -> None:
    pack = mine(documents())["x.example"]
    text = "Please read our rules before you write.\n\nPlease read our rules before you write."
    assert len(Cleaner(pack, CleanConfig(gap=3)).spans(text)) == 1
    assert len(Cleaner(pack, CleanConfig(gap=2)).spans(text)) == 2
    assert len(Cleaner(pack, CleanConfig(gap=0)).spans(text)) == 2


def test_lone_surrogates_and_nul_are_left_alone() -> None:
    pack = mine(documents())["x.example"]
    for text in (
        "\ud800 Please\nPlease read our rules before you write.",
        "a\0b\nPlease read our rules before you write.",
    ):
        native = Cleaner(pack).spans(text)
        assert native == Cleaner(pack, CleanConfig(engine="regex")).spans(text)
        assert text[native[0].start : native[0].end] == "Please read our rules before you write."


def test_an_unknown_engine_is_refused() -> None:
    pack = mine(documents())["x.example"]
    with pytest.raises(ConfigError, match="engine: expected native or regex, got 'fast'"):
        Cleaner(pack, CleanConfig(engine="fast"))


@pytest.mark.parametrize("engine", ["native", "regex"])
def test_a_text_that_is_boilerplate_nearly_whole_is_marked(engine: str) -> None:
    text = "Sign up for our newsletter today. Yes."
    pack = make_pack(
        [([b"Sign", b"up", b"for", b"our", b"newsletter", b"today."], text[:33])], pattern_set("news"), "-", False
    )
    # 33 of 38 characters go.
    for guard, stubs, left, removed, stub in (
        (0.9, "keep", "Yes.", 1, False),
        (0.9, "clean", "Yes.", 1, False),
        (0.8, "keep", text, 0, True),
        (0.8, "clean", "Yes.", 1, True),
        (33 / 38, "keep", "Yes.", 1, False),
    ):
        done = Cleaner(pack, CleanConfig(guard=guard, stubs=stubs, engine=engine)).clean(text)
        assert (done.text, len(done.removed), done.stub) == (left, removed, stub)
    assert Cleaner(pack).clean(text[:33]).text == ""
    assert Cleaner(pack).clean(text[:33]).stub
    assert not Cleaner(pack).clean("").stub
    with pytest.raises(ConfigError, match="stubs: expected mark, keep, drop or clean, got 'whole'"):
        Cleaner(pack, CleanConfig(stubs="whole"))
    with pytest.raises(ConfigError, match="guard: expected a number from 0 to 1, got 1.5"):
        Cleaner(pack, CleanConfig(guard=1.5))


@pytest.mark.parametrize("engine", ["native", "regex"])
def test_a_cleaner_goes_to_another_process(engine: str) -> None:
    cleaner = Cleaner(mine(documents())["x.example"], CleanConfig(engine=engine, stubs="keep"))
    twin = pickle.loads(pickle.dumps(cleaner))
    assert twin.config == cleaner.config
    for one in documents():
        assert twin.clean(one.text or "") == cleaner.clean(one.text or "")
