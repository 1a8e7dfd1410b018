"""Tables of the real libraries, by the Arrow PyCapsule interface: in, cleaned, and out again."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from archives_by_hand import MINED

from templatemine.api import mine
from templatemine.config import CleanConfig, MarkupConfig, ReadConfig
from templatemine.errors import ConfigError

pa = pytest.importorskip("pyarrow")

from pyarrow import parquet  # noqa: E402

from templatemine.adapters.table import TableCleaner, clean_table  # noqa: E402
from templatemine.io.capsule import BATCH_ROWS  # noqa: E402
from templatemine.io.tables import SPANS  # noqa: E402

"""As columns that have a type hold it."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    packs = tmp_path / "packs"
    packs.mkdir()
    for number, pack in enumerate(MINED.packs.values()):
        pack.save(packs / f"{number}.json")
    return packs


def of_pyarrow() -> Any:
    return pa.table(MINED.columns)


def of_pandas() -> Any:
    return pytest.importorskip("pandas").DataFrame(MINED.columns)


def of_polars() -> Any:
    return pytest.importorskip("polars").DataFrame(MINED.columns)


def of_duckdb() -> Any:
    duckdb = pytest.importorskip("duckdb")
    return duckdb.from_arrow(pa.table(MINED.columns)).order("n")


def of_a_stream() -> Any:
    return pa.table(MINED.columns).to_reader(max_chunksize=50)


@pytest.mark.parametrize("make", [of_pyarrow, of_pandas, of_polars, of_duckdb, of_a_stream])
def test_tables_of_all_libraries(make: Callable[[], Any], folder: Path) -> None:
    done = clean_table(make(), folder).read_all()
    assert done.column_names == ["n", "text", "source", "removed", "removed_stub"]
    assert done["n"].to_pylist() == MINED.columns["n"]
    assert done["source"].to_pylist() == MINED.sources
    assert done["text"].to_pylist() == MINED.wanted.texts
    assert done["removed"].to_pylist() == MINED.typed
    assert done["removed_stub"].to_pylist() == MINED.wanted.stub
    assert done.schema.field("removed").type == SPANS
    assert sum(bool(one) for one in MINED.typed) > 50


def test_back_into_the_libraries() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    frame = polars.DataFrame(clean_table(of_polars(), MINED.packs))
    assert frame["text"].to_list() == MINED.wanted.texts
    assert frame.schema["removed"] == polars.List(
        polars.Struct(
            {"start": polars.Int64, "end": polars.Int64, "templates": polars.List(polars.String), "kind": polars.String}
        )
    )
    index = pandas.MultiIndex.from_arrays(
        [[n % 3 for n in MINED.columns["n"]], MINED.columns["n"][::-1]], names=["a", "b"]
    )
    given = (
        of_pandas()
        .set_index(index)
        .assign(kind=pandas.Categorical(MINED.sources), n=lambda one: one["n"].astype("Int16"))
    )
    before = given.copy(deep=True)
    done = clean_table(given, MINED.packs).read_pandas()
    pandas.testing.assert_frame_equal(given, before)
    pandas.testing.assert_index_equal(done.index, index)
    pandas.testing.assert_frame_equal(done[["source", "kind"]], given[["source", "kind"]])
    assert done["text"].tolist() == MINED.wanted.texts


def test_types_of_texts_stay() -> None:
    table = pa.table(MINED.columns)
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        done = clean_table(table.set_column(1, "text", table["text"].cast(kind)), MINED.packs).read_all()
        assert done.schema.field("text").type == kind
        assert done["text"].to_pylist() == MINED.wanted.texts
    categories = table.set_column(1, "text", table["text"].dictionary_encode())
    done = clean_table(categories, MINED.packs).read_all()
    assert done.schema.field("text").type == pa.string()  # cleaned texts are none of its categories
    assert done["text"].to_pylist() == MINED.wanted.texts


def test_batches_are_read_as_they_are_asked_for() -> None:
    taken: list[int] = []

    def batches() -> Iterator[Any]:
        for number in range(5):
            taken.append(number)
            yield pa.record_batch(MINED.columns)

    reader = clean_table(
        pa.RecordBatchReader.from_batches(pa.record_batch(MINED.columns).schema, batches()), MINED.packs
    )
    assert taken == []
    assert reader.read_next_batch()["text"].to_pylist() == MINED.wanted.texts
    assert taken == [0]
    long = pa.table({"text": [None] * (2 * BATCH_ROWS + 1), "source": ["a"] * (2 * BATCH_ROWS + 1)})
    assert [one.num_rows for one in clean_table(long, MINED.packs)] == [BATCH_ROWS, BATCH_ROWS, 1]


