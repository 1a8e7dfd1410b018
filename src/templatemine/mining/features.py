"""Repeats -> Evidence -> verdicts: which strings are boilerplate, without labels.

On archives of articles the document frequency alone does not separate boilerplate from prose: "of the" is in 95 % of
long articles, a credit line in 3 %.  What parts them is where in its documents a string is.  For each maximal string
we count how often it begins a line, ends one and is a whole one, how often punctuation closes it, and how often it
is in a line of *prose*, one that is long and ends a sentence; how much information it carries (the sum of -log2 of
the rates of its tokens); how tightly its tokens belong to it; and how much greater its rate is than in the prose of
any other source.  Boilerplate is what stands where prose does not:

line     a whole line, whether of this source alone or not: prose does not repeat whole lines
edge     begins or ends its lines, and is closed by punctuation or is never in prose
part     does so half of the time, is never in prose, and is bound together
quiet    stands anywhere, but hardly ever in prose, and is bound together
near     both edges of its line are near, and it is hardly ever in prose; or it begins a sentence of prose, says
         much, and the line ends soon
phrase   is in prose, frequent and long, and punctuation closes it on both sides, or on one if it is bound together,
         or it always begins or ends its line: what a parser glued to a paragraph; closed on both sides and very
         frequent, it may say less, or little if it announces something ("Read:")
stock    is in prose, more frequent and longer still, and punctuation closes it on one side: a stock phrase
mark     one token that begins or ends its lines, or is between two punctuation marks, or between one and what
         changes up to the edge of the line, and not in prose ("More:"), unless it announces something at the beginning
         of its lines ("UPDATE:")

What is in tables, line after line of numbers, of keys with their values, or of programs, is content, unless too
many documents have it; so is code wherever it stands.  In a source written without spaces, where every character is a
token, an edge must be closed by punctuation on its inner side, strings in mid-line and marks on both, and whole lines
that are rare are content.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from templatemine import _core
from templatemine.config import EvidenceConfig
from templatemine.model import Index, IntArray, LongArray, Repeats

__all__ = [
    "ACCEPTED",
    "JOINT",
    "KINDS",
    "LOOSE",
    "RARE",
    "REASONS",
    "TABLE",
    "Evidence",
    "collect",
    "fewest",
    "judge",
    "measure",
    "mostly_prose",
    "near_edges",
    "reaches",
    "recount",
]

ACCEPTED, SHARED, RARE, LOOSE, POOR, JOINT, CONTENT, TABLE = range(8)
REASONS = (
    "",
    "in other sources",
    "too rare for its kind",
    "in mid-line, like prose",
    "carries too little information",
    "a template with a chance continuation",
    "a value, a formula of prose or a quoted passage",
    "in a table",
)
KINDS = ("line", "edge", "part", "quiet", "near", "phrase", "stock", "mark")


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Columns beside `Repeats`, one row a string.

    Attributes
    ----------
    starts, ends, lines : float32 arrays
        Share of the occurrences that begin a line, end one, are one.
    after_close, closes : float32 arrays
        Share that begin a line or follow a punctuation mark; that end a line or end with a punctuation mark.
    prose, within : float32 arrays
        Share that are in a line of prose, a long one that ends a sentence; that neither begin nor end it.
    near_end, near_begin : float32 arrays
        Share after which the line ends soon; before which it began not long ago.
    tabular : float32 array
        Share that are in a table.
    before_opening : float32 array
        Share that end a line, end with a punctuation mark, or are before a capital.
    information : float32 array, bits
        A character of a script without spaces counts half: it is no word.
    own_script, mutable : float32 arrays
        Share of its tokens that are characters of a script without spaces; that hold a mutable pattern.
    ends_value, holds_value, holds_figure, formula : bool arrays
        Its last token begins with a number; any does; a number, a time or a date in figures is in any; two begin
        with a number or more.
    code : bool array
        A sign of a program is in any.
    announces : bool array
        It ends with a colon.
    bound : float32 array
        Geometric mean over the tokens of count(string) / count(token), 0 to 1.
    rate : float32 array
        Occurrences a token of the source.
    """

    starts: NDArray[np.float32]
    ends: NDArray[np.float32]
    lines: NDArray[np.float32]
    after_close: NDArray[np.float32]
    closes: NDArray[np.float32]
    prose: NDArray[np.float32]
    near_end: NDArray[np.float32]
    near_begin: NDArray[np.float32]
    within: NDArray[np.float32]
    tabular: NDArray[np.float32]
    before_opening: NDArray[np.float32]
    information: NDArray[np.float32]
    own_script: NDArray[np.float32]
    mutable: NDArray[np.float32]
    ends_value: NDArray[np.bool_]
    holds_value: NDArray[np.bool_]
    holds_figure: NDArray[np.bool_]
    formula: NDArray[np.bool_]
    code: NDArray[np.bool_]
    announces: NDArray[np.bool_]
    bound: NDArray[np.float32]
    rate: NDArray[np.float32]


