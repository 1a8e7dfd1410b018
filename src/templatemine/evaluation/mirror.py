"""Trial 4: two copies of a site with different boilerplate must become equal.

The third proposal of Foschini's section 6.1.  Two copies of each source get different synthetic boilerplate.  Each copy
is cleaned with packs mined from this copy of all sources; then the two texts of each article are compared.  A system
that removes everything would also make them equal; so the result also says how much is left of the unchanged articles,
and how much of this is left in the copies.
Existing copies can be compared instead (`compare_copies`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from templatemine.errors import CorpusError
from templatemine.evaluation.metrics import score_words, split_words, word_distance
from templatemine.evaluation.plain import plain_text
from templatemine.evaluation.protocol import (
    System,
    TrialResult,
    check_ids,
    derive_random,
    group_by_source,
    run_system,
    sample_documents,
)
from templatemine.evaluation.synthetic_boilerplate import KINDS, TemplateDesign, insert_boilerplate
from templatemine.evaluation.trial_config import MirrorConfig
from templatemine.model import Cleaned, Document

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


def evaluate_mirror(documents: Sequence[Document], system: System, config: MirrorConfig | None = None) -> TrialResult:
    """Make two copies of all sources, clean each by itself, compare.

    Raises
    ------
    CorpusError
        HTML, or no documents.
    """
    config = config or MirrorConfig()
    originals = sample_documents(documents, config.sample, config.seed)
    copies = [synthetic_copy(originals, config.templates, config.seed, name) for name in ("left", "right")]
    cleaned = [run_system(system, copy, copy) for copy in copies]
    rows = _rows(copies, cleaned, list(zip(originals, run_system(system, originals, originals), strict=True)))
    settings = {
        "seed": config.seed,
        "sample of a source": config.sample,
        "documents": len(originals),
        "templates of a copy": config.templates,
    }
    return TrialResult(name="mirror", settings=settings, units=_UNITS, rows=tuple(rows), notes=NOTES)


def compare_copies(
    first: Sequence[Document], second: Sequence[Document], system: System, config: MirrorConfig | None = None
) -> TrialResult:
    """Compare two real copies, matched by the ids of their documents; each is mined as a whole.

    What is left of the articles is not known here and left out.
    """
    config = config or MirrorConfig()
    second_by_id = {document.id: document for document in second}
    for copy in (first, second):
        check_ids(copy)
    left = [document for document in sample_documents(first, config.sample, config.seed) if document.id in second_by_id]
    if not left:
        raise CorpusError("no id is in both copies", fatal=True)
    right = [second_by_id[document.id] for document in left]
    cleaned = [list(run_system(system, first, left)), list(run_system(system, second, right))]
    rows = _rows([left, right], cleaned, None)
    settings = {"seed": config.seed, "sample of a source": config.sample, "documents": len(left)}
    units = {name: unit for name, unit in _UNITS.items() if name not in ("left as it is", "article kept")}
    return TrialResult(name="mirror", settings=settings, units=units, rows=tuple(rows), notes=NOTES[:1])


def synthetic_copy(documents: Sequence[Document], templates: int, seed: int, name: str) -> list[Document]:
    """Return a copy of an archive with synthetic boilerplate, source by source; other names give other boilerplate."""
    if any(document.is_html for document in documents):
        raise CorpusError("copies can be made only of texts; expected records with text, found HTML", fatal=True)
    if not documents:
        raise CorpusError("there are no documents", fatal=True)
    synthetic: dict[str, Iterator[Document]] = {}
    for source, rows in group_by_source(documents).items():
        rng = derive_random(seed, "mirror", name, source)
        designs = [
            TemplateDesign(
                kind=kind, length=rng.randrange(4, 21), df=max(1, round(len(rows) * (0.5 + 0.5 * rng.random())))
            )
            for kind in (list(KINDS) * templates)[:templates]
        ]
        synthetic[source] = iter([article.document for article in insert_boilerplate(rows, designs, seed, name=name)])
    return [next(synthetic[document.source]) for document in documents]


def _rows(
    copies: Sequence[Sequence[Document]],
    cleaned: Sequence[Sequence[Cleaned]],
    originals: Sequence[tuple[Document, Cleaned]] | None,
) -> list[dict[str, object]]:
    figures: dict[str, list[dict[str, float]]] = {}
    for index, (left, right) in enumerate(zip(*cleaned, strict=True)):
        after = word_distance(left.text, right.text)
        row = {
            "distance before": word_distance(plain_text(copies[0][index]), plain_text(copies[1][index])),
            "distance after": after,
            "equal after": float(after == 0),
        }
        if originals is not None:
            article, cleaned_words = (
                split_words(text) for text in (originals[index][0].body, originals[index][1].text)
            )
            row["left as it is"] = len(cleaned_words) / len(article) if article else 1.0
            row["article kept"] = fmean(_kept_share(copy.text, cleaned_words) for copy in (left, right))
        for name in (copies[0][index].source, "all"):
            figures.setdefault(name, []).append(row)
    order = sorted(figures.items(), key=lambda item: (item[0] == "all", item[0]))
    return [
        {"source": name, "documents": len(rows), **{key: fmean(row[key] for row in rows) for key in rows[0]}}
        for name, rows in order
    ]


def _kept_share(text: str, expected: Sequence[str]) -> float:
    return score_words(split_words(text), expected).recall if expected else 1.0
