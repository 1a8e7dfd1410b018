"""Properties of a page that are computed when they are first asked for, and then kept.

As `functools.cached_property`, without the lock that it takes up to Python 3.11: a small page asks for dozens of them,
and each lock takes as long as a small step on its blocks.  Two threads may compute the same value, which is harmless.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

__all__ = ["lazy"]

T = TypeVar("T")


class lazy(Generic[T]):
    """A property whose value replaces it in the instance."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute, self._name, self.__doc__ = compute, compute.__name__, compute.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance: object | None, owner: type) -> Self | T:
        """Compute the value, and store it under the name of the property, where it is found from then on."""
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self._compute(instance)
        return value
