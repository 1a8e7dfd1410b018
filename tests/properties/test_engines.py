"""The property that the cleaner rests on: the automaton and the regular expressions give the same spans on every input."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import cases, examples, make_pack, mine_strings, mined_pack, scan
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig, UserPattern
from templatemine.model import Span
from templatemine.packs.pack import Pack
from templatemine.text.expressions import SLOT_SIZE
from templatemine.text.patterns import pattern_set


def spans(pack: Pack, text: str) -> list[Span]:
    """The spans that both engines give."""
    native = Cleaner(pack, CleanConfig(engine="native")).spans(text)
    assert native == Cleaner(pack, CleanConfig(engine="regex")).spans(text)
    return native


@pytest.mark.parametrize("html", [False, True], ids=["text", "html"])
@examples(500)
@given(st.data())
def test_engines_agree(html: bool, data: st.DataObject) -> None:
    case = data.draw(cases(html))
    pack = case.pack()
    for text in (*case.texts, *case.others):
        spans(pack, text)


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


@pytest.mark.parametrize("text", ["See http://x.org/Über all", "See http://x.org/a:é all", "See www.x.org/ال all"])
def test_a_letter_behind_an_address(text: str) -> None:
    patterns = pattern_set("news")
    _, forms = scan(text, patterns, "-", False)
    pack = make_pack([(forms[1:-1], text[4:-4])], patterns, "-", False)
    assert [(span.start, span.end) for span in spans(pack, text)] == [(4, len(text) - 4)]


FILLS = {
    "letters": "x",
    "two bytes": "é",
    "four bytes": "\U0001d400",
    "own tokens": "語",
    "words": "a b ",
    "address": "http://x.org/a-b ",
    "own pattern": "case-12 ",
}


@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("side", ["start", "end"])
def test_a_slot_holds_so_many_characters(side: str, fill: str) -> None:
    """Both engines measure the rest of a line alike, and take it up to `SLOT_SIZE` characters."""
    own = UserPattern(name="case", regex="case-[0-9]+", spans=True)
    patterns = pattern_set("news", (own,) if fill == "own pattern" else ())
    pack = make_pack([([b"Contributing:"], "Contributing:")], patterns, "-", False, [f"{side}/{side}"])
    taken = set()
    for size in range(SLOT_SIZE - 20, SLOT_SIZE + 21):
        rest = (FILLS[fill] * SLOT_SIZE)[:size]
        line = f"Contributing:{rest}" if fill == "own tokens" else f"Contributing: {rest}"
        if side == "start":
            line = f"{rest} Contributing:"
        taken.add(len(spans(pack, f"A line.\n{line}\nAnother.")) == 1)
    assert taken == {True} if fill == "own pattern" else {True, False}


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("Contributing: A and B", "Contributing: A and B"),
        ("x\n - Contributing: A and B - \ny", "- Contributing: A and B -"),  # with the signs left alone
        ("Contributing:A", "Contributing:A"),
        ("Contributing:", "Contributing:"),
        ("Contributing: \nA", "Contributing:"),
        ("As said, Contributing: A", "Contributing: A"),
        ("Contributing: A\u2028B", "Contributing: A"),
    ],
)
def test_a_slot_takes_the_rest_of_the_line(text: str, cut: str) -> None:
    pack = make_pack([([b"Contributing:"], "Contributing:")], pattern_set("news"), "-", False, ["end/end"])
    (found,) = spans(pack, text)
    assert text[found.start : found.end] == cut
