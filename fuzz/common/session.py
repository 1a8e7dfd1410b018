"""The session of a target: modules loaded so that libFuzzer sees their paths, then one call for each input.

`fuzz/fuzz.py` starts it, and sets what must be set before Python runs: where the fuzzed build and the tests are, and the
runtime of libFuzzer that is loaded first.  Without it (in the tests, which replay the kept corpus) a target is a function.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

__all__ = ["FUZZING", "arguments", "instrumented", "run"]

FUZZING = "TEMPLATEMINE_FUZZING" in os.environ


def instrumented() -> AbstractContextManager[object]:
    """Around imports: the paths of this Python code count, too.  It runs half as fast, so that it is for what is decided
    in Python; the native core counts always."""
    if not FUZZING:
        return nullcontext()
    import atheris

    return atheris.instrument_imports(include=["templatemine"])  # type: ignore[no-any-return]


def arguments(*which: str) -> list[str]:
    """The command line as libFuzzer takes it: where it starts processes of its own, the first word is what it runs."""
    module = Path(sys.argv[0]).stem
    return [" ".join((sys.executable, "-m", f"targets.{module}", *which)), *sys.argv[1 + len(which) :]]


def run(one: Callable[[bytes], None]) -> None:
    """Call it with one input after the other, for as long as libFuzzer's options on the command line say."""
    import atheris

    random.seed(0)  # `regex` draws numbers when it compiles
    atheris.Setup(arguments(), one)
    atheris.Fuzz()
