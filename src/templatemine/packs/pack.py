"""The pack: what was learnt of one source, as a JSON file that a person can read, compare, edit and lint.

A template is its `tokens`; its `regex` is what they compile to and stands beside them for readers and for use
elsewhere. Where it is null it is made of the tokens, and so it is where another version has written the pack. A
template with ``"tokens": null`` is an expression written by hand; it is linted and applied as it stands.
``mined`` names what mining gave: by it a later mining tells what a person has changed in the list since (`steer`).
`load` trusts nothing: unknown schema, missing fields, expressions that don't compile, disagree with their tokens, may
backtrack exponentially or miss their own example are refused by name and place.
"""

from __future__ import annotations

import json
import re
import warnings
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from templatemine._version import __version__
from templatemine.config import TokeniseConfig, UserPattern
from templatemine.errors import ConfigError, PackError
from templatemine.io.write import atomic_writer
from templatemine.matching import _match
from templatemine.model import Cutoff, PageHistory, Template
from templatemine.packs import overrides, page_section
from templatemine.packs.overrides import Overrides
from templatemine.text.expressions import ANCHORS, REACHES, Encoded, expression
from templatemine.text.lint import backtracking
from templatemine.text.patterns import PatternSet, make_pattern_set
from templatemine.text.slots import FIRST_NAMED, KINDS, SLOT, SLOT_SIZE, code_of, kind_of, known_words

if TYPE_CHECKING:
    import regex

__all__ = [
    "SCHEMA",
    "Pack",
    "check_slot",
    "check_written",
    "compiled_safely",
    "mark_of",
    "read_listed",
    "read_mined",
    "template_id",
    "with_current_names",
    "without_misfits",
]

SCHEMA = 1
GENERATOR = f"templatemine {__version__}, expressions 2"
"""What wrote a pack; the second number counts what tokens were compiled to."""


