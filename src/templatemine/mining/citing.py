"""Templates and documents -> the templates that take references: the identifier of a cited paper is content.

"More information: https://doi.org/..." ends every article of a science desk, and its address counts as equal to all
others.  What it names is another paper each time, and what readers look for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from templatemine.mining.own_cuts import find_cuts
from templatemine.model import Document
from templatemine.packs.pack import Pack

MIN_CITING_SHARE = 0.5
"""Share of its cuts from which on a template takes references: a credit may name a paper, too."""

_IDENTIFIER = re.compile(
    r"(?<![0-9A-Za-z.])10\.[1-9]\d{3,8}/[^\s/]|\barxiv(?:\.org/(?:abs|pdf)/|:\s?)(?:\d{4}\.\d{4,5}|[a-z-]+/\d{7})",
    re.IGNORECASE,
)
"""A DOI (ISO 26324; the registrant of a prefix has four digits or more), or an article of arXiv."""


def find_citing(pack: Pack, documents: Sequence[Document]) -> set[str]:
    """Return the ids of the templates of a pack half of whose cuts in some documents hold the identifier of a paper."""
    if pack.html or not pack.templates:
        return set()
    cuts, citing = Counter[int](), Counter[int]()
    for _, text, spans in find_cuts(pack, documents):
        places = [found.start() for found in _IDENTIFIER.finditer(text)]
        for start, end, rows in spans:
            cuts.update(rows)
            if any(start <= place < end for place in places):
                citing.update(rows)
    return {pack.templates[row].id for row, count in citing.items() if count >= MIN_CITING_SHARE * cuts[row]}
