"""Bad inputs of every kind: the line that tells of each, the exit code, and that nothing is lost or half written.

A row of `KINDS` is a file, and what `clean` says of it: the exit code and one of its lines.  What holds for every row
is tested once, in `test_kinds`.
"""

from __future__ import annotations

import gzip
import io
import json
import lzma
import re
import resource
import socketserver
import struct
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_support import everything, records, write

from conftest import Cli
from io_support import pack_zstd, record, response
from templatemine.io.formats import FORMATS, is_installed

MIB = 1 << 20
ONE = json.dumps(records()[0]).encode() + b"\n"
SEVERAL = b"".join(json.dumps(one).encode() + b"\n" for one in records(documents=20))
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
WRITTEN = "1 record written"


def line(**fields: Any) -> bytes:
    return json.dumps(fields).encode() + b"\n"


def refuse(word: str) -> None:
    raise ValueError(word)


def lz4(data: bytes) -> bytes:
    pytest.importorskip("fastwarc")
    return bytes(pytest.importorskip("pyarrow").compress(data, codec="lz4", asbytes=True))


def arrow(texts: list[str], make: str) -> bytes:
    pa = pytest.importorskip("pyarrow")
    sink = io.BytesIO()
    table = pa.table({"text": texts})
    with getattr(pa.ipc, make)(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table)
    return sink.getvalue()


def parquet(columns: dict[str, Any], **options: Any) -> bytes:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink, **options)
    return sink.getvalue()


def rss(items: str, before: str = "", coding: str = "utf-8") -> bytes:
    said = f' encoding="{coding}"' if coding.startswith("utf-16") else ""
    return (
        f'<?xml version="1.0"{said}?>{before}<rss version="2.0"><channel><title>t</title>'
        f"<link>http://a.example/</link>{items}</channel></rss>"
    ).encode(coding)


def item(text: str, rest: str = "") -> str:
    return f"<item>{rest}<link>http://a.example/1</link><description>{text}</description></item>"


LAUGHS = (
    '<!DOCTYPE r [<!ENTITY a "lol">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
    + "]>"
)
EXTERNAL = '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>'


def arc(length: str, date: str = "20200101000000", block: bytes = HEAD + b"<p>abc") -> bytes:
    first = b"1 0 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n\n"
    head = f"filedesc://x 0.0.0.0 20200101000000 text/plain {len(first) - 1}\n".encode()
    return head + first + f"http://a.example/ 1.1.1.1 {date} text/html {length}\n".encode() + block + b"\n"


def wacz(**members: bytes) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), data)
    return sink.getvalue()


JSON_BOMB = b'{"text": "' + b"x" * (8 * MIB) + b'"}\n'
LARGE = "expected at most 1,048,576 bytes (--max-record), found more"
UNPACKS = "cannot be read: it unpacks to more than 200 times its size"
NOTHING = "error: {}: expected documents, found none"

Kind = tuple[str, str, bytes | Callable[[], bytes], int, str]

