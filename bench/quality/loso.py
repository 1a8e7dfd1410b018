"""Leave one publisher out: each annotated source judged by methods fitted without it; writes docs/research/loso.md.

    python bench/quality/loso.py                    all methods, both arms
    python bench/quality/loso.py --who thesis       only methods of such a name; the others' figures stay
    python bench/quality/loso.py --more             also the learning curve, and features taken away
    python bench/quality/loso.py --released         also the model that ships, which has seen the sources of its card
    python bench/quality/loso.py --ask              what answers to the questions of packs bring; the rest stays
    python bench/quality/loso.py --render           measure nothing

What a method fits (weights, thresholds, tables) it fits on sources of other publishers, on their annotated articles and
labelled strings, by its `fit`.  One that fits nothing is measured as it is.  Two arms: "all" learns from whole archives,
as an archive is cleaned once; "held out" learns from archives without the annotated articles, as new articles are
cleaned.  Scores are those of ../shared/score/score_spans.py.  Work is spread over processes, two by default (`--jobs`).
It needs the real archives (../shared), of which it takes at most `MAX_DOCUMENTS` of a source; figures are left in
build/bench/quality/loso.json.
"""

from __future__ import annotations

import os

# Threads of libraries would keep the process from being forked.
for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import argparse  # noqa: E402
import json  # noqa: E402
import shlex  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable, Iterator, Mapping, Sequence  # noqa: E402
from dataclasses import dataclass  # noqa: E402
from datetime import date  # noqa: E402
from functools import cache  # noqa: E402
from pathlib import Path  # noqa: E402
from random import Random  # noqa: E402
from statistics import fmean, median  # noqa: E402
from typing import Any, NamedTuple  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
for folder in ("datasets/templates", "datasets", "bench"):
    if str(ROOT / folder) not in sys.path:
        sys.path.insert(0, str(ROOT / folder))

import regex  # noqa: E402
import score_model  # noqa: E402
from training_data import MAX_DOCUMENTS, AnnotatedSource, load_annotated_sources  # noqa: E402

from machine import describe_machine  # noqa: E402
from quality import archives, simulated_answers  # noqa: E402
from quality.contenders import MIN_SENTENCE_SHARE, frequent_sentences, repeated_lines  # noqa: E402
from quality.loso_page import format_percent, render_page  # noqa: E402
from templatemine.config import PipelineConfig, SelectConfig  # noqa: E402
from templatemine.evaluation.cleaning_systems import mining_learner  # noqa: E402
from templatemine.evaluation.cut_score import CutScore, average_kinds, score_cuts  # noqa: E402
from templatemine.evaluation.protocol import Learner, group_by_source, run_system  # noqa: E402
from templatemine.model import Cleaned, Document  # noqa: E402
from templatemine.parallel.forks import map_as_completed  # noqa: E402

__all__ = [
    "METHODS",
    "Method",
    "bootstrap_interval",
    "compute_figures",
    "compute_means",
    "group_of",
    "main",
    "measure_method",
    "model_without",
    "prepare_models",
    "summarize_scores",
]

Row = dict[str, Any]

PAGE = ROOT / "docs" / "research" / "loso.md"
ARMS = ("all", "held out")

MIN_TEMPLATE_CHARACTERS = 100
"""Template characters that a source must have among its annotated articles to count in more than loss and wounds."""

LINES, ONE_LINE, SPACELESS, SMALL = "lines kept", "one line", "spaceless", "under 150 documents"
GLUED, FEEDS = "glued", "feeds"
GROUPS = (LINES, ONE_LINE, SPACELESS, SMALL, GLUED, FEEDS)
FEW_DOCUMENTS = 150
FEW_LINES = 2.5
SPACELESS_SHARE = 0.3
_SPACELESS = regex.compile("[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]")
MAX_GLUE_POINTS = 1.0
"""Of a document: from more on, a source is glued."""
_GLUE_POINT = regex.compile(r"""(?:[.!?…。！？؟]|\p{Pe}|[\w.!?…]["”»]|\p{Ll}\p{Ll})(?=\p{Lu}\p{Ll})""")
"""Where a parser lost a line break: a sentence's end, a closing bracket or quote, or two small letters, and a capital and
a small letter right behind."""
GROUP_SAMPLE = 200
"""Documents of a source that its group is told by."""

