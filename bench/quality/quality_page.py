"""docs/research/quality.md, of the rows that `run` measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

__all__ = ["render_page"]

Row = Mapping[str, Any]
Section = Mapping[str, Any]

TITLE = """\
# Quality

templatemine beside other systems, written by `bench/quality/run.py`. The archives cannot be published; their digests, and
a floor for each figure, are in `tests/quality/floors.toml`. Trials and measures: [evaluation.md](../evaluation.md). Bold is
the best of a column. The models that ship were trained on the annotated articles, among others, so these figures of
articles flatter them: [loso.md](loso.md) has those of publishers that a model has not seen.
"""

PUBLISHED = (
    ("WCP, winner of CleanEval (published)", 0.8410, 0.6530, None),
    ("BTE (published)", 0.8728, 0.8540, 0.8342),
    ("WC Cleaner, single file (published)", 0.9083, 0.7976, 0.8124),
)
"""Table 3.1 of Baisa, Web Content Cleaning, 2009."""


def render_page(found: Mapping[str, Section]) -> str:
    """The page; a section that was never measured is said to be missing."""
    lines = [TITLE]
    for name, write in WRITERS.items():
        if name in found:
            section = found[name]
            lines += [*write(section["rows"]), "", *_format_head(section["head"], section["rows"]), ""]
        else:
            lines += [f"## {name}", "", f"not measured: python bench/quality/run.py --only {name}", ""]
    return "\n".join(lines).rstrip() + "\n"


def _format_head(head: Mapping[str, str], rows: Sequence[Row]) -> Iterator[str]:
    earlier = [row["contender"] for row in rows if row.get("measured", head["date"]) != head["date"]]
    kept = f" Measured earlier: {', '.join(earlier)}." if earlier else ""
    yield f"{head['date']}, `{head['command']}`, code {head['code']}; {head['python']}; {head['processor']}. {LOAD_NOTE}{kept}"


LOAD_NOTE = "The machine had other load: compare speeds only with each other."


# -------------------------------------------------------------------------------------------------------------- tables


def _format_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(heads) + " |"
    yield "|---|" + "---:|" * (len(heads) - 1)
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def _format_percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f}".replace("-0.0", "0.0")


def _format_fine_percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.2f}"


def _format_speed(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}" if value >= 10 else f"{value:.1f}"


def _format_decimal(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


Column = tuple[str, Callable[[Row], float | None], Callable[[float | None], str], int]
"""Head, value of a row, how it is written, and 1 or -1 if more or less is better, 0 if neither."""


TRAINING_SETS: Mapping[str, Sequence[str]] = dict.fromkeys(
    ("templatemine, default", "templatemine, page model alone", "templatemine, shallow", "templatemine, crf"),
    ("scrapinghub", "wcxb"),
)
"""Contender -> sets that it is trained on."""


def _format_columns(first: str, columns: Sequence[Column], rows: Sequence[Row]) -> Iterator[str]:
    """A table of contenders, the best of each column in bold, missing ones said to be missing.  What a contender reaches
    on what it is trained on stands in brackets, and is never the best."""
    best: dict[str, float] = {}
    for head, get, _, better in columns:
        there = [row for row in rows if "missing" not in row and head not in TRAINING_SETS.get(row["contender"], ())]
        values = [value for row in there if (value := get(row)) is not None]
        if better and values:
            best[head] = max(values) if better > 0 else min(values)
    cells = []
    for row in rows:
        name = row["contender"] + "".join(f" ({one})" for one in [", ".join(row.get("versions", ()))] if one)
        if "missing" in row:
            cells.append([name, row["missing"], *[""] * (len(columns) - 1)])
            continue
        seen = TRAINING_SETS.get(row["contender"], ())
        cells.append(
            [
                name,
                *(
                    _format_cell(write(get(row)), get(row) == best.get(head), head in seen)
                    for head, get, write, _ in columns
                ),
            ]
        )
    yield from _format_table([first, *(head for head, *_ in columns)], cells)


def _format_notes(rows: Sequence[Row]) -> Iterator[str]:
    notes = [f"{row['contender']}: {row['note']}" for row in rows if row.get("note")]
    if notes:
        yield "\n" + "; ".join(notes) + "."


def _format_cell(text: str, best: bool, seen: bool) -> str:
    if seen:
        return f"({text})" if text else text
    return f"**{text}**" if best and text else text


def _value_getter(name: str) -> Callable[[Row], float | None]:
    return lambda row: row.get(name)


# ------------------------------------------------------------------------------------------------------------ sections


SPANS: tuple[Column, ...] = (
    ("recall", _value_getter("recall"), _format_percent, 1),
    ("precision", _value_getter("precision"), _format_percent, 1),
    ("F1", _value_getter("f1"), _format_percent, 1),
    ("content lost", _value_getter("loss"), _format_fine_percent, -1),
    ("at worst", _value_getter("worst loss"), _format_fine_percent, -1),
)


def _write_texts(rows: Sequence[Row]) -> Iterator[str]:
    yield "## Articles as text\n"
    yield "Annotated articles of eight sources (English, Japanese, Arabic), 20 each; each method learns from all 31,927"
    yield "articles of their archives. Per cent of characters, means over sources. fakebr is an archive with next to no"
    yield "boilerplate: nearly all that is removed from it is false. Speeds are of one core, over all articles.\n"
    speeds: tuple[Column, ...] = (
        ("cut of fakebr", _value_getter("cut of fakebr"), _format_fine_percent, -1),
        ("learn, MB/s", _value_getter("learn MB/s"), _format_speed, 1),
        ("clean, MB/s", _value_getter("clean MB/s"), _format_speed, 1),
    )
    yield from _format_columns("method", [*SPANS, *speeds], rows)
    yield from _format_notes(rows)
    yield "\nF1 by source (sources with boilerplate):\n"
    yield from _format_columns("method", _make_source_columns(rows), rows)


def _make_source_columns(rows: Sequence[Row]) -> list[Column]:
    names = next((row["sources"] for row in rows if "sources" in row), {})
    return [
        (name, lambda row, name=name: row["sources"][name], _format_percent, 1)
        for name, value in names.items()
        if value is not None
    ]


def _write_ablation(rows: Sequence[Row]) -> Iterator[str]:
    yield "## What each step brings\n"
    yield "The same articles, with one step of the default method switched off (`bench/quality/ablations.toml`). The last"
    yield "column is the loss of F1, in points.\n"
    whole = rows[0]["f1"]
    cost: Column = ("F1 lost", lambda row: whole - row["f1"], _format_percent, 0)
    yield from _format_columns("learned", [*((head, get, write, 0) for head, get, write, _ in SPANS), cost], rows)


def _write_pages(rows: Sequence[Row]) -> Iterator[str]:
    sets = next((row["sets"] for row in rows if "sets" in row), {})
    yield "## Pages\n"
    yield "F1 over words of the main text, means over pages, in per cent. Sets with a page history (folds in brackets): four"
    yield "fifths of the pages are mined, the other fifth is cleaned, five times. The other sets have a page or two per site,"
    yield "and no history. Other extractors use each page alone."
    yield "Figures in brackets are of pages that a system is trained on; they are never bold ([pages.md](../pages.md) has"
    yield "cross-validated ones of our page model: 95.3 and 94.0). [Tests of others](suites.md).\n"
    columns = [(f"{name} ({one['folds']})" if one["folds"] > 1 else name, name) for name, one in sets.items()]
    yield from _format_columns(
        "F1", [(head, _set_value_getter(name, "f1"), _format_percent, 1) for head, name in columns], rows
    )
    yield from _format_notes(rows)
    for what in ("precision", "recall"):
        yield f"\n{what.capitalize()}:\n"
        yield from _format_columns(
            what, [(head, _set_value_getter(name, what), _format_percent, 1) for head, name in columns], rows
        )
    yield "\nSpeed, MB of HTML per second on one core:\n"
    timed = [name for name in ("crawl_to_the_future", "dragnet", "wcxb") if name in sets]
    speeds: list[Column] = [
        (f"clean, {name}", _set_value_getter(name, "clean MB/s"), _format_speed, 1) for name in timed
    ]
    speeds += [(f"learn, {name}", _set_value_getter(name, "learn MB/s"), _format_speed, 0) for name in timed[:2]]
    yield from _format_columns("speed", speeds, rows)
    yield from _write_cleaneval(rows)


def _write_page_ablation(rows: Sequence[Row]) -> Iterator[str]:
    yield "## What each step brings to pages\n"
    yield "The sets with a page history, five folds, in per cent of words; the last columns are the loss of F1, in points.\n"
    names = list(rows[0]["sets"])
    columns: list[Column] = [
        (f"{what}, {name}", _set_value_getter(name, key), _format_percent, 0)
        for name in names
        for what, key in (("F1", "f1"), ("precision", "precision"), ("recall", "recall"))
    ]
    for name in names:
        whole = rows[0]["sets"][name]["f1"]
        columns.append(
            (f"lost, {name}", lambda row, name=name, whole=whole: whole - row["sets"][name]["f1"], _format_percent, 0)
        )
    yield from _format_columns("learned", columns, rows)


def _write_extracted(rows: Sequence[Row]) -> Iterator[str]:
    yield "## What extractors leave of pages\n"
    yield "Texts that extractors made of pages, unchanged, and cleaned with packs that were mined from the texts of the other"
    yield "four fifths of the pages. Per cent of words. The gold texts include headlines, bylines and dates, and no"
    yield "comments, so that neither recall nor precision can reach 100.\n"
    sets = next((row["sets"] for row in rows if "sets" in row), {})
    for what, head in (("f1", "F1"), ("recall", "recall"), ("precision", "precision")):
        yield from _format_columns(
            head, [(name, _set_value_getter(name, what), _format_percent, 1) for name in sets], rows
        )
        yield ""


def _set_value_getter(name: str, what: str) -> Callable[[Row], float | None]:
    return lambda row: row["sets"].get(name, {}).get(what)


def _write_cleaneval(rows: Sequence[Row]) -> Iterator[str]:
    yield "\nCleanEval's measure on its 58 development pages, in the columns of Baisa (2009, table 3.1): precision of words,"
    yield "recall of words and mark-up together. No system here marks headings or lists: each line counts as a"
    yield "paragraph. The published rows are from that table, with another definition of words.\n"
    columns: list[Column] = [
        ("precision (text)", _set_value_getter("cleaneval_dev", "precision"), _format_percent, 1),
        ("recall (text and mark-up)", _set_value_getter("cleaneval_dev", "marked recall"), _format_percent, 1),
        ("F1 (text)", _set_value_getter("cleaneval_dev", "f1"), _format_percent, 1),
        ("F1 (text and mark-up)", _set_value_getter("cleaneval_dev", "marked f1"), _format_percent, 1),
    ]
    published = [
        {"contender": name, "sets": {"cleaneval_dev": {"precision": precision, "marked recall": recall, "f1": f1}}}
        for name, precision, recall, f1 in PUBLISHED
    ]
    yield from _format_columns("CleanEval", columns, [*rows, *published])


def _write_trials(rows: Sequence[Row]) -> Iterator[str]:
    yield "## Trials without gold\n"
    yield "`templatemine evaluate` with seed 1. Injection: 48 synthetic templates in each source of allsides, 100 and 400"
    yield "documents of each. Mirror: 100 documents of each. Near duplicates: 50 of each and as many copies, Jaccard index 0.6,"
    yield "F1 of pairs. Clusters: the four channels of livedoor, 150 articles of each, adjusted Rand index; names and boilerplate"
    yield "reveal a channel, so that a lower value is not only bad.\n"
    columns: list[Column] = [
        ("injected: recall", _value_getter("recall"), _format_percent, 1),
        ("found", _value_getter("found"), _format_percent, 1),
        ("precision", _value_getter("precision"), _format_percent, 1),
        ("false per 10,000", _value_getter("false per 10k"), _format_decimal, -1),
        ("mirror: distance before", _value_getter("distance before"), _format_percent, 0),
        ("after", _value_getter("distance after"), _format_percent, -1),
        ("kept", _value_getter("article kept"), _format_percent, 1),
        ("pairs: F1 before", _value_getter("pairs before"), _format_percent, 0),
        ("after ", _value_getter("pairs after"), _format_percent, 1),
        ("clusters: before", _value_getter("Rand before"), _format_decimal, 0),
        ("after  ", _value_getter("Rand after"), _format_decimal, 0),
    ]
    yield from _format_columns("method", columns, rows)
    yield "\nRecall of injected templates by kind, length in words, document frequency, and documents of the source:\n"
    yield from _write_groups(rows)


def _write_groups(rows: Sequence[Row]) -> Iterator[str]:
    there = [row for row in rows if "groups" in row]
    names = list(there[0]["groups"]) if there else []
    cells = [[name, *(_format_percent(row["groups"].get(name)) for row in there)] for name in names]
    yield from _format_table(["injected", *(row["contender"] for row in there)], cells)


WRITERS: Mapping[str, Callable[[Sequence[Row]], Iterator[str]]] = {
    "texts": _write_texts,
    "ablation": _write_ablation,
    "pages": _write_pages,
    "page_ablation": _write_page_ablation,
    "extracted": _write_extracted,
    "trials": _write_trials,
}
