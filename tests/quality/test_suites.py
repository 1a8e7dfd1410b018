"""The tests of others: assertions are read and never run, and the command makes its page."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from quality import suites  # noqa: E402
from quality.suites import CONTENDERS, parse_assertions  # noqa: E402

TESTS = """
import os
os.abort()
MOCK_PAGES = {'http://a.example/': 'a.html', 'http://b.example/': 'b.html', 'http://c.example/': 'c.html'}

def test_extract(xmloutput):
    result = load_mock_page('http://a.example/', xmloutput)
    assert 'Low tide' in result and 'Imprint' not in result
    if xmloutput is True:
        assert '<p>Never' in result and 'only as XML' in result
    else:
        assert 'the harbour' in result
    result = load_mock_page('http://b.example/', xmloutput)
    assert 'One' in result or 'Other' in result
    assert result is not None and len(result) > 3
    result = load_mock_page('http://c.example/')
    assert 'Menu' not in result
"""
PAGE = "<html><body><ul><li><a href=/>Menu</a> <a href=/i>Imprint</a></ul><h1>Low tide</h1><div>{}</div></body></html>"
STORY = "<p>The sea went out at noon, past the harbour, and came back in the evening, as it does on most days.</p>" * 3


def test_assertions_are_read() -> None:
    assert parse_assertions(TESTS) == {"a.html": (["Low tide", "the harbour"], ["Imprint"]), "c.html": ([], ["Menu"])}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    page = PAGE.format(STORY)
    for name, text in {
        "one/tests/realworld_tests.py": TESTS,
        "one/tests/cache/a.html": page,
        "two/test/test-pages/tide/source.html": page,
        "two/test/test-pages/tide/expected.html": f"<div>{STORY}</div>",
        "two/test/test-pages/none/source.html": page,
        "three/tests/data/html/tide.html": page.replace("Low", "Löw"),
        "three/tests/data/txt/tide.txt": "The sea went out",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("windows-1252"))
    return tmp_path


def test_the_command(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(suites.archives, "SHARED", folder / "nothing")
    monkeypatch.setattr(suites, "CONTENDERS", CONTENDERS[:1])
    monkeypatch.setattr(suites, "KEPT_FILE", tmp_path / "deep" / "kept.json")
    assert suites.main([str(folder), "-o", str(tmp_path / "suites.md")]) == 0
    page = (tmp_path / "suites.md").read_text(encoding="utf-8")
    assert "| | trafilatura's tests, 1 pages | Mozilla's readability, 1 pages | newspaper4k, 1 pages |" in page
    line = capsys.readouterr().out.splitlines()[0]
    assert set(json.loads(line[line.index("{") :])) == {"precision", "recall", "f1", "speed"}
    assert suites.main([str(folder), "--only", "newspaper4k", "-o", str(tmp_path / "suites.md")]) == 0
    assert [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()] == [
        "newspaper4k",
        f"tables in {tmp_path / 'suites.md'}",
    ]
    assert "Mozilla's readability, 1 pages" in (tmp_path / "suites.md").read_text(encoding="utf-8")
    with pytest.raises(SystemExit):
        suites.main([str(folder / "missing")])
