"""Streams of records: each gets the pack of its source, and everything is counted."""

from __future__ import annotations

import pickle
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from strategies import make_pack
from templatemine.api import mine
from templatemine.cleaning import records as cleaning
from templatemine.cleaning.cleaner import Cleaner
from templatemine.cleaning.records import RecordCleaner, RecordConfig, span_fields
from templatemine.cleaning.tally import SourceTally
from templatemine.config import CleanConfig, ReadConfig
from templatemine.errors import CapacityError, ConfigError, CorpusError
from templatemine.io import read as reading
from templatemine.io.pending import Items, Lines
from templatemine.io.read import batch_records, read_batches, read_records
from templatemine.kinds import CUT_ALL, KINDS, POLICIES, Choice
from templatemine.model import Document, Record
from templatemine.packs.pack import Pack
from templatemine.text.patterns import pattern_set

LINE = "Read our letter every single morning, {}."


def story(number: int) -> str:
    """Words of letters: numbers are all equal."""
    digits = str.maketrans("0123456789", "aeiouklmnr")
    return " ".join(
        f"{letter}{str(number * place).translate(digits)}" for place, letter in enumerate("bcdfghjpqstvwxz", 1)
    )


def rows(source: str, count: int) -> list[dict[str, Any]]:
    return [{"source": source, "text": f"{story(number)}\n{LINE.format(source)}"} for number in range(count)]


def to_records(fields: list[dict[str, Any]]) -> list[Record]:
    return [
        Record(
            document=Document(source=one["source"], id=str(place), text=one["text"]), fields=one, where=f"f:{place + 1}"
        )
        for place, one in enumerate(fields)
    ]


def clean_records(cleaner: RecordCleaner, records: list[Record], **callbacks: Any) -> Iterator[bytes]:
    batches = batch_records(records, False, reading.BATCH_RECORDS, reading.BATCH_CHARACTERS)
    return cleaner.clean_batches(batches, **callbacks)


@pytest.fixture(scope="module")
def packs() -> Mapping[str, Pack]:
    found = mine(record.document for record in to_records(rows("a", 30) + rows("b", 30)))
    assert all(pack.templates for pack in found.values())
    return found


@pytest.mark.parametrize("choice", [CUT_ALL, *POLICIES.values(), Choice(("byline", "note"))], ids=str)
def test_lines_as_they_stand_and_records_have_the_same_kinds(
    packs: Mapping[str, Pack], tmp_path: Path, choice: Choice
) -> None:
    """The texts have a note, a byline and a call one below the other, so that they are cut in one, and a call within a
    note, which is cut but where the note stays."""
    pack = packs["a"]
    call = replace(pack.templates[0], kind="related")
    kinds = {"By Ann Doe": "byline", "Correction: Read our letter every single": "note"}
    own = [
        replace(call, id=kind, tokens=tuple(text.split()), regex="", example=text, kind=kind, anchor="")
        for text, kind in kinds.items()
    ]
    pack = replace(pack, templates=(call, *(replace(one, regex=pack.derived(one)) for one in own)))
    texts = [
        f"{story(1)}\n\n{LINE.format('a')}\n\nBy Ann Doe\n\nCorrection: {LINE.format('a')}",
        "By Ann Doe",
        story(3),
    ]
    path = tmp_path / "new.jsonl"
    path.write_bytes(b"".join(orjson.dumps({"source": "a", "text": text}) + b"\n" for text in texts))
    done = []
    for engine in ("native", "regex"):
        cleaner = RecordCleaner({"a": pack}, RecordConfig(clean=CleanConfig(engine=engine, choice=choice)))
        lines = b"".join(cleaner.clean_batches(read_batches([str(path)], ReadConfig()))).splitlines()
        done.append((lines, cleaner.tally.sources["a"]))
    assert done[0] == done[1]
    lines, counts = done[0]
    for engine in ("native", "regex"):
        marker = RecordCleaner({"a": pack}, RecordConfig(clean=CleanConfig(engine=engine, choice=choice), mark=True))
        marked = [
            orjson.loads(one)
            for one in b"".join(marker.clean_batches(read_batches([str(path)], ReadConfig()))).splitlines()
        ]
        assert [one["text"] for one in marked] == texts
        assert [one["removed"] for one in marked] == [orjson.loads(line)["removed"] for line in lines]
    found = [orjson.loads(line)["removed"] for line in lines]
    assert sum(counts.kinds.values()) == sum(row["end"] - row["start"] for rows in found for row in rows)
    assert {row["kind"] for rows in found for row in rows} == {*choice.cut} & {"related", "byline", "note"}
    for kept, kind in kinds.items():
        assert (kept in orjson.loads(lines[0])["text"]) == (kind not in choice.cut)
    assert [*counts.kinds] == [kind for kind in KINDS if kind in counts.kinds]


