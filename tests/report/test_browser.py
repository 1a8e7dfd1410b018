"""The report in a browser: by keyboard, without a request, with hostile articles in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from axe import barriers
from browser import chromium
from test_page import HOSTILE

from scale import scaled
from templatemine.config import ReadConfig
from templatemine.io.read import read_documents
from templatemine.model import Document, RejectedCandidate, Template
from templatemine.packs.pack import Pack
from templatemine.report.page import render
from templatemine.report.view import make_report

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "lantern"
ROWS = 60


def report() -> str:
    """Many templates, an Arabic source, and a source whose articles and names attack the page."""
    pack = Pack.load(GOLDEN / "thesis.pack.json")
    random = Random(1)
    many = tuple(
        Template(id=f"x{n}", regex=f"call{n}", tokens=None, df=random.randrange(2, 4000), count=5, example=f"call{n}")
        for n in range(ROWS)
    )
    example = pack.templates[0].example
    packs = {
        pack.source: replace(pack, templates=(*pack.templates, *many)),
        "عكاظ": replace(pack, source="عكاظ"),
        HOSTILE: replace(
            pack, source=HOSTILE, templates=tuple(replace(one, id=HOSTILE + one.id) for one in pack.templates)
        ),
    }
    documents = list(read_documents([GOLDEN / "articles.jsonl"], ReadConfig()))
    story = "حرص عضو لجنة المسابقات أحمد العقيل على استقبال بعثة النصر. " * 8
    documents += [
        Document(source="عكاظ", id="1", text=f"{story}\n\n{example}\n\n{story}", title="العقيل يستقبل النصر"),
        Document(
            source=HOSTILE, id=HOSTILE, text=f"{HOSTILE * 6}\n\n{example}\n\n{HOSTILE}", title=HOSTILE, url=HOSTILE
        ),
    ]
    before = {source: replace(one, templates=one.templates[1:]) for source, one in packs.items()}
    rejected = [RejectedCandidate(("a", "string"), 5, 6, reason) for reason in pack.rejected]
    made = make_report(packs, documents, lambda source: rejected, before=before)
    return "".join(render(made, "Report"))


class Watched:
    """A page, what it complained of, and what it asked for."""

    def __init__(self, browser: Any, file: Path, **options: Any) -> None:
        self.page = browser.new_page(**options)
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.complaints.append(dialog.message), dialog.dismiss()))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(file.as_uri())


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("jinja2")
    pytest.importorskip("vl_convert")
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(report(), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture
def watched(browser: Any, file: Path) -> Iterator[Watched]:
    found = Watched(browser, file)
    yield found
    found.page.close()
    assert found.complaints == []
    assert found.requests == [file.as_uri()]


def test_nothing_acts_and_nothing_leaves(watched: Watched) -> None:
    page = watched.page
    page.hover("mark >> nth=0")
    for mark in page.locator("mark").all():
        mark.focus()
    page.wait_for_timeout(200)
    assert page.title() == "Report"
    assert page.evaluate("getComputedStyle(document.body).display") == "block"
    assert page.evaluate("document.scripts.length") == 1


INTO = {
    "picture": '<img src="https://evil.example/x.png" onerror="document.title=1">',
    "style": '<p style="color:red">red</p><style>body { display: none }</style>',
    "frame": '<iframe src="https://evil.example/"></iframe>',
    "form": '<form action="https://evil.example/"><button id="go">go</button></form>',
}


@pytest.mark.parametrize("name", [*INTO, "script"])
def test_should_mark_up_get_through_it_can_do_nothing(browser: Any, file: Path, name: str) -> None:
    found = Watched(browser, file)
    page, failed = found.page, []
    page.on("requestfailed", lambda request: failed.append((request.url, request.failure)))
    if name == "script":
        page.evaluate("""() => { const script = document.createElement("script");
            script.textContent = "document.title = 'pwned'"; document.body.append(script); }""")
    else:
        page.evaluate("html => document.body.insertAdjacentHTML('beforeend', html)", INTO[name])
    if name == "form":
        page.evaluate("document.getElementById('go').click()")
    for _ in range(50):  # what the browser says of it comes late on a busy machine
        page.wait_for_timeout(200)
        if found.complaints and {url for url, _ in failed} >= set(found.requests) - {file.as_uri()}:
            break
    assert page.evaluate("document.title") == "Report"
    assert page.url == file.as_uri()
    assert page.evaluate("getComputedStyle(document.body).display") == "block"
    assert found.complaints
    assert all("Content Security Policy" in one for one in found.complaints)
    assert {url for url, _ in failed} >= set(found.requests) - {file.as_uri()}
    assert all(why == "csp" for _, why in failed)
    page.close()


def source_place(page: Any) -> str:
    found: str = page.evaluate(
        "[...document.querySelectorAll('table.templates')].find(t => t.tBodies[0].rows.length > 50).closest('section').id"
    )
    return found


def test_sorting_by_keyboard(watched: Watched) -> None:
    page = watched.page
    place = source_place(page)
    heading = page.locator(f"#{place} table.templates th", has_text="documents").first
    rows = page.locator(f"#{place} table.templates tbody tr")

    def numbers() -> list[int]:
        return [int(text.split()[0].replace(",", "")) for text in rows.locator("td:nth-child(2)").all_inner_texts()]

    heading.locator("button").focus()
    page.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") == "descending"
    down = numbers()
    assert down == sorted(down, reverse=True)
    page.keyboard.press("Space")
    assert heading.get_attribute("aria-sort") == "ascending"
    assert numbers() == sorted(down)
    assert len(down) >= ROWS
    # The next heading is one step on, and takes the mark over.
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") is None
    words = page.locator(f"#{place} table.templates th").first
    words.locator("button").press("Enter")
    assert words.get_attribute("aria-sort") == "ascending"


def test_searching_by_keyboard(watched: Watched) -> None:
    page = watched.page
    place = source_place(page)
    box = page.locator(f"#{place}").get_by_label("Search templates")
    box.focus()
    page.keyboard.type("CALL1")
    shown = page.locator(f"#{place} table.templates tbody tr:not([hidden])")
    assert shown.count() == 11  # call1, call10 to call19
    assert page.locator(f"#{place} output").inner_text().startswith("11 of ")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.press("Delete")
    assert shown.count() >= ROWS


def test_the_whole_page_by_keyboard(watched: Watched) -> None:
    page = watched.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.evaluate("document.activeElement.getBoundingClientRect().top") >= 0
    page.keyboard.press("Enter")
    page.wait_for_url("**/report.html#sources", timeout=5000)  # a key press does not wait for what it does
    wanted, reached = {"A", "BUTTON", "INPUT", "MARK", "SUMMARY", "DIV"}, set()
    for number in range(400):
        if wanted <= reached and number >= scaled(400):
            break
        page.keyboard.press("Tab")
        name = page.evaluate("document.activeElement.tagName + (document.activeElement.id || '')")
        reached.add(name[:7].rstrip("0123456789"))
    assert wanted <= reached


def test_a_cut_says_what_made_it(watched: Watched) -> None:
    page = watched.page
    mark = page.locator("mark").first
    mark.focus()
    note = page.evaluate("getComputedStyle(document.activeElement, '::after').content")
    assert "documents" in note
    described = (mark.get_attribute("aria-describedby") or "").split()
    assert described
    for one in described:
        assert "documents" in page.locator(f"#{one}").inner_text()


def test_from_right_to_left(watched: Watched) -> None:
    article = watched.page.locator("div.article", has_text="المسابقات").first
    assert article.evaluate("box => getComputedStyle(box).direction") == "rtl"
    assert watched.page.locator("h2", has_text="عكاظ").count() == 1


@pytest.mark.parametrize("width", [360, 800, 1400])
def test_no_sideways_scrolling(browser: Any, file: Path, width: int) -> None:
    found = Watched(browser, file, viewport={"width": width, "height": 800})
    assert found.page.evaluate("document.documentElement.scrollWidth") <= width
    found.page.close()


def test_no_table_is_clipped_on_a_small_screen(browser: Any, file: Path) -> None:
    """At 1300 pixels the last columns of the templates were out of sight."""
    found = Watched(browser, file, viewport={"width": 1300, "height": 800})
    wider = "all => all.map(one => one.scrollWidth - one.clientWidth).filter(one => one > 0)"
    assert found.page.locator(".wide").evaluate_all(wider) == []
    widths = found.page.locator("table.templates td.text:first-child").evaluate_all(
        "all => all.map(e => e.clientWidth)"
    )
    assert min(width for width in widths if width) > 400  # a third of the table
    found.page.close()


def test_names_of_sources_break_behind_a_dot(browser: Any, file: Path, tmp_path: Path) -> None:
    pack, name = Pack.load(GOLDEN / "thesis.pack.json"), "quarrymensweekly.example"
    documents = [replace(one, source=name) for one in read_documents([GOLDEN / "articles.jsonl"], ReadConfig())]
    path = tmp_path / "report.html"
    made = make_report({name: replace(pack, source=name)}, documents, lambda source: ())
    path.write_text("".join(render(made, "Report")), encoding="utf-8")
    for width in (800, 1000, 1300):
        found = Watched(browser, path, viewport={"width": width, "height": 800})
        tops = found.page.locator("table[data-search=sources] tbody th a").first.evaluate(
            """link => {
                const tops = [];
                for (const node of link.childNodes)
                    for (let place = 0; place < (node.data || "").length; place++) {
                        const range = document.createRange();
                        range.setStart(node, place);
                        range.setEnd(node, place + 1);
                        tops.push([node.data[place], range.getBoundingClientRect().top]);
                    }
                return tops;
            }"""
        )
        assert "".join(char for char, _ in tops) == name
        broken = [before[0] for before, after in pairwise(tops) if before[1] != after[1]]
        assert broken in ([], ["."]), width
        found.page.close()


def test_bars_begin_at_one_place(browser: Any, file: Path) -> None:
    found = Watched(browser, file, viewport={"width": 1400, "height": 800})
    left = "all => all.map(one => one.getBoundingClientRect().left)"
    places = found.page.locator(".c-cut .bar").evaluate_all(left)
    assert len(places) == 3
    assert max(places) - min(places) < 1
    found.page.close()


# Relative luminance and contrast as WCAG 2.1 has them.
CONTRAST = """() => {
  const lum = (c) => { const [r, g, b] = c.match(/[0-9.]+/g).slice(0, 3).map(Number)
      .map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
      if (!/, 0\\)$|transparent/.test(c)) return c; } return "rgb(255,255,255)"; };
  const found = {};
  for (const s of ["body", "a", "mark", "sup", ".lede", ".about", ".gap", ".ctl", "thead th", "td small", "figcaption", "td q"])
    for (const e of [...document.querySelectorAll(s)].slice(0, 3)) {
      const a = lum(getComputedStyle(e).color), b = lum(ground(e));
      found[s] = Math.min(found[s] ?? 21, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)); }
  return found; }"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(browser: Any, file: Path, scheme: str) -> None:
    found = Watched(browser, file, color_scheme=scheme)
    ground = found.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, ground.removeprefix("rgb(").rstrip(")").split(","))) < 384) == (scheme == "dark")
    contrast = found.page.evaluate(CONTRAST)
    assert {"body", "mark", "thead th", ".ctl"} <= set(contrast)
    assert not {name: value for name, value in contrast.items() if value < 4.5}
    found.page.close()


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (390, "dark"),
        (1440, "light"),
        # Each width and each scheme has been there; these are what they are together.
        pytest.param(390, "light", marks=pytest.mark.slow),
        pytest.param(1440, "dark", marks=pytest.mark.slow),
    ],
)
def test_no_barriers(browser: Any, file: Path, width: int, scheme: str) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(file.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    assert barriers(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


LABELS = """table => { const names = [...table.tHead.rows[0].cells].map(one => one.textContent.trim());
  return [...table.tBodies[0].rows[0].cells].map((cell, place) => [names[place],
    getComputedStyle(cell, '::before').content.replaceAll('"', ''), cell.textContent]).slice(1); }"""


def test_cards_on_a_phone(browser: Any, file: Path) -> None:
    """Each value with the name of its column, without a script, and nothing beyond the edge."""
    context = browser.new_context(viewport={"width": 390, "height": 800}, java_script_enabled=False)
    found = context.new_page()
    found.goto(file.as_uri())
    tables = found.locator("table.cards").all()
    assert len(tables) > 3
    for table in tables:
        for name, label, text in table.evaluate(LABELS):
            assert label == name, (label, text)
    regions = ".wide:has(> table)"
    sizes = found.locator(regions).evaluate_all("all => all.map(one => [one.scrollWidth, one.clientWidth])")
    assert all(inner <= outer for inner, outer in sizes)
    row = found.locator("table.templates tbody tr").first
    assert row.evaluate("one => getComputedStyle(one).display") == "block"
    context.close()


def test_on_paper(browser: Any, file: Path) -> None:
    found = Watched(browser, file)
    found.page.emulate_media(media="print", color_scheme="dark")
    assert found.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not found.page.locator(".search").first.is_visible()
    assert found.page.evaluate("getComputedStyle(document.querySelector('.source')).contentVisibility") == "visible"
    assert len(found.page.pdf(format="A4")) > 10_000
    found.page.close()
