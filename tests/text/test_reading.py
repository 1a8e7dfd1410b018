"""What looks the same is the same: the reading form of texts, its rules by source, and cleaning by it."""

from __future__ import annotations

import gzip
import json
import random
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

import reading_reference
from scale import scaled
from strategies import examples, make_pack, pieces_of, scan
from templatemine.api import mine
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig, ConfigError, TokeniseConfig
from templatemine.errors import PackError
from templatemine.mining.learn_reading import _count_alone, learn_reading
from templatemine.model import Document
from templatemine.packs.pack import Pack, reading
from templatemine.packs.pack_checks import compile_handwritten
from templatemine.text.patterns import pattern_set
from templatemine.text.reading import PLAIN, ReadingRules, read_form, read_string, read_text

ENGINES = ("native", "regex")
SOFT = ReadingRules(soft=True, starts=("Si",), whole=("macBook",))
MARKUP = ReadingRules(markup=True)
LINES = ReadingRules(sentences=True)


def form(text: str, rules: ReadingRules = PLAIN) -> str:
    found = read_text(text, rules)
    return text if found is None else found.text


# ----------------------------------------------------------------------------------------------------------- characters


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It\u2019s \u2018so\u2019 o\u02bcclock", "It's 'so' o'clock"),
        ("Wait\u2026", "Wait..."),
        ("\u200fa\u202bb\u2066c\u061cd\u200e", "abcd"),
        (
            "\ufeffsoft\u00adhyphen zero\u200bwidth\u2060 joi\u200dn\u200cs \u2764\ufe0f",
            "softhyphen zerowidth joins \u2764",
        ),
        ("\u0645\u0640\u0640\u0631\u062d\u0628\u0627", "\u0645\u0631\u062d\u0628\u0627"),
        ("cafe\u0301 e\u200b\u0301", "caf\u00e9 \u00e9"),
        ("\uff21\uff22\uff43\uff11\uff05 x\uff0cy", "ABc1% x,y"),
        ("a\rb\r\nc\x85d\x0be\x0cf\r\u200f\ng", "a\nb\r\nc\nd\ne\nf\r\ng"),
        # Beside Han and kana some signs are tokens of their own, however they were typed.
        ("\u6765\u6e90:CNN,\u8bb0\u8005!", "\u6765\u6e90\uff1aCNN\uff0c\u8bb0\u8005\uff01"),
        ("\u5927\u5bb6\u597d!\u6211\u4eec", "\u5927\u5bb6\u597d\uff01\u6211\u4eec"),
        ("\u201cQuotes\u201d \u201estay\u201c \u00abso\u00bb", "\u201cQuotes\u201d \u201estay\u201c \u00abso\u00bb"),
    ],
)
def test_characters(text: str, expected: str) -> None:
    assert form(text) == expected
    assert form(expected) == expected


@pytest.mark.parametrize(
    "text", ["", "A plain text.\n\nIt stays.", "\u00dcber alles, \u2013 \u201cja\u201d", "\u3053\u308c\u306f\u3002"]
)
def test_a_text_that_is_its_own_form_is_not_copied(text: str) -> None:
    assert read_text(text) is None


# ---------------------------------------------------------------------------------------------------------- glue points

GLUED = (
    "dialogue.|Log in",
    "sure?|Yes",
    "over...|What",
    "in 2021.|The end",
    "by 5%.|The end",
    "said.\u201d|The man",
    'said."|The man',
    "left.|\u201cWe are",
    "\u201eWir gehen.\u201c|Der Mann",
    "said.|(Reporting by A)",
    "photo (AP Images)|The man",
    "the \u201cman\u201d|Log in",
    "vid\u00e9o\u00bb|Voir",
    "NATO.|The end",
    "World.|Economy.|Crises now",
    "falas.|\u00a9 KOHA",
    "right.|A man",
    "don't.'|The man",
    "\ubcf4\ub3c4\ud588\ub2e4.|\uae30\uc790",
    "\u0939\u0948\u0964|\u0909\u0928\u094d\u0939\u094b\u0902\u0928\u0947",
    "\u0447\u0435\u043b\u043e\u0432\u0435\u043a.|\u041e\u043d",
)
WHOLE = (
    "J.K.Rowling", "U.S.President", "e.g.Foo", "St.Louis", "Mrs.Smith", "Prof.Dr. Foo", "TP.HCM", "15.Januar", "Booking.com", "3.5", "1,234.Foo",
    "https://x.org/foo.Bar", "www.foo.Bar", "first.Last@x.org", "@some.Body", "wed(ding)Ring", "f(x)Dx", "a:)Dance", "\u5927\u5bb6\u597d\u3002Hello",
    "\uc5f0\ud569(\ub274\uc2a4)\uae30\uc790", "\u201c\uad6d\uac00?\u201d\ub77c\ub294", "\u0623.\u0641.\u0628", "Sign up:Now", "and/Or", "YouTube", "McDonald",
    "iPhone", "LinkedIn", "PlayStation", "ouverteSi", "x.Y", "\u05e6\u05d4\"\u05dc",
)  # fmt: skip


