"""What belongs to a story and what does not: hidden parts, glued words, notes, code, notices, several articles."""

from __future__ import annotations

import json

import pytest

from templatemine import MarkupConfig, extract
from templatemine.pages.blocks import Page
from templatemine.pages.story_parts import find_footnotes

TITLE = "The mill at Overbeck opens its gates"
PLACES = ("mill", "pond", "barn", "orchard", "bridge", "chapel")
PARAGRAPHS = [
    f"The {place} at Overbeck was built by the miller's family, who sold their meadow for it and never said a word of that,"
    f" and the {place} has stood beside the brook since then, through two floods and a fire."
    for place in PLACES
]
STORY = "".join(f"<p>{text}</p>" for text in PARAGRAPHS)
MENU = "<nav><ul><li><a href=/a>News</a></li><li><a href=/b>Sport</a></li><li><a href=/c>Weather</a></li></ul></nav>"
FOOT = "<footer><ul><li><a href=/d>About us</a></li><li><a href=/e>Terms</a></li></ul></footer>"


def page(middle: str = "", *, before: str = "", behind: str = "", head: str = "", title: str = TITLE) -> str:
    """A page with a story of six paragraphs; `middle` stands after the third one, `behind` after the last."""
    cut = STORY.index("<p>The orchard")
    article = f"<article><h1>{title}</h1>{STORY[:cut]}{middle}{STORY[cut:]}{behind}</article>"
    top = f"<!doctype html><html lang=en><head><title>{title} | Overbeck Post</title>{head}</head>"
    return f"{top}<body>{MENU}{before}<main>{article}</main>{FOOT}</body></html>"


def lines(html: str) -> list[str]:
    return extract(html).text.splitlines()


# ---- what HTML hides


@pytest.mark.parametrize(
    "hidden",
    [
        "<dialog><p>{}</p></dialog>",
        "<div popover><p>{}</p></div>",
        '<div popover="auto">{}</div>',
        "<noscript><p>{}</p></noscript>",
        '<div role="tooltip">{}</div>',
        "<template><p>{}</p></template>",
        '<section subscriptions-section="content-not-granted"><p>{}</p></section>',
    ],
)
def test_what_html_hides_is_left_out(hidden: str) -> None:
    secret = "These words of thanks are shown by the site when a reader has asked for its letter."
    found = lines(page(hidden.format(secret)))
    assert found == [TITLE, *PARAGRAPHS]


@pytest.mark.parametrize(
    "shown",
    [
        "<dialog open><p>{}</p></dialog>",
        "<details><summary>Who ground the corn?</summary><p>{}</p></details>",
        "<div hidden=until-found><p>{}</p></div>",
        "<old-mill><template shadowrootmode=open><style>p {{ margin: 0 }}</style><p>{}</p></template></old-mill>",
        '<section subscriptions-section="content"><p>{}</p></section>',
    ],
)
def test_what_readers_see_or_may_open_stays(shown: str) -> None:
    text = "The wheel of the mill has been turned by hand in every dry summer, as old people of the town remember."
    assert text in lines(page(shown.format(text)))


def test_a_component_whose_inside_is_served_is_read() -> None:
    html = f"<title>{TITLE}</title><main><h1>{TITLE}</h1><x-story><template shadowrootmode='open'>{STORY}</template></x-story></main>"
    assert lines(html) == [TITLE, *PARAGRAPHS]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>the weir<span role=tooltip>A weir is a dam.</span> was low</p>", "the weir was low"),
        ("<p>the <dfn>sluice<div popover><p>A gate.</p></div></dfn> was shut</p>", "the sluice was shut"),
        ("<p>a line<noscript><img src=x></noscript> goes on</p>", "a line goes on"),
        ("<p><span hidden>3 new</span>Letters</p>", "Letters"),
        ("<p>one<dialog><h2>Two</h2><ul><li>three</ul></dialog>four</p>", "one four"),
        ("<p>one <b style='display:none'>two</b>three</p>", "one three"),
    ],
)
def test_what_is_hidden_within_a_line_does_not_tear_it(html: str, text: str) -> None:
    blocks = Page(html)
    assert [blocks.text(block) for block in range(len(blocks))] == [text]


