"""Expressions whose repeats share out a text between them: refused, and what is not refused takes linear time from a place.

Time is counted in the steps of an engine that backtracks, as slow and plain as can be; so the tests tell the same on any
machine.
"""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

import backtracker
from templatemine.packs.pack import Pack
from templatemine.text.ambiguity import MAX_SHARED_WAYS, ambiguity_problem
from templatemine.text.expressions import boundary_patterns
from templatemine.text.lint import backtracking_problem, parse
from templatemine.text.patterns import TABLE
from templatemine.text.slots import KINDS, filler_pattern

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
FEW = MAX_SHARED_WAYS


@pytest.mark.parametrize(
    "pattern",
    [
        r"Photo by .+ / .+",
        r"(?m)Photo by .+ / .+$",
        r"[^,]+, .+ \(AP\)",  # as docs/reliability.md says
        r".+, .{1,200} \(AP\)",
        r"Photo by .+ / .+(?:\n|$)",
        r"(?s)Photo by .+ / .+\Z",
        r"by .+?, .+?(?:\n|$)(?:x)?",
        r".+\n.+\n.+x",
        r"[^|]+\|[^|]+\|[^|]+x",
        r"\w+\s+\w+x",
        r"\w+[^\w]+x",
        r"(?a)\w+é+x",
        r"(?i)[a-j]+k+x",
        r"a+|a+b",
        r"(?:a+|b+)(?:c+|d)e",
        r"(?:ab)+(?:ba)+c",
        r"a+a{5,}",
        r"a++a+b",
        r"(?>a+)a+b",
        r"(?>a+a+)b",
        r"a+(?=a+)",
        f"a{{1,{FEW + 1}}}a+b",
        "a{0,14}a{0,14}a{0,14}b",
        "(?:a+b+c+d+)" * 9,
        "a+(?:xa{0,40}b|ya{0,40}b|za{0,40}b)",
    ],
)
def test_accepted(pattern: str) -> None:
    assert ambiguity_problem(parse(pattern)) is None


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        (r"aa+?[\w-]+-+", r"a+? and [\w-]+ can share out 'a'"),
        (r".+, .+ \(AP\)", ".+ and the next .+"),
        (r"Photo by .+ / .+ \(AP\)", ".+ and the next .+ can share out '! / '"),
        (r"Photo by .+ / .+$", "and the next"),  # another line may follow
        (r"(?m)Photo by .+ / .+?\Z", ".+ and .+?"),
        (r"by .+?, .+?(?:\t|$)", "and the next"),
        (r".*\s*x", r".* and \s*"),
        (r"\w+\d+x", r"\w+ and \d+"),
        (r"\w+[^a]+x", r"\w+ and [^a]+"),
        (r"(?i)[a-z]+\u212a+x", "can share out 'K'"),
        (r"(?i:s)+(?i:\u017f)+x", "can share out"),
        (r"(?i)[^a]+\w*x", r"[^a]+ and \w*"),
        (r"\w+\u0301+x", "can share out '\u0301'"),  # a mark, which is a part of words
        (r"(?:ab)+a(?:ba)+c", r"(?:ab)+ and (?:ba)+ can share out 'abab'"),
        (r"(?:a+){3}b", "a+ and the next a+"),
        (r"(?: \w+ ?){1,2}x" "|" r"[ab]+-?b*x", r"[ab]+ and b*"),
        (r"(?:a+|b+)(?:a+|c)d", "a+ and the next a+"),
        (r"a+(?=a+b)", "a+ and the next a+"),
        (r"a+(?=a+)b", "a+ and the next a+"),
        (r"a+(?!a+)", "a+ and the next a+"),
        (r"a+(?>a+)b", "a+ and the next a+"),
        (r"(?=a+a+b)c", "a+ and the next a+"),
        (r"(?>a+a+b)c", "a+ and the next a+"),
        (r"a+a{500}b", "a+ and a{500}"),
        (r"a+a{500,}", "a+ and a{500,}"),
        (f"a{{1,{FEW + 2}}}a+b", "bound one of them ({1,200})"),
        ("a{1,20}a{1,20}a{1,20}b", "bound them more closely"),
        (r"[\x00-\x1f]+\s+x", r"[\x00-\x1f]+ and \s+ can share out '\r'"),
        (r"(?:one|two|four|nine|seven|Eight|million)+\w+x", r"(?:one|two|four...million)+ and \w+"),
    ],
)
def test_refused(pattern: str, told: str) -> None:
    problem = ambiguity_problem(parse(pattern)) or ""
    assert told in problem
    assert "can share out" in problem
    assert "\n" not in problem
    assert len(problem) < 260
    assert backtracking_problem(pattern) is not None


