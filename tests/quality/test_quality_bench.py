"""The comparison: contenders do what their names say, ablations name options that exist, the page tells all rows."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from quality import run  # noqa: E402
from quality.contenders import (  # noqa: E402
    PAGE_CONTENDERS,
    TEXT_CONTENDERS,
    change_config,
    frequent_sentences,
)
from quality.quality_page import render_page  # noqa: E402
from templatemine.config import CleanConfig, PipelineConfig  # noqa: E402
from templatemine.model import Document  # noqa: E402


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
