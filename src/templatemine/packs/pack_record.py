"""The contents of a pack, with the automaton of its templates, and names for templates.

`pack_json` and `pack_checks` work on this record; `pack.Pack` reads and writes files.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from templatemine import notebook
from templatemine._version import __version__
from templatemine.config import TokeniseConfig
from templatemine.errors import counted, needs_extra
from templatemine.kinds import CUT_ALL, KINDS, Choice
from templatemine.matching import _automaton
from templatemine.model import Cutoff, PageHistory, Question, Template
from templatemine.packs.overrides import Overrides, Rule
from templatemine.text import _scan
from templatemine.text.expressions import ANCHORS, SLOT_REACH, EncodedText, expression, two_sided_expression
from templatemine.text.patterns import PatternSet, ScannerArguments, make_pattern_set
from templatemine.text.reading import PLAIN, ReadingRules
from templatemine.text.slots import FIRST_NAMED_CODE, SLOT, kind_code, kind_words, slot_kind

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

GENERATOR = f"templatemine {__version__}, expressions 3"
"""The program that wrote a pack; the second number is the version of its expressions."""


def template_id(tokens: Sequence[str]) -> str:
    """Return a name that stays the same from one mining to the next: 40 bits of a hash of the tokens.

    What kind of filler a slot takes is told by the archive, and may change as it grows; the name stays.
    """
    from hashlib import blake2b  # here, for it loads OpenSSL, which cleaning has no need of

    tokens = [SLOT if slot_kind(token) else token for token in tokens]
    return "t" + blake2b("\x00".join(tokens).encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()


def bare_template(tokens: tuple[str, ...], df: int = 0, count: int = 0) -> Template:
    """Return a template that is nothing but its tokens."""
    return Template(id=template_id(tokens), regex="", tokens=tokens, df=df, count=count, example="")


def rule_id(rule: Rule) -> str:
    """Return the id of the template that a rule is about; "" for one about no template."""
    return rule.id or (template_id(rule.tokens) if rule.tokens else "")


def keep_one_of_each(templates: Iterable[Template]) -> list[Template]:
    """Return the templates with one of each id, in their order: a pack has a string, with its slot on one side or
    without, once.

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


def order_templates(templates: Iterable[Template]) -> list[Template]:
    """Return templates in the order of a pack: by documents, then by tokens, many before few; those of none by id."""
    return sorted(templates, key=lambda one: (-one.df, -len(one.tokens or ()), one.tokens or (), one.id))


def mined_mark(template: Template) -> str:
    """Mark a template apart from others that mining may give, by its id, anchor and slot."""
    tokens = template.tokens or ()
    slot = next((token for token in tokens if token.startswith("{slot")), "")
    return " ".join(part for part in (template_id(tokens), template.anchor, slot) if part)


def mined_entry(template: Template) -> str:
    """Return the entry of a template in `Pack.mined`: its mark, and its kind."""
    return " ".join(part for part in (mined_mark(template), template.kind) if part)


def split_entry(entry: str) -> tuple[str, str]:
    """Return the mark and the kind of an entry of `Pack.mined`; entries of old packs have no kind."""
    mark, _, kind = entry.rpartition(" ")
    return (mark, kind) if kind in KINDS else (entry, "")


KIND_NAMES = ("", *KINDS)
"""Kinds by the code that the native core has for them."""


def kind_weight(template: Template) -> int:
    """Weigh a template's vote on the kind of its cuts: characters of its example, or -1 if its kind is unknown."""
    return min(len(template.example), 2**30) if template.kind else -1


class _FormsOfTokens(dict[str, bytes | None]):
    """Token as packs write it -> its form, None for a slot; templates share tokens."""

    def __init__(self, patterns: PatternSet) -> None:
        self._parse = patterns.from_readable

    def __missing__(self, token: str) -> bytes | None:
        form = self[token] = self._parse(token) if slot_kind(token) is None else None
        return form


