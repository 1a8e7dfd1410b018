"""Windows: the newest days, or the newest documents; each document once."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from templatemine.archive.partition import memory_cost
from templatemine.archive.window import DatedDocument, Window, WindowConfig
from templatemine.errors import ConfigError
from templatemine.model import Document

TODAY = "2024-06-30"
ROOM = 1 << 40


def document(number: int, day: str | None, text: str = "") -> tuple[Document, bool]:
    return Document(source="s", id=str(number), date=day, text=text or f"text {number}"), True


def ids(window: list[DatedDocument]) -> list[str]:
    return [one.document.id for one in window]


def merge(
    old: Iterable[DatedDocument], new: Iterable[tuple[Document, bool]], today: str, config: WindowConfig, budget: int
) -> tuple[list[DatedDocument], int]:
    """A window after new documents have come, and how many of them are new in it."""
    window = Window(old, today, config, budget)
    window.add(new)
    return window.documents, window.new


def test_two_weeks() -> None:
    new = [document(day, f"2024-05-{day:02}T10:00") for day in range(1, 32)]
    window, fresh = merge((), new, TODAY, WindowConfig(least=1), ROOM)
    assert ids(window) == [str(day) for day in range(18, 32)]
    assert fresh == 14
    window, fresh = merge(window, [document(40, "2024-06-02")], TODAY, WindowConfig(least=1), ROOM)
    assert ids(window) == [*map(str, range(20, 32)), "40"]
    assert fresh == 1


def test_in_parts_as_at_once() -> None:
    new = [document(number, f"2024-05-{1 + number * 7 % 31:02}") for number in range(200)]
    config = WindowConfig(days=5, least=10)
    whole, _ = merge((), new, TODAY, config, ROOM)
    window: list[DatedDocument] = []
    for start in range(0, 200, 30):
        window, _ = merge(window, new[start : start + 30], TODAY, config, ROOM)
    assert window == whole


def test_a_source_that_writes_little_keeps_so_many() -> None:
    new = [document(month, f"2024-{month:02}-01") for month in range(1, 7)]
    assert ids(merge((), new, TODAY, WindowConfig(least=4), ROOM)[0]) == ["3", "4", "5", "6"]


def test_a_document_that_comes_again_replaces_the_old_one() -> None:
    config = WindowConfig(least=10)
    window, _ = merge((), [document(1, "2024-05-01"), document(2, "2024-05-01")], TODAY, config, ROOM)
    window, fresh = merge(
        window, [document(1, "2024-05-01", "corrected"), document(2, "2024-05-01")], TODAY, config, ROOM
    )
    assert [one.document.body for one in window] == ["corrected", "text 2"]
    assert fresh == 1
    nameless = Document(source="s", id="file:1", text="no id")
    window, _ = merge(window, [(nameless, False)] * 3, TODAY, config, ROOM)
    other = Document(source="s", id="file:1", text="another without id")
    window, fresh = merge(window, [(other, False)], TODAY, config, ROOM)
    assert [one.document.body for one in window][2:] == ["no id", "another without id"]
    assert fresh == 1


@pytest.mark.parametrize("day", [None, "yesterday", "2099-01-01", "2024-02-31"])
def test_days_that_are_none(day: str | None) -> None:
    window, _ = merge((), [document(1, "2024-05-01"), document(2, day)], TODAY, WindowConfig(), ROOM)
    assert [one.day for one in window] == ["2024-05-01", "2024-05-01"]
    # The first ones are not of today if others tell of a day: all of an old archive would be two weeks ago.
    window, _ = merge((), [document(2, day), document(1, "2024-05-01")], TODAY, WindowConfig(), ROOM)
    assert [one.day for one in window] == ["2024-05-01", "2024-05-01"]
    assert merge((), [document(2, day)], TODAY, WindowConfig(), ROOM)[0][0].day == TODAY


def test_a_window_that_does_not_fit_loses_its_oldest() -> None:
    new = [document(number, f"2024-05-{number:02}", "x" * 1000) for number in range(1, 31)]
    room = 20 * memory_cost(new[0][0])
    window = Window((), TODAY, WindowConfig(), room)
    window.add(new)
    assert ids(window.documents) == [*map(str, range(11, 31))]
    assert window.left_out == 10


def test_a_document_of_the_size_of_a_window_does_not_expel_all_others() -> None:
    new = [document(number, f"2024-05-{number:02}") for number in range(1, 10)]
    huge = document(10, "2024-05-10", "x" * 100_000)
    for come in ([*new, huge], [huge, *new]):
        window = Window((), TODAY, WindowConfig(), 500_000)
        window.add(come)
        assert ids(window.documents) == [*map(str, range(1, 10))]
        assert window.left_out == 1
    assert merge((), [huge], TODAY, WindowConfig(), 500_000) == ([], 0)


def test_documents_before_the_first_day_that_is_told_are_not_newer_than_it() -> None:
    """As of the first parts of an archive, in which none of a source has a date."""
    config = WindowConfig(least=3)
    window, _ = merge((), [document(1, None), document(2, None)], TODAY, config, ROOM)
    assert {one.day for one in window} == {TODAY}
    window, _ = merge(window, [document(3, None)], "2024-07-15", config, ROOM)
    window, _ = merge(window, [document(4, "2013-05-01"), document(5, None)], "2024-07-15", config, ROOM)
    assert [(one.document.id, one.day) for one in window] == [(number, "2013-05-01") for number in "12345"]
    window, _ = merge(window, [document(6, "2013-06-01")], "2024-07-15", config, ROOM)
    assert ids(window) == ["4", "5", "6"]


def test_what_takes_the_place_of_another_text_is_counted() -> None:
    window = Window((), TODAY, WindowConfig(), ROOM)
    window.add([document(1, None, "a"), document(1, None, "b"), document(2, None), document(2, None)])
    assert (len(window.documents), window.new, window.replaced) == (2, 2, 1)
    window = Window(window.documents, TODAY, WindowConfig(), ROOM)
    window.add([document(1, None, "c"), document(2, None)])
    assert (len(window.documents), window.new, window.replaced) == (2, 1, 1)


def test_options() -> None:
    with pytest.raises(ConfigError):
        WindowConfig(days=0)
