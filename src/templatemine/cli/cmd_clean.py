"""``templatemine clean``: reads records, writes them without templates."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from templatemine.cli import common, messages, number_types, pack_paths, text_tables
from templatemine.cli.parser import Need
from templatemine.config import TEXT_FORMATS, CleanConfig, PageConfig
from templatemine.errors import ConfigError, CorpusError, counted, list_names
from templatemine.kinds import CUT_ALL, DEFAULT_POLICY, KINDS, POLICIES, Choice
from templatemine.report.limits import MAX_LOST, MAX_RESTS, MAX_STUBS, MAX_TORN, format_share, is_over, sample_size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from templatemine.cleaning.records import RecordCleaner, RecordConfig
    from templatemine.cleaning.tally import SourceTally, Tally
    from templatemine.cli.parser import Parser
    from templatemine.config import ReadConfig
    from templatemine.io.pending import PendingBatch
    from templatemine.packs.pack_folder import PackFiles, PackTraits
    from templatemine.report.rests import Shared

DESCRIPTION = """\
Cuts the templates of packs from records. Every record is written with all its
fields; only the text changes, and a new field "removed" lists the cuts.

"removed" is [{"start", "end", "templates", "kind"}], in characters of the
original text. Each template of a pack has a kind of boilerplate (see below);
kinds that you keep stay whole. Old packs have no kinds: everything is cut.

The source of a record selects the pack. A pack mined from text reads the text
field. A pack mined from HTML reads the html field; the text written is then
the main text of the page, one block per line. Offsets refer to the html. The
rest of it is removed, mark-up too, and names no template.
With --html strip it is all text of the page without templates. --text-format
writes the main text as Markdown, TEI or JSON into the text field, always as a
string; texts stay plain.

If a source has no pack, a record with only HTML gets the main text by the page
model alone. Other records pass unchanged, without "removed", and are counted:
those of a source without a pack, those with only HTML if the pack is for text,
and those with only text if the pack is for HTML. So do those whose pack in a
folder has an error; it is named, and the exit code is 1. A record with a field
"removed" of an earlier run has been cleaned, and passes unchanged as well.
With --again it is cleaned once more, and offsets refer to its present text. A
field "removed" of other contents is replaced, and counted; --removed-field
gives the new field another name.

--dry-run and --diff write nothing, whatever --output and --hits say. The first
counts what would change, the second prints it: the cuts of texts in their
context, marked as by explain; a unified diff of pages.

All runs report torn sentences. --dry-run, --diff and --check look at every
cut; others at texts of up to 20,000 characters, and at one label in each.

Characters removed are those that went in (for a page, its text) less those that
come out. White space beside a span goes with it; by kind, only spans count.

