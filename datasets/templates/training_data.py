"""Annotated articles and labelled strings of sources, and which candidates those strings are.

Two kinds of evidence, read by people.  **Gold**: articles read in full, with spans [start, end, status, kind].
**Labels**: strings of a source, JSON lines {unit, text, df, n, label, filler, places}, each with what it is, what
becomes of the rest of its line, and places [document id, start, end] at which it stands.  `load_annotated_sources`
reads both with the archives they are of; `match_labels` finds the candidates whose tokens stand at the places of a
string.

All offsets are code points, end exclusive.  Reading all archives takes some 350 MB of memory and ten seconds.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from templatemine.config import PipelineConfig, ReadConfig
from templatemine.errors import CorpusError
from templatemine.evaluation.gold import GoldSpans, read_spans
from templatemine.evaluation.protocol import stable_hash
from templatemine.io.jsonl import decode_line
from templatemine.io.read import read_documents
from templatemine.mining.labels import Candidates
from templatemine.mining.methods import ResolvedConfig, resolve_defaults
from templatemine.mining.segments import Segments
from templatemine.model import Document
from templatemine.text import _scan
from templatemine.text.expressions import EncodedText
from templatemine.text.reading import ReadingRules

__all__ = [
    "BOILERPLATE_KINDS",
    "FILLERS",
    "PUBLISHERS",
    "UNITS",
    "AnnotatedSource",
    "LabelledString",
    "MatchedLabel",
    "choose_documents",
    "load_annotated_sources",
    "load_labels",
    "locate_tokens",
    "match_labels",
    "publisher_of",
    "read_sources",
]

BOILERPLATE_KINDS = (
    *("promotion", "related", "sharing", "media", "caption", "byline", "dateline", "legal", "advertisement"),
    *("navigation", "embed", "note", "contact", "other"),
)
"""What boilerplate is for; gold alone has "other"."""
UNITS = ("segment", "string", "prefix", "suffix")
"""What a labelled string was found as."""
CONTENT, MIXED = "content", "mixed"
FILLERS = ("content", "sentence", "line")
"""What the rest of the line of a label is: content, boilerplate to the end of the sentence, or to that of the line."""

ARCHIVES = (
    *("text/allsides", "text/allsides_more", "text/livedoor", "text/saudinews", "text/world", "text/xinwenlianbo"),
    *("text/weekinethereum", "publishers/publishers", "publishers/publishers2", "feeds/feeds"),
)
"""Archives that hold annotated or labelled sources."""
GOLD_FOLDERS = ("gold2", "feeds/gold")
FEED_PREFIX = "feed."
MAX_DOCUMENTS = 1500
"""Of a source, those that are read; of feeds, whose items are short, `MAX_ITEMS`."""
MAX_ITEMS = 2500
SEED = 7

_BBC, _VOA, _DOW_JONES = "bbc.com", "voanews.com", "news corp"
PUBLISHERS: Mapping[str, str] = {
    **dict.fromkeys(("bbc.com-afrique", "bbc.com-hausa", "bbc.com-igbo", "bbc.com-urdu", "bbcarabic.com"), _BBC),
    "feed.bbc-world": _BBC,
    "feed.guardian-world": "theguardian.com",
    "feed.scmp": "scmp.com",
    "cnnbrasil.com.br": "cnn.com",
    "ess-news.com": "pv-magazine.com",
    "lematin.ch": "tdg.ch",
    "arise.tv": "thisdaylive.com",
    **dict.fromkeys(("urduvoa.com", "voashona.com"), _VOA),
    **dict.fromkeys(("wsj.com", "marketwatch.com", "nypost.com"), _DOW_JONES),
    **dict.fromkeys(("smax", "peachy", "movie-enter", "livedoor-homme"), "livedoor"),
}
"""Source -> publisher, for those that share one."""


class LabelledString(NamedTuple):
    """A string of a source and what a reader says of it.

    Attributes
    ----------
    unit : str
        One of `UNITS`; a "string" crosses segments.
    text : str
    df, n : int
        Documents that hold it, of how many.
    label : str
        "content", "mixed" (both), or one of `BOILERPLATE_KINDS`.
    filler : str or None
        Of a prefix or suffix that is boilerplate, one of `FILLERS`.
    places : tuple of (document id, start, end)
        Some of its occurrences.
    """

    unit: str
    text: str
    df: int
    n: int
    label: str
    filler: str | None
    places: tuple[tuple[str, int, int], ...]

    @property
    def is_boilerplate(self) -> bool | None:
        """None of what is mixed."""
        return None if self.label == MIXED else self.label != CONTENT

    @property
    def kind(self) -> str | None:
        """Of boilerplate."""
        return self.label if self.is_boilerplate else None


@dataclass(frozen=True, kw_only=True)
class AnnotatedSource:
    """An archive of one source, its annotated articles and its labelled strings; one of the two may be empty.

    Attributes
    ----------
    name, publisher : str
    documents : tuple of Document
        The archive, or so much of it as `choose_documents` takes, annotated articles among them.
    gold : mapping
        Id of an annotated article -> its spans.
    labels : sequence of LabelledString
    """

    name: str
    publisher: str
    documents: tuple[Document, ...] = field(repr=False)
    gold: GoldSpans = field(default_factory=dict, repr=False)
    labels: Sequence[LabelledString] = field(default=(), repr=False)

    @property
    def is_feed(self) -> bool:
        return self.name.startswith(FEED_PREFIX)

    @property
    def articles(self) -> list[Document]:
        """The annotated ones."""
        return [one for one in self.documents if one.id in self.gold]


def publisher_of(source: str) -> str:
    """The publisher of a source; most have one of their own."""
    return PUBLISHERS.get(source, source)


# -------------------------------------------------------------------------------------------------------------- reading


def load_annotated_sources(
    data: Path, *, max_documents: int = MAX_DOCUMENTS, labelled: bool = True
) -> list[AnnotatedSource]:
    """`read_sources` of a folder with `ARCHIVES`, `GOLD_FOLDERS` and, if they are asked for, ``labels``."""
    return read_sources(
        [str(data / f"{archive}.jsonl.gz") for archive in ARCHIVES],
        [data / folder for folder in GOLD_FOLDERS],
        data / "labels" if labelled else None,
        max_documents=max_documents,
    )


def read_sources(
    archives: Sequence[str],
    gold_folders: Sequence[Path] = (),
    label_folder: Path | None = None,
    *,
    publishers: Mapping[str, str] = PUBLISHERS,
    max_documents: int = MAX_DOCUMENTS,
) -> list[AnnotatedSource]:
    """The sources with gold or labels, in the order of their names.

    Parameters
    ----------
    archives : sequence of str
        In any format that `templatemine mine` reads.
    gold_folders : sequence of Path
        With a file of annotated articles a source.
    label_folder : Path, optional
        With a file of labelled strings a source.
    publishers : mapping
        Source -> publisher, for those that share one.
    max_documents : int
        Of a source, see `choose_documents`; of feeds at least `MAX_ITEMS`.

    Raises
    ------
    CorpusError
        An annotated article is in no archive.
    """
    gold = {file.stem: read_spans(file) for folder in gold_folders for file in sorted(folder.glob("*.jsonl"))}
    labels = load_labels(label_folder) if label_folder else {}
    asked: dict[str, Counter[str]] = {name: Counter() for name in (*gold, *labels)}
    for name, strings in labels.items():
        asked[name].update(document for string in strings for document, _, _ in string.places)
    for name, spans in gold.items():
        asked[name].update(dict.fromkeys(spans, len(labels.get(name, ())) + 1))
    documents: dict[str, list[Document]] = {name: [] for name in asked}
    for document in read_documents(archives, ReadConfig()):
        if document.source in asked:
            documents[document.source].append(document)
    sources = []
    for name in sorted(asked):
        most = max(MAX_ITEMS, max_documents) if name.startswith(FEED_PREFIX) else max_documents
        chosen = choose_documents(documents[name], most, asked[name])
        absent = set(gold.get(name, ())) - {one.id for one in chosen}
        if absent:
            problem = f"{len(absent)} annotated articles are in no archive, e.g. {min(absent)}"
            raise CorpusError(problem, name, fatal=True)
        sources.append(
            AnnotatedSource(
                name=name,
                publisher=publishers.get(name, name),
                documents=tuple(chosen),
                gold=gold.get(name, {}),
                labels=labels.get(name, ()),
            )
        )
    return sources


def load_labels(folder: Path) -> dict[str, list[LabelledString]]:
    """Source -> its labelled strings, of a folder with a file a source.

    Raises
    ------
    CorpusError
        A line that is none of such a string.
    """
    labels = {}
    for file in sorted(folder.glob("*.jsonl")):
        lines = file.read_bytes().splitlines()
        labels[file.stem] = [_parse_label(line, f"{file}:{number}") for number, line in enumerate(lines, 1)]
    return labels


def _parse_label(line: bytes, where: str) -> LabelledString:
    try:
        row: dict[str, Any] = decode_line(line)
        places = tuple((str(name), int(start), int(end)) for name, start, end in row.pop("places"))
        string = LabelledString(places=places, **row)
    except (ValueError, KeyError, TypeError) as error:
        raise CorpusError("expected {unit, text, df, n, label, filler, places}", where, fatal=True) from error
    known = {"unit": UNITS, "label": (CONTENT, MIXED, *BOILERPLATE_KINDS), "filler": (None, *FILLERS)}
    for name, values in known.items():
        if getattr(string, name) not in values:
            problem = f"expected a {name} of {', '.join(map(str, values))}, found {getattr(string, name)!r}"
            raise CorpusError(problem, where, fatal=True)
    return string


def choose_documents(documents: Sequence[Document], most: int, asked: Mapping[str, int]) -> list[Document]:
    """At most so many documents of a source, in their order: those first that are asked for most often, and of these,
    and of the others, those whose ids have the least hashes."""
    if len(documents) <= most:
        return list(documents)
    order = sorted(documents, key=lambda one: (-asked.get(one.id, 0), stable_hash(SEED, one.source, one.id)))
    chosen = {one.id for one in order[:most]}
    return [one for one in documents if one.id in chosen]


# ------------------------------------------------------------------------------------------------------------- matching


@dataclass(frozen=True, kw_only=True)
class MatchedLabel:
    """A candidate and the labelled string that it is.

    Attributes
    ----------
    candidates, row : int
        Which of the sets of candidates, and which candidate of it.
    string : LabelledString
    occurrences : int64 array
        Those of the candidate that stand at its places, as indices of `Candidates.segment`.
    """

    candidates: int
    row: int
    string: LabelledString
    occurrences: NDArray[np.int64] = field(repr=False)

    @cached_property
    def label(self) -> bool | None:
        """Whether it is boilerplate; None of what is mixed."""
        return self.string.is_boilerplate

    @property
    def kind(self) -> str | None:
        """Of boilerplate, one of `BOILERPLATE_KINDS`."""
        return self.string.kind

    @property
    def filler(self) -> str | None:
        """Of a prefix or suffix that is boilerplate, one of `FILLERS`."""
        return self.string.filler


def locate_tokens(
    document: Document, rules: ReadingRules | None = None, options: ResolvedConfig | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the tokens of a text begin and end, as mining by some rules has them, line breaks left out."""
    options = options or resolve_defaults(PipelineConfig())
    patterns, separators = options.patterns, options.tokenise.separators
    scanner = _scan.Tokeniser(*patterns.scanner_arguments(separators, document.is_html))
    encoded = EncodedText(document.body, patterns, separators, rules)
    starts, ends, _ = scanner.token_spans(encoded.data)
    return encoded.spans(np.asarray(starts), np.asarray(ends))


