"""Frames: what goes in comes out, and damage is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import examples
from templatemine.archive.frames import list_frames, pack_frame, pack_pieces, read_bodies, read_single_body
from templatemine.errors import CorpusError

ITEMS = st.lists(st.tuples(st.binary(max_size=8), st.binary(max_size=40)), max_size=6)


@examples(60)
@given(blocks=st.lists(ITEMS, max_size=5))
def test_records_come_back(tmp_path_factory: pytest.TempPathFactory, blocks: list[list[tuple[bytes, bytes]]]) -> None:
    path = str(tmp_path_factory.mktemp("frames") / "x")
    Path(path).write_bytes(b"".join(pack_frame(block) for block in blocks))
    assert list(read_bodies(path)) == [item for block in blocks for item in block]
    found = list_frames(path)
    assert [list(read_bodies(path, one)) for one in found] == blocks
    assert [one.records for one in found] == [len(block) for block in blocks]


def test_one_record_in_pieces(tmp_path: Path) -> None:
    path = tmp_path / "x"
    pieces = [b"abc", memoryview(b"def" * 1000), b""]
    path.write_bytes(pack_frame([(b"s", b"1")]) + pack_pieces(b"key", pieces))
    _, frame = list_frames(str(path))
    body = bytes(read_single_body(str(path), frame))
    assert body == b"abc" + b"def" * 1000
    assert list(read_bodies(str(path), frame)) == [(b"key", body)]


@pytest.mark.parametrize("place", range(0, 60, 3))
def test_a_changed_byte_is_found(tmp_path: Path, place: int) -> None:
    path = tmp_path / "x"
    whole = bytearray(pack_frame([(b"source", b"a body of some length")]))
    whole[place % len(whole)] ^= 0x55
    path.write_bytes(whole)
    with pytest.raises(CorpusError, match=r"damaged|cannot be read"):
        assert list(read_bodies(str(path))) == [(b"source", b"a body of some length")]


@pytest.mark.parametrize("length", [1, 10, 19, 20, 21, 30])
def test_a_torn_end_is_found(tmp_path: Path, length: int) -> None:
    path = tmp_path / "x"
    frame = pack_frame([(b"source", b"a body of some length")])
    path.write_bytes(frame + frame[:length])
    with pytest.raises(CorpusError, match="damaged"):
        list(read_bodies(str(path)))
    with pytest.raises(CorpusError, match="damaged"):
        list_frames(str(path))


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(CorpusError, match="cannot be read") as caught:
        list_frames("nowhere")
    assert caught.value.fatal
