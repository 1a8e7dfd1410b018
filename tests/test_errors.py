"""What a message says of an extra that is missing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from templatemine.errors import pip_line


class Installed:
    """A distribution with what pip wrote of where it came from (PEP 610)."""

    def __init__(self, origin: dict[str, Any] | None) -> None:
        self.origin = origin

    def read_text(self, name: str) -> str | None:
        assert name == "direct_url.json"
        return None if self.origin is None else json.dumps(self.origin)


@pytest.mark.parametrize(
    ("origin", "line"),
    [
        (None, "pip install 'templatemine[warc]'"),
        ({"url": "file:///a/checkout", "dir_info": {}}, "pip install '/a/checkout[warc]'"),
        ({"url": "file:///a%20b", "dir_info": {"editable": True}}, "pip install -e '/a b[warc]'"),
        (
            {"url": "file:///d/templatemine-1-py3.whl", "archive_info": {}},
            "pip install '/d/templatemine-1-py3.whl[warc]'",
        ),
        (
            {"url": "https://example.org/t.git", "vcs_info": {"vcs": "git"}},
            "pip install 'templatemine[warc] @ git+https://example.org/t.git'",
        ),
    ],
)
def test_the_pip_line_of_an_extra(monkeypatch: pytest.MonkeyPatch, origin: dict[str, Any] | None, line: str) -> None:
    monkeypatch.setattr("importlib.metadata.distribution", lambda _: Installed(origin))
    assert pip_line("warc") == line
