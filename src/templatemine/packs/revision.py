"""A pack that is changed a little, again and again, as people do at a desk -> its file, and the pack that this gives.

The file, and what reading it gives, are those of `pack_json`.  Of thousands of templates a decision changes a few: only
these are written, checked and read anew; the others are recognised as the same objects.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b

from templatemine.errors import PackError
from templatemine.model import Template
from templatemine.packs.pack import Pack
from templatemine.packs.pack_json import PackSerialiser
from templatemine.packs.pack_record import rule_id
from templatemine.packs.short_forms import read_boundaries

_EDITABLE_FIELDS = ("templates", "overrides")
"""Fields of a pack that decisions change."""


def file_version(data: bytes) -> str:
    """Return a hash of a file."""
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
        self._serialiser = PackSerialiser()
        self._templates = _CheckedTemplates()
        self._is_trusted = False

    def prepare(self) -> None:
        """Do the work for `next` that does not depend on what is decided."""
        # Expressions by hand, or of another version, are read as they will be written: that changes it.
        if not self._is_trusted:
            self._is_trusted = file_version(self._serialiser.serialise(self._pack)) == self._version
            self._templates = _CheckedTemplates()
            self._templates.add((*self._pack.templates, *self._pack.overrides.removed))
            self._templates.mark_checked(self._pack.templates)

    def next(self, pack: Pack, where: str) -> tuple[bytes, Pack, str]:
        """Return the file of a pack that is made of this one, what reading it gives, and its version; that is now this
        one.

        Raises
        ------
        PackError
            Whoever reads the file would refuse it; this one stays.
        """
        self.prepare()
        data = self._serialiser.serialise(pack)
        read = self._read_edited(pack, where) if self._is_trusted else None
        if read is None:
            self._is_trusted = False
            read = Pack.from_json(data.decode("utf-8"), where=where)
        self._pack, self._version = read, file_version(data)
        return data, read, self._version

    def _read_edited(self, pack: Pack, where: str) -> Pack | None:
        """Return the pack as read from its file; None if the whole file must be read."""
        before = self._pack
        if replace(pack, **{name: getattr(before, name) for name in _EDITABLE_FIELDS}) != before:
            return None
        if pack.mined is not before.mined or pack.questions is not before.questions:
            return None
        templates = self._templates
        unchecked = [template for template in pack.templates if not templates.is_checked(template)]
        # Rules that write templates out are read with them.
        added = {*pack.overrides.added, *(rule_id(rule) for rule in pack.overrides.rules if rule.action == "edit")}
        ruled = [one for one in pack.templates if one.id in added and templates.is_checked(one)]
        removed = pack.overrides.removed
        if not all(map(templates.is_read, removed)):
            return None
        overrides = replace(pack.overrides, removed=())
        small = replace(pack, templates=(*unchecked, *ruled), overrides=overrides, mined=(), questions=(), pages=None)
        try:
            edited = Pack.from_json(small.to_json(), where=where)
            read_boundaries({"boundaries": self._serialiser.boundaries}, where)
        except PackError:
            return None
        if edited.templates != small.templates:
            return None
        templates.add(unchecked)
        templates.mark_checked(unchecked)
        if templates.has_duplicates(pack.templates):
            return None
        return replace(pack, overrides=replace(edited.overrides, removed=removed) if removed else edited.overrides)


class _CheckedTemplates:
    """Templates that have been read, and which of them were checked, too."""

    def __init__(self) -> None:
        self._rows: dict[int, tuple[Template, int, int]] = {}
        self._checked: set[int] = set()
        self._ids: dict[str, int] = {}
        self._tokens: dict[tuple[str, ...], int] = {}

    def is_read(self, template: Template) -> bool:
        return id(template) in self._rows

    def add(self, templates: Sequence[Template]) -> None:
        for template in templates:
            if not self.is_read(template):
                id_number = self._ids.setdefault(template.id, len(self._ids))
                # Those that are written by hand may be the same.
                token_number = self._tokens.setdefault(template.tokens or ("", template.id), len(self._tokens))
                self._rows[id(template)] = template, id_number, token_number

    def mark_checked(self, templates: Sequence[Template]) -> None:
        self._checked.update(map(id, templates))

    def is_checked(self, template: Template) -> bool:
        return id(template) in self._checked

    def has_duplicates(self, templates: Sequence[Template]) -> bool:
        """Return whether two have the same id, or the same tokens."""
        rows = [self._rows[id(template)] for template in templates]
        return min(
            len({id_number for _, id_number, _ in rows}), len({token_number for _, _, token_number in rows})
        ) < len(rows)
