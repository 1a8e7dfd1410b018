"""Documents -> Corpus: ids of normalised tokens, one source at a time.

In come the documents of one source; out goes a `Corpus`.  Text is encoded once, scanned once by the native core, and
each token type is normalised once.  Time is linear in bytes; memory is the encoded text, four bytes a token and the
distinct tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from templatemine import _core
from templatemine.config import TokeniseConfig
from templatemine.errors import CapacityError
from templatemine.mining.corpus import Corpus, Vocabulary
from templatemine.model import Document
from templatemine.text import _scan
from templatemine.text.dates import Calendar, covered_days
from templatemine.text.expressions import tokeniser_input
from templatemine.text.patterns import PatternSet, pattern_set
from templatemine.text.reading import ReadingRules

__all__ = ["document_days", "document_input", "is_html_source", "tokenise"]

BATCH_SIZE = 64
"""Documents that the native core is given at a time."""


def document_days(dates: Iterable[str | None]) -> tuple[str, ...]:
    """Return the first and the last day of the dates of one source, see `dates.covered_days`."""
    return covered_days(Calendar(dates).counts())


def document_input(
    document: Document, patterns: PatternSet, separators: str, rules: ReadingRules | None
) -> str | bytes:
    """Return the body of a document for the tokeniser, see `tokeniser_input`.

    Raises
    ------
    CapacityError
        A pattern of the user's own takes too long for it.  It is not skipped: what is learnt would depend on how busy
        the machine is, and a pack with this pattern could not clean it either.
    """
    try:
        return tokeniser_input(document.body, patterns, separators, rules)
    except CapacityError as error:
        raise CapacityError(f"{document.source}: document {document.id!r}: {error}") from error


def is_html_source(documents: Sequence[Document]) -> bool:
    """Return whether half of the documents are HTML: a page that strayed among articles must not make their pack one
    that is for pages alone."""
    return 2 * sum(document.is_html for document in documents) >= max(1, len(documents))


def tokenise(
    source: str,
    documents: Iterable[Document],
    config: TokeniseConfig,
    *,
    lines: bool = False,
    rules: ReadingRules | None = None,
) -> Corpus:
    """Tokenise all documents of a source.

    Parameters
    ----------
    source : str
    documents : iterable of Document
        Taken once, in order; see `is_html_source`.
    config : TokeniseConfig
    rules : ReadingRules, optional
        How texts are read; pages are read unchanged.
    lines : bool
        Line breaks become tokens.

    Raises
    ------
    ConfigError
        Unknown pattern preset, or separators that are no ASCII punctuation.
    CapacityError
        More than 2^31 - 2 different tokens, or a pattern of the user's own takes too long for a document.
    """
    patterns = pattern_set(config.patterns, config.user_patterns)
    texts = list(documents)
    html = is_html_source(texts)
    rules = None if html else rules
    native = _scan.Tokeniser(*patterns.scanner_arguments(config.separators, html), lines)
    dates = document_days(document.date for document in texts)
    for first in range(0, len(texts), BATCH_SIZE):
        # A batch at a time: each call waits for Python's lock, and with patterns of the user's the text of all of them
        # would be another copy.
        native.add_all(
            [
                document_input(document, patterns, config.separators, rules)
                for document in texts[first : first + BATCH_SIZE]
            ]
        )
    gaps, dashes = (native.gaps(), native.dashes()) if lines else (None, None)
    forms, doc_starts, arena, offsets = native.finish()
    df, counts = _core.document_frequency(forms, doc_starts, len(offsets) - 1)
    return Corpus(
        source=source,
        html=html,
        lines=lines,
        forms=forms,
        doc_starts=doc_starts,
        form_names=Vocabulary(arena, offsets),
        traits=_scan.form_traits(arena, offsets),
        df=df,
        counts=counts,
        gaps=gaps,
        dashes=dashes,
        first_date=dates[0] if dates else None,
        last_date=dates[-1] if dates else None,
    )
