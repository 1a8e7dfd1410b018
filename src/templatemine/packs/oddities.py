"""Find parts of a pack that its reader does not use: repeated keys, fields that mean nothing, and rules that nobody has
applied since they were written."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import orjson

from templatemine.errors import counted, warn_caller
from templatemine.packs.overrides import Rule, rule_mark
from templatemine.packs.pack_record import PackRecord, rule_id
from templatemine.packs.readable import fold_case, sought_words
from templatemine.text import _scan

KnownFields = Mapping[str, frozenset[str]]
"""The fields of the objects of a pack, by their key; those of the pack itself at the empty key."""

_MAX_NAMED = 5
"""Oddities that a warning names."""


def tell_oddities(
    data: Mapping[str, Any], text: str, known_fields: KnownFields, where: str, pack: PackRecord | None = None
) -> None:
    """Warn of repeated keys in an object, of which the last counts, of fields that mean nothing, and of rules of a pack
    that are not applied: a person who edited a pack would wonder why they change nothing."""
    oddities: list[str] = []
    if _may_repeat_keys(data, text):
        oddities += _find_repeated_keys(text)
    oddities += [f"{name} means nothing" for name in _find_unknown_fields(data, known_fields)]
    if pack is not None:
        oddities += tell_void_rules(pack)
    if pack is not None and (rules := find_unapplied(pack)):
        names = ", ".join(dict.fromkeys(rule.action for rule in rules))
        are, them = ("is", "it") if len(rules) == 1 else ("are", "them")
        oddities.append(
            f"{counted(len(rules), 'rule')} ({names}) of {pack.source!r} {are} not applied yet: mine --force applies "
            f"{them}, and so do update, and a decision at ask or the desk"
        )
    if oddities:
        more = f"; and {len(oddities) - _MAX_NAMED:,} more" if len(oddities) > _MAX_NAMED else ""
        warn_caller(f"{where}: {'; '.join(oddities[:_MAX_NAMED])}{more}")


def tell_void_rules(pack: PackRecord, before: Collection[str] | None = None) -> list[str]:
    """Say which rules that somebody wrote into a pack do nothing: they are about an id that nothing has, which is told
    once, or accept what no string can be, which shows when they were applied.  The desk and ask note the time.

    Parameters
    ----------
    before : collection of str, optional
        Marks of the rules that were applied earlier; those of the pack by default.
    """
    by_hand = [rule for rule in pack.overrides.rules if not rule.time]
    if not by_hand:
        return []
    known = _known_ids(pack)
    applied = pack.overrides.applied if before is None else before
    told = [
        f"{rule.action}: no template of {pack.source!r} has the id {rule.id!r}; show lists ids"
        for rule in by_hand
        if rule.action in ("reject", "kind") and rule.id not in ("", *known) and rule_mark(rule) not in applied
    ]
    told += [
        f"accept: no text can have {list(rule.tokens or ())} as tokens; a token has no white space, and "
        "show --json lists those of templates; ask --accept takes ids"
        for rule in _void_accepts(pack, by_hand)
    ]
    return told


def _known_ids(pack: PackRecord) -> set[str]:
    """Return the ids of templates, removed ones among them, and of strings that rules write out."""
    written = {rule_id(rule) for rule in pack.overrides.rules if rule.tokens}
    return written | {one.id for one in (*pack.templates, *pack.overrides.removed)}


def _void_accepts(pack: PackRecord, rules: Iterable[Rule]) -> list[Rule]:
    """Return the rules that were applied and accept no template."""
    ids, applied = {one.id for one in pack.templates}, {*pack.overrides.applied}
    last = {rule_id(rule): rule for rule in pack.overrides.rules if rule.action in ("accept", "reject", "edit")}
    return [
        rule
        for rule in rules
        if rule.action == "accept"
        and rule_id(rule) not in ids
        and rule_mark(rule) in applied
        and last[rule_id(rule)] is rule
    ]


def _may_repeat_keys(data: Mapping[str, Any], text: str) -> bool:
    """Return whether a text has more keys than what was read of it: to look for pairs takes longer than to read."""
    try:
        written = orjson.dumps(data)
    except orjson.JSONEncodeError:  # numbers and characters that orjson does not write
        return True
    return _scan.count_keys(text.encode("utf-8", "surrogatepass")) != _scan.count_keys(written)


def _find_repeated_keys(text: str) -> list[str]:
    found: list[str] = []

    def look(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        data = dict(pairs)
        if len(data) < len(pairs):
            of = f" of {data['id']}" if isinstance(data.get("id"), str) else ""
            counts = Counter(name for name, _ in pairs)
            found.extend(f"{name!r}{of} is there {n} times, the last counts" for name, n in counts.items() if n > 1)
        return data

    json.loads(text, object_pairs_hook=look)
    return found


def _find_unknown_fields(data: Mapping[str, Any], known_fields: KnownFields) -> Iterator[str]:
    """Yield unknown names with their places; whoever reads the values checks their types."""
    for key, known in known_fields.items():
        rows = [data] if not key else data.get(key)
        for index, row in enumerate(rows if isinstance(rows, list) else [rows]):
            if isinstance(row, dict) and not row.keys() <= known:
                place = f"{key}[{index}]." if isinstance(rows, list) and key else f"{key}." if key else ""
                yield from (f"{place}{name}" for name in row if name not in known)


def find_unapplied(pack: PackRecord) -> list[Rule]:
    """Return the rules of a pack that its templates contradict, as those that were written into it by hand.

    What an always rule or a cut-off brings stands among the rejected candidates: of these and of kinds the pack notes
    which have been applied.  What was accepted at the desk, which notes the time, may be no string that a pack can
    have.
    """
    rules = pack.overrides.rules
    if not rules:
        return []
    templates = {one.id: one for one in pack.templates}
    regexes = {one.regex for one in pack.templates if one.tokens is None}
    last = {rule_id(rule): rule for rule in rules if rule.action in ("accept", "reject", "edit")}
    applied, known = {*pack.overrides.applied}, _known_ids(pack)
    # Of several cut-offs, or kinds of a template, the last one counts.
    noted = {
        (rule.action, rule.text, rule_id(rule)): rule for rule in rules if rule.action in ("always", "cutoff", "kind")
    }
    undecided = [one for one in pack.templates if one.tokens is not None and one.id not in last]

    def is_unapplied(rule: Rule) -> bool:
        if rule.action == "kind" and not rule.time and rule_id(rule) not in known:
            return False
        if rule.action in ("always", "cutoff", "kind"):
            return noted[rule.action, rule.text, rule_id(rule)] is rule and rule_mark(rule) not in applied
        name, there = rule_id(rule), templates.get(rule_id(rule))
        if rule.action == "add":
            return rule.regex not in regexes
        if rule.action == "never":
            words = fold_case(rule.text)
            return any(words in fold_case(sought_words(one.tokens or ())) for one in undecided)
        if last.get(name) is not rule:
            return False
        if rule.action == "accept" and (rule.time or rule_mark(rule) in applied):
            return False  # accepts what is there, or what no string can be
        return there is None if rule.action != "reject" else there is not None and there.tokens is not None

    return [rule for rule in rules if is_unapplied(rule)]