JSON_LINES: list[Kind] = [
    ("nul bytes", "a.jsonl", bytes(100), 2, r"a.jsonl:1: expected a JSON object, found text that is not JSON"),
    ("a nul in a string", "a.jsonl", ONE + b'{"text": "a\0b"}\n', 0, "a.jsonl:2: expected a JSON object"),
    ("an escaped nul", "a.jsonl", line(text="a\0b"), 0, WRITTEN),
    ("utf-16", "a.jsonl", ONE.decode().encode("utf-16"), 2, "found UTF-16; convert it with iconv -f utf-16 -t utf-8"),
    ("utf-16 le", "a.jsonl", ONE.decode().encode("utf-16-le"), 2, "a.jsonl:1: expected a JSON object in UTF-8, found UTF-16"),
    ("utf-16 be", "a.jsonl", ONE.decode().encode("utf-16-be"), 2, "a.jsonl:1: expected a JSON object in UTF-8, found UTF-16"),
    ("utf-32", "a.jsonl", ONE.decode().encode("utf-32"), 2, "found UTF-32; convert it with iconv -f utf-32 -t utf-8"),
    ("latin-1", "a.jsonl", b'{"text": "caf\xe9"}\n', 2, "expected UTF-8, found byte 0xe9 at byte offset 13 of the line"),
    ("raw surrogates", "a.jsonl", b'{"text": "\xed\xa0\x80"}\n', 2, "expected UTF-8, found byte 0xed at byte offset 10"),
    ("escaped surrogates", "a.jsonl", b'{"text": "a\\ud800b"}\n', 0, WRITTEN),
    ("1e400", "a.jsonl", b'{"text": "a", "n": 1e400}\n', 0, WRITTEN),
    ("1e400 as id", "a.jsonl", b'{"id": 1e400, "text": "a"}\n', 0, WRITTEN),
    ("a number as id", "a.jsonl", b'{"id": 12345678901234567890123, "text": "a"}\n', 0, WRITTEN),
    ("a long number", "a.jsonl", b'{"text": "a", "n": ' + b"1" * 5000 + b"}\n", 2, "expected whole numbers of at most 4,300 digits, found more"),
    ("a boolean as id", "a.jsonl", line(text="a", id=True), 2, "expected a string or a number in field 'id', found a boolean"),
    ("a list as source", "a.jsonl", line(text="a", source=["b"]), 2, "expected a string or a number in field 'source', found an array"),
    ("200 levels", "a.jsonl", b'{"text": "a", "n": ' + b"[" * 199 + b"]" * 199 + b"}\n", 0, WRITTEN),
    ("201 levels", "a.jsonl", b'{"text": "a", "n": ' + b"[" * 201 + b"]" * 201 + b"}\n", 2, "expected at most 200 levels of nesting, found more"),
    ("100,000 levels", "a.jsonl", b"[" * 100_000, 2, "the JSON data is damaged: the list does not end"),
    ("a line cut off", "a.jsonl", ONE[:50], 2, "a.jsonl:1: expected a JSON object, found text that is not JSON: Unterminated"),
    ("an array", "a.json", b'[{"text": "a"}]', 0, WRITTEN),
    ("JSON over several lines", "a.json", json.dumps({"text": "a"}, indent=1).encode(), 2, "a.json:1: expected a JSON object"),
    ("a number as text", "a.jsonl", line(text=5), 2, "expected a string in field 'text', found a number"),
    ("no text", "a.jsonl", line(body="a"), 2, "expected a field 'text' or 'html', found only 'body' (--text-field names another; --text-field body?)"),
    ("a text of null", "a.jsonl", line(text=None), 2, "that holds a string, found null in 'text'"),
    ("an empty object", "a.jsonl", b"{}\n", 2, "expected a field 'text' or 'html', found an empty object"),
    ("a long line", "a.jsonl", b'{"text": "' + b"x" * (2 * MIB) + b'"}\n', 2, LARGE),
    ("dates that are none", "a.jsonl", line(text="a", date="31 Foo 99999"), 0, WRITTEN),
    ("a date of a number", "a.jsonl", line(text="a", date=5), 0, WRITTEN),
    ("a page", "a.jsonl", b"<html><body>x</body></html>", 2, "found text that is not JSON: Expecting value (column 1, near '<html>"),
    ("a zip archive", "a.jsonl", b"PK\3\4" + bytes(50), 2, "a.jsonl:1: expected a JSON object in UTF-8, found a zip archive"),
    ("a table", "a.jsonl", lambda: parquet({"text": ["a"]}), 2, "expected a JSON object in UTF-8, found a Parquet file"),
]  # fmt: skip

