"""What is fetched next and what becomes of it, without a network; and the state and the output that go with it."""

from __future__ import annotations

import gzip
import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("warcio")
pytest.importorskip("feedparser")
pytest.importorskip("resiliparse")
pytest.importorskip("tldextract")

from templatemine.crawl.frontier import CrawlFrontier, CrawlResponse, clean_url, read_urls
from templatemine.crawl.settings import CrawlConfig
from templatemine.crawl.sitemap import read_sitemap
from templatemine.crawl.state import CrawlState, Feed, Page, PageStatus
from templatemine.crawl.warc_output import CrawlOutput, Exchange, check_name
from templatemine.errors import ConfigError, CorpusError
from templatemine.io.files import Report

HTML = b"<!doctype html><html><body><p>A story.</p></body></html>"


def answer(url: str, body: bytes = HTML, status: int = 200, kind: str = "text/html") -> CrawlResponse:
    """As the spider makes it."""
    exchange = Exchange(
        url=url,
        date="2026-01-05T10:00:00Z",
        address="192.0.2.1",
        request=[("User-Agent", "x")],
        status="200 OK",
        headers=[("Content-Type", kind), ("Content-Length", str(len(body)))],
        body=body,
    )
    return CrawlResponse(status=status, content_type=kind, etag='"e"', modified=None, body=body, exchange=exchange)


@pytest.fixture
def state(tmp_path: Path) -> Iterator[CrawlState]:
    found = CrawlState(str(tmp_path / "h.jsonl.state"))
    yield found
    found.close()


def make_frontier(state: CrawlState, path: Path, **options: object) -> CrawlFrontier:
    """A frontier over a state."""
    size = path.stat().st_size if path.exists() else 0
    return CrawlFrontier(state, CrawlOutput(str(path), state.reconcile(size)), CrawlConfig(**options))  # type: ignore[arg-type]


def test_domains_take_turns_and_none_is_asked_ahead(state: CrawlState, tmp_path: Path) -> None:
    frontier = make_frontier(state, tmp_path / "h.jsonl")
    frontier.add(iter([f"http://a.example/{n}" for n in range(50)] + ["http://www.b-news.org/1", "http://c.example/1"]))
    out = []
    while (job := frontier.next_job(0)) is not None:
        out.append(job)
    assert Counter(job.source for job in out) == {"a.example": 2, "b-news.org": 1, "c.example": 1}
    assert [job.source for job in out[:3]] == ["a.example", "b-news.org", "c.example"]
    frontier.record_response(out[0], answer(out[0].url), 0)
    following = frontier.next_job(0)
    assert following is not None
    assert following.url == "http://a.example/2"
    assert frontier.next_job(0) is None
    assert not frontier.is_finished()


def test_a_domain_has_its_limit_over_all_runs(state: CrawlState, tmp_path: Path) -> None:
    urls = [f"http://a.example/{n}" for n in range(9)]
    for most in (4, 6):  # a second run may go on to 6
        frontier = make_frontier(state, tmp_path / "h.jsonl", max_pages=most)
        frontier.add(iter(urls))
        while (job := frontier.next_job(0)) is not None:
            frontier.record_response(job, answer(job.url), 0)
        assert frontier.is_finished()
        assert state.count_by_status()[PageStatus.DONE] == most
    assert len((tmp_path / "h.jsonl").read_bytes().splitlines()) == 6


def test_a_feed_brings_its_items_once(state: CrawlState, tmp_path: Path) -> None:
    body = b"""<rss version="2.0"><channel><title>F</title><ttl>120</ttl>
        <item><title>One</title><link>/one#top</link></item><item><link>http://b.example/two</link></item>
        <item><link>ftp://c.example/</link></item><item><title>None</title></item></channel></rss>"""
    frontier = make_frontier(state, tmp_path / "h.jsonl")
    frontier.add(iter(["http://a.example/feed"]))
    job = frontier.next_job(0)
    assert isinstance(job, Page)
    frontier.record_response(job, answer(job.url, body, kind="text/html"), 1000.0)
    urls = set()
    while (item := frontier.next_job(1000.0)) is not None:
        urls.add(item.url)
    assert urls == {"http://a.example/one", "http://b.example/two"}
    (feed,) = state.feeds()
    assert (feed.etag, feed.schedule.visited, feed.due) == ('"e"', 1000.0, 1000.0 + 7200)
    assert frontier.next_job(feed.due - 1) is None
    visit = frontier.next_job(feed.due)
    assert isinstance(visit, Feed)
    assert visit.etag == '"e"'


