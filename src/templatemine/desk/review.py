"""Pack, rules and sample articles -> the data of the review: the effect of a decision, before it is made.

The occurrences of all candidates of a source in the sample are found once, by one automaton.  A new cut-off is then a
selection of these rows, which takes a few milliseconds.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import regex
from numpy.typing import NDArray

from templatemine.archive.apply_overrides import (
    FREQUENCY_REASONS,
    MAX_ADDED,
    STRING_ACTIONS,
    RuleIndex,
    apply_rules,
    handwritten_template,
    mined_templates,
)
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig
from templatemine.desk.library import Article
from templatemine.errors import CapacityError, ConfigError, PackError
from templatemine.kinds import CUT_ALL
from templatemine.matching import _cutting
from templatemine.model import RejectedCandidate, Span, Template
from templatemine.packs.overrides import Rule
from templatemine.packs.pack import Pack
from templatemine.packs.pack_checks import check_slot, compile_handwritten, is_example
from templatemine.packs.pack_record import bare_template, rule_id, template_id
from templatemine.packs.readable import describe_position, fold_case, outermost_templates, template_text
from templatemine.report.harm import RESIDUE_KINDS
from templatemine.report.marks import elide, escape_text, split_pieces
from templatemine.text.characters import LINE_BREAKS, ends_sentence, words_beside
from templatemine.text.expressions import ANCHORS
from templatemine.text.tears import JudgedCut, SentenceEnds

SNIPPET_CONTEXT, HARM_CONTEXT = 60, 120
"""Characters shown on each side of a match, and of a cut that leaves something behind."""

MAX_SNIPPETS, MAX_CHANGES = 20, 200
"""Matches of a template that are shown, and templates that a cut-off brings or takes."""

PIECE_CONTEXT = 200
"""Characters shown on each side of what is cut of an article."""

_GAP = CleanConfig().gap

TIMEOUT = 2.0
"""Time limit in seconds of an expression on the sample; a slower one is refused."""


# ------------------------------------------------------------------------------------------------------- the cut-off


@dataclass(frozen=True, slots=True)
class _CutoffCandidate:
    """A template or candidate that a cut-off may add or remove."""

    template: Template
    mined: bool


class CutoffPreview:
    """A source that is prepared for changes of its cut-off.

    Parameters
    ----------
    articles : sequence of Article
        The sample.
    """

    def __init__(self, pack: Pack, rejected: Sequence[RejectedCandidate], articles: Sequence[Article]) -> None:
        self._pack = pack
        base = [template for template in mined_templates(pack) if template.tokens is not None]
        there = {template.id for template in base}
        rows = [_CutoffCandidate(template, True) for template in base]
        frequent = (one for one in rejected if one.reason in FREQUENCY_REASONS)  # which a moved cut-off may bring
        for one in frequent:
            template = bare_template(one.tokens, one.df, one.count)
            if template.id not in there:
                rows.append(_CutoffCandidate(template, False))
            if len(rows) >= MAX_ADDED:
                break
        self._rows = rows
        self._texts = [one.document.body for one in articles]
        self._sizes = np.array([len(text) for text in self._texts], np.int64)
        self._occurrences = self._find_occurrences()
        self._written = sum(template.tokens is None for template in mined_templates(pack))

    def _find_occurrences(self) -> list[tuple[str, NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
        """Find where the strings occur in each text, as it is read."""
        strings = replace(self._pack, templates=tuple(row.template for row in self._rows))
        encoded_texts = map(self._pack.encode, self._texts)
        return [(encoded.text, *strings.find_strings(encoded)) for encoded in encoded_texts]

    def measure(self, rules: Sequence[Rule]) -> dict[str, Any]:
        """Return the effect of some rules on the sample: articles changed, characters removed."""
        keep = self._select(rules)
        touched = cut = 0
        for text, starts, ends, strings in self._occurrences:
            chosen = keep[strings] if len(strings) else np.empty(0, np.bool_)
            if chosen.any():
                left, right, _ = _cutting.merge(
                    np.ascontiguousarray(starts[chosen]), np.ascontiguousarray(ends[chosen]), _GAP
                )
                touched += 1
                cut += len(text) - len(_cutting.cut(text, list(zip(left.tolist(), right.tolist(), strict=True))))
        return {
            "templates": int(keep.sum()) + self._written + len({one.regex for one in rules if one.action == "add"}),
            "articles": len(self._texts),
            "touched": touched,
            "characters": int(self._sizes.sum()),
            "cut": cut,
        }

    def _select(self, rules: Sequence[Rule]) -> NDArray[np.bool_]:
        asked = rule_filter(rules)
        return np.array([asked(row.template, row.mined) for row in self._rows], np.bool_)

    def compare_rules(self, before: Sequence[Rule], after: Sequence[Rule]) -> dict[str, Any]:
        """Return the templates added and removed between two lists of rules, and the sample under both."""
        old, new = self._select(before), self._select(after)
        come, go = np.flatnonzero(new & ~old).tolist(), np.flatnonzero(old & ~new).tolist()
        return {
            "before": self.measure(before),
            "after": self.measure(after),
            "come": [_template_row(self._rows[row].template) for row in come[:MAX_CHANGES]],
            "go": [_template_row(self._rows[row].template) for row in go[:MAX_CHANGES]],
            "comes": len(come),
            "goes": len(go),
        }


def rule_filter(rules: Sequence[Rule]) -> Callable[[Template, bool], bool]:
    """Return a function that says whether a candidate is a template under some rules: `apply_rules`, a string at a
    time."""
    asked = RuleIndex(rules)

    def kept(template: Template, mined: bool) -> bool:
        if mined:
            return asked.keeps(template)
        rule = asked.by_id.get(template.id)
        if rule is not None:
            return rule.action != "reject"
        return asked.adds(template.tokens or (), template.df, min(FREQUENCY_REASONS))

    return kept


def _template_row(template: Template) -> dict[str, Any]:
    return {"id": template.id, "text": template_text(template), "df": template.df, "count": template.count}


# ------------------------------------------------------------------------------------------------------- a template


class HarmfulCut(NamedTuple):
    """A cut that leaves something behind: its article, the cut and all of the article, and the kind of the residue."""

    article: Article
    cut: JudgedCut[str]
    cuts: Sequence[JudgedCut[str]]
    kind: str


def find_sightings(
    pack: Pack, template: Template, articles: Sequence[Article], harm: Sequence[HarmfulCut] = ()
) -> dict[str, Any]:
    """Return the occurrences of a template in the sample: articles, matches, and some matches with context; first a cut
    of each article in which the template leaves something behind, in their order."""
    if template.tokens is not None:
        template = replace(template, regex=pack.derived(template))
    alone = Cleaner(replace(pack, templates=(template,)), CleanConfig(gap=0, choice=CUT_ALL))
    worst: dict[str, HarmfulCut] = {}
    for harmful in harm:
        worst.setdefault(harmful.article.name, harmful)
    rows: list[dict[str, Any]] = [_make_harm_snippet(one) for one in list(worst.values())[:MAX_SNIPPETS]]
    matches = touched = 0
    for one in articles:
        text = one.document.body
        spans = alone.spans(text)
        matches += len(spans)
        touched += bool(spans)
        some = [] if one.name in worst else spans[: max(0, min(2, MAX_SNIPPETS - len(rows)))]
        rows += [_make_snippet(one, text, span.start, span.end) for span in some]
    return {
        "articles": len(articles),
        "touched": touched,
        "matches": matches,
        "snippets": rows,
        "edit": editable_regex(template),
        "words": editable_words(pack, template),
    }


def editable_regex(template: Template) -> str:
    """Return the start of an edit: the expression of a template, with the boundaries around what it removes, so that
    it finds no more than the template does; the words of the example, if the lint refuses it."""
    if template.tokens is None:
        return template.regex
    try:
        compile_handwritten(template.regex, "expression")
    except PackError:
        return r"\s".join(map(re.escape, regex.split(r"\s", template.example)))
    return template.regex


def _make_snippet(one: Article, text: str, start: int, end: int) -> dict[str, str]:
    before, after = words_beside(text, start, end, SNIPPET_CONTEXT)
    return {
        "id": one.name,
        "before": f"… {before}" if start > SNIPPET_CONTEXT else before,
        "match": text[start:end],
        "after": f"{after} …" if end + SNIPPET_CONTEXT < len(text) else after,
    }


def _make_harm_snippet(harm: HarmfulCut) -> dict[str, Any]:
    """Return a cut that leaves something behind, what it leaves, and what is beside it: texts, and whether they go."""
    text, (start, end, *_) = harm.article.document.body, harm.cut
    before, after = words_beside(text, start, end, HARM_CONTEXT)
    first, last = start - len(before), end + len(after)
    return {
        "id": harm.article.name,
        "harm": RESIDUE_KINDS[harm.kind],
        "before": [("… " if first else "", False), *_split_at_cuts(text, first, start, harm.cuts)],
        "match": text[start:end],
        "after": [*_split_at_cuts(text, end, last, harm.cuts), (" …" if last < len(text) else "", False)],
    }


def _split_at_cuts(text: str, start: int, end: int, cuts: Sequence[JudgedCut[str]]) -> Iterator[tuple[str, bool]]:
    """Yield the pieces of a stretch of a text, and whether they go."""
    for one in cuts:
        if start < one.end and one.start < end:
            first, last = max(start, one.start), min(end, one.end)
            yield text[start:first], False
            yield text[first:last], True
            start = last
    yield text[start:end], False


# ------------------------------------------------------------------------------------------------ an own expression


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The effect of an expression on the sample, or why it is refused.

    Attributes
    ----------
    refused : str
        The reason of the pack's lint; "" if there is none.
    articles, touched, matches : int
        Articles of the sample; articles with a match; matches.
    new, stays : int
        Characters that it removes and the pack keeps, and that the pack removes and an edit keeps.
    harm : int
        Those of them in lines of prose: long lines that end a sentence.
    torn : int
        Matches that alone would tear a sentence or a headline (`SentenceEnds.leaves_part`).
    milliseconds : float
        For the whole sample.
    anchor, position : str
        Of words: where in its line they must be, also as people read it.
    """

    refused: str = ""
    articles: int = 0
    touched: int = 0
    matches: int = 0
    characters: int = 0
    new: int = 0
    stays: int = 0
    harm: int = 0
    torn: int = 0
    milliseconds: float = 0.0
    example: str = ""
    tokens: tuple[str, ...] = ()
    anchor: str = ""
    position: str = ""
    snippets: tuple[dict[str, str], ...] = ()


