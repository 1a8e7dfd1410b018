"""What a caller may give in place of documents."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest

import templatemine
from templatemine.archive.archive_report import SourcelessRecords
from templatemine.config import ReadConfig
from templatemine.errors import ConfigError, CorpusError, MissingExtraError
from templatemine.io.documents_like import documents_of
from templatemine.model import Document, Record

WORDS = [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in ("m", "n", "rst")]
ROWS: list[dict[str, Any]] = [
    {
        "source": "a.example",
        "id": str(number),
        "text": f"{' '.join(Random(number).choices(WORDS, k=20))}.\nSign up for the letter of a.example.",
    }
    for number in range(20)
]
DOCUMENTS = [Document(**row) for row in ROWS]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "a.jsonl"
    place.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return place


def test_all_of_them_are_the_same_documents(path: Path) -> None:
    for given in (
        DOCUMENTS,
        iter(DOCUMENTS),
        ROWS,
        path,
        str(path),
        [path],
        (row for row in ROWS),
        [*DOCUMENTS[:5], *ROWS[5:]],
    ):
        assert list(documents_of(given)) == DOCUMENTS
    assert list(templatemine.read(path)) == DOCUMENTS
    assert list(templatemine.read(str(path.parent / "*.jsonl"), path)) == DOCUMENTS * 2


def test_dates_of_other_types() -> None:
    pandas = pytest.importorskip("pandas")
    day = datetime(2024, 5, 31, 23, 30)
    given = [day, day.date(), pandas.Timestamp(day, tz="Europe/Madrid"), int(day.timestamp()), 1.0, 20240531, "May"]
    rows = [{"source": "a", "text": "x", "date": one} for one in given]
    read = ["2024-05-31T23:30:00", "2024-05-31", "2024-05-31T23:30:00+02:00", str(given[3]), "1", "20240531", "May"]
    assert [one.date for one in documents_of(rows)] == read
    frame = pandas.DataFrame({"source": ["a", "b"], "text": ["x", "y"], "date": [pandas.Timestamp(day), None]})
    assert [one.date for one in documents_of(frame)] == [read[0], None]
    for none in (True, 1.5, [], None):
        (one,) = documents_of([{"source": "a", "text": "x", "date": none}])
        assert one.date is None


def test_fields_of_other_names(tmp_path: Path) -> None:
    rows = [{"site": "a", "body": "x", "id": "1"}]
    (one,) = documents_of(rows, ReadConfig(source_field="site", text_field="body"))
    assert one == Document(source="a", id="1", text="x")
    (tmp_path / "a.jsonl").write_text(json.dumps(rows[0]))
    assert list(templatemine.read(tmp_path / "a.jsonl", source_field="site", text_field="body")) == [one]
    (one,) = documents_of([{"source": "a", "text": "x", "date": "2001", "at": "2024"}], ReadConfig(date_field="at"))
    assert one.date == "2024"
    (tmp_path / "b.jsonl").write_text(json.dumps({"text": "x", "id": 1, "link": "http://a.org/b", "headline": "News"}))
    names = {"url_field": "link", "title_field": "headline"}
    (one,) = templatemine.read(tmp_path / "b.jsonl", source_of="host", **names)
    assert (one.source, one.url, one.title) == ("a.org", "http://a.org/b", "News")
    (one,) = templatemine.read(tmp_path / "b.jsonl", id_field="link", **names)  # an address is often the id
    assert one.id == one.url == "http://a.org/b"


def given_as(library: str, rows: list[dict[str, Any]], folder: Path) -> Any:
    """Some records as a file, as dicts, or as a data frame of a library."""
    if library == "file":
        path = folder / "a.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path
    return rows if library == "dicts" else pytest.importorskip(library).DataFrame(rows)


@pytest.mark.parametrize("library", ["dicts", "pandas", "polars", "file"])
def test_fields_are_named_alike_wherever_documents_are_taken(library: str, tmp_path: Path) -> None:
    names: Any = {"text_field": "body", "source_field": "site", "id_field": "key"}
    rows = [{"site": row["source"], "key": row["id"], "body": row["text"]} for row in ROWS]
    given = given_as(library, rows, tmp_path)
    packs = templatemine.mine(given, **names)
    assert packs == templatemine.mine(ROWS)
    assert [document for document, _ in packs.clean(given, **names)] == DOCUMENTS
    with pytest.raises(
        CorpusError, match=r"only 'site', 'key', 'body' \(text_field= names another; text_field='body'\?\)"
    ):
        templatemine.mine(given, source="a.example")
    for call in (templatemine.mine, packs.clean):
        with pytest.raises(
            TypeError,
            match="unexpected keyword argument 'text_feild' .did you mean text_field.* text_field, html_field",
        ):
            call(given, text_feild="body")
        with pytest.raises(ConfigError, match="text_field: expected a string, got 7"):
            call(given, text_field=7)


def test_data_frames() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ROWS)
    assert list(documents_of(frame)) == DOCUMENTS
    frame["html"] = [None] * 19 + ["<p>page</p>"]
    frame["date"] = [float("nan")] * 20
    found = list(documents_of(frame))
    assert found[:19] == DOCUMENTS[:19]
    assert found[19].html == "<p>page</p>"
    polars = pytest.importorskip("polars")
    assert list(documents_of(polars.DataFrame(ROWS))) == DOCUMENTS


def test_what_is_mined_is_the_same(path: Path) -> None:
    wanted = templatemine.mine(DOCUMENTS)
    assert "Sign up for the letter of a.example." in str(wanted["a.example"].templates)
    assert templatemine.mine(path) == templatemine.mine(ROWS) == wanted


class Frame:
    """What a data frame shows before it is read."""

    columns = ("source", "text")

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        raise AssertionError("not to be read")


def test_frames_need_pyarrow_at_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not only when the first document is asked for."""
    frame = Frame()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for call in (documents_of, templatemine.mine, templatemine.Packs().clean):
        with pytest.raises(MissingExtraError, match="tables need pyarrow: pip install"):
            call(frame)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_single_column_is_no_frame(library: str) -> None:
    column = pytest.importorskip(library).Series(["a", "b"])
    for call in (templatemine.mine, templatemine.Packs().clean):
        with pytest.raises(ConfigError, match="expected a frame with columns .* 'source' and 'text', got Series, of"):
            list(call(column))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (7, "expected documents, records, a data frame or a path, got int"),
        (ROWS[0], "got dict"),
        (
            "A story. Another.",
            "expected a path, got text of 17 characters that names no file; for one text: templatemine.clean",
        ),
        (DOCUMENTS[0], "got Document"),
        (
            ["A story.", "Another."],
            "item 1: expected a Document or a dict, got str: source= says whose texts these are",
        ),
        ([DOCUMENTS[0], None], "item 2: expected a Document or a dict, got NoneType"),
        ([{"text": "x"}], "item 1: expected the source in field 'source', found none"),
        ([{"text": "x", "site": "a"}], 'source_field= names another; source_field="site"?)'),
        ([{"source": "a"}], "item 1: "),
        ([{"source": "a", "text": 7}], "item 1: expected a string in field 'text', found"),
    ],
)
def test_what_is_no_document_is_told(given: Any, message: str) -> None:
    with pytest.raises(CorpusError) as raised:
        list(documents_of(given))
    assert message in str(raised.value)


