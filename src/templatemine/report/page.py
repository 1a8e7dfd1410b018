"""Report -> one HTML file that loads nothing: it contains all styles, scripts, drawings and texts.

Everything from packs and articles is hostile input.  Jinja escapes all of it, `marks` escapes the texts it marks, and
the content policy of the page allows only the one style and the one script whose hashes it names.
"""

from __future__ import annotations

import base64
import hashlib
import re
import shlex
from collections.abc import Iterator, Sequence
from functools import partial
from importlib import resources
from typing import TYPE_CHECKING, Any

from templatemine.config import ReportConfig
from templatemine.controls import name_controls
from templatemine.errors import counted, needs_extra
from templatemine.packs.readable import describe_choice, shorten, template_text, title_text
from templatemine.report.charts import days_spec, draw_svg, histogram_spec, load_renderer, scores_spec
from templatemine.report.explain import MAX_ALSO_MATCHED, find_cut_template
from templatemine.report.harm import RESIDUE_KINDS
from templatemine.report.limits import MAX_LOST, format_share
from templatemine.report.marks import (
    Note,
    TextPiece,
    count_kinds,
    elide,
    escape_text,
    render_marks,
    truncate,
)
from templatemine.report.summary import summarise, summarise_doubt, summarise_harm
from templatemine.report.verdict import give_verdict

if TYPE_CHECKING:
    from templatemine.report.findings import NotableTemplate
    from templatemine.report.measure import Sample
    from templatemine.report.verdict import Verdict
    from templatemine.report.view import Report, SourceView

_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n)+")
"""In examples, where they would leave holes."""

MAX_LINES = 10
"""Templates that leave the rest of a line, of all sources together."""
MAX_CHANGES = 20
"""Templates of each kind of change that are listed for a source."""


def render(
    report: Report,
    title: str = "",
    config: ReportConfig | None = None,
    packs: Sequence[str] = ("packs/",),
    desk: str = "",
) -> Iterator[str]:
    """Yield the page in parts, a source at a time.

    Parameters
    ----------
    title : str
        "" for one made of the report's subject.
    packs : sequence of str
        Where the packs are, for commands.
    desk : str
        The command that opens them at a desk, if that is known.

    Raises
    ------
    MissingExtraError
        Jinja or the library for drawings is not installed.
    """
    require_libraries()
    import jinja2

    files = resources.files("templatemine.report") / "templates"
    style, script = ((files / name).read_text(encoding="utf-8") for name in ("report.css", "report.js"))
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: (files / name).read_text(encoding="utf-8")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Any] = {
        "titled": title_text,
        "shown": _escape,
        "broken": _break_name,
        "lines": lambda text: _BLANK_LINES.sub("\n", text),
        "words": _escape_template,
        "choice": describe_choice,
        "named": name_controls,
        "number": _format_number,
        "counted": counted,
        "share": _format_share,
        "measured": lambda one: format_share(one.share, one.most),
        "text_of": template_text,
    }
    environment.filters |= filters
    environment.globals |= {
        "policy": content_policy(style, script),
        "style": _as_markup(style),
        "script": _as_markup(script),
        "drawings": _draw_charts,
        "reject": lambda one: rejection_command(packs, one),
        "sample": partial(_render_sample, config or ReportConfig()),
        "legend": _count_sample_kinds,
        "link": _link,
        "max_changes": MAX_CHANGES,
        "max_lines": MAX_LINES,
        "change_names": {"+": "added", "-": "removed", "~": "changed", "^": "moved"},
    }
    said: dict[str, Any] = {
        "title": title or _title(report),
        "conclusion": summarise(report),
        "verdict": (verdict := give_verdict(report)),
        "first_commands": first_commands(verdict, packs, desk),
        "left_kinds": RESIDUE_KINDS,
    }
    said |= {"is_looked_at": bool(summarise_harm(report)), "doubt": summarise_doubt(report)}
    said["listed"] = {(source.name, row.number) for source in report.sources for row in source.rows}
    yield from environment.get_template("report.html").generate(report=report, **said)


def rejection_command(packs: Sequence[str], one: NotableTemplate) -> str:
    """Return the command that rejects a template."""
    return f"templatemine {shlex.join(('ask', *packs, *one.rejection))}"


def first_commands(verdict: Verdict, packs: Sequence[str], desk: str) -> list[tuple[str, str]]:
    """Return the commands that a verdict begins with, each with words before it."""
    if verdict.template is not None:
        found = [("at the desk:", desk)] if desk else []
        return [*found, ("to leave it in:", rejection_command(packs, verdict.template))]
    if verdict.is_within:
        check = ("clean", "new.jsonl", "--packs", *packs, "--check", f"{MAX_LOST:g}", "-o", "clean.jsonl")
        return [("", f"templatemine {shlex.join(check)}")]
    if verdict.is_within is None and not verdict.rows and verdict.first.endswith(":"):
        return [
            ("", f"templatemine {shlex.join(('report', *packs, '--archive', 'archive.jsonl', '-o', 'report.html'))}")
        ]
    return []


