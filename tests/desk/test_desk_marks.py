"""Units, labels, agreement, proposals, comparison and the sample: what the views are made of."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

for _name in ("starlette", "jinja2", "uvicorn"):
    pytest.importorskip(_name, reason=f"the desk needs {_name}: pip install 'templatemine[desk]'")

from desk_support import NUMBERS, Client, opened, record  # noqa: E402

from invented import bare_pack  # noqa: E402
from templatemine.archive.apply_overrides import apply_rules  # noqa: E402
from templatemine.cleaning.cleaner import Cleaner  # noqa: E402
from templatemine.config import CleanConfig  # noqa: E402
from templatemine.desk import open_source  # noqa: E402
from templatemine.desk.agreement import kappa, measure_agreements  # noqa: E402
from templatemine.desk.annotations import OTHER, count_passages, find_units, label_units, merge_labels, read_marks  # noqa: E402
from templatemine.desk.answers import Desk  # noqa: E402
from templatemine.desk.effects import (  # noqa: E402
    MAX_SLOW,
    ArticleCuts,
    Effects,
    count_cuts,
    find_cuts,
    measure_change,
)
from templatemine.desk.library import Article, Library  # noqa: E402
from templatemine.desk.review import editable_regex, find_prose, try_expression  # noqa: E402
from templatemine.desk.store import Store  # noqa: E402
from templatemine.errors import ConfigError, CorpusError  # noqa: E402
from templatemine.evaluation.gold import read_spans  # noqa: E402
from templatemine.evaluation.residue import TORN  # noqa: E402
from templatemine.kinds import CUT_ALL  # noqa: E402
from templatemine.model import Document, Template  # noqa: E402
from templatemine.packs.overrides import Rule  # noqa: E402
from templatemine.packs.pack import Pack  # noqa: E402
from templatemine.packs.pack_checks import compile_handwritten  # noqa: E402
from templatemine.packs.pack_folder import PackFiles  # noqa: E402
from templatemine.packs.pack_record import template_id  # noqa: E402
from templatemine.packs.readable import describe_reasons  # noqa: E402
from templatemine.pipeline import Miner  # noqa: E402
from templatemine.report.explain import Explainer  # noqa: E402
from templatemine.report.view import make_report  # noqa: E402
from templatemine.text.reading import ReadingRules  # noqa: E402
from templatemine.text.tears import SentenceEnds, tally_judged  # noqa: E402

pytest_plugins = ("desk_fixtures",)

LABELS = st.lists(st.sampled_from([OTHER, OTHER, "template", "dynamic"]), max_size=12)


@given(LABELS)
def test_marks_and_labels_are_inverse(labels: list[str]) -> None:
    document = Document(source="s", id="d", text=" ".join("word" for _ in labels))
    parts = find_units(document)
    marks = merge_labels(labels, parts)
    assert label_units(marks, parts) == labels
    assert read_marks(document, [list(mark) for mark in marks]) == marks
    assert len(marks) == count_passages(labels)


def test_units_of_scripts_without_spaces_are_characters() -> None:
    document = Document(source="s", id="d", text="橋 is 42, 「港」")
    assert [document.body[start:end] for start, end in find_units(document)] == ["橋", "is", "42,", "「", "港", "」"]


GLUED = "Click HERE!Gabriela sails (north)Ann said \u201eno\u201dThen boats strandedRead more ReutersRead iPhone"


def test_units_end_where_a_parser_lost_a_line_break() -> None:
    document = Document(source="s", id="d", text=GLUED)
    words = [GLUED[start:end] for start, end in find_units(document)]
    assert "".join(words) == GLUED.replace(" ", "")
    assert words[1:3] == ["HERE!", "Gabriela"]
    assert words[4:6] == ["(north)", "Ann"]
    assert words[7:9] == ["\u201eno\u201d", "Then"]
    assert words[10:12] == ["stranded", "Read"]
    assert words[-2:] == ["ReutersRead", "iPhone"]
    rules = ReadingRules(soft=True, starts=("Read",))  # what its pack knows of a source
    words = [GLUED[start:end] for start, end in find_units(document, rules)]
    assert words[-3:] == ["Reuters", "Read", "iPhone"]


def test_units_and_proposals_of_a_glued_source(tmp_path: Path) -> None:
    """A mark of the boilerplate took the first word of the story, or a part of it."""
    texts = [
        f"{one.capitalize()} boats crossed the bay before {one} of them turned backRead the morning letter"
        for one in NUMBERS
    ]
    texts = [f"{text}{one.capitalize()} crews waited there." for text, one in zip(texts, NUMBERS, strict=True)]
    rows = [{"source": "s", "id": str(at), "text": text} for at, text in enumerate(texts)]
    (report,) = Miner().run(record(row).document for row in rows)
    tokens = ("Read", "the", "morning", "letter")
    one = Template(id=template_id(tokens), regex="", tokens=tokens, df=10, count=10, example=" ".join(tokens))
    pack = replace(report.pack, reading=ReadingRules(soft=True, starts=("Read",)), mined=None)
    pack = replace(pack, templates=(replace(one, regex=pack.derived(one)),))
    (tmp_path / "packs").mkdir()
    pack.save(tmp_path / "packs" / "s.json")
    client, _ = opened(tmp_path / "packs", rows)
    for at, text in enumerate(texts):
        found = client.get("/api/document", source="s", id=str(at), **{"as": "Ann"}).json
        (mark,) = found["proposed"]
        assert text[mark[0] : mark[1]] == "Read the morning letter"
        shown = client.get("/frame", source="s", id=str(at)).body.decode()
        assert shown.count("<tm-t") == len(found["units"])


@pytest.mark.parametrize(
    "rows",
    [
        "x",
        [[0, 3]],
        [[0, 3, "text"]],
        [[3, 3, "template"]],
        [[-1, 3, "template"]],
        [[0, 99, "template"]],
        [[0.5, 3, "template"]],
        [["0", 3, "template"]],
        [[True, 3, "template"]],
        [[0, 5, "template"], [4, 8, "dynamic"]],
        [None],
    ],
)
def test_marks_that_are_none_are_refused(rows: Any) -> None:
    with pytest.raises(ConfigError, match="marks"):
        read_marks(Document(source="s", id="d", text="ten letters"), rows)


# ---------------------------------------------------------------------------------------------------------- agreement


def test_kappa_of_a_table_from_the_books() -> None:
    """45 of 50 and 25 of 50: (20 + 15) / 50 observed, 0.5 by chance, kappa 0.4."""
    one = ["yes"] * 25 + ["no"] * 25
    other = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    assert kappa(one, other) == pytest.approx(0.4)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1, max_size=40))
def test_kappa_is_that_of_the_reference(pairs: list[tuple[str, str]]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    one, other = [list(side) for side in zip(*pairs, strict=True)]
    found = kappa(one, other)
    if len({*one, *other}) == 1:
        assert found is None
    elif found is not None:
        assert found == pytest.approx(metrics.cohen_kappa_score(one, other))
    assert kappa(one, one) in (None, 1.0)


def test_people_without_a_document_in_common_have_nothing_to_agree_on() -> None:
    key, other = ("s", "1"), ("s", "2")
    assert measure_agreements({"a": {key: ["x"]}, "b": {other: ["x"]}}) == []
    (pair,) = measure_agreements({"b": {key: ["x", "y"], other: ["y"]}, "a": {key: ["x", "x"]}})
    assert (pair.one, pair.other, pair.documents, pair.units, pair.observed) == ("a", "b", 1, 2, 0.5)
    with pytest.raises(ValueError, match="same units"):
        kappa(["a"], [])


# ------------------------------------------------------------------------------------------------------------- sample


def test_the_sample_does_not_depend_on_the_order(tmp_path: Path) -> None:
    rows = [{"source": "s", "id": str(n), "text": f"text {n}"} for n in range(200)]
    store = Store(tmp_path / "desk.sqlite")

    def ids(rows: list[dict[str, Any]], wanted: frozenset[str] = frozenset()) -> set[str]:
        library = Library(str(tmp_path), (record(row) for row in rows), store, 20, wanted)
        return {one.document.id for one in library.articles["s"]}

    assert ids(rows) == ids(rows[::-1])
    assert len(ids(rows)) == 20
    assert ids(rows, frozenset({"7", "8"})) >= {"7", "8"}
    twice = Library(str(tmp_path), (record(row) for row in [*rows[:5], *rows[:5]]), store, 20)
    assert [one.document.id for one in twice.articles["s"]] == ["0", "1", "2", "3", "4"]
    with pytest.raises(CorpusError, match="expected documents"):
        Library(str(tmp_path), [], store)


# ------------------------------------------------------------------------------------------------------------- review


def test_the_share_shown_is_what_cleaning_does(world: tuple[Client, Desk], source: str) -> None:
    from templatemine.cleaning.cleaner import Cleaner

    client, desk = world
    held = desk.library.stored_pack(source)
    assert held is not None
    texts = [one.document.body for one in desk.library.matching_articles(held)]
    for df in (1, 5, 20, 45):
        told = client.get("/api/moved", source=source, df=df).json["after"]
        rule = {"action": "cutoff", "df": df}
        version = client.get("/api/review", source=source).json["version"]
        done = client.post("/api/decide", {"source": source, "version": version, "kind": "add", "rule": rule}).json
        held = desk.library.stored_pack(source)
        assert held is not None
        cleaner = Cleaner(held.pack)
        cuts = [len(text) - len(cleaner.clean(text).text) for text in texts]
        assert done["sample"]["cut"] == sum(cuts)
        assert told["templates"] == len(held.pack.templates)
        assert (told["touched"], told["articles"]) == (sum(cut > 0 for cut in cuts), len(texts))
        # Anchors of what comes in apart, which a string that was rejected does not have.
        assert told["cut"] == pytest.approx(sum(cuts), rel=0.15)


def test_desk_report_and_explain_blame_the_template_at_the_torn_end(world: tuple[Client, Desk], source: str) -> None:
    """Desk and report blamed the rarest of a cut, explain the one at its end: two different templates."""
    held = world[1].library.stored_pack(source)
    assert held is not None
    kind = held.pack.templates[0].kind
    call, words = ("Subscribe", "to", "the", "Weekly", "Gannet."), ("They", "also", "warn:")
    rules = [
        Rule(action="accept", tokens=one, df=9, count=9, example=" ".join(one), kind=kind) for one in (call, words)
    ]
    pack = apply_rules(held.pack, (), rules)
    rare, to_blame = template_id(call), template_id(words)
    torn = f"A story was told.\n{' '.join(call)}\nThey also warn: the mill is shut."
    texts = [
        torn,
        "All went well.\nThey also warn: The gate is open.",
        "It was late.\nThey also warn: The end is near.",
    ]
    documents = [Document(source=source, id=str(place), text=text) for place, text in enumerate(texts)]
    explainer = Explainer(pack)
    (cut,) = explainer.find_parts(torn, explainer.explain(torn).spans)
    assert {edge: template.id for edge, template in cut.torn.items()} == {"end": to_blame}
    found = find_cuts(pack, [Article(document=one) for one in documents], SentenceEnds(()))
    counts = tally_judged(one for cuts in found for one in cuts.judged)
    assert (counts[rare], counts[to_blame]) == ((1, 0), (3, 1))
    made = make_report({source: pack}, documents, lambda source: ())
    assert [(one.template.id, one.harm.kinds[0]) for one in made.sources[0].harmful] == [(to_blame, (TORN, 1))]
    assert "They also warn:" in made.harmful[0].match
    assert try_expression(pack, "(They also warn:)", [Article(document=one) for one in documents]).torn == 1


def test_articles_mark_torn_sentences(world: tuple[Client, Desk], source: str) -> None:
    """As explain does: which end of a cut lies within a sentence, and the template there."""
    client, desk = world
    held = desk.library.stored_pack(source)
    assert held is not None
    first = client.get("/api/sample", source=source, first=0, cut=1).json["articles"][0]["id"]
    (body,) = (one.document.body for one in desk.library.matching_articles(held) if one.name == first)
    words = max(body.splitlines(), key=len).split()[3:6]
    rule = {"action": "accept", "tokens": words, "df": 9, "count": 9}
    request = {"source": source, "version": held.version, "kind": "add", "rule": rule}
    assert client.post("/api/decide", request).status == 200
    held = desk.library.stored_pack(source)
    assert held is not None
    found = client.get("/api/sample", source=source, first=0, cut=1).json
    bodies = {one.name: one.document.body for one in desk.library.matching_articles(held)}
    explainer, torn = Explainer(held.pack), 0
    for one in found["articles"]:
        body = bodies[one["id"]]
        cuts = explainer.find_parts(body, explainer.explain(body).spans)
        wanted = [{edge: template.id for edge, template in cut.torn.items()} for cut in cuts]
        assert [piece["torn"] for piece in one["pieces"] if piece["templates"]] == wanted
        assert all(not piece["torn"] for piece in one["pieces"] if not piece["templates"])
        assert (one["torn"] > 0) == any(wanted)
        assert {name for edges in wanted for name in edges.values()} <= found["templates"].keys()
        torn += one["torn"]
    assert torn > 0


def test_after_a_decision_only_articles_with_its_templates_are_cleaned_again(
    world: tuple[Client, Desk], source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, desk = world
    cleaned: list[int] = []
    fresh = open_source.find_cuts

    def counted(pack: Any, articles: Any, ends: Any) -> list[ArticleCuts]:
        cleaned.append(len(articles))
        return fresh(pack, articles, ends)

    monkeypatch.setattr(open_source, "find_cuts", counted)
    state = client.get("/api/review", source=source).json
    some = [row["id"] for row in state["templates"] if 0 < row["effect"]["seen"] < state["articles"]]
    for name in some[:3]:
        rule = {"action": "reject", "id": name}
        state = client.post(
            "/api/decide", {"source": source, "version": state["version"], "kind": "add", "rule": rule}
        ).json
        held = desk.library.stored_pack(source)
        assert held is not None
        texts = desk.library.matching_articles(held)
        assert state["sample"]["cut"] == sum(count_cuts(held.pack, texts))
        row = next(row for row in state["templates"] if row["id"] == name)
        assert cleaned[-1] == row["effect"]["seen"] < len(texts)


def test_an_expression_is_measured(world: tuple[Client, Desk], source: str) -> None:
    _, desk = world
    held = desk.library.stored_pack(source)
    assert held is not None
    articles = desk.library.matching_articles(held)
    text = articles[0].document.body
    word = max(text.split(), key=len)
    trial = try_expression(held.pack, word.replace("(", "[(]").replace(")", "[)]").replace(".", "[.]"), articles)
    assert trial.refused == ""
    assert trial.matches == sum(one.document.body.count(word) for one in articles)
    assert trial.characters == trial.matches * len(word)
    assert 0 <= trial.harm <= trial.new <= trial.characters
    assert trial.example == word
    assert "look-around" in try_expression(held.pack, "(?=x)y", articles).refused


def test_every_template_can_be_edited(world: tuple[Client, Desk], rows: list[dict[str, Any]]) -> None:
    """What an edit begins with passes the lint and finds what the template finds."""
    _, desk = world
    found = [desk.library.stored_pack(source) for source in {row["source"] for row in rows}]
    packs = [held.pack for held in found if held is not None]
    assert len(packs) == 6  # of all sources but one, which has a single page
    for pack in packs:
        for one in pack.templates:
            span = compile_handwritten(editable_regex(one), "expression").find(one.example)
            assert span is not None
            assert one.example[slice(*span)].strip() == one.example.strip()
            if pack.html:
                continue
            written = compile_handwritten(editable_regex(one), "expression")
            template = Cleaner(replace(pack, templates=(one,)), CleanConfig(choice=CUT_ALL))
            for glued in (f"un{one.example.strip()}", f"{one.example.strip()}ly"):  # within a word no template is found
                assert (written.find(pack.encode(glued).text) is None) == (not template.spans(glued))


def test_words_find_what_their_template_finds(world: tuple[Client, Desk], source: str) -> None:
    client, desk = world
    held = desk.library.stored_pack(source)
    assert held is not None
    tried = 0
    for one in held.pack.templates:
        shown = client.get("/api/template", source=source, id=one.id).json
        if not shown["words"]:
            continue
        asked = {"source": source, "words": shown["words"], "anchor": shown["anchor"]}
        trial = client.post("/api/words", asked).json
        assert (tuple(trial["tokens"]), trial["refused"]) == (one.tokens, "")
        assert (trial["matches"], trial["touched"]) == (shown["matches"], shown["touched"])
        tried += trial["matches"] > 0
    assert tried > 9

    def refused(words: str, anchor: str = "") -> str:
        return str(client.post("/api/words", {"source": source, "words": words, "anchor": anchor}).json["refused"])

    assert "beside other tokens" in refused("{slot}", "line")
    assert "with" in refused("Read {slot:nothing}", "line")
    assert refused("  ")
    assert "known: url, email, " in refused("Read {nothing}")


def test_words_with_a_slot_are_where_its_line_ends(world: tuple[Client, Desk], source: str) -> None:
    """A label that begins a line could not be given its headline."""
    client, desk = world
    held = desk.library.stored_pack(source)
    assert held is not None
    words = (line.split() for one in desk.library.articles[source] for line in one.document.body.splitlines())
    first, last = next(
        (row[0], row[-1]) for row in words if len(row) > 5 and row[0].isalpha() and row[-1][:-1].isalpha()
    )
    for words, anchor, wide, position in [
        (f"{first} {{slot}}", "start", "line", "is a line"),
        (f"{first} {{slot}}", "", "end", "ends a line"),
        (f"{{slot}} {last}", "end", "line", "is a line"),
        (f"{{slot}} {last}", "start", "start", "begins a line"),
    ]:
        trial = client.post("/api/words", {"source": source, "words": words, "anchor": anchor}).json
        assert (trial["refused"], trial["anchor"], trial["position"]) == ("", wide, position)
        assert trial["matches"]
    state = client.get("/api/review", source=source).json
    words = f"{first} {{slot}}"
    trial = client.post("/api/words", {"source": source, "words": words, "anchor": "start"}).json
    rule = {"action": "accept", **{key: trial[key] for key in ("tokens", "anchor", "example")}}
    made = {"source": source, "version": state["version"], "kind": "add", "rule": {**rule, "df": 9, "count": 9}}
    assert client.post("/api/decide", made).status == 200


def test_an_edit_is_tried_as_it_is_decided(world: tuple[Client, Desk], source: str) -> None:
    """What the template cuts alone stays by it, and was not told."""
    client, desk = world
    held = desk.library.stored_pack(source)
    assert held is not None
    told = []
    for one in [one for one in held.pack.templates if len(one.tokens or ()) > 3][:12]:
        shown = client.get("/api/template", source=source, id=one.id).json
        base = {"source": source, "anchor": "", "kind": one.kind}
        for path, fewer in (
            ("/api/words", {"words": " ".join((one.tokens or ())[:2])}),
            ("/api/try", {"regex": re.escape(one.example.split()[0])}),
        ):
            alone, trial = (client.post(path, {**base, **fewer, "instead": name}).json for name in ("", one.id))
            if not trial["matches"]:
                continue
            assert alone["stays"] == 0
            assert trial["harm"] <= trial["new"]
            rule = {"action": "edit", "tokens": trial["tokens"], "anchor": trial["anchor"], "kind": one.kind}
            if path == "/api/try":
                rule = {"action": "add", "regex": fewer["regex"]}
            made = {**rule, "df": trial["touched"], "count": trial["matches"], "example": trial["example"]}
            version = client.get("/api/review", source=source).json["version"]
            decision = {"source": source, "version": version, "kind": "add"}
            rules = [made, {"action": "reject", "id": one.id}]
            after = client.post("/api/decide", {**decision, "rules": rules}).json
            assert trial["new"] - trial["stays"] == after["did"]["characters"]
            told.append((trial["new"], trial["stays"]))
            client.post("/api/decide", {"source": source, "version": after["version"], "kind": "undo"})
        if shown["words"]:
            as_it_is = client.post("/api/words", {**base, "words": shown["words"], "instead": one.id}).json
            assert as_it_is["stays"] == 0
    assert any(stays for _, stays in told)
    assert any(new for new, _ in told)


def test_an_edit_takes_the_place_of_the_same_string(world: tuple[Client, Desk], source: str) -> None:
    """An edit of the kind of a slot alone took the template out, and one towards a string that the pack has brought
    nothing."""
    client, desk = world

    def stored() -> Pack:
        held = desk.library.stored_pack(source)
        assert held is not None
        return held.pack

    pack, tried, articles = stored(), 0, desk.library.articles[source]
    filled = [one for one in pack.templates if one.slot and one.tokens]
    assert len(filled) > 1
    for one in pack.templates[:12]:
        for other in filled:
            shown = client.get("/api/template", source=source, id=other.id).json
            words = re.sub(r"\{slot[^}]*\}", "{slot:90}" if other.filler else "{slot}", shown["words"])
            asked = {"source": source, "words": words, "anchor": "", "kind": one.kind, "instead": one.id}
            trial = client.post("/api/words", asked).json
            if not trial["matches"] or trial.get("same"):
                continue
            tried += 1
            made = {"action": "edit", **{key: trial[key] for key in ("tokens", "anchor", "example")}}
            made |= {"df": trial["touched"], "count": trial["matches"], "kind": one.kind}
            version = client.get("/api/review", source=source).json["version"]
            decision = {"source": source, "version": version, "kind": "add"}
            rules = [made, {"action": "reject", "id": one.id}]
            after = client.post("/api/decide", {**decision, "rules": rules}).json
            assert trial["new"] - trial["stays"] == after["did"]["characters"]
            cuts = [sum(count_cuts(anew, articles)) for anew in (pack, stored())]
            assert after["did"]["characters"] == cuts[1] - cuts[0]
            there = {found.id: found for found in stored().templates}
            assert there[template_id(trial["tokens"])].tokens == tuple(trial["tokens"])
            assert {*there} == {one.id for one in pack.templates} - {one.id} | {other.id}
            row = next(row for row in after["templates"] if row["id"] == other.id)
            assert (row["state"], len([row for row in after["templates"] if row["id"] == other.id])) == ("added", 1)
            assert client.get("/api/template", source=source, id=other.id).json["state"] == "added"
            client.post("/api/decide", {"source": source, "version": after["version"], "kind": "undo"})
            assert stored().templates == pack.templates
    assert tried > 3


def test_a_string_counts_where_it_stood_nowhere_before() -> None:
    """Its old form is in no article of the sample, its new one is."""
    pack = bare_pack(9)
    line = Template(id="t1", regex="", tokens=("Read", "next"), df=9, count=9, example="Read next", anchor="line")
    old, new = (
        replace(pack, templates=(replace(one, regex=pack.derived(one)),)) for one in (line, replace(line, anchor=""))
    )
    articles = [Article(document=Document(source="x", id="a", text="The rest of it: Read next now."))]
    effects = Effects(old, old.templates, articles)
    did = measure_change(old, new, articles, effects, count_cuts(old, articles))
    assert did == {"articles": 1, "characters": sum(count_cuts(new, articles))}
    assert did["characters"] > 0


def test_a_rule_that_cannot_be_applied_closes_no_pane(world: tuple[Client, Desk], source: str) -> None:
    client, desk = world
    held = desk.library.stored_pack(source)
    assert held is not None
    data = json.loads(Path(held.path).read_text())
    data["overrides"] = [
        {"action": "edit", "tokens": ["two words", "x"], "example": "two words x", "df": 3, "count": 3}
    ]
    Path(held.path).write_text(json.dumps(data))
    with pytest.warns(UserWarning, match="not applied yet"):
        found = client.get("/api/template", source=source, id=held.pack.templates[0].id)
    assert found.status == 200
    assert "two words" in found.json["problem"]


def test_expressions_are_those_of_the_file(world: tuple[Client, Desk], source: str) -> None:
    """Short, as the pack writes them; in full beside."""
    client, desk = world
    held = desk.library.stored_pack(source)
    assert held is not None
    written = {one["id"]: one["regex"] for one in json.loads(Path(held.path).read_text())["templates"]}
    for one in held.pack.templates[:20]:
        found = client.get("/api/template", source=source, id=one.id).json
        assert found["short"] == written[one.id]
        assert found["regex"] == one.regex
        assert len(found["short"]) < len(found["regex"])


def test_rows_hold_what_lists_show(world: tuple[Client, Desk], source: str) -> None:
    """Of thousands of templates; the expression and the reasons, as long as all else, are of the one that is shown."""
    client, desk = world
    held = desk.library.stored_pack(source)
    assert held is not None
    rows = {row["id"]: row for row in client.get("/api/review", source=source).json["templates"]}
    assert rows.keys() == {one.id for one in held.pack.templates}
    for one in held.pack.templates:
        row = rows[one.id]
        assert not {"regex", "reasons"} & row.keys()
        told = client.get("/api/template", source=source, id=one.id).json
        assert (told["regex"], told["reasons"]) == (one.regex, describe_reasons(one))
        assert {name: told[name] for name in row} == row


def test_what_is_slow_is_stopped(world: tuple[Client, Desk], source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _, desk = world
    held = desk.library.stored_pack(source)
    assert held is not None
    monkeypatch.setattr("templatemine.desk.review.TIMEOUT", 0.05)
    slow = [Article(document=Document(source=source, id="slow", text="ab" * 10_000 + "9 z"))]
    refused = try_expression(held.pack, "[ab]+9", slow).refused
    assert "more than 0.05 s on article slow" in refused


def slow_world(packs: Path, rows: list[dict[str, Any]], source: str, articles: int) -> tuple[Client, Desk]:
    """A desk with a pack that has an expression by hand which takes too long for some articles of the sample."""
    for one in PackFiles([packs]).files.values():
        found = json.loads(Path(one).read_text())
        if found["source"] == source:
            row = {"id": "slow", "regex": "aa.*~|aa+b?", "tokens": None, "df": 1, "count": 1, "example": "aaab"}
            found["templates"].append({**row, "anchor": ""})
            Path(one).write_text(json.dumps(found))
    fresh = [{"source": source, "id": f"slow {n}", "text": "a" * 4_000} for n in range(articles)]
    return opened(packs, [*rows, *fresh])


def test_articles_that_take_too_long_leave_the_sample(
    packs: Path, rows: list[dict[str, Any]], source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("templatemine.text.linear.SECONDS", 0.002)
    monkeypatch.setattr("templatemine.text.linear.SECONDS_PER_CHARACTER", 0.0)
    client, desk = slow_world(packs, rows, source, 2)
    before = len(desk.library.articles[source])
    assert client.get("/api/template", source=source, id="slow").json["articles"] == before - 2
    state = client.get("/api/review", source=source).json
    assert (state["articles"], state["left_out"]) == (before - 2, 2)
    assert client.get("/api/sample", source=source, first=0, cut=0).status == 200
    assert client.get("/api/questions", source=source).status == 200
    rule = {"action": "reject", "id": "slow"}
    decided = client.post("/api/decide", {"source": source, "version": state["version"], "kind": "add", "rule": rule})
    assert decided.status == 200, decided.json
    assert "slow" not in {one.id for one in Pack.load(desk.library.stored_pack(source).path).templates}  # type: ignore[union-attr]


def test_an_expression_that_is_slow_everywhere_is_an_error(
    packs: Path, rows: list[dict[str, Any]], source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("templatemine.text.linear.SECONDS", 0.002)
    monkeypatch.setattr("templatemine.text.linear.SECONDS_PER_CHARACTER", 0.0)
    client, _ = slow_world(packs, rows, source, MAX_SLOW + 1)
    answer = client.get("/api/review", source=source)
    assert answer.status == 400
    assert "'aa.*~|aa+b?' takes longer" in answer.json["problem"]


def test_the_kind_of_a_whole_facet_is_one_decision(client: Client, source: str) -> None:
    state = client.get("/api/review", source=source).json
    assert all(row["score"] is None or 0 <= row["score"] <= 1 for row in state["templates"])
    ids = [row["id"] for row in state["templates"] if row["state"] != "out"][:3]
    rules = [{"action": "kind", "id": one, "kind": "legal"} for one in ids]
    request = {"source": source, "version": state["version"], "kind": "add", "rules": rules}
    assert client.post("/api/decide", request).status == 200
    after = client.get("/api/review", source=source).json
    assert {row["kind"] for row in after["templates"] if row["id"] in ids} == {"legal"}
    pieces = [
        piece
        for one in client.get("/api/sample", source=source, first=0, cut=0).json["articles"]
        for piece in one["pieces"]
    ]
    assert "legal" in {piece["kind"] for piece in pieces if piece["templates"]}
    assert {piece["kind"] for piece in pieces if not piece["templates"]} <= {""}


def test_prose_is_long_and_ends_a_sentence() -> None:
    line = "This is a line of some length that says something and then comes to its end, as prose does, here."
    text = (
        f"Sign up\n{line}\nA list of many things without an end to it, however long it may be, in a row of words\n"
        + "長い文章がここにあり、" * 4
        + "。"
    )
    assert [text[start:end][:9] for start, end in find_prose(text)] == ["This is a", "長い文章がここにあ"]


def test_problems_are_told(client: Client, source: str) -> None:
    for path, values, problem in (
        ("/api/review", {"source": "none"}, "there is no pack"),
        ("/api/moved", {"source": source, "df": "x"}, "expected a number"),
        ("/api/moved", {"source": source, "df": "99999"}, "expected a cut-off from 1 to"),
        ("/api/template", {"source": source, "id": "t0"}, "there is no template"),
        ("/api/document", {"source": source, "id": "none"}, "there is no document"),
        ("/api/compare", {"source": source, "id": "none"}, "there is no document"),
    ):
        answer = client.get(path, **values)
        assert answer.status in (400, 404)
        assert problem in answer.json["problem"]
    assert client.get("/export", form="nothing").status == 404
    assert client.get("/review", source="none").status == 404
    version = client.get("/api/review", source=source).json["version"]
    for op in (
        {"kind": "what"},
        {"kind": "add", "rule": {"action": "burn"}},
        {"kind": "add", "rule": {"action": "add", "regex": "(", "example": "("}},
    ):
        answer = client.post("/api/decide", {"source": source, "version": version, **op})
        assert answer.status == 400
        assert answer.json["problem"]
    assert client.post("/api/decide", {"source": source, "version": version, "kind": "undo"}, name=" ").status == 400


# ---------------------------------------------------------------------------------------------------- export, compare


def test_spans_go_to_evaluate_and_come_back_as_gold(
    packs: Path, rows: list[dict[str, Any]], source: str, tmp_path: Path
) -> None:
    client, desk = opened(packs, rows)
    names = [row["id"] for row in rows if row["source"] == source][:2]
    for name in names:
        document = client.get("/api/document", source=source, id=name, **{"as": "Ann"}).json
        assert document["proposed"]
        body = {"source": source, "id": name, "version": 0, "marks": document["proposed"], "done": True}
        assert client.post("/api/save", body).json["version"] == 1
    (tmp_path / "spans.jsonl").write_bytes(client.get("/export", form="spans").body)
    gold = read_spans(tmp_path / "spans.jsonl")
    assert set(gold) == set(names)
    again, _ = opened(packs, rows, gold=gold)
    found = again.get("/api/compare", source=source, id=names[0]).json
    assert found["gold"] == "gold spans"
    assert found["scores"]["templates with decisions"] > 0.9  # proposals are whole words
    assert found["systems"] == ["templates with decisions", "gold"]  # two columns, unless more are asked for
    known = again.get("/api/systems", source=source, id=names[0]).json
    assert list(known) == ["templates with decisions", "original", "marks of Ann", "gold"]
    every = again.get("/api/compare", source=source, id=names[0], systems="|".join(known)).json
    assert set(every["systems"]) == set(known)
    assert {row["keeps"][every["systems"].index("original")] for row in every["segments"]} == {True}
    assert "".join(row["text"] for row in found["segments"]) == desk.find_article(source, names[0]).document.body


@pytest.mark.parametrize("mark", [("dynamic",), ("optional", "caption")])
def test_what_may_go_is_no_difference(
    packs: Path, rows: list[dict[str, Any]], source: str, mark: tuple[str, ...]
) -> None:
    row = rows[0]
    gold: Any = {row["id"]: [(0, len(row["text"]), *mark)]}
    client, _ = opened(packs, rows, gold=gold)
    found = client.get("/api/compare", source=source, id=row["id"]).json
    assert found["systems"][-1] == "gold"
    assert {one["notes"][-1] for one in found["segments"]} == {mark[0]}
    assert not any(one["differs"] for one in found["segments"])
    assert {kept for one in found["segments"] for kept in one["keeps"]} == {True, False}
    assert next(one for one in client.get("/api/queue", source=source).json if one["id"] == row["id"])["gold"]


def test_training_rows_have_text_and_blocks(world: tuple[Client, Desk], rows: list[dict[str, Any]]) -> None:
    client, _ = world
    row = next(row for row in rows if row["source"] == "pages.minato.example")
    where = {"source": row["source"], "id": row["id"]}
    document = client.get("/api/document", **where, **{"as": "Ann"}).json
    client.post("/api/save", {**where, "version": 0, "marks": document["proposed"], "done": True})
    trained = json.loads(client.get("/export", form="training").body)
    assert trained["html"] == row["html"]
    assert trained["gold"].splitlines()[0] == "新しい橋が開通した"
    assert len(trained["gold"].splitlines()) == sum(label != OTHER for _, _, label in trained["blocks"])
    marked = json.loads(client.get("/export", form="cleaneval").body)["gold"]
    assert marked.startswith("<h>新しい橋が開通した\n<p>")
    unfinished = {**where, "version": 1, "marks": [], "done": False}
    assert client.post("/api/save", unfinished).status == 200
    assert client.get("/export", form="training").body == b""


def test_a_desk_without_packs_annotates_and_compares(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    client, _ = opened(tmp_path, rows)
    assert client.get("/").status == 200
    row = next(row for row in rows if "html" in row)
    where = {"source": row["source"], "id": row["id"]}
    assert client.get("/api/document", **where, **{"as": "A"}).json["proposed"]
    assert len(client.get("/api/compare", **where).json["systems"]) >= 2
    text = rows[0]
    assert client.get("/api/document", source=text["source"], id=text["id"], **{"as": "A"}).json["proposed"] == []