@pytest.mark.parametrize("text", GLUED)
def test_glue_points(text: str) -> None:
    assert form(text.replace("|", "")) == text.replace("|", "\n")


@pytest.mark.parametrize("text", WHOLE)
def test_no_glue_points(text: str) -> None:
    assert "\n" not in form(text)
    assert "\n" not in form(f"so {text} is")


@pytest.mark.parametrize(
    "text",
    ["ouverte|Si", "Paris|Si", "June 2021|Harbour", "f\u00eat\u00e9e|\u00c9coutez", "open|READ MORE", "YouTube", "McDonald", "iPhone", "ParisLe", "macBook", "12Foo"],
)  # fmt: skip
def test_soft_points(text: str) -> None:
    assert form(text.replace("|", ""), SOFT) == text.replace("|", "\n")


# --------------------------------------------------------------------------------------------------------------- markup


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("&lt;p&gt;Hi &amp;amp; bye&lt;/p&gt;", "\nHi & bye\n"),
        ('<a href="x">Foo</a>&amp;nbsp;bar<br/>&#8220;q&#x201D; it&#8217;s', "Foo\u00a0bar\n\u201cq\u201d it's"),
        ("&amp;lt;b&amp;gt;z a<b 3&4; &foo; x < y", "z a<b 3&4; &foo; x < y"),
        ('cut off <a href="https://x', "cut off "),
        ('<p>Story.</p> <b><a href="https://x', '\nStory.\n <a href="https://x'),
        ("&lt;p&gt;Story.&lt;/p&gt;&lt;a href='x", "\nStory.\n<a href='x"),
        ("<p>Story. <b>more</b> <a hr", "\nStory. more "),
    ],
)
def test_markup(text: str, expected: str) -> None:
    assert form(text, MARKUP) == expected
    assert "&" not in text or form(text) != expected


def test_markup_is_recognised_over_the_source() -> None:
    plain = [f"Item {number} of today" for number in range(60)]
    marked = [f"<p>Item {number} &#8211; of today</p>" for number in range(4)]
    assert not learn_reading(plain, "auto").markup
    assert not learn_reading([*plain, *marked[:2]], "auto").markup
    assert learn_reading([*plain, *marked], "auto").markup
    assert not learn_reading([*plain, *marked], "none").markup
    assert learn_reading(plain, "html").markup
    with pytest.raises(ConfigError, match="text_markup: expected auto, none or html, got 'xml'"):
        TokeniseConfig(text_markup="xml")