FIGURES = ("recall", "precision", "f1", "loss", "wounds", "whole", "torn")
HARM = ("loss", "wounds")
"""Figures of all sources; the others are of those with enough template text."""
DRAWS, SEED, SIDES = 2000, 7, (0.025, 0.975)
FOLDS = 12
"""Of publishers, for what is trained: one of them is left out, and with it two or three others."""


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
        Sources of all publishers but one -> a learner, which gets the archives of that publisher alone.
    model : (publishers, features left out), optional
        Which models `prepare_models` has to train for it.
    """

    name: str
    note: str = ""
    learner: Learner | None = None
    fit: Fit | None = None
    model: tuple[int, str] | None = None


def group_of(source: AnnotatedSource) -> list[str]:
    """The groups of a source: feeds, or else the form of its articles, whether they are glued, and if there are few.

    Glued are articles of one line, or with more than one glue point each.
    """
    if source.is_feed:
        return [FEEDS]
    documents = source.documents
    sample = [one.body for one in documents[:: max(1, len(documents) // GROUP_SAMPLE)]]
    characters = sum(len("".join(text.split())) for text in sample)
    spaceless = sum(len(_SPACELESS.findall(text)) for text in sample) >= SPACELESS_SHARE * max(1, characters)
    lines = median(sum(1 for line in text.split("\n") if line.strip()) for text in sample)
    form = SPACELESS if spaceless else ONE_LINE if lines < FEW_LINES else LINES
    glued = lines <= 1 or fmean(len(_GLUE_POINT.findall(text)) for text in sample) > MAX_GLUE_POINTS
    small = len(documents) < FEW_DOCUMENTS
    return [form, *([SMALL] if small else []), *([GLUED] if glued else [])]


# ------------------------------------------------------------------------------------------------------------- methods


def _filter_sentences(history: Sequence[Document]) -> Callable[[Sequence[Document]], list[Cleaned]]:
    """The filter of frequent sentences, which asks here for three documents in every source."""
    cleaners = {
        name: frequent_sentences(max(MIN_SENTENCE_SHARE, 2.5 / len(rows)))(rows)
        for name, rows in group_by_source(history).items()
    }
    return lambda documents: [
        # Of a source all of whose articles are annotated, nothing is left to learn from.
        cleaners[one.source]([one])[0] if one.source in cleaners else Cleaned(one.body, ())
        for one in documents
    ]


class ModelKey(NamedTuple):
    """What a model is trained without, and on how many publishers at most."""

    held_out: frozenset[str]
    max_publishers: int = 0
    without: str = ""

    @property
    def path(self) -> Path:
        most = [str(self.max_publishers)] if self.max_publishers else []
        name = "+".join([*sorted(self.held_out), *most, *([f"no {self.without}"] if self.without else [])])
        return ROOT / "build" / "bench" / "quality" / "models" / f"{name}.npz"


_examples: dict[str, list[Any]] = {}
"""What is learnt from each source, by the trainer of the model that ships; filled before any process is forked."""


def _make_examples(source: AnnotatedSource) -> list[Any]:
    seeds = range(1, score_model.SYNTHETIC_COPIES + 1) if source.gold else ()
    return [
        score_model.make_examples(source),
        *(make(source, seed) for seed in seeds for make in score_model.ADDED_EXAMPLES),
    ]


def _find_fold(publisher: str) -> frozenset[str]:
    """The publishers that are left out together with one."""
    every = sorted({one.publisher for one in _load_judged()})
    Random(SEED).shuffle(every)
    return frozenset(every[every.index(publisher) % FOLDS :: FOLDS])


def model_without(publisher: str) -> Path:
    """The model that `prepare_models` trains without a publisher."""
    return ModelKey(_find_fold(publisher)).path


def _train_model(key: ModelKey) -> None:
    """A model of sources of other publishers, at most so many, without a group of features: its file."""
    import numpy as np

    publishers = sorted({one.publisher for one in _load_sources()} - key.held_out)
    Random(SEED).shuffle(publishers)
    known = set(publishers[: key.max_publishers or None])
    examples = [example for one in _load_sources() if one.publisher in known for example in _examples[one.name]]
    if key.without:
        examples = [score_model.mask_features(example, key.without) for example in examples]
    np.savez_compressed(key.path, **score_model.fit(examples))


def prepare_models(methods: Sequence[Method], jobs: int) -> None:
    """Train what some methods will ask for: all folds of each."""
    folds = {_find_fold(one.publisher) for one in _load_judged()}
    keys = [ModelKey(fold, *model) for model in sorted({one.model for one in methods if one.model}) for fold in folds]
    if not keys:
        return
    keys[0].path.parent.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    for place, examples in map_as_completed(_make_examples, _load_sources(), jobs):
        _examples[_load_sources()[place].name] = examples
    print(f"{time.monotonic() - began:6.1f} s  examples of {len(_examples)} sources", flush=True)
    began = time.monotonic()
    for _ in map_as_completed(_train_model, keys, jobs):
        pass
    print(f"{time.monotonic() - began:6.1f} s  {len(keys)} models", flush=True)


def _make_method(name: str, note: str, caution: float = 1.0, publishers: int = 0, without: str = "") -> Method:
    """`--method learned` with a model of other publishers."""

    def fit(sources: Sequence[AnnotatedSource]) -> Learner:
        known = {one.publisher for one in sources}
        (publisher,) = {one.publisher for one in _load_judged()} - known
        path = str(ModelKey(_find_fold(publisher), publishers, without).path)
        return mining_learner(PipelineConfig(model=path, select=SelectConfig(caution=caution)))

    return Method(name=name, note=note, fit=fit, model=(publishers, without))


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
        name="thesis",
        learner=lambda history: mining_learner(PipelineConfig(method="thesis"))(history),
        note="`--method thesis`, as it was written; fits nothing",
    ),
    _make_method("learned", f"`--method learned`, its model trained without the publisher, in {FOLDS} parts"),
    _make_method("learned, caution 0.5", "the same with `--caution 0.5`, which finds more", 0.5),
    _make_method("learned, caution 2", "the same with `--caution 2`, which loses less", 2.0),
)
"""What is compared.  A learned method is a row with `fit`."""

MORE_METHODS: Sequence[Method] = (
    *(
        _make_method(f"learned, of {most} publishers", f"trained on {most} of them", publishers=most)
        for most in (20, 40, 80)
    ),
    *(
        _make_method(f"learned, no {group}", "trained without these features", without=group)
        for group in score_model.GROUPS
    ),
)
"""What is compared with the default beside them: learning curve, and features taken away."""

RELEASED: Sequence[Method] = (
    Method(
        name="learned, as released",
        note="with the model that ships, which has seen the sources of its card (`mining/model.json`): no measure of these",
        fit=lambda sources: mining_learner(PipelineConfig()),
    ),
)


# ------------------------------------------------------------------------------------------------------------ measuring


def measure_method(
    method: Method, sources: Sequence[AnnotatedSource], held_out: bool, publisher: str | None = None
) -> dict[str, CutScore]:
    """Scores by source, of all publishers or of one.

    Parameters
    ----------
    sources : sequence of AnnotatedSource
        All that may be fitted to; those with annotated articles are judged.
    held_out : bool
        Their annotated articles are not learnt from; of a source that has no others, nothing can be learnt, and it is
        left out.
    """
    judged = [one for one in sources if one.gold and _make_history([one], held_out)]
    scores: dict[str, CutScore] = {}
    if method.learner is not None:
        clean = method.learner(_make_history(judged, held_out))
        return {one.name: _score_source(clean, one) for one in judged if publisher in (None, one.publisher)}
    if method.fit is None:
        raise ValueError(f"{method.name}: expected a learner or a fit, found neither")
    for name in sorted({one.publisher for one in judged} if publisher is None else {publisher}):
        own = [one for one in judged if one.publisher == name]
        clean = method.fit([one for one in sources if one.publisher != name])(_make_history(own, held_out))
        scores.update({one.name: _score_source(clean, one) for one in own})
    return scores


def _make_history(sources: Sequence[AnnotatedSource], held_out: bool) -> list[Document]:
    return [row for one in sources for row in one.documents if not (held_out and row.id in one.gold)]


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
    """The figures of a source; but for `HARM`, None where it has too little template text."""
    enough = score.spans.template >= MIN_TEMPLATE_CHARACTERS
    spans = score.spans
    values = {
        "recall": spans.recall,
        "precision": spans.precision,
        "f1": spans.f1,
        "whole": score.boilerplate_recall,
        "torn": score.partial_share,
    }
    harm = {"loss": spans.loss, "wounds": score.wound_rate}
    return {**{name: value if enough else None for name, value in values.items()}, **harm}


def compute_means(rows: Sequence[Row]) -> Row:
    """Means over sources, each over those that have the figure, and the worst of `HARM`."""
    mean: Row = {name: fmean(own) if (own := _known_values(rows, name)) else None for name in FIGURES}
    worst = {f"worst {name}": max(_known_values(rows, name), default=None) for name in HARM}
    return {**mean, **worst, "sources": len(rows), "judged": len(_known_values(rows, "f1"))}


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
    parts = {
        "articles": {name: score for name, score in scores.items() if FEEDS not in groups[name]},
        "feeds": {name: score for name, score in scores.items() if FEEDS in groups[name]},
    }
    return {
        "sources": rows,
        **{part: _summarize_rows({name: rows[name] for name in own}, others) for part, own in parts.items()},
        "kinds": {part: average_kinds(own.values()) for part, own in parts.items()},
        "groups": {
            group: _summarize_rows({name: row for name, row in rows.items() if group in groups[name]}, others)
            for group in GROUPS
        },
    }


def _summarize_rows(rows: Mapping[str, Row], others: Mapping[str, Row] | None) -> Row:
    """Means, their intervals, and how far F1 is ahead of that of others, source by source."""
    some = list(rows.values())
    block: Row = {
        **compute_means(some),
        "intervals": {name: bootstrap_interval(_known_values(some, name)) for name in FIGURES},
    }
    if others is not None:
        ahead = [row["f1"] - others[name]["f1"] for name, row in rows.items() if row["f1"] is not None]
        block["ahead"] = {"f1": fmean(ahead) if ahead else None, "interval": bootstrap_interval(ahead)}
    return block


# ----------------------------------------------------------------------------------------------------------------- main


@cache
def _load_sources() -> list[AnnotatedSource]:
    """All that may be fitted to."""
    return load_annotated_sources(archives.SHARED)


@cache
def _load_judged() -> list[AnnotatedSource]:
    return [one for one in _load_sources() if one.gold]


class _Task(NamedTuple):
    """A method in one arm, and one publisher; all publishers, for one that learns from all at once."""

    method: Method
    arm: str
    publisher: str | None


def _measure_task(task: _Task) -> tuple[dict[str, CutScore], float]:
    began = time.monotonic()
    scores = measure_method(task.method, _load_sources(), task.arm == ARMS[1], task.publisher)
    return scores, time.monotonic() - began


def _make_tasks(method: Method) -> Iterator[_Task]:
    publishers: list[str | None] = [None]
    if method.fit is not None:
        publishers = [*sorted({one.publisher for one in _load_judged()})]
    for arm in ARMS:
        yield from (_Task(method, arm, publisher) for publisher in publishers)


def measure_methods(methods: Sequence[Method], kept: Mapping[str, Row], jobs: int) -> dict[str, Row]:
    """The rows of some methods; `kept` are those of others, for the filter of frequent sentences."""
    prepare_models(methods, jobs)
    # The long ones first, so that no core waits for the other at the end.
    tasks = sorted((task for method in methods for task in _make_tasks(method)), key=lambda task: task.publisher or "")
    scores: dict[tuple[str, str], dict[str, CutScore]] = {}
    seconds: dict[tuple[str, str], float] = {}
    for place, (own, took) in map_as_completed(_measure_task, tasks, jobs):
        key = tasks[place].method.name, tasks[place].arm
        scores.setdefault(key, {}).update(own)
        seconds[key] = seconds.get(key, 0.0) + took
    groups = {source.name: group_of(source) for source in _load_judged()}
    rows = dict(kept)
    for method in methods:
        row: Row = {"method": method.name, "note": method.note, "measured": date.today().isoformat()}
        for arm in ARMS:
            reference = rows.get(METHODS[0].name, {}).get(arm) if method is not METHODS[0] else None
            own = dict(sorted(scores[method.name, arm].items()))
            row[arm] = {**summarize_scores(own, groups, reference), "seconds": seconds[method.name, arm]}
            f1, feeds = (format_percent(row[arm][part]["f1"], 1) for part in ("articles", "feeds"))
            print(f"{row[arm]['seconds']:6.1f} s  {method.name}, {arm}: F1 {f1}, feeds {feeds}", flush=True)
        rows[method.name] = row
    return rows


ANSWERS = (0, 5, 10)
"""Answers a source, at most."""


def _answer_source(source: AnnotatedSource) -> tuple[dict[int, CutScore], list[int]]:
    config = PipelineConfig(model=str(ModelKey(_find_fold(source.publisher)).path))
    return simulated_answers.score_after_answers(source.documents, source.gold, config, ANSWERS, SEED)


def _measure_answers(jobs: int) -> Row:
    """Means over sources after some answers each, and the answers that there were."""
    began = time.monotonic()
    prepare_models([one for one in METHODS if one.name == "learned"], jobs)
    rows: dict[int, dict[str, Row]] = {number: {} for number in ANSWERS}
    answer_counts: list[int] = []
    articles = [one for one in _load_judged() if not one.is_feed]
    for place, (scores, answers) in map_as_completed(_answer_source, articles, jobs):
        answer_counts += answers
        for number, score in scores.items():
            rows[number][articles[place].name] = compute_figures(score)
    groups = {source.name: group_of(source) for source in articles}
    blocks = []
    for number, rows_by_source in rows.items():
        print(f"{number} answers: F1 {100 * compute_means(list(rows_by_source.values()))['f1']:.1f}", flush=True)
        group_means = {
            group: compute_means([row for name, row in rows_by_source.items() if group in groups[name]])
            for group in GROUPS
            if group != FEEDS
        }
        blocks.append({"answers": number, **_summarize_rows(rows_by_source, rows[0]), "groups": group_means})
    return {"blocks": blocks, "given": fmean(answer_counts), "seconds": time.monotonic() - began}


def _build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--who", metavar="TEXT", default="", help="methods with this in their names")
    parser.add_argument("--more", action="store_true", help="also learning curve and features taken away")
    parser.add_argument("--released", action="store_true", help="also the model that ships")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
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
        results["asked"] = _measure_answers(args.jobs)
        results_file.write_text(json.dumps(results, indent=1), encoding="utf-8")
    elif not args.render:
        began = time.monotonic()
        kept = {row["method"]: row for row in results["rows"]}
        asked = [*METHODS, *(MORE_METHODS if args.more else ()), *(RELEASED if args.released else ())]
        rows = measure_methods([one for one in asked if args.who in one.name or one.name not in kept], kept, args.jobs)
        command = shlex.join(["python", "bench/quality/loso.py", *sys.argv[1:]])
        seconds = time.monotonic() - began
        head = {"date": date.today().isoformat(), "command": command, **describe_machine(), "seconds": seconds}
        head["sources"] = {
            "fitted": len(_load_sources()),
            "labelled": sum(len(one.labels) for one in _load_sources()),
            "publishers": len({one.publisher for one in _load_sources()}),
            "documents": MAX_DOCUMENTS,
        }
        groups = {source.name: group_of(source) for source in _load_judged()}
        results = {
            **results,
            "head": head,
            "groups": groups,
            "rows": [rows[one.name] for one in (*METHODS, *MORE_METHODS, *RELEASED) if one.name in rows],
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
