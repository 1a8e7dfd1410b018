"""Feeds as they are out there: RSS and Atom, with broken XML and worse."""

from __future__ import annotations

import time
import tracemalloc
from pathlib import Path

import pytest

from io_support import gather
from templatemine import extract
from templatemine.config import MarkupConfig, ReadConfig

pytest.importorskip("feedparser")
pytest.importorskip("tldextract")

from templatemine.io import feed

RSS = """<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
<title>News</title><link>http://www.example.co.uk/</link>
<item><guid>g1</guid><title>A &amp; B</title><link>http://feeds.other.org/1</link>
<pubDate>Mon, 06 Sep 2021 00:01:00 +0200</pubDate><description>short</description>
<content:encoded><![CDATA[<p>Long <script>kept()</script> <a href="/x">é</a></p>]]></content:encoded></item>
<item><link>http://www.example.co.uk/2</link><description>Only &lt;b&gt;this&lt;/b&gt;</description></item>
<item><title>nothing</title></item>
</channel></rss>"""

ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><link href="http://blog.example.org/"/>
<entry><id>i</id><link href="http://blog.example.org/1"/><updated>2024-01-02T03:04:05Z</updated>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Hi</p></div></content></entry>
<entry><id>j</id><content type="text">1 &lt; 2</content></entry></feed>"""


def put(tmp_path: Path, data: str | bytes, name: str = "a.xml") -> Path:
    (tmp_path / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    return tmp_path / name


def test_rss(tmp_path: Path) -> None:
    path = put(tmp_path, RSS)
    (one, two), (error,), report = gather(path)
    assert one.document.id == "g1"
    assert one.document.source == "other.org"
    assert one.document.title == "A & B"
    assert one.document.date == "2021-09-05T22:01:00Z"
    assert one.document.html == '<p>Long <script>kept()</script> <a href="/x">é</a></p>'
    assert list(one.fields) == ["id", "source", "url", "date", "title", "html"]
    assert (two.document.id, two.document.source) == ("http://www.example.co.uk/2", "example.co.uk")
    assert two.document.html == "Only <b>this</b>"
    assert error.where == f"{path}:3"
    assert report.notes == {}


def test_names_of_fields(tmp_path: Path) -> None:
    item = "<item><title>One</title><link>http://a.example/1</link><description>text</description></item>"
    path = put(tmp_path, f'<rss version="2.0"><channel>{item}</channel></rss>')
    (one,), _, _ = gather(path, ReadConfig(url_field="link", title_field="headline"))
    assert (one.fields["link"], one.fields["headline"]) == (one.document.url, one.document.title)
    assert one.document.title == "One"
    assert not {"url", "title"} & one.fields.keys()


def test_atom(tmp_path: Path) -> None:
    (one, two), errors, _ = gather(put(tmp_path, ATOM, "a.atom.gz".removesuffix(".gz")))
    assert one.document.html == "<p>Hi</p>"
    assert one.document.date == "2024-01-02T03:04:05Z"
    assert (two.document.text, two.document.html, two.document.source) == ("1 < 2", None, "example.org")
    assert errors == []


@pytest.mark.parametrize(
    "broken",
    [RSS[:-40], RSS.replace("A &amp; B", "A & B"), RSS.replace("short", "<b>"), RSS.replace("short", "\x0b")],
)
def test_broken_xml(tmp_path: Path, broken: str) -> None:
    found, _, report = gather(put(tmp_path, broken))
    assert found[0].document.html == '<p>Long <script>kept()</script> <a href="/x">é</a></p>'
    assert report.notes == {feed.MALFORMED: 1}


@pytest.mark.parametrize("coding", ["utf-8", "utf-16"])
def test_an_item_that_the_end_of_the_file_cuts_off_is_told_and_not_given_as_its_summary(
    tmp_path: Path, coding: str
) -> None:
    whole = RSS.replace("utf-8", coding)
    cut = whole[: whole.index("<script>")].encode(coding)
    found, (error,), report = gather(put(tmp_path, cut))
    assert found == []
    assert error.where.endswith("a.xml:1")
    assert error.problem == "expected the end of the item, found that of the file, which is cut off"
    assert report.notes == {feed.MALFORMED: 1}
    (entry,), (error,), _ = gather(put(tmp_path, ATOM[: ATOM.index(" 2</content>")]))
    assert entry.document.html == "<p>Hi</p>"
    assert "cut off" in error.problem


def test_items_before_the_place_where_a_feed_is_cut_off_are_whole(tmp_path: Path) -> None:
    found, errors, _ = gather(put(tmp_path, RSS[: RSS.index("<item><title>nothing")]))
    assert [one.document.id for one in found] == ["g1", "http://www.example.co.uk/2"]
    assert errors == []


def test_a_character_set_that_lies(tmp_path: Path) -> None:
    found, _, report = gather(put(tmp_path, RSS.encode("cp1252")))
    assert "é" in str(found[0].document.html)
    assert report.notes == {feed.MALFORMED: 1}


def entity(declarations: str, body: str) -> str:
    return (
        f'<?xml version="1.0"?><!DOCTYPE rss [{declarations}]><rss version="2.0"><channel>'
        f"<item><description>{body}</description></item></channel></rss>"
    )


def test_no_external_entities(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("TOP-SECRET")
    for declaration in (
        f'<!ENTITY x SYSTEM "file://{secret}">',
        f'<!ENTITY % p SYSTEM "file://{secret}"> %p;',
        f'<!ENTITY x PUBLIC "a" "file://{secret}">',
    ):
        found, _, _ = gather(put(tmp_path, entity(declaration, "before &x; after")))
        assert all("TOP-SECRET" not in one.document.body for one in found)


def test_short_entities_are_known(tmp_path: Path) -> None:
    found, _, _ = gather(put(tmp_path, entity("<!ENTITY nb \"&#160;\"><!ENTITY shop 'The shop'>", "a&nb;&shop;")))
    assert found[0].document.body == "a\xa0The shop"


def test_entities_do_not_unfold_without_end(tmp_path: Path) -> None:
    laughs = '<!ENTITY a "' + "lol" * 10 + '">'
    laughs += "".join(f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9))
    blowup = entity('<!ENTITY a "' + "lol" * 20_000 + '">', "&a;" * 2_000)
    for data in (entity(laughs, "x &j; y"), blowup):
        path = put(tmp_path, data)
        tracemalloc.start()
        found, _, _ = gather(path)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert sum(len(one.document.body) for one in found) <= len(data)
        assert peak < 100 * len(data) + 10_000_000


@pytest.mark.parametrize(
    "data", ["", "no xml", "<html><p>a page</p></html>", "<urlset><url><loc>http://a/</loc></url></urlset>"]
)
def test_no_feed(tmp_path: Path, data: str) -> None:
    found, (error,), _ = gather(put(tmp_path, data))
    assert found == []
    assert not error.fatal
    found_there = "a sitemap, which crawl reads" if "<urlset>" in data else "none"
    assert error.problem == f"expected a feed (RSS, Atom, CDF or JSON Feed), found {found_there}"


def test_too_large(tmp_path: Path) -> None:
    _, (error,), _ = gather(put(tmp_path, RSS), ReadConfig(max_record=100))
    assert error.problem == "expected at most 100 bytes (ReadConfig.max_record), found more"


def test_a_folder_of_feeds(tmp_path: Path) -> None:
    (tmp_path / "f").mkdir()
    put(tmp_path / "f", RSS, "1.xml")
    put(tmp_path / "f", ATOM, "2.atom")
    put(tmp_path / "f", "<urlset/>", "sitemap.xml")
    found, errors, _ = gather(tmp_path / "f")
    assert [one.document.source for one in found] == ["other.org", "example.co.uk", "example.org", "example.org"]
    assert len(errors) == 2
    assert len(gather(tmp_path / "f", ReadConfig(format="feed"))[0]) == 4


def test_no_address_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    def refuse(*_: object) -> None:
        pytest.fail("a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    gather(put(tmp_path, "http://127.0.0.1:9/feed"))
    gather(put(tmp_path, RSS))


# ---------------------------------------------------------------------------------- feeds of ../shared/cases/16-feeds

STORY = "The ferry board met on Monday and voted to keep the winter timetable for two more years, against the mayor."
MEDIA = """<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" xmlns:{p}="http://search.yahoo.com/mrss/">
<channel><title>N</title><link>http://n.example/</link>
<item><title>One</title><link>http://n.example/1</link><description>{story}</description>
<{p}:content url="http://n.example/1.jpg"><{p}:credit>P. Vane</{p}:credit>
<{p}:description>{caption}</{p}:description></{p}:content></item>
<item><title>Two</title><link>http://n.example/2</link><{p}:description>{caption}</{p}:description>
<description>{story}</description></item>
<item><{p}:group><{p}:title>A pump</{p}:title><{p}:description type="plain">{caption}</{p}:description></{p}:group>
<title>Three</title><link>http://n.example/3</link><description>&lt;p&gt;{story}&lt;/p&gt;</description></item>
<item><title>Four</title><link>http://n.example/4</link><{p}:description>{caption}</{p}:description></item>
</channel></rss>"""


@pytest.mark.parametrize("prefix", ["media", "m", "yahoo.media"])
@pytest.mark.parametrize("caption", ["The ferry in March.", "The ferry in March, seen from the old pier. " * 9])
def test_texts_about_media_are_not_the_story(tmp_path: Path, prefix: str, caption: str) -> None:
    path = put(tmp_path, MEDIA.format(p=prefix, story=STORY, caption=caption))
    records, (error,), _ = gather(path)
    assert [one.document.title for one in records] == ["One", "Two", "Three"]
    assert [one.document.body for one in records] == [STORY, STORY, f"<p>{STORY}</p>"]
    assert error.where == f"{path}:4"  # it has nothing but a caption


def test_a_tag_of_media_that_a_story_quotes(tmp_path: Path) -> None:
    story = "<p>Use &lt;media:description&gt; or <media:description>this</media:description>.</p>"
    item = f"<item><link>http://a.example/1</link><description><![CDATA[{story}]]></description></item>"
    (one,), _, _ = gather(put(tmp_path, f'<rss version="2.0"><channel>{item}</channel></rss>'))
    assert one.document.html == story


@pytest.mark.parametrize(
    ("description", "content", "wanted"),
    [
        ("short", f"<p>{STORY}</p>", f"<p>{STORY}</p>"),
        (STORY, "<p>short</p>", STORY),
        (STORY, f"<img src='http://a.example/{'x' * 400}.jpg'>", STORY),
        (STORY, "", STORY),
        (STORY, "   ", STORY),
    ],
)
def test_the_longest_text_is_the_story(tmp_path: Path, description: str, content: str, wanted: str) -> None:
    item = (
        f"<item><link>http://a.example/1</link><description>{description}</description>"
        f"<content:encoded><![CDATA[{content}]]></content:encoded></item>"
    )
    head = '<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>'
    (one,), _, _ = gather(put(tmp_path, f"{head}{item}</channel></rss>"))
    assert one.document.body == wanted


KOT = """<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://kot.example/"><id>urn:k</id>
<entry><title>One</title><id>urn:1</id><link rel="alternate" href="24/05/one"/><updated>2024-05-04T00:00:00Z</updated>
<content type="html" xml:base="http://kot.example/24/05/one/">&lt;p&gt;{story} &lt;a href="two"&gt;two&lt;/a&gt;
&lt;a href='/top?a=1&amp;amp;b=2'&gt;top&lt;/a&gt; &lt;a href="http://other.example/"&gt;other&lt;/a&gt;&lt;/p&gt;</content></entry>
<entry><title>Two</title><id>urn:2</id><link href="/24/05/two"/><updated>2024-05-04T00:00:00Z</updated>
<summary>short</summary><content type="html">&lt;p&gt;{story} &lt;a href="http://other.example/"&gt;x&lt;/a&gt;&lt;/p&gt;</content></entry>
<entry><title>Three</title><id>urn:3</id><link href="/24/05/three"/><updated>2024-05-04T00:00:00Z</updated>
<content type="text/html" src="http://kot.example/24/05/three.html"/><summary type="html">&lt;p&gt;{story}&lt;/p&gt;</summary></entry>
</feed>"""


def test_addresses_are_relative_to_the_base_that_the_feed_names(tmp_path: Path) -> None:
    records, errors, _ = gather(put(tmp_path, KOT.format(story=STORY)))
    one, two, three = (record.document for record in records)
    assert errors == []
    assert [one.url, two.url, three.url] == [f"http://kot.example/24/05/{name}" for name in ("one", "two", "three")]
    assert one.html is not None
    links = extract(one.html, url=one.url).markdown(MarkupConfig(links=True))
    assert "[two](http://kot.example/24/05/one/two)" in links
    assert "[top](http://kot.example/top?a=1&b=2)" in links
    assert "[other](http://other.example/)" in links
    assert "<base" not in f"{two.html}{three.html}"  # nothing there is relative
    assert three.html == f"<p>{STORY}</p>"


def test_a_base_with_quotes_stays_an_attribute(tmp_path: Path) -> None:
    item = (
        "<item xml:base='http://a.example/\"&gt;&lt;script&gt;'><link>http://a.example/1</link>"
        "<description>&lt;a href=b&gt;more&lt;/a&gt;</description></item>"
    )
    (one,), _, _ = gather(put(tmp_path, f'<rss version="2.0"><channel>{item}</channel></rss>'))
    assert one.document.html is not None
    assert one.document.html.startswith('<base href="http://a.example/&quot;&gt;&lt;script&gt;"><a ')


@pytest.mark.parametrize(
    ("before", "encoding"), [("\ufeff", "utf-8"), (" \n", "utf-8"), ("", "iso-8859-1"), ("", "utf-16")]
)
def test_how_feeds_begin(tmp_path: Path, before: str, encoding: str) -> None:
    text = f"Käfer für Öl. {STORY}"
    item = f"<item><title>Käfer\x0b &amp; Öl</title><link><![CDATA[//b.example/1/Tax Crackdown, Worries]]></link><description>{text}</description></item>"
    data = f'{before}<?xml version="1.0" encoding="{encoding}"?><rss version="2.0" xml:base="http://b.example/"><channel>{item}</channel></rss>'
    (one,), errors, _ = gather(put(tmp_path, data.encode(encoding)))
    assert (one.document.body, errors) == (text, [])
    assert one.document.url == "http://b.example/1/Tax Crackdown, Worries"


def test_feeds_with_many_tags_take_time_by_their_length(tmp_path: Path) -> None:
    for content in ("<" * 200_000, "<a href" * 30_000, "<media:description>" * 10_000, "<a  " + " " * 200_000):
        item = f"<item><link>http://a.example/1</link><description><![CDATA[{content}]]></description></item>"
        path = put(tmp_path, f'<rss version="2.0" xml:base="http://a.example/"><channel>{item}</channel></rss>')
        start = time.process_time()
        gather(path)
        assert time.process_time() - start < 5