The output has the format of the inputs (see "templatemine formats"). Other
columns of tables do not change. Pages of WARC files and feeds become JSON lines
with id, source, url, date and text.
"""

COMMON = (
    "--packs",
    "--output",
    "--dry-run",
    "--diff",
    "--keep",
    "--policy",
    "--mark",
    "--found",
    "--whole-lines",
    "--check",
    "--text-format",
    "--source-of",
    "--text-field",
    "--jobs",
    "--force",
)

_OF_CHECK, _OF_MAIN_TEXT = Need("--check"), Need("--html", ("main",))

_LIMITS = (
    ("--max-stubs", MAX_STUBS, "records of a source that may be stubs and stay, or a single one"),
    (
        "--max-torn",
        MAX_TORN,
        "changed texts of a source in which a cut may tear a sentence, or leave half of one; or a single one",
    ),
    (
        "--max-rests",
        MAX_RESTS,
        "changed texts of a source in which a cut may leave part of a block that others share, or of all its texts in "
        "which a long string stays that ten others share; of 200, and if there are many sources, of 20",
    ),
)
"""Options of the limits of `--check`: their defaults, and what they are shares of."""

NEEDS = {
    **{name: _OF_CHECK for name, *_ in _LIMITS},
    "--blocks-field": Need("--blocks"),
    "--headline": _OF_MAIN_TEXT,
    "--content": _OF_MAIN_TEXT,
    "--kind": _OF_MAIN_TEXT,
}


def add(parser: Parser) -> None:
    """Add the options."""
    common.add_inputs(parser, common.add_packs_option(parser, common.PACKS_HELP, required=True))
    common.add_only_option(parser, "clean and write records of this source only")
    parser.add_argument(
        "--output",
        "-o",
        metavar="FILE",
        default="-",
        help="output file; the suffix selects the format, else it is that of the inputs; compressed if it ends in "
        ".gz, .zst or .xz (default: standard output)",
    )
    group = parser.add_argument_group("preview")
    group.add_argument(
        "--dry-run",
        action="store_true",
        help="write nothing, count what would change; look at all cuts for torn sentences",
    )
    group.add_argument("--diff", action="store_true", help="write nothing, print the cuts")
    group = _add_cleaning(parser)
    group.add_argument(
        "--fallback",
        metavar="SOURCE",
        help="use the pack of this source for sources without a pack; _shared is the pack of mine --shared",
    )
    group.add_argument(
        "--found",
        action="store_true",
        help="also write the names and places that bylines say; for articles, into JSON lines, as a field found "
        "with byline, agency, place and updated",
    )
    group.add_argument("--again", action="store_true", help="also clean records that were cleaned before")
    group.add_argument(
        "--blocks",
        action="store_true",
        help="for pages: also write the blocks of the main text, with offsets and reasons",
    )
    group.add_argument(
        "--hits",
        metavar="FOLDER",
        help="count the matches of each expression by day, in this folder; drift reads PACKS/hits",
    )
    common.add_input_options(parser)
    _add_fields(parser)
    common.add_run_options(parser, "number of processes; threads for JSON lines of text")


def _add_cleaning(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Add the options of cleaning texts and pages."""
    group = parser.add_argument_group("cleaning")
    common.add_field(group, CleanConfig, "engine", "both remove the same; native is faster")
    told = "also remove text between two removed parts if it is shorter than N characters"
    common.add_field(group, CleanConfig, "gap", told)
    told = "an article of which a greater share is boilerplate is a stub, and marked"
    common.add_field(group, CleanConfig, "guard", told, metavar="SHARE")
    told = (
        "what to do with stubs, such as teasers before a paywall: mark and clean them, keep them whole, or drop "
        "their records (default: %(default)s; clean is mark)"
    )
    common.add_field(group, CleanConfig, "stubs", told)
    group.add_argument(
        "--whole-lines",
        action="store_true",
        help="of texts, cut whole lines only; whole sentences where articles are one line; misses more",
    )
    group.add_argument(
        "--check",
        metavar="SHARE",
        nargs="?",
        const=MAX_LOST,
        type=number_types.number_of("CleanConfig.guard"),
        help=f"exit with 1 if a source loses a greater share; than {MAX_LOST} if none is given; of pages, of their "
        "main text; or has no pack, more stubs than --max-stubs, torn sentences in more than --max-torn, or rests in "
        "more than --max-rests; or if nothing is read",
    )
    for name, default, told in _LIMITS:
        told = f"with --check: share of the {told} (default: %(default)s)"
        limit = number_types.number_of("CleanConfig.guard")
        group.add_argument(name, metavar="SHARE", type=limit, default=default, help=told)
    told = "text of pages; the main text, or all text without templates"
    common.add_field(group, CleanConfig, "html", told)
    common.add_main_text_options(group)
    kinds = common.add_choice_options(parser, DEFAULT_POLICY)
    kinds.add_argument(
        "--mark",
        action="store_true",
        help="cut nothing, list what could be cut; in the field spans, of all kinds (notes too, which other runs "
        "keep) or of those that are chosen; so does --policy archive",
    )
    forms = " or ".join((", ".join(TEXT_FORMATS[:-1]), TEXT_FORMATS[-1]))
    told = f"main texts of pages as {forms}; as in extract, json is its content"
    common.add_field(group, CleanConfig, "text_format", told, metavar="FORMAT")
    common.add_markup_options(group, common.MARKUP_OPTIONS)
    return group


