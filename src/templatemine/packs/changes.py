"""Which expressions were added, removed and changed from one pack of a source to the next."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher

from templatemine.model import Template
from templatemine.packs.pack import Pack

__all__ = ["Changes", "compare"]

ALIKE = 0.6
"""Least ratio of tokens in common, in order, of an expression that changed; below, one is removed and another added."""

_PAIRS = 50_000
"""Beyond so many pairs none is looked for: so much has changed that pairs would say nothing."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Expressions that were added and removed, and pairs of those that changed: in wording, or in where they hold."""

    added: tuple[Template, ...] = ()
    removed: tuple[Template, ...] = ()
    changed: tuple[tuple[Template, Template], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


def compare(old: Pack | None, new: Pack) -> Changes:
    """What is different in `new`; numbers alone (df, count) are no difference."""
    before = {} if old is None else {_name(one): one for one in old.templates}
    after = {_name(one): one for one in new.templates}
    changed = [(before[name], one) for name, one in after.items() if name in before and before[name].regex != one.regex]
    added = [one for name, one in after.items() if name not in before]
    removed = [one for name, one in before.items() if name not in after]
    gone, fresh = {_name(one): one for one in removed}, {_name(one): one for one in added}
    for _, lost, found in sorted(_alike(removed, added), key=lambda pair: (-pair[0], *pair[1:])):
        if lost in gone and found in fresh:
            changed.append((gone.pop(lost), fresh.pop(found)))
    return Changes(tuple(fresh.values()), tuple(gone.values()), tuple(changed))


def _alike(removed: list[Template], added: list[Template]) -> list[tuple[float, str, str]]:
    if len(removed) * len(added) > _PAIRS:
        return []
    pairs = []
    for new in added:
        matcher = SequenceMatcher(b=new.tokens or (new.regex,), autojunk=False)
        for old in removed:
            matcher.set_seq1(old.tokens or (old.regex,))
            if matcher.real_quick_ratio() >= ALIKE and (ratio := matcher.ratio()) >= ALIKE:
                pairs.append((ratio, _name(old), _name(new)))
    return pairs


def _name(template: Template) -> str:
    return template.id
