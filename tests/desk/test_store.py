"""Decisions and annotations: two writers, versions, undo, and a kill in the middle of a save."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

for _name in ("starlette", "jinja2", "uvicorn"):
    pytest.importorskip(_name, reason=f"the desk needs {_name}: pip install 'templatemine[desk]'")

from desk_support import Client, opened  # noqa: E402

from templatemine.cleaning.cleaner import Cleaner  # noqa: E402
from templatemine.cleaning.regex_engine import RegexEngine  # noqa: E402
from templatemine.config import ReportConfig  # noqa: E402
from templatemine.desk.answers import MAX_QUESTIONS, Desk  # noqa: E402
from templatemine.desk.serve import session_summary  # noqa: E402
from templatemine.desk.store import Annotation, Conflict, Store  # noqa: E402
from templatemine.errors import ConfigError, CorpusError  # noqa: E402
from templatemine.io import lock  # noqa: E402
from templatemine.io.lock import locked  # noqa: E402
from templatemine.model import Question, RejectedCandidate, Template  # noqa: E402
from templatemine.packs.pack import Pack  # noqa: E402
from templatemine.packs.pack_folder import PackFiles  # noqa: E402
from templatemine.packs.pack_record import template_id  # noqa: E402
from templatemine.report.doubts import find_signs, match_templates  # noqa: E402
from templatemine.report.harm import count_residues, find_blamed  # noqa: E402
from templatemine.report.risk import Occurrences  # noqa: E402
from templatemine.report.view import make_report  # noqa: E402
from templatemine.text.tears import judge_cuts, leaves_part  # noqa: E402

pytest_plugins = ("desk_fixtures",)


def add(client: Client, source: str, rule: dict[str, Any], version: str | None = None, name: str = "Ann") -> Any:
    version = version or client.get("/api/review", source=source).json["version"]
    return client.post("/api/decide", {"source": source, "version": version, "kind": "add", "rule": rule}, name)


def test_a_decision_goes_into_the_pack_and_the_history(world: tuple[Client, Desk], source: str) -> None:
    client, desk = world
    state = client.get("/api/review", source=source).json
    first = state["templates"][0]
    after = add(client, source, {"action": "reject", "id": first["id"]}, name="Zoë Ülk").json
    held = desk.library.stored_pack(source)
    assert held is not None
    assert [rule.by for rule in held.pack.overrides.rules] == ["Zoë Ülk"]
    assert first["id"] not in {one.id for one in Pack.load(held.path).templates}
    assert after["history"][0]["name"] == "Zoë Ülk"
    decided, recorded = map(datetime.fromisoformat, (held.pack.overrides.rules[0].time, after["history"][0]["time"]))
    assert timedelta(0) <= recorded - decided <= timedelta(seconds=30)  # the pack is written between the two
    assert next(row for row in after["templates"] if row["id"] == first["id"])["state"] == "out"


def test_what_is_not_there_is_not_decided(world: tuple[Client, Desk], source: str) -> None:
    """It was answered as if done, and its rule stood in the pack."""
    client, desk = world
    held = desk.library.stored_pack(source)
    assert held is not None
    data, events = Path(held.path).read_bytes(), len(desk.library.store.history(source))
    known = held.pack.templates[0]
    for rule in (
        {"action": "reject", "id": "t0000000000"},
        {"action": "reject", "tokens": ["no", "such", "string"]},
    ):
        name = rule.get("id") or template_id(("no", "such", "string"))
        refused = add(client, source, rule)
        assert (refused.status, refused.json) == (404, {"problem": f"there is no template '{name}'"})
    sent = {"source": source, "version": held.version}
    rules = [{"action": "reject", "id": known.id}, {"action": "reject", "id": "t0000000000"}]
    assert client.post("/api/decide", {**sent, "kind": "add", "rules": rules}, "Ann").status == 404
    refused = client.post("/api/decide", {**sent, "kind": "remove", "rule": rules[0]}, "Ann")
    assert (refused.status, refused.json) == (404, {"problem": "there is no such rule"})
    assert Path(held.path).read_bytes() == data
    assert len(desk.library.store.history(source)) == events
    assert not desk.library.store.reviewed(source)
    assert add(client, source, {"action": "reject", "tokens": known.tokens}).status == 200  # known by its tokens, too


def test_an_answer_goes_into_the_pack_and_is_not_asked_again(world: tuple[Client, Desk], source: str) -> None:
    client, desk = world
    state = client.get("/api/review", source=source).json
    asked = client.get("/api/questions", source=source).json
    assert 0 < len(asked) <= MAX_QUESTIONS
    assert all(one["snippets"] for one in asked)
    held = desk.library.stored_pack(source)
    assert held is not None
    nowhere = tuple("zq"), tuple("qz")
    more = [
        replace(held.pack.questions[0], tokens=one, example=" ".join(one) * place) for place, one in enumerate(nowhere)
    ]
    replace(held.pack, questions=(*more, *held.pack.questions[1:])).save(held.path, force=True)
    shown = client.get("/api/questions", source=source).json
    assert all(one["snippets"] for one in shown)  # of what is not in the sample its example; without one it waits
    assert [one["tokens"] for one in shown if tuple(one["tokens"]) in nowhere] == [[*nowhere[1]]]
    assert next(one["snippets"][0]["match"] for one in shown if tuple(one["tokens"]) == nowhere[1]) == "q z"
    held.pack.save(held.path, force=True)
    first = asked[0]
    sent = {"source": source, "version": state["version"], "kind": "answer", "tokens": first["tokens"]}
    wrong = client.post("/api/decide", {**sent, "answer": "perhaps"}, "Ann")
    assert (wrong.status, wrong.json["problem"].partition(",")[0]) == (400, "answer: expected boilerplate")
    after = client.post("/api/decide", {**sent, "answer": "story"}, "Ann").json
    held = desk.library.stored_pack(source)
    assert held is not None
    assert {(rule.action, rule.by) for rule in held.pack.overrides.rules} == {("reject", "Ann")}
    assert after["history"][0]["what"].startswith("Left in: ")
    assert first["tokens"] not in [one["tokens"] for one in client.get("/api/questions", source=source).json]
    again = client.post("/api/decide", {**sent, "version": after["version"], "answer": "story"}, "Ann")
    assert (again.status, again.json["problem"]) == (404, "there is no such question, or it is answered")


def test_undo_goes_back_step_by_step(client: Client, source: str) -> None:
    states = [client.get("/api/review", source=source).json]
    ids = [row["id"] for row in states[0]["templates"][:3]]
    for name in ids:
        states.append(add(client, source, {"action": "reject", "id": name}).json)
    for before in reversed(states[:-1]):
        now = client.get("/api/review", source=source).json
        back = client.post("/api/decide", {"source": source, "version": now["version"], "kind": "undo"}).json
        assert back["version"] == before["version"]
        assert back["rules"] == before["rules"]
    nothing = client.post("/api/decide", {"source": source, "version": states[0]["version"], "kind": "undo"})
    assert (nothing.status, nothing.json["problem"]) == (400, "there is nothing to undo")


def test_a_decision_taken_back_leaves_no_rule(client: Client, source: str) -> None:
    first = client.get("/api/review", source=source).json
    row = first["templates"][0]
    out = add(client, source, {"action": "reject", "id": row["id"]}).json
    sent = {"source": source, "version": out["version"], "kind": "judge", "verdict": "cut", "id": row["id"]}
    again = client.post("/api/decide", sent).json
    assert again["rules"] == []
    assert again["version"] == first["version"]


def test_the_second_of_two_writers_is_told_and_nothing_is_lost(
    packs: Path, rows: list[dict[str, Any]], source: str
) -> None:
    ann, _ = opened(packs, rows)
    bob, _ = opened(packs, rows)  # a desk of its own on the same packs
    seen = ann.get("/api/review", source=source).json
    one, other = (row["id"] for row in seen["templates"][:2])
    assert add(ann, source, {"action": "reject", "id": one}, seen["version"]).status == 200
    late = add(bob, source, {"action": "reject", "id": other}, seen["version"], "Bob")
    assert late.status == 409
    assert "Ann decided at" in late.json["problem"]
    assert add(bob, source, {"action": "reject", "id": other}, None, "Bob").status == 200
    rules = ann.get("/api/review", source=source).json["rules"]
    assert {(rule["id"], rule["by"]) for rule in rules} == {(one, "Ann"), (other, "Bob")}


def test_many_writers_at_once(packs: Path, rows: list[dict[str, Any]], source: str) -> None:
    clients = [opened(packs, rows)[0] for _ in range(2)]
    ids = [row["id"] for row in clients[0].get("/api/review", source=source).json["templates"][:8]]
    told: list[int] = []

    def work(client: Client, mine: list[str]) -> None:
        for name in mine:
            for _ in range(200):
                status = add(client, source, {"action": "reject", "id": name}).status
                told.append(status)
                if status == 200:
                    break

    threads = [threading.Thread(target=work, args=(clients[place % 2], ids[place::4])) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert set(told) <= {200, 409}
    state = clients[0].get("/api/review", source=source).json
    assert {rule["id"] for rule in state["rules"]} == set(ids)
    assert len(state["history"]) == len(ids)


def test_effects_grow_beside_a_preview(world: tuple[Client, Desk], source: str) -> None:
    """A string that another thread's decision brings in was out of the bounds of what was asked."""
    _, desk = world
    stored = desk.stored_pack(source)
    held = desk._opened(stored)
    effects, articles = held.effects(stored), held.sample(stored)
    first, *others = stored.pack.templates
    grown = (first, replace(first, df=first.df + 1))
    thread = threading.Thread(target=effects.extend, args=(stored.pack, grown, articles))

    def asked() -> Iterator[Template]:
        yield first
        thread.start()
        thread.join(0.2)
        yield from others

    before = effects.find_articles([first, *others])
    assert effects.find_articles(asked()) == before
    thread.join(10)
    assert effects.find_articles(grown) == effects.find_articles([first])


