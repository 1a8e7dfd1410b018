"""Warnings come when something changes, and hardly ever when nothing does: by simulation."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest

from templatemine.cleaning.drift import DriftConfig, detect_drift
from templatemine.cleaning.hits import DayHits
from templatemine.errors import ConfigError

RATES = (0.95, 0.6, 0.3, 0.15, 0.08, 0.05, 0.05, 0.03)
START = date(2020, 1, 1)


def simulate(
    random: np.random.Generator,
    days: int,
    a_day: float = 20,
    change: int = 10**9,
    more: float = 0.0,
    noise: float = 0.0,
) -> dict[str, DayHits]:
    """Days of a source: each expression hits by its rate; from day `change` on the first of them never does, and
    `more` of the text goes.  `noise`: how much the rates vary from day to day."""
    found = {}
    for day in range(days):
        documents = int(random.poisson(a_day))
        shares = np.clip(random.gamma(2.0, 0.02, documents) + (more if day >= change else 0.0), 0, 1)
        varied = np.clip(np.array(RATES) * np.exp(noise * random.standard_normal(len(RATES))), 0, 0.99)
        hits = {f"t{number}": hit for number, hit in enumerate(random.binomial(documents, varied).tolist())}
        if day >= change:
            hits["t0"] = 0
        cut = int(1000 * shares.sum())
        found[str(START + timedelta(day))] = DayHits(documents, 1000 * documents, cut, 0, Counter(hits))
    return found


def false_alarms(seed: int, sources: int, config: DriftConfig, noise: float = 0.0) -> tuple[int, float]:
    """Sources with a warning, and documents watched until it or the end."""
    random = np.random.default_rng(seed)
    alarms, watched = 0, 0.0
    for _ in range(sources):
        days = simulate(random, config.reference // 20 + 150, noise=noise)
        found = detect_drift("s", days, config)
        assert found.expressions == len(RATES)
        if found.warnings:
            alarms += 1
            end = found.warnings[0].day
            watched += sum(one.documents for day, one in days.items() if day <= end) - found.reference
        else:
            watched += found.documents
    return alarms, watched


@pytest.mark.parametrize(
    ("reference", "between", "sources"),
    [
        (200, 1_000, 30),
        (400, 5_000, 100),
        (400, 1_000, 120),
        (200, 5_000, 120),
    ],
)
def test_false_alarms_are_as_rare_as_stated(reference: int, between: int, sources: int) -> None:
    config = DriftConfig(documents=between, reference=reference, least=1)
    alarms, watched = false_alarms(1, sources, config)
    assert watched > 50 * between
    assert alarms <= watched / between


def test_false_alarms_where_days_vary() -> None:
    """The dispersion between days is allowed for: without it there would be many more."""
    config = DriftConfig(documents=2_000, reference=400, least=1)
    alarms, watched = false_alarms(2, 60, config, noise=0.5)
    assert alarms <= watched / config.documents


def test_an_expression_that_stops() -> None:
    late = []
    for seed in range(20):
        days = simulate(np.random.default_rng(seed), 100, change=60)
        found = detect_drift("s", days)
        (warning,) = [one for one in found.warnings if one.template == "t0"]
        assert warning.kind == "stopped"
        assert warning.before > 0.9
        assert warning.after < 0.1
        changed = START + timedelta(60)
        assert abs((date.fromisoformat(warning.since) - changed).days) <= 2
        late.append((date.fromisoformat(warning.day) - changed).days)
        assert found.reference >= 200
        assert [one for one in found.warnings if one.kind == "stopped"] == [warning]
    assert min(late) >= 0
    assert max(late) <= 2


@pytest.mark.parametrize(("more", "kind"), [(0.2, "more"), (-0.04, "less")])
def test_a_share_that_jumps(more: float, kind: str) -> None:
    others = 0
    for seed in range(20):
        days = simulate(np.random.default_rng(seed), 120, change=60, more=more)
        warnings = {one.kind: one for one in detect_drift("s", days).warnings if not one.template}
        warning = warnings.pop(kind)
        others += len(warnings)
        assert str(START + timedelta(45)) <= warning.since <= str(START + timedelta(61))
        assert warning.day <= str(START + timedelta(75))
        assert (warning.after - warning.before) * more > 0
    assert others <= 1  # in 22,000 documents


def test_what_cannot_be_watched_says_why() -> None:
    random = np.random.default_rng(1)
    few = detect_drift("s", simulate(random, 3))
    assert "are needed to know what is usual" in few.note
    assert not few.warnings
    assert "nothing is left to watch" in detect_drift("s", simulate(random, 1, a_day=500)).note
    undated = detect_drift("s", {"": DayHits(7, 7, 0, 0, Counter())})
    assert undated.undated == 7
    assert undated.note


def test_an_expression_that_hits_every_document() -> None:
    days = {str(START + timedelta(n)): DayHits(10, 100, 5, 0, Counter(a=10 if n < 60 else 0)) for n in range(90)}
    (warning,) = detect_drift("s", days).warnings
    assert (warning.template, warning.before, warning.after) == ("a", 1.0, 0.0)
    assert warning.since == str(START + timedelta(60))


def cleaned_by(days: dict[str, DayHits], names: set[str]) -> dict[str, DayHits]:
    """The same days, of a pack with these expressions."""
    found = {}
    for day, one in days.items():
        hits = Counter({name: number for name, number in one.hits.items() if name in names})
        packs = Counter({frozenset(names): one.documents})
        found[day] = DayHits(one.documents, one.characters, one.cut, one.stubs, hits, packs)
    return found


def test_an_expression_that_left_its_pack_has_not_stopped() -> None:
    """Nor has one that came, was not there for a while, or comes back, and each is watched while it is there."""
    days = simulate(np.random.default_rng(1), 400)
    parts = [dict(list(days.items())[start : start + 100]) for start in range(0, 400, 100)]
    packs = [{"t0", "t1", "t2"}, {"t1", "t2", "t3"}, {"t0", "t3"}, {"t0", "t1", "t2", "t3"}]
    followed: dict[str, DayHits] = {}
    for part, names in zip(parts, packs, strict=True):
        followed |= cleaned_by(part, names)
    found = detect_drift("s", followed)
    assert (found.warnings, found.expressions) == ((), 4)
    # Were it not known which packs they were of, three would have stopped.
    unknown = {day: replace(one, packs=Counter()) for day, one in followed.items()}
    assert {one.template for one in detect_drift("s", unknown).warnings} >= {"t0", "t1"}
    # t3 came with the second pack, and stops in the last days.
    last = {day: replace(one, hits=one.hits - Counter(t3=10**6)) for day, one in list(followed.items())[-80:]}
    (warning,) = detect_drift("s", followed | last).warnings
    assert (warning.kind, warning.template, warning.after) == ("stopped", "t3", 0.0)
    assert warning.since >= min(last)


@pytest.mark.parametrize("other", [False, True])
def test_a_share_that_jumps_tells_whether_the_pack_did(other: bool) -> None:
    names = {f"t{number}" for number in range(len(RATES))}
    days = cleaned_by(simulate(np.random.default_rng(1), 120, change=60, more=0.2), names)
    for day in list(days)[60:] if other else ():
        days[day].packs = Counter({frozenset(names | {"new"}): days[day].documents})
    (warning,) = [one for one in detect_drift("s", days).warnings if not one.template]
    assert (warning.kind, warning.other_pack) == ("more", other)


@pytest.mark.parametrize("options", [{"documents": 0}, {"ratio": 1.0}, {"step": 0}])
def test_options(options: dict[str, int]) -> None:
    with pytest.raises(ConfigError):
        DriftConfig(**options)  # type: ignore[arg-type]
