#!/usr/bin/env python3
"""Make a background of archives: which short strings stand in the prose of how many sources, and how often.

    background.py ARCHIVE [ARCHIVE ...] -o background.tsv.gz
    background.py ARCHIVE --one-publisher peachy,smax -o mine.tsv.gz && templatemine mine --background mine.tsv.gz ...

Each source is mined as `templatemine mine` does it, and of its maximal strings those are looked at that stand within
prose: in a long line that ends a sentence, and at neither edge of it.  A string goes into the table if at least three
publishers have it there, in three documents of each; with the third greatest of their rates, rounded down to a power
of one half.  So nothing in it is of one article, and nothing that one publisher puts into its sentences counts.  Left
out is what could hardly be a template in any source: strings with little information, and of several tokens those that
are neither bound together nor stand at an edge of their lines more often than now and then.  Longer strings are left
out too: six tokens are an idiom, more begin to be somebody's sentence.

Languages are not told apart: strings of two languages are hardly ever equal, and what is, as "{month} {number},", is no
less an idiom.  Sources are as the archives name them; --one-publisher says which belong together.

Ten seconds for 17,000 articles of 115 MB on one core.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from templatemine.cli.common import at_least
from templatemine.config import NO_BACKGROUND, PipelineConfig, ReadConfig
from templatemine.errors import CorpusError, TemplateMineError
from templatemine.evaluation.protocol import by_source
from templatemine.io.read import read_documents
from templatemine.io.write import atomic_writer
from templatemine.mining.background import write
from templatemine.mining.candidates import SourceCandidates, Strings, rates_of
from templatemine.mining.methods import resolve_defaults
from templatemine.mining.stages import mine_source, unfit
from templatemine.model import Document
from templatemine.text.patterns import PatternSet

__all__ = ["BackgroundSpec", "Part", "derive", "main", "part_of", "patterns"]

OPTIONS = resolve_defaults(PipelineConfig(background=NO_BACKGROUND))


@dataclass(frozen=True, kw_only=True)
class BackgroundSpec:
    """publishers : that must have a string in their prose.  tokens : of the longest.  information : bits; less than
    `EvidenceConfig.mark_information` is never a template.  bound, edge : least boundness in the source where it is
    greatest, and least share of the occurrences in all sources that begin or end a line, of strings of several tokens
    (either will do): a fifth and two fifths of what `EvidenceConfig` asks, for a small source may measure more.
    """

    publishers: int = 3
    tokens: int = 6
    information: float = 9.0
    bound: float = 0.1
    edge: float = 0.2


@dataclass(frozen=True, kw_only=True)
class Part:
    """What of one source may go into the table: its strings, and a column each for what is asked of them."""

    publisher: str
    strings: Strings
    hashes: NDArray[np.uint64]
    prose: NDArray[np.float32]
    count: NDArray[np.int32]
    starts: NDArray[np.float32]
    ends: NDArray[np.float32]
    bound: NDArray[np.float32]
    information: NDArray[np.float32]
    length: NDArray[np.int64]


COLUMNS = tuple(one.name for one in fields(Part) if one.name not in ("publisher", "strings"))


def patterns() -> PatternSet:
    """That the strings of a table are written with."""
    return OPTIONS.patterns


def part_of(mined: SourceCandidates, publisher: str, spec: BackgroundSpec) -> Part:
    """The strings of a source that stand within its prose and are short."""
    evidence = mined.evidence
    assert evidence is not None
    hashes, _, prose = rates_of(mined)
    length = np.diff(mined.strings.bounds)
    rows = np.flatnonzero((prose > 0) & (length <= spec.tokens))
    return Part(
        publisher=publisher,
        strings=mined.strings.take(rows),
        hashes=hashes[rows],
        prose=prose[rows],
        count=mined.strings.count[rows],
        starts=evidence.starts[rows],
        ends=evidence.ends[rows],
        bound=evidence.bound[rows],
        information=evidence.information[rows],
        length=length[rows],
    )


def derive(parts: Sequence[Part], spec: BackgroundSpec) -> dict[str, int]:
    """The table of some sources, in whatever order they come: strings, and r where 2^-r is their rate."""
    if not parts:
        return {}
    names = sorted({part.publisher for part in parts})
    whose = np.repeat([names.index(part.publisher) for part in parts], [len(part.hashes) for part in parts])
    columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in COLUMNS}
    order = np.lexsort((-columns["prose"], whose, columns["hashes"]))
    whose, columns = whose[order], {name: column[order] for name, column in columns.items()}
    hashes, count = columns["hashes"], columns["count"].astype(np.float64)
    if not len(hashes):
        return {}
    begins = np.flatnonzero(np.concatenate([[True], hashes[1:] != hashes[:-1]]))
    total = np.add.reduceat(count, begins)
    edges = [np.add.reduceat(columns[name] * count, begins) / total for name in ("starts", "ends")]
    information = np.add.reduceat(columns["information"] * count, begins) / total
    tied = (np.maximum.reduceat(columns["bound"], begins) >= spec.bound) | (np.maximum(*edges) >= spec.edge)
    able = (information >= spec.information) & (tied | (columns["length"][begins] == 1))
    common, rate = _common(hashes, whose, columns["prose"], spec.publishers)
    chosen = np.isin(hashes[begins], common) & able
    kept = hashes[begins][chosen]
    exponents = np.ceil(-np.log2(rate[np.searchsorted(common, kept)])).astype(int)
    named = _names(parts, kept)
    return {named[key]: value for key, value in zip(kept.tolist(), exponents.tolist(), strict=True) if key in named}


def _common(
    hashes: NDArray[np.uint64], whose: NDArray[np.int64], prose: NDArray[np.float32], least: int
) -> tuple[NDArray[np.uint64], NDArray[np.float32]]:
    """Strings of at least so many publishers, and the rate that so many of them reach; rows by string and publisher,
    the greatest rate of each publisher first."""
    first = np.concatenate([[True], (hashes[1:] != hashes[:-1]) | (whose[1:] != whose[:-1])])
    hashes, prose = hashes[first], prose[first]
    order = np.lexsort((-prose, hashes))
    hashes, prose = hashes[order], prose[order]
    begins = np.flatnonzero(np.concatenate([[True], hashes[1:] != hashes[:-1]]))
    begins = begins[np.diff(np.append(begins, len(hashes))) >= least]
    return hashes[begins], prose[begins + least - 1]


def _names(parts: Sequence[Part], wanted: NDArray[np.uint64]) -> dict[int, str]:
    """The strings of some hashes as a table writes them; none that could not be read back."""
    known = patterns()
    names: dict[int, str] = {}
    for part in parts:
        for row in np.flatnonzero(np.isin(part.hashes, wanted)).tolist():
            key = int(part.hashes[row])
            if key not in names:
                string = " ".join(part.strings.readable(row, known))
                if string.isprintable():
                    names[key] = string
    return names


def _mined(documents: Iterable[Document]) -> Iterator[SourceCandidates]:
    for source, rows in sorted(by_source(list(documents)).items()):
        note = unfit(rows, OPTIONS)
        if any(row.is_html for row in rows):
            note = "skipped: pages; their menus would count as prose"
        print(f"{source}: {note or f'{len(rows)} documents'}", file=sys.stderr)
        if not note:
            yield mine_source(source, rows, OPTIONS)


def _publishers(groups: Sequence[str]) -> Mapping[str, str]:
    return {source: group for group in groups for source in group.split(",")}


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; 2 for input that cannot be used."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", metavar="ARCHIVE", nargs="+", help="articles, in any format of `mine`")
    parser.add_argument("--output", "-o", metavar="FILE", required=True, help="the table; .gz, .xz or .zst packs it")
    parser.add_argument(
        "--publishers", metavar="N", type=at_least(1), default=BackgroundSpec.publishers, help="%(default)s"
    )
    parser.add_argument("--tokens", metavar="N", type=at_least(1), default=BackgroundSpec.tokens, help="%(default)s")
    parser.add_argument(
        "--one-publisher", metavar="A,B", action="append", default=[], help="sources that count as one; may be repeated"
    )
    args = parser.parse_args(arguments)
    spec = BackgroundSpec(publishers=args.publishers, tokens=args.tokens)
    houses = _publishers(args.one_publisher)
    try:
        documents = list(read_documents(args.archives, ReadConfig()))
        if strangers := sorted(houses.keys() - {document.source for document in documents}):
            raise CorpusError(f"--one-publisher: expected sources of the archives, found {strangers[0]!r}")
        parts = [part_of(one, houses.get(one.source, one.source), spec) for one in _mined(documents)]
        publishers = len({part.publisher for part in parts})
        if publishers < spec.publishers:
            raise CorpusError(f"expected articles of at least {spec.publishers} publishers, found {publishers}")
        strings = derive(parts, spec)
        made_of = f"of {publishers} publishers, in the prose of {spec.publishers}, up to {spec.tokens} tokens"
        with atomic_writer(args.output, force=True, text=True) as handle:
            write(handle, strings, made_of)
    except TemplateMineError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{len(strings)} strings {made_of}: {args.output}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
