"""Opening and unpacking; names, patterns and URLs; which source a record is of."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import os
import re
import tarfile
import threading
import tracemalloc
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from io_support import gather, pack_zstd
from templatemine.config import ReadConfig
from templatemine.errors import ConfigError, CorpusError, MissingExtraError
from templatemine.io import decompression, files, formats, output, sources
from templatemine.io.read import format_of, read_records
from templatemine.io.write import atomic_writer

LINES = [{"id": str(number), "text": f"text {number}"} for number in range(2000)]
DATA = b"".join(json.dumps(line).encode() + b"\n" for line in LINES)


PACKERS: dict[str, Any] = {".gz": gzip.compress, ".xz": lzma.compress, ".zst": pack_zstd}


@pytest.mark.parametrize("suffix", PACKERS)
class TestPacked:
    def test_whole(self, tmp_path: Path, suffix: str) -> None:
        pack = PACKERS[suffix]
        for name, data in {
            f"a.jsonl{suffix}": pack(DATA),
            "plain.jsonl": pack(DATA[:100_000]) + pack(DATA[100_000:]),
        }.items():
            (tmp_path / name).write_bytes(data)
            found, errors, _ = gather(tmp_path / name)
            assert [one.fields for one in found] == LINES
            assert errors == []

    def test_truncated(self, tmp_path: Path, suffix: str) -> None:
        path = tmp_path / f"a.jsonl{suffix}"
        path.write_bytes(PACKERS[suffix](DATA)[:-20])
        found, (error,), _ = gather(path)
        assert [one.fields for one in found] == LINES[: len(found)]
        assert error.fatal
        assert "data ends too early" in error.problem
        assert "truncated" in error.problem

    def test_damaged(self, tmp_path: Path, suffix: str) -> None:
        data = bytearray(PACKERS[suffix](DATA))
        data[len(data) // 2 : len(data) // 2 + 30] = b"\xff" * 30
        path = tmp_path / f"a.jsonl{suffix}"
        path.write_bytes(data)
        found, (*_, error), _ = gather(path)
        assert error.fatal
        assert "data is damaged" in error.problem
        assert [one.fields for one in found] == LINES[: len(found)]

    def test_not_packed_at_all(self, tmp_path: Path, suffix: str) -> None:
        if suffix == ".zst":
            pack_zstd(b"")
        path = tmp_path / f"a.jsonl{suffix}"
        path.write_bytes(b'{"text": "x"}\n')
        _, (error,), _ = gather(path)
        assert error.fatal

    def test_empty(self, tmp_path: Path, suffix: str) -> None:
        (tmp_path / f"a.jsonl{suffix}").write_bytes(b"")
        assert gather(tmp_path / f"a.jsonl{suffix}")[:2] == ([], [])

    def test_written_and_read_again(self, tmp_path: Path, suffix: str) -> None:
        if suffix == ".zst":
            pack_zstd(b"")
        for name in ("a", "b"):
            with atomic_writer(tmp_path / f"{name}.jsonl{suffix}") as stream:
                stream.write(DATA)
        assert [one.fields for one in gather(tmp_path / f"a.jsonl{suffix}")[0]] == LINES
        assert (tmp_path / f"a.jsonl{suffix}").read_bytes() == (tmp_path / f"b.jsonl{suffix}").read_bytes()

    def test_a_bomb_is_passed_over_in_pieces(self, tmp_path: Path, suffix: str) -> None:
        path = tmp_path / f"a.jsonl{suffix}"
        path.write_bytes(PACKERS[suffix](b'{"text": "a"}\n' + bytes(60_000_000) + b'\n{"text": "b"}\n'))
        tracemalloc.start()
        found, (error,), _ = gather(path, ReadConfig(max_record=1 << 20))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert [one.document.text for one in found] == ["a", "b"]
        assert error.where == f"{path}:2"
        assert error.problem == "expected at most 1,048,576 bytes (ReadConfig.max_record), found more"
        assert peak < 50_000_000


def lz4(data: bytes) -> bytes:
    sink = io.BytesIO()
    writer = pytest.importorskip("fastwarc.stream_io").Lz4Writer(sink)
    writer.write(data)
    writer.finish()
    return sink.getvalue()


def test_lz4_is_read_and_not_written(tmp_path: Path) -> None:
    packed = lz4(DATA)
    for name in ("a.jsonl.lz4", "plain.jsonl"):
        (tmp_path / name).write_bytes(packed)
        found, errors, _ = gather(tmp_path / name)
        assert [one.fields for one in found] == LINES
        assert errors == []
    for data, problem in (
        (packed[: len(packed) // 2], "the lz4 data ends too early"),
        (DATA, "the lz4 data is damaged"),
    ):
        (tmp_path / "b.jsonl.lz4").write_bytes(data)
        _, (error,), _ = gather(tmp_path / "b.jsonl.lz4")
        assert error.fatal
        assert problem in error.problem
    with pytest.raises(CorpusError, match="lz4 is read only"), atomic_writer(str(tmp_path / "c.jsonl.lz4")):
        pass
    assert not (tmp_path / "c.jsonl.lz4").exists()


@pytest.mark.parametrize("suffix", PACKERS)
def test_what_unpacks_to_far_more_than_texts_do_ends_the_run(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines that are each no longer than they may be, and without end."""
    monkeypatch.setattr(decompression, "_UNCHECKED_BYTES", 1 << 20)
    path = tmp_path / f"a.jsonl{suffix}"
    path.write_bytes(PACKERS[suffix](b'{"text": "x"}\n' * 300_000))
    found, (error,), _ = gather(path)
    assert 0 < len(found) < 300_000
    assert error.fatal
    assert "it unpacks to more than 200 times its size" in error.problem
    monkeypatch.setattr(decompression, "_UNCHECKED_BYTES", 1 << 10)
    path.write_bytes(PACKERS[suffix](DATA))
    found, errors, _ = gather(path)
    assert (len(found), errors) == (len(LINES), [])


