"""A request to decide, and the present pack -> rules, what was reviewed, and how that is told.

A verdict names what it is about: a template, a family, or all that a view shows.  What it means is found out here, from
the pack as it is now, so that the browser needs to know neither all templates nor what they are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from templatemine.archive.apply_answers import ALL, LABEL, STORY, add_answer_rules, find_candidate_rules, open_questions
from templatemine.archive.apply_overrides import STRING_ACTIONS
from templatemine.desk import review
from templatemine.desk.library import Library, StoredPack, parse_rules, stamp_rule
from templatemine.desk.open_source import OpenSource
from templatemine.desk.review_table import ADDED, OUT, ReviewTable, read_view
from templatemine.desk.store import NotFound, utc_now
from templatemine.errors import ConfigError, PackError, counted
from templatemine.model import Question, Template
from templatemine.packs.overrides import Rule, read_rule
from templatemine.packs.pack import Pack
from templatemine.packs.pack_record import rule_id
from templatemine.packs.readable import join_tokens, template_text

Rules = tuple[Rule, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a decision does.

    Attributes
    ----------
    rules : tuple of Rule
        Of the pack, after it.
    what : str
        The decision in a few words, for the history; "" if there is nothing to decide.
    reviewed : sequence of str
        Ids of templates that the person looked at.
    undoes : int or None
        The event that it undoes.
    judged : tuple of str and int
        What a verdict turned out to be, and about how many templates; of an undo, the decision that it undoes.
    """

    rules: Rules
    what: str = ""
    reviewed: Sequence[str] = ()
    undoes: int | None = None
    judged: tuple[str, int] = "", 0


def plan_decision(
    library: Library,
    stored: StoredPack,
    opened: OpenSource,
    body: Mapping[str, Any],
    name: str,
    table: Callable[[], ReviewTable],
) -> Plan:
    """Return what a request to decide does.

    Raises
    ------
    ConfigError, PackError, NotFound
        It cannot be done; why.
    """
    kind, rules, pack = body.get("kind"), stored.pack.overrides.rules, stored.pack
    if kind == "undo":
        library.reconcile_history(stored, most=1)
        last = library.store.last_undoable(library.source_of(stored))
        if last is None:
            raise ConfigError("there is nothing to undo")
        what = f"Undone: {last.what}"
        return Plan(rules=parse_rules(last.before), what=what, undoes=last.seq, judged=(last.what, 1))
    if kind == "remove":
        rule = read_rule(body.get("rule"), "rule")
        if rule not in rules:
            raise NotFound("there is no such rule")
        return Plan(rules=tuple(one for one in rules if one != rule), what=f"Removed: {describe_rule(rule, pack)}")
    if kind == "add":
        return _plan_rules(library, stored, _read_rules(library, stored, opened, body, name))
    if kind == "review":
        known = {one.id: one for one in pack.templates}
        seen = [known[one] for one in _read_list(body, "ids", str) if one in known]
        if not seen:
            raise NotFound("expected ids of templates of the pack")
        return _plan_review(rules, seen)
    if kind == "judge":
        return _plan_verdict(library, stored, body, name, table())
    if kind == "answer":
        question, answer = find_question(pack, body.get("tokens")), str(body.get("answer"))
        rules = add_answer_rules(pack, rules, question, answer, by=name, time=utc_now())
        return Plan(
            rules=rules, what=_shorten(f"{_ANSWERED[answer]}: {join_tokens(question.tokens, question.example)}")
        )
    if kind == "reset-cutoff":
        return Plan(rules=tuple(one for one in rules if one.action != "cutoff"), what="Cut-off as mined")
    raise ConfigError(f"expected add, answer, judge, remove, review, undo or reset-cutoff, got {kind!r}")