class _Strings:
    """The strings of some templates as a matcher takes them."""

    def __init__(self) -> None:
        self._vocabulary: dict[bytes, int] = {}
        self._flat, self._bounds, self._heads = array("i"), array("q", [0]), array("i")
        self._edges, self._kinds = bytearray(), bytearray()

    def add(self, forms: Iterable[bytes], edge: int, kind: int, head: int) -> None:
        """Add a string: its edges, the code of the kind of its filler, and its head, -1 for none."""
        self._flat.extend([self._vocabulary.setdefault(form, len(self._vocabulary)) for form in forms])
        self._bounds.append(len(self._flat))
        self._edges.append(edge)
        self._kinds.append(kind)
        self._heads.append(head)

    def make_matcher(
        self, scanner: ScannerArguments, sieve: int, codes: bytes, weights: array[int]
    ) -> _automaton.Matcher:
        """Make the automaton of all."""
        strings = list(self._vocabulary), self._flat, self._bounds, bytes(self._edges)
        words = kind_words() if max(self._kinds, default=0) >= FIRST_NAMED_CODE else None
        heads = self._heads if max(self._heads, default=-1) >= 0 else None
        return _automaton.Matcher(*scanner, *strings, sieve, bytes(self._kinds), words, codes, weights, heads)


_OWN_PATTERNS = "own"
"""In place of the name of a preset: those of `PackRecord.enabled`."""


