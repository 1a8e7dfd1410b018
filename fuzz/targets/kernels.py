"""Kernels without a step through Python for each input; see `fuzz/kernels.pyx`.

python -m targets.kernels scan|match|lines [options of libFuzzer]
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from common.session import arguments
from templatemine.packs.pack import Pack
from templatemine.text import _scan
from templatemine.text.patterns import pattern_set

NEVER, ALWAYS = 0, 2
GOLDEN = Path(__file__).resolve().parents[2] / "tests" / "golden" / "lantern"


def scanners() -> list[Any]:
    return [
        _scan.Scanner(*pattern_set(preset).scanner_arguments(separators, html))
        for preset in ("news", "thesis", "none")
        for separators in ("-", "", "+-")
        for html in (False, True)
    ]


def matchers() -> list[Any]:
    """Of mined packs, without and behind the sieve."""
    packs = [Pack.load(GOLDEN / f"{method}.pack.json") for method in ("learned", "energy", "thesis")]
    return [tuple(pack.make_matcher(sieve)[0] for sieve in (NEVER, ALWAYS)) for pack in packs]


def lines() -> list[Any]:
    from templatemine.cleaning import _records

    names = (b"text", b"html", b"source", b"id", b"removed", b"removed_stub")
    return [(_records.BlockCleaner, _records.Fields(list(names), 1 << 40), _records.PASS)]


OBJECTS = {"scan": scanners, "match": matchers, "lines": lines}

if __name__ == "__main__":
    import fuzz_kernels

    name = sys.argv[1]
    fuzz_kernels.run(name, OBJECTS[name](), arguments(name))
