"""``templatemine evaluate``: measures how well templates are found, on the user's own archive."""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from templatemine._version import __version__
from templatemine.cli import common, messages, number_types, pack_paths, text_tables
from templatemine.cli.parser import Need, Parser
from templatemine.config import CleanConfig, PipelineConfig
from templatemine.controls import name_on_line
from templatemine.errors import ConfigError, CorpusError, counted, did_you_mean
from templatemine.evaluation.trial_config import (
    FeedConfig,
    GoldConfig,
    InjectionConfig,
    MirrorConfig,
    ResidueConfig,
    RetrievalConfig,
)
from templatemine.progress import Progress, report_reading

if TYPE_CHECKING:
    from templatemine.evaluation.protocol import System, TrialResult
    from templatemine.model import Document, Record

DESCRIPTION = """\
Six trials on an archive of your own, each with a fixed seed. Prints tables;
--json writes all figures with seed and sample.

  injection   put synthetic templates into articles: which are removed, and
              what else is removed
  gold        compare with annotated spans, or with gold texts
  retrieval   near duplicates and clusters before and after cleaning
  mirror      two copies of a site with different boilerplate must become equal
  feed        compare pages with the text of their feed
  residue     what cuts leave behind: torn beginnings, lone signs, empty labels
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    """What a trial is given: its options, the record of them, the records of the inputs and those of ``--other``, and
    the system under test."""

    args: argparse.Namespace
    config: Any
    records: list[Record]
    other: list[Record]
    system: System

    @property
    def documents(self) -> list[Document]:
        return [record.document for record in self.records]


@dataclass(frozen=True, kw_only=True)
class _Trial:
    help: str
    description: str
    config: Any
    """The record that its options make."""
    add: Callable[[argparse.ArgumentParser], None]
    run: Callable[[_Task], list[TrialResult]]
    clean: CleanConfig | None = None
    """How articles are cleaned; None for all kinds of boilerplate, as annotators mark them."""
    takes_packs: bool = False


COMMON = ()

_COMMON = (
    "--packs",
    "--spans",
    "--gold-field",
    "--label-field",
    "--group-field",
    "--other",
    "--feed-field",
    "--templates",
    "--clean",
    "--folds",
    "--sample",
    "--seed",
    "--method",
    "--json",
)
"""Options that the help of a trial lists, of those that it has."""

_NEEDS = {**common.SCORING_NEEDS, "--force": Need("--json", why="it replaces FILE")}


def add(parser: argparse.ArgumentParser) -> None:
    """Add a sub-command for each trial, with its options."""
    trials = parser.add_subparsers(metavar="TRIAL", required=True, parser_class=Parser)
    for name, trial in TRIALS.items():
        own = trials.add_parser(name, help=trial.help, description=trial.description)
        own.common, own.needs, own.beside = _COMMON, _NEEDS, trials.choices.values()
        told = "packs or folders of packs to evaluate (default: packs mined from the inputs)"
        packs = common.add_packs_option(own, told) if trial.takes_packs else None
        common.add_inputs(own, packs)
        trial.add(own)
        if "sample" in trial.config.__dataclass_fields__:
            sample = trial.config().sample
            told = f"documents of each source, picked by the seed (default: {sample or 'all'})"
            own.add_argument("--sample", metavar="N", type=number_types.int_at_least(1), default=sample, help=told)
        _add_shared(own)
        own.set_defaults(trial=trial)


def _add_shared(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("trial")
    common.add_number(group, "--seed", 0, 1, "seed of everything random")
    group.add_argument(
        "--method", metavar="NAME", default=PipelineConfig().method, help="learned, energy or thesis (%(default)s)"
    )
    common.add_scoring_options(group)
    group.add_argument(
        "--json",
        metavar="FILE",
        nargs="?",
        const="-",
        help="write figures, seed and sample as JSON; without FILE, print them instead of the tables",
    )
    group.add_argument("--force", "-f", action="store_true", help="replace FILE if it exists")
    common.add_jobs_option(group, "number of processes")
    common.add_reading_options(group, "no progress")
    common.add_only_option(parser, "only articles of this source")
    common.add_input_options(parser)


def run(args: argparse.Namespace, terminal: messages.Terminal) -> None:
    """Read, run the trial, print."""
    from templatemine.io.write import atomic_writer

    others: list[str] = getattr(args, "other", None) or []
    if args.json:
        spans = getattr(args, "spans", None)
        common.check_output([*args.inputs, *others, *([spans] if spans else [])], args.json)
    system = _make_system(args, terminal)
    to_file = args.json and args.json != "-"
    with atomic_writer(args.json, force=args.force) if to_file else nullcontext() as output:
        with terminal.progress() as steps:
            common.check_inputs([*args.inputs, *others])
            records, other = (list(_read_records(args, paths, terminal, steps)) for paths in (args.inputs, others))
            if not records:
                raise common.no_documents_error(terminal, args.inputs)
            steps("evaluating", 0, None)
            skipped = terminal.skipped
            config = common.record_of(args.trial.config, args)
            task = _Task(args=args, config=config, records=records, other=other, system=system)
            results = args.trial.run(task)
        if late := terminal.skipped - skipped:
            note = f"{counted(late, 'document')} could not be cleaned, counted as unchanged"
            results[0] = replace(results[0], notes=(note, *results[0].notes))
        terminal.tell_more_skipped()
        terminal.say(*terminal.notes())
        facts = json.dumps(_result_json(task, results, skipped, terminal.reader_report.notes), indent=1) + "\n"
        if args.json == "-":
            messages.print_text(facts)
            return
        messages.print_text(
            "\n\n".join("\n".join(map(name_on_line, _format_result(result))) for result in results) + "\n"
        )
        if output is not None:
            output.write(facts.encode())


def _make_system(args: argparse.Namespace, terminal: messages.Terminal) -> System:
    """Return the system under test: mining with the given options, or existing packs."""
    from templatemine.evaluation.cleaning_systems import mining_system, pack_cleaner
    from templatemine.packs.pack_folder import PackFiles

    if not getattr(args, "packs", None):
        config = PipelineConfig(method=args.method, **common.scoring_config(args))
        return mining_system(config, clean=args.trial.clean, jobs=args.jobs)
    mining = PipelineConfig()
    given = (args.method, args.model, args.caution, args.cues, getattr(args, "folds", 1))
    if given != (mining.method, mining.model, mining.select.caution, None, 1):
        raise ConfigError("--packs excludes --method, --model, --caution, --cues and --folds: nothing is mined")
    args.method = args.model = None
    clean = pack_cleaner(
        PackFiles(pack_paths.find_packs(args.packs)).load_all(), args.trial.clean, terminal.reader_report
    )
    return lambda history, documents: clean(documents)


def _read_records(
    args: argparse.Namespace, paths: Sequence[str], terminal: messages.Terminal, steps: Progress
) -> Iterator[Record]:
    records = common.open_records(paths, common.read_config(args), terminal.reader_report)
    return common.select_records(args, report_reading(records, steps), terminal)


_FIELDS = ("other", "packs", "spans", "gold_field", "label_field", "group_field", "feed_field")
"""Options of the trials that name their ground truth."""


def _result_json(task: _Task, results: Sequence[TrialResult], skipped: int, notes: Mapping[str, int]) -> dict[str, Any]:
    args = task.args
    return {
        "templatemine": __version__,
        "python": platform.python_version(),
        "method": args.method,
        "model": args.model,
        "inputs": list(args.inputs),
        "documents": len(task.records),
        "digest": _hash_inputs(task),
        **{name.replace("_", " "): value for name in _FIELDS if (value := getattr(args, name, None)) is not None},
        "skipped": skipped,
        "met": notes,
        "results": [result.as_dict() for result in results],
    }


def _hash_inputs(task: _Task) -> str:
    """Return a digest of all documents read, in any order: equal digests mean that figures can be compared."""
    whole = hashlib.sha256()
    for records in (task.records, task.other):
        documents = (record.document for record in records)
        parts = sorted(
            hashlib.sha256(repr((one.source, one.id, one.date, one.is_html, one.body)).encode()).digest()
            for one in documents
        )
        whole.update(b"".join([len(parts).to_bytes(8, "big"), *parts]))
    return whole.hexdigest()


def _format_result(result: TrialResult) -> list[str]:
    width = text_tables.terminal_width(sys.stdout)
    # Names of several words take two lines, so that a table fits 80 columns.
    header = [("" if unit == "text" else ">") + name.replace(" ", "\n", 1) for name, unit in result.units.items()]
    rows = [[_format_value(row.get(name), unit) for name, unit in result.units.items()] for row in result.rows]
    settings = "; ".join(f"{name}: {_format_setting(value)}" for name, value in result.settings.items())
    said = [settings, *result.notes]
    if width is not None:
        said = [line for text in said for line in textwrap.wrap(text, width - 1, subsequent_indent="  ")]
    return [result.name, *text_tables.format_table(header, rows, width), *said]


def _format_value(value: Any, unit: str) -> str:
    if value is None:
        return "-"
    if unit == "share":
        return f"{value:.1%}"
    if unit == "small share":
        return f"{value:.2%}"
    if unit == "number":
        return f"{round(value, 2) + 0.0:,.2f}"  # no minus before 0.00
    return f"{value:,}" if unit == "count" else str(value)


def _format_setting(value: Any) -> str:
    if value is None:
        return "all"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _make_ids_unique(task: _Task) -> list[Record]:
    """Make ids of records unique: an id that several sources have gets its source as a prefix.

    Results refer to documents by id; sources that number their articles would be confused.
    """
    sources: dict[str, set[str]] = {}
    for record in task.records:
        sources.setdefault(record.document.id, set()).add(record.document.source)
    return [
        record
        if len(sources[(one := record.document).id]) == 1
        else replace(record, document=replace(one, id=f"{one.source}/{one.id}"))
        for record in task.records
    ]


def _field_values(task: _Task, option: str, records: Sequence[Record]) -> dict[str, str]:
    """Return the field that an option names of the records by their ids, without empty ones."""
    name = getattr(task.args, option)
    found = {record.document.id: record.fields.get(name) for record in records}
    kept = {key: str(value) for key, value in found.items() if value not in (None, "")}
    if not kept:
        written, fields = f"--{option.replace('_', '-')}", {one: None for record in records for one in record.fields}
        problem = f"none of the records has a field {name!r} ({written}){did_you_mean(name, fields)}"
        raise CorpusError(problem, fatal=True)
    return kept


# ---------------------------------------------------------------------------------------------------------- the trials


def _parse_numbers(text: str) -> tuple[int, ...]:
    return tuple(map(number_types.int_at_least(1), text.split(",")))


def _add_injection(parser: argparse.ArgumentParser) -> None:
    defaults = InjectionConfig()
    parser.add_argument(
        "--sample",
        dest="documents",
        metavar="N,N,…",
        type=_parse_numbers,
        default=defaults.documents,
        help=f"numbers of documents of each source, one run each (default: {','.join(map(str, defaults.documents))})",
    )
    common.add_number(parser, "--templates", 1, defaults.templates, "templates put into each source")
    parser.add_argument(
        "--clean",
        action="store_true",
        help="the articles have no boilerplate of their own: any other removal counts as false",
    )


def _run_injection(task: _Task) -> list[TrialResult]:
    from templatemine.evaluation.injection import evaluate_injection

    return [evaluate_injection(task.documents, task.system, task.config)]


def _add_gold(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--spans", metavar="PATH", help="annotated spans: a .jsonl file, or a folder of them")
    parser.add_argument("--gold-field", metavar="NAME", help="the field with the gold text (default: gold)")
    parser.add_argument(
        "--form",
        metavar="NAME",
        default="auto",
        help="of the gold texts: auto, plain, cleaneval or dragnet (%(default)s)",
    )
    common.add_number(
        parser, "--folds", 1, 1, "clean each N-th of the pages with packs mined from the others; for gold texts"
    )


def _run_gold(task: _Task) -> list[TrialResult]:
    from templatemine.evaluation.gold import evaluate_annotation, evaluate_texts, gold_texts, read_spans

    if task.args.spans:
        if task.args.gold_field or task.args.folds != 1:
            raise ConfigError("--spans excludes --gold-field and --folds")
        return evaluate_annotation(task.documents, read_spans(task.args.spans), task.system, task.config)
    name = task.args.gold_field or "gold"
    records = _make_ids_unique(task)
    texts = gold_texts((record.document, record.fields.get(name)) for record in records)
    if not any(text is not None for text in texts.values()):
        near = did_you_mean(name, {one: None for record in records for one in record.fields})
        problem = f"none of the records has a gold text in a field {name!r} (--gold-field){near}"
        raise CorpusError(problem, fatal=True)
    return [evaluate_texts([record.document for record in records], texts, task.system, task.config)]


def _add_retrieval(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--label-field", metavar="NAME", help="the field with the topic of an article (default: its source)"
    )
    parser.add_argument(
        "--group-field",
        metavar="NAME",
        help="the field that is equal for near duplicates (default: copies are made)",
    )


def _run_retrieval(task: _Task) -> list[TrialResult]:
    from templatemine.evaluation.retrieval import evaluate_clustering, evaluate_near_duplicates

    records = _make_ids_unique(task)
    documents = [record.document for record in records]
    groups = _field_values(task, "group_field", records) if task.args.group_field else None
    results = [evaluate_near_duplicates(documents, task.system, task.config, groups)]
    sources = {document.id: document.source for document in documents}
    if task.args.label_field or len(set(sources.values())) > 1:
        labels = _field_values(task, "label_field", records) if task.args.label_field else sources
        results.append(evaluate_clustering(documents, labels, task.system, task.config))
    else:
        note = "no clusters: there is one source, and no --label-field"
        results[0] = replace(results[0], notes=(*results[0].notes, note))
    return results


def _add_mirror(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--other",
        metavar="PATH",
        nargs="+",
        action="extend",
        help="an existing copy, matched by ids; after the inputs (default: two copies are made)",
    )


def _run_mirror(task: _Task) -> list[TrialResult]:
    from templatemine.evaluation.mirror import compare_copies, evaluate_mirror

    if not task.args.other:
        return [evaluate_mirror(task.documents, task.system, task.config)]
    return [compare_copies(task.documents, [record.document for record in task.other], task.system, task.config)]


def _add_feed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--feed-field", metavar="NAME", default="feed", help="the field with the feed's text (default: %(default)s)"
    )
    common.add_number(
        parser, "--folds", 1, FeedConfig().folds, "clean each N-th of the pages with packs mined from the others"
    )


def _run_feed(task: _Task) -> list[TrialResult]:
    from templatemine.evaluation.feeds import evaluate_feed

    records = _make_ids_unique(task)
    documents = [record.document for record in records]
    return [evaluate_feed(documents, _field_values(task, "feed_field", records), task.system, task.config)]


def _add_residue(parser: argparse.ArgumentParser) -> None:
    common.add_number(parser, "--examples", 0, ResidueConfig().examples, "examples of each kind")


def _run_residue(task: _Task) -> list[TrialResult]:
    from templatemine.evaluation.residue import evaluate_residue

    return [evaluate_residue(task.documents, task.system, task.config)]


TRIALS = {
    "injection": _Trial(
        help="synthetic templates put into articles",
        description="""\
