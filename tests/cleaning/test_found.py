"""What bylines and datelines say: names, agency, place and time, whatever is cut."""

from __future__ import annotations

from dataclasses import replace

import orjson
import pytest

from strategies import make_pack
from templatemine.cleaning.found import MetadataFinder
from templatemine.cleaning.records import RecordCleaner, StreamConfig
from templatemine.config import CleanConfig
from templatemine.kinds import choose
from templatemine.model import Document, Record
from templatemine.packs.pack import Pack
from templatemine.text.patterns import pattern_set

STRINGS = (
    ("By", "end/start", "byline"),
    ("Autor:", "end/start", "byline"),
    ("| Tide Desk", "start/end", "byline"),
    ("(Reuters) -", "start/end", "dateline"),
    ("Updated:", "end/start", "dateline"),
    ("Sign up", "end/start", "promotion"),
)


def pack() -> Pack:
    patterns = pattern_set("news")
    rows = [
        ([word.encode() for word in text.replace(" -", "").split()], text.replace(" -", "")) for text, _, _ in STRINGS
    ]
    made = make_pack(rows, patterns, "-", False, [anchor for _, anchor, _ in STRINGS])
    kinds = {f"t{place}": kind for place, (_, _, kind) in enumerate(STRINGS)}
    return replace(made, templates=tuple(replace(one, kind=kinds[one.id[:2]]) for one in made.templates))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("By Ines Harper and Odette Joshi\nThe story.", {"byline": ["Ines Harper", "Odette Joshi"]}),
        ("The story.\nAutor: Jana Nová", {"byline": ["Jana Nová"]}),
        ("Ann Doe | Tide Desk\nThe story.", {"byline": ["Ann Doe"]}),
        ("BRIDGEBRIDGE, March 3 (Reuters)\nThe story.", {"agency": "Reuters", "place": "BRIDGEBRIDGE"}),
        ("Updated: 5 March 2024\nThe story.", {"updated": "2024-03-05"}),
        ("Sign up Ann Doe\nThe story.", {}),
        ("The story, By Nature, ends.", {}),
    ],
)
def test_what_is_found(text: str, found: dict[str, object]) -> None:
    assert MetadataFinder(pack()).find(text) == found


@pytest.mark.parametrize("policy", ["llm", "reader", "archive"])
def test_records_have_it_whatever_is_cut(policy: str) -> None:
    fields = {"source": "a", "text": "By Ines Harper\nThe story.\nSign up now"}
    record = Record(document=Document(source="a", id="1", text=fields["text"]), fields=fields, where="f:1")
    cleaner = RecordCleaner({"a": pack()}, StreamConfig(clean=CleanConfig(choice=choose(policy)), found=True))
    (line,) = b"".join(cleaner.lines([record])).splitlines()
    written = orjson.loads(line)
    assert written["found"] == {"byline": ["Ines Harper"]}
    assert ("By Ines Harper" in written["text"]) == (policy != "llm")
