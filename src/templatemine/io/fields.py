"""From the fields of a record to a `Document`: checked, with messages that name expectation and finding."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from templatemine.config import ReadConfig
from templatemine.errors import CorpusError, HintedError, spelled
from templatemine.io.files import too_large_problem
from templatemine.model import Document, exact_str


def build_document(fields: Any, config: ReadConfig, source: str, number: int, place: str) -> Document:
    """Check the fields of a record and pick those that a `Document` needs; see `check_fields`."""
    name, identity, text, html = check_fields(fields, config, source, number, place)
    title = fields.get(config.title_field)
    return Document(
        source=name,
        id=identity,
        text=text,
        html=html,
        url=address_of(fields, config),
        date=date_of(fields, config),
        title=title if isinstance(title, str) else None,
    )


def check_fields(
    fields: Any, config: ReadConfig, source: str, number: int, place: str, *, nulls: bool = False
) -> tuple[str, str, str | None, str | None]:
    """Return source, id, text and html of a record, checked.

    Parameters
    ----------
    fields : object
        Should be a dict.
    config : ReadConfig
        Names of the fields, and the rule for the source.
    source : str
        Source of records without one; empty and blank ones count as missing.
    number : int
        Of the record in its file, for the id of one without.
    place : str
        The file, for rules that go by its path.
    nulls : bool
        A text or page may be null, if it is there.

    Raises
    ------
    ValueError
        Not a dict, a field of the wrong type, or no body.
    """
    if type(fields) is not dict:
        raise ValueError(f"expected a JSON object, found {json_type(fields)}")
    get = fields.get
    text, html = get(config.text_field), get(config.html_field)
    if not isinstance(text, str) and text is not None:
        raise ValueError(f"expected a string in field {config.text_field!r}, found {json_type(text)}")
    if not isinstance(html, str) and html is not None:
        raise ValueError(f"expected a string in field {config.html_field!r}, found {json_type(html)}")
    if text is None and html is None and not (nulls and (config.text_field in fields or config.html_field in fields)):
        raise missing_body_error(fields, config)
    html = page_of(text, html)
    if config.source_of is None:
        named = get(config.source_field)
        name = source if is_missing(named) else _check_name(named, config.source_field, source)
    else:
        from templatemine.io.sources import source_of  # here, for hardly any run has a rule

        name = source_of(config.source_of, fields, place, config.url_field)
    identity = get(config.id_field) if has_id(fields, config) else None
    return name, _check_name(identity, config.id_field, f"{source}:{number}"), text, html


def is_missing(source: object) -> bool:
    """Return whether the field of the source names none: nothing, or blanks, as tables have them."""
    return source is None or (isinstance(source, str) and not source.strip())


MAX_OVERRULED = 1000
"""Sources that are counted: that they are many is all that there is to say of more."""


def count_overruled(counts: dict[str, int], fields: Mapping[str, Any], config: ReadConfig) -> None:
    """Count the source that a record names, if the configuration says another one for all records."""
    named = fields.get(config.source_field)
    if config.source is None or not isinstance(named, str) or named in ("", config.source):
        return
    if named in counts or len(counts) < MAX_OVERRULED:
        counts[named] = counts.get(named, 0) + 1


def describe_overruled(sources: Collection[str], config: ReadConfig, instead: str = "") -> str:
    """Say that several sources that records name have become one, and what to give `instead` for one of them; nothing
    of one source, which has another name now."""
    if len(sources) < 2:
        return ""
    option = spelled(f"--source {config.source}", f"source={config.source!r}")
    some = ", ".join(map(repr, sorted(sources)[:2]))
    number = f"{len(sources):,}{' or more' if len(sources) == MAX_OVERRULED else ''}"
    return (
        f"{option} makes one source of {number} that records name, such as {some}; without it each is one of "
        f"its own{instead}, and the command sort makes a file of each"
    )


_NEAR_TEXT = frozenset(
    "text txt body content contents article maintext main_text fulltext full_text article_text articlebody "
    "article_body raw_text plain_text story".split()
)
"""Names, in small letters, of fields that probably hold a text."""

_NEAR_SOURCE = (
    *("source", "site", "outlet", "publisher", "newspaper", "domain", "host", "website", "site_name", "source_name"),
)


def near_sources(fields: Mapping[str, Any]) -> dict[str, str]:
    """Return the fields of a record that probably name its source, by their names, with their values."""
    found = {name: fields.get(name) for name in _NEAR_SOURCE}
    return {name: value for name, value in found.items() if isinstance(value, str) and value.strip()}


def has_id(fields: Mapping[str, Any], config: ReadConfig) -> bool:
    """Return whether a record has an id of its own; empty ones, as in tables, count as missing."""
    value = fields.get(config.id_field)
    return value is not None and value != ""


def address_of(fields: Mapping[str, Any], config: ReadConfig) -> str | None:
    """Return the address of a record, if it has one."""
    url = fields.get(config.url_field)
    return exact_str(url) if isinstance(url, str) else None


def date_of(fields: Mapping[str, Any], config: ReadConfig) -> str | None:
    """Return the date of a record as a string, if it has one: a date of a data frame as ISO 8601, a number by its
    digits."""
    value = fields.get(config.date_field)
    if value is None or isinstance(value, str):
        return None if value is None else exact_str(value)
    if isinstance(value, datetime.date):  # a datetime is one, and so are the times of pandas
        return value.isoformat() if value == value else None  # NaT has no date, and equals nothing
    if isinstance(value, float) and value.is_integer():  # a column of numbers in which some are missing
        value = int(value)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def page_of(text: object, html: str | None) -> str | None:
    """Return the page of a record; none where an empty one accompanies a text, as is written where there is no page."""
    return None if html is not None and text is not None and not html.strip() else html


def check_names(names: Iterable[str], place: str) -> None:
    """Refuse a table in which two columns have one name: as fields of a record, one would be lost."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise CorpusError(f"expected columns with names of their own, found two called {name!r}", place, fatal=True)
        seen.add(name)


