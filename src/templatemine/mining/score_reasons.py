"""Features -> reasons for and against a template, in words.

A feature speaks by what the score loses when its value is replaced by that of the usual candidate (`Model.usual`).  The
three that speak most for it and the three that speak most against it are put in words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from templatemine.mining.features import FEATURES
from templatemine.mining.score import Model

CODES_PER_SIDE, _BYTES = 3, 8
"""Features told on each side; a byte for each of the two sides' fits one number."""
_MIN_EFFECT = 0.05
"""Change of the logarithm of the odds from which on a feature says something."""
_CHUNK = 64
"""Candidates weighed at a time: so many copies of each as there are features."""


def explain_scores(model: Model, kind: str, matrix: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the features that speak most for some candidates of a kind, and most against them.

    Parameters
    ----------
    matrix : float32 array, shape (candidates, features)
    rows : int64 array, shape (rows,)

    Returns
    -------
    int64 array, shape (rows,)
        Codes in its bytes, see `unpack_codes`.
    """
    packed = np.zeros((len(rows), _BYTES), np.int8)
    forest, width = model.forests[kind], matrix.shape[1]
    usual = model.usual[kind]
    for start in range(0, len(rows), _CHUNK):
        batch = matrix[rows[start : start + _CHUNK]]
        ablated = np.repeat(batch, width, axis=0)
        copy_rows = np.arange(len(ablated))
        ablated[copy_rows, copy_rows % width] = usual[copy_rows % width]
        effect = forest.scores(np.ascontiguousarray(batch))[:, None] - forest.scores(ablated).reshape(len(batch), width)
        value_side = np.where(batch > usual, 1, -1)
        for sign, offset in ((1, 0), (-1, CODES_PER_SIDE)):
            order = np.argsort(-sign * effect, axis=1, kind="stable")[:, :CODES_PER_SIDE]
            is_strong = np.take_along_axis(sign * effect, order, axis=1) >= _MIN_EFFECT
            codes = (order + 1) * np.take_along_axis(value_side, order, axis=1)
            packed[start : start + len(batch), offset : offset + CODES_PER_SIDE] = np.where(is_strong, codes, 0)
    return packed.view(np.int64)[:, 0]


def unpack_codes(packed: int) -> tuple[list[int], list[int]]:
    """Return the codes of one candidate in `explain_scores`: features for it and against it, the strongest first.

    Each is 1 + the place of the feature, negative where its value is below the usual one; 0 for none.
    """
    codes = np.array([packed], np.int64).view(np.int8).tolist()
    return codes[:CODES_PER_SIDE], codes[CODES_PER_SIDE : 2 * CODES_PER_SIDE]


def describe_codes(kind: str, codes: Sequence[int]) -> tuple[str, ...]:
    """Return some codes in words, each once."""
    names = FEATURES[kind]
    return tuple(dict.fromkeys(_WORDS[names[abs(code) - 1]][code < 0] for code in codes if code))


CUE_WORDS = {
    "promotion": "a promotion",
    "related": "a link to another story",
    "sharing": "a prompt to share",
    "media": "a credit or a player",
    "byline": "a byline",
    "dateline": "a dateline",
    "agency": "the name of an agency",
    "legal": "a legal notice",
    "advertisement": "an advertisement",
    "navigation": "navigation",
    "embed": "an embedded post",
    "note": "an editor's note",
    "contact": "contact details",
}
"""Kind of a cue -> the description of text with such a cue."""

_WORDS: Mapping[str, tuple[str, str]] = {
    "documents": ("in many documents", "in few documents"),
    "share": ("in a large share of the documents", "in a small share of the documents"),
    "string_share": ("its words are in a large share of the documents", "its words are in few of the documents"),
    "each": ("several times in an article", "once in an article"),
    "span": ("used over a long time", "used for a short time"),
    "dense": ("frequent in the time of its use", "infrequent in the time of its use"),
    "busiest": ("much more frequent at one time than at others", "evenly frequent over time"),
    "alone": ("a line of its own", "part of a longer line"),
    "begins": ("at the beginning of lines", "not at the beginning of lines"),
    "ends": ("at the end of lines", "not at the end of lines"),
    "position": ("late in articles", "early in articles"),
    "position_sd": ("anywhere in articles", "always at the same place in articles"),
    "edge": ("on average far from both ends of articles", "on average near an end of articles"),
    "from_start": ("far from the beginning of articles", "near the beginning of articles"),
    "from_end": ("far from the end of articles", "near the end of articles"),
    "first": ("the first thing in articles", "not the first thing in articles"),
    "last": ("the last thing in articles", "not the last thing in articles"),
    "near": ("often near an end of articles", "seldom near an end of articles"),
    "segment": ("in long sentences", "in short sentences"),
    "line": ("in long lines", "in short lines"),
    "closed": ("its sentences end with a mark", "its sentences end without a mark"),
    "before_df": ("behind frequent text", "behind text that is new in every article"),
    "after_df": ("before frequent text", "before text that is new in every article"),
    "before_repeats": ("behind text that repeats", "behind text that does not repeat"),
    "after_repeats": ("before text that repeats", "before text that does not repeat"),
    "beside": ("beside other text that repeats", "not beside text that repeats"),
    "in_prose": ("amid text that does not repeat", "amid text that repeats"),
    "before_same": ("mostly behind the same text", "behind many different texts"),
    "after_same": ("mostly before the same text", "before many different texts"),
    "before_tokens": ("behind long sentences", "behind short sentences"),
    "after_tokens": ("before long sentences", "before short sentences"),
    "before_closed": ("behind the end of a sentence", "not behind the end of a sentence"),
    "before_open": ("behind an open sentence", "not behind an open sentence"),
    "goes_on": ("a sentence goes on behind it", "no sentence goes on behind it"),
    "torn": ("in the middle of a sentence", "not in the middle of a sentence"),
    "tokens": ("many words", "few words"),
    "characters": ("many characters", "few characters"),
    "information": ("no chance brings its words together", "chance may bring its words together"),
    "bits": ("made of rare words", "made of frequent words"),
    "capitals": ("many capitals", "few capitals"),
    "mutable": ("many numbers, dates or addresses", "no numbers, dates or addresses"),
    "figures": ("many figures", "no figures"),
    "small": ("many words in small letters", "few words in small letters"),
    "script": ("characters of a script without spaces", "no characters of a script without spaces"),
    "small_first": ("begins with a small letter", "does not begin with a small letter"),
    "capital_first": ("begins with a capital", "does not begin with a capital"),
    "colon_last": ("ends with a colon", "does not end with a colon"),
    "closed_last": ("ends with a mark", "ends without a mark"),
    "sentence_last": ("ends as a sentence does", "does not end as a sentence does"),
    "own": ("its words stand nowhere else", "its words stand elsewhere, too"),
    "longer": ("mostly continued in one way", "mostly continued in other ways"),
    "shorter": ("its last word is no chance continuation", "its last word is a chance continuation"),
    "same_beside": ("mostly the same word beside it", "seldom the same word beside it"),
    "kinds_beside": ("many different words beside it", "few different words beside it"),
    "capital_beside": ("continued with a capital or a number", "not continued with a capital or a number"),
    "small_beside": ("continued in small letters", "not continued in small letters"),
    "mutable_beside": ("continued with a number, a date or an address", "not continued with a number"),
    "fill": ("many words in the rest of its sentence", "few words in the rest of its sentence"),
    "fill_sd": ("what follows is of very different lengths", "what follows is always of the same length"),
    "fill_characters": ("many characters in the rest of its sentence", "few characters in the rest of its sentence"),
    "fill_capitals": ("many capitals in the rest of its sentence", "few capitals in the rest of its sentence"),
    "fill_mutable": ("numbers or dates in the rest of its line", "no numbers or dates in the rest of its line"),
    "rest": ("the rest of its line is long", "the rest of its line is short"),
    "rest_sd": ("lines of very different lengths", "lines that are all of one length"),
    "rest_capitals": ("many capitals in the rest of its line", "few capitals in the rest of its line"),
    "rest_closed": ("its line ends as a sentence does", "its line does not end as a sentence does"),
    "rest_segments": ("several sentences in the rest of its line", "at most one sentence in the rest of its line"),
    "edge_own": ("its last word stands nowhere else", "its last word stands elsewhere, too"),
    "lift": ("its words belong together", "its words meet by chance"),
    "dashed": ("before the dash of a dateline", "not before a dash"),
    "unclosed": ("its bracket ends in the rest of its line", "no bracket goes on behind it"),
    "letters": ("made of words", "few letters"),
    "upper": ("in capitals", "not in capitals"),
    "addresses": ("has a web address", "has no web address"),
    "mails": ("has a mail address", "has no mail address"),
    "handles": ("has a handle such as @name", "has no handle"),
    "times": ("has a date or a time", "has no date or time"),
    "rights": ("has a sign such as ©", "has no sign such as ©"),
    **{f"cue_{kind}": (f"reads like {words}", f"does not read like {words}") for kind, words in CUE_WORDS.items()},
    "cue_share": ("mostly words of boilerplate", "no words of boilerplate"),
    "cue_first": ("begins with words of boilerplate", "does not begin with words of boilerplate"),
    "cue_last": ("ends with words of boilerplate", "does not end with words of boilerplate"),
    "cue_any": ("reads like boilerplate", "does not read like boilerplate"),
    "cue_label": ("a label in words of boilerplate", "no label in words of boilerplate"),
    "cue_whole": ("nothing but words of boilerplate", "more than words of boilerplate"),
    "cue_before": ("behind text that reads like boilerplate", "not behind text that reads like boilerplate"),
    "cue_after": ("before text that reads like boilerplate", "not before text that reads like boilerplate"),
    "cue_segment": ("in sentences that read like boilerplate", "in sentences that do not read like boilerplate"),
}
"""Feature -> the meaning of a value above the usual one, and below; no two of a kind share words, for one may speak for
a template and the other against it: two documents of ten are few, and a large share."""
