"""Has a site changed under its pack?  Hits by day -> warnings, at a known rate of false ones.

The first days of a source, until they hold `reference` documents, are the norm; the days after them are watched.
For an expression these are the days on which it was looked for, and the documents that a pack with it has cleaned:
packs come and go, and with them expressions.

An expression has stopped: a CUSUM (Page 1954) of the log likelihood ratio of its hits, usual rate p against p / 4.  p
is the lower end of a one-sided 95 % interval (Wilson) of the reference, and the ratio is divided by the dispersion
between the reference's days (the upper end of its interval), if that is more than one: articles of a day are alike.
With a threshold of ln(A), a CUSUM of independent documents whose rate is p or more takes A documents or more until a
false alarm, on average (Lorden 1971).  With m expressions watched the threshold is ln(2 m A): half of the false alarms
are theirs.

The share that is removed has jumped: a two-sided CUSUM of the share of steps of 20 documents or more, in standard
deviations, clipped at four.  Its threshold solves Siegmund's approximation (1985, eq. 2.57) for 4 A documents a side,
with the upper end of the interval of the deviation, and an allowance widened by the error of the mean.

Simulations in the tests hold both: A documents of a source that does not change bring one false alarm or fewer.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from templatemine.bounds import Options
from templatemine.cleaning.hits import DayHits
from templatemine.errors import counted

_Z = 1.645
_CLIP = 4.0
_MIN_DEVIATION = 0.002
"""A share that hardly ever varies would call any article an alarm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftConfig(Options):
    """documents : between two false alarms of a source, on average, at least.
    reference : documents that are the norm; fewer cannot tell a rare expression from one that stopped.
    ratio : an expression that hits so many times less often than it used to is to be noticed.
    step : documents whose removed share is looked at together.
    least : hits in the reference of an expression that is watched.
    """

    documents: int = 100_000
    reference: int = 200
    ratio: float = 0.25
    step: int = 20
    least: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftAlert:
    """A change of a source.

    Attributes
    ----------
    kind : str
        "stopped" (an expression), "more" or "less" (of the text goes).
    template : str
        Id of the expression; empty for the removed share.
    since : str
        The day from which on things were different, as far as can be told.
    day : str
        The day that brought certainty.
    before, after : float
        Share of documents that the expression hit, or share of text that was removed: in the reference, and since.
    other_pack : bool
        Of the removed share: since then the pack has not been that of the reference, which may be the reason.
    """

    kind: str
    template: str
    since: str
    day: str
    before: float
    after: float
    other_pack: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDrift:
    """Counts of the compared objects (documents of the reference and after it, expressions), and the alerts; `note`
    says why nothing could be compared."""

    source: str
    reference: int
    documents: int
    expressions: int
    undated: int
    warnings: tuple[DriftAlert, ...]
    note: str = ""


def detect_drift(source: str, by_day: Mapping[str, DayHits], config: DriftConfig | None = None) -> SourceDrift:
    """Find the changes in the days of a source."""
    config = config or DriftConfig()
    days = sorted((day, counts) for day, counts in by_day.items() if day and counts.documents)
    undated = by_day[""].documents if "" in by_day else 0
    size = cut = 0
    while cut < len(days) and size < config.reference:
        size += days[cut][1].documents
        cut += 1
    reference, later = days[:cut], days[cut:]
    watched = sum(counts.documents for _, counts in later)
    note = ""
    if size < config.reference:
        note = f"{counted(size, 'dated document')}, {config.reference} are needed to know what is usual"
    elif not later:
        note = f"all {size} dated documents are taken to know what is usual; nothing is left to watch"
    series = _expression_series(days, config) if not note else {}
    warnings: list[DriftAlert] = []
    for name, (usual, since) in sorted(series.items()):
        found = _detect_stop(name, usual, since, math.log(2 * len(series) * config.documents), config)
        warnings += [found] if found else []
    warnings += _detect_share_changes(reference, later, config) if not note else []
    return SourceDrift(
        source=source,
        reference=size,
        documents=watched,
        expressions=len(series),
        undated=undated,
        warnings=tuple(sorted(warnings, key=lambda one: (one.day, one.template))),
        note=note,
    )


DatedHits = Sequence[tuple[str, DayHits]]


HitSeries = list[tuple[str, int, int]]
"""Days of an expression: documents in which it was looked for, and those that it hit."""


def _expression_series(days: DatedHits, config: DriftConfig) -> dict[str, tuple[HitSeries, HitSeries]]:
    """Return days of the reference, and those after it, of each expression with enough hits in the reference."""
    names = {name for _, counts in days for name, number in counts.hits.items() if number}
    series: dict[str, HitSeries] = {name: [] for name in names}
    for day, counts in days:
        looked: Counter[str] = Counter()
        for expressions, number in counts.packs.items():
            looked.update(dict.fromkeys(expressions & names, number))
        unknown = counts.documents - counts.packs.total()
        for name in names if unknown else looked:
            series[name].append((day, unknown + looked[name], counts.hits[name]))
    found = {}
    for name, some in series.items():
        size = cut = 0
        while cut < len(some) and size < config.reference:
            size += some[cut][1]
            cut += 1
        if size >= config.reference and sum(hits for _, _, hits in some[:cut]) >= config.least:
            found[name] = some[:cut], some[cut:]
    return found