def _add_fields(parser: argparse.ArgumentParser) -> None:
    """Add the options of the output: its format and its fields."""
    parser.add_argument(
        "--output-format", metavar="NAME", help="jsonl, parquet, arrow or csv, whatever the suffix of the output"
    )
    parser.add_argument(
        "--keep-html", action="store_true", help="also write the pages of WARC files and feeds, not only their text"
    )
    parser.add_argument(
        "--removed-field",
        metavar="NAME",
        help="the field that lists what was removed (default: removed, with --mark spans)",
    )
    parser.add_argument(
        "--blocks-field", metavar="NAME", default="blocks", help="the field for --blocks (default: %(default)s)"
    )


def run(args: argparse.Namespace, terminal: messages.Terminal) -> None:
    """Read, clean, write."""
    from templatemine.cleaning.records import RecordCleaner
    from templatemine.io import output as outputs
    from templatemine.io.read import formats_of, read_batches
    from templatemine.io.write import atomic_writer
    from templatemine.packs.pack_folder import PackFiles

    args.mark = args.mark or args.policy == "archive"
    args.removed_field = args.removed_field or ("spans" if args.mark else "removed")
    args.writes = not (args.dry_run or args.diff)
    if args.diff and args.json:
        raise ConfigError("--diff and --json: expected one of them, got both; explain --json prints every cut as JSON")
    if not args.writes:
        args.output, args.hits = os.devnull, None
    args.packs = pack_paths.find_packs(args.packs)
    _check_paths(args)
    common.check_inputs(args.inputs)
    read = common.read_config(args)
    inputs = formats_of(args.inputs, read)
    common.check_output((path for path, _ in inputs), args.output, read.format)
    named = args.output_format if args.writes else "jsonl"
    form = outputs.choose_format(args.output, [one for _, one in inputs], named)
    _check_takes_found(args, form.name)
    config = _record_config(args, read, rows=outputs.takes_rows(form))
    if args.writes and args.output_format is None and outputs.has_no_format(args.output):
        terminal.say(f"{args.output}: its suffix names no format that can be written; it becomes {form.name}")
    if args.diff:
        _print_diff(args, terminal, replace(config, clean=config.clean.plain()))
        return
    if args.hits is not None:
        from templatemine.cleaning.hits import make_folder

        make_folder(args.hits)
    batches = read_batches([path for path, _ in inputs], read, terminal.reader_report)
    columns = (config.read.text_field, config.removed_field, config.blocks_field)
    with (
        atomic_writer(args.output, force=args.force) as stream,
        outputs.open_writer(form, stream, args.output, *columns) as output,
    ):
        history_only = args.html == "main" and not config.hits
        packs = PackFiles(args.packs, history_only=history_only, keep=config.hits, errors="skip")
        config = replace(config, sampled=0 if args.check is None else sample_size(len(packs)))
        cleaner = RecordCleaner(packs, config, jobs=args.jobs)
        with terminal.progress() as steps:
            written = 0

            def progress(batch: SourceTally) -> None:
                nonlocal written
                written += batch.records
                steps("cleaning", written, None)
                if (batch.bad_pack or batch.no_pack) and args.strict:
                    _skip_packs(terminal, cleaner.tally, packs)

            batches = _tell_overruled(batches, read, packs, terminal)
            with closing(cleaner.clean_batches(batches, terminal.reader_report, progress)) as lines:
                for piece in lines:
                    output.write(piece)
        _check_not_empty(args, terminal, cleaner.tally)
        _check_has_html(args, cleaner.tally.total())
    if args.hits is not None:
        from templatemine.cleaning.hits import write_hits

        write_hits(args.hits, cleaner.tally.days, cleaner.expressions)
    terminal.tell_more_skipped()
    _finish(args, terminal, cleaner, packs)


