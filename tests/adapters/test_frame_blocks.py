"""The real libraries: datatrove, datasets, pandas, polars."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from archives_by_hand import documents, make_mixed_archive

from templatemine.adapters.rows import RowCleaner
from templatemine.config import CleanConfig, MarkupConfig, ReadConfig
from templatemine.errors import ConfigError
from templatemine.pipeline import mine

ARCHIVE = [row for row in make_mixed_archive() if row["source"] not in ("pages", "few pages")]
PACKS = mine(documents(ARCHIVE))
SOURCES, TEXTS = [row["source"] for row in ARCHIVE], [row["text"] for row in ARCHIVE]
WANTED = RowCleaner(PACKS).columns(SOURCES, TEXTS)
TYPED = [row and [{**cut, "kind": cut.get("kind")} for cut in row] for row in WANTED.removed]
"""As columns that have a type hold it."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    packs = tmp_path / "packs"
    packs.mkdir()
    for number, pack in enumerate(PACKS.values()):
        pack.save(packs / f"{number}.json")
    return packs


LINKED = "<html><body><p>" + "The council met <a href=b.html>at length</a> and talked. " * 20
MARKDOWN = CleanConfig(text_format="markdown", markup=MarkupConfig(links=True))


def by_datatrove(row: dict[str, str]) -> str:
    from datatrove.data import Document

    from templatemine.adapters.datatrove import TemplateCleaner

    (done,) = TemplateCleaner({}, html=True, clean=MARKDOWN).run([Document(text=row.pop("html"), id="1", metadata=row)])
    return str(done.text)


def by_datasets(row: dict[str, str]) -> str:
    from templatemine.adapters.datasets import TemplateCleaner

    return str(TemplateCleaner({}, clean=MARKDOWN)({name: [value] for name, value in row.items()})["text"][0])


def by_pandas(row: dict[str, str]) -> str:
    import pandas as pd

    from templatemine.adapters.pandas import clean_frame

    return str(clean_frame(pd.DataFrame([row]), {}, clean=MARKDOWN)["text"][0])


def by_polars(row: dict[str, str]) -> str:
    import polars as pl

    from templatemine.adapters.polars import clean_frame

    return str(clean_frame(pl.DataFrame([row]), {}, clean=MARKDOWN)["text"][0])


@pytest.mark.parametrize("clean", [by_datatrove, by_datasets, by_pandas, by_polars])
def test_pages_keep_links_with_the_addresses_of_their_rows(clean: Callable[[dict[str, str]], str]) -> None:
    pytest.importorskip(clean.__name__.removeprefix("by_"))
    row = {"source": "x", "html": LINKED, "url": "http://x.org/d/a"}
    assert clean(row).startswith("The council met [at length](http://x.org/d/b.html)")
    assert clean({"source": "x", "html": LINKED}).startswith("The council met [at length](b.html)")


@pytest.mark.parametrize("frames", ["pandas", "polars", "datasets"])
def test_addresses_of_a_column_with_another_name(frames: str) -> None:
    library = pytest.importorskip(frames)
    row, read = {"source": "x", "html": LINKED, "link": "http://x.org/d/a"}, ReadConfig(url_field="link")
    if frames == "datasets":
        from templatemine.adapters.datasets import TemplateCleaner

        cleaner = TemplateCleaner({}, read, clean=MARKDOWN)
        (text,) = cleaner({name: [value] for name, value in row.items()})["text"]
    else:
        clean_frame = import_module(f"templatemine.adapters.{frames}").clean_frame
        (text,) = clean_frame(library.DataFrame([row]), {}, read, clean=MARKDOWN)["text"]
    assert "[at length](http://x.org/d/b.html)" in text