def test_a_long_hidden_text_within_a_line_is_a_block_that_may_be_the_story() -> None:
    blocks = Page(f"<body>Loading<div style='display:none'>{STORY}</div></body>")
    assert len(blocks) == 7
    assert blocks.hidden.tolist() == [False] + 6 * [True]


# ---- words never glue


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<span>May 3, 2021</span><span>Harbour</span>", "May 3, 2021 Harbour"),
        ("<a href=/q>Farah Quill</a><span>Post Staff</span>", "Farah Quill Post Staff"),
        ("<label>Keeper</label><button>Share</button>", "Keeper Share"),
        ("<button>share</button>story", "share story"),
        ("<a href=/1>news</a><a href=/2>sport</a>", "news sport"),
        ("<b>It ended.</b><i>Nobody spoke</i>", "It ended. Nobody spoke"),
        ("<time>14:05</time><span><em>Überfall</em></span>", "14:05 Überfall"),
        ("<span>K</span><small>evin</small>", "Kevin"),
        ("<strong>fo</strong>o and <span>N</span>o", "foo and No"),
        ("<x-a>the weir</x-a><x-b>, not the lock</x-b>", "the weir, not the lock"),
        ("40 m<sup>3</sup> of CO<sub>2</sub>A", "40 m3 of CO2A"),
        ("<span>渡</span><span>船</span>", "渡船"),
        ("<code><span>get</span><span>User</span></code>", "getUser"),
        ("<pre><span>get</span><span>User</span></pre>", "getUser"),
        ("<span>one</span> <span>Two</span>", "one Two"),
        ("a<br>b<table><tr><td>c<td>d</table>", "a|b|c|d"),
    ],
)
def test_words_never_glue_where_elements_meet(html: str, text: str) -> None:
    blocks = Page(html)
    assert "|".join(blocks.text(block) for block in range(len(blocks))) == text


# ---- the story is whole


def test_nothing_of_a_small_page_is_cut() -> None:
    first, second = "The ferry leaves at ten past the hour from Monday, the board said.", "Tickets stay at four pounds."
    html = f"<nav>menu</nav><article><h1>Ferry times</h1><p>{first}</p><p>{second}</p></article><footer>foot</footer>"
    assert lines(html) == ["Ferry times", first, second]
    assert lines(f"<body><div id=content><p>{second}</p></div><p>{first}</p></body>") == [second, first]


@pytest.mark.parametrize(
    "notes",
    [
        '<div class="footnotes" role="doc-endnotes"><ol><li id="fn:1">{}</li><li id="fn:2">{}</li></ol></div>',
        '<div class="footnote"><ol><li id="fn-1"><p>{}</p></li><li id="fn-2"><p>{}</p></li></ol></div>',
        '<section data-footnotes class="footnotes"><ol><li id="user-content-fn-1">{}</li><li id="user-content-fn-2">{}</li></ol></section>',
        '<aside id="footnotes" class="footnotes footnotes-end-of-document" role="doc-endnotes"><ol><li id="fn1">{}</li><li id="fn2">{}</li></ol></aside>',
    ],
)
def test_footnotes_stay_without_their_ways_back(notes: str) -> None:
    back = '<a href="#fnref:1" class="footnote-back" role="doc-backlink">↩</a>'
    filled = notes.format("The mill burnt in 1934. " + back, "Sheet 14 of the survey.&nbsp;" + back)
    html = page(behind=filled).replace("fire.</p>", 'fire.<sup><a href="#fn:1">1</a></sup></p>', 1)
    assert lines(html)[-2:] == ["The mill burnt in 1934.", "Sheet 14 of the survey."]
    assert lines(html)[1].endswith("fire.1")


def test_a_line_that_is_only_called_a_footnote_is_left_to_the_model() -> None:
    about = "Overbeck Post is the oldest paper of the county and belongs to its readers. All rights reserved."
    blocks = Page(page(behind=f'<p class="footnote">{about}</p>'))
    found = find_footnotes(blocks, blocks.words > 8)
    assert found is not None
    assert not found.any()


