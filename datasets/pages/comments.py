"""Invented comments below real articles, so that a model learns from news pages without comments what comments are.

The public sets whose licence allows trained weights to be shipped hold articles of years when comments were loaded by
scripts; older pages, and blogs to this day, carry them in the page.  A thread is put together from a row of `THREADS`,
names and dates made up, and paragraphs of *other* pages of the set, and is put behind the last block of the main text.
"""

from __future__ import annotations

import calendar
import html
import random
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["NAMES", "THREADS", "ThreadMarkup", "invent_date", "make_thread"]


@dataclass(frozen=True, slots=True)
class ThreadMarkup:
    """Mark-up of a comment thread: head and foot, one comment, and what parts its paragraphs; and whether comments stand
    beside the paragraphs of the story, in no element of their own."""

    head: str
    comment: str
    foot: str
    paragraph_break: str = "</p><p>"
    flat: bool = False


_FORM = (
    "<h3>Leave a Reply</h3><p>Your email address will not be published. Required fields are marked *</p>"
    "<form><label>Name</label><input><label>Email</label><input><textarea></textarea><input type=submit></form>"
)
_TABLE = "<table width=100% cellpadding=4><tr><td>"

THREADS: Sequence[ThreadMarkup] = (
    ThreadMarkup(
        '<div id="comments"><h3 id="comments-title">{n} Responses to &#8220;{title}&#8221;</h3><ol class="commentlist">',
        '<li class="comment even"><div class="comment-author vcard"><cite class="fn">{name}</cite> <span>says:</span></div>'
        '<div class="comment-meta"><a href="#c">{date} at {clock}</a></div><p>{text}</p>'
        '<div class="reply"><a href="#r">Reply</a></div></li>',
        '</ol><div id="respond">' + _FORM + "</div></div>",
    ),
    ThreadMarkup(
        '<div class="comments" id="comments"><h4>{n} comments:</h4><dl id="comments-block">',
        '<dt class="comment-author"><a href="/p">{name}</a> said...</dt><dd class="comment-body"><p>{text}</p></dd>'
        '<dd class="comment-footer"><span class="comment-timestamp"><a href="#c">{date} {clock}</a></span></dd>',
        '</dl><p class="comment-footer"><a href="/post">Post a Comment</a></p></div>',
        "<br><br>",
    ),
    ThreadMarkup(
        '<section class="comments-area"><h2 class="comments-title">{n} thoughts on &ldquo;{title}&rdquo;</h2><ol>',
        "<li><article><footer><b>{name}</b> <time>{date}</time></footer><div><p>{text}</p></div>"
        "<div><a href='#r'>Reply</a></div></article></li>",
        "</ol>" + _FORM + "</section>",
    ),
    ThreadMarkup(
        '<div class="reader-talk"><h2>What readers say</h2><p>{n} comments. Log in or register to post.</p><ul>',
        '<li class="item"><span class="user">{name}</span> wrote:<br>{text}<br>'
        '<span class="when">{date} {clock}</span> | <a href="#a">Recommend (3)</a> | <a href="#b">Report abuse</a></li>',
        "</ul><p><a href='#all'>Read all comments</a></p></div>",
        "<br>",
    ),
    ThreadMarkup(
        "<h3>Comments</h3>" + _TABLE,
        "<b>{name}</b>, {date} {clock}<br>{text}<hr>",
        "</td></tr></table><a href='#post'>Add your comment</a>",
        "<br><br>",
    ),
    ThreadMarkup(
        '<div id="disqus_thread"><div class="dsq-brlink">{n} comments</div><ul id="posts">',
        '<li class="post"><div class="post-byline"><a href="/u">{name}</a> • <a href="#d">{date}</a></div>'
        '<div class="post-message"><p>{text}</p></div><div>• <a href="#r">Reply</a> • <a href="#s">Share ›</a></div></li>',
        "</ul></div>",
    ),
    ThreadMarkup(
        '<div class="discussion"><div class="hd">Join the conversation ({n})</div>',
        '<div class="msg"><div class="hd"><strong>{name}</strong> <em>{date}</em></div><div class="bd">{text}</div></div>',
        '<div class="ft"><a href="#1">1</a> <a href="#2">2</a> <a href="#3">Next &raquo;</a></div></div>',
        "<br/><br/>",
    ),
    ThreadMarkup(
        '<a name="comments"></a><div id="c_list"><p><strong>{n} Comments</strong> (<a href="#f">Post</a>)</p>',
        '<div class="c"><p>{text}</p><p class="posted">Posted by: <a href="/x">{name}</a> | {date} at {clock}</p></div>',
        "<p>The comments to this entry are closed.</p></div>",
    ),
    ThreadMarkup(
        '<div class="feedback-wrap"><h3>Have your say</h3>',
        "<div><p>&#8220;{text}&#8221;</p><p>- <b>{name}</b>, {place}, {date}</p></div>",
        "<p>The views expressed in the contents above are those of our users.</p></div>",
    ),
    ThreadMarkup(
        "<h2>Comments</h2>",
        '<p>{text}</p><p class="posted">Posted by: <a href="/u">{name}</a> at {date} {clock}</p>',
        "<h2>Post a comment</h2><form><p><label>Name:</label><br><input></p><textarea></textarea></form>",
        flat=True,
    ),
    ThreadMarkup(
        "<h2>TrackBack</h2><p>TrackBack URL for this entry:<br>http://blog.example/mt-tb.cgi/{n}</p>"
        "<p>Listed below are links to weblogs that reference <a href='/p'>{title}</a>:</p>",
        '<p>&raquo; <a href="/t">{title}</a> from {name}<br>{text} <a href="/t">[Read More]</a></p>'
        '<p class="posted">Tracked on {date} {clock}</p>',
        "",
        "<br>",
        flat=True,
    ),
    ThreadMarkup(
        '<div class="col"><ol class="list">',
        "<li><p><i>{date} {clock}</i> {name} :</p><p>{text}</p></li>",
        "</ol></div>",
    ),
)

