"""Mined templates + rules of people -> the pack that cleans.

`apply_rules` is the one place where rules have a meaning; the desk calls it after every decision and `mine` when it
replaces a pack that has some.  It is a function of the templates that mining gave, the candidates that it rejected and
the rules, so that taking a rule back gives what was there before.  The first that says something about a string
decides: accept, reject or edit of this string (the last one, if there are several), never, always, the cut-off, and
then the miner.

Who edits the templates of a pack by hand decides, too: `read_pack_rules` tells what was changed since mining, by what
the pack says that mining gave, and makes rules of it.
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

from templatemine.errors import ConfigError, PackError, unreadable, warn_caller
from templatemine.mining.methods import ResolvedConfig
from templatemine.mining.select import BELOW_CUTOFF, NO_MODE, REASONS, TOO_FEW
from templatemine.mining.shared_pack import SHARED_PACK
from templatemine.mining.stages import SourceReport
from templatemine.model import RejectedCandidate, Template
from templatemine.packs.oddities import tell_void_rules
from templatemine.packs.overrides import Overrides, Rule, read_rules, rule_mark
from templatemine.packs.pack import Pack
from templatemine.packs.pack_checks import check_handwritten, check_slot, is_example
from templatemine.packs.pack_folder import (
    PackFolderWriter,
    SerialisedPack,
    SourceOutcome,
    StandingPacks,
    read_rejected,
    rejected_path,
    serialise_report,
)
from templatemine.packs.pack_json import SCHEMA, describe_json_error, read_mined, read_template
from templatemine.packs.pack_record import (
    keep_one_of_each,
    mined_entry,
    mined_mark,
    order_templates,
    rule_id,
    split_entry,
    template_id,
)
from templatemine.packs.readable import fold_case, join_tokens, sought_words
from templatemine.text.patterns import TABLE
from templatemine.text.slots import DATELINE, HEADLINES, slot_kind

STRING_ACTIONS = ("accept", "reject", "edit")
"""Actions that are about one string."""

FREQUENCY_REASONS = frozenset({REASONS[TOO_FEW], BELOW_CUTOFF, NO_MODE})
"""Reasons of the miner that are a matter of frequency: which a moved cut-off decides anew."""

MAX_ADDED = 5_000
"""Strings that rules may bring into a pack; more is a cut-off among prose, not a decision about templates."""

FindExamples = Callable[[Sequence[tuple[str, ...]]], Mapping[tuple[str, ...], str]]
"""Texts that contain strings of tokens, for those of which any is known."""


def mined_templates(pack: Pack) -> tuple[Template, ...]:
    """Return the templates that mining gave, whatever was decided about them since."""
    added = set(pack.overrides.added)
    unchanged = [template for template in pack.templates if template.id not in added]
    decided = RuleIndex(pack.overrides.rules).kinds if pack.mined is not None else {}
    if decided:
        mined = dict(map(split_entry, pack.mined or ()))
        unchanged = [
            replace(template, kind=mined.get(mined_mark(template), "")) if template.id in decided else template
            for template in unchanged
        ]
    return tuple(order_templates([*unchanged, *pack.overrides.removed]))


def handwritten_template(rule: Rule) -> Template:
    """Return the template of an expression that was added.

    Raises
    ------
    PackError
        Saying why the pack would refuse it.
    """
    template = Template(
        id="h" + blake2b(rule.regex.encode("utf-8", "surrogatepass"), digest_size=5).hexdigest(),
        regex=rule.regex,
        tokens=None,
        df=rule.df,
        count=rule.count,
        example=rule.example,
        kind=rule.kind,
    )
    check_handwritten(template, "expression")
    return template


class RuleIndex:
    """The rules of a pack, to be asked about one string after the other."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.by_id: dict[str, Rule] = {}
        for rule in rules:
            if rule.action in STRING_ACTIONS:
                self.by_id[rule_id(rule)] = rule
        self.never = [fold_case(rule.text) for rule in rules if rule.action == "never"]
        self.always = [fold_case(rule.text) for rule in rules if rule.action == "always"]
        cutoffs = [rule.df for rule in rules if rule.action == "cutoff"]
        self.min_df = cutoffs[-1] if cutoffs else None
        self.added = {rule.regex: rule for rule in rules if rule.action == "add"}
        self.kinds = {rule_id(rule): rule.kind for rule in rules if rule.kind}
        self.accepted = [rule for rule in self.by_id.values() if rule.action != "reject"]

    def keeps(self, template: Template) -> bool:
        """Return whether a template that mining gave stays."""
        rule = self.by_id.get(template.id)
        if rule is not None:
            as_written = (rule.tokens, rule.anchor) == (template.tokens, template.anchor)
            return rule.action == "accept" or (rule.action == "edit" and as_written)
        if self._is_part_left_in(template):
            return False
        if self.never or self.always:
            words = fold_case(sought_words(template.tokens) if template.tokens is not None else template.example)
            if any(text in words for text in self.never):
                return False
            if any(text in words for text in self.always):
                return True
        return self.min_df is None or template.tokens is None or template.df >= self.min_df

    def _is_part_left_in(self, template: Template) -> bool:
        """Return whether a template cuts what a rule leaves in, and more: the label before headlines, or a string with
        one of the names of its slot."""
        filler = template.filler
        if filler not in (HEADLINES, "names", DATELINE):
            return False
        string = template.string or ()
        if filler == HEADLINES:
            rule = self.by_id.get(template_id(string))
            return rule is not None and rule.action == "reject"
        size = len(string)
        rejected = (rule.tokens for rule in self.by_id.values() if rule.action == "reject" and rule.tokens is not None)
        head = template.head
        return any(
            len(tokens) > size + len(head)
            and head == tokens[: len(head)]
            and string == (tokens[:size] if template.slot == "end" else tokens[-size:])
            for tokens in rejected
        )

    def adds(self, tokens: tuple[str, ...], df: int, reason: str) -> bool:
        """Return whether a rejected candidate comes in, rules about this very string aside: none with a slot, which
        takes more than the words of a rule."""
        if any(slot_kind(token) is not None for token in tokens):
            return False
        words = fold_case(sought_words(tokens)) if self.never or self.always else ""
        if any(text in words for text in self.never):
            return False
        if any(text in words for text in self.always):
            return True
        return self.min_df is not None and df >= self.min_df and reason in FREQUENCY_REASONS

    @property
    def may_add(self) -> bool:
        return bool(self.always) or self.min_df is not None


