"""The step of scikit-learn: what `mine` and `clean` do, in its manners."""

from __future__ import annotations

import pickle
import subprocess
import sys
from random import Random
from typing import Any

import pytest

pytest.importorskip("sklearn")

import numpy as np
import sklearn
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks

import templatemine
from cli.cli_support import CALL, CREDIT, record
from templatemine.adapters.sklearn import ONE_SOURCE, BoilerplateRemover
from templatemine.config import CleanConfig, PipelineConfig


def texts_of(source: str, documents: int = 40) -> list[str]:
    random = Random(source)
    return [record(source, number, random)["text"] for number in range(documents)]


TEXTS = texts_of("alpha.example")
CUT = CALL.format("Alpha")


def test_what_it_cuts_is_what_clean_cuts() -> None:
    done = BoilerplateRemover().fit_transform(TEXTS)
    rows = [{"source": ONE_SOURCE, "id": str(place), "text": text} for place, text in enumerate(TEXTS)]
    packs = templatemine.mine(rows)
    expected = [cleaned.text for _, cleaned in templatemine.Cleaners(packs).clean_all(rows)]
    assert (done.dtype, done.shape) == (object, (len(TEXTS),))
    assert done.tolist() == expected
    assert CUT in TEXTS[0]
    assert not any(CUT in text or CREDIT.format("Alpha") in text for text in done)


def test_a_pipeline_learns_nothing_of_boilerplate() -> None:
    """Before the vectorizer: words of the sign-up prompt are no features."""
    pipeline = make_pipeline(BoilerplateRemover(), TfidfVectorizer(), LogisticRegression())
    pipeline.fit(TEXTS, [place % 2 for place in range(len(TEXTS))])
    words = set(pipeline[1].get_feature_names_out())
    assert "letter" in TfidfVectorizer().fit(TEXTS).get_feature_names_out()
    assert not {"letter", "sign", "reporting"} & words
    assert pipeline.predict(TEXTS[:3]).shape == (3,)


def test_parameters_clones_and_search() -> None:
    one = BoilerplateRemover(caution=2.0, config=PipelineConfig(), clean=CleanConfig(guard=0.5), n_jobs=2)
    copy = clone(one)
    assert copy is not one
    assert {**copy.get_params(), "config": None, "clean": None} == {
        **one.get_params(), "config": None, "clean": None
    }  # fmt: skip
    assert (copy.config, copy.clean) == (one.config, one.clean)
    assert one.set_params(caution=0.5).caution == 0.5
    assert repr(BoilerplateRemover(caution=2.0)) == "BoilerplateRemover(caution=2.0)"
    signed = [text + "\nAnn Reed" * (place % 6 == 0) for place, text in enumerate(TEXTS)]
    for caution, stays in ((1.0, False), (100.0, True)):
        assert BoilerplateRemover(caution=caution).fit_transform(signed)[0].endswith("Ann Reed") == stays
    pipeline = make_pipeline(BoilerplateRemover(), TfidfVectorizer(), LogisticRegression())
    search = GridSearchCV(pipeline, {"boilerplateremover__caution": [1.0, 2.0]}, cv=2, error_score="raise")
    search.fit(TEXTS, [place % 2 for place in range(len(TEXTS))])
    assert set(search.best_params_) == {"boilerplateremover__caution"}


def test_several_sources() -> None:
    others = texts_of("beta.example")
    sources = ["alpha.example"] * len(TEXTS) + ["beta.example"] * len(others)
    remover = BoilerplateRemover().fit([*TEXTS, *others], sources=sources)
    assert set(remover.packs_) == {"alpha.example", "beta.example"}
    own, foreign, unknown = remover.transform([CUT + "\n\nNews."] * 3, ["alpha.example", "beta.example", "nobody"])
    assert own == "News."
    assert CUT in foreign
    assert CUT in unknown
    with pytest.raises(ValueError, match="sources: expected the source of each text"):
        remover.transform(TEXTS)


def test_sources_are_routed_through_a_pipeline() -> None:
    sources = ["alpha.example" if place % 2 else "beta.example" for place in range(len(TEXTS))]
    with sklearn.config_context(enable_metadata_routing=True):
        step = BoilerplateRemover().set_fit_request(sources=True).set_transform_request(sources=True)
        pipeline = make_pipeline(step, TfidfVectorizer())
        found = pipeline.fit_transform(TEXTS, sources=sources)
        assert set(pipeline[0].packs_) == {"alpha.example", "beta.example"}
        assert abs(found - pipeline.transform(TEXTS, sources=sources)).max() < 1e-9


