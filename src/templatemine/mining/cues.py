"""The cue lexicon: phrases of news boilerplate in 88 languages -> features of candidates that read.

A cue is a phrase at the beginning of boilerplate or within it, of one of thirteen kinds, strong (in an
article nearly always boilerplate) or weak (in prose, too).  It is looked for in distinct strings while mining, never
while cleaning.  `cues.npz` is made of `datasets/cues/cues.txt` by `datasets/cues/compile.py`; a user's own cues are
read from such a text (`--cues`).

Words are compared by their letters: case, and signs around them, do not count, but for a colon that ends a cue and for
signs at a cue of one word: "photo:" is none without its colon, "(dr)" is no "Dr.", "@media" no "media".
"""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from templatemine.errors import ConfigError, unreadable
from templatemine.mining import _candidates
from templatemine.mining.corpus import Vocabulary
from templatemine.model import IntArray, LongArray
from templatemine.text import _scan
from templatemine.text.characters import drop_accents
from templatemine.text.patterns import PatternSet

KINDS = (
    *("promotion", "related", "sharing", "media", "byline", "dateline", "agency", "legal", "advertisement"),
    *("navigation", "embed", "note", "contact"),
)
"""Kinds of cues; an agency is a dateline to the reader, but a sign of its own."""

COLUMNS = (*(f"cue_{kind}" for kind in KINDS), "cue_share", "cue_first", "cue_last")
"""Columns of `CueLexicon.find`."""

MIN_CHARACTERS = 2
"""Letters of a cue."""

STRENGTHS = ("weak", "strong")

_EDGE_SIGNS = re.compile(r"^[\W_]+|[\W_]+$")
_COLON = ":"
"""The word of the trie that a colon behind a cue is."""
_PATTERN = "#"
"""The word of the trie that a form of patterns alone is, such as a number, where a cue begins or ends with one."""
_MARKS = ".,:;!?"
"""Signs behind a word that are of its sentence."""
_COLONS = (":", "：", "﹕")
_MARKER = "\ufffd"
"""What is decoded of the byte that stands for a pattern in a form."""


class Cue(NamedTuple):
    """One cue: its language as in the file, its kind, whether it is strong, and the phrase."""

    language: str
    kind: str
    strong: bool
    phrase: str


def parse_cues(text: str, where: str) -> Iterator[Cue]:
    """Yield the cues of a text: sections ``[LANGUAGE]``, lines ``KIND STRENGTH: PHRASE | PHRASE``, comments behind #.

    Raises
    ------
    ConfigError
        A line is invalid.
    """
    language = ""
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("[") and line.endswith("]"):
            language = line[1:-1]
            continue
        head, colon, phrases = line.partition(":")
        kind, _, strength = head.partition(" ")
        if not (colon and language and kind in KINDS and strength in STRENGTHS):
            expected = f"[LANGUAGE], then KIND STRENGTH: PHRASE | PHRASE with a kind of {', '.join(KINDS)}"
            raise ConfigError(f"{where}:{number}: expected {expected}, and weak or strong; got {line[:60]!r}")
        for phrase in phrases.split(" | "):
            if phrase.strip():
                yield Cue(language, kind, strength == "strong", phrase.strip())


@dataclass(frozen=True, kw_only=True)
class CueLexicon:
    """The cues as a trie over words; its columns are those of `_candidates.CueTrie`."""

    names: bytes
    roots: IntArray
    keys: LongArray
    children: IntArray
    strong: NDArray[np.uint16]
    weak: NDArray[np.uint16]

    @cached_property
    def _trie(self) -> _candidates.CueTrie:
        columns = self.roots, self.keys, self.children, self.strong, self.weak
        return _candidates.CueTrie(self.names, *columns, _COLON.encode(), _PATTERN.encode())

    def number_forms(self, forms: Vocabulary) -> FormWords:
        """Return what the forms of a source are as words of the trie."""
        return FormWords(*self._trie.number_forms(forms.arena, forms.offsets, _read_char))

    def find(self, tokens: IntArray, starts: LongArray, lengths: IntArray, forms: FormWords) -> NDArray[np.float32]:
        """Find the cues of strings: float32 array, shape (strings, `COLUMNS`); see `_candidates.CueTrie.find_cues`."""
        return self._trie.find_cues(tokens, starts, lengths, forms.words, forms.signed, forms.colons)


class FormWords(NamedTuple):
    """The forms of a source as words of a lexicon.

    Attributes
    ----------
    words : int32 array, shape (forms,)
        The word that each is; 0 for none, -1 for a form without letters and digits.
    signed : int32 array, shape (forms,)
        The word that each is with the signs around it, 0 for none.
    colons : uint8 array, shape (forms,)
        Whether it ends with a colon.
    """

    words: IntArray
    signed: IntArray
    colons: NDArray[np.uint8]