def apply_rules(
    pack: Pack, rejected: Iterable[RejectedCandidate], rules: Sequence[Rule], examples: FindExamples | None = None
) -> Pack:
    """Return the pack with these rules in place of any it had.

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
        The rules would bring more than `MAX_ADDED` strings.
    """
    index = RuleIndex(rules)
    base = mined_templates(pack)
    kept_templates = [template for template in base if index.keeps(template)]
    base_ids = {template.id for template in base}
    kept_ids = {template.id for template in kept_templates}
    rows: dict[tuple[str, ...], tuple[int, int, str, str]] = {
        rule.tokens: (rule.df, rule.count, rule.anchor, rule.example)
        for rule in index.accepted
        if rule.tokens is not None and template_id(rule.tokens) not in (kept_ids if rule.action == "edit" else base_ids)
    }
    if index.may_add:
        for one in rejected:
            if one.tokens not in rows and index.adds(one.tokens, one.df, one.reason):
                name = template_id(one.tokens)
                if name not in base_ids and name not in index.by_id:
                    rows[one.tokens] = one.df, one.count, one.anchor, one.example
            if len(rows) > MAX_ADDED:
                raise ConfigError(
                    f"expected rules that bring at most {MAX_ADDED:,} strings, and these bring more; "
                    "move the cut-off up, or let an always rule say more words"
                )
    added = [*_build_added(pack, rows, examples), *(handwritten_template(rule) for rule in index.added.values())]
    missing = next((rule for rule in index.accepted if _is_missing(rule, kept_templates, added)), None)
    if missing is not None:
        text = join_tokens(missing.tokens or (), missing.example)
        raise PackError(f"edit: {text!r} cannot be an expression of the pack of {pack.source!r}")
    removed_ids = base_ids - kept_ids
    kept_templates, added = _with_kinds(kept_templates, index.kinds), _with_kinds(added, index.kinds)
    mined = pack.mined
    if mined is None and index.kinds:
        mined = tuple(sorted(mined_entry(template) for template in base if template.tokens is not None))
    return replace(
        pack,
        mined=mined,
        templates=tuple(order_templates([*kept_templates, *added]) if added else kept_templates),
        overrides=Overrides(
            rules=tuple(rules),
            removed=tuple(template for template in base if template.id in removed_ids),
            added=tuple(sorted(template.id for template in added)),
            applied=tuple(dict.fromkeys(map(rule_mark, rules))),
        ),
    )


