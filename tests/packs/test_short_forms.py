"""Short forms of expressions: what is written is read as it was, and what stands in a pack is short."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import cases, examples
from templatemine.errors import PackError
from templatemine.packs.overrides import Overrides, Rule
from templatemine.packs.pack import Pack
from templatemine.packs.short_forms import ShortForms, collect_boundaries, short_forms_of

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "lantern" / "learned.pack.json"


def slowly(short: str, names: dict[str, str]) -> str:
    """Character by character: a name where one stands, two characters behind a backslash, else one."""
    found, at = [], 0
    while at < len(short):
        fitting = [name for name in names if short.startswith(name, at)]
        if short[at] == "\\":
            found.append(short[at : at + 2])
            at += 2
        elif fitting:
            found.append(names[max(fitting, key=len)])
            at += len(max(fitting, key=len))
        else:
            found.append(short[at])
            at += 1
    return "".join(found)


@examples(150)
@given(st.data())
def test_expressions_come_back_as_they_were(data: st.DataObject) -> None:
    pack = data.draw(cases(data.draw(st.booleans()))).pack()
    names = short_forms_of(pack)
    full = {"{" + name + "}": text for name, text in pack.patterns.by_id.values()} | collect_boundaries(pack)
    for template in pack.templates:
        short = names.shorten(template)
        if template.tokens is None:
            assert short == template.regex
            continue
        assert short is not None
        assert len(short) <= len(template.regex)
        assert names.expand(short, "") == slowly(short, full) == template.regex
    again = Pack.from_json(pack.to_json())
    assert [one.regex for one in again.templates] == [one.regex for one in pack.templates]
    assert again.to_json() == pack.to_json()


@examples(300)
@given(
    st.text(alphabet="ab {}\\\n", max_size=30),
    st.dictionaries(st.sampled_from([" ", "{a}", "{a b}", "{b}"]), st.text()),
)
def test_names_are_replaced_from_left_to_right(short: str, boundaries: dict[str, str]) -> None:
    assert ShortForms(boundaries, {"ab": "c{a}"}).expand(short, "") == slowly(short, boundaries | {"{ab}": "c{a}"})


def test_what_a_person_reads() -> None:
    pack = Pack.load(GOLDEN)
    rows = {row["id"]: row["regex"] for row in json.loads(pack.to_json())["templates"]}
    for one in pack.templates:
        assert one.tokens is not None
        assert "[" not in rows[one.id].replace("\\[", ""), "classes of characters have names"
        assert len(rows[one.id]) < 2 * len(" ".join(one.tokens)) + 40
    assert sum(map(len, rows.values())) * 3 < sum(len(one.regex) for one in pack.templates)


def in_words(pack: Pack) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(pack.to_json())
    return data


def test_what_rules_took_out_is_short_as_well() -> None:
    pack = Pack.load(GOLDEN)
    first = pack.templates[0]
    rules = Overrides(rules=(Rule(action="reject", id=first.id),), removed=(first,))
    pack = replace(pack, templates=pack.templates[1:], overrides=rules)
    data = in_words(pack)
    assert data["removed"][0]["regex"] != first.regex
    assert Pack.from_json(pack.to_json()).overrides.removed == (first,)
    data["removed"][0]["regex"] = None
    assert Pack.from_json(json.dumps(data)).overrides.removed == (first,)


def test_an_expression_by_hand_means_what_it_says() -> None:
    """A blank is a blank in it, and no brace has a name."""
    data = in_words(Pack.load(GOLDEN))
    for regex, example in (("Sign up now", "Sign up now"), (r"\\{number\\} {x}", "{number} {x}")):
        regex = regex.replace("\\\\", "\\")
        row = {"id": "own", "regex": regex, "tokens": None, "df": 1, "count": 1, "example": example, "anchor": ""}
        pack = Pack.from_json(json.dumps({**data, "templates": [row]}))
        assert pack.templates[0].regex == regex
        assert json.loads(pack.to_json())["templates"][0]["regex"] == regex


@pytest.mark.parametrize(
    ("boundaries", "told"),
    [
        (None, "boundaries: expected an object, got NoneType"),
        ({"x": "a"}, "boundaries: expected a blank or a name in braces, got 'x'"),
        ({"{x}": 1}, "boundaries.{x}: expected a string"),
        ({"{x}": "a" * 20_001}, "boundaries.{x}: expected a string of at most 20,000 characters"),
        ({"{x" + "y" * number + "}": "" for number in range(201)}, "boundaries: expected at most 200 entries, got 201"),
    ],
)
def test_boundaries_that_are_none(boundaries: Any, told: str) -> None:
    with pytest.raises(PackError) as caught:
        Pack.from_json(json.dumps(in_words(Pack.load(GOLDEN)) | {"boundaries": boundaries}))
    assert told in str(caught.value)


def test_names_within_names_do_not_unfold() -> None:
    """One name has at most so many characters, and what it stands for is not looked through again."""
    data = in_words(Pack.load(GOLDEN))
    data["boundaries"]["{x}"] = "{x}" * 6_000
    data["templates"][0]["regex"] = "{x}" * 100
    with pytest.raises(PackError, match="expected at most 1,000,000 characters in full"):
        Pack.from_json(json.dumps(data))
    data["templates"][0]["regex"] = "{x}"
    with pytest.raises(PackError, match="disagree"):
        Pack.from_json(json.dumps(data))
