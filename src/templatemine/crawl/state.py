"""The state of a crawl: one SQLite file beside the output.

Each response is recorded in one transaction, together with the position in the output where its records end, so that
the two can be reconciled after a kill: output behind the last recorded position is cut off, and pages that are recorded
but missing in the output (after a power failure) are due again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import IntEnum

from templatemine.crawl.revisit import RevisitSchedule
from templatemine.errors import CorpusError

_VERSION = 1
_TABLES = """
CREATE TABLE pages(
  number INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, source TEXT NOT NULL, standing INTEGER NOT NULL DEFAULT 0,
  reason TEXT, via TEXT, title TEXT, published TEXT, finish INTEGER
);
CREATE INDEX finish ON pages(finish) WHERE finish IS NOT NULL;
CREATE TABLE feeds(
  url TEXT PRIMARY KEY, source TEXT NOT NULL, due REAL NOT NULL, etag TEXT, modified TEXT,
  visited REAL NOT NULL DEFAULT 0, every REAL NOT NULL, fresh REAL NOT NULL DEFAULT 0, span REAL NOT NULL DEFAULT 0
);
CREATE TABLE facts(name TEXT PRIMARY KEY, value REAL NOT NULL);
"""


FETCHED_ALREADY = "leads to a page that is fetched already"
"""The reason of failure of a page whose final address was fetched before."""


class PageStatus(IntEnum):
    """The status of a page."""

    DUE = 0
    DONE = 1
    FAILED = 2
    FEED = 3
    """The address is a feed."""
    ALIAS = 4
    """Another address of a page that is done."""


_MAX_REASONS = 20
"""Number of reasons that are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page to fetch, with title and date from its feed or sitemap (`via`)."""

    number: int = 0
    url: str
    source: str
    via: str | None = None
    title: str | None = None
    published: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """A feed, its validators for conditional requests, and its schedule; `due` in seconds."""

    url: str
    source: str
    due: float
    etag: str | None = None
    modified: str | None = None
    schedule: RevisitSchedule = field(default_factory=RevisitSchedule)


class CrawlState:
    """The state of a crawl, stored in a file.

    Parameters
    ----------
    path : str
        Created if it is missing.

    Raises
    ------
    CorpusError
        Fatal: another crawl uses it, it is not a state file, or it cannot be read or written.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        with self._errors():
            self._db = sqlite3.connect(path, timeout=0, isolation_level=None)
            # The lock belongs to the process, and ends with it.
            self._db.execute("PRAGMA locking_mode=EXCLUSIVE")
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            with self._transaction():
                (version,) = self._db.execute("PRAGMA user_version").fetchone()
                if version == 0 and not self._db.execute("SELECT 1 FROM sqlite_master").fetchone():
                    for statement in _TABLES.split(";\n"):
                        self._db.execute(statement)
                    self._db.execute(f"PRAGMA user_version={_VERSION}")
                elif version != _VERSION:
                    raise CorpusError(
                        f"expected the state of a crawl, version {_VERSION}, found another", path, fatal=True
                    )

    def close(self) -> None:
        """Write everything and close the file."""
        self._db.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                raise CorpusError(
                    "another crawl is writing here; wait for it, or end it", self.path, fatal=True
                ) from None
            raise CorpusError(f"cannot be used: {error}", self.path, fatal=True) from error
        except sqlite3.DatabaseError as error:
            raise CorpusError(
                f"expected the state of a crawl, found no such file: {error}", self.path, fatal=True
            ) from error

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Commit everything that happens inside, or nothing if an exception is raised."""
        with self._errors(), self._db:
            self._db.execute("BEGIN IMMEDIATE")
            yield

    # ------------------------------------------------------------------------------------------------------- the output

    def reconcile(self, size: int) -> int:
        """Make the state agree with an output of `size` bytes; returns how many of them to keep."""
        with self._transaction():
            self._db.execute("UPDATE pages SET standing=?, finish=NULL WHERE finish > ?", (PageStatus.DUE, size))
            (kept,) = self._db.execute("SELECT MAX(finish) FROM pages").fetchone()
        return kept or 0

    # -------------------------------------------------------------------------------------------------------- the facts

    def read_end(self) -> float | None:
        """Return the stored time at which the crawl ends."""
        row = self._db.execute("SELECT value FROM facts WHERE name='end'").fetchone()
        return None if row is None else float(row[0])

    def store_end(self, end: float) -> None:
        """Store the time at which the crawl ends."""
        with self._transaction():
            self._db.execute("INSERT OR REPLACE INTO facts VALUES('end', ?)", (end,))

    # -------------------------------------------------------------------------------------------------------- the pages

    def add(self, pages: Iterable[Page]) -> list[Page]:
        """Add pages to fetch; returns the new ones with their numbers."""
        with self._transaction():
            return list(self._insert_pages(pages))

    def _insert_pages(self, pages: Iterable[Page]) -> Iterator[Page]:
        for page in pages:
            row = self._db.execute(
                "INSERT OR IGNORE INTO pages(url, source, via, title, published) VALUES(?, ?, ?, ?, ?)"
                " RETURNING number",
                (page.url, page.source, page.via, page.title, page.published),
            ).fetchone()
            if row is not None:
                yield replace(page, number=row[0])

    def due_pages(self) -> Iterator[tuple[int, str]]:
        """Return number and source of every page to fetch, in the order of their addition."""
        rows = self._db.execute("SELECT number, source FROM pages WHERE standing=? ORDER BY number", (PageStatus.DUE,))
        yield from rows

    def due_page(self, number: int) -> Page | None:
        """Return a page to fetch, by its number; None if it is no longer due."""
        row = self._db.execute(
            "SELECT number, url, source, via, title, published FROM pages WHERE number=? AND standing=?",
            (number, PageStatus.DUE),
        ).fetchone()
        names = ("number", "url", "source", "via", "title", "published")
        return None if row is None else Page(**dict(zip(names, row, strict=True)))

    def is_finished(self, url: str) -> bool:
        """Return whether this address has been fetched, or has failed."""
        row = self._db.execute("SELECT standing FROM pages WHERE url=?", (url,)).fetchone()
        return row is not None and row[0] != PageStatus.DUE

    def count_tried(self) -> dict[str, int]:
        """Count the fetched or failed pages by source."""
        wanted = (PageStatus.DONE, PageStatus.FAILED)
        rows = self._db.execute("SELECT source, COUNT(*) FROM pages WHERE standing IN (?, ?) GROUP BY source", wanted)
        return dict(rows.fetchall())

    def count_by_status(self) -> dict[PageStatus, int]:
        """Count the pages by status."""
        counts = dict(self._db.execute("SELECT standing, COUNT(*) FROM pages GROUP BY standing").fetchall())
        return {standing: counts.get(standing, 0) for standing in PageStatus}

    def reasons(self) -> list[tuple[str, int]]:
        """Return the reasons of failure with their numbers, the most frequent first; rare reasons are summed up."""
        rows: list[tuple[str, int]] = self._db.execute(
            "SELECT reason, COUNT(*) AS n FROM pages WHERE standing=? GROUP BY reason ORDER BY n DESC, reason",
            (PageStatus.FAILED,),
        ).fetchall()
        rest = sum(number for _, number in rows[_MAX_REASONS:])
        return rows[:_MAX_REASONS] + ([("for other reasons", rest)] if rest else [])

    def record_page(
        self, page: Page, standing: PageStatus, *, reason: str | None = None, finish: int | None = None, final: str = ""
    ) -> None:
        """Record the result of a page: its status, the end of its records in the output, and its final address."""
        with self._transaction():
            self._db.execute(
                "UPDATE pages SET standing=?, reason=?, finish=? WHERE number=?",
                (standing, reason, finish, page.number),
            )
            if final and final != page.url:  # the page is not fetched again at its final address
                self._db.execute(
                    "INSERT INTO pages(url, source, standing, finish) VALUES(?, ?, ?, ?) ON CONFLICT(url) DO"
                    " UPDATE SET standing=excluded.standing, finish=excluded.finish WHERE standing=?",
                    (final, page.source, PageStatus.ALIAS, finish, PageStatus.DUE),
                )

    # -------------------------------------------------------------------------------------------------------- the feeds

    def feeds(self) -> list[Feed]:
        """Return all feeds."""
        rows = self._db.execute("SELECT url, source, due, etag, modified, visited, every, fresh, span FROM feeds")
        return [
            Feed(url=url, source=source, due=due, etag=etag, modified=modified, schedule=RevisitSchedule(*schedule))
            for url, source, due, etag, modified, *schedule in rows.fetchall()
        ]

    def record_visit(self, feed: Feed, items: Iterable[Page] = (), page: Page | None = None) -> list[Page]:
        """Record a visit of a feed with its items; returns the new items.  `page`: the feed, if added as a page."""
        with self._transaction():
            schedule = feed.schedule
            self._db.execute(
                "INSERT OR REPLACE INTO feeds VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(feed.url, feed.source, feed.due, feed.etag, feed.modified),
                    *(schedule.visited, schedule.every, schedule.fresh, schedule.span),
                ),
            )
            if page is not None:
                self._db.execute("UPDATE pages SET standing=? WHERE number=?", (PageStatus.FEED, page.number))
            return list(self._insert_pages(items))
