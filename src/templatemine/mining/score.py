"""Features -> scores: how likely each candidate is boilerplate, by trees that were trained on annotated articles.

Three forests, one a kind of candidate, two more that say of a label whether what fills the rest of its line goes with
it, and one a kind of boilerplate (`kinds.KINDS`), of which the greatest, with the cues of its kind and what `wording`
says of it, says what a template is.  They were trained on many sources and judged on others (docs/algorithm.md); what
they see are `features`.  The file of a model is made by `datasets/templates/train.py`; what the shipped one was made of
is beside it.
"""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from hashlib import blake2b, file_digest
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from templatemine.config import SHIPPED
from templatemine.errors import ConfigError, unreadable
from templatemine.kinds import KINDS as BOILERPLATE_KINDS
from templatemine.mining.cues import KINDS as CUE_KINDS
from templatemine.mining.cues import STRENGTHS
from templatemine.mining.features import FEATURES, SURROUNDINGS
from templatemine.mining.labels import KINDS, PREFIX, SEGMENT, SUFFIX, Candidates
from templatemine.mining.wording import Wording
from templatemine.pages._scores import Forest

COLUMNS = ("feature", "threshold", "left", "right", "leaf", "sizes")
"""Columns of the table of a forest, see `_scores.Forest`."""
FILLER_FORESTS = {PREFIX: "prefix_filler", SUFFIX: "suffix_filler"}
KIND_FORESTS = {kind: f"kind_{kind}" for kind in BOILERPLATE_KINDS}
KIND_FEATURES = (*(name for name in FEATURES[SEGMENT] if name in FEATURES[PREFIX]), "form", *SURROUNDINGS)
"""Features that kinds of boilerplate are told by: those that all candidates have, what the candidate is (a place in
`labels.KINDS`), and cues around it."""
_SHARED_COLUMNS = {
    kind: [names.index(name) for name in KIND_FEATURES[: -len(SURROUNDINGS) - 1]] for kind, names in FEATURES.items()
}
_SHARE, _FIRST = KIND_FEATURES.index("share"), KIND_FEATURES.index("cue_first")
_LETTERS, _TIMES, _ADDRESSES, _RIGHTS, _MUTABLE, _DASHED = (
    KIND_FEATURES.index(name) for name in ("letters", "times", "addresses", "rights", "mutable", "dashed")
)
CUE_ODDS = 1.5
"""Addition of a strong cue of a kind to the logarithm of its odds, half of it a weak one: of rare kinds the forests
have seen too few publishers, and the lexicon knows more languages."""
_CUES = [
    (BOILERPLATE_KINDS.index("dateline" if kind == "agency" else kind), KIND_FEATURES.index(f"cue_{kind}"))
    for kind in CUE_KINDS
]
MIN_NOTE, MAX_NOTE_SHARE = 0.75, -3.3
"""A template is a note, which people keep, if that is so likely and few articles have it (logarithm of a tenth);
else it is of the most likely other kind: strings in many articles, such as footers of feeds, correct none."""
STRONG = 2
"""So is, in as few articles, what begins with a strong cue of notes, and has none of `_ASKING`."""
_ASKING = ("promotion", "related", "sharing", "advertisement")
_MEDIA, _CAPTION = BOILERPLATE_KINDS.index("media"), BOILERPLATE_KINDS.index("caption")
_NAVIGATION, _LEGAL = BOILERPLATE_KINDS.index("navigation"), BOILERPLATE_KINDS.index("legal")
"""What is neither a word nor a date is the address of a picture or a player, or a rule between parts; a sign of rights
with a number, the year, is legal where no strong cue says something else."""
MIN_CAPTION, MAX_CAPTION_CAPITALS = 5.6, 0.75
"""A credit is a caption if its slot takes so much of a line (logarithm of 48 bytes), and of that so few capitals."""
MIN_LABEL_SCORE = 0.4
"""Least score of a label whose filler is scored: others never go, and were not learnt from."""
MIN_CHANCE = 0.02
"""What words say of a kind, at least: names of papers stand in promotions and in legal lines."""
MAX_DASHED = 0.5
"""Where a greater share of the occurrences ends at the dash of a dateline, words say nothing: they are names."""
_SHIPPED_FILE = "model.npz"


