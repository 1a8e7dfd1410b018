"""``templatemine extract``: reads pages, writes their main text."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from templatemine.cli import common, messages, pack_paths
from templatemine.cli.number_types import int_at_least, number_of, parse_size
from templatemine.cli.parser import Need
from templatemine.config import TEXT_FORMATS, CleanConfig, ExtractConfig, PageConfig, RenderConfig
from templatemine.errors import ConfigError, CorpusError, counted
from templatemine.pages.systems import DEFAULT, SYSTEMS

if TYPE_CHECKING:
    from templatemine.cleaning.page_records import ExtractTally
    from templatemine.cli.parser import Parser
    from templatemine.config import ReadConfig
    from templatemine.io.files import Report
    from templatemine.packs.pack import Pack

_SYSTEM_ROWS = "".join(f"  {name:8} {what}\n" for name, what in SYSTEMS.items())

DESCRIPTION = f"""\
Extracts the main text of pages.

  templatemine extract page.html
  templatemine extract pages/ --system {DEFAULT} -o out.jsonl

A single page is written as text, or as the suffix of the output says, all other
inputs as JSON lines with id, source, title, text and, with --blocks, every
block with its offsets in the page and the reason why it was kept or removed.
Several pages as Markdown or TEI are JSON lines with the document in a field,
markdown or tei.

