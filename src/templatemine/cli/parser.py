"""The parser of the program and of its commands: help that fits a screen, all of it on request, errors of one line."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import takewhile
from textwrap import wrap
from typing import Any, NamedTuple, NoReturn

from templatemine.cli.exit_codes import format_exits
from templatemine.cli.messages import print_error
from templatemine.errors import ConfigError, did_you_mean, list_names

_REQUIRED = "the following arguments are required: "
"""How argparse begins to say that arguments are missing."""

SAME_IDEA = {
    "--only --source": "--only PACK PACKS OLD NEW",
    "--packs -p": "OLD NEW",
    "--against": "OLD",
    "--limit -n --sample --samples --rows": "--limit --sample --samples --rows --max-pages",
    "--keep --cut-only --policy --kind": "--cut-only --keep --kind",
    "--max-record --max-size": "--max-record --max-size",
}
"""Options of commands -> what others have for the same idea, with an option or without."""

_WIDTH = 80
_HELP_COLUMN = 27
"""Where the help of an option begins, unless it is written longer than that."""


class Need(NamedTuple):
    """What an option needs to do anything: another one, with one of some words if it has any, and why."""

    option: str
    words: tuple[str, ...] = ()
    why: str = ""


class Parser(argparse.ArgumentParser):
    """The parser of the program and of its commands: two lengths of help, options without abbreviations, and an error
    in one line instead of the usage.

    Attributes
    ----------
    common : sequence of str
        Options that ``--help`` lists, in this order; ``--help-all`` lists all of them, and the exit codes.
    needs : mapping of str to Need
        Options that do nothing without another one, and are refused without it.
    beside : collection of Parser
        Parsers of the commands among which this one is.
    of_articles : str
        Of a command that takes packs alone, what does the like with articles; ``{inputs}`` and ``{packs}`` are those
        that were given.
    brief : str
        What ``--help`` says first; by default the first paragraph of the description.
    """

    common: Sequence[str] = ()
    needs: Mapping[str, Need] = {}
    beside: Collection[Parser] = ()
    of_articles = ""
    brief = ""

    def __init__(self, **options: Any) -> None:
        shape = argparse.RawDescriptionHelpFormatter
        super().__init__(formatter_class=shape, allow_abbrev=False, add_help=False, **options)
        self.add_argument("--help", "-h", action="help", help="print the common options, and exit")
        self.add_argument("--help-all", action=_HelpAll, help="print all options and the exit codes, and exit")
        self._given: Sequence[str] = ()
        self._named: dict[argparse.Action, argparse.Action] = {}

    def name_first(self, first: argparse.Action, other: argparse.Action | None, *names: str, **options: Any) -> None:
        """Take an argument without an option by one, too, as other commands do: with `first` so named, what has no
        option is the `other`."""
        self._named[first] = self.add_argument(*names, dest=f"named_{first.dest}", action=ByOption, **options)
        if other is not None:
            self._named.setdefault(other, other)
        self._needed = [action for action in self._named if action.required]

    def _settle_names(self, namespace: Any, others: list[str]) -> list[str]:
        """Give what has no option to the one argument that no option is given for; return what remains."""
        given = {
            action: value
            for action, option in self._named.items()
            if (value := getattr(namespace, option.dest)) is not option.default
        }
        is_named = any(isinstance(self._named[action], ByOption) for action in given)
        if not is_named or any(one.startswith("-") and one != "-" for one in others):
            return others
        bare = [action for action in self._named if not action.option_strings]
        loose = [one for action in bare for one in _as_list(getattr(namespace, action.dest))] + others
        open_one = next((action for action in self._named if action not in given), None)
        if open_one is not None and loose:
            given[open_one] = loose
        elif loose:
            self._refuse_both(bare[0], loose, given)
        elif open_one in self._needed and not getattr(namespace, open_one.dest):
            open_one.required = True
            self.error(f"{_REQUIRED}{'/'.join(open_one.option_strings) or open_one.metavar}")
        for action, values in given.items():
            is_one = action in bare and action.nargs is None
            if is_one and len(values) > 1:
                self.error(f"{action.metavar}: expected one, got {' and '.join(values)}")
            setattr(namespace, action.dest, values[0] if is_one else values)
        return []

    def _refuse_both(
        self, bare: argparse.Action, loose: Sequence[str], given: Mapping[argparse.Action, list[str]]
    ) -> NoReturn:
        """End, for what has no option is one too many: say how to write all, archives with the option of inputs."""
        option, got = self._named[bare].option_strings[0], " ".join(loose)
        both = (
            f"{bare.metavar} and {option}: expected one of them, got both: {got} and {option} {' '.join(given[bare])}"
        )
        if all(map(_is_archive, loose)):
            if self.of_articles:
                packs = shlex.quote(given[bare][0].rstrip("/") or "/")
                self.error(f"{both}; {self.of_articles.format(inputs=shlex.join(loose), packs=packs)}")
            bare = next((action for action in given if action.dest in ("inputs", "archive")), bare)
            option = (self._named[bare].option_strings or bare.option_strings)[0]
        each = " ".join(f"{option} {one}" for one in (*loose, *given[bare]))
        self.error(both + ("" if bare.nargs is None else f"; for all of them write {each}"))

    def format_help(self) -> str:
        """Format the help that fits a screen: the usage of the command, and its common options."""
        known = self._option_string_actions
        rows = [
            *(action for action in self._actions if not action.option_strings),
            *(known[name] for name in self.common if name in known),
        ]
        lines = [*self._brief_usage(), "", *self._brief_text().splitlines(), ""]
        lines += [line for action in rows for line in self._brief_lines(action)]
        options = sum(action.help != argparse.SUPPRESS for action in self._actions if action.option_strings)
        all_of_them = "all options" if options > 1 else "more"
        more = f"{all_of_them}, details and exit codes: {self.prog} --help-all"
        return "\n".join([*lines, *([""] if " " in self.prog else []), more, ""])

    def format_help_all(self) -> str:
        """Format all help, with the exit codes of the command, or of all."""
        command = self.prog.partition(" ")[2].partition(" ")[0]
        return f"{super().format_help()}\n{format_exits(command, self._has_option)}"

    def _has_option(self, option: str) -> bool:
        """Return whether a command has an option, or one of its own commands."""
        inner = (action for action in self._actions if isinstance(action, argparse._SubParsersAction))
        return option in self._option_string_actions or any(
            one._has_option(option) for action in inner for one in action.choices.values()
        )

    def _brief_usage(self) -> list[str]:
        """Return the usage, with required arguments only."""
        formatter = argparse.HelpFormatter(f"{self.prog} [OPTIONS]", width=_WIDTH)
        needed = [action for action in self._actions if action.required or not action.option_strings]
        formatter.add_usage(None, needed, ())
        return formatter.format_help().strip().splitlines()

    def _brief_text(self) -> str:
        return (self.brief or (self.description or "").partition("\n\n")[0]).strip("\n")

    def _brief_lines(self, action: argparse.Action) -> Iterator[str]:
        """Yield the lines of an argument, with the first clause of its help; of sub-commands, a line each."""
        if isinstance(action, argparse._SubParsersAction):
            width = max(map(len, action.choices)) + 2
            yield from (f"  {one.dest:{width}}{one.help}" for one in action._choices_actions)
            return
        formatter = self._get_formatter()
        written = write_option(action)
        told = " ".join(formatter._expand_help(action).split()).partition(";")[0]
        lines = wrap(told, _WIDTH - _HELP_COLUMN)
        head = f"  {written}  "
        if len(head) > _HELP_COLUMN:
            yield head.rstrip()
        else:
            yield f"{head:{_HELP_COLUMN}}{lines.pop(0)}"
        yield from (" " * _HELP_COLUMN + line for line in lines)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse as every parser does; the command itself refuses unknown options, since its help lists the known
        ones."""
        self._given = args or ()
        namespace, others = super().parse_known_args(args, namespace)
        others = self._settle_names(namespace, others)
        namespace.known_options = {*self._option_string_actions, *getattr(namespace, "known_options", ())}
        self._refuse(others)
        self._check_needs(namespace)
        return namespace, others

    def _check_needs(self, namespace: Any) -> None:
        """Raise an error if an option of the command line would do nothing, for what it needs is not there; one of the
        file of defaults waits for the runs that have it."""
        for option in _options(self._given):
            if (need := self.needs.get(option)) is None:
                continue
            value = getattr(namespace, self._option_string_actions[need.option].dest)
            if need.words and value not in need.words:
                raise ConfigError(f"{option}: expected {need.option} {' or '.join(need.words)}, got {value}")
            if value is None or value is False or value == []:
                raise ConfigError(f"{option} needs {need.option}{': ' * bool(need.why)}{need.why}")

    def _get_values(self, action: argparse.Action, words: list[str]) -> Any:
        """Convert the values of an argument; of an option that may stand alone, an error says how."""
        try:
            return super()._get_values(action, words)
        except argparse.ArgumentError as error:
            # A number, and not what stands behind the option, such as the file 2024.jsonl.
            is_value = not action.option_strings or not words[0].strip("0123456789.,-+% ")
            if action.nargs == argparse.OPTIONAL and not is_value:
                option = action.option_strings[0]
                error.message += f"; {option} alone goes last, or before an option, and is {option}={action.const}"
            raise

    def find_elsewhere(self, option: str) -> Sequence[str]:
        """Return the commands that have an option, or those beside this one."""
        has = [one.prog for one in self.beside if option in one._option_string_actions]
        return [prog.removeprefix("templatemine ") for prog in has]

    def _refuse(self, others: Sequence[str]) -> None:
        """End if there are arguments that are not known."""
        if others:
            options = [name[2:] for name in self._option_string_actions if name.startswith("--")]
            option = others[0].partition("=")[0]
            meant = did_you_mean(option.lstrip("-"), options, "--")
            if not any(one.startswith("-") for one in others):
                # Once the inputs are found, files that stand apart from them are nobody's.
                several = next((one for one in self._actions if not one.option_strings and one.nargs == "+"), None)
                together = (
                    "" if several is None else f"; write all of {several.metavar} together, without options between"
                )
                last = next((one for one in reversed(self._actions) if not one.option_strings), None)
                together = together or ("" if last is None else f"; {last.metavar} is one alone")
                meant = more_packs_hint(self._given, others[0]) or self._repeat_hint(others[0]) or together
            elsewhere = self.find_elsewhere(option)
            meant = f"; it is an option of {list_names(elsewhere)}" if elsewhere else meant
            if self.of_articles and option in ("-a", "--archive"):
                meant = f"; {self.of_articles.format(inputs='INPUT', packs='PACKS')}"
            self.error(f"unrecognized arguments: {' '.join(others)}{self._find_here(option) or meant}")

    def _repeat_hint(self, other: str) -> str:
        """Return what to add to a message about an argument behind the value of an option that may be repeated, other
        than of ``--packs`` (`more_packs_hint`)."""
        before = self._given[: self._given.index(other)] if other in self._given else []
        last = next((one for one in reversed(before) if one in self._option_string_actions), "")
        action = self._option_string_actions.get(last)
        repeats = isinstance(action, argparse._AppendAction) and action.dest != "packs"
        return f"; write {last} before each" if repeats else ""

    def _find_here(self, option: str) -> str:
        """Tell what this command has for the idea of an option of others; empty if it has nothing."""
        names = {name for asked, here in SAME_IDEA.items() if option in asked.split() for name in here.split()}
        found = [one for one in self._actions if names.intersection(one.option_strings or (str(one.metavar),))]
        if options := [write_option(one) for one in found if one.option_strings]:
            return f"; here it is {' or '.join(options)}"
        bare = " ".join(str(one.metavar) for one in found)
        return f"; here it is {bare} without an option: {found[0].help}" if found else ""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a word that is none of the choices, and tell the one that is like it."""
        if action.choices is not None and value not in action.choices:
            words = [*map(str, action.choices)]
            problem = f"expected {', '.join(words[:-1])} or {words[-1]}, got {value!r:.60}"
            raise argparse.ArgumentError(action, problem + did_you_mean(str(value), words))

    def error(self, message: str) -> NoReturn:
        """End with one line; where something is missing, it tells of an option that is misspelt."""
        message = message.removeprefix("argument ")
        if message.startswith(_REQUIRED):
            given, self._given = self._given, ()
            self._refuse([one for one in _options(given) if one not in self._option_string_actions])
            missing = message.removeprefix(_REQUIRED)
            usage = " ".join(" ".join(self._brief_usage()).split()).removeprefix("usage: ")
            piped = "INPUT" in missing and sys.stdin is not None and not sys.stdin.isatty()
            message = f"{missing}: expected, but not given; write {usage}{', INPUT - for standard input' * piped}"
        print_error(f"{message} (see {self.prog} --help)")
        raise SystemExit(2)


def more_packs_hint(given: Sequence[str], path: str) -> str:
    """Return what to add to a message about more packs behind that of ``--packs``; empty for other paths."""
    behind = False
    for place, one in enumerate(given):
        is_whole = one in ("-p", "--packs")
        if is_whole or one.startswith(("-p", "--packs=")):
            behind |= path in given[place + 1 + is_whole : place + 2 + is_whole]
    may_be_pack = path.endswith(".json") or not os.path.isfile(path)  # or a folder, or the name of a source
    return "; --packs takes one path each time: -p A -p B" if behind and may_be_pack else ""


class ByOption(argparse.Action):
    """An option for what a command takes without one: neither this nor the other is missing then."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option: str | None = None) -> None:
        """Keep the values, beside those of before."""
        for action in parser._needed:
            action.required = False
        setattr(namespace, self.dest, [*_as_list(getattr(namespace, self.dest)), *_as_list(values)])


