"""The partition: all records once, those of a source together and in order, whatever the budget."""

from __future__ import annotations

import os
import resource
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import examples
from templatemine.archive import partition
from templatemine.archive.frames import read_bodies
from templatemine.archive.partition import (
    FOLDERS,
    SourceSizes,
    Splitter,
    StoredDocuments,
    bucket_name,
    decode_document,
    decode_source,
    encode_document,
    encode_source,
    memory_cost,
    plan_units,
    split_units,
)
from templatemine.model import Document

TEXT = st.text(st.characters(exclude_categories=()), max_size=20)  # lone surrogates too


@examples(100)
@given(source=TEXT, name=TEXT, text=st.none() | TEXT, html=st.none() | TEXT, own=st.booleans())
def test_a_document_comes_back(source: str, name: str, text: str | None, html: str | None, own: bool) -> None:
    document = Document(source=source, id=name, text=text, html=html, date="2024-01-01")
    key = encode_source(source)
    assert decode_source(key) == source
    assert decode_document(key, encode_document(document, own)) == (document, own)


def split(work: Path, items: list[tuple[str, bytes]], budget: int) -> dict[str, list[bytes]]:
    """All records by source, by way of the files."""
    for name in FOLDERS:
        (work / name).mkdir()
    splitter = Splitter(str(work / FOLDERS[0]), bucket_name, block=64)
    sizes: dict[str, SourceSizes] = {}
    for source, body in items:
        splitter.add(encode_source(source), body)
        sizes.setdefault(source, SourceSizes()).add(len(body))
    splitter.flush()
    units = plan_units(sizes, budget)
    split_units(str(work), units)
    split_units(str(work), units)  # does nothing any more
    found: dict[str, list[bytes]] = {}
    for unit in (unit for several in units.values() for unit in several):
        cost = sum(sizes[source].cost for source in unit.sources)
        assert cost <= budget or len(unit.sources) == 1
        assert unit.giant == (cost > budget)
        here: dict[str, list[bytes]] = {}
        for key, body in read_bodies(unit.path(str(work))):
            here.setdefault(decode_source(key), []).append(body)
        assert sorted(here) == list(unit.sources)
        assert not found.keys() & here.keys()
        found |= here
    return found


@examples(40)
@given(
    items=st.lists(st.tuples(st.sampled_from("abcdefghijkl"), st.binary(max_size=50)), max_size=60),
    budget=st.integers(0, 300),
)
def test_sources_stand_together_in_order(
    tmp_path_factory: pytest.TempPathFactory, items: list[tuple[str, bytes]], budget: int
) -> None:
    wanted: dict[str, list[bytes]] = {}
    for source, body in items:
        wanted.setdefault(source, []).append(body)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partition, "BUCKET_COUNT", 3)
        assert split(tmp_path_factory.mktemp("split"), items, budget) == wanted


def test_ten_thousand_sources_and_few_open_files(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # Thirty beside those that this process of tests holds already.
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")) + 30, hard))
    try:
        items = [(f"site{number % 10_000}.example", b"x" * (1 + number % 7)) for number in range(24_000)]
        found = split(tmp_path, items, 600)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert Counter(map(len, found.values())) == {2: 6_000, 3: 4_000}


def test_blocks_do_not_wait_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partition, "MAX_WAITING_BYTES", 1000)
    splitter = Splitter(str(tmp_path), lambda key: key.decode())
    for number in range(100):
        splitter.add(b"%d" % number, b"x" * 50)
    assert len(list(tmp_path.iterdir())) == 100  # all but what came last: twenty times five
    splitter.flush()
    assert sum(len(list(read_bodies(str(path)))) for path in tmp_path.iterdir()) == 100


def test_stored_documents_are_a_sequence(tmp_path: Path) -> None:
    documents = [Document(source="s", id=str(number), text=f"text {number} " * 9) for number in range(50)]
    splitter = Splitter(str(tmp_path), lambda key: "file", block=300)
    for one in documents:
        splitter.add(b"s", encode_document(one, True))
    splitter.flush()
    stored = StoredDocuments(str(tmp_path / "file"))
    assert len(stored) == 50
    assert list(stored) == documents
    assert [stored[place] for place in (7, 49, 0, -1, 8)] == [documents[place] for place in (7, 49, 0, -1, 8)]
    assert stored[10:13] == documents[10:13]
    with pytest.raises(IndexError):
        stored[50]


def test_what_is_held() -> None:
    plain, wide = "a" * 300, "字" * 100
    empty = memory_cost(Document(source="s", id="1", text=""))
    assert memory_cost(Document(source="s", id="1", text=plain)) == empty + sys.getsizeof(plain) + 6 * 300
    assert memory_cost(Document(source="s", id="1", html=wide)) == empty + sys.getsizeof(wide) + 14 * 300


def test_a_record_keeps_no_room_beside_itself() -> None:
    before = rss()
    kept = [encode_document(Document(source="s", id=str(number), text="tiny"), True) for number in range(50_000)]
    assert rss() - before < 200 * len(kept)


def rss() -> int:
    """Bytes of memory that this process holds."""
    if not sys.platform.startswith("linux"):
        pytest.skip("reads the memory as Linux tells it")
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
