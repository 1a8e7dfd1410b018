"""``templatemine ask``: puts the questions of packs to a person, and keeps the answers as rules of the packs."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from templatemine.cli import common, messages, pack_paths
from templatemine.controls import name_on_line
from templatemine.errors import CapacityError, CorpusError, counted
from templatemine.progress import report_reading

if TYPE_CHECKING:
    from templatemine.archive.apply_answers import QuestionContexts
    from templatemine.cli.parser import Parser
    from templatemine.desk.effects import Effects
    from templatemine.desk.library import Article
    from templatemine.model import Question, RejectedCandidate
    from templatemine.packs.pack import Pack
    from templatemine.report.terminal import Painter

DESCRIPTION = """\
Asks about uncertain strings: boilerplate, or part of the story? Those with most
at stake come first: the characters that an answer can be expected to change.
With --archive, each is shown in three articles, with what each answer would
change in the articles read (at most a hundred). The string is marked, by colour
or as [-this-], and what would go with a label as {-this-}. Packs of pages are
left out, unless --only names them: templates do not choose their main text.

The answers are kept in the packs, as rules that outlive another mining. Ten
questions take two minutes.

answers, each with the Enter key:
  b   boilerplate: cut it; a label goes with what follows on its line
  l   cut the label only (asked of labels)
  s   it belongs to the story: leave it in
      nothing: do not know; ask me another time
  q   stop; what was answered is kept
  ?   say what the keys do

