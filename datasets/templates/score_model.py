"""Annotated articles and labelled strings of sources -> trees for `templatemine.mining.score`.

What is fitted is the share of the characters of a candidate that are boilerplate, over its occurrences in annotated
articles; of one that is a labelled string it is what the reader says, all or nothing.  A source counts as one, whatever
it has of these; of labels, boilerplate and content of a source count the same.  Fillers are scored with the scores of
labels that were made without their publisher, as those of a new source will be; labels that are none stay among them,
for those the forests let through are what they are asked about.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).resolve().parent
for folder in (str(HERE), str(HERE.parent)):
    if folder not in sys.path:
        sys.path.insert(0, folder)

from running_stories import repeat_passages  # noqa: E402
from training_data import (  # noqa: E402
    BOILERPLATE_KINDS,
    FILLERS,
    UNITS,
    AnnotatedSource,
    MatchedLabel,
    locate_tokens,
    match_labels,
)
from wording_model import fit_wording  # noqa: E402

from templatemine.config import PipelineConfig  # noqa: E402
from templatemine.evaluation.gold import GoldSpans  # noqa: E402
from templatemine.evaluation.metrics import OPTIONAL, TEMPLATE, GoldSpan, status_masks, visible_mask  # noqa: E402
from templatemine.evaluation.protocol import derive_random  # noqa: E402
from templatemine.evaluation.synthetic_boilerplate import KINDS as KINDS_OF_BOILERPLATE  # noqa: E402
from templatemine.evaluation.synthetic_boilerplate import PositionKind, TemplateDesign, insert_boilerplate  # noqa: E402
from templatemine.mining.corpus import Vocabulary  # noqa: E402
from templatemine.mining.features import FEATURES, CueReader, compute_features  # noqa: E402
from templatemine.mining.labels import KINDS, PREFIX, SEGMENT, Candidates, find_candidates  # noqa: E402
from templatemine.mining.methods import resolve_defaults  # noqa: E402
from templatemine.mining.near_duplicates import is_blank  # noqa: E402
from templatemine.mining.score import COLUMNS, FILLER_FORESTS, KIND_FORESTS, Model, filler_matrix, kind_matrix  # noqa: E402
from templatemine.mining.segments import Segments, segment  # noqa: E402
from templatemine.mining.stages import read_source  # noqa: E402
from templatemine.mining.wording import Words, read_words  # noqa: E402
from templatemine.model import Document  # noqa: E402
from templatemine.text.reading import ReadingRules  # noqa: E402
from trees import average_trees, extract_trees  # noqa: E402

__all__ = [
    "ADDED_EXAMPLES",
    "SYNTHETIC_COPIES",
    "GROUPS",
    "LabelledCandidates",
    "SourceCandidates",
    "SourceExamples",
    "find_source_candidates",
    "make_running_examples",
    "make_synthetic_examples",
    "make_examples",
    "fit",
    "mask_features",
    "part_pieces",
    "score_words",
]

Array = NDArray[Any]

OPTIONS: dict[str, Any] = {
    "objective": "cross_entropy",
    "learning_rate": 0.08,
    "num_leaves": 15,
    "min_data_in_leaf": 20,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5,
    "verbose": -1,
    "num_threads": 1,
    "deterministic": True,
}
TREES, FILLER_TREES, FILLER_LEAVES, FILLER_LEAST = 100, 60, 6, 20
KIND_TREES, KIND_LEAVES, KIND_LEAST = 80, 8, 10
WEIGHT_POWER = 0.25
"""Of the characters of a candidate, its weight."""
SEEDS = (1, 2, 3, 4)
"""Trainings, each by other dice; their mean is what is kept."""
FOLDS = 5
ONE_SEGMENT = 0.5
"""Mean of the logarithm of segments to the edge of the line, below which there is mostly one."""
SENTENCE, LINE = FILLERS.index("sentence"), FILLERS.index("line")
MIN_LABEL_SCORE = 0.4
"""Labels with at least this score are asked whether what fills their line goes with them."""

SYNTHETIC = {
    **KINDS_OF_BOILERPLATE,
    "opening": PositionKind(position="opening", sentence=False),
    "opening, colon": PositionKind(position="opening", sentence=False, colon=True),
    "label": PositionKind(position="start", sentence=False, colon=True),
    "sentence at the end": PositionKind(position="end"),
    "sentence at the start": PositionKind(position="start"),
}
SYNTHETIC_COPIES, DESIGNS, SYNTHETIC_WEIGHT = 2, 12, 0.1
FEW_ARTICLES = 60
"""Articles that are not annotated of every second copy with repeated passages: small archives have such, too."""
FIRST_DAY, ARTICLES_A_DAY = date(2024, 1, 1), 3
"""Dates of the articles of a source that has none: a story is told for some days."""
RUNNING_WEIGHT = 0.05
"""Of a copy of a source with passages that are repeated.  On publishers left out, of such passages in four to eight of
their articles 26 % are cut without these copies, 3.4 % with 0.05, and 1.9 % with 0.3, which costs half a point of F1;
passages in up to 12 % of the articles cost as much.  Of such in articles next to each other in date 13 % go, of 60
articles 45 %, if followers are chosen by words alone and all copies are whole; with both as they are, 4 % and 6 %."""
LENGTHS, HALVINGS = (0.5, 4.5), 7.0
"""Of synthetic boilerplate: copies of a source, templates in each, weight of a copy; and the logarithms of words and of
one over the share of documents, both drawn evenly."""

GROUPS = {
    "counts": "documents share each span dense busiest string_share",
    "places": "alone begins ends position position_sd edge from_start from_end first last near segment line",
    "neighbours": (
        "closed before_df after_df before_repeats after_repeats beside in_prose before_same after_same before_tokens "
        "after_tokens before_closed before_open goes_on torn"
    ),
    "words": (
        "tokens characters information bits capitals mutable figures small script small_first capital_first colon_last "
        "closed_last sentence_last own dashed upper letters unclosed addresses mails handles times rights"
    ),
    "context of labels": (
        "longer shorter same_beside kinds_beside capital_beside small_beside mutable_beside edge_own lift fill fill_sd "
        "fill_characters fill_capitals fill_mutable rest rest_sd rest_capitals rest_closed rest_segments"
    ),
}
"""Features by what they look at."""

CUES = " ".join(name for name in FEATURES[SEGMENT] if name.startswith("cue_"))
GROUPS["cues"] = CUES

RISING = {
    SEGMENT: (
        "documents share information before_repeats after_repeats beside own near span before_same after_same alone "
        f"last each string_share dashed {CUES}"
    ),
    PREFIX: (
        "documents share information before_repeats after_repeats beside own near span colon_last capital_beside "
        f"edge_own lift dashed {CUES}"
    ),
}
FALLING = {
    SEGMENT: "in_prose small_first edge position_sd torn",
    PREFIX: "in_prose small_first edge position_sd torn small_beside",
}
FILLER_RISING = "unclosed fill_capitals rest_capitals ends begins colon_last capital_beside alone"
FILLER_FALLING = "rest_closed rest_sd rest fill fill_sd in_prose small_beside rest_segments torn"
"""Features of which more never speaks against (for) boilerplate, whatever the articles at hand seem to say."""


@dataclass(frozen=True, kw_only=True)
class SourceCandidates:
    """The candidates of a source, and what they were found in.

    Attributes
    ----------
    documents : list of Document
        Those that are neither blank nor copies of others.
    rules : ReadingRules or None
        How their texts are read.
    forms : Vocabulary
    segments : Segments
    candidates : tuple of Candidates
    matrices : list of float32 array, shape (candidates, features)
    reader : CueReader
    """

    documents: list[Document]
    rules: ReadingRules | None
    forms: Vocabulary
    segments: Segments
    candidates: tuple[Candidates, ...]
    matrices: list[NDArray[np.float32]]
    reader: CueReader


@dataclass(frozen=True, kw_only=True)
class LabelledCandidates:
    """The candidates of one kind that are known, from annotated articles or as labelled strings.

    Attributes
    ----------
    matrix : float32 array, shape (known candidates, features)
    surroundings : float32 array, shape (known candidates, `SURROUNDINGS`)
    usual : float32 array, shape (features,)
        Medians of all candidates, known or not.
    size, boilerplate : int64 arrays, shape (known candidates,)
        Characters of the known occurrences of each, and how many of them are boilerplate.  Where a string is labelled,
        the label decides.
    rest, rest_boilerplate : int64 arrays
        The same of what else is on the line beside a label; of a labelled string `rest` is its own size.
    kinds : int64 array, shape (known candidates, BOILERPLATE_KINDS)
        Of its boilerplate characters, those of each kind; fewer where spans have none.
    label : int8 array
        1 boilerplate, 0 content, -1 not labelled or mixed.
    filler : int8 array
        What becomes of the rest of the line: a place in `FILLERS`, -1 not labelled.
    unit : int8 array
        What a labelled string was found as: a place in `UNITS`, -1 not labelled.
    pieces : array of int32 arrays, shape (known candidates,)
        See `wording.Words`.
    """

    matrix: NDArray[np.float32]
    surroundings: NDArray[np.float32]
    usual: NDArray[np.float32]
    size: NDArray[np.int64]
    boilerplate: NDArray[np.int64]
    rest: NDArray[np.int64]
    rest_boilerplate: NDArray[np.int64]
    kinds: NDArray[np.int64]
    label: NDArray[np.int8]
    filler: NDArray[np.int8]
    unit: NDArray[np.int8]
    pieces: NDArray[np.object_]

    def take(self, rows: NDArray[np.int64]) -> LabelledCandidates:
        """Take some of the known candidates."""
        columns = {one.name: getattr(self, one.name)[rows] for one in fields(self) if one.name != "usual"}
        return replace(self, **columns)


@dataclass(frozen=True, kw_only=True)
class SourceExamples:
    """All that is learnt from one source, by kind of candidate."""

    source: str
    publisher: str
    kinds: Mapping[str, LabelledCandidates] = field(repr=False)
    weight: float = 1.0


def find_source_candidates(source: str, documents: Sequence[Document]) -> SourceCandidates:
    """The candidates of a source and their features, as `templatemine mine` has them."""
    options = resolve_defaults(PipelineConfig())
    read = read_source(source, documents, options)
    corpus, kept = read.corpus, [documents[place] for place in read.originals.tolist()]
    segments = segment(corpus)
    candidates = find_candidates(segments)
    reader = CueReader(segments, corpus.form_names, options.lexicons)
    matrices = compute_features(corpus, segments, [one.date for one in kept], candidates, reader)
    return SourceCandidates(
        documents=kept,
        rules=read.rules,
        forms=corpus.form_names,
        segments=segments,
        candidates=candidates,
        matrices=matrices,
        reader=reader,
    )


def make_examples(source: AnnotatedSource) -> SourceExamples:
    """The candidates of a source, and what its annotated articles and labelled strings say of them."""
    found = find_source_candidates(source.name, source.documents)
    annotation = _read_annotation(found, source.gold)
    matches = match_labels(found.segments, found.candidates, found.documents, source.labels, found.rules)
    kinds = {
        one.kind: _label_candidates(
            found,
            one,
            found.matrices[number],
            annotation,
            [match for match in matches if match.candidates == number and match.label is not None],
        )
        for number, one in enumerate(found.candidates)
    }
    return SourceExamples(source=source.name, publisher=source.publisher, kinds=kinds)


def make_synthetic_examples(source: AnnotatedSource, seed: int) -> SourceExamples:
    """`make_examples` of the same articles with synthetic boilerplate among their own, as a source of less weight.

    Annotated sources do not have all that there is: a line that opens every article, a colophon in half of them.
    Labelled strings are not looked for: their places are others.
    """
    articles = [one for one in source.documents if not is_blank(one)]
    random = derive_random(seed, source.name)
    designs = [
        TemplateDesign(
            kind=random.choice(sorted(SYNTHETIC)),
            length=round(2 ** random.uniform(*LENGTHS)),
            df=max(3, round(len(articles) * 2 ** -random.uniform(0, HALVINGS))),
        )
        for _ in range(DESIGNS)
    ]
    rows = insert_boilerplate(articles, designs, seed, name="training", kinds=SYNTHETIC)
    spans: dict[str, list[GoldSpan]] = {}
    for row in rows:
        if row.document.id in source.gold:
            own: list[GoldSpan] = [
                (max(start, old) - old + new, min(end, old + size) - old + new, *rest)
                for start, end, *rest in source.gold[row.document.id]
                for new, old, size in row.alignment
                if max(start, old) < min(end, old + size)
            ]
            spans[row.document.id] = [*own, *((piece.start, piece.end, TEMPLATE) for piece in row.templates)]
    dressed = replace(source, documents=tuple(row.document for row in rows), gold=spans, labels=())
    examples = make_examples(dressed)
    return replace(examples, source=f"{source.name}, dressed {seed}", weight=SYNTHETIC_WEIGHT)


def make_running_examples(source: AnnotatedSource, seed: int) -> SourceExamples:
    """Segments of the same articles that are content, of which others repeat passages of the annotated ones: what is in
    several articles need not be boilerplate."""
    articles = [one for one in source.documents if not is_blank(one)]
    if seed % 2 == 0:
        others = [one for one in articles if one.id not in source.gold]
        chosen = derive_random(seed, "few", source.name).sample(others, min(len(others), FEW_ARTICLES))
        few = {one.id for one in chosen} | source.gold.keys()
        articles = [one for one in articles if one.id in few]
    if not any(one.date for one in articles):
        days = [str(FIRST_DAY + timedelta(days=place // ARTICLES_A_DAY)) for place in range(len(articles))]
        articles = [replace(one, date=day) for one, day in zip(articles, days, strict=True)]
    origins = [place for place, one in enumerate(articles) if one.id in source.gold]
    kept = {name: [(start, end) for start, end, *_ in spans] for name, spans in source.gold.items()}
    documents, _ = repeat_passages(articles, origins, kept, seed)
    examples = make_examples(replace(source, documents=tuple(documents), labels=()))
    kinds = {
        kind: labelled.take(np.flatnonzero((labelled.boilerplate == 0) & (kind == SEGMENT)))
        for kind, labelled in examples.kinds.items()
    }
    return replace(examples, source=f"{source.name}, running {seed}", kinds=kinds, weight=RUNNING_WEIGHT)


ADDED_EXAMPLES = (make_synthetic_examples, make_running_examples)
"""Makers of copies of a source that differ from it, of so many seeds as `SYNTHETIC_COPIES`."""


@dataclass(frozen=True, kw_only=True)
class _Annotation:
    """The characters of annotated articles, one article after the other.

    Attributes
    ----------
    tokens : int64 array, shape (tokens of the source, 2)
        Where each token of an annotated article begins and ends among these characters; -1 of all other tokens.
    sums : int64 array, shape (2 + BOILERPLATE_KINDS, characters + 1)
        Characters before each that count, that are boilerplate, and that are of each kind.
    """

    tokens: NDArray[np.int64]
    sums: NDArray[np.int64]

    def count(self, owner: Array, first: Array, last: Array, candidates: int) -> NDArray[np.int64]:
        """Sums over some runs of tokens, from the first to the last, by owner: shape (candidates, 2 + kinds)."""
        # The rest of a line is empty where a label fills it.
        filled = last >= first
        owner, begin, end = owner[filled], self.tokens[first[filled], 0], self.tokens[last[filled], 1]
        counts = [np.bincount(owner, own[end] - own[begin], minlength=candidates) for own in self.sums]
        return np.stack(counts, axis=1).astype(np.int64)


def _read_annotation(found: SourceCandidates, gold: GoldSpans) -> _Annotation:
    tokens = np.full((len(found.segments.tokens), 2), -1, np.int64)
    marks = [np.zeros((2 + len(BOILERPLATE_KINDS), 1), np.bool_)]
    offset = 0
    for index, document in enumerate(found.documents):
        if document.id not in gold:
            continue
        text = document.body
        template, dynamic, optional = status_masks(text, gold[document.id])
        counted = visible_mask(text) & ~optional
        own = np.zeros((2 + len(BOILERPLATE_KINDS), len(text)), np.bool_)
        own[0] = counted
        own[1] = counted & (template | dynamic)
        for start, end, status, *kind in gold[document.id]:
            if kind and status != OPTIONAL:
                row = 2 + BOILERPLATE_KINDS.index(kind[0])
                own[row, start:end] = counted[start:end]
        marks.append(own)
        starts, ends = locate_tokens(document, found.rules)
        stretch = slice(*found.segments.doc_tokens[index : index + 2].tolist())
        tokens[stretch] = np.stack([starts, ends], axis=1) + offset
        offset += len(text)
    return _Annotation(tokens=tokens, sums=np.cumsum(np.concatenate(marks, axis=1), axis=1, dtype=np.int64))


def _label_candidates(
    found: SourceCandidates,
    candidates: Candidates,
    matrix: NDArray[np.float32],
    annotation: _Annotation,
    matches: Sequence[MatchedLabel],
) -> LabelledCandidates:
    segments = found.segments
    owner = np.repeat(np.arange(len(candidates)), candidates.count)
    annotated = annotation.tokens[segments.bounds[candidates.segment], 0] >= 0
    owner, seg = owner[annotated], candidates.segment[annotated]
    length = candidates.length[owner].astype(np.int64)
    begin = candidates.starts(segments, seg, length)
    last = begin + length - 1
    own = annotation.count(owner, begin, last, len(candidates))
    rest = np.zeros((len(candidates), 2), np.int64)
    if candidates.kind != SEGMENT:
        line = np.cumsum(segments.begins_line) - 1
        begins = np.flatnonzero(segments.begins_line)
        if candidates.kind == PREFIX:
            low, high = last + 1, segments.bounds[np.append(begins[1:], len(segments))[line[seg]]] - 1
        else:
            low, high = segments.bounds[begins[line[seg]]], begin - 1
        rest = annotation.count(owner, low, high, len(candidates))
    label, filler, unit = np.full((3, len(candidates)), -1, np.int8)
    for match in matches:
        size = len("".join(match.string.text.split())) * len(match.occurrences)
        label[match.row] = bool(match.label)
        unit[match.row] = UNITS.index(match.string.unit)
        filler[match.row] = FILLERS.index(match.filler) if match.filler else -1
        own[match.row] = 0
        own[match.row, :2] = size, size * bool(match.label)
        if match.kind:
            own[match.row, 2 + BOILERPLATE_KINDS.index(match.kind)] = size
        if candidates.kind != SEGMENT:
            # A slot goes to the edge of the line: what is boilerplate to the end of its sentence must end there, too.
            is_last = matrix[match.row, FEATURES[PREFIX].index("rest_segments")] < ONE_SEGMENT
            goes = filler[match.row] == LINE or (filler[match.row] == SENTENCE and is_last)
            rest[match.row, :2] = size, size * goes
    known = np.flatnonzero(own[:, 0] > 0)
    return LabelledCandidates(
        matrix=matrix[known],
        surroundings=found.reader.read_surroundings(candidates, known),
        usual=np.median(matrix, axis=0) if len(matrix) else np.full(matrix.shape[1], np.nan, np.float32),
        size=own[known, 0],
        boilerplate=own[known, 1],
        rest=rest[known, 0],
        rest_boilerplate=rest[known, 1],
        kinds=own[known, 2:],
        label=label[known],
        filler=filler[known],
        unit=unit[known],
        pieces=part_pieces(read_words(segments, found.forms, candidates, known)),
    )


def score_words(model: Model, labelled: LabelledCandidates, rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """What a model says of the words of some known candidates, see `Wording.score`."""
    pieces = labelled.pieces[rows]
    firsts = np.cumsum([0, *map(len, pieces)])
    joined = np.concatenate([np.empty(0, np.int32), *pieces])
    return model.wording.score(Words(joined, firsts, np.arange(len(rows)), np.arange(len(rows) + 1)))


def part_pieces(words: Words) -> NDArray[np.object_]:
    """The pieces of each text."""
    of_word = np.split(words.pieces, words.firsts[1:-1])
    parts = np.empty(len(words.bounds) - 1, object)
    for text, (first, end) in enumerate(pairwise(words.bounds.tolist())):
        parts[text] = np.concatenate([of_word[word] for word in words.place[first:end].tolist()])
    return parts


def mask_features(examples: SourceExamples, group: str) -> SourceExamples:
    """The same without what a group of features says (`GROUPS`): zeros, which no tree can ask for."""
    names = set(GROUPS[group].split())
    kinds = {}
    for kind, labelled in examples.kinds.items():
        masked = [place for place, name in enumerate(FEATURES[kind]) if name in names]
        matrix, usual = labelled.matrix.copy(), labelled.usual.copy()
        matrix[:, masked] = usual[masked] = 0
        kinds[kind] = replace(labelled, matrix=matrix, usual=usual)
    return replace(examples, kinds=kinds)


# -------------------------------------------------------------------------------------------------------------- fitting


def fit(sources: Sequence[SourceExamples]) -> dict[str, Array]:
    """The columns of a model, named ``forest.column``."""
    columns: dict[str, Array] = {}
    first = _fit_forests(sources)
    for kind, trees in first.items():
        columns.update({f"{kind}.{name}": values for name, values in trees.items()})
        medians = [one.kinds[kind].usual for one in sources if not np.isnan(one.kinds[kind].usual).any()]
        columns[f"{kind}.usual"] = np.median(medians, axis=0).astype(np.float32)
    unseen = _score_unseen(sources)
    for kind, name in FILLER_FORESTS.items():
        rows = []
        for one in sources:
            labelled, scores = one.kinds[kind], unseen[one.source][kind]
            is_asked = (labelled.rest > 0) & (scores >= MIN_LABEL_SCORE)
            share = labelled.rest_boilerplate[is_asked] / labelled.rest[is_asked]
            rows.append(
                (
                    filler_matrix(labelled.matrix, scores)[is_asked],
                    share,
                    one.weight * _weigh_candidates(labelled.rest[is_asked], None),
                )
            )
        options = {"num_leaves": FILLER_LEAVES, "min_data_in_leaf": FILLER_LEAST}
        signs = _make_signs((*FEATURES[kind], "score"), f"{FILLER_RISING} score", FILLER_FALLING)
        trees = _train_forest(rows, signs, FILLER_TREES, options)
        columns.update({f"{name}.{column}": values for column, values in trees.items()})
    return {**columns, **_fit_kinds(sources)}


def _fit_kinds(sources: Sequence[SourceExamples]) -> dict[str, Array]:
    """What tells kinds of boilerplate apart, of all forms of candidates at once: forests, each for a kind against the
    others, and the model of their words."""
    import lightgbm

    rows = [
        (
            kind_matrix(form, labelled.matrix[own], labelled.surroundings[own]),
            kinds[own].argmax(axis=1),
            labelled.pieces[own],
            np.full(len(own), one.publisher, object),
        )
        for one in sources
        if one.weight == 1
        for form, labelled in one.kinds.items()
        for kinds in [labelled.kinds[:, : len(KIND_FORESTS)]]
        for own in [np.flatnonzero(kinds.any(axis=1) & (2 * labelled.boilerplate > labelled.size))]
    ]
    matrix, kind, pieces, publishers = (np.concatenate(column) for column in zip(*rows, strict=True))
    data = lightgbm.Dataset(matrix, kind)
    options = {
        **OPTIONS,
        "objective": "multiclass",
        "num_class": len(KIND_FORESTS),
        "num_leaves": KIND_LEAVES,
        "seed": 1,
    }
    booster = lightgbm.train({**options, "min_data_in_leaf": KIND_LEAST}, data, KIND_TREES)
    wording = fit_wording(pieces, kind, publishers)
    columns = {f"wording.{name}": values for name, values in asdict(wording).items()}
    for place, name in enumerate(KIND_FORESTS.values()):
        trees = extract_trees(booster, len(KIND_FORESTS), place)
        columns.update({f"{name}.{column}": values for column, values in trees.items()})
    return columns


def _fit_forests(sources: Sequence[SourceExamples], kinds: Sequence[str] = KINDS) -> dict[str, dict[str, Array]]:
    found = {}
    for kind in kinds:
        rows = []
        for one in sources:
            labelled = one.kinds[kind]
            share = labelled.boilerplate / labelled.size
            rows.append((labelled.matrix, share, one.weight * _weigh_candidates(labelled.size, share)))
        side = SEGMENT if kind == SEGMENT else PREFIX
        found[kind] = _train_forest(rows, _make_signs(FEATURES[kind], RISING[side], FALLING[side]), TREES, {})
    return found


def _score_unseen(sources: Sequence[SourceExamples]) -> dict[str, dict[str, NDArray[np.float32]]]:
    """Scores of the labels of each source by forests that have not seen its publisher."""
    names = sorted({one.publisher for one in sources})
    np.random.default_rng(1).shuffle(names)
    scores = {}
    for number in range(FOLDS):
        held_out = set(names[number::FOLDS])
        forests = _fit_forests([one for one in sources if one.publisher not in held_out], [*FILLER_FORESTS])
        for one in sources:
            if one.publisher in held_out:
                scores[one.source] = {
                    kind: _apply_forest(forests[kind], one.kinds[kind].matrix) for kind in FILLER_FORESTS
                }
    return scores


def _apply_forest(trees: Mapping[str, Array], matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    from templatemine.pages._scores import Forest

    odds = Forest(*(trees[name] for name in COLUMNS)).scores(matrix)
    return (1 / (1 + np.exp(-odds.astype(np.float64)))).astype(np.float32)


def _weigh_candidates(size: Array, share: Array | None) -> Array:
    """Of the candidates of a source, which count as one together; and with shares, half of it is boilerplate."""
    weight = size.astype(np.float64) ** WEIGHT_POWER
    if not len(weight):
        return weight
    if share is None or (weight * share).sum() == 0:
        return weight / weight.sum()
    boilerplate, content = weight * share, weight * (1 - share)
    return 0.5 * boilerplate / max(boilerplate.sum(), 3 * weight.mean()) + 0.5 * content / max(1e-9, content.sum())


def _make_signs(names: Sequence[str], rising: str, falling: str) -> list[int]:
    return [1 if name in rising.split() else -1 if name in falling.split() else 0 for name in names]


def _train_forest(
    rows: Sequence[tuple[Array, Array, Array]], signs: list[int], trees: int, more: Mapping[str, Any]
) -> Any:
    import lightgbm

    matrix, share, weight = (np.concatenate([one[column] for one in rows]) for column in range(3))
    data = lightgbm.Dataset(matrix, share, weight=1000 * weight, free_raw_data=False)
    options = {**OPTIONS, "monotone_constraints": signs, **more}
    tables = [extract_trees(lightgbm.train({**options, "seed": seed}, data, trees)) for seed in SEEDS]
    return average_trees(tables, [1.0] * len(tables))
