"""The scripts an archive can be written in, by name; two letters are a language of `datasets/stories/`."""

from __future__ import annotations

from newsgen.arabic import ARABIC
from newsgen.han import HAN
from newsgen.language import Script
from newsgen.latin import LATIN
from newsgen.stories import STORIES

__all__ = ["SCRIPTS"]

SCRIPTS: dict[str, Script] = {script.name: script for script in (LATIN, ARABIC, HAN)} | STORIES
