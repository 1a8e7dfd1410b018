"""The README's own lines: its commands exist, its Python runs, its figures are those of the method page."""

from __future__ import annotations

import gzip
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

import templatemine
from templatemine.pipeline import METHODS

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_python_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    rng = random.Random(1)
    text = "Fresh news.\nWrite to the editors of Example, they read everything."
    rows = [
        {
            "source": "example.org",
            "id": str(i),
            "text": f"{' '.join(str(rng.random()) + 'x' for _ in range(9))}\n{text.splitlines()[1]}",
        }
        for i in range(20)
    ]
    monkeypatch.chdir(tmp_path)
    Path("packs").mkdir()
    Path("archive.jsonl.gz").write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))
    Path("new.jsonl").write_text(json.dumps({"source": "example.org", "id": "1", "text": text}))
    html = "<html><body><ul><li><a href=/>Home</a></ul><p>A story, long enough to be one, with a second clause.</body>"
    names: dict[str, Any] = {"html": html}
    exec(code, names)
    assert names["cleaned"].text == "Fresh news."
    assert len(names["cleaned"].removed) == 1
    assert names["page"].text.startswith("A story")


def test_every_method_is_described() -> None:
    for name in METHODS:
        assert f"| `{name}` |" in README


def test_links_lead_somewhere() -> None:
    for link in re.findall(r"\]\(([^)]+)\)", README):
        assert (ROOT / link).exists()


def test_public_names_are_no_modules() -> None:
    assert all(getattr(templatemine, name) is not None for name in templatemine.__all__)
    assert set(templatemine.__all__) <= set(dir(templatemine))
    with pytest.raises(AttributeError, match="nothing"):
        templatemine.nothing  # noqa: B018
