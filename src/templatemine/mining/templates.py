"""Strings that were chosen -> templates: each with its expression, its anchor and an example from the archive.

Only the documents with an example are scanned again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from templatemine import _core
from templatemine.config import EvidenceConfig
from templatemine.mining.candidates import SourceCandidates, parts
from templatemine.mining.features import Evidence, reaches
from templatemine.mining.methods import ResolvedConfig
from templatemine.mining.slot_types import Fillers, Slot, SlotType, slot_types
from templatemine.model import Document, Template
from templatemine.packs.pack import template_id
from templatemine.text.characters import SPACE, in_class, line_begin, line_end
from templatemine.text.expressions import SLOT_SIZE, Encoded, expression
from templatemine.text.slots import ANY, fills, slot_token

__all__ = ["Slots", "slots_of", "templates_of"]

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
    config, separators, patterns = options.evidence, options.tokenise.separators, options.patterns
    examples = _examples(candidates, rows, documents, options)
    strings = candidates.strings
    types = dict.fromkeys(slots, SlotType())
    if config.slot_kinds:
        types = dict(zip(slots, slot_types([*slots.values()], fillers.slots, separators, config), strict=True))

    def template(row: int, side: str) -> Template:
        anchor = _anchor(candidates.evidence, row, config)
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
        )

    templates = [template(row, "") for row in rows.tolist() if not _replaced(candidates.evidence, row, types, config)]
    templates += [template(row, side) for row, side in slots]
    return tuple(sorted(templates, key=lambda one: (-one.df, -len(one.tokens or ()), one.tokens)))


def slots_of(candidates: SourceCandidates, rows: NDArray[np.int64], config: EvidenceConfig) -> Slots:
    """Which of some candidates take the rest of their line."""
    strings = candidates.strings
    return {
        (row, side): Slot(
            forms=[strings.names[token] for token in strings.ids(row)],
            side=side,
            anchor=_slotted_anchor(_anchor(candidates.evidence, row, config), side),
        )
        for row, sides in _reaching(candidates, rows, config).items()
        for side in sides
    }


def _slotted_anchor(anchor: str, side: str) -> str:
    """Where in its line a string stands with its slot, which is at one edge of the line."""
    return "line" if anchor not in ("", side) else side


def _replaced(
    evidence: Evidence | None, row: int, types: Mapping[tuple[int, str], SlotType], config: EvidenceConfig
) -> bool:
    """Whether a string counts with its slot alone: nothing closes it there, and it never went on otherwise.

    Where it does so in time to come, it begins a sentence or ends one.
    """
    if evidence is None:
        return False
    closed = {"end": evidence.closes, "start": evidence.after_close}
    return any(
        types[row, side].always and column[row] < config.closed
        for side, column in closed.items()
        if (row, side) in types
    )


def _anchor(evidence: Evidence | None, row: int, config: EvidenceConfig) -> str:
    """Where in its line a string stands as a rule; elsewhere it is not cut.

    So it is with one that most of the time begins (ends) its lines, if of the rest most are within prose: a
    newspaper's name below its headlines is boilerplate, and in its sentences what they are about.
    """
    if evidence is None:
        return ""
    if evidence.lines[row] >= config.whole:
        return "line"
    starts, ends = evidence.starts[row], evidence.ends[row]
    side, share = ("start", starts) if starts >= min(ends, config.edge) else ("end", ends)
    if share >= config.edge:
        return side
    glued = max(evidence.after_close[row], evidence.closes[row]) >= config.closed
    outside = not glued and share >= config.half and evidence.within[row] > config.outside_share * (1.0 - share)
    return side if outside else ""


def _reaching(candidates: SourceCandidates, kept: NDArray[np.int64], config: EvidenceConfig) -> dict[int, list[str]]:
    """Templates that take the rest of their line as well: row -> "end", "start" or both.

    One that is mostly a part of a longer template, which says all it has to say, does not.
    """
    if candidates.evidence is None or candidates.html:
        return {}
    out: dict[int, list[str]] = {}
    count = candidates.repeats.count
    for side, able in zip(("end", "start"), reaches(candidates.evidence, config), strict=True):
        outer = candidates.evidence.ends if side == "end" else candidates.evidence.starts
        complete = kept[~able[kept] & (outer[kept] < config.edge)]
        owner, part = parts(candidates, complete, side == "end")
        most = count[complete[owner]] >= config.joint_share * count[part]
        able = able.copy()
        able[part[most]] = False
        for row in kept[able[kept]].tolist():
            if _holds_words(candidates, row):
                out.setdefault(row, []).append(side)
    return out


def _holds_words(candidates: SourceCandidates, row: int) -> bool:
    """Whether a string has a letter or a figure; a bullet or a row of stars says nothing of what is beside it."""
    names = candidates.strings.names
    return any(
        char.isalnum() for token in candidates.strings.ids(row) for char in names[token].decode("utf-8", "ignore")
    )


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
