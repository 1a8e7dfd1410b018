"""A story that a page holds a second time in one piece is given once, in its paragraphs."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from invented_pages import PROSE, learn_history, page
from strategies import examples
from templatemine import PageCleaner, extract
from templatemine.config import PageConfig
from templatemine.pages.blocks import Page
from templatemine.pages.copies import (
    COPY_SCORE,
    MAX_CANDIDATES,
    MIN_COVERAGE,
    MIN_PIECES,
    MIN_WORDS,
    PREFIX_LENGTH,
    find_copies,
    transfer_scores,
)
from templatemine.pages.decode import REASONS, REPEATED, is_kept
from templatemine.pages.history import select_blocks

VOCABULARY = ["harbour", "crane", "ferry", "vote", "bridge", "steel", "of", "and", "a", "the", "7"]
SENTENCES = [f"{line} Line {number} of the ledger says so." for number, line in enumerate(PROSE * 3)]


def html(paragraphs: list[str], copy: str, before: bool = False) -> str:
    """A page with a story and, behind or before it, something in one piece."""
    told = "<article class=story>" + "".join(f"<p>{one}</p>" for one in paragraphs) + "</article>"
    again = f"<div itemprop=articleBody style=display:none>{copy}</div>"
    return f"<title>The ledger</title><h1>The ledger</h1>{again if before else ''}{told}{'' if before else again}"


def found(text: str, scores: np.ndarray | None = None) -> list[tuple[str, list[str]]]:
    one = Page(text)
    scores = one.scores if scores is None else scores
    return [(one.text(block), [one.text(piece) for piece in pieces]) for block, pieces in find_copies(one, scores)]


@pytest.mark.parametrize("before", [False, True])
def test_the_story_is_given_in_its_paragraphs(before: bool) -> None:
    text = html(SENTENCES, " ".join(SENTENCES), before)
    assert found(text) == [(" ".join(SENTENCES), SENTENCES)]
    assert [line for line in PageCleaner().clean(text).text.split("\n") if line != "The ledger"] == SENTENCES
    (said,) = [block for block in extract(text).blocks if block.words > MIN_WORDS]
    assert (said.kept, said.reason) == (False, REASONS[REPEATED])


def test_tags_and_a_script_without_spaces_within_the_paragraphs_change_nothing() -> None:
    marked = [one.replace("Line", "<b>Line</b> ").replace("of the", "<a href=/x>of</a> the") for one in SENTENCES]
    assert [len(pieces) for _, pieces in found(html(marked, "\n".join(SENTENCES)))] == [len(SENTENCES)]
    han = [f"第{number}号的记录说港口委员会在星期二开会讨论新起重机的费用。" for number in range(8)]
    assert found(html(han, "".join(han))) == [("".join(han), han)]


def test_short_lines_between_the_paragraphs_may_be_missed() -> None:
    told = [*SENTENCES[:6], "Prices", *SENTENCES[6:]]
    (row,) = found(html(told, " ".join(told)))
    assert row[1] == SENTENCES


@pytest.mark.parametrize(
    ("paragraphs", "copy"),
    [
        (SENTENCES, " ".join(SENTENCES[: MIN_WORDS // 30])),  # short
        (["".join(SENTENCES[:6]), SENTENCES[7]], "".join(SENTENCES[:6]) + " " + SENTENCES[7]),  # of two pieces
        (SENTENCES, " ".join([*SENTENCES[:4], *(line.upper() for line in SENTENCES[4:])])),  # goes on otherwise
        (SENTENCES, " ".join([SENTENCES[0].upper(), *SENTENCES[1:]])),  # begins otherwise
        (SENTENCES, " ".join(word for line in SENTENCES for word in line.split()[:9])),  # a summary
        (SENTENCES, ""),
        ([], " ".join(SENTENCES)),
    ],
)
def test_what_is_no_copy_stays(paragraphs: list[str], copy: str) -> None:
    text = html(paragraphs, copy)
    assert found(text) == []
    one = Page(text)
    assert REPEATED not in select_blocks(one, one.scores, PageConfig())


def test_a_copy_lends_its_paragraphs_what_speaks_for_it() -> None:
    one = Page(html(SENTENCES, " ".join(SENTENCES)))
    scores = np.full(len(one), -3.0)
    ((block, pieces),) = find_copies(one, scores)
    scores[block] = 2.0
    after = transfer_scores(scores, [(block, pieces)])
    assert set(after[pieces].tolist()) == {2.0}
    assert after[block] == COPY_SCORE
    assert np.delete(after, [block, *pieces]).tolist() == np.delete(scores, [block, *pieces]).tolist()
    code = select_blocks(one, scores, PageConfig())
    assert is_kept(code)[pieces].all()
    assert code[block] == REPEATED


def test_of_equal_paragraphs_the_likeliest_is_the_piece() -> None:
    one = Page(html(SENTENCES, " ".join(SENTENCES)) + "<aside>" + "".join(f"<p>{line}</p>" for line in SENTENCES))
    places = [block for block in range(len(one)) if one.text(block) == SENTENCES[0]]
    for likely in places:
        scores = np.zeros(len(one))
        scores[likely] = 1.0
        assert find_copies(one, scores)[0][1][0] == likely


def test_a_copy_of_copies() -> None:
    """The longest passes on first what speaks for it."""
    half, whole = " ".join(SENTENCES[:6]), " ".join(SENTENCES)
    one = Page(html(SENTENCES, f"<p>{whole}</p><p>{half}</p>"))
    again = find_copies(one, one.scores)
    assert [one.text(block) for block, _ in again] == [whole, half]
    scores = np.where(one.words > 200, 4.0, -4.0)
    after = transfer_scores(scores, again)
    assert all(after[block] == 4.0 for block in range(len(one)) if one.text(block) in SENTENCES)


def test_pages_with_a_history() -> None:
    history = learn_history((page(number) for number in range(3)), PageConfig())
    lines = PageCleaner().clean(page(7)).text.split("\n")
    again = page(7, f"<div style=display:none>{' '.join(line for line in lines if line in page(7))}</div>")
    for cleaner in (PageCleaner(), PageCleaner(history)):
        assert cleaner.clean(again).text.split("\n") == cleaner.clean(page(7)).text.split("\n")


@given(st.integers(0, 10**6), st.integers(0, 20), st.floats(0, 0.3))
@examples(40)
def test_nothing_is_lost_with_a_copy(seed: int, size: int, changed: float) -> None:
    """Whatever goes as a copy, nine tenths of it stand in its pieces, in its order."""
    draw = random.Random(seed)
    told = [" ".join(draw.choices(VOCABULARY, k=12)) for _ in range(size)]
    words = " ".join(told).split()
    copy = " ".join(draw.choice(["", word, "other words"]) if draw.random() < changed else word for word in words)
    one = Page(html(told, copy, draw.random() < 0.5))
    again = find_copies(one, one.scores)
    for block, pieces in again:
        text, at = one.text(block), 0
        assert one.words[block] >= MIN_WORDS
        assert len(pieces) >= MIN_PIECES
        for piece in pieces:
            assert len(one.text(piece)) >= PREFIX_LENGTH
            assert block != piece
            at = text.index(one.text(piece), at) + len(one.text(piece))
        spaces = len(pieces) + 1
        assert sum(len(one.text(piece)) for piece in pieces) >= MIN_COVERAGE * len(text) - spaces
    code = select_blocks(one, one.scores, PageConfig())
    for block, pieces in again:
        assert code[block] != REPEATED or is_kept(code[pieces]).any()
    if size >= 10 and changed == 0:
        assert len(again) == 1


@pytest.mark.parametrize("kind", ["one beginning", "a short beginning", "nested", "all copies"])
def test_pages_made_to_be_slow(kind: str) -> None:
    """Time grows with the page, not with its square."""

    def made(size: int) -> str:
        if kind == "one beginning":
            return "".join(f"<p>{'the same words ' * 35}{number}" for number in range(size))
        if kind == "a short beginning":
            return "<p>the same words again" + "".join(
                f"<p>the same words again {'x ' * MIN_WORDS}{number}" for number in range(size)
            )
        if kind == "nested":
            return "".join(f"<p>{'the same words ' * (35 + number % (2 * MAX_CANDIDATES))}" for number in range(size))
        told = "".join(f"<p>{line} {number}" for number in range(size) for line in SENTENCES[:3])
        return told + "".join(
            f"<div>{' '.join(f'{line} {number}' for line in SENTENCES[:3])} {'x ' * 70}</div>" for number in range(size)
        )

    def spent(size: int) -> float:
        one = Page(made(size))
        scores = np.zeros(len(one))
        best = 1e9
        for _ in range(2):
            begin = time.process_time()
            find_copies(one, scores)
            best = min(best, time.process_time() - begin)
        return best

    few, many = (2000, 80_000) if kind == "a short beginning" else (500, 4000)
    assert spent(many) < 3 * (many // few) * max(spent(few), 0.002)
