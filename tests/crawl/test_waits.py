"""Sites that ask for time: Crawl-delay in robots.txt, Retry-After of answers."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Sequence
from email.utils import formatdate
from itertools import pairwise
from pathlib import Path
from typing import Any

import crawl_sites as site
import pytest
from crawl_sites import Answer, Handler, Sites, support

pytest.importorskip("scrapy")
pytest.importorskip("feedparser")
pytest.importorskip("resiliparse")
pytest.importorskip("tldextract")
pytest.importorskip("fastwarc")

DELAY, LONGEST = 0.1, 1.5


def ask_to_wait(status: int, after: str, times: int, answer: Answer) -> Answer:
    """Says "later" so many times; `after` may be a number of seconds from now, or "date" for two seconds as a date."""
    left = [times]

    def answers(handler: Handler) -> None:
        left[0] -= 1
        if left[0] < 0:
            answer(handler)
            return
        told = formatdate(time.time() + 2, usegmt=True) if after == "date" else after
        site.send(handler, status, b"later", "text/plain", Retry_After=told)

    return answers


def robots(text: str) -> Answer:
    return lambda handler: site.send(handler, 200, text.encode(), "text/plain")


def request_gaps(sites: Sites, host: str) -> list[float]:
    """Seconds between the requests of a host."""
    return [after - before for before, after in pairwise([hit.at for hit in sites.hits if hit.host == host])]


def make_crawl_command(sites: Sites, folder: Path, names: Sequence[str]) -> list[str]:
    """The command for a crawl of some addresses."""
    urls = [sites.url(host, f"/{path}") for host, _, path in (name.partition("/") for name in names)]
    (folder / "urls.txt").write_text("\n".join(urls))
    options = ("--delay", str(DELAY), "--allow-private")
    return support.command("crawl", folder / "urls.txt", "-o", folder / "h.jsonl", *options)


def time_crawl(sites: Sites, folder: Path, names: Sequence[str], *options: str) -> tuple[dict[str, Any], float]:
    """What a crawl of some addresses tells, and its seconds."""
    command, begun = [*make_crawl_command(sites, folder, names), "--json", *options], time.monotonic()
    ran = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout), time.monotonic() - begun


def test_sites_get_the_time_they_ask_for(tmp_path: Path) -> None:
    fine = site.make_page("Fine")
    with site.serve_sites() as sites:
        sites.answers.update({f"/page{n}": site.make_page(f"Page {n}") for n in range(4)})
        sites.answers.update(
            {
                "127.0.0.51/robots.txt": robots("User-agent: *\nCrawl-delay: 0.7\n"),
                "127.0.0.52/robots.txt": robots(
                    "User-agent: other\nCrawl-delay: 5\n\nUser-agent: *\nCrawl-delay: 900\n"
                ),
                "127.0.0.53/robots.txt": robots("User-agent: *\nCrawl-delay: 0.01\n"),
                "127.0.0.54/page0": ask_to_wait(429, "1", 1, fine),
                "127.0.0.55/page0": ask_to_wait(503, "date", 1, fine),
                "127.0.0.56/page0": ask_to_wait(503, "1", 99, fine),
                "127.0.0.57/robots.txt": ask_to_wait(503, "1", 1, robots("User-agent: *\nDisallow: /no\n")),
                "127.0.0.64/robots.txt": lambda handler: site.send(handler, 500, b"Sorry", "text/plain"),
                "127.0.0.65/robots.txt": lambda handler: site.send(
                    handler, 404, b"User-agent: *\nDisallow: /\n", "text/plain"
                ),
                "127.0.0.58/page0": ask_to_wait(429, "never", 1, fine),
                "127.0.0.59/page0": ask_to_wait(404, "900", 1, fine),
            }
        )
        names = [f"127.0.0.{host}/page{n}" for host in (51, 52, 53) for n in range(4)]
        names += [f"127.0.0.{host}/page{n}" for host in (54, 55, 56, 58, 59, 65) for n in range(2)]
        told, _ = time_crawl(
            sites,
            tmp_path,
            [*names, "127.0.0.57/no", "127.0.0.57/page0", "127.0.0.64/page0"],
            "--retries",
            "1",
            "--max-wait",
            str(LONGEST),
        )
    # Between all fetches of a site lies what its robots.txt asks for, up to the bound; never less than the delay.
    assert min(request_gaps(sites, "127.0.0.51")) >= 0.7
    assert min(request_gaps(sites, "127.0.0.52")) >= LONGEST
    assert DELAY <= min(request_gaps(sites, "127.0.0.53")) < 0.6
    # What was told to come later came later, and no other page of its site before.
    for host, least in ((54, 1.0), (55, 1.0), (56, 1.0), (57, 1.0)):
        assert max(request_gaps(sites, f"127.0.0.{host}")) >= least
    assert sites.paths("127.0.0.54") == ["/robots.txt", "/page0", "/page0", "/page1"]
    assert sites.paths("127.0.0.55") == ["/robots.txt", "/page0", "/page0", "/page1"]
    assert sites.paths("127.0.0.56").count("/page0") == 2
    assert sites.paths("127.0.0.57") == ["/robots.txt", "/robots.txt", "/page0"]
    # A server that fails forbids all, after a retry; a page that says there is no robots.txt says nothing else.
    assert sites.paths("127.0.0.64") == ["/robots.txt", "/robots.txt"]
    # What asks for nothing that is understood is tried again at once, and a page that is not there is not.
    assert sites.paths("127.0.0.58").count("/page0") == 2
    assert sites.paths("127.0.0.59").count("/page0") == 1
    fetched = {
        record["url"].partition("//")[2].replace(f":{sites.port}", "") for record in support.read(tmp_path / "h.jsonl")
    }
    assert fetched == {*names, "127.0.0.57/page0"} - {"127.0.0.56/page0", "127.0.0.59/page0"}
    assert {one["reason"] for one in told["reasons"]} == {"HTTP 503", "HTTP 404", "Forbidden by robots.txt"}


def test_sites_that_wait_keep_no_others_from_being_fetched(tmp_path: Path) -> None:
    """Eighty sites that want to be left alone take no place among the 64 fetches under way."""
    with site.serve_sites() as sites:
        sites.answers.update({f"/page{n}": ask_to_wait(429, "60", 10**6, site.make_page("never")) for n in range(3)})
        sites.answers.update({f"127.0.0.60/page{n}": site.make_page(f"Page {n}") for n in range(12)})
        names = [f"127.0.1.{host}/page{n}" for n in range(3) for host in range(1, 81)]
        names += [f"127.0.0.60/page{n}" for n in range(12)]
        with subprocess.Popen(make_crawl_command(sites, tmp_path, names), stderr=subprocess.DEVNULL) as process:
            try:
                support.wait_for(lambda: len(sites.paths("127.0.0.60")) >= 13 or process.poll() is not None)
            finally:
                process.kill()
    assert sorted(sites.paths("127.0.0.60")) == sorted(["/robots.txt", *(f"/page{n}" for n in range(12))])


@pytest.mark.parametrize("how", ["time", "signal"])
def test_a_crawl_ends_in_time_and_what_waits_stays_due(tmp_path: Path, how: str) -> None:
    with site.serve_sites() as sites:
        sites.answers["127.0.0.61/page0"] = ask_to_wait(503, "60", 1, site.make_page("Fine"))
        sites.answers["127.0.0.61/page1"] = site.make_page("Fine")
        sites.answers["127.0.0.62/robots.txt"] = robots("User-agent: *\nCrawl-delay: 60\n")
        sites.answers["127.0.0.62/page0"] = sites.answers["127.0.0.62/page1"] = site.make_page("Fine")
        sites.answers["127.0.0.63/robots.txt"] = ask_to_wait(503, "60", 1, robots(""))
        sites.answers["127.0.0.63/page0"] = site.make_page("Fine")
        names = [f"127.0.0.{host}/page{n}" for host in (61, 62) for n in range(2)] + ["127.0.0.63/page0"]
        if how == "time":
            told, seconds = time_crawl(sites, tmp_path, names, "--hours", "0.0012")
            assert (told["left"], told["pages"], told["failed"]) == (5, 0, 0)
            assert seconds < 30
        else:
            command = make_crawl_command(sites, tmp_path, names)
            with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
                support.wait_for(lambda: len(sites.hits) >= 4 or process.poll() is not None)
                process.send_signal(signal.SIGINT)
                _, said = process.communicate(timeout=30)
            assert process.returncode == 130
            assert "5 still to be fetched, 0 failed" in said
        assert sorted(hit.path for hit in sites.hits) == ["/page0", *["/robots.txt"] * 3]
