"""The cross-site filter in parts against the whole."""

from __future__ import annotations

import numpy as np
import pytest
from archives_by_hand import documents, make_mixed_archive

from templatemine.adapters.exchange import collect_counts, compare_part, partition_hashes
from templatemine.config import PipelineConfig
from templatemine.mining.candidates import SourceCandidates
from templatemine.mining.cross_source import count_sources
from templatemine.mining.methods import resolve_defaults
from templatemine.mining.stages import mine_source

OPTIONS = resolve_defaults(PipelineConfig(method="energy"))


@pytest.fixture(scope="module")
def sources() -> list[SourceCandidates]:
    by_source: dict[str, list] = {}
    for document in documents(make_mixed_archive()):
        by_source.setdefault(document.source, []).append(document)
    return [mine_source(source, by_source[source], OPTIONS) for source in sorted(by_source) if "p" not in source]


def in_parts(sources: list[SourceCandidates], bits: int, floor: int) -> list[dict[int, bytes]]:
    """Answers for each source, as they would come by way of 2 ** bits tasks."""
    tables = [partition_hashes(mined, bits, floor) for mined in sources]
    given: list[dict[int, bytes]] = [{} for _ in sources]
    for part in range(2**bits):
        tellers = [place for place, table in enumerate(tables) if part in table]
        for place, answer in zip(tellers, compare_part([tables[place][part] for place in tellers]), strict=True):
            given[place][part] = answer
    return given


@pytest.mark.parametrize("bits", [0, 1, 5, 12])
def test_parts_say_what_the_whole_says(sources: list[SourceCandidates], bits: int) -> None:
    whole = count_sources([one.hashes for one in sources])
    met = 0
    for mined, given in zip(sources, in_parts(sources, bits, 0), strict=True):
        found, wanted = collect_counts(mined, given, bits, 0), whole.lookup(mined.hashes)
        np.testing.assert_array_equal(found, wanted)
        met += np.count_nonzero(wanted)
    assert met > 10


def test_a_floor_leaves_out_what_is_rare_and_changes_nothing_up_to_the_floor_of_mining(
    sources: list[SourceCandidates],
) -> None:
    least = min(int(df) for mined in sources for df in mined.repeats.df)
    assert in_parts(sources, 4, least) == in_parts(sources, 4, 0)
    for mined, given in zip(sources, in_parts(sources, 4, 8), strict=True):
        assert not collect_counts(mined, given, 4, 8)[mined.repeats.df < 8].any()


def test_a_source_without_strings_tells_nothing() -> None:
    empty = mine_source(
        "x",
        documents(
            {"source": "x", "id": str(place), "text": word, "html": None, "date": None}
            for place, word in enumerate("abc")
        ),
        OPTIONS,
    )
    assert partition_hashes(empty, 3, 0) == {}
    assert len(collect_counts(empty, {}, 3, 0)) == 0
    assert compare_part([]) == []
