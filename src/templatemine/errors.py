"""Typed errors: every mistake of a user ends in one of these, with the expectation, the finding and the place."""

from __future__ import annotations

import os
import shlex
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

__all__ = [
    "CapacityError",
    "ConfigError",
    "CorpusError",
    "HintedError",
    "MissingExtraError",
    "PackError",
    "SkippedPackError",
    "TemplateMineError",
    "UnreadablePackError",
    "access_hint",
    "attribute_error",
    "command_line",
    "counted",
    "did_you_mean",
    "extra_packages",
    "list_names",
    "list_notes",
    "needs_extra",
    "pip_line",
    "spelled",
    "unreadable",
    "warn_caller",
]


def counted(number: int, what: str) -> str:
    """Return a number with its noun, as messages and reports have it: ``1 pack``, ``2,000 packs``."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


_MAX_NAMES = 3


def _count_named(number: int) -> int:
    """Return how many of some names a list has: one more is named, for to count it takes as much room."""
    return number if number <= _MAX_NAMES + 1 else _MAX_NAMES


def list_names(names: Sequence[str]) -> str:
    """List a few of some names, each on one line: ``a, b, c and 2 more``."""
    shown = _count_named(len(names))
    more = f" and {len(names) - shown:,} more" if len(names) > shown else ""
    return (", ".join(" ".join(name.split()) for name in names[:shown]) or "none") + more


def list_notes(notes: Mapping[str, str]) -> str:
    """List a few of some sources, each with what is said of it: ``a (2 documents); b (1 document); and 2 more``."""
    shown = _count_named(len(notes))
    more = f"; and {len(notes) - shown:,} more" if len(notes) > shown else ""
    return "; ".join(f"{source} ({note})" for source, note in [*notes.items()][:shown]) + more


def did_you_mean(given: str, known: Iterable[str], before: str = "") -> str:
    """Return a question to add to a message about an unknown name; empty if no known one, in any case, is like it."""
    from difflib import get_close_matches

    by_letters = {one.casefold(): one for one in known}
    near = get_close_matches(given.casefold(), by_letters, 1)
    return f"; did you mean {before}{by_letters[near[0]]}?" if near else ""


ACCESS_HINT = "; its owner can give you access, by chmod u+rX or o+rX"


def access_hint(error: BaseException) -> str:
    """Return the remedy to add to a message about something that may not be read; empty for other errors."""
    return ACCESS_HINT if isinstance(error, PermissionError) else ""


def unreadable(error: OSError, beside: str = "") -> str:
    """Say that something cannot be read, what is to be said `beside` that, and why: reason and remedy."""
    return f"cannot be read{beside}: {error.strerror or error}{access_hint(error)}"


_on_command_line = False
"""Whether messages are for users of the command line; processes that are forked inherit it."""


@contextmanager
def command_line() -> Iterator[None]:
    """Name options of the command line in messages while the block runs, and arguments of Python elsewhere."""
    global _on_command_line
    before, _on_command_line = _on_command_line, True
    try:
        yield
    finally:
        _on_command_line = before


def spelled(option: str, argument: str) -> str:
    """Spell an option as the reader of a message writes it: on the command line, or in Python."""
    return option if _on_command_line else argument


_PACKAGE = os.path.dirname(__file__) + os.sep


def warn_caller(message: str) -> None:
    """Warn, at the line that called the package, however many of its functions and generators are in between."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)


def attribute_error(asked: object, name: str, elsewhere: Mapping[str, str]) -> AttributeError:
    """Return the error of an object without an attribute; `elsewhere` has what does what people ask of it."""
    hint = f"; {elsewhere[name]}" if name in elsewhere else ""
    return AttributeError(f"{type(asked).__name__!r} object has no attribute {name!r}{hint}")


class TemplateMineError(Exception):
    """Base class of the errors of this package."""


class ConfigError(TemplateMineError):
    """An option or a pattern file has a wrong value, or contradicts itself."""


class CorpusError(TemplateMineError):
    """Input cannot be read as documents.

    Parameters
    ----------
    problem : str
        The expectation and the finding.
    where : str, optional
        Place of the trouble: ``file``, ``file:line`` or a document's id.
    fatal : bool, default False
        True if nothing more can be read from the file (missing, truncated); False if one record is bad and the next
        ones can be read.
    hint : str, optional
        The remedy, which follows the problem; a list of many errors has each hint once.
    """

    def __init__(self, problem: str, where: str = "", *, fatal: bool = False, hint: str = "") -> None:
        super().__init__(f"{where}: {problem}{hint}" if where else problem + hint)
        self.problem = problem + hint
        self.where = where
        self.fatal = fatal
        self.hint = hint

    @classmethod
    def of(cls, error: ValueError, where: str, *, fatal: bool = False) -> CorpusError:
        """Return the error for a problem of a record."""
        hint = error.hint if isinstance(error, HintedError) else ""
        return cls(str(error).removesuffix(hint) if hint else str(error), where, fatal=fatal, hint=hint)

    def __reduce__(self) -> tuple[object, ...]:
        restore = partial(CorpusError, fatal=self.fatal, hint=self.hint)
        return restore, (self.problem.removesuffix(self.hint), self.where)


class HintedError(ValueError):
    """A problem of a record, with its remedy."""

    def __init__(self, problem: str, hint: str) -> None:
        super().__init__(problem + hint)
        self.hint = hint


class PackError(TemplateMineError):
    """A pack has an error: an unknown schema, a missing field, an expression that fails its own example."""


class SkippedPackError(PackError):
    """A pack of a folder has an error; the other packs are used, and documents of its source do not change."""


class UnreadablePackError(PackError):
    """A pack that was to be written could not be read again: a bug of this package, not a mistake of its user."""


class CapacityError(TemplateMineError):
    """Input exceeds a limit of an index or a buffer."""


class MissingExtraError(TemplateMineError):
    """An optional dependency is not installed; the message has the pip line that installs it."""


def extra_packages(extra: str) -> list[str]:
    """Return the packages of an extra, by their names on the index; none if templatemine is not installed."""
    import re
    from importlib.metadata import PackageNotFoundError, requires

    try:
        listed = requires("templatemine") or []
    except PackageNotFoundError:
        return []
    wanted = re.compile(rf"([\w.\-]+(?:\[[\w,.\-]+\])?).*;.*extra == ['\"]{re.escape(extra)}['\"]")
    return [found[1] for one in listed if (found := wanted.match(one))]


def pip_line(extra: str) -> str:
    """Return the pip line of an extra, from the origin of this package: an index, a checkout, a file or a
    repository."""
    import json
    from importlib.metadata import PackageNotFoundError, distribution
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    name, options = f"templatemine[{extra}]", ""
    try:
        origin = json.loads(distribution("templatemine").read_text("direct_url.json") or "{}")  # PEP 610
    except (PackageNotFoundError, ValueError):
        origin = {}
    url = str(origin.get("url", ""))
    if "vcs_info" in origin:
        name += f" @ {origin['vcs_info'].get('vcs', 'git')}+{url}"
    elif url.startswith("file:"):
        name = f"{url2pathname(urlsplit(url).path)}[{extra}]"
        options = "-e " if origin.get("dir_info", {}).get("editable") else ""
    return f"pip install {options}{shlex.quote(name)}"


@contextmanager
def needs_extra(what: str, extra: str) -> Iterator[None]:
    """Raise a failure to import within the block as a `MissingExtraError` that says what needs which library."""
    try:
        yield
    except ImportError as error:
        raise MissingExtraError(f"{what}: {pip_line(extra)}") from error
