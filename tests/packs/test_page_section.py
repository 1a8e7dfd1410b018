"""The pages section of a pack: there and back, and every field checked."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from invented_pages import CALL, page
from templatemine import Miner, mine
from templatemine.config import MineConfig, PipelineConfig
from templatemine.errors import PackError
from templatemine.model import Document
from templatemine.packs.pack import Pack

TEN = PipelineConfig(mine=MineConfig(min_docs=10))


@pytest.fixture(scope="module")
def pack() -> Pack:
    documents = [Document(source="lantern.example", id=str(n), html=page(n, CALL)) for n in range(12)]
    return mine(documents)["lantern.example"]


def test_few_pages_give_a_pack_that_knows_pages_only() -> None:
    documents = [Document(source="s", id=str(n), html=page(n)) for n in range(9)]
    (report,) = Miner(TEN).run(documents[:6])
    assert report.pack is not None
    assert report.pack.pages is not None
    assert (report.pack.templates, report.pack.documents) == ((), 6)
    assert report.note == "6 documents, at least 10 are needed for templates; main text of pages only"
    assert Pack.from_json(report.pack.to_json()).pages == replace(
        report.pack.pages, share=round(report.pack.pages.share, 6)
    )
    assert Miner(TEN).run(documents[:2])[0].pack is None
    assert Miner(TEN).run([replace(documents[0], id=str(n)) for n in range(6)])[0].pack is None


def test_there_and_back(pack: Pack) -> None:
    assert pack.pages is not None
    assert pack.pages.documents == 12
    again = Pack.from_json(pack.to_json())
    assert again.pages is not None
    assert (again.pages.paths, again.pages.texts) == (pack.pages.paths, pack.pages.texts)
    assert again.to_json() == pack.to_json()


def test_a_path_and_a_text_are_a_line_each(pack: Pack) -> None:
    lines = pack.to_json().splitlines()
    assert any('"path": "div.story>p"' in line and '"kept"' in line for line in lines)
    assert any('"text": "By Anna Reed' in line and '"df": 12' in line for line in lines)


def test_packs_without_it_still_load(pack: Pack) -> None:
    data = json.loads(pack.to_json())
    for key in ("pages", "page_paths", "page_texts"):
        del data[key]
    assert Pack.from_json(json.dumps(data)).pages is None


def test_packs_from_before_blocks_were_counted_still_load(pack: Pack) -> None:
    data = json.loads(pack.to_json())
    for row in data["page_paths"]:
        assert row.pop("blocks") >= row["pages"]
    again = Pack.from_json(json.dumps(data)).pages
    assert again is not None
    assert {vote.blocks for vote in again.paths} == {0}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"pages": 3}, "pages: expected an object, got int"),
        ({"pages": {"documents": 3}}, "share: expected a number from 0 to 1, got None"),
        ({"pages": {"documents": -1, "share": 0.5}}, "documents: expected a count, got -1"),
        ({"page_paths": None}, "page_paths: expected a list, got NoneType"),
        ({"page_paths": [3]}, r"page_paths\[0\]: expected an object, got int"),
        (
            {"page_paths": [{"path": 1, "pages": 1, "words": 1, "kept": 1}]},
            r"page_paths\[0\]: path: expected a string, got 1",
        ),
        ({"page_paths": [{"path": "p", "pages": 1, "words": 1, "kept": 2}]}, "expected kept of at most 1 words, got 2"),
        (
            {"page_paths": [{"path": "p", "pages": 1, "words": 2, "kept": 1, "blocks": "x"}]},
            r"page_paths\[0\]: blocks: expected a count, got 'x'",
        ),
        ({"page_texts": [{"text": "x", "path": "p"}]}, r"page_texts\[0\]: df: expected a count, got None"),
    ],
)
def test_what_is_wrong_is_named(pack: Pack, change: dict[str, Any], told: str) -> None:
    with pytest.raises(PackError, match=told):
        Pack.from_json(json.dumps({**json.loads(pack.to_json()), **change}))
