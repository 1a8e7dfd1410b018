"""Packs that follow their sites: new documents -> windows -> the packs of the sources that have new documents.

What is kept beside the packs, in a hidden folder, is for each source its window (`window`), in frames, and the strings
that mining it gave, as hashes: what the comparison asks of a source.  So only the sources of new
documents are mined, each from its window alone, in the order of `pipeline.drive`, and against the strings of all.
The archive is not read again.  A pack of such a source is that of mining the windows of all sources, and what its
earlier pack has and the window is too small to speak of (`carried`).

Windows and packs change together: they are written aside, a list of them is noted, and they are renamed; a run that is
killed while renaming is completed by the next one, and before that nothing has happened.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from typing import Any

from templatemine.archive import manifest
from templatemine.archive.apply_overrides import keep_later_rules, keep_rules
from templatemine.archive.carried import CarriedTemplate, carry
from templatemine.archive.chosen_sources import ChosenSources
from templatemine.archive.disk import decide_stored
from templatemine.archive.frames import list_frames, pack_frame, read_bodies
from templatemine.archive.partition import (
    FOLDERS,
    MiningUnit,
    SourceSizes,
    Splitter,
    bucket_name,
    decode_document,
    decode_source,
    encode_document,
    encode_source,
    make_folders,
    memory_cost,
    plan_units,
    split_units,
)
from templatemine.archive.run import RunConfig
from templatemine.archive.spill import SharedStringsFile, pack_candidates, write_hashes
from templatemine.archive.window import DatedDocument, Window, WindowConfig
from templatemine.bounds import NUMBERS, Options
from templatemine.config import PipelineConfig, ReadConfig, TokeniseConfig
from templatemine.errors import CorpusError, PackError, counted, list_notes, spelled
from templatemine.io.fields import has_id
from templatemine.io.file_transaction import file_transaction
from templatemine.io.files import Report, suggest_name
from templatemine.io.read import read_records
from templatemine.io.write import safe_file_name, sync, write_errors
from templatemine.mining.methods import ResolvedConfig, resolve_defaults
from templatemine.mining.select import is_unlikely
from templatemine.mining.stages import (
    SourceReport,
    mine_source,
    skip_source,
    unfit_reason,
)
from templatemine.model import Document, Template
from templatemine.packs.changes import Changes, compare
from templatemine.packs.overrides import Rule, accept_rule, read_rule
from templatemine.packs.pack import Pack
from templatemine.packs.pack_folder import PACK_SUFFIX, PackFolderWriter, StandingPacks, pack_names, refuse_renamed
from templatemine.pipeline import Executor, drive
from templatemine.progress import Progress, ignore_progress, report_reading
from templatemine.text.dates import UnreadableDates

_BAD_PACK = "it has an error"
_STATE = ".templatemine-window"
_WORK = ".templatemine-update"


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateConfig(Options):
    """Options of an update; `today` is the day of the run, ISO.  With `dry_run` nothing changes.  A `caution` counts
    instead of those of packs and of `pipeline`.  With `new_sources` a missing folder is made, and one that
    has packs gets those of sources that it has none of, too.  With `only` documents of other sources are left out."""

    today: str
    pipeline: PipelineConfig = field(default_factory=PipelineConfig)
    read: ReadConfig = field(default_factory=ReadConfig)
    window: WindowConfig = field(default_factory=WindowConfig)
    memory: int = 1 << 30
    dry_run: bool = False
    caution: float | None = None
    new_sources: bool = False
    only: Collection[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowUpdate:
    """The window of a source that had new documents.

    Attributes
    ----------
    old_window : int
        Documents that were in it before.
    given, new, window : int
        Documents that were given, those of them that are in the window now and are new or changed, and all in it.
    replaced : int
        New documents that took the place of one with the same id and another text, be it in the window or new as well.
    first, last : str
        Days of the window; empty if no document fits the memory, or none tells its day.
    documents_before : int
        Of the pack that is replaced, if it was not that of the window before; 0 else.
    note : str
        Why the pack was left as it was; empty if it is a new one.
    """

    source: str
    old_window: int
    given: int
    new: int
    window: int
    replaced: int
    first: str
    last: str
    documents_before: int
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceUpdate(WindowUpdate):
    """The result of a source that had new documents: its window, and what became of its pack.

    Attributes
    ----------
    templates : int or None
        Of its pack now; None if it has none.
    rejected : mapping or None
        Reason -> candidates that were rejected for it, as `SourceOutcome.rejected`; None if the pack is that of before.
    kept : int
        Those of them that its window did not give, but its earlier pack has.
    left : mapping of str to int
        Id of a template that was removed -> documents of the window that have it still, and where nothing is cut.
    unreadable_dates : int
        Of the documents that were given.
    is_short : bool
        Whether the pack waits for a larger window.
    bug : str
        See `SourceOutcome`.
    """

    templates: int | None
    rejected: Mapping[str, int] | None
    kept: int
    left: Mapping[str, int]
    unreadable_dates: int
    is_short: bool
    changes: Changes
    bug: str = ""


def update_packs(
    packs: str,
    inputs: Sequence[str],
    config: UpdateConfig,
    *,
    progress: Progress | None = None,
    tell: Callable[[str], None] | None = None,
    on_error: Callable[[CorpusError], None] | None = None,
    on_bad_pack: Callable[[str], None] | None = None,
    on_start: Callable[[], None] = lambda: None,
) -> list[SourceUpdate]:
    """Bring the packs of a folder up to date with new documents.

    Parameters
    ----------
    on_bad_pack : callable, optional
        Called with the problem of a pack in the folder that cannot be trusted, or with one that was made and could
        not be read: it stays as it is, its window gets the new documents, and other sources go on.  What it raises ends
        the update before anything has changed.
    on_start : callable, optional
        Called before anything is read, once the folder and the inputs are known to be there.

    Returns
    -------
    list of SourceUpdate
        Sources with new documents, by name.

    Raises
    ------
    CorpusError
        Fatal: an input cannot be read, something cannot be written, another run is at it.  Nothing has changed then.
    PackError
        A pack in the folder cannot be trusted, and there is no `on_bad_pack`.
    """
    report = on_error if isinstance(on_error, Report) else Report(on_error)
    chosen = ChosenSources(config.only, config.read.source)
    streams = [chosen.select(read_records(path, config.read, report), report.note) for path in inputs]
    if not os.path.isdir(packs) and not config.new_sources:
        if os.path.lexists(packs):
            raise CorpusError("expected a folder of packs, found something else", packs, fatal=True)
        option = spelled("--new-sources", "new_sources=True")
        problem = f"there is no such folder of packs; {option} makes it{suggest_name(packs)}"
        raise CorpusError(problem, packs, fatal=True)
    run = _UpdateRun(packs, config, chosen, progress or ignore_progress, tell or (lambda text: None), on_bad_pack)
    with manifest.hold_folder(packs, run.work, run.journal):
        on_start()
        return run.run(streams)


class _UpdateRun(Executor[dict[str, WindowUpdate], SharedStringsFile, list[SourceUpdate]]):
    """One update: the executor of `pipeline.drive` for the windows of sources that have new documents."""

    def __init__(
        self,
        packs: str,
        config: UpdateConfig,
        chosen: ChosenSources,
        progress: Progress,
        tell: Callable[[str], None],
        on_bad_pack: Callable[[str], None] | None,
    ) -> None:
        self.packs = packs
        self.config = config
        self.chosen = chosen
        self.progress = progress
        self.tell = tell
        self.on_bad_pack = on_bad_pack
        self.work = os.path.join(packs, _WORK)
        self.state = os.path.join(packs, _STATE)
        self.journal = os.path.join(self.work, "publish.json")
        # Half of it, for the strings of other sources.
        self.budget = RunConfig(memory=config.memory).budget
        self.today = config.today
        self.known = frozenset[str]()
        self.units: list[MiningUnit] = []
        self.dates = UnreadableDates()

    def run(self, streams: Sequence[Iterator[Any]]) -> list[SourceUpdate]:
        if manifest.read_json(self.journal) is not None:
            self.publish()
            self.tell("an earlier update was ended while its files were being renamed; they are in place now")
        make_folders(self.work, "window", "packs")
        self.read_state()
        self.units = self.split_documents(streams)
        self.chosen.check(self.tell)
        if not self.units:
            self.tell("no documents, and nothing to do")
            return []
        self.refuse_new_sources()
        refuse_renamed(self.packs, [source for unit in self.units for source in unit.sources])
        updates = drive(self)
        if unreadable := self.dates.describe():
            self.tell(unreadable)
        if self.config.dry_run:
            return updates
        sources = sorted(self.known.union(*(unit.sources for unit in self.units)))
        state = {"sources": [encode_source(source).hex() for source in sources], "today": self.today}
        manifest.write_json(self.window_path("state.json"), state)
        for folder in ("window", "packs"):
            sync(os.path.join(self.work, folder))
        manifest.write_json(
            self.journal, {"window": self.list_new_files("window"), "packs": self.list_new_files("packs")}
        )
        self.publish()
        return updates

    def refuse_new_sources(self) -> None:
        """Refuse sources that a folder of packs knows nothing of: most often its records name their source in another
        way, or not at all, and get that of their file."""
        standing = StandingPacks(self.packs)
        if self.config.new_sources or not (len(standing) or self.known):
            return
        given = sorted(source for unit in self.units for source in unit.sources)
        new = [source for source in given if source not in self.known and source not in standing]
        if new:
            named = ", ".join(map(repr, new[:3])) + (f" and {len(new) - 3:,} more" if len(new) > 3 else "")
            raise CorpusError(
                f"expected documents of sources that have a pack or a window here, found {named}; name their "
                "source with --source, --source-field or --source-of, or take new ones in with --new-sources",
                self.packs,
                fatal=True,
            )

    def list_new_files(self, folder: str) -> list[str]:
        return sorted(name for name in os.listdir(os.path.join(self.work, folder)) if not name.endswith(".mined"))

    def window_path(self, name: str, folder: str | None = None) -> str:
        return os.path.join(folder or os.path.join(self.work, "window"), name)

    def read_state(self) -> None:
        """Read the names of the sources, and today's date, which a clock that goes back does not make earlier."""
        state = manifest.read_json(self.window_path("state.json", self.state))
        if state is None:
            return
        if "sources" not in state:
            problem = "windows of another version; delete this folder, and give update the archive again"
            raise CorpusError(problem, self.state, fatal=True)
        self.known = frozenset(decode_source(bytes.fromhex(key)) for key in state["sources"])
        if state["today"] > self.today:
            self.tell(f"today is {self.today}, but the last update was on {state['today']}; taking that for today")
            self.today = state["today"]

    def split_documents(self, streams: Sequence[Iterator[Any]]) -> list[MiningUnit]:
        """Divide new documents by source; a unit is counted with the windows of its sources."""
        splitter = Splitter(os.path.join(self.work, FOLDERS[0]), bucket_name)
        sizes: dict[str, SourceSizes] = {}
        for record in report_reading(chain.from_iterable(streams), self.progress):
            document = record.document
            if document.source not in sizes:
                sizes[document.source] = SourceSizes(cost=self.window_memory(document.source))
            self.dates.add(document.source, record.fields.get(self.config.read.date_field), document.date, record.where)
            own_id = has_id(record.fields, self.config.read)
            splitter.add(encode_source(document.source), encode_document(document, own_id))
            sizes[document.source].add(memory_cost(document))
        splitter.flush()
        by_bucket = plan_units(sizes, self.budget)
        split_units(self.work, by_bucket)
        return [unit for units_of_file in by_bucket.values() for unit in units_of_file]

    def window_memory(self, source: str) -> int:
        """Return the memory of the window of a source; packed, it is a third of that at most."""
        with suppress(OSError):
            return 3 * 6 * os.path.getsize(self.window_path(safe_file_name(source) + ".window", self.state))
        return 0

    def read_window(self, source: str, folder: str) -> Iterator[DatedDocument]:
        path = self.window_path(safe_file_name(source) + ".window", folder)
        if os.path.exists(path):
            for key, body in read_bodies(path):
                day, _, rest = body.partition(b"\0")
                document, own_id = decode_document(key, rest)
                yield DatedDocument(day.decode(), document, own_id)

    # ------------------------------------------------------------------------------------------------- the stages

    def map_documents(self) -> dict[str, WindowUpdate]:
        """Make the new windows, and mine the strings of those that are large enough."""
        states: dict[str, WindowUpdate] = {}
        for done, unit in enumerate(self.units):
            states |= self.mine_unit(unit)
            self.progress("mining", done + 1, len(self.units))
        self.tell_smaller(states.values())
        return states

    def tell_smaller(self, states: Iterable[WindowUpdate]) -> None:
        """Say before anything changes which packs will be learnt from fewer documents than they were, and why."""
        smaller = [one for one in states if one.documents_before > one.window]
        smaller.sort(key=lambda one: (one.window - one.documents_before, one.source))
        told = list_notes({one.source: f"{one.window:,} instead of {one.documents_before:,}" for one in smaller})
        if smaller:
            packs, remedy = counted(len(smaller), "pack"), spelled("--least N", "WindowConfig.least")
            self.tell(
                f"{packs} will be learnt from fewer documents, those of a window: {told}; {remedy} keeps more of them"
            )

    def reduce(self, mined: dict[str, WindowUpdate]) -> SharedStringsFile:
        """Return the strings of all sources: of windows that are new, and of the others as they were."""
        new = {name for name in os.listdir(self.window_path("")) if name.endswith(".hashes")}
        old = set(os.listdir(self.state)) if os.path.isdir(self.state) else set()
        parts = [self.window_path(name) for name in sorted(new)]
        parts += [self.window_path(name, self.state) for name in sorted(old - new) if name.endswith(".hashes")]
        path = os.path.join(self.work, "shared")
        SharedStringsFile.write(path, parts, self.budget)
        return SharedStringsFile(path)

    def map_candidates(self, mined: dict[str, WindowUpdate], table: SharedStringsFile) -> list[SourceUpdate]:
        """Return the packs of the sources, and their differences."""
        updates = []
        with file_transaction(os.path.join(self.work, "packs"), force=True) as files:
            writer = PackFolderWriter(files)
            for done, source in enumerate(sorted(mined)):
                updates.append(self.update_source(source, mined[source], table, writer))
                self.progress("choosing", done + 1, len(mined))
        return updates

    def mine_unit(self, unit: MiningUnit) -> dict[str, WindowUpdate]:
        windows = {
            source: Window(self.read_window(source, self.state), self.today, self.config.window, self.budget)
            for source in unit.sources
        }
        old_windows = {source: len(window.documents) for source, window in windows.items()}
        for source, window in windows.items():
            for dated in window.documents:
                self.dates.settle(source, dated.document.date)
        given = dict.fromkeys(unit.sources, 0)
        new: dict[str, list[tuple[Document, bool]]] = {source: [] for source in unit.sources}
        budget_left = self.budget // 4
        for key, body in read_bodies(unit.path(self.work)):
            document, own_id = decode_document(key, body)
            given[document.source] += 1
            new[document.source].append((document, own_id))
            if unit.giant and (budget_left := budget_left - memory_cost(document)) < 0:
                windows[document.source].add(new[document.source])
                new[document.source], budget_left = [], self.budget // 4
        states = {}
        for source in unit.sources:
            window = windows.pop(source)
            window.add(new.pop(source))
            documents, (first, last) = window.documents, window.bounds
            note, before = self.renew_window(source, documents)
            if window.left_out:
                self.tell(
                    f"{source}: {counted(window.left_out, 'document')} left out of its window, as --memory has no room"
                )
            states[source] = WindowUpdate(
                source=source,
                old_window=old_windows[source],
                given=given[source],
                new=window.new,
                window=len(documents),
                replaced=window.replaced,
                first=first,
                last=last,
                documents_before=0 if note or before <= old_windows[source] else before,
                note=note,
            )
        return states

    def renew_window(self, source: str, window: Sequence[DatedDocument]) -> tuple[str, int]:
        """Write a window and the strings that mining it gives; why its source keeps its pack, if it does, and the
        documents of that."""
        self.write_window(source, window)
        try:
            old = self.load_pack(source)
        except PackError as error:
            if self.on_bad_pack is None:
                raise
            self.on_bad_pack(str(error))
            return _BAD_PACK, 0
        return self.mine_window(source, window, old), 0 if old is None else old.documents

    def write_window(self, source: str, window: Sequence[DatedDocument]) -> None:
        path, key = self.window_path(safe_file_name(source) + ".window"), encode_source(source)
        with write_errors(path):
            with open(path, "wb") as handle:
                for first in range(0, len(window), 32):
                    some = window[first : first + 32]
                    handle.write(
                        pack_frame(
                            (key, dated.day.encode() + b"\0" + encode_document(dated.document, dated.own_id))
                            for dated in some
                        )
                    )
            sync(path)

    def mine_window(self, source: str, window: Sequence[DatedDocument], old: Pack | None) -> str:
        """Write the strings that mining a window gives; why its source keeps its pack, if it does."""
        name = safe_file_name(source)
        options = self.resolve_options(old)
        documents = [dated.document for dated in window]
        note = unfit_reason(documents, options)
        if not note:
            candidates = mine_source(source, documents, options)
            with write_errors(self.window_path(name)):
                with open(self.window_path(name + ".mined"), "wb") as handle:
                    handle.write(pack_candidates(candidates))
                with open(self.window_path(name + ".hashes"), "wb") as handle:
                    write_hashes(handle, [candidates.hashes])
                sync(handle.name)
        if (least := self.least_window(old)) > len(window):
            option = spelled("--least", "WindowConfig.least")
            needed = f"{least} ({option})" if least == self.config.window.least else f"the {least} of the pack"
            note = note or f"window of {counted(len(window), 'document')}, fewer than {needed}"
        elif note and skip_source(source, documents, options).pack is not None:
            note = ""  # too few documents for templates may suffice for pages
        return note

    def least_window(self, old: Pack | None) -> int:
        """Return the documents of a window that takes the place of a pack."""
        return 0 if old is None else min(self.config.window.least, old.documents)

    def load_pack(self, source: str) -> Pack | None:
        path = os.path.join(self.packs, pack_names(source)[0])
        return Pack.load(path) if os.path.exists(path) else None

    def resolve_options(self, old: Pack | None) -> ResolvedConfig:
        """Return the options that the pack of a source was mined with, if it has one."""
        config, caution = self.config.pipeline, self.config.caution
        if old is not None:
            # Packs may be older than the bound of caution.
            caution = min(old.caution, NUMBERS["SelectConfig.caution"].most) if caution is None else caution
            user_patterns = old.tokenise.user_patterns
            markup = config.tokenise.text_markup
            markup = "html" if markup == "auto" and old.reading.markup else markup
            tokenise = TokeniseConfig(
                separators=old.tokenise.separators, user_patterns=user_patterns, text_markup=markup
            )
            config = replace(config, method=old.method, tokenise=tokenise)
        if caution is not None:
            config = replace(config, select=replace(config.select, caution=caution))
        return resolve_defaults(config)

    def update_source(
        self, source: str, state: WindowUpdate, table: SharedStringsFile, writer: PackFolderWriter
    ) -> SourceUpdate:
        old = None if state.note == _BAD_PACK else self.load_pack(source)
        changes = Changes()
        templates = None if old is None else len(old.templates)
        rejected: Mapping[str, int] | None = None
        note, bug = state.note, ""
        carried: dict[str, CarriedTemplate] = {}
        left: dict[str, int] = {}
        if not state.note:
            options = self.resolve_options(old)
            report = self.make_report(source, options, table)
            likely = old
            if old is not None and report.pack is not None:
                likely = _drop_unlikely(old, report.pack, options)
                pack, carried, left = self.carry_templates(likely, report.pack, state.new)
                report = replace(report, pack=pack)
            assert report.pack is not None
            mined = keep_rules(report.pack, report.rejected or (), os.path.join(self.packs, pack_names(source)[0]))
            report = replace(report, pack=mined)
            note = _reason_to_keep(likely, mined)
            if not note:
                outcome = writer.save(report)
                note, bug = (outcome.note if outcome.bug else ""), outcome.bug
            if bug and self.on_bad_pack is not None:
                self.on_bad_pack(bug)
            if not note:
                changes, templates = compare(old, mined), len(mined.templates)
                self.note_left([one for one in changes.removed if one.id in left], mined)
                rejected = mined.rejected
        return SourceUpdate(
            **asdict(replace(state, note=note, documents_before=0 if note else state.documents_before)),
            templates=templates,
            rejected=rejected,
            kept=len(carried),
            left=left,
            unreadable_dates=self.dates.of_source(source),
            is_short=state.window < self.least_window(old),
            changes=changes,
            bug=bug,
        )

    def carry_templates(
        self, old: Pack, new: Pack, new_documents: int
    ) -> tuple[Pack, dict[str, CarriedTemplate], dict[str, int]]:
        """Do as `carry` does with the pack of a window and the earlier one; the history of what stays is written,
        too."""
        name = safe_file_name(new.source) + ".kept"
        stored = manifest.read_json(self.window_path(name, self.state)) or {}
        records = {mark: CarriedTemplate(**row) for mark, row in stored.items()}
        window = list(self.read_window(new.source, os.path.join(self.work, "window")))
        pack, carried, left = carry(old, new, records, window, new_documents)
        if carried or stored:
            manifest.write_json(self.window_path(name), {mark: record.as_dict() for mark, record in carried.items()})
        return pack, carried, left

    def note_left(self, templates: Sequence[Template], pack: Pack) -> None:
        """Note what an update takes out of a pack though documents have it, beside what earlier ones did
        (`read_left_rules`)."""
        name, there = safe_file_name(pack.source) + ".left", {one.id for one in pack.templates}
        known = manifest.read_json(self.window_path(name, self.state)) or {}
        rules = known | {one.id: accept_rule(one).as_dict() for one in templates}
        if rules:
            manifest.write_json(self.window_path(name), {key: row for key, row in rules.items() if key not in there})

    def make_report(self, source: str, options: ResolvedConfig, table: SharedStringsFile) -> SourceReport:
        documents = [dated.document for dated in self.read_window(source, os.path.join(self.work, "window"))]
        path = self.window_path(safe_file_name(source) + ".mined")
        if not os.path.exists(path):
            return skip_source(source, documents, options)
        return decide_stored(path, list_frames(path)[0], table, documents, options)

    # --------------------------------------------------------------------------------------------------------- the end

    def publish(self) -> None:
        """Rename the files that the journal lists; missing ones have been renamed before."""
        journal: Mapping[str, Sequence[str]] = manifest.read_json(self.journal)
        with write_errors(self.packs):
            os.makedirs(self.state, exist_ok=True)
            for folder, target in (("packs", self.packs), ("window", self.state)):
                for name in journal[folder]:
                    new_path, target_path = os.path.join(self.work, folder, name), os.path.join(target, name)
                    if folder == "packs" and name.endswith(PACK_SUFFIX):
                        keep_later_rules(new_path, target_path)
                    with suppress(FileNotFoundError):
                        os.replace(new_path, target_path)
            os.unlink(self.journal)
        shutil.rmtree(self.work, ignore_errors=True)


def read_left_rules(packs: str, source: str) -> dict[str, Rule]:
    """Return the rules that would keep what updates took out of a pack though documents had it, by id."""
    path = os.path.join(packs, _STATE, safe_file_name(source) + ".left")
    return {name: read_rule(row, path) for name, row in (manifest.read_json(path) or {}).items()}


def _reason_to_keep(old: Pack | None, new: Pack) -> str:
    """Say why a pack does not replace the earlier one: it has no templates, and that one had."""
    if old is None or new.templates or new.pages or not (old.templates or old.pages) or new.overrides.removed:
        return ""
    return "nothing was found in the window; mine --force replaces the pack with an empty one"


def _drop_unlikely(old: Pack, new: Pack, options: ResolvedConfig) -> Pack:
    """Return a pack without templates that fail under more caution than its own."""
    if new.caution <= old.caution:
        return old
    return replace(
        old, templates=tuple(template for template in old.templates if not is_unlikely(template, options.select))
    )