PACKED: list[Kind] = [
    ("a bomb of gzip", "a.jsonl.gz", lambda: gzip.compress(JSON_BOMB), 2, LARGE),
    ("a bomb of xz", "a.jsonl.xz", lambda: lzma.compress(JSON_BOMB), 2, LARGE),
    ("a bomb of zstd", "a.jsonl.zst", lambda: pack_zstd(JSON_BOMB), 2, LARGE),
    ("a bomb of lz4", "a.jsonl.lz4", lambda: lz4(JSON_BOMB), 2, LARGE),
    ("lz4 cut off", "a.jsonl.lz4", lambda: lz4(SEVERAL)[:-20], 2, "the lz4 data"),
    ("a bomb of Arrow", "a.arrow", lambda: arrow(["x" * 500_000] * 20, "new_file"), 2, UNPACKS),
    ("a bomb in a stream of Arrow", "a.arrows", lambda: arrow(["x" * 500_000] * 20, "new_stream"), 2, UNPACKS),
    ("a bomb of a page", "a.html.gz", lambda: gzip.compress(b"<p>" + bytes(8 * MIB)), 2, LARGE),
    ("a bomb of short lines", "a.jsonl.xz", lambda: lzma.compress(b'{"text": "%s"}\n' % (b"x" * 500_000) * 20), 2, "a.jsonl.xz: cannot be read after line 7: it unpacks to more than 200 times its size"),
    ("a bomb of Parquet", "a.parquet", lambda: parquet({"text": ["x" * (8 * MIB)]}), 2, LARGE),
    ("a bomb of short rows", "a.parquet", lambda: parquet({"text": ["x" * 500_000] * 20}), 2, "a.parquet: cannot be read: it unpacks to more than 200 times its size"),
    ("gzip cut off", "a.jsonl.gz", lambda: gzip.compress(SEVERAL)[:-20], 0, "the gzip data ends too early after line"),
    ("xz cut off", "a.jsonl.xz", lambda: lzma.compress(SEVERAL)[:-20], 0, "the xz data ends too early after line"),
    ("zstd cut off", "a.jsonl.zst", lambda: pack_zstd(SEVERAL)[:-20], 2, "the zstd data ends too early"),
    ("no gzip", "a.jsonl.gz", ONE, 2, "a.jsonl.gz: the gzip data is damaged: Not a gzipped file"),
    ("no xz", "a.jsonl.xz", ONE, 2, "a.jsonl.xz: the xz data is damaged"),
    ("no zstd", "a.jsonl.zst", lambda: pack_zstd(b"")[:0] + ONE, 2, "a.jsonl.zst: the zstd data is damaged"),
    ("gzip in gzip", "a.jsonl.gz", lambda: gzip.compress(gzip.compress(ONE)), 2, "expected a JSON object in UTF-8, found gzip data, packed a second time"),
    ("a suffix of no format", "a.docx", ONE, 2, "found .docx (--input-format says what it is)"),
    ("a text alone", "a.txt", ONE, 2, "found .txt (give the directory of the texts: DIRECTORY/SOURCE/*.txt)"),
    ("no suffix", "a", ONE, 2, "found no suffix (--input-format says what it is)"),
]  # fmt: skip

TABLES: list[Kind] = [
    ("an empty table", "a.csv", b"", 2, "a.csv: expected a header, found an empty file"),
    ("300,000 columns", "a.csv", b"text" + b",b" * 299_999 + b"\na" + b"," * 299_999 + b"\n", 2, "expected columns with names of their own, found two called 'b'"),
    ("300,000 names", "a.csv", b"text," + b",".join(b"%x" % n for n in range(299_999)) + b"\na\n", 2, "a.csv:0: " + LARGE),
    ("an open quote", "a.csv", b'text,id\n"abc,1\ndef,2\n', 2, "a.csv:1: expected a closing quote, found the end of the file"),
    ("ragged rows", "a.csv", b"text,id\nabc,1\ndef\nx,2,3\n", 0, "a.csv:3: expected 2 columns, found 3"),
    ("a table in utf-16", "a.csv", "text,id\na,1\n".encode("utf-16"), 2, "a.csv:0: expected UTF-8, found UTF-16"),
    ("a table in utf-16 le", "a.csv", "text,id\na,1\n".encode("utf-16-le"), 2, "a.csv: expected a header in UTF-8, found one with NUL, as UTF-16 has it"),
    ("two delimiters", "a.csv", b"body;id|n\na;1|2\n", 2, "a.csv: expected a header with one delimiter, found ';' and '|' (--csv-delimiter says which it is)"),
    ("a table in cp1252", "a.csv", "text;id\ncafé;1\nb;2\n".encode("cp1252"), 0, "a.csv:1: expected UTF-8, found byte 0xe9 (--csv-encoding names another encoding, such as cp1252)"),
    ("a column twice", "a.csv", b"text,text\na,1\n", 2, "found two called 'text'"),
    ("no column of texts", "a.csv", b"body,id\na,1\n", 2, "expected a field 'text' or 'html', found only 'body', 'id'"),
    ("Parquet cut off", "a.parquet", lambda: parquet({"text": ["a"]})[:-10], 2, "a.parquet: cannot be read as Parquet"),
    ("no Parquet", "a.parquet", b"PAR1" + bytes(range(256)) + b"PAR1", 2, "a.parquet: cannot be read as Parquet"),
    ("an empty Parquet", "a.parquet", b"", 2, "a.parquet: cannot be read as Parquet"),
    ("numbers in Parquet", "a.parquet", lambda: parquet({"text": [1]}), 2, "expected a string in field 'text', found a number"),
    ("no Arrow", "a.arrow", b"hello", 2, "a.arrow: cannot be read as Arrow"),
    ("Arrow cut off", "a.arrow", b"ARROW1\0\0" + bytes(10), 2, "a.arrow: cannot be read as Arrow: the file is truncated"),
]  # fmt: skip

