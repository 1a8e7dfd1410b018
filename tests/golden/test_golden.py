"""Tiny invented sites, byte for byte: articles in, pack and cleaned articles out.

TEMPLATEMINE_GOLDEN=update writes what comes out today; the change shows what it did.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from templatemine.api import mine
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import PipelineConfig
from templatemine.io.jsonl import encode_line
from templatemine.mining.methods import METHODS
from templatemine.model import Document

SITES = sorted(path.parent for path in Path(__file__).parent.glob("*/articles.jsonl"))


def compare(path: Path, text: str) -> None:
    if os.environ.get("TEMPLATEMINE_GOLDEN") == "update":
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("site", SITES, ids=lambda path: path.name)
def test_site(site: Path, method: str) -> None:
    rows = [json.loads(line) for line in (site / "articles.jsonl").read_text(encoding="utf-8").splitlines()]
    documents = [Document(**row) for row in rows]
    pack = replace(mine(documents, PipelineConfig(method=method))["lantern.example"], generator="golden")
    compare(site / f"{method}.pack.json", pack.to_json())
    cleaner = Cleaner(pack)
    lines = []
    for document in documents:
        cleaned = cleaner.clean(document.body)
        removed = [[span.start, span.end, *span.templates] for span in cleaned.removed]
        lines.append(encode_line({"id": document.id, "text": cleaned.text, "removed": removed}).decode())
    compare(site / f"{method}.cleaned.jsonl", "".join(lines))
