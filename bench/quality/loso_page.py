"""docs/research/loso.md, of the figures that `loso` measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

__all__ = ["format_percent", "format_table", "render_page"]

Row = Mapping[str, Any]

TITLE = """\
# Quality on sources not seen before

Written by `bench/quality/loso.py` (`make loso`). Articles of 55 sources and items of 12 feeds, in 24 languages, 10 to 40
of each, read in full; the archives cannot be published. Leave one publisher out: what a method fits (weights, thresholds,
tables) it fits on annotated articles and labelled strings of other publishers. Sources of one publisher are left out
together. Per cent of characters, means over sources.

- **recall**: removed template text / all template text. **precision**: removed template text / (that + removed content).
- **content lost**: removed content / all content. **wounds**: places in 100 articles at which letters or digits of content
  are removed. **At worst**: in the source where it is greatest.
- **whole**: removed boilerplate / all boilerplate, that with other words in every article (bylines, related headlines)
  included. **torn**: of the stretches of boilerplate that are cut at all, those cut in part.
- What some keep and others remove (captions that describe, notes) is not counted.
- Sources with fewer than 100 characters of template text among their annotated articles count in content lost and wounds
  alone.
- In brackets: 95 % interval of 2,000 bootstrap draws of sources.
- **articles of the archive**: they are part of what is learnt from; **new articles**: they are not. A feed of annotated
  items alone has no new ones.
- **glued**: the median article is one line, or articles have more than one glue point each, where a parser lost a line
  break: the end of a sentence, a closing bracket or quote, or two small letters, and a capital and a small letter right
  behind.