FEEDS: list[Kind] = [
    ("no feed", "a.xml", b"<a><b/></a>", 2, "a.xml: expected a feed (RSS, Atom, CDF or JSON Feed), found none"),
    ("a sitemap", "a.xml", b"<urlset><url><loc>http://a.example/</loc></url></urlset>", 2, "found a sitemap, which crawl reads"),
    ("an empty feed", "a.rss", b"", 2, "expected a feed (RSS, Atom, CDF or JSON Feed), found none"),
    ("random bytes", "a.rss", bytes(range(256)) * 20, 2, "expected a feed (RSS, Atom, CDF or JSON Feed), found none"),
    ("billion laughs", "a.rss", rss(item("&j;"), LAUGHS), 0, WRITTEN),
    ("billion laughs, utf-16", "a.rss", rss(item("&j;"), LAUGHS, "utf-16"), 0, WRITTEN),
    ("billion laughs, utf-16 le", "a.rss", rss(item("&j;"), LAUGHS, "utf-16-le"), 0, WRITTEN),
    ("an external entity", "a.rss", rss(item("&x; end"), EXTERNAL), 0, WRITTEN),
    ("an external entity, utf-16", "a.rss", rss(item("&x; end"), EXTERNAL, "utf-16"), 0, WRITTEN),
    ("an external entity, utf-16 be", "a.rss", rss(item("&x; end"), EXTERNAL, "utf-16-be"), 0, WRITTEN),
    ("50,000 attributes", "a.rss", rss("<item " + "".join(f' a{n}="1"' for n in range(50_000)) + ">"), 2, "a.rss: expected tags of at most 256 attributes, found one of more"),
    ("50,000 attributes in a page", "a.rss", rss(item("<![CDATA[<p" + "".join(f' a{n}="1"' for n in range(50_000)) + "> a page ]]>")), 0, WRITTEN),
    ("a large picture in a page", "a.rss", rss(item('<p>a page <img src="data:image/png;base64,' + "A" * 100_000 + '"/></p>')), 0, WRITTEN),
    ("sections never closed", "a.rss", rss(item("abc") + "<![CDATA[" * 50_000), 0, WRITTEN),
    ("an item cut off", "a.rss", rss(item("a") * 2)[:-60], 0, "a.rss:2: expected the end of the item, found that of the file"),
    ("a date that is none", "a.rss", rss(item("abc", "<pubDate>32 Foo 99999</pubDate>")), 0, WRITTEN),
    ("a year of eight digits", "a.rss", rss(item("a", "<pubDate>Mon, 01 Jan 99999999 00:00:00 GMT</pubDate>")), 0, WRITTEN),
    ("a JSON Feed with broken JSON", "a.rss", b'{"version": "https://jsonfeed.org/version/1.1", "items": [', 2, "found none"),
    ("a JSON Feed of other things", "a.rss", b'{"version": "https://jsonfeed.org/version/1.1", "items": [3, {"id": []}]}', 2, "a.rss:1: expected a field 'text' or 'html'"),
]  # fmt: skip