def test_a_file_that_grows_is_read_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(DATA)
    records = read_records(path, ReadConfig())
    found = [next(records).fields]
    with path.open("ab") as stream:
        stream.write(DATA)
    found += [one.fields for one in records]
    assert found == LINES


def test_a_file_that_shrinks_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(DATA * 20)
    records = read_records(path, ReadConfig())
    next(records)
    os.truncate(path, 100)
    with pytest.raises(CorpusError, match="became shorter while it was read"):
        list(records)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(DATA)
    path.chmod(0)
    _, (error,), _ = gather(path)
    assert "Permission denied" in error.problem


class TestPatterns:
    def test_in_order(self, tmp_path: Path) -> None:
        for name in ("b/2.jsonl", "b/1.jsonl", "a/3.jsonl", "a/x.txt"):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(json.dumps({"text": name}))
        assert [one.document.text for one in gather(tmp_path / "*/*.jsonl")[0]] == [
            "a/3.jsonl",
            "b/1.jsonl",
            "b/2.jsonl",
        ]
        assert [one.document.text for one in gather(tmp_path / "**/[12].jsonl")[0]] == ["b/1.jsonl", "b/2.jsonl"]

    def test_nothing_that_matches(self, tmp_path: Path) -> None:
        with pytest.raises(CorpusError, match="found none that matches"):
            read_records(tmp_path / "*.jsonl", ReadConfig())

    def test_a_file_with_such_a_name(self, tmp_path: Path) -> None:
        (tmp_path / "a[1].jsonl").write_text('{"text": "x"}')
        assert len(gather(tmp_path / "a[1].jsonl")[0]) == 1


