"""The kind of a page (article, forum, listing ...), and scores of blocks on pages that are no articles.

A logistic regression over some hundred values of the page tells its kind: what the page model holds for main text,
tags, words in classes and ids, the address, and what the page declares (Open Graph, schema.org).  On a page that may be
no article a forest of its own scores the blocks, from what the page model knows of them and the kind; the more surely
the page is an article, the less it counts.  Both are trained by ``datasets/pages/train_kinds.py``.  Linear in the page.
"""

from __future__ import annotations

import io
import math
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from templatemine.bounds import WORDS
from templatemine.pages import _html, _scores
from templatemine.pages.scanner import CANONICAL, NEXT, SCHEMA, TAG_NAMES, TYPE

if TYPE_CHECKING:
    from templatemine.pages.blocks import Page

KINDS = WORDS["PageConfig.kind"][1:]
"""The kinds, an article first."""

ARTICLE_CHANCE = 0.25
"""Probability of an article from which on the page model alone scores the blocks: at a half, four articles of 1,007
(dragnet, waddle) are scored as lists, and two of them lose more than half of their F1."""

SURE_SHARE = 0.16
"""Share of the words of which the page model is unsure, below which a page is scored as an article without a look at
its kind: seven of ten articles or more have less (six sets), and one in twenty of the pages that the kind decides."""

NO_ADDRESS = math.log(100)
"""Gain of the log odds of an article where the address of the page is unknown: old pages do not,
and too little else tells what they are.  Of 355 pages of other kinds two do not."""

MAX_DEVIATION = 4.0
"""Standard deviations from the mean at which a value is cut off: one odd value decides nothing."""

_SIGNS = (
    "add-to article author avatar blog cart category comment cta docs entry faq feature forum grid hero pagination "
    "post-content price product quantity related reply result service sidebar signature sku sort testimonial thread "
    "toc topic vote"
).split()
"""Words in the classes and ids of elements that hold blocks."""
_HOSTS = ["docs", "forum"]
_PATHS = "/blog article docs forum guide job news product service shop thread topic tutorial".split()
"""Pieces of an address: of its host, and of its path."""
_DECLARED = ["article", "website", "product"]
_TYPES = (
    "Article BlogPosting CollectionPage Comment DiscussionForumPosting ItemList NewsArticle Offer Person Product "
    "QAPage Question"
).split()
"""Kinds that pages declare: in ``og:type``, and types of schema.org in JSON-LD and microdata."""
_TAGS = (
    "a article blockquote button code dd div dl em figcaption figure form h1 h2 h3 img li nav p pre select span svg "
    "table time tr ul video"
).split()
_MAIN = ["share", "words", "linked", "block", "longest", "runs", "unsure"]
_ADDRESS = ["known", "length", "depth", "digits", "hyphens", "query", "date"]

VALUES = (
    *(f"main_{name}" for name in _MAIN),
    "currencies",
    "questions",
    "next",
    *(f"sign_{name}" for name in _SIGNS),
    *(f"tag_{name}" for name in _TAGS),
    *(f"type_{name}" for name in _TYPES),
    *(f"declared_{name}" for name in (*_DECLARED, "none")),
    *(f"address_{name}" for name in _ADDRESS),
    *(f"host_{name}" for name in _HOSTS),
    *(f"path_{name}" for name in _PATHS),
)
"""Names of the values of `describe_page`."""

_KNOWN = VALUES.index("address_known")
_pick_tags = itemgetter(*(TAG_NAMES.index(name) for name in _TAGS))
_SIGN_FINDER = _html.PhraseFinder(tuple(name.encode() for name in _SIGNS))
_TYPE_INDEX = {name.encode(): index for index, name in enumerate(_TYPES)}
_LD_TYPE = re.compile(rb'"@type"\s*:\s*\[?\s*"([A-Za-z]{1,40})"')
_ITEM_TYPE = re.compile(rb"schema\.org/([A-Za-z]{1,40})[\"']?[\s>]")
_CONTENT = re.compile(rb"\bcontent\s*=\s*[\"']?([^\"'<>]{0,2000})", re.IGNORECASE)
_CANONICAL = re.compile(rb"<link\b[^<>]{0,2000}\bcanonical\b[^<>]{0,2000}>", re.IGNORECASE)
_HREF = re.compile(rb"\bhref\s*=\s*[\"']?([^\"'\s<>]{1,2000})", re.IGNORECASE)
_TAG_BYTES = 2000
"""Bytes searched for the rest of a ``<link>`` on either side of ``canonical``."""
_ADDRESS_PARTS = re.compile(r"https?://([^/?#]*)([^?#]*)(\??)")
_DATE = re.compile(r"/(?:19|20)\d\d/")


