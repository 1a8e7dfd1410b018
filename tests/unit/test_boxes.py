"""Boxes that a parser wrote into the middle of sentences: an opening, something new, a closing."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import pytest

from templatemine.boxes import boxes_of
from templatemine.clean import Cleaner
from templatemine.config import CleanConfig, EvidenceConfig, PipelineConfig
from templatemine.expressions import JOINT, SLOT
from templatemine.model import Document
from templatemine.packs import Pack
from templatemine.pipeline import mine

SYLLABLES = ("mar", "bel", "tor", "quin", "ost", "fil", "an", "es", "ick", "ow", "dra", "nell")
WORDS = [first + last for first in SYLLABLES for last in SYLLABLES]
NAMES = [(f"{a}a{b.lower()}", f"{b}{c}son") for a in "BDFGK" for b in "VRNM" for c in ("ol", "er")]
MARKS = ("", "", ",", "'s", ".", " (R-Ky.)")


def archive(
    glue: tuple[str, str, str, str] = ("", "", "", " "),
    closing: str = "MORE",
    people: int = 40,
    documents: int = 120,
    stop: str = "",
) -> tuple[list[Document], list[list[str]]]:
    """Articles in which boxes hang on names, and these boxes.

    glue : what stands before a box, between its name and the first headline, between headlines, before the closing.
    stop : what stands within a headline.
    """
    rng = Random(5)

    def words(number: int) -> str:
        return " ".join(rng.choice(WORDS) for _ in range(number))

    made: list[Document] = []
    boxes: list[list[str]] = []
    for number in range(documents):
        paragraphs: list[str] = []
        boxes.append([])
        for _ in range(2):
            first, last = NAMES[rng.randrange(people)]
            heads = [f"{words(3).capitalize()}{stop} {words(3)}" for _ in range(3)]
            box = f"{first} Middle {last}{glue[1]}{glue[2].join(heads)}{glue[3]}{closing}" if closing else ""
            paragraphs.append(
                f"Then {words(60)} President {last}{glue[0] if box else ''}{box}{rng.choice(MARKS)} "
                f"{words(12)}{' with BuzzFeed' if rng.random() < 0.3 else ''} {words(6)} so."
            )
            paragraphs.append(f"{words(60).capitalize()} {last} of WikiLeaks {words(60)} then.")
            boxes[-1] += [box] if box else []
        made.append(Document(source="a", id=str(number), text="\n\n".join(paragraphs)))
    return made, boxes


def mined(documents: list[Document], boxes: bool = True) -> Pack:
    """The pack of a source beside another one that writes the same way without boxes."""
    other = [replace(one, source="b") for one in archive(closing="")[0]]
    return mine([*documents, *other], PipelineConfig(evidence=EvidenceConfig(boxes=boxes)))["a"]


def openings(pack: Pack) -> set[tuple[str, ...]]:
    return {one.tokens for one in pack.templates if one.tokens and one.slot == "between"}


@pytest.mark.parametrize("alone", [False, True], ids=["beside another source", "alone"])
@pytest.mark.parametrize(
    ("glue", "closing"),
    [
        (("", "", "", " "), "MORE"),
        (("", "", "", ""), "MORE"),
        ((" ", "", "", " "), "MORE"),
        (("", "", "", ""), "Lire la suite"),
        ((" ", "", "", ""), "Read more"),
        ((" ", " ", " ", " "), "MORE"),
        (("", "", "", " "), "ЕЩЁ"),
    ],
    ids=["glued", "all glued", "behind a blank", "several words", "two words", "blanks", "Cyrillic"],
)
def test_boxes_are_cut_out_of_sentences(glue: tuple[str, str, str, str], closing: str, alone: bool) -> None:
    documents, boxes = archive(glue, closing)
    pack = mine(documents)["a"] if alone else mined(documents)
    # Another engine, and the pack as it is read from its file, do the same.
    again = Cleaner(Pack.from_json(pack.to_json()), CleanConfig(engine="regex"))
    cleaner = Cleaner(pack)
    cut: list[list[str]] = []
    for document in documents:
        found = cleaner.spans(document.body)
        cut.append([document.body[span.start : span.end] for span in found])
        if len(cut) < 20:
            assert found == again.spans(document.body)
    wrong = [piece for some, made in zip(cut, boxes, strict=True) for piece in some if piece not in made]
    assert wrong == []
    assert sum(map(len, cut)) >= 0.95 * sum(map(len, boxes))


def test_names_that_nobody_has_seen_are_told_by_their_joint() -> None:
    documents, _ = archive()
    pack = mined(documents)
    assert (JOINT, SLOT, "MORE") in openings(pack)
    text = "President OrsonOrson (Otto) OrsonThey saySo they say MORE (R-Ky.) said, as BuzzFeed News has it."
    for engine in ("native", "regex"):
        cleaned = Cleaner(pack, CleanConfig(engine=engine)).clean(text)
        assert cleaned.text == "President Orson (R-Ky.) said, as BuzzFeed News has it."
    # Behind a blank there is none.
    assert (JOINT, SLOT, "MORE") not in openings(mined(archive((" ", "", "", " "))[0]))


@pytest.mark.parametrize(
    "documents",
    [
        archive(people=8)[0],
        archive(closing="")[0],
        archive(stop=" so it was. And")[0],
        archive(closing="the")[0],
    ],
    ids=["few openings", "no closing", "sentences between", "a closing that stands everywhere"],
)
def test_what_is_no_box(documents: list[Document]) -> None:
    assert openings(mined(documents)) == set()
    assert boxes_of([], EvidenceConfig()) == boxes_of(documents[:1], EvidenceConfig()) == []


def test_an_opening_is_near_enough_to_its_closing() -> None:
    """Names in all orders look like boxes of any length; only those are some that their expression reaches across."""
    rng = Random(0)
    names = [first.capitalize() + last for first, last in zip(SYLLABLES * 3, "aeiou" * 8, strict=False)][:30]
    documents = [
        Document(source="a", id=str(number), text=" ".join(rng.choices(names, k=400))) for number in range(150)
    ]
    pack = mine(documents, PipelineConfig(background="none"))["a"]
    boxes = [one for one in pack.templates if one.slot == "between"]
    assert boxes
    assert [one for one in boxes if re.fullmatch(one.regex, one.example) is None] == []
    assert Pack.from_json(pack.to_json()).templates == pack.templates


def test_the_order_of_documents_changes_nothing() -> None:
    documents, _ = archive()
    made = boxes_of(documents, EvidenceConfig())
    assert made
    assert made == boxes_of(documents[::-1], EvidenceConfig())


def test_they_are_not_looked_for_if_not_wanted() -> None:
    assert PipelineConfig().evidence.boxes is True
    assert openings(mined(archive()[0], boxes=False)) == set()
