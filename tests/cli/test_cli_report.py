"""``templatemine report``, ``explain``, and ``clean --dry-run`` and ``--diff``: looking at what was learnt and is cut."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import replace
from html import escape
from pathlib import Path

import pytest
from cli_support import CALL, CREDIT, SOURCES, everything, page, read, records, write

from conftest import Cli
from strategies import make_pack
from templatemine.archive.apply_overrides import apply_rules
from templatemine.errors import pip_line
from templatemine.packs.overrides import Rule
from templatemine.packs.pack import Pack
from templatemine.packs.pack_record import template_id
from templatemine.packs.readable import join_tokens
from templatemine.text import linear
from templatemine.text.patterns import pattern_set


@pytest.fixture
def new(tmp_path: Path) -> Path:
    return write(tmp_path / "new.jsonl", records(documents=4, seed=2))


@pytest.fixture
def libraries() -> None:
    pytest.importorskip("jinja2")
    pytest.importorskip("vl_convert")


# ------------------------------------------------------------------------------------------------------------- report


@pytest.mark.usefixtures("libraries")
def test_report(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    ran = cli("report", mined, "--archive", new, "-o", tmp_path / "r.html", "--title", "What <we> cut")
    assert ran.code == 0
    assert f"3 sources in 0.1 MB written to {tmp_path}/r.html" in ran.err
    said, first, command, _, conclusion = ran.err.splitlines()[:5]
    assert said == "Within the limits, by 12 changed articles of 3 sources."
    assert first == "First, let each run check the limits as it cleans new articles:"
    assert command == f"templatemine clean new.jsonl --packs {mined} --check 0.5 -o clean.jsonl"
    assert cli("clean", new, *command.split()[3:-2], "-o", tmp_path / "clean.jsonl").code == 0
    assert conclusion.startswith("In ")
    text = (tmp_path / "r.html").read_text()
    assert all(f">{one}<" in text for one in (said, first))
    assert f"<code>{command}</code>" in text
    assert "<h1>What &lt;we&gt; cut</h1>" in text
    for source in SOURCES:
        name = source.partition(".")[0].capitalize()
        assert f'<td class="text" dir="auto">{CALL.format(name)}' in text
        assert f">{CREDIT.format(name)}</mark>" in text
        for reason, number in Pack.load(mined / f"{source}.json").rejected.items():
            assert f"<summary>{number:,} {reason}</summary>" in text
    assert text.count("<article") == 12


@pytest.mark.usefixtures("libraries")
def test_figures_of_a_report(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    ran = cli("report", mined, "--archive", new, "-o", tmp_path / "r.html", "--json")
    facts = json.loads(ran.out)
    assert (ran.code, ran.err) == (0, "")
    assert facts["bytes"] == (tmp_path / "r.html").stat().st_size
    assert [one["source"] for one in facts["sources"]] == list(SOURCES)
    assert all(0 < one["cut"] < one["characters"] for one in facts["sources"])
    assert facts["conclusion"][0] in (tmp_path / "r.html").read_text()
    assert facts["verdict"]["within"] is True
    assert facts["verdict"]["said"] in (tmp_path / "r.html").read_text()
    assert [one["limit"] for one in facts["verdict"]["worst"]] == [0.05, 0.05, 0.05, 0.05, 0.5]
    ran = cli("report", mined, "-o", "-", "--json")
    assert ran.out.startswith("<!doctype html>")
    assert json.loads(ran.err)["output"] == "-"


@pytest.mark.usefixtures("libraries")
def test_report_against_the_packs_before(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    before = tmp_path / "before"
    shutil.copytree(mined, before)
    pack = Pack.load(before / "alpha.example.json")
    lost, *kept = pack.templates
    replace(pack, templates=tuple(kept)).save(before / "alpha.example.json", force=True)
    ran = cli("report", mined, "-a", new, "-o", tmp_path / "r.html", "--against", before, "--json")
    (told,) = (one for one in json.loads(ran.out)["conclusion"] if one.startswith("Since the packs before"))
    assert "added: 1, removed: 0, changed: 0" in told
    page = (tmp_path / "r.html").read_text()
    section = page[page.index('<h2 id="changes">') : page.index('<h2 id="removed">')]
    assert "1 added" in section
    assert "beta.example" not in section
    (row,) = re.findall("<tr>.*</tr>", section.partition("<tbody>")[2])
    assert join_tokens(lost.tokens or ()).partition("{")[0].strip() in re.sub("<.*?>", "", row)
    assert int(re.findall(r'c-more">([\d,]+)<', row)[0].replace(",", "")) >= lost.df
    same = cli("report", mined, "-o", tmp_path / "same.html", "--against", mined, "--json")
    assert "The packs before have the same templates." in json.loads(same.out)["conclusion"]
    assert '<h2 id="changes">' not in cli("report", mined, "-o", "-").out


def test_explain_for_machines(cli: Cli, mined: Path, new: Path) -> None:
    lines = [
        json.loads(line) for line in cli("explain", new, "--packs", mined, "--json", "--limit", "0").out.splitlines()
    ]
    documents = {one["id"]: one for one in map(json.loads, new.read_text().splitlines())}
    assert [one["id"] for one in lines] == list(documents)
    for one in lines:
        cuts = one["removed"]
        assert cuts
        for cut in cuts:
            assert documents[one["id"]]["text"][cut["start"] : cut["end"]] == cut["text"]
            assert cut["template"] in cut["templates"]
    other = ("--packs", mined / "beta.example.json", "--json", "--id", lines[0]["id"])
    assert json.loads(cli("explain", new, *other).out)["removed"] is None


@pytest.mark.usefixtures("libraries")
def test_report_tells_of_decisions(cli: Cli, mined: Path, tmp_path: Path) -> None:
    pack = Pack.load(mined / "alpha.example.json")
    apply_rules(pack, (), [Rule(action="reject", id=pack.templates[0].id)]).save(tmp_path / "alpha.json")
    assert cli("report", tmp_path / "alpha.json", "-o", tmp_path / "r.html").code == 0
    told = "People made 1 decision about it: 1 mined template removed, 0 added."
    assert told in (tmp_path / "r.html").read_text()
    assert cli("report", mined, "-o", tmp_path / "s.html").code == 0
    assert "People decided" not in (tmp_path / "s.html").read_text()


@pytest.mark.usefixtures("libraries")
def test_report_without_an_archive(cli: Cli, mined: Path, tmp_path: Path) -> None:
    assert cli("report", mined / "alpha.example.json", "-o", tmp_path / "r.html").code == 0
    assert "<article" not in (tmp_path / "r.html").read_text()
    ran = cli("report", mined, "-o", tmp_path / "s.html", "--samples", "3")
    assert ran.error == "--samples needs --archive: articles come from it"


@pytest.mark.usefixtures("libraries")
def test_report_of_packs_without_their_rejected_strings(cli: Cli, mined: Path, tmp_path: Path) -> None:
    shutil.copy(mined / "alpha.example.json", tmp_path / "alpha.json")
    ran = cli("report", tmp_path / "alpha.json", "-o", tmp_path / "r.html")
    assert ran.code == 0
    assert "no rejected candidates of alpha.example: " in ran.err
    assert "The list is missing" in (tmp_path / "r.html").read_text()


@pytest.mark.usefixtures("libraries")
def test_report_on_standard_output(program: Cli, mined: Path, new: Path) -> None:
    ran = program("report", mined, "--archive", "-", "-o", "-", "-q", stdin=new.read_bytes())
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("<!doctype html>")
    assert ran.out.rstrip().endswith("</html>")


@pytest.mark.usefixtures("libraries")
def test_report_writes_whole_or_nothing(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    out = tmp_path / "r.html"
    out.write_text("old")
    assert "exists" in cli("report", mined, "-a", new, "-o", out).error
    assert "No such file" in cli("report", mined, "-a", tmp_path / "none.jsonl", "-o", out, "--force").error
    bad = write(tmp_path / "bad.jsonl", [b"{", *records(documents=1)])
    ran = cli("report", mined, "-a", bad, "-o", out, "--force", "--strict")
    assert ran.code == 1
    assert out.read_text() == "old"
    assert everything(tmp_path) == ["bad.jsonl", "new.jsonl", "r.html"]


def test_report_without_the_libraries(cli: Cli, mined: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    error = cli("report", mined, "-o", tmp_path / "r.html").error
    assert error == f"reports need jinja2, which is not installed: {pip_line('report')}"
    assert everything(tmp_path) == []


SLOW = Rule(action="add", regex="aa.*~|aa+b?", example="aab")


def with_rule(mined: Path, folder: Path, rule: Rule) -> Path:
    """A folder with the pack of a source, and an expression by hand."""
    apply_rules(Pack.load(mined / "beta.example.json"), (), [rule]).save(folder / "beta.example.json")
    return folder


def test_articles_that_take_too_long_are_skipped(
    cli: Cli, mined: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One ended the report, where clean skips it."""
    pytest.importorskip("jinja2")
    monkeypatch.setattr(linear, "SECONDS", 0.002)
    monkeypatch.setattr(linear, "SECONDS_PER_CHARACTER", 0.0)
    with_rule(mined, tmp_path / "packs", SLOW)
    articles = records(["beta.example"], 10)
    whole = write(tmp_path / "whole.jsonl", [one for number, one in enumerate(articles) if number != 3])
    articles[3]["text"] += "a" * 5_000
    slow = write(tmp_path / "slow.jsonl", articles)
    for name, archive, code in (("whole", whole, 0), ("slow", slow, 1)):
        ran = cli("report", tmp_path / "packs", "--archive", archive, "-o", tmp_path / f"{name}.html")
        assert ran.code == code
    skipped, *_, last = ran.err.splitlines()
    assert skipped.startswith(
        "templatemine: skipped: beta.example: beta.example/3: cannot be measured: the expression 'aa.*~|aa+b?' takes"
    )
    assert last == "1 document skipped"
    assert (tmp_path / "slow.html").read_text() == (tmp_path / "whole.html").read_text()
    ran = cli("report", tmp_path / "packs", "--archive", slow, "-o", tmp_path / "strict.html", "--strict")
    assert ran.code == 1
    assert not (tmp_path / "strict.html").exists()


