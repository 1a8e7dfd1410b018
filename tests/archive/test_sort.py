"""Sorting: every record once, as it stood, in the file of its source."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from random import Random

import pytest

from templatemine.archive import partition, sort
from templatemine.archive.sort import SortConfig, file_name, sort_by_source
from templatemine.errors import ConfigError, CorpusError
from templatemine.io import lock


def lines(number: int, sources: int, seed: int = 1) -> list[dict[str, object]]:
    random = Random(seed)
    return [
        {
            "n": place,
            "source": f"Site {random.randrange(sources)}",
            "text": "x" * random.randrange(300),
            "rest": [None, 2**70],
        }
        for place in range(number)
    ]


def write(path: Path, records: list[dict[str, object]]) -> str:
    path.write_text("".join(json.dumps(one) + "\n" for one in records))
    return str(path)


@pytest.mark.parametrize("room", [10**8, 4_000, 100])
def test_records_by_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    monkeypatch.setattr(partition, "BUCKET_COUNT", 4)
    config = SortConfig(memory=2 * sort._BASE_MEMORY)
    monkeypatch.setattr(sort, "_BASE_MEMORY", config.memory - 3 * room)
    one, two = lines(150, 9), lines(80, 30, seed=2)
    paths = [write(tmp_path / "one.jsonl", one), write(tmp_path / "two.jsonl", two)]
    found = sort_by_source(paths, str(tmp_path / "out"), config)
    wanted: dict[str, list[dict[str, object]]] = {}
    for record in one + two:
        wanted.setdefault(str(record["source"]), []).append(record)
    assert [(one.source, one.documents) for one in found] == [(name, len(wanted[name])) for name in sorted(wanted)]
    for one_source in found:
        written = gzip.decompress(Path(one_source.path).read_bytes()).splitlines()
        assert [json.loads(line) for line in written] == wanted[one_source.source]
        assert one_source.size == sum(len(line) + 1 for line in written)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(map(file_name, wanted))


def test_a_source_that_was_the_name_of_the_file_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "fox.com.jsonl", [{"text": "a"}])
    (found,) = sort_by_source([path], str(tmp_path / "out"), SortConfig())
    assert json.loads(gzip.decompress(Path(found.path).read_bytes())) == {"text": "a", "source": "fox.com"}


def test_an_error_leaves_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", lines(20, 3))
    with open(path, "a") as handle:
        handle.write("no json\n")
    with pytest.raises(CorpusError, match="no json"):
        sort_by_source([path], str(tmp_path / "out"), SortConfig())
    assert [one.name for one in tmp_path.iterdir()] == ["a.jsonl"]
    bad: list[CorpusError] = []
    assert len(sort_by_source([path], str(tmp_path / "out"), SortConfig(), on_error=bad.append)) == 3
    assert len(bad) == 1


def test_what_exists_stays(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", lines(20, 3))
    (tmp_path / "out").mkdir()
    target = tmp_path / "out" / file_name("Site 1")
    target.write_text("old")
    with pytest.raises(CorpusError, match="exists; use force=True"):
        sort_by_source([path], str(tmp_path / "out"), SortConfig())
    assert target.read_text() == "old"
    sort_by_source([path], str(tmp_path / "out"), SortConfig(force=True))
    assert gzip.decompress(target.read_bytes())


def test_trouble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "SHORT_WAIT", 0.1)
    path = write(tmp_path / "a.jsonl", [])
    with pytest.raises(CorpusError, match="expected documents, found none"):
        sort_by_source([path], str(tmp_path / "out"), SortConfig())
    with pytest.raises(ConfigError, match="memory"):
        SortConfig(memory=5)
    (tmp_path / "out").mkdir()
    with lock.locked(tmp_path / "out"), pytest.raises(CorpusError, match="another run"):
        sort_by_source([path], str(tmp_path / "out"), SortConfig())