_FEWEST = 3.0
"""Documents that a template must be in."""

POSITIONS = (
    *("starts", "ends", "lines", "after_close", "closes", "prose", "near_end", "near_begin", "within", "tabular"),
    "before_opening",
)


def collect(
    index: Index, repeats: Repeats, position_counts: IntArray, starts: LongArray, traits: NDArray[np.uint16]
) -> Evidence:
    """Evidence of all strings of a source.

    Parameters
    ----------
    position_counts : int32 array, shape (strings, 11)
        Occurrences by their position, see `_core.stand_counts`.
    starts : int64 array
        Where one occurrence of each string begins in `index.symbols`.
    traits : uint16 array, shape (forms,)
        `Corpus.traits`.
    """
    forms = index.forms[1:]
    # The break between documents, symbol 0, is in no string.
    counts = np.concatenate([np.ones(1), index.form_counts[forms]])
    traits = np.concatenate([np.zeros(1, np.uint16), traits[forms]])
    total = float(max(1, index.form_counts.sum()))
    return measure(index.symbols, starts, repeats.length, counts, traits, total, repeats.count, position_counts)


def measure(
    tokens: IntArray,
    starts: LongArray,
    length: IntArray,
    token_counts: NDArray[np.float64],
    traits: NDArray[np.uint16],
    total: float,
    count: NDArray[Any],
    position_counts: NDArray[Any],
) -> Evidence:
    """Evidence of strings that were counted: string i is ``tokens[starts[i]:starts[i] + length[i]]``.

    Parameters
    ----------
    token_counts, traits : float64 and uint16 arrays
        Occurrences of each token in the source, and what it is (see `_scan.form_traits`).
    total : float
        Tokens of the source.
    count : int array, shape (strings,)
    position_counts : int array, shape (strings, 11)
    """
    values = np.zeros((len(token_counts), 7))
    values[:, 0] = -np.log2(token_counts / total) * np.where(traits & 4, 0.5, 1.0)
    values[:, 1] = np.log(token_counts)
    for column, bits in enumerate((4, 8, 16, 8 | 64), 2):
        values[:, column] = traits & bits == bits
    values[:, 6] = traits & (8 | 64) == 64
    columns: dict[str, NDArray[Any]] = {}
    # A stretch at a time: what is added up takes more memory than what is left of it.
    for begin in range(0, max(len(starts), 1), STRETCH):
        some = slice(begin, begin + STRETCH)
        part = _stretch(tokens, starts[some], length[some], values, traits, total, count[some], position_counts[some])
        for name, values_of in part.items():
            columns.setdefault(name, np.empty(len(starts), values_of.dtype))[some] = values_of
    return Evidence(**columns)


STRETCH = 1 << 16
"""Strings that are measured at once."""


