"""The examples of the thesis (Foschini): sections 3.3, 3.4, 3.4.1 and 5.2."""

from __future__ import annotations

import random
import re
from itertools import permutations

import pytest
import re2
import regex

from strategies import make_pack, scan
from templatemine.api import mine
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig, MineConfig, PipelineConfig, TokeniseConfig, UserPattern
from templatemine.model import Document
from templatemine.packs.pack import Pack, reading
from templatemine.text.expressions import expression, for_re2
from templatemine.text.patterns import pattern_set

ENGINES = ("native", "regex")


def pack_of(*texts: str, preset: str = "thesis", user: tuple[UserPattern, ...] = ()) -> Pack:
    """A pack of some strings as cleaning reads them."""
    patterns = pattern_set(preset, user)
    texts = tuple(map(reading, texts))
    return make_pack([(scan(text, patterns, "-", False)[1], text) for text in texts], patterns, "-", False)


# ------------------------------------------------------------------------------------------- 3.3 and 3.4: expressions


@pytest.mark.parametrize("preset", ["thesis", "news"])
def test_years_old(preset: str) -> None:
    """ "I'm 24 years old" becomes an expression that matches "I'm 25 years old"."""
    patterns = pattern_set(preset)
    _, forms = scan("I’m 24 years old", patterns, "-", False)
    assert [patterns.readable(form) for form in forms] == ["I’m", "{number}", "years", "old"]
    source = expression(forms, patterns, "-", False)
    for engine in (re.compile(source), regex.compile(source), re2.compile(for_re2(source))):
        for age in ("24", "25", "7", "1,000"):
            assert engine.search(f"He says: I’m {age} years\nold today").group(1) == f"I’m {age} years\nold"
        assert not engine.search("I’m x years old")
        assert not engine.search("I’m 25th years old")
        assert not engine.search("I’m 25 years older")


def test_years_old_with_a_pattern_of_the_users_own() -> None:
    """The pattern of the example is `[0-9]+`, and the table is off."""
    pack = pack_of("I’m 24 years old", preset="none", user=(UserPattern(name="digits", regex="[0-9]+"),))
    assert pack.templates[0].tokens == ("I'm", "{digits}", "years", "old")
    for engine in ENGINES:
        assert Cleaner(pack, CleanConfig(engine=engine)).clean("She: I’m 25 years old now").text == "She: now"


def test_years_old_is_mined() -> None:
    rng = random.Random(1)
    documents = [
        Document(
            source=source,
            id=str(number),
            text=f"{story(rng, source)} I’m {rng.randint(20, 90)} years old {story(rng, source)}",
        )
        for source in ("a", "b", "c")
        for number in range(30)
    ]
    packs = mine(documents[:30], PipelineConfig(method="thesis", mine=MineConfig(min_df=3)))
    strings = {template.tokens for template in packs["a"].templates}
    assert ("I'm", "{number}", "years", "old") in strings


def test_tokens_are_joined_by_the_separator() -> None:
    """ "hello! How are you?" is four tokens, and any white space between them will do."""
    pack = pack_of("hello! How are you?", preset="none")
    assert pack.templates[0].tokens == ("hello!", "How", "are", "you?")
    for engine in ENGINES:
        assert Cleaner(pack, CleanConfig(engine=engine)).clean("a hello!\tHow  are\n-you? b").text == "a b"


# -------------------------------------------------------------------------------------------- 3.4.1: order is nothing


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("order", list(permutations(["a a b b", "a b"])))
def test_order_of_expressions(order: tuple[str, str], engine: str) -> None:
    """t = aabb with r1 = aabb and r2 = ab: applied one after the other, r2 first, only two of four would go."""
    cleaned = Cleaner(pack_of(*order, preset="none"), CleanConfig(engine=engine, gap=0, guard=1)).clean("a a b b")
    assert cleaned.text == ""
    assert [(one.start, one.end, len(one.templates)) for one in cleaned.removed] == [(0, 7, 2)]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_inner_expression_alone(engine: str) -> None:
    cleaner = Cleaner(pack_of("a b", preset="none"), CleanConfig(engine=engine, gap=0))
    assert cleaner.clean("a a b b").text == "a b"
    assert cleaner.clean("x a b a b y").text == "x y"


