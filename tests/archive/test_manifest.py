"""What a run is of: equal while nothing changes, different when something does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from templatemine.archive.manifest import (
    UNKNOWN,
    find_difference,
    input_identity,
    read_json,
    write_json,
)


def test_identity_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"x" * 300_000)
    os.utime(path, ns=(5, 5))
    first = input_identity(str(path))
    assert first == input_identity(str(path))
    for data in (b"y" + b"x" * 299_999, b"x" * 299_999 + b"y", b"x" * 299_999):
        path.write_bytes(data)
        os.utime(path, ns=(5, 5))
        assert input_identity(str(path)) != first
    path.write_bytes(b"x" * 300_000)
    os.utime(path, ns=(4, 4))
    assert input_identity(str(path)) != first


def test_identity_of_folders_patterns_and_streams(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("a")
    first = input_identity(str(tmp_path))
    (tmp_path / "loop").symlink_to(tmp_path)
    assert input_identity(str(tmp_path)) == first
    (tmp_path / "in" / "b.txt").write_text("b")
    assert input_identity(str(tmp_path)) != first
    assert len(input_identity(str(tmp_path / "in" / "*.txt"))) == 2
    assert input_identity("-") == input_identity("s3://bucket/key") == UNKNOWN


def test_difference() -> None:
    old = {"version": "1", "options": "o", "inputs": [{"a": 1}]}
    assert find_difference(old, old, ["x"]) == ""
    assert "version" in find_difference({**old, "version": "0"}, old, ["x"])
    assert "version" in find_difference(old, {**old, "form": 1}, ["x"])
    assert "options" in find_difference({**old, "options": "p"}, old, ["x"])
    for name in ("model", "cues"):
        assert name in find_difference({**old, name: "b"}, old, ["x"])
        assert name in find_difference(old, {**old, name: "b"}, ["x"])
        assert find_difference({**old, name: None}, old, ["x"]) == ""
    assert "inputs" in find_difference({**old, "inputs": []}, old, ["x"])
    assert find_difference({**old, "inputs": [{"a": 2}]}, old, ["x"]) == "x is not what it was"
    unknown = {**old, "inputs": [UNKNOWN]}
    assert "standard input" in find_difference(unknown, unknown, ["-"])
    assert find_difference({}, old, ["x"])


@pytest.mark.parametrize("content", [None, b"", b"{", b"\xff"])
def test_json_that_is_not_there_or_damaged(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "a.json"
    if content is not None:
        path.write_bytes(content)
    assert read_json(str(path)) is None
    write_json(str(path), {"a": [1]})
    assert read_json(str(path)) == {"a": [1]}


def test_json_of_sources_that_are_no_text(tmp_path: Path) -> None:
    path = str(tmp_path / "a.json")
    write_json(path, {"source": "\ud800"})
    assert read_json(path) == {"source": "\ud800"}