def _read_signed(form: str) -> str:
    """Return a form with the signs around it, but for marks behind it; "" if it has none.

    >>> [_read_signed(form) for form in ("(DR),", "AFP/", "Dr.", "»")]
    ['(dr)', 'afp/', '', '']
    """
    text = form.lower().rstrip(_MARKS)
    is_signed = text and (_is_sign(text[0]) or _is_sign(text[-1])) and any(map(str.isalnum, text))
    return text if is_signed else ""


def _is_sign(char: str) -> bool:
    return unicodedata.category(char)[0] in "PS"


def fold_word(token: str) -> str:
    """Return a token as cues have it: in small letters without accents, and without signs around it.

    >>> [fold_word(token) for token in ("(Newsletter):", "ΕΠΊΣΗΣ", "İlgili", "—")]
    ['newsletter', 'επισης', 'ilgili', '']
    """
    # A line feed stands for a pattern in a form, and is a sign.
    return _EDGE_SIGNS.sub("", drop_accents(token.replace("\n", " ").lower()))


def _read_char(data: bytes) -> tuple[bytes, bytes, bool, bool]:
    """Return a character of a form in small letters, the same without accents, and whether it is a sign, and stands for
    a pattern."""
    small = data.decode("utf-8", "replace").lower()
    return small.encode(), drop_accents(small).encode(), _is_sign(small[0]), _MARKER in small


def compile_cues(cues: Sequence[Cue], patterns: PatternSet, separators: str) -> CueLexicon:
    """Return a lexicon of cues, parted into words by the tokeniser of the source.

    Cues of less than `MIN_CHARACTERS` are left out.  What a pattern stands for is passed over within a cue, and asked
    for where it begins or ends: "hours ago" is no "ago".
    """
    native = _scan.Tokeniser(*patterns.scanner_arguments(separators, False), False)
    native.add_all([cue.phrase for cue in cues])
    forms, starts, arena, offsets = native.finish()
    written = [form.decode("utf-8", "replace") for form in Vocabulary(arena, offsets)]
    names = [fold_word(form) for form in written]
    is_pattern = [_MARKER in form and not name for form, name in zip(written, names, strict=True)]
    words: dict[str, int] = {}
    nodes: dict[tuple[int, int], int] = {}
    strong, weak = [0], [0]
    for cue, first, end in zip(cues, starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        own = forms[first:end].tolist()
        phrase = [names[form] for form in own if names[form]]
        node = 0
        # One character is no word where characters are tokens, and chance where they are not.
        if len("".join(phrase)) < MIN_CHARACTERS:
            continue
        ends_with_colon = cue.phrase.endswith(_COLONS)
        if len(phrase) == 1 and not ends_with_colon and (signed := _read_signed(cue.phrase)):
            phrase = [signed]
        phrase = [*([_PATTERN] if is_pattern[own[0]] else ()), *phrase, *([_PATTERN] if is_pattern[own[-1]] else ())]
        for word in (*phrase, _COLON) if ends_with_colon else phrase:
            number = words.setdefault(word, len(words) + 1)
            child = nodes.setdefault((node, number), len(strong))
            if child == len(strong):
                strong.append(0)
                weak.append(0)
            node = child
        if node:
            (strong if cue.strong else weak)[node] |= 1 << KINDS.index(cue.kind)
    width = len(words) + 1
    roots = np.full(width, -1, np.int32)
    for (node, word), child in nodes.items():
        if not node:
            roots[word] = child
    inner = sorted((node * width + word, child) for (node, word), child in nodes.items() if node)
    return CueLexicon(
        names="\n".join(words).encode(),
        roots=roots,
        keys=np.array([key for key, _ in inner], np.int64),
        children=np.array([child for _, child in inner], np.int32),
        strong=np.array(strong, np.uint16),
        weak=np.array(weak, np.uint16),
    )


@lru_cache(maxsize=4)
def read_cues(path: str, patterns: PatternSet, separators: str) -> CueLexicon:
    """Return the lexicon of a user's file.

    Raises
    ------
    ConfigError
        The file cannot be read, or holds a line that `parse_cues` refuses.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cues: {path}: {unreadable(error)}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"cues: expected a file of UTF-8 text, got {path}: {error}") from error
    return compile_cues([*parse_cues(text, path)], patterns, separators)


@cache
def load_cues() -> CueLexicon:
    """Return the lexicon that ships."""
    data = files("templatemine.mining").joinpath("cues.npz").read_bytes()
    with np.load(io.BytesIO(data), allow_pickle=False) as tables:
        columns: dict[str, Any] = {name: tables[name] for name in tables.files}
    return CueLexicon(**{**columns, "names": columns["names"].tobytes()})
