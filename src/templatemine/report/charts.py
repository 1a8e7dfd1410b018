"""Numbers -> drawings: Vega-Lite specifications, and SVG of them.

The drawings take their colours from their page (the CSS variables of `COLOURS`), so that they fit its dark and print
modes.  They contain no script, no style and no id.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from templatemine.errors import needs_extra
from templatemine.report.histogram import Histogram

Spec = dict[str, Any]

COLOURS = ("--chart-text", "--chart-line", "--chart-all", "--chart-template", "--chart-energy", "--chart-cutoff")
"""CSS variables that the page has to define."""

_TEXT, _LINE, _ALL, _TEMPLATE, _ENERGY, _CUTOFF = (f"var({name})" for name in COLOURS)
_WIDTH = 620
_DECIMALS = re.compile(r"-?[0-9]+\.[0-9]{2,}")
"""Decimals beyond the first are invisible, and half of the size of a drawing."""
_INVISIBLE_PARTS = re.compile(
    r'<path class="(?:back|fore)ground"[^>]*/>| (?:class|role|aria-[a-z]+|pointer-events|xmlns:xlink)="[^"]*"'
    r'| opacity="1"| stroke-width="1"|<text[^>]* opacity="0">[^<]*</text>'
)
"""Empty boxes, hidden labels and names of parts: the page itself describes the drawing."""
_FONT = "system-ui, sans-serif"
_AXIS = {
    "grid": False,
    "domainColor": _LINE,
    "tickColor": _LINE,
    "labelColor": _TEXT,
    "titleColor": _TEXT,
    "labelFont": _FONT,
    "titleFont": _FONT,
    "labelFontSize": 11,
    "titleFontSize": 11,
    "titleFontWeight": "normal",
}
_CONFIG = {"background": None, "view": {"stroke": None}, "axis": _AXIS}


def load_renderer() -> Callable[[str], str]:
    """Return the function that draws a specification given as JSON.

    Raises
    ------
    MissingExtraError
        The library is not installed.
    """
    with needs_extra("drawings need vl-convert-python, which is not installed", "report"):
        import vl_convert
    draw: Callable[[str], str] = vl_convert.vegalite_to_svg
    return draw


def draw_svg(spec: Mapping[str, Any]) -> str:
    """Draw a specification.

    Raises
    ------
    MissingExtraError
        The library is not installed.
    """
    drawn = load_renderer()(json.dumps(spec))
    return _DECIMALS.sub(lambda match: f"{float(match[0]):.1f}", _INVISIBLE_PARTS.sub("", drawn))


def histogram_spec(histogram: Histogram, *, by_scores: bool = False) -> Spec:
    """Chart strings by share of documents on a log scale, templates in front, with the energy curve below.

    Where scores decide, there is no curve and no cut-off: they had no part in it.
    """
    bins = max(len(histogram.counts), 1)
    top = max(histogram.counts, default=1)
    x: Spec = {"field": "at", "type": "quantitative", "scale": {"domain": [0, 1]}, "axis": None}
    share = {**x, "axis": {"title": "share of the documents with a string", "format": ".0%", "tickCount": 10}}
    y_axis = {"title": "strings", "values": [0, *_powers_of_ten(top)], "format": ",d", "labelOverlap": True}
    if by_scores:
        x = share
    log = {"type": "symlog", "constant": 1, "domain": [0, max(top, 1)], "nice": False}
    upper = {
        "width": _WIDTH,
        "height": 130,
        "data": {
            "values": _step_rows([place / bins for place in range(bins + 1)], histogram.counts, histogram.templates)
        },
        "layer": [
            *_area_layers(x, {"scale": log, "axis": y_axis}),
            *([] if by_scores else _cutoff_layers(histogram, x)),
        ],
    }
    if by_scores:
        return {**upper, "config": _CONFIG}
    most = max(histogram.energies, default=1.0)
    energy = {
        "field": "energy",
        "type": "quantitative",
        "scale": {"type": "log", "domain": [1, max(most, 10)], "nice": False},
        "axis": {"title": "energy", "values": _powers_of_ten(most), "format": "~s", "labelOverlap": True},
    }
    curve = [{"at": at, "energy": e} for at, e in zip(histogram.borders, histogram.energies, strict=True)]
    lower = {
        "width": _WIDTH,
        "height": 60,
        "data": {"values": curve},
        "layer": [
            {
                "mark": {"type": "line", "color": _ENERGY, "strokeWidth": 1.5, "aria": False},
                "encoding": {"x": share, "y": energy},
            },
            *_cutoff_layers(histogram, share),
        ],
    }
    return {"spacing": 8, "vconcat": [upper, lower], "config": _CONFIG}


def scores_spec(scores: Sequence[float]) -> Spec:
    """Chart templates by their score, in steps of two points, from the least of them to 1."""
    first = min(int(min(scores, default=1.0) * 50), 49)
    counts = [0] * (50 - first)
    for score in scores:
        counts[min(int(score * 50 + 1e-9), 49) - first] += 1
    x = {
        "field": "at",
        "type": "quantitative",
        "scale": {"domain": [first / 50, 1]},
        "axis": {"title": "score", "format": ".0%", "tickCount": 6},
    }
    edges = [place / 50 for place in range(first, 51)]
    return {
        "width": _WIDTH,
        "height": 60,
        "data": {"values": _step_rows(edges, counts, counts)},
        "layer": _area_layers(x, {"axis": {"title": "templates", "tickCount": 3}})[1:],
        "config": _CONFIG,
    }


def _powers_of_ten(top: float) -> list[int]:
    return [10**power for power in range(12) if 10**power <= max(top, 1)]


def _step_rows(edges: Sequence[Any], total: Sequence[int], part: Sequence[int]) -> list[Spec]:
    """Return rows of a step function: each value holds from its edge to the next."""
    if not any(total):
        return []
    return [{"at": at, "all": a, "part": b} for at, a, b in zip(edges, (*total, 0), (*part, 0), strict=True)]


def _area_layers(x: Mapping[str, Any], y: Mapping[str, Any]) -> list[Spec]:
    """Return two step functions, the second in front of the first; each is one path."""
    return [
        {
            "mark": {"type": "area", "interpolate": "step-after", "color": colour, "aria": False},
            "encoding": {"x": x, "y": {"field": name, "type": "quantitative", **y}, "y2": {"datum": 0}},
        }
        for name, colour in (("all", _ALL), ("part", _TEMPLATE))
    ]


def _cutoff_layers(histogram: Histogram, x: Mapping[str, Any]) -> list[Spec]:
    """Return the cut-off; without one, the place of least energy."""
    lines: list[tuple[float | None, str, list[int]]] = [(histogram.cutoff, _CUTOFF, [])]
    if histogram.cutoff is None:
        lines = [(histogram.least, _ENERGY, [4, 3])]
    return [
        {
            "data": {"values": [{"at": at}]},
            "mark": {"type": "rule", "aria": False, "color": colour, "strokeWidth": 1.5, "strokeDash": dash},
            "encoding": {"x": x},
        }
        for at, colour, dash in lines
        if at is not None
    ]


def days_spec(periods: Sequence[tuple[str, str]], documents: Sequence[int], changed: Sequence[int]) -> Spec:
    """Chart documents by day (or longer periods), and those of them that cleaning changes.

    Parameters
    ----------
    periods : sequence of (str, str)
        First day of each period and of the next one, ISO 8601.
    """
    edges = [first for first, _ in periods] + [end for _, end in periods[-1:]]
    x = {
        "field": "at",
        "type": "temporal",
        "scale": {"type": "utc"},
        "axis": {"title": None, "tickCount": 8, "labelOverlap": True},
    }
    return {
        "width": _WIDTH,
        "height": 60,
        "data": {"values": _step_rows(edges, documents, changed) if edges else []},
        "layer": _area_layers(x, {"axis": {"title": "documents", "tickCount": 3}}),
        "config": _CONFIG,
    }
