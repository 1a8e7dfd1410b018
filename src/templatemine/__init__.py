"""templatemine learns the furniture of a news source from its archive and cuts it out of articles.

>>> import templatemine
>>> packs = templatemine.mine(documents)  # doctest: +SKIP
>>> templatemine.Cleaner(packs["example.org"]).clean(text).text  # doctest: +SKIP
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from templatemine import errors
from templatemine._version import __version__

if TYPE_CHECKING:
    from templatemine.clean import Cleaner, clean
    from templatemine.model import Document
    from templatemine.packs import Pack
    from templatemine.pipeline import Miner, mine

__all__ = ["Cleaner", "Document", "Miner", "Pack", "__version__", "clean", "errors", "mine"]

_HOME = {
    "Cleaner": "clean",
    "clean": "clean",
    "Document": "model",
    "Pack": "packs",
    "Miner": "pipeline",
    "mine": "pipeline",
}


def __getattr__(name: str) -> Any:
    # Public names load their module on first use: importing the package costs no numpy.
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
