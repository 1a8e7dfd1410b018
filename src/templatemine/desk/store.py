"""The file of the desk: the history of decisions, and annotations with all their versions.  SQLite, no set-up.

The present state of a pack is in the pack alone; the history says who changed it, when, and from what.  A decision is
written in one exclusive transaction while the pack is replaced.  A kill before the pack is renamed leaves both
unchanged; a kill after it leaves the pack with the decision, which the next access finds and records.  Annotations have
a version; whoever saves on top of an older one gets a conflict, and both stay.
"""

from __future__ import annotations

import getpass
import json
import secrets
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from templatemine.errors import ConfigError, TemplateMineError
from templatemine.io.write import check_directory

_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS event (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, source TEXT NOT NULL, time TEXT NOT NULL, name TEXT NOT NULL,
  what TEXT NOT NULL, before TEXT NOT NULL, after TEXT NOT NULL, undoes INTEGER);
CREATE INDEX IF NOT EXISTS event_source ON event (source, seq);
CREATE TABLE IF NOT EXISTS annotation (
  source TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, version INTEGER NOT NULL, time TEXT NOT NULL,
  marks TEXT NOT NULL, done INTEGER NOT NULL, clicks INTEGER NOT NULL, keys INTEGER NOT NULL, seconds REAL NOT NULL,
  PRIMARY KEY (source, id, name, version));
