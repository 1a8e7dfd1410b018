"""WARC and ARC: pages out, whatever state the crawl left them in."""

from __future__ import annotations

import gzip
import io
import random
import re
import sys
import zlib
from pathlib import Path

import pytest

from io_support import gather, pack_zstd, record, response
from templatemine.config import ReadConfig
from templatemine.errors import CorpusError, MissingExtraError, pip_line
from templatemine.io import formats
from templatemine.io.read import read_records

pytest.importorskip("fastwarc")
pytest.importorskip("resiliparse")
pytest.importorskip("tldextract")

from templatemine.io import warc, web


def urls(count: int) -> list[str]:
    return [f"http://www.site{number}.example.co.uk/{number}" for number in range(count)]


def pages(count: int, size: int = 400) -> list[bytes]:
    rng = random.Random(count)
    text = ["".join(rng.choices("abcdefghij ", k=size)) for _ in range(count)]
    return [response(url, f"<p>{one}</p>".encode()) for url, one in zip(urls(count), text, strict=True)]


def packed(records: list[bytes], how: str) -> bytes:
    if how == "plain":
        return b"".join(records)
    if how == "gz":
        return b"".join(gzip.compress(one) for one in records)
    if how == "one gz":
        return gzip.compress(b"".join(records))
    if how == "xz":
        import lzma

        return lzma.compress(b"".join(records))
    return b"".join(map(pack_zstd, records))


HOWS = {"plain": "a.warc", "gz": "a.warc.gz", "one gz": "a.warc.gz", "zst": "a.warc.zst", "xz": "a.warc.xz"}


@pytest.mark.parametrize("how", HOWS)
def test_pages_of_a_crawl(tmp_path: Path, how: str) -> None:
    path = tmp_path / HOWS[how]
    path.write_bytes(packed(pages(5), how))
    found, errors, report = gather(path)
    assert [one.document.url for one in found] == urls(5)
    assert {one.document.source for one in found} == {"example.co.uk"}
    first = found[0]
    assert first.document.id == f"<urn:test:{urls(1)[0]}>"
    assert first.document.date == "2024-05-06T07:08:09Z"
    assert first.document.html is not None
    assert first.document.html.startswith("<p>")
    assert list(first.fields) == ["id", "source", "url", "date", "html"]
    assert first.where == f"{path}:1"
    assert (errors, report.notes) == ([], {})


@pytest.mark.parametrize("ends", [(b"\n", b"\n"), (b"\n", b"\r\n"), (b"\r\n", b"\n")], ids=["all", "lines", "last"])
def test_http_whose_lines_end_with_lf_alone(tmp_path: Path, ends: tuple[bytes, bytes]) -> None:
    """The head was taken to reach to the first empty line of the page that ends with CR LF, or to its end."""
    line, last = ends
    page = b"<html><title>One</title><p>First part</p>\r\n\r\n<p>Second part</p></html>"
    head = line.join([b"HTTP/1.1 200 OK", b"Content-Type: text/html", b"Server: x"]) + line + last
    (tmp_path / "a.warc").write_bytes(record(head + page, "http://example.org/a") * 2)
    found, errors, _ = gather(tmp_path / "a.warc")
    assert not errors
    assert [one.document.body for one in found] == [page.decode()] * 2


def test_what_is_no_page_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    url = "http://a.example/"
    path.write_bytes(
        record(b"software: x\r\n", "", kind="warcinfo", content_type="application/warc-fields")
        + record(b"GET / HTTP/1.1\r\n\r\n", url, kind="request", content_type="application/http; msgtype=request")
        + response(url, b"\x89PNG", [("Content-Type", "image/png")])
        + response(url, b"gone", status="404 Not Found")
        + response(url, b"", status="301 Moved Permanently")
        + response(url, b"")
        + response(url, b" \r\n ")
        + response(url, b"", kind="revisit")
        + response(url, b"<html><body>no type</body></html>", [])
        + response(url, b"%PDF-1.4", [])
        + record(b"<p>saved</p>", url, kind="resource", content_type="text/html")
        + record("Grün".encode(), url, kind="conversion", content_type="text/plain")
        + record(b"", url)
    )
    found, errors, report = gather(path)
    assert [one.document.body for one in found] == ["<html><body>no type</body></html>", "<p>saved</p>", "Grün"]
    assert [one.document.is_html for one in found] == [True, True, False]
    assert errors == []
    assert report.notes == {web.OTHER_RECORDS: 4, web.FAILED_RESPONSES: 2, web.EMPTY_RECORDS: 4}


