"""The constants that docs/spark.md computes with can be measured, and the formulas count what they say."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "datasets"))

import spark as bench
from generate import ArchiveSpec, generate

pytest.importorskip("pyarrow")


def test_costs_are_measured_and_needs_follow_from_them(tmp_path: Path) -> None:
    archive = tmp_path / "archive.jsonl"
    rows = generate(ArchiveSpec(seed=3, sources=2, documents=110, kilobytes=0.7))
    archive.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    costs = bench.measure_costs(str(archive))
    assert (costs["sources"], costs["documents"]) == (2, 220)
    assert 0 < costs["packed_document"] < costs["bytes_document"]
    assert all(value > 0 for name, value in costs.items() if not name.startswith(("answer", "mine_seconds_source")))
    needs = bench.compute_needs(costs, 1e6, 1e3, 10)
    assert needs["mined_documents"] == 1e6
    assert needs["shuffle_told_bytes"] == pytest.approx(1e6 * costs["told_bytes_document"])
    assert needs["counting_core_hours"] == 0
    more = bench.compute_needs(costs, 1e8, 1e3, 10)
    assert more["mined_documents"] == 6.5e6
    assert more["counting_core_hours"] > 0
    assert more["core_hours"] == pytest.approx(
        more["mining_core_hours"] + more["counting_core_hours"] + more["cleaning_core_hours"]
    )