def test_lines_and_tally(packs: Mapping[str, Pack]) -> None:
    cleaner = RecordCleaner({"a": packs["a"]})
    steps: list[SourceTally] = []
    fields = rows("a", 300) + rows("b", 2)
    lines = [
        orjson.loads(line)
        for piece in clean_records(cleaner, to_records(fields), progress=steps.append)
        for line in piece.splitlines()
    ]
    assert len(lines) == 302
    assert lines[0]["text"] == story(0)
    assert lines[-1] == fields[-1]
    tally = cleaner.tally.sources
    assert (tally["a"].records, tally["a"].changed, tally["a"].spans) == (300, 300, 300)
    assert tally["a"].characters == sum(len(one["text"]) for one in fields[:300])
    assert tally["a"].cut == tally["a"].characters - sum(len(one["text"]) for one in lines[:300])
    assert tally["b"] == SourceTally(records=2, no_pack=2)
    assert [step.records for step in steps] == [256, 46]
    assert cleaner.tally.total().records == 302


def test_a_fallback_is_for_sources_without_a_pack(packs: Mapping[str, Pack]) -> None:
    fields = [*rows("a", 2), *({**row, "source": "new"} for row in rows("a", 3))]
    plain = RecordCleaner({"a": packs["a"]})
    before = [orjson.loads(line) for line in b"".join(clean_records(plain, to_records(fields))).splitlines()]
    assert before[2:] == fields[2:]
    cleaner = RecordCleaner({"a": packs["a"]}, RecordConfig(fallback="a"))
    after = [orjson.loads(line) for line in b"".join(clean_records(cleaner, to_records(fields))).splitlines()]
    assert after[:2] == before[:2]
    assert [one["text"] for one in after[2:4]] == [one["text"] for one in before[:2]]
    assert (cleaner.tally.sources["new"].fallback, cleaner.tally.sources["new"].no_pack) == (3, 0)
    assert cleaner.tally.sources["a"].fallback == 0
    with pytest.raises(ConfigError, match="fallback: expected the source of a pack that is there, got 'b'"):
        RecordCleaner({"a": packs["a"]}, RecordConfig(fallback="b"))


def test_a_fallback_is_prepared_once(packs: Mapping[str, Pack], monkeypatch: pytest.MonkeyPatch) -> None:
    made = made_cleaners(monkeypatch)
    fields = [{**row, "source": f"new{place}"} for place, row in enumerate(rows("a", 9))]
    cleaner = RecordCleaner({"a": packs["a"]}, RecordConfig(fallback="a"))
    list(clean_records(cleaner, to_records([*fields, *rows("a", 1)])))
    assert made == ["a"]


def test_it_is_what_the_cleaner_gives(packs: Mapping[str, Pack]) -> None:
    cleaner = RecordCleaner(packs, RecordConfig(clean=CleanConfig(gap=9, engine="regex")))
    own = Cleaner(packs["a"], CleanConfig(gap=9))
    for record, line in zip(
        to_records(rows("a", 5)), b"".join(clean_records(cleaner, to_records(rows("a", 5)))).splitlines(), strict=True
    ):
        cleaned = own.clean(record.document.body)
        removed = [{**span_fields(span), "templates": list(span.templates)} for span in cleaned.removed]
        assert orjson.loads(line) == {**record.fields, "text": cleaned.text, "removed": removed}


