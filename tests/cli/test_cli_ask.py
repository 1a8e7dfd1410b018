"""``templatemine ask``: questions on standard output, answers from standard input, rules in the packs."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from cli_support import read, records, write

from conftest import Cli
from templatemine.archive.apply_answers import (
    add_answer_rules,
    current_removal,
    describe_removal,
    describe_stake,
    open_questions,
)
from templatemine.archive.apply_overrides import apply_rules
from templatemine.packs.overrides import Overrides, Rule
from templatemine.packs.pack import Pack
from templatemine.packs.pack_record import template_id
from templatemine.text import linear

SOURCE, CAUTION = "alpha.example", ("--caution", "3")


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    rows = records()
    for number, row in enumerate(rows):
        first, *rest = row["text"].split("\n\n")
        # A sentence that may be a story's is asked about.
        said = ["It is said that the warden of the gate knew of it."] if number % 8 == 0 else []
        row["text"] = "\n\n".join([first, f"Related: {rest[1][: 20 + number % 7]}", *rest[:1], *said, *rest[1:]])
    return write(tmp_path / "archive.jsonl", rows)


@pytest.fixture
def packs(cli: Cli, archive: Path, tmp_path: Path) -> Path:
    assert cli("mine", archive, "-o", tmp_path / "asked", *CAUTION).code == 0
    return tmp_path / "asked"


def test_the_source_with_most_at_stake_comes_first(cli: Cli, packs: Path) -> None:
    found = {one.source: open_questions(one) for one in map(Pack.load, sorted(packs.glob("*.json")))}
    stakes = {source: max(one.stake for one in questions) for source, questions in found.items() if questions}
    titles = re.findall(r"^(\S+): \d+ question", cli("ask", packs, "--list", "-n", "1").out, re.MULTILINE)
    assert len(titles) == len(stakes) > 1
    assert [stakes[source] for source in titles] == sorted(stakes.values(), reverse=True)


def test_answers_are_kept(cli: Cli, packs: Path, archive: Path) -> None:
    file = packs / f"{SOURCE}.json"
    before = Pack.load(file)
    assert len(before.questions) >= 2
    ran = cli("ask", packs, "-a", archive, "--only", SOURCE, "--by", "ann", "-n", "2", stdin=b"s\nB\n")
    assert ran.code == 0
    assert ran.out.count("in ") >= 2
    assert "[-" in ran.out
    assert "2 answers kept" in ran.err
    after = Pack.load(file)
    assert {rule.by for rule in after.overrides.rules} == {"ann"}
    assert all(rule.time for rule in after.overrides.rules)
    assert {rule.action for rule in after.overrides.rules} == {"reject", "accept"}
    other = Pack.load(packs / "beta.example.json")
    assert other.overrides.rules == ()

    # They outlive another mining, and are not asked again.
    assert cli("mine", archive, "-o", packs, "--force", *CAUTION).code == 0
    assert Pack.load(file).overrides.rules == after.overrides.rules
    listed = cli("ask", packs, "--only", SOURCE, "--list", "-n", "50")
    assert (listed.err == "") == (len(before.questions) > 2)
    assert listed.out.count("% likely boilerplate") == len(before.questions) - 2
    assert all(
        f"{describe_removal(Pack.load(file), one)} today, " in listed.out for one in open_questions(Pack.load(file))
    )


def test_what_answers_would_cut_is_shown_and_counted(cli: Cli, packs: Path, archive: Path) -> None:
    """Only the label was marked, and the answer cut the sentence behind it, too."""
    rows = [row for row in read(archive) if row["source"] == SOURCE]
    for row in rows:
        row["text"] = row["text"].replace("\n\n", " ", 1) if "Related:" in row["text"] else row["text"]
    file = packs / f"{SOURCE}.json"
    data = json.loads(file.read_text(encoding="utf-8"))
    label = {"tokens": ["Related:"], "df": 40, "count": 40, "anchor": "", "filled": "end", "example": "Related:"}
    data["questions"] = [{**label, "score": 0.5, "stake": 900}]
    data["templates"] = [one for one in data["templates"] if one["tokens"][0] != "Related:"]
    file.write_text(json.dumps(data), encoding="utf-8")
    told = cli("ask", file, "-a", write(archive, rows), stdin=b"b\n").out
    assert told.count("[-Related:-]{- ") == 3
    assert "marked: [-goes with b and l-], {-goes with b alone-}" in told
    for words in ("b (cut, with what follows on its line): ", "l (cut the label only): ", "s (leave in): "):
        assert words in told
    lost = {key: told.split(f"  {key} (")[1].split("): ")[1].split("\n")[0] for key in "bls"}
    assert lost["l"].startswith("40 articles lose ")
    assert lost["b"].startswith("40 articles lose ")
    sizes = {key: int(lost[key].split("lose ")[1].split(" ")[0].replace(",", "")) for key in "bl"}
    assert sizes["b"] > sizes["l"] > 0
    assert lost["s"] == "changes nothing"
    assert "  in 40 articles that were read" in told
    assert "b = cut, with what follows on its line, l = cut the label only, s = leave in, q = stop, ? = help" in told
    assert "careful" not in told

    for row in rows:
        row["text"] = row["text"].replace("Related: ", "Related: It was said so. ", 1).replace("so. ", "so.\n\n", 1)
    pack = Pack.load(file)
    replace(pack, overrides=Overrides()).save(file, force=True)
    told = cli("ask", file, "-a", write(archive, rows), "--list").out
    assert "careful: in 40 of 40 articles what b would cut with the label ends a sentence" in told


def test_a_wrong_key_is_told_and_no_word_is_taken_for_its_first_letter(cli: Cli, packs: Path) -> None:
    """The prompt came again without a word, and "stop" was taken for the answer s."""
    ran = cli("ask", packs, "--only", SOURCE, "-n", "1", stdin=b"x\nstop\n?\nq\n")
    assert "'x' is none of b, s, q, ? and Enter" in ran.out
    assert "'stop' is none of b, s, q, ? and Enter" in ran.out
    assert "'?'" not in ran.out  # which said that it is no key, and not what the keys do
    assert "  s   it belongs to the story: leave it in" in ran.out
    assert Pack.load(packs / f"{SOURCE}.json").overrides.rules == ()


def test_a_question_says_why_it_is_asked(cli: Cli, packs: Path) -> None:
    """What is nearly sure is asked about before what is in doubt, where it is much."""
    pack = Pack.load(packs / f"{SOURCE}.json")
    one = open_questions(pack)[0]
    told = cli("ask", packs, "--only", SOURCE, "-n", "1", "--list").out
    assert f"asked because of what is at stake: about {one.stake:,} characters in {one.df} documents" in told
    assert describe_stake(replace(one, filled="start")).endswith(", with what precedes it on the line")


def test_what_is_at_stake_is_the_same_figure_everywhere(cli: Cli, packs: Path) -> None:
    """ask told the size of a string, and show how much of it an answer was expected to change."""
    file = packs / f"{SOURCE}.json"
    stakes = [one.stake for one in open_questions(Pack.load(file))]
    asked = cli("ask", packs, "--only", SOURCE, "--list", "-n", "50").out
    assert [int(one.replace(",", "")) for one in re.findall(r"at stake: about ([\d,]+) characters", asked)] == stakes
    told = json.loads(cli("ask", packs, "--only", SOURCE, "--json", "-n", "50").out)["questions"]
    assert [one["stake"] for one in told] == stakes


def test_without_an_archive_a_string_is_shown_once(cli: Cli, packs: Path) -> None:
    """Its example is a second line where patterns stand for what varies."""
    questions = open_questions(Pack.load(packs / f"{SOURCE}.json"))
    told = cli("ask", packs, "--only", SOURCE, "--list", "-n", "50").out
    for one in questions:
        assert told.count(f"\n  {one.example}\n") == ("{" not in "".join(one.tokens))
        assert f"[-{one.example}-]" not in told or "{" in "".join(one.tokens)
    assert any("{" not in "".join(one.tokens) for one in questions)


def test_help_says_what_its_marks_mean(cli: Cli) -> None:
    assert "The string is marked, by colour or as [-this-], " in " ".join(cli("ask", "--help").out.split())


def test_questions_for_machines(cli: Cli, packs: Path, archive: Path) -> None:
    ran = cli("ask", packs, "-a", archive, "--only", SOURCE, "-n", "2", "--json")
    told = json.loads(ran.out)["questions"]
    questions = Pack.load(packs / f"{SOURCE}.json").questions[:2]
    assert [tuple(one["tokens"]) for one in told] == [one.tokens for one in questions]
    assert all({"boilerplate", "story"} <= set(one["answers"]) for one in told)
    assert all(0 < len(one["places"]) <= 3 for one in told)
    assert {one["source"] for one in told} == {SOURCE}
    assert Pack.load(packs / f"{SOURCE}.json").overrides.rules == ()


def test_what_is_no_answer_is_asked_again_and_nothing_is_skipped(cli: Cli, packs: Path) -> None:
    before = (packs / f"{SOURCE}.json").read_bytes()
    ran = cli("ask", packs, "--only", SOURCE, "-n", "2", stdin="what\nж\n\nq\n".encode())
    assert ran.code == 0
    assert ran.out.count("q = stop, ? = help, or Enter to pass:") == 4
    assert "0 answers in all" in ran.err
    assert "strings are shown without context; --archive" in ran.err
    assert (packs / f"{SOURCE}.json").read_bytes() == before


def test_standard_input_that_ends_keeps_what_was_answered(cli: Cli, packs: Path) -> None:
    ran = cli("ask", packs, stdin=b"s\n")
    assert ran.code == 0
    assert "1 answer in all" in ran.err
    told = "no terminal: answers are read from standard input, a line each: b, l, s, q or nothing, to pass\n"
    assert told in ran.err
    assert told not in cli("ask", packs, "--list").err
    assert sum(bool(Pack.load(file).overrides.rules) for file in packs.glob("*.json")) == 1


def test_packs_of_pages_are_asked_about_by_name_only(cli: Cli, mined_html: Path) -> None:
    """An answer changes nothing of the main text, which `clean` writes of them."""
    pack = Pack.load(mined_html / "page.example.json")
    assert pack.html
    ran = cli("ask", mined_html, "--list")
    assert ran.err.startswith("nothing is asked about 1 pack of pages")
    assert ran.err.count("\n") == 1
    assert "page.example" not in ran.out
    named = cli("ask", mined_html, "--list", "--only", "page.example")
    assert "pack of pages" not in named.err
    assert ("page.example" in named.out) == bool(pack.questions)


def test_source_is_that_of_all_records_as_of_every_command(cli: Cli, packs: Path, archive: Path) -> None:
    """It meant "this source only" here, and "all records are of this source" everywhere else."""
    nameless = [{name: value for name, value in row.items() if name != "source"} for row in read(archive)]
    other = write(archive.with_name("today.jsonl"), [row for row in nameless if row["id"].startswith(SOURCE)])
    asked = ("ask", packs, "--only", SOURCE, "--list", "-n", "1")
    assert "articles that were read" not in cli(*asked, "-a", other).out
    assert "articles that were read" in cli(*asked, "-a", other, "--source", SOURCE).out
    told = "--source needs --archive: it is the source of all records, whatever they say; "
    assert cli("ask", packs, "--source", SOURCE).error == f"{told}--only asks about one source"
    report = cli("report", packs, "-o", archive.with_name("r.html"), "--source", SOURCE)
    assert report.error == f"{told}--only reports on one source"
    assert cli("diff", packs, packs, "--source", SOURCE).error == f"{told}to compare one source give its two packs"
    assert "makes one source of 2 that records name" in cli(*asked, "-a", archive, "--source", SOURCE).err


def test_a_source_that_no_record_is_of_is_told(cli: Cli, packs: Path, archive: Path) -> None:
    other = "beta.example"
    alone = write(archive.with_name("alone.jsonl"), [row for row in read(archive) if row["source"] == SOURCE])
    ran = cli("ask", packs, "-a", alone, "--only", SOURCE, "--only", other, "--list")
    assert (ran.code, ran.err) == (0, f"templatemine: --only: no record that was read is of {other}\n")
    told = cli("ask", packs, "-a", alone, "--only", other, "--list").error
    assert told == f"--only: no record is of {other}; they are of {SOURCE}; did you mean {SOURCE}?"


def test_articles_that_take_too_long_are_left_out(
    cli: Cli, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One ended it, without a name."""
    monkeypatch.setattr(linear, "SECONDS", 0.002)
    monkeypatch.setattr(linear, "SECONDS_PER_CHARACTER", 0.0)
    own = tmp_path / "own.toml"
    own.write_text('[[pattern]]\nname = "slow"\nregex = "aa.*~|aa"\n')
    packs = tmp_path / "packs"
    assert cli("mine", archive, "-o", packs, "--patterns-file", own).code == 0
    rows = [row for row in read(archive) if row["source"] == SOURCE]
    whole = cli("ask", packs, "-a", write(tmp_path / "whole.jsonl", rows[1:]), "--only", SOURCE, "--list")
    rows[0]["text"] += "a" * 5_000
    slow = write(tmp_path / "slow.jsonl", rows)
    ran = cli("ask", packs, "-a", slow, "--only", SOURCE, "--list")
    assert (ran.code, ran.out) == (1, whole.out)
    told = f"templatemine: skipped: {SOURCE}: {rows[0]['id']}: cannot be searched: pattern 'slow': the expression"
    assert ran.err.startswith(told)
    assert ran.err.count("\n") == 1


