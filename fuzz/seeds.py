"""The dictionaries, and what a corpus begins with: words of the formats and of the languages, and small files of ours.

    python fuzz/seeds.py    writes fuzz/dictionaries, and inputs to build/fuzz/corpus, where runs go on from them

Everything is made here or by the generators of the tests and of datasets/; `fuzz.py --keep` then keeps what reaches most.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import sys
import zipfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pyarrow
import pyarrow.parquet

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), *(str(HERE.parent / name) for name in ("tests", "datasets"))]

from common.texts import PIECES  # noqa: E402
from generate import generate, generate_pages  # noqa: E402
from io_support import record, response  # noqa: E402
from strategies import MARKUP  # noqa: E402
from templatemine.pages import _html  # noqa: E402
from templatemine.pages.scanner import GROUPS  # noqa: E402

JSON = [
    *("{", "}", "[", "]", ",", ":", '"', "\\", "true", "false", "null", "0", "-1", "1.5e+05", "1e400", "1e-99", "9" * 18, "9" * 19),
    *("\\u00e9", "\\ud83d\\ude00", "\\ud800", "\\u0000", '\\"', "\\/", "\\n", "NaN", "Infinity", '{"text":"', '"id":', '"source":"'),
    *('"html":', '"text":"Sign up now"', "Sign up now", '"removed":', "\n", "\r\n", "\ufeff", " ", "\t", '"}', '"},', "é", "😀", "\u2028"),
]  # fmt: skip
HTML = [
    *("&amp;", "&nbsp;", "&#65;", "&#x41;", "&notit;", "&copy", "&#0;", "&#xD800;", "&#128;", "&shy;", " class='a b'", ' id="main"', " href=x"),
    *(" style='display:none'", " hidden", "<!doctype html>", "<!--", "-->", "<![CDATA[", "]]>", "<script><!--<script>", "</script >", "<title>"),
    *("<br/>", "<a href=/>", "word ", "Two. ", "2009-03-01", "Posted by ", "© 2015", "語", "é", "\u200b", "<ruby>", "<rt>", "<rp>"),
    *('<script type="application/ld+json">{"articleBody":"', '<meta property="article:published_time" content="', "<time datetime="),
]  # fmt: skip
READERS = [
    *("WARC/1.0\r\n", "WARC/1.1\r\n", "WARC-Type: response\r\n", "WARC-Type: conversion\r\n", "Content-Length: ", "Content-Type: text/html\r\n"),
    *("Content-Type: application/http; msgtype=response\r\n", "WARC-Target-URI: http://a.example/\r\n", "WARC-Date: 2024-05-06T07:08:09Z\r\n"),
    *("WARC-Truncated: length\r\n", "WARC-Record-ID: <urn:a>\r\n", "HTTP/1.1 200 OK\r\n", "HTTP/1.0 404\n", "Transfer-Encoding: chunked\r\n"),
    *("Content-Encoding: gzip\r\n", "Content-Encoding: deflate\n", "\r\n\r\n", "\n\n", "5\r\n", "0\r\n\r\n", "filedesc://a.arc 0.0.0.0 20060101000000"),
    *(" text/plain 76\n", "1 0 Alexa\n", "http://a.example/ 1.2.3.4 20060101000000 text/html 20\n", "<rss version='2.0'><channel>", "<item>", "</item>"),
    *("<feed xmlns='http://www.w3.org/2005/Atom'>", "<entry>", "<content type='html'>", "<content:encoded>", "<link>", "<pubDate>", "<guid>"),
    *("<!ENTITY a 'b'>", "<!ENTITY a SYSTEM 'file:///x'>", "&a;", "<![CDATA[", "]]>", "<?xml version='1.0' encoding='utf-16'?>", "\xff\xfe"),
    *('{"version":"https://jsonfeed.org/version/1.1","items":[', '"content_html":"', '"date_published":"', "text,id,source\n", '"",', '""', '","'),
    *("text\thtml\n", "\x1f\x8b\x08", "\x28\xb5\x2f\xfd", "\xfd7zXZ", "\x04\x22\x4d\x18", "charset=utf-16", "<p>A page.", "<sitemapindex>"),
]  # fmt: skip


def entry(word: str, codec: str = "utf-8") -> str:
    """A line of a dictionary; libFuzzer takes no word of more than 64 bytes."""
    return '"' + "".join(f"\\x{byte:02x}" for byte in word.encode(codec, "surrogatepass")) + '"'


def tags() -> list[str]:
    """Start and end of each element that the scanner knows, and a class of each group of key words."""
    names = [f"<{slash}{name}>" for name, _ in _html.TAGS for slash in ("", "/")]
    return names + [f'<div class="{words.split()[0]}">' for words in GROUPS.values()]


def write(name: str, words: list[str], codec: str = "utf-8") -> None:
    lines = dict.fromkeys(entry(word, codec) for word in words if 0 < len(word.encode(codec, "surrogatepass")) <= 64)
    (HERE / "dictionaries" / f"{name}.dict").write_text("".join(line + "\n" for line in lines), "ascii")


RSS = """<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY w "word">]><rss version="2.0"><channel><link>http://a.example/</link>
<item><title>T &w;</title><link>http://a.example/1</link><guid>1</guid><pubDate>Mon, 06 May 2024 07:08:09 GMT</pubDate>
<description>&lt;p&gt;A story.</description></item><item><description>Another</description></item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><link href="http://b.example/"/><entry><id>e</id><updated>2024-05-06T07:08:09Z</updated>
<content type="html"><![CDATA[<p>A story.]]></content><link rel="alternate" href="http://b.example/e"/></entry></feed>"""
FEED = {
    "version": "https://jsonfeed.org/version/1.1",
    "items": [{"id": 1, "url": "http://c.example/1", "content_html": "<p>A", "date_published": "2024-05-06T07:08:09Z"}],
}
HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
VERSION = b"1 0 A\nURL IP-address Archive-date Content-type Archive-length\n\n"
ARC = b"filedesc://a.arc 0.0.0.0 20060101000000 text/plain %d\n%s" % (len(VERSION) - 1, VERSION)
ARC += b"http://a.example/ 1.2.3.4 20060101000000 text/html %d\n%s\n" % (len(HTTP) + 12, HTTP + b"\r\n<p>A page.")


def of_readers() -> Iterator[bytes]:
    """The format as a first byte (`targets.readers.FORMATS`), and a file."""
    rows = [{"text": "A story.\nSign up now", "id": 1, "source": "s", "n": [1.5, None]}, {"html": "<p>é😀", "id": "b"}]
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    chunked = b"4\r\n<p>A\r\n3\r\n st\r\n0\r\n\r\n"
    crawl = response() + record(b"A text.", "http://d.example/", kind="conversion", content_type="text/plain")
    packed = response(
        body=gzip.compress(b"<p>A page.", mtime=0),
        headers=[("Content-Encoding", "gzip"), ("Content-Type", "text/html")],
    )
    parted = response(
        body=chunked, headers=[("Transfer-Encoding", "chunked"), ("Content-Type", "text/html; charset=latin-1")]
    )
    yield from (b"\0" + data for data in (lines, b"\xef\xbb\xbf" + lines, gzip.compress(lines, mtime=0)))
    yield b"\1" + b'id,text,source\n1,"A ""story"",\nof two",s\n2,,\n'
    yield b"\2" + b"id\ttext\n1\tA story\n"
    yield from (
        b"\3" + data for data in (crawl, packed, parted, gzip.compress(crawl, mtime=0), crawl.replace(b"\r\n", b"\n"))
    )
    yield from (b"\4" + data for data in (ARC, gzip.compress(ARC, mtime=0)))
    yield from (b"\5" + data for data in (RSS.encode(), ATOM.encode(), json.dumps(FEED).encode(), RSS.encode("utf-16")))
    yield b"\7" + b"<!doctype html><meta charset=windows-1252><title>T</title><p>A page \x93of\x94 text."
    yield from (
        b"\x08\1\0" + chunked,
        b"\x08\0\1" + gzip.compress(b"A body", mtime=0),
        b"\x0b\0\2" + b"\x4b\x4c\x04\x00",
    )


def of_tables() -> Iterator[bytes]:
    """Of pyarrow, small: plain columns and a nested one; and a crawl in a zip archive."""
    table = pyarrow.table({"text": ["A story.", None, "é"], "id": [1, 2, 3], "tags": [["a"], [], None]})
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(
        table.select(["text"]), sink, compression="none", store_schema=False, write_statistics=False
    )
    yield b"\x08" + sink.getvalue().to_pybytes()
    for new in (pyarrow.ipc.new_file, pyarrow.ipc.new_stream):
        sink = pyarrow.BufferOutputStream()
        with new(sink, table.schema) as writer:
            writer.write_table(table)
        yield b"\x09" + sink.getvalue().to_pybytes()
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr(zipfile.ZipInfo("archive/a.warc"), response())
    yield b"\x0a" + archive.getvalue()


def of_pages() -> Iterator[bytes]:
    for number, one in enumerate(generate_pages(documents=4, sources=2, kilobytes=0.4, scripts=("latin", "han"))):
        yield bytes([number]) + one["html"].encode()[:2000]


def of_texts() -> Iterator[bytes]:
    for number, one in enumerate(generate(documents=6, sources=3, kilobytes=0.3, scripts=("latin", "han", "arabic"))):
        yield from (bytes([number]) + part.encode()[:200] for part in one["text"].split("\n\n"))


def of_lines() -> Iterator[bytes]:
    for one in generate(documents=3, sources=2, kilobytes=0.2, scripts=("latin", "han")):
        yield json.dumps({"text": one["text"][:150], "id": 1, "n": [-1.5e3, {"a": True}], "source": "s"}).encode()
        yield json.dumps({"id": one["id"], "text": one["text"][:90] + " Sign up now"}, ensure_ascii=False).encode()


def begin(target: str, inputs: Iterator[bytes]) -> None:
    folder = HERE.parent / "build" / "fuzz" / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    for data in inputs:
        (folder / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)


if __name__ == "__main__":
    write("text", [*PIECES, *MARKUP, "Sign up", "Read more:", "Contributing:", "The Daily", "REUTERS/"])
    write("json", JSON)
    write("html", [*HTML, *MARKUP, *tags()])
    write("readers", READERS, "latin-1")
    begin("readers", chain(of_readers(), of_tables()))
    begin("pages", of_pages())
    begin("scanner", of_texts())
    begin("matcher", of_texts())
    begin("lines", of_lines())