def test_what_is_no_feed_any_more_is_asked_less_and_less(state: CrawlState, tmp_path: Path) -> None:
    frontier = make_frontier(state, tmp_path / "h.jsonl")
    frontier.add(iter(["http://a.example/feed"]))
    job, now = frontier.next_job(0), 0.0
    assert job is not None
    frontier.record_response(job, answer(job.url, b"<rss version='2.0'><channel></channel></rss>"), now)
    waits = []
    for _ in range(8):
        (feed,) = state.feeds()
        waits.append(feed.due - now)
        now = feed.due
        job = frontier.next_job(now)
        assert isinstance(job, Feed)
        frontier.record_response(job, answer(job.url, b"<html>gone</html>"), now)
    assert waits == sorted(waits)
    assert waits[-1] == 86_400


@pytest.mark.parametrize("name", ["h.jsonl", "h.jsonl.gz", "h.warc", "h.warc.gz"])
def test_what_was_not_written_down_is_cut_off_and_what_is_lost_comes_again(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    state = CrawlState(str(tmp_path / "state"))
    frontier = make_frontier(state, path)
    frontier.add(iter([f"http://a.example/{n}" for n in range(6)]))
    sizes = []
    for _ in range(4):
        job = frontier.next_job(0)
        assert job is not None
        frontier.record_response(job, answer(job.url), 0)
        sizes.append(path.stat().st_size)
    state.close()
    whole = path.read_bytes()

    path.write_bytes(whole + b"half a rec")  # killed
    state = CrawlState(str(tmp_path / "state"))
    assert state.reconcile(path.stat().st_size) == len(whole)
    state.close()

    path.write_bytes(whole[: sizes[2] - 1])  # lost power
    state = CrawlState(str(tmp_path / "state"))
    assert state.reconcile(path.stat().st_size) == sizes[1]
    assert state.count_by_status()[PageStatus.DONE] == 2
    frontier = make_frontier(state, path)
    while (job := frontier.next_job(0)) is not None:
        frontier.record_response(job, answer(job.url), 0)
    assert state.count_by_status()[PageStatus.DONE] == 6
    state.close()
    data = path.read_bytes()
    data = gzip.decompress(data) if name.endswith(".gz") else data
    for number in range(6):
        marks = {
            "jsonl": f'"url":"http://a.example/{number}"',
            "warc": f"WARC-Target-URI: http://a.example/{number}\r\n",
        }
        assert data.count(marks[name.split(".")[1]].encode()) == (1 if "jsonl" in name else 2)  # and its request


def test_json_lines_have_what_the_feed_said(state: CrawlState, tmp_path: Path) -> None:
    frontier = make_frontier(state, tmp_path / "h.jsonl")
    page = Page(
        url="http://a.example/1", source="a.example", via="http://a.example/feed", title="One", published="2026"
    )
    frontier.add(iter(()))
    state.add([page])
    frontier = make_frontier(state, tmp_path / "h.jsonl")
    job = frontier.next_job(0)
    assert job is not None
    frontier.record_response(job, answer("http://a.example/final", HTML.replace(b"story", "stóry".encode())), 0)
    (record,) = map(json.loads, (tmp_path / "h.jsonl").read_bytes().splitlines())
    assert (record["title"], record["via"], record["url"]) == ("One", page.via, "http://a.example/final")
    assert "stóry" in record["html"]
    assert state.is_finished("http://a.example/final")


def test_a_page_is_not_fetched_under_two_addresses(state: CrawlState, tmp_path: Path) -> None:
    frontier = make_frontier(state, tmp_path / "h.jsonl")
    frontier.add(iter(["http://a.example/old", "http://b.example/new"]))
    job = frontier.next_job(0)
    assert job is not None
    assert job.url == "http://a.example/old"
    frontier.record_response(job, answer("http://b.example/new"), 0)
    assert frontier.next_job(0) is None
    assert frontier.is_finished()
    assert state.is_finished("http://b.example/new")
    counts = state.count_by_status()
    assert (counts[PageStatus.DONE], counts[PageStatus.ALIAS], counts[PageStatus.FAILED]) == (1, 1, 0)
    state.reconcile(0)  # all is lost, so both are due
    assert state.count_by_status()[PageStatus.DUE] == 2


@pytest.mark.parametrize("first", [0, 1])
def test_a_page_that_is_on_its_way_twice_is_kept_once(state: CrawlState, tmp_path: Path, first: int) -> None:
    frontier = make_frontier(state, tmp_path / "h.jsonl")
    frontier.add(iter(["http://a.example/old", "http://b.example/new"]))
    jobs = [frontier.next_job(0), frontier.next_job(0)]
    for job in (jobs[first], jobs[1 - first]):
        assert job is not None
        frontier.record_response(job, answer("http://b.example/new"), 0)
    assert frontier.is_finished()
    assert len((tmp_path / "h.jsonl").read_bytes().splitlines()) == frontier.counters["pages"] == 1
    counts = state.count_by_status()
    assert counts[PageStatus.DONE] == 1
    assert counts[PageStatus.DUE] == 0


def test_two_crawls_on_one_state(tmp_path: Path) -> None:
    state = CrawlState(str(tmp_path / "s"))
    with pytest.raises(CorpusError, match="another crawl"):
        CrawlState(str(tmp_path / "s"))
    state.close()
    CrawlState(str(tmp_path / "s")).close()


def test_reasons_are_told_up_to_a_number_and_add_up(state: CrawlState, tmp_path: Path) -> None:
    frontier = make_frontier(state, tmp_path / "h.jsonl")
    frontier.add(iter(f"http://s{n}.example/" for n in range(40)))
    for n in range(40):
        job = frontier.next_job(0)
        assert isinstance(job, Page)
        frontier.record_failure(job, "HTTP 404" if n % 2 else f"reason {n}", 0)
    reasons = state.reasons()
    assert reasons[0] == ("HTTP 404", 20)
    assert reasons[-1] == ("for other reasons", 1)
    assert sum(number for _, number in reasons) == 40


def test_pages_that_failed_alike_have_one_reason() -> None:
    pytest.importorskip("scrapy")
    from scrapy.exceptions import DownloadCancelledError, IgnoreRequest

    from templatemine.crawl.spider import failure_reason

    for url in ("http://a.example/1?x", "http://b.example:80/2"):
        host = url.split("/")[2].partition(":")[0]
        late = TimeoutError(f"Getting {url} took longer than 60 seconds.")
        assert failure_reason(late, url) == "TimeoutError: Getting ... took longer than 60 seconds."
        assert failure_reason(OSError(f"no results for {host}."), url) == "OSError: no results for ...."
        large = DownloadCancelledError(f"Expected to receive {len(url)} bytes, in request <GET {url}>.")
        assert failure_reason(large, url) == "larger than --max-size"
        assert failure_reason(IgnoreRequest("Forbidden by robots.txt"), url) == "Forbidden by robots.txt"


def test_a_state_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "s").write_bytes(b"no database at all " * 100)
    with pytest.raises(CorpusError, match="expected the state of a crawl"):
        CrawlState(str(tmp_path / "s"))


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("http://a.example/x#y", "http://a.example/x"),
        ("  https://A.example/ ", "https://A.example/"),
        ("/x", None),
        ("ftp://a.example/", None),
        ("http://", None),
        ("http://[::1", None),
        ("javascript:alert(1)", None),
        ("http://a.example/" + "x" * 5000, None),
        ("http://a.example/a b", None),
    ],
)
def test_addresses(url: str, wanted: str | None) -> None:
    assert clean_url(url) == wanted


