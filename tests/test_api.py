"""What users of Python meet: names, arguments that one guesses right, packs that do the rest, messages in Python's names."""

from __future__ import annotations

import gzip
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

import templatemine
from templatemine import config, errors
from templatemine.__main__ import main
from templatemine.errors import ConfigError, CorpusError, command_line

sys.path.insert(0, str(Path(__file__).resolve().parent / "cli"))

from cli_support import SOURCES, records

ROWS = records()


@pytest.fixture(scope="module")
def packs() -> templatemine.Packs:
    return templatemine.mine(ROWS)


def as_file(folder: Path) -> Any:
    (folder / "a.jsonl.gz").write_bytes(gzip.compress("\n".join(map(json.dumps, ROWS)).encode()))
    return folder / "a.jsonl.gz"


def as_documents(folder: Path) -> Any:
    names = ("source", "id", "text", "date")
    return [templatemine.Document(**{name: row[name] for name in names}) for row in ROWS]


WAYS: dict[str, Callable[[Path], Any]] = {
    "path": as_file,
    "string": lambda folder: str(as_file(folder)),
    "paths": lambda folder: [as_file(folder)],
    "documents": as_documents,
    "dicts": lambda folder: ROWS,
    "generator": lambda folder: (row for row in ROWS),
    "reader": lambda folder: templatemine.read(as_file(folder)),
}


@pytest.mark.parametrize("way", WAYS)
def test_whatever_one_has_gives_the_same_packs(way: str, packs: templatemine.Packs, tmp_path: Path) -> None:
    found = templatemine.mine(WAYS[way](tmp_path))
    assert isinstance(found, templatemine.Packs)
    assert found == packs


def test_what_decides_is_an_argument(packs: templatemine.Packs, tmp_path: Path) -> None:
    assert {pack.method for pack in templatemine.mine(ROWS, method="thesis").values()} == {"thesis"}
    careful = templatemine.mine(ROWS, caution=50)
    assert {pack.caution for pack in careful.values()} == {50.0}
    both = templatemine.PipelineConfig(method="energy", select=templatemine.SelectConfig(caution=3.0))
    assert templatemine.mine(ROWS, both, method="learned")["alpha.example"].caution == 3.0
    for options, message in (
        ({"method": "magic"}, "method: expected learned, energy or thesis, got 'magic'"),
        ({"caution": -1}, "caution: expected a number"),
        ({"model": tmp_path / "none.npz"}, "none.npz"),
        ({"errors": "ignore"}, "errors: expected raise or skip, got 'ignore'"),
        ({"jobs": -1}, "jobs: expected a whole number of at least 1, got -1"),
        ({"progress": 7}, "progress: expected True, False or a function, got 7"),
    ):
        with pytest.raises(ConfigError) as raised:
            templatemine.mine(ROWS, **options)  # type: ignore[arg-type]
        assert message in str(raised.value)


def test_progress_is_told(tmp_path: Path) -> None:
    steps: list[tuple[str, int, int]] = []
    templatemine.mine(ROWS, progress=lambda *step: steps.append(step))
    assert [one for one in steps if one[0] == "mining"] == [("mining", done, 3) for done in (1, 2, 3)]
    archive = tmp_path / "archive.jsonl"
    archive.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    for terminal, asked in (("xterm", True), ("dumb", True), ("xterm", False)):
        run = f"import templatemine; templatemine.mine({str(archive)!r}, progress={asked})"
        environment = {**os.environ, "FORCE_COLOR": "1", "TERM": terminal}
        ran = subprocess.run([sys.executable, "-c", run], env=environment, capture_output=True, text=True, check=True)
        assert ran.stdout == ""
        # Which steps are drawn depends on how long they take; where nothing can be drawn, nothing is written.
        drawn = "mining" in ran.stderr or "choosing" in ran.stderr
        assert drawn if asked and terminal == "xterm" else not ran.stderr