def test_nothing_to_ask(cli: Cli, packs: Path) -> None:
    for file in packs.glob("*.json"):
        data = json.loads(file.read_text(encoding="utf-8"))
        data.pop("questions")
        file.write_text(json.dumps(data), encoding="utf-8")
    ran = cli("ask", packs)
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.startswith("nothing to ask: the packs have no questions: ")


def test_errors(cli: Cli, packs: Path, tmp_path: Path) -> None:
    assert cli("ask", packs, "--only", "the-news").error == "--only: there is no pack of 'the-news'"
    assert cli("ask", packs, "--only", "alfa.example").error.endswith("; did you mean alpha.example?")
    assert "missing.jsonl" in cli("ask", packs, "-a", tmp_path / "missing.jsonl").error
    (tmp_path / "other.jsonl").write_text('{"body": "a"}\n' * 7)
    ran = cli("ask", packs, "-a", tmp_path / "other.jsonl")
    assert ran.error.startswith(f"{tmp_path}/other.jsonl: expected documents, found 7 that cannot be read, all for one")
    assert not ran.out


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"tokens": []}, "questions[0]: tokens: expected a list of strings"),
        ({"anchor": "top"}, "questions[0]: anchor, filled: expected sides of a line, got 'top', "),
        ({"filled": "left"}, "questions[0]: anchor, filled: expected sides of a line, got "),
        ({"df": "9"}, "questions[0]: df: expected a number, got str"),
        ({"stake": True}, "questions[0]: stake: expected a number, got bool"),
        (None, "questions: expected a list, got NoneType"),
    ],
)
def test_questions_that_cannot_be_read(cli: Cli, packs: Path, change: dict[str, object] | None, told: str) -> None:
    file = packs / f"{SOURCE}.json"
    data = json.loads(file.read_text(encoding="utf-8"))
    data["questions"] = None if change is None else [{**data["questions"][0], **change}]
    file.write_text(json.dumps(data), encoding="utf-8")
    assert told in cli("ask", file).error
    assert f"pack skipped: {file}: {told}" in cli("ask", packs, "--list").err


