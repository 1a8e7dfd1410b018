"""The sieve lets everything pass that the automaton would find, and not much else."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import cases, examples, make_pack
from templatemine.packs.pack import Pack
from templatemine.text.expressions import SLOT_REACH, EncodedText
from templatemine.text.patterns import pattern_set

NEVER, AUTO, ALWAYS = 0, 1, 2
NEWS = pattern_set("news")


def agree(pack: Pack, text: str) -> None:
    """The matches are the same with and without, and lie in the regions."""
    data = EncodedText(text, pack.patterns, pack.tokenise.separators).data
    all_of_it, sieved = pack.make_matcher(NEVER)[0], pack.make_matcher(ALWAYS)[0]
    assert (sieved.uses_sieve, all_of_it.uses_sieve) == (True, False)
    starts, ends, strings = all_of_it.find(data)
    regions = sieved.regions(data)
    assert regions == sorted(regions)
    assert all(a[1] < b[0] for a, b in pairwise(regions))
    edges = [SLOT_REACH.get(template.slot, 0) for template in pack.templates if template.tokens is not None]
    for start, end, string in zip(starts.tolist(), ends.tolist(), strings.tolist(), strict=True):
        # A match that reaches to an edge of its line lies in one with its string alone.
        assert any((a <= start and end <= b) or (edges[string] and a < end and start < b) for a, b in regions)
    for one, other in zip((starts, ends, strings), sieved.find(data), strict=True):
        assert one.tolist() == other.tolist()


@examples(750)
@given(st.data())
def test_the_same_matches(data: st.DataObject) -> None:
    case = data.draw(cases(html=False))
    pack = case.pack()
    for text in (*case.texts, *case.others, "\n".join(case.texts + case.others)):
        agree(pack, text)


FILL = "Nothing of that kind is in this line, which is as long as lines of prose are."
STRINGS: dict[str, tuple[list[bytes], str, str, str]] = {
    "a long word": ([b"our", b"newsletter"], "our newsletter", "", "our newsletter"),
    "over a line break": ([b"our", b"newsletter"], "our newsletter", "", "our\n- newsletter"),
    "over a wide space": ([b"our", b"newsletter"], "our newsletter", "", "our\u3000\xa0newsletter"),
    "beside more bytes than are asked for": (
        [b"tomorrow's", b"newsletters", b"everywhere"],
        "tomorrow's newsletters everywhere",
        "",
        "tomorrow's -- newsletters -\u2009- everywhere",
    ),
    "beside the end of a part": ([b"Buzz\xff\x08", b"newsletter"], "Buzz7 newsletter", "", "Buzz12 newsletter"),
    "beside its beginning": ([b"newsletter", b"Buzz\xff\x08"], "newsletter Buzz7", "", "newsletter Buzz12"),
    "beside letters of two bytes": (["été".encode(), b"newsletter"], "été newsletter", "", "été newsletter"),
    "short words": ([b"More", b"On"], "More On", "line", "- More On"),
    "short words at the end": ([b"So", b"On"], "So On", "end/end", "So On and more"),
    "four letters": ([b"Read"], "Read", "line", "Read"),
    "three letters": ([b"THE", b"FOX"], "THE FOX", "", "THE FOX"),
    "three letters after a wide space": ([b"FOX"], "FOX", "", "a\u3000FOX\u3000b"),
    "three letters after a character": ([b"FOX"], "FOX", "", "語FOX語"),
    "three letters at the end": ([b"FOX"], "FOX", "", "FOX"),
    "glued": ([b"AP/", b"Smith"], "AP/ Smith", "", "AP/Smith"),
    "a short part of a word": ([b"Buzz\xff\x08"], "Buzz7", "end", "Buzz12"),
    "a clock": ([b"\xff\x09"], "12:30", "end", "12:45"),
    "digits of another script": ([b"\xff\x08"], "12", "end", "٢٠"),
    "an address": ([b"\xff\x01"], "http://x.org/a", "end", "www.example.org/b"),
    "a rule": ([b"\xff\x14"], "___", "line", "–––"),
    "Han": (["語".encode(), "文".encode()], "語文", "", "日語文本"),
    "a month": ([b"\xff\x15"], "March", "start", "May"),
    "a month before a sign": ([b"\xff\x15,"], "March,", "", "May,"),
    "a month after a sign": ([b"(\xff\x15"], "(March", "", "(May"),
    "a month after a word": ([b"in", b"\xff\x15"], "in March", "", "in\u3000- May"),
    "two months": ([b"\xff\x15_\xff\x15"], "March_April", "", "May_June"),
    "to the end of the line": ([b"Contributing:"], "Contributing:", "end/end", "Contributing: A, B and C"),
    "from its beginning": ([b"Contributing:"], "Contributing:", "start/start", "A, B Contributing:"),
}


@pytest.mark.parametrize("name", STRINGS)
def test_every_clue(name: str) -> None:
    """At each place of a text, at its edges too."""
    forms, example, anchor, there = STRINGS[name]
    pack = make_pack([(forms, example)], NEWS, "-", False, [anchor])
    hits = 0
    for text in (
        *(f"{FILL[:k]}\n{there}\n{FILL}" for k in range(9)),
        *(f"{FILL[k:]} {there} {FILL}" for k in range(9)),
        there,
        f"{FILL}\n{there}",
        f"{there}\n{FILL}",
        f"{FILL}\u2028{there}\u2028{FILL}",
        f"{there}, {FILL}\n{FILL}, {there}",
    ):
        agree(pack, text)
        hits += len(pack.make_matcher(NEVER)[0].find(text.encode())[0])
    assert hits


LETTERS = "abcdefghijklmnopqrstuvwxyz"


def test_words_of_every_length_at_every_distance_from_the_edges() -> None:
    """Words that share their beginnings, middles and ends: what is known of a gram's surroundings tells them apart."""
    words = [f"{LETTERS[:k]}q{LETTERS[k:size]}" for size in range(3, 20, 2) for k in (0, size // 2, size)]
    pack = make_pack([([word.encode()], word) for word in words], NEWS, "-", False)
    for word in words:
        for front in range(9):
            agree(pack, f"{'x' * front} {word} {'x' * (8 - front)}")
            agree(pack, f"{'x' * front}{word} {word}{'x' * front}")


def test_many_known_grams() -> None:
    """More than are looked up together, found and not."""
    pack = make_pack([([b"newsletter"], "newsletter"), ([b"newspaper"], "newspaper")], NEWS, "-", False)
    agree(pack, "newsletter newspaper newsletters " * 100)
    agree(pack, "newslettre xnewspaper newspapers " * 100 + "newspaper")


def test_it_is_made_when_it_pays() -> None:
    native = make_pack([([b"newsletter"], "newsletter")], NEWS, "-", False).make_matcher()[0]
    native.spans([FILL], 3)
    assert not native.uses_sieve
    native.spans([FILL] * 1000, 3)
    assert native.uses_sieve


def test_a_line_of_prose_is_left_out() -> None:
    """What is looked at is what gave a string away and the words around, not the line."""
    pack = make_pack([([b"our", b"newsletter"], "our newsletter")], NEWS, "-", False)
    text = " ".join([FILL] * 20 + ["our newsletter"] + [FILL] * 20).encode()
    ((start, end),) = pack.make_matcher()[0].regions(text)
    assert end - start < 40
    assert not pack.make_matcher()[0].regions(FILL.encode())


def test_an_anchor_is_asked_for() -> None:
    pack = make_pack([([b"our", b"newsletter"], "our newsletter")], NEWS, "-", False, ["line"])
    native = pack.make_matcher()[0]
    assert native.regions(f"{FILL}\nour newsletter\n{FILL}".encode())
    assert not native.regions(f"{FILL} our newsletter\n{FILL}".encode())
    assert not native.regions(f"{FILL}\nour newsletter {FILL}".encode())


def test_it_asks_for_what_is_rare_in_the_texts() -> None:
    """Not in English: here "quiz" and its letters stand everywhere."""
    pack = make_pack([([b"the", b"quizzes", b"teeth"], "the quizzes teeth")], NEWS, "-", False)
    native = pack.make_matcher()[0]
    text = b"quizzes teething jazz " * 4_000
    native.find(text)
    assert native.uses_sieve
    assert not native.regions(text)
    assert pack.make_matcher()[0].regions(text)
    assert len(native.regions(text + b"the quizzes teeth")) == 1
    assert len(native.find(text + b"the quizzes teeth")[0]) == 1


def test_bytes_beyond_ascii_are_no_rarer_than_they_are() -> None:
    """A dash is in each line, "WASHINGTON" in none."""
    pack = make_pack([([b"WASHINGTON", "—".encode()], "WASHINGTON —")], NEWS, "-", False, ["start"])
    native = pack.make_matcher()[0]
    assert not native.regions(f"Nobody — {FILL}\n— so {FILL}".encode() * 10)


def test_it_is_off_where_it_saves_nothing() -> None:
    """A string that is nearly everywhere; and texts that are full of what strings are made of."""
    everywhere = make_pack([([b"e"], "e")], NEWS, "-", False).make_matcher()[0]
    everywhere.find(b"e e e e prose " * 9_000)
    assert not everywhere.uses_sieve
    assert len(everywhere.find(b"e")[0]) == 1
    native = make_pack([([b"newsletter"], "newsletter")], NEWS, "-", False).make_matcher()[0]
    native.find(FILL.encode() * 1_200)
    assert native.uses_sieve
    native.find(b"newsletter " * 20_000)
    assert not native.uses_sieve
    assert len(native.find(b"newsletter " * 20)[0]) == 20


def test_it_is_off_where_the_same_bytes_are_read_again_and_again() -> None:
    """Half of the text is left out, but each hit in the other half reads what stands around it."""
    words = [b"which", b"is", b"as", b"long", b"as", b"lines"]
    string = [*words, b"newsletter", *words]
    pack = make_pack([(string, b" ".join(string).decode())], NEWS, "-", False)
    for hits, used in ((f"newsletter {FILL} " * 4, True), ("newsletter which is as " * 15, False)):
        native = pack.make_matcher()[0]
        native.find(f"{FILL}\n".encode() * 1_200)
        text = f"{FILL * 6}\n{hits}\n".encode() * 300
        assert 0.3 < sum(end - start for start, end in native.regions(text)) / len(text) < 0.55
        native.find(text)
        assert native.uses_sieve == used
