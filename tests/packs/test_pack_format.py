"""Packs as JSON, the way out and back on any pack, and each refusal of `load` with its message."""

from __future__ import annotations

import json
import math
import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import cases, examples, make_pack, mine_strings, mined_pack, scan
from templatemine.archive.apply_overrides import apply_rules
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig, UserPattern
from templatemine.errors import CorpusError, PackError
from templatemine.model import Cutoff, Template
from templatemine.packs.pack import Pack
from templatemine.packs.pack_json import SCHEMA
from templatemine.packs.pack_record import template_id
from templatemine.packs.readable import join_tokens
from templatemine.text.patterns import pattern_set

NEWS = pattern_set("news")
EXAMPLES = ("Read more: 12", "© 2015 The Daily — all rights reserved.", "中国新闻网 5", "{a} \x00b")


def small_pack() -> Pack:
    pack = make_pack([(scan(text, NEWS, "-", False)[1], text) for text in EXAMPLES], NEWS, "-", False)
    cutoff = Cutoff(
        method="energy", df=3, share=0.3, energy=4.5, histogram=(0, 1, 2), note="", second_mode={"p": 0.005}
    )
    return replace(pack, first_date="2015-01-01", last_date=None, rejected={"below the cut-off": 7}, cutoff=cutoff)


PACK = small_pack()


def same(first: Pack, second: Pack) -> bool:
    """All that a pack file holds; the name of a preset is not among it."""
    return replace(first, tokenise=second.tokenise) == second and first.patterns == second.patterns


# ------------------------------------------------------------------------------------------------------- out and back


def test_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "example.org.json"
    PACK.save(path)
    loaded = Pack.load(path)
    assert same(PACK, loaded)
    assert loaded.to_json() == PACK.to_json() == path.read_text(encoding="utf-8")


@examples(200)
@given(st.data())
def test_round_trip_of_any_pack(data: st.DataObject) -> None:
    pack = data.draw(cases(data.draw(st.booleans()))).pack()
    loaded = Pack.from_json(pack.to_json())
    assert same(pack, loaded)
    assert loaded.to_json() == pack.to_json()


@examples(100)
@given(st.data())
def test_mined_packs_can_be_loaded(data: st.DataObject) -> None:
    """An example is cut out of its text; it must still be found as what it was there."""
    case = data.draw(cases(data.draw(st.booleans())))
    documents = (*case.texts, *case.others)
    pack = mined_pack(case, documents, mine_strings(case, documents))
    assert same(pack, Pack.from_json(pack.to_json()))


def test_a_pack_is_json_that_people_can_read() -> None:
    text = PACK.to_json()
    data = json.loads(text)
    assert data["schema"] == SCHEMA
    assert '"中"' in text
    assert r"\u0000b" in text
    # Bounds of ranges in the classes need not be characters that every version of Unicode knows.
    bounds = {*"".join(data["boundaries"].values())}
    assert set(text) - {"\n"} - bounds <= {char for char in text if char.isprintable()}
    assert sum(line.startswith('  {"id"') for line in text.splitlines()) == len(EXAMPLES)
    assert data["templates"][0]["tokens"] == ["Read", "more:", "{number}"]
    assert data["patterns"]["clock"] == NEWS.by_id[NEWS.id_of["clock"]][1]
    assert (data["dates"], data["rejected"]) == (["2015-01-01", None], {"below the cut-off": 7})


def test_lone_surrogates_and_invisible_characters_are_escaped(tmp_path: Path) -> None:
    texts = ["a\ud800 b", "c\u202e d", "\u200be\U000e0041 f", "g\U000f0001 h"]
    pack = make_pack([(scan(text, NEWS, "-", False)[1], text) for text in texts], NEWS, "-", False)
    pack.save(tmp_path / "p.json")
    text = (tmp_path / "p.json").read_text(encoding="utf-8")
    assert all(mark in text for mark in (r"\ud800", r"\u202e", r"\u200b", r"\udb40\udc41", r"\udb80\udc01"))
    assert same(pack, Pack.load(tmp_path / "p.json"))


