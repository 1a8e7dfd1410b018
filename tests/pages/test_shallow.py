"""shallow: features, classes, the tree, duplicates and the main block, each against the words of the paper."""

from __future__ import annotations

import itertools
import json
import math
import textwrap
from collections import Counter
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from invented_pages import page
from strategies import examples
from templatemine import extract
from templatemine.config import ExtractConfig
from templatemine.pages.baselines import _systems, shallow
from templatemine.pages.baselines.main_block import (
    MIN_COSINE,
    _compute_cosines,
    _Keywords,
    find_duplicates,
    weigh_main_blocks,
)
from templatemine.pages.baselines.shallow import BAD, FEATURES, GOOD, NEAR, SHORT, context_free, context_sensitive
from templatemine.pages.blocks import Page

AT = {name: place for place, name in enumerate(FEATURES)}


# ----------------------------------------------------------------------------------------------------------- features


def columns(texts: list[str]) -> tuple[bytes, np.ndarray]:
    data = [text.encode() for text in texts]
    return b"".join(data), np.cumsum([0, *map(len, data)]).astype(np.int64)


@examples(200)
@given(st.lists(st.text("abé1 .,-", max_size=260), max_size=4))
def test_text_density_is_that_of_wrapped_lines(texts: list[str]) -> None:
    texts = [" ".join(word[:79] for word in text.split()) for text in texts]
    density, letters = _systems.measure_wrapped(*columns(texts))
    for text, found, size in zip(texts, density.tolist(), letters.tolist(), strict=True):
        lines = textwrap.wrap(text, 80, break_long_words=False, break_on_hyphens=False)
        words = [sum(any(c.isalnum() for c in token) for token in line.split()) for line in lines]
        assert found == pytest.approx(sum(words[:-1]) / (len(lines) - 1) if len(lines) > 1 else sum(words))
        assert size == len(text.replace(" ", ""))


def test_characters_of_scripts_without_spaces_are_words_two_columns_wide() -> None:
    density, letters = _systems.measure_wrapped(*columns(["港" * 100, "港湾局です"]))
    assert density.tolist() == [40, 5]
    assert letters.tolist() == [100, 5]


def test_features_of_a_block() -> None:
    at = Page("<h2>Head | Line</h2><p>The board <a href=x>met on Tuesday</a>. It paid 3.</p><div>Home</div>")
    rows, _ = shallow.compute_features(at)
    assert rows.shape == (3, len(FEATURES))

    def of(name: str) -> list[float]:
        return np.round(rows[:, AT[name]], 3).tolist()

    assert of("words") == [2, 8, 1]
    assert of("link_density") == [0, 0.375, 0]
    assert of("heading") == [1, 0, 0]
    assert of("p") == [0, 1, 0]
    assert of("div") == [0, 0, 1]
    assert of("bars") == [1, 0, 0]
    assert of("stops") == [0, 0.25, 0]
    assert of("dates") == [0, 1, 0]
    assert of("words_before") == [0, 2, 8]
    assert of("words_after") == [8, 1, 0]
    assert of("words_quotient") == [2, 4, 0.125]
    assert of("position") == [0, 0.5, 1]
    assert of("link_density_page") == [round(3 / 11, 3)] * 3


# ------------------------------------------------------------------------------------------------------------ classes


@pytest.mark.parametrize(
    ("words", "links", "stops", "name"),
    [
        (50, 0.5, 0.4, BAD),
        (5, 0.1, 0.4, BAD),
        (5, 0.0, 0.0, SHORT),
        (50, 0.1, 0.4, GOOD),
        (20, 0.1, 0.4, NEAR),
        (50, 0.1, 0.2, NEAR),
        (50, 0.1, 0.1, BAD),
    ],
)
def test_context_free_classes(words: float, links: float, stops: float, name: int) -> None:
    assert context_free(np.array([words]), np.array([links]), np.array([stops])).tolist() == [name]


def by_rule(classes: list[int]) -> list[bool]:
    """Section 4.1.2.2, run by run."""
    found = [one == GOOD for one in classes]
    sure = [-1, *(place for place, one in enumerate(classes) if one in (GOOD, BAD)), len(classes)]
    for before, after in itertools.pairwise(sure):
        left = before >= 0 and found[before]
        right = after < len(classes) and classes[after] == GOOD
        run = list(range(before + 1, after))
        near = [place for place in run if classes[place] == NEAR]
        for place in run:
            if left and right:
                found[place] = True
            elif left and near:
                found[place] = place <= near[-1]
            elif right and near:
                found[place] = place >= near[0]
    return found


@examples(400)
@given(st.lists(st.sampled_from([BAD, SHORT, NEAR, GOOD]), max_size=12))
def test_context_sensitive_classes(classes: list[int]) -> None:
    assert context_sensitive(np.array(classes, np.int8)).tolist() == by_rule(classes)


# --------------------------------------------------------------------------------------------------------------- tree


def test_the_tree_is_walked_as_it_stands() -> None:
    data = json.loads(files("templatemine.pages.baselines").joinpath("shallow.json").read_text(encoding="utf-8"))
    rows, _ = shallow.compute_features(Page(page(1)))
    for row, found in zip(
        rows.tolist(), shallow.load_tree().value[shallow.find_leaves(shallow.load_tree(), rows)].tolist(), strict=True
    ):
        node = data["nodes"][0]
        while "feature" in node:
            side = "left" if row[AT[node["feature"]]] <= node["threshold"] else "right"
            node = data["nodes"][node[side]]
        assert found == node["content"]


# --------------------------------------------------------------------------------------------------------- main block

