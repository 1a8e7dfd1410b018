"""The tokeniser on any bytes: tokens in order, the same whichever way they are asked for, and forms that are those of tokens."""

from __future__ import annotations

from typing import Any

from common.session import run
from templatemine.text import _scan
from templatemine.text.patterns import pattern_set

ARGUMENTS = tuple(
    pattern_set(preset).scanner_arguments(separators, html)
    for preset in ("news", "thesis", "none")
    for separators in ("-", "", "+-")
    for html in (False, True)
)
USES = 200
"""Documents of a tokeniser, which costs more to make than a document, and keeps the forms that it has seen."""


class Reused:
    """A tokeniser of each kind, made anew from time to time."""

    def __init__(self, arguments: tuple[Any, ...]) -> None:
        self._arguments = arguments
        self._left = 0

    def get(self) -> _scan.Tokeniser:
        if not self._left:
            self._left = USES
            self._tokeniser = _scan.Tokeniser(*self._arguments)
        self._left -= 1
        return self._tokeniser


SCANNERS = tuple(Reused(arguments) for arguments in ARGUMENTS)


def one(data: bytes) -> None:
    text = data[1:]
    scanner = SCANNERS[data[0] % len(SCANNERS) if data else 0].get()
    starts, ends, kinds = (column.tolist() for column in scanner.token_spans(text))
    before = 0
    for start, end in zip(starts, ends, strict=True):
        assert before <= start < end <= len(text)
        before = end
    scanner.add(text)
    forms, bounds, arena, offsets = scanner.finish()
    assert bounds.tolist() == [0, len(starts)] == [0, len(forms)]
    firsts, lasts = offsets[forms].tolist(), offsets[forms + 1].tolist()
    for first, last, start, end, kind in zip(firsts, lasts, starts, ends, kinds, strict=True):
        assert arena[first:last].tobytes() == scanner.form(text[start:end], kind)


if __name__ == "__main__":
    run(one)
