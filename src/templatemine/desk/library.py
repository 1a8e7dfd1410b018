"""Packs and articles of a desk: the present content of the folder of packs, and a sample of the archive in memory.

The pack file is the truth.  It is read again whenever it has changed on disk, by a later `mine` or by hand.  It is
written completely or not at all.  Its version is a hash of its bytes.
"""

from __future__ import annotations

import heapq
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import blake2b
from threading import Lock
from typing import Any

from templatemine.archive.apply_overrides import apply_rules
from templatemine.desk.store import Conflict, Decision, Event, Store, escape_surrogates, tell_time, utc_now
from templatemine.errors import CorpusError, PackError, unreadable
from templatemine.io.lock import locked
from templatemine.io.write import atomic_writer
from templatemine.model import Document, Record, RejectedCandidate
from templatemine.packs.overrides import Rule, read_rules
from templatemine.packs.pack import Pack
from templatemine.packs.pack_folder import pack_files, read_rejected, rejected_path
from templatemine.packs.pack_record import bare_template
from templatemine.packs.revision import Revision, file_version

SAMPLE = 300
"""Documents of each source that are held in memory, those with the least hashes of their ids; so many give a share of
articles to within 6 points."""

_SAMPLE_KEY = (1).to_bytes(8, "little")
_GOLD_FIELD = "gold"
"""The field of records that holds the main text of a page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """A document of the archive, and the gold text of its record if it has one."""

    document: Document
    gold: str | None = None

    @property
    def name(self) -> str:
        """Return the id of the document, as the desk calls it."""
        return escape_surrogates(self.document.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPack:
    """A pack on disk, and its version."""

    pack: Pack
    path: str
    version: str


def rules_json(rules: Sequence[Rule]) -> list[dict[str, Any]]:
    """Return rules as JSON data, as in a pack."""
    return [rule.as_dict() for rule in rules]


class Library:
    """The packs of a folder and a sample of an archive; safe to share between threads.

    Parameters
    ----------
    packs : str
        A folder, or one pack.
    records : iterable of Record
        The archive.
    wanted : set of str
        Ids of documents that are always in the sample, such as those with gold spans.
    """

    def __init__(
        self,
        packs: str,
        records: Iterable[Record],
        store: Store,
        sample: int = SAMPLE,
        wanted: frozenset[str] = frozenset(),
    ) -> None:
        self.store = store
        self._packs = packs
        self._lock = Lock()
        self._stored: dict[str, tuple[_FileState, StoredPack]] = {}
        self._revisions: dict[str, tuple[str, Revision]] = {}
        self._revision_lock = Lock()
        self._dumped: tuple[Sequence[Rule], str] = (), "[]"
        self._rejected: dict[str, tuple[_FileState, list[RejectedCandidate]]] = {}
        self.articles = _sample_articles(records, sample, wanted)
        self._slow: dict[str, list[Article]] = {}
        self._by_id = {(source, one.name): one for source, articles in self.articles.items() for one in articles}
        self._files: dict[str, str] = {}
        self._refused: dict[str, PackError] = {}
        self._refresh()

    # ----------------------------------------------------------------------------------------------------------- packs

    def _refresh(self) -> None:
        """Look up the packs.  One that cannot be read keeps its known source, or the name of its file."""
        known = {path: source for source, path in self._files.items()}
        files: dict[str, str] = {}
        with suppress(PackError):  # a folder without packs: annotation alone
            refused: dict[str, PackError] = {}
            paths = pack_files(self._packs, refused.__setitem__)
            self._refused = refused
            for path in sorted([*paths, *refused]):
                try:
                    source = escape_surrogates(self._read(path).pack.source)
                except PackError:
                    source = known.get(path) or escape_surrogates(os.path.basename(path).removesuffix(".json"))
                files.setdefault(source, path)
        self._files = files

    def _read(self, path: str) -> StoredPack:
        """Return the pack of a file; from memory if the file has not changed."""
        if path in self._refused:  # a link that leads out of the folder is not followed
            raise PackError(str(self._refused[path]))
        try:
            mark = _file_state(os.stat(path))
            with self._lock:
                known = self._stored.get(path)
            if known is not None and known[0] == mark:
                return known[1]
            with open(path, "rb") as handle:
                data = handle.read()
        except OSError as error:
            raise PackError(f"{path}: {unreadable(error)}") from error
        return self._remember(
            path, mark, Pack.from_json(data.decode("utf-8", "replace"), where=path), file_version(data)
        )

    def _remember(self, path: str, mark: _FileState, pack: Pack, version: str) -> StoredPack:
        """Keep the pack of a file in memory, with the mark of what was read or written."""
        stored = StoredPack(pack=pack, path=path, version=version)
        with self._lock:
            self._stored[path] = mark, stored
        return stored

    @property
    def sources(self) -> list[str]:
        """Return all sources that have a pack or articles, by name."""
        self._refresh()
        return sorted({*self._files, *self.articles})

    def stored_pack(self, source: str) -> StoredPack | None:
        """Return the present pack of a source on disk; None if there is none.

        Raises
        ------
        PackError
            It has errors.
        """
        path = self._files.get(source)
        if path is None or not os.path.exists(path):
            self._refresh()
            path = self._files.get(source)
        return None if path is None else self._read(path)

    def source_of(self, stored: StoredPack) -> str:
        """Return the source of a pack, as the desk calls it."""
        return escape_surrogates(stored.pack.source)

    def rejected(self, stored: StoredPack) -> list[RejectedCandidate]:
        """Return the candidates that mining rejected, most frequent first; none if the file beside the pack is
        missing."""
        path = rejected_path(stored.path)
        try:
            mark = _file_state(os.stat(path))
        except OSError:
            return []
        known = self._rejected.get(path)
        if known is None or known[0] != mark:
            known = mark, list(read_rejected(stored.path))
            self._rejected = {path: known}  # one source at a time: those of a large one take 100 MB
        return known[1]

    def decide(
        self,
        source: str,
        version: str,
        rules: Sequence[Rule],
        *,
        name: str,
        what: str,
        undoes: int | None = None,
        reviewed: Sequence[str] = (),
    ) -> tuple[StoredPack, Event]:
        """Change the rules of a source: apply them to its pack, write it and record the decision.

        Rules that stay as they are leave the pack alone: a person looked at the templates `reviewed`, and agrees.

        Raises
        ------
        Conflict
            The pack has changed since `version`.
        PackError, ConfigError
            See `apply_rules`; then nothing has changed.
        CorpusError
            Fatal: a run is writing to the folder of the pack; nothing has changed.
        """
        stored = self.stored_pack(source)
        if stored is None:
            raise PackError(f"{source}: has no pack")

        def change(events: Sequence[Event]) -> Decision:
            # A run that mines into the folder has read the rules by now, and would write its packs over this one.
            with locked(os.path.dirname(stored.path) or "."):
                fresh = self._read(stored.path)
                if fresh.version != version:
                    raise Conflict(_describe_conflict(events, fresh))
                before, after = self._dump(fresh.pack.overrides.rules), dump_rules(rules_json(rules))
                decision = Decision(name, what, before, after, undoes, reviewed)
                if before == after:
                    return decision
                made = apply_rules(fresh.pack, self.rejected(fresh), rules, self._example_finder(source, fresh.pack))
                with self._revision_lock:
                    revision = self._revision(fresh)
                    self._revisions = {}
                    data, checked, now_version = revision.next(made, stored.path)  # as whoever uses it will read it
                with atomic_writer(stored.path, force=True) as handle:
                    handle.write(data)
                mark = _file_state(os.stat(stored.path))
                if mark[1] == len(data):  # else somebody has put another file in its place
                    self._remember(stored.path, mark, checked, now_version)
                    self._revisions = {stored.path: (now_version, revision)}  # one source at a time
            return decision

        event = self.store.decide(source, change)
        return self._read(stored.path), event

    def prepare(self, stored: StoredPack) -> None:
        """Prepare a pack for its first decision: to recognise what stays as it is."""
        with self._revision_lock:
            revision = self._revision(stored)
            revision.prepare()
            self._revisions = {stored.path: (stored.version, revision)}

    def _revision(self, stored: StoredPack) -> Revision:
        version, revision = self._revisions.get(stored.path, ("", None))
        return Revision(stored.pack, stored.version) if revision is None or version != stored.version else revision

    def _dump(self, rules: Sequence[Rule]) -> str:
        """Return `dump_rules` of the rules of a pack; those of the last are kept."""
        last, text = self._dumped
        if last is not rules:
            text = dump_rules(rules_json(rules))
            self._dumped = rules, text
        return text

    def reconcile_history(self, stored: StoredPack, most: int = -1) -> list[Event]:
        """Return the history of a source, or the end of it, with decisions made outside the desk, or just before a
        kill, added."""
        source, rules = escape_surrogates(stored.pack.source), self._dump(stored.pack.overrides.rules)
        events = self.store.history(source, most=most)
        last = events[-1].after if events else "[]"
        if last == rules:
            return events

        def change(events: Sequence[Event]) -> Decision:
            # Nobody decides now, and since it was read as `stored` the pack may have changed with its history.
            before, present = events[-1].after if events else "[]", self._read(stored.path).pack.overrides.rules
            if before == dump_rules(rules_json(present)):
                raise Conflict("recorded already")
            changed = [rule for rule in present if rule.as_dict() not in load_rules(before)]
            name = changed[-1].by if changed and changed[-1].by else "?"
            return Decision(name, "found in the pack", before, dump_rules(rules_json(present)), None)

        with suppress(Conflict):
            self.store.decide(source, change)
        return self.store.history(source, most=most)

    # -------------------------------------------------------------------------------------------------------- articles

    def article(self, source: str, name: str) -> Article | None:
        """Return a document by its id."""
        return self._by_id.get((source, name))

    def matching_articles(self, stored: StoredPack) -> list[Article]:
        """Return the articles of a source that its pack is meant for, pages or texts, without those of `leave_out`."""
        source = escape_surrogates(stored.pack.source)
        slow = self._slow.get(source, ())
        return [
            one
            for one in self.articles.get(source, ())
            if one.document.is_html == stored.pack.html and not any(one is other for other in slow)
        ]

    def leave_out(self, stored: StoredPack, articles: Iterable[Article]) -> None:
        """Take articles out of the sample, for which expressions of the pack take too long."""
        self._slow.setdefault(escape_surrogates(stored.pack.source), []).extend(articles)

    def left_out(self, stored: StoredPack) -> int:
        """Return how many articles of the source were taken out of the sample."""
        return len(self._slow.get(escape_surrogates(stored.pack.source), ()))

    def _example_finder(self, source: str, pack: Pack) -> Any:
        """Return what finds one occurrence of each string in the sample."""
        texts = [one.document.body for one in self.articles.get(source, ()) if one.document.is_html == pack.html]

        def found(rows: Sequence[tuple[str, ...]]) -> Mapping[tuple[str, ...], str]:
            if not rows:
                return {}
            strings = replace(pack, templates=tuple(map(bare_template, rows)))
            examples: dict[tuple[str, ...], str] = {}
            for text in texts:
                if len(examples) == len(rows):
                    break
                columns = strings.find_strings(pack.encode(text))
                for start, end, row in zip(*(column.tolist() for column in columns), strict=True):
                    examples.setdefault(rows[row], text[start:end])
            return examples

        return found


def dump_rules(rules: list[dict[str, Any]]) -> str:
    """Write rules as text; equal rules give equal text."""
    return escape_surrogates(json.dumps(rules, ensure_ascii=False, sort_keys=True))


def load_rules(text: str) -> list[dict[str, Any]]:
    """Invert `dump_rules`."""
    rows: list[dict[str, Any]] = json.loads(text)
    return rows


def parse_rules(text: str) -> tuple[Rule, ...]:
    """Read the rules of the history."""
    return read_rules(load_rules(text), "history")


_FileState = tuple[int, int, int]
"""When a file was changed, its size, and its number."""


def _file_state(stat: os.stat_result) -> _FileState:
    return stat.st_mtime_ns, stat.st_size, stat.st_ino


def _describe_conflict(events: Sequence[Event], stored: StoredPack) -> str:
    rules = dump_rules(rules_json(stored.pack.overrides.rules))
    if events and events[-1].after == rules:
        return f"{events[-1].name} decided at {tell_time(events[-1].time)}: {events[-1].what}"
    return "the pack was changed outside the desk, by mining or by hand"


def _sample_articles(records: Iterable[Record], sample: int, wanted: frozenset[str]) -> dict[str, list[Article]]:
    """Return, for each source, the articles with the least hashes, in the order of the archive; memory holds no
    more."""
    heaps: dict[str, list[tuple[int, int, Article]]] = {}
    extra: dict[str, list[tuple[int, Article]]] = {}
    for number, record in enumerate(records):
        document, gold = record.document, record.fields.get(_GOLD_FIELD)
        if not document.id:
            document = replace(document, id=f"#{number + 1}")
        one = Article(document=document, gold=gold if isinstance(gold, str) else None)
        if document.id in wanted:
            extra.setdefault(escape_surrogates(document.source), []).append((number, one))
            continue
        digest = blake2b(document.id.encode("utf-8", "surrogatepass"), digest_size=8, key=_SAMPLE_KEY).digest()
        row = (-int.from_bytes(digest, "little"), number, one)
        heap = heaps.setdefault(escape_surrogates(document.source), [])
        if len(heap) < sample:
            heapq.heappush(heap, row)
        elif row[0] > heap[0][0]:
            heapq.heapreplace(heap, row)
    found: dict[str, list[Article]] = {}
    for source in sorted({*heaps, *extra}):
        rows = [(number, one) for _, number, one in heaps.get(source, ())] + extra.get(source, [])
        found[source] = list(_drop_duplicates(one for _, one in sorted(rows, key=lambda row: row[0])))
    if not found:
        raise CorpusError("expected documents in the archive, found none", fatal=True)
    return found


def _drop_duplicates(articles: Iterable[Article]) -> Iterator[Article]:
    """Yield the first document of each id: annotations refer to documents by id."""
    seen: set[str] = set()
    for one in articles:
        if one.name not in seen:
            seen.add(one.name)
            yield one


def stamp_rule(rule: Rule, name: str) -> Rule:
    """Return a rule with the name of the person and the time."""
    return replace(rule, by=name, time=utc_now())
