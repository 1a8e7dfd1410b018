"""Records -> RESULTS.md: the claims, the rows where we lose, and a table of each figure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from harness import Claim, Figure, explain_failure

__all__ = ["list_losses", "render_results"]

Record = Mapping[str, Any]

MIN_PROCESSOR_SHARE = 0.9
"""A row whose runs got less than this of a processor had to wait for others, or for the disk."""

# Fact of a record -> head of its column.
HEADS = {
    "data": "archive",
    "variant": "",
    "contender": "contender",
    "megabytes": "MB",
    "runs": "runs",
    "min_s": "min s",
    "median_s": "median s",
    "mb_per_s": "MB/s",
    "mb_per_s_best": "best MB/s",
    "times": "ours / this",
    "peak_memory_mb": "peak MB",
}
TEXT = ("data", "variant", "contender")


def render_results(
    figures: Iterable[Figure], records: Sequence[Record], facts: Mapping[str, str], notes: Sequence[str]
) -> str:
    """The whole page.

    Parameters
    ----------
    figures : iterable of Figure
        In the order of the page; those without records are left out.
    records : sequence of mappings
    facts : mapping
        Date, command, machine, versions.
    notes : sequence of str
        What the archives are, and whatever else a reader must know.
    """
    own = {figure: [row for row in records if row["figure"] == figure.name] for figure in figures}
    own = {figure: rows for figure, rows in own.items() if rows}
    parts = [
        "# Results",
        "Written by `bench/run.py`; README.md beside it says how to read them.",
        "\n".join(f"- **{name}**: {value}" for name, value in facts.items()),
        "\n".join(f"- {note}" for note in [*notes, *_note_crowded_rows(records)]),
        "## What was asked",
        "\n".join(_format_claims(own)),
        "## Where we lose",
        "\n".join(list_losses(own) or ["Nowhere, in these rows."]),
    ]
    for figure, rows in own.items():
        parts += [f"## {figure.title}", figure.description, "\n".join(_format_table(figure, rows))]
    return "\n\n".join(part for part in parts if part) + "\n"


def _note_crowded_rows(records: Sequence[Record]) -> Iterator[str]:
    waited = [row for row in records if row.get("processor_share", 1) < MIN_PROCESSOR_SHARE]
    if waited:
        least = min(row["processor_share"] for row in waited)
        yield (
            f"In {len(waited)} of {len(records)} rows the runs got less than {MIN_PROCESSOR_SHARE:.0%} of a processor (least: "
            f"{least:.0%}), so something else was running, or the disk was slow: repeat before you quote."
        )


# -------------------------------------------------------------------------------------------------------------- claims


def _list_groups(rows: Sequence[Record]) -> list[str]:
    return list(dict.fromkeys(row["data"] for row in rows))


def _judge_claims(
    own: Mapping[Figure, Sequence[Record]],
) -> Iterator[tuple[Figure, str, Claim, float | None, float | None]]:
    for figure, rows in own.items():
        for claim in figure.claims:
            for data in _list_groups(rows):
                here = [row for row in rows if row["data"] == data]
                yield figure, data, claim, claim.evaluate(here), claim.evaluate(here, best=True)


def _format_claims(own: Mapping[Figure, Sequence[Record]]) -> Iterator[str]:
    yield from _format_head(["figure", "archive", "claim", "goal", "by medians", "by minima", ""], "lllrrrl")
    for figure, data, claim, middle, best in _judge_claims(own):
        verdict = "not measured" if middle is None else "reached" if claim.is_met(middle) else "**short**"
        yield _format_row(
            [figure.name, data, claim.text, _format_goal(claim), _format_number(middle), _format_number(best), verdict]
        )


def _format_goal(claim: Claim) -> str:
    return f"{'>=' if claim.at_least else '<='} {_format_number(claim.goal)} {claim.unit}".rstrip()


def list_losses(own: Mapping[Figure, Sequence[Record]]) -> list[str]:
    """Lines about claims that are not met, and about rows that are faster than ours."""
    lines = [
        f"- {figure.name}, {data}: {claim.text}: {_format_number(middle)}, asked {_format_goal(claim)}"
        for figure, data, claim, middle, _ in _judge_claims(own)
        if middle is not None and not claim.is_met(middle)
    ]
    for figure, rows in own.items():
        for row in rows:
            times = _compare_speed(figure, rows, row)
            if times is not None and times < 1 and not row["contender"].startswith("templatemine"):
                where = ", ".join(part for part in (figure.name, row["data"], row["variant"]) if part)
                lines.append(f"- {where}: {row['contender']} is {_format_number(1 / times)} times as fast as we are")
    return lines


# -------------------------------------------------------------------------------------------------------------- tables


def _format_table(figure: Figure, rows: Sequence[Record]) -> Iterator[str]:
    filled = [{**row, "times": _compare_speed(figure, rows, row)} for row in rows]
    columns = [name for name in (*HEADS, *figure.columns) if any(row.get(name) not in (None, "") for row in filled)]
    heads = [HEADS.get(name, name.replace("_mb", " MB").replace("_s", " s").replace("_", " ")) for name in columns]
    yield from _format_head([*heads, "note"], "".join("l" if name in TEXT else "r" for name in columns) + "l")
    for row in filled:
        cells = [str(row[name]) if name in TEXT else _format_number(row.get(name)) for name in columns]
        yield _format_row([*cells, explain_failure(row) or _format_note(row)])


def _format_note(row: Record) -> str:
    share = row.get("processor_share", 1)
    return f"got {share:.0%} of a processor" if share < MIN_PROCESSOR_SHARE else ""


def _compare_speed(figure: Figure, rows: Sequence[Record], row: Record) -> float | None:
    """Speed of the reference in the same archive and variant, as a multiple of this row's."""
    for other in rows:
        if other["contender"] == figure.reference and all(other[name] == row[name] for name in ("data", "variant")):
            ours, its = other.get("mb_per_s"), row.get("mb_per_s")
            return ours / its if other is not row and ours and its else None
    return None


def _format_head(names: Sequence[str], sides: str) -> Iterator[str]:
    yield _format_row(names)
    yield _format_row(["---:" if side == "r" else "---" for side in sides])


def _format_row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _format_number(value: float | str | None) -> str:
    """Three digits that count, more in front of the point."""
    if value is None or isinstance(value, str):
        return value or ""
    if value == int(value) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"