def test_packs_do_the_rest(packs: templatemine.Packs, tmp_path: Path) -> None:
    packs.save(tmp_path / "packs")
    loaded = templatemine.Packs.load(tmp_path / "packs")
    assert {one: loaded[one].to_json() for one in loaded} == {one: packs[one].to_json() for one in packs}
    with pytest.raises(CorpusError, match="exists; use force=True to replace it"):
        packs.save(tmp_path / "packs")
    packs.save(tmp_path / "packs", force=True)
    cleaned = {document.id: one for document, one in loaded.clean(ROWS)}
    assert all(len(cleaned[row["id"]].text) < len(row["text"]) for row in ROWS)
    kept = {document.id: one for document, one in loaded.clean(ROWS, keep=list(config_kinds(packs)))}
    assert all(kept[row["id"]].text == row["text"] for row in ROWS)


def test_a_policy_is_an_argument_wherever_keep_is(packs: templatemine.Packs, tmp_path: Path) -> None:
    """It was an unexpected keyword, and only config= could say it."""
    pack, text = packs["alpha.example"], ROWS[0]["text"]
    wanted = templatemine.clean(text, pack, keep="byline,caption,dateline")
    assert wanted != templatemine.clean(text, pack)
    packs.save(tmp_path / "packs")
    assert templatemine.clean(text, pack, policy="reader") == wanted
    assert templatemine.Cleaner(pack, policy="reader").clean(text) == wanted
    assert templatemine.Cleaners(packs, policy="reader").clean(text, "alpha.example") == wanted
    loaded = templatemine.Cleaners.load(tmp_path / "packs", policy="reader")
    assert loaded.clean(text, "alpha.example") == wanted
    assert next(packs.clean(ROWS, policy="reader"))[1] == wanted
    assert templatemine.clean(text, pack, policy="archive").text == text
    both = templatemine.clean(text, pack, policy="reader", keep="promotion")
    assert both.text == text
    with pytest.raises(ConfigError, match="policy: expected one of llm, reader, archive, got 'rader'"):
        templatemine.clean(text, pack, policy="rader")


def test_a_wrong_argument_is_told_with_the_right_ones(packs: templatemine.Packs) -> None:
    """Only the names of fields were named."""
    for call, wrong, told in (
        (
            templatemine.mine,
            "n_jobs",
            "(did you mean jobs?); there are documents, config, method, caution, model, jobs, source, errors, ",
        ),
        (
            packs.clean,
            "polcy",
            "(did you mean policy?); there are documents, config, policy, keep, source, errors, and for names of fields",
        ),
        (
            templatemine.mine,
            "min_df",
            "(give config=PipelineConfig(mine=MineConfig(min_df=...))); there are documents, ",
        ),
        (packs.clean, "min_df", "; there are documents, config, policy, "),
        (packs.clean, "text_feild", "(did you mean text_field?); "),
        (templatemine.mine, "source_of", "read: give templatemine.read(path, source_of=...) for the documents; there"),
        (packs.clean, "zzz", "'zzz'; there are documents, "),
        (packs.report, "archive", "(did you mean documents?); there are output, documents, "),
    ):
        with pytest.raises(TypeError) as raised:
            call(ROWS, **{wrong: 2})
        assert told in str(raised.value)


def test_what_beginners_try_says_what_to_do(packs: templatemine.Packs) -> None:
    with pytest.raises(TypeError, match=r"^expected packs by source, got str; Packs\.load\(\.\.\.\) reads them"):
        templatemine.Packs("folder")
    assert templatemine.Packs(dict(packs)) == packs
    for one in (ROWS[0], templatemine.Document(source="s", id="1", text="a")):
        with pytest.raises(CorpusError, match="; give a list, with this one in it"):
            packs.clean(one)  # not when the first is asked for
    with pytest.raises(CorpusError, match=r"templatemine\.clean\(text, pack\)"):
        packs.clean("A text of a few words, which is no path.")
    for name, told in (
        ("clean_all", r"; templatemine\.Cleaner\(pack\)\.clean_all\(texts\) cleans several texts$"),
        ("diff", r"; templatemine\.Packs\({pack\.source: pack}\)\.report\(file, against="),
        ("explain", r"; pack\.clean\(text\)\.beside\(text\) marks what goes"),
        ("reject", "; the commands desk and ask take decisions about templates, and keep them in its file$"),
        ("update", "; the command update takes in new documents$"),
        ("other", "attribute 'other'$"),
    ):
        with pytest.raises(AttributeError, match=told):
            getattr(packs["alpha.example"], name)
    for name, told in (
        ("diff", r"^'Packs' object has no attribute 'diff'; packs\.report\(file, against=old\) compares them"),
        ("templates", r"; packs\[source\]\.templates has those of a source$"),
        ("other", "attribute 'other'$"),
    ):
        with pytest.raises(AttributeError, match=told):
            getattr(packs, name)
    for name, told in (
        ("load", r"^module 'templatemine' has no attribute 'load'; templatemine\.Packs\.load\(folder\) loads packs"),
        ("update", "; the command templatemine update brings packs up to date$"),
        ("mien", r"; did you mean mine\?$"),
        ("__wrapped__", "attribute '__wrapped__'$"),
        ("other", "attribute 'other'$"),
    ):
        with pytest.raises(AttributeError, match=told):
            getattr(templatemine, name)
    assert not {*templatemine._ELSEWHERE} & {*templatemine.__all__}
    for texts in ([ROWS[0]["text"]], ROWS[0]):
        for clean in (packs["alpha.example"].clean, lambda text: templatemine.clean(text, packs["alpha.example"])):
            with pytest.raises(TypeError, match=r"Cleaner\.clean_all cleans several texts, and Packs\.clean records$"):
                clean(texts)  # type: ignore[no-untyped-call]