def test_a_list_of_definitions_within_the_story_is_part_of_it() -> None:
    terms = (
        "<dl><dt>Length</dt><dd>40 metres of dressed stone</dd><dt>Built</dt><dd>1911, by the water company</dd></dl>"
    )
    assert lines(page(terms))[4:8] == ["Length", "40 metres of dressed stone", "Built", "1911, by the water company"]


def test_code_keeps_its_lines_and_indentation_and_loses_its_numbers() -> None:
    rows = "def mill(corn):", "    if corn &lt; 3:", "        return None", "    return {", "        1", "    }"
    wanted = [row.replace("&lt;", "<") for row in rows]
    numbers = "".join(f"{number}\n" for number in range(1, 7))
    tables = (
        f"<table><tr><td><pre>{numbers}</pre></td><td><pre>{{}}</pre></td></tr></table>",
        f"<table><tr><td class=gutter>{numbers}</td><td><pre>{{}}</pre></td></tr></table>",
        "<pre>{}</pre>",
    )
    for table in tables:
        for end in ("\n", "<br>", "</span><br/><span>"):
            html = page(table.format("<span>" + end.join(rows) + "</span>"))
            found = extract(html)
            start = found.text.splitlines().index(wanted[0])
            assert found.text.splitlines()[start : start + 6] == wanted, html
            assert "\n1\n" not in found.text
            assert "```\n" + "\n".join(wanted) + "\n```" in found.markdown(MarkupConfig(tables=False))
    numbered = "\n".join(f'<span class="lineno">{n}</span>{row}' for n, row in enumerate(rows, 1))
    assert "\n".join(wanted) in extract(page(f"<pre>{numbered}</pre>")).text


MATHML = (
    "<math><semantics><mrow><mi>E</mi><mo>=</mo><mi>m</mi></mrow>"
    '<annotation encoding="application/x-tex">E = m</annotation></semantics></math>'
)


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (f'<span class="katex"><span class="katex-mathml">{MATHML}</span><span class="katex-html" aria-hidden="true">'
         "<span class=base>E</span><span>=m</span></span></span>", "E = m"),
        ('<span class="MathJax"><nobr aria-hidden="true"><span>E</span><span>=m</span></nobr><span class="MJX_Assistive_MathML">'
         '<math><mi>E</mi><mo>=</mo><mi>m</mi></math></span></span><script type="math/tex">E = m</script>', "E=m"),
        ('<script type="math/tex; mode=display">E = m</script>', "E = m"),
        (f'<span style="display: none">{MATHML}</span><img alt="E = m">', "E = m"),
        ("<math><mi>E</mi><mo>=</mo><mi>m</mi></math>", "E=m"),
    ],
)  # fmt: skip
def test_formulas_are_given_once(formula: str, text: str) -> None:
    blocks = Page(f"<p>It is {formula}, he said.</p>")
    assert [blocks.text(block) for block in range(len(blocks))] == [f"It is {text}, he said."]
    assert text in extract(page(f"<p>It is {formula} and no more, as the board said in its report.</p>")).markdown()


def test_further_articles_that_scrolling_has_appended_are_left_out() -> None:
    other = STORY.replace("Overbeck", "Netherby").replace("brook", "canal")
    for name in ("story", "story added"):
        more = f"</article><article class='{name}'><h1>Another mill at Netherby is sold</h1>{other}"
        assert lines(page(behind=more)) == [TITLE, *PARAGRAPHS]
    # A page that is titled after none of them, such as that of a blog, has them all.
    both = page(behind=f"</article><article><h1>Another mill is sold</h1>{other}").replace(
        f"{TITLE} | ", "News of the "
    )
    assert len(lines(both)) >= 12


# ---- notices


