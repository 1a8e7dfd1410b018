"""Templates and documents -> templates that take the headlines behind them: "Read more", and the list that it opens.

A list of related stories is new in every article, so its lines are no templates, but for those that several articles
list.  What is behind the line that opens it, however, is headlines alone up to the end of the article, and some of them
are known.  Each template that is the end of a line is looked at in some articles; where that holds, its slot takes such
lines (`slots.HEADLINES`).  The one that brings most goes first, and what is in its lists counts as cut from then on.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from templatemine.mining.kept_texts import encode_body, find_matches
from templatemine.mining.sampling import choose_by_text
from templatemine.model import Document, Template
from templatemine.packs.pack import Pack
from templatemine.packs.pack_record import keep_one_of_each, order_templates, template_id
from templatemine.text._scan import MAX_CLOSERS, MAX_HEADLINE
from templatemine.text.characters import LINE_BREAK
from templatemine.text.slots import HEADLINES, find_headlines, slot_token

MAX_DOCUMENTS = 500
"""Documents that are looked at."""
MIN_PLACES = 8
"""Places of a line that opens lists."""
MIN_CLOSED = 0.95
"""Of these, how many have nothing but headlines, and what goes anyway, up to the end of the article."""
MIN_ADDED, MIN_ADDED_SHARE = 3, 0.08
"""Places, and share of them, with lines that no other template cuts."""
MIN_KNOWN = 0.1
"""Of the lines of its lists, how many other templates cut, or several articles list."""
MAX_LISTED = 0.1
"""Of the lists, how many may hold a line that no template cuts: one in more of them is a part of articles behind their
lists, such as "Closing prices", and what is behind that is no headline."""
MIN_LISTED = 0.8
"""Of the places of another template, how many must be in lists for it to be of their kind."""
_LIST_KIND = "related"
_OPENING = ("related", "promotion", "sharing")
"""Kinds of what opens them."""
_MAX_TOKENS, _MIN_SCORE = 12, 0.95
"""Of such a label: its most tokens, and its least score."""
_SENTENCE_ENDS = (".", "。", "।", "۔", "…")
_EXAMPLE_LINES = 2
"""Headlines of an example."""
_GAP = 3
"""Bytes between matches that are one cut, see `CleanConfig.gap`."""


@dataclass(slots=True)
class _Tail:
    """The end of an article, as far as its lines are headlines or are cut.

    Attributes
    ----------
    lines : list of str
        In their order.
    is_cut, is_headline : list of bool
        Of each line.
    endings : dict of int to list of int
        Place of a line -> rows of the templates whose match ends there.
    """

    lines: list[str]
    is_cut: list[bool]
    is_headline: list[bool]
    endings: dict[int, list[int]]

    def list_behind(self, place: int) -> slice:
        """Return the places of the headlines behind a line."""
        end = place + 1
        while end < len(self.lines) and self.is_headline[end]:
            end += 1
        return slice(place + 1, end)


def add_headlines(pack: Pack, documents: Sequence[Document]) -> Pack:
    """Return a pack whose templates take the headlines behind them, where some documents show such lists."""
    if pack.html or pack.reading.sentences:
        return pack
    rows = {row for row, one in enumerate(pack.templates) if _may_open(one)}
    if not rows:
        return pack
    places: Counter[int] = Counter()
    chosen = choose_by_text(documents, MAX_DOCUMENTS)
    examples = dict(_choose_openers([*_find_tails(pack, chosen, rows, places)], places))
    if not examples:
        return pack
    templates = [
        _take_headlines(pack, one, examples[row]) if row in examples else one for row, one in enumerate(pack.templates)
    ]
    return name_listed(replace(pack, templates=tuple(order_templates(keep_one_of_each(templates)))), chosen)


def _may_open(template: Template) -> bool:
    """Return whether a template is a label at the end of its line that may lead to other stories."""
    if template.slot or template.anchor not in ("end", "line") or template.kind not in _OPENING:
        return False
    tokens = template.tokens or ()
    is_label = 0 < len(tokens) <= _MAX_TOKENS and not any("{" in token for token in tokens)
    is_sure = template.df >= MIN_PLACES and (template.score or 0) >= _MIN_SCORE
    return is_label and is_sure and not tokens[-1].endswith(_SENTENCE_ENDS)


def _find_tails(pack: Pack, documents: Iterable[Document], rows: set[int], places: Counter[int]) -> Iterator[_Tail]:
    """Yield the tails of documents that hold one of some templates at the end of a line, and count the places of each
    (`places`, OUT)."""
    matcher, row_of = pack.matcher()
    blank = f"{pack.tokenise.separators} \t\u00a0".encode()
    for document in documents:
        data = encode_body(pack, document)
        starts, ends, strings = (column.tolist() for column in matcher.find(data))
        endings: defaultdict[int, list[int]] = defaultdict(list)
        for end, string in zip(ends, strings, strict=True):
            line_end = data.find(b"\n", end)
            if row_of[string] in rows and not data[end : len(data) if line_end < 0 else line_end].strip(blank):
                places[row_of[string]] += 1
                endings[end].append(row_of[string])
        if endings:
            cuts = _join_matches(sorted(zip(starts, ends, strict=True)))
            yield _read_tail(data, cuts, endings, pack.tokenise.separators)


def _join_matches(matches: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return ascending matches as cuts: one where they meet, or nearly."""
    cuts: list[tuple[int, int]] = []
    for start, end in matches:
        if cuts and start <= cuts[-1][1] + _GAP:
            start, end = cuts[-1][0], max(end, cuts.pop()[1])
        cuts.append((start, end))
    return cuts


