"""Measured packs -> the first page of a report: what cuts leave behind, what is in doubt, and what goes.

All of it is estimated: characters from the occurrences of a template and the size of its matches in some articles, the
chance that it is story from its score (`risk.story_probability`) and what its matches are like (`doubts`), residues
from a sample of the articles that change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from templatemine.evaluation.residue import find_line_residues
from templatemine.model import Template
from templatemine.packs.families import group_families
from templatemine.packs.pack import Pack
from templatemine.packs.readable import template_text
from templatemine.report.doubts import (
    MIN_DOUBT,
    Matches,
    SampledTexts,
    Signs,
    describe_doubt,
    find_signs,
    measure_damage,
)
from templatemine.report.harm import NO_HARM, Harm, find_cuts_of, rank_harm
from templatemine.report.measure import TemplateFigures
from templatemine.report.rests import SHARED, find_rests, find_shared
from templatemine.report.risk import Occurrences, story_probability
from templatemine.text.tears import JudgedCut, SentenceEnds, judge_cuts

MAX_OF_SOURCE = 2
"""Templates of a source that go before those of others."""

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
    story : float
        Characters of them expected to be story, by the score alone.
    doubt : float
        Chance that it is story, by score and signs (`doubts`).
    signs : tuple of str
        What speaks for that, in words.
    harm : Harm
        What its cuts left behind in the articles that were looked at.
    before, match, after : str
        An example in its article; for one that was not found, `match` is that of the pack.
    beside : int
        Other templates that match within the same cut.
    """

    source: str
    number: int
    template: Template
    variants: int
    documents: int
    characters: int
    story: float
    doubt: float = 0.0
    signs: tuple[str, ...] = ()
    harm: Harm = NO_HARM
    before: str = ""
    match: str = ""
    after: str = ""
    beside: int = 0

    @property
    def text(self) -> str:
        """Return the template as people read it."""
        return template_text(self.template)

    @property
    def rejection(self) -> tuple[str, ...]:
        """Return the words, behind the packs, of the command that rejects it."""
        only = (f"--only={self.source}",) if self.source.startswith("-") else ("--only", self.source)
        return *only, "--reject", self.template.id

    @property
    def damage(self) -> float:
        """Return by what templates are ranked (`doubts.measure_damage`)."""
        return float(measure_damage(self.doubt, self.harm.share, self.characters))

    @property
    def told(self) -> tuple[str, ...]:
        """Return in sentences what its cuts leave behind, and why it may be story."""
        return describe_doubt(Signs(self.doubt, self.signs), self.harm)


def estimate_removed(pack: Pack, seen: Sequence[TemplateFigures | None], matches: Mapping[int, Matches]) -> list[int]:
    """Estimate the characters that each template removes: occurrences, times the size of its matches.

    The size of a template without a slot is that of its example; of others, what `doubts.match_templates` found.
    """
    return [
        round(
            (one.count if counted is None else counted.count)
            * (matches[place].size if place in matches else len(one.example))
        )
        for place, (one, counted) in enumerate(zip(pack.templates, seen, strict=True))
    ]


def describe_templates(
    pack: Pack,
    seen: Sequence[TemplateFigures | None],
    characters: Sequence[int],
    matches: Mapping[int, Matches],
) -> list[NotableTemplate]:
    """Return the templates of a pack with what is known of them, in its order."""
    added = set(pack.overrides.added)
    found = []
    for number, (one, figures, size) in enumerate(zip(pack.templates, seen, characters, strict=True)):
        df, by_hand = one.df if figures is None else figures.df, one.id in added
        # Few documents are a sign at mining; of new articles few are read.
        signs = find_signs(one, one.df, pack.documents, matches.get(number), by_hand=by_hand)
        found.append(
            NotableTemplate(
                source=pack.source,
                number=number,
                template=one,
                variants=0,
                documents=df,
                characters=size,
                story=story_probability(one, by_hand=by_hand) * size,
                doubt=signs.chance,
                signs=signs.words,
                match=one.example,
            )
        )
    return found


def select_notable(templates: Sequence[NotableTemplate]) -> list[NotableTemplate]:
    """Return a template of each family, of the templates of a pack in its order: the one that may do most damage, with
    the most story of all."""
    found = []
    for family in group_families([one.template for one in templates]):
        rows = [templates[place] for place in family]
        worst = max(rows, key=lambda one: (one.damage, one.characters, -one.number, one.documents))
        found.append(replace(worst, variants=len(family) - 1, story=max(one.story for one in rows)))
    return found


def select_largest(templates: Sequence[NotableTemplate]) -> list[NotableTemplate]:
    """Return a template of each family, of the templates of a pack in its order: the one that removes most."""
    found = []
    for family in group_families([one.template for one in templates]):
        largest = max((templates[place] for place in family), key=lambda one: (one.characters, -one.number))
        found.append(replace(largest, variants=len(family) - 1))
    return found


JudgedTexts = Sequence[tuple[str, Sequence[JudgedCut[str]]]]
"""Texts of articles that change, and their cuts, judged."""


def judge_texts(pack: Pack, looked: SampledTexts) -> JudgedTexts:
    """Judge the cuts of some articles: none of pages tears a sentence, for their main text is not cut by lines."""
    is_torn = (lambda *_: False) if pack.html else _find_ends(looked).leaves_part
    find = Occurrences(pack).find_ids
    return [(text, judge_cuts(text, spans, is_torn, find)) for text, spans in looked]