# ------------------------------------------------------------------------------------------------- texts that are cut off


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See all our breaking ne", "See all our breaking"),
        ("See our &lt;a href='x'&gt;breaking ne", "See our breaking"),
        ("All news. Get our ne", "All news. Get our ne"),
        ("All our news.) Get it", "All our news.) Get it"),
        ("All of our news\nGet it", "All of our news\nGet it"),
        ("All of our news-lett", "All of our news-lett"),
        ("Get our email,", "Get our email,"),
        ("Get our email &lt;/a&", "Get our email "),
        ("Get our email &am", "Get our email"),
        ("Get our email&amp;#82", "Get our email"),
        ("Get our email <", "Get our email"),
        ("Get our email &lt;/stro", "Get our email"),
        ("Get our <a href='x'&g", "Get our "),
        ("<p>Our own mail</p><p>Th", "\nOur own mail\n\nTh"),
        ("<br><a href='http://ab", "\n<a href='http://ab"),
        ("\u65b0\u805e\u306e\u65b0\u805e", "\u65b0\u805e\u306e\u65b0\u805e"),
        (
            "\u0412\u0441\u0435 \u043d\u043e\u0432\u043e\u0441\u0442\u0438 \u0437\u0430 \u0434\u043d",
            "\u0412\u0441\u0435 \u043d\u043e\u0432\u043e\u0441\u0442\u0438 \u0437\u0430",
        ),
        ("Word", "Word"),
    ],
)
def test_what_is_cut_off_is_not_read(text: str, expected: str) -> None:
    for length in range(len(text), len(text) + 3):
        assert form(text, replace(MARKUP, cut_off=length)) == expected
    for length in (len(text) - 1, len(text) + 3):
        assert form(text, replace(MARKUP, cut_off=length)) == form(text, MARKUP)
    found = read_text(text, replace(MARKUP, cut_off=len(text)))
    if found is not None and found.text:
        assert found.original_span(0, len(found.text))[1] == len(text)


def test_where_texts_are_cut_off_is_recognised_over_the_source() -> None:
    story = "The council meets again to discuss what the harbour costs and who is to pay for it in the end "
    cut = [f"{story[number:]}{story * 3}"[:200].rstrip() for number in range(20)]
    whole = [f"{number} {story}." for number in range(60)]
    of_one_form = [f"{story} by {'abcdefghijklmnopqrst'[number]}essica Roe" for number in range(20)]
    assert learn_reading(of_one_form + whole, "auto").cut_off == 0
    assert learn_reading(cut + whole, "auto").cut_off == 200
    assert learn_reading(cut[:9] + whole, "auto").cut_off == 0
    assert learn_reading([f"{text[:199]}." for text in cut] + whole, "auto").cut_off == 0
    assert learn_reading([*cut, *whole, *(f"{number} {story * 4}" for number in range(4))], "auto").cut_off == 200
    assert learn_reading([*cut, *whole, *(f"{number} {story * 4}" for number in range(5))], "auto").cut_off == 0


def test_ends_that_are_all_the_same_are_no_sign_of_a_cut() -> None:
    """A word that begins another one in a single text, and what looks like the beginning of an entity or a tag."""
    for end, other in (
        ("news", "the newspaper has"),
        ("R&D", "&amp; so on"),
        ("I <3 it", "<b>so</b> on"),
        ("&", "so on"),
    ):
        texts = [*(f"Story {number} and what it says of {end}" for number in range(10, 60)), other]
        assert learn_reading(texts, "auto").cut_off == 0


@examples(40)
@given(st.integers(0, 1 << 32), st.integers(80, 300), st.integers(40, 120), st.integers(0, 2))
def test_texts_of_one_length_are_cut_off_if_they_end_unfinished(seed: int, size: int, count: int, longer: int) -> None:
    """Posts of the greatest length may all end with a word, and no sign; a few items may be longer."""
    draw = random.Random(seed)
    words = ["".join(draw.choices("aeioubdgklmnprst", k=draw.randint(3, 10))) for _ in range(300)]
    stories = [" ".join(draw.choices(words, k=120)) for _ in range(count)]
    others = [f"{' '.join(draw.choices(words, k=draw.randint(5, 9)))}." for _ in range(count)]
    others += [f"{' '.join(draw.choices(words, k=150))}." for _ in range(longer)]
    posts = []
    for story in stories:
        end = story.rindex(" ", 0, size)  # a piece that ends with a word, as long as all
        posts.append(f"{'x' * (size - end - 1)} {story[:end]}")
    assert set(map(len, posts)) == {size}
    for markup in ("auto", "none"):
        assert learn_reading([story[:size].rstrip() for story in stories] + others, markup).cut_off == size
        assert learn_reading(posts + others, markup).cut_off == 0
        assert learn_reading([f"{story[: size - 1]}." for story in stories] + others, markup).cut_off == 0
    tags = [f"{post[: size - 7]} <a hre" for post in posts]
    assert learn_reading(tags + others, "auto").cut_off == size


