"""Verdicts on strings: hand-built rows, one threshold varied at a time."""

from __future__ import annotations

import numpy as np
import pytest

from templatemine.config import EvidenceConfig
from templatemine.mining.features import (
    ACCEPTED,
    CONTENT,
    KINDS,
    LOOSE,
    POOR,
    RARE,
    REASONS,
    SHARED,
    TABLE,
    Evidence,
    fewest,
    judge,
    kinds,
    reaches,
)
from templatemine.model import Repeats

N = 1000
FLOATS = (
    "starts",
    "ends",
    "lines",
    "after_close",
    "closes",
    "prose",
    "within",
    "near_end",
    "near_begin",
    "tabular",
    "before_opening",
    "information",
)
FLAGS = ("ends_value", "holds_value", "holds_figure", "formula", "code", "announces")
Row = dict[str, float]

NOTHING: Row = {
    **dict.fromkeys((*FLOATS, *FLAGS, "own_script", "mutable"), 0.0),
    "bound": 0.1,
    "information": 40.0,
    "length": 4,
    "df": 50,
}
LINE: Row = {**NOTHING, "starts": 1, "ends": 1, "lines": 1, "after_close": 1, "closes": 1, "df": 8, "length": 6}
# Begins lines of prose, closed on the right: "WASHINGTON (Reuters) -".
DATELINE: Row = {**NOTHING, "starts": 1, "after_close": 1, "closes": 1, "prose": 0.9, "df": 20}
# Ends lines that are no prose: "contributed to this report."
CREDIT: Row = {**NOTHING, "ends": 1, "closes": 1, "after_close": 0.2, "prose": 0.05, "df": 20}
PART: Row = {**NOTHING, "ends": 0.7, "lines": 0.5, "prose": 0.25, "bound": 0.8, "information": 20.0}
QUIET: Row = {**NOTHING, "prose": 0.1, "bound": 0.9, "information": 20.0, "df": 12}
PHRASE: Row = {**NOTHING, "prose": 0.9, "bound": 0.9, "after_close": 0.95, "information": 55.0}
# "NAME contributed to this report from PLACE", and a sentence at the end of a paragraph that changes its last words.
NEAR: Row = {**NOTHING, "near_end": 1, "near_begin": 1, "df": 12}
TAIL: Row = {**NOTHING, "near_end": 1, "after_close": 0.95, "prose": 1, "information": 55.0, "df": 12}
# A title follows: "To listen, click here and then on play. To hear ...".
STOCK: Row = {**NOTHING, "prose": 0.9, "after_close": 0.95, "information": 105.0, "df": 25}
MARK: Row = {**NOTHING, "starts": 1, "after_close": 1, "bound": 1, "information": 10.0, "df": 12, "length": 1}
BY_KIND = {
    "line": LINE,
    "edge": DATELINE,
    "part": PART,
    "quiet": QUIET,
    "near": NEAR,
    "phrase": PHRASE,
    "stock": STOCK,
    "mark": MARK,
}


def columns(row: Row, prose: float = 1.0, capitals: float = 0.1) -> tuple[Evidence, Repeats]:
    """A string, and a word that tells how much of its source stands in prose, and how often capitals follow there."""
    two = [
        row,
        {**row, "prose": prose, "closes": 0, "before_opening": capitals, "length": 1, "df": N, "count": 1_000_000},
    ]

    def column(name: str, kind: type) -> np.ndarray[tuple[int], np.dtype[np.generic]]:
        return np.array([one.get(name, one["df"]) for one in two]).astype(kind)

    floats = {name: column(name, np.float32) for name in (*FLOATS, "own_script", "mutable", "bound")}
    flags = {name: column(name, np.bool_) for name in FLAGS}
    evidence = Evidence(**floats, **flags, rate=np.full(2, 1e-4, np.float32))  # type: ignore[arg-type]
    length, count, df = (column(name, np.int32) for name in ("length", "count", "df"))
    return evidence, Repeats(rank=np.zeros(2, np.int64), length=length, count=count, df=df)