def test_user_patterns_go_with_the_pack() -> None:
    own = (UserPattern(name="issue", regex="No [0-9]+", spans=True),)
    patterns = pattern_set("thesis", own)
    pack = make_pack([(scan("Issue No 12 By", patterns, "-", False)[1], "Issue No 12 By")], patterns, "-", False)
    assert pack.templates[0].tokens == ("Issue", "{issue}", "{by}")
    loaded = Pack.from_json(pack.to_json())
    assert loaded.tokenise.user_patterns == own
    for engine in ("native", "regex"):
        assert [
            (one.start, one.end) for one in Cleaner(loaded, CleanConfig(engine=engine)).spans("x Issue No 7 by")
        ] == [(2, 15)]


def test_an_existing_file_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text("mine")
    with pytest.raises(CorpusError, match="exists"):
        PACK.save(path)
    assert path.read_text() == "mine"
    PACK.save(path, force=True)
    assert same(PACK, Pack.load(path))


def test_names_of_templates() -> None:
    assert template_id(("a", "b")) == template_id(("a", "b")) != template_id(("ab",))
    assert re.fullmatch("t[0-9a-f]{10}", template_id(("\ud800",)))


# ------------------------------------------------------------------------------------------------------------ refusals


def refusal(text: str) -> str:
    with pytest.raises(PackError) as caught:
        Pack.from_json(text, where="p.json")
    message = str(caught.value)
    assert message.startswith("p.json: ")
    assert "\n" not in message
    return message


def edited(change: Callable[[dict[str, Any]], object]) -> str:
    data = json.loads(PACK.to_json())
    change(data)
    return json.dumps(data)


def put(path: str, value: Any) -> Callable[[dict[str, Any]], object]:
    """Set what a path like "templates.0.id" names; with ... delete it."""

    def change(data: Any) -> None:
        *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        for step in way:
            data = data[step]
        if value is ...:
            del data[last]
        else:
            data[last] = value

    return change


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ('{"a": 1,\n "b": }', "not JSON: Expecting value (line 2, column 7)"),
        ("[" * 100_000, "not JSON"),
        ("[]", "expected a pack, an object with a field 'schema'"),
        ("{}", "expected a pack, an object with a field 'schema'"),
        ("null", "expected a pack"),
        ('{"schema": 2}', "the field 'generator' is missing"),
    ],
)
def test_what_is_no_pack(text: str, problem: str) -> None:
    assert problem in refusal(text)


@pytest.mark.parametrize(
    ("text", "slip"),
    [
        ('{"templates": [\n  {"id": "a"},\n ]}', "(line 3, column 2): a comma before a closing bracket; delete it"),
        ('{"a": 1,\n}', ": a comma before a closing bracket; delete it"),
        ('{"a": [1,, 2]}', ": one comma too many; delete it"),
        ('{"a": [\n  {"b": 1}\n  {"b": 2}]}', "(line 3, column 3): a comma is missing before this; add it"),
        ('{"a": 1\n "b": 2}', ": a comma is missing before this; add it"),
        ("{'a': 1}", ': a quotation mark that is not "; write " for it'),
        ('{"a": “b”}', ': a quotation mark that is not "; write " for it'),
        ('{"a": 1, // one\n "b": 2}', ": JSON has no comments; delete it"),
        ('{"a": 1 # one\n}', ": JSON has no comments; delete it"),
        ('{"a": "b "c" d"}', ': a " within a text; write \\" for it'),
        ('{"a": "b\nc"}', ": a line break or tab within a text; write \\n or \\t for it"),
        (r'{"a": "\d+"}', ": a single backslash within a text; write two for one"),
        ('{"a": None}', ": write true, false or null in small letters"),
    ],
)
def test_usual_slips_have_a_remedy(text: str, slip: str) -> None:
    assert refusal(text).endswith(slip)