@examples(1500)
@given(st.data())
def test_a_text_that_is_cut_off_is_read_as_its_reference_does(data: st.DataObject) -> None:
    text = data.draw(texts()) + data.draw(st.sampled_from(_ENDS))
    rules = data.draw(st.sampled_from([PLAIN, SOFT, MARKUP, LINES]))
    rules = replace(rules, cut_off=max(len(text) + data.draw(st.integers(-1, 3)), 1))
    found = read_text(text, rules)
    expected, steps = reading_reference.read(text, rules)
    assert (text if found is None else found.text) == expected
    for place in range(len(expected) + 1):
        if found is not None:
            assert found.original_span(0, place) == reading_reference.original_span(steps, 0, place)


_ENDS = (
    "",
    "&",
    "&am",
    "&amp;l",
    "&lt;",
    "&lt;/",
    "&lt;/a&g",
    " &amp;#8",
    "&#x20",
    "<",
    "</di",
    "<a hr",
    "<b>wo",
    " a b c \u00e9t\u00e9",
    " a b. c d",
    " a b.) c d",
    "\nb c \td",
)


# ------------------------------------------------------------------------------------------------------------- sentences

HEADLINE = "See also: The toll falls again. What the town plans"
PARTED = HEADLINE.replace(". ", ".\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The mill closed. It was old.", "The mill closed.\nIt was old."),
        # A short stretch behind a glue point that ends without a sign is a headline, and stays one line.
        (f"It closed.\n{HEADLINE}\nThe mill is old. It stays.", f"It closed.\n{HEADLINE}\nThe mill is old.\nIt stays."),
        (f"{HEADLINE}\nThe mill closed.", f"{PARTED}\nThe mill closed."),
        (f"It closed.\n{HEADLINE}.\nIt stays.", f"It closed.\n{PARTED}.\nIt stays."),
        (f"It closed.\n{HEADLINE}{' so' * 70}\nIt", f"It closed.\n{PARTED}{' so' * 70}\nIt"),
        ("Photo: Ann Hill/AP. It closed in/out. So it is.", "Photo: Ann Hill/AP.\nIt closed in/out.\nSo it is."),
        # The end of a text may be cut off.
        (f"It closed.\n{HEADLINE}", f"It closed.\n{PARTED}"),
        (f"It closed. {HEADLINE}", f"It closed.\n{PARTED}"),
        # So is one behind a sentence, if a label opens it.
        (f"It closed. {HEADLINE}\nIt stays. So", f"It closed.\n{HEADLINE}\nIt stays.\nSo"),
        (f"It closed. {HEADLINE}.", f"It closed.\n{PARTED}."),
        # Another label is no part of it.
        (f"It closed. {HEADLINE}. Rights: all\nSo", f"It closed.\n{PARTED}.\nRights: all\nSo"),
        ("It closed. It was old. What now", "It closed.\nIt was old.\nWhat now"),
        (
            "It closed. As the owner of it had once said: no. What now",
            "It closed.\nAs the owner of it had once said: no.\nWhat now",
        ),
        # A number is no beginning of a sentence behind a word that stands before numbers.
        ("He read no. 5 twice. 12 came. It was his. 3 left.", "He read no. 5 twice.\n12 came.\nIt was his.\n3 left."),
        ("Nos. 3 and Art. 5 of it. Čl. 8 and НО. 5", "Nos. 3 and Art. 5 of it.\nČl. 8 and НО.\n5"),
        # Nor is a name behind a title.
        (
            "It was Prof. Ann Hill. Capt. Lee and Mme. Roy saw it. So he left.",
            "It was Prof. Ann Hill.\nCapt. Lee and Mme. Roy saw it.\nSo he left.",
        ),
        ("그렇게 말했다. 5일 왔다. 다음", "그렇게 말했다.\n5일 왔다.\n다음"),
        # A stamp that opens a text is a line.
        ("【記者王五/台北報導】木火土金。水山", "【記者王五/台北報導】\n木火土金。\n水山"),
        ("（記者王五報導） 木火土金。水山", "（記者王五報導）\n木火土金。\n水山"),
        ("〔木〕", "〔木〕"),
        ("【木】 \n火", "【木】 \n火"),
        ("【木【火】】土", "【木【火】】土"),
        ("木【火】土", "木【火】土"),
        (f"【{'木' * 58}】土", f"【{'木' * 58}】\n土"),
        (f"【{'木' * 59}】土", f"【{'木' * 59}】土"),
    ],
)
def test_sentences_of_an_article_in_one_line_are_lines(text: str, expected: str) -> None:
    assert form(text, LINES) == expected


