"""Whose records are these: `--source`, records that no pack matches, sources that a folder of packs has not."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from cli_support import everything, read, records, write

import templatemine
from conftest import Cli
from templatemine.config import ReadConfig
from templatemine.errors import ConfigError, CorpusError
from templatemine.io.fields import MAX_OVERRULED, count_overruled, describe_overruled


def nameless(number: int, seed: int) -> list[dict[str, object]]:
    return [
        {name: value for name, value in row.items() if name != "source"}
        for row in records(["alpha.example"], number, seed=seed)
    ]


@pytest.fixture
def news(tmp_path: Path) -> Path:
    return write(tmp_path / "news.jsonl", nameless(40, 1))


@pytest.fixture
def today(tmp_path: Path) -> Path:
    return write(tmp_path / "today.jsonl", nameless(10, 2))


def test_of_very_many_sources_that_become_one_some_are_counted() -> None:
    """What is told of them is kept in the state of a run, which is written again and again."""
    counts: dict[str, int] = {}
    for number in [*range(MAX_OVERRULED + 9), 0]:
        count_overruled(counts, {"source": f"{number}.example"}, ReadConfig(source="one"))
    assert len(counts) == MAX_OVERRULED
    assert counts["0.example"] == 2
    assert "one source of 1,000 or more that records name" in describe_overruled(counts, ReadConfig(source="one"))
    for other in (ReadConfig(), ReadConfig(source="0.example")):
        found: dict[str, int] = {}
        count_overruled(found, {"source": "0.example"}, other)
        assert not found


@pytest.mark.parametrize("memory", [(), ("--memory", "200M")])
def test_sources_that_become_one_are_told_of(cli: Cli, tmp_path: Path, memory: tuple[str, ...]) -> None:
    """All were mined as one source without a word."""
    archive = write(tmp_path / "a.jsonl", records())
    ran = cli("mine", archive, "-o", tmp_path / "packs", "--source", "one", "--quiet", *memory)
    assert ran.err == (
        "templatemine: --source one makes one source of 3 that records name, such as 'alpha.example', 'beta.example'; "
        "without it each is one of its own, --only NAME takes one of them, and the command sort makes a file of each\n"
    )
    alone = write(tmp_path / "b.jsonl", records(["alpha.example"]))
    assert cli("mine", alone, "-o", tmp_path / "alone", "--source", "one", "--quiet", *memory).err == ""


@pytest.mark.parametrize("memory", [(), ("--memory", "200M")])
def test_an_archive_without_sources(cli: Cli, news: Path, today: Path, tmp_path: Path, memory: tuple[str, ...]) -> None:
    packs = tmp_path / "packs"
    assert cli("mine", news, "-o", packs, "--source", "news.example", *memory).code == 0
    assert [name for name in everything(packs) if name.endswith(".json") and name[0] != "."] == ["news.example.json"]
    ran = cli("clean", today, "-p", packs, "-o", tmp_path / "lost.jsonl")
    assert ran.code == 1
    assert ran.err.splitlines()[-1] == (
        "templatemine: no pack matches, all records are unchanged: they are of today, the packs of news.example; name "
        "their source with --source, --source-field or --source-of, or a pack for all with --fallback"
    )
    done = {}
    for engine in ("native", "regex"):
        output = tmp_path / f"{engine}.jsonl"
        options = ("--source", "news.example", "--engine", engine)
        ran = cli("clean", today, "-p", packs, "-o", output, *options)
        assert ran.code == 0
        done[engine] = read(output)
    assert done["native"] == done["regex"]
    assert "10 changed" in ran.err
    assert all(row["removed"] and "source" not in row for row in read(tmp_path / "native.jsonl"))


def test_it_counts_whatever_the_records_say(cli: Cli, tmp_path: Path) -> None:
    rows = [
        {**row, "source": source}
        for row, source in zip(nameless(40, 1), [None, "", "a", 5, ["odd"], {"x": 1}, "b\\u0041", "c"] * 5, strict=True)
    ]
    archive = write(tmp_path / "a.jsonl", rows)
    assert cli("mine", archive, "-o", tmp_path / "packs", "--source", "one").code == 0
    assert list(templatemine.Cleaners.load(tmp_path / "packs")) == ["one"]
    for jobs in "12":
        output = tmp_path / f"{jobs}.jsonl"
        assert cli("clean", archive, "-p", tmp_path / "packs", "--source", "one", "-o", output, "-j", jobs).code == 0
        assert [row["source"] for row in read(output)] == [row["source"] for row in rows]
        assert all("removed" in row for row in read(output))


def test_it_is_one_way_of_several(cli: Cli, news: Path, tmp_path: Path) -> None:
    options = ("-o", tmp_path / "packs", "--source", "one", "--source-of", "host")
    assert cli("mine", news, *options).error == "--source and --source-of: expected one of them, got both"
    assert "source: expected a name, got ' '" in cli("mine", news, "-o", tmp_path / "packs", "--source", " ").error
    with pytest.raises(ConfigError, match="source and source_of: expected one of them"):
        ReadConfig(source="a", source_of="host")


def test_it_is_one_name(cli: Cli, news: Path, tmp_path: Path) -> None:
    """Of several the last one counted, without a word."""
    for words in (("clean", "--packs", tmp_path, "-o", tmp_path / "out.jsonl"), ("mine", "-o", tmp_path / "packs")):
        ran = cli(words[0], news, *words[1:], "--source", "a.example", "--source", "b.example")
        assert ran.code == 2
        assert (
            "--source: expected one name, the source of all records, whatever they say; got 'a.example' and 'b.example'"
        ) in ran.err


def test_extract_and_other_formats(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.html").write_text(f"<h1>Head</h1><p>{'A long story of the day. ' * 20}</p>")
    assert cli("extract", folder, "-o", tmp_path / "p.jsonl", "--source", "one").code == 0
    assert {row["source"] for row in read(tmp_path / "p.jsonl")} == {"one"}


def test_update_makes_no_source_of_a_file_name(cli: Cli, news: Path, today: Path, tmp_path: Path) -> None:
    packs = tmp_path / "packs"
    assert cli("mine", news, "-o", packs, "--source", "news.example").code == 0
    before = everything(packs)
    ran = cli("update", packs, today)
    assert ran.error == (
        f"{packs}: expected documents of sources that have a pack or a window here, found 'today'; name their "
        "source with --source, --source-field or --source-of, or take new ones in with --new-sources"
    )
    assert everything(packs) == before
    assert cli("update", packs, today, "--dry-run").code == 2
    assert cli("update", packs, today, "--source", "news.example").code == 0
    assert "today" not in "".join(everything(packs))
    ran = cli("update", packs, today, "--new-sources", "--json")
    assert ran.code == 0
    assert [one["source"] for one in json.loads(ran.out)["sources"]] == ["today"]
    assert cli("update", packs, today).code == 0  # it has a window now


def test_the_first_update_takes_all_sources(cli: Cli, tmp_path: Path) -> None:
    archive = write(tmp_path / "a.jsonl", records())
    assert cli("update", "--new-sources", tmp_path / "packs", archive).code == 0
    shutil.rmtree(tmp_path / "packs" / ".templatemine-window")
    assert cli("update", tmp_path / "packs", archive).code == 0


def test_a_folder_that_is_misspelled_is_not_made(cli: Cli, news: Path, tmp_path: Path) -> None:
    for more in ((), ("--dry-run",)):
        ran = cli("update", tmp_path / "typo", news, *more)
        assert ran.error == f"{tmp_path}/typo: there is no such folder of packs; --new-sources makes it"
        assert ran.code == 2
    assert not (tmp_path / "typo").exists()
    (tmp_path / "packs").mkdir()
    told = f"{tmp_path}/pakcs: there is no such folder of packs; --new-sources makes it; did you mean {tmp_path}/packs?"
    assert cli("update", tmp_path / "pakcs", news).error == told
    told = f"{news}: expected a folder of packs, found something else"
    assert cli("update", news, news).error == told
    (tmp_path / "empty").mkdir()
    assert cli("update", tmp_path / "empty", news).code == 0


def test_many_new_sources_are_counted(cli: Cli, tmp_path: Path) -> None:
    assert cli("update", "--new-sources", tmp_path / "packs", write(tmp_path / "a.jsonl", records())).code == 0
    new = write(tmp_path / "b.jsonl", [{"source": f"s{number}", "text": "A story."} for number in range(9)])
    assert "found 's0', 's1', 's2' and 6 more;" in cli("update", tmp_path / "packs", new).error


def test_python(news: Path, today: Path, tmp_path: Path) -> None:
    packs = templatemine.mine(news, source="one")
    assert list(packs) == ["one"]
    assert list(templatemine.mine(nameless(40, 1), source="one")) == ["one"]
    assert list(templatemine.mine(templatemine.read(news, source="one"))) == ["one"]
    assert list(templatemine.mine(templatemine.read(news), source="one")) == ["one"]
    cleaners = templatemine.Cleaners(packs)
    with pytest.warns(UserWarning, match="no document has a pack; the first is of 'today', and packs are of 'one'"):
        assert not any(cleaned.removed for _, cleaned in cleaners.clean_all(today))
    assert all(cleaned.removed for _, cleaned in cleaners.clean_all(today, source="one"))
    assert all(cleaned.removed for _, cleaned in cleaners.clean_all(today, ReadConfig(source="one")))
    with pytest.raises(CorpusError, match="expected the source in field 'source', found none .source=.*"):
        templatemine.mine(nameless(40, 1))


@pytest.mark.parametrize("memory", [(), ("--memory", "200M")])
def test_sources_that_are_too_small_cost_no_look_into_the_folder(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: tuple[str, ...]
) -> None:
    """A file was opened for each of them, and two names were made."""
    from templatemine.archive import apply_overrides
    from templatemine.packs import pack_folder

    packs = tmp_path / "packs"
    assert cli("mine", write(tmp_path / "a.jsonl", records(["alpha.example"])), "-o", packs).code == 0
    calls: list[str] = []
    original = pack_folder.safe_file_name
    monkeypatch.setattr(pack_folder, "safe_file_name", lambda source: calls.append(source) or original(source))
    monkeypatch.setattr(apply_overrides, "read_pack_rules", lambda path: pytest.fail(f"{path} was read"))
    small = [{"source": f"s{number}", "text": "A story."} for number in range(400)]
    rest = records(["beta.example"])
    ran = cli("mine", write(tmp_path / "b.jsonl", small), "-o", tmp_path / "none", *memory, "--json")
    assert len(json.loads(ran.out)["sources"]) == 400
    assert calls == []
    monkeypatch.undo()
    # Where there are packs, a small source is told that its own stays.
    few = [*records(["alpha.example"], 2), *small, *rest]
    ran = cli("mine", write(tmp_path / "c.jsonl", few), "-o", packs, *memory, "--json")
    notes = {one["source"]: one["note"] for one in json.loads(ran.out)["sources"]}
    assert "; the pack of an earlier run stays" in notes["alpha.example"]
    assert "stays" not in notes["s1"]