FIELDS = [
    "generator",
    "source",
    "tokeniser",
    "patterns",
    "user_patterns",
    "documents",
    "dates",
    "method",
    "cutoff",
    "rejected",
    "templates",
]


@pytest.mark.parametrize("name", FIELDS)
def test_missing_fields(name: str) -> None:
    assert f"the field {name!r} is missing" in refusal(edited(put(name, ...)))


@pytest.mark.parametrize("name", ["id", "regex", "tokens", "df", "count", "example", "anchor"])
def test_missing_fields_of_templates(name: str) -> None:
    assert f"templates[1]: the field {name!r} is missing" in refusal(edited(put(f"templates.1.{name}", ...)))


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("schema", 3, "schema: expected 2, got 3; it is from a newer version; upgrade templatemine"),
        ("schema", 0, "schema: expected 2, got 0; mine the source again"),
        ("schema", 1, "schema: expected 2, got 1; mine the source again"),
        ("schema", "1", "schema: expected 2, got '1'"),
        ("source", 5, "source: expected a string, got int"),
        ("documents", True, "documents: expected a number, got bool"),
        ("documents", "10", "documents: expected a number, got str"),
        ("templates", {}, "templates: expected a list, got dict"),
        ("templates.0", 5, "templates[0]: expected an object, got int"),
        ("templates.2.df", "3", "templates[2]: df: expected a number, got str"),
        ("templates.0.tokens", "Read more:", "templates[0]: tokens: expected a list of strings, or null"),
        ("templates.0.tokens", [], "templates[0]: tokens: expected a list of strings, or null"),
        ("templates.0.tokens", ["Read", 5], "templates[0]: tokens: expected a list of strings, or null"),
        (
            "templates.0.anchor",
            "middle",
            "templates[0]: anchor: expected one of '', 'start', 'end', 'line', got 'middle'",
        ),
        ("tokeniser.html", 0, "tokeniser: html: expected true or false, got int"),
        ("tokeniser.separators", ..., "tokeniser: the field 'separators' is missing"),
        ("tokeniser.separators", "x", "separators: expected ASCII punctuation, got 'x'"),
        ("tokeniser.separators", "-.", "separators: '.' is a part of the pattern 'number'"),
        ("dates", ["2015-01-01"], "dates: expected two dates or nulls, got ['2015-01-01']"),
        ("dates", [5, None], "dates: expected two dates or nulls"),
        ("patterns.colour", "(?:red|blue)", "unknown pattern 'colour'"),
        ("patterns.number", "(?:[0-9]+)", "patterns.number: differs from this version's number"),
        ("user_patterns", [5], "user_patterns[0]: expected an object, got int"),
        ("user_patterns", [{"name": "x", "regex": "x"}], "user_patterns[0]: the field 'spans' is missing"),
        ("user_patterns", [{"name": "x", "regex": "(", "spans": False}], "x: the expression does not compile"),
        (
            "user_patterns",
            [{"name": "x", "regex": "a++", "spans": False}],
            "x: the expression uses a possessive repeat",
        ),
        ("user_patterns", [{"name": "number", "regex": "x", "spans": False}], "the name 'number' is taken"),
        ("cutoff.df", "3", "cutoff: df: expected a number or null, got str"),
        ("cutoff.histogram", [1, "2"], "cutoff.histogram: expected counts"),
        ("cutoff.share", math.inf, "cutoff: share: expected a number or null of at most 18 digits, got inf"),
        ("cutoff.energy", math.nan, "cutoff: energy: expected a number or null of at most 18 digits, got nan"),
        ("documents", 10**30, "documents: expected a number of at most 18 digits, got 1000"),
        ("templates.0.df", 10**30, "templates[0]: df: expected a number of at most 18 digits"),
        ("cutoff.histogram", [1, 10**30], "cutoff.histogram: expected counts"),
        ("overrides", [{"action": "cutoff", "df": 10**30}], "overrides[0]: df: expected a number of at most 18 digits"),
        ("cutoff.second_mode", ..., "cutoff: the field 'second_mode' is missing"),
    ],
)
def test_fields_that_are_something_else(path: str, value: Any, problem: str) -> None:
    assert problem in refusal(edited(put(path, value)))