_LINE = regex.compile(f"[^{LINE_BREAKS}]+")


def find_prose(text: str, least: int = 80) -> list[tuple[int, int]]:
    """Find lines of prose: of at least so many characters (a third of it, where there are no spaces), ending a
    sentence."""
    found = []
    for match in _LINE.finditer(text):
        line = match.group()
        size = len(line) * (1 if line.count(" ") * 12 > len(line) else 3)
        if size >= least and ends_sentence(line):
            found.append(match.span())
    return found


def try_expression(pack: Pack, source: str, articles: Sequence[Article]) -> Trial:
    """Try an expression on the sample; the first match becomes its example.

    It takes linear time from each place of a text; one that is slow for the many places where it matches is stopped and
    refused.
    """
    try:
        # All checks but that of the example, which it need not have yet.
        written_as = compile_handwritten(source, "expression", of_text=not pack.html)
    except PackError as error:
        return Trial(refused=str(error).removeprefix("expression: ").removeprefix("regex: "))

    def find(text: str) -> tuple[list[tuple[int, int]], str]:
        encoded = pack.encode(text)
        spans = list(written_as.spans(encoded.text, overlapped=True, limit=TIMEOUT))
        found = written_as.find(encoded.text) if spans else None
        example = "" if found is None else encoded.text[slice(*found)]
        return [encoded.original_span(*span) for span in spans], example

    return _try(pack, find, articles)


