"""What the single-page systems compute: stretches and trees, against slow twins."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import examples
from templatemine.pages import _model
from templatemine.pages.baselines.bte import TAGS, _find_word, classify
from templatemine.pages.blocks import Page

TOKEN = re.compile(r"<[^>]*>|[^<\s]+")


def by_hand(html: str) -> tuple[int, str]:
    """Words less tags of the best stretch, and its words, by trying all pairs; for pages of plain words and tags."""
    tokens = TOKEN.findall(html)
    value = [-1 if token[0] == "<" else 1 for token in tokens]
    sums = np.concatenate([[0], np.cumsum(value)])
    pairs = [(int(sums[j] - sums[i]), -j, i) for i in range(len(tokens)) for j in range(i + 1, len(tokens) + 1)]
    # Of equal stretches the one that ends first, and of those the one that begins last.
    best, minus_end, start = max(pairs, default=(0, 0, 0))
    if best <= 0:
        return 0, ""
    return best, " ".join(token for token in tokens[start:-minus_end] if token[0] != "<")


PIECES = st.lists(
    st.sampled_from(["word ", "other ", "<p>", "</p>", "<b>", "</b>", "<div>", "</div>", "<a href=x>", "</a>", "<br>"]),
    max_size=40,
).map("".join)


@examples(400)
@given(PIECES)
def test_the_stretch_is_the_best_of_all(html: str) -> None:
    found = classify(Page(html)) if len(Page(html)) else None
    best, text = by_hand(html)
    if found is None:
        assert best == 0
        return
    page = Page(html)
    lines = []
    for block in np.flatnonzero(found.kept).tolist():
        edges = [0, *(edge for cut in found.cuts.get(block, ()) for edge in cut), len(page.text(block))]
        lines += ["".join(page.text(block)[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True))]
    assert " ".join(" ".join(lines).split()) == text


def test_a_stretch_within_blocks() -> None:
    html = "<div><a>Home</a> <a>News</a> <a>Sport</a> here begins what is said <b>at some</b> length today <a>x</a> <a>y</a></div>"
    found = classify(Page(html))
    text = Page(html).text(0)
    (start, end) = found.cuts[0]
    assert text[start[1] : end[0]].split() == ["here", "begins", "what", "is", "said", "at", "some", "length", "today"]


def test_words_of_scripts_without_spaces_count_one_each() -> None:
    page = Page("<p>これは<b>本</b>文です</p><p><a>家</a></p>")
    found = classify(page)
    assert found.kept.tolist() == [True, False]


def test_hidden_blocks_are_passed_over() -> None:
    page = Page("<p>one two three</p><div style='display:none'>this is not shown at all to anyone</div><p>x</p>")
    assert classify(page).kept.tolist() == [True, False, False]
    assert not classify(Page("<div hidden>not shown</div>")).kept.any()


def test_words_of_a_text_by_number() -> None:
    assert [_find_word("one, two_three 四五 6", place) for place in range(7)] == [0, 5, 9, 15, 16, 18, 19]


def test_tags_between_blocks_are_all_counted() -> None:
    html = "<div><p>one</p><ul><li>two <b>b</b></li></ul></div>"
    page = Page(html)
    assert int(page.columns["counts"][:, TAGS].sum()) == len(re.findall("<", html)) - 2  # those after the last block


TREES = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 9), st.integers(0, 3)), min_size=0, max_size=12)


def tree(rows: list[tuple[int, int, int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    parents = np.array([-1, *(min(up, place) for place, (up, _, _) in enumerate(rows))], np.int32)
    return (
        parents,
        np.array([0, *(size for _, size, _ in rows)], np.int64),
        np.array([1, *(structure for _, _, structure in rows)], np.int64),
    )


@examples(200)
@given(TREES)
def test_sums_over_subtrees(rows: list[tuple[int, int, int]]) -> None:
    parents, own, _ = tree(rows)

    def below(element: int) -> int:
        return int(own[element]) + sum(below(c) for c in range(element + 1, len(parents)) if parents[c] == element)

    assert _model.sum_subtrees(parents, own).tolist() == [below(element) for element in range(len(parents))]


@examples(200)
@given(TREES, st.sampled_from([0.0, 0.4, 0.5, 0.9]))
def test_the_target_is_that_of_the_algorithm(rows: list[tuple[int, int, int]], share: float) -> None:
    parents, own, structure = tree(rows)
    characters, nodes = _model.sum_subtrees(parents, own), _model.sum_subtrees(parents, structure)

    def get_target_node(node: int) -> int:
        children = [child for child in range(node + 1, len(parents)) if parents[child] == node]
        if children:
            densest = max(children, key=lambda child: characters[child] / max(1, nodes[child]))
            if characters[densest] > share * characters[node]:
                return get_target_node(densest)
        return node

    assert _model.find_densest(parents, characters, nodes, 0, share) == get_target_node(0)


@examples(200)
@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 2)), max_size=12))
def test_values_are_handed_down(rows: list[tuple[int, int]]) -> None:
    parents = np.array([-1, *(min(up, place) for place, (up, _) in enumerate(rows))], np.int32)
    own = np.array([0, *(value for _, value in rows)], np.uint8)

    def value(element: int) -> int:
        return int(own[element]) or (value(int(parents[element])) if parents[element] >= 0 else 0)

    elements = range(len(parents))
    assert _model.inherit_values(parents, own).tolist() == list(map(value, elements))
    blocks = np.array([*elements, *reversed(elements)], np.int32)
    assert _model.inherit_by_blocks(parents, own, blocks).tolist() == list(map(value, blocks.tolist()))


@examples(100)
@given(st.lists(st.integers(0, 8), max_size=12), st.integers(0, 12))
def test_values_outside_of_an_element(rows: list[int], place: int) -> None:
    parents = [-1, *(min(up, place) for place, up in enumerate(rows))]
    element = holder = place % len(parents)
    around = {0}
    while holder >= 0:
        around.add(holder)
        holder = parents[holder]
    found = _model.clear_containers(np.array(parents, np.int32), np.full(len(parents), 7, np.uint32), element)
    assert found.tolist() == [0 if one in around else 7 for one in range(len(parents))]


@examples(100)
@given(st.lists(st.text("aé中🚢 ", max_size=5), max_size=5))
def test_characters_are_code_points(texts: list[str]) -> None:
    data = "".join(texts).encode()
    bounds = np.cumsum([0, *(len(text.encode()) for text in texts)]).astype(np.int64)
    assert _model.count_characters(np.frombuffer(data, np.uint8), bounds).tolist() == [len(text) for text in texts]


def test_line_breaks() -> None:
    html = "<p>a<br>b<br/><BR clear=all>c<hr>d<brx><p>e<b>f</b>"
    page = Page(html)
    columns = page.columns
    got = _model.count_line_breaks(page.data, columns["starts"], columns["ends"]).tolist()
    assert [page.text(block) for block in range(len(page))] == ["a", "b", "c", "d", "ef"]
    assert got == [0, 1, 2, 1, 0]


def test_columns_that_do_not_fit_are_refused() -> None:
    int32, int64, uint8 = (lambda *v, kind=kind: np.array(v, kind) for kind in (np.int32, np.int64, np.uint8))
    with pytest.raises(ValueError, match="as many values"):
        _model.inherit_values(int32(-1, 0), uint8(0))
    with pytest.raises(ValueError, match="as many values"):
        _model.inherit_by_blocks(int32(-1, 0), uint8(0), int32(0))
    for element in (-1, 1):
        with pytest.raises(ValueError, match="elements of the page"):
            _model.inherit_by_blocks(int32(-1), uint8(0), int32(element))
        with pytest.raises(ValueError, match="an element of the page"):
            _model.clear_containers(int32(-1), np.zeros(1, np.uint32), element)
    with pytest.raises(ValueError, match="as many values"):
        _model.sum_subtrees(int32(-1), int64(0, 1))
    with pytest.raises(ValueError, match="a root"):
        _model.find_densest(int32(-1), int64(1), int64(1), 1, 0.5)
    with pytest.raises(ValueError, match="bounds within"):
        _model.count_characters(uint8(1), int64(0, 2))
    with pytest.raises(ValueError, match="blocks within"):
        _model.count_line_breaks(b"abc", int64(0), int64(4))
    with pytest.raises(ValueError, match="same length"):
        _model.find_stretch(b"abc", int64(0), int64(3), int32(1), int32(1, 2), uint8(1))
    assert _model.inherit_values(int32(), uint8()).tolist() == []