@pytest.mark.usefixtures("libraries")
def test_what_is_at_risk_has_a_command_that_rejects_it(cli: Cli, mined: Path, tmp_path: Path) -> None:
    """It was named, and nobody could say what to do about it."""
    pack, words = Pack.load(mined / "alpha.example.json"), ("They", "also", "warn:")
    rules = [Rule(action="accept", tokens=words, df=9, count=9, example=" ".join(words))]
    packs = tmp_path / "two words"
    packs.mkdir()
    apply_rules(pack, (), rules).save(packs / "alpha.example.json")
    text = "The {} of the gate stood up.\nThey also warn: the mill is shut, and so is the gate."
    rows = [{"source": "alpha.example", "text": text.format(word)} for word in ("warden", "keeper", "ward")]
    path, page = write(tmp_path / "rows.jsonl", rows), tmp_path / "r.html"
    told = cli("report", packs, "-a", path, "-o", page).err
    command = f"templatemine ask '{packs}' --only alpha.example --reject {template_id(words)}"
    assert f"worst template: {template_id(words)} of alpha.example: They also warn:\n" in told
    assert f"to leave it in: {command}\n" in told
    assert f"To leave it in: <code>{escape(command)}</code>" in page.read_text(encoding="utf-8")
    facts = json.loads(cli("report", packs, "-a", path, "-o", page, "--force", "--json").out)["riskiest"]
    assert [(one["template"], one["remedy"]) for one in facts] == [(template_id(words), command)]
    assert cli(*shlex.split(command)[1:]).code == 0
    assert json.loads(cli("report", packs, "-a", path, "-o", page, "--force", "--json").out)["riskiest"] == []


