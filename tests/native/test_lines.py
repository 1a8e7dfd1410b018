"""Lines of JSON cleaned as they stand: what is ordinary, what comes out, and that records say the same."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import reference
from strategies import Case, cases, examples, make_pack
from templatemine.cleaning import _records
from templatemine.cleaning.cleaner import Cleaner
from templatemine.cleaning.records import RecordCleaner, RecordConfig
from templatemine.cleaning.tally import Tally
from templatemine.config import CleanConfig, ReadConfig
from templatemine.errors import CorpusError
from templatemine.io.jsonl import MAX_DEPTH, decode_line
from templatemine.io.pending import Lines
from templatemine.io.read import read_batches
from templatemine.packs.pack import Pack
from templatemine.text import _scan
from templatemine.text.patterns import pattern_set
from templatemine.text.tears import join_spans, leaves_part

NAMES = ("text", "html", "source", "id", "removed", "removed_stub")
FIELDS = _records.Fields([name.encode() for name in NAMES], 1 << 40)
PACK = make_pack([([b"Sign", b"up", b"now"], "Sign up now")], pattern_set("news"), "-", False)


def clean_block(
    data: bytes, kind: int = _records.PASS, cut: _records.TextCleaner | None = None
) -> tuple[bytes, list[bytes]]:
    """What comes out of a block of lines, and those that were left."""
    one = _records.BlockCleaner(FIELDS, data, b"default")
    left = []
    while (why := one.run()) != _records.DONE:
        if why == _records.UNKNOWN:
            one.add_source(one.source, kind, cut)
        else:
            left.append(one.line)
    return one.take_output(), left


# ----------------------------------------------------------------------------------------------------------------------
# What is ordinary
# ----------------------------------------------------------------------------------------------------------------------

STRINGS = st.lists(
    st.sampled_from(
        [
            "a",
            "Sign up now",
            " ",
            "\n",
            "\\n",
            "\\u000a",
            "\\u00e9",
            "é",
            "中",
            "😀",
            "\\ud83d\\ude00",
            "\\uD83D\\uDE00",
            "\\ud800",
            "\\udc00",
            "\\ud800\\u0041",
            "\\u12",
            "\\x",
            "\\",
            '\\"',
            "\\/",
            "\\b\\f\\r\\t",
            "\\u0000",
            "\x7f",
            "\t",
            "x" * 15,
            "y" * 16,
            "z" * 33,
            "\\u001f",
            "\ufeff",
            "\u2028",
        ]
    ),
    max_size=6,
).map(lambda some: '"' + "".join(some) + '"')
PLAIN = st.sampled_from(['"a"', '"The story.\\nSign up now"', '"é “b”"', '""'])
NUMBERS = st.sampled_from(
    [
        "0",
        "-0",
        "7",
        "01",
        "-",
        "1.",
        ".5",
        "1.50",
        "1e5",
        "1E+05",
        "1e-99",
        "1e100",
        "1e400",
        "-1.5e3",
        "+1",
        "1e",
        "0x1",
        "9" * 18,
        "9" * 19,
        str(2**64),
        "1" * 30 + ".5",
        "0.1234567890123456789",
        "1 2",
        "NaN",
        "Infinity",
        "-Infinity",
    ]
)
WORDS = st.sampled_from(["true", "false", "null", "nul", "True", "tru", "[]", "{}", "", "[1,]", "{,}", "[", "}"])
BLANKS = st.sampled_from(["", "", "", "", " ", "  ", "\t", "\r", "\n", "\x0b", "\xa0"])
KEYS = st.sampled_from([*NAMES[:4], *NAMES[:4], "url", "url2", "é", "k", "te\\u0078t", "", *NAMES[4:]])


@st.composite
def containers(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    values = draw(st.lists(inner, max_size=3))
    blank = draw(BLANKS)
    if draw(st.booleans()):
        return f"[{blank}" + f"{blank},{blank}".join(values) + f"{blank}]"
    pairs = [f'"{draw(KEYS)}"{blank}:{blank}{value}' for value in values]
    return "{" + blank + f"{blank},{blank}".join(pairs) + blank + "}"


VALUES = st.recursive(st.one_of(PLAIN, PLAIN, STRINGS, NUMBERS, WORDS), containers, max_leaves=5)


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    """A line that is a record, nearly one, or none."""
    pairs = {draw(KEYS): draw(st.one_of(PLAIN, VALUES)) for _ in range(draw(st.integers(0, 5)))}
    if draw(st.integers(0, 3)):
        pairs = {"text": draw(st.one_of(PLAIN, STRINGS)), **pairs}
    blank, other = draw(BLANKS), draw(BLANKS)
    rows = [f'"{key}"{blank}:{other}{value}' for key, value in pairs.items()]
    if draw(st.integers(0, 9)) == 0 and rows:
        rows.append(rows[0])
    end = draw(st.sampled_from(["", "", "", " ", "\r", " x", ",", "}", "\0"]))
    line = (blank + "{" + other + f"{blank},{other}".join(rows) + blank + "}" + end).encode()
    if draw(st.integers(0, 2)) == 0 and line:
        place = draw(st.integers(0, len(line) - 1))
        byte = draw(
            st.sampled_from(
                [b"", b'"', b"\\", b",", b":", b"\x80", b"\xc3", b"\xff", b"\xed\xa0\x80", b"\x00", b"[", b"u"]
            )
        )
        line = line[:place] + byte + line[place + draw(st.integers(0, 1)) :]
    return line.replace(b"\n", b" ")


JSON = st.recursive(
    st.none() | st.integers(-9, 9) | st.text(st.sampled_from('":\\{}a,\n\u4e2d\U0001f600'), max_size=6),
    lambda values: st.lists(values, max_size=3) | st.dictionaries(st.text(max_size=3), values, max_size=3),
    max_leaves=12,
)


@examples(200)
@given(JSON, st.booleans())
def test_keys_of_all_objects(value: object, ascii_only: bool) -> None:
    def count(part: object) -> int:
        if isinstance(part, dict):
            return len(part) + sum(map(count, part.values()))
        return sum(map(count, part)) if isinstance(part, list) else 0

    assert _scan.count_keys(json.dumps(value, ensure_ascii=ascii_only).encode()) == count(value)
    assert _scan.count_keys(b'"an open string \\') == 0


@examples(600)
@given(lines(), st.booleans())
@example(b'{"text":"a"}', False)
@example(b'{"text":"a","a":' + b"[" * 60 + b"1" + b"]" * 60 + b"}", True)
@example(b'{"text":"a","a":' + b"[" * 61 + b"1" + b"]" * 61 + b"}", True)
@example(b"{" + b"".join(b'"%d":1,' % number for number in range(63)) + b'"text":""}', True)
@example(b"{" + b"".join(b'"%d":1,' % number for number in range(64)) + b'"text":""}', True)
def test_an_ordinary_line_is_what_the_grammar_says(line: bytes, ended: bool) -> None:
    line += b"\n" if ended else b""
    expected = reference.ordinary_line(line, NAMES)
    assert clean_block(line) == (
        (b"", [line]) if expected is None and line else (expected[0] + b"\n" if expected else b"", [])
    )
    if expected:  # then everything that reads JSON takes it, for the same
        assert orjson.loads(line) == decode_line(line) == expected[1]
        assert orjson.loads(orjson.dumps(expected[1])) == expected[1]


@pytest.mark.parametrize("field", ["text", "source", "url"])
def test_utf8_is_that_of_python(field: str) -> None:
    """All that two bytes can be, and the edges of what three and four can be."""
    edges = [0x00, 0x22, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF]
    some = [bytes([a, b]) for a in range(256) for b in range(256)]
    some += [bytes([a, b, c]) for a in range(0xE0, 0xF0) for b in edges for c in edges]
    some += [bytes([a, b, c, d]) for a in range(0xEF, 0x100) for b in edges for c in edges for d in edges]
    start = b'{"text":"' if field == "text" else b'{"text":"","%s":"' % field.encode()
    for one in some:
        if not set(one) & {0x0A, 0x22, 0x5C}:
            line = start + one + b'"}'
            try:
                fine = min(one.decode()) >= " " and not (field == "source" and one.decode()[0].isspace())
            except UnicodeDecodeError:
                fine = False
            assert clean_block(line) == ((line + b"\n", []) if fine else (b"", [line])), one


def test_a_line_cut_short_anywhere_is_left() -> None:
    line = '{"text":"a\\n\\ud83d\\ude00é😀","source":"s","n":[-1.5e+3,{"a":true,"b":[]},null,false]}'.encode()
    assert clean_block(line) == (line + b"\n", [])
    for size in range(len(line)):
        assert clean_block(line[:size]) == (b"", [line[:size]] if size else [])
        assert clean_block(line[:size] + b"\n" + line) == (line + b"\n", [line[:size] + b"\n"])


def test_invalid_bytes_anywhere() -> None:
    line = ('{"text":"' + "a" * 40 + '","source":"' + "b" * 20 + '"}').encode()
    for place in range(len(line)):
        for byte in (0x00, 0x1F, 0x80, 0xFF):
            broken = line[:place] + bytes([byte]) + line[place + 1 :]
            assert clean_block(broken) == (b"", [broken])


def test_nothing_one_line_two_lines() -> None:
    assert clean_block(b"") == (b"", [])
    assert clean_block(b"\n") == (b"", [b"\n"])
    assert clean_block(b"{") == (b"", [b"{"])
    one = b'{"text":""}'
    assert clean_block(one) == (one + b"\n", [])
    assert clean_block(one + b"\n") == (one + b"\n", [])
    assert clean_block(b" " + one + b" \r\n" + one) == (one + b"\n" + one + b"\n", [])
    assert clean_block(one + one) == (b"", [one + one])


def test_a_line_that_is_too_long_is_left() -> None:
    line = b'{"text":"abc"}\n'
    for longest, left in ((len(line), False), (len(line) - 1, True)):
        one = _records.BlockCleaner(_records.Fields([name.encode() for name in NAMES], longest), line, b"")
        assert one.run() == (_records.UNUSUAL if left else _records.UNKNOWN)


def test_misuse() -> None:
    with pytest.raises(ValueError, match="expected 6 different names"):
        _records.Fields([b"text"] * 6, 1)
    with pytest.raises(ValueError, match="expected 6 different names"):
        _records.Fields([b"text"], 1)
    matcher, _ = PACK.matcher()
    with pytest.raises(ValueError, match="expected 1 ids, got 2"):
        _records.TextCleaner(matcher, [b"a", b"b"], 0, 1.0, False)
    one = _records.BlockCleaner(FIELDS, b"", b"")
    with pytest.raises(ValueError, match="what cleans a source"):
        one.add_source(b"a", _records.CLEAN)
    with pytest.raises(ValueError, match="what cleans a source"):
        one.add_source(b"a", 7)
    cut = _records.TextCleaner(matcher, [b"a"], 0, 1.0, False)
    one.add_source(b"a", _records.CLEAN, cut)
    with pytest.raises(ValueError, match="told before"):
        one.add_source(b"a", _records.CLEAN, cut)
    with pytest.raises(ValueError, match="at least one line"):
        _scan.line_ends(b"", 0)


@given(st.lists(st.sampled_from([b"a", b"\n", b"\r", b"bc"]), max_size=30).map(b"".join), st.integers(1, 5))
def test_line_ends(block: bytes, every: int) -> None:
    ends = [0]
    for line in block.splitlines(keepends=True) if b"\r" not in block else [one + b"\n" for one in block.split(b"\n")]:
        ends.append(min(ends[-1] + len(line), len(block)))
    ends = sorted(set(ends))[1:]
    assert _scan.line_ends(block, every) == (len(ends), [*ends[every - 1 : -1 : every], *ends[-1:]])


# ----------------------------------------------------------------------------------------------------------------------
# What comes out
# ----------------------------------------------------------------------------------------------------------------------


def test_strings_are_written_as_orjson_writes_them() -> None:
    # What may not be in NFC is left to Python: U+2000, U+D7FF and U+10000 would be.
    text = "".join(map(chr, [*range(0x250), *range(0x2002, 0x2070), 0xFFFF, 0x1F600, 0x10FFFF, 0xD7A3, 0xE000]))
    cut = Cleaner(PACK).lines
    for spelled in (json.dumps(text), json.dumps(text, ensure_ascii=False), orjson.dumps(text).decode()):
        out, left = clean_block(f'{{"text":{spelled[:-1]} Sign up now"}}'.encode(), _records.CLEAN, cut)
        assert left == []
        span = {"start": len(text) + 1, "end": len(text) + 12, "templates": ["t0"]}
        assert out == orjson.dumps({"text": text, "removed": [span]}) + b"\n"


def test_ids_and_names_of_fields_are_written_as_strings() -> None:
    names = [b"text", b"html", b"source", b"id", 're"mo\u00e9\n'.encode(), b"sp\\"]
    matcher, _ = PACK.matcher()
    one = _records.BlockCleaner(_records.Fields(names, 100), b'{"text":"b Sign up now"}', b"")
    assert one.run() == _records.UNKNOWN
    one.add_source(b"", _records.CLEAN, _records.TextCleaner(matcher, ['a"\x01“'.encode()], 0, 0.5, True))
    assert one.run() == _records.DONE
    assert orjson.loads(one.take_output()) == {"text": "b Sign up now", 're"moé\n': [], "sp\\": True}
    assert one.counts() == [(b"", _records.CLEAN, 1, 0, 0, 0, 13, 0, 1, [0] * 16)]
    one = _records.BlockCleaner(_records.Fields(names, 100), b'{"text":"b Sign up now"}', b"")
    one.add_source(b"", _records.CLEAN, _records.TextCleaner(matcher, ['a"\x01“'.encode()], 0, 1, False))
    assert one.run() == _records.DONE
    removed = [{"start": 2, "end": 13, "templates": ['a"\x01“']}]
    assert orjson.loads(one.take_output()) == {"text": "b", 're"moé\n': removed}
    assert one.counts() == [(b"", _records.CLEAN, 1, 1, 0, 1, 13, 12, 0, [11] + [0] * 15)]


def test_what_is_not_cleaned_stays_byte_for_byte() -> None:
    line = b' { "n" : 1.50e+01 , "text" : "a\\u0062 \\/ Sign up now" ,"u":"\\u00e9\\/" } \r\n'
    cut = Cleaner(PACK).lines
    out, _ = clean_block(line, _records.CLEAN, cut)
    removed = b',"removed":[{"start":5,"end":16,"templates":["t0"]}]'
    assert out == b'{ "n" : 1.50e+01 , "text" : "ab /" ,"u":"\\u00e9\\/"' + removed + b" }\n"
    out, _ = clean_block(line.replace(b"Sign", b"Wave"), _records.CLEAN, cut)
    assert out == line.replace(b"Sign", b"Wave").strip().replace(b'\\/" }', b'\\/","removed":[] }') + b"\n"


class Slow(RecordCleaner):
    """Takes every line for a record."""

    _fields = None  # type: ignore[assignment]


def done(cleaner: RecordCleaner, data: bytes, most: int = 3) -> tuple[list[dict[str, Any]], list[str], Tally]:
    """The records that come out of lines, the complaints, and the counts."""
    records: list[dict[str, Any]] = []
    errors: list[CorpusError] = []
    tally = Tally()
    start = number = 0
    _, ends = _scan.line_ends(data, most)
    for end in ends:
        batch = cleaner.clean_batch(Lines("f", "example.org", number + 1, data[start:end]))
        records += map(
            decode_line,
            batch.data.splitlines(keepends=True) if b"\r" not in batch.data else batch.data.split(b"\n")[:-1],
        )
        errors += batch.errors
        tally.add(batch.tally)
        start, number = end, number + most
    return records, list(map(str, errors)), tally


def items(value: object) -> object:
    """With the order of keys and the types of numbers."""
    if isinstance(value, dict):
        return [(key, items(inner)) for key, inner in value.items()]
    return (
        [items(inner) for inner in value]
        if isinstance(value, list)
        else (type(value), value if value == value else "NaN")
    )


@examples(200)
@given(st.data())
def test_lines_and_records_say_the_same(data: st.DataObject) -> None:
    """Whatever lines hold, by whatever pack: the records that come out, the complaints and the counts."""
    case: Case = data.draw(cases(html=data.draw(st.integers(0, 5)) == 0))
    pack = case.pack()
    texts = st.sampled_from([*case.texts, *case.others])
    spellings = st.sampled_from([{}, {"ensure_ascii": False}, {"separators": (",", ":")}])

    def record() -> bytes:
        row: dict[str, Any] = {"text": data.draw(texts)}
        for key, values in {
            "source": ["example.org", "other", "é", None, 5, "", " ", "\u3000 ", " é", "\u200bé"],
            "id": [1, "x", None, 2.5, [1]],
            "html": [None, "<p>x", 1],
            "removed": [[], None],
            "removed_stub": [True],
            "x": [{"a": [1, {}]}, "é\n", 2**70, 1.5],
        }.items():
            if data.draw(st.integers(0, 4 if key != "source" else 1)) == 0:
                row[key] = data.draw(st.sampled_from(values))
        row = dict(data.draw(st.permutations(list(row.items()))))
        return json.dumps(row, **data.draw(spellings)).encode("utf-8", "surrogatepass") + data.draw(
            st.sampled_from([b"\n", b"\r\n"])
        )

    block = b"".join(
        record() if data.draw(st.integers(0, 3)) else data.draw(lines()).replace(b"\r", b"") + b"\n"
        for _ in range(data.draw(st.integers(1, 5)))
    )
    config = RecordConfig(
        clean=CleanConfig(
            guard=data.draw(st.sampled_from([0.0, 0.5, 1.0])),
            stubs=data.draw(st.sampled_from(["clean", "keep"])),
            gap=data.draw(st.integers(0, 9)),
            html="strip",
        ),
        fallback=data.draw(st.sampled_from([None, "example.org"])),
    )
    packs = {"example.org": pack, "é": pack}
    fast, slow = done(RecordCleaner(packs, config), block), done(Slow(packs, config), block)
    assert items(fast[0]) == items(slow[0])
    assert fast[1:] == slow[1:]


ROWS: Sequence[Mapping[str, Any]] = [
    {"source": f"s{number % 3}", "text": f"Story {number} “é”.\n\nSign up now" + " !" * (number % 5), "id": number}
    for number in range(900)
]
PACKS: Mapping[str, Pack] = {"s0": PACK, "s1": PACK}


@pytest.mark.parametrize("blank", ["", " ", "\t", *(chr(code) for code in range(0x80, 0x3001) if chr(code).isspace())])
def test_a_blank_source_is_none(blank: str) -> None:
    data = b"".join(
        json.dumps({"source": source, "text": "Story.\n\nSign up now"}, ensure_ascii=False).encode() + b"\n"
        for source in (blank, blank + " ", blank + "s0")
    )
    block = Lines("f", "s0", 1, data)
    for cleaner in (RecordCleaner(PACKS), Slow(PACKS)):
        batch = cleaner.clean_batch(block)
        assert {name: one.records for name, one in batch.tally.sources.items()} == (
            {"s0": 3} if not blank else {"s0": 2, blank + "s0": 1}
        )
        assert [json.loads(line)["source"] for line in batch.data.splitlines()] == [blank, blank + " ", blank + "s0"]


def test_most_lines_are_ordinary() -> None:
    """Else all of this would be right and of no use."""
    data = b"".join(orjson.dumps(row) + b"\n" for row in ROWS)
    assert clean_block(data)[1] == []
    cleaner = RecordCleaner(PACKS)
    records, errors, tally = done(cleaner, data, 100)
    assert (records, errors, tally) == done(Slow(PACKS), data, 100)
    assert tally.total().changed == 600
    assert tally.sources["s2"].no_pack == 300


def test_jobs_and_batches_change_no_byte(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in ROWS) + b"broken\n" + b'{"text": 1}')
    found = []
    for jobs, most in ((1, 256), (2, 256), (2, 7), (1, 1)):
        cleaner = RecordCleaner(PACKS, jobs=jobs)
        errors: list[str] = []
        batches = read_batches([str(path)], ReadConfig(), None, most)
        data = b"".join(cleaner.clean_batches(batches, lambda error, errors=errors: errors.append(str(error))))  # type: ignore[misc]
        found.append((data, errors, cleaner.tally))
    assert found[0][1][0].startswith(f"{path}:901: ")
    assert found[0][1][1].startswith(f"{path}:902: ")
    assert all(one == found[0] for one in found)


def test_threads_share_a_cleaner() -> None:
    data = b"".join(orjson.dumps(row) + b"\n" for row in ROWS)
    cleaner = RecordCleaner(PACKS)
    expected = done(RecordCleaner(PACKS), data, 50)
    with ThreadPoolExecutor(4) as pool:
        assert all(one == expected for one in pool.map(lambda _: done(cleaner, data, 50), range(16)))


def test_packs_that_lines_cannot_be_cleaned_with() -> None:
    config = CleanConfig(engine="regex")
    assert Cleaner(PACK, config).lines is None
    assert Cleaner(make_pack([], pattern_set("news"), "-", True)).lines is None
    data = b"".join(orjson.dumps(row) + b"\n" for row in ROWS[:9])
    expected = done(RecordCleaner(PACKS), data)
    assert done(RecordCleaner(PACKS, RecordConfig(clean=config)), data) == expected
    records, _, tally = done(RecordCleaner(PACKS, RecordConfig(hits=True)), data)
    assert records == expected[0]
    assert tally.days["s0"][""].documents == 3


def test_a_line_of_50_megabytes_and_one_of_nothing_but_escapes() -> None:
    story = "eine Zeile voller Wörter\n" * 2_000_000 + "Sign up now"
    rows = [{"text": story}, {"text": "\x01" * 100_000 + "\n\nSign up now"}, {"text": 'x"' * 50_000 + " Sign up now"}]
    data = b"".join(orjson.dumps(row) + b"\n" for row in rows)
    start = time.perf_counter()
    records, errors, _ = done(RecordCleaner({"example.org": PACK}), data)
    assert time.perf_counter() - start < 20  # about half a second; a quadratic reader takes minutes
    assert errors == []
    assert [len(one["text"]) for one in records] == [len(story) - 12, 100_000, 100_000]


def test_deep_nesting_is_left_and_told() -> None:
    for levels in (MAX_DEPTH, MAX_DEPTH + 1, 100_000):
        line = b'{"text":"x","a":' + b"[" * (levels - 1) + b"]" * (levels - 1) + b"}"
        assert clean_block(line) == (b"", [line])
        _, errors, _ = done(RecordCleaner(PACKS), line)
        assert len(errors) == (levels > MAX_DEPTH)


# ----------------------------------------------------------------------------------------------------------------------
# Cuts that may tear a sentence
# ----------------------------------------------------------------------------------------------------------------------

PIECES = [
    *"ab Cd,.:()[]!@/1\n（）「。大字éÉǅ…»”ßª\u2028\u3000",
    "the ",
    "The ",
    "mill ",
    "Mill ",
    "CNN ",
    ": ",
    ". ",
    "\n\n",
    "2 ",
    "\0",
]


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=40).map("".join), st.data())
def test_every_tear_is_among_the_doubtful_cuts(text: str, data: st.DataObject) -> None:
    """Only these are looked at, so that none that tears may be missing; and they are cuts."""
    places = sorted(data.draw(st.sets(st.integers(0, len(text)), min_size=2, max_size=4))) if len(text) > 1 else [0, 1]
    spans = [*zip(places[::2], places[1::2], strict=False)]
    cuts = [cut[:2] for cut in join_spans(text, [(start, end, ["a"]) for start, end in spans])]
    doubtful = _records.find_doubtful(text, spans, len(spans))
    assert {*doubtful} <= {*cuts}
    assert {cut for cut in cuts if leaves_part(text, *cut)} <= {*doubtful}


def test_most_cuts_are_not_doubtful() -> None:
    """A whole line, a sentence between others, and a label before a headline: all else would take long."""
    line, label = "It is so.\nSign up now\nThe rest.", "Rome: The port is shut on Monday."
    assert _records.find_doubtful(line, [(10, 21)], 1) == []
    assert _records.find_doubtful("It is so. Read on. The rest.", [(10, 18)], 1) == []
    assert _records.find_doubtful(label, [(0, 5)], 1) == []
    torn = "See: Half of the Mill is shut, as a mill is."
    assert _records.find_doubtful(torn, [(0, 4)], 1) == [(0, 4)]
    assert _records.find_doubtful(torn, [(0, 4)], 0) == []


@pytest.mark.parametrize("spans", [[(2, 1)], [(0, 5)], [(1, 2), (0, 1)], [(-1, 1)]])
def test_doubtful_cuts_are_of_the_text(spans: list[tuple[int, int]]) -> None:
    with pytest.raises(ValueError, match="expected spans of the text"):
        _records.find_doubtful("text", spans, 1)