def absence_score(hits: int, trials: int, documents: int, ratio: float) -> float:
    """Return the evidence of so many documents in a row without an expression that hit `hits` of `trials`.

    The logarithm of how much likelier they are if it hits `ratio` times as often as before.
    """
    usual = _rate_lower_bound(hits, trials)
    return documents * _miss_score(usual, usual * ratio)


def _miss_score(usual: float, less: float) -> float:
    """Log likelihood ratio of a document without a hit."""
    return math.log((1 - less) / (1 - usual))


def _detect_stop(
    name: str, reference: HitSeries, later: HitSeries, threshold: float, config: DriftConfig
) -> DriftAlert | None:
    trials = sum(documents for _, documents, _ in reference)
    hits = sum(number for _, _, number in reference)
    usual = _rate_lower_bound(hits, trials)
    less = usual * config.ratio
    hit, miss = math.log(less / usual), _miss_score(usual, less)
    scale = _dispersion([(documents, number) for _, documents, number in reference], hits / trials)
    total, since, seen, found = 0.0, "", 0, 0
    for day, documents, number in later:
        if total == 0.0:
            since, seen, found = day, 0, 0
        seen, found = seen + documents, found + number
        total = max(0.0, total + (number * hit + (documents - number) * miss) / scale)
        if total >= threshold:
            return DriftAlert(
                kind="stopped", template=name, since=since, day=day, before=hits / trials, after=found / seen
            )
    return None


def _rate_lower_bound(hits: int, trials: int) -> float:
    """Return the lower end of Wilson's interval for a rate, one-sided 95 %; below one."""
    share, extra = hits / trials, _Z * _Z / trials
    middle = share + extra / 2
    return min((middle - math.sqrt(extra * (share * (1 - share) + extra / 4))) / (1 + extra), 1 - 1e-9)


def _dispersion(days: Sequence[tuple[int, int]], share: float) -> float:
    """Return the variance between days over that of independent documents (Pearson), at least one."""
    spread = [(number - size * share) ** 2 / (size * share * (1 - share)) for size, number in days if 0 < share < 1]
    free = len(spread) - 1
    return max(1.0, sum(spread) / free * _variance_factor(free)) if sum(spread) > free > 0 else 1.0


def _variance_factor(free: int) -> float:
    """Return the upper 95 % bound factor of a variance with so many degrees of freedom, one-sided, by Wilson and
    Hilferty's quantile of chi squared."""
    return 1 / max(0.05, 1 - 2 / (9 * free) - _Z * math.sqrt(2 / (9 * free))) ** 3


def _share_steps(days: DatedHits, size: int) -> list[tuple[str, str, float]]:
    """Return first day, last day and removed share of each step of so many documents; an incomplete last step waits."""
    steps: list[tuple[str, str, float]] = []
    first, documents, characters, cut = "", 0, 0, 0
    for day, counts in days:
        first = first or day
        documents, characters, cut = documents + counts.documents, characters + counts.characters, cut + counts.cut
        if documents >= size:
            steps.append((first, day, cut / max(1, characters)))
            first, documents, characters, cut = "", 0, 0, 0
    return steps


def _detect_share_changes(reference: DatedHits, later: DatedHits, config: DriftConfig) -> list[DriftAlert]:
    usual = [share for _, _, share in _share_steps(reference, config.step)]
    if len(usual) < 5:
        return []
    mean = sum(usual) / len(usual)
    free = len(usual) - 1
    deviation = math.sqrt(sum((share - mean) ** 2 for share in usual) / free)
    deviation = max(deviation * math.sqrt(_variance_factor(free)), _MIN_DEVIATION)
    allowance = 0.5 + _Z / math.sqrt(len(usual))
    threshold = _cusum_threshold(4 * config.documents / config.step, allowance)
    warnings = []
    for kind, sign in (("more", 1.0), ("less", -1.0)):
        total, since = 0.0, ""
        shares: list[float] = []
        for first, day, share in _share_steps(later, config.step):
            if total == 0.0:
                since, shares = first, []
            shares.append(share)
            score = sign * (share - mean) / deviation
            total = max(0.0, total + max(-_CLIP, min(_CLIP, score)) - allowance)
            if total >= threshold:
                after = sum(shares) / len(shares)
                other = _has_other_pack(reference, [one for one in later if since <= one[0] <= day])
                found = DriftAlert(
                    kind=kind, template="", since=since, day=day, before=mean, after=after, other_pack=other
                )
                warnings.append(found)
                break
    return warnings


def _has_other_pack(reference: DatedHits, later: DatedHits) -> bool:
    """Return whether documents were cleaned by a pack that none of the reference was."""
    usual = {expressions for _, counts in reference for expressions in counts.packs}
    return any(expressions not in usual for _, counts in later for expressions in counts.packs)


def _cusum_threshold(run: float, allowance: float) -> float:
    """Return the threshold of a one-sided CUSUM of standard normal steps with `run` steps to a false alarm, by
    bisection."""
    low, high = 0.0, 100.0
    for _ in range(60):
        middle = (low + high) / 2
        edge = 2 * allowance * (middle + 1.166)
        low, high = (middle, high) if math.exp(edge) - edge - 1 < 2 * allowance**2 * run else (low, middle)
    return high