systems:
{_SYSTEM_ROWS}"""

COMMON = (
    "--output",
    "--system",
    "--packs",
    "--output-format",
    "--metadata",
    "--links",
    "--comments",
    "--keep",
    "--render",
    "--source-of",
    "--jobs",
    "--force",
    "--json",
)


def add(parser: Parser) -> None:
    """Add the options."""
    parser.add_argument(
        "--output",
        "-o",
        metavar="FILE",
        default="-",
        help="output file; gzip if it ends in .gz (default: standard output)",
    )
    parser.add_argument(
        "--system",
        "-s",
        metavar="NAME",
        choices=tuple(SYSTEMS),
        default=DEFAULT,
        help="system that extracts (default: %(default)s); one of those above",
    )
    packs = common.add_packs_option(parser, "packs of the sources, or folders of packs", default=[])
    common.add_inputs(parser, packs, f"{common.INPUT_HELP}; or a single .html file")
    parser.add_argument(
        "--output-format",
        metavar="FORMAT",
        choices=("jsonl", "json", "text", "markdown", "tei", "cleaneval"),
        help="jsonl, json, text, markdown, tei or cleaneval; jsonl is JSON lines, json the same with the structure of "
        "the text, text a block per line with an empty line between pages, cleaneval its mark-up; markdown and tei of "
        "several pages are fields of JSON lines (default: of one page "
        f"by the suffix of the output, {' '.join(_FORMAT_OF_SUFFIX)}, else text; of several jsonl)",
    )
    group = parser.add_argument_group("beside the text")
    common.add_markup_options(group, _BESIDE)
    parser.add_argument(
        "--url",
        metavar="URL",
        help="address of a single page, which its links are relative to; records have their own",
    )
    parser.add_argument(
        "--reference",
        metavar="FILE",
        help="diff: a page of the same site (default: the page of median size of each source)",
    )
    parser.add_argument("--blocks", action="store_true", help="write all blocks, in JSON lines")
    parser.add_argument(
        "--add-title",
        action="store_true",
        help="text and CleanEval's mark-up: write the title first if the text lacks it",
    )
    common.add_main_text_options(parser)
    common.add_choice_options(parser, "what the system decides")
    _add_options(parser)
    _add_rendering(parser)
    common.add_input_options(parser)
    common.add_run_options(parser, "number of processes")


_FORMAT_OF_SUFFIX = {".md": "markdown", ".tei": "tei", ".jsonl": "jsonl", ".json": "json"}
"""What one page is written as into a file of that name."""

_BESIDE: common.MarkupOptions = {
    "metadata": ((*TEXT_FORMATS[1:], "jsonl"), "title, authors, date, site, language, licence, tags and more"),
    "comments": ((*TEXT_FORMATS[1:], "jsonl"), "comments of readers, as a part of their own"),
    **common.MARKUP_OPTIONS,
}
"""What can be asked for beside the text, or of it, and the formats that hold it."""

_SYSTEM_OPTIONS: Mapping[tuple[str, ...], tuple[str, ...]] = {
    ("diff",): ("--reference", "--no-prune", "--from-target"),
    ("crf",): ("--other",),
    ("shallow",): ("--main-block",),
    ("density", "diff", "blog"): ("--sparse",),
    ("blog",): ("--blog-rules", "--blog-rules-file"),
    ("hybrid",): ("--headline", "--content", "--kind"),
}
"""Systems, and the options of these alone; diff and blog leave pages that they cannot judge to density."""

_OF_RENDERING = (
    "--render-network",
    "--render-allow-private",
    "--render-seconds",
    "--render-max-size",
    "--browser",
    "--render-no-sandbox",
)

NEEDS = {
    **{option: Need("--system", systems) for systems, options in _SYSTEM_OPTIONS.items() for option in options},
    **dict.fromkeys(_OF_RENDERING, Need("--render")),
}


def _add_options(parser: argparse.ArgumentParser) -> None:
    defaults = ExtractConfig()
    group = parser.add_argument_group("options of single systems")
    group.add_argument(
        "--other",
        metavar="P",
        type=number_of("ExtractConfig.other"),
        help="crf: keep what is boilerplate with a probability below P; smaller for precision, larger for recall "
        f"(default: {defaults.other:g})",
    )
    group.add_argument(
        "--main-block", action="store_true", help="shallow: only the main block, found by the words of the title"
    )
    group.add_argument(
        "--sparse",
        metavar="N",
        type=int_at_least(1),
        help="density: no text for pages with fewer characters per structural element (default: off)",
    )
    group.add_argument(
        "--blog-rules", choices=("all", "paper"), help=f"blog: which rules are used (default: {defaults.blog_rules})"
    )
    group.add_argument(
        "--no-prune",
        action="store_true",
        help="diff: also compare pages of a different structure (default: use density for them)",
    )
    group.add_argument("--from-target", action="store_true", help="diff: compare only the target nodes of density")
    group.add_argument(
        "--blog-rules-file", metavar="FILE", help="blog: TOML file with your own rules, which are tried first"
    )


def _extract_config(args: argparse.Namespace) -> ExtractConfig:
    page = PageConfig(headline=args.headline, keep=args.content, kind=args.kind)
    names = ("other", "main_block", "sparse", "blog_rules", "blog_rules_file", "no_prune", "from_target")
    given = {name: value for name in names if (value := getattr(args, name)) is not None and value is not False}
    if given.pop("no_prune", False):
        given["prune"] = False
    if (path := given.pop("blog_rules_file", None)) is not None:
        from templatemine.pages.baselines.blog_rules import load_rules

        given["blog_own"] = load_rules(path)
    return ExtractConfig(clean=CleanConfig(page=page), choice=common.read_choice(args), **given)


def _add_rendering(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("pages built by scripts (extra render)")
    group.add_argument("--render", action="store_true", help="first run the scripts of the pages in Chromium")
    told = "what a page may load: nothing, from the host of its url, or anything"
    common.add_field(group, RenderConfig, "network", told, "--render-network")
    group.add_argument(
        "--render-allow-private",
        action="store_true",
        help="allow loading from this machine and from local networks",
    )
    told, whole = "time limit of a page; then its present state is used, else the unrendered page", int_at_least(1)
    common.add_field(group, RenderConfig, "seconds", told, "--render-seconds", metavar="S", type=whole)
    told = f"larger pages are not rendered (default: {RenderConfig().max_bytes >> 20}M)"
    common.add_field(group, RenderConfig, "max_bytes", told, "--render-max-size", metavar="SIZE", type=parse_size)
    group.add_argument(
        "--browser", metavar="FILE", help="path of Chromium (default: $CHROMIUM, Playwright's, or an installed one)"
    )
    group.add_argument(
        "--render-no-sandbox",
        action="store_true",
        help="run Chromium without its sandbox, for use in containers; needed as root",
    )


def _render_config(args: argparse.Namespace) -> RenderConfig | None:
    if not args.render:
        return None
    return RenderConfig(
        network=args.render_network,
        allow_private=args.render_allow_private,
        seconds=float(args.render_seconds),
        max_bytes=args.render_max_size,
        program=args.browser,
        sandbox=not args.render_no_sandbox,
    )


def _check_address(url: str | None, single: bool) -> str | None:
    if url is None:
        return None
    if not single:
        raise ConfigError("--url: expected a single page; other inputs have the field url")
    try:
        parts = urlsplit(url)
    except ValueError:  # brackets that hold no address
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ConfigError(f"--url: expected an address such as https://example.org/story, got {url!r}")
    return url


def run(args: argparse.Namespace, terminal: messages.Terminal) -> None:
    """Read, extract, write."""
    from templatemine.cleaning.page_records import MULTI_PAGE_FORMS, PageRecordConfig, RecordExtractor
    from templatemine.io.read import formats_of, read_batches
    from templatemine.io.write import atomic_writer

    common.check_output(args.inputs, args.output)
    common.check_inputs(args.inputs)
    read = common.read_config(args)
    single = [found.name for _, found in formats_of(args.inputs, read)] == ["page"]
    if args.blocks and args.output_format not in (None, "jsonl", "json"):
        raise ConfigError(f"--blocks: expected --output-format jsonl or json, got {args.output_format}")
    form = args.output_format or _output_format(args.output, single, args.blocks)
    if not single and args.output_format is None and _promises_other_format(args.output):
        terminal.say(f"{args.output}: its suffix names no format that several pages are written in; it becomes jsonl")
    if args.add_title and form not in ("text", "cleaneval"):
        raise ConfigError(f"--add-title: expected --output-format text or cleaneval, got {form}")
    markup = common.markup_config(args, _BESIDE, "--output-format", form)
    url = _check_address(args.url, single)
    options = _extract_config(args)
    render = _render_config(args)
    form = form if single else MULTI_PAGE_FORMS.get(form, form)
    config = common.record_of(
        PageRecordConfig, args, read=read, form=form, markup=markup, options=options, render=render, url=url
    )
    references = _read_references(args, read, render, terminal.reader_report)
    extractor = RecordExtractor(config, _read_packs(args.packs), references, jobs=args.jobs)
    extractor.check()
    batches = read_batches(args.inputs, read, terminal.reader_report, extractor.batch)
    with atomic_writer(args.output, force=args.force) as output, terminal.progress() as steps:
        done = 0

        def progress(pages: int) -> None:
            nonlocal done
            done += pages
            steps("extracting", done, None)
            if args.strict:
                terminal.skip_packs(extractor.tally.bad_packs)

        with closing(extractor.extract_batches(batches, terminal.reader_report, progress)) as pieces:
            for piece in pieces:
                output.write(piece)
        if not extractor.tally.pages:
            raise common.no_documents_error(terminal, args.inputs)
    terminal.tell_more_skipped()
    terminal.skip_packs(extractor.tally.bad_packs)
    _print_summary(args, terminal, extractor.tally, single)


def _output_format(output: str, single: bool, blocks: bool) -> str:
    """Return the format of the output if none is asked for."""
    from templatemine.io.files import unpacked_name

    form = _FORMAT_OF_SUFFIX.get(os.path.splitext(unpacked_name(output))[1], "text") if single else "jsonl"
    return form if form in ("jsonl", "json") or not blocks else "jsonl"


def _promises_other_format(output: str) -> bool:
    """Return whether a path has a suffix other than that of JSON lines."""
    from templatemine.io.formats import format_by_path
    from templatemine.io.output import has_no_format

    found = format_by_path(output)
    return has_no_format(output) if found is None else found.name != "jsonl"


def _read_packs(paths: Sequence[str]) -> Mapping[str, Pack]:
    if not paths:
        return {}
    from templatemine.packs.pack_folder import PackFiles

    return PackFiles(pack_paths.find_packs(paths), history_only=True, errors="skip")


def _read_references(
    args: argparse.Namespace, read: ReadConfig, render: RenderConfig | None, report: Report
) -> Mapping[str, Sequence[str]]:
    from templatemine.cleaning.page_records import find_references, open_renderer
    from templatemine.io.files import READ_ERRORS, read_error
    from templatemine.io.folder import read_body

    if args.system != "diff":
        return {}
    if args.reference is not None:
        try:
            page = read_body(args.reference, True, read.max_record, report)
        except READ_ERRORS as error:
            raise read_error(error, args.reference) from error
        except ValueError as error:
            raise CorpusError(str(error), args.reference, fatal=True) from error
        with open_renderer(render) as rendered:
            return {"": (rendered(page, None),)}
    return find_references(args.inputs, read, render)


def _print_summary(args: argparse.Namespace, terminal: messages.Terminal, tally: ExtractTally, single: bool) -> None:
    if args.json:
        facts = messages.facts_of(tally, "pages", "rendered", "empty", "kept", "blocks", "notes")
        facts |= {"characters_html": tally.html, "characters_text": tally.text, **terminal.figures()}
        terminal.print_json(facts, to_stdout=args.output != "-")
        return
    lines = [f"{counted(count, 'page')}: {note}" for note, count in sorted(tally.notes.items())]
    if args.render:
        lines.append(f"{tally.rendered:,} of {counted(tally.pages, 'page')} rendered")
    if not single:
        lines.append(
            f"{counted(tally.pages, 'page')} written to {common.name_output(args.output)} in {terminal.seconds:.1f} s"
        )
        lines.append(f"{tally.kept:,} of {counted(tally.blocks, 'block')} kept")
        if tally.empty:
            lines.append(f"{tally.empty:,} without any text")
    if terminal.skipped:
        lines.append(f"{terminal.skipped:,} skipped")
    terminal.say(*lines, *terminal.notes())
