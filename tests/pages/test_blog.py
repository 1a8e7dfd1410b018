"""blog: posts, titles and dates by the names that blogs give their elements."""

from __future__ import annotations

import json

import pytest

from invented_pages import PROSE, page
from templatemine import extract
from templatemine.config import ExtractConfig
from templatemine.errors import ConfigError
from templatemine.pages.baselines.blog_rules import RULES
from templatemine.pages.blocks import Page
from templatemine.pages.declared import declared_title_and_date
from templatemine.pages.systems import Post

ONE, TWO = (f"<p>{text}</p>" for text in PROSE[:2])


def found(html: str) -> list[tuple[str | None, str | None, str]]:
    return [(post.title, post.date, post.text) for post in extract(html, "blog").posts]


BLOGGER = """<body><h1 class=title>The Lantern Blog</h1><div class="blog-posts hfeed">
<div class=date-outer><h2 class=date-header>Friday, March 30, 2007</h2><div class=date-posts><div class=post-outer>
<div class="post hentry"><h3 class="post-title entry-title"><a href=1>Crane</a></h3>
<div class="post-body entry-content" id=post-body-1>{}<h3>A heading</h3></div>
<div class=post-footer>Posted by Anna at 12:02 PM</div></div></div></div></div>
<div class=date-outer><h2 class=date-header>Monday, March 26, 2007</h2><div class=date-posts><div class=post-outer>
<div class="post hentry"><h3 class="post-title entry-title"><a href=2>Bridge</a></h3>
<div class="post-body entry-content" id=post-body-2>{}</div></div></div></div></div></div>
<div class=comments id=comments><div class="post-body">First!</div></div></body>"""


def test_blogger() -> None:
    assert found(BLOGGER.format(ONE, TWO)) == [
        ("Crane", "2007-03-30", f"{PROSE[0]}\nA heading"),
        ("Bridge", "2007-03-26", PROSE[1]),
    ]


def test_wordpress() -> None:
    html = (
        "<div id=content><div class='post' id=post-12><h2><a href=1 class=title rel=bookmark>Crane</a></h2>"
        f"<small class=date>September 3rd, 2008</small><div class=entry>{ONE}</div></div>"
        "<div class='post' id=post-11><h2>Bridge</h2><div class='postinfo'><span class=postdate>2008/9/2</span></div>"
        f"<div class=entry>{TWO}<div class=sharedaddy>Share this</div></div></div></div>"
    )
    assert found(html) == [("Crane", "2008-09-03", PROSE[0]), ("Bridge", "2008-09-02", PROSE[1])]


@pytest.mark.parametrize(
    "html",
    [
        "<article><h2>Crane</h2><time datetime=2008-09-03>yesterday</time>{}</article><article>{}</article>",
        "<li class=h-entry><b class=p-name>Crane</b><i class=dt-published title=2008-09-03>3/9</i><div class=e-content>{}</div></li>"
        "<li class=h-entry><div class=e-content>{}</div></li>",
        "<div itemscope itemtype='https://schema.org/BlogPosting'><b itemprop=headline>Crane</b>"
        "<meta itemprop=datePublished content=2008-09-03><span itemprop=articleBody>{}</span></div>"
        "<div itemscope itemtype='https://schema.org/BlogPosting'><section itemprop=articleBody>{}</section></div>",
        "<div class=hentry><h4>Crane</h4><div><a href=03.html>September 3, 2008</a></div>{}</div><div class=hentry>{}</div>",
    ],
)
def test_what_the_web_uses_now(html: str) -> None:
    first, second = found(html.format(ONE, TWO))
    assert first[:2] == ("Crane", "2008-09-03")
    assert PROSE[0] in first[2]
    assert "yesterday" not in first[2]
    assert second == (None, None, PROSE[1])


LD = {
    "@context": "x",
    "@graph": [
        {"@type": "Person"},
        {"@type": ["BlogPosting"], "headline": "A &amp; B", "datePublished": "2008-09-03T10:00:00Z"},
    ],
}


