"""Trial 5: the text of an article in a feed is the ground truth for its page.

The fourth proposal of Foschini's section 6.1.  A feed has the whole text or only its beginning.  A whole text measures
recall and precision, an excerpt only recall; so the two have separate rows.  End and length of the text decide which of
them it is (`FeedConfig.full`), not the page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from statistics import fmean

from templatemine.errors import CorpusError
from templatemine.evaluation.metrics import WordScore, score_words, split_words
from templatemine.evaluation.plain import strip_markup
from templatemine.evaluation.protocol import System, TrialResult, check_ids, cross_clean, sample_documents
from templatemine.evaluation.trial_config import FeedConfig
from templatemine.model import Document

_UNITS = {
    "source": "text",
    "feed": "text",
    "pages": "count",
    "recall": "share",
    "precision": "share",
    "f1": "share",
    "words left": "count",
}

NOTES = (
    "recall: share of the words of the feed that the cleaned page keeps, in order; means over pages",
    "precision and F1 only for whole texts: a page must keep more than an excerpt",
)

_CUT_SHORT = re.compile(r"(?:\.\.\.|…|\[(?:\.\.\.|…)\])\W*$")


def evaluate_feed(
    documents: Sequence[Document], feeds: Mapping[str, str | None], system: System, config: FeedConfig | None = None
) -> TrialResult:
    """Clean pages and compare them with the texts of their feeds.

    Parameters
    ----------
    feeds : mapping
        Id -> description or content as it was in the feed; pages without one are learnt from and not scored.

    Raises
    ------
    CorpusError
        No document has a feed text of enough words, or two sources share an id.
    """
    config = config or FeedConfig()
    check_ids(documents)
    sampled = sample_documents(documents, config.sample, config.seed)
    texts = {document.id: strip_markup(feeds.get(document.id) or "") for document in sampled}
    scored_ids = {document_id for document_id, text in texts.items() if len(split_words(text)) >= config.least}
    if not scored_ids:
        raise CorpusError(f"no document has a feed text of at least {config.least} words", fatal=True)
    cleaned = cross_clean(system, sampled, config.folds, config.seed)
    scores: dict[tuple[str, str], list[WordScore]] = {}
    for document, answer in zip(sampled, cleaned, strict=True):
        if document.id in scored_ids:
            text = texts[document.id]
            expected = split_words(text)
            is_whole = len(expected) >= config.full and not _CUT_SHORT.search(text)
            feed_kind = "whole text" if is_whole else "excerpt"
            score = score_words(split_words(answer.text), expected)
            for name in (document.source, "all"):
                scores.setdefault((name, feed_kind), []).append(score)
    order = sorted(scores, key=lambda key: (key[0] == "all", key))
    settings = {
        "seed": config.seed,
        "sample of a source": config.sample,
        "folds": config.folds,
        "pages": len(sampled),
        "with a feed text": len(scored_ids),
        "whole texts have at least words": config.full,
    }
    rows = tuple(_row(source, feed_kind, scores[source, feed_kind]) for source, feed_kind in order)
    return TrialResult(name="feed", settings=settings, units=_UNITS, rows=rows, notes=NOTES)


def _row(source: str, feed_kind: str, scores: Sequence[WordScore]) -> dict[str, object]:
    is_whole = feed_kind == "whole text"
    return {
        "source": source,
        "feed": feed_kind,
        "pages": len(scores),
        "recall": fmean(score.recall for score in scores),
        "precision": fmean(score.precision for score in scores) if is_whole else None,
        "f1": fmean(score.f1 for score in scores) if is_whole else None,
        "words left": round(fmean(score.predicted for score in scores)),
    }
