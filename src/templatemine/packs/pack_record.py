"""The pack: what was learnt of one source, with the automaton of its templates.

A template is its `tokens`; its `regex` is what they compile to and stands beside them for readers and for use
elsewhere.  A template with ``tokens`` None is an expression written by hand; it is linted and applied as it stands.
`pack_json` has the file, `pack_checks` what makes a pack trusted.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from templatemine import notebook
from templatemine._version import __version__
from templatemine.config import TokeniseConfig
from templatemine.errors import MissingExtraError, PackError, pip_line
from templatemine.io.write import atomic_writer
from templatemine.kinds import CUT_ALL, KINDS, Choice
from templatemine.matching import _match
from templatemine.model import Cutoff, PageHistory, Question, Template
from templatemine.packs.overrides import Overrides
from templatemine.text import _scan
from templatemine.text.expressions import ANCHORS, SLOT_REACH, EncodedText, expression
from templatemine.text.patterns import PatternSet, make_pattern_set
from templatemine.text.reading import PLAIN, ReadingRules, read_text
from templatemine.text.slots import FIRST_NAMED_CODE, SLOT, kind_code, kind_words, slot_kind

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "GENERATOR",
    "KIND_NAMES",
    "MAX_PACK_BYTES",
    "Pack",
    "keep_one_of_each",
    "kind_weight",
    "mined_entry",
    "mined_mark",
    "reading",
    "split_entry",
    "template_id",
]

GENERATOR = f"templatemine {__version__}, expressions 2"
"""The program that wrote a pack; the second number is the version of its expressions."""


def template_id(tokens: Sequence[str]) -> str:
    """A name that stays the same from one mining to the next: 40 bits of a hash of the tokens.

    What kind of filler a slot takes is told by the archive, and may change as it grows; the name stays.
    """
    from hashlib import blake2b  # here, for it loads OpenSSL, which cleaning has no need of

    tokens = [SLOT if slot_kind(token) else token for token in tokens]
    return "t" + blake2b("\x00".join(tokens).encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()


def keep_one_of_each(templates: Iterable[Template]) -> list[Template]:
    """The templates with one of each id, in their order: a pack has a string, with its slot on one side or without,
    once.

    A string may be accepted as a segment and as a label, or with two kinds of fillers.  The template stays that holds
    at fewest edges of lines, of several the first.  So an id says nothing but the tokens of its own template, whatever
    else is in the pack, and no two templates of a pack share one.
    """
    by_id: dict[str, Template] = {}
    for template in templates:
        other = by_id.setdefault(template.id, template)
        if ANCHORS[template.anchor].bit_count() < ANCHORS[other.anchor].bit_count():
            by_id[template.id] = template
    return list(by_id.values())


def mined_mark(template: Template) -> str:
    """What tells a template from others that mining may give: its id, anchor and slot."""
    tokens = template.tokens or ()
    slot = next((token for token in tokens if token.startswith("{slot")), "")
    return " ".join(part for part in (template_id(tokens), template.anchor, slot) if part)


def mined_entry(template: Template) -> str:
    """The entry of a template in `Pack.mined`: its mark, and its kind."""
    return " ".join(part for part in (mined_mark(template), template.kind) if part)


def split_entry(entry: str) -> tuple[str, str]:
    """The mark and the kind of an entry of `Pack.mined`; entries of old packs have no kind."""
    mark, _, kind = entry.rpartition(" ")
    return (mark, kind) if kind in KINDS else (entry, "")


KIND_NAMES = ("", *KINDS)
"""Kinds by the code that the native core has for them."""


def kind_weight(template: Template) -> int:
    """How much a template says of the kind of what it is cut with: characters of its example, if its kind is known."""
    return min(len(template.example), 2**30) if template.kind else -1


MAX_PACK_BYTES = 256 << 20
"""Bytes of a pack file: some hundred times the largest one that was mined."""


class _FormsOfTokens(dict[str, bytes | None]):
    """Token as packs write it -> its form, None for a slot; templates share tokens."""

    def __init__(self, patterns: PatternSet) -> None:
        self._parse = patterns.from_readable

    def __missing__(self, token: str) -> bytes | None:
        form = self[token] = self._parse(token) if slot_kind(token) is None else None
        return form


@dataclass(frozen=True, kw_only=True)
class Pack:
    """Templates of one source and all that cleaning needs.

    Attributes
    ----------
    source : str
    html : bool
        Mined from, and applied to, HTML.
    documents : int
        n, documents the pack was mined from.
    first_date, last_date : str or None
        The days they cover, where the archive has dates.
    templates : tuple of Template
        By document frequency, greatest first.
    rejected : mapping
        Reason -> how many candidates were rejected for it.
    pages : PageHistory or None
        Where the main text stands on the pages of the source.
    overrides : Overrides
        What people decided; `templates` are what is left and what came in by them.
    questions : tuple of Question
        What a person should be asked, that with most at stake first.
    mined : tuple of str or None
        `mined_entry` of each template that mining gave; None in packs that do not tell.
    caution : float
        `SelectConfig.caution` of its mining, if scores decided.
    reading : ReadingRules
        How texts of the source are read; pages are read as they stand.
    """

    source: str
    html: bool
    tokenise: TokeniseConfig
    enabled: frozenset[str]
    documents: int
    method: str
    cutoff: Cutoff
    templates: tuple[Template, ...]
    first_date: str | None = None
    last_date: str | None = None
    rejected: Mapping[str, int] = field(default_factory=dict)
    pages: PageHistory | None = None
    overrides: Overrides = field(default_factory=Overrides)
    questions: tuple[Question, ...] = field(default=(), compare=False)
    generator: str = GENERATOR
    mined: tuple[str, ...] | None = field(default=None, compare=False)
    caution: float = 1.0
    reading: ReadingRules = PLAIN

    def __repr__(self) -> str:
        return f"<Pack {self.source}: {len(self.templates)} templates of {self.documents} documents, {self.mined_by}>"

    def _repr_html_(self) -> str:
        """The most frequent templates as a table, for notebooks."""
        by_frequency = sorted(self.templates, key=lambda template: -template.df)
        rows = [(f"{template.df:,}", template.anchor or "anywhere", template.example) for template in by_frequency]
        return notebook.paragraph(repr(self)) + notebook.table(("documents", "place in its line", "example"), rows)

    def templates_frame(self) -> pd.DataFrame:
        """The templates as a data frame, a row each, by the names of `Template`.

        Raises
        ------
        MissingExtraError
            pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtraError(f"data frames need pandas: {pip_line('pandas')}") from error

        names = [column.name for column in fields(Template)]
        return pd.DataFrame(
            [{name: getattr(template, name) for name in names} for template in self.templates], columns=names
        )

    @property
    def mined_by(self) -> str:
        """The method, and its caution if that is not the default: ``default, caution 2``."""
        return self.method if self.caution == 1 else f"{self.method}, caution {self.caution:g}"

    @cached_property
    def patterns(self) -> PatternSet:
        """The mutable patterns of the pack's tokens."""
        return make_pattern_set(self.enabled, self.tokenise.user_patterns)

    @cached_property
    def by_tokens(self) -> bool:
        """Whether the automaton alone finds all templates, in a text as it stands: none was written by hand, and no
        pattern of the user's own says what tokens are."""
        return not self.tokenise.user_patterns and all(template.tokens is not None for template in self.templates)

    def encode(self, text: str) -> EncodedText:
        """A text as the automaton reads it; of a pack of HTML, a page."""
        return EncodedText(text, self.patterns, self.tokenise.separators, self.rules)

    @property
    def rules(self) -> ReadingRules | None:
        """`reading`; None for pages."""
        return None if self.html else self.reading

    def forms(self, template: Template) -> list[bytes]:
        """Normalised tokens of a template as the native core spells them."""
        return [form for form in map(self._forms_of_tokens.__getitem__, template.tokens or ()) if form is not None]

    def derived(self, template: Template) -> str:
        """The expression of a template's tokens."""
        slot = template.slot
        separators, patterns = self.tokenise.separators, self.patterns
        forms, kind = self.forms(template), template.filler
        return expression(forms, patterns, separators, self.html, anchor=template.anchor, slot=slot, kind=kind)

    @cached_property
    def _forms_of_tokens(self) -> _FormsOfTokens:
        return _FormsOfTokens(self.patterns)

    def __getstate__(self) -> dict[str, Any]:
        """The fields alone: what was made of them stays behind when a pack goes to another process."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def matcher(self) -> tuple[_match.Matcher, list[int]]:
        """The automaton of all templates that have tokens, and the place in `templates` of each of its strings."""
        return self._matcher

    @cached_property
    def _matcher(self) -> tuple[_match.Matcher, list[int]]:
        return self.make_matcher()

    def make_matcher(self, sieve: int = 1, choice: Choice = CUT_ALL) -> tuple[_match.Matcher, list[int]]:
        """`matcher`, made anew; for `sieve` see there.  What a `choice` does not cut is kept whole."""
        rows = [index for index, template in enumerate(self.templates) if template.tokens is not None]
        vocabulary: dict[bytes, int] = {}
        flat, bounds, edges = array("i"), array("q", [0]), bytearray()
        kinds = bytearray()
        for index in rows:
            template = self.templates[index]
            slot = template.slot
            flat.extend([vocabulary.setdefault(form, len(vocabulary)) for form in self.forms(template)])
            kept = 0 if choice.cuts(template.kind) else _scan.KEPT
            edges.append(ANCHORS[template.anchor] | SLOT_REACH.get(slot, 0) | kept)
            kinds.append(kind_code(template.filler))
            bounds.append(len(flat))
        words = kind_words() if max(kinds, default=0) >= FIRST_NAMED_CODE else None
        arguments = self.patterns.scanner_arguments(self.tokenise.separators, self.html)
        codes = bytes(self.kind_codes[row] for row in rows) if self.has_kinds else b""
        weights = array("i", [kind_weight(self.templates[row]) for row in rows])
        strings = list(vocabulary), flat, bounds, bytes(edges)
        return _match.Matcher(*arguments, *strings, sieve, bytes(kinds), words, codes, weights), rows

    @cached_property
    def has_kinds(self) -> bool:
        """Whether the kind of any template is known."""
        return any(template.kind for template in self.templates)

    @cached_property
    def kind_codes(self) -> list[int]:
        """Of each template the place of its kind in `KIND_NAMES`."""
        return [KIND_NAMES.index(template.kind) for template in self.templates]

    # What reads and writes packs knows the record, so that it is imported when it is asked for.

    def to_json(self) -> str:
        """The pack as JSON text; the same pack gives the same text."""
        from templatemine.packs import pack_json

        return pack_json.write(self)

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the pack, and its folder if that is missing; an existing file is refused without `force`, and never
        left half written.

        Raises
        ------
        UnreadablePackError
            `load` would refuse it; nothing was written.
        """
        from templatemine.packs import pack_json

        text = pack_json.write_checked(self)
        with suppress(OSError):  # the writer says better what is wrong
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        with atomic_writer(str(path), force=force) as handle:
            handle.write(text.encode("utf-8"))

    @classmethod
    def load(cls, path: str | Path, *, history_only: bool = False) -> Pack:
        """Read a pack.

        With `history_only` one of HTML comes without its templates, which the main text of pages has no need of: to
        check them takes longer than to clean some pages.

        Raises
        ------
        PackError
            Naming the file, the field and what was found there.
        """
        try:
            with open(path, "rb") as file:
                data = file.read(MAX_PACK_BYTES + 1)
            if len(data) > MAX_PACK_BYTES:
                raise PackError(f"{path}: expected at most {MAX_PACK_BYTES:,} bytes, found more")
            text = data.decode("utf-8-sig")  # some editors write a mark before what they save
        except IsADirectoryError as error:
            raise PackError(f"{path}: expected a pack, found a folder; Cleaners.load reads one of packs") from error
        except OSError as error:
            raise PackError(f"{path}: cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise PackError(f"{path}: expected UTF-8, got an invalid byte at offset {error.start}") from error
        return cls.from_json(text, where=str(path), history_only=history_only)

    @classmethod
    def from_json(cls, text: str, where: str = "pack", *, history_only: bool = False) -> Pack:
        """The inverse of `to_json`, with every check of `load`."""
        from templatemine.packs import pack_json

        return pack_json.read(text, where, history_only=history_only)


def reading(text: str, pack: Pack | None = None) -> str:
    """The reading form of a text: what the expressions of a pack are to be applied to.

    Parameters
    ----------
    text : str
    pack : Pack, optional
        The pack of its source, which knows how its texts are read.

    Examples
    --------
    >>> reading("It\u2019s over\u2026 So long a dialogue.Log in to comment")
    "It's over... So long a dialogue.\\nLog in to comment"
    """
    rules = PLAIN if pack is None else pack.rules
    found = None if rules is None else read_text(text, rules)
    return text if found is None else found.text
