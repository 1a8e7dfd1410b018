"""Rules for the source of a record, which a person can write in a word.

===============  ==================================================================================================
``domain``       the registered domain of the record's url: ``https://news.bbc.co.uk/1/`` is ``bbc.co.uk``
``host``         the host of the url: ``news.bbc.co.uk``
``field:NAME``   the field NAME
``name:NAME``    NAME, for all records
``path:N``       a part of the file's path: 0 the file's name without its suffixes, 1 the folder it lies in, ...
``re:REGEX``     what the one group of an expression holds where it first matches the url
===============  ==================================================================================================

Registered domains go by the public suffix list that comes with tldextract, without the network and without files of its
own: the same version gives the same sources everywhere.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any
from urllib.parse import urlsplit

from templatemine.errors import ConfigError, HintedError, did_you_mean, needs_extra
from templatemine.io.files import stem

Rule = Callable[[Mapping[str, Any], str, str], object]
"""Fields, file and url of a record -> its source."""

RULE_SYNTAX = "expected domain, host, field:NAME, name:NAME, path:N or re:REGEX with one group"


_RULES = ("domain", "host", "field", "name", "path", "re")


def source_of(rule: str, fields: Mapping[str, Any], place: str, url_field: str = "url") -> str:
    """Return the source of a record by a rule.

    Parameters
    ----------
    rule : str
        See the table above.
    fields : mapping
        Of the record.
    place : str
        Its file.
    url_field : str
        Which of the fields is its url.

    Raises
    ------
    ValueError
        The rule gives no source for this record.
    ConfigError
        The rule is invalid.
    """
    url = fields.get(url_field)
    found = _compile_rule(rule)(fields, place, url if isinstance(url, str) else "")
    if isinstance(found, int | float) and not isinstance(found, bool):
        found = str(found)
    if not isinstance(found, str) or not found.strip():
        kind, _, name = rule.partition(":")
        wanted = f"expected a source by the rule {rule!r}, found"
        if kind != "field":
            raise ValueError(f"{wanted} none ({url_field}: {url!r})")
        if name in fields:
            raise ValueError(f"{wanted} {fields[name]!r:.60} in it")
        raise HintedError(f"{wanted} no such field", did_you_mean(name, fields))
    return found


def check_rule(rule: str) -> None:
    """Raise a `ConfigError` for an invalid rule, and a `MissingExtraError` if its library is not installed."""
    _compile_rule(rule)
    if rule == "domain":
        _suffixes()


@lru_cache(maxsize=16)
def _compile_rule(rule: str) -> Rule:
    name, colon, rest = rule.partition(":")
    if rule == "domain":
        return lambda fields, place, url: domain_of(url)
    if rule == "host":
        return lambda fields, place, url: host_of(url)
    if name == "field" and rest:
        return lambda fields, place, url: fields.get(rest)
    if name == "name" and rest.strip():
        return lambda fields, place, url: rest
    if name == "path" and rest.isdecimal():
        return lambda fields, place, url: _path_part(place, int(rest))
    if name == "re" and colon:
        import regex

        try:
            pattern = regex.compile(rest)
        except regex.error as error:
            raise ConfigError(f"source_of: {rule!r}: {error}") from error
        if pattern.groups == 1:
            return lambda fields, place, url: (match := pattern.search(url)) and match[1]
    if not colon:
        name, colon, rest = rule.partition("=")
    meant = did_you_mean(name, _RULES).replace("?", f":{rest}?" if rest else "?")
    meant = "" if name in _RULES and colon != "=" else meant
    raise ConfigError(f"source_of: {RULE_SYNTAX}, got {rule!r}{meant}")


def _path_part(place: str, number: int) -> str:
    if number == 0:
        return stem("-" if place == "stdin" else place)
    parts = os.path.abspath(place).split(os.sep)
    return parts[-1 - number] if number < len(parts) else ""


def host_of(url: str) -> str:
    """Return the host of a URL in lower case, without port and user; empty if it has none."""
    try:
        return (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:  # brackets that hold no address
        return ""


def domain_of(url: str) -> str:
    """Return the registered domain of a URL; the host itself where there is none (an address, a single name)."""
    return _domain(host_of(url))


@lru_cache(maxsize=1 << 16)
def _domain(host: str) -> str:
    return (_suffixes().extract_str(host).top_domain_under_public_suffix or host) if host else ""


@cache
def _suffixes() -> Any:
    with needs_extra("registered domains need tldextract", "warc"):
        import tldextract
    return tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
