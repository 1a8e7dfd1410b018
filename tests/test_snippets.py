"""Every snippet of docs/ runs as it stands, in a folder that holds what it names.

The commands of a page run in one folder, one after the other as a reader would type them; what one of them writes is out
of the way before another one writes it.  `test_all_snippets_are_known` counts what is left out, with the reason.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from io_support import response
from templatemine.__main__ import main
from templatemine.packs.pack import Pack
from templatemine.packs.pack_folder import PackFiles, read_rejected
from templatemine.packs.pack_record import template_id

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "cli"), str(ROOT / "tests" / "crawl"), str(ROOT / "datasets")]

from cli_support import command, page, read, records, wait_for, write  # noqa: E402

# The tutorial has its own archive, and docs/test_tutorial.py, which also looks at what its commands say.
PAGES = [path for path in sorted((ROOT / "docs").glob("*.md")) if path.name != "tutorial.md"]
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$|((?:^    [^\n]*\n(?:\n(?=    ))?)+)", re.MULTILINE | re.DOTALL)


class Snippet(NamedTuple):
    page: str
    line: int
    kind: str
    text: str


def snippets() -> Iterator[Snippet]:
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        for match in _BLOCK.finditer(text):
            body = match[2] if match[3] is None else re.sub(r"^    ", "", match[3], flags=re.MULTILINE)
            yield Snippet(path.name, text.count("\n", 0, match.start()) + 1, kind_of(match[1] or "", body), body)


def kind_of(named: str, body: str) -> str:
    if named:
        return named
    if re.search(r"^(?:\S.*\| )?templatemine ", body, re.MULTILINE):
        return "shell"
    for kind, begins in (("other shell", r"pip |python "), ("toml", r"\[\[?\w+\]"), ("overrides", r'"overrides"')):
        if re.match(begins, body):
            return kind
    return "python" if re.match(r"from \w|ITEM_", body) else "figure"


ALL = list(snippets())
COMMANDS = {page.name: [one for one in ALL if one.page == page.name and one.kind == "shell"] for page in PAGES}
OURS = {"shell", "python", "toml", "overrides"}
LEFT_OUT = {
    "other shell": "pip and make",
    "bash": "tests/docs/test_recipes.py runs them",
    "figure": "formulas and what is printed",
    "json": "tests/test_docs.py compares it with a pack",
}


def test_all_snippets_are_known() -> None:
    assert {one.kind for one in ALL} == OURS | set(LEFT_OUT)
    assert sum(map(len, COMMANDS.values())) >= 15
    for one in ALL:
        assert one.kind != "figure" or not re.search(r"\b(?:import|templatemine)\b", one.text), one


# ------------------------------------------------------------------------------------------------------ the folder


def labelled(one: dict[str, Any]) -> dict[str, Any]:
    number = int(one["id"].rpartition("/")[2])
    return {**one, "topic": f"topic {number % 3}", "story": number // 2}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything that snippets name."""
    folder = tmp_path_factory.mktemp("snippets")
    articles = [labelled(one) for one in records(("example.org", "b.example", "c.example"), documents=120)]
    write(folder / "archive.jsonl.gz", articles)
    shared = [labelled(one) for one in records([f"s{number}.example" for number in range(25)], documents=12)]
    for name in ("new.jsonl", "today.jsonl", "articles.jsonl"):
        write(folder / name, [{**one, "id": f"new {one['id']}"} for one in articles[:30]])
    with suppress(ImportError):  # without it, the commands that read it are skipped
        import pyarrow
        from pyarrow import parquet

        parquet.write_table(
            pyarrow.Table.from_pylist(
                [{"id": one["id"], "source": one["source"], "text": one["text"]} for one in articles[:30]]
            ),
            folder / "new.parquet",
        )
    (folder / "article.json").write_text(json.dumps(articles[0]))
    for name in ("crawl", "articles", "gold", "pages"):
        (folder / name).mkdir()
    write(folder / "crawl" / "a.jsonl.gz", [*articles, *shared])
    write(folder / "crawl.jsonl.gz", articles)
    write(folder / "articles" / "a.jsonl", articles[:30])
    web = [page(one) for one in articles[:60]]
    crawl = b"".join(
        gzip.compress(response(f"http://{one['source']}/{number}", one["html"].encode()))
        for number, one in enumerate(web)
    )
    for name in ("crawl/a.warc.gz", "crawl.warc.gz", "history.warc.gz"):
        (folder / name).write_bytes(crawl)
    with_gold = [
        {**one, "gold": article["text"], "description": article["text"]}
        for one, article in zip(web, articles, strict=False)
    ]
    write(folder / "pages.jsonl.gz", with_gold)
    write(folder / "pages.jsonl", web[:3])
    for number, one in enumerate(web[:6]):
        (folder / "pages" / f"{number}.html").write_text(one["html"])
    (folder / "page.html").write_text(web[0]["html"])
    spans = [{"id": one["id"], "spans": [[0, 5, "template"], [8, 9, "dynamic"]]} for one in articles]
    write(folder / "gold" / "a.jsonl", spans)
    write(folder / "site.jsonl", articles[::3])
    write(folder / "mirror.jsonl", [{**one, "source": "mirror.example"} for one in articles[::3]])
    assert main(["mine", str(folder / "archive.jsonl.gz"), "-o", str(folder / "packs"), "-q"]) == 0
    shutil.copytree(folder / "packs", folder / "old")
    (folder / "own.txt").write_text("[en]\npromotion strong: sign up for\n")
    write(
        folder / "items.jsonl",
        [{"url": f"https://www.example.org/{one['id']}", "text": one["text"]} for one in articles],
    )
    (folder / "feeds.txt").write_text("# none today\n")
    (folder / "urls.txt").write_text("# none today\n")
    return folder


