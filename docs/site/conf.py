"""Sphinx: the pages of this project as a site that asks nothing of other servers.  `build.py` calls it."""

import dataclasses
import re
from typing import Any

from templatemine._version import __version__

project = "templatemine"
author = "The templatemine authors"
copyright = "The templatemine authors, Apache-2.0"
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = f"templatemine {__version__}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = html_show_sphinx = False
# Light and dark alike need 4.5 to 1 between code and its ground, which the theme's own choices do not all have.
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"

myst_enable_extensions = ["strikethrough"]
myst_heading_anchors = 4
# Struck-through text is shown in HTML alone, and there is nothing else here.
suppress_warnings = ["myst.strikethrough"]
smartquotes = False  # or --option would become –option

# A name in single backticks is a link where the API page has it, and code where not.
default_role = "py:obj"
add_module_names = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
napoleon_google_docstring = False
napoleon_use_rtype = False


def setup(app: Any) -> None:
    """Called by Sphinx."""
    for listed in (listed_fields, listed_attributes):
        app.connect("autodoc-process-docstring", listed, priority=400)  # before napoleon
    app.connect("autodoc-skip-member", without_text)


def without_text(app: Any, what: str, name: str, value: Any, skip: bool, options: Any) -> bool | None:
    """Whether a member is left out: fields of tuples are in the signature, and their own text says only that."""
    return True if (getattr(value, "__doc__", None) or "").startswith("Alias for field number") else None


def listed_fields(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Options tell of their fields one after the other, ``gap : ... engine : ...``; here they become a list."""
    text = "\n".join(lines)
    if not dataclasses.is_dataclass(value) or re.search(r"^---+$", text, re.MULTILINE):
        return
    fields = {one.name for one in dataclasses.fields(value)}
    starts = [
        found
        for found in re.finditer(r"(?:^|(?<=[.;])  )\s*(\w+(?:,\s+\w+)*) : ", text, re.MULTILINE)
        if {*re.split(r",\s+", found[1])} <= fields
    ]
    if not starts:
        return
    listed = [text[: starts[0].start()].strip(), ""]
    for found, after in zip(starts, [*starts[1:], None], strict=True):
        told = " ".join(text[found.end() : after.start() if after else len(text)].split())
        listed.append(f"- ``{' '.join(found[1].split())}``: {told}")
    lines[:] = [*listed, ""]


def listed_attributes(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """A section of attributes becomes a list; napoleon makes each a target of links, and many are called path."""
    heads = [place for place in range(len(lines) - 1) if re.fullmatch("---+", lines[place + 1])]
    start = next((place for place in heads if lines[place] == "Attributes"), None)
    if start is None:
        return
    end = next((place for place in heads if place > start), len(lines))
    entries: list[list[str]] = []
    for line in filter(None, lines[start + 2 : end]):
        if line.startswith(" "):
            entries[-1].append(line.strip())
        else:
            names, _, kind = line.partition(" : ")
            entries.append([f"- ``{names}``" + (f" ({kind})" if kind else "")])
    lines[start:end] = [": ".join(filter(None, (head, " ".join(told)))) for head, *told in entries] + [""]
