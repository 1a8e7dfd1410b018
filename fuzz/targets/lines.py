"""Lines of JSON as `clean` takes them on its short way: what it takes is JSON, and comes out as it was; the rest is left."""

from __future__ import annotations

import json

import orjson

import reference
from common.session import run
from strategies import make_pack
from templatemine.cleaning import _records
from templatemine.cleaning.cleaner import Cleaner
from templatemine.text._reading import NOT_COMPOSED
from templatemine.text.patterns import pattern_set
from templatemine.text.reading import PLAIN

NAMES = ("text", "html", "source", "id", "removed", "removed_stub")
FIELDS = _records.Fields([name.encode() for name in NAMES], 1 << 40)
CLEANER = Cleaner(make_pack([([b"Sign", b"up", b"now"], "Sign up now")], pattern_set("news"), "-", False))
SELDOM = 16
"""The grammar of the slow twin is asked of one input in so many."""


def clean_block(data: bytes, kind: int) -> tuple[bytes, list[bytes]]:
    """What comes out of a block of lines, and those that were left."""
    one = _records.BlockCleaner(FIELDS, data, b"default")
    left = []
    while (why := one.run()) != _records.DONE:
        if why == _records.UNKNOWN:
            one.add_source(one.source, kind, CLEANER.lines if kind == _records.CLEAN else None)
        else:
            left.append(one.line)
    return one.take_output(), left


def one(data: bytes) -> None:
    passed, left = clean_block(data, _records.PASS)
    lines = [line for line in data.split(b"\n") if line]
    records = passed.split(b"\n")[:-1]
    assert len(records) + len([line for line in left if line != b"\n"]) == len(lines)
    if not records:
        return
    rest = {line.removesuffix(b"\n") for line in left}
    assert [line.strip(b" \t\r") for line in lines if line not in rest] == records
    cleaned, still = clean_block(data, _records.CLEAN)
    # Texts that may not be in NFC are left to Python.
    uncomposed = [line for line in records if PLAIN.native.read(orjson.loads(line)["text"]) is NOT_COMPOSED]
    assert len(still) == len(left) + len(uncomposed)
    assert {line.strip(b" \t\r\n") for line in still} >= set(uncomposed)
    records = [line for line in records if line not in uncomposed]
    for line, after in zip(records, cleaned.split(b"\n"), strict=False):
        fields, out = orjson.loads(line), orjson.loads(after)
        assert fields == json.loads(line)
        wanted = CLEANER.clean(fields["text"])
        assert out.pop("text") == wanted.text
        assert [(row["start"], row["end"]) for row in out.pop("removed")] == [(s.start, s.end) for s in wanted.removed]
        out.pop("removed_stub", None)
        assert out.items() <= fields.items()
    if len(lines) % SELDOM == 1:
        grammar = [reference.ordinary_line(line, NAMES) for line in lines]
        assert [found[0] for found in grammar if found] == passed.split(b"\n")[:-1]


if __name__ == "__main__":
    run(one)
