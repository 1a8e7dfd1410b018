"""Rows of columns against the cleaner itself."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
from archives_by_hand import MINED

from templatemine.adapters.rows import RowCleaner, body_columns
from templatemine.cleaning.cleaner import Cleaner
from templatemine.cleaning.records import span_fields
from templatemine.config import CleanConfig, MarkupConfig, ReadConfig
from templatemine.errors import ConfigError, PackError


def test_rows_come_back_in_their_order_as_the_cleaner_has_them() -> None:
    sources = [row["source"] for row in MINED.rows]
    texts = [row["text"] for row in MINED.rows]
    done = RowCleaner(MINED.packs).columns(sources, texts)
    assert done.errors == []
    for source, text, cleaned, removed, stub in zip(sources, texts, done.texts, done.removed, done.stub, strict=True):
        if source not in MINED.packs:
            assert (cleaned, removed, stub) == (text, None, False)
            continue
        wanted = Cleaner(MINED.packs[source]).clean(text)
        assert (cleaned, stub) == (wanted.text, wanted.stub)
        assert removed == [{**span_fields(one), "templates": list(one.templates)} for one in wanted.removed]
    assert sum(bool(one) for one in done.removed) > 50


def test_columns_of_other_lengths_are_named() -> None:
    cleaner = RowCleaner({})
    with pytest.raises(ConfigError, match="^texts: expected 1 rows, as sources has, got 2$"):
        cleaner.columns(["a"], ["x", "y"])


def test_rows_without_a_source_or_a_text_stay() -> None:
    source = next(iter(MINED.packs))
    done = RowCleaner(MINED.packs).columns([None, source, source, "?"], ["a", None, "\ud800 b", "c"], [None] * 4)
    assert done.texts == ["a", None, "\ud800 b", "c"]
    assert done.removed == [None, None, [], None]
    assert RowCleaner(MINED.packs).columns([], []).texts == []


@pytest.mark.parametrize("blank", ["", " ", "\u3000"])
def test_a_blank_source_is_none(blank: str) -> None:
    source, pack = next(iter(MINED.packs.items()))
    text = next(row["text"] for row in MINED.rows if row["source"] == source)
    done = RowCleaner({source: pack, blank: pack}).columns([source, blank], [text, text])
    assert done.removed[0]
    assert (done.texts[1], done.removed[1], done.errors) == (text, None, [])


def test_pages_become_their_main_text_with_a_pack_or_without() -> None:
    page = "<html><body><div class=menu><a href=/>Home</a></div><p>" + "The council met and talked at length. " * 20
    done = RowCleaner({}).columns(["x"], None, [page])
    assert done.texts[0] is not None
    assert "The council met" in done.texts[0]
    assert done.removed[0] is not None


def test_pages_keep_their_structure_on_request_with_addresses_in_full() -> None:
    page = "<html><body><p>" + "The <b>council</b> met <a href=b.html>at length</a> and talked. " * 20
    cleaner = RowCleaner({}, CleanConfig(text_format="markdown", markup=MarkupConfig(links=True)))
    urls = ["http://x.org/d/a", None, float("nan")]
    first, *others = cleaner.columns(["x"] * 3, None, [page] * 3, urls).texts
    assert first is not None
    assert first.startswith("The **council** met [at length](http://x.org/d/b.html)")
    assert others == [first.replace("http://x.org/d/", "")] * 2
    assert pickle.loads(pickle.dumps(cleaner)).columns(["x"], None, [page], urls[:1]).texts == [first]


def test_cleaners_travel_to_other_processes_and_load_folders(tmp_path: Path) -> None:
    for number, pack in enumerate(MINED.packs.values()):
        pack.save(tmp_path / f"{number}.json")
    loaded = RowCleaner(tmp_path)
    sources, texts = [row["source"] for row in MINED.rows], [row["text"] for row in MINED.rows]
    first = loaded.columns(sources, texts)
    assert first == RowCleaner(MINED.packs).columns(sources, texts)
    assert pickle.loads(pickle.dumps(loaded)).columns(sources, texts) == first
    with pytest.raises(PackError):
        RowCleaner(tmp_path / "missing")


def test_rows_that_hold_no_strings_are_named_and_stay() -> None:
    source = next(iter(MINED.packs))
    text = next(row["text"] for row in MINED.rows if row["source"] == source)
    sources: list[Any] = [source, 5, source, [source], source]
    texts: list[Any] = [7, "a", b"bytes", "b", text]
    done = RowCleaner(MINED.packs).columns(sources, texts)
    assert done.texts[:4] == texts[:4]
    assert done.removed[:4] == [None] * 4
    assert [(place, error.problem) for place, error in done.errors] == [
        (0, "expected a string as text, found a number"),
        (2, "expected a string as text, found a bytes"),
        (3, "expected a string or a number as source, found an array"),
    ]
    assert (done.texts[4], done.removed[4]) == _cleaned(source, text)


def test_strings_of_numpy_are_strings() -> None:
    numpy = pytest.importorskip("numpy")
    source = next(iter(MINED.packs))
    text = next(row["text"] for row in MINED.rows if row["source"] == source)
    done = RowCleaner(MINED.packs).columns([numpy.str_(source)], [numpy.str_(text)])
    assert (done.texts[0], done.removed[0]) == _cleaned(source, text)


def test_what_was_cut_takes_the_place_of_no_column() -> None:
    assert body_columns(ReadConfig(), ["source", "text", "id"], "cut") == ["text"]
    for name in ("source", "text", "id"):
        with pytest.raises(ConfigError, match=f"expected a name of its own, got '{name}'"):
            body_columns(ReadConfig(), ["source", "text", "id"], name)


def test_a_source_that_is_a_number_is_that_of_its_digits() -> None:
    source = next(iter(MINED.packs))
    text = next(row["text"] for row in MINED.rows if row["source"] == source)
    done = RowCleaner({"5": MINED.packs[source]}).columns([5, "?"], [text, text])  # type: ignore[list-item]
    assert (done.texts[0], done.removed[0]) == _cleaned(source, text)
    assert done.removed[1] is None


def _cleaned(source: str, text: str) -> tuple[str, list[dict[str, Any]]]:
    wanted = Cleaner(MINED.packs[source]).clean(text)
    return wanted.text, [{**span_fields(one), "templates": list(one.templates)} for one in wanted.removed]


def test_a_bad_pack_of_a_folder_is_named_and_its_rows_stay(tmp_path: Path) -> None:
    others = [*MINED.packs.values()][1:]
    for number, pack in enumerate(MINED.packs.values()):
        pack.save(tmp_path / f"{number}.json")
    (tmp_path / "0.json").write_text((tmp_path / "0.json").read_text().replace('"documents"', '"docs"'))
    with pytest.warns(UserWarning, match=r"0\.json: the field 'documents' is missing"):
        loaded = RowCleaner(tmp_path)
    sources, texts = [row["source"] for row in MINED.rows], [row["text"] for row in MINED.rows]
    assert loaded.columns(sources, texts) == RowCleaner({pack.source: pack for pack in others}).columns(sources, texts)
    with pytest.raises(PackError):
        RowCleaner(tmp_path / "0.json")
