"""Messages for people: on standard error a line each, on standard output text that no stream refuses; and the messages
of a whole run, with the exit code that follows from them."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from templatemine.controls import name_controls, name_on_line
from templatemine.errors import ACCESS_HINT, CorpusError
from templatemine.progress import Progress, ignore_progress, progress_bars


def print_error(message: str, kind: str = "error: ") -> None:
    """Print one line on standard error, whatever the message holds."""
    write_message(sys.stderr, f"templatemine: {kind}{escape_line(message)}\n")


def print_text(text: str) -> None:
    """Print text on standard output; characters that its encoding lacks are written as escapes."""
    if sys.stdout is None:
        raise CorpusError("standard output is closed", "stdout", fatal=True)
    with _translate_write_errors():
        sys.stdout.write(_escape_unencodable(text, sys.stdout))


def flush_output() -> None:
    """Flush standard output."""
    if sys.stdout is not None:
        with _translate_write_errors():
            sys.stdout.flush()


@contextmanager
def _translate_write_errors() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CorpusError(f"cannot be written: {error.strerror or error}", "stdout", fatal=True) from error


def write_message(stream: TextIO | None, text: str) -> None:
    """Print a message for people; a closed stream is no error."""
    if stream is not None:
        with suppress(OSError, ValueError):
            stream.write(_escape_unencodable(text, stream))
            stream.flush()


def shows_colours(stream: TextIO | None) -> bool:
    """Return whether a stream is a terminal that shows colours, and NO_COLOR is not set (no-color.org)."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return wanted and stream is not None and stream.isatty()


def _escape_unencodable(text: str, stream: TextIO) -> str:
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def escape_line(text: str) -> str:
    """Return visible text with each run of white space as one blank."""
    return name_controls(" ".join(text.split()))


def facts_of(record: object, *names: str) -> dict[str, Any]:
    """Return some fields of a record, for summaries as JSON."""
    return {name: getattr(record, name) for name in names}


MAX_NAMED_SKIPS = 5
"""Number of skipped documents that are named; the rest is only counted."""


class StrictStop(Exception):
    """--strict, and a document that cannot be read."""


class Terminal:
    """The messages of a run, on standard error.

    Attributes
    ----------
    reader_report : Report
        For readers: documents with errors are skipped, and the first few named; diagnostics are counted.
    skipped_packs : int
    """

    def __init__(self, *, quiet: bool, strict: bool) -> None:
        from templatemine.io.files import Report

        self.quiet = quiet
        self.strict = strict
        self.reader_report = Report(self._name_skipped)
        self.skipped_packs = 0
        self._hints: set[str] = set()
        self._last_problem = ""
        self._named_later = 0
        self._began = time.monotonic()
        self._exit_code: int | None = None

    @property
    def skipped(self) -> int:
        """Return the number of documents that were skipped."""
        return self.reader_report.errors

    @property
    def seconds(self) -> float:
        """Return the seconds since the start."""
        return time.monotonic() - self._began

    @property
    def exit_code(self) -> int:
        """Return the exit code of a run that came to its end: 1 if documents were skipped, or a pack was left out."""
        return int(bool(self.skipped or self.skipped_packs)) if self._exit_code is None else self._exit_code

    def end_with(self, code: int) -> None:
        """End the run with an exit code, whatever was skipped."""
        self._exit_code = code

    def _name_skipped(self, error: CorpusError) -> None:
        """Name an unreadable document, if it is one of the first few; the first one stops a strict run."""
        if self.strict:
            raise StrictStop(f"{error} (stopped because of --strict)")
        if error.fatal and self.skipped > MAX_NAMED_SKIPS:
            print_error(str(error), "skipped: ")  # the rest of a file, not a record among thousands
            self._named_later += 1
        elif self.skipped <= MAX_NAMED_SKIPS:
            text = str(error)
            if error.hint in self._hints:
                text = text.removesuffix(error.hint)
            self._hints.add(error.hint)
            if error.where and error.problem == self._last_problem:
                text = f"{error.where}: the same"
            self._last_problem = error.problem
            print_error(text, "skipped: ")

    def skip_pack(self, problem: str) -> None:
        """Count a pack that is left out, for it cannot be trusted or was not written; all are named, and the first one
        stops a strict run."""
        if self.strict:
            raise StrictStop(f"{problem} (stopped because of --strict)")
        self.skipped_packs += 1
        if problem.endswith(ACCESS_HINT):  # once, for whole folders of packs may be closed
            problem = problem.removesuffix(ACCESS_HINT) if ACCESS_HINT in self._hints else problem
            self._hints.add(ACCESS_HINT)
        print_error(problem, "pack skipped: ")

    def skip_packs(self, problems: Mapping[str, str], unnamed: Iterable[str] = ()) -> None:
        """Count packs by their sources, and others that do not tell theirs, as `skip_pack` does."""
        for problem in dict.fromkeys([*(problem for _, problem in sorted(problems.items())), *unnamed]):
            self.skip_pack(problem)

    def skip_bad_pack(self, source: str, error: Exception) -> None:
        """Count a pack that cannot be read: what readers of several packs call."""
        self.skip_pack(str(error))

    def tell_more_skipped(self) -> None:
        """Print how many more documents were skipped than were named."""
        more = self.skipped - MAX_NAMED_SKIPS - self._named_later
        if more > 0:
            print_error(f"and {more:,} more", "skipped: ")

    def note(self, text: str) -> None:
        """Print one line that is no error, even in quiet runs: something unexpected was done."""
        print_error(text, "")

    def notes(self) -> list[str]:
        """Return the counts of the readers, one line each."""
        first = self.reader_report.first_places
        return [
            f"{what}: {number:,}" + (f", first {first[what]}" if what in first else "")
            for what, number in sorted(self.reader_report.notes.items())
        ]

    def figures(self) -> dict[str, Any]:
        """Return what summaries for machines have in common."""
        return {"skipped": self.skipped, "met": self.reader_report.notes, "seconds": round(self.seconds, 3)}

    def say(self, *lines: str) -> None:
        """Print lines of a summary, whatever they hold."""
        if not self.quiet:
            write_message(sys.stderr, "".join(name_on_line(line) + "\n" for line in lines))

    def print_json(self, summary: dict[str, Any], *, to_stdout: bool) -> None:
        """Print the summary for machines."""
        import json

        text = json.dumps(summary, indent=1) + "\n"
        if to_stdout:
            print_text(text)
        else:
            write_message(sys.stderr, text)

    @contextmanager
    def progress(self) -> Iterator[Progress]:
        """Show bars while the with-block runs, on a terminal only."""
        if self.quiet or sys.stderr is None or not sys.stderr.isatty():
            yield ignore_progress
            return
        with progress_bars() as step:
            yield step