def _stretch(
    tokens: IntArray,
    starts: LongArray,
    length: IntArray,
    values: NDArray[np.float64],
    traits: NDArray[np.uint16],
    total: float,
    count: NDArray[Any],
    position_counts: NDArray[Any],
) -> dict[str, NDArray[Any]]:
    """The columns of `Evidence` for some strings."""
    sums = _core.string_sums(tokens, values, starts, length)
    information, logs, own_script, mutable, numbers, figures, code = sums.T
    count = np.maximum(count, 1)
    last = traits[tokens[starts + length - 1]]
    return {
        **{name: (position_counts[:, place] / count).astype(np.float32) for place, name in enumerate(POSITIONS)},
        "information": information.astype(np.float32),
        "own_script": (own_script / length).astype(np.float32),
        "mutable": (mutable / length).astype(np.float32),
        "ends_value": last & 16 > 0,
        "holds_value": numbers > 0,
        "holds_figure": figures > 0,
        "formula": numbers > 1,
        "code": code > 0,
        "announces": last & 32 > 0,
        "bound": np.exp(np.log(count) - logs / length).astype(np.float32),
        "rate": (count / total).astype(np.float32),
    }


def recount(evidence: Evidence, rows: NDArray[np.int64], counted: Evidence) -> Evidence:
    """Evidence with that of other counts in some rows."""
    changed: dict[str, Any] = {}
    for one in fields(Evidence):
        changed[one.name] = getattr(evidence, one.name).copy()
        changed[one.name][rows] = getattr(counted, one.name)
    return Evidence(**changed)


def spaceless(evidence: Evidence, repeats: Repeats, config: EvidenceConfig) -> bool:
    """Whether a source is written without spaces, by the share of characters that are tokens in its strings."""
    total = max(1.0, float(repeats.count.sum(dtype=np.float64)))
    return float((evidence.own_script * repeats.count).sum(dtype=np.float64)) >= config.characters * total


def mostly_prose(evidence: Evidence, repeats: Repeats, share: float) -> bool:
    """Whether at least this share of the words of a source are in prose."""
    words = _words(repeats)
    return float((evidence.prose * words).sum()) >= share * float(words.sum())


def capitals_follow(evidence: Evidence, repeats: Repeats) -> float:
    """Of the words of a source that no mark closes, the share that a capital follows."""
    words = _words(repeats)
    unclosed = float(((1.0 - evidence.closes) * words).sum())
    return float(((evidence.before_opening - evidence.closes) * words).sum()) / max(unclosed, 1.0)


def _words(repeats: Repeats) -> NDArray[np.float64]:
    """Occurrences of each string that is one token; 0 of longer ones."""
    return np.where(repeats.length == 1, repeats.count, 0).astype(np.float64)


def fewest(documents: Any, config: EvidenceConfig) -> Any:
    """Documents that anything but a whole line must be in at least, in a source of so many.

    Strings that agree by chance are the more the more documents there are, and `least_growth` times fewer for each
    document that is asked for more: so that their number stays the same, its logarithm is asked for.
    """
    asked = np.rint(np.log(np.maximum(documents, 1)) / np.log(config.least_growth))
    return np.clip(asked, _FEWEST, max(_FEWEST, float(config.least)))