def test_an_expression_by_hand_is_rejected_by_its_id(cli: Cli, packs: Path) -> None:
    """Its rule goes, for nothing mines it again; and an id that no pack has changes nothing."""
    file = packs / f"{SOURCE}.json"
    rule = Rule(action="add", regex="Photo by [a-z ]+ desk", example="Photo by the harbour desk")
    apply_rules(Pack.load(file), (), [rule]).save(file, force=True)
    before = Pack.load(file)
    (by_hand,) = before.overrides.added
    mined = next(one.id for one in before.templates if one.id != by_hand)
    wrong = cli("ask", packs, "--reject", mined, "--reject", "t0")
    assert (wrong.code, Pack.load(file)) == (2, before)
    assert "--reject: no template of 3 packs has the id 't0'; show PACK lists ids" in wrong.err
    assert cli("ask", packs, "--only", SOURCE, "--reject", mined, "--reject", by_hand).code == 0
    after = Pack.load(file)
    assert {one.id for one in before.templates} - {one.id for one in after.templates} == {mined, by_hand}
    assert [(one.action, one.id) for one in after.overrides.rules] == [("reject", mined)]


def test_a_string_is_accepted_by_its_id(cli: Cli, packs: Path) -> None:
    """As the answer "cut": what was rejected before, a rejected candidate, and a question; the last decision counts."""
    file = packs / f"{SOURCE}.json"
    before = Pack.load(file)
    mined = before.templates[0].id
    listed = json.loads(cli("show", file, "--rejected", "--json", "--limit", "0").out)["rejected_candidates"]
    asked = {template_id(one.tokens) for one in before.questions}
    candidate = next(one for one in listed if one["id"] not in asked and len(one["tokens"]) > 2)
    question = next(one for one in open_questions(before) if not one.filled and not current_removal(before, one))
    wrong = cli("ask", packs, "--accept", mined, "--accept", "t0")
    assert (wrong.code, Pack.load(file)) == (2, before)
    assert "--accept: no string of 3 packs has the id 't0'; show PACK and show PACK --rejected list ids" in wrong.err
    assert "got 't1' in both" in cli("ask", packs, "--accept", "t1", "--reject", "t1").err

    def decide(*options: str) -> Pack:
        ran = cli("ask", packs, "--only", SOURCE, "--by", "ann", *options)
        assert ran.code == 0, ran.err
        return Pack.load(file)

    assert mined not in {one.id for one in decide("--reject", mined).templates}
    back = decide("--accept", mined)
    assert back.templates == before.templates
    assert [(one.action, one.tokens) for one in back.overrides.rules] == [("accept", before.templates[0].tokens)]
    chosen = candidate["id"], template_id(question.tokens)
    after = decide("--accept", chosen[0], "--accept", chosen[1])
    assert {one.id for one in after.templates} - {one.id for one in before.templates} == {*chosen}
    assert {one.by for one in after.overrides.rules} == {"ann"}
    (answer,) = (rule for rule in after.overrides.rules if rule.tokens == question.tokens)
    assert replace(answer, by="", time="") == add_answer_rules(before, (), question, "boilerplate")[0]
    again = decide("--reject", chosen[0], "--reject", chosen[1])
    assert again.templates == before.templates