CRAWLS: list[Kind] = [
    ("no WARC", "a.warc", b"hello\n", 2, "a.warc: expected a WARC record, found damage"),
    ("a negative length", "a.warc", response() + record(b"x", "http://a", length="-5"), 0, "expected a Content-Length, found '-5': the record is damaged or cut off"),
    ("a huge length", "a.warc", response() + record(b"x", "http://a", length="9" * 30), 0, "expected at most 1,048,576 bytes (--max-record), found 999,999"),
    ("a length of 5,000 digits", "a.warc", response() + record(b"x", "http://a", length="9" * 5000), 0, "expected a Content-Length, found '999"),
    ("a length of 64 bits", "a.warc", response() + record(b"x", "http://a", length=str(2**64 + 5)), 0, "expected at most 1,048,576 bytes (--max-record), found 18,446,744"),
    ("a length that is too small", "a.warc", response() + record(HEAD + b"<p>x", "http://a", length="10") + response(), 0, "a.warc: expected a WARC record, found damage"),
    ("a length that is too large", "a.warc", response() + record(HEAD + b"<p>x", "http://a", length="1000"), 0, "expected 1,000 bytes, found 52: the file is truncated"),
    ("a length in other digits", "a.warc", response() + record(b"xyz", "http://a", length="\u0663"), 0, "expected a Content-Length, found "),
    ("a head without end", "a.warc", b"WARC/1.0\r\n" + b"X: y\r\n" * 20_000, 2, "a.warc: expected a WARC record, found damage"),
    ("a head alone", "a.warc", b"WARC/1.0\r\n", 2, "expected a Content-Length, found none"),
    ("a member cut off", "a.warc.gz", gzip.compress(response()) + gzip.compress(response())[:-30], 0, "the gzip data ends too early: the file is truncated after record"),
    ("rubbish between members", "a.warc.gz", gzip.compress(response()) + b"garbage" + gzip.compress(response()), 0, "the gzip data is damaged"),
    ("a bomb in a page", "a.warc", lambda: response(body=gzip.compress(bytes(8 * MIB)), headers=[("Content-Type", "text/html"), ("Content-Encoding", "gzip")]), 2, "expected at most 1,048,576 bytes unpacked, found more"),
    ("no ARC", "a.arc", b"hello\n", 2, "a.arc: expected ARC records, found damage"),
    ("an ARC length that is negative", "a.arc", arc("-5"), 2, "a.arc: expected an ARC record after record"),
    ("an ARC length that is huge", "a.arc", arc("9" * 30), 2, "a.arc: expected an ARC record after record 1, found damage"),
    ("an ARC length that is none", "a.arc", arc("abc"), 2, "a.arc: expected an ARC record after record"),
    ("an ARC date that is none", "a.arc", arc(str(len(HEAD) + 6), "2020"), 0, WRITTEN),
    ("no WACZ", "a.wacz", b"PK\3\4" + bytes(50), 2, "a.wacz: cannot be read as WACZ: File is not a zip file"),
    ("a WACZ without WARC files", "a.wacz", wacz(pages__pages_jsonl=b"{}"), 2, "a.wacz: expected WARC files in its folder archive/, found none"),
    ("a bomb in a WACZ", "a.wacz", lambda: wacz(archive__a_warc=bytes(8 * MIB)), 2, "a.wacz: cannot be read: it unpacks to more than 200 times its size"),
    ("damage in a WACZ", "a.wacz", wacz(archive__a_warc=response() + b"garbage\n" + response()), 0, "a.wacz:archive/a.warc: expected a WARC record, found damage"),
]  # fmt: skip

PAGES: list[Kind] = [
    ("a PDF file as page", "a.html", b"%PDF-1.7\n%abc", 2, "a.html: expected a page, found a PDF file"),
    ("a picture as page", "a.html", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 2, "a.html: expected a page, found a picture"),
    ("a zip archive as page", "a.htm", b"PK\3\4\0\0", 2, "a.htm: expected a page, found a zip archive"),
    ("a page in utf-16", "a.html", "<p>A story.".encode("utf-16"), 0, WRITTEN),
    ("a page in utf-16 le", "a.html", "<p>A story.".encode("utf-16-le"), 0, WRITTEN),
    ("a page in utf-16 be", "a.html", "<p>A story.".encode("utf-16-be"), 0, WRITTEN),
    ("a page of nul bytes", "a.html", bytes(3000), 0, WRITTEN),
    ("100,000 elements in each other", "a.html", b"<div>" * 100_000 + b"x", 0, WRITTEN),
]

KINDS = [*JSON_LINES, *PACKED, *TABLES, *FEEDS, *CRAWLS, *PAGES]


def test_there_are_enough() -> None:
    assert len({name for name, *_ in KINDS}) == len(KINDS) >= 60


def skip_without(name: str) -> None:
    """Where a library is not installed that reads files of such a name."""
    needs = next((one for one in FORMATS if name.removesuffix(".gz").endswith(one.suffixes or ("-",))), None)
    if needs is not None and not is_installed(needs):
        pytest.skip(f"needs {' and '.join(needs.libraries)}")


