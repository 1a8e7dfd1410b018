"""Trial 3: near-duplicate detection and clustering, before and after cleaning.

The second proposal of Foschini's section 6.1.  Clustering: articles with a field for the topic (or source), as TF-IDF
vectors in 100 latent dimensions, clustered by k-means into as many clusters as there are labels.  Near duplicates:
pairs of articles whose sets of three words in a row have a Jaccard index above the threshold, found by MinHash.  A
field names the true duplicates; without one, copies are made: every article in the boilerplate of a second publisher,
some of its words changed.  Needs scikit-learn and datasketch (the extra ``eval``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise

from templatemine.errors import CorpusError, MissingExtraError, pip_line
from templatemine.evaluation.metrics import harmonic, words
from templatemine.evaluation.mirror import dressed_copy
from templatemine.evaluation.options import RetrievalConfig
from templatemine.evaluation.plain import plain
from templatemine.evaluation.protocol import Result, System, apply, check_ids, pick, random_for
from templatemine.model import Document

__all__ = ["RetrievalConfig", "evaluate_clustering", "evaluate_near_duplicates", "near_duplicates", "shingles"]

Pair = tuple[int, int]

_SEEDS = 2**32
"""Generators of numpy take no larger ones."""

_MISSED = 0.001


# ----------------------------------------------------------------------------------------------------- near duplicates

_DUPLICATE_UNITS = {
    "articles": "text",
    "documents": "count",
    "pairs": "count",
    "said to be": "count",
    "recall": "share",
    "precision": "share",
    "f1": "share",
}


def shingles(text: str, length: int) -> frozenset[tuple[str, ...]]:
    """The sets of words in a row of a text, in lower case; a shorter text is one of its own."""
    found = words(text.lower())
    if len(found) < length:
        return frozenset({tuple(found)} if found else ())
    return frozenset(zip(*(found[at:] for at in range(length)), strict=False))


def near_duplicates(texts: Sequence[str], config: RetrievalConfig) -> set[Pair]:
    """Pairs (i, j), i < j, of texts whose Jaccard index reaches the threshold.

    MinHash proposes them, the sets decide; so what is said is right, and of pairs at the threshold one in a thousand is
    missed (`_bands`).
    """
    try:
        from datasketch import MinHash, MinHashLSH
    except ImportError as error:
        raise _missing("datasketch") from error
    sets = [shingles(text, config.shingle) for text in texts]
    found: set[Pair] = set()
    index = MinHashLSH(num_perm=config.permutations, params=_bands(config.threshold, config.permutations))
    for place, elements in enumerate(sets):
        if elements:
            sketch = MinHash(num_perm=config.permutations, seed=config.seed % _SEEDS)
            sketch.update_batch([" ".join(element).encode("utf-8", "surrogatepass") for element in sorted(elements)])
            for other in index.query(sketch):
                if _jaccard(elements, sets[other]) >= config.threshold:
                    found.add((other, place))
            index.insert(place, sketch)
    return found


def _bands(threshold: float, permutations: int) -> tuple[int, int]:
    """Bands, and hashes in each: as many as let one pair in a thousand pass by, of those at the threshold.

    A pair of Jaccard index j agrees in a band of r hashes with a chance of j**r, in none of b bands with (1 - j**r)**b.
    """
    rows = 1
    while (1 - threshold ** (rows + 1)) ** (permutations // (rows + 1)) <= _MISSED:
        rows += 1
    return permutations // rows, rows


def _jaccard(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> float:
    common = len(one & other)
    return common / (len(one) + len(other) - common)


def evaluate_near_duplicates(
    documents: Sequence[Document],
    system: System,
    config: RetrievalConfig | None = None,
    groups: Mapping[str, str] | None = None,
) -> Result:
    """Find near duplicates before and after cleaning.

    Parameters
    ----------
    documents, system
    config : RetrievalConfig, optional
    groups : mapping, optional
        Id -> name of its group of duplicates; documents that are not in it are duplicates of none.  Without it copies
        are made, and pairs of articles that are alike by themselves count neither way.
    """
    config = config or RetrievalConfig()
    if groups is not None:
        check_ids(documents)
    picked = pick(documents, config.sample, config.seed)
    if groups is None:
        archives = [dressed_copy(picked, config.templates, config.seed, "left")]
        archives.append(dressed_copy(_changed(picked, config), config.templates, config.seed, "right"))
        truth = {(place, place + len(picked)) for place in range(len(picked))}
        alike = near_duplicates([document.body for document in picked], config)
        ignored = {
            tuple(sorted(pair))
            for one, other in alike
            for pair in (
                (one, other),
                (one, other + len(picked)),
                (one + len(picked), other),
                (one + len(picked), other + len(picked)),
            )
        }
    else:
        archives = [picked]
        truth = _pairs_of([groups.get(document.id) for document in picked])
        ignored = set()
    if not truth:
        raise CorpusError("no two documents are in one group of duplicates", fatal=True)
    bare = [plain(document) for archive in archives for document in archive]
    cleaned = [answer.text for archive in archives for answer in apply(system, archive, archive)]
    rows = []
    for name, texts in (("as they are", bare), ("cleaned", cleaned)):
        said = near_duplicates(texts, config) - ignored
        rows.append(_pair_row(name, len(texts), truth, said))
    settings = {
        "seed": config.seed,
        "sample of a source": config.sample,
        "documents": len(bare),
        "truth": "copies made" if groups is None else "groups given",
        "Jaccard index": config.threshold,
        "words changed in a copy": config.changed if groups is None else None,
    }
    notes = ("pairs of articles that are near duplicates without boilerplate are ignored",) if groups is None else ()
    return Result(name="near duplicates", settings=settings, units=_DUPLICATE_UNITS, rows=tuple(rows), notes=notes)


def _changed(documents: Sequence[Document], config: RetrievalConfig) -> list[Document]:
    """The articles with some words replaced by others of the same article; characters, where there are no blanks."""
    found = []
    for document in documents:
        rng = random_for(config.seed, "changed", document.source, document.id)
        own = words(document.body)
        chance = config.changed
        text = "".join(
            rng.choice(own) if own and part.isalnum() and rng.random() < chance else part
            for part in _parts(document.body)
        )
        found.append(replace(document, text=text))
    return found


def _parts(text: str) -> list[str]:
    """The words of a text and the separators between them, in order."""
    parts, at = [], 0
    for word in words(text):
        place = text.index(word, at)
        parts += [text[at:place], word]
        at = place + len(word)
    return [*parts, text[at:]]


def _pairs_of(groups: Iterable[str | None]) -> set[Pair]:
    members: dict[str, list[int]] = {}
    for place, name in enumerate(groups):
        if name is not None:
            members.setdefault(name, []).append(place)
    return {pair for places in members.values() for pair in combinations(places, 2)}


def _pair_row(name: str, documents: int, truth: set[Pair], said: set[Pair]) -> dict[str, object]:
    right = len(truth & said)
    recall = right / len(truth)
    precision = right / len(said) if said else 1.0
    return {
        "articles": name,
        "documents": documents,
        "pairs": len(truth),
        "said to be": len(said),
        "recall": recall,
        "precision": precision,
        "f1": harmonic(recall, precision),
    }


# ---------------------------------------------------------------------------------------------------------- clustering

_CLUSTER_UNITS = {
    "articles": "text",
    "documents": "count",
    "labels": "count",
    "adjusted Rand": "number",
    "mutual information": "number",
    "homogeneity": "number",
    "completeness": "number",
}

_DIMENSIONS = 100


def evaluate_clustering(
    documents: Sequence[Document],
    labels: Mapping[str, str],
    system: System,
    config: RetrievalConfig | None = None,
) -> Result:
    """Cluster articles before and after cleaning, and compare the clusters with labels.

    Parameters
    ----------
    documents : sequence of Document
        The system learns from those that are picked; those without a label are not clustered.
    labels : mapping
        Id -> topic, or source.
    system
    config : RetrievalConfig, optional

    Raises
    ------
    CorpusError
        Fewer than two labels, no more documents than labels, too few words in common, or an id in two sources.
    """
    config = config or RetrievalConfig()
    check_ids(documents)
    # In one order, because k-means begins with the documents that its seed hits upon.
    picked = sorted(pick(documents, config.sample, config.seed), key=lambda one: (one.source, one.id))
    places = [place for place, document in enumerate(picked) if document.id in labels]
    truth = [labels[picked[place].id] for place in places]
    if len(set(truth)) < 2 or len(truth) <= len(set(truth)):
        problem = f"expected at least two labels and more documents than labels, found {len(set(truth))} labels"
        raise CorpusError(f"{problem} of {len(truth)} documents", fatal=True)
    cleaned = apply(system, picked, picked)
    rows = []
    for name, texts in (
        ("as they are", [plain(picked[place]) for place in places]),
        ("cleaned", [cleaned[place].text for place in places]),
    ):
        rows.append({"articles": name, "documents": len(texts), **_clustered(texts, truth, config)})
    settings = {
        "seed": config.seed,
        "sample of a source": config.sample,
        "documents": len(truth),
        "starts of k-means": config.starts,
    }
    notes = ("agreement of the clusters with the labels; if these are sources, cleaning should lower it",)
    return Result(name="clustering", settings=settings, units=_CLUSTER_UNITS, rows=tuple(rows), notes=notes)


def _clustered(texts: Sequence[str], truth: Sequence[str], config: RetrievalConfig) -> dict[str, float]:
    try:
        from sklearn import metrics
        from sklearn.cluster import KMeans
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.preprocessing import normalize
    except ImportError as error:
        raise _missing("scikit-learn") from error
    seed = config.seed % _SEEDS
    try:
        table = TfidfVectorizer(analyzer=_terms, min_df=2, max_df=0.5, sublinear_tf=True).fit_transform(texts)
    except ValueError as error:  # no word is left
        problem = (
            f"{len(texts)} articles share too few words to be clustered: none stands in two and at most half of them"
        )
        raise CorpusError(problem, fatal=True) from error
    dimensions = min(_DIMENSIONS, min(table.shape) - 1)
    vectors = normalize(TruncatedSVD(dimensions, random_state=seed).fit_transform(table)) if dimensions else table
    labels = len(set(truth))
    found = KMeans(labels, n_init=config.starts, random_state=seed).fit_predict(vectors)
    return {
        "labels": labels,
        "adjusted Rand": float(metrics.adjusted_rand_score(truth, found)),
        "mutual information": float(metrics.normalized_mutual_info_score(truth, found)),
        "homogeneity": float(metrics.homogeneity_score(truth, found)),
        "completeness": float(metrics.completeness_score(truth, found)),
    }


def _terms(text: str) -> list[str]:
    """Words in lower case, and pairs of neighbouring characters of scripts without spaces."""
    found = words(text.lower())
    pairs = [one + other for one, other in pairwise(found) if _alone(one) and _alone(other)]
    return [word for word in found if not _alone(word)] + pairs


def _alone(word: str) -> bool:
    return len(word) == 1 and word > "\u3000"


def _missing(name: str) -> MissingExtraError:
    return MissingExtraError(f"this trial needs {name}: {pip_line('eval')}")
