"""(text, pack) -> Cleaned: the cleaner of section 3.4.1, a pure function.

Every occurrence of every expression at token boundaries is found on the reading form of the original text
(`text.reading`), overlapping ones included; the union of the intervals is taken, gaps of fewer than `gap` characters
are closed, punctuation that they would orphan goes with them (`_cutting.widen`), and the rest of the original is put
together so that words are never glued and no paragraph break is lost.  Because matches are found on the original and
not on what an earlier cut left over, the order of the expressions changes nothing.

Two engines give the same intervals.  ``native`` tokenises and runs one automaton over the normalised tokens; time is
linear in the text and does not depend on the number of expressions.  ``regex`` looks for the literals of each
expression with one Aho-Corasick automaton and applies the expressions whose literals are there.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias, cast

from templatemine.bounds import check_config
from templatemine.cleaning import _records
from templatemine.cleaning.parts import (
    KindsOfRows,
    leave_parts_of_lines,
    leave_slots_to_kept,
    merge_matches,
    spare_kept,
    widen_parts,
)
from templatemine.cleaning.regex_engine import ManualExpressions, Matches, RegexEngine
from templatemine.config import CleanConfig
from templatemine.errors import ConfigError
from templatemine.kinds import CUT_ALL, choose, parse_kinds
from templatemine.matching import _cutting
from templatemine.model import Cleaned, Span, check_str, exact_str
from templatemine.packs.overrides import Overrides
from templatemine.packs.pack import Pack
from templatemine.packs.pack_record import KIND_NAMES, kind_weight
from templatemine.text.expressions import EncodedText
from templatemine.text.reading import Reading, read_text
from templatemine.text.tears import IsTorn, tears_whole

if TYPE_CHECKING:
    from templatemine.text._reading import Rules

_Parts = list[tuple[int, int, list[int], int]]
"""Start and end of each cut of a text, its strings, and the code of its kind."""


class Cleaner:
    """Cuts the templates of one pack out of any number of texts; threads may share it.

    Parameters
    ----------
    pack : Pack
    config : CleanConfig, optional
    policy : {"llm", "reader", "archive"}, optional
        Which kinds of boilerplate are cut, instead of `CleanConfig.choice`: "llm" keeps notes, "reader" also captions,
        bylines and datelines, "archive" everything (`kinds.POLICIES`).
    keep : str or iterable of str, optional
        Kinds that are also kept, such as ``"caption,byline"``.

    Examples
    --------
    >>> Cleaner(pack).clean("The story. Sign up for our newsletter").text  # doctest: +SKIP
    'The story.'
    """

    def __init__(
        self,
        pack: Pack,
        config: CleanConfig | None = None,
        *,
        policy: str | None = None,
        keep: str | Iterable[str] = (),
    ) -> None:
        if not isinstance(pack, Pack):
            raise TypeError(f"expected a Pack, got {type(pack).__name__}; {_suggest_pack(pack)}")
        self.pack = pack
        self.config = choose_kinds(CleanConfig() if config is None else config, policy, keep)
        require_plain_text(self.config)
        self._kept = frozenset(
            row for row, template in enumerate(pack.templates) if not self.config.choice.cuts(template.kind)
        )
        self._slotted = frozenset(row for row, template in enumerate(pack.templates) if template.slot)
        self._matcher, self._rows = pack.make_matcher(choice=self.config.choice) if self._kept else pack.matcher()
        self._written = ManualExpressions(pack)
        self._ids = [template.id for template in pack.templates]
        self._names = [(self._ids[row],) for row in self._rows]
        self._kinds = KindsOfRows([*map(kind_weight, pack.templates)], pack.kind_codes) if pack.has_kinds else None
        self._direct = self.config.engine == "native" and pack.by_tokens and not self.config.whole_lines

    def __reduce__(self) -> tuple[type[Cleaner], tuple[Pack, CleanConfig]]:
        if len(self.pack.templates) < len(self._ids):
            raise ConfigError("forget_templates: its templates are gone, so a copy would cut nothing; copy it before")
        return Cleaner, (self.pack, self.config)

    def forget_templates(self) -> None:
        """Drop the templates of `pack`, whose expressions and examples take more memory than the native engine.

        Afterwards the cleaner still cleans, but cannot be pickled: the copy would cut nothing.
        """
        if self.config.engine == "native":
            self.pack = replace(self.pack, templates=(), overrides=Overrides(), questions=(), mined=None)

    def clean(self, text: str) -> Cleaned:
        """Cut the templates out of a text.

        With a pack of HTML, `text` is a page, and the result is its text without templates.  `PageCleaner` gives the
        main text of a page.

        Returns
        -------
        Cleaned
            The text, and the cuts in `removed`.
        """
        if isinstance(text, list | tuple | dict):
            several = "Cleaner.clean_all cleans several texts, and Packs.clean records"
            raise TypeError(f"text: expected a str, got {type(text).__name__}; {several}")
        check_str(text, "text")
        return self.clean_all([text])[0]

    def clean_all(self, texts: Iterable[str]) -> list[Cleaned]:
        """Clean several texts in one native call, during which other threads run; see `clean`.

        A few dozen texts a call are enough; all of them and their matches are in memory at once.
        """
        if isinstance(texts, str):  # whose characters would be texts
            raise TypeError("expected texts, got one str; clean takes it")
        texts = [*texts]
        for place, text in enumerate(texts):
            if type(text) is not str:
                check_str(text, f"texts[{place}]")
                texts[place] = exact_str(text)
        if self.pack.html:
            return [self._build_page(page, removed) for page, removed in zip(texts, self._spans(texts), strict=True)]
        config, done = self.config, cast("list[Cleaned | None]", [None] * len(texts))
        if self._direct:
            keep = config.stubs == "keep"
            done = self._matcher.clean(
                texts, config.gap, config.guard, keep, self._names, Span, Cleaned, self._native_rules, KIND_NAMES
            )
        return [self._clean_by_matches(text) if one is None else one for text, one in zip(texts, done, strict=True)]

    @property
    def _native_rules(self) -> Rules | None:
        return None if self.pack.rules is None else self.pack.rules.native

    def _build_page(self, page: str, removed: list[Span]) -> Cleaned:
        left, whole = page_text(page, removed), page_text(page, []) if removed else ""
        stub = len(left) < (1 - self.config.guard) * len(whole)
        if stub and self.config.stubs == "keep":
            return Cleaned(whole, (), stub)
        return Cleaned(left, tuple(removed), stub)

    def _clean_by_matches(self, text: str) -> Cleaned:
        """Clean texts for which the automaton does not decide alone, or which it cannot read unmodified."""
        reading = None if self.pack.rules is None else read_text(text, self.pack.rules)
        read = text if reading is None else reading.text
        removed = self._spans_by_matches(read)
        stub = sum(span.end - span.start for span in removed) > self.config.guard * len(read)
        if stub and self.config.stubs == "keep":
            return Cleaned(text, (), stub)
        if reading is not None:
            removed = self._original_spans(text, reading, removed)
        return Cleaned(_cutting.cut(text, removed) if removed else text, tuple(removed), stub)

    @cached_property
    def lines(self) -> _records.TextCleaner | None:
        """Return the native cleaner of JSON lines; None for pages, and where the automaton does not decide alone."""
        return self.make_line_cleaner()

    def make_line_cleaner(self, *, mark: bool = False) -> _records.TextCleaner | None:
        """Make the cleaner that `lines` returns; with `mark`, one that reports the cuts of lines."""
        if not self._direct or self.pack.html:
            return None
        try:
            ids = [name.encode() for (name,) in self._names]
        except UnicodeEncodeError:  # a lone surrogate
            return None
        config = self.config
        keep = config.stubs == "keep"
        kinds = [kind.encode() for kind in KIND_NAMES]
        return _records.TextCleaner(
            self._matcher, ids, config.gap, config.guard, keep, self._native_rules, kinds, mark, config.stubs == "drop"
        )

    def spans(self, text: str) -> list[Span]:
        """Find the spans to cut, in code points of `text`: ascending, disjoint, with the templates of each."""
        check_str(text, "text")
        return self._spans([exact_str(text)])[0]

    def _spans(self, texts: list[str]) -> list[list[Span]]:
        found = cast("list[_Parts | None]", [None] * len(texts))
        if self._direct:
            found = self._matcher.parts(texts, self.config.gap, self._native_rules)
        return [
            self._spans_of(text) if rows is None else self._name_parts(rows)
            for text, rows in zip(texts, found, strict=True)
        ]

    def _name_parts(self, rows: _Parts) -> list[Span]:
        names = self._names
        return [
            Span(start, end, tuple([names[row][0] for row in some]), KIND_NAMES[kind])
            for start, end, some, kind in rows
        ]

    def _spans_of(self, text: str) -> list[Span]:
        reading = None if self.pack.rules is None else read_text(text, self.pack.rules)
        if reading is None:
            return self._spans_by_matches(text)
        return self._original_spans(text, reading, self._spans_by_matches(reading.text))

    def _original_spans(self, text: str, reading: Reading, removed: Sequence[Span]) -> list[Span]:
        spans = _map_spans(reading, removed)
        if self.pack.reading.markup:
            bounds = _cutting.take_empty_tags(text, spans)
            spans = [span._replace(start=start, end=end) for span, (start, end) in zip(spans, bounds, strict=True)]
        return spans

    def _spans_by_matches(self, text: str) -> list[Span]:
        """Find the cuts by the reading form of a text, where the automaton does not decide alone or cannot read the
        text itself."""
        if self._direct and (rows := self._matcher.parts([text], self.config.gap)[0]) is not None:
            return self._name_parts(rows)
        matches = self._native_matches(text) if self.config.engine == "native" else self._regex_engine.matches(text)
        matches += self._written.matches(text)
        return self._merge_matches(text, matches)

    def _native_matches(self, text: str) -> Matches:
        """Find the matches where the text is read in another form: user patterns, expressions by hand, lone
        surrogates."""
        encoded = EncodedText(text, self.pack.patterns, self.pack.tokenise.separators)
        *bounds, strings = self._matcher.find(encoded.data, union_only=True)
        starts, ends = encoded.spans(*bounds)
        rows = [self._rows[string] for string in strings.tolist()]
        return list(zip(starts.tolist(), ends.tolist(), rows, strict=True))

    @cached_property
    def _regex_engine(self) -> RegexEngine:
        return RegexEngine(self.pack)

    def _merge_matches(self, text: str, matches: Matches) -> list[Span]:
        kept, cut = self._kept, matches
        if kept:
            cut = leave_slots_to_kept(matches, kept, self._slotted)
        if not cut:
            return []
        gap = self.config.gap
        parts = merge_matches(cut, gap) if self._kinds is None else self._kinds.merge_matches(cut, gap)
        if not self.pack.html:
            parts = widen_parts(text, parts)
        if kept:
            parts = spare_kept(text, parts, [(start, end) for start, end, row in matches if row in kept])
        if self.config.whole_lines and not self.pack.html:
            parts = leave_parts_of_lines(text, parts)
        return [
            Span(start, end, tuple(self._ids[row] for row in rows), KIND_NAMES[kind])
            for start, end, rows, kind in parts
        ]


def _map_spans(reading: Reading, removed: Sequence[Span]) -> list[Span]:
    """Map spans of a reading form to its original.  Two that touch an invisible character do not share it, and two
    that touch still do."""
    spans: list[Span] = []
    last, read_end = 0, -1
    for span in removed:
        start, end = reading.original_span(span.start, span.end)
        start = last if span.start == read_end else max(start, last)
        last, read_end = max(end, start), span.end
        spans.append(Span(start, last, span.templates, span.kind))
    return spans


def _suggest_pack(given: object) -> str:
    """Say where to get a pack, of what was given for one."""
    if isinstance(given, Mapping):
        source = next((source for source, pack in given.items() if isinstance(pack, Pack)), None)
        if source is not None:
            return f"take packs[{source!r}]"
    return "Pack.load reads one from a file"


def clean(
    text: str,
    pack: Pack,
    config: CleanConfig | None = None,
    *,
    policy: str | None = None,
    keep: str | Iterable[str] = (),
) -> Cleaned:
    """Cut the templates of a pack out of one text; for many texts, make a `Cleaner` once.

    Parameters
    ----------
    text : str
    pack : Pack
        That of the text's source.
    config, policy, keep
        As for `Cleaner`.

    Returns
    -------
    Cleaned
        The text, and the cuts in `removed`.

    Examples
    --------
    >>> cleaned = clean("The story. Sign up for our newsletter", pack)  # doctest: +SKIP
    >>> print(cleaned.text, cleaned.removed)  # doctest: +SKIP
    """
    return Cleaner(pack, config, policy=policy, keep=keep).clean(text)


def cut(text: str, removed: Sequence[Span]) -> str:
    """Return the text without the spans.

    Of the white space left and right of a cut, and of blank lines within it, the strongest stays: that with most line
    breaks, then the longest, then the first; so two paragraphs never become one.  White space
    at the edge of the text goes with a cut that touches it.  Where a cut leaves none, as between hyphens, a blank is
    put unless one side is a script without spaces.
    """
    return _cutting.cut(text, list(removed))


def count_lost(text: str, removed: Sequence[Span]) -> int:
    """Count the characters that a text loses with the spans: by how many it is shorter without them (`cut`), the white
    space that goes beside them included."""
    return len(text) - len(cut(text, removed)) if removed else 0


_BLOCK_TAGS = b"""
address article aside blockquote body br caption center dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4
h5 h6 head header hr html li main nav ol option p pre section select table tbody td tfoot th thead title tr ul
""".split()
_STRIPPER = _cutting.Stripper(_BLOCK_TAGS)


FindSpans: TypeAlias = Callable[[str], list[Span]]
"""Text -> its boilerplate."""


def tears_with_kept(is_torn: IsTorn, find_all: FindSpans, config: CleanConfig) -> IsTorn:
    """Return what tells whether a cut tears a sentence, judged with the boilerplate beside it that stays by choice."""
    return is_torn if config.choice == CUT_ALL else tears_whole(is_torn, find_all)


def find_all_kinds(cleaner: Cleaner) -> FindSpans:
    """Return what finds the boilerplate of all kinds in a text, what a cleaner leaves by choice, too."""
    if not cleaner._kept:
        return cleaner.spans
    whole = Cleaner(cleaner.pack, replace(cleaner.config, choice=CUT_ALL))
    whole.forget_templates()
    return whole.spans


def choose_kinds(config: CleanConfig, policy: str | None, keep: str | Iterable[str]) -> CleanConfig:
    """Return the options with the kinds of boilerplate that a policy cuts, and some more kept.

    Raises
    ------
    ConfigError
        There is no such policy or kind, or these are other options.
    """
    check_config(config, CleanConfig)
    if policy is not None:
        config = replace(config, choice=choose(policy))
    kinds = parse_kinds(keep, "keep") if isinstance(keep, str) else (*keep,)
    return replace(config, choice=config.choice.keeping(kinds)) if kinds else config


def require_plain_text(config: CleanConfig) -> None:
    """Refuse formats in which only `PageCleaner` writes."""
    if (form := config.text_format) != "text":
        raise ConfigError(f"text_format: expected text where templates are cut out, got {form}; see PageCleaner")


def page_text(page: str, removed: Sequence[Span]) -> str:
    """Return the text of a page without the spans: mark-up stripped, entities resolved, a line a block."""
    lines = (" ".join(line.split()) for line in _strip_page(page, removed).splitlines())
    return "\n".join(line for line in lines if line)


def count_page_text(page: str, spans: Sequence[Span]) -> dict[str, int]:
    """Count the characters of `page_text` of the spans of a page, by their kind."""
    counts: dict[str, int] = {}
    for span, size in zip(spans, _STRIPPER.count(page.encode("utf-8", "surrogatepass"), _bounds(spans)), strict=True):
        if isinstance(size, bytes):
            words = _resolve(size).split()
            # Between two words of that text is one blank, or one line break.
            size = sum(map(len, words)) + max(0, len(words) - 1)
        counts[span.kind] = counts.get(span.kind, 0) + size
    return counts


def _strip_page(page: str, removed: Sequence[Span]) -> str:
    return _resolve(_STRIPPER.strip(page.encode("utf-8", "surrogatepass"), _bounds(removed)))


def _bounds(spans: Sequence[Span]) -> array[int]:
    return array("q", [edge for span in spans for edge in (span.start, span.end)])


def _resolve(data: bytes) -> str:
    """Return a text with its entities resolved."""
    text = data.decode("utf-8", "surrogatepass")
    if "&" not in text:
        return text
    import html

    return html.unescape(text)