@pytest.mark.parametrize("name", ["df", "documents", "histogram"])
def test_a_number_of_thousands_of_digits_is_named(name: str) -> None:
    """Python reads no more than 4,300 of them, and says so by a ValueError."""
    long = "1" * 5000
    text = re.sub(rf'"{name}": (\[)?[0-9]+', rf'"{name}": \g<1>{long}', edited(lambda data: None), count=1)
    assert long in text
    assert refusal(text) == f"p.json: {name}: expected a number of at most 18 digits, got 5,000"


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        (
            "templates.0.tokens",
            ["Read", "less:", "{number}"],
            "(t0): regex and tokens disagree; edit the tokens, with null for the regex, or set them to null",
        ),
        ("templates.0.regex", "Read more:", "(t0): regex and tokens disagree"),
        ("templates.0.regex", "(Read", "(t0): regex: does not compile"),
        ("templates.0.anchor", "line", "(t0): regex and tokens disagree"),
        ("templates.0.tokens", ["Read", "{more}"], "(t0): tokens: unknown pattern {more}"),
        ("templates.0.tokens", ["Read", "{"], "(t0): tokens: lone brace at character 0"),
        ("templates.0.tokens", ["Read", ""], "(t0): tokens: empty token"),
        ("templates.0.example", "Read less: 12", "(t0): the expression does not match its own example 'Read less: 12'"),
        ("templates.0.example", "Read more: 12 x", "(t0): the expression does not match its own example"),
        ("templates.0.example", "", "(t0): the expression does not match its own example ''"),
        ("templates.1.id", "t0", "templates[1] (t0): same id as templates[0]"),
        ("templates.1.id", "t\ud800", "templates[1]: id: expected whole characters, got 't\\ud800'"),
    ],
)
def test_templates_that_cannot_be_trusted(path: str, value: Any, problem: str) -> None:
    assert problem in refusal(edited(put(path, value)))


def test_edited_tokens_need_no_expression() -> None:
    """Who narrows a template by hand need not write the expression: it is made on loading."""

    def change(data: dict[str, Any]) -> None:
        data["templates"][0] |= {"tokens": ["Read", "less:", "{number}"], "regex": None, "example": "Read less: 12"}

    pack = Pack.from_json(edited(change))
    assert pack.templates[0].regex == pack.derived(pack.templates[0])
    for engine in ("native", "regex"):
        assert Cleaner(pack, CleanConfig(engine=engine)).clean("News.\nRead less: 7").text == "News."
    assert Pack.from_json(pack.to_json()) == pack

    def without_tokens(data: dict[str, Any]) -> None:
        data["templates"][0] |= {"tokens": None, "regex": None}

    assert "templates[0]: regex: expected a string, got NoneType" in refusal(edited(without_tokens))


def test_packs_of_another_version() -> None:
    """What an expression looks like may change from one version to the next; its tokens say what it is."""

    def older(expression: str) -> str:
        def change(data: dict[str, Any]) -> None:
            data["generator"] = "templatemine 0.0.9"
            data["templates"][0]["regex"] = expression

        return edited(change)

    here = Pack.from_json(edited(lambda data: None))
    pack = Pack.from_json(older(r"(?:^|\s)(Read\s+more:\s+[0-9]+)(?:\s|$)"))
    assert pack.templates == here.templates
    # Of an expression that somebody has edited nothing would come.
    for expression in (r"(Read\s+less)", r"Read\s+more:\s+[0-9]+", r"(Read\s+more:)", r"(Read)\s+(more:.*)"):
        assert "(t0): regex and tokens disagree" in refusal(older(expression))


