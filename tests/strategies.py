"""Hypothesis strategies: sequences of symbols that are hard for suffix structures, texts that are hard for tokenisers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from scale import SCALE
from templatemine.config import MineConfig, TokeniseConfig, UserPattern
from templatemine.mining.corpus import Corpus, Vocabulary
from templatemine.mining.index import build_index, document_floor, documents_at, tokens_at
from templatemine.mining.repeats import find_repeats
from templatemine.mining.tokenise import tokenise
from templatemine.model import Cutoff, Document, Template
from templatemine.packs.pack import Pack
from templatemine.text import _scan
from templatemine.text.expressions import EncodedText, expression
from templatemine.text.patterns import MAX_USER_PATTERNS, PRESETS, PatternSet, pattern_set
from templatemine.text.slots import SLOT


def examples(count: int) -> Callable[[Any], Any]:
    """Settings for `count` examples times `TEMPLATEMINE_SCALE`; see conftest.py."""
    return settings(max_examples=max(1, round(count * SCALE)))


# ----------------------------------------------------------------------------------------------------------------------
# Symbols
# ----------------------------------------------------------------------------------------------------------------------


def fibonacci_word(length: int) -> list[int]:
    """The infinite word of 1 -> 12, 2 -> 1, cut: as many repeats as a text can have."""
    before, word = [2], [1]
    while len(word) < length:
        before, word = word, word + before
    return word[:length]


@st.composite
def _document(draw: st.DrawFn, most: int, symbols: int) -> list[int]:
    """One document: random, a long run, periodic, a Fibonacci word, or empty."""
    length = draw(st.integers(0, most))
    kind = draw(st.sampled_from(["random", "run", "periodic", "fibonacci"]))
    symbol = st.integers(1, symbols)
    if kind == "random":
        return draw(st.lists(symbol, min_size=length, max_size=length))
    if kind == "run":
        return [draw(symbol)] * length
    if kind == "periodic":
        period = draw(st.lists(symbol, min_size=1, max_size=4))
        return (period * length)[:length]
    return fibonacci_word(length)


@st.composite
def corpora(draw: st.DrawFn, breaks: bool = False) -> list[list[int]]:
    """Documents of small symbols; some corpora are one document over and over, some have one huge document."""
    symbols = draw(st.integers(1, 4))
    shape = draw(st.sampled_from(["many", "repeated", "one"]))
    if shape == "repeated":
        documents = [draw(_document(8, symbols))] * draw(st.integers(1, 5))
    elif shape == "one":
        documents = [draw(_document(30, symbols)), *draw(st.lists(_document(3, symbols), max_size=2))]
    else:
        documents = draw(st.lists(_document(10, symbols), max_size=6))
    if breaks:
        places = draw(st.sets(st.tuples(st.integers(0, 5), st.integers(0, 29)), max_size=6))
        documents = [[0 if (d, i) in places else s for i, s in enumerate(one)] for d, one in enumerate(documents)]
    return documents


def flat(documents: Sequence[Sequence[int]]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Documents as the kernels take them: all symbols, and where each document begins."""
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(one) for one in documents], dtype=np.int64)])
    return np.array([symbol for one in documents for symbol in one], np.int32), starts


def corpus_of(documents: Sequence[Sequence[int]]) -> Corpus:
    """A corpus whose forms are the symbols, form 0 unused."""
    forms, starts = flat(documents)
    names = [b"%d" % form for form in range(max([0, *forms.tolist()]) + 1)]
    df = Counter(form for one in documents for form in set(one))
    counts = Counter(form for one in documents for form in one)
    arena, offsets = np.frombuffer(b"".join(names), np.uint8), np.cumsum([0, *map(len, names)], dtype=np.int64)
    return Corpus(
        source="s",
        html=False,
        lines=False,
        forms=forms,
        doc_starts=starts,
        form_names=Vocabulary(arena, offsets),
        traits=np.zeros(len(names), np.uint16),
        df=np.array([df[form] for form in range(len(names))], np.int32),
        counts=np.array([counts[form] for form in range(len(names))], np.int64),
    )


