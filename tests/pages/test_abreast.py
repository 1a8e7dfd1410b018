"""Steps of several tasks in turn."""

from __future__ import annotations

import pytest

from templatemine.pages import abreast
from templatemine.pages.abreast import Abreast, Steps, count_characters, take_in_turn


def test_a_step_of_each_comes_before_the_next_of_any() -> None:
    taken: list[tuple[str, int]] = []

    def task(name: str, steps: int) -> Steps[str]:
        for step in range(steps):
            taken.append((name, step))
            yield
        return name

    assert take_in_turn([task("a", 2), task("b", 0), task("c", 3)]) == ["a", "b", "c"]
    assert taken == [("a", 0), ("c", 0), ("a", 1), ("c", 1), ("c", 2)]
    assert take_in_turn([]) == []


def test_an_error_of_a_task_is_that_of_all() -> None:
    def broken() -> Steps[None]:
        yield
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        take_in_turn([broken()])


@pytest.mark.parametrize("most", [1, 2, 3, 9])
def test_results_are_in_the_order_of_tasks_and_of_what_is_put_between_them(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(abreast, "ABREAST", most)
    begun = []

    def task(number: int) -> Steps[int]:
        begun.append(number)
        for _ in range(number % 3):
            yield
        return number

    tasks = Abreast[int]()
    for number in range(8):
        if number % 4 == 1:
            tasks.put(number)
        else:
            tasks.add(task(number), 10)
    assert bool(begun) == (most < 9)
    assert tasks.finish() == tasks.finish() == list(range(8))


def test_tasks_on_many_characters_do_not_wait_for_others() -> None:
    tasks = Abreast[str]()

    def task(name: str) -> Steps[str]:
        done.append(name)
        yield
        return name

    done: list[str] = []
    tasks.add(task("a"), abreast.ABREAST_CHARACTERS - 1)
    assert not done
    tasks.add(task("b"), 1)
    tasks.add(task("c"), 1)
    assert done == ["a", "b"]
    assert tasks.finish() == ["a", "b", "c"]


def test_characters_are_those_of_strings() -> None:
    assert count_characters({"text": "abc", "html": None, "number": 12, "more": "d"}) == 4
