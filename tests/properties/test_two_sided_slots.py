"""A slot between two strings: both engines, and the expression in the pack, find the same stretches."""

from __future__ import annotations

import re
from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest
import re2
import regex
from hypothesis import given
from hypothesis import strategies as st

from strategies import examples, make_pack, scan
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig, UserPattern
from templatemine.errors import PackError
from templatemine.model import Template
from templatemine.packs.pack import Pack
from templatemine.packs.pack_record import template_id
from templatemine.text._scan import MAX_NAME_WORDS, SLOT_SIZE
from templatemine.text.expressions import EncodedText, for_re2
from templatemine.text.patterns import PatternSet, pattern_set
from templatemine.text.slots import SLOT

WORDS = (
    "The",
    "post",
    "by",
    "A",
    "語",
    "文",
    "x-y",
    "Re/",
    "3",
    "first",
    "on.",
    "(see",
    "Ltd",
    "and",
    "—",
    "–b",
    "(@c)",
)
BLANKS = (" ", " ", " ", "  ", "-", "", "\n", "\n\n", "\u2028", " - ")
LONG = tuple("w" * size for size in (5, 100, 115, SLOT_SIZE - 10, SLOT_SIZE - 1))
NEWS = pattern_set("news")
NAMES = "{slot:names}"


def two_sided(head: str, tail: str, anchor: str = "", patterns: PatternSet = NEWS, slot: str = SLOT) -> Pack:
    """A pack of one template: `head`, anything or what the slot says, `tail`."""
    tokens = [tuple(map(patterns.readable, scan(string, patterns, "-", False)[1])) for string in (head, tail)]
    joined = (*tokens[0], slot, *tokens[1])
    template = Template(
        id=template_id(joined), regex="", tokens=joined, df=1, count=1, example=f"{head} Ann {tail}", anchor=anchor
    )
    pack = make_pack([([b"zz"], "zz")], patterns, "-", False)
    return replace(pack, templates=(replace(template, regex=pack.derived(template)),))


def cut(pack: Pack, text: str) -> list[str]:
    """What both engines cut, and the expression of the pack finds, without what stands in another part."""
    native = Cleaner(pack, CleanConfig(engine="native", gap=0)).spans(text)
    assert native == Cleaner(pack, CleanConfig(engine="regex", gap=0)).spans(text)
    return [text[span.start : span.end] for span in native]


@examples(400)
@given(st.data())
def test_engines_and_expression_agree(data: st.DataObject) -> None:
    strings = [" ".join(data.draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=2))) for _ in range(2)]
    anchor = data.draw(st.sampled_from(("", "", "start", "end", "line")))
    pack = two_sided(*strings, anchor=anchor, slot=data.draw(st.sampled_from((SLOT, NAMES))))
    pieces = st.one_of(st.sampled_from(strings), st.sampled_from((*WORDS, *strings)), st.sampled_from(LONG))
    words = data.draw(st.lists(st.tuples(pieces, st.sampled_from(BLANKS)), max_size=30))
    text = "".join(word + blank for word, blank in words)
    cut(pack, text)
    encoded = EncodedText(text, pack.patterns, "-", pack.rules)
    wanted = {
        place
        for match in regex.compile(pack.templates[0].regex).finditer(encoded.text, overlapped=True)
        for place in range(*match.span(1))
    }
    for sieve in (0, 2):
        for union_only in (False, True):
            matcher, _ = pack.make_matcher(sieve)
            starts, ends, _ = matcher.find(encoded.data, union_only)
            bounds = zip(*(one.tolist() for one in encoded.points(starts, ends)), strict=True)
            assert {place for bound in bounds for place in range(*bound)} == wanted


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "It ends. The post A bridge falls appeared first on X. Next",
            ["The post A bridge falls appeared first on X."],
        ),
        ("The post appeared first on X.", []),
        ("The post A\nB appeared first on X.", []),
        ("The\npost A B appeared first on X.", []),
        ("The post A\nThe post B appeared first on X.", ["The post B appeared first on X."]),
        ("The post A The post B appeared first on X.", ["The post A The post B appeared first on X."]),
        ("The post A appeared first on X. B appeared first on X.", ["The post A appeared first on X."]),
        (f"The post {'w ' * SLOT_SIZE}The post B appeared first on X.", ["The post B appeared first on X."]),
    ],
)
def test_from_the_first_head_to_the_first_tail_of_a_line(text: str, found: list[str]) -> None:
    assert cut(two_sided("The post", "appeared first on X."), text) == found


