"""The program as a whole: help, wrong options, and every way in which a run can end."""

from __future__ import annotations

import argparse
import io
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, suppress
from pathlib import Path
from typing import Any

import pytest
from cli_support import records, write
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from conftest import Cli
from templatemine.bounds import WORDS
from templatemine.cli import app, messages, text_tables
from templatemine.cli.exit_codes import EXITS
from templatemine.cli.parser import SAME_IDEA, Parser
from templatemine.controls import name_on_line
from templatemine.errors import CapacityError, CorpusError, MissingExtraError, list_names, list_notes


def test_what_a_command_does_not_know_is_told_of_with_its_help(cli: Cli) -> None:
    for args in (("mine", "x", "-o", "y"), ("evaluate", "mirror", "x")):
        ran = cli(*args, "--wrong", "1")
        command = " ".join(("templatemine", *(one for one in args[:2] if one.isalpha() and one != "x")))
        assert ran.error.endswith(f"unrecognized arguments: --wrong 1 (see {command} --help)")


def test_an_option_of_other_commands_is_told_of_with_them(cli: Cli) -> None:
    told = cli("mine", "x", "-o", "y", "--keep", "caption").error
    assert "unrecognized arguments: --keep caption; it is an option of clean, extract, explain (see " in told
    assert "did you mean --output?" in cli("mine", "x", "--outputt", "y").error
    told = cli("evaluate", "injection", "x", "-p", "y").error
    assert "unrecognized arguments: -p y; it is an option of evaluate gold, evaluate residue (see " in told
    assert "; it is an option of mine, " in cli("extract", "x", "--only", "y").error  # and not --cut-only


def _parsers() -> Iterator[Parser]:
    for name in app.COMMANDS:
        parser = app.command_parser(name)
        yield parser
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                yield from action.choices.values()


def _needs() -> Iterator[tuple[str, str]]:
    for parser in _parsers():
        yield from ((parser.prog.removeprefix("templatemine "), option) for option in parser.needs)


_WORDS = {
    "diff": ["p", "p"],
    "report": ["p", "-o", "r"],
    "ask": ["p"],
    "clean": ["a", "-p", "p"],
    "mine": ["a", "-o", "p"],
}


@pytest.mark.parametrize(("command", "option"), [*_needs()])
def test_an_option_that_would_do_nothing_is_refused(cli: Cli, command: str, option: str) -> None:
    """`--max-stubs` without `--check` was passed over in silence, and so were forty others."""
    parser = next(one for one in _parsers() if one.prog == f"templatemine {command}")
    need, action = parser.needs[option], parser._option_string_actions[option]
    given = [option]
    if action.nargs != 0:
        numbered = {"--shared-sources": "3"}
        given += [str(next(iter(action.choices or ()), None) or numbered.get(option) or (action.type and "1") or "x")]
    other = parser._option_string_actions[need.option]
    wrong = [next(one for one in other.choices or ("energy",) if one not in need.words)] if need.words else []
    asked = [need.option, *wrong] if wrong else []
    told = cli(*command.split(), *_WORDS.get(command, ["a"]), *given, *asked).error
    assert told.startswith(f"{option}: expected {need.option} " if wrong else f"{option} needs {need.option}")


def test_what_help_says_of_another_option_is_held(cli: Cli) -> None:
    """Whose help begins with the option that it needs is in the table of the command."""
    for parser in _parsers():
        for action in parser._actions:
            if found := re.match(r"with (--[a-z-]+): ", action.help or ""):
                assert parser.needs[action.option_strings[0]].option == found[1]
        for option, need in parser.needs.items():
            assert {option, need.option} <= parser._option_string_actions.keys() or parser.prog.count(" ") == 2


