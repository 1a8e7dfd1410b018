"""Cleaning as a step of scikit-learn: `fit` mines texts of an archive, `transform` cuts what it found out of others::

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
from templatemine.config import CleanConfig, PipelineConfig
from templatemine.errors import MissingExtraError, pip_line
from templatemine.model import Document, exact_str
from templatemine.pipeline import mine

try:
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.utils.validation import check_is_fitted
except ImportError as error:
    raise MissingExtraError(f"BoilerplateRemover needs scikit-learn: {pip_line('sklearn')}") from error

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ONE_SOURCE", "BoilerplateRemover"]

ONE_SOURCE = "source"
"""What the source of texts is called of which none is given."""


class BoilerplateRemover(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Texts in, the same texts without the boilerplate of their sources out.

    Texts of several sources need `sources` in `fit` and `transform`; within a pipeline by metadata routing
    (``set_fit_request(sources=True)``, ``set_transform_request(sources=True)``).

    Parameters
    ----------
    caution : float, default 1.0
        How many times likelier than by default a string must be boilerplate; below 1 cuts more.
    config : PipelineConfig, optional
        All options of mining; `caution` counts instead of its own.
    clean : CleanConfig, optional
    n_jobs : int, default 1
        Threads of mining, one source each at a time.

    Attributes
    ----------
    packs_ : dict of str to Pack
        By source; sources that are too small have none, and their texts stay as they are.

    Examples
    --------
    >>> remover = BoilerplateRemover().fit(texts)  # doctest: +SKIP
    >>> remover.packs_  # doctest: +SKIP
    {'source': <Pack source: 12 templates of 300 documents, default>}
    """

    def __init__(
        self,
        *,
        caution: float = 1.0,
        config: PipelineConfig | None = None,
        clean: CleanConfig | None = None,
        n_jobs: int = 1,
    ) -> None:
        self.caution = caution
        self.config = config
        self.clean = clean
        self.n_jobs = n_jobs

    def fit(self, X: Iterable[str], y: object = None, sources: Iterable[str] | None = None) -> BoilerplateRemover:
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
            Something else than texts, or fewer or more sources than texts.
        """
        texts = _check_texts(X, "X")
        given = _check_sources(texts, sources)
        names = [ONE_SOURCE] * len(texts) if given is None else given
        config = self.config or PipelineConfig()
        config = replace(config, select=replace(config.select, caution=self.caution))
        documents = [
            Document(source=source, id=str(number), text=text)
            for number, (source, text) in enumerate(zip(names, texts, strict=True))
        ]
        self.packs_ = mine(documents, config, jobs=self.n_jobs)
        self.several_sources_ = given is not None and len({*given}) > 1
        self._rows = RowCleaner(self.packs_, self.clean)
        return self

    def transform(self, X: Iterable[str], sources: Iterable[str] | None = None) -> NDArray[np.object_]:
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
        texts = _check_texts(X, "X")
        names = _check_sources(texts, sources)
        if names is None:
            if self.several_sources_:
                raise ValueError("sources: expected the source of each text, as fit was given several sources")
            names = [next(iter(self.packs_), ONE_SOURCE)] * len(texts)
        cleaned = np.empty(len(texts), dtype=object)
        cleaned[:] = self._rows.columns(names, texts).texts
        return cleaned

    def fit_transform(
        self, X: Iterable[str], y: object = None, sources: Iterable[str] | None = None
    ) -> NDArray[np.object_]:
        """`fit`, then `transform` of the same texts."""
        texts = _check_texts(X, "X")
        names = None if sources is None else list(sources)
        return self.fit(texts, y, names).transform(texts, names)

    def __sklearn_tags__(self) -> Any:
        """What the estimator takes: strings, one each."""
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        return tags


def _check_texts(values: Iterable[object], name: str) -> list[str]:
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise ValueError(f"{name}: expected texts, got one {type(values).__name__}")
    rows: list[str] = []
    for place, row in enumerate(values):
        if not isinstance(row, str):
            raise ValueError(f"{name}[{place}]: expected a text, got {type(row).__name__}")
        rows.append(exact_str(row))
    return rows


def _check_sources(texts: Sequence[str], sources: Iterable[str] | None) -> list[str] | None:
    if sources is None:
        return None
    names = _check_texts(sources, "sources")
    if len(names) != len(texts):
        raise ValueError(f"sources: expected {len(texts):,}, one a text, got {len(names):,}")
    return names
