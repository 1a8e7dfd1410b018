"""The comparison: contenders do what their names say, ablations name options that exist, the page tells all rows."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from quality import run  # noqa: E402
from quality.contenders import (  # noqa: E402
    PAGE_CONTENDERS,
    TEXT_CONTENDERS,
    Contender,
    chain_contenders,
    change_config,
    frequent_sentences,
)
from quality.quality_page import render_page  # noqa: E402
from templatemine.config import CleanConfig, PipelineConfig  # noqa: E402
from templatemine.model import Cleaned, Document  # noqa: E402


def documents(source: str, texts: Sequence[str]) -> list[Document]:
    return [Document(source=source, id=f"{source}/{place}", text=text) for place, text in enumerate(texts)]


def test_frequent_sentences_fold_digits_and_keep_sources_apart() -> None:
    one = documents("a", ["First story. Call 12 now!", "Second story. Call 99 now!", "Third? Yes."])
    other = documents("b", ["Call 1 now! Fourth."])
    cleaned = frequent_sentences()([*one, *other])([*one, *other])
    assert [answer.text for answer in cleaned] == [
        "First story. ",
        "Second story. ",
        "Third? Yes.",
        "Call 1 now! Fourth.",
    ]
    (span,) = cleaned[0].removed
    assert one[0].body[span.start : span.end] == "Call 12 now!"


def test_ablations_name_options_that_exist_and_differ_from_the_default() -> None:
    made = run.read_ablations()
    assert len({name for name, _ in made}) == len(made) >= 10
    assert len(run.read_ablations("page_row")) >= 5
    assert change_config(PipelineConfig(), {"select.edge": 0.5}).select.edge == 0.5
    assert change_config(PipelineConfig(), {"method": "thesis"}) == PipelineConfig(method="thesis")
    assert change_config(PipelineConfig(), {}) == PipelineConfig()
    assert change_config(CleanConfig(), {"page.vote": 0.0}).page.vote == 0.0
    with pytest.raises(TypeError):
        change_config(PipelineConfig(), {"select.nothing": 1})
    with pytest.raises(AttributeError):
        change_config(PipelineConfig(), {"nothing.edge": 1})


PAGE = """<html><head><title>T</title></head><body><div><a href="/">Home</a> <a href="/w">World</a></div>
<div><p>{}</p><p>{}</p></div><div><a href="/a">About us</a></div></body></html>"""
STORY = (
    "The council of the town met on Monday, and its members spoke at length about the bridge that was closed in May. "
    * 3
)
MORE = (
    "Nobody had expected that it would open again before winter, said the mayor, but the steel came early this year. "
    * 3
)


@pytest.mark.parametrize("contender", PAGE_CONTENDERS, ids=lambda one: one.name)
@pytest.mark.filterwarnings("ignore")
def test_page_contenders_give_the_story(contender: Contender) -> None:
    page = Document(source="a", id="1", html=PAGE.format(STORY, MORE))
    try:
        learner = contender.make()
    except ImportError as error:
        pytest.skip(f"{contender.name} is not installed: {error}")
    (answer,) = learner([page])([page])
    assert "members spoke at length about the bridge" in answer.text
    assert "<p>" not in answer.text


def test_a_page_that_breaks_an_extractor_is_an_empty_answer() -> None:
    from quality.contenders import _make_page_learner

    def load() -> object:
        def fail(page: str) -> str:
            raise ValueError(page)

        return fail

    page = Document(source="a", id="1", html="<p>x")
    assert _make_page_learner(load)()([])([page]) == [Cleaned("", ())]  # type: ignore[arg-type]


def test_what_an_extractor_leaves_is_learnt_from_and_cleaned() -> None:
    asked: list[str] = []

    def extract(documents: Sequence[Document]) -> list[Cleaned]:
        asked.extend(document.id for document in documents)
        return [Cleaned(document.body.removeprefix("<p>"), ()) for document in documents]

    def learn(history: Sequence[Document]) -> Callable[[Sequence[Document]], list[Cleaned]]:
        known = {document.text for document in history}
        return lambda documents: [Cleaned("" if row.text in known else row.body, ()) for row in documents]

    first = Contender(name="first", make=lambda: lambda history: extract)
    both = chain_contenders(first, Contender(name="second", make=lambda: learn))
    assert both.name == "first, then second"
    pages = [Document(source="s", id=str(i), html=f"<p>{text}") for i, text in enumerate(("a", "b", "a"))]
    clean = both.make()(pages[:2])
    assert [answer.text for answer in clean(pages)] == ["", "", ""]
    assert [answer.text for answer in both.make()(pages[1:2])(pages)] == ["a", "", "a"]
    assert asked == ["0", "1", "2", "1", "0", "2"]


def test_contenders_have_names_of_their_own() -> None:
    for contenders in (TEXT_CONTENDERS, PAGE_CONTENDERS):
        assert len({one.name for one in contenders}) == len(contenders)


HEAD = {"date": "2026-01-01", "command": "c", "code": "abc", "python": "p", "processor": "x"}
SPANS = {"precision": 0.9, "f1": 0.6, "loss": 0.01, "worst loss": 0.02, "sources": {"a": 0.5, "b": None}}


def test_the_page_tells_winners_losers_and_who_is_missing() -> None:
    rows = [
        {"contender": "ours", "versions": [], "recall": 0.5, **SPANS},
        {"contender": "theirs", "versions": ["theirs 1.0"], "note": "with its tuning", "recall": 0.75, **SPANS},
        {"contender": "gone", "versions": ["gone missing"], "missing": "not installed (x)"},
    ]
    page = render_page({"texts": {"head": HEAD, "rows": rows}})
    assert "| ours | 50.0 |" in page
    assert "| theirs (theirs 1.0) | **75.0** |" in page
    assert "| gone (gone missing) | not installed (x) |" in page
    assert "not measured: python bench/quality/run.py --only pages" in page
    assert "2026-01-01, `c`, code abc" in page
    assert "theirs: with its tuning." in page
    assert "| method | a |" in page  # b holds no boilerplate


def test_rows_of_others_stay_as_they_were() -> None:
    made: list[str] = []
    contender = Contender(name="ours", make=lambda: made.append("ours") or run.mining_learner())
    kept = {"ours": {"contender": "ours", "f1": 0.5}}
    assert (
        run._measure_contender(
            contender, run.RowFilter(name_part="theirs", previous_rows=kept), lambda one: {"f1": 0.6}
        )["f1"]
        == 0.5
    )
    assert not made
    assert (
        run._measure_contender(contender, run.RowFilter(name_part="ours", previous_rows=kept), lambda one: {"f1": 0.6})[
            "f1"
        ]
        == 0.6
    )
    assert run._measure_contender(contender, run.RowFilter(name_part="theirs"), lambda one: {"f1": 0.7})["f1"] == 0.7
    page = render_page(
        {"texts": {"head": HEAD, "rows": [{"contender": "old", "measured": "2025-01-01", "recall": 0.5, **SPANS}]}}
    )
    assert "Measured earlier: old." in page


def test_the_page_tells_what_a_step_costs() -> None:
    rows = [{"contender": "default", "recall": 0.5, **SPANS}, {"contender": "less", "recall": 0.5, **SPANS, "f1": 0.55}]
    assert "| less | 50.0 | 90.0 | 55.0 | 1.00 | 2.00 | 5.0 |" in render_page(
        {"ablation": {"head": HEAD, "rows": rows}}
    )


def test_without_the_archives_nothing_is_measured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run.archives, "has_shared_archives", lambda: False)
    assert run.main(["--page", str(tmp_path / "page.md")]) == 2
    assert "are not here" in capsys.readouterr().err
    assert not (tmp_path / "page.md").exists()
    monkeypatch.setattr(run, "_results_folder", lambda: tmp_path)
    assert run.main(["--render", "--page", str(tmp_path / "page.md")]) == 0
    assert (tmp_path / "page.md").read_text(encoding="utf-8").count("not measured") == len(run.SECTIONS)
