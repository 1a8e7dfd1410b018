"""Pages as they are written: elements, attributes, and the runs of text between tags."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outline_reference import Outline as SlowOutline
from strategies import examples
from templatemine.pages.baselines.outline import Outline
from templatemine.pages.blocks import Page
from templatemine.pages.declared import parse_attributes, plain_text


def texts(html: str) -> list[str]:
    return [html[start:end] for start, end, _, _ in SlowOutline(html).runs]


def test_runs_are_what_stands_between_tags() -> None:
    assert texts("<p>Hello <b>world</b>!</p>") == ["Hello ", "world", "!"]
    assert texts("a<!-- b -->c<script>d < e</script>f<style>g</style><?php h ?>i") == ["a", "c", "f", "i"]
    assert texts("<p title='a > b'>c<a title=\"d > e\">f") == ["c", "f"]
    assert texts("a<script><!-- '<script>b</script>c' --></script>d") == ["a", "d"]
    assert texts("a<script><!-- <script> --> b</script>c<script><!--></script>d") == ["a", "c", "d"]
    assert texts("a<script><!-- <script> </script>b<p>c<script>d</script>e") == ["a", "b", "c", "e"]
    assert texts("<!-- never closed <p>a") == texts("<script>never closed <p>a") == []


def test_tags_since_the_run_before() -> None:
    marks = [marks for _, _, _, marks in SlowOutline("<div><p>a<br><br/>b</p></div>c").runs]
    assert marks == [("div", "p"), ("br", "br"), ("p", "div")]


@pytest.mark.parametrize(
    ("html", "tree"),
    [
        ("<div><p>a<p>b</div><p>c", [("div", -1), ("p", 0), ("p", 0), ("p", -1)]),
        ("<ul><li>a<li>b</ul><b>c", [("ul", -1), ("li", 0), ("li", 0), ("b", -1)]),
        ("<table><tr><td>a<td>b<tr><td>c", [("table", -1), ("tr", 0), ("td", 1), ("td", 1), ("tr", 0), ("td", 4)]),
        ("<b><div>a</b>b</div><i>c", [("b", -1), ("div", 0), ("i", 0)]),
        ("</div></p><img><hr/><p>a", [("img", -1), ("hr", -1), ("p", -1)]),
    ],
)
def test_the_tree(html: str, tree: list[tuple[str, int]]) -> None:
    outline = Outline(Page(html))
    assert list(zip(outline.tags, outline.parents, strict=True)) == tree


def test_where_elements_stand() -> None:
    html = "<div id=a>é<p>one</p>two</div>"
    outline = Outline(Page(html))
    assert [html[a:b] for a, b in zip(outline.content_starts, outline.content_ends, strict=True)] == [
        "é<p>one</p>two",
        "one",
    ]
    assert [html[a:][:2] for a in outline.starts] == ["<d", "<p"]
    assert outline.last_descendants == [1, 1]
    assert outline.text(0) == "é one two"
    assert outline.text(0, 3) == "é o"


def test_attributes() -> None:
    written = ' class="a b" ID=x data-n=\'1 &amp; 2\' hidden title="" datetime = "2009-03-01"'
    assert parse_attributes(written) == {
        "class": "a b",
        "id": "x",
        "data-n": "1 & 2",
        "title": "",
        "datetime": "2009-03-01",
    }
    assert plain_text(" a<br>b &amp;\n c<i ") == "a b & c"


class ReferenceParser(HTMLParser):
    """Runs by the parser of the standard library."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.found.append(data)


PIECE = st.sampled_from(
    ["<p>", "</p>", "<div class=a>", "</div>", "<b>", "</b>", "<br>", "a", " b ", "<li>", "<!-- c -->"]
)


@examples(200)
@given(st.lists(PIECE, max_size=20))
def test_runs_as_another_parser_has_them(pieces: list[str]) -> None:
    html = "".join(pieces)
    twin = ReferenceParser()
    twin.feed(html)
    twin.close()
    assert texts(html) == twin.found


@examples(200)
@given(st.lists(PIECE, max_size=30))
def test_elements_nest(pieces: list[str]) -> None:
    outline = Outline(Page("".join(pieces)))
    for number, parent in enumerate(outline.parents):
        assert parent < number <= outline.last_descendants[number] < len(outline.tags)
        assert outline.starts[number] < outline.content_starts[number] <= outline.content_ends[number]
        if parent >= 0:
            assert outline.last_descendants[number] <= outline.last_descendants[parent]
            assert outline.content_starts[parent] <= outline.starts[number]
            assert outline.content_ends[number] <= outline.content_ends[parent]
