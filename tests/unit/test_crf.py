"""crf: features of runs of text, the model that comes with the package, and the threshold."""

from __future__ import annotations

import builtins
import hashlib
import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from invented_pages import page
from strategies import examples
from templatemine import extract
from templatemine.config import ExtractConfig
from templatemine.errors import ConfigError, MissingExtraError
from templatemine.pages import crf
from templatemine.pages.blocks import Page
from templatemine.pages.crf import BINS, LABELS, NEIGHBOURS, OFFSETS, Row, attributes_of, features


def rows_of(html: str) -> dict[str, Row]:
    rows, texts, _ = features(Page(html))
    return dict(zip(texts, rows, strict=True))


def bin_of(name: str, value: float) -> int:
    return sum(value >= edge for edge in BINS[name])


# ----------------------------------------------------------------------------------------------------------- features


def test_blocks_are_what_stands_between_tags() -> None:
    rows, texts, homes = features(Page("<p>Hello <b>world</b>!</p><div>again</div><script>no</script>"))
    assert texts == ["Hello", "world", "!", "again"]
    assert homes == [0, 0, 0, 1]
    assert len(rows) == 4


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
    rows, *_ = features(Page("<p>Comments (3)<p>text<p>Comments (12)<p>comments"))
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
    def far(texts: Sequence[str]) -> list[float]:
        return [900.0 * len(text) for text in texts]

    rows, *_ = features(Page("<p>a<p>bb<p>c"), far)
    assert [row["position"] for row in rows] == [bin_of("position", at) for at in (0, 0.5, 1)]
    assert [row["langid"] for row in rows] == [bin_of("langid", 900 * size) for size in (1, 2, 1)]
    assert "langid" not in features(Page("<p>a"))[0][0]


def test_language_by_resiliparse() -> None:
    pytest.importorskip("resiliparse")
    english = "The harbour board met on Tuesday to hear what the new crane would cost, and who would pay for it."
    other = "Der Hafenrat traf sich am Dienstag, um zu hören, was der neue Kran kosten würde und wer ihn bezahlt."
    near, again, away = crf.language([english, english, other])
    assert near == again < away


@examples(100)
@given(st.text("<>/pdivba h2.\n中é!-", max_size=120))
def test_values_are_few(html: str) -> None:
    rows, texts, homes = features(Page(html))
    assert len(rows) == len(texts) == len(homes)
    assert homes == sorted(homes)
    for row in rows:
        assert set(NEIGHBOURS) <= set(row)
        for name, value in row.items():
            assert isinstance(value, int)
            assert 0 <= value <= len(BINS.get(name, "abc"))


def test_neighbours() -> None:
    rows = [{**dict.fromkeys(NEIGHBOURS, 0), "char.abs": at, "position": at} for at in range(4)]
    own = attributes_of(rows)
    assert own[0] == ["-2:edge", "-1:edge", "+1:char.abs=1", "+2:char.abs=2"]
    assert set(own[2]) == {"char.abs=2", "position=2", "-1:char.abs=1", "+1:char.abs=3", "+2:edge"}
    assert OFFSETS == (-2, -1, 1, 2)


# ------------------------------------------------------------------------------------------------------------- system


def test_the_model_is_the_one_that_was_trained() -> None:
    folder = files("templatemine.pages")
    head, data = json.loads(folder.joinpath("crf.json").read_text()), folder.joinpath("crf.model").read_bytes()
    assert head["sha256"] == hashlib.sha256(data).hexdigest()
    assert head["bytes"] == len(data) < 300_000
    assert set(head["labels"]) == set(LABELS)
    assert "train_crf.py" in head["command"]


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def fake(name: str, *rest: Any, **more: Any) -> Any:
        if name in ("pycrfsuite", "resiliparse.parse.lang"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", fake)
    with pytest.raises(MissingExtraError, match=r"pip install 'templatemine\[crf\]'"):
        extract("<p>a", "crf")
    with pytest.raises(MissingExtraError, match="pip install resiliparse"):
        crf.language(["a"])


def test_a_threshold_that_is_none() -> None:
    with pytest.raises(ConfigError, match="other: expected a probability"):
        extract("<p>a", "crf", config=ExtractConfig(other=0))


def test_a_story_between_menus() -> None:
    pytest.importorskip("pycrfsuite")
    found = extract(page(1), "crf")
    assert "Home" not in found.text
    assert "Privacy" not in found.text
    assert found.text.count("\n") >= 4
    assert {block.label for block in found.blocks} <= set(LABELS)


def test_the_threshold_trades_recall_for_precision() -> None:
    pytest.importorskip("pycrfsuite")
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
    library = pytest.importorskip("pycrfsuite")
    tagger = library.Tagger()
    tagger.open_inmemory(crf.model())
    found = crf.marginals(tagger, features(Page(page(2)))[0])
    assert len(found) > 10
    for row in found:
        assert sum(row) == pytest.approx(1, abs=1e-3)
    assert crf.marginals(tagger, []) == []
