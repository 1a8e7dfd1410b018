"""Every example of a docstring: those with an answer give it, and those that need files or packs run, beside some."""

from __future__ import annotations

import doctest
import gzip
import importlib
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import templatemine
from templatemine.io.read import read_batches

ROOT = Path(__file__).resolve().parents[1] / "src" / "templatemine"
sys.path.insert(0, str(Path(__file__).resolve().parent / "cli"))

from cli_support import records  # noqa: E402

NEEDS = {"templatemine.adapters.sklearn": "sklearn", "templatemine.adapters.table": "pandas"}
LEFT_OUT = {
    "templatemine.pages.render.rendering.Renderer": "starts Chromium",
    "templatemine.parallel.processes.WorkerPool": "its work is a name that stands for any function",
}


def modules() -> list[str]:
    """Those with an example, by their dotted names."""
    found = [path for path in sorted(ROOT.rglob("*.py")) if ">>> " in path.read_text(encoding="utf-8")]
    names = (path.relative_to(ROOT.parent).with_suffix("").parts for path in found)
    return [".".join(parts[:-1] if parts[-1] == "__init__" else parts) for parts in names]


def examples(module: str) -> list[doctest.DocTest]:
    if module in NEEDS:
        pytest.importorskip(NEEDS[module])
    found = doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(module))
    return [one for one in found if one.examples]


@pytest.mark.parametrize("module", modules())
def test_examples_give_their_answers(module: str) -> None:
    runner = doctest.DocTestRunner(verbose=False)
    told: list[str] = []
    for one in examples(module):
        runner.run(one, out=told.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(told)


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the examples take for granted, and in a folder the files that they name."""
    folder = tmp_path_factory.mktemp("examples")
    rows = records()
    lines = [json.dumps({**row, "body": row["text"]}) for row in rows]
    (folder / "archive.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    (folder / "new.jsonl").write_text("\n".join(lines[:9]))
    packs = templatemine.mine(rows)
    pack = packs["alpha.example"]
    page = "<html><body><p>" + "The council met and talked at length. " * 20
    paged = templatemine.mine([{"source": "p", "id": str(n), "html": page + f"Day {n}."} for n in range(12)])["p"]
    return {
        **{"folder": folder, "templatemine": templatemine, "packs": packs, "pack": pack, "html": page, "paged": paged},
        **{
            "read_batches": read_batches,
            "output": io.BytesIO(),
            "body": rows[0]["text"],
            "texts": [row["text"] for row in rows],
            "rows": rows,
        },
    }


@pytest.mark.parametrize("module", modules())
def test_examples_that_need_files_run(
    module: str, names: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("jinja2")
    pytest.importorskip("vl_convert")
    monkeypatch.chdir(tmp_path)
    for name in ("archive.jsonl.gz", "new.jsonl"):
        (tmp_path / name).write_bytes((names["folder"] / name).read_bytes())
    for one in examples(module):
        needing = [example for example in one.examples if example.options.get(doctest.SKIP)]
        if one.name in LEFT_OUT or not needing:
            continue
        space = {**vars(importlib.import_module(module)), **names}
        if "pages" in module:
            space["pack"] = names["paged"]
        if "save(" not in one.docstring:
            names["packs"].save(tmp_path / "packs", force=True)
        if "frame" in one.docstring:
            space["frame"] = pytest.importorskip("pandas").DataFrame(names["rows"]).drop(columns="tags")
        for example in needing:
            exec(compile(example.source, f"<{one.name}>", "single"), space)