--reject and --accept ask nothing. They keep the decision that a template is
part of the story, or that a string is cut. Commands such as explain, show,
report and update tell its id. The last decision about a string counts, whatever
is mined later. If several packs have a rejected candidate, --only names the one
meant.
"""
_KEYS = DESCRIPTION.partition("Enter key:\n")[2].partition("\n\n")[0] + "\n"

_MAX_QUESTIONS = 10
_ANSWER_KEYS = {"b": "boilerplate", "l": "label", "s": "story"}
_ANSWER_WORDS = {"boilerplate": "cut", "label": "cut the label only", "story": "leave in"}
_FILLED_WORDS = {"end": "cut, with what follows on its line", "start": "cut, with what precedes it on its line"}
_MAX_SAMPLE = 100
"""Articles of a source in which answers are measured: enough for "most", and read in seconds."""
_CONTEXT = 60
"""Characters shown on each side of a string."""

COMMON = ("--archive", "--only", "--reject", "--accept", "--limit", "--by", "--list", "--json")

NEEDS = common.archive_needs("--only asks about one source")


def add(parser: Parser) -> None:
    """Add the options."""
    common.add_packs_and_archive(parser, common.PACKS_HELP)
    common.add_only_option(parser, "ask about this source only")
    parser.add_argument(
        "--reject", metavar="ID", action="append", help="no longer cut this template; ask nothing; may be repeated"
    )
    parser.add_argument(
        "--accept",
        metavar="ID",
        action="append",
        help="cut this template, which mining or an update rejected; ask nothing; may be repeated",
    )
    common.add_number(parser, "--limit", 1, _MAX_QUESTIONS, "questions about each source", short="-n")
    parser.add_argument("--by", metavar="NAME", help="who answers (default: your name on this machine)")
    parser.add_argument("--list", action="store_true", help="print the questions, ask nothing")
    parser.add_argument("--json", action="store_true", help="print the questions as JSON, ask nothing")
    common.add_input_options(parser)
    common.add_reading_options(parser, "no counts of answers; skipped documents are still printed")


@dataclass(kw_only=True)
class _Sample:
    """Articles of a source: where its strings stand, and those with any of them, in which answers are measured."""

    pack: Pack
    file: str
    contexts: QuestionContexts
    articles: list[Article] = field(default_factory=list)

    @property
    def is_enough(self) -> bool:
        """Return whether no more articles need to be read."""
        return self.contexts.is_complete and self.contexts.read >= min(_MAX_SAMPLE, self.pack.documents)

    @cached_property
    def _rejected(self) -> list[RejectedCandidate]:
        from templatemine.archive.decide import rejected_beside

        return [*rejected_beside(self.file)]

    @cached_property
    def _effects(self) -> Effects:
        from templatemine.desk.effects import Effects, SlowArticles

        while True:
            try:
                return Effects(self.pack, (*self.pack.templates, *self.pack.overrides.removed), self.articles)
            except SlowArticles as slow:
                self.articles = [one for one in self.articles if one not in slow.articles]

    @cached_property
    def _before(self) -> list[int]:
        from templatemine.desk.effects import count_cuts

        return count_cuts(self.pack, self.articles)

    def measure(self, question: Question) -> dict[str, dict[str, int]]:
        """Measure what each answer would change."""
        from templatemine.desk.effects import measure_answers

        effects = self._effects  # first, for it leaves out articles
        return measure_answers(self.pack, self._rejected, question, self.articles, effects, self._before)


def run(args: argparse.Namespace, terminal: messages.Terminal) -> None:
    """Look for the strings in the archive, ask, save after each source."""
    from templatemine.archive.apply_answers import QuestionContexts, open_questions
    from templatemine.archive.decide import save_answers
    from templatemine.desk.store import user_name, utc_now
    from templatemine.packs.pack_folder import PackFiles
    from templatemine.report.terminal import Painter

    files = PackFiles(pack_paths.find_packs(args.packs), errors="skip")
    packs = files.load_all(terminal.skip_bad_pack)
    named = common.choose_packs(args, packs, files)
    if args.reject or args.accept:
        _decide_by_id(args, terminal, {source: files.files[source] for source in named})
        return
    pages = [] if args.only else [source for source in packs if packs[source].html]
    if pages:
        terminal.say(
            f"nothing is asked about {counted(len(pages), 'pack')} of pages: their templates cut only in clean --html "
            "strip, for which --only asks about one"
        )
    chosen = args.only or [source for source in packs if source not in pages]
    found = {source: open_questions(packs[source])[: args.limit] for source in chosen}
    stakes = {source: max((one.stake for one in questions), default=0) for source, questions in found.items()}
    asked = {source: found[source] for source in sorted(found, key=lambda source: -stakes[source]) if found[source]}
    if not asked and not args.json:
        if len(pages) < len(packs):
            answered = any(packs[source].questions for source in chosen)
            none = "the packs have no questions: no uncertain string has much at stake, or the method gives no scores"
            terminal.say(f"nothing to ask: {'all questions are answered' if answered else none}")
        return
    seen = {
        source: _Sample(
            pack=packs[source],
            file=files.files[source],
            contexts=QuestionContexts(packs[source], questions, _CONTEXT),
        )
        for source, questions in asked.items()
    }
    _collect_contexts(args, terminal, seen)
    if args.json:
        told = [_question_json(packs[source], one, seen[source].contexts) for source in asked for one in asked[source]]
        messages.print_text(json.dumps({"questions": told}, indent=1) + "\n")
        return
    if not args.archive:
        terminal.say(
            "strings are shown without context; --archive INPUT shows them in articles, and what goes with a label"
        )
    if not (args.list or (sys.stdin and sys.stdin.isatty())):
        terminal.say("no terminal: answers are read from standard input, a line each: b, l, s, q or nothing, to pass")
    painter, whose = Painter(messages.shows_colours(sys.stdout)), args.by or user_name()
    kept = 0
    for source, questions in asked.items():
        file = seen[source].file
        messages.print_text(painter.title(f"{source}: {counted(len(questions), 'question')}") + "\n")
        answers, more = _ask_questions(args, questions, seen[source], painter)
        if answers:
            save_answers(file, answers, whose, utc_now())
            kept += len(answers)
            terminal.say(f"{messages.escape_line(file)}: {counted(len(answers), 'answer')} kept")
        if not more:
            break
    if not args.list:
        terminal.say(f"{counted(kept, 'answer')} in all")


def _collect_contexts(args: argparse.Namespace, terminal: messages.Terminal, seen: Mapping[str, _Sample]) -> None:
    """Read the archive until all strings were seen often enough."""
    from templatemine.desk.library import Article

    if not args.archive:
        return
    sources: set[str] = set()
    with terminal.progress() as steps:
        for record in report_reading(common.read_archive(args, terminal), steps):
            document = record.document
            sources.add(document.source)
            sample = seen.get(document.source)
            if sample is not None and not sample.is_enough:
                try:
                    if sample.contexts.add(document):
                        sample.articles.append(Article(document=document))
                except CapacityError as error:
                    terminal.reader_report(
                        CorpusError(f"cannot be searched: {error}", f"{document.source}: {document.id}")
                    )
            if all(one.is_enough for one in seen.values()):
                break
        else:
            common.check_only(args, sources)
    terminal.tell_more_skipped()


def _ask_questions(
    args: argparse.Namespace, questions: list[Question], sample: _Sample, painter: Painter
) -> tuple[list[tuple[Question, str]], bool]:
    """Ask the questions of a source; return the answers, and whether to go on with the next source."""
    from templatemine.archive.apply_answers import possible_answers

    answers: list[tuple[Question, str]] = []
    for place, question in enumerate(questions):
        messages.print_text("\n".join(_format_question(place + 1, len(questions), question, sample, painter)) + "\n")
        if args.list:
            continue
        able = possible_answers(question)
        keys = {key: answer for key, answer in _ANSWER_KEYS.items() if answer in able}
        words = _answer_words(question)
        choices = ", ".join(f"{key} = {words[answer]}" for key, answer in keys.items())
        for line in _read_lines(f"{choices}, q = stop, ? = help, or Enter to pass: "):
            key = line.strip().lower()
            if key == "q":
                return answers, False
            if not key or key in keys:
                answers += [(question, keys[key])] if key else []
                break
            told = f"{messages.escape_line(key[:20])!r} is none of {', '.join(keys)}, q, ? and Enter\n"
            messages.print_text(_KEYS if key == "?" else told)
        else:
            return answers, False
    return answers, True


def _answer_words(question: Question) -> dict[str, str]:
    """Return what each answer to a question means."""
    return {**_ANSWER_WORDS, "boilerplate": _FILLED_WORDS.get(question.filled, "cut")}


def _read_lines(prompt: str) -> Iterator[str]:
    """Yield lines of standard input until its end, each after the prompt."""
    while True:
        messages.print_text(prompt)
        messages.flush_output()
        line = sys.stdin.readline() if sys.stdin else ""
        if not line:
            messages.print_text("\n")
            return
        yield line


def _format_question(number: int, of: int, question: Question, sample: _Sample, painter: Painter) -> list[str]:
    from templatemine.archive.apply_answers import Context, describe_removal, describe_stake
    from templatemine.packs.readable import join_tokens

    pack = sample.pack
    what = "a label" if question.filled else "a string"
    state = describe_removal(pack, question)
    head = (
        f"{number} of {of}: {what}, in {question.df:,} of {pack.documents:,} documents, {state} today, "
        f"{question.score:.0%} likely boilerplate"
    )
    string = messages.escape_line(join_tokens(question.tokens, question.example))
    lines = ["", painter.title(head), f"  asked because {describe_stake(question)}", f"  {string}"]
    places = sample.contexts.places_of(question)
    # Of a string without patterns the example says nothing more.
    told = question.example and string != messages.escape_line(question.example)
    example = [Context("", question.example, "", "")] if told else []
    for before, found, filler, behind in places or example:
        label, rest = painter.cut(name_on_line(found)), painter.filler(name_on_line(filler)) if filler else ""
        marked = rest + label if question.filled == "start" else label + rest
        lines.append(f"  | {name_on_line(before)}{marked}{name_on_line(behind)}")
    if any(place.filler for place in places):
        lines.append(f"  marked: {painter.cut('goes with b and l')}, {painter.filler('goes with b alone')}")
    return [*lines, *_format_effects(question, sample)] if places else lines


def _format_effects(question: Question, sample: _Sample) -> list[str]:
    """Say what each answer would change in the articles that were read, and warn of one that would cut sentences."""
    lines = []
    for answer, did in sample.measure(question).items():
        key = next(key for key, name in _ANSWER_KEYS.items() if name == answer)
        verb = "keep" if did["characters"] < 0 else "lose"
        some = f"{counted(did['articles'], 'article')} {verb}{'s' if did['articles'] == 1 else ''}"
        told = f"{some} {counted(abs(did['characters']), 'character')} more" if did["articles"] else "changes nothing"
        lines.append(f"  {key} ({_answer_words(question)[answer]}): {told}")
    lines.append(f"  in {counted(sample.contexts.read, 'article')} that were read")
    sentences, filled = sample.contexts.count_sentences(question)
    if 2 * sentences > filled:
        lines.append(
            f"  careful: in {sentences:,} of {counted(filled, 'article')} what b would cut with the label ends a "
            "sentence, and is probably one of the story: l cuts the label only"
        )
    return lines


def _question_json(pack: Pack, question: Question, seen: QuestionContexts) -> dict[str, Any]:
    """Return a question, its current cut, the answers that it takes, and the places of its string."""
    from templatemine.archive.apply_answers import current_removal, possible_answers

    return {
        "source": pack.source,
        **messages.facts_of(question, "tokens", "df", "count", "anchor", "filled", "score", "stake"),
        "removed_today": current_removal(pack, question) or None,
        "answers": list(possible_answers(question)),
        "fillers": [place.filler for place in seen.places_of(question)],
        "places": [list(place) for place in seen.contexts_of(question) or [("", question.example, "")]],
    }


def _decide_by_id(args: argparse.Namespace, terminal: messages.Terminal, files: Mapping[str, str]) -> None:
    """Reject and accept strings by their ids in the packs that know them; nothing is saved if an id is in none."""
    from templatemine.archive.decide import find_decisions, save_decisions
    from templatemine.desk.store import user_name, utc_now
    from templatemine.packs.readable import shorten

    found = find_decisions(files, args.reject or (), args.accept or (), named=bool(args.only))
    for source, decisions in found.items():
        gone = save_decisions(files[source], decisions, args.by or user_name(), utc_now())
        told = [(one.id, one.text, one.does) for one in decisions]
        decided = {one.id for one in decisions}
        for name, text, does in told + [(*one, "is cut no more") for one in gone if one[0] not in decided]:
            terminal.say(f"{messages.escape_line(f'{source}: {name} {shorten(text, _CONTEXT)}')} {does}")
