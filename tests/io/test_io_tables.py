"""Tables: rows in, records out, and back with every other column as it was."""

from __future__ import annotations

import datetime
import decimal
import io
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from io_support import gather
from templatemine.config import ReadConfig
from templatemine.errors import CorpusError
from templatemine.io.files import Report
from templatemine.io.jsonl import encode_line
from templatemine.io.read import read_batch, read_batches

pa = pytest.importorskip("pyarrow")

from pyarrow import feather, ipc, parquet  # noqa: E402

from templatemine.io import tables  # noqa: E402


def write_file(table: Any, path: Path) -> None:
    with ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table, max_chunksize=100)


def write_stream(table: Any, path: Path) -> None:
    with ipc.new_stream(str(path), table.schema) as writer:
        writer.write_table(table, max_chunksize=100)


WRITERS: dict[str, Callable[[Any, Path], None]] = {
    "a.parquet": lambda table, path: parquet.write_table(table, path, row_group_size=150),
    "a.arrow": write_file,
    "a.arrows": write_stream,
    "a.feather": lambda table, path: feather.write_feather(table, str(path)),
}


def table(count: int = 3, **columns: Any) -> Any:
    given = {
        "id": [f"i{number}" for number in range(count)],
        "text": [f"text {number}" for number in range(count)],
        "source": ["s"] * count,
        **columns,
    }
    return pa.table({name: column for name, column in given.items() if column is not None})


@pytest.mark.parametrize("name", WRITERS)
def test_rows_are_records(tmp_path: Path, name: str) -> None:
    WRITERS[name](table(700), tmp_path / name)
    found, errors, _ = gather(tmp_path / name)
    assert [one.document.id for one in found] == [f"i{number}" for number in range(700)]
    assert found[-1].document.text == "text 699"
    assert found[-1].fields == {"id": "i699", "text": "text 699", "source": "s"}
    assert found[-1].where == f"{tmp_path / name}:700"
    assert errors == []


@pytest.mark.parametrize("name", WRITERS)
def test_batches_are_the_same_records(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    WRITERS[name](table(700, when=[datetime.date(2024, 1, 2)] * 700), path)
    errors: list[CorpusError] = []
    works = list(read_batches([path], ReadConfig(), Report(errors.append), 256, 1 << 12))
    assert len(works) > 3
    records = [one for work in works for one in read_batch(work, ReadConfig(), errors.append)]
    assert [(fields, where) for _, where, fields, _ in records] == [(one.fields, one.where) for one in gather(path)[0]]
    assert errors == []


@pytest.mark.parametrize("name", WRITERS)
def test_no_rows(tmp_path: Path, name: str) -> None:
    WRITERS[name](table(0, text=pa.array([], pa.string())), tmp_path / name)
    assert gather(tmp_path / name)[:2] == ([], [])
    (work,) = read_batches([tmp_path / name], ReadConfig(), Report(), 256, 1 << 19)
    assert list(read_batch(work, ReadConfig(), lambda error: None)) == []


def test_nulls_and_other_types(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    parquet.write_table(table(4, text=["a", None, "c", "d"], source=[1, 2, None, 4], id=None), path)
    found, (error,), _ = gather(path)
    assert [(one.document.source, one.document.id) for one in found] == [("1", "a:1"), ("a", "a:3"), ("4", "a:4")]
    assert error.where == f"{path}:2"
    assert "found null in 'text'" in error.problem
    parquet.write_table(table(2, text=[1.5, 2.5]), path)
    found, errors, _ = gather(path)
    assert found == []
    assert [error.problem for error in errors] == ["expected a string in field 'text', found a number"] * 2
    parquet.write_table(table(1, text=None), path)
    assert "expected a field 'text' or 'html', found only 'id', 'source'" in gather(path)[1][0].problem


@pytest.mark.parametrize("kind", ["large_string", "string_view", "binary", "large_binary", "dictionary"])
def test_every_way_to_hold_text(tmp_path: Path, kind: str) -> None:
    type_ = pa.dictionary(pa.int32(), pa.string()) if kind == "dictionary" else getattr(pa, kind)()
    column = pa.array(["é", "b", "é"]).cast(type_)
    write_stream(table(3, text=column), tmp_path / "a.arrows")
    found, errors, _ = gather(tmp_path / "a.arrows")
    assert [one.document.text for one in found] == ["é", "b", "é"]
    assert errors == []


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    write_stream(table(2, text=[b"caf\xe9", b"ok"], html=[None, None]), tmp_path / "a.arrows")
    found, (error,), _ = gather(tmp_path / "a.arrows")
    assert [one.document.text for one in found] == ["ok"]
    assert error.problem == "expected UTF-8 in field 'text', found byte 0xe9 at byte offset 3"
    write_stream(table(1, text=None, html=[b"<p>caf\xe9"]), tmp_path / "a.arrows")
    assert [one.document.html for one in gather(tmp_path / "a.arrows")[0]] == ["<p>café"]


def test_values_that_json_has_no_word_for(tmp_path: Path) -> None:
    moment = datetime.datetime(2024, 1, 2, 3, 4, 5)
    row = {
        "date": moment,
        "day": moment.date(),
        "price": decimal.Decimal("1.50"),
        "raw": b"\xff",
        "deep": [{"when": moment, "x": None}],
        "half": 0.5,
    }
    fields = table(1).to_pylist()[0] | row
    schema = pa.Table.from_pylist([fields]).schema
    schema = schema.set(schema.get_field_index("half"), pa.field("half", pa.float16()))
    write_stream(pa.Table.from_pylist([fields], schema=schema), tmp_path / "a.arrows")
    (one,), _, _ = gather(tmp_path / "a.arrows")
    assert one.document.date == "2024-01-02T03:04:05"
    assert one.fields["day"] == "2024-01-02"
    assert one.fields["price"] == "1.50"
    assert one.fields["raw"] == "/w=="
    assert one.fields["deep"] == [{"when": "2024-01-02T03:04:05", "x": None}]
    assert one.fields["half"] == 0.5


@pytest.mark.parametrize("name", WRITERS)
def test_two_columns_of_one_name(tmp_path: Path, name: str) -> None:
    if name == "a.feather":
        pytest.skip("its writer refuses that")
    twice = pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], names=["text", "text"])
    WRITERS[name](twice, tmp_path / name)
    _, (error,), _ = gather(tmp_path / name)
    assert error.fatal
    assert "found two called 'text'" in error.problem


