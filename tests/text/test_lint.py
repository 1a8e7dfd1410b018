"""Which expressions may backtrack exponentially."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import examples
from templatemine.text.lint import FREE_ROUNDS, MAX_SIZE, backtracking_problem, re2_problem, size_problem
from templatemine.text.patterns import TABLE


@pytest.mark.parametrize(
    "pattern",
    [
        "read more",
        r"read[\s\-]+more",
        "a+b+c+",
        "(?:ab|cd)+",
        "(?:a|b)*",
        "(?:a{3})+",
        r"(?:[0-9]{1,3},){3}",
        "a{2,5}",
        "(?:(?:ab){2}c)+",
        "(?=read)more",
        "(?i)(?:Read|More)+",
        "(?:a+)?",
        "x?" * 5,
        "(?>a+)b",
        "",
        r"By [^,]*, .* and more",
        r"by(?: [A-Z]\w+){1,8}",
        r"\s*(?:Photo|Image):? \(?[^()\s]*\)?\s*(?:by |from )?\w+",
        "(?:Mon|Tue|Wed|Thu|Fri) (?:January|February|March|April|May|June|July) [0-9]{1,2}(?:, [0-9]{4})? " * 4,
        "(?:Ιαν|Ιουν|Ιουλ|Μαρ|Μαΐ) " * 12,
        f"(?:{'|'.join(f'{number:x}word' for number in range(0x1000, 0x1C00))})",
        "(?:(?:a{5}){5}){10}b",
        "(?:a?){10}b",
    ],
)
def test_accepted(pattern: str) -> None:
    assert backtracking_problem(pattern) is None


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("(a+)+b", "a repeat within a repeat"),
        ("(?:a*)*", "a repeat within a repeat"),
        ("(?:a+?)+?b", "a repeat within a repeat"),
        ("(?:a{1,2})*b", "a repeat within a repeat"),
        ("(?:a?){25}a{25}", "a repeat within a repeat"),
        ("(?:a?a)*b", "a repeat within a repeat"),
        ("((a?){4}){4}", "a repeat within a repeat"),
        ("(?:(?:a|b)+c)*", "a repeat within a repeat"),
        ("(?:x(?=a+))+", "a repeat within a repeat"),
        ("(?>a+)+", "a repeat within a repeat"),
        ("(?:a|ab)*c", "alternatives under a repeat begin alike"),
        ("(?:|a)*", "alternatives under a repeat begin alike"),
        ("(?:[ab]x|ay)+", "alternatives under a repeat begin alike"),
        ("(?i)(?:ab|Ab)+$", "alternatives under a repeat begin alike"),
        ("(?i)(?:sa|\u017fb)+$", "alternatives under a repeat begin alike"),
        (r"(a)\1", "back-reference"),
        ("(a)?(?(1)b|c)", "back-reference"),
        ("(?P<x>a)(?P=x)", "back-reference"),
        ("(?:[ab]|[ac]d?)" * 24 + "[xy]", "too many ways"),
        ("a?" * 25 + "a" * 25, "too many ways"),
        ("(?i)" + "(?:k|\u212ad?)" * 12 + "c", "too many ways"),
        ("(?:ab?|abc|[^x])" * 12 + "c", "too many ways"),
        (r"(?:\w|[^\W\d]1?)" * 12 + "c", "too many ways"),
        ("a*" * 12 + "b", "too many ways"),
        (r"aa+?[\w-]+-+", r"a+? and [\w-]+ can share out 'a'"),
        (r"By .*, .* and .*: .*", ".* and the next .* can share out '!, '"),
        ("(?:(?:a{1000}){1000}){100}b", "is too large"),
        ("(?:(?=a{60000})b|c)", "is too large"),
        ("a{4294967294}", "is too large"),
        ("(?:" * 400 + "a" + ")?b" * 400, "does not compile"),
        ("(", "does not compile"),
        ("a{3}{3}", "does not compile"),
        ("[b-a]", "does not compile"),
    ],
)
def test_refused(pattern: str, problem: str) -> None:
    assert problem in (backtracking_problem(pattern) or "")


def test_a_deep_expression_is_refused_and_not_fatal() -> None:
    found = backtracking_problem("(?:" * 20_000 + "a" + ")" * 20_000)
    assert found is None or "does not compile" in found


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_rows_of_the_table_take_linear_time(row: object) -> None:
    """The rows hold repeats in repeats that a separator keeps apart; what they cost is measured."""
    compiled = re.compile(row.expression + "\x00")  # type: ignore[attr-defined]
    for piece in (
        "1",
        "1.",
        "1:",
        "a-",
        "a.",
        "a@",
        "a@b-",
        "a@b.",
        "http://",
        "www.",
        "A.",
        "_",
        "=",
        "Ab",
        "0a",
        "555-",
    ):
        start = time.process_time()
        compiled.match(piece * 3000)
        assert time.process_time() - start < 1.0, piece


atoms = st.sampled_from(["a", "b", "[ab]", ".", "ab"])
expressions = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "*?", "{12}"])).map(
            lambda one: f"(?:{one[0]}){one[1]}"
        ),
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda some: f"(?:{'|'.join(some)})"),
    ),
    max_leaves=6,
)


@pytest.mark.slow
@pytest.mark.alone
@examples(200)
@given(expressions)
def test_what_is_accepted_does_not_explode(pattern: str) -> None:
    """Twice the text never takes more than some twenty times as long."""
    if backtracking_problem(pattern) is not None:
        return
    compiled = re.compile(f"(?:{pattern})\x00")
    for text in ("a" * 40, "ab" * 20):
        start = time.process_time()
        compiled.match(text)
        compiled.match(text * 2)
        assert time.process_time() - start < 2.0


def test_the_bound() -> None:
    assert backtracking_problem(f"(?:a?){{{FREE_ROUNDS}}}") is None
    assert backtracking_problem(f"(?:a?){{{FREE_ROUNDS + 1}}}") is not None


def test_the_bound_of_the_size() -> None:
    """What is written out in full may be of any length; repeats may not unroll to far more."""
    assert size_problem("a" * MAX_SIZE * 10) is None
    assert size_problem(f"a{{{MAX_SIZE}}}") is None
    assert size_problem(f"a{{{MAX_SIZE * 2}}}") is not None
    assert size_problem("[") is not None


@pytest.mark.parametrize(
    ("pattern", "known"),
    [
        ("a{1000}", True),
        ("a{1001}", False),
        ("(?:a{20}b){50}", True),
        ("(?:a{20}b){51}", False),
        ("(?:a{2,}b){0,500}", True),
        ("(?:(?:a{40}){6}){5}b", False),
        ("(?:a{1000}b)+", True),
        (r"(?>a)", False),
    ],
)
def test_what_re2_has(pattern: str, known: bool) -> None:
    """Rounds of repeats count with those of what they stand in."""
    assert (re2_problem(pattern) is None) == known
    re2 = pytest.importorskip("re2")
    quiet = re2.Options()
    quiet.log_errors = False
    try:
        re2.compile(pattern, quiet)
    except re2.error:
        assert not known
    else:
        assert known


@pytest.mark.parametrize("pattern", ["(?:" * 60 + "[ab]" + "c)?" * 60, "(?:" * 60 + "a" + "|b)" * 60])
def test_the_lint_itself_takes_little_time(pattern: str) -> None:
    start = time.process_time()
    backtracking_problem(pattern)
    assert time.process_time() - start < 1.0
