"""Packs as JSON that a person can read, compare, edit and lint: written with a template a line, and read with distrust.

Expressions of tokens are in their short form (`short_forms`).  Beside tokens an expression may be null: it is made of
the tokens, and so it is where another version has written the pack.  ``mined``
names what mining gave: by it a later mining tells what a person has changed in the list since (`apply_rules`).  An
unknown schema and missing or wrong fields are refused here by name and place, expressions by `pack_checks`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, fields, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import orjson

from templatemine._version import __version__
from templatemine.config import TokeniseConfig, UserPattern
from templatemine.errors import ConfigError, PackError, UnreadablePackError
from templatemine.kinds import KINDS
from templatemine.model import Cutoff, PathVote, Question, RepeatedText, Template
from templatemine.packs import overrides, page_section
from templatemine.packs.oddities import tell_oddities
from templatemine.packs.pack_checks import FROM_TOKENS, check_pack
from templatemine.packs.pack_record import AnyPack, PackRecord, mined_entry
from templatemine.packs.short_forms import ShortForms, collect_boundaries, read_boundaries, slot_expression
from templatemine.text.expressions import ANCHORS
from templatemine.text.patterns import make_pattern_set
from templatemine.text.reading import PLAIN, ReadingRules

if TYPE_CHECKING:
    import regex

_ENCODER = json.JSONEncoder(ensure_ascii=False)

SCHEMA = 2
"""The version of the format that is written and read."""


# ------------------------------------------------------------------------------------------------------------- writing


def write(pack: PackRecord) -> str:
    """Return the pack as JSON text; the same pack gives the same text."""
    return PackSerialiser().serialise(pack).decode("utf-8")


def write_checked(pack: PackRecord) -> str:
    """Call `write`, then check the result as a reader does: no unreadable file takes the place of a pack.

    Raises
    ------
    UnreadablePackError
        Naming the source and the rule.
    """
    text = write(pack)
    try:
        # Without a look for oddities: nobody has edited it.
        check_pack(_build_pack(json.loads(text), pack.source, type(pack)), pack.source)
    except PackError as error:
        raise UnreadablePackError(
            f"{error}; so this pack would be refused by whoever reads it, and is not written. "
            f"If mining made it, this is a bug of templatemine {__version__}: please report it, with this line"
        ) from error
    return text


class PackSerialiser:
    """One pack after the other as JSON text.  Objects that one shares with those before are taken from a cache: of
    thousands of templates a decision changes a few."""

    def __init__(self) -> None:
        self._short_forms = ShortForms({}, {})
        self._templates: dict[int, tuple[Template, bytes, frozenset[str]]] = {}
        self._slots: dict[int, tuple[Template, str]] = {}
        self._lists: dict[str, tuple[object, bytes]] = {}

    def serialise(self, pack: PackRecord) -> bytes:
        """Return the pack as `write` gives it, in UTF-8."""
        pieces, separator = [], b"{\n"
        for key, value in _pack_fields(pack, self._update_short_forms(pack)).items():
            pieces.append(separator + f" {json.dumps(key)}: ".encode())
            if key in ("templates", "removed") and value:
                pieces += [b"[\n", *self._serialise_templates(value), b"\n ]"]
            else:
                pieces.append(self._serialise_value(pack, key, value))
            separator = b",\n"
        return b"".join([*pieces, b"\n}\n"])

    @property
    def boundaries(self) -> Mapping[str, str]:
        """Return the boundaries of the last pack."""
        return self._short_forms.boundaries

    def _update_short_forms(self, pack: PackRecord) -> ShortForms:
        boundaries, patterns = collect_boundaries(pack, self._cached_slot), dict(pack.patterns.by_id.values())
        if (boundaries, patterns) != (self._short_forms.boundaries, self._short_forms.patterns):
            short_forms = ShortForms(boundaries, patterns)
            changed = short_forms.find_renamed(self._short_forms)  # slots are numbered in the order of the templates
            self._templates = (
                {} if changed is None else {key: row for key, row in self._templates.items() if not changed & row[2]}
            )
            self._short_forms = short_forms
        self._short_forms.boundaries = boundaries  # in the order of this pack
        return self._short_forms

    def _cached_slot(self, pack: PackRecord, template: Template) -> str:
        cached = self._slots.get(id(template))
        if cached is None:
            cached = self._slots[id(template)] = template, slot_expression(pack, template)
        return cached[1]

    def _serialise_value(self, pack: PackRecord, key: str, value: Any) -> bytes:
        if key in ("patterns", "boundaries"):
            return _serialise_expressions(tuple(value.items()))
        if key not in ("mined", "questions") or pack.mined is None:
            return _escape_invisible(_dump_value(value))
        entries = getattr(pack, key)  # the list of a large pack is as long as its templates
        cached = self._lists.get(key)
        if cached is None or cached[0] is not entries:
            cached = self._lists[key] = entries, _escape_invisible(_dump_value(value))
        return cached[1]

    def _serialise_templates(self, templates: Sequence[Template]) -> Iterator[bytes]:
        """Yield the lines of templates, and separators."""
        for index, template in enumerate(templates):
            if index:
                yield b",\n"
            cached = self._templates.get(id(template))
            if cached is None:
                short, used = self._short_forms.shorten_with_texts(template)
                row = b"  " + _escape_invisible(_dump_json({**template.as_dict(), "regex": short}))
                cached = self._templates[id(template)] = template, row, used
            yield cached[1]


def _pack_fields(pack: PackRecord, short_forms: ShortForms) -> dict[str, Any]:
    """Return the fields; templates as they are."""
    patterns = pack.patterns
    names = [name for name, _ in patterns.by_id.values() if name in pack.enabled]
    return {
        "schema": SCHEMA,
        "generator": pack.generator,
        "source": pack.source,
        "tokeniser": {"html": pack.html, "separators": pack.tokenise.separators},
        "patterns": {name: patterns.by_id[patterns.id_of[name]][1] for name in names},
        "user_patterns": [asdict(pattern) for pattern in pack.tokenise.user_patterns],
        "boundaries": short_forms.boundaries,
        "documents": pack.documents,
        "dates": [pack.first_date, pack.last_date],
        "method": pack.method,
        **({"caution": pack.caution} if pack.caution != 1 else {}),
        **({"reading": _reading_fields(pack.reading)} if pack.reading != PLAIN else {}),
        "cutoff": {field.name: getattr(pack.cutoff, field.name) for field in fields(pack.cutoff)},
        "rejected": dict(pack.rejected),
        "templates": pack.templates,
        "mined": list(_mined_marks(pack) if pack.mined is None else pack.mined),
        **({"questions": [_question_fields(question) for question in pack.questions]} if pack.questions else {}),
        **overrides.write(pack.overrides),
        **page_section.write(pack.pages),
    }


@lru_cache(maxsize=16)
def _serialise_expressions(expressions: tuple[tuple[str, str], ...]) -> bytes:
    """Serialise patterns or boundaries: most of a small pack, and the same in most packs of an archive."""
    return _escape_invisible(_dump_value(dict(expressions)))


def _mined_marks(pack: PackRecord) -> list[str]:
    added = {*pack.overrides.added}
    mined = [template for template in pack.templates if template.tokens is not None and template.id not in added]
    return sorted(mined_entry(template) for template in (*mined, *pack.overrides.removed))


def _reading_fields(rules: ReadingRules) -> dict[str, Any]:
    words = {"starts": list(rules.starts), "whole": list(rules.whole)}
    fields = {"soft": rules.soft, **words, "markup": "html" if rules.markup else "none", "sentences": rules.sentences}
    return {**fields, "cut_off": rules.cut_off} if rules.cut_off else fields


def _dump_value(value: Any) -> str:
    """Write JSON with one template, pattern or own pattern a line."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join("  " + _dump_json(row) for row in value) + "\n ]"
    if isinstance(value, dict) and value and all(isinstance(item, str) for item in value.values()):
        return "{\n" + ",\n".join(f"  {_dump_json(key)}: {_dump_json(item)}" for key, item in value.items()) + "\n }"
    return _dump_json(value)