def test_what_a_page_of_one_post_says_of_itself() -> None:
    script = f"<script type='application/ld+json'>{json.dumps(LD)}</script>"
    meta = (
        "<meta property=og:title content='Og &amp; title'><meta property='article:published_time' content='2008-09-04'>"
    )
    assert declared_title_and_date(Page(script + meta)) == ("A & B", "2008-09-03T10:00:00+00:00")
    assert declared_title_and_date(Page("<script type=application/ld+json>{broken</script>" + meta)) == (
        "Og & title",
        "2008-09-04",
    )
    assert declared_title_and_date(Page("<script type=application/ld+json>" + "[" * 10**5 + "</script>")) == (
        None,
        None,
    )
    assert found(f"{script}<div class=post-body>{ONE}</div>") == [("A & B", "2008-09-03T10:00:00+00:00", PROSE[0])]
    two = f"{script}<div class=post-body>{ONE}</div><div class=post-body>{TWO}</div>"
    assert [row[:2] for row in found(two)] == [(None, None), (None, None)]


@pytest.mark.parametrize(
    "script",
    [
        '{"@type": "http://schema.org/BlogPosting", "headline": "Crane", "datePublished": "2008-09-03"}',
        '{"@type": "schema:BlogPosting", "headline": ["Crane"], "datePublished": ["2008-09-03", "2008-09-04"]}',
        '{"@type": "BlogPosting", "headline": {"@value": "Crane", "@language": "en"}, "datePublished": {"@value": "2008-09-03"}}',
        '{"@type": "BlogPosting", "name": "Crane", "dateCreated": "2008-09-03"}',
        '//<![CDATA[\n{"@type": "BlogPosting", "headline": "Crane", "datePublished": "2008-09-03"}\n//]]>',
        '<!-- {"@type": "BlogPosting", "headline": "Crane", "datePublished": "2008-09-03"} -->',
        '{"@type": "BlogPosting", "headline": "Crane", "datePublished": "2008-09-03",}',
        '{"@type": "BlogPosting", "headline": "Cr\\u0061ne", "keywords": ["a" "b"], "datePublished": "2008-09-03"',
    ],
)
def test_json_ld_as_it_is_found(script: str) -> None:
    """Other ways to write the same, and scripts that are no JSON by a little."""
    assert declared_title_and_date(Page(f"<script type='application/ld+json'>{script}</script>")) == (
        "Crane",
        "2008-09-03",
    )


@pytest.mark.parametrize(
    "script",
    [
        '{"@type": "Person", "headline": "Crane"',
        '{"@type": "BlogPosting", "headline": ["',
        '"BlogPosting"',
        "[[1], null",
    ],
)
def test_json_ld_that_says_nothing(script: str) -> None:
    assert declared_title_and_date(Page(f"<script type='application/ld+json'>{script}</script>")) == (None, None)


def test_what_a_page_of_several_posts_says_of_each() -> None:
    posts = [
        {"@type": "BlogPosting", "headline": "Bridge", "datePublished": "2008-09-02"},
        {"@type": "BlogPosting", "headline": "Crane  ", "datePublished": "2008-09-03"},
    ]
    script = f"<script type='application/ld+json'>{json.dumps({'@type': 'Blog', 'blogPost': posts})}</script>"
    html = f"{script}<article><h2>Crane</h2>{ONE}</article><article><h2>Bridge</h2>{TWO}</article>"
    assert found(html) == [("Crane", "2008-09-03", PROSE[0]), ("Bridge", "2008-09-02", PROSE[1])]


def test_posts_of_one_day_stand_below_one_date() -> None:
    """Blogger writes a date once for all posts of a day."""
    post = "<div class=post-outer><div class='post hentry'><h3 class=post-title>{}</h3><div class=post-body>{}</div></div></div>"
    day = "<div class=date-outer><h2 class=date-header>{}</h2><div class=date-posts>{}</div></div>"
    first = day.format("Monday, May 6, 2013", post.format("Crane", ONE) + post.format("Bridge", TWO))
    html = f"<div class=blog-posts>{first}{day.format('Sunday, May 5, 2013', post.format('Mill', ONE))}</div>"
    rows = found(html)
    assert [row[:2] for row in rows] == [("Crane", "2013-05-06"), ("Bridge", "2013-05-06"), ("Mill", "2013-05-05")]
    assert "May" not in extract(html, "blog").text
    assert extract(html, "blog").title == "Crane"


def test_a_text_by_its_name_needs_no_post_around_it() -> None:
    html = (
        "<h2 class=date-header>March 03, 2009</h2><div class=entry id=entry-1><h3 class=entry-header>Crane</h3>"
        f"<div class=entry-content>{ONE}</div></div>"
        "<h2 class=date-header>March 02, 2009</h2><div class=entry id=entry-2><h3 class=entry-header>Bridge</h3>"
        f"<div class=entry-content>{TWO}</div></div>"
    )
    assert found(html) == [("Crane", "2009-03-03", PROSE[0]), ("Bridge", "2009-03-02", PROSE[1])]


