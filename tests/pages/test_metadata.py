"""What pages say of themselves, by field and by where they say it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templatemine import extract
from templatemine.pages.names import find_licence, find_names, normalise_language

STORY = "<p>The harbour board met on Monday to talk of cranes and of boats, and of who is to pay for them all.</p>" * 4


def about(head: str = "", body: str = "", html: str = "<html>", url: str | None = None) -> dict[str, Any]:
    page = f"{html}<head><title>The crane</title>{head}</head><body><h1>The crane</h1>{body}{STORY}"
    return extract(page, url=url).metadata.as_dict()


def linked(**said: Any) -> str:
    return f"<script type='application/ld+json'>{json.dumps({'@type': 'NewsArticle', **said})}</script>"


@pytest.mark.parametrize(
    ("head", "body", "field", "expected"),
    [
        (linked(author={"name": "Ana Sousa"}), "", "authors", ["Ana Sousa"]),
        (linked(author=[{"name": "Ana Sousa"}, "Rui Reis"]), "", "authors", ["Ana Sousa", "Rui Reis"]),
        (linked(author={"@id": "#a"}, about={"@id": "#a", "@type": "Person", "name": "Ana Sousa"}), "", "authors", ["Ana Sousa"]),
        (linked(author={"name": "Centre for Research and Ships"}), "", "authors", ["Centre for Research and Ships"]),
        ("<meta name=author content='Ana Sousa and Rui Reis'>", "", "authors", ["Ana Sousa", "Rui Reis"]),
        ("<meta name=citation_author content='Sousa, Ana'>", "", "authors", ["Ana Sousa"]),
        ("", "<a rel=author href=/a>Ana Sousa</a>", "authors", ["Ana Sousa"]),
        ("", "<p class=byline>By <a href=/a>Ana Sousa</a>, 3 May 2024</p>", "authors", ["Ana Sousa"]),
        ("", "<span itemprop=author><b itemprop=name>Ana Sousa</b> editor</span>", "authors", ["Ana Sousa"]),
        ("", "<p>By Ana Sousa</p>", "authors", ["Ana Sousa"]),
        ("", "<figure><p class=author>Ana Sousa</p></figure>", "authors", None),
        (linked(datePublished="2024-05-03T08:00:00Z"), "", "date", "2024-05-03T08:00:00+00:00"),
        ("<meta property=article:published_time content=2024-05-03>", "", "date", "2024-05-03"),
        ("", "<time class=published datetime=2024-05-03>yesterday</time>", "date", "2024-05-03"),
        ("<meta property=article:modified_time content=2024-05-04>", "", "modified", "2024-05-04"),
        ("<meta property=og:site_name content='Harbour  News'>", "", "site", "Harbour News"),
        (linked(publisher={"name": "Harbour News"}), "", "site", "Harbour News"),
        ("<meta property=og:locale content=pt_BR>", "", "language", "pt-BR"),
        ("<meta http-equiv=content-language content='de, en'>", "", "language", "de"),
        ("<meta property=article:tag content=ships><meta property=article:tag content=cranes>", "", "tags", ["ships", "cranes"]),
        ("", "<a rel=tag href=/t>ships</a><a rel='category tag' href=/c>News</a>", "tags", ["ships"]),
        ("", "<a rel='category tag' href=/c>News</a>", "categories", ["News"]),
        (linked(articleSection="News"), "", "categories", ["News"]),
        ("<meta name=description content='A &amp; B'>", "", "description", "A & B"),
        ("<link rel=canonical href=/x>", "", "url", "http://e.org/x"),
        ("", "", "url", "http://e.org/d/"),
        ("<meta property=og:image content=/i.png>", "", "image", "http://e.org/i.png"),
        (linked(), "", "kind", "NewsArticle"),
        ("<meta property=og:type content=article>", "", "kind", "article"),
        ("<link rel=license href=https://creativecommons.org/licenses/by-sa/4.0/>", "", "licence", "CC BY-SA 4.0"),
        ("", "<a rel=license href=/l>Open Licence</a>", "licence", "Open Licence"),
        ("<meta property=og:title content='A crane | Harbour News'><meta property=og:site_name content='Harbour News'>", "", "title", "A crane"),
        ("<!-- <meta property=og:title content=Hidden> -->", "", "title", "The crane"),
        ("<meta property=og:title content='A crane -- E.org'>", "", "title", "A crane"),
        ("<meta property=og:title content='The E.org: A crane'>", "", "title", "The E.org: A crane"),
        (linked(author="Harbour News", publisher={"name": "Harbour News"}), "<p>By Ana Sousa</p>", "authors", ["Ana Sousa"]),
        (linked(author="Harbour News", publisher={"name": "Harbour News"}), "", "authors", ["Harbour News"]),
        (linked(author={"@type": "Person", "name": "Eorg"}), "<p>By Ana Sousa</p>", "authors", ["Eorg"]),
        ("<script type=application/ld+json>{\"@type\": \"WebPage\", \"datePublished\": \"2024-05-03\"}</script>", "", "date", "2024-05-03"),
        ("<link rel=canonical href=/20240503/crane.html>", "", "date", "2024-05-03"),
    ],
)  # fmt: skip
def test_fields(head: str, body: str, field: str, expected: Any) -> None:
    assert about(head, body, url="http://e.org/d/").get(field) == expected


@pytest.mark.parametrize(
    ("title", "body", "expected", "site"),
    [
        ("Cranes » Harbour and Fishery News of the North", "", "Cranes", None),
        ("The Harbour News | Cranes", "", "Cranes", "The Harbour News"),
        ("Cranes - Harbour News", "", "Cranes", "Harbour News"),
        ("harbournews.org", "<h1>Cranes</h1>", "Cranes", None),
        ("Cranes", "", "Cranes", None),
    ],
)
def test_what_title_says_beside_the_name_of_the_site(title: str, body: str, expected: str, site: str | None) -> None:
    found = extract(f"<title>{title}</title>{body}", url="https://www.harbournews.org/a").metadata
    assert (found.title, found.site) == (expected, site)


def test_the_language_of_the_page_comes_first() -> None:
    assert about("<meta property=og:locale content=en_US>", html="<html lang=zh-hant-tw>")["language"] == "zh-Hant-TW"
    assert "language" not in about()


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("en", "en"),
        ("EN_us", "en-US"),
        ("iw", "he"),
        ("sr_latn_RS", "sr-Latn-RS"),
        ("es-419", "es-419"),
        ("und", None),
        ("", None),
        ("english please", None),
        ("de_DE.UTF-8", "de-DE"),
        ("jp", "ja"),
    ],
)
def test_languages(written: str, expected: str | None) -> None:
    assert normalise_language(written) == expected


def test_licences() -> None:
    zero = "https://creativecommons.org/publicdomain/zero/1.0/"
    assert find_licence([("", ""), ("", zero)]) == ("CC0 1.0", zero)
    assert find_licence([]) == (None, None)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("By Ana Sousa", ("Ana Sousa",)),
        ("By:Ana Sousa", ("Ana Sousa",)),
        ("Ana Sousa, Rui Reis and Eva Lima", ("Ana Sousa", "Rui Reis", "Eva Lima")),
        ("Ana Sousa Nov. 19, 2019", ("Ana Sousa",)),
        ("Ana Sousa from The News", ("Ana Sousa",)),
        ("Von Jürgen Groß und Eva Lima", ("Jürgen Groß", "Eva Lima")),
        ("作者：王小明", ("王小明",)),
        ("admin", ()),
        ("Read more", ()),
        ("We got her!", ()),
    ],
)
def test_names(written: str, expected: tuple[str, ...]) -> None:
    assert find_names([written]) == expected


@given(st.text(max_size=60))
def test_any_text_may_be_a_name_or_a_language(text: str) -> None:
    assert all(find_names([text]))
    assert normalise_language(text) != ""
    extract(f"<html lang='{text}'><meta name=author content=\"{text}\"><p class=author>{text}</p>").metadata.as_dict()


def _page(head: str, story: str, behind: str = "") -> str:
    paragraphs = "".join(f"<p>{words}</p>" for words in (
        "The mill at Overbeck was built by a family that sold its meadow and never said a word of that to anybody.",
        "It has stood beside the brook since then, through two floods and a fire that nobody in the town forgot.",
        "Its wheel is turned by hand in every dry summer, as the oldest people of the town remember quite well.",
    ))  # fmt: skip
    title = "The mill at Overbeck opens its gates"
    top = f"<title>{title} | Overbeck Post</title>{head}<main><article><h1>{title}</h1>"
    return f"{top}{story}{paragraphs}</article>{behind}</main>"


def test_authors_of_teasers_are_no_authors() -> None:
    byline = '<div class="byline">Posted <time datetime="2018-03-01T10:00:00-08:00">Mar 1, 2018</time> by <a rel="author" href="/w">Wren Okafor</a></div>'
    teasers = "".join(
        f'<div><h3><a href="/{n}">Another story of number {n} in the town</a></h3><div class="byline">'
        f'<time datetime="2018-03-02">{n} hours ago</time> <a rel="author" href="/a{n}">{name}</a></div></div>'
        for n, name in enumerate(("Ilse Marrow", "Tobin Ekdahl", "Farah Quill"), 1)
    )
    found = extract(_page("", byline, teasers)).metadata
    assert found.authors == ("Wren Okafor",)
    assert found.date is not None
    assert found.date[:10] == "2018-03-01"
    assert found.modified is None


def test_organisations_beside_persons_are_no_authors() -> None:
    people = [{"@type": "Person", "name": "Nadia Brandt"}, {"@type": "NewsMediaOrganization", "name": "Overbeck Post"}]
    for authors, wanted in ((people, ("Nadia Brandt",)), (people[1:], ("Overbeck Post",))):
        thing = json.dumps({"@type": "NewsArticle", "headline": "The mill", "author": authors})
        html = _page(f'<script type="application/ld+json">{thing}</script>', "")
        assert extract(html).metadata.authors == wanted


@pytest.mark.parametrize(
    ("line", "date", "modified"),
    [
        ("on February 14, 2012 at 8:00 AM, updated February 15, 2012 at 9:12 AM", "2012-02-14", "2012-02-15"),
        ("Updated February 15, 2012, published February 14, 2012", "2012-02-14", "2012-02-15"),
        ("February 15, 2012 (updated), February 14, 2012 (posted)", "2012-02-14", "2012-02-15"),
        ('Published <time datetime="2012-02-14">14 Feb</time> Updated <time datetime="2012-02-15">15 Feb</time>', "2012-02-14", "2012-02-15"),
        ('Published: <time datetime="2012-02-14">14 February 2012</time>', "2012-02-14", None),
        ('<span>입력 2012-02-14 15:47:38</span> <span>수정 2012-02-15 04:10:02</span> <span>지면정보 2012-02-15 A10면</span>', "2012-02-14T15:47:38", "2012-02-15T04:10:02"),
    ],
)  # fmt: skip
def test_dates_of_update_are_told_from_those_of_publication(line: str, date: str, modified: str | None) -> None:
    found = extract(_page("", f'<p class="info">{line}</p>'))
    assert (found.metadata.date, found.metadata.modified) == (date, modified)
    assert found.as_dict(metadata=True)["date"] == date


def test_what_is_escaped_twice_is_text() -> None:
    head = (
        '<meta name="description" content="&lt;p style=&quot;x&quot;&gt;The weir su&amp;eacute;de is long &amp;amp; sad.&lt;/p&gt;">'
        '<meta property="og:title" content="The mill &amp;amp; the weir">'
    )
    found = extract(_page(head, "")).metadata
    assert found.description == "The weir suéde is long & sad."
    assert found.title == "The mill & the weir"
