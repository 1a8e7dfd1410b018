"""What speaks for and against templates: the features that change the score most, in words."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from templatemine.api import mine
from templatemine.errors import PackError
from templatemine.mining.features import FEATURES
from templatemine.mining.labels import KINDS, SEGMENT
from templatemine.mining.score import SHIPPED, load_model
from templatemine.mining.score_reasons import _WORDS, CODES_PER_SIDE, describe_codes, explain_scores, unpack_codes
from templatemine.model import Document
from templatemine.packs.pack import Pack
from templatemine.packs.readable import describe_reasons, describe_reasons_once


def test_every_feature_has_words() -> None:
    named = {name for kind in KINDS for name in FEATURES[kind]}
    assert named == set(_WORDS)
    assert all(more != less for more, less in _WORDS.values())


@pytest.mark.parametrize("kind", KINDS)
def test_the_strongest_are_those_whose_loss_changes_the_score_most(kind: str) -> None:
    shipped = load_model(SHIPPED)
    forest, usual = shipped.forests[kind], shipped.usual[kind]
    rng = np.random.default_rng(3)
    matrix = (usual + rng.normal(0, 1.5, (150, len(usual)))).astype(np.float32)
    rows = np.arange(0, 150, 2)
    found = explain_scores(shipped, kind, matrix, rows)
    for row, packed in zip(rows.tolist(), found.tolist(), strict=True):
        effects = {}
        for place in range(len(usual)):
            other = matrix[row : row + 1].copy()
            other[0, place] = usual[place]
            effects[place] = float(forest.scores(matrix[row : row + 1])[0] - forest.scores(other)[0])
        for sign, some in zip((1, -1), unpack_codes(packed), strict=True):
            order = sorted(effects, key=lambda place: -sign * effects[place])[:CODES_PER_SIDE]
            told = [sign * effects[abs(code) - 1] for code in some if code]
            assert told == pytest.approx([sign * effects[place] for place in order][: len(told)], abs=1e-5)
            assert all((matrix[row, abs(code) - 1] > usual[abs(code) - 1]) == (code > 0) for code in some if code)
    assert explain_scores(shipped, kind, matrix, rows[:0]).shape == (0,)


def test_words_say_which_side_of_the_usual_a_value_is() -> None:
    place = FEATURES[SEGMENT].index("share")
    assert describe_codes(SEGMENT, [place + 1, 0, 0]) == ("in a large share of the documents",)
    assert describe_codes(SEGMENT, [-place - 1, 0]) == ("in a small share of the documents",)


@pytest.mark.parametrize("kind", KINDS)
def test_no_two_features_can_contradict_each_other(kind: str) -> None:
    """Of a string in 2 documents of 40 it was said: for it, in many documents; against it, in few documents."""
    words = [one for name in FEATURES[kind] for one in _WORDS[name]]
    assert sorted(words) == sorted(set(words))


def test_packs_say_why() -> None:
    rng = random.Random(1)

    def story() -> str:
        return " ".join("".join(rng.choices("abdeilmnorst", k=6)) for _ in range(40)).capitalize() + "."

    texts = [f"{story()}\n\n{story()}\n\nSign up for our letter of the morning!" for _ in range(60)]
    pack = mine([Document(source="s", id=str(place), text=text) for place, text in enumerate(texts)])["s"]
    (found,) = pack.templates
    assert found.score is not None
    assert found.score > 0.9
    assert "in many documents" in found.reasons_for
    assert describe_reasons(found).startswith(f"score {found.score:.2f}; for it: in many documents")
    again = Pack.from_json(pack.to_json())
    assert again.to_json() == pack.to_json()
    assert again.templates[0].reasons_for == found.reasons_for
    # An old pack does not say it, and templates with and without are the same.
    plain = replace(found, score=None, reasons_for=(), reasons_against=())
    assert plain == found
    assert describe_reasons(plain) == ""
    # Of variants one after another the same line was told of each.
    variant, other = replace(found, score=0.5), replace(found, reasons_for=())
    named = zip(("t0", "t1", "t2", "t3", "t4", "t5"), (found, variant, other, variant, plain, plain), strict=True)
    said = describe_reasons_once(named)
    told = "score 0.50; reasons as for t0"
    assert said == [describe_reasons(found), told, describe_reasons(other), told, "", ""]
    assert '"reasons_for"' not in replace(pack, templates=(plain,)).to_json()
    with pytest.raises(PackError, match="reasons_for, reasons_against: expected lists of strings"):
        Pack.from_json(pack.to_json().replace('"reasons_for": ["in many documents"', '"reasons_for": [5'))