def _tell_overruled(
    batches: Iterable[PendingBatch], read: ReadConfig, packs: PackFiles, terminal: messages.Terminal
) -> Iterator[PendingBatch]:
    """Yield batches; say if records of the first one name another source than all are said to be of, with a pack."""
    from templatemine.io.fields import count_overruled
    from templatemine.io.read import read_batch

    for place, batch in enumerate(batches):
        if not place and read.source is not None:
            named: dict[str, int] = {}
            for _, _, record, _ in read_batch(batch, read, lambda error: None):
                count_overruled(named, record, read)
            if others := sorted(source for source in named if source in packs):
                terminal.note(
                    f"--source {read.source}: its pack also cleans records of {list_names(others)}; "
                    "without --source they get their own, and --only takes those of one source"
                )
        yield batch


def _finish(args: argparse.Namespace, terminal: messages.Terminal, cleaner: RecordCleaner, packs: PackFiles) -> None:
    """Print the packs that were skipped, the summary, and what to do if no record has a pack."""
    tally = cleaner.tally
    _skip_packs(terminal, tally, packs)
    total = tally.total()
    failures = [] if args.check is None else [*_failed_checks(cleaner, args)]
    _print_summary(args, terminal, tally, packs, [failure.said for failure in failures])
    for failure in failures:
        terminal.note(failure.said)
    if any(one.of_uncut for one in failures):
        archive = () if "-" in args.inputs else ("--archive", *args.inputs)
        command = common.suggest_command(args, "ask", *args.packs, *archive)
        terminal.say(f"to decide on strings that mining rejected: {command}")
    if any(one.of_cuts for one in failures) and "-" not in args.inputs:
        words = ("report", *args.packs, "--archive", *args.inputs, "-o", "report.html")
        terminal.say(f"next, see what tears and takes too much: {common.suggest_command(args, *words)}")
    if args.check is not None and not failures:
        whole = (
            "" if total.torn or not total.looked else f"; no torn sentence in {counted(total.looked, 'changed text')}"
        )
        terminal.say(f"check: {counted(len(tally.sources), 'source')} within the limits{whole}")
    has_no_pack = total.records and total.no_pack >= total.records
    if has_no_pack:
        terminal.note(_explain_no_pack(args, tally))
    if failures or has_no_pack:
        terminal.end_with(1)


class _Failure(NamedTuple):
    """The problems of a source: what is exceeded, by how much, and the option of the limit; whether any is one of its
    cuts, and whether any is what no cut takes."""

    said: str
    of_cuts: bool = False
    of_uncut: bool = False


def _failed_checks(cleaner: RecordCleaner, args: argparse.Namespace) -> Iterator[_Failure]:
    """Yield the problems of each source, by ``--check``; or that nothing was checked."""
    from templatemine.report.rests import count_long, count_shared

    tally = cleaner.tally
    total = tally.total()
    is_read = total.records > total.no_text + total.cleaned_before + total.other_kind
    if not is_read or not (total.characters or total.no_pack or total.bad_pack):
        some = f"none in {counted(total.records, 'record')} that can be cleaned" if total.records else "none"
        yield _Failure(f"check: expected documents, found {some}: nothing was checked")
    for source, counts in sorted(tally.sources.items()):
        lost, stubs = counts.loss, counts.stubs - counts.dropped
        of_stubs = stubs / max(1, counts.records - counts.dropped)
        torn = counts.torn / max(1, _count_changed(counts))
        sample = tally.samples.get(source)
        rests = count_shared([] if sample is None else sample.texts())
        uncut = count_long([] if sample is None else sample.texts_of_all(), cleaner.find_all_spans(source))
        shares_uncut = is_over(uncut.articles, uncut.share, args.max_rests)
        drop = "; --stubs drop leaves them out"
        problems = (
            (
                lost > args.check,
                f"loses {format_share(lost, args.check)} of its characters, {_limit('--check', args.check)}",
            ),
            (counts.no_pack + counts.bad_pack, "has no pack that can be used"),
            (
                is_over(stubs, of_stubs, args.max_stubs),
                f"has {counted(stubs, 'stub')}, {format_share(of_stubs, args.max_stubs)} of its records, "
                f"{_limit('--max-stubs', args.max_stubs, drop)}",
            ),
            (
                is_over(counts.torn, torn, args.max_torn),
                f"has torn sentences in {format_share(torn, args.max_torn)} of its changed records, "
                f"{_limit('--max-torn', args.max_torn)}",
            ),
            (
                is_over(rests.articles, rests.share, args.max_rests),
                f"leaves rests that others share in {format_share(rests.share, args.max_rests)} of "
                f"{counted(rests.looked, 'changed record')}, such as {messages.escape_line(rests.example)!r}, "
                f"{_limit('--max-rests', args.max_rests)}",
            ),
        )
        found = [problem for is_wrong, problem in problems if is_wrong]
        of_cuts = bool(found) and counts.changed > 0
        if shares_uncut:
            found.append(_describe_uncut(uncut, args.max_rests))
        if found:
            yield _Failure(f"check: {source} {'; '.join(found)}", of_cuts, shares_uncut)


