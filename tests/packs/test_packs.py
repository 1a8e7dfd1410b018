"""Packs in and out: the same pack comes back, and what can't be trusted is refused by name and place."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templatemine.api import Packs, mine
from templatemine.bounds import WORDS
from templatemine.config import PipelineConfig, SelectConfig, TokeniseConfig, UserPattern
from templatemine.errors import CorpusError, PackError
from templatemine.mining.methods import METHODS
from templatemine.model import Document, Template
from templatemine.packs.pack import Pack
from templatemine.packs.pack_json import SCHEMA
from templatemine.packs.pack_record import template_id


@pytest.fixture(scope="module")
def pack() -> Pack:
    rng = random.Random(1)
    words = [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in ("m", "n", "rst")]
    documents = [
        Document(
            source="x.example",
            id=str(i),
            text=f"Story{i} of day{i}.\n{' '.join(rng.choices(words, k=30))}.\nPosted {i} minutes ago, {{edited}} by the desk.\nهذا نص {i} ثابت دائما\n記事執筆：編集部{i}",
            date=f"2024-01-{i % 28 + 1:02}",
        )
        for i in range(40)
    ]
    own = UserPattern(name="story", regex="Story[0-9]+")
    return mine(documents, PipelineConfig(tokenise=TokeniseConfig(user_patterns=(own,))))["x.example"]


def changed(pack: Pack, change: Callable[[dict[str, Any]], object]) -> str:
    data = json.loads(pack.to_json())
    change(data)
    return json.dumps(data)


def test_a_pack_comes_back_as_it_was(pack: Pack, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    pack.save(path)
    again = Pack.load(path)
    assert again.to_json() == pack.to_json() == path.read_text(encoding="utf-8")
    assert again.templates == pack.templates
    assert (again.first_date, again.last_date, again.documents) == ("2024-01-01", "2024-01-28", 40)
    tokens = {" ".join(template.tokens or ()) for template in again.templates}
    assert "Posted {number} {unit} ago, {{edited}} by the desk." in tokens
    assert any("{story}" in one for one in tokens)


LANTERN = Path(__file__).parents[1] / "golden" / "lantern" / "articles.jsonl"
OWN = UserPattern(name="issue", regex="No[0-9]+")


@given(
    method=st.sampled_from(sorted(METHODS)),
    tokenise=st.builds(
        TokeniseConfig,
        separators=st.sampled_from(("-", "", "-|")),
        patterns=st.sampled_from(("news", "thesis", "none")),
        text_markup=st.sampled_from(WORDS["TokeniseConfig.text_markup"]),
        user_patterns=st.sampled_from(((), (OWN,))),
    ),
    caution=st.sampled_from((0.5, 1.0, 3.0)),
    least=st.integers(10, 48),
    html=st.booleans(),
)
def test_a_pack_equals_itself_when_it_is_read_again(
    method: str, tokenise: TokeniseConfig, caution: float, least: int, html: bool
) -> None:
    """The packs of the golden tests, and others of the same articles."""
    rows = [json.loads(line) for line in LANTERN.read_text(encoding="utf-8").splitlines()][:least]
    if html:
        page = "<body><div class=story><p>{}</p></div><p class=foot>Some rights reserved by the lantern.</p></body>"
        rows = [{**row, "html": page.format(row.pop("text"))} for row in rows]
    config = PipelineConfig(method=method, tokenise=tokenise, select=SelectConfig(caution=caution))
    pack = mine([Document(**row) for row in rows], config)["lantern.example"]
    again = Pack.from_json(pack.to_json())
    assert again == pack
    assert replace(again, documents=pack.documents + 1) != pack
    assert replace(again, tokenise=replace(again.tokenise, separators="+")) != pack


@pytest.mark.parametrize("path", sorted(LANTERN.parent.glob("*.pack.json")), ids=lambda path: path.name)
def test_packs_that_are_saved_and_loaded_are_the_same(path: Path, tmp_path: Path) -> None:
    packs = Packs({"lantern.example": Pack.load(path)})
    packs.save(tmp_path)
    assert Packs.load(tmp_path) == packs


def test_a_pack_can_be_read_by_people(pack: Pack) -> None:
    lines = pack.to_json().splitlines()
    assert sum('"regex": ' in line and '"tokens": ' in line for line in lines) == len(pack.templates)
    assert any("ثابت دائما" in line for line in lines)
    assert not any(ord(char) in (0x2028, 0xA0, 0x3000) for line in lines for char in line)


def test_an_existing_file_is_not_replaced_without_force(pack: Pack, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(CorpusError, match="exists"):
        pack.save(path)
    assert path.read_text(encoding="utf-8") == "mine"
    pack.save(path, force=True)
    assert Pack.load(path).source == "x.example"
    assert list(tmp_path.iterdir()) == [path]


def first(data: dict[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = data["templates"][0]
    return row


REFUSED: list[tuple[str, Callable[[dict[str, Any]], object], str]] = [
    ("schema missing", lambda data: data.pop("schema"), "expected a pack, an object with a field 'schema'"),
    ("newer", lambda data: data.update(schema=SCHEMA + 1), "it is from a newer version; upgrade templatemine"),
    ("other schema", lambda data: data.update(schema="one"), "schema: expected 2, got 'one'; mine the source again"),
    ("field missing", lambda data: data.pop("templates"), "the field 'templates' is missing"),
    ("field of another kind", lambda data: data.update(documents="40"), "documents: expected a number, got str"),
    ("true is no number", lambda data: data.update(documents=True), "documents: expected a number, got bool"),
    ("dates", lambda data: data.update(dates=["2024"]), "dates: expected two dates or nulls"),
    ("tokeniser", lambda data: data["tokeniser"].update(html="no"), "tokeniser: html: expected true or false, got str"),
    ("separators", lambda data: data["tokeniser"].update(separators="é"), "separators: expected ASCII punctuation"),
    ("unknown pattern", lambda data: data["patterns"].update(colour="red"), "unknown pattern 'colour'"),
    (
        "changed pattern",
        lambda data: data["patterns"].update(number="[0-9]"),
        "patterns.number: differs from this version's",
    ),
    (
        "user pattern",
        lambda data: data["user_patterns"][0].pop("regex"),
        r"user_patterns\[0\]: the field 'regex' is missing",
    ),
    ("cut-off", lambda data: data["cutoff"].update(histogram="x"), "cutoff: histogram: expected a list of counts"),
    ("template field", lambda data: first(data).pop("example"), r"templates\[0\]: the field 'example' is missing"),
    (
        "tokens",
        lambda data: first(data).update(tokens=[]),
        r"templates\[0\]: tokens: expected a list of strings, or null",
    ),
    ("anchor", lambda data: first(data).update(anchor="top"), r"templates\[0\]: anchor: expected one of"),
    (
        "broken regex",
        lambda data: first(data).update(regex="(oops"),
        r"templates\[0\] \(t[0-9a-f]+\): regex: does not compile",
    ),
    (
        "edited regex",
        lambda data: first(data).update(regex="oops"),
        "regex and tokens disagree; edit the tokens, with null for the regex, or set them to null",
    ),
    (
        "unknown name in a token",
        lambda data: first(data).update(tokens=["{colour}"]),
        "tokens: unknown pattern {colour}",
    ),
    ("lone brace", lambda data: first(data).update(tokens=["a{"]), "tokens: lone brace at character 1"),
    (
        "example",
        lambda data: first(data).update(example="another text"),
        "does not match its own example 'another text'",
    ),
    ("same id", lambda data: data["templates"][1].update(id=first(data)["id"]), r"same id as templates\[0\]"),
    ("same tokens", lambda data: data["templates"].append({**first(data), "id": "t2"}), "the same tokens as"),
    (
        "exponential",
        lambda data: first(data).update(tokens=None, regex="(?=a)ab", example="ab"),
        "uses a look-around",
    ),
    (
        "two groups",
        lambda data: first(data).update(tokens=None, regex="(a)(b)", example="ab"),
        "at most one capturing group",
    ),
    ("empty match", lambda data: first(data).update(tokens=None, regex="a*", example="a"), "matches the empty text"),
    ("own example", lambda data: first(data).update(tokens=None, regex="xyz"), "does not match its own example"),
]


@pytest.mark.parametrize(("change", "message"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_cannot_be_trusted_is_refused(
    pack: Pack, change: Callable[[dict[str, Any]], object], message: str
) -> None:
    with pytest.raises(PackError, match=message) as caught:
        Pack.from_json(changed(pack, change), where="packs/x.json")
    assert str(caught.value).startswith("packs/x.json: ")


def test_what_is_no_pack_at_all(tmp_path: Path) -> None:
    for text, message in (("", "not JSON"), ("[]", "expected a pack"), ("{", "not JSON"), ("[" * 100_000, "not JSON")):
        with pytest.raises(PackError, match=message):
            Pack.from_json(text)
    with pytest.raises(PackError, match="cannot be read: No such file"):
        Pack.load(tmp_path / "none.json")
    broken = tmp_path / "broken.json"
    broken.write_bytes(b'{"schema": "\xff"}')
    with pytest.raises(PackError, match="expected a pack in UTF-8, found byte 0x.. at byte offset 12"):
        Pack.load(broken)


def test_ids_follow_the_tokens_alone() -> None:
    assert template_id(["read", "more"]) == template_id(("read", "more"))
    assert template_id(["read more"]) != template_id(["read", "more"])


def test_templates_as_a_table(pack: Pack) -> None:
    pytest.importorskip("pandas")
    frame = pack.templates_frame()
    assert list(frame["id"]) == [one.id for one in pack.templates]
    assert list(frame.columns) == [one.name for one in fields(Template)]
    assert list(replace(pack, templates=()).templates_frame().columns) == list(frame.columns)
    hostile = replace(pack.templates[0], example="<script>alert(1)</script>")
    shown = replace(pack, templates=(hostile, *pack.templates[1:]))._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
    assert shown.count("<tr>") == 1 + min(20, len(pack.templates))
