"""Records with pages in, extracted and cleaned abreast."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from invented_pages import CALL, MENU, learn_history
from invented_pages import page as invented_page
from templatemine.cleaning.cleaner import page_text
from templatemine.cleaning.page_records import RecordExtractor
from templatemine.cleaning.records import RecordCleaner, RecordConfig
from templatemine.cleaning.tally import SourceTally
from templatemine.config import CleanConfig, PageConfig, ReadConfig
from templatemine.io.files import Report
from templatemine.io.pending import Items, Lines
from templatemine.model import PageHistory
from templatemine.packs.pack import Pack
from templatemine.pages import abreast
from templatemine.pages.main_text import PageCleaner


def page(number: int) -> dict[str, object]:
    return {"html": f"<p>Page {number} says this. <p>And that."}


@pytest.fixture(params=[1, 2, 3, 32], autouse=True)
def how_many(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(abreast, "ABREAST", request.param)


def test_lines_and_errors_come_in_the_order_of_the_records() -> None:
    lines = [json.dumps(page(number)) for number in range(8)]
    lines[2], lines[3], lines[6] = '{"html":', '{"text": "no page"}', "[]"
    found = RecordExtractor().extract_batch(Lines("pages.jsonl", "a", 1, "\n".join(lines).encode()))
    rows = [json.loads(line) for line in found.data.splitlines()]
    assert [row["text"].split()[1] for row in rows] == ["0", "1", "4", "5", "7"]
    assert [error.where for error in found.errors] == [f"pages.jsonl:{number}" for number in (3, 4, 7)]
    assert found.tally.pages == 5


def test_so_they_do_where_pages_are_cleaned_among_texts() -> None:
    """Lines that need no pack pass as they are, in their places."""
    lines = [json.dumps(page(number)) for number in range(9)]
    lines[2], lines[4], lines[6] = '{"html":', '{"text":  "a text"}', '{"html": 7}'
    lines[7] = '{"html":  "<p>Cleaned", "text": "before", "removed": []}'
    found = RecordCleaner({}).clean_batch(Lines("pages.jsonl", "a", 1, "\n".join(lines).encode()))
    out = found.data.decode().splitlines()
    assert [line for line in out if line in lines] == [lines[4], lines[7]] == [out[3], out[5]]
    assert [json.loads(line)["text"][:6] for line in out] == [
        "Page 0",
        "Page 1",
        "Page 3",
        "a text",
        "Page 5",
        "before",
        "Page 8",
    ]
    assert [error.where for error in found.errors] == [f"pages.jsonl:{number}" for number in (3, 7)]
    assert found.tally.sources["a"].page_model == 5


def test_so_they_do_where_records_come_parsed_and_as_rows() -> None:
    records = [("ab"[number % 2], f"f:{number}", page(number)) for number in range(7)]
    data = RecordCleaner({}).clean_batch(Items(records)).data
    assert [json.loads(line)["text"].split()[1] for line in data.splitlines()] == list("0123456")
    pyarrow = pytest.importorskip("pyarrow")
    from templatemine.io import tables

    table = pyarrow.Table.from_pylist([page(number) for number in range(7)])
    (batch,) = tables.read_batches(lambda path: table.to_batches(), "s", ReadConfig(), Report(), 9, 1 << 20)
    rows = pyarrow.ipc.open_stream(RecordCleaner({}, RecordConfig(rows=True)).clean_batch(batch).data).read_all()
    assert [text.split()[1] for text in rows.column("text").to_pylist()] == list("0123456")


MANY = MENU * 200
GOLDEN = Path(__file__).parents[1] / "golden" / "lantern" / "learned.pack.json"


def count_pages(pages: list[str], history: PageHistory | None, config: CleanConfig | None = None) -> SourceTally:
    """Count what cleaning takes of pages, with a pack of a history."""
    packs = {}
    if history is not None:
        found = Pack.load(GOLDEN)
        packs = {"a": replace(found, source="a", html=True, templates=(), pages=history)}
    lines = "".join(json.dumps({"html": one}) + "\n" for one in pages)
    cleaner = RecordCleaner(packs, RecordConfig(clean=config or CleanConfig(), sampled=9))
    return cleaner.clean_batch(Lines("f", "a", 1, lines.encode())).tally.sources["a"]


def test_what_is_beside_the_main_text_is_no_loss() -> None:
    """All pages lost most of their characters to the check, and none of them to templates."""
    pages = [invented_page(number).replace("<body>", f"<body>{MANY}") for number in range(20)]
    counts = count_pages(pages, None)
    assert 2 * counts.cut > counts.characters
    assert (counts.loss, counts.outside) == (0, counts.cut)


def test_what_the_history_takes_of_the_main_text_is_lost() -> None:
    """The more is beside it, the less of all text that is; of the main text it is the same."""
    pages = [invented_page(number, CALL) for number in range(20)]
    history = learn_history(pages, PageConfig())
    call = page_text(CALL, ())
    assert call not in PageCleaner(history).clean(pages[3]).text
    for menus in (0, 200):
        some = [one.replace("<body>", f"<body>{MENU * menus}") for one in pages]
        alone, known = (sum(len(PageCleaner(one).clean(page).text) for page in some) for one in (None, history))
        counts = count_pages(some, history)
        assert len(call) * len(pages) <= alone - known
        assert (2 * counts.cut > counts.characters) == (menus > 0)
        assert counts.loss == pytest.approx(1 - known / alone, rel=0.05)


def test_pages_of_which_the_history_takes_nearly_all_lose_it() -> None:
    """So that the check still fails for them; kept, they lose nothing, and left out all."""

    def formulaic(number: int) -> str:
        said = f"<p>The town of number {number} has a high of {number * 7} and a low of {number * 3} degrees, they said.</p>"
        return f"<title>Weather {number}</title><div class=story><h1>Weather {number}</h1>{said * 3}</div>"

    pages = [formulaic(number) for number in range(80)]
    history, page = learn_history(pages, PageConfig()), PageConfig(repeat=50.0)
    found = {
        stubs: count_pages(pages[-9:], history, CleanConfig(stubs=stubs, page=page))
        for stubs in ("mark", "keep", "drop")
    }
    assert [one.stubs for one in found.values()] == [9, 9, 9]
    assert found["mark"].loss > 0.5
    assert found["keep"].loss == 0
    assert found["drop"].loss == 1