class TestRemote:
    @pytest.fixture(autouse=True)
    def memory(self) -> Any:
        fsspec = pytest.importorskip("fsspec")
        store = fsspec.filesystem("memory")
        store.pipe("/archive/a.jsonl.gz", gzip.compress(DATA))
        store.pipe("/archive/b.jsonl", b'{"text": "b"}\n')
        yield store
        store.rm("/archive", recursive=True)

    def test_a_file(self) -> None:
        found, errors, _ = gather("memory://archive/a.jsonl.gz")
        assert [one.fields for one in found] == LINES
        assert found[0].document.source == "a"
        assert errors == []

    def test_a_pattern(self) -> None:
        assert len(gather("memory://archive/*.jsonl*")[0]) == 2001

    def test_tables_are_searched(self, memory: Any) -> None:
        parquet = pytest.importorskip("pyarrow.parquet")
        import pyarrow as pa

        with memory.open("/archive/t.parquet", "wb") as stream:
            parquet.write_table(pa.table({"text": ["x", "y"]}), stream)
        assert [one.document.text for one in gather("memory://archive/t.parquet")[0]] == ["x", "y"]

    def test_a_url_of_a_local_file(self, tmp_path: Path) -> None:
        (tmp_path / "a.jsonl").write_bytes(DATA)
        assert len(gather(f"file://{tmp_path}/a.jsonl")[0]) == 2000

    def test_a_file_within_an_archive(self, tmp_path: Path) -> None:
        (tmp_path / "fox.com.jsonl").write_bytes(DATA)
        (tmp_path / "page.html").write_text("<p>A story that is long enough to be read.")
        with zipfile.ZipFile(tmp_path / "b.zip", "w") as packed:
            packed.writestr("one/fox.com.jsonl.gz", gzip.compress(DATA))
            packed.writestr("one/cnn.com.jsonl", DATA)
            packed.writestr("one/page.html", "<p>A story that is long enough to be read.")
        with tarfile.open(tmp_path / "b.tar", "w") as packed:
            packed.add(tmp_path / "fox.com.jsonl", "fox.com.jsonl")
        url = tmp_path.as_uri()
        for name in (f"zip://one/fox.com.jsonl.gz::{url}/b.zip", f"tar://fox.com.jsonl::{url}/b.tar"):
            found, errors, _ = gather(name)
            assert errors == []
            assert [one.fields for one in found] == LINES
            assert found[0].document.source == "fox.com"
        found, errors, _ = gather(f"zip://one/*.com.jsonl*::{url}/b.zip")
        assert (len(found), errors) == (4000, [])
        ((page,), _, _) = gather(f"zip://one/page.html::{url}/b.zip")
        assert (page.document.id, page.document.source) == ("page.html", "one")

    @pytest.mark.parametrize("chain", ["local://{}", "simplecache::file://{}", "filecache::file://{}"])
    def test_a_file_by_way_of_a_cache(self, tmp_path: Path, chain: str) -> None:
        (tmp_path / "a.jsonl").write_bytes(DATA)
        found, errors, _ = gather(chain.format(tmp_path / "a.jsonl"))
        assert (len(found), found[0].document.source, errors) == (2000, "a", [])

    @pytest.mark.filterwarnings("ignore:The asyn:DeprecationWarning")  # of the server, in Python before 3.12
    def test_a_server_of_ftp(self, tmp_path: Path) -> None:
        pytest.importorskip("pyftpdlib")
        from pyftpdlib.authorizers import DummyAuthorizer
        from pyftpdlib.handlers import FTPHandler
        from pyftpdlib.servers import ThreadedFTPServer

        (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(DATA))
        people = DummyAuthorizer()
        people.add_anonymous(str(tmp_path))
        handler = type("Handler", (FTPHandler,), {"authorizer": people})
        server = ThreadedFTPServer(("127.0.0.1", 0), handler)
        thread = threading.Thread(
            target=server.serve_forever, kwargs={"timeout": 0.1, "handle_exit": False}, daemon=True
        )
        thread.start()
        try:
            found, errors, _ = gather(f"ftp://127.0.0.1:{server.address[1]}/a.jsonl.gz")
        finally:
            server.close_all()
            thread.join(10)
        assert [one.fields for one in found] == LINES
        assert errors == []

    @pytest.mark.parametrize("url", ["memory://archive/no.jsonl", "nosuch://a/b.jsonl", "dir:///a.jsonl"])
    def test_what_is_not_there(self, url: str) -> None:
        _, (error,), _ = gather(url)
        assert error.fatal
        assert error.where == url

    def test_a_library_that_is_missing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def missing(*_: object, **__: object) -> None:
            raise ImportError("Install s3fs to access S3")

        monkeypatch.setattr("fsspec.open", missing)
        with pytest.raises(MissingExtraError, match="Install s3fs"):
            list(read_records("s3://bucket/a.jsonl", ReadConfig()))


