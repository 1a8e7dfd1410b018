"""Signs of candidates: dashes, capitals, letters and brackets, from the definition."""

from __future__ import annotations

import numpy as np

from templatemine.config import TokeniseConfig
from templatemine.mining.cues import load_cues
from templatemine.mining.features import FEATURES, compute_features
from templatemine.mining.labels import find_candidates
from templatemine.mining.segments import segment
from templatemine.mining.tokenise import Vocabulary, tokenise
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
    assert isinstance(names, Vocabulary)
    found = {}
    for one, matrix in zip(
        kinds, compute_features(corpus, segments, [None] * documents, kinds, [load_cues()]), strict=True
    ):
        starts = one.starts(segments, one.first, one.length).tolist()
        for start, size, row in zip(starts, one.length.tolist(), matrix, strict=True):
            text = " ".join(names[token].decode() for token in segments.tokens[start : start + size])
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
