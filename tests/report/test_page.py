"""The report as HTML: whatever stands in packs and articles stays text, and nothing is loaded."""

from __future__ import annotations

import base64
import hashlib
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from templatemine.config import ReadConfig, ReportConfig
from templatemine.errors import MissingExtraError, pip_line
from templatemine.io.read import read_documents
from templatemine.model import Document, RejectedCandidate, Template
from templatemine.packs.pack import Pack
from templatemine.report.page import render
from templatemine.report.view import make_report

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "lantern"

HOSTILE = (
    '</mark></div></script><script>document.title="pwned"</script><img src=//evil.example/x onerror=alert(1)>'
    "<style>*{display:none}</style>\"' onfocus=alert(1) x='{{ 7*7 }}{% include 'x' %}<!-- \u202e\x1b[31m\x00\ud800 -->"
)
VOID = {"meta", "input", "br", "img", "wbr", "link", "rect", "path", "line"}


class Reader(HTMLParser):
    """Elements with their attributes, the text of each, and whether they are closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.stack: list[str] = []
        self.texts: dict[str, str] = {}
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in set(self.stack):
            self.texts[tag] = self.texts.get(tag, "") + data

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module", autouse=True)
def libraries() -> None:
    pytest.importorskip("jinja2")
    pytest.importorskip("vl_convert")


def hostile(pack: Pack) -> tuple[dict[str, Pack], list[Document]]:
    """A pack and an article with hostile text in every field that is free."""
    call = Template(id=HOSTILE, regex="Call[ ]us", tokens=None, df=3, count=4, example="Call us")
    held = tuple(replace(one, id=f"{HOSTILE}{one.id}") for one in pack.templates)
    bad = replace(
        pack,
        source=HOSTILE,
        method=HOSTILE,
        generator=HOSTILE,
        first_date=HOSTILE,
        last_date=HOSTILE,
        cutoff=replace(pack.cutoff, note=HOSTILE),
        rejected={HOSTILE: 5},
        templates=(call, *held),
    )
    article = Document(
        source=HOSTILE, id=HOSTILE, text=f"{HOSTILE} story " * 8 + "\nCall us\n" + HOSTILE,
        url=f"javascript:{HOSTILE}", title=HOSTILE, date="2024-01-01" + HOSTILE,
    )  # fmt: skip
    other = Document(source=f"no pack {HOSTILE}", id="1", text=HOSTILE)
    return {HOSTILE: bad, "b": replace(bad, source="b", templates=())}, [article, other]


def made(tmp_path: Path | None = None) -> str:
    packs, documents = hostile(Pack.load(GOLDEN / "learned.pack.json"))
    report = make_report(packs, documents, lambda source: [RejectedCandidate((HOSTILE, "x"), 9, 9, HOSTILE)])
    return "".join(render(report, HOSTILE)).encode("utf-8", "backslashreplace").decode()


def test_hostile_text_stays_text() -> None:
    reader = Reader(made())
    assert not reader.stack
    assert [name for name, _ in reader.elements].count("script") == 1
    assert [name for name, _ in reader.elements].count("style") == 1
    assert not reader.named("img")
    for name, attributes in reader.elements:
        assert not [one for one in attributes if one.startswith("on") or one in ("style", "srcdoc", "src", "action")], (
            name
        )
    assert len(reader.named("mark")) == 1
    assert "pwned" not in reader.texts["script"]
    assert 'document.title="pwned"' in reader.texts["body"]
    assert "{{ 7*7 }}" in reader.texts["body"]
    page = made()
    assert not set(page) & set("\u202e\x1b\x00\ud800")
    assert "U+202E" in page


def test_no_link_does_anything_but_open_a_page() -> None:
    ids = {attributes["id"] for _, attributes in Reader(made()).elements if "id" in attributes}
    links = [one["href"] or "" for one in Reader(made()).named("a")]
    assert links
    assert {link[1:] for link in links if link.startswith("#")} <= ids
    assert not [link for link in links if not link.startswith("#")]


def ordinary() -> str:
    pack = Pack.load(GOLDEN / "thesis.pack.json")
    documents = list(read_documents([GOLDEN / "articles.jsonl"], ReadConfig()))
    documents[0] = replace(documents[0], url="https://example.org/a?b=<c>", title="عنوان")
    return "".join(render(make_report({pack.source: pack}, documents, lambda source: ()), "Report"))


def test_a_table_of_templates_has_what_one_decides_by() -> None:
    """There were fourteen columns, of bits and shares of lines, and a fifth of the screen for the template."""
    table = ordinary().partition('data-search="templates"')[2].partition("</table>")[0]
    head = re.findall(r"<th [^>]*>([^<]*)</th>", table.partition("</thead>")[0])
    assert head == ["template", "documents", "characters", "position", "last seen"]  # of one source, without kinds
    row = table.partition("<tbody>")[2].partition("</tr>")[0]
    assert row.count("<td") == len(head)
    pack = Pack.load(GOLDEN / "learned.pack.json")
    page = "".join(render(make_report({pack.source: pack}, None, lambda source: ())))
    assert '<th scope="col">kind</th>' in page
    assert "last seen</th>" not in page  # without an archive


def test_links_to_the_original() -> None:
    page = ordinary()
    assert all(
        one.get("rel") == "noopener noreferrer" for one in Reader(page).named("a") if (one["href"] or "")[0] != "#"
    )


def test_the_policy_names_the_style_and_the_script_that_are_there() -> None:
    page = ordinary()
    policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)
    assert policy is not None
    # A policy holds for what follows it.
    assert policy.start() < page.index("<style>")
    rules = dict(rule.strip().split(" ", 1) for rule in policy[1].replace("&#39;", "'").split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    for name in ("style", "script"):
        (text,) = re.findall(rf"<{name}>(.*?)</{name}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[f"{name}-src"] == f"'sha256-{digest}'"


def test_tables_and_figures_speak() -> None:
    reader = Reader(ordinary())
    assert not reader.stack
    headings = reader.named("th")
    assert headings
    assert all(one.get("scope") in ("col", "row") for one in headings)
    pictures = [attributes for _, attributes in reader.elements if attributes.get("role") == "img"]
    assert pictures
    assert all(one.get("aria-label") for one in pictures)
    ids = [attributes["id"] for _, attributes in reader.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in reader.elements:
        for name in ("aria-labelledby", "aria-describedby"):
            assert set((attributes.get(name) or "").split()) <= set(ids)
    assert reader.named("html")[0]["lang"] == "en"
    assert all(one.get("tabindex") == "0" and one.get("data-note") for one in reader.named("mark"))


def test_without_an_archive() -> None:
    pack = Pack.load(GOLDEN / "learned.pack.json")
    page = "".join(render(make_report({pack.source: pack}, None, lambda source: ()), "Report"))
    reader = Reader(page)
    assert not reader.named("article")
    assert all(one.tokens and one.tokens[-1] in page for one in pack.templates[:1])
    # What is said of an Arabic template is not Arabic; it stood at the right.
    said = [one for one in reader.named("small") if one.get("class") == "why"]
    assert said
    assert {one.get("dir") for one in said} == {"ltr"}


def test_nothing_at_all() -> None:
    reader = Reader("".join(render(make_report({}, [], lambda source: ()), "Report")))
    assert not reader.stack


def test_the_same_page_every_time() -> None:
    assert ordinary() == ordinary()


def test_rows_are_shared_out() -> None:
    pack = Pack.load(GOLDEN / "thesis.pack.json")
    many = replace(pack, source="many", templates=tuple(replace(pack.templates[0], id=f"t{n}") for n in range(50)))
    report = make_report({"many": many, "few": replace(pack, source="few")}, None, lambda s: (), ReportConfig(rows=20))
    few, most = report.sources
    assert len(few.rows) == min(len(pack.templates), 20 - len(most.rows)) > 0
    assert len(few.rows) + len(most.rows) <= 20
    assert f"of {50}; the pack has all" in "".join(render(report, "Report"))


def test_shared_expressions() -> None:
    pack = Pack.load(GOLDEN / "thesis.pack.json")
    report = make_report({"a": replace(pack, source="a"), "b": replace(pack, source="b")}, None, lambda source: ())
    assert len(report.shared) == len(pack.templates)
    assert all([place for place, _ in one.sources] == [0, 1] for one in report.shared)
    assert all(row.others == 1 for source in report.sources for row in source.rows)


def test_rejected_strings_by_reason() -> None:
    pack = Pack.load(GOLDEN / "learned.pack.json")
    rows = [
        RejectedCandidate((f"w{number}",), 30 - number, 40 - number, reason)
        for number in range(30)
        for reason in pack.rejected
    ]
    (source,) = make_report({pack.source: pack}, None, lambda source: iter(rows), ReportConfig(rejected=3)).sources
    assert {one.reason: one.number for one in source.rejected} == pack.rejected
    assert all(len(one.strings) == min(3, one.number) for one in source.rejected)
    assert all(one.strings[0] == ("w0", 30, 40) for one in source.rejected)


@pytest.mark.parametrize("name", ["jinja2", "vl_convert"])
def test_without_the_libraries(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=re.escape(pip_line("report"))):
        ordinary()