@pytest.mark.parametrize("glue", ["\n", " "])
@pytest.mark.parametrize(("size", "stays"), [(999, PARTED), (1000, HEADLINE)])
def test_the_end_of_a_long_text_is_not_cut_off(size: int, stays: str, glue: str) -> None:
    """What a feed cuts off is shorter than that."""
    before = f"It closed.\n{'so ' * size}"[: size - len(HEADLINE) - 2].rstrip() + "."
    before += "." * (size - len(before) - len(HEADLINE) - 1)
    assert form(f"{before}{glue}{HEADLINE}", LINES) == f"{before}\n{stays}"


# --------------------------------------------------------------------------------------------------------------- offsets


@pytest.mark.parametrize("rules", [PLAIN, SOFT, MARKUP])
@examples(200)
@given(st.data())
def test_offsets_ascend_and_cover_the_original(rules: ReadingRules, data: st.DataObject) -> None:
    text = data.draw(texts())
    found = read_text(text, rules)
    if found is None:
        return
    assert found.original_span(0, len(found.text)) == (0, len(text)) or not found.text
    last = 0
    for place in range(len(found.text)):
        start, end = found.original_span(place, place + 1)
        assert max(last, start) <= end <= len(text)
        last = end


@pytest.mark.parametrize("rules", [PLAIN, SOFT, MARKUP, LINES], ids=["plain", "soft", "markup", "lines"])
@examples(200)
@given(st.data())
def test_the_form_alone_is_that_with_the_way_back(rules: ReadingRules, data: st.DataObject) -> None:
    text = data.draw(texts())
    assert read_string(text, rules) == form(text, rules)
    encoded = read_form(text, rules)
    assert encoded == (
        text if encoded is text and text.isascii() else form(text, rules).encode("utf-8", "surrogatepass")
    )


@pytest.mark.parametrize("rules", [PLAIN, SOFT, MARKUP, LINES], ids=["plain", "soft", "markup", "lines"])
@examples(1500)
@given(st.data())
def test_the_kernel_is_its_reference(rules: ReadingRules, data: st.DataObject) -> None:
    text = data.draw(texts())
    found = read_text(text, rules)
    expected, steps = reading_reference.read(text, rules)
    assert (text if found is None else found.text) == expected
    assert (found is None) == (not steps)
    for place in range(len(expected) + 1):
        for end in {place, place + 1, len(expected)}:
            if found is not None and place <= end <= len(expected):
                assert found.original_span(place, end) == reading_reference.original_span(steps, place, end)


@cache
def publisher_texts() -> list[str]:
    """The first texts of each publisher: one, or three with TEMPLATEMINE_SCALE=1."""
    path = Path(__file__).parents[3] / "shared/data/publishers/publishers.jsonl.gz"
    if not path.exists():
        pytest.skip(f"no {path}")
    seen: Counter[str] = Counter()
    texts = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            seen[record["source"]] += 1
            if seen[record["source"]] <= scaled(3):
                texts.append(record["text"])
    return texts


@pytest.mark.parametrize("rules", [PLAIN, SOFT, MARKUP, LINES], ids=["plain", "soft", "markup", "lines"])
def test_texts_of_publishers(rules: ReadingRules) -> None:
    """Real texts in all languages, by the kernel and by its reference."""
    for text in publisher_texts():
        found = read_text(text, rules)
        assert reading_reference.read(text, rules)[0] == (text if found is None else found.text)
        assert read_string(text, rules) == (text if found is None else found.text)


_ALONE = regex.compile(r"(?<![^\s\"\u201c\u201e\u00ab(])\w+")


