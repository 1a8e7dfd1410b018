"""The interface of a system, and the result of a trial.

A system is a callable.  Its arguments are documents to learn from and documents to clean; it returns one `Cleaned` for
each of the latter, in their order.  A system that learns nothing ignores the first argument.  One that returns only
texts leaves `removed` empty and cannot be evaluated by spans.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from templatemine.errors import CorpusError
from templatemine.model import Cleaned, Document

__all__ = [
    "Learner",
    "System",
    "TrialResult",
    "as_system",
    "assign_folds",
    "check_ids",
    "cross_clean",
    "derive_random",
    "group_by_source",
    "run_system",
    "sample_documents",
    "stable_hash",
]

System = Callable[[Sequence[Document], Sequence[Document]], Sequence[Cleaned]]
"""(documents to learn from, documents to clean) -> the cleaned documents."""

Learner = Callable[[Sequence[Document]], Callable[[Sequence[Document]], Sequence[Cleaned]]]
"""A system in two steps: documents to learn from -> a cleaner of documents."""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialResult:
    """The result of a trial.

    Attributes
    ----------
    name : str
        Of the trial.
    settings : mapping
        Seed, sample and all else that the figures depend on.
    units : mapping
        Columns of a table, in its order -> "text", "count", "share" (0 to 1), "small share" or "number".
    rows : tuple of mapping
        Column -> value; None where there is nothing to tell.  They may hold more than the table shows.
    notes : tuple of str
        What a reader must know to read the rows rightly.
    """

    name: str
    settings: Mapping[str, Any]
    units: Mapping[str, str]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = field(default=())

    def row(self, **names: Any) -> Row:
        """Return the only row with these values."""
        (row,) = (row for row in self.rows if all(row[name] == value for name, value in names.items()))
        return row

    def as_dict(self) -> dict[str, Any]:
        """Return the result as plain values, for JSON."""
        return {
            "trial": self.name,
            "settings": dict(self.settings),
            "rows": [dict(row) for row in self.rows],
            "notes": list(self.notes),
        }


def as_system(learner: Learner) -> System:
    """Return a learner as a system."""
    return lambda history, documents: learner(history)(documents)


def run_system(system: System, history: Sequence[Document], documents: Sequence[Document]) -> list[Cleaned]:
    """Run a system, and check that it returned a result for every document.

    Raises
    ------
    CorpusError
        Fatal: it gave another number of answers, or a span outside its text.
    """
    answers = list(system(history, documents))
    if len(answers) != len(documents):
        problem = f"expected an answer for each of {len(documents)} documents, the system gave {len(answers)}"
        raise CorpusError(problem, fatal=True)
    for document, answer in zip(documents, answers, strict=True):
        for span in answer.removed:
            if not 0 <= span.start <= span.end <= len(document.body):
                problem = f"expected spans within {len(document.body)} characters, found [{span.start}, {span.end})"
                raise CorpusError(problem, document.id, fatal=True)
    return answers


def group_by_source(documents: Sequence[Document]) -> dict[str, list[Document]]:
    """Return documents by source, in the order of their names."""
    documents_by_source: dict[str, list[Document]] = {}
    for document in documents:
        documents_by_source.setdefault(document.source, []).append(document)
    return dict(sorted(documents_by_source.items()))


def check_ids(documents: Sequence[Document]) -> None:
    """Check that no id is in two sources: labels and gold texts refer to documents by id.

    Raises
    ------
    CorpusError
        Fatal: one does.
    """
    sources: dict[str, str] = {}
    for document in documents:
        other = sources.setdefault(document.id, document.source)
        if other != document.source:
            problem = f"expected ids of which each stands in one source, found it in {other} and in {document.source}"
            raise CorpusError(problem, document.id, fatal=True)


def stable_hash(seed: int, *names: object) -> int:
    """Return a number of 64 bits from a seed and names: the same on every machine and in any order of calls."""
    key = "\x1f".join(map(str, (seed, *names))).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(key).digest()[:8], "big")


def derive_random(seed: int, *names: object) -> Random:
    """Return a generator of its own for each part of a trial, so that adding a part changes no other."""
    return Random(stable_hash(seed, *names))


def _draw_ids(source: str, documents: Sequence[Document], seed: int) -> list[str]:
    """Return the ids of documents of a source in an order drawn by their hashes."""
    return sorted({row.id for row in documents}, key=lambda name: (stable_hash(seed, source, name), name))


def sample_documents(documents: Sequence[Document], sample: int | None, seed: int) -> list[Document]:
    """Choose at most `sample` documents of each source, those whose ids have the least hashes, in their order.

    None takes all.
    """
    if sample is None:
        return list(documents)
    sampled: set[tuple[str, str]] = set()
    for source, rows in group_by_source(documents).items():
        sampled.update((source, document_id) for document_id in _draw_ids(source, rows, seed)[:sample])
    return [document for document in documents if (document.source, document.id) in sampled]


def assign_folds(documents: Sequence[Document], folds: int, seed: int) -> list[int]:
    """Return a fold for each document, so that each source is spread evenly; it depends on seed and ids, not on the
    order."""
    fold: dict[tuple[str, str], int] = {}
    for source, rows in group_by_source(documents).items():
        ids = _draw_ids(source, rows, seed)
        fold.update({(source, document_id): index % folds for index, document_id in enumerate(ids)})
    return [fold[document.source, document.id] for document in documents]


def cross_clean(system: System, documents: Sequence[Document], folds: int, seed: int) -> list[Cleaned]:
    """Clean each document by a system that learnt from the other folds; with one fold, from all documents."""
    if folds < 2:
        return run_system(system, documents, documents)
    fold = assign_folds(documents, folds, seed)
    answers: dict[int, Cleaned] = {}
    for held_out in range(folds):
        positions = [index for index, fold_index in enumerate(fold) if fold_index == held_out]
        history = [document for document, fold_index in zip(documents, fold, strict=True) if fold_index != held_out]
        cleaned = run_system(system, history, [documents[index] for index in positions])
        answers.update(zip(positions, cleaned, strict=True))
    return [answers[index] for index in range(len(documents))]
