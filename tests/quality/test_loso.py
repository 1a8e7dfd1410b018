"""The yardstick: publishers and groups, what a method may fit on, the page; on generated articles."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("bench", "datasets", "datasets/templates")]

from training_data import AnnotatedSource, publisher_of  # noqa: E402

from quality import archives, loso  # noqa: E402
from quality.loso import (  # noqa: E402
    FEEDS,
    GLUED,
    LINES,
    METHODS,
    ONE_LINE,
    SMALL,
    SPACELESS,
    Method,
    ModelKey,
    group_of,
    measure_method,
    summarize_scores,
)
from quality.loso_page import render_page  # noqa: E402
from templatemine.evaluation.cut_score import CutScore, KindCount  # noqa: E402
from templatemine.evaluation.metrics import SpanScore  # noqa: E402
from templatemine.model import Cleaned, Document, Span  # noqa: E402

CALL = "Sign up for our newsletter now!"


def archive(source: str, number: int = 4, text: str = "A story of {}.\n\nIt goes on.\n\n" + CALL) -> list[Document]:
    return [Document(source=source, id=f"{source}/{place}", text=text.format(place)) for place in range(number)]


def source(name: str, documents: Sequence[Document] = (), gold: bool = True) -> AnnotatedSource:
    """With a template in the first two of its documents."""
    documents = documents or archive(name)
    spans = {
        one.id: [(len(one.body) - len(CALL), len(one.body), "template", "promotion")]
        for one in documents
        if gold and one.id.endswith(("/0", "/1"))
    }
    return AnnotatedSource(name=name, publisher=publisher_of(name), documents=tuple(documents), gold=spans)


def test_groups() -> None:
    def groups(*arguments: Any) -> list[str]:
        return group_of(source("a", archive("a", *arguments)))

    assert groups(200) == [LINES]
    assert groups(200, "One line {}.\nAnd the rest of it.\n") == [ONE_LINE]
    assert groups(200, "One line {}. And the rest of it.\n") == [ONE_LINE, GLUED]
    assert groups(20, "一つの行です{}。終わり。\n二つ目の行です。") == [SPACELESS, SMALL]
    assert groups(149) == [LINES, SMALL]
    assert group_of(source("feed.a", archive("feed.a", 3, "One line."))) == [FEEDS]


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ('the dialogue.Log in (here)Then “so”More said"And ouverteSi', 5),
        ("the dialogue. Log in (here) Then “so” More McDonald l’Europe d'Ivoire U.S.A. 3.Then", 1),
        ("YouTube and PlayStation look like them", 2),
        ("한국어.그리고", 0),
    ],
)
def test_glue_points_are_where_a_line_break_was_lost(text: str, points: int) -> None:
    assert len(loso._GLUE_POINT.findall(text)) == points
    number = 200
    lines = "\n".join(["a line"] * 3)
    glued = group_of(source("a", archive("a", number, f"{lines}\n{text}"))) != [LINES]
    assert glued == (points > 1)


def _cutting(history: Sequence[Document]) -> Any:
    """Cuts the call off the sources it knows."""
    known = {one.source for one in history}

    def clean(rows: Sequence[Document]) -> list[Cleaned]:
        cut = [(Span(len(one.body) - len(CALL), len(one.body)),) if one.source in known else () for one in rows]
        return [Cleaned("", spans) for spans in cut]

    return clean


SOURCES = [source("a"), source("bbc.com"), source("bbcarabic.com"), source("c"), source("labelled", gold=False)]


def test_a_fitted_method_never_sees_the_publisher_it_is_judged_on() -> None:
    """Sources without annotated articles are fitted to, and not judged."""
    fitted: list[list[str]] = []
    learnt: list[list[str]] = []

    def fit(some: Sequence[AnnotatedSource]) -> Any:
        fitted.append([one.name for one in some])

        def learn(history: Sequence[Document]) -> Any:
            learnt.append(sorted({one.id for one in history}))
            return _cutting(history)

        return learn

    scores = measure_method(Method(name="fitted", fit=fit), SOURCES, held_out=True)
    more = ["labelled"]
    assert fitted == [
        ["bbc.com", "bbcarabic.com", "c", *more],
        ["a", "c", *more],
        ["a", "bbc.com", "bbcarabic.com", *more],
    ]
    assert learnt[1] == ["bbc.com/2", "bbc.com/3", "bbcarabic.com/2", "bbcarabic.com/3"]
    assert {name: score.spans.f1 for name, score in scores.items()} == dict.fromkeys(scores, 1.0)
    assert sorted(scores) == ["a", "bbc.com", "bbcarabic.com", "c"]
    learnt.clear()
    own = measure_method(Method(name="fitted", fit=fit), SOURCES, held_out=False, publisher="bbc.com")
    assert sorted(own) == ["bbc.com", "bbcarabic.com"]
    assert learnt == [[f"{name}/{place}" for name in ("bbc.com", "bbcarabic.com") for place in range(4)]]
    with pytest.raises(ValueError, match="expected a learner or a fit"):
        measure_method(Method(name="nothing"), SOURCES, held_out=False)


def test_new_articles_are_not_judged_where_nothing_else_is_to_learn_from() -> None:
    sources = [source("a"), source("b", archive("b", 2))]
    for method in (METHODS[0], Method(name="fitted", fit=lambda some: _cutting)):
        assert sorted(measure_method(method, sources, held_out=True)) == ["a"]
        assert sorted(measure_method(method, sources, held_out=False)) == ["a", "b"]


def test_the_filter_asks_for_three_documents_and_methods_that_fit_nothing_learn_once() -> None:
    scores = measure_method(METHODS[0], [source("a"), source("b", archive("b", 2))], held_out=False)
    assert scores["a"].spans.recall == 1.0
    assert scores["b"].spans.recall == 0.0
    assert [method.name for method in METHODS][:3] == ["frequent sentences", "repeated lines", "thesis"]


def test_models_of_folds_are_those_without_the_publisher(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loso, "_load_sources", lambda: SOURCES)
    monkeypatch.setattr(loso, "_load_judged", lambda: SOURCES[:4])
    monkeypatch.setattr(loso, "FOLDS", 2)
    folds = {loso._find_fold(one.publisher) for one in SOURCES[:4]}
    assert sorted(map(len, folds)) == [1, 2]
    assert frozenset.union(*folds) == {"a", "bbc.com", "c"}
    assert all(one.publisher in loso._find_fold(one.publisher) for one in SOURCES[:4])
    names = {ModelKey(fold, most, without).path.name for fold in folds for most in (0, 20) for without in ("", "words")}
    assert len(names) == 8


def _score(template: int = 1000, hit: int = 900, harm: int = 0) -> CutScore:
    return CutScore(
        SpanScore(template, 10_000, hit, harm),
        dynamic=1000,
        removed_dynamic=0,
        cut_stretches=10,
        partial_stretches=1,
        wounds=harm // 10,
        articles=20,
        kinds={"related": KindCount(template, hit), "byline": KindCount(1000, 0)},
    )


def _page(reference: dict[str, CutScore], scores: dict[str, CutScore]) -> str:
    groups = {name: [FEEDS] if name.startswith("feed.") else [LINES, GLUED] for name in scores}
    first = summarize_scores(reference, groups, None)
    arms = {
        name: {**own, "seconds": 3.0}
        for name, own in (("frequent sentences", first), ("learned", summarize_scores(scores, groups, first)))
    }
    rows = [{"method": name, "note": "a note", "all": own, "held out": own} for name, own in arms.items()]
    head: dict[str, Any] = dict.fromkeys(("date", "command", "code", "python", "processor"), "known")
    head["sources"] = {"fitted": 145, "publishers": 120, "labelled": 9574, "documents": 1500}
    return render_page({"head": {**head, "seconds": 600.0}, "groups": groups, "rows": rows})


def test_the_page_has_all_methods_groups_kinds_and_sources() -> None:
    names = ("a", "b", "cnn.com", "feed.a")
    page = _page(
        dict.fromkeys(names, _score(hit=500)), {**dict.fromkeys(names, _score(harm=10)), "b": _score(template=5)}
    )
    lines = page.splitlines()
    for row in (line for line in lines if line.startswith("|")):
        assert "None" not in row
    assert "3 sources of articles, 3 of them with template text:" in lines
    assert "1 feeds, 1 of them with template text:" in lines
    f1_and_loss = "94.2 (94.2 to 94.2) | 0.07 (0.00 to 0.10) | 0.1"
    others = "3.3 (0.0 to 5.0) | 5 | 45.0 (45.0 to 45.0) | 10.0 (10.0 to 10.0)"
    assert f"| learned | 90.0 | 98.9 | {f1_and_loss} | {others} | +27.6 (+27.6 to +27.6) |" in lines
    assert (
        "| method | lines kept (3) | one line (0) | spaceless (0) | under 150 documents (0) | glued (3) | feeds (1) |"
        in lines
    )
    assert "| learned, new articles | 3.3 | – | – | – | 3.3 | 5.0 |" in lines
    assert "| learned | 0 | 90 |" in lines  # byline, related
    assert "| a | lines kept, glued | 94.2 | 0.10 | 5.0 | 45.0 | 10.0 | 66.7 |" in lines
    assert "| b | lines kept, glued | – | 0.00 | 0.0 | – | – | 66.7 |" in lines
    assert "| feed.a | feeds | 94.2 | 0.10 | 5.0 | 45.0 | 10.0 | 66.7 |" in lines
    assert "- learned: a note." in lines
    assert "10 minutes, while other work ran on the machine." in lines


def test_without_the_archives_it_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(archives, "SHARED", Path("nowhere"))
    assert loso.main([]) == 2
    assert "../shared) are not here" in capsys.readouterr().err


@pytest.mark.skipif(not archives.has_shared_archives(), reason="the real archives (../shared) are not here")
def test_the_annotated_articles_are_there() -> None:
    gold = archives.load_annotated()
    known = {one.id for one in archives.load_texts("livedoor")}
    assert len(archives.gold_files()) == 55
    assert {len(spans[0]) for spans in gold.values() if spans} == {4}
    assert len(known & gold.keys()) == 20
