"""What has been cleaned is left as it is: cleaning twice is cleaning once, byte for byte, in every format."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import examples
from templatemine.adapters.rows import RowCleaner
from templatemine.api import mine
from templatemine.cleaning.records import RecordCleaner, RecordConfig, read_cuts
from templatemine.cleaning.tally import SourceTally
from templatemine.cli.app import run
from templatemine.config import CleanConfig
from templatemine.io.pending import Lines
from templatemine.io.read import read_batches
from templatemine.packs.pack import Pack

LINES = ("Read our letter every morning, {}.", "Share this story: yes no maybe", "By our staff in the capital of {}")
OPEN = "Subscribe now for "


def story(number: int) -> str:
    digits = str.maketrans("0123456789", "aeiouklmnr")
    return " ".join(f"{letter}{str(number * place).translate(digits)}" for place, letter in enumerate("bcdfghjpqst", 1))


def article(source: str, number: int) -> str:
    return "\n".join([LINES[2].format(source), story(number), *(line.format(source) for line in LINES[:2])])


@pytest.fixture(scope="module")
def packs() -> Mapping[str, Pack]:
    rows = [{"source": s, "id": str(n), "text": article(s, n)} for s in ("a", "b") for n in range(30)]
    found = mine(rows)
    assert all(len(pack.templates) >= 2 for pack in found.values())
    return found


PIECES = st.sampled_from(
    [LINES[0].format("a"), LINES[0].format("b"), LINES[1], LINES[2].format("a"), "Read our", "…", ""]
)
TEXTS = st.lists(PIECES | st.integers(0, 99).map(story) | st.text(max_size=8), max_size=6).flatmap(
    lambda parts: st.sampled_from([" ", "\n", "\n\n", ""]).map(lambda between: between.join(parts))
)
CUTS = (
    st.none()
    | st.just([])
    | st.just([{"start": 0, "end": 3, "templates": ["t1"]}])
    | st.text(max_size=4)
    | st.just([1])
)
RECORDS = st.fixed_dictionaries(
    {"text": TEXTS}, optional={"source": st.sampled_from(["a", "b", "c", "é", " "]), "removed": CUTS, "x": st.floats()}
)


def cleaned(packs: Mapping[str, Pack], data: bytes, **options: Any) -> tuple[bytes, SourceTally]:
    cleaner = RecordCleaner(packs, RecordConfig(**options))
    lines = Lines("place", "a", 1, data)
    return b"".join(cleaner.clean_batches([lines])), cleaner.tally.total()


@examples(500)
@given(st.lists(RECORDS, min_size=1, max_size=5), st.booleans(), st.sampled_from(["native", "regex"]), st.booleans())
def test_twice_is_once(
    packs: Mapping[str, Pack], records: list[dict[str, Any]], ascii_only: bool, engine: str, keep: bool
) -> None:
    data = b"".join(json.dumps(one, ensure_ascii=ascii_only).encode("utf-8", "replace") + b"\n" for one in records)
    options = {"clean": CleanConfig(engine=engine, stubs="keep" if keep else "clean")}
    once, first = cleaned(packs, data, **options)
    twice, second = cleaned(packs, once, **options)
    assert twice == once
    assert (second.changed, second.records) == (0, len(records))
    before = sum(read_cuts(one.get("removed")) is not None for one in records)
    assert first.cleaned_before == before
    assert second.cleaned_before == len(records) - first.no_pack


def test_again_cleans_the_present_text(packs: Mapping[str, Pack]) -> None:
    row = {"text": "A story.\n" + LINES[1], "removed": [{"start": 0, "end": 1, "templates": []}], "removed_stub": True}
    data = json.dumps(row).encode()
    assert cleaned(packs, data)[0] == data + b"\n"
    done, tally = cleaned(packs, data, again=True)
    fresh = json.loads(done)
    assert fresh["text"] == "A story."
    assert [(one["start"], one["end"]) for one in fresh["removed"]] == [(9, len(row["text"]))]
    assert "removed_stub" not in fresh
    assert (tally.replaced, tally.cleaned_before) == (1, 0)


def test_only_what_this_software_writes_is_left() -> None:
    cut = {"start": 0, "end": 4, "templates": ["t1", "t2"]}
    assert read_cuts([]) == read_cuts("[]") == []
    assert read_cuts([cut]) == read_cuts(json.dumps([cut])) == [cut]
    for other in (None, "", "no", "[", 5, {}, cut, [5], ["t1"], [{**cut, "end": "4"}], [{**cut, "end": True}]):
        assert read_cuts(other) is None
    for other in (
        [{**cut, "more": 1}],
        [{"start": 0, "end": 4}],
        [{**cut, "templates": [1]}],
        [{**cut, "templates": "t"}],
    ):
        assert read_cuts(other) is None


@pytest.mark.parametrize("suffix", ["jsonl", "jsonl.gz", "csv", "parquet", "arrow"])
def test_files_of_every_format(packs: Mapping[str, Pack], tmp_path: Path, suffix: str) -> None:
    for pack in packs.values():
        pack.save(tmp_path / f"{pack.source}.json")
    rows = [{"id": str(n), "source": s, "text": article(s, n)} for n in range(4) for s in ("a", "b", "none")]
    rows.append({"id": "stub", "source": "a", "text": LINES[1]})
    names = [tmp_path / f"{number}.{suffix}" for number in range(4)]
    given = _written(tmp_path / f"new.{suffix}", rows)
    for output in names[:3]:
        assert run(["clean", str(given), "-p", str(tmp_path), "-o", str(output), "--quiet"]) == 0
        given = output
    assert names[1].read_bytes() == names[2].read_bytes()
    first, second = ([(w.fields) for w in _records(path)] for path in names[:2])
    assert first == second
    assert run(["clean", str(given), "-p", str(tmp_path), "-o", str(names[3]), "--quiet", "--again"]) == 0
    assert all(
        read_cuts(one["removed"]) == [] for one in (w.fields for w in _records(names[3])) if one["source"] != "none"
    )


def _written(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Rows in the format of a suffix."""
    if path.suffix in (".parquet", ".arrow"):
        arrow = pytest.importorskip("pyarrow")
        from pyarrow import feather, parquet

        table = arrow.Table.from_pylist(rows)
        parquet.write_table(table, path) if path.suffix == ".parquet" else feather.write_feather(table, path)
    elif path.suffix == ".csv":
        with path.open("w", newline="") as handle:
            writer = csv.DictWriter(handle, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    else:
        data = "".join(json.dumps(row) + "\n" for row in rows).encode()
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def _records(path: Path) -> list[Any]:
    from templatemine.config import ReadConfig
    from templatemine.io.read import read_records

    return list(read_records(path, ReadConfig()))


def test_pages(tmp_path: Path) -> None:
    page = "<html><body><h1>Head</h1><p>" + "The council met and talked at length. " * 20 + "</body></html>"
    (tmp_path / "a.jsonl").write_text(json.dumps({"source": "x", "html": page}) + "\n")
    packs = mine([{"source": "y", "id": str(n), "text": article("y", n)} for n in range(9)])
    outputs = []
    for form in ("text", "markdown"):
        given = tmp_path / "a.jsonl"
        for number in range(2):
            config = RecordConfig(blocks_field="blocks", clean=CleanConfig(text_format=form))
            done = b"".join(RecordCleaner(packs, config).clean_batches(read_batches([str(given)], config.read)))
            given = tmp_path / f"{form}{number}.jsonl"
            given.write_bytes(done)
            outputs.append(done)
    assert outputs[0] == outputs[1]
    assert outputs[2] == outputs[3] != outputs[0]


def test_the_summary_counts_them(packs: Mapping[str, Pack], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    packs["a"].save(tmp_path / "a.json")
    rows = [{"source": "a", "text": article("a", 1), "removed": []}, {"source": "a", "text": article("a", 2)}]
    new = tmp_path / "new.jsonl"
    new.write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = ["clean", str(new), "-p", str(tmp_path / "a.json"), "-o", str(tmp_path / "c.jsonl"), "--force"]
    assert run(command) == 0
    err = capsys.readouterr().err
    assert "1 cleaned before, by their field 'removed' (unchanged; --again)" in err
    assert "1 cleaned before: unchanged" in err
    # Of nothing that was looked at no share went: a dash was told.
    assert run([command[0], str(tmp_path / "c.jsonl"), *command[2:5], str(tmp_path / "d.jsonl")]) == 0
    assert "\n0 changed\n" in capsys.readouterr().err
    assert run([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cleaned_before"] == 1
    assert run([*command[:6], "--diff", "--removed-field", "cut"]) == 0
    assert capsys.readouterr().out.count("--- a new:") == 2
    assert run([*command[:6], "--diff"]) == 0
    assert capsys.readouterr().out.count("--- a new:") == 1


def test_tables(packs: Mapping[str, Pack], tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    from templatemine.adapters.table import TableCleaner

    texts = [article("a", 1), article("a", 2), "Other.", LINES[1]]
    cleaner = TableCleaner(packs)
    once = cleaner(pa.table({"source": ["a", "b", "none", "a"], "text": texts}))
    assert cleaner(once).equals(once)
    parquet.write_table(once, tmp_path / "f.parquet")
    assert cleaner(parquet.read_table(tmp_path / "f.parquet")).equals(once)
    again = TableCleaner(RowCleaner(packs, again=True))(once)
    assert [read_cuts(one) for one in again["removed"].to_pylist()] == [[], [], None, []]
