"""Strings of tokens -> their occurrences in texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from templatemine.model import Template
from templatemine.packs.pack import Pack

OccurrenceFinder = Callable[[str], list[tuple[int, int, int]]]


def occurrence_finder(pack: Pack, rows: Sequence[tuple[str, ...]]) -> OccurrenceFinder:
    """Return a function of a text that finds strings of tokens in it: (start, end, row), in code points."""
    templates = tuple(
        Template(id=str(place), regex="", tokens=tokens, df=0, count=0, example="") for place, tokens in enumerate(rows)
    )
    matcher, _ = replace(pack, templates=templates).matcher()

    def find(text: str) -> list[tuple[int, int, int]]:
        encoded = pack.encode(text)
        *bounds, strings = matcher.find(encoded.data)
        starts, ends = encoded.spans(*bounds)
        return list(zip(starts.tolist(), ends.tolist(), strings.tolist(), strict=True))

    return find