@pytest.mark.parametrize("generator", ["templatemine 0.0.9", None])
@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("((?:(?:a{1000}){1000}){1000}b)", "regex: repeats more than 1,000 times"),
        ("((?:(?:[ab]|[ac]d?)){40}[xy])", "regex and tokens disagree"),
    ],
)
def test_expressions_of_another_version_cost_little(expression: str, problem: str, generator: str | None) -> None:
    """They are compiled and searched for before anything else."""

    def change(data: dict[str, Any]) -> None:
        data["generator"] = generator or data["generator"]
        data["templates"][0] |= {"regex": expression, "example": "a" * 60 + " y"}

    assert problem in refusal(edited(change))


def test_the_same_tokens_twice() -> None:
    def change(data: dict[str, Any]) -> None:
        data["templates"].append({**data["templates"][0], "id": "again"})

    assert "(again): the same tokens as t0" in refusal(edited(change))


def test_tokens_that_no_text_has() -> None:
    """A literal number is no form where numbers are a pattern: the automaton would never find it."""

    def change(data: dict[str, Any]) -> None:
        pack = make_pack([([b"Read", b"12"], "Read 12")], NEWS, "-", False)
        data["templates"] = json.loads(pack.to_json())["templates"]

    assert "does not match its own example 'Read 12'" in refusal(edited(change))


def test_files(tmp_path: Path) -> None:
    with pytest.raises(PackError, match=r"none\.json: cannot be read: No such file or directory"):
        Pack.load(tmp_path / "none.json")
    with pytest.raises(PackError, match=r"expected a pack, found a folder; Packs\.load reads"):
        Pack.load(tmp_path)
    (tmp_path / "p.json").write_text("\ufeff" + edited(lambda data: None), encoding="utf-8")
    assert Pack.load(tmp_path / "p.json").templates
    (tmp_path / "p.json").write_bytes(b'{"schema": \xff')
    with pytest.raises(PackError, match=r"p\.json: expected a pack in UTF-8, found byte 0x.. at byte offset 11"):
        Pack.load(tmp_path / "p.json")


# -------------------------------------------------------------------------------------------------- written by hand


def written(expression: str, example: str) -> str:
    def change(data: dict[str, Any]) -> None:
        data["templates"] = [
            {"id": "own", "regex": expression, "tokens": None, "df": 0, "count": 0, "example": example, "anchor": ""}
        ]

    return edited(change)


@pytest.mark.parametrize(
    ("expression", "text", "spans"),
    [
        ("colou?r", "a colour b color", [(2, 8), (11, 16)]),
        ("<<([^>]*)>>", "a <<b c>> d", [(4, 7)]),
        (r"(?i:read)\s+more", "READ  more", [(0, 10)]),
        ("aba", "ababa", [(0, 5)]),
        ("x|(y)", "x y", [(2, 3)]),
    ],
)
def test_expressions_by_hand(expression: str, text: str, spans: list[tuple[int, int]]) -> None:
    pack = Pack.from_json(written(expression, text))
    assert pack.templates == (Template(id="own", regex=expression, tokens=None, df=0, count=0, example=text),)
    for engine in ("native", "regex"):
        found = Cleaner(pack, CleanConfig(engine=engine, gap=0)).spans(text)
        assert [(one.start, one.end, one.templates) for one in found] == [
            (start, end, ("own",)) for start, end in spans
        ]
    assert same(pack, Pack.from_json(pack.to_json()))


