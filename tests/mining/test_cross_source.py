"""Which strings stand in which sources."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from strategies import examples
from templatemine.mining.cross_source import count_sources


@examples(300)
@given(st.lists(st.frozensets(st.integers(0, 12)), max_size=6), st.integers(1, 3))
def test_counts_are_those_of_a_table(sources: list[frozenset[int]], jobs: int) -> None:
    """Sources of each hash, counted one by one; hashes are all over their range, so that each thread has some."""
    hashes = [np.array(sorted(one), np.uint64) << np.uint64(57) for one in sources]
    shared = count_sources(hashes, jobs)
    counts = Counter(key for one in sources for key in one)
    assert dict(zip((shared.hashes >> np.uint64(57)).tolist(), shared.sources.tolist(), strict=True)) == {
        key: number for key, number in sorted(counts.items()) if number > 1
    }
    for one, own in zip(sources, hashes, strict=True):
        found = shared.lookup(own)
        assert found.dtype == np.int32
        assert found.tolist() == [counts[key] - 1 for key in sorted(one)]