def test_sources_with_a_pack_stand_first(packs: Path, rows: list[dict[str, Any]]) -> None:
    """They stood by name among many that only the archive has."""
    other = {**rows[0], "source": "!other.example", "id": "1"}
    _, desk = opened(packs, [*rows, other])
    there = [row["pack"] for row in desk.list_sources()]
    assert there == sorted(there, reverse=True)


def test_of_sources_with_a_pack_that_with_most_at_stake_stands_first(packs: Path, rows: list[dict[str, Any]]) -> None:
    """As ask has them: by the largest stake of a question that nobody has answered, where no cut is in doubt."""
    files = [*PackFiles([packs]).files.values()]
    stakes: dict[str, int] = {}
    for stake, path in enumerate(files):
        pack, tokens = Pack.load(path), ("Perhaps", "a", "label")
        row = {"tokens": tokens, "df": 9, "count": 9, "anchor": "", "filled": "", "example": " ".join(tokens)}
        questions = (Question(**row, score=0.4, stake=stake),) if stake else ()
        replace(pack, questions=questions, templates=()).save(path, force=True)
        stakes[pack.source] = stake
    client, desk = opened(packs, rows)
    listed = [row["source"] for row in desk.list_sources() if row["pack"]]
    assert listed == sorted(stakes, key=lambda name: -stakes[name])
    held = desk.library.stored_pack(listed[0])
    assert held is not None
    body = {"source": listed[0], "version": held.version, "kind": "answer", "tokens": list(tokens), "answer": "story"}
    assert client.post("/api/decide", body).status == 200
    assert next(row["source"] for row in desk.list_sources()) == listed[1]


