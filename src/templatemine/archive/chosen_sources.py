"""Records -> those of the sources that a run is about, and what to tell of sources that no record is of."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from templatemine.errors import ConfigError, did_you_mean, list_names, spelled
from templatemine.model import Record


class ChosenSources:
    """The sources that a run is about, and those that its records are of.

    Parameters
    ----------
    only : collection of str or None
        None for all.
    source : str or None
        What is said to be the source of all records, whatever they say.
    """

    def __init__(self, only: Collection[str] | None, source: str | None = None) -> None:
        self._only = None if only is None else dict.fromkeys(only)
        self._source = source
        self._met: set[str] = set()

    def select(self, records: Iterable[Record], note: Callable[[str], None] = lambda what: None) -> Iterator[Record]:
        """Yield the records of these sources; `note` is told of each other one."""
        for record in records:
            self._met.add(record.document.source)
            if self._only is None or record.document.source in self._only:
                yield record
            else:
                note("records of other sources left out")

    def check(self, tell: Callable[[str], None], met: Iterable[str] = ()) -> None:
        """Tell of sources that no record is of, by those met so far and in `met`.

        Raises
        ------
        ConfigError
            No record is of any of them, and there are others.
        """
        others = self._met.union(met)
        missing = [source for source in self._only or () if source not in others]
        if not missing or not others:
            return
        names = sorted(others.difference(self._only or ()))
        option, named, meant = spelled("--only", "only"), list_names(missing), did_you_mean(missing[0], names)
        if self._source is not None:
            one = spelled(f"--source {self._source}", f"source={self._source!r}")
            meant = f"; {one} overrules the sources that records name{meant}"
        if len(missing) == len(self._only or ()):
            raise ConfigError(f"{option}: no record is of {named}; they are of {list_names(names)}{meant}")
        tell(f"{option}: no record that was read is of {named}{meant}")