def _title(report: Report) -> str:
    what = "What is removed from" if report.with_archive else "Templates of"
    one = len(report.sources) == 1
    return f"{what} {report.sources[0].name if one else f'{len(report.sources):,} sources'}"


def require_libraries() -> None:
    """Raise `MissingExtraError` if a library is missing; called before an archive is read."""
    with needs_extra("reports need jinja2, which is not installed", "report"):
        import jinja2  # noqa: F401
    load_renderer()


def content_policy(style: str, script: str) -> str:
    """Return the content policy: nothing is loaded or sent, and only this style and this script are allowed."""
    hashes = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script))
    allowed = "style-src 'sha256-{}'; script-src 'sha256-{}'".format(*hashes)
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def _escape(text: str) -> Any:
    return _as_markup(escape_text(text))


def _break_name(text: str) -> Any:
    """Escape the name of a source, which may be broken behind its dots."""
    return _as_markup(escape_text(text).replace(".", ".<wbr>"))


_PATTERN = re.compile(r"\{[a-z_]+\}")


def _escape_template(text: str) -> Any:
    """Escape the words of a template; each pattern is isolated, so that it does not affect the direction of writing."""
    return _as_markup(_PATTERN.sub(lambda match: f"<bdi>{match[0]}</bdi>", escape_text(text)))


def _as_markup(html: str) -> Any:
    from markupsafe import Markup

    return Markup(html)


def _format_number(value: int | float | None) -> str:
    return "–" if value is None else f"{value:,}"


def _format_share(value: float | None, digits: int = 1) -> str:
    return "–" if value is None else f"{value:.{digits}%}"


def _link(url: str | None) -> str:
    """Return the address of an article if it is a plain web address; else ""."""
    return url if url is not None and url.lower().startswith(("http://", "https://")) else ""


def _draw_charts(source: SourceView) -> dict[str, Any]:
    """Draw the histogram, the scores and the days as SVG, each "" if there is nothing to draw; note whether scores
    decided."""
    by_scores = source.pack.cutoff.method == "score"
    scores = [one.score for one in source.pack.templates if one.score is not None]
    drawn = {
        "histogram": draw_svg(histogram_spec(source.histogram, by_scores=by_scores))
        if any(source.histogram.counts)
        else "",
        "scores": draw_svg(scores_spec(scores)) if scores else "",
        "days": draw_svg(days_spec(source.steps, source.documents, source.changed)) if source.steps else "",
    }
    return {"by_scores": by_scores, **{name: _as_markup(one) for name, one in drawn.items()}}


_MAX_EXPRESSION = 300
"""Characters of an expression in a note; the table has all of it."""


def _count_sample_kinds(source: SourceView) -> list[tuple[str, int, int]]:
    """Count the kinds of the cuts in the samples of a source; empty if no kind is known."""
    counts = count_kinds(piece for sample in source.samples for piece in sample.pieces)
    return counts if any(kind for kind, _, _ in counts) else []


def _render_sample(config: ReportConfig, source: SourceView, name: str, sample: Sample) -> dict[str, Any]:
    """Return the text of a sample with the removed parts marked, and the expressions behind them, numbered."""
    place = {row.template.id: row for row in source.rows}
    templates = {one.id: one for one in source.pack.templates}
    numbers: dict[str, int] = {}
    matched: dict[str, dict[str, None]] = {}

    def note(piece: TextPiece) -> Note:
        # One cut, one expression.  The others only matched as well.
        found = find_cut_template(piece, templates)
        if found is None:
            return Note("not main text of the page")
        head = found.head
        number = numbers.setdefault(head.id, len(numbers) + 1)
        lines = [f"{number}. {shorten(template_text(head), _MAX_EXPRESSION)} \n{counted(head.df, 'document')}"]
        also = [shorten(template_text(one), _MAX_EXPRESSION) for one in found.also]
        matched.setdefault(head.id, {}).update(dict.fromkeys(also))
        if found.within:
            also.append(f"{found.within:,} within it")
        if also:
            lines.append(f"also matched: {'; '.join(also)}")
        return Note("\n".join(lines), f"<sup>{number}</sup>", f"{name}-c{number}")

    html = render_marks(truncate(elide(sample.pieces, config.context), config.characters), note)
    cuts = [
        {
            "number": number,
            "template": templates[one],
            "text": template_text(templates[one]),
            "row": place.get(one),
            "also": list(matched.get(one, ()))[:MAX_ALSO_MATCHED],
        }
        for one, number in numbers.items()
    ]
    return {"html": _as_markup(html), "cuts": cuts}
