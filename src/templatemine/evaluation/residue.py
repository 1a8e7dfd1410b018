"""Trial 6: residues of cuts, without any annotation.

A cut that begins and ends with its boilerplate leaves lines as a writer would have them.  One that does not leaves a
beginning in small letters, half a pair of brackets, a sign alone, a label of nothing, a sentence without its end.  Each
is looked for on the lines that a cut touches and does not remove, and only where the line was whole before.  Worst are
cuts that tear a sentence or leave half of one (`text.tears`), and the templates that make them.  A residue is no proof
of a fault, and a wrong cut of a whole line leaves none.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from templatemine.errors import counted
from templatemine.evaluation.protocol import System, TrialResult, group_by_source, run_system, sample_documents
from templatemine.evaluation.trial_config import ResidueConfig
from templatemine.model import Document, Span
from templatemine.text.characters import ends_sentence, words_beside
from templatemine.text.tears import (
    CutCount,
    IsTorn,
    JudgedCut,
    SentenceEnds,
    count_unpaired,
    join_spans,
    judge_cuts,
    leaves_part,
    tally_judged,
)

ALL = "all"
TORN = "torn sentence"
"""Kind of a residue: a cut tears a sentence, or leaves half of one."""
MIN_OWN_SENTENCE = 3
"""Words from which on what begins with a capital, and ends as a sentence, is one: names are shorter."""
MAX_TEARING = 10
"""Templates that are named."""
CONTEXT = 40
"""Characters beside a torn place."""
_LINE = re.compile("[^\n\u2028\u2029]+")
_LINE_OPENERS = "\"'#@&$%*_\u2026"
"""Punctuation that a line may well begin with, beside opening brackets and quotes."""
_ADDRESS = re.compile(r"www\.|\w+://|[\w.-]+\.\w+/")
"""An address that a line begins with, in small letters as all are."""
_COLONS = (":", "\uff1a", "\ufe55")


@dataclass(frozen=True, slots=True, kw_only=True)
class Residue:
    """The rest of a line that was cut in part.

    Attributes
    ----------
    kind : str
        One of `KINDS`, or `TORN`.
    start, end : int
        The line, in code points of the document; of a torn sentence, the cut.
    left, cut : str
        The rest of it, and the removed part; of a torn sentence, what is left on both sides.
    """

    kind: str
    start: int
    end: int
    left: str
    cut: str


def _has_torn_beginning(line: str, left: str) -> bool:
    """Return whether the rest begins in small letters or with punctuation, and its line did not."""
    return _is_odd_beginning(left) and not _is_odd_beginning(line)


def _is_odd_beginning(text: str) -> bool:
    first = text[0]
    if first in _LINE_OPENERS or _ADDRESS.match(text):
        return False
    category = unicodedata.category(first)
    return category == "Ll" or category in ("Pc", "Pd", "Pe", "Pf", "Po")


def _is_unbalanced(line: str, left: str) -> bool:
    """Return whether brackets or quotes that were pairs no longer are."""
    return count_unpaired(line) == 0 != count_unpaired(left)


def _is_lone_sign(line: str, left: str) -> bool:
    """Return whether only signs are left, where there were words."""
    return _has_words(line) and not _has_words(left)


def _has_words(text: str) -> bool:
    return any(char.isalnum() for char in text)


def _is_bare_label(line: str, left: str) -> bool:
    """Return whether a label has lost its text."""
    return left.endswith(_COLONS) and not line.endswith(_COLONS) and _has_words(left)


def _has_open_end(line: str, left: str) -> bool:
    """Return whether a sentence has lost its end; not where a sentence of its own follows, as behind a teaser that its
    publisher cut off."""
    if not ends_sentence(line) or not left[-1].isalnum():
        return False
    lost = line[len(left) :].split() if line.startswith(left) else []
    return not (len(lost) >= MIN_OWN_SENTENCE and lost[0][0].isupper())


KINDS: Mapping[str, Callable[[str, str], bool]] = {
    "begins torn": _has_torn_beginning,
    "unbalanced": _is_unbalanced,
    "lone sign": _is_lone_sign,
    "label": _is_bare_label,
    "open end": _has_open_end,
}
"""Name -> whether it is there, of a line before a cut and its rest, both without the blanks around them."""


def find_residues(text: str, removed: Sequence[Span], is_torn: IsTorn = leaves_part) -> Iterator[Residue]:
    """Yield the residues of cuts in the lines of a text, and then the cuts that tear sentences.

    Parameters
    ----------
    removed : sequence of Span
        Ascending and disjoint, in code points of `text`.
    is_torn : callable
        See `text.tears.IsTorn`.
    """
    yield from find_line_residues(text, removed)
    for start, end, _ in join_spans(text, removed):
        if is_torn(text, start, end):
            yield describe_tear(text, start, end)


def describe_tear(text: str, start: int, end: int) -> Residue:
    """Return the residue of a cut that tears a sentence."""
    left = " … ".join(_find_context(text, start, end))
    return Residue(kind=TORN, start=start, end=end, left=left, cut=text[start:end])


def find_line_residues(text: str, removed: Sequence[Span | JudgedCut[str]]) -> Iterator[Residue]:
    """Yield the residues of cuts in the lines of a text, without torn sentences."""
    spans, first = list(removed), 0
    for match in _LINE.finditer(text):
        start, end = match.span()
        while first < len(spans) and spans[first].end <= start:
            first += 1
        parts = []
        for place in range(first, len(spans)):
            if spans[place].start >= end:
                break
            parts.append((max(start, spans[place].start), min(end, spans[place].end)))
        if not parts:
            continue
        edges = [start, *(edge for pair in parts for edge in pair), end]
        left = " ".join("".join(text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)).split())
        if left:
            line = " ".join(match[0].split())
            cut = " … ".join(text[a:b] for a, b in parts)
            for kind, has_residue in KINDS.items():
                if has_residue(line, left):
                    yield Residue(kind=kind, start=start, end=end, left=left, cut=cut)


def _find_context(text: str, start: int, end: int) -> tuple[str, str]:
    """Return some words before a cut and behind it, on one line."""
    before, behind = words_beside(text, start, end, CONTEXT)
    return " ".join(before.split()), " ".join(behind.split())


def evaluate_residue(documents: Sequence[Document], system: System, config: ResidueConfig | None = None) -> TrialResult:
    """Clean articles and count those in which a cut leaves a residue, by kind and source.

    Rows are a source each and all of them: articles, those that were changed, and the shares of these with a torn
    sentence, and with a residue of any kind and of each.  The notes begin with the templates that tear most.  Pages are
    left out: their main text is not cut by lines.
    """
    config = config or ResidueConfig()
    articles = [document for document in documents if not document.is_html]
    cleaned = run_system(system, articles, articles)
    answers = {id(document): answer for document, answer in zip(articles, cleaned, strict=True)}
    sampled = sample_documents(articles, config.sample, config.seed)
    counts: dict[str, Counter[str]] = {}
    examples: dict[str, list[str]] = {kind: [] for kind in KINDS}
    tears: list[tuple[CutCount, str, str, str]] = []
    for source, source_documents in group_by_source(sampled).items():
        changed = [document for document in source_documents if answers[id(document)].removed]
        is_torn = SentenceEnds([document.body for document in source_documents]).leaves_part
        tears += _find_tears(source, [(document.body, answers[id(document)].removed) for document in changed], is_torn)
        for document in changed:
            answer = answers[id(document)]
            document_residues = list(find_residues(document.body, answer.removed, is_torn))
            kinds = {residue.kind for residue in document_residues}
            told = ["changed", *kinds, *(["any"] if kinds else [])]
            for name in (source, ALL):
                counts.setdefault(name, Counter()).update(told)
            for residue in document_residues:
                # Torn sentences are told with the templates that tear them.
                if residue.kind != TORN and len(examples[residue.kind]) < config.examples:
                    examples[residue.kind].append(
                        f"{residue.kind}: {source} {document.id}: {_shorten(residue.left)} [-{_shorten(residue.cut)}-]"
                    )
    article_counts = Counter(document.source for document in sampled)
    article_counts[ALL] = len(sampled)
    order = [*sorted(name for name in article_counts if name != ALL), ALL]
    rows = [_row(name, article_counts[name], counts.get(name, Counter())) for name in order]
    units = {"source": "text", "articles": "count", "changed": "count", **dict.fromkeys((TORN, "any", *KINDS), "share")}
    settings = {"seed": config.seed, "sample of a source": config.sample, "articles": len(sampled)}
    notes = tuple(
        f"{template} of {source} tears a sentence in {count.tears:,} of {counted(count.cuts, 'cut')}: {example}"
        for count, source, template, example in sorted(tears, key=lambda one: (-one[0].tears, *one[1:]))[:MAX_TEARING]
    )
    notes += ("shares are of the changed articles; what is left [-what was removed from the line-]:",)
    pages = len(documents) - len(articles)
    page_notes = (f"{counted(pages, 'page')} left out: their main text is not cut by lines",) if pages else ()
    example_notes = tuple(text for kind_examples in examples.values() for text in kind_examples)
    return TrialResult(
        name="residue", settings=settings, units=units, rows=tuple(rows), notes=page_notes + notes + example_notes
    )


def _find_tears(
    source: str, cut: Sequence[tuple[str, Sequence[Span]]], is_torn: IsTorn
) -> Iterator[tuple[CutCount, str, str, str]]:
    """Yield the templates that tear sentences: counts, source, template, and a torn place."""
    judged = [(text, one) for text, spans in cut for one in judge_cuts(text, spans, is_torn)]
    for template, count in tally_judged(one for _, one in judged).items():
        if count.tears:
            places = ((text, one) for text, one in judged if any(template in some for some in one.torn.values()))
            text, torn = next(places)
            before, behind = _find_context(text, torn.start, torn.end)
            yield count, source, template, f"{before} [-{_shorten(text[torn.start : torn.end])}-] {behind}"


def _row(name: str, articles: int, count: Counter[str]) -> dict[str, object]:
    changed = count["changed"]
    shares = {kind: count[kind] / changed if changed else None for kind in (TORN, "any", *KINDS)}
    return {"source": name, "articles": articles, "changed": changed, **shares}


def _shorten(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 60 else f"{flat[:30]} … {flat[-30:]}"