def closed(documents: Sequence[Sequence[int]]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Documents as an index holds them, a break after each: symbols, and the document of each."""
    symbols = [symbol for one in documents for symbol in [*one, 0]]
    owners = [number for number, one in enumerate(documents) for _ in range(len(one) + 1)]
    return np.array(symbols, np.int32), np.array(owners, np.int32)


# ----------------------------------------------------------------------------------------------------------------------
# Pieces of tokens
# ----------------------------------------------------------------------------------------------------------------------

WHITE_SPACE = (
    " ",
    " ",
    " ",
    "\n",
    "\n\n",
    "\t",
    "\r\n",
    "\xa0",
    "\u3000",
    "\u2028",
    "\u2029",
    "\x85",
    "\u2009",
    "\v",
    "\f",
)
GLUE = (
    "",
    "",
    "",
    "-",
    "--",
    ".",
    ",",
    ":",
    "/",
    "\\",
    "'",
    "+",
    "(",
    ")",
    "@",
    "#",
    "_",
    "=",
    "<",
    ">",
    "&",
    "%",
    "|",
    "\u066a",
)
NUMBERS = (
    "1",
    "27",
    "2007",
    "555",
    "1,234",
    "12:30",
    "1.5/2",
    "24/7",
    "1:2:3",
    "10.000",
    "٢٠",
    "۱۲",
    "３",
    "२०२६",
    "২,৩৪",
    "๒๕",
    "၁:၂",
    "123",
    "4567",
    "12345678",
)
LETTERS = (
    "th",
    "st",
    "nd",
    "rd",
    "am",
    "pm",
    "AM",
    "PM",
    "a.m.",
    "p.m.",
    "a.m",
    "a",
    "A",
    "e",
    "K",
    "\u017f",
    "\u212a",
    "é",
    "É",
    "ÉTÉ",
    "ß",
    "x",
)
CURRENCY = ("$", "€", "£", "¥", "₹", "￥")
WORDS = (
    "May", "Mar", "March", "September", "Sept", "Mon", "Thurs", "Tuesday", "hours", "min", "By", "by", "février", "mai", "Montag", "الخميس",
    "the", "news", "NEWS", "CLICK", "Sen", "Calif", "U.S.", "J.K.", "U.", "Jan.", "BBC.", "Hello", "мая", "Mayıs", "जनवरी", "월요일", "read", "more",
)  # fmt: skip
MARKS = (
    "http://a-b.example/x?y=1#z", "https://x.org", "www.a-b.org/c", "http://", "www.", "www..", "ab@c-d.org", "a@b", "a.b+c@d.e.f", "@who_1", "@",
    "2013-11-26", "2013-11-26T10:00:00Z", "2013-11-26T10:00+01:00", "2013-11-26T10:00:00.5-0100", "2013-11", "T10:00", "+01:00", "+0100",
    "555-123-4567", "1-800-555-0100", "(202)555-0100", "+1.555.123.4567", "555-1234", "555.", "(202)", "+1",
    "123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b", "9f86d081", "deadbeef", "00000000a", "abcdef12345",
)  # fmt: skip
SCRIPTS = (
    "中",
    "国",
    "日本",
    "の",
    "カ",
    "ｶ",
    "ﾞ",
    "。",
    "、",
    "！",
    "％",
    "＠",
    "：",
    "ก",
    "ไทย",
    "ລ",
    "မ",
    "ខ",
    "\U00020000",
    "Ａ",
    "ｚ",
    "한국",
    "العربية",
    "עברית",
    "हिन्दी",
    "।",
    "่",
    "៖",
    "။",
    "፡",
    "።",
    "։",
    "」",
    "”",
    "“",
)
STRANGE = (
    "\x00", "\x01", "\x1c", "\x1f", "\x7f", "\ud800", "\udfff", "\u200b", "\ufeff", "\ufffd", "\u0301", "😀", "👩‍👩‍👧", "\U000f0001", "\U000f0080",
    "\U000f0ffe", "\U000f0fff", "\U000f1000", "\U00100001", "\U00100080", "\U0010ffff", "\ue000", "—", "–", "———", "___", "***", "~~", "{", "}", "{number}", "|", "^", "$",
)  # fmt: skip
MARKUP = (
    "<p>", "</p>", "<br/>", "<BR >", '<div class="a  b 12" id=x>', "<div id='x' class='a b 3'>", "<div class=a>", "<div>", "</div >", "<li class=menu-2>",
    '<a href="http://x.org/?a=1&b=2">', '<a href="/1" class="x">', "</a>", "<!-- c -->", "<!---->", "<!-->", "<!--->", "<!--", "-->", "<!doctype html>",
    "<script>if (a<b) x();</script>", "<script", "<SCRIPT src=x>", "</script>", "</ScRiPt x>", "<style>b{}</style>", "<style>", "<scripts>", "</", "<", "<a", "<3", "< b",
    "<?xml?>", '<p class=">">', "<p class='\">", "<x/y/class=1>", "<x class = 7 id>", '<x ="class=b>', "<x class>", "<x CLASS=Q class=r>", "<\u017ftyle>", "<\u212a>",
    "<ſcript>", "&nbsp;", "&amp;", '<p class="\x01a\x01">', "<p\x1fid=1>",
)  # fmt: skip

# What looks alike and must not be taken for the same, or looks different and must.
LOOKALIKES = (
    ("%", "٪", "％"), ("-", "–", "—", "\u2010", "－", "\xad"), ("@", "＠"), ("1", "１", "١", "²", "۱", "①", "一", "१", "๑", "၁"), ("st", "ſt", "ST", "th"),
    ("am", "AM", "Am", "a.m.", "A.M.", "pm"), (".", "．", "。", "٫", ".."), (",", "，", "、", "،", "٬"), (":", "：", "::"), ("$", "＄", "￥", "€"),
    (" ", "\x1c", "\xa0", "\u200b", "\u3000", "\n", "\u2028", "\x85", "\v", ""), ("<p>", "<P>", "<p >", "<p", "<\u1d29>", "＜p＞", "<p/>"),
    ("<script>", "<SCRIPT>", "<\u017fcript>", "<script/>", "<script"), ("-->", "->", ">", "--->", "--"), ('"', "'", ""),
    ("March", "Mar", "NEWS", "ABCDEF", "By", "by", "Sen", "September", "mars"), ("2013-11-26", "2013-11-261", "2013-11-6", "T10:00", "2013.11.26"),
    ("\U000f0001", "\U00100001", "\U000f0008"), ("\U000f0080", "\U00100080"), ("\U000f0fff", "\U000f1000", "\U00101000", "\U000f0ffe"),
)  # fmt: skip

_TEXT_GROUPS = (WHITE_SPACE, GLUE, NUMBERS, LETTERS, CURRENCY, WORDS, MARKS, SCRIPTS, STRANGE, *LOOKALIKES)
_SIBLINGS: dict[str, list[str]] = {}
for _group in (*_TEXT_GROUPS, MARKUP):
    for _piece in _group:
        _SIBLINGS.setdefault(_piece, []).extend(_group)

_ANY = st.one_of(
    *(
        st.sampled_from(group)
        for group in (WHITE_SPACE, GLUE, NUMBERS, LETTERS, CURRENCY, WORDS, MARKS, MARKS, SCRIPTS, STRANGE)
    ),
    st.sampled_from([piece for group in LOOKALIKES for piece in group]),
    st.characters(),
    st.integers(0x80, 0x10FFFF).map(chr),
)
_ANY_HTML = st.one_of(_ANY, st.sampled_from(MARKUP), st.sampled_from(MARKUP))


def pieces_of(html: bool) -> st.SearchStrategy[list[str]]:
    """A handful of pieces of text or of HTML."""
    return st.lists(_ANY_HTML if html else _ANY, min_size=1, max_size=6)


@st.composite
def texts(draw: st.DrawFn, html: bool = False, most: int = 24) -> str:
    """Texts put together from a few pieces, so that some come again."""
    pieces = [*draw(pieces_of(html)), " ", draw(st.sampled_from(GLUE))]
    return "".join(draw(st.lists(st.sampled_from(pieces), max_size=most)))


@st.composite
def changed(draw: st.DrawFn, pieces: Sequence[str], html: bool) -> list[str]:
    """Pieces with a few small changes: one more, one less, or another of its kind."""
    out = list(pieces)
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(out)))
        here = out[place : place + 1]
        kind = draw(st.integers(0, 3))
        if kind == 0:
            out[place : place + 1] = []
        elif kind == 1:
            out.insert(place, draw(_ANY_HTML if html else _ANY))
        elif here:
            out[place] = draw(st.sampled_from(_SIBLINGS.get(here[0]) or [here[0].swapcase()]))
    return out


# Tokens without marks, separators and characters that are tokens by themselves.
_PLAIN = st.one_of(
    *(st.sampled_from(group) for group in (NUMBERS, LETTERS, CURRENCY, WORDS)),
    st.sampled_from(
        [
            ".",
            ",",
            ":",
            "/",
            "\\",
            "'",
            "(",
            ")",
            "#",
            "_",
            "=",
            "%",
            "|",
            "\u066a",
            "*",
            "~",
            "—",
            "[",
            "]",
            "{",
            "}",
            "&",
            ";",
            "!",
            "?",
        ]
    ),
    st.sampled_from("0159AXZaz.,:/$%éÉÀß٣½²"),
)
words = st.lists(_PLAIN, min_size=1, max_size=7).map("".join)


# ----------------------------------------------------------------------------------------------------------------------
# Settings and packs
# ----------------------------------------------------------------------------------------------------------------------

SEPARATORS = ("-", "-", "-", "", "@", "+-", "(", "|-", "^]", "-&;")
# What the shapes of the table hold may part tokens only where they are off.
ODD_SEPARATORS = ("-/", "(.", "-_", ":", "#%", "\\-", "$,")

_USER_PATTERNS = (
    UserPattern(name="digits", regex=r"[0-9]+"),
    UserPattern(name="pair", regex=r"[a-z]+ [0-9]+", spans=True),
    UserPattern(name="pair_inside", regex=r"[a-z]+[ -][0-9]+"),
    UserPattern(name="dash", regex="-+", spans=True),
    UserPattern(name="lines", regex=r"\n\n?", spans=True),
    UserPattern(name="quoted", regex=r'"[^"]*"', spans=True),
    UserPattern(name="open_tag", regex="<[a-z]+", spans=True),
    UserPattern(name="end_tag", regex=">", spans=True),
    UserPattern(name="han", regex="[\u4e00-\u9fff]+"),
    UserPattern(name="at", regex="@"),
    UserPattern(name="mail", regex=r"[a-z.]+@[a-z\-.]+", spans=True),
    UserPattern(name="optional", regex="x?"),
)
USER_PATTERNS = {own.name: own for own in _USER_PATTERNS}
# The first column is enough to have patterns of all the numbers that a pack may hold.
MANY_PATTERNS = tuple(UserPattern(name=f"own_{place}", regex=f"~{place:02d}~?") for place in range(MAX_USER_PATTERNS))


def scan(text: str, patterns: PatternSet, separators: str, html: bool) -> tuple[list[tuple[int, int]], list[bytes]]:
    """Spans of the native tokens in characters of the text, and their forms."""
    native = _scan.Tokeniser(*patterns.scanner_arguments(separators, html))
    encoded = EncodedText(text, patterns, separators)
    starts, ends, kinds = native.token_spans(encoded.data)
    spans = list(zip(encoded.code_points(starts).tolist(), encoded.code_points(ends).tolist(), strict=True))
    forms = [native.form(encoded.data[a:b], int(kind)) for a, b, kind in zip(starts, ends, kinds, strict=True)]
    return spans, forms


def make_pack(
    strings: Sequence[tuple[Sequence[bytes], str]],
    patterns: PatternSet,
    separators: str,
    html: bool,
    anchors: Sequence[str] = (),
) -> Pack:
    """A pack of strings of forms, each with its example."""
    templates: list[Template] = []
    seen: set[tuple[str, ...]] = set()
    for place, (forms, example) in enumerate(strings):
        fixed = tuple(patterns.readable(form) for form in forms)
        anchor = anchors[place % len(anchors)] if anchors else ""
        # "end/line" is anchored as a line and takes the rest up to its end.
        slot, anchor = anchor.split("/") if "/" in anchor and not html else ("", anchor.rpartition("/")[2])
        sides = {"": fixed, "end": (*fixed, SLOT), "start": (SLOT, *fixed)}
        for tokens in [sides[side] for side in {slot, ""}]:
            if tokens in seen:
                continue
            seen.add(tokens)
            side = slot if SLOT in tokens else ""
            source = expression(forms, patterns, separators, html, anchor=anchor, slot=side)
            name = f"t{place}{side}"
            templates.append(
                Template(id=name, regex=source, tokens=tokens, df=3, count=3, example=example, anchor=anchor)
            )
    return Pack(
        source="example.org",
        html=html,
        tokenise=TokeniseConfig(separators=separators, patterns="own", user_patterns=patterns.user),
        enabled=patterns.enabled,
        documents=10,
        method="learned",
        cutoff=Cutoff(method="energy", df=3, share=0.3, energy=0.0, histogram=(0, 1), note=""),
        templates=tuple(templates),
    )


@dataclass(frozen=True)
class Case:
    """What a pack and its texts are made of.

    Nothing is compiled while examples are drawn: `regex` draws random numbers when it does, which Hypothesis refuses.

    Attributes
    ----------
    own : tuple of str
        Names in `USER_PATTERNS`.
    many : bool
        As many patterns of the user's own as there may be.
    cuts : tuple of (text, first token, tokens)
        The strings of the pack: stretches of the tokens of the texts, taken modulo what is there.
    """

    preset: str
    own: tuple[str, ...]
    many: bool
    separators: str
    html: bool
    texts: tuple[str, ...]
    others: tuple[str, ...]
    cuts: tuple[tuple[int, int, int], ...]
    anchors: tuple[str, ...]

    @property
    def patterns(self) -> PatternSet:
        named = tuple(USER_PATTERNS[name] for name in self.own)
        return pattern_set(self.preset, (*MANY_PATTERNS[len(named) :], *named) if self.many else named)

    def pack(self) -> Pack:
        """A pack of strings of tokens that stand in the texts."""
        patterns = self.patterns
        scanned = [scan(text, patterns, self.separators, self.html) for text in self.texts]
        strings: list[tuple[Sequence[bytes], str]] = []
        for place, start, length in self.cuts:
            text = self.texts[place % len(self.texts)]
            spans, forms = scanned[place % len(self.texts)]
            if forms:
                start %= len(forms)
                part = forms[start : start + length]
                strings.append((part, text[spans[start][0] : spans[start + len(part) - 1][1]]))
        return make_pack(strings, patterns, self.separators, self.html, self.anchors)


ANCHORINGS = (
    (),
    (),
    ("start",),
    ("end",),
    ("line", ""),
    ("start", "end", "line", ""),
    ("end/end",),
    ("start/start", "end/line", ""),
)


@st.composite
def cases(draw: st.DrawFn, html: bool) -> Case:
    """A pack of strings of tokens taken from some texts, and texts that are nearly the same."""
    own = draw(st.integers(0, 2)) == 0
    pool = [*draw(pieces_of(html)), " ", draw(st.sampled_from(GLUE))]
    some = draw(st.lists(st.lists(st.sampled_from(pool), max_size=16), min_size=1, max_size=3))
    near = [draw(changed(draw(st.sampled_from(some)), html)) for _ in range(draw(st.integers(1, 4)))]
    cut = st.tuples(st.integers(0, 2), st.integers(0, 20), st.integers(1, 4))
    preset = draw(st.sampled_from(sorted(PRESETS)))
    return Case(
        preset=preset,
        own=tuple(draw(st.lists(st.sampled_from(sorted(USER_PATTERNS)), max_size=3, unique=True))) if own else (),
        many=own and draw(st.integers(0, 5)) == 0,
        separators=draw(st.sampled_from(SEPARATORS + ODD_SEPARATORS if preset == "none" else SEPARATORS)),
        html=html,
        texts=tuple(map("".join, some)),
        others=(*map("".join, near), "".join(piece for one in some for piece in one)),
        cuts=tuple(draw(st.lists(cut, min_size=1, max_size=6))),
        anchors=draw(st.sampled_from(ANCHORINGS)),
    )


@dataclass(frozen=True)
class MinedString:
    """A maximal string of a corpus: forms, and each occurrence as (text, start, end) in characters."""

    forms: tuple[bytes, ...]
    occurrences: tuple[tuple[int, int, int], ...]
    df: int


def mine_strings(case: Case, documents: Sequence[str], min_df: int = 1) -> list[MinedString]:
    """The maximal strings of some texts, through the stages, with every occurrence looked up."""
    config = MineConfig(min_df=min_df, min_share=0.0, min_tokens=1)
    kind = "html" if case.html else "text"
    records = [Document(source="s", id=str(number), **{kind: text}) for number, text in enumerate(documents)]
    named = case.patterns.user
    tokeniser = TokeniseConfig(separators=case.separators, patterns=case.preset, user_patterns=named)
    corpus = tokenise("s", records, tokeniser)
    index = build_index(corpus, config)
    mined = find_repeats(index, corpus.documents, document_floor(corpus.documents, config), config)
    repeats = mined.repeats
    spans = [scan(text, case.patterns, case.separators, case.html)[0] for text in documents]
    out: list[MinedString] = []
    for rank, length, count, df in zip(repeats.rank, repeats.length, repeats.count, repeats.df, strict=True):
        places = mined.positions[rank : rank + count]
        string = index.forms[index.symbols[places[0] : places[0] + length]]
        found: list[tuple[int, int, int]] = []
        for place in places:
            at = np.array([place], np.int64)
            number, token = int(documents_at(index, at)[0]), int(tokens_at(index, at)[0])
            found.append((number, spans[number][token][0], spans[number][token + length - 1][1]))
        out.append(MinedString(tuple(corpus.form_names[int(form)] for form in string), tuple(sorted(found)), int(df)))
    return out


def mined_pack(case: Case, documents: Sequence[str], strings: Sequence[MinedString]) -> Pack:
    """The pack of mined strings, each with its first occurrence as the example."""
    examples = [documents[one.occurrences[0][0]][one.occurrences[0][1] : one.occurrences[0][2]] for one in strings]
    pairs = [(one.forms, example) for one, example in zip(strings, examples, strict=True)]
    return make_pack(pairs, case.patterns, case.separators, case.html)
