"""Quality after answers to the questions of packs; annotated articles take the place of the person who answers.

The annotated articles of a source are split in halves.  From one of them the questions are answered, on the other the
pack is judged, which was mined without it; then the other way round.  The model was trained without the publisher.  A
person is asked in the order of the pack until ten questions are answered; of a string that is in no article of the first
half nothing is known, and it is passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

import numpy as np

from templatemine.archive.apply_answers import ALL, LABEL, STORY, add_answer_rules, open_questions
from templatemine.archive.apply_overrides import apply_rules
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig, PipelineConfig
from templatemine.evaluation.cut_score import CutScore, score_cuts
from templatemine.evaluation.gold import GoldSpans
from templatemine.evaluation.metrics import status_masks, visible_mask
from templatemine.kinds import CUT_ALL
from templatemine.model import Document, Question, Template
from templatemine.packs.overrides import Rule
from templatemine.packs.pack import Pack
from templatemine.pipeline import Miner
from templatemine.text.characters import line_begin, line_end

__all__ = ["simulate_answer", "split_halves", "score_after_answers"]

MIN_BOILERPLATE_SHARE = 0.75
"""Share of the characters of a string that must be boilerplate for a person to say that it is."""


def simulate_answer(pack: Pack, question: Question, articles: Sequence[Document], gold: GoldSpans) -> str | None:
    """The answer that annotated articles give to a question; None if its string is in none of them."""
    bare = Template(id="", regex="", tokens=question.tokens, df=0, count=0, example="", anchor=question.anchor)
    template = replace(bare, regex=pack.derived(bare))
    cleaner = Cleaner(
        replace(pack, templates=(template,), overrides=replace(pack.overrides, rules=())),
        CleanConfig(gap=0, choice=CUT_ALL),
    )
    own, rest = np.zeros(2, np.int64), np.zeros(2, np.int64)
    for article in articles:
        text = article.body
        spans = cleaner.spans(text)
        if not spans:
            continue
        template, dynamic, optional = status_masks(text, gold[article.id])
        visible, boilerplate = visible_mask(text) & ~optional, template | dynamic
        for span in spans:
            line = (
                slice(span.end, line_end(text, span.end))
                if question.filled == "end"
                else slice(line_begin(text, span.start), span.start)
            )
            for sums, part in ((own, slice(span.start, span.end)), (rest, line)):
                sums += visible[part].sum(), (visible & boilerplate)[part].sum()
    if not own[0]:
        return None
    if own[1] < MIN_BOILERPLATE_SHARE * own[0]:
        return STORY
    return LABEL if question.filled and rest[1] < MIN_BOILERPLATE_SHARE * max(1, rest[0]) else ALL


def split_halves(gold: GoldSpans, seed: int) -> list[tuple[set[str], set[str]]]:
    """Annotated articles to answer from and to judge on, both ways round."""
    names = sorted(gold)
    Random(seed).shuffle(names)
    one, other = set(names[::2]), set(names[1::2])
    return [(one, other), (other, one)]


def score_after_answers(
    documents: Sequence[Document], gold: GoldSpans, config: PipelineConfig, numbers: Sequence[int], seed: int
) -> tuple[dict[int, CutScore], list[int]]:
    """Scores of a source after each of several numbers of answers, and the number of answers in each half."""
    by_id = {one.id: one for one in documents if one.id in gold}
    scores = dict.fromkeys(numbers, CutScore())
    answer_counts: list[int] = []
    for answering, judged in split_halves(gold, seed):
        (report,) = Miner(config).run([one for one in documents if one.id not in judged])
        pack = report.pack
        rules: list[tuple[Rule, ...]] = [()]
        if pack is not None:
            articles = [by_id[name] for name in sorted(answering)]
            for question in open_questions(pack):
                answer = simulate_answer(pack, question, articles, gold) if len(rules) <= max(numbers) else None
                if answer is not None:
                    rules.append(add_answer_rules(pack, rules[-1], question, answer))
        answer_counts.append(len(rules) - 1)
        for number in numbers:
            changed = None if pack is None else apply_rules(pack, report.rejected or (), rules[: number + 1][-1])
            clean: Callable[[str], Sequence[tuple[int, int]]] = _make_cutter(changed)
            for name in sorted(judged):
                text = by_id[name].body
                scores[number] += score_cuts(text, gold[name], clean(text))
    return scores, answer_counts


def _make_cutter(pack: Pack | None) -> Callable[[str], list[tuple[int, int]]]:
    if pack is None:
        return lambda text: []
    cleaner = Cleaner(pack, CleanConfig(choice=CUT_ALL))
    return lambda text: [(span.start, span.end) for span in cleaner.clean(text).removed]
