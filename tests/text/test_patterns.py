"""The table of mutable patterns, a row a test, and patterns of the user's own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import re2
import regex

from templatemine.config import UserPattern
from templatemine.errors import CapacityError, ConfigError
from templatemine.text import _scan, linear
from templatemine.text.expressions import expression, for_re2
from templatemine.text.patterns import (
    FIRST_USER_ID,
    MAX_USER_PATTERNS,
    PRESETS,
    TABLE,
    Pattern,
    load_user_patterns,
    make_pattern_set,
    parse_form,
    pattern_set,
)

EVERYTHING = make_pattern_set(row.name for row in TABLE)
SEPARATORS = regex.compile(r"[\s\-]")


def form(token: str, *names: str) -> str:
    """The readable form of a token with only some rows switched on."""
    patterns = make_pattern_set(names)
    native = _scan.Tokeniser(*patterns.scanner_arguments("-", False))
    return patterns.readable(native.form(token.encode()))


# -------------------------------------------------------------------------------------------------------- the table


@pytest.mark.parametrize(
    ("row", "token"), [(row, token) for row in TABLE for token in row.yes], ids=lambda one: getattr(one, "name", one)
)
def test_tokens_of_a_row(row: Pattern, token: str) -> None:
    """By the scanner, which knows the row by its number, and by the expression."""
    names = {row.name, "number"}
    assert form(token, *names) == f"{{{row.name}}}"
    for engine in (re, regex, re2):
        assert engine.fullmatch(row.expression, token)
    if row.kind == "mark":
        assert regex.fullmatch(row.found, token)


@pytest.mark.parametrize(
    ("row", "token"), [(row, token) for row in TABLE for token in row.no], ids=lambda one: getattr(one, "name", one)
)
def test_other_tokens(row: Pattern, token: str) -> None:
    assert form(token, row.name, "number") != f"{{{row.name}}}"
    if row.kind == "mark":
        assert not regex.fullmatch(row.found, token)
    else:
        assert not regex.fullmatch(row.expression, token)


@pytest.mark.parametrize("row", [row for row in TABLE if row.kind != "joint"], ids=lambda row: row.name)
def test_the_scanner_and_the_table_number_the_rows_alike(row: Pattern) -> None:
    patterns = make_pattern_set({row.name, "number"})
    native = _scan.Tokeniser(*patterns.scanner_arguments("-", False))
    number = TABLE.index(row) + 1
    assert native.form(row.yes[0].encode()) == bytes((0xFF, number))
    assert patterns.by_id[number] == (row.name, row.expression)
    assert patterns.id_of[row.name] == number


@pytest.mark.parametrize("row", [row for row in TABLE if row.words], ids=lambda row: row.name)
def test_every_word_of_a_list(row: Pattern) -> None:
    for word in row.words:
        assert form(word, row.name) == f"{{{row.name}}}"
        assert form(f"({word}),", row.name) == f"({{{row.name}}}),"
        assert form(word + "x", row.name) == word + "x"
        assert re.fullmatch(row.expression, word)


def test_no_word_stands_in_two_lists() -> None:
    words = [word for row in TABLE for word in row.words]
    assert len(words) == len(set(words))


def test_rows() -> None:
    names = [row.name for row in TABLE]
    assert len(names) == len(set(names)) < FIRST_USER_ID
    for row in TABLE:
        assert row.kind in ("mark", "shape", "words", "joint")
        assert bool(row.words) == (row.kind == "words") != bool(row.regex)
        assert bool(row.yes) == bool(row.no) == (row.kind != "joint")
        assert re.compile(row.expression).groups == 0
        assert regex.fullmatch("[a-z][a-z_]*", row.name)


def test_the_thesis_has_sixteen_expressions() -> None:
    """Thesis 4 is three rows by kind of joint; 8 to 11 and 16 are lists."""
    thesis = [row.name for row in TABLE if row.thesis]
    assert len(thesis) == 16 + 2
    assert PRESETS["thesis"] == set(thesis)
    assert PRESETS["none"] == set()
    assert PRESETS["news"] == {row.name for row in TABLE if row.news}


@pytest.mark.parametrize(
    ("token", "others"),
    [
        ("September.", ["November."]),
        ("by.", []),
        ("ABCDEF.", ["XYZABCD.", "ÉTÉ.", "ABÉ."]),
        ("Tuesday.", ["Wednesday."]),
    ],
)
def test_what_an_abbreviation_is_stands_in_no_list_before_a_full_stop(token: str, others: list[str]) -> None:
    """ "Mar." is an abbreviation in the thesis's table, so the expression of "September." must not match it."""
    patterns = pattern_set("thesis")
    native = _scan.Tokeniser(*patterns.scanner_arguments("-", False))
    source = expression([native.form(token.encode())], patterns, "-", False)
    for engine in (re.compile(source), regex.compile(source), re2.compile(for_re2(source))):
        assert engine.fullmatch(token)
        assert all(engine.fullmatch(other) for other in others)
        assert not any(engine.fullmatch(other) for other in ("Mar.", "May.", "By.", "NEWS.", "Thurs.", "É."))