@pytest.mark.parametrize(("gap", "removed"), [(0, [(0, 3), (4, 7)]), (1, [(0, 3), (4, 7)]), (2, [(0, 7)])])
@pytest.mark.parametrize("engine", ENGINES)
def test_gaps(gap: int, removed: list[tuple[int, int]], engine: str) -> None:
    """Two intervals with less than the given number of characters between them become one."""
    cleaner = Cleaner(pack_of("a b", "c d", preset="none"), CleanConfig(engine=engine, gap=gap))
    assert [(one.start, one.end) for one in cleaner.spans("a b c d")] == removed


# --------------------------------------------------------------------------------------------- 5.2: sevendaysvt.com

HEAD = """# Permanent link | no responses | Published on: Tuesday, 27th
February, 2007 Real Estate developers and mortgage financiers in"""
TAIL = """growth model to be replicated elsewhere." he said. Please login to
leave a reply First budget hotel in Karama, another five planned
for emirate read more Thursday 22nd February read more"""

PERMANENT = (
    "Permanent",
    "link",
    "|",
    "no",
    "responses",
    "|",
    "Published",
    "on:",
    "{weekday},",
    "{ordinal}",
    "{month},",
    "{number}",
)
EXPRESSIONS = ["Permanent link | no responses | Published on: Monday, 1st January, 2006", "Friday 3rd", "read more"]


def test_tokens_of_the_three_expressions() -> None:
    pack = pack_of(*EXPRESSIONS)
    assert [template.tokens for template in pack.templates] == [PERMANENT, ("{weekday}", "{ordinal}"), ("read", "more")]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_article_of_the_thesis(engine: str) -> None:
    """The head goes; of the tail "Thursday 22nd" and "read more" go, and the month between them stays."""
    cleaner = Cleaner(pack_of(*EXPRESSIONS), CleanConfig(engine=engine))
    assert cleaner.clean(HEAD).text == "# Real Estate developers and mortgage financiers in"
    assert cleaner.clean(TAIL).text == TAIL.replace("read more Thursday 22nd February read more", "February")
    removed = [TAIL[one.start : one.end] for one in cleaner.spans(TAIL)]
    assert removed == ["read more Thursday 22nd", "read more"]


def test_the_expressions_match_the_article_in_every_engine() -> None:
    pack = pack_of(*EXPRESSIONS)
    for template, text, count in zip(pack.templates, (HEAD, TAIL, TAIL), (1, 1, 2), strict=True):
        for engine in (re.compile(template.regex), regex.compile(template.regex), re2.compile(for_re2(template.regex))):
            assert len(list(engine.finditer(text))) == count
    joined = re.compile(pack.templates[0].regex).search(HEAD)
    assert joined is not None
    assert joined.group(1) == HEAD[2 : HEAD.index(" Real")]


WORDS = [f"{a}{b}{c}" for a in "bdfglmnprst" for b in "aeiou" for c in ("l", "n", "r", "st", "ng")]
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = ("January", "February", "March", "September", "December")
ORDINALS = ("1st", "2nd", "3rd", "4th", "22nd", "27th")


def story(rng: random.Random, source: str = "", words: int = 40) -> str:
    return " ".join(source + rng.choice(WORDS) for _ in range(words)) + "."


def test_the_expressions_are_mined() -> None:
    """From an archive like that of the thesis, by the method as it was written."""
    rng = random.Random(2)

    def article() -> str:
        date = f"{rng.choice(DAYS)}, {rng.choice(ORDINALS)} {rng.choice(MONTHS)}, {rng.randint(1999, 2030)}"
        late = f"{rng.choice(DAYS)} {rng.choice(ORDINALS)}"
        head = f"# Permanent link | no responses | Published on: {date} {story(rng)}"
        return f"{head} Please login to leave a reply {story(rng, words=5)} read more {late} {rng.choice(MONTHS)} read more"

    documents = [Document(source="sevendaysvt.com", id=str(number), text=article()) for number in range(60)]
    config = PipelineConfig(method="thesis", tokenise=TokeniseConfig(patterns="thesis"))
    pack = mine(documents, config)["sevendaysvt.com"]
    strings = [template.tokens or () for template in pack.templates]
    assert any(string[1:] == PERMANENT and string[0] == "#" for string in strings)
    cleaner = Cleaner(pack)
    assert "Permanent" not in cleaner.clean(HEAD).text
    assert cleaner.clean(HEAD).text.endswith("Real Estate developers and mortgage financiers in")
    assert "read more" not in cleaner.clean(TAIL).text
    assert "he said." in cleaner.clean(TAIL).text
