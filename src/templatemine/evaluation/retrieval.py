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
from itertools import combinations, pairwise, product

from templatemine.errors import CorpusError, needs_extra
from templatemine.evaluation.metrics import harmonic_mean, split_words
from templatemine.evaluation.mirror import synthetic_copy
from templatemine.evaluation.plain import plain_text
from templatemine.evaluation.protocol import System, TrialResult, check_ids, derive_random, run_system, sample_documents
from templatemine.evaluation.trial_config import RetrievalConfig
from templatemine.model import Document

Pair = tuple[int, int]

_SEED_LIMIT = 2**32
"""Generators of numpy take no larger ones."""

_MAX_MISSED = 0.001


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


def make_shingles(text: str, length: int) -> frozenset[tuple[str, ...]]:
    """Return the sets of words in a row of a text, in lower case; a shorter text is one of its own."""
    words = split_words(text.lower())
    if len(words) < length:
        return frozenset({tuple(words)} if words else ())
    return frozenset(zip(*(words[offset:] for offset in range(length)), strict=False))


def find_near_duplicates(texts: Sequence[str], config: RetrievalConfig) -> set[Pair]:
    """Find the pairs (i, j), i < j, of texts whose Jaccard index reaches the threshold.

    MinHash proposes them, the sets decide; so reported pairs are right, and of pairs at the threshold one in a thousand
    is missed (`_choose_bands`).
    """
    with needs_extra("this trial needs datasketch", "eval"):
        from datasketch import MinHash, MinHashLSH
    sets = [make_shingles(text, config.shingle) for text in texts]
    pairs: set[Pair] = set()
    lsh_index = MinHashLSH(num_perm=config.permutations, params=_choose_bands(config.threshold, config.permutations))
    for index, elements in enumerate(sets):
        if elements:
            sketch = MinHash(num_perm=config.permutations, seed=config.seed % _SEED_LIMIT)
            sketch.update_batch([" ".join(element).encode("utf-8", "surrogatepass") for element in sorted(elements)])
            for other in lsh_index.query(sketch):
                if _jaccard(elements, sets[other]) >= config.threshold:
                    pairs.add((other, index))
            lsh_index.insert(index, sketch)
    return pairs


