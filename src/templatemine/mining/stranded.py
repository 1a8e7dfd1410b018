"""Templates and documents -> the labels that go without what they label, in articles of one line.

Where a parser has lost the line breaks, nothing shows where the headline behind "Read also:" ends, or the name behind
"Photo:".  A label without a slot goes alone there, and its text reads as a part of the story; one with a slot takes the
first sentence of a headline of two, or one of the story.  The archive shows which: the titles of its other articles are
the headlines that labels announce.  Where it has no titles, text behind a label that is written as titles are, or that
goes on in a capital where no sentence ends, far more often than sentences of the source do, is more than the story.  A
label whose headlines the parser has dropped, too, has neither behind it, and goes.

What a title shows the end of goes whole: a label with a known headline is a template of its own.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import regex

from templatemine.mining.heads import count_places, make_scanner, read_tokens
from templatemine.mining.own_cuts import find_cuts
from templatemine.mining.titles import Titles, letters_in
from templatemine.model import Document, Template
from templatemine.packs.pack import Pack
from templatemine.packs.pack_record import keep_one_of_each, order_templates, template_id
from templatemine.packs.readable import join_tokens
from templatemine.text.tears import COLONS, CutCount, goes_on_unmarked, join_spans, leaves_half

MIN_LEFT = 0.5
"""Share of the cuts of a label that have text right behind them."""
MIN_TITLES, TITLE_SHARE = 2, 0.1
"""Titles behind a label that show what stays, and of how many places: an archive seldom has all its articles."""
OWN_SHARE = 0.25
"""Share of the cuts of a slot that take the title of the article itself, as its headline."""
MIN_SIGNED, SIGNED_SHARE, MAX_USUAL = 4, 0.25, 2.0
"""Places of a label with text behind it that is written as titles are, and share of them; and how many times that of
sentences of the source it is at least: 14 in a hundred of these, 25 in the source with most names."""
MAX_HEADLINES = 2000
"""Known headlines that a pack has."""
_BEHIND = 300
"""Characters behind a cut that are looked at."""
_TITLE_WORDS, _CAPITALS = 8, 5
"""Words behind a label, of which so many begin with a capital in a title."""
_MAX_WORDS = 12
"""Words of a cut at which a title may begin."""
RELATED, _DATELINE = "related", "dateline"
_BULLETS = "-\u2010\u2013\u2014\u2022\u00b7\u2192\u00bb|*"
"""What stands before the headlines of a list."""
_WORD = regex.compile(r"(?<!\w)\w")


def find_stranded(pack: Pack, documents: Sequence[Document], titles: Titles) -> Mapping[str, CutCount]:
    """Return the labels of a pack that leave what they label, or a part of it, by id: their cuts, and those that are
    seen to.  None where articles have lines.  `documents` are those whose cuts are looked at."""
    if pack.html or not pack.templates or not pack.reading.sentences:
        return {}
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    sentences = Counter[bool]()
    last = LastTemplate(pack)
    for document, text, spans in find_cuts(pack, documents):
        sentences.update(_is_signed(text, start) for start in _sentence_starts(text))
        for start, end, rows in join_spans(text, spans):
            template, _ = last.find(text[start:end], rows)
            if template is None or template.kind == _DATELINE:
                continue
            if template.slot == "end" or _ends_as_label(text[start:end]):
                seen = _look_behind(text, start, end, template.slot == "end", titles, titles.letters_of(document))
                counts[template.id].update(["cuts", *seen])
    usual = sentences[True] / max(1, sentences.total())
    slotted = {template.id for template in pack.templates if template.slot == "end"}
    return {
        name: CutCount(count["cuts"], count["torn"] if name in slotted else count["left"])
        for name, count in counts.items()
        if count["left"] > MIN_LEFT * count["cuts"]
        and (_tears_titles(count) if name in slotted else _is_before_titles(count, usual))
    }


def find_own_titles(pack: Pack, documents: Sequence[Document], titles: Titles) -> dict[str, Template | None]:
    """Return the templates with a slot that take the headline of the article itself, by id, each with what may go of
    it: a label before the headline that is no part of it.

    A slot between two strings ("The post … appeared first on") may hold its title, and so may the end of an article.
    """
    slotted = tuple(one for one in pack.templates if one.slot)
    if pack.html or all(one.slot == "middle" for one in slotted):
        return {}
    letters = [letters_in("".join(one.string or ())) for one in slotted]
    between = {row for row, one in enumerate(slotted) if one.slot == "middle"}
    cuts, taken, parts = Counter[int](), Counter[int](), Counter[int]()
    for document, text, spans in find_cuts(replace(pack, templates=slotted), documents):
        own = titles.letters_of(document) if spans else ""
        for start, end, rows in spans if own else ():
            if not between.isdisjoint(rows):
                continue
            cuts.update({*rows})
            if own in letters_in(text[start:end]) and own not in letters_in(text[:start]) and text[end:].strip():
                taken.update({*rows})
                parts.update(row for row in {*rows} if letters[row] in own)
    return {
        one.id: _drop_slot(one) if one.slot == "end" and not parts[row] else None
        for row, one in enumerate(slotted)
        if taken[row] >= max(MIN_TITLES, OWN_SHARE * cuts[row])
    }


class LastTemplate:
    """Tells which template of a cut ends it, of several that are joined."""

    def __init__(self, pack: Pack) -> None:
        self._templates = pack.templates
        self._slots = [one.slot for one in pack.templates]
        self._matcher, self._rows = pack.matcher()

    def find(self, cut: str, rows: Sequence[int]) -> tuple[Template | None, str]:
        """Return that of the longest string, else the only one with a slot behind its string, None if that is open;
        and the signs that go behind the string."""
        data = cut.encode("utf-8", "surrogatepass")
        found = zip(*(column.tolist() for column in self._matcher.find(data)), strict=True)
        ending: list[tuple[int, int, str]] = [
            (end - start, self._rows[string], signs)
            for start, end, string in found
            if self._slots[self._rows[string]] != "end"
            and self._rows[string] in rows
            and not letters_in(signs := data[end:].decode("utf-8", "surrogatepass"))
        ]
        if ending:
            _, row, signs = max(ending)
            return self._templates[row], signs
        slotted = [row for row in rows if self._slots[row] == "end"]
        return (self._templates[slotted[0]] if len(slotted) == 1 else None), ""


def _ends_as_label(text: str) -> bool:
    """Return whether a text ends in a colon, bullets behind it aside."""
    return text.rstrip(_BULLETS + " \u00a0").endswith(COLONS)


def name_headlines(
    pack: Pack, stranded: Sequence[Template], documents: Sequence[Document], titles: Titles
) -> list[Template]:
    """Return templates of labels, `stranded` ones and those of a pack, with a title of the archive behind them:
    headlines whose end is known, the most frequent ones where there are very many, the newest first.  None where
    articles have lines."""
    if pack.html or not pack.reading.sentences:
        return []
    bare = keep_one_of_each(map(_drop_slot, [*stranded, *filter(_is_label, pack.templates)]))
    if not bare or not titles:
        return []
    scanner = make_scanner(pack)
    found: dict[tuple[str, ...], tuple[str, str]] = {}
    newest: dict[tuple[str, ...], str] = defaultdict(str)
    torn = set[tuple[str, ...]]()
    places: Counter[str] = Counter()
    labels = replace(pack, templates=tuple(bare))
    last = LastTemplate(labels)
    by_id = {one.id: one for one in bare}
    for document, text, spans in find_cuts(labels, documents, len(documents)):
        own = titles.letters_of(document)
        for start, label_end, rows in join_spans(text, spans):
            label, _ = last.find(text[start:label_end], rows)
            end = _find_headline_end(text, label_end, titles, own)
            if end < 0 or label is None:
                continue
            piece = text[start:end]
            tokens = tuple(map(pack.patterns.readable, read_tokens(pack, scanner, piece).forms))
            places[label.id] += 1
            found[tokens] = min(found.get(tokens, (label.id, piece)), (label.id, piece))
            newest[tokens] = max(newest[tokens], document.date or "")
            if leaves_half(text, start, end):
                torn.add(tokens)
    named = [
        replace(by_id[name], id=template_id(tokens), tokens=tokens, example=piece, kind=by_id[name].kind or RELATED)
        for tokens, (name, piece) in sorted(found.items())  # in whatever order documents come
        if places[name] >= MIN_TITLES and tokens not in torn
    ]
    if not named:
        return []
    named = count_again(pack, named, documents)
    named.sort(key=lambda one: newest[one.tokens or ()], reverse=True)
    return order_templates(sorted((one for one in named if one.df), key=lambda one: -one.df)[:MAX_HEADLINES])


def count_again(pack: Pack, templates: Sequence[Template], documents: Sequence[Document]) -> list[Template]:
    """Return templates of other strings than before with their expressions and counts."""
    if not templates:
        return []
    counted = zip(templates, *(column.tolist() for column in count_places(pack, templates, documents)), strict=True)
    return [replace(one, regex=pack.derived(one), df=df, count=count) for one, df, count in counted]


def _is_label(template: Template) -> bool:
    """Return whether a template ends as a label, a slot behind it aside."""
    return (
        template.kind != _DATELINE
        and template.slot in ("", "end")
        and _ends_as_label(join_tokens(template.string or ()))
    )


def _drop_slot(label: Template) -> Template:
    """Return a label without its slot, wherever on a line it stands."""
    tokens = label.string or ()
    example = join_tokens(tokens) if label.slot else label.example
    return replace(label, id=template_id(tokens), tokens=tokens, example=example, anchor="")


def _find_headline_end(text: str, end: int, titles: Titles, own: str) -> int:
    """Return the end of the titles behind a label that ends at a place; -1 where there is none, or more that is not
    known: of a list, or of a word to which the next sentence is glued."""
    headline_end = -1
    while first := _WORD.search(text, end):
        between = text[end : first.start()]
        if headline_end >= 0 and not any(bullet in between for bullet in _BULLETS):
            return headline_end
        end = titles.find_end(text, first.start(), own)
        if end < 0:
            return -1
        token_end = next((place for place in range(end, len(text)) if text[place].isspace()), len(text))
        if letters_in(text[end:token_end]):
            return -1
        headline_end = end = token_end
    return headline_end


def _tears_titles(count: Counter[str]) -> bool:
    return count["torn"] >= MIN_TITLES and count["torn"] > count["whole"]


def _is_before_titles(count: Counter[str], usual: float) -> bool:
    titles, signed, left = count["title"], count["signed"], count["left"]
    return (titles >= MIN_TITLES and titles >= TITLE_SHARE * left) or (
        signed >= MIN_SIGNED and signed >= max(SIGNED_SHARE, MAX_USUAL * usual) * left
    )


def _sentence_starts(text: str) -> list[int]:
    """Return where two sentences of an article begin, but for its first one."""
    starts, place = list[int](), text.find("\n")
    while place >= 0 and len(starts) < 5:
        starts.append(place + 1)
        place = text.find("\n", place + 1)
    return starts[1:-1:2]


def _is_signed(text: str, start: int) -> bool:
    """Return whether text is written as a title, or goes on in a capital where no sentence ends."""
    behind = " ".join(text[start : start + _BEHIND].split())
    capitals = sum(word[0].isupper() for word in behind.split()[:_TITLE_WORDS])
    return capitals >= _CAPITALS or goes_on_unmarked(text, behind)


def _look_behind(text: str, start: int, end: int, is_slot: bool, titles: Titles, own: str) -> Iterator[str]:
    """Yield what is seen of a cut: ``left`` if text is behind it on its line, and if this is a ``title`` or ``signed``
    as one; and whether the first title that begins in the cut is ``torn`` by its end, or ``whole``."""
    first = _WORD.search(text, end)
    # A slot ends at its sentence, where a line ends in the form in which texts are read.
    if first is None or (not is_slot and "\n" in text[end : first.start()]):
        return
    yield "left"
    if titles.find_end(text, first.start(), own) >= 0:
        yield "title"
    if _is_signed(text, end):
        yield "signed"
    for number, match in enumerate(_WORD.finditer(text, start, end)):
        if number == _MAX_WORDS:
            break
        title_end = titles.find_end(text, match.start(), own)
        if title_end >= 0:
            yield "torn" if letters_in(text[end:title_end]) else "whole"
            break
