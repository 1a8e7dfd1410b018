"""Verdicts on strings: hand-built rows, one threshold varied at a time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from templatemine.config import EvidenceConfig
from templatemine.evidence import ACCEPTED, LOOSE, POOR, RARE, REASONS, SHARED, Evidence, judge, prose_level
from templatemine.model import Repeats

N = 1000
LINE = {"starts": 1.0, "ends": 1.0, "lines": 1.0, "information": 40.0, "bound": 0.2, "df": 10, "length": 6}
START = {"starts": 1.0, "ends": 0.1, "lines": 0.1, "information": 40.0, "bound": 0.2, "df": 20, "length": 4}
PHRASE = {"starts": 0.0, "ends": 0.0, "lines": 0.0, "information": 40.0, "bound": 0.9, "df": 50, "length": 4}
MARK = {"starts": 1.0, "ends": 0.0, "lines": 0.0, "information": 10.0, "bound": 1.0, "df": 30, "length": 1}


def verdict(row: dict[str, float], elsewhere: float = 0.0, alone: bool = False) -> int:
    one = {name: np.array([row[name]], np.float32) for name in ("starts", "ends", "lines", "information", "bound")}
    evidence = Evidence(**one, rate=np.array([1e-4], np.float32))
    df = np.array([int(row["df"])], np.int32)
    repeats = Repeats(rank=np.zeros(1, np.int64), length=np.array([int(row["length"])], np.int32), count=df, df=df)
    codes, _ = judge(evidence, repeats, np.array([elsewhere], np.float32), N, alone, EvidenceConfig())
    return int(codes[0])


@pytest.mark.parametrize("row", [LINE, START, PHRASE, MARK, {**START, "starts": 0.0, "ends": 1.0}])
def test_each_kind_is_accepted(row: dict[str, float]) -> None:
    assert verdict(row) == ACCEPTED


@pytest.mark.parametrize(
    ("row", "change", "reason"),
    [
        (LINE, {"df": 2}, RARE),
        (LINE, {"information": 11.0}, POOR),
        (LINE, {"lines": 0.5, "starts": 0.5, "ends": 0.5}, LOOSE),
        (START, {"df": 9}, RARE),
        (START, {"starts": 0.85}, LOOSE),
        (START, {"information": 15.0}, RARE),
        (START, {"information": 20.0, "df": 15}, RARE),
        (PHRASE, {"df": 19}, RARE),
        (PHRASE, {"bound": 0.4}, LOOSE),
        (PHRASE, {"information": 23.0}, RARE),
        (MARK, {"df": 19}, POOR),
        (MARK, {"starts": 0.9}, POOR),
        (MARK, {"information": 8.0}, POOR),
    ],
)
def test_each_threshold_matters(row: dict[str, float], change: dict[str, float], reason: int) -> None:
    assert REASONS[verdict({**row, **change})] == REASONS[reason]


@pytest.mark.parametrize("row", [START, PHRASE, MARK])
def test_what_other_sources_say_as_often_is_no_template(row: dict[str, float]) -> None:
    assert verdict(row, elsewhere=1e-4) == SHARED
    assert verdict(row, elsewhere=1e-4 / 2**8) == ACCEPTED


def test_a_whole_line_may_stand_in_other_sources() -> None:
    assert verdict(LINE, elsewhere=1e-4) == ACCEPTED
    assert verdict({**LINE, "information": 20.0}, elsewhere=1e-4) != ACCEPTED
    assert verdict({**LINE, "information": 20.0, "df": 20}, elsewhere=1e-4) == ACCEPTED


def test_alone_an_edge_must_be_bound_and_marks_are_not_taken() -> None:
    assert verdict(START, alone=True) != ACCEPTED
    assert verdict({**START, "bound": 0.6}, alone=True) == ACCEPTED
    assert verdict(MARK, alone=True) == POOR


def test_prose_raises_the_level_for_phrases() -> None:
    config = EvidenceConfig()
    size = 50
    zero, full = np.zeros(size, np.float32), np.full(size, 60.0, np.float32)
    evidence = Evidence(starts=zero, ends=zero, lines=zero, information=full, bound=zero, rate=full)
    df = np.full(size, 30, np.int32)
    own = np.ones(size, np.bool_)
    assert prose_level(evidence, df, own, config) == 30
    assert prose_level(evidence, df, own & (np.arange(size) < 10), config) == 0  # too few to say
    assert prose_level(replace(evidence, starts=full), df, own, config) == 0  # they begin lines, so they are not prose
