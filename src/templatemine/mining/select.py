"""Decision which candidates of a source are templates, by each method.

In come candidates with their scores, or with their document frequencies and counts in other sources; out goes
a verdict for each, with the reasons by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from math import exp, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from templatemine import _core
from templatemine.config import SelectConfig
from templatemine.mining.candidates import SourceCandidates, Verdicts
from templatemine.mining.cues import KINDS as CUE_KINDS
from templatemine.mining.cutoff import BINS, choose_cutoff, histogram
from templatemine.mining.distinct_documents import find_single_stories
from templatemine.mining.features import FEATURES
from templatemine.mining.index import document_floor
from templatemine.mining.labels import KINDS, PREFIX, SEGMENT, SUFFIX, Candidates
from templatemine.mining.methods import ResolvedConfig
from templatemine.mining.segments import CAPITAL, CLOSES, COLON, OWN, SMALL, Segments
from templatemine.model import Cutoff, IntArray, LongArray, Template
from templatemine.text import _scan
from templatemine.text._scan import SLOT_SIZE

BELOW_CUTOFF = "below the cut-off"
NO_MODE = "no second mode"
SHARED = "in other sources"

(
    ACCEPTED,
    UNLIKELY,
    TOO_FEW,
    CHANCE_CONTINUATION,
    STANDS_ELSEWHERE,
    REDUNDANT,
    UNMARKED,
    ONE_STORY,
    DATA,
    HEADLINE,
    TEXT_STAYS,
    HEADLINES_STAY,
) = range(12)
REASONS = (
    "",
    "not likely enough to be boilerplate",
    "in too few documents",
    "a label with a chance continuation",
    "mostly stands elsewhere in lines",
    "within another template",
    "a label without a sign of its own",
    "only in copies of one story",
    "data, such as a row of a table",
    "the headline of an article",
    "a label whose text stays",
    "a label before headlines that nothing ends",
)

_MAX_SLOT_STRING = SLOT_SIZE - 20
"""Characters of a string that may be in a slot: a few less than it takes (`SLOT_SIZE`), for what is beside it."""
_USUAL = -1.0
"""Logarithm of the share of the documents from which on most have a string."""
_FEW_BITS = log(1 + 40) / log(2)
"""Logarithm, as of the feature, of the bits of a string that no chance has brought together."""
_ALWAYS = 0.95
"""Of its occurrences, always."""
_FREQUENT = -3.0
"""Logarithm of the share of what is always first in the documents, or behind one segment: an eighth."""
_SOME = -4.0
"""And the same of the last word of lines that may be a label: a sixteenth."""
_GOOD_MANY = log(0.02) / log(2)
"""And the same of what is asked about though it has no sign, if it opens or ends articles: 16 of 17 such strings of
116 sources are boilerplate; those of fewer articles are variants, names and beginnings of stories."""
_SOME_BITS, _MANY_DOCUMENTS = log(1 + 20) / log(2), 8
"""As of the feature, bits of a string that is at the edge of most articles by no chance; and how many must have it."""
_FIXED_SCORE = 0.9
"""Least score of such a string; all of 27 labelled ones are boilerplate."""
_SHORT_TEXT = 80
"""Tokens of a text of a few sentences, as items of feeds are."""
_HALF, _MOSTLY, _WEAK = 0.5, 0.8, 1.0
"""Of the occurrences; and the strength of a weak cue."""
_GOOD_PART = 0.25
"""Tokens of a string that cues are."""
_ONE_WORD = 1.5
"""Between one word of a cue and two."""
_ONE = 0.1
"""Mean of the logarithm of segments to the edge of the line below which there is mostly one."""
_DATA_SHARE, _WORDY = 0.5, 3.0
"""From this share of numbers among its tokens on a string is data: rows of tables, prices, results; unless a token has
so many letters, as a name that holds a figure."""
_ROW_SHARE, _ROW_TOKENS = 0.2, 4
"""From this share on without any cue, if the others are names, or a segment has so few tokens ("Crude oil: $75.86"),
and of what fills a label ("FT:"); or of a label behind its filler ("NAME – 2,366 votes")."""
_MAX_OPENED = 2
"""Articles that a headline opens: its own, and a copy."""
_UNTITLED_SCORE, _MIN_UNTITLED = 0.75, 20
"""Least score of what opens one that has another title and is no headline, and articles that have it: headlines that
differ from the titles, and teasers, are listed by fewer."""
_PROSE_WORDS, _PROSE_CHARACTERS, _MIN_PROSE_DF = 8, 16, 3
"""Words, without names and figures, of a sentence without a cue, and characters where these are tokens; and articles
that must have such a one: two may quote each other."""
_WORD = SMALL | CAPITAL | OWN
"""Traits of a form that begins with a letter, of scripts with cases or without spaces."""
_SEVERAL = 4
"""Tokens from which on a weak cue at the end of a sentence says that it is boilerplate, if the score does, too."""
_MIN_ASKED, _MAX_ASKED = 0.25, 0.98
"""Chances of being boilerplate between which a person is asked: else the answer is known, however much is at stake."""
_BEGINS_LINE, _ENDS_LINE = _scan.BEGINS_LINE, _scan.ENDS_LINE


class TextForm(NamedTuple):
    """What the texts of a source are.

    Attributes
    ----------
    html : bool
        Pages: no label takes a filler.
    one_line : bool
        Of one line each.
    is_short : bool
        Of a few sentences; `select` finds it out.
    opens_with_title : callable of int, optional
        Whether the text of a document may begin with its title; without, all may.
    """

    html: bool = False
    one_line: bool = False
    is_short: bool = False
    opens_with_title: Callable[[int], bool] | None = None


class Decision(NamedTuple):
    """Decision which candidates of a source are templates.

    Attributes
    ----------
    cutoff : Cutoff
        Of the histogram over document frequencies, for the reader where it decides nothing.
    reason_of : int8 array, shape (strings,)
        Place in `reasons` of the reason against each candidate; 0 for templates.
    reasons : sequence of str
    """

    cutoff: Cutoff
    reason_of: NDArray[np.int8]
    reasons: Sequence[str]


def decide(candidates: SourceCandidates, cross_counts: NDArray[np.int32], options: ResolvedConfig) -> Decision:
    """Decide which candidates are templates, by the method."""
    if candidates.verdicts is not None:
        return _decide_by_scores(candidates, candidates.verdicts.reason_of)
    return _decide_by_histogram(candidates, cross_counts, options)


def _decide_by_histogram(
    candidates: SourceCandidates, cross_counts: NDArray[np.int32], options: ResolvedConfig
) -> Decision:
    """Decide by steps 7 to 9 of the thesis and its second level."""
    method, df = options.way, candidates.repeats.df
    is_shared = cross_counts >= options.mine.max_sources
    is_candidate = ~is_shared if method.shared_first else np.ones(len(is_shared), np.bool_)
    floor = document_floor(candidates.documents, options.mine)
    cutoff = choose_cutoff(candidates.repeats.take(is_candidate), candidates.documents, floor, gate=method.gate)
    is_frequent = df >= cutoff.df if cutoff.df is not None else np.zeros(len(is_candidate), np.bool_)
    # The reason that a string met first.
    reason_of = np.where(is_shared & (is_frequent | method.shared_first), 2, np.where(is_frequent, 0, 1)).astype(
        np.int8
    )
    return Decision(cutoff, reason_of, ("", BELOW_CUTOFF if cutoff.df is not None else NO_MODE, SHARED))


def _decide_by_scores(candidates: SourceCandidates, reason_of: NDArray[np.int8]) -> Decision:
    counts = histogram(candidates.repeats.df, max(1, candidates.documents), BINS)
    accepted = int(np.count_nonzero(reason_of == ACCEPTED))
    cutoff = Cutoff(
        method="score",
        df=None,
        share=None,
        energy=None,
        histogram=tuple(int(count) for count in counts),
        note=f"{accepted} by their scores" if accepted else "nothing is likely enough to be a template",
    )
    return Decision(cutoff, reason_of, REASONS)


# ------------------------------------------------------------------------------------------------------------ by scores


def select(
    segments: Segments,
    candidates: Sequence[Candidates],
    matrices: Sequence[NDArray[np.float32]],
    scores: Sequence[tuple[NDArray[np.float32], NDArray[np.float32]]],
    config: SelectConfig,
    *,
    versions: LongArray | None = None,
    form: TextForm | None = None,
) -> Verdicts:
    """Decide of the candidates of one source, in the order of `labels.KINDS`, by features and scores.

    Kinds that have none may be left out.  `versions` are equal for documents that may be of one story, see
    `near_duplicates.group_versions`; without, all differ.
    """
    form = form or TextForm()
    is_short = len(segments) > 0 and float(np.median(np.diff(segments.doc_tokens))) < _SHORT_TEXT
    form = form._replace(is_short=is_short)
    parts = [
        _judge_candidates(segments, candidate_set, matrix, *kind_scores, config, form)
        for candidate_set, matrix, kind_scores in zip(candidates, matrices, scores, strict=True)
    ]
    verdicts = Verdicts(
        **{column.name: np.concatenate([getattr(part, column.name) for part in parts]) for column in fields(Verdicts)}
    )
    _drop_unsure(segments, candidates, matrices, verdicts, config)
    # Pages are compared by their main text before they are mined; their tags are most of what they share.
    accepted = np.flatnonzero(verdicts.reason_of == ACCEPTED)
    if not form.html:
        reads = [_read_cues(one.kind, own) for one, own in zip(candidates, matrices, strict=True)]
        different = np.arange(len(segments.doc_tokens) - 1) if versions is None else versions
        single = find_single_stories(segments, candidates, accepted, different, np.concatenate(reads, axis=1))
        verdicts.reason_of[single], verdicts.stake[single] = ONE_STORY, 0
    rows = np.flatnonzero(verdicts.reason_of == ACCEPTED)
    if len(rows):
        starts = np.concatenate([kind.starts(segments, kind.first, kind.length) for kind in candidates])[rows]
        lengths = np.concatenate([kind.length for kind in candidates]).astype(np.int64)[rows]
        characters = [matrix[:, FEATURES[SEGMENT].index("characters")] for matrix in matrices]
        selection = _Selection(
            segments, rows, starts, lengths, np.concatenate(characters)[rows] < log(_MAX_SLOT_STRING) / log(2)
        )
        selection.merge(verdicts)
        selection.drop_covered(verdicts, np.concatenate([kind.df for kind in candidates])[rows], config.uncovered)
        selection.drop_last_words(verdicts, segments.traits, np.concatenate([kind.df for kind in candidates])[rows])
        selection.drop_within_slots(verdicts)
        verdicts.stake[verdicts.reason_of == REDUNDANT] = 0
    return verdicts


def _drop_unsure(
    segments: Segments,
    candidates: Sequence[Candidates],
    matrices: Sequence[NDArray[np.float32]],
    verdicts: Verdicts,
    config: SelectConfig,
) -> None:
    """Reject what is accepted in few of many documents with too low a score, unless all of its places are beside other
    accepted strings; see `SelectConfig.few`."""
    place = next((place for place, one in enumerate(candidates) if one.kind == SEGMENT), None)
    if place is None:
        return
    own, matrix = candidates[place], matrices[place]
    bounds = np.cumsum([0, *map(len, candidates)])
    rows = slice(bounds[place], bounds[place + 1])
    share, dashed = (matrix[:, FEATURES[SEGMENT].index(name)] for name in ("share", "dashed"))
    is_accepted = verdicts.reason_of == ACCEPTED
    is_unsure = is_accepted[rows] & (verdicts.score[rows] < _scale_odds(config.few_score, config.caution))
    is_unsure &= (own.df <= config.few) & (np.exp2(share) < config.few_share)
    is_unsure &= (dashed <= 0) & ~_read_cues(SEGMENT, matrix)[1]
    if not is_unsure.any():
        return
    is_accepted[rows] &= ~is_unsure
    is_cut = np.zeros(len(segments), np.bool_)
    for kind, start in zip(candidates, bounds[:-1], strict=True):
        is_cut[kind.segment[np.repeat(is_accepted[start : start + len(kind)], np.diff(kind.bounds))]] = True
    # The segments of a document are one after another.
    is_joined = segments.document[1:] == segments.document[:-1]
    is_beside = np.zeros(len(segments), np.bool_)
    is_beside[1:] = is_cut[:-1] & is_joined
    is_beside[:-1] |= is_cut[1:] & is_joined
    is_alone = is_unsure & ~np.logical_and.reduceat(is_beside[own.segment], own.bounds[:-1])
    verdicts.reason_of[rows][is_alone] = UNLIKELY
    verdicts.stake[rows][is_alone] *= verdicts.score[rows][is_alone] / (1 - verdicts.score[rows][is_alone])


def _read_cues(kind: str, matrix: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return which candidates hold a strong cue, and which begin or end with one or are cues for a good part, for a cue
    within a sentence may be prose: bool array, shape (2, candidates)."""
    any_cue, first, last, share = (
        matrix[:, FEATURES[kind].index(name)] for name in ("cue_any", "cue_first", "cue_last", "cue_share")
    )
    is_cue = any_cue > _WEAK
    return np.stack([is_cue, is_cue & ((np.maximum(first, last) > _WEAK) | (share >= _GOOD_PART))])


