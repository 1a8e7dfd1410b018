"""Pages into blocks: against the parser of the standard library where the mark-up is well formed, and what holds of any
bytes."""

from __future__ import annotations

import itertools
import re
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import page_reference as reference
from strategies import examples
from templatemine.pages import _html
from templatemine.pages.scanner import block_scanner

SCANNER = block_scanner()
FLAG = _html.FLAGS
BY_FLAG = {flag: frozenset(name for name, flags in _html.TAGS if flags & bit) for flag, bit in FLAG.items()}
WORDS, LINKED = _html.COUNTS.index("words"), _html.COUNTS.index("linked")


def blocks(page: str | bytes) -> dict[str, Any]:
    return SCANNER.scan_blocks(page.encode("utf-8", "surrogatepass") if isinstance(page, str) else page)


def texts(columns: dict[str, Any]) -> list[str]:
    text, bounds = columns["text"].tobytes(), columns["bounds"].tolist()
    return [text[a:b].decode("utf-8", "replace") for a, b in itertools.pairwise(bounds)]


def paths(columns: dict[str, Any]) -> list[str]:
    signs, bounds, parents = columns["signs"].tobytes(), columns["sign_bounds"], columns["node_parents"]
    found = []
    for node in columns["node"].tolist():
        path = []
        while node > 0:
            path.append(signs[bounds[node] : bounds[node + 1]].decode())
            node = int(parents[node])
        found.append(">".join(reversed(path)))
    return found


# Inline elements in blocks in sections; a p holds no block, an a no a.
WORD = st.sampled_from(["one", "Two", "three3", " ", "\n", "4", "&amp;", "&#65;", "end."])
INLINE = st.recursive(
    WORD,
    lambda inner: st.tuples(
        st.sampled_from(["b", "i", "span", "em", "font"]),
        st.sampled_from(["", ' class="x"', ' class="b2 a"']),
        st.lists(inner, max_size=3),
    ).map(lambda row: f"<{row[0]}{row[1]}>{''.join(row[2])}</{row[0]}>"),
    max_leaves=6,
)
LINK = st.lists(WORD, max_size=3).map(lambda words: f'<a href="#">{"".join(words)}</a>')
LINE = st.lists(
    st.one_of(INLINE, LINK, st.sampled_from(["<br>", "<img src=x>", "<select>no</select>"])), max_size=5
).map("".join)
PAGE = st.recursive(
    st.one_of(LINE, LINE.map(lambda line: f"<p>{line}</p>"), LINE.map(lambda line: f"<h2>{line}</h2>")),
    lambda inner: st.tuples(
        st.sampled_from(["div", "section", "blockquote", "article"]),
        st.sampled_from(["", ' class="main m1"']),
        st.lists(inner, max_size=4),
    ).map(lambda row: f"<{row[0]}{row[1]}>{''.join(row[2])}</{row[0]}>"),
    max_leaves=8,
)


@examples(300)
@given(PAGE)
def test_well_formed_pages(page: str) -> None:
    twin = reference.Blocks(BY_FLAG["block"], BY_FLAG["format"], BY_FLAG["mute"])
    twin.feed(page)
    twin.close()
    twin.flush()
    columns = blocks(page)
    counts = columns["counts"]
    got = list(zip(texts(columns), counts[:, WORDS].tolist(), counts[:, LINKED].tolist(), paths(columns), strict=True))
    assert got == twin.found


PIECES = [
    "<p>",
    "</p>",
    "<div class='a b'>",
    "</div>",
    "<a href=x>",
    "</a>",
    "<td>",
    "<table>",
    "</table>",
    "<li>",
    "text ",
    "&amp;",
]
PIECES += [
    "<script>",
    "</script>",
    "<!--",
    "-->",
    "<",
    ">",
    "&",
    "&#x41",
    '"',
    "'",
    "<a b='",
    "<svg>",
    "<title>",
    "é",
    "漢字",
    "\x00",
    "<b>",
    "</b>",
]


@examples(500)
@given(
    st.one_of(
        st.binary(max_size=200), st.lists(st.sampled_from(PIECES), max_size=40).map(lambda row: "".join(row).encode())
    )
)
def test_any_bytes(page: bytes) -> None:
    columns = blocks(page)
    starts, ends, bounds = columns["starts"], columns["ends"], columns["bounds"]
    assert len(bounds) == len(starts) + 1 == len(columns["counts"]) + 1
    assert np.all(starts < ends)
    assert np.all(ends[:-1] <= starts[1:])
    assert np.all((starts >= 0) & (ends <= len(page)))
    assert np.all(np.diff(bounds) > 0)
    assert np.all(columns["counts"][:, WORDS] > 0)
    assert np.all(columns["counts"][:, LINKED] <= columns["counts"][:, WORDS])
    assert np.all((columns["element"] >= 0) & (columns["element"] < len(columns["parents"])))
    assert np.all(columns["parents"][1:] < np.arange(1, len(columns["parents"])))