def verdict(row: Row, elsewhere: float = 0.0, in_prose: float = 0.0, documents: int = N) -> int:
    rates = (np.array([rate], np.float32) for rate in (elsewhere, in_prose))
    return int(judge(*columns(row), *rates, documents, EvidenceConfig())[0][0])


def kinds_of(row: Row, prose: float = 1.0, capitals: float = 0.1) -> set[str]:
    none = np.zeros(1, np.float32)
    return {
        name
        for name, found in kinds(*columns(row, prose, capitals), none, none, N, EvidenceConfig()).items()
        if found[0]
    }


def test_kinds_are_named() -> None:
    none = np.zeros(1, np.float32)
    assert tuple(kinds(*columns(LINE), none, none, N, EvidenceConfig())) == KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_accepted(kind: str) -> None:
    assert kind in kinds_of(BY_KIND[kind])
    assert verdict(BY_KIND[kind]) == ACCEPTED


def test_which_strings_nothing_holds_but_what_they_say() -> None:
    none = np.zeros(1, np.float32)
    rows = (NEAR, True), (TAIL, True), (STOCK, True), ({**NEAR, "bound": 0.6}, False), (PHRASE, False), (LINE, False)
    for row, unheld in rows:
        assert judge(*columns(row), none, none, N, EvidenceConfig())[1][0] == unheld


def test_a_mark_may_stand_at_either_edge() -> None:
    assert verdict({**MARK, "starts": 0.6, "after_close": 0.6, "ends": 0.4}) == ACCEPTED


def test_what_stands_in_tables_is_content_unless_too_many_documents_have_it() -> None:
    row = {**LINE, "tabular": 0.9}
    assert verdict(row) == verdict({**row, "df": 99}) == TABLE
    assert verdict({**row, "df": 100}) == ACCEPTED
    assert verdict({**row, "df": 499, "holds_figure": 1}) == TABLE
    assert verdict({**row, "df": 500, "holds_figure": 1}) == ACCEPTED
    assert verdict({**row, "tabular": 0.4}) == ACCEPTED
    assert verdict({**row, "information": 11.0}) == POOR


def test_the_end_of_a_line_that_is_no_prose_needs_no_punctuation_before_it() -> None:
    assert verdict(CREDIT) == ACCEPTED


@pytest.mark.parametrize(
    ("row", "change", "reason"),
    [
        (LINE, {"df": 2}, RARE),
        (LINE, {"prose": 1.0, "df": 4}, RARE),
        (LINE, {"information": 11.0}, POOR),
        (LINE, {"lines": 0.5, "starts": 0.5, "ends": 0.5}, LOOSE),
        (DATELINE, {"df": 5}, RARE),
        (DATELINE, {"starts": 0.85}, LOOSE),
        (DATELINE, {"closes": 0.8}, RARE),
        (DATELINE, {"information": 15.0}, RARE),
        (DATELINE, {"information": 20.0, "df": 11}, RARE),
        (CREDIT, {"prose": 0.5}, RARE),
        (CREDIT, {"announces": 1}, RARE),
        (CREDIT, {"ends_value": 1}, RARE),
        (PART, {"ends": 0.45, "prose": 0.35}, LOOSE),
        (PART, {"prose": 0.35}, LOOSE),
        (PART, {"bound": 0.4}, LOOSE),
        (PART, {"df": 9}, LOOSE),
        (QUIET, {"df": 9}, LOOSE),
        (QUIET, {"prose": 0.3}, LOOSE),
        (QUIET, {"information": 15.0}, LOOSE),
        (PHRASE, {"df": 9}, LOOSE),
        (PHRASE, {"bound": 0.4}, LOOSE),
        (PHRASE, {"information": 49.0}, LOOSE),
        (PHRASE, {"after_close": 0.8}, LOOSE),
        (STOCK, {"df": 19}, LOOSE),
        (STOCK, {"information": 99.0}, LOOSE),
        (STOCK, {"after_close": 0.8}, LOOSE),
        (STOCK, {"own_script": 0.6}, LOOSE),
        (NEAR, {"df": 9}, LOOSE),
        (NEAR, {"near_end": 0.9}, LOOSE),
        (NEAR, {"near_begin": 0.9}, LOOSE),
        (NEAR, {"prose": 0.3}, LOOSE),
        (NEAR, {"information": 35.0}, LOOSE),
        (NEAR, {"own_script": 0.6}, LOOSE),
        (TAIL, {"after_close": 0.8}, LOOSE),
        (TAIL, {"near_end": 0.9}, LOOSE),
        (TAIL, {"information": 49.0}, LOOSE),
        (MARK, {"df": 5}, POOR),
        (MARK, {"starts": 0.9}, POOR),
        (MARK, {"starts": 0.6, "ends": 0.36, "lines": 0.02}, POOR),
        (MARK, {"information": 8.0}, POOR),
        (MARK, {"prose": 0.3}, POOR),
    ],
)
def test_each_threshold_matters(row: Row, change: Row, reason: int) -> None:
    assert REASONS[verdict({**row, **change})] == REASONS[reason]


