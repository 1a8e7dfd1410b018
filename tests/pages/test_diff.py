"""diff: a page against another one of its site."""

from __future__ import annotations

import random
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from invented_pages import page
from strategies import examples
from templatemine import extract
from templatemine.config import ExtractConfig
from templatemine.pages.baselines.diff import common_parts, order_by_middle
from templatemine.pages.extract import Extractor

FREE = ExtractConfig(prune=False)


def kept(html: str, *references: str, config: ExtractConfig = FREE) -> list[str]:
    return extract(html, "diff", references=references, config=config).text.splitlines()


def test_what_both_pages_have_goes() -> None:
    found = extract(page(1), "diff", references=[page(2)])
    text = found.text
    assert "Story number 1 " not in text or "Home" not in text
    for boilerplate in ("Home", "Sport", "rights reserved", "Privacy", "By Anna Reed"):
        assert boilerplate not in text
    assert text.count("\n") >= 4
    reasons = {block.text: block.reason for block in found.blocks}
    assert reasons["Home"] == "the reference page has it in the same place"


def test_the_page_itself_is_no_reference() -> None:
    assert extract(page(1), "diff", references=[page(1), page(2)]).text == (
        extract(page(1), "diff", references=[page(2)]).text
    )
    found = extract(page(1), "diff", references=[page(1)])
    assert found.note == "no other page of the site to compare with; by density"
    assert found.text == extract(page(1), "density").text


def test_equal_levels_are_walked_together() -> None:
    one = "<div><p>menu</p><div><p>the story of one</p></div></div>"
    other = "<div><p>menu</p><div><p>quite another tale</p></div></div>"
    assert kept(one, other) == ["the story of one"]


def test_at_other_places_equal_text_stays() -> None:
    """At an equal level a text is compared with that at its own place."""
    assert kept("<div><p>a b</p><p>c d</p></div>", "<div><p>c d</p><p>a b</p></div>") == ["a b", "c d"]


def test_different_levels_are_mapped_in_order() -> None:
    """Algorithm 2: what is found is taken, and the search goes on behind it."""
    one = "<div><p>head</p><p>own text</p><p>foot</p></div>"
    assert kept(one, "<div><p>head</p><p>foot</p></div>") == ["own text"]
    assert kept(one, "<div><p>foot</p><p>head</p></div>") == ["own text", "foot"]
    assert kept(one, "<div><h2>head</h2><p>foot</p></div>") == ["head", "own text"]


def test_what_children_share_is_deleted() -> None:
    one = "<div><div><p>menu</p><p>own text</p><p>share it</p></div></div>"
    other = "<div><div><p>menu</p><div>x</div><p>share it</p></div><div>more</div></div>"
    assert kept(one, other) == ["own text"]


@pytest.mark.parametrize(
    ("text", "reference", "left"),
    [
        ("posted by Jack F.", "posted by anonymous", "Jack F."),
        ("Jack F. posted this", "Anna posted this", "Jack F."),
        ("same", "same", ""),
        ("one word", "one other", "one word"),
        (
            "In the year of the great flood nobody spoke",
            "In the end they all came",
            "In the year of the great flood nobody spoke",
        ),
        ("read more about us", "read more about them, about us", "us"),
    ],
)
def test_common_parts(text: str, reference: str, left: str) -> None:
    edges = [0, *(edge for cut in common_parts(text, reference) for edge in cut), len(text)]
    assert "".join(text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)).strip() == left


@examples(300)
@given(st.lists(st.sampled_from("ab"), max_size=7), st.lists(st.sampled_from("ab"), max_size=7))
def test_common_parts_are_in_both(one: list[str], other: list[str]) -> None:
    text, reference = " ".join(one), " ".join(other)
    cuts = common_parts(text, reference)
    assert all(0 <= a <= b <= len(text) for a, b in cuts)
    assert all(a[1] <= b[0] for a, b in pairwise(cuts))
    for a, b in cuts:
        assert text[a:b].strip() in reference


def test_a_page_built_otherwise_goes_to_density() -> None:
    other = "<table>" + "<tr><td>cell</td></tr>" * 50 + "</table>"
    found = extract(page(1), "diff", references=[other])
    assert found.note == "built otherwise than the reference page; by density"
    assert found.text == extract(page(1), "density").text
    assert {block.reason.partition(":")[0] for block in found.blocks} == {"by density"}
    assert extract(page(1), "diff", references=[other], config=FREE).note == ""


def test_from_the_target_node() -> None:
    found = extract(page(1), "diff", references=[page(2)], config=ExtractConfig(from_target=True))
    assert "Home" not in found.text
    assert "by density: outside of the node with most text for its structure" in {b.reason for b in found.blocks}


@pytest.mark.parametrize(
    ("sizes", "order"), [([], []), ([5], [0]), ([9, 1], [0, 1]), ([10, 30, 20, 5, 40], [2, 0, 1, 3, 4])]
)
def test_the_reference_is_the_page_of_middle_size(sizes: list[int], order: list[int]) -> None:
    assert order_by_middle(sizes) == order


@pytest.mark.alone
def test_two_large_pages_take_no_more_than_their_size() -> None:
    """Two levels of thousands of children that share nothing, or everything in the reverse order."""

    def large(number: int, size: int, *, reverse: bool = False) -> str:
        draw = random.Random(number)
        lines = [f"<p>word{draw.randrange(10**9)} and so on</p>" for _ in range(size)]
        return "<div>" + "".join(reversed(lines) if reverse else lines) + "<div></div>" * number + "</div>"

    def seconds(size: int, reverse: bool) -> float:
        html = large(1, size)
        other = large(1, size, reverse=True) + "<p>" if reverse else large(2, size)
        begin = time.process_time()
        Extractor("diff", references=[other], config=FREE).extract(html)
        return time.process_time() - begin

    for reverse in (False, True):
        # Eight times the size: 64 times as long would be quadratic.
        small, big = (min(seconds(size, reverse) for _ in range(4)) for size in (3_000, 24_000))
        assert big < 32 * max(small, 0.01)
