"""Pages as they are written: elements and attributes."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import examples
from templatemine.pages.baselines.outline import Outline
from templatemine.pages.blocks import Page
from templatemine.pages.declared import parse_attributes, plain_text


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
    """Elements by the parser of the standard library: name, place of the tag, number of the element around."""

    def __init__(self) -> None:
        super().__init__()
        self.stack, self.found, self.ends = [-1], list[tuple[str, int, int]](), dict[int, int]()

    def handle_starttag(self, tag: str, attributes: object) -> None:
        self.found.append((tag, self.getpos()[1], self.stack[-1]))
        if tag not in ("br", "img"):
            self.stack.append(len(self.found) - 1)

    def handle_endtag(self, tag: str) -> None:
        self.ends[self.stack.pop()] = self.getpos()[1]


TREE = st.recursive(
    st.lists(st.sampled_from(["a", " é ", "<br>", "<img alt='>'>", "<!-- <b> -->"]), max_size=3).map("".join),
    lambda inner: st.tuples(st.sampled_from(["div", "section", "b", "x-y"]), st.lists(inner, max_size=3)).map(
        lambda row: f"<{row[0]} class='{row[0]}'>{''.join(row[1])}</{row[0]}>"
    ),
    max_leaves=10,
)


@examples(200)
@given(TREE)
def test_elements_as_another_parser_has_them(html: str) -> None:
    twin, outline = ReferenceParser(), Outline(Page(html))
    twin.feed(html)
    assert list(zip(outline.tags, outline.starts, outline.parents, strict=True)) == twin.found
    for number, (tag, start, _) in enumerate(twin.found):
        content = outline.content_starts[number]
        assert html[start:content] == f"<{tag}{outline.attributes[number]}>"
        assert outline.content_ends[number] == twin.ends.get(number, content)
        inner = [n for n, (_, at, _) in enumerate(twin.found) if start <= at < outline.content_ends[number]]
        assert outline.last_descendants[number] == (inner or [number])[-1]


PIECE = st.sampled_from(
    ["<p>", "</p>", "<div class=a>", "</div>", "<b>", "</b>", "<br>", "a", " b ", "<li>", "<!-- c -->"]
)


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
