"""Where tokens begin and end: the native scanner against the readable one of `reference`."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

import reference
from strategies import MARKUP, ODD_SEPARATORS, SEPARATORS, examples, texts
from templatemine.text import _scan
from templatemine.text.characters import LETTER
from templatemine.text.expressions import OWN_TOKEN, EncodedText, rewrite_marks
from templatemine.text.patterns import PRESETS, PatternSet, pattern_set

NEWS = pattern_set("news")


def native_tokens(text: str, separators: str, patterns: PatternSet, html: bool) -> list[tuple[int, int, int]]:
    """Tokens as (start, end, kind) in characters."""
    encoded = EncodedText(text, patterns, separators)
    starts, ends, kinds = _scan.Tokeniser(*patterns.scanner_arguments(separators, html)).token_spans(encoded.data)
    columns = (encoded.code_points(starts).tolist(), encoded.code_points(ends).tolist(), kinds.tolist())
    return list(zip(*columns, strict=True))


def words(text: str, separators: str = "-", patterns: PatternSet = NEWS, html: bool = False) -> list[str]:
    """The tokens of a text as they stand in it."""
    return [text[start:end] for start, end, _ in native_tokens(text, separators, patterns, html)]


def line_starts(text: str, separators: str, patterns: PatternSet, html: bool) -> list[bool]:
    """For each token, whether the tokeniser puts a line break before it."""
    native = _scan.Tokeniser(*patterns.scanner_arguments(separators, html), True)
    native.add_all([text.encode("utf-8", "surrogatepass")])
    forms, _, arena, offsets = native.finish()
    assert bytes(arena[offsets[0] : offsets[1]]) == b"\n"
    before = [True, *(forms[:-1] == 0).tolist()]
    assert not any(a and b for a, b in zip(forms == 0, (forms == 0)[1:], strict=False))
    return [first for first, form in zip(before, forms, strict=False) if form != 0]


@st.composite
def settings_of(draw: st.DrawFn) -> tuple[str, str]:
    preset = draw(st.sampled_from(sorted(PRESETS)))
    return preset, draw(st.sampled_from(SEPARATORS + ODD_SEPARATORS if preset == "none" else SEPARATORS))


@pytest.mark.parametrize("html", [False, True], ids=["text", "html"])
@examples(500)
@given(st.data(), settings_of())
def test_tokens_are_those_of_the_reference(html: bool, data: st.DataObject, setting: tuple[str, str]) -> None:
    text = data.draw(texts(html))
    preset, separators = setting
    patterns = pattern_set(preset)
    expected = reference.tokens(text, separators, patterns, html)
    assert native_tokens(text, separators, patterns, html) == [(one.start, one.end, one.kind) for one in expected]


@pytest.mark.parametrize("html", [False, True], ids=["text", "html"])
@examples(300)
@given(st.data(), settings_of())
def test_line_starts_are_those_of_the_reference(html: bool, data: st.DataObject, setting: tuple[str, str]) -> None:
    text = data.draw(texts(html))
    preset, separators = setting
    patterns = pattern_set(preset)
    expected = [one.first for one in reference.tokens(text, separators, patterns, html)]
    if expected:
        assert line_starts(text, separators, patterns, html) == [True, *expected[1:]]


@examples(500)
@given(st.data(), settings_of())
def test_marks_are_those_of_the_expression(data: st.DataObject, setting: tuple[str, str]) -> None:
    """Scanner and normaliser together find what `mark_regex` finds on the running text."""
    text = data.draw(texts(most=12))
    preset, separators = setting
    patterns = pattern_set(preset)
    native = _scan.Tokeniser(*patterns.scanner_arguments(separators, False))
    found = []
    for start, end, kind in native_tokens(text, separators, patterns, False):
        form = native.form(text[start:end].encode("utf-8", "surrogatepass"), kind)
        found += [number for number in range(1, 8) for _ in range(form.count(bytes((0xFF, number))))]
    expected = (
        [patterns.id_of[str(hit.lastgroup)] for hit in patterns.mark_regex.finditer(text)]
        if patterns.mark_regex
        else []
    )
    marked = rewrite_marks(text, patterns, separators, False, {}).text
    # An escaped character is two: the first of them is no mark.
    seen = [ord(char) - 0xF0000 for char in marked if 0xF0000 < ord(char) < 0xF0080]
    assert sorted(found) == sorted(expected) == sorted(seen)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t- -- ", []),
        ("one two", ["one", "two"]),
        ("one-two--three-", ["one", "two", "three"]),
        ("-one", ["one"]),
        ("a\xa0b\u3000c\u2028d\x85e", ["a", "b", "c", "d", "e"]),
        ("a\x1cb\u200bc", ["a\x1cb\u200bc"]),
        ("a\x00b", ["a\x00b"]),
        ("2013-11-26", ["2013-11-26"]),
        ("x-2013-11-26-y", ["x", "2013-11-26", "y"]),
        ("on 2013-11-261", ["on", "2013", "11", "261"]),
        ("see http://a-b.org/c-d.", ["see", "http://a-b.org/c-d."]),
        ("first-last@a-b.org", ["first-last@a-b.org"]),
        ("(x-y@a-b.org)-z", ["(x-y@a-b.org)", "z"]),
        ("call 1-800-555-0100 now", ["call", "1-800-555-0100", "now"]),
        ("123e4567-e89b-12d3-a456-426614174000", ["123e4567-e89b-12d3-a456-426614174000"]),
        ("中国ab、c", ["中", "国", "ab", "、", "c"]),
        ("１２％", ["１２", "％"]),
        ("a<b>c", ["a<b>c"]),
        ("\ud800a \udfff", ["\ud800a", "\udfff"]),
        ("\U00020000x\U0001f600", ["\U00020000", "x\U0001f600"]),
    ],
)
def test_text(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("a<b>c", ["a", "<b>", "c"]),
        ("a<3 b", ["a<3", "b"]),
        ("<p class='x y'>a-b</p>", ["<p class='x y'>", "a", "b", "</p>"]),
        ("a<!-- > -->b", ["a", "<!-- > -->", "b"]),
        ("a<!-->b-->", ["a", "<!-->", "b", ">"]),
        ("a<!--->b", ["a", "<!--->", "b"]),
        ("a<!--b->c", ["a", "<!--b->c"]),
        ("<script>if (a<b) '<p>'</script>x", ["<script>if (a<b) '<p>'</script>", "x"]),
        ("<script>a</scripts></SCRIPT >x", ["<script>a</scripts></SCRIPT >", "x"]),
        ("<scripts>a", ["<scripts>", "a"]),
        ("<style>a", ["<style>a"]),
        ("<\u017ftyle>a b", ["<\u017ftyle>a", "b"]),
        ("a<p", ["a", "<p"]),
        ("</ x>", ["</ x>"]),
        ("中<b>国</b>", ["中", "<b>", "国", "</b>"]),
        ("<", ["<"]),
    ],
)
def test_html(page: str, expected: list[str]) -> None:
    assert words(page, html=True) == expected


@pytest.mark.parametrize(
    ("text", "separators", "expected"),
    [
        ("@who a@b.org", "@", ["@who", "a@b.org"]),
        ("x@y", "@", ["x", "y"]),
        ("@", "@", []),
        ("+1-555-123-4567+2", "-+", ["+1-555-123-4567", "2"]),
        ("(202)555-0100(x(", "(", ["(202)555-0100", "x"]),
        ("a-b|c", "|", ["a-b", "c"]),
        ("a-b", "", ["a-b"]),
    ],
)
def test_other_separators(text: str, separators: str, expected: list[str]) -> None:
    assert words(text, separators) == expected


@pytest.mark.parametrize("page", MARKUP)
def test_each_piece_of_markup_alone(page: str) -> None:
    expected = [(one.start, one.end, one.kind) for one in reference.tokens(page, "-", NEWS, True)]
    assert native_tokens(page, "-", NEWS, True) == expected


def test_all_of_unicode() -> None:
    """Every character of the first plane and the edges of the others, each between two letters."""
    starts = [*range(0, 0x10000, 0x1000), *(plane * 0x10000 + edge for plane in range(1, 17) for edge in (0, 0xFF00))]
    for first in starts:
        text = "".join(f"a{chr(code)}a" for code in range(first, first + (0x1000 if first < 0x10000 else 0x100)))
        found = native_tokens(text, "-", NEWS, False)
        assert found == [(one.start, one.end, one.kind) for one in reference.tokens(text, "-", NEWS, False)], hex(first)


EVERYTHING = "".join(map(chr, range(0x110000)))


@cache
def own_characters() -> list[str]:
    return [char for char in EVERYTHING if reference.is_own(char)]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("MORE:Obama undecided", ["MORE:", "Obama", "undecided"]),
        ("REUTERS/Jim Young/File", ["REUTERS/", "Jim", "Young/", "File"]),
        ("(CNN)The news", ["(CNN)", "The", "news"]),
        ("at 10:30 on 24/7 (a)1", ["at", "10:30", "on", "24/7", "(a)1"]),
        ("see http://x.org/a/b:c and a/http://x.org", ["see", "http://x.org/a/b:c", "and", "a/http://x.org"]),
        ("ends: / ) :", ["ends:", "/", ")", ":"]),
        # Of an address nothing is a joint, of what follows it is.
        ("http://x.org/Über http://x.org/a:é", ["http://x.org/Über", "http://x.org/a:", "é"]),
        ("تقرير:خاص", ["تقرير:", "خاص"]),
    ],
)
def test_a_letter_glued_to_a_joint_begins_a_token(text: str, tokens: list[str]) -> None:
    data = text.encode()
    native = _scan.Tokeniser(*pattern_set("news").scanner_arguments("-", False))
    starts, ends, _ = native.token_spans(data)
    assert [data[a:b].decode() for a, b in zip(starts, ends, strict=True)] == tokens
    plain = _scan.Tokeniser(*pattern_set("thesis").scanner_arguments("-", False))
    assert len(plain.token_spans(data)[0]) == len(text.split())


def test_letters_are_those_of_the_scanner() -> None:
    """The class in the expressions against the native table, character by character."""
    native = _scan.Tokeniser(*pattern_set("news").scanner_arguments("-", False))
    letters = {*regex.findall(f"[{LETTER}]", EVERYTHING)}
    others = reference.WHITE.union(own_characters())
    chars = [char for char in EVERYTHING if char not in others]
    words = [f"a:{char} ".encode("utf-8", "surrogatepass") for char in chars]
    edges = np.cumsum([0, *map(len, words)])
    tokens = np.diff(np.searchsorted(native.token_spans(b"".join(words))[0], edges))
    assert set(tokens.tolist()) == {1, 2}
    ends_one = {char for char, number in zip(chars, tokens.tolist(), strict=True) if number == 2}
    assert sorted(map(hex, map(ord, ends_one ^ letters.intersection(chars)))) == []


def test_the_class_of_own_tokens_is_that_of_the_reference() -> None:
    assert regex.findall(f"[{OWN_TOKEN}]", EVERYTHING) == own_characters()


def test_white_space_is_that_of_unicode() -> None:
    assert (
        set(regex.findall(r"\p{White_Space}", EVERYTHING)) == set(regex.findall(r"\s", EVERYTHING)) == reference.WHITE
    )


@given(st.binary(max_size=40))
def test_bytes_that_are_no_utf8_are_scanned_without_harm(data: bytes) -> None:
    for html in (False, True):
        scanner = _scan.Tokeniser(*NEWS.scanner_arguments("-", html))
        starts, ends, kinds = scanner.token_spans(data)
        assert np.all(starts < ends)
        assert np.all(ends[:-1] <= starts[1:])
        assert not len(ends) or ends[-1] <= len(data)
        for start, end, kind in zip(starts, ends, kinds, strict=True):
            scanner.form(data[start:end], int(kind))


def test_offsets_become_code_points() -> None:
    text = "aé中\U0001f600\ud800z"
    data = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
    edges = np.cumsum([0, *(len(char.encode("utf-8", "surrogatepass")) for char in text)])
    assert _scan.code_points(data, edges).tolist() == list(range(len(text) + 1))
    assert _scan.code_points(data, np.array([0, 0, 1, 1, 3], np.int64)).tolist() == [0, 0, 1, 1, 2]


def test_code_points_of_long_texts_are_counted() -> None:
    """They are counted by columns of bytes, which hold 255."""
    for text in ("a" * 9000, "é" * 5000, "a中" * 3000 + "😀" * 700):
        data = np.frombuffer(text.encode(), np.uint8)
        for end in (*range(34), 4079, 4080, 4081, 4095, 4096, 4097, 8161, len(data)):
            expected = sum(byte & 0xC0 != 0x80 for byte in data[:end].tolist())
            assert _scan.code_points(data, np.array([end], np.int64)).tolist() == [expected]


WIDE = st.sampled_from(["a", "é", "ÿ", "“", "中", "\ud800", "😀", " ", "\n", "-", "7", "z" * 17])


@examples(400)
@given(st.lists(st.lists(WIDE, max_size=60).map("".join)))
def test_a_str_is_read_as_its_utf8(texts: list[str]) -> None:
    """Of any width of character, with lone surrogates, and beside bytes in one batch."""
    one, other = (_scan.Tokeniser(*NEWS.scanner_arguments("-", False), True) for _ in range(2))
    one.add_all([text if place % 3 else text.encode("utf-8", "surrogatepass") for place, text in enumerate(texts)])
    other.add_all([text.encode("utf-8", "surrogatepass") for text in texts])
    for left, right in zip(one.finish(), other.finish(), strict=True):
        assert bytes(left) == bytes(right)


def test_documents_are_str_or_bytes() -> None:
    native = _scan.Tokeniser(*NEWS.scanner_arguments("-", False), True)
    for wrong in (None, 3, bytearray(b"a")):
        with pytest.raises(TypeError):
            native.add_all([wrong])  # type: ignore[list-item]