def _dump_json(value: Any) -> str:
    return _ENCODER.encode(value)


def _escape_invisible(text: str) -> bytes:
    if text.isprintable():  # the blank is the only separator that is
        return text.encode("utf-8")
    return _invisible_pattern().sub(_escape_match, text).encode("utf-8")


@cache
def _invisible_pattern() -> regex.Pattern[str]:
    """Match characters to escape, so that all scripts stay readable: lone surrogates and invisible characters. Line
    ends part the lines of a pack; within strings JSON escapes them itself."""
    import regex  # here and below: packs are read without it, and it takes a while to load

    return regex.compile(r"[\p{C}\p{Z}--[ \n]]", regex.VERSION1)


def _escape_match(match: regex.Match[str]) -> str:
    units = match.group().encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


# ------------------------------------------------------------------------------------------------------------- reading


def describe_json_error(where: str, error: ValueError | RecursionError) -> str:
    """Say where a file is no JSON, and what to do about a usual slip of who edits one."""
    if not isinstance(error, json.JSONDecodeError):
        return f"{where}: not JSON: {error}"
    remedy = _find_slip(error)
    return f"{where}: not JSON: {error.msg} (line {error.lineno}, column {error.colno}){': ' if remedy else ''}{remedy}"


def _find_slip(error: json.JSONDecodeError) -> str:
    """Return the slip that is at the place of an error, and its remedy; empty if it is none of the usual ones."""
    before, here = error.doc[: error.pos].rstrip()[-1:], error.doc[error.pos :][:5]
    behind = error.doc[error.pos + 1 :].lstrip()[:1]
    slips = (
        (error.msg.startswith("Invalid control"), "a line break or tab within a text; write \\n or \\t for it"),
        (error.msg.startswith("Invalid \\"), "a single backslash within a text; write two for one"),
        (here.startswith(("//", "/*", "#")), "JSON has no comments; delete it"),
        # Of a comma before a bracket newer versions of Python name the place of the comma.
        (before == "," and here[:1] in ("]", "}"), "a comma before a closing bracket; delete it"),
        (here[:1] == "," and behind in ("]", "}"), "a comma before a closing bracket; delete it"),
        (here[:1] == ",", "one comma too many; delete it"),
        (here[:1] in ("'", "‘", "’", "“", "”"), 'a quotation mark that is not "; write " for it'),
        (here.startswith(("True", "False", "None")), "write true, false or null in small letters"),
        ("," in error.msg and here[:1] in ('"', "{", "["), "a comma is missing before this; add it"),
        ("," in error.msg and before == '"', 'a " within a text; write \\" for it'),
    )
    return next((told for is_found, told in slips if is_found), "")


