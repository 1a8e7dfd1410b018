from typing import Final

from typing_extensions import disjoint_base

from templatemine.matching._match import Matcher

__all__ = ["CLEAN", "Cut", "DONE", "Fields", "OTHER", "PASS", "STRANGE", "Sweep", "UNKNOWN"]

DONE: Final[int]
STRANGE: Final[int]
UNKNOWN: Final[int]
OTHER: Final[int]
PASS: Final[int]
CLEAN: Final[int]

@disjoint_base
class Fields:
    def __new__(cls, names: list[bytes], longest: int) -> Fields: ...

@disjoint_base
class Cut:
    def __new__(cls, matcher: Matcher, ids: list[bytes], gap: int, guard: float, keep: bool) -> Cut: ...

@disjoint_base
class Sweep:
    def __new__(cls, fields: Fields, block: bytes, source: bytes) -> Sweep: ...
    @property
    def number(self) -> int: ...
    @property
    def line(self) -> bytes: ...
    @property
    def source(self) -> bytes: ...
    def run(self) -> int: ...
    def add(self, source: bytes, kind: int, cut: Cut | None = None) -> None: ...
    def take(self) -> bytes: ...
    def counts(self) -> list[tuple[bytes, int, int, int, int, int, int, int]]: ...
