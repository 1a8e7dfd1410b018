"""Candidates with their scores -> those that a person should be asked about: the ones whose answer would change most.

A question is worth the characters of the archive about which its answer is expected to differ from the decision
(`Verdicts.stake`), whatever other templates cut there (`weigh_questions`).  Ten answers bring as much as some of the
sources in training (docs/research/loso.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from templatemine.mining.candidates import SourceCandidates, Verdicts
from templatemine.mining.kept_texts import encode_body
from templatemine.mining.sampling import choose_by_text
from templatemine.mining.templates import string_anchor
from templatemine.model import Document, LongArray, Question, Template
from templatemine.packs.pack import Pack
from templatemine.packs.pack_record import bare_template
from templatemine.packs.readable import join_tokens

MAX_QUESTIONS = 20
"""Questions that a pack has: ten, and ten more for people who want to go on."""
_MIN_STAKE = 50
"""Characters at stake; less is not worth a person's time."""
_MAX_CANDIDATES = 20 * MAX_QUESTIONS
_MAX_NAMED = 5 * MAX_QUESTIONS
"""Candidates whose kind is found out in case they are asked about: nested ones among them are not."""
_NEARLY_ALL = 0.9
"""Share of the occurrences of a string that other templates cut from which on an answer changes next to nothing."""
_MAX_DOCUMENTS = 200
"""Documents in which occurrences are looked for: in all that mining looks at it took an eighth of the time."""


class OtherTemplates:
    """The templates of a pack, to be asked which occurrences of the strings of questions they cut, whatever is decided
    of these: those of a question itself, with and without a slot, do not count."""

    def __init__(self, pack: Pack, questions: Sequence[Question]) -> None:
        strings = [None if one.slot == "middle" else one.string for one in pack.templates]
        self._is_other = np.array([[one != question.tokens for one in strings] for question in questions], np.bool_)

    def find(self, starts: LongArray, ends: LongArray, rows: LongArray) -> Callable[[int, int, int], bool]:
        """Return a function that tells of the place of a question, and of where its string begins and ends in a text,
        whether that is within a match; parameters are all matches of the pack there, as of `Pack.find_strings`."""

        def is_within(index: int, start: int, end: int) -> bool:
            return bool(np.any((starts <= start) & (ends >= end) & self._is_other[index, rows]))

        return is_within


def weigh_questions(pack: Pack, documents: Sequence[Document]) -> Pack:
    """Return the pack with questions about what its other templates leave of a string in some documents, those with
    most at stake first; without those about strings that these leave next to nothing of."""
    if not pack.questions:
        return pack
    bare = tuple(replace(bare_template(one.tokens), anchor=one.anchor) for one in pack.questions)
    strings, questions = replace(pack, templates=bare).make_matcher()
    matcher, rows = pack.matcher()
    others, row_of = OtherTemplates(pack, pack.questions), np.array(rows, np.int64)
    seen, within = np.zeros((2, len(pack.questions)), np.int64)
    for document in choose_by_text(documents, _MAX_DOCUMENTS):
        data = encode_body(pack, document) if document.is_html or not pack.html else b""
        places = list(zip(*(column.tolist() for column in strings.find(data)), strict=True))
        if not places:
            continue
        starts, ends, found = matcher.find(data)
        is_within = others.find(starts, ends, row_of[found])
        for start, end, string in places:
            seen[questions[string]] += 1
            within[questions[string]] += is_within(questions[string], start, end)
    shares = np.round(within / np.maximum(seen, 1), 3).tolist()
    weighed = [
        replace(one, within=share, stake=round((1 - share) * one.stake))
        for one, share in zip(pack.questions, shares, strict=True)
        if share < _NEARLY_ALL
    ]
    kept = (one for one in weighed if one.stake >= _MIN_STAKE)
    return replace(pack, questions=tuple(sorted(kept, key=lambda one: -one.stake))[:MAX_QUESTIONS])


def ask_again(pack: Pack, withdrawn: Iterable[Template]) -> Pack:
    """Return the pack with questions also about strings that it has lost again, for what their cuts did in the archive:
    they read as boilerplate, and a person sees whether what they leave, or tear, is worth it.

    Of strings that begin (end) with one another that with most at stake is asked about, as in `choose_questions`.
    """
    cut = {one.string for one in pack.templates}
    more = [_make_question(one) for one in withdrawn if one.slot != "middle" and one.string not in cut]
    chosen: list[Question] = []
    for one in sorted((*pack.questions, *more), key=lambda one: -one.stake):
        if not any(_is_nested(one.tokens, other.tokens) for other in chosen):
            chosen.append(one)
    return replace(pack, questions=tuple(chosen))


def _make_question(template: Template) -> Question:
    """Return a question about a template, at stake in which is what the archive keeps without it."""
    string, score = template.string or (), template.score or 0.0
    text = join_tokens(string)
    return Question(
        tokens=string,
        df=template.df,
        count=template.count,
        anchor=string_anchor(template.anchor, template.slot),
        filled=template.slot,
        example=text if template.slot else template.example,
        score=score,
        stake=round(score * len(text) * template.df),
        kind=template.kind,
    )


def choose_questions(candidates: SourceCandidates) -> NDArray[np.int64]:
    """Choose the rows of the candidates to ask about, that with most at stake first.

    Of labels that begin (end) with one another, and of equal strings, only the first is asked about: it says most of
    what there is to say of the others.
    """
    verdicts, rows = candidates.verdicts, list[int]()
    if verdicts is None:
        return np.empty(0, np.int64)
    order = np.lexsort((candidates.hashes, -verdicts.stake))[:_MAX_CANDIDATES]
    chosen: list[tuple[int, tuple[int, ...]]] = []
    for row in order[verdicts.stake[order] >= _MIN_STAKE].tolist():
        kind, tokens = int(verdicts.kind[row]), candidates.strings.ids(row)
        if any(tokens == other or (kind == other_kind and _is_nested(tokens, other)) for other_kind, other in chosen):
            continue
        chosen.append((kind, tokens))
        rows.append(row)
        if len(rows) == MAX_QUESTIONS:
            break
    return np.array(rows, np.int64)


def may_be_asked(verdicts: Verdicts) -> NDArray[np.bool_]:
    """Return which candidates have so much at stake that `choose_questions` may choose them."""
    found: NDArray[np.bool_] = verdicts.stake >= _MIN_STAKE
    if found.sum() > _MAX_NAMED:
        found &= verdicts.stake >= np.partition(verdicts.stake, -_MAX_NAMED)[-_MAX_NAMED]
    return found


def _is_nested(first: tuple[object, ...], second: tuple[object, ...]) -> bool:
    """Return whether one of two strings begins, or ends, with the other."""
    size = min(len(first), len(second))
    return first[:size] == second[:size] or first[-size:] == second[-size:]
