"""(old pack, pack of the window) -> templates of the old pack that stay, for the window is too small to speak of them.

A window holds the newest few hundred documents, and a template that is in one of a hundred may be in none of them.  So
what the old pack has and mining the window did not give is judged by its record (`CarriedTemplate`):

- The window has it, but only where templates of the new pack cut anyway: it goes.
- The window has it, and holds as many documents as it was learnt from: mining has judged it anew, and it goes.  How
  many documents have it where nothing is cut any more is told.
- The window has none of it: it goes once that is evidence.  By the test of `cleaning.drift`, so many documents in a row
  without it must be so much likelier if it comes four times less often than it did; and after a year it goes anyway.
- One document alone had it: it goes.  Such are headlines behind a label (`mining.stranded`), which are of their day.
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
from templatemine.cleaning.drift import DriftConfig, absence_score
from templatemine.config import CleanConfig
from templatemine.kinds import CUT_ALL
from templatemine.model import Template
from templatemine.packs.overrides import Overrides
from templatemine.packs.pack import Pack
from templatemine.packs.pack_record import mined_entry, mined_mark, split_entry

MAX_ABSENT_DAYS = 365
"""Days without a document that has it, after which a template goes whatever its rate was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CarriedTemplate:
    """A template that the window did not give.

    Attributes
    ----------
    df, documents : int
        Documents that had it, of how many, when it was mined last.
    absent : int
        Documents in a row that did not have it.
    seen : str
        The day of the last document that had it; of a template that was mined, the last day of its pack.
    """

    df: int
    documents: int
    absent: int
    seen: str

    def as_dict(self) -> dict[str, Any]:
        """Return the record as plain values, for JSON."""
        return asdict(self)


def carry(
    old: Pack, new: Pack, records: Mapping[str, CarriedTemplate], window: Sequence[DatedDocument], new_documents: int
) -> tuple[Pack, dict[str, CarriedTemplate], dict[str, int]]:
    """Return the new pack with the templates of the old one that stay.

    Parameters
    ----------
    old, new : Pack
        What mining gave; rules of the old one are left out, those of the new one not yet applied.
    records : mapping
        Mark of a template (`packs.pack_record.mined_mark`) -> its record of the last update.
    window : sequence of DatedDocument
        What `new` was mined from, by day.
    new_documents : int
        Documents of the window that came with this update.

    Returns
    -------
    Pack
    dict
        As `records`, of the templates that stay.
    dict
        Id of a template that goes -> documents of the window that have it where the new pack cuts nothing.
    """
    # The same string in another place of its line, or with another kind of filler, was judged anew; a pack has it once.
    ids = {template.id for template in new.templates}
    mined = None if old.mined is None else dict(map(split_entry, old.mined))
    missing = [
        template if mined is None else replace(template, kind=mined[mined_mark(template)])
        for template in old.templates
        if template.tokens is not None and template.id not in ids and (mined is None or mined_mark(template) in mined)
    ]
    if not missing or not window:
        return new, {}, {}
    last_known = [
        records.get(mined_mark(template))
        or CarriedTemplate(df=template.df, documents=old.documents, absent=0, seen=old.last_date or "")
        for template in missing
    ]
    some = [(template, before) for template, before in zip(missing, last_known, strict=True) if before.df > 1]
    hit_counts, last_days, uncovered = _count_hits(
        replace(old, templates=tuple(template for template, _ in some), overrides=Overrides()), new, window
    )
    kept_records: dict[str, CarriedTemplate] = {}
    kept_templates: list[Template] = []
    left: dict[str, int] = {}
    for template, before in some:
        mark = mined_mark(template)
        absent = 0 if hit_counts[template.id] else max(len(window), before.absent + new_documents)
        updated = replace(before, absent=absent, seen=last_days.get(template.id, before.seen))
        if not _should_keep(
            updated, hit_counts[template.id], uncovered[template.id], len(window), window[-1].day, len(old.templates)
        ):
            if uncovered[template.id]:
                left[template.id] = uncovered[template.id]
            continue
        kept_records[mark] = updated
        share = new.documents / max(1, before.documents)
        df = max(1, min(new.documents, round(before.df * share)))
        kept_templates.append(replace(template, df=df, count=max(df, round(template.count * share))))
    if not kept_templates:
        return new, {}, left
    marks = None if new.mined is None else (*new.mined, *map(mined_entry, kept_templates))
    templates = sorted(
        (*new.templates, *kept_templates), key=lambda template: (-template.df, -template.count, template.id)
    )
    return replace(new, templates=tuple(templates), mined=marks), kept_records, left


def _should_keep(
    record: CarriedTemplate, hits: int, uncovered: int, window: int, day: str, template_count: int
) -> bool:
    if hits:
        return uncovered > 0 and window < record.documents
    if record.seen and day_after(record.seen, MAX_ABSENT_DAYS) < day:
        return False
    config = DriftConfig()
    return absence_score(record.df, record.documents, record.absent, config.ratio) < math.log(
        2 * template_count * config.documents
    )


def _count_hits(
    missing: Pack, new: Pack, window: Sequence[DatedDocument]
) -> tuple[Counter[str], dict[str, str], Counter[str]]:
    """Count the documents that have each template, the day of the last one, and those where the new pack leaves it."""
    config = CleanConfig(gap=0, choice=CUT_ALL)
    missing_cleaner, new_cleaner = Cleaner(missing, config), Cleaner(new, config)
    hits: Counter[str] = Counter()
    uncovered: Counter[str] = Counter()
    last_days: dict[str, str] = {}
    for dated in window:
        body = dated.document.body
        spans = missing_cleaner.spans(body)
        if not spans:
            continue
        new_spans = new_cleaner.spans(body)
        ids = {template_id for span in spans for template_id in span.templates}
        hits.update(ids)
        last_days.update(dict.fromkeys(ids, dated.day))
        uncovered_spans = [
            span
            for span in spans
            if not any(new_span.start <= span.start and span.end <= new_span.end for new_span in new_spans)
        ]
        uncovered.update({template_id for span in uncovered_spans for template_id in span.templates})
    return hits, last_days, uncovered
