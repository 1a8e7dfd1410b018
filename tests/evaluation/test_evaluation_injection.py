"""Synthetic templates: what is put where, and what becomes of systems that cut nothing, all, or just the right thing."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from templatemine.errors import ConfigError, CorpusError
from templatemine.evaluation.cleaning_systems import mining_system
from templatemine.evaluation.injection import InjectionConfig, _draw_designs, evaluate_injection
from templatemine.evaluation.protocol import derive_random, sample_documents
from templatemine.evaluation.synthetic_boilerplate import (
    KINDS,
    PERIODS,
    SyntheticArticle,
    TemplateDesign,
    insert_boilerplate,
    learn_profile,
)
from templatemine.evaluation.trial_config import KIND_NAMES
from templatemine.model import Cleaned, Document, Span

SYLLABLES = [first + last for first in "bdfgklmnprst" for last in "aeiou"]


def articles(source: str = "a", number: int = 40, gap: str = "\n\n", seed: int = 1) -> list[Document]:
    """Articles of nonsense words, three paragraphs of three sentences."""
    rng = random.Random(f"{seed} {source}")

    def sentence() -> str:
        return " ".join("".join(rng.choices(SYLLABLES, k=rng.randint(2, 4))) for _ in range(9)).capitalize() + "."

    paragraphs = [[" ".join(sentence() for _ in range(3)) for _ in range(3)] for _ in range(number)]
    return [
        Document(source=source, id=f"{source}/{place}", text=gap.join(lines), date=f"2024-01-{place % 28 + 1:02}")
        for place, lines in enumerate(paragraphs)
    ]


CONFIG = InjectionConfig(documents=(30,), templates=24, shares=(0.1, 0.5))


def nothing(history: Sequence[Document], documents: Sequence[Document]) -> list[Cleaned]:
    return [Cleaned(one.body, ()) for one in documents]


def everything(history: Sequence[Document], documents: Sequence[Document]) -> list[Cleaned]:
    return [Cleaned("", (Span(0, len(one.body)),)) for one in documents]


class Oracle:
    """Knows the articles as they were, and cuts what was added, by walking both texts."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.originals = {one.id: one.body for one in documents}

    def __call__(self, history: Sequence[Document], documents: Sequence[Document]) -> list[Cleaned]:
        import difflib

        answers = []
        for one in documents:
            blocks = difflib.SequenceMatcher(None, self.originals[one.id], one.body, autojunk=False).get_opcodes()
            spans = tuple(Span(start, end) for tag, _, _, start, end in blocks if tag == "insert")
            answers.append(Cleaned(self.originals[one.id], spans))
        return answers


# ------------------------------------------------------------------------------------------------------------ dressing

ONE_LINE = st.sampled_from(["\n\n", "\n", " "])


def undressed(one: SyntheticArticle) -> str:
    return "".join(one.document.body[start : start + length] for start, _, length in one.alignment)


@given(st.integers(0, 99), st.lists(st.tuples(st.sampled_from(list(KINDS)), st.integers(1, 9)), max_size=6), ONE_LINE)
def test_nothing_of_an_article_is_lost_and_pieces_are_where_they_are_said_to_be(
    seed: int, kinds: list[tuple[str, int]], gap: str
) -> None:
    documents = articles(number=8, gap=gap)
    designs = [TemplateDesign(kind=kind, length=length, df=4) for kind, length in kinds]
    dressed = insert_boilerplate(documents, designs, seed)
    for bare, one in zip(documents, dressed, strict=True):
        assert undressed(one) == bare.body
        assert replace(one.document, text=bare.text) == bare
        for start, original, length in one.alignment:
            assert one.document.body[start : start + length] == bare.body[original : original + length]
        for piece in one.templates:
            sentence = KINDS[kinds[piece.design][0]].sentence
            assert one.document.body[piece.start : piece.end].endswith(".") == sentence
            assert len(one.document.body[piece.start : piece.end].split()) == kinds[piece.design][1]
            assert not any(
                start < piece.end and piece.start < start + length for start, _, length in one.alignment if length
            )
    for number in range(len(designs)):
        assert sum(piece.design == number for one in dressed for piece in one.templates) == 4


def texts_of(kind: str, gap: str = "\n\n") -> list[tuple[str, str, str]]:
    """What stands before a piece, the piece, and what stands behind it."""
    dressed = insert_boilerplate(articles(gap=gap), [TemplateDesign(kind=kind, length=6, df=20)], 1)
    return [
        (one.document.body[: piece.start], one.document.body[piece.start : piece.end], one.document.body[piece.end :])
        for one in dressed
        for piece in one.templates
    ]


