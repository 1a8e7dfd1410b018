"""Features of blocks, and the trees, against a walk through nested records."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import page_reference as reference
from strategies import examples
from templatemine.pages import _html, _model
from templatemine.pages.blocks import feature_names, load_forests
from templatemine.pages.scanner import GROUPS, block_scanner

AT = {name: place for place, name in enumerate(_model.FEATURES)}


def features(page: str) -> NDArray[np.float32]:
    return _model.compute_features(block_scanner().scan_blocks(page.encode()))


def test_one_name_a_column() -> None:
    assert len(set(_model.FEATURES)) == len(_model.FEATURES) == features("<p>x")[0].size
    assert len(set(feature_names())) == len(_model.FEATURES)
    assert f"group_{len(GROUPS) - 1}" in AT
    assert f"group_{len(GROUPS)}" not in AT
    assert features("").shape == (0, len(AT))


@examples(100)
@given(
    st.lists(
        st.sampled_from(
            ["<p>", "</p>", "<div id=nav>", "</div>", "<a href=x>", "</a>", "One two. ", "x ", "<li>", "<td>"]
        ),
        max_size=40,
    )
)
def test_every_value_is_a_number_and_shares_are_shares(pieces: list[str]) -> None:
    rows = features("".join(pieces))
    assert np.isfinite(rows).all()
    for name in ("linked", "full_words", "parent_prose", "container0_words", "page_linked", "tags_linked"):
        assert np.all((rows[:, AT[name]] >= 0) & (rows[:, AT[name]] <= 1.0001))


def test_values() -> None:
    rows = features(
        "<div id=nav><p><a href=x>Home</a></p></div><div><p>One two three.</p><p>Four, five six.</p></div><p>x y"
    )
    assert rows[:, AT["linked"]].tolist() == [1, 0, 0, 0]
    assert rows[:, AT[f"group_{list(GROUPS).index('nav')}"]].tolist() == [2, 30, 30, 30]
    assert rows[1, AT["full_blocks"]] == pytest.approx(np.log1p(2))  # the others have an id, or no div, above them
    assert rows[1, AT["container1_words"]] == pytest.approx(6 / 9)
    assert rows[1, AT["container1_prose"]] == pytest.approx(1)
    assert rows[1, AT["words+1"]] == pytest.approx(np.log1p(3))
    assert rows[0, AT["words-1"]] == rows[3, AT["words+1"]] == -1
    assert rows[:, AT["page_words"]] == pytest.approx(np.log1p(9))


def test_records() -> None:
    item = "<div class=item><p>One two 2010</p><p>three four</p></div>"
    rows = features(f"<div class=list>{item * 3}</div><div class=story><p>a b c</p><p>d e f.</p></div><p>x")
    assert rows[:, AT["record_repeats"]] == pytest.approx([np.log1p(3)] * 6 + [np.log1p(1)] * 2 + [-1])
    assert rows[0, AT["record_part"]] == pytest.approx(1 / 3)
    assert rows[0, AT["record_size"]] == pytest.approx(np.log1p(5))
    assert rows[:, AT["record_dated"]].tolist() == [1] * 6 + [0] * 2 + [-1]
    assert rows[0, AT["like0_count"]] == pytest.approx(np.log1p(6))  # paragraphs of such items


def test_how_far_the_headline_is() -> None:
    rows = features(
        "<title>Foxes in town</title><div><h1>Foxes in town</h1><div><p>a b</p></div></div><div><p>c d</p></div>"
    )
    assert rows[:, AT["title_up"]].tolist() == [0, 2, 2]
    assert rows[:, AT["title_down"]].tolist() == [0, 1, 2]
    assert rows[:, AT["title_words"]] == pytest.approx([3 / 7, 5 / 7, 1])
    assert features("<p>no title")[0, AT["title_up"]] == -1


@examples(100)
@given(
    st.lists(
        st.sampled_from(
            [
                "<div>",
                "</div>",
                "<h2>Comments</h2>",
                "<b>Related</b>",
                "<p>",
                "<br>",
                "One two. ",
                "Ann said: ",
                "3 May 2004 ",
            ]
        ),
        max_size=30,
    )
)
def test_sections(pieces: list[str]) -> None:
    page = block_scanner().scan_blocks("".join(pieces).encode())
    found = _model.compute_features(page)
    headings = (found[:, AT["in_heading"]] > 0).tolist()
    for row, expected in zip(found, reference.sections(page, _html.COUNTS, headings), strict=True):
        assert {name: row[AT[name]] for name in expected} == pytest.approx(expected, abs=1e-5)


BLOCKS = frozenset(place for place, (_, flags) in enumerate(_html.TAGS) if flags & _html.FLAGS["block"])


@examples(60)
@given(
    st.lists(
        st.sampled_from(
            [
                "<p>",
                "<div>",
                "<div class=a>",
                "</div>",
                "<span>",
                "</span>",
                "<a href=x>",
                "</a>",
                "One two. ",
                "x<br>",
                "<li>",
            ]
        ),
        max_size=30,
    ),
    st.randoms(use_true_random=False),
)
def test_context_of_scores(pieces: list[str], draw: random.Random) -> None:
    page = block_scanner().scan_blocks("".join(pieces).encode())
    # Distinct ones: of equal scores the order would be a matter of rounding.
    scores = [place / 7 for place in draw.sample(range(-40, 40), len(page["starts"]))]
    found = _model.compute_context(page, np.array(scores, np.float64))
    rows = reference.context(page, scores, BLOCKS)
    assert found.shape == (len(rows), len(_model.CONTEXT))
    for row, expected in zip(found, rows, strict=True):
        assert dict(zip(_model.CONTEXT, row.tolist(), strict=True)) == pytest.approx(expected, abs=1e-4)


def test_a_name_that_stands_above_all_says_nothing() -> None:
    place = AT[f"group_{list(GROUPS).index('comment')}"]
    assert features("<body class=comments><p>one two three")[0, place] == 30
    assert features("<div class=comments>one</div><p>two three four")[0, place] == 0


@st.composite
def trees(draw: st.DrawFn, depth: int = 3) -> dict[str, Any]:
    if depth == 0 or (draw(st.booleans()) and depth < 3):
        return {"leaf": draw(st.integers(-8, 8)) / 8}
    sides = {side: draw(trees(depth - 1)) for side in ("left", "right")}
    return {"feature": draw(st.integers(0, 3)), "threshold": draw(st.integers(-3, 3)), **sides}


def table(forest: list[dict[str, Any]]) -> list[NDArray[Any]]:
    columns: list[list[float]] = [[], [], [], [], []]
    sizes = []
    for tree in forest:
        nodes: list[tuple[dict[str, Any], int, int]] = []
        leaves: list[float] = []

        def number(node: dict[str, Any], nodes: list[Any] = nodes, leaves: list[float] = leaves) -> int:
            if "leaf" in node:
                leaves.append(node["leaf"])
                return ~(len(leaves) - 1)
            place = len(nodes)
            nodes.append(None)
            left, right = number(node["left"]), number(node["right"])
            nodes[place] = (node, left, right)
            return place

        number(tree)
        sizes.append(len(nodes))
        for node, left, right in nodes:
            for column, value in zip(columns, (node["feature"], node["threshold"], left, right), strict=False):
                column.append(value)
        columns[4] += leaves
    kinds = (np.int16, np.float32, np.int16, np.int16, np.float32)
    return [*(np.array(column, kind) for column, kind in zip(columns, kinds, strict=True)), np.array(sizes, np.int32)]


@examples(100)
@given(st.lists(trees(), max_size=4), st.lists(st.lists(st.integers(-4, 4), min_size=4, max_size=4), max_size=6))
def test_trees(forest: list[dict[str, Any]], rows: list[list[int]]) -> None:
    matrix = np.array(rows, np.float32).reshape(-1, 4)
    native = _model.Forest(*table(forest))
    assert native.scores(matrix).tolist() == pytest.approx(reference.forest(matrix, forest))


def test_a_row_scores_the_same_among_many() -> None:
    """Rows go through the trees in stretches; none of them may know where they part."""
    rows = features("".join(f"<p>{'word, ' * (number % 90)}and {number}.</p>" for number in range(1500)))
    forest = load_forests()[0]
    alone = [forest.scores(row[None])[0] for row in rows]
    assert len(set(alone)) > 50
    assert forest.scores(rows).tolist() == alone


def test_trees_go_by_hundreds_and_what_is_no_number_goes_right() -> None:
    draw = random.Random(1)

    def tree(leaves: int) -> dict[str, Any]:
        if leaves == 1:
            return {"leaf": draw.randint(-8, 8) / 8}
        left = draw.randint(1, leaves - 1)
        node = {"feature": draw.randint(0, 3), "threshold": draw.randint(-3, 3) / 2}
        return {**node, "left": tree(left), "right": tree(leaves - left)}

    forest = [tree(draw.randint(2, _model.LEAVES)) for _ in range(700)]
    rows = [[draw.choice((-2, -1.5, 0, 0.7, 1, 2, np.nan, np.inf, -np.inf)) for _ in range(4)] for _ in range(70)]
    matrix = np.array(rows, np.float32)
    native = _model.Forest(*table(forest))
    assert (
        native.scores(matrix).tolist() == native.scores(matrix, plain=True).tolist() == reference.forest(matrix, forest)
    )
    with pytest.raises(ValueError, match="at most 16 leaves"):
        _model.Forest(*table([tree(_model.LEAVES + 1)]))


def test_features_of_more_thresholds_than_a_byte_tells_apart() -> None:
    draw = random.Random(2)
    forest = [
        {
            "feature": 19 * (place % 2),
            "threshold": draw.randint(-999, 999) / 4,
            "left": {"leaf": 1},
            "right": {"leaf": -2},
        }
        for place in range(1500)
    ]
    values = [one["threshold"] for one in forest] + [-1e9, 1e9, np.nan, np.inf, -np.inf]
    for rows in (1, 31, 32, 33, 64, 200):
        matrix = np.array([[draw.choice(values) for _ in range(20)] for _ in range(rows)], np.float32)
        native = _model.Forest(*table(forest))
        wanted = reference.forest(matrix, forest)
        assert native.scores(matrix).tolist() == native.scores(matrix, plain=True).tolist() == wanted


def test_thresholds_that_are_no_numbers_are_refused() -> None:
    good = table([{"feature": 0, "threshold": np.nan, "left": {"leaf": 1}, "right": {"leaf": 2}}])
    with pytest.raises(ValueError, match="that are numbers"):
        _model.Forest(*good)


def test_trees_that_would_not_end_are_refused() -> None:
    good = table([{"feature": 0, "threshold": 0, "left": {"leaf": 1}, "right": {"leaf": 2}}])
    assert _model.Forest(*good).scores(np.zeros((2, 1), np.float32)).tolist() == [1, 1]
    for place, value in ((2, 0), (3, -3), (2, 5), (0, -1), (5, 2), (5, 0)):
        bad = [column.copy() for column in good]
        bad[place][0] = value
        with pytest.raises(ValueError, match="expected"):
            _model.Forest(*bad)
    with pytest.raises(ValueError, match="at least 1 features"):
        _model.Forest(*good).scores(np.zeros((2, 0), np.float32))


def test_columns_that_do_not_fit_are_refused() -> None:
    page = block_scanner().scan_blocks(b"<p>one<p>two")
    with pytest.raises(ValueError, match="fit together"):
        _model.compute_features({**page, "hashes": page["hashes"][:1]})
    with pytest.raises(ValueError, match="element"):
        _model.compute_features({**page, "element": page["element"] + 99})
    with pytest.raises(ValueError, match="parents"):
        _model.compute_features({**page, "parents": page["parents"][::-1].copy()})
    with pytest.raises(ValueError, match="element_nodes"):
        _model.compute_context({**page, "element_nodes": page["element_nodes"] - 1}, np.zeros(2))
    with pytest.raises(ValueError, match="a score for each of 2 blocks, got 3"):
        _model.compute_context(page, np.zeros(3))


def test_the_model_that_ships_knows_its_features() -> None:
    told = reference.ROOT / "src/templatemine/pages/model.json"
    import json

    columns = json.loads(told.read_text(encoding="utf-8"))
    assert columns["features"] == list(_model.FEATURES)
    assert columns["context"] == list(_model.CONTEXT)
    first, second = load_forests()
    assert first.scores(features("<p>x")).shape == (1,)
    assert second.scores(np.zeros((2, len(_model.CONTEXT)), np.float32)).shape == (2,)


def test_counts_are_numbered_alike() -> None:
    source = (reference.ROOT / "src/templatemine/pages/_html.pxd").read_text(encoding="utf-8")
    columns = re.search(r"( +C_WORDS.*?)\n\n", source, re.S)
    assert columns
    assert [name.lower() for name in re.findall(r"C_(\w+)", columns.group(1))] == [*_html.COUNTS, "size"]
    model = (reference.ROOT / "src/templatemine/pages/_model.pyx").read_text(encoding="utf-8")
    assert f"GROUP_COUNT = {len(GROUPS)} " in model
