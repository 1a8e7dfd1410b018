"""Slots of a kind in packs: written so that people can read them, read back, and refused by name where they are wrong."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from strategies import make_pack
from templatemine.cleaning.cleaner import Cleaner
from templatemine.errors import PackError
from templatemine.model import Template
from templatemine.packs.changes import compare
from templatemine.packs.pack import Pack
from templatemine.packs.pack_record import template_id
from templatemine.packs.readable import outermost_templates, template_text
from templatemine.text.expressions import expression
from templatemine.text.patterns import pattern_set

NEWS = pattern_set("news")


def credit(token: str = "{slot:names}") -> Pack:
    """A pack of one credit line."""
    kind = token[len("{slot:") : -1]
    source = expression([b"Photo", b"by"], NEWS, "-", False, anchor="end", slot="end", kind=kind)
    tokens = ("Photo", "by", token)
    template = Template(
        id=template_id(tokens), regex=source, tokens=tokens, df=9, count=9, example="Photo by Ann Lee", anchor="end"
    )
    return replace(make_pack([], NEWS, "-", False), templates=(template,))


@pytest.mark.parametrize("token", ["{slot}", "{slot:names}", "{slot:30}"])
def test_packs_with_slots_are_written_and_read(token: str) -> None:
    pack = credit(token)
    text = pack.to_json()
    assert f'"{token}"' in text
    again = Pack.from_json(text)
    assert again.templates == pack.templates
    assert again.to_json() == text
    assert Cleaner(again).clean("A story.\nPhoto by Ann Lee").text == "A story."


def test_what_is_not_of_the_kind_stays() -> None:
    text = "A story.\nPhoto by photo they lost the house, the garden and the sea"
    assert Cleaner(credit("{slot}")).clean(text).text == "A story."
    for token in ("{slot:names}", "{slot:30}"):
        assert Cleaner(credit(token)).clean(text).text == text


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        (["Photo", "by", "{slot:name}"], r"tokens: expected \{slot\}, or \{slot:...\} with number, date"),
        (["Photo", "by", "{slot:120}"], r"a number of characters less than 120, got '\{slot:120\}'"),
        (["Photo", "{slot:date}", "by"], "expected {slot} or {slot:names} between other tokens, got {slot:date}"),
        (["{slot:names}", "by", "{slot}"], "expected {slot:names} once and beside other tokens"),
        (["{slot:names}"], "once and beside other tokens"),
        (["{slot:names}", "by"], "anchor: expected 'start' or 'line' beside {slot:names}, got 'end'"),
    ],
)
def test_wrong_slots_are_refused(tokens: list[str], message: str) -> None:
    data = json.loads(credit().to_json())
    data["templates"][0]["tokens"] = tokens
    with pytest.raises(PackError, match=message):
        Pack.from_json(json.dumps(data))


def test_the_kind_is_a_part_of_the_expression_and_not_of_the_name() -> None:
    """An archive that grows may tell another kind: the rules of people about the template go on."""
    any_filler, names = credit("{slot}"), credit()
    assert any_filler.templates[0].id == names.templates[0].id
    changes = compare(any_filler, names)
    assert not changes.added
    assert not changes.removed
    assert [after.filler for _, after in changes.changed] == ["names"]
    data = json.loads(names.to_json())
    data["templates"][0]["regex"] = any_filler.templates[0].regex
    with pytest.raises(PackError, match="regex and tokens disagree"):
        Pack.from_json(json.dumps(data))


def test_reports_show_the_kind() -> None:
    names = credit().templates[0]
    longer = replace(names, tokens=("Photo", "by", "Ann", "{slot}"), id="t2")
    assert template_text(names) == "Photo by {slot:names}"
    assert outermost_templates([names, longer]) == [longer]