# ------------------------------------------------------------------------------------------------------------ explain


def test_explain_shows_what_a_choice_of_kinds_cuts(cli: Cli, mined: Path, new: Path) -> None:
    """As in clean, whose options it did not take."""
    whole = [json.loads(line) for line in cli("explain", new, "-p", mined, "--json", "-n", "0").out.splitlines()]
    kinds = {one["kind"] for row in whole for one in row["removed"] or ()}
    assert kinds
    kept = cli("explain", new, "-p", mined, "--json", "-n", "0", "--keep", ",".join(kinds)).out.splitlines()
    assert not any(json.loads(line)["removed"] for line in kept)
    assert cli("explain", new, "-p", mined, "--keep", "nothing").error.startswith("--keep: expected kinds of ")


def test_explain_skips_articles_that_take_too_long(
    cli: Cli, mined: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One ended it, without a name."""
    monkeypatch.setattr(linear, "SECONDS", 0.002)
    monkeypatch.setattr(linear, "SECONDS_PER_CHARACTER", 0.0)
    packs = with_rule(mined, tmp_path / "packs", SLOW)
    articles = records(["beta.example"], 4)
    whole = cli("explain", write(tmp_path / "whole.jsonl", [articles[1], articles[3]]), "-p", packs)
    for number in (0, 2):
        articles[number]["text"] += "a" * 5_000
    slow = write(tmp_path / "slow.jsonl", articles)
    ran = cli("explain", slow, "-p", packs, "--limit", "2")
    assert (ran.code, ran.out) == (1, whole.out)
    told = "templatemine: skipped: beta.example: beta.example/{}: cannot be explained: the expression 'aa.*~|"
    assert sorted(line.partition("aa+")[0] for line in ran.err.splitlines()) == [told.format(0), told.format(2)]
    strict = cli("explain", slow, "-p", packs, "--strict")
    assert (strict.code, strict.out) == (1, "")
    alone = cli("explain", slow, "-p", packs, "--id", "beta.example/2")
    assert alone.error.startswith(told.format(2).removeprefix("templatemine: skipped: "))
    assert (alone.out, alone.err.count("\n")) == ("", 1)


def test_explain(cli: Cli, mined: Path, new: Path) -> None:
    ran = cli("explain", new, "--packs", mined, "-n", "1")
    assert ran.code == 0
    article = read(new)[0]
    lines = ran.out.splitlines()
    assert lines[0] == f"alpha.example {article['id']} {article['date']}"
    assert lines[1].startswith("2 parts removed, ")
    assert f"[-{CALL.format('Alpha')}-]{{1" in ran.out
    assert f"[-{CREDIT.format('Alpha')}-]{{" in ran.out
    first = {one.tokens: one for one in Pack.load(mined / "alpha.example.json").templates}
    row = next(line.split() for line in lines if line.startswith("1 "))
    found = first[tuple(CALL.format("Alpha").split())]
    assert row[:4] == ["1", f"{found.df:,}", f"{found.df / 40:.1%}", f"{found.count:,}"]
    assert found.id in row
    assert "--limit 0 prints all" in ran.err


def test_titles_are_shown_without_entities(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    """Decoded once, and only to be shown: feeds write "Q&#038;A"."""
    row = {**read(new)[0], "title": "Q&#038;A: &lt;b&gt; &amp;amp; more"}
    path = write(tmp_path / "rows.jsonl", [row])
    assert cli("explain", path, "-p", mined).out.splitlines()[0].endswith(" Q&A: <b> &amp; more")
    assert cli("report", mined, "-a", path, "-o", tmp_path / "r.html").code == 0
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<bdi>Q&amp;A: &lt;b&gt; &amp;amp; more</bdi>" in page
    assert cli("clean", path, "-p", mined, "-o", tmp_path / "c.jsonl").code == 0
    assert read(tmp_path / "c.jsonl")[0]["title"] == row["title"]


def test_explain_says_which_template_of_a_cut_tears(cli: Cli, mined: Path, tmp_path: Path) -> None:
    """The longest of a cut was named, though another one ended within the sentence."""
    pack = Pack.load(mined / "alpha.example.json")
    words = ("They", "also", "warn:")
    kind = next(one.kind for one in pack.templates if one.example == CALL.format("Alpha"))
    rules = [Rule(action="accept", tokens=words, df=9, count=9, example=" ".join(words), kind=kind)]
    apply_rules(pack, (), rules).save(tmp_path / "alpha.example.json")
    call, text = CALL.format("Alpha"), "A story was told.\n{}\nThey also warn: the mill is shut, and so is the gate."
    path = write(tmp_path / "rows.jsonl", [{"source": "alpha.example", "text": text.format(call)}])
    by_call, by_words = (template_id(tuple(tokens)) for tokens in (call.split(), words))
    told = cli("explain", path, "-p", tmp_path).out
    assert f"[-{call}\nThey also warn:-]{{1!}} the mill" in told
    assert f"1: {{1!}} by {by_words} They also warn:\n" in told
    assert f"also matched: {by_words} They also warn:\n" in told
    (cut,) = json.loads(cli("explain", path, "-p", tmp_path, "--json").out)["removed"]
    assert (cut["template"], cut["torn"]) == (by_call, {"end": by_words})
    parts = {part["template"]: text.format(call)[part["start"] : part["end"]] for part in cut["parts"]}
    assert parts == {by_call: call, by_words: "They also warn:"}


def test_a_cut_that_may_tear_has_one_mark_that_is_explained_once(cli: Cli, mined: Path, tmp_path: Path) -> None:
    """Whether the edges that tear are known or not, and however many articles have such cuts."""
    pack = Pack.load(mined / "alpha.example.json")
    label = ("Photos:",)
    rule = Rule(action="accept", tokens=label, df=9, count=9, example="Photos:", kind=pack.templates[0].kind)
    apply_rules(pack, (), [rule]).save(tmp_path / "alpha.example.json")
    text = "All was well before that. Photos: The life of the mill Before it was shut. Photos: The end."
    rows = [{"source": "alpha.example", "id": name, "text": text} for name in "abc"]
    told = cli("explain", write(tmp_path / "rows.jsonl", rows), "-p", tmp_path).out
    assert told.count("[-Photos:-]{1!} The life") == told.count("[-Photos:-]{1} The end") == 3
    assert told.count(f"1: {{1!}} by {template_id(label)} Photos:\n") == 3
    assert told.count("{N!}: by the words on both sides this cut may tear a sentence or a headline") == 1
    assert told.index("{N!}: ") < told.index("alpha.example b")


def test_other_articles_show_that_a_cut_takes_the_beginning_of_a_sentence(
    cli: Cli, mined: Path, tmp_path: Path
) -> None:
    """Mining and `evaluate residue` counted it, explain did not; of one article, or of a pipe, nothing is known."""
    string = "The whole story stands in"
    rule = Rule(action="accept", tokens=tuple(string.split()), df=9, count=9, example=string, anchor="line")
    apply_rules(Pack.load(mined / "alpha.example.json"), (), [rule]).save(tmp_path / "alpha.example.json")
    text = f"It was late.\n{string}\nNature Letters\n."
    names = [f"{a}{b}{c}" for a in "BDFGK" for b in "aeiou" for c in "lmnr"]
    prose = [f"They live in {name}. They met in {name}, and sat in {name}, but not in Rome." for name in names]
    rows = [{"source": "alpha.example", "id": str(n), "text": one} for n, one in enumerate([text, *prose])]
    files = {"all": write(tmp_path / "all.jsonl", rows), "one": write(tmp_path / "one.jsonl", rows[:1])}
    told = "; 1 cut may tear a sentence or a headline"
    for options in ((), ("--id", "0"), ("-n", "1")):
        assert told in cli("explain", files["all"], "-p", tmp_path, *options).out
        assert told not in cli("explain", files["one"], "-p", tmp_path, *options).out
    (found,) = json.loads(cli("explain", files["all"], "-p", tmp_path, "--json", "--id", "0").out)["removed"]
    assert found["torn"] == {"end": template_id(rule.tokens or ())}
    assert told not in cli("explain", "-", "-p", tmp_path, "-n", "1", stdin=files["all"].read_bytes()).out
    assert " 100.0% " in cli("evaluate", "residue", files["all"], "--packs", tmp_path).out


def test_sentences_that_are_read_as_lines_are_called_so(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    """In a source whose articles are one line each nothing but the article is a line."""
    pack = Pack.load(mined / "alpha.example.json")
    replace(pack, reading=replace(pack.reading, sentences=True)).save(tmp_path / "alpha.example.json")
    for command in (["explain", new, "-p", tmp_path], ["show", tmp_path / "alpha.example.json", "--why"]):
        said = cli(*command).out
        assert "is a sentence" in said
        assert "is a line" not in said
    assert "is a line" in cli("explain", new, "-p", mined).out


def test_explain_shows_what_changes_of_each_source_first(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    """The first two of the first source were shown, one of them with no part removed."""
    articles = sorted(read(new), key=lambda one: one["source"])
    plain = {"source": "alpha.example", "id": "plain", "text": "A story."}
    rows = write(tmp_path / "rows.jsonl", [plain, *articles])
    heads = r"^(\w+\.example) (\S+)"
    shown = re.findall(heads, cli("explain", rows, "-p", mined, "-n", "3").out, re.MULTILINE)
    assert [source for source, _ in shown] == list(SOURCES)
    more = re.findall(heads, cli("explain", rows, "-p", mined, "-n", "5").out, re.MULTILINE)
    assert more[:3] == shown
    assert "plain" not in dict(map(reversed, more))
    ran = cli("explain", rows, "-p", mined, "-n", str(len(articles) + 1))
    assert re.findall(heads, ran.out, re.MULTILINE)[-1] == ("alpha.example", "plain")
    assert ran.err == ""
    assert "0 parts removed" in cli("explain", rows, "-p", mined, "--id", "plain").out
    assert cli("explain", rows, "-p", mined, "-n", "0").out.startswith("alpha.example plain")


def test_cuts_in_long_lines_are_marked_in_their_context(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    """All of the line was printed, and in the diff twice."""
    article = read(new)[0]
    story = "A word. " * 400
    article["text"] = f"{story}{CALL.format('Alpha')} {story}"
    one = write(tmp_path / "one.jsonl", [article])
    call = CALL.format("Alpha")
    pack = make_pack([(call.encode().split(), call)], pattern_set("news"), "-", False)
    mined = tmp_path / "anywhere.json"
    replace(pack, source="alpha.example").save(mined)
    for command in (("explain",), ("clean", "--diff")):
        ran = cli(command[0], one, "-p", mined, *command[1:])
        assert ran.out.count(f"[-{CALL.format('Alpha')}") == 1, ran.out
        assert ran.out.count("A word.") < 80
        assert " characters … " in ran.out
    assert cli("explain", one, "-p", mined, "--id", article["id"]).out.count("A word.") == 800


def test_explain_says_when_nothing_goes(cli: Cli, mined: Path, tmp_path: Path) -> None:
    """It printed unchanged articles, as if there were others behind them that lose something."""
    rows = [{"source": "alpha.example", "id": str(n), "text": f"A plain story, number {n}."} for n in range(3)]
    told = cli("explain", write(tmp_path / "plain.jsonl", rows), "-p", mined, "-n", "1").err.splitlines()
    assert told == [
        "templatemine: nothing goes from 3 articles that were read; show --rejected lists what came near",
        "templatemine: there are more articles; --limit 0 prints all",
    ]


def test_explain_without_articles(cli: Cli, mined: Path, tmp_path: Path) -> None:
    """It printed nothing at all, as if all were well."""
    empty = write(tmp_path / "empty.jsonl", [])
    for options in ([], ["--id", "1"]):
        assert cli("explain", empty, "-p", mined, *options).error == f"{empty}: expected documents, found none"


def test_explain_with_a_title(cli: Cli, mined: Path, tmp_path: Path) -> None:
    article = {**records(["beta.example"], 1)[0], "headline": "Two\nlines"}
    ran = cli("explain", write(tmp_path / "a.jsonl", [article]), "-p", mined, "--title-field", "headline")
    assert ran.out.splitlines()[0] == f"beta.example {article['id']} {article['date']} Two lines"


def test_explain_one_object(cli: Cli, mined: Path, tmp_path: Path) -> None:
    article = records(["beta.example"], 1)[0]
    (tmp_path / "article.json").write_text(json.dumps(article, indent=2))
    ran = cli("explain", tmp_path / "article.json", "-p", mined)
    assert f"[-{CALL.format('Beta')}-]" in ran.out
    assert ran.err == ""


def test_explain_with_context_and_ids(cli: Cli, mined: Path, new: Path) -> None:
    wanted = read(new)[4]["id"]
    ran = cli("explain", new, "-p", mined, "--id", wanted, "--context", "20")
    assert ran.out.splitlines()[0].split()[1] == wanted
    assert " characters … " in ran.out
    assert "[-" in ran.out
    assert cli("explain", new, "-p", mined, "--id", "no").error == "--id: no article with the id 'no'"
    some = cli("explain", new, "-p", mined, "--id", wanted, "--id", "no")
    assert (some.code, some.out.splitlines()[0].split()[1]) == (0, wanted)
    assert some.err == "templatemine: --id: no article with the id 'no'\n"
    hint = "; did you mean 'alpha.example/1', 'beta.example/1', 'gamma.example/1'?"
    assert cli("explain", new, "-p", mined, "--id", "1").error == f"--id: no article with the id '1'{hint}"


def test_explain_what_has_no_pack(cli: Cli, mined: Path, mined_html: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "o.jsonl", records(["other.example"], 1))
    assert "no pack of other.example: unchanged" in cli("explain", other, "-p", mined).out
    pages = write(tmp_path / "p.jsonl", [page(one) for one in records(["other.example"], 1)])
    ran = cli("explain", pages, "-p", mined)
    assert "no pack of other.example: main text by the page model alone\n" in ran.out
    (told,) = re.findall(r"^(\d+) parts removed", ran.out, re.MULTILINE)
    assert cli("clean", pages, "-p", mined, "-o", tmp_path / "c.jsonl").code == 0
    assert int(told) == len(json.loads((tmp_path / "c.jsonl").read_bytes())["removed"])
    assert "[-" in ran.out
    ran = cli("explain", pages, "-p", mined, "--html", "strip")
    assert ran.out.rstrip().endswith("no pack of other.example: unchanged")
    text = write(tmp_path / "t.jsonl", records(["page.example"], 1))
    assert "the pack is for HTML, and this article has none" in cli("explain", text, "-p", mined_html).out


def test_explain_pages(cli: Cli, mined_html: Path, tmp_path: Path) -> None:
    pages = write(tmp_path / "p.jsonl", [page(one) for one in records(["page.example"], 1, seed=5)])
    for kind in ("main", "strip"):
        ran = cli("explain", pages, "-p", mined_html, "--html", kind)
        assert "[-Home World" in ran.out
        assert "<div" not in ran.out.partition("expression")[0]


def test_nothing_in_an_article_acts_on_the_terminal(cli: Cli, mined: Path, tmp_path: Path) -> None:
    bad = "\x1b[2J\x1b]0;owned\x07\u202egnp.exe"
    article = records(["alpha.example"], 1)[0]
    article |= {"text": f"{bad} {article['text']} {bad}", "title": bad, "id": bad}
    for options in (("explain",), ("clean", "--diff")):
        ran = cli(options[0], write(tmp_path / "b.jsonl", [article]), "-p", mined, *options[1:])
        assert "U+001B[2J" in ran.out
        assert not set(ran.out + ran.err) & set("\x1b\x07\u202e")


COLOURS = """
import sys
from templatemine.__main__ import main
sys.stdout.isatty = lambda: True
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("env", "coloured"),
    [({"TERM": "xterm"}, True), ({"TERM": "xterm", "NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)],
)
def test_colours_on_a_terminal_only(mined: Path, new: Path, env: dict[str, str], coloured: bool) -> None:
    clean = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")}
    both = ("explain", new, "-p", mined), ("clean", new, "-p", mined, "--diff")
    for args in both if coloured else both[:1]:
        done = subprocess.run(
            [sys.executable, "-c", COLOURS, *map(str, args)],
            capture_output=True,
            text=True,
            env=clean | env,
            check=True,
        )
        assert ("\x1b[" in done.stdout) == coloured
        assert args[0] == "clean" or ("[-" in done.stdout) != coloured


def test_no_colours_in_a_pipe(cli: Cli, mined: Path, new: Path) -> None:
    assert "\x1b" not in cli("explain", new, "-p", mined).out


# --------------------------------------------------------------------------------------------- clean, looking first


def test_dry_run(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    before = everything(tmp_path)
    dry = cli("clean", new, "-p", mined, "--dry-run", "--json", "-o", tmp_path / "c.jsonl")
    assert dry.code == 0
    assert everything(tmp_path) == before
    wet = cli("clean", new, "-p", mined, "-o", tmp_path / "c.jsonl", "--json")
    told, done = json.loads(dry.out), json.loads(wet.out)
    assert {**told, "seconds": 0} == {**done, "seconds": 0}
    assert told["changed"] == 12
    ran = cli("clean", new, "-p", mined, "--dry-run")
    assert "12 records read, and nothing written," in ran.err
    assert "12 would be changed" in ran.err


def test_diff(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    before = everything(tmp_path)
    plain = write(tmp_path / "plain.jsonl", [{"source": "alpha.example", "text": "A story."}, *read(new)])
    ran = cli("clean", plain, "-p", mined, "--diff")
    assert everything(tmp_path) == sorted([*before, "plain.jsonl"])
    lines = ran.out.splitlines()
    assert [line for line in lines if line.startswith("--- ")] == [
        f"--- {one['source']} {one['id']} ({plain}:{number})" for number, one in enumerate(read(new), 2)
    ]
    gone = {line for part in re.findall(r"\[-(.*?)-\]", ran.out, re.DOTALL) for line in part.splitlines()} - {""}
    names = [source.partition(".")[0].capitalize() for source in SOURCES]
    assert gone == {form.format(name) for form in (CALL, CREDIT) for name in names}
    assert not [line for line in lines if line.startswith(("+", "@@", "--")) and not line.startswith("--- ")]
    assert "13 records read, and nothing written," in ran.err


def test_diff_says_what_clean_does(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    """What is marked is what clean cuts, in one style."""
    cli("clean", new, "-p", mined, "-o", tmp_path / "c.jsonl", "-q")
    parts = cli("clean", new, "-p", mined, "--diff").out.split("--- ")[1:]
    for before, after, part in zip(read(new), read(tmp_path / "c.jsonl"), parts, strict=True):
        cuts = [before["text"][one["start"] : one["end"]] for one in after["removed"]]
        assert "".join(re.findall(r"\[-(.*?)-\]", part, re.DOTALL)) == "".join(cuts)
        assert "@@" not in part


def test_diff_of_a_lone_surrogate(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    """It was a traceback."""
    first = read(new)[0]
    file = tmp_path / "lone.jsonl"
    file.write_text(json.dumps({**first, "text": f"\ud800 {first['text']}"}))
    ran = cli("clean", file, "-p", mined, "--diff")
    assert ran.code == 0
    assert CALL.format("Alpha") in ran.out


def test_diff_of_pages(cli: Cli, mined_html: Path, tmp_path: Path) -> None:
    pages = write(tmp_path / "p.jsonl", [page(one) for one in records(["page.example"], 1, seed=5)])
    ran = cli("clean", pages, "-p", mined_html, "--diff")
    assert "-Home World" in ran.out
    assert "<div" not in ran.out


# ------------------------------------------------------------------------------------------------ one pack with an error


@pytest.fixture
def one_bad(mined: Path, tmp_path: Path) -> Path:
    packs = shutil.copytree(mined, tmp_path / "packs")
    bad = packs / "beta.example.json"
    bad.write_text(bad.read_text().replace('"documents"', '"docs"'))
    return packs


@pytest.mark.usefixtures("libraries")
def test_report_of_the_other_packs(cli: Cli, one_bad: Path, new: Path, tmp_path: Path) -> None:
    ran = cli("report", one_bad, "--archive", new, "-o", tmp_path / "r.html")
    assert ran.code == 1
    assert f"pack skipped: {one_bad}/beta.example.json: the field 'documents' is missing" in ran.err
    assert "2 sources in" in ran.err


def test_explain_with_the_other_packs(cli: Cli, one_bad: Path, new: Path) -> None:
    ran = cli("explain", new, "-p", one_bad, "--limit", "0")
    assert ran.code == 1
    assert ran.err.count("pack skipped: ") == 1
    assert CALL.format("Alpha") in ran.out


def test_a_diff_with_the_other_packs(cli: Cli, one_bad: Path, new: Path) -> None:
    ran = cli("clean", new, "-p", one_bad, "--diff")
    assert ran.code == 1
    assert ran.err.count("pack skipped: ") == 1
    assert "the pack has an error: unchanged" in ran.err
    assert cli("clean", new, "-p", one_bad, "--diff", "--strict").code == 1


def test_questions_of_the_other_packs(cli: Cli, one_bad: Path) -> None:
    ran = cli("ask", one_bad, "--list")
    assert ran.code == 1
    assert ran.err.count("pack skipped: ") == 1
