"""(old pack, pack of the window) -> templates of the old pack that stay, for the window is too small to speak of them.

A window holds the newest few hundred documents, and a template that is in one of a hundred may be in none of them.  So
what the old pack has and mining the window did not give is judged by what is known of it (`Known`):

- The window has it, but only where templates of the new pack cut anyway: it goes.
- The window has it, and holds as many documents as it was learnt from: mining has judged it anew, and it goes.
- The window has none of it: it goes once that is evidence.  By the test of `cleaning.drift`, so many documents in a row
  without it must be so much likelier if it comes four times less often than it did; and after a year it goes anyway.
- Else it stays, with its counts in proportion to the documents of the new pack.

Rules that people gave are no part of this: they are applied afterwards, as ever.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from templatemine.archive.window import DatedDocument, day_after
from templatemine.cleaning.cleaner import Cleaner
from templatemine.cleaning.drift import DriftConfig, absence
from templatemine.config import CleanConfig
from templatemine.model import Template
from templatemine.packs.overrides import Overrides
from templatemine.packs.pack import Pack, mark_of

__all__ = ["Known", "carry"]

DAYS = 365
"""Days without a document that has it, after which a template goes whatever its rate was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of a template that the window did not give.

    Attributes
    ----------
    df, documents : int
        Documents that had it, of how many, when it was mined last.
    absent : int
        Documents in a row that did not have it.
    seen : str
        The day of the last document known to have it; of a template that was mined, the last day of its pack.
    """

    df: int
    documents: int
    absent: int
    seen: str

    def as_dict(self) -> dict[str, Any]:
        """As the file of a window has it."""
        return asdict(self)


def carry(
    old: Pack, new: Pack, known: Mapping[str, Known], window: Sequence[DatedDocument], fresh: int
) -> tuple[Pack, dict[str, Known]]:
    """The new pack with the templates of the old one that stay.

    Parameters
    ----------
    old, new : Pack
        What mining gave; rules of the old one are left out, those of the new one not yet applied.
    known : mapping
        `packs.pack.mark_of` a template -> what the last update knew of it.
    window : sequence of DatedDocument
        What `new` was mined from, by day.
    fresh : int
        Documents of the window that came with this update.

    Returns
    -------
    Pack
    dict
        As `known`, of the templates that stay.
    """
    # The same string in another place of its line, or with another kind of filler, was judged anew; a pack has it once.
    ids = {one.id for one in new.templates}
    mined = None if old.mined is None else set(old.mined)
    missing = [
        one
        for one in old.templates
        if one.tokens is not None and one.id not in ids and (mined is None or mark_of(one) in mined)
    ]
    if not missing or not window:
        return new, {}
    hits, last, bare = _found(replace(old, templates=tuple(missing), overrides=Overrides()), new, window)
    kept: dict[str, Known] = {}
    stay: list[Template] = []
    for one in missing:
        mark = mark_of(one)
        was = known.get(mark) or Known(df=one.df, documents=old.documents, absent=0, seen=old.last_date or "")
        absent = 0 if hits[one.id] else max(len(window), was.absent + fresh)
        now = replace(was, absent=absent, seen=last.get(one.id, was.seen))
        if not _stays(now, hits[one.id], bare[one.id], len(window), window[-1].day, len(old.templates)):
            continue
        kept[mark] = now
        share = new.documents / max(1, was.documents)
        df = max(1, min(new.documents, round(was.df * share)))
        stay.append(replace(one, df=df, count=max(df, round(one.count * share))))
    if not stay:
        return new, {}
    marks = None if new.mined is None else (*new.mined, *kept)
    templates = sorted((*new.templates, *stay), key=lambda one: (-one.df, -one.count, one.id))
    return replace(new, templates=tuple(templates), mined=marks), kept


def _stays(now: Known, hits: int, bare: int, window: int, day: str, watched: int) -> bool:
    if hits:
        return bare > 0 and window < now.documents
    if now.seen and day_after(now.seen, DAYS) < day:
        return False
    config = DriftConfig()
    return absence(now.df, now.documents, now.absent, config.ratio) < math.log(2 * watched * config.documents)


def _found(
    missing: Pack, new: Pack, window: Sequence[DatedDocument]
) -> tuple[Counter[str], dict[str, str], Counter[str]]:
    """Documents that have each template, the day of the last one, and those where the new pack leaves it."""
    config = CleanConfig(gap=0)
    apart, covers = Cleaner(missing, config), Cleaner(new, config)
    hits: Counter[str] = Counter()
    bare: Counter[str] = Counter()
    last: dict[str, str] = {}
    for one in window:
        body = one.document.body
        spans = apart.spans(body)
        if not spans:
            continue
        cut = covers.spans(body)
        found = {name for span in spans for name in span.templates}
        hits.update(found)
        last.update(dict.fromkeys(found, one.day))
        open_ = [
            span for span in spans if not any(other.start <= span.start and span.end <= other.end for other in cut)
        ]
        bare.update({name for span in open_ for name in span.templates})
    return hits, last, bare
