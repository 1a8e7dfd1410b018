"""The crawler as a user starts it, against sites that are slow, endless, lying or leading in circles."""

from __future__ import annotations

import gzip
import json
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

import crawl_sites as site
import pytest
from crawl_sites import Handler, Hit, Sites, support

pytest.importorskip("scrapy")
pytest.importorskip("warcio")
pytest.importorskip("feedparser")
pytest.importorskip("resiliparse")
pytest.importorskip("tldextract")
pytest.importorskip("fastwarc")

from templatemine.config import ReadConfig
from templatemine.io.files import Report
from templatemine.io.warc import read

DELAY = 0.4


def send_without_end(handler: Handler) -> None:
    """A page that never ends; a megabyte in this test, should nobody stop it."""
    handler.send_response(200)
    handler.send_header("Content-Type", "text/html")
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    for _ in range(1024):
        handler.wfile.write(b"400\r\n" + b"x" * 1024 + b"\r\n")


def send_slowly(handler: Handler) -> None:
    """A byte now and then, for a minute if nobody minds."""
    handler.send_response(200)
    handler.send_header("Content-Type", "text/html")
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    for _ in range(300):
        handler.wfile.write(b"x")
        time.sleep(0.2)


def send_too_little(handler: Handler) -> None:
    """Says that more comes than does."""
    site.send(handler, 200, b"<html>too short</html>", Content_Length="5000")
    handler.close_connection = True


def fill(sites: Sites) -> list[str]:
    """Domains 127.0.0.11 and so on, each with its own trouble; their addresses."""
    url = sites.url
    sites.answers.update(
        {
            "/robots.txt": lambda handler: site.send(handler, 200, b"User-agent: *\nDisallow: /no\n", "text/plain"),
            "127.0.0.11/feed": lambda handler: site.send(
                handler,
                200,
                site.make_feed(
                    [url("127.0.0.11", f"/item{n}") for n in range(4)] + ["http:/nowhere", "javascript:x", ""]
                ),
                "text/html",  # a lie: it is a feed
            ),
            **{f"127.0.0.11/item{n}": site.make_page(f"Item {n}") for n in range(4)},
            **{f"127.0.0.12/page{n}": site.make_page(f"Page {n}") for n in range(5)},
            "127.0.0.12/no/page": site.make_page("not for robots"),
            "127.0.0.13/endless": send_without_end,
            "127.0.0.13/large": lambda handler: site.send(handler, 200, b"<html>" + b"y" * 200_000),
            "127.0.0.13/bomb": lambda handler: site.send(
                handler, 200, gzip.compress(b"<html>" + b"z" * 10_000_000), Content_Encoding="gzip"
            ),
            "127.0.0.14/drip": send_slowly,
            "127.0.0.15/short": send_too_little,
            "127.0.0.15/picture": lambda handler: site.send(handler, 200, b"\x89PNG\r\n\x1a\n" * 9, "image/png"),
            "127.0.0.16/a": site.make_redirect("/b"),
            "127.0.0.16/b": site.make_redirect("/a"),
            "127.0.0.17/old": site.make_redirect(url("127.0.0.12", "/page0")),
            "127.0.0.17/new": site.make_redirect("/packed"),
            "127.0.0.17/packed": site.make_gzip_page("packed on its way"),
            "127.0.0.17/file": site.make_redirect("file:///etc/hostname"),
            "127.0.0.18/busy": lambda handler: site.send(handler, 503, b"later"),
        }
    )
    asked = [name for name in sites.answers if name.startswith("127.") and "item" not in name and "/packed" not in name]
    return [sites.url(*split(name)) for name in asked]


def split(name: str) -> tuple[str, str]:
    host, _, path = name.partition("/")
    return host, "/" + path


def request_gaps(hits: list[Hit]) -> list[float]:
    """The least time between two requests of each host."""
    hosts = {hit.host for hit in hits}
    times = [[hit.at for hit in hits if hit.host == host] for host in hosts]
    return [min(after - before for before, after in pairwise(each)) for each in times if len(each) > 1]


