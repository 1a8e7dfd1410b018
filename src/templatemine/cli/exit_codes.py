"""The exit codes of every command, in one table: what all help, the man page and the page of options say of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from textwrap import wrap
from typing import NamedTuple

_WIDTH = 80
_INDENT = " " * 7


class Exit(NamedTuple):
    """A code, when it is given, and by which commands, all if none is named; or only by those with an option.

    What is said of some commands about a code above 1 takes the place of what is said of all.
    """

    code: int
    told: str
    commands: str = ""
    option: str = ""


EXITS = (
    Exit(
        0, "done", "mine update clean drift extract sort show diff ask explain report evaluate formats config complete"
    ),
    Exit(0, "done, or the time is over", "crawl"),
    Exit(
        1,
        "done, but documents that cannot be read were skipped, named and counted",
        "mine update clean extract sort diff ask explain report evaluate",
    ),
    Exit(
        1,
        "done, but a pack with an error was left out and named",
        "mine update clean drift extract diff ask explain report",
    ),
    Exit(1, "no record has a pack", "clean"),
    Exit(1, "no source got a pack", "mine"),
    Exit(1, "there are warnings: a site has probably changed", "drift"),
    Exit(1, "every address failed", "crawl"),
    Exit(
        1,
        "--check: done, but a source exceeds a limit or has no pack, or nothing was read (in --json: check)",
        option="--check",
    ),
    Exit(1, "--strict: stopped at the first such document or pack; nothing written", option="--strict"),
    Exit(2, "wrong options, or an input or output with an error; nothing was written"),
    Exit(2, "wrong options, or something cannot be read, trusted or written", "crawl desk"),
    Exit(130, "interrupted; nothing was written"),
    Exit(130, "ended by Ctrl-C; fetched pages are kept, the same command continues", "crawl"),
    Exit(130, "ended by Ctrl-C; everything saved stays", "desk"),
)
"""The codes, in their order.  Whoever ends a run with one has its row here."""


def format_exits(command: str, has_option: Callable[[str], bool]) -> str:
    """Format the exit codes of a command, each once; without a command, those of all, with the commands that only some
    rows are of."""
    lines = ["exit codes:"]
    for code in sorted({one.code for one in EXITS}):
        told = list(_tell(code, command, has_option))
        first = f"  {code:<5}"
        for number, one in enumerate(told):
            ending = ";" if number + 1 < len(told) else ""
            begin = _INDENT if number else first
            lines += wrap(one + ending, _WIDTH, initial_indent=begin, subsequent_indent=_INDENT)
    return "\n".join(lines) + "\n"


def _tell(code: int, command: str, has_option: Callable[[str], bool]) -> Iterator[str]:
    """Yield when a command ends with a code."""
    rows = [one for one in EXITS if one.code == code]
    if not command:
        for one in rows:
            few = one.commands.split() if one.commands.count(" ") < 2 else []
            yield f"{' and '.join(few)}: {one.told}" if few else one.told
        return
    own = [one for one in rows if command in one.commands.split() or (one.option and has_option(one.option))]
    yield from (one.told for one in own or rows if one in own or not (one.commands or one.option))
