"""Scores smoothed over the tree of a page."""

from __future__ import annotations

import numpy as np
import pytest

from templatemine.config import PageConfig
from templatemine.pages.blocks import Page
from templatemine.pages.smoothing import smooth_scores

PAGE = Page("<div><p>one two three<p>four five six<p>seven eight nine</div><ul><li>a b<li>c d</ul>")
SCORES = np.array([3.0, -0.5, 3.0, -3.0, -4.0])


def test_nothing_is_changed_without_a_share() -> None:
    assert smooth_scores(PAGE, SCORES, PageConfig(smooth=0.0)) is SCORES


def test_a_block_goes_with_its_container() -> None:
    found = smooth_scores(PAGE, SCORES, PageConfig(smooth=1.0, smooth_price=0.08))
    assert np.ptp(found[:3]) == 0
    assert found[1] > SCORES[1]
    assert found[3:].max() < -1


def test_half_way() -> None:
    whole = smooth_scores(PAGE, SCORES, PageConfig(smooth=1.0))
    half = smooth_scores(PAGE, SCORES, PageConfig(smooth=0.5))
    chances = [1 / (1 + np.exp(-odds)) for odds in (SCORES, whole, half)]
    assert chances[2] == pytest.approx((chances[0] + chances[1]) / 2, abs=1e-3)


def test_a_page_without_blocks() -> None:
    assert smooth_scores(Page(""), np.zeros(0), PageConfig(smooth=1.0)).size == 0