def test_what_it_is_given_may_be_an_array_or_a_series() -> None:
    expected = BoilerplateRemover().fit_transform(TEXTS).tolist()
    pd = pytest.importorskip("pandas")
    for given in (np.array(TEXTS), np.array(TEXTS, dtype=object), pd.Series(TEXTS), iter(TEXTS)):
        assert BoilerplateRemover().fit_transform(given).tolist() == expected


def test_it_can_be_pickled() -> None:
    remover = BoilerplateRemover().fit(TEXTS)
    assert pickle.loads(pickle.dumps(remover)).transform(TEXTS).tolist() == remover.transform(TEXTS).tolist()


@pytest.mark.parametrize(
    ("given", "sources", "message"),
    [
        ("a text", None, "X: expected texts, got one str"),
        (7, None, "X: expected texts, got one int"),
        (["a", None], None, r"X\[1\]: expected a text, got NoneType"),
        (["a", "b"], ["one"], "sources: expected 2, one a text, got 1"),
    ],
)
def test_what_is_wrong_is_said(given: Any, sources: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BoilerplateRemover().fit(given, sources=sources)


@pytest.mark.parametrize("nothing", [None, float("nan"), 7], ids=str)
def test_nulls_are_skipped_if_that_is_asked_for(nothing: object) -> None:
    """As `mine(..., errors="skip")` leaves them out; rows stay as many, and what is no text stays what it was."""
    rows = [nothing, *TEXTS, nothing]
    with pytest.warns(UserWarning, match=r"2 rows skipped: X\[0\]: expected a text, got"):
        remover = BoilerplateRemover(errors="skip").fit(rows)
    with pytest.warns(UserWarning, match="2 rows skipped"):
        done = remover.transform(rows)
    assert done[0] is nothing
    assert done[-1] is nothing
    assert done[1:-1].tolist() == BoilerplateRemover().fit_transform(TEXTS).tolist()
    sources: list[Any] = ["a.example"] * len(rows)
    sources[1] = None
    with pytest.warns(UserWarning, match="3 rows skipped"):
        remover = clone(remover).fit(rows, sources=sources)
    assert list(remover.packs_) == ["a.example"]
    assert not remover.several_sources_
    with pytest.warns(UserWarning, match="3 rows skipped"):
        assert remover.transform(rows, sources)[1] == TEXTS[0]
    with pytest.raises(ValueError, match="errors: expected raise or skip, got 'drop'"):
        BoilerplateRemover(errors="drop").fit(rows)


def test_it_must_be_fitted() -> None:
    with pytest.raises(NotFittedError):
        BoilerplateRemover().transform(TEXTS)


def test_too_few_texts_stay_as_they_are() -> None:
    with pytest.warns(UserWarning, match="no pack of"):
        assert BoilerplateRemover().fit_transform(TEXTS[:2]).tolist() == TEXTS[:2]


CHECKS = (
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_estimator_tags_renamed",
    "check_get_params_invariance",
    "check_mixin_order",
    "check_no_attributes_set_in_init",
    "check_parameters_default_constructible",
    "check_set_params",
    "check_valid_tag_types",
)
"""Those of scikit-learn that need no matrix of numbers; for what takes texts its generator yields one alone."""


@pytest.mark.parametrize("name", CHECKS)
def test_checks_of_estimators(name: str) -> None:
    check = getattr(estimator_checks, name, None)
    if check is None:
        pytest.skip(f"scikit-learn {sklearn.__version__} has no {name}")
    check("BoilerplateRemover", BoilerplateRemover())


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_checks_that_scikit_learn_chooses() -> None:
    ran = [check(estimator) for estimator, check in estimator_checks.estimator_checks_generator(BoilerplateRemover())]
    assert ran


def test_a_missing_library_is_named() -> None:
    code = "import sys; sys.modules['sklearn'] = None; import templatemine.adapters.sklearn"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "MissingExtraError: BoilerplateRemover needs scikit-learn: pip install" in ran.stderr
