"""Templates of candidates: their kinds."""

from __future__ import annotations

from templatemine.mining.templates import agree_on_kinds
from templatemine.model import Template
from templatemine.packs.pack_record import template_id


def made(text: str, df: int, kind: str) -> Template:
    tokens = tuple(text.split())
    return Template(id=template_id(tokens), regex="", tokens=tokens, df=df, count=df, example=text, kind=kind)


def test_variants_are_of_the_kind_of_what_they_begin_or_end_with() -> None:
    footer = made("{slot} appeared first on NAME", 90, "legal")
    dated = made("{month} {number} appeared first on NAME", 20, "note")
    longer = made("Brief — {month} {number} appeared first on NAME", 8, "media")
    agreed = agree_on_kinds([longer, dated, footer])
    assert {one.kind for one in agreed} == {"legal"}
    assert sorted(one.id for one in agreed) == sorted(one.id for one in (footer, dated, longer))


def test_a_word_or_two_in_common_and_what_is_rarer_say_nothing() -> None:
    others = [made("on NAME", 90, "legal"), made("first on NAME", 20, "note"), made("a b c d", 9, "media")]
    rarer = made("b c d", 3, "byline")
    assert {one.id: one.kind for one in agree_on_kinds([rarer, *others])} == {
        one.id: one.kind for one in [rarer, *others]
    }
