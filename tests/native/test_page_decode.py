"""Which blocks are the main text, by numpy and by the kernel."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from strategies import examples
from templatemine.config import PageConfig
from templatemine.pages import _blocks, _scores, decode
from templatemine.pages.decode import BEST_RUN, DROPPED, FILLED, REPEATED, SELECTED, SHORT

CONFIG = PageConfig()


def probabilities(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """`_scores.to_probabilities` by numpy."""
    return 1 / (1 + np.exp(-np.clip(scores, -30, 30)))


def slow(
    scores: NDArray[np.float64], words: NDArray[np.int32], paths: NDArray[np.uint64], texts: NDArray[np.uint64]
) -> NDArray[np.int8]:
    """`decode.decode`, a step at a time."""
    probability = probabilities(scores)
    if probability.max() < CONFIG.least:
        code = stretch(probability, words)
    else:
        code = expected_f1(probability, words)
        fill(code, probability, words, paths)
    once(code, scores, words, paths, texts)
    return code


def expected_f1(probability: NDArray[np.float64], words: NDArray[np.int32]) -> NDArray[np.int8]:
    order = np.argsort(-probability, kind="stable")
    sure = (probability * words)[order]
    gain = 2 * np.cumsum(sure) / (np.cumsum(words[order]) + sure.sum())
    code = np.zeros(len(words), np.int8)
    code[order[: int(np.argmax(gain)) + 1]] = SELECTED
    return code


def stretch(probability: NDArray[np.float64], words: NDArray[np.int32]) -> NDArray[np.int8]:
    """The run of blocks with the greatest sum of what is above the page's mean, in words."""
    above = words * (probability - np.average(probability, weights=words))
    sums = np.concatenate([np.zeros(1), np.cumsum(above)])
    least = np.minimum.accumulate(sums)
    end = int(np.argmax(sums[1:] - least[:-1])) + 1
    code = np.zeros(len(words), np.int8)
    code[int(np.argmin(sums[:end])) : end] = BEST_RUN
    return code


def fill(
    code: NDArray[np.int8],
    probability: NDArray[np.float64],
    words: NDArray[np.int32],
    paths: NDArray[np.uint64],
) -> None:
    chosen = np.flatnonzero(code == SELECTED)
    between = np.flatnonzero(code[: chosen[-1]] == DROPPED)
    between = between[(between > chosen[0]) & (probability[between] >= CONFIG.fill)]
    if not len(between):
        return
    place = _blocks.find_first_equal(paths)
    share = np.bincount(place[chosen], weights=words[chosen], minlength=len(place))
    common = (share > 0) & (share >= CONFIG.fill_share * float(words[chosen].sum()))
    code[between[common[place[between]]]] = FILLED


def once(
    code: NDArray[np.int8],
    scores: NDArray[np.float64],
    words: NDArray[np.int32],
    paths: NDArray[np.uint64],
    texts: NDArray[np.uint64],
) -> None:
    """A text under other paths than that of its likeliest block is a copy; under the same one a story says it again."""
    kept = np.flatnonzero((code > DROPPED) & (words >= SHORT))
    kept = kept[np.argsort(-scores[kept], kind="stable")]
    code[kept[paths[kept] != paths[kept[_blocks.find_first_equal(texts[kept])]]]] = REPEATED


BLOCK = st.tuples(
    st.floats(-40, 40) | st.sampled_from([-4.0, 0.0, 3.0]), st.integers(1, 40), st.integers(0, 3), st.integers(0, 5)
)


@examples(100)
@given(st.lists(st.floats(-1e9, 1e9) | st.floats(-40, 40), max_size=40))
def test_probabilities(scores: list[float]) -> None:
    column = np.array(scores, np.float64)
    np.testing.assert_allclose(_scores.to_probabilities(column), probabilities(column), rtol=1e-15, atol=0)


@examples(500)
@given(st.lists(BLOCK, min_size=1, max_size=150), st.sampled_from([0.0, -30.0]))
def test_codes_are_those_of_numpy(blocks: list[tuple[float, int, int, int]], lower: float) -> None:
    columns = [np.array(column) for column in zip(*blocks, strict=True)]
    scores, words = columns[0] + lower, columns[1].astype(np.int32)
    paths, texts = (column.astype(np.uint64) for column in columns[2:])
    assert decode.decode(scores, words, paths, texts, CONFIG).tolist() == slow(scores, words, paths, texts).tolist()


def test_columns_of_one_length() -> None:
    score, words, key = np.full(1, 0.5), np.ones(1, np.int32), np.zeros(1, np.uint64)
    rest = (0.1, 0.1, 0.1, SHORT)
    assert _scores.decode_blocks(score, words, key, key, *rest).tolist() == [SELECTED]
    assert _scores.decode_blocks(score[:0], words[:0], key[:0], key[:0], *rest).tolist() == []
    for columns in ((words[:0], key, key), (words, key[:0], key), (words, key, key[:0])):
        with pytest.raises(ValueError, match="of each block"):
            _scores.decode_blocks(score, *columns, *rest)
