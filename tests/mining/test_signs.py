"""Signs of candidates: dashes, capitals, letters and brackets, from the definition."""

from __future__ import annotations

import numpy as np
import pytest

from templatemine.config import TokeniseConfig
from templatemine.mining import features
from templatemine.mining.cues import KINDS as CUE_KINDS
from templatemine.mining.cues import load_cues
from templatemine.mining.features import FEATURES, SURROUNDINGS, CueReader, compute_features
from templatemine.mining.labels import find_candidates
from templatemine.mining.segments import segment
from templatemine.mining.tokenise import tokenise
from templatemine.model import Document

WORDS = "abelin tarvo quist menna olbrek sutti"


def signs_of(lines: list[str], documents: int = 12) -> dict[tuple[str, str], dict[str, float]]:
    """Signs by kind and string, of documents with all of the lines, % for what differs in each."""
    texts = [
        "\n".join(line.replace("%", f"{word}{chr(97 + at)}o") for line, word in zip(lines, WORDS.split(), strict=False))
        for at in range(documents)
    ]
    corpus = tokenise(
        "s",
        [Document(source="s", id=str(at), text=text) for at, text in enumerate(texts)],
        TokeniseConfig(),
        lines=True,
    )
    segments = segment(corpus)
    kinds = find_candidates(segments)
    names = corpus.form_names
    found = {}
    reader = CueReader(segments, names, [load_cues()])
    for one, matrix in zip(kinds, compute_features(corpus, segments, [None] * documents, kinds, reader), strict=True):
        starts = one.starts(segments, one.first, one.length).tolist()
        for start, size, row in zip(starts, one.length.tolist(), matrix, strict=True):
            text = " ".join(names[token].decode("utf-8", "replace") for token in segments.tokens[start : start + size])
            found[one.kind, text] = dict(zip(FEATURES[one.kind], row.tolist(), strict=True))
    return found


def test_signs() -> None:
    found = signs_of(
        ["%, Harbour Post - The % sails", "(See also: % of old)", "FOTO LYNDE/ % said so", "Read it", "東京発 %"]
    )
    dateline = found["suffix", "Harbour Post"]
    assert (dateline["dashed"], dateline["upper"], dateline["letters"], dateline["unclosed"]) == (1, 0, 5.5, 0)
    label = found["prefix", "(See also:"]
    assert (label["dashed"], label["unclosed"], label["letters"]) == (0, 1, 3.5)
    assert found["suffix", "of old)"]["unclosed"] == 1
    assert found["prefix", "FOTO LYNDE/"]["upper"] == 1
    assert found["segment", "Read it"]["unclosed"] == 0
    assert found["segment", "Read it"]["letters"] == 3
    assert np.isclose(found["prefix", "東 京 発"]["letters"], 2)


def test_addresses_times_and_rights() -> None:
    names = ("addresses", "mails", "handles", "times", "rights")
    lines = {
        "Write to desk@post.example": (0, 1 / 3, 0, 0, 0),
        "See www.post.example/a now": (1 / 3, 0, 0, 0, 0),
        "Follow @post here": (0, 0, 1 / 3, 0, 0),
        "Updated on Monday at 10:30": (0, 0, 0, 2 / 5, 0),
        "© Harbour Post": (0, 0, 0, 0, 1 / 3),
    }
    found = [row for (kind, _), row in signs_of(list(lines)).items() if kind == "segment"]
    said = sorted(tuple(round(row[name], 3) for name in names) for row in found)
    assert said == sorted(tuple(round(value, 3) for value in row) for row in lines.values())


@pytest.mark.parametrize("batch", [1, 7, 1 << 16])
def test_surroundings_are_those_of_the_definition(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(features, "_BATCH_SIZE", batch)
    lines = [
        "Sign up for our newsletter",
        "one %",
        "two %",
        "Harbour news",
        "three %",
        "Photo: % of old",
        "All rights reserved",
    ]
    lines = [line.replace("%", "{}") for line in lines]
    texts = [
        "\n".join(line.format(f"{chr(97 + at)}o{number}r") for number, line in enumerate(lines)) for at in range(9)
    ]
    texts.append("\n".join(lines[::-1]).replace("{}", "last"))
    documents = [Document(source="s", id=str(at), text=text) for at, text in enumerate(texts)]
    corpus = tokenise("s", documents, TokeniseConfig(), lines=True)
    segments = segment(corpus)
    reader = CueReader(segments, corpus.form_names, [load_cues()])
    own = load_cues().find(
        segments.tokens, segments.bounds[:-1], segments.length, load_cues().number_forms(corpus.form_names)
    )[:, : len(CUE_KINDS)]
    for candidates in find_candidates(segments):
        rows = np.arange(len(candidates))[::-1]
        said = reader.read_surroundings(candidates, rows)
        assert said.shape == (len(rows), len(SURROUNDINGS))
        for row, wanted in zip(rows.tolist(), said, strict=True):
            places = candidates.segment[candidates.bounds[row] : candidates.bounds[row + 1]].tolist()
            expected = np.zeros((len(places), 3, len(CUE_KINDS)))
            for number, place in enumerate(places):
                expected[number, 2] = own[place] / 2
                for step, weight in ((1, 1.0), (2, 0.7), (3, 0.5)):
                    for other in (place - step, place + step):
                        if 0 <= other < len(segments) and segments.document[other] == segments.document[place]:
                            expected[number, 1] = np.maximum(expected[number, 1], weight * own[other] / 2)
                            if step == 1:
                                expected[number, 0] = np.maximum(expected[number, 0], own[other] / 2)
            assert np.allclose(wanted, expected.mean(axis=0).ravel(), atol=1e-6)
    assert reader.read_surroundings(candidates, rows[:0]).shape == (0, len(SURROUNDINGS))
