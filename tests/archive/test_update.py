"""Updates: packs of windows are those of mining the windows, in however many parts the documents come."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import examples
from templatemine.__main__ import main
from templatemine.api import mine
from templatemine.archive import update as module
from templatemine.archive.apply_overrides import apply_rules
from templatemine.archive.partition import memory_cost
from templatemine.archive.update import SourceUpdate, UpdateConfig, update_packs
from templatemine.archive.window import WindowConfig
from templatemine.cli import cmd_update as update
from templatemine.config import MineConfig, PipelineConfig
from templatemine.errors import CorpusError, PackError
from templatemine.model import Document
from templatemine.packs import pack_json
from templatemine.packs.overrides import Rule
from templatemine.packs.pack import Pack
from templatemine.packs.pack_folder import PackFiles
from templatemine.pipeline import Miner

CONFIG = UpdateConfig(today="2024-12-31", new_sources=True, window=WindowConfig(days=14, least=30))
SOURCES = ("a.example", "b.example", "c.example")


def article(source: str, number: int, call: str = "Sign up for the letter of") -> dict[str, str]:
    random = Random(f"{source}{number}")
    words = [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in ("m", "n", "rst")]
    prose = "\n".join(" ".join(random.choices(words, k=30)) + "." for _ in range(3))
    day = f"2024-{1 + number // 84:02}-{1 + number // 3 % 28:02}"
    return {"source": source, "id": f"{number}", "date": day, "text": f"{prose}\n{call} {source} today."}


def write(path: Path, articles: list[dict[str, str]]) -> str:
    path.write_text("".join(json.dumps(one) + "\n" for one in articles))
    return str(path)


def run(tmp_path: Path, articles: list[dict[str, str]], config: UpdateConfig = CONFIG) -> list[SourceUpdate]:
    return update_packs(str(tmp_path / "packs"), [write(tmp_path / "new.jsonl", articles)], config)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_parts_give_the_packs_of_the_windows(tmp_path: Path) -> None:
    everything = [article(source, number) for number in range(100) for source in SOURCES]
    for start in range(0, 300, 75):
        found = run(tmp_path, everything[start : start + 75])
    assert [one.source for one in found] == list(SOURCES)
    assert [one.last for one in found] == [everything[-1]["date"]] * 3
    window = [one for one in everything if one["date"] >= found[0].first]
    packs = PackFiles([tmp_path / "packs"]).load_all()
    wanted = mine(Document(**one) for one in window)
    assert {source: pack.to_json() for source, pack in packs.items()} == {
        source: pack.to_json() for source, pack in wanted.items()
    }
    assert all(pack.templates for pack in packs.values())
    assert sum(one.window for one in found) == len(window)


def test_windows_of_another_version_are_told(tmp_path: Path) -> None:
    run(tmp_path, [article("b.example", number) for number in range(60)])
    (tmp_path / "packs" / ".templatemine-window" / "state.json").write_text('{"numbers": []}')
    before = contents(tmp_path / "packs")
    with pytest.raises(CorpusError, match="window: windows of another version; delete this folder"):
        run(tmp_path, [article("b.example", 61)])
    assert contents(tmp_path / "packs") == before


def test_only_sources_with_new_documents_are_mined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path, [article(source, number) for number in range(60) for source in SOURCES])
    before = contents(tmp_path / "packs")
    mined: list[str] = []
    real = module.mine_source

    def count(source: str, *rest: object) -> object:
        mined.append(source)
        return real(source, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "mine_source", count)
    (found,) = run(tmp_path, [article("b.example", 61)])
    assert mined == ["b.example"]
    assert (found.source, found.given, found.new) == ("b.example", 1, 1)
    after = contents(tmp_path / "packs")
    assert {name for name in after if after[name] != before.get(name)} <= {
        *("b.example.json", "b.example.rejected.jsonl.gz"),
        *(f".templatemine-window/{name}" for name in ("b.example.window", "b.example.hashes", "state.json")),
    }


def test_the_same_documents_again_change_nothing(tmp_path: Path) -> None:
    articles = [article(source, number) for number in range(60) for source in SOURCES]
    run(tmp_path, articles)
    before = contents(tmp_path / "packs")
    found = run(tmp_path, articles)
    assert [(one.given, one.new) for one in found] == [(60, 0)] * 3
    assert not any(one.changes for one in found)
    assert contents(tmp_path / "packs") == before


def test_a_pack_follows_its_site(tmp_path: Path) -> None:
    run(tmp_path, [article("a.example", number) for number in range(60)])
    (found,) = run(tmp_path, [article("a.example", number, "Get the weekly letter of") for number in range(120, 180)])
    texts = [[" ".join(one.tokens or ()) for one in side] for side in (found.changes.added, found.changes.removed)]
    changed = [tuple(" ".join(one.tokens or ()) for one in pair) for pair in found.changes.changed]
    assert "Get the weekly letter of a.example today." in str([texts[0], changed])
    assert "Sign up for the letter of a.example today." in str([texts[1], changed])
    (pack,) = PackFiles([tmp_path / "packs"]).load_all().values()
    assert "Sign up" not in pack.to_json()


@pytest.mark.parametrize(
    ("least", "needed"), [(60, "60 (WindowConfig.least)"), (70, "70 (WindowConfig.least)"), (500, "the 70 of the pack")]
)
def test_a_pack_of_more_documents_waits(tmp_path: Path, least: int, needed: str) -> None:
    config = UpdateConfig(today="2024-12-31", new_sources=True, window=WindowConfig(days=14, least=least))
    run(tmp_path, [article("a.example", number) for number in range(70)], config)
    pack = (tmp_path / "packs" / "a.example.json").read_bytes()
    os.unlink(tmp_path / "packs" / ".templatemine-window" / "a.example.window")
    (found,) = run(tmp_path, [article("a.example", number) for number in range(100, 120)], config)
    assert found.note == f"window of 20 documents, fewer than {needed}"
    assert (tmp_path / "packs" / "a.example.json").read_bytes() == pack
    assert found.is_short
    (found,) = run(tmp_path, [article("b.example", number) for number in range(3)], replace(config, new_sources=True))
    assert not found.is_short
    assert found.note == "3 documents, at least 5 are needed"
    assert found.templates is None


def test_the_command_says_how_to_fill_a_window_and_that_it_is_smaller(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Packs stayed as they were without a hint what to do, and shrank without a word."""
    archive = [article(source, number) for source in SOURCES[:2] for number in range(90)]
    packs, options = str(tmp_path / "packs"), ["--least", "40", "--window", "1", "--today", "2024-12-31"]
    for pack in mine([Document(**one) for one in archive]).values():
        pack.save(tmp_path / "packs" / f"{pack.source}.json")
    new = write(tmp_path / "new.jsonl", [article(source, number) for source in SOURCES[:2] for number in (91, 92)])

    def said(*inputs: str) -> str:
        assert main(["update", packs, *inputs, *options]) == 0
        return capsys.readouterr().err

    short = "2 packs wait for larger windows: give the archive once, before the new documents, to fill them\n"
    smaller = (
        "templatemine: 2 packs will be learnt from fewer documents, those of a window: a.example (40 instead of 90); "
        "b.example (40 instead of 90); --least N keeps more of them\n"
    )
    alone = write(tmp_path / "alone.jsonl", [article(SOURCES[0], 91)])
    assert "1 pack waits for a larger window: give the archive once, before the new documents, to fill it\n" in said(
        alone
    )
    assert said(new).endswith(short)
    both = write(tmp_path / "archive.jsonl", archive), new
    assert smaller in said(*both, "--dry-run")
    assert {pack.documents for pack in PackFiles([packs]).load_all().values()} == {90}
    assert smaller in said(*both)
    assert {pack.documents for pack in PackFiles([packs]).load_all().values()} == {40}
    for once in (short, smaller):
        assert once not in said(new)