def _with_kinds(templates: Sequence[Template], kinds: Mapping[str, str]) -> list[Template]:
    """Return the templates, of which some have a kind that people gave them."""
    return [
        replace(template, kind=kinds[template.id])
        if kinds.get(template.id, template.kind) != template.kind
        else template
        for template in templates
    ]


def _is_missing(rule: Rule, *templates: Iterable[Template]) -> bool:
    """Return whether a string that a person edited did not come in."""
    return rule.action == "edit" and not any(
        template.tokens == rule.tokens for group in templates for template in group
    )


def _build_added(
    pack: Pack, rows: Mapping[tuple[str, ...], tuple[int, int, str, str]], examples: FindExamples | None
) -> list[Template]:
    """Build templates of candidates that were rejected, except those that their tokens alone do not determine."""
    if not rows:
        return []
    mined_examples = {template.tokens: template.example for template in pack.templates if template.tokens is not None}
    found_examples = dict(examples([tokens for tokens in rows if tokens not in mined_examples])) if examples else {}
    templates: list[Template] = []
    for tokens, (df, count, anchor, example) in rows.items():
        text = example or mined_examples.get(tokens) or found_examples.get(tokens) or _example_text(tokens)
        template = Template(
            id=template_id(tokens), regex="", tokens=tokens, df=df, count=count, example=text, anchor=anchor
        )
        with suppress(ValueError, PackError):  # a rule written by hand, with a pattern or a slot that cannot be there
            check_slot(pack, template, "")
            templates.append(replace(template, regex=pack.derived(template)))
    return _match_examples(pack, keep_one_of_each(templates))


def _match_examples(pack: Pack, templates: Sequence[Template]) -> list[Template]:
    """Return the templates that match their own example; replace the example of others by one made of their tokens,
    or drop them."""
    matcher, _ = replace(pack, templates=tuple(templates)).matcher()
    matching: list[Template] = []
    for index, template in enumerate(templates):
        for example in (template.example, _example_text(template.tokens or ())):
            if is_example(pack, matcher, index, example):
                matching.append(replace(template, example=example))
                break
    return matching


_BRACED_NAME = re.compile(r"\{\{|\}\}|\{([a-z][a-z0-9_]*)\}")
_PATTERN_INSTANCES: Mapping[str, str] = {row.name: row.yes[0] for row in TABLE if row.yes}


def _example_text(tokens: Sequence[str]) -> str:
    """Return a text of these tokens, with an instance for each pattern."""

    def instance(match: re.Match[str]) -> str:
        return match.group()[0] if match.group(1) is None else _PATTERN_INSTANCES.get(match.group(1), match.group())

    return join_tokens([_BRACED_NAME.sub(instance, token) for token in tokens])


def read_pack_rules(path: str | Path) -> tuple[Rule, ...]:
    """Return the rules of a pack that is about to be replaced, with those of `find_manual_edits`; none if there is no
    pack, or nothing that was one.

    Raises
    ------
    PackError
        What a person decided cannot be read: replacing the pack would lose it.
    """
    return _find_rules(_read_earlier_pack(path), path)


def _read_earlier_pack(path: str | Path) -> dict[str, Any]:
    """Read what a pack that is about to be replaced holds; nothing if there is none; errors as of `read_pack_rules`."""
    try:
        text = Path(path).read_bytes().decode("utf-8-sig", "surrogateescape")
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise PackError(f"{path}: {unreadable(error, ', and may hold decisions')}") from error
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        if not any(key in text for key in ('"overrides"', '"templates"')):
            return {}
        # Packs are written whole, so that somebody has edited it.
        problem = describe_json_error(str(path), error)
        raise PackError(f"{problem}; mend it, for it may hold decisions, or delete it") from error
    return data if isinstance(data, dict) else {}


def _find_rules(data: Mapping[str, Any], path: str | Path) -> tuple[Rule, ...]:
    if not isinstance(data.get("overrides", []), list):
        raise PackError(f"{path}: overrides: expected a list, got {type(data['overrides']).__name__}")
    rules = read_rules(data.get("overrides", []), str(path))
    return (*rules, *find_manual_edits(data, rules, str(path)))


