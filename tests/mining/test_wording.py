"""What words say: pieces and their sums from the definition, and a model that is read from them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templatemine.config import SHIPPED, TokeniseConfig
from templatemine.kinds import KINDS
from templatemine.mining import _candidates
from templatemine.mining.corpus import Corpus
from templatemine.mining.labels import Candidates, find_candidates
from templatemine.mining.score import load_model
from templatemine.mining.segments import Segments, segment
from templatemine.mining.tokenise import tokenise
from templatemine.mining.wording import Wording, read_words, split_pieces
from templatemine.model import Document

WORDS = "abelin Tarvo quist Menna olbrek SUTTI 記 事 Ünal straße İz".split()
forms = st.lists(st.text(min_size=1, max_size=9).map(lambda text: text.encode("utf-8", "replace")), max_size=6)


def hash_slowly(word: str) -> list[int]:
    """The pieces of a word, by the definition of FNV-1a over code points."""
    chars = [0, *map(ord, word), 0]
    found = []
    for first in range(len(chars)):
        for size in range(2, 6):
            if first + size <= len(chars):
                value = 0x811C9DC5
                for char in chars[first : first + size]:
                    value = (value ^ char) * 0x01000193 % 2**32
                found.append(value * 0x9E3779B1 % 2**32 >> 18)
    return found


@given(forms)
def test_pieces_are_strings_of_two_to_five_characters(words: list[bytes]) -> None:
    pieces, bounds = split_pieces(words)
    assert pieces.dtype == np.int32
    small = [word.replace(b"\0", b" ").decode("utf-8", "replace").lower() for word in words]
    assert [pieces[first:end].tolist() for first, end in pairwise(bounds.tolist())] == [*map(hash_slowly, small)]
    assert np.all(pieces < _candidates.PIECES)


@pytest.mark.parametrize("chars", [[1], [0, 1], [1, 0]], ids=repr)
def test_words_stand_between_zeros(chars: list[int]) -> None:
    with pytest.raises(ValueError, match="chars: expected a zero at each end"):
        _candidates.hash_pieces(np.array(chars, np.uint32))
    for nothing in ([], [0]):
        pieces, bounds = _candidates.hash_pieces(np.array(nothing, np.uint32))
        assert (pieces.tolist(), bounds.tolist()) == ([], [0])


def some_wording() -> Wording:
    draw = np.random.default_rng(3)
    return Wording(
        weights=draw.integers(-127, 128, (_candidates.PIECES, len(KINDS))).astype(np.int8),
        scales=draw.random(len(KINDS)).astype(np.float32) / 100,
        biases=draw.random(len(KINDS)).astype(np.float32),
    )


def source_of(texts: list[str]) -> tuple[Corpus, Segments, tuple[Candidates, ...]]:
    documents = [Document(source="s", id=str(at), text=text) for at, text in enumerate(texts)]
    corpus = tokenise("s", documents, TokeniseConfig(), lines=True)
    segments = segment(corpus)
    return corpus, segments, find_candidates(segments)


def test_candidates_are_scored_by_the_pieces_of_their_words() -> None:
    """As the definition says, in any order and part."""
    texts = [
        "\n".join(f"{word}: {word}{at} und {word}.\n{word} reads on" for word in WORDS[: 3 + at % 9])
        for at in range(30)
    ]
    corpus, segments, kinds = source_of(texts)
    wording = some_wording()
    weights = wording.weights.astype(np.float64)
    seen = 0
    for one in kinds:
        starts = one.starts(segments, one.first, one.length).tolist()
        rows = np.arange(len(one))[::-2]
        wanted = []
        for row in rows.tolist():
            tokens = segments.tokens[starts[row] : starts[row] + one.length[row]]
            names = [corpus.form_names[token].decode("utf-8", "replace").lower() for token in tokens]
            pieces = [piece for name in names for piece in hash_slowly(name)]
            wanted.append(weights[pieces].sum(axis=0) / len(pieces) ** 0.5 * wording.scales + wording.biases)
        found = wording.score(read_words(segments, corpus.form_names, one, rows))
        assert found == pytest.approx(np.array(wanted).reshape(-1, len(KINDS)), rel=1e-4, abs=1e-4)
        assert found.dtype == np.float32
        seen += len(rows)
    assert seen >= 10


@pytest.mark.parametrize("texts", [[""], ["a", "b"]], ids=repr)
def test_sources_without_candidates(texts: list[str]) -> None:
    corpus, segments, kinds = source_of(texts)
    words = read_words(segments, corpus.form_names, kinds[0], np.arange(0))
    assert [one.tolist() for one in words] == [[], [0], [], [0]]
    assert some_wording().score(words).shape == (0, len(KINDS))


def test_of_a_word_its_beginning_is_read() -> None:
    pieces, bounds = split_pieces([b"ab" * 500_000, b"tide"])
    assert np.diff(bounds).tolist() == [len(hash_slowly("ab" * 128)), len(hash_slowly("tide"))]
    assert pieces[bounds[1] :].tolist() == hash_slowly("tide")


def test_arrays_of_other_shapes_are_refused() -> None:
    one = some_wording()
    with pytest.raises(ValueError, match=r"^wording: expected arrays of shapes "):
        Wording(weights=one.weights[1:], scales=one.scales, biases=one.biases)
    with pytest.raises(ValueError, match=r"^wording: expected weights of type int8, got int16$"):
        Wording(weights=one.weights.astype(np.int16), scales=one.scales, biases=one.biases)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Sign up to the weekly letter of our sports desk", "promotion"),
        ("Melden Sie sich für unseren täglichen Newsletter an", "promotion"),
        ("Lire également notre dossier", "related"),
        ("Photograph by a staff photographer", "media"),
        ("No part of this material may be reproduced", "legal"),
    ],
)
def test_the_shipped_model_reads_what_no_cue_says_word_for_word(text: str, kind: str) -> None:
    corpus, segments, kinds = source_of([text] * 3)
    assert len(kinds[0]) == 1
    (found,) = load_model(SHIPPED).wording.score(read_words(segments, corpus.form_names, kinds[0], np.arange(1)))
    assert KINDS[int(found.argmax())] == kind
