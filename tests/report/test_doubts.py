"""The signs that a template is story: each moves the chance that its score leaves, and is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from templatemine.model import Template
from templatemine.report.doubts import Matches, find_signs, reads_as_story

LABEL = Template(
    id="t", regex="", tokens=("Read", "also:", "{slot}"), df=300, count=300, example="Read also:", score=0.86
)


@pytest.mark.parametrize(
    ("text", "story"),
    [
        ("The final will be on air on Monday at nine.", True),
        ("“We saw that the boats had gone,” she said.", True),
        ("The final will be on air on Monday at ...", False),  # a teaser
        ("READ ALSO - The Harbour Board Meets Again.", False),
        ("Subscribe now.", False),
        ("Harbour board meets again as boats wait outside", False),
        ("港の工事は三年かかり、費用は予定より少なかったという。", True),
        ("無断転載を禁じます。", False),
        ("이번 공사는 예정보다 일찍 끝났다고 시는 밝혔다.", True),
    ],
)
def test_what_reads_as_story(text: str, story: bool) -> None:
    assert reads_as_story(text) == story


def test_each_sign_moves_the_chance_and_is_told() -> None:
    plain = find_signs(LABEL, 30, 1000, None)
    assert plain.chance == pytest.approx(0.14)
    assert plain.words == ("its score is 0.86",)
    sentence = find_signs(LABEL, 30, 1000, Matches(size=80, story=0.9))
    front = find_signs(replace(LABEL, tokens=("{slot}", "of", "the", "board")), 30, 1000, None)
    assert find_signs(replace(LABEL, tokens=("{slot:90}", "of", "the", "board")), 30, 1000, None) == front
    few = find_signs(LABEL, 4, 1000, None)
    for one in (sentence, front, few):
        assert plain.chance < one.chance < 0.5
        assert len(one.words) == 2
    assert "sentence of the story" in sentence.words[1]
    assert "before its words" in front.words[1]
    assert few.words[1] == "it is in 4 documents only"
    assert find_signs(LABEL, 300, 1000, None).chance < 0.05  # what is in every third article is no story
    assert (
        find_signs(replace(LABEL, tokens=("{slot:names}", "reports")), 30, 1000, None) == plain
    )  # a name, no sentence


def test_what_people_decided_is_in_no_doubt() -> None:
    assert find_signs(LABEL, 4, 1000, None, by_hand=True).chance == 0
    assert find_signs(replace(LABEL, tokens=None), 4, 1000, None).words == ()
