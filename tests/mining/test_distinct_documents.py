"""A string is boilerplate only if articles that have nothing else in common hold it."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from templatemine.config import TokeniseConfig
from templatemine.mining import distinct_documents
from templatemine.mining.distinct_documents import find_single_stories
from templatemine.mining.labels import SEGMENT, find_candidates
from templatemine.mining.near_duplicates import group_versions
from templatemine.mining.segments import segment
from templatemine.mining.tokenise import tokenise
from templatemine.model import Document

LINE = "The sentence that is looked at"


def single_stories(texts: list[str], reads: bool = False) -> set[str]:
    """Segments that only one story holds; whether all read like boilerplate."""
    documents = [Document(source="s", id=str(place), text=text) for place, text in enumerate(texts)]
    corpus = tokenise("s", documents, TokeniseConfig(), lines=True)
    segments = segment(corpus)
    kinds = find_candidates(segments)
    assert kinds[0].kind == SEGMENT
    number = sum(map(len, kinds))
    versions = group_versions(corpus)
    found = find_single_stories(segments, kinds, np.arange(number), versions, np.full((2, number), reads))
    rows = found[found < len(kinds[0])]
    starts = kinds[0].starts(segments, kinds[0].first, kinds[0].length)[rows]
    forms = corpus.form_names
    return {
        b" ".join(forms[token] for token in segments.tokens[start : start + size]).decode()
        for start, size in zip(starts.tolist(), kinds[0].length[rows].tolist(), strict=True)
    }


def prose(random: Random, words: int = 30) -> str:
    return " ".join("".join(random.choices("aeioubcdfglmnprst", k=7)) for _ in range(words))


@pytest.mark.parametrize("documents", [3, 5, 12])
def test_different_articles_make_a_template(documents: int) -> None:
    random = Random(documents)
    texts = [f"{prose(random)}\n{LINE}\n{prose(random)}" for _ in range(documents)]
    assert LINE not in single_stories([*texts, *(prose(random) for _ in range(20))])


@pytest.mark.parametrize("kept", [1, 4_096])
@pytest.mark.parametrize("versions", [3, 5])
def test_versions_of_a_story_make_none(versions: int, kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each with a paragraph of its own; what they share beside the string tells that they are one story, however few
    sketches are kept."""
    monkeypatch.setattr(distinct_documents, "_KEPT_SKETCHES", kept)
    random = Random(versions)
    shared = "\n".join(prose(random) for _ in range(4))
    texts = [f"{shared}\n{LINE}\n{prose(random)}" for _ in range(versions)]
    assert LINE in single_stories([*texts, *(prose(random) for _ in range(20))])


def test_many_versions_make_one_only_if_it_reads_like_boilerplate() -> None:
    """A third of each is its own: so it is of a story in versions, and of short articles around a long block."""
    random = Random(30)
    shared = "\n".join(prose(random) for _ in range(4))
    versions = [f"{prose(random, 60)}\n{shared}\n{LINE}" for _ in range(30)]
    others = [prose(random, 150) for _ in range(40)]
    assert LINE in single_stories([*versions, *others])
    assert LINE not in single_stories([*versions, *others], reads=True)
    assert LINE not in single_stories([*versions, *(f"{other}\n{LINE}" for other in others)])


@pytest.mark.parametrize("number", [3, 40])
def test_texts_that_say_nothing_themselves_make_none(number: int) -> None:
    random = Random(number)
    texts = [f"{LINE}\nAnd one more line of all of these"] * number
    assert LINE in single_stories([*texts, *(prose(random) for _ in range(20))])


def test_one_of_two_stories_in_two_documents() -> None:
    """Of a string in three documents or fewer two must differ."""
    random = Random(1)
    story = prose(random, 60)
    copies = [f"{story}\n{LINE}\n{prose(random, 5)}" for _ in range(2)]
    others = [prose(random) for _ in range(20)]
    assert LINE in single_stories([*copies, *others])
    assert LINE not in single_stories([*copies, f"{prose(random)}\n{LINE}", *others])


def test_a_long_block_of_short_and_long_articles_is_boilerplate() -> None:
    """Short articles are alike by it, and may be versions of one story; it is in many others, too."""
    random = Random(6)
    block = "\n".join([LINE, *(prose(random) for _ in range(8))])
    short = [f"{prose(random, 25)}\n{block}" for _ in range(30)]
    long = [f"{prose(random, 400)}\n{block}" for _ in range(28)]
    others = [prose(random, 200) for _ in range(10)]
    assert LINE in single_stories([*short, *long[:2], *others])
    assert LINE not in single_stories([*short, *long, *others])
