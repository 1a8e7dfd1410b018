"""Templates that the last steps take away: each is listed with its reason, and comes back as it was if accepted."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from invented import bare_pack, words
from templatemine.archive.apply_answers import find_candidate_rules
from templatemine.archive.apply_overrides import apply_rules, serialise_with_rules
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig, PipelineConfig, SelectConfig
from templatemine.kinds import choose
from templatemine.mining import stages
from templatemine.mining.stages import MISMATCH, SourceReport
from templatemine.mining.withdrawals import COVERED, Withdrawals
from templatemine.model import Document, RejectedCandidate, Template
from templatemine.packs.overrides import Rule
from templatemine.packs.pack import Pack
from templatemine.packs.pack_folder import StandingPacks, read_rejected
from templatemine.packs.pack_record import template_id
from templatemine.pipeline import Miner

STEPS = (
    *("tearing_templates", "add_heads", "find_unbounded", "add_signatures", "add_headlines", "unite_families"),
    *("find_own_titles", "find_stranded", "add_islands", "add_rests", "find_halving", "find_covered"),
    *("weigh_questions", "drop_mismatches"),
)
"""All that look at a pack behind the scores."""


def _template(number: int) -> Template:
    tokens = (f"word{number}",)
    return Template(id=template_id(tokens), regex="", tokens=tokens, df=number, count=number, example=tokens[0])


def _pack(numbers: set[int]) -> Pack:
    return replace(bare_pack(1), templates=tuple(map(_template, sorted(numbers))), rejected={"b": 3})


@given(st.lists(st.tuples(st.sets(st.integers(1, 6)), st.sampled_from(("a", "b", COVERED))), min_size=1, max_size=6))
def test_what_any_pack_had_is_in_the_last_one_or_listed_once(steps: list[tuple[set[int], str]]) -> None:
    withdrawals, pack = Withdrawals(), _pack(steps[0][0])
    reasons: dict[tuple[str, ...], str] = {}
    for numbers, reason in steps[1:]:
        after = _pack(numbers)
        gone = {one.tokens or (): reason for one in pack.templates if one not in after.templates}
        reasons |= gone
        pack = withdrawals.compare(pack, after, reason)
    kept = {one.tokens for one in pack.templates}
    expected = {tokens: reason for tokens, reason in reasons.items() if tokens not in kept}
    settled, nearest, covered = withdrawals.settle(pack)
    assert {one.tokens: one.reason for one in (*nearest, *covered)} == expected
    assert len(nearest) + len(covered) == len(expected)
    assert {one.reason for one in covered} <= {COVERED}
    assert Counter(settled.rejected) == Counter(expected.values()) + Counter({"b": 3})
    assert settled.templates == pack.templates


def _archive(seed: int) -> list[Document]:
    """Articles with a line within sentences, a list of headlines, and authors."""
    dice = random.Random(seed)
    headlines = [words(dice, 6).capitalize() for _ in range(30)]
    authors = [words(dice, 2).title() for _ in range(9)]
    inner = words(dice, 3).title()
    articles = []
    for number in range(72):
        story = [f"{words(dice, 14).capitalize()}. {words(dice, 9).capitalize()}." for _ in range(4)]
        lines = [f"By {authors[number % 9]}", *story, words(dice, 6), inner, f"{words(dice, 6)}.", "", "Read more:"]
        text = "\n".join([*lines, *dice.sample(headlines, 3), words(dice, 6).capitalize()])
        articles.append(Document(source="a.example", id=str(number), text=text))
    return articles


def _mine(articles: list[Document]) -> tuple[SourceReport, Pack, list[RejectedCandidate]]:
    (report,) = Miner(PipelineConfig(select=SelectConfig(caution=1e-6))).run(articles)
    assert report.pack is not None
    return report, report.pack, [*(report.rejected or ())]


@pytest.mark.parametrize("seed", range(3))
def test_no_step_takes_a_template_away_in_silence(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, Template] = {}

    def watch(step: Callable[..., Any]) -> Callable[..., Any]:
        def run(pack: Pack, *rest: Any) -> Any:
            seen.update({one.id: one for one in pack.templates})
            return step(pack, *rest)

        return run

    for name in STEPS:
        monkeypatch.setattr(stages, name, watch(getattr(stages, name)))
    _, pack, rejected = _mine(_archive(seed))
    known = {one.id for one in pack.templates}
    gone = {one.tokens for name, one in seen.items() if name not in known}
    assert len(gone) > 20
    assert gone <= {one.tokens for one in rejected}
    assert Counter(one.reason for one in rejected) == Counter(pack.rejected)
    assert {one.reason for one in rejected if one.example} >= {COVERED, stages.TEARS}
    # Those that the archive speaks against are the nearest to templates, those within others are not.
    withdrawn = [bool(one.example) and one.reason != COVERED for one in rejected]
    assert withdrawn == sorted(withdrawn, reverse=True)
    covered = [bool(one.example) and one.reason == COVERED for one in rejected]
    assert covered == sorted(covered)


@pytest.mark.parametrize("seed", range(2))
def test_each_that_is_accepted_is_cut_and_stays_in_the_next_mining(seed: int, tmp_path: Path) -> None:
    articles = _archive(seed)
    report, mined, _ = _mine(articles)
    standing = StandingPacks(tmp_path, force=True)

    def save(report: SourceReport) -> Pack:
        for name, data in serialise_with_rules(report, standing).files.items():
            (tmp_path / name).write_bytes(data)
        return Pack.load(tmp_path / "a.example.json")

    pack = save(report)
    assert pack.templates == mined.templates
    rejected = [*read_rejected(tmp_path / "a.example.json")]
    assert rejected == [*(report.rejected or ())]
    withdrawn = {template_id(one.tokens): one for one in rejected if one.example}
    rules = find_candidate_rules(withdrawn.keys(), rejected)
    accepted = apply_rules(pack, rejected, [rule for some in rules.values() for rule in some])
    accepted.save(tmp_path / "a.example.json", force=True)
    again = save(report)
    assert again == accepted
    by_id = {one.id: one for one in again.templates}
    for name, one in withdrawn.items():
        found = by_id[name]
        assert (found.tokens, found.anchor, found.kind, found.df, found.example) == (
            *(one.tokens, one.anchor, one.kind, one.df, one.example),
        )
    cleaner = Cleaner(again, CleanConfig(choice=choose(cut_only="all")))
    cut = {name for article in articles for span in cleaner.spans(article.body) for name in span.templates}
    assert withdrawn.keys() <= cut


def test_what_cannot_be_read_again_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    def drop_first(pack: Pack) -> Pack:
        return replace(pack, templates=pack.templates[1:])

    monkeypatch.setattr(stages, "drop_mismatches", drop_first)
    _, pack, rejected = _mine(_archive(1))
    assert pack.rejected[MISMATCH] == 1
    assert rejected[0].reason == MISMATCH


def test_words_of_rules_bring_no_slot() -> None:
    """A slot takes more than the words that always go."""
    rows = [RejectedCandidate(tokens, 3, 3, "r", "start") for tokens in (("{slot}", "said"), ("he", "said"))]
    made = apply_rules(_pack({1}), rows, [Rule(action="always", text="said")])
    assert {one.tokens for one in made.templates} == {("word1",), ("he", "said")}
    rules = find_candidate_rules({template_id(("{slot}", "said"))}, rows)
    made = apply_rules(_pack({1}), rows, [rule for some in rules.values() for rule in some])
    assert {one.tokens for one in made.templates} == {("word1",), ("{slot}", "said")}