@pytest.mark.parametrize(
    "html",
    [
        "<article><h1>Crane</h1><div class=article-content>{}</div><div class=ad></div><div class=article-content>{}</div></article>",
        "<h1>Crane</h1><div><p itemprop=articleBody>{}</p><p itemprop=articleBody>{}</p></div>",
        "<h1>Crane</h1><div><div><p itemprop=articleBody>{}</p></div><p itemprop=articleBody>{}</p></div>",
    ],
)
def test_a_text_in_parts_is_one_post(html: str) -> None:
    html = f"<title>Crane</title>{html.format(*PROSE)}"
    assert [row[2] for row in found(html)] == ["\n".join(PROSE[:2])]


def test_posts_without_an_element_of_their_own_are_not_joined() -> None:
    assert len(found(f"<div><div class=e-content>{ONE}</div><div class=e-content>{TWO}</div></div>")) == 2
    html = f"<article><div class=post><div class=entry>{ONE}</div></div><div class=post><div class=entry>{TWO}</div></div></article>"
    assert len(found(html)) == 2


def test_a_note_is_its_own_name() -> None:
    """Microformats call the whole text of a post without a title its name."""
    html = (
        f"<div class=h-entry><div class='e-content p-name'>{ONE}</div><time class=dt-published>2021-01-02</time></div>"
    )
    assert found(html) == [(None, "2021-01-02", PROSE[0])]


def test_the_date_of_publication_comes_before_that_of_changes() -> None:
    html = f"<article><time class=updated datetime=2020-05-05>x</time><time class=published datetime=2020-01-01>x</time>{ONE}"
    assert found(html)[0][1] == "2020-01-01"


def test_the_date_of_one_post_in_a_line_of_its_head() -> None:
    html = f"<article><h1>Crane</h1><p>By Anna Miller - Mar 3, 2020 - 5 min read</p>{ONE}</article>"
    assert found(html)[0][:2] == ("Crane", "2020-03-03")
    assert extract(html, "blog").date == "2020-03-03"


def test_a_post_is_one_post_however_many_elements_say_so() -> None:
    html = f"<div class='post entry'><div class='entry-content'><div class='post-body'>{ONE}{TWO}</div></div></div>"
    assert found(html) == [(None, None, f"{PROSE[0]}\n{PROSE[1]}")]


def test_reasons_and_blocks() -> None:
    at = extract(BLOGGER.format(ONE, TWO), "blog")
    reasons = {block.text: block.reason for block in at.blocks}
    assert reasons[PROSE[0]] == "text of a post"
    assert reasons["Crane"] == reasons["Friday, March 30, 2007"] == "title or date of a post"
    assert reasons["First!"] == "not in a post"
    assert at.text == f"{PROSE[0]}\nA heading\n{PROSE[1]}"
    kept = [place for place, block in enumerate(at.blocks) if block.kept]
    assert kept == [block for post in at.posts for block in post.blocks]
    assert all(isinstance(post, Post) for post in at.posts)


def test_the_title_and_date_of_one_post_are_those_of_the_page() -> None:
    at = extract(f"<h1>Blog</h1><article><h2>Crane</h2><p>Sept. 3, 2008</p>{ONE}</article>", "blog")
    assert (at.title, at.date, at.text) == ("Crane", "2008-09-03", PROSE[0])


def test_a_page_without_posts() -> None:
    at = extract(page(1), "blog")
    assert at.note == "no post was found; judged by density"
    assert at.text == extract(page(1), "density").text
    assert at.posts == ()


def test_the_rules_of_the_paper_alone() -> None:
    config = ExtractConfig(blog_rules="paper")
    known = BLOGGER.format(ONE, TWO).replace("<div class=date-posts>", "").replace('"date-outer"', "x")
    posts = extract(known, "blog", config=config).posts
    assert [(post.title, post.text) for post in posts] == [("Crane", f"{PROSE[0]}\nA heading"), ("Bridge", PROSE[1])]
    assert posts[0].date == "2007-03-30"
    assert extract(f"<article><h2>Crane</h2>{ONE}</article>", "blog", config=config).posts == ()
    with pytest.raises(ConfigError, match="blog_rules: expected all or paper, got 'none'"):
        extract(ONE, "blog", config=ExtractConfig(blog_rules="none"))


def test_every_rule_says_where_it_comes_from() -> None:
    for part, rules in RULES.items():
        assert rules, part
        assert all(rule.where and (rule.tags or rule.like or rule.item) for rule in rules)