@pytest.mark.parametrize("row", [DATELINE, QUIET, PHRASE, STOCK])
def test_what_other_sources_say_in_their_prose_is_no_template(row: Row) -> None:
    assert verdict(row, in_prose=1e-4) == SHARED
    assert verdict(row, in_prose=1e-4 / 2**8) == ACCEPTED
    assert verdict(row, elsewhere=1.0) == ACCEPTED  # outside prose others may have it: boilerplate everywhere


def test_a_string_that_keeps_to_the_edge_of_lines_that_are_no_prose_needs_less() -> None:
    assert verdict({**MARK, "count": 50}, in_prose=1e-4 / 2**3) == ACCEPTED
    assert verdict({**DATELINE, "count": 50}, in_prose=1e-4 / 2**3) == SHARED


def test_few_occurrences_tell_a_rate_badly() -> None:
    """Three short sentences of one source end with "to a request for comment.", which others say a bit less often."""
    for count, bits in ((3, 3.94), (12, 2.67), (50, 2.29), (500, 2.09)):
        row = {**CREDIT, "df": 3, "count": count}
        assert verdict(row, in_prose=1e-4 / 2 ** (bits - 0.05), documents=500) == SHARED
        assert verdict(row, in_prose=1e-4 / 2 ** (bits + 0.05), documents=500) == ACCEPTED


def test_a_whole_line_may_stand_in_other_sources() -> None:
    assert verdict(LINE, elsewhere=1e-4) == ACCEPTED
    assert verdict({**LINE, "information": 20.0}, elsewhere=1e-4) != ACCEPTED
    assert verdict({**LINE, "information": 20.0, "df": 20}, elsewhere=1e-4) == ACCEPTED


def test_lines_that_end_in_numbers_and_formulas_of_prose_are_content() -> None:
    assert verdict({**LINE, "ends_value": 1}) == CONTENT
    assert verdict({**LINE, "ends_value": 1, "df": 20}) == ACCEPTED
    formula = {**LINE, "prose": 1.0, "mutable": 0.5}
    assert verdict(formula) == CONTENT
    assert verdict({**formula, "df": 20}) == ACCEPTED
    assert verdict({**formula, "mutable": 0.2}) == ACCEPTED


def test_formulas_of_prose_are_content_at_an_edge_too() -> None:
    # "the Nasdaq recorded 36 new highs and 59 new lows."
    formula = {**DATELINE, "formula": 1, "df": 9}
    assert verdict(formula) == CONTENT
    assert verdict({**formula, "df": 10}) == ACCEPTED
    assert verdict({**formula, "prose": 0.4}) == ACCEPTED


