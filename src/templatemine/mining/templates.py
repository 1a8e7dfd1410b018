"""Strings that were chosen -> templates: each with its expression, its anchor and an example from the archive.

Only the documents with an example are scanned again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from templatemine import _core
from templatemine.mining.candidates import SourceCandidates
from templatemine.mining.grounds import codes_of, in_words
from templatemine.mining.labels import KINDS, PREFIX, SUFFIX
from templatemine.mining.methods import ResolvedConfig
from templatemine.mining.slot_types import Fillers, Slot, slot_types
from templatemine.model import Document, Question, Template
from templatemine.packs.pack import template_id
from templatemine.text.characters import SPACE, in_class, line_begin, line_end
from templatemine.text.expressions import ANCHORS, SLOT_SIZE, Encoded, expression
from templatemine.text.slots import ANY, fills, slot_token

__all__ = ["Slots", "anchor_of", "questions_of", "slots_of", "slotted_anchor", "templates_of"]

ANCHOR_OF = {bits: name for name, bits in ANCHORS.items()}
"""The anchor of some edges of a line."""

SIDES = {KINDS.index(PREFIX): "end", KINDS.index(SUFFIX): "start"}
"""Kind of a label -> the side on which the rest of its line is."""

Slots = Mapping[tuple[int, str], Slot]
"""The slots of some strings by row and side."""


def templates_of(
    candidates: SourceCandidates,
    rows: NDArray[np.int64],
    documents: Sequence[Document],
    slots: Slots,
    fillers: Fillers,
    options: ResolvedConfig,
) -> tuple[Template, ...]:
    """The templates of some candidates, by document frequency, greatest first.

    Parameters
    ----------
    documents : sequence of Document
        Those that were mined, or those that `candidates.sample` are places of.
    slots : mapping
        What `slots_of` says of the candidates.
    fillers : Fillers
        What filled the slots in the archive, in their order; of none where slots take anything.
    """
    separators, patterns = options.tokenise.separators, options.patterns
    examples = _examples(candidates, rows, documents, options)
    strings = candidates.strings
    types = dict(zip(slots, slot_types([*slots.values()], fillers.slots, separators, options.slots), strict=True))

    def template(row: int, side: str) -> Template:
        anchor = anchor_of(candidates, row)
        text, start, end = examples[row]
        forms = [strings.names[token] for token in strings.ids(row)]
        tokens, example, kind = tuple(patterns.readable(form) for form in forms), text[start:end], ANY
        if side:
            kind = types[row, side].kind
            tokens = (*tokens, slot_token(kind)) if side == "end" else (slot_token(kind), *tokens)
            anchor = slots[row, side].anchor
            example = _with_rest(text, start, end, side, kind, separators)
        return Template(
            id=template_id(tokens),
            regex=expression(forms, patterns, separators, candidates.html, anchor=anchor, slot=side, kind=kind),
            tokens=tokens,
            df=int(strings.df[row]),
            count=int(strings.count[row]),
            example=example,
            anchor=anchor,
            **_grounds(candidates, row, bool(side)),
        )

    # A label whose slot takes all that ever filled it goes with its filler, or not at all.
    always = {row for (row, _), one in types.items() if one.always}
    templates = [template(row, "") for row in rows.tolist() if row not in always]
    templates += [template(row, side) for row, side in slots]
    return tuple(sorted(templates, key=lambda one: (-one.df, -len(one.tokens or ()), one.tokens)))


def questions_of(
    candidates: SourceCandidates, rows: NDArray[np.int64], documents: Sequence[Document], options: ResolvedConfig
) -> tuple[Question, ...]:
    """Some candidates as questions to a person, in their order; `documents` as of `templates_of`."""
    verdicts = candidates.verdicts
    if verdicts is None:
        return ()
    examples = _examples(candidates, rows, documents, options)
    sides = {} if candidates.html else SIDES
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
        )
        for row in rows.tolist()
    )


def slots_of(candidates: SourceCandidates, rows: NDArray[np.int64]) -> Slots:
    """Which of some candidates take the rest of their line."""
    strings, verdicts = candidates.strings, candidates.verdicts
    if verdicts is None:
        return {}
    return {
        (row, SIDES[int(verdicts.kind[row])]): Slot(
            forms=[strings.names[token] for token in strings.ids(row)],
            side=SIDES[int(verdicts.kind[row])],
            anchor=slotted_anchor(anchor_of(candidates, row), SIDES[int(verdicts.kind[row])]),
        )
        for row in rows[verdicts.slot[rows]].tolist()
    }


def slotted_anchor(anchor: str, side: str) -> str:
    """Where in its line a string stands with its slot, which is at one edge of the line."""
    return "line" if anchor not in ("", side) else side


def _grounds(candidates: SourceCandidates, row: int, filled: bool) -> dict[str, Any]:
    """Score of a template, of a label with its filler that of both, and what speaks for and against it."""
    verdicts = candidates.verdicts
    if verdicts is None:
        return {}
    kind, (most, least) = KINDS[verdicts.kind[row]], codes_of(int(verdicts.grounds[row]))
    score = float(verdicts.score[row]) * (float(verdicts.filler[row]) if filled else 1.0)
    because = in_words(kind, most)
    although = tuple(words for words in in_words(kind, least) if words not in because)
    return {"score": round(score, 3), "because": because, "although": although}


def anchor_of(candidates: SourceCandidates, row: int) -> str:
    """Where in its line a string counts."""
    return "" if candidates.verdicts is None else ANCHOR_OF[int(candidates.verdicts.anchor[row])]


def _examples(
    candidates: SourceCandidates, rows: NDArray[np.int64], documents: Sequence[Document], options: ResolvedConfig
) -> dict[int, tuple[str, int, int]]:
    """One occurrence of each string, by scanning its document again: the text, and the bounds of the string in it."""
    patterns, separators = options.patterns, options.tokenise.separators
    scanner = _core.Tokeniser(*patterns.scanner_arguments(separators, candidates.html))
    by_document: dict[int, list[int]] = {}
    for row in rows.tolist():
        by_document.setdefault(int(candidates.document[row]), []).append(row)
    examples: dict[int, tuple[str, int, int]] = {}
    for place, wanted in by_document.items():
        text = documents[place if candidates.sample is None else int(candidates.sample[place])].body
        encoded = Encoded(text, patterns, separators)
        starts, ends, _ = scanner.token_spans(encoded.data)
        for row in wanted:
            edges = np.array([starts[candidates.first[row]], ends[candidates.last[row]]])
            start, end = encoded.code_points(edges).tolist()
            examples[row] = text, start, end
    return examples


def _with_rest(text: str, start: int, end: int, side: str, kind: str, separators: str) -> str:
    """An example with the rest of its line, where that is short enough for a slot and of its kind: where a string
    stands first it may stand otherwise than it nearly always does."""
    if side == "end":
        rest = text[end : line_end(text, end)]
        whole, beside = text[start:end] + rest, rest[:1]
    else:
        rest = text[line_begin(text, start) : start]
        whole, beside = rest + text[start:end], rest[-1:]
    # What Python takes for white space beyond this, such as U+001C, belongs to tokens.
    blank = "".join(char for char in whole if in_class(char, SPACE)) + separators
    filler = rest.rstrip(blank) if side == "end" else rest.lstrip(blank)
    # What is glued to the string has rules of its own.
    told = kind == ANY or not filler or (beside in blank and fills(kind, filler, separators, side))
    return whole.strip(blank) if told and len(rest) <= SLOT_SIZE else text[start:end]
