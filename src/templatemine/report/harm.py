"""(articles that change, their cuts, judged) -> what cuts leave behind, by template, in articles and in words.

All of it is seen, nothing is likely: a torn sentence, a label without its text, the rest of a block that other articles
share.  A wrong cut of a whole line leaves nothing; for that there are `doubts`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from templatemine.errors import counted
from templatemine.evaluation.residue import KINDS, TORN, Residue, describe_tear, find_line_residues
from templatemine.report.rests import SHARED, find_rests, find_shared
from templatemine.text.tears import JudgedCut

LEFT = {
    "label": "a label without what it labelled",
    SHARED: "the rest of a line or block that other articles share",
    "open end": "a sentence without its end",
    "begins torn": "a line without its beginning",
    "unbalanced": "one bracket or quotation mark of two",
    "lone sign": "signs without words",
}
"""What a cut leaves behind, by kind of its residue, the worst first."""
RESIDUE_KINDS = {TORN: "tears a sentence or a headline", **{kind: f"leaves {what}" for kind, what in LEFT.items()}}
"""What a cut does, by kind of its residue."""
assert RESIDUE_KINDS.keys() == {*KINDS, TORN, SHARED}

FEW_ARTICLES = 10
"""Of which a share says little: one incomplete article of two is not half of all."""

_EDGES = {"begins torn": slice(1), "label": slice(-1, None), "open end": slice(-1, None)}
"""Of the cuts in a line, those that can leave a residue of a kind: the first or the last."""


@dataclass(frozen=True, slots=True)
class Harm:
    """In how many articles with a cut of a template it leaves something behind, and in how many of each kind."""

    articles: int = 0
    harmed: int = 0
    kinds: tuple[tuple[str, int], ...] = ()

    @property
    def share(self) -> float:
        """Return the share of the articles."""
        return self.harmed / max(1, self.articles)

    def describe(self) -> str:
        """Say what it leaves behind, and in how many articles; empty if nothing.

        >>> Harm(340, 12, (("torn sentence", 11), ("label", 2))).describe()
        'tears a sentence or a headline in 11 of 340 articles, leaves a label without what it labelled in 2'
        """
        first = f" of {counted(self.articles, 'article')}"
        return ", ".join(
            f"{RESIDUE_KINDS[kind]} in {number:,}{'' if place else first}"
            for place, (kind, number) in enumerate(self.kinds)
        )


NO_HARM = Harm()


def rank_harm(harm: Harm, documents: int) -> float:
    """Return by what templates are ranked that leave something behind, the worst first: the documents in which they do,
    times the share that these are, which counts less of few articles.  One that rarely does is boilerplate, and to
    reject it does no good."""
    return -documents * (harm.harmed / (harm.articles + FEW_ARTICLES)) ** 2


@dataclass(frozen=True, slots=True, kw_only=True)
class CutResidues:
    """Residues of cuts in the articles `looked` at: how many have a residue, how many a torn sentence; how many one of
    each kind, with the first; of how many without a torn sentence; and the harm of each template that is to blame, by
    its id."""

    looked: int
    articles: int
    torn: int
    kinds: tuple[tuple[str, int, Residue], ...]
    untorn: Mapping[str, int]
    harm: Mapping[str, Harm]


Blamed = tuple[Residue, Sequence[str]]
"""A residue, and the templates that may be to blame."""


def find_cuts_of(residue: Residue, cuts: Sequence[JudgedCut[str]]) -> Sequence[JudgedCut[str]]:
    """Return the cuts in the place of a residue, of those of its article, which ascend."""
    first = bisect_right(cuts, residue.start, key=lambda cut: cut.end)
    return cuts[first : bisect_left(cuts, residue.end, first, key=lambda cut: cut.start)]


def find_all_blamed(articles: Sequence[tuple[str, Sequence[JudgedCut[str]]]]) -> list[list[Blamed]]:
    """Find the residues of the cuts of each article: its own, and then what others share."""
    shared = find_shared([find_rests(text, cuts) for text, cuts in articles])
    return [[*find_blamed(text, cuts), *some] for (text, cuts), some in zip(articles, shared, strict=True)]


def find_blamed(text: str, cuts: Sequence[JudgedCut[str]]) -> list[Blamed]:
    """Find the residues of the cuts of an article that it shows alone: torn sentences, and then those of its lines."""
    found: list[Blamed] = [
        (describe_tear(text, cut.start, cut.end), names) for cut in cuts for names in cut.torn.values()
    ]
    for residue in find_line_residues(text, cuts):
        some = find_cuts_of(residue, cuts)[_EDGES.get(residue.kind, slice(None))]
        # What a torn sentence leaves of its line is told with it.
        names = () if any(cut.torn for cut in some) else [name for cut in some for name in cut.names]
        found.append((residue, names))
    return found


def blame_templates(
    articles: Sequence[tuple[Sequence[JudgedCut[str]], Sequence[Blamed]]],
) -> list[list[tuple[Residue, str]]]:
    """Return the residues of each article with the template that is to blame, "" if none is.

    Of several templates in question it is the rarest, as in `text.tears.tally_judged`.
    """
    counts = Counter(name for some, _ in articles for cut in some for name in cut.names)
    return [
        [(residue, min(names, key=lambda one: (counts[one], one), default="")) for residue, names in found]
        for _, found in articles
    ]


def find_cut_of(residue: Residue, cuts: Sequence[JudgedCut[str]], name: str) -> JudgedCut[str]:
    """Return the cut by which a template leaves a residue, the first of several."""
    some = find_cuts_of(residue, cuts)
    return next(cut for cut in some[_EDGES.get(residue.kind, slice(None))] if name in cut.names)


def count_residues(articles: Sequence[tuple[Sequence[JudgedCut[str]], Sequence[Blamed]]]) -> CutResidues:
    """Count the articles with residues, and those of each template that is to blame (`blame_templates`).

    Parameters
    ----------
    articles : sequence of (cuts, residues)
        Of each article that changes, see `find_all_blamed`.
    """
    seen, harmed = Counter[str](), Counter[str]()
    by_kind, untorn, by_template = Counter[str](), Counter[str](), Counter[tuple[str, str]]()
    first: dict[str, Residue] = {}
    for (some, _), found in zip(articles, blame_templates(articles), strict=True):
        kinds = {residue.kind for residue, _ in found}
        blamed = {(name, residue.kind) for residue, name in found if name}
        for residue, _ in found:
            first.setdefault(residue.kind, residue)
        by_kind.update(kinds)
        untorn.update(set() if TORN in kinds else kinds)
        by_template.update(blamed)
        seen.update({name for cut in some for name in cut.names})
        harmed.update({name for name, _ in blamed})
        by_kind["any"] += bool(kinds)
    return CutResidues(
        looked=len(articles),
        articles=by_kind["any"],
        torn=by_kind[TORN],
        kinds=tuple((kind, by_kind[kind], first[kind]) for kind in RESIDUE_KINDS if by_kind[kind]),
        untorn=untorn,
        harm={
            name: Harm(
                seen[name],
                number,
                tuple((kind, by_template[name, kind]) for kind in RESIDUE_KINDS if by_template[name, kind]),
            )
            for name, number in harmed.items()
        },
    )