def test_packs_are_no_articles(packs: templatemine.Packs, tmp_path: Path) -> None:
    """Each line of them was an error, with the advice to make one line of it."""
    packs.save(tmp_path / "packs")
    for given in (tmp_path / "packs", tmp_path / "packs" / "alpha.example.json"):
        with pytest.raises(CorpusError, match="alpha.example.json: expected articles, found a pack, which Packs.load"):
            templatemine.mine(given)
    with command_line(), pytest.raises(CorpusError, match="found a pack, which templatemine show reads"):
        templatemine.mine(tmp_path / "packs")


def test_sources_that_become_one_are_told_of(tmp_path: Path) -> None:
    """All were mined as one source without a word."""
    told = r"^source='one' makes one source of 3 that records name, such as 'alpha.example', 'beta.example'; without it"
    for way in WAYS.values():
        given = way(tmp_path)
        with pytest.warns(UserWarning, match=told):
            assert list(templatemine.mine(given, source="one")) == ["one"]
    with pytest.warns(UserWarning, match=told):
        list(templatemine.read(as_file(tmp_path), source="one"))
    alone = [row for row in ROWS if row["source"] == "alpha.example"]
    assert list(templatemine.mine(alone, source="one")) == ["one"]  # another name, and no warning


def test_a_pack_cleans_a_text(packs: templatemine.Packs) -> None:
    """As `templatemine.clean` does, in a process that has loaded nothing else, too."""
    pack, text = packs["alpha.example"], ROWS[0]["text"]
    careful = templatemine.CleanConfig(whole_lines=True)
    assert pack.clean(text) == templatemine.clean(text, pack) != templatemine.clean(text, pack, policy="archive")
    for options in ({"policy": "reader"}, {"keep": "byline"}, {"policy": "llm", "keep": ["byline"]}):
        assert pack.clean(text, careful, **options) == templatemine.clean(text, pack, careful, **options)  # type: ignore[arg-type]
    run = "import sys; from templatemine.packs.pack import Pack; print(Pack.from_json(sys.stdin.read()).clean('A b.').text)"
    ran = subprocess.run([sys.executable, "-c", run], input=pack.to_json(), capture_output=True, text=True, check=True)
    assert ran.stdout == "A b.\n"


def test_packs_take_up_packs_and_no_documents(packs: templatemine.Packs) -> None:
    taken = templatemine.Packs()
    taken.update({"a": packs["alpha.example"]}, b=packs["beta.example"])
    taken.update([("c", packs["alpha.example"])])
    assert sorted(taken) == ["a", "b", "c"]
    for wrong in ("new.jsonl", ROWS, ROWS[0], 7):
        with pytest.raises(TypeError, match="expected packs by source; new documents: templatemine update FOLDER FILE"):
            taken.update(wrong)
    assert sorted(taken) == ["a", "b", "c"]