class _HelpAll(argparse.Action):
    """``--help-all``: all help, and the end."""

    def __init__(self, option_strings: Sequence[str], dest: str, **options: Any) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, default=argparse.SUPPRESS, **options)

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option: str | None = None) -> None:
        """Print, end."""
        parser._print_message(parser.format_help_all(), sys.stdout)
        parser.exit()


def _is_archive(path: str) -> bool:
    """Return whether a path is of a file that is no pack."""
    from templatemine.io.jsonl import is_pack

    return os.path.isfile(path) and not (path.endswith(".json") and is_pack(path))


def write_option(action: argparse.Action) -> str:
    """Write an argument as it is typed: ``--output, -o FILE``."""
    choices = "{" + ",".join(map(str, action.choices or ())) + "}"
    value = str(action.metavar or (choices if action.choices else action.dest))
    written = ", ".join(action.option_strings)
    if not action.option_strings or action.nargs != 0:
        several = {"+": f"{value} ...", "?": f"[{value}]"}.get(str(action.nargs), value)
        return " ".join(part for part in (written, several) if part)
    return written


def _as_list(values: str | list[str] | None) -> list[str]:
    return [values] if isinstance(values, str) else values or []


def _options(given: Sequence[str]) -> list[str]:
    """Return the options of a command line, without their values."""
    before = takewhile(lambda one: one != "--", given)
    written = (one.partition("=")[0] for one in before if " " not in one)
    return [one for one in written if one.startswith("--") or (len(one) == 2 and one[0] == "-")]
