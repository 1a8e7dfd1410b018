"""Annotated and labelled sources as records, and the candidates that labelled strings are; on invented articles."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "datasets"), str(ROOT / "datasets" / "templates")]

import training_data  # noqa: E402
from training_data import (  # noqa: E402
    LabelledString,
    load_annotated_sources,
    match_labels,
    publisher_of,
)

from templatemine.config import PipelineConfig  # noqa: E402
from templatemine.mining.labels import PREFIX, SEGMENT, find_candidates  # noqa: E402
from templatemine.mining.methods import resolve_defaults  # noqa: E402
from templatemine.mining.segments import segment  # noqa: E402
from templatemine.mining.tokenise import tokenise  # noqa: E402
from templatemine.model import Document  # noqa: E402

CALL = "Sign up for our newsletter now!"
WORDS = ("low", "tide", "harbour", "boat", "gull", "mast", "rope", "net", "pier", "sail")


def article(number: int) -> Document:
    word = WORDS[number % len(WORDS)]
    text = f"The {word} {number} came.\nRelated: {word} of day {number} seen {word}\nIt left {number}.\n“{CALL}”"
    return Document(source="s", id=f"s/{number}", text=text)


ARTICLES = [article(number) for number in range(10)]


def label(unit: str, text: str, kind: str, filler: str | None = None, skip: int = 0) -> LabelledString:
    places = tuple((one.id, at := one.body.index(text), at + len(text)) for one in ARTICLES[skip:4])
    return LabelledString(unit, text, 10, 10, kind, filler, places)


def match(*labels: LabelledString) -> list[tuple[str, str, bool | None, str | None, str | None, int]]:
    options = resolve_defaults(PipelineConfig())
    segments = segment(tokenise("s", ARTICLES, options.tokenise, lines=True))
    candidates = find_candidates(segments)
    return [
        (candidates[one.candidates].kind, one.string.text, one.label, one.kind, one.filler, len(one.occurrences))
        for one in match_labels(segments, candidates, ARTICLES, labels, options=options)
    ]


def test_strings_are_the_candidates_at_their_places() -> None:
    """Signs at the edges may lie outside; a string of other tokens is none."""
    found = match(
        label("segment", CALL, "promotion"),
        label("prefix", "Related:", "related", "line"),
        label("prefix", "Related", "content"),
        label("segment", "our newsletter", "content"),
    )
    assert found == [
        (SEGMENT, CALL, True, "promotion", None, 4),
        (PREFIX, "Related:", True, "related", "line", 4),
    ]
    assert match() == []


def write(file: Path, rows: list[dict[str, Any]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    file.write_bytes(gzip.compress(data) if file.suffix == ".gz" else data)


def make_data(folder: Path, gold_id: str = "s/1") -> None:
    for archive in training_data.ARCHIVES:
        write(folder / f"{archive}.jsonl.gz", [])
    rows = [{"source": "s", "id": one.id, "text": one.body, "date": "", "title": "A title"} for one in ARTICLES]
    write(folder / "text" / "world.jsonl.gz", [*rows, {"source": "other", "id": "o/1", "text": "x"}])
    write(folder / "feeds" / "feeds.jsonl.gz", [{"source": "feed.scmp", "id": "f/1", "text": "x"}])
    write(folder / "gold2" / "s.jsonl", [{"id": gold_id, "spans": [[0, 3, "optional", "caption"]]}])
    write(folder / "feeds" / "gold" / "feed.scmp.jsonl", [{"id": "f/1", "spans": []}])
    string = label("prefix", "Related:", "related", "line")._asdict()
    write(folder / "labels" / "s.jsonl", [string])


def test_sources_hold_articles_gold_and_labels(tmp_path: Path) -> None:
    make_data(tmp_path)
    feed, source = load_annotated_sources(tmp_path, max_documents=5)
    assert (feed.name, feed.publisher, feed.is_feed, len(feed.labels)) == ("feed.scmp", "scmp.com", True, 0)
    assert (source.name, source.publisher, source.is_feed) == ("s", "s", False)
    assert len(source.documents) == 5
    assert {f"s/{number}" for number in range(4)} < {one.id for one in source.documents}
    assert [one.id for one in source.articles] == ["s/1"]
    assert (source.articles[0].title, source.articles[0].date) == ("A title", "")
    assert source.gold == {"s/1": [(0, 3, "optional", "caption")]}
    assert source.labels == [label("prefix", "Related:", "related", "line")]
    assert not load_annotated_sources(tmp_path, labelled=False)[1].labels


def test_sources_of_one_publisher_are_known() -> None:
    for names in (
        ("bbc.com", "bbcarabic.com", "bbc.com-afrique", "feed.bbc-world"),
        ("pv-magazine.com", "ess-news.com"),
        ("smax", "peachy", "movie-enter", "livedoor-homme"),
        ("scmp.com", "feed.scmp"),
        ("theguardian.com", "feed.guardian-world"),
    ):
        assert len({publisher_of(name) for name in names}) == 1
    assert publisher_of("npr.org") == "npr.org"
