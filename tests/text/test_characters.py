"""Where lines begin and end, which is told in one place."""

from __future__ import annotations

import ast
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import reference
import templatemine
from strategies import examples
from templatemine.text.characters import LINE_BREAK, line_begin, line_end

SOURCE = Path(templatemine.__file__ or "").parent


@examples(200)
@given(st.text("ab \n\r\x0b\x85\u2028\u2029文", max_size=12), st.data())
def test_lines_are_those_of_the_reference(text: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(text)))
    before = [one for one in range(place) if text[one] in reference.LINE_BREAKS]
    behind = [one for one in range(place, len(text)) if text[one] in reference.LINE_BREAKS]
    assert line_begin(text, place) == max(before, default=-1) + 1
    assert line_end(text, place) == min(behind, default=len(text))
    assert [match.start() for match in LINE_BREAK.finditer(text, place)] == behind


def test_no_other_module_says_again_what_breaks_a_line() -> None:
    """Neither as a string of the three characters, nor as a compiled class of nothing else."""
    again = []
    for path in sorted(SOURCE.rglob("*.py")):
        if path.name == "characters.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            spelt = isinstance(node, ast.Constant) and node.value == "\n\u2028\u2029"
            compiled = isinstance(node, ast.Call) and ast.unparse(node).endswith("compile(f'[{LINE_BREAKS}]')")
            if spelt or compiled:
                again.append(f"{path.relative_to(SOURCE)}:{node.lineno}")
    assert again == []