def _hash_forms(segments: Segments) -> NDArray[np.uint64]:
    """Return a number for each form, by which strings of one source are hashed."""
    return np.arange(1, len(segments.traits) + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)


def _count_at_edge(segments: Segments, candidates: Candidates, rows: LongArray) -> LongArray:
    """Return in how many segments some labels stand at the edge, longer labels or not: int64 array, shape (rows,)."""
    forms = _hash_forms(segments)
    starts, lengths = candidates.starts(segments, candidates.first, candidates.length)[rows], candidates.length[rows]
    hashes = _core.hash_strings(segments.tokens, forms, starts, lengths)
    counts = np.zeros(len(rows), np.int64)
    is_prefix = candidates.kind == PREFIX
    at_edge = segments.tokens[segments.bounds[:-1] if is_prefix else segments.bounds[1:] - 1]
    own_edge = segments.tokens[starts if is_prefix else starts + lengths - 1]
    for length in np.unique(lengths).tolist():
        # Few segments share as much as a token with any of the labels.
        is_shared = np.zeros(len(segments.traits), np.bool_)
        is_shared[own_edge[lengths == length]] = True
        longer = np.flatnonzero(is_shared[at_edge] & (segments.length >= length))
        edges = segments.bounds[:-1][longer] if is_prefix else segments.bounds[1:][longer] - length
        found = np.sort(_core.hash_strings(segments.tokens, forms, edges, np.full(len(edges), length, np.int32)))
        own = hashes[lengths == length]
        counts[lengths == length] = np.searchsorted(found, own, "right") - np.searchsorted(found, own, "left")
    return counts


