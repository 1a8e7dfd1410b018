"""Templates that differ in a name alone -> one template with a slot for names.

"By Jane Roe" and "By John Doe" are templates of authors who wrote often; the next author is new.  A family is some
templates that share the string at one edge and have names at the other, which is an edge of their lines.
The template of a family takes the place of its members, unless it tears sentences in the archive.  Names before a dash
alone are places of datelines: theirs begins a line in the head of articles (`{slot:dateline} –`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from templatemine.mining.kept_texts import encode_body
from templatemine.mining.own_cuts import tearing_templates
from templatemine.mining.sampling import choose_by_text
from templatemine.mining.segments import DASHES
from templatemine.mining.slot_types import is_name
from templatemine.model import Document, Template
from templatemine.packs.pack import Pack
from templatemine.packs.pack_record import keep_one_of_each, order_templates, template_id
from templatemine.text.characters import CLOSERS, SMALL
from templatemine.text.expressions import ANCHORS
from templatemine.text.slots import DATELINE, slot_token

MIN_MEMBERS = 5
"""Templates of a family whose kinds are `KINDS`, with different names."""
MIN_DATELINES, MIN_OPENING = 3, 0.8
"""The same of datelines, and the share of the places of the members, and of its own, that open prose."""
MIN_PROSE = 120
"""Characters of a line that is no headline, whatever it ends with: excerpts of feeds are cut off."""
MAX_NAME_TOKENS = 5
"""Tokens of a name."""
KINDS = ("byline", "dateline", "media", "promotion")
"""Kinds of templates that hold names; which of them one has may differ from name to name."""
MAX_TAKEN = 0.5
"""Of the members of a family, how many may be of a greater one."""
MAX_SENTENCES = 0.01
"""Of its cuts in the archive, how many may be sentences."""
MAX_DOCUMENTS = 1000
"""Documents that are looked at."""
_SENTENCE_ENDS = (".", "!", "?")
_SMALL_WORDS = re.compile(f"[ -][{SMALL}]+ +[{SMALL}]{{2,}}(?![^ ])")
"""Two words in small letters: names hold "and", "of", "von der" at most."""
_LETTER = re.compile(r"[^\W\d_]")
_SIDES = {"start": "end", "end": "start"}


@dataclass(frozen=True, slots=True)
class _Family:
    """A family: the side of its names, the string that its members share, and the members."""

    side: str
    string: tuple[str, ...]
    members: tuple[Template, ...]


def unite_families(pack: Pack, documents: Sequence[Document]) -> Pack:
    """Return a pack with a template for each family, in place of its members; `documents` show what it cuts."""
    if pack.html or not pack.has_kinds:
        return pack
    united = {family: _unite(pack, family) for family in _find_families(pack)}
    if not united:
        return pack
    alone = replace(pack, templates=tuple(keep_one_of_each(united.values())))
    chosen = choose_by_text(documents, MAX_DOCUMENTS)
    inner, staying = _find_inner(pack, united, chosen)
    tearing = {*tearing_templates(alone, documents), *_find_sentences(alone, chosen), *inner}
    gone = {member.id for family, one in united.items() if one.id not in tearing for member in family.members}
    gone -= staying
    kept = [one for one in pack.templates if one.id not in gone]
    kept += [one for one in united.values() if one.id not in tearing]
    return replace(pack, templates=tuple(order_templates(keep_one_of_each(kept))))


def _find_sentences(pack: Pack, documents: Sequence[Document]) -> set[str]:
    """Return the ids of the templates that take sentences, too: "By Monday he was back in town.", "Jane Roe said to Ann
    Hill (Reuters) that"."""
    matcher, row_of = pack.matcher()
    places: Counter[int] = Counter()
    sentences: Counter[int] = Counter()
    for document in documents:
        data = encode_body(pack, document)
        for start, end, string in zip(*(column.tolist() for column in matcher.find(data)), strict=True):
            places[row_of[string]] += 1
            text = data[start:end].decode("utf-8", "replace")
            closes = pack.templates[row_of[string]].slot == "start" or text.endswith(_SENTENCE_ENDS)
            sentences[row_of[string]] += closes and _SMALL_WORDS.search(text) is not None
    return {pack.templates[row].id for row, count in sentences.items() if count > max(1, MAX_SENTENCES * places[row])}