@settings(max_examples=50)
@given(st.text(max_size=60), st.sampled_from(["", "http://a.example/dir/"]))
def test_addresses_are_clean_or_none(text: str, base: str) -> None:
    found = clean_url(text, base)
    assert found is None or clean_url(found) == found


def test_files_of_addresses(tmp_path: Path) -> None:
    path = tmp_path / "urls.txt"
    path.write_bytes("\ufeff# of mine\r\n\r\nhttp://a.example/1\r\n http://a.example/2\n".encode())
    assert list(read_urls(str(path), Report())) == ["http://a.example/1", "http://a.example/2"]
    path.write_text("http://a.example/1  # of mine\n\t# more\nhttp://a.example/#2\n")
    assert list(read_urls(str(path), Report())) == ["http://a.example/1", "http://a.example/"]
    path.write_text("http://a.example/1\nexample.org\nhttp://a.example/2\n")
    with pytest.raises(CorpusError, match=r"urls.txt:2: expected an address"):
        list(read_urls(str(path), Report()))
    told: list[str] = []
    found = list(read_urls(str(path), Report(lambda error: told.append(str(error)))))
    assert found == ["http://a.example/1", "http://a.example/2"]
    (line,) = told
    assert "urls.txt:2: expected an address that begins with http:// or https://, found 'example.org'" in line