Makes templates from each source's own words, puts them into its articles, mines
the articles and counts what is removed.

They are fixed, with slots, changing with time, within a line, as a line, at its
edge; counts are by kind, length, document frequency and number of documents.
What is removed without any synthetic template is ignored, unless --clean is
given.
""",
        config=InjectionConfig,
        add=_add_injection,
        run=_run_injection,
    ),
    "gold": _Trial(
        help="annotated spans, or gold texts",
        description="""\
Compares what is cut with annotated spans (--spans), or the words of the cleaned
text or page with those of a gold text in each record.

Spans are JSON lines {"id", "spans": [[start, end, status, kind]]} of documents
of the archive, in characters; the status is template, dynamic or optional, the
kind may be missing. Wounds are counted, too: places at which content is cut.
""",
        config=GoldConfig,
        add=_add_gold,
        run=_run_gold,
        takes_packs=True,
    ),
    "retrieval": _Trial(
        help="near duplicates and clusters, before and after",
        description="""\
Finds near duplicates and clusters in the articles, uncleaned and cleaned. The
field of --group-field names the duplicates; without it each article is copied
into the boilerplate of a second publisher, with some of its words changed.
""",
        config=RetrievalConfig,
        add=_add_retrieval,
        run=_run_retrieval,
    ),
    "mirror": _Trial(
        help="two copies of a site with different boilerplate",
        description="""\
Makes two copies of each source with different boilerplate, cleans each copy
with a pack mined from this copy alone, and measures how much the two texts of
an article differ.
""",
        config=MirrorConfig,
        add=_add_mirror,
        run=_run_mirror,
    ),
    "feed": _Trial(
        help="pages against the text of their feed",
        description="""\
Reads records with a page and the text of its feed. Measures how much of this
text the cleaned page keeps and, if the feed has full texts, how much else.
""",
        config=FeedConfig,
        add=_add_feed,
        run=_run_feed,
    ),
    "residue": _Trial(
        help="what cuts leave behind",
        description="""\
Cleans articles and counts those in which a cut leaves a line that begins in
small letters or with punctuation, an unbalanced bracket or quote, a sign alone,
a label without what it labelled, or a sentence without its end. It needs no
annotations. With --packs it checks packs as they stand. What is cut is what
clean cuts by default, and report looks at: notes stay.
""",
        config=ResidueConfig,
        add=_add_residue,
        run=_run_residue,
        clean=CleanConfig(),
        takes_packs=True,
    ),
}