def _choose_bands(threshold: float, permutations: int) -> tuple[int, int]:
    """Choose the number of bands, and of hashes in each: as many as miss one pair in a thousand, of those at the
    threshold.

    A pair of Jaccard index j agrees in a band of r hashes with a chance of j**r, in none of b bands with (1 - j**r)**b.
    """
    rows = 1
    while (1 - threshold ** (rows + 1)) ** (permutations // (rows + 1)) <= _MAX_MISSED:
        rows += 1
    return permutations // rows, rows


def _jaccard(first: frozenset[tuple[str, ...]], second: frozenset[tuple[str, ...]]) -> float:
    common = len(first & second)
    return common / (len(first) + len(second) - common)


def evaluate_near_duplicates(
    documents: Sequence[Document],
    system: System,
    config: RetrievalConfig | None = None,
    groups: Mapping[str, str] | None = None,
) -> TrialResult:
    """Find near duplicates before and after cleaning.

    Parameters
    ----------
    groups : mapping, optional
        Id -> name of its group of duplicates; documents that are not in it are duplicates of none.  Without it copies
        are made, and pairs of articles that are alike by themselves count neither way.
    """
    config = config or RetrievalConfig()
    if groups is not None:
        check_ids(documents)
    sampled = sample_documents(documents, config.sample, config.seed)
    if groups is None:
        archives = [synthetic_copy(sampled, config.templates, config.seed, "left")]
        archives.append(synthetic_copy(_change_words(sampled, config), config.templates, config.seed, "right"))
        truth = {(index, index + len(sampled)) for index in range(len(sampled))}
        natural_pairs = find_near_duplicates([document.body for document in sampled], config)
        ignored = {
            tuple(sorted(pair))
            for first, second in natural_pairs
            for pair in product((first, first + len(sampled)), (second, second + len(sampled)))
        }
    else:
        archives = [sampled]
        truth = _group_pairs([groups.get(document.id) for document in sampled])
        ignored = set()
    if not truth:
        raise CorpusError("no two documents are in one group of duplicates", fatal=True)
    original_texts = [plain_text(document) for archive in archives for document in archive]
    cleaned = [answer.text for archive in archives for answer in run_system(system, archive, archive)]
    rows = []
    for name, texts in (("as they are", original_texts), ("cleaned", cleaned)):
        predicted = find_near_duplicates(texts, config) - ignored
        rows.append(_pair_row(name, len(texts), truth, predicted))
    settings = {
        "seed": config.seed,
        "sample of a source": config.sample,
        "documents": len(original_texts),
        "truth": "copies made" if groups is None else "groups given",
        "Jaccard index": config.threshold,
        "words changed in a copy": config.changed if groups is None else None,
    }
    notes = ("pairs of articles that are near duplicates without boilerplate are ignored",) if groups is None else ()
    return TrialResult(name="near duplicates", settings=settings, units=_DUPLICATE_UNITS, rows=tuple(rows), notes=notes)


def _change_words(documents: Sequence[Document], config: RetrievalConfig) -> list[Document]:
    """Return the articles with some words replaced by others of the same article; characters, where there are no
    blanks."""
    changed = []
    for document in documents:
        rng = derive_random(config.seed, "changed", document.source, document.id)
        words = split_words(document.body)
        chance = config.changed
        text = "".join(
            rng.choice(words) if words and part.isalnum() and rng.random() < chance else part
            for part in _split_parts(document.body)
        )
        changed.append(replace(document, text=text))
    return changed


def _split_parts(text: str) -> list[str]:
    """Return the words of a text and the separators between them, in order."""
    parts, offset = [], 0
    for word in split_words(text):
        start = text.index(word, offset)
        parts += [text[offset:start], word]
        offset = start + len(word)
    return [*parts, text[offset:]]


def _group_pairs(groups: Iterable[str | None]) -> set[Pair]:
    members: dict[str, list[int]] = {}
    for index, name in enumerate(groups):
        if name is not None:
            members.setdefault(name, []).append(index)
    return {pair for positions in members.values() for pair in combinations(positions, 2)}


def _pair_row(name: str, documents: int, truth: set[Pair], predicted: set[Pair]) -> dict[str, object]:
    correct = len(truth & predicted)
    recall = correct / len(truth)
    precision = correct / len(predicted) if predicted else 1.0
    return {
        "articles": name,
        "documents": documents,
        "pairs": len(truth),
        "said to be": len(predicted),
        "recall": recall,
        "precision": precision,
        "f1": harmonic_mean(recall, precision),
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
) -> TrialResult:
    """Cluster articles before and after cleaning, and compare the clusters with labels.

    Parameters
    ----------
    documents : sequence of Document
        The system learns from those that are picked; those without a label are not clustered.
    labels : mapping
        Id -> topic, or source.

    Raises
    ------
    CorpusError
        Fewer than two labels, no more documents than labels, too few words in common, or an id in two sources.
    """
    config = config or RetrievalConfig()
    check_ids(documents)
    # In one order, because k-means begins with the documents that its seed hits upon.
    sampled = sorted(
        sample_documents(documents, config.sample, config.seed), key=lambda document: (document.source, document.id)
    )
    positions = [index for index, document in enumerate(sampled) if document.id in labels]
    truth = [labels[sampled[index].id] for index in positions]
    if len(set(truth)) < 2 or len(truth) <= len(set(truth)):
        problem = f"expected at least two labels and more documents than labels, found {len(set(truth))} labels"
        raise CorpusError(f"{problem} of {len(truth)} documents", fatal=True)
    cleaned = run_system(system, sampled, sampled)
    rows = []
    for name, texts in (
        ("as they are", [plain_text(sampled[index]) for index in positions]),
        ("cleaned", [cleaned[index].text for index in positions]),
    ):
        rows.append({"articles": name, "documents": len(texts), **_score_clusters(texts, truth, config)})
    settings = {
        "seed": config.seed,
        "sample of a source": config.sample,
        "documents": len(truth),
        "starts of k-means": config.starts,
    }
    notes = ("agreement of the clusters with the labels; if these are sources, cleaning should lower it",)
    return TrialResult(name="clustering", settings=settings, units=_CLUSTER_UNITS, rows=tuple(rows), notes=notes)


def _score_clusters(texts: Sequence[str], truth: Sequence[str], config: RetrievalConfig) -> dict[str, float]:
    with needs_extra("this trial needs scikit-learn", "eval"):
        from sklearn import metrics
        from sklearn.cluster import KMeans
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.preprocessing import normalize
    seed = config.seed % _SEED_LIMIT
    try:
        table = TfidfVectorizer(analyzer=_make_terms, min_df=2, max_df=0.5, sublinear_tf=True).fit_transform(texts)
    except ValueError as error:  # no word is left
        problem = (
            f"{len(texts)} articles share too few words to be clustered: none stands in two and at most half of them"
        )
        raise CorpusError(problem, fatal=True) from error
    dimensions = min(_DIMENSIONS, min(table.shape) - 1)
    vectors = normalize(TruncatedSVD(dimensions, random_state=seed).fit_transform(table)) if dimensions else table
    labels = len(set(truth))
    clusters = KMeans(labels, n_init=config.starts, random_state=seed).fit_predict(vectors)
    return {
        "labels": labels,
        "adjusted Rand": float(metrics.adjusted_rand_score(truth, clusters)),
        "mutual information": float(metrics.normalized_mutual_info_score(truth, clusters)),
        "homogeneity": float(metrics.homogeneity_score(truth, clusters)),
        "completeness": float(metrics.completeness_score(truth, clusters)),
    }


def _make_terms(text: str) -> list[str]:
    """Return words in lower case, and pairs of neighbouring characters of scripts without spaces."""
    words = split_words(text.lower())
    pairs = [
        first + second
        for first, second in pairwise(words)
        if _is_single_character(first) and _is_single_character(second)
    ]
    return [word for word in words if not _is_single_character(word)] + pairs


def _is_single_character(word: str) -> bool:
    return len(word) == 1 and word > "\u3000"
