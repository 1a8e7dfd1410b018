"""Check that a pack can be trusted: each expression compiles, is safe, is that of its tokens and matches its example.

A pack that was read is refused for the first one that does not, by name and place; of one that was mined the
expressions that miss their own example are left out, with a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from templatemine.errors import PackError
from templatemine.matching import _automaton
from templatemine.model import Template
from templatemine.packs.pack_record import GENERATOR, AnyPack, PackRecord, mined_entry
from templatemine.text._scan import MAX_SIZED_SLOT
from templatemine.text.expressions import ANCHORS, EncodedText
from templatemine.text.linear import LinearExpression, RefusedExpression, compile_linear
from templatemine.text.reading import plain_form
from templatemine.text.slots import BETWEEN, DATELINE, HEADLINES, KINDS, slot_kind, slot_token

FROM_TOKENS = ""
"""In place of an expression that is to be made of its tokens."""


def check_pack(pack: AnyPack, where: str) -> AnyPack:
    """Check that every expression compiles, is safe, agrees with its tokens and matches its own example, and restore
    those that are made of their tokens."""
    index_of: dict[str, int] = {}
    id_of_tokens: dict[tuple[str, ...], str] = {}
    recompiled: dict[int, Template] = {}
    for index, template in enumerate(pack.templates):
        here = f"{where}: templates[{index}] ({template.id})"
        if template.id in index_of:
            raise PackError(f"{here}: same id as templates[{index_of[template.id]}]")
        index_of[template.id] = index
        if template.tokens is None:
            check_handwritten(template, here, of_text=not pack.html)
            continue
        if template.tokens in id_of_tokens:
            raise PackError(f"{here}: the same tokens as {id_of_tokens[template.tokens]}")
        id_of_tokens[template.tokens] = template.id
        check_slot(pack, template, here)
        try:
            derived = pack.derived(template)
        except ValueError as error:
            raise PackError(f"{here}: tokens: {error}") from error
        if derived != template.regex:
            _check_stale(pack, template, here)
            recompiled[index] = replace(template, regex=derived)
    if recompiled:
        pack = replace(
            pack, templates=tuple(recompiled.get(index, template) for index, template in enumerate(pack.templates))
        )
    _check_examples(pack, where)
    return pack


def _check_stale(pack: PackRecord, template: Template, here: str) -> None:
    """Refuse an expression that differs from its tokens: somebody edited one of the two, and would see no effect.
    Expressions that are left out, or that another version compiled, pass."""
    if template.regex == FROM_TOKENS:
        return
    if not _finds_example(template, here) or pack.generator == GENERATOR:
        raise PackError(
            f"{here}: regex and tokens disagree; edit the tokens, with null for the regex, "
            "or set them to null, and write the expression in full"
        )


def _finds_example(template: Template, here: str) -> bool:
    """Return whether the group of an expression finds its own example from end to end."""
    compiled = _compile(template.regex, here)
    return compiled.groups == 1 and next(compiled.spans(template.example), None) == (0, len(template.example))


def check_slot(pack: PackRecord, template: Template, here: str) -> None:
    """Refuse slots but one beside other tokens, in no HTML: at an edge of its line, or between two strings, where it
    takes anything or names."""
    tokens = template.tokens or ()
    slots = [token for token in tokens if token.startswith("{slot")]
    for token in slots:
        if slot_kind(token) is None:
            kinds = ", ".join((*KINDS, HEADLINES, DATELINE))
            raise PackError(
                f"{here}: tokens: expected {{slot}}, or {{slot:...}} with {kinds} or a number of characters less "
                f"than {MAX_SIZED_SLOT}, got {token!r}"
            )
    if not slots:
        return
    if pack.html:
        raise PackError(f"{here}: tokens: {slots[0]} stands for a part of a line, and HTML has none")
    if len(slots) > 1 or len(tokens) < 2:
        raise PackError(f"{here}: tokens: expected {slots[0]} once and beside other tokens")
    if template.slot == "middle":
        if template.filler not in BETWEEN:
            some = " or ".join(map(slot_token, BETWEEN))
            raise PackError(f"{here}: tokens: expected {some} between other tokens, got {slots[0]}")
    elif template.filler == HEADLINES and template.slot == "start":
        raise PackError(f"{here}: tokens: expected {slots[0]} behind other tokens")
    elif template.filler == DATELINE and template.slot != "start":
        raise PackError(f"{here}: tokens: expected {slots[0]} before other tokens")
    elif not ANCHORS[template.anchor] & ANCHORS[template.slot]:
        raise PackError(
            f"{here}: anchor: expected {template.slot!r} or 'line' beside {slots[0]}, got {template.anchor!r}"
        )


def _check_examples(pack: PackRecord, where: str) -> None:
    for row in _find_mismatches(pack, *pack.matcher()):
        template = pack.templates[row]
        raise PackError(
            f"{where}: templates[{row}] ({template.id}): the expression does not match its own example "
            f"{template.example[:60]!r}"
        )


def _find_mismatches(pack: PackRecord, matcher: _automaton.Matcher, rows: Sequence[int]) -> Iterator[int]:
    """Yield places of templates that the automaton does not find in their own example, from end to end."""
    for string_index, row in enumerate(rows):
        if not is_example(pack, matcher, string_index, pack.templates[row].example):
            yield row


def is_example(pack: PackRecord, matcher: _automaton.Matcher, string: int, example: str) -> bool:
    """Return whether an example, which is in reading form or is read now, is an occurrence of a string from end to
    end."""
    read = EncodedText(example, pack.patterns, pack.tokenise.separators), pack.encode(example)
    return any(matcher.is_whole_match(encoded.data, string) for encoded in read)


def drop_mismatches(pack: AnyPack) -> AnyPack:
    """Return a pack that was mined, as it may be saved, with its templates noted in `mined`.

    For one that does not match its own example `load` would refuse all of them, so such a one is left out, and the note
    of the cut-off says so.
    """
    mismatches = {*_find_mismatches(pack, *pack.matcher())}
    pack = replace(
        pack,
        mined=tuple(
            sorted(mined_entry(template) for row, template in enumerate(pack.templates) if row not in mismatches)
        ),
    )
    if not mismatches:
        return pack
    names = ", ".join(pack.templates[row].id for row in sorted(mismatches))
    return replace(
        pack,
        templates=tuple(template for row, template in enumerate(pack.templates) if row not in mismatches),
        cutoff=replace(pack.cutoff, note=f"{pack.cutoff.note}; left out, as no match of their own example: {names}"),
    )


def compile_handwritten(source: str, here: str, *, of_text: bool = False) -> LinearExpression:
    """Return an expression written by hand, compiled; one `of_text` matches reading forms.

    Raises
    ------
    PackError
        It does not compile, has what RE2 has not, several groups, matches the empty text, or asks for a character that
        no reading form has.
    """
    compiled = _compile(source, here)
    if of_text and (problem := _unread_problem(source)):
        raise PackError(f"{here}: regex: {problem}")
    if compiled.groups > 1:
        raise PackError(f"{here}: regex: expected at most one capturing group, the text to cut, got {compiled.groups}")
    if compiled.find("") is not None:
        raise PackError(f"{here}: regex: matches the empty text")
    return compiled


def _unread_problem(source: str) -> str:
    """Say why an expression asks for characters that no reading form has; empty if it does not."""
    for char in re.sub(r"(?s)\\.|\[\^?\]?(?:\\.|[^\\\]])*\]", "", source):  # ranges may begin with any
        form = None if char.isascii() else plain_form(char)
        if form is not None:
            what = f"write {form!r}" if form else "leave it out"
            return f"{char!r} is in no text as expressions see it (templatemine.reading); {what}"
    return ""


def _compile(source: str, here: str) -> LinearExpression:
    try:
        return compile_linear(source)
    except RefusedExpression as error:
        raise PackError(f"{here}: regex: {error}") from error


def check_handwritten(template: Template, here: str, *, of_text: bool = False) -> None:
    """Refuse an expression written by hand that cannot be trusted.

    Raises
    ------
    PackError
        As `compile_handwritten`, or it does not match its own example.
    """
    if compile_handwritten(template.regex, here, of_text=of_text).find(template.example) is None:
        raise PackError(f"{here}: regex: does not match its own example {template.example[:60]!r}")