def order_columns(names: Iterable[str], made: Iterable[str]) -> list[str]:
    """Return the columns of a table of cleaned records: those of the first record in their order, then those that
    cleaning makes. Of these, all that stand last have their own order, whichever of them the first record has."""
    found, made = list(names), list(made)
    while found and found[-1] in made:
        found.pop()
    return [*found, *(name for name in made if name not in found)]


def check_same_fields(fields: Mapping[str, Any], columns: Iterable[str], number: int, place: str) -> None:
    """Raise a fatal CorpusError if a record has a field that is no column of a table, by the first record."""
    if others := fields.keys() - set(columns):
        raise CorpusError(
            f"expected records with the same fields as the first, found {min(others)!r} in record {number:,} "
            f"(id {fields.get('id')!r:.60}); JSON lines can hold both (.jsonl)",
            place,
            fatal=True,
        )


def check_size(config: ReadConfig, *bodies: str | None) -> None:
    """Raise a ValueError if one of some texts has more bytes than a record may."""
    for body in bodies:
        # No character takes more than four bytes, so that most need not be counted.
        if body and len(body) * 4 > config.max_record and len(body.encode("utf-8", "replace")) > config.max_record:
            raise ValueError(too_large_problem(config.max_record))


def _check_name(value: object, field: str, default: str) -> str:
    """Return a source or an id as a string; `default` where the field is missing or null."""
    if isinstance(value, str):
        return exact_str(value)
    if value is None:
        return default
    if type(value) is int or type(value) is float:
        return str(value)
    raise ValueError(f"expected a string or a number in field {field!r}, found {json_type(value)}")


def missing_body_error(fields: Collection[str], config: ReadConfig) -> ValueError:
    """Return the error for a record of these fields, none of which holds a text or a page."""
    wanted = f"expected a field {config.text_field!r} or {config.html_field!r}"
    nulls = [repr(name) for name in (config.text_field, config.html_field) if name in fields]
    near = next((name for name in fields if name.casefold() in _NEAR_TEXT and repr(name) not in nulls), None)
    maybe = "" if near is None else f"; {spelled(f'--text-field {near}', f'text_field={near!r}')}?"
    hint = f" ({spelled('--text-field', 'text_field=')} names another{maybe})"
    if nulls:
        problem = f"{wanted} that holds a string, found null in {' and '.join(nulls)}"
        return HintedError(problem, hint) if maybe else ValueError(problem)
    shown = ", ".join(repr(name[:30]) for name in list(fields)[:8]) + (", ..." if len(fields) > 8 else "")
    if not fields:
        return ValueError(f"{wanted}, found an empty object")
    return HintedError(f"{wanted}, found only {shown}", hint)


_JSON_TYPES = {
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    list: "an array",
    dict: "an object",
}


def json_type(value: object) -> str:
    """Name the type of a value, for messages."""
    return "null" if value is None else _JSON_TYPES.get(type(value), f"a {type(value).__name__}")
