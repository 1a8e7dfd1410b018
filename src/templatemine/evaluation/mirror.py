"""Trial 4: two copies of a site with different furniture must come out equal.

The third proposal of Foschini's section 6.1.  Each source is dressed twice with other synthetic furniture; each copy is
cleaned with what was learnt from it and from the same copy of the other sources; then the two texts of each article
are compared.  A system that cuts everything would make them equal, too, so what is left of the article is told with it.
Copies that exist can be compared instead (`compare`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from templatemine.errors import ConfigError, CorpusError
from templatemine.evaluation.furniture import KINDS, Design, dress
from templatemine.evaluation.metrics import score_words, word_distance, words
from templatemine.evaluation.protocol import Result, System, apply, by_source, pick, random_for
from templatemine.model import Cleaned, Document

__all__ = ["MirrorConfig", "compare", "dressed_copy", "evaluate_mirror"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MirrorConfig:
    """seed; sample : documents of each source; templates : of each copy of a source, of all kinds in turn, in half to
    all of the documents, 4 to 20 words each."""

    seed: int = 1
    sample: int | None = 300
    templates: int = 8

    def __post_init__(self) -> None:
        if self.templates < 1:
            raise ConfigError(f"templates: expected at least 1, got {self.templates}")


_UNITS = {
    "source": "text",
    "documents": "count",
    "distance before": "share",
    "distance after": "share",
    "equal after": "share",
    "article kept": "share",
}

NOTES = (
    "distance: edits of words from one copy to the other, as a share of the longer one; means over documents",
    "article kept: words of the article without the furniture put in that are still in the copies",
)


def evaluate_mirror(documents: Sequence[Document], system: System, config: MirrorConfig | None = None) -> Result:
    """Dress all sources twice, clean each copy by itself, compare.

    Raises
    ------
    CorpusError
        HTML, or no documents.
    """
    config = config or MirrorConfig()
    bare = pick(documents, config.sample, config.seed)
    copies = [dressed_copy(bare, config.templates, config.seed, name) for name in ("left", "right")]
    cleaned = [apply(system, copy, copy) for copy in copies]
    rows = _rows(bare, copies, cleaned)
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
    """Compare two real copies, matched by the ids of their documents; each is learnt from as a whole.

    "article kept" is not known here and left out.
    """
    config = config or MirrorConfig()
    there = {document.id: document for document in other}
    left = [document for document in pick(one, config.sample, config.seed) if document.id in there]
    if not left:
        raise CorpusError("no id stands in both copies", fatal=True)
    right = [there[document.id] for document in left]
    cleaned = [list(apply(system, one, left)), list(apply(system, other, right))]
    rows = _rows(None, [left, right], cleaned)
    settings = {"seed": config.seed, "sample of a source": config.sample, "documents": len(left)}
    units = {name: unit for name, unit in _UNITS.items() if name != "article kept"}
    return Result(name="mirror", settings=settings, units=units, rows=tuple(rows), notes=NOTES[:1])


def dressed_copy(documents: Sequence[Document], templates: int, seed: int, name: str) -> list[Document]:
    """A copy of an archive with synthetic furniture, source by source; other names give other furniture."""
    if any(document.is_html for document in documents):
        raise CorpusError("copies are made of texts; expected records with text, found HTML", fatal=True)
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
    bare: Sequence[Document] | None, copies: Sequence[Sequence[Document]], cleaned: Sequence[Sequence[Cleaned]]
) -> list[dict[str, object]]:
    figures: dict[str, list[tuple[float, float, bool, float | None]]] = {}
    for place, (left, right) in enumerate(zip(*cleaned, strict=True)):
        before = word_distance(copies[0][place].body, copies[1][place].body)
        after = word_distance(left.text, right.text)
        kept = None
        if bare is not None:
            article = words(bare[place].body)
            kept = fmean(score_words(words(one.text), article).recall for one in (left, right)) if article else 1.0
        for name in (copies[0][place].source, "all"):
            figures.setdefault(name, []).append((before, after, after == 0, kept))
    rows: list[dict[str, object]] = []
    for name in sorted(figures, key=lambda name: (name == "all", name)):
        before_, after_, equal, kept_ = zip(*figures[name], strict=True)
        row: dict[str, object] = {
            "source": name,
            "documents": len(before_),
            "distance before": fmean(before_),
            "distance after": fmean(after_),
            "equal after": fmean(equal),
        }
        if bare is not None:
            row["article kept"] = fmean(kept_)
        rows.append(row)
    return rows
