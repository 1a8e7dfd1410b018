"""Templates and documents -> templates of what stays between two of them, again and again.

A block that articles share is cut by the strings of it that read like boilerplate.  A link that the parser put on a
line of its own, an address, or a name does not, and would stay between two cuts, before the first one of an article or
behind its last: an island.  A string whose places in the archive are nearly all cut, islands, or parts of such, in
articles that share little else, is of the block.

The short rest of a sentence behind a cut that ends within it ("… in this commentary are" "his own.") says nothing
alone: it goes with the string before it, as a template of both.
"""

from __future__ import annotations

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
from templatemine.mining.sampling import choose_by_text, shuffle_by_text
from templatemine.mining.stranded import LastTemplate, count_again
from templatemine.model import Document, Template
from templatemine.packs.pack import Pack
from templatemine.packs.pack_record import keep_one_of_each, order_templates, template_id
from templatemine.text.characters import SPACELESS

MAX_DOCUMENTS = 500
"""Documents that are looked at."""
MIN_STORIES, MIN_SHARE = 5, 0.8
"""Articles that tell different stories in which a string is an island, and least share of its places that are one or
within one, of those that no template cuts."""
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
SCORE = 0.9
"""Of such a template: annotators call all of them boilerplate, but on few sources."""
_REASON = "stays between others, and hardly stands elsewhere"
_SAME_STORY = 0.25
"""Share of the sentences of the one that says less, from which on two articles tell one story."""
_MAX_TOLD = 16
"""Articles of a string whose stories are looked at."""
_VISIBLE, _TAKEN = regex.compile(r"\S"), "\ufffc"
"""What is cut, character by character, and what takes the place of each where strings are counted that stay."""
_OPEN = frozenset(",·|/&-–—")
"""What a cut may end with, beside a letter or a figure, whose sentence goes on behind it."""
_LETTER = regex.compile(r"\p{L}")
_FIGURES = regex.compile(r"\p{N}+")
_SPACELESS = regex.compile(f"[{SPACELESS}]")
_SENTENCE = regex.compile(r"[^\n.!?。！？।۔؟։።။។]{20,}")


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

    def add(self, piece: _Piece) -> None:
        self.places += 1
        self.begins += piece.begins
        self.ends += piece.ends
        self.beside[piece.beside] += 1
        self.example = min(self.example or piece.text, piece.text)

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
    share = max(1.0, pack.documents / max(1, len(documents)))  # of a sample; other strings are counted in all documents
    named = [
        replace(one, df=round(share * own_df), count=round(share * own_count))
        for one, own_df, own_count, own_share in zip(named, df.tolist(), count.tolist(), shares.tolist(), strict=True)
        if own_share >= MIN_SHARE
    ]
    return _add_untorn(pack, named, _find_holding(pack, named, looked))


def add_rests(pack: Pack, looked: Sequence[Document], documents: Sequence[Document]) -> Pack:
    """Return a pack with templates that go on to the end of the sentences that its own leave open; parameters as of
    `add_islands`."""
    if pack.html or not pack.templates:
        return pack
    found: dict[str, Template] = {}
    holding: dict[int, Document] = {}
    stories: defaultdict[str, dict[int, frozenset[str]]] = defaultdict(dict)
    scanner, last = make_scanner(pack), LastTemplate(pack)
    # By their place, for executors leave ids out.
    for place, (document, text, spans) in enumerate(find_cuts(pack, shuffle_by_text(looked))):
        for cut, rows, rest in _read_rests(text, spans):
            before, signs = last.find(cut, rows)
            if before is None or before.tokens is None or before.slot == "end":
                continue
            behind = read_tokens(pack, scanner, signs + rest).forms
            tokens = (*before.tokens, *map(pack.patterns.readable, behind))
            blank = "" if cut == cut.rstrip() and rest == rest.lstrip() else " "
            name, example = template_id(tokens), f"{before.example.rstrip()}{signs.rstrip()}{blank}{rest.strip()}"
            if name not in found or example < found[name].example:
                found[name] = replace(before, id=name, tokens=tokens, example=example)
            holding[place] = document
            if place not in stories[name] and len(stories[name]) < _MAX_TOLD:
                stories[name][place] = _read_story(text, spans) - {*_read_sentences(rest)}
    known = {one.id for one in pack.templates}
    told = {name for name, own in stories.items() if _count_stories(own.values()) >= MIN_RESTS}
    named = [found[name] for name in sorted(told - known)]
    counted = [one for one in count_again(pack, named, documents) if one.df >= MIN_RESTS]
    share = max(1.0, pack.documents / max(1, len(documents)))
    scaled = [replace(one, df=round(share * one.df), count=round(share * one.count)) for one in counted]
    return _add_untorn(pack, scaled, [*holding.values()])


def _read_rests(text: str, spans: _Spans) -> Iterator[tuple[str, Sequence[int], str]]:
    """Yield the cuts that end within a sentence, with their rows, and the short rests of these behind them."""
    for (start, end, rows), most in zip(spans, _find_bounds(text, spans)[3::2], strict=True):
        cut, rest = text[start:end], text[end:most].partition("\n")[0]
        last = cut.rstrip(" ")[-1:]
        if (last.isalnum() or last in _OPEN) and len(rest.strip()) <= MAX_REST and any(map(str.isalnum, rest)):
            yield cut, rows, rest


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
    count = np.zeros((2, len(templates)), np.int64)
    for text, spans in read:
        if not len(matcher.find(text.encode("utf-8", "surrogatepass"))[2]):
            continue
        parts = [text[start:end] for start, end in pairwise(_find_bounds(text, spans))]
        parts[1::2] = [_VISIBLE.sub(_TAKEN, part) for part in parts[1::2]]
        islands = [part if len(part.strip()) <= MAX_SIZE else _VISIBLE.sub(_TAKEN, part) for part in parts]
        for own, places in zip((islands, parts), count, strict=True):
            strings = matcher.find("".join(own).encode("utf-8", "surrogatepass"))[2]
            places[rows] += np.bincount(strings, minlength=len(rows))
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
    names: dict[str, tuple[str, ...]] = {}
    for text, spans, pieces in read:
        story: frozenset[str] | None = None
        told = set[str]()
        for piece in pieces:
            if holding[piece.form] < MIN_STORIES:
                continue
            if piece.text not in names:
                names[piece.text] = tuple(map(pack.patterns.readable, read_tokens(pack, scanner, piece.text).forms))
            island = found[names[piece.text]]
            island.add(piece)
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
        piece = text[start:end].strip() if end - start <= 2 * MAX_SIZE else ""
        if len(piece) > MAX_SIZE or not _LETTER.search(piece):
            continue
        first = text.index(piece, start)
        before, behind = text[start:first], text[first + len(piece) : end]
        yield _Piece(
            piece, _FIGURES.sub("0", piece), _is_edge(text, start, before), _is_edge(text, end, behind), rows[-1]
        )


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
    return _count_stories(one - own for one in island.stories) >= MIN_STORIES


def _count_stories(stories: Iterable[frozenset[str]]) -> int:
    """Return how many articles tell different stories; one that says nothing itself differs from none."""
    different: list[frozenset[str]] = []
    for story in stories:
        if story and all(len(story & one) < _SAME_STORY * min(len(story), len(one)) for one in different):
            different.append(story)
    return len(different)


def _is_told_apart(island: _Island) -> bool:
    """Return whether a string is long enough not to come together by chance where it stands."""
    letters = sum(2 if _SPACELESS.match(letter) else 1 for letter in _LETTER.findall(island.example))
    figures = len(_FIGURES.findall(island.example))
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
