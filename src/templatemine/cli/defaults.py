"""Defaults of options from a file: ``templatemine.toml``, or the table ``tool.templatemine`` of ``pyproject.toml``, in
the folder that a command is run in.  A table for each command, a key for each option, by its long name without the
hyphens before it:

    [mine]
    jobs = 2
    caution = 2.0

    [clean]
    packs = ["packs/"]

What is given on the command line counts instead.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from typing import Any

from templatemine.cli.parser import ByOption
from templatemine.errors import ConfigError, did_you_mean, unreadable

CONFIG_FILES = ("templatemine.toml", "pyproject.toml")

Tables = Mapping[str, Mapping[str, Any]]


def read_defaults(commands: Sequence[str]) -> tuple[str, Tables]:
    """Read the file of defaults, and its tables by command; "" and nothing if there is none.

    Raises
    ------
    ConfigError
        It cannot be read, or names a command that does not exist.
    """
    for name in CONFIG_FILES:
        if not os.path.isfile(name):
            continue
        from templatemine.text.toml import load_toml  # here, for most folders have no such file

        try:
            tables = load_toml(name)
        except (OSError, ValueError) as error:
            if name != CONFIG_FILES[0]:
                continue  # of somebody else, who will hear of it
            problem = unreadable(error) if isinstance(error, OSError) else str(error)
            raise ConfigError(f"{name}: {problem}") from error
        if name != CONFIG_FILES[0]:
            tables = tables.get("tool", {}).get("templatemine")
            if tables is None:
                continue
        for command, table in tables.items():
            if not isinstance(table, dict):
                raise ConfigError(f"{name}: {command}: expected a table for a command, such as [clean]")
            if command not in commands:
                raise ConfigError(f"{name}: {command!r} is not a command{did_you_mean(command, commands)}")
        return name, tables
    return "", {}


def apply_defaults(
    parser: argparse.ArgumentParser, file: str, command: str, table: Mapping[str, Any], given: Sequence[str] = ()
) -> list[str]:
    """Make values the defaults of the options of a command that are not `given`; which these are.

    Raises
    ------
    ConfigError
        There is no such option, or the value is none for it.
    """
    options = {
        name[2:]: one
        for one in parser._actions
        for name in one.option_strings
        if name.startswith("--") and not isinstance(one, ByOption) and one.default != argparse.SUPPRESS
    }
    used = []
    for name, value in table.items():
        action = options.get(name)
        if action is None:
            is_known = f"--{name}" in parser._option_string_actions
            problem = "it is for the command line only" if is_known else f"no such option{did_you_mean(name, options)}"
            raise ConfigError(f"{file}: {command}.{name}: {problem}")
        found = _convert_value(parser, action, value, f"{file}: {command}.{name}")
        if not _is_given(action, given):  # lists would be added to
            action.default, action.required = found, False
            used.append(name)
    return used


def _is_given(action: argparse.Action, given: Sequence[str]) -> bool:
    long = [name for name in action.option_strings if name.startswith("--")]
    short = tuple(name for name in action.option_strings if not name.startswith("--"))
    return any(
        one.partition("=")[0] in long or (short and one.startswith(short) and not one.startswith("--")) for one in given
    )


def _convert_value(parser: argparse.ArgumentParser, action: argparse.Action, value: Any, where: str) -> Any:
    if action.nargs == 0:
        if not isinstance(value, bool):
            raise ConfigError(f"{where}: expected true or false, got {value!r}")
        return value if action.const in (True, None) else not value
    if action.nargs == argparse.OPTIONAL and isinstance(value, bool):  # as the option alone, or as without it
        return action.const if value else action.default
    several = action.nargs in ("*", "+") or isinstance(action, argparse._AppendAction)
    if several and isinstance(value, list):
        return [_convert_item(parser, action, item, where) for item in value]
    one = _convert_item(parser, action, value, where)
    return [one] if several else one


def _convert_item(parser: argparse.ArgumentParser, action: argparse.Action, value: Any, where: str) -> Any:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ConfigError(f"{where}: expected a string or a number, got {value!r}")
    try:
        found = parser._get_value(action, str(value))
        parser._check_value(action, found)
    except argparse.ArgumentError as error:
        raise ConfigError(f"{where}: {error.message}") from error
    return found
