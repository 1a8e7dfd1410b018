"""A pack before and after a step of mining -> the templates that the step takes away, as rejected candidates.

Scores accept templates, and the last steps take some away again, for what they cut in the archive shows.  What went is
told by the two packs alone, so no step keeps a list of its own.  A person who misses a template finds it, with the
reason, among the rejected candidates, and accepts it as it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import replace

from templatemine.mining.select import REASONS, REDUNDANT
from templatemine.model import RejectedCandidate, Template
from templatemine.packs.pack import Pack

COVERED = REASONS[REDUNDANT]
"""Reason of templates in the place of which another one is."""


class Withdrawals:
    """The templates that were taken away again, each with the reason of the last step that did."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[Template, str]] = {}

    def add(self, templates: Iterable[Template], reason: str) -> None:
        """Add templates, which may come back."""
        self._found |= {one.id: (one, reason) for one in templates}

    def compare(self, before: Pack, after: Pack, reason: str = COVERED) -> Pack:
        """Add what a pack has lost in a step, and return the one behind it."""
        present = {one.id for one in after.templates}
        self.add((one for one in before.templates if one.id not in present), reason)
        return after

    def reject(self, pack: Pack, reason: str, ids: Collection[str]) -> Pack:
        """Return a pack without the templates of some ids, which are added."""
        kept = tuple(one for one in pack.templates if one.id not in ids)
        return self.compare(pack, replace(pack, templates=kept), reason)

    def find(self, pack: Pack, reasons: Collection[str]) -> list[Template]:
        """Return the templates that went for some reasons, and that a pack still lacks."""
        present = {one.id for one in pack.templates}
        return [one for name, (one, reason) in self._found.items() if reason in reasons and name not in present]

    def settle(self, pack: Pack) -> tuple[Pack, list[RejectedCandidate], list[RejectedCandidate]]:
        """Return the last pack with the numbers of what it lacks, and these: those that the archive speaks against,
        the likeliest first, and those that others cover, the most frequent first."""
        present = {one.id for one in pack.templates}
        gone = [(one, reason) for name, (one, reason) in self._found.items() if name not in present]
        counts = Counter(pack.rejected)
        counts.update(reason for _, reason in gone)
        gone.sort(key=lambda row: (-(row[0].score or 0), -row[0].df, row[0].tokens or ()))
        nearest = [_describe(one, reason) for one, reason in gone if reason != COVERED]
        covered = [_describe(one, reason) for one, reason in gone if reason == COVERED]
        covered.sort(key=lambda one: (-one.df, one))
        return replace(pack, rejected=dict(counts)), nearest, covered


def _describe(template: Template, reason: str) -> RejectedCandidate:
    tokens, anchor, kind, example = template.tokens or (), template.anchor, template.kind, template.example
    return RejectedCandidate(tokens, template.df, template.count, reason, anchor, kind, example)
