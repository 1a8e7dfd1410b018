"""Expressions of users in RE2, beside `regex`: the same matches in any script, in linear time, or refused by name."""

from __future__ import annotations

import pickle
import random
import re
import time

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from strategies import examples
from templatemine.errors import CapacityError
from templatemine.text import linear
from templatemine.text.linear import LinearExpression, RefusedExpression, compile_linear
from templatemine.text.patterns import TABLE

ATOMS = [
    *("a", "B", "é", "語", "ß", "ſ", "İ", "σ", "-", "1", "٣", "\u0301", "\u2028", "\U00010400"),
    *("[ab]", "[^a]", "[а-яё]", r"[^\W\d_]", r"[\w-]", "[一-龥]", r"[^\S\n]", "ab", "Σς", "ki"),
    *(r"\w", r"\W", r"\d", r"\D", r"\s", r"\S", ".", r"\n", "(?s:.)", "(?i:k)", "(?-i:K)"),
]
PLACES = [r"\b", r"\B", "^", "$", r"\A", r"\Z", "(?m:^)", "(?m:$)"]
TAILS = ["*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{2,}?"]
expressions = st.recursive(
    st.sampled_from(ATOMS + PLACES),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(ATOMS), st.sampled_from(TAILS)).map(lambda one: f"(?:{one[0]}){one[1]}"),
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda some: f"(?:{'|'.join(some)})"),
        st.tuples(st.lists(st.sampled_from(ATOMS), min_size=1, max_size=2).map("".join), st.sampled_from(TAILS)).map(
            lambda one: f"(?:{one[0]}){one[1]}"
        ),
    ),
    max_leaves=8,
)
texts = st.text(
    "aAbB1-_ \n\r\t\v\x1c\u00a0éÉßẞſsSKk\u212aİıiIσςΣ語國яЯё٣९\u0301\u200d\u2028\ud800\U00010400\U00010428", max_size=16
)


def beside(source: str, text: str) -> None:
    """Assert that the matches are those of `regex`, one after the other and from each place."""
    compiled, reference = compile_linear(source), regex.compile(source)
    group = 1 if reference.groups else 0
    for overlapped in (True, False):
        matches = list(reference.finditer(text, overlapped=overlapped))
        if overlapped or all(
            map(len, map(regex.Match.group, matches))
        ):  # behind an empty match `regex` does not move on
            wanted = [match.span(group) for match in matches if match.start(group) < match.end(group)]
            assert list(compiled.spans(text, overlapped=overlapped)) == wanted
    first = reference.search(text)
    assert compiled.find(text) == (first.span() if first else None)


@examples(600)
@given(st.sampled_from(["", "(?i)", "(?m)", "(?s)", "(?im)"]), expressions, st.booleans(), texts)
@example("", r"\bé+\b", False, "é éa éé")
@example("", "a$", False, "a\na\n")
@example("(?i)", "[^k]s", False, "\u212as ſſ")
def test_the_matches_are_those_of_regex(flags: str, source: str, grouped: bool, text: str) -> None:
    source = f"{flags}(?:b?)({source})" if grouped else flags + source
    try:
        compile_linear(source)
    except RefusedExpression as error:
        assert r"\Z or (?m:$)" in str(error)  # noqa: PT017
        return
    beside(source, text)


WORST = [
    (r"(?:a+)+b", "a"),
    (r"(?:a|aa)+b", "a"),
    (r"(?:a?){25}a{25}b", "a"),
    (r"(?:[ab]|[ac]d?){24}[xy]", "a"),
    (r"aa+?[\w-]+-+x", "a"),
    (r".+, .+ \(AP\)", "a, "),
    (r"By .*, .* and .*: .*;", "By a, b and c: d"),
    (r"a{1,200}a+[bc]", "a"),
    (r"[ab]*a[ab]{200}c", "aab"),
    (r"\w*é\w{200}x", "éa語"),
    (r"(?i)(?:k|\u212ad?){12}c", "kK\u212a"),
    (r"\b(?:\w+\s?)*é\b", "aé "),
]


@pytest.mark.parametrize(("source", "word"), WORST)
def test_the_worst_texts_take_linear_time(source: str, word: str) -> None:
    """Seconds to ages in engines that backtrack."""
    compiled = compile_linear(source)
    text = (word * 100_000)[:100_000]
    compiled.find(text)
    begin = time.thread_time()
    compiled.find(text)
    assert time.thread_time() - begin < 2.0