@pytest.fixture
def here(world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    copy = Path(shutil.copytree(world, tmp_path / "here"))
    monkeypatch.chdir(copy)
    return copy


# ------------------------------------------------------------------------------------------------------ commands

MORE = {"extract --render": ["--render-no-sandbox"]}
"""Options that only tests need: Chromium's sandbox does not start as root."""


def lines_of(snippet: Snippet) -> Iterator[list[str]]:
    for line in snippet.text.splitlines():
        words = shlex.split(line, comments=True)
        if "templatemine" in words:
            yield words[words.index("templatemine") + 1 :]


def ids_of(folder: Path) -> dict[str, str]:
    """Ids of the docs -> those of a template of the packs, and of a candidate that mining rejected."""
    path = folder / "example.org.json"
    tokens, *_ = next(read_rejected(path))
    return {"t0a1b2c3d4e": Pack.load(path).templates[0].id, "t5f6a7b8c9d": template_id(tokens)}


# These two pages show so many commands that they take as long as all others.
@pytest.mark.parametrize(
    "page_name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in ("commands.md", "evaluation.md") else [])
        for name, found in COMMANDS.items()
        if found
    ],
)
def test_commands_run(page_name: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = ids_of(here / "packs")
    for line in (words for snippet in COMMANDS[page_name] for words in lines_of(snippet)):
        words = [ids.get(word, word) for word in line]
        for option in ("-o", "--output"):
            if option in words:
                remove(here / words[words.index(option) + 1])
        if words[0] == "desk":
            serve(words, here)
            continue
        if words[0] == "crawl":  # the reactor of Twisted starts once in a process
            pytest.importorskip("scrapy")
            assert (
                subprocess.run([*command(*words), "-q"], cwd=here, env=elsewhere(), check=False, timeout=100).returncode
                == 0
            )
            (here / "history.warc.gz").write_bytes((here / "crawl.warc.gz").read_bytes())  # what it would have fetched
            continue
        if words[0] == "evaluate" and words[1] in ("retrieval", "gold"):
            for name in ("rapidfuzz", "sklearn", "datasketch"):
                pytest.importorskip(name)
        if "--render" in words:
            words = [*words, *MORE["extract --render"]]
        given = "\n".join("0" for _ in range(200)) if words[0] == "ask" else (here / "page.html").read_text()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(given.encode()))))
        told, printed = io.StringIO(), io.TextIOWrapper(io.BytesIO())
        expanded = [one for word in words for one in matches(here, word)]
        with redirect_stderr(told), redirect_stdout(printed):
            code = main(expanded)
        if code and ("pip install" in told.getvalue() or "chromium" in told.getvalue().lower()):
            pytest.skip(told.getvalue().strip())
        assert code == 0, (words, told.getvalue())
        assert "skipped" not in told.getvalue(), (words, told.getvalue())