NAMES = [
    "Anna K.",
    "B. Okoro",
    "carlos77",
    "Dana",
    "Eli Weber",
    "frankly_me",
    "Grace",
    "H. Tanaka",
    "ivan_the_reader",
    "Jo",
    "Karen P",
    "lensman",
    "Maria Lopez",
    "nobody",
    "Old Timer",
    "P. Singh",
    "Quentin",
    "rita.m",
    "Sam",
    "truthseeker",
    "Uwe",
    "Vera Lindqvist",
    "will_b",
    "Xiao",
    "Yusuf",
    "Zoe",
    "Anonymous",
    "guest",
]
PLACES = ["Leeds", "Austin, TX", "Toronto", "Lagos", "Pune", "Cork", "Utrecht", "Perth"]
MONTHS = list(calendar.month_name)[1:]


def invent_date(draw: random.Random) -> str:
    month, day, year = draw.choice(MONTHS), draw.randint(1, 28), draw.randint(1999, 2024)
    return draw.choice(
        (
            f"{month} {day}, {year}",
            f"{day} {month[:3]} {year}",
            f"{draw.randint(1, 12)}/{day}/{year}",
            f"{year}-{draw.randint(1, 12):02}-{day:02}",
            f"{draw.randint(2, 11)} {draw.choice(('hours', 'days', 'months', 'years'))} ago",
        )
    )


def make_thread(
    paragraphs: Sequence[str], title: str, draw: random.Random, threads: Sequence[ThreadMarkup] = THREADS
) -> str:
    """HTML of a thread.

    Parameters
    ----------
    paragraphs : sequence of str
        What commenters say is taken from these.
    title : str
        Of the page the thread is on.
    threads : sequence of Thread, optional
        Kinds of threads to choose from.
    """
    markup = draw.choice(threads)
    number = min(int(draw.expovariate(1 / 8)) + 1, 60)
    rows = []
    for _ in range(number):
        paragraph_parts = []
        for _ in range(1 if draw.random() < 0.7 else draw.randint(2, 4)):
            sentences = draw.choice(paragraphs).split(". ")
            first = draw.randrange(len(sentences))
            paragraph_parts.append(html.escape(". ".join(sentences[first : first + draw.randint(1, 5)])))
        rows.append(
            markup.comment.format(
                name=draw.choice(NAMES),
                date=invent_date(draw),
                clock=f"{draw.randint(1, 12)}:{draw.randint(0, 59):02}{draw.choice((' am', ' PM', ''))}",
                place=draw.choice(PLACES),
                title=html.escape(title),
                text=markup.paragraph_break.join(paragraph_parts),
            )
        )
    head = markup.head.format(n=number, title=html.escape(title))
    return head + "\n".join(rows) + markup.foot
