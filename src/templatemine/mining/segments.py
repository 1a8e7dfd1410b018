"""Corpus -> Segments: lines, and the sentences and items of lists within them.

A template is a whole segment, or the beginning or end of one (`labels`): so no cut begins or ends in the middle of a
sentence by chance, and archives whose articles are one line each are read as the others are.  Which full stops end no
sentence is learnt from the archive itself: a word that hardly ever occurs without one is an abbreviation (Kiss and
Strunk 2006, the first of their three signs); that of some words ends none before a number ("no. 5").

One native pass over the tokens; memory is four bytes a token, and some fifty a segment.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from unicodedata import category

import numpy as np
from numpy.typing import NDArray

from templatemine import _core
from templatemine.mining import _candidates
from templatemine.mining.corpus import Corpus, Vocabulary
from templatemine.mining.long_strings import find_string_edges, unite_places
from templatemine.model import IntArray, LongArray
from templatemine.text import _reading

CLOSES, SENTENCE, OWN, MUTABLE, VALUE, COLON, FIGURE = 1, 2, 4, 8, 16, 32, 64
CAPITAL, SMALL, SHORTENED, NUMBERING = 256, 512, 2048, 4096
"""Bits of `_scan.form_traits`, and those that `cut_segments` takes for abbreviations and words before numbers."""

_MAX_BARE_SHARE = 0.25
"""An abbreviation occurs without its full stop less than so many times as often as with it."""
_MIN_ABBREVIATION_COUNT = 5
"""Occurrences that tell it."""
_MAX_ABBREVIATION, _MAX_DOTTED = 6, 7
"""Bytes of an abbreviation with its full stop; and of one with several ("e.g.", "U.S.A.")."""
_NUMBERING = frozenset(f"{word}.".encode() for word in _reading.NUMBERING)
"""Words with a full stop behind which a number begins no sentence: "no. 5", "Art. 7"."""
_TITLES = frozenset(f"{word}.".encode() for word in _reading.TITLES)
"""And those whose full stop ends none: "Mr."."""
_MAX_GAP_SHARE = 0.02
"""Several blanks before more of the tokens than this are how the source is set, and part nothing."""
_HEAD = 30
"""Tokens of a document among which a dash ends a dateline, line breaks and a headline among them."""
DASHES = ("–", "—", "―", "－", "--", "---")
"""Dashes that are tokens; a hyphen is a separator."""
_MIN_SPACELESS_SHARE = 0.3
"""From this share of tokens that are characters a source counts as written without spaces."""


@dataclass(frozen=True, kw_only=True)
class Segments:
    """The segments of one source, in the order of its documents.

    Attributes
    ----------
    tokens : int32 array, shape (tokens,)
        Forms of all documents, without line breaks.
    doc_tokens : int64 array, shape (documents + 1,)
        Where each document begins in `tokens`.
    bounds : int64 array, shape (segments + 1,)
        Segment i is ``tokens[bounds[i]:bounds[i + 1]]``.
    document : int32 array, shape (segments,)
    begins_line : bool array, shape (segments,)
    hashes : uint64 array, shape (segments,)
        Equal for equal segments, of all sources.
    string, string_df : int32 arrays, shape (segments,)
        A number for each different segment, and the documents that hold such a one.
    dashed : bool array, shape (segments,)
        Whether it ends at a dash near the beginning of its document, as datelines do.
    traits : uint16 array, shape (forms,)
        `Corpus.traits`.
    shortened : bool array, shape (forms,)
        Whether a form is an abbreviation with small letters ("Dr."), whose full stop ends nothing.
    own_letter : bool array, shape (forms,)
        Whether a form is a letter of a script without spaces: nothing shows that a word or a sentence ends there.
    """

    tokens: IntArray
    doc_tokens: LongArray
    bounds: LongArray
    document: IntArray
    begins_line: NDArray[np.bool_]
    hashes: NDArray[np.uint64]
    string: IntArray
    string_df: IntArray
    dashed: NDArray[np.bool_]
    traits: NDArray[np.uint16]
    shortened: NDArray[np.bool_]
    own_letter: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.document)

    @cached_property
    def length(self) -> IntArray:
        """Return the tokens of each segment."""
        return np.diff(self.bounds).astype(np.int32)

    @cached_property
    def spaceless(self) -> bool:
        """Return whether the source is written without spaces."""
        return is_spaceless(self.tokens, self.traits)


def is_spaceless(tokens: IntArray, traits: NDArray[np.uint16]) -> bool:
    """Return whether a source is written without spaces, by its tokens and the traits of its forms."""
    sampled = tokens[:: max(1, len(tokens) >> 20)]
    is_own = traits & OWN > 0
    if not is_own.any():  # as in most sources
        return False
    return len(sampled) > 0 and int(np.count_nonzero(is_own[sampled])) >= _MIN_SPACELESS_SHARE * len(sampled)


def segment(corpus: Corpus) -> Segments:
    """Cut the documents of a source into segments."""
    forms = corpus.form_names
    abbreviations = find_abbreviations(corpus)
    traits = corpus.traits | abbreviations | _find_numbering(forms, corpus.traits)
    dashes = _find_dashes(corpus)
    edges = find_string_edges(corpus, spaceless=is_spaceless(corpus.forms, corpus.traits))
    breaks = unite_places(len(corpus.forms) + 1, _line_gaps(corpus), edges, dashes)
    tokens, bounds, document, begins, doc_tokens = _candidates.cut_segments(
        corpus.forms, corpus.doc_starts, traits, breaks, corpus.lines
    )
    hashes = _core.hash_strings(tokens, forms.hashes, bounds[:-1], np.diff(bounds).astype(np.int32))
    string, df = _core.number_hashes(hashes, document)
    begins_line = begins.astype(np.bool_)
    return Segments(
        tokens=tokens,
        doc_tokens=doc_tokens,
        bounds=bounds,
        document=document,
        begins_line=begins_line,
        hashes=hashes,
        string=string,
        string_df=df[string],
        dashed=np.isin(bounds[1:], _without_breaks(corpus, dashes)),
        traits=corpus.traits,
        shortened=_find_shortened(forms, abbreviations),
        own_letter=_find_own_letters(forms, corpus.traits),
    )


def _line_gaps(corpus: Corpus) -> LongArray:
    """Find positions of several blanks in place of a line break; none where there are too many."""
    gaps = corpus.gaps
    if gaps is None or len(gaps) > _MAX_GAP_SHARE * len(corpus.forms):
        return np.empty(0, np.int64)
    return gaps


def _find_dashes(corpus: Corpus) -> LongArray:
    """Find positions behind dashes in the first `_HEAD` tokens of documents; ascending."""
    forms, heads = corpus.forms, corpus.doc_starts[:-1]
    if corpus.html or corpus.dashes is None:
        return np.empty(0, np.int64)
    names = corpus.form_names
    is_dash = np.zeros(len(names), np.bool_)
    is_dash[names.find([dash.encode() for dash in DASHES])] = True
    there = heads[:, None] + np.arange(_HEAD if is_dash.any() else 0)
    there = there[there < corpus.doc_starts[1:, None]]
    places = np.unique(np.concatenate([corpus.dashes, there[is_dash[forms[there]]] + 1]))
    document = np.searchsorted(corpus.doc_starts, places, side="right") - 1
    is_near = places - corpus.doc_starts[document] <= _HEAD
    # Text that is last in its document or line ends there anyway.
    kept: LongArray = places[is_near & (places < len(forms)) & (places > corpus.doc_starts[document])]
    return kept


def _without_breaks(corpus: Corpus, places: LongArray) -> LongArray:
    """Map places in the forms of a corpus to places in its tokens without line breaks."""
    return places - np.searchsorted(np.flatnonzero(corpus.forms == 0), places) if corpus.lines else places


def _find_shortened(forms: Vocabulary, abbreviations: NDArray[np.uint16]) -> NDArray[np.bool_]:
    """Return which abbreviations have small letters, or are titles: time zones and initials do end sentences."""
    shortened = abbreviations > 0
    rows = np.flatnonzero(shortened)
    words = forms.take(rows)
    shortened[rows] = [_is_title(word) or not word.decode("utf-8", "replace").isupper() for word in words]
    return shortened


def _find_own_letters(forms: Vocabulary, traits: NDArray[np.uint16]) -> NDArray[np.bool_]:
    """Return which forms are letters, or vowel signs, of scripts without spaces, and no marks."""
    found = np.zeros(len(forms), np.bool_)
    rows = np.flatnonzero(traits & OWN)
    found[rows] = [category(form.decode("utf-8", "replace")[0])[0] in "LM" for form in forms.take(rows)]
    return found


def _find_numbering(forms: Vocabulary, traits: NDArray[np.uint16]) -> NDArray[np.uint16]:
    """Return `NUMBERING` for each of `_NUMBERING`, else 0: uint16 array, shape (forms,)."""
    marks = np.zeros(len(forms), np.uint16)
    rows = np.flatnonzero((traits & SENTENCE > 0) & (np.diff(forms.offsets) <= max(map(len, _NUMBERING))))
    marks[rows[[form in _NUMBERING for form in forms.take(rows)]]] = NUMBERING
    return marks


def find_abbreviations(corpus: Corpus) -> NDArray[np.uint16]:
    """Return `SHORTENED` for each form whose full stop ends no sentence, else 0: uint16 array, shape (forms,).

    One capital and a full stop, several full stops, a title ("Mr."), or a short word that hardly ever lacks its own.
    """
    forms = corpus.form_names
    marks = np.zeros(len(forms), np.uint16)
    sizes = np.diff(forms.offsets)
    short = np.flatnonzero((sizes > 0) & (sizes <= _MAX_DOTTED))
    if not len(short):
        return marks
    letters = np.zeros((len(short), 8), np.uint8)
    for letter in range(_MAX_DOTTED):
        long_enough = sizes[short] > letter
        letters[long_enough, letter] = forms.arena[forms.offsets[short[long_enough]] + letter]
    packed = letters.view(np.uint64)[:, 0]
    last = sizes[short] - 1
    dotted = (letters[np.arange(len(short)), last] == ord(".")) & (last > 0) & (corpus.traits[short] & SENTENCE > 0)
    rows = np.flatnonzero(dotted)
    bare = letters[rows].copy()
    bare[np.arange(len(rows)), last[rows]] = 0
    order = np.argsort(packed)
    position = np.minimum(np.searchsorted(packed, bare.view(np.uint64)[:, 0], sorter=order), len(packed) - 1)
    bare_forms = order[position]
    bare_count = np.where(packed[bare_forms] == bare.view(np.uint64)[:, 0], corpus.counts[short[bare_forms]], 0)
    count = corpus.counts[short[rows]]
    is_initial = (last[rows] == 1) & (letters[rows, 0] >= ord("A")) & (letters[rows, 0] <= ord("Z"))
    has_several = np.count_nonzero(letters[rows] == ord("."), axis=1) > 1
    mostly_dotted = (
        (count >= _MIN_ABBREVIATION_COUNT) & (bare_count < _MAX_BARE_SHARE * count) & (last[rows] < _MAX_ABBREVIATION)
    )
    is_title = np.array([_is_title(form) for form in forms.take(short[rows])], np.bool_)
    marks[short[rows[is_initial | has_several | mostly_dotted | is_title]]] = SHORTENED
    return marks


def _is_title(form: bytes) -> bool:
    """Return whether a token is a title with its full stop, in capitals, too: "REP."."""
    return form in _TITLES or form.capitalize() in _TITLES
