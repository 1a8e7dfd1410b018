"""The overrides of a pack: people's decisions about its templates, as JSON data and back.

Whatever a person says becomes a rule: an answer to a question (`archive.apply_answers`), a string that is named by its
id (`archive.decide`), an edit of the file (`archive.apply_overrides`).  Overrides are the rules and what they did.

Four keys, so that each rule and each template is a line: ``overrides``, the rules; ``removed``, the templates that
mining gave and the rules took out, unchanged; ``added``, the ids of those that only the rules put in; ``applied``, a
mark of each rule that has been applied, which others than these wait for.  With
them the templates that mining gave can be had back, and a later mining keeps the rules (`apply_rules`).

    {"action": "reject", "id": "t0a1b2c3d4"}                     this string is no template
    {"action": "accept", "tokens": ["Sign", "up"]}               this string is one
    {"action": "never", "text": "Minister of"}                   no string that holds these words is a template
    {"action": "always", "text": "morning letter"}               every string that repeats and holds them is one
    {"action": "add", "regex": "...", "example": "..."}          an expression written by hand
    {"action": "edit", "tokens": [...], "example": "..."}        this string, as written here and not as it is mined
    {"action": "kind", "id": "t0a1b2c3d4", "kind": "byline"}     this template is of this kind
    {"action": "cutoff", "df": 12}                               frequency alone decides from so many documents on

Each may have ``by`` and ``time``, and accept, add and edit a ``kind``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from templatemine.errors import PackError
from templatemine.kinds import KINDS
from templatemine.model import RejectedCandidate, Template

__all__ = [
    "ACTIONS",
    "KEYS",
    "Overrides",
    "Rule",
    "accept_rule",
    "read",
    "read_rule",
    "read_rules",
    "rule_mark",
    "write",
]

KEYS = ("overrides", "removed", "added", "applied")

ACTIONS: Mapping[str, tuple[str, ...]] = {
    "accept": ("tokens",),
    "reject": ("id",),
    "always": ("text",),
    "never": ("text",),
    "add": ("regex", "example"),
    "edit": ("tokens", "example"),
    "kind": ("id", "kind"),
    "cutoff": ("df",),
}
"""Actions, and the fields that each needs; a rule with tokens needs no id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One decision.

    Attributes
    ----------
    action : str
        A key of `ACTIONS`.
    id : str
        Of a template, for accept, reject, edit and kind; follows from `tokens` where those are given.
    tokens : tuple of str or None
        Of a template, as in the pack.
    text : str
        Words that a string must hold, whatever their case, for always and never.
    regex, example : str
        Of an expression written by hand; `example` also of a string with its tokens.
    anchor : str
        Of a string with its tokens, as `Template.anchor`.
    kind : str
        Of a template, as `Template.kind`; "" if nobody has said.
    df, count : int
        The cut-off; or documents and occurrences of a string or an expression when it was decided about.
    by, time : str
        Whose decision, and when (ISO 8601, UTC).
    """

    action: str
    id: str = ""
    tokens: tuple[str, ...] | None = None
    text: str = ""
    regex: str = ""
    example: str = ""
    anchor: str = ""
    kind: str = ""
    df: int = 0
    count: int = 0
    by: str = ""
    time: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that say something."""
        row = ((name, getattr(self, name)) for name in self.__slots__)
        return {name: value for name, value in row if value not in ("", None, 0)}


def accept_rule(template: Template | RejectedCandidate) -> Rule:
    """Return the rule that keeps a template in its pack, or brings it, whatever another mining gives."""
    names = ("tokens", "anchor", "kind", "df", "count", "example")
    return Rule(action="accept", **{name: getattr(template, name) for name in names})


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrides:
    """Rules of a pack and their effect; `applied` has the `rule_mark` of those that have been applied."""

    rules: tuple[Rule, ...] = ()
    removed: tuple[Template, ...] = ()
    added: tuple[str, ...] = ()
    applied: tuple[str, ...] = ()