def _describe_uncut(uncut: Shared, most: float) -> str:
    beginning = messages.escape_line(uncut.example[:_MAX_BEGINNING]) + " …" * (len(uncut.example) > _MAX_BEGINNING)
    return (
        f"leaves strings that articles still share in {uncut.articles:,} of {counted(uncut.looked, 'record')} "
        f"({format_share(uncut.share, most)}), such as one of {counted(len(uncut.example), 'character')}: "
        f"{beginning!r}, {_limit('--max-rests', most)}"
    )


_MAX_BEGINNING = 60
"""Characters that are shown of a long string."""


def _limit(option: str, most: float, remedy: str = "") -> str:
    return f"more than {100 * most:.4g}% ({option}{remedy})"


def _skip_packs(terminal: messages.Terminal, tally: Tally, packs: PackFiles) -> None:
    """Name the packs that were skipped; where records have no pack, also those that do not tell their source, for
    theirs may be among them."""
    any_without = any(counts.no_pack for counts in tally.sources.values())
    terminal.skip_packs(tally.bad_packs, packs.unnamed if any_without else ())


def _record_config(args: argparse.Namespace, read: ReadConfig, *, rows: bool) -> RecordConfig:
    from templatemine.cleaning.records import RecordConfig

    return common.record_of(
        RecordConfig,
        args,
        read=read,
        clean=_clean_config(args),
        blocks_field=args.blocks_field if args.blocks else None,
        rows=rows,
        hits=args.hits is not None,
        torn=args.check is not None or not args.writes,
    )


def _clean_config(args: argparse.Namespace) -> CleanConfig:
    form = args.text_format
    markup = common.markup_config(args, common.MARKUP_OPTIONS, "--text-format", form)
    if form != "text" and args.html == "strip":
        raise ConfigError(f"--text-format: expected text with --html strip, got {form}")
    page = PageConfig(headline=args.headline, keep=args.content, kind=args.kind)
    return common.record_of(CleanConfig, args, page=page, markup=markup, choice=_read_choice(args))


def _read_choice(args: argparse.Namespace) -> Choice:
    """Return the kinds that are cut; all, if they are only marked and no kind is named."""
    choice = common.read_choice(args)
    if args.mark and (choice is None or not choice.cut):
        return CUT_ALL
    return POLICIES[DEFAULT_POLICY] if choice is None else choice


def _check_takes_found(args: argparse.Namespace, form: str) -> None:
    """Write nothing if a table would get a field that only some records have."""
    if args.found and form != "jsonl":
        raise ConfigError(f"--found: expected JSON lines as output (--output-format jsonl), got {form}")


def _check_has_html(args: argparse.Namespace, total: SourceTally) -> None:
    """Write nothing if a format of pages was asked for and there is none; among pages, texts stay plain."""
    looked_at = total.records - total.no_text - total.cleaned_before
    if args.text_format != "text" and looked_at and not total.formatted:
        raise ConfigError(
            f"--text-format: expected pages (field {args.html_field!r}, and no pack of text for their source), found "
            f"none in {counted(total.records, 'record')}; {args.text_format} is for pages"
        )


