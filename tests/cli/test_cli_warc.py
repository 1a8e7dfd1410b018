"""Files of a crawl on the command line, from WARC to clean JSON lines; and what readers met, told by every command."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from cli_support import CALL, everything, page, read, records

from conftest import Cli

warcwriter = pytest.importorskip("warcio.warcwriter")
pytest.importorskip("fastwarc")
pytest.importorskip("resiliparse")
pytest.importorskip("tldextract")

from warcio.statusandheaders import StatusAndHeaders  # noqa: E402

SOURCES = ("alpha-example.com", "beta-example.co.uk", "gamma-example.org")

OTHERS = "records that hold no page (requests, pictures, ...)"
FAILED = "responses that report an error or lead elsewhere"
BROKEN = "pages with bytes that no character set explains"
MET = {FAILED: 1, OTHERS: 3, BROKEN: 1}
"""What `crawl` puts beside the pages of articles; the broken one is an article too."""


def url(article: dict[str, Any]) -> str:
    return f"https://www.{article['id']}"


def crawl(path: Path, articles: Iterable[dict[str, Any]]) -> Path:
    """A WARC as warcio writes it: pages, a request, a picture, a page that is gone, a page with broken bytes."""
    with path.open("wb") as stream:
        writer = warcwriter.WARCWriter(stream, gzip=True)

        def put(one: Any) -> None:
            writer.write_record(one)
            one.raw_stream.close()  # warcio leaves its temporary file open

        def add(address: str, body: bytes, day: str, kind: str = "text/html", status: str = "200 OK") -> None:
            http = StatusAndHeaders(status, [("Content-Type", kind)], protocol="HTTP/1.1")
            dated = {"WARC-Date": f"{day}T06:00:00Z"}
            payload = io.BytesIO(body)
            put(
                writer.create_warc_record(
                    address, "response", payload=payload, http_headers=http, warc_headers_dict=dated
                )
            )

        put(writer.create_warcinfo_record(path.name, {"software": "a test"}))
        last: dict[str, Any] = {}
        for last in articles:
            add(url(last), page(last)["html"].encode(), last["date"])
        asked = StatusAndHeaders("GET / HTTP/1.1", [("Host", "www.alpha-example.com")], is_http_request=True)
        put(writer.create_warc_record(url(last), "request", payload=io.BytesIO(), http_headers=asked))
        add("https://alpha-example.com/a.png", b"\x89PNG\r\n\x1a\n", "2024-02-01", "image/png")
        add("https://alpha-example.com/gone", b"<p>gone</p>", "2024-02-01", status="404 Not Found")
        html = page({**last, "id": "broken"})["html"].encode().replace(b"</p>", b"\xff\x81</p>", 1)
        add("https://www.gamma-example.org/broken", html, "2024-02-02")
    return path


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawl(tmp_path_factory.mktemp("crawl") / "crawl.warc.gz", records(SOURCES))


def test_from_a_crawl_to_clean_lines(cli: Cli, tmp_path: Path, crawled: Path) -> None:
    packs = tmp_path / "packs"
    ran = cli("mine", crawled, "-o", packs, "--json")
    assert ran.code == 0, ran
    facts = json.loads(ran.out)
    assert (facts["documents"], facts["skipped"], facts["met"]) == (121, 0, MET)
    assert [one["source"] for one in facts["sources"]] == list(SOURCES)
    ran = cli("clean", crawled, "-p", packs, "-o", tmp_path / "clean.jsonl", "--json")
    assert ran.code == 0, ran
    assert json.loads(ran.out)["met"] == MET
    found = {one["url"]: one for one in read(tmp_path / "clean.jsonl")}
    assert len(found) == 121
    for article in records(SOURCES):
        clean = found[url(article)]
        assert list(clean) == ["id", "source", "url", "date", "text", "removed"]
        assert clean["id"].startswith("<urn:uuid:")
        assert clean["source"] == article["source"]
        assert clean["date"] == f"{article['date']}T06:00:00Z"
        prose = [line for line in article["text"].split("\n\n") if len(line) > 100]
        assert clean["text"].split("\n") == prose
        assert CALL.format(article["source"].partition(".")[0].capitalize()) not in clean["text"]
    assert cli("clean", crawled, "-p", packs, "-o", tmp_path / "pages.jsonl", "--keep-html").code == 0
    assert all(one["html"].startswith("<html>") for one in read(tmp_path / "pages.jsonl"))


@pytest.mark.parametrize("form", ["markdown", "tei", "json"])
def test_formats_of_text_are_those_of_extract(cli: Cli, tmp_path: Path, form: str, crawled: Path) -> None:
    assert cli("mine", crawled, "-o", tmp_path / "packs").code == 0
    options = ("-p", tmp_path / "packs", "--links")
    extracted = cli("extract", crawled, *options, "--output-format", form).out.splitlines()
    cleaned = cli("clean", crawled, *options, "--text-format", form).out.splitlines()
    assert len(cleaned) > 100
    for line, other in zip(map(json.loads, cleaned), map(json.loads, extracted), strict=True):
        assert "html" not in line
        text = json.loads(line["text"]) if form == "json" else line["text"]
        assert text == other["content" if form == "json" else form]


def test_hits_of_a_crawl(cli: Cli, tmp_path: Path, crawled: Path) -> None:
    packs = tmp_path / "packs"
    assert cli("mine", crawled, "-o", packs).code == 0
    for jobs in (1, 2):
        hits = tmp_path / f"hits{jobs}"
        out = tmp_path / f"{jobs}.jsonl"
        assert cli("clean", crawled, "-p", packs, "-o", out, "--hits", hits, "--html", "strip", "-j", jobs).code == 0
    (one,), (two,) = list((tmp_path / "hits1").iterdir()), list((tmp_path / "hits2").iterdir())
    assert one.read_bytes() == two.read_bytes()
    assert_days(tmp_path / "hits1", packs)


def assert_days(folder: Path, packs: Path) -> None:
    """Documents and hits stand under the day of each."""
    from templatemine.cleaning.hits import read_hits
    from templatemine.packs.pack import Pack

    days = read_hits(str(folder))
    assert set(days) == set(SOURCES)
    for source, of_source in days.items():
        assert {f"2024-01-{day:02}" for day in range(1, 29)} <= set(of_source)
        assert "" not in of_source
        assert sum(one.documents for one in of_source.values()) in (40, 41)
        ids = {template.id for template in Pack.load(packs / f"{source}.json").templates}
        hit = {name for one in of_source.values() for name in one.hits}
        assert hit
        assert hit <= ids


def commands(archive: Path, tmp_path: Path) -> dict[str, list[str | Path]]:
    return {
        "mine": ["mine", archive, "-o", tmp_path / "packs"],
        "mine --memory": ["mine", archive, "-o", tmp_path / "packs", "--memory", "200M"],
        "sort": ["sort", archive, "-o", tmp_path / "sites"],
        "extract": ["extract", archive, "-o", tmp_path / "out.jsonl", "--system", "density"],
        "update": ["update", "--new-sources", tmp_path / "packs", archive, "--today", "2024-03-01"],
    }


@pytest.mark.parametrize("name", list(commands(Path(), Path())))
def test_what_was_met_is_told_by_every_command(cli: Cli, tmp_path: Path, crawled: Path, name: str) -> None:
    args = commands(crawled, tmp_path)[name]
    told = cli(*args)
    assert told.code == 0, told
    lines = (told.err + told.out).splitlines()
    assert [line for line in lines if line in {f"{what}: {number:,}" for what, number in MET.items()}] == [
        f"{what}: {number:,}" for what, number in sorted(MET.items())
    ]
    for found in set(everything(tmp_path)) & {"packs", "sites"}:
        (tmp_path / found).rename(tmp_path / f"old {found}")
    again = cli(*args, "--json", *(["--force"] if name == "extract" else []))
    assert json.loads(again.out)["met"] == MET


def test_what_was_met_is_told_by_evaluate(cli: Cli, tmp_path: Path) -> None:
    """Of texts, as a crawl's own extraction (WET) has them."""
    path = tmp_path / "crawl.warc.wet.gz"
    with path.open("wb") as stream:
        writer = warcwriter.WARCWriter(stream, gzip=True)
        kinds = ["conversion"] * 120 + ["metadata"]
        for kind, article in zip(kinds, [*records(SOURCES), {"id": "a", "text": "x"}], strict=True):
            text = io.BytesIO(article["text"].encode())
            one = writer.create_warc_record(url(article), kind, payload=text, warc_content_type="text/plain")
            writer.write_record(one)
            one.raw_stream.close()
    told = cli("evaluate", "mirror", path)
    assert told.code == 0, told
    assert f"{OTHERS}: 1" in told.err.splitlines()
    assert json.loads(cli("evaluate", "mirror", path, "--json", "-").out)["met"] == {OTHERS: 1}


def test_a_run_that_is_done_tells_what_it_met(cli: Cli, tmp_path: Path, crawled: Path) -> None:
    args = commands(crawled, tmp_path)["mine --memory"]
    assert cli(*args).code == 0
    again = cli(*args, "--json")
    assert "an earlier run has done all of it" in again.err
    assert json.loads(again.out)["met"] == MET