def test_an_option_that_needs_another_in_a_file_of_defaults_waits_for_it(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mined: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    new = write(tmp_path / "a.jsonl", records())
    (tmp_path / "templatemine.toml").write_text("[clean]\nmax-stubs = 0.2\n")
    assert cli("clean", new, "-p", mined, "--dry-run").code == 0
    for value, code in (("true", 0), ("false", 2), ("0", 1)):  # as alone, as not there, and its value
        (tmp_path / "templatemine.toml").write_text(f"[clean]\ncheck = {value}\n")
        assert cli("clean", new, "-p", mined, "--dry-run", "--max-stubs", "0.2").code == code
    ran = cli("clean", new, "-p", mined, "--dry-run", "--max-stubs", "0.2")
    assert (ran.code, "more than 0% (--check)" in ran.err) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "here"),
    [
        ("report p -o r --limit 3", "--samples N or --rows N"),
        ("desk p -a x -n 3", "--sample N"),
        ("explain x -p p --kind caption", "--keep KINDS or --cut-only KINDS"),
        ("show p --keep caption", "--kind KINDS"),
        ("show p --only y", "PACK without an option: a pack, or a folder of packs; or the name of a source"),
        ("diff p --packs q", "OLD NEW without an option: a pack, or a folder of packs"),
        ("diff -p p -p q", "OLD NEW without an option: a pack, or a folder of packs"),
        ("diff -p p", "OLD NEW without an option: a pack, or a folder of packs"),
    ],
)
def test_what_others_have_for_an_option_of_one_command_is_told(cli: Cli, arguments: str, here: str) -> None:
    assert f"; here it is {here}" in cli(*arguments.split()).error


def test_what_is_told_of_other_commands_is_there() -> None:
    names = " ".join((*SAME_IDEA, *SAME_IDEA.values())).split()
    parsers = [app.command_parser(name) for name in app.COMMANDS]
    known = {name for one in parsers for action in one._actions for name in (*action.option_strings, action.metavar)}
    assert known.issuperset(names)


def test_help_of_a_command(cli: Cli) -> None:
    assert cli().out == cli("help").out == cli("--help").out
    assert (cli().code, cli().err) == (0, "")
    assert cli("help", "clean").out == cli("clean", "--help").out
    assert cli("help", "evaluate", "mirror").out == cli("evaluate", "--help").out


def test_version_and_help(cli: Cli) -> None:
    assert cli("--version").out.startswith("templatemine ")
    assert " --strict: " in cli("--help-all").out
    assert " --strict: " in cli("evaluate", "mirror", "--help-all").out
    for command in app.COMMANDS:
        ran = cli(command, "--help-all")
        assert (ran.code, ran.err) == (0, "")
        assert "exit codes:" in ran.out
        assert (" --strict: " in ran.out) == ("\n  --strict" in ran.out or command == "evaluate"), command
        # These two end by Ctrl-C as a rule, and keep what they have.
        assert ("interrupted; nothing was written" in ran.out) == (command not in ("crawl", "desk"))
        assert max(len(line) for line in ran.out.splitlines()) <= 80


def test_each_exit_code_is_listed_once_with_all_that_gives_it(cli: Cli) -> None:
    """`clean --check` and `drift` end with 1, too, and help did not say so; 1 was there twice."""
    for command in ("", *app.COMMANDS):
        listed = cli(*command.split(), "--help-all").out.partition("exit codes:\n")[2]
        codes = [int(one) for one in re.findall(r"^  (\d+) ", listed, re.MULTILINE)]
        assert codes == sorted(set(codes)), command
        assert (" --check: " in listed) == (command in ("", "clean")), command
        assert ("there are warnings" in listed) == (command in ("", "drift")), command
    assert "drift: there are warnings" in cli("--help-all").out


def test_exit_codes_are_of_commands_that_can_give_them() -> None:
    assert {name for row in EXITS for name in row.commands.split()} <= set(app.COMMANDS)
    # The desk ends by Ctrl-C; a crawl, the trials and what has no packs by an option are told apart by hand.
    for what, option, others in (("documents", "--html-field", {"evaluate"}), ("a pack", "--packs", {"mine", "diff"})):
        row = next(one for one in EXITS if one.code == 1 and what in one.told)
        having = {one for one in app.COMMANDS if option in app.command_parser(one)._option_string_actions}
        assert set(row.commands.split()) == (having | others) - {"desk", "show"}


TRIALS = ("injection", "gold", "retrieval", "mirror", "feed", "residue")