def made_cleaners(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Sources of the cleaners that are made from now on, each of which takes a while."""
    made: list[str] = []
    original = Cleaner.__init__

    def init(self: Cleaner, pack: Pack, config: CleanConfig | None = None) -> None:
        made.append(pack.source)
        time.sleep(0.05)  # for other threads to come by
        original(self, pack, config)

    monkeypatch.setattr(Cleaner, "__init__", init)
    return made


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_cleaner_is_made_once(
    packs: Mapping[str, Pack], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, jobs: int
) -> None:
    made = made_cleaners(monkeypatch)
    new = tmp_path / "new.jsonl"
    new.write_bytes(b"\n".join(map(orjson.dumps, rows("a", 60))))
    list(RecordCleaner(packs, jobs=jobs).clean_batches(read_batches([str(new)], ReadConfig(), None, 5)))
    assert made == ["a"]


def test_templates_are_let_go(packs: Mapping[str, Pack]) -> None:
    """What is cleaned natively, or as a record, is the same without them; the regex engine needs them."""
    texts = [one["text"] for one in rows("a", 5)]
    texts += [f"{text}\n\ud800 alone" for text in texts]
    cleaner = Cleaner(packs["a"])
    before = cleaner.clean_all(texts)
    assert all(one.removed for one in before)
    cleaner.forget_templates()
    assert cleaner.pack.templates == ()
    with pytest.raises(ConfigError, match="a copy would cut nothing"):
        pickle.dumps(cleaner)
    assert cleaner.clean_all(texts) == before
    assert [list(one.removed) for one in before] == [cleaner.spans(text) for text in texts]
    reference = Cleaner(packs["a"], CleanConfig(engine="regex"))
    reference.forget_templates()
    assert [list(one.removed) for one in before] == [reference.spans(text) for text in texts]


def test_a_record_that_cannot_be_cleaned(packs: Mapping[str, Pack], monkeypatch: pytest.MonkeyPatch) -> None:
    original = Cleaner.clean

    def clean(self: Cleaner, text: str) -> Any:
        if text.startswith(story(1)):
            raise CapacityError("too long")
        return original(self, text)

    monkeypatch.setattr(Cleaner, "clean", clean)
    errors: list[CorpusError] = []
    lines = b"".join(clean_records(RecordCleaner(packs), to_records(rows("a", 3)), on_error=errors.append)).splitlines()
    assert len(lines) == 2
    assert [str(error) for error in errors] == ["f:2: cannot be cleaned: too long"]
    with pytest.raises(CorpusError, match="f:2: cannot be cleaned"):
        list(clean_records(RecordCleaner(packs), to_records(rows("a", 3))))


def test_jobs_change_nothing(packs: Mapping[str, Pack], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "BATCH_RECORDS", 3)
    records = to_records([one for pair in zip(rows("a", 40), rows("c", 40), strict=True) for one in pair])
    one, two = RecordCleaner(packs), RecordCleaner(packs, jobs=2)
    assert b"".join(clean_records(one, records)) == b"".join(clean_records(two, records))
    assert one.tally == two.tally


def test_plain_lines_are_cleaned_in_threads(
    packs: Mapping[str, Pack], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """No process is started, unless a pack needs Python's lock; what comes out is the same, in the same order."""
    monkeypatch.setattr(reading, "BATCH_RECORDS", 3)
    new = tmp_path / "new.jsonl"
    lines = [orjson.dumps(one) for pair in zip(rows("a", 40), rows("c", 40), strict=True) for one in pair]
    new.write_bytes(b"\n".join([*lines[:50], b"bad", *lines[50:]]))

    def cleaned(jobs: int, given: Mapping[str, Pack]) -> tuple[bytes, Any, list[str]]:
        errors: list[CorpusError] = []
        cleaner = RecordCleaner(given, jobs=jobs)
        batches = read_batches([str(new)], ReadConfig(), errors.append)
        return b"".join(cleaner.clean_batches(batches, errors.append)), cleaner.tally, [str(one) for one in errors]

    def refuse(*_: Any) -> Any:
        raise AssertionError("a process")

    monkeypatch.setattr("templatemine.parallel.processes.WorkerPool", refuse)
    assert cleaned(1, packs) == cleaned(3, packs)
    by_hand = replace(packs["a"], templates=(replace(packs["a"].templates[0], tokens=None),))
    with pytest.raises(AssertionError, match="a process"):
        cleaned(2, {**packs, "b": by_hand})
    with pytest.raises(CorpusError, match="expected a JSON object"):
        list(RecordCleaner(packs, jobs=2).clean_batches(read_batches([str(new)], ReadConfig(), None, 3)))


def test_batches_end_by_records_and_by_characters() -> None:
    records = to_records(rows("a", 600))
    assert [
        len(batch.records) for batch in batch_records(records, False, reading.BATCH_RECORDS, reading.BATCH_CHARACTERS)
    ] == [
        256,
        256,
        88,
    ]
    large = to_records([{"source": "a", "text": "x" * 200_000}] * 7)
    assert [
        len(batch.records) for batch in batch_records(large, False, reading.BATCH_RECORDS, reading.BATCH_CHARACTERS)
    ] == [
        3,
        3,
        1,
    ]


def test_names_that_clash() -> None:
    with pytest.raises(ConfigError, match="removed_field"):
        RecordConfig(removed_field="text")
    with pytest.raises(ConfigError, match="removed.field"):
        RecordConfig(read=ReadConfig(html_field="removed"))
    with pytest.raises(ConfigError, match="removed_field: expected a name of its own"):
        RecordConfig(removed_field="date")
    for name in ("removed_field", "blocks_field"):
        with pytest.raises(ConfigError, match="expected a name, got an empty one"):
            RecordConfig(**{name: ""})
    with pytest.raises(ConfigError, match="blocks_field: expected a name of its own"):
        RecordConfig(blocks_field="removed")
    with pytest.raises(ConfigError, match="jobs"):
        RecordCleaner({}, jobs=0)


def test_lines_as_they_stand_give_what_records_give(packs: Mapping[str, Pack], tmp_path: Path) -> None:
    """Parsed here or by the reader: the same lines, counts and complaints, whatever a line holds."""
    lines = [
        b'{"text": "A story.\\nRead our letter every single morning, a.", "source": "a", "id": 1, "big": 18446744073709551616}\n',
        b"\n",
        b"no JSON\n",
        b'{"text": "\\ud800 story.\\nRead our letter every single morning, a.", "source": "a", "nan": NaN}\r\n',
        b'{"text": 5}\n',
        b'{"html": "<p>x</p>", "source": "a", "float": 1e300}\n',
        b'{"text": "without a source"}',
    ]
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"".join(lines))
    read_errors: list[str] = []
    records = read_records(path, ReadConfig(), lambda error: read_errors.append(str(error)))
    one, two = RecordCleaner(packs), RecordCleaner(packs)
    expected = b"".join(clean_records(one, records))
    errors: list[str] = []
    batches = read_batches([str(path)], ReadConfig(), lambda error: None)
    found = b"".join(two.clean_batches(batches, lambda error: errors.append(str(error))))
    # A line that is cleaned as it stands keeps its blanks.
    assert found.replace(b'{"text": "without', b'{"text":"without') == expected
    assert errors == read_errors
    assert len(errors) == 2
    assert two.tally == one.tally
    assert two.tally.total().changed == 2