PAGE = b"<html><p>hello</p></html>"


def chunked(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n0\r\n\r\n" % (len(data), data)


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({"Content-Encoding": "gzip"}, gzip.compress(PAGE)),
        ({"Content-Encoding": "deflate"}, zlib.compress(PAGE)),
        ({"Transfer-Encoding": "chunked"}, chunked(PAGE)),
        ({"Transfer-Encoding": "chunked", "Content-Encoding": "gzip"}, chunked(gzip.compress(PAGE))),
        # The crawler undid it and kept the header.
        ({"Content-Encoding": "gzip"}, PAGE),
        ({"Content-Encoding": "br"}, PAGE),
        ({"Transfer-Encoding": "chunked"}, PAGE),
        ({"Transfer-Encoding": "chunked", "Content-Encoding": "gzip"}, PAGE),
        ({"Content-Encoding": "utf-8"}, PAGE),
        ({"Content-Length": "99999"}, PAGE),
    ],
)
def test_encodings_of_http(tmp_path: Path, headers: dict[str, str], body: bytes) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(response(body=body, headers=[("Content-Type", "text/html"), *headers.items()]))
    (found,), errors, _ = gather(path)
    assert found.document.html == PAGE.decode()
    assert errors == []


@pytest.mark.parametrize("cut", [1, 5, 9, 30, 200, 400])
def test_truncated_gzip(tmp_path: Path, cut: int) -> None:
    """Whole records are all there, and what is missing is said."""
    whole = packed(pages(5), "gz")
    path = tmp_path / "a.warc.gz"
    path.write_bytes(whole[:-cut])
    found, errors, _ = gather(path)
    assert [one.document.url for one in found][:4] == urls(4)
    assert len(found) == (5 if cut < 10 else 4)
    (error,) = errors
    assert "the gzip data ends too early: the file is truncated after record" in error.problem
    assert not error.fatal


@pytest.mark.parametrize("how", ["plain", "gz", "zst"])
def test_every_way_of_ending_early(tmp_path: Path, how: str) -> None:
    """Cut anywhere, a file gives the pages before the cut, each once, whole, and says if there was more."""
    records = pages(3, 60)
    data = packed(records, how)
    expected = gather_bytes(tmp_path, data, how)[0]
    assert len(expected) == 3
    for cut in range(0, len(data), 7):
        found, errors = gather_bytes(tmp_path, data[:cut], how)
        assert found == expected[: len(found)]
        edges = [len(packed(records[:number], how)) for number in range(4)]
        assert len(found) >= sum(cut >= edge for edge in edges[1:])
        if cut not in edges and len(found) < 3:
            # What is cut within the blank lines after a record, or within packing that holds nothing more, is whole.
            assert errors or any(0 < cut - edge < 30 or 0 <= edge - cut < 30 for edge in edges), cut


def gather_bytes(tmp_path: Path, data: bytes, how: str) -> tuple[list[tuple[str | None, str]], list[CorpusError]]:
    path = tmp_path / HOWS[how]
    path.write_bytes(data)
    found, errors, _ = gather(path)
    return [(one.document.url, one.document.body) for one in found], errors