def template_id(tokens: Sequence[str]) -> str:
    """A name that stays the same from one mining to the next: 40 bits of a hash of the tokens.

    What kind of filler a slot takes is told by the archive, and may change as it grows; the name stays.
    """
    from hashlib import blake2b  # here, for it loads OpenSSL, which cleaning has no need of

    tokens = [SLOT if kind_of(token) else token for token in tokens]
    return "t" + blake2b("\x00".join(tokens).encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()


def mark_of(template: Template) -> str:
    """What a pack notes of a template that mining gave: its name, and what the name does not tell, where in its line it
    stands and the slot beside it."""
    tokens = template.tokens or ()
    slot = next((token for token in tokens if token.startswith("{slot")), "")
    return " ".join(part for part in (template_id(tokens), template.anchor, slot) if part)


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
    mined : tuple of str or None
        `mark_of` each template that mining gave; None in packs that do not tell.
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
    generator: str = GENERATOR
    mined: tuple[str, ...] | None = field(default=None, compare=False)

    @cached_property
    def patterns(self) -> PatternSet:
        """The mutable patterns of the pack's tokens."""
        return make_pattern_set(self.enabled, self.tokenise.user_patterns)

    @cached_property
    def by_tokens(self) -> bool:
        """Whether the automaton alone finds all templates, in a text as it stands: none was written by hand, and no
        pattern of the user's own says what tokens are."""
        return not self.tokenise.user_patterns and all(one.tokens is not None for one in self.templates)

    def forms(self, template: Template) -> list[bytes]:
        """Normalised tokens of a template as the native core spells them."""
        known, read = self._form_of, self.patterns.from_readable
        forms: list[bytes] = []
        for token in template.tokens or ():
            form = known.get(token)  # first: a slot is never among them
            if form is None and kind_of(token) is None:
                form = known[token] = read(token)
            if form is not None:
                forms.append(form)
        return forms

    def derived(self, template: Template) -> str:
        """The expression of a template's tokens."""
        slot = template.slot
        separators, patterns = self.tokenise.separators, self.patterns
        forms, kind = self.forms(template), template.filler
        return expression(forms, patterns, separators, self.html, anchor=template.anchor, slot=slot, kind=kind)

    @cached_property
    def _form_of(self) -> dict[str, bytes]:
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """The fields alone: what was made of them stays behind when a pack goes to another process."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def matcher(self) -> tuple[_match.Matcher, list[int]]:
        """The automaton of all templates that have tokens, and the place in `templates` of each of its strings."""
        return self._matcher

    @cached_property
    def _matcher(self) -> tuple[_match.Matcher, list[int]]:
        return self.make_matcher()

    def make_matcher(self, sieve: int = 1) -> tuple[_match.Matcher, list[int]]:
        """`matcher`, made anew; for `sieve` see there."""
        rows = [place for place, template in enumerate(self.templates) if template.tokens is not None]
        vocabulary: dict[bytes, int] = {}
        flat, bounds, edges = array("i"), array("q", [0]), bytearray()
        kinds = bytearray()
        for place in rows:
            template = self.templates[place]
            slot = template.slot
            flat.extend([vocabulary.setdefault(form, len(vocabulary)) for form in self.forms(template)])
            edges.append(ANCHORS[template.anchor] | REACHES.get(slot, 0))
            kinds.append(code_of(template.filler))
            bounds.append(len(flat))
        known = known_words() if max(kinds, default=0) >= FIRST_NAMED else None
        arguments = self.patterns.scanner_arguments(self.tokenise.separators, self.html)
        matcher = _match.Matcher(*arguments, list(vocabulary), flat, bounds, bytes(edges), sieve, bytes(kinds), known)
        return matcher, rows

    def to_json(self) -> str:
        """The pack as JSON text; the same pack gives the same text."""
        patterns = self.patterns
        names = [name for name, _ in patterns.by_id.values() if name in self.enabled]
        data: dict[str, Any] = {
            "schema": SCHEMA,
            "generator": self.generator,
            "source": self.source,
            "tokeniser": {"html": self.html, "separators": self.tokenise.separators},
            "patterns": {name: patterns.by_id[patterns.id_of[name]][1] for name in names},
            "user_patterns": [asdict(own) for own in self.tokenise.user_patterns],
            "documents": self.documents,
            "dates": [self.first_date, self.last_date],
            "method": self.method,
            "cutoff": {**asdict(self.cutoff), "histogram": list(self.cutoff.histogram)},
            "rejected": dict(self.rejected),
            "templates": [asdict(template) for template in self.templates],
            "mined": list(self._marks() if self.mined is None else self.mined),
            **overrides.write(self.overrides),
            **page_section.write(self.pages),
        }
        lines = [f" {json.dumps(key)}: {_dump(value)}" for key, value in data.items()]
        return "{\n" + ",\n".join(lines) + "\n}\n"

    def _marks(self) -> list[str]:
        added = {*self.overrides.added}
        given = [one for one in self.templates if one.tokens is not None and one.id not in added]
        return sorted(mark_of(one) for one in (*given, *self.overrides.removed))

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the pack; an existing file is refused without `force`, and never left half written."""
        with atomic_writer(str(path), force=force) as handle:
            handle.write(self.to_json().encode("utf-8"))

    @classmethod
    def load(cls, path: str | Path) -> Pack:
        """Read a pack.

        Raises
        ------
        PackError
            Naming the file, the field and what was found there.
        """
        try:
            text = Path(path).read_bytes().decode("utf-8-sig")  # some editors write a mark before what they save
        except OSError as error:
            raise PackError(f"{path}: cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise PackError(f"{path}: expected UTF-8, got an invalid byte at offset {error.start}") from error
        return cls.from_json(text, where=str(path))

    @classmethod
    def from_json(cls, text: str, where: str = "pack") -> Pack:
        """The inverse of `to_json`, with every check of `load`."""
        try:
            data = json.loads(text)
        except (json.JSONDecodeError, RecursionError) as error:
            raise PackError(f"{where}: not JSON: {error}") from error
        return _checked(_read(data, where), where)


def _dump(value: Any) -> str:
    """JSON with one template, pattern or own pattern a line."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join("  " + _plain(row) for row in value) + "\n ]"
    if isinstance(value, dict) and value and all(isinstance(item, str) for item in value.values()):
        return "{\n" + ",\n".join(f"  {_plain(key)}: {_plain(item)}" for key, item in value.items()) + "\n }"
    return _plain(value)


def _plain(value: Any) -> str:
    """JSON that keeps all scripts readable; lone surrogates and invisible characters are escaped."""
    return _invisible().sub(_escape, json.dumps(value, ensure_ascii=False))


@cache
def _invisible() -> regex.Pattern[str]:
    import regex  # here and below: packs are read without it, and it takes a while to load

    return regex.compile(r"[\p{C}\p{Z}--[ ]]", regex.VERSION1)


def _escape(match: regex.Match[str]) -> str:
    units = match.group().encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


_Kind = tuple[type | tuple[type, ...], str]
_KINDS: Mapping[str, _Kind] = {
    "generator": (str, "a string"),
    "source": (str, "a string"),
    "tokeniser": (dict, "an object"),
    "patterns": (dict, "an object"),
    "user_patterns": (list, "a list"),
    "documents": (int, "a number"),
    "dates": (list, "a list of two dates"),
    "method": (str, "a string"),
    "cutoff": (dict, "an object"),
    "rejected": (dict, "an object"),
    "templates": (list, "a list"),
}
RENAMED: Mapping[str, str] = {"dropped": "rejected", "overruled": "removed", "brought": "added"}
"""Old name of a field -> its name now; packs with old names are read, and written with the new ones."""
_OF_TOKENS = ""
"""In place of an expression that is to be made of its tokens."""
_TEMPLATE_KINDS: Mapping[str, _Kind] = {
    "id": (str, "a string"),
    "regex": (str, "a string"),
    "tokens": ((list, type(None)), "a list of strings, or null for an expression written by hand"),
    "df": (int, "a number"),
    "count": (int, "a number"),
    "example": (str, "a string"),
    "anchor": (str, "a string"),
}


def _fields(data: Any, kinds: Mapping[str, _Kind], where: str) -> None:
    if not isinstance(data, dict):
        raise PackError(f"{where}: expected an object, got {type(data).__name__}")
    for name, (kind, wanted) in kinds.items():
        if name not in data:
            raise PackError(f"{where}: the field {name!r} is missing")
        if not isinstance(data[name], kind) or (kind is int and isinstance(data[name], bool)):
            raise PackError(f"{where}: {name}: expected {wanted}, got {type(data[name]).__name__}")


def with_current_names(data: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    """The data of a pack with its fields by their names of now; a pack with old ones gets a notice."""
    old = [name for name, new in RENAMED.items() if name in data and new not in data]
    if not old:
        return data
    renamed = ", ".join(f"{name!r} is now {RENAMED[name]!r}" for name in old)
    warnings.warn(f"{where}: old names of fields: {renamed}; mine or save the pack again", FutureWarning, stacklevel=2)
    return {RENAMED[name] if name in old else name: value for name, value in data.items()}


def _read(data: Any, where: str) -> Pack:
    """Structure and types; the expressions are looked at afterwards."""
    if not isinstance(data, dict) or "schema" not in data:
        raise PackError(f"{where}: expected a pack, an object with a field 'schema'")
    if data["schema"] != SCHEMA:
        newer = isinstance(data["schema"], int) and data["schema"] > SCHEMA
        hint = "it is from a newer version; upgrade templatemine" if newer else "mine the source again"
        raise PackError(f"{where}: schema: expected {SCHEMA}, got {data['schema']!r}; {hint}")
    data = with_current_names(data, where)
    _fields(data, _KINDS, where)
    _fields(
        data["tokeniser"], {"html": (bool, "true or false"), "separators": (str, "a string")}, f"{where}: tokeniser"
    )
    if len(data["dates"]) != 2 or not all(date is None or isinstance(date, str) for date in data["dates"]):
        raise PackError(f"{where}: dates: expected two dates or nulls, got {data['dates']!r}")
    user: list[UserPattern] = []
    for place, row in enumerate(data["user_patterns"]):
        _fields(
            row,
            {"name": (str, "a string"), "regex": (str, "a string"), "spans": (bool, "true or false")},
            f"{where}: user_patterns[{place}]",
        )
        user.append(UserPattern(name=row["name"], regex=row["regex"], spans=row["spans"]))
    try:
        patterns = make_pattern_set(data["patterns"], user)
        patterns.scanner_arguments(data["tokeniser"]["separators"], data["tokeniser"]["html"])
    except ConfigError as error:
        raise PackError(f"{where}: {error}") from error
    for name, own in data["patterns"].items():
        if own != patterns.by_id[patterns.id_of[name]][1]:
            raise PackError(
                f"{where}: patterns.{name}: differs from this version's {name}; "
                "add an own pattern, or mine the source again"
            )
    templates = [read_listed(row, f"{where}: templates[{place}]") for place, row in enumerate(data["templates"])]
    return Pack(
        source=data["source"],
        html=data["tokeniser"]["html"],
        tokenise=TokeniseConfig(separators=data["tokeniser"]["separators"], patterns="own", user_patterns=tuple(user)),
        enabled=frozenset(data["patterns"]),
        documents=data["documents"],
        method=data["method"],
        cutoff=_read_cutoff(data["cutoff"], where),
        templates=tuple(templates),
        first_date=data["dates"][0],
        last_date=data["dates"][1],
        rejected=data["rejected"],
        pages=page_section.read(data, where),
        overrides=overrides.read(data, where, _read_template),
        generator=data["generator"],
        mined=read_mined(data, where),
    )


def read_mined(data: Mapping[str, Any], where: str) -> tuple[str, ...] | None:
    """What a pack notes of its mining; None if it does not."""
    marks = data.get("mined")
    if marks is None:
        return None
    if not isinstance(marks, list) or not all(isinstance(mark, str) for mark in marks):
        raise PackError(f"{where}: mined: expected a list of strings, as mining wrote it")
    return tuple(marks)


def read_listed(row: Any, here: str) -> Template:
    """A template whose expression may be null beside tokens: who edits these need not write it."""
    if isinstance(row, dict) and row.get("tokens") is not None and row.get("regex", "") is None:
        row = {**row, "regex": _OF_TOKENS}
    return _read_template(row, here)


def _read_template(row: Any, here: str) -> Template:
    _fields(row, _TEMPLATE_KINDS, here)
    if any("\ud800" <= char <= "\udfff" for char in row["id"]):
        raise PackError(f"{here}: id: expected whole characters, got {row['id']!r}")
    tokens = row["tokens"]
    if row["anchor"] not in ANCHORS:
        raise PackError(f"{here}: anchor: expected one of {', '.join(map(repr, ANCHORS))}, got {row['anchor']!r}")
    if tokens is not None and (not tokens or not all(isinstance(token, str) for token in tokens)):
        raise PackError(f"{here}: tokens: expected a list of strings, or null for an expression written by hand")
    return Template(
        id=row["id"],
        regex=row["regex"],
        tokens=None if tokens is None else tuple(tokens),
        df=row["df"],
        count=row["count"],
        example=row["example"],
        anchor=row["anchor"],
    )


def _read_cutoff(data: Mapping[str, Any], where: str) -> Cutoff:
    number: _Kind = ((int, float, type(None)), "a number or null")
    kinds: dict[str, _Kind] = {
        "method": (str, "a string"),
        "df": number,
        "share": number,
        "energy": number,
        "note": (str, "a string"),
    }
    _fields(
        data, {**kinds, "histogram": (list, "a list of counts"), "second_mode": (dict, "an object")}, f"{where}: cutoff"
    )
    if not all(isinstance(count, int) for count in data["histogram"]):
        raise PackError(f"{where}: cutoff.histogram: expected counts")
    return Cutoff(
        **{
            **{name: data[name] for name in kinds},
            "histogram": tuple(data["histogram"]),
            "second_mode": data["second_mode"],
        }
    )


def _checked(pack: Pack, where: str) -> Pack:
    """Every expression compiles, is safe, agrees with its tokens and matches its own example; those that are to be made
    of their tokens are."""
    seen: dict[str, int] = {}
    strings: dict[tuple[str, ...], str] = {}
    made: dict[int, Template] = {}
    for place, template in enumerate(pack.templates):
        here = f"{where}: templates[{place}] ({template.id})"
        if template.id in seen:
            raise PackError(f"{here}: the id stands at templates[{seen[template.id]}] too")
        seen[template.id] = place
        if template.tokens is None:
            check_written(template, here)
            continue
        if template.tokens in strings:
            raise PackError(f"{here}: the same tokens as {strings[template.tokens]}")
        strings[template.tokens] = template.id
        check_slot(pack, template, here)
        try:
            derived = pack.derived(template)
        except ValueError as error:
            raise PackError(f"{here}: tokens: {error}") from error
        if derived != template.regex:
            _check_stale(pack, template, here)
            made[place] = replace(template, regex=derived)
    if made:
        pack = replace(pack, templates=tuple(made.get(place, one) for place, one in enumerate(pack.templates)))
    _check_examples(pack, where)
    return pack


def _check_stale(pack: Pack, template: Template, here: str) -> None:
    """An expression that its tokens don't compile to is left out, or what another version made of them; else somebody
    edited one of the two, and would see no effect."""
    if template.regex == _OF_TOKENS:
        return
    compiled = _compile(template.regex, here)
    hit = compiled.search(template.example) if compiled.groups == 1 else None
    if pack.generator == GENERATOR or hit is None or hit.group(1) != template.example:
        raise PackError(
            f"{here}: regex and tokens disagree; edit the tokens, with null for the regex, "
            "or set them to null to keep the expression as written"
        )


def check_slot(pack: Pack, template: Template, here: str) -> None:
    """A slot stands beside other tokens and in no HTML; the first or the last one stands at an edge of its line."""
    tokens = template.tokens or ()
    slots = [token for token in tokens if token.startswith("{slot")]
    for token in slots:
        if kind_of(token) is None:
            known = ", ".join(KINDS)
            raise PackError(
                f"{here}: tokens: expected {{slot}}, or {{slot:...}} with {known} or a number of characters less "
                f"than {SLOT_SIZE}, got {token!r}"
            )
    if not slots:
        return
    if pack.html:
        raise PackError(f"{here}: tokens: {slots[0]} stands for a part of a line, and HTML has none")
    if len(slots) > 1 or len(tokens) < 2:
        raise PackError(f"{here}: tokens: expected {slots[0]} once and beside other tokens")
    if not template.slot:
        raise PackError(f"{here}: tokens: expected {slots[0]} as the first or the last one")
    if not ANCHORS[template.anchor] & ANCHORS[template.slot]:
        raise PackError(
            f"{here}: anchor: expected {template.slot!r} or 'line' beside {slots[0]}, got {template.anchor!r}"
        )


def _check_examples(pack: Pack, where: str) -> None:
    for row in _misfits(pack, *pack.matcher()):
        template = pack.templates[row]
        raise PackError(
            f"{where}: templates[{row}] ({template.id}): the expression does not match its own example "
            f"{template.example[:60]!r}"
        )


def _misfits(pack: Pack, matcher: _match.Matcher, rows: Sequence[int]) -> Iterator[int]:
    """Places of templates that the automaton does not find in their own example, from end to end."""
    for number, row in enumerate(rows):
        data = Encoded(pack.templates[row].example, pack.patterns, pack.tokenise.separators).data
        if not matcher.holds(data, number):
            yield row


def without_misfits(pack: Pack) -> Pack:
    """A pack that was mined, as it may be saved, with its templates noted in `mined`.

    For one that does not match its own example `load` would refuse all of them, so such a one is left out, and the note
    of the cut-off says so.
    """
    wrong = {*_misfits(pack, *pack.make_matcher())}
    pack = replace(
        pack, mined=tuple(sorted(mark_of(one) for row, one in enumerate(pack.templates) if row not in wrong))
    )
    if not wrong:
        return pack
    names = ", ".join(pack.templates[row].id for row in sorted(wrong))
    return replace(
        pack,
        templates=tuple(one for row, one in enumerate(pack.templates) if row not in wrong),
        cutoff=replace(pack.cutoff, note=f"{pack.cutoff.note}; left out, as no match of their own example: {names}"),
    )


def compiled_safely(source: str, here: str) -> regex.Pattern[str]:
    """An expression written by hand, compiled.

    Raises
    ------
    PackError
        It does not compile, may backtrack exponentially, has several groups, or matches the empty text.
    """
    compiled = _compile(source, here)
    problem = backtracking(source)
    if problem:
        raise PackError(f"{here}: regex: {problem}")
    if compiled.groups > 1:
        raise PackError(f"{here}: regex: expected at most one capturing group, the text to cut, got {compiled.groups}")
    if compiled.search("") is not None:
        raise PackError(f"{here}: regex: matches the empty text")
    return compiled


def _compile(source: str, here: str) -> regex.Pattern[str]:
    import regex

    try:
        re.compile(source)
        return regex.compile(source)
    except (re.error, regex.error, OverflowError, RecursionError) as error:
        raise PackError(f"{here}: regex: does not compile: {error}") from error


def check_written(template: Template, here: str) -> None:
    """Refuse an expression written by hand that cannot be trusted.

    Raises
    ------
    PackError
        As `compiled_safely`, or it does not match its own example.
    """
    if compiled_safely(template.regex, here).search(template.example) is None:
        raise PackError(f"{here}: regex: does not match its own example {template.example[:60]!r}")