@pytest.mark.parametrize("fill", ["x", "é", "\U0001d400", "語", "a b ", "case-12 "])
def test_it_holds_so_many_characters(fill: str) -> None:
    own = (UserPattern(name="case", regex="case-[0-9]+", spans=True),) if fill == "case-12 " else ()
    pack = two_sided("Read:", "on X.", patterns=pattern_set("news", own))
    taken = [len(cut(pack, f"Read: {(fill * SLOT_SIZE)[:size]} on X.")) for size in range(SLOT_SIZE - 6, SLOT_SIZE + 3)]
    if not own:
        assert taken == [1, 1, 1, 1, 1, 0, 0, 0, 0]


SIGNED = "(@jroe) May 5, 2024"
LONG_NAME = " ".join(["Ann"] * MAX_NAME_WORDS)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"Well said. — Jane Roe {SIGNED}", [f"— Jane Roe {SIGNED}"]),
        (f"It rains — so what? — Jane van der Roe {SIGNED}", [f"— Jane van der Roe {SIGNED}"]),
        (f"It rains — Jane said so on all days — jane {SIGNED} More", [f"— jane {SIGNED}"]),
        (f"— Jane — Roe {SIGNED}", [f"— Roe {SIGNED}"]),
        (f"— Jane —Roe {SIGNED}", []),
        (f"— Jean–Luc Roe {SIGNED}", [f"— Jean–Luc Roe {SIGNED}"]),
        (f"— {SIGNED}", [f"— {SIGNED}"]),
        (f"— Jane\nRoe {SIGNED}", []),
        (f"— Jane said so on all days {SIGNED}", []),
        (f"— {LONG_NAME} {SIGNED}", [f"— {LONG_NAME} {SIGNED}"]),
        (f"— {LONG_NAME} Roe {SIGNED}", []),
        (f"— Ann {SIGNED} Roe {SIGNED}", [f"— Ann {SIGNED}"]),
        (f"— Ann {SIGNED} — Jane Roe {SIGNED}", [f"— Ann {SIGNED}", f"— Jane Roe {SIGNED}"]),
        (f"— {'Ann' * SLOT_SIZE} {SIGNED}", [f"— {'Ann' * SLOT_SIZE} {SIGNED}"]),
        (f"— 語 {SIGNED}", []),
        ("Asked — by Jane Roe (@jroe) — they left", []),
    ],
)
def test_names_begin_at_the_head_before_them(text: str, found: list[str]) -> None:
    assert cut(two_sided("—", SIGNED, slot=NAMES), text) == found


@pytest.mark.parametrize("engine", [re, regex, re2])
def test_engines_find_the_names_of_a_pack(engine: ModuleType) -> None:
    source = two_sided("—", SIGNED, slot=NAMES).templates[0].regex
    compiled = engine.compile(for_re2(source) if engine is re2 else source)
    text = f"It rains — so what? — Jane van der Roe {SIGNED} No — Ann {SIGNED}"
    assert [match.group(1) for match in compiled.finditer(text)] == [
        f"— Jane van der Roe {SIGNED}",
        f"— Ann {SIGNED}",
    ]


def test_many_heads_in_a_line_take_linear_time() -> None:
    pack = two_sided("a", "b")
    matcher, _ = pack.make_matcher(0)
    data = b"a " * 300_000 + b"b"
    starts, ends, strings = matcher.find(data)
    assert (len(strings), int(ends[0])) == (1, len(data))
    assert SLOT_SIZE - 2 <= len(data) - int(np.min(starts)) - 2 <= SLOT_SIZE


@pytest.mark.parametrize("tokens", [("a", "{slot:date}", "b"), ("a", "{slot:60}", "b"), ("a", "{slot}", "b", "{slot}")])
def test_it_takes_anything_or_names_and_stands_once(tokens: tuple[str, ...]) -> None:
    pack = two_sided("a", "b")
    edited = replace(pack, templates=(replace(pack.templates[0], id=template_id(tokens), tokens=tokens, regex=""),))
    with pytest.raises(PackError, match="between other tokens|once and beside"):
        Pack.from_json(edited.to_json(), "pack")


def test_a_pack_is_read_as_it_was_written() -> None:
    pack = two_sided("The post", "appeared first on X.")
    assert Pack.from_json(pack.to_json(), "pack").templates == pack.templates
