"""Kinds of the blocks of a page."""

from __future__ import annotations

import pytest

from templatemine.config import ExtractConfig
from templatemine.kinds import KINDS, choose
from templatemine.pages.block_kinds import _BEGINNINGS, _NAMES, kind_of_block
from templatemine.pages.extract import extract


@pytest.mark.parametrize(
    ("path", "text", "kind"),
    [
        ("div.article>figure>figcaption", "The bridge at night.", "caption"),
        ("div.article__byline>span", "Ines Harper", "byline"),
        ("div#nav-main>ul>li>a", "Sport", "navigation"),
        ("footer>div.newsletter-box>p", "Every morning.", "promotion"),
        ("div.adapter>p", "She said so.", ""),
        ("div.x>p", "By Ines Harper", "byline"),
        ("div.x>p", "By the river stands a house of stone.", ""),
        ("div.x>p", "Correction: it was Monday.", "note"),
        ("div.x>p", "Published 5 March 2024", "dateline"),
        ("div.related>div.caption>p", "A bridge", "caption"),
    ],
)
def test_a_block_has_a_kind(path: str, text: str, kind: str) -> None:
    assert kind_of_block(path, text) == kind


def test_tables_know_kinds_alone() -> None:
    assert {*_NAMES} == {*KINDS}
    assert {*_BEGINNINGS} <= {*KINDS}


def test_removed_blocks_of_a_page_have_kinds() -> None:
    story = "".join(
        f"<p>The council met on the {n}th floor, and it spoke of the bridge for a long time.</p>" for n in range(9)
    )
    html = (
        "<body><nav class=menu><a href=/>Home</a> <a href=/s>Sport</a></nav><article><h1>The bridge</h1>"
        f"{story}</article><div class=newsletter>Sign up for our letter</div><footer class=legal>© 2024 Paper</footer>"
    )
    kinds = {block.text: block.kind for block in extract(html).blocks if not block.kept}
    assert kinds["Sign up for our letter"] == "promotion"
    assert kinds["© 2024 Paper"] == "legal"
    assert "navigation" in kinds.values()
    assert all(not block.kind for block in extract(html).blocks if block.kept)


def test_a_choice_changes_the_story_alone() -> None:
    story = "".join(
        f"<p>The council met on floor {n}, and it spoke of the bridge for a long time.</p>" for n in range(9)
    )
    html = (
        f"<body><article><h1>The bridge</h1><p class=byline>By Ines Harper</p>{story}<figure><figcaption>The bridge at "
        f"night.</figcaption></figure>{story}</article><div class=newsletter>Sign up for our letter</div>"
    )
    texts = {policy: extract(html, config=ExtractConfig(choice=choose(policy))).text for policy in ("llm", "reader")}
    assert "By Ines Harper" not in texts["llm"]
    assert "The bridge at night." not in texts["llm"]
    assert "By Ines Harper" in texts["reader"]
    assert "The bridge at night." in texts["reader"]
    assert all("Sign up" not in text and text.count("The council met") == 18 for text in texts.values())
    reader = extract(html, config=ExtractConfig(choice=choose("reader")))
    assert '<note type="byline">By Ines Harper</note>' in reader.tei()
    assert '<note type="caption">The bridge at night.</note>' in reader.tei()
    assert {node["kind"] for node in reader.content() if "kind" in node} == {"byline", "caption"}
    assert {block.kind for block in reader.blocks if block.kept and block.kind} == {"byline", "caption"}
    assert 'data-kind="byline"' in reader._repr_html_().partition("<hr>")[0]
    assert 'data-kind="promotion"' in reader._repr_html_().partition("<hr>")[2]
    plain = extract(html)
    assert "<note" not in plain.tei()
    assert all("kind" not in node for node in plain.content())
    reasons = {block.text: block.reason for block in extract(html, config=ExtractConfig(choice=choose("llm"))).blocks}
    assert reasons["The bridge at night."] in ("caption is cut by choice", *extract(html).output.reasons)