@pytest.mark.parametrize("how", ["plain", "gz", "zst"])
@pytest.mark.parametrize("seed", range(6))
def test_damage_in_the_middle_costs_what_it_hits(tmp_path: Path, how: str, seed: int) -> None:
    records = pages(9)
    parts = [packed([one], how) for one in records]
    # The head of the fourth record, so that its length is lost and the reader must look for the next one.
    parts[3] = bytes(random.Random(seed).randbytes(40)) + parts[3][40:]
    path = tmp_path / HOWS[how]
    path.write_bytes(b"".join(parts))
    found, errors, _ = gather(path)
    names = [one.document.url for one in found]
    assert names == [url for number, url in enumerate(urls(9)) if number != 3]
    assert errors
    assert not any(error.fatal for error in errors)


@pytest.mark.parametrize("data", [b"no archive at all", b"\x1f\x8b\x08 no gzip", gzip.compress(b"something else" * 9)])
def test_no_warc_is_fatal(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(data)
    found, (error,), _ = gather(path)
    assert found == []
    assert error.fatal
    assert "expected a WARC record" in error.problem or "the gzip data is damaged" in error.problem


def test_an_empty_file_holds_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.warc.gz").write_bytes(b"")
    assert gather(tmp_path / "a.warc.gz")[:2] == ([], [])


@pytest.mark.parametrize("length", ["-5", "many", ""])
def test_a_length_that_is_none(tmp_path: Path, length: str) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(record(b"", "http://a.example/", length=length) + pages(1)[0])
    found, errors, _ = gather(path)
    assert [one.document.url for one in found] == urls(1)
    assert any("Content-Length" in error.problem for error in errors)


def test_records_that_are_too_large(tmp_path: Path) -> None:
    config = ReadConfig(max_record=10_000)
    big = response("http://big.example/", b"<p>" + b"x" * 20_000)
    bomb = response(
        "http://bomb.example/",
        gzip.compress(bytes(10_000_000)),
        [("Content-Type", "text/html"), ("Content-Encoding", "gzip")],
    )
    path = tmp_path / "a.warc.gz"
    path.write_bytes(packed([pages(1)[0], big, bomb, pages(1)[0]], "gz"))
    found, errors, _ = gather(path, config)
    assert len(found) == 2
    assert [error.where for error in errors] == [f"{path}:2", f"{path}:3"]
    assert all("expected at most 10,000 bytes" in error.problem for error in errors)


def test_memory_is_bounded_whatever_a_record_says(tmp_path: Path) -> None:
    """A record of 2 GB is passed over in pieces; here it is a hole in a file, packed to two megabytes."""
    path = tmp_path / "a.warc.gz"
    size = 1 << 31
    head = record(b"", "http://a.example/", length=str(size))[:-4]
    with path.open("wb") as raw:
        raw.write(gzip.compress(pages(1)[0]))
        with gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=1) as member:
            member.write(head)
            for _ in range(8):
                member.write(bytes(1 << 20))
        raw.write(gzip.compress(pages(1)[0]))
    found, errors, _ = gather(path)
    assert len(found) >= 1
    assert f"found {size:,}" in errors[0].problem


