"""What mining gave + what people decided -> the pack that cleans.

`apply_rules` is the one place where rules have a meaning; the desk calls it after every decision and `mine` when it
replaces a pack that has some.  It is a function of the templates that mining gave, the candidates that it rejected and
the rules, so that taking a rule back gives what was there before.  The first that says something about a string
decides: accept, reject or edit of this string (the last one, if there are several), never, always, the cut-off, and
then the miner.

Who edits the templates of a pack by hand decides, too: `kept_rules` tells what was changed since mining, by what the
pack says that mining gave, and makes rules of it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from templatemine.errors import ConfigError, PackError
from templatemine.mining.select import BELOW_CUTOFF, NO_MODE, REASONS, TOO_FEW
from templatemine.model import Template
from templatemine.packs.overrides import Overrides, Rule, read_rules
from templatemine.packs.pack import Pack, mark_of, template_id
from templatemine.packs.pack_checks import check_slot, check_written
from templatemine.packs.pack_folder import RejectedCandidate, read_rejected, rejected_beside
from templatemine.packs.pack_json import READABLE, read_listed, read_mined, with_current_names
from templatemine.pipeline import SourceReport
from templatemine.text.expressions import OWN_TOKEN, Encoded
from templatemine.text.patterns import TABLE

__all__ = [
    "RuleIndex",
    "BY_FREQUENCY",
    "MOST_ADDED",
    "edits_by_hand",
    "candidates",
    "keep_later_rules",
    "keep_rules",
    "kept_rules",
    "mined_templates",
    "phrase",
    "apply_rules",
    "written",
]

SINGLE = ("accept", "reject", "edit")
"""Actions that are about one string."""

BY_FREQUENCY = frozenset({REASONS[TOO_FEW], BELOW_CUTOFF, NO_MODE})
"""Reasons of the miner that are a matter of frequency: what a moved cut-off decides anew."""

MOST_ADDED = 5_000
"""Strings that rules may bring into a pack; more is a cut-off among prose, not a decision about templates."""

Examples = Callable[[Sequence[tuple[str, ...]]], Mapping[tuple[str, ...], str]]
"""Texts in which strings of tokens stand, for those of which any is known."""

_NO_BLANK = re.compile(f"(?<=[{OWN_TOKEN}])\x00|\x00(?=[{OWN_TOKEN}])")


def phrase(tokens: Sequence[str]) -> str:
    """Tokens put together as people write them: no blank between characters of scripts that have none."""
    return " ".join(_NO_BLANK.sub("", "\x00".join(tokens)).replace("\x00", " ").split())


def mined_templates(pack: Pack) -> tuple[Template, ...]:
    """The templates that mining gave, whatever was decided about them since."""
    added = set(pack.overrides.added)
    kept = [template for template in pack.templates if template.id not in added]
    return _sorted([*kept, *pack.overrides.removed])


def written(rule: Rule) -> Template:
    """The template of an expression that was added.

    Raises
    ------
    PackError
        Saying why the pack would refuse it.
    """
    name = "h" + blake2b(rule.regex.encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()
    template = Template(
        id=name, regex=rule.regex, tokens=None, df=rule.df, count=rule.count, example=rule.example, anchor=""
    )
    check_written(template, "expression")
    return template


def candidates(rejected: Iterable[RejectedCandidate]) -> Iterable[RejectedCandidate]:
    """The rejected candidates that a moved cut-off may bring."""
    return (row for row in rejected if row[3] in BY_FREQUENCY)


class RuleIndex:
    """The rules of a pack, to be asked about one string after the other."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.single: dict[str, Rule] = {}
        for rule in rules:
            if rule.action in SINGLE:
                self.single[rule.id or template_id(rule.tokens or ())] = rule
        self.never = [_folded(rule.text) for rule in rules if rule.action == "never"]
        self.always = [_folded(rule.text) for rule in rules if rule.action == "always"]
        cutoffs = [rule.df for rule in rules if rule.action == "cutoff"]
        self.least = cutoffs[-1] if cutoffs else None
        self.added = {rule.regex: rule for rule in rules if rule.action == "add"}
        self.accepted = [rule for rule in self.single.values() if rule.action != "reject"]

    def keeps(self, template: Template) -> bool:
        """Whether a template that mining gave stays."""
        rule = self.single.get(template.id)
        if rule is not None:
            as_written = (rule.tokens, rule.anchor) == (template.tokens, template.anchor)
            return rule.action == "accept" or (rule.action == "edit" and as_written)
        if self.never or self.always:
            words = _folded(phrase(template.tokens) if template.tokens is not None else template.example)
            if any(text in words for text in self.never):
                return False
            if any(text in words for text in self.always):
                return True
        return self.least is None or template.tokens is None or template.df >= self.least

    def brings(self, tokens: tuple[str, ...], df: int, reason: str) -> bool:
        """Whether a rejected candidate comes in, rules about this very string aside."""
        words = _folded(phrase(tokens)) if self.never or self.always else ""
        if any(text in words for text in self.never):
            return False
        if any(text in words for text in self.always):
            return True
        return self.least is not None and df >= self.least and reason in BY_FREQUENCY

    @property
    def may_bring(self) -> bool:
        return bool(self.always) or self.least is not None


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def apply_rules(
    pack: Pack, rejected: Iterable[RejectedCandidate], rules: Sequence[Rule], examples: Examples | None = None
) -> Pack:
    """The pack with these rules in place of any it had.

    Parameters
    ----------
    rejected : iterable
        What mining rejected; looked at only if a rule may bring some of it.
    examples : callable, optional
        Where in articles the strings are that come in; one that is not known there gets an example made of its tokens.

    Raises
    ------
    PackError
        An expression that was added cannot be trusted.
    ConfigError
        The rules would bring more than `MOST_ADDED` strings.
    """
    asked = RuleIndex(rules)
    base = mined_templates(pack)
    kept = [template for template in base if asked.keeps(template)]
    there = {template.id for template in base}
    stays = {template.id for template in kept}
    rows: dict[tuple[str, ...], tuple[int, int, str, str]] = {
        rule.tokens: (rule.df, rule.count, rule.anchor, rule.example)
        for rule in asked.accepted
        if rule.tokens is not None and template_id(rule.tokens) not in (stays if rule.action == "edit" else there)
    }
    if asked.may_bring:
        for tokens, df, count, reason in rejected:
            if tokens not in rows and asked.brings(tokens, df, reason):
                name = template_id(tokens)
                if name not in there and name not in asked.single:
                    rows[tokens] = df, count, "", ""
            if len(rows) > MOST_ADDED:
                raise ConfigError(
                    f"expected rules that bring at most {MOST_ADDED:,} strings, and these bring more; "
                    "move the cut-off up, or let an always rule say more words"
                )
    added = [*_made(pack, rows, examples), *(written(rule) for rule in asked.added.values())]
    lost = next((rule for rule in asked.accepted if _lacks(rule, kept, added)), None)
    if lost is not None:
        raise PackError(f"edit: {phrase(lost.tokens or ())!r} cannot be an expression of the pack of {pack.source!r}")
    out = there - stays
    return replace(
        pack,
        templates=_sorted([*kept, *added]) if added else tuple(kept),
        overrides=Overrides(
            rules=tuple(rules),
            removed=tuple(template for template in base if template.id in out),
            added=tuple(sorted(template.id for template in added)),
        ),
    )


