"""Attributes of pages that are worked out when they are first asked for, and kept.

A page has dozens of them, and `functools.cached_property` of Python 3.11 takes a lock for each, which threads share.
Here two threads that ask at once both work the value out, and it is the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["lazy"]

if TYPE_CHECKING:
    from functools import cached_property as lazy
else:

    class lazy:
        """A method without arguments, as an attribute that keeps what the method returned."""

        def __init__(self, method):
            self._method, self._name, self.__doc__ = method, method.__name__, method.__doc__

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            value = instance.__dict__[self._name] = self._method(instance)
            return value