def read(text: str, where: str, make: Callable[..., AnyPack], *, history_only: bool = False) -> AnyPack:
    """Read the output of `write`; `make` makes the pack of its fields.

    With `history_only` a pack of HTML is read without its templates.

    Raises
    ------
    PackError
        Naming the field and its value, after `where`.
    """
    with suppress(orjson.JSONDecodeError, PackError):  # other JSON is reported below
        return _read_data(orjson.loads(text), text, where, make, history_only)
    try:
        data = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        lines = getattr(error, "msg", "") == "Extra data"
        more = "expected a pack, found more than one JSON value, as in JSON lines"
        raise PackError(f"{where}: {more}" if lines else describe_json_error(where, error)) from error
    except ValueError as error:  # a number of more digits than Python reads
        json.loads(text, parse_int=_Digits, object_pairs_hook=lambda pairs: _refuse_long_numbers(pairs, where))
        raise PackError(f"{where}: {error}") from error
    return _read_data(data, text, where, make, history_only)


def _read_data(data: Any, text: str, where: str, make: Callable[..., AnyPack], history_only: bool) -> AnyPack:
    pack = check_pack(_build_pack(_without_templates(data) if history_only else data, where, make), where)
    tell_oddities(data, text, _KNOWN_FIELDS, where, None if history_only and pack.html else pack)
    return pack


