"""Code that sub-commands share: options, inputs, progress."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from textwrap import fill
from typing import TYPE_CHECKING, Any

from templatemine.bounds import NUMBERS, WORDS
from templatemine.cli.messages import escape_controls, print_error, print_text, write_message
from templatemine.cli.number_types import int_at_least, number_of, parse_jobs
from templatemine.config import (
    SHIPPED,
    TEXT_FORMATS,
    MarkupConfig,
    PipelineConfig,
    ReadConfig,
    SelectConfig,
)
from templatemine.errors import ConfigError, CorpusError, PackError, did_you_mean, list_names
from templatemine.kinds import KINDS, POLICIES, Choice, choose
from templatemine.progress import Progress, ignore_progress, progress_bars

if TYPE_CHECKING:
    from templatemine.io.files import Report
    from templatemine.model import Record
    from templatemine.packs.pack import Pack

INPUT_HELP = """\
files or folders: JSON lines, WARC, feeds, tables; any format of "templatemine formats"; a folder of .txt or .html
files, or of such archives; a glob pattern in quotes; a URL (s3://, hf:// ...); or - for standard input"""

PACKS_HELP = "packs, or folders of packs; or the name of a source, for its pack in packs/"
ONE_PACK_HELP = "a pack, or a folder of packs; or the name of a source, for its pack in packs/"

MAX_NAMED_SKIPS = 5
"""Number of skipped documents that are named; the rest is only counted."""


class StrictStop(Exception):
    """--strict, and a document that cannot be read."""


# ------------------------------------------------------------------------------------------------------------ options


def add_number(
    group: argparse._ActionsContainer,
    name: str,
    bounds: str | int,
    default: float | None,
    told: str,
    *,
    short: str | None = None,
    metavar: str = "N",
) -> None:
    """Add an option for a number: of a row of `bounds.NUMBERS`, or a whole one from `bounds` up; `told` and its default
    are its help."""
    names = [name] if short is None else [name, short]
    parse = number_of(bounds) if isinstance(bounds, str) else int_at_least(bounds)
    shown = f"%(default){'g' if isinstance(default, float) else 's'}"
    group.add_argument(*names, metavar=metavar, type=parse, default=default, help=f"{told} (default: {shown})")


def add_words(group: argparse._ActionsContainer, name: str, row: str, told: str, **options: Any) -> None:
    """Add an option for one of the words of a row of `bounds.WORDS`, the first of which is the default."""
    words = WORDS[row]
    group.add_argument(name, choices=words, default=words[0], help=f"{told} (default: %(default)s)", **options)


_FIELDS: Mapping[str, str] = {
    "text": "the text",
    "html": "the HTML page",
    "source": "the source; without it the file name is the source",
    "id": "the id",
    "date": "the date",
    "url": "the address",
    "title": "the headline",
}
"""What the fields of a record are, each with an option for its name."""


class _Once(argparse.Action):
    """An option that says one thing of all records: of several values the last would count, and nobody would know."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option: str | None = None) -> None:
        """Keep the value; refuse another one."""
        given = getattr(namespace, self.dest)
        if given not in (None, values):
            parser.error(f"{option}: expected one name, {self.help}; got {given!r} and {values!r}")
        setattr(namespace, self.dest, values)


def add_field_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for the names of the fields of JSON lines, and for the source of all records."""
    group = parser.add_argument_group("fields of the records")
    defaults = ReadConfig()
    for name, told in _FIELDS.items():
        own = getattr(defaults, f"{name}_field")
        group.add_argument(f"--{name}-field", metavar="NAME", default=own, help=f"{told} (default: %(default)s)")
        if name == "source":
            text = "the source of all records, whatever they say"
            group.add_argument("--source", metavar="NAME", dest="record_source", action=_Once, help=text)
    group.add_argument(
        "--source-of",
        metavar="RULE",
        help="where the source is, such as host or path:0; domain or host (of the url), field:NAME, path:N (0 is the "
        "file name, 1 its folder ...), re:REGEX (one group, applied to the url); default: the source field, or the "
        "domain of crawled pages",
    )
    group.add_argument(
        "--max-record",
        metavar="MIB",
        type=int_at_least(1, int(NUMBERS["ReadConfig.max_record"].most) >> 20),
        default=defaults.max_record >> 20,
        help="skip larger records (default: %(default)s)",
    )
    group.add_argument(
        "--csv-delimiter",
        metavar="CHAR",
        type=lambda text: "\t" if text in ("tab", "\\t") else text,
        help="for CSV: what parts columns, one character or tab (default: the one of , ; | and tab in the header)",
    )
    group.add_argument(
        "--csv-encoding",
        metavar="NAME",
        default=defaults.csv_encoding,
        help="for CSV: the encoding, such as cp1252 (default: %(default)s)",
    )


def add_input_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for the names of the fields, and the format of the inputs."""
    add_field_options(parser)
    parser.add_argument(
        "--input-format",
        metavar="NAME",
        help="format of the inputs, see templatemine formats; by default the suffix tells, and - is a page if it "
        "begins like one, else JSON lines",
    )


def add_archive_option(parser: argparse.ArgumentParser, *, required: bool = False) -> None:
    """Add the option for the inputs beside packs."""
    parser.add_argument(
        "--archive",
        "-a",
        metavar="INPUT",
        nargs="+",
        action="extend",
        default=[],
        required=required,
        help=INPUT_HELP,
    )


def add_only_option(parser: argparse._ActionsContainer, told: str) -> None:
    """Add the option for the sources that a command is about."""
    parser.add_argument("--only", metavar="SOURCE", action="append", help=f"{told}; may be repeated")


def add_jobs_option(group: argparse._ActionsContainer, told: str) -> None:
    """Add the option for the number of processes."""
    told += "; 0 for one per processor (default: %(default)s)"
    group.add_argument("--jobs", "-j", metavar="N", type=parse_jobs, default=1, help=told)


def add_packs_option(group: argparse._ActionsContainer, meaning: str, **options: Any) -> None:
    """Add the option for packs or folders of packs, one path each time."""
    group.add_argument("--packs", "-p", metavar="PATH", action="append", help=f"{meaning}; may be repeated", **options)


def add_main_text_options(group: argparse._ActionsContainer) -> None:
    """Add the options for what the main text of a page holds."""
    told = "for pages: keep or drop headline, byline and date in the main text"
    add_words(group, "--headline", "PageConfig.headline", told)
    told = "for pages: the main text, or all but boilerplate, with comments"
    add_words(group, "--content", "PageConfig.keep", told)
    told = f"for pages: what they are, one of {', '.join(WORDS['PageConfig.kind'])}"
    add_words(group, "--kind", "PageConfig.kind", told, metavar="KIND")


def add_choice_options(parser: argparse.ArgumentParser, default: str) -> argparse._ArgumentGroup:
    """Add the options for the kinds of boilerplate to cut; `read_choice` reads them."""
    group = parser.add_argument_group("kinds of boilerplate", fill(f"The kinds are {', '.join(KINDS)}.", 76))
    group.add_argument(
        "--policy",
        choices=tuple(POLICIES),
        help="llm keeps notes, reader also bylines, archive all; reader keeps captions and datelines, too "
        f"(default: {default})",
    )
    group.add_argument("--keep", metavar="KINDS", help="also keep these kinds, such as caption,byline")
    group.add_argument("--cut-only", metavar="KINDS", help="cut these kinds only, and keep all others")
    return group


def read_choice(args: argparse.Namespace) -> Choice | None:
    """Read those options; None if none is given."""
    words = args.policy, args.keep, args.cut_only
    return None if words == (None, None, None) else choose(*words)


MarkupOptions = Mapping[str, tuple[tuple[str, ...], str]]

MARKUP_OPTIONS: MarkupOptions = {
    "links": (TEXT_FORMATS[1:], "links, with full addresses"),
    "images": (TEXT_FORMATS[1:], "images, with full addresses"),
    "no-tables": (TEXT_FORMATS[1:], "cells of tables as paragraphs"),
}
"""What can be asked for of the text of pages, and the formats that hold it."""


def add_markup_options(group: argparse._ActionsContainer, beside: MarkupOptions) -> None:
    """Add the options for what the formats of text hold; `markup_config` reads them."""
    for name, (forms, what) in beside.items():
        group.add_argument(f"--{name}", action="store_true", help=f"{what} ({', '.join(forms)})")


def markup_config(args: argparse.Namespace, beside: MarkupOptions, option: str, form: str) -> MarkupConfig:
    """Read those options, if the format that `option` asks for can hold what they ask for."""
    asked = [name for name in beside if getattr(args, name.replace("-", "_"))]
    for name in asked:
        if form not in (forms := beside[name][0]):
            raise ConfigError(f"--{name}: expected {option} {' or '.join(forms)}, got {form}")
    return MarkupConfig(**{name.removeprefix("no-"): not name.startswith("no-") for name in asked})


def read_config(args: argparse.Namespace) -> ReadConfig:
    """Read the names of the fields."""
    if args.record_source is not None and args.source_of is not None:
        raise ConfigError("--source and --source-of: expected one of them, got both")
    if args.text_field == args.html_field:
        raise ConfigError(f"--text-field and --html-field: expected two names, got {args.text_field!r} for both")
    return ReadConfig(
        **{name: getattr(args, name) for name in (f"{field}_field" for field in _FIELDS)},
        format=getattr(args, "input_format", None),
        source=args.record_source,
        source_of=args.source_of,
        max_record=args.max_record << 20,
        csv_delimiter=args.csv_delimiter,
        csv_encoding=args.csv_encoding,
    )


def check_archive_source(args: argparse.Namespace, instead: str) -> None:
    """Raise an error if the source of all records is given, but no records: whoever does wants one source only."""
    if args.record_source is not None and not args.archive:
        raise ConfigError(f"--source needs --archive: it is the source of all records, whatever they say; {instead}")


def check_only(args: argparse.Namespace, met: Iterable[str]) -> None:
    """Name the sources of ``--only`` that no record is of, by the sources that were met; raise an error if they are
    all, and there are others."""
    from templatemine.archive.chosen_sources import ChosenSources

    ChosenSources(args.only, args.record_source).check(lambda text: print_error(text, ""), met)


def select_records(args: argparse.Namespace, records: Iterable[Record], terminal: Terminal) -> Iterator[Record]:
    """Yield the records that ``--only`` names the source of, all without it; then do as `check_only`."""
    from templatemine.archive.chosen_sources import ChosenSources

    chosen = ChosenSources(args.only, args.record_source)
    yield from chosen.select(records, terminal.met.note)
    chosen.check(lambda text: print_error(text, ""))


def choose_packs(args: argparse.Namespace, packs: dict[str, Pack]) -> dict[str, Pack]:
    """Return the packs that ``--only`` names, all without it; raise an error for a source without a pack."""
    for name in args.only or ():
        if name not in packs:
            raise ConfigError(f"--only: there is no pack of {name!r}{did_you_mean(name, packs)}")
    return packs if args.only is None else {name: packs[name] for name in packs if name in args.only}


def suggest_command(args: argparse.Namespace, *words: str) -> str:
    """Return a command on the same records, quoted: with the names of their fields, as they were given."""
    defaults, given = ReadConfig(), []
    for name in _FIELDS:
        if (field := getattr(args, f"{name}_field")) != getattr(defaults, f"{name}_field"):
            given += [f"--{name}-field", field]
    for option, value in (("--source", args.record_source), ("--source-of", args.source_of)):
        given += [] if value is None else [option, value]
    return f"templatemine {shlex.join([*words, *given])}"


def add_scoring_options(group: argparse._ActionsContainer, *, of_packs: bool = False) -> None:
    """Add the options of the default method's decisions; `scoring_config` reads them.  With `of_packs`, caution
    defaults to None: that of each pack."""
    default = "that of the pack, or 1" if of_packs else "1"
    times = (
        "how much likelier than by default a string must be boilerplate; 2 asks for twice the odds, 0.5 for half. "
        "Above 1 fewer characters go as a rule; more may, where narrower strings take the place of one that is rejected"
    )
    group.add_argument(
        "--caution",
        type=number_of("SelectConfig.caution"),
        default=None if of_packs else SelectConfig().caution,
        metavar="X",
        help=f"{times} (default: {default})",
    )
    group.add_argument(
        "--model",
        metavar="FILE",
        default=SHIPPED,
        help="trees that score candidates, made by datasets/templates/train.py (default: those that ship)",
    )
    group.add_argument("--cues", metavar="FILE", help="phrases of boilerplate of your own, beside those that ship")


def add_text_markup(group: argparse._ActionsContainer) -> None:
    """Add the option whether texts hold mark-up."""
    told = "tags and entities in texts: html decodes them for finding templates, auto looks"
    add_words(group, "--text-markup", "TokeniseConfig.text_markup", told)


def scoring_config(args: argparse.Namespace) -> dict[str, Any]:
    """Read those options for a `PipelineConfig`; an error in the model is raised before any input is read."""
    if args.model != SHIPPED:
        from templatemine.mining.score import load_model

        load_model(args.model)
    if args.cues is not None:
        from templatemine.mining.methods import resolve_defaults

        _ = resolve_defaults(PipelineConfig(cues=args.cues)).lexicons
    select = SelectConfig() if args.caution is None else SelectConfig(caution=args.caution)
    return {"select": select, "model": args.model, "cues": args.cues}


def add_run_options(parser: argparse.ArgumentParser, jobs_help: str) -> None:
    """Add the options of a run: processes (none if `jobs_help` is empty), errors, output."""
    group = parser.add_argument_group("running")
    if jobs_help:
        add_jobs_option(group, jobs_help)
    group.add_argument("--force", "-f", action="store_true", help="replace existing files")
    group.add_argument(
        "--strict", action="store_true", help="stop at the first unreadable document, write nothing, exit 1"
    )
    group.add_argument(
        "--json",
        action="store_true",
        help="print the summary as JSON; to standard error if records go to standard output",
    )
    group.add_argument(
        "--quiet",
        "-q",
        action="store_true",
        help="no progress and no summary; skipped documents and errors are still printed",
    )


def check_inputs(inputs: Sequence[str]) -> None:
    """Raise errors that are known before anything is read."""
    if inputs.count("-") > 1:
        raise CorpusError("standard input can be read only once", "-", fatal=True)


def open_records(inputs: Sequence[str], config: ReadConfig, report: Report) -> Iterator[Record]:
    """Open the records of all inputs, in order; a missing input is an error before any is read.

    `report` is `Terminal.met`: a mere callable for errors would lose the notes of what was met.
    """
    from templatemine.io.read import read_records

    check_inputs(inputs)
    streams = [read_records(path, config, report) for path in inputs]
    return (record for stream in streams for record in stream)


def tell_overruled(records: Iterable[Record], config: ReadConfig) -> Iterator[Record]:
    """Yield records, and say at the end if they name several sources, and one is said for all."""
    from templatemine.io.fields import count_overruled, describe_overruled

    named: dict[str, int] = {}
    try:
        for record in records:
            count_overruled(named, record.fields, config)
            yield record
    finally:
        if told := describe_overruled(named, config):
            print_error(told, "")


def read_nonempty_records(inputs: Sequence[str], config: ReadConfig, terminal: Terminal) -> Iterator[Record]:
    """Read records as `open_records` does, and raise an error at the end if no document was readable: questions about
    an archive need one."""

    def some() -> Iterator[Record]:
        read = False
        for record in records:
            read = True
            yield record
        if not read:
            raise no_documents_error(terminal, inputs)

    records = open_records(inputs, config, terminal.met)
    return some()


def no_documents_error(terminal: Terminal, paths: Iterable[str]) -> CorpusError:
    """Return the error for inputs without a readable document; the bad ones have been named."""
    from templatemine.io.files import no_documents_error
    from templatemine.packs.pack_folder import rejected_path

    terminal.skipped_more()
    for path in paths:
        if os.path.isdir(path) and any(name.endswith(rejected_path("")) for name in os.listdir(path)):
            problem = "expected an archive, found a folder of packs, which templatemine show lists"
            return CorpusError(problem, path, fatal=True)
    return no_documents_error(paths, terminal.skipped, terminal.problems)


def same_file(one: str, other: str) -> bool:
    """Return whether two paths lead to the same file; ``-`` is none."""
    if "-" in (one, other):
        return False
    with suppress(OSError):
        return os.path.samefile(one, other)
    return os.path.realpath(one) == os.path.realpath(other)


def name_output(path: str) -> str:
    """Name an output in a message."""
    return "standard output" if path == "-" else path


_PACKS = "packs"
"""The folder in which packs are looked for by their source: that of all examples of mine."""


def find_packs(paths: Iterable[str]) -> list[str]:
    """Find packs and folders of packs, each as `find_pack` does."""
    return [find_pack(path) for path in paths]


def find_pack(path: str) -> str:
    """Return a path of a pack or of a folder of packs; where there is none, that of the pack of the source of this
    name, beside it or in ``packs``.

    Raises
    ------
    PackError
        There is none of them, and the places are named; or what is at the path is no pack, and one of them is there.
    """
    if not path:
        raise PackError("expected a pack, a folder of packs or the name of a source, got an empty name")
    if os.path.lexists(path):
        if (place := _pack_elsewhere(path)) and (problem := _describe_no_pack(path)):
            raise PackError(f"{problem}; did you mean {place}?")
        return path
    places = list(dict.fromkeys(_pack_places(path)))
    for place in places:
        if os.path.isfile(place):
            return place
    told = [place for place in places if _is_plain(place)]
    looked = f"; looked for {' and '.join(told)}, too" if told else ""
    raise PackError(f"{path}: there is no such pack or folder of packs{looked}{_suggest_source(path)}")


def _pack_places(path: str) -> Iterator[str]:
    """Yield where the pack of a source may be that is named without its folder, or without its suffix; a source may
    hold slashes."""
    from templatemine.packs.pack_folder import pack_names

    source = ""
    folder, last = os.path.split(path)
    if last:
        yield f"{path}.json"
    while last:
        source = f"{last}/{source}" if source else last
        yield os.path.join(folder, pack_names(source)[0])
        folder, last = os.path.split(folder)
    if not os.path.isabs(path):
        if path.endswith(".json") and path == os.path.basename(path):
            yield os.path.join(_PACKS, path)
        yield os.path.join(_PACKS, pack_names(path)[0])


def _pack_elsewhere(path: str) -> str:
    """Return the pack in ``packs`` that has the name of something else; empty if there is none."""
    from templatemine.packs.pack_folder import pack_names

    if os.path.isabs(path) or not os.path.isdir(_PACKS):
        return ""
    place = os.path.join(_PACKS, path if path.endswith(".json") else pack_names(path)[0])
    return place if os.path.isfile(place) else ""


def _is_plain(place: str) -> bool:
    """Return whether a place tells a person something: no name with a hash in it, and none with two suffixes."""
    return "~" not in os.path.basename(place) and not place.endswith(".json.json")


def _describe_no_pack(path: str) -> str:
    """Say why what is at a path is neither a pack nor a folder with one; empty if it is."""
    from templatemine.packs.pack_folder import PackFiles

    try:
        files = PackFiles([path], errors="skip")
    except PackError as error:
        return str(error)
    return files.unnamed[0] if len(files.unnamed) == len(files) else ""


def _suggest_source(path: str) -> str:
    """Return what to add to a message: a question after the source of a pack in the folder of a path, or in ``packs``,
    that begins with this name or has nearly this name (of a file that was renamed, its name), or after such a folder of
    packs; else what packs there are, or the command that makes them."""
    folder, name = os.path.split(path.rstrip(os.sep))
    before = os.path.join(folder, "") if os.path.isdir(folder) else ""
    given, sources = (name if before else path).removesuffix(".json"), _pack_sources(folder if before else _PACKS)
    small = given.casefold()
    begun = [one for one in sources if one.casefold().startswith(small)]
    if begun:
        # The name of a folder or of a domain ends there; others only begin with the same letters.
        nearest = min(begun, key=lambda one: (one[len(small) : len(small) + 1] not in ("/", "."), one))
        return f"; did you mean {before}{nearest}?"
    beside = os.path.join(folder, "") if folder else ""
    question = did_you_mean(given, sources, before) or did_you_mean(name, _pack_folders(folder or os.curdir), beside)
    there = f"; in {folder if before else _PACKS} are those of {list_names(sources)}" if sources else ""
    return question or there or "; templatemine mine makes packs"


def _pack_sources(folder: str) -> list[str]:
    """Return the sources of the packs of a folder, of files that were renamed their names; none if it has no packs."""
    from templatemine.packs.pack_folder import PackFiles, pack_names

    with suppress(PackError):
        names = {os.path.basename(file): one for one, file in PackFiles([folder], errors="skip").files.items()}
        return sorted(one if file == pack_names(one)[0] else file.removesuffix(".json") for file, one in names.items())
    return []


def _pack_folders(folder: str) -> list[str]:
    """Return the names of the folders in a folder that `mine` wrote packs to."""
    from templatemine.packs.pack_folder import rejected_path

    with suppress(OSError):
        return [
            one.name
            for one in os.scandir(folder)
            if one.is_dir() and any(name.endswith(rejected_path("")) for name in os.listdir(one))
        ]
    return []


def check_output(inputs: Iterable[str], output: str, named: str | None = None) -> None:
    """Raise a fatal `CorpusError` if the output is one of the inputs, or would be read with them the next time.

    `named` is the format that the inputs are said to have.
    """
    for path in inputs:
        if same_file(path, output):
            raise CorpusError("is an input; the output must be another file", output, fatal=True)
        if output != "-" and os.path.isdir(path):
            from templatemine.io.folder import would_read

            if would_read(path, output, named):
                problem = f"lies in the input folder {path}, and would be read with it; the output must be elsewhere"
                raise CorpusError(problem, output, fatal=True)


# ----------------------------------------------------------------------------------------------------------- messages


class Terminal:
    """The messages of a run, on standard error."""

    def __init__(self, *, quiet: bool, strict: bool) -> None:
        self.quiet = quiet
        self.strict = strict
        self.skipped = 0
        self.skipped_packs = 0
        self._hints: set[str] = set()
        self._last_problem = ""
        self.problems: set[str] = set()  # two at most: one alone is that of all that were skipped
        self._named_later = 0
        self._began = time.monotonic()
        self._met: Report | None = None

    @property
    def met(self) -> Report:
        """Return the report for readers: documents with errors are skipped (see `skip`), diagnostics are counted."""
        if self._met is None:
            from templatemine.io.files import Report

            self._met = Report(self.skip)
        return self._met

    @property
    def seconds(self) -> float:
        """Return the seconds since the start."""
        return time.monotonic() - self._began

    @property
    def code(self) -> int:
        """Return the exit code of a run that came to its end: 1 if documents were skipped, or a pack was left out."""
        return 1 if self.skipped or self.skipped_packs else 0

    def skip(self, error: CorpusError) -> None:
        """Count an unreadable document; the first few are named, and the first one stops a strict run."""
        if self.strict:
            raise StrictStop(f"{error} (stopped because of --strict)")
        self.skipped += 1
        if len(self.problems) < 2:
            self.problems.add(error.problem)
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
        print_error(problem, "pack skipped: ")

    def skip_packs(self, problems: Mapping[str, str], unnamed: Iterable[str] = ()) -> None:
        """Count packs by their sources, and others that do not tell theirs, as `skip_pack` does."""
        for problem in dict.fromkeys([*(problem for _, problem in sorted(problems.items())), *unnamed]):
            self.skip_pack(problem)

    def skip_bad_pack(self, source: str, error: Exception) -> None:
        """Count a pack that cannot be read: what readers of several packs call."""
        self.skip_pack(str(error))

    def skipped_more(self) -> None:
        """Print how many more documents were skipped than were named."""
        more = self.skipped - MAX_NAMED_SKIPS - self._named_later
        if more > 0:
            print_error(f"and {more:,} more", "skipped: ")

    def note(self, text: str) -> None:
        """Print one line that is no error, even in quiet runs: something unexpected was done."""
        print_error(text, "")

    def notes(self) -> list[str]:
        """Return the counts of the readers, one line each."""
        if self._met is None:
            return []
        first = self._met.first_places
        return [
            f"{what}: {number:,}" + (f", first {first[what]}" if what in first else "")
            for what, number in sorted(self._met.notes.items())
        ]

    def figures(self) -> dict[str, Any]:
        """Return what summaries for machines have in common."""
        return {"skipped": self.skipped, "met": self.met.notes, "seconds": round(self.seconds, 3)}

    def say(self, *lines: str) -> None:
        """Print lines of a summary, whatever they hold."""
        if not self.quiet:
            write_message(sys.stderr, "".join(escape_controls(line) + "\n" for line in lines))

    def report(self, summary: dict[str, Any], *, to_stdout: bool) -> None:
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