def editable_words(pack: Pack, template: Template) -> str:
    """Return the start of an edit by words: the tokens of a template; "" where blanks between words do not say them."""
    words = "" if template.tokens is None or pack.html else template_text(template)
    return words if template.tokens == split_words(pack, words) else ""


def split_words(pack: Pack, words: str) -> tuple[str, ...]:
    """Return the tokens that words stand for; names in braces are patterns or a slot."""
    parts = re.split(rf"(?:\s|[{re.escape(pack.tokenise.separators)}](?![^{{}}\s]*}}))+", words)
    return tuple(one for one in parts if one)


def try_words(pack: Pack, words: str, anchor: str, articles: Sequence[Article]) -> Trial:
    """Try the words of a template, with patterns and slots, on the sample; the first match becomes its example.

    Words that a slot begins or ends begin or end a line, whatever the anchor says.
    """
    tokens = split_words(pack, words)
    if not tokens:
        return Trial(refused="expected words")
    template = Template(id=template_id(tokens), regex="", tokens=tokens, df=0, count=0, example="", anchor=anchor)
    reach = ANCHORS.get(anchor, 0) | ANCHORS.get(template.slot, 0)
    template = replace(template, anchor=next(name for name, edges in ANCHORS.items() if edges == reach))
    try:
        check_slot(pack, template, "words")
        alone = replace(pack, templates=(replace(template, regex=pack.derived(template)),))
    except (ValueError, PackError) as error:
        return Trial(refused=str(error).removeprefix("words: ").removeprefix("tokens: "))
    cleaner, matcher = Cleaner(alone, CleanConfig(gap=0, choice=CUT_ALL)), alone.matcher()[0]

    def find(text: str) -> tuple[list[tuple[int, int]], str]:
        spans = [(one.start, one.end) for one in cleaner.spans(text)]
        # A cut takes a sign beside its template, too.
        cuts = (text[slice(*span)] for span in spans)
        examples = (one for cut in cuts for one in (cut, cut.rpartition(" ")[0], cut.partition(" ")[2]))
        return spans, next((one for one in examples if is_example(alone, matcher, 0, one)), "")

    trial, position = _try(pack, find, articles), describe_position(template, pack)
    return replace(trial, tokens=tokens, anchor=template.anchor, position=position)


