"""Paths and an address -> a running desk."""

from __future__ import annotations

import os
import secrets
import socket
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from templatemine.bounds import check_record
from templatemine.desk.security import allowed_hosts, check_token, is_loopback
from templatemine.errors import ConfigError, MissingExtraError, counted, pip_line
from templatemine.evaluation.gold import GoldSpans
from templatemine.model import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeConfig:
    """host, port : where to listen; port 0 takes a free one.  token : asked for, never empty; None for a new one where
    others can reach the address, and none on loopback.  names : that the desk may be asked for besides.  store : the
    desk's file, "" for one beside the packs.  sample : documents of a source that are kept in memory.  name : who works
    here.
    """

    host: str = "127.0.0.1"
    port: int = 8642
    token: str | None = None
    names: Sequence[str] = ()
    store: str = ""
    sample: int = 300
    name: str = ""

    def __post_init__(self) -> None:
        check_record(self)
        check_token(self.token)


def serve(
    packs: str,
    records: Callable[[], Iterable[Record]],
    config: ServeConfig,
    say: Callable[[str], None],
    gold: GoldSpans | None = None,
    tell: Callable[[str], None] | None = None,
) -> None:
    """Run a desk until it is interrupted.

    Parameters
    ----------
    packs : str
        A folder of packs, or one.
    records : callable
        Gives the archive.
    say : callable
        Called with the address.
    tell : callable, optional
        Called with a line about the desk: what it shows, where decisions go, how it ends; at the end what was decided.

    Raises
    ------
    MissingExtraError
        The extra ``desk`` is not installed.
    """
    try:
        import uvicorn

        from templatemine.desk.answers import Desk
        from templatemine.desk.connections import BoundedProtocol
        from templatemine.desk.web_app import create_app
    except ImportError as error:
        raise MissingExtraError(f"the desk needs {error.name}, which is not installed: {pip_line('desk')}") from error
    from templatemine.desk.library import Library
    from templatemine.desk.store import Store, user_name

    with _open_listener(config.host, config.port) as listener:
        port = listener.getsockname()[1]
        folder = packs if os.path.isdir(packs) else os.path.dirname(packs) or "."
        file = config.store or os.path.join(folder, "desk.sqlite")
        store = Store(file)
        library = Library(packs, records(), store, config.sample, frozenset(gold or ()))
        token = config.token
        if token is None and not is_loopback(config.host):
            token = secrets.token_urlsafe(18)
        names = [*config.names]
        if config.host in ("0.0.0.0", "::"):
            names += [socket.gethostname(), socket.getfqdn(), "localhost", "127.0.0.1"]
        desk = Desk(library, gold)
        app = create_app(
            desk,
            hosts=allowed_hosts(config.host, port, names),
            token=token,
            name=config.name or user_name(),
        )
        shown = f"[{config.host}]" if ":" in config.host else config.host
        say(f"http://{shown}:{port}/" + (f"?token={quote(token, safe='')}" if token else ""))
        if tell is not None:
            sources = counted(len(library.sources), "source")
            tell(f"{packs}: {sources}; decisions are kept in the packs, their history and")
            tell(f"annotations in {file}; Ctrl-C stops the desk")
        options: dict[str, Any] = {"log_level": "warning", "access_log": False, "server_header": False}
        server = uvicorn.Server(uvicorn.Config(app, http=BoundedProtocol, ws="none", lifespan="off", **options))
        began = store.last_event()
        threading.Thread(target=desk.prepare_largest, daemon=True).start()
        try:
            server.run(sockets=[listener])
        finally:  # it ends by Ctrl-C
            if tell is not None:
                tell(session_summary(store.count_decisions(began)))


def session_summary(decisions: Mapping[str, int]) -> str:
    """Say in a line what was decided in a session."""
    if not decisions:
        return "no decisions; the packs are as they were"
    told = ", ".join(f"{number:,} about {source}" for source, number in decisions.items())
    number = sum(decisions.values())
    return f"{counted(number, 'decision')} ({told}); all is saved"


def _open_listener(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)  # before the address is printed: an early client waits
    except OverflowError as error:
        listener.close()
        raise ConfigError(f"port: expected a number up to 65535, got {port}") from error
    except OSError as error:
        listener.close()
        problem = f"cannot listen there: {error.strerror or error}; --port selects another"
        raise ConfigError(f"{host}:{port}: {problem}") from error
    return listener
