"""Decisions of people about the strings of packs on disk, by question or by id -> rules of the packs.

A pack is read, changed and written under the lock of its folder, as somebody else may have changed it meanwhile.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import NamedTuple

from templatemine.archive.apply_answers import (
    add_answer_rules,
    describe_cut,
    find_accept_rules,
    find_candidate_rules,
    replace_rules,
)
from templatemine.archive.apply_overrides import RuleIndex, apply_rules
from templatemine.archive.update import read_left_rules
from templatemine.errors import ConfigError, CorpusError, counted, spelled
from templatemine.io.lock import locked
from templatemine.model import Question, RejectedCandidate
from templatemine.packs.overrides import Rule, accept_rule
from templatemine.packs.pack import Pack
from templatemine.packs.pack_folder import read_rejected, rejected_path
from templatemine.packs.readable import join_tokens, template_text


class Decision(NamedTuple):
    """What is decided about a string, by its id: its text, what becomes of it, the rules if it is not decided yet, and
    the expression by hand that goes."""

    id: str
    text: str
    does: str
    rules: Sequence[Rule]
    regex: str = ""


def find_decisions(
    files: Mapping[str, str], reject: Sequence[str], accept: Sequence[str], *, named: bool
) -> dict[str, list[Decision]]:
    """Find what is decided in each pack.

    Parameters
    ----------
    files : mapping of str to str
        The pack file of each source.
    reject, accept : sequence of str
        Ids of strings.
    named : bool
        The packs are those that were asked for: a rejected candidate counts in each of them, else where nothing else
        has the id and one pack has it.

    Raises
    ------
    ConfigError
        An id is in no pack, or it is not clear in which.
    """
    rejected, accepted = set(reject), set(accept)
    if both := sorted(rejected & accepted):
        others = spelled("--reject", "reject")
        raise ConfigError(f"accept: expected other ids than those of {others}, got {both[0]!r} in both")
    found: dict[str, list[Decision]] = {}
    for source, file in files.items():
        pack = Pack.load(file)
        found[source] = [*_accept_strings(pack, file, accepted), *_reject_templates(pack, rejected)]
    known = {one.id for decisions in found.values() for one in decisions}
    sources: dict[str, list[str]] = {}
    for source, file in files.items():
        wanted = accepted - ({one.id for one in found[source]} if named else known)
        for name, rules in find_candidate_rules(wanted, rejected_beside(file)).items():
            found[source].append(_accept(name, rules, "is cut"))
            sources.setdefault(name, []).append(source)
    for name, several in sources.items():
        if len(several) > 1 and not named:
            such = f"{counted(len(several), 'pack')}, such as that of {several[0]!r}"
            raise ConfigError(f"accept: {name!r} is in {such}: name one with {spelled('--only', 'files')}")
    for option, names, what in (
        ("reject", reject, "no template of {} has the id {}; show PACK lists ids"),
        ("accept", accept, "no string of {} has the id {}; show PACK and show PACK --rejected list ids"),
    ):
        if missing := [name for name in names if name not in known | sources.keys()]:
            said = what.format(counted(len(files), "pack"), " or ".join(map(repr, missing)))
            raise ConfigError(f"{option}: {said}")
    return found


def _reject_templates(pack: Pack, names: Set[str]) -> Iterator[Decision]:
    """Yield the decisions that some strings are of the story: templates, and those that rules took out."""
    cut, decided = {one.id for one in pack.templates}, RuleIndex(pack.overrides.rules).by_id
    known = {one.id: one for one in (*pack.overrides.removed, *pack.templates)}
    for name in sorted(names):
        one, rule = known.get(name), decided.get(name)
        does = "is cut no more" if name in cut else "is not cut already"
        if rule is not None and rule.action == "reject" and name not in cut:
            text = join_tokens(rule.tokens or (), rule.example) if one is None else template_text(one)
            yield Decision(name, text, does, ())
        elif one is not None and one.tokens is None and name in pack.overrides.added:
            yield Decision(name, one.regex, does, (), one.regex)
        elif one is not None:
            # All that the string is stays in the rule, for accepting to find it when another mining does not give it.
            yield Decision(name, template_text(one), does, (replace(accept_rule(one), action="reject", id=name),))


def _accept_strings(pack: Pack, file: str, names: Set[str]) -> Iterator[Decision]:
    """Yield the decisions that some strings are cut: templates, those that people or updates took out, and the answers
    of open questions."""
    cut, decided = {one.id for one in pack.templates}, RuleIndex(pack.overrides.rules).by_id
    left = read_left_rules(os.path.dirname(file), pack.source)
    for name, rules in find_accept_rules(pack, names, left).items():
        made = _accept(name, rules, "is cut already" if name in cut else "is cut")
        is_decided = name in cut and name in decided and decided[name].action != "reject"
        yield made._replace(rules=()) if is_decided else made


def _accept(name: str, rules: Sequence[Rule], does: str) -> Decision:
    (text,) = (join_tokens(rule.tokens or (), rule.example) for rule in rules if rule.action == "accept")
    return Decision(name, text, f"{does}: {describe_cut(rules)}", rules)


def save_decisions(file: str, decisions: Sequence[Decision], by: str, time: str) -> list[tuple[str, str]]:
    """Add the rules of decisions to a pack; return the id and text of each template that goes."""
    made = [replace(rule, by=by, time=time) for one in decisions for rule in one.rules]
    undone = {one.regex for one in decisions if one.regex}
    if not made and not undone:
        return []

    def add_rules(pack: Pack) -> tuple[Rule, ...]:
        rules = (rule for rule in pack.overrides.rules if rule.action != "add" or rule.regex not in undone)
        return replace_rules(rules, made)

    before, after = _save_rules(file, add_rules)
    there = {one.id for one in after.templates}
    return [(one.id, template_text(one)) for one in before.templates if one.id not in there]


def save_answers(file: str, answers: Sequence[tuple[Question, str]], by: str, time: str) -> None:
    """Add the rules of answers to questions to a pack."""

    def add_rules(pack: Pack) -> tuple[Rule, ...]:
        rules = pack.overrides.rules
        for question, answer in answers:
            rules = add_answer_rules(pack, rules, question, answer, by=by, time=time)
        return rules

    _save_rules(file, add_rules)


def _save_rules(file: str, add_rules: Callable[[Pack], tuple[Rule, ...]]) -> tuple[Pack, Pack]:
    """Give new rules to a pack as it stands now; return it before and after."""
    with locked(os.path.dirname(file) or "."):
        pack = Pack.load(file)
        try:
            made = apply_rules(pack, [*rejected_beside(file)], add_rules(pack))
        except CorpusError as error:
            raise CorpusError(f"{error}; nothing was saved", file, fatal=True) from error
        made.save(file, force=True)
    return pack, made


def rejected_beside(file: str) -> Iterator[RejectedCandidate]:
    """Yield the rejected candidates of a pack; none if they are not beside it."""
    if os.path.exists(rejected_path(file)):
        yield from read_rejected(file)