def _lacks(rule: Rule, *templates: Iterable[Template]) -> bool:
    """Whether a string that a person edited did not come in."""
    return rule.action == "edit" and not any(one.tokens == rule.tokens for group in templates for one in group)


def _sorted(templates: Iterable[Template]) -> tuple[Template, ...]:
    return tuple(sorted(templates, key=lambda one: (-one.df, -len(one.tokens or ()), one.tokens or (), one.id)))


def _made(
    pack: Pack, rows: Mapping[tuple[str, ...], tuple[int, int, str, str]], examples: Examples | None
) -> list[Template]:
    """Templates of candidates that were rejected; one that can't be told from its tokens alone stays out."""
    if not rows:
        return []
    before = {template.tokens: template.example for template in pack.templates if template.tokens is not None}
    known = dict(examples([tokens for tokens in rows if tokens not in before])) if examples else {}
    templates: list[Template] = []
    for tokens, (df, count, anchor, example) in rows.items():
        shown = example or before.get(tokens) or known.get(tokens) or _spelt(tokens)
        made = Template(
            id=template_id(tokens), regex="", tokens=tokens, df=df, count=count, example=shown, anchor=anchor
        )
        with suppress(ValueError, PackError):  # a rule written by hand, with a pattern or a slot that cannot be there
            check_slot(pack, made, "")
            templates.append(replace(made, regex=pack.derived(made)))
    return _holding(pack, templates)


def _holding(pack: Pack, templates: Sequence[Template]) -> list[Template]:
    """Those that match their own example; others get one made of their tokens, or go."""
    matcher, _ = replace(pack, templates=tuple(templates)).matcher()
    found: list[Template] = []
    for place, template in enumerate(templates):
        for example in (template.example, _spelt(template.tokens or ())):
            if matcher.holds(Encoded(example, pack.patterns, pack.tokenise.separators).data, place):
                found.append(replace(template, example=example))
                break
    return found