def _try(pack: Pack, find: Callable[[str], tuple[list[tuple[int, int]], str]], articles: Sequence[Article]) -> Trial:
    """Measure what is found in the sample, where and with which example."""
    cleaner, ends = Cleaner(pack, CleanConfig(choice=CUT_ALL)), SentenceEnds(one.document.body for one in articles)
    began = time.perf_counter()
    counts: dict[str, Any] = dict.fromkeys(("touched", "matches", "characters", "new", "harm", "torn"), 0)
    rows: list[dict[str, str]] = []
    example = ""
    spent = 0.0
    for one in articles:
        text = one.document.body
        start = time.perf_counter()
        try:
            spans, found = find(text)
        except CapacityError:
            return Trial(refused=f"takes more than {TIMEOUT:g} s on article {one.name}; make it more specific")
        spent += time.perf_counter() - start
        if time.perf_counter() - began > 5 * TIMEOUT:
            return Trial(refused="takes too long on the sample; make it more specific")
        if not spans:
            continue
        example = example or found
        counts["touched"] += 1
        counts["matches"] += len(spans)
        counts["torn"] += 0 if pack.html else sum(ends.leaves_part(text, start, end) for start, end in spans)
        mask = _mask(text, spans)
        fresh = mask & ~_mask(text, [(span.start, span.end) for span in cleaner.spans(text)])
        counts["characters"] += int(mask.sum())
        counts["new"] += int(fresh.sum())
        counts["harm"] += int((fresh & _mask(text, find_prose(text))).sum())
        rows += [_make_snippet(one, text, *span) for span in spans[: max(0, min(2, MAX_SNIPPETS - len(rows)))]]
    return Trial(
        articles=len(articles),
        **counts,
        milliseconds=round(spent * 1000, 1),
        example=example,
        snippets=tuple(rows),
    )