@dataclass(frozen=True, slots=True, kw_only=True)
class KindModel:
    """The model that comes with the package.

    Attributes
    ----------
    mean, scale : float64 arrays, shape (values,)
    weights, intercept : float64 arrays, shapes (kinds, values) and (kinds,)
    forest : Forest
        Of `kind_rows`.
    """

    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    weights: NDArray[np.float64]
    intercept: NDArray[np.float64]
    forest: _scores.Forest

    def chances(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of each of `KINDS`, given the values of `describe_page`."""
        bonus = NO_ADDRESS * (1 - float(values[_KNOWN]))
        return _scores.find_kind_chances(
            values, self.mean, self.scale, self.weights, self.intercept, MAX_DEVIATION, bonus
        )


@lru_cache(maxsize=1)
def load_kind_model() -> KindModel:
    """Load the model of kinds, as `datasets/pages/train_kinds.py` has written it."""
    source = files("templatemine.pages").joinpath("page_kind.npz").read_bytes()
    table: Any = np.load(io.BytesIO(source), allow_pickle=False)
    trees = [
        np.ascontiguousarray(table[f"forest_{name}"])
        for name in ("feature", "threshold", "left", "right", "leaf", "sizes")
    ]
    columns = {
        name: np.ascontiguousarray(table[name], np.float64) for name in ("mean", "scale", "weights", "intercept")
    }
    return KindModel(**columns, forest=_scores.Forest(*trees))


def kind_rows(
    features: NDArray[np.float32],
    context: NDArray[np.float32],
    scores: tuple[NDArray[np.floating], ...],
    chances: NDArray[np.float64],
) -> NDArray[np.float32]:
    """Return the features of each block for the forest of kinds: those of the page model, its scores, and the kind."""
    kinds = np.broadcast_to(chances, (len(features), len(chances)))
    return np.concatenate([features, context, np.stack(scores, 1), kinds], 1, dtype=np.float32)


def describe_page(page: Page, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the `VALUES` of a page, given the log odds of the page model for its blocks."""
    columns = page.columns
    values = [
        *_scores.describe_main(scores, page.words, columns["counts"]),
        math.log1p(columns["currencies"]),
        math.log1p(columns["questions"]),
        any(map(page.landmarks.get, NEXT)),
        *_SIGN_FINDER.stand_in(columns["signs"].tobytes().lower()),
        *map(math.log1p, _pick_tags(page.tag_counts)),
        *_describe_types(page),
        *_describe_address(page),
    ]
    return np.array(values, np.float64)


def _describe_types(page: Page) -> list[float]:
    """Count how often a page declares each of `_TYPES`, and return its ``og:type``."""
    counts = [0] * len(_TYPES)
    for landmark, pattern in ((TYPE, _LD_TYPE), (SCHEMA, _ITEM_TYPE)):
        for place in page.landmarks[landmark]:
            match = pattern.match(page.data, place)
            if match and (index := _TYPE_INDEX.get(match[1])) is not None:
                counts[index] += 1
    declared = _read_meta(page, b"og:type").strip().lower()
    return [*map(math.log1p, counts), *[name == declared for name in _DECLARED], not declared]


def _describe_address(page: Page) -> list[float]:
    match = _ADDRESS_PARTS.match(page.address)
    host, path, query = match.groups() if match else ("", "", "")
    return [
        match is not None,
        len(path),
        sum(map(bool, path.split("/"))),
        sum(map(str.isdigit, path)),
        path.count("-"),
        bool(query),
        _DATE.search(path) is not None,
        *[piece in host for piece in _HOSTS],
        *[piece in path for piece in _PATHS],
    ]


def read_address(page: Page) -> str:
    """Return the address that a page declares, "" if it has none: the canonical one, else ``og:url``."""
    return _read_canonical(page) or _read_meta(page, b"og:url")


def _read_meta(page: Page, name: bytes) -> str:
    """Return the content of the first ``<meta>`` of a name, "" if there is none."""
    for tag in page.metas:
        if name in tag.lower() and (match := _CONTENT.search(tag)):
            return match[1].decode("utf-8", "replace")
    return ""


def _read_canonical(page: Page) -> str:
    match = None
    if places := page.landmarks[CANONICAL]:
        match = _CANONICAL.search(page.data, max(places[0] - _TAG_BYTES, 0), places[0] + _TAG_BYTES)
    href = _HREF.search(match[0]) if match else None
    return href[1].decode("utf-8", "replace") if href else ""
