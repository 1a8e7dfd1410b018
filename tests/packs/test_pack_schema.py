"""docs/pack.schema.json says of packs what `pack_json` does: it takes those that are written, and refuses what is refused."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scale import scaled
from strategies import cases, examples
from templatemine.errors import PackError
from templatemine.model import PageHistory, PathVote, Question, RepeatedText
from templatemine.packs import pack_json
from templatemine.packs.overrides import ACTIONS, Overrides, Rule
from templatemine.packs.pack import Pack

jsonschema = pytest.importorskip("jsonschema")

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs" / "pack.schema.json").read_text(encoding="utf-8"))
GOLDEN = sorted((ROOT / "tests" / "golden").rglob("*.pack.json"))


def validator() -> Any:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    return jsonschema.Draft202012Validator(SCHEMA)


def full_pack() -> dict[str, Any]:
    """A pack with something in every field."""
    pack = Pack.load(ROOT / "tests" / "golden" / "lantern" / "learned.pack.json")
    rules = (
        Rule(
            action="accept", tokens=("Sign", "up"), anchor="line", df=3, count=4, by="Ann", time="2024-01-01T00:00:00Z"
        ),
        Rule(action="reject", id="t0"),
        Rule(action="always", text="letter"),
        Rule(action="never", text="Minister"),
        Rule(action="add", regex="(ab)", example="ab"),
        Rule(action="edit", tokens=("a", "b"), example="a b"),
        Rule(action="kind", id="t0", kind="byline"),
        Rule(action="cutoff", df=12),
    )
    assert {rule.action for rule in rules} == set(ACTIONS)
    question = Question(
        tokens=("a",), df=2, count=2, anchor="", filled="end", example="a", score=0.5, stake=9
    )  # fmt: skip
    whole = replace(
        pack,
        first_date="2024-01-01",
        caution=2.0,
        rejected={"below the cut-off": 7},
        overrides=Overrides(rules=rules, removed=pack.templates[:1], added=("x",)),
        questions=(question,),
        pages=PageHistory(
            documents=3,
            share=0.5,
            paths=(PathVote(path="div>p", pages=2, words=9, kept=3, blocks=2),),
            texts=(RepeatedText(text="Home", path="div>a", df=3),),
        ),
    )
    data: dict[str, Any] = json.loads(whole.to_json())
    data["templates"] = data["templates"][:2]
    data["user_patterns"] = [{"name": "issue", "regex": "No [0-9]+", "spans": True}]
    data["cutoff"]["histogram"] = [1, 2]
    return data


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.name)
def test_packs_of_the_tests_are_valid(path: Path) -> None:
    validator().validate(json.loads(path.read_text(encoding="utf-8")))


@examples(60)
@given(st.data())
def test_any_pack_is_valid(data: st.DataObject) -> None:
    validator().validate(json.loads(data.draw(cases(data.draw(st.booleans()))).pack().to_json()))


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    rows = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in rows:
        yield (*path, key)
        yield from places(inner, (*path, key))


GONE = object()
OTHERS = (GONE, None, True, 3, -3, 1.5, 10**18, "x", "", [], ["x"], [3], {}, {"x": 3})


def changed(data: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    data = copy.deepcopy(data)
    inner: Any = data
    for key in path[:-1]:
        inner = inner[key]
    if value is GONE:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return data


def is_read(data: dict[str, Any]) -> bool:
    """Whether fields and types are as they should be; of expressions nothing is asked."""
    try:
        pack_json._build_pack(data, "pack", Pack)
    except PackError:
        return False
    return True


BY_CONTENT = {"patterns", "separators", "name", "regex", "kept", "words"}
"""Fields of which the reader knows more than their type: what a pattern of this version is, and what contradicts another
field."""


def test_every_field_that_is_changed_is_judged_as_the_reader_does() -> None:
    """One change of four, or all with TEMPLATEMINE_SCALE=1."""
    step = 4 // scaled(4)
    data, judge = full_pack(), validator()
    judge.validate(data)
    assert is_read(data)
    refused = taken = 0
    for path, value in [*product(places(data), OTHERS)][::-step]:
        other = changed(data, path, value)
        valid, read = judge.is_valid(other), is_read(other)
        refused, taken = refused + (not valid), taken + valid
        if valid != read:
            known = valid and bool(BY_CONTENT & {*path})
            assert known, f"{path}: {value!r}: schema {valid}, reader {read}"
    assert refused > 500 / step
    assert taken > 300 / step


def test_expressions_that_are_made_of_tokens_may_be_null() -> None:
    data = full_pack()
    data["templates"][0]["regex"] = None
    assert validator().is_valid(data)
    data["templates"][0]["tokens"] = None
    assert not validator().is_valid(data)
