"""One document under several systems: who keeps which stretch, where they differ, and F1 where there is gold.

A page is compared by its blocks, an article by the stretches between any two cuts.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as changed
from itertools import pairwise
from typing import Any

from templatemine.archive.apply_overrides import mined_templates
from templatemine.cleaning.cleaner import Cleaner
from templatemine.desk.annotations import LABELS, OTHER, Mark, find_units, label_units, merge_labels
from templatemine.desk.export import main_text, select_finished
from templatemine.desk.library import Article, Library
from templatemine.errors import TemplateMineError
from templatemine.evaluation.gold import TEXT_FORMS
from templatemine.evaluation.metrics import DYNAMIC, OPTIONAL, GoldSpan, score_spans, score_words, split_words
from templatemine.model import Document
from templatemine.packs.pack import Pack
from templatemine.pages.extract import Extractor
from templatemine.pages.systems import DEFAULT, SYSTEMS

PAGE_ALONE = f"{DEFAULT}, page alone"
ORIGINAL = "original"
MINED_TEMPLATES, DECIDED_TEMPLATES = "templates as mined", "templates with decisions"
GOLD = "gold"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The parts that each system keeps.

    Attributes
    ----------
    systems : tuple of str
        In the order of the columns; annotators and gold spans are last.
    segments : list of {"text", "keeps", "notes", "differs"}
        A piece of the document, and for each system whether and why it is kept; `differs` if systems disagree.
    scores : mapping of str to float or None
        System -> F1; None without a gold standard, or without the library for it.
    gold : str
        What F1 is measured against, or why there is none.
    errors : mapping of str to str
        System -> the reason why it did not run.
    """

    systems: tuple[str, ...]
    segments: list[dict[str, Any]]
    scores: Mapping[str, float | None]
    gold: str
    errors: Mapping[str, str]


def list_systems(
    document: Document, pack: Pack | None, people: Iterable[str] = (), gold: bool = False
) -> dict[str, str]:
    """Return the systems that can process a document, annotators and gold spans last: name -> description.

    The first and the last are what a comparison opens with: what is to be judged, and the best there is to judge it by.
    """
    if document.is_html:
        found = {DEFAULT: SYSTEMS[DEFAULT], **SYSTEMS, PAGE_ALONE: "the same without the history of the site"}
    else:
        found = {DECIDED_TEMPLATES: "the pack, with the decisions of people"}
        if pack is not None and pack.overrides.rules:
            found[MINED_TEMPLATES] = "the pack without the decisions of people"
        found[ORIGINAL] = "the document, of which nothing is removed"
    found |= {_annotator_system(name): "a finished annotation" for name in people}
    return {**found, GOLD: "annotated spans"} if gold and not document.is_html else found


def _annotator_system(name: str) -> str:
    return f"marks of {name}"


def finished_marks(library: Library, article: Article) -> dict[str, list[Mark]]:
    """Return the finished annotations of a document, by the name of the person."""
    return {
        one.name: one.marks
        for one in library.store.annotations(article.document.source)
        if one.id == article.name and one.done
    }


def _find_cuts(name: str, pack: Pack | None, text: str) -> list[tuple[int, int]]:
    if pack is None or name == ORIGINAL:
        return []
    if name == MINED_TEMPLATES:
        pack = changed(pack, templates=mined_templates(pack))
    return [(span.start, span.end) for span in Cleaner(pack).clean(text).removed]


def propose_marks(document: Document, pack: Pack | None) -> list[Mark]:
    """Propose marks: the parts that the pack removes, or the main text by page model and page history."""
    parts = find_units(document, None if pack is None else pack.rules)
    if document.is_html:
        names = {label.sign: label.name for label in LABELS["page"]}
        blocks = Extractor(DEFAULT, pack=pack).extract(document.body).blocks
        kept = sorted((block.start, block.end, names.get(block.mark, "text")) for block in blocks if block.kept)
        return merge_labels(label_units(kept, parts), parts)
    if pack is None or pack.html:
        return []
    cuts = [(start, end, "template") for start, end in _find_cuts(DECIDED_TEMPLATES, pack, document.body)]
    return merge_labels(label_units(cuts, parts), parts)


def compare_systems(
    library: Library,
    article: Article,
    pack: Pack | None,
    names: Sequence[str],
    gold_spans: Sequence[GoldSpan] | None = None,
) -> Comparison:
    """Run systems on a document and compare what they keep; `names` as of `list_systems`."""
    document = article.document
    people = {_annotator_system(name): marks for name, marks in finished_marks(library, article).items()}
    done = [one for one in library.store.annotations(document.source) if one.id == article.name]
    best = select_finished(done)
    truth = best[0].marks if best else None
    if document.is_html:
        return _compare_pages(document, pack, names, people, article.gold, truth)
    spans = gold_spans if gold_spans is not None else truth
    what = "gold spans" if gold_spans is not None else f"annotation of {best[0].name}" if best else ""
    return _compare_articles(document, pack, names, people, spans, what)