def add_harm(templates: Sequence[NotableTemplate], harm: Mapping[str, Harm]) -> list[NotableTemplate]:
    """Return the templates with what their cuts leave behind, by their ids."""
    return [replace(one, harm=harm.get(one.template.id, one.harm)) for one in templates]


def add_example(one: NotableTemplate, judged: JudgedTexts, *, unusual: bool = False) -> NotableTemplate:
    """Return the template with an example in its article, if it is in one of those: where fewest others are cut with
    it; of one that leaves something behind, such a place; of these, if it is to be `unusual`, the cut that shares
    fewest words with the others: what a slot takes wrongly is mostly another kind of text."""
    name = one.template.id
    places = _find_harmed(one, judged) if one.harm.harmed else []
    places = places or [(text, cut) for text, cuts in judged for cut in cuts if name in cut.names]
    if not places:
        return one
    fewest = min(len(cut.names) for _, cut in places)
    places = [(text, cut) for text, cut in places if len(cut.names) == fewest]
    chosen = _least_usual([text[cut.start : cut.end] for text, cut in places]) if unusual else 0
    text, (start, end, names, _) = places[chosen]
    left, right = max(0, start - CONTEXT), min(len(text), end + CONTEXT)
    before, after = text[left:start], text[end:right]
    # Context ends with its paragraph, or between two words.
    before = before.rpartition("\n\n")[2] if "\n\n" in before or not left else f"… {before.partition(' ')[2]}"
    after = after.partition("\n\n")[0] if "\n\n" in after or right == len(text) else f"{after.rpartition(' ')[0]} …"
    return replace(one, before=before, match=text[start:end], after=after, beside=len(set(names)) - 1)


def _find_harmed(one: NotableTemplate, judged: JudgedTexts) -> list[tuple[str, JudgedCut[str]]]:
    """Find the cuts of a template that tear; if none does, those that leave something else behind."""
    name = one.template.id
    torn = [(text, cut) for text, cuts in judged for cut in cuts if any(name in some for some in cut.torn.values())]
    if torn:
        return torn
    found = [[*find_line_residues(*pair)] if any(name in cut.names for cut in pair[1]) else [] for pair in judged]
    if SHARED in dict(one.harm.kinds):
        shared = find_shared([find_rests(*pair) for pair in judged])
        found = [[*own, *(residue for residue, _ in some)] for own, some in zip(found, shared, strict=True)]
    return [
        (text, cut)
        for (text, cuts), residues in zip(judged, found, strict=True)
        for residue in residues
        for cut in find_cuts_of(residue, cuts)
        if name in cut.names
    ]


def _find_ends(looked: SampledTexts) -> SentenceEnds:
    return SentenceEnds([text for text, _ in looked])


def _least_usual(passages: Sequence[str]) -> int:
    """Return the place of the passage whose words are in fewest of them, on average; of several the first."""
    words = [{*passage.split()} for passage in passages]
    counts = Counter(chain.from_iterable(words))
    shared = [sum(counts[word] for word in some) / max(1, len(some)) for some in words]
    return shared.index(min(shared))


def select_passages(
    ranked: Iterable[NotableTemplate], most: int, above: Sequence[NotableTemplate]
) -> list[NotableTemplate]:
    """Return the first templates whose examples are different passages, also from those that are shown `above`: what
    several templates cut together is told once."""
    shown = [(one.source, " ".join(one.match.split())) for one in above]
    chosen: list[NotableTemplate] = []
    for one in ranked:
        passage = " ".join(one.match.split())
        if not any(source == one.source and _is_mostly(passage, other) for source, other in shown):
            shown.append((one.source, passage))
            chosen.append(one)
            if len(chosen) >= most:
                break
    return chosen


def _is_mostly(passage: str, other: str) -> bool:
    """Return whether a passage is within another one, or mostly is that."""
    return passage in other or (other in passage and 2 * len(other) > len(passage))


def harm_rank(one: NotableTemplate) -> tuple[float, str, int]:
    """Return by what templates are ranked that leave something behind, the worst first (`harm.rank_harm`)."""
    return rank_harm(one.harm, one.documents), one.source, one.number


def rank_harmful(rows: Iterable[NotableTemplate]) -> list[NotableTemplate]:
    """Return those whose cuts leave something behind, the worst first, of a source two before the others have two."""
    return _share_out(sorted((one for one in rows if one.harm.harmed), key=harm_rank))


def rank_risky(rows: Iterable[NotableTemplate], most: int) -> list[NotableTemplate]:
    """Return the first of those in doubt by the damage that they may do, of a source two before the others have two."""
    doubtful = (one for one in rows if one.characters and one.doubt >= MIN_DOUBT)
    return _share_out(sorted(doubtful, key=lambda one: (-one.damage, one.source, one.number)))[:most]


def _share_out(ranked: Iterable[NotableTemplate]) -> list[NotableTemplate]:
    # One source must not hide the others: its third comes after their first two.
    before: Counter[str] = Counter()
    found = []
    for one in ranked:
        found.append((before[one.source] >= MAX_OF_SOURCE, one))
        before[one.source] += 1
    return [one for _, one in sorted(found, key=lambda pair: pair[0])]


def rank_largest(rows: Iterable[NotableTemplate]) -> list[NotableTemplate]:
    """Return the templates by the characters that they remove."""
    return sorted(rows, key=lambda one: (-one.characters, one.source, one.number))