def test_files_whose_schema_stands_at_the_end(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    polars.DataFrame({"id": ["a", "b"], "text": ["One", "Two"]}).write_ipc(tmp_path / "a.arrow", compression="zstd")
    found, errors, _ = gather(tmp_path / "a.arrow")
    assert not errors
    assert [one.document.body for one in found] == ["One", "Two"]


@pytest.mark.parametrize("rows", [[], [0], [3], [0, 1, 3], [1, 2, 3, 4]])
def test_rows_of_a_batch(rows: list[int]) -> None:
    """Also of columns of views, of which Arrow takes no single rows."""
    columns = {
        "view": pa.array(["x" * 20, None, "y", "z", "é"], pa.string_view()),
        "kind": pa.array(["a", "b", "a", None, "b"]).dictionary_encode(),
        "list": pa.array([[1], None, [], [2, 3], [4]]),
    }
    batch = pa.RecordBatch.from_pydict(columns)
    found = tables._take_rows(batch, rows)
    assert found.schema == batch.schema
    assert found.to_pylist() == [batch.to_pylist()[row] for row in rows]


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.9, 0.99])
def test_truncated(tmp_path: Path, name: str, share: float) -> None:
    """Damage is fatal, and what comes before it is there, each row once."""
    path = tmp_path / name
    WRITERS[name](table(500), path)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    found, errors, _ = gather(path)
    assert [one.document.id for one in found] == [f"i{number}" for number in range(len(found))]
    # A stream may end where a batch does; then all rows but the mark of the end are there.
    assert (errors and errors[-1].fatal) or (name == "a.arrows" and len(found) == 500)


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize(
    "data", [b"PAR1" + b"x" * 60 + b"PAR1", b"FEA1" + b"x" * 90, b"ARROW1\0\0" + b"y" * 90, b"z" * 90]
)
def test_something_else(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    found, (error,), _ = gather(tmp_path / name)
    assert found == []
    assert error.fatal
    assert "\n" not in str(error)


def test_rows_that_are_too_large(tmp_path: Path) -> None:
    parquet.write_table(table(3, text=["a", "é" * 600, "c" * 1000]), tmp_path / "a.parquet")
    found, (error,), _ = gather(tmp_path / "a.parquet", ReadConfig(max_record=1000))
    assert [len(one.document.body) for one in found] == [1, 1000]
    assert error.problem == "expected at most 1,000 bytes (ReadConfig.max_record), found more"


@pytest.mark.parametrize("name", WRITERS)
def test_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    class Stdin:
        buffer: io.BufferedReader

    WRITERS[name](table(3), tmp_path / name)
    with (tmp_path / name).open("rb") as stream:
        Stdin.buffer = stream
        monkeypatch.setattr(sys, "stdin", Stdin)
        form = "parquet" if name.endswith("parquet") else "arrow"
        assert len(gather("-", ReadConfig(format=form))[0]) == 3


def test_a_source_rule_looks_at_any_column(tmp_path: Path) -> None:
    parquet.write_table(table(2, site=["x", "y"]), tmp_path / "a.parquet")
    config = ReadConfig(source_of="field:site")
    assert [one.document.source for one in gather(tmp_path / "a.parquet", config)[0]] == ["x", "y"]


class TestSheet:
    @staticmethod
    def rows(given: Any) -> Any:
        batches = tables.read_batches(lambda path: iter(given.to_batches()), "s", ReadConfig(), Report(), 256, 1 << 20)
        return next(batches)

    @staticmethod
    def unpacked(data: bytes) -> Any:
        with ipc.open_stream(data) as stream:
            return stream.read_all()

    def test_only_the_new_columns_differ(self) -> None:
        other = pa.array([datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)] * 3, pa.timestamp("us", "UTC"))
        given = table(3, when=other, small=pa.array([1, None, 3], pa.int8())).replace_schema_metadata({"a": "b"})
        sheet = tables.OutputRows(self.rows(given), tables.cleaned_columns("text", "removed", None))
        sheet.add(0, {"text": "new", "removed": [{"start": 0, "end": 2, "templates": ("t",)}]})
        sheet.add(2, {"text": "text 2"})
        out = self.unpacked(sheet.serialize())
        kept = ["id", "source", "when", "small"]
        assert out.select(kept).equals(given.take([0, 2]).select(kept))
        assert out.schema.metadata == {b"a": b"b"}
        assert out.column_names == [*given.column_names, "removed", "removed_stub"]
        assert out["text"].to_pylist() == ["new", "text 2"]
        assert out["removed"].to_pylist() == [[{"start": 0, "end": 2, "templates": ["t"], "kind": None}], None]

    @pytest.mark.parametrize(
        "kind", [pa.large_string(), pa.string_view(), pa.binary(), pa.dictionary(pa.int32(), pa.string())]
    )
    def test_the_type_of_the_text_stays(self, kind: Any) -> None:
        given = table(2, text=pa.array(["a", "b"]).cast(kind))
        sheet = tables.OutputRows(self.rows(given), tables.cleaned_columns("text", "removed", "blocks"))
        for place in range(2):
            sheet.add(place, {"text": "é"})
        out = self.unpacked(sheet.serialize())
        assert out.schema.field("text").type == kind
        assert out["text"].cast(pa.string()).to_pylist() == ["é", "é"]

    def test_inputs_with_other_columns_are_refused(self) -> None:
        sink = io.BytesIO()
        writer = tables.TableWriter("out", lambda schema: parquet.ParquetWriter(tables.ArrowOutput(sink), schema), {})
        writer.write(self.rows(table(2)).data)
        with pytest.raises(CorpusError, match="expected inputs with the same columns, found"):
            writer.write(self.rows(table(2, more=[1, 2])).data)