def is_unlikely(template: Template, config: SelectConfig) -> bool:
    """Return whether a template is less likely than the least allowed, by its rounded score; False without one."""
    min_score = _scale_odds(min(config.segment, config.label), config.caution)
    return template.score is not None and template.score + 0.0005 < min_score


def _scale_odds(share: float, caution: float) -> float:
    """Return the share whose odds are so many times those of another; 0 and 1 stay."""
    return share if share in (0, 1) else 1 / (1 + exp(-log(share / (1 - share)) - log(caution)))


def _judge_candidates(
    segments: Segments,
    candidates: Candidates,
    matrix: NDArray[np.float32],
    score: NDArray[np.float32],
    filler: NDArray[np.float32],
    config: SelectConfig,
    form: TextForm,
) -> Verdicts:
    is_segment = candidates.kind == SEGMENT
    column = _name_columns(segments, candidates, matrix)
    is_fixed = _has_fixed_place(candidates, column)
    score = np.where(is_fixed, np.maximum(score, _FIXED_SCORE), score)
    anchor = _find_anchors(candidates, column, config.edge)
    min_own = {SEGMENT: 0.0, PREFIX: config.prefix_own, SUFFIX: config.suffix_own}[candidates.kind]
    reason = np.zeros(len(candidates), np.int8)
    reason[column["own"] < np.where(anchor == 0, config.inline_own, min_own)] = STANDS_ELSEWHERE
    if is_segment:
        reason[(candidates.df < _MIN_PROSE_DF) & _is_prose(candidates, column, segments.spaceless)] = TOO_FEW
    else:
        reason[(candidates.shorter < config.continued) & (candidates.length > 1)] = CHANCE_CONTINUATION
    goes = score * filler >= _scale_odds(config.filler, config.caution)
    if not is_segment:
        # What opens a bracket goes with what is in it, or not at all; a slot ends at its line.
        is_open, is_last = column["unclosed"] > 0, column["rest_segments"] < _ONE
        goes = np.where(is_open, is_last & (score * filler >= _scale_odds(_HALF, config.caution)), goes)
    may_fill = goes & (not (form.html or is_segment))
    own = column["own"].copy()
    # Where a longer label begins with it, what follows is its filler, too.
    asked = np.flatnonzero(may_fill & (own < config.filler_own))
    own[asked] *= _count_at_edge(segments, candidates, asked) / np.maximum(candidates.count[asked], 1)
    slot = may_fill & (own >= config.filler_own)
    # With more caution than usual what a label goes with stays; so does the label, or its text would read as story.
    is_left = ~goes & (score * filler >= config.filler) & (config.caution > 1)
    opens = _opens_articles(column, form.is_short)
    unmarked = _find_unmarked(candidates, column, opens, form.is_short, segments.spaceless)
    # One word begins sentences, too: "By" goes before names alone, and on a line of its own.
    names = unmarked & slot & _is_credit(candidates, column)
    anchor[names] |= _BEGINS_LINE
    # What is before the end of a line goes with it: "NAME added to this article".
    goes_with_rest = slot if candidates.kind == SUFFIX else names | slot & _has_place(candidates, column)
    reason[unmarked & ~goes_with_rest | slot & _is_common_word(candidates, column)] = UNMARKED
    reason[_leaves_part(segments, candidates, column, score, opens) & ~slot] = UNMARKED
    is_usual = (column["share"] > _USUAL) | opens
    is_bare = _is_bare(candidates, column, is_usual) & ~is_fixed
    reason[_is_data(candidates, column) & ~is_usual | is_bare] = DATA
    # What an answer brings in must hold wherever it occurs; only its score or the lack of a sign may speak against it.
    min_score = _scale_odds(config.segment if is_segment else config.label, config.caution)
    lacks_sign = (reason == UNMARKED) & (score >= min_score) & _is_often_placed(candidates, column, slot)
    is_asked = ((reason == ACCEPTED) | lacks_sign) & (column["own"] >= config.filler_own)
    is_plain = ~slot & ~is_fixed
    reason[(_stays_with_text(candidates, column) | is_left) & is_plain] = TEXT_STAYS
    if form.one_line:
        reason[_is_before_headlines(candidates, column) & is_plain & (reason == ACCEPTED)] = HEADLINES_STAY
    reason[score < min_score] = UNLIKELY
    if is_segment:
        rows = np.flatnonzero(_find_headlines(candidates, column) & (reason == ACCEPTED))
        reason[_keep_titles(segments, candidates, rows, score, form.opens_with_title)] = HEADLINE
    stake = np.where(reason == ACCEPTED, 1 - score, score) * np.exp2(column["characters"])
    if not is_segment:
        rest = np.minimum(np.exp2(column["fill_characters"]), SLOT_SIZE)
        stake += np.where(slot & (reason == ACCEPTED), 1 - score * filler, score * filler) * rest
    chance = np.where(slot & (reason == ACCEPTED), score * filler, score)
    is_asked &= (chance >= _MIN_ASKED) & ((chance <= _MAX_ASKED) | lacks_sign) & ~_is_last_word(candidates, column)
    stake[~is_asked | (reason == HEADLINE)] = 0
    return Verdicts(
        kind=np.full(len(candidates), KINDS.index(candidates.kind), np.int8),
        score=score,
        filler=filler,
        anchor=anchor,
        slot=slot,
        names=names,
        reason_of=reason,
        score_reasons=np.zeros(len(candidates), np.int64),
        sense=np.full(len(candidates), -1, np.int8),
        stake=(stake * candidates.df).astype(np.float32),
    )


