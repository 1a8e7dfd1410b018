"""What people decide about templates: read and written, applied, taken back, and kept by a later mining."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templatemine.archive.apply_overrides import (
    FREQUENCY_REASONS,
    RuleIndex,
    apply_rules,
    keep_rules,
    mined_templates,
    read_pack_rules,
)
from templatemine.cleaning.cleaner import Cleaner
from templatemine.errors import ConfigError, PackError
from templatemine.kinds import KINDS
from templatemine.mining.stages import SourceReport
from templatemine.model import Document, RejectedCandidate, Template
from templatemine.packs.overrides import ACTIONS, Rule, read_rule
from templatemine.packs.pack import Pack
from templatemine.packs.pack_folder import open_pack_folder
from templatemine.packs.pack_record import template_id
from templatemine.packs.readable import join_tokens
from templatemine.pipeline import Miner

WORDS = [
    "amber",
    "birch",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "heron",
    "inlet",
    "jetty",
    "knoll",
    "larch",
    "marsh",
    "north",
    "ochre",
    "pearl",
    "quartz",
    "reed",
]


def documents() -> list[Document]:
    draw = Random(4)

    def prose() -> str:
        return " ".join(draw.choices(WORDS, k=30)).capitalize() + "."

    return [
        Document(
            source="lantern.example",
            id=str(n),
            text="\n".join(
                [
                    prose(),
                    "Sign up for our morning letter",
                    prose(),
                    *(["Photo by the harbour desk"] if n % 8 == 0 else []),
                    f"Comments ({n})",
                ]
            ),
        )
        for n in range(60)
    ]


@pytest.fixture(scope="module")
def report() -> SourceReport:
    (found,) = Miner().run(documents())
    return found


@pytest.fixture(scope="module")
def pack(report: SourceReport) -> Pack:
    assert report.pack is not None
    return report.pack


@pytest.fixture(scope="module")
def rejected(report: SourceReport) -> list[RejectedCandidate]:
    return list(report.rejected or ())


def phrases(pack: Pack) -> set[str]:
    return {join_tokens(one.tokens) if one.tokens is not None else one.regex for one in pack.templates}


CALL = ("Sign", "up", "for", "our", "morning", "letter")


def test_reject_and_back(pack: Pack) -> None:
    rejected = apply_rules(pack, (), [Rule(action="reject", id=template_id(CALL))])
    assert phrases(pack) - phrases(rejected) == {"Sign up for our morning letter"}
    text = documents()[1].body
    assert "morning letter" not in Cleaner(pack).clean(text).text
    assert "morning letter" in Cleaner(rejected).clean(text).text
    assert apply_rules(rejected, (), []) == pack


def test_accept_brings_a_rejected_string_with_its_figures(pack: Pack, rejected: list[RejectedCandidate]) -> None:
    tokens, df, count, *_ = next(row for row in rejected if row[0] != CALL)
    rule = Rule(action="accept", tokens=tokens, df=df, count=count, anchor="end")
    taken = apply_rules(pack, rejected, [rule])
    (new,) = (one for one in taken.templates if one.tokens == tokens)
    assert (new.df, new.count, new.anchor) == (df, count, "end")
    assert taken.overrides.added == (new.id,)
    assert Pack.from_json(taken.to_json()).to_json() == taken.to_json()


def test_a_kind_given_stays_through_the_file_and_goes_with_its_rule(pack: Pack) -> None:
    name = template_id(CALL)
    assert next(one.kind for one in pack.templates if one.id == name) == "promotion"
    for before in (pack, replace(pack, mined=None)):
        given = apply_rules(before, (), [Rule(action="kind", id=name, kind="note")])
        read = Pack.from_json(given.to_json())
        assert next(one.kind for one in read.templates if one.id == name) == "note"
        assert apply_rules(read, (), []).templates == pack.templates


def test_a_kind_written_into_the_file_is_a_rule(pack: Pack, tmp_path: Path) -> None:
    name, path = template_id(CALL), tmp_path / "p.json"
    templates = tuple(replace(one, kind="note") if one.id == name else one for one in pack.templates)
    path.write_text(replace(pack, templates=templates).to_json(), encoding="utf-8")
    (rule,) = read_pack_rules(path)
    assert rule == Rule(action="kind", id=name, kind="note")
    path.write_text(apply_rules(pack, (), [rule]).to_json(), encoding="utf-8")
    assert read_pack_rules(path) == (rule,)


def test_never_and_always(pack: Pack, rejected: list[RejectedCandidate]) -> None:
    assert "Comments ({number})" in phrases(pack)
    never = apply_rules(pack, rejected, [Rule(action="never", text="morning LETTER")])
    assert not [text for text in phrases(never) if "morning letter" in text]
    word = rejected[0][0][0]
    always = apply_rules(pack, rejected, [Rule(action="always", text=word)])
    came = phrases(always) - phrases(pack)
    assert came == {join_tokens(row[0]) for row in rejected if word.casefold() in join_tokens(row[0]).casefold()}
    both = apply_rules(pack, rejected, [Rule(action="always", text=word), Rule(action="never", text=word)])
    assert phrases(both) <= phrases(pack)


def test_a_decision_about_one_string_is_stronger_than_a_rule(pack: Pack) -> None:
    rules = [Rule(action="never", text="letter"), Rule(action="accept", tokens=CALL, df=60, count=60)]
    assert "Sign up for our morning letter" in phrases(apply_rules(pack, (), rules))


@pytest.mark.parametrize("least", [1, 5, 40, 61])
def test_the_cut_off_moved(pack: Pack, rejected: list[RejectedCandidate], least: int) -> None:
    moved = apply_rules(pack, rejected, [Rule(action="cutoff", df=least)])
    assert all(one.df >= least for one in moved.templates)
    wanted = {join_tokens(row[0]) for row in rejected if row[1] >= least and row[3] in FREQUENCY_REASONS}
    assert phrases(moved) == wanted | {join_tokens(one.tokens or ()) for one in pack.templates if one.df >= least}


def test_an_expression_added(pack: Pack) -> None:
    rule = Rule(action="add", regex=r"Photo by [a-z ]+desk", example="Photo by the harbour desk", df=8, count=8)
    added = apply_rules(pack, (), [rule])
    assert Pack.from_json(added.to_json()).to_json() == added.to_json()
    assert "Photo by" not in Cleaner(added).clean(documents()[0].body).text
    assert apply_rules(added, (), []) == pack


@pytest.mark.parametrize(
    ("regex", "example", "why"),
    [
        ("(?=a)a+b", "aab", "look-around"),
        ("(", "(", "does not compile"),
        ("x*", "x", "matches the empty text"),
        ("(a)(b)", "ab", "at most one capturing group"),
        ("abc", "abd", "does not match its own example"),
        (r"(a)\1", "aa", "back-reference"),
    ],
)
def test_bad_expressions_are_refused_with_the_reason(pack: Pack, regex: str, example: str, why: str) -> None:
    with pytest.raises(PackError, match=why):
        apply_rules(pack, (), [Rule(action="add", regex=regex, example=example)])


def test_too_much_is_refused(pack: Pack) -> None:
    rows = [RejectedCandidate((f"word{n}",), 9, 9, next(iter(FREQUENCY_REASONS))) for n in range(5_002)]
    with pytest.raises(ConfigError, match="at most 5,000 strings"):
        apply_rules(pack, rows, [Rule(action="cutoff", df=3)])


def test_a_string_with_patterns_gets_an_example_of_its_own(pack: Pack) -> None:
    tokens = ("{weekday},", "{month}", "{number},", "{{braces}}")
    taken = apply_rules(pack, (), [Rule(action="accept", tokens=tokens, df=3, count=3)])
    (new,) = (one for one in taken.templates if one.tokens == tokens)
    assert new.example == "Tuesday, February 12, {braces}"
    unknown = apply_rules(pack, (), [Rule(action="accept", tokens=("{nothing}",), df=3, count=3)])
    assert phrases(unknown) == phrases(pack)


def test_examples_come_from_articles_where_there_are_any(pack: Pack) -> None:
    tokens = ("Photo", "{number}")
    for said, shown in (("Photo 77", "Photo 77"), ("no such thing", "Photo 12")):
        taken = apply_rules(
            pack, (), [Rule(action="accept", tokens=tokens)], lambda rows, said=said: dict.fromkeys(rows, said)
        )
        assert next(one.example for one in taken.templates if one.tokens == tokens) == shown


anchors = st.sampled_from(["", "start", "end", "line"])


@st.composite
def decisions(draw: st.DrawFn) -> list[Rule]:
    rules = []
    for _ in range(draw(st.integers(0, 6))):
        action = draw(st.sampled_from(sorted(ACTIONS)))
        tokens = draw(st.sampled_from([CALL, ("Comments", "({number})"), ("amber",), ("Photo", "by")]))
        rules.append(
            {
                "accept": Rule(action="accept", tokens=tokens, df=5, count=5),
                "reject": Rule(action="reject", id=template_id(tokens)),
                "always": Rule(action="always", text=tokens[0]),
                "never": Rule(action="never", text=tokens[-1]),
                "add": Rule(action="add", regex=tokens[0].replace("(", "[(]"), example=tokens[0]),
                "cutoff": Rule(action="cutoff", df=draw(st.integers(1, 70))),
                "kind": Rule(action="kind", id=template_id(tokens), kind=draw(st.sampled_from(KINDS))),
                "edit": Rule(action="edit", tokens=tokens, example=join_tokens(tokens), anchor=draw(anchors)),
            }[action]
        )
    return rules


@given(st.lists(decisions(), max_size=4))
def test_any_way_of_deciding_can_be_taken_back(steps: Sequence[list[Rule]]) -> None:
    global _MADE
    if _MADE is None:
        (found,) = Miner().run(documents())
        assert found.pack is not None
        _MADE = found.pack, list(found.rejected or ())
    first, rejected = _MADE
    pack = first
    for rules in steps:
        direct = apply_rules(first, rejected, rules)
        pack = apply_rules(pack, rejected, rules)
        assert {one.id for one in pack.templates} == {one.id for one in direct.templates}
        assert mined_templates(pack) == first.templates
        assert Pack.from_json(pack.to_json()).to_json() == pack.to_json()
    assert apply_rules(pack, rejected, []) == first


_MADE: tuple[Pack, list[RejectedCandidate]] | None = None


# ------------------------------------------------------------------------------------------------------- in the pack


def test_a_pack_without_rules_has_no_section(pack: Pack) -> None:
    assert "overrides" not in json.loads(pack.to_json())
    assert "removed" not in json.loads(pack.to_json())


def test_the_section_can_be_read(pack: Pack) -> None:
    rejected = apply_rules(
        pack, (), [Rule(action="reject", id=template_id(CALL), by="Ann", time="2026-01-02T03:04:05Z")]
    )
    lines = rejected.to_json().splitlines()
    assert (
        f'  {{"action": "reject", "id": "{template_id(CALL)}", "by": "Ann", "time": "2026-01-02T03:04:05Z"}}' in lines
    )


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ([], "expected an object, got list"),
        (
            {"action": "burn"},
            "action: expected one of accept, reject, always, never, add, edit, kind, cutoff, got 'burn'",
        ),
        ({"action": "reject"}, "reject: expected id, got None"),
        ({"action": "accept", "id": "t1"}, "accept: expected tokens"),
        ({"action": "accept", "tokens": "abc"}, "tokens: expected a list of strings"),
        ({"action": "never", "text": "  "}, "never: expected text"),
        ({"action": "cutoff", "df": 0}, "cutoff: expected df"),
        ({"action": "cutoff", "df": True}, "df: expected a number"),
        ({"action": "cutoff", "df": 2, "colour": "red"}, "got 'colour'"),
        ({"action": "accept", "tokens": ["a"], "anchor": "middle"}, "anchor: expected"),
        ({"action": "kind", "id": "t1"}, "kind: expected kind"),
        ({"action": "kind", "id": "t1", "kind": "bylines"}, "kind: expected one of promotion"),
    ],
)
def test_bad_rules_are_named(row: object, why: str) -> None:
    with pytest.raises(PackError) as caught:
        read_rule(row, "p.json: overrides[0]")
    assert str(caught.value).startswith("p.json: overrides[0]: ")
    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("key", "value"), [("overrides", {}), ("removed", [{"id": 3}]), ("added", [3]), ("added", "t1")]
)
def test_bad_sections_are_named(pack: Pack, key: str, value: object) -> None:
    data = json.loads(apply_rules(pack, (), [Rule(action="never", text="x")]).to_json())
    data[key] = value
    with pytest.raises(PackError, match=key):
        Pack.from_json(json.dumps(data))


# ------------------------------------------------------------------------------------------------------- kept by mining


def test_a_later_mining_keeps_the_rules(tmp_path: Path, report: SourceReport, pack: Pack) -> None:
    rules = [Rule(action="reject", id=template_id(CALL), by="Ann"), Rule(action="never", text="Comments")]
    steered = apply_rules(pack, (), rules)
    with open_pack_folder(tmp_path / "packs") as shelf:
        path = shelf.save(replace(report, pack=steered)).pack
    assert path is not None
    assert keep_rules(pack, (), path) == steered
    assert keep_rules(pack, (), tmp_path / "none.json") is pack
    (tmp_path / "other.json").write_text("[1, 2")
    assert keep_rules(pack, (), tmp_path / "other.json") is pack
    (tmp_path / "bad.json").write_text('{"overrides": [{"action": "burn"}]}')
    with pytest.raises(PackError, match=r"bad\.json: overrides\[0\]: action"):
        keep_rules(pack, (), tmp_path / "bad.json")


def test_mining_tells_of_rules_by_hand_that_do_nothing(tmp_path: Path, pack: Pack) -> None:
    """Of an id that nothing has once, of tokens that no text has each time."""
    path = tmp_path / "pack.json"
    rules = [{"action": "reject", "id": "t0a1b2c3d4e"}, {"action": "accept", "tokens": ["Photo by"]}]
    path.write_text(json.dumps({**json.loads(pack.to_json()), "overrides": rules}))
    with pytest.warns(UserWarning, match=r"reject: no template of .* 't0a1b2c3d4e'; show lists ids; accept: no text"):
        kept = keep_rules(pack, (), path)
    path.write_text(kept.to_json())
    with pytest.warns(UserWarning, match=r"pack\.json: accept: no text can have \['Photo by'\] as tokens"):
        keep_rules(pack, (), path)


@pytest.mark.parametrize(
    "text", ['{"overrides": [', '{"templates": [,]}', '{"overrides": [{"action": "never", "text": "a"},]}']
)
def test_decisions_that_cannot_be_read_are_not_replaced(tmp_path: Path, text: str, pack: Pack) -> None:
    (tmp_path / "torn.json").write_text(text)
    with pytest.raises(PackError, match=r"torn\.json: not JSON: .* \(line 1, column \d+\).*; mend it"):
        keep_rules(pack, (), tmp_path / "torn.json")


def test_a_mark_of_an_editor_hides_no_decisions(tmp_path: Path, pack: Pack) -> None:
    steered = apply_rules(pack, (), [Rule(action="never", text="Comments")])
    (tmp_path / "pack.json").write_text(steered.to_json(), encoding="utf-8-sig")
    assert keep_rules(pack, (), tmp_path / "pack.json") == steered


# ------------------------------------------------------------------------------------------------ edited without a rule

WRITTEN = {
    "id": "mine",
    "regex": "[a-z]+ harbour [a-z]+",
    "tokens": None,
    "df": 0,
    "count": 0,
    "example": "the harbour desk",
    "anchor": "",
}


def edited(pack: Pack, path: Path, change: Callable[[list[dict[str, Any]]], object]) -> Path:
    """A pack that somebody has edited the list of templates of, as it stands on disk."""
    data = json.loads(pack.to_json())
    change(data["templates"])
    path.write_text(json.dumps(data))
    Pack.load(path)
    return path


def row_of(rows: list[dict[str, Any]], tokens: Sequence[str]) -> dict[str, Any]:
    return next(row for row in rows if row["tokens"] == list(tokens))


def test_an_untouched_pack_gives_no_rules(tmp_path: Path, pack: Pack) -> None:
    steered = apply_rules(
        pack, (), [Rule(action="reject", id=template_id(CALL)), Rule(action="add", regex="a b", example="a b")]
    )
    for one in (pack, steered, Pack.from_json(steered.to_json())):
        assert read_pack_rules(edited(one, tmp_path / "pack.json", lambda rows: None)) == one.overrides.rules


def test_a_template_that_was_deleted_stays_away(tmp_path: Path, pack: Pack) -> None:
    path = edited(pack, tmp_path / "pack.json", lambda rows: rows.remove(row_of(rows, CALL)))
    again = keep_rules(pack, (), path)
    assert phrases(again) == phrases(pack) - {join_tokens(CALL)}
    assert again.overrides.rules == (Rule(action="reject", id=template_id(CALL)),)
    again.save(path, force=True)
    assert keep_rules(pack, (), path) == again


def test_an_expression_that_was_written_stays(tmp_path: Path, pack: Pack) -> None:
    path = edited(pack, tmp_path / "pack.json", lambda rows: rows.append(WRITTEN))
    again = keep_rules(pack, (), path)
    assert [one.regex for one in again.templates if one.tokens is None] == [WRITTEN["regex"]]
    assert "harbour" not in Cleaner(again).clean("A story.\nPhoto by the harbour desk\nMore of it.").text
    again.save(path, force=True)
    assert keep_rules(pack, (), path) == again


@pytest.mark.parametrize(
    "change",
    [
        {"tokens": ["our", "morning", "letter"], "example": "our morning letter", "anchor": "end"},
        {"anchor": "start"},
        {"tokens": [*CALL, "{slot:names}"], "example": "Sign up for our morning letter Ann Reed"},
    ],
)
def test_a_template_that_was_edited_stays_as_written(tmp_path: Path, pack: Pack, change: dict[str, Any]) -> None:
    path = edited(pack, tmp_path / "pack.json", lambda rows: row_of(rows, CALL).update(change, regex=None))
    wanted = Pack.load(path)
    again = keep_rules(pack, (), path)
    kept = [(one.tokens, one.anchor, one.regex) for one in again.templates]
    assert sorted(kept) == sorted((one.tokens, one.anchor, one.regex) for one in wanted.templates)
    again.save(path, force=True)
    assert keep_rules(pack, (), path) == again


def test_a_row_that_cannot_be_read_is_not_replaced(tmp_path: Path, pack: Pack) -> None:
    data = json.loads(pack.to_json())
    del data["templates"][1]["example"]
    (tmp_path / "pack.json").write_text(json.dumps(data))
    with pytest.raises(PackError, match=r"pack\.json: templates\[1\]: the field 'example' is missing"):
        keep_rules(pack, (), tmp_path / "pack.json")


def test_an_edit_that_can_be_no_expression_is_named(pack: Pack) -> None:
    with pytest.raises(PackError, match="edit: 'Photo {slot:hats}' cannot be"):
        apply_rules(pack, (), [Rule(action="edit", tokens=("Photo", "{slot:hats}"), example="Photo x")])


@pytest.mark.parametrize(
    ("left_in", "gone"),
    [
        (("Read", "more"), {"Read more {slot:headlines}"}),
        (("By", "Jane", "Roe"), {"By {slot:names}"}),
        (("Ann", "Hill", "(Wire)"), {"{slot:names} (Wire)"}),
        (("LYNDE", "\u2013"), {"{slot:dateline} \u2013"}),
        (("Read", "less"), set()),
        (("By",), set()),
    ],
)
def test_what_a_rule_leaves_in_is_not_cut_with_more(pack: Pack, left_in: tuple[str, ...], gone: set[str]) -> None:
    """A label that was rejected came back with headlines, and a name with a slot for all of them."""
    made = [
        (("Read", "more", "{slot:headlines}"), "line", "Read more\nOne thing"),
        (("By", "{slot:names}"), "line", "By Jane Roe"),
        (("{slot:names}", "(Wire)"), "start", "Ann Hill (Wire)"),
        (("{slot:dateline}", "\u2013"), "start", "LYNDE \u2013"),
    ]
    templates = [
        Template(id=template_id(tokens), regex="", tokens=tokens, df=9, count=9, example=example, anchor=anchor)
        for tokens, anchor, example in made
    ]
    made_pack = replace(pack, templates=tuple(replace(one, regex=pack.derived(one)) for one in templates), mined=None)
    found = apply_rules(made_pack, (), [Rule(action="reject", tokens=left_in)])
    assert {" ".join(one.tokens or ()) for one in {*made_pack.templates} - {*found.templates}} == gone


@pytest.mark.parametrize("words", ["de {month}", "de {month_other}"])
def test_a_rule_of_words_knows_what_is_shown_and_what_is_stored(words: str) -> None:
    one = Template(id="t", regex="", tokens=("1", "de", "{month_other}"), df=9, count=9, example="1 de mayo")
    assert not RuleIndex([Rule(action="never", text=words)]).keeps(one)
    assert RuleIndex([Rule(action="never", text="de {weekday}")]).keeps(one)
