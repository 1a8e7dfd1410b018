"""An expression matches every occurrence that it was mined from: in `re`, in `regex` and in RE2, on the text as it stands."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
import re2
import regex
from hypothesis import given
from hypothesis import strategies as st

from strategies import LOOKALIKES, Case, cases, examples, mine_strings, scan
from templatemine.config import UserPattern
from templatemine.packs.pack import Pack
from templatemine.text.expressions import (
    ANCHORS,
    EncodedText,
    expression,
    for_re2,
    is_own_token,
    is_tag,
    rewrite_marks,
    tag_form,
)
from templatemine.text.patterns import pattern_set

LINE_BREAKS = "\n\u2028\u2029"
SURROGATES = "[\ud800-\udfff]"


@lru_cache(maxsize=1000)
def compiled(source: str) -> dict[str, Callable[[str, int], Any]]:
    """How each engine matches a text from a given place."""
    engines = {"re": re.compile(source).match, "regex": regex.compile(source).match}
    if not re.search(SURROGATES, source):
        engines["re2"] = re2.compile(for_re2(source)).match
    return engines


def begin(text: str, start: int, own: bool, anchor: str) -> int:
    """Where the match of an occurrence at `start` begins: at itself, at its edge, or at the line break before it."""
    if ANCHORS[anchor] & 1:
        return max(0, *(text.rfind(char, 0, start) for char in LINE_BREAKS))
    return start if own or start == 0 else start - 1


def readable_elsewhere(case: Case) -> Case:
    """A case without user patterns that decide what a tag or a separator is.

    They are replaced before the text is parted into tags and tokens, which an expression on raw text cannot know.
    """
    return replace(case, own=() if case.html else tuple(name for name in case.own if name not in ("dash", "lines")))


def match_everywhere(case: Case, forms: tuple[bytes, ...], anchor: str, text: str, start: int, end: int) -> None:
    source = expression(forms, case.patterns, case.separators, case.html, anchor=anchor)
    place = begin(text, start, is_own_token(forms[0]) or is_tag(forms[0], case.html), anchor)
    for name, match_at in compiled(source).items():
        # RE2 reads UTF-8, which has no lone surrogates; `re` takes U+001C to U+001F for white space, Unicode does not.
        if re.search({"re2": SURROGATES, "re": "[\x1c-\x1f]", "regex": "(?!)"}[name], text):
            continue
        match = match_at(text, place)
        assert match is not None, (name, source, text[place:])
        assert match.span(1) == (start, end), (name, source, text[place:])


@pytest.mark.parametrize("html", [False, True], ids=["text", "html"])
@examples(300)
@given(st.data())
def test_every_occurrence_is_matched(html: bool, data: st.DataObject) -> None:
    case = readable_elsewhere(data.draw(cases(html)))
    documents = (*case.texts, *case.others)
    for string in mine_strings(case, documents)[:40]:
        for number, start, end in string.occurrences[:5]:
            match_everywhere(case, string.forms, "", documents[number], start, end)


@examples(200)
@given(st.data(), st.sampled_from([anchor for anchor in ANCHORS if anchor]))
def test_anchored_expressions_match_where_they_count(data: st.DataObject, anchor: str) -> None:
    case = readable_elsewhere(data.draw(cases(data.draw(st.booleans()))))
    pack = case.pack()
    for template in [one for one in pack.templates if not one.slot][:4]:
        forms = tuple(pack.forms(template))
        one = replace(pack, templates=(replace(template, anchor=anchor),))
        for text in case.texts:
            for start, end in found_alone(one, text):
                match_everywhere(case, forms, anchor, text, start, end)


def found_alone(pack: Pack, text: str) -> list[tuple[int, int]]:
    """Where the only template of a pack stands, in characters, before any union."""
    encoded = EncodedText(text, pack.patterns, pack.tokenise.separators)
    starts, ends, _ = pack.matcher()[0].find(encoded.data)
    edges = np.unique(np.concatenate([starts, ends]))
    place = dict(zip(edges.tolist(), encoded.code_points(edges).tolist(), strict=True))
    return [(place[start], place[end]) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


@examples(200)
@given(st.data(), st.randoms(use_true_random=False))
def test_order_of_documents_changes_nothing(data: st.DataObject, random: Any) -> None:
    case = data.draw(cases(data.draw(st.booleans())))
    documents = [*case.texts, *case.others]
    order = list(range(len(documents)))
    random.shuffle(order)
    before = {one.forms: (one.df, set(one.occurrences)) for one in mine_strings(case, documents)}
    after = mine_strings(case, [documents[place] for place in order])
    assert {one.forms: (one.df, {(order[n], a, b) for n, a, b in one.occurrences}) for one in after} == before


# ------------------------------------------------------------------------------------------------------- marked text


@pytest.mark.parametrize("html", [False, True], ids=["text", "html"])
@examples(300)
@given(st.data())
def test_marked_text_leads_back(html: bool, data: st.DataObject) -> None:
    """What is not marked stands in marked text as it was, and every edge of a token is found again."""
    case = data.draw(cases(html))
    for text in case.texts:
        marked = rewrite_marks(text, case.patterns, case.separators, html, {})
        spans, _ = scan(text, case.patterns, case.separators, html)
        edges = {marked.original_offset(place) for place in range(len(marked.text) + 1)}
        assert {edge for span in spans for edge in span} | {0, len(text)} <= edges
        for place, char in enumerate(marked.text):
            if ord(char) < 0xF0000:
                assert text[marked.original_offset(place)] == char


def test_private_characters_of_a_text_are_no_marks() -> None:
    patterns = pattern_set("news")
    for group in LOOKALIKES:
        for text in group:
            if text >= "\U000f0000":
                marked = rewrite_marks(text, patterns, "-", True, {b"<p>": "\U000f1000"}).text
                assert (marked == text) == (text >= "\U00100000")
                assert not set(marked) & {chr(0xF0000 + number) for number in range(256)} | {
                    "\U000f0fff",
                    "\U000f1000",
                } & set(marked)
    tag = rewrite_marks("<P><b>", patterns, "-", True, {b"<p>": "\U000f1000"}).text
    assert tag == "\U000f1000\U000f0fff"


def test_tags_in_marked_text_hold_user_patterns() -> None:
    patterns = pattern_set("news", (UserPattern(name="part", regex="menu[a-z]"),))
    marked = rewrite_marks("<p class=menub>", patterns, "-", True, {})
    assert len(marked.text) == 1
    assert (
        tag_form("<p class=\U000f0080 id=\U000f0ffe\U00100001>", patterns)
        == b'<p class="\xff\x80" id="\xf3\xb0\x80\x81">'
    )


# -------------------------------------------------------------------------------------------------------- by example


@pytest.mark.parametrize(
    ("text", "matches", "others"),
    [
        (
            "read more",
            ["read more", " read\nmore ", "read-more", "(x) read \xa0- more-x"],
            ["readmore", "xread more", "read more."],
        ),
        ("Comments(12)", ["Comments(7)", "Comments(1,234) x"], ["Comments()", "Comments(x)", "Comments(7))"]),
        ("on 2013-11-26 at", ["on 2024-01-02T10:00Z at"], ["on 2024-01 at"]),
        ("日本 5", ["日本 7", "日\n本7", "x日 本-7 y"], ["日本x7"]),
        ("a.b", ["a.b", "中a.b国"], ["aXb", "a.bc"]),
    ],
)
def test_what_expressions_match(text: str, matches: list[str], others: list[str]) -> None:
    patterns = pattern_set("news")
    _, forms = scan(text, patterns, "-", False)
    source = expression(forms, patterns, "-", False)
    for engine in (re.compile(source), regex.compile(source), re2.compile(for_re2(source))):
        assert [one for one in matches if not engine.search(one)] == []
        assert [one for one in others if engine.search(one)] == []


@pytest.mark.parametrize(
    ("page", "matches", "others"),
    [
        ("<p>", ["<p>", "<P class=x>", "<p\n>", "<p/>"], ["<pre>", "</p>", "<p"]),
        (
            "<li class='a b' id=c>",
            ["<li class='a b' id=c>", '<LI id="c" data-x class="a  b">', "<li x id=c class='a b'/>"],
            ["<li class=a id=c>", "<li id=c>"],
        ),
        ("<li class='item-7'>", ["<li class=item-12 >"], ["<li class=item-x>"]),
        ("<!-- x -->", ["<!-- x -->", "<!-->", "<!--->", "<!---->", "<!-- never closed"], ["<! x>"]),
        (
            "<script>x</script>",
            ["<SCRIPT src=a>y</script >", "<script>never closed", "<script"],
            ["<scripts>", "<style></style>"],
        ),
        ("</div>", ["</div>", "</DIV >"], ["<div>", "</divx>"]),
    ],
)
def test_what_expressions_of_tags_match(page: str, matches: list[str], others: list[str]) -> None:
    patterns = pattern_set("news")
    _, forms = scan(page, patterns, "-", True)
    source = expression(forms, patterns, "-", True)
    for engine in (re.compile(source), regex.compile(source), re2.compile(for_re2(source))):
        assert [one for one in matches if not engine.fullmatch(one)] == []
        assert [one for one in others if engine.fullmatch(one)] == []


def test_user_patterns_in_expressions_of_tags() -> None:
    patterns = pattern_set("news", (UserPattern(name="part", regex="menu[a-z]"),))
    _, forms = scan("<p id=xmenub-7>", patterns, "-", True)
    source = expression(forms, patterns, "-", True)
    for engine in (re.compile(source), regex.compile(source), re2.compile(for_re2(source))):
        assert engine.fullmatch("<P class=a id='xmenuz-12'>")
        assert not engine.fullmatch("<p id=xmenu-7>")


def test_white_space_of_re2_is_that_of_unicode() -> None:
    joint = re2.compile(for_re2(expression([b"a", b"b"], pattern_set("none"), "-", False)))
    white = regex.findall(r"\s", "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)])))
    assert [char for char in white if not joint.search(f"x{char}a{char}b{char}x")] == []
    assert not joint.search("a\x1cb")
    line = re2.compile(for_re2(expression([b"a"], pattern_set("none"), "-", False, anchor="line")))
    inner = [char for char in white if char not in LINE_BREAKS]
    assert [char for char in inner if not line.search(f"x\n{char}-a-{char}\u2028x")] == []
    assert [char for char in inner if line.search(f"x\nx{char}a\n")] == []