def _without_templates(data: Any) -> Any:
    """Return the data of a pack of HTML without its templates, any other as it is."""
    return (
        {**data, "templates": [], "mined": [], "questions": []} if isinstance(data, dict) and _is_html(data) else data
    )


def _is_html(data: Mapping[str, Any]) -> bool:
    tokeniser = data.get("tokeniser")
    return isinstance(tokeniser, dict) and tokeniser.get("html") is True


class _Digits(str):
    """A whole number as it is written."""


def _refuse_long_numbers(pairs: Sequence[tuple[str, Any]], where: str) -> dict[str, Any]:
    for name, value in pairs:
        for number in value if isinstance(value, list) else [value]:
            if isinstance(number, _Digits) and len(number) > _MAX_DIGITS:
                raise PackError(
                    f"{where}: {name}: expected a number of at most {_MAX_DIGITS} digits, got {len(number):,}"
                )
    return dict(pairs)


_MAX_ENTRIES = 1_000_000
"""Entries of a list: templates, own patterns, tokens, counts of a histogram."""

_MAX_DIGITS = 18
"""Digits that 64 bits always hold."""


def is_number(value: Any) -> bool:
    """Return whether a number is finite and fits 64 bits."""
    return bool(-(10**_MAX_DIGITS) < value < 10**_MAX_DIGITS)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and is_number(value)


