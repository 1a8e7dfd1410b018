"""Kernels of the systems that look at a single page: stretches, target nodes and line breaks, against slow twins."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from test_elements import TREES, tree

from strategies import examples
from templatemine.pages import _blocks
from templatemine.pages.baselines import _systems
from templatemine.pages.baselines.bte import TAGS, _find_word, classify
from templatemine.pages.baselines.density import find_densest
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


@examples(200)
@given(TREES, st.sampled_from([0.0, 0.4, 0.5, 0.9]))
def test_the_target_is_that_of_the_algorithm(rows: list[tuple[int, int, int]], share: float) -> None:
    parents, own, structure = tree(rows)
    characters, nodes = _blocks.sum_subtrees(parents, own), _blocks.sum_subtrees(parents, structure)

    def get_target_node(node: int) -> int:
        children = [child for child in range(node + 1, len(parents)) if parents[child] == node]
        if children:
            densest = max(children, key=lambda child: characters[child] / max(1, nodes[child]))
            if characters[densest] > share * characters[node]:
                return get_target_node(densest)
        return node

    assert find_densest(parents, characters, nodes, 0, share) == get_target_node(0)


def test_line_breaks() -> None:
    html = "<p>a<br>b<br/><BR clear=all>c<hr>d<brx><p>e<b>f</b>"
    page = Page(html)
    columns = page.columns
    got = _systems.count_line_breaks(page.data, columns["starts"], columns["ends"]).tolist()
    assert [page.text(block) for block in range(len(page))] == ["a", "b", "c", "d", "ef"]
    assert got == [0, 1, 2, 1, 0]
