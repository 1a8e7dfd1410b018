"""The frame of the page-level systems: what comes of any page, whatever the system."""

from __future__ import annotations

import itertools
import pickle
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from invented_pages import CALL, learn_history, page
from strategies import examples
from templatemine import PageCleaner, errors, extract
from templatemine.config import ExtractConfig, PageConfig
from templatemine.errors import CapacityError, ConfigError
from templatemine.packs.pack import Pack
from templatemine.pages import combine, hybrid, systems
from templatemine.pages.blocks import Page
from templatemine.pages.extract import Extraction, Extractor
from templatemine.pages.systems import SYSTEMS, Post, Site, SystemOutput

OTHER = page(3)


def one(name: str) -> Extractor:
    """A system with all that it may need; skipped where its library is not installed."""
    try:
        return Extractor(name, references=[OTHER])
    except errors.MissingExtraError as error:
        pytest.skip(str(error))


@pytest.fixture(params=list(SYSTEMS))
def system(request: pytest.FixtureRequest) -> Extractor:
    return one(request.param)


# ------------------------------------------------------------------------------------------------------- every system


def test_every_block_says_why(system: Extractor) -> None:
    html = page(1).replace("harbour board", "härbour <b>board</b> 🚢")
    found = system.extract(html)
    assert found.size == len(found.blocks) == len(Page(html))
    assert 0 < found.kept == sum(block.kept for block in found.blocks)
    for block in found.blocks:
        assert block.reason
        assert block.mark in "hpl"
        assert 0 <= block.linked <= block.words
        assert html[block.start : block.end].split()[-1].endswith(block.text.split()[-1])
    assert all(a.end <= b.start for a, b in itertools.pairwise(found.blocks))


def test_the_text_is_that_of_the_kept_blocks(system: Extractor) -> None:
    found = system.extract(page(1))
    lines = []
    for block in found.blocks:
        if block.kept:
            edges = [0, *(edge for cut in block.cuts for edge in cut), len(block.text)]
            pieces = [block.text[a:b].strip() for a, b in zip(edges[::2], edges[1::2], strict=True)]
            lines.append(" ".join(piece for piece in pieces if piece))
    assert found.text == "\n".join(line for line in lines if line)
    assert "The harbour board met" in found.text or "Nobody had expected" in found.text
    assert [line[line.index(">") + 1 :] if line[0] == "<" else line for line in found.marked.splitlines()] == (
        found.text.splitlines()
    )


@pytest.mark.parametrize(
    "html",
    [
        "",
        " ",
        "\0",
        "<",
        "<html>",
        "<body></body>",
        "<p></p>",
        "<!-- <p>never closed",
        "<script>never closed",
        "<table><tr><td><td><tr></table></table></div></p>",
        "<title>T",
        "<frameset><frame src=a.html><frame src='b c.html'></frameset>",
        "word",
        "no body <b>at all</i> and <p>broken <div>mark-up</p> &amp &#0; &#x110000; &nosuch;",
        "\ud800 lone",
        "<p>a\x00b\x01c</p>",
        "<a href=x>Home</a>",
        "<select><option>a<option>b</select>",
        "日本語だけのページです。これは本文です。",
    ],
)
def test_pages_with_next_to_nothing(system: Extractor, html: str) -> None:
    found = system.extract(html)
    assert isinstance(found.text, str)
    assert len(found.blocks) == found.size
    assert found.as_dict(blocks=True)["system"] == system.system
    assert isinstance(found.marked, str)


@pytest.mark.parametrize(
    "data", [b"\xff\xfe\x00", b"\x80\x81 caf\xe9 <p>\xc3", b"<meta charset=gb2312>\xd6\xd0\xce\xc4"]
)
def test_bytes_are_decoded(system: Extractor, data: bytes) -> None:
    assert isinstance(system.extract(data).text, str)


@examples(60)
@given(st.text("<>/=\"'&;# abpdivtlr\n\u4e2d\u00e9!-", max_size=200))
def test_any_text_is_a_page(html: str) -> None:
    for name in SYSTEMS:
        try:
            found = Extractor(name, references=[OTHER]).extract(html)
        except errors.MissingExtraError:
            continue
        assert len(found.blocks) == found.size