def _has_place(candidates: Candidates, column: Mapping[str, NDArray[np.float32]]) -> NDArray[np.bool_]:
    """Return which labels need no sign before what they go with: in most articles at the beginning of lines ("Photo
    taken by NAME"), or last ("Tags football league"); fewer may end as obituaries do."""
    begins = (column["begins"] >= _MOSTLY) & (candidates.length > 1)
    ends = np.minimum(column["last"], column["own"]) >= _MOSTLY
    placed: NDArray[np.bool_] = (column["share"] > _USUAL) & (begins | ends)
    return placed


def _is_last_word(candidates: Candidates, column: Mapping[str, NDArray[np.float32]]) -> NDArray[np.bool_]:
    """Return the labels of one small word that ends sentences, of which a person can say nothing: "published."."""
    found: NDArray[np.bool_] = (candidates.length == 1) & (column["small_first"] > 0)
    return found & (candidates.kind == SUFFIX)


def _stays_with_text(candidates: Candidates, column: Mapping[str, NDArray[np.float32]]) -> NDArray[np.bool_]:
    """Return the labels without a cue, which stay where what they label does: "Reference:" before a citation."""
    if candidates.kind != PREFIX:
        return np.zeros(len(candidates), np.bool_)
    stays: NDArray[np.bool_] = (column["colon_last"] > 0) & (column["cue_any"] <= 0)
    return stays