SITEMAP = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">
<url><loc> http://a.example/1?x=1&amp;y=2 </loc><news:news><news:publication_date>2026-01-05</news:publication_date>
<news:title>A &lt;b&gt; title</news:title></news:news></url>
<url><loc><![CDATA[http://b.example/2]]></loc></url><url><loc>ftp://c.example/</loc></url><url></url>
<url><loc>http://a.example/cut"""


@pytest.mark.parametrize("packed", [False, True])
def test_a_sitemap_brings_its_pages(state: CrawlState, tmp_path: Path, packed: bool) -> None:
    """By its address, as a file, and through an index; what its end cuts off is left out."""
    data = gzip.compress(SITEMAP.encode()) if packed else SITEMAP.encode()
    path = tmp_path / "sitemap.xml"
    path.write_bytes(data)
    wanted = ["http://a.example/1?x=1&y=2", "http://b.example/2"]
    assert list(read_urls(str(path), Report())) == wanted
    frontier = make_frontier(state, tmp_path / "h.jsonl")
    frontier.add(iter(["http://a.example/index.xml"]))
    index = b"<sitemapindex><sitemap><loc>http://a.example/sitemap.xml</loc></sitemap></sitemapindex>"
    job = frontier.next_job(0)
    assert job is not None
    frontier.record_response(job, answer(job.url, index, kind="text/xml"), 0)
    job = frontier.next_job(0)
    assert job is not None
    assert job.url == "http://a.example/sitemap.xml"
    frontier.record_response(job, answer(job.url, data, kind="application/gzip"), 0)
    pages = []
    while (one := frontier.next_job(0)) is not None:
        assert isinstance(one, Page)
        pages.append(one)
    assert [one.url for one in pages] == wanted
    assert (pages[0].title, pages[0].published) == ("A <b> title", "2026-01-05")


@pytest.mark.parametrize(
    "piece", ["<url>", "<url><loc>", "<loc><![CDATA[", "<url><loc>a</loc>", "<![CDATA[ ]]>", "</url>"]
)
def test_sitemaps_that_never_close_anything(piece: str) -> None:
    """A megabyte of it; looking for each end up to that of the file took minutes."""
    data = f"<urlset>{piece * (1_000_000 // len(piece))}".encode()
    begin = time.process_time()
    entries = read_sitemap(data, 1 << 26)
    assert entries is not None
    assert list(entries) == []
    assert time.process_time() - begin < 5


def test_a_chain_of_sitemaps_ends(state: CrawlState, tmp_path: Path) -> None:
    frontier = make_frontier(state, tmp_path / "h.jsonl", max_pages=5)
    frontier.add(iter(["http://a.example/0"]))
    fetched = 0
    while isinstance(job := frontier.next_job(0), Page):
        fetched += 1
        body = f"<urlset><url><loc>http://a.example/{fetched}</loc></url></urlset>"
        frontier.record_response(job, answer(job.url, body.encode(), kind="text/xml"), 0)
    assert fetched == 6


def test_a_json_feed_brings_its_items(state: CrawlState, tmp_path: Path) -> None:
    feed = {"version": "https://jsonfeed.org/version/1.1", "title": "F", "items": [{"id": 1, "url": "/one"}, {"id": 2}]}
    frontier = make_frontier(state, tmp_path / "h.jsonl")
    frontier.add(iter(["http://a.example/feed.json"]))
    job = frontier.next_job(0)
    assert job is not None
    frontier.record_response(job, answer(job.url, json.dumps(feed).encode(), kind="application/feed+json"), 0)
    item = frontier.next_job(0)
    assert item is not None
    assert item.url == "http://a.example/one"


@pytest.mark.parametrize(
    "options", [{"delay": 0}, {"delay": float("nan")}, {"revisit": (5, 1)}, {"max_pages": 0}, {"agent": "a\nb"}]
)
def test_options_that_make_no_sense(options: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=f"{next(iter(options))}: expected"):
        CrawlConfig(**options)  # type: ignore[arg-type]


def test_names_of_outputs() -> None:
    assert check_name("A/B.WARC.gz") == ".warc.gz"
    with pytest.raises(ConfigError, match="ends in"):
        check_name("history.parquet")


def test_an_output_in_a_folder_that_is_not_there(tmp_path: Path) -> None:
    pytest.importorskip("scrapy")
    from templatemine.crawl.crawler import crawl

    with pytest.raises(CorpusError, match="h.jsonl: cannot be written: there is no directory .*nowhere"):
        crawl([], str(tmp_path / "nowhere" / "h.jsonl"), CrawlConfig())


@pytest.mark.alone
def test_next_is_quick_with_many_domains_that_wait(state: CrawlState, tmp_path: Path) -> None:
    """Domains at their limit are not looked at again and again."""
    frontier = make_frontier(state, tmp_path / "h.jsonl")
    frontier.add(f"http://a{n}.example/{m}" for m in range(3) for n in range(5000))
    out = 0
    while frontier.next_job(0) is not None:
        out += 1
    assert out == 10_000
    start = time.perf_counter()
    for _ in range(10_000):
        assert frontier.next_job(0) is None
    assert time.perf_counter() - start < 1
