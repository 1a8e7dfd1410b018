"""Trial 4: two copies of a site with different boilerplate must become equal.

The third proposal of Foschini's section 6.1.  Two copies of each source get different synthetic boilerplate.  Each copy
is cleaned with packs mined from this copy of all sources; then the two texts of each article are compared.  A system
that removes everything would also make them equal; so the result also says how much is left of the unchanged articles,
and how much of this is left in the copies.
Existing copies can be compared instead (`compare`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from templatemine.errors import CorpusError
from templatemine.evaluation.metrics import score_words, word_distance, words
from templatemine.evaluation.options import MirrorConfig
from templatemine.evaluation.plain import plain
from templatemine.evaluation.protocol import Result, System, apply, by_source, check_ids, pick, random_for
from templatemine.evaluation.synthetic_boilerplate import KINDS, Design, dress
from templatemine.model import Cleaned, Document

__all__ = ["MirrorConfig", "compare", "dressed_copy", "evaluate_mirror"]


_UNITS = {
    "source": "text",
    "documents": "count",
    "distance before": "share",
    "distance after": "share",
    "equal after": "share",
    "left as it is": "share",
    "article kept": "share",
}

NOTES = (
    "distance: edits of words from one copy to the other, as a share of the longer one; means over documents",
    "left as it is: words that cleaning keeps of the unchanged articles; the rest is their own boilerplate, or false",
    "article kept: of these, the words that cleaning keeps in the copies",
)


def evaluate_mirror(documents: Sequence[Document], system: System, config: MirrorConfig | None = None) -> Result:
    """Make two copies of all sources, clean each by itself, compare.

    Raises
    ------
    CorpusError
        HTML, or no documents.
    """
    config = config or MirrorConfig()
    bare = pick(documents, config.sample, config.seed)
    copies = [dressed_copy(bare, config.templates, config.seed, name) for name in ("left", "right")]
    cleaned = [apply(system, copy, copy) for copy in copies]
    rows = _rows(copies, cleaned, list(zip(bare, apply(system, bare, bare), strict=True)))
    settings = {
        "seed": config.seed,
        "sample of a source": config.sample,
        "documents": len(bare),
        "templates of a copy": config.templates,
    }
    return Result(name="mirror", settings=settings, units=_UNITS, rows=tuple(rows), notes=NOTES)


def compare(
    one: Sequence[Document], other: Sequence[Document], system: System, config: MirrorConfig | None = None
) -> Result:
    """Compare two real copies, matched by the ids of their documents; each is mined as a whole.

    What is left of the articles is not known here and left out.
    """
    config = config or MirrorConfig()
    there = {document.id: document for document in other}
    for copy in (one, other):
        check_ids(copy)
    left = [document for document in pick(one, config.sample, config.seed) if document.id in there]
    if not left:
        raise CorpusError("no id is in both copies", fatal=True)
    right = [there[document.id] for document in left]
    cleaned = [list(apply(system, one, left)), list(apply(system, other, right))]
    rows = _rows([left, right], cleaned, None)
    settings = {"seed": config.seed, "sample of a source": config.sample, "documents": len(left)}
    units = {name: unit for name, unit in _UNITS.items() if name not in ("left as it is", "article kept")}
    return Result(name="mirror", settings=settings, units=units, rows=tuple(rows), notes=NOTES[:1])


def dressed_copy(documents: Sequence[Document], templates: int, seed: int, name: str) -> list[Document]:
    """A copy of an archive with synthetic boilerplate, source by source; other names give other boilerplate."""
    if any(document.is_html for document in documents):
        raise CorpusError("copies can be made only of texts; expected records with text, found HTML", fatal=True)
    if not documents:
        raise CorpusError("there are no documents", fatal=True)
    dressed: dict[str, Iterator[Document]] = {}
    for source, rows in by_source(documents).items():
        rng = random_for(seed, "mirror", name, source)
        designs = [
            Design(kind=kind, length=rng.randrange(4, 21), df=max(1, round(len(rows) * (0.5 + 0.5 * rng.random()))))
            for kind in (list(KINDS) * templates)[:templates]
        ]
        dressed[source] = iter([one.document for one in dress(rows, designs, seed, name=name)])
    return [next(dressed[document.source]) for document in documents]


def _rows(
    copies: Sequence[Sequence[Document]],
    cleaned: Sequence[Sequence[Cleaned]],
    bare: Sequence[tuple[Document, Cleaned]] | None,
) -> list[dict[str, object]]:
    figures: dict[str, list[dict[str, float]]] = {}
    for place, (left, right) in enumerate(zip(*cleaned, strict=True)):
        after = word_distance(left.text, right.text)
        row = {
            "distance before": word_distance(plain(copies[0][place]), plain(copies[1][place])),
            "distance after": after,
            "equal after": float(after == 0),
        }
        if bare is not None:
            article, alone = (words(text) for text in (bare[place][0].body, bare[place][1].text))
            row["left as it is"] = len(alone) / len(article) if article else 1.0
            row["article kept"] = fmean(_kept(one.text, alone) for one in (left, right))
        for name in (copies[0][place].source, "all"):
            figures.setdefault(name, []).append(row)
    order = sorted(figures.items(), key=lambda one: (one[0] == "all", one[0]))
    return [
        {"source": name, "documents": len(rows), **{key: fmean(row[key] for row in rows) for key in rows[0]}}
        for name, rows in order
    ]


def _kept(text: str, wanted: Sequence[str]) -> float:
    return score_words(words(text), wanted).recall if wanted else 1.0
