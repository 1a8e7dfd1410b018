"""Markdown, TEI and data: their text is that of the blocks, whatever the page; what Markdown says is read again by a
reader of CommonMark, TEI by a reader of XML."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from strategies import examples
from templatemine import extract
from templatemine.config import TEXT_FORMATS, MarkupConfig
from templatemine.errors import ConfigError
from templatemine.pages.blocks import Page
from templatemine.pages.documents.markdown import nodes_to_markdown
from templatemine.pages.extract import Extraction
from templatemine.pages.nodes import (
    Cell,
    Code,
    Heading,
    Image,
    Inline,
    LineBreak,
    List,
    Node,
    Paragraph,
    Quote,
    Style,
    Table,
    TextRun,
)
from templatemine.pages.systems import SystemOutput

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
TEI = "{http://www.tei-c.org/ns/1.0}"
FULL = MarkupConfig(links=True, images=True)

WORDS = ["one", "Two", "x3", "snake_case", "中文", "é", "“q”", "don't", "a.b", "end."]
SIGNS = [
    "*",
    "**",
    "_",
    "`",
    "``",
    "[x]",
    "](",
    "!",
    "#",
    "1.",
    "-",
    "+",
    "&gt;",
    "&lt;b&gt;",
    "|",
    "~",
    "~~",
    "\\",
    "&amp;amp;",
]
SIGNS += [
    "=",
    "---",
    "(",
    ")",
    ":-",
    "&lt;!--",
    "http://e.org/_x_",
    "&#1;",
    "\x7f",
    "&quot;",
    "1)",
    "###",
    "\ufffe",
    "***",
    ">",
]
ATOM = st.one_of(st.sampled_from(WORDS), st.sampled_from(SIGNS), st.sampled_from([" ", " ", "\n"]))
INLINE = st.recursive(
    ATOM,
    lambda inner: st.tuples(
        st.sampled_from(
            [
                "b",
                "i",
                "em",
                "code",
                "sub",
                "del",
                "span",
                "u",
                "kbd",
                "a href='/p(1)?a=1&amp;copy;=2 _'",
                "a",
                "a href=#",
            ]
        ),
        st.lists(inner, max_size=3),
    ).map(lambda row: f"<{row[0]}>{''.join(row[1])}</{row[0].split()[0]}>"),
    max_leaves=6,
)
LINE = st.lists(
    st.one_of(INLINE, INLINE, st.sampled_from(["<br>", "<img src='a b.png' alt='[p]*'>", "<svg>no</svg>"])), max_size=6
).map("".join)
NO_CODE = [
    "div",
    "blockquote",
    "ul><li",
    "ol start=7><li",
    "li",
    "dl><dd",
    "table><tr><td",
    "section",
    "ul",
    "a href=/y",
    "b",
]


def pages(leaves: list[str]) -> st.SearchStrategy[str]:
    block = st.tuples(st.sampled_from(leaves), LINE).map(lambda row: f"<{row[0]}>{row[1]}</{row[0].split()[0]}>")
    return st.recursive(
        st.one_of(LINE, block),
        lambda inner: st.one_of(
            st.tuples(st.sampled_from(NO_CODE), st.lists(inner, max_size=4)).map(
                lambda row: f"<{row[0]}>{''.join(row[1])}</{row[0].split('>')[0].split()[0]}>"
            ),
            st.lists(st.lists(LINE, min_size=1, max_size=3), min_size=1, max_size=3).map(
                lambda rows: (
                    f"<table><caption>c</caption>{''.join('<tr><td>' + '<td>'.join(row) for row in rows)}</table>"
                )
            ),
        ),
        max_leaves=8,
    )


PAGE = pages(["p", "h2", "h3", "li", "dt", "th"])
WITH_CODE = pages(["p", "pre", "pre class=lang-c", "h1", "pre><code"])


@st.composite
def extractions(draw: st.DrawFn, html: st.SearchStrategy[str]) -> Extraction:
    """A page of which some blocks are kept, some of these without some of their text."""
    page = Page(draw(html))
    kept = np.array(draw(st.lists(st.booleans() | st.just(True), min_size=len(page), max_size=len(page))), np.bool_)
    cuts = {}
    for block in np.flatnonzero(kept).tolist():
        if draw(st.integers(0, 4)) == 0:
            size = len(page.text(block))
            first, last = sorted((draw(st.integers(0, size)), draw(st.integers(0, size))))
            cuts[block] = ((first, last),)
    verdict = SystemOutput(kept=kept, reason=np.zeros(len(page), np.int8), reasons=("",), cuts=cuts)
    return Extraction(page, verdict, "none", url="http://e.org/d/")


# ----------------------------------------------------------------------------------------------------------- what is read

STYLES = {
    "strong": Style.STRONG,
    "em": Style.EMPHASIS,
    "s": Style.DELETED,
    "del": Style.DELETED,
    "sub": Style.SUBSCRIPT,
}
Signed = tuple[str, Style, bool]


def read(tokens: Iterable[Token]) -> Iterator[Signed]:
    """Characters that are no white space, with their styles and whether they stand in a link."""
    style, linked = Style(0), False
    for token in tokens:
        assert token.type not in ("html_block", "code_block", "hr"), token
        if token.type == "inline":
            assert token.children is not None
            yield from read(token.children)
        elif token.type in ("text", "code_inline", "fence"):
            own = style | (Style.CODE if token.type == "code_inline" else Style(0))
            yield from ((char, own, linked) for char in token.content if not char.isspace())
        elif token.type in ("link_open", "link_close"):
            linked = token.type == "link_open"
        elif token.type == "html_inline":
            tag = token.content.strip("</>")
            if tag != "br":
                style = style & ~STYLES[tag] if token.content[1] == "/" else style | STYLES[tag]
        elif token.tag in STYLES:
            style = style & ~STYLES[token.tag] if token.nesting < 0 else style | STYLES[token.tag]


def runs(nodes: Iterable[Node | Cell]) -> Iterator[Inline]:
    for node in nodes:
        match node:
            case Code():
                yield TextRun(node.text)
            case Quote():
                yield from runs(node.children)
            case List():
                for item in node.items:
                    yield from runs(item)
            case Table():
                yield from node.caption
                for row in node.rows:
                    yield from runs(row)
            case _:
                yield from node.inlines


def join_signed_texts(nodes: Iterable[Node]) -> list[Signed]:
    """The same of nodes; underlining has no sign in Markdown."""
    texts = (run for run in runs(nodes) if isinstance(run, TextRun))
    return [
        (char, run.style & ~(Style.UNDERLINE | Style.SUPERSCRIPT), bool(run.link))
        for run in texts
        for char in run.text
        if not char.isspace()
    ]


def remove_spaces(text: str) -> str:
    return "".join(text.split())


def join_texts(nodes: Iterable[Node]) -> str:
    return remove_spaces("".join(run.text for run in runs(nodes) if isinstance(run, TextRun)))


# ------------------------------------------------------------------------------------------------------------- properties


@examples(400)
@given(extractions(PAGE))
def test_the_text_of_nodes_is_that_of_the_blocks(found: Extraction) -> None:
    for config in (MarkupConfig(), FULL, MarkupConfig(tables=False)):
        assert join_texts(found.nodes(config)) == remove_spaces(found.text)


@examples(400)
@given(extractions(PAGE))
def test_a_reader_of_markdown_reads_the_nodes(found: Extraction) -> None:
    nodes = found.nodes(FULL)
    assert list(read(READER.parse(found.markdown(FULL)))) == join_signed_texts(nodes)


@examples(200)
@given(extractions(WITH_CODE))
def test_code_has_the_words_of_its_blocks(found: Extraction) -> None:
    """And the lines without one that stand between them."""
    nodes = found.nodes(FULL)
    assert re.findall(r"\w", join_texts(nodes)) == re.findall(r"\w", found.text)
    if not found.output.cuts:
        rest = iter(join_texts(nodes))
        assert all(char in rest for char in remove_spaces(found.text))
    read_again = "".join(char for char, _, _ in read(READER.parse(found.markdown(FULL))))
    assert read_again == join_texts(nodes)


@examples(300)
@given(extractions(WITH_CODE), extractions(PAGE))
def test_tei_is_xml_with_the_text_of_the_nodes(code: Extraction, page: Extraction) -> None:
    for found in (code, page):
        root = ElementTree.fromstring(found.tei(FULL).encode("utf-8", "surrogatepass"))
        body = root.find(f"{TEI}text/{TEI}body")
        assert body is not None
        for figure in body.iter(f"{TEI}figDesc"):
            figure.text = ""
        assert remove_spaces("".join(body.itertext())) == re.sub(
            "[\x00-\x08\x0b-\x1f\ufffe\uffff]", "\ufffd", join_texts(found.nodes(FULL))
        )
        check(root)


@examples(100)
@given(extractions(WITH_CODE))
def test_data_is_json_with_the_text_of_the_nodes(found: Extraction) -> None:
    content = json.loads(json.dumps(found.content(FULL)))

    def texts(value: Any) -> Iterator[str]:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            for one in value:
                yield from texts(one)
        elif value.get("type") != "image":
            for name in ("caption", "text", "content", "items", "rows"):
                yield from texts(value.get(name, []))

    assert remove_spaces("".join(texts(content))) == join_texts(found.nodes(FULL))


@examples(50)
@given(extractions(WITH_CODE))
def test_each_format_is_written_in_one_place(found: Extraction) -> None:
    for config in (None, FULL):
        written = {form: found.format_text(form, config) for form in TEXT_FORMATS}
        assert json.loads(written.pop("json")) == found.content(config)
        assert written == {"text": found.text, "markdown": found.markdown(config), "tei": found.tei(config)}
    with pytest.raises(ConfigError, match="text_format: expected text or markdown or tei or json, got 'html'"):
        found.format_text("html")


# -------------------------------------------------------------------------------------------------- the schema of TEI, in part

FLOW = {"p", "ab", "list", "quote", "table", "figure"}
PHRASE = {"hi", "ref", "code", "lb", "figure"}
INSIDE = {
    "body": {"div"},
    "div": {"head", "div", *FLOW},
    "head": PHRASE,
    "p": PHRASE,
    "ab": PHRASE,
    "hi": PHRASE,
    "ref": PHRASE,
    "code": set(),
    "lb": set(),
    "figure": {"graphic", "figDesc"},
    "graphic": set(),
    "figDesc": set(),
    "list": {"item"},
    "item": FLOW | PHRASE,
    "quote": FLOW,
    "table": {"head", "row"},
    "row": {"cell"},
    "cell": PHRASE,
}
"""What TEI P5 lets stand in an element, of what is written."""


def check(root: ElementTree.Element) -> None:
    """Nesting, and what TEI asks for of the parts."""
    assert [child.tag for child in root] == [f"{TEI}teiHeader", f"{TEI}text"]
    for element in root.iter():
        name = element.tag.removeprefix(TEI)
        assert element.tag.startswith(TEI)
        children = [child.tag.removeprefix(TEI) for child in element]
        if name not in INSIDE or (name == "p" and not children):
            continue
        assert set(children) <= INSIDE[name], (name, children)
        if "head" in children:
            assert children.index("head") == 0
            assert children.count("head") == 1
        if name == "div" and "div" in children:
            assert set(children[children.index("div") :]) == {"div"}
        if name in ("list", "table", "row", "quote"):
            assert {"list": "item", "table": "row", "row": "cell"}.get(name, "") in {"", *children}
            assert children


# ------------------------------------------------------------------------------------------------------------- by hand


def extract_all(html: str) -> Extraction:
    page = Page(html)
    verdict = SystemOutput(kept=np.ones(len(page), np.bool_), reason=np.zeros(len(page), np.int8), reasons=("",))
    return Extraction(page, verdict, "none", url="http://e.org/d/x.html")


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h1><b>A</b> <b>title</b></h1>", "# A title"),
        ("<p>Some <b>bold <a href='/x(1)'>link</a></b> and <i>it</i>al", "Some **bold [link](http://e.org/x%281%29)** and *it*al"),
        ("<p>x<b>“q”</b>x", "x<strong>“q”</strong>x"),
        ("<p>H<sub>2</sub>O &amp; E=mc<sup>2</sup>", "H<sub>2</sub>O & E=mc<sup>2</sup>"),
        ("<p>2*3 snake_case _x_ [a] &lt;b&gt; &amp;amp;", r"2\*3 snake_case \_x\_ \[a\] \<b> \&amp;"),
        ("<p>the <code>a `b` c</code> sign", "the ``a `b` c`` sign"),
        ("<p>- no<br>1. item<br># here", "\\- no\\\n1\\. item\\\n\\# here"),
        ("<ul><li>one<li>two<ol start=3><li>a<li>b</ol></ul>", "- one\n\n- two\n\n  3. a\n  4. b"),
        ("<ul><li>one<li>two<ul><li>a</ul></ul>", "- one\n- two\n  - a"),
        ("<ul><li>a</ul><ul><li>b</ul>", "- a\n\n* b"),
        ("<p>x<blockquote><p>a<p>b</blockquote>", "x\n\n> a\n>\n> b"),
        ("<p>x<pre class=lang-py>\ndef f():\n    if x &lt; 3 {\n    }\n    return 1\n)</pre>", "x\n\n```py\ndef f():\n    if x < 3 {\n    }\n    return 1\n)\n```"),
        ("<pre>a\n```\nb</pre>", "````\na\n```\nb\n````"),
        (
            "<table><caption>C</caption><tr><th>A<th>B<tr><td>1<td>two | x<br>y</table>",
            "C\n\n| A | B |\n| --- | --- |\n| 1 | two \\| x<br>y |",
        ),
        ("<table><tr><td colspan=2>wide<td>c<tr><td>1<td>2<td>3</table>", "|  |  |  |\n| --- | --- | --- |\n| wide |  | c |\n| 1 | 2 | 3 |"),
        ("<table><tr><td>a<td>b<td>c</table>", "a\n\nb\n\nc"),
        ("<p>a <img src=p.png alt='Pic [x]'> b", "a ![Pic \\[x\\]](http://e.org/d/p.png) b"),
        ("<p>a<figure><a href=/big><img src=p.png></a><figcaption>cap</figcaption></figure>", "a\n\n[![](http://e.org/d/p.png)](http://e.org/big)\n\ncap"),
        ("<base href='http://b.org/'><p><a href=x>a</a>", "[a](http://b.org/x)"),
        ("<p><a href='javascript:f()'>a</a> <a href='#'>b</a> <a name=x>c</a>", "a b c"),
        ("<p><img src=a.png width=1 height=1>x<img src='data:image/gif;base64,AA' data-src=l.png>", "x\n\n![](http://e.org/d/l.png)"),
    ],
)  # fmt: skip
def test_markdown_by_hand(html: str, expected: str) -> None:
    assert extract_all(html).markdown(FULL) == expected


def test_links_images_and_tables_on_request() -> None:
    found = extract_all("<p>a <a href=/x>b</a><img src=p.png><table><tr><td>1<td>2<tr><td>3<td>4</table>")
    assert found.markdown() == "a b\n\n|  |  |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |"
    assert found.markdown(MarkupConfig(tables=False)) == "a b\n\n1\n\n2\n\n3\n\n4"


def test_tables_of_layout_are_none() -> None:
    story = "<p>" + "word " * 90
    for html in (
        f"<table><tr><td>Menu<td>{story}<tr><td>a<td>b</table>",
        "<table><tr><td>a<td><table><tr><td>1<td>2<tr><td>3<td>4</table><tr><td>c<td>d</table>",
    ):
        tables = [node for node in extract_all(html).nodes() if isinstance(node, Table)]
        assert len(tables) == html.count("<table>") - 1


def test_headings_begin_divisions() -> None:
    body = (
        extract_all("<p>a<h1>b</h1><p>c<h3>d</h3><p>e<h2>f</h2><h1>g</h1><li><h4>h</h4>").tei().partition("<body>\n")[2]
    )
    assert re.sub(r"</body>.*", "", body, flags=re.DOTALL).replace("\n", "") == (
        '<div type="entry"><p>a</p><div><head>b</head><p>c</p><div><head>d</head><p>e</p></div>'
        '<div><head>f</head></div></div><div><head>g</head><list rend="bulleted"><item>'
        '<ab type="head" rend="h4">h</ab></item></list></div></div>'
    )


def test_front_matter_and_comments() -> None:
    html = (
        '<html lang=pt_br><title>T: "x"</title><meta name=author content=\'Ana &amp; Rui\'><h1>T: "x"</h1>'
        + "<p>The harbour board met on Monday to talk of cranes and of boats, and of who is to pay for them all.</p>"
        * 3
        + "<div id=comments><p>I was there and I did not like what I heard.</div>"
    )
    found = extract(html)
    text = found.markdown(MarkupConfig(metadata=True, comments=True))
    assert (
        text.startswith('---\ntitle: "T: \\"x\\""\nauthors: ["Ana", "Rui"]\nlanguage: "pt-BR"\n---\n\n')
        or "authors" in text
    )
    assert text.endswith("\n\n---\n\nI was there and I did not like what I heard.")
    assert found.comments == "I was there and I did not like what I heard."
    assert "I was there" not in found.text
    assert found.as_dict(comments=True, metadata=True)["metadata"]["language"] == "pt-BR"
    assert "comments" not in found.as_dict()
    assert '<div type="comments">' in found.tei(MarkupConfig(comments=True))


def test_nodes_of_all_kinds() -> None:
    link = TextRun("a", Style.STRONG, "http://e.org")
    nodes = (
        Heading(2, (link,)),
        Paragraph((Image("u", "alt"), LineBreak(), TextRun("b"))),
        Code("x"),
        Quote((Paragraph((TextRun("q"),)),)),
    )
    assert nodes_to_markdown(nodes) == "## [**a**](http://e.org)\n\n![alt](u)\\\nb\n\n```\nx\n```\n\n> q"