def test_a_bad_pack_and_a_link_out_of_the_folder_hide_no_other(
    packs: Path, rows: list[dict[str, Any]], source: str, tmp_path: Path
) -> None:
    """A link that leads out of the folder: all packs were gone, without a word."""
    (tmp_path / "elsewhere.json").write_text("{}")
    (packs / "0.json").symlink_to(tmp_path / "elsewhere.json")
    (packs / "1.json").write_text("{")
    client, desk = opened(packs, rows)
    problems = {row["source"]: row["problem"] for row in desk.list_sources()}
    assert problems.pop("0").endswith("give the file that it leads to")
    assert "not JSON" in problems.pop("1")
    assert source in problems
    assert not any(problems.values())
    assert client.get("/api/review", source=source).status == 200


def test_a_pack_changed_by_hand_is_noticed(world: tuple[Client, Desk], source: str) -> None:
    client, desk = world
    seen = client.get("/api/review", source=source).json
    held = desk.library.stored_pack(source)
    assert held is not None
    data = json.loads(Path(held.path).read_text(encoding="utf-8"))
    data["overrides"] = [{"action": "never", "text": "by hand", "by": "Editor"}]
    Path(held.path).write_text(json.dumps(data), encoding="utf-8")
    late = add(client, source, {"action": "never", "text": "x"}, seen["version"])
    assert late.status == 409
    assert "outside the desk" in late.json["problem"]
    now = client.get("/api/review", source=source).json
    assert now["history"][0]["name"] == "Editor"
    assert now["history"][0]["what"] == "found in the pack"
    Path(held.path).write_text("{", encoding="utf-8")
    assert "not JSON" in client.get("/api/review", source=source).json["problem"]
    home = client.get("/").body.decode()
    assert "not JSON" in home
    assert home.count(">Review</a>") == len(list(Path(held.path).parent.glob("*.json"))) - 1


