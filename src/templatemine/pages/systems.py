"""The page-level systems by name, and the contract that each of them keeps.

A system is a module with one function ``make(site, config)``: pack and other pages of the site and the options come
in, and out goes a `BlockClassifier`, which takes a `Page` (the shared block model) and gives a `SystemOutput`: of each
block whether it is kept and why.  Everything else, such as texts, offsets, paths and mark-up, is done once, in
`pages.extract`.  `combine.load_system` imports a module when its system is first asked for; a classifier may be shared
between threads.

To add a system, write the module in `baselines` and name it in `SYSTEMS`; options of its own go to
`config.ExtractConfig`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from templatemine.model import PageHistory
    from templatemine.packs.pack import Pack
    from templatemine.pages.blocks import Page

__all__ = ["DEFAULT", "SYSTEMS", "BlockEvidence", "BlockClassifier", "Post", "Site", "SystemOutput"]

SYSTEMS: Mapping[str, str] = {
    "hybrid": "the page model, and the history of the site where a pack has it",
    "bte": "the stretch with most words and fewest tags",
    "density": "the node with most text for its structure",
    "diff": "what another page of the site does not have in the same place",
    "shallow": "a decision tree on shallow features of a block and its neighbours",
    "crf": "runs of text between tags, labelled in sequence",
    "blog": "posts, titles and dates, by the ids and classes that blogs give them",
}
"""Descriptions, one line each; the module of the same name holds it."""

DEFAULT = "hybrid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """The site of a page: its pack and other pages of it.

    Attributes
    ----------
    pack : Pack or None
        Of the page's source.
    references : sequence of str
        Other pages of the site, best first.
    """

    pack: Pack | None = None
    references: Sequence[str] = ()

    @property
    def history(self) -> PageHistory | None:
        """Return where the main text is on the pages of the source, if its pack has it."""
        return None if self.pack is None else self.pack.pages


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """One of the posts of a page: its title and date as far as they are known, and its text.

    `date` is in ISO 8601; `blocks` are the indices of its blocks on the page.
    """

    text: str
    title: str | None = None
    date: str | None = None
    blocks: tuple[int, ...] = ()


class BlockEvidence(NamedTuple):
    """The evidence on each of n blocks: scores of the page model and of the history, and the code of the decision.

    Attributes
    ----------
    page, path : float arrays, shape (n,)
        Log odds that it is main text, by the page model alone, and by the votes of its path alone (nan without any).
    df : int array, shape (n,)
        Pages of the source with the same text under the same path.
    code : int array, shape (n,)
        See `decode.REASONS`.
    """

    page: NDArray[np.float64]
    path: NDArray[np.float64]
    df: NDArray[np.int32]
    code: NDArray[np.int8]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemOutput:
    """The decision of a system for each of the n blocks of a page.

    Attributes
    ----------
    kept : bool array, shape (n,)
    reason : integer array, shape (n,)
        Index into `reasons` of why a block was kept or dropped.
    reasons : tuple of str
    score : float array, shape (n,), or None
        Whatever the system decided by, greater for text.
    labels : sequence of n str, or None
        The system's own names of kinds of blocks, if it has any.
    cuts : mapping of int to tuple of (start, end)
        Of kept blocks: stretches of the block's text, in code points, ascending and disjoint, that are left out.
    title, date : str or None
        Of the page; the date in ISO 8601.
    posts : tuple of Post
    note : str
        A remark on the page as a whole, such as that it was left out.
    kinds : mapping of int to str
        Of kept blocks that are boilerplate of a kind, and kept by choice, the kind (`kinds.KINDS`).
    evidence : Evidence or None
        Of the page model and the history of the site, if the system asks them.
    """

    kept: NDArray[np.bool_]
    reason: NDArray[np.integer]
    reasons: tuple[str, ...]
    score: NDArray[np.floating] | None = None
    labels: Sequence[str] | None = None
    cuts: Mapping[int, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    title: str | None = None
    date: str | None = None
    posts: tuple[Post, ...] = ()
    note: str = ""
    kinds: Mapping[int, str] = field(default_factory=dict)
    evidence: BlockEvidence | None = None


BlockClassifier = Callable[["Page"], SystemOutput]