def match_labels(
    segments: Segments,
    candidates: Sequence[Candidates],
    documents: Sequence[Document],
    labels: Sequence[LabelledString],
    rules: ReadingRules | None = None,
    options: ResolvedConfig | None = None,
) -> list[MatchedLabel]:
    """The candidates that are labelled strings.

    A candidate is such a string if one of its occurrences has the tokens of one of the places; signs at the edges of
    these tokens may lie outside.  It may be of another kind than the string was found as.  If it is several
    strings, that with most places there is taken.

    Parameters
    ----------
    segments : Segments
    candidates : sequence of Candidates
        The sets of candidates of the source.
    documents : sequence of Document
        Those of `segments`, in its order.
    labels : sequence of LabelledString
    rules : ReadingRules, optional
        How the texts of the source are read.

    Returns
    -------
    list of MatchedLabel
        In the order of the candidates.  Strings that are no candidate are in none of them.
    """
    places = _locate_places(segments, documents, labels, rules, options)
    if not places:
        return []
    keys = np.array(sorted(places), np.int64)
    first, size = keys[:, 0], keys[:, 1]
    owners = [places[int(begin), int(length)] for begin, length in keys]
    # Tokens of a place fit into 20 bits, or it is no candidate.
    packed = first << 20 | size
    matches = []
    for number, own in enumerate(candidates):
        row = np.repeat(np.arange(len(own)), own.count)
        length = own.length[row].astype(np.int64)
        occurrence = own.starts(segments, own.segment, length) << 20 | length
        position = np.minimum(np.searchsorted(packed, occurrence), len(packed) - 1)
        found = np.flatnonzero(packed[position] == occurrence)
        votes: dict[int, Counter[int]] = defaultdict(Counter)
        at: dict[tuple[int, int], list[int]] = defaultdict(list)
        for index in found.tolist():
            for label in owners[position[index]]:
                votes[int(row[index])][label] += 1
                at[int(row[index]), label].append(index)
        for candidate, counts in sorted(votes.items()):
            label = min(counts, key=lambda one: (-counts[one], labels[one].unit != own.kind, one))
            occurrences = np.array(at[candidate, label], np.int64)
            matches.append(
                MatchedLabel(candidates=number, row=candidate, string=labels[label], occurrences=occurrences)
            )
    return matches


def _locate_places(
    segments: Segments,
    documents: Sequence[Document],
    labels: Sequence[LabelledString],
    rules: ReadingRules | None,
    options: ResolvedConfig | None,
) -> dict[tuple[int, int], list[int]]:
    """(first token, number of tokens) -> the labels with a place of these tokens."""
    places: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for index, label in enumerate(labels):
        for name, start, end in label.places:
            places[name].append((start, end, index))
    found: dict[tuple[int, int], list[int]] = defaultdict(list)
    for number, document in enumerate(documents):
        if document.id not in places:
            continue
        starts, ends = locate_tokens(document, rules, options)
        offset = int(segments.doc_tokens[number])
        text = document.body
        for start, end, index in places[document.id]:
            first = int(np.searchsorted(ends, start, side="right"))
            last = int(np.searchsorted(starts, end, side="left")) - 1
            outside = "" if first > last else text[starts[first] : start] + text[end : ends[last]]
            if first <= last and not _has_letters(outside):
                found[offset + first, last - first + 1].append(index)
    return found


def _has_letters(text: str) -> bool:
    return any(map(str.isalnum, text))
