from typing import Final

from typing_extensions import disjoint_base

from templatemine.matching._automaton import Matcher
from templatemine.text._reading import Rules

__all__ = [
    "CLEAN",
    "DEFER",
    "DONE",
    "PASS",
    "UNKNOWN",
    "UNUSUAL",
    "BlockCleaner",
    "Fields",
    "TextCleaner",
    "find_doubtful",
]

DONE: Final[int]
UNUSUAL: Final[int]
UNKNOWN: Final[int]
DEFER: Final[int]
PASS: Final[int]
CLEAN: Final[int]

@disjoint_base
class Fields:
    def __new__(
        cls, names: list[bytes], longest: int, longest_looked: int = 0, labels: int = 0, keep: bool = False
    ) -> Fields: ...

@disjoint_base
class TextCleaner:
    def __new__(
        cls,
        matcher: Matcher,
        ids: list[bytes],
        gap: int,
        guard: float,
        keep: bool,
        rules: Rules | None = None,
        kinds: list[bytes] | None = None,
        mark: bool = False,
        drop: bool = False,
    ) -> TextCleaner: ...

@disjoint_base
class BlockCleaner:
    def __new__(cls, fields: Fields, block: bytes, source: bytes) -> BlockCleaner: ...
    @property
    def number(self) -> int: ...
    @property
    def doubtful(self) -> list[tuple[bytes, int, str, list[tuple[int, int]]]]: ...
    @property
    def kept(self) -> list[tuple[bytes, bytes, list[tuple[int, int]]]]: ...
    @property
    def line(self) -> bytes: ...
    @property
    def source(self) -> bytes: ...
    def run(self) -> int: ...
    def add_source(self, source: bytes, kind: int, cleaner: TextCleaner | None = None) -> None: ...
    def take_output(self) -> bytes: ...
    def counts(self) -> list[tuple[bytes, int, int, int, int, int, int, int, int, list[int]]]: ...

def find_doubtful(text: str, spans: list[tuple[int, int]], labels: int) -> list[tuple[int, int]]: ...
