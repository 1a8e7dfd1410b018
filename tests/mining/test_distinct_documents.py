"""A string is boilerplate only if articles that have nothing else in common hold it."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from templatemine.config import TokeniseConfig
from templatemine.mining.distinct_documents import find_single_stories
from templatemine.mining.labels import SEGMENT, find_candidates
from templatemine.mining.segments import segment
from templatemine.mining.tokenise import Vocabulary, tokenise
from templatemine.model import Document

LINE = "The sentence that is looked at"


def single_stories(texts: list[str]) -> set[str]:
    """Segments that only one story holds."""
    documents = [Document(source="s", id=str(place), text=text) for place, text in enumerate(texts)]
    corpus = tokenise("s", documents, TokeniseConfig(), lines=True)
    segments = segment(corpus)
    kinds = find_candidates(segments)
    assert kinds[0].kind == SEGMENT
    found = find_single_stories(segments, kinds, np.arange(sum(map(len, kinds))))
    rows = found[found < len(kinds[0])]
    starts = kinds[0].starts(segments, kinds[0].first, kinds[0].length)[rows]
    forms = corpus.form_names
    assert isinstance(forms, Vocabulary)
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


@pytest.mark.parametrize("versions", [3, 5])
def test_versions_of_a_story_make_none(versions: int) -> None:
    """Each with a paragraph of its own; what they share beside the string tells that they are one story."""
    random = Random(versions)
    shared = "\n".join(prose(random) for _ in range(4))
    texts = [f"{shared}\n{LINE}\n{prose(random)}" for _ in range(versions)]
    assert LINE in single_stories([*texts, *(prose(random) for _ in range(20))])


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