def _check_not_empty(args: argparse.Namespace, terminal: messages.Terminal, tally: Tally) -> None:
    """Write nothing if no record can be read, or none is of a source of --only; an input without records gives an
    empty output."""
    common.check_only(args, (*tally.sources, *tally.left_out))
    if terminal.skipped and not tally.sources:
        raise common.no_documents_error(terminal, args.inputs)


def _print_diff(args: argparse.Namespace, terminal: messages.Terminal, config: RecordConfig) -> None:
    """Print what would change, record by record."""
    from templatemine.cleaning.records import RecordCleaner
    from templatemine.packs.pack_folder import PackFiles
    from templatemine.report.terminal import Painter, diff_lines, find_changes

    painter = Painter(messages.shows_colours(sys.stdout))
    packs = PackFiles(args.packs, errors="skip")
    cleaner = RecordCleaner(packs, replace(config, sampled=0 if args.check is None else sample_size(len(packs))))
    records = common.tell_overruled(args, common.open_records(args.inputs, config.read, terminal.reader_report))
    for change in find_changes(records, packs, cleaner, terminal.reader_report):
        messages.print_text("".join(line + "\n" for line in diff_lines(change, painter)))
    _check_not_empty(args, terminal, cleaner.tally)
    terminal.tell_more_skipped()
    _finish(args, terminal, cleaner, packs)


def _check_paths(args: argparse.Namespace) -> None:
    from templatemine.packs.pack_folder import pack_files

    for file in (file for path in args.packs for file in pack_files(path, lambda file, error: None)):
        if common.same_file(file, args.output):
            raise CorpusError("is a pack; the output must be another file", args.output, fatal=True)


def _print_summary(
    args: argparse.Namespace, terminal: messages.Terminal, tally: Tally, packs: PackFiles, failures: Sequence[str]
) -> None:
    from templatemine.io.files import place_of

    total = tally.total()
    if args.json:
        facts = {
            **_source_json(total, args.found),
            **terminal.figures(),
            **({} if args.only is None else {"left_out": sum(tally.left_out.values())}),
            **({} if args.check is None else {"check": [*failures]}),
        }
        facts["sources"] = [
            {"source": source, **_source_json(counts, args.found)} for source, counts in sorted(tally.sources.items())
        ]
        terminal.print_json(facts, to_stdout=args.output != "-")
        return
    if terminal.quiet:
        return
    if not total.records:
        written = "the output is empty" if args.writes else "nothing would change"
        terminal.say(f"{', '.join(map(place_of, args.inputs))}: no documents; {written}")
        return
    header = ("source", ">records", ">changed", ">spans", ">removed", "note")
    shown = sorted(tally.sources.items(), key=lambda one: (-one[1].records, one[0]))
    used = [*tally.sources, *([args.fallback] if total.fallback else [])]
    traits = {source: packs.traits(source) for source in used}
    notes = [_list_notes(args, source, counts, traits) for source, counts in shown]
    rows = [_format_row(source, counts, told) for (source, counts), told in zip(shown, notes, strict=True)]
    stakes = [sum(number for number, _ in told) for told in notes]
    table = text_tables.capped_table(header, rows, stakes)
    terminal.say(*table, "", *_format_totals(args, terminal, tally, traits))
    if total.torn:
        terminal.say(*_describe_tears(args, tally, total))


def _describe_tears(args: argparse.Namespace, tally: Tally, total: SourceTally) -> list[str]:
    """Say how many texts have torn sentences, with one of them, and what shows the template that does it."""
    is_all = args.check is not None or not args.writes
    least, hint = ("", "") if is_all else ("at least ", " (--dry-run looks at every cut)")
    said = f"torn sentences in {least}{total.torn:,} of {counted(total.looked, 'changed text')}{hint}"
    if tally.torn is None:
        return [said]
    record_id, cut = tally.torn
    only = ("--id", record_id) if record_id else ()
    explain = common.suggest_command(args, "explain", *args.inputs, "--packs", *args.packs, *only)
    return [messages.escape_line(f"{said}, such as: {cut}"), f"to see which template does it: {explain}"]


