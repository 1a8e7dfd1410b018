"""Report -> one HTML file that loads nothing: styles, script, drawings and texts are all in it.

Whatever comes from packs and articles is hostile input.  Jinja escapes all of it; `marks` escapes the texts it marks;
and should something get through, the page's content policy allows no style and no script but the two whose hashes it
names.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from functools import partial
from importlib import resources
from typing import TYPE_CHECKING, Any

from templatemine.config import ReportConfig
from templatemine.errors import MissingExtraError
from templatemine.report.charts import days_spec, histogram_spec, svg
from templatemine.report.marks import Note, Piece, elided, marked, named, shown

if TYPE_CHECKING:
    from templatemine.report.measure import Sample
    from templatemine.report.view import Report, SourceView

__all__ = ["content_policy", "render"]


def render(report: Report, title: str, config: ReportConfig | None = None) -> Iterator[str]:
    """Yield the page in parts, a source at a time.

    Raises
    ------
    MissingExtraError
        Jinja or the library that draws is not there.
    """
    try:
        import jinja2
    except ImportError as error:
        raise MissingExtraError(
            "reports need jinja2, which is not installed: pip install 'templatemine[report]'"
        ) from error
    files = resources.files("templatemine.report") / "templates"
    style, script = ((files / name).read_text(encoding="utf-8") for name in ("report.css", "report.js"))
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: (files / name).read_text(encoding="utf-8")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "shown": lambda text: _safe(shown(text)),
        "named": named,
        "number": _number,
        "share": _share,
    }
    environment.globals |= {
        "policy": content_policy(style, script),
        "style": _safe(style),
        "script": _safe(script),
        "drawings": _drawings,
        "sample": partial(_sample, config or ReportConfig()),
        "link": _link,
    }
    yield from environment.get_template("report.html").generate(report=report, title=title)


def content_policy(style: str, script: str) -> str:
    """Nothing may be loaded or sent, and of styles and scripts there are these two."""
    hashes = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script))
    allowed = "style-src 'sha256-{}'; script-src 'sha256-{}'".format(*hashes)
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def _safe(html: str) -> Any:
    from markupsafe import Markup

    return Markup(html)


def _number(value: int | float | None) -> str:
    return "–" if value is None else f"{value:,}"


def _share(value: float | None, digits: int = 1) -> str:
    return "–" if value is None else f"{value:.{digits}%}"


def _link(url: str | None) -> str:
    """The address of an article if following it can do nothing but open a page."""
    return url if url is not None and url.lower().startswith(("http://", "https://")) else ""


def _drawings(source: SourceView) -> dict[str, Any]:
    """SVG of the histogram and of the days; "" where there is nothing to draw."""
    histogram = svg(histogram_spec(source.histogram)) if any(source.histogram.counts) else ""
    days = svg(days_spec(source.steps, source.documents, source.changed)) if source.steps else ""
    return {"histogram": _safe(histogram), "days": _safe(days)}


_LONGEST = 300
"""Characters of an expression in the note of a cut; the table has the whole of it."""


def _sample(config: ReportConfig, source: SourceView, name: str, sample: Sample) -> dict[str, Any]:
    """The text of a sample with its cuts marked, and the expressions that cut it, numbered."""
    ids = list(dict.fromkeys(one for piece in sample.pieces for one in piece.templates))
    place = {row.template.id: row for row in source.rows}
    templates = {one.id: one for one in source.pack.templates}
    numbers = {one: number for number, one in enumerate((one for one in ids if one in templates), 1)}

    def note(piece: Piece) -> Note:
        known = [one for one in piece.templates if one in numbers]
        lines = [
            f"{numbers[one]}. {_shortened(templates[one].example)} ({templates[one].df:,} documents)" for one in known
        ]
        behind = f"<sup>{' '.join(str(numbers[one]) for one in known)}</sup>" if known else ""
        described = " ".join(f"{name}-c{numbers[one]}" for one in known)
        return Note("\n".join(lines) or "no main text of the page", behind, described)

    cuts = [{"number": number, "template": templates[one], "row": place.get(one)} for one, number in numbers.items()]
    return {"html": _safe(marked(elided(sample.pieces, config.context), note)), "cuts": cuts}


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