@pytest.mark.alone
def test_of_ill_behaved_sites_the_good_pages_come_politely(tmp_path: Path) -> None:
    archive = tmp_path / "h.warc.gz"
    with site.serve_sites() as sites:
        (tmp_path / "urls.txt").write_text("# mixed\n\n" + "\n".join(fill(sites)) + "\n")
        bounds = ("--max-size", "100K", "--timeout", "1.5", "--retries", "1", "--redirects", "3")
        ran = site.run_crawl(
            *(tmp_path / "urls.txt", "-o", archive, "--delay", str(DELAY), "--hours", "0.0025"),
            *("--allow-private", "--json", *bounds),
        )
        hits = list(sites.hits)
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)

    # What the sites saw: never two requests within the delay, whatever they were for; and meanwhile, the others.
    assert min(request_gaps(hits)) >= DELAY
    assert sum(before.host != after.host for before, after in pairwise(hits)) > len(hits) / 2
    by_path = Counter((hit.host + hit.path) for hit in hits)
    assert max(number for name, number in by_path.items() if name.endswith("/robots.txt")) == 1
    assert by_path["127.0.0.12/no/page"] == 0
    assert by_path["127.0.0.13/endless"] == 1
    assert by_path["127.0.0.14/drip"] == by_path["127.0.0.15/short"] == by_path["127.0.0.18/busy"] == 2
    assert by_path["127.0.0.16/a"] + by_path["127.0.0.16/b"] <= 2 * 4
    assert by_path["127.0.0.12/page0"] <= 2
    assert all(number == 1 for name, number in by_path.items() if "/item" in name)

    # What is in the archive.
    records = list(read(str(archive), ReadConfig(), Report()))
    assert told["pages"] == len(records)
    found = {record.document.url: record.document for record in records}
    assert len(found) == len(records)
    names = {str(url).partition("//")[2].replace(f":{sites.port}", "") for url in found}
    wanted = {f"127.0.0.11/item{n}" for n in range(4)} | {f"127.0.0.12/page{n}" for n in range(5)}
    assert names == wanted | {"127.0.0.17/packed"}
    assert "packed on its way" in str(found[sites.url("127.0.0.17", "/packed")].html)
    assert found[sites.url("127.0.0.12", "/page1")].source == "127.0.0.12"

    reasons = "\n".join(one["reason"] for one in told["reasons"])
    assert told["failed"] == sum(one["pages"] for one in told["reasons"])
    for part in ("robots.txt", "HTTP 503", "no page", "max redirections", "Timeout", "DataLoss"):
        assert part in reasons, reasons
    plain = gzip.decompress(archive.read_bytes())
    assert b"title: News 2" in plain
    assert b"via: " + sites.url("127.0.0.11", "/feed").encode() in plain
    assert plain.count(b"WARC-Type: response") == plain.count(b"WARC-Type: request") == len(records)


def test_private_addresses_are_refused(tmp_path: Path) -> None:
    """Before anything is connected to, however the address is written, and behind a redirect too."""
    with site.serve_sites() as sites:
        port = sites.port
        hosts = (
            "127.0.0.1",
            "localhost",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "2130706433",
            "0x7f000001",
            "0x7f.1",
            "0.0.0.0",
        )
        urls = [f"http://{host}:{port}/x" for host in (*hosts, "169.254.169.254")]
        urls.append(f"http://127.0.0.2:{port}/leads")
        urls.append(f"http://127.0.0.2:{port}/hop")
        sites.answers["127.0.0.2/hop"] = site.make_redirect(f"http://127.0.0.2:{port}/hops")  # every hop is looked at
        sites.answers["127.0.0.2/hops"] = site.make_redirect(f"http://[::ffff:7f00:1]:{port}/secret")
        sites.answers["127.0.0.2/leads"] = site.make_redirect(f"http://127.1:{port}/secret")
        (tmp_path / "urls.txt").write_text("\n".join(urls))
        # One address counts as public here, for there is nobody else to redirect.
        code = (
            "import sys, templatemine.crawl.guard as guard; from templatemine.cli.app import run\n"
            "guard.is_public = lambda address, real=guard.is_public: address == '127.0.0.2' or real(address)\n"
            "sys.exit(run(sys.argv[1:]))"
        )
        args = ["crawl", "urls.txt", "-o", "h.jsonl", "--delay", "0.05", "--json", "--timeout", "5"]
        ran = subprocess.run(
            [sys.executable, "-c", code, *args], capture_output=True, text=True, cwd=tmp_path, timeout=100, check=False
        )
        assert {hit.host for hit in sites.hits} <= {"127.0.0.2"}
    assert ran.returncode == 1, ran.stderr  # every address failed
    told = json.loads(ran.stdout)
    (reason,) = told["reasons"]
    assert "--allow-private" in reason["reason"]
    assert (reason["pages"], told["pages"]) == (len(urls), 0)


