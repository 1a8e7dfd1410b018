"""Strings that were chosen -> templates: each with its expression, its anchor and an example from the archive.

Only the documents with an example are scanned again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from templatemine import _core
from templatemine.config import EvidenceConfig, PipelineConfig
from templatemine.mining.candidates import Mined, parts
from templatemine.mining.features import Evidence, reaches
from templatemine.mining.slot_types import Filled, Slotted, Taken, kinds_taken
from templatemine.model import Document, Template
from templatemine.packs.pack import template_id
from templatemine.text.characters import SPACE, in_class, line_begin, line_end
from templatemine.text.expressions import SLOT_SIZE, Encoded, expression
from templatemine.text.patterns import PatternSet
from templatemine.text.slots import ANY, fills, slot_token

__all__ = ["Fillings", "slots_of", "templates_of"]

Fillings = Callable[[Sequence[Slotted]], Sequence[Filled]]
"""What filled the slots of some strings."""


def templates_of(
    mined: Mined,
    rows: NDArray[np.int64],
    documents: Sequence[Document],
    patterns: PatternSet,
    config: PipelineConfig,
    filled: Fillings,
) -> tuple[Template, ...]:
    """The templates of some strings, by document frequency, greatest first.

    Parameters
    ----------
    filled : callable
        What filled the slots of strings in the archive.
    """
    separators = config.tokenise.separators
    examples = _examples(mined, rows, documents, patterns, separators)
    strings, slots = mined.strings, slots_of(mined, rows, config)
    taken = dict.fromkeys(slots, Taken())
    if slots and config.evidence.slot_kinds:
        asked = [*slots.values()]
        taken = dict(zip(slots, kinds_taken(asked, filled(asked), separators, config.evidence), strict=True))

    def template(row: int, side: str) -> Template:
        anchor = _anchor(mined.evidence, row, config.evidence)
        text, start, end = examples[row]
        forms = [strings.names[token] for token in strings.ids(row)]
        tokens, example, kind = tuple(patterns.readable(form) for form in forms), text[start:end], ANY
        if side:
            kind = taken[row, side].kind
            tokens = (*tokens, slot_token(kind)) if side == "end" else (slot_token(kind), *tokens)
            anchor = slots[row, side].anchor
            example = _with_rest(text, start, end, side, kind, separators)
        return Template(
            id=template_id(tokens),
            regex=expression(forms, patterns, separators, mined.html, anchor=anchor, slot=side, kind=kind),
            tokens=tokens,
            df=int(strings.df[row]),
            count=int(strings.count[row]),
            example=example,
            anchor=anchor,
        )

    templates = [
        template(row, "") for row in rows.tolist() if not _replaced(mined.evidence, row, taken, config.evidence)
    ]
    templates += [template(row, side) for row, side in slots]
    return tuple(sorted(templates, key=lambda one: (-one.df, -len(one.tokens or ()), one.tokens)))


def slots_of(mined: Mined, rows: NDArray[np.int64], config: PipelineConfig) -> dict[tuple[int, str], Slotted]:
    """Which of some strings take the rest of their line, by row and side."""
    strings = mined.strings
    return {
        (row, side): Slotted(
            forms=[strings.names[token] for token in strings.ids(row)],
            side=side,
            anchor=_slotted_anchor(_anchor(mined.evidence, row, config.evidence), side),
        )
        for row, sides in _reaching(mined, rows, config.evidence).items()
        for side in sides
    }


def _slotted_anchor(anchor: str, side: str) -> str:
    """Where in its line a string stands with its slot, which is at one edge of the line."""
    return "line" if anchor not in ("", side) else side


def _replaced(
    evidence: Evidence | None, row: int, taken: Mapping[tuple[int, str], Taken], config: EvidenceConfig
) -> bool:
    """Whether a string counts with its slot alone: nothing closes it there, and it never went on otherwise.

    Where it does so in time to come, it begins a sentence or ends one.
    """
    if evidence is None:
        return False
    closed = {"end": evidence.closes, "start": evidence.after_close}
    return any(
        taken[row, side].always and column[row] < config.closed
        for side, column in closed.items()
        if (row, side) in taken
    )


def _anchor(evidence: Evidence | None, row: int, config: EvidenceConfig) -> str:
    """Where in its line a string stands as a rule; elsewhere it is not cut.

    So it is with one that most of the time begins (ends) its lines, if of the rest most stand within prose: a
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


def _reaching(mined: Mined, kept: NDArray[np.int64], config: EvidenceConfig) -> dict[int, list[str]]:
    """Templates that take the rest of their line as well: row -> "end", "start" or both.

    One that is mostly a part of a longer template, which says all it has to say, does not.
    """
    if mined.evidence is None or mined.html:
        return {}
    out: dict[int, list[str]] = {}
    count = mined.repeats.count
    for side, able in zip(("end", "start"), reaches(mined.evidence, config), strict=True):
        outer = mined.evidence.ends if side == "end" else mined.evidence.starts
        complete = kept[~able[kept] & (outer[kept] < config.edge)]
        owner, part = parts(mined, complete, side == "end")
        most = count[complete[owner]] >= config.joint_share * count[part]
        able = able.copy()
        able[part[most]] = False
        for row in kept[able[kept]].tolist():
            if _holds_words(mined, row):
                out.setdefault(row, []).append(side)
    return out


def _holds_words(mined: Mined, row: int) -> bool:
    """Whether a string has a letter or a figure; a bullet or a row of stars says nothing of what stands beside it."""
    names = mined.strings.names
    return any(char.isalnum() for token in mined.strings.ids(row) for char in names[token].decode("utf-8", "ignore"))


def _examples(
    mined: Mined, rows: NDArray[np.int64], documents: Sequence[Document], patterns: PatternSet, separators: str
) -> dict[int, tuple[str, int, int]]:
    """One occurrence of each string, by scanning its document again: the text, and the bounds of the string in it."""
    scanner = _core.Tokeniser(*patterns.scanner_arguments(separators, mined.html))
    by_document: dict[int, list[int]] = {}
    for row in rows.tolist():
        by_document.setdefault(int(mined.document[row]), []).append(row)
    examples: dict[int, tuple[str, int, int]] = {}
    for place, wanted in by_document.items():
        text = documents[place if mined.chosen is None else int(mined.chosen[place])].body
        encoded = Encoded(text, patterns, separators)
        starts, ends, _ = scanner.token_spans(encoded.data)
        for row in wanted:
            edges = np.array([starts[mined.first[row]], ends[mined.last[row]]])
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