@dataclass(frozen=True, kw_only=True)
class PackRecord:
    """The contents of a pack, and objects derived from them; for its fields see `pack.Pack`."""

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

    def __post_init__(self) -> None:
        """Keep, of the options of tokenising, what is not told by `enabled` and `reading`, nor by the file: so a pack
        equals itself when it is read again."""
        tokenise = replace(self.tokenise, patterns=_OWN_PATTERNS, text_markup=TokeniseConfig().text_markup)
        object.__setattr__(self, "tokenise", tokenise)

    def __repr__(self) -> str:
        templates, documents = counted(len(self.templates), "template"), counted(self.documents, "document")
        return f"<Pack {self.source}: {templates} of {documents}, {self.mined_by}>"

    def _repr_html_(self) -> str:
        """Return the most frequent templates as a table, for notebooks."""
        by_frequency = sorted(self.templates, key=lambda template: -template.df)
        rows = [(f"{template.df:,}", template.anchor or "anywhere", template.example) for template in by_frequency]
        return notebook.paragraph(repr(self)) + notebook.table(("documents", "place in its line", "example"), rows)

    def templates_frame(self) -> pd.DataFrame:
        """Return the templates as a data frame, a row each, by the names of `Template`.

        Raises
        ------
        MissingExtraError
            pandas is not installed.
        """
        with needs_extra("data frames need pandas", "pandas"):
            import pandas as pd

        names = [column.name for column in fields(Template)]
        return pd.DataFrame(
            [{name: getattr(template, name) for name in names} for template in self.templates], columns=names
        )

    @property
    def mined_by(self) -> str:
        """Return the method, and its caution if that is not the default: ``default, caution 2``."""
        return self.method if self.caution == 1 else f"{self.method}, caution {self.caution:g}"

    @cached_property
    def patterns(self) -> PatternSet:
        """Return the mutable patterns of the pack's tokens."""
        return make_pattern_set(self.enabled, self.tokenise.user_patterns)

    @cached_property
    def by_tokens(self) -> bool:
        """Return whether the automaton alone finds all templates in the original text: none was written by hand, and
        no pattern of the user's own defines tokens."""
        return not self.tokenise.user_patterns and all(template.tokens is not None for template in self.templates)

    def encode(self, text: str) -> EncodedText:
        """Return a text as the automaton reads it; of a pack of HTML, a page."""
        return EncodedText(text, self.patterns, self.tokenise.separators, self.rules)

    @property
    def rules(self) -> ReadingRules | None:
        """Return `reading`; None for pages."""
        return None if self.html else self.reading

    def forms(self, template: Template) -> list[bytes]:
        """Return the normalised tokens of a template as the native core spells them, of one with a slot in the middle
        those behind it."""
        return self._to_forms(template.string or ())

    def head_forms(self, template: Template) -> list[bytes]:
        """Return the same of the tokens before a slot in the middle."""
        return self._to_forms(template.head)

    def _to_forms(self, tokens: Sequence[str]) -> list[bytes]:
        return [form for form in map(self._forms_of_tokens.__getitem__, tokens) if form is not None]

    def derived(self, template: Template) -> str:
        """Return the expression of a template's tokens."""
        slot = template.slot
        separators, patterns = self.tokenise.separators, self.patterns
        forms, kind = self.forms(template), template.filler
        if slot == "middle":
            return two_sided_expression(self.head_forms(template), forms, patterns, separators, template.anchor, kind)
        return expression(forms, patterns, separators, self.html, anchor=template.anchor, slot=slot, kind=kind)

    @cached_property
    def _forms_of_tokens(self) -> _FormsOfTokens:
        return _FormsOfTokens(self.patterns)

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields alone: derived objects do not go to other processes."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def matcher(self) -> tuple[_automaton.Matcher, list[int]]:
        """Return the automaton of all templates that have tokens, and the place in `templates` of each of its
        strings."""
        return self._matcher

    @cached_property
    def _matcher(self) -> tuple[_automaton.Matcher, list[int]]:
        return self.make_matcher()

    def find_strings(self, encoded: EncodedText) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Find all occurrences of the templates that have tokens: starts and ends in the original, in code points, and
        places in `templates`."""
        import numpy as np

        matcher, rows = self._matcher
        *bounds, strings = matcher.find(encoded.data)
        return (*encoded.spans(*bounds), np.array(rows, np.int64)[strings])

    def make_matcher(self, sieve: int = 1, choice: Choice = CUT_ALL) -> tuple[_automaton.Matcher, list[int]]:
        """Make the `matcher` anew; for `sieve` see there.  What a `choice` does not cut is kept whole."""
        rows = [index for index, template in enumerate(self.templates) if template.tokens is not None]
        two_sided = [index for index in rows if self.templates[index].slot == "middle"]
        strings = _Strings()
        for index in rows:
            template = self.templates[index]
            edge = ANCHORS[template.anchor] | SLOT_REACH.get(template.slot, 0)
            edge |= 0 if choice.cuts(template.kind) else _scan.KEPT
            head = -1
            if template.slot == "middle":
                edge, head = edge & ~_scan.BEGINS_LINE | _scan.SPANS, len(rows) + two_sided.index(index)
            strings.add(self.forms(template), edge, kind_code(template.filler), head)
        # What a match begins with comes behind all templates, whose places are those of their strings.
        for index in two_sided:
            template = self.templates[index]
            edge = ANCHORS[template.anchor] & _scan.BEGINS_LINE | _scan.HEAD
            strings.add(self.head_forms(template), edge, kind_code(template.filler), -1)
        places = [*rows, *two_sided]
        codes = bytes(self.kind_codes[place] for place in places) if self.has_kinds else b""
        weights = array("i", [kind_weight(self.templates[place]) for place in places])
        arguments = self.patterns.scanner_arguments(self.tokenise.separators, self.html)
        return strings.make_matcher(arguments, sieve, codes, weights), rows

    @cached_property
    def has_kinds(self) -> bool:
        """Return whether the kind of any template is known."""
        return any(template.kind for template in self.templates)

    @cached_property
    def kind_codes(self) -> list[int]:
        """Return, for each template, the place of its kind in `KIND_NAMES`."""
        return [KIND_NAMES.index(template.kind) for template in self.templates]


AnyPack = TypeVar("AnyPack", bound=PackRecord)
