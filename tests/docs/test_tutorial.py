"""The tutorial from its first command to its last: they end well, and leave what the page says."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from templatemine.__main__ import main

ROOT = Path(__file__).resolve().parents[2]
TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")


def test_every_command_of_the_tutorial_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("jinja2")
    pytest.importorskip("vl_convert")
    sys.path.insert(0, str(ROOT / "datasets"))
    import demo
    from generate import write_archive

    monkeypatch.chdir(tmp_path)
    Path("demo").mkdir()
    write_archive(demo.SPEC, "demo/archive.jsonl.gz", held_out="demo/new.jsonl", split=demo.SPLIT)
    told = {}
    commands = re.findall(r"^    templatemine (.*)$", TUTORIAL, re.MULTILINE)
    for command in commands:
        assert main(shlex.split(command)) == 0, command
        told[command] = capsys.readouterr()
    assert len(commands) >= 10

    shown = next(out for command, (out, _) in told.items() if command.endswith("--limit 12") and "--rej" not in command)
    assert "{slot} for Tarnwick Ledger" in shown
    assert Path("tutorial/report.html").stat().st_size > 10_000
    dry = next(err for command, (_, err) in told.items() if "--dry-run" in command)
    assert "nothing written" in dry
    updated = next(told[one].err for one in commands if one.startswith("update "))
    assert "\n  + " in updated
    assert "pack unchanged" not in updated
    assert 20 < float(re.findall(r"removed: [\d,]+ \((\d+\.\d)%\)", dry)[0]) < 30  # "a quarter"

    (line,) = re.findall(r'^    (\{"source".*)$', TUTORIAL, re.MULTILINE)
    new = [json.loads(one) for one in Path("demo/new.jsonl").read_text(encoding="utf-8").splitlines()]
    cleaned = [json.loads(one) for one in Path("tutorial/cleaned.jsonl").read_text(encoding="utf-8").splitlines()]
    assert set(json.loads(line)) <= set(new[0])
    assert f"{len(new)} others" in TUTORIAL
    assert len(cleaned) == len(new)
    assert all(
        {**before, "text": after["text"], "removed": after["removed"]} == after
        for before, after in zip(new, cleaned, strict=True)
        if not after.get("removed_stub")
    )

    (code,) = re.findall(r"```python\n(.*?)```", TUTORIAL, re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    assert "characters fewer" in capsys.readouterr().out