def matches(folder: Path, word: str) -> list[str]:
    """What a shell makes of a word."""
    return sorted(str(path.relative_to(folder)) for path in folder.glob(word)) if "*" in word else [word]


def elsewhere(**more: str) -> dict[str, str]:
    """The environment of a process in another folder, which imports what is imported here."""
    paths = os.pathsep.join(str(Path(path).resolve()) for path in sys.path if path)
    return {**os.environ, "PYTHONPATH": paths, **more}


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def serve(words: list[str], folder: Path) -> None:
    """The desk prints its address, and ends by Ctrl-C."""
    for name in ("starlette", "jinja2", "uvicorn"):
        pytest.importorskip(name)
    with subprocess.Popen(
        [*command(*words), "--port", "0"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=elsewhere(PYTHONUNBUFFERED="1"),
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stdout is not None
        printed = b""
        while b"http://127.0.0.1:" not in printed:
            line = process.stdout.readline()
            assert line, printed.decode()
            printed += line
        process.send_signal(signal.SIGINT)
        wait_for(lambda: process.poll() is not None)
    assert process.returncode in (0, 130)


# -------------------------------------------------------------------------------------------------------- the others


def one_of(page_name: str, kind: str, holds: str = "") -> str:
    (found,) = (one.text for one in ALL if one.page == page_name and one.kind == kind and holds in one.text)
    return found


def test_python_of_extract(here: Path) -> None:
    names: dict[str, Any] = {"html": (here / "page.html").read_text(), "packs": PackFiles(["packs"]).load_all()}
    for holds in ("packs=packs", "MarkupConfig"):
        exec(one_of("extract.md", "python", holds), names)
        assert names["found"].text


def test_python_of_evaluation(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from templatemine.config import ReadConfig
    from templatemine.io.read import read_documents

    names: dict[str, Any] = {"documents": list(read_documents(["archive.jsonl.gz"], ReadConfig()))}
    exec(one_of("evaluation.md", "python"), names)
    assert len([float(line) for line in capsys.readouterr().out.splitlines()]) == 2


@pytest.mark.slow  # starts Scrapy twice; tests/crawl has its parts
def test_a_spider_exports_then_mines_then_cleans(here: Path) -> None:
    """The page of Scrapy from the top, as it stands but for where the site is."""
    pytest.importorskip("scrapy")
    from crawl_sites import make_page as answer
    from crawl_sites import serve_sites

    articles = read(here / "articles" / "a.jsonl")
    spider = one_of("scrapy.md", "python", "import scrapy")
    assert spider.count("https://www.example.org/") == 1
    run, mine = one_of("scrapy.md", "shell").splitlines()
    remove(here / "items.jsonl")
    remove(here / "packs")
    with serve_sites() as sites:
        links = "".join(f"<h2><a href='/{number}'>{number}</a></h2>" for number in range(len(articles)))
        sites.answers["/"] = answer(links)
        for number, one in enumerate(articles):
            lines = "</p><p>".join(one["text"].split("\n\n"))
            sites.answers[f"/{number}"] = answer(f"<article><p>{lines}</p></article>")
        (here / "articles.py").write_text(spider.replace("https://www.example.org/", sites.url("127.0.0.1", "/")))
        scrapy(run)
        assert main(shlex.split(mine)[1:]) == 0
        (here / "settings.py").write_text(one_of("scrapy.md", "python", "ITEM_PIPELINES"))
        scrapy(run.replace("items.jsonl", "clean.jsonl"), SCRAPY_SETTINGS_MODULE="settings")
    exported = {one["url"]: one["text"] for one in read(here / "items.jsonl")}
    cleaned = read(here / "clean.jsonl")
    assert len(exported) == len(cleaned) == len(articles)
    for one in cleaned:
        assert one["removed"]
        assert "Sign up for the" in exported[one["url"]]
        assert "Sign up for the" not in one["text"]


def scrapy(line: str, **more: str) -> None:
    """A command line that begins with its name, in a process of its own."""
    program, *arguments = shlex.split(line)
    assert program == "scrapy"
    words = [sys.executable, "-m", "scrapy", *arguments, "-s", "TELNETCONSOLE_ENABLED=0"]
    environment = elsewhere(**more)
    environment["PYTHONPATH"] += os.pathsep + os.curdir
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=100, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.parametrize(
    ("library", "holds"),
    [
        ("datatrove", "datatrove"),
        pytest.param("datasets", "load_dataset", marks=pytest.mark.slow),  # its import alone takes seconds
        ("polars", "import pandas, polars"),
    ],
)
def test_python_of_adapters(here: Path, library: str, holds: str) -> None:
    pytest.importorskip(library)
    if library == "polars":
        import polars

        frame = polars.DataFrame([{"source": "example.org", "id": str(n), "text": f"Text {n}"} for n in range(9)])
        frame.write_parquet("articles.parquet")
        for file in Path("articles").iterdir():
            file.unlink()
        frame.write_parquet("articles/a.parquet")
    (here / "snippet.py").write_text(next(one.text for one in ALL if one.page == "adapters.md" and holds in one.text))
    environment = elsewhere(HF_HOME=str(here / "cache"))
    done = subprocess.run(
        [sys.executable, "snippet.py"], capture_output=True, text=True, check=False, timeout=300, env=environment
    )
    assert done.returncode == 0, done.stderr[-3000:]
    if library == "datatrove":
        assert list((here / "clean").iterdir())
    if library == "polars":
        assert list((here / "clean").glob("*.parquet"))


def test_patterns_of_one_s_own(here: Path) -> None:
    (here / "patterns.toml").write_text(one_of("algorithm.md", "toml"))
    out = here / "own"
    assert main(["mine", "archive.jsonl.gz", "-o", str(out), "--patterns-file", "patterns.toml", "-q"]) == 0
    assert json.loads((out / "example.org.json").read_text())["user_patterns"][0]["name"] == "case_number"


def test_rules_of_one_s_own(here: Path) -> None:
    (here / "rules.toml").write_text(one_of("systems.md", "toml"))
    assert main(["extract", "page.html", "--system", "blog", "--blog-rules-file", "rules.toml", "-o", "out.txt"]) == 0


def test_defaults_in_a_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from templatemine.cli.defaults import CONFIG_FILES

    (here / CONFIG_FILES[0]).write_text(one_of("commands.md", "toml"))
    assert main(["clean", "new.jsonl", "-o", "out.jsonl", "--quiet"]) == 0
    assert b'"removed":[{' in (here / "out.jsonl").read_bytes()


def test_overrides_in_a_pack(here: Path) -> None:
    """Each kind of rule of the page is read, and does what it says, or is told as of nothing that is there."""
    from templatemine.packs import overrides

    data = json.loads("{" + one_of("review.md", "overrides") + "}")
    rules = overrides.read(data, "review.md", lambda row, where: row).rules
    assert [rule.action for rule in rules] == ["reject", "accept", "never", "always", "add", "edit", "cutoff"]


@pytest.mark.slow  # starts Java
def test_python_of_spark(here: Path) -> None:
    """As it stands but for where the archive is."""
    pytest.importorskip("pyspark")
    pytest.importorskip("pyarrow")
    import pyarrow as pa
    from pyarrow import parquet

    code = next(one.text for one in ALL if one.page == "spark.md" and one.kind == "python")
    assert code.count("s3a://news/") == 3
    (here / "news" / "articles").mkdir(parents=True)
    rows = [json.loads(line) for line in gzip.decompress((here / "archive.jsonl.gz").read_bytes()).splitlines()]
    table = pa.Table.from_pylist([{name: one[name] for name in ("source", "id", "text", "date")} for one in rows])
    parquet.write_table(table, here / "news" / "articles" / "a.parquet")
    (here / "snippet.py").write_text(code.replace("s3a://news/", f"file://{here}/news/"))
    environment = elsewhere(PYSPARK_PYTHON=sys.executable)
    done = subprocess.run(
        [sys.executable, "snippet.py"], capture_output=True, text=True, check=False, timeout=500, env=environment
    )
    if done.returncode and "JAVA_HOME" in done.stderr:
        pytest.skip("needs Java")
    assert done.returncode == 0, done.stderr[-3000:]
    assert parquet.read_table(here / "news" / "clean").num_rows == len(rows)
