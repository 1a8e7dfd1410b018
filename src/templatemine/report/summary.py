"""Say a report in a few sentences."""

from __future__ import annotations

from collections.abc import Sequence

from templatemine.errors import counted, list_notes
from templatemine.evaluation.residue import TORN
from templatemine.packs.readable import notes_without_templates
from templatemine.report.risk import is_scored
from templatemine.report.view import Report, SourceView

MEASURED_STORY = 0.009
"""Share of what goes that is story, of publishers whose labels the model has not seen: one less the precision of method
``learned`` on new articles (docs/research/loso.md)."""
MEASURED_LOSS = 0.0003
"""Content lost there: removed content / all content, as `evaluation.metrics.SpanScore.loss`."""


def summarise(report: Report) -> list[str]:
    """Return the report in a few sentences."""
    sources = report.sources
    templates = sum(len(one.pack.templates) for one in sources)
    rest = [*_summarise_empty(sources), *_summarise_changes(report)]
    if not templates and not report.pages:
        return ["No source has templates, and nothing is removed.", *rest]
    if not report.with_archive:
        told = f"{counted(len(sources), 'source')} with {counted(templates, 'template')}."
        return [
            told,
            *rest,
            "Without an archive the report cannot say what they do to articles, nor what they leave behind.",
        ]
    found = [one.measured for one in sources if one.measured is not None]
    documents, changed = sum(one.documents for one in found), sum(one.changed for one in found)
    characters, cut = sum(one.characters for one in found), sum(one.cut for one in found)
    if not changed:
        why = "" if report.pages else ": no template occurs in the archive"
        return [f"None of the {counted(documents, 'document')} changes{why}.", *rest]
    said = [
        f"Cleaning changes {changed:,} of {counted(documents, 'document')} ({_share(changed, documents)}) and removes "
        f"{_share(cut, characters)} of their characters."
    ]
    if damage := summarise_damage(report):
        said.append(damage)
    return [*said, *_summarise_scores(sources, cut), *rest]


def summarise_damage(report: Report) -> str:
    """Say how many of the articles that were looked at have a torn sentence or another trace of a cut; empty if none
    was."""
    found = [one.left for one in report.sources]
    looked, torn = sum(one.looked for one in found), sum(one.torn for one in found)
    if not looked:
        return ""
    tears = sum(number for one in found for kind, number, _ in one.kinds if kind == TORN)
    first = f"{torn:,} ({_share(torn, looked)}) have" if torn else "none has"
    by_cuts = f" (by {counted(tears, 'cut')})" if torn else ""
    rest = sum(one.articles for one in found) - torn
    more = f"{rest:,} {'more ' if torn else ''}({_share(rest, looked)})"
    others = f"in {more} a cut left a line incomplete in another way" if rest else "no other line is incomplete"
    return (
        f"Of {counted(looked, 'changed article')} that {'was' if looked == 1 else 'were'} looked at, {first} a torn "
        f"sentence or headline{by_cuts}; {others}."
    )


def _summarise_empty(sources: Sequence[SourceView]) -> list[str]:
    """Say which sources have no templates, and why, if there are any."""
    notes = notes_without_templates(one.pack for one in sources)
    return [f"{counted(len(notes), 'source')} without templates: {list_notes(notes)}."] if notes else []


def _summarise_changes(report: Report) -> list[str]:
    """Summarise the differences from the packs before, if there are any."""
    if report.changes is None:
        return []
    if not report.changes:
        return ["The packs before have the same templates."]
    kinds = {"added": 0, "removed": 0, "changed": 0}
    for one in report.changes:
        for kind in kinds:
            kinds[kind] += len(getattr(one.changes, kind))
    told = (
        f"Since the packs before, templates were {', '.join(f'{kind}: {number:,}' for kind, number in kinds.items())}"
    )
    cuts = [one.cuts for one in report.changes if one.cuts is not None]
    size = sum(one.characters for one in cuts)
    if not size:
        return [f"{told}."]
    old, new = sum(one.old_cut for one in cuts), sum(one.new_cut for one in cuts)
    return [f"{told}; of the sources that differ {_share(old, size)} of the characters went, now {_share(new, size)}."]


def _summarise_scores(sources: Sequence[SourceView], cut: int) -> list[str]:
    sources = [one for one in sources if one.by_templates]
    scored = [one for one in sources if is_scored(one.pack)]
    said = []
    story = sum(one.story for one in scored)
    if story:
        # No source is named: the sum is the greatest where most goes, however plain that is.
        said.append(
            f"Of what went from articles of publishers that the scores of templates did not know, {MEASURED_STORY:.1%} "
            f"was story; {MEASURED_LOSS:.2%} of all their story was lost. Here nobody has counted: the scores, which "
            f"are cautious, leave room for {_share(story, cut)} at most."
        )
    without = sum(bool(one.pack.templates) and not is_scored(one.pack) for one in sources)
    if without:
        said.append(
            f"{counted(without, 'pack')} {'has' if without == 1 else 'have'} no scores, so that nobody knows which of "
            "their templates are in doubt: look at those that remove most."
        )
    return said


def _share(part: float, whole: float) -> str:
    return f"{part / whole:.1%}" if whole else "0.0%"