@pytest.mark.parametrize("row", [LINE, CREDIT, PHRASE])
def test_code_is_content_unless_too_many_documents_have_it(row: Row) -> None:
    assert verdict({**row, "code": 1, "df": 99}) == CONTENT
    assert verdict({**row, "code": 1, "df": 100}) == ACCEPTED
    listing = {**row, "code": 1, "tabular": 0.6}
    assert verdict({**listing, "df": 499}) == TABLE
    assert verdict({**listing, "df": 500}) == ACCEPTED


def test_who_speaks_and_what_is_listed_is_content() -> None:
    name = {**LINE, "count": 24}  # eight interviews, three answers each
    assert verdict(name) == CONTENT
    assert verdict({**name, "count": 23}) == ACCEPTED
    # Who asks is named in sentences, too: "The Ezra Klein Show".
    asks = {**PART, "count": 150}
    assert verdict(asks) == CONTENT
    assert verdict({**asks, "lines": 0.4}) == ACCEPTED
    # What stands between the paragraphs of one article in ten is no name: "Advertisement".
    assert verdict({**name, "df": 99, "count": 400}) == CONTENT
    assert verdict({**name, "df": 100, "count": 400}) == ACCEPTED
    speaker = {**DATELINE, "count": 60}
    assert verdict(speaker) == CONTENT
    assert verdict({**speaker, "df": 499, "count": 1500}) == CONTENT
    assert verdict({**speaker, "df": 500, "count": 1500}) == ACCEPTED
    assert verdict({**speaker, "prose": 0.1}) == ACCEPTED
    assert verdict({**CREDIT, "count": 60}) == ACCEPTED


@pytest.mark.parametrize(("documents", "least"), [(1, 3), (10, 3), (80, 3), (81, 4), (280, 4), (281, 5), (500_000, 5)])
def test_small_sources_ask_for_fewer_documents(documents: int, least: int) -> None:
    assert fewest(documents, EvidenceConfig()) == least
    if documents <= 300:
        short = {**DATELINE, "information": 20.0}
        assert verdict({**short, "df": least}, documents=documents) == ACCEPTED
        assert verdict({**short, "df": least - 1}, documents=documents) != ACCEPTED


def test_what_says_much_at_the_edge_of_lines_that_are_no_prose_needs_no_more_documents_than_a_line() -> None:
    assert verdict({**CREDIT, "df": 3}, documents=500) == ACCEPTED
    assert verdict({**CREDIT, "df": 2}, documents=500) == RARE
    assert verdict({**CREDIT, "df": 3, "information": 35.0}, documents=500) == RARE
    assert verdict({**DATELINE, "df": 4}, documents=500) == RARE


def test_a_verb_before_a_quotation_is_no_mark() -> None:
    """ "As the Courier explains:" ends lines of prose, and of headlines."""
    verb = {**MARK, "starts": 0.0, "ends": 1, "closes": 1, "after_close": 0.1, "announces": 1}
    assert verdict(verb) == POOR
    assert verdict({**verb, "announces": 0}) == ACCEPTED
    assert verdict({**verb, "after_close": 0.9}) == ACCEPTED


def test_what_punctuation_closes_on_both_sides_is_no_part_of_the_prose_beside_it() -> None:
    """A gallery that a parser wrote into one line: "... on the beach. Hide Caption 3 of 24 Photos: ..."."""
    gallery = {**NOTHING, "after_close": 0.95, "closes": 1, "prose": 1, "count": 1500}
    assert verdict(gallery) == ACCEPTED
    for change in ({"df": 49}, {"information": 35.0}, {"after_close": 0.8}, {"closes": 0.8}, {"own_script": 1.0}):
        assert verdict({**gallery, **change}) == LOOSE
    assert verdict(gallery, in_prose=1e-4 / 2**6) == SHARED


