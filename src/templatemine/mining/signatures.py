"""Strings of handles and dates -> templates of the signatures of embedded posts.

"— Jane Roe (@jroe) May 5, 2024" stands below each post that an article shows, of ever new people.  What all have in
common is the handle and the date, which alone are data, and would leave the dash and the name.  Where nearly all places
of such a string are behind a dash and names, there is a template of the whole: `— {slot:names} ({handle}) {month}
{number}, {number}`, and one each with the links before it that the post ended with.  They take the place of the
templates that lie within them, those of people who posted often.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain

import numpy as np

from templatemine.mining.kept_texts import encode_body
from templatemine.mining.sampling import scale_counts
from templatemine.mining.segments import DASHES
from templatemine.model import Document, Template
from templatemine.packs.pack import Pack
from templatemine.packs.pack_record import keep_one_of_each, order_templates, template_id
from templatemine.text.characters import CLOSERS
from templatemine.text.expressions import EncodedText
from templatemine.text.slots import NAMES, allowed_words, slot_token

MIN_NAMES = 5
"""Different names before a string, or links and names."""
MIN_SHARE = 0.8
"""Of the places of a string, those behind a dash and names."""
MAX_LINKS = 2
"""Links before a signature, to what the post is about and to its picture."""
MAX_DATE_TOKENS = 8
"""Of a date, with its time of day."""
KIND = "embed"
"""Kind of such templates."""
_OPENERS, _STOPS = "([（［", ",.;:"
_HANDLE, _LINK = "{handle}", "{url}"
_HANDLE_SIGNS = "@\uff20"
"""What is read as the sign of a handle."""
_MONTHS = {f"{{{name}}}" for name in ("month", "month_short", "month_other", "month_world")}
_WHOLE_DATES = {f"{{{name}}}" for name in ("iso_date", "date", "numeric")}
_PARTS = {f"{{{name}}}" for name in ("number", "number_world", "ordinal", "clock", "time", "meridiem")}
_WEEKDAYS = {f"{{{name}}}" for name in ("weekday", "weekday_short", "weekday_other", "weekday_world")}
_SIGNS = {*DASHES, "·", "•", "|"}


@dataclass(slots=True)
class _Places:
    """Places of a string, or of one with its head: how many, in how many documents, what is before their handles, and
    the shortest match, with its document and where it is there in bytes."""

    count: int = 0
    df: int = 0
    names: set[bytes] = field(default_factory=set)
    match: bytes = b""
    document: Document | None = None
    bounds: tuple[int, int] = (0, 0)


def is_signature(tokens: Sequence[str], *, alone: bool = True) -> bool:
    """Return whether a string is a handle and a date behind it; unless `alone`, whether it begins with such.

    >>> is_signature(["({handle})", "{number}.", "{month_other}", "{number}"]), is_signature(["{handle}", "{number}"])
    (True, False)
    """
    if not tokens or tokens[0].lstrip(_OPENERS).rstrip(CLOSERS + _STOPS) != _HANDLE:
        return False
    has_date, size = False, 0
    for token in tokens[1 : MAX_DATE_TOKENS + 1]:
        bare = token.lstrip(_OPENERS).rstrip(CLOSERS + _STOPS)
        is_date = bare in _MONTHS or bare in _WHOLE_DATES
        if not (is_date or bare in _PARTS or bare in _WEEKDAYS or token in _SIGNS or bare in allowed_words("date")):
            break
        has_date |= is_date
        size += 1
    return has_date and (size == len(tokens) - 1 or not alone)


def add_signatures(pack: Pack, labels: Sequence[Template], documents: Sequence[Document], share: float = 1.0) -> Pack:
    """Return a pack with templates of signatures, in place of those that lie within them.

    Parameters
    ----------
    labels : sequence of Template
        Strings of handles and dates that are no templates by themselves.
    documents : sequence of Document
        All that was mined.
    share : float
        How many times as many documents the source has.
    """
    if pack.html:
        return pack
    strings = [one for one in pack.templates if not one.slot and is_signature(one.tokens or (), alone=False)]
    strings = keep_one_of_each([*strings, *labels])
    if not strings:
        return pack
    holding = _find_holding(pack, documents)
    signed = _find_signatures(pack, strings, holding, share)
    if not signed:
        return pack
    united = replace(pack, templates=tuple(keep_one_of_each([*pack.templates, *signed])))
    kept = _drop_within(united, {one.id for one in signed}, holding)
    return replace(pack, templates=tuple(order_templates(kept)))


def _find_holding(pack: Pack, documents: Sequence[Document]) -> Sequence[Document]:
    """Return the documents that may hold a handle: they have its sign, or mark-up that may stand for it."""
    if pack.reading.markup or pack.patterns.user:
        return documents
    return [one for one in documents if any(sign in one.body for sign in _HANDLE_SIGNS)]


def _find_signatures(
    pack: Pack, strings: Sequence[Template], documents: Sequence[Document], share: float
) -> list[Template]:
    """Return the templates of the strings that nearly always stand behind a dash and names."""
    dashes = [dash for dash in DASHES if len(dash) == 1 and dash not in pack.tokenise.separators]
    bare = [replace(one, anchor="") for one in strings]
    heads = [[_LINK] * links + [dash] for links in range(MAX_LINKS + 1) for dash in dashes]
    joined = {one.id: [_join(pack, one, head) for head in heads] for one in bare}
    places = _find_places(pack, [*bare, *chain.from_iterable(joined.values())], documents)
    found = []
    for name, some in joined.items():
        # What has a link before it is a place of the string without, too.
        behind = sum(places[one.id].count for one in some[: len(dashes)])
        if behind < MIN_SHARE * places[name].count:
            continue
        for one in some:
            own = places[one.id]
            if len(own.names) >= MIN_NAMES:
                counted = replace(one, df=own.df, count=own.count, example=_read_example(pack, own))
                found.append(scale_counts(counted, share))
    return found


def _join(pack: Pack, template: Template, head: Sequence[str]) -> Template:
    tokens = (*head, slot_token(NAMES), *(template.tokens or ()))
    joined = replace(template, id=template_id(tokens), tokens=tokens, kind=KIND)
    return replace(joined, regex=pack.derived(joined))


def _find_places(pack: Pack, templates: Sequence[Template], documents: Sequence[Document]) -> dict[str, _Places]:
    """Return the places of each template by id."""
    matcher, rows = replace(pack, templates=tuple(templates)).make_matcher()
    found = [_Places() for _ in templates]
    for document in documents:
        data = encode_body(pack, document)
        seen = set()
        for start, end, string in zip(*(column.tolist() for column in matcher.find(data)), strict=True):
            places, match = found[rows[string]], data[start:end]
            places.count += 1
            places.df += string not in seen
            seen.add(string)
            places.names.add(match.partition(b"@")[0])
            if not places.match or (len(match), match) < (len(places.match), places.match):
                places.match, places.document, places.bounds = match, document, (start, end)
    return {one.id: places for one, places in zip(templates, found, strict=True)}


def _read_example(pack: Pack, places: _Places) -> str:
    """Return the shortest match in reading form."""
    if places.document is None:
        return ""
    encoded = EncodedText(places.document.body, pack.patterns, pack.tokenise.separators, pack.rules)
    start, end = encoded.code_points(np.array(places.bounds, np.int64)).tolist()
    return encoded.text[start:end]


def _drop_within(pack: Pack, own: Collection[str], documents: Sequence[Document]) -> list[Template]:
    """Return the templates of a pack without those with a handle all of whose places are within those of some of its
    `own`."""
    others = [one for one in pack.templates if one.id in own or any(_HANDLE in token for token in one.tokens or ())]
    matcher, rows = replace(pack, templates=tuple(others)).make_matcher()
    places, within = Counter[str](), Counter[str]()
    for document in documents:
        found = [*zip(*(column.tolist() for column in matcher.find(encode_body(pack, document))), strict=True)]
        spans = [(start, end) for start, end, string in found if others[rows[string]].id in own]
        ends = [end for _, end in spans]  # ascending
        starts = [*accumulate((start for start, _ in reversed(spans)), min)][::-1]
        for start, end, string in found:
            name = others[rows[string]].id
            places[name] += 1
            # Of one of its own, those of a longer one.
            first, beyond = bisect_left(ends, end), bisect_right(ends, end)
            begins = first < len(ends) and (starts[first] < start or (name not in own and starts[first] == start))
            within[name] += begins or (beyond < len(ends) and starts[beyond] <= start)
    return [one for one in pack.templates if not places[one.id] or within[one.id] < places[one.id]]
