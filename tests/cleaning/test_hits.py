"""Counts by day: added up, written once however often, read back."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

from templatemine.cleaning.hits import DayHits, Days, add_days, read_hits, write_hits
from templatemine.errors import CorpusError
from templatemine.model import Cleaned, Span
from templatemine.text.dates import resolve_day


def some() -> Days:
    day = DayHits()
    day.add_document(100, 15, Cleaned("x" * 85, (Span(0, 10, ("a", "b")), Span(20, 24, ("a",)))))
    day.add_document(50, 0, Cleaned("x" * 50, (), stub=True))
    return {"s.example": {"2024-01-01": day}, "t\ud800": {"": DayHits(documents=3)}}


def test_a_document_counts_once_an_expression() -> None:
    assert some()["s.example"]["2024-01-01"] == DayHits(2, 150, 15, 1, Counter(a=1, b=1))


def test_the_same_run_twice_counts_once(tmp_path: Path) -> None:
    folder = str(tmp_path / "hits")
    assert write_hits(folder, some()) == write_hits(folder, some())
    assert read_hits(folder) == some()
    other: Days = {"s.example": {"2024-01-01": DayHits(1, 2, 1, 0, Counter(b=1)), "2024-01-02": DayHits(1)}}
    write_hits(folder, other)
    both = some()
    add_days(both, other)
    assert read_hits(folder) == both
    assert both["s.example"]["2024-01-01"] == DayHits(3, 152, 16, 1, Counter(a=1, b=2))


def test_dates_that_read_two_ways_are_settled_by_all_runs(tmp_path: Path) -> None:
    """They counted as undated, but for those of a day above 12: a site seemed to write in the second half of a month."""
    for text in ("3/4/2024", "3/5/2024", "31/3/2024", "2024-04-03"):
        write_hits(str(tmp_path), {"s": {text: DayHits(documents=2)}, "t": {"3/4/2024": DayHits(documents=1)}})
    days = read_hits(str(tmp_path))
    assert {day: one.documents for day, one in days["s"].items()} == {"2024-04-03": 4, "2024-05-03": 2, "2024-03-31": 2}
    assert {day: one.documents for day, one in days["t"].items()} == {"": 4}


def test_what_was_looked_for_is_told(tmp_path: Path) -> None:
    folder = str(tmp_path / "hits")
    first, second = frozenset({"a", "b"}), frozenset({"b", "c"})
    write_hits(folder, some(), {"s.example": first, "none.example": second})
    write_hits(folder, some(), {"s.example": second})
    day = read_hits(folder)["s.example"]["2024-01-01"]
    assert day == DayHits(4, 300, 30, 2, Counter(a=2, b=2), Counter({first: 2, second: 2}))
    assert read_hits(folder)["t\ud800"][""].packs == Counter()
    write_hits(folder, some())
    assert read_hits(folder)["s.example"]["2024-01-01"].packs == Counter({first: 2, second: 2})


@pytest.mark.parametrize(
    "line", [b"{}", b"[]", b"none", b'{"source":"s","expressions":7}', b'{"source":"s","day":"","documents":-1}']
)
def test_other_files_are_refused(tmp_path: Path, line: bytes) -> None:
    (tmp_path / "x.hits.jsonl.gz").write_bytes(gzip.compress(line))
    with pytest.raises(CorpusError, match=r"x\.hits\.jsonl\.gz:1: expected the counts of a day"):
        read_hits(str(tmp_path))
    (tmp_path / "x.hits.jsonl.gz").write_bytes(b"no gzip")
    with pytest.raises(CorpusError, match="gzip"):
        read_hits(str(tmp_path))


def test_none(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="found none"):
        read_hits(str(tmp_path))
    with pytest.raises(CorpusError, match="found none; clean --hits .*nowhere counts them"):
        read_hits(str(tmp_path / "nowhere"))
    (tmp_path / "file").write_text("")
    with pytest.raises(CorpusError, match="cannot be read"):
        read_hits(str(tmp_path / "file"))
    with pytest.raises(CorpusError, match="cannot be written"):
        write_hits(str(tmp_path / "file"), some())


@pytest.mark.parametrize(
    ("date", "day"),
    [
        ("2024-05-31T12:00:00Z", "2024-05-31"),
        ("20240531", "2024-05-31"),
        ("2024/05/31", "2024-05-31"),
        ("31.5.2024", "2024-05-31"),
        ("3.5.2024", "2024-05-03"),
        ("3/5/2024", None),
        (None, None),
        ("", None),
    ],
)
def test_days(date: str | None, day: str | None) -> None:
    assert resolve_day(date) == day