def near_edges(evidence: Evidence, config: EvidenceConfig) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which strings nearly always end near the end of their line, and begin near its beginning, as prose does not.

    Their lines are short, and no prose; or, in prose, they begin a sentence, say much, and the line ends soon: "The
    opinions expressed here are those of THE AUTHOR."
    """
    c, e = config, evidence
    able = e.own_script < c.half
    end, begin = able & (e.near_end >= c.mark), able & (e.near_begin >= c.mark)
    brief = end & begin & (e.prose <= c.quiet) & (e.information >= c.brief_information)
    return brief | (end & (e.after_close >= c.closed) & (e.information >= c.phrase_information)), brief


def kinds(
    evidence: Evidence,
    repeats: Repeats,
    elsewhere: NDArray[np.float32],
    in_prose: NDArray[np.float32],
    documents: int | NDArray[np.int32],
    config: EvidenceConfig,
) -> dict[str, NDArray[np.bool_]]:
    """What kinds of boilerplate each string passes for.

    Parameters
    ----------
    elsewhere, in_prose : float32 arrays
        Greatest rate of each string in any other source, and within the prose of any other.
    documents : int or int32 array, shape (strings,)
        Of the source, or of the time of each string.

    Returns
    -------
    A bool array for each of `KINDS`.
    """
    one = _Columns(evidence, repeats, in_prose, documents, config)
    near = np.logical_or(*near_edges(evidence, config))
    return {
        "line": _line(one, elsewhere),
        "edge": _edge(one),
        "part": (one.anchored >= config.half) & (evidence.prose <= config.half_quiet) & one.bound_in_mid_line,
        "quiet": one.quiet & one.bound_in_mid_line,
        "near": near & (repeats.length >= 2) & one.free & (repeats.df >= one.often),
        "phrase": _phrase(one),
        "stock": _stock(one),
        "mark": _mark(one),
    }


class _Columns:
    """What several kinds ask of each string; arguments are as of `kinds`."""

    def __init__(
        self,
        evidence: Evidence,
        repeats: Repeats,
        in_prose: NDArray[np.float32],
        documents: int | NDArray[np.int32],
        config: EvidenceConfig,
    ) -> None:
        c, e, df, count = config, evidence, repeats.df, repeats.count
        self.config, self.evidence, self.repeats, self.documents = config, evidence, repeats, documents
        self.often = self.share(c.often_share)
        self.anchored = np.maximum(e.starts, e.ends)
        self.begins, self.ends = e.starts >= c.edge, e.ends >= c.edge
        self.quiet = e.prose <= c.quiet
        free = e.rate >= in_prose * np.float32(2.0**c.exclusive_bits)
        # Few occurrences tell a rate badly: so many standard deviations less of Poisson's distribution.
        sure = e.rate * np.maximum(0, 1 - c.deviations / np.sqrt(np.maximum(count, 1))).astype(np.float32)
        free |= self.quiet & (self.anchored >= c.edge) & (sure >= in_prose * np.float32(2.0**c.anchored_bits))
        self.free = free
        self.characters = e.own_script >= 0.5
        # What half of the documents have, and have once, is told by that: it says the less, the shorter they are.
        # Numbers and dates alone, which differ each time, are told by nothing.
        self.worded = e.mutable < 1
        self.common = self.quiet & self.worded & ~self.characters
        self.common &= (df >= c.common_share * documents) & (df >= c.whole * count)
        self.information = np.where(self.common, np.inf, e.information)
        self.announcing = self.ends & ~self.begins & e.announces & (e.after_close < c.after_close)
        self.either = np.maximum(e.after_close, e.closes) >= c.closed
        self.both = np.minimum(e.after_close, e.closes) >= c.closed
        # One token is bound to itself, which says nothing.
        self.bound = (e.bound >= c.bound) & (repeats.length >= 2)
        self.spaceless = spaceless(e, repeats, c)
        # Where nothing parts words, what says little and is not closed may be the subject of a sentence or of a
        # headline, a name in Latin letters too; and sentences end alike ("... he said.").
        self.held = self.both | (e.information >= c.brief_information) if self.spaceless else np.ones(len(df), np.bool_)
        self.bound_in_mid_line = self.free & self.bound & (df >= self.often)
        self.bound_in_mid_line &= (self.information >= c.edge_information) & self.held

    def share(self, least: float) -> Any:
        """Documents that this share of them is, and at least the fewest that a template may have."""
        return np.maximum(fewest(self.documents, self.config), least * self.documents)


def _line(one: _Columns, elsewhere: NDArray[np.float32]) -> NDArray[np.bool_]:
    c, e, df = one.config, one.evidence, one.repeats.df
    own = e.rate >= elsewhere * np.float32(2.0**c.exclusive_bits)
    # What a tenth of the documents have is told by that, but for the letter before each answer of an interview.
    known = one.worded & (df >= one.share(c.table_share)) & (one.repeats.count < c.burst * df)
    quiet_line = np.maximum(_FEWEST, c.line_share * one.documents)
    line: NDArray[np.bool_] = (e.lines >= c.whole) & ((one.information >= c.line_information) | known)
    line &= own | (e.information >= c.shared_information) | (df >= one.often)
    line &= df >= np.where(e.prose >= c.half, one.share(c.line_share), quiet_line)
    return line


def _edge(one: _Columns) -> NDArray[np.bool_]:
    c, e = one.config, one.evidence
    # A comma or a letter before a string that ends its line is the middle of a sentence.
    inner = np.where(one.characters, c.whole, c.after_close)
    closed = (one.begins & (e.closes >= c.closed)) | (one.ends & (e.after_close >= inner))
    edge: NDArray[np.bool_] = (one.begins | one.ends) & (closed | (one.quiet & ~one.characters))
    edge &= ~one.announcing & ~e.ends_value
    if one.spaceless:
        edge &= one.begins | ~one.characters | (e.prose < c.half) | (e.information >= c.phrase_information)
    asked = np.where(e.information >= c.rich, one.share(c.edge_share), one.share(2 * c.edge_share))
    # What says much, begins or ends its lines and is no prose needs no more documents than a whole line.
    telling = (e.information >= c.brief_information) & one.quiet
    asked = np.where(telling, np.maximum(_FEWEST, c.edge_share * one.documents), asked)
    edge &= one.free & (one.repeats.df >= asked) & (one.information >= c.edge_information)
    return edge


def _phrase(one: _Columns) -> NDArray[np.bool_]:
    c, e, df, length = one.config, one.evidence, one.repeats.df, one.repeats.length
    said = (e.information >= c.brief_information) | (one.bound & one.worded & (e.information >= c.rich))
    # What is between two sentences and is none: "Story continues below", without a mark of its own.
    between = (e.after_close >= c.closed) & (e.before_opening >= c.closed) & ~one.characters & one.worded
    between &= (e.within >= c.half) & (e.closes < c.half)
    between &= df >= np.where(said, one.share(c.apart_share), one.share(c.table_share))
    # In German nouns begin with capitals, too.
    between &= (capitals_follow(e, one.repeats) < c.capitals) and not one.spaceless
    # Common words belong to everything, as characters do: punctuation on both sides, or an edge of the line always, may
    # take the place of boundness.
    glued = one.both | (one.bound & one.either & ~one.characters) | (~one.characters & (one.anchored >= c.mark))
    # What is closed on both sides is no part of the prose beside it, if it says much, or announces something and does
    # not come again and again, as the name of who speaks does.
    announced = e.announces & ((length == 1) | (e.bound >= c.bound)) & (one.repeats.count < c.burst * df)
    apart = one.both & ~one.characters & (df >= one.share(c.apart_share))
    apart &= said | (announced & (e.information >= c.mark_information))
    glued &= (df >= one.often) & (e.information >= c.phrase_information)
    phrase: NDArray[np.bool_] = one.free & (apart | between | glued)
    return phrase


def _stock(one: _Columns) -> NDArray[np.bool_]:
    """What says twice as much in twice as many documents is no idiom, and of no story that is told again."""
    c, df = one.config, one.repeats.df
    stock: NDArray[np.bool_] = one.free & one.either & ~one.characters
    stock &= (df >= 2 * fewest(one.documents, c)) & (df >= c.stock_share * one.documents)
    stock &= one.evidence.information >= 2 * c.phrase_information
    return stock


def _mark(one: _Columns) -> NDArray[np.bool_]:
    c, e, df = one.config, one.evidence, one.repeats.df
    # In poems, tickers and lists no word is in prose, and words that begin or end sentences do so with lines.
    asked_of_words = one.share(c.edge_share if mostly_prose(e, one.repeats, c.half) else c.table_share)
    # "Tags" of "Tags economy Berlin", behind the last sentence.
    label = (e.after_close >= c.closed) & (e.near_end >= c.mark)
    label |= (e.closes >= c.closed) & (e.near_begin >= c.mark)
    mark: NDArray[np.bool_] = (one.repeats.length == 1) & ~one.announcing & one.free
    mark &= one.quiet | (e.announces & (e.starts >= c.mark))
    mark &= (df >= one.share(c.edge_share)) & (one.information >= c.mark_information)
    anchored = one.held & (df >= asked_of_words) & (e.starts + e.ends - e.lines >= c.mark)
    mark &= anchored | one.both | (one.common & label)
    return mark


def judge(
    evidence: Evidence,
    repeats: Repeats,
    elsewhere: NDArray[np.float32],
    in_prose: NDArray[np.float32],
    documents: int,
    config: EvidenceConfig,
    period: NDArray[np.int32] | None = None,
) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    """The verdict on each string, a place in `REASONS`, and which are nothing but "near" or "stock".

    Arguments are as of `kinds`.

    Parameters
    ----------
    period : int32 array or None
        Documents of the time in which each string was seen, see `periods`.
    """
    c, e, df = config, evidence, repeats.df
    passed = kinds(
        e, repeats, elsewhere, in_prose, documents if period is None else _own_time(e, df, period, documents, c), c
    )
    unheld = passed.pop("near") | passed.pop("stock")
    accepted = np.logical_or.reduce(list(passed.values()))
    unheld &= ~accepted
    accepted |= unheld
    often = df >= max(fewest(documents, c), c.often_share * documents)
    content = (e.lines >= c.whole) & e.ends_value & ~often
    content |= (e.lines >= c.whole) & (e.prose >= c.half) & (e.mutable * repeats.length >= 2) & ~often
    content |= (e.prose >= c.half) & e.formula & ~often
    content |= e.code & (df < c.table_share * documents)  # what parsers leave over of scripts is in more
    # The name of who speaks is before each answer, a line of a program in each listing: often, in few documents.
    # Lines between the paragraphs of many are calls ("Advertisement").
    few = df < np.where(e.lines >= c.half, c.table_share, c.half) * documents
    names = (e.lines >= c.half) | ((e.starts >= c.edge) & (e.prose > c.quiet))
    content |= (repeats.count >= c.burst * df) & few & names
    if spaceless(e, repeats, c):
        content |= (e.lines >= c.whole) & (df < c.edge_share * documents)
    free = e.rate >= in_prose * np.float32(2.0**c.exclusive_bits)
    whole, anchored = e.lines >= c.whole, np.maximum(e.starts, e.ends) >= c.edge
    # What fills a paragraph and is rare was quoted, or is in copies of one article.
    content |= (e.information >= c.passage_information) & ~often
    # A key may be boilerplate's own ("Text:"); a figure beside others is a value, and a call beside others a program.
    table = (e.tabular >= c.half) & (df < np.where(e.holds_figure | e.code, c.half, c.table_share) * documents)
    # The first thing that speaks against a string, from the most general to the most particular.
    against = [content, accepted, ~free & ~whole, e.information < c.line_information, ~whole & ~anchored]
    verdict: NDArray[np.int8] = np.select(
        [accepted & ~content & ~table, *against],
        [ACCEPTED, CONTENT, TABLE, SHARED, POOR, LOOSE],
        RARE,
    ).astype(np.int8)
    return verdict, unheld


def _own_time(
    evidence: Evidence, df: IntArray, period: NDArray[np.int32], documents: int, config: EvidenceConfig
) -> NDArray[np.int32]:
    """Documents that each string is compared with: of its time, if it is boilerplate of that time."""
    c = config
    own = (evidence.prose <= c.quiet) & (df >= c.period_least) & (df >= c.period_share * period)
    return np.where(own, period, documents).astype(np.int32)


def reaches(evidence: Evidence, config: EvidenceConfig) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which strings may take the rest of their line, to its end and to its beginning.

    "Contributing: NAMES", "Click for more from THE SECTION", "NAMES contributed to this report."  The rest must nearly
    always be short, and the line no prose; a string with a number in it is a stamp and says all it has to say.
    """
    c, e = config, evidence
    able = (e.mutable == 0) & (e.own_script < c.half) & (e.tabular < c.half)
    quiet = e.prose <= c.reach_quiet
    near_end, near_begin = near_edges(e, c)
    right = near_end | (quiet & (e.near_end >= c.near) & ((e.starts >= c.edge) | (e.after_close >= c.closed)))
    left = near_begin | (quiet & (e.near_begin >= c.near) & (e.ends >= c.edge))
    return able & right & (e.ends < c.mark), able & left & (e.starts < c.mark)
