"""Detection of polynomial backtracking: two repeats of an expression that can divide a text between them in many
ways.

From one place of a text, ``a+[\\w-]+-`` takes time in the square of what follows: wherever the first repeat ends, the
second one reads on, and the sign behind it is nowhere.  Such an expression has *infinite degree of ambiguity* (Weber
and Seidl, "On the degree of ambiguity of finite automata", 1991; Allauzen, Mohri and Rastogi, "General algorithms for
testing the ambiguity of finite automata", 2008): there are places p and q of its automaton and a text that leads from
p to p, from p to q and from q to q.  Whether there is one tells a walk through three copies of the automaton at once.
If what must follow q can fail, engines take at least that time (Weideman et al., "Analyzing matching time behaviour of
backtracking regular expression matchers by using ambiguity of NFA", 2016).

Differences from there: a repeat of a bounded number of rounds counts as a loop, which shares out a text in at most so
many ways; and where what follows q is sure to match behind its longest run, as the end of a line behind ``.+``, nothing
is tried again.  Places between characters (``\\b``, ``^``) let everything through, which at worst refuses too much.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from templatemine.text.code_points import (
    END,
    EVERYTHING,
    NOTHING,
    Ranges,
    class_ranges,
    complement,
    covers,
    single,
    union,
)

REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
"""Items of a parse tree that stand for rounds of another one."""

MAX_SHARED_WAYS = 200
"""In so many ways may repeats share out a text from one of its places, as two do of which one is bounded by {0,200}:
time stays linear from each place, though the worst text of 1,000 characters takes half a second."""

_MAX_STEPS = 200_000
"""Steps of the walk through an expression, some 0.2 s; longer ones are refused."""

_MAX_SHOWN = 30
"""Characters of a repeat in a message."""

_MAX_COPIES = 10
"""Rounds that are written out, of expressions with repeats of their own: the lint refuses more."""

_UNBOUNDED = 1 << 40

_After = tuple[int, Ranges]
"""A place, and the characters (or the end of the text) before which all from there on is sure to match."""


def ambiguity_problem(tree: Any) -> str | None:
    """Say why an expression takes more than linear time from one place of a text; None if it does not.

    Parameters
    ----------
    tree : parse tree of the standard library

    Raises
    ------
    RecursionError
        Groups are nested too deep.
    """
    if _count_repeats(tree) < 2:
        return None
    automaton = _Automaton()
    automaton.add(tree, tree.state.flags)
    return _Walk(automaton).problem()


def _count_repeats(tree: Any) -> int:
    """Count the repeats of two rounds and more in a row; those within a repeat count twice."""
    count = 0
    for operator, argument in tree:
        name = str(operator)
        rounds = _rounds(argument[1]) if name in REPEATS else 1
        count += sum(map(_count_repeats, child_sequences(name, argument))) * min(rounds, 2) + (rounds > 1)
    return count


def _rounds(rounds: Any) -> int:
    return min(int(rounds), _UNBOUNDED) if int(rounds) < 1 << 31 else _UNBOUNDED


def child_sequences(name: str, argument: Any) -> list[Any]:
    """Return the sequences within an item of a parse tree."""
    if name in REPEATS:
        return [argument[2]]
    if name == "BRANCH":
        return list(argument[1])
    if name == "SUBPATTERN":
        return [argument[3]]
    if name in ("ASSERT", "ASSERT_NOT"):
        return [argument[1]]
    if name == "ATOMIC_GROUP":
        return [argument]
    if name == "GROUPREF_EXISTS":
        return [part for part in argument[1:] if part]
    return []


# ------------------------------------------------------------------------------------------------------ the automaton


@dataclass(slots=True)
class _Loop:
    """A repeat of two rounds or more.

    spread : rounds by which its matches may differ, which is the number of its ends.
    most : rounds after which it, or what comes behind it, may still fail; all before that are tried again from each end
        of a repeat before it.
    later : bits of the loops that may come behind it.
    body : its places, behind `body.start - 1`, where it begins and to which each round comes back.
    """

    text: str
    spread: int
    most: int
    later: int
    body: range = range(0)


@dataclass(slots=True)
class _Automaton:
    """Places, each of which takes a character of a set, or none, and its successors; made from the end on.

    takes : number of a set of characters in `sets` by place; -1 for none.
    follow : places by place.
    reach : bits of the loops that may come at a place or behind it.
    """

    takes: list[int] = field(default_factory=list)
    follow: list[list[int]] = field(default_factory=list)
    reach: list[int] = field(default_factory=list)
    loops: list[_Loop] = field(default_factory=list)
    sets: dict[Ranges, int] = field(default_factory=dict)

    def add(self, tree: Any, flags: int) -> None:
        """Add an expression of its own, behind which nothing fails."""
        self._sequence(tree, flags, (self._place(-1, []), EVERYTHING), _Context())

    def _place(self, takes: int, follow: list[int]) -> int:
        self.takes.append(takes)
        self.follow.append(follow)
        reach = 0
        for successor in follow:
            reach |= self.reach[successor]
        self.reach.append(reach)
        return len(self.takes) - 1

    def _sequence(self, items: Any, flags: int, after: _After, within: _Context) -> _After:
        for operator, argument in reversed(list(items)):
            after = self._item(str(operator), argument, flags, after, within)
        return after

    def _item(self, name: str, argument: Any, flags: int, after: _After, within: _Context) -> _After:
        """Put an item before its successors."""
        place, sure = after
        if name in REPEATS:
            return self._repeat(name, argument, flags, after, within)
        if name == "BRANCH":
            alternatives = [self._sequence(branch, flags, after, within) for branch in argument[1]]
            return self._place(-1, [entry for entry, _ in alternatives]), union(*(set_ for _, set_ in alternatives))
        if name == "SUBPATTERN":
            return self._sequence(argument[3], (flags | argument[1]) & ~argument[2], after, within)
        if name == "ATOMIC_GROUP":  # within it what comes behind it does not count, and behind it none of its ways
            self.add(argument, flags)
            return self._sequence(argument, flags, (place, EVERYTHING if sure == EVERYTHING else NOTHING), _ONE_WAY)
        if name in ("ASSERT", "ASSERT_NOT"):  # looked through again wherever the expression before it ends
            fails = name == "ASSERT_NOT" or sure != EVERYTHING
            end = self._place(-1, [])
            entry, _ = self._sequence(argument[1], flags, (end, NOTHING if fails else EVERYTHING), within)
            return self._place(-1, [place, entry]), NOTHING
        if name == "AT":
            return place, _anchor_ranges(str(argument), flags, sure)
        if name not in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):  # back references, and conditions
            return place, NOTHING
        taken = class_ranges(name, argument, flags)
        number = self.sets.setdefault(taken, len(self.sets))
        return self._place(number, [place]), taken if sure == EVERYTHING else NOTHING

    def _repeat(self, name: str, argument: Any, flags: int, after: _After, within: _Context) -> _After:
        least, most, inner = int(argument[0]), _rounds(argument[1]), argument[2]
        if most == 0:
            return after
        if most == 1 or (most <= _MAX_COPIES and _count_repeats(inner)):
            return self._copies(least, most, inner, flags, after, within)
        place, sure = after
        if name == "POSSESSIVE_REPEAT":
            within = _Context(one_way=True, times=within.times)
        # Behind its longest run is none of its own characters.
        taken = self._one_set(inner, flags)
        longest = taken is not None and most == _UNBOUNDED and covers(sure, complement(taken))
        fails = not (longest or sure == EVERYTHING)
        hub = self._place(-1, [place])
        loop = _Loop(
            text=_write_pattern([(name, argument)]),
            spread=0 if within.one_way else most - least,
            most=min((most if fails else least) * within.times, _UNBOUNDED),
            later=self.reach[place],
        )
        self.reach[hub] |= 1 << len(self.loops)
        self.loops.append(loop)
        body_sure = NOTHING if least > 1 else sure if fails else EVERYTHING
        inside = _Context(one_way=within.one_way, times=min(most * within.times, _UNBOUNDED))
        entry, first = self._sequence(inner, flags, (hub, body_sure), inside)
        self.follow[hub].append(entry)
        loop.body = range(hub + 1, len(self.takes))
        if least:
            return entry, first
        return hub, union(sure, first) if fails else EVERYTHING

    def _copies(self, least: int, most: int, inner: Any, flags: int, after: _After, within: _Context) -> _After:
        """Return a few rounds of an expression with repeats of its own, one behind the other."""
        end = after
        for round_number in range(most, 0, -1):
            entry, sure = self._sequence(inner, flags, after, within)
            if round_number > least:
                entry, sure = self._place(-1, [entry, end[0]]), union(sure, end[1])
            after = entry, sure
        return after

    def _one_set(self, inner: Any, flags: int) -> Ranges | None:
        """Return the characters of an item that takes exactly one character."""
        items = list(inner)
        if len(items) != 1:
            return None
        name, argument = str(items[0][0]), items[0][1]
        if name == "SUBPATTERN":
            return self._one_set(argument[3], (flags | argument[1]) & ~argument[2])
        return class_ranges(name, argument, flags) if name in ("LITERAL", "NOT_LITERAL", "ANY", "IN") else None


@dataclass(frozen=True, slots=True)
class _Context:
    """Context of an item: whether only its first way counts, and the rounds of the repeats around it."""

    one_way: bool = False
    times: int = 1


_ONE_WAY = _Context(one_way=True)


def _anchor_ranges(kind: str, flags: int, sure: Ranges) -> Ranges:
    """Return the characters at an anchor for which it and its successors are sure to match."""
    if sure != EVERYTHING:
        return NOTHING
    if kind == "AT_END" and flags & re.MULTILINE:
        return union(single(ord("\n")), single(END))
    return single(END) if kind in ("AT_END", "AT_END_STRING") else NOTHING


# ------------------------------------------------------------------------------------------------------------ the walk


class _StepLimitExceeded(Exception):
    """The walk takes more than `_MAX_STEPS`."""


class _Walk:
    """Looks for texts that two repeats can share out between them."""

    def __init__(self, automaton: _Automaton) -> None:
        self._loops = automaton.loops
        self._follow = automaton.follow
        masks, self._letters = _alphabet(list(automaton.sets))
        self._mask = [masks[number] if number >= 0 else 0 for number in automaton.takes]
        self._next_places: dict[int, tuple[int, ...]] = {}
        self._steps = 0

    def problem(self) -> str | None:
        """Return the problem, if any.  On a path, each loop multiplies the ways by those that it has with one before
        it."""
        ways = [1] * len(self._loops)
        most: list[tuple[int, str]] = [(1, "")] * len(self._loops)
        for loop in reversed(range(len(self._loops))):
            path_ways, message = most[loop]
            ways[loop] *= path_ways
            if ways[loop] > MAX_SHARED_WAYS:
                return message
            try:
                for later, text in self._shared(loop):
                    shares = min(self._loops[loop].spread, self._loops[later].most)
                    most[later] = max(most[later], (shares, self._message(loop, later, text)))
            except _StepLimitExceeded:
                return "may take too long: it has too many repeats to tell whether they share out a text in many ways"
            for later in _bits(self._loops[loop].later):
                ways[later] = max(ways[later], ways[loop])
        return None

    def _message(self, loop: int, later: int, text: str) -> str:
        first, second = self._loops[loop].text, self._loops[later].text
        names = f"{first} and {second}" if first != second else f"{first} and the next {second}"
        bounded = max(self._loops[loop].spread, self._loops[later].most) < _UNBOUNDED // 2
        bound = "bound them more closely" if bounded else "bound one of them ({1,200})"
        return (
            f"may take too long: {names} can share out {text!r} in many ways before it fails; "
            f"{bound}, or leave out of the first what parts them"
        )

    def _shared(self, loop: int) -> Iterator[tuple[int, str]]:
        """Yield loops behind one that share out a text with it in two ways or more, each with the text."""
        first = self._loops[loop]
        others = [
            later
            for later in _bits(first.later)
            if min(first.spread, self._loops[later].most) > 1 and first.body.start not in self._loops[later].body
        ]
        if not others:
            return
        for start in self._next(first.body.start - 1, first.body):
            reachable = {place for inner, place in self._pairs(start, first.body) if inner == start}
            for later in others:
                body = self._loops[later].body
                for end in reachable.intersection(body):
                    text = self._text(start, first.body, end, body)
                    if text is not None:
                        yield later, text

    def _pairs(self, start: int, body: range) -> set[tuple[int, int]]:
        """Return places in a loop, and anywhere, that the same texts lead to."""
        visited = {(start, start)}
        stack = [(start, start)]
        while stack:
            inner, outer = stack.pop()
            if not self._mask[inner] & self._mask[outer]:
                continue
            for pair in self._both(self._next(inner, body), self._next(outer, None)):
                if pair not in visited:
                    visited.add(pair)
                    stack.append(pair)
        return visited

    def _both(self, first: Sequence[int], second: Sequence[int]) -> Iterator[tuple[int, int]]:
        self._count(len(first) * len(second))
        return ((left, right) for left in first for right in second)

    def _text(self, start: int, body: range, end: int, later_body: range) -> str | None:
        """Return a text that leads from `start` back to it, from there to `end`, and from `end` back to it."""
        goal = (start, end, end)
        visited = {(start, start, end)}
        queue = [(start, start, end, "")]
        for inner, between, outer, text in queue:
            common = self._mask[inner] & self._mask[between] & self._mask[outer]
            if not common:
                continue
            text += self._letters[(common & -common).bit_length() - 1]
            third = self._next(outer, later_body)
            for pair in self._both(self._next(inner, body), self._next(between, None)):
                self._count(len(third))
                for last in third:
                    state = (*pair, last)
                    if state == goal:
                        return text
                    if state not in visited:
                        visited.add(state)
                        queue.append((*state, text))
        return None

    def _count(self, steps: int) -> None:
        self._steps += steps
        if self._steps > _MAX_STEPS:
            raise _StepLimitExceeded

    def _next(self, place: int, body: range | None) -> Sequence[int]:
        """Return the places, of all or of those in a loop, that take the next character behind one."""
        places = self._next_places.get(place)
        if places is None:
            visited = set(self._follow[place])
            stack = list(visited)
            while stack:
                for successor in self._follow[current] if not self._mask[current := stack.pop()] else ():
                    if successor not in visited:
                        visited.add(successor)
                        stack.append(successor)
            places = self._next_places[place] = tuple(sorted(current for current in visited if self._mask[current]))
        return places if body is None else [current for current in places if current in body]


def _bits(mask: int) -> Iterator[int]:
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


def _alphabet(sets: Sequence[Ranges]) -> tuple[list[int], list[str]]:
    """Return sets as bits of classes that they do not tell apart, and a character of each class."""
    changes: dict[int, int] = {}
    for set_index, ranges in enumerate(sets):
        for first, last in ranges:
            for boundary in (first, last + 1):
                changes[boundary] = changes.get(boundary, 0) ^ 1 << set_index
    letters: dict[int, str] = {}
    within, ends = 0, sorted(changes)
    for first, end in pairwise(ends):
        within ^= changes[first]
        shown = chr(min(max(first, ord(" ")), end - 1))
        if within not in letters or (letters[within] < " " <= shown < "\x7f"):
            letters[within] = shown
    return [
        sum(1 << boundary for boundary, within in enumerate(letters) if within >> set_index & 1)
        for set_index in range(len(sets))
    ], list(letters.values())


# --------------------------------------------------------------------------------------------------------- in messages

_QUANTIFIERS = {(0, _UNBOUNDED): "*", (1, _UNBOUNDED): "+", (0, 1): "?"}
_CATEGORIES = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}


def _write_pattern(items: Iterable[tuple[Any, Any]]) -> str:
    """Write items of a parse tree as they may have been written, on one line and not too long."""
    text = "".join(_spelt_item(str(operator), argument) for operator, argument in items)
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN // 2]}...{text[-_MAX_SHOWN // 4 :]}"


def _spelt_item(name: str, argument: Any) -> str:
    if name == "LITERAL":
        return _spelt_character(argument, r"\.[](){}*+?^$|")
    if name == "IN":
        return _spelt_class(argument)
    if name in REPEATS:
        least, most = int(argument[0]), _rounds(argument[1])
        rounds = f"{least}" if least == most else f"{least},{most if most < _UNBOUNDED else ''}"
        bounds = _QUANTIFIERS.get((least, most), f"{{{rounds}}}")
        inner = _write_pattern(argument[2])
        if len(list(argument[2])) > 1:
            inner = f"(?:{inner})"
        return inner + bounds + {"MIN_REPEAT": "?", "POSSESSIVE_REPEAT": "+"}.get(name, "")
    if name == "BRANCH":
        return f"(?:{'|'.join(map(_write_pattern, argument[1]))})"
    if name == "SUBPATTERN":
        return f"({_write_pattern(argument[3])})"
    return {"ANY": ".", "NOT_LITERAL": f"[^{_spelt_character(argument, '') if name == 'NOT_LITERAL' else ''}]"}.get(
        name, "(...)"
    )


def _spelt_class(items: Iterable[tuple[Any, Any]]) -> str:
    parts: list[str] = []
    for operator, value in items:
        kind = str(operator)
        if kind == "NEGATE":
            parts.append("^")
        elif kind == "LITERAL":
            parts.append(_spelt_character(value, r"\]^"))
        elif kind == "RANGE":
            parts.append("-".join(_spelt_character(code, r"\]^") for code in value))
        else:
            category = str(value).removeprefix("CATEGORY_")
            letter = _CATEGORIES[category.removeprefix("NOT_")]
            parts.append(letter.upper() if category.startswith("NOT_") else letter)
    return parts[0] if len(parts) == 1 and parts[0] in r"\d\D\s\S\w\W" else f"[{''.join(parts)}]"


def _spelt_character(code: int, escaped: str) -> str:
    char = chr(code)
    if char in escaped:
        return f"\\{char}"
    return char if char.isprintable() else repr(char)[1:-1]
