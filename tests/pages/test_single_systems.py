"""bte and density on pages: what they keep, what their options do."""

from __future__ import annotations

import pytest

from invented_pages import page
from templatemine import extract
from templatemine.config import ExtractConfig
from templatemine.errors import ConfigError
from templatemine.pages.baselines.density import find_target
from templatemine.pages.blocks import Page

MENU = "<div class=menu>" + "<div><a href=/>Home</a></div>" * 9 + "</div>"
STORY = "<p>The harbour board met on Tuesday to hear what the new crane would cost, and who would pay.</p>" * 4


@pytest.mark.parametrize("system", ["bte", "density"])
def test_a_story_between_menus(system: str) -> None:
    found = extract(page(1), system)
    assert "Home" not in found.text
    assert "Privacy" not in found.text
    assert found.text.count("\n") >= 4


def test_the_target_node() -> None:
    html = f"<body>{MENU}<div id=story><div>{STORY}</div></div>{MENU}"
    at = Page(html)
    found = find_target(at, 0.5)
    element = found.element
    signs = []
    while element > 0:
        signs.append(int(at.columns["tags"][element]))
        element = int(at.columns["parents"][element])
    assert len(signs) == 3  # body, story, div: the paragraphs hold a quarter each
    assert found.density == pytest.approx(4 * len(at.text(9)) / 5)
    assert extract(html, "density").text == "\n".join([at.text(9)] * 4)


def test_breaks_are_structure() -> None:
    lines = "<br>".join(["a line of a poem"] * 30)
    prose = "<p>" + "the words of a paragraph that goes on and on " * 14 + "</p>"
    got = extract(f"<body><div id=a>{lines}</div><div id=b>{prose}</div>", "density", config=ExtractConfig())
    assert "poem" not in got.text


def test_sparse_pages_are_left_out_on_request() -> None:
    html = "<table>" + "<tr><td>1<td>2" * 40 + "</table>"
    assert extract(html, "density").text
    found = extract(html, "density", config=ExtractConfig(sparse=10))
    assert found.text == ""
    assert found.note == "left out as sparse: fewer than 10 characters for each structural element"
    assert {block.reason for block in found.blocks if not block.kept} >= {"the page is sparse"}
    assert extract(f"<div>{STORY}</div>", "density", config=ExtractConfig(sparse=10)).text


def test_text_outside_of_body_counts() -> None:
    assert extract("<html><body></body></html><p>All that is said stands here.</p>", "density").text


def test_a_share_that_is_none() -> None:
    with pytest.raises(ConfigError, match="density_share"):
        extract("<p>a", "density", config=ExtractConfig(density_share=1.0))
