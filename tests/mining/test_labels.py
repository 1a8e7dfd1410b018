"""Candidates of a source: whole segments that repeat, prefixes and suffixes of others, against their slow twins."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from candidate_reference import ends_line
from strategies import examples
from templatemine.config import TokeniseConfig
from templatemine.mining import labels
from templatemine.mining.labels import PREFIX, SEGMENT, SUFFIX, find_candidates
from templatemine.mining.segments import Segments, segment
from templatemine.mining.tokenise import tokenise
from templatemine.model import Document

LINES = st.lists(st.sampled_from(["a", "b", "c", "Said", "x."]), min_size=1, max_size=5).map(" ".join)


def segments_of(texts: list[str]) -> Segments:
    documents = [Document(source="s", id=str(place), text=text) for place, text in enumerate(texts)]
    return segment(tokenise("s", documents, TokeniseConfig(), lines=True))


@examples(150)
@given(st.lists(st.lists(LINES, max_size=4).map("\n".join), min_size=1, max_size=12), st.integers(1, 4))
def test_candidates_are_those_of_the_reference(texts: list[str], longest: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(labels, "_MAX_LABEL_TOKENS", longest)
        patch.setattr(labels, "_MIN_LABEL_DF", 2)
        some = segments_of(texts)
        found = find_candidates(some)
    rows = [
        (int(some.document[number]), some.tokens[some.bounds[number] : some.bounds[number + 1]].tolist())
        for number in range(len(some))
    ]
    by_string: dict[tuple[bool, tuple[int, ...]], list[int]] = defaultdict(list)
    ends = ends_line(some)
    for number, (document, forms) in enumerate(rows):
        by_string[bool(some.begins_line[number] and ends[number]), tuple(forms)].append(document)
    wanted = {key: (len(own), len(set(own))) for key, own in by_string.items() if len(set(own)) >= 2}
    for one in found:
        starts = one.starts(some, one.first, one.length)
        strings = [
            tuple(some.tokens[start : start + size].tolist())
            for start, size in zip(starts.tolist(), one.length.tolist(), strict=True)
        ]
        counts = list(zip(one.count.tolist(), one.df.tolist(), strict=True))
        if one.kind == SEGMENT:
            alone = (some.begins_line & ends)[one.first].tolist()
            assert dict(zip(zip(alone, strings, strict=True), counts, strict=True)) == wanted
            continue
        assert one.kind in (PREFIX, SUFFIX)
        assert len(set(strings)) == len(strings)
        own = reference.labels(rows, 3, 2, longest, 0.9, one.kind == SUFFIX)
        assert dict(zip(strings, counts, strict=True)) == own


def test_an_abbreviation_ends_no_sentence() -> None:
    texts = [
        f"Mr. Roe{number} came to the U.S. Senate. It was a long morning. The vote was very near."
        for number in range(30)
    ]
    some = segments_of(texts)
    assert len(some) == 3 * 30
    in_capitals = segments_of([f"The {word} REP. ROE LEFT. REP. DEL CAME." for word in ("ABEL", "TARV")])
    assert in_capitals.length.tolist() == [5, 3] * 2
    unlike = segments_of([f"The {word} RIG. ROE LEFT. RIG. DEL CAME." for word in ("ABEL", "TARV")])
    assert unlike.length.tolist() == [3, 2, 1, 2] * 2
    # Others in capitals may end a sentence: "POST NETWORK INC.".
    names = ("ABEL", "TARV", "QUIS")
    firms = segments_of([f"{name.title()} Inc. and Roe Inc. or {name} POST INC. ROE LEFT." for name in names])
    assert firms.length.tolist() == [9, 2] * 3
    numbered = segments_of(
        [f"We read no. 5 and pp. 7 yesterday. {place} arrived. Art. 9 remains." for place in range(9)]
    )
    assert numbered.length.tolist() == [8, 2, 3] * 9
    spaceless = segments_of(["今日は晴れです。明日は雨でしょう。"] * 6)
    assert len(spaceless) == 2 * 6
    assert spaceless.spaceless
    assert not some.spaceless