def test_a_rejected_candidate_of_several_packs_is_accepted_in_one_that_is_named(cli: Cli, packs: Path) -> None:
    """It was cut in every pack that had it, also where another pack knew the string."""
    candidate = template_id(("For", "now", "all"))
    question = next(template_id(one.tokens) for one in Pack.load(packs / f"{SOURCE}.json").questions if not one.filled)

    def decided() -> list[str]:
        return [file.stem for file in sorted(packs.glob("*.json")) if Pack.load(file).overrides.rules]

    refused = cli("ask", packs, "--accept", candidate, "--accept", question)
    assert refused.error == f"--accept: {candidate!r} is in 3 packs, such as that of {SOURCE!r}: name one with --only"
    assert (refused.code, decided()) == (2, [])
    assert cli("ask", packs, "--only", SOURCE, "--accept", candidate).code == 0
    for action, told in (
        ("--accept", "is cut already: about "),
        ("--reject", "is cut no more"),
        ("--accept", "is cut: "),
    ):
        ran = cli("ask", packs, action, candidate)
        assert (ran.code, ran.err.count("\n"), decided()) == (0, 1, [SOURCE])
        assert told in ran.err
    assert cli("ask", packs, "--accept", question).err.count(" is cut: ") == 3


def test_the_last_decision_stands_whatever_another_mining_gives(cli: Cli, packs: Path, archive: Path) -> None:
    """What reverted an earlier decision left no rule, and the next mining overturned it."""
    file = packs / f"{SOURCE}.json"
    chosen = next(one for one in Pack.load(file).templates if "Sign" in (one.tokens or ()))
    rows = [{**row, "text": row["text"].replace("Sign up", "")} for row in read(archive) if row["source"] == SOURCE]
    without = write(archive.with_name("without.jsonl"), rows)

    def decide(option: str, told: str) -> bool:
        for again in (False, True):
            kept = file.read_bytes()
            ran = cli("ask", file, option, chosen.id)
            assert ran.code == 0
            assert told.format(" already" if again else "") in ran.err
            assert not again or file.read_bytes() == kept
        return chosen.id in {one.id for one in Pack.load(file).templates}

    def mine(rows: Path) -> bool:
        assert cli("mine", rows, "-o", packs, "--force", *CAUTION).code == 0
        return chosen.id in {one.id for one in Pack.load(file).templates}

    assert cli("ask", file, "--accept", chosen.id).err.endswith(
        f" is cut already: about {chosen.count * len(chosen.example):,} characters in {chosen.df} documents\n"
    )
    assert mine(without)
    assert cli("ask", file, "--reject", chosen.id).err.endswith(" is cut no more\n")
    assert not mine(archive)
    assert not mine(without)
    # Nothing but the rule knows the string now.
    assert decide("--accept", " is cut{}: about ")
    assert [one for one in Pack.load(file).templates if one.id == chosen.id] == [replace(chosen, score=None)]
    assert cli("ask", file, "--reject", chosen.id).code == 0
    assert not decide("--reject", " is not cut already\n")
    assert not mine(archive)


