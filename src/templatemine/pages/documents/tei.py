"""Nodes and metadata -> TEI P5.

A heading begins a division, which holds the text up to the next heading of its level or above, as TEI has it; headings
in items, quotes and cells are ``<ab type="head">``; boilerplate that a choice of kinds keeps is a ``<note>`` with its
kind as type.  Characters that XML 1.0 forbids become U+FFFD.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from templatemine._version import __version__
from templatemine.pages.metadata import Metadata
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
    StyledRuns,
    Table,
    TextRun,
    nest_runs,
)

RENDERED = {
    Style.STRONG: "bold",
    Style.EMPHASIS: "italic",
    Style.UNDERLINE: "underline",
    Style.DELETED: "strikethrough",
    Style.SUBSCRIPT: "subscript",
    Style.SUPERSCRIPT: "superscript",
}
"""Values of ``@rend``."""

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_WORD = re.compile(r"\s+")
_DAY = re.compile(r"^\d{4}(?:-\d\d(?:-\d\d(?:T.+)?)?)?$")

HEAD = """\
<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0"{language}>
"""


def nodes_to_tei(nodes: Sequence[Node], metadata: Metadata, comments: Sequence[Node] = ()) -> str:
    """Return a document of TEI, a line feed at its end."""
    language = f' xml:lang="{_value(metadata.language)}"' if metadata.language else ""
    lines = [*_header(metadata), "<text>", "<body>", '<div type="entry">', *_divisions(nodes), "</div>"]
    if comments:
        lines += ['<div type="comments">', *_flat(comments), "</div>"]
    return HEAD.format(language=language) + "\n".join([*lines, "</body>", "</text>", "</TEI>", ""])


# -------------------------------------------------------------------------------------------------------------- header


def _header(metadata: Metadata) -> Iterator[str]:
    yield "<teiHeader>"
    yield "<fileDesc>"
    yield "<titleStmt>"
    yield f'<title type="main">{_text(metadata.title or "")}</title>'
    yield from (f"<author>{_text(author)}</author>" for author in metadata.authors)
    yield "</titleStmt>"
    yield from _publication(metadata)
    yield "<sourceDesc>"
    yield "<bibl>"
    yield f"<title>{_text(metadata.title or '')}</title>"
    yield from (f"<author>{_text(author)}</author>" for author in metadata.authors)
    if metadata.site:
        yield f"<publisher>{_text(metadata.site)}</publisher>"
    if metadata.date:
        yield _date(metadata.date)
    if metadata.url:
        yield f'<idno type="URI">{_text(metadata.url)}</idno>'
    yield "</bibl>"
    yield "</sourceDesc>"
    yield "</fileDesc>"
    yield "<encodingDesc>"
    yield "<appInfo>"
    version = __version__.partition("+")[0]
    yield f'<application version="{version}" ident="templatemine"><label>templatemine</label></application>'
    yield "</appInfo>"
    yield "</encodingDesc>"
    yield from _profile(metadata)
    yield "</teiHeader>"


def _publication(metadata: Metadata) -> Iterator[str]:
    yield "<publicationStmt>"
    if metadata.site:
        yield f"<publisher>{_text(metadata.site)}</publisher>"
        if metadata.date:
            yield _date(metadata.date)
        if metadata.licence:
            target = f' target="{_pointer(metadata.licence)}"' if "://" in metadata.licence else ""
            yield f"<availability><licence{target}>{_text(metadata.licence)}</licence></availability>"
    else:  # TEI asks for a publisher before all else
        yield f"<p>{_text(metadata.licence or '')}</p>"
    yield "</publicationStmt>"


def _profile(metadata: Metadata) -> Iterator[str]:
    terms = [*(("category", term) for term in metadata.categories), *(("tag", term) for term in metadata.tags)]
    if metadata.kind:
        terms.append(("kind", metadata.kind))
    if not (metadata.description or metadata.language or terms):
        return
    yield "<profileDesc>"
    if metadata.description:
        yield f"<abstract><p>{_text(metadata.description)}</p></abstract>"
    if metadata.language:
        yield f'<langUsage><language ident="{_value(metadata.language)}"/></langUsage>'
    if terms:
        yield "<textClass>"
        yield "<keywords>"
        yield from (f'<term type="{kind}">{_text(term)}</term>' for kind, term in terms)
        yield "</keywords>"
        yield "</textClass>"
    yield "</profileDesc>"


def _date(date: str) -> str:
    when = f' when="{_value(date)}"' if _DAY.match(date) else ""
    return f"<date{when}>{_text(date)}</date>"


# ---------------------------------------------------------------------------------------------------------------- text


def _divisions(nodes: Iterable[Node]) -> Iterator[str]:
    """Write nodes in divisions, which headings begin."""
    levels: list[int] = []
    for node in nodes:
        if not isinstance(node, Heading):
            yield from _node(node)
            continue
        while levels and levels[-1] >= node.level:
            levels.pop()
            yield "</div>"
        levels.append(node.level)
        yield "<div>"
        yield f"<head>{_inlines(node.inlines)}</head>"
    yield from ["</div>"] * len(levels)


def _flat(nodes: Iterable[Node]) -> Iterator[str]:
    for node in nodes:
        yield from _node(node)


def _node(node: Node) -> Iterator[str]:
    match node:
        case Heading():
            yield f'<ab type="head" rend="h{node.level}">{_inlines(node.inlines)}</ab>'
        case Paragraph() if node.kind:
            yield f'<note type="{_value(node.kind)}">{_inlines(node.inlines)}</note>'
        case Paragraph():
            yield f"<p>{_inlines(node.inlines)}</p>"
        case Code():
            language = f' lang="{_value(_WORD.sub("", node.language))}"' if node.language else ""
            yield f'<ab type="code"><code{language} xml:space="preserve">{_text(node.text)}</code></ab>'
        case Quote():
            yield "<quote>"
            yield from _flat(node.children)
            yield "</quote>"
        case List():
            kind = f' rend="numbered"{_start(node)}' if node.ordered else ' rend="bulleted"'
            yield f"<list{kind}>"
            for item in node.items:
                yield from _item(item)
            yield "</list>"
        case Table():
            yield from _table(node)


def _start(node: List) -> str:
    return f' n="{node.start}"' if node.start != 1 else ""


def _item(item: Sequence[Node]) -> Iterator[str]:
    if len(item) == 1 and isinstance(item[0], Paragraph) and not item[0].kind:
        yield f"<item>{_inlines(item[0].inlines)}</item>"
        return
    yield "<item>"
    yield from _flat(item)
    yield "</item>"


def _table(node: Table) -> Iterator[str]:
    yield "<table>"
    if node.caption:
        yield f"<head>{_inlines(node.caption)}</head>"
    for row in node.rows:
        heads = ' role="label"' if all(cell.header for cell in row) else ""
        yield f"<row{heads}>"
        yield from (_cell(cell) for cell in row)
        yield "</row>"
    yield "</table>"


def _cell(cell: Cell) -> str:
    attributes = ' role="label"' if cell.header else ""
    attributes += f' cols="{cell.columns}"' if cell.columns > 1 else ""
    attributes += f' rows="{cell.rows}"' if cell.rows > 1 else ""
    return f"<cell{attributes}>{_inlines(cell.inlines)}</cell>"


def _inlines(inlines: Sequence[Inline]) -> str:
    return _runs(nest_runs(inlines))


def _runs(runs: Iterable[StyledRuns | Inline]) -> str:
    return "".join(_run(run) for run in runs)


def _run(run: StyledRuns | Inline) -> str:
    match run:
        case StyledRuns() if run.link:
            return f'<ref target="{_pointer(run.link)}">{_runs(run.inner)}</ref>'
        case StyledRuns():
            return f'<hi rend="{RENDERED[run.style]}">{_runs(run.inner)}</hi>'
        case LineBreak():
            return "<lb/>"
        case Image():
            description = f"<figDesc>{_text(run.alt)}</figDesc>" if run.alt else ""
            return f'<figure><graphic url="{_pointer(run.url)}"/>{description}</figure>'
        case TextRun():
            return f"<code>{_text(run.text)}</code>" if run.style & Style.CODE else _text(run.text)


def _text(text: str) -> str:
    """Escape the text of an element."""
    allowed = _FORBIDDEN.sub("\ufffd", text)
    return allowed.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")


def _value(text: str) -> str:
    """Escape the value of an attribute."""
    return _text(text).replace('"', "&quot;").replace("\n", " ").replace("\t", " ")


def _pointer(url: str) -> str:
    """Return an address as the value of an attribute, in which TEI allows no white space."""
    return _value(_WORD.sub("%20", url.strip()))
