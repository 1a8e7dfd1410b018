"""Tags of text fields in which a cut leaves nothing go with it."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reading_reference
from strategies import examples
from templatemine.api import mine
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig
from templatemine.matching import _cutting
from templatemine.model import Document
from templatemine.text.reading import ReadingRules, read_text

CUT = "Sign up"

PIECES = ("<p>", "</p>", "&lt;p&gt;", "&lt;/p&gt;", "<a href='x'>", "</a>", "<br>", "<b>", "</b>", "<ul>", "<li>", "</li>", "</ul>", "<div class=x>", "</div>", "<img src=y>", '<a href="htt', "&lt;a h", "&amp;", " ", "\n", "\u00e9", "abc", CUT)  # fmt: skip


def spans_of(text: str) -> list[tuple[int, int]]:
    starts = [place for place in range(len(text)) if text.startswith(CUT, place)]
    return [(start, start + len(CUT)) for start in starts]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<p>Story.</p><p><a href='x'>Sign up</a></p>", "<p>Story.</p>"),
        ("&lt;p&gt;Story.&lt;/p&gt; &lt;ul&gt;&lt;li&gt; Sign up &lt;a href=&quot;htt", "&lt;p&gt;Story.&lt;/p&gt; "),
        ("<p>Story. <b>Sign up</b></p>", "<p>Story. </p>"),
        ("<ul><li>Sign up</li>\n<li>Sign up</li></ul>", "\n"),
        ("<ul><li>Sign up</li><li>Story</li></ul>", "<ul><li>Story</li></ul>"),
        ("<div><p>Sign up</div><p>Story", "<p>Story"),
        ("<p>Sign up<p>Story", "<p><p>Story"),
        ("<p>Story<br>Sign up</p>", "<p>Story<br></p>"),
        ("</p>Sign up<p>", "</p><p>"),
        ("<b>Sign up</i></b>", "<b></i></b>"),
    ],
)
def test_empty_elements_go(text: str, left: str) -> None:
    spans = _cutting.take_empty_tags(text, spans_of(text))
    kept = list(text)
    for start, end in spans:
        kept[start:end] = [""] * (end - start)
    assert "".join(kept) == left


@examples(400)
@given(st.lists(st.sampled_from(PIECES), max_size=14), st.data())
def test_natively_as_in_the_reference(pieces: list[str], data: st.DataObject) -> None:
    text = "".join(pieces)
    edges = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    spans = list(zip(edges[::2], edges[1::2], strict=False)) if data.draw(st.booleans()) else spans_of(text)
    found = _cutting.take_empty_tags(text, spans)
    assert found == reading_reference.take_empty_tags(text, spans)
    for (start, end), (first, last) in zip(spans, found, strict=True):
        assert first <= start <= end <= last
        for more in (text[first:start], text[end:last]):
            read = read_text(more, ReadingRules(markup=True))
            assert not (more if read is None else read.text).strip() or more.rstrip().endswith(("htt", "a h"))
    assert all(one[1] <= two[0] for one, two in pairwise(found))


def make_items(count: int) -> list[str]:
    """Items of a feed: a paragraph of other words each, and a link below it."""
    rng = random.Random(5)
    letters = "bcdfghklmnprstvw"
    items = []
    for number in range(count):
        words = [
            "".join(rng.choice(letters) + rng.choice("aeiou") for _ in range(rng.randrange(2, 5))) for _ in range(25)
        ]
        link = f"&lt;a href=&quot;https://example.org/{words[0]}/{number}&quot;&gt;Sign up for our newsletter&lt;/a&gt;"
        story = f"&lt;p&gt;{' '.join(words).capitalize()}.&lt;/p&gt;"
        items.append(f"{story}&lt;ul&gt;&lt;li&gt;{link}&lt;/li&gt;&lt;/ul&gt;")
    return items


ITEMS = make_items(60)


@pytest.mark.parametrize("engine", ["native", "regex"])
def test_items_of_a_feed(engine: str) -> None:
    pack = mine([Document(id=str(number), source="feed", text=text) for number, text in enumerate(ITEMS)])["feed"]
    cleaner = Cleaner(pack, CleanConfig(engine=engine))
    cleaned = cleaner.clean(ITEMS[7])
    assert cleaned.text == ITEMS[7].partition("&lt;ul&gt;")[0]
    assert [span.templates for span in cleaned.removed] == [(pack.templates[0].id,)]


def test_links_that_are_cut_off() -> None:
    """Items that end within the link behind the story, which shows nothing."""
    texts = [text[: text.index("&lt;ul&gt;") + 60 + number % 9] for number, text in enumerate(ITEMS)]
    pack = mine([Document(id=str(number), source="feed", text=text) for number, text in enumerate(texts)])["feed"]
    cleaned = Cleaner(pack).clean_all(texts)
    stories = [text.partition("&lt;ul&gt;")[0] for text in texts]
    assert [one.text for one in cleaned] == stories