def decide_until(moment: str, packs: Path, rows: list[dict[str, Any]], source: str, name: str) -> None:
    """Reject a template at a desk of its own, in a process that ends at a named moment of it."""
    client, _ = opened(packs, rows)
    version = client.get("/api/review", source=source).json["version"]
    real = {step: getattr(os, step) for step in ("write", "fsync", "replace")}

    def deadly(step: str) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            if moment == f"before {step}" and (step != "write" or len(args[1]) > 100):
                os.kill(os.getpid(), signal.SIGKILL)
            if moment == "within write" and step == "write":
                real["write"](args[0], bytes(args[1])[: len(args[1]) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            done = real[step](*args)
            if moment == f"after {step}":
                os.kill(os.getpid(), signal.SIGKILL)
            return done

        return call

    for step in real:
        setattr(os, step, deadly(step))
    rule = {"action": "reject", "id": name}
    status = client.post("/api/decide", {"source": source, "version": version, "kind": "add", "rule": rule}).status
    sys.exit(0 if status == 200 else status)


@pytest.mark.parametrize(
    "moment", ["within write", "before write", "before fsync", "before replace", "after replace", "never"]
)
def test_a_kill_in_the_middle_of_a_save(packs: Path, rows: list[dict[str, Any]], source: str, moment: str) -> None:
    client, _ = opened(packs, rows)
    before = client.get("/api/review", source=source).json
    name = before["templates"][0]["id"]
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["test_store"])
    process = context.Process(target=decide_until, args=(moment, packs, rows, source, name))
    process.start()
    process.join(120)
    assert process.exitcode == (0 if moment == "never" else -signal.SIGKILL)
    fresh, _ = opened(packs, rows)
    after = fresh.get("/api/review", source=source).json
    if moment in ("after replace", "never"):
        # The pack has it, so the history has it too, with its name.
        assert [rule["id"] for rule in after["rules"]] == [name]
        assert after["history"][0]["name"] == "Ann"
    else:
        assert after["version"] == before["version"]
        assert after["history"] == []
    assert add(fresh, source, {"action": "never", "text": "still works"}).status == 200
    with sqlite3.connect(packs / "desk.sqlite") as base:
        assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    base.close()


# --------------------------------------------------------------------------------------------------------- annotations


def note(version: int, name: str = "Ann", label: str = "template") -> Annotation:
    return Annotation(
        source="s",
        id="d",
        name=name,
        version=version,
        time="",
        marks=[[0, 3, label]],
        done=True,
        clicks=2,
        keys=1,
        seconds=1.5,
    )


def test_annotations_keep_all_versions(tmp_path: Path) -> None:
    store = Store(tmp_path / "desk.sqlite")
    for version in range(3):
        assert store.annotate(note(version)).version == version + 1
    store.annotate(note(0, "Bob"))
    with pytest.raises(Conflict, match="saved this document in another window"):
        store.annotate(note(1))
    again = Store(tmp_path / "desk.sqlite")
    assert again.secret == store.secret
    assert [one.version for one in again.annotation("s", "d", "Ann")] == [1, 2, 3]
    assert [(one.name, one.version) for one in again.annotations()] == [("Ann", 3), ("Bob", 1)]
    assert again.annotations("other") == []


_WRITER = """
import sys
from templatemine.desk.store import Annotation, Store
store = Store(sys.argv[1])
for version in range(100000):
    store.annotate(Annotation(source="s", id="d", name="Ann", version=version, time="", marks=[[0, 3, "template"]] * 50,
                              done=False, clicks=version, keys=0, seconds=0.0))
    print(version + 1, flush=True)
"""


def test_a_kill_among_annotations_loses_none_that_was_confirmed(tmp_path: Path) -> None:
    path = tmp_path / "desk.sqlite"
    with subprocess.Popen([sys.executable, "-c", _WRITER, str(path)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        for _ in range(20):
            last = int(writer.stdout.readline())
        writer.kill()
        last = max([last, *map(int, writer.stdout.read().split())])
    versions = [one.version for one in Store(path).annotation("s", "d", "Ann")]
    assert versions == list(range(1, len(versions) + 1))
    assert len(versions) in (last, last + 1)


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.sqlite").write_bytes(b"something else, long enough to be looked at as a file of a database" * 30)
    with pytest.raises(ConfigError, match="expected the store of a desk"):
        Store(tmp_path / "a.sqlite")
    with pytest.raises(CorpusError, match="cannot be written: there is no directory"):
        Store(tmp_path / "nowhere" / "a.sqlite")
    (tmp_path / "folder").mkdir()
    with pytest.raises(ConfigError, match="folder: cannot be used as the store of a desk: unable to open"):
        Store(tmp_path / "folder")
    store = Store(tmp_path / "b.sqlite")
    with sqlite3.connect(store.path) as base:
        base.execute("UPDATE meta SET value = '99' WHERE key = 'layout'")
    base.close()
    with pytest.raises(ConfigError, match="expected a store of layout 1, found 99"):
        Store(tmp_path / "b.sqlite")


def test_nothing_is_decided_while_a_run_writes_to_the_folder(
    world: tuple[Client, Desk], packs: Path, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock, "SHORT_WAIT", 0.1)
    client, desk = world
    before = client.get("/api/review", source=source).json
    rule = {"action": "reject", "id": before["templates"][0]["id"]}
    with locked(packs):
        refused = add(client, source, rule)
        assert refused.status == 400
        assert "another run is writing to this folder" in refused.json["problem"]
        assert client.get("/api/review", source=source).json == before
    assert add(client, source, rule).status == 200
    with locked(packs):  # and the desk has let go of it
        assert len(desk.library.store.history(source)) == 1


# --------------------------------------------------------------------------------------------------- reviewed, effects


def decide(client: Client, source: str, **op: Any) -> Any:
    version = client.get("/api/review", source=source).json["version"]
    return client.post("/api/decide", {"source": source, "version": version, **op})


def test_a_decision_while_another_is_shown_is_recorded_once(world: tuple[Client, Desk], source: str) -> None:
    """Who looks with a pack that was read before two decisions must not take it for a change outside the desk."""
    client, desk = world
    ids = [row["id"] for row in client.get("/api/review", source=source).json["templates"][:2]]
    assert add(client, source, {"action": "reject", "id": ids[0]}).status == 200
    old = desk.library.stored_pack(source)
    assert old is not None
    assert add(client, source, {"action": "reject", "id": ids[1]}).status == 200
    assert [event.what.partition(" ")[0] for event in desk.library.reconcile_history(old)] == ["Left", "Left"]


def test_what_was_reviewed_is_remembered_and_leaves_the_pack_alone(world: tuple[Client, Desk], source: str) -> None:
    client, desk = world
    first = client.get("/api/review", source=source).json
    one, other, third = (row["id"] for row in first["templates"][:3])
    after = decide(client, source, kind="review", ids=[one, other]).json
    assert after["version"] == first["version"]
    assert {row["id"] for row in after["templates"] if row["reviewed"] == "Ann"} == {one, other}
    assert after["history"][0]["what"].endswith(", and 1 variant")
    after = decide(client, source, kind="add", rule={"action": "reject", "id": third}).json
    assert {row["id"] for row in after["templates"] if row["reviewed"]} == {one, other, third}
    again = Desk(desk.library)
    assert {row["id"] for row in again.review_state(source)["templates"] if row["reviewed"]} == {one, other, third}
    for left in ({one, other}, set()):
        after = decide(client, source, kind="undo").json
        assert {row["id"] for row in after["templates"] if row["reviewed"]} == left
    assert after["version"] == first["version"]
    assert decide(client, source, kind="review", ids=["t0"]).status == 404
    assert decide(client, source, kind="review", ids="t0").status == 400


def test_the_effect_of_a_rejection_is_that_of_the_cleaner(world: tuple[Client, Desk], source: str) -> None:
    client, desk = world
    held = desk.library.stored_pack(source)
    assert held is not None
    texts = [one.document.body for one in desk.library.matching_articles(held)]

    def cuts(pack: Pack) -> list[int]:
        return [len(text) - len(Cleaner(pack).clean(text).text) for text in texts]

    state = client.get("/api/review", source=source).json
    before = cuts(held.pack)
    assert (state["sample"]["cut"], state["sample"]["touched"]) == (sum(before), sum(cut > 0 for cut in before))
    assert state["sample"]["characters"] == sum(map(len, texts))

    def shown(name: str) -> dict[str, int]:
        found: dict[str, int] = client.get("/api/template", source=source, id=name).json["did"]
        return found

    changing = [row["id"] for row in state["templates"] if shown(row["id"])["articles"]][:3]
    assert len(changing) == 3
    for name in changing:
        said = shown(name)
        told = decide(client, source, kind="add", rule={"action": "reject", "id": name}).json
        now = desk.library.stored_pack(source)
        assert now is not None
        after = cuts(now.pack)
        differing = sum(one != other for one, other in zip(before, after, strict=True))
        assert said == told["did"] == {"articles": differing, "characters": sum(after) - sum(before)}
        assert said["characters"] < 0
        back = shown(name)
        assert back == decide(client, source, kind="undo").json["did"] == {**said, "characters": -said["characters"]}


def test_a_kind_that_is_kept_has_no_effect_to_lose(world: tuple[Client, Desk], source: str) -> None:
    """Notes stay anyhow: leaving one in cannot make its characters stay, and the desk said that it would."""
    client, _ = world
    state = client.get("/api/review", source=source).json
    assert state["stays"] == ["note"]
    row = next(
        row
        for row in state["templates"]
        if row["effect"]["risk"]
        and client.get("/api/template", source=source, id=row["id"]).json["did"]["characters"] < 0
    )
    named = decide(client, source, kind="add", rule={"action": "kind", "id": row["id"], "kind": "note"}).json
    assert named["did"]["characters"] < 0
    assert client.get("/api/template", source=source, id=row["id"]).json["did"]["characters"] >= 0
    risks = {one["id"]: one["effect"]["risk"] for one in named["templates"]}
    assert risks[row["id"]] == 0 < row["effect"]["risk"]


def test_what_a_decision_takes_with_it_is_told(world: tuple[Client, Desk], source: str) -> None:
    """Who leaves in a credit with a name leaves in the one of any name, too (`RuleIndex`): more than its own matches."""
    client, desk = world
    held = desk.library.stored_pack(source)
    assert held is not None
    word = next(one for one in held.pack.templates[0].example.split() if one.isalpha())
    tokens = {"any": (word, "{slot:names}"), "one": (word, "Ann", "Ashgrove", "Reed")}
    made = {
        name: Template(
            id=template_id(own), regex="", tokens=own, anchor="line", df=3, count=3, example=" ".join(own), score=0.9
        )
        for name, own in tokens.items()
    }
    templates = [replace(one, regex=held.pack.derived(one)) for one in made.values()]
    replace(held.pack, templates=(*templates, *held.pack.templates), mined=None).save(held.path, force=True)
    shown = client.get("/api/template", source=source, id=made["one"].id).json
    assert shown["others"] == [f"{word} {{slot:names}}"]
    told = decide(client, source, kind="judge", verdict="leave", id=made["one"].id).json
    assert told["did"] == shown["did"]
    assert {row["id"] for row in told["templates"] if row["state"] == "out"} == {one.id for one in made.values()}


def test_a_decision_about_many_is_shown_before_it_is_made(world: tuple[Client, Desk], source: str) -> None:
    client, desk = world
    rows = client.get("/api/review", source=source).json["templates"]
    heads = [row["head"] for row in rows if row["id"] != row["head"]]
    shown = {"text": "", "words": "2 to 3"}

    def preview(**body: Any) -> dict[str, Any]:
        found: dict[str, Any] = client.post("/api/preview", {"source": source, "kind": "judge", **body}).json
        return found

    changes = 0
    for about in ({"head": heads[0]}, {"shown": shown}):
        for verdict in ({"verdict": "leave"}, {"verdict": "cut"}, {"verdict": "kind", "as": "note"}):
            before = desk.stored_pack(source).version
            told = preview(**about, **verdict)
            assert desk.stored_pack(source).version == before
            made = decide(client, source, kind="judge", **about, **verdict).json
            assert (made["did"], made["judged"][1]) == (told["did"], told["judged"])
            changes += made["did"]["articles"] > 0
    assert changes > 3
    assert preview(verdict="leave", head="t0") == {"problem": "there is no template 't0'"}


def test_a_candidate_is_shown_before_it_is_cut(world: tuple[Client, Desk], source: str) -> None:
    client, _ = world
    rows = client.get("/api/found", source=source, text="").json
    found = {
        tuple(row["tokens"]): client.get("/api/candidate", source=source, tokens="\n".join(row["tokens"])).json
        for row in rows
    }
    tokens, shown = next((one, shown) for one, shown in found.items() if shown["did"]["characters"])
    assert shown["matches"] >= len(shown["snippets"]) > 0
    assert decide(client, source, kind="add", rule={"action": "accept", "tokens": tokens}).json["did"] == shown["did"]
    assert client.get("/api/candidate", source=source, tokens="no\nsuch string").status == 404


def test_the_risk_is_that_of_the_report(world: tuple[Client, Desk], source: str) -> None:
    """The order and the words: the desk ranked by score times characters, and told of no sign of story and no tear."""
    client, desk = world
    held = desk.library.stored_pack(source)
    assert held is not None
    shaken = [replace(one, score=0.5 + place % 4 / 10) for place, one in enumerate(held.pack.templates)]
    shaken[0] = replace(shaken[0], regex="of the", tokens=None, example="of the")
    pack = replace(held.pack, templates=tuple(shaken))
    pack.save(held.path, force=True)
    documents = [one.document for one in desk.library.articles[source]]
    made = make_report({source: pack}, documents, lambda source: (), ReportConfig(risky=99, looked=999))
    found = (*made.harmful, *made.riskiest)
    rows = client.get("/api/rows", source=source, view='{"order":"risk"}').json["templates"]
    by_id = {row["id"]: row for row in rows}
    assert any(one.harm.harmed for one in found)
    for one in found:
        told = client.get("/api/template", source=source, id=one.template.id).json["doubt"]
        assert tuple(told) == one.told
        # Sizes of others, and of those that numbers and addresses make longer, the report estimates.
        if not one.template.slot and one.template.tokens and "{" not in "".join(one.template.tokens):
            assert by_id[one.template.id]["effect"]["risk"] == pytest.approx(one.damage, abs=0.06)
    risks = {row["head"]: row["family_risk"] for row in rows}
    assert [*risks.values()] == sorted(risks.values(), reverse=True)


def test_risk_is_doubt_times_what_goes(world: tuple[Client, Desk], source: str) -> None:
    client, desk = world
    held = desk.library.stored_pack(source)
    assert held is not None
    state = client.get("/api/review", source=source).json
    assert state["scored"]
    rows = {row["id"]: row for row in state["templates"]}
    texts = [one.document.body for one in desk.library.matching_articles(held)]
    cleaner, occurrences = Cleaner(held.pack), Occurrences(held.pack)
    cuts = [(text, judge_cuts(text, cleaner.spans(text), leaves_part, occurrences.find_ids)) for text in texts]
    harm = count_residues([(some, find_blamed(text, some)) for text, some in cuts]).harm
    matches = match_templates(held.pack, [(text, ()) for text in texts])
    for place, template in enumerate(held.pack.templates[:5]):
        engine = RegexEngine(replace(held.pack, templates=(template,)))
        found = [[range(start, end) for start, end, _ in engine.matches(text)] for text in texts]
        assert rows[template.id]["effect"]["seen"] == sum(bool(one) for one in found)
        size = sum(len(set().union(*one)) for one in found)
        signs = find_signs(template, template.df, held.pack.documents, matches.get(place))
        share = harm[template.id].harmed / harm[template.id].articles if template.id in harm else 0.0
        risk = max(signs.chance, share) * size**0.5
        assert rows[template.id]["effect"]["risk"] == pytest.approx(risk, abs=0.06)


def test_variants_name_their_head_and_go_together(world: tuple[Client, Desk], source: str) -> None:
    client, desk = world
    held = desk.library.stored_pack(source)
    assert held is not None
    one = next(template for template in held.pack.templates if len(template.tokens or ()) > 3)
    tokens = (*(one.tokens or ()), "twice")
    accept = {"action": "accept", "tokens": list(tokens), "df": 1, "count": 1}
    state = decide(client, source, kind="add", rule=accept).json
    heads = {row["id"]: row["head"] for row in state["templates"]}
    family = [name for name, head in heads.items() if head == heads[one.id]]
    assert template_id(tokens) in family
    assert heads[heads[one.id]] == heads[one.id]
    rules = [{"action": "reject", "id": name} for name in family]
    after = decide(client, source, kind="add", rules=rules).json
    assert not {row["id"] for row in after["templates"] if row["state"] != "out"} & set(family)
    assert after["history"][0]["what"].endswith(f"and {len(family) - 1} variant{'s' if len(family) > 2 else ''}")
    back = decide(client, source, kind="undo").json  # one decision, one undo
    assert [row["id"] for row in back["templates"]] == [row["id"] for row in state["templates"]]
    assert decide(client, source, kind="add", rules=[]).status == 400


@pytest.mark.parametrize("sent", [{}, {"df": 9, "count": 9}])
def test_what_mining_took_away_is_accepted_as_it_was(
    world: tuple[Client, Desk], source: str, sent: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With its position and its kind, whatever the page knows of it."""
    client, desk = world
    held = desk.library.stored_pack(source)
    assert held is not None
    gone = RejectedCandidate(("Harbour", "Gazette"), 8, 8, "tears sentences", "line", "byline", "Harbour Gazette")
    monkeypatch.setattr(desk.library, "rejected", lambda stored: [gone])
    decide(client, source, kind="add", rule={"action": "accept", "tokens": list(gone.tokens), **sent})
    after = desk.library.stored_pack(source)
    assert after is not None
    (found,) = (one for one in after.pack.templates if one.id == template_id(gone.tokens))
    assert (found.df, found.anchor, found.kind, found.example) == (8, gone.anchor, gone.kind, gone.example)


def test_a_session_is_summed_up(world: tuple[Client, Desk], source: str) -> None:
    client, desk = world
    began = desk.library.store.last_event()
    first = client.get("/api/review", source=source).json
    nothing = client.get("/api/summary", source=source, since=began).json
    assert (nothing["decisions"], nothing["before"], nothing["done"]) == ([], nothing["after"], 0)
    by_effect = {
        client.get("/api/template", source=source, id=one["id"]).json["did"]["characters"]: one
        for one in first["templates"]
    }
    row = by_effect[min(by_effect)]
    did = decide(client, source, kind="add", rule={"action": "reject", "id": row["id"]}).json["did"]
    decide(client, source, kind="review", ids=[one["id"] for one in first["templates"][:2] if one is not row])
    decide(client, source, kind="add", rule={"action": "never", "text": "nothing like it"})
    decide(client, source, kind="undo")
    told = client.get("/api/summary", source=source, since=began).json
    assert [one["what"].partition(" ")[0] for one in told["decisions"]] == ["Left", "Cut:"]
    assert told["before"]["cut"] - told["after"]["cut"] == -did["characters"] > 0
    assert told["before"]["templates"] - told["after"]["templates"] == 1
    assert told["next"][0]["effect"]["risk"] >= told["next"][1]["effect"]["risk"]
    assert 0 < told["open_risk"] < told["risk"] == nothing["risk"] == nothing["open_risk"]  # that of what was mined
    assert desk.library.store.count_decisions(began) == {source: 2}
    assert desk.library.store.count_decisions(desk.library.store.last_event()) == {}
    assert session_summary({"a": 2, "b": 1}) == "3 decisions (2 about a, 1 about b); all is saved"


def test_a_store_of_an_earlier_release_still_opens(tmp_path: Path) -> None:
    path = tmp_path / "desk.sqlite"
    Store(path)
    with sqlite3.connect(path) as base:
        base.execute("DROP TABLE reviewed")
    assert Store(path).reviewed("a") == {}


def test_one_cut_names_one_template_and_what_also_matched(world: tuple[Client, Desk], source: str) -> None:
    client, desk = world
    held = desk.library.stored_pack(source)
    assert held is not None
    one = max(held.pack.templates, key=lambda template: len(template.string or ()) * (template.slot == ""))
    inner = list((one.tokens or ())[1:])
    decide(client, source, kind="add", rule={"action": "accept", "tokens": inner, "df": 9, "count": 9})
    rows, first = [], 0
    while first is not None:
        found = client.get("/api/sample", source=source, first=first, cut=1).json
        rows += [piece["templates"] for article in found["articles"] for piece in article["pieces"]]
        first = found["next"]
    both = [names for names in rows if {one.id, template_id(inner)} <= set(names)]
    assert both
    assert all(names.index(one.id) < names.index(template_id(inner)) for names in both)