@pytest.mark.parametrize(
    ("name", "data", "code", "expected"), [kind[1:] for kind in KINDS], ids=[one[0] for one in KINDS]
)
def test_kinds(
    cli: Cli,
    mined: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    data: bytes | Callable[[], bytes],
    code: int,
    expected: str,
) -> None:
    skip_without(name)
    monkeypatch.setattr(
        "templatemine.io.decompression._UNCHECKED_BYTES", 4 * MIB
    )  # or the bombs would have to be large
    path = tmp_path / "in" / name
    path.parent.mkdir()
    path.write_bytes(data if isinstance(data, bytes) else data())
    before = path.read_bytes()
    output = tmp_path / "out" / "cleaned.jsonl"
    output.parent.mkdir()
    done = cli("clean", path, "-p", mined, "-o", output, "--max-record", "1")
    assert done.code in ((0, 1) if code == 0 else (code,)), done  # 1: skipped some, or no record has a pack
    told = [one for one in done.err.splitlines() if expected in one]
    assert told, done.err
    assert all(one.isprintable() and len(one) < 500 for one in done.err.splitlines())
    assert path.read_bytes() == before
    assert everything(output.parent) == (["cleaned.jsonl"] if code == 0 else [])
    if code:
        (error,) = (one for one in done.err.splitlines() if one.startswith("templatemine: error: "))
        assert str(path) in error
        assert not done.out
    elif name.endswith(".jsonl") and expected == WRITTEN:
        same = json.loads(output.read_bytes(), parse_constant=refuse)  # nothing that other readers do not know
        assert json.dumps(same) == json.dumps(json.loads(before))
    elif not expected.startswith(WRITTEN):
        assert output.read_bytes()  # what is good beside it
        assert cli("clean", path, "-p", mined, "-o", output, "--force", "--strict", "--max-record", "1").code in (1, 2)
    if "&x;" in str(before.replace(b"\0", b"")):
        assert b"root:" not in output.read_bytes()


@pytest.mark.parametrize("command", ["mine", "extract", "mine --memory 256M"])
@pytest.mark.parametrize("kind", [KINDS[n] for n in range(0, len(KINDS), 7)], ids=lambda kind: str(kind[0]))
def test_other_commands_say_the_same(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, kind: Kind
) -> None:
    _, name, data, code, expected = kind
    skip_without(name)
    monkeypatch.setattr("templatemine.io.decompression._UNCHECKED_BYTES", 4 * MIB)
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data())
    first, *rest = command.split()
    done = cli(first, path, "-o", tmp_path / "out", *rest, "--max-record", "1")
    assert done.code in ((0, 1, 2) if code == 0 else (2,)), done
    assert code == 0 or expected in done.err
    if done.code == 2:
        assert done.error
        kept = [one for one in everything(tmp_path) if ".templatemine-work" not in one]  # of a run that can go on
        assert kept in ([name], [name, "out"])


@pytest.mark.parametrize("command", ["report", "desk", "sort"])
@pytest.mark.parametrize("rows", [0, 7])
def test_an_archive_without_a_document(cli: Cli, mined: Path, tmp_path: Path, command: str, rows: int) -> None:
    """Nothing is written, and what cannot be read is counted; `mine` and others are tested above."""
    path = write(tmp_path / "a.jsonl", [{"body": "a"}] * rows)
    args = {"sort": [path, "-o", tmp_path / "out"], "report": [mined, "-a", path, "-o", tmp_path / "out"]}
    for library in {"desk": ["uvicorn", "starlette"], "report": ["jinja2", "vl_convert"]}.get(command, []):
        pytest.importorskip(library)
    ran = cli(command, *args.get(command, [mined, "-a", path, *(["--port", "0"] if command == "desk" else [])]))
    reason = "expected a field 'text' or 'html', found only 'body' (--text-field names another; --text-field body?)"
    found = f"{rows} that cannot be read, all for one reason: {reason}" if rows else "none"
    assert ran.error == f"{path}: expected documents, found {found}"
    assert ("skipped: and 2 more" in ran.err) == bool(rows)
    assert [name for name in everything(tmp_path) if not name.startswith("out")] == ["a.jsonl"]


