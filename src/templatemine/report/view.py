"""(packs, archive, rejected candidates) -> the contents of a report, in order; `page` renders them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from templatemine.config import ReportConfig
from templatemine.errors import CapacityError, CorpusError
from templatemine.io.files import raise_error
from templatemine.kinds import DEFAULT_POLICY, POLICIES
from templatemine.mining.shared_pack import SHARED_PACK
from templatemine.model import Document, RejectedCandidate, Template
from templatemine.packs.families import group_families
from templatemine.packs.pack import Pack
from templatemine.packs.readable import describe_position, describe_reasons, join_tokens, template_text
from templatemine.report.doubts import SampledTexts, match_templates
from templatemine.report.findings import (
    JudgedTexts,
    NotableTemplate,
    add_example,
    add_harm,
    describe_templates,
    estimate_removed,
    judge_texts,
    rank_harmful,
    rank_largest,
    rank_risky,
    select_largest,
    select_notable,
    select_passages,
)
from templatemine.report.harm import CutResidues, count_residues, find_all_blamed
from templatemine.report.histogram import Histogram, histogram_of, sparkline
from templatemine.report.limits import sample_size
from templatemine.report.measure import PackMeasurement, Sample, TemplateFigures
from templatemine.report.pack_diff import CutComparison, PackDiff, diff_packs
from templatemine.report.rests import NO_SHARED, LineRests, Shared, count_line_rests
from templatemine.report.risk import is_scored
from templatemine.report.timeline import Period, count_by_period, split_periods


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A template in the table of its source.

    Attributes
    ----------
    number : int
        Index in the pack.
    text : str
        Its tokens, or the expression if it was written by hand.
    example : str
        An occurrence, if it differs from `text`.
    reasons : str
        Why it is a template, in words; "" where no score decided.
    characters : int
        That it matches in the archive, or at mining if there is none; see `findings.estimate_removed`.
    last : str
        Last day with a match, ISO 8601; "" if there is none.
    strip : str
        Its share of the documents over time, a sparkline.
    others : int
        Other sources with the same template.
    variant : bool
        It is listed below the head of its family (`packs.families`).
    """

    number: int
    template: Template
    text: str
    example: str
    reasons: str
    characters: int
    position: str
    last: str
    strip: str
    others: int = 0
    variant: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectionGroup:
    """Candidates rejected for one reason: their number, and the most frequent as (text, df, count)."""

    reason: str
    number: int
    strings: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceView:
    """The section of one source.

    Attributes
    ----------
    measured : PackMeasurement or None
        None without an archive.
    uncut : Shared
        Long strings that articles still share, whatever is cut.
    line_rests : tuple of LineRests
        Templates that leave the rest of a line; no harm by itself.
    by_templates : bool
        What goes is what templates match.  Of pages all goes but the main text, which the page model chooses with the
        history of the source: the scores of their templates say nothing about it.
    """

    name: str
    pack: Pack
    histogram: Histogram
    rows: tuple[Row, ...]
    rejected: tuple[RejectionGroup, ...]
    measured: PackMeasurement | None
    samples: tuple[Sample, ...]
    steps: tuple[Period, ...]
    documents: tuple[int, ...]
    changed: tuple[int, ...]
    notable: tuple[NotableTemplate, ...]
    largest: tuple[NotableTemplate, ...]
    harmful: tuple[NotableTemplate, ...]
    left: CutResidues
    uncut: Shared
    line_rests: tuple[LineRests, ...]
    by_templates: bool

    @property
    def story(self) -> float:
        """Return the removed characters that are expected to be story: of each family the worst, for its templates
        mostly match the same places.  A pack without scores has no estimate."""
        if not is_scored(self.pack):
            return 0.0
        found = sum(one.story for one in self.notable)
        return found if self.measured is None else min(found, float(self.measured.cut))

    @property
    def harmed_articles(self) -> float:
        """Return by what sources are ranked: in how many changed articles cuts tear a sentence or leave something else
        behind, as in those that were looked at."""
        return self.left.articles / max(1, self.left.looked) * (0 if self.measured is None else self.measured.changed)

    @property
    def share(self) -> float | None:
        """Return the share of the characters of its documents that is removed."""
        found = self.measured
        return None if found is None or not found.characters else found.cut / found.characters


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedExpression:
    """An expression in the packs of several sources: (index of the source, documents) of each."""

    text: str
    sources: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The contents of a report.

    Attributes
    ----------
    unknown : mapping of str to int
        Documents of the archive whose source has no pack.
    shared : tuple of SharedExpression
        Those of the most sources first.
    harmful, riskiest, largest : tuple of NotableTemplate
        Templates whose cuts leave something behind; others that are in doubt; and those that remove most.
    changes : tuple of PackDiff or None
        Sources whose packs differ from those before; None if there are none to compare with.
    """

    sources: tuple[SourceView, ...]
    unknown: Mapping[str, int]
    shared: tuple[SharedExpression, ...]
    with_archive: bool
    harmful: tuple[NotableTemplate, ...]
    riskiest: tuple[NotableTemplate, ...]
    largest: tuple[NotableTemplate, ...]
    changes: tuple[PackDiff, ...] | None = None

    @property
    def scored(self) -> bool:
        """Return whether any pack has scores that say something about its cuts."""
        return any(one.by_templates and is_scored(one.pack) for one in self.sources)

    @property
    def pages(self) -> int:
        """Count the sources of pages, whose cuts templates do not decide."""
        return sum(not one.by_templates for one in self.sources)


def make_report(
    packs: Mapping[str, Pack],
    documents: Iterable[Document] | None,
    rejected: Callable[[str], Iterable[RejectedCandidate]],
    config: ReportConfig | None = None,
    on_error: Callable[[CorpusError], None] = raise_error,
    before: Mapping[str, Pack] | None = None,
) -> Report:
    """Measure packs on an archive; the shared pack is of no source, and left out beside others.

    Parameters
    ----------
    documents : iterable of Document or None
        Read once.  None if there is no archive: the report then has no figures of articles.
    rejected : callable
        Source -> its rejected candidates, most frequent first.
    on_error : callable
        Called with a `CorpusError` for a document that takes too long, see `PackMeasurement.add`; by default the first
        one is raised.
    before : mapping of str to Pack, optional
        Earlier packs, to compare with.
    """
    config = config or ReportConfig()
    # Texts of as many sources as there may be stay in memory.
    config = replace(config, looked=sample_size(len(packs), config.looked))
    packs, before = _leave_out_shared(packs), None if before is None else _leave_out_shared(before)
    measured = (
        {source: PackMeasurement(pack, config) for source, pack in packs.items()} if documents is not None else {}
    )
    diffs = [] if before is None else diff_packs(before, packs, measured=documents is not None)
    comparison = CutComparison(diffs, config.clean, on_error)
    unknown: Counter[str] = Counter()
    for document in documents or ():
        comparison.add(document)
        found = measured.get(document.source)
        if found is None:
            unknown[document.source] += 1
        else:
            try:
                found.add(document)
            except CapacityError as error:
                on_error(CorpusError(f"cannot be measured: {error}", f"{document.source}: {document.id}"))
    names = sorted(packs)
    holders: dict[tuple[str, ...], list[tuple[int, int]]] = {}
    examples: dict[tuple[str, ...], str] = {}
    for place, source in enumerate(names):
        for template in packs[source].templates:
            if template.tokens is not None:
                holders.setdefault(template.tokens, []).append((place, template.df))
                examples.setdefault(template.tokens, template.example)
    most = _max_rows_per_source([len(packs[source].templates) for source in names], config.rows)
    shared = [
        SharedExpression(text=join_tokens(tokens, examples[tokens]), sources=tuple(held))
        for tokens, held in holders.items()
        if len(held) > 1
    ]
    judged = {source: judge_texts(packs[source], _sampled_texts(measured.get(source))) for source in names}
    sources = tuple(
        _make_source(packs[source], measured.get(source), judged[source], holders, rejected(source), most, config)
        for source in names
    )
    harmful, riskiest, largest = _choose_templates(sources, judged, config.risky)
    return Report(
        sources=sources,
        harmful=tuple(harmful),
        riskiest=tuple(riskiest),
        largest=tuple(largest),
        unknown=dict(sorted(unknown.items(), key=lambda one: (-one[1], one[0]))),
        shared=tuple(sorted(shared, key=lambda one: (-len(one.sources), -sum(df for _, df in one.sources), one.text))),
        with_archive=documents is not None,
        changes=None if before is None else tuple(one for one in diffs if one),
    )


def _leave_out_shared(packs: Mapping[str, Pack]) -> Mapping[str, Pack]:
    return {source: pack for source, pack in packs.items() if source != SHARED_PACK} or packs


def _choose_templates(
    sources: Sequence[SourceView], judged: Mapping[str, JudgedTexts], most: int
) -> tuple[list[NotableTemplate], list[NotableTemplate], list[NotableTemplate]]:
    """Return the templates of the first page, each once: those that leave something behind, that are in doubt, and that
    remove most."""
    rows = [one for source in sources for one in source.largest]
    left = rank_harmful(one for source in sources for one in source.harmful)
    harmful = select_passages((add_example(one, judged[one.source], unusual=True) for one in left), most, ())
    told = {(one.source, one.number) for one in harmful}
    # What cleaning leaves in unless it is told otherwise does no damage.
    scored = [
        one
        for source in sources
        if is_scored(source.pack)
        for one in source.notable
        if (not one.template.kind or POLICIES[DEFAULT_POLICY].cuts(one.template.kind))
        and (one.source, one.number) not in told
    ]
    riskiest = [add_example(one, judged[one.source], unusual=True) for one in rank_risky(scored, most)]
    told |= {(one.source, one.number) for one in riskiest}
    others = rank_largest(one for one in rows if (one.source, one.number) not in told)
    above = [*harmful, *riskiest]
    largest = select_passages((add_example(one, judged[one.source]) for one in others), most, above)
    return harmful, riskiest, largest


def _sampled_texts(measured: PackMeasurement | None) -> SampledTexts:
    return () if measured is None else measured.sampled_texts()


def _max_rows_per_source(sizes: Sequence[int], rows: int) -> int:
    """Return the greatest number of rows per source that keeps the sum over all sources within `rows`."""
    left, most = rows, max(sizes, default=0)
    for place, size in enumerate(sorted(sizes)):
        fair = left // (len(sizes) - place)
        if size > fair:
            return max(fair, 1)
        left -= size
    return most


def _make_source(
    pack: Pack,
    measured: PackMeasurement | None,
    judged: JudgedTexts,
    holders: Mapping[tuple[str, ...], Sequence[object]],
    rejected: Iterable[RejectedCandidate],
    most: int,
    config: ReportConfig,
) -> SourceView:
    seen: Sequence[TemplateFigures | None] = (
        measured.template_figures() if measured is not None else [None] * len(pack.templates)
    )
    looked = _sampled_texts(measured)
    by_templates = not pack.html or config.clean.html == "strip"
    matches = match_templates(pack, looked)
    removed = estimate_removed(pack, seen, matches)
    judged = () if pack.html else judged
    left = count_residues([(cuts, some) for (_, cuts), some in zip(judged, find_all_blamed(judged), strict=True)])
    templates = add_harm(describe_templates(pack, seen, removed, matches), left.harm)
    steps = split_periods(measured.days) if measured is not None else []
    documents = count_by_period(measured.days, steps) if measured is not None else []
    return SourceView(
        name=pack.source,
        pack=pack,
        histogram=histogram_of(pack),
        rows=tuple(
            replace(
                _make_row(pack, number, seen[number], removed[number], steps, documents, config),
                others=max(len(holders.get(one.tokens or (), ())) - 1, 0),
                variant=rank > 0,
            )
            for family in group_families(pack.templates[:most])
            for rank, number in enumerate(family)
            for one in [pack.templates[number]]
        ),
        rejected=_group_rejected(pack, rejected, config.rejected),
        measured=measured,
        samples=tuple(measured.samples()) if measured is not None else (),
        steps=tuple(steps),
        documents=tuple(documents),
        changed=tuple(count_by_period(measured.changed_days, steps)) if measured is not None else (),
        notable=tuple(select_notable(templates)) if by_templates else (),
        largest=tuple(select_largest(templates)) if by_templates else (),
        harmful=tuple(one for one in templates if one.harm.harmed),
        left=left,
        uncut=NO_SHARED if measured is None else measured.count_long(),
        line_rests=tuple(count_line_rests(judged)),
        by_templates=by_templates,
    )


def _make_row(
    pack: Pack,
    number: int,
    seen: TemplateFigures | None,
    characters: int,
    steps: Sequence[Period],
    documents: Sequence[int],
    config: ReportConfig,
) -> Row:
    template = pack.templates[number]
    text = template_text(template)
    example = " ".join(template.example.split())
    days = seen.days if seen is not None else {}
    return Row(
        number=number,
        template=template,
        text=text,
        example="" if example == text else example,
        reasons=describe_reasons(template),
        characters=characters,
        position=describe_position(template, pack),
        last=max(days, default=""),
        strip=_draw_sparkline(count_by_period(days, steps), documents, config.points) if days else "",
    )


def _draw_sparkline(counts: Sequence[int], documents: Sequence[int], points: int) -> str:
    """Return the share of documents with a template, over time."""
    merged = -(-len(counts) // points)
    places = range(0, len(counts), merged)
    shares = [sum(counts[place : place + merged]) / max(sum(documents[place : place + merged]), 1) for place in places]
    return sparkline(shares, points, log=False)


def _group_rejected(pack: Pack, rejected: Iterable[RejectedCandidate], most: int) -> tuple[RejectionGroup, ...]:
    """Return the first candidates for each reason of the pack, which are the nearest; reads only as far as
    necessary."""
    listed: dict[str, list[tuple[str, int, int]]] = {reason: [] for reason in pack.rejected}
    wanted = {reason: min(most, number) for reason, number in pack.rejected.items()}
    open_reasons = {reason for reason, number in wanted.items() if number}
    for one in rejected:
        if not open_reasons:
            break
        if one.reason in open_reasons:
            listed[one.reason].append((join_tokens(one.tokens, one.example), one.df, one.count))
            if len(listed[one.reason]) == wanted[one.reason]:
                open_reasons.remove(one.reason)
    return tuple(
        RejectionGroup(reason=reason, number=number, strings=tuple(listed[reason]))
        for reason, number in sorted(pack.rejected.items(), key=lambda one: -one[1])
    )