@pytest.mark.parametrize(
    ("page", "found"),
    [
        ("", []),
        ("  \n &nbsp; ", []),
        ("-- &bull; --", []),
        ("word", ["word"]),
        ("<p>one<p>two", ["one", "two"]),
        ("<ul><li>a<ul><li>b</ul>c<li>d</ul>", ["a", "b", "c", "d"]),
        ("<table><tr><td>a<td>b<tr><td>c</table>d", ["a", "b", "c", "d"]),
        ("<dl><dt>a<dd>b<dt>c</dl>", ["a", "b", "c"]),
        ("a<br>b<br/>c", ["a", "b", "c"]),
        ("<b>T</b>he <i>end</i>", ["The end"]),
        ("a <!-- <p>b --> c", ["a c"]),
        ("a<script>if (a < b) '<p>'</script>b", ["ab"]),
        ("<script>never ends <p>x", []),
        ("<title>never ends <p>x", ["never ends", "x"]),
        ("<title>T</title>x", ["x"]),
        ("a <a title='1 > 0' href=x>b</a>", ["a b"]),
        ("a <a title='never closed href=x>b</a> c", ["a b c"]),
        ("3 < 4 &lt; 5 &copy; &notit; &unknown; &#8212; &#x41; &#150; &amp", ["3 < 4 < 5 © ¬it; &unknown; — A – &"]),
        ("<pre>a\n  b\n</pre>", ["a", "b"]),
        ("x<select><option>a<option>b</select>y", ["x y"]),
        ("a<svg><title>i</title></svg>b<textarea>t</textarea>c<template>t</template>d<style>e</style>f", ["a b cdf"]),
        ("<select><option>a<p>y", ["y"]),
        ("<svg><text>a</text></svg>b", ["b"]),
        ("</p></div>x</table>", ["x"]),
        ("<h1>a</h2>b", ["a", "b"]),
        ("<font><p>a</font>b</p>c", ["ab", "c"]),
        ("<textarea>a</textarea><iframe>b</iframe>c", ["c"]),
        ("co\u00adop\u200bed", ["coop ed"]),
        ("<script><!--\nw('<script src=a></script>x');\n//--></script>b", ["b"]),
        ("<script><!-- '<SCRIPT>' --> </script>a<script><!--><script></script>b", ["ab"]),
        ("<script>w('<script>')</script>a", ["a"]),
        ("<script><!-- <scripts> </script>a", ["a"]),
        ("<script><!-- <script> </script>a<p>b<script>c</script>d", ["a", "bd"]),
        ("co&shy;op &#173;&#xad;a&shy", ["coop a"]),
        ("\ufeffB\ufeffest&#xfeff; １，２ ﬁ\ufeff", ["Best １，２ ﬁ"]),
        ("one\ntwo\n \t\r\n\nthree < 3 &amp; <\n4", ["one two", "three < 3 & < 4"]),
        ("one\n\ntwo<br>", ["one two"]),
    ],
)
def test_pages_as_people_write_them(page: str, found: list[str]) -> None:
    assert texts(blocks(page)) == found


def test_offsets_lead_back_to_the_page() -> None:
    page = "<div>é <b>one</b> &amp; two</div><p> three <i></i></p>"
    data = page.encode()
    columns = blocks(page)
    found = [data[a:b].decode() for a, b in zip(columns["starts"], columns["ends"], strict=True)]
    assert found == ["é <b>one</b> &amp; two", "three"]


def test_a_link_that_is_misnested_ends_where_it_says() -> None:
    columns = blocks("<a href=x><div>one</a>two</div>three")
    assert texts(columns) == ["onetwo", "three"]
    assert blocks("<a href=x>one<a href=y>two</a> three")["counts"][:, LINKED].tolist() == [2]
    assert blocks("<a name=x>one two")["counts"][:, LINKED].tolist() == [0]


def test_what_is_hidden_within_a_block_is_a_hole() -> None:
    page = b"a<svg><text>b</text></svg>c<script>d</script>e"
    holes = blocks(page)["holes"]
    assert [page[a:b] for a, b in holes] == [b"<svg><text>b</text></svg>", b"<script>d"]


def test_keys_of_paths() -> None:
    columns = blocks("<body><div class='b12 a' id=main><p>x</div><p>y")
    assert paths(columns) == ["body>div.a.b0#main>p", "body>p"]
    for path, keys in zip(paths(columns), columns["keys"], strict=True):
        assert _html.hash_path([sign.encode() for sign in path.split(">")]).tolist() == keys.tolist()
    near = _html.KEYS.index("near")
    assert _html.hash_path([b"div.a.b0#main", b"p"])[near] == columns["keys"][0, near]


def test_counts() -> None:
    page = (
        "<title>The Big Story</title><p>By <b>ANN</b> Lee, 3 March 2004 12:30. The <a href=x>big story</a>: &copy; 2003"
    )
    counts = dict(zip(_html.COUNTS, blocks(page)["counts"][0].tolist(), strict=True))
    expected = {
        "words": 12,
        "linked": 2,
        "strong": 1,
        "by": 1,
        "upper": 1,
        "month": 1,
        "year": 2,
        "clock": 1,
        "numbers": 5,
    }
    expected |= {"title": 3, "title_words": 3, "sentences": 1, "commas": 1, "rights": 1, "talk": 0}
    assert {name: counts[name] for name in expected} == expected
    assert len(blocks(page)["counts"][0]) == len(_html.COUNTS)
    counts = dict(zip(_html.COUNTS, blocks("<p>Ann wrote: 3 Comments, share")["counts"][0].tolist(), strict=True))
    assert (counts["talk"], counts["control"]) == (2, 2)