def test_texts_of_one_source_are_documents(packs: templatemine.Packs, tmp_path: Path) -> None:
    rows = [row for row in ROWS if row["source"] == "alpha.example"]
    texts = [row["text"] for row in rows]
    (found,) = templatemine.mine(texts, source="alpha.example").values()
    assert [one.id for one in found.templates] == [one.id for one in packs["alpha.example"].templates]
    assert [one.text for _, one in packs.clean(texts, source="alpha.example")] == [
        one.text for _, one in packs.clean(rows)
    ]
    with pytest.raises(CorpusError, match=r"got str: source= says whose texts these are, Path\(\.\.\.\) that it names"):
        templatemine.mine(texts)
    for path in (str(as_file(tmp_path)), "missing.jsonl", "https://a.example/feed"):
        with pytest.raises(CorpusError, match="names a file"):
            templatemine.mine([path], source="alpha.example")


def test_a_source_without_a_pack_is_told_with_those_like_it(packs: templatemine.Packs) -> None:
    many = templatemine.Packs(dict.fromkeys(("kompas.com", "tempo.co", "www.kompas.id"), packs["alpha.example"]))
    for asked, told in (
        ("kompas", "no pack of 'kompas'; did you mean 'kompas.com', 'www.kompas.id'?"),
        ("tmepo.co", "no pack of 'tmepo.co'; did you mean 'tempo.co'?"),
        ("bbc.co.uk", "no pack of 'bbc.co.uk'; there are 'kompas.com', 'tempo.co', 'www.kompas.id'"),
        (7, "no pack of 7; "),
        ("x" * 3000, "no pack of 'xxx"),
    ):
        with pytest.raises(KeyError) as raised:
            many[asked]  # type: ignore[index]
        assert raised.value.args[0].startswith(told)
        assert len(raised.value.args[0]) < 200
        assert asked not in many
        assert many.get(asked) is None  # type: ignore[call-overload]
    with pytest.raises(KeyError, match="no pack of 'a'; there are none"):
        templatemine.Packs()["a"]


def config_kinds(packs: templatemine.Packs) -> set[str]:
    return {template.kind for pack in packs.values() for template in pack.templates if template.kind}


