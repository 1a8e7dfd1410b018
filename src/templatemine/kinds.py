"""Kinds of boilerplate, the same thirteen for templates, cuts and blocks of pages, and which of them are cut.

A template has one kind, or "" where none is known, as in packs of old versions.  The pack is the same for everyone:
a `Choice` says what of it is cut when an article is cleaned.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType

from templatemine.errors import ConfigError, spelled

KINDS = (
    "promotion",  # asks to subscribe, sign up, donate, vote or install
    "related",  # leads to other stories
    "sharing",  # buttons and counters of sharing, comments and saving
    "media",  # credits and players of pictures, sound and video
    "caption",  # says what a picture shows
    "byline",  # says who wrote, edited or translated it
    "dateline",  # says where, when, by which agency, or how long it takes to read
    "legal",  # rights, terms, and who is responsible
    "advertisement",  # advertisements and their labels
    "navigation",  # sections, topics, menus, and ways to other parts of the site
    "embed",  # what is left of posts, maps and forms of other sites
    "note",  # corrections, updates, and notes of editors on the story
    "contact",  # addresses of the newsroom, and how to write to it
)
"""The kinds, in the order in which people are shown them; docs/kinds.md has examples, and what NITF and schema.org call
them."""

ALL = "all"
"""In place of a list of kinds: every one."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The kinds of boilerplate to cut; the others are kept.  Boilerplate without a kind is cut if any kind is.

    Attributes
    ----------
    cut : tuple of str
        Some of `KINDS`; all by default.

    Raises
    ------
    ConfigError
        A kind is unknown.

    Examples
    --------
    >>> Choice(("promotion", "related")).cuts("byline")
    False
    >>> Choice().keeping(["byline"]).cuts("byline")
    False
    """

    cut: tuple[str, ...] = KINDS

    def __post_init__(self) -> None:
        object.__setattr__(self, "cut", _in_order(_check_kinds(self.cut, "cut")))

    @property
    def kept(self) -> tuple[str, ...]:
        """Return the kinds that are kept."""
        return tuple(kind for kind in KINDS if kind not in self.cut)

    def cuts(self, kind: str) -> bool:
        """Return whether a template of this kind is cut."""
        return kind in self.cut or (not kind and bool(self.cut))

    def keeping(self, kinds: Iterable[str]) -> Choice:
        """Return this choice, with some more kinds kept."""
        kept = _check_kinds(kinds, "keep")
        return Choice(tuple(kind for kind in self.cut if kind not in kept))


def _in_order(kinds: Iterable[str]) -> tuple[str, ...]:
    some = {*kinds}
    return tuple(kind for kind in KINDS if kind in some)


def _check_kinds(kinds: Iterable[str], where: str) -> tuple[str, ...]:
    if isinstance(kinds, str):  # whose characters would be kinds
        raise ConfigError(f"{where}: expected several kinds, got the text {kinds!r:.60}; parse_kinds reads it")
    names = (*kinds,)
    for name in names:
        if name not in KINDS:
            close = get_close_matches(str(name), KINDS, 1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise ConfigError(f"{where}: expected kinds of {', '.join(KINDS)}, got {name!r:.60}{hint}")
    return names


CUT_ALL = Choice()
"""Everything is cut."""

POLICIES: Mapping[str, Choice] = MappingProxyType(
    {
        "llm": CUT_ALL.keeping(["note"]),
        "reader": CUT_ALL.keeping(["note", "byline", "dateline", "caption"]),
        "archive": Choice(()),
    }
)
"""Choices by name.  ``llm``: all is cut but corrections and notes, without which a text may say what is known to be
wrong; ``reader``: bylines, datelines and captions stay, too; ``archive``: nothing is cut, all is marked."""

DEFAULT_POLICY = "llm"


def parse_kinds(text: str, where: str) -> tuple[str, ...]:
    """Read kinds as people list them, ``caption,byline`` or ``all``.

    Raises
    ------
    ConfigError
        Naming `where`, the known kinds and the text.

    Examples
    --------
    >>> parse_kinds("caption, byline", "--keep")
    ('caption', 'byline')
    """
    names = [name for name in (part.strip().lower() for part in text.split(",")) if name]
    if not names:
        raise ConfigError(f"{where}: expected kinds of {', '.join(KINDS)}, or {ALL}, got {text!r:.60}")
    return KINDS if names == [ALL] else _check_kinds(names, where)


def choose(policy: str | None = None, keep: str | None = None, cut_only: str | None = None) -> Choice:
    """Return the choice that a person has made in words.

    Parameters
    ----------
    policy : str, optional
        A name of `POLICIES`; `DEFAULT_POLICY` if nothing is said.
    keep : str, optional
        Kinds that are kept beside those that the policy keeps.
    cut_only : str, optional
        The kinds that are cut, instead of a policy.

    Raises
    ------
    ConfigError
        There is no such policy or kind, `cut_only` comes with one of the others, or `keep` with a policy that cuts
        nothing.

    Examples
    --------
    >>> choose(keep="caption,byline").kept
    ('caption', 'byline', 'note')
    """
    if cut_only is not None:
        if policy is not None or keep is not None:
            other = spelled("--keep", "keep") if policy is None else spelled("--policy", "policy")
            raise ConfigError(f"cut_only: expected no {other} beside it, for it keeps all other kinds; leave one out")
        return Choice(parse_kinds(cut_only, "cut_only"))
    name = DEFAULT_POLICY if policy is None else policy
    if name not in POLICIES:
        raise ConfigError(f"policy: expected one of {', '.join(POLICIES)}, got {name!r:.60}")
    choice = POLICIES[name]
    if keep is None:
        return choice
    if not choice.cut:
        raise ConfigError(f"keep: expected none beside policy {name}, which keeps every kind; leave one out")
    return choice.keeping(parse_kinds(keep, "keep"))
