"""``templatemine extract``: what it reads, what it writes, what it refuses."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from cli_support import everything, read, write

from conftest import Cli
from invented_pages import CALL, page
from templatemine import extract
from templatemine.cleaning import page_records
from templatemine.config import BlogRule, ExtractConfig
from templatemine.errors import pip_line
from templatemine.io.read import BATCH_RECORDS
from templatemine.pages.render.browser import find_browser


def rows(number: int) -> list[dict[str, Any]]:
    return [{"source": "lantern.example", "id": f"p{n}", "url": f"u{n}", "html": page(n)} for n in range(number)]


@pytest.fixture
def single(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(page(1), encoding="utf-8")
    return path


def test_a_single_page_is_written_as_text(cli: Cli, single: Path) -> None:
    ran = cli("extract", single)
    assert (ran.code, ran.out, ran.err) == (0, extract(page(1)).text + "\n", "")
    assert (
        cli("extract", single, "--output-format", "cleaneval").out
        == f'<doc id="page.html">\n{extract(page(1)).marked}\n'
    )


def test_the_kind_is_told_and_may_be_given(cli: Cli, single: Path) -> None:
    found = json.loads(cli("extract", single, "--output-format", "jsonl").out)
    assert found["kind"] == "article"
    assert 0.5 < found["kind_probability"] <= 1
    given = json.loads(cli("extract", single, "--output-format", "jsonl", "--kind", "forum").out)
    assert (given["kind"], given["kind_probability"]) == ("forum", 1.0)
    ran = cli("extract", single, "--system", "bte", "--kind", "forum")
    assert (ran.code, ran.out) == (2, "")
    assert "--kind: expected --system hybrid" in ran.err


def test_a_single_page_is_written_as_the_suffix_says(cli: Cli, single: Path, tmp_path: Path) -> None:
    for name, form in {
        "a.md": "markdown",
        "a.MD.gz": "markdown",
        "a.tei": "tei",
        "a.json": "json",
        "a.jsonl": "jsonl",
        "a.txt": "text",
        "a": "text",
    }.items():
        assert cli("extract", single, "-o", tmp_path / name).code == 0
        found = (tmp_path / name).read_bytes()
        found = gzip.decompress(found) if name.endswith("gz") else found
        assert found.decode() == cli("extract", single, "--output-format", form).out
    assert cli("extract", single, "-o", tmp_path / "b.md", "--output-format", "text").code == 0
    assert (tmp_path / "b.md").read_bytes() == (tmp_path / "a").read_bytes()
    assert cli("extract", single, "-o", tmp_path / "c.md", "--blocks").code == 0
    assert "blocks" in read(tmp_path / "c.md")[0]
    assert cli("extract", single, "-o", tmp_path / "d.md", "--metadata").code == 0
    assert (tmp_path / "d.md").read_text().startswith("---\n")


def test_the_headline_is_left_out_on_request(cli: Cli, single: Path) -> None:
    kept, left = (cli("extract", single, "--headline", choice).out.split("\n") for choice in ("keep", "drop"))
    assert kept[0] not in left
    assert left[-5:] == kept[-5:]


def test_blocks_of_a_single_page(cli: Cli, single: Path) -> None:
    row = json.loads(cli("extract", single, "--blocks").out)
    assert (row["id"], row["source"]) == ("page.html", single.parent.name)
    assert row["blocks"][0]["text"] == "Home"
    assert {"start", "end", "text", "path", "words", "linked", "kept", "reason", "mark"} <= set(row["blocks"][0])


def test_a_gzip_page(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "page.htm.gz").write_bytes(gzip.compress(page(1).encode()))
    assert cli("extract", tmp_path / "page.htm.gz").out == extract(page(1)).text + "\n"


def test_json_lines(cli: Cli, tmp_path: Path) -> None:
    new = write(tmp_path / "new.jsonl", rows(3))
    ran = cli("extract", new, "-o", tmp_path / "out.jsonl")
    assert (ran.code, ran.out) == (0, "")
    got = read(tmp_path / "out.jsonl")
    fields = ["id", "source", "url", "system", "title", "date", "text", "kind", "kind_probability"]
    assert [list(row) for row in got] == [fields] * 3
    assert [row["text"] for row in got] == [extract(page(n)).text for n in range(3)]
    assert "3 pages written to" in ran.err
    assert "blocks kept" in ran.err


@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "out.md", "out.txt.gz"])
def test_a_suffix_that_several_pages_do_not_get_is_told(cli: Cli, tmp_path: Path, name: str) -> None:
    """JSON lines were written under the name of a table without a word."""
    new = write(tmp_path / "new.jsonl", rows(3))
    ran = cli("extract", new, "-o", tmp_path / name)
    assert ran.code == 0
    told = "its suffix names no format that several pages are written in; it becomes jsonl"
    assert f"{tmp_path / name}: {told}" in ran.err
    for other in (
        [],
        ["-o", tmp_path / "out.jsonl.gz"],
        ["-o", tmp_path / name, "--output-format", "jsonl", "--force"],
    ):
        assert told not in cli("extract", new, *other).err


def test_addresses_in_a_field_of_another_name(cli: Cli, tmp_path: Path) -> None:
    new = write(tmp_path / "new.jsonl", [{**rows(1)[0], "url": None, "link": "http://a.example/b"}])
    (found,) = (json.loads(line) for line in cli("extract", new, "--url-field", "link").out.splitlines())
    assert found["link"] == "http://a.example/b"
    assert "url" not in found


def test_a_folder(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    for n in range(3):
        (folder / f"{n}.html").write_text(page(n), encoding="utf-8")
    assert cli("extract", folder, "-o", tmp_path / "out.jsonl.gz").code == 0
    lines = gzip.decompress((tmp_path / "out.jsonl.gz").read_bytes()).splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["0.html", "1.html", "2.html"]


def test_processes_change_nothing(cli: Cli, tmp_path: Path) -> None:
    new = write(tmp_path / "new.jsonl", rows(BATCH_RECORDS + 40))
    assert cli("extract", new, "-o", tmp_path / "one.jsonl").code == 0
    assert cli("extract", new, "-o", tmp_path / "two.jsonl", "--jobs", "2").code == 0
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()


def test_packs_of_sources(cli: Cli, tmp_path: Path) -> None:
    lines = [{"source": "lantern.example", "id": str(n), "html": page(n, CALL)} for n in range(20)]
    archive = write(tmp_path / "pages.jsonl", lines)
    assert cli("mine", archive, "-o", tmp_path / "packs").code == 0
    new = write(tmp_path / "new.jsonl", [{"source": "lantern.example", "id": "x", "html": page(77, CALL)}])
    assert cli("extract", new, "-o", tmp_path / "out.jsonl", "-p", tmp_path / "packs").code == 0
    assert "Readers have stood" not in read(tmp_path / "out.jsonl")[0]["text"]


def test_records_without_a_page_are_told_and_counted(cli: Cli, tmp_path: Path) -> None:
    new = write(tmp_path / "new.jsonl", [{"id": "a", "text": "no page"}, {"id": "b", "html": page(1)}, b"{"])
    ran = cli("extract", new, "-o", tmp_path / "out.jsonl", "--json")
    assert ran.code == 1
    facts = json.loads(ran.out)
    assert (facts["pages"], facts["skipped"], facts["empty"]) == (1, 2, 0)
    assert "expected a page in 'html', found none" in ran.err
    assert "new.jsonl:1" in ran.err
    strict = cli("extract", new, "-o", tmp_path / "strict.jsonl", "--strict")
    assert strict.code == 1
    assert "strict.jsonl" not in everything(tmp_path)


def test_ids_are_made_up_from_the_place(cli: Cli, tmp_path: Path) -> None:
    new = write(tmp_path / "new.jsonl", [{"html": page(1)}])
    assert cli("extract", new, "-o", tmp_path / "out.jsonl").code == 0
    assert read(tmp_path / "out.jsonl")[0]["id"] == f"{new}:1"


def test_an_empty_line_ends_each_of_several_pages(cli: Cli, tmp_path: Path) -> None:
    pages = [page(1), "<p></p>", page(2)]
    new = write(tmp_path / "new.jsonl", [{"html": one} for one in pages])
    texts = cli("extract", new, "--output-format", "text", "--system", "bte").out.split("\n\n")
    assert texts == [*(extract(one, "bte").text for one in pages), ""]
    single = tmp_path / "page.html"
    single.write_text(pages[0], encoding="utf-8")
    assert cli("extract", single, "--output-format", "text", "--system", "bte").out == texts[0] + "\n"


def test_standard_input(cli: Cli, tmp_path: Path) -> None:
    ran = cli("extract", "-", stdin=json.dumps(rows(1)[0]).encode())
    assert json.loads(ran.out)["id"] == "p0"


def test_a_page_on_standard_input(program: Cli, tmp_path: Path) -> None:
    ran = program("extract", "-", stdin=b"\n" + page(1).encode())
    assert ran.out == extract(page(1)).text + "\n"
    ran = program("extract", "-", "--output-format", "jsonl", stdin=page(1).encode())
    assert json.loads(ran.out)["id"] == json.loads(ran.out)["source"] == "stdin"


def test_a_page_without_a_suffix(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "index.php?id=3"
    path.write_text(page(1), encoding="utf-8")
    assert "--input-format says what it is" in cli("extract", path).error
    assert cli("extract", path, "--input-format", "page").out == extract(page(1)).text + "\n"


def test_several_pages_of_one_pattern_are_no_single_page(cli: Cli, tmp_path: Path) -> None:
    for n in (1, 2):
        (tmp_path / f"{n}.html").write_text(page(n), encoding="utf-8")
    out = cli("extract", tmp_path / "*.html").out
    assert [json.loads(line)["id"] for line in out.splitlines()] == ["1.html", "2.html"]
    assert cli("extract", tmp_path / "1*.html").out == extract(page(1)).text + "\n"


def test_blocks_are_for_json(cli: Cli, single: Path) -> None:
    assert (
        "--blocks: expected --output-format jsonl or json, got text"
        in cli("extract", single, "--blocks", "--output-format", "text").error
    )


def test_pages_of_frames_are_told(cli: Cli, tmp_path: Path) -> None:
    new = write(tmp_path / "new.jsonl", [{"id": "f", "html": "<frameset><frame src=a.html></frameset>"}])
    ran = cli("extract", new, "-o", tmp_path / "out.jsonl")
    assert "1 page: a page of frames" in ran.err
    assert read(tmp_path / "out.jsonl")[0]["note"].startswith("a page of frames")


def test_hardly_anything_of_a_long_page_is_told_and_counted(cli: Cli, tmp_path: Path) -> None:
    table = "".join(f"<tr><td>Line {number}</td><td>delayed</td></tr>" for number in range(80))
    page_ = f"<p>We use cookies to measure how this site is read.</p><table>{table}</table>"
    new = write(tmp_path / "new.jsonl", [{"id": str(number), "html": page_} for number in range(2)])
    ran = cli("extract", new, "--system", "bte", "-o", tmp_path / "out.jsonl")
    assert "2 pages: fewer than 30 words were kept" in ran.err
    assert read(tmp_path / "out.jsonl")[1]["note"].startswith("fewer than 30 words were kept")


def test_the_output_is_no_input(cli: Cli, tmp_path: Path) -> None:
    new = write(tmp_path / "new.jsonl", rows(1))
    assert "is an input" in cli("extract", new, "-o", new, "--force").error
    assert "No such file" in cli("extract", tmp_path / "nothing.html").error


def test_an_unknown_system(cli: Cli, single: Path) -> None:
    ran = cli("extract", single, "--system", "nosuch")
    assert ran.code == 2
    assert ", got 'nosuch'" in ran.err


def test_diff_looks_for_the_reference_pages_itself(cli: Cli, tmp_path: Path) -> None:
    lines = [*rows(5), {"source": "other.example", "id": "alone", "html": page(9)}, {"id": "x", "text": "none"}]
    new = write(tmp_path / "new.jsonl", lines)
    ran = cli("extract", new, "--system", "diff", "-o", tmp_path / "out.jsonl", "--blocks")
    assert ran.code == 1
    assert "1 page: no other page of the site to compare with; by density" in ran.err
    assert "1 skipped" in ran.err
    got = read(tmp_path / "out.jsonl")
    assert len(got) == 6
    sizes = sorted((len(page(n)), n) for n in range(5))
    middle, beside = sizes[2][1], sizes[1][1]
    for n in range(5):
        other = page(beside if n == middle else middle)
        assert got[n]["text"] == extract(page(n), "diff", references=[other]).text


def test_diff_with_a_reference_page(cli: Cli, single: Path, tmp_path: Path) -> None:
    (tmp_path / "other.html").write_text(page(2), encoding="utf-8")
    ran = cli("extract", single, "--system", "diff", "--reference", tmp_path / "other.html")
    assert ran.out == extract(page(1), "diff", references=[page(2)]).text + "\n"
    assert "No such file" in cli("extract", single, "--system", "diff", "--reference", tmp_path / "none.html").error
    missing = cli("extract", "-", "--system", "diff", stdin=b"")
    assert "expected a reference page" in missing.error


# -------------------------------------------------------------------------------------------------------- rendering

BUILT = f"<div id=a>Loading</div><script>a.innerHTML = `<h1>Harbour</h1>{'<p>The harbour board met, and this is what it said.</p>' * 4}`</script>"


def chromium() -> None:
    pytest.importorskip("playwright", reason="playwright is not installed")
    if find_browser() is None:
        pytest.skip("no chromium: apt-get install chromium, or name one in CHROMIUM")


@pytest.mark.parametrize("jobs", [1, 2])
def test_pages_that_scripts_build(cli: Cli, tmp_path: Path, jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chromium()
    monkeypatch.setattr(page_records, "RENDERED_BATCH_RECORDS", 2)
    count = 2 * jobs  # more than a batch, so that two processes have work
    lines = [{"id": str(n), "url": f"https://site.example/{n}", "html": BUILT} for n in range(count)]
    new = write(tmp_path / "new.jsonl", [*lines, {"id": "x", "html": "<p>not a page" + "." * 2000}])
    options = ("--system", "bte", "--blocks", "--jobs", jobs, "--render-no-sandbox", "--render-max-size", "1500")
    ran = cli("extract", new, "-o", tmp_path / "out.jsonl", "--json", "--render", "--render-seconds", 30, *options)
    assert ran.code == 0, ran.err
    facts = json.loads(ran.out)
    assert (facts["pages"], facts["rendered"]) == (count + 1, count)
    assert facts["notes"] == {"not rendered: more than 1,500 bytes": 1}
    got = read(tmp_path / "out.jsonl")
    assert [row["id"] for row in got] == [*map(str, range(count)), "x"]
    for row in got[:-1]:
        assert "The harbour board met" in row["text"]
        for block in row["blocks"]:
            assert row["rendered"][block["start"] : block["end"]] == block["text"]
    assert got[-1]["rendered"] == "<p>not a page" + "." * 2000
    assert "The harbour board met" not in extract(BUILT, "bte").text


@pytest.mark.slow  # starts four browsers; tests/pages has rendering and reference pages each alone
def test_reference_pages_are_rendered_too(cli: Cli, tmp_path: Path) -> None:
    chromium()
    shared = "<script>document.write('<div><p>Sign up for the letter of the harbour.</p></div>')</script>"
    pages = [f"<body>{shared}<div><p>The board met on day {n}, {'and said so ' * (9 + n)}.</p></div>" for n in range(3)]
    new = write(tmp_path / "new.jsonl", [{"id": str(n), "html": html} for n, html in enumerate(pages)])
    more = ("--render", "--render-no-sandbox", "--render-seconds", 30)
    (tmp_path / "other.html").write_text(pages[0], encoding="utf-8")
    for reference in ((), ("--reference", tmp_path / "other.html")):
        ran = cli("extract", new, "-s", "diff", "-o", tmp_path / "out.jsonl", "-f", *more, *reference)
        assert ran.code == 0, ran.err
        text = read(tmp_path / "out.jsonl")[2]["text"]
        assert "on day 2" in text
        assert "Sign up" not in text


def test_what_rendering_refuses(cli: Cli, single: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "--render-network needs --render" in cli("extract", single, "--render-network", "any").error
    assert ", got 'some'" in cli("extract", single, "--render", "--render-network", "some").err
    monkeypatch.setitem(sys.modules, "playwright.async_api", None)
    ran = cli("extract", single, "--render", "-o", single.parent / "out.jsonl")
    assert pip_line("render") in ran.error
    assert everything(single.parent) == ["page.html"]


LINES = "<div><p>A line or two that may be text.</p><a href=x>More</a><p>Another one.</p></div>"


def test_precision_against_recall_of_crf(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(page(1, LINES), encoding="utf-8")
    few, some, all_ = (cli("extract", path, "-s", "crf", "--other", other).out for other in ("0.01", "0.5", "1"))
    assert some == cli("extract", path, "-s", "crf").out
    assert len(few) < len(some) < len(all_)
    assert few == extract(page(1, LINES), "crf", config=ExtractConfig(other=0.01)).text + "\n"
    assert "other: expected a probability above 0, got 0" in cli("extract", path, "-s", "crf", "--other", "0").error
    assert "expected a number from 0 to 1, got '2'" in cli("extract", path, "-s", "crf", "--other", "2").err


def test_the_main_block_of_shallow(cli: Cli, tmp_path: Path) -> None:
    html = page(1, f"<table><td>{page(2)}</td></table>")
    path = tmp_path / "page.html"
    path.write_text(html, encoding="utf-8")
    whole, main = cli("extract", path, "-s", "shallow").out, cli("extract", path, "-s", "shallow", "--main-block").out
    assert main == extract(html, "shallow", config=ExtractConfig(main_block=True)).text + "\n"
    assert 0 < len(main) < len(whole)


def test_sparse_pages_of_density(cli: Cli, single: Path) -> None:
    assert cli("extract", single, "-s", "density", "--sparse", "10").out == cli("extract", single, "-s", "density").out
    ran = cli("extract", single, "-s", "density", "--sparse", "100000")
    assert ran.out == "\n"
    assert "left out as sparse" in ran.err


OWN = """
[[rule]]
part = "body"
tags = "section"
like = "yarn-*"