@pytest.mark.parametrize(
    "text",
    [
        "He left and/or stayed. " * 150,
        "He left and/or stayed, [1] says *one* of them; others say that he did neither.",
        "A story/a tale.\nNext line.",
        "https://a.example/x says:\nnothing",
        "字" * 3000,
        "\ud800 a/b" * 100,
    ],
)
def test_a_text_for_a_path_is_told_and_not_repeated(text: str, tmp_path: Path) -> None:
    for call in (templatemine.read, templatemine.Packs().clean, templatemine.mine):
        with pytest.raises(CorpusError) as raised:
            list(call(text))
        told = f"expected a path, got text of {len(text):,} characters that names no file; "
        assert str(raised.value) == told + "for one text: templatemine.clean(text, pack)"


def test_paths_with_blanks_are_no_texts(tmp_path: Path) -> None:
    folder = tmp_path / "an archive of several papers, [sic] with blanks in its name"
    folder.mkdir()
    (folder / "a b.jsonl").write_text(json.dumps(ROWS[0]))
    for path in (folder / "a b.jsonl", folder, f"{tmp_path}/an archive of several papers, * with blanks in its name/*"):
        assert list(templatemine.read(str(path))) == DOCUMENTS[:1]
    for missing in ("a b.jsonl", f"{tmp_path}/a folder of which nobody knows/the archive of this year.jsonl.gz"):
        with pytest.raises(CorpusError, match="No such file"):
            list(templatemine.read(missing))