def _read_tail(data: bytes, cuts: list[tuple[int, int]], endings: Mapping[int, list[int]], separators: str) -> _Tail:
    """Read an article from its end, up to a line that is neither cut nor a headline, but for one behind all of these,
    which may be of the author."""
    blank = f"{separators} \t\u00a0"
    lines: list[str] = []
    is_cut: list[bool] = []
    is_headline: list[bool] = []
    found: list[list[int]] = []
    line_end = len(data)
    while line_end > 0:
        line_begin = data.rfind(b"\n", 0, line_end) + 1
        line = data[line_begin:line_end]
        text = line.decode("utf-8", "replace").strip(blank)
        if text:
            while cuts and cuts[-1][0] >= line_end:
                cuts.pop()
            begin = line_end - len(line.lstrip(f"{separators} \t".encode()))
            goes = bool(cuts) and cuts[-1][0] <= begin + _GAP and cuts[-1][1] >= line_end - _GAP
            # A line that is too long takes the expression most of the time.
            is_short = len(text) <= MAX_HEADLINE + MAX_CLOSERS or LINE_BREAK.search(text) is not None
            may_be_headline = is_short and find_headlines(f"\n{text}", 0, separators) > len(text)
            if not (goes or may_be_headline or all(is_cut)):
                break
            lines.append(text)
            is_cut.append(goes)
            is_headline.append(may_be_headline)
            found.append([row for end in range(line_end - _GAP, line_end + 1) for row in endings.get(end, ())])
        line_end = line_begin - 1
    size = len(lines)
    return _Tail(
        lines[::-1],
        is_cut[::-1],
        is_headline[::-1],
        {size - 1 - place: rows for place, rows in enumerate(found) if rows},
    )


def _choose_openers(tails: Sequence[_Tail], places: Mapping[int, int]) -> Iterator[tuple[int, str]]:
    """Yield the rows of templates that take headlines, each with an example of what is behind it."""
    listed = Counter(line for tail in tails for line in {*tail.lines})
    while True:
        best = max(_judge_openers(tails, places, listed), default=None)
        if best is None:
            return
        row = best[-1]
        examples = []
        for tail in tails:
            for opener in [place for place, rows in tail.endings.items() if row in rows]:
                behind = tail.list_behind(opener)
                if not all(tail.is_cut[behind]):
                    examples.append("\n".join(tail.lines[behind][:_EXAMPLE_LINES]))
                tail.is_cut[behind] = [True] * len(tail.is_cut[behind])
        yield row, min(examples)


def _judge_openers(
    tails: Sequence[_Tail], places: Mapping[int, int], listed: Mapping[str, int]
) -> Iterator[tuple[int, int, int]]:
    """Yield what may open lists: lines added by it, lines behind it, of which fewer are better, and its row."""
    closed: Counter[int] = Counter()
    adding: Counter[int] = Counter()
    added: Counter[int] = Counter()
    known: Counter[int] = Counter()
    behind: Counter[int] = Counter()
    uncut: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for tail in tails:
        for place, rows in tail.endings.items():
            run = tail.list_behind(place)
            is_cut, lines = tail.is_cut[run], tail.lines[run]
            for row in rows:
                closed[row] += 1
                adding[row] += not all(is_cut)
                added[row] += is_cut.count(False)
                behind[row] += len(lines)
                uncut[row].update({line for goes, line in zip(is_cut, lines, strict=True) if not goes})
                known[row] += sum(goes or listed[line] > 1 for goes, line in zip(is_cut, lines, strict=True))
    for row, count in closed.items():
        is_opener = count >= MIN_CLOSED * places[row] and places[row] >= MIN_PLACES
        most = max(uncut[row].values(), default=0)
        is_opener = is_opener and most <= max(MIN_ADDED, MAX_LISTED * count)
        brings = adding[row] >= max(MIN_ADDED, MIN_ADDED_SHARE * places[row])
        if is_opener and brings and known[row] >= MIN_KNOWN * behind[row]:
            yield added[row], -behind[row], row


def name_listed(pack: Pack, documents: Iterable[Document]) -> Pack:
    """Return a pack in which what mostly stands in lists is of their kind, such as a topic or an author: what keeps a
    kind of its own must not part a list."""
    if not pack.has_kinds:
        return pack
    places: Counter[int] = Counter()
    listed: Counter[int] = Counter()
    for found in find_matches(pack, documents):
        lists = [(start, end) for start, end, row in found if pack.templates[row].filler == HEADLINES]
        places.update(row for _, _, row in found)
        listed.update(row for start, end, row in found if any(left < start and end <= right for left, right in lists))
    templates = [
        replace(one, kind=_LIST_KIND) if one.kind and listed[row] >= MIN_LISTED * max(1, places[row]) else one
        for row, one in enumerate(pack.templates)
    ]
    return replace(pack, templates=tuple(templates))


def _take_headlines(pack: Pack, template: Template, lines: str) -> Template:
    """Return a template with a slot for the headlines behind it."""
    tokens = (*(template.tokens or ()), slot_token(HEADLINES))
    example = f"{template.example}\n{lines}"
    taking = replace(
        template,
        id=template_id(tokens),
        tokens=tokens,
        example=example[: find_headlines(example, len(template.example), pack.tokenise.separators)],
        kind=_LIST_KIND if template.kind else "",
    )
    return replace(taking, regex=pack.derived(taking))