def _compare_pages(
    document: Document,
    pack: Pack | None,
    names: Sequence[str],
    people: Mapping[str, Sequence[Mark]],
    gold: str | None,
    truth: Sequence[Mark] | None,
) -> Comparison:
    errors: dict[str, str] = {}
    kept: dict[str, list[bool]] = {}
    notes: dict[str, list[str]] = {}
    texts: dict[str, str] = {}
    for name in names:
        if name in people:
            continue
        alone = name == PAGE_ALONE
        try:
            found = Extractor(DEFAULT if alone else name, pack=None if alone else pack).extract(document.body)
        except TemplateMineError as error:
            errors[name] = str(error)
            continue
        kept[name] = [block.kept for block in found.blocks]
        notes[name] = [block.reason for block in found.blocks]
        texts[name] = found.text
    blocks = Extractor(DEFAULT).extract(document.body).blocks
    shown = [block.text for block in blocks]
    for label, marks in people.items():
        if label not in names:
            continue
        spans = [(block.start, block.end) for block in blocks]
        kept[label] = [one != OTHER for one in label_units(marks, spans)]
        notes[label] = label_units(marks, spans)
        texts[label] = main_text(document, marks)
    wanted, what = (TEXT_FORMS["auto"](gold), "gold text of the record") if gold is not None else (None, "")
    if wanted is None and truth is not None:
        wanted, what = main_text(document, truth), "the last finished annotation"
    scores, what = _score_texts(texts, wanted, what)
    segments = [
        {
            "text": text,
            "keeps": [kept[name][place] for name in kept],
            "notes": [notes[name][place] for name in kept],
            "differs": len({kept[name][place] for name in kept}) > 1,
        }
        for place, text in enumerate(shown)
    ]
    return Comparison(systems=tuple(kept), segments=segments, scores=scores, gold=what, errors=errors)


def _score_texts(texts: Mapping[str, str], wanted: str | None, what: str) -> tuple[dict[str, float | None], str]:
    if wanted is None:
        return dict.fromkeys(texts), "no gold standard: there is neither a gold text nor a finished annotation"
    try:
        return {name: score_words(split_words(text), split_words(wanted)).f1 for name, text in texts.items()}, what
    except TemplateMineError as error:
        return dict.fromkeys(texts), str(error)


def _compare_articles(
    document: Document,
    pack: Pack | None,
    names: Sequence[str],
    people: Mapping[str, Sequence[Mark]],
    spans: Sequence[GoldSpan] | None,
    what: str,
) -> Comparison:
    text = document.body
    fitting = pack if pack is None or not pack.html else None
    extra: dict[str, Sequence[Mark]] = {name: marks for name, marks in people.items() if name in names}
    if GOLD in names and spans is not None:
        extra[GOLD] = [(start, end, status) for start, end, status, *_ in spans]
    cuts = {name: _find_cuts(name, fitting, text) for name in names if name not in extra}
    scores: dict[str, float | None] = {
        name: score_spans(text, spans, rows).f1 if spans is not None else None for name, rows in cuts.items()
    }
    columns: dict[str, Callable[[int], bool]] = {name: _coverage_test(rows) for name, rows in cuts.items()}
    edges = {0, len(text), *(edge for rows in cuts.values() for row in rows for edge in row)}
    for name, marks in extra.items():
        columns[name] = _coverage_test([(start, end) for start, end, _ in marks])
        scores[name] = None
        edges |= {edge for start, end, _ in marks for edge in (start, end)}
    ends = {place + 1 for place, char in enumerate(text) if char == "\n"}
    bounds = sorted(edges | ends)
    segments = []
    for start, end in pairwise(bounds):
        keeps = [not covers(start) for covers in columns.values()]
        notes = [_label_at(extra.get(name, ()), start) for name in columns]
        # Dynamic boilerplate and optional text may be kept or removed: it makes no difference.
        told = {kept for kept, note in zip(keeps, notes, strict=True) if note not in (DYNAMIC, OPTIONAL)}
        segments.append({"text": text[start:end], "keeps": keeps, "notes": notes, "differs": len(told) > 1})
    said = what or "no gold standard: there are neither gold spans nor a finished annotation"
    return Comparison(systems=tuple(columns), segments=segments, scores=scores, gold=said, errors={})


def _label_at(marks: Sequence[Mark], place: int) -> str:
    return next((label for start, end, label in marks if start <= place < end), "")


def _coverage_test(spans: Sequence[tuple[int, int]]) -> Callable[[int], bool]:
    rows = sorted(spans)
    starts = [start for start, _ in rows]

    def covers(place: int) -> bool:
        found = bisect_right(starts, place) - 1
        return found >= 0 and rows[found][1] > place

    return covers
