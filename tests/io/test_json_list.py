"""A list of records is read as JSON lines are, whatever stands in it and however it comes."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templatemine.config import ReadConfig
from templatemine.errors import CorpusError
from templatemine.io.decompression import DamagedData
from templatemine.io.files import Report
from templatemine.io.json_list import lines_of_list
from templatemine.io.read import read_batch, read_batches, read_records

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('ab\\"[]{},:\n\u2028é', max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('a"{[,\\\\', max_size=3), inner, max_size=3),
    max_leaves=8,
)


class Pieces(io.RawIOBase):
    """Bytes that come a few at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        self._data, self._size = data, size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece, self._data = self._data[: self._size], self._data[self._size :]
        buffer[: len(piece)] = piece
        return len(piece)


def lines(data: bytes, size: int = 1 << 16) -> list[bytes]:
    stream = lines_of_list(io.BufferedReader(Pieces(data, size), max(size, 1)))
    return [line for line in stream.read().split(b"\n") if line.strip()]


@given(
    st.lists(st.dictionaries(st.text(max_size=3), VALUES, max_size=3), max_size=4),
    st.sampled_from([None, 1, "\t"]),
    st.booleans(),
    st.integers(1, 40),
    st.sampled_from(["", "\ufeff", " \r\n"]),
)
def test_items_become_lines(items: list[Any], indent: Any, ascii_only: bool, size: int, before: str) -> None:
    data = (before + json.dumps(items, indent=indent, ensure_ascii=ascii_only) + "\n").encode()
    if size < len(before.encode()) + 1:
        size = len(before.encode()) + 1  # the first look must see how it begins
    assert [json.loads(line.removeprefix(b"\xef\xbb\xbf")) for line in lines(data, size)] == items


@given(st.lists(st.dictionaries(st.just("text"), VALUES, min_size=1), min_size=1), st.data())
def test_a_list_that_is_cut_off_gives_what_is_whole(items: list[Any], data: st.DataObject) -> None:
    whole = json.dumps(items).encode()
    cut = data.draw(st.integers(2, len(whole) - 1))
    stream = lines_of_list(io.BufferedReader(Pieces(whole[:cut], 7), 7))
    given_out = b""
    with pytest.raises(DamagedData, match="the list does not end"):
        while piece := stream.read1(64):
            given_out += piece
    found = [line for line in given_out.split(b"\n")[:-1] if line.strip()]
    assert [json.loads(line) for line in found] == items[: len(found)]


def test_what_is_no_list_is_as_it_was() -> None:
    data = b'{"text": "a"}\n[1, 2]\n'
    assert lines(data) == [b'{"text": "a"}', b"[1, 2]"]
    assert lines(b"") == []
    assert lines(b'[{"a": 1}]\n{"b": [1,\n2]}\n') == [b' {"a": 1}', b'{"b": [1,', b"2]}"]


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.json.gz"])
@pytest.mark.parametrize("indent", [None, 2])
def test_files(tmp_path: Path, name: str, indent: int | None) -> None:
    rows = [{"text": f'Story {number}, [as told]\nby {{us}} \\ "them"', "n": [number]} for number in range(700)]
    rows[5] = {"text": 5, "n": []}
    data = json.dumps(rows, indent=indent).encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    errors: list[CorpusError] = []
    found = list(read_records(path, ReadConfig(), errors.append))
    assert [record.fields for record in found] == rows[:5] + rows[6:]
    assert (found[-1].where, found[-1].document.id) == (f"{path}:700", "a:700")
    assert [str(error) for error in errors] == [f"{path}:6: expected a string in field 'text', found a number"]
    works = read_batches([path], ReadConfig(), Report(errors.append), 64, 1 << 12)
    parsed = [fields for work in works for _, _, fields, _ in read_batch(work, ReadConfig(), errors.append)]
    assert parsed == rows[:5] + rows[6:]


def test_a_file_that_is_cut_off(tmp_path: Path) -> None:
    rows = [{"text": f"Story {number}"} for number in range(9)]
    for cut, whole in ((-1, 9), (-3, 8), (-25, 7)):
        path = tmp_path / "a.json"
        path.write_text(json.dumps(rows)[:cut])
        errors: list[CorpusError] = []
        found = [record.fields for record in read_records(path, ReadConfig(), errors.append)]
        assert found == rows[:whole]
        assert str(errors[-1]).endswith(
            f"the JSON data is damaged after item {whole}: the list does not end; what is whole is used"
        )


def test_an_item_that_is_too_long(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"text": "a"}, {"text": "b" * 5000}, {"text": "c"}], indent=1))
    errors: list[CorpusError] = []
    found = [record.document.text for record in read_records(path, ReadConfig(max_record=1000), errors.append)]
    assert found == ["a", "c"]
    assert "expected at most 1,000 bytes" in errors[0].problem
