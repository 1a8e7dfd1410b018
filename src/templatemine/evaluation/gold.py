"""Gold standards: annotated spans of articles and main texts of pages, in their formats.

Spans are JSON lines {"id", "spans": [[start, end, status, kind], …]}, one file a source or one for all.  The status is
"template", "dynamic" or "optional"; the kind may be missing.  Main texts are a field of the records, as plain text,
with CleanEval's mark-up, or with dragnet's line above the comments.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import unescape
from pathlib import Path
from statistics import fmean
from typing import Any

from templatemine.errors import CorpusError
from templatemine.evaluation.cut_score import CutScore, KindCount, average_kinds, compare_kinds, score_cuts
from templatemine.evaluation.metrics import (
    STATUSES,
    GoldSpan,
    cleaneval_score,
    macro_average,
    score_words,
    split_words,
)
from templatemine.evaluation.protocol import System, TrialResult, check_ids, cross_clean, run_system, sample_documents
from templatemine.evaluation.trial_config import GoldConfig
from templatemine.io.files import read_error
from templatemine.io.jsonl import decode_line
from templatemine.model import Cleaned, Document

GoldSpans = Mapping[str, Sequence[GoldSpan]]
"""Id of a document -> its annotated spans."""


# -------------------------------------------------------------------------------------------------------------- spans


def read_spans(path: str | os.PathLike[str]) -> dict[str, list[GoldSpan]]:
    """Return the annotated spans of a file or of all .jsonl files of a folder.

    Raises
    ------
    CorpusError
        Nothing there, or a line that is not {"id", "spans"}; the message names the place and the expectation.
    """
    root = Path(path)
    files = sorted(root.glob("*.jsonl")) if root.is_dir() else [root]
    if not files:
        raise CorpusError("expected .jsonl files of annotated spans, found none", str(root), fatal=True)
    spans_by_id: dict[str, list[GoldSpan]] = {}
    for file in files:
        try:
            lines = file.read_bytes().splitlines()
        except OSError as error:
            raise read_error(error, str(file)) from error
        for number, line in enumerate(lines, 1):
            if line.strip():
                document_id, spans = _parse_spans(line, f"{file}:{number}")
                if document_id in spans_by_id:
                    raise CorpusError(f"{document_id!r} is annotated a second time", f"{file}:{number}", fatal=True)
                spans_by_id[document_id] = spans
    return spans_by_id


def _parse_spans(line: bytes, where: str) -> tuple[str, list[GoldSpan]]:
    try:
        row = decode_line(line)
        spans = [_parse_span(*span) for span in row["spans"]]
        document_id = str(row["id"])
    except (ValueError, KeyError, TypeError) as error:
        problem = 'expected {"id", "spans": [[start, end, status, kind], …]}, found ' + repr(
            line[:60].decode("utf-8", "replace")
        )
        raise CorpusError(problem, where, fatal=True) from error
    for start, end, status, *_ in spans:
        if not 0 <= start <= end or status not in STATUSES:
            problem = f"expected 0 <= start <= end and a status of {', '.join(STATUSES)}, found {[start, end, status]}"
            raise CorpusError(problem, where, fatal=True)
    return document_id, spans


def _parse_span(start: Any, end: Any, status: Any, kind: Any = None) -> GoldSpan:
    if kind is None:
        return int(start), int(end), str(status)
    return int(start), int(end), str(status), str(kind)


_SPAN_UNITS = {
    "source": "text",
    "documents": "count",
    "recall": "share",
    "precision": "share",
    "f1": "share",
    "loss": "small share",
    "wounds": "number",
}
_KIND_UNITS = {
    "kind": "text",
    "sources": "count",
    "characters": "count",
    "recall": "share",
    "cut": "count",
    "kind recall": "share",
    "kind precision": "share",
}


def evaluate_annotation(
    documents: Sequence[Document], gold: GoldSpans, system: System, config: GoldConfig | None = None
) -> list[TrialResult]:
    """Learn from all documents, or from a sample and the annotated ones; clean the annotated ones and count characters.

    The first table has a row for each source and their mean; recall, precision and F1 are means over the sources that
    hold templates.  If the spans have kinds, a second one has the share of each kind that is removed, and whether what
    is removed is said to be of the right kind.

    Raises
    ------
    CorpusError
        Annotated documents are missing among the documents, or a span lies outside its text.
    """
    config = config or GoldConfig()
    annotated = [document for document in documents if document.id in gold]
    missing_ids = gold.keys() - {document.id for document in annotated}
    if missing_ids:
        problem = (
            f"{len(missing_ids)} of {len(gold)} annotated documents are not in the archive, e.g. {min(missing_ids)}: "
            "give their archives, too, or the annotation of this one alone"
        )
        raise CorpusError(problem, fatal=True)
    if len(annotated) != len(gold):
        raise CorpusError("an annotated id belongs to several documents of the archive", fatal=True)
    learnt_ids = {
        (item.source, item.id) for item in (*sample_documents(documents, config.sample, config.seed), *annotated)
    }
    history = [document for document in documents if (document.source, document.id) in learnt_ids]
    scores: dict[str, CutScore] = {}
    for document, cleaned in zip(annotated, run_system(system, history, annotated), strict=True):
        try:
            cuts = [(cut.start, cut.end, cut.kind) for cut in cleaned.removed]
            score = score_cuts(document.body, gold[document.id], cuts)
        except CorpusError as error:
            raise CorpusError(error.problem, document.id, fatal=True) from None
        scores[document.source] = scores.get(document.source, CutScore()) + score
    settings = {
        "seed": config.seed,
        "sample of a source": config.sample,
        "documents": len(history),
        "annotated": len(annotated),
    }
    return [_tabulate_sources(scores, settings), *_tabulate_kinds(scores, settings)]


def _tabulate_sources(scores: Mapping[str, CutScore], settings: Mapping[str, Any]) -> TrialResult:
    rows: list[dict[str, Any]] = [
        {
            "source": source,
            "documents": score.articles,
            **{name: getattr(score.spans, name) for name in ("recall", "precision", "f1", "loss")},
            "wounds": score.wound_rate,
        }
        for source, score in sorted(scores.items())
    ]
    mean: dict[str, Any] = {
        "source": "mean",
        "documents": sum(score.articles for score in scores.values()),
        **macro_average(score.spans for score in scores.values()),
        "wounds": fmean(score.wound_rate for score in scores.values()) if scores else None,
    }
    notes = (
        "counts are characters other than white space; removal of dynamic boilerplate is neither required nor punished",
        "loss: content lost, that is removed content / all content; optional spans are not counted",
        "wounds: places in 100 documents at which letters or digits of content are removed",
    )
    return TrialResult(name="gold spans", settings=settings, units=_SPAN_UNITS, rows=(*rows, mean), notes=notes)


def _tabulate_kinds(scores: Mapping[str, CutScore], settings: Mapping[str, Any]) -> list[TrialResult]:
    """Return the table of kinds; none if no span has one."""
    averages, counts = average_kinds(scores.values()), compare_kinds(scores.values())
    named = any(count.told for kind, count in counts.items() if kind)
    rows = tuple(_kind_row(kind, averages.get(kind), count, named) for kind, count in counts.items() if kind or named)
    if named:
        rows += (_kind_row("all", None, KindCount(*map(sum, zip(*counts.values(), strict=True))), named),)
    notes = (
        "recall: of template and dynamic text of the kind the share that is removed, a mean over the sources with such",
        "cut: characters of the kind that are removed, of whatever status; kind recall: the share of them that is said"
        " to be of it; kind precision: of what is said to be of it, and is of a known kind, the share that is",
    )
    result = TrialResult(name="gold spans by kind", settings=settings, units=_KIND_UNITS, rows=rows, notes=notes)
    return [result] if rows else []


def _kind_row(kind: str, average: tuple[float, int, int] | None, count: KindCount, named: bool) -> dict[str, Any]:
    recall, sources, characters = average or (None, None, None)
    return {
        "kind": kind or "none",
        "sources": sources,
        "characters": characters,
        "recall": recall,
        "cut": count.cut,
        "kind recall": count.right / count.cut if count.cut and named else None,
        "kind precision": count.right / count.told if count.told else None,
    }


# -------------------------------------------------------------------------------------------------------------- texts

_COMMENTS = "!@#$%^&*()"
_URL_LINE = re.compile(r"^\s*URL:.*$", re.MULTILINE)
_MARKS = re.compile(r"<[phl]>", re.IGNORECASE)


def _strip_cleaneval(gold: str) -> str:
    return unescape(_MARKS.sub(" ", _URL_LINE.sub("", gold)))


def _strip_dragnet(gold: str) -> str:
    return gold.split(_COMMENTS)[0]


TEXT_FORMS: Mapping[str, Callable[[str], str]] = {
    "auto": lambda gold: _strip_cleaneval(_strip_dragnet(gold)),
    "plain": str,
    "cleaneval": _strip_cleaneval,
    "dragnet": _strip_dragnet,
}
"""Name of a format -> its conversion to plain text; "auto" removes the mark-up of all formats."""

_TEXT_UNITS = {"source": "text", "pages": "count", "precision": "share", "recall": "share", "f1": "share"}
_MARKUP_UNITS = {"bounds f1": "share", "marked recall": "share", "marked f1": "share"}


def evaluate_texts(
    documents: Sequence[Document], gold: Mapping[str, str | None], system: System, config: GoldConfig | None = None
) -> TrialResult:
    """Clean documents and match their words with those of their gold texts.

    Documents whose gold is None or missing are learnt from and not scored.  Rows are means over pages, one a source
    and one over all pages; with the form "cleaneval" also with its mark-up, see `metrics.CleanEvalScore`.
    """
    config = config or GoldConfig()
    check_ids(documents)
    documents = sample_documents(documents, config.sample, config.seed)
    if not any(gold.get(document.id) is not None for document in documents):
        raise CorpusError("none of the documents has a gold text", fatal=True)
    cleaned = cross_clean(system, documents, config.folds, config.seed)
    return score_texts(documents, gold, cleaned, config)


def score_texts(
    documents: Sequence[Document], gold: Mapping[str, str | None], cleaned: Sequence[Cleaned], config: GoldConfig
) -> TrialResult:
    """Return the second half of `evaluate_texts`, for existing texts."""
    scores: dict[str, list[dict[str, float]]] = {}
    for document, answer in zip(documents, cleaned, strict=True):
        expected = gold.get(document.id)
        if expected is not None:
            figures = _text_figures(answer.text, expected, config.form)
            for name in (document.source, ALL_PAGES):
                scores.setdefault(name, []).append(figures)
    order = sorted(scores.items(), key=lambda item: (item[0] == ALL_PAGES, -len(item[1]), item[0]))
    rows = [
        {"source": source, "pages": len(pages), **{name: fmean(page[name] for page in pages) for name in pages[0]}}
        for source, pages in order
    ]
    has_markup = config.form == "cleaneval"
    return TrialResult(
        name="gold texts",
        settings={
            "seed": config.seed,
            "sample of a source": config.sample,
            "documents": len(documents),
            "folds": config.folds,
            "form": config.form,
        },
        units=_TEXT_UNITS | (_MARKUP_UNITS if has_markup else {}),
        rows=tuple(rows),
        notes=("words in order, by longest common subsequence; means over pages",),
    )


ALL_PAGES = "all pages"


def _text_figures(predicted: str, gold: str, form: str) -> dict[str, float]:
    markup = cleaneval_score(predicted, _URL_LINE.sub("", gold)) if form == "cleaneval" else None
    score = markup.text if markup else score_words(split_words(predicted), split_words(TEXT_FORMS[form](gold)))
    figures = {"precision": score.precision, "recall": score.recall, "f1": score.f1}
    if markup:
        figures |= {
            "bounds f1": markup.bounds.f1,
            "marked recall": markup.marked.recall,
            "marked f1": markup.marked.f1,
        }
    return figures


def gold_texts(rows: Iterable[tuple[Document, Any]]) -> dict[str, str | None]:
    """Return gold texts by id, of documents each with the value of its gold field; null is no gold."""
    texts: dict[str, str | None] = {}
    for document, value in rows:
        if value is not None and not isinstance(value, str):
            raise CorpusError(f"expected a gold text, found {type(value).__name__}", document.id, fatal=True)
        if texts.setdefault(document.id, value) != value:
            raise CorpusError("expected one gold text of an id, found a second, other one", document.id, fatal=True)
    return texts
