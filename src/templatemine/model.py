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

    Give a `text` or an `html` page; a document with both is treated as HTML.  Instances of subclasses of str become
    plain strings.

    Attributes
    ----------
    source : str
        Whose templates it has, such as "example.org".
    id : str
        Different for each document of the source.
    text, html : str or None
    url, date, title : str or None
        Not needed.  Dates order the documents, and tell when templates occurred.

    Examples
    --------
    >>> Document(source="example.org", id="17", text="The story.")
    <Document 'example.org' '17': 10 characters, 'The story.'>
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
        """Return whether the body is a page."""
        return self.html is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A document with all fields of its record, as the command clean reads and writes them.

    Attributes
    ----------
    document : Document
    fields : mapping
        All fields of the record, by name.
    where : str
        Its file and line, for messages.
    """

    document: Document
    fields: Mapping[str, Any]
    where: str


class Span(NamedTuple):
    """One cut: ``original[start:end]`` is what was removed.

    Adjacent boilerplate of several kinds gives spans that touch, one per kind.

    Attributes
    ----------
    start, end : int
        Offsets in the original text, in code points, end exclusive.
    templates : tuple of str
        Ids of the templates that cover it.
    kind : str
        One of `kinds.KINDS`, or "" if unknown.
    """

    # A tuple, because a cleaned article has several, and a frozen dataclass takes three times as long to make.

    start: int
    end: int
    templates: tuple[str, ...] = ()
    kind: str = ""


class Cleaned(NamedTuple):
    """The result of cleaning one text.

    Attributes
    ----------
    text : str
        The text without its templates.
    removed : tuple of Span
        The cuts in the original text, in order.
    stub : bool
        A greater share of the text is boilerplate than `CleanConfig.guard` allows.
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
        """Return the original text with its cuts marked, to look at.

        Raises
        ------
        ValueError
            `original` is shorter than the text that was cleaned.

        Examples
        --------
        >>> cleaned = Cleaned("The story.", (Span(10, 23),))
        >>> print(cleaned.beside("The story. Sign up now!"))
        The story.[- Sign up now!-]
        """
        if self.removed and self.removed[-1].end > len(original):
            raise ValueError(f"original: expected {self.removed[-1].end} characters or more, got {len(original)}")
        return MarkedText(original, self.removed)


class MarkedText(NamedTuple):
    """A text with its cuts: printed between ``[-`` and ``-]``, in notebooks struck through; see `Cleaned.beside`."""

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
    """The cut-off of document frequency of a source, with its reason.

    Attributes
    ----------
    method : str
    df : int or None
        Least document frequency of a template; None if scores decided, or the histogram has no second mode.
    share : float or None
        The same as a share of the documents.
    energy : float or None
        Value of equation 3.1 of the thesis at the cut-off.
    histogram : tuple of int
        Number of strings in each bin of df/n over (0, 1].
    note : str
        The reason, in words.
    second_mode : mapping
        Figures of the test for a second mode.
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
    """One template of a pack.

    Attributes
    ----------
    id : str
        Digest of the tokens.
    regex : str
        The expression, for `re` and RE2; group 1 is what is removed.  It matches the reading form of a text, see
        `templatemine.reading`.
    tokens : tuple of str or None
        Normalised tokens in readable form, such as ``Comments({number})``.  A token ``{slot}`` matches any text, as a
        first or last one the rest of the line; ``{slot:names}`` and the like match a text of one type (see `slots`).
        None for an expression written by hand.
    df, count : int
        Documents with the template, and occurrences; of a template with a slot, those of its fixed tokens.
    example : str
        A match in the archive.
    anchor : str
        "start", "end" or "line" if it matches only at the start of a line, at its end, or as a whole line; else "".
    kind : str
        One of `kinds.KINDS`, or "" if unknown.
    score : float or None
        How likely it is boilerplate; None if no score decided.
    reasons_for, reasons_against : tuple of str
        What raised and lowered the score most.  Score and reasons do not count when templates are compared.
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
        """Return the fields as plain values, for JSON; kind and score are left out if unknown."""
        left_out = (*(() if self.kind else ("kind",)), *(() if self.score is not None else SCORE_FIELDS))
        return {name: getattr(self, name) for name in self.__slots__ if name not in left_out}

    @property
    def slot(self) -> str:
        """Return where the slot is: "start" or "end" (the rest of the line on that side), "middle" (between two
        strings), or "" if there is none."""
        tokens = self.tokens or ("",)
        if "{slot" not in "\0".join(tokens):  # as in most; the desk asks it of thousands
            return ""
        place = next((place for place, token in enumerate(tokens) if token.startswith("{slot")), -1)
        if place < 0:
            return ""
        return "end" if place == len(tokens) - 1 else "start" if place == 0 else "middle"

    @property
    def head(self) -> tuple[str, ...]:
        """Return the tokens before a slot in the middle, else ()."""
        tokens = self.tokens or ()
        return tokens[: -len(self.string or ()) - 1] if self.slot == "middle" else ()

    @property
    def string(self) -> tuple[str, ...] | None:
        """Return the fixed tokens, which `df` and `count` refer to: those without the slot, or after one in the
        middle."""
        tokens = self.tokens
        if tokens is None or not self.slot:
            return tokens
        slot = next(place for place, token in enumerate(tokens) if token.startswith("{slot"))
        return tokens[:slot] if self.slot == "end" else tokens[slot + 1 :]

    @property
    def filler(self) -> str:
        """Return the type of the slot, "" for any text; see `slots`."""
        slot, tokens = self.slot, self.tokens
        if not slot or tokens is None:  # as in most; the desk asks it of thousands
            return ""
        place = -1 if slot == "end" else len(self.head)
        return tokens[place][len("{slot:") : -1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """An uncertain string that a person should decide about; `templatemine ask` and the desk put it.

    Attributes
    ----------
    tokens, df, count, anchor, example
        As in `Template`.
    filled : str
        For a label, the side on which the rest of the line may belong to it: "end" or "start"; else "".
    score : float
        How likely the string alone is boilerplate.
    stake : int
        Characters of the archive that the answer is expected to change.
    kind : str
        Its kind, if it is boilerplate, as in `Template`.
    within : float
        Share of its occurrences that other templates of the pack cut in any case.
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
    """A candidate that did not become a template, and the reason.

    `anchor`, `kind` and `example`, as in `Template`, are known only if it was a template until mining saw its cuts."""

    tokens: tuple[str, ...]
    df: int
    count: int  # type: ignore[assignment]
    reason: str
    anchor: str = ""
    kind: str = ""
    example: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that are not empty."""
        return {name: value for name, value in self._asdict().items() if value != ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class PathVote:
    """What the page model found under one path on the pages of a source.

    Attributes
    ----------
    path : str
        Its elements from the nearest one with a class or id on: ``div.story#main>p``.
    pages : int
        Pages with the path.
    words, kept : int
        Words under it, and how many of them are expected to be main text.
    blocks : int
        Blocks under it on all pages; 0 in old packs.
    """

    path: str
    pages: int
    words: int
    kept: int
    blocks: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedText:
    """A text that is on `df` pages of a source under the same path; of a long text, the beginning."""

    text: str
    path: str
    df: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PageHistory:
    """Where the main text is on the pages of a source, as learnt from them.

    Attributes
    ----------
    documents : int
        Number of pages.
    share : float
        Share of words that are main text: the expectation for an unknown path.
    paths : tuple of PathVote
    texts : tuple of RepeatedText
    """

    documents: int
    share: float
    paths: tuple[PathVote, ...] = ()
    texts: tuple[RepeatedText, ...] = ()