@dataclass(frozen=True, kw_only=True, eq=False)
class Model:
    """Forests by their target, kinds of candidates, `FILLER_FORESTS` and `KIND_FORESTS`; what words say; and the
    features of the usual candidate of each kind, for `score_reasons`."""

    forests: Mapping[str, Forest]
    wording: Wording
    usual: Mapping[str, NDArray[np.float32]]

    def scores(self, kind: str, matrix: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the probabilities that candidates of one kind are boilerplate: float32 array, shape (candidates,)."""
        return _to_probability(self.forests[kind].scores(matrix))

    def fillers(self, kind: str, matrix: NDArray[np.float32], scores: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the probabilities that the fillers of labels are boilerplate, too."""
        return _to_probability(self.forests[FILLER_FORESTS[kind]].scores(filler_matrix(matrix, scores)))

    def boilerplate_kinds(self, rows: NDArray[np.float32], words: NDArray[np.float32]) -> NDArray[np.int8]:
        """Return what some candidates are, if they are boilerplate: places in `kinds.KINDS`.

        Parameters
        ----------
        rows : float32 array, shape (candidates, features)
            See `kind_matrix`.
        words : float32 array, shape (candidates, kinds)
            See `Wording.score`.
        """
        odds = np.column_stack([self.forests[name].scores(rows) for name in KIND_FORESTS.values()]).astype(np.float64)
        said = _to_probability(words).astype(np.float64)
        is_name = rows[:, _DASHED, None] > MAX_DASHED
        odds += np.where(is_name, 0, np.log(said / said.sum(axis=1, keepdims=True) + MIN_CHANCE))
        cues = np.zeros_like(odds)
        for place, column in _CUES:
            cues[:, place] = np.maximum(cues[:, place], rows[:, column])
        odds += CUE_ODDS / len(STRENGTHS) * cues
        shares = np.exp(odds - odds.max(axis=1, keepdims=True, initial=0))
        note = BOILERPLATE_KINDS.index("note")
        asks = cues[:, [BOILERPLATE_KINDS.index(kind) for kind in _ASKING]].max(axis=1, initial=0) >= STRONG
        reads = (cues[:, note] >= STRONG) & (rows[:, _FIRST] >= STRONG) & ~asks
        is_rare = rows[:, _SHARE] < MAX_NOTE_SHARE
        is_note = (reads | (shares[:, note] >= MIN_NOTE * shares.sum(axis=1)) & ~asks) & is_rare
        shares[~is_note, note] = 0
        shares[reads & is_rare, note] = np.inf
        found: NDArray[np.int8] = shares.argmax(axis=1).astype(np.int8)
        is_wordless = (rows[:, _LETTERS] <= 0) & (rows[:, _TIMES] <= 0)
        found[is_wordless] = np.where(rows[is_wordless, _ADDRESSES] > 0, _MEDIA, _NAVIGATION)
        of_rights = (rows[:, _RIGHTS] > 0) & (rows[:, _MUTABLE] > 0)
        found[of_rights & (np.delete(cues, _LEGAL, axis=1).max(axis=1, initial=0) < STRONG)] = _LEGAL
        return found

    def score_all(
        self, candidates: Sequence[Candidates], matrices: Sequence[NDArray[np.float32]]
    ) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
        """Return the scores of candidates of all kinds, and of the fillers of labels, 0 of segments."""
        results = []
        for candidate_set, matrix in zip(candidates, matrices, strict=True):
            scores = self.scores(candidate_set.kind, matrix)
            has_filler = scores >= MIN_LABEL_SCORE
            fillers = np.zeros(len(candidate_set), np.float32)
            if candidate_set.kind in FILLER_FORESTS and has_filler.any():
                fillers[has_filler] = self.fillers(candidate_set.kind, matrix[has_filler], scores[has_filler])
            results.append((scores, fillers))
        return results


def _to_probability(odds: NDArray[np.float32]) -> NDArray[np.float32]:
    return (1 / (1 + np.exp(-odds.astype(np.float64)))).astype(np.float32)


def filler_matrix(matrix: NDArray[np.float32], scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the features of the forests for fillers: those of labels, and their scores."""
    return np.ascontiguousarray(np.concatenate([matrix, scores[:, None]], axis=1))


def kind_matrix(kind: str, matrix: NDArray[np.float32], surroundings: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the features of the forests for kinds of boilerplate, of candidates of one kind."""
    form = np.full((len(matrix), 1), KINDS.index(kind), np.float32)
    return np.concatenate([matrix[:, _SHARED_COLUMNS[kind]], form, surroundings], axis=1)


def takes_sentences(kind: str, matrix: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return the labels whose rest of the line is long and not mostly names: bool array, shape (candidates,)."""
    if kind == SEGMENT:
        return np.zeros(len(matrix), np.bool_)
    length, capitals = (matrix[:, FEATURES[kind].index(name)] for name in ("rest", "rest_capitals"))
    found: NDArray[np.bool_] = (length >= MIN_CAPTION) & (capitals <= MAX_CAPTION_CAPITALS)
    return found


def find_captions(senses: NDArray[np.int8], with_sentences: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Return what templates are, where credits that take a sentence of their line with them are captions."""
    return np.where(with_sentences & (senses == _MEDIA), np.int8(_CAPTION), senses)


def load_model(name: str) -> Model:
    """Load the model that an option names: `SHIPPED`, or a file.

    Raises
    ------
    ConfigError
        The file cannot be read, or is of another kind.
    """
    path = _shipped_path() if name == SHIPPED else Path(name)
    try:
        status = os.stat(path)
        return _load_cached(path, status.st_mtime_ns, status.st_size)
    except OSError as error:
        raise ConfigError(f"model: {name}: {unreadable(error)}") from error
    except (ValueError, KeyError, EOFError) as error:
        why = f"it has no {error}, as models of other versions" if isinstance(error, KeyError) else error
        raise ConfigError(f"model: expected a file of trees that can be read, got {name}: {why}") from error


def fingerprint(name: str) -> str | None:
    """Return a digest of the model that an option names; None for the shipped one, which the version identifies."""
    if name == SHIPPED:
        return None
    with open(name, "rb") as handle:
        return file_digest(handle, lambda: blake2b(digest_size=16)).hexdigest()


@cache
def _shipped_path() -> Path:
    return Path(str(files("templatemine.mining").joinpath(_SHIPPED_FILE)))


@lru_cache(maxsize=4)
def _load_cached(path: Path, modified: int, size: int) -> Model:
    with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as tables:
        return model_from_tables({key: tables[key] for key in tables.files})


def model_from_tables(tables: Mapping[str, NDArray[Any]]) -> Model:
    """Make a model of columns that are named ``forest.column``.

    Raises
    ------
    ValueError, KeyError
        Not all columns are there, or they are no trees, or trees of other features.
    """
    forests = {
        name: Forest(*(tables[f"{name}.{column}"] for column in COLUMNS))
        for name in (*KINDS, *FILLER_FORESTS.values(), *KIND_FORESTS.values())
    }
    sizes = {
        **{kind: len(FEATURES[kind]) for kind in KINDS},
        **dict.fromkeys(KIND_FORESTS.values(), len(KIND_FEATURES)),
    }
    for name, size in sizes.items():
        used = int(tables[f"{name}.feature"].max(initial=0)) + 1
        if used > size:
            raise ValueError(f"{name}: expected trees of {size} features, got {used}")
    usual = {kind: np.ascontiguousarray(tables[f"{kind}.usual"], np.float32) for kind in KINDS}
    for kind, features in usual.items():
        if features.shape != (len(FEATURES[kind]),):
            raise ValueError(f"{kind}.usual: expected {len(FEATURES[kind])} features, got shape {features.shape}")
    wording = Wording(**{one.name: np.ascontiguousarray(tables[f"wording.{one.name}"]) for one in fields(Wording)})
    return Model(forests=forests, wording=wording, usual=usual)
