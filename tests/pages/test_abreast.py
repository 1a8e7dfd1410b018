"""Steps of several tasks in turn."""

from __future__ import annotations

import pytest

from templatemine.pages.abreast import Steps, take_in_turn


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
