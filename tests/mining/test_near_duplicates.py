"""Copies of one article, told apart from articles that share boilerplate."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import examples
from templatemine.api import mine
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig, PipelineConfig, SampleConfig, TokeniseConfig
from templatemine.mining.near_duplicates import drop_copies
from templatemine.mining.tokenise import tokenise
from templatemine.model import Document
from templatemine.pipeline import Miner

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "datasets"))
from generate import Archive, ArchiveSpec

LETTERS = "abcdefghijklmnoprstuvw"


def words(rng: random.Random, number: int) -> list[str]:
    return ["".join(rng.choices(LETTERS, k=5)) for _ in range(number)]


def article(rng: random.Random, number: int = 120) -> str:
    """Lines of words that hardly ever come twice, six words to a sentence."""
    said = words(rng, number)
    return "\n\n".join(" ".join(said[at : at + 30]).capitalize() + "." for at in range(0, number, 30))


def changed(rng: random.Random, text: str, share: float) -> str:
    return " ".join(rng.choice(words(rng, 1)) if rng.random() < share else word for word in text.split(" "))


def document(text: str, number: int) -> Document:
    return Document(source="echo.example", id=str(number), text=text)


def kept(texts: list[str]) -> list[int]:
    corpus = tokenise(
        "echo.example", [document(text, at) for at, text in enumerate(texts)], TokeniseConfig(), lines=True
    )
    return drop_copies(corpus)[1].tolist()


FOOTER = (
    "Our newsroom is paid for by readers like you and by nobody else: become a friend of the Evening Echo today, " * 4
)


def test_of_an_article_and_its_copies_one_is_kept() -> None:
    rng = random.Random(1)
    texts = [article(rng) for _ in range(100)]
    copies = [changed(rng, texts[7], 0.02) for _ in range(3)] + [texts[20], texts[20].partition("\n\n")[2]]
    stay = kept(texts + copies)
    assert len(stay) == 100
    assert len({7, 100, 101, 102} & set(stay)) == 1
    assert len({20, 103, 104} & set(stay)) == 1


def test_articles_that_share_boilerplate_are_no_copies() -> None:
    """Though the footer, in one document of a hundred, is more than half of each of them."""
    rng = random.Random(2)
    texts = [article(rng, 40) + ("\n\n" + FOOTER if at % 10 == 0 else "") for at in range(400)]
    assert kept(texts) == list(range(400))


def test_equal_documents_are_one() -> None:
    """A notice instead of the article, too; that beside articles is boilerplate, however often it stands there."""
    rng = random.Random(3)
    texts = [article(rng) for _ in range(300)] + [FOOTER] * 30
    assert kept(texts) == list(range(301))
    texts = [article(rng) + "\n\n" + FOOTER for _ in range(60)]
    assert kept(texts) == list(range(60))


@pytest.mark.parametrize("texts", [[], [""], ["word"], ["word", "other"], ["\n", "a b"]])
def test_little_or_nothing_is_no_copy(texts: list[str]) -> None:
    assert kept(texts) == list(range(len(texts)))


def test_a_short_article_is_a_copy_only_if_hardly_anything_is_new() -> None:
    rng = random.Random(4)
    texts = [article(rng, 20) for _ in range(50)]
    assert len(kept([*texts, texts[3]])) == 50
    assert len(kept([*texts, changed(rng, texts[3], 0.5)])) == 51


@examples(40)
@given(st.integers(0, 2**32), st.integers(2, 12), st.integers(0, 6))
def test_the_order_of_documents_changes_nothing(seed: int, number: int, copies: int) -> None:
    rng = random.Random(seed)
    texts = [article(rng, rng.randrange(10, 90)) for _ in range(number)]
    texts += [changed(rng, rng.choice(texts), rng.choice((0.0, 0.02, 0.3))) for _ in range(copies)]
    order = rng.sample(range(len(texts)), len(texts))
    first = sorted(texts[at] for at in kept(texts))
    shuffled = [texts[at] for at in order]
    assert sorted(shuffled[at] for at in kept(shuffled)) == first


def test_the_corpus_without_copies_is_that_of_the_others() -> None:
    rng = random.Random(5)
    texts = [article(rng) for _ in range(12)]
    texts.insert(5, texts[9])
    corpus = tokenise(
        "echo.example", [document(text, at) for at, text in enumerate(texts)], TokeniseConfig(), lines=True
    )
    rest, places = drop_copies(corpus)
    assert len(places) == rest.documents == 12
    for at, place in enumerate(places.tolist()):
        mine_ = rest.forms[rest.doc_starts[at] : rest.doc_starts[at + 1]]
        assert mine_.tolist() == corpus.forms[corpus.doc_starts[place] : corpus.doc_starts[place + 1]].tolist()


def test_the_copies_of_the_generator_are_found_and_nothing_else() -> None:
    articles = list(Archive(ArchiveSpec(seed=5, sources=1, documents=500)).articles())
    stay = set(kept([one.record["text"] for one in articles]))
    place = {one.record["id"]: at for at, one in enumerate(articles)}
    families: dict[int, set[int]] = {}
    for at in range(len(articles)):
        first = at
        while articles[first].copy_of is not None:
            first = place[articles[first].copy_of]
        families.setdefault(first, set()).add(at)
    assert all(family & stay for family in families.values())
    copies = len(articles) - len(families)
    assert copies >= 10
    assert len(articles) - len(stay) >= 0.9 * copies


# --------------------------------------------------------------------------------------------------------- in the pipeline


def republished(seed: int = 6, copies: int = 8) -> tuple[list[Document], list[str]]:
    """Articles with a footer, ten of which came out `copies` times more with changes."""
    rng = random.Random(seed)
    texts = [article(rng) for _ in range(200)]
    again = [changed(rng, text, 0.01) for text in texts[:10] for _ in range(copies)]
    footer = "\n\nRead the Evening Echo on paper, every morning."
    return [document(text + footer, at) for at, text in enumerate(texts + again)], texts[:10]


def cut(documents: list[Document], texts: list[str], config: PipelineConfig) -> int:
    pack = mine(documents, config)["echo.example"]
    return sum(
        span.end - span.start for text in texts for span in Cleaner(pack, CleanConfig(guard=1.0)).clean(text).removed
    )


def test_an_article_that_came_out_again_keeps_its_sentences() -> None:
    documents, texts = republished()
    assert cut(documents, texts, PipelineConfig(keep_copies=True)) > sum(map(len, texts)) / 10
    assert cut(documents, texts, PipelineConfig()) == 0
    footed = [text + "\n\nRead the Evening Echo on paper, every morning." for text in texts]
    assert cut(documents, footed, PipelineConfig()) == 10 * len("Read the Evening Echo on paper, every morning.")


def test_captures_of_articles_with_other_blocks_teach_both() -> None:
    """Articles were fetched twice, and had a longer block behind them the second time: of the other one, which was in
    two fifths of the archive, nothing was learnt."""
    rng = random.Random(9)
    stories = [article(rng, 200) for _ in range(60)]
    blocks = [" ".join(words(rng, size)).capitalize() + "." for size in (60, 70)]
    captures = [
        Document(
            source="echo.example",
            id=f"{number}-{capture}",
            url=f"https://echo.example/{number}",
            text=f"{story}\n\n{block}",
        )
        for number, story in enumerate(stories)
        for capture, block in enumerate(blocks)
    ]
    cleaner = Cleaner(mine(captures)["echo.example"])
    assert all(cleaner.clean(one.text or "").text.strip() == stories[place // 2] for place, one in enumerate(captures))


def test_one_that_is_left_out_is_told_in_the_singular() -> None:
    documents, _ = republished()
    blank = Document(source=documents[0].source, id="blank", text="")
    (report,) = Miner().run([*documents[:80], blank])
    assert report.pack is not None
    assert "1 document without text ignored" in report.pack.cutoff.note


def test_copies_are_told_and_templates_keep_their_examples() -> None:
    documents, _ = republished()
    (report,) = Miner().run(documents)
    assert report.documents == 280
    assert report.pack is not None
    assert report.pack.documents == 280
    assert "80 near-duplicates ignored" in report.pack.cutoff.note
    assert [(one.example, one.df) for one in report.pack.templates] == [
        ("Read the Evening Echo on paper, every morning.", 280)
    ]


def with_blank(documents: list[Document]) -> list[Document]:
    """The same, with as many documents without text between them."""
    blank = (
        Document(
            source="echo.example", id=f"blank {place}", text=("", "  ", "\n\u00a0\n")[place % 3], date="2024-01-01"
        )
        for place in range(len(documents))
    )
    return [one for pair in zip(documents, blank, strict=True) for one in pair]


@pytest.mark.parametrize("sample", [10_000, 150])
def test_documents_without_text_are_not_counted(sample: int) -> None:
    documents, _ = republished()
    config = PipelineConfig(sample=SampleConfig(documents=sample), keep_copies=True)
    (told,), (blank,) = Miner(config).run(documents), Miner(config).run(with_blank(documents))
    assert told.pack is not None
    assert blank.pack is not None
    assert blank.documents == 2 * told.documents == 560
    assert blank.pack.documents == told.pack.documents == 280
    assert "documents without text ignored" in blank.pack.cutoff.note
    assert blank.pack.last_date == told.pack.last_date
    if sample > 560:
        assert blank.pack.templates == told.pack.templates
    else:
        assert {one.tokens: one.df for one in blank.pack.templates if one.df > 100} == {
            one.tokens: one.df for one in told.pack.templates if one.df > 100
        }


def test_five_documents_have_text() -> None:
    documents, _ = republished()
    (report,) = Miner().run([*documents[:4], *with_blank(documents)[1:20:2]])
    assert report.note == "4 of 14 documents have text, at least 5 are needed"


def test_a_sample_is_rid_of_its_copies_and_counted_in_all_documents() -> None:
    documents, texts = republished()
    config = PipelineConfig(sample=SampleConfig(documents=250))
    (report,) = Miner(config).run(documents)
    assert report.documents == 280
    assert cut(documents, texts, config) == 0


def test_the_thesis_counts_every_document() -> None:
    documents, _ = republished()
    (report,) = Miner(PipelineConfig(method="thesis")).run(documents)
    assert report.pack is not None
    assert report.pack.documents == 280
