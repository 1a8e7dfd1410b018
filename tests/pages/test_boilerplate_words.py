"""The table of words of boilerplate, and that the scanner counts them in each language."""

from __future__ import annotations

import pytest

from templatemine.pages import _html
from templatemine.pages.boilerplate_words import GROUPS, WORDS
from templatemine.pages.scanner import block_scanner


def counted(text: str, column: str) -> int:
    columns = block_scanner().scan_blocks(f"<p>{text}</p>".encode())
    return int(columns["counts"][0, _html.COUNTS.index(column)])


@pytest.mark.parametrize("language", WORDS)
def test_rows_are_single_words_in_lower_case(language: str) -> None:
    assert set(WORDS[language]) == set(GROUPS)
    for text in WORDS[language].values():
        assert text == text.lower()
        assert len(text.split()) == len(set(text.split()))


@pytest.mark.parametrize("language", WORDS)
def test_words_of_each_language_are_counted(language: str) -> None:
    """Also at the beginning of a sentence; a word of two groups counts for the first one that names it."""
    row = WORDS[language]
    for group in ("control", "rights"):
        words = row[group].split()[:3]
        for form in (str.lower, str.capitalize, str.upper):
            assert counted(" ".join(map(form, words)), group) >= 1, words
    answer = row["answer"].split()[0]
    assert (counted(answer, "talk"), counted(answer, "control")) == (1, 1)


def test_prose_has_none() -> None:
    assert counted("Der Fluss stieg am Abend über die Wiesen, und das Wasser blieb bis zum Morgen.", "control") == 0
