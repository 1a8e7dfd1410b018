"""Expressions that were added, removed and changed from one pack of a source to the next."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher

from templatemine.model import Template
from templatemine.packs.pack import Pack

MIN_SIMILARITY = 0.6
"""Least ratio of tokens in common, in order, of an expression that changed; below, one is removed and another added."""

_MAX_PAIRS = 50_000
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
    """Return the differences of two packs; numbers alone (df, count) are none."""
    old_by_key = {} if old is None else {_key(template): template for template in old.templates}
    new_by_key = {_key(template): template for template in new.templates}
    changed = [
        (old_by_key[key], template)
        for key, template in new_by_key.items()
        if key in old_by_key and old_by_key[key].regex != template.regex
    ]
    added = [template for key, template in new_by_key.items() if key not in old_by_key]
    removed = [template for key, template in old_by_key.items() if key not in new_by_key]
    lost, gained = {_key(template): template for template in removed}, {_key(template): template for template in added}
    for _, old_key, new_key in sorted(_find_similar(removed, added), key=lambda pair: (-pair[0], *pair[1:])):
        if old_key in lost and new_key in gained:
            changed.append((lost.pop(old_key), gained.pop(new_key)))
    return Changes(tuple(gained.values()), tuple(lost.values()), tuple(changed))


def _find_similar(removed: list[Template], added: list[Template]) -> list[tuple[float, str, str]]:
    if len(removed) * len(added) > _MAX_PAIRS:
        return []
    pairs = []
    for new in added:
        matcher = SequenceMatcher(b=new.tokens or (new.regex,), autojunk=False)
        for old in removed:
            matcher.set_seq1(old.tokens or (old.regex,))
            if matcher.real_quick_ratio() >= MIN_SIMILARITY and (ratio := matcher.ratio()) >= MIN_SIMILARITY:
                pairs.append((ratio, _key(old), _key(new)))
    return pairs


def _key(template: Template) -> str:
    return template.id