@pytest.mark.parametrize(
    ("expression", "example", "problem"),
    [
        ("(a", "a", "(own): regex: does not compile"),
        ("(?>a+)b", "ab", "(own): regex: uses an atomic group"),
        ("(a)(b)", "ab", "(own): regex: expected at most one capturing group, the text to cut, got 2"),
        ("a*", "a", "(own): regex: matches the empty text"),
        ("(?:)", "a", "(own): regex: matches the empty text"),
        ("a", "b", "(own): regex: does not match its own example 'b'"),
        (r"\p{Lu}", "A", "(own): regex: does not compile"),
        (r"(a)\1", "aa", "(own): regex: uses a back-reference"),
    ],
)
def test_expressions_by_hand_that_are_refused(expression: str, example: str, problem: str) -> None:
    assert problem in refusal(written(expression, example))


def test_expressions_by_hand_beside_mined_ones() -> None:
    def change(data: dict[str, Any]) -> None:
        data["templates"].insert(
            1, {**data["templates"][0], "id": "own", "tokens": None, "regex": "more: [0-9]", "example": "more: 5"}
        )

    pack = Pack.from_json(edited(change))
    for engine in ("native", "regex"):
        (span,) = Cleaner(pack, CleanConfig(engine=engine)).spans("Read more: 5")
        assert span.templates == ("t0", "own")


# ------------------------------------------------------------------------------------------------------------ oddities


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"documents":', '"documents": 3, "documents":', "'documents' is there 2 times, the last counts"),
        ('"count":', '"count": 3, "count":', r"'count' of t\w+ is there 2 times, the last counts"),
        ('"html":', '"html": true, "html":', "'html' is there 2 times, the last counts"),
        ('"documents":', '"comment": "x", "documents":', "pack: comment means nothing$"),
        ('"df":', '"note": "a: \\"b\\"", "df":', r"templates\[0\]\.note means nothing"),
        ('"html":', '"htm": 1, "html":', r"pack: tokeniser\.htm means nothing$"),
        ('"note":', '"nota": 1, "note":', r"pack: cutoff\.nota means nothing$"),
    ],
)
def test_keys_that_change_nothing_are_told(old: str, new: str, told: str) -> None:
    text = PACK.to_json()
    assert old in text
    with pytest.warns(UserWarning, match=told):
        assert Pack.from_json(text.replace(old, new)) == Pack.from_json(text)


NAMED = replace(PACK, templates=tuple(replace(one, id=template_id(one.tokens or ())) for one in PACK.templates))
"""The pack with the ids that mining gives."""


def with_rules(*rules: dict[str, Any]) -> str:
    """The text of the pack with rules that somebody wrote into it."""
    return json.dumps({**json.loads(NAMED.to_json()), "overrides": rules})


@pytest.mark.parametrize(
    "rule",
    [
        {"action": "add", "regex": "Photo by [a-z ]+ desk", "example": "Photo by the harbour desk"},
        {"action": "accept", "tokens": ["Photo", "by"], "df": 41, "count": 41, "anchor": "start"},
        {"action": "edit", "tokens": ["Photo", "by"], "example": "Photo by"},
        {"action": "reject", "id": NAMED.templates[0].id},
        {"action": "never", "text": join_tokens(NAMED.templates[0].tokens or ()).upper()},
    ],
)
def test_rules_that_are_not_applied_are_told(rule: dict[str, Any]) -> None:
    """A rule written by hand did nothing, and nobody said so."""
    told = rf"pack: 1 rule \({rule['action']}\) of '{NAMED.source}' is not applied yet: mine --force applies it"
    with pytest.warns(UserWarning, match=told):
        pack = Pack.from_json(with_rules(rule))
    applied = apply_rules(pack, (), pack.overrides.rules)
    assert applied.templates != pack.templates
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Pack.from_json(applied.to_json()) == applied


