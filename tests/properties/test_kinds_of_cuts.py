"""Kinds and choices: both engines agree, what is kept stays whole, and kinds alone change nothing of a text."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import cases, examples, make_pack
from templatemine.cleaning.cleaner import Cleaner, cut
from templatemine.config import CleanConfig
from templatemine.kinds import CUT_ALL, KINDS, Choice
from templatemine.model import Span
from templatemine.packs.pack import Pack
from templatemine.text.patterns import pattern_set

choices = st.sets(st.sampled_from(KINDS[:4])).map(lambda kinds: CUT_ALL.keeping(kinds))


def with_kinds(pack: Pack, data: st.DataObject) -> Pack:
    kinds = st.sampled_from(["", *KINDS[:4]])
    return replace(pack, templates=tuple(replace(one, kind=data.draw(kinds)) for one in pack.templates))


def cleaner_of(pack: Pack, choice: Choice, engine: str = "native", gap: int = 3) -> Cleaner:
    return Cleaner(pack, CleanConfig(choice=choice, engine=engine, gap=gap, guard=1.0))


def spans(pack: Pack, choice: Choice, text: str, gap: int = 3) -> list[Span]:
    """The spans that both engines give."""
    native = cleaner_of(pack, choice, gap=gap).spans(text)
    assert native == cleaner_of(pack, choice, "regex", gap).spans(text)
    return native


def places(found: list[Span]) -> set[int]:
    return {place for span in found for place in range(span.start, span.end)}


@pytest.mark.parametrize("html", [False, True], ids=["text", "html"])
@examples(400)
@given(st.data())
def test_engines_agree_on_kinds(html: bool, data: st.DataObject) -> None:
    case = data.draw(cases(html))
    pack, choice, gap = with_kinds(case.pack(), data), data.draw(choices), data.draw(st.integers(0, 4))
    kind_of = {one.id: one.kind for one in pack.templates}
    for text in (*case.texts, *case.others):
        found = spans(pack, choice, text, gap)
        assert all(span.kind in {kind_of[name] for name in span.templates} for span in found)
        assert all(choice.cuts(kind_of[name]) for span in found for name in span.templates)
        cleaned = cleaner_of(pack, choice, gap=gap).clean(text)
        assert cleaned.removed == tuple(found)
        if not html:
            assert cleaned.text == cut(text, found)


@examples(300)
@given(st.data())
def test_kinds_alone_change_no_text(data: st.DataObject) -> None:
    case = data.draw(cases(False))
    plain, gap = case.pack(), data.draw(st.integers(0, 4))
    pack = with_kinds(plain, data)
    for text in (*case.texts, *case.others):
        before, after = cleaner_of(plain, CUT_ALL, gap=gap).clean(text), cleaner_of(pack, CUT_ALL, gap=gap).clean(text)
        assert after.text == before.text
        assert places([*after.removed]) == places([*before.removed])


@examples(300)
@given(st.data())
def test_what_is_kept_stays_whole_and_nothing_else_does(data: st.DataObject) -> None:
    case = data.draw(cases(False))
    pack, choice = with_kinds(case.pack(), data), data.draw(choices)
    cut_pack = replace(pack, templates=tuple(one for one in pack.templates if choice.cuts(one.kind)))
    kept_pack = replace(pack, templates=tuple(one for one in pack.templates if not choice.cuts(one.kind)))
    for text in (*case.texts, *case.others):
        # With no gap closed and no sign added: what templates match, and nothing else.
        kept = places(cleaner_of(kept_pack, CUT_ALL, gap=0).spans(text)) if kept_pack.templates else set()
        bare = {place for place in kept if text[place].isalnum()}
        found, others = places(spans(pack, choice, text)), places(cleaner_of(cut_pack, CUT_ALL).spans(text))
        assert not found & bare
        assert found <= others
        # What fills a slot stays where what is kept takes a part of the match.
        slotted = [replace(cut_pack, templates=(one,)) for one in cut_pack.templates if one.slot]
        parted = [
            span for one in slotted for span in cleaner_of(one, CUT_ALL, gap=0).spans(text) if places([span]) & kept
        ]
        assert all(text[place].isspace() for place in others - found - kept - places(parted))


@pytest.mark.parametrize("engine", ["native", "regex"])
def test_fillers_stay_where_the_string_beside_them_is_kept(engine: str) -> None:
    footer = [b"appeared", b"first", b"on", b"The", b"Courier."]
    strings = [
        (footer, "appeared first on The Courier."),
        ([b"Spring", *footer], "Spring appeared first on The Courier."),
    ]
    made = make_pack(strings, pattern_set("news"), "-", False, ["start/line", ""])
    slotted, kept = (one for one in made.templates if one.slot or one.id == "t1")
    pack = replace(made, templates=(replace(slotted, kind="legal"), replace(kept, kind="note")))
    cleaner = cleaner_of(pack, CUT_ALL.keeping(["note"]), engine)
    assert cleaner.clean("The bridge opens. Spring appeared first on The Courier.").removed == ()
    assert cleaner.clean("It is long. June appeared first on The Courier.").text == ""