def test_a_killed_crawl_goes_on(tmp_path: Path) -> None:
    """kill -9 twice, half a record behind it: in the end every page once, and no more fetches than were on their way."""
    pages, kills = 12, 2
    archive = tmp_path / "h.jsonl"
    with site.serve_sites() as sites:
        names = [f"/page{n}" for n in range(pages)]
        sites.answers.update({name: site.make_page(f"This is {name}") for name in names})
        hosts = ("127.0.0.21", "127.0.0.22")
        (tmp_path / "urls.txt").write_text("\n".join(sites.url(host, name) for name in names for host in hosts))
        args = (tmp_path / "urls.txt", "-o", archive, "--delay", "0.1", "--allow-private", "--json")
        for kill in range(1, kills + 1):
            with subprocess.Popen(support.command("crawl", *args)) as process:
                support.wait_for(lambda: len(sites.hits) > 6 * kill or process.poll() is not None)  # noqa: B023
                process.kill()
            assert process.returncode == -9
            with archive.open("ab") as handle:
                handle.write(b'{"id": "half a rec')
        ran = site.run_crawl(*args)
        fetched = Counter(hit.host + hit.path for hit in sites.hits if "page" in hit.path)
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert told["resumed"]
    found = [record["url"] for record in support.read(archive)]
    assert sorted(found) == sorted(sites.url(host, name) for name in names for host in hosts)
    assert told["run"]["pages"] < told["pages"] == len(found)
    # Of each domain one fetch may have been on its way when the kill came.
    assert sum(fetched.values()) <= len(found) + kills * len(hosts)


def test_ends_in_order_when_asked_to_or_when_the_disk_is_full(tmp_path: Path) -> None:
    archive = tmp_path / "h.jsonl"
    with site.serve_sites() as sites:
        sites.answers.update({f"/page{n}": site.make_page("x" * (60_000 if n == 7 else 100)) for n in range(10)})
        urls = [sites.url("127.0.0.41", f"/page{n}") for n in range(10)]
        (tmp_path / "urls.txt").write_text("\n".join(urls))
        args = support.command("crawl", tmp_path / "urls.txt", "-o", archive, "--delay", "0.2", "--allow-private")
        with subprocess.Popen(args, stderr=subprocess.PIPE, text=True) as process:
            support.wait_for(lambda: len(sites.hits) > 3 or process.poll() is not None)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=60)
        assert process.returncode == 130
        assert "still to be fetched" in said
        assert 2 <= len(support.read(archive)) < 7

        full = site.run_crawl(*args[4:], before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000)))
        assert full.returncode == 2
        assert full.stderr == f"templatemine: error: {archive}: cannot be written: File too large\n"
        assert site.run_crawl(*args[4:]).returncode == 0
    assert sorted(record["url"] for record in support.read(archive)) == urls


@pytest.mark.alone
def test_feeds_are_visited_again_on_condition(tmp_path: Path) -> None:
    with site.serve_sites() as sites:
        visits: list[str | None] = []

        def changing(handler: Handler) -> None:
            """Has one more item from the third visit on."""
            visits.append(handler.headers["If-None-Match"])
            tag = '"one"' if len(visits) < 3 else '"two"'
            if visits[-1] == tag:
                site.send(handler, 304, b"", ETag=tag)
                return
            links = [sites.url("127.0.0.31", f"/item{n}") for n in range(1 if tag == '"one"' else 2)]
            site.send(handler, 200, site.make_feed(links), "application/rss+xml", ETag=tag)

        sites.answers["127.0.0.31/feed"] = changing
        sites.answers.update({f"127.0.0.31/item{n}": site.make_page(f"Item {n}") for n in range(2)})
        (tmp_path / "feeds.txt").write_text(sites.url("127.0.0.31", "/feed"))
        args = (tmp_path / "feeds.txt", "-o", tmp_path / "h.jsonl", "--allow-private", "--json")
        ran = site.run_crawl(*args, "--delay", "0.1", "--hours", "0.0016", "--revisit", "0.5", "1")
        counts = Counter(sites.paths("127.0.0.31"))
    told = json.loads(ran.stdout)
    assert visits[:4] == [None, '"one"', '"one"', '"two"']
    assert counts["/item0"] == counts["/item1"] == 1
    assert told["run"]["unchanged"] >= 2
    assert told["run"]["items"] == told["pages"] == 2
    records = support.read(tmp_path / "h.jsonl")
    assert {record["title"] for record in records} == {"News 0", "News 1"}
    assert {record["published"] for record in records} == {"2026-01-05T10:00:00Z"}