[[rule]]
part = "title"
like = "yarn-head"

[[rule]]
part = "aside"
like = "promo"
"""


def test_rules_for_blogs_of_ones_own(cli: Cli, tmp_path: Path) -> None:
    post = "<section class=yarn-1><b class=yarn-head>Crane</b><p>The harbour board met.</p><p class=promo>Buy!</p></section>"
    path, rules = tmp_path / "page.html", tmp_path / "own.toml"
    path.write_text(f"<body><h1>Blog</h1>{post}{post.replace('Crane', 'Bridge')}</body>", encoding="utf-8")
    rules.write_text(OWN, encoding="utf-8")
    row = json.loads(cli("extract", path, "-s", "blog", "--blog-rules-file", rules, "--output-format", "jsonl").out)
    assert [(post["title"], post["text"]) for post in row["posts"]] == [
        ("Crane", "The harbour board met."), ("Bridge", "The harbour board met."),
    ]  # fmt: skip
    own = (BlogRule(part="body", tags="section", like="yarn-*"), BlogRule(part="title", like="yarn-head"))
    found = extract(path.read_text(), "blog", config=ExtractConfig(blog_rules="paper", blog_own=own))
    assert [post.title for post in found.posts] == ["Crane", "Bridge"]
    assert "posts" not in json.loads(cli("extract", path, "-s", "blog", "--output-format", "jsonl").out)
    modern = tmp_path / "modern.html"
    modern.write_text("<article><h2>Crane</h2><p>The harbour board met.</p></article>", encoding="utf-8")
    assert "posts" in json.loads(cli("extract", modern, "-s", "blog", "--output-format", "jsonl").out)
    assert "posts" not in json.loads(
        cli("extract", modern, "-s", "blog", "--blog-rules", "paper", "--output-format", "jsonl").out
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[[rule", "not TOML"),
        ("rule = 1", "expected [[rule]] tables and nothing else"),
        ("[[rule]]\npart = 'body'\nlike = 'a'\n[other]", "expected [[rule]] tables and nothing else"),
        ("[[rule]]\nlike = 'a'", "rule 1: expected part, and tags, like or item (all strings), got ['like']"),
        ("[[rule]]\npart = 'body'\nlike = 1", "rule 1: expected part, and tags, like or item (all strings)"),
        ("[[rule]]\npart = 'body'\nclass = 'a'", "rule 1: expected part, and tags, like or item (all strings)"),
        ("[[rule]]\npart = 'head'\nlike = 'a'", "blog_own: expected a part of post, whole, body, title"),
        ("[[rule]]\npart = 'body'\nlike = ' '", "blog_own: expected tags, like or item of body, got none"),
    ],
)
def test_files_of_rules_that_are_none(cli: Cli, single: Path, tmp_path: Path, text: str, problem: str) -> None:
    rules = tmp_path / "own.toml"
    rules.write_text(text, encoding="utf-8")
    error = cli("extract", single, "-s", "blog", "--blog-rules-file", rules).error
    assert str(rules) in error
    assert problem in error
    missing = cli("extract", single, "-s", "blog", "--blog-rules-file", tmp_path / "none.toml").error
    assert "none.toml: cannot be read: No such file" in missing


def test_how_diff_compares(cli: Cli, single: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.html"
    other.write_text("<p>built otherwise<table><tr><td>a cell</table>", encoding="utf-8")
    plain = cli("extract", single, "-s", "diff", "--reference", other)
    assert "built otherwise than the reference page" in plain.err
    assert "built otherwise" not in cli("extract", single, "-s", "diff", "--reference", other, "--no-prune").err
    other.write_text(page(2), encoding="utf-8")
    single.write_text(page(1), encoding="utf-8")
    whole = cli("extract", single, "-s", "diff", "--reference", other).out
    target = cli("extract", single, "-s", "diff", "--reference", other, "--from-target").out
    assert extract(page(1), "diff", references=[page(2)], config=ExtractConfig(from_target=True)).text == target.strip()
    assert whole.strip() == extract(page(1), "diff", references=[page(2)]).text


def test_the_title_comes_first_on_request(cli: Cli, single: Path) -> None:
    html = page(1).replace("h1>", "b>").replace("<div class=story>", "<ul><li><a href=/>More</a></ul><div class=story>")
    single.write_text(html, encoding="utf-8")
    title, text = extract(html).title, extract(html, "bte").text
    assert title is not None
    assert title not in text
    assert cli("extract", single, "-s", "bte", "--add-title").out == f"{title}\n{text}\n"
    marked = cli("extract", single, "-s", "bte", "--add-title", "--output-format", "cleaneval").out
    assert marked.splitlines()[:2] == ['<doc id="page.html">', f"<h>{title}"]
    single.write_text(page(1), encoding="utf-8")
    assert cli("extract", single, "--add-title").out == cli("extract", single).out
    error = cli("extract", single, "--add-title", "--output-format", "jsonl").error
    assert "--add-title: expected --output-format text or cleaneval, got jsonl" in error


@pytest.mark.parametrize(
    ("option", "owners"),
    [
        ("--other=0.3", "crf"),
        ("--main-block", "shallow"),
        ("--sparse=10", "density or diff or blog"),
        ("--blog-rules=paper", "blog"),
        ("--reference=none.html", "diff"),
        ("--no-prune", "diff"),
        ("--from-target", "diff"),
    ],
)
def test_options_of_another_system(cli: Cli, single: Path, option: str, owners: str) -> None:
    name = option.partition("=")[0]
    assert f"{name}: expected --system {owners}, got hybrid" in cli("extract", single, option).error


def test_the_headline_is_left_out_by_hybrid_alone(cli: Cli, single: Path) -> None:
    assert "--headline: expected --system hybrid, got bte" in cli("extract", single, "--headline=drop", "-s=bte").error
    assert "--content: expected --system hybrid, got bte" in cli("extract", single, "--content=all", "-s=bte").error
    assert "--headline: expected --system hybrid, got bte" in cli("extract", single, "--headline=keep", "-s=bte").error


# --------------------------------------------------------------------------------------------------------- documents

DOCUMENT = (
    "<html lang=pt_br><title>The crane - Harbour News</title><meta property=og:site_name content='Harbour News'>"
    "<h1>The crane</h1><p class=byline>By <a href=/people/ana>Ana Sousa</a>, 3 May 2024</p>"
    + "<p>The harbour board met on Monday to talk of <b>cranes</b> and of <a href=b.html>boats</a>, and of who pays.</p>"
    * 4
    + "<div class=comments><p>I was there, and nobody spoke of the cranes at all.</div>"
)


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    """Two records with an address."""
    path = tmp_path / "documents.jsonl"
    rows = [{"id": name, "source": "s", "url": f"http://s.org/d/{name}", "html": DOCUMENT} for name in "ab"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_one_page_as_a_document(cli: Cli, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(DOCUMENT, encoding="utf-8")
    text = cli("extract", page).out
    markdown = cli("extract", page, "--output-format", "markdown", "--metadata", "--comments").out
    assert markdown.startswith(
        '---\ntitle: "The crane"\nauthors: ["Ana Sousa"]\ndate: "2024-05-03"\nsite: "Harbour News"\n'
    )
    assert "talk of **cranes** and of boats" in markdown
    assert markdown.endswith("\n---\n\nI was there, and nobody spoke of the cranes at all.\n")
    assert "[boats](b.html)" in cli("extract", page, "--output-format", "markdown", "--links").out
    tei = ElementTree.fromstring(cli("extract", page, "--output-format", "tei").out.encode())
    body = tei.find(".//{*}body")
    assert body is not None
    assert "".join("".join(body.itertext()).split()) == "".join(text.split())
    row = json.loads(cli("extract", page, "--output-format", "json", "--metadata").out)
    assert row["metadata"]["language"] == "pt-BR"
    assert row["content"][0] == {"type": "heading", "level": 1, "text": ["The crane"]}
    assert row["text"] + "\n" == text


def test_the_address_of_one_page(cli: Cli, documents: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(DOCUMENT, encoding="utf-8")
    links = ("--output-format", "markdown", "--links")
    assert "[boats](http://s.org/d/b.html)" in cli("extract", page, *links, "--url", "http://s.org/d/a").out
    assert json.loads(cli("extract", page, "--output-format", "json", "--url", "http://s.org/d/a").out)["url"] == (
        "http://s.org/d/a"
    )
    told = "--url: expected a single page; other inputs have the field url"
    assert cli("extract", documents, "--url", "http://s.org/").error == told
    for wrong in ("page.html", "ftp://s.org/", "http://", "http://[::"):
        assert cli("extract", page, "--url", wrong).error.startswith("--url: expected an address such as https://")


@pytest.mark.parametrize(("form", "mark"), [("markdown", "| --- |"), ("tei", "<table"), ("json", '"type":"table"')])
def test_tables_are_paragraphs_on_request(cli: Cli, tmp_path: Path, form: str, mark: str) -> None:
    table = "<table><tr><th>Berth<th>Cranes</tr><tr><td>North quay<td>12</tr><tr><td>South quay<td>7</tr></table>"
    page = tmp_path / "page.html"
    page.write_text(DOCUMENT.replace("<div class=comments>", f"{table}<p>The board meets again in May, it said.<div>"))
    options = ("--system", "bte", "--output-format", form)
    kept, left = (cli("extract", page, *options, *more).out for more in ([], ["--no-tables"]))
    assert mark in kept
    assert mark not in left
    assert "North quay" in left


@pytest.mark.parametrize("form", ["markdown", "tei"])
def test_several_pages_are_lines_with_documents(cli: Cli, documents: Path, form: str) -> None:
    options = ("--output-format", form, "--metadata", "--links", "--comments")
    rows = [json.loads(line) for line in cli("extract", documents, *options).out.splitlines()]
    assert [row["id"] for row in rows] == ["a", "b"]
    assert all("text" not in row and row["metadata"]["site"] == "Harbour News" for row in rows)
    assert "http://s.org/d/b.html" in rows[0][form]
    assert "nobody spoke" in rows[0][form]
    assert not rows[0][form].startswith("---")
    assert cli("extract", documents, *options, "--jobs", "2").out == cli("extract", documents, *options).out


def test_lines_hold_metadata_and_comments_on_request(cli: Cli, documents: Path) -> None:
    plain = [json.loads(line) for line in cli("extract", documents).out.splitlines()]
    more = [json.loads(line) for line in cli("extract", documents, "--metadata", "--comments").out.splitlines()]
    assert [{name: row[name] for name in plain[0]} for row in more] == plain
    assert set(more[0]) - set(plain[0]) == {"metadata", "comments"}


@pytest.mark.parametrize(
    ("form", "option"),
    [
        ("text", "links"),
        ("jsonl", "images"),
        ("cleaneval", "metadata"),
        ("text", "comments"),
        ("jsonl", "links"),
        ("text", "no-tables"),
    ],
)
def test_what_a_format_cannot_hold_is_refused(cli: Cli, documents: Path, form: str, option: str) -> None:
    ran = cli("extract", documents, "--output-format", form, f"--{option}")
    assert ran.code == 2
    assert f"--{option}: expected --output-format markdown or tei or json" in ran.error
    assert f"got {form}" in ran.error
