"""A pack and texts out of choices: both engines cut the same, with and without the sieve, and what is left is what stood."""

from __future__ import annotations

from test_cut import check
from test_sieve import agree

from common import texts
from common.choices import Choices
from common.session import run
from reading_reference import take_empty_tags
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig
from templatemine.matching import _cutting


def one(data: bytes) -> None:
    choices = Choices(data)
    html = choices.flag()
    case = texts.case(choices, html)
    pack = case.pack()
    native, regex = (Cleaner(pack, CleanConfig(engine=engine)) for engine in ("native", "regex"))
    documents = (*case.texts, *case.others)
    for text in documents:
        spans = native.spans(text)
        assert spans == regex.spans(text)
        assert all(0 <= span.start < span.end <= len(text) and span.templates for span in spans)
        bounds = [(span.start, span.end) for span in spans]
        assert _cutting.take_empty_tags(text, bounds) == take_empty_tags(text, bounds)
        if not html:
            cleaned = native.clean(text)
            assert list(cleaned.removed) == spans
            check(text, spans, cleaned.text)
            agree(pack, text)


if __name__ == "__main__":
    run(one)