def _is_before_headlines(candidates: Candidates, column: Mapping[str, NDArray[np.float32]]) -> NDArray[np.bool_]:
    """Return the labels before headlines, which in articles of one line nothing ends: alone, they would read as a part
    of the story."""
    if candidates.kind != PREFIX:
        return np.zeros(len(candidates), np.bool_)
    found: NDArray[np.bool_] = (column["cue_related"] > _WEAK) & (column["cue_last"] >= _WEAK)
    return found


def _name_columns(
    segments: Segments, candidates: Candidates, matrix: NDArray[np.float32]
) -> dict[str, NDArray[np.float32]]:
    """Return the features of candidates by name; the full stop of "Dr." closes nothing."""
    column = {name: matrix[:, index] for index, name in enumerate(FEATURES[candidates.kind])}
    last = segments.tokens[candidates.starts(segments, candidates.first, candidates.length) + candidates.length - 1]
    column["closed_last"] = column["closed_last"] * ~segments.shortened[last]
    return column


def _find_anchors(
    candidates: Candidates, column: Mapping[str, NDArray[np.float32]], min_share: float
) -> NDArray[np.int8]:
    """Return the edges of lines at which candidates mostly stand: bits."""
    begins, ends = column["begins"] >= min_share, column["ends"] >= min_share
    anchor = np.zeros(len(candidates), np.int8)
    if candidates.kind == SEGMENT:
        alone = column["alone"] > _HALF
        anchor[begins | alone] |= _BEGINS_LINE
        anchor[(ends & ~begins) | alone] |= _ENDS_LINE
    elif candidates.kind == PREFIX:
        anchor[begins] = _BEGINS_LINE
    else:
        anchor[ends] = _ENDS_LINE
    return anchor


def _is_data(candidates: Candidates, column: Mapping[str, NDArray[np.float32]]) -> NDArray[np.bool_]:
    """Return which candidates are rows of figures, or of words and figures, and labels before such, without a cue."""
    is_pattern = (column["figures"] >= _DATA_SHARE) & (column["letters"] < _WORDY) | (column["letters"] <= 0)
    holds_address = column["addresses"] + column["mails"] + column["handles"] > 0
    is_row = (column["small"] <= 0) & (column["capitals"] > 0)
    if candidates.kind == SEGMENT:
        is_row |= candidates.length <= _ROW_TOKENS
    is_row &= (column["figures"] >= _ROW_SHARE) & ~holds_address
    if candidates.kind == PREFIX:
        is_row |= column["fill_mutable"] >= _ROW_SHARE
    if candidates.kind == SUFFIX:
        is_row |= (column["figures"] >= _ROW_SHARE) & ~holds_address
    return is_pattern & (column["cue_any"] <= _WEAK) | is_row & (column["cue_any"] <= 0)