def test_from_file_to_file(folder: Path, tmp_path: Path) -> None:
    from pyarrow import dataset

    parquet.write_table(pa.table(MINED.columns), tmp_path / "in.parquet", row_group_size=50)
    read = dataset.dataset(tmp_path / "in.parquet").scanner().to_reader()
    dataset.write_dataset(clean_table(read, folder), tmp_path / "out", format="parquet")
    assert parquet.read_table(tmp_path / "out")["text"].to_pylist() == MINED.wanted.texts


LINKED = "<html><body><p>" + "The council met <a href=b.html>at length</a> and talked. " * 20


def test_pages_become_their_main_text_with_addresses_of_their_rows() -> None:
    markdown = CleanConfig(text_format="markdown", markup=MarkupConfig(links=True))
    table = pa.table({"source": ["x", "x"], "html": [LINKED, None], "link": ["http://x.org/d/a", None]})
    done = clean_table(table, {}, ReadConfig(url_field="link"), clean=markdown).read_all()
    assert done.column_names == ["source", "html", "link", "text", "removed", "removed_stub"]
    first, second = done["text"].to_pylist()
    assert first.startswith("The council met [at length](http://x.org/d/b.html)")
    assert second is None
    assert done["removed"].is_null().to_pylist() == [False, True]


def test_other_names_missing_values_and_nothing_in_it() -> None:
    source = next(iter(MINED.packs))
    table = pa.table({"body": [None, "a", "b"], "site": [source, None, source]})
    cleaner = TableCleaner(MINED.packs, ReadConfig(text_field="body", source_field="site"), removed_column="cut")
    done = cleaner(table)
    assert done["body"].to_pylist() == [None, "a", "b"]
    assert done["cut"].to_pylist() == [None, None, []]
    assert cleaner(table.slice(0, 0)).schema == done.schema
    assert pickle.loads(pickle.dumps(cleaner))(table).equals(done)


def test_columns_that_cannot_be_cleaned_are_named() -> None:
    with pytest.raises(ConfigError, match="columns: expected source, and text or html, found a"):
        clean_table(pa.table({"a": [1]}), {})
    with pytest.raises(ConfigError, match="column text: expected strings, found int64"):
        clean_table(pa.table({"text": [1], "source": ["a"]}), {})
    with pytest.raises(ConfigError, match="column source: expected strings, found timestamp"):
        clean_table(pa.table({"text": ["a"], "source": pa.array([0], pa.timestamp("us"))}), {})
    with pytest.raises(ConfigError, match="expected a name of its own, got 'source'"):
        clean_table(pa.table({"text": ["a"], "source": ["a"]}), {}, removed_column="source")
    with pytest.raises(ConfigError, match="columns: expected one called 'text', found 2"):
        clean_table(pa.Table.from_arrays([pa.array(["a"])] * 3, ["text", "text", "source"]), {})
    with pytest.raises(ConfigError, match=r"expected one that Arrow can read \(__arrow_c_stream__\), got list"):
        clean_table([{"text": "a", "source": "b"}], {})  # type: ignore[arg-type]
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ConfigError, match="columns of one type each, .*, got DataFrame, of which Arrow says"):
        clean_table(pandas.DataFrame({"text": ["a", 5], "source": "a"}), {})


@pytest.mark.parametrize("processes", [None, 2])
def test_datasets_map_a_cleaner(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: int | None
) -> None:
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path)
    datasets.disable_progress_bars()
    given = datasets.Dataset.from_dict(MINED.columns).with_format("arrow")
    done = given.map(TableCleaner(folder), batched=True, batch_size=33, num_proc=processes).with_format(None)
    assert done.column_names == ["n", "text", "source", "removed", "removed_stub"]
    assert list(done["text"]) == MINED.wanted.texts
    assert list(done["removed"]) == MINED.typed


def test_datasets_hash_a_cleaner_by_what_it_does(folder: Path) -> None:
    pytest.importorskip("datasets")
    from datasets.fingerprint import Hasher

    used = TableCleaner(folder)
    before = Hasher.hash(used)
    used(pa.table(MINED.columns))
    assert Hasher.hash(used) == before == Hasher.hash(TableCleaner(folder))
    assert Hasher.hash(TableCleaner(dict(list(MINED.packs.items())[1:]))) != before


@pytest.mark.parametrize("make", [of_pyarrow, of_pandas, of_polars, of_duckdb, of_a_stream])
def test_tables_are_mined_as_documents_are(make: Callable[[], Any]) -> None:
    wanted = mine([{"source": source, "text": text} for source, text in zip(MINED.sources, MINED.texts, strict=True)])
    assert mine(make()) == wanted
    assert wanted.keys() == MINED.packs.keys()