# ----------------------------------------------------------------------------------------------------------- datatrove


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_datatrove_pipeline_cleans_files(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("datatrove")
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.writers import JsonlWriter

    from templatemine.adapters.datatrove import TemplateCleaner

    source = tmp_path / "in"
    source.mkdir()
    lines = [
        json.dumps({name: row[name] for name in ("id", "text", "source")} | {"n": n}) for n, row in enumerate(ARCHIVE)
    ]
    (source / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    out = tmp_path / "out"
    steps = [JsonlReader(str(source)), TemplateCleaner(folder), JsonlWriter(str(out), compression=None)]
    stats = LocalPipelineExecutor(steps, logging_dir=str(tmp_path / "logs")).run()
    rows = [json.loads(line) for path in sorted(out.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    assert [row["metadata"]["n"] for row in rows] == list(range(len(ARCHIVE)))
    assert [row["text"] for row in rows] == WANTED.texts
    assert [row["metadata"].get("removed") for row in rows] == WANTED.removed
    assert [row["metadata"]["source"] for row in rows] == SOURCES
    counts = stats.stats[1].stats
    assert counts["total"].total == len(ARCHIVE)
    assert counts["changed"].total == sum(bool(one) for one in WANTED.removed)
    assert counts["no pack"].total == WANTED.removed.count(None)
    cut = sum(one["end"] - one["start"] for row in WANTED.removed for one in row or ())
    assert counts["cut"].total == cut > 0


def test_a_datatrove_block_takes_pages_and_documents_without_a_source(folder: Path) -> None:
    pytest.importorskip("datatrove")
    from datatrove.data import Document

    from templatemine.adapters.datatrove import TemplateCleaner

    page = "<html><body><p>" + "The council met and talked at length. " * 20
    some = [Document(text=page, id="1", metadata={"site": "x"}), Document(text="a", id="2", metadata={})]
    first, second = TemplateCleaner({}, "site", html=True).run(some)
    assert first.text.startswith("The council met")
    assert "removed" in first.metadata
    assert (second.text, second.metadata) == ("a", {})


# ------------------------------------------------------------------------------------------------------------ datasets


@pytest.fixture
def dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path)
    datasets.disable_progress_bars()
    return datasets.Dataset.from_list(
        [{"n": n, "source": row["source"], "text": row["text"]} for n, row in enumerate(ARCHIVE)]
    )


@pytest.mark.parametrize("processes", [None, 2])
def test_datasets_map_keeps_columns_and_rows(dataset: Any, folder: Path, processes: int | None) -> None:
    from templatemine.adapters.datasets import TemplateCleaner

    cleaner = TemplateCleaner(folder)
    done = dataset.map(
        cleaner, batched=True, batch_size=33, features=cleaner.features(dataset.features), num_proc=processes
    )
    assert done.column_names == ["n", "source", "text", "removed", "removed_stub"]
    assert list(done["n"]) == list(range(len(ARCHIVE)))
    assert list(done["text"]) == WANTED.texts
    assert list(done["removed"]) == TYPED
    assert list(done["removed_stub"]) == WANTED.stub


def test_datasets_hash_a_cleaner_by_what_it_does(folder: Path) -> None:
    pytest.importorskip("datasets")
    from datasets.fingerprint import Hasher

    from templatemine.adapters.datasets import TemplateCleaner

    used = TemplateCleaner(folder)
    before = Hasher.hash(used)
    used({"source": SOURCES, "text": TEXTS})
    assert Hasher.hash(used) == before == Hasher.hash(TemplateCleaner(folder))
    fewer = dict(list(PACKS.items())[1:])
    assert Hasher.hash(TemplateCleaner(fewer)) != before


def test_datasets_are_told_what_is_missing() -> None:
    from templatemine.adapters.datasets import TemplateCleaner

    with pytest.raises(ConfigError, match="columns: expected source, and text or html, found text"):
        TemplateCleaner({})({"text": ["a"]})
    with pytest.raises(ConfigError, match="expected a batch of rows, found one"):
        TemplateCleaner({})({"text": "a", "source": "b"})
    with pytest.raises(ConfigError, match="columns: expected source, and text or html, found source, body"):
        TemplateCleaner({})({"source": ["a"], "body": ["b"]})


def test_datasets_with_labels_for_sources_are_told_so() -> None:
    datasets = pytest.importorskip("datasets")
    from templatemine.adapters.datasets import TemplateCleaner

    features = {"source": datasets.ClassLabel(names=["a.example"]), "text": datasets.Value("string")}
    with pytest.raises(ConfigError, match="column source: expected strings, found ClassLabel"):
        TemplateCleaner({}).features(features)


# -------------------------------------------------------------------------------------------------------------- pandas


def test_pandas_keeps_index_columns_and_types(folder: Path) -> None:
    pd = pytest.importorskip("pandas")
    from templatemine.adapters.pandas import clean_frame

    index = pd.MultiIndex.from_arrays(
        [[n % 3 for n in range(len(ARCHIVE))], range(len(ARCHIVE))[::-1]], names=["a", "b"]
    )
    frame = pd.DataFrame(
        {
            "text": TEXTS,
            "source": pd.Categorical(SOURCES),
            "n": pd.array(range(len(ARCHIVE)), dtype="Int16"),
            ("odd", 1): 1.5,
        },
        index=index,
    )
    before = frame.copy(deep=True)
    done = clean_frame(frame, folder)
    pd.testing.assert_frame_equal(frame, before)
    pd.testing.assert_index_equal(done.index, index)
    assert list(done.columns) == [*frame.columns, "removed", "removed_stub"]
    others = ["source", "n", ("odd", 1)]
    pd.testing.assert_frame_equal(done[others], frame[others])
    assert done["text"].dtype == frame["text"].dtype
    assert done["text"].tolist() == WANTED.texts
    assert done["removed"].tolist() == WANTED.removed
    assert done["removed_stub"].tolist() == WANTED.stub


def test_pandas_with_other_names_missing_values_and_nothing_in_it() -> None:
    pd = pytest.importorskip("pandas")
    from templatemine.adapters.pandas import clean_frame

    rows = RowCleaner(PACKS)
    read = ReadConfig(text_field="body", source_field="site")
    source = next(iter(PACKS))
    frame = pd.DataFrame({"body": [None, "a", "b"], "site": [source, None, source]}, index=[7, 7, 7])
    done = clean_frame(frame, rows, read, removed_column="cut")
    assert done["body"].isna().tolist() == [True, False, False]
    assert done["cut"].tolist() == [None, None, []]
    assert done.index.tolist() == [7, 7, 7]
    assert len(clean_frame(frame.iloc[:0], rows, read)) == 0
    with pytest.raises(ConfigError, match="columns: expected source, and text or html, found body, site"):
        clean_frame(frame, rows)


def test_pandas_keeps_texts_whatever_type_they_come_in(folder: Path) -> None:
    pd = pytest.importorskip("pandas")
    from templatemine.adapters.pandas import clean_frame

    page = "<html><body><p>" + "The council met and talked at length. " * 20
    frame = pd.DataFrame({"text": pd.Categorical(TEXTS), "source": SOURCES})
    assert clean_frame(frame, folder)["text"].tolist() == WANTED.texts
    empty = pd.DataFrame({"text": [float("nan")], "html": [page], "source": ["x"]})
    for text in (empty["text"], pd.Series(pd.Categorical([None])), pd.Series([None], dtype="Int64")):
        done = clean_frame(empty.assign(text=text), folder)
        assert done["text"].tolist()[0].startswith("The council met")


def test_pandas_names_columns_that_cannot_be_cleaned(folder: Path) -> None:
    pd = pytest.importorskip("pandas")
    from templatemine.adapters.pandas import clean_frame

    frame = pd.DataFrame({"text": TEXTS[:3], "source": SOURCES[:3]})
    with pytest.raises(ConfigError, match="column text: expected strings, found bytes"):
        clean_frame(frame.assign(text=[b"a", None, b"b"]), folder)
    with pytest.raises(ConfigError, match=r"column source: expected strings, found Timestamp \(dtype datetime64"):
        clean_frame(frame.assign(source=pd.Timestamp("2026-01-05")), folder)
    with pytest.raises(ConfigError, match="columns: expected one called 'text', found 2"):
        clean_frame(pd.concat([frame, frame[["text"]]], axis=1), folder)
    with pytest.raises(ConfigError, match="expected a name of its own, got 'source'"):
        clean_frame(frame, folder, removed_column="source")
    mixed = clean_frame(frame.assign(text=[TEXTS[0], 5, b"b"]), folder)
    assert mixed["text"].tolist() == [WANTED.texts[0], 5, b"b"]
    assert mixed["removed"].tolist() == [WANTED.removed[0], None, None]


# -------------------------------------------------------------------------------------------------------------- polars


@pytest.mark.parametrize("lazy", [False, True])
def test_polars_keeps_rows_and_columns(folder: Path, lazy: bool) -> None:
    pl = pytest.importorskip("polars")
    from templatemine.adapters.polars import REMOVED, clean_frame

    frame = pl.DataFrame({"n": range(len(ARCHIVE)), "text": TEXTS, "source": pl.Series(SOURCES, dtype=pl.Categorical)})
    done = clean_frame(frame.lazy(), folder).collect() if lazy else clean_frame(frame, folder)
    assert done.columns == ["n", "text", "source", "removed", "removed_stub"]
    assert done.select("n", "source").equals(frame.select("n", "source"))
    assert done.schema["removed"] == REMOVED
    assert done["text"].to_list() == WANTED.texts
    assert done["removed"].to_list() == TYPED
    assert done["removed_stub"].to_list() == WANTED.stub


def test_polars_streams_from_file_to_file(folder: Path, tmp_path: Path) -> None:
    pl = pytest.importorskip("polars")
    from templatemine.adapters.polars import clean_frame

    pl.DataFrame({"text": TEXTS, "source": SOURCES}).write_parquet(tmp_path / "in.parquet", row_group_size=50)
    clean_frame(pl.scan_parquet(tmp_path / "in.parquet"), folder).sink_parquet(tmp_path / "out.parquet")
    assert pl.read_parquet(tmp_path / "out.parquet")["text"].to_list() == WANTED.texts
    changed = pl.col("removed").list.len() > 0
    some = clean_frame(pl.scan_parquet(tmp_path / "in.parquet"), folder).filter(changed).select("text").collect()
    assert some["text"].to_list() == [text for text, cut in zip(WANTED.texts, WANTED.removed, strict=True) if cut]


def test_polars_with_pages_empty_frames_and_mistakes() -> None:
    pl = pytest.importorskip("polars")
    from templatemine.adapters.polars import clean_frame

    page = "<html><body><p>" + "The council met and talked at length. " * 20
    done = clean_frame(pl.DataFrame({"html": [page, None], "source": ["x", "y"]}), {})
    assert done["text"][0].startswith("The council met")
    assert done["text"][1] is None
    assert done["removed"].is_null().to_list() == [False, True]
    empty = pl.DataFrame({"text": [], "source": []}, schema={"text": pl.String, "source": pl.String})
    assert clean_frame(empty, {}).schema == clean_frame(empty.lazy(), {}).collect_schema()
    with pytest.raises(ConfigError, match="columns: expected source, and text or html, found a"):
        clean_frame(pl.DataFrame({"a": [1]}), {})
    with pytest.raises(ConfigError, match="column text: expected strings, found Int64"):
        clean_frame(pl.DataFrame({"text": [1], "source": ["a"]}), {})
