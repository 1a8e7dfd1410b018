"""`bench/quality/kinds.py`: what is found is compared with the annotation, and the page of it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from quality import archives, kinds  # noqa: E402
from templatemine.model import Span  # noqa: E402

TEXT = "By Ann Doe\nBRIDGEBRIDGE (Reuters) - The story. Sign up"
GOLD: list[Any] = [
    (0, 2, "template", "byline"),
    (3, 10, "dynamic", "byline"),
    (11, 35, "template", "dateline"),
    (47, 54, "template", "promotion"),
]


def test_what_is_found_is_compared_with_what_is_read_in_the_annotation() -> None:
    found = {"byline": ["Ann Doe", "Eve Roe"], "agency": "Reuters", "place": "BRIDGE", "updated": "2024-03-05"}
    rows = kinds.compare_found(TEXT, GOLD, found)
    assert rows["byline"] == {"wanted": 1, "found": 2, "in it": 1, "same": 1}
    assert rows["agency"] == {"wanted": 1, "found": 1, "in it": 1, "same": 1}
    assert rows["place"] == {"wanted": 1, "found": 1, "in it": 1, "same": 0}
    assert rows["updated"] == {"wanted": 0, "found": 1, "in it": 0, "same": 0}
    assert sum(row["found"] for row in kinds.compare_found(TEXT, GOLD, {}).values()) == 0


def test_the_page_has_all_counts() -> None:
    cuts = [Span(0, 10, ("a",), "byline"), Span(47, 54, ("c",), "byline")]
    row = {
        "kinds": {"byline": {"size": 8, "removed": 8, "cut": 8, "told": 14, "right": 8}},
        "found": kinds.compare_found(TEXT, GOLD, {"byline": ["Ann Doe"]}),
        "keep": kinds.measure_keep(TEXT, GOLD, cuts, cuts[1:]),
    }
    head = {
        "date": "2026-01-01",
        "command": "c",
        "model": "by m",
        "code": "1",
        "python": "P",
        "processor": "X",
        "seconds": 1.0,
    }
    other = {**row, "kinds": {"byline": {"size": 2, "removed": 2, "cut": 2, "told": 2, "right": 2}}}
    page = kinds.render_page({"head": head, "sources": {"a": row, "b": row}})
    mixed = kinds.render_page({"head": head, "sources": {"a": row, "b": other}})
    assert "| byline | 16 | 28 | 100.0 | 57.1 |" in page
    assert "| byline | 2 | 2 | 100.0 | 100.0 |" in page
    assert "Of the characters of 2 annotated bylines 100.0 % stay" in page
    assert "annotated, 57.1 % (57.1 to 57.1, 95 % interval) are" in page
    # A source counts as one, however much is removed of it.
    assert "annotated, 78.6 % (57.1 to 100.0, 95 % interval) are called by it in the mean over 2 sources" in mixed
    assert "of all together 62.5 %" in mixed


def test_nothing_is_measured_without_archives(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(archives, "has_shared_archives", lambda: False)
    assert kinds.main(["--page", str(tmp_path / "kinds.md")]) == 2
    assert "../shared) are not here" in capsys.readouterr().err
