"""Pages made anew for training, and labels that come from what the pages of a site share."""

from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from invented_pages import CALL, page
from templatemine.pages import _scores

pytest.importorskip("rapidfuzz")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "datasets" / "pages"))

import labels
import listings
import train
import train_unlabelled
import variants


def row(number: int, extra: str = "") -> dict[str, Any]:
    html = page(number, extra)
    story = html.split("<div class=story>")[1].split("</div>")[0]
    return {"id": str(number), "source": "lantern.example", "html": html, "gold": story.replace("<p>", "\n")}


def labelled(number: int, extra: str = "") -> labels.LabelledPage:
    found = labels.label_page(row(number, extra))
    assert found is not None
    return found


def test_a_shortened_page_has_its_first_paragraphs() -> None:
    plain = labelled(3)
    found = variants.shorten_story(plain, row(3), random.Random(1))
    assert found is not None
    short = labels.label_page(found)
    assert short is not None
    kept = [text for text, own in zip(short.texts, short.labels, strict=True) if own and len(text.split()) >= 8]
    told = [text for text, own in zip(plain.texts, plain.labels, strict=True) if own and len(text.split()) >= 8]
    assert kept == told[: len(kept)]
    assert 1 <= len(kept) <= len(told) // 2
    assert len(short.texts) < len(plain.texts)


@pytest.mark.parametrize("seed", range(6))
def test_invented_lists_are_no_main_text(seed: int) -> None:
    plain = labelled(3)
    made = variants.add_teasers(plain, row(3), ["A fox. It ran. It hid."], ["Foxes in town"], random.Random(seed))
    assert made is not None
    assert made.labels.sum() == plain.labels.sum()
    assert len(made.labels) > len(plain.labels)
    assert not any(own and "fox" in text.lower() for text, own in zip(made.texts, made.labels, strict=True))


@pytest.mark.parametrize("seed", range(12))
def test_of_a_listing_the_posts_are_main_text_and_what_leads_elsewhere_is_not(seed: int) -> None:
    plain = labelled(3)
    said, titles = ["A fox ran through the market and hid below a cart."], ["Foxes in town"]
    made = listings.make_listing(plain, row(3), said, titles, random.Random(seed))
    assert made is not None
    for text, own in zip(made.texts, made.labels, strict=True):
        if text in said or text in titles:
            assert own == 1
        if text in plain.texts or "Comments" in text or text in ("Quote Report", "Back to top"):
            assert own == 0
    assert not any(text in made.texts for text, own in zip(plain.texts, plain.labels, strict=True) if own)
    assert sum(text in said for text in made.texts) >= 2


def test_the_mean_of_tables_is_the_mean_of_their_scores() -> None:
    def stump(feature: int, threshold: float, *leaves: float) -> dict[str, np.ndarray]:
        return {
            "feature": np.array([feature], np.int16),
            "threshold": np.array([threshold], np.float32),
            "left": np.array([~0], np.int16),
            "right": np.array([~1], np.int16),
            "leaf": np.array(leaves, np.float32),
            "sizes": np.array([1], np.int32),
        }

    tables = [stump(0, 1.5, -1.0, 2.0), stump(1, 0.5, 4.0, -3.0)]
    matrix = np.array([[1, 0], [1, 1], [2, 0], [2, 1]], np.float32)
    each = [_scores.Forest(*one.values()).scores(matrix) for one in tables]
    for counts in ((1.0, 1.0), (3.0, 1.0)):
        mean = _scores.Forest(*train.average_trees(tables, counts).values()).scores(matrix)
        assert mean == pytest.approx(np.average(each, axis=0, weights=counts))


def test_evidence() -> None:
    site = [labelled(number, CALL) for number in (1, 2)]
    said = Counter(key for one in site for key in set(one.columns["hashes"].tolist()))
    for one, own in zip(site, train_unlabelled.label_by_repetition(site), strict=True):
        told = dict(zip(one.texts, own.tolist(), strict=True))
        assert told["Sport"] == 0
        assert told[next(text for text in told if text.startswith("Readers have"))] == 0
        once = [
            value
            for key, text, value in zip(one.columns["hashes"].tolist(), one.texts, own.tolist(), strict=True)
            if said[key] == 1 and len(text.split()) > 30
        ]
        assert once
        assert all(value == 1 for value in once)
