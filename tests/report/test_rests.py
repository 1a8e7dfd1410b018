"""What cuts leave of a line or block that other articles share."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_page import GOLDEN

from reference import count_long_reference
from strategies import examples
from templatemine.model import Document, Span, Template
from templatemine.packs.pack import Pack
from templatemine.report.harm import count_residues, find_all_blamed
from templatemine.report.page import render
from templatemine.report.rests import (
    MIN_LETTERS,
    MIN_LINES,
    MIN_LONG,
    MIN_LONG_ARTICLES,
    MIN_LONG_SHARE,
    MIN_SHARING,
    SHARED,
    count_line_rests,
    count_long,
    find_line_rests,
    find_rests,
    find_shared,
)
from templatemine.report.view import make_report
from templatemine.text.tears import JudgedCut, join_spans

STORIES = [f"The {name} of this town says that nobody has seen it." for name in ("mayor", "judge", "baker", "nurse")]


def cut_marked(marked: str) -> tuple[str, list[JudgedCut[str]]]:
    """A text, and its cuts by template t: what is in [-these-]."""
    text, spans = "", []
    for place, part in enumerate(re.split(r"\[-|-\]", marked)):
        if place % 2:
            spans.append((len(text), len(text) + len(part), ("t",)))
        text += part
    return text, [JudgedCut(*cut, {}) for cut in join_spans(text, spans)]


def shared(*marked: str) -> list[list[str]]:
    """The shared rests of articles."""
    return [[one.left for one, _ in found] for found in find_shared([find_rests(*cut_marked(one)) for one in marked])]


@pytest.mark.parametrize(
    ("block", "left"),
    [
        ("[-Subscribe to us.-] All views are those of the author.", ["All views are those of the author."]),
        ("All views are those of the author. [-Subscribe.-]", ["All views are those of the author."]),
        ("[-Share this-] on our channel [-and subscribe-]", ["on our channel"]),
        ("[-Read also:-]\n\nThe ten best bicycles\n\n[-More news-]", ["The ten best bicycles"]),
        ("[-Read also-]\nThe ten best bicycles", ["The ten best bicycles"]),  # and the end of the text
        ("[-Read also-]\nThe ten best bicycles\nThe ten best boats", []),  # they may be of the story
        ("[-Follow us-]\nThe ten best bicycles\n\nThe story goes on.", []),
        ("[-Senator-] Ann Lee", []),  # too few letters
        ("[-All of it goes.-]", []),
    ],
)
def test_the_rest_of_a_block_that_articles_share_is_found(block: str, left: list[str]) -> None:
    texts = [f"{story}\n\n{block}" for story in STORIES]
    assert shared(*texts[:MIN_SHARING]) == [left] * MIN_SHARING
    assert shared(*texts[: MIN_SHARING - 1]) == [[]] * (MIN_SHARING - 1)


def test_what_stays_is_of_one_story_where_its_words_differ() -> None:
    assert not any(shared(*(f"{one}\n[-Photo:-] {one[:20]} before the hearing" for one in STORIES)))


def test_numbers_count_as_equal() -> None:
    texts = [f"{story}\n[-Issue.-] In the shops on {day} May" for day, story in enumerate(STORIES, 9)]
    assert shared(*texts) == [[f"In the shops on {day} May"] for day in range(9, 13)]


def test_versions_of_a_story_are_one() -> None:
    rest = "\n[-Subscribe.-] All views are those of the author"
    versions = [f"{STORIES[0]}\nUpdate {number}.{rest}" for number in range(9)]
    assert not any(shared(*versions, f"{STORIES[1]}{rest}"))
    assert all(shared(*versions, f"{STORIES[1]}{rest}", f"{STORIES[2]}{rest}"))


def test_all_that_stays_of_an_article_is_no_rest() -> None:
    """Of articles of one line each all would be found."""
    assert not any(shared(*(f"Match {number} was played.\n\n[-Subscribe.-]" for number in range(9))))


def test_a_rest_has_its_cuts_and_the_rarest_template_is_to_blame() -> None:
    texts = [f"{story}\n[-Share this-] On our channel [-and subscribe-]" for story in STORIES]
    articles = []
    for text in texts:
        text, (first, last) = cut_marked(text)
        articles.append((text, [first._replace(names=("often",)), last._replace(names=("rare",))]))
    articles.append(("Share this", [JudgedCut(0, 10, ("often",), {})]))
    blamed = find_all_blamed(articles)
    (residue, names), *_ = (pair for pair in blamed[0] if pair[0].kind == SHARED)
    text, cuts = articles[0]
    assert (residue.start, residue.end) == (cuts[0].start, cuts[1].end)
    assert (residue.left, residue.cut, names) == ("On our channel", "Share this … and subscribe", ("often", "rare"))
    left = count_residues([(cuts, some) for (_, cuts), some in zip(articles, blamed, strict=True)])
    assert dict(left.harm["rare"].kinds)[SHARED] == len(texts)
    assert "often" not in left.harm


def plain_rests(text: str, cuts: Sequence[JudgedCut[str]]) -> list[tuple[int, int]]:
    """The same, looking at one line after the other."""
    gone = [any(cut.start <= place < cut.end for cut in cuts) for place in range(len(text))]
    pieces: list[tuple[int, int]] = []
    first = 0
    for place in range(len(text) + 1):
        if place == len(text) or text[place] in "\n\u2028\u2029" or gone[place]:
            pieces += [(first, place)] if text[first:place].strip() else []
            first = place + 1
    found = []
    for start, end in pieces:
        on_line = (start > 0 and gone[start - 1] and text[start - 1] not in "\n\u2028\u2029") or (
            end < len(text) and gone[end] and text[end] not in "\n\u2028\u2029"
        )
        before = [place for place in range(start) if gone[place] or text[place].strip()]
        behind = [place for place in range(end, len(text)) if gone[place] or text[place].strip()]
        alone = (not before or gone[before[-1]]) and (not behind or gone[behind[0]]) and any(gone)
        if on_line or alone:
            found.append((start, end))
    longest = max(pieces, key=lambda one: one[1] - one[0], default=None)
    return [
        (start, end)
        for start, end in found
        if (start, end) != longest and sum(map(str.isalpha, text[start:end])) >= MIN_LETTERS
    ]


@examples(300)
@given(st.text("a\n .", max_size=60), st.lists(st.tuples(st.integers(0, 60), st.integers(1, 8)), max_size=5))
def test_the_rests_are_those_that_one_finds_line_by_line(text: str, spans: list[tuple[int, int]]) -> None:
    text = text.replace("a", "abcd efgh")
    ordered, last = [], 0
    for start, size in sorted(spans):
        if start >= last and start + size <= len(text):
            ordered.append((start, start + size, ("t",)))
            last = start + size
    cuts = [JudgedCut(*cut, {}) for cut in join_spans(text, ordered)]
    found = [" ".join(text[slice(*one)].split()) for one in plain_rests(text, cuts)]
    assert [one.residue.left for one in find_rests(text, cuts).found] == found


def test_a_text_of_many_lines_and_cuts_takes_linear_time() -> None:
    def seconds(lines: int) -> float:
        text, cuts = cut_marked("Follow us [-here-] and there, and everywhere\n" * lines)
        start = time.process_time()
        assert len(find_rests(text, cuts).found) >= lines
        return time.process_time() - start

    few = min(seconds(2_000) for _ in range(3))
    assert seconds(16_000) < 32 * few  # were it quadratic, 64


def test_the_report_names_the_template_that_leaves_it() -> None:
    pack = Pack.load(GOLDEN / "learned.pack.json")
    template = Template(id="h1", regex="Subscribe to us", tokens=None, df=9, count=9, example="Subscribe to us")
    texts = [f"{story}\n\nSubscribe to us, or read the letter" for story in STORIES]
    documents = [Document(source=pack.source, id=str(place), text=text) for place, text in enumerate(texts)]
    made = make_report({pack.source: replace(pack, templates=(template,))}, documents, lambda source: ())
    (one,) = made.harmful
    assert dict(one.harm.kinds)[SHARED] == len(texts)
    assert (one.match, one.after) == ("Subscribe to us,", " or read the letter")
    assert made.sources[0].left.articles == len(texts)


@pytest.mark.parametrize(
    ("marked", "left"),
    [
        ("A story.\n[-Read also:-] Nurse wins a prize\nIt goes on.", ["Nurse wins a prize"]),
        ("Nurse wins a prize [-- watch on Figaro-]", ["Nurse wins a prize"]),
        ("[-Read also:-] The nurse has won a prize.", []),  # a sentence
        ("[-Photo: Ann Lee-]\nNurse wins a prize", []),  # another line
        ("[-Read:-] Nurse wins a prize [-- watch-]", []),  # by two cuts
        ("Some [-read also-] nurse wins a prize", []),  # both sides
        ("[-Read also-] in this paper:", []),
        ("[-Read also-] " + "word " * 60, []),
    ],
)
def test_a_cut_leaves_the_rest_of_its_line(marked: str, left: list[str]) -> None:
    assert [one.left for _, one in find_line_rests(*cut_marked(marked))] == left


def test_rests_of_lines_are_shown_and_are_no_harm() -> None:
    """Where the label of a headline went, and where the credit of a caption did, looks the same."""
    pack = Pack.load(GOLDEN / "learned.pack.json")
    template = Template(id="h1", regex="Read also:", tokens=None, df=9, count=9, example="Read also:")
    texts = [f"The story of day {day} is told here.\n\nRead also: Nurse {'x' * day} wins" for day in range(MIN_LINES)]
    for number in (MIN_LINES, MIN_LINES - 1):
        documents = [Document(source=pack.source, id=str(place), text=texts[place]) for place in range(number)]
        made = make_report({pack.source: replace(pack, templates=(template,))}, documents, lambda source: ())
        (source,) = made.sources
        assert source.left.articles == 0
        assert [(one.name, one.articles) for one in source.line_rests] == [("h1", number)] * (number == MIN_LINES)
        pytest.importorskip("jinja2")
        pytest.importorskip("vl_convert")
        page = "".join(render(made))
        assert ("Cuts that leave the rest of their line" in page) == (number == MIN_LINES)
        assert "No torn sentence, and nothing else that is counted." in page
    articles = [cut_marked(f"A story.\n[-Read also:-] Nurse {place} wins a prize") for place in range(MIN_LINES)]
    both = [(text, [cut._replace(names=("a", "b")) for cut in cuts]) for text, cuts in articles]
    assert [one.name for one in count_line_rests(both)] == ["a"]


LETTER = "Our letter has all that this town talks about, each morning at six, free of charge for 9 weeks"


def stories(number: int) -> list[str]:
    return [
        f"Story {'I' * (place + 1)} of this town is told here by one who has seen it all." for place in range(number)
    ]


@pytest.mark.parametrize("shape", ["{}\n\n{}", "{1}\n{0}", "{} {}."])
def test_a_long_string_that_articles_share_counts_where_nothing_is_cut(shape: str) -> None:
    """A line, or a sentence of a text of one line; nothing was cut, and so nothing was a rest."""
    texts = [shape.format(story, LETTER) for story in stories(MIN_LONG_ARTICLES)]
    found = count_long((text, ()) for text in texts)
    assert (found.looked, found.articles, found.example.rstrip(".")) == (len(texts), len(texts), LETTER)
    assert count_long((text, ()) for text in texts[1:]).articles == 0
    short = [shape.format(story, LETTER[: MIN_LONG - 2]) for story in stories(MIN_LONG_ARTICLES)]
    assert count_long((text, ()) for text in short).articles == 0


def test_a_long_string_is_shared_by_a_share_of_the_articles() -> None:
    """Ten articles of thousands are a series."""
    number = round(2 * MIN_LONG_ARTICLES / MIN_LONG_SHARE)
    least = round(MIN_LONG_SHARE * number)
    for some in (least, least - 1):
        texts = [f"{story}\n{LETTER}" if place < some else story for place, story in enumerate(stories(number))]
        assert count_long((text, ()) for text in texts).articles == (some if some == least else 0)


def test_copies_of_an_article_share_no_long_string() -> None:
    """Nor do those that a cut makes equal."""
    texts = [(f"{STORIES[0]}\n{LETTER}\nIssue {'I' * place}", place) for place in range(40)]
    copies = [(text, [(text.index("Issue"), len(text))]) for text, _ in texts]
    assert count_long(copies)[:2] == (1, 0)
    assert count_long((text, ()) for text, _ in texts).articles == len(texts)


def test_numbers_of_long_strings_count_as_equal() -> None:
    texts = [f"{story}\n{LETTER.replace('9', str(place))}" for place, story in enumerate(stories(20))]
    assert count_long((text, ()) for text in texts).articles == 20


def test_what_stays_by_choice_is_no_long_string() -> None:
    texts = [f"{story}\n{LETTER}" for story in stories(20)]

    def find_all(text: str) -> list[Span]:
        place = text.index(LETTER)
        return [Span(place + 9, place + 40, ("t",)), Span(place, len(text), ("u",))]  # which overlap

    assert count_long(((text, ()) for text in texts), find_all)[:2] == (20, 0)


_LINES = st.sampled_from([LETTER, f"{LETTER}.", LETTER.replace("9", "7"), LETTER[:70], "It rains.", "And it snows", ""])


@examples(100)
@given(st.lists(st.tuples(st.lists(_LINES, max_size=4), st.integers(0, 3)), max_size=60), st.data())
def test_long_strings_are_those_of_the_twin(rows: list[tuple[list[str], int]], data: st.DataObject) -> None:
    articles: list[tuple[str, list[tuple[int, int]]]] = []
    for lines, place in rows:
        text = "\n".join([*lines, f"End {'I' * data.draw(st.integers(1, 40))}", "the last line"])
        start = sum(len(line) + 1 for line in lines[:place])
        cut = bool(lines[place : place + 1] and lines[place])
        articles.append((text, [(start, start + len(lines[place]))] if cut else []))
    found = count_long(articles)
    assert found[:2] == count_long_reference(articles, MIN_LONG, MIN_LONG_ARTICLES, MIN_LONG_SHARE)
    shuffled = data.draw(st.permutations(articles))
    assert count_long(shuffled)[:2] == found[:2]