@pytest.mark.parametrize("command", ["", *app.COMMANDS, *(f"evaluate {name}" for name in TRIALS)])
def test_help_fits_a_screen(cli: Cli, command: str) -> None:
    """Of 24 lines; what it lists and what it leaves out is in the other one."""
    ran, whole = cli(*command.split(), "--help"), cli(*command.split(), "--help-all").out
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert len(lines) <= 24
    assert max(cell_len(line) for line in lines) <= 80
    assert lines[-1].endswith(f"templatemine {command}".strip() + " --help-all")
    shown = set(re.findall(r"^  (--[a-z-]+)", ran.out, re.MULTILINE))
    assert shown <= set(re.findall(r"^  (--[a-z-]+)", whole, re.MULTILINE))
    assert "exit codes:" in whole


def all_parsers() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Every command, and every trial of evaluate."""
    for command in app.COMMANDS:
        parser = app.command_parser(command)
        yield command, parser
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                yield from ((f"{command} {name}", trial) for name, trial in action.choices.items())


BOTH = ("clean", "explain", "extract", "evaluate gold", "evaluate residue", "report", "ask", "desk", "update")
KEPT = ("pack", "packs", "inputs", "archive")


def parse(command: str, *words: str) -> dict[str, list[str]]:
    """Return the packs and the inputs of a command line."""
    needed = ["-o", "x.html"] if command in ("report", "mine", "sort") else []
    args = vars(app._parser(command.split()[0]).parse_args([*command.split(), *words, *needed]))
    return {name: [one] if isinstance(one, str) else one for name in KEPT if (one := args.get(name))}


@pytest.mark.parametrize("command", [*BOTH, "show", "drift"])
def test_packs_and_inputs_are_given_alike_everywhere(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`evaluate residue PACKS -a X` was refused, for only report took that, and `report X -p PACKS`."""
    ways = ["P -a A B", "A B -p P", "-p P A B", "-p P -a A B", "-p P -a A -a B"]
    if command not in BOTH:
        ways = ["P", "-p P", "--packs=P"]
    elif command == "update":
        ways += ["P A B"]
    found, *others = (parse(command, *way.split()) for way in ways)
    assert found.pop("pack" if command == "show" else "packs") == ["P"]
    assert [*found.values()] == ([["A", "B"]] if command in BOTH else [])
    assert all(one.items() >= found.items() for one in others)
    for wrong in ("X -p P -a A", "-p P X -a A", "-a A -p P X") if command in BOTH else ("X -p P", "-p P X"):
        with pytest.raises(SystemExit):
            parse(command, *wrong.split())
        said = capsys.readouterr().err
        assert re.search(r"error: (PACKS?|INPUT) and --\w+: expected one of them, got both: X and --\w+ [AP][ ;]", said)
        assert said.count("\n") == 1