def test_a_walk_that_would_take_long_is_refused() -> None:
    words = "|".join(f"{chr(0x4E00 + number)}[^ab]" for number in range(2000))
    start = time.process_time()
    problem = ambiguity_problem(parse(f"[^a]+(?:{words})(?:{words})[^b]+x"))
    assert problem is not None
    assert time.process_time() - start < 5.0


def test_what_is_mined_is_not_refused() -> None:
    """Expressions of the golden packs, of all boundaries and fillers of slots, and rows of the table: whoever writes them
    by hand gets no refusal that was not there before.  Those of tokens are not judged, since they are not what is run."""
    sources = []
    for path in sorted(GOLDEN.rglob("*.pack.json")):
        sources += [one.regex for one in Pack.load(path).templates]
    assert len(sources) > 10
    edges = boundary_patterns("-", html=False)
    for beside in ("", "any", "joint"):
        sources += [f"Photo by{filler_pattern(kind, '-', 'end', beside)}{edges['{line end}']}" for kind in KINDS] + [
            f"{edges['{line start}']}{filler_pattern(kind, '-', 'start', beside)}Photo" for kind in KINDS
        ]
    sources += [f"{edges['{start}']}({row.expression}){edges['{end}']}" for row in TABLE if row.kind != "joint"]
    problems = [backtracking_problem(source) or "" for source in sources]
    assert problems.count("") > 20
    for source, problem in zip(sources, problems, strict=True):
        assert "share out" not in problem, source


# -------------------------------------------------------------------------------------------------------- the property


ATOMS = ("a", "b", "-", "[ab]", "[^a]", "[a-]", r"\w", ".", r"[\w-]", "ab", "ba")
TAILS = ("", "", "+", "*", "+?", "*?", "{1,3}", "?", "{2,}", "{2}")


def written(draw: random.Random, depth: int = 1) -> str:
    """An expression of some repeats, in groups and alternatives."""
    parts = []
    for _ in range(draw.randint(2, 5)):
        if depth and draw.random() < 0.25:
            inner = "|".join(written(draw, 0) for _ in range(draw.randint(1, 2)))
            parts.append(f"(?:{inner}){draw.choice(('', '', '?', '{2}', '{1,3}', '+'))}")
        else:
            atom = draw.choice(ATOMS)
            tail = draw.choice(TAILS)
            parts.append(f"(?:{atom}){tail}" if len(atom) == 2 and tail and atom[0] != "\\" else atom + tail)
    return "".join(parts) + draw.choice(("", "$", "x", "-", ""))


TEXTS = [
    (word, before, behind)
    for word in ("a", "b", "-", "ab", "a-", "aab")
    for before, behind in (("", "!"), ("aab-", "\n!"))
]


def growth(pattern: str) -> float:
    """At the worst of some texts, see `backtracker.growth`."""
    return max(backtracker.growth(pattern, word, before, behind, 150) for word, before, behind in TEXTS)


@pytest.mark.parametrize("seed", [*range(5), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(5, 12))])
def test_what_is_accepted_takes_linear_time_from_a_place(seed: int) -> None:
    draw = random.Random(seed)
    sources = [written(draw) for _ in range(60)]
    accepted = [source for source in sources if backtracking_problem(source) is None]
    assert len(accepted) > 10
    for source in accepted:
        assert growth(source) < 1.5, source


@pytest.mark.slow
def test_what_is_refused_takes_more() -> None:
    """Of most expressions that are refused a text of a few shows it."""
    draw = random.Random(0)
    sources = [source for source in (written(draw) for _ in range(24)) if ambiguity_problem(parse(source))]
    shown = sum(growth(source) > 1.5 for source in sources)
    assert len(sources) > 8
    assert shown > 0.6 * len(sources)
