"""What records show of themselves: one line on a terminal, a few in a notebook, and nothing that acts."""

from __future__ import annotations

from html.parser import HTMLParser
from random import Random
from typing import Any

import pytest

import templatemine
from templatemine import notebook
from templatemine.model import Cleaned, MarkedText, Span

HOSTILE = '<script>alert("1")</script> & <b>'
TEXT = f"The story. {HOSTILE} Sign up & read."
CLEANED = Cleaned("The story.", (Span(11, len(TEXT), ('t1"><script>', "t2")),))


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def parsed(shown: Any) -> Tags:
    tags = Tags()
    tags.feed(shown._repr_html_())
    tags.close()
    assert not {"script", "b", "img"} & {name for name, _ in tags.tags}
    return tags


def test_cuts_are_struck_through() -> None:
    shown = CLEANED.beside(TEXT)
    assert isinstance(shown, MarkedText)
    found = parsed(shown)
    assert [(name, attrs.get("title")) for name, attrs in found.tags] == [("div", None), ("del", 't1"><script>, t2')]
    assert found.text == TEXT
    assert str(shown) == f"The story. [-{HOSTILE} Sign up & read.-]"
    assert str(Cleaned("a", ()).beside("a")) == "a"
    with pytest.raises(ValueError, match=f"original: expected {len(TEXT)} characters or more, got 3"):
        CLEANED.beside("abc")


def test_cleaned_is_short_on_a_terminal_and_a_table_in_a_notebook() -> None:
    assert repr(CLEANED) == "<Cleaned: 10 characters, 1 cut, 'The story.'>"
    assert repr(Cleaned("x" * 9999, (), True)) == f"<Cleaned: 9,999 characters, 0 cuts, stub, {'x' * 40!r}>"
    found = parsed(CLEANED)
    assert found.text.startswith("The story.startendkindtemplates11")
    assert 't1"><script>, t2' in found.text
    assert "table" not in [name for name, _ in parsed(Cleaned("a", ())).tags]


def test_a_page_shows_what_was_left_out() -> None:
    html = "<title>&lt;script&gt;</title><ul><li><a href=/>Home &lt;b&gt;</a></ul><h1>Bridge</h1>" + "".join(
        f"<p>The bridge over the bay was opened on day {n}, and many people came to see it &lt;img src=x&gt;.</p>"
        for n in range(5)
    )
    page = templatemine.extract(html)
    found = parsed(page)
    assert "opened on day 3" in found.text
    assert "<img src=x>" in found.text
    assert repr(page).startswith("Extraction(")
    assert "del" in [name for name, _ in found.tags]


OWN = ["".join(Random(place).choices("abcdefghijklmn", k=9)) for place in range(27)]
"""Words of stories: what differs in numbers alone is one."""


def test_a_report_shows_its_pack() -> None:
    rows = [
        {"source": "a<b", "id": str(n), "text": f"{OWN[n]} {OWN[n + 9]} {OWN[n + 18]}\n\nSign up now."}
        for n in range(9)
    ]
    report, small = templatemine.Miner().run([*rows, {"source": "small", "id": "1", "text": "one"}])
    assert repr(report).startswith("<SourceReport a<b: ")
    found = parsed(report)
    assert "Sign up now." in found.text
    assert repr(small) == "<SourceReport small: no pack: 1 document, at least 5 are needed>"
    assert "table" not in [name for name, _ in parsed(small).tags]


def test_long_tables_are_cut() -> None:
    shown = notebook.table(("n",), [(n,) for n in range(notebook.LISTED + 7)])
    assert shown.count("<tr>") == notebook.LISTED + 1
    assert shown.endswith("<p>and 7 more</p>")


def test_every_way_to_give_an_archive_gives_the_same_packs(tmp_path: Any) -> None:
    """`mine` and `clean_all` take paths, documents, dicts and frames; `read` gives documents, `Cleaners.load` cleaners."""
    import json
    from pathlib import Path

    golden = Path(__file__).parent / "golden" / "lantern" / "articles.jsonl"
    rows = [json.loads(line) for line in golden.read_text(encoding="utf-8").splitlines()]
    packs = templatemine.mine(str(golden))
    given: list[Any] = [golden, templatemine.read(golden), rows, iter(rows)]
    for name in ("pandas", "polars"):
        try:
            module = __import__(name)
        except ImportError:
            continue
        given.append(module.DataFrame(rows))
    for one in given:
        mined = templatemine.mine(one)
        assert {source: pack.to_json() for source, pack in mined.items()} == {
            source: pack.to_json() for source, pack in packs.items()
        }
    for source, pack in packs.items():
        pack.save(tmp_path / f"{source}.json")
    cleaners = templatemine.Cleaners.load(tmp_path)
    texts = [cleaned.text for _, cleaned in cleaners.clean_all(golden)]
    assert texts == [cleaned.text for _, cleaned in templatemine.Cleaners(packs).clean_all(rows)]
    assert any(len(text) < len(row["text"]) for text, row in zip(texts, rows, strict=True))