def test_many_columns_take_linear_time() -> None:
    schema = pa.schema([(f"c{number}", pa.null()) for number in range(30_000)])
    start = time.process_time()
    list(tables.check_batches([], schema, "a.parquet", lambda: 0))
    assert time.process_time() - start < 2.0


@pytest.mark.parametrize("value", [7, "text", [7]])
def test_a_column_of_another_type_is_named(tmp_path: Path, value: Any) -> None:
    """A record that passes unchanged keeps its own value of a field that cleaning makes."""
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"text": ["a"], "removed": [value]}), path)
    (rows,) = read_batches([path], ReadConfig(), Report(), 100, 1 << 20)
    sheet = tables.OutputRows(rows, tables.cleaned_columns("text", "removed", None))
    sheet.add(0, {"text": "a", "removed": value})
    with pytest.raises(
        CorpusError, match=r"values of field 'removed' .* \(removed_field= names another column\)"
    ) as caught:
        sheet.serialize()
    assert caught.value.fatal
    assert caught.value.where == str(path)
    writer = tables.TableWriter("out.parquet", lambda schema: None, tables.cleaned_columns("text", "removed", None))
    with pytest.raises(CorpusError, match="values of field 'removed'"):
        writer.write(encode_line({"text": "a", "removed": value}))
