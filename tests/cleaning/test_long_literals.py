"""Expressions with long literals: `regex` prepares for one in the cube of its length, which no time limit sees.

None is loaded, tried or applied that would take it: those by hand and users' patterns are refused, and tokens as long
are searched for in parts.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from strategies import examples, make_pack, scan
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig, UserPattern
from templatemine.errors import ConfigError, PackError
from templatemine.packs.pack import Pack
from templatemine.text.lint import MAX_LITERAL, backtracking_problem
from templatemine.text.patterns import make_pattern_set, pattern_set

SIZES = (64, 128, 250, 500, 1000, 4000, 16_000)
TEXT = "word aaaaaab " * 2000

WAYS: dict[str, Callable[[int], str]] = {
    "plain": lambda n: "a" * n,
    "another case": lambda n: "(?i)" + "a" * n,
    "words": lambda n: ("word " * n)[:n],
    "repeat": lambda n: f"(?:ab){{{n // 2}}}",
    "repeats": lambda n: "(?:aaaa){2}" * (n // 8),
    "groups": lambda n: "(?:aaaaaaaa)" * (n // 8),
    "one group": lambda n: f"({'a' * n})",
    "nested": lambda n: "(?:" * 40 + "a" * n + ")" * 40,
    "classes": lambda n: "[a]" * n,
    "ranges": lambda n: "[a-a]" * n,
    "beginnings alike": lambda n: f"{'a' * (n // 2)}(?:{'a' * (n // 2)}b|{'a' * (n // 2)}c)",
    "ends alike": lambda n: f"(?:b{'a' * (n // 2)}|c{'a' * (n // 2)}){'a' * (n // 2)}",
    "alternatives": lambda n: "|".join("a" * n + end for end in "bcd"),
    "behind a choice": lambda n: "x?" + "a" * n,
    "nothing between": lambda n: "(?:)".join("a" * 50 for _ in range(n // 50)),
    "places between": lambda n: r"\b".join("a" * 50 for _ in range(n // 50)),
    "no rounds between": lambda n: "b{0}".join("a" * 50 for _ in range(n // 50)),
    "a way out": lambda n: f"(?:x|{'a' * n})",
    "separators": lambda n: r"\s+".join("a" * 50 for _ in range(n // 50)),
    "many words": lambda n: "|".join(f"{number:05}w" for number in range(n // 6)),
}


def taken(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


@pytest.mark.parametrize("way", WAYS)
def test_time_to_load_and_to_search_is_bounded_at_any_length(way: str) -> None:
    """Checked, compiled and searched for: at most what a linear share of the length makes."""
    for size in SIZES:
        source = WAYS[way](size)

        def load_and_search(source: str = source) -> None:
            if backtracking_problem(source) is None:
                regex.purge()
                regex.compile(source).search(TEXT)

        assert taken(load_and_search) < 0.2 + 120e-6 * len(source), size


def test_what_is_allowed_is_found() -> None:
    longest = "a" * MAX_LITERAL
    for source in (longest, rf"{longest}\s+{longest}", f"(?:{longest}|b)c?{longest}"[:-1]):
        assert backtracking_problem(source) is None
    for source in (longest + "a", f"{longest}(?:bb|cc)", f"x?{longest}(?=){'a'}", f"(?={longest}a)b"):
        assert "in a row" in str(backtracking_problem(source))


atoms = st.sampled_from(["a" * 40, "b", "[ab]", "[a]", ".", "ab", r"\b", "(?:)"])
expressions = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["?", "+", "{2}", "{5}", "{1,3}", "{0}"])).map(
            lambda one: f"(?:{one[0]}){one[1]}"
        ),
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda some: f"(?:{'|'.join(some)})"),
    ),
    max_leaves=12,
)


@pytest.mark.alone
@examples(200)
@given(expressions)
def test_what_is_accepted_is_soon_prepared(source: str) -> None:
    if backtracking_problem(source) is None:
        compiled = regex.compile(source)
        assert taken(lambda: compiled.search("-" * 1000)) < 0.1


@pytest.mark.alone
@pytest.mark.parametrize("size", [300, 8000, 40_000])
def test_packs_with_one_are_refused_at_once(tmp_path: Path, size: int) -> None:
    patterns = pattern_set("news")
    pack = make_pack([(scan("Read more here", patterns, "-", False)[1], "Read more here")], patterns, "-", False)
    data = json.loads(pack.to_json())
    own = {"id": "own", "regex": "a" * size, "tokens": None, "df": 0, "count": 0, "example": "a" * size, "anchor": ""}
    path = tmp_path / "p.json"
    path.write_text(json.dumps({**data, "templates": [own]}))

    def load() -> None:
        with pytest.raises(PackError, match=r"templates\[0\] \(own\): regex: takes too long to prepare"):
            Pack.load(path)

    assert taken(load) < 1


@pytest.mark.parametrize("size", [300, 40_000])
def test_patterns_of_users_with_one_are_refused(size: int) -> None:
    with pytest.raises(ConfigError, match=r"patterns: own: the expression takes too long to prepare"):
        make_pattern_set((), (UserPattern(name="own", regex="a" * size),))


@pytest.mark.parametrize("size", [MAX_LITERAL, MAX_LITERAL + 1, 3 * MAX_LITERAL, 20_000])
def test_long_tokens_are_cut_alike_by_both_engines(tmp_path: Path, size: int) -> None:
    token = "ab." * (size // 3) + "x" * (size % 3)
    text = f"Read {token} now"
    patterns = pattern_set("news")
    pack = make_pack([(scan(text, patterns, "-", False)[1], text)], patterns, "-", False)
    pack.save(tmp_path / "p.json")
    article = f"A story.\n{text}\nRead {token}a now\n{text[:-5]}\nThe end."
    start = time.process_time()
    pack = Pack.load(tmp_path / "p.json")
    spans = [Cleaner(pack, CleanConfig(engine=engine)).spans(article) for engine in ("native", "regex")]
    assert time.process_time() - start < 4
    assert spans[0] == spans[1]
    assert [article[one.start : one.end] for one in spans[0]] == [text]


def test_a_pack_of_another_version_with_a_long_token(tmp_path: Path) -> None:
    """Its expression is made of its tokens again, as those of others are; one that an edit made long is refused."""
    text = "Read " + "ab." * 200 + " now"
    patterns = pattern_set("news")
    pack = make_pack([(scan(text, patterns, "-", False)[1], text)], patterns, "-", False)
    data = json.loads(pack.to_json())
    data["generator"] = "templatemine 0.0.1"
    (row,) = data["templates"]
    own = row["regex"]
    row["regex"] = own.replace("now", "(?:now)")
    loaded = Pack.from_json(json.dumps(data), where="p.json")
    assert loaded.templates[0].regex == pack.templates[0].regex
    row["tokens"] = ["Read", "now"]
    with pytest.raises(PackError, match="disagree"):
        Pack.from_json(json.dumps(data), where="p.json")
