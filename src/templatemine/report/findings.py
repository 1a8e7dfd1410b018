"""Measured packs -> what a reader should look at first: what goes, what is in doubt, and what cuts leave behind.

All of it is estimated: characters from the occurrences of a template and the size of its matches in some articles, the
risk from its score (`risk.story_probability`), residues from a sample of the articles that change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from templatemine.errors import counted
from templatemine.evaluation.residue import KINDS, Residue, find_residues
from templatemine.model import Span, Template
from templatemine.packs.families import group_families
from templatemine.packs.pack import Pack
from templatemine.report.measure import TemplateFigures
from templatemine.report.risk import Occurrences, is_scored, story_probability, sum_lengths
from templatemine.report.words import template_text
from templatemine.text.tears import is_tear, join_spans, tally_tears

if TYPE_CHECKING:
    from templatemine.report.view import Report, SourceView

__all__ = [
    "RESIDUE_KINDS",
    "CutResidues",
    "NotableTemplate",
    "SampledTexts",
    "add_example",
    "count_residues",
    "estimate_removed",
    "rank_templates",
    "select_notable",
    "select_tearing",
    "summarise",
]

SampledTexts = Sequence[tuple[str, Sequence[Span]]]
"""Texts of articles that change, and what is removed of them."""

RESIDUE_KINDS = {
    "begins torn": "what is left of a line begins with a small letter or a sign, which the line did not",
    "unbalanced": "a bracket or a quotation mark has lost the other one",
    "lone sign": "only signs are left of a line with words",
    "label": "a label has lost what it labelled",
    "open end": "a sentence has lost its end",
}
"""The kinds of `residue.KINDS`, in words."""
assert RESIDUE_KINDS.keys() == KINDS.keys()

MAX_MEASURED_TEXTS = 50
"""Articles in which the matches of templates with a slot are measured."""

CONTEXT = 90
"""Characters beside an example."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotableTemplate:
    """A template and its effect in the archive (without one, at mining).

    Attributes
    ----------
    number : int
        Index in the pack.
    variants : int
        Others in its family.
    documents, characters : int
        With it, and removed by it, those within other templates included.
    risk : float
        Characters of them expected to be story.
    cuts, tears : int
        Of its cuts that were looked at, how many tear a sentence (`text.tears`).
    before, match, after : str
        An example in its article; for one that was not found, `match` is that of the pack.
    """

    source: str
    number: int
    template: Template
    variants: int
    documents: int
    characters: int
    risk: float
    cuts: int = 0
    tears: int = 0
    before: str = ""
    match: str = ""
    after: str = ""

    @property
    def text(self) -> str:
        """The template as people read it."""
        return template_text(self.template)


@dataclass(frozen=True, slots=True, kw_only=True)
class CutResidues:
    """What cuts left behind in the articles `looked` at: how many have a residue, and of each kind how many there are,
    with one of them."""

    looked: int
    articles: int
    kinds: tuple[tuple[str, int, Residue], ...]


def estimate_removed(pack: Pack, seen: Sequence[TemplateFigures | None], looked: SampledTexts) -> list[int]:
    """Characters that each template removes: occurrences, times the size of its matches.

    The size of a template without a slot is that of its example.  Others are measured in some articles.
    """
    slotted = [place for place, one in enumerate(pack.templates) if one.slot or one.tokens is None]
    mean: dict[int, float] = {}
    if slotted and looked:
        occurrences = Occurrences(replace(pack, templates=tuple(pack.templates[place] for place in slotted)))
        found = sum_lengths([occurrences.find(text) for text, _ in looked[:MAX_MEASURED_TEXTS]], len(slotted))
        mean = {
            place: size / count
            for place, size, count in zip(slotted, *(one.tolist() for one in found), strict=True)
            if count
        }
    return [
        round((one.count if counted is None else counted.count) * mean.get(place, len(one.example)))
        for place, (one, counted) in enumerate(zip(pack.templates, seen, strict=True))
    ]


def select_notable(
    pack: Pack, seen: Sequence[TemplateFigures | None], characters: Sequence[int]
) -> list[NotableTemplate]:
    """A template of each family: the one at most risk, or where nothing is in doubt, the one that removes most."""
    added = set(pack.overrides.added)
    found = []
    for family in group_families(pack.templates):
        rows = []
        for place in family:
            one, counted = pack.templates[place], seen[place]
            documents = one.df if counted is None else counted.df
            risk = story_probability(one, by_hand=one.id in added) * characters[place]
            rows.append((risk, characters[place], -place, documents))
        risk, size, place, documents = max(rows)
        found.append(
            NotableTemplate(
                source=pack.source,
                number=-place,
                template=pack.templates[-place],
                variants=len(family) - 1,
                documents=documents,
                characters=size,
                risk=risk,
                match=pack.templates[-place].example,
            )
        )
    return found


def select_tearing(
    pack: Pack, seen: Sequence[TemplateFigures | None], characters: Sequence[int], looked: SampledTexts
) -> list[NotableTemplate]:
    """The templates whose cuts tear sentences."""
    counts = tally_tears((text, join_spans(spans)) for text, spans in looked)
    return [
        NotableTemplate(
            source=pack.source,
            number=place,
            template=one,
            variants=0,
            documents=one.df if figures is None else figures.df,
            characters=size,
            risk=story_probability(one) * size,
            cuts=counts[one.id].cuts,
            tears=counts[one.id].tears,
            match=one.example,
        )
        for place, (one, figures, size) in enumerate(zip(pack.templates, seen, characters, strict=True))
        if one.id in counts and counts[one.id].tears
    ]