def test_packs_write_their_report(packs: templatemine.Packs, tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    pytest.importorskip("vl_convert")
    said = packs.report(tmp_path / "report.html", ROWS[:30], title="Three papers", against=packs)
    page = (tmp_path / "report.html").read_text()
    assert said[0] == "Within the limits, by 30 changed articles of 3 sources."
    assert said[2].startswith("Cleaning changes 30 of 30 documents")
    assert all(one in page for one in said[:3])
    assert said[-1] == "The packs before have the same templates."
    assert "<h1>Three papers</h1>" in page
    with pytest.raises(CorpusError, match="exists; use force=True"):
        packs.report(tmp_path / "report.html")
    assert "Without an archive" in " ".join(packs.report(tmp_path / "report.html", force=True))


def test_what_is_shown_is_one_line(packs: templatemine.Packs) -> None:
    pack = packs["alpha.example"]
    page = templatemine.Document(source="s" * 99, id="i" * 99, html="<p>\n" * 999, title="t" * 999)
    shown = (packs, pack, pack.templates[0], *next(packs.clean(ROWS)), templatemine.Cleaners(packs), page)
    for one in shown:
        assert len(repr(one)) < 200
        assert "\n" not in repr(one)
    assert repr(packs).startswith("<Packs of 3 sources: ")
    story = templatemine.Document(source="a.example", id="7", text="A story. " * 300)
    assert repr(story) == f"<Document 'a.example' '7': 2,700 characters, {('A story. ' * 5)[:40]!r}>"
    assert ": page of 3,996 characters, '<p>" in repr(page)
    assert "<table>" in packs._repr_html_()


def test_public_names_are_listed_and_nothing_else() -> None:
    assert dir(templatemine) == sorted(templatemine.__all__)
    for name in templatemine.__all__:
        found = getattr(templatemine, name)
        assert inspect.getdoc(found) or name == "__version__"
    assert [name for name in dir(templatemine) if name.startswith("_")] == ["__version__"]


def test_what_one_configures_is_exported() -> None:
    """All records of options within those of mining, cleaning and reports."""
    open_records = [templatemine.PipelineConfig, templatemine.CleanConfig, templatemine.ReportConfig]
    seen: set[type] = set()
    while open_records:
        record = open_records.pop()
        seen.add(record)
        for field in fields(record):
            for word in str(field.type).replace("|", " ").split():
                inner = getattr(config, word, None)
                if is_dataclass(inner) and inner not in seen:
                    open_records.append(inner)  # type: ignore[arg-type]
    internal = {"SlotConfig"}  # of the methods, not of their users
    assert {one.__name__ for one in seen} - internal <= set(templatemine.__all__)


def test_messages_name_what_their_reader_writes(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"body": "x", "source": "a"}\n')
    with pytest.raises(
        CorpusError, match=r"found only 'body', 'source' \(text_field= names another; text_field='body'\?\)"
    ):
        list(templatemine.read(tmp_path / "a.jsonl"))
    with command_line(), pytest.raises(CorpusError, match=r"\(--text-field names another; --text-field body\?\)"):
        list(templatemine.read(tmp_path / "a.jsonl"))
    with pytest.raises(ConfigError, match="^csv_delimiter: expected one character, got ';;'"):
        templatemine.ReadConfig(csv_delimiter=";;")
    assert errors.spelled("--force", "force=True") == "force=True"
    assert SOURCES[0] in {row["source"] for row in ROWS}


def test_packs_save_what_the_command_writes(packs: templatemine.Packs, tmp_path: Path) -> None:
    """The rejected candidates were missing, so that show --rejected, ask and the desk had nothing to show."""
    archive, command = as_file(tmp_path), tmp_path / "command"
    assert main(["mine", str(archive), "-o", str(command), "--quiet"]) == 0
    packs.save(tmp_path / "python")
    templatemine.mine(archive, jobs=2).save(tmp_path / "jobs")
    templatemine.Packs.load(command).save(tmp_path / "loaded")
    wanted = {file.name: file.read_bytes() for file in command.iterdir()}
    assert sum(name.endswith(".rejected.jsonl.gz") for name in wanted) == len(packs)
    for way in ("python", "jobs", "loaded"):
        assert {file.name: file.read_bytes() for file in (tmp_path / way).iterdir()} == wanted, way
    both = templatemine.Packs(packs)
    both.update(templatemine.Packs.load(command))
    both.save(tmp_path / "python", force=True)
    assert {file.name: file.read_bytes() for file in (tmp_path / "python").iterdir()} == wanted


def test_packs_of_unknown_origin_are_saved_alone(packs: templatemine.Packs, tmp_path: Path) -> None:
    templatemine.Packs(dict(packs)).save(tmp_path / "a")
    alone = {f"{source}.json" for source in SOURCES}
    assert {file.name for file in (tmp_path / "a").iterdir()} == alone
    other = templatemine.Packs(packs)
    other["alpha.example"] = templatemine.mine(records(["alpha.example"], 30))["alpha.example"]
    other.save(tmp_path / "b")
    beside = {f"{source}.rejected.jsonl.gz" for source in SOURCES[1:]}
    assert {file.name for file in (tmp_path / "b").iterdir()} == alone | beside


def test_saving_keeps_the_decisions_of_people(packs: templatemine.Packs, tmp_path: Path) -> None:
    """They were lost without a word, though `mine --force` keeps them."""
    packs.save(tmp_path)
    file = tmp_path / "alpha.example.json"
    data = json.loads(file.read_text())
    data["overrides"] = [{"action": "reject", "id": data["templates"][0]["id"]}]
    file.write_text(json.dumps(data))
    packs.save(tmp_path, force=True)
    kept = templatemine.Packs.load(tmp_path)
    assert [rule.action for rule in kept["alpha.example"].overrides.rules] == ["reject"]
    assert len(kept["alpha.example"].templates) == len(packs["alpha.example"].templates) - 1
    assert kept["beta.example"].to_json() == packs["beta.example"].to_json()
    # One that can do nothing any more is told, once, as the command mine does.
    data["overrides"] = [{"action": "reject", "id": "t0a1b2c3d4e"}]
    file.write_text(json.dumps(data))
    with pytest.warns(UserWarning, match=r"reject: no template of 'alpha\.example' has the id 't0a1b2c3d4e'"):
        packs.save(tmp_path, force=True)
    # Who loads a pack and takes a decision back has taken it back, and is told.
    kept["alpha.example"] = packs["alpha.example"]
    with pytest.warns(UserWarning, match=r"alpha\.example: 1 decision of people in .* go with it"):
        kept.save(tmp_path, force=True)
    assert templatemine.Packs.load(tmp_path)["alpha.example"].overrides.rules == ()