SHAPES = {
    "articles": lambda n: "<article>a word, " * (n // 17),
    "deep": lambda n: "<div>" * (n // 10) + "deep words of a page" + "</div>" * (n // 10),
    "unclosed": lambda n: "<b><a href=x><span>word " * (n // 24),
    "one block": lambda n: "<p>" + "word, " * (n // 6),
    "blocks": lambda n: "<p>some words that stand on a line of their own.</p>" * (n // 51),
    "links": lambda n: "<ul>" + "<li><a href=/x>Home</a></li>" * (n // 28) + "</ul>",
    "breaks": lambda n: "one line<br>" * (n // 12),
    "frames": lambda n: "<frame " * (n // 7),
    "titles": lambda n: "<title " * (n // 7),
    "quotes": lambda n: "<a title='" * (n // 10),
    "cells": lambda n: "<table>" + "<tr><td>a b<td>c" * (n // 16),
    "rows": lambda n: "<tr><td>a b<td>c" * (n // 16),
    "paths": lambda n: "".join(f"<div class=c{place}>word " for place in range(n // 22)),
    "attributes": lambda n: "<p " + " ".join(f"a{place}=v" for place in range(n // 9)) + ">words of a page</p>",
    "references": lambda n: "&amp;&#65;&nbsp;&notone;" * (n // 24),
    "templates": lambda n: "<template><p>words in it<![CDATA[ text <p> ]]>" * (n // 46) + "<p>words of a page",
    "scripts": lambda n: "<script type=application/ld+json>" * (n // 33),
    "metas": lambda n: "<meta name=date content=" * (n // 24),
    "posts": lambda n: "<div class='post entry'>a b</div>" * (n // 34),
    "lines": lambda n: "\n \t" * (n // 3) + "a word",
    "ends": lambda n: "<div><span>" * (n // 22) + "x</p></b></td>" * (n // 28),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_time_is_linear(system: Extractor, shape: str) -> None:
    """Sixteen times the page takes about sixteen times as long, on shapes that invite worse; 256 would be quadratic.

    Some systems hand small pages of a shape to another one, and have the larger cost from some size on: up to 90 times.
    """
    small, large = SHAPES[shape](40_000), SHAPES[shape](640_000)

    def seconds(html: str) -> float:
        begin = time.process_time()
        system.extract(html).as_dict()
        return time.process_time() - begin

    bound = 160 * max(min(seconds(small), seconds(small)), 0.002)
    assert seconds(large) < bound or seconds(large) < bound


# ---------------------------------------------------------------------------------------------------------- the frame


def verdict(size: int, **more: object) -> SystemOutput:
    full = {"kept": np.ones(size, np.bool_), "reason": np.zeros(size, np.int8), "reasons": ("so it is",)}
    return SystemOutput(**{**full, **more})  # type: ignore[arg-type]


def test_what_is_cut_out_of_a_block() -> None:
    at = Page("<p>posted by Jack F. in May</p><p>gone</p>")
    found = Extraction(at, verdict(2, cuts={0: ((0, 10), (17, 24)), 1: ((0, 4),)}), "some")
    assert found.text == "Jack F."
    assert found.marked == "<p>Jack F."
    assert found.blocks[0].cuts == ((0, 10), (17, 24))
    assert found.blocks[0].text == "posted by Jack F. in May"


def test_marks() -> None:
    at = Page(
        "<h2>Head</h2><p>one<br>two<br><br>three</p><ul><li>item<li><p>item</p><h3>sub</h3></ul>"
        "<blockquote>said</blockquote>"
    )
    assert Extraction(at, verdict(8), "some").marked.splitlines() == [
        "<h>Head", "<p>one", "two", "<p>three", "<l>item", "<l>item", "<h>sub", "<p>said",
    ]  # fmt: skip


def test_a_line_goes_on_only_after_the_line_before() -> None:
    at = Page("<p>one<br>two<br>three</p>")
    found = Extraction(at, verdict(3, kept=np.array([True, False, True])), "some")
    assert found.marked.splitlines() == ["<p>one", "<p>three"]


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title>The &amp; page\n - site</title><p>text", "The & page - site"),
        ("<title>Page</title><p>text<h2>Headline</h2>", "Headline"),
        ("<p>text", None),
        ("<title>  </title><p>text", None),
        ("<title>A <b>bold</b> one", "A"),
        ("<title>A <b> tag</title><p>text", "A <b> tag"),
        ("<svg><title>Icon</title></svg><!--<title>Old</title>--><script>'<title>x'</script><title>Page</title>", "Page"),
        ("<title>Boats leave harbour - The Times</title><h1>The Times</h1><h2>Boats leave the harbour</h2><p>text",
         "Boats leave the harbour"),
        ("<title>Boats leave harbour</title><h2>Links</h2><div>Boats leave the harbour</div><p>text",
         "Boats leave the harbour"),
        ("<title>船が港を出る – THE TIMES ブログ</title><h1>THE TIMES ブログ</h1><h2>リンク</h2><h2>船が港を出る</h2><p>本文",
         "船が港を出る"),
        ("<title>船が港を出る | Times</title><h2>Times</h2><a href=/>Times</a><div>船が港を出る</div><p>本文", "船が港を出る"),
        ("<title>배가 항구를 떠난다 - Times</title><h2>목록</h2><div>배가 항구를 떠난다</div><p>text", "배가 항구를 떠난다"),
        ("<title>船が港を出る</title><h2>リンク</h2><p>本文", "リンク"),
        ("<title>Blog</title><h2>Monday, May 6, 2013</h2><p>text<h3>Headline</h3>", "Headline"),
    ],
)  # fmt: skip
def test_titles(html: str, title: str | None) -> None:
    at = Page(html)
    assert Extraction(at, verdict(len(at)), "some").title == title
    assert Extraction(at, verdict(len(at), title="Own"), "some").title == "Own"


def test_a_heading_that_was_kept_is_the_title() -> None:
    at = Page("<h2>Links</h2><h1>Headline</h1><p>text<h3>More</h3>")
    for kept, title in (([0, 1, 1, 1], "Headline"), ([0, 0, 1, 0], "Links"), ([0, 0, 0, 1], "More")):
        assert Extraction(at, verdict(4, kept=np.array(kept, np.bool_)), "some").title == title


STORY = "<p>" + "word " * 20


@pytest.mark.parametrize(
    ("html", "date"),
    [
        ("<h1>Title</h1>", None),
        (STORY, None),
        (f"<h1>Title</h1><p>By A. Writer, 4 March 2020</p>{STORY}", "2020-03-04"),
        (f"<p>4 March 2020</p><h1>Title</h1><p>By A. Writer{STORY}", "2020-03-04"),
        (f"<p>4 March 2020</p><h1>Title</h1><p>5 March 2020{STORY}", "2020-03-05"),
        (f"<h1>Title</h1>{STORY}<p>4 March 2020", None),
        (f"<h1>Title</h1><p>{'in ' * 30} 4 March 2020{STORY}", None),
        (f"<meta name=date content=2019-01-02><h1>Title</h1><p>4 March 2020{STORY}", "2019-01-02"),
        (f"<meta name=date content=0001-01-01><h1>Title</h1><p>4 March 2020{STORY}", "2020-03-04"),
        (f"<meta name=date content=0001-01-01><meta name=pubdate content='5 May 2005'>{STORY}", "2005-05-05"),
    ],
)
def test_dates(html: str, date: str | None) -> None:
    at = Page(html)
    assert Extraction(at, verdict(len(at)), "some").date == date
    assert Extraction(at, verdict(len(at), date="2001-01-01"), "some").date == "2001-01-01"
    posts = (Post(text="text", blocks=(0,)),)
    if len(at):
        assert Extraction(at, verdict(len(at), posts=posts), "some").date is None


@pytest.mark.parametrize("system", SYSTEMS)
def test_dates_are_found_whatever_the_system(system: str) -> None:
    html = "<meta property='article:published_time' content='2020-03-04T05:06:07Z'>" + page(1)
    assert one(system).extract(html).date == "2020-03-04T05:06:07+00:00"


def test_all_that_is_known_is_in_the_dict() -> None:
    at = Page("<p>text")
    posts = (Post(text="text", title="One", date="2004-03-01", blocks=(0,)),)
    more = {"date": "2004-03-01", "posts": posts, "note": "odd", "score": np.array([0.25]), "labels": ["good"]}
    found = Extraction(at, verdict(1, **more), "some").as_dict(blocks=True)
    assert found == {
        "system": "some",
        "date": "2004-03-01",
        "text": "text",
        "posts": [{"title": "One", "date": "2004-03-01", "text": "text"}],
        "note": "odd",
        "blocks": [
            {"start": 3, "end": 7, "text": "text", "path": "p", "words": 1, "linked": 0, "kept": True,
             "reason": "so it is", "mark": "p", "label": "good", "score": 0.25},
        ],
    }  # fmt: skip


def test_a_page_of_frames_says_so() -> None:
    found = extract("<frameset><frame src=a.html><frame name=x src='b.html'><frame src=a.html></frameset>")
    assert found.text == ""
    assert found.note == "a page of frames without a text of its own; they show a.html, b.html"


def test_what_is_no_page_says_so() -> None:
    found = extract("A first paragraph\nof two lines.\n\nA second one.", "bte")
    assert (found.text, found.note) == (
        "A first paragraph of two lines.\nA second one.",
        "no tag in it; taken as plain text",
    )
    json = "no HTML but JSON, by how it begins and ends; taken as it is"
    for html in ('{"body": "<p>text"}\n', "[1, 2]"):
        assert extract(html, "bte").note == json
    assert extract("", "bte").note == extract("{", "bte").note == ""


def test_a_page_with_words_does_not_give_nothing_silently() -> None:
    links = "<p>" + "<a href=x>some words that are links</a> " * 20
    found = extract(links, "shallow")
    assert (found.text, found.note) == ("", "nothing was kept of 50 words or more")
    assert extract("<p><a href=x>Home</a>", "shallow").note == ""
    assert extract(f"<div hidden>{links}", "shallow").note == ""
    assert extract(links).note == ""


def test_a_page_that_scripts_write_is_told() -> None:
    script = "<SCRIPT>document.write('A story of many words.')</SCRIPT>"
    frame = "<html><body><nav><a href=/>Home</a> <a href=/now>Now</a></nav>"
    for html in (f"<html><body>{script}", f"{frame}{script}"):
        assert "run them with templatemine.pages.render" in extract(html).note
    story = "<p>Ann wrote one word after another, ten in all, and then no more.</p>"
    thai = "<p>" + "\u0e02\u0e48\u0e32\u0e27" * 300
    for html in (frame, f"{frame}<scripture>", f"<html><body>{story}{script}", f"<html><body>{thai}{script}"):
        assert extract(html).note == "", html
    assert "JSON" in extract(f'{{"html": "{script}"}}').note


@pytest.mark.parametrize(("rows", "notice", "told"), [(66, 20, False), (67, 20, True), (67, 29, True), (67, 30, False)])
def test_hardly_anything_of_a_long_page_is_told(rows: int, notice: int, told: bool) -> None:
    """A notice of cookies is no story; what else the page shows stands in three words a row, in no link."""
    table = "".join(f"<tr><td>Line {number}</td><td>delayed</td></tr>" for number in range(rows))
    page_ = f"<p>{'cookies ' * notice}</p><table>{table}</table>"
    found = extract(page_, "bte")
    assert found.text == " ".join(["cookies"] * notice)
    assert found.note == ("fewer than 30 words were kept beside 200 or more outside of links" if told else "")
    for other in (page_.replace("<table>", "<table hidden>"), page_.replace("delayed", "<a href=x>delayed</a>")):
        assert extract(other, "bte").note == ""


def test_a_page_of_too_many_blocks_is_refused_and_passed_over() -> None:
    html = "<p>a" * ((1 << 20) + 1)
    with pytest.raises(CapacityError, match="a page of more than 1,048,576 blocks"):
        extract(html, system="bte")
    pages = [page(number) for number in range(12)]
    assert learn_history([html, *pages], PageConfig()) == learn_history(pages, PageConfig())


def test_an_unknown_system() -> None:
    with pytest.raises(ConfigError, match="system: expected one of hybrid, .*got 'nosuch'"):
        extract("<p>a", system="nosuch")
    assert systems.DEFAULT in SYSTEMS


# ------------------------------------------------------------------------------------------------------------- hybrid


def packs(pages: list[str]) -> dict[str, Pack]:
    from templatemine import Document, mine

    return mine([Document(source="lantern.example", id=str(n), html=html) for n, html in enumerate(pages)])


def test_hybrid_is_the_page_cleaner() -> None:
    pages = [page(number, CALL) for number in range(12)]
    history = learn_history(pages, PageConfig())
    known = packs(pages)
    assert known["lantern.example"].pages == history
    for html in (page(77, CALL), page(78)):
        assert extract(html).text == PageCleaner().clean(html).text
        assert extract(html, packs=known).text == PageCleaner(history).clean(html).text
        assert extract(html, packs=known, source="lantern.example").text == PageCleaner(history).clean(html).text
        assert extract(html, packs=known, source="other.example").text == PageCleaner().clean(html).text
    assert "Readers have stood" not in extract(page(77, CALL), packs=known).text


def test_hybrid_says_where_the_history_decided() -> None:
    known = packs([page(number, CALL) for number in range(12)])
    html = page(77, CALL)
    alone, found = extract(html), extract(html, packs=known)
    turned = [(old, new) for old, new in zip(alone.blocks, found.blocks, strict=True) if old.kept != new.kept]
    assert turned
    assert all(
        new.reason == hybrid.REASONS[hybrid.HISTORY_KEPT if new.kept else hybrid.HISTORY_DROPPED] for _, new in turned
    )
    assert {block.reason for block in alone.blocks}.isdisjoint(hybrid.REASONS[hybrid.HISTORY_DROPPED :])


@pytest.mark.parametrize("system", [name for name in SYSTEMS if name != "hybrid"])
def test_every_system_takes_a_pack(system: str) -> None:
    """What the site's pages never have in their stories is held back, whatever the system makes of it."""
    known = packs([page(number, CALL) for number in range(12)])
    html, references = page(77, CALL), [page(1)]
    alone = extract(html, system, references=references)
    found = extract(html, system, references=references, packs=known)
    told = {block.text: block for block in found.blocks}
    before = {block.text: block for block in alone.blocks}
    assert set(found.text.splitlines()) < set(alone.text.splitlines()) or found.text == alone.text
    assert "Readers have stood" not in found.text
    for text, block in told.items():
        if block.kept != before[text].kept:
            assert block.reason in combine.REASONS
        else:
            assert block.reason == before[text].reason
    assert extract(html, system, references=references, packs=known, source="other.example").text == alone.text


def test_a_page_without_anything_else_keeps_its_boilerplate() -> None:
    known = packs([page(number, CALL) for number in range(12)])
    html = f"<html><body>{CALL}</body></html>"
    assert extract(html, "bte", packs=known).text == extract(html, "bte").text


def test_posts_lose_what_the_site_repeats() -> None:
    call = "<p>Readers have stood by this blog for many long years now, and it stands by them in return.</p>"

    def post(number: int) -> str:
        return (
            page(number)
            .replace("</h1>", f"</h1><div class=hentry><div class=entry-content>{call}")
            .replace("</body>", "</div></div></body>")
        )

    html = post(77)
    alone = extract(html, "blog")
    found = extract(html, "blog", packs=packs([post(number) for number in range(12)]))
    assert "Readers have stood" in alone.posts[0].text
    assert "Readers have stood" not in found.posts[0].text
    assert found.posts[0].text == found.text


def test_two_packs_need_a_source() -> None:
    known = packs([page(number) for number in range(12)])
    both = {**known, "other.example": known["lantern.example"]}
    with pytest.raises(ConfigError, match=r"source: .*one of lantern\.example, other\.example"):
        extract(page(1), packs=both)


def test_a_site_without_a_pack_has_no_history() -> None:
    assert Site().history is None
    assert combine.load_system("hybrid", Site(), ExtractConfig())(Page(page(1))).kept.any()


def test_an_extractor_goes_to_another_process(system: Extractor) -> None:
    copied = pickle.loads(pickle.dumps(system))
    assert copied.extract(page(1)).text == system.extract(page(1)).text
