"""Cleaning as a step of scikit-learn: `fit` mines texts of an archive, `transform` cuts it out of others::

    from templatemine.adapters.sklearn import BoilerplateRemover

    pipeline = make_pipeline(BoilerplateRemover(), TfidfVectorizer(), LogisticRegression())
    pipeline.fit(texts, labels)

Texts of several sources need ``sources`` in both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from templatemine.adapters.rows import RowCleaner
from templatemine.api import mine
from templatemine.config import CleanConfig, PipelineConfig
from templatemine.errors import counted, needs_extra, warn_caller
from templatemine.io.documents_like import Errors
from templatemine.model import Document, exact_str

with needs_extra("BoilerplateRemover needs scikit-learn", "sklearn"):
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ONE_SOURCE", "BoilerplateRemover"]

ONE_SOURCE = "source"
"""Name of the source of texts without one."""


class BoilerplateRemover(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Texts in, the same texts without the boilerplate of their sources out.

    Texts of several sources need `sources` in `fit` and `transform`; within a pipeline by metadata routing
    (``set_fit_request(sources=True)``, ``set_transform_request(sources=True)``).

    Parameters
    ----------
    caution : float, default 1.0
        How many times likelier than by default a string must be boilerplate; below 1 mostly cuts more.
    config : PipelineConfig, optional
        All options of mining; `caution` counts instead of its own.
    clean : CleanConfig, optional
    n_jobs : int, default 1
        Threads of mining, one source each at a time.
    errors : {"raise", "skip"}, default "raise"
        What to do with values that are no text, such as nulls of a data frame, and with texts without a source: the
        first is raised, or none is learnt from and all stay as they are, with a warning.

    Attributes
    ----------
    packs_ : dict of str to Pack
        By source; sources that are too small have none, and their texts stay as they are.

    Examples
    --------
    >>> remover = BoilerplateRemover().fit(texts)  # doctest: +SKIP
    >>> remover.packs_  # doctest: +SKIP
    {'source': <Pack source: 12 templates of 300 documents, learned>}
    """

    def __init__(
        self,
        *,
        caution: float = 1.0,
        config: PipelineConfig | None = None,
        clean: CleanConfig | None = None,
        n_jobs: int = 1,
        errors: Errors = "raise",
    ) -> None:
        self.caution = caution
        self.config = config
        self.clean = clean
        self.n_jobs = n_jobs
        self.errors = errors

    def fit(self, X: Iterable[object], y: object = None, sources: Iterable[object] | None = None) -> BoilerplateRemover:
        """Mine a pack of each source.

        Parameters
        ----------
        X : iterable of str
        y : ignored
        sources : iterable of str, optional
            Of each text; without it all are of one.

        Raises
        ------
        ValueError
            Something else than texts where `errors` is "raise", or fewer or more sources than texts.
        """
        _, texts, names = self._check(X, sources)
        sources_of = [ONE_SOURCE] * len(texts) if names is None else names
        config = self.config or PipelineConfig()
        config = replace(config, select=replace(config.select, caution=self.caution))
        documents = [
            Document(source=source, id=str(number), text=text)
            for number, (source, text) in enumerate(zip(sources_of, texts, strict=True))
            if source is not None and text is not None
        ]
        self.packs_ = dict(mine(documents, config, jobs=self.n_jobs))
        self.several_sources_ = names is not None and len({*names} - {None}) > 1
        self._rows = RowCleaner(self.packs_, self.clean)
        return self

    def transform(self, X: Iterable[object], sources: Iterable[object] | None = None) -> NDArray[np.object_]:
        """Cut the boilerplate out of texts.

        Returns
        -------
        ndarray of str, shape (texts,)
            Texts of a source without a pack are as they were.

        Raises
        ------
        NotFittedError
        ValueError
            As of `fit`, or no sources where it had several.
        """
        check_is_fitted(self)
        values, texts, names = self._check(X, sources)
        if names is None:
            if self.several_sources_:
                raise ValueError("sources: expected the source of each text, as fit was given several sources")
            names = [next(iter(self.packs_), ONE_SOURCE)] * len(texts)
        cleaned = np.empty(len(texts), dtype=object)
        cleaned[:] = self._rows.columns(names, texts).texts
        for place, text in enumerate(texts):
            if text is None:
                cleaned[place] = values[place]
        return cleaned

    def fit_transform(
        self, X: Iterable[object], y: object = None, sources: Iterable[object] | None = None
    ) -> NDArray[np.object_]:
        """Call `fit`, then `transform` with the same texts."""
        texts = _list_rows(X, "X")
        names = None if sources is None else list(sources)
        return self.fit(texts, y, names).transform(texts, names)

    def _check(
        self, X: Iterable[object], sources: Iterable[object] | None
    ) -> tuple[list[object], list[str | None], list[str | None] | None]:
        """Return the input, its texts, and their sources; None for a missing one if `errors` allows that."""
        if self.errors not in ("raise", "skip"):
            raise ValueError(f"errors: expected raise or skip, got {self.errors!r}")
        values = _list_rows(X, "X")
        texts, problems = _read_texts(values, "X")
        names = None
        if sources is not None:
            names, more = _read_texts(_list_rows(sources, "sources"), "sources")
            if len(names) != len(texts):
                raise ValueError(f"sources: expected {len(texts):,}, one a text, got {len(names):,}")
            problems += more
        if problems and self.errors == "raise":
            raise ValueError(problems[0])
        if problems:
            warn_caller(f"{counted(len(problems), 'row')} skipped: {problems[0]}")
        return values, texts, names

    def __sklearn_tags__(self) -> Any:
        """Declare the input of the estimator: strings, one each."""
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        return tags


def _list_rows(values: Iterable[object], name: str) -> list[object]:
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise ValueError(f"{name}: expected texts, got one {type(values).__name__}")
    return list(values)


def _read_texts(rows: Sequence[object], name: str) -> tuple[list[str | None], list[str]]:
    """Return the texts of rows, None where a row is no text, and one complaint for each of those."""
    texts = [exact_str(row) if isinstance(row, str) else None for row in rows]
    problems = [
        f"{name}[{place}]: expected a text, got {type(row).__name__}"
        for place, row in enumerate(rows)
        if not isinstance(row, str)
    ]
    return texts, problems