@pytest.mark.parametrize("blank", ["", "  ", "\u3000"])
def test_a_blank_source_is_none(tmp_path: Path, blank: str) -> None:
    """As if the field were not there, whatever the reader: that of the file, or an error where there is no file."""
    with pytest.raises(CorpusError, match="expected the source in field 'source', found none"):
        list(documents_of([{"source": blank, "text": "a"}]))
    with pytest.raises(CorpusError, match="expected a source by the rule 'field:site'"):
        list(documents_of([{"site": blank, "text": "a"}], ReadConfig(source_of="field:site")))
    (tmp_path / "fox.com.jsonl").write_text(json.dumps({"source": blank, "text": "a"}) + "\n")
    (tmp_path / "fox.com.csv").write_text(f'source,text\n"{blank}",a\n')
    paths = [tmp_path / "fox.com.jsonl", tmp_path / "fox.com.csv"]
    with suppress(ImportError):
        import pyarrow as pa
        import pyarrow.parquet

        table = pa.table({"source": [blank], "text": ["a"]})
        pyarrow.parquet.write_table(table, tmp_path / "fox.com.parquet")
        with pa.OSFile(str(tmp_path / "fox.com.arrow"), "wb") as out, pa.ipc.new_file(out, table.schema) as writer:
            writer.write_table(table)
        paths += [tmp_path / "fox.com.parquet", tmp_path / "fox.com.arrow"]
    for path in paths:
        assert [one.source for one in templatemine.read(path)] == ["fox.com"]
    given = [
        Record(document=Document(source="f", id="1", text="", url="https://a.example/x"), fields=fields, where="")
        for fields in ({"source": blank}, {"source": "f"})
    ]
    nameless = SourcelessRecords()
    for one in given:
        nameless.add(one, ReadConfig())
    assert nameless.records == 1


@pytest.mark.parametrize("library", ["pandas", "polars", "dicts", "file"])
def test_a_null_is_raised_or_skipped(library: str, tmp_path: Path) -> None:
    rows = [*ROWS[:3], {**ROWS[3], "text": None}, *ROWS[4:]]
    given = given_as(library, rows, tmp_path)
    with pytest.raises(CorpusError, match="4: expected a field 'text' .* found null in 'text'"):
        templatemine.mine(given)
    with pytest.warns(UserWarning, match="^1 record skipped: .*4: expected a field 'text'"):
        (pack,) = templatemine.mine(given, errors="skip").values()
    assert pack.documents == 19
    with pytest.warns(UserWarning, match="1 record skipped"):
        assert len(list(templatemine.Cleaners({"a.example": pack}).clean_all(given, errors="skip"))) == 19
    if library == "file":
        with pytest.warns(UserWarning, match="1 record skipped"):
            assert len(list(templatemine.read(given, errors="skip"))) == 19


def test_the_na_of_pandas_is_a_null() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ROWS).astype({"text": "string"})
    frame.loc[2, "text"] = pandas.NA
    with pytest.warns(UserWarning, match="1 record skipped: item 3: .* found null in 'text'"):
        assert len(list(documents_of(frame, errors="skip"))) == 19


def test_many_skipped_records_are_counted() -> None:
    with pytest.warns(UserWarning, match="20 records skipped: item 1: [^;]*; and 19 more$"):
        assert list(documents_of([*[{"source": "a", "text": 5}] * 20, DOCUMENTS[0]], errors="skip")) == [DOCUMENTS[0]]
    with pytest.raises(ConfigError, match="errors: expected raise or skip, got 'ignore'"):
        list(documents_of(ROWS, errors="ignore"))  # type: ignore[arg-type]


def test_no_documents_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("")
    once = (row for row in ROWS)
    templatemine.mine(once)
    for empty in ([], once, tmp_path / "a.jsonl"):
        with pytest.warns(UserWarning, match="no documents were given"):
            assert templatemine.mine(empty) == {}
        with pytest.warns(UserWarning, match="no documents were given"):
            assert list(templatemine.Cleaners({}).clean_all(empty)) == []


def test_warnings_point_at_the_line_of_the_caller() -> None:
    """However many generators are between them, of the package or of the caller."""
    packs = templatemine.Packs()
    bad = [{"source": "a", "text": 5}, DOCUMENTS[0]]
    calls: list[Callable[[], Any]] = [
        lambda: templatemine.mine([]),
        lambda: list(packs.clean([])),
        lambda: [*(document for document, _ in packs.clean(iter([])))],
        lambda: templatemine.Miner().run([]),
        lambda: list(packs.clean(bad, errors="skip")),
        lambda: templatemine.mine(DOCUMENTS[:2]),
    ]
    for call in calls:
        with pytest.warns(UserWarning, match="no documents|skipped|no pack of a") as warned:
            call()
        assert (warned[0].filename, warned[0].lineno) == (__file__, call.__code__.co_firstlineno)

    def loop() -> None:
        for _ in packs.clean([]):
            pass

    with pytest.warns(UserWarning, match="no documents") as warned:
        loop()
    assert warned[0].lineno == loop.__code__.co_firstlineno + 1


def test_none_of_the_records_is_a_document() -> None:
    """Who gave 200 records was told that there were none."""
    with pytest.warns(UserWarning, match="2 records skipped") as told:
        assert list(documents_of([{"body": "x", "source": "a"}] * 2, errors="skip")) == []
    assert len(told) == 1
