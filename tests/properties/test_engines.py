"""The property that the cleaner rests on: the automaton and the regular expressions give the same spans on every input."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import cases, examples, mine_strings, mined_pack
from templatemine.clean import Cleaner
from templatemine.config import CleanConfig
from templatemine.model import Span
from templatemine.packs import Pack


def spans(pack: Pack, text: str) -> list[Span]:
    """The spans that both engines give."""
    native = Cleaner(pack, CleanConfig(engine="native")).spans(text)
    assert native == Cleaner(pack, CleanConfig(engine="regex")).spans(text)
    return native


@pytest.mark.slow
@pytest.mark.parametrize("html", [False, True], ids=["text", "html"])
@examples(500)
@given(st.data())
def test_engines_agree(html: bool, data: st.DataObject) -> None:
    case = data.draw(cases(html))
    pack = case.pack()
    for text in (*case.texts, *case.others):
        spans(pack, text)


@pytest.mark.slow
@pytest.mark.parametrize("html", [False, True], ids=["text", "html"])
@examples(150)
@given(st.data())
def test_engines_agree_on_mined_packs(html: bool, data: st.DataObject) -> None:
    """Packs of all that a small corpus repeats, on the corpus itself and on texts that are nearly the same."""
    case = data.draw(cases(html))
    documents = (*case.texts, *case.others)
    strings = mine_strings(case, documents)
    pack = mined_pack(case, documents, strings)
    for text in documents:
        spans(pack, text)
