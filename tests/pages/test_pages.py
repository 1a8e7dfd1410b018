"""The main text of pages: choosing blocks, the history of a source, what is given back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import page_reference as reference
from invented_pages import CALL, learn_history, page
from strategies import examples
from templatemine import PageCleaner, extract, mine
from templatemine.cleaning.cleaner import Cleaner, page_text
from templatemine.config import CleanConfig, ExtractConfig, PageConfig
from templatemine.errors import ConfigError
from templatemine.model import PageHistory, PathVote, RepeatedText
from templatemine.pages import decode
from templatemine.pages.blocks import Page
from templatemine.pages.history import HistoryModel
from templatemine.pages.main_text import MainBlock

CONFIG = PageConfig()


def codes(
    probability: list[float], words: list[int], paths: list[int] | None = None, texts: list[int] | None = None
) -> list[int]:
    p = np.array(probability)
    return decode.decode(
        np.log(p / (1 - p)),
        np.array(words, np.int32),
        np.array(paths or [0] * len(p), np.uint64),
        np.array(texts or range(len(p)), np.uint64),
        CONFIG,
    ).tolist()


@examples(200)
@given(st.lists(st.tuples(st.integers(2, 19), st.integers(1, 30)), min_size=1, max_size=8))
def test_the_greatest_expected_f1(blocks: list[tuple[int, int]]) -> None:
    probability, words = [p / 20 for p, _ in blocks], [w for _, w in blocks]
    got = codes(probability, words, paths=list(range(len(blocks))))
    chosen = [place for place, code in enumerate(got) if code == decode.SELECTED]
    everything = sum(p * w for p, w in zip(probability, words, strict=True))
    value = 2 * sum(probability[i] * words[i] for i in chosen) / (sum(words[i] for i in chosen) + everything)
    assert value == pytest.approx(reference.expected_f1(probability, words))


def test_gaps_are_filled_where_path_and_probability_say_so() -> None:
    sure, words = [0.95, 0.15, 0.95, 0.15, 0.05], [30, 5, 30, 5, 5]
    assert codes(sure, words) == [1, 2, 1, 0, 0]
    assert codes(sure, words, paths=[0, 1, 0, 0, 0]) == [1, 0, 1, 0, 0]
    assert codes([0.95, 0.05, 0.95], [30, 5, 30]) == [1, 0, 1]


def test_nothing_stands_in_two_places_but_short_words() -> None:
    assert codes([0.9, 0.9, 0.9], [9, 9, 9], paths=[1, 1, 2], texts=[1, 2, 1]) == [1, 1, 4]
    assert codes([0.9, 0.9, 0.95], [9, 9, 9], paths=[1, 1, 2], texts=[1, 2, 1]) == [4, 1, 1]  # the likeliest stays
    assert codes([0.9, 0.9, 0.9], [9, 9, 9], texts=[1, 2, 1]) == [1, 1, 1]  # in one place a story says it again
    assert codes([0.9, 0.9, 0.9], [2, 2, 2], paths=[1, 1, 2], texts=[1, 2, 1]) == [1, 1, 1]


def test_a_page_without_a_sure_main_text_keeps_its_best_stretch() -> None:
    assert codes([0.001, 0.05, 0.04, 0.001], [9, 9, 9, 9]) == [0, 3, 3, 0]
    assert codes([0.01], [1]) == [3]
    assert codes([], []) == []


@examples(100)
@given(st.lists(st.tuples(st.floats(-30, 30), st.integers(1, 50)), min_size=1, max_size=20))
def test_something_is_always_left(blocks: list[tuple[float, int]]) -> None:
    size = len(blocks)
    got = decode.decode(
        np.array([score for score, _ in blocks]),
        np.array([words for _, words in blocks], np.int32),
        np.zeros(size, np.uint64),
        np.arange(size, dtype=np.uint64),
        CONFIG,
    )
    assert np.any(decode.is_kept(got))


def test_main_text_of_a_page_alone() -> None:
    text = PageCleaner().clean(page(1)).text
    assert text.startswith("Story number 1 of the harbour")
    assert text.count("\n") >= 5
    for boilerplate in ("Home", "Sport", "rights reserved", "Privacy"):
        assert boilerplate not in text


def test_blocks_say_where_they_stand_and_why() -> None:
    html = page(1).replace("harbour board", "härbour <b>board</b><svg><text>chart</text></svg>")
    cleaned, blocks = PageCleaner().clean_blocks(html)
    assert cleaned.text == "\n".join(block.text for block in blocks)
    assert all(isinstance(block, MainBlock) and 0 <= block.score <= 1 and block.path is None for block in blocks)
    assert {block.reason for block in blocks} <= set(decode.REASONS)
    for block in blocks:
        assert page_text(html[block.start : block.end], ()).split()[-1] == block.text.split()[-1]


def test_what_is_left_of_the_page_is_the_text() -> None:
    html = page(2).replace("harbour board", "härbour <b>board</b><svg><text>chart</text></svg><script>x</script>")
    cleaned = PageCleaner().clean(html)
    assert any(html[span.start : span.end].startswith("<svg>") for span in cleaned.removed)
    left = [
        a
        for pair in zip(
            [0, *(s.end for s in cleaned.removed)], [*(s.start for s in cleaned.removed), len(html)], strict=True
        )
        for a in pair
    ]
    pieces = "\n".join(html[a:b] for a, b in zip(left[::2], left[1::2], strict=True))
    assert page_text(pieces, ()).split() == cleaned.text.split()


@pytest.mark.parametrize(
    ("html", "text"), [("", ""), ("<p></p>", ""), ("word", "word"), ("<a href=x>Home</a>", "Home"), ("\ud800 x", "? x")]
)
def test_pages_with_next_to_nothing(html: str, text: str) -> None:
    cleaned = PageCleaner().clean(html)
    assert cleaned.text.encode("utf-8", "replace").decode().replace("\ufffd", "?").replace("???", "?") == text
    assert all(0 <= span.start < span.end <= len(html) for span in cleaned.removed)


def history() -> PageHistory:
    found = learn_history([page(number, CALL) for number in range(20)], CONFIG)
    assert found is not None
    return found


def test_history_votes_and_repeated_texts() -> None:
    found = history()
    assert found.documents == 20
    by_path = {vote.path: vote for vote in found.paths}
    assert by_path["div.story>p"].pages == 20
    assert by_path["div.story>p"].blocks > 60
    assert by_path["div#footer>p"].blocks == 20
    assert by_path["div.story>p"].kept > 0.8 * by_path["div.story>p"].words
    assert by_path["div#nav>ul>li>a"].kept < 0.05 * by_path["div#nav>ul>li>a"].words
    assert any(text.text.startswith("Readers have") and text.df == 20 for text in found.texts)
    assert all(text.df >= 2 for text in found.texts)
    assert all("Story number" not in text.text for text in found.texts)


def test_texts_that_no_page_held_for_possible_are_not_remembered() -> None:
    menu = RepeatedText(text="Sport", path="div#nav>ul>li>a", df=20)
    assert menu not in history().texts
    every = learn_history([page(number, CALL) for number in range(20)], replace(CONFIG, text_chance=0.0))
    assert every is not None
    assert menu in every.texts


def test_numbers_are_equal_in_sentences_without_a_date() -> None:
    def learnt(line: str) -> int:
        said = f"<div class=story><p>{line}</p></div>"
        found = learn_history([page(number, said.format(87_000 + 7 * number)) for number in range(8)], CONFIG)
        assert found is not None
        return max((text.df for text in found.texts if text.text.startswith("Join")), default=0)

    assert learnt("Join the {} readers who have stood by this paper through many a storm, year after year.") == 8
    assert learnt("Join us on Monday, 3 March, with {} others who have stood by this paper through many a storm.") == 0


def test_a_path_of_few_pages_has_little_say() -> None:
    def weight(pages: int) -> float:
        vote = PathVote(path="div#footer>p", pages=pages, words=9000, kept=9000)
        history = PageHistory(documents=9, share=0.5, paths=(vote,))
        last = Page(page(3))
        before, after = last.scores, HistoryModel(history, PageConfig(vote_pages=3.0)).score_blocks(last)[0]
        return float(np.abs(after - before).max())

    assert 0 < weight(1) < weight(3) < weight(9)


def known(*votes: PathVote) -> PageHistory:
    return PageHistory(documents=20, share=0.5, paths=votes)


def added(html: str, history: PageHistory, config: PageConfig = CONFIG) -> dict[str, float]:
    """What the history adds to the log odds of each block, by its text."""
    last = Page(html)
    change = HistoryModel(history, config).score_blocks(last)[0] - np.clip(last.scores, -9.2, 9.2)
    return {last.text(block): float(change[block]) for block in range(len(last))}


@pytest.mark.parametrize(
    ("kept", "pages", "blocks", "gain"),
    [
        (50, 20, 20, 0.75),  # once a page: a date, a headline
        (50, 20, 22, 0.75),  # a stray one more
        (50, 20, 23, -2.5),  # captions, teasers
        (50, 5, 23, -2.5 * 0.5**0.5),  # of every fourth page: lists of links that some stories have
        (95, 20, 20, 0.75),
        (95, 20, 60, 0.0),  # paragraphs of the story
        (3, 20, 20, 0.0),  # nothing that leaves doubt
        (3, 20, 60, 0.0),
        (50, 20, 0, 0.0),  # a pack from before blocks were counted
        (50, 3, 3, 0.75),
        (50, 2, 2, 0.0),  # two pages say little, and one may be the very page
    ],
)
def test_a_path_in_doubt_goes_by_how_often_it_stands_on_a_page(kept: int, pages: int, blocks: int, gain: float) -> None:
    vote = PathVote(path="div.slot", pages=pages, words=10_000, kept=100 * kept, blocks=blocks)
    html = "<div class=slot>Thursday, 4 May</div>"
    plain = PageConfig(once=0, several=0)
    change = added(html, known(vote)), added(html, known(vote), plain)
    assert change[0]["Thursday, 4 May"] - change[1]["Thursday, 4 May"] == pytest.approx(gain * pages / (pages + 3))


def test_a_path_that_no_page_had_goes_by_what_holds_it() -> None:
    html = "<div class={0}><p>The ferry will not sail <q>again</q> until<section>the ice is gone from the bay.</section></div>"
    story = PathVote(path="div.story>p", pages=20, words=9000, kept=8900)
    menu = PathVote(path="div.menu>p", pages=20, words=9000, kept=10)
    text = "the ice is gone from the bay."
    changes = [added(html.format(name), known(story, menu), PageConfig(text_chance=0.0)) for name in ("story", "menu")]
    assert changes[0][text] > 0 > changes[1][text]
    assert added(html.format("other"), known(story, menu), PageConfig(text_chance=0.0))[text] == 0


def test_a_list_in_the_story_loses_less_than_one_beside_it() -> None:
    """A path in doubt that stands several times on a page, in a container with so much main text."""

    def lost(share: float) -> float:
        vote = PathVote(path="div.box>h4", pages=20, words=1000, kept=500, blocks=90)
        rest = PathVote(path="div.box>p", pages=20, words=10**6, kept=round(share * 10**6), blocks=90)
        html = "<div class=box><h4>Thursday, 4 May</h4></div>"
        without, with_loss = (added(html, known(vote, rest), PageConfig(several=one)) for one in (0, 1))
        return (without["Thursday, 4 May"] - with_loss["Thursday, 4 May"]) * 23 / 20

    assert lost(0.1) == pytest.approx(1)  # of a loss of 1
    assert lost(0.4) == pytest.approx(1)
    assert lost(0.75) == pytest.approx(0.5, abs=0.01)
    assert lost(0.95) == pytest.approx(0.1, abs=0.01)


def test_sentences_in_an_unknown_box_go_by_the_element_around_it() -> None:
    story = PathVote(path="div.story>p", pages=20, words=9000, kept=8900)
    quote, line = "The ferry will not sail again until the ice is gone from the bay.", "Sailing in 2027"
    html = f"<div class=story><section class=odd><p>{quote}</p><p>{line}</p></section></div>"
    one = Page(html)
    assert list(one.container_paths(0)) == ["section.odd>p", "section.odd", "div.story"]
    change = added(html, known(story), PageConfig(text_chance=0.0))
    assert change[quote] > 0 == change[line]


def test_what_holds_a_block_without_a_name() -> None:
    one = Page("<body><table><tr><td>The ferry</td></tr></table></body>")
    assert list(one.container_paths(0)) == ["body>table>tr>td", "body>table>tr", "body>table", "body"]
    assert one.path(0) == "body>table>tr>td"
    assert list(Page("The ferry").container_paths(0)) == []


def test_what_other_pages_do_not_have_loses_beside_a_story_in_its_place() -> None:
    vote = PathVote(path="div.story>p", pages=20, words=9000, kept=8900, blocks=200)
    odd = "A comment that a reader of this paper has left below the story, and a long one."
    html = page(3).replace("</body>", "") + f"<div class=odd><p>{odd}</p></div>"
    assert odd in added(html, known(vote))
    config = PageConfig(text_chance=0.0)
    assert added(html, known(vote), config)[odd] == pytest.approx(-CONFIG.strange / 2)  # half of all is main text
    assert added(html.replace("class=story", "class=tale"), known(vote), config)[odd] == 0
    assert added(html, known(vote), PageConfig(text_chance=0.0, story_words=1e6))[odd] == 0


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("return wrapped", True),
        ("The ferry will not sail again until the ice is gone.", False),
        # Characters of scripts without spaces are no words: two of them count as one.
        ("続きはこちらから読む", True),
        ("港の氷が解けるまで渡し船は二度と出ないと町は言う", False),
    ],
)
def test_a_short_text_that_few_pages_have_counts_for_little(text: str, short: bool) -> None:
    last = Page(f"<title>Lantern</title><div class=story><p>{text}</p></div>")
    assert last.path(0) == "div.story>p"

    def lost(pages: int, df: int, kept: int = 9000) -> float:
        vote = PathVote(path="div.story>p", pages=pages, words=9000, kept=kept)
        said = RepeatedText(text=text, path="div.story>p", df=df)
        known = PageHistory(documents=100, share=0.5, paths=(vote,), texts=(said,))
        before, after = (
            HistoryModel(one, CONFIG).score_blocks(last)[0][0] for one in (replace(known, texts=()), known)
        )
        return float(before - after)

    assert lost(100, 100) == pytest.approx(CONFIG.repeat * np.log1p(100))
    assert lost(100, 4) == pytest.approx(0 if short else CONFIG.repeat * np.log1p(4), abs=1e-6)
    assert lost(100, 4, kept=4500) == pytest.approx(CONFIG.repeat * np.log1p(4) / (25**0.5**0.5 if short else 1))
    assert lost(4, 4, kept=4500) == lost(100, 4, kept=4500)  # pages of the source, not of the path
    assert lost(100, 400) == pytest.approx(CONFIG.repeat * np.log1p(400))


def test_a_call_that_looks_like_the_story_goes_by_the_history() -> None:
    assert "Readers have" in PageCleaner().clean(page(99, CALL)).text
    cleaned, blocks = PageCleaner(history()).clean_blocks(page(99, CALL))
    assert "Readers have" not in cleaned.text
    assert "harbour" in cleaned.text
    assert any(block.path is not None and block.path > 0.5 for block in blocks)


@pytest.mark.parametrize("captures", [6, 90])
def test_captures_of_a_page_are_one_page(captures: int) -> None:
    """Beside twenty others; the story went and the menu stayed."""
    texts = {number: page(number) for number in range(21)}
    numbers = [*range(20), *[20] * captures]
    rows = [
        {"source": "s", "id": str(place), "url": f"https://a.example/{number}?from={place}", "html": texts[number]}
        for place, number in enumerate(numbers)
    ]
    pages = mine(rows)["s"].pages
    assert pages is not None
    assert pages.documents == 21
    cleaner = PageCleaner(pages)
    for number in (3, 20):
        left = cleaner.clean(texts[number]).text
        assert left.splitlines()[0] == f"Story number {number} of the harbour"
        assert left.count(" spoke in turn.") == 5
        assert "Sport" not in left


def test_history_does_not_depend_on_the_order_of_pages() -> None:
    pages = [page(number, CALL if number % 2 else "") for number in range(8)]
    assert learn_history(pages, CONFIG) == learn_history(reversed(pages), CONFIG)


def test_too_few_pages_have_no_say() -> None:
    assert learn_history([page(1)] * 2, CONFIG) is None
    few = replace(history(), documents=2)
    assert PageCleaner(few).clean(page(5, CALL)) == PageCleaner().clean(page(5, CALL))


def test_a_vote_can_be_edited_by_hand() -> None:
    base = PageCleaner().clean(page(3)).text
    assert "rights reserved" not in base
    wanted = PageHistory(documents=9, share=0.5, paths=(PathVote(path="div#footer>p", pages=9, words=9000, kept=9000),))
    config = CleanConfig(page=PageConfig(vote=0.9))
    assert "rights reserved" in PageCleaner(wanted, config).clean(page(3)).text


def test_code_points() -> None:
    one = Page("é<p>漢字 x</p>")
    assert one.spans(np.arange(len(one))) == [(0, 1), (4, 8)]
    assert [one.text(block) for block in range(len(one))] == ["é", "漢字 x"]


def test_lines_that_differ_by_numbers_say_different_things() -> None:
    """Blocks that other pages repeat may differ in numbers; on one page a price is a price of its own."""
    lines = [f"Room {number} of the hotel costs {7 * number} euros a night, all told." for number in range(20)]
    for system in ("hybrid", "shallow"):  # which may hold the edges of a page for boilerplate
        assert set(extract("".join(f"<p>{line}" for line in lines), system).text.splitlines()) >= set(lines[4:-4])


def test_a_copy_stands_under_another_path() -> None:
    """A story may say a thing twice, as recipes and listings of code do; a copy elsewhere on the page goes."""
    lines = [f"Room {number} of the hotel costs {7 * number} euros a night, all told." for number in range(20)]
    again = ["ROOM 3 of the hotel; costs 21 euros a night, all told", lines[3], lines[4]]
    story = "".join(f"<p>{line}" for line in lines)
    assert extract(story + "".join(f"<p>{line}" for line in again)).text.splitlines() == [*lines, *again]
    halves = "".join(f"<section><p>{line}</section><p>{line}" for line in lines)
    found = extract(halves)
    assert found.text.splitlines() == lines
    reasons = [block.reason for block in found.blocks if not block.kept]
    assert reasons == ["a copy of what stands elsewhere on the page"] * len(lines)


@examples(200)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(1, 19)), min_size=1, max_size=30))
def test_texts_are_taken_under_one_path(blocks: list[tuple[int, int, int]]) -> None:
    """Of equal texts, all that are under the path of the likeliest one, and no other."""
    texts, paths, probability = (list(column) for column in zip(*blocks, strict=True))
    got = codes([p / 20 for p in probability], [9] * len(blocks), paths, texts)
    for text in set(texts):
        own = [place for place, one in enumerate(texts) if one == text]
        taken = {paths[place] for place in own if got[place] in (decode.SELECTED, decode.FILLED, decode.BEST_RUN)}
        copies = [place for place in own if got[place] == decode.REPEATED]
        assert len(taken) <= 1
        assert not taken & {paths[place] for place in copies}
        best = max((probability[place] for place in own if paths[place] in taken), default=0)
        assert all(probability[place] <= best for place in copies)


def test_sayings() -> None:
    page = Page("<p>One two 3<p>one TWO 4<p>one, two: 3<p>other<p>ONE (two) 4.<p>one two 3 4")
    assert page.first_duplicates.tolist() == [0, 1, 0, 3, 1, 5]
    assert Page("").first_duplicates.tolist() == []


RUBY = "<ruby>\u6f22<rp>(</rp><rt>\u304b\u3093</rt><rp>)</rp></ruby>\u5b57\u3067\u3059\u3002"


@pytest.mark.parametrize(
    "html",
    [
        f"<p>{RUBY}",
        "<p><ruby>\u6f22<rt>\u304b\u3093</ruby>\u5b57\u3067\u3059\u3002",
        "<p><ruby>\u6f22<rp>(<rt>\u304b\u3093<rp>)<rb>\u5b57</ruby>\u3067\u3059\u3002",
        "<p><ruby>\u6f22<rt>\u304b\u3093<p>\u5b57\u3067\u3059\u3002",
    ],
    ids=["closed", "open", "several", "never closed"],
)
def test_how_a_word_is_read_is_no_part_of_the_text(html: str) -> None:
    found = Page(html)
    assert "".join(found.text(block) for block in range(len(found))) == "\u6f22\u5b57\u3067\u3059\u3002"


STORY = "The council met on Monday, and after a long debate about the costs it voted for the new bridge over the river."
HIDDEN = STORY.replace("council", "board").replace("bridge", "road")


@pytest.mark.parametrize("how", ["hidden", "style='display: none'", "style=visibility:hidden"])
def test_hidden_paragraphs_are_left_out(how: str) -> None:
    html = f"<div class=story><p>{STORY}</p><p {how}>{HIDDEN}</p><p>{STORY} So it was.</p></div>"
    found = extract(html)
    assert HIDDEN not in found.text
    assert STORY in found.text
    assert [one.reason for one in found.blocks if HIDDEN in one.text] == ["hidden by an attribute or its style"]
    assert any(html[span.start : span.end].count(HIDDEN) for span in found.removed)


def test_a_page_that_a_script_shows_is_not_empty() -> None:
    assert STORY in extract(f"<body style='visibility:hidden'><div class=story><p>{STORY}</p></div>").text


def formulaic(number: int) -> str:
    story = f"<p>The town of number {number} has a high of {number * 7} and a low of {number * 3} degrees, said the office.</p>"
    return f"<title>Weather {number}</title><div class=story><h1>Weather {number}</h1>{story * 3}</div>"


def test_pages_of_which_nothing_would_be_left_are_marked() -> None:
    """As texts are: a story told by numbers alone went without a word."""
    history = learn_history([formulaic(number) for number in range(80)], CONFIG)
    assert history is not None
    page = formulaic(90)
    cut, whole = (
        PageCleaner(history, CleanConfig(stubs=stubs, page=PageConfig(repeat=50.0))).clean(page)
        for stubs in ("clean", "keep")
    )
    assert cut.stub
    assert whole.stub
    assert "has a high of" not in cut.text
    assert "has a high of" in whole.text


def test_a_story_told_by_numbers_is_no_template() -> None:
    """Pages that differ in numbers alone are one, and what is told of numbers is data."""
    own = [" ".join(f"w{number}x{place}" for place in range(12)) for number in range(80)]
    pages = [formulaic(n).replace("</div>", f"<p>{own[n]}.</p></div>") for n in range(80)]
    packs = mine([{"source": "w", "html": page} for page in pages])
    assert "has a high of" in Cleaner(packs["w"]).clean(formulaic(90)).text


def test_all_that_is_no_boilerplate_has_the_comments() -> None:
    said = "I lived there for thirty years and never saw the harbour freeze."
    thread = f'<div id="comments"><h3>2 comments</h3><div class="comment"><cite>Jo</cite><p>{said}</p><a>Reply</a></div></div>'
    html = page(3).replace("<div id=footer>", thread + "<div id=footer>")
    main = extract(html)
    every = extract(html, config=ExtractConfig(clean=CleanConfig(page=PageConfig(keep="all"))))
    assert said not in main.text
    assert said in every.text.splitlines()
    assert set(main.text.splitlines()) <= set(every.text.splitlines())
    assert not {"Jo", "Reply", "2 comments"} & set(every.text.splitlines())
    assert [block.reason for block in every.blocks if block.text == said] == ["a comment, which is asked for"]
    with pytest.raises(ConfigError, match="keep: expected main or all, got 'some'"):
        PageConfig(keep="some")