def test_of_many_doubtful_cuts_a_few_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []

    def note(text: str, start: int, end: int) -> bool:
        looked.append(start)
        return False

    monkeypatch.setattr(cleaning, "leaves_part", note)
    pack = make_pack([([b"(Read", b"below"], "(Read below")], pattern_set("news"), "-", False)
    line = orjson.dumps({"source": "q", "text": "(Read below 1. " * 400}) + b"\n"
    for batch in (Lines("a.jsonl", "default", 1, line), Items([("q", "a.jsonl:1", orjson.loads(line))])):
        for torn, most in ((False, 10), (True, 400)):
            looked.clear()
            RecordCleaner({"q": pack}, RecordConfig(torn=torn)).clean_batch(batch)
            assert len(looked) == most


def test_packs_are_asked_for_once_also_if_a_cut_is_in_doubt() -> None:
    """Reading and checking a pack takes as long as cleaning hundreds of articles."""
    asked: list[str] = []

    class Packs(dict[str, Pack]):
        def __getitem__(self, source: str) -> Pack:
            asked.append(source)
            return super().__getitem__(source)

    pack = make_pack([([b"(Read", b"below"], "(Read below")], pattern_set("news"), "-", False)
    cleaner = RecordCleaner(Packs(q=pack))
    line = orjson.dumps({"source": "q", "text": "The end of (Read below this) and more"}) + b"\n"
    result = cleaner.clean_batch(Lines("a.jsonl", "default", 1, line * 3))
    assert result.tally.sources["q"].torn == 3
    assert asked == ["q"]
