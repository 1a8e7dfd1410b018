"""An article as an HTML page: the same truth, wrapped in the publisher's page boilerplate.

In: an `Article` and its source.  Out: a record with `html` and `gold` (headline and content paragraphs), like the
archives of hand-made gold standards.  Classes, order of the side boxes and names of scripts are settled
once for a source; numbers, headlines, comments and script data change with the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from random import Random

from newsgen.archive import Archive, Article
from newsgen.boilerplate import Span
from newsgen.language import derive_random, draw
from newsgen.stories import AnyLanguage

__all__ = ["render_page"]

FRAME = """<!DOCTYPE html>
<html lang="{lang}" dir="{dir}">
<head>
<meta charset="utf-8">
<title>{title} | {paper}</title>
<link rel="canonical" href="{url}">
<link rel="stylesheet" href="/static/{prefix}-{build}.css">
<style>.{prefix}-body p {{ margin: 0 0 1em }} .{prefix}-note {{ color: #555 }}</style>
<script>window.{prefix}Page = {{"id": {number}, "visit": "{visit}", "tests": ["a{test}", "nav{arm}"]}};</script>
</head>
<body class="{prefix} {prefix}-story">
<div class="{prefix}-cookies" hidden>{cookies}</div>
<header class="{prefix}-header">
<a class="{prefix}-logo" href="/">{paper}</a>
<form action="/search"><input name="q" placeholder="{search}"></form>
<a href="/account?back={number}">{login}</a>
<nav class="{prefix}-nav"><ul>{sections}</ul></nav>
</header>
<div class="{prefix}-crumbs"><a href="/">{paper}</a> &rsaquo; <a href="{section_url}">{section}</a></div>
<main>
<article class="{prefix}-article" data-id="{number}">
<h1>{title}</h1>
<p class="{prefix}-meta"><time datetime="{date}">{date}</time> <a href="/p/{author_id}">{author}</a></p>
<div class="{prefix}-body">
{body}
</div>
<div class="{prefix}-share"><span>{share}</span> <a href="/s/m?{number}">E-mail</a></div>
</article>
{side}
</main>
<footer class="{prefix}-footer"><ul>{about}</ul><p>{rights}</p></footer>
<!-- built in {took} ms -->
<script src="/static/{prefix}-{build}.js" async></script>
</body>
</html>
"""


def render_page(archive: Archive, index: int, article: Article) -> dict[str, str]:
    """The page of one article of source number `index`: source, id, url, date, title, html, gold."""
    source, language = archive.sources[index], archive.language(index)
    record, labels = article.record, language.script.page
    source_random = derive_random(archive.spec.seed, "page", index)
    rng = derive_random(archive.spec.seed, "page", record["id"])
    prefix = source.slug[:3] + draw(source_random, ("x", "k", "z"))
    section = int(rng.random() * (len(language.script.sections) - 1)) + 1
    boxes = [_render_most_read(rng, language, labels["most"], prefix), _render_comments(rng, language, labels, prefix)]
    if source_random.random() < 0.5:
        boxes.reverse()
    words = {"$paper": source.title, "$year": record["date"][:4], "$city": source.cities[0].title()}
    texts = {
        name: escape(_fill_words(labels[name], words)) for name in ("cookies", "search", "login", "share", "rights")
    }
    html = FRAME.format(
        **texts,
        lang=labels["lang"],
        dir=labels["dir"],
        title=escape(record["title"]),
        paper=escape(source.title),
        url=record["url"],
        prefix=prefix,
        build=f"{int(source_random.random() * 16**6):06x}",
        number=int(rng.random() * 10**7),
        visit=f"{int(rng.random() * 16**12):012x}",
        test=int(rng.random() * 40),
        arm=int(rng.random() * 3),
        sections="".join([f'<li><a href="/c/{n}">{name}</a></li>' for n, name in enumerate(language.script.sections)]),
        section=language.script.sections[section],
        section_url=f"/c/{section}",
        date=record["date"],
        author=escape(draw(rng, source.staff)),
        author_id=int(rng.random() * 900),
        body="\n".join([_render_block(text, spans, prefix) for text, spans in article.blocks]),
        side="\n".join(boxes),
        about="".join(
            [f'<li><a href="/about/{n}">{name}</a></li>' for n, name in enumerate(labels["about"].split("|"))]
        ),
        took=int(rng.random() * 300),
    )
    kept = {name: value for name, value in record.items() if name != "text"}
    return kept | {"html": html, "gold": extract_gold(article)}


def extract_gold(article: Article) -> str:
    """Headline and content of an article, a block a paragraph, without its boilerplate."""
    blocks = [article.record["title"]]
    for text, marks in article.blocks:
        spans = _without_dateline(text, marks)
        kept, at = "", 0
        for start, end, _ in spans:
            kept += text[at:start]
            at = end
        kept = " ".join((kept + text[at:]).split())
        if kept:
            blocks.append(kept)
    return "\n\n".join(blocks)


def _without_dateline(text: str, spans: list[Span]) -> list[Span]:
    """The spans of a block but for a dateline, which on a page belongs to the story."""
    if (
        spans
        and spans[0][0] == 0
        and spans[0][2] == "dynamic"
        and sum(end - start for start, end, _ in spans) < len(text) / 2
    ):
        return spans[1:]
    return spans


def _fill_words(text: str, words: dict[str, str]) -> str:
    for name, value in words.items():
        text = text.replace(name, value)
    return text


def _render_block(text: str, spans: list[Span], prefix: str) -> str:
    """A paragraph, or a box if all of it is boilerplate; boilerplate inside a paragraph becomes a span."""
    out, at, content = "", 0, False
    for start, end, label in [*_without_dateline(text, spans), (len(text), len(text), "")]:
        content = content or bool(text[at:start].strip())
        out += escape(text[at:start])
        piece = escape(text[start:end])
        out += f'<a href="/r/{len(piece)}">{piece}</a>' if label == "dynamic" else piece and f"<span>{piece}</span>"
        at = end
    if content:
        return f"<p>{out}</p>"
    return f'<div class="{prefix}-note">{out.replace(chr(10), "<br>")}</div>'


def _render_most_read(rng: Random, language: AnyLanguage, title: str, prefix: str) -> str:
    items = [
        f'<li><a href="/a/{int(rng.random() * 10**6)}">{escape(language.headline(rng))}</a></li>' for _ in range(5)
    ]
    return f'<aside class="{prefix}-most"><h2>{title}</h2><ol>{"".join(items)}</ol></aside>'


def _render_comments(rng: Random, language: AnyLanguage, labels: Mapping[str, str], prefix: str) -> str:
    items = []
    for _ in range(int(rng.random() * 5)):
        text = " ".join(language.body(rng, sentences=1 + int(rng.random() * 2)))
        name = escape(language.name(rng))
        items.append(f'<li><b>{name}</b> <p>{escape(text)}</p> <a href="#reply">{labels["reply"]}</a></li>')
    title = f"{labels['comments']} ({len(items)})"
    return f'<section class="{prefix}-comments"><h2>{title}</h2><ul>{"".join(items)}</ul></section>'
