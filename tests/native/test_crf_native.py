"""Runs, features and marginals of `crf`, against slow twins (`crf_reference`)."""

from __future__ import annotations

from html import unescape

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crf_reference as reference
from outline_reference import Outline as SlowOutline
from strategies import examples
from templatemine.pages.baselines import _systems, crf
from templatemine.pages.baselines.outline import Outline
from templatemine.pages.blocks import Page

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
    runs = crf.find_runs(page)
    rows, texts, homes = reference.features(page)
    assert runs.texts == texts
    assert runs.column("home").tolist() == homes
    values = crf.compute_features(runs)
    assert rows_of(values) == [{**row, **dict.fromkeys(crf.LANGUAGE, 0)} for row in rows]
    outline, twin = Outline(page), SlowOutline(html)
    for name in ("tags", "attributes", "starts", "content_starts", "content_ends", "parents", "last_descendants"):
        assert getattr(outline, name) == getattr(twin, name), name


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


@examples(400)
@given(
    st.lists(
        st.sampled_from(
            ["&", "#", "x", ";", "amp", "not", "in", "nbsp", "CounterClockwiseContourIntegral", *"1289abDF é\n"]
        ),
        max_size=9,
    )
)
def test_references_mean_what_python_says(pieces: list[str]) -> None:
    text = "a" + "".join(pieces)
    assert crf.find_runs(Page(f"<p>{text}")).texts == [" ".join(unescape(text).split())]


def test_every_number_of_a_character() -> None:
    numbers = [
        *range(1200),
        *range(0xD7F0, 0xE010),
        *range(0xFDC0, 0xFE00),
        0xFFFE,
        0x1FFFF,
        0x10FFFF,
        0x110000,
        10**30,
    ]
    for text in (f"a&#{number};b" for number in numbers):
        assert crf.find_runs(Page(f"<p>{text}")).texts == [" ".join(unescape(text).split())], text


def test_attributes_in_quotes_that_go_on_and_on() -> None:
    for size in (1999, 2000, 2001):
        same(f'<p>one<b title="{">" * size}">two</b>')
        same(f"<p>one<b title='{'é' * size}>' x>two</b>")


def test_runs_of_deep_pages_are_those_of_the_outline() -> None:
    for html in (
        "<div>" * 3000 + "word",
        "<b>" * 70 + "</i>x</b>y" * 70,
        "<a>" + "<b>" * 63 + "</a>x",
        "<a>" + "<b>" * 64 + "</a>x",
    ):
        same(html)
    page = Page("<p>one <b>two</b><!-- no --> three")
    runs, outline = crf.find_runs(page), SlowOutline(page.html)
    assert list(zip(runs.column("start").tolist(), runs.column("end").tolist(), strict=True)) == [
        run[:2] for run in outline.runs
    ]


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
    wanted = reference.chances(reference.features(page)[0], table["weights"], table["steps"])
    assert crf.ChainWeights.from_table(table).marginals(values) == pytest.approx(wanted, abs=1e-9)


def test_weights_beyond_what_powers_can_hold() -> None:
    values = crf.compute_features(crf.find_runs(Page("<p>a<p>b<p>c" * 500)))
    table = {"weights": {"char.alpha-rel=5": [2e3, 0, -2e3]}, "steps": {label: [0.0] * 3 for label in crf.LABELS}}
    found = crf.ChainWeights.from_table(table).marginals(values)
    assert np.isfinite(found).all()
    assert found[:, 0] == pytest.approx(1)


def test_what_is_no_table_of_runs_is_refused() -> None:
    rows, text, bounds = crf.run_scanner().find_runs(b"<p>a<p>b", np.array([3, 7]), np.array([4, 8]))
    assert len(rows) == 2
    with pytest.raises(ValueError, match="columns of the same length"):
        crf.run_scanner().find_runs(b"<p>a", np.array([3]), np.zeros(0, np.int64))
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
    with pytest.raises(ValueError, match="a name and four numbers of 16 bits"):
        _systems.RunScanner([(b"p", 1 << 16, 0, 0, 0)], [])
    with pytest.raises(ValueError, match="each once"):
        _systems.RunScanner([(b"p", 0, 0, 0, 0)] * 2, [])
    with pytest.raises(ValueError, match="one character or two"):
        _systems.RunScanner([], [(b"amp;", "")])