def _explain_no_pack(args: argparse.Namespace, tally: Tally) -> str:
    """Explain why no record has a pack: most often its source is named in another way than when the pack was mined."""
    from templatemine.packs.pack_folder import PackFiles

    records, packs = (list_names(sorted(names)) for names in (tally.sources, PackFiles(args.packs, errors="skip")))
    return (
        f"no pack matches, all records are unchanged: they are of {records}, the packs of {packs}; name their source "
        "with --source, --source-field or --source-of, or a pack for all with --fallback"
    )


def _source_json(counts: SourceTally, is_found: bool) -> dict[str, Any]:
    return {
        **messages.facts_of(
            counts, "records", "no_pack", "bad_pack", "page_model", "fallback", "other_kind", "no_text"
        ),
        **messages.facts_of(counts, "changed", "spans", "characters"),
        "characters_cut": counts.cut,
        "kinds": {kind: size for kind, size in sorted(counts.kinds.items()) if kind},
        "removed_replaced": counts.replaced,
        **messages.facts_of(counts, "cleaned_before", "stubs", "dropped"),
        "torn_looked": counts.looked,
        **messages.facts_of(counts, "torn", "formatted", *(("found", "with_found") if is_found else ())),
    }


_STUBS = {"keep": "left whole", "drop": "left out"}
"""What is done with stubs, unless they are marked (and cleaned as other records, without --mark)."""


def _count_changed(counts: SourceTally) -> int:
    """Count the changed records that are written: stubs that are left out are changed, too."""
    return counts.changed - counts.dropped


def _count_in_vain(counts: SourceTally, pack: PackTraits) -> int:
    """Count the records of a source that a pack without templates was for."""
    others = counts.no_text + counts.cleaned_before + counts.other_kind
    return counts.records - others if pack.cuts_nothing and not counts.bad_pack else 0


def _list_notes(
    args: argparse.Namespace, source: str, counts: SourceTally, traits: Mapping[str, PackTraits]
) -> list[tuple[int, str]]:
    """Return what there is to tell of a source, each with the number of records that it is about."""
    empty = counts.fallback and traits[args.fallback].cuts_nothing
    done = "unchanged, for the fallback has no templates" if empty else "cleaned with the fallback"
    # Of a page most characters go, as they should.
    gone = counts.records if counts.looked and 2 * counts.cut > counts.characters else 0
    notes = (
        (counts.no_pack, "no pack: unchanged"),
        (counts.bad_pack, "the pack has an error: unchanged"),
        (counts.fallback, f"no pack: {done}"),
        (_count_in_vain(counts, traits[source]), "the pack has no templates: unchanged"),
        (counts.page_model, "no pack: main text by the page model alone"),
        (counts.other_kind, f"{counts.other_kind:,} unchanged: the pack is for the other kind (HTML or text)"),
        (counts.cleaned_before, f"{counts.cleaned_before:,} cleaned before: unchanged"),
        (counts.no_text, f"{counts.no_text:,} without a text: unchanged"),
        (gone, "more than half is removed"),
        (counts.stubs, " ".join(filter(None, (counted(counts.stubs, "stub"), _STUBS.get(args.stubs))))),
        (counts.torn, f"torn sentences in {counts.torn:,}"),
    )
    return [note for note in notes if note[0]]


def _format_row(source: str, counts: SourceTally, notes: Iterable[tuple[int, str]]) -> tuple[str, ...]:
    return (
        source,
        f"{counts.records:,}",
        f"{_count_changed(counts):,}",
        f"{counts.spans:,}",
        _format_cut(counts),
        "; ".join(note for _, note in notes),
    )


def _format_cut(counts: SourceTally) -> str:
    return f"{counts.cut:,} ({counts.cut / counts.characters:.1%})" if counts.characters else "-"


