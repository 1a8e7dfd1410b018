"""Boxes that a parser wrote into the middle of sentences: an opening, something new, a closing."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from templatemine.clean import Cleaner
from templatemine.config import CleanConfig, EvidenceConfig, PipelineConfig
from templatemine.model import Document
from templatemine.packs import Pack
from templatemine.pipeline import mine

WORDS = [
    f"{first}{last}" for first in ("mar", "bel", "tor", "quin", "ost", "fil") for last in ("an", "es", "ick", "ow")
]
NAMES = [(f"{a}a", f"{b}son") for a, b in zip("BCDFGHJKLMNPRSTV", "VTSRPNMLKJHGFDCB", strict=True)]
MARKS = ("", "", ",", ".")


def archive(people: int, closing: str = " MORE", documents: int = 80, stop: str = "") -> list[Document]:
    """Articles in which a box hangs on a name: its other name, headlines, a closing."""
    rng = Random(5)

    def words(number: int) -> str:
        return " ".join(rng.choice(WORDS) for _ in range(number))

    made: list[Document] = []
    for number in range(documents):
        paragraphs: list[str] = []
        for _ in range(2):
            first, last = NAMES[rng.randrange(people)]
            heads = " ".join(f"{words(5).capitalize()}{stop}" for _ in range(3))
            box = f" {first} Middle{last} {last}{heads}{closing}" if closing else ""
            paragraphs.append(f"Then {words(90)} {last}{box}{rng.choice(MARKS)} {words(12)} and it {words(6)} so.")
            paragraphs.append(f"{words(90).capitalize()} {last} {words(90)} then.")
        made.append(Document(source="a", id=str(number), text="\n\n".join(paragraphs)))
    return made


def mined(documents: list[Document], boxes: bool = True) -> Pack:
    """The pack of a source beside another one that writes the same way without boxes."""
    other = [replace(one, source="b") for one in archive(16, "")]
    return mine([*documents, *other], PipelineConfig(evidence=EvidenceConfig(boxes=boxes)))["a"]


def halves(pack: Pack) -> set[tuple[str, ...]]:
    return {one.tokens for one in pack.templates if one.tokens and one.slot == "between"}


def test_boxes_are_cut_out_of_sentences() -> None:
    documents = archive(16)
    pack = mined(documents)
    assert ("MiddleBson", "{slot}", "MORE,") in {tokens[-3:] for tokens in halves(pack)}
    # Another engine, and the pack as it is read from its file, do the same.
    again = Pack.from_json(pack.to_json())
    left = 0
    for document in documents[:30]:
        text = document.body
        found = Cleaner(pack).spans(text)
        assert found == Cleaner(again, CleanConfig(engine="regex")).spans(text)
        left += Cleaner(pack).clean(text).text.count("MORE")
        assert all("then." not in text[span.start : span.end] for span in found)
    assert left == 0


@pytest.mark.parametrize(
    "documents",
    [archive(8), archive(16, ""), archive(16, stop=".")],
    ids=["few openings", "no closing", "sentences between"],
)
def test_what_is_no_box(documents: list[Document]) -> None:
    assert halves(mined(documents)) == set()


def test_they_are_found_on_request_only() -> None:
    assert PipelineConfig().evidence.boxes is False
    assert halves(mined(archive(16), boxes=False)) == set()
