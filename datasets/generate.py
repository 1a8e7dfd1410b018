#!/usr/bin/env python3
"""News archives with known truth, generated from a seed.

    generate.py --seed 7 --sources 6 --documents 400 -o archive.jsonl.gz [--gold gold/]
    generate.py --split 0.1 --held-out new.jsonl --gold gold/ -o archive.jsonl      # gold of the held-out articles
    generate.py --sources 1 --templates 500 --kilobytes 4 --megabytes 160 -o large.jsonl
    generate.py --html --sources 3 --documents 20 -o pages.jsonl

In: an `ArchiveSpec`.  Out: JSON lines {source, id, url, date, title, text}, and for each source a gold file
{id, spans: [[start, end, "template" | "dynamic"], …]} in code points, end exclusive.  Every publisher, name and
sentence is invented.  The same spec gives the same bytes on every platform and Python from 3.11 on (what a .gz holds,
that is: another zlib may pack it otherwise).  Cost: one core, standard library only, a constant few dozen MB of memory;
the README has the speed.

As a module::

    from generate import Archive, ArchiveSpec, generate
    for record in generate(seed=7, sources=3, documents=100): ...
    for article in Archive(ArchiveSpec(seed=7)).articles(): article.record, article.spans, article.templates
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

HERE = str(Path(__file__).resolve().parent)
if HERE not in sys.path:  # so that it works as a script, as a module on the path, and loaded from its file alike
    sys.path.insert(0, HERE)

from jsonlines import format_line, open_writer  # noqa: E402
from newsgen.archive import Archive, ArchiveSpec, Article, scale_spec  # noqa: E402
from newsgen.boilerplate import KINDS, Template  # noqa: E402
from newsgen.pages import render_page  # noqa: E402
from newsgen.scripts import SCRIPTS  # noqa: E402

__all__ = [
    "KINDS",
    "SCRIPTS",
    "Archive",
    "ArchiveSpec",
    "Article",
    "Template",
    "generate",
    "generate_pages",
    "scale_spec",
    "write_archive",
]

OPTION_HELP = {
    "seed": "everything is drawn from it",
    "sources": "publishers",
    "documents": "articles of each source",
    "kilobytes": "mean size of an article's body",
    "templates": "distinct templates of each source, instead of one of each kind",
    "clean_sources": "so many sources, the last ones, have no boilerplate",
    "near_duplicates": "share of articles that repeat an earlier one with a few words changed",
    "agency": "share of articles that open with prose other sources print too",
    "start": "first day, YYYY-MM-DD",
    "days": "length of the archive",
    "season": "days that a seasonal template lives",
}


def generate(spec: ArchiveSpec | None = None, /, **options: Any) -> Iterator[dict[str, str]]:
    """The records of an archive, source by source and in order of date.

    Parameters
    ----------
    spec : ArchiveSpec, optional
        Where to start from; the default archive if it is left out.
    **options
        Fields of `ArchiveSpec` to set otherwise.

    Yields
    ------
    dict
        source, id, url, date, title, text.
    """
    for article in Archive(replace(spec or ArchiveSpec(), **options)).articles():
        yield article.record


def generate_pages(spec: ArchiveSpec | None = None, /, **options: Any) -> Iterator[dict[str, str]]:
    """The same archive as HTML pages: source, id, url, date, title, html, gold (the main text)."""
    archive = Archive(replace(spec or ArchiveSpec(), **options))
    for index in range(len(archive.sources)):
        for article in archive.source_articles(index):
            yield render_page(archive, index, article)


def write_archive(
    spec: ArchiveSpec,
    out: str,
    *,
    gold: str | None = None,
    held_out: str | None = None,
    split: float = 0.0,
    html: bool = False,
) -> tuple[int, int]:
    """Write an archive to files.

    Parameters
    ----------
    out, held_out : str
        JSON lines; packed where the name ends in .gz; "-" is standard output.
    gold : str, optional
        Directory for one SOURCE.jsonl a source: the spans of the held-out articles if there are any, else of all.
    split : float
        Share of the articles that goes to `held_out` instead of `out`: every 1/split-th of each source, so that they
        cover the whole time.
    html : bool
        Pages with their main text instead of texts.

    Returns
    -------
    tuple of int
        Articles written to `out` and to `held_out`.
    """
    step = round(1 / split) if split and held_out else 0
    archive = Archive(spec)
    counts = [0, 0]
    with ExitStack() as stack:
        writers = [stack.enter_context(open_writer(out)), stack.enter_context(open_writer(held_out if step else None))]
        for index, source in enumerate(archive.sources):
            write_gold = stack.enter_context(open_writer(gold and str(Path(gold, f"{source.id}.jsonl"))))
            for number, article in enumerate(archive.source_articles(index)):
                is_held_out = bool(step) and number % step == step // 2
                record = render_page(archive, index, article) if html else article.record
                writers[is_held_out](format_line(record))
                counts[is_held_out] += 1
                if is_held_out or not step:
                    write_gold(format_line({"id": article.record["id"], "spans": article.spans}))
    return counts[0], counts[1]


def _build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", default="-", help="JSON lines (.gz); - is standard output")
    parser.add_argument("--held-out", metavar="FILE", help="where the articles of --split go")
    parser.add_argument("--split", type=float, default=0.0, metavar="SHARE", help="share of the articles to hold out")
    parser.add_argument("--gold", metavar="DIR", help="spans, one SOURCE.jsonl a source")
    parser.add_argument("--html", action="store_true", help="pages with their main text instead of texts")
    parser.add_argument(
        "--megabytes", type=float, metavar="N", help="about so much text in all, instead of --documents"
    )
    parser.add_argument(
        "--scripts", default="latin", help=f"comma-separated, given to the sources in turn: {', '.join(SCRIPTS)}"
    )
    defaults = {field.name: field.default for field in fields(ArchiveSpec)}
    for name, text in OPTION_HELP.items():
        default = defaults[name]
        convert = int if default is None else type(default)
        parser.add_argument("--" + name.replace("_", "-"), type=convert, default=default, help=f"{text} ({default})")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Command line; 0 done, 2 usage error."""
    parser = _build_parser()
    args = parser.parse_args(arguments)
    if not 0 <= args.split <= 0.5 or bool(args.split) != bool(args.held_out):
        parser.error("--split SHARE (up to 0.5) and --held-out FILE go together")
    if args.gold and args.html:
        parser.error("--html pages carry their gold text; --gold is for texts")
    try:
        spec = ArchiveSpec(
            scripts=tuple(args.scripts.split(",")), **{name: getattr(args, name) for name in OPTION_HELP}
        )
        spec = scale_spec(spec, args.megabytes) if args.megabytes else spec
    except ValueError as error:
        parser.error(str(error))
    try:
        written_count, held_out_count = write_archive(
            spec, args.output, gold=args.gold, held_out=args.held_out, split=args.split, html=args.html
        )
    except BrokenPipeError:
        # Whoever reads standard output has seen enough; without this, Python would complain once more on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    note = f"{written_count} articles of {spec.sources} sources to {args.output}"
    print(note + (f", {held_out_count} to {args.held_out}" if held_out_count else ""), file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
