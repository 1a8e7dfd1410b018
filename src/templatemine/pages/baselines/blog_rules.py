"""Names that blogs give to elements of posts: the rules of `pages.blog`, and the user's own, read from a file.

The paper's patterns (G. and D. Petasis, BlogBuster, section 4) come first, by paragraph; behind them, tried where those
find nothing, what blogs have come to use since.  Patterns are matched with each name of a class attribute and with ids.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import translate
from functools import cache, lru_cache
from pathlib import Path

from templatemine.config import BlogRule
from templatemine.errors import ConfigError
from templatemine.pages.declared import parse_attributes
from templatemine.text.toml import read_toml_tables


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Elements of these names (none for any) with a class or id like one of these patterns, or with one of these words
    as itemprop or itemtype; without either, all of these names.

    where : the paragraph of the paper's section 4, or another origin.
    """

    tags: str = ""
    like: str = ""
    item: str = ""
    where: str

    @property
    def is_from_paper(self) -> bool:
        """Return whether the rule is one of the paper's."""
        return self.where[0].isdigit()

    def matches(self, tag: str, names: tuple[str, ...], items: frozenset[str]) -> bool:
        """Return whether an element has this name, these classes and ids, and these ends of itemprop and itemtype."""
        if self.tags and tag not in self.tags.split():
            return False
        if not self.like and not self.item:
            return True
        if self.like and any(_name_pattern(self.like).match(name) for name in names):
            return True
        return bool(self.item) and not items.isdisjoint(self.item.split())


HEADINGS = "h1 h2 h3 h4 h5"
HEADING_RULE = Rule(tags=HEADINGS, where="a heading of the post")
"""A title that no name calls one."""
INNER_RULE = "2b"
"""The rule for texts that no post is made by: they are within one."""

RULES: Mapping[str, tuple[Rule, ...]] = {
    "post": (Rule(tags="div", like="post* *hentry* divlog *entry*post* *post-* snap_preview", where="1a"),),
    "whole": (
        Rule(tags="article", where="HTML 5"),
        Rule(like="hentry h-entry", where="hAtom, microformats 2"),
        Rule(item="BlogPosting Article NewsArticle", where="schema.org"),
    ),
    "body": (
        Rule(tags="div", like="*post-body* posts entry content *entry-content* snap_preview", where="2a"),
        Rule(tags="div", like="entry* text entrybody", where="2b"),
        Rule(like="entry-content e-content entry-summary p-summary", where="hAtom, microformats 2"),
        Rule(item="articleBody", where="schema.org"),
        Rule(
            tags="div section",
            like="*post-content* *post-text* *article-body* *article-content* *post-excerpt*",
            where="WordPress",
        ),
    ),
    "title": (
        Rule(tags="h3", like="*post-title* *entry-title* *title*", where="3a"),
        Rule(tags="h2", like="*post-title* *entry-title* *title*", where="3a"),
        Rule(tags="a", like="*post-title* *entry-title* *title*", where="3a"),
        Rule(like="entry-title p-name", where="hAtom, microformats 2"),
        Rule(item="headline", where="schema.org"),
        HEADING_RULE,
    ),
    "title before": (Rule(tags=HEADINGS, where="3b"),),
    "date": (
        Rule(tags="div", like="*posted-in* datepost entrymeta date", where="4a"),
        Rule(tags="span", like="postdate date", where="4b i"),
        Rule(tags="small", like="postdate date *time* *date*", where="4b ii"),
        Rule(item="datePublished", where="schema.org"),
        Rule(like="published dt-published", where="hAtom, microformats 2"),
        Rule(tags="time", where="HTML 5"),
        Rule(like="updated", where="hAtom"),
        Rule(like="*date* *posted-on*", where="WordPress"),
    ),
    "date before": (Rule(tags="h1 h2 h3 h4 h5 span small", like="*date-header* *date*", where="4c"),),
    "aside": (
        Rule(tags="nav aside footer form", where="HTML 5"),
        Rule(
            tags="div section ul ol li p span article",
            like="*comment* *respond* *sidebar* *footer* *related* *sharedaddy* *share-* *pager* *post-feeds*",
            where="holds no text of posts",
        ),
    ),
}
"""Patterns of each part of a post, in the order in which rules are tried; "whole" is a post of which all is text
that is no title, date or aside, if no element in it is that of its text."""

