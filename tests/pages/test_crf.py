"""crf: features of runs of text, the model that comes with the package, and the threshold."""

from __future__ import annotations

import builtins
import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import numpy as np
import pytest

from crf_reference import attributes
from invented_pages import page
from templatemine import extract
from templatemine.config import ExtractConfig
from templatemine.errors import ConfigError, PackError
from templatemine.pages.baselines import crf
from templatemine.pages.baselines.crf import (
    BINS,
    FEATURES,
    LABELS,
    LANGUAGE,
    NEIGHBOURS,
    OFFSETS,
    compute_features,
    find_runs,
)
from templatemine.pages.blocks import Page

MODEL = files("templatemine.pages.baselines").joinpath("crf.json")


def listed(html: str, far: Mapping[str, np.ndarray] | None = None) -> list[dict[str, int]]:
    values = compute_features(find_runs(Page(html)), far).tolist()
    return [dict(zip(FEATURES, row, strict=True)) for row in values]


def rows_of(html: str) -> dict[str, dict[str, int]]:
    return dict(zip(find_runs(Page(html)).texts, listed(html), strict=True))


def bin_of(name: str, value: float) -> int:
    return sum(value >= edge for edge in BINS[name])


# ----------------------------------------------------------------------------------------------------------- features


def test_blocks_are_what_stands_between_tags() -> None:
    html = "<p>Hello <b>world</b>!</p><div>again</div><script>no</script>"
    runs = find_runs(Page(html))
    assert runs.texts == ["Hello", "world", "!", "again"]
    assert runs.column("home").tolist() == [0, 0, 0, 1]
    assert [html[a:b] for a, b in zip(runs.column("start"), runs.column("end"), strict=True)] == [
        "Hello ",
        *runs.texts[1:],
    ]
    assert compute_features(runs).shape == (4, len(FEATURES))


def test_markup() -> None:
    rows = rows_of(
        "<ul><li><a href=x>Link</a></ul><h2>Head</h2><form><b>bold</b><br><br><i>it</i></form><hr><p><u>un</u>"
    )
    sign = {
        text: {name[10:] for name, value in row.items() if name.startswith("container.") and value}
        for text, row in rows.items()
    }
    assert sign == {
        "Link": {"a", "class-list"},
        "Head": {"class-header"},
        "bold": {"class-form", "class-bold"},
        "it": {"class-form", "class-italic"},
        "un": {"p", "u"},
    }
    assert rows["it"]["split.br"] == bin_of("split.br", 2)
    assert rows["it"]["split.class-inline"] == bin_of("split.class-inline", 2)
    assert rows["un"]["split.hr"] == rows["un"]["split.p"] == 1
    assert rows["Head"]["split.br"] == 0


def test_content() -> None:
    row = rows_of("<p>The board met 3 times. It paid 12b, and then?</p>")[
        "The board met 3 times. It paid 12b, and then?"
    ]
    assert row["sentence.count"] == bin_of("sentence.count", 2)
    assert row["sentence.avg-length"] == bin_of("sentence.avg-length", 5)
    assert (row["sentence-begin"], row["sentence-end"]) == (1, 1)
    assert row["token.alpha-abs"] == bin_of("token.alpha-abs", 8)
    assert row["token.num-rel"] == row["token.mix-rel"] == bin_of("token.num-rel", 0.1)
    assert row["char.num-rel"] == bin_of("char.num-rel", 3 / 45)
    assert row["token.other-abs"] == 0


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("http://a.example/b", "url", 1),
        ("see www.a.example", "url", 2),
        ("anna@a.example", "url", 3),
        ("2009-03-01", "date", 1),
        ("2020年8月13日", "date", 1),
        ("March 3, 2004", "date", 2),
        ("in 2004", "date", 3),
        ("at 12:30", "time", 1),
        ("9 pm", "time", 2),
        ("nothing", "date", 0),
    ],
)
def test_expressions(text: str, name: str, value: int) -> None:
    assert rows_of(f"<p>{text}")[text][f"regexp.{name}"] == value


def test_duplicates_ignore_what_is_no_letter() -> None:
    rows = listed("<p>Comments (3)<p>text<p>Comments (12)<p>comments")
    assert [row["first-duplicate"] for row in rows] == [1, 0, 0, 0]
    assert [row["duplicate-count"] for row in rows] == [bin_of("duplicate-count", n) for n in (2, 1, 2, 1)]


def test_groups_are_direct_descendants() -> None:
    """The paper's example, with a link that does not count."""
    rows = rows_of(
        "<div> a <div> b <i>c</i> </div> d <div> e <b>f</b> <a href=x>h i j</a></div> g </div><table><td>k</table>"
    )
    name = "div-group.word-ratio"
    ratio = {text: row[name] for text, row in rows.items()}
    assert ratio["a"] == ratio["d"] == ratio["g"] == bin_of(name, 3 / 8)
    assert ratio["b"] == ratio["c"] == ratio["e"] == ratio["f"] == ratio["h i j"] == bin_of(name, 2 / 8)
    assert ratio["k"] == 0
    assert rows["k"]["td-group.word-ratio"] == bin_of("td-group.word-ratio", 1 / 8)
    assert rows["a"]["document.max-div-group"] == bin_of("document.max-div-group", 3 / 8)