def _plan_rules(
    library: Library, stored: StoredPack, made: Sequence[Rule], judged: str = "", *, shown: bool = False
) -> Plan:
    what = describe_rule(made[0], stored.pack)
    if made[0].action != "edit":
        what += _describe_others(len(made) - 1, shown)
    return Plan(
        rules=review.amend_rules(stored.pack, library.rejected(stored), stored.pack.overrides.rules, made),
        what=what,
        reviewed=[rule_id(rule) for rule in made if rule.action in STRING_ACTIONS],
        judged=(judged, len(made)),
    )


def _plan_review(rules: Rules, seen: Sequence[Template], *, shown: bool = False) -> Plan:
    what = f"Cut: {_shorten(template_text(seen[0]))}" + _describe_others(len(seen) - 1, shown)
    return Plan(rules=rules, what=what, reviewed=[one.id for one in seen], judged=("reviewed", len(seen)))


def _plan_verdict(library: Library, stored: StoredPack, body: Mapping[str, Any], name: str, table: ReviewTable) -> Plan:
    """Plan a verdict: "cut", "leave" or "kind", about a template by its "id", a family by its "head", or all that a
    "shown" view has."""
    verdict, rules = body.get("verdict"), stored.pack.overrides.rules
    about, shown = _judged_rows(body, table), "shown" in body
    there = [row for row in about if table.state[row] != OUT]
    first = table.templates[about[0]]
    if verdict == "cut":
        seen = [table.templates[row] for row in there if not table.is_reviewed[row]]
        back = [_bring_back(table.templates[row], name) for row in about if table.state[row] == OUT]
        if back:
            plan = _plan_rules(library, stored, back, "cut", shown=shown)
            more = [one.id for one in seen]
            return replace(plan, reviewed=[*plan.reviewed, *more], judged=("cut", len(back) + len(more)))
        return _plan_review(rules, seen, shown=shown) if seen else Plan(rules=rules)
    if verdict == "leave":
        if "id" in body and there and first.tokens is None and table.state[about[0]] == ADDED:
            rest = tuple(one for one in rules if one.action != "add" or one.regex != first.regex)
            return Plan(rules=rest, what=f"Left in: {_shorten(first.regex)}", judged=("left in", 1))
        made = [
            stamp_rule(Rule(action="reject", id=one.id, tokens=one.tokens), name)
            for one in (table.templates[row] for row in there)
        ]
        return _plan_rules(library, stored, made, "left in", shown=shown) if made else Plan(rules=rules)
    if verdict == "kind":
        other = [one for one in (table.templates[row] for row in there) if one.kind != body.get("as")]
        asked = {"action": "kind", "kind": body.get("as")}
        rule = read_rule({**asked, "id": first.id}, "rule")  # names what is wrong with the kind
        made = [stamp_rule(replace(rule, id=one.id), name) for one in other]
        return _plan_rules(library, stored, made, "named", shown=shown) if made else Plan(rules=rules)
    raise ConfigError(f"verdict: expected cut, leave or kind, got {verdict!r:.60}")


def _bring_back(one: Template, name: str) -> Rule:
    """Return the rule by which a template that was left in is cut again."""
    rule = Rule(
        action="accept",
        id=one.id,
        tokens=one.tokens,
        df=one.df,
        count=one.count,
        example=one.example,
        anchor=one.anchor,
    )
    return stamp_rule(rule, name)


def _judged_rows(body: Mapping[str, Any], table: ReviewTable) -> list[int]:
    """Return the rows that a verdict is about."""
    if "shown" in body:
        rows: list[int] = table.list_rows(read_view(body["shown"])).tolist()
    elif "head" in body:
        rows = table.family(str(body["head"]))
    else:
        rows = [table.rows[name] for name in [str(body.get("id", ""))] if name in table.rows]
    if not rows:
        raise NotFound(f"there is no template {str(body.get('id', body.get('head', 'in this list')))!r}")
    return rows


