"""Expressions: those of tokens match the same in `re`, `regex` and RE2; those by hand take linear time."""

from __future__ import annotations

import re
import time

import re2
import regex

from common import texts
from common.choices import Choices
from common.session import instrumented, run
from common.written import written

with instrumented():
    from templatemine.text.linear import RefusedExpression, compile_linear
    from templatemine.text.literals import required_literal

from test_expressions import match_everywhere, readable_elsewhere

from strategies import mine_strings
from templatemine.errors import PackError
from templatemine.packs.pack_checks import compile_handwritten
from templatemine.text.expressions import for_re2

SURROGATES = re.compile("[\ud800-\udfff]")
NO_SPACE = re.compile("[\x1c-\x1f]")
"""White space in `re`, though not in Unicode."""

LONG, PATIENCE = 2_000, 2.0
"""Characters of a text, and seconds that no expression that is let in takes for it at one place."""

BACKTRACKS = re.compile(r"[*+?}].*[*+?}]|\{[^}]*[a-z]")
"""Expressions that `regex` may take long for, or reads as approximate ones."""

TEXTS = ("", "a", "ab", "aab\n", "x1 news\n", "a-b é語", "abababab", "\n\n", "news news\tx1x1", "AB", "a" * 30)


def of_tokens(choices: Choices) -> None:
    """On every occurrence in three engines; and each finds what the others find, wherever it is."""
    case = readable_elsewhere(texts.case(choices, choices.flag()))
    documents = (*case.texts, *case.others)
    for string in mine_strings(case, documents)[:8]:
        for number, start, end in string.occurrences[:3]:
            match_everywhere(case, string.forms, "", documents[number], start, end)
    for template in case.pack().templates:
        everywhere(template.regex, documents)


def everywhere(source: str, documents: tuple[str, ...]) -> None:
    """The matches of an expression, one after the other, in each engine."""
    plain, fuller = re.compile(source), regex.compile(source)
    third = None if SURROGATES.search(source) else re2.compile(for_re2(source))
    for text in documents:
        found = [match.span(1) for match in fuller.finditer(text)]
        if not NO_SPACE.search(text):
            assert [match.span(1) for match in plain.finditer(text)] == found, (source, text)
        if third is not None and not SURROGATES.search(text):
            assert [match.span(1) for match in third.finditer(text)] == found, (source, text)


def by_hand(choices: Choices) -> None:
    """The check never fails; what it lets in is fast, holds its literal, and means what it means to `regex`."""
    source = written(choices)
    refused = False
    try:
        compile_linear(source)
    except RefusedExpression:
        refused = True
    try:
        compiled = compile_handwritten(source, "here")
    except PackError:
        return
    assert not refused
    literal = required_literal(source)
    reference = None if BACKTRACKS.search(source) else regex.compile(source)
    start = time.thread_time()
    for text in (*TEXTS, ("a" * LONG), ("ab " * LONG)[:LONG], ("x1\n" * LONG)[:LONG]):
        found = compiled.find(text)
        if found is not None:
            assert literal in text or literal in text.lower(), (source, literal, text)
        if reference is not None and len(text) < LONG:
            match = reference.search(text)
            assert found == (match.span() if match else None), (source, text)
    taken = time.thread_time() - start
    assert taken < PATIENCE, f"{source}: {taken:.1f} s"


def one(data: bytes) -> None:
    choices = Choices(data)
    choices.pick((of_tokens, by_hand))(choices)


if __name__ == "__main__":
    run(one)
