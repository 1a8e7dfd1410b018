"""A small world for the desk: generated articles and pages with their packs, and calls without a network."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urlencode

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "datasets"))

import generate  # noqa: E402
from templatemine.desk.answers import Desk  # noqa: E402
from templatemine.desk.library import Library  # noqa: E402
from templatemine.desk.security import allowed_hosts, csrf_token  # noqa: E402
from templatemine.desk.store import Store  # noqa: E402
from templatemine.desk.web_app import create_app  # noqa: E402
from templatemine.model import Document, Record, Template  # noqa: E402
from templatemine.packs.pack import Pack  # noqa: E402
from templatemine.packs.pack_folder import PackFiles  # noqa: E402
from templatemine.packs.pack_record import template_id  # noqa: E402

TEXTS = {"seed": 11, "sources": 3, "documents": 60, "scripts": ("latin", "arabic", "han"), "kilobytes": 1.0}
PAGES = {"seed": 12, "sources": 3, "documents": 12, "scripts": ("latin", "arabic", "han"), "kilobytes": 1.2}

JAPANESE = (
    "<!doctype html><html lang=ja><head><title>港の話</title></head><body><div id=nav><ul><li><a href=/>ホーム</a></li>"
    "<li><a href=/n>ニュース</a></li></ul></div><div class=story><h1>新しい橋が開通した</h1>"
    + "".join(
        f"<p>{n}月の朝、島の人々は新しい橋を渡り、長い冬の終わりを祝った。工事は三年かかり、費用は予定より少なかったという。</p>"
        for n in range(1, 5)
    )
    + "</div><div id=footer><p>著作権は港新聞にあります。無断転載を禁じます。</p></div></body></html>"
)


def text_rows() -> list[dict[str, Any]]:
    return list(generate.generate(**TEXTS))


def page_rows() -> list[dict[str, Any]]:
    rows = list(generate.generate_pages(**PAGES))
    return [{**row, "source": f"pages.{row['source']}"} for row in rows] + [
        {"source": "pages.minato.example", "id": "minato/1", "title": "橋", "html": JAPANESE}
    ]


def record(row: Mapping[str, Any]) -> Record:
    names = ("source", "id", "text", "html", "url", "date", "title")
    document = Document(**{name: row[name] for name in names if name in row})
    return Record(document=document, fields=dict(row), where="")


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    """Calls of an application without a network, as its own page would make them."""

    def __init__(self, app: Any, secret: bytes, host: str = "127.0.0.1:8642") -> None:
        self.app = app
        self.host = host
        self.csrf = csrf_token(secret)
        self.more: list[tuple[str, str]] = []

    def get(self, path: str, headers: Mapping[str, str] | None = None, **values: Any) -> Answer:
        return self.call("GET", path + (f"?{urlencode(values)}" if values else ""), b"", headers or {})

    def post(self, path: str, body: Any, name: str = "Ann", headers: Mapping[str, str] | None = None) -> Answer:
        own = {"x-desk-csrf": self.csrf, "content-type": "application/json", "x-desk-name": quote(name)}
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.call("POST", path, data, {**own, **(headers or {})})

    def call(self, method: str, target: str, data: bytes, headers: Mapping[str, str]) -> Answer:
        path, _, query = target.partition("?")
        rows = {"host": self.host, "content-length": str(len(data)), **headers}
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(path),
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(key.encode(), value.encode("latin-1")) for key, value in [*self.more, *rows.items()] if value],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8642),
        }
        sent: list[dict[str, Any]] = []
        pieces = [data[at : at + 65536] for at in range(0, len(data), 65536)] or [b""]

        async def receive() -> dict[str, Any]:
            if not pieces:
                await asyncio.Event().wait()  # a connection that stays open
            piece = pieces.pop(0)
            return {"type": "http.request", "body": piece, "more_body": bool(pieces)}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        asyncio.run(self.app(scope, receive, send))
        first = sent[0]
        found = {key.decode(): value.decode("latin-1") for key, value in first["headers"]}
        return Answer(first["status"], found, b"".join(one.get("body", b"") for one in sent[1:]))


def opened(packs: Path, rows: list[dict[str, Any]], gold: Any = None, **options: Any) -> tuple[Client, Desk]:
    """A desk over some packs."""
    store = Store(packs / "desk.sqlite")
    library = Library(str(packs), (record(row) for row in rows), store, wanted=frozenset(gold or ()))
    desk = Desk(library, gold)
    app = create_app(desk, hosts=allowed_hosts("127.0.0.1", 8642), **options)
    return Client(app, store.secret), desk


NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def heading(group: int) -> str:
    """A word of letters, which no pattern takes for a number."""
    return "heading" + "".join("abcdefghij"[int(digit)] for digit in str(group))


def grow_pack(packs: Path, source: str, more: int) -> None:
    """Give the pack of a source so many more templates, ten of a family."""
    path = next(path for path in PackFiles([packs]).files.values() if Pack.load(path).source == source)
    pack = Pack.load(path)
    made = []
    for number in range(more):
        group, place = divmod(number, 10)
        tokens = (heading(group), "of", f"{heading(group)}part", NUMBERS[place])
        text = " ".join(tokens)
        one = Template(id=template_id(tokens), regex="", tokens=tokens, df=3, count=3, example=text, score=0.9)
        made.append(replace(one, regex=pack.derived(one)))
    replace(pack, templates=(*pack.templates, *made), mined=None).save(path, force=True)
