"""Mining and cleaning as a system of the trials."""

from __future__ import annotations

import random

import pytest

from invented_pages import page
from templatemine import extract
from templatemine.api import mine
from templatemine.config import CleanConfig, PipelineConfig
from templatemine.errors import ConfigError
from templatemine.evaluation.cleaning_systems import extraction_learner, mining_learner, mining_system, pack_cleaner
from templatemine.model import Cleaned, Document
from templatemine.pages.main_text import PageCleaner

CALL = "Sign up for the morning letter of the Lantern today."


def articles(source: str, number: int = 20) -> list[Document]:
    rng = random.Random(source)
    words = [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in ("m", "n", "rst")]
    return [
        Document(source=source, id=f"{source}/{place}", text=f"{' '.join(rng.choices(words, k=20))}.\n{CALL}")
        for place in range(number)
    ]


def test_what_is_learnt_from_some_cleans_others() -> None:
    documents = articles("a") + articles("b")
    new = Document(source="b", id="new", text=f"Fresh news.\n{CALL}")
    (answer,) = mining_system()(documents, [new])
    assert answer.text == "Fresh news."
    (span,) = answer.removed
    assert new.body[span.start : span.end] == CALL
    assert mining_learner()(documents)([new]) == [answer] == pack_cleaner(mine(documents))([new])


def test_sources_without_a_pack_pass() -> None:
    """Too few documents, or none: texts stay; of pages the page model gives the main text, or they lose their mark-up."""
    few = articles("few", 3)
    page = Document(source="other", id="1", html="<p>One</p><p>two</p>")
    answers = mining_system(clean=CleanConfig(html="strip"))([*articles("a"), *few], [few[0], page])
    assert answers == [Cleaned(few[0].body, ()), Cleaned("One\ntwo", ())]
    assert mining_system()([*articles("a"), *few], [page]) == [PageCleaner().clean(page.body)]


def test_options_reach_their_stages() -> None:
    with pytest.raises(ConfigError, match="method"):
        mining_learner(PipelineConfig(method="magic"))
    with pytest.raises(ConfigError, match="engine"):
        mining_system(clean=CleanConfig(engine="magic"))(articles("a"), [])


def test_a_page_level_system_as_a_learner() -> None:
    pages = [Document(source="lantern.example", id=str(n), html=page(n)) for n in range(5)]
    sizes = sorted((len(one.body), place) for place, one in enumerate(pages))
    middle, beside = pages[sizes[2][1]], pages[sizes[1][1]]
    got = extraction_learner("diff")(pages)([middle, beside, Document(source="other.example", id="x", html=page(9))])
    assert got[0].text == extract(middle.body, "diff", references=[beside.body]).text
    assert got[1].text == extract(beside.body, "diff", references=[middle.body]).text
    assert got[2].text == extract(page(9), "density").text