_BRACED = re.compile(r"\{\{|\}\}|\{([a-z][a-z0-9_]*)\}")
_INSTANCES: Mapping[str, str] = {row.name: row.yes[0] for row in TABLE if row.yes}


def _spelt(tokens: Sequence[str]) -> str:
    """A text of these tokens, with an instance for each pattern."""

    def instance(match: re.Match[str]) -> str:
        return match.group()[0] if match.group(1) is None else _INSTANCES.get(match.group(1), match.group())

    return phrase([_BRACED.sub(instance, token) for token in tokens])


def kept_rules(path: str | Path) -> tuple[Rule, ...]:
    """The rules of a pack that is about to be replaced, with those of `edits_by_hand`; none if there is no pack, or
    nothing that was one.

    Raises
    ------
    PackError
        What a person decided cannot be read: replacing the pack would lose it.
    """
    try:
        text = Path(path).read_bytes().decode("utf-8-sig", "surrogateescape")
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise PackError(f"{path}: cannot be read, and may hold decisions: {error.strerror}") from error
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        if not any(key in text for key in ('"overrides"', '"templates"')):
            return ()
        # Packs are written whole, so that somebody has edited it.
        raise PackError(f"{path}: not JSON: {error}; mend it, for it may hold decisions, or delete it") from error
    if not isinstance(data, dict):
        return ()
    if not isinstance(data.get("overrides", []), list):
        raise PackError(f"{path}: overrides: expected a list, got {type(data['overrides']).__name__}")
    rules = read_rules(data.get("overrides", []), str(path))
    return (*rules, *edits_by_hand(data, rules, str(path)))


def edits_by_hand(data: Mapping[str, Any], rules: Sequence[Rule], where: str) -> tuple[Rule, ...]:
    """What somebody changed in the list of templates since mining, as rules that the next mining keeps.

    An expression without tokens is one that was added.  The rest is told by what the pack notes of its mining: a
    template that is there no more was rejected, one that is not as it was given is edited.  Packs from before there was
    such a note do not tell.
    """
    if data.get("schema") not in READABLE:
        return ()  # of another version, or no pack at all
    data = with_current_names(data, where)
    rows = _listed(data, "templates")
    listed = [read_listed(row, f"{where}: templates[{place}]") for place, row in enumerate(rows)]
    added = {name for name in _listed(data, "added") if isinstance(name, str)}
    known = {rule.regex for rule in rules}
    found: list[Rule] = []
    for one in listed:
        if one.tokens is None and one.id not in added and one.regex not in known:
            check_written(one, f"{where}: {one.id}")
            found.append(Rule(action="add", regex=one.regex, example=one.example, df=one.df, count=one.count))
    marks = read_mined(data, where)
    if marks is None:
        return tuple(found)
    own = [one for one in listed if one.tokens is not None and template_id(one.tokens) not in added]
    for one in own:
        if mark_of(one) not in marks:
            edited = Rule(action="edit", tokens=one.tokens, example=one.example, anchor=one.anchor)
            found.append(replace(edited, df=one.df, count=one.count))
    there = {template_id(one.tokens or ()) for one in own} | added
    there |= {row["id"] for row in _listed(data, "removed") if isinstance(row, dict) and "id" in row}
    gone = sorted({mark.partition(" ")[0] for mark in marks} - there)
    return (*found, *(Rule(action="reject", id=name) for name in gone))


def _listed(data: Mapping[str, Any], key: str) -> list[Any]:
    rows = data.get(key)
    return rows if isinstance(rows, list) else []


def keep_rules(report: SourceReport, standing: str | Path) -> SourceReport:
    """What mining gave of a source, with the rules of the pack that stands where it will be written."""
    rules = kept_rules(standing)
    if report.pack is None or not rules:
        return report
    return replace(report, pack=apply_rules(report.pack, report.rejected or (), rules))


def keep_later_rules(made: str, standing: str) -> None:
    """Before a pack that was made takes its place: what was decided since, about the one that is there.

    Runs that take long, or were killed and go on, make packs hours before these get their names.  The rejected
    candidates may have got theirs already.

    Raises
    ------
    PackError
        As `kept_rules`.
    """
    if not (os.path.exists(made) and os.path.exists(standing)):
        return
    rules = kept_rules(standing)
    if rules == kept_rules(made):
        return
    beside = made if os.path.exists(rejected_beside(made)) else standing
    apply_rules(Pack.load(made), read_rejected(beside), rules).save(made, force=True)
