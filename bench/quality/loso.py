"""Leave one publisher out: each annotated source judged by methods fitted without it; writes docs/research/loso.md.

    python bench/quality/loso.py                    all methods, both arms
    python bench/quality/loso.py --who thesis       only methods of such a name; the others' figures stay
    python bench/quality/loso.py --more             also the learning curve, and features taken away
    python bench/quality/loso.py --ask              what answers to the questions of packs bring; the rest stays
    python bench/quality/loso.py --render           measure nothing

What a method fits (weights, thresholds, tables) it fits on annotated sources of other publishers, by its `fit`.  One that
fits nothing is measured as it is.  Two arms: "all" learns from whole archives, as an archive is cleaned once; "held out"
learns from archives without the annotated articles, as new articles are cleaned.  Scores are those of
../shared/score/score_spans.py.  It needs the real archives (../shared); figures are left in build/bench/quality/loso.json.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from random import Random
from statistics import fmean, median
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
for folder in ("datasets/templates", "datasets", "bench"):
    if str(ROOT / folder) not in sys.path:
        sys.path.insert(0, str(ROOT / folder))

import score_model  # noqa: E402

from machine import describe_machine  # noqa: E402
from quality import archives, simulated_answers  # noqa: E402
from quality.contenders import MIN_SENTENCE_SHARE, STRING_WORDS, frequent_sentences, repeated_lines, repeated_strings  # noqa: E402
from quality.loso_page import render_page  # noqa: E402
from templatemine.config import PipelineConfig, SelectConfig  # noqa: E402
from templatemine.evaluation.cleaning_systems import mining_learner  # noqa: E402
from templatemine.evaluation.cut_score import CutScore, score_cuts  # noqa: E402
from templatemine.evaluation.protocol import Learner, group_by_source, run_system  # noqa: E402
from templatemine.model import Cleaned, Document  # noqa: E402

__all__ = [
    "METHODS",
    "AnnotatedSource",
    "Method",
    "find_annotated_sources",
    "group_of",
    "bootstrap_interval",
    "main",
    "compute_means",
    "measure_method",
    "publisher_of",
]

Row = dict[str, Any]
Spans = Mapping[str, Sequence[tuple[int, int, str]]]

PAGE = ROOT / "docs" / "research" / "loso.md"
TEXTS = ("allsides", "allsides_more", "livedoor", "saudinews", "world")
"""The archives that hold annotated sources."""

PUBLISHERS = {
    "bbcarabic.com": "bbc.com",
    "ess-news.com": "pv-magazine.com",
    **dict.fromkeys(("smax", "peachy", "movie-enter", "livedoor-homme"), "livedoor"),
}
"""Source -> publisher, for those that share one."""

RULE_SOURCES = ("alriyadh", "cnn.com", "csmonitor.com", "foxnews.com", "npr.org", "reuters.com", "smax", "usatoday.com")
"""Sources on which the rules were made that decided until version 0.9: the others are told apart, to compare."""

MIN_TEMPLATE_CHARACTERS = 100
"""Template characters that a source must have among its annotated articles to count in more than content lost."""

LINES, ONE_LINE, SPACELESS, SMALL = "lines kept", "one line", "spaceless", "under 150 documents"
GROUPS = (LINES, ONE_LINE, SPACELESS, SMALL)
FEW_DOCUMENTS = 150
FEW_LINES = 2.5
SPACELESS_SHARE = 0.3
_SPACELESS = re.compile("[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]")
GROUP_SAMPLE = 200
"""Documents of a source that its group is told by."""

FIGURES = ("recall", "precision", "f1", "loss", "whole", "torn")
DRAWS, SEED, SIDES = 2000, 7, (0.025, 0.975)
FOLDS = 12
"""Of publishers, for what is trained: one of them is left out, and with it two or three others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatedSource:
    """An archive of one source and its annotated articles.

    Attributes
    ----------
    documents : tuple of Document
        The whole archive, the annotated articles among them.
    gold : mapping
        Id of an annotated article -> its spans.
    """

    name: str
    publisher: str
    documents: tuple[Document, ...]
    gold: Spans

    @property
    def articles(self) -> list[Document]:
        """The annotated ones."""
        return [one for one in self.documents if one.id in self.gold]