def add_example(one: NotableTemplate, looked: SampledTexts) -> NotableTemplate:
    """The template with an example in its article, if it is in one of those: where fewest others are cut with it; of
    one that tears sentences, such a place."""
    places = ((text, cut) for text, spans in looked for cut in join_spans(spans) if one.template.id in cut[2])
    if one.tears:
        places = ((text, cut) for text, cut in places if is_tear(text, *cut[:2]))
    best = min(places, key=lambda place: len(place[1][2]), default=None)
    if best is None:
        return one
    text, (start, end, _) = best
    left, right = max(0, start - CONTEXT), min(len(text), end + CONTEXT)
    before, after = text[left:start], text[end:right]
    # Context ends with its paragraph, or between two words.
    before = before.rpartition("\n\n")[2] if "\n\n" in before or not left else f"… {before.partition(' ')[2]}"
    after = after.partition("\n\n")[0] if "\n\n" in after or right == len(text) else f"{after.rpartition(' ')[0]} …"
    return replace(one, before=before, match=text[start:end], after=after)


def count_residues(looked: SampledTexts) -> CutResidues:
    """Residues in articles (`evaluation.residue`)."""
    counts: Counter[str] = Counter()
    first: dict[str, Residue] = {}
    articles = 0
    for text, spans in looked:
        found = list(find_residues(text, spans))
        articles += bool(found)
        for one in found:
            counts[one.kind] += 1
            first.setdefault(one.kind, one)
    return CutResidues(
        looked=len(looked),
        articles=articles,
        kinds=tuple((kind, number, first[kind]) for kind, number in counts.most_common()),
    )


def summarise(report: Report) -> list[str]:
    """The report in a few sentences."""
    sources = report.sources
    templates = sum(len(one.pack.templates) for one in sources)
    if not templates and not report.pages:
        return ["No source has templates, and nothing is removed.", *_summarise_changes(report)]
    if not report.with_archive:
        told = f"{counted(len(sources), 'source')} with {counted(templates, 'template')}."
        return [
            told,
            *_summarise_changes(report),
            "Without an archive the report cannot say what they do to articles, nor what they leave behind.",
        ]
    found = [one.measured for one in sources if one.measured is not None]
    documents, changed = sum(one.documents for one in found), sum(one.changed for one in found)
    characters, cut = sum(one.characters for one in found), sum(one.cut for one in found)
    if not changed:
        why = "" if report.pages else ": no template occurs in the archive"
        return [f"None of the {counted(documents, 'document')} changes{why}.", *_summarise_changes(report)]
    said = [
        f"Cleaning changes {changed:,} of {counted(documents, 'document')} ({_share(changed, documents)}) and removes "
        f"{_share(cut, characters)} of their characters."
    ]
    tearing = [one for source in sources for one in source.tearing]
    if tearing:
        tears = sum(one.tears for one in tearing)
        said.append(f"{counted(tears, 'cut')} of those looked at {'tears' if tears == 1 else 'tear'} a sentence.")
    said += _summarise_risk(sources, cut)
    looked, torn = sum(one.left.looked for one in sources), sum(one.left.articles for one in sources)
    if looked:
        said.append(
            f"Of {looked:,} changed articles that were looked at, {torn:,} ({_share(torn, looked)}) have a line that a "
            "cut left incomplete."
        )
    return said + _summarise_changes(report)


def _summarise_changes(report: Report) -> list[str]:
    """What is different from the packs before, if there are any."""
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


def _summarise_risk(sources: Sequence[SourceView], cut: int) -> list[str]:
    sources = [one for one in sources if one.by_templates]
    scored = [one for one in sources if is_scored(one.pack)]
    said = []
    at_risk = sum(one.risk for one in scored)
    if at_risk:
        most = max(scored, key=lambda one: one.risk)
        where = f", {_share(most.risk, at_risk)} of that in {most.name}" if len(sources) > 1 else ""
        said.append(f"By the scores, {_share(at_risk, cut)} of what goes may be story{where}.")
    without = sum(bool(one.pack.templates) and not is_scored(one.pack) for one in sources)
    if without:
        said.append(
            f"{counted(without, 'pack')} {'has' if without == 1 else 'have'} no scores, so that nobody knows which of "
            "their templates are in doubt: look at those that remove most."
        )
    return said


def _share(part: float, whole: float) -> str:
    return f"{part / whole:.1%}" if whole else "0.0%"


def rank_templates(rows: Iterable[NotableTemplate], most: int, by_risk: bool) -> list[NotableTemplate]:
    """The first by risk (those without any are left out; those that tear sentences lead), or by characters removed."""
    if by_risk:
        ranked = sorted(rows, key=lambda one: (-one.tears, -one.risk, one.source, one.number))
        worst: dict[tuple[str, int], NotableTemplate] = {}
        for one in ranked:
            if one.tears or one.risk > 0:
                worst.setdefault((one.source, one.number), one)
        return list(worst.values())[:most]
    return sorted(rows, key=lambda one: (-one.characters, one.source, one.number))[:most]
