"""The bounds of every option: one table for the command line, the file of defaults and Python.

`check_record` is called where a record of options is made, by its base `Options` if there is no more to check: each
field has the type that it is declared with, a number lies in its row of `NUMBERS`, a word is one of its row of `WORDS`.
The command line makes its types of the same rows (`cli.number_types`), and so the file of defaults has them, too.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Mapping, Set
from dataclasses import fields
from numbers import Integral, Real
from typing import Any, NamedTuple

from templatemine.errors import ConfigError

LARGEST = 2**31 - 1
"""Limit of counts: the longest length of native code, and more than any archive has of documents in a source."""


class Range(NamedTuple):
    """Numbers from `least` to `most`; `whole` without fractions, `size` in bytes, which is written as 2G.  Where `most`
    is no limit of the machine, `why_most` says what is behind it."""

    least: float
    most: float
    whole: bool = True
    size: bool = False
    why_most: str = ""

    @property
    def kind(self) -> str:
        """Return the expected type, without the bounds."""
        return "a size" if self.size else "a whole number" if self.whole else "a number"

    def problem(self, value: object) -> str:
        """Return the expectation that a value fails; empty if it is fine."""
        is_share = (self.least, self.most, self.whole) == (0, 1, False)
        if isinstance(value, bool) or not isinstance(value, Integral if self.whole else Real):
            return "expected a number from 0 to 1" if is_share else f"expected {self.kind}"
        if self.least <= value <= self.most:  # type: ignore[operator]  # no type of numbers; NaN is in no range
            return ""
        if is_share:
            return "expected a number from 0 to 1"
        low = not value > self.most  # type: ignore[operator]
        if low and 0 < self.least <= 1e-9:  # no bound for people, but the least that can be told from 0
            return f"expected {self.kind} above 0"
        return f"expected {self.kind} of at {'least' if low else 'most'} {self._show(self.least if low else self.most)}"

    def remedy(self, value: object) -> str:
        """Return what to add to a message about a value above the range: why, and what to do."""
        is_high = isinstance(value, Real) and value > self.most  # type: ignore[operator]  # no type of numbers
        return f"; {self.why_most}" if self.why_most and is_high else ""

    def _show(self, bound: float) -> str:
        if self.size:
            unit = max(power for power in range(5) if bound >= 1 << 10 * power)
            return f"{bound / (1 << 10 * unit):.15g}{'BKMGT'[unit].removeprefix('B')}"
        return f"{int(bound):,}" if self.whole else f"{bound:g}"


def whole(least: int, most: int = LARGEST) -> Range:
    """Return a range of whole numbers."""
    return Range(least, most)


def real(least: float, most: float = 1e18) -> Range:
    """Return a range of numbers."""
    return Range(least, most, whole=False)


def size(least: int, most: int) -> Range:
    """Return a range of bytes."""
    return Range(least, most, size=True)


share = real(0, 1)
"""A share of something, or a probability."""

caution = real(1e-18, 100)._replace(why_most="3 is careful, and at 100 few templates are left")
"""Factor of odds.  Of 1,472 templates of twelve sources 10 leaves 46 %, 30 27 %, 100 3 %, 300 less than 1 %."""

NUMBERS: Mapping[str, Range] = {
    "jobs": whole(1, 1024),
    "ReadConfig.max_record": size(1, 1 << 40),
    "MineConfig.min_docs": whole(1),
    "MineConfig.min_df": whole(1),
    "MineConfig.min_share": share,
    "MineConfig.min_tokens": whole(1),
    "MineConfig.max_sources": whole(1),
    "SelectConfig.segment": share,
    "SelectConfig.label": share,
    "SelectConfig.filler": share,
    "SelectConfig.caution": caution,
    "SelectConfig.few": whole(0),
    "SelectConfig.few_share": share,
    "SelectConfig.few_score": share,
    "SelectConfig.continued": share,
    "SelectConfig.uncovered": share,
    "SelectConfig.prefix_own": share,
    "SelectConfig.suffix_own": share,
    "SelectConfig.filler_own": share,
    "SelectConfig.inline_own": share,
    "SelectConfig.edge": share,
    "SlotConfig.unseen": share,
    "SampleConfig.documents": whole(1),
    "SampleConfig.seed": whole(0),
    "PageConfig.min_pages": whole(0),
    "PageConfig.vote": real(-1e6, 1e6),
    "PageConfig.vote_pages": real(0, 1e6),
    "PageConfig.vote_unknown": real(-1e6, 1e6),
    "PageConfig.prior_words": real(0, 1e6),
    "PageConfig.once": real(-1e6, 1e6),
    "PageConfig.several": real(-1e6, 1e6),
    "PageConfig.doubt_from": share,
    "PageConfig.doubt_to": share,
    "PageConfig.strange": real(-1e6, 1e6),
    "PageConfig.story_words": real(0, 1e6),
    "PageConfig.repeat": real(-1e6, 1e6),
    "PageConfig.text_chance": share,
    "PageConfig.smooth": share,
    "PageConfig.smooth_price": real(0, 1e6),
    "PageConfig.smooth_inner": real(0, 1e6),
    "PageConfig.fill": share,
    "PageConfig.fill_share": share,
    "PageConfig.least": share,
    "CleanConfig.gap": whole(0),
    "CleanConfig.guard": share,
    "ExtractConfig.density_share": share,
    "ExtractConfig.sparse": real(0),
    "ExtractConfig.other": share,
    "RenderConfig.seconds": real(0.001, 86_400),
    "RenderConfig.settle": real(0.001, 86_400),
    "RenderConfig.max_bytes": size(1, 1 << 31),
    "RenderConfig.max_loaded": size(1, 1 << 40),
    "SharedConfig.least": whole(2),
    "SharedConfig.share": share,
    "SharedConfig.agree": share,
    "ReportConfig.samples": whole(0),
    "ReportConfig.context": whole(0),
    "ReportConfig.characters": whole(0),
    "ReportConfig.rows": whole(0),
    "ReportConfig.rejected": whole(0),
    "ReportConfig.points": whole(1),
    "ReportConfig.risky": whole(0),
    "ReportConfig.looked": whole(0),
    "WindowConfig.days": whole(1),
    "WindowConfig.least": whole(1),
    "RunConfig.memory": size(128 << 20, 1 << 48),
    "RunConfig.jobs": whole(1, 1024),
    "RunConfig.checkpoint": real(0, 86_400),
    "UpdateConfig.memory": size(128 << 20, 1 << 48),
    "UpdateConfig.caution": caution,
    "SortConfig.memory": size(128 << 20, 1 << 48),
    "DriftConfig.documents": whole(1),
    "DriftConfig.reference": whole(1),
    "DriftConfig.ratio": real(0.001, 0.999),
    "DriftConfig.step": whole(1),
    "DriftConfig.least": whole(1),
    "CrawlConfig.delay": real(1e-9, 1e9),
    "CrawlConfig.hours": real(1e-9, 1e9),
    "CrawlConfig.max_pages": whole(1),
    "CrawlConfig.max_size": size(1, 1 << 40),
    "CrawlConfig.timeout": real(1e-9, 1e9),
    "CrawlConfig.redirects": whole(0),
    "CrawlConfig.retries": whole(0),
    "CrawlConfig.max_wait": real(1e-9, 1e9),
    "CrawlConfig.concurrent": whole(1),
    "ServeConfig.port": whole(0, 65_535),
    "ServeConfig.sample": whole(1),
}
"""Record and field, or the parameter of a function -> its numbers."""

WORDS: Mapping[str, tuple[str, ...]] = {
    "TokeniseConfig.text_markup": ("auto", "none", "html"),
    "PageConfig.headline": ("keep", "drop"),
    "PageConfig.keep": ("main", "all"),
    "PageConfig.kind": ("auto", "article", "forum", "listing", "collection", "product", "documentation", "service"),
    "CleanConfig.engine": ("native", "regex"),
    "CleanConfig.stubs": ("mark", "keep", "drop", "clean"),
    "CleanConfig.html": ("main", "strip"),
    "CleanConfig.text_format": ("text", "markdown", "tei", "json"),
    "ExtractConfig.blog_rules": ("all", "paper"),
    "RenderConfig.network": ("none", "origin", "any"),
    "PipelineConfig.method": ("learned", "energy", "thesis"),
}
"""Record and field -> its words, the default first."""


def check_number(name: str, value: object, called: str = "") -> None:
    """Raise a `ConfigError` if a value is no number of a row of `NUMBERS`; `called` is its name for the user."""
    bounds = NUMBERS[name]
    if problem := bounds.problem(value):
        raise ConfigError(f"{called or name}: {problem}, got {_shown(value, bounds.size)}{bounds.remedy(value)}")


def _shown(value: object, is_size: bool = False) -> str:
    """Return a value for a message, whatever it is: Python refuses to write the longest integers."""
    try:
        text = f"{value:,} bytes" if is_size and isinstance(value, int) else repr(value)
    except ValueError:
        text = "one of thousands of digits"
    return text if len(text) <= 60 else text[:57] + "..."


def check_config(config: object, kind: type) -> None:
    """Raise a `ConfigError` if what was given as options is no record of a kind."""
    if not isinstance(config, kind):
        raise ConfigError(f"config: expected a {kind.__name__}, got {_shown(config)}")


def check_jobs(jobs: object) -> None:
    """Raise a `ConfigError` if a value is no number of processes."""
    check_number("jobs", jobs)


def check_record(record: Any) -> None:
    """Raise a `ConfigError` if a field of a record of options is not of its type, or outside of its row.  What is given
    as another collection where a tuple is kept becomes one, so that the record stays as it is and has a hash.

    Parameters
    ----------
    record : dataclass
        Called by its ``__post_init__``.
    """
    for name, kinds, optional in _field_types(type(record)):
        value = getattr(record, name)
        if value is None and optional:
            continue
        row = f"{type(record).__name__}.{name}"
        if row in NUMBERS:
            check_number(row, value, name)
        elif Collection in kinds and isinstance(value, Collection) and not isinstance(value, str | bytes | Mapping):
            in_order = sorted(value, key=repr) if isinstance(value, Set) else value
            object.__setattr__(record, name, tuple(in_order))
        elif Collection in kinds or not isinstance(value, kinds):
            expected = " or ".join(_KIND_NAMES.get(kind, f"a {kind.__name__}") for kind in kinds)
            raise ConfigError(f"{name}: expected {expected}, got {_shown(value)}")
        elif row in WORDS and value not in WORDS[row]:
            *others, last = WORDS[row]
            raise ConfigError(f"{name}: expected {', '.join(others)} or {last}, got {_shown(value)}")


class Options:
    """Base of records of options that are right if each of their fields is."""

    __slots__ = ()

    def __post_init__(self) -> None:
        check_record(self)


_KIND_NAMES: Mapping[type, str] = {
    str: "a string",
    bool: "True or False",
    Collection: "a list or tuple",
    int: "a whole number",
}
_BRACKETS = re.compile(r"\[.*\]")


_FIELD_TYPES: dict[type, list[tuple[str, tuple[type, ...], bool]]] = {}


def _field_types(record: type) -> list[tuple[str, tuple[type, ...], bool]]:
    """Return name and types of the fields of a record, and whether they may be None."""
    found = _FIELD_TYPES.get(record)
    if found is None:
        names = {**vars(sys.modules["builtins"]), **vars(sys.modules[record.__module__])}
        found = []
        for one in fields(record):
            parts = _BRACKETS.sub("", str(one.type)).split(" | ")
            kinds = tuple(Collection if part == "tuple" else names[part] for part in parts if part != "None")
            found.append((one.name, kinds, "None" in parts))
        _FIELD_TYPES[record] = found
    return found
