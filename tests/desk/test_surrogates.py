"""Text that UTF-8 cannot hold, in archives, packs and requests: the desk answers, and what it saves is what was sent."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

for _name in ("starlette", "jinja2", "uvicorn"):
    pytest.importorskip(_name, reason=f"the desk needs {_name}: pip install 'templatemine[desk]'")

from desk_support import Client, opened  # noqa: E402

from templatemine.desk.answers import Desk  # noqa: E402
from templatemine.packs.pack import Pack  # noqa: E402

pytest_plugins = ("desk_fixtures",)

BAD = "a\ud800b\udfff"
PLAIN = "a\\ud800b\\udfff"


@pytest.fixture
def dirty(packs: Path, rows: list[dict[str, Any]], source: str) -> tuple[Client, Desk]:
    """Surrogates in every field of an archive, in the sources with and without a pack, and in the annotator's name."""
    text = next(row["text"] for row in rows if row["source"] == source)
    pack = next(path for path in packs.glob("*.json") if Pack.load(path).source == source)
    data = json.loads(pack.read_text("utf-8"))
    (packs / "dirty.json").write_text(json.dumps({**data, "source": BAD}), "utf-8")
    more = [
        {"source": one, "id": f"{BAD}/{number}", "text": f"{BAD} {text} {BAD}", "title": BAD, "url": BAD, "date": None}
        for number in range(3)
        for one in (source, BAD, f"{BAD} alone")
    ]
    page = f"<html><title>{BAD}</title><body><p title='{BAD}'>{BAD} and some words of a page.</p></body></html>"
    more.append({"source": "pages.dirty", "id": BAD, "html": page, "title": BAD})
    return opened(packs, [*rows, *more], name=BAD)


def test_every_question_is_answered(dirty: tuple[Client, Desk], source: str) -> None:
    client, _ = dirty
    assert PLAIN in client.get("/").body.decode()
    for one in (source, PLAIN):
        state = client.get("/api/review", source=one)
        assert state.status == 200
        for path, values in {
            "/review": {},
            "/annotate": {},
            "/compare": {},
            "/api/moved": {"df": "3"},
            "/api/template": {"id": state.json["templates"][0]["id"]},
            "/api/questions": {},
            "/api/answers": {"tokens": "\n".join(client.get("/api/questions", source=one).json[0]["tokens"])},
            "/api/found": {"text": "e"},
            "/api/sample": {"first": "0"},
            "/api/queue": {"as": "Ann"},
        }.items():
            answer = client.get(path, source=one, **values)
            assert answer.status == 200, path
            answer.body.decode("utf-8")
    for one in (source, PLAIN, f"{PLAIN} alone", "pages.dirty"):
        names = [row["id"] for row in client.get("/api/queue", source=one, **{"as": "Ann"}).json]
        name = next(name for name in names if name.startswith(PLAIN))
        document = client.get("/api/document", source=one, id=name, **{"as": "Ann"}).json
        assert document["title"] == BAD
        for path in ("/frame", "/api/systems", "/api/compare", "/annotate"):
            answer = client.get(path, source=one, id=name)
            assert answer.status == 200, path
            answer.body.decode("utf-8")


def test_what_is_decided_is_saved_and_recorded(dirty: tuple[Client, Desk], source: str) -> None:
    client, desk = dirty
    for one in (source, PLAIN):
        version = client.get("/api/review", source=one).json["version"]
        for rule in ({"action": "never", "text": BAD}, {"action": "always", "text": f"{BAD} x"}):
            body = {"source": one, "version": version, "kind": "add", "rule": rule}
            answer = client.post("/api/decide", body)
            assert answer.status in (200, 400), answer.body
            state = client.get("/api/review", source=one).json
            # Refused and unchanged, or saved and recorded; never the one without the other.
            assert (state["version"] != version) == (answer.status == 200)
            held = desk.library.stored_pack(one)
            assert held is not None
            assert len(held.pack.overrides.rules) == len(state["history"]) == len(state["rules"])
            version = state["version"]
        assert state["rules"][-1]["text"] == BAD
        assert state["history"][-1]["name"] == "Ann"
        while state["rules"]:
            answer = client.post("/api/decide", {"source": one, "version": state["version"], "kind": "undo"})
            assert answer.status == 200
            state = answer.json


def test_a_pack_changed_by_hand_is_recorded(dirty: tuple[Client, Desk], source: str) -> None:
    client, desk = dirty
    held = desk.library.stored_pack(source)
    assert held is not None
    data = json.loads(Path(held.path).read_text("utf-8"))
    rules = [{"action": "never", "text": BAD, "by": BAD}]
    data |= {"overrides": rules, "removed": [], "added": []}
    Path(held.path).write_text(json.dumps(data), "utf-8")
    for _ in range(2):
        state = client.get("/api/review", source=source).json
        assert [row["name"] for row in state["history"]] == [PLAIN]


def test_annotations_are_saved_and_exported(dirty: tuple[Client, Desk], source: str) -> None:
    client, desk = dirty
    name = f"{PLAIN}/0"
    body = {"source": source, "id": name, "version": 0, "marks": [[0, 4, "template"]], "done": True}
    assert client.post("/api/save", body, name="Ann").status == 200
    assert client.get("/api/document", source=source, id=name, **{"as": "Ann"}).json["marks"] == [[0, 4, "template"]]
    spans = [json.loads(line) for line in client.get("/export", form="spans").body.splitlines()]
    assert spans == [{"id": f"{BAD}/0", "spans": [[0, 4, "template"]]}]
    for form in ("cleaneval", "training", "html"):
        assert client.get("/export", form=form).status == 200
    for bad in (
        {"source": BAD, "id": name},
        {"source": source, "id": BAD},
        {"source": source, "id": name, "marks": [BAD]},
    ):
        answer = client.post("/api/save", {**body, **bad})
        assert answer.status in (400, 404)
        assert answer.json["problem"]
    assert client.post("/api/try", {"source": source, "regex": BAD}).status == 200
    assert client.post("/api/decide", {"source": source, "version": BAD, "kind": BAD}).status in (400, 409)
    with sqlite3.connect(desk.library.store.path) as base:
        assert base.execute("SELECT COUNT(*) FROM annotation").fetchone() == (1,)
