"""A page of very many blocks: judged in stretches, so that memory stays a few times the page."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from scale import scaled
from templatemine.pages import _blocks, _scores, blocks
from templatemine.pages.blocks import Page, load_forests

STORY = "<p>The council met on Monday, and after a long debate it voted for the new bridge over the river.</p>"
MENU = "<ul>" + "".join(f"<li><a href=/{n}>Topic {n}</a></li>" for n in range(12)) + "</ul>"


def test_stretches_are_judged_as_pages_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    html = f"<title>A new bridge for the town</title>{MENU}<h1>A new bridge for the town</h1>" + (STORY + MENU) * 6
    whole = Page(html)
    monkeypatch.setattr(blocks, "PART_BLOCKS", 30)
    page = Page(html)
    assert len(page) == len(whole) > 60
    assert page.headline == whole.headline >= 0
    assert page.scores.shape == whole.scores.shape
    first = len(page) // -(-len(page) // 30)
    columns = {**page.columns, **{name: page.columns[name][:first] for name in _blocks.BLOCKWISE}}
    one, two = load_forests()
    alone = one.scores(_blocks.compute_features(columns)).astype(np.float64)
    both = (alone + two.scores(_blocks.compute_context(columns, alone))) / 2
    monkeypatch.setattr(_scores, "average_by_path", lambda first, second, *_: (first + second) / 2)
    assert Page(html).scores[:first].tolist() == both.tolist()


CHILD = """
import resource, sys
from templatemine.pages import blocks
from templatemine.pages.main_text import PageCleaner
blocks.PART_BLOCKS //= int(sys.argv[3])
cleaner = PageCleaner()
cleaner.clean("<p>One story.")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
page = sys.argv[1] * int(sys.argv[2])
cleaner.clean(page)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / len(page))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is in other units elsewhere")
@pytest.mark.parametrize("piece", ["<li>a b c<a>d</a></li>\n", "x<br>", "<p>x"])
def test_memory_of_pages_of_many_blocks(piece: str) -> None:
    """Bytes for each byte of the page, or of half of it in stretches of half the size; it took 290 to 380."""
    part = 400_000 // scaled(400_000, 200_000)
    ran = subprocess.run(
        [sys.executable, "-c", CHILD, piece, str(400_000 // part), str(part)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert float(ran.stdout) < 200 + 20 * (part - 1)
