"""Runs, features and marginals of `crf`, against slow twins (`crf_reference`)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crf_reference as reference
from strategies import examples
from templatemine.pages.baselines import _systems, crf
from templatemine.pages.blocks import Page
from templatemine.pages.scanner import TAG_NAMES, block_scanner

TAGS = [
    *("<p>", "</p>", "<P class=a>", "<b>", "</b>", "<i>", "</i>", "<u>", "</u>", "<a href=x>", "</a>", "<span>", "</span>"),
    *("<div>", "</div>", "<div id='x>y'>", "<table>", "<tr>", "<td>", "</td>", "</table>", "<ul>", "<li>", "</ul>", "<dd>"),
    *("<h2>", "</h2>", "<br>", "<br/>", "<hr>", "<img alt='>'>", "<form>", "<option>", "<select>", "</select>", "<x-y:z>"),
    *("</x-y:z>", "<body>", "</body>", "<pre>", "</pre>", "<font>", "</font>"),
]  # fmt: skip
MARKS = [
    *("<!-- a -- b -->", "<!---->", "<!-->", "<!-- open", "<!doctype html>", "<?xml?>", "<", ">", "< b>", "</>", "<p", '"', "'"),
    *("<script>", "var a = '<p>'", "</script>", "</SCRIPT x>", "<style>p{}</style>", "<title>", "</title>", "<xmp>", "</xmp"),
    *("<script><!--", "-->", "<SCRIPT", "<script_>", "</script_>", "<!--<script>"),
    *("<script-x>", "<scriptx>", "<textarea>", "</textarea>", "<iframe src='>'>", "</iframe>", "<noembed>", "<a b=\"<\">"),
    *(f"<{'abcdefgh' * 4}>", f"</{'abcdefgh' * 4}y>", "<Kbd>", "\0", "\x85", "\u2028", " ", "\n"),
]  # fmt: skip
TEXTS = [
    *("word ", "Word", "two words ", "x1", "12", "3.5", ".", "?!", "…", "。", "«", "”", "-", "|", "中文", "かな", "한국어", "ĐÀ", "é"),
    *("²", "Ⅷ", "٣", "ſ", "K", "ǅ", "😀", "\ud800", "&amp;", "&nbsp;", "&copy", "&notit;", "&#169;", "&#x1F600;", "&#0;", "&#xD800"),
    *("&#128;", "&", "&#;", "&nosuch;", "2009-03-01", "March 3, 2004", "9 pm", "http://a.example", "a@b.example"),
]  # fmt: skip
PAGES = st.lists(st.sampled_from([*TAGS, *TAGS, *MARKS, *TEXTS, *TEXTS]), max_size=40).map("".join)


def same(html: str) -> None:
    page = Page(html)
    runs, wanted = crf.find_runs(page), reference.runs_of(page)
    assert runs.texts == [run.text for run in wanted]
    assert set(runs.column("home").tolist()) == set(range(len(page)))
    assert runs.rows[:, :3].tolist() == [[run.start, run.end, run.block] for run in wanted]
    assert rows_of(crf.compute_features(runs)) == [
        {**row, **dict.fromkeys(crf.LANGUAGE, 0)} for row in reference.features(page)
    ]


@examples(600)
@given(PAGES)
def test_features_are_those_of_the_reference(html: str) -> None:
    same(html)


@examples(400)
@given(st.text("<>/!-?\"'=pPabdivh2&#x;1. \n中é", max_size=80))
def test_features_of_broken_mark_up(html: str) -> None:
    same(html)


@examples(800)
@given(st.text("119200 3./-:,年月abmpPMstndr", max_size=30))
def test_dates_and_times(text: str) -> None:
    same(f"<p>a {text}")


@examples(400)
@given(st.lists(st.sampled_from([*"hHtpPwWsſ:/.@ -+_a1é", "http", "https", "://", "www.", "a" * 59]), max_size=14))
def test_addresses(pieces: list[str]) -> None:
    same(f"<p>{''.join(pieces)}")


def test_runs_of_deep_pages() -> None:
    for html in (
        "<div>" * 3000 + "word",
        "<b>" * 70 + "</i>x</b>y" * 70,
        "<a>" + "<b>" * 63 + "</a>x",
        "<a>" + "<b>" * 64 + "</a>x",
    ):
        same(html)


def test_where_runs_stand() -> None:
    html = "<p>one <b> two</b><!-- no -->three<pre>four\nfive</pre>"
    runs = crf.find_runs(Page(html))
    places = zip(runs.column("start").tolist(), runs.column("end").tolist(), strict=True)
    assert [html[start:end] for start, end in places] == ["one ", " two", "three", "four", "five"]
    assert runs.texts == ["one", "two", "three", "four", "five"]
    assert runs.column("home").tolist() == [0, 0, 0, 1, 2]


def rows_of(values: np.ndarray) -> list[dict[str, int]]:
    return [dict(zip(crf.FEATURES, row, strict=True)) for row in values.tolist()]


def weights_of(values: np.ndarray, draw: np.random.Generator) -> dict[str, list[float]]:
    names = sorted({name for row in reference.attributes(rows_of(values)) for name in row})
    return {name: draw.normal(size=3).tolist() for name in names}


@examples(60)
@given(
    st.lists(st.sampled_from(["<p>word", "<br>A sentence.", "<td><a>12", "<h2>Head"]), min_size=1, max_size=6),
    st.integers(0, 99),
)
def test_marginals_are_sums_over_all_sequences(pieces: list[str], seed: int) -> None:
    page = Page("".join(pieces))
    values, draw = crf.compute_features(crf.find_runs(page)), np.random.default_rng(seed)
    table = {
        "weights": weights_of(values, draw),
        "steps": dict(zip(crf.LABELS, draw.normal(size=(3, 3)).tolist(), strict=True)),
    }
    wanted = reference.chances(reference.features(page), table["weights"], table["steps"])
    assert crf.ChainWeights.from_table(table).marginals(values) == pytest.approx(wanted, abs=1e-9)


def test_weights_beyond_what_powers_can_hold() -> None:
    values = crf.compute_features(crf.find_runs(Page("<p>a<p>b<p>c" * 500)))
    table = {"weights": {"char.alpha-rel=5": [2e3, 0, -2e3]}, "steps": {label: [0.0] * 3 for label in crf.LABELS}}
    found = crf.ChainWeights.from_table(table).marginals(values)
    assert np.isfinite(found).all()
    assert found[:, 0] == pytest.approx(1)


def test_what_is_no_table_of_runs_is_refused() -> None:
    rows, text, bounds = (getattr(crf.find_runs(Page("<p>a<p>b")), name) for name in ("rows", "letters", "bounds"))
    assert len(rows) == 2
    whole = (np.zeros(0), np.zeros(len(_systems.RUN_FEATURES) + 10, np.int64))
    assert _systems.compute_run_features(rows, text, bounds, 9, 2, *whole).shape == (2, len(_systems.RUN_FEATURES) + 9)
    with pytest.raises(ValueError, match="the columns and texts of runs"):
        _systems.compute_run_features(rows[:, :-1].copy(), text, bounds, 9, 2, *whole)
    with pytest.raises(ValueError, match="texts in order"):
        _systems.compute_run_features(rows, text, np.array([0, 2, 1]), 9, 2, *whole)
    with pytest.raises(ValueError, match="texts within the text"):
        _systems.compute_run_features(rows, text, bounds + 9, 9, 2, *whole)
    with pytest.raises(ValueError, match="edges of each column"):
        _systems.compute_run_features(rows, text, bounds, 10, 2, *whole)
    with pytest.raises(ValueError, match="edges of each column"):
        _systems.compute_run_features(rows, text, bounds, 9, 2, whole[0], whole[1] + 1)
    with pytest.raises(ValueError, match="fewer than 256 edges"):
        _systems.compute_run_features(rows, text, bounds, 9, 2, np.zeros(300), np.append(whole[1][:-1], 300))
    own, near, edges, steps = (np.zeros(shape) for shape in ((2, 3, 3), (1, 1, 3, 3), (1, 3), (3, 3)))
    one = np.zeros(1, np.int64)
    assert _systems.compute_marginals(np.zeros((0, 2), np.uint8), own, near, one, one, edges, steps).shape == (0, 3)
    assert _systems.compute_marginals(np.zeros((1, 2), np.uint8), own, near, one, one, edges, steps)[
        0
    ] == pytest.approx([1 / 3] * 3)
    with pytest.raises(ValueError, match="values that have weights"):
        _systems.compute_marginals(np.full((1, 2), 3, np.uint8), own, near, one, one, edges, steps)
    with pytest.raises(ValueError, match="columns of the values"):
        _systems.compute_marginals(np.zeros((1, 2), np.uint8), own, near, one + 2, one, edges, steps)
    with pytest.raises(ValueError, match="weights of the same labels"):
        _systems.compute_marginals(np.zeros((1, 2), np.uint8), own, near, one, one, edges, steps[:2].copy())


def test_columns_of_pages_that_do_not_fit_are_refused() -> None:
    page = Page("<div>a<p>b</div>")
    marks, bits = block_scanner().scan_marks(page.data), np.zeros(len(TAG_NAMES), np.uint32)

    def find(**columns: np.ndarray) -> None:
        _systems.find_runs({**page.columns, **columns}, {**marks, **columns}, bits)

    _systems.find_runs({**page.columns}, marks, bits)
    with pytest.raises(ValueError, match="bounds of each block"):
        find(bounds=np.array([0, 1, 1]))
    with pytest.raises(ValueError, match="bounds of each block"):
        find(element=np.zeros(1, np.int32))
    with pytest.raises(ValueError, match="bounds of each block"):
        find(
            bounds=np.array([2]),
            starts=np.zeros(0, np.int64),
            ends=np.zeros(0, np.int64),
            element=np.zeros(0, np.int32),
        )
    with pytest.raises(ValueError, match="ascending bounds within the text"):
        find(bounds=np.array([0, 1, 9]))
    with pytest.raises(ValueError, match="marks of the same length"):
        find(kinds=np.zeros(1, np.uint8))
    with pytest.raises(ValueError, match="elements of the page"):
        find(element=np.array([0, 9], np.int32))
    with pytest.raises(ValueError, match="parents before their children"):
        find(parents=np.zeros(3, np.int32))
    with pytest.raises(ValueError, match="bits of each tag"):
        _systems.find_runs({**page.columns}, marks, bits[:3].copy())
