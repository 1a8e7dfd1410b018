"""Measured packs -> the first page of a report: cuts, doubts, and residues.

All of it is estimated: characters from the occurrences of a template and the size of its matches in some articles, the
risk from its score (`risk.story_probability`), residues from a sample of the articles that change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from templatemine.evaluation.residue import KINDS, Residue, find_residues
from templatemine.model import Span, Template
from templatemine.packs.families import group_families
from templatemine.packs.pack import Pack
from templatemine.report.measure import TemplateFigures
from templatemine.report.risk import Occurrences, story_probability, sum_lengths
from templatemine.report.words import template_text
from templatemine.text.tears import join_spans, leaves_half, tally_tears

SampledTexts = Sequence[tuple[str, Sequence[Span]]]
"""Texts of articles that change, and their cuts."""

RESIDUE_KINDS = {
    "begins torn": "what is left begins with a small letter or a sign, which the line did not",
    "unbalanced": "a bracket or a quotation mark has lost the other one",
    "lone sign": "only signs are left, where there were words",
    "label": "a label has lost what it labelled",
    "open end": "what is left stops within a sentence, whose last words are gone",
}
"""The kinds of `residue.KINDS`, in words."""
assert RESIDUE_KINDS.keys() == KINDS.keys()

MAX_MEASURED_TEXTS = 50
"""Articles in which the matches of templates with a slot are measured."""

MIN_DOUBT = 0.15
"""Chance to be story from which on a template that tears nothing is in doubt, and among the risks."""

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
        Of its cuts that were looked at, how many tear a sentence or leave half of one (`text.tears`).
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
        """Return the template as people read it."""
        return template_text(self.template)

    @property
    def damage(self) -> float:
        """Return the characters that may be damage: those expected to be story, or those in cuts that tear sentences,
        whichever are more."""
        return max(self.risk, self.characters * self.tears / self.cuts if self.cuts else 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class CutResidues:
    """Residues of cuts in the articles `looked` at: how many have a residue, and of each kind how many there are,
    with one of them."""

    looked: int
    articles: int
    kinds: tuple[tuple[str, int, Residue], ...]


def estimate_removed(pack: Pack, seen: Sequence[TemplateFigures | None], looked: SampledTexts) -> list[int]:
    """Estimate the characters that each template removes: occurrences, times the size of its matches.

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
    """Return a template of each family: the one at most risk, or where nothing is in doubt, the one that removes
    most."""
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
    """Return the templates whose cuts tear sentences."""
    counts = tally_tears(looked, leaves_half)
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
    """Return the template with an example in its article, if it is in one of those: where fewest others are cut with
    it; of one that tears sentences, such a place."""
    places = ((text, cut) for text, spans in looked for cut in join_spans(text, spans) if one.template.id in cut[2])
    if one.tears:
        places = ((text, cut) for text, cut in places if leaves_half(text, *cut[:2]))
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
    """Count the residues in articles (`evaluation.residue`)."""
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


def rank_templates(rows: Iterable[NotableTemplate], most: int, by_risk: bool) -> list[NotableTemplate]:
    """Return the first by the damage that they may do (each once, and only those that tear sentences or are in doubt),
    or by characters removed."""
    if by_risk:
        ranked = sorted(rows, key=lambda one: (-one.damage, -one.tears, one.source, one.number))
        worst: dict[tuple[str, int], NotableTemplate] = {}
        for one in ranked:
            if one.tears or (one.risk and story_probability(one.template) >= MIN_DOUBT):
                worst.setdefault((one.source, one.number), one)
        return list(worst.values())[:most]
    return sorted(rows, key=lambda one: (-one.characters, one.source, one.number))[:most]
