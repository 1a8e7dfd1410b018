"""Templates and documents -> templates of both ends of a sentence, where they have one: of its end with the words that
open it, and of its beginning with those that end it.

"The post HEADLINE appeared first on NAME" repeats its end, as players and forms of many sites do; what is before it
varies, but begins with the same words.  To cut the end alone leaves half a sentence.  Each string that stands within
lines is looked at in some articles: if its sentence nearly always opens with the same words, or holds them behind those
of an excerpt that ends without a mark, and they hardly ever stand elsewhere, there is a template of both, with a slot
between.  It takes the place of a template whose slot reaches to the beginning of the line, and so over the story; in
texts of one line such a slot that no head bounds takes any sentence that ends with its string (`find_unbounded`).

A label that opens lines and takes their rest is not found behind an excerpt that ends without a mark.  If many of its
lines end with the same words, a template of both is, at any place of a line.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np

from templatemine.mining.kept_texts import encode_body, find_matches, read_body
from templatemine.mining.sampling import choose_by_text, find_share, scale_counts, shuffle_by_text
from templatemine.model import Document, LongArray, Template
from templatemine.packs.pack import Pack
from templatemine.packs.pack_record import keep_one_of_each, order_templates, template_id
from templatemine.text import _scan
from templatemine.text._scan import MIN_BETWEEN, SLOT_SIZE
from templatemine.text.characters import line_begin
from templatemine.text.expressions import EncodedText
from templatemine.text.slots import ANY, SLOT

MAX_DOCUMENTS = 500
"""Documents that are looked at."""
MIN_SENTENCES = 5
"""Different sentences that a string must end, and documents that have it; and that a label with a tail must have more
than the label at the beginning of lines."""
MIN_SHARE = 0.8
"""Of these, how many open with the head; and of the slots before a tail, how many hold one sentence."""
MIN_OWN = 0.5
"""Of all places of a head, how many open such a sentence."""
MAX_PLACES = 128
"""Occurrences of a string that are examined, about."""
MAX_TOKENS = 6
"""Of a head."""
MIN_INNER_TOKENS = 2
"""Of one that does not open its sentence."""
MIN_TAIL_SHARE = 0.3
"""Of the lines of a label, how many end with the tail: texts that are cut off do not."""
_TRIED, _MIN_TRIED_SHARE = 16, 0.7
"""Sentences of which most must hold the same two words, before more are read."""
_REACH = 2 * SLOT_SIZE
"""Characters that are looked at before a string."""
_BEFORE_SENTENCES = (b"\n", b". ", b"! ", b"? ")
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’»)\]]*\s+")


@dataclass(slots=True)
class _Sentences:
    """Sentences before a string, each up to its end; how often the string is within a line, and how often it begins
    its sentence."""

    texts: dict[str, str] = field(default_factory=dict)
    places: int = 0
    opening: int = 0


def add_heads(pack: Pack, documents: Sequence[Document]) -> Pack:
    """Return a pack with templates of heads, as some documents show them, beside its own."""
    if pack.html or not pack.templates:
        return pack
    chosen = shuffle_by_text(choose_by_text(documents, MAX_DOCUMENTS))
    reaches = any(template.slot == "start" for template in pack.templates)
    bare = replace(pack, templates=tuple(map(_drop_slot, pack.templates))) if reaches else pack
    found = {
        row: joined
        for row, sentences in _find_sentences(bare, chosen).items()
        if (joined := _join_head(pack, pack.templates[row], sentences)) is not None
    }
    kept = _drop_common(pack, [*found.values()], chosen) if found else []
    if not kept:
        return pack
    reaching = {pack.templates[row].id for row, joined in found.items() if pack.templates[row].slot and joined in kept}
    others = [one for one in pack.templates if one.id not in reaching]
    return replace(pack, templates=tuple(order_templates(keep_one_of_each([*others, *kept]))))


def add_tails(pack: Pack, looked: Sequence[Document], documents: Sequence[Document]) -> Pack:
    """Return a pack with templates of labels and the ends of their lines beside its own, where these stand in more of
    the articles that are looked at; they are counted in all `documents`."""
    labels = {row for row, one in enumerate(pack.templates) if _may_have_tail(one)}
    if pack.html or not labels:
        return pack
    chosen = shuffle_by_text(choose_by_text(looked, MAX_DOCUMENTS))
    lines: defaultdict[int, set[str]] = defaultdict(set)
    for row, text, start, end in _find_places(pack, labels, chosen):
        if len(lines[row]) < MAX_PLACES:
            lines[row].add(text[start:end])
    joined = [one for row in sorted(lines) if (one := _join_tail(pack, pack.templates[row], lines[row])) is not None]
    joined = _drop_straying(pack, joined, chosen)
    if not joined:
        return pack
    of_lines = [replace(one, anchor="line") for one in joined]
    gains = np.subtract(*np.split(count_places(pack, [*joined, *of_lines], chosen)[0], 2))
    kept = [one for one, gain in zip(joined, gains.tolist(), strict=True) if gain >= MIN_SENTENCES]
    if not kept:
        return pack
    dfs, counts = count_places(pack, [replace(one, tokens=one.string) for one in kept], documents)
    share = find_share(pack, documents)
    kept = [
        scale_counts(replace(one, df=df, count=count), share)
        for one, df, count in zip(kept, dfs.tolist(), counts.tolist(), strict=True)
    ]
    return replace(pack, templates=tuple(order_templates(keep_one_of_each([*pack.templates, *kept]))))


def _find_places(
    pack: Pack, rows: Collection[int], documents: Sequence[Document]
) -> Iterator[tuple[int, str, int, int]]:
    """Yield the matches of some templates of a pack: their rows, the reading forms, and their bounds in these."""
    for document, matches in zip(documents, find_matches(pack, documents), strict=True):
        found = [match for match in matches if match[2] in rows]
        if not found:
            continue
        text = read_body(document.body, pack.reading)
        encoded = EncodedText(text, pack.patterns, pack.tokenise.separators)
        starts, ends = encoded.points(*(np.array(column, np.int64) for column in list(zip(*found, strict=True))[:2]))
        for start, end, (_, _, row) in zip(starts.tolist(), ends.tolist(), found, strict=True):
            yield row, text, start, end


def _drop_straying(pack: Pack, joined: Sequence[Template], documents: Sequence[Document]) -> list[Template]:
    """Return those of some templates of labels and tails whose slots, within lines, hardly ever reach over the end of a
    sentence: what is behind it is story, not the headline of the label."""
    if not joined:
        return []
    least: dict[int, int] = {}  # ends of sentences that are of the strings themselves: "on St. Louis News"
    within: defaultdict[int, list[int]] = defaultdict(list)
    for row, text, start, end in _find_places(replace(pack, templates=tuple(joined)), range(len(joined)), documents):
        count = len(_SENTENCE_END.findall(text, start, end))
        least[row] = min(count, least.get(row, count))
        if text[line_begin(text, start) : start].strip():
            within[row].append(count)
    return [
        one
        for row, one in enumerate(joined)
        if sum(count == least[row] for count in within[row]) >= MIN_SHARE * len(within[row])
    ]


def _may_have_tail(template: Template) -> bool:
    return template.slot == "end" and template.df >= MIN_SENTENCES and len(template.string or ()) >= MIN_INNER_TOKENS


def find_unbounded(pack: Pack) -> set[str]:
    """Return the ids of templates whose slots reach over sentences of story: in texts of one line those before their
    strings that anything may fill."""
    if pack.reading is None or not pack.reading.sentences:
        return set()
    return {one.id for one in pack.templates if one.slot == "start" and one.filler == ANY}


def _drop_slot(template: Template) -> Template:
    """Return a template without a slot before its string."""
    if template.slot != "start":
        return template
    return replace(template, tokens=template.string, anchor="")


def count_places(
    pack: Pack, templates: Sequence[Template], documents: Iterable[Document]
) -> tuple[LongArray, LongArray]:
    """Count the documents that have each of some templates, which are read as those of a pack, and all its places."""
    matcher, rows = replace(pack, templates=tuple(templates)).make_matcher()
    totals, last_document = np.zeros((len(rows), 2), np.int64), np.full(len(rows), -1, np.int64)
    for number, document in enumerate(documents):
        matcher.count(encode_body(pack, document), number, totals, last_document)
    counts = np.zeros((len(templates), 2), np.int64)
    counts[rows] = totals
    return counts[:, 1], counts[:, 0]


def _find_sentences(pack: Pack, documents: Iterable[Document]) -> Mapping[int, _Sentences]:
    """Return the beginnings of the sentences that the strings of some templates end, in their first places, by row."""
    matcher, rows = pack.matcher()
    templates = [pack.templates[row] for row in rows]
    is_eligible = np.array(
        [one.df >= MIN_SENTENCES and not one.slot and one.anchor in ("", "end") for one in templates]
    )
    found: defaultdict[int, _Sentences] = defaultdict(_Sentences)
    for document in documents if is_eligible.any() else ():
        data = encode_body(pack, document)
        starts, ends, strings = matcher.find(data)
        within: list[int] = []
        for place in np.flatnonzero(is_eligible[strings]).tolist():
            string, start = strings[place], starts[place]
            sentences = found[rows[string]]
            sentences.places += 1
            is_eligible[string] = sentences.places < MAX_PLACES
            if start == 0 or data.endswith(_BEFORE_SENTENCES, 0, start):  # as most do
                sentences.opening += 1
            else:
                within.append(place)
        if not within:
            continue
        text = read_body(document.body, pack.reading)
        encoded = EncodedText(text, pack.patterns, pack.tokenise.separators)
        starts, ends = encoded.points(starts, ends)
        left = bytearray(b"\1" * len(text))
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            left[start:end] = bytes(end - start)
        for place in within:
            start, end, sentences = int(starts[place]), int(ends[place]), found[rows[strings[place]]]
            first = max(line_begin(text, start), start - _REACH)
            first += max((match.end() for match in _SENTENCE_END.finditer(text[first:start])), default=0)
            before = text[first:start]
            # Text that other templates cut needs no head.
            if any(stays and char.isalnum() for stays, char in zip(left[first:start], before, strict=True)):
                sentence = text[first:end]
                sentences.texts[before] = min(sentences.texts.get(before, sentence), sentence)
            else:
                sentences.opening += 1
    return found


def _join_head(pack: Pack, template: Template, sentences: _Sentences) -> Template | None:
    """Return a template with the longest head that nearly all sentences open with, or else hold, before fillers that
    differ."""
    least = max(MIN_SENTENCES, MIN_SHARE * len(sentences.texts))
    opens = 2 * sentences.opening > sentences.places and not template.slot
    if len(sentences.texts) < least or opens:
        return None
    # To look at two characters, or at words of a few, rules nearly all strings out, and takes no tokeniser.
    may_open = max(Counter(before.lstrip()[:2] for before in sentences.texts).values()) >= least
    if not may_open and not _may_share_words(sentences.texts):
        return None
    scanner = make_scanner(pack)
    read = {before: read_tokens(pack, scanner, before) for before in sentences.texts}
    forms = [tokens.forms for tokens in read.values()]
    head = _find_head(forms, least, opening=True)
    is_inner = not head
    if is_inner:
        # Excerpts end without a mark: there the head stands behind words of the story.
        head = _find_head(forms, least, opening=False)
    if not head:
        return None
    examples, fillers = [], set()
    for before, sentence in sentences.texts.items():
        first, end = read[before].locate(head, anywhere=is_inner)
        if first >= 0 and MIN_BETWEEN <= len(before) - end <= SLOT_SIZE:
            examples.append(sentence[first:])
            fillers.add(before[end:])
    if len(examples) < least or (is_inner and len(fillers) < MIN_SENTENCES):
        return None
    readable = tuple(pack.patterns.readable(form) for form in head)
    tokens = (*readable, SLOT, *(template.string or ()))
    # With its slot the string is a line; without, it ends one.
    anchor = "end" if template.slot and template.anchor == "line" else template.anchor
    joined = replace(template, id=template_id(tokens), tokens=tokens, anchor=anchor, example=min(examples))
    return replace(joined, regex=pack.derived(joined))


def _join_tail(pack: Pack, template: Template, lines: Collection[str]) -> Template | None:
    """Return a template with the longest tail that enough of its lines end with, behind fillers that differ."""
    least = max(MIN_SENTENCES, MIN_TAIL_SHARE * len(lines))
    scanner = make_scanner(pack)
    read = {line: read_tokens(pack, scanner, line) for line in lines}
    tail = _find_head([tokens.forms[::-1] for tokens in read.values()], least, opening=True)[::-1]
    size = len(template.string or ())
    fillers = {
        line[tokens.ends[size - 1] : tokens.starts[-len(tail)]]: line
        for line, tokens in sorted(read.items())
        if len(tokens.forms) > size + len(tail) and tokens.forms[-len(tail) :] == tail
    }
    between = [filler for filler in fillers if MIN_BETWEEN <= len(filler) <= SLOT_SIZE]
    if len(tail) < MIN_INNER_TOKENS or len(between) < least:
        return None
    tokens = (*(template.string or ()), SLOT, *map(pack.patterns.readable, tail))
    example = min(fillers[filler] for filler in between)
    joined = replace(template, id=template_id(tokens), tokens=tokens, anchor="end", example=example)
    return replace(joined, regex=pack.derived(joined))


def _may_share_words(texts: Iterable[str]) -> bool:
    """Return whether two words in a row stand in most of the first few of some texts."""
    some = list(islice(texts, _TRIED))
    counts = Counter(pair for text in some for pair in set(pairwise(text.split())))
    return max(counts.values(), default=0) >= _MIN_TRIED_SHARE * len(some)


class Tokens(NamedTuple):
    """The tokens of a text: their forms, and where each begins and ends."""

    forms: tuple[bytes, ...]
    starts: list[int]
    ends: list[int]

    def locate(self, phrase: tuple[bytes, ...], *, anywhere: bool) -> tuple[int, int]:
        """Return where a phrase that opens the text begins and ends, or its last place anywhere; -1 twice without
        one."""
        for place in range(len(self.forms) - len(phrase) if anywhere else 0, -1, -1):
            if self.forms[place : place + len(phrase)] == phrase:
                return self.starts[place], self.ends[place + len(phrase) - 1]
        return -1, -1


def make_scanner(pack: Pack) -> _scan.Tokeniser:
    """Return the tokeniser of texts of a pack."""
    return _scan.Tokeniser(*pack.patterns.scanner_arguments(pack.tokenise.separators, False))


def read_tokens(pack: Pack, scanner: _scan.Tokeniser, text: str) -> Tokens:
    """Return the tokens of a reading form."""
    encoded = EncodedText(text, pack.patterns, pack.tokenise.separators)
    starts, ends, kinds = scanner.token_spans(encoded.data)
    forms = tuple(
        scanner.form(encoded.data[start:end], kind)
        for start, end, kind in zip(starts.tolist(), ends.tolist(), kinds.tolist(), strict=True)
    )
    first, last = encoded.points(starts, ends)
    return Tokens(forms, first.tolist(), last.tolist())


def _find_head(texts: Sequence[tuple[bytes, ...]], least: float, *, opening: bool) -> tuple[bytes, ...]:
    """Return the longest phrase that so many texts open with, or hold, before other tokens; empty if there is none."""
    head: tuple[bytes, ...] = ()
    for size in range(1 if opening else MIN_INNER_TOKENS, MAX_TOKENS + 1):
        counts: Counter[tuple[bytes, ...]] = Counter()
        for forms in texts:
            starts = range(min(1, len(forms) - size) if opening else len(forms) - size)
            counts.update({forms[start : start + size] for start in starts})
        longer, count = max(counts.items(), key=lambda item: (item[1], item[0]), default=((), 0))
        if count < least:
            break
        head = longer
    return head


def _drop_common(pack: Pack, joined: Sequence[Template], documents: Iterable[Document]) -> list[Template]:
    """Return the templates whose heads are before their strings more often than elsewhere."""
    heads = [replace(one, tokens=one.head, anchor="") for one in joined]
    _, counts = count_places(pack, [*joined, *heads], documents)
    return [
        one
        for one, together, alone in zip(joined, counts[: len(joined)], counts[len(joined) :], strict=True)
        if together >= MIN_OWN * alone
    ]
