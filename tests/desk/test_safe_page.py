"""Pages that mean harm go in, pages that can do nothing come out; and nothing of the text is lost."""

from __future__ import annotations

import re
import time
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

for _name in ("starlette", "jinja2", "uvicorn"):
    pytest.importorskip(_name, reason=f"the desk needs {_name}: pip install 'templatemine[desk]'")

from templatemine.desk.annotations import find_units  # noqa: E402
from templatemine.desk.export import merge_marks  # noqa: E402
from templatemine.desk.safe_page import (  # noqa: E402
    _ALLOWED_ATTRIBUTES,
    _ALLOWED_ELEMENTS,
    _REPLACED_ELEMENTS,
    read_tags,
    render_article,
    sanitise_page,
)
from templatemine.model import Document  # noqa: E402

OWN = {"tm-t", "tm-box", "meta", "head"}
ALLOWED = (_ALLOWED_ELEMENTS - _REPLACED_ELEMENTS.keys()) | OWN


class Seen(HTMLParser):
    """Elements, attributes and text of a page, as another reader sees them."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.values: list[str] = []
        self.text: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        if tag == "tm-box":
            assert re.fullmatch("((width|height):[0-9]+px;)*", "".join(value or "" for _, value in attrs))
        elif tag != "meta":
            self.attributes |= {name for name, _ in attrs}
            self.values += [value or "" for _, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text.append(data)


PIECES = st.sampled_from(
    [
        *(
            "<p>",
            "</p>",
            "<div class='a b' id=\"c\">",
            "</div>",
            "<script>",
            "</script>",
            "<style>",
            "</style>",
            "<!--",
            "-->",
        ),
        *(
            "<img src=x onerror=e()>",
            "<a href='javascript:e()'>",
            "</a>",
            "<svg onload=e()>",
            "</svg>",
            "<iframe srcdoc='<script>'>",
        ),
        *(
            "<base href=//x>",
            "<meta http-equiv=refresh content=0>",
            "<form action=//x>",
            "<button formaction=//x>",
            "<link rel=a>",
        ),
        *(
            "<",
            ">",
            '"',
            "'",
            "=",
            "/",
            "&lt;script&gt;",
            "&amp;",
            "&#60;b>",
            " onclick=e() ",
            "word",
            "\n",
            "<title>",
            "</title>",
        ),
        *(
            "<noscript>",
            "</noscript>",
            "<textarea>",
            "<template>",
            "<math>",
            "<p style='background:url(//x)'>",
            "<p title='>' id=x>",
        ),
        *(
            "\x00",
            "\ud800",
            "Ä漢字",
            "<?php ?>",
            "<![CDATA[",
            "]]>",
            "<object data=x>",
            "<embed src=x>",
            "<xmp>",
            "<body onload=e()>",
        ),
    ]
)
PAGES = st.lists(st.one_of(PIECES, st.text(max_size=6)), max_size=25).map("".join)


@given(PAGES)
def test_a_page_is_read_as_pieces_that_give_it_back(html: str) -> None:
    assert "".join(html[start:end] for _, start, end, _ in read_tags(html)) == html


@given(PAGES, st.booleans())
def test_only_what_is_harmless_comes_out(html: str, styled: bool) -> None:
    shown = sanitise_page(html, find_units(Document(source="s", id="d", html=html)), styled=styled)
    seen = Seen(shown)
    assert seen.elements <= ALLOWED
    assert seen.attributes <= _ALLOWED_ATTRIBUTES | {"data-u"}
    assert not [value for value in seen.values if "url(" in value.lower()]
    if not styled:
        assert "style" not in seen.attributes


@given(PAGES)
def test_text_that_belongs_to_blocks_is_there(html: str) -> None:
    document = Document(source="s", id="d", html=html)
    for kind, start, end, _ in read_tags(html):
        if kind == "text" and html[start:end].strip() in ("word", "Ä漢字"):
            assert html[start:end].strip() in sanitise_page(html, find_units(document))


@pytest.mark.parametrize(
    "bad", ["u\\72l(//x)", "@import '//x';", "url (//x)", "URL(//x)", "expression(e())", "</style><script>"]
)
def test_styles_lose_what_loads(bad: str) -> None:
    shown = sanitise_page(f'<style>p {{ color: red }} {bad}</style><p style="{bad}">word', ())
    assert "color: red" in shown
    assert not [word for word in ("url(", "@import", "expression(", "<script", "\\72") if word in shown.lower()]


def test_links_and_forms_lead_nowhere_and_direction_stays() -> None:
    shown = sanitise_page(
        "<html dir=rtl lang=ar><body class=b><a href=//x target=_top class=l>go</a><form action=//x><input name=a>", ()
    )
    assert '<html dir="rtl" lang="ar">' in shown
    assert '<body class="b">' in shown
    assert '<a class="l">go</a>' in shown
    assert "//x" not in shown


def test_pictures_become_boxes_of_their_size() -> None:
    shown = sanitise_page("<img width=300 height='40' src=//x><img width=1 height=1><img src=//x><img width='50%'>", ())
    assert shown.count("<tm-box") == 3
    assert '<tm-box style="width:300px;height:40px;"></tm-box><tm-box></tm-box><tm-box></tm-box>' in shown


def test_blocks_are_told_apart() -> None:
    html = "<p>One <b>bold</b> word.<p>Two &amp; more."
    shown = sanitise_page(html, find_units(Document(source="s", id="d", html=html)))
    assert "<tm-t data-u=0>One </tm-t><b><tm-t data-u=0>bold</tm-t></b><tm-t data-u=0> word.</tm-t>" in shown
    assert "<tm-t data-u=1>Two &amp; more.</tm-t>" in shown


@given(st.text(max_size=60))
def test_an_article_is_shown_as_it_stands(text: str) -> None:
    document = Document(source="s", id="d", text=text)
    seen = Seen(render_article(text, find_units(document), title=text))
    assert seen.elements <= {"html", "head", "meta", "style", "body", "p", "tm-t"}
    assert "".join(text.split()) in "".join("".join(seen.text).split())


@pytest.mark.alone
@pytest.mark.parametrize(
    "piece", ["<a b='", '<a b="', "<!--", "<script>", "<a ", "<", "<p a='x' \"", "<style>", "<b =\"'"]
)
def test_a_page_takes_time_in_proportion_to_its_size(piece: str) -> None:
    def seconds(times: int) -> float:
        html = piece * times
        start = time.perf_counter()
        sanitise_page(html, ())
        return time.perf_counter() - start

    seconds(1000)
    small = min(seconds(4_000) for _ in range(3))
    assert min(seconds(64_000) for _ in range(2)) < 100 * small + 0.2  # quadratic time would take 256 times as long


@given(PAGES)
def test_marks_are_merged_in_and_nothing_else_changes(html: str) -> None:
    parts = find_units(Document(source="s", id="d", html=html))
    marks = [(start, end, "text") for start, end in parts[::2]]
    assert merge_marks(html, marks).replace('<span data-tm="text">', "").replace("</span>", "") == html.replace(
        "</span>", ""
    )
