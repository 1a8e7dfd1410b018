"""Lines that many sources have -> a pack of their own, for articles of sources that have none.

"All rights reserved.", "Related:", the notes of one publisher on all of its papers: being common elsewhere speaks
against a string in prose, not against a line that is boilerplate wherever it occurs.  Each source claims, of its own
templates, those that are whole lines, or begin or end lines.  What enough sources claim, and half of those that have
the string at all, goes into the shared pack.  A template with a slot is one of its own, if the slot is of a kind: what
else fills one is known of its source alone.  Of the kinds that sources give a slot it has the one that most of them do.

Claims see strings, not articles.  Memory grows with the different ones, which are strings that many sources have.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from templatemine.config import SharedConfig
from templatemine.errors import CorpusError, counted
from templatemine.mining.candidates import SourceCandidates
from templatemine.mining.methods import ResolvedConfig
from templatemine.model import Cutoff, Template
from templatemine.packs.pack import Pack
from templatemine.text.slots import ANY, KINDS, kind_code

__all__ = ["SHARED_PACK", "Claim", "Claims", "build_shared_pack", "collect_claims"]

SHARED_PACK = "_shared"
"""The source that the shared pack names; no article is of it, so nothing is cleaned by it unless someone says so."""

_TOO_FEW, _DISPUTED = "a template of too few sources", "no template in most sources that have it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A template that may be one everywhere; `sources`: how many have the string, as a template or not."""

    template: Template
    sources: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """The claims of one source; `dates` are its first and last day, or none."""

    source: str
    documents: int
    dates: tuple[str, ...]
    claims: tuple[Claim, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the claims as plain values, for JSON."""
        return asdict(self)

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Claims:
        """Invert `as_dict`."""
        claims = []
        for row in data["claims"]:
            columns: dict[str, Any] = {
                name: tuple(value) if isinstance(value, list) else value for name, value in row["template"].items()
            }
            claims.append(Claim(template=Template(**columns), sources=row["sources"]))
        return Claims(
            source=data["source"], documents=data["documents"], dates=tuple(data["dates"]), claims=tuple(claims)
        )


def collect_claims(
    candidates: SourceCandidates,
    cross_counts: NDArray[np.int32],
    rows: NDArray[np.int64],
    pack: Pack,
    options: ResolvedConfig,
) -> Claims | None:
    """Return the claims of a source among its templates; None if it may claim nothing, as a source of HTML.

    Parameters
    ----------
    rows : int64 array
        Rows of `candidates` that are templates of `pack`.
    """
    shared = options.shared
    if shared is None or candidates.verdicts is None or candidates.html:
        return None
    sources = cross_counts[rows] + 1
    is_shared = sources >= shared.least
    templates: dict[tuple[str, ...] | None, list[Template]] = {}
    for template in pack.templates:
        if template.anchor and (template.filler != ANY or not template.slot):
            templates.setdefault(template.string, []).append(template)
    # A string may be several candidates, but claims each of its templates once.
    claims = {
        template.id: Claim(template=template, sources=source_count)
        for source_count, row in sorted(zip(sources[is_shared].tolist(), rows[is_shared].tolist(), strict=True))
        for template in templates.get(candidates.strings.readable(row, pack.patterns), ())
    }
    return Claims(
        source=candidates.source,
        documents=candidates.documents,
        dates=(candidates.first_date, candidates.last_date) if candidates.first_date and candidates.last_date else (),
        claims=tuple(claims.values()),
    )


@dataclass(slots=True)
class _Tally:
    """A template by its name and anchor: how many claim it; and of each kind of its slot, if it has one, how many and
    the template of the first of them by name, so that their order says nothing."""

    sources: int
    claims: int = 0
    df: int = 0
    count: int = 0
    kinds: dict[str, tuple[int, str, Template]] = field(default_factory=dict)

    def add(self, source: str, template: Template) -> None:
        self.claims += 1
        self.df += template.df
        self.count += template.count
        kind_claims, first_source, kind_template = self.kinds.get(template.filler, (0, source, template))
        if source < first_source:
            first_source, kind_template = source, template
        self.kinds[template.filler] = kind_claims + 1, first_source, kind_template

    @property
    def template(self) -> Template:
        """Return the template with the kind of slot that most sources claim, of several the narrowest."""
        kind = min(self.kinds, key=lambda kind: (-self.kinds[kind][0], _kind_width(kind)))
        return replace(self.kinds[kind][2], df=self.df, count=self.count)


def _kind_width(kind: str) -> int:
    """Return the width of a kind of slot: `KINDS` in their order, then numbers of characters."""
    return KINDS.index(kind) if kind in KINDS else len(KINDS) + kind_code(kind)


def build_shared_pack(claims: Iterable[Claims], options: ResolvedConfig) -> tuple[Pack | None, int, str]:
    """Return the pack of strings that enough sources claim, in whatever order they come.

    Returns
    -------
    pack : Pack or None
        Its `documents` are those of all sources, and so are `df` and `count` of its templates.
    documents : int
    note : str

    Raises
    ------
    CorpusError
        Fatal: a source has the name of the shared pack.
    """
    shared = options.shared or SharedConfig()
    tallies: dict[tuple[str, str], _Tally] = {}
    sources = documents = 0
    dates: list[str] = []
    for source_claims in claims:
        if source_claims.source == SHARED_PACK:
            raise CorpusError(
                f"expected no source of the name {SHARED_PACK!r}, which is that of the shared pack", fatal=True
            )
        sources += 1
        documents += source_claims.documents
        dates = [*sorted({*dates, *source_claims.dates})]
        dates = [dates[0], dates[-1]] if dates else []
        for claim in source_claims.claims:
            key = claim.template.id, claim.template.anchor
            tallies.setdefault(key, _Tally(claim.sources)).add(source_claims.source, claim.template)
    min_sources = max(shared.least, math.ceil(shared.share * sources))
    if sources < min_sources:
        return None, documents, f"{counted(sources, 'source')} of text with packs, at least {min_sources} are needed"
    rare = [tally for tally in tallies.values() if tally.claims < min_sources]
    disputed = [tally for tally in tallies.values() if min_sources <= tally.claims < shared.agree * tally.sources]
    agreed = [tally for tally in tallies.values() if tally.claims >= max(min_sources, shared.agree * tally.sources)]
    templates = sorted(
        (tally.template for tally in agreed),
        key=lambda template: (-template.df, -len(template.tokens or ()), template.tokens),
    )
    note = (
        f"{'' if templates else 'no string is '}boilerplate in at least {min_sources} of {sources} sources, and in "
        f"{shared.agree:.0%} of those that have it"
    )
    pack = Pack(
        source=SHARED_PACK,
        html=False,
        tokenise=options.tokenise,
        enabled=options.patterns.enabled,
        documents=documents,
        method="shared",
        cutoff=Cutoff(method="shared", df=None, share=None, energy=None, histogram=(), note=note),
        templates=tuple(_without_duplicates(templates)),
        first_date=dates[0] if dates else None,
        last_date=dates[-1] if dates else None,
        rejected={name: len(group) for name, group in sorted(((_TOO_FEW, rare), (_DISPUTED, disputed))) if group},
    )
    return pack, documents, note


def _without_duplicates(templates: Iterable[Template]) -> list[Template]:
    """Drop duplicates: a string that is a line in some sources and an edge in others counts as it is in most
    documents."""
    by_id: dict[str, Template] = {}
    for template in templates:
        by_id.setdefault(template.id, template)
    return list(by_id.values())