@pytest.mark.parametrize("command", [*BOTH, "show", "drift"])
def test_an_archive_beside_packs_that_are_named_has_a_command(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was offered as one more path of packs, or with no remedy."""
    archive, packs = str(write(tmp_path / "x.jsonl", records()[:2])), str(tmp_path / "my packs")
    with pytest.raises(SystemExit):
        parse(command, archive, "-p", packs, *(["-a", "A"] if command in BOTH else []))
    said = capsys.readouterr().err
    if command in BOTH:
        assert f"; for all of them write --archive {archive} --archive A (see " in said
    else:
        written = said.rpartition(": templatemine ")[2].rpartition(" (see ")[0]
        found = parse(*shlex.split(written.partition(" --hits ")[0]))
        assert (found["inputs"], found["packs"][0]) == ([archive], packs)


def test_commands_of_packs_alone_say_what_takes_articles(cli: Cli) -> None:
    assert "; drift takes packs alone, and the counts that " in cli("drift", "p", "-a", "x").error
    assert (
        cli("show", "p", "--archive", "x").error.partition("; show takes ")[2].startswith("a pack alone, and explain")
    )


def test_what_people_type_for_a_command_is_told(cli: Cli) -> None:
    """`review` was no command, though a page has that name."""
    assert set(app.SYNONYMS.values()) <= set(app.COMMANDS)
    assert not set(app.SYNONYMS) & set(app.COMMANDS)
    for name, command in {"clena": "clean", "Review": "desk", **app.SYNONYMS}.items():
        assert f"{name!r} is not a command; did you mean {command}? (see " in cli(name).error


def test_four_names_are_all_named(cli: Cli) -> None:
    """The fourth was "1 more", which takes as much room."""
    assert "; it is an option of show, diff, ask, explain (see " in cli("clean", "x", "-p", "y", "--limit", "2").error
    assert list_names("abcde") == "a, b, c and 2 more"
    assert (list_names("abcd"), list_names("a"), list_names("")) == ("a, b, c, d", "a", "none")
    assert list_notes(dict.fromkeys("abcd", "x")) == "a (x); b (x); c (x); d (x)"
    assert list_notes(dict.fromkeys("abcde", "x")) == "a (x); b (x); c (x); and 2 more"


ONE_PACK = ("desk", "update", "show", "drift")


@pytest.mark.parametrize("command", ONE_PACK)
def test_one_pack_is_not_two(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(command, "-p", "P", "-p", "Q", *(["-a", "A"] if command in BOTH else []))
    assert re.search(r"error: PACKS?: expected one, got P and Q ", capsys.readouterr().err)


@pytest.mark.parametrize("command", [one for one in BOTH if one != "extract"])
def test_what_is_missing_beside_what_is_named_is_told(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    told = set()
    for words in (["-p", "P"], ["-a", "A"]):
        with suppress(SystemExit):
            parse(command, *words)
        told.add(capsys.readouterr().err.partition(": expected")[0].rpartition("error: ")[2])
    assert told - {"PACKS", "INPUT", "--packs/-p", "--archive/-a", ""} == set()
    assert len(told) == 2


def test_every_command_names_its_packs_and_its_inputs() -> None:
    """`mine -a`, `update -a` and `evaluate mirror -a` were unrecognised."""
    for command, parser in all_parsers():
        options, kept = parser._option_string_actions, {action.dest for action in parser._actions}
        takes_inputs = any(action.metavar == "INPUT" for action in parser._actions)
        assert ("-p" in options, "--packs" in options) == (bool(kept & {"pack", "packs"}),) * 2, command
        assert ("-a" in options, "--archive" in options) == (takes_inputs,) * 2, command
        if takes_inputs and "inputs" in kept and "packs" not in kept:
            assert parse(command, "A", "B") == parse(command, "-a", "A", "B") == {"inputs": ["A", "B"]}


def test_options_of_one_name_are_written_alike() -> None:
    """A flag here and a value there, or a short name that only some have, is guessed wrong."""
    forms: dict[str, dict[tuple[object, ...], list[str]]] = {}
    for command, parser in all_parsers():
        for action in parser._actions:
            for name in (one for one in action.option_strings if one.startswith("--")):
                short = tuple(one for one in action.option_strings if not one.startswith("--"))
                forms.setdefault(name, {}).setdefault((*short, action.nargs == 0), []).append(command)
    unlike = {name: [commands[0] for commands in found.values()] for name, found in forms.items() if len(found) > 1}
    assert unlike == {
        "--force": ["mine", "crawl"],  # which deletes what took days
        "--json": ["mine", "evaluate injection"],  # the file may be left out
        "--rejected": ["show", "report"],
    }


def test_common_options_are_those_of_the_command() -> None:
    for command in app.COMMANDS:
        parser = app.command_parser(command)
        assert set(parser.common) <= set(parser._option_string_actions), command
        assert parser.common or command in ("evaluate", "complete")


@pytest.mark.parametrize(
    "arguments", [["--version"], ["--help"], ["mine", "--help"], ["clean", "--help"], ["show", "--help"]]
)
def test_help_answers_at_once(arguments: list[str]) -> None:
    heavy = {"numpy", "rich", "regex", "orjson", "multiprocessing"}
    run = f"from templatemine.__main__ import main; main({arguments})"
    code = f"import sys; {run}; sys.exit(repr({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == "set()\n"


def test_help_lists_what_there_is(cli: Cli) -> None:
    """The list is written down so that no command is imported for it: it must be that of the folder."""
    listed = cli("--help").out
    for command, what in app.COMMANDS.items():
        assert re.search(rf"^ +{command} +{re.escape(what)}$", listed, re.MULTILINE)
    folder = Path(app.__file__).parent
    assert set(app.COMMANDS) == {path.stem.removeprefix("cmd_") for path in folder.glob("cmd_*.py")}


@pytest.mark.parametrize("command", ["", *app.COMMANDS])
def test_only_the_command_that_is_given_is_imported(command: str) -> None:
    run = f"from templatemine.__main__ import main; main({[*command.split(), '--help']})"
    all_of_them = [f"templatemine.cli.cmd_{name}" for name in app.COMMANDS]
    code = f"import sys; {run}; sys.exit(repr([name for name in {all_of_them} if name in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == f"{[f'templatemine.cli.cmd_{command}'] if command else []}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["mine", "--quie"], "(see templatemine mine --help)"),
        (["evaluate", "mirrors"], "feed or residue, got 'mirrors'; did you mean mirror? (see"),
        (
            ["evaluate", "mirror"],
            "INPUT: expected, but not given; write templatemine evaluate mirror [OPTIONS] INPUT [INPUT ...], INPUT - for "
            "standard input (see",
        ),
    ],
)
def test_commands_say_what_is_wrong_in_one_line(cli: Cli, arguments: list[str], message: str) -> None:
    ran = cli(*arguments)
    assert message in ran.error
    assert ran.err.count("\n") == 1


def test_smoke(program: Cli) -> None:
    assert program("--version").out.startswith("templatemine ")
    assert program("shw").code == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["mime"], "'mime' is not a command; did you mean mine? (see templatemine --help)"),
        (["help", "claen"], "'claen' is not a command; did you mean clean?"),
        (["frobnicate"], "'frobnicate' is not a command (see templatemine --help)"),
        (
            ["mine", "a.jsonl"],
            "--output/-o: expected, but not given; write templatemine mine [OPTIONS] --output FOLDER INPUT [INPUT ...] (see "
            "templatemine mine --help)",
        ),
        (
            ["mine", "a.jsonl", "-o", "p", "--method", "magic"],
            "--method: expected learned, energy or thesis, got 'magic' (see",
        ),
        (
            ["mine", "a.jsonl", "-o", "p", "--min-docs", "0"],
            "--min-docs: expected a whole number of at least 1, got '0'",
        ),
        (
            ["mine", "a.jsonl", "-o", "p", "--min-share", "2"],
            "--min-share: expected a number from 0 to 1, got '2'",
        ),
        (
            ["mine", "a.jsonl", "-o", "p", "--jobs", "many"],
            "--jobs/-j: expected a whole number of at least 0, got 'many'",
        ),
        (["mine", "a.jsonl", "-o", "p", "--separators=a"], "--separators: expected ASCII punctuation, got 'a'"),
        (
            ["clean", "a.jsonl", "-p", "p", "-o", "c", "--gap", "-1"],
            "--gap: expected a whole number of at least 0, got '-1'",
        ),
        (
            ["clean", "-p", "p", "-o", "c"],
            "INPUT: expected, but not given; write templatemine clean [OPTIONS] --packs ",
        ),
        (["mine", "a.jsonl", "--ouput", "p"], "unrecognized arguments: --ouput; did you mean --output?"),
        (["clean", "a.jsonl", "--pack=p"], "unrecognized arguments: --pack; did you mean --packs?"),
        (
            ["explain", "a.jsonl", "-p", "p", "q"],
            "unrecognized arguments: q; --packs takes one path each time: -p A -p B",
        ),
        *(
            (["explain", "a.jsonl", *given, "q"], "unrecognized arguments: q; --packs takes one path each time: -p A")
            for given in (["--packs=p"], ["-pp"])
        ),
        (
            ["explain", "a.jsonl", "-p", "p", __file__],
            f"unrecognized arguments: {__file__}; write all of INPUT together, without options between (see",
        ),
        (["ask", "p", "--reject", "A", "B"], "unrecognized arguments: B; write --reject before each (see"),
        (
            ["clean", "a.jsonl", "-p", "p", "--stubs", "dorp"],
            "--stubs: expected mark, keep, drop or clean, got 'dorp'; did",
        ),
        (["complete", "bsh"], "SHELL: expected bash or zsh, got 'bsh'; did you mean bash?"),
        (["mine", "a.jsonl", "-o", "p", "--source-of", "domian"], "one group, got 'domian'; did you mean domain?"),
        (["mine", "a.jsonl", "-o", "p", "--source-of", "feild:x"], "got 'feild:x'; did you mean field:x?"),
        (
            ["clean", "--check", "a.jsonl", "-p", "p"],
            "--check: expected a number from 0 to 1, got 'a.jsonl'; --check alone goes last, or before an option, and is "
            "--check=0.5 (see",
        ),
        (["clean", "a.jsonl", "-p", "p", "--check", "5%"], "--check: expected a number from 0 to 1, got '5%' (see"),
        (["show", "p", "q"], "unrecognized arguments: q; PACK is one alone (see templatemine show --help)"),
        (["mine", "b.jsonl", "-o", "p"], "b.jsonl: cannot be read: No such file or directory"),
        (["mine", "a.jsn", "-o", "p"], "a.jsn: cannot be read: No such file or directory; did you mean a.jsonl?"),
        (["mine", "a.jsonl", "-o", "p", "--source-of", "field=x"], "got 'field=x'; did you mean field:x?"),
        (["mine", "a.jsonl", "-o", "p", "--source-of", "path:x"], "with one group, got 'path:x'"),
        (["mine", "a.jsonl", "-o", "p", "--input-format", "jsnl"], "got 'jsnl'; did you mean jsonl?"),
        (["mine", "--quiet", "a.jsonl"], "--output/-o: expected, but not given; write "),
        (["show"], "PACK: expected, but not given; write templatemine show [OPTIONS] PACK (see "),
        (["mine", "a.jsonl", "-o", "a.jsonl"], "a.jsonl: expected a folder, found a file"),
        (["mine", "a.jsonl", "-o", "p", "--date-field", ""], "fields: expected a name for each, got an empty one"),
        (["mine", "a.jsonl", "-o", "p", "--csv-delimiter", ";;"], "--csv-delimiter: expected one character, got ';;'"),
        (["mine", "a.jsonl", "-o", "p", "--csv-encoding", "x"], "--csv-encoding: expected an encoding of Python"),
        (["show", ".", "--why"], "--why: expected a pack, got a folder of packs"),
        (["show", "a.jsonl"], "a.jsonl: expected a pack, found more than one JSON value, as in JSON lines"),
        (["mine", "a.jsonl", "-o", "p", "--quie"], "unrecognized arguments: --quie; did you mean --quiet?"),
    ],
)
def test_wrong_options(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.jsonl").write_text('{"text": "a"}\n' * 20 + '{"text": "b"}\n')
    ran = cli(*arguments)
    assert message in ran.error
    assert ran.err.count("\n") == 1
    assert ran.out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


def test_methods_are_those_of_the_pipeline() -> None:
    from templatemine.mining.methods import METHODS

    assert tuple(METHODS) == WORDS["PipelineConfig.method"]


class Boom:
    """Raises what it is told to."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __call__(self, *args: Any) -> int:
        raise self.error


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (CorpusError("expected a, found b", "f:3"), 2, "error: f:3: expected a, found b"),
        (CapacityError("too\nlong \x1b[31m"), 2, "error: too long U+001B[31m"),
        (MissingExtraError("pip install templatemine[x]"), 2, "error: pip install templatemine[x]"),
        (FileNotFoundError(2, "No such file or directory", "gone"), 2, "error: gone: No such file or directory"),
        (OSError("odd"), 2, "error: odd"),
        (MemoryError(), 2, "error: out of memory; fewer --jobs or smaller inputs need less"),
        (messages.StrictStop("f:3: bad"), 1, "error: f:3: bad"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_ends(
    cli: Cli,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    code: int,
    message: str,
) -> None:
    monkeypatch.setattr("templatemine.cli.cmd_show.run", Boom(error))
    ran = cli("show", "x")
    assert (ran.code, ran.err) == (code, f"templatemine: {message}\n")


def test_a_bug_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("templatemine.cli.cmd_show.run", Boom(RuntimeError("a bug")))
    with pytest.raises(RuntimeError):
        app.run(["show", "x"])


def test_without_standard_error(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    assert cli("show", "/nowhere").code == 2


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a\x1b[2Jb", "aU+001B[2Jb"),
        ("\ud800", "U+D800"),
        ("a\u202eb", "aU+202Eb"),
        ("نیم\u200cفاصله", "نیم\u200cفاصله"),
        ("a\nb", "a ⏎ b"),
    ],
)
def test_visible(text: str, shown: str) -> None:
    assert name_on_line(text) == shown


def test_table_fits() -> None:
    rows = [("7", "x" * 100), ("1,000", "新闻联播" * 20), ("12", "short")]
    lines = text_tables.format_table((">df", "string"), rows, 40)
    assert lines[0] == "   df  string"
    assert lines[1] == "    7  " + "x" * 31 + "…"
    assert lines[2] == "1,000  " + "新闻联播" * 3 + "新闻联…"
    assert lines[3] == "   12  short"
    assert text_tables.format_table((">df", "string"), rows, None)[1].endswith("x" * 100)


def test_notes_are_wrapped() -> None:
    rows = [("a" * 100, "one two three four five six seven")]
    lines = text_tables.format_table(("source", "note"), rows, 50, wrap=True)
    assert lines[1:] == ["a" * 27 + "…  one two three four", " " * 30 + "five six seven"]
    assert (
        text_tables.format_table(("source", "note"), rows, 120, wrap=True)[1]
        == "a" * 39 + "…  one two three four five six seven"
    )


NEWS_ROWS = [
    ("harbourcourier.example", "360", "82", "5", "1,526", ""),
    ("quarrymensweekly.example", "12,360", "85", "2", "1,700", ""),
]
NEWS_HEADER = ("source", ">documents", ">templates", ">min df", ">rejected", "note")


def test_a_capped_table_has_room_for_the_largest_sources() -> None:
    rows = [(f"s{number}", "") for number in range(100)]
    stakes = [0] * 20 + [*range(1, 81)]
    *shown, last = text_tables.capped_table(("source", "note"), rows, stakes)
    assert shown[1:31] == [f"s{number}" for number in range(99, 69, -1)]
    assert shown[31:] == [f"s{number}" for number in range(10)]
    assert last.startswith("and 60 more sources, 50 with a note (--json lists all); above, those with")
    assert len(text_tables.capped_table(("source", "note"), rows[:45], stakes[:45])) == 46
    *shown, last = text_tables.capped_table(("source", "note"), rows)
    assert (shown[1:], last) == ([f"s{number}" for number in range(40)], "and 60 more sources (--json lists all)")


def test_the_widest_cells_are_cut_before_a_table_is_wider_than_its_terminal() -> None:
    lines = text_tables.format_table(NEWS_HEADER, NEWS_ROWS, 60, wrap=True)
    assert lines == [
        "source             documents  templates  min df  rejected",
        "harbourcourier.e…        360         82       5     1,526",
        "quarrymensweekly…     12,360         85       2     1,700",
    ]
    assert text_tables.format_table(NEWS_HEADER, NEWS_ROWS, None, wrap=True)[0].endswith("rejected  note")


def test_what_cannot_fit_stands_on_several_lines() -> None:
    rows = [(*row[:-1], "no templates: of 360 documents none has a string twice") for row in NEWS_ROWS]
    assert text_tables.format_table(NEWS_HEADER, rows, 60, wrap=True)[:4] == [
        "harbourcourier.example",
        "  documents: 360; templates: 82; min df: 5; rejected: 1,526",
        "  no templates: of 360 documents none has a string twice",
        "quarrymensweekly.example",
    ]
    header = ("by", ">number of\nall", "=kind", ">false\nper 10k")
    rows = [("x" * 50, "7", "y" * 30, "1.5"), ("新" * 40, "8", "", "")]
    assert text_tables.format_table(header, rows, 60) == [
        "x" * 50,
        f"  number of all: 7; kind: {'y' * 30};",
        "  false per 10k: 1.5",
        "新" * 29 + "…",
        "  number of all: 8",
    ]
    assert text_tables.format_table(header, rows[:1], None)[:2] == [
        " " * 42 + "number of" + " " * 34 + "false",
        "by" + " " * 46 + "all  kind" + " " * 28 + "per 10k",
    ]


@given(st.from_regex(r"[0-9]{1,9}[._-]?[0-9]{0,9}\.(jsonl|csv)(\.gz)?", fullmatch=True), st.floats(1.001, 1e9))
def test_a_file_behind_check_is_told_from_a_wrong_number(name: str, number: float) -> None:
    parser = app.command_parser("clean")
    for given_word, hints in ((name, 1), (str(number), 0), (f"{number}%", 0)):
        errors = io.StringIO()
        with redirect_stderr(errors), pytest.raises(SystemExit):
            parser.parse_args(["--check", given_word, "-p", "packs"])
        assert f"got '{given_word}'" in errors.getvalue()
        assert errors.getvalue().count("--check alone goes last") == hints


@given(
    st.lists(st.tuples(*[st.text("a新 -1,", max_size=50)] * 4), max_size=4),
    st.integers(30, 130),
    st.booleans(),
)
def test_no_table_is_wider_than_its_terminal(rows: list[tuple[str, ...]], width: int, wrap: bool) -> None:
    lines = text_tables.format_table(("source", ">df", "=dates", "note"), rows, width, wrap=wrap)
    assert all(cell_len(line) < width for line in lines)


@pytest.mark.parametrize("command", ["show", "show --rejected", "show --why", "mine", "clean", "formats"])
def test_commands_fit_sixty_columns(
    cli: Cli, mined: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setattr(text_tables, "terminal_width", lambda stream: 60)
    archive = write(tmp_path / "a.jsonl", records())
    pack = mined / "alpha.example.json"
    name, *options = command.split()
    rest = {
        "show": (pack, *options),
        "mine": (archive, "-o", tmp_path / "packs"),
        "clean": (archive, "-p", mined, "-o", tmp_path / "c.jsonl"),
        "formats": (),
    }[name]
    ran = cli(name, *rest)
    assert ran.code == 0
    paths = str(tmp_path)
    assert [line for line in (ran.out + ran.err).splitlines() if cell_len(line) > 60 and paths not in line] == []


def test_brief_help_leaves_no_bracket_open(cli: Cli) -> None:
    """It ends at the first semicolon, which one option had within brackets."""
    for name in ("mine", "clean", "sort", "extract", "update", "ask", "show", "report", "explain", "desk", "diff"):
        told = cli(name, "--help").out.partition("\n\n")[2]
        assert told.count("(") == told.count(")"), name


class Typed(io.TextIOWrapper):
    """What is typed at a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("kind", [Typed, io.TextIOWrapper])
def test_a_command_that_waits_for_the_terminal_says_so(
    cli: Cli, mined: Path, monkeypatch: pytest.MonkeyPatch, kind: type[io.TextIOWrapper]
) -> None:
    """It printed nothing, and seemed to hang."""
    told = "templatemine: reading from the terminal; Ctrl-D ends it\n"
    for words in (("clean", "-", "-p", mined, "--dry-run", "-q"), ("diff", mined, mined, "-a", "-")):
        monkeypatch.setattr(sys, "stdin", kind(io.BytesIO(b'{"source": "a", "text": "b"}')))
        assert (told in cli(*words).err) == (kind is Typed)


def test_who_pipes_into_a_command_is_told_how_it_is_read(
    cli: Cli, mined: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As filters of Unix are used."""
    told = cli("clean", "-p", mined, "--dry-run", stdin=b"{}").error
    assert "INPUT [INPUT ...], INPUT - for standard input (see templatemine clean --help)" in told
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    assert "standard input" not in cli("clean", "-p", mined, "--dry-run").error