# ------------------------------------------------------------------------------------------------------------- forms


def test_pieces_of_forms() -> None:
    assert parse_form(b"Comments(\xff\x08)") == ["Comments(", 8, ")"]
    assert parse_form(b"\xff\x08\xff\x0b") == [8, 11]
    assert parse_form("é\ud800".encode("utf-8", "surrogatepass")) == ["é\ud800"]
    assert parse_form(b"") == []


@pytest.mark.parametrize(
    ("token", "problem"),
    [
        ("{", "lone brace at character 0"),
        ("a}b", "lone brace at character 1"),
        ("{nothing}", "unknown pattern {nothing}"),
        ("", "empty token"),
    ],
)
def test_tokens_that_cannot_be_read(token: str, problem: str) -> None:
    with pytest.raises(ValueError, match=re.escape(problem)):
        EVERYTHING.from_readable(token)


def test_an_unknown_pattern_is_told_the_known_ones() -> None:
    patterns = make_pattern_set(["url", "date"], (UserPattern(name="issue", regex="No[0-9]+"),))
    with pytest.raises(ValueError, match="^unknown pattern {foo}; known: url, date, issue$"):
        patterns.from_readable("{foo}")


def test_readable_forms_of_user_patterns() -> None:
    patterns = pattern_set("none", (UserPattern(name="issue", regex="No[0-9]+"),))
    assert patterns.readable(b"x\xff\x80{") == "x{issue}{{"
    assert patterns.from_readable("x{issue}{{") == b"x\xff\x80{"


# ----------------------------------------------------------------------------------------------------------- separators


@pytest.mark.parametrize(
    ("separators", "preset", "html", "problem"),
    [
        ("a", "none", False, "expected ASCII punctuation, got 'a'"),
        (" ", "none", False, "expected ASCII punctuation, got ' '"),
        ("–", "none", False, "expected ASCII punctuation, got '–'"),
        (".", "news", False, "'.' is a part of the pattern 'number'"),
        ("-$", "thesis", False, "'$' is a part of the pattern 'price'"),
        ("_", "news", False, "'_' is a part of the pattern 'rule'"),
        ("<", "none", True, "'<' is mark-up in HTML"),
        ("-+|;!?&'", "none", False, "at most 7 characters, got 8"),
    ],
)
def test_separators_that_are_refused(separators: str, preset: str, html: bool, problem: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(problem)):
        pattern_set(preset).scanner_arguments(separators, html)


def test_separators_that_are_taken() -> None:
    _scan.Tokeniser(*pattern_set("none").scanner_arguments("._<>$", False))
    _scan.Tokeniser(*pattern_set("news").scanner_arguments("-+|;!?&", True))


# ------------------------------------------------------------------------------------------------------- user patterns


def own(*patterns: UserPattern) -> list[tuple[int, int, int]]:
    return pattern_set("none", patterns).user_matches("No 12, No13 and Nr-5: 12-12", SEPARATORS)


def test_a_pattern_of_the_user_that_takes_too_long_for_a_text_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear, "SECONDS", 0.002)
    monkeypatch.setattr(linear, "SECONDS_PER_CHARACTER", 0.0)
    slow = pattern_set("none", [UserPattern(name="slow", regex="aa.*~|aa")])
    with pytest.raises(CapacityError, match=r"'aa\.\*~\|aa' takes longer than 0\.002 s for 5,000 characters"):
        slow.user_matches("a" * 5_000, SEPARATORS)
    assert slow.user_matches("aab~", SEPARATORS) == [(0, 4, 128)]


def test_matches_of_user_patterns() -> None:
    spanning = UserPattern(name="number", regex=r"N[or][ \-]?[0-9]+", spans=True).regex
    assert own(UserPattern(name="issue", regex=spanning, spans=True)) == [(0, 5, 128), (7, 11, 128), (16, 20, 128)]
    assert own(UserPattern(name="issue", regex=spanning)) == [(7, 11, 128)]