CREATE TABLE IF NOT EXISTS reviewed (seq INTEGER NOT NULL, source TEXT NOT NULL, id TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS reviewed_source ON reviewed (source, seq);
"""

_LAYOUT = "1"


class NotFound(TemplateMineError):
    """The requested thing does not exist."""


class Conflict(TemplateMineError):
    """Somebody else has made a change in the meantime."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A recorded decision: the rules of a source before and after it, as JSON, and the event that it undoes, if any."""

    seq: int
    source: str
    time: str
    name: str
    what: str
    before: str
    after: str
    undoes: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """One version of the marks of one person on one document, each (start, end, label)."""

    source: str
    id: str
    name: str
    version: int
    time: str
    marks: list[tuple[int, int, str]]
    done: bool
    clicks: int
    keys: int
    seconds: float


def escape_surrogates(text: str) -> str:
    """Make text that UTF-8 can hold: lone surrogates become ``\\udXXX``, which JSON reads as what they were.

    Archives and packs may have them, files and answers cannot; the desk calls sources and documents by plain names.
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _escape_row(row: Iterable[Any]) -> tuple[Any, ...]:
    """Return values for the database, which takes no other text."""
    return tuple(escape_surrogates(value) if isinstance(value, str) else value for value in row)


def utc_now() -> str:
    """Return the time in UTC, ISO 8601."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def tell_time(time: str) -> str:
    """Return a time of `utc_now` as people read it."""
    return time.replace("T", " ").replace("Z", " UTC")


def user_name() -> str:
    """Return the name of who works here; "" of a process of a user without one."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""


class Decision(NamedTuple):
    """A decision: name of the person, description, the rules before and after, the event that it undoes, and the ids of
    the templates that the person looked at."""

    name: str
    what: str
    before: str
    after: str
    undoes: int | None
    reviewed: Sequence[str] = ()


class Store:
    """The file; safe to share between threads and processes.

    Parameters
    ----------
    path : str or Path
        Created if missing.

    Raises
    ------
    ConfigError
        The file is not a store, or of another version, or cannot be opened.
    CorpusError
        Fatal: there is no such folder.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)
        check_directory(self.path)
        try:
            with self._connect() as base:
                base.execute("PRAGMA journal_mode=WAL")
                base.executescript(_SCHEMA)
                base.execute("INSERT OR IGNORE INTO meta VALUES ('layout', ?)", (_LAYOUT,))
                base.execute("INSERT OR IGNORE INTO meta VALUES ('secret', ?)", (secrets.token_hex(32),))
                found = dict(base.execute("SELECT key, value FROM meta"))
        except sqlite3.OperationalError as error:  # no permission, a full disk, tables of somebody else
            raise ConfigError(f"{path}: cannot be used as the store of a desk: {error}") from error
        except sqlite3.Error as error:
            raise ConfigError(f"{path}: expected the store of a desk, found another file: {error}") from error
        if found["layout"] != _LAYOUT:
            raise ConfigError(f"{path}: expected a store of layout {_LAYOUT}, found {found['layout']}")
        self.secret = bytes.fromhex(found["secret"])

    @contextmanager
    def _connect(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self.path, timeout=30, isolation_level=None)) as base:
            base.execute("PRAGMA synchronous=FULL")
            yield base

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Open an exclusive transaction: all of it or nothing."""
        with self._connect() as base, base:
            base.execute("BEGIN IMMEDIATE")
            yield base

    # ------------------------------------------------------------------------------------------------------ decisions

    def decide(self, source: str, change: Callable[[Sequence[Event]], Decision]) -> Event:
        """Record a decision and do it.

        Parameters
        ----------
        change : callable
            Called with the last decision about the source, or none, while nobody else can decide; does the change and
            returns it as a `Decision`.  If it raises, nothing is recorded.
        """
        with self._transaction() as base:
            *made, reviewed = change(_events(base, source, most=1))
            row = _escape_row((source, utc_now(), *made))
            cursor = base.execute(
                "INSERT INTO event (source, time, name, what, before, after, undoes) VALUES (?, ?, ?, ?, ?, ?, ?)", row
            )
            rows = [_escape_row((cursor.lastrowid, source, one)) for one in reviewed]
            base.executemany("INSERT INTO reviewed VALUES (?, ?, ?)", rows)
            return _event((cursor.lastrowid, *row))

    def reviewed(self, source: str) -> dict[str, str]:
        """Return the templates of a source that people looked at: id -> who did last. What was undone does not
        count."""
        query = (
            "SELECT r.id, e.name FROM reviewed AS r JOIN event AS e ON e.seq = r.seq WHERE r.source = ? AND r.seq "
            "NOT IN (SELECT undoes FROM event WHERE source = r.source AND undoes IS NOT NULL) ORDER BY r.seq"
        )
        with self._connect() as base:
            return dict(base.execute(query, _escape_row((source,))).fetchall())

    def reviewed_by(self, seq: int) -> list[str]:
        """Return the ids of the templates that people looked at with an event."""
        with self._connect() as base:
            return [name for (name,) in base.execute("SELECT id FROM reviewed WHERE seq = ?", (seq,))]

    def history(self, source: str, since: int = 0, most: int = -1, first: int = 0) -> list[Event]:
        """Return decisions about a source after one, oldest first: all, or the last `most`, `first` left out."""
        with self._connect() as base:
            return _events(base, source, since, most, first)

    def last_undoable(self, source: str) -> Event | None:
        """Return the last decision about a source that undoes none and was not undone."""
        query = (
            "SELECT * FROM event AS e WHERE source = ? AND undoes IS NULL AND NOT EXISTS "
            "(SELECT 1 FROM event WHERE source = e.source AND undoes = e.seq) ORDER BY seq DESC LIMIT 1"
        )
        with self._connect() as base:
            row = base.execute(query, _escape_row((source,))).fetchone()
        return None if row is None else _event(row)

    def last_event(self) -> int:
        """Return the number of the last decision; 0 if there is none."""
        with self._connect() as base:
            return int(base.execute("SELECT COALESCE(MAX(seq), 0) FROM event").fetchone()[0])

    def count_decisions(self, seq: int) -> dict[str, int]:
        """Count the decisions after one by source, without those that were undone."""
        query = (
            "SELECT source, COUNT(*) FROM event WHERE seq > ? AND undoes IS NULL AND seq NOT IN "
            "(SELECT undoes FROM event WHERE undoes IS NOT NULL) GROUP BY source ORDER BY source"
        )
        with self._connect() as base:
            return dict(base.execute(query, (seq,)).fetchall())

    # ---------------------------------------------------------------------------------------------------- annotations

    def annotation(self, source: str, name_of_document: str, name: str) -> list[Annotation]:
        """Return all versions of somebody's marks on a document, oldest first."""
        query = "SELECT * FROM annotation WHERE source = ? AND id = ? AND name = ? ORDER BY version"
        with self._connect() as base:
            return [_annotation(row) for row in base.execute(query, _escape_row((source, name_of_document, name)))]

    def annotations(self, source: str | None = None) -> list[Annotation]:
        """Return the last version of everybody's marks on every document, or those of one source."""
        query = (
            "SELECT * FROM annotation AS a WHERE version = (SELECT MAX(version) FROM annotation AS b WHERE "
            "b.source = a.source AND b.id = a.id AND b.name = a.name)"
        )
        with self._connect() as base:
            if source is None:
                return [_annotation(row) for row in base.execute(f"{query} ORDER BY source, id, name")]
            return [
                _annotation(row)
                for row in base.execute(f"{query} AND source = ? ORDER BY id, name", _escape_row((source,)))
            ]

    def annotate(self, one: Annotation) -> Annotation:
        """Save marks on top of version ``one.version``.

        Raises
        ------
        Conflict
            There is a newer version.
        """
        with self._transaction() as base:
            query = "SELECT MAX(version), MAX(time) FROM annotation WHERE source = ? AND id = ? AND name = ?"
            last, time = base.execute(query, _escape_row((one.source, one.id, one.name))).fetchone()
            if (last or 0) != one.version:
                raise Conflict(
                    f"{one.name} saved this document in another window at {tell_time(time)} (version {last}); "
                    f"this window began with version {one.version}"
                )
            values = (
                *(one.source, one.id, one.name, one.version + 1, utc_now()),
                *(json.dumps(one.marks), int(one.done), one.clicks, one.keys, one.seconds),
            )
            row = _escape_row(values)
            base.execute("INSERT INTO annotation VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
            return _annotation(row)


def _events(base: sqlite3.Connection, source: str, since: int = 0, most: int = -1, first: int = 0) -> list[Event]:
    query = "SELECT * FROM event WHERE source = ? AND seq > ? ORDER BY seq DESC LIMIT ? OFFSET ?"
    rows = base.execute(query, _escape_row((source, since, most, first))).fetchall()
    return [_event(row) for row in reversed(rows)]


def _event(row: Sequence[Any]) -> Event:
    return Event(**dict(zip(Event.__slots__, row, strict=True)))


def _annotation(row: Sequence[Any]) -> Annotation:
    values = dict(zip(Annotation.__slots__, row, strict=True))
    return Annotation(**{**values, "marks": [*map(tuple, json.loads(values["marks"]))], "done": bool(values["done"])})