@pytest.mark.parametrize("seed", range(4))
def test_no_expression_takes_long(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(40):
        source = "".join(draw.choice(ATOMS) + draw.choice(["", *TAILS, "{0,90}"]) for _ in range(draw.randint(2, 9)))
        compiled = compile_linear(source)
        begin = time.thread_time()
        for word in ("a", "ab", "é-", "語1 ", "aAé\n"):
            compiled.find((word * 4_000)[:4_000])
        assert time.thread_time() - begin < 2.0, source


def test_many_matches_each_of_which_is_long_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear, "SECONDS", 0.001)
    monkeypatch.setattr(linear, "SECONDS_PER_CHARACTER", 0.0)
    compiled = compile_linear("[^x]+")
    assert len(list(compiled.spans("a" * 20_000))) == 1
    with pytest.raises(CapacityError, match=r"'\[\^x\]\+' takes longer than 0\.001 s for 20,000 characters; bound"):
        list(compiled.spans("a" * 20_000, overlapped=True))
    assert len(list(compiled.spans("a" * 2_000, overlapped=True, limit=60.0))) == 2_000


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("(?=a)b", "uses a look-around"),
        ("(?!)", "uses a look-around"),
        ("(?<=a)b", "uses a look-around"),
        ("(?:x(?!a))+", "uses a look-around"),
        ("(?>a)", "uses an atomic group"),
        ("a++b", "uses a possessive repeat"),
        (r"(a)\1", "uses a back-reference"),
        ("(?P<x>a)(?P=x)", "uses a back-reference"),
        ("(a)?(?(1)b|c)", "uses a condition"),
        ("a{1001}", "repeats more than 1,000 times"),
        ("(?:a{20}b){51}", "repeats more than 1,000 times"),
        ("(?:(?:a{40}){6}){5}b", "repeats more than 1,000 times"),
        ("a{4294967294}", "repeats more than 1,000 times"),
        ("(?:" * 30 + "a" + "){2}" * 30, "repeats more than 1,000 times"),
        ("(?:[ab][^ab]a?b?){1000}", "is too large: expected at most 5,092 steps, got"),
        ("(?:[ab][^ab]a?){90}" * 300, "is too large"),
        ("(?m:^)a$", r"write \Z or (?m:$)"),
        (r"(?a:\b)a\b", "expected one of the two"),
        (r"\b[" + "][".join(map(chr, range(0x4E00, 0x4E40))) + "]", "more than 63 letters"),
        ("(?:" * 400 + "a" + ")?b" * 400, "does not compile"),
        ("(?:" * 20_000 + "a" + ")" * 20_000, "does not compile"),
        ("(", "does not compile"),
        ("a{3}{3}", "does not compile"),
        ("[b-a]", "does not compile"),
        (r"\p{Lu}", "does not compile"),
    ],
)
def test_refused_by_name(source: str, problem: str) -> None:
    begin = time.thread_time()
    with pytest.raises(RefusedExpression, match=re.escape(problem)):
        compile_linear(source)
    assert time.thread_time() - begin < 2.0


@pytest.mark.parametrize(
    "source",
    [
        r"Photo by .+ / .+ \(AP\)",
        r"(?:a{1000}b)+",
        r"\bread (?:more|on)\b",
        r"(?i)sign up[.!]?$",
        r"(?:(?:a|b)+c)*d",
        "",
        "(?:Ιαν|Ιουν|Ιουλ|Μαρ|Μαΐ) " * 12,
        f"(?:{'|'.join(f'{number:x}word' for number in range(0x1000, 0x1C00))})",
        "a" * 5_000,
        r"(?:\w{1,200} ){3}x",
        r"[^\x00-\U0010ffff]a",
    ],
)
def test_taken(source: str) -> None:
    compile_linear(source)


def test_more_letters_than_a_byte_has() -> None:
    """Then RE2 reads letters of several bytes; offsets stay code points."""
    many = "".join(map(chr, range(0x4E00, 0x4F00)))
    compiled = compile_linear("(?:" + "|".join(many) + r")+\n|\U0002000b")
    assert list(compiled.spans("é語" + many + "\n\U0002000c\U0002000b")) == [(2, 259), (260, 261)]
    assert compiled.find("") is None
    beside("(" + "|".join(many) + ").$", "é" + many[::-7] + "x\n")


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_rows_of_the_table_are_taken(row: object) -> None:
    compile_linear(row.expression)  # type: ignore[attr-defined]


def test_expressions_go_to_other_processes() -> None:
    compiled = pickle.loads(pickle.dumps(LinearExpression(r"\bé+")))
    assert list(compiled.spans("語é éé")) == [(3, 5)]