def find_manual_edits(data: Mapping[str, Any], rules: Sequence[Rule], where: str) -> tuple[Rule, ...]:
    """Return manual changes of the list of templates since mining, as rules that the next mining keeps.

    An expression without tokens is one that was added.  The rest is told by what the pack notes of its mining: a
    template that is there no more was rejected, one that is not as it was given is edited.  Packs from before there was
    such a note do not tell.
    """
    if data.get("schema") != SCHEMA:
        return ()  # of another version, or no pack at all
    rows = _list_field(data, "templates")
    listed = [read_template(row, f"{where}: templates[{index}]") for index, row in enumerate(rows)]
    added = {name for name in _list_field(data, "added") if isinstance(name, str)}
    known_regexes = {rule.regex for rule in rules}
    found_rules: list[Rule] = []
    for template in listed:
        if template.tokens is None and template.id not in added and template.regex not in known_regexes:
            check_handwritten(template, f"{where}: {template.id}")
            found_rules.append(
                Rule(
                    action="add",
                    regex=template.regex,
                    example=template.example,
                    kind=template.kind,
                    df=template.df,
                    count=template.count,
                )
            )
    entries = read_mined(data, where)
    if entries is None:
        return tuple(found_rules)
    marks = dict(map(split_entry, entries))
    decided = RuleIndex(rules).kinds
    with_tokens = [
        template for template in listed if template.tokens is not None and template_id(template.tokens) not in added
    ]
    for template in with_tokens:
        mark, name = mined_mark(template), template_id(template.tokens or ())
        if mark not in marks:
            edited = Rule(action="edit", tokens=template.tokens, example=template.example, anchor=template.anchor)
            found_rules.append(replace(edited, kind=template.kind, df=template.df, count=template.count))
        elif template.kind and template.kind != decided.get(name, marks[mark]):
            found_rules.append(Rule(action="kind", id=name, kind=template.kind))
    present_ids = {template_id(template.tokens or ()) for template in with_tokens} | added
    present_ids |= {row["id"] for row in _list_field(data, "removed") if isinstance(row, dict) and "id" in row}
    missing_ids = sorted({mark.partition(" ")[0] for mark in marks} - present_ids)
    return (*found_rules, *(Rule(action="reject", id=name) for name in missing_ids))


def _list_field(data: Mapping[str, Any], key: str) -> list[Any]:
    rows = data.get(key)
    return rows if isinstance(rows, list) else []


def keep_rules(pack: Pack, rejected: Iterable[RejectedCandidate], pack_path: str | Path) -> Pack:
    """Return a pack that was mined, with the rules of the one that it will replace; void ones are warned of."""
    data = _read_earlier_pack(pack_path)
    rules = _find_rules(data, pack_path)
    if not rules:
        return pack
    pack = apply_rules(pack, rejected, rules)
    if told := tell_void_rules(pack, _list_field(data, "applied")):
        warn_caller(f"{pack_path}: {'; '.join(told)}")
    return pack


def refuse_packs(folder: PackFolderWriter, documents: Mapping[str, int], options: ResolvedConfig) -> None:
    """Raise an error if a pack of the sources that will have one may not be replaced (`refuse_existing`), or holds
    decisions that cannot be read (`read_pack_rules`); `documents` are those of each source."""
    sources = [source for source, number in documents.items() if number >= options.min_docs]
    if options.shared is not None:
        sources.append(SHARED_PACK)
    folder.refuse_existing(sources)
    for source in filter(folder.standing.__contains__, sources):
        read_pack_rules(folder.standing.path(source))


def serialise_with_rules(report: SourceReport, standing: StandingPacks) -> SerialisedPack:
    """Return the report of a source as files for a folder, with the rules of the pack that it will replace there."""
    if report.pack is None and report.source not in standing:  # of nearly all, where there are many
        outcome = SourceOutcome(source=report.source, documents=report.documents, pack=None, note=report.note)
        return SerialisedPack(outcome, {})
    path = standing.path(report.source)
    if report.pack is not None:
        report = replace(report, pack=keep_rules(report.pack, report.rejected or (), path))
    return serialise_report(report, path)


def keep_later_rules(new_path: str, old_path: str) -> None:
    """Copy later decisions from the present pack into the new one, before this takes its place.

    Runs that take long, or were killed and go on, make packs hours before these get their names.  The rejected
    candidates may have got theirs already.

    Raises
    ------
    PackError
        As `read_pack_rules`.
    """
    if not (os.path.exists(new_path) and os.path.exists(old_path)):
        return
    rules = read_pack_rules(old_path)
    if rules == read_pack_rules(new_path):
        return
    rejected_owner = new_path if os.path.exists(rejected_path(new_path)) else old_path
    apply_rules(Pack.load(new_path), read_rejected(rejected_owner), rules).save(new_path, force=True)