def test_what_stands_between_sentences_and_ends_none_is_boilerplate() -> None:
    # "... said. Story continues below The minister ..."
    call = {**NOTHING, "prose": 1, "within": 1, "after_close": 0.95, "before_opening": 0.95, "information": 36.0}
    assert kinds_of({**call, "df": 50}) == {"phrase"}
    assert kinds_of({**call, "df": 49}) == set()
    for name in ("after_close", "before_opening"):
        assert kinds_of({**call, name: 0.85}) == set()
    assert kinds_of({**call, "within": 0.4}) == kinds_of({**call, "closes": 0.5}) == set()
    assert kinds_of({**call, "mutable": 1.0}) == kinds_of({**call, "own_script": 0.6}) == set()
    assert kinds_of(call, capitals=0.19) == {"phrase"}
    assert kinds_of(call, capitals=0.21) == set()
    word = {**call, "length": 1, "information": 9.0}
    assert kinds_of({**word, "df": 100}) == {"phrase"}
    assert kinds_of({**word, "df": 99}) == set()


def test_a_word_that_announces_something_is_boilerplate_within_prose_too() -> None:
    """ "Read: How the border moved", on a line of its own and behind a sentence."""
    kicker = {**MARK, "starts": 0.7, "closes": 1, "prose": 0.4, "announces": 1, "df": 50}
    assert verdict(kicker) == ACCEPTED
    assert verdict({**kicker, "length": 2, "bound": 0.6}) == ACCEPTED
    assert verdict({**kicker, "count": 149}) == ACCEPTED
    changes = (
        {"df": 49},
        {"announces": 0},
        {"after_close": 0.8},
        {"information": 8.0},
        {"length": 2, "bound": 0.4},
        {"count": 150},  # who speaks in interviews
        {"own_script": 1.0},
    )
    for change in changes:
        assert verdict({**kicker, **change}) == POOR
    assert verdict(kicker, in_prose=1e-4 / 2**6) == SHARED


def test_a_word_that_announces_something_at_the_beginning_of_paragraphs_is_a_mark() -> None:
    """ "UPDATE: The office has since said that ..."."""
    kicker = {**MARK, "closes": 1, "prose": 0.9, "announces": 1}
    assert verdict({**kicker, "df": 6}) == ACCEPTED
    for change in ({"df": 5}, {"starts": 0.9}, {"announces": 0}, {"information": 8.0}):
        assert verdict({**kicker, **change}) == POOR
    assert verdict({**kicker, "count": 36}) == CONTENT  # who speaks in interviews
    assert verdict(kicker, in_prose=1e-4 / 2**6) == SHARED


def test_where_little_is_prose_words_at_the_edges_of_lines_must_be_frequent() -> None:
    """Of a poem or a ticker every line begins with a word that begins a sentence, and none stands in prose."""
    for prose, least in ((0.6, 6), (0.4, 100)):
        assert "mark" in kinds_of({**MARK, "df": least}, prose)
        assert "mark" not in kinds_of({**MARK, "df": least - 1}, prose)
        assert "mark" in kinds_of({**MARK, "closes": 1, "df": 6}, prose)


def test_a_word_that_is_a_line_needs_few_bits_where_it_is_frequent() -> None:
    """A word of each tenth article of a hundred words says ten bits: "Advertisement"."""
    word = {**LINE, "length": 1, "information": 7.0}
    assert verdict({**word, "df": 100}) == ACCEPTED
    assert verdict({**word, "df": 99}) == POOR
    assert verdict({**word, "df": 900, "count": 2699}) == ACCEPTED
    assert verdict({**word, "df": 900, "count": 2700}) == POOR  # "A", before each answer of an interview
    assert verdict({**word, "df": 900, "mutable": 1.0}) == POOR  # a number on a line of its own


def test_what_half_of_the_documents_have_once_is_told_by_that() -> None:
    for row in (QUIET, MARK):
        often = {**row, "information": 7.0, "df": 500}
        assert verdict(often) == ACCEPTED
        assert verdict({**often, "count": 625}) == ACCEPTED
        for change in {"df": 499}, {"count": 626}, {"prose": 0.3}, {"own_script": 1.0}, {"mutable": 1.0}:
            assert verdict({**often, **change}) == POOR


