"""Templates and documents -> the templates that take references: the identifier of a cited paper is content.

"More information: https://doi.org/..." ends every article of a science desk, and its address counts as equal to all
others.  What it names is another paper each time, and what readers look for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from templatemine.mining.kept_texts import encode_body, find_matches
from templatemine.model import Document
from templatemine.packs.pack import Pack

MIN_CITING_SHARE = 0.5
"""Share of its matches from which on a template takes references: a credit may name a paper, too."""

_IDENTIFIER = re.compile(
    rb"(?<![0-9A-Za-z.])10\.[1-9]\d{3,8}/[^\s/]|\barxiv(?:\.org/(?:abs|pdf)/|:\s?)(?:\d{4}\.\d{4,5}|[a-z-]+/\d{7})",
    re.IGNORECASE,
)
"""A DOI (ISO 26324; the registrant of a prefix has four digits or more), or an article of arXiv."""


def find_citing(pack: Pack, documents: Sequence[Document]) -> set[str]:
    """Return the ids of the templates of a pack half of whose matches in some documents hold the identifier of a
    paper."""
    if pack.html or not pack.templates:
        return set()
    cited = [[found.start() for found in _IDENTIFIER.finditer(encode_body(pack, one))] for one in documents]
    if not any(cited):
        return set()
    matches, citing = Counter[int](), Counter[int]()
    for places, found in zip(cited, find_matches(pack, documents), strict=True):
        matches.update(row for _, _, row in found)
        citing.update(row for start, end, row in found if any(start <= place < end for place in places))
    return {pack.templates[row].id for row, count in citing.items() if count >= MIN_CITING_SHARE * matches[row]}