@pytest.mark.parametrize("is_reversed", [False, True])
def test_a_label_is_accepted_alone_and_with_the_rest_of_its_line(cli: Cli, packs: Path, is_reversed: bool) -> None:
    """The rule of one rejected the other, or not, by the order of the ids."""
    file = packs / f"{SOURCE}.json"
    pack = Pack.load(file)
    (label,) = (one for one in pack.questions if one.filled)
    wordings = (f"Related{letter}:" for letter in "abcdefghijklmnopqrstuvwxyz")
    labels = [replace(label, tokens=(one,), example=one) for one in wordings]
    label = next(
        one for one in labels if (template_id(one.tokens) > template_id((*one.tokens, "{slot}"))) == is_reversed
    )
    names = template_id(label.tokens), template_id((*label.tokens, "{slot}"))
    size = f"about {label.count * len(label.example):,} characters in {label.df} documents"
    told = [
        f"{SOURCE}: {names[0]} {label.example} is cut: {size}",
        f"{SOURCE}: {names[1]} {label.example} {{slot}} is cut: {size}, and what follows on the line",
    ]

    def decide(*options: str) -> tuple[list[str], set[str]]:
        ran = cli("ask", file, *options)
        assert ran.code == 0
        return ran.err.splitlines(), {one.id for one in Pack.load(file).templates} & {*names}

    def start() -> None:
        replace(pack, questions=(label,), overrides=Overrides()).save(file, force=True)

    start()
    lines, cut = decide("--accept", names[0], "--accept", names[1])
    assert (sorted(lines), cut) == (sorted(told), {*names})
    start()
    alone = told[0].replace("about", "the label only, about")
    assert decide("--accept", names[0]) == ([alone], {names[0]})
    assert decide("--accept", names[1]) == ([told[1]], {*names})
    start()
    assert decide("--accept", names[1]) == ([told[1]], {names[1]})
    gone = f"{SOURCE}: {names[1]} {label.example} {{slot}} is cut no more"
    assert decide("--accept", names[0]) == ([alone, gone], {names[0]})


