"""What the archive says of slots: the narrowest kind of all fillers, if there are enough."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import examples, scan
from templatemine.api import mine
from templatemine.config import PipelineConfig, SampleConfig, SlotConfig, UserPattern
from templatemine.mining.sampling import choose_sample
from templatemine.mining.slot_types import (
    MAX_FILLERS,
    FillerReader,
    Slot,
    SlotFillers,
    _build_matcher,
    _filler_text,
    infer_slot_types,
    is_of_kind,
    runs_over,
)
from templatemine.model import Document
from templatemine.packs.pack import Pack
from templatemine.text.expressions import tokeniser_input
from templatemine.text.patterns import PatternSet, pattern_set
from templatemine.text.slots import ANY, KINDS, matches_kind

NEWS = pattern_set("news")
NAMES = ("Ann Lee", "Joe Doe of the Courier", "Eve Ray and Max May", "Ada Poe", "Kim Orr", "Sue Fox", "Ian Rex")


def read_fillers(
    strings: Sequence[Slot], texts: Sequence[str], patterns: PatternSet, separators: str
) -> list[SlotFillers]:
    """In two batches, as archives are read."""
    reader = FillerReader(strings, patterns, separators)
    for part in (texts[: len(texts) // 2], texts[len(texts) // 2 :]):
        reader.add([tokeniser_input(text, patterns, separators) for text in part])
    return list(reader.fillers().slots)


def taken(
    texts: Sequence[str], words: str = "Photo by", side: str = "end", anchor: str = "", **options: float | bool
) -> str:
    forms = scan(words, NEWS, "-", False)[1]
    string = Slot(forms=forms, side=side, anchor=anchor or side)
    return infer_slot_types([string], read_fillers([string], texts, NEWS, "-"), "-", SlotConfig(**options))[0]


@pytest.mark.parametrize(("sentences", "goes_on", "kind"), [(3, True, ""), (4, True, "110"), (4, False, "")])
def test_a_slot_is_short_where_sentences_of_the_story_fill_it(sentences: int, goes_on: bool, kind: str) -> None:
    """In articles of one line."""
    fillers = [f"a boat by the {'long ' * 25}quay {number}" for number in range(8)]
    fillers[:sentences] = [f"{one}." for one in fillers[:sentences]]
    found = SlotFillers({one.encode(): one for one in fillers}, len(fillers))
    string = Slot(forms=scan("Photo by", NEWS, "-", False)[1], side="end", anchor="end", goes_on=goes_on)
    assert infer_slot_types([string], [found], "-", SlotConfig()) == [kind]


@pytest.mark.parametrize(
    ("kind", "fillers"),
    [
        ("names", NAMES),
        ("number", [f"{number}, {2 * number}" for number in range(7)]),
        ("date", [f"May {number}, 2014" for number in range(7)]),
        ("duration", [f"{number} hours ago" for number in range(7)]),
        ("url", [f"https://example.org/a-{number}" for number in range(7)]),
        ("20", ["a view of it", "all of us", "someone", "others", "no one", "nobody", "none other"]),
        ("40", ["語", *NAMES]),
        ("", ["other " * 18, *NAMES]),
    ],
)
def test_the_narrowest_kind_of_all(kind: str, fillers: Sequence[str]) -> None:
    texts = [f"A story.\nPhoto by {one}\nMore." for one in fillers]
    assert taken(texts) == kind
    assert taken(texts[::-1]) == kind
    before = [f"A story.\u2028{one} photo.\u2029More." for one in fillers]
    assert taken(before, "photo.", "start") == kind


def test_a_script_without_capitals_has_no_names() -> None:
    """ "Next Previous" before a byline in Arabic said names once, and all words of Arabic were some."""
    texts = [f"خبر.\n{one} عين اليوم\nخبر." for one in NAMES]
    assert taken(texts, "عين اليوم", "start") == "names"
    assert not matches_kind("names", "توفي شخص صباح اليوم في حادث سير ", "-", "start")
    assert taken([*texts, "توفي شخص صباح عين اليوم"], "عين اليوم", "start").isdigit()


def test_a_line_in_ten_that_begins_as_bylines_do_takes_no_paragraphs_along() -> None:
    names = [f"{first} {last}" for first in ("Ann", "Roe", "Li") for last in NAMES]
    texts = [f"A story.\nBy {one}\nMore." for one in names]
    prose = [f"A story.\nBy Saturday, the video had {number} views in all.\nMore." for number in "ab"]
    assert taken([*texts, *prose], "By") == "names"
    assert taken([*texts[:9], *prose], "By") != "names"


def test_headlines_of_words_with_capitals_are_no_names() -> None:
    towns = ("Ely", "Wells", "Rye", "Deal", "Hove", "Bath")
    titles = [f"The {first} Sees No End of Rain in {town}" for first in ("Board", "Bank") for town in towns]
    texts = [f"A story.\nRead also: {one}\nMore." for one in titles]
    assert taken(texts, "Read also:") == "names"
    assert taken([*texts, "A story.\nRead also: Mill towns continue to fight with Rain\nMore."], "Read also:").isdigit()


def test_few_documents_say_nothing() -> None:
    texts = [f"Photo by {one}" for one in NAMES]
    assert taken(texts[:5]) == ANY
    assert taken(texts[:6]) == "names"
    assert taken(texts[:5], unseen=0.6) == "names"
    assert taken([*texts[:5], "\n".join(texts)]) == "names"
    # It is documents that count.
    assert taken(["\n".join(texts)]) == ANY
    assert taken(texts, kinds=False) == ANY


_FILLER_PIECES = (
    *" -/:.,;()'@&5٣",
    "\u3000",
    "the",
    "of",
    "Ann",
    "ÉLAN",
    "éé",
    "語",
    "한국",
    "March",
    "hours",
    "x" * 12,
    "a.b/c",
    "\U000f0fff",
    "\ud800",
)


@examples(400)
@given(st.lists(st.sampled_from(_FILLER_PIECES), max_size=24).map("".join), st.sampled_from(["", "-", "-|", "/"]))
def test_kinds_are_those_of_the_expressions(filler: str, separators: str) -> None:
    for kind in (*KINDS, "20"):
        for side in ("end", "start"):
            read = _filler_text(filler.encode("utf-8", "surrogatepass"), side, separators)
            assert is_of_kind(kind, read, separators, side) == matches_kind(kind, read, separators, side)


def test_names_hold_capitals() -> None:
    """Where a script has none, any words would be names."""
    assert taken([f"Photo by {one}" for one in ("نص", "كلمة", "ثالث", "رابع", "خامس", "سادس")]) == "10"


def test_where_lines_go_on_a_slot_is_short() -> None:
    """What fills it is followed by prose there, and a long filler would be some of that."""
    long = [f"a view of it that {'goes on and ' * size}ends" for size in range(8, 16)]
    texts = [f"Photo: {one}" for one in long]
    assert taken(texts, "Photo:") == ANY
    prose = [f"Photo: {one} {'and so on, as all prose does ' * 9}" for one in long[:4]]
    assert taken([*texts, *prose], "Photo:") == "110"
    assert taken([*texts[:3], *prose], "Photo:") == "110"


def test_where_a_credit_runs_into_the_story_its_slot_takes_names() -> None:
    """In a text of one line nothing parts them: a slot of a length would take the sentence, if it is short enough."""
    names = [f"{first} {last}" for first in ("Ann", "Roe", "Li") for last in NAMES]
    sentences = [
        f"{name} The {word} was closed for the whole of the year."
        for name, word in zip(names, "abcdefgh", strict=False)
    ]
    long = [f"Photo: {name} {'and so on, as all prose does ' * 9}" for name in names[:4]]
    assert taken([f"Photo: {one}" for one in [*names, *sentences]] + long, "Photo:") == "names"
    # Not where most of what fills it is no name, or what is none is no sentence.
    assert taken([f"Photo: {one}" for one in [*names[:6], *sentences]] + long, "Photo:") == "110"
    views = [f"a view of {name.lower()} in the year" for name in names[:8]]
    assert taken([f"Photo: {one}" for one in [*names, *views]] + long, "Photo:") == "80"


def test_where_in_its_line_a_string_stands() -> None:
    """The other edge of the string may be that of a line."""
    texts = [f"Photo by {one}\nThis is a photo by him who says it was not even his own" for one in NAMES]
    assert taken(texts, anchor="line") == "names"
    texts = [f"Photo by {one}\nThis is a Photo by him who says it was not even his own" for one in NAMES]
    assert taken(texts, anchor="line") == "names"
    assert taken(texts, anchor="end") != "names"


def test_own_patterns_are_one_character() -> None:
    patterns = pattern_set("news", (UserPattern(name="case", regex="no [0-9]+ of the old book there", spans=True),))
    string = Slot(forms=[b"Photo", b"by"], side="end", anchor="end")
    texts = [f"Photo by Ann no {number} of the old book there" for number in range(7)]
    found = read_fillers([string], texts, patterns, "-")
    assert infer_slot_types([string], found, "-", SlotConfig())[0] == "names"
    assert taken(texts) != "names"
    assert read_fillers([], texts, NEWS, "-") == []


def test_a_slot_for_names_takes_nothing_else_whatever_fills_it() -> None:
    string = Slot(forms=[b"By"], side="end", anchor="line", names=True)
    fillers = read_fillers([string], ["By Ann Lynde", "By then all of the others had left"], NEWS, "-")
    assert infer_slot_types([string], fillers, "-", SlotConfig()) == ["names"]
    assert infer_slot_types([string], fillers, "-", SlotConfig(kinds=False)) == ["names"]


def test_parts_say_what_the_whole_does(monkeypatch: pytest.MonkeyPatch) -> None:
    string = Slot(forms=[b"Photo", b"by"], side="end", anchor="end")
    texts = [f"Photo by Ann {chr(number)}" for number in range(ord("A"), ord("Z") + 1)]

    def read(some: Sequence[str]) -> SlotFillers:
        (found,) = read_fillers([string], some, NEWS, "-")
        return found

    assert read(texts[1::2]) + read([]) + read(texts[::2]) == read(texts)
    assert len(read(texts).fillers) == 26 < MAX_FILLERS
    # Of very many some are kept, the same ones in whatever parts and order they come.
    monkeypatch.setattr("templatemine.mining.slot_types.MAX_FILLERS", 5)
    whole = read(texts)
    assert (len(whole.fillers), whole.documents) == (5, 26)
    assert read(texts[::-1]) == read(texts[3:]) + read(texts[:3]) == whole
    assert whole + whole == read(texts) + read(texts[::-1]) == read(texts * 2)


@examples(200)
@given(st.lists(st.lists(st.sampled_from("ABCDEFGH"), max_size=12), min_size=1, max_size=5), st.integers(1, 9))
def test_sums_of_parts(parts: list[list[str]], most: int) -> None:
    """What is kept of many fillers is that of the whole."""
    string = Slot(forms=[b"Photo", b"by"], side="end", anchor="end")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("templatemine.mining.slot_types.MAX_FILLERS", most)
        texts = [[f"Photo by {one}" for one in part] for part in parts]
        (whole,) = read_fillers([string], [text for part in texts for text in part], NEWS, "-")
        total = SlotFillers()
        for part in texts:
            total += read_fillers([string], part, NEWS, "-")[0]
        assert total == whole
    count = Counter(one for part in parts for one in part)
    kept = sorted(count, key=lambda one: crc32(f" {one}".encode()))[:most]
    assert whole.fillers == {f" {one}".encode(): f" {one}" for one in kept}
    assert whole.documents == count.total()


@pytest.mark.parametrize(("longest", "kind"), [(3, "10"), (6, "10"), (7, "20"), (20, "30"), (60, "90"), (79, "")])
def test_a_filler_to_come_may_be_half_as_long_again(longest: int, kind: str) -> None:
    """The blank beside the string counts."""
    fillers = [letter * (longest - 1) for letter in "abcdefgh"]
    assert taken([f"Photo by {one}" for one in fillers]) == kind


@given(st.lists(st.lists(st.sampled_from(["by", " ", "a", "é", "\n", "\u2028", "\u2029", "\u2027"])).map("".join)))
def test_what_stands_beside_strings(texts: list[str]) -> None:
    """Natively as with expressions."""
    matcher = _build_matcher([Slot(forms=[b"by"], side=side, anchor=side) for side in ("end", "start")], NEWS, "-")
    expected = []
    for place, text in enumerate(texts):
        for found in re.finditer(r"(?<!\S)by(?!\S)", text):
            rests = [
                re.match("[^\n\u2028\u2029]*", text[found.end() :]),
                re.search("[^\n\u2028\u2029]*\\Z", text[: found.start()]),
            ]
            expected += [(place, string, rest[0].encode()) for string, rest in enumerate(rests) if rest is not None]
    for given_texts in (texts, [text.encode() for text in texts]):
        assert sorted(matcher.find_rests([*given_texts], bytes([4, 8]))) == sorted(expected)


def credited(number: int, credit: str) -> Document:
    """A story of words that stand nowhere else, and a credit."""
    rng = Random(number)
    lines = (" ".join("".join(rng.choices("abcdefgh", k=7)) for _ in range(12)) for _ in range(4))
    return Document(
        source="s", id=str(number), text="\n".join([*map(str.capitalize, lines), credit]), date="2020-01-01"
    )


def by_a_name(number: int) -> Document:
    first, last = ("".join(Random(-number - place).choices("abcdefgh", k=7)).title() for place in (1, 2))
    return credited(number, f"Photo taken by {first} {last}")


def test_all_documents_of_a_sampled_source_say_what_fills_slots() -> None:
    config = PipelineConfig(sample=SampleConfig(documents=80))
    documents = [by_a_name(number) for number in range(200)]
    chosen = choose_sample(documents, config.sample)
    assert chosen is not None
    others = [number for number in range(200) if number not in chosen.tolist()][:30]
    for place, other in enumerate(others):
        documents[other] = credited(
            other, f"Photo taken by somebody whose name {chr(97 + place % 26) * 2} is told no{chr(97 + place // 26)}"
        )
    exact = replace(config, sample=SampleConfig(exact=True))
    for some in (config, exact):
        tokens = [one.tokens for one in mine(documents, some)["s"].templates if one.tokens and one.slot == "end"]
        assert ("Photo", "taken", "by", "{slot:60}") in tokens


def test_the_example_is_one_of_the_expression() -> None:
    """Where the string stands first it is not at the edge of its line, so what follows says nothing of the slot."""
    documents = [by_a_name(number) for number in range(60)]
    documents[0] = credited(0, "Well, Photo taken by somebody whom nobody of us had ever seen before that day")
    pack = mine(documents)["s"]
    (found,) = (one for one in pack.templates if one.tokens == ("Photo", "taken", "by", "{slot:names}"))
    assert found.example.startswith("Photo taken by ")
    assert "somebody" not in found.example
    assert Pack.from_json(pack.to_json()).templates == pack.templates


def test_the_example_keeps_what_python_alone_takes_for_white_space() -> None:
    """Such as the file separator, which is a part of its token."""
    documents = [by_a_name(number) for number in range(60)]
    documents = [
        replace(
            one,
            text=f"{one.text}\n{'ABCDEFGH'[number % 8]}ane {'KLMNOPQR'[number // 8]}oe contributed to this report for us\x1c",
        )
        for number, one in enumerate(documents)
    ]
    pack = mine(documents)["s"]
    (found,) = (one for one in pack.templates if one.tokens and one.tokens[:2] == ("{slot:names}", "contributed"))
    assert found.example.endswith("\x1c")
    assert Pack.from_json(pack.to_json()).templates == pack.templates


@pytest.mark.parametrize(("opening", "closing"), [("", ""), ("[", "]"), ("[12 ", "]")])
def test_what_fills_a_bracket_is_no_longer_than_what_was_in_one(opening: str, closing: str) -> None:
    """Lines that go on behind it would lose their sentences."""
    later = "and so it went on for some time, as all of them said later."
    texts = [f"({opening}See also: {one}{closing})" for one in NAMES]
    label = f"({opening}See also:"
    assert taken(texts, label) == "names"
    assert taken([*texts, *(f"{one} {later}" for one in texts[:2])], label) == "30"
    before = [f"({opening}{one} contributed to this{closing})" for one in NAMES]
    label = f"contributed to this{closing})"
    assert taken([*before, *(f"So it went on for some time {one}" for one in before[:2])], label, "start") == "30"


HEADLINES = [f"Mayor of {town} Opens the Long Bridge" for town in ("Alba", "Berl", "Cork", "Dole", "Ende")]
LONG = [
    f"Mayor of {'Old ' * size}Town Opens the Bridge He said so {'again ' * 18}by {size} May." for size in range(1, 7)
]
"""Headlines of an article each, and the sentence behind them: 150 characters or more."""
SENTENCES = ["He said so on Monday.", "\u201cIt is late,\u201d she told us.", "The ferry had left by then."]


@pytest.mark.parametrize(
    ("fillers", "over"),
    [
        ([f"{headline} {rest}" for headline in HEADLINES for rest in SENTENCES], True),
        # Four of twenty, which is the least.
        ([f"{one} {rest}" for one in HEADLINES[:2] for rest in SENTENCES[:2]] + [f"{n}." for n in range(16)], True),
        ([f"{one} {rest}" for one in HEADLINES[:2] for rest in SENTENCES[:2]] + [f"{n}." for n in range(17)], False),
        (HEADLINES, False),
        ([f"{headline} {SENTENCES[0]}" for headline in HEADLINES], False),  # nothing says where the headlines end
        # Headlines of a kind go on in small letters, or by a word.
        ([f"Mayor of the Old Town opens the long bridge in {word}ville today" for word in "abcdefgh"], False),
        ([f"{headline} Now" for headline in HEADLINES] + [f"{headline} Soon" for headline in HEADLINES], False),
        ([], False),
        (["One."], False),
        # Four of seven; one less; headlines of that length; text that a parser cut off.
        ([*LONG[:4], "A Ferry Sinks", "A Dam Holds", "Gold Falls"], True),
        ([*LONG[:3], "A Ferry Sinks", "A Dam Holds"], False),
        ([*LONG[:4], "A Ferry Sinks", "A Dam Holds", "Gold Falls", "Snow Comes"], False),
        ([one.removesuffix(".") for one in LONG], False),
        ([f"{one}.." for one in LONG], False),
        ([f"{one} Copyright The Bridge Press." for one in LONG], False),  # boilerplate behind the list
    ],
)
def test_one_headline_before_several_sentences_shows_where_it_ends(fillers: Sequence[str], over: bool) -> None:
    assert runs_over(SlotFillers({one.encode(): one for one in fillers}, len(fillers))) is over