@pytest.mark.parametrize(
    "parts",
    [
        (b"<div>", b"x", b"</div>"),
        (b"<p><b><i>", b"x"),
        (b"<table><tr><td>", b"x"),
        (b"<ul><li>", b"x</p>"),
        (2 * b"<a href='", b">x"),
        (2 * b"<title>x ",),
        (b"<svg>", b"</p>", b"<p>x"),
        (10 * b"<", b"x"),
        (10 * b"&", b"x"),
        (2 * b"<!--", b">x"),
    ],
    ids=["div", "inline", "table", "list", "quotes", "title", "svg", "angles", "ampersands", "comments"],
)
def test_nesting_without_end_takes_linear_time(parts: tuple[bytes, ...]) -> None:
    """Sixteen times the page takes sixteen times as long, some fifty where it outgrows the caches; 256 would be quadratic."""

    def seconds(repeats: int) -> float:
        page = b"".join(part * repeats for part in parts)
        start = time.process_time()
        blocks(page)
        return time.process_time() - start

    small, large = (min(seconds(repeats) for _ in range(5)) for repeats in (6_250, 100_000))
    assert large < 100 * max(small, 0.0005)


@pytest.mark.slow  # the smaller pages above tell linear from quadratic
@pytest.mark.alone
def test_a_page_of_50_megabytes() -> None:
    page = b"<div class=a><p>Some words of a page, and <a href=x>more of them</a>.</p></div>\n" * 620_000
    assert len(page) > 49_000_000
    start = time.perf_counter()
    columns = blocks(page)
    assert len(columns["starts"]) == 620_000
    assert time.perf_counter() - start < 20


def test_a_page_of_too_many_blocks() -> None:
    """What is made of a block takes a kilobyte in some systems, so that a record of 64 MiB could take all memory."""
    page = b"<p>a" * ((1 << 20) + 1)
    assert len(blocks(page[:-4])["starts"]) == 1 << 20
    with pytest.raises(OverflowError, match="more than 1,048,576 blocks"):
        blocks(page)


def test_misuse() -> None:
    with pytest.raises(TypeError):
        SCANNER.scan_blocks(None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="twice"):
        _html.BlockScanner([], [(b"ad", 1), (b"ad", 2)], [])
    with pytest.raises(ValueError, match="below 32"):
        _html.BlockScanner([], [(b"ad", 32)], [])
    with pytest.raises(ValueError, match="lower-case"):
        _html.BlockScanner([], [(b"Ad", 1)], [])
    with pytest.raises(ValueError, match="twice its length"):
        _html.BlockScanner([(b"a", b"xxxx")], [], [])
    with pytest.raises(ValueError, match="pairs"):
        _html.BlockScanner([(b"a",)], [], [])  # type: ignore[list-item]
    with pytest.raises(TypeError):
        _html.hash_path(None)  # type: ignore[arg-type]


def test_the_numbers_of_tags_are_their_places() -> None:
    source = (reference.ROOT / "src/templatemine/pages/_html.pyx").read_text(encoding="utf-8")
    named = re.search(r"cdef enum:\n( +T_UNKNOWN.*?)\n\n", source, re.S)
    assert named
    names = re.findall(r"T_(\w+)", named.group(1))
    assert [name.lower() for name in names[1:]] == [name for name, _ in _html.TAGS[1 : len(names)]]
    source = (reference.ROOT / "src/templatemine/pages/_html.pxd").read_text(encoding="utf-8")
    columns = re.search(r"cdef enum:\n( +C_WORDS.*?)\n\n", source, re.S)
    assert columns
    assert [name.lower() for name in re.findall(r"C_(\w+)", columns.group(1))] == [*_html.COUNTS, "size"]


@pytest.mark.parametrize("page", [b"<div class=", b"<div class=''>x", b'<p id="" class>x'])
def test_attributes_without_a_value(page: bytes) -> None:
    """Nothing was compared with nothing, which the sanitizer of undefined behaviour ends (`make sanitize`)."""
    columns = block_scanner().scan_blocks(page)
    assert not columns["groups"].any()


@examples(200)
@given(st.text(st.sampled_from("$\u20ac\xa3\xa5?\xc2\u0082a 1.<p>/&#;"), max_size=40))
def test_sums_over_the_page_are_those_of_its_blocks_and_elements(page: str) -> None:
    columns = blocks(page)
    text = columns["text"].tobytes().decode()
    assert columns["currencies"] == sum(map(text.count, "$\u20ac\xa3"))
    assert columns["questions"] == text.count("?")
    assert columns["all_words"] == columns["counts"][:, WORDS].sum()
    assert columns["all_groups"] == np.bitwise_or.reduce(columns["groups"])
    assert columns["tag_counts"] == np.bincount(columns["tags"], minlength=len(_html.TAGS)).tolist()
