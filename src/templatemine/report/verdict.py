"""Report -> its first sentence: whether the packs are within the limits of `clean --check`, by which figures, and what
to do first.

The figures are those of the check: torn sentences of all articles, rests of the articles that both look at.  A story
that loses whole lines shows nothing, so that a report is within the limits, and never right.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from templatemine.errors import counted, list_names
from templatemine.packs.readable import shorten
from templatemine.report.findings import harm_rank
from templatemine.report.limits import MAX_LOST, MAX_RESTS, MAX_STUBS, MAX_TORN, format_share, is_over
from templatemine.report.rests import SHARED

if TYPE_CHECKING:
    from templatemine.report.findings import NotableTemplate
    from templatemine.report.view import Report, SourceView

TORN, RESTS, UNCUT, STUBS, LOST = MEASURES = (
    "torn sentences",
    "rests that articles share",
    "long strings that articles still share",
    "stubs",
    "characters removed",
)
"""What is measured, in the order of the table."""
_MAX_NAMED = 80
"""Characters of a template in a sentence."""


class Measured(NamedTuple):
    """A figure of a source, and its limit: what is found, in how many of how many of which.

    >>> one = Measured("a", TORN, 12, 200, "changed article", 0.05)
    >>> one.is_over, one.told
    (True, '6.0% of 200 changed articles')
    """

    source: str
    what: str
    number: int
    of: int
    which: str
    most: float

    @property
    def share(self) -> float:
        """Return the share that is found."""
        return self.number / max(1, self.of)

    @property
    def is_over(self) -> bool:
        """Return whether that is more than the limit allows."""
        return is_over(self.number, self.share, self.most)

    @property
    def told(self) -> str:
        """Say what is found."""
        return f"{format_share(self.share, self.most)} of {counted(self.of, self.which)}"


class Row(NamedTuple):
    """A row of the table: what is measured, the source with the greatest share, how many are over the limit, and of how
    many it is known."""

    worst: Measured
    over: int
    sources: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a report says first.

    Attributes
    ----------
    is_within : bool or None
        None where nothing was measured.
    said : str
        The verdict, a sentence.
    rows : tuple of Row
        The figures behind it.
    first : str
        What to do first, a sentence that ends in a colon if a command follows.
    template : NotableTemplate or None
        The one to begin with, if that is a template.
    """

    is_within: bool | None
    said: str
    rows: tuple[Row, ...]
    first: str
    template: NotableTemplate | None = None


def measure_source(source: SourceView) -> list[Measured]:
    """Return the figures of a source that have limits; pages have fewer, for they are not cut by lines."""
    found, left = source.measured, source.left
    if found is None:
        return []
    uncut = source.uncut
    shared = next((number for kind, number, _ in left.kinds if kind == SHARED), 0)
    measures = [
        Measured(source.name, TORN, found.torn, 0 if source.pack.html else found.changed, "changed article", MAX_TORN),
        Measured(source.name, RESTS, shared, left.looked, "changed article", MAX_RESTS),
        Measured(source.name, UNCUT, uncut.articles, uncut.looked, "article", MAX_RESTS),
        Measured(source.name, STUBS, found.stubs, found.documents, "document", MAX_STUBS),
        Measured(source.name, LOST, 0 if source.pack.html else found.cut, found.characters, "character", MAX_LOST),
    ]
    return [one for one in measures if one.of and not (source.pack.html and one.what == LOST)]


def give_verdict(report: Report) -> Verdict:
    """Judge a report by the limits of `clean --check`."""
    measures = [one for source in report.sources for one in measure_source(source)]
    over = sorted((one for one in measures if one.is_over), key=lambda one: (one.most - one.share, one.source))
    rows = tuple(_make_rows(measures))
    if over or report.unknown:
        return _refuse(report, over, rows)
    looked = sum(one.of for one in measures if one.what == TORN)
    if not looked:
        return _decline(report, rows)
    judged = sum(one.what == TORN for one in measures)
    several = f" of {'' if judged == len(report.sources) else f'{judged:,} of '}{len(report.sources):,} sources"
    return Verdict(
        is_within=True,
        said=f"Within the limits, by {counted(looked, 'changed article')}{several if len(report.sources) > 1 else ''}.",
        rows=rows,
        first="First, let each run check the limits as it cleans new articles:",
    )


def _make_rows(measures: Sequence[Measured]) -> Iterable[Row]:
    for what in MEASURES:
        if some := [one for one in measures if one.what == what]:
            worst = max(some, key=lambda one: (one.is_over, one.share))
            yield Row(worst, sum(one.is_over for one in some), len(some))


def _refuse(report: Report, over: Sequence[Measured], rows: tuple[Row, ...]) -> Verdict:
    """Say which sources are over a limit, and by what; and where to begin."""
    names = list(dict.fromkeys(one.source for one in over))
    told = []
    if names:
        several = f"{len(names):,} of {len(report.sources):,} sources, {names[0]} most"
        told.append(f"{several if len(report.sources) > 1 else names[0]} ({over[0].what}: {over[0].told})")
    if report.unknown:
        told.append(f"{counted(len(report.unknown), 'source')} without a pack")
    said = f"Not within the limits: {'; '.join(told)}."
    if not over:
        first = f"First, mine packs of the sources without one: {list_names(list(report.unknown))}."
        return Verdict(is_within=False, said=said, rows=rows, first=first)
    template = _find_worst(report, over[0]) if over[0].what in (TORN, RESTS) else None
    if template is not None:
        text = f"“{shorten(template.text, _MAX_NAMED)}” of {template.source}"
        first = f"First, review {text}, which {template.harm.describe()}:"
    elif over[0].what == UNCUT:
        example = next(one.uncut.example for one in report.sources if one.name == names[0])
        first = f"First, decide with ask on what stays in {names[0]}: “{shorten(example, _MAX_NAMED)}”."
    elif over[0].what == STUBS:
        first = f"First, look at the articles of {names[0]} that lose most, below; clean --stubs drop leaves out stubs."
    else:
        first = f"First, look at what is removed most from {names[0]}, below."
    return Verdict(is_within=False, said=said, rows=rows, first=first, template=template)


def _find_worst(report: Report, over: Measured) -> NotableTemplate | None:
    """Find the template of a source that does most of what is over the limit; one of the first page, if any does."""
    kind = {TORN: "torn sentence", RESTS: SHARED}[over.what]
    rows = [
        *(one for one in report.harmful if one.source == over.source),
        *sorted(
            (one for source in report.sources if source.name == over.source for one in source.harmful), key=harm_rank
        ),
    ]
    return next((one for one in rows if kind in dict(one.harm.kinds)), None)


def _decline(report: Report, rows: tuple[Row, ...]) -> Verdict:
    """Say why there is no verdict."""
    if not report.with_archive:
        said = "No verdict: without an archive nothing was measured."
        first = "First, measure the packs on articles:"
    elif report.pages and report.pages == len(report.sources):
        said = "No verdict: the limits of torn sentences and rests are not for pages."
        first = "First, look at the pages with the removed parts marked, below."
    else:
        said = "No verdict: no article changes."
        first = "First, see that the archive and its text field are those that the packs are for."
    return Verdict(is_within=None, said=said, rows=rows, first=first)
