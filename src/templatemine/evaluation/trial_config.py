"""Options of the trials, one frozen record each.  This module does not load numpy: the program needs its defaults."""

from __future__ import annotations

from dataclasses import dataclass

from templatemine.errors import ConfigError

KIND_NAMES = ("fixed", "slots", "drifting", "in-line", "mid-sentence", "line", "line start", "line end")
"""Kinds of synthetic templates, see `synthetic_boilerplate.KINDS`."""

FORM_NAMES = ("auto", "plain", "cleaneval", "dragnet")
"""Formats of gold texts, see `gold.TEXT_FORMS`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionConfig:
    """The synthetic templates.

    Attributes
    ----------
    seed : int
    documents : tuple of int
        Documents of each source, a run each; sources with fewer are left out of that run.
    templates : int
        Of each source: drawn without replacement from all combinations of the next three, over and over.
    kinds, lengths, shares : tuple
        Keys of `synthetic_boilerplate.KINDS`, words, shares of the documents.
    clean : bool
        The articles have no boilerplate: any other removal is false.
    """

    seed: int = 1
    documents: tuple[int, ...] = (100, 400, 1000)
    templates: int = 48
    kinds: tuple[str, ...] = KIND_NAMES
    lengths: tuple[int, ...] = (3, 6, 12, 24)
    shares: tuple[float, ...] = (0.005, 0.02, 0.1, 0.5)
    clean: bool = False

    def __post_init__(self) -> None:
        unknown = [kind for kind in self.kinds if kind not in KIND_NAMES]
        if unknown:
            raise ConfigError(f"kinds: expected some of {', '.join(KIND_NAMES)}, got {unknown[0]!r}")
        if min((*self.documents, *self.lengths, self.templates), default=0) < 1 or not (self.kinds and self.shares):
            raise ConfigError("documents, lengths and templates: expected at least 1 of each")
        if not all(0 < share <= 1 for share in self.shares):
            raise ConfigError(f"shares: expected numbers above 0 and up to 1, got {self.shares}")


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldConfig:
    """form : a key of `gold.TEXT_FORMS`.  folds : each page is cleaned by packs of the other folds; 1 learns from all
    of them, as a publisher would who cleans his archive.  seed : of folds and sample.  sample : documents of each
    source that are learnt from."""

    form: str = "auto"
    folds: int = 1
    seed: int = 1
    sample: int | None = None

    def __post_init__(self) -> None:
        if self.form not in FORM_NAMES:
            raise ConfigError(f"form: expected one of {', '.join(FORM_NAMES)}, got {self.form!r}")
        if self.folds < 1:
            raise ConfigError(f"folds: expected at least 1, got {self.folds}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalConfig:
    """Number of queries and results of retrieval, and its threshold of similarity.

    Attributes
    ----------
    seed, sample : int, int or None
        Documents of each source, picked by the seed.
    threshold : float
        Least Jaccard index of near duplicates.
    shingle : int
        Words in a row that make an element of a set.
    changed : float
        Share of the words of a copy that are replaced by others of the article.
    templates : int
        In each publisher's boilerplate, see `mirror.MirrorConfig`.
    permutations : int
        Hash functions of MinHash; pairs it finds are checked against the sets themselves.
    starts : int
        Runs of k-means, of which the best is taken.
    """

    seed: int = 1
    sample: int | None = 200
    threshold: float = 0.6
    shingle: int = 3
    changed: float = 0.05
    templates: int = 8
    permutations: int = 128
    starts: int = 4

    def __post_init__(self) -> None:
        if not 0 < self.threshold < 1 or not 0 <= self.changed < 1:
            raise ConfigError("threshold: expected above 0 and below 1; changed: from 0 to below 1")
        if min(self.shingle, self.permutations, self.starts) < 1:
            raise ConfigError("shingle, permutations and starts: expected at least 1 of each")


@dataclass(frozen=True, slots=True, kw_only=True)
class MirrorConfig:
    """seed; sample : documents of each source; templates : of each copy of a source, of all kinds in turn, in half to
    all of the documents, 4 to 20 words each."""

    seed: int = 1
    sample: int | None = 300
    templates: int = 8

    def __post_init__(self) -> None:
        if self.templates < 1:
            raise ConfigError(f"templates: expected at least 1, got {self.templates}")


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedConfig:
    """seed, sample : pages of each source, picked by it.  folds : as in `gold.GoldConfig`.  least : feed texts of fewer
    words say nothing and are not scored.  full : from so many words up, and without an ellipsis at its end, a feed text
    is taken for the whole article."""

    seed: int = 1
    sample: int | None = None
    folds: int = 5
    least: int = 10
    full: int = 120

    def __post_init__(self) -> None:
        if min(self.folds, self.least, self.full) < 1:
            raise ConfigError("folds, least and full: expected at least 1 of each")


@dataclass(frozen=True, slots=True, kw_only=True)
class ResidueConfig:
    """seed, sample : articles of each source that are looked at, picked by it; all are learnt from.  examples : of each
    kind that are reported."""

    seed: int = 1
    sample: int | None = None
    examples: int = 3

    def __post_init__(self) -> None:
        if self.examples < 0:
            raise ConfigError(f"examples: expected 0 or more, got {self.examples}")
