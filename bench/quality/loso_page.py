"""docs/research/loso.md, of the figures that `loso` measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

__all__ = ["render_page"]

Row = Mapping[str, Any]

TITLE = """\
# Quality on sources not seen before

Written by `bench/quality/loso.py` (`make loso`). Annotated articles of 35 sources in eleven languages, 12 to 20 each, read
in full; the archives cannot be published. Leave one publisher out: what a method fits (weights, thresholds, tables) it fits
on sources of other publishers. Per cent of characters, means over sources.

- **recall**: removed template text / all template text. **precision**: removed template text / (that + removed content).
- **content lost**: removed content / all content; **at worst**: in the source where it is greatest.
- **whole**: removed boilerplate / all boilerplate, that with other words in every article (bylines, related headlines)
  included. **torn**: of the stretches of boilerplate that are cut at all, those cut in part.
- Sources with fewer than 100 characters of template text among their annotated articles count in content lost alone.
- In brackets: 95 % interval of 2,000 bootstrap draws of sources.
- **articles of the archive**: they are part of what is learnt from; **new articles**: they are not.
- Until 2026-11-23 a ladder of 85 rules decided, made with eight of the sources in view. On the 27 others it had, in articles
  of the archive, F1 78.6, content lost 0.33, whole 54.2, torn 19.2; in new articles, F1 79.7, content lost 0.27.
"""

ARMS = {"all": "Articles of the archive", "held out": "New articles"}
SUBSET_NOTES = {"all": "", "unseen": ", those that those rules were not made with"}
COLUMNS = {
    "recall": ("recall", 1),
    "precision": ("precision", 1),
    "f1": ("F1", 1),
    "loss": ("content lost", 2),
    "worst loss": ("at worst", 1),
    "whole": ("whole", 1),
    "torn": ("torn", 1),
}
"""Figure -> head and decimals."""


def render_page(found: Mapping[str, Any]) -> str:
    """The page."""
    rows, head = found["rows"], found["head"]
    lines = [TITLE]
    for arm, title in ARMS.items():
        lines += [f"## {title}", ""]
        for which in ("unseen", "all"):
            number, judged = (rows[0][arm][which][name] for name in ("sources", "judged"))
            lines += [f"{number} sources, {judged} of them with template text{SUBSET_NOTES[which]}:", ""]
            lines += [*_format_arm(rows, arm, which), ""]
    lines += ["## F1 by group of sources", "", *_format_groups(rows), ""]
    if "asked" in found:
        lines += ["## Questions answered", "", *_format_answers(found["asked"]), ""]
    lines += ["## By source", "", *_format_sources(rows), ""]
    lines += [f"- {row['method']}: {row['note']}." for row in rows if row["note"]]
    seconds = sum(row[arm]["seconds"] for row in rows for arm in ARMS)
    lines += ["", f"{head['date']}, `{head['command']}`, code {head['code']}; {head['python']}; {head['processor']};"]
    lines += [f"{seconds / 60:.0f} minutes, while other work ran on the machine."]
    return "\n".join(lines).rstrip() + "\n"


def _format_arm(rows: Sequence[Row], arm: str, which: str) -> Iterator[str]:
    cells = []
    for row in rows:
        own = row[arm][which]
        figures = {name: _format_percent(own[name], digits) for name, (_, digits) in COLUMNS.items()}
        for name in ("f1", "loss"):
            figures[name] += _format_interval(own["intervals"][name], COLUMNS[name][1])
        cells.append([row["method"], *figures.values(), _format_ahead(own.get("ahead"))])
    yield from _format_table(
        ["method", *(head for head, _ in COLUMNS.values()), f"F1 ahead of {rows[0]['method']}"], cells
    )


def _format_groups(rows: Sequence[Row]) -> Iterator[str]:
    first = rows[0]["all"]
    heads = [f"{name} ({one['judged']})" for name, one in first["groups"].items()]
    cells = []
    for row in rows:
        for arm, title in ARMS.items():
            own = row[arm]
            groups = [_format_percent(one["f1"], 1) for one in own["groups"].values()]
            cells.append([f"{row['method']}, {title.lower()}", *groups, _format_percent(own["clean"], 2)])
    yield from _format_table(["method", *heads, "content lost, sources without template text"], cells)


def _format_answers(found: Row) -> Iterator[str]:
    yield (
        "`templatemine ask`, simulated: half of the annotated articles of a source answer the questions of its pack, as a\n"
        "person would who looks at them, and the other half is judged; both ways round.  Strings that are in no annotated\n"
        f"article are passed over, so that {found['given']:.1f} questions a source are answered, ten at most.\n"
    )
    cells = []
    for one in found["blocks"]:
        figures = {name: _format_percent(one[name], digits) for name, (_, digits) in COLUMNS.items()}
        figures["f1"] += _format_interval(one["intervals"]["f1"], 1)
        groups = [_format_percent(group["f1"], 1) for group in one["groups"].values()]
        cells.append([str(one["answers"]), *figures.values(), _format_ahead(one["ahead"]), *groups])
    groups = [f"F1, {name}" for name in found["blocks"][0]["groups"]]
    heads = ["answers", *(head for head, _ in COLUMNS.values()), "F1 ahead of no answers", *groups]
    yield from _format_table(heads, cells)


def _format_sources(rows: Sequence[Row]) -> Iterator[str]:
    yield "F1 / content lost, articles of the archive; the hardest for the last method first.\n"
    last = rows[-1]["all"]["sources"]

    def hardest(name: str) -> tuple[bool, float]:
        f1 = last[name]["f1"]
        return f1 is None, -last[name]["loss"] if f1 is None else f1

    cells = []
    for name in sorted(last, key=hardest):
        both = [row["all"]["sources"][name] for row in rows]
        cells.append([name, *(f"{_format_percent(one['f1'], 1)} / {_format_percent(one['loss'], 2)}" for one in both)])
    yield from _format_table(["source", *(row["method"] for row in rows)], cells)


def _format_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(heads) + " |"
    yield "|---|" + "---:|" * (len(heads) - 1)
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def _format_percent(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{100 * value:.{digits}f}".replace("-0.0", "0.0")


def _format_interval(sides: Sequence[float] | None, digits: int) -> str:
    return "" if sides is None else f" ({_format_percent(sides[0], digits)} to {_format_percent(sides[1], digits)})"


def _format_ahead(found: Row | None) -> str:
    if found is None or found["f1"] is None:
        return ""
    return f"{100 * found['f1']:+.1f} ({100 * found['interval'][0]:+.1f} to {100 * found['interval'][1]:+.1f})"
