"""The records handed from stage to stage.  They hold data and know nothing of how it was made.

Abbreviations used everywhere: ``df`` document frequency (distinct documents of one source that hold a string), ``n``
number of documents of the source.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from templatemine import notebook
from templatemine.errors import CorpusError, counted

if TYPE_CHECKING:  # cleaning does without numpy, and so starts sooner
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "Cleaned",
    "Cutoff",
    "Document",
    "MarkedText",
    "PageHistory",
    "PathVote",
    "Question",
    "Record",
    "RejectedCandidate",
    "RepeatedText",
    "Span",
    "Template",
    "check_str",
    "exact_str",
]

if TYPE_CHECKING:
    IntArray = NDArray[np.int32]
    LongArray = NDArray[np.int64]
else:
    IntArray = LongArray = Any


def exact_str(text: str) -> str:
    """Return the same text as a plain str; objects that are no str stay.  Subclasses of libraries (numpy, lxml,
    Beautiful Soup) may change its meaning or hold a whole page in memory, and others refuse them."""
    return text if type(text) is str or not isinstance(text, str) else str.__str__(text)


def check_str(value: object, name: str, expected: str = "a str") -> None:
    """Raise a TypeError that names the argument, unless a value is a text."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected {expected}, got {type(value).__name__}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One article or page of a source.

    Exactly one of `text` and `html` is the body; a document with both is treated as HTML.  Strings of a subclass of str
    become plain ones.
    """

    source: str
    id: str
    text: str | None = None
    html: str | None = None
    url: str | None = None
    date: str | None = None
    title: str | None = None

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            if type(value) is str:
                continue
            if isinstance(value, str):
                object.__setattr__(self, name, exact_str(value))
            elif value is not None or name in ("source", "id"):
                where = f"document {self.id!r:.60}"
                raise CorpusError(f"{name}: expected a string, got {value!r:.60}", where, fatal=True)

    def __repr__(self) -> str:
        name = f"{self.source!r:.50} {self.id!r:.50}"
        size = f"{'page of ' if self.is_html else ''}{counted(len(self.body), 'character')}"
        return f"<Document {name}: {size}, {self.body[:40]!r}>"

    @property
    def body(self) -> str:
        """Return the text that is tokenised: `html` if there is one, else `text`."""
        return self.html if self.html is not None else (self.text or "")

    @property
    def is_html(self) -> bool:
        return self.html is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A document as it was in its file: all that `clean` needs to write it back with every other field untouched."""

    document: Document
    fields: Mapping[str, Any]
    where: str


class Span(NamedTuple):
    """A stretch of the original text, in code points, end exclusive, with the ids of the templates that cover it.

    Boilerplate of several kinds that is cut in one gives spans that touch, one of each `kind` (of `kinds.KINDS`, or ""
    where none is known).  A tuple, because a cleaned article has several, and a frozen dataclass takes three times as
    long to make.
    """

    start: int
    end: int
    templates: tuple[str, ...] = ()
    kind: str = ""


class Cleaned(NamedTuple):
    """The result of cleaning: the text without its templates, and the cuts in the original, in order.

    A tuple for the same reason as `Span`.  `stub` marks a text of which more is boilerplate than
    `CleanConfig.guard` says, cleaned or left whole.
    """

    text: str
    removed: tuple[Span, ...]
    stub: bool = False

    def __repr__(self) -> str:
        size, cuts = counted(len(self.text), "character"), counted(len(self.removed), "cut")
        return f"<Cleaned: {size}, {cuts}{', stub' if self.stub else ''}, {self.text[:40]!r}>"

    def _repr_html_(self) -> str:
        """Return the text and a table of the cuts, for notebooks; `beside` shows these in their places."""
        rows = [(span.start, span.end, span.kind, ", ".join(span.templates)) for span in self.removed]
        header = ("start", "end", "kind", "templates")
        return notebook.struck(self.text, ()) + (notebook.table(header, rows) if rows else "")

    def beside(self, original: str) -> MarkedText:
        """Return the original text with its cuts, to look at.

        Raises
        ------
        ValueError
            The cuts do not lie within the text, so that it is another one.
        """
        if self.removed and self.removed[-1].end > len(original):
            raise ValueError(f"original: expected {self.removed[-1].end} characters or more, got {len(original)}")
        return MarkedText(original, self.removed)


