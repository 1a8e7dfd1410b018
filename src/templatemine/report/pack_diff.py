"""(packs before, packs after, articles) -> the subjects of a review: templates added, removed, changed, moved.

`packs.changes` compares the expressions of one source; here are all sources of two folders, templates whose share of
the documents moved, and the characters of an archive that only one of both packs removes.  The archive is read once,
each article cleaned twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from templatemine.config import CleanConfig
from templatemine.errors import CapacityError, CorpusError
from templatemine.io.files import raise_error
from templatemine.model import Document, Span, Template
from templatemine.packs.changes import Changes, compare
from templatemine.packs.pack import Pack
from templatemine.report.explain import Explainer, Explanation

MIN_DEVIATION = 3.0
"""A share has moved if both samples differ by so many standard errors: by chance one template in 370 does."""


@dataclass(slots=True)
class CutDifference:
    """The cuts of both packs of a source in an archive, compared.

    Attributes
    ----------
    documents, differing : int
        All, and those of which the packs remove something else.
    characters, old_cut, new_cut : int
        Of all documents: their characters, and by how many fewer come out (`Explanation`).
    only_old, only_new : int
        In cuts of one of them alone, without the white space that goes beside these; for pages with mark-up.
    old_by_template, new_by_template : Counter of str
        Template -> characters of its cuts that the other pack leaves.  A cut of several templates counts for each.
    """

    documents: int = 0
    differing: int = 0
    characters: int = 0
    old_cut: int = 0
    new_cut: int = 0
    only_old: int = 0
    only_new: int = 0
    old_by_template: Counter[str] = field(default_factory=Counter)
    new_by_template: Counter[str] = field(default_factory=Counter)

    def of_template(self, old: Template | None, new: Template | None) -> tuple[int, int]:
        """Count the characters that a template no longer removes, and those that it removes now."""
        return self.old_by_template[old.id] if old else 0, self.new_by_template[new.id] if new else 0

    def add(self, old: Explanation | None, new: Explanation | None) -> None:
        """Count one more document, by what the packs do to it; None without a pack, or with one of the other kind."""
        self.documents += 1
        self.characters += max(one.size for one in (old, new) if one is not None)
        (old_spans, old_cut), (new_spans, new_cut) = _effect(old), _effect(new)
        self.old_cut += old_cut
        self.new_cut += new_cut
        only_old = _count_uncovered(old_spans, new_spans, self.old_by_template)
        only_new = _count_uncovered(new_spans, old_spans, self.new_by_template)
        self.only_old += only_old
        self.only_new += only_new
        self.differing += only_old + only_new > 0


def _effect(found: Explanation | None) -> tuple[Sequence[Span], int]:
    """Return the cuts of a document, and the characters that it loses."""
    return ((), 0) if found is None or found.whole else (found.spans, found.cut)


def _count_uncovered(spans: Sequence[Span], others: Sequence[Span], by_template: Counter[str]) -> int:
    total = 0
    for span in spans:
        if bare := uncovered_length(span, others):
            total += bare
            for template in span.templates:
                by_template[template] += bare
    return total


def uncovered_length(span: Span, others: Sequence[Span]) -> int:
    """Count the characters of a span that no other one covers; the others are ascending and disjoint."""
    covered = (min(span.end, other.end) - max(span.start, other.start) for other in others)
    return span.end - span.start - sum(length for length in covered if length > 0)


TemplatePair = tuple[Template | None, Template | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class PackDiff:
    """The differences of the packs of one source.

    Attributes
    ----------
    old, new : Pack or None
        None where one of both folders has no pack of the source.
    moved : tuple of (Template, Template)
        The same expression, with another share of the documents.
    cuts : CutDifference or None
        None without an archive.
    """

    source: str
    old: Pack | None
    new: Pack | None
    changes: Changes
    moved: tuple[tuple[Template, Template], ...]
    cuts: CutDifference | None = None

    def __bool__(self) -> bool:
        return bool(self.changes or self.moved or (self.old is None) != (self.new is None))

    def rows(self) -> dict[str, list[TemplatePair]]:
        """Return templates added (+), removed (-), changed (~) and moved (^), before and after; within a kind, most
        characters first."""
        found: dict[str, list[TemplatePair]] = {
            "+": [(None, template) for template in self.changes.added],
            "-": [(template, None) for template in self.changes.removed],
            "~": [*self.changes.changed],
            "^": [*self.moved],
        }
        for mark in "+-~":
            found[mark].sort(
                key=lambda pair: (
                    -sum(self.cuts.of_template(*pair)) if self.cuts is not None else 0,
                    -max(template.df for template in pair if template is not None),
                )
            )
        return found

    def shares(self, old: Template | None, new: Template | None) -> list[tuple[int, float | None]]:
        """Return document frequency and share of a template in the packs that have it, before and after."""
        pairs = [(template, pack) for template, pack in ((old, self.old), (new, self.new)) if template and pack]
        return [(template.df, template.df / pack.documents if pack.documents else None) for template, pack in pairs]


def diff_packs(old: Mapping[str, Pack], new: Mapping[str, Pack], *, measured: bool = False) -> list[PackDiff]:
    """Compare packs, source by source in the order of names.

    Parameters
    ----------
    measured : bool
        With room for the counts of `measure_diffs`.
    """
    return [
        PackDiff(
            source=source,
            old=old.get(source),
            new=new.get(source),
            changes=_compare(old.get(source), new.get(source)),
            moved=tuple(_find_moved(old.get(source), new.get(source))),
            cuts=CutDifference() if measured else None,
        )
        for source in sorted({*old, *new})
    ]


def _compare(old: Pack | None, new: Pack | None) -> Changes:
    if new is None:
        return Changes(removed=() if old is None else old.templates)
    return compare(old, new)


def _find_moved(old: Pack | None, new: Pack | None) -> Iterator[tuple[Template, Template]]:
    """Yield templates in both packs whose shares differ by more than chance, the largest differences first."""
    if old is None or new is None or not old.documents or not new.documents:
        return
    before = {template.id: template for template in old.templates}
    pairs = [(before[one.id], one) for one in new.templates if one.id in before]
    moves = [(deviation(a.df, old.documents, b.df, new.documents), a, b) for a, b in pairs]
    for size, a, b in sorted(moves, key=lambda move: (-move[0], move[1].id)):
        if size >= MIN_DEVIATION:
            yield a, b


def deviation(df: int, documents: int, other_df: int, other_documents: int) -> float:
    """Return by how many standard errors two shares differ; with one document more of each kind, so that none is
    certain."""
    # A pack may count more documents for a template than it was mined from, where somebody edited it.
    share = (min(df, documents) + 1) / (documents + 2)
    other = (min(other_df, other_documents) + 1) / (other_documents + 2)
    variance = share * (1 - share) / (documents + 2) + other * (1 - other) / (other_documents + 2)
    return float(abs(share - other) / variance**0.5)


def measure_diffs(
    diffs: Sequence[PackDiff],
    documents: Iterable[Document],
    config: CleanConfig | None = None,
    on_error: Callable[[CorpusError], None] = raise_error,
) -> int:
    """Clean an archive by both packs of each source, and count the cuts of only one of them.

    Returns
    -------
    int
        Documents of sources without a difference to measure: in neither folder, or of another kind than the packs.
    """
    comparison = CutComparison(diffs, config, on_error)
    for document in documents:
        comparison.add(document)
    return comparison.left_out


class CutComparison:
    """Cleans documents by both packs of their source, and counts in `PackDiff.cuts`; see `measure_diffs`."""

    def __init__(
        self,
        diffs: Sequence[PackDiff],
        config: CleanConfig | None = None,
        on_error: Callable[[CorpusError], None] = raise_error,
    ) -> None:
        self.left_out = 0
        self._explainers = {
            one.source: [None if pack is None else Explainer(pack, config) for pack in (one.old, one.new)]
            for one in diffs
        }
        self._cuts = {one.source: one.cuts for one in diffs}
        self._on_error = on_error

    def add(self, document: Document) -> None:
        """Count one more document."""
        counted = self._cuts.get(document.source)
        if counted is None:
            self.left_out += 1
            return
        try:
            old, new = (_explain(explainer, document) for explainer in self._explainers[document.source])
        except CapacityError as error:
            self._on_error(CorpusError(f"cannot be measured: {error}", f"{document.source}: {document.id}"))
            return
        if old is None and new is None:
            self.left_out += 1
        else:
            counted.add(old, new)


def _explain(explainer: Explainer | None, document: Document) -> Explanation | None:
    """Find what a pack does to a document; None without a pack, or with one of the other kind."""
    body = None if explainer is None else explainer.body(document)
    return None if explainer is None or body is None else explainer.explain(body)
