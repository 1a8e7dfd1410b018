"""Pages made anew for training, and labels that come from what the pages of a site share."""

from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from invented_pages import CALL, page

pytest.importorskip("rapidfuzz")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "datasets" / "pages"))

import labels
import unlabelled
import variants


def row(number: int, extra: str = "") -> dict[str, Any]:
    html = page(number, extra)
    story = html.split("<div class=story>")[1].split("</div>")[0]
    return {"id": str(number), "source": "lantern.example", "html": html, "gold": story.replace("<p>", "\n")}


def labelled(number: int, extra: str = "") -> labels.Labelled:
    found = labels.label(row(number, extra))
    assert found is not None
    return found


def test_a_shortened_page_has_its_first_paragraphs() -> None:
    plain = labelled(3)
    short = variants.shortened(plain, row(3), random.Random(1))
    assert short is not None
    kept = [text for text, own in zip(short.texts, short.labels, strict=True) if own and len(text.split()) >= 8]
    told = [text for text, own in zip(plain.texts, plain.labels, strict=True) if own and len(text.split()) >= 8]
    assert kept == told[: len(kept)]
    assert 1 <= len(kept) <= len(told) // 2
    assert len(short.texts) < len(plain.texts)


@pytest.mark.parametrize("seed", range(6))
def test_invented_lists_are_no_main_text(seed: int) -> None:
    plain = labelled(3)
    made = variants.with_teasers(plain, row(3), ["A fox. It ran. It hid."], ["Foxes in town"], random.Random(seed))
    assert made is not None
    assert made.labels.sum() == plain.labels.sum()
    assert len(made.labels) > len(plain.labels)
    assert not any(own and "fox" in text.lower() for text, own in zip(made.texts, made.labels, strict=True))


def test_evidence() -> None:
    site = [labelled(number, CALL) for number in (1, 2)]
    said = Counter(key for one in site for key in set(one.page["hashes"].tolist()))
    for one, own in zip(site, unlabelled.evidence(site), strict=True):
        told = dict(zip(one.texts, own.tolist(), strict=True))
        assert told["Sport"] == 0
        assert told[next(text for text in told if text.startswith("Readers have"))] == 0
        once = [
            value
            for key, text, value in zip(one.page["hashes"].tolist(), one.texts, own.tolist(), strict=True)
            if said[key] == 1 and len(text.split()) > 30
        ]
        assert once
        assert all(value == 1 for value in once)


def test_sites_of_few_pages_say_nothing() -> None:
    assert unlabelled.by_site([labelled(number) for number in range(unlabelled.LEAST - 1)]) == {}