class MarkedText(NamedTuple):
    """A text and its cuts; shown with the cuts between ``[-`` and ``-]``, in notebooks struck through."""

    text: str
    removed: tuple[Span, ...]

    def __str__(self) -> str:
        pieces, position = [], 0
        for span in self.removed:
            pieces += [self.text[position : span.start], f"[-{self.text[span.start : span.end]}-]"]
            position = span.end
        return "".join([*pieces, self.text[position:]])

    def _repr_html_(self) -> str:
        cuts = ((span.start, span.end, ", ".join(span.templates), span.kind) for span in self.removed)
        return notebook.struck(self.text, cuts) + notebook.legend(span.kind for span in self.removed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cutoff:
    """The cut through the histogram over df/n, with its reason.

    `df` is the least document frequency of a template, None where the source has no second mode.
    `energy` is the value of equation 3.1 at the cut, `histogram` holds the counts of the bins over df/n in (0, 1].
    """

    method: str
    df: int | None
    share: float | None
    energy: float | None
    histogram: tuple[int, ...]
    note: str
    second_mode: Mapping[str, float | str] = field(default_factory=dict)


SCORE_FIELDS = ("score", "reasons_for", "reasons_against")
"""Fields of a template that say why it is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """One expression of a pack.

    `tokens` are normalised tokens in their readable form (``Comments({number})``); None for an expression written by
    hand, which is then applied as the regular expression `regex` is.  `anchor` is "start", "end" or "line" if the
    string counts only where it begins a line, ends one or is one, else "".  A first or last token ``{slot}`` stands for
    the rest of the line up to the fixed tokens, whose `df` and `count` these are, ``{slot:names}`` and its like for one
    of a kind (see `slots`).  `score` says how likely it is boilerplate, `reasons_for` and `reasons_against` what speaks
    most for and against it, in words; None and nothing where no score decided.  They make no two templates different.
    `kind` is one of `kinds.KINDS`, or "" where none is known.
    """

    id: str
    regex: str
    tokens: tuple[str, ...] | None
    df: int
    count: int
    example: str
    anchor: str = ""
    kind: str = ""
    score: float | None = field(default=None, compare=False)
    reasons_for: tuple[str, ...] = field(default=(), compare=False)
    reasons_against: tuple[str, ...] = field(default=(), compare=False)

    def __repr__(self) -> str:
        text = self.regex if self.tokens is None else " ".join(self.example.split())
        told = f", score {self.score:.2f}" if self.score is not None else ""
        where = f" [{self.anchor}]" if self.anchor else ""
        return f"<Template {self.id}: {text[:80]!r}{where} in {counted(self.df, 'document')}{told}>"

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as plain values, for JSON; without the kind and the score where there are none."""
        left_out = (*(() if self.kind else ("kind",)), *(() if self.score is not None else SCORE_FIELDS))
        return {name: getattr(self, name) for name in self.__slots__ if name not in left_out}

    @property
    def slot(self) -> str:
        """Return "start" or "end" if the rest of the line on that side belongs to the match, "middle" if what is
        between two strings does, else ""."""
        tokens = self.tokens or ("",)
        if "{slot" not in "\0".join(tokens):  # as in most; the desk asks it of thousands
            return ""
        place = next((place for place, token in enumerate(tokens) if token.startswith("{slot")), -1)
        if place < 0:
            return ""
        return "end" if place == len(tokens) - 1 else "start" if place == 0 else "middle"

    @property
    def head(self) -> tuple[str, ...]:
        """Return the tokens before a slot in the middle."""
        tokens = self.tokens or ()
        return tokens[: -len(self.string or ()) - 1] if self.slot == "middle" else ()

    @property
    def string(self) -> tuple[str, ...] | None:
        """Return the tokens without a slot, of one in the middle those behind it: the string that `df` and `count`
        are of."""
        tokens = self.tokens
        if tokens is None or not self.slot:
            return tokens
        slot = next(place for place, token in enumerate(tokens) if token.startswith("{slot"))
        return tokens[:slot] if self.slot == "end" else tokens[slot + 1 :]

    @property
    def filler(self) -> str:
        """Return the kind of the filler of the slot, "" for any; see `slots`."""
        slot, tokens = self.slot, self.tokens
        if not slot or tokens is None:  # as in most; the desk asks it of thousands
            return ""
        place = -1 if slot == "end" else len(self.head)
        return tokens[place][len("{slot:") : -1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A candidate that a person should decide about, as an answer would change much.

    Attributes
    ----------
    tokens : tuple of str
        As of `Template`.
    df, count : int
    anchor : str
        Where in its line it counts, as of `Template`.
    filled : str
        Side on which the rest of the line may belong to it: "end", "start", or "" for a string that is no label.
    example : str
    score : float
        How likely it is boilerplate; of the string alone.
    stake : int
        Characters of the archive about which the answer is expected to differ from the decision.
    kind : str
        Of boilerplate, if it is that, as of `Template`.
    within : float
        Share of its occurrences that other templates of the pack cut, whatever the answer.
    """

    tokens: tuple[str, ...]
    df: int
    count: int
    anchor: str
    filled: str
    example: str
    score: float
    stake: int
    kind: str = ""
    within: float = 0.0


class RejectedCandidate(NamedTuple):
    """A string that is no template, and why; `anchor`, `kind` and `example`, as of `Template`, are of one that was a
    template until mining saw what it cuts."""

    tokens: tuple[str, ...]
    df: int
    count: int  # type: ignore[assignment]
    reason: str
    anchor: str = ""
    kind: str = ""
    example: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that say something."""
        return {name: value for name, value in self._asdict().items() if value != ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class PathVote:
    """The votes of the page model on one path of the pages of a source: words under it, and how many of them it expects
    to be main text.

    `path` are the signs of its elements from the nearest one with a class or id on: ``div.story#main>p``.  `blocks` is
    how many blocks are under it on all its pages together, 0 in packs from before they were counted.
    """

    path: str
    pages: int
    words: int
    kept: int
    blocks: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedText:
    """A block that is on `df` pages of a source under the same path; of long ones, the beginning."""

    text: str
    path: str
    df: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PageHistory:
    """The places of the main text on the pages of a source.

    `share` is that of chosen words among all: the expectation for an unknown path.
    """

    documents: int
    share: float
    paths: tuple[PathVote, ...] = ()
    texts: tuple[RepeatedText, ...] = ()