def test_earlier_patterns_win() -> None:
    first, second = UserPattern(name="a", regex="No1"), UserPattern(name="b", regex="[0-9]+")
    # The second pattern finds "13", of which the first has taken a part.
    assert own(first, second) == [(3, 5, 129), (7, 10, 128), (19, 20, 129), (22, 24, 129), (25, 27, 129)]
    assert own(second, first) == [(3, 5, 128), (9, 11, 128), (19, 20, 128), (22, 24, 128), (25, 27, 128)]


def test_empty_matches_do_not_count() -> None:
    assert own(UserPattern(name="a", regex="x*")) == []


def test_as_many_patterns_as_there_are_numbers() -> None:
    many = tuple(UserPattern(name=f"p{number}", regex=f"q{number}z") for number in range(MAX_USER_PATTERNS))
    patterns = pattern_set("news", many)
    assert max(patterns.by_id) == FIRST_USER_ID + MAX_USER_PATTERNS - 1 == 0xBF
    with pytest.raises(ConfigError, match=f"at most {MAX_USER_PATTERNS} own patterns, got {MAX_USER_PATTERNS + 1}"):
        pattern_set("news", (*many, UserPattern(name="more", regex="x")))


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        (UserPattern(name="Issue", regex="x"), "a name is lower-case letters, digits and _, got 'Issue'"),
        (UserPattern(name="", regex="x"), "got ''"),
        (UserPattern(name="x" * 41, regex="x"), "a name is"),
        (UserPattern(name="number", regex="x"), "the name 'number' is taken"),
        (UserPattern(name="issue", regex="("), "issue: the expression does not compile"),
        (UserPattern(name="issue", regex=r"\p{Lu}"), "issue: the expression does not compile"),
        (UserPattern(name="issue", regex="(?i)x"), "issue: the expression does not compile"),
        (UserPattern(name="issue", regex="a)(b"), "issue: the expression does not compile"),
        (UserPattern(name="issue", regex="(x)"), "issue: use (?:...) instead of capturing groups"),
        (UserPattern(name="issue", regex="(?<!x)y"), "issue: the expression uses a look-around"),
    ],
)
def test_user_patterns_that_are_refused(pattern: UserPattern, problem: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(problem)):
        make_pattern_set((), (pattern,))


def test_a_name_is_taken_once() -> None:
    with pytest.raises(ConfigError, match="the name 'a' is taken"):
        make_pattern_set((), (UserPattern(name="a", regex="x"), UserPattern(name="a", regex="y")))


def test_unknown_names() -> None:
    with pytest.raises(ConfigError, match="expected one of news, none, thesis, got 'all'"):
        pattern_set("all")
    with pytest.raises(ConfigError, match="unknown pattern 'nothing'"):
        make_pattern_set(("number", "nothing"))


def test_a_file_of_patterns(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        "[[pattern]]\nname = 'issue'\nregex = 'No [0-9]+'\nspans = true\n[[pattern]]\nname = 'ref'\nregex = '[A-Z]{2}[0-9]'\n"
    )
    assert load_user_patterns(path) == (
        UserPattern(name="issue", regex="No [0-9]+", spans=True),
        UserPattern(name="ref", regex="[A-Z]{2}[0-9]"),
    )


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "expected [[pattern]] tables and nothing else"),
        (b"name = 'x'", "expected [[pattern]] tables and nothing else"),
        (b"pattern = 3", "expected [[pattern]] tables and nothing else"),
        (b"pattern = [1, 2]", "expected [[pattern]] tables and nothing else"),
        (b"[[pattern]]\nname = 'x'\nregex = 'x'\n[other]\n", "expected [[pattern]] tables and nothing else"),
        (
            b"[[pattern]]\nname = 'x'\n",
            "pattern 1: expected name, regex (strings) and spans (true or false), got ['name']",
        ),
        (b"[[pattern]]\nname = 'x'\nregex = 5\n", "pattern 1: expected name, regex"),
        (b"[[pattern]]\nname = 'x'\nregex = 'x'\nspan = true\n", "got ['name', 'regex', 'span']"),
        (b"[[pattern]]\nname = 'x'\nregex = 'x'\nspans = 1\n", "pattern 1: expected name"),
        (b"[[pattern]]\nname = 'x'\nregex = '('\n", "x: the expression does not compile"),
        (b"[[pattern]]\nname =\n", "not TOML: Invalid value (line 2, column 7)"),
        (b"[[pattern]", "not TOML"),
        (b"\xff", "not TOML"),
    ],
)
def test_files_that_are_refused(tmp_path: Path, content: bytes, problem: str) -> None:
    path = tmp_path / "own.toml"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=re.escape(problem)) as caught:
        load_user_patterns(path)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(f"{path}: ")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml: cannot be read: No such file"):
        load_user_patterns(tmp_path / "none.toml")