def test_kinds_stand_where_they_should() -> None:
    for before, _, behind in texts_of("fixed"):
        assert before.endswith("\n\n")
        assert behind == ""
    for before, _, behind in texts_of("line"):
        assert before.endswith("\n\n")
        assert behind.startswith("\n")
    for before, _, behind in texts_of("in-line"):
        assert before.endswith(". ")
        assert behind.startswith((" ", "\n")) or behind == ""
    assert any(behind.startswith(" ") for _, _, behind in texts_of("in-line"))
    for before, piece, behind in texts_of("mid-sentence"):
        assert before.endswith(" ")
        assert behind.startswith(" ")
        assert not piece.endswith(".")
    assert sum(before.endswith(". ") for before, _, _ in texts_of("mid-sentence")) < 10
    for before, _, behind in texts_of("line start"):
        assert before == "" or before.endswith("\n")
        assert behind.startswith(" ")
    for before, _, behind in texts_of("line end"):
        assert before.endswith(" ")
        assert behind == "" or behind.startswith("\n")
    for before, _, behind in texts_of("line", gap=" "):
        assert before.endswith(" ")
        assert behind == ""


def test_kinds_have_the_names_that_options_know() -> None:
    assert tuple(KINDS) == KIND_NAMES


def test_wordings() -> None:
    assert len({piece for _, piece, _ in texts_of("fixed")}) == 1
    slots = [piece.rstrip(".").split() for _, piece, _ in texts_of("slots")]
    assert [len({words[at] for words in slots}) > 1 for at in range(6)] == [False, True, False, False, False, True]
    drifting = {piece for _, piece, _ in texts_of("drifting")}
    assert 1 < len(drifting) <= PERIODS


def test_a_template_drifts_with_the_dates_not_with_the_order() -> None:
    documents = articles()
    designs = [TemplateDesign(kind="drifting", length=8, df=40)]
    dressed = sorted(
        insert_boilerplate(documents, designs, 1), key=lambda one: (one.document.date or "", one.document.id)
    )
    wordings = [one.document.body[piece.start : piece.end] for one in dressed for piece in one.templates]
    runs = [wordings[0]] + [now for before, now in pairwise(wordings) if now != before]
    assert len(runs) <= PERIODS + 3  # days at a border are shared by two periods
    first, second = (wording.rstrip(".").lower().split() for wording in dict.fromkeys(wordings[:20]))
    assert sum(one != other for one, other in zip(first, second, strict=True)) == 1


def test_speech_of_a_script_without_spaces() -> None:
    documents = [
        Document(source="a", id=str(i), text="今日は東京で雨が降りました。明日は晴れるでしょう。" * 3) for i in range(5)
    ]
    speech = learn_profile(documents, 1)
    assert (speech.separator, speech.sentence_end, speech.line_separator) == ("", "。", "")
    assert set(map(len, speech.words)) == {2}
    (one,) = insert_boilerplate(documents[:1], [TemplateDesign(kind="in-line", length=4, df=1)], 1)
    (piece,) = one.templates
    assert piece.end - piece.start == 9
    assert one.document.body[piece.start - 1] == "。"
    (one,) = insert_boilerplate(documents[:1], [TemplateDesign(kind="mid-sentence", length=4, df=1)], 1)
    (piece,) = one.templates
    around = one.document.body[piece.start - 1] + one.document.body[piece.end]
    assert piece.end - piece.start == 8
    assert around.isalpha()


def test_other_names_and_seeds_give_other_boilerplate() -> None:
    designs = [TemplateDesign(kind="fixed", length=6, df=20)]
    made = [
        insert_boilerplate(articles(), designs, seed, name=name)
        for seed, name in ((1, "a"), (1, "a"), (2, "a"), (1, "b"))
    ]
    assert made[0] == made[1]
    assert made[0] != made[2]
    assert made[0] != made[3]
    assert derive_random(1, "a", "b").random() != derive_random(1, "ab").random()
    assert insert_boilerplate([], designs, 1) == []


# -------------------------------------------------------------------------------------------------------------- the trial


def test_a_system_that_cuts_nothing_finds_nothing() -> None:
    row = evaluate_injection(articles(), nothing, CONFIG).row(by="all")
    assert (row["recall"], row["found"], row["precision"], row["false per 10k"]) == (0.0, 0.0, 1.0, 0.0)