def test_an_object_on_several_lines_is_told_of(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{\n "text": "a"\n}')
    ran = cli("mine", tmp_path / "a.json", "-o", tmp_path / "packs")
    assert ran.err.count("jq -c . makes one line of each object") == 1


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.rss"])
def test_no_page_ends_alike(cli: Cli, tmp_path: Path, name: str) -> None:
    """`extract` without a page ends as `mine` does without a document."""
    skip_without(name)
    path = tmp_path / name
    path.write_bytes({"a.jsonl": b"\n", "a.csv": b"text,id\n", "a.rss": rss("")}[name])
    for command in ("mine", "extract"):
        assert cli(command, path, "-o", tmp_path / "out").error == NOTHING.format(path).removeprefix("error: ")
    assert everything(tmp_path) == [name]


def test_an_entry_of_atom_without_a_link_has_no_url(cli: Cli, tmp_path: Path) -> None:
    pytest.importorskip("feedparser")
    path = tmp_path / "a.atom"
    path.write_text(
        '<feed xmlns="http://www.w3.org/2005/Atom"><id>urn:x</id><link href="http://b.example/"/>'
        '<entry><id>http://a.example/1</id><content type="html">abc</content></entry>'
        '<entry><id>urn:2</id><link href="http://a.example/2"/><content type="html">def</content></entry></feed>'
    )
    assert cli("extract", path, "-o", tmp_path / "out.jsonl").code == 0
    lines = [json.loads(one) for one in (tmp_path / "out.jsonl").read_bytes().splitlines()]
    assert [(one["id"], one["source"]) for one in lines] == [
        ("http://a.example/1", "b.example"),
        ("urn:2", "a.example"),
    ]


FEED = {
    "version": "https://jsonfeed.org/version/1.1",
    "title": "F",
    "home_page_url": "https://a.example/",
    "items": [
        {
            "id": "1",
            "url": "https://b.example/1",
            "content_html": "<p>One",
            "date_published": "2024-01-02T03:04:05+01:00",
        },
        {"id": 2, "content_text": "Two", "title": "T"},
    ],
}
CDF = (
    '<?xml version="1.0"?><CHANNEL HREF="http://a.example/"><ITEM HREF="http://a.example/1" LASTMOD="1997-06-01">'
    "<TITLE>T</TITLE><ABSTRACT>Abc</ABSTRACT></ITEM></CHANNEL>"
)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "a.json",
            json.dumps(FEED),
            [
                ("1", "b.example", "https://b.example/1", "2024-01-02T02:04:05Z", None, "<p>One"),
                ("2", "a.example", None, None, "T", "Two"),
            ],
        ),
        ("a.cdf", CDF, [("http://a.example/1", "a.example", "http://a.example/1", "1997-06-01T00:00:00Z", "T", "Abc")]),
    ],
)
def test_other_feeds(tmp_path: Path, name: str, text: str, expected: list[tuple[str | None, ...]]) -> None:
    pytest.importorskip("feedparser")
    from templatemine.config import ReadConfig
    from templatemine.io.read import read_records

    (tmp_path / name).write_text(text)
    found = list(read_records(str(tmp_path / name), ReadConfig(format="feed")))
    assert [
        (
            one.document.id,
            one.document.source,
            one.document.url,
            one.document.date,
            one.document.title,
            one.document.body,
        )
        for one in found
    ] == expected


def test_pages_of_a_wacz(cli: Cli, tmp_path: Path) -> None:
    skip_without("a.wacz")
    path = tmp_path / "a.wacz"
    pages = response("http://www.a.co.uk/1", b"<html><p>One story.</p></html>")
    more = response("http://www.b.co.uk/2", b"<html><p>Two stories.</p></html>")
    path.write_bytes(wacz(archive__b_warc_gz=gzip.compress(more), archive__a_warc=pages, pages__pages_jsonl=b"{}"))
    assert cli("extract", path, "-o", tmp_path / "out.jsonl").code == 0
    lines = [json.loads(one) for one in (tmp_path / "out.jsonl").read_bytes().splitlines()]
    assert [(one["source"], one["text"]) for one in lines] == [
        ("a.co.uk", "One story."),
        ("b.co.uk", "Two stories."),
    ]


# ------------------------------------------------------------------------------------------------- the world around it


