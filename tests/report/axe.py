"""axe-core on a page: what bars people who do not see, or who use no mouse.

It comes from npm, into a folder of the test run; without npm, or where it gets nothing, tests are skipped.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

PACKAGE = "axe-core@4"
GRAVE = ("serious", "critical")


@functools.cache
def _script() -> str:
    npm = shutil.which("npm")
    if npm is None:
        return ""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            npm,
            "install",
            "--silent",
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
            "--prefix",
            folder,
            PACKAGE,
        ]
        try:
            subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=120)
        except (subprocess.SubprocessError, OSError):
            return ""
        return (Path(folder) / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


def barriers(page: Any) -> list[str]:
    """What axe calls serious or critical on a page as it is shown; the context must bypass the content policy."""
    script = _script()
    if not script:
        pytest.skip(f"no {PACKAGE}: npm is not installed, or reaches no registry")
    page.evaluate(script)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{one['id']}: {node['html'][:200]}"
        for one in found["violations"]
        if one["impact"] in GRAVE
        for node in one["nodes"][:3]
    ]
