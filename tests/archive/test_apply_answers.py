"""Answers to the questions of a pack: the rules they make, what these do, and where strings were seen."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from strategies import make_pack
from templatemine.archive.apply_answers import (
    ALL,
    ANSWERS,
    LABEL,
    MAX_ALIKE,
    MAX_CONTEXTS,
    STORY,
    QuestionContexts,
    add_answer_rules,
    current_removal,
    describe_removal,
    describe_stake,
    find_inner_templates,
    open_questions,
    possible_answers,
)
from templatemine.archive.apply_overrides import apply_rules
from templatemine.cleaning.cleaner import Cleaner
from templatemine.errors import ConfigError, PackError
from templatemine.model import Document, Question
from templatemine.packs.overrides import Overrides
from templatemine.packs.pack import Pack
from templatemine.packs.pack_record import template_id
from templatemine.text.patterns import pattern_set

TEXT = "A story begins.\nRelated: Another story\nSign up now\nAnd it ends."
LABELLED = Question(
    tokens=("Related:",), df=9, count=9, anchor="start", filled="end", example="Related:", score=0.7, stake=900
)
STRING = Question(
    tokens=("Sign", "up", "now"), df=9, count=9, anchor="line", filled="", example="Sign up now", score=0.5, stake=90
)


@pytest.fixture
def pack() -> Pack:
    return replace(named([b"Sign", b"up", b"now"], "line"), questions=(LABELLED, STRING))


def named(forms: list[bytes], anchor: str) -> Pack:
    """A pack of one string, its template named as mining does."""
    made = make_pack([(forms, b" ".join(forms).decode())], pattern_set("news"), "-", False, [anchor])
    (one,) = made.templates
    return replace(made, templates=(replace(one, id=template_id(one.tokens or ())),))


def cleaned(pack: Pack, *answers: tuple[Question, str]) -> tuple[str, Pack]:
    rules = pack.overrides.rules
    for question, answer in answers:
        rules = add_answer_rules(pack, rules, question, answer)
    made = apply_rules(pack, (), rules)
    return Cleaner(made).clean(TEXT).text, made


@pytest.mark.parametrize(
    ("question", "answer", "left", "does"),
    [
        (LABELLED, ALL, "A story begins.\nAnd it ends.", ALL),
        (LABELLED, LABEL, "A story begins.\nAnother story\nAnd it ends.", LABEL),
        (LABELLED, STORY, "A story begins.\nRelated: Another story\nAnd it ends.", ""),
        (STRING, ALL, "A story begins.\nRelated: Another story\nAnd it ends.", ALL),
        (STRING, STORY, TEXT, ""),
    ],
)
def test_what_an_answer_does(pack: Pack, question: Question, answer: str, left: str, does: str) -> None:
    text, made = cleaned(pack, (question, answer))
    assert [line for line in text.split("\n") if line] == left.split("\n")
    assert current_removal(made, question) == does
    assert question not in open_questions(made)
    assert open_questions(Pack.from_json(made.to_json())) == open_questions(made)


@pytest.mark.parametrize(("question", "answer"), [(LABELLED, ALL), (LABELLED, LABEL), (STRING, ALL)])
def test_what_an_answer_brings_in_has_its_kind(pack: Pack, question: Question, answer: str) -> None:
    asked = replace(question, kind="related")
    pack = Pack.from_json(replace(pack, templates=(), mined=(), questions=(asked,)).to_json())
    assert pack.questions == (asked,)
    _, made = cleaned(pack, (asked, answer))
    assert {one.kind for one in made.templates} == {"related"}
    # What mining has named keeps its name.
    named_before = replace(
        made, overrides=Overrides(), templates=tuple(replace(one, kind="legal") for one in made.templates)
    )
    _, again = cleaned(named_before, (asked, answer))
    assert {one.kind for one in again.templates} == {"legal"}


@pytest.mark.parametrize("kind", ["others", 3])
def test_a_question_of_no_kind_is_refused(pack: Pack, kind: object) -> None:
    data = json.loads(replace(pack, questions=(STRING,)).to_json())
    assert "kind" not in data["questions"][0]
    data["questions"][0]["kind"] = kind
    with pytest.raises(PackError, match=r"questions\[0\]: kind: expected one of"):
        Pack.from_json(json.dumps(data))


def test_no_part_of_what_belongs_to_the_story_is_cut() -> None:
    part = named([b"Sign", b"up"], "start")
    assert "Sign up now" not in Cleaner(part).clean(TEXT).text
    assert cleaned(part, (STRING, STORY))[0] == TEXT
    # What stands elsewhere, too, is another matter.
    common = replace(part, templates=tuple(replace(one, df=90) for one in part.templates))
    assert find_inner_templates(common, STRING) == []


def test_what_is_done_today_is_told_in_one_way(pack: Pack) -> None:
    inner = named([b"Sign", b"up"], "line")
    assert describe_removal(inner, STRING) == "cut in part"
    told = {
        (one.filled, answer): describe_removal(cleaned(pack, (one, answer))[1], one)
        for one in (LABELLED, STRING)
        for answer in possible_answers(one)
    }
    assert told == {
        ("end", ALL): "cut with the rest of its line",
        ("end", LABEL): "cut",
        ("end", STORY): "left in",
        ("", ALL): "cut",
        ("", STORY): "left in",
    }
    _, made = cleaned(pack, (LABELLED, ALL))
    tokens = (*LABELLED.tokens, "{slot:names}")
    of_names = replace(
        made, templates=tuple(replace(one, tokens=tokens) if one.slot else one for one in made.templates)
    )
    assert describe_removal(of_names, LABELLED) == "cut with names beside it, and left in before others"


def test_a_question_has_the_figures_of_the_template_of_its_string() -> None:
    """`ask` said 7 documents of what `show` said 19 of: those in which it was a line, and those in which it ended one."""
    pack = named([b"Sign", b"up", b"now"], "end")
    (one,) = pack.templates
    held = replace(one, df=19, count=21, score=0.9)
    pack = replace(pack, templates=(held,), questions=(replace(STRING, df=7, count=7, score=0.3), LABELLED))
    string, labelled = open_questions(pack)
    assert (string.df, string.count, string.anchor, string.score) == (19, 21, "end", 0.9)
    assert labelled == LABELLED
    _, made = cleaned(pack, (string, ALL))
    assert made.templates == pack.templates


def test_another_answer_takes_the_place_of_the_first(pack: Pack) -> None:
    for first in ANSWERS:
        for second in ANSWERS:
            both = add_answer_rules(pack, add_answer_rules(pack, (), LABELLED, first), LABELLED, second)
            assert both == add_answer_rules(pack, (), LABELLED, second)
    _, made = cleaned(pack, (LABELLED, ALL), (STRING, STORY), (LABELLED, STORY))
    assert open_questions(made) == []
    assert len(made.overrides.rules) == 3  # the string, the label, and the label with its line


def test_answers_outlive_another_mining(pack: Pack) -> None:
    """Rules say the same of a pack that was mined anew, with other templates."""
    _, made = cleaned(pack, (LABELLED, ALL), (STRING, STORY))
    fresh = apply_rules(replace(named([b"Related:"], "start"), questions=pack.questions), (), made.overrides.rules)
    assert open_questions(fresh) == []
    assert "Another story" not in Cleaner(fresh).clean(TEXT).text
    assert "Sign up now" in Cleaner(fresh).clean(TEXT).text


def test_answers_that_a_question_does_not_have(pack: Pack) -> None:
    assert possible_answers(LABELLED) == ANSWERS
    assert possible_answers(STRING) == (ALL, STORY)
    with pytest.raises(ConfigError, match=r"^answer: expected boilerplate, story, got 'label'$"):
        add_answer_rules(pack, (), STRING, LABEL)


def test_where_strings_stand(pack: Pack) -> None:
    seen = QuestionContexts(pack, (LABELLED, STRING), 8)
    assert seen.contexts_of(STRING) == []
    assert not seen.is_complete
    for number in range(5):
        text = TEXT.replace("And it ", f"And {number} ").replace("begins.", f"began {number}.")
        seen.add(Document(source="s", id=str(number), text=text))
        seen.add(Document(source="s", id=f"h{number}", html="<p>Sign up now</p>"))  # the pack is for text
    assert seen.is_complete
    assert seen.contexts_of(STRING) == [("story\n", "Sign up now", f"\nAnd {one}") for one in range(MAX_CONTEXTS)]
    assert seen.contexts_of(LABELLED) == [(f"{one}.\n", "Related:", " Another") for one in range(MAX_CONTEXTS)]


def test_places_that_are_alike_are_shown_once(pack: Pack) -> None:
    """Three times the same told no more than once."""
    seen = QuestionContexts(pack, (LABELLED, STRING), 8)
    for number in range(MAX_ALIKE):
        assert not seen.is_complete
        text = TEXT.replace("And it ", "So it ") if number == 20 else TEXT
        seen.add(Document(source="s", id=str(number), text=text))
    assert seen.is_complete  # nobody reads on for another one
    assert [behind for _, _, behind in seen.contexts_of(STRING)] == ["\nAnd it", "\nSo it"]


def test_what_goes_with_a_label_is_told_from_the_label(pack: Pack) -> None:
    seen = QuestionContexts(pack, (LABELLED, STRING), 8)
    assert seen.add(Document(source="s", id="1", text="It begins. And\nRelated: The whole end of the story.\nMore"))
    assert not seen.add(Document(source="s", id="2", text="Nothing of it."))
    assert seen.add(Document(source="s", id="3", text="Related: " + "so long a line " * 30))
    assert seen.add(Document(source="s", id="4", text="Related: A title\nSign up now"))
    assert [place.filler for place in seen.places_of(LABELLED)] == [" The whole end of the story.", "", " A title"]
    assert [place.behind for place in seen.places_of(LABELLED)] == ["\nMore", " so", "\nSign"]
    assert seen.count_sentences(LABELLED) == (1, 2)
    assert [place.filler for place in seen.places_of(STRING)] == [""]
    assert seen.read == 4


def test_what_other_templates_cut_is_neither_told_nor_shown() -> None:
    """The figures of a string that another template cuts nearly everywhere were those of all its places, and the
    sentence that ended the other template was taken for one of the story."""
    pack = named([b"The", b"post", b"ends", b"here."], "line")
    label = replace(LABELLED, tokens=("The", "post"), example="The post", df=10, count=10, within=0.8)
    pack = replace(pack, questions=(label,))
    assert describe_stake(label) == (
        "of what is at stake: about 900 characters in 2 documents, with what follows on the line; "
        "other templates cut it elsewhere"
    )
    contexts = QuestionContexts(pack, [label], 40)
    texts = ["One.\nThe post ends here.\nTwo.", "Three.\nThe post of a Town\nFour."]
    assert [contexts.add(Document(source="a", id=text, text=text)) for text in texts] == [False, True]
    assert [place.filler for place in contexts.places_of(label)] == [" of a Town"]
    assert contexts.count_sentences(label) == (0, 1)