Fit = Callable[[Sequence[AnnotatedSource]], Learner]


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A method and how it is fitted.

    Attributes
    ----------
    name, note : str
    learner : callable, optional
        Learns from archives; for a method that fits nothing.
    fit : callable, optional
        Annotated sources of all publishers but one -> a learner, which gets the archives of that publisher alone.  It is
        called once a publisher, so it keeps what it computes of a source for the next call.
    """

    name: str
    note: str = ""
    learner: Learner | None = None
    fit: Fit | None = None


def publisher_of(source: str) -> str:
    """The publisher of a source; most have one of their own."""
    return PUBLISHERS.get(source, source)


def find_annotated_sources(documents: Sequence[Document], gold: Spans) -> list[AnnotatedSource]:
    """The sources of an archive that have annotated articles.

    Raises
    ------
    ValueError
        An annotated article is not in the archive.
    """
    absent = gold.keys() - {one.id for one in documents}
    if absent:
        raise ValueError(f"{len(absent)} annotated articles are not in the archive, e.g. {min(absent)}")
    return [
        AnnotatedSource(name=name, publisher=publisher_of(name), documents=tuple(rows), gold=own)
        for name, rows in group_by_source(documents).items()
        if (own := {row.id: gold[row.id] for row in rows if row.id in gold})
    ]


def group_of(documents: Sequence[Document]) -> list[str]:
    """Whether articles of a source keep their lines, are one line, or in a script without spaces; and if there are few."""
    sample = [one.body for one in documents[:: max(1, len(documents) // GROUP_SAMPLE)]]
    characters = sum(len("".join(text.split())) for text in sample)
    spaceless = sum(len(_SPACELESS.findall(text)) for text in sample) >= SPACELESS_SHARE * max(1, characters)
    lines = median(sum(1 for line in text.split("\n") if line.strip()) for text in sample)
    form = SPACELESS if spaceless else ONE_LINE if lines < FEW_LINES else LINES
    return [form, SMALL] if len(documents) < FEW_DOCUMENTS else [form]


# ------------------------------------------------------------------------------------------------------------- methods


def _filter_sentences(history: Sequence[Document]) -> Callable[[Sequence[Document]], list[Cleaned]]:
    """The filter of frequent sentences, which asks here for three documents in every source."""
    cleaners = {
        name: frequent_sentences(max(MIN_SENTENCE_SHARE, 2.5 / len(rows)))(rows)
        for name, rows in group_by_source(history).items()
    }
    return lambda documents: [cleaners[one.source]([one])[0] for one in documents]


@cache
def _make_examples(source: str) -> Sequence[Any]:
    """What is learnt from one annotated source, by the trainer of the model that ships."""
    annotated = next(annotated for annotated in _load_archives()[1] if annotated.name == source)
    arguments = (annotated.name, annotated.publisher, annotated.documents, annotated.gold)
    return [
        score_model.make_examples(*arguments),
        *(score_model.make_synthetic_examples(*arguments, seed) for seed in range(1, score_model.SYNTHETIC_COPIES + 1)),
    ]


def _find_fold(publisher: str) -> frozenset[str]:
    """The publishers that are left out together with one."""
    every = sorted({one.publisher for one in _load_archives()[1]})
    Random(SEED).shuffle(every)
    return frozenset(every[every.index(publisher) % FOLDS :: FOLDS])


@cache
def _train_model(held_out: frozenset[str], max_sources: int | None, without: str) -> str:
    """A model of annotated sources of other publishers, at most so many, without a group of features: its file."""
    import numpy as np

    names = [one.name for one in _load_archives()[1] if one.publisher not in held_out]
    Random(SEED).shuffle(names)
    model_name = "+".join(
        [*sorted(held_out), *([str(max_sources)] if max_sources else []), *([f"no {without}"] if without else [])]
    )
    path = ROOT / "build" / "bench" / "quality" / "models" / f"{model_name}.npz"
    path.parent.mkdir(parents=True, exist_ok=True)
    examples = [example for name in names[:max_sources] for example in _make_examples(name)]
    columns = score_model.fit(
        [score_model.mask_features(example, without) for example in examples] if without else examples
    )
    np.savez_compressed(path, **columns)
    return str(path)


def _make_fit(caution: float = 1.0, max_sources: int | None = None, without: str = "") -> Fit:
    """`--method default` with a model of other publishers."""

    def fit(sources: Sequence[AnnotatedSource]) -> Learner:
        known = {one.publisher for one in sources}
        (publisher,) = {one.publisher for one in _load_archives()[1]} - known
        model = _train_model(_find_fold(publisher), max_sources, without)
        return mining_learner(PipelineConfig(model=model, select=SelectConfig(caution=caution)))

    return fit


METHODS: Sequence[Method] = (
    Method(
        name="frequent sentences",
        learner=_filter_sentences,
        note=f"in at least {MIN_SENTENCE_SHARE:.1%} of the documents of a source and in three, digits folded; fits nothing",
    ),
    Method(
        name="repeated lines",
        learner=repeated_lines,
        note="in two documents, as lines are taken out of training data for language models; fits nothing",
    ),
    Method(
        name="repeated strings",
        learner=repeated_strings,
        note=f"of {STRING_WORDS} words in two documents, as exact substrings are taken out of such data; fits nothing",
    ),
    Method(
        name="thesis",
        learner=lambda history: mining_learner(PipelineConfig(method="thesis"))(history),
        note="`--method thesis`, as it was written; fits nothing",
    ),
    Method(
        name="default",
        fit=_make_fit(),
        note=f"`--method default`, its model trained without the publisher, in {FOLDS} parts",
    ),
    Method(name="default, caution 0.5", fit=_make_fit(0.5), note="the same with `--caution 0.5`, which finds more"),
    Method(name="default, caution 2", fit=_make_fit(2.0), note="the same with `--caution 2`, which loses less"),
)
"""What is compared.  A learned method is a row with `fit`."""

MORE_METHODS: Sequence[Method] = (
    *(
        Method(name=f"default, of {most} sources", fit=_make_fit(max_sources=most), note=f"trained on {most} of them")
        for most in (8, 16, 24)
    ),
    *(
        Method(name=f"default, no {group}", fit=_make_fit(without=group), note="trained without these features")
        for group in score_model.GROUPS
    ),
)
"""What is compared with the default beside them: learning curve, and features taken away."""


# ------------------------------------------------------------------------------------------------------------ measuring


def measure_method(
    method: Method, sources: Sequence[AnnotatedSource], documents: Sequence[Document], held_out: bool
) -> dict[str, CutScore]:
    """Scores by source; `documents` are all archives, also of sources without annotated articles."""
    annotated_ids = {name for source in sources for name in source.gold} if held_out else set()
    history = [one for one in documents if one.id not in annotated_ids]
    if method.learner is not None:
        clean = method.learner(history)
        return {source.name: _score_source(clean, source) for source in sources}
    if method.fit is None:
        raise ValueError(f"{method.name}: expected a learner or a fit, found neither")
    scores = {}
    for publisher in sorted({source.publisher for source in sources}):
        clean = method.fit([one for one in sources if one.publisher != publisher])(
            [one for one in history if publisher_of(one.source) == publisher]
        )
        scores.update({one.name: _score_source(clean, one) for one in sources if one.publisher == publisher})
    return scores


def _score_source(clean: Callable[[Sequence[Document]], Sequence[Cleaned]], source: AnnotatedSource) -> CutScore:
    articles = source.articles
    answers = run_system(lambda _, rows: clean(rows), [], articles)
    return sum(
        (
            score_cuts(article.body, source.gold[article.id], [(span.start, span.end) for span in answer.removed])
            for article, answer in zip(articles, answers, strict=True)
        ),
        CutScore(),
    )


def compute_figures(score: CutScore) -> Row:
    """The figures of a source; but for content lost, None where it has too little template text."""
    enough = score.spans.template >= MIN_TEMPLATE_CHARACTERS
    spans = score.spans
    values = {
        "recall": spans.recall,
        "precision": spans.precision,
        "f1": spans.f1,
        "whole": score.boilerplate_recall,
        "torn": score.partial_share,
    }
    return {**{name: value if enough else None for name, value in values.items()}, "loss": spans.loss}


def compute_means(rows: Sequence[Row]) -> Row:
    """Means over sources, each over those that have the figure, and the worst content lost."""
    mean: Row = {name: fmean(own) if (own := _known_values(rows, name)) else None for name in FIGURES}
    mean["worst loss"] = max(_known_values(rows, "loss"), default=None)
    return {**mean, "sources": len(rows), "judged": len(_known_values(rows, "f1"))}


def _known_values(rows: Sequence[Row], name: str) -> list[float]:
    return [row[name] for row in rows if row[name] is not None]


def bootstrap_interval(values: Sequence[float], draws: int = DRAWS, seed: int = SEED) -> tuple[float, float] | None:
    """95 % bootstrap interval of the mean: sources are drawn anew, as many as there are; the same seed, the same answer."""
    if not values:
        return None
    random = Random(seed)
    drawn = sorted(fmean(random.choices(values, k=len(values))) for _ in range(draws))
    low, high = (drawn[round(side * (draws - 1))] for side in SIDES)
    return low, high


def summarize_scores(scores: Mapping[str, CutScore], groups: Mapping[str, Sequence[str]], reference: Row | None) -> Row:
    """All that the page tells of a method in one arm; `reference` is that of the filter of frequent sentences."""
    rows = {name: compute_figures(score) for name, score in scores.items()}
    others = None if reference is None else reference["sources"]
    unseen = {name: row for name, row in rows.items() if name not in RULE_SOURCES}
    return {
        "sources": rows,
        "all": _summarize_rows(rows, others),
        "unseen": _summarize_rows(unseen, others),
        "groups": {
            group: compute_means([row for name, row in rows.items() if group in groups[name]]) for group in GROUPS
        },
        "clean": compute_means([row for row in rows.values() if row["f1"] is None])["loss"],
    }


def _summarize_rows(rows: Mapping[str, Row], others: Mapping[str, Row] | None) -> Row:
    """Means, their intervals, and how far F1 is ahead of that of others, source by source."""
    some = list(rows.values())
    block = {
        **compute_means(some),
        "intervals": {name: bootstrap_interval(_known_values(some, name)) for name in ("f1", "loss")},
    }
    if others is not None:
        ahead = [row["f1"] - others[name]["f1"] for name, row in rows.items() if row["f1"] is not None]
        block["ahead"] = {"f1": fmean(ahead) if ahead else None, "interval": bootstrap_interval(ahead)}
    return block


# ----------------------------------------------------------------------------------------------------------------- main


@cache
def _load_archives() -> tuple[list[Document], list[AnnotatedSource]]:
    documents = archives.load_texts(*TEXTS)
    return documents, find_annotated_sources(documents, archives.load_annotated())


def _measure_row(method: Method, kept: Mapping[str, Row]) -> Row:
    documents, sources = _load_archives()
    groups = {source.name: group_of(source.documents) for source in sources}
    row: Row = {"method": method.name, "note": method.note, "measured": date.today().isoformat()}
    for arm in ("all", "held out"):
        began = time.monotonic()
        scores = measure_method(method, sources, documents, arm == "held out")
        reference = kept.get(METHODS[0].name, {}).get(arm) if method is not METHODS[0] else None
        row[arm] = summarize_scores(scores, groups, reference)
        row[arm]["seconds"] = time.monotonic() - began
        print(f"{row[arm]['seconds']:6.1f} s  {method.name}, {arm}: F1 {100 * row[arm]['all']['f1']:.1f}", flush=True)
    return row


ANSWERS = (0, 5, 10)
"""Answers a source, at most."""


def _measure_answers() -> Row:
    """Means over sources after some answers each, and the answers that there were."""
    began = time.monotonic()
    rows: dict[int, dict[str, Row]] = {number: {} for number in ANSWERS}
    answer_counts: list[int] = []
    for one in _load_archives()[1]:
        config = PipelineConfig(model=_train_model(_find_fold(one.publisher), None, ""))
        scores, answers = simulated_answers.score_after_answers(one.documents, one.gold, config, ANSWERS, SEED)
        answer_counts += answers
        for number, score in scores.items():
            rows[number][one.name] = compute_figures(score)
    groups = {source.name: group_of(source.documents) for source in _load_archives()[1]}
    blocks = []
    for number, rows_by_source in rows.items():
        print(f"{number} answers: F1 {100 * compute_means(list(rows_by_source.values()))['f1']:.1f}", flush=True)
        group_means = {
            group: compute_means([row for name, row in rows_by_source.items() if group in groups[name]])
            for group in GROUPS
        }
        blocks.append({"answers": number, **_summarize_rows(rows_by_source, rows[0]), "groups": group_means})
    return {"blocks": blocks, "given": fmean(answer_counts), "seconds": time.monotonic() - began}


def _build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--who", metavar="TEXT", default="", help="methods with this in their names")
    parser.add_argument("--more", action="store_true", help="also learning curve and features taken away")
    parser.add_argument("--ask", action="store_true", help="what answers to questions bring, and nothing else")
    parser.add_argument("--render", action="store_true", help="measure nothing")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page (default: docs/research/loso.md)")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; 2 where the real archives are missing, or nothing was measured yet."""
    args = _build_parser().parse_args(arguments)
    results_file = ROOT / "build" / "bench" / "quality" / "loso.json"
    results: Row = json.loads(results_file.read_text(encoding="utf-8")) if results_file.exists() else {"rows": []}
    if (args.ask or not args.render) and not archives.has_shared_archives():
        print("the real archives (../shared) are not here; nothing was measured", file=sys.stderr)
        return 2
    if args.ask:
        results["asked"] = _measure_answers()
        results_file.write_text(json.dumps(results, indent=1), encoding="utf-8")
    elif not args.render:
        rows = {row["method"]: row for row in results["rows"]}
        for method in (*METHODS, *(MORE_METHODS if args.more else ())):
            if args.who in method.name or method.name not in rows:
                rows[method.name] = _measure_row(method, rows)
        command = shlex.join(["python", "bench/quality/loso.py", *sys.argv[1:]])
        head = {"date": date.today().isoformat(), "command": command, **describe_machine()}
        results = {
            **results,
            "head": head,
            "rows": [rows[one.name] for one in (*METHODS, *MORE_METHODS) if one.name in rows],
        }
        results_file.parent.mkdir(parents=True, exist_ok=True)
        results_file.write_text(json.dumps(results, indent=1), encoding="utf-8")
    if not results["rows"]:
        print("nothing was measured yet; run it without --render", file=sys.stderr)
        return 2
    args.page.write_text(render_page(results), encoding="utf-8")
    print(f"tables in {args.page}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
