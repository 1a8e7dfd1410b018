"""The scripts an archive can be written in, by name."""

from __future__ import annotations

from newsgen.arabic import ARABIC
from newsgen.english import ENGLISH
from newsgen.han import HAN
from newsgen.language import Script
from newsgen.latin import LATIN

__all__ = ["SCRIPTS"]

SCRIPTS: dict[str, Script] = {script.name: script for script in (LATIN, ARABIC, HAN, ENGLISH)}
