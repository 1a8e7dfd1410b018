"""What each part of mining costs: shares of the whole, and functions that are as before afterwards."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

import parts
from templatemine.model import Document


def test_parts_are_shares_of_the_whole() -> None:
    documents = [
        Document(source="s", id=str(number), text=f"Story {number} of {number * 7}.\nSign up for our newsletter today.")
        for number in range(40)
    ]
    before = {name: getattr(owner, function) for name, (owner, function) in parts.PARTS.items()}
    found = parts.measure_archive(documents, rounds=2)
    assert {*found} == {"mine", *parts.PARTS}
    assert all(0 <= share < 1 and megabytes >= 0 for name, (share, megabytes) in found.items() if name != "mine")
    assert found["cues"][0] > 0
    assert found["edges of long strings"][0] > 0
    assert {name: getattr(owner, function) for name, (owner, function) in parts.PARTS.items()} == before
