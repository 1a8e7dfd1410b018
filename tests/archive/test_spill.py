"""What stands on disk between the maps is what stood in memory."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from templatemine.archive.frames import body_offset, list_frames, pack_pieces, read_single_body
from templatemine.archive.spill import SharedStringsFile, dump_candidates, load_candidates, write_hashes
from templatemine.config import PipelineConfig
from templatemine.errors import CorpusError
from templatemine.mining.cross_source import count_sources
from templatemine.mining.methods import METHODS, resolve_defaults
from templatemine.mining.stages import complete_step, decide_source, mine_source
from templatemine.model import Document

OPTIONS = resolve_defaults(PipelineConfig())


def documents(source: str, number: int = 30, html: bool = False) -> list[Document]:
    random = Random(ascii(source))
    words = [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in ("m", "n", "rst")]
    out = []
    for place in range(number):
        text = " ".join(random.choices(words, k=60)) + f"\nThe letter of {source}, each day.\n\ud800"
        body: dict[str, str] = {"html": f"<div class='a'><p>{text}</p></div>"} if html else {"text": text}
        out.append(Document(source=source, id=str(place), **body))
    return out


def same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if is_dataclass(one):
        return type(one) is type(other) and all(same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    if hasattr(one, "arena"):
        return same(one.arena, other.arena) and same(one.offsets, other.offsets)
    return bool(one == other)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("html", [False, True])
def test_mined_comes_back(method: str, html: bool) -> None:
    mined = mine_source(
        "s\ud800.example", documents("s\ud800.example", html=html), resolve_defaults(PipelineConfig(method=method))
    )
    assert len(mined.strings)
    assert same(load_candidates(b"".join(dump_candidates(mined))), mined)


def arrays(one: Any) -> list[Any]:
    if isinstance(one, np.ndarray):
        return [one]
    if is_dataclass(one):
        return [array for f in fields(one) for array in arrays(getattr(one, f.name))]
    return [one.arena, one.offsets] if hasattr(one, "arena") else []


@pytest.mark.parametrize("before", range(8))
def test_numbers_begin_where_numbers_may(before: int) -> None:
    """Wherever the bytes lie: the native core reads columns as they stand."""
    mined = mine_source("s.example", documents("s.example"), OPTIONS)
    data = memoryview(b"x" * before + b"".join(dump_candidates(mined)))[before:]
    loaded = load_candidates(data)
    assert same(loaded, mined)
    assert len(arrays(loaded)) > 5
    assert all(one.flags.aligned for one in arrays(loaded))


@pytest.mark.parametrize("name", ["s.example", "so.example", "sources.example"])
def test_what_stands_in_a_frame_is_not_copied(name: str, tmp_path: Path) -> None:
    mined = mine_source(name, documents(name), OPTIONS)
    key = name.encode()
    (tmp_path / "mined").write_bytes(pack_pieces(key, dump_candidates(mined, body_offset(key))))
    body = read_single_body(str(tmp_path / "mined"), list_frames(str(tmp_path / "mined"))[0])
    loaded = load_candidates(body)
    assert same(loaded, mined)
    whole = np.frombuffer(body, np.uint8)
    assert all(np.shares_memory(one, whole) for one in arrays(loaded) if len(one))


@pytest.mark.parametrize("memory", [1, 3_000, 10**9])
def test_the_table_answers_as_the_reduce_does(tmp_path: Path, memory: int) -> None:
    sources = ["a.example", "b.example", "c.example", "d.example"]
    everything = {source: documents(source) for source in sources}
    mined = [mine_source(source, everything[source], OPTIONS) for source in sources]
    shared = count_sources([one.hashes for one in mined])
    parts = []
    for name, numbers in (("one", [2, 0]), ("two", [1, 3]), ("none", [])):
        parts.append(str(tmp_path / name))
        with open(parts[-1], "wb") as handle:
            write_hashes(handle, [mined[number].hashes for number in numbers])
    path = str(tmp_path / "shared")
    SharedStringsFile.write(path, parts, memory)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["none", "one", "shared", "two"]
    table = SharedStringsFile(path)
    for one in mined:
        found, wanted = table.lookup(one.hashes), shared.lookup(one.hashes)
        assert wanted.any()
        assert same(found, wanted)
        whole = complete_step(decide_source(one, wanted, OPTIONS), everything[one.source], OPTIONS)
        again = complete_step(decide_source(one, found, OPTIONS), everything[one.source], OPTIONS)
        assert whole.pack is not None
        assert again.pack is not None
        assert whole.pack.to_json() == again.pack.to_json()
        assert list(whole.rejected or ()) == list(again.rejected or ())


def test_one_source_alone(tmp_path: Path) -> None:
    mined = mine_source("a", documents("a"), OPTIONS)
    with open(tmp_path / "part", "wb") as handle:
        write_hashes(handle, [mined.hashes])
    SharedStringsFile.write(str(tmp_path / "shared"), [str(tmp_path / "part")], 10**6)
    assert (tmp_path / "shared").read_bytes() == b""
    assert not SharedStringsFile(str(tmp_path / "shared")).lookup(mined.hashes).any()


def test_a_table_of_another_size_is_refused(tmp_path: Path) -> None:
    (tmp_path / "shared").write_bytes(b"1234567")
    with pytest.raises(CorpusError, match="damaged"):
        SharedStringsFile(str(tmp_path / "shared"))
