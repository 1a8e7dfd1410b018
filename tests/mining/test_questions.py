"""Which candidates a person is asked about: those with most at stake, none that another one answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from invented import bare_pack
from templatemine.api import mine
from templatemine.config import PipelineConfig, SelectConfig
from templatemine.kinds import KINDS
from templatemine.mining.methods import resolve_defaults
from templatemine.mining.questions import MAX_QUESTIONS, _is_nested, ask_again, choose_questions, weigh_questions
from templatemine.mining.select import ACCEPTED, REDUNDANT, UNLIKELY
from templatemine.mining.stages import mine_source
from templatemine.mining.templates import slotted_anchor, string_anchor
from templatemine.model import Document, Template
from templatemine.packs.pack import Pack
from templatemine.packs.pack_record import bare_template, template_id

WORDS = [
    a + b + c for a in ("bar", "cel", "dom", "fen", "gul") for b in ("a", "ilo", "ur") for c in ("ta", "ren", "lis")
]


def archive(documents: int = 60) -> list[Document]:
    random = np.random.default_rng(1)

    def prose(words: int = 14) -> str:
        return " ".join(random.choice(WORDS, words)).capitalize() + "."

    texts = [
        "\n".join(
            [
                prose(),
                "Sign up here for our morning letter.",
                f"Related: {prose(6)}",
                prose(),
                *(["He did not say more than that."] if number % 6 == 0 else []),
                prose(),
            ]
        )
        for number in range(documents)
    ]
    return [Document(source="a.example", id=str(place), text=text) for place, text in enumerate(texts)]


def test_those_with_most_at_stake_are_asked_first() -> None:
    found = mine_source("a.example", archive(), resolve_defaults(PipelineConfig()))
    assert found.verdicts is not None
    rows = choose_questions(found)
    stakes = found.verdicts.stake[rows].tolist()
    assert 0 < len(rows) <= MAX_QUESTIONS
    assert stakes == sorted(stakes, reverse=True)
    assert not np.any(found.verdicts.reason_of[rows] == REDUNDANT)
    asked = [(int(found.verdicts.kind[row]), found.strings.ids(row)) for row in rows.tolist()]
    assert not any(
        kind == of and _is_nested(tokens, other)
        for place, (kind, tokens) in enumerate(asked)
        for of, other in asked[:place]
    )


def test_nothing_but_its_score_speaks_against_what_is_asked_about() -> None:
    """Of a part of a sentence, which would stay whatever its score, nobody is asked."""
    random = np.random.default_rng(2)
    documents = []
    for place, one in enumerate(archive(90)):
        rest = " ".join(random.choice(WORDS, 5))
        more = {0: f"\nHarbour Commission {rest}.", 4: f"\nThe Upper Trade Commission (UHTC) {rest}."}
        text = f"{one.text}{more.get(place % 9, '')}"
        documents.append(Document(source="a.example", id=one.id, text=text))
    found = mine_source("a.example", documents, resolve_defaults(PipelineConfig()))
    assert found.verdicts is not None
    rows = choose_questions(found)
    rejected = rows[found.verdicts.reason_of[rows] == UNLIKELY]
    assert len(rejected) > 0
    reckless = resolve_defaults(PipelineConfig(select=SelectConfig(caution=1e-9)))
    verdicts = mine_source("a.example", documents, reckless).verdicts
    assert verdicts is not None
    assert set(verdicts.reason_of[rejected].tolist()) <= {ACCEPTED, REDUNDANT}


BAR = "شارك من خلال تويتر فيسبوك جوجل بلس اكتب رأيك"
"""A share bar that the score takes for boilerplate, and that no cue is for."""


@pytest.mark.parametrize(("every", "is_asked"), [(10, True), (60, False)])
def test_of_what_opens_a_good_many_articles_people_are_asked(every: int, is_asked: bool) -> None:
    """Nobody was asked about a share bar that opened a tenth of an archive, and all articles that came later."""
    documents = []
    for place, one in enumerate(archive(480)):
        text = f"{BAR} {one.text}" if place % every == 0 else one.text
        documents.append(Document(source="a.example", id=one.id, text=text))
    pack = mine(documents)["a.example"]
    tokens = tuple(BAR.split())
    assert all(one.tokens != tokens for one in pack.templates)
    found = [one for one in pack.questions if one.tokens == tokens]
    assert [(one.df, one.filled, one.anchor) for one in found] == ([(48, "end", "start")] if is_asked else [])


def test_of_one_word_that_ends_sentences_nobody_is_asked() -> None:
    """A cue in it, as in "published.", says too little to a person who sees it alone."""
    random = np.random.default_rng(3)

    def asked(ending: str) -> set[tuple[str, ...]]:
        documents = []
        for place, one in enumerate(archive(90)):
            rest = " ".join(random.choice(WORDS, 9)).capitalize()
            text = f"{one.text}\n{rest} {ending}" if place % 4 == 0 else one.text
            documents.append(Document(source="a.example", id=one.id, text=text))
        return {question.tokens for question in mine(documents)["a.example"].questions}

    assert ("veröffentlicht.",) not in asked("veröffentlicht.")


def test_a_method_without_scores_asks_nothing() -> None:
    options = resolve_defaults(PipelineConfig(method="energy"))
    assert len(choose_questions(mine_source("a.example", archive(), options))) == 0
    pack = mine(archive(), PipelineConfig(method="energy"))["a.example"]
    assert pack.questions == ()
    assert '"questions"' not in pack.to_json()


def test_the_pack_has_them_and_they_survive_saving() -> None:
    pack = mine(archive())["a.example"]
    asked = pack.questions
    assert asked
    asked += tuple(replace(one, filled="end") for one in asked)
    pack = replace(pack, questions=asked)
    assert {one.kind for one in asked} <= {*KINDS}  # also of those that are no templates
    assert any(one.tokens not in {template.tokens for template in pack.templates} for one in asked)
    assert all(one.tokens and one.example and 0 <= one.score <= 1 and one.df > 1 for one in asked)
    again = Pack.from_json(pack.to_json())
    assert again.questions == asked
    assert again.to_json() == pack.to_json()


@pytest.mark.parametrize(
    ("one", "other", "nested"),
    [((1, 2), (1, 2, 3), True), ((2, 3), (1, 2, 3), True), ((2,), (1, 2, 3), False), ((1, 3), (1, 2, 3), False)],
)
def test_nested(one: tuple[int, ...], other: tuple[int, ...], nested: bool) -> None:
    assert _is_nested(one, other) is _is_nested(other, one) is nested


def ask_about(ending: Callable[[int, str], str], documents: int = 120) -> Pack:
    """Mine an archive whose articles end with a line of their number and a title."""
    random = np.random.default_rng(4)
    texts = [
        f"{one.text}\n{ending(place, ' '.join(random.choice(WORDS, 5)).title())}"
        for place, one in enumerate(archive(documents))
    ]
    return mine([Document(source="a.example", id=str(place), text=text) for place, text in enumerate(texts)])[
        "a.example"
    ]


def test_of_what_other_templates_cut_nobody_is_asked() -> None:
    """A footer of a feed is cut from its label to its name: people were asked about the name, as if all of it were at
    stake."""
    pack = ask_about(lambda _, title: f"The post {title} appeared first on The Harbour Times.")
    assert any(one.string == ("The", "post") for one in pack.templates)
    (asked, *_) = pack.questions
    footer = replace(asked, tokens=("appeared", "first", "on"), anchor="", filled="start", stake=9_000)
    documents = [Document(source="a.example", id="1", text="It ends.\nThe post Gul Bar appeared first on The Quay.")]
    assert footer not in weigh_questions(replace(pack, questions=(asked, footer)), documents).questions


def test_what_other_templates_cut_is_not_at_stake() -> None:
    pack = mine(archive())["a.example"]
    own, other = (
        replace(pack.questions[0], tokens=tuple(text.split()), filled="", anchor="", stake=1000, within=0.0)
        for text in ("our morning", "bar")
    )
    documents = [
        Document(
            source="a.example", id=str(place), text="Sign up here for our morning letter.\nOr not our morning news."
        )
        for place in range(4)
    ]
    assert any(one.string == tuple("Sign up here for our morning letter.".split()) for one in pack.templates)
    weighed = weigh_questions(replace(pack, questions=(own, other)), documents).questions
    assert [(one.tokens, one.stake, one.within) for one in weighed] == [
        (other.tokens, 1000, 0.0),
        (own.tokens, 500, 0.5),
    ]
    again = Pack.from_json(replace(pack, questions=weighed).to_json())
    assert again.questions == weighed
    # What cuts the string itself is the decision that is asked about.
    letter = replace(own, tokens=tuple("Sign up here for our morning letter.".split()))
    assert weigh_questions(replace(pack, questions=(letter,)), documents).questions == (letter,)


@pytest.mark.parametrize("side", ["end", "start"])
@pytest.mark.parametrize("anchor", ["", "start", "end", "line"])
def test_a_string_is_where_its_label_was(anchor: str, side: str) -> None:
    slotted = slotted_anchor(anchor, side)
    assert slotted_anchor(string_anchor(slotted, side), side) == slotted
    assert string_anchor(anchor, "") == anchor


def test_of_what_was_withdrawn_people_are_asked() -> None:
    """Templates that tear sentences were named among thousands of rejected candidates only."""
    pack = replace(bare_pack(90), questions=())
    bare = Template(id="", regex="", tokens=(), df=30, count=40, example="Watch the video: x", kind="media", score=0.9)
    label, longer, slotted, between, cut = (
        replace(bare, id=template_id(tokens), tokens=tokens, df=df, anchor=anchor)
        for tokens, df, anchor in (
            (("Watch", "the", "video:"), 30, ""),
            (("Watch", "the", "video:", "Now"), 8, "start"),
            (("{slot}", "ends", "here."), 20, "line"),
            (("Read", "{slot}", "more"), 20, ""),
            (("Subscribe", "to", "this"), 20, ""),
        )
    )
    pack = ask_again(replace(pack, templates=(cut,)), [longer, between, slotted, cut, label])
    assert [(one.tokens, one.anchor, one.filled, one.stake) for one in pack.questions] == [
        (label.tokens, "", "", round(0.9 * 16 * 30)),
        (slotted.string, "end", "start", round(0.9 * 10 * 20)),
    ]
    assert all(pack.derived(replace(bare_template(one.tokens), anchor=one.anchor)) for one in pack.questions)


def test_of_a_label_of_most_documents_people_are_asked() -> None:
    """Tags stood before the last line of four fifths of the articles of an archive; the word before them was in no
    question, as labels without a sign are only asked about where articles begin or end with them."""
    random = np.random.default_rng(5)
    documents = []
    for place, one in enumerate(archive(300)):
        tags = " ".join(word.title() for word in random.choice(WORDS, 4))
        last = " ".join(random.choice(WORDS, 9)).capitalize()
        documents.append(replace(one, text=f"{one.text} سمات {tags}\n{last}." if place % 5 else one.text))
    pack = mine(documents)["a.example"]
    assert not any(one.string == ("سمات",) for one in pack.templates)
    assert pack.questions[0].tokens == ("سمات",)
