"""``templatemine`` and ``python -m templatemine``."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code; nothing is raised and nothing printed but for people.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments without the program's name; by default those of the process.
    """
    # No command multiplies matrices, and a pool of threads for that costs each process a tenth of a second.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Not above: a worker process imports this file as well, and so Ctrl-C is caught from the first import on.
    try:
        from templatemine.cli.app import run

        return run(sys.argv[1:] if argv is None else argv)
    except KeyboardInterrupt:
        print("templatemine: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