_FieldType = tuple[type | tuple[type, ...], str]
_FIELD_TYPES: Mapping[str, _FieldType] = {
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
_TEMPLATE_FIELD_TYPES: Mapping[str, _FieldType] = {
    "id": (str, "a string"),
    "regex": (str, "a string"),
    "tokens": ((list, type(None)), "a list of strings, or null for an expression written by hand"),
    "df": (int, "a number"),
    "count": (int, "a number"),
    "example": (str, "a string"),
    "anchor": (str, "a string"),
}


_KNOWN_FIELDS: Mapping[str, frozenset[str]] = {
    "": frozenset(
        (
            *("schema", "boundaries", "caution", "mined", "questions", "reading"),
            *(*_FIELD_TYPES, *overrides.KEYS, *page_section.KEYS),
        )
    ),
    "tokeniser": frozenset(("html", "separators")),
    "user_patterns": frozenset(field.name for field in fields(UserPattern)),
    "cutoff": frozenset(field.name for field in fields(Cutoff)),
    "templates": frozenset(field.name for field in fields(Template)),
    "removed": frozenset(field.name for field in fields(Template)),
    "questions": frozenset(field.name for field in fields(Question)),
    "pages": frozenset(("documents", "share")),
    "page_paths": frozenset(field.name for field in fields(PathVote)),
    "page_texts": frozenset(field.name for field in fields(RepeatedText)),
}
"""Fields of a pack, and of the objects in it, by their key."""


def _check_fields(data: Any, kinds: Mapping[str, _FieldType], where: str) -> None:
    if not isinstance(data, dict):
        raise PackError(f"{where}: expected an object, got {type(data).__name__}")
    for name, (field_type, expected) in kinds.items():
        if name not in data:
            raise PackError(f"{where}: the field {name!r} is missing")
        value: Any = data[name]
        if field_type is str and isinstance(value, str):  # most
            continue
        if not isinstance(value, field_type) or (field_type is not bool and isinstance(value, bool)):
            raise PackError(f"{where}: {name}: expected {expected}, got {type(value).__name__}")
        if isinstance(value, list) and len(value) > _MAX_ENTRIES:
            raise PackError(f"{where}: {name}: expected at most {_MAX_ENTRIES:,} entries, got {len(value):,}")
        if field_type is int and isinstance(value, int) and value < 0:
            raise PackError(f"{where}: {name}: expected {expected} from 0 up, got {value!r:.40}")
        if isinstance(value, int | float) and not is_number(value):
            raise PackError(f"{where}: {name}: expected {expected} of at most {_MAX_DIGITS} digits, got {value!r:.40}")


def _build_pack(data: Any, where: str, make: Callable[..., AnyPack]) -> AnyPack:
    """Build a pack from checked structure and types; the expressions are checked afterwards."""
    if not isinstance(data, dict) or "schema" not in data:
        is_record = isinstance(data, dict) and ("text" in data or "html" in data)
        found = "; found an article: mine makes packs of an archive" if is_record else ""
        raise PackError(f"{where}: expected a pack, an object with a field 'schema'{found}")
    if type(data["schema"]) is not int or data["schema"] != SCHEMA:
        newer = isinstance(data["schema"], int) and data["schema"] > SCHEMA
        hint = "it is from a newer version; upgrade templatemine" if newer else "mine the source again"
        raise PackError(f"{where}: schema: expected {SCHEMA}, got {data['schema']!r}; {hint}")
    _check_fields(data, _FIELD_TYPES, where)
    _check_fields(
        data["tokeniser"], {"html": (bool, "true or false"), "separators": (str, "a string")}, f"{where}: tokeniser"
    )
    if len(data["dates"]) != 2 or not all(date is None or isinstance(date, str) for date in data["dates"]):
        raise PackError(f"{where}: dates: expected two dates or nulls, got {data['dates']!r}")
    for reason, count in data["rejected"].items():
        if not _is_whole(count):
            raise PackError(f"{where}: rejected.{reason}: expected a number of candidates, got {count!r:.40}")
    user: list[UserPattern] = []
    for index, row in enumerate(data["user_patterns"]):
        _check_fields(
            row,
            {"name": (str, "a string"), "regex": (str, "a string"), "spans": (bool, "true or false")},
            f"{where}: user_patterns[{index}]",
        )
        user.append(UserPattern(name=row["name"], regex=row["regex"], spans=row["spans"]))
    try:
        patterns = make_pattern_set(data["patterns"], user)
        patterns.scanner_arguments(data["tokeniser"]["separators"], data["tokeniser"]["html"])
    except ConfigError as error:
        raise PackError(f"{where}: {error}") from error
    for name, pattern in data["patterns"].items():
        if pattern != patterns.by_id[patterns.id_of[name]][1]:
            raise PackError(
                f"{where}: patterns.{name}: differs from this version's {name}; "
                "add an own pattern, or mine the source again"
            )
    short_forms = ShortForms(read_boundaries(data, where), dict(patterns.by_id.values()))

    def template(row: Any, here: str) -> Template:
        return read_template(row, here, short_forms)

    return _compile_removed(
        make(
            source=data["source"],
            html=data["tokeniser"]["html"],
            tokenise=TokeniseConfig(separators=data["tokeniser"]["separators"], user_patterns=tuple(user)),
            enabled=frozenset(data["patterns"]),
            documents=data["documents"],
            method=data["method"],
            cutoff=_read_cutoff(data["cutoff"], where),
            templates=tuple(template(row, f"{where}: templates[{n}]") for n, row in enumerate(data["templates"])),
            first_date=data["dates"][0],
            last_date=data["dates"][1],
            rejected=data["rejected"],
            pages=page_section.read(data, where),
            overrides=overrides.read(data, where, template),
            questions=_read_questions(data.get("questions", []), f"{where}: questions"),
            generator=data["generator"],
            mined=read_mined(data, where),
            caution=_read_caution(data, where),
            reading=_read_reading(data.get("reading"), f"{where}: reading"),
        )
    )


def _compile_removed(pack: AnyPack) -> AnyPack:
    """Compile templates that rules removed: they are not checked, but may come back."""
    removed = tuple(
        replace(template, regex=pack.derived(template))
        if template.regex == FROM_TOKENS and template.tokens is not None
        else template
        for template in pack.overrides.removed
    )
    return (
        pack if removed == pack.overrides.removed else replace(pack, overrides=replace(pack.overrides, removed=removed))
    )


def read_mined(data: Mapping[str, Any], where: str) -> tuple[str, ...] | None:
    """Return the templates that mining gave, see `Pack.mined`; None if the pack does not tell."""
    marks = data.get("mined")
    if marks is None:
        return None
    if not isinstance(marks, list) or not all(isinstance(mark, str) for mark in marks):
        raise PackError(f"{where}: mined: expected a list of strings, as mining wrote it")
    return tuple(marks)


def read_template(row: Any, here: str, short_forms: ShortForms | None = None) -> Template:
    """Return a template whose expression may be null beside tokens: who edits these need not write it; else it may be
    one of some `short_forms`."""
    if isinstance(row, dict) and row.get("tokens") is not None and row.get("regex", "") is None:
        row = {**row, "regex": FROM_TOKENS}
    _check_fields(row, _TEMPLATE_FIELD_TYPES, here)
    if not row["id"].isascii() and any("\ud800" <= char <= "\udfff" for char in row["id"]):
        raise PackError(f"{here}: id: expected whole characters, got {row['id']!r}")
    tokens = row["tokens"]
    if row["anchor"] not in ANCHORS:
        raise PackError(f"{here}: anchor: expected one of {', '.join(map(repr, ANCHORS))}, got {row['anchor']!r}")
    if tokens is not None and {*map(type, tokens)} != {str}:
        raise PackError(f"{here}: tokens: expected a list of strings, or null for an expression written by hand")
    return Template(
        id=row["id"],
        regex=row["regex"] if tokens is None or short_forms is None else short_forms.expand(row["regex"], here),
        tokens=None if tokens is None else tuple(tokens),
        df=row["df"],
        count=row["count"],
        example=row["example"],
        anchor=row["anchor"],
        kind=_read_kind(row.get("kind", ""), here),
        **_read_score(row, here),
    )


def _read_kind(value: Any, here: str) -> str:
    """Return the kind of a template, which old packs do not have."""
    if not isinstance(value, str) or (value and value not in KINDS):
        raise PackError(f"{here}: kind: expected one of {', '.join(KINDS)}, or none, got {value!r:.60}")
    return value


def _read_score(row: Mapping[str, Any], here: str) -> dict[str, Any]:
    """Read score and reasons of a template, which old packs and those of other methods do not have."""
    if row.get("score") is None:
        return {}
    text_list = ((list,), "a list of strings")
    _check_fields(
        row, {"score": ((int, float), "a number"), "reasons_for": text_list, "reasons_against": text_list}, here
    )
    if not all(isinstance(text, str) for name in ("reasons_for", "reasons_against") for text in row[name]):
        raise PackError(f"{here}: reasons_for, reasons_against: expected lists of strings")
    return {
        "score": float(row["score"]),
        "reasons_for": tuple(row["reasons_for"]),
        "reasons_against": tuple(row["reasons_against"]),
    }


_QUESTION_FIELD_TYPES: Mapping[str, _FieldType] = {
    "tokens": (list, "a list of strings"),
    "df": (int, "a number"),
    "count": (int, "a number"),
    "anchor": (str, "a string"),
    "filled": (str, "a string"),
    "example": (str, "a string"),
    "score": ((int, float), "a number"),
    "stake": (int, "a number"),
}


def _question_fields(question: Question) -> dict[str, Any]:
    """Return the fields of a question; `kind` and `within` if there is any."""
    return {name: value for name, value in asdict(question).items() if name not in ("kind", "within") or value}


def _read_questions(rows: Any, where: str) -> tuple[Question, ...]:
    """Return the questions of a pack; packs of other methods, and old ones, have none."""
    if not isinstance(rows, list):
        raise PackError(f"{where}: expected a list, got {type(rows).__name__}")
    questions = []
    for index, row in enumerate(rows):
        here = f"{where}[{index}]"
        _check_fields(row, _QUESTION_FIELD_TYPES, here)
        if not row["tokens"] or not all(isinstance(token, str) for token in row["tokens"]):
            raise PackError(f"{here}: tokens: expected a list of strings, got {row['tokens']!r:.80}")
        if row["anchor"] not in ANCHORS or row["filled"] not in ("", "start", "end"):
            raise PackError(
                f"{here}: anchor, filled: expected sides of a line, got {row['anchor']!r}, {row['filled']!r}"
            )
        kind = row.get("kind", "")
        if kind not in ("", *KINDS):
            raise PackError(f"{here}: kind: expected one of {', '.join(KINDS)}, got {kind!r:.60}")
        within = row.get("within", 0.0)
        if type(within) not in (int, float) or not 0 <= within <= 1:
            raise PackError(f"{here}: within: expected a share, got {within!r:.60}")
        values = {**{name: row[name] for name in _QUESTION_FIELD_TYPES}, "kind": kind, "within": within}
        questions.append(Question(**{**values, "tokens": tuple(row["tokens"])}))
    return tuple(questions)


def _read_caution(data: Mapping[str, Any], where: str) -> float:
    """Return the caution of mining; packs of the default, and old ones, do not have it."""
    if "caution" not in data:
        return 1.0
    _check_fields(data, {"caution": ((int, float), "a number")}, where)
    if data["caution"] <= 0:
        raise PackError(f"{where}: caution: expected a number above 0, got {data['caution']!r:.40}")
    return float(data["caution"])


def _read_reading(data: Any, where: str) -> ReadingRules:
    """Read how texts are read; packs of plain texts, and old ones, do not say it."""
    if data is None:
        return PLAIN
    list_type = (list, "a list of words")
    kinds = {"soft": (bool, "true or false"), "starts": list_type, "whole": list_type, "markup": (str, "none or html")}
    kinds["sentences"] = (bool, "true or false")
    if "cut_off" in data:  # packs of texts that are whole, and old ones, do not have it
        kinds["cut_off"] = (int, "a number of characters")
    _check_fields(data, kinds, where)
    for name in ("starts", "whole"):
        if not {*map(type, data[name])} <= {str}:
            raise PackError(f"{where}: {name}: expected a list of words, got {data[name]!r:.80}")
    if data["markup"] not in ("none", "html"):
        raise PackError(f"{where}: markup: expected none or html, got {data['markup']!r:.40}")
    words = {name: tuple(data[name]) for name in ("starts", "whole")}
    return ReadingRules(
        soft=data["soft"],
        markup=data["markup"] == "html",
        sentences=data["sentences"],
        cut_off=data.get("cut_off", 0),
        **words,
    )


def _read_cutoff(data: Mapping[str, Any], where: str) -> Cutoff:
    number_type: _FieldType = ((int, float, type(None)), "a number or null")
    kinds: dict[str, _FieldType] = {
        "method": (str, "a string"),
        "df": number_type,
        "share": number_type,
        "energy": number_type,
        "note": (str, "a string"),
    }
    _check_fields(
        data, {**kinds, "histogram": (list, "a list of counts"), "second_mode": (dict, "an object")}, f"{where}: cutoff"
    )
    counts = data["histogram"]
    if not {*map(type, counts)} <= {int} or not all(map(is_number, (min(counts, default=0), max(counts, default=0)))):
        raise PackError(f"{where}: cutoff.histogram: expected counts")
    return Cutoff(
        **{
            **{name: data[name] for name in kinds},
            "histogram": tuple(counts),
            "second_mode": data["second_mode"],
        }
    )
