"""Mutated pages: blocks, runs of text, the page model and what any system extracts; in order, within the page, the same twice."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from test_crf_native import same

from common.session import run
from templatemine.config import ExtractConfig
from templatemine.pages import _html
from templatemine.pages.baselines.crf import find_runs
from templatemine.pages.baselines.outline import Outline
from templatemine.pages.blocks import Page
from templatemine.pages.extract import Extractor
from templatemine.pages.scanner import block_scanner
from templatemine.pages.systems import SYSTEMS

REFERENCE = (
    "<body><div class=main><p>A story of another day, told at length.</p></div><div>Home News Sport</div></body>"
)
EXTRACTORS = tuple(Extractor(system, references=[REFERENCE], config=ExtractConfig()) for system in SYSTEMS)
WORDS, LINKED = _html.COUNTS.index("words"), _html.COUNTS.index("linked")
TWIN = 400
"""Bytes of a page that the slow twin of runs reads, too."""


def check_columns(page: bytes) -> None:
    """What holds of the blocks of any bytes."""
    columns = block_scanner().scan_blocks(page)
    starts, ends, bounds, counts = (columns[name] for name in ("starts", "ends", "bounds", "counts"))
    assert len(bounds) == len(starts) + 1 == len(ends) + 1 == len(counts) + 1
    assert np.all((starts >= 0) & (starts < ends) & (ends <= len(page)))
    assert np.all(ends[:-1] <= starts[1:])
    assert np.all(np.diff(bounds) > 0)
    assert np.all(counts[:, WORDS] > 0)
    assert np.all(counts[:, LINKED] <= counts[:, WORDS])
    assert np.all((columns["element"] >= 0) & (columns["element"] < len(columns["parents"])))
    assert np.all(columns["parents"][1:] < np.arange(1, len(columns["parents"])))
    holes = columns["holes"]
    assert np.all((holes[:, 0] >= 0) & (holes[:, 0] <= holes[:, 1]) & (holes[:, 1] <= len(page)))


def check_runs(page: Page) -> None:
    """Runs of text between tags, in order and within the page; elements within each other."""
    runs, outline = find_runs(page), Outline(page)
    before = 0
    for start, end, text in zip(runs.column("start").tolist(), runs.column("end").tolist(), runs.texts, strict=True):
        assert before <= start < end <= len(page.data)
        assert text
        before = end
    for number, (start, inside, end) in enumerate(
        zip(outline.starts, outline.content_starts, outline.content_ends, strict=True)
    ):
        assert 0 <= start < inside <= end <= len(page.html)
        assert outline.parents[number] < number <= outline.last_descendants[number]


def check_extraction(html: str, extractor: Extractor) -> None:
    """What a system makes of a page: blocks in order, cuts within them, all that is removed within the page."""
    found, again = extractor.extract(html), extractor.extract(html)
    told = found.as_dict(blocks=True)
    assert told == again.as_dict(blocks=True)
    assert found.marked == again.marked
    assert all(a.end <= b.start for a, b in pairwise(found.blocks))
    for block in found.blocks:
        assert 0 <= block.start < block.end <= len(html)
        assert 0 <= block.linked <= block.words
        edges = [edge for cut in block.cuts for edge in cut]
        assert edges == sorted(edges)
        assert not edges or (edges[0] >= 0 and edges[-1] <= len(block.text))
    removed = found.removed
    assert removed == again.removed
    assert all(span.start < span.end <= len(html) for span in removed)
    assert all(a.end <= b.start for a, b in pairwise(removed))
    page = Page(html)
    assert np.all(np.isfinite(page.scores))
    assert len(page.scores) == found.size


def one(data: bytes) -> None:
    which = data[0] if data else 0
    check_columns(data[1:])
    html = data[1:].decode("utf-8", "replace")
    check_runs(Page(html))
    check_extraction(html, EXTRACTORS[which % len(EXTRACTORS)])
    if len(html) <= TWIN:
        same(html)


if __name__ == "__main__":
    run(one)