def test_a_source_rule(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(response("https://Blogs.Example.co.uk:80/jane/1") + response("ftp:"))
    (one,), (error,), _ = gather(path, ReadConfig(source_of=r"re:https?://[^/]+/(\w+)/"))
    assert one.document.source == one.fields["source"] == "jane"
    assert "expected a source by the rule" in error.problem
    assert [one.document.source for one in gather(path, ReadConfig(source_of="host"))[0]] == ["blogs.example.co.uk"]
    ((one, *_), _, _) = gather(path, ReadConfig(source_of="host", url_field="link"))
    assert (one.document.source, one.fields["link"]) == ("blogs.example.co.uk", one.document.url)
    assert [one.document.source for one in gather(path)[0]] == ["example.co.uk", "a"]


def test_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def seek(self, *_: int) -> int:
            raise OSError("a pipe")

    class Stdin:
        buffer = io.BufferedReader(Pipe(packed(pages(4), "gz")))

    monkeypatch.setattr(sys, "stdin", Stdin())
    found, errors, _ = gather("-", ReadConfig(format="warc"))
    assert [one.document.url for one in found] == urls(4)
    assert errors == []


def test_a_library_that_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.warc").write_bytes(b"")
    real = formats._has_module
    monkeypatch.setattr(formats, "_has_module", lambda name: name != "fastwarc" and real(name))
    with pytest.raises(MissingExtraError, match=re.escape(f"needs fastwarc: {pip_line('warc')}")):
        read_records(tmp_path / "a.warc", ReadConfig())


def test_a_panic_of_the_library_is_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        pass

    def panic(*_: object, **__: object) -> None:
        raise PanicException("internal")

    (tmp_path / "a.warc").write_bytes(pages(1)[0])
    monkeypatch.setattr(warc, "ArchiveIterator", panic)
    _, (error,), _ = gather(tmp_path / "a.warc")
    assert "internal" in error.problem


class TestArc:
    @staticmethod
    def arc(count: int, body: bytes = b"<p>page</p>", kind: str = "text/html") -> list[bytes]:
        about = b"1 0 Example\nURL IP-address Archive-date Content-type Archive-length\n"
        parts = [b"filedesc://a.arc 0.0.0.0 20080102030405 text/plain %d\n" % len(about) + about + b"\n"]
        for url in urls(count):
            block = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\n\r\n" % kind.encode() + body
            parts.append(f"{url} 10.0.0.1 20080102030405 {kind} {len(block)}\n".encode() + block + b"\n")
        return parts

    @pytest.mark.parametrize("name", ["a.arc", "a.arc.gz", "a.arc.zst", "a.arc.xz"])
    def test_pages(self, tmp_path: Path, name: str) -> None:
        pytest.importorskip("warcio")
        path = tmp_path / name
        path.write_bytes(packed(self.arc(3), name.rpartition(".")[2].replace("arc", "plain")))
        found, errors, report = gather(path)
        assert [one.document.url for one in found] == urls(3)
        assert [one.document.html for one in found] == ["<p>page</p>"] * 3
        assert found[0].document.source == "example.co.uk"
        assert found[0].document.date == "2008-01-02T03:04:05Z"
        assert len({one.document.id for one in found}) == 3
        assert errors == []
        assert report.notes == {web.OTHER_RECORDS: 1}

    def test_character_set_and_size(self, tmp_path: Path) -> None:
        pytest.importorskip("warcio")
        path = tmp_path / "a.arc"
        path.write_bytes(b"".join(self.arc(1, "<p>é</p>".encode("cp1252"), "text/html; charset=iso-8859-1")))
        # A type with a blank in it breaks the line of the record, so it is put into the header of HTTP alone.
        path.write_bytes(path.read_bytes().replace(b"text/html; charset=iso-8859-1 ", b"text/html "))
        (one,), _, _ = gather(path)
        assert one.document.html == "<p>é</p>"
        _, (error,), _ = gather(path, ReadConfig(max_record=20))
        assert "expected at most 20 bytes" in error.problem

    @pytest.mark.parametrize("cut", [3, 20, 60])
    def test_truncated(self, tmp_path: Path, cut: int) -> None:
        pytest.importorskip("warcio")
        for name, how in (("a.arc", "plain"), ("a.arc.gz", "gz")):
            path = tmp_path / name
            path.write_bytes(packed(self.arc(3), how)[:-cut])
            found, errors, _ = gather(path)
            assert [one.document.url for one in found][:2] == urls(2)
            assert [one.document.html for one in found] == ["<p>page</p>"] * len(found)
            assert len(errors) == 1 or len(found) == 3

    def test_no_arc(self, tmp_path: Path) -> None:
        pytest.importorskip("warcio")
        (tmp_path / "a.arc").write_bytes(b"hello\nworld\n")
        _, (error,), _ = gather(tmp_path / "a.arc")
        assert error.fatal
        assert "expected ARC records" in error.problem