class Served(BaseHTTPRequestHandler):
    """Files of memory, with or without ranges, or broken off in the middle."""

    files: ClassVar[dict[str, bytes]] = {}
    ranges = True

    def do_HEAD(self) -> None:
        self.answer(body=False)

    def do_GET(self) -> None:
        self.answer(body=True)

    def answer(self, *, body: bool) -> None:
        """One file, or the part of it that was asked for."""
        data = self.files.get(self.path.removesuffix("?short"))
        if data is None:
            self.send_error(404)
            return
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range") or "") if self.ranges else None
        part = data[int(asked[1]) : int(asked[2]) + 1] if asked else data
        self.send_response(206 if asked else 200)
        if self.ranges:
            self.send_header("Accept-Ranges", "bytes")
        if asked:
            self.send_header("Content-Range", f"bytes {asked[1]}-{int(asked[1]) + len(part) - 1}/{len(data)}")
        if self.ranges or self.path.endswith("?short"):
            self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        if body:
            self.wfile.write(part[: len(part) // 2] if self.path.endswith("?short") else part)

    def log_message(self, *_: object) -> None:
        """Nothing on standard error."""


class TestHttp:
    """What a local server gives; its files have no `read1`."""

    @pytest.fixture(params=[True, False], ids=["ranges", "whole"])
    def site(self, request: pytest.FixtureRequest) -> Iterator[str]:
        pytest.importorskip("fsspec")
        pytest.importorskip("aiohttp")
        page = b"<html><body><p>" + b"A story that is long enough to be read. " * 20 + b"</p></body></html>"
        self.files = {"/a.jsonl": DATA, "/a.jsonl.gz": gzip.compress(DATA), "/page.html": page}
        handler = type("Handler", (Served,), {"files": self.files, "ranges": request.param})
        with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            thread = threading.Thread(target=server.serve_forever, daemon=True)
            thread.start()
            yield f"http://127.0.0.1:{server.server_address[1]}"
            server.shutdown()
            thread.join(10)

    @pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
    def test_lines(self, site: str, name: str) -> None:
        found, errors, _ = gather(f"{site}/{name}")
        assert [one.fields for one in found] == LINES
        assert errors == []

    def test_a_page(self, site: str) -> None:
        (one,), errors, _ = gather(f"{site}/page.html")
        assert "A story that is long enough" in (one.document.html or "")
        assert errors == []

    def test_a_table(self, site: str) -> None:
        parquet = pytest.importorskip("pyarrow.parquet")
        import pyarrow as pa

        sink = io.BytesIO()
        parquet.write_table(pa.table({"text": ["x", "y"]}), sink)
        self.files["/t.parquet"] = sink.getvalue()
        assert [one.document.text for one in gather(f"{site}/t.parquet")[0]] == ["x", "y"]

    def test_nothing_there(self, site: str) -> None:
        _, (error,), _ = gather(f"{site}/no.jsonl")
        assert error.fatal

    def test_a_body_that_breaks_off(self, site: str) -> None:
        _, errors, _ = gather(f"{site}/a.jsonl?short")
        assert errors


class TestSources:
    URL = "https://user@News.Example.co.uk:8080/blogs/jane/1.html"

    @pytest.mark.parametrize(
        ("rule", "source"),
        [
            ("domain", "example.co.uk"),
            ("host", "news.example.co.uk"),
            ("field:site", "S"),
            ("field:number", "7"),
            ("path:0", "part-1"),
            ("path:1", "2024"),
            ("path:2", "crawls"),
            (r"re:/blogs/(\w+)/", "jane"),
        ],
    )
    def test_rules(self, rule: str, source: str) -> None:
        if rule == "domain":
            pytest.importorskip("tldextract")
        fields = {"url": self.URL, "site": "S", "number": 7}
        assert sources.source_of(rule, fields, "/data/crawls/2024/part-1.jsonl.gz") == source

    @pytest.mark.parametrize("rule", ["", "domains", "field:", "path:x", "path:-1", "re:(", "re:a", "re:(a)(b)"])
    def test_no_rule(self, tmp_path: Path, rule: str) -> None:
        (tmp_path / "a.jsonl").write_bytes(DATA)
        with pytest.raises(ConfigError, match="source_of"):
            read_records(tmp_path / "a.jsonl", ReadConfig(source_of=rule))

    @pytest.mark.parametrize("url", [None, "", "no url", "http://[1", "mailto:a@b.org"])
    @pytest.mark.parametrize("rule", ["host", "field:x", "path:99", "re:(z+)"])
    def test_no_source_is_a_bad_record(self, tmp_path: Path, url: str | None, rule: str) -> None:
        (tmp_path / "a.jsonl").write_text(json.dumps({"text": "x", "url": url}))
        found, (error,), _ = gather(tmp_path / "a.jsonl", ReadConfig(source_of=rule))
        assert found == []
        assert "expected a source by the rule" in error.problem
        _, (error,), _ = gather(tmp_path / "a.jsonl", ReadConfig(source_of=rule, url_field="link"))
        end = "found no such field" if rule == "field:x" else "found none (link: None)"
        assert error.problem.endswith(end)

    @pytest.mark.parametrize(
        ("url", "domain"),
        [
            ("http://a.b.example.com/", "example.com"),
            ("http://127.0.0.1:80/", "127.0.0.1"),
            ("http://localhost/", "localhost"),
            ("http://xn--mnchen-3ya.de./x", "xn--mnchen-3ya.de"),
            ("http://co.uk/", "co.uk"),
            ("", ""),
        ],
    )
    def test_domains(self, url: str, domain: str) -> None:
        pytest.importorskip("tldextract")
        assert sources.domain_of(url) == domain

    def test_domains_take_no_network_and_leave_no_files(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("tldextract")
        import socket

        monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("a connection"))
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        sources._suffixes.cache_clear()
        sources._domain.cache_clear()
        assert sources.domain_of("http://www.example.org.uk/") == "example.org.uk"
        assert list(tmp_path.iterdir()) == []

    def test_of_a_folder(self, tmp_path: Path) -> None:
        (tmp_path / "s" / "x").mkdir(parents=True)
        (tmp_path / "s" / "x" / "a.txt").write_text("a")
        (one,), _, _ = gather(tmp_path / "s", ReadConfig(source_of="path:1"))
        assert one.document.source == one.fields["source"] == "x"
        _, (error,), _ = gather(tmp_path / "s", ReadConfig(source_of="host"))
        assert error.where == str(tmp_path / "s" / "x" / "a.txt")


class TestFormats:
    def test_the_table(self) -> None:
        suffixes = [suffix for one in formats.FORMATS for suffix in one.suffixes]
        assert len(set(suffixes)) == len(suffixes)
        for one in formats.FORMATS:
            if formats.is_installed(one):
                module = formats.module_of(one)
                assert callable(module.read)
                assert hasattr(module, "writer") == one.writes

    def test_by_name_whatever_the_suffix(self, tmp_path: Path) -> None:
        (tmp_path / "a.dump").write_bytes(DATA)
        with pytest.raises(CorpusError, match="format= says what it is"):
            read_records(tmp_path / "a.dump", ReadConfig())
        assert len(gather(tmp_path / "a.dump", ReadConfig(format="jsonl"))[0]) == 2000
        with pytest.raises(ConfigError, match="format: expected one of jsonl"):
            format_of(str(tmp_path / "a.dump"), ReadConfig(format="xlsx"))

    def test_a_folder_of_archives(self, tmp_path: Path) -> None:
        (tmp_path / "s" / "deep").mkdir(parents=True)
        (tmp_path / "s" / "b.jsonl").write_text(json.dumps(LINES[0]))
        (tmp_path / "s" / "deep" / "a.csv").write_text("text\nx\n")
        assert [one.where.rpartition("/")[2] for one in gather(tmp_path / "s")[0]] == ["b.jsonl:1", "a.csv:1"]
        assert len(gather(tmp_path / "s", ReadConfig(format="csv"))[0]) == 1
        # Where there are pages, other files are not articles.
        (tmp_path / "s" / "page.html").write_text("<p>")
        assert [one.document.id for one in gather(tmp_path / "s")[0]] == ["page.html"]

    def test_files_of_a_folder_that_are_left_out_are_counted(self, tmp_path: Path) -> None:
        for name in ("b.jsonl", "deep.md", "noname"):
            (tmp_path / name).write_text(json.dumps(LINES[0]))
        left = "files in folders left out"
        assert gather(tmp_path)[2].notes == {f"{left} (of no format that is read)": 2}
        assert gather(tmp_path, ReadConfig(format="jsonl"))[2].notes == {f"{left} (not jsonl)": 2}
        (tmp_path / "a.txt").write_text("an article")
        (tmp_path / "c.HTML").write_text("<p>a page")
        (kind,), (number,) = zip(*gather(tmp_path)[2].notes.items(), strict=True)
        assert (kind[: len(left) + 14], number) == (f"{left} (neither .txt", 3)

    @pytest.mark.parametrize(
        ("name", "inputs", "named", "expected"),
        [
            ("o.jsonl.gz", ["parquet"], None, "jsonl"),
            ("o.parquet", ["parquet"], None, "parquet"),
            ("o", ["parquet", "parquet"], None, "parquet"),
            ("-", ["csv"], None, "csv"),
            ("-", ["csv", "parquet"], None, "jsonl"),
            ("o", ["warc"], None, "jsonl"),
            ("o.gz", ["parquet"], None, "jsonl"),
            ("o.csv", ["parquet"], "jsonl", "jsonl"),
            ("o.parquet", ["warc"], None, "parquet"),
            ("o.parquet", ["jsonl"], None, "parquet"),
            ("o.csv", ["folder"], None, "csv"),
            ("o", [], None, "jsonl"),
        ],
    )
    def test_of_the_output(self, name: str, inputs: list[str], named: str | None, expected: str) -> None:
        assert output.choose_format(name, [formats.format_by_name(one) for one in inputs], named).name == expected

    @pytest.mark.parametrize(
        ("name", "inputs", "message"),
        [
            ("o.warc", ["warc"], "cannot be written as warc; what can be written: jsonl"),
        ],
    )
    def test_outputs_that_cannot_be(self, name: str, inputs: list[str], message: str) -> None:
        with pytest.raises(CorpusError, match=message):
            output.choose_format(name, [formats.format_by_name(one) for one in inputs])


@pytest.mark.parametrize(
    ("name", "no_format"),
    [("o.md", True), ("a.b/o.xlsx.gz", True), ("o", False), ("a.b/o", False), ("-", False), ("o.jsonl.gz", False)],
)
def test_outputs_whose_suffix_names_no_format(name: str, no_format: bool) -> None:
    assert output.has_no_format(name) == no_format


def test_configuration() -> None:
    with pytest.raises(ConfigError, match="expected a name for each, got 'a' for more than one"):
        ReadConfig(text_field="a", id_field="a")
    for name in ("source_field", "url_field", "title_field"):
        with pytest.raises(ConfigError, match="fields: expected a name for each, got an empty one"):
            ReadConfig(**{name: ""})  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="max_record"):
        ReadConfig(max_record=0)
    for delimiter in ("", ";;", '"', "\n"):
        with pytest.raises(ConfigError, match="csv_delimiter: expected one character, got "):
            ReadConfig(csv_delimiter=delimiter)
    for encoding in ("", "none", "base64", "undefined", "a\0"):
        with pytest.raises(ConfigError, match="csv_encoding: expected an encoding of Python, such as cp1252"):
            ReadConfig(csv_encoding=encoding)


def test_notes_are_counted() -> None:
    report = files.Report()
    report.note("x")
    report.note("x", 2)
    assert report.notes == {"x": 3}
    with pytest.raises(CorpusError):
        report(CorpusError("y"))