def _is_bare(
    candidates: Candidates, column: Mapping[str, NDArray[np.float32]], is_usual: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return the signs and patterns without a letter that say nothing.

    As a line of their own in most articles they do, or where they begin one and are more than a sign: "| May 5, 2024",
    from which a dash parts the time.
    """
    is_sign: NDArray[np.bool_] = column["letters"] <= 0
    begins = (column["begins"] >= _MOSTLY) & (column["information"] >= _SOME_BITS)
    return is_sign & ~(is_usual & ((column["alone"] > _HALF) | begins) & (candidates.kind == SEGMENT))


def _is_prose(candidates: Candidates, column: Mapping[str, NDArray[np.float32]], spaceless: bool) -> NDArray[np.bool_]:
    """Return which candidates have the words of a sentence, and no strong cue."""
    words = candidates.length * (1 - column["capitals"] - column["mutable"])
    is_prose: NDArray[np.bool_] = words >= (_PROSE_CHARACTERS if spaceless else _PROSE_WORDS)
    return is_prose & (column["cue_any"] <= _WEAK)


def _find_headlines(candidates: Candidates, column: Mapping[str, NDArray[np.float32]]) -> NDArray[np.bool_]:
    """Find the lines without a cue that open an article or two, and stand elsewhere in some others: headlines, which
    these list as related.  Only a title tells them apart where they are content."""
    opened = np.rint(column["first"] * candidates.count)
    found: NDArray[np.bool_] = (opened >= 1) & (opened <= _MAX_OPENED) & (column["cue_any"] <= _WEAK)
    return found & (column["first"] <= _HALF) & (column["share"] < _FREQUENT)


def _keep_titles(
    segments: Segments,
    candidates: Candidates,
    rows: LongArray,
    score: NDArray[np.float32],
    opens_with_title: Callable[[int], bool] | None,
) -> list[int]:
    """Return the `rows` without those that open articles of other titles, stand in many, and have a good score: they
    are no headlines."""
    is_first = np.diff(segments.document, prepend=-1) > 0
    kept = []
    for row in rows.tolist():
        own = candidates.segment[candidates.bounds[row] : candidates.bounds[row + 1]]
        opened = segments.document[own[is_first[own]]].tolist()
        is_likely = score[row] >= _UNTITLED_SCORE and candidates.df[row] >= _MIN_UNTITLED
        if not is_likely or opens_with_title is None or any(map(opens_with_title, opened)):
            kept.append(row)
    return kept


def _has_fixed_place(candidates: Candidates, column: Mapping[str, NDArray[np.float32]]) -> NDArray[np.bool_]:
    """Return which candidates are the first or the last thing in most of the articles: no story has such a part."""
    is_usual: NDArray[np.bool_] = column["share"] > _USUAL
    return is_usual & _holds_place(candidates, column)


def _is_often_placed(
    candidates: Candidates, column: Mapping[str, NDArray[np.float32]], slot: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return which candidates open or end a good many articles, for later ones may all have them, sign or not; and
    which labels most articles have, wherever these are: of 130 sources two, both boilerplate."""
    is_often: NDArray[np.bool_] = column["share"] >= _GOOD_MANY
    return is_often & _holds_place(candidates, column) | slot & (column["share"] >= _USUAL)


def _holds_place(candidates: Candidates, column: Mapping[str, NDArray[np.float32]]) -> NDArray[np.bool_]:
    """Return which candidates are the first or the last thing in the articles that have them, and in several.

    A word or two may be there by chance, and a date or a number of each article's own.
    """
    opens, ends = column["first"] >= _MOSTLY, column["last"] >= _MOSTLY
    is_edge = {SEGMENT: opens | ends, PREFIX: opens, SUFFIX: ends}[candidates.kind]
    is_address = column["addresses"] + column["mails"] + column["handles"] >= 1
    says_something = (column["letters"] > 0) & (column["information"] >= _SOME_BITS)
    held: NDArray[np.bool_] = (candidates.df >= _MANY_DOCUMENTS) & is_edge & (is_address | says_something)
    return held


def _opens_articles(column: Mapping[str, NDArray[np.float32]], is_short: bool) -> NDArray[np.bool_]:
    """Return which candidates open many articles, and are mostly there; in short texts, where grammar often comes
    first, most articles."""
    return (column["first"] >= _MOSTLY) & (column["share"] > (_USUAL if is_short else _FREQUENT))


def _is_credit(candidates: Candidates, column: Mapping[str, NDArray[np.float32]]) -> NDArray[np.bool_]:
    """Return which candidates are one word of a byline or a credit, mostly at the beginning of lines."""
    is_cue = (column["cue_whole"] > 0) & (np.maximum(column["cue_byline"], column["cue_media"]) > 0)
    is_one: NDArray[np.bool_] = (candidates.length == 1) & (column["begins"] >= _HALF)
    return is_one & is_cue & (candidates.kind == PREFIX)


def _is_common_word(candidates: Candidates, column: Mapping[str, NDArray[np.float32]]) -> NDArray[np.bool_]:
    """Return which labels are one word at the end of a few articles' lines, without a cue or a mark: headings and
    headlines end with it, too ("... Finds a Treasury")."""
    is_plain = (candidates.length == 1) & (column["cue_any"] <= 0) & ~_is_closed(column)
    found: NDArray[np.bool_] = is_plain & (column["share"] < _SOME)
    return found & (candidates.kind == SUFFIX)


def _is_closed(column: Mapping[str, NDArray[np.float32]]) -> NDArray[np.bool_]:
    """Return which candidates end with a mark, or at the dash of a dateline."""
    closed: NDArray[np.bool_] = (column["closed_last"] > 0) | (column["colon_last"] > 0) | (column["dashed"] >= _HALF)
    return closed


def _find_unmarked(
    candidates: Candidates,
    column: Mapping[str, NDArray[np.float32]],
    opens: NDArray[np.bool_],
    is_short: bool,
    spaceless: bool,
) -> NDArray[np.bool_]:
    """Find the candidates without a sign of their own that they are more than a part of a sentence.

    One is words of a strong cue, a mark at the end, or a place at the head of many articles.
    """
    kind = candidates.kind
    # One word that is a cue ("More") begins sentences, too: it must be most of the string.
    several = column["cue_share"] * candidates.length > _ONE_WORD
    read = (column["cue_any"] > _WEAK) & (several | (column["cue_whole"] > 0))
    if kind == SUFFIX:
        # The end of a sentence, or one with a word before it that others take the place of.
        is_end = (column["small_first"] > 0) | (candidates.shorter < _HALF)
        return (column["cue_first"] <= _WEAK) & (column["cue_whole"] <= _WEAK) & is_end
    closed = _is_closed(column)
    usual = column["share"] > _USUAL
    if kind == PREFIX:
        # What an eighth of the articles have behind one segment has a place: "Saved articles" behind "Saved.".
        follows = (column["share"] > _FREQUENT) & (column["before_same"] >= _ALWAYS) & (column["first"] < _HALF)
        read = (read | (column["cue_whole"] > 0) | follows) & (candidates.length > 1)
        return ~(read | closed | opens)
    # What begins lines and varies in what follows is grammar ("Minister of"); in short texts wherever it is, and where
    # characters are tokens what begins sentences.
    begins, ends = column["begins"] >= _HALF, column["ends"] >= _HALF
    begins_sentence = begins | (spaceless & (column["before_closed"] >= _HALF))
    is_head = ~closed & ~ends & (is_short | (begins_sentence & (column["after_same"] < _HALF)))
    # And a part of a sentence that many have, other than "contributed to this report".
    is_part = ~begins & (column["small_first"] > 0) & (column["cue_first"] <= _WEAK)
    # Within a line, what is no sentence must be more than chance brings together.
    is_inside = ~begins & ~ends & ~(closed & (column["before_closed"] >= _HALF)) & (column["information"] < _FEW_BITS)
    return (
        ((column["cue_whole"] <= _WEAK) & is_inside)
        | (~(read | usual | opens) & is_head)
        | (is_part & (column["before_same"] < _HALF))
    )


def _leaves_part(
    segments: Segments,
    candidates: Candidates,
    column: Mapping[str, NDArray[np.float32]],
    score: NDArray[np.float32],
    opens: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Return which candidates, cut alone, leave a sentence without its beginning or its end.

    That is a label without a mark where it ends, if it is one word or opens a bracket, unless many articles have it,
    or it opens them and is or ends with cues; the end of a sentence, unless most have it, it reads like boilerplate or
    begins with a sign; and a few words that are a segment now and then, but seldom a line, and in prose more often.
    """
    starts = candidates.starts(segments, candidates.first, candidates.length)
    first = segments.traits[segments.tokens[starts]]
    last_token = segments.tokens[starts + candidates.length - 1]
    last = segments.traits[last_token]
    is_frequent = column["share"] > _FREQUENT
    if candidates.kind == PREFIX:
        is_cue = np.maximum(column["cue_last"], column["cue_whole"]) > _WEAK
        is_cue |= (column["cue_any"] > _WEAK) & (column["cue_share"] >= _HALF)
        is_placed = is_frequent | opens | (is_cue & (column["first"] >= _MOSTLY))
        is_word = (candidates.length == 1) & (first & _WORD > 0)
        is_start: NDArray[np.bool_] = ~_is_closed(column) & (
            ~is_placed | is_word | _runs_on(segments, last_token, column)
        )
        return is_start | (column["unclosed"] > 0)
    if candidates.kind == SUFFIX:
        # "Told Reuters." ends sentences, too: an agency alone says nothing.
        says = np.max([column[f"cue_{kind}"] for kind in CUE_KINDS if kind != "agency"], axis=0)
        reads = np.minimum(says, np.maximum(column["cue_first"], column["cue_whole"])) > _WEAK
        reads |= (column["cue_any"] >= _WEAK) & (candidates.length >= _SEVERAL) & (score >= _FIXED_SCORE)
        is_end: NDArray[np.bool_] = (first & _WORD > 0) & (column["share"] <= _USUAL)
        is_end &= ~reads
        return is_end
    begins, ends = column["begins"] >= _MOSTLY, column["ends"] >= _MOSTLY
    is_part: NDArray[np.bool_] = ~(begins & ends) & ~(begins & (last & (CLOSES | COLON) > 0))
    is_part &= (column["own"] < _HALF) & (column["information"] < _FEW_BITS) & (column["cue_any"] <= 0)
    return is_part & ~is_frequent


def _runs_on(segments: Segments, last_token: IntArray, column: Mapping[str, NDArray[np.float32]]) -> NDArray[np.bool_]:
    """Return which labels end with a letter of a script without spaces, unless they are cues that no name goes with: a
    mark must tell where a dateline ends, for neither a blank nor a capital does."""
    has_name = np.max([column[f"cue_{kind}"] for kind in ("agency", "dateline", "byline", "note")], axis=0) > _WEAK
    runs_on: NDArray[np.bool_] = segments.own_letter[last_token] & ((column["cue_whole"] <= _WEAK) | has_name)
    return runs_on


class _Selection:
    """The strings that scores choose: some `rows`, with their tokens, and whether each is short enough for a slot."""

    def __init__(
        self, segments: Segments, rows: LongArray, starts: LongArray, lengths: LongArray, short: NDArray[np.bool_]
    ) -> None:
        # Their own tokens alone: hashing goes over all that it is given.
        self.tokens, bounds = _core.gather_slices_i32(segments.tokens, starts, lengths.astype(np.int32))
        self.rows, self.starts, self.lengths, self.short = rows, bounds[:-1], lengths, short
        self.forms = _hash_forms(segments)
        self.first_rows: dict[tuple[int, int], int] = {}

    def hashes(self, starts: LongArray, lengths: LongArray) -> list[int]:
        hashes: list[int] = _core.hash_strings(self.tokens, self.forms, starts, lengths.astype(np.int32)).tolist()
        return hashes

    def merge(self, verdicts: Verdicts) -> None:
        """Keep one of equal strings, with the anchors that all of them share.  `verdicts` is INOUT."""
        for row, string_hash in zip(self.rows.tolist(), self.hashes(self.starts, self.lengths), strict=True):
            slot_kind = int(verdicts.kind[row]) if verdicts.slot[row] else 0
            first_row = self.first_rows.setdefault((string_hash, slot_kind), row)
            if first_row != row:
                verdicts.anchor[first_row] &= verdicts.anchor[row]
                verdicts.reason_of[row] = REDUNDANT

    def drop_covered(self, verdicts: Verdicts, df: LongArray, min_uncovered: float) -> None:
        """Drop labels most of whose documents have one and the same longer label that is chosen.

        `verdicts` is INOUT.
        """
        for kind in (PREFIX, SUFFIX):
            kind_index = KINDS.index(kind)
            indices = np.flatnonzero(
                (verdicts.kind[self.rows] == kind_index) & (verdicts.reason_of[self.rows] == ACCEPTED)
            )
            indices = indices[np.argsort(-self.lengths[indices], kind="stable")]
            covered: dict[int, int] = {}
            for index, string_hash in zip(
                indices.tolist(), self.hashes(self.starts[indices], self.lengths[indices]), strict=True
            ):
                row, documents = self.rows[index], int(df[index])
                if not verdicts.slot[row] and documents - covered.get(string_hash, 0) < min_uncovered * documents:
                    verdicts.reason_of[row] = REDUNDANT
                    continue
                sizes = np.arange(1, self.lengths[index])
                starts = np.full(len(sizes), self.starts[index])
                if kind == SUFFIX:
                    starts += self.lengths[index] - sizes
                for shorter in self.hashes(starts, sizes):
                    covered[shorter] = max(documents, covered.get(shorter, 0))

    def drop_last_words(self, verdicts: Verdicts, traits: NDArray[np.uint16], df: LongArray) -> None:
        """Drop the labels that are the last word of sentences, where half of the documents have a longer one that is
        chosen: of "report." and "this report." the second, for any sentence may end with a word.

        `verdicts` is INOUT.
        """
        chosen = (verdicts.kind[self.rows] == KINDS.index(SUFFIX)) & (verdicts.reason_of[self.rows] == ACCEPTED)
        indices = np.flatnonzero(chosen & verdicts.slot[self.rows])
        last = self.tokens[self.starts[indices] + self.lengths[indices] - 1]
        ends_sentence = ((traits[last] & SMALL) > 0) & ((traits[last] & CLOSES) > 0)
        labels = [*zip(last[ends_sentence].tolist(), indices[ends_sentence].tolist(), strict=True)]
        longest: dict[int, int] = {}
        for word, index in labels:
            if self.lengths[index] > 1:
                longest[word] = max(longest.get(word, 0), int(df[index]))
        for word, index in labels:
            if self.lengths[index] == 1 and longest.get(word, 0) >= _HALF * df[index]:
                verdicts.reason_of[self.rows[index]] = REDUNDANT

    def drop_within_slots(self, verdicts: Verdicts) -> None:
        """Drop what lies in the match of a label with its filler: lines that begin (end) with it, longer labels.
        `verdicts` is INOUT."""
        for kind, outer in ((PREFIX, _ENDS_LINE), (SUFFIX, _BEGINS_LINE)):
            kind_index = KINDS.index(kind)
            reaching = {
                string_hash: row
                for (string_hash, slot_kind), row in self.first_rows.items()
                if slot_kind == kind_index and not verdicts.names[row] and verdicts.reason_of[row] == ACCEPTED
            }
            longest = max((self.lengths[np.searchsorted(self.rows, row)] for row in reaching.values()), default=0)
            slot = verdicts.slot[self.rows]
            # What reaches to the edge of its line that the slot does, too.
            eligible = self.short & (slot | (verdicts.anchor[self.rows] & outer > 0))
            eligible &= ~slot | (verdicts.kind[self.rows] == kind_index)
            for size in range(1, int(longest) + 1):
                # Strings with a slot are in that of a shorter label; those without also in that of an equal one.
                indices = np.flatnonzero(eligible & (self.lengths >= size + slot))
                starts = self.starts[indices]
                if kind == SUFFIX:
                    starts = starts + self.lengths[indices] - size
                for index, string_hash in zip(
                    indices.tolist(), self.hashes(starts, np.full(len(indices), size)), strict=True
                ):
                    row, covering = int(self.rows[index]), reaching.get(string_hash)
                    if covering is not None and verdicts.anchor[covering] & ~verdicts.anchor[row] == 0:
                        verdicts.reason_of[row] = REDUNDANT
