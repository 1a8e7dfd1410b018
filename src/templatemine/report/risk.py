"""(template, texts) -> where it occurs, and the chance by its score that this is story.

A score is the chance that a string is boilerplate, so a template removes story with the chance that is left.  What
templates are ranked by is in `doubts`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from templatemine.cleaning.regex_engine import ManualExpressions
from templatemine.model import Template
from templatemine.packs.pack import Pack


def story_probability(template: Template, *, by_hand: bool = False) -> float:
    """Return the chance that a template is no boilerplate.

    Of a method without scores nothing is known of any template, and all have the same chance, 1: the one that removes
    most comes first.  What a person decided is not in doubt.
    """
    if by_hand or template.tokens is None:
        return 0.0
    return 1.0 if template.score is None else 1.0 - template.score


def is_scored(pack: Pack) -> bool:
    """Return whether the templates of a pack have scores."""
    return any(one.score is not None for one in pack.templates)


class OccurrenceColumns(NamedTuple):
    """Occurrences in one text: start and end, in code points, and the template's index; by template and start."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    template_indices: NDArray[np.int64]


class Occurrences:
    """Finds the templates of a pack in texts, those within longer ones, too.

    Parameters
    ----------
    pack : Pack
        All of its templates are looked for.
    """

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self._written = ManualExpressions(pack)

    def find_ids(self, text: str) -> list[tuple[int, int, str]]:
        """Find all occurrences, each with the id of its template (`text.tears.FindTemplates`)."""
        columns = (column.tolist() for column in self.find(text))
        return [(start, end, self._pack.templates[index].id) for start, end, index in zip(*columns, strict=True)]

    def find(self, text: str) -> OccurrenceColumns:
        """Find all occurrences.  Those of one template do not overlap: the second begins where the first ends."""
        encoded = self._pack.encode(text)
        written = [(*encoded.original_span(start, end), row) for start, end, row in self._written.matches(encoded.text)]
        by_hand = np.array(written, np.int64).reshape(-1, 3)
        parts = (self._pack.find_strings(encoded), (by_hand[:, 0], by_hand[:, 1], by_hand[:, 2]))
        starts, ends, indices = (np.concatenate(column).astype(np.int64) for column in zip(*parts, strict=True))
        order = np.lexsort((starts, indices))
        starts, ends, indices = starts[order], ends[order], indices[order]
        # The greatest end so far of the same template: indices keep the templates apart.
        apart = indices * (len(text) + 1)
        ends = np.maximum.accumulate(ends + apart) - apart if len(ends) else ends
        same = indices[1:] == indices[:-1]
        starts[1:] = np.where(same, np.maximum(starts[1:], ends[:-1]), starts[1:])
        return OccurrenceColumns(starts, ends, indices)
