"""Small archives out of choices: tokens, forms, maximal strings, segments and how often strings stand, against their slow twins."""

from __future__ import annotations

from collections import Counter

import numpy as np
from test_grow import by_sorting, grown
from test_scan import line_starts, native_tokens
from test_segments import flat

import reference
from common import texts
from common.choices import Choices
from common.session import run
from strategies import closed, mine_strings, scan
from templatemine.mining import _candidates
from templatemine.text.patterns import pattern_set

FORMS = 12
TRAITS = (0, 2, 3, 5, 7, 512, 1024, 1025, 2 | 2048, 512 | 2, 256)
MOST = 36
"""Symbols of an archive; the twin takes time in their cube."""


def tokens(choices: Choices) -> None:
    """Of a text: where they stand, their forms, and which of them begin a line."""
    html = choices.flag()
    preset, separators = texts.setting(choices)
    text, patterns = texts.text(choices, html), pattern_set(preset)
    expected = reference.tokens(text, separators, patterns, html)
    assert native_tokens(text, separators, patterns, html) == [(one.start, one.end, one.kind) for one in expected]
    assert scan(text, patterns, separators, html)[1] == reference.forms(text, separators, patterns, html)
    if expected:
        first = [True, *(one.first for one in expected[1:])]
        assert line_starts(text, separators, patterns, html) == first


def archive(choices: Choices) -> None:
    """Texts through the stages to maximal strings, and every occurrence of each."""
    case = texts.case(choices, choices.flag())
    documents = (*case.texts, *case.others)
    if case.own:
        return  # the twin of the tokeniser knows nothing of them
    forms = [reference.forms(text, case.separators, case.patterns, case.html) for text in documents]
    number = {form: place for place, form in enumerate(dict.fromkeys(form for one in forms for form in one), 1)}
    names = {place: form for form, place in number.items()}
    if sum(map(len, forms)) > 2 * MOST:
        return
    wanted = reference.maximal_strings([[number[form] for form in one] for one in forms])
    found = {one.forms: (len(one.occurrences), one.df) for one in mine_strings(case, documents)}
    assert found == {tuple(names[place] for place in string): row for string, row in wanted.items()}
    for one in mine_strings(case, documents):
        assert Counter(one.occurrences).most_common(1)[0][1] == 1, "each occurrence once"


def symbols_of(choices: Choices, symbols: int, most: int) -> list[list[int]]:
    """Documents of a symbol a byte; every so many of the values end one."""
    documents: list[list[int]] = [[]]
    for byte in choices.rest()[:most]:
        if byte % (symbols + 1) == symbols:
            documents.append([])
        else:
            documents[-1].append(byte % (symbols + 1))
    return documents


def strings(choices: Choices) -> None:
    """Maximal strings of archives of symbols, grown and sorted; symbol 0 is a break."""
    min_tokens, min_df = choices.number(5), choices.number(5)
    documents = symbols_of(choices, 2 + choices.number(4), MOST)
    symbols, doc_of = closed(documents)
    by_growing = grown(symbols, doc_of, min_tokens, min_df)
    assert by_growing == by_sorting(symbols, doc_of, min_tokens, min_df)
    wanted = reference.maximal_strings(documents, min_tokens, min_df)
    assert {string: row[:2] for string, row in by_growing.items()} == wanted


def segments(choices: Choices) -> None:
    """Segments of documents of forms, and how often strings stand in them."""
    lines = choices.flag()
    traits = [choices.pick(TRAITS) for _ in range(FORMS)]
    gaps = [choices.number(MOST) for _ in range(choices.number(4))]
    looked = choices.some(lambda: choices.some(lambda: choices.number(FORMS), 4, 1), 6)
    documents = symbols_of(choices, FORMS, 3 * MOST)
    forms, starts = flat(documents)
    at = np.array(sorted({gap for gap in gaps if gap < len(forms)}), np.int64)
    owner = np.searchsorted(starts, at, side="right") - 1
    pairs = {(int(number), int(place - starts[number])) for number, place in zip(owner, at, strict=True)}
    tokens, bounds, document, begins, _ = _candidates.cut_segments(
        forms, starts, np.array(traits, np.uint16), at, lines
    )
    found: list[list[tuple[bool, list[int]]]] = [[] for _ in documents]
    for number, home in enumerate(document.tolist()):
        found[home].append((bool(begins[number]), tokens[bounds[number] : bounds[number + 1]].tolist()))
    assert found == reference.segments(documents, traits, pairs, lines)
    if looked:
        counts = _candidates.count_occurrences(forms, starts, *flat(looked), FORMS)
        assert counts.tolist() == reference.counted(documents, looked)


def one(data: bytes) -> None:
    choices = Choices(data)
    choices.pick((tokens, archive, strings, segments))(choices)


if __name__ == "__main__":
    run(one)
