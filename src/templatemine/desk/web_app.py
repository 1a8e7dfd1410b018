"""The web application: addresses -> answers.  All decisions and figures are made in other modules."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from templatemine.config import SelectConfig
from templatemine.desk.answers import DESK_FOLDER, Desk
from templatemine.desk.export import EXPORT_FORMATS
from templatemine.desk.review_table import View, read_view
from templatemine.desk.security import FRAME_POLICY, SecurityMiddleware, csrf_token
from templatemine.desk.store import Conflict, NotFound, escape_surrogates
from templatemine.errors import ConfigError, TemplateMineError

Query = Callable[[str], str]
"""Name of a value in an address -> the value; "" if it is missing."""


def create_app(
    desk: Desk,
    *,
    hosts: frozenset[str],
    token: str | None = None,
    name: str = "",
) -> SecurityMiddleware:
    """Return the application with its guard around it.

    Parameters
    ----------
    hosts : set of str
        Host names that requests may use, see `security.allowed_hosts`.
    token : str or None
        Required from every client, if given.
    name : str
        Name of the annotator, until the browser sends another.
    """
    secret = desk.library.store.secret
    views = _Views(desk, csrf_token(secret), name)
    app = Starlette(routes=[*views.routes(), Mount("/static", StaticFiles(directory=DESK_FOLDER / "static"))])
    return SecurityMiddleware(app, hosts=hosts, secret=secret, token=token)


class _Views:
    """Translates requests into calls of `Desk`, and results into answers."""

    def __init__(self, desk: Desk, csrf: str, name: str) -> None:
        self._desk = desk
        self._csrf = csrf
        self._name = escape_surrogates(name)
        loader = FileSystemLoader(DESK_FOLDER / "templates")
        self._templates = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)

    def routes(self) -> list[Any]:
        desk = self._desk

        def where(q: Query) -> dict[str, Any]:
            return {"source": q("source"), "sources": desk.library.sources, "id": q("id")}

        pages: dict[str, tuple[str, Callable[[Query], Mapping[str, Any]]]] = {
            "/": ("home.html", lambda q: desk.describe_home()),
            "/review": (
                "review.html",
                lambda q: {
                    "source": escape_surrogates(desk.stored_pack(q("source")).pack.source),
                    "least": SelectConfig(),
                },
            ),
            "/annotate": ("annotate.html", where),
            "/compare": ("compare.html", where),
            "/agreement": ("agreement.html", lambda q: {**desk.measure_agreement(), "forms": EXPORT_FORMATS}),
        }
        answers: dict[str, Callable[[Query], Any]] = {
            "/api/missing": lambda q: {"missing": desk.describe_home()["missing"]},
            "/api/prepared": lambda q: desk.prepare_apart(q("source")),
            "/api/review": lambda q: desk.review_state(q("source"), _parse_view(q("view"))),
            "/api/rows": lambda q: desk.list_rows(q("source"), _parse_view(q("view"))),
            "/api/past": lambda q: desk.list_past(q("source"), q("what"), _parse_number(q("first")) or 0),
            "/api/moved": lambda q: desk.preview_cutoff(q("source"), _parse_number(q("df"))),
            "/api/summary": lambda q: desk.summarise(q("source"), _parse_number(q("since")) or 0),
            "/api/template": lambda q: desk.describe_template(q("source"), q("id")),
            "/api/questions": lambda q: desk.list_questions(q("source")),
            "/api/answers": lambda q: desk.measure_answers(q("source"), q("tokens").split("\n")),
            "/api/candidate": lambda q: desk.describe_candidate(q("source"), q("tokens").split("\n")),
            "/api/found": lambda q: desk.search_rejected(q("source"), q("text")),
            "/api/sample": lambda q: desk.sample_articles(q("source"), _parse_number(q("first")) or 0, q("cut") == "1"),
            "/api/queue": lambda q: desk.list_documents(q("source") or None, q("as")),
            "/api/document": lambda q: desk.describe_document(q("source"), q("id"), q("as"), q("proposals") != "0"),
            "/api/systems": lambda q: desk.list_systems(q("source"), q("id")),
            "/api/compare": lambda q: desk.compare_systems(
                q("source"), q("id"), [name for name in q("systems").split("|") if name]
            ),
        }
        changes: dict[str, Callable[[str, Mapping[str, Any]], Any]] = {
            "/api/decide": lambda name, body: desk.decide(str(body.get("source", "")), name, body),
            "/api/try": lambda name, body: desk.try_expression(
                *(str(body.get(key, "")) for key in ("source", "regex", "instead"))
            ),
            "/api/words": lambda name, body: desk.try_words(
                *(str(body.get(key, "")) for key in ("source", "words", "anchor", "kind", "instead"))
            ),
            "/api/preview": lambda name, body: desk.preview_decision(str(body.get("source", "")), body),
            "/api/save": desk.save_marks,
        }
        return [
            *(Route(path, self._page(*row)) for path, row in pages.items()),
            *(Route(path, self._answer(call)) for path, call in answers.items()),
            *(Route(path, self._change(call), methods=["POST"]) for path, call in changes.items()),
            Route("/frame", self._frame),
            Route("/export", self._export),
            Route("/favicon.ico", self._icon),
        ]

    def _page(self, template: str, values: Callable[[Query], Mapping[str, Any]]) -> Any:
        async def view(request: Any) -> Any:
            status, found = await self._call_safely(lambda: values(_query_values(request)))
            name = template
            if status != 200:
                name = "problem.html"
            context = {"csrf": self._csrf, "name": self._name, "path": request.url.path, **found}
            return HTMLResponse(escape_surrogates(self._templates.get_template(name).render(context)), status)

        return view

    def _answer(self, call: Callable[[Query], Any]) -> Any:
        async def view(request: Any) -> Any:
            status, found = await self._call_safely(lambda: call(_query_values(request)))
            return _json_response(found, status)

        return view

    def _change(self, call: Callable[[str, Mapping[str, Any]], Any]) -> Any:
        async def view(request: Any) -> Any:
            data = await request.body()
            try:
                body = json.loads(data)
            except (ValueError, RecursionError):
                body = None
            if not isinstance(body, dict):
                return _json_response({"problem": "expected a JSON object"}, 400)
            name = " ".join(unquote(request.headers.get("x-desk-name", "")).split())[:80] or self._name
            if not name:
                return _json_response({"problem": "enter your name at the top first"}, 400)
            status, found = await self._call_safely(lambda: call(name, body))
            return _json_response(found, status)

        return view

    async def _call_safely(self, call: Callable[[], Any]) -> tuple[int, Any]:
        """Return the result of a call, or the problem, with the status code."""
        try:
            return 200, await run_in_threadpool(call)
        except NotFound as error:
            return 404, {"problem": str(error)}
        except Conflict as error:
            return 409, {"problem": str(error)}
        except TemplateMineError as error:
            return 400, {"problem": str(error)}

    async def _frame(self, request: Any) -> Any:
        query = _query_values(request)
        status, found = await self._call_safely(
            lambda: {"html": self._desk.render_document(query("source"), query("id"), query("plain") != "1")}
        )
        if status != 200:
            return Response(escape_surrogates(found["problem"]), status, media_type="text/plain")
        data = found["html"].encode("utf-8", "replace")
        return Response(data, 200, {"content-security-policy": FRAME_POLICY}, "text/html; charset=utf-8")

    async def _export(self, request: Any) -> Any:
        query = _query_values(request)
        status, found = await self._call_safely(
            lambda: self._desk.export(query("form"), query("source") or None, query("as") or None)
        )
        if status != 200:
            return Response(escape_surrogates(found["problem"]), status, media_type="text/plain")
        name, data = found
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(data, 200, headers, "application/octet-stream")

    async def _icon(self, request: Any) -> Any:
        return RedirectResponse("/static/icon.svg")


def _json_response(value: Any, status: int) -> Response:
    """Return an answer in JSON; what UTF-8 cannot hold is escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Response(escape_surrogates(text), status, media_type="application/json")


def _query_values(request: Request) -> Query:
    """Return a function of a name that returns the value in the address, "" if there is none."""
    return lambda name: str(request.query_params.get(name, ""))


def _parse_view(text: str) -> View:
    try:
        data = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"view: expected JSON, got {text[:20]!r}") from error
    return read_view(data)


def _parse_number(text: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit()) or len(text) > 9:
        raise ConfigError(f"expected a number, got {text[:20]!r}")
    return int(text)
