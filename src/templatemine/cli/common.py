"""Code that sub-commands share: their options, and the inputs that these name."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from textwrap import fill
from typing import TYPE_CHECKING, Any, TypeVar, cast

from templatemine.bounds import NUMBERS, WORDS
from templatemine.cli.messages import Terminal, print_error
from templatemine.cli.number_types import int_at_least, number_of, parse_jobs
from templatemine.cli.parser import Need
from templatemine.config import (
    SHIPPED,
    TEXT_FORMATS,
    MarkupConfig,
    PageConfig,
    PipelineConfig,
    ReadConfig,
    SelectConfig,
    TokeniseConfig,
)
from templatemine.errors import ConfigError, CorpusError, did_you_mean
from templatemine.kinds import KINDS, POLICIES, Choice, choose

if TYPE_CHECKING:
    from templatemine.cli.parser import Parser
    from templatemine.io.files import Report
    from templatemine.model import Record
    from templatemine.packs.pack import Pack

_Record = TypeVar("_Record")

INPUT_HELP = """\
files or folders: JSON lines, WARC, feeds, tables; any format of "templatemine formats"; a folder of .txt or .html
files, or of such archives; a glob pattern in quotes; a URL (s3://, hf:// ...); or - for standard input"""

PACKS_HELP = "packs, or folders of packs; or the name of a source, for its pack in packs/"
ONE_PACK_HELP = "a pack, or a folder of packs; or the name of a source, for its pack in packs/"

# ------------------------------------------------------------------------------------------------------------ options


def add_number(
    group: argparse._ActionsContainer, name: str, least: int, default: int, told: str, short: str = ""
) -> None:
    """Add an option for a whole number from `least` up; `told` and its default are its help."""
    names = [name, short] if short else [name]
    parse = int_at_least(least)
    group.add_argument(*names, metavar="N", type=parse, default=default, help=f"{told} (default: %(default)s)")


def add_field(
    group: argparse._ActionsContainer, record: Any, field: str, told: str, name: str = "", **options: Any
) -> None:
    """Add the option for a field of a record of options, whose words or bounds, and default, it has (`bounds`).

    It is called as the field, unless `name` says otherwise; `record_of` then makes the record of them.  `told` is its
    help, with the default behind it if it tells none.
    """
    row, default = f"{record.__name__}.{field}", record.__dataclass_fields__[field].default
    kind: dict[str, Any] = {"choices": WORDS[row]} if row in WORDS else {"type": number_of(row), "metavar": "N"}
    shown = f" (default: %(default){'g' if isinstance(default, float) else 's'})"
    told += "" if "(default: " in told else shown
    group.add_argument(name or f"--{field.replace('_', '-')}", help=told, **{"default": default, **kind, **options})


def record_of(record: Callable[..., _Record], args: argparse.Namespace, **others: Any) -> _Record:
    """Make a record of options of those that are called as its fields, and others."""
    given = {one.name: getattr(args, one.name) for one in fields(cast(Any, record)) if one.name in args}
    return record(**{**given, **others})


_FIELDS: Mapping[str, str] = {
    "text": "field of the text",
    "html": "field of the HTML page",
    "source": "field of the source; without it the file name is the source",
    "id": "field of the id",
    "date": "field of the date",
    "url": "field of the address",
    "title": "field of the headline",
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


def add_input_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for the format of the inputs, the names of their fields, and the source of all records."""
    parser.add_argument(
        "--input-format",
        metavar="NAME",
        help="format of the inputs, see templatemine formats; by default the suffix tells, and - is a page if it "
        "begins like one, else JSON lines",
    )
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
        help="take the source from host, domain, path:0 ...; domain or host (of the url), field:NAME, path:N (0 is the "
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
        help="for CSV: the delimiter, one character or tab (default: the one of , ; | and tab in the header)",
    )
    group.add_argument(
        "--csv-encoding",
        metavar="NAME",
        default=defaults.csv_encoding,
        help="for CSV: the encoding, such as cp1252 (default: %(default)s)",
    )


def archive_needs(instead: str) -> dict[str, Need]:
    """Return what the options of inputs need in a command that can do without any; whoever gives a source wants that
    one only, and has it by what there is `instead`."""
    others = ("input-format", "source-of", "max-record", "csv-delimiter", "csv-encoding")
    names = [*(f"--{name}-field" for name in _FIELDS), *(f"--{name}" for name in others)]
    source = f"it is the source of all records, whatever they say; {instead}"
    return dict.fromkeys(names, Need("--archive")) | {"--source": Need("--archive", why=source)}


def add_packs_and_archive(parser: Parser, told: str, nargs: str | None = "+", *, required: bool = False) -> None:
    """Add packs, and the option for the inputs beside them."""
    packs = parser.add_argument("packs", metavar="PACKS", nargs=nargs, help=told)
    archive = add_archive_option(parser, required=required)
    name_packs(parser, packs, archive)


def add_archive_option(parser: argparse.ArgumentParser, *, required: bool = False) -> argparse.Action:
    """Add the option for the inputs beside packs."""
    return parser.add_argument(
        "--archive",
        "-a",
        metavar="INPUT",
        nargs="+",
        action="extend",
        default=[],
        required=required,
        help=INPUT_HELP,
    )


def name_packs(parser: Parser, packs: argparse.Action, inputs: argparse.Action | None) -> None:
    """Let a command that takes packs without an option take them as others do."""
    told = "the packs, as clean takes them" + ("; inputs are then what has no option" if inputs else "")
    parser.name_first(packs, inputs, "--packs", "-p", metavar="PATH", help=told)


def add_inputs(parser: Parser, packs: argparse.Action | None = None, told: str = INPUT_HELP) -> None:
    """Add inputs without an option, and the option by which a command takes them as others do (`name_inputs`)."""
    name_inputs(parser, parser.add_argument("inputs", metavar="INPUT", nargs="+", help=told), packs)


def name_inputs(parser: Parser, inputs: argparse.Action, packs: argparse.Action | None) -> None:
    """Let a command that takes inputs without an option take them as others do."""
    told = "the inputs, as report takes them" + ("; packs are then what has no option" if packs else "")
    parser.name_first(inputs, packs, "--archive", "-a", metavar="INPUT", nargs="+", help=told)


def add_only_option(parser: argparse._ActionsContainer, told: str) -> None:
    """Add the option for the sources that a command is about."""
    parser.add_argument("--only", metavar="SOURCE", action="append", help=f"{told}; may be repeated")


def add_jobs_option(group: argparse._ActionsContainer, told: str) -> None:
    """Add the option for the number of processes."""
    told += "; 0 for one per processor (default: %(default)s)"
    group.add_argument("--jobs", "-j", metavar="N", type=parse_jobs, default=1, help=told)


def add_packs_option(group: argparse._ActionsContainer, meaning: str, **options: Any) -> argparse.Action:
    """Add the option for packs or folders of packs, one path each time."""
    told = f"{meaning}; may be repeated"
    return group.add_argument("--packs", "-p", metavar="PATH", action="append", help=told, **options)


def add_main_text_options(group: argparse._ActionsContainer) -> None:
    """Add the options for what the main text of a page holds."""
    told = "for pages: keep or drop headline, byline and date in the main text"
    add_field(group, PageConfig, "headline", told)
    told = "for pages: the main text, or all but boilerplate, with comments"
    add_field(group, PageConfig, "keep", told, "--content")
    told = f"for pages: what they are, one of {', '.join(WORDS['PageConfig.kind'])}"
    add_field(group, PageConfig, "kind", told, metavar="KIND")


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
    given = {"format": args.input_format, "source": args.record_source, "max_record": args.max_record << 20}
    return record_of(ReadConfig, args, **given)


def check_only(args: argparse.Namespace, met: Iterable[str]) -> None:
    """Name the sources of ``--only`` that no record is of, by the sources that were met; raise an error if they are
    all, and there are others."""
    from templatemine.archive.chosen_sources import ChosenSources

    ChosenSources(args.only, args.record_source).check(lambda text: print_error(text, ""), met)


def select_records(args: argparse.Namespace, records: Iterable[Record], terminal: Terminal) -> Iterator[Record]:
    """Yield the records that ``--only`` names the source of, all without it; then do as `check_only`."""
    from templatemine.archive.chosen_sources import ChosenSources

    chosen = ChosenSources(args.only, args.record_source)
    yield from chosen.select(records, terminal.reader_report.note)
    chosen.check(lambda text: print_error(text, ""))


def choose_packs(args: argparse.Namespace, packs: dict[str, Pack], files: Collection[str]) -> dict[str, Pack]:
    """Return the packs that ``--only`` names, all without it; raise an error for a source without a pack, or with one
    of the `files` that were skipped."""
    for name in args.only or ():
        if name not in packs:
            if name in files:
                raise ConfigError(f"--only: the pack of {name!r} was skipped, for the error above")
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


SCORING_NEEDS: Mapping[str, Need] = dict.fromkeys(("--caution", "--model", "--cues"), Need("--method", ("learned",)))
"""What the options below need in commands with a choice of methods."""


def add_scoring_options(group: argparse._ActionsContainer, *, of_packs: bool = False) -> None:
    """Add the options of the default method's decisions; `scoring_config` reads them.  With `of_packs`, caution
    defaults to None: that of each pack."""
    default = "that of the pack, or 1" if of_packs else "1"
    times = (
        "above 1 cut less, below 1 more; a string must have X times the odds of being boilerplate. Rarely, more "
        "characters go above 1, where narrower strings take the place of one that is rejected"
    )
    own: dict[str, Any] = {"default": None} if of_packs else {}
    add_field(group, SelectConfig, "caution", f"{times} (default: {default})", metavar="X", **own)
    group.add_argument(
        "--model",
        metavar="FILE",
        default=SHIPPED,
        help="scoring model, made by datasets/templates/train.py (default: the one that ships)",
    )
    group.add_argument("--cues", metavar="FILE", help="your own phrases of boilerplate, beside those that ship")


def add_text_markup(group: argparse._ActionsContainer) -> None:
    """Add the option whether texts hold mark-up."""
    told = "tags and entities in texts: html decodes them for finding templates, auto looks"
    add_field(group, TokeniseConfig, "text_markup", told)


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


def add_reading_options(group: argparse._ActionsContainer, quiet: str) -> None:
    """Add the options of runs that read, and print: errors, and what `quiet` says."""
    group.add_argument("--strict", action="store_true", help="stop at the first document that cannot be read, exit 1")
    group.add_argument("--quiet", "-q", action="store_true", help=quiet)


def check_inputs(inputs: Sequence[str]) -> None:
    """Raise errors that are known before anything is read."""
    if inputs.count("-") > 1:
        raise CorpusError("standard input can be read only once", "-", fatal=True)


def open_records(inputs: Sequence[str], config: ReadConfig, report: Report) -> Iterator[Record]:
    """Open the records of all inputs, in order; a missing input is an error before any is read.

    `report` is `Terminal.reader_report`: a mere callable for errors would lose the notes of what was met.
    """
    from templatemine.io.read import read_records

    check_inputs(inputs)
    streams = [read_records(path, config, report) for path in inputs]
    return (record for stream in streams for record in stream)


def tell_overruled(args: argparse.Namespace, records: Iterable[Record]) -> Iterator[Record]:
    """Yield records, and say at the end if they name several sources, and one is said for all."""
    from templatemine.io.fields import count_overruled

    named: dict[str, int] = {}
    config = read_config(args)
    try:
        for record in records:
            count_overruled(named, record.fields, config)
            yield record
    finally:
        if told := describe_overruled(args, named):
            print_error(told, "")


def describe_overruled(args: argparse.Namespace, sources: Collection[str]) -> str:
    """Say that several sources have become one; with ``--only``, where a command has it: it is what most meant."""
    from templatemine.io.fields import describe_overruled

    return describe_overruled(sources, read_config(args), ", --only NAME takes one of them" * hasattr(args, "only"))


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

    records = open_records(inputs, config, terminal.reader_report)
    return some()


def read_archive(args: argparse.Namespace, terminal: Terminal) -> Iterator[Record]:
    """Read the records of ``--archive``, of which there must be one; say at the end what ``--source`` overruled."""
    return tell_overruled(args, read_nonempty_records(args.archive, read_config(args), terminal))


def no_documents_error(terminal: Terminal, paths: Iterable[str]) -> CorpusError:
    """Return the error for inputs without a readable document; the bad ones have been named."""
    from templatemine.io.files import no_documents_error

    terminal.tell_more_skipped()
    return no_documents_error(paths, terminal.skipped, terminal.reader_report.problems)


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
