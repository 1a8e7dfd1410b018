from array import array
from typing import Self

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Buffer, disjoint_base

from templatemine.model import Cleaned, Span
from templatemine.text._reading import Rules
from templatemine.text._scan import Scanner

__all__ = ["FillerKinds", "Matcher"]

@disjoint_base
class FillerKinds(Scanner):
    def __new__(
        cls,
        separators: bytes,
        mask: bytes,
        words: list[bytes],
        numbers: list[int],
        html: bool,
        known: list[list[bytes]],
    ) -> Self: ...
    def is_of_kind(self, filler: bytes, kind: int, after_string: bool) -> bool: ...

@disjoint_base
class Matcher(Scanner):
    def __new__(
        cls,
        separators: bytes,
        mask: bytes,
        words: list[bytes],
        numbers: list[int],
        html: bool,
        vocabulary: list[bytes],
        flat: NDArray[np.int32] | array[int],
        bounds: NDArray[np.int64] | array[int],
        edges: NDArray[np.uint8] | bytes | None = None,
        sieve: int = 1,
        kinds: bytes = b"",
        known: list[list[bytes]] | None = None,
        codes: bytes = b"",
        weights: NDArray[np.int32] | array[int] | None = None,
        heads: NDArray[np.int32] | array[int] | None = None,
    ) -> Self: ...
    def find(
        self, document: Buffer, union_only: bool = False
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]: ...
    def find_rests(self, texts: list[str | bytes], sides: bytes) -> list[tuple[int, int, bytes]]: ...
    @property
    def uses_sieve(self) -> bool: ...
    def regions(self, document: Buffer) -> list[tuple[int, int]]: ...
    def is_whole_match(self, document: Buffer, string: int) -> bool: ...
    def count(
        self,
        document: Buffer,
        number: int,
        table: NDArray[np.int64],
        last: NDArray[np.int64],
    ) -> None: ...
    def clean(
        self,
        texts: list[str],
        gap: int,
        guard: float,
        keep: bool,
        names: list[tuple[str]],
        span: type[Span],
        cleaned: type[Cleaned],
        rules: Rules | None = None,
        kinds: tuple[str, ...] = ("",),
    ) -> list[Cleaned | None]: ...
    def parts(
        self, texts: list[str], gap: int, rules: Rules | None = None
    ) -> list[list[tuple[int, int, list[int], int]] | None]: ...
    def spans(
        self, texts: list[str], gap: int, rules: Rules | None = None
    ) -> list[list[tuple[int, int, list[int]]] | None]: ...