COOKIES = (
    "<h2>Our cookies</h2><p>This site uses cookies. Some of these cookies are needed to make it work, others help us.</p>"
    "<p>We would also like to set optional cookies to measure visits and to remember your settings.</p>"
    "<p>You can accept all cookies, reject those that are not needed, or choose one by one.</p>"
    "<p>For more about the cookies that we use and who our partners are, please read our policy.</p>"
)
STATEMENT = "The bank will ask the court to place the Overbeck Savings Bank into a procedure for banks that fail."


@pytest.mark.parametrize(
    "opening", ['<div id="cookie-banner" class="consent">', '<div class="x1-modal">', '<div class="cc">']
)
def test_notices_about_cookies_lose_even_where_they_are_longer_than_the_story(opening: str) -> None:
    title = "Statement on the Overbeck Savings Bank"
    html = (
        f"<title>{title} | Bank</title><body>{MENU}{opening}{COOKIES}</div><main><h1>{title}</h1><p>10 March 2023</p>"
    )
    assert lines(f"{html}<p>{STATEMENT}</p></main>{FOOT}") == [title, "10 March 2023", STATEMENT]


def test_an_article_about_cookies_stays() -> None:
    title = "How cookies of websites follow readers"
    html = f"<title>{title}</title><body><main><h1>{title}</h1><div class='cc'>{COOKIES}</div></main>"
    assert len(lines(html)) > 4


OFFER = (
    "<p>Read on with Post plus.</p><p>All stories of the Post for 2.95 pounds a week. You can cancel at any time in your"
    " account, and the price rises after twelve weeks.</p><p>Already a subscriber? Log in here to read on.</p>"
)


@pytest.mark.parametrize(
    ("paywall", "declared"),
    [
        ("js-paywall", {"@type": "NewsArticle", "isAccessibleForFree": False}),
        ("rest", {"@type": "NewsArticle", "isAccessibleForFree": "False", "hasPart": {
            "@type": "WebPageElement", "isAccessibleForFree": "False", "cssSelector": ".rest"}}),
        ("paywall", None),
    ],
)  # fmt: skip
def test_what_a_subscription_costs_is_no_story(paywall: str, declared: dict[str, object] | None) -> None:
    head = f'<script type="application/ld+json">{json.dumps(declared)}</script>' if declared else ""
    html = f"<title>{TITLE}</title>{head}<main><article><header><h1>{TITLE}</h1><p>{PARAGRAPHS[0]}</p></header>"
    found = extract(f'{html}<div class="text {paywall}">{OFFER}</div></article></main>{FOOT}')
    assert found.text.splitlines() == [TITLE, PARAGRAPHS[0]]
    assert found.paywalled is (declared is not None)
    assert found.as_dict().get("paywalled") is (True if declared else None)


def test_a_story_that_is_named_after_its_paywall_stays() -> None:
    html = page().replace("<p>", '<p class="paywall">')
    assert lines(html) == [TITLE, *PARAGRAPHS]
    assert extract(html).paywalled is False


def test_labels_of_advertisements_are_no_lines_of_the_story() -> None:
    assert lines(page("<div class=promo><span>Promoted by</span> <a href=/x>Pell Dairies</a></div>")) == [
        TITLE,
        *PARAGRAPHS,
    ]
    assert lines(page(title="Promoted by the miller's own club"))[0] == "Promoted by the miller's own club"


# ---- titles and lists


def test_the_logo_is_neither_the_title_nor_the_first_line() -> None:
    logo = '<header><a href="/" class="logo">Overbeck Post</a></header>'
    for title in ("Mill", "Peace"):
        found = extract(page(before=logo, title=title))
        assert found.title == found.metadata.title == title
        assert found.text.splitlines() == [title, *PARAGRAPHS]


def test_a_list_of_other_pages_is_told() -> None:
    cards = "".join(
        f'<section class="card"><a href="/{place}"><h2>What became of the {place}</h2></a><p>{text[:90]}</p></section>'
        for place, text in zip(PLACES, PARAGRAPHS, strict=True)
    )
    found = extract(f"<title>Mills | Overbeck Post</title><body>{MENU}<main><h1>Mills</h1>{cards}</main>{FOOT}")
    assert found.note == "a list of other pages, with 6 linked headlines; no article"
    assert extract(page()).note == ""
