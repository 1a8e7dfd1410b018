"""The pages section of a pack: the history of a source, as JSON data and back.

Three keys, so that each path and each text is a line: ``pages`` (documents and share), ``page_paths`` and
``page_texts``; see `model.PageHistory`.  A pack without them has no say about pages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from templatemine.errors import PackError
from templatemine.model import PageHistory, PathVote, RepeatedText

KEYS = ("pages", "page_paths", "page_texts")


def write(history: PageHistory | None) -> dict[str, Any]:
    """Return the keys of a history; none if there is none."""
    if history is None:
        return {}
    return {
        "pages": {"documents": history.documents, "share": history.share},
        "page_paths": [asdict(vote) for vote in history.paths],
        "page_texts": [asdict(text) for text in history.texts],
    }


def read(data: Mapping[str, Any], where: str) -> PageHistory | None:
    """Invert `write`.

    Raises
    ------
    PackError
        Naming the field, the expectation and the finding.
    """
    if "pages" not in data:
        return None
    head = data["pages"]
    if not isinstance(head, dict):
        raise PackError(f"{where}: pages: expected an object, got {type(head).__name__}")
    share = head.get("share")
    if not isinstance(share, int | float) or isinstance(share, bool) or not 0 <= share <= 1:
        raise PackError(f"{where}: pages: share: expected a number from 0 to 1, got {share!r}")
    votes = [
        PathVote(
            path=_string(row, "path", here),
            pages=_count(row, "pages", here),
            words=_count(row, "words", here),
            kept=_count(row, "kept", here),
            blocks=_count(row, "blocks", here) if "blocks" in row else 0,
        )
        for row, here in _rows(data, "page_paths", where)
    ]
    for index, vote in enumerate(votes):
        if vote.kept > vote.words:
            raise PackError(
                f"{where}: page_paths[{index}]: expected kept of at most {vote.words} words, got {vote.kept}"
            )
    texts = [
        RepeatedText(text=_string(row, "text", here), path=_string(row, "path", here), df=_count(row, "df", here))
        for row, here in _rows(data, "page_texts", where)
    ]
    return PageHistory(
        documents=_count(head, "documents", f"{where}: pages"),
        share=float(share),
        paths=tuple(votes),
        texts=tuple(texts),
    )


def _rows(data: Mapping[str, Any], key: str, where: str) -> list[tuple[Mapping[str, Any], str]]:
    rows = data.get(key)
    if not isinstance(rows, list):
        raise PackError(f"{where}: {key}: expected a list, got {type(rows).__name__}")
    for index, row in enumerate(rows):
        if not isinstance(row, dict):
            raise PackError(f"{where}: {key}[{index}]: expected an object, got {type(row).__name__}")
    return [(row, f"{where}: {key}[{index}]") for index, row in enumerate(rows)]


def _string(row: Mapping[str, Any], name: str, where: str) -> str:
    value = row.get(name)
    if not isinstance(value, str):
        raise PackError(f"{where}: {name}: expected a string, got {value!r}")
    return value


def _count(row: Mapping[str, Any], name: str, where: str) -> int:
    value = row.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 10**18:
        raise PackError(f"{where}: {name}: expected a count, got {value!r:.40}")
    return value
