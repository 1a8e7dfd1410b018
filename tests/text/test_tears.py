"""Torn sentences and halved pairs: against slower twins."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise, product
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templatemine.model import Span
from templatemine.text import tears
from templatemine.text.tears import (
    PARENTHESES,
    SentenceEnds,
    count_unpaired,
    is_tear,
    join_spans,
    judge_cuts,
    leaves_half,
    leaves_object,
    leaves_part,
    leaves_rest,
    tally_judged,
    torn_edges,
)

TEXTS = st.text('ab ().“”»«"’\n', max_size=30)


def unpaired(text: str, pairs: tuple[str, ...]) -> int:
    """What is left when pairs are taken out from within."""
    total = 0
    for opening, closing in pairs:
        rest = "".join(char for char in text if char in (opening, closing))
        while opening + closing in rest:
            rest = rest.replace(opening + closing, "")
        total += len(rest)
    return total


@given(TEXTS)
def test_unpaired_brackets_and_quotes(text: str) -> None:
    assert count_unpaired(text, PARENTHESES) == unpaired(text, ("()",))
    quotes = re.sub("«", "“", text).replace("»", "”")  # one kind to Unicode: initial and final
    assert count_unpaired(text) == unpaired(quotes, ("()", "“”")) + text.count('"') % 2


@pytest.mark.parametrize(
    ("text", "is_torn"),
    [
        ("He met [Ann] in Rome.", True),
        ("He met [Ann], who left.", True),
        ("It was her [story.]", False),
        ("「[新製品」]を発売", True),
        ("The end.\n[Advertisement]\nthe rest", False),
        ("It was her story.\n[read more]\nAnd it ended.", False),
        ("[LONDON –] the mill closed.", False),
        ("[Photo: Ann Hill.] the mill closed.", False),
        ("The mill by Ann Hill [The offer ends today.] 50/2024 The river", False),
        ("The mill closed [after Ann Hill.] 50 people left", True),
        ("The mill closed [Ann Hill] 50 people left", True),
        ("[The Mill] Closed", False),
        ("It closed\n\n[share this]\n\nso it is", False),
        ("新しい時計を[写真で紹介する。]", True),
        ("新しい時計を[写真で紹介する。]\n\n次の話", True),
        ("時計が出た。[写真で紹介する。]\n次の話", False),
        ("新しい時計\n[写真で紹介する。]", False),
        ("新しい時計[写真一覧]\n次の話", False),
    ],
)
def test_tears(text: str, is_torn: bool) -> None:
    """The cut is in the brackets."""
    start, end = text.index("["), text.index("]") - 1
    assert is_tear(text.replace("[", "", 1).replace("]", "", 1), start, end) is is_torn


@pytest.mark.parametrize(
    ("text", "is_half"),
    [
        ("It closed. [See: First half of it.] second half goes on", True),
        ("It is so to the mill. [See: The mill closed.] Nobody knew To the end he stayed.", True),
        ("It is so to the mill. [See: The mill closed.] Nobody knew. To the end he stayed.", False),
        ("It is so to the mill. [See: The mill closed.] Nobody knew Ann Lee, who stayed.", False),
        ("It is so to the mill. [The mill closed.] Nobody knew To the end he stayed.", False),  # no label
        ("[President Ann Lee Senators balk at votes] MORE on Thursday said", True),
        ("The mill stood [by the river.]", True),
        ("[The mill closed.] “It is over,” he said.", False),
        ("[Advertisement] The mill closed.", False),
        ("[Advertisement] ROME and Milan closed.", True),  # an acronym looks like the rest of a name in capitals
        ("[ROME (Paper) -] the mill closed.", False),
        ("[Photo:] ann lee", False),
        ("It is so to the mill. [Photo:] Nobody knew To the end he stayed.", True),
        ("It is so to the mill. [Photo:] Nobody knew. To the end he stayed.", False),
        ("[Source:] https://mill.example", False),
        ("It is so to the mill. [Photo: Ann Lee.] Nobody knew To the end he stayed.", False),  # a credit
        ("[Follow us on] @mill", False),
        ("The mill closed today [pic.example.org/aBc — Ann Lee (@ann) May 5, 2020]", False),
        ("The mill closed today [https://mill.example]\nNobody knew.", False),
        ("It closed. [by Ann Lee]", False),
        ("The mill [The post The mill appeared first on The Paper.]", False),
        ("[Read on]\nand the rest", False),
        ("[] and", False),
    ],
)
def test_halves_of_sentences(text: str, is_half: bool) -> None:
    """The cut is in the brackets; none of them has text of its sentence on both sides."""
    start, end = text.index("["), text.index("]") - 1
    text = text.replace("[", "", 1).replace("]", "", 1)
    assert not is_tear(text, start, end)
    assert leaves_half(text, start, end) is is_half


@pytest.mark.parametrize(
    ("text", "is_part"),
    [
        ("[Strikes:] the port is shut", True),
        ("The end.\n[Strikes:] the port is shut", True),
        ("[Strikes:] The port is shut", False),
        ("[Photo:] ann lee", False),
        ("[ROME -] the port is shut", False),
        ("The end. [Strikes:] the port is shut", False),
        ("The port is [shut by Monday.]", True),
    ],
)
def test_headlines_without_their_topic(text: str, is_part: bool) -> None:
    start, end = text.index("["), text.index("]") - 1
    assert leaves_part(text.replace("[", "", 1).replace("]", "", 1), start, end) is is_part


def test_a_line_of_thousands_of_cuts_takes_no_square_of_time() -> None:
    """An article may be one line; twice as many cuts took four times as long, 20 s for these."""
    unit, cut = "The end. Advertisement The story goes. ", "Advertisement"
    text, start = unit * 16_000, unit.index(cut)
    began = perf_counter()
    places = range(start, len(text), len(unit))
    assert not any(leaves_half(text, place, place + len(cut)) for place in places)
    assert perf_counter() - began < 5


NAMES = ["".join(letters).title() for letters in product("bdfg", "aeio", "lmnr")]
ARTICLES = [
    f"They live in {name}. He went home to {name} at dawn. We are at home, 9 replies | of it." for name in NAMES
] * 6
"""No sentence ends with "in", "to" or "of"; some do with "home", and "replies" is always before the same sign."""


@pytest.mark.parametrize(
    ("text", "cut", "is_open"),
    [
        ("The embassy stays in Tel Aviv.\nIt was late.", "Tel Aviv.", True),
        # An article that was cut off there.
        ("The embassy stays in Read more.", "Read more.", False),
        ("The embassy stays in … Read more. It was late.", "… Read more.", False),
        ("The embassy stays in [...] It was late.", "[...]", False),
        ("The embassy stays in Tel Aviv. It was late.", "Tel Aviv.", True),
        ("The embassy stays in\nTel Aviv.", "Tel Aviv.", False),
        ("He went home Read more.", "Read more.", False),
        ("It is the end of the story Read more.", "Read more.", False),  # a word that is not in the others
        ("9 replies | Read more.", "| Read more.", False),
        ("The end of Read more.", "Read more.", False),
        ("Back In Read more.", "Read more.", False),
        ("Share this", "Share this", False),
    ],
)
def test_words_that_no_sentence_ends_with(text: str, cut: str, is_open: bool) -> None:
    ends = SentenceEnds(ARTICLES)
    start = text.index(cut)
    assert ends.is_tear(text, start, start + len(cut)) is is_open
    assert ends.leaves_part(text, start, start + len(cut)) is is_open
    assert not is_tear(text, start, start + len(cut))
    # Few places tell nothing.
    assert not SentenceEnds(ARTICLES[: round(tears._CHANCE / tears.MAX_CLOSED) - 1]).is_tear(
        text, start, start + len(cut)
    )
    assert not SentenceEnds([]).is_tear(text, start, start + len(cut))


@pytest.mark.parametrize(
    ("text", "cut", "is_rest"),
    [
        ("The desk in\nNature\n, said so.", "The desk in", True),
        ("The desk in \nNature\n, said so.", "The desk in", True),
        ("The desk in\n", "The desk in", False),
        ("The desk in\n\nNature\n, said so.", "The desk in", False),
        ("All the replies\nNature\n, said so.", "All the replies", False),
        ("They went home\nNature\n, said so.", "They went home", False),
        ("THE DESK IN\nNature", "THE DESK IN", False),
        ("It was late. The desk said so.", "The desk", True),
        ("It was late. Said the desk.", "Said the desk.", False),
        ("An open line [Read more]\nIt was late.", "[Read more]", False),
        ("\u672c\u62a5\u8baf\uff1a\u5b66\u4e60\u65b0\u601d\u60f3\u3002", "\u672c\u62a5\u8baf\uff1a\u5b66\u4e60", True),
        ("\u672c\u62a5\u8baf\uff1a\u5b66\u4e60\u65b0\u601d\u60f3\u3002", "\u672c\u62a5\u8baf\uff1a", False),
    ],
)
def test_rests_of_sentences(text: str, cut: str, is_rest: bool) -> None:
    start = text.index(cut)
    assert SentenceEnds(ARTICLES).leaves_rest(text, start, start + len(cut)) is is_rest


@pytest.mark.parametrize(
    ("text", "cut", "is_alone"),
    [
        ("Opinion: The port should stay", "Opinion:", True),
        ("Opinion: Should the port stay?", "Opinion: ", True),
        ("Opinion:\nThe port should stay", "Opinion:", False),
        ("Opinion:\nThe port should stay", "Opinion:\n", False),
        ("Rome: The port is shut.", "Rome:", False),
        ("Photo: A ship in the port. Agency/Jo Reed", "Photo:", False),
        ("Rome: The port is \u201cshut.\u201d\nIt is", "Rome:", False),
        ("Rome: " + "word " * 21, "Rome:", False),
        ("Opinion \u2013 The port should stay", "Opinion \u2013", False),
        ("\u6765\u6e90\uff1a\u6e2f\u53e3\u62a5", "\u6765\u6e90\uff1a", True),
        ("\u6765\u6e90\uff1a" + "\u6e2f\u53e3" * 80, "\u6765\u6e90\uff1a", False),
        ("\u6765\u6e90\uff1a\u6e2f\u53e3\u5173\u4e86\u3002", "\u6765\u6e90\uff1a", False),
    ],
)
def test_what_a_label_announces_is_left(text: str, cut: str, is_alone: bool) -> None:
    start = text.index(cut)
    assert leaves_object(text, start, start + len(cut)) is is_alone


@given(TEXTS, st.integers(0, 30), st.integers(0, 30))
def test_what_leaves_a_rest_leaves_half(text: str, start: int, end: int) -> None:
    start, end = sorted((min(start, len(text)), min(end, len(text))))
    assert leaves_half(text, start, end) >= leaves_rest(text, start, end)


@given(st.lists(TEXTS, max_size=30), TEXTS, st.integers(0, 30), st.integers(0, 30))
def test_open_ends_do_not_depend_on_the_order_of_texts(texts: list[str], text: str, start: int, end: int) -> None:
    start, end = sorted((min(start, len(text)), min(end, len(text))))
    found = SentenceEnds(texts).is_tear(text, start, end)
    assert found == SentenceEnds(texts[::-1]).is_tear(text, start, end)
    assert found >= is_tear(text, start, end)


@given(TEXTS, st.integers(0, 30), st.integers(0, 30))
def test_what_tears_a_sentence_leaves_half_of_it(text: str, start: int, end: int) -> None:
    start, end = sorted((min(start, len(text)), min(end, len(text))))
    assert leaves_half(text, start, end) >= is_tear(text, start, end)


@given(st.lists(st.tuples(TEXTS, st.lists(st.integers(0, 30), max_size=6)), max_size=4))
def test_of_templates_that_nobody_can_tell_apart_the_rarest_is_to_blame(rows: list[tuple[str, list[int]]]) -> None:
    found = []
    for text, edges in rows:
        places = sorted({min(edge, len(text)) for edge in edges})
        spans = [
            Span(a, b, ("x", f"y{a % 2}") if a % 3 else ("x",)) for a, b in zip(places[::2], places[1::2], strict=False)
        ]
        found.append((text, join_spans(text, spans)))
    counts = tally_judged(cut for text, cuts in found for cut in judge_cuts(text, cuts, is_tear))
    joined = [(text, *cut) for text, cuts in found for cut in cuts]
    cuts = Counter(name for *_, names in joined for name in names)
    assert {name: count.cuts for name, count in counts.items()} == dict(cuts)
    torn = [names for text, start, end, names in joined if is_tear(text, start, end)]
    assert sum(count.tears for count in counts.values()) == len(torn)
    for name, count in counts.items():
        assert count.tears == sum(min(names, key=lambda one: (cuts[one], one)) == name for names in torn)


OCCURRENCES = st.lists(
    st.tuples(st.integers(0, 29), st.integers(1, 30), st.sampled_from("abc")).map(
        lambda one: (one[0], one[0] + one[1], one[2])
    ),
    max_size=6,
)


@given(TEXTS, st.lists(st.integers(0, 30), max_size=4), OCCURRENCES)
def test_the_template_at_the_torn_end_is_to_blame(
    text: str, edges: list[int], found: list[tuple[int, int, str]]
) -> None:
    places = sorted({min(edge, len(text)) for edge in edges})
    spans = [Span(a, b, ("a", "b", "c")) for a, b in zip(places[::2], places[1::2], strict=False)]
    for cut in judge_cuts(text, spans, find_templates=lambda _: found):
        assert (("start" in cut.torn), ("end" in cut.torn)) == torn_edges(text, cut.start, cut.end)
        inside = [one for one in found if one[0] < cut.end and one[1] > cut.start]
        for edge, names in cut.torn.items():
            if not inside:
                assert names == cut.names
                continue
            (name,) = names
            outermost = [one for one in inside if one[2] == name]
            if edge == "start":
                assert min(start for start, *_ in outermost) == min(start for start, *_ in inside)
            else:
                clipped = [[min(end, cut.end) for _, end, _ in some] for some in (outermost, inside)]
                assert max(clipped[0]) == max(clipped[1])


def test_a_rare_template_is_not_blamed_for_another_one() -> None:
    """The frequent one, whose end tears the sentence, looked harmless."""
    text, spans = "Said Ann. It was late and more follows", [Span(0, 21, ("rare", "frequent"))]
    found = [(0, 9, "rare"), (10, 21, "frequent")]
    elsewhere = judge_cuts("The end. It was late.", [Span(9, 21, ("frequent",))])
    counts = tally_judged([*judge_cuts(text, spans, find_templates=lambda _: found), *elsewhere])
    assert counts == {"rare": (1, 0), "frequent": (2, 1)}
    # Of spans that touch each has its own.
    apart = judge_cuts(text, [Span(0, 10, ("rare",), "byline"), Span(10, 21, ("frequent",), "promotion")])
    assert [cut.torn for cut in apart] == [{"end": ("frequent",)}]


@given(TEXTS, st.lists(st.integers(0, 30), max_size=8))
def test_spans_with_white_space_between_them_are_one_cut(text: str, edges: list[int]) -> None:
    places = sorted({min(edge, len(text)) for edge in edges})
    spans = [Span(a, b, (f"t{a}",)) for a, b in zip(places[::2], places[1::2], strict=False)]
    cuts = join_spans(text, spans)
    removed = [
        {place for a, b, *_ in some for place in range(a, b) if not text[place].isspace()} for some in (cuts, spans)
    ]
    assert removed[0] == removed[1]
    assert all(text[left[1] : right[0]].strip() for left, right in pairwise(cuts))
    assert [name for *_, names in cuts for name in names] == [name for span in spans for name in span.templates]