@examples(300)
@given(
    st.lists(st.sampled_from('aé "(\u201c.,-_0½\u2019\u0301\u093e中\u3000\x1c\ud800') | st.characters(), max_size=20)
)
def test_words_behind_blanks_are_counted(pieces: list[str]) -> None:
    text = "".join(pieces)
    words = {"a", *regex.findall(r"\w+", text)[::2]}
    assert _count_alone([text, ""], words) == Counter(words.intersection(_ALONE.findall(text)))


def test_what_is_invisible_goes_with_the_token_beside_it() -> None:
    found = read_text("x \u200fA\u0301D\u00adS\u200f y")
    assert found is not None
    assert found.text == "x \u00c1DS y"
    assert found.original_span(2, 5) == (2, 9)


# ------------------------------------------------------------------------------------------------------------- cleaning

SIGNS = "\u200e\u200f\u061c\u202a\u202c\u2066\u2069\ufeff\u00ad\u200b\u2060\u200c\u200d\ufe0f\u0640"
GLUE_PIECES = ("\u00a9", "Mrs", "dr.", "NATO", "www.", "#", "(", ")", "[", "]", "\u201e", "\u201c", "\u00bb", "\ub2e4", "\uae30\uc790", "\u0939\u0948\u0964", "\u06d4", "\u0627\u0644", "A", "I", "YouTube", "&lt;", "&#8217;", "&amp;amp;", "<br/>", "</p", "<a h", "class=\"x\"", ">", "&foo;", "\u0309", "\u0323", "dialogue.", "Log", "Si", "ouverte", "2021", "said.\u201d", "(AP)", "\u2026", "\u2019", "It", "\uff0c", "\u3010", "\u3011", "\u3014", "\u3015", "\uff08", "\u3002", "\u4e2d", "&amp;", "<p>", "e\u0301")  # fmt: skip


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Texts with glue points and signs that are folded."""
    pieces = [*draw(pieces_of(False)), " ", "\n", *draw(st.lists(st.sampled_from([*GLUE_PIECES, *SIGNS]), max_size=6))]
    return "".join(draw(st.lists(st.sampled_from(pieces), max_size=24)))


def pack_of(strings: Sequence[str], rules: ReadingRules = PLAIN, anchors: Sequence[str] = ()) -> Pack:
    patterns = pattern_set("news")
    forms = [(scan(form(text, rules), patterns, "-", False)[1], form(text, rules)) for text in strings]
    pack = make_pack([(some, text) for some, text in forms if some], patterns, "-", False, anchors)
    return Pack(**{name: getattr(pack, name) for name in pack.__dataclass_fields__} | {"reading": rules})


@pytest.mark.parametrize("rules", [PLAIN, SOFT, MARKUP])
@examples(300)
@given(st.data())
def test_engines_agree_and_no_words_are_glued(rules: ReadingRules, data: st.DataObject) -> None:
    text = data.draw(texts())
    strings = [
        text[a : a + n] for a, n in data.draw(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 12)), max_size=4))
    ]
    pack = pack_of(strings, rules, data.draw(st.sampled_from([(), ("line", ""), ("end/line", "start")])))
    native, regex = (Cleaner(pack, CleanConfig(engine=engine, gap=0)).clean(text) for engine in ENGINES)
    assert native == regex
    assert all(one.end <= two.start for one, two in zip(native.removed, native.removed[1:], strict=False))
    left = iter(form(text, rules).split())
    if not rules.markup and not any(unicodedata.category(char) == "Lo" for char in text):
        kept = form(native.text, rules).split()
        assert all(any(word in other for other in left) for word in kept)


@pytest.mark.parametrize("engine", ENGINES)
@examples(200)
@given(st.data())
def test_signs_change_no_decision(engine: str, data: st.DataObject) -> None:
    """Invisible signs added anywhere, other forms of the same characters, NFD: the same templates match."""
    text = data.draw(texts()).replace("\r", "\n")
    pack = pack_of([text[a : a + 8] for a in data.draw(st.lists(st.integers(0, 20), max_size=4))])
    changed = unicodedata.normalize("NFD", text) if data.draw(st.booleans()) else text
    rng = random.Random(data.draw(st.integers(0, 1 << 30)))
    changed = "".join(
        _other_form(char, rng) + "".join(rng.choices(SIGNS, k=rng.choice((0, 0, 1, 2)))) for char in changed
    )
    assert form(changed) == form(text)
    cleaner = Cleaner(pack, CleanConfig(engine=engine))
    before, after = cleaner.clean(text), cleaner.clean(changed)
    assert [span.templates for span in before.removed] == [span.templates for span in after.removed]
    assert before.stub == after.stub


def _other_form(char: str, rng: random.Random) -> str:
    forms = {"'": "'\u2019\u2018\u02bc\uff07", "\n": "\n\x85\x0b\x0c"}.get(char, char)
    if "!" <= char <= "~":
        forms += chr(ord(char) + 0xFEE0)
    return rng.choice(forms)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_cut_between_glue_points(engine: str) -> None:
    pack = pack_of(["Log in to comment.", "Sign up now"], SOFT, ["line"])
    cleaner = Cleaner(pack, CleanConfig(engine=engine))
    assert cleaner.clean("A dialogue.Log in to comment.Next one").text == "A dialogue. Next one"
    assert cleaner.clean("A dialogue.Log in to comment.\n\nNext one").text == "A dialogue.\n\nNext one"
    assert cleaner.clean("The storySign up nowSi oui").text == "The story Si oui"
    assert cleaner.clean("We Log in to comment. Often").removed == ()
    found = cleaner.clean("A \u2026 dialogue.\u200fLog in to com\u00adment.")
    assert [(span.start, span.end) for span in found.removed] == [(13, 33)]
    assert found.text == "A \u2026 dialogue."


# -------------------------------------------------------------------------------------------------------------- sources


def source(rng: random.Random, heads: Sequence[str], tails: Sequence[str], count: int = 40) -> list[str]:
    """Articles of invented words."""
    syllables = ["ba", "co", "di", "fu", "ge", "li", "mo", "nu", "pa", "re", "si", "to", "va"]
    words = ["".join(rng.choices(syllables, k=rng.randint(1, 3))) for _ in range(300)]

    def prose() -> str:
        return " ".join(rng.choices(words, k=40)).capitalize() + "."

    return ["\n".join([*heads, *(prose() for _ in range(4)), *tails]) for _ in range(count)]


@pytest.fixture(scope="module")
def invisible() -> Pack:
    tails = [
        "Abonnez-vous \u00e0 la lettre d\u2019\u00e9t\u00e9 de la r\u00e9daction : l\u2019actualit\u00e9 v\u00e9rifi\u00e9e, chaque matin",
        "\u05db\u05dc \u05d4\u05d6\u05db\u05d5\u05d9\u05d5\u05ea \u05e9\u05de\u05d5\u05e8\u05d5\u05ea \u05dc\u05e2\u05d9\u05ea\u05d5\u05df \u05d4\u05e0\u05de\u05dc",
        "\u0627\u0634\u062a\u0631\u0643 \u0641\u064a \u0627\u0644\u0646\u0634\u0631\u0629 \u0627\u0644\u0628\u0631\u064a\u062f\u064a\u0629",
        "\u0e2a\u0e21\u0e31\u0e04\u0e23\u0e23\u0e31\u0e1a\u0e02\u0e48\u0e32\u0e27\u0e2a\u0e32\u0e23\u0e17\u0e38\u0e01\u0e40\u0e0a\u0e49\u0e32",
        "\U0001f469\U0001f3fd\u200d\U0001f680 Join our readers\u2019 club \u2764\ufe0f today",
    ]  # fmt: skip
    documents = [
        Document(source="s", id=str(number), text=text)
        for number, text in enumerate(source(random.Random(3), ["Advertisement"], tails))
    ]
    pack = mine(documents)["s"]
    assert len(pack.templates) == 6
    return pack


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("change", ["NFC", "NFD", "bidi", "joiners", "straight", "blanks", "\r", "\x85", "\x0b", "\x0c", "\r\n", "\u2028"])  # fmt: skip
def test_learnt_from_one_form_cut_in_all(invisible: Pack, engine: str, change: str) -> None:
    """Cases 17 and 23 of the reports: all lines go in every form, and nothing invisible is left."""
    prose = "Ba co di fu ge li mo nu. " * 12
    lines = ["Advertisement", prose.strip(), prose.strip(), *(one.example for one in invisible.templates[1:])]
    lines = list(dict.fromkeys(lines))
    text = "\n".join(lines)
    if change in ("NFC", "NFD"):
        text = unicodedata.normalize(change, text)
    elif change == "bidi":
        text = "\n".join(f"\u200f\u202b{line}\u202c\ufeff" for line in lines)
    elif change == "joiners":
        text = text.replace("i", "i\u00ad").replace("\u0e23", "\u0e23\u200b").replace("a", "a\u200d")
    elif change == "straight":
        text = text.replace("'", "\u2019")
    elif change == "blanks":
        text = text.replace(" ", "\u00a0")
    else:
        text = text.replace("\n", change)
    found = Cleaner(invisible, CleanConfig(engine=engine)).clean(text)
    assert reading(found.text).split() == prose.split()
    if change == "bidi":
        assert found.text == f"\u200f\u202b{prose.strip()}\u202c\ufeff"


def glued(rng: random.Random, count: int) -> list[str]:
    """Articles of one line: the parser lost line breaks before "Citeste" and others."""
    texts = source(rng, [], [], count)
    out = []
    for number, text in enumerate(texts):
        words = text.replace("\n", " ").split()
        place = rng.randrange(10, 30)
        words[place] = words[place].strip(".").lower() + ("ab", "Citeste")[number % 3 > 0]
        out.append(" ".join(["Citeste mai YouTube YouTube multe", *words]))
    return out


def test_soft_points_are_learnt() -> None:
    rules = learn_reading(glued(random.Random(1), 60), "auto")
    assert (rules.soft, rules.starts, rules.markup) == (True, ("Citeste",), False)
    assert form("pareCiteste BogdanCiteste YouTube", rules) == "pare\nCiteste Bogdan\nCiteste YouTube"


def test_names_and_prefixes_are_no_soft_points() -> None:
    rng = random.Random(2)
    names = [
        f"{text} YouTube LinkedIn and In the Tube PlayStation {number}"
        for number, text in enumerate(source(rng, [], [], 50))
    ]
    assert learn_reading(names, "auto") == PLAIN
    places = [f"{a}{b}" for a in ("Ha", "Zi", "Ka", "Mo", "Lu") for b in ("rare", "mba", "riba", "goto", "saka")]
    prefixed = [
        " ".join([text, *(f"{rng.choice(('ku', 'mu', 'we', 're'))}{rng.choice(places)}" for _ in range(4)), *places])
        for text in source(rng, [], [], 60)
    ]
    assert learn_reading(prefixed, "auto") == PLAIN


def test_the_order_of_documents_changes_nothing() -> None:
    texts = glued(random.Random(5), 90)
    assert learn_reading(texts, "auto") == learn_reading(texts[::-1], "auto")


def test_rules_are_kept_in_the_pack() -> None:
    texts = glued(random.Random(1), 60)
    pack = mine([Document(source="s", id=str(n), text=text) for n, text in enumerate(texts)])["s"]
    assert pack.reading.soft
    assert Pack.from_json(pack.to_json()).reading == pack.reading
    assert reading("pareCiteste", pack) == "pare\nCiteste"
    assert reading("pareCiteste") == "pareCiteste"
    text = pack.to_json().replace('"markup": "none"', '"markup": "xml"')
    with pytest.raises(PackError, match="reading: markup: expected none or html, got 'xml'"):
        Pack.from_json(text)


def test_pages_are_read_as_they_stand() -> None:
    pages = [Document(source="s", id=str(n), html=f"<p>It\u2019s {n}</p><p>Log in\u2026Now</p>") for n in range(20)]
    pack = mine(pages)["s"]
    assert pack.reading == PLAIN
    assert reading("It\u2019s", pack) == "It\u2019s"


def test_expressions_by_hand_see_the_reading_form() -> None:
    with pytest.raises(PackError, match="'\u2019' is in no text as expressions see it .*; write \"'\""):
        compile_handwritten("It\u2019s over", "here", of_text=True)
    compile_handwritten("It's over", "here", of_text=True)