def test_a_label_stands_before_what_changes_in_half_of_the_documents() -> None:
    """What tags follow, glued to the last line: "... he said. Tags economy Berlin"."""
    label = {**NOTHING, "after_close": 0.95, "near_end": 0.99, "information": 8.0, "df": 500, "length": 1}
    assert verdict(label) == ACCEPTED
    assert verdict({**label, "after_close": 0, "near_end": 0, "closes": 0.95, "near_begin": 0.99}) == ACCEPTED
    for change in {"after_close": 0.8}, {"near_end": 0.9}, {"df": 499}, {"count": 626}, {"prose": 0.3}:
        assert verdict({**label, **change}) != ACCEPTED
    assert verdict({**label, "near_end": 0, "near_begin": 0.99}) != ACCEPTED


def test_one_token_is_no_part_of_a_line() -> None:
    """A word of headlines is bound to itself; marks have their own rule."""
    word = {**PART, "bound": 1.0}
    assert verdict(word) == ACCEPTED
    assert verdict({**word, "length": 1}) == LOOSE


def test_a_rare_passage_is_content() -> None:
    assert verdict({**LINE, "information": 1100.0}) == CONTENT
    assert verdict({**LINE, "information": 1100.0, "df": 10}) == ACCEPTED


def test_without_spaces_edges_are_closed_and_rows_of_tables_are_content() -> None:
    characters = {**CREDIT, "own_script": 1.0}
    assert verdict(characters) == RARE
    assert verdict({**characters, "after_close": 0.95}) == ACCEPTED
    assert verdict({**LINE, "own_script": 0.6, "df": 5}) == CONTENT
    assert verdict({**LINE, "own_script": 0.6, "ends_value": 1, "df": 9}) == CONTENT
    assert verdict({**LINE, "own_script": 0.6, "ends_value": 1, "df": 20}) == ACCEPTED  # "Updated at 7"


@pytest.mark.parametrize(("row", "kind"), [(PART, "part"), (QUIET, "quiet"), (MARK, "mark")])
def test_without_spaces_what_says_little_is_closed_on_both_sides(row: Row, kind: str) -> None:
    # A name in Latin letters, or the bullet of a headline, in a source of which half the tokens are characters.
    mixed = {**row, "own_script": 0.49}
    assert kinds_of(row) == {kind}
    assert kinds_of(mixed) == set()
    assert kinds_of({**mixed, "closes": 0.9, "after_close": 0.9}) == {kind}
    assert kind in kinds_of({**mixed, "information": 36.0})


def test_without_spaces_sentences_end_alike() -> None:
    ending = {**CREDIT, "own_script": 1.0, "prose": 0.9, "after_close": 0.95}
    assert verdict(ending) == RARE
    assert verdict({**ending, "information": 50.0}) == ACCEPTED
    # What begins them so is a label.
    assert verdict({**DATELINE, "own_script": 1.0, "information": 40.0}) == ACCEPTED


def reach(row: Row) -> str:
    right, left = reaches(columns(row)[0], EvidenceConfig())
    return "both" if right[0] and left[0] else "end" if right[0] else "start" if left[0] else ""


def test_which_strings_take_the_rest_of_their_line() -> None:
    label = {**NOTHING, "starts": 1.0, "after_close": 1.0, "near_end": 0.9}
    assert reach(label) == "end"
    assert reach({**NOTHING, "after_close": 0.95, "near_end": 0.9}) == "end"  # "(Photo:" after a caption
    assert reach({**CREDIT, "near_begin": 0.9}) == "start"
    assert reach(NEAR) == "both"
    assert reach(TAIL) == "end"
    assert reach({**NEAR, "starts": 0.96}) == "end"
    changes = ("near_end", 0.8), ("prose", 0.2), ("mutable", 0.1), ("own_script", 0.6), ("ends", 0.96), ("tabular", 0.6)
    for change in ({name: value} for name, value in changes):
        assert reach({**label, **change}) == ""
    assert reach({**NOTHING, "near_end": 1.0}) == ""
