"""Draws docs/architecture.svg: the rooms of the package by layer, and who imports whom.

    python docs/site/draw_architecture.py

Layers and imports are those of tests/test_architecture.py.  An import that longer ways imply is left out.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from test_architecture import LAYERS, SOURCE, edges, natives, top  # noqa: E402

PICTURE = ROOT / "docs" / "architecture.svg"

LEFT_OUT = frozenset(["_version", "_cyutility", "notebook", "controls", "__init__", "__main__", "progress", "bounds"])
"""Modules of the root that say nothing about the way of an article."""

PATH = frozenset(["io", "text", "mining", "packs", "matching", "cleaning"])
"""Rooms that an article goes through."""

WIDTH, ROW, BOX, MARGIN = 720, 64, 34, 12


def find_imports() -> dict[str, set[str]]:
    """Room -> rooms that it imports."""
    rooms: dict[str, set[str]] = {room: set() for layer in LAYERS for room in layer if room not in LEFT_OUT}
    for one, other in [*((top(module), top(target)) for module, target, _ in edges()), *find_native_imports()]:
        if one != other and one in rooms and other in rooms:
            rooms[one].add(other)
    return rooms


def find_native_imports() -> list[tuple[str, str]]:
    """Rooms of native modules, and rooms that these import or cimport."""
    found = []
    for path in natives():
        room = path.relative_to(SOURCE).parts[0].removesuffix(".pyx")
        lines = path.read_text(encoding="utf-8").splitlines()
        found += [(room, line.split(".")[1].split()[0]) for line in lines if line.startswith("from templatemine.")]
    return found


def reduce_transitively(graph: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Drop what longer ways imply; a graph without circles."""

    def reach(room: str) -> set[str]:
        return graph[room].union(*map(reach, graph[room]))

    return {
        room: {one for one in targets if not any(one in reach(other) for other in targets)}
        for room, targets in graph.items()
    }


def place_boxes(layers: Sequence[Sequence[str]]) -> dict[str, tuple[float, float, float]]:
    """Room -> left edge, upper edge and width of its box; the lowest layer stands at the bottom."""
    boxes: dict[str, tuple[float, float, float]] = {}
    for row, layer in enumerate(reversed(layers)):
        space = WIDTH / len(layer)
        for place, room in enumerate(layer):
            width = 9.0 * len(room) + 24
            boxes[room] = space * (place + 0.5) - width / 2, MARGIN + row * ROW, width
    return boxes


def draw() -> str:
    """The picture as SVG."""
    layers = [[room for room in layer if room not in LEFT_OUT] for layer in LAYERS]
    layers = [layer for layer in layers if layer]
    boxes = place_boxes(layers)
    height = 2 * MARGIN + (len(layers) - 1) * ROW + BOX
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" font-size="15"'
        ' font-family="ui-monospace, monospace">',
        "<title>Rooms of templatemine by layer; arrows lead from a room to what it imports</title>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#8a8f98"/></marker></defs>',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    for room, targets in reduce_transitively(find_imports()).items():
        left, upper, width = boxes[room]
        for target in sorted(targets):
            x, y, size = boxes[target]
            lines.append(
                f'<path d="M{left + width / 2:.0f} {upper + BOX} {x + size / 2:.0f} {y - 1:.0f}" stroke="#8a8f98"'
                ' fill="none" marker-end="url(#tip)"/>'
            )
    for room, (left, upper, width) in boxes.items():
        edge, middle = round(left), round(left + width / 2)
        fill = "#d6e6ff" if room in PATH else "#f2f3f5"
        lines += [
            f'<rect x="{edge}" y="{upper}" width="{width:.0f}" height="{BOX}" rx="6" fill="{fill}" stroke="#5b6270"/>',
            f'<text x="{middle}" y="{upper + 22}" text-anchor="middle" fill="#1b1f24">{escape(room)}</text>',
        ]
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