@pytest.mark.parametrize(
    "rule",
    [
        {"action": "always", "text": "morning letter"},
        {"action": "cutoff", "df": 12},
        {"action": "kind", "id": NAMED.templates[0].id, "kind": "byline"},
    ],
)
def test_rules_about_candidates_and_kinds_are_told_until_they_are_applied(rule: dict[str, Any]) -> None:
    """What they change does not stand in the pack, so nobody was told that they wait."""
    told = rf"pack: 1 rule \({rule['action']}\) of '{NAMED.source}' is not applied yet: mine --force applies it"
    with pytest.warns(UserWarning, match=told):
        pack = Pack.from_json(with_rules(rule))
    applied = apply_rules(pack, (), pack.overrides.rules)
    text = applied.to_json()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Pack.from_json(text) == applied
    # One more, or the same one with another word.
    for more in ([rule, {"action": "always", "text": "evening letter"}], [{**rule, "text": "letter", "df": 14}]):
        with pytest.warns(UserWarning, match=r"pack: 1 rule \((always|cutoff|kind)\) of .* is not applied yet"):
            Pack.from_json(json.dumps({**json.loads(text), "overrides": more}))
    # Of two cut-offs the last one counts.
    with pytest.warns(UserWarning, match=r"pack: 1 rule \(cutoff\)"):
        Pack.from_json(with_rules({"action": "cutoff", "df": 12}, {"action": "cutoff", "df": 14}))


@pytest.mark.parametrize("action", ["reject", "kind"])
def test_rules_about_an_id_that_nothing_has_are_told_once(action: str) -> None:
    """A typing error kept a template, and nobody was told."""
    rule = {"action": action, "id": "t0a1b2c3d4e", **({"kind": "byline"} if action == "kind" else {})}
    said = f"^pack: {action}: no template of '{NAMED.source}' has the id 't0a1b2c3d4e'; show lists ids$"
    with pytest.warns(UserWarning, match=said):
        pack = Pack.from_json(with_rules(rule))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        applied = apply_rules(pack, (), pack.overrides.rules)
        assert Pack.from_json(applied.to_json()) == applied
        # A decision at the desk is about an id that was there.
        Pack.from_json(with_rules({"action": "reject", "id": rule["id"], "time": "2026-01-02T03:04:05Z"}))


@pytest.mark.parametrize("tokens", [["Photo by"], ["Photo", "{slot:nothing}"], ["{slot}", "by", "{slot}"]])
def test_what_no_text_can_have_is_not_said_to_wait(tokens: list[str]) -> None:
    """It was said again and again that another mining would apply the rule."""
    with pytest.warns(UserWarning, match=r"1 rule \(accept\) of .* is not applied yet"):
        pack = Pack.from_json(with_rules({"action": "accept", "tokens": tokens}))
    applied = apply_rules(pack, (), pack.overrides.rules)
    said = f"^pack: accept: no text can have {re.escape(str(tokens))} as tokens; [^;]*; ask --accept takes ids$"
    with pytest.warns(UserWarning, match=said):
        assert Pack.from_json(applied.to_json()) == applied


def test_a_rule_that_another_one_overrules_is_no_oddity() -> None:
    name = NAMED.templates[0].id
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Pack.from_json(
            with_rules({"action": "reject", "id": name}, {"action": "accept", "tokens": NAMED.templates[0].tokens})
        )


def test_of_many_oddities_some_are_named() -> None:
    text = PACK.to_json().replace('"documents":', ", ".join(f'"x{n}": 1' for n in range(9)) + ', "documents":')
    with pytest.warns(UserWarning, match="x4 means nothing; and 4 more$"):
        Pack.from_json(text)


def test_a_kind_is_read_back_and_any_other_word_refused() -> None:
    templates = tuple(
        replace(one, kind=kind) for one, kind in zip(PACK.templates, ("note", "", "byline"), strict=False)
    )
    pack = replace(PACK, templates=(*templates, *PACK.templates[len(templates) :]))
    text = pack.to_json()
    assert Pack.from_json(text) == pack
    assert Pack.from_json(text).to_json() == text
    with pytest.raises(PackError, match=r"templates\[0\]: kind: expected one of promotion, .* or none, got 'notes'"):
        Pack.from_json(text.replace('"kind": "note"', '"kind": "notes"'))