def test_a_system_that_cuts_everything_finds_all_and_harms_all() -> None:
    """With `clean` all it cuts counts; its precision is the share of the text that was put in."""
    documents = articles()
    result = evaluate_injection(documents, everything, replace(CONFIG, clean=True))
    row = result.row(by="all")
    assert row["recall"] == row["found"] == 1.0
    assert row["false per 10k"] == pytest.approx(10_000)
    assert 0.05 < row["precision"] < 0.6
    assert row["before per 10k"] == 0.0


def test_what_is_cut_anyway_counts_neither_way() -> None:
    row = evaluate_injection(articles(), everything, CONFIG).row(by="all")
    assert (row["recall"], row["precision"], row["false per 10k"]) == (1.0, 1.0, 0.0)
    assert row["before per 10k"] == pytest.approx(10_000)


def test_an_oracle_is_right_about_nearly_all() -> None:
    """Where a piece begins as the text behind it does, what was added can be told in two ways."""
    documents = articles()
    row = evaluate_injection(documents, Oracle(documents), CONFIG).row(by="all")
    assert row["recall"] > 0.98
    assert row["precision"] > 0.98


@pytest.mark.parametrize("share", [0.02, 0.2])
def test_figures_are_those_of_counting_character_by_character(share: float) -> None:
    """Cuts at random, of what was put in, of what was not, and across both."""
    documents = articles()

    def cutter(history: Sequence[Document], rows: Sequence[Document]) -> list[Cleaned]:
        answers = []
        for one in rows:
            rng = random.Random(one.id)
            starts = sorted(rng.sample(range(len(one.body)), int(share * len(one.body) / 10)))
            answers.append(Cleaned("", tuple(Span(at, min(at + 10, len(one.body))) for at in starts)))
        return answers

    whole = evaluate_injection(documents, cutter, replace(CONFIG, clean=True)).row(by="all")
    picked = sample_documents(documents, 30, 1)
    dressed = insert_boilerplate(picked, _draw_designs("a", 30, CONFIG), 1, name="injection 30")
    totals = [0, 0, 0, 0]
    for one, answer in zip(dressed, cutter([], [row.document for row in dressed]), strict=True):
        gold = [(piece.start, piece.end, "template") for piece in one.templates]
        counts = reference.span_counts(one.document.body, gold, [(cut.start, cut.end) for cut in answer.removed])
        totals = [sum(pair) for pair in zip(totals, counts, strict=True)]
    template, content, hit, harm = totals
    assert whole["recall"] == pytest.approx(hit / template)
    assert whole["precision"] == pytest.approx(hit / (hit + harm))
    assert whole["false per 10k"] == pytest.approx(1e4 * harm / content)


def test_rows_add_up() -> None:
    documents = articles("a") + articles("b", 35)
    result = evaluate_injection(documents, everything, replace(CONFIG, documents=(20, 30), clean=True))
    whole = result.row(by="all")
    for name in ("documents", "kind", "words", "df"):
        rows = [row for row in result.rows if row["by"] == name]
        assert sum(row["templates"] for row in rows) == whole["templates"] == 96
        assert sum(row["occurrences"] for row in rows) == whole["occurrences"]
    assert result.settings["sources"] == [2, 2]
    assert {row["value"] for row in result.rows if row["by"] == "df"} == {"3 to 5", "6 to 10", "11 to 30"}


def test_our_own_system_finds_lines_and_leaves_prose() -> None:
    documents = [one for source in ("a", "b", "c") for one in articles(source)]
    # Nonsense has no cues: a line of three articles in thirty says nothing for itself.
    result = evaluate_injection(documents, mining_system(), replace(CONFIG, documents=(40,), shares=(0.5,)))
    assert result.row(by="kind", value="line")["recall"] > 0.8
    assert result.row(by="all")["precision"] > 0.9


def test_the_seed_decides() -> None:
    documents = articles()
    oracle = Oracle(documents)
    one, again, other = (evaluate_injection(documents, oracle, replace(CONFIG, seed=seed)).rows for seed in (1, 1, 2))
    assert one == again
    assert one != other
    assert evaluate_injection(documents[::-1], oracle, CONFIG).rows == one


def test_what_it_refuses() -> None:
    with pytest.raises(CorpusError, match="at least 30 documents, found at most 8"):
        evaluate_injection(articles(number=8), nothing, CONFIG)
    with pytest.raises(CorpusError, match="found HTML"):
        evaluate_injection([Document(source="a", id="1", html="<p>x")], nothing, CONFIG)
    for options in ({"kinds": ("advert",)}, {"documents": (0,)}, {"templates": 0}, {"shares": (0.0,)}, {"shares": ()}):
        with pytest.raises(ConfigError):
            InjectionConfig(**options)
