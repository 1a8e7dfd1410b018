#!/usr/bin/env python3
"""Compile the cue lexicon: datasets/cues/cues.txt -> src/templatemine/mining/cues.npz.

    python datasets/cues/compile.py

The format is that of `templatemine.mining.cues.parse_cues`; docs/cues.md says how to add a language.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np

from templatemine.config import PipelineConfig
from templatemine.mining.cues import compile_cues, parse_cues
from templatemine.mining.methods import resolve_defaults

HERE = Path(__file__).resolve().parent
TABLE = HERE / "cues.txt"
OUTPUT = HERE.parents[1] / "src" / "templatemine" / "mining" / "cues.npz"


def main() -> None:
    cues = [*parse_cues(TABLE.read_text(encoding="utf-8"), TABLE.name)]
    options = resolve_defaults(PipelineConfig())
    lexicon = compile_cues(cues, options.patterns, options.tokenise.separators)
    # As it is: a wheel is compressed anyway, and mining need not wait for it to be unpacked.
    np.savez(OUTPUT, **{**asdict(lexicon), "names": np.frombuffer(lexicon.names, np.uint8)})
    languages = len({cue.language for cue in cues})
    print(f"{len(cues):,} cues of {languages} languages, {OUTPUT.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
