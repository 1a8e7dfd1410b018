"""Templates and documents -> templates of what stays between two of them, again and again.

A block that articles share is cut by the strings of it that read like boilerplate.  A link that the parser put on a
line of its own, an address, or a name does not, and would stay between two cuts, before the first one of an article or
behind its last: an island.  A string whose places in the archive are nearly all cut, islands, or parts of such, in
articles that share little else, is of the block.

The short rest of a sentence behind a cut that ends within it ("… in this commentary are" "his own.") says nothing
alone: it goes with the string before it, as a template of both.  So does what is behind a template in most of the
articles that have it, though it also stands elsewhere: the name of the site behind "Get the latest updates from".
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import regex
from numpy.typing import NDArray

from templatemine.mining.heads import count_places, make_scanner, read_tokens
from templatemine.mining.kept_texts import encode_body
from templatemine.mining.own_cuts import find_cuts, tearing_templates
from templatemine.mining.sampling import choose_by_text, find_share, scale_counts, shuffle_by_text
from templatemine.mining.stranded import LastTemplate, count_again
from templatemine.model import Document, Template
from templatemine.packs.pack import Pack
from templatemine.packs.pack_record import keep_one_of_each, order_templates, template_id
from templatemine.text.characters import SPACELESS
from templatemine.text.expressions import ANCHORS

MAX_DOCUMENTS = 500
"""Documents that are looked at."""
MIN_ISLANDS, MIN_SHARE = 3, 0.8
"""Articles that tell different stories in which a string is an island, and least share of its places that are one or
within one, of those that no template cuts."""
MIN_STORIES = 5
"""Articles that tell different stories in which the same stays behind a template."""
MAX_ISLANDS = 1000
"""Strings that are counted, those of most places."""
MAX_SIZE = 300
"""Characters of an island: more are a story between two blocks."""
MIN_WITHIN, MIN_AT_EDGE = 20, 10
"""Letters of a string that stands within lines or holds figures, and of another: fewer may come together by chance, or
are a score, an age, or a heading.  A character that is a token counts twice."""
MAX_FIGURES = 5
"""Runs of figures of a string: more are what a daily story tells in the same words."""
MIN_RESTS, MAX_REST = 3, 60
"""Articles that tell different stories in which the same rest of a sentence stays behind a cut, and its characters."""
MIN_BEHIND = 0.5
"""Of the documents of a template, how many have what else stays behind it: a longer string that loses fewer than half
of its documents is the same one (`long_strings`).  Of fewer letters than `MIN_AT_EDGE`, but for a
date, `MIN_SHARE`."""
SCORE = 0.9
"""Of such a template: annotators call all of them boilerplate, but on few sources."""
_REASON = "stays between others, and hardly stands elsewhere"
_SAME_STORY = 0.25
"""Share of the sentences of the one that says less, from which on two articles tell one story."""
_MAX_TOLD = 16
"""Articles of a string whose stories are looked at."""
_VISIBLE, _TAKEN = regex.compile(r"\S(?:.*\S)?", regex.DOTALL), "\ufffc"
"""Text that is cut, without the blanks around it, and what takes its place where strings are counted that stay."""
_OPEN = frozenset(",·|/&-–—")
"""What a cut may end with, beside a letter or a figure, whose sentence goes on behind it."""
_LETTER = regex.compile(r"\p{L}")
_FIGURES = regex.compile(r"\p{N}+")
_SPACELESS = regex.compile(f"[{SPACELESS}]")
_SENTENCE = re.compile(r"[^\n.!?。！？।۔؟։።။។]{20,}")


_Spans = Sequence[tuple[int, int, Sequence[int]]]
"""Beginning, end and rows of templates of each cut of a text."""


class _Piece(NamedTuple):
    """An island: its text, the same without figures, the edges of lines at which it stands, and the template that is
    cut beside it."""

    text: str
    form: str
    begins: bool
    ends: bool
    beside: int


class _RestPiece(NamedTuple):
    """What stays behind a cut: this with the rows of its templates, the text, and the same without figures; whether it
    is the rest of a sentence; and whether it ends its line."""

    cut: str
    rows: Sequence[int]
    text: str
    form: str
    is_open: bool
    ends_line: bool


@dataclass(slots=True)
class _Rest:
    """What stays behind a template: that, the tokens of both, examples of what stays and of both, where it is, and the
    sentences that stay there."""

    before: Template
    tokens: tuple[str, ...]
    text: str = ""
    example: str = ""
    is_open: bool = False
    ends_line: bool = True
    places: set[int] = field(default_factory=set)
    stories: dict[int, frozenset[str]] = field(default_factory=dict)

    def add(self, piece: _RestPiece, signs: str, place: int) -> None:
        is_glued = piece.cut == piece.cut.rstrip() and piece.text == piece.text.lstrip()
        gap = "" if is_glued else "\n" if "\n" in piece.text[: -len(piece.text.lstrip())] else " "
        example = f"{self.before.example.rstrip()}{signs.rstrip()}{gap}{piece.text.strip()}"
        self.example = min(self.example or example, example)
        self.text = min(self.text or piece.text, piece.text)
        self.is_open |= piece.is_open
        self.ends_line &= piece.ends_line
        self.places.add(place)

    def is_told(self) -> bool:
        """Return whether enough articles that tell different stories have it, and if it has numbers, enough letters."""
        if self.is_open:
            return _count_stories(self.stories.values()) >= MIN_RESTS
        letters, figures = _count_signs(self.text)
        is_data = figures and not self._is_date() and (figures > MAX_FIGURES or letters < MIN_WITHIN)
        return not is_data and _count_stories(self.stories.values()) >= MIN_STORIES

    def _is_date(self) -> bool:
        behind = self.tokens[len(self.before.tokens or ()) :]
        return all("{" in token for token in behind) and any("{month" in token for token in behind)

    def least_df(self, share: float) -> float:
        """Return how many documents must have both, of a sample that the source is so many times of."""
        if self.is_open:
            return MIN_RESTS
        least = MIN_BEHIND if self._is_date() or _count_signs(self.text)[0] >= MIN_AT_EDGE else MIN_SHARE
        return max(MIN_STORIES, least * self.before.df / share)

    def join(self) -> Template:
        """Return the template of both."""
        begins = ANCHORS[self.before.anchor] & ANCHORS["start"]
        ends = self.ends_line and not self.is_open
        anchor = "line" if begins and ends else "start" if begins else "end" if ends else ""
        return replace(
            self.before, id=template_id(self.tokens), tokens=self.tokens, example=self.example, anchor=anchor
        )


@dataclass(slots=True)
class _Island:
    """A string that is one: its places, those that begin or end lines, an example, the templates beside it, and the
    sentences that stay of some of its articles."""

    places: int = 0
    begins: int = 0
    ends: int = 0
    example: str = ""
    beside: Counter[int] = field(default_factory=Counter)
    stories: list[frozenset[str]] = field(default_factory=list)

    def add(self, piece: _Piece, example: str) -> None:
        self.places += 1
        self.begins += piece.begins
        self.ends += piece.ends
        self.beside[piece.beside] += 1
        self.example = min(self.example or example, example)

    @property
    def anchor(self) -> str:
        """Return the edges of lines at which all its places are."""
        begins, ends = self.begins == self.places, self.ends == self.places
        return "line" if begins and ends else "start" if begins else "end" if ends else ""


def add_islands(pack: Pack, looked: Sequence[Document], documents: Sequence[Document]) -> Pack:
    """Return a pack with templates of what its own leave between them.

    Parameters
    ----------
    looked : sequence of Document
        Some of the archive, which show the islands.
    documents : sequence of Document
        All that was mined, in which they are counted.
    """
    if pack.html or not pack.templates:
        return pack
    looked = shuffle_by_text(choose_by_text(looked, MAX_DOCUMENTS))
    read = [(text, spans) for _, text, spans in find_cuts(pack, looked)]
    found, known = _find_islands(pack, read), {one.id for one in pack.templates}
    islands = sorted(found.items(), key=lambda item: (-item[1].places, item[0]))
    named = [
        _make_template(pack, tokens, island)
        for tokens, island in islands
        if _is_told_apart(island) and _differ(island) and template_id(tokens) not in known
    ][:MAX_ISLANDS]
    if not named:
        return pack
    df, count = count_places(pack, named, documents)
    shares = _find_shares(pack, named, read)
    share = find_share(pack, documents)
    named = [
        scale_counts(replace(one, df=own_df, count=own_count), share)
        for one, own_df, own_count, own_share in zip(named, df.tolist(), count.tolist(), shares.tolist(), strict=True)
        if own_share >= MIN_SHARE
    ]
    return _add_untorn(pack, named, _find_holding(pack, named, looked))


def add_rests(pack: Pack, looked: Sequence[Document], documents: Sequence[Document]) -> Pack:
    """Return a pack with templates that go on to the end of the sentences that its own leave open, or over what is
    mostly behind them; parameters as of `add_islands`."""
    if pack.html or not pack.templates:
        return pack
    read = [*find_cuts(pack, shuffle_by_text(looked))]
    found = _find_rests(pack, read)
    known = {one.id for one in pack.templates}
    told = {name: one for name, one in sorted(found.items()) if name not in known and one.is_told()}
    share = find_share(pack, documents)
    counted = count_again(pack, [one.join() for one in told.values()], documents)
    named = [scale_counts(one, share) for one in counted if one.df >= told[one.id].least_df(share)]
    places = {place for one in named for place in told[one.id].places}
    return _add_untorn(pack, named, [read[place][0] for place in sorted(places)])


def _find_rests(pack: Pack, texts: Sequence[tuple[Document, str, _Spans]]) -> dict[str, _Rest]:
    """Return what stays behind templates, by the id of the template of both."""
    read = [[*_read_rests(text, spans)] for _, text, spans in texts]
    holding = Counter(form for pieces in read for form in {piece.form for piece in pieces})
    found: dict[str, _Rest] = {}
    scanner, last = make_scanner(pack), LastTemplate(pack)
    for place, ((_, text, spans), pieces) in enumerate(zip(texts, read, strict=True)):
        for piece in pieces:
            if not piece.is_open and holding[piece.form] < MIN_STORIES:
                continue
            before, signs = last.find(piece.cut, piece.rows)
            if before is None or before.tokens is None or before.slot == "end":
                continue
            behind = map(pack.patterns.readable, read_tokens(pack, scanner, signs + piece.text).forms)
            tokens = (*before.tokens, *behind)
            own = found.setdefault(template_id(tokens), _Rest(before, tokens))
            own.add(piece, signs, place)
            if place not in own.stories and len(own.stories) < _MAX_TOLD:
                own.stories[place] = _read_story(text, spans) - {*_read_sentences(piece.text)}
    return found


def _read_rests(text: str, spans: _Spans) -> Iterator[_RestPiece]:
    """Yield the short rests of the sentences within which cuts end, and what is between other cuts and the next ones,
    or the end of the text."""
    for (start, end, rows), most in zip(spans, _find_bounds(text, spans)[3::2], strict=True):
        cut, rest = text[start:end], text[end:most].partition("\n")[0]
        last = cut.rstrip(" ")[-1:]
        if (last.isalnum() or last in _OPEN) and len(rest.strip()) <= MAX_REST and any(map(str.isalnum, rest)):
            yield _RestPiece(cut, rows, rest, "", is_open=True, ends_line=False)
        elif piece := _read_piece(text, end, most):
            behind = text[end:most].rstrip()
            ends_line = _is_edge(text, most, text[end + len(behind) : most])
            yield _RestPiece(cut, rows, behind, _FIGURES.sub("0", piece), is_open=False, ends_line=ends_line)


def _add_untorn(pack: Pack, named: Sequence[Template], holding: Sequence[Document]) -> Pack:
    """Return a pack with some more templates, but those that tear sentences of the documents that hold them."""
    if not named:
        return pack
    torn = tearing_templates(replace(pack, templates=(*pack.templates, *named)), holding)
    kept = [one for one in named if one.id not in torn]
    return replace(pack, templates=tuple(order_templates(keep_one_of_each([*pack.templates, *kept]))))


def _find_holding(pack: Pack, templates: Sequence[Template], documents: Iterable[Document]) -> list[Document]:
    """Return the documents that hold any of some templates."""
    if not templates:
        return []
    matcher, _ = replace(pack, templates=tuple(templates)).make_matcher()
    return [one for one in documents if len(matcher.find(encode_body(pack, one))[2])]


def _find_shares(pack: Pack, templates: Sequence[Template], read: Sequence[tuple[str, _Spans]]) -> NDArray[np.float64]:
    """Return the share of the places of some strings that are islands or within longer ones, of those that no cut of a
    pack touches: float64 array, shape (templates,)."""
    matcher, rows = replace(pack, templates=tuple(templates)).make_matcher()
    totals, last = np.zeros((2, len(rows), 2), np.int64), np.full((2, len(rows)), -1, np.int64)
    for number, (text, spans) in enumerate(read):
        if not len(matcher.find(text.encode("utf-8", "surrogatepass"))[2]):
            continue
        parts = [text[start:end] for start, end in pairwise(_find_bounds(text, spans))]
        parts[1::2] = [_VISIBLE.sub(_TAKEN, part) for part in parts[1::2]]
        islands = [part if len(part.strip()) <= MAX_SIZE else _VISIBLE.sub(_TAKEN, part) for part in parts]
        for place, own in enumerate((islands, parts)):
            matcher.count("".join(own).encode("utf-8", "surrogatepass"), number, totals[place], last[place])
    count = np.zeros((2, len(templates)), np.int64)
    count[:, rows] = totals[:, :, 0]
    shares: NDArray[np.float64] = count[0] / np.maximum(count[1], 1)
    return shares


def _find_bounds(text: str, spans: _Spans) -> list[int]:
    """Return where parts of a text begin and end that stay and go by turns, the first and the last of which stay."""
    return [0, *(bound for start, end, _ in spans for bound in (start, end)), len(text)]


def _find_islands(pack: Pack, texts: Sequence[tuple[str, _Spans]]) -> dict[tuple[str, ...], _Island]:
    """Return the strings that are islands of several documents, by their tokens."""
    read = [(text, spans, [*_read_pieces(text, spans)]) for text, spans in texts]
    holding = Counter(form for *_, pieces in read for form in {piece.form for piece in pieces})
    scanner = make_scanner(pack)
    found: defaultdict[tuple[str, ...], _Island] = defaultdict(_Island)
    names: dict[str, tuple[tuple[str, ...], str]] = {}
    for text, spans, pieces in read:
        story: frozenset[str] | None = None
        told = set[str]()
        for piece in pieces:
            if holding[piece.form] < MIN_ISLANDS:
                continue
            if piece.text not in names:
                tokens = read_tokens(pack, scanner, piece.text)
                # Without the separators around them, such as the dash of an item of a list.
                example = piece.text[tokens.starts[0] : tokens.ends[-1]]
                names[piece.text] = tuple(map(pack.patterns.readable, tokens.forms)), example
            strings, example = names[piece.text]
            island = found[strings]
            island.add(piece, example)
            if piece.form not in told and len(island.stories) < _MAX_TOLD:
                told.add(piece.form)
                story = _read_story(text, spans) if story is None else story
                island.stories.append(story)
    return found


def _read_pieces(text: str, spans: _Spans) -> Iterator[_Piece]:
    """Yield what stays between two cuts, before the first one, and behind the last."""
    bounds = [(left[1], right[0], left[2]) for left, right in pairwise(spans)]
    bounds += [(0, spans[0][0], spans[0][2]), (spans[-1][1], len(text), spans[-1][2])] if spans else []
    for start, end, rows in bounds:
        if not (piece := _read_piece(text, start, end)):
            continue
        first = text.index(piece, start)
        before, behind = text[start:first], text[first + len(piece) : end]
        yield _Piece(
            piece, _FIGURES.sub("0", piece), _is_edge(text, start, before), _is_edge(text, end, behind), rows[-1]
        )


def _read_piece(text: str, start: int, end: int) -> str:
    """Return what stays between two places, without the blanks around it; empty if that is long, or has no letter."""
    piece = text[start:end].strip() if end - start <= 2 * MAX_SIZE else ""
    return piece if len(piece) <= MAX_SIZE and _LETTER.search(piece) else ""


def _is_edge(text: str, place: int, between: str) -> bool:
    return "\n" in between or place in (0, len(text)) or text[place] == "\n" or text[place - 1] == "\n"


def _read_story(text: str, spans: _Spans) -> frozenset[str]:
    """Return the sentences that stay."""
    bounds = _find_bounds(text, spans)
    kept = (text[start:end] for start, end in zip(bounds[::2], bounds[1::2], strict=True))
    return frozenset(sentence for piece in kept for sentence in _read_sentences(piece))


def _read_sentences(text: str) -> list[str]:
    return [sentence.strip() for sentence in _SENTENCE.findall(text)]


def _differ(island: _Island) -> bool:
    """Return whether enough articles of a string tell different stories, itself aside."""
    own = frozenset(_read_sentences(island.example))
    return _count_stories(one - own for one in island.stories) >= MIN_ISLANDS


def _count_stories(stories: Iterable[frozenset[str]]) -> int:
    """Return how many articles tell different stories; one that says nothing itself differs from none."""
    different: list[frozenset[str]] = []
    for story in stories:
        if story and all(len(story & one) < _SAME_STORY * min(len(story), len(one)) for one in different):
            different.append(story)
    return len(different)


def _count_signs(text: str) -> tuple[int, int]:
    """Return the letters of a text, a character that is a token twice, and its runs of figures."""
    letters = sum(2 if _SPACELESS.match(letter) else 1 for letter in _LETTER.findall(text))
    return letters, len(_FIGURES.findall(text))


def _is_told_apart(island: _Island) -> bool:
    """Return whether a string is long enough not to come together by chance where it stands."""
    letters, figures = _count_signs(island.example)
    least = MIN_WITHIN if figures or not island.anchor else MIN_AT_EDGE
    return letters >= least and figures <= MAX_FIGURES


def _make_template(pack: Pack, tokens: tuple[str, ...], island: _Island) -> Template:
    """Return the template of an island, of the kind of what is mostly cut beside it."""
    kinds = Counter[str]()
    for row, number in island.beside.items():
        kinds[pack.templates[row].kind] += number
    template = Template(
        id=template_id(tokens),
        regex="",
        tokens=tokens,
        df=0,
        count=0,
        example=island.example,
        anchor=island.anchor,
        kind=min(kinds, key=lambda kind: (-kinds[kind], kind)),
        score=SCORE,
        reasons_for=(_REASON,),
    )
    return replace(template, regex=pack.derived(template))