@examples(8)
@given(st.integers(20, 60), st.integers(20, 90), st.integers(20, 90), st.booleans())
def test_packs_of_fewer_documents_are_told_of_before_they_change(least: int, one: int, two: int, dry_run: bool) -> None:
    """Once each, with both numbers; no later than when all packs are as they were."""
    with TemporaryDirectory() as folder:
        sizes = dict(zip(SOURCES, (one, two), strict=False))
        articles = [article(source, number) for source, size in sizes.items() for number in range(size)]
        packs = Path(folder) / "packs"
        for pack in mine([Document(**row) for row in articles]).values():
            pack.save(packs / f"{pack.source}.json")
        before, told = contents(packs), list[str]()

        def tell(text: str) -> None:
            now = {name: data for name, data in contents(packs).items() if not name.startswith(".")}
            assert now == before
            told.append(text)

        config = replace(CONFIG, window=WindowConfig(days=1, least=least), dry_run=dry_run)
        given_again = [write(Path(folder) / "a.jsonl", articles)]
        found = update_packs(str(packs), given_again, config, tell=tell)
        windows = {row.source: row.window for row in found}
        smaller = {source: size for source, size in sizes.items() if windows[source] < size}
        assert len(told) == bool(smaller)
        for source, size in sizes.items():
            said = f"{source} ({windows[source]} instead of {size})"
            assert (said in "".join(told)) == (source in smaller)
        assert (contents(packs) == before) or not dry_run
        if not dry_run:
            update_packs(str(packs), given_again, config, tell=told.append)
            assert len(told) == bool(smaller)


