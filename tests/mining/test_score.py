"""The model: what is read, what is refused, and that scores are of features alone."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from templatemine.config import SHIPPED, PipelineConfig
from templatemine.errors import ConfigError
from templatemine.kinds import KINDS as BOILERPLATE_KINDS
from templatemine.mining._candidates import PIECES
from templatemine.mining.features import FEATURES, SURROUNDINGS
from templatemine.mining.labels import KINDS
from templatemine.mining.methods import resolve_defaults
from templatemine.mining.score import (
    COLUMNS,
    FILLER_FORESTS,
    KIND_FEATURES,
    KIND_FORESTS,
    find_captions,
    fingerprint,
    kind_matrix,
    load_model,
    takes_sentences,
)
from templatemine.mining.stages import mine_source
from templatemine.mining.wording import Wording
from templatemine.model import Document

BLANK = Wording(
    weights=np.zeros((PIECES, len(BOILERPLATE_KINDS)), np.int8),
    scales=np.zeros(len(BOILERPLATE_KINDS), np.float32),
    biases=np.zeros(len(BOILERPLATE_KINDS), np.float32),
)
"""Says nothing of words."""


def tables() -> dict[str, Any]:
    """A model of stumps: of one tree each, which asks for the first feature."""
    found: dict[str, Any] = {}
    for name in (*KINDS, *FILLER_FORESTS.values(), *KIND_FORESTS.values()):
        columns: tuple[Any, ...] = (
            np.array([0], np.int16),
            np.array([0.5], np.float32),
            np.array([-1], np.int16),
            np.array([-2], np.int16),
            np.array([-1.0, 1.0], np.float32),
            np.array([1], np.int32),
        )
        found |= {f"{name}.{column}": value for column, value in zip(COLUMNS, columns, strict=True)}
    found |= {f"wording.{name}": values for name, values in asdict(BLANK).items()}
    return found | {f"{kind}.usual": np.zeros(len(FEATURES[kind]), np.float32) for kind in KINDS}


def saved(path: Path, change: dict[str, Any]) -> str:
    columns = {name: value for name, value in {**tables(), **change}.items() if value is not None}
    np.savez(path, **columns)
    return str(path)


def test_scores_are_shares_and_the_same_each_time() -> None:
    shipped = load_model(SHIPPED)
    rows = np.random.default_rng(1).normal(0, 3, (500, 120)).astype(np.float32)
    for kind in KINDS:
        matrix = np.ascontiguousarray(rows[:, : len(FEATURES[kind])])
        scores = shipped.scores(kind, matrix)
        assert scores.dtype == np.float32
        assert np.all((scores > 0) & (scores < 1))
        assert np.array_equal(scores, shipped.scores(kind, matrix))
        assert np.array_equal(scores[::-1], shipped.scores(kind, matrix[::-1].copy()))
    assert fingerprint(SHIPPED) is None


@pytest.mark.parametrize(
    "change",
    [
        {"segment.leaf": None},
        {"prefix_filler.feature": None},
        {"segment.usual": np.zeros(3, np.float32)},
        {"suffix.usual": None},
        {"segment.feature": np.array([999], np.int16)},
        {"segment.sizes": np.array([7], np.int32)},
        {"wording.scales": None},
        {"wording.weights": np.zeros((4, 13), np.int8)},
        {"segment.feature": np.array([{}], object)},
    ],
    ids=[
        "no leaves",
        "no filler",
        "other features",
        "no usual",
        "beyond the features",
        "sizes",
        "no scales",
        "other weights",
        "objects",
    ],
)
def test_files_that_are_no_model_are_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    path = saved(tmp_path / "model.npz", change)
    with pytest.raises(ConfigError, match=r"^model: expected a file of trees that can be read, got .*model\.npz: "):
        load_model(path)


def test_other_files_are_refused(tmp_path: Path) -> None:
    old = saved(tmp_path / "old.npz", {"wording.weights": None})
    with pytest.raises(ConfigError, match=r"old\.npz: it has no 'wording\.weights', as models of other versions$"):
        load_model(old)
    with pytest.raises(ConfigError, match=r"^model: .*absent\.npz: cannot be read: No such file or directory$"):
        load_model(str(tmp_path / "absent.npz"))
    for name, data in (("junk.npz", b"junk"), ("empty.npz", b"")):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(ConfigError, match="model: expected a file of trees that can be read"):
            load_model(str(tmp_path / name))


def test_features_see_no_words() -> None:
    """The same archive in other words of the same shapes has the same scores."""

    def archive(letters: str) -> list[Document]:
        random = Random(1)

        def word() -> str:
            return "".join(letters[random.randrange(len(letters))] for _ in range(7))

        call, label = f"{word().capitalize()} {word()} {word()}.", word().capitalize()
        texts = []
        for number in range(40):
            prose = [" ".join(word() for _ in range(12)).capitalize() + "." for _ in range(3)]
            texts.append("\n".join([prose[0], call, f"{label}: {word()} {word()}", *prose[1 : 2 + number % 2]]))
        return [Document(source="s", id=str(place), text=text) for place, text in enumerate(texts)]

    options = resolve_defaults(PipelineConfig())
    both = []
    for letters in ("bdfgklmnprtv", "ptmrnlkgfdbv"):
        found = mine_source("s", archive(letters), options)
        assert found.verdicts is not None
        columns = (found.verdicts.kind, found.verdicts.score, found.verdicts.filler, found.strings.df)
        both.append(sorted(zip(*(column.tolist() for column in columns), strict=True)))
    assert len(both[0]) >= 2
    assert both[0] == both[1]


def test_a_model_of_ones_own_is_used_and_named(tmp_path: Path) -> None:
    path = saved(tmp_path / "own.npz", {})
    assert fingerprint(path) != fingerprint(
        saved(tmp_path / "other.npz", {"segment.threshold": np.array([1], np.float32)})
    )
    own = load_model(path)
    matrix = np.zeros((2, len(FEATURES["segment"])), np.float32)
    matrix[1, 0] = 1
    low, high = own.scores("segment", matrix).tolist()
    assert low == pytest.approx(1 / (1 + np.e))
    assert high == pytest.approx(np.e / (1 + np.e))


def test_the_greatest_says_what_it_is_and_a_note_must_be_likely(tmp_path: Path) -> None:
    first = KIND_FEATURES.index("documents")
    others = {f"{name}.leaf": np.array([-9.0, -9.0], np.float32) for name in KIND_FORESTS.values()}
    leaves = {
        "kind_byline.leaf": np.array([2.0, 0.0], np.float32),
        "kind_note.leaf": np.array([2.1, 2.1], np.float32),
        "kind_legal.leaf": np.array([2.0, 0.0], np.float32),
    }
    features = {f"{name}.feature": np.array([first], np.int16) for name in KIND_FORESTS.values()}
    model = load_model(saved(tmp_path / "kinds.npz", {**others, **leaves, **features}))
    matrix = np.zeros((2, len(FEATURES["segment"])), np.float32)
    matrix[1, FEATURES["segment"].index("documents")] = 1
    matrix[:, FEATURES["segment"].index("share")] = -5
    matrix[:, FEATURES["segment"].index("letters")] = 1
    none, silent = np.zeros((2, len(SURROUNDINGS)), np.float32), np.zeros((2, len(BOILERPLATE_KINDS)), np.float32)
    # A third of three is no half: the first of the others.
    rows = kind_matrix("segment", matrix, none)
    assert [BOILERPLATE_KINDS[one] for one in model.boilerplate_kinds(rows, silent[: len(rows)])] == ["byline", "note"]
    matrix[:, FEATURES["segment"].index("share")] = -1
    rows = kind_matrix("segment", matrix, none)
    assert [BOILERPLATE_KINDS[one] for one in model.boilerplate_kinds(rows, silent[: len(rows)])][1] != "note"
    assert model.boilerplate_kinds(rows[:0], silent[:0]).tolist() == []
    # What is no word says what it is.
    column = {name: place for place, name in enumerate(FEATURES["segment"])}
    for change, kind in (
        ({}, "navigation"),
        ({"addresses": 1}, "media"),
        ({"times": 1}, "byline"),
        ({"letters": 1, "rights": 0.2}, "byline"),
        ({"letters": 1, "rights": 0.2, "mutable": 0.2}, "legal"),
        ({"letters": 1, "rights": 0.2, "mutable": 0.2, "cue_media": 2}, "byline"),
    ):
        one = matrix[:1].copy()
        for name, value in {"letters": 0, **change}.items():
            one[0, column[name]] = value
        rows = kind_matrix("segment", one, none[:1])
        assert [BOILERPLATE_KINDS[found] for found in model.boilerplate_kinds(rows, silent[: len(rows)])] == [kind]
    # Words speak for a kind, too.
    spoken = silent[:1].copy()
    spoken[0, BOILERPLATE_KINDS.index("legal")] = 3
    rows = kind_matrix("segment", matrix[:1], none[:1])
    assert [BOILERPLATE_KINDS[found] for found in model.boilerplate_kinds(rows, spoken)] == ["legal"]
    place = matrix[:1].copy()
    place[0, column["dashed"]] = 1
    rows = kind_matrix("segment", place, none[:1])
    assert [BOILERPLATE_KINDS[found] for found in model.boilerplate_kinds(rows, spoken)] == ["byline"]
    # What begins with a strong cue of notes is one, unless it asks for something, too, or many articles have it.
    for cues, share, kind in (
        ({"cue_note": 2, "cue_first": 2}, -3.5, "note"),
        ({"cue_note": 2, "cue_first": 2}, -3.0, "byline"),
        ({"cue_note": 2, "cue_first": 1}, -3.5, "byline"),
        ({"cue_note": 2, "cue_first": 2, "cue_dateline": 2}, -3.5, "note"),
        ({"cue_note": 2, "cue_first": 2, "cue_promotion": 2}, -3.5, "byline"),
    ):
        one = matrix[:1].copy()
        one[0, column["share"]] = share
        for name, strength in cues.items():
            one[0, column[name]] = strength
        rows = kind_matrix("segment", one, none[:1])
        assert [BOILERPLATE_KINDS[found] for found in model.boilerplate_kinds(rows, silent[: len(rows)])] == [kind]


@pytest.mark.parametrize("kind", KINDS)
def test_captions_are_credits_that_take_sentences(kind: str) -> None:
    matrix = np.zeros((4, len(FEATURES[kind])), np.float32)
    if kind != "segment":
        matrix[:, FEATURES[kind].index("rest")] = [6, 6, 4.5, 6]
        matrix[:, FEATURES[kind].index("rest_capitals")] = [0.4, 0.4, 0.4, 0.9]
    with_sentences = takes_sentences(kind, matrix)
    assert with_sentences.tolist() == [kind != "segment", kind != "segment", False, False]
    media, related = (BOILERPLATE_KINDS.index(name) for name in ("media", "related"))
    found = find_captions(np.array([media, related, media, media], np.int8), with_sentences)
    first = "media" if kind == "segment" else "caption"
    assert [BOILERPLATE_KINDS[one] for one in found] == [first, "related", "media", "media"]
    assert find_captions(found[:0], takes_sentences(kind, matrix[:0])).tolist() == []