def test_a_question_without_an_example_has_no_empty_one(cli: Cli, packs: Path) -> None:
    file = packs / f"{SOURCE}.json"
    pack = Pack.load(file)
    replace(pack, questions=tuple(replace(one, example="") for one in pack.questions)).save(file, force=True)
    assert "[--]" not in cli("ask", packs, "--only", SOURCE, "--list").out


def test_line_ends_and_control_characters_are_quoted_alike(cli: Cli, archive: Path, tmp_path: Path) -> None:
    """A line end of Windows was two marks, and what rings the bell had one name here and another one there."""
    rows = read(archive)
    for row in rows:
        row["text"] = row["text"].replace("\n\n", "\r\n\u2028").replace("the warden of", "the \x07warden of")
        row["text"] += "\r\n\x0cAll rights \x07reserved, now and at all times."
    odd, packs, page = write(tmp_path / "odd.jsonl", rows), tmp_path / "odd", tmp_path / "r.html"
    assert cli("mine", odd, "-o", packs, *CAUTION).code == 0
    asked = cli("ask", packs, "-a", odd, "--list", "--only", SOURCE, "-n", "50").out
    assert "the U+0007warden of" in asked
    assert ". ⏎  ⏎ " in asked
    explained = cli("explain", odd, "-p", packs, "--only", SOURCE).out
    assert "[-All rights U+0007reserved, now and at all times.-]" in explained
    assert cli("report", packs, "-a", odd, "-o", page).code == 0
    written = page.read_text(encoding="utf-8")
    assert 'All rights <b class="ctl">U+0007</b>reserved' in written
    for said in (asked, explained, written, cli("show", packs / f"{SOURCE}.json", "--why").out):
        assert "U+0007" in said
        assert not re.search(r"\\u00|U\+00(?!07)|U\+20|[\r\x07\x0b\x0c\u2028]", said)