def _mask(text: str, spans: Sequence[tuple[int, int]]) -> NDArray[np.bool_]:
    mask = np.zeros(len(text), np.bool_)
    for start, end in spans:
        mask[start:end] = True
    return mask


# ---------------------------------------------------------------------------------------------------------- articles


def render_pieces(
    text: str, spans: Sequence[Span], pack: Pack, torn: Sequence[JudgedCut[str]] = ()
) -> list[dict[str, Any]]:
    """Return a text as pieces for the browser: escaped HTML, the templates that remove the piece, the one that says
    most first (`packs.readable.outermost_templates`), and that where it begins or ends within a sentence."""
    known = {one.id: one for one in pack.templates}
    edges = {(edge, getattr(cut, edge)): names[0] for cut in torn for edge, names in cut.torn.items()}
    rows = []
    for piece in elide(split_pieces(text, spans), PIECE_CONTEXT):
        first = [one.id for one in outermost_templates([known[name] for name in piece.templates if name in known])]
        names = [*first, *(name for name in piece.templates if name not in first)]
        places = {"start": piece.start, "end": piece.start + len(piece.text)} if names else {}
        within = {edge: edges[edge, place] for edge, place in places.items() if (edge, place) in edges}
        shown = {"hidden": piece.hidden, "kind": piece.kind, "torn": within}
        rows.append({"html": escape_text(piece.text), "templates": names, **shown})
    return rows


# ---------------------------------------------------------------------------------------------------------- decisions


def amend_rules(
    pack: Pack, rejected: Sequence[RejectedCandidate], rules: Sequence[Rule], new: Sequence[Rule]
) -> tuple[Rule, ...]:
    """Return the rules with those of one decision, which replace rules that they contradict.

    What only reverts an earlier decision leaves no rule, nor does leaving in what the same decision writes anew.
    """
    written = {rule_id(rule) for rule in new if rule.action == "edit"}
    told = (rule for rule in new if rule.action != "reject" or rule_id(rule) not in written)
    for action, group in groupby(told, key=lambda rule: rule.action):
        if action in (*STRING_ACTIONS, "kind"):
            rules = _amend_about_strings(pack, rejected, rules, {rule_id(rule): rule for rule in group})
        else:
            for rule in group:
                rules = _amend(rules, rule)
    return tuple(rules)


def _amend_about_strings(
    pack: Pack, rejected: Sequence[RejectedCandidate], rules: Sequence[Rule], new: Mapping[str, Rule]
) -> tuple[Rule, ...]:
    (of_kind,) = {rule.action == "kind" for rule in new.values()}
    rest = tuple(one for one in rules if (one.action == "kind") != of_kind or rule_id(one) not in new)
    if not of_kind and len(rest) == len(rules):
        return (*rest, *new.values())
    before = {one.id: one.kind for one in apply_rules(pack, rejected, rest).templates}
    if of_kind:
        return (*rest, *(rule for name, rule in new.items() if before.get(name) != rule.kind))
    earlier = {rule_id(one) for one in rules} - {rule_id(one) for one in rest}
    return (
        *rest,
        *(
            rule
            for name, rule in new.items()
            if name not in earlier or rule.action == "edit" or (name in before) != (rule.action == "accept")
        ),
    )


def _amend(rules: Sequence[Rule], rule: Rule) -> tuple[Rule, ...]:
    if rule.action == "cutoff":
        return (*(one for one in rules if one.action != "cutoff"), rule)
    if rule.action == "add":
        handwritten_template(rule)
        return (*(one for one in rules if one.regex != rule.regex), rule)
    if not rule.text.strip():
        raise ConfigError(f"{rule.action}: expected words")
    same = fold_case(rule.text)
    return (*(one for one in rules if one.action not in ("always", "never") or fold_case(one.text) != same), rule)
