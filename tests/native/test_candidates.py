"""Candidates of a source and their features, against slow twins, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import candidate_reference
from strategies import examples
from templatemine import _core
from templatemine.config import TokeniseConfig
from templatemine.mining import _candidates
from templatemine.mining.corpus import Corpus
from templatemine.mining.cues import load_cues
from templatemine.mining.features import FEATURES, CueReader, compute_features
from templatemine.mining.labels import KINDS, PREFIX, SEGMENT, SUFFIX, Candidates, find_candidates
from templatemine.mining.segments import Segments, segment
from templatemine.mining.tokenise import tokenise
from templatemine.model import Document

WORDS = ["a", "b", "Ann", "Said", "x.", "said:", "(c)", "12", "3.5", "今", "日", ", so", "and", "Photo", "by", "IV)"]
lines = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
# Few different ones, so that many repeat, and some of many words.
repeated = st.sampled_from(
    ["Photo by Ann", "Photo by b x.", "Said a. So it is", "a b a b a b a b a b a b a b a b.", "Related: 12", "今日"]
)
archives = st.lists(st.lists(lines | repeated, max_size=7).map("\n".join), min_size=1, max_size=24)
dates = st.none() | st.sampled_from(["2020-01-01", "2021-06-01", "2021-06-02", "2024"])


def source_of(texts: list[str]) -> tuple[Corpus, Segments]:
    documents = [Document(source="s", id=str(place), text=text) for place, text in enumerate(texts)]
    corpus = tokenise("s", documents, TokeniseConfig(), lines=True)
    return corpus, segment(corpus)


def same(one: Candidates, other: Candidates) -> None:
    assert one.kind == other.kind
    for name in ("segment", "bounds", "length", "df", "longer", "shorter"):
        found, wanted = getattr(one, name), getattr(other, name)
        assert found.dtype == wanted.dtype, name
        assert found.tolist() == wanted.tolist(), name


@examples(200)
@given(archives, st.integers(1, 4), st.integers(1, 4), st.sampled_from([0.3, 0.9, 1.0]))
def test_labels_are_those_of_the_reference(texts: list[str], longest: int, least: int, share: float) -> None:
    _, some = source_of(texts)
    for kind in (PREFIX, SUFFIX):
        columns = some.tokens, some.bounds, some.document, some.string_df, 3
        found = _candidates.find_labels(*columns, kind == SUFFIX, longest, least, share)
        names = ("segment", "bounds", "length", "df", "longer", "shorter")
        native = Candidates(kind=kind, **dict(zip(names, found, strict=True)))
        same(native, candidate_reference.labels(some, kind, longest, least, share))


def test_labels_of_groups_that_are_sorted_by_their_bits() -> None:
    """Groups of more than a few segments, and tokens of several bytes, are sorted in another way."""
    random = np.random.default_rng(5)
    texts = [
        "\n".join(f"{word} w{random.integers(900)} y" for word in random.choice(["By", "In"], 9)) for _ in range(99)
    ]
    texts.append(" ".join(f"w{number}" for number in range(900)))
    _, some = source_of(texts)
    for kind in (PREFIX, SUFFIX):
        found = _candidates.find_labels(
            some.tokens, some.bounds, some.document, some.string_df, 3, kind == SUFFIX, 3, 2, 0.9
        )
        names = ("segment", "bounds", "length", "df", "longer", "shorter")
        same(
            Candidates(kind=kind, **dict(zip(names, found, strict=True))),
            candidate_reference.labels(some, kind, 3, 2, 0.9),
        )


@examples(100)
@given(archives)
def test_segments_are_numbered_and_found_as_in_the_reference(texts: list[str]) -> None:
    """Numbers come in another order, by which nothing but the order of candidates goes."""
    _, some = source_of(texts)
    number, df = _core.number_hashes(some.hashes, some.document)
    string, of_string = candidate_reference.number_hashes(some.hashes, some.document)
    pairs = set(zip(number.tolist(), string.tolist(), strict=True))
    assert len(pairs) == len(set(number.tolist())) == len(set(string.tolist())) == len(df)
    assert df[number].tolist() == of_string[string].tolist()
    assert [*dict.fromkeys(number.tolist())] == [*range(len(df))]
    same(find_candidates(some)[0], candidate_reference.find_repeated_segments(some, 2))


@examples(200)
@given(st.lists(st.integers(0, 12)), st.lists(st.tuples(st.integers(0, 12), st.integers(0, 5))))
def test_holders_are_counted(wanted: list[int], rows: list[tuple[int, int]]) -> None:
    rows.sort(key=lambda row: row[1])
    hashes, documents = (np.array([row[column] for row in rows], np.int64) for column in (0, 1))
    counts = _core.count_holders(np.array(wanted, np.uint64), hashes.astype(np.uint64), documents.astype(np.int32))
    assert counts.tolist() == [len({document for one, document in rows if one == hash_}) for hash_ in wanted]


@examples(200)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(1, 3)), max_size=12),
    *(st.integers(*bounds) for bounds in ((1, 3), (1, 4), (1, 8), (0, 9))),
)
def test_sketches_are_those_of_the_reference(
    segments: list[tuple[int, int]], max_df: int, size: int, most: int, seed: int
) -> None:
    lengths, df = (np.array([row[column] for row in segments], np.int32) for column in (0, 1))
    tokens = np.random.default_rng(seed).integers(0, 7, lengths.sum(), np.int32)
    columns = tokens, lengths, df, max_df, size, most
    assert _candidates.sketch_segments(*columns).tolist() == candidate_reference.sketch_segments(*columns)


@examples(150)
@given(archives, st.data())
def test_features_are_those_of_the_reference(texts: list[str], data: st.DataObject) -> None:
    days = [data.draw(dates) for _ in texts]
    check_features(texts, days)


def test_features_of_candidates_with_many_occurrences() -> None:
    """Sums of 8, of 128 and of more values are added up in other ways."""
    random = np.random.default_rng(2)
    texts = []
    for number in range(330):
        prose = [" ".join(f"w{random.integers(60)}" for _ in range(random.integers(1, 30))) for _ in range(4)]
        some = [f"Photo by Ann W{number}.", "Read more.", *prose, "Said " + prose[0]]
        texts.append("\n".join(random.permutation(some[: 2 + number % 6]).tolist()))
    check_features(
        texts, [f"20{10 + number % 9}-01-0{1 + number % 7}" if number % 3 else None for number in range(330)]
    )


def check_features(texts: list[str], days: list[str | None]) -> None:
    corpus, some = source_of(texts)
    kinds = [
        candidate_reference.find_repeated_segments(some, 2),
        candidate_reference.labels(some, PREFIX, 12, 2, 0.9),
        candidate_reference.labels(some, SUFFIX, 12, 2, 0.9),
    ]
    table = candidate_reference.Table.of(corpus, some, days)
    reader = CueReader(some, corpus.form_names, [load_cues()])
    for one, found in zip(kinds, compute_features(corpus, some, days, kinds, reader), strict=True):
        wanted = candidate_reference.describe(table, one)
        names = candidate_reference.native_features(one.kind)
        assert found.shape == (len(one), len(FEATURES[one.kind]))
        assert wanted.shape == (len(one), len(names))
        for place, name in enumerate(names):
            # numpy takes logarithms of fractions by instructions of its own, which may differ in the last bit.
            close = np.isclose(found[:, place], wanted[:, place], rtol=1e-7, atol=0)
            assert close.all(), (one.kind, name, found[:, place], wanted[:, place])


TEXTS = ["Photo by Ann\nRelated: b", "Photo by b x\nPhoto by a. So\nRead more", "Read more\nPhoto by", "Photo by Q R"]


def arguments() -> tuple[list[Any], tuple[Any, ...]]:
    """Of `FeatureExtractor`, and of `compute_features` for prefixes."""
    corpus, some = source_of(TEXTS)
    forms: Any = corpus.form_names
    size = len(corpus.counts)
    given_all = [
        *(some.tokens, some.doc_tokens, some.bounds, some.document, some.begins_line.view(np.uint8)),
        *(some.string, some.string_df, corpus.traits, np.maximum(corpus.counts, 1), np.ones(size)),
        *(forms.arena, forms.offsets, b".", np.zeros(4, np.int64), np.full(4, 4, np.int64), 3),
    ]
    one = candidate_reference.labels(some, PREFIX, 12, 2, 0.9)
    assert len(one)
    columns = one.segment, one.bounds, one.length, one.df, one.longer, one.shorter, np.ones(len(one), np.int64)
    return given_all, (KINDS.index(PREFIX), *columns)


@pytest.mark.parametrize("place", [place for place in range(15) if place != 12])
def test_columns_that_disagree_are_refused(place: int) -> None:
    given_all, _ = arguments()
    given_all[place] = given_all[place][:-1].copy()
    with pytest.raises(ValueError, match="expected"):
        _candidates.FeatureExtractor(*given_all)


@pytest.mark.parametrize(
    ("place", "value"), [(0, 99), (0, -1), (3, 99), (3, -1), (5, 99), (5, -1), (1, -1), (2, 0), (4, 0)]
)
def test_numbers_that_point_nowhere_are_refused(place: int, value: int) -> None:
    given_all, _ = arguments()
    wrong = given_all[place].copy()
    wrong[1 if place == 2 else 0 if place == 4 else -1] = value
    given_all[place] = wrong
    with pytest.raises(ValueError, match="expected"):
        _candidates.FeatureExtractor(*given_all)


@pytest.mark.parametrize("place", range(1, 8))
def test_candidates_that_do_not_fit_are_refused(place: int) -> None:
    given_all, columns = arguments()
    native = _candidates.FeatureExtractor(*given_all)
    assert native.compute(*columns).shape == (len(columns[3]), len(candidate_reference.native_features(PREFIX)))
    wrong = [*columns]
    wrong[place] = columns[place][:-1].copy()
    with pytest.raises(ValueError, match="expected"):
        native.compute(*wrong)
    if place in (1, 2, 3):
        wrong[place] = columns[place].copy()
        wrong[place][-1] = 99
        with pytest.raises(ValueError, match="expected"):
            native.compute(*wrong)
    with pytest.raises(ValueError, match="kind: expected 0 to 2, got 3"):
        native.compute(3, *columns[1:])
    with pytest.raises(ValueError, match="expected it within"):
        native.compute(KINDS.index(SEGMENT), *columns[1:])


def test_what_finds_candidates_refuses_what_does_not_fit() -> None:
    _, some = source_of(TEXTS)
    begins = some.begins_line.view(np.uint8)
    columns = some.tokens, some.bounds, some.document, some.string_df
    for place in range(1, 4):
        wrong = [one[:-1].copy() if at == place else one for at, one in enumerate(columns)]
        with pytest.raises(ValueError, match="expected"):
            _candidates.find_labels(*wrong, 3, False, 3, 2, 0.9)
    for longest, least in ((0, 2), (3, 0), (1 << 20, 2)):
        with pytest.raises(ValueError, match="expected labels"):
            _candidates.find_labels(*columns, 3, False, longest, least, 0.9)
    with pytest.raises(ValueError, match="tokens"):
        _candidates.find_labels(some.tokens - 99, *columns[1:], 3, False, 3, 2, 0.9)
    for wrong_string in (some.string + len(some), some.string - 1, some.string[:-1].copy()):
        with pytest.raises(ValueError, match="expected"):
            _candidates.find_repeated_segments(wrong_string, some.string_df, some.document, begins, 2)
    with pytest.raises(ValueError, match="expected equal lengths"):
        _core.number_hashes(some.hashes, some.document[:-1])
    with pytest.raises(ValueError, match="expected equal lengths"):
        _core.count_holders(some.hashes, some.hashes, some.document[:-1])
    few, one = np.ones(2, np.int32), np.ones(1, np.int32)
    for columns, numbers, told in (
        ((few, few, one), (1, 2, 3), "as many lengths"),
        ((few, one, one), (1, 2, 3), "segments of 2 tokens"),
        ((few, few, few), (1, 0, 3), "strings of a token"),
        ((few, few, few), (1, 2, 0), "strings of a token"),
    ):
        with pytest.raises(ValueError, match=told):
            _candidates.sketch_segments(*columns, *numbers)


@pytest.mark.parametrize("texts", [[""], ["", ""], ["a"], ["a", "a"]], ids=repr)
def test_sources_of_next_to_nothing(texts: list[str]) -> None:
    corpus, some = source_of(texts)
    kinds = find_candidates(some)
    assert [one.kind for one in kinds] == list(KINDS)
    reader = CueReader(some, corpus.form_names, [load_cues()])
    found = compute_features(corpus, some, [None] * len(texts), kinds, reader)
    assert [len(one) for one in found] == [len(one) for one in kinds] == [int(texts == ["a", "a"]), 0, 0]
