"""Trial 6: what cuts leave behind, without any annotation.

A cut that begins and ends with its boilerplate leaves lines as a writer would have them.  One that does not leaves a
beginning in small letters, half a pair of brackets, a sign alone, a label of nothing, a sentence without its end.  Each
is looked for on the lines that a cut touches and does not remove, and only where the line was whole before.  A residue
is no proof of a fault, and a wrong cut of a whole line leaves none.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from templatemine.evaluation.options import ResidueConfig
from templatemine.evaluation.protocol import Result, System, apply, by_source, pick
from templatemine.model import Document, Span

__all__ = ["KINDS", "Residue", "ResidueConfig", "evaluate_residue", "residues"]

ALL = "all"
_LINE = re.compile("[^\n\u2028\u2029]+")
_BEGINNINGS = "\"'#@&$%*_\u2026"
"""Punctuation that a line may well begin with, beside opening brackets and quotes."""
_ENDS = re.compile(
    "[.!?\u2026\u3002\uff01\uff1f\uff61\u0589\u061f\u06d4\u0964\u0965\u1362\u104b\u17d4][\"')\\]}\u00bb\u201d\u2019\u203a"
    "\u300d\u300f\uff09]*$"
)
_COLONS = (":", "\uff1a", "\ufe55")


@dataclass(frozen=True, slots=True, kw_only=True)
class Residue:
    """What a cut left of a line.

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    start, end : int
        The line, in code points of the document.
    left, cut : str
        What is left of it, and what was removed from it.
    """

    kind: str
    start: int
    end: int
    left: str
    cut: str


def _begins_torn(line: str, left: str) -> bool:
    """A beginning in small letters or with punctuation, where the line had none."""
    return _odd_beginning(left) and not _odd_beginning(line)


def _odd_beginning(text: str) -> bool:
    first = text[0]
    if first in _BEGINNINGS:
        return False
    category = unicodedata.category(first)
    return category == "Ll" or category in ("Pc", "Pd", "Pe", "Pf", "Po")


def _unbalanced(line: str, left: str) -> bool:
    """Brackets or quotes that were pairs, and are not."""
    return _balance(line) == 0 != _balance(left)


def _balance(text: str) -> int:
    """Brackets and quotes without the other half; "’" is an apostrophe more often than a quote."""
    counts = Counter(unicodedata.category(char) for char in text if char != "\u2019" and char != "\u2018")
    marks = text.count('"') % 2
    return abs(counts["Ps"] - counts["Pe"]) + abs(counts["Pi"] - counts["Pf"]) + marks


def _lone_sign(line: str, left: str) -> bool:
    """Signs alone, where there were words."""
    return _words(line) and not _words(left)


def _words(text: str) -> bool:
    return any(char.isalnum() for char in text)


def _label(line: str, left: str) -> bool:
    """A label without what it labelled."""
    return left.endswith(_COLONS) and not line.endswith(_COLONS) and _words(left)


def _open_end(line: str, left: str) -> bool:
    """A sentence without its end."""
    return _ENDS.search(line) is not None and left[-1].isalnum()


KINDS: Mapping[str, Callable[[str, str], bool]] = {
    "begins torn": _begins_torn,
    "unbalanced": _unbalanced,
    "lone sign": _lone_sign,
    "label": _label,
    "open end": _open_end,
}
"""Name -> whether it is there, of a line before a cut and what is left of it, both without the blanks around them."""


def residues(text: str, removed: Sequence[Span]) -> Iterator[Residue]:
    """What cuts leave of the lines of a text.

    Parameters
    ----------
    removed : sequence of Span
        Ascending and disjoint, in code points of `text`.
    """
    spans, place = list(removed), 0
    for match in _LINE.finditer(text):
        start, end = match.span()
        while place < len(spans) and spans[place].end <= start:
            place += 1
        inside = []
        for span in spans[place:]:
            if span.start >= end:
                break
            inside.append((max(start, span.start), min(end, span.end)))
        if not inside:
            continue
        edges = [start, *(edge for pair in inside for edge in pair), end]
        left = " ".join("".join(text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)).split())
        if left:
            line = " ".join(match[0].split())
            cut = " … ".join(text[a:b] for a, b in inside)
            for kind, found in KINDS.items():
                if found(line, left):
                    yield Residue(kind=kind, start=start, end=end, left=left, cut=cut)


def evaluate_residue(documents: Sequence[Document], system: System, config: ResidueConfig | None = None) -> Result:
    """Clean articles and count those in which a cut leaves a residue, by kind and source.

    Rows are a source each and all of them: articles, those that were changed, and the shares of these with a residue of
    any kind and of each.  Pages are left out: their main text is not cut by lines.
    """
    config = config or ResidueConfig()
    articles = [document for document in documents if not document.is_html]
    cleaned = apply(system, articles, articles)
    answers = {id(document): answer for document, answer in zip(articles, cleaned, strict=True)}
    picked = pick(articles, config.sample, config.seed)
    counts: dict[str, Counter[str]] = {}
    examples: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for source, own in by_source(picked).items():
        for document in own:
            answer = answers[id(document)]
            if not answer.removed:
                continue
            found = list(residues(document.body, answer.removed))
            kinds = {one.kind for one in found}
            for name in (source, ALL):
                counts.setdefault(name, Counter()).update(["changed", *kinds, *(["any"] if kinds else [])])
            for one in found:
                if len(examples[one.kind]) < config.examples:
                    examples[one.kind].append(
                        f"{one.kind}: {source} {document.id}: {_short(one.left)} [-{_short(one.cut)}-]"
                    )
    number = Counter(document.source for document in picked)
    number[ALL] = len(picked)
    order = [*sorted(name for name in number if name != ALL), ALL]
    rows = [_row(name, number[name], counts.get(name, Counter())) for name in order]
    units = {"source": "text", "articles": "count", "changed": "count", **dict.fromkeys(("any", *KINDS), "share")}
    settings = {"seed": config.seed, "sample of a source": config.sample, "articles": len(picked)}
    notes = ("shares are of the changed articles; what is left [-what was removed from the line-]:",)
    told = tuple(text for some in examples.values() for text in some)
    return Result(name="residue", settings=settings, units=units, rows=tuple(rows), notes=notes + told)


def _row(name: str, articles: int, count: Counter[str]) -> dict[str, object]:
    changed = count["changed"]
    shares = {kind: count[kind] / changed if changed else None for kind in ("any", *KINDS)}
    return {"source": name, "articles": articles, "changed": changed, **shares}


def _short(text: str, size: int = 60) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= size else f"{flat[: size // 2]} … {flat[-size // 2 :]}"
