"""The yardstick: publishers and groups, what a method may fit on, intervals, the page; on generated articles."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from quality import archives, loso  # noqa: E402
from quality.contenders import repeated_lines, repeated_strings  # noqa: E402
from quality.loso import (  # noqa: E402
    LINES,
    METHODS,
    ONE_LINE,
    SMALL,
    SPACELESS,
    AnnotatedSource,
    Method,
    bootstrap_interval,
    compute_figures,
    compute_means,
    find_annotated_sources,
    group_of,
    measure_method,
    publisher_of,
    summarize_scores,
)
from quality.loso_page import render_page  # noqa: E402
from templatemine.evaluation.cut_score import CutScore  # noqa: E402
from templatemine.evaluation.metrics import SpanScore  # noqa: E402
from templatemine.model import Cleaned, Document, Span  # noqa: E402

CALL = "Sign up for our newsletter now!"


def archive(source: str, number: int = 4, text: str = "A story of {}.\n\nIt goes on.\n\n" + CALL) -> list[Document]:
    return [Document(source=source, id=f"{source}/{place}", text=text.format(place)) for place in range(number)]


def gold_of(documents: Sequence[Document]) -> dict[str, list[tuple[int, int, str]]]:
    """The first two of each source."""
    return {
        one.id: [(len(one.body) - len(CALL), len(one.body), "template")]
        for one in documents
        if one.id.endswith(("/0", "/1"))
    }


def test_sources_of_one_publisher_are_left_out_together() -> None:
    assert publisher_of("bbc.com") == publisher_of("bbcarabic.com")
    assert publisher_of("pv-magazine.com") == publisher_of("ess-news.com")
    assert len({publisher_of(name) for name in ("smax", "peachy", "movie-enter", "livedoor-homme")}) == 1
    assert publisher_of("cnn.com") == "cnn.com"


def test_groups() -> None:
    assert group_of(archive("a", 200)) == [LINES]
    assert group_of(archive("a", 200, "One line {}. And the rest of it.\n")) == [ONE_LINE]
    assert group_of(archive("a", 20, "一つの行です{}。終わり。")) == [SPACELESS, SMALL]
    assert group_of(archive("a", 149)) == [LINES, SMALL]


def test_annotated_sources_hold_their_archives() -> None:
    documents = [*archive("a"), *archive("bbc.com"), *archive("none")]
    gold = gold_of(documents[:8])
    one, other = find_annotated_sources(documents, gold)
    assert (one.name, other.publisher, len(one.documents), len(one.articles)) == ("a", "bbc.com", 4, 2)
    with pytest.raises(ValueError, match="1 annotated articles are not in the archive, e.g. nowhere"):
        find_annotated_sources(documents, {**gold, "nowhere": []})


def _cutting(history: Sequence[Document]) -> Any:
    """Cuts the call off the sources it knows."""
    known = {one.source for one in history}

    def clean(rows: Sequence[Document]) -> list[Cleaned]:
        cut = [(Span(len(one.body) - len(CALL), len(one.body)),) if one.source in known else () for one in rows]
        return [Cleaned("", spans) for spans in cut]

    return clean


def test_a_fitted_method_never_sees_the_publisher_it_is_judged_on() -> None:
    documents = [one for name in ("a", "bbc.com", "bbcarabic.com", "c") for one in archive(name)]
    sources = find_annotated_sources(documents, gold_of(documents))
    fitted: list[list[str]] = []
    learnt: list[list[str]] = []

    def fit(some: Sequence[AnnotatedSource]) -> Any:
        fitted.append([one.name for one in some])

        def learn(history: Sequence[Document]) -> Any:
            learnt.append(sorted({one.id for one in history}))
            return _cutting(history)

        return learn

    scores = measure_method(Method(name="fitted", fit=fit), sources, documents, held_out=True)
    assert fitted == [["bbc.com", "bbcarabic.com", "c"], ["a", "c"], ["a", "bbc.com", "bbcarabic.com"]]
    assert learnt[1] == ["bbc.com/2", "bbc.com/3", "bbcarabic.com/2", "bbcarabic.com/3"]
    assert {name: score.spans.f1 for name, score in scores.items()} == dict.fromkeys(scores, 1.0)
    learnt.clear()
    measure_method(Method(name="fitted", fit=fit), sources, documents, held_out=False)
    assert learnt[0] == [f"a/{place}" for place in range(4)]
    with pytest.raises(ValueError, match="expected a learner or a fit"):
        measure_method(Method(name="nothing"), sources, documents, held_out=False)


def test_the_filter_asks_for_three_documents_and_methods_that_fit_nothing_learn_once() -> None:
    documents = [*archive("a"), *archive("b", 2)]
    scores = measure_method(
        METHODS[0], find_annotated_sources(documents, gold_of(documents)), documents, held_out=False
    )
    assert scores["a"].spans.recall == 1.0
    assert scores["b"].spans.recall == 0.0
    assert [method.name for method in METHODS][:3] == ["frequent sentences", "repeated lines", "repeated strings"]


def _score(template: int = 1000, hit: int = 900, harm: int = 0) -> CutScore:
    return CutScore(
        SpanScore(template, 10_000, hit, harm), dynamic=1000, removed_dynamic=0, cut_stretches=10, partial_stretches=1
    )


def test_sources_with_hardly_any_template_text_count_in_loss_alone() -> None:
    few = compute_figures(_score(template=99, hit=0, harm=100))
    assert few == {**dict.fromkeys(("recall", "precision", "f1", "whole", "torn")), "loss": 0.01}
    mean = compute_means([few, compute_figures(_score())])
    assert mean["recall"] == 0.9
    assert (mean["whole"], mean["torn"]) == (0.45, 0.1)
    assert (mean["loss"], mean["worst loss"], mean["sources"], mean["judged"]) == (0.005, 0.01, 2, 1)
    assert compute_means([])["f1"] is None


def test_intervals_are_the_same_with_the_same_seed_and_hold_the_mean() -> None:
    values = [0.1, 0.53, 0.97, 0.71, 0.31]
    low, high = bootstrap_interval(values) or (1.0, 0.0)
    assert (low, high) == bootstrap_interval(values)
    assert low < 0.52 < high
    assert bootstrap_interval(values, seed=8) != (low, high)
    assert bootstrap_interval([0.4]) == (0.4, 0.4)
    assert bootstrap_interval([]) is None


def _page(reference: dict[str, CutScore], scores: dict[str, CutScore]) -> str:
    groups = {name: [LINES] for name in scores}
    first = summarize_scores(reference, groups, None)
    arms = {
        name: {**own, "seconds": 3.0}
        for name, own in (("first", first), ("other", summarize_scores(scores, groups, first)))
    }
    rows = [{"method": name, "note": "a note", "all": own, "held out": own} for name, own in arms.items()]
    head = {"date": "today", "command": "loso", "code": "abc", "python": "CPython", "processor": "one"}
    return render_page({"head": head, "rows": rows})


def test_the_page_has_all_methods_groups_and_sources() -> None:
    names = ("a", "b", "cnn.com")
    page = _page(
        dict.fromkeys(names, _score(hit=500)), {**dict.fromkeys(names, _score(harm=10)), "b": _score(template=5)}
    )
    lines = page.splitlines()
    for row in (line for line in lines if line.startswith("|")):
        assert "None" not in row
    unseen = "those that those rules were not made with"
    assert f"2 sources, 2 of them with template text, {unseen}:" in lines
    assert "3 sources, 3 of them with template text:" in lines
    figures_of_all = "90.0 | 98.9 | 94.2 (94.2 to 94.2) | 0.07 (0.00 to 0.10) | 0.1 | 45.0 | 10.0"
    assert f"| other | {figures_of_all} | +27.6 (+27.6 to +27.6) |" in lines
    assert "| b | 66.7 / 0.00 | – / 0.00 |" in lines
    assert "- other: a note." in lines


def test_without_the_archives_it_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(archives, "SHARED", Path("nowhere"))
    assert loso.main([]) == 2
    assert "../shared) are not here" in capsys.readouterr().err


@pytest.mark.skipif(not archives.has_shared_archives(), reason="the real archives (../shared) are not here")
def test_the_annotated_sources_are_of_known_groups() -> None:
    documents = archives.load_texts("livedoor")
    gold = {name: spans for name, spans in archives.load_annotated().items() if name in {one.id for one in documents}}
    (source,) = find_annotated_sources(documents, gold)
    assert (source.name, source.publisher, group_of(source.documents)) == ("smax", "livedoor", [SPACELESS])


def test_lines_and_strings_that_two_documents_share() -> None:
    words = [f"w{number}" for number in range(200)]
    shared = " ".join(words[:60])
    rows = [
        Document(
            id=str(n), source="s", text=f"{' '.join(words[70 + 40 * n : 100 + 40 * n])}\nSign up now\n{shared} end{n}"
        )
        for n in range(3)
    ]
    found = [
        [row.text[span.start : span.end] for span in one.removed]
        for row, one in zip(rows, repeated_lines(rows)(rows), strict=True)
    ]
    assert found == [["Sign up now"]] * 3
    found = [
        [row.text[span.start : span.end] for span in one.removed]
        for row, one in zip(rows, repeated_strings(rows)(rows), strict=True)
    ]
    assert found == [[f"Sign up now\n{shared}"]] * 3
    assert [one.removed for one in repeated_strings(rows[:1])(rows)] == [()] * 3
