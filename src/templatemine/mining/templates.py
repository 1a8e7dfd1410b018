"""Strings that were chosen -> templates: each with its expression, its anchor and an example from the archive.

Only the documents with an example are scanned again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from templatemine.kinds import KINDS as BOILERPLATE_KINDS
from templatemine.mining.candidates import SourceCandidates
from templatemine.mining.labels import KINDS, PREFIX, SUFFIX
from templatemine.mining.methods import ResolvedConfig
from templatemine.mining.score_reasons import describe_codes, unpack_codes
from templatemine.mining.slot_types import Fillers, Slot, infer_slot_types, is_of_kind, runs_over
from templatemine.model import Document, Question, Template
from templatemine.packs.pack_record import keep_one_of_each, order_templates, template_id
from templatemine.text import _scan
from templatemine.text._scan import SLOT_SIZE
from templatemine.text.characters import SPACE, in_class, line_begin, line_end
from templatemine.text.expressions import ANCHORS, EncodedText, expression
from templatemine.text.slots import ANY, slot_token

ANCHOR_NAMES = {bits: name for name, bits in ANCHORS.items()}
"""The anchor of some edges of a line."""

SLOT_SIDES = {KINDS.index(PREFIX): "end", KINDS.index(SUFFIX): "start"}
"""Kind of a label -> the side on which the rest of its line is."""

MIN_VARIANT = 3
"""Tokens of a string of which others may be variants."""

Slots = Mapping[tuple[int, str], Slot]
"""The slots of some strings by row and side."""


def build_templates(
    candidates: SourceCandidates,
    rows: NDArray[np.int64],
    documents: Sequence[Document],
    slots: Slots,
    fillers: Fillers,
    options: ResolvedConfig,
    left_out: Collection[int] = (),
) -> tuple[Template, ...]:
    """Return the templates of some candidates, by document frequency, greatest first.

    Parameters
    ----------
    documents : sequence of Document
        Those that were mined, or those that `candidates.sample` are places of.
    slots : mapping
        What `find_slots` says of the candidates.
    fillers : Fillers
        What filled the slots in the archive, in their order; of none where slots take anything.
    left_out : collection of int
        Rows with slots that make no template, see `find_overruns`.
    """
    separators, patterns = options.tokenise.separators, options.patterns
    examples = _find_examples(candidates, rows, documents, options)
    strings = candidates.strings
    types = dict(zip(slots, infer_slot_types([*slots.values()], fillers.slots, separators, options.slots), strict=True))

    def template(row: int, side: str) -> Template:
        anchor = anchor_of(candidates, row)
        text, start, end = examples[row]
        forms = [strings.names[token] for token in strings.ids(row)]
        tokens, kind = tuple(patterns.readable(form) for form in forms), ANY
        example = text[start:end]
        if side:
            kind = types[row, side]
            tokens = (*tokens, slot_token(kind)) if side == "end" else (slot_token(kind), *tokens)
            anchor = slots[row, side].anchor
            example = _example_with_filler(text, start, end, side, kind, separators)
        return Template(
            id=template_id(tokens),
            regex=expression(forms, patterns, separators, candidates.html, anchor=anchor, slot=side, kind=kind),
            tokens=tokens,
            df=int(strings.df[row]),
            count=int(strings.count[row]),
            example=example,
            anchor=anchor,
            kind=_boilerplate_kind(candidates, row),
            **_explain_score(candidates, row, bool(side)),
        )

    # A label with a slot goes with its filler, or not at all.
    slotted = {row for row, _ in slots}
    plain = sorted(
        (row for row in rows.tolist() if row not in slotted),
        key=lambda row: (-strings.df[row], anchor_of(candidates, row)),
    )
    templates = [template(row, "") for row in plain]
    templates = keep_one_of_each([*templates, *(template(row, side) for row, side in slots if row not in left_out)])
    return tuple(order_templates(agree_on_kinds(templates)))


def find_overruns(candidates: SourceCandidates, slots: Slots, fillers: Fillers) -> set[int]:
    """Return the rows of the labels whose slots take sentences of stories, in a source whose articles are one line."""
    if candidates.rules is None or not candidates.rules.sentences or not fillers.slots:
        return set()
    return {
        row
        for (row, side), slot_fillers in zip(slots, fillers.slots, strict=True)
        if side == "end" and runs_over(slot_fillers)
    }


def agree_on_kinds(templates: Sequence[Template]) -> list[Template]:
    """Return templates of which those that begin or end with the string of one in more documents are of its kind.

    They are variants of it, "May 1, 2026 appeared first on NAME": what keeps the one must not part the other.
    """
    kinds: dict[tuple[str, ...], str] = {}
    agreed = []
    for one in sorted(templates, key=lambda template: (-template.df, len(template.tokens or ()))):
        string = one.string or ()
        edges = (
            edge for size in range(len(string) - 1, MIN_VARIANT - 1, -1) for edge in (string[:size], string[-size:])
        )
        kind = next((kinds[edge] for edge in edges if edge in kinds), one.kind)
        if len(string) >= MIN_VARIANT:
            kinds.setdefault(string, kind)
        agreed.append(replace(one, kind=kind))
    return agreed


def build_questions(
    candidates: SourceCandidates, rows: NDArray[np.int64], documents: Sequence[Document], options: ResolvedConfig
) -> tuple[Question, ...]:
    """Make questions to a person of some candidates, in their order; `documents` as of `build_templates`."""
    verdicts = candidates.verdicts
    if verdicts is None:
        return ()
    examples = _find_examples(candidates, rows, documents, options)
    sides = {} if candidates.html else SLOT_SIDES
    return tuple(
        Question(
            tokens=candidates.strings.readable(row, options.patterns),
            df=int(candidates.strings.df[row]),
            count=int(candidates.strings.count[row]),
            anchor=anchor_of(candidates, row),
            filled=sides.get(int(verdicts.kind[row]), ""),
            example=examples[row][0][slice(*examples[row][1:])],
            score=round(float(verdicts.score[row]), 3),
            stake=round(float(verdicts.stake[row])),
            kind=_boilerplate_kind(candidates, row),
        )
        for row in rows.tolist()
    )


def find_slots(candidates: SourceCandidates, rows: NDArray[np.int64]) -> Slots:
    """Return the slots of those candidates that take the rest of their line."""
    strings, verdicts = candidates.strings, candidates.verdicts
    if verdicts is None:
        return {}
    return {
        (row, SLOT_SIDES[int(verdicts.kind[row])]): Slot(
            forms=[strings.names[token] for token in strings.ids(row)],
            side=SLOT_SIDES[int(verdicts.kind[row])],
            anchor=slotted_anchor(anchor_of(candidates, row), SLOT_SIDES[int(verdicts.kind[row])]),
            names=bool(verdicts.names[row]),
            goes_on=candidates.rules is not None and candidates.rules.sentences,
        )
        for row in rows[verdicts.slot[rows]].tolist()
    }


def slotted_anchor(anchor: str, side: str) -> str:
    """Return the anchor of a string with its slot, which is at one edge of the line."""
    return "line" if anchor not in ("", side) else side


def string_anchor(anchor: str, side: str) -> str:
    """Return the anchor of a string alone, of its anchor with a slot on a side (`slotted_anchor`)."""
    if not side:
        return anchor
    return {"end": "start", "start": "end"}[side] if anchor == "line" else ""


def _explain_score(candidates: SourceCandidates, row: int, has_filler: bool) -> dict[str, Any]:
    """Return score and reasons of a template; for a label with its filler, the score of both."""
    verdicts = candidates.verdicts
    if verdicts is None:
        return {}
    kind, (for_codes, against_codes) = KINDS[verdicts.kind[row]], unpack_codes(int(verdicts.score_reasons[row]))
    score = float(verdicts.score[row]) * (float(verdicts.filler[row]) if has_filler else 1.0)
    reasons_for = describe_codes(kind, for_codes)
    reasons_against = tuple(reason for reason in describe_codes(kind, against_codes) if reason not in reasons_for)
    return {"score": round(score, 3), "reasons_for": reasons_for, "reasons_against": reasons_against}


def _boilerplate_kind(candidates: SourceCandidates, row: int) -> str:
    """Name the kind of boilerplate of a candidate; "" where no scores say it."""
    verdicts = candidates.verdicts
    return "" if verdicts is None or verdicts.sense[row] < 0 else BOILERPLATE_KINDS[verdicts.sense[row]]


def anchor_of(candidates: SourceCandidates, row: int) -> str:
    """Return the anchor of a candidate."""
    return "" if candidates.verdicts is None else ANCHOR_NAMES[int(candidates.verdicts.anchor[row])]


def _find_examples(
    candidates: SourceCandidates, rows: NDArray[np.int64], documents: Sequence[Document], options: ResolvedConfig
) -> dict[int, tuple[str, int, int]]:
    """Find one occurrence of each string by scanning its document again.  Return the reading form of the text, which
    expressions are applied to, and the bounds of the string in it."""
    patterns, separators = options.patterns, options.tokenise.separators
    scanner = _scan.Scanner(*patterns.scanner_arguments(separators, candidates.html))
    by_document: dict[int, list[int]] = {}
    for row in rows.tolist():
        by_document.setdefault(int(candidates.document[row]), []).append(row)
    examples: dict[int, tuple[str, int, int]] = {}
    for document_index, document_rows in by_document.items():
        text = documents[document_index if candidates.sample is None else int(candidates.sample[document_index])].body
        encoded = EncodedText(text, patterns, separators, candidates.rules)
        starts, ends, _ = scanner.token_spans(encoded.data)
        for row in document_rows:
            edges = np.array([starts[candidates.first[row]], ends[candidates.last[row]]])
            start, end = encoded.code_points(edges).tolist()
            examples[row] = encoded.text, start, end
    return examples


def _example_with_filler(text: str, start: int, end: int, side: str, kind: str, separators: str) -> str:
    """Return an example with the rest of its line, where that is short enough for a slot and of its kind: where a
    string occurs first it may be elsewhere in its line than it nearly always is."""
    if side == "end":
        rest = text[end : line_end(text, end)]
        example, neighbour = text[start:end] + rest, rest[:1]
    else:
        rest = text[line_begin(text, start) : start]
        example, neighbour = rest + text[start:end], rest[-1:]
    # Other white space of Python, such as U+001C, belongs to tokens.
    blank = "".join(char for char in example if in_class(char, SPACE)) + separators
    filler = rest.rstrip(blank) if side == "end" else rest.lstrip(blank)
    # Text glued to the string has rules of its own.
    is_known = kind == ANY or not filler or (neighbour in blank and is_of_kind(kind, filler, separators, side))
    return example.strip(blank) if is_known and len(rest) <= SLOT_SIZE else text[start:end]
