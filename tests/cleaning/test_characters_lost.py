"""What is told as removed is what went in less what comes out, the white space beside the cuts included: by lines, records,
rows and pages, with both engines."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from invented_pages import CALL, page
from strategies import cases, examples, make_pack
from templatemine import mine
from templatemine.cleaning import _records
from templatemine.cleaning.cleaner import Cleaner, count_lost, count_page_text, page_text
from templatemine.cleaning.hits import DayHits, read_hits, write_hits
from templatemine.cleaning.records import RecordCleaner, RecordConfig
from templatemine.config import CleanConfig
from templatemine.io.pending import Items, Lines
from templatemine.model import Document, Span
from templatemine.packs.pack import Pack
from templatemine.report.explain import Explainer
from templatemine.report.measure import PackMeasurement, ReportConfig
from templatemine.report.pack_diff import diff_packs, measure_diffs
from templatemine.text.patterns import pattern_set

PACK = make_pack([([b"Sign", b"up", b"now"], "Sign up now")], pattern_set("news"), "-", False)
BREAKS = st.lists(
    st.sampled_from(["\n", "\n\n", " \n ", "\u2028", "\u3000\n", "\xa0", "Ab é.", "中", "😀"]), max_size=4
).map("".join)


def total(rows: Iterable[dict[str, Any]], name: str = "text") -> int:
    return sum(len(row[name]) for row in rows)


def kinds_of(rows: list[dict[str, Any]]) -> dict[str, int]:
    """The characters of the spans of each kind."""
    found: Counter[str] = Counter()
    for row in rows:
        for span in row["removed"]:
            found[span.get("kind", "")] += span["end"] - span["start"]
    return dict(found)


def run(pack: Pack, texts: list[str], config: RecordConfig, raw: bool) -> tuple[RecordCleaner, list[dict[str, Any]]]:
    """Clean texts as lines of JSON, or as records."""
    cleaner = RecordCleaner({"a": pack}, config)
    rows = [{"source": "a", "text": text} for text in texts]
    batch: Lines | Items = Items([("a", str(place), row) for place, row in enumerate(rows)])
    if raw:
        lines = [json.dumps(row, ensure_ascii=any("\ud800" <= c < "\ue000" for c in row["text"])) for row in rows]
        batch = Lines("f", "a", 1, "".join(f"{line}\n" for line in lines).encode())
    done = cleaner.clean_batch(batch)
    assert not done.errors
    cleaner.tally.add(done.tally)
    return cleaner, [json.loads(line) for line in done.data.splitlines()]


@examples(300)
@given(st.data())
def test_what_is_told_is_what_a_file_loses(data: st.DataObject) -> None:
    case = data.draw(cases(html=False))
    pack = case.pack()
    texts = [data.draw(BREAKS) + text + data.draw(BREAKS) for text in (*case.texts, *case.others) for _ in (0, 1)]
    guard, gap = data.draw(st.sampled_from([0.0, 0.3, 0.9, 1.0])), data.draw(st.integers(0, 4))
    stubs = data.draw(st.sampled_from(["mark", "keep", "drop"]))
    told = set()
    for engine in ("native", "regex"):
        for raw in (False, True):
            clean = CleanConfig(engine=engine, guard=guard, gap=gap, stubs=stubs)
            cleaner, rows = run(pack, texts, RecordConfig(clean=clean), raw)
            counts = cleaner.tally.total()
            assert counts.characters == sum(map(len, texts))
            assert counts.cut == counts.characters - total(rows)
            told.add(counts.cut)
            marker, marked = run(pack, texts, RecordConfig(clean=clean, mark=True), raw)
            if stubs != "keep":
                assert marker.tally.total().cut == counts.cut
            if stubs != "drop":
                assert counts.kinds == kinds_of(rows)
                assert marker.tally.total().kinds == kinds_of(marked)
                assert total(marked) == counts.characters
    assert len(told) == 1


def test_lines_are_counted_natively() -> None:
    """The property above would hold if all lines were left to Python."""
    block = _records.BlockCleaner(
        _records.Fields([b"text", b"html", b"source", b"id", b"removed", b"removed_stub"], 1000),
        json.dumps(
            {"text": "Ä story.\n\nSign up now\n\nSign up now\n\nMore, ö.\n\nSign up now\n\n"}, ensure_ascii=False
        ).encode(),
        b"a",
    )
    assert block.run() == _records.UNKNOWN
    block.add_source(b"a", _records.CLEAN, Cleaner(PACK).lines)
    assert block.run() == _records.DONE
    left = json.loads(block.take_output())["text"]
    assert left == "Ä story.\n\nMore, ö."
    ((_, _, _, _, _, _, characters, cut, _, by_kind),) = block.counts()
    assert (characters, cut, sum(by_kind)) == (59, 59 - len(left), 35)


@examples(200)
@given(st.data())
def test_articles_that_are_explained_lose_the_same(data: st.DataObject) -> None:
    case = data.draw(cases(html=False))
    pack, stubs = case.pack(), data.draw(st.sampled_from(["mark", "keep"]))
    config = CleanConfig(guard=data.draw(st.sampled_from([0.0, 0.9])), stubs=stubs)
    cleaner, measured = Cleaner(pack, config), PackMeasurement(pack, ReportConfig(clean=config))
    documents = [Document(source=pack.source, id=text, text=text) for text in (*case.texts, *case.others)]
    lost = 0
    for document in documents:
        text = document.body
        found, cleaned, spans = Explainer(pack, config).explain(text), cleaner.clean(text), cleaner.spans(text)
        assert count_lost(text, spans) == len(text) - len(reference.cut(text, spans)) == found.cut
        assert len(text) - len(cleaned.text) == (0 if found.whole else found.cut)
        measured.add(document)
        lost += len(text) - len(cleaned.text)
    assert measured.cut == lost
    (gone,) = diff_packs({pack.source: pack}, {}, measured=True)
    measure_diffs([gone], documents, config)
    assert gone.cuts is not None
    assert (gone.cuts.characters, gone.cuts.old_cut, gone.cuts.new_cut) == (measured.characters, lost, 0)


@pytest.mark.parametrize("config", [CleanConfig(), CleanConfig(html="strip"), CleanConfig(text_format="tei")])
def test_pages(config: CleanConfig, tmp_path: Path) -> None:
    """Of pages the text that is written counts, and that of what goes: mark-up is no text that is lost."""
    pages = [page(number, CALL) for number in range(20)]
    pack = next(iter(mine([{"source": "a", "html": html} for html in pages]).values()))
    pages.append("<p>Short.")
    cleaner = RecordCleaner({"a": pack}, RecordConfig(clean=config, hits=True))
    batch = cleaner.clean_batch(Items([("a", str(n), {"source": "a", "html": html}) for n, html in enumerate(pages)]))
    assert not batch.errors
    rows = [json.loads(line) for line in batch.data.splitlines()]
    counts = batch.tally.total()
    assert counts.cut == sum(counts.kinds.values()) > 0
    assert config.text_format == "tei" or counts.cut == counts.characters - total(rows)
    whole = sum(len(page_text(page, ())) for page in pages)
    assert abs(counts.characters - whole) <= counts.spans + len(pages)
    assert batch.tally.days["a"][""].cut == counts.cut
    one = RecordCleaner({"a": pack}, RecordConfig(clean=config, hits=True))
    small = one.clean_batch(Items([("a", "1", {"source": "a", "html": pages[-1]})])).tally
    assert small.total().cut == 0
    write_hits(str(tmp_path), small.days)
    assert read_hits(str(tmp_path)) == small.days


@given(st.lists(st.tuples(st.text("ab &;<p>/!-\n", max_size=12), st.sampled_from(["", "legal", "media"])), max_size=6))
def test_text_of_pages_is_counted_by_kind(pieces: list[tuple[str, str]]) -> None:
    """As `page_text` of each stretch: what one leaves open does not hide the others."""
    html = "".join(piece for piece, _ in pieces)
    ends = list(accumulate(len(piece) for piece, _ in pieces))
    spans = [Span(end - len(piece), end, (), kind) for end, (piece, kind) in zip(ends, pieces, strict=True)]
    counts = count_page_text(html, spans)
    assert counts.keys() == {kind for _, kind in pieces}
    for kind, count in counts.items():
        assert count == sum(len(page_text(piece, ())) for piece, own in pieces if own == kind)


@given(st.text("ab \n", max_size=40))
def test_days_count_what_texts_lose(story: str) -> None:
    day, lost = DayHits(), 0
    for text in (story, f"{story}\nSign up now", f"Sign up now\n\n{story}"):
        cleaned = Cleaner(PACK).clean(text)
        day.add_document(len(text), len(text) - len(cleaned.text), cleaned)
        lost += len(text) - len(cleaned.text)
    assert day.cut == lost


@pytest.mark.parametrize("engine", ["native", "regex"])
@pytest.mark.parametrize("raw", [False, True])
@pytest.mark.parametrize("mark", [False, True])
@pytest.mark.parametrize("hits", [False, True])
def test_stubs_that_are_dropped_are_lost_whole(engine: str, raw: bool, mark: bool, hits: bool) -> None:
    """Marked lines were not dropped, but marked records were; counts by day had the rest of them."""
    config = RecordConfig(clean=CleanConfig(engine=engine, stubs="drop", guard=0.7), mark=mark, hits=hits)
    cleaner, rows = run(PACK, ["Sign up now\n\n:", "Sign up now\nA story of some length"], config, raw)
    assert [row["text"] for row in rows] == ["Sign up now\n" * mark + "A story of some length"]
    counts = cleaner.tally.total()
    assert (counts.stubs, counts.dropped, counts.cut) == (1, 1, 14 + 12)
    assert [day.cut for day in cleaner.tally.days.get("a", {}).values()] == [counts.cut] * hits