def _read_rules(
    library: Library, stored: StoredPack, opened: OpenSource, body: Mapping[str, Any], name: str
) -> list[Rule]:
    """Return the rules of a request: one, or several."""
    rows = _read_list(body, "rules", dict) if "rules" in body else [body.get("rule")]
    if not rows:
        raise ConfigError("expected rules")
    rules = [read_rule(row, "rule") for row in rows]
    ids = {one.id for one in (*stored.pack.templates, *stored.pack.overrides.removed)}
    for rule in rules:
        if rule.action in ("reject", "kind") and rule_id(rule) not in ids:
            raise NotFound(f"there is no template {rule_id(rule)!r}")
    return [stamp_rule(_complete_rule(library, stored, opened, rule), name) for rule in rules]


def _complete_rule(library: Library, stored: StoredPack, opened: OpenSource, rule: Rule) -> Rule:
    """Return a rule with values that the desk knows better than the browser: counts, examples, tokens."""
    if rule.action == "add":
        trial = review.try_expression(opened.pack_there(stored), rule.regex, opened.sample(stored))
        if trial.refused:
            raise PackError(trial.refused)
        example = trial.example or rule.example
        return Rule(action="add", regex=rule.regex, example=example, df=trial.touched, count=trial.matches)
    if rule.action == "accept" and rule.tokens is not None and not (rule.df and rule.example):
        same = [one for one in library.rejected(stored) if one.tokens == rule.tokens]
        for known in find_candidate_rules({rule_id(rule)}, same).values():
            kinds = (one.kind for one in stored.pack.questions if one.tokens == rule.tokens)
            (found,) = known
            kind = rule.kind or found.kind or next(kinds, "")
            anchor, example = rule.anchor or found.anchor, rule.example or found.example
            return replace(rule, df=found.df, count=found.count, kind=kind, anchor=anchor, example=example)
    return rule


def _read_list(body: Mapping[str, Any], key: str, kind: type) -> list[Any]:
    found = body.get(key)
    if not isinstance(found, list):
        raise ConfigError(f"{key}: expected a list, got {type(found).__name__}")
    for place, one in enumerate(found):
        if not isinstance(one, kind):
            raise ConfigError(f"{key}[{place}]: expected {_KIND_NAMES[kind]}, got {type(one).__name__}")
    return found


_KIND_NAMES: Mapping[type, str] = {str: "a string", dict: "an object"}


def find_question(pack: Pack, tokens: object) -> Question:
    """Return the question about a string."""
    found = next((one for one in open_questions(pack) if list(one.tokens) == tokens), None)
    if found is None:
        raise NotFound("there is no such question, or it is answered")
    return found


def changed_ids(before: Pack, after: Pack) -> set[str]:
    """Return the ids of the templates that only one of two packs has, or that differ between them."""
    one, other = ({template.id: template for template in pack.templates} for pack in (before, after))
    return {name for name in one.keys() | other.keys() if one.get(name) != other.get(name)}


_ANSWERED: Mapping[str, str] = {ALL: "Cut", LABEL: "Cut the label only", STORY: "Left in"}


def _describe_others(number: int, shown: bool) -> str:
    """Return how many more templates a decision is about: variants of the first, or what else a list shows."""
    return f", and {f'{number:,} more' if shown else counted(number, 'variant')}" if number else ""


def describe_rule(rule: Rule, pack: Pack) -> str:
    """Return a decision about a pack in a few words."""
    name = rule_id(rule)
    known = next((one for one in (*pack.templates, *pack.overrides.removed) if name and one.id == name), None)
    text = join_tokens(rule.tokens, rule.example) if rule.tokens else name if known is None else template_text(known)
    what = {
        "accept": lambda: f"Cut: {text}",
        "reject": lambda: f"Left in: {text}",
        "always": lambda: f"Always cut: {rule.text}",
        "never": lambda: f"Never cut: {rule.text}",
        "add": lambda: f"Expression: {rule.regex}",
        "kind": lambda: f"Kind {rule.kind}: {text}",
        "edit": lambda: f"Edited: {text}",
        "cutoff": lambda: f"Cut-off at {counted(rule.df, 'document')}",
    }[rule.action]()
    return _shorten(what)


def _shorten(text: str) -> str:
    return text if len(text) <= 200 else text[:199] + "…"