WORDS = ["harbour", "board", "crane", "ferry", "islanders", "winter", "engineer", "bridge", "steel", "ballot"]


def bag(text: str) -> Counter[str]:
    return Counter(word for word in text.split() if len(word) >= 4)


def cosine(one: Counter[str], other: Counter[str]) -> float:
    norm = math.sqrt(sum(v * v for v in one.values()) * sum(v * v for v in other.values()))
    return sum(one[word] * other[word] for word in one) / norm if norm else 0.0


@examples(200)
@given(st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8), min_size=2, max_size=6))
def test_cosines(texts: list[list[str]]) -> None:
    ids = [sorted(Counter(WORDS.index(word) for word in text).items()) for text in texts]
    offsets = np.cumsum([0, *map(len, ids)]).astype(np.int64)
    flat = np.array([cell for row in ids for cell in row], np.int64)
    left = np.arange(len(texts) - 1)
    got = _compute_cosines(_Keywords(flat[:, 0], flat[:, 1], offsets, len(flat), flat[:0, 0]), left, left + 1)
    want = [cosine(Counter(one), Counter(other)) for one, other in itertools.pairwise(texts)]
    assert got.tolist() == pytest.approx(want)


@examples(200)
@given(st.lists(st.lists(st.sampled_from(WORDS), min_size=3, max_size=6), min_size=1, max_size=6))
def test_only_what_is_alike_goes_and_copies_go(texts: list[list[str]]) -> None:
    at = Page("".join(f"<p>{' '.join(text)}" for text in texts))
    again = find_duplicates(at, np.arange(len(at))).tolist()
    bags = [bag(" ".join(text)) for text in texts]
    assert not again[0]
    for place, gone in enumerate(again):
        alike = [cosine(bags[place], other) >= MIN_COSINE - 1e-9 for other in bags[:place]]
        assert not gone or any(alike)
        if place and bags[place] == bags[place - 1] and len(bags[place]) >= 3:
            assert gone


def test_weights_of_blocks() -> None:
    at = Page(
        "<title>The Harbour Crane</title><div><p>harbour crane crane</p><p>ferry islanders</p></div>"
        "<div><p>winter</p></div>"
    )
    weight, home = weigh_main_blocks(at, np.arange(3))
    assert home.tolist() == [0, 0, 1]
    # equation 4: 1 - 2 / (2 + 3); equation 5: 3 of 6, 2 of 6, 1 of 6; equation 6: the first region holds 5 of 6
    assert weight.tolist() == pytest.approx([0.6 + 3 / 6 + 1, 2 / 6 + 1, 1 / 6])


def test_keywords_fold_case_in_all_scripts() -> None:
    at = Page("<title>ГАВАНЬ Straße</title><div><p>Гавань гавань STRASSE</p></div><div><p>İİİİ kran</p></div>")
    weight, _ = weigh_main_blocks(at, np.arange(2))
    assert weight[0] > weight[1]
    hashes, home = _systems.extract_keywords(*columns(["гавань, abc港湾 “gate”", "гавань"]), 4)
    assert len(hashes) == 5
    assert home.tolist() == [0, 0, 0, 0, 1]
    assert hashes[0] == hashes[4]


def test_the_main_block_on_request() -> None:
    story = (
        "<div id=story>"
        + "<p>The harbour board met on Tuesday to hear what the new crane would cost. {}</p>" * 4
        + "</div>"
    )
    story = story.format(
        "Nobody spoke.", "The ferry waited.", "A vote was called by the mayor.", "It rained all day long."
    )
    aside = "<div id=aside><p>When the ferry stopped running in March, the islanders bought a boat of their own, and took turns at the helm.</p><p>They sold it again in winter, said the engineer, when the steel of the bridge came early and the road was open.</p></div>"
    html = f"<title>The new crane of the harbour</title>{story}{aside}"
    whole, main = extract(html, "shallow"), extract(html, "shallow", config=ExtractConfig(main_block=True))
    assert "islanders" in whole.text
    assert "crane would cost" in main.text
    assert "islanders" not in main.text
    assert "not in the main block" in {block.reason for block in main.blocks}


def test_a_story_between_menus() -> None:
    found = extract(page(1), "shallow")
    assert "Home" not in found.text
    assert found.text.count("\n") >= 4
    assert {block.label for block in found.blocks} <= set(shallow.CLASSES)


def test_reasons_are_the_conditions_that_hold() -> None:
    at = Page(page(1).replace("&copy;", "") + "<p>One more line of it, with <a href=/>a link</a>.</p>")
    rows, _ = shallow.compute_features(at)
    seen = set()
    for row, block in zip(rows, extract(at.html, "shallow").blocks, strict=True):
        verdict, _, said = block.reason.partition(" by its shallow features: ")
        assert (verdict == "content") == block.kept
        for condition in said.split(", "):
            name, sign, bound = condition.split()
            value = row[shallow.FEATURES.index(name)]
            assert (value > float(bound)) == (sign == ">")
        seen.add(said)
    assert len(seen) > 3


def test_a_copyright_sign_is_boilerplate() -> None:
    plain = page(1).replace("&copy;", "")
    first = next(place for place, block in enumerate(extract(plain, "shallow").blocks) if block.words > 40)
    assert extract(plain, "shallow").blocks[first].kept
    signed = extract(plain.replace("harbour board", "&copy; board"), "shallow")
    assert "©" in signed.blocks[first].text
    assert (signed.blocks[first].kept, signed.blocks[first].reason) == (False, "with a copyright sign")
    assert {block.reason for block in signed.blocks if "©" not in block.text}.isdisjoint(["with a copyright sign"])