@pytest.fixture
def breaking() -> Iterator[Callable[[bytes], str]]:
    """A server on loopback that sends what it is given, and hangs up."""
    served: list[bytes] = []

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.settimeout(5)
            while b"\r\n\r\n" not in (asked := self.request.recv(65536)) and asked[:1] not in (b"", b"\x16"):
                pass  # until the head is there, or one of TLS
            self.request.sendall(served[-1])
            self.request.setsockopt(1, 13, struct.pack("ii", 1, 0))  # SO_LINGER: a reset, not an end

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()

        def address(data: bytes) -> str:
            served.append(data)
            return f"http://127.0.0.1:{server.server_address[1]}/a.jsonl"

        yield address
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + ONE[:100],
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n" + ONE[:100],
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n",
        b"no http at all\r\n\r\n",
    ],
    ids=["nothing", "head", "body", "chunk", "size", "error", "other"],
)
def test_places_on_the_network_that_break_off(
    cli: Cli, mined: Path, tmp_path: Path, breaking: Callable[[bytes], str], answer: bytes
) -> None:
    pytest.importorskip("fsspec")
    pytest.importorskip("aiohttp")
    url = breaking(answer)
    done = cli("clean", url, "-p", mined, "-o", tmp_path / "out.jsonl")
    assert f"{url}: cannot be read" in done.error
    assert everything(tmp_path) == []


def test_a_place_on_the_network_where_nobody_listens(cli: Cli, mined: Path) -> None:
    pytest.importorskip("fsspec")
    pytest.importorskip("aiohttp")
    with socketserver.TCPServer(("127.0.0.1", 0), socketserver.BaseRequestHandler) as server:
        url = f"http://127.0.0.1:{server.server_address[1]}/a.jsonl"
    told = cli("clean", url, "-p", mined, "--dry-run").error
    assert told.startswith(f"{url}: cannot be read: ")
    assert told.count(url) == 1


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 No TLS\r\n\r\n", b"\x16\x03\x03\x40\x00\x02"])
def test_places_that_break_off_before_they_are_encrypted(
    cli: Cli, mined: Path, tmp_path: Path, breaking: Callable[[bytes], str], answer: bytes
) -> None:
    pytest.importorskip("fsspec")
    pytest.importorskip("aiohttp")
    url = breaking(answer).replace("http:", "https:")
    done = cli("clean", url, "-p", mined, "-o", tmp_path / "out.jsonl")
    assert f"{url}: cannot be read" in done.error
    assert everything(tmp_path) == []


@pytest.mark.parametrize(
    "env", [{"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0"}, {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0"}]
)
def test_other_locales(program: Cli, mined: Path, tmp_path: Path, env: dict[str, str]) -> None:
    name = tmp_path / "Ærger ☃.jsonl"
    name.write_bytes(SEVERAL + line(text="\u017ele\u017eel", source="\u010desk\u00fd.example"))
    done = program("clean", name, "-p", mined, "-o", tmp_path / "out.jsonl", env=env)
    assert done.code == 0
    assert len((tmp_path / "out.jsonl").read_bytes().splitlines()) == len(SEVERAL.splitlines()) + 1
    assert program("clean", name, "-p", mined, "-o", tmp_path / "out.jsonl", env=env).error.endswith(
        "use --force to replace it"
    )


def test_no_home(mined: Path, tmp_path: Path, program: Cli) -> None:
    source = tmp_path / "a.jsonl"
    source.write_bytes(SEVERAL)
    for env in ({"HOME": ""}, {"HOME": str(tmp_path / "nowhere"), "XDG_CONFIG_HOME": ""}):
        done = program("clean", source, "-p", mined, "-o", "-", env=env)
        assert done.code == 0
        assert len(done.out.splitlines()) == len(SEVERAL.splitlines())
    assert not (tmp_path / "nowhere").exists()


def test_little_memory(mined: Path, tmp_path: Path, program: Cli) -> None:
    """A bound on the address space, as ``ulimit -v`` sets it, ends a run with one line."""
    source = tmp_path / "a.jsonl"
    source.write_bytes(line(text="a b c d e f g h " * (2 * MIB), source="alpha.example"))
    for number in range(5):
        with source.open("ab") as more:
            more.write(line(id=number, text=f"{number} a b c d e f g h " * (2 * MIB), source="alpha.example"))

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (600 * MIB, 600 * MIB))

    env = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
    done = program("mine", source, "-o", tmp_path / "packs", env=env, preexec_fn=bound)
    assert done.code == 2, done
    assert re.search("templatemine: error: (out of memory|.*memory)", done.err), done.err
    assert everything(tmp_path) == ["a.jsonl"]