def rule_mark(rule: Rule) -> str:
    """Return a short hash of a rule, which another rule, or the same one edited, does not have."""
    from hashlib import blake2b  # here, for cleaning has no need of it

    row = json.dumps(rule.as_dict(), sort_keys=True)  # ASCII, so that lone surrogates are no trouble
    return blake2b(row.encode("ascii"), digest_size=4).hexdigest()


def write(overrides: Overrides) -> dict[str, Any]:
    """Return the keys of the section, templates as they are; none if there are no rules."""
    if not overrides.rules:
        return {}
    return {
        "overrides": [rule.as_dict() for rule in overrides.rules],
        "removed": overrides.removed,
        "added": list(overrides.added),
        "applied": list(overrides.applied),
    }


def read(data: Mapping[str, Any], where: str, template: Callable[[Any, str], Template]) -> Overrides:
    """Invert `write`.

    Parameters
    ----------
    template : callable
        Reads a row of a template: (row, where) -> Template.

    Raises
    ------
    PackError
        Naming the field, the expectation and the finding.
    """
    if "overrides" not in data:
        return Overrides()
    rows = {key: data.get(key, []) for key in KEYS}
    for key, value in rows.items():
        if not isinstance(value, list):
            raise PackError(f"{where}: {key}: expected a list, got {type(value).__name__}")
    for key, what in (("added", "the id of a template"), ("applied", "the mark of a rule")):
        for index, name in enumerate(rows[key]):
            if not isinstance(name, str):
                raise PackError(f"{where}: {key}[{index}]: expected {what}, got {name!r}")
    return Overrides(
        rules=read_rules(rows["overrides"], where),
        removed=tuple(template(row, f"{where}: removed[{n}]") for n, row in enumerate(rows["removed"])),
        added=tuple(rows["added"]),
        applied=tuple(rows["applied"]),
    )


def read_rules(rows: Sequence[Any], where: str) -> tuple[Rule, ...]:
    """Read rules from the data of a pack."""
    return tuple(read_rule(row, f"{where}: overrides[{index}]") for index, row in enumerate(rows))


_FIELD_TYPES: Mapping[str, type] = {field.name: int if field.name in ("df", "count") else str for field in fields(Rule)}


def read_rule(row: Any, where: str) -> Rule:
    """Read one rule; missing and unexpected fields are named."""
    if not isinstance(row, dict):
        raise PackError(f"{where}: expected an object, got {type(row).__name__}")
    if row.get("action") not in tuple(ACTIONS):  # a list is in no mapping, and cannot be asked for there
        raise PackError(f"{where}: action: expected one of {', '.join(ACTIONS)}, got {row.get('action')!r}")
    values = dict(row)
    for name, value in row.items():
        if name not in _FIELD_TYPES:
            raise PackError(f"{where}: expected {', '.join(_FIELD_TYPES)}, got {name!r}")
        if name == "tokens":
            if not isinstance(value, list) or not value or not all(isinstance(token, str) for token in value):
                raise PackError(f"{where}: tokens: expected a list of strings, got {value!r}")
            values[name] = tuple(value)
        elif not isinstance(value, _FIELD_TYPES[name]) or isinstance(value, bool):
            expected = "a number" if _FIELD_TYPES[name] is int else "a string"
            raise PackError(f"{where}: {name}: expected {expected}, got {value!r}")
        elif isinstance(value, int) and not 0 <= value < 10**18:
            raise PackError(f"{where}: {name}: expected a number of at most 18 digits, got {value!r:.40}")
    for name in ACTIONS[row["action"]]:
        value = values.get("tokens") if name == "id" and not values.get("id") else values.get(name)
        if not value or (isinstance(value, str) and not value.strip()) or (isinstance(value, int) and value < 1):
            raise PackError(f"{where}: {row['action']}: expected {name}, got {row.get(name)!r}")
    if values.get("anchor", "") not in ("", "start", "end", "line"):
        raise PackError(f"{where}: anchor: expected '', 'start', 'end' or 'line', got {values['anchor']!r}")
    if values.get("kind", "") not in ("", *KINDS):
        raise PackError(f"{where}: kind: expected one of {', '.join(KINDS)}, got {values['kind']!r:.60}")
    return Rule(**values)
