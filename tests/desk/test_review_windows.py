"""Windows of a list of thousands: what an answer holds does not grow with them, and nothing of the list is lost."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

for _name in ("starlette", "jinja2", "uvicorn"):
    pytest.importorskip(_name, reason=f"the desk needs {_name}: pip install 'templatemine[desk]'")

from desk_support import Client, grow_pack, opened  # noqa: E402

from templatemine.desk.answers import MAX_TOLD, Desk  # noqa: E402
from templatemine.desk.review_table import FACETS, MAX_NEXT, WINDOW  # noqa: E402

pytest_plugins = ("desk_fixtures",)


def grown(packs: Path, rows: list[dict[str, Any]], source: str, more: int) -> tuple[Client, Desk]:
    """A desk with a pack that has so many more templates."""
    grow_pack(packs, source, more)
    return opened(packs, rows)


def listed(client: Client, source: str, **view: Any) -> dict[str, Any]:
    found = client.get("/api/rows", source=source, view=json.dumps(view))
    assert found.status == 200, found.body
    return dict(found.json)


def test_answers_do_not_grow_with_the_templates(
    mined_packs: Path, tmp_path: Path, rows: list[dict[str, Any]], source: str
) -> None:
    sizes: list[dict[str, int]] = []
    for more in (1200, 3600):
        client, desk = grown(Path(shutil.copytree(mined_packs, tmp_path / str(more))), rows, source, more)
        version = desk.stored_pack(source).version
        head = listed(client, source, text="headinga ")["templates"][0]["id"]
        about = {"source": source, "version": version, "kind": "judge", "verdict": "leave"}
        answers = {
            "review": client.get("/api/review", source=source),
            "rows": client.get("/api/rows", source=source, view='{"order":"risk","folded":true}'),
            "template": client.get("/api/template", source=source, id=head),
            "sample": client.get("/api/sample", source=source, cut=1),
            "decision": client.post("/api/decide", {**about, "shown": {"df": "below 5"}}),
            "rules": client.get("/api/past", source=source, what="rules"),
            "history": client.get("/api/past", source=source, what="history"),
        }
        assert {answer.status for answer in answers.values()} == {200}
        for name in ("review", "rows", "decision"):
            assert len(answers[name].json["templates"]) <= WINDOW
            assert len(answers[name].json["next"]) <= MAX_NEXT
        assert answers["decision"].json["judged"][1] >= more - 10
        assert len(answers["decision"].json["rules"]) == len(answers["decision"].json["history"]) + MAX_TOLD - 1
        sizes.append({name: len(answer.body) for name, answer in answers.items()})
    few, many = sizes
    assert all(many[name] < few[name] * 1.1 + 400 for name in few), sizes
    assert max(many.values()) < 60_000


def test_windows_make_up_the_list(packs: Path, rows: list[dict[str, Any]], source: str) -> None:
    client, desk = grown(packs, rows, source, 400)
    pack = desk.stored_pack(source).pack
    for order in ("df", "risk"):
        for folded in (False, True):
            first = listed(client, source, order=order, folded=folded, first=0)
            names: list[str] = []
            while len(names) < first["listed"]:
                part = listed(client, source, order=order, folded=folded, first=len(names))
                names += [row["id"] for row in part["templates"][len(names) - part["first"] :]]
            assert len(names) == len(set(names)) == first["listed"]
            assert folded or set(names) == {one.id for one in pack.templates}
    # Around a template, and a folded variant is shown if it is looked at.
    variant = next(row for row in listed(client, source, first=300)["templates"] if row["id"] != row["head"])
    around = listed(client, source, at=variant["id"])
    assert variant in around["templates"][1:-1]
    assert variant in listed(client, source, folded=True, at=variant["id"])["templates"]
    shown = listed(client, source, folded=True, unfolded=[variant["head"]], at=variant["head"])
    assert shown["listed"] == listed(client, source, folded=True)["listed"] + 9


def test_facets_count_and_narrow(packs: Path, rows: list[dict[str, Any]], source: str) -> None:
    client, desk = grown(packs, rows, source, 30)
    whole = listed(client, source)
    size = len(desk.stored_pack(source).pack.templates)
    assert whole["listed"] == whole["all"] == whole["there"] == size
    for name, values in whole["facets"].items():
        assert sum(count for _, count in values) == size
        for value, count in values:
            assert value in FACETS[name]
            assert listed(client, source, **{name: value})["listed"] == count
    narrowed = listed(client, source, df="below 5", text="HEADINGB ")
    assert narrowed["listed"] == 10
    assert {row["text"].split()[0] for row in narrowed["templates"]} == {"headingb"}
    folded = listed(client, source, folded=True)
    assert folded["folded"] == folded["all"] - folded["listed"] > 0
    assert listed(client, source)["folded"] == listed(client, source, folded=True, df="below 5")["folded"] == 0
    for wrong in ({"df": "few"}, {"order": "size"}, {"first": True}, {"size": 3}, []):
        answer = client.get("/api/rows", source=source, view=json.dumps(wrong))
        assert (answer.status, answer.json["problem"].partition(":")[0]) == (400, "view")


def test_a_verdict_is_about_one_a_family_or_all_that_are_shown(
    packs: Path, rows: list[dict[str, Any]], source: str
) -> None:
    client, desk = grown(packs, rows, source, 30)

    def judge(**about: Any) -> dict[str, Any]:
        sent = {"source": source, "version": desk.stored_pack(source).version, "kind": "judge", **about}
        answer = client.post("/api/decide", sent)
        assert answer.status == 200, answer.body
        return dict(answer.json)

    before = desk.stored_pack(source)
    family = listed(client, source, text="headingc ")["templates"]
    head = family[0]["head"]
    made = judge(verdict="leave", head=head)
    assert made["judged"] == ["left in", 10]
    there = {one.id for one in desk.stored_pack(source).pack.templates}
    assert there == {one.id for one in before.pack.templates} - {row["id"] for row in family}
    assert judge(verdict="leave", head=head)["judged"] == ["", 0]  # nothing is left to decide, and nothing is recorded
    assert len(desk.library.store.history(source)) == 1
    assert judge(verdict="cut", id=family[3]["id"])["judged"] == ["cut", 1]
    assert family[3]["id"] in {one.id for one in desk.stored_pack(source).pack.templates}
    assert judge(verdict="cut", shown={"text": "headingb "})["judged"] == ["reviewed", 10]
    assert listed(client, source, text="headingb ", undecided=True)["listed"] == 0
    named = judge(verdict="kind", shown={"text": "headingb "}, **{"as": "legal"})
    assert named["judged"] == ["named", 10]
    assert {row["kind"] for row in listed(client, source, text="headingb ")["templates"]} == {"legal"}
    for _ in range(4):
        client.post("/api/decide", {"source": source, "version": desk.stored_pack(source).version, "kind": "undo"})
    after = desk.stored_pack(source)
    assert {one.id: one for one in after.pack.templates} == {one.id: one for one in before.pack.templates}
    for wrong in ({"verdict": "cut", "id": "t0"}, {"verdict": "maybe", "head": head}, {"verdict": "leave"}):
        sent = {"source": source, "version": after.version, "kind": "judge", **wrong}
        assert client.post("/api/decide", sent).status in (400, 404)


def test_an_undo_names_what_was_undone(packs: Path, rows: list[dict[str, Any]], source: str) -> None:
    client, desk = grown(packs, rows, source, 30)

    def decide(**body: Any) -> dict[str, Any]:
        sent = {"source": source, "version": desk.stored_pack(source).version, **body}
        return dict(client.post("/api/decide", sent).json)

    one, other = (row["id"] for row in listed(client, source)["templates"][3:5])
    assert decide(kind="judge", verdict="leave", id=one)["about"] is None
    decide(kind="judge", verdict="cut", id=other)  # as mined: the pack does not change
    decide(kind="judge", verdict="leave", shown={"text": "headingb "})
    decide(kind="add", rule={"action": "never", "text": "headingc"})
    starts = [decide(kind="undo")["about"]["text"].partition(" ")[0] for _ in range(2)]
    assert starts == ["headingc", "headingb"]
    assert [decide(kind="undo")["about"]["id"] for _ in range(2)] == [other, one]


def test_all_figures_count_what_is_decided(packs: Path, rows: list[dict[str, Any]], source: str) -> None:
    client, desk = grown(packs, rows, source, 30)
    for verdict, word in (("leave", "headingb "), ("cut", "headingc ")):
        sent = {"source": source, "version": desk.stored_pack(source).version, "kind": "judge", "verdict": verdict}
        client.post("/api/decide", {**sent, "shown": {"text": word}})
    state, told = client.get("/api/review", source=source).json, client.get("/api/summary", source=source).json
    assert (state["done"], state["all"]) == (told["done"], told["templates"]) == (20, len(state["templates"]))
    assert [one["what"].rpartition(", ")[2] for one in told["decisions"]] == ["and 9 more", "and 9 more"]
    assert listed(client, source, decided=True)["listed"] == 20
    assert listed(client, source, undecided=True)["listed"] == state["all"] - 20
    assert not {row["id"] for row in state["next"]} & {
        row["id"] for row in listed(client, source, decided=True)["templates"]
    }
    # What is left in stays in the list, and facets count it.
    assert dict(listed(client, source, text="headingb ")["facets"]["df"]) == {"below 5": 10}
    assert listed(client, source, text="headingb ", df="below 5")["listed"] == 10


def test_a_decision_about_all_can_be_turned_round(packs: Path, rows: list[dict[str, Any]], source: str) -> None:
    """After "leave in all" nothing could be done about them but an undo."""
    client, desk = grown(packs, rows, source, 30)
    before = {one.id for one in desk.stored_pack(source).pack.templates}

    def judge(**about: Any) -> dict[str, Any]:
        sent = {"source": source, "version": desk.stored_pack(source).version, "kind": "judge", **about}
        return dict(client.post("/api/decide", sent).json)

    names = {row["id"] for row in listed(client, source, text="headingb ")["templates"]}
    assert judge(verdict="leave", shown={"text": "headingb "})["judged"] == ["left in", 10]
    judge(verdict="cut", id=min(names))
    assert judge(verdict="cut", shown={"text": "headingb "})["judged"] == ["cut", 9]  # one of them was decided anew
    assert {one.id for one in desk.stored_pack(source).pack.templates} == before
    assert listed(client, source, text="headingb ", decided=True)["listed"] == 10
    assert judge(verdict="leave", head=listed(client, source, text="headingb ")["templates"][0]["head"])
    assert (
        judge(verdict="cut", head=listed(client, source, text="headingb ")["templates"][0]["head"])["judged"][0]
        == "cut"
    )
    assert {one.id for one in desk.stored_pack(source).pack.templates} == before


def test_the_list_of_a_session_explains_its_figures(packs: Path, rows: list[dict[str, Any]], source: str) -> None:
    """An undo of what was decided before the session changed the figures, and was not in the list."""
    client, desk = grown(packs, rows, source, 30)

    def decide(**body: Any) -> dict[str, Any]:
        sent = {"source": source, "version": desk.stored_pack(source).version, **body}
        return dict(client.post("/api/decide", sent).json)

    since = decide(kind="judge", verdict="leave", shown={"text": "headingb "})["seq"]
    assert client.get("/api/review", source=source).json["undoable"].startswith("Left in: headingb")
    decide(kind="judge", verdict="leave", shown={"text": "headingc "})
    undone = decide(kind="undo")
    assert undone["judged"][0].startswith("Left in: headingc")
    told = client.get("/api/summary", source=source, since=since).json
    assert (told["decisions"], told["before"]) == ([], told["after"])
    decide(kind="undo")
    told = client.get("/api/summary", source=source, since=since).json
    assert [one["what"].partition(" of")[0] for one in told["decisions"]] == ["Undone: Left in: headingb"]
    assert told["after"]["templates"] == told["before"]["templates"] + 10


def test_what_is_prepared_apart_is_there(packs: Path, rows: list[dict[str, Any]], source: str) -> None:
    client, desk = opened(packs, rows)
    while not client.get("/api/prepared", source=source).json["ready"]:
        pass
    held = desk.stored_pack(source)
    there = desk._opened(held)
    assert there._table is not None
    assert there._preview is not None
    assert desk.library._revisions[held.path][0] == held.version
    desk.prepare_largest()
    assert len(desk._open) > 1
    assert client.get("/api/prepared", source="nobody").status == 404