def _format_kinds(total: SourceTally) -> list[str]:
    """Return the characters of the spans of each kind, the most first; and what goes with them, or stays of them, so
    that all add up to what is removed."""
    if not any(total.kinds.get(kind) for kind in KINDS):
        return []
    whole = sum(total.kinds.values())
    sizes = sorted(((-size, kind or "no known kind") for kind, size in total.kinds.items() if size))
    said = ", ".join(f"{kind} {-size:,} ({-size / whole:.0%})" for size, kind in sizes)
    lines, beside = [f"spans by kind: {said}"], total.cut - whole
    if beside > 0:
        rest = " and the rest of stubs" if total.dropped else ""
        lines.append(f"outside the spans, such as white space{rest}: {beside:,}")
    elif beside < 0:
        lines.append(f"white space of the spans that stays: {-beside:,}")
    return lines


def _format_totals(
    args: argparse.Namespace, terminal: messages.Terminal, tally: Tally, traits: Mapping[str, PackTraits]
) -> list[str]:
    total, left_out = tally.total(), sum(tally.left_out.values())
    records = counted(total.records - (total.dropped if args.writes else 0), "record")
    written = f"written to {common.name_output(args.output)}" if args.writes else "read, and nothing written,"
    changed = "would be changed" if not args.writes else "marked" if args.mark else "changed"
    fallback = f"cleaned with the pack of {args.fallback}"
    if total.fallback and traits[args.fallback].cuts_nothing:
        fallback = f"the pack of {args.fallback} has no templates (unchanged)"
    in_vain = sum(_count_in_vain(counts, traits[source]) for source, counts in tally.sources.items())
    is_stub, stubs = f"more than {args.guard:.0%} boilerplate", _STUBS.get(args.stubs)
    removed = f"; characters {'marked' if args.mark else 'removed'}: {_format_cut(total)}"
    lines = [
        f"{records} {written} in {terminal.seconds:.1f} s",
        f"{_count_changed(total):,} {changed}{removed if total.characters else ''}",
        *_format_kinds(total),
    ]
    plain = total.records - total.no_text - total.cleaned_before - total.formatted if total.formatted else 0
    for number, what in (
        (total.no_pack, "without a pack (unchanged)"),
        (total.bad_pack, "whose source has a pack with an error (unchanged)"),
        (total.fallback, f"whose source has no pack: {fallback}"),
        (in_vain, "whose pack has no templates (unchanged)"),
        (total.page_model, "whose source has no pack: main text by the page model alone"),
        (total.other_kind, "of another kind (HTML or text) than their pack (unchanged)"),
        (total.cleaned_before, f"cleaned before, by their field {args.removed_field!r} (unchanged; --again)"),
        (total.no_text, "without a text (unchanged)"),
        (total.stubs, f"with {is_stub}: stubs, {stubs or 'marked'}"),
        (total.formatted, f"with their main text as {args.text_format}"),
        (plain, f"not as {args.text_format}: no page, or a pack that is not for pages"),
        (total.replaced, f"with a field {args.removed_field!r} that was replaced"),
        (left_out, "of other sources left out (--only)"),
        (terminal.skipped, "skipped"),
    ):
        if number:
            lines.append(f"{number:,} {what}")
    if stubs and not total.stubs:
        lines.append(f"no stubs are {stubs}: no record has {is_stub} (--guard)")
    if marked := [source for source in tally.sources if traits[source].has_markup]:
        lines.append(f"tags and entities in texts of {list_names(marked)} stay; decode them before mine for plain text")
    return [*lines, *([_format_found(args, total)] if args.found else []), *terminal.notes()]


def _format_found(args: argparse.Namespace, total: SourceTally) -> str:
    """Say how many records got metadata from their bylines and datelines, and how many of each field."""
    gets = "got" if args.writes else "would get"
    fields = ", ".join(f"{name} {number:,}" for name, number in sorted(total.found.items(), key=lambda one: -one[1]))
    some = f": {fields}" if fields else ": no byline and no dateline was read"
    return f"{total.with_found:,} {gets} a field 'found'{some}"
