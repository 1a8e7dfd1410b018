"""Features of blocks against a walk through nested records."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import page_reference as reference
from strategies import examples
from templatemine.pages import _blocks, _html
from templatemine.pages.blocks import load_forests
from templatemine.pages.scanner import GROUPS, block_scanner

AT = {name: place for place, name in enumerate(_blocks.FEATURES)}


def features(page: str) -> NDArray[np.float32]:
    return _blocks.compute_features(block_scanner().scan_blocks(page.encode()))


def test_one_name_a_column() -> None:
    assert len(set(_blocks.FEATURES)) == len(_blocks.FEATURES) == features("<p>x")[0].size
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
    found = _blocks.compute_features(page)
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
    found = _blocks.compute_context(page, np.array(scores, np.float64))
    rows = reference.context(page, scores, BLOCKS)
    assert found.shape == (len(rows), len(_blocks.CONTEXT))
    for row, expected in zip(found, rows, strict=True):
        assert dict(zip(_blocks.CONTEXT, row.tolist(), strict=True)) == pytest.approx(expected, abs=1e-4)


def test_a_name_that_stands_above_all_says_nothing() -> None:
    place = AT[f"group_{list(GROUPS).index('comment')}"]
    assert features("<body class=comments><p>one two three")[0, place] == 30
    assert features("<div class=comments>one</div><p>two three four")[0, place] == 0


def test_columns_that_do_not_fit_are_refused() -> None:
    page = block_scanner().scan_blocks(b"<p>one<p>two")
    with pytest.raises(ValueError, match="fit together"):
        _blocks.compute_features({**page, "hashes": page["hashes"][:1]})
    with pytest.raises(ValueError, match="element"):
        _blocks.compute_features({**page, "element": page["element"] + 99})
    with pytest.raises(ValueError, match="parents"):
        _blocks.compute_features({**page, "parents": page["parents"][::-1].copy()})
    with pytest.raises(ValueError, match="element_nodes"):
        _blocks.compute_context({**page, "element_nodes": page["element_nodes"] - 1}, np.zeros(2))
    with pytest.raises(ValueError, match="a score for each of 2 blocks, got 3"):
        _blocks.compute_context(page, np.zeros(3))


def test_the_model_that_ships_knows_its_features() -> None:
    told = reference.ROOT / "src/templatemine/pages/model.json"
    import json

    columns = json.loads(told.read_text(encoding="utf-8"))
    assert columns["features"] == list(_blocks.FEATURES)
    assert columns["context"] == list(_blocks.CONTEXT)
    first, second = load_forests()
    assert first.scores(features("<p>x")).shape == (1,)
    assert second.scores(np.zeros((2, len(_blocks.CONTEXT)), np.float32)).shape == (2,)


def test_counts_are_numbered_alike() -> None:
    source = (reference.ROOT / "src/templatemine/pages/_html.pxd").read_text(encoding="utf-8")
    columns = re.search(r"( +C_WORDS.*?)\n\n", source, re.S)
    assert columns
    assert [name.lower() for name in re.findall(r"C_(\w+)", columns.group(1))] == [*_html.COUNTS, "size"]
    source = (reference.ROOT / "src/templatemine/pages/_blocks.pyx").read_text(encoding="utf-8")
    assert f"GROUP_COUNT = {len(GROUPS)} " in source
