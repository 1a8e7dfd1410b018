"""templatemine learns the furniture of a news source from its archive and cuts it out of articles.

>>> import templatemine
>>> packs = templatemine.mine(documents)  # doctest: +SKIP
>>> templatemine.Cleaner(packs["example.org"]).clean(text).text  # doctest: +SKIP
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from templatemine import errors
from templatemine._version import __version__

if TYPE_CHECKING:
    from templatemine.clean import Cleaner, clean
    from templatemine.model import Document
    from templatemine.packs import Pack
    from templatemine.pages.extract import extract
    from templatemine.pages.main_text import PageCleaner
    from templatemine.pipeline import Miner, mine

__all__ = ["Cleaner", "Document", "Miner", "Pack", "PageCleaner", "__version__", "clean", "errors", "extract", "mine"]


class _Package(ModuleType):
    """Public names load their module on first use, so that importing the package costs no numpy.  As properties they
    also outlive the import of the modules that share their names, which would else take their place."""


def _public(home: str, name: str) -> property:
    return property(lambda _: getattr(import_module(f"templatemine.{home}"), name), lambda _, module: None)


for _home, _name in (("clean", "Cleaner"), ("clean", "clean"), ("model", "Document"), ("packs", "Pack")):
    setattr(_Package, _name, _public(_home, _name))
for _home, _name in (("pages.extract", "extract"), ("pages.main_text", "PageCleaner")):
    setattr(_Package, _name, _public(_home, _name))
for _name in ("Miner", "mine"):
    setattr(_Package, _name, _public("pipeline", _name))
sys.modules[__name__].__class__ = _Package
