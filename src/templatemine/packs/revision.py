"""A pack that is changed a little, again and again, as people do at a desk -> its file, and the pack that this gives.

The file, and what reading it gives, are those of `pack_json`.  Of thousands of templates a decision changes a few: only
these are written, checked and read anew; the others are known by being the same objects.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b

from templatemine.errors import PackError
from templatemine.model import Template
from templatemine.packs.pack import Pack
from templatemine.packs.pack_json import Writing
from templatemine.packs.short_forms import read_boundaries

__all__ = ["Revision", "version_of"]

_CHANGES = ("templates", "overrides")
"""What decisions change of a pack."""


def version_of(data: bytes) -> str:
    """A hash of a file."""
    return blake2b(data, digest_size=8).hexdigest()


class Revision:
    """A pack as it was read, on its way to the next.

    Parameters
    ----------
    pack : Pack
        As reading its file has given it.
    version : str
        That of its file.
    """

    def __init__(self, pack: Pack, version: str) -> None:
        self._pack, self._version = pack, version
        self._writing = Writing()
        self._known = _Known()
        self._trusted = False

    def next(self, pack: Pack, where: str) -> tuple[bytes, Pack, str]:
        """The file of a pack that is made of this one, what reading it gives, and its version; that is now this one.

        Raises
        ------
        PackError
            Whoever reads the file would refuse it; this one stays.
        """
        # What somebody has written by hand, or another version, is read as it will be written: that changes it.
        if not self._trusted:
            self._trusted = version_of(self._writing.data(self._pack)) == self._version
            self._known = _Known()
            self._known.add((*self._pack.templates, *self._pack.overrides.removed))
            self._known.check(self._pack.templates)
        data = self._writing.data(pack)
        made = self._made(pack, where) if self._trusted else None
        if made is None:
            self._trusted = False
            made = Pack.from_json(data.decode("utf-8"), where=where)
        self._pack, self._version = made, version_of(data)
        return data, made, self._version

    def _made(self, pack: Pack, where: str) -> Pack | None:
        """What reading the file would give; None if all of it must be read to know, or to tell what is wrong."""
        before = self._pack
        if replace(pack, **{name: getattr(before, name) for name in _CHANGES}) != before:
            return None
        if pack.mined is not before.mined or pack.questions is not before.questions:
            return None
        known = self._known
        fresh = [one for one in pack.templates if not known.checked(one)]
        removed = pack.overrides.removed
        if not all(map(known.read, removed)):
            return None
        overrides = replace(pack.overrides, removed=())
        small = replace(pack, templates=tuple(fresh), overrides=overrides, mined=(), questions=(), pages=None)
        try:
            read = Pack.from_json(small.to_json(), where=where)
            read_boundaries({"boundaries": self._writing.boundaries}, where)
        except PackError:
            return None
        if read.templates != small.templates:
            return None
        known.add(fresh)
        known.check(fresh)
        if known.doubled(pack.templates):
            return None
        return replace(pack, overrides=replace(read.overrides, removed=removed) if removed else read.overrides)


class _Known:
    """Templates that have been read, and which of them were checked, too."""

    def __init__(self) -> None:
        self._held: dict[int, tuple[Template, int, int]] = {}
        self._checked: set[int] = set()
        self._ids: dict[str, int] = {}
        self._tokens: dict[tuple[str, ...], int] = {}

    def read(self, template: Template) -> bool:
        return id(template) in self._held

    def add(self, templates: Sequence[Template]) -> None:
        for one in templates:
            if not self.read(one):
                name = self._ids.setdefault(one.id, len(self._ids))
                # Those that are written by hand may be the same.
                tokens = self._tokens.setdefault(one.tokens or ("", one.id), len(self._tokens))
                self._held[id(one)] = one, name, tokens

    def check(self, templates: Sequence[Template]) -> None:
        self._checked.update(map(id, templates))

    def checked(self, template: Template) -> bool:
        return id(template) in self._checked

    def doubled(self, templates: Sequence[Template]) -> bool:
        """Whether two have the same id, or the same tokens."""
        rows = [self._held[id(one)] for one in templates]
        return min(len({name for _, name, _ in rows}), len({tokens for _, _, tokens in rows})) < len(rows)
