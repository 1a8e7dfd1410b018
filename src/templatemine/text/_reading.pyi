from array import array
from collections.abc import Callable, Sequence
from typing import Final, Self

from typing_extensions import disjoint_base

__all__ = ["NOT_COMPOSED", "NUMBERING", "TITLES", "Rules", "set_composition"]

COMPOSED: Final[int]
COMPOSES: Final[int]
CUT_OFF_SPREAD: Final[int]
NEVER_COMPOSED: Final[int]
NOT_COMPOSED: Final[object]
NUMBERING: Final[tuple[str, ...]]
TITLES: Final[tuple[str, ...]]

def set_composition(make: Callable[[], tuple[bytes, bytes]]) -> None: ...

@disjoint_base
class Rules:
    def __new__(
        cls,
        soft: bool,
        starts: Sequence[str],
        whole: Sequence[str],
        sentences: bool,
        entities: dict[str, str] | None,
        cut_off: int = 0,
    ) -> Self: ...
    def read(
        self,
        text: str,
        first: int = 0,
        end: int = 5,
        composed: bool = False,
        with_edits: bool = True,
        encoded: bool = False,
    ) -> tuple[str, list[array[int]]] | bytes | object | None: ...
    def holds_markup(self, text: str) -> bool: ...
    def lone_starts(self, text: str) -> tuple[list[str], list[str]]: ...
    def soft_points(self, text: str) -> list[tuple[str, str]]: ...
