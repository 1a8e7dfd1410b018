"""Slots of a kind: both engines, and the expressions as they stand in a pack, take the same fillers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import re2
import regex
from hypothesis import given
from hypothesis import strategies as st

from strategies import examples, make_pack, scan
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig, UserPattern
from templatemine.model import Template
from templatemine.packs.pack import Pack
from templatemine.text._scan import MAX_CLOSERS, MAX_GLUED_SIZE, MAX_HEAD_BREAKS, MAX_HEADLINE
from templatemine.text.characters import line_end
from templatemine.text.expressions import EncodedText, expression, for_re2
from templatemine.text.patterns import pattern_set
from templatemine.text.slots import DATELINE, HEADLINES, KINDS, slot_token

ALL_KINDS = (*KINDS, "10", "12", "30", "")
FIXED = ("Foto:", "by", "語", "(c)", "5", "Foto: by")
SEPARATORS = ("-", "", "-@)", "-./:@")
OWN = UserPattern(name="case", regex="case-[0-9]+ x", spans=True)


def slotted(
    fixed: str, kind: str, side: str, *, separators: str = "-", whole: bool = False, own: bool = False
) -> Pack | None:
    """A pack of one template; None if the string has no tokens under these separators."""
    # What a number may hold parts no tokens.
    patterns = pattern_set("none" if "." in separators else "news", (OWN,) if own else ())
    _, forms = scan(fixed, patterns, separators, False)
    if not forms:
        return None
    words = tuple(patterns.readable(form) for form in forms)
    tokens = (*words, slot_token(kind)) if side == "end" else (slot_token(kind), *words)
    anchor = "line" if whole else side
    source = expression(forms, patterns, separators, False, anchor=anchor, slot=side, kind=kind)
    template = Template(id="t1", regex=source, tokens=tokens, df=3, count=3, example=fixed, anchor=anchor)
    return replace(make_pack([], patterns, separators, False), templates=(template,))


def native(pack: Pack, text: str) -> list[tuple[int, int]]:
    encoded = EncodedText(text, pack.patterns, pack.tokenise.separators)
    starts, ends, _ = pack.matcher()[0].find(encoded.data)
    edges = np.unique(np.concatenate([starts, ends]))
    place = dict(zip(edges.tolist(), encoded.code_points(edges).tolist(), strict=True))
    return sorted({(place[start], place[end]) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)})


def everywhere(compiled: Any, text: str) -> Iterator[tuple[int, int]]:
    """All matches of an expression, overlapping ones included."""
    place = 0
    while place <= len(text) and (match := compiled.search(text, place)):
        yield match.span(1)
        place = match.start() + 1


def covered(spans: Iterable[tuple[int, int]]) -> set[int]:
    return {place for start, end in spans for place in range(start, end)}


PIECES = (
    *(" ", " ", " ", "\n", "-", "\u00a0", "\u2028", "\u2003"),
    *(
        "Foto:",
        "by",
        "語",
        "علي",
        "한",
        "२०",
        "(c)",
        "5",
        "Jane",
        "of",
        "the",
        "Roe,",
        "é",
        "École",
        "ωa",
        "«Ωa»",
        "ёж",
        "Łódź",
        "نص",
        "’",
        "–",
    ),
    *(
        "3",
        "٣",
        "$4.5",
        "10:30",
        "May",
        "Sept",
        "am",
        "p.m.",
        "3pm",
        "Monday",
        "hours",
        "ago",
        "GMT",
        "27th",
        "1/2",
        "T",
    ),
    *("a.b", "x@y", "@z", "http://q.org/a", ".", ":", "/", "@", "\x1c", "\u200f", "case-7 x"),
    *("a.b/é", "ж.ω", "¡a/", "@\u07ff", "a/\u0800", "\u0085"),
)
texts = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
# In spaced ones kinds hold more often.
spaced = st.lists(st.sampled_from([piece for piece in PIECES if piece.strip()]), max_size=30).map(" ".join)


def _check_engines(pack: Pack, text: str) -> None:
    """Both engines cut the same, and the native one finds the same with the sieve and without."""
    expected = Cleaner(pack, CleanConfig(engine="regex")).spans(text)
    assert Cleaner(pack, CleanConfig(engine="native")).spans(text) == expected
    sieved, _ = pack.make_matcher(sieve=2)
    data = EncodedText(text, pack.patterns, pack.tokenise.separators).data
    plain = pack.make_matcher(sieve=0)[0].find(data)
    assert [column.tolist() for column in sieved.find(data)] == [column.tolist() for column in plain]


def _check_expressions(pack: Pack, text: str, *, first_line: bool = False) -> None:
    """In `re`, `regex` and RE2 the expression of a pack of one template finds what the engines find, or what these find
    in the first line of all."""
    # On raw text an expression may begin in a mark.
    text = re.sub("http[^ ]*|x@y|@z|\x1c", "Q.R", text)
    expected = native(pack, text)
    if first_line and expected:
        end = line_end(text, expected[0][0])
        expected = [span for span in expected if span[0] < end]
    source = pack.templates[0].regex
    for engine in (re.compile(source), regex.compile(source), re2.compile(for_re2(source))):
        found = set(everywhere(engine, text))
        # Of several strings in a line an expression finds what reaches farthest from its beginning.
        assert found <= set(expected)
        assert covered(found) == covered(expected)


@examples(400)
@given(
    st.sampled_from(FIXED),
    st.sampled_from(ALL_KINDS),
    st.sampled_from(["start", "end"]),
    st.sampled_from(SEPARATORS),
    st.booleans(),
    st.booleans(),
    texts | spaced,
)
def test_engines_agree_on_kinds(
    fixed: str, kind: str, side: str, separators: str, whole: bool, own: bool, text: str
) -> None:
    pack = slotted(fixed, kind, side, separators=separators, whole=whole, own=own)
    if pack is None:
        return
    _check_engines(pack, text)


@examples(200)
@given(
    st.sampled_from([one for one in FIXED if one != "5"]),
    st.sampled_from([kind for kind in ALL_KINDS if kind]),
    st.sampled_from(["start", "end"]),
    st.sampled_from(["-", ""]),
    st.booleans(),
    texts | spaced,
)
def test_expressions_say_what_engines_do(
    fixed: str, kind: str, side: str, separators: str, whole: bool, text: str
) -> None:
    pack = slotted(fixed, kind, side, separators=separators, whole=whole)
    assert pack is not None
    _check_expressions(pack, text)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("side", ["start", "end"])
@pytest.mark.parametrize("char", ["x", "é", "\u07ff", "\u0800", "語"])
def test_engines_agree_on_how_long_a_glued_word_may_be(kind: str, side: str, char: str) -> None:
    pack = slotted("Foto:" if side == "end" else "foto", kind, side)
    assert pack is not None
    for size in range(MAX_GLUED_SIZE - 2, MAX_GLUED_SIZE + 3):
        text = f"A\nFoto:{char * size}" if side == "end" else f"A\n{char * (size - 1)}:foto"
        found = [Cleaner(pack, CleanConfig(engine=engine)).spans(text) for engine in ("native", "regex")]
        assert found[0] == found[1]
        assert bool(found[0]) == (char != "語" and (kind != "url" or (size <= MAX_GLUED_SIZE and char != "\u0800")))


LINE = ("by", "By", "Ann", "5", "of", "later", "語", "\n", "\n", "Foto:", "Foto:Ann/by:", "May", "a/b/c/d/e/Foto:", "-")


@examples(400)
@given(
    st.sampled_from(KINDS),
    st.sampled_from(["start", "end"]),
    st.lists(st.sampled_from(["by", "By", "by by by", "By of By Ann", "Foto:", "語"]), min_size=1, unique=True),
    st.lists(st.sampled_from(LINE), max_size=60).map(" ".join)
    | st.lists(st.sampled_from(LINE), max_size=60).map("".join),
)
def test_engines_agree_where_strings_stand_often_in_a_line(kind: str, side: str, fixed: list[str], text: str) -> None:
    """What a walk remembers for the next one, which may begin before it or behind it."""
    packs = [slotted(one, kind, side) for one in fixed]
    templates = [replace(pack.templates[0], id=f"t{place}") for place, pack in enumerate(packs) if pack is not None]
    assert packs[0] is not None
    pack = replace(packs[0], templates=tuple(templates))
    expected = Cleaner(pack, CleanConfig(engine="regex")).spans(text)
    assert Cleaner(pack, CleanConfig(engine="native")).spans(text) == expected


openings = st.tuples(
    st.lists(st.sampled_from([" ", "\n", "-", "\u2028", "\u3000", "\u2003", ".", "a"]), max_size=4).map("".join),
    st.lists(
        st.sampled_from(
            [
                "Lynde",
                "Ω",
                "of",
                "later",
                "5",
                "(c)",
                "語",
                "\u2013",
                "Lynde\u2014",
                "\u2014Ann",
                "by",
                "Foto:",
                "\n",
                "\n" * (MAX_HEAD_BREAKS - 1),
                "a \u2013 b\n",
                "Lynde\u300d\u2028",
                "a.\n",
                "a\u201d - \n",
                "case-7 x",
                "\u00abA",
                "x;y",
                "O\u2019A",
            ]
        ),
        max_size=12,
    ).map(" ".join),
).map("".join)
DASHED = (*FIXED, "\u2013", "\u2014", "(AP) \u2013")


@examples(600)
@given(st.sampled_from(DASHED), st.sampled_from(SEPARATORS), st.booleans(), st.booleans(), openings | texts)
def test_engines_agree_on_datelines(fixed: str, separators: str, whole: bool, own: bool, text: str) -> None:
    pack = slotted(fixed, DATELINE, "start", separators=separators, whole=whole, own=own)
    if pack is None:
        return
    _check_engines(pack, text)


@examples(300)
@given(
    st.sampled_from([one for one in DASHED if one != "5"]), st.sampled_from(["-", ""]), st.booleans(), openings | texts
)
def test_expressions_find_datelines(fixed: str, separators: str, whole: bool, text: str) -> None:
    pack = slotted(fixed, DATELINE, "start", separators=separators, whole=whole)
    assert pack is not None
    _check_expressions(pack, text, first_line=True)


def test_engines_agree_on_each_character_of_a_place() -> None:
    """The class of what no place holds is written twice, as an expression and natively."""
    pack = slotted("\u2013", DATELINE, "start")
    assert pack is not None
    cleaners = [Cleaner(pack, CleanConfig(engine=engine, guard=1.0)) for engine in ("native", "regex")]
    for code in (*range(0x20, 0x3100), *range(0xFE00, 0x10000)):
        text = f"A{chr(code)}b \u2013 x"
        native_spans, regex_spans = (cleaner.spans(text) for cleaner in cleaners)
        assert native_spans == regex_spans, hex(code)


@pytest.mark.parametrize("engine", ["native", "regex"])
@pytest.mark.parametrize("dash", ["\u2013", "\u2014"])
def test_a_dateline_begins_a_line_of_the_head(engine: str, dash: str) -> None:
    pack = slotted(dash, DATELINE, "start")
    assert pack is not None
    cleaner = Cleaner(pack, CleanConfig(engine=engine, guard=1.0))
    for head in ("", "\n \u3000", "By Ann Hill\n\n", "Ann\n" * MAX_HEAD_BREAKS, "\n" * MAX_HEAD_BREAKS):
        assert cleaner.clean(f"{head}New Lynde {dash} The mayor spoke.").text.split() == [
            *head.split(),
            *"The mayor spoke.".split(),
        ]
        for prose in (
            "Who spoke?",
            "\u201cAnn spoke\u201d \u3000",
            "She said:",
            "Wilton \u2013 3 points",
        ):
            story = f"\n{head}{prose}\nLynde {dash} She spoke."
            assert cleaner.clean(story).text.endswith(f"Lynde {dash} She spoke.")
    for story in (
        "Who is to win it all? Lynde \u2013 Or Wilton.",
        "\u201cLynde \u2013 Or Wilton\u201d",
        "2024 \u2013 The year.",
        "Lynde: Ann Hill \u2013 Mayor.",
        "Ann Hill \u2013 mayor of Lynde \u2013 left.",
        "Lynde \u2013\u3000 \u00fcber Wilton.",
        f"{'Lynde ' * 9}\u2013 A list.",
        "The mayor of Lynde \u2013 She spoke.",
        "\n" * (MAX_HEAD_BREAKS + 1) + "Lynde \u2013 She spoke.",
    ):
        story = story.replace("\u2013", dash)
        assert cleaner.clean(story).text == story
    assert Pack.from_json(pack.to_json(), "pack").templates == pack.templates
    assert "{text head}" in pack.to_json()
    assert "{new text" in pack.to_json()


@pytest.mark.parametrize("engine", ["native", "regex"])
def test_a_wide_dash_parts_words(engine: str) -> None:
    pack = slotted("\u2014", DATELINE, "start")
    assert pack is not None
    cleaner = Cleaner(pack, CleanConfig(engine=engine, guard=1.0))
    assert cleaner.clean("NEW LYNDE\u2014The mayor spoke.").text == "The mayor spoke."
    pack = slotted("\u2013", DATELINE, "start")
    assert pack is not None
    story = "NEW LYNDE\u2013The mayor spoke."
    assert Cleaner(pack, CleanConfig(engine=engine, guard=1.0)).clean(story).text == story


HEADLINE_LINES = (
    *(
        "Foto:",
        "Foto: ",
        "Foto: Ann",
        "by",
        "(c)",
        "5",
        "One thing",
        " Another? ",
        "- Who",
        "It said.",
        "He said:",
        "First,",
    ),
    *(
        '"Quoted"',
        '"Quoted."',
        "\u00abFin\u00bb)",
        "\u8a9e",
        "\u8a9e\u3002",
        "case-7 x",
        "Ann case-7 x",
        "",
        " ",
        "-",
        "\u2003-",
    ),
    *(
        "x" * MAX_HEADLINE,
        "x" * MAX_HEADLINE + ")",
        "a " * (MAX_HEADLINE // 2) + "b",
        "x" * (MAX_HEADLINE - 1) + "\u0436",
    ),
    *(".", ").", "." * MAX_CLOSERS, "." * (MAX_CLOSERS + 1), ".)", "/", "/.", "x@", "x)@"),
    *("end" + ")" * MAX_CLOSERS, "end" + ")" * (MAX_CLOSERS + 1), ")", "'", "Foto: One thing"),
)
lines = st.lists(
    st.lists(st.sampled_from(HEADLINE_LINES), min_size=1, max_size=2).map("".join), min_size=1, max_size=12
).flatmap(lambda some: st.sampled_from(["\n", "\n\n", "\u2028", " \n-\n"]).map(lambda gap: gap.join(some)))


@examples(600)
@given(st.sampled_from(FIXED), st.sampled_from(SEPARATORS), st.booleans(), st.booleans(), lines | texts)
def test_engines_agree_on_headlines(fixed: str, separators: str, whole: bool, own: bool, text: str) -> None:
    pack = slotted(fixed, HEADLINES, "end", separators=separators, whole=whole, own=own)
    if pack is None:
        return
    _check_engines(pack, text)


@examples(300)
@given(st.sampled_from([one for one in FIXED if one != "5"]), st.sampled_from(["-", ""]), st.booleans(), lines | texts)
def test_expressions_find_headlines(fixed: str, separators: str, whole: bool, text: str) -> None:
    pack = slotted(fixed, HEADLINES, "end", separators=separators, whole=whole)
    assert pack is not None
    _check_expressions(pack, text)


def test_a_headline_has_no_blank_before_what_closes_it() -> None:
    pack = slotted("Foto:", HEADLINES, "end")
    assert pack is not None
    for last in ("One thing )", "One thing-)", "One thing)"):
        _check_engines(pack, f"Foto:\n{last}")
        _check_expressions(pack, f"Foto:\n{last}")


def test_headlines_end_where_prose_begins() -> None:
    pack = slotted("Read more:", HEADLINES, "end", whole=True)
    assert pack is not None
    headlines = "\n\nCity opens bridge\n- Who pays for it?\n\u201cNo more delays\u201d\n"
    text = f"Story.\nRead more:{headlines}The mayor spoke on Monday.\nShort line"
    for engine in ("native", "regex"):
        cleaner = Cleaner(pack, CleanConfig(engine=engine, guard=1.0))
        assert cleaner.clean(text).text.split() == "Story. The mayor spoke on Monday. Short line".split()
        # A string within its line is no label of lines.
        assert cleaner.clean("Read more: here\nShort line").text == "Read more: here\nShort line"
        assert cleaner.clean(f"Read more:\n{'A line' * 2}\n{'x' * (MAX_HEADLINE + 1)}").text == "x" * (MAX_HEADLINE + 1)