STANDALONE = "text"
"""Texts that need no element of a post around them: those of "body" by rules that are not the paper's."""
PARTS = (*RULES, STANDALONE)

ALL_RULES, PAPER_RULES = KINDS = ("all", "paper")
USER_RULE = "own"
"""Origin of the user's rules."""


@cache
def _name_pattern(like: str) -> re.Pattern[str]:
    return re.compile("|".join(map(translate, like.split())), re.IGNORECASE)


@lru_cache(maxsize=8192)
def _element_names(source: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return classes and id of an element, and the last parts of its itemprop and itemtype."""
    if "=" not in source:
        return (), frozenset()
    element_attributes = parse_attributes(source)
    names = (*element_attributes.get("class", "").split(), *element_attributes.get("id", "").split())
    items = (f"{element_attributes.get('itemprop', '')} {element_attributes.get('itemtype', '')}").split()
    return names, frozenset(item.rsplit("/", 1)[-1] for item in items)


class RuleSet:
    """The rules that hold: the user's own, then those of a kind.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    own : tuple of BlogRule

    Raises
    ------
    ConfigError
        There is no such kind, or a rule is for a part that posts do not have, or for anything at all.
    """

    def __init__(self, kind: str = ALL_RULES, own: tuple[BlogRule, ...] = ()) -> None:
        if kind not in KINDS:
            raise ConfigError(f"blog_rules: expected one of {', '.join(KINDS)}, got {kind!r}")
        for rule in own:
            if rule.part not in RULES:
                raise ConfigError(f"blog_own: expected a part of {', '.join(RULES)}, got {rule.part!r}")
            if not (rule.tags.strip() or rule.like.strip() or rule.item.strip()):
                raise ConfigError(f"blog_own: expected tags, like or item of {rule.part}, got none")
        self.kind = kind
        self.own = own
        self._rules_of: dict[str, tuple[Rule, ...]] = {}
        for part, rules in RULES.items():
            user_rules = (rule for rule in own if rule.part == part)
            # The paper does not say which elements hold no posts.
            built_in = (rule for rule in rules if kind == ALL_RULES or part == "aside" or rule.is_from_paper)
            self._rules_of[part] = (
                *(Rule(tags=rule.tags.lower(), like=rule.like, item=rule.item, where=USER_RULE) for rule in user_rules),
                *built_in,
            )
        self._rules_of[STANDALONE] = tuple(rule for rule in self._rules_of["body"] if not rule.is_from_paper)
        self.find_rule = lru_cache(maxsize=65536)(self._find_rule)

    def _find_rule(self, part: str, tag: str, source: str) -> int:
        """Return the index of the first rule of a part that an element meets, -1 for none."""
        names, items = _element_names(source)
        return next((index for index, rule in enumerate(self._rules_of[part]) if rule.matches(tag, names, items)), -1)

    def rule(self, part: str, rank: int) -> Rule:
        """Return the rule of a part at a place."""
        return self._rules_of[part][rank]


@lru_cache(maxsize=16)
def rule_set(kind: str = ALL_RULES, own: tuple[BlogRule, ...] = ()) -> RuleSet:
    """Return the rules, made once."""
    return RuleSet(kind, own)


_FIELDS = ("part", "tags", "like", "item")


def load_rules(path: str | Path) -> tuple[BlogRule, ...]:
    """Read rules of one's own from a TOML file: ``[[rule]]`` tables with ``part`` and ``tags``, ``like`` or ``item``.

    Raises
    ------
    ConfigError
        It cannot be read, or is something else.
    """
    rules: list[BlogRule] = []
    for number, row in enumerate(read_toml_tables(path, "rule"), 1):
        if "part" not in row or set(row) - set(_FIELDS) or not all(isinstance(value, str) for value in row.values()):
            raise ConfigError(
                f"{path}: rule {number}: expected part, and tags, like or item (all strings), got {sorted(row)}"
            )
        rules.append(BlogRule(**row))
    try:
        RuleSet(own=tuple(rules))
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error
    return tuple(rules)