def test_position_and_language() -> None:
    rows = listed("<p>a<p>bb<p>c", {"langid2": np.array([900.0, 1800.0, 0.0])})
    assert [row["position"] for row in rows] == [bin_of("position", at) for at in (0, 0.5, 1)]
    assert [row["langid2"] for row in rows] == [bin_of("langid2", far) for far in (900, 1800, 0)]
    assert {row["langid1"] for row in rows} == {0}
    assert not any(name.partition("=")[0] in LANGUAGE for name in json.loads(MODEL.read_text())["weights"])


def test_neighbours() -> None:
    own = attributes(
        [{name: place if name in ("char.abs", "position") else 0 for name in FEATURES} for place in range(4)]
    )
    assert own[0] == ["-2:edge", "-1:edge", "+1:char.abs=1", "+2:char.abs=2"]
    assert set(own[2]) == {"char.abs=2", "position=2", "-1:char.abs=1", "+1:char.abs=3", "+2:edge"}
    assert OFFSETS == (-2, -1, 1, 2)
    assert set(NEIGHBOURS) < set(FEATURES)
    assert set(BINS) < set(FEATURES)


# ------------------------------------------------------------------------------------------------------------- system


def test_the_model_is_the_one_that_was_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    table = json.loads(MODEL.read_text())
    assert table["sha256"] == crf.hash_weights(table)
    assert set(table["labels"]) == set(table["steps"]) == set(LABELS)
    assert "train_crf.py" in table["command"]
    model = crf.load_chain()
    weights = [row for row in table["weights"].values() if any(row)]
    # Every weight has its place, and no other place has one.
    assert np.count_nonzero(model.own.any(axis=-1)) + np.count_nonzero(model.near.any(axis=-1)) + np.count_nonzero(
        model.edges.any(axis=-1)
    ) == len(weights)
    table["weights"]["char.abs=2"][0] += 1e-12
    monkeypatch.setattr(crf.json, "loads", lambda text: table)
    with pytest.raises(PackError, match=r"crf.json: expected weights with the SHA-256 \w{64}, found \w{64}"):
        crf.load_chain.__wrapped__()


@pytest.mark.parametrize("name", ["nosuch=1", "char.abs=99", "char.abs", "+3:char.abs=1", "+1:position=1", "+9:edge"])
def test_a_weight_of_nothing(name: str) -> None:
    steps = {label: [0.0] * 3 for label in LABELS}
    with pytest.raises(
        PackError, match=f"expected features with their values, and 3 numbers, got '{name}'".replace("+", r"\+")
    ):
        crf.ChainWeights.from_table({"weights": {name: [0.0] * 3}, "steps": steps})


def test_no_library_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def fake(name: str, *rest: Any, **more: Any) -> Any:
        if name.partition(".")[0] in ("pycrfsuite", "resiliparse"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", fake)
    assert extract(page(1), "crf").kept > 4


def test_a_threshold_that_is_none() -> None:
    with pytest.raises(ConfigError, match="other: expected a probability"):
        extract("<p>a", "crf", config=ExtractConfig(other=0))


def test_a_story_between_menus() -> None:
    found = extract(page(1), "crf")
    assert "Home" not in found.text
    assert "Privacy" not in found.text
    assert found.text.count("\n") >= 4
    assert {block.label for block in found.blocks} <= set(LABELS)


def test_the_threshold_trades_recall_for_precision() -> None:
    html = page(1, "<div><p>A line or two that may be text.</p><a href=x>More</a><p>Another one.</p></div>")
    kept = [
        {
            place
            for place, block in enumerate(extract(html, "crf", config=ExtractConfig(other=other)).blocks)
            if block.kept
        }
        for other in (0.01, 0.5, 1.0)
    ]
    assert kept[0] < kept[2]
    assert kept[0] <= kept[1] <= kept[2]


def test_marginals_are_probabilities() -> None:
    values = compute_features(find_runs(Page(page(2))))
    found = crf.load_chain().marginals(values)
    assert len(found) > 10
    assert found.sum(axis=1) == pytest.approx(1)
    assert crf.load_chain().marginals(values[:0]).shape == (0, 3)


def test_every_block_has_runs() -> None:
    html = "<p>one</p><title>two three</title><p>four</p><x" + "y" * 40 + ">five<pre>six\nseven"
    assert find_runs(Page(html)).texts == ["one", "four", "five", "six", "seven"]
    assert {block.reason for block in extract(html, "crf").blocks} <= set(crf.REASONS)
