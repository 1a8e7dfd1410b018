"""Questions of a pack, and a person's answers -> rules of the pack.

An answer is about one string (`model.Question`).  Of a label, which fills the rest of its line with something else each
time, it also says whether that goes with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from typing import NamedTuple

from templatemine.errors import ConfigError, counted
from templatemine.mining.questions import OtherTemplates
from templatemine.mining.templates import slotted_anchor
from templatemine.model import Document, Question, RejectedCandidate, Template
from templatemine.packs.overrides import Rule, accept_rule
from templatemine.packs.pack import Pack
from templatemine.packs.pack_record import bare_template, rule_id, template_id
from templatemine.packs.readable import join_tokens
from templatemine.text.characters import ends_sentence, words_beside
from templatemine.text.slots import ANY, NAMES, slot_token

ALL, LABEL, STORY = ANSWERS = ("boilerplate", "label", "story")
"""All of it is boilerplate; the label is, but not what fills its line; it belongs to the story."""

MAX_INNER_DF = 2
"""Times as many documents as a string that belongs to the story has, for a part of it to be a template of its own."""


def possible_answers(question: Question) -> tuple[str, ...]:
    """Return the answers that a question has."""
    return ANSWERS if question.filled else (ALL, STORY)


def open_questions(pack: Pack) -> list[Question]:
    """Return the questions of a pack that no rule answers yet, that with most at stake first.

    A string may be asked about in one position (as a line), and be a template in another (at the end of lines).  An
    answer is about both, and the template has the wider position: the question has its figures, as all else that is
    told of the string.
    """
    answered_ids = {rule_id(rule) for rule in pack.overrides.rules}
    templates = {one.id: one for one in pack.templates}
    return [
        _as_template(question, templates.get(template_id(question.tokens)))
        for question in pack.questions
        if not answered_ids & set(_template_ids(question))
    ]


def _as_template(question: Question, template: Template | None) -> Question:
    if template is None or question.filled:
        return question
    score = question.score if template.score is None else template.score
    return replace(question, df=template.df, count=template.count, anchor=template.anchor, score=score)


def find_inner_templates(pack: Pack, question: Question) -> list[Template]:
    """Return the templates that cut a part of the string of a question, and hardly stand elsewhere."""
    tokens, most = question.tokens, MAX_INNER_DF * question.df
    parts = {tokens[start:end] for end in range(1, len(tokens) + 1) for start in range(end)} - {tokens}
    return [one for one in pack.templates if one.df <= most and one.string in parts]


def add_answer_rules(
    pack: Pack, rules: tuple[Rule, ...], question: Question, answer: str, *, by: str = "", time: str = ""
) -> tuple[Rule, ...]:
    """Add the rules of an answer about a string of a pack, in place of earlier ones about the same string.

    What belongs to the story is not cut in part either: `find_inner_templates`.

    Raises
    ------
    ConfigError
        The question has no such answer.
    """
    if answer not in possible_answers(question):
        raise ConfigError(f"answer: expected {', '.join(possible_answers(question))}, got {answer!r}")
    ids = set(_template_ids(question))
    known = {one.id for one in pack.templates if one.kind}
    other_rules = tuple(rule for rule in rules if rule_id(rule) not in ids)
    new_rules = [
        _answer_rule(question, filled, answer, known, by, time)
        for filled in ((False, True) if question.filled else (False,))
    ]
    if answer == STORY:
        new_rules += [
            Rule(action="reject", id=one.id, by=by, time=time)
            for one in find_inner_templates(pack, question)
            if one.id not in ids
        ]
    return (*other_rules, *(rule for rule in new_rules if rule is not None and rule not in other_rules))


def _answer_rule(question: Question, filled: bool, answer: str, known: Set[str], by: str, time: str) -> Rule | None:
    """Return the rule that an answer makes for a string, alone or with the rest of its line; of what has a kind, by its
    id in `known`, it says none."""
    tokens = _question_tokens(question, filled)
    if answer == STORY or (answer == LABEL and filled):
        return Rule(action="reject", id=template_id(tokens), by=by, time=time)
    if answer == ALL and question.filled and not filled:
        return None  # where its line is longer than a slot, mining says whether the label goes alone
    return Rule(
        action="accept",
        tokens=tokens,
        example="" if filled else question.example,
        anchor=slotted_anchor(question.anchor, question.filled) if filled else question.anchor,
        kind="" if template_id(tokens) in known else question.kind,
        df=question.df,
        count=question.count,
        by=by,
        time=time,
    )


def find_accept_rules(pack: Pack, names: Set[str], left: Mapping[str, Rule]) -> dict[str, tuple[Rule, ...]]:
    """Find the rules that cut some strings, by their ids; ids that nothing has are left out.

    Parameters
    ----------
    left : mapping of str to Rule
        Of what updates took out (`archive.update.read_left_rules`).
    """
    known: dict[str, tuple[Rule, ...]] = {
        rule_id(rule): (replace(rule, action="accept", id="", by="", time=""),)
        for rule in pack.overrides.rules
        if rule.action == "reject" and rule.tokens and rule.df
    }
    known |= {name: (rule,) for name, rule in left.items()}
    known |= {one.id: (accept_rule(one),) for one in (*pack.overrides.removed, *pack.templates) if one.tokens}
    for question in pack.questions:
        ids = _template_ids(question)
        for name, answer in zip(ids, (LABEL, ALL) if len(ids) > 1 else (ALL,), strict=True):
            rules = add_answer_rules(pack, (), question, answer)
            known.setdefault(name, tuple(rule for rule in rules if rule.action == "accept" or rule.id not in names))
    return {name: known[name] for name in sorted(names) if name in known}


def find_candidate_rules(names: Set[str], rejected: Iterable[RejectedCandidate]) -> dict[str, tuple[Rule, ...]]:
    """Do as `find_accept_rules` among rejected candidates; of several that are one string, the rule is that of what was
    a template, with its position, or of the first."""
    found: dict[str, tuple[Rule, ...]] = {}
    for one in rejected if names else ():
        if (name := template_id(one.tokens)) in names and (name not in found or one.example):
            found[name] = (accept_rule(one),)
    return found


def replace_rules(rules: Iterable[Rule], new: Iterable[Rule]) -> tuple[Rule, ...]:
    """Add rules about strings in place of earlier ones about the same strings, the kinds of which stay."""
    by_id = {rule_id(rule): rule for rule in new}
    return (*(rule for rule in rules if rule.action == "kind" or rule_id(rule) not in by_id), *by_id.values())


def describe_cut(rules: Sequence[Rule]) -> str:
    """Say what rules of `find_accept_rules` cut: a label alone or with the rest of its line, and how much."""
    (rule,) = (one for one in rules if one.action == "accept")
    template = bare_template(rule.tokens or ())
    label = join_tokens(template.string or ())
    size = rule.count * len(label if template.slot else rule.example or label)
    alone = "the label only, " if len(rules) > 1 else ""
    rest = f", and {_REST_OF_LINE[template.slot]}" if template.slot in _REST_OF_LINE and template.filler == ANY else ""
    return f"{alone}{_describe_size(size, rule.df)}{rest}"


def _question_tokens(question: Question, filled: bool) -> tuple[str, ...]:
    if not filled:
        return question.tokens
    slot = slot_token(ANY)
    return (*question.tokens, slot) if question.filled == "end" else (slot, *question.tokens)


def current_removal(pack: Pack, question: Question) -> str:
    """Return the decision of a pack about a string: "" keeps it, `LABEL` removes it, `ALL` the rest of its line as
    well."""
    pack_ids = {template.id for template in pack.templates}
    if template_id(_question_tokens(question, bool(question.filled))) in pack_ids:
        return ALL
    return LABEL if template_id(question.tokens) in pack_ids else ""


def describe_removal(pack: Pack, question: Question) -> str:
    """Return in words what a pack does about a string now."""
    removal = current_removal(pack, question)
    if not removal:
        return "cut in part" if find_inner_templates(pack, question) else "left in"
    if removal != ALL or not question.filled:
        return "cut"
    name = template_id(_question_tokens(question, True))
    takes_names = any(one.id == name and one.filler == NAMES for one in pack.templates)
    return "cut with names beside it, and left in before others" if takes_names else "cut with the rest of its line"


def describe_stake(question: Question) -> str:
    """Say why a string is asked about, though others may be more in doubt: the characters at stake, and where."""
    df = round((1 - question.within) * question.df)
    rest = f", with {_REST_OF_LINE[question.filled]}" if question.filled else ""
    within = "; other templates cut it elsewhere" if question.within else ""
    return f"of what is at stake: {_describe_size(question.stake, df)}{rest}{within}"


_REST_OF_LINE = {"end": "what follows on the line", "start": "what precedes it on the line"}


def _describe_size(size: int, df: int) -> str:
    return f"about {counted(size, 'character')} in {counted(df, 'document')}"


def _template_ids(question: Question) -> tuple[str, ...]:
    own = (template_id(question.tokens),)
    return (*own, template_id(_question_tokens(question, True))) if question.filled else own


MAX_CONTEXTS = 3
"""Places at which a string is shown."""

MAX_ALIKE = 30
"""Articles with a string in which different places of it are looked for."""


class Context(NamedTuple):
    """A place of the string of a question in an article.

    `filler` is the rest of its line that goes with a label if all is cut: before `found` where that ends the line, else
    behind it; "" for other strings, and where the line is longer than a slot.
    """

    before: str
    found: str
    filler: str
    behind: str

    @property
    def ends_sentence(self) -> bool:
        """Return whether the filler ends as a sentence does, which titles and names do not."""
        return ends_sentence(self.filler)


class QuestionContexts:
    """Contexts of the strings of some questions in articles, at most `MAX_CONTEXTS` each, of different articles, and
    different ones: what stands in all articles alike is shown once.  Where other templates cut it there is nothing to
    decide, and no context.

    Parameters
    ----------
    pack : Pack
    questions : sequence of Question
    context : int
        Characters kept on each side; what ends a paragraph ends the context.

    Attributes
    ----------
    read : int
        Articles that were looked into.
    """

    def __init__(self, pack: Pack, questions: Sequence[Question], context: int) -> None:
        self._pack, self._questions, self._context = pack, questions, context
        self._others = OtherTemplates(pack, questions)
        templates = [replace(bare_template(one.tokens), anchor=one.anchor) for one in questions]
        # Behind those of the strings: the labels with their fillers.
        self._labels = [place for place, one in enumerate(questions) if one.filled]
        for one in (questions[place] for place in self._labels):
            anchor = slotted_anchor(one.anchor, one.filled)
            templates.append(replace(bare_template(_question_tokens(one, True)), anchor=anchor))
        self._strings = replace(pack, templates=tuple(templates))
        self._contexts: list[list[Context]] = [[] for _ in questions]
        self._filled, self._sentences, self._seen = ([0] * len(questions) for _ in range(3))
        self.read = 0

    @property
    def is_complete(self) -> bool:
        """Return whether no article would add a context."""
        counts = zip(self._contexts, self._seen, strict=True)
        return all(len(places) == MAX_CONTEXTS or seen >= MAX_ALIKE for places, seen in counts)

    def add(self, document: Document) -> bool:
        """Look into an article; return whether there is a context of any question."""
        text = document.html if self._pack.html else document.text
        if text is None:
            return False
        encoded = self._pack.encode(text)
        columns = self._strings.find_strings(encoded)
        is_within = self._others.find(*self._pack.find_strings(encoded))
        first_spans: dict[int, tuple[int, int]] = {}
        filled_spans: dict[int, list[tuple[int, int]]] = {}
        for start, end, row in zip(*(column.tolist() for column in columns), strict=True):
            if row < len(self._questions):
                if row not in first_spans and not is_within(row, start, end):
                    first_spans[row] = start, end
            else:
                filled_spans.setdefault(self._labels[row - len(self._questions)], []).append((start, end))
        for index, span in first_spans.items():
            self._add_context(index, text, span, filled_spans.get(index, ()))
        self.read += 1
        return bool(first_spans)

    def _add_context(self, index: int, text: str, span: tuple[int, int], filled: Sequence[tuple[int, int]]) -> None:
        start, end = span
        first, last = next((one for one in filled if one[0] <= start and end <= one[1]), span)
        filler = text[first:start] or text[end:last]
        before, behind = words_beside(text, first, last, self._context)
        before, behind = before.rpartition("\n\n")[2], behind.partition("\n\n")[0]
        place = Context(before, text[start:end], filler, behind)
        self._filled[index] += bool(filler)
        self._sentences[index] += place.ends_sentence
        self._seen[index] += 1
        if len(self._contexts[index]) < MAX_CONTEXTS and place not in self._contexts[index]:
            self._contexts[index].append(place)

    def places_of(self, question: Question) -> list[Context]:
        """Return the places of one of the questions."""
        return self._contexts[self._questions.index(question)]

    def contexts_of(self, question: Question) -> list[tuple[str, str, str]]:
        """Return (before, string, behind) at the places of one of the questions."""
        contexts = []
        for before, found, filler, behind in self.places_of(question):
            if question.filled == "start":
                before = (before + filler)[-self._context :]
            else:
                behind = (filler + behind)[: self._context]
            contexts.append((before, found, behind))
        return contexts

    def count_sentences(self, question: Question) -> tuple[int, int]:
        """Return in how many articles the filler of a label ends a sentence, and in how many it has a filler."""
        index = self._questions.index(question)
        return self._sentences[index], self._filled[index]
