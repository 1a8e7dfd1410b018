"""Bytes as a row of choices, so that what libFuzzer changes in them is one choice or another of what they stand for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

__all__ = ["Choices"]

Option = TypeVar("Option")


class Choices:
    """Choices that bytes make, one after the other; where they end, the first option of each."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def __bool__(self) -> bool:
        """Whether there are bytes left."""
        return self._at < len(self._data)

    def byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1] if self._at <= len(self._data) else 0

    def number(self, below: int) -> int:
        """A number from 0 up."""
        value = self.byte()
        for _ in range((below - 1).bit_length() // 8 if below > 256 else 0):
            value = value << 8 | self.byte()
        return value % below

    def flag(self) -> bool:
        return bool(self.byte() & 1)

    def pick(self, options: Sequence[Option]) -> Option:
        return options[self.number(len(options))]

    def some(self, make: Callable[[], Option], most: int, least: int = 0) -> list[Option]:
        """At most so many; a byte says how many."""
        return [make() for _ in range(least + self.number(most - least + 1))]

    def rest(self) -> bytes:
        """All bytes that are left."""
        at, self._at = self._at, len(self._data)
        return self._data[at:]