"""

ARMS = {"all": "Articles of the archive", "held out": "New articles"}
PARTS = {"articles": "sources of articles", "feeds": "feeds"}
REFERENCE, OURS = "frequent sentences", "learned"
COLUMNS = {
    "recall": ("recall", 1),
    "precision": ("precision", 1),
    "f1": ("F1", 1),
    "loss": ("content lost", 2),
    "worst loss": ("at worst", 1),
    "wounds": ("wounds", 1),
    "worst wounds": ("at worst", 0),
    "whole": ("whole", 1),
    "torn": ("torn", 1),
}
"""Figure -> head and decimals."""
WITH_INTERVALS = ("f1", "loss", "wounds", "whole", "torn")
GROUP_FIGURES = ("f1", "loss", "wounds", "whole", "torn")


def render_page(found: Mapping[str, Any]) -> str:
    """The page."""
    rows, head = found["rows"], found["head"]
    lines = [TITLE]
    for arm, title in ARMS.items():
        lines += [f"## {title}", ""]
        for part, name in PARTS.items():
            number, judged = (rows[0][arm][part][count] for count in ("sources", "judged"))
            lines += [f"{number} {name}, {judged} of them with template text:", ""]
            lines += [*_format_arm(rows, arm, part), ""]
    for figure in GROUP_FIGURES:
        lines += [f"## By group: {COLUMNS[figure][0]}", "", *_format_groups(rows, figure), ""]
    lines += ["## By kind of boilerplate", "", *_format_kinds(rows), ""]
    if "asked" in found:
        lines += ["## Questions answered", "", *_format_answers(found["asked"]), ""]
    lines += ["## By source", "", *_format_sources(rows, found["groups"]), ""]
    lines += [f"- {row['method']}: {row['note']}." for row in rows if row["note"]]
    lines += ["", *_format_head(head)]
    return "\n".join(lines).rstrip() + "\n"


def _format_head(head: Row) -> Iterator[str]:
    sources = head["sources"]
    yield f"Fitted to {sources['fitted']} sources of {sources['publishers']} publishers, with {sources['labelled']:,} labelled"
    yield f"strings; at most {sources['documents']:,} documents of a source are taken (2,500 items of a feed): those with"
    yield "annotations, and of the others those whose ids have the least hashes."
    yield f"{head['date']}, `{head['command']}`, code {head['code']}; {head['python']}; {head['processor']};"
    yield f"{head['seconds'] / 60:.0f} minutes, while other work ran on the machine."


def _format_arm(rows: Sequence[Row], arm: str, part: str) -> Iterator[str]:
    cells = []
    for row in rows:
        own = row[arm][part]
        cells.append([row["method"], *_format_figures(own).values(), _format_ahead(own.get("ahead"))])
    yield from format_table(["method", *(head for head, _ in COLUMNS.values()), f"F1 ahead of {REFERENCE}"], cells)


def _format_figures(own: Row) -> dict[str, str]:
    figures = {name: _format_figure(own[name], name) for name in COLUMNS}
    for name in WITH_INTERVALS:
        sides = own["intervals"][name]
        if sides is not None:
            figures[name] += f" ({_format_figure(sides[0], name)} to {_format_figure(sides[1], name)})"
    return figures


def _format_groups(rows: Sequence[Row], figure: str) -> Iterator[str]:
    count = "sources" if figure in ("loss", "wounds") else "judged"
    heads = [f"{name} ({one[count]})" for name, one in rows[0]["all"]["groups"].items()]
    cells = []
    for row in rows:
        for arm, title in ARMS.items():
            groups = [_format_figure(one[figure], figure) for one in row[arm]["groups"].values()]
            cells.append([f"{row['method']}, {title.lower()}", *groups])
    yield from format_table(["method", *heads], cells)


def _format_kinds(rows: Sequence[Row]) -> Iterator[str]:
    yield "Share of template and dynamic text of a kind that is removed, in articles of the archive; means over sources.\n"
    for part, name in PARTS.items():
        kinds = rows[0]["all"]["kinds"][part]
        heads = [f"{kind} ({sources})" for kind, (_, sources, _) in kinds.items()]
        cells = [
            [row["method"], *(format_percent(row["all"]["kinds"][part][kind][0], 0) for kind in kinds)] for row in rows
        ]
        yield from format_table([name, *heads], cells)
        yield ""


def _format_answers(found: Row) -> Iterator[str]:
    yield (
        "`templatemine ask`, simulated: half of the annotated articles of a source answer the questions of its pack, as a\n"
        "person would who looks at them, and the other half is judged; both ways round.  Strings that are in no annotated\n"
        f"article are passed over, so that {found['given']:.1f} questions a source are answered, ten at most.\n"
    )
    cells = []
    for one in found["blocks"]:
        groups = [_format_figure(group["f1"], "f1") for group in one["groups"].values()]
        cells.append([str(one["answers"]), *_format_figures(one).values(), _format_ahead(one["ahead"]), *groups])
    groups = [f"F1, {name}" for name in found["blocks"][0]["groups"]]
    heads = ["answers", *(head for head, _ in COLUMNS.values()), "F1 ahead of no answers", *groups]
    yield from format_table(heads, cells)


def _format_sources(rows: Sequence[Row], groups: Mapping[str, Sequence[str]]) -> Iterator[str]:
    by_method = {row["method"]: row["all"]["sources"] for row in rows}
    ours = by_method.get(OURS, rows[-1]["all"]["sources"])
    reference = by_method.get(REFERENCE, rows[0]["all"]["sources"])
    yield f"`{OURS}`, articles of the archive; the hardest first.  The last column is F1 of {REFERENCE}.\n"

    def hardest(name: str) -> tuple[bool, float]:
        f1 = ours[name]["f1"]
        return f1 is None, -ours[name]["wounds"] if f1 is None else f1

    cells = [
        [
            name,
            ", ".join(groups[name]),
            *(_format_figure(ours[name][figure], figure) for figure in GROUP_FIGURES),
            _format_figure(reference[name]["f1"], "f1"),
        ]
        for name in sorted(ours, key=hardest)
    ]
    heads = ["source", "groups", *(COLUMNS[figure][0] for figure in GROUP_FIGURES), "reference"]
    yield from format_table(heads, cells)


def format_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A table in Markdown, all but its first column to the right."""
    yield "| " + " | ".join(heads) + " |"
    yield "|---|" + "---:|" * (len(heads) - 1)
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def _format_figure(value: float | None, name: str) -> str:
    """Wounds are a number in 100 articles, all others are shares."""
    digits = COLUMNS[name][1]
    return format_percent(None if value is None else value / 100 if name.endswith("wounds") else value, digits)


def format_percent(value: float | None, digits: int) -> str:
    """A share in per cent, without a minus before 0."""
    return "–" if value is None else f"{100 * value:.{digits}f}".replace("-0.0", "0.0")


def _format_ahead(found: Row | None) -> str:
    if found is None or found["f1"] is None:
        return ""
    return f"{100 * found['f1']:+.1f} ({100 * found['interval'][0]:+.1f} to {100 * found['interval'][1]:+.1f})"