def _find_inner(
    pack: Pack, united: Mapping[_Family, Template], documents: Sequence[Document]
) -> tuple[set[str], set[str]]:
    """Return the ids of the templates of datelines whose members mostly stand within articles, or that cut what is
    before no prose, such as names of speakers, or of clubs in lines of results; and of the members that do not only
    stand where such a template cuts."""
    families = {one.id: family.members for family, one in united.items() if one.filler == DATELINE}
    if not families:
        return set(), set()
    family_of = {member.id: name for name, some in families.items() for member in some}
    own = keep_one_of_each([*united.values(), *(member for some in families.values() for member in some)])
    own = [one for one in own if one.id in families or one.id in family_of]
    matcher, row_of = replace(pack, templates=tuple(own)).matcher()
    opening, places = Counter[str](), Counter[str]()
    for document in documents:
        data = encode_body(pack, document)
        strings, ends = (column.tolist() for column in matcher.find(data)[:0:-1])
        found = [(own[row_of[string]].id, end) for string, end in zip(strings, ends, strict=True)]
        before_prose = {
            (name, end) for name, end in found if name in families and _is_prose(data[end:].split(b"\n", 1)[0])
        }
        places.update(name for name, _ in found)
        opening.update(name for name, end in found if (family_of.get(name, name), end) in before_prose)
    inner = set()
    for name, some in families.items():
        for ids in ({name}, {member.id for member in some}):
            if sum(opening[one] for one in ids) < MIN_OPENING * sum(places[one] for one in ids):
                inner.add(name)
    return inner, {name for name in family_of if opening[name] < places[name]}


def _is_prose(rest: bytes) -> bool:
    """Return whether the rest of a line is prose that begins there, and no headline: it is long, or closes."""
    text = rest.decode("utf-8", "replace").strip()
    return not text[:1].islower() and (len(text) >= MIN_PROSE or text.rstrip(CLOSERS).endswith(_SENTENCE_ENDS))


def _find_families(pack: Pack) -> Iterator[_Family]:
    """Yield the families of a pack, the greatest first; of those of the same members that with the longest string, and
    those of a dash last."""
    members: defaultdict[tuple[str, tuple[str, ...]], list[Template]] = defaultdict(list)
    # Where sentences are read as lines, a name behind a string may end with an abbreviation: "According to Dr.".
    sides = ("start",) if pack.reading.sentences else tuple(_SIDES)
    for template in pack.templates:
        if template.slot:
            continue
        tokens = template.tokens or ()
        for side in sides:
            if not ANCHORS[template.anchor] & ANCHORS[side]:
                continue
            for size in range(1, min(MAX_NAME_TOKENS, len(tokens) - 1) + 1):
                name, string = (tokens[:size], tokens[size:]) if side == "start" else (tokens[-size:], tokens[:-size])
                if (_is_string(string) or _is_dash(side, string)) and _is_name(name, side, pack.tokenise.separators):
                    members[side, string].append(template)
    taken: set[str] = set()
    for (side, string), some in sorted(
        members.items(), key=lambda item: (_is_dash(*item[0]), -len(item[1]), -len(item[0][1]), item[0])
    ):
        if sum(one.kind in KINDS for one in some) < (MIN_DATELINES if _is_dash(side, string) else MIN_MEMBERS):
            continue
        ids = {member.id for member in some}
        if len(ids & taken) <= MAX_TAKEN * len(ids):
            taken |= ids
            yield _Family(side, string, tuple(some))


def _is_string(tokens: Sequence[str]) -> bool:
    return any("{" not in token and _LETTER.search(token) for token in tokens)


def _is_dash(side: str, tokens: Sequence[str]) -> bool:
    return side == "start" and len(tokens) == 1 and tokens[0] in DASHES


def _is_name(tokens: Sequence[str], side: str, separators: str) -> bool:
    text = " ".join(tokens)
    return "{" not in text and is_name(text, _SIDES[side], separators)


def _unite(pack: Pack, family: _Family) -> Template:
    """Return the template of a family: what its most frequent member is, with a slot in place of the name.

    Its documents are those of its members: what else it cuts is not counted.
    """
    first = max(family.members, key=lambda one: (one.df, one.id))
    kinds: Counter[str] = Counter()
    for member in family.members:
        kinds[member.kind] += member.df if member.kind in KINDS else 0
    slot = slot_token(DATELINE if _is_dash(family.side, family.string) else "names")
    tokens = (slot, *family.string) if family.side == "start" else (*family.string, slot)
    is_line = all(one.anchor == "line" for one in family.members)
    united = replace(
        first,
        id=template_id(tokens),
        tokens=tokens,
        anchor="line" if is_line else family.side,
        kind=max(kinds, key=lambda kind: (kinds[kind], kind)),
        df=min(pack.documents, sum(one.df for one in family.members)),
        count=sum(one.count for one in family.members),
    )
    return replace(united, regex=pack.derived(united))
