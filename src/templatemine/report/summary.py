"""Say a report in a few sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from templatemine.errors import counted, list_notes
from templatemine.packs.readable import notes_without_templates, shorten
from templatemine.report.harm import LEFT
from templatemine.report.risk import is_scored
from templatemine.report.view import Report, SourceView

MEASURED_STORY = 0.008
"""Share of what goes that is story, of publishers whose labels the model has not seen: one less the precision of method
``learned`` on new articles (docs/research/loso.md)."""
MEASURED_LOSS = 0.0002
"""Content lost there: removed content / all content, as `evaluation.metrics.SpanScore.loss`."""
_MAX_NAMED = 80
"""Characters of a template in a sentence."""


def summarise(report: Report) -> list[str]:
    """Return the report in a few sentences: what cuts leave behind, and where most, before how much goes."""
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
    if not documents:
        return ["No document of the archive is of a source that has a pack, and of its kind (HTML or text).", *rest]
    if not changed:
        why = "" if report.pages else ": no template occurs in the archive"
        return [f"None of the {counted(documents, 'document')} changes{why}.", *rest]
    removed = (
        f"Cleaning changes {changed:,} of {counted(documents, 'document')} ({_share(changed, documents)}) and removes "
        f"{_share(cut, characters)} of their characters."
    )
    return [*filter(None, (summarise_harm(report), _name_worst(report), removed)), *_summarise_unscored(sources), *rest]


def summarise_harm(report: Report) -> str:
    """Say in how many of the articles that were looked at cuts tear a sentence, or leave something else behind; empty
    if none was looked at."""
    found = [one.left for one in report.sources]
    looked, torn = sum(one.looked for one in found), sum(one.torn for one in found)
    others = sum(one.articles for one in found) - torn
    if not looked:
        return ""
    articles = f"{counted(looked, 'changed article')} that {'was' if looked == 1 else 'were'} looked at"
    if not torn and not others:
        return f"In {articles}, no cut tears a sentence or leaves anything else that is counted."
    kinds = Counter[str]()
    for one in found:
        kinds.update(one.untorn)
    mostly = f", mostly {LEFT[kinds.most_common(1)[0][0]]}" if others else ""
    if not torn:
        rest = f"{others:,} ({_share(others, looked)}) of {articles}{mostly}"
        return f"Cuts tear no sentence; they leave something else behind in {rest}."
    rest = f"something else behind in {others:,} more ({_share(others, looked)}){mostly}" if others else "nothing else"
    return f"Cuts tear a sentence or a headline in {torn:,} ({_share(torn, looked)}) of {articles}, and leave {rest}."


def _name_worst(report: Report) -> str:
    """Name the source with most such articles, and the worst template; empty if there are none."""
    worst = max(report.sources, key=lambda one: (one.harmed_articles, one.story), default=None)
    if worst is None or not worst.left.articles:
        return ""
    told = []
    if len(report.sources) > 1:
        looked = f"{worst.left.articles:,} of {worst.left.looked:,} that were looked at"
        told.append(f"Most are in {worst.name}, some {worst.harmed_articles:,.0f} ({looked})")
    for one in report.harmful[:1]:
        whose = f"{'the' if told else 'The'} worst template"
        of = f" of {one.source}" if len(report.sources) > 1 else ""
        told.append(f"{whose}, “{shorten(one.text, _MAX_NAMED)}”{of}, {one.harm.describe()}")
    return f"{'; '.join(told)}." if told else ""


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


def summarise_doubt(report: Report) -> str:
    """Say how much story may go without a trace, by the scores; empty if no pack has any."""
    scored = [one for one in report.sources if one.by_templates and is_scored(one.pack)]
    story = sum(one.story for one in scored)
    cut = sum(one.measured.cut for one in report.sources if one.measured is not None)
    if not story or not cut:
        return ""
    # No source is named: the sum is the greatest where most goes, however plain that is.
    return (
        f"Of what went from articles of publishers that the scores of templates did not know, {MEASURED_STORY:.1%} "
        f"was story; {MEASURED_LOSS:.2%} of all their story was lost. Here nobody has counted: the scores, which "
        f"are cautious, leave room for {_share(story, cut)} at most."
    )


def _summarise_unscored(sources: Sequence[SourceView]) -> list[str]:
    without = sum(one.by_templates and bool(one.pack.templates) and not is_scored(one.pack) for one in sources)
    if not without:
        return []
    return [
        f"{counted(without, 'pack')} {'has' if without == 1 else 'have'} no scores, so that nobody knows which of "
        "their templates are in doubt: look at those that remove most."
    ]


def _share(part: float, whole: float) -> str:
    return f"{part / whole:.1%}" if whole else "0.0%"