def test_a_source_that_does_not_fit_keeps_its_newest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the order they came in, in parts or not."""
    articles = [article("a.example", number) for number in range(200)]
    Random(3).shuffle(articles)
    size = memory_cost(Document(**articles[0]))
    monkeypatch.setattr(module.RunConfig, "budget", property(lambda self: 50 * size))
    told: list[str] = []
    path = write(tmp_path / "new.jsonl", articles)
    (found,) = update_packs(str(tmp_path / "packs"), [path], CONFIG, tell=told.append)
    monkeypatch.undo()
    (whole,) = update_packs(str(tmp_path / "others"), [path], CONFIG)
    assert found == whole
    assert 30 < found.window < 50
    assert not told


def test_documents_that_no_memory_is_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.RunConfig, "budget", property(lambda self: 1000))
    told: list[str] = []
    path = write(tmp_path / "new.jsonl", [article("a.example", number) for number in range(20)])
    (found,) = update_packs(str(tmp_path / "packs"), [path], CONFIG, tell=told.append)
    assert (found.window, found.first, found.templates) == (0, "", None)
    assert told == ["a.example: 20 documents left out of its window, as --memory has no room"]


@pytest.mark.parametrize("name", ["", None])
def test_an_empty_id_is_none(tmp_path: Path, name: str | None) -> None:
    articles = [{**article("a.example", number), "id": name} for number in range(30)]
    (found,) = run(tmp_path, articles)  # type: ignore[arg-type]
    assert (found.window, found.replaced) == (30, 0)


def test_ids_that_come_again_are_counted(tmp_path: Path) -> None:
    articles = [{**article("a.example", number), "id": str(number % 20)} for number in range(30)]
    (found,) = run(tmp_path, articles)
    assert (found.window, found.replaced) == (20, 10)
    (found,) = run(tmp_path, articles[10:])
    assert (found.new, found.replaced) == (0, 0)


def test_nothing_is_left_where_nothing_was(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="not JSON"):
        (tmp_path / "new.jsonl").write_text("{")
        update_packs(str(tmp_path / "packs"), [str(tmp_path / "new.jsonl")], CONFIG, on_error=raised)
    assert not (tmp_path / "packs").exists()


def raised(error: CorpusError) -> None:
    raise error


def page(number: int) -> dict[str, str]:
    one = article("a.example", number)
    story = "".join(f"<p>{line}</p>" for line in one.pop("text").splitlines()[:-1])
    return {
        **one,
        "html": f"<html><body><div class=menu>Home News Sport</div><div class=story>{story}</div></body></html>",
    }


def test_few_pages_give_a_pack_of_pages(tmp_path: Path) -> None:
    """As mining them does, until there are enough for templates."""
    pages = [page(number) for number in range(30)]
    ten = PipelineConfig(mine=MineConfig(min_docs=10))
    config = replace(CONFIG, pipeline=ten)
    (found,) = run(tmp_path, pages[:7], config)
    assert (found.note, found.templates) == ("", 0)
    path = tmp_path / "packs" / "a.example.json"
    (wanted,) = Miner(ten).run(Document(**one) for one in pages[:7])
    assert wanted.pack is not None
    assert path.read_text() == wanted.pack.to_json()
    (found,) = run(tmp_path, pages[7:8], config)
    assert Pack.load(path).documents == 8
    (found,) = run(tmp_path, pages[8:], config)
    assert found.templates
    assert Pack.load(path).documents == 30


def test_a_clock_that_goes_back(tmp_path: Path) -> None:
    run(tmp_path, [article("a.example", number) for number in range(60)])
    told: list[str] = []
    config = UpdateConfig(today="2001-01-01", new_sources=True, window=CONFIG.window)
    path = write(tmp_path / "new.jsonl", [article("a.example", 70)])
    (found,) = update_packs(str(tmp_path / "packs"), [path], config, tell=told.append)
    assert found.last == article("a.example", 70)["date"]
    assert told == ["today is 2001-01-01, but the last update was on 2024-12-31; taking that for today"]


@pytest.mark.parametrize("call", [1, 3, 8])
def test_a_full_disk_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: int) -> None:
    run(tmp_path, [article(source, number) for number in range(60) for source in SOURCES])
    before = contents(tmp_path / "packs")
    calls = []

    def fsync(descriptor: int) -> None:
        calls.append(1)
        if len(calls) >= call:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    new = [article(source, number) for number in range(60, 90) for source in SOURCES]
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        with pytest.raises(CorpusError, match="No space left"):
            run(tmp_path, new)
    assert contents(tmp_path / "packs") == before
    run(tmp_path, new)
    assert contents(tmp_path / "packs") != before


@pytest.mark.parametrize("call", [1, 4, 9])
def test_killed_while_renaming(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: int) -> None:
    """What the journal lists is completed by the next run."""
    old = [article(source, number) for number in range(60) for source in SOURCES]
    new = [article(source, number) for number in range(60, 90) for source in SOURCES]
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        run(tmp_path / folder, old)
    run(tmp_path / "one", new)
    real, calls = os.replace, []

    def replace(source: str, target: str) -> None:
        if f"{os.sep}.templatemine-update{os.sep}window{os.sep}" in source or target.endswith("rejected.jsonl.gz"):
            calls.append(1)
            if len(calls) == call and os.path.exists(
                os.path.join(tmp_path, "two/packs/.templatemine-update/publish.json")
            ):
                raise KeyboardInterrupt
        real(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", replace)
        try:
            run(tmp_path / "two", new)
        except KeyboardInterrupt:
            assert (tmp_path / "two" / "packs" / ".templatemine-update" / "publish.json").exists()
    run(tmp_path / "two", new)
    assert contents(tmp_path / "two" / "packs") == contents(tmp_path / "one" / "packs")


def test_decisions_while_an_update_runs_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path, [article("a.example", number) for number in range(60)])
    path = tmp_path / "packs" / "a.example.json"
    gone = Pack.load(path).templates[0]
    publish = module._UpdateRun.publish

    def late(self: module._UpdateRun) -> None:
        apply_rules(Pack.load(path), (), [Rule(action="reject", id=gone.id)]).save(path, force=True)
        publish(self)

    monkeypatch.setattr(module._UpdateRun, "publish", late)
    (found,) = run(tmp_path, [article("a.example", number) for number in range(60, 90)])
    after = Pack.load(path)
    assert after.documents == found.window
    assert after.overrides.rules == (Rule(action="reject", id=gone.id),)
    assert gone.id not in [one.id for one in after.templates]


def test_a_damaged_window_is_named(tmp_path: Path) -> None:
    run(tmp_path, [article("a.example", number) for number in range(60)])
    path = tmp_path / "packs" / ".templatemine-window" / "a.example.window"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(CorpusError, match=r"a\.example\.window: .*damaged"):
        run(tmp_path, [article("a.example", 61)])


def test_the_help_tells_the_defaults() -> None:
    assert (WindowConfig().days, WindowConfig().least) == (update._DAYS, update._LEAST)


def test_a_window_that_gives_nothing_leaves_the_pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path, [article("a.example", number) for number in range(60)])
    path = tmp_path / "packs" / "a.example.json"
    before = path.read_bytes()
    assert Pack.load(path).templates
    monkeypatch.setattr(module, "carry", lambda old, new, *_: (new, {}, {}))  # all that is absent goes
    articles = [article("a.example", number) for number in range(90, 190)]
    (found,) = run(tmp_path, [{**one, "text": one["text"].rpartition("\n")[0]} for one in articles])
    assert found.note == "nothing was found in the window; mine --force replaces the pack with an empty one"
    assert not found.changes
    assert path.read_bytes() == before


def test_a_pack_that_nobody_could_read_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    everything = [article(source, number) for number in range(100) for source in SOURCES]
    run(tmp_path, everything[:150])
    before = contents(tmp_path / "packs")
    original = pack_json.write

    def spoil(pack: Pack) -> str:
        return original(pack).replace('"html": false', '"html": 0' if pack.source == "b.example" else '"html": false')

    monkeypatch.setattr(pack_json, "write", spoil)
    found = run(tmp_path, everything[150:])
    after = contents(tmp_path / "packs")
    assert [one.bug != "" for one in found] == [False, True, False]
    assert "b.example: tokeniser: html: " in found[1].bug
    assert after["b.example.json"] == before["b.example.json"]
    assert after["a.example.json"] != before["a.example.json"]


def test_a_bad_pack_stops_no_other_source(tmp_path: Path) -> None:
    """It is named and stays, its window gets the documents, and once it is mended it is mined from them."""
    everything = [article(source, number) for number in range(100) for source in SOURCES]
    run(tmp_path, everything[:150])
    path, new = tmp_path / "packs" / "b.example.json", write(tmp_path / "new.jsonl", everything[150:])
    good = path.read_bytes()
    bad = good.replace(b'"html": false', b'"html": 0')
    assert bad != good
    path.write_bytes(bad)
    before = contents(tmp_path / "packs")
    with pytest.raises(PackError, match=r"b\.example\.json: tokeniser: html: "):
        update_packs(str(tmp_path / "packs"), [new], CONFIG)
    assert contents(tmp_path / "packs") == before
    told: list[str] = []
    found = update_packs(str(tmp_path / "packs"), [new], CONFIG, on_bad_pack=told.append)
    after = contents(tmp_path / "packs")
    assert len(told) == 1
    assert "b.example.json: tokeniser: html: " in told[0]
    assert [one.note for one in found] == ["", "it has an error", ""]
    assert after["b.example.json"] == bad
    assert after["a.example.json"] != before["a.example.json"]
    path.write_bytes(good)
    (mended,) = run(tmp_path, [everything[-2]])
    assert (mended.source, mended.new, mended.note) == ("b.example", 0, "")
    assert mended.window == found[1].window
    assert path.read_bytes() not in (good, bad)


def test_the_command_goes_on_beside_a_bad_pack(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path, [article(source, number) for number in range(50) for source in SOURCES])
    path = tmp_path / "packs" / "b.example.json"
    path.write_text("{}")
    before = contents(tmp_path / "packs")
    new = write(tmp_path / "new.jsonl", [article(source, number) for number in range(50, 100) for source in SOURCES])
    command = ["update", str(tmp_path / "packs"), new, "--today", CONFIG.today, "--least", "30", "--new-sources"]
    assert main([*command, "--strict"]) == 1
    assert capsys.readouterr().err.count("b.example.json") == 1
    assert contents(tmp_path / "packs") == before
    assert main(command) == 1
    said = capsys.readouterr().err
    assert said.count("pack skipped: ") == 1
    assert "pack unchanged: it has an error" in said
    after = contents(tmp_path / "packs")
    assert after["b.example.json"] == b"{}"
    assert after["a.example.json"] != before["a.example.json"]
