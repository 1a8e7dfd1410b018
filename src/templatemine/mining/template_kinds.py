"""The kind of a template that was mined: that of its strongest cue.

A provisional source: what the words of a string alone say.
"""

from __future__ import annotations

from collections.abc import Sequence

from templatemine.mining.cues import KINDS as CUE_KINDS
from templatemine.mining.cues import CueLexicon, fold_word

__all__ = ["kind_of"]

_KIND_OF_CUE = {"agency": "dateline"}
"""Cues that are a kind of their own, for a model, and the kind of what they stand in."""


def kind_of(tokens: Sequence[str], lexicons: Sequence[CueLexicon]) -> str:
    """The kind of a string by its longest strong cue, of several the first; "" if it has none.

    Parameters
    ----------
    tokens : sequence of str
        Readable tokens of a template.
    lexicons : sequence of CueLexicon
    """
    words = [word for word in map(fold_word, tokens) if word]
    best_length, kind = 0, ""
    for lexicon in lexicons:
        children = _children(lexicon)
        numbers = [lexicon.words.get(word, 0) for word in words]
        for first, number in enumerate(numbers):
            node, place = int(lexicon.roots[number]) if number else -1, first
            while node >= 0:
                bits = int(lexicon.strong[node])
                if bits and place + 1 - first > best_length:
                    cue = CUE_KINDS[(bits & -bits).bit_length() - 1]
                    best_length, kind = place + 1 - first, _KIND_OF_CUE.get(cue, cue)
                place += 1
                node = children.get((node, numbers[place]), -1) if place < len(numbers) else -1
    return kind


_TABLES: dict[int, tuple[CueLexicon, dict[tuple[int, int], int]]] = {}


def _children(lexicon: CueLexicon) -> dict[tuple[int, int], int]:
    """(node, word) -> node, of a lexicon that stays as long as the process."""
    if id(lexicon) not in _TABLES:
        width = len(lexicon.roots)
        pairs = zip(lexicon.keys.tolist(), lexicon.children.tolist(), strict=True)
        _TABLES[id(lexicon)] = lexicon, {divmod(key, width): child for key, child in pairs}
    return _TABLES[id(lexicon)][1]
