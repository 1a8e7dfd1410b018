"""What templates do to the articles they were learnt from: cuts that leave half a sentence on each side."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

import templatemine
from invented import mine_pack
from templatemine import PipelineConfig
from templatemine.config import SelectConfig
from templatemine.mining import kept_texts, own_cuts
from templatemine.mining.own_cuts import count_tears
from templatemine.mining.stages import TEARS
from templatemine.model import Document, Template
from templatemine.packs.pack_record import template_id
from templatemine.pipeline import Miner
from templatemine.text.tears import is_tear

LINE = "Sign up for our newsletter to get the best of the week."


@pytest.mark.parametrize(
    ("text", "cut", "torn"),
    [
        ("He met Ann in Rome.", "Ann", True),
        ("in the\nUniversity of\nfreiburg", "University of", True),
        ("published in\nNature\n, and so on", "Nature", True),
        ("It fell for the first time since 2005, he said.", "for the first time since", True),
        ("Jo Reed of the Trust did not respond. It was late.", "did not respond.", True),
        ("He said so. Read more. It was late.", "Read more.", False),
        ("It was late. (Read in The Courier: A bridge falls) He left.", "(Read in The Courier:", True),
        ("It was late. (Read more) He left.", "(Read more)", False),
        ("The end.\nAdvertisement\nThe rest.", "Advertisement", False),
        ("The end.\nAdvertisement\nthe rest.", "Advertisement", False),
        ("an open line\n\nAdvertisement\n\nthe rest", "Advertisement", False),
        ("Advertisement\nthe rest", "Advertisement", False),
        ("the rest\nAdvertisement", "Advertisement", False),
        ("an open line\nAdvertisement\nA new one.", "Advertisement", False),
    ],
)
def test_is_tear(text: str, cut: str, torn: bool) -> None:
    start = text.index(cut)
    assert is_tear(text, start, start + len(cut)) is torn


def _articles(inner: str, number: int = 60) -> list[Document]:
    dice = random.Random(5)
    words = ["".join(dice.choices("ghijklmnopqrstuv", k=8)) for _ in range(4000)]
    articles = []
    for index in range(number):
        text = "\n".join(f"{' '.join(dice.choices(words, k=14)).capitalize()}." for _ in range(5))
        open_line, rest = " ".join(dice.choices(words, k=6)), " ".join(dice.choices(words, k=6))
        articles.append(
            Document(source="a.example", id=str(index), text=f"{text}\n{open_line}\n{inner}\n{rest}.\n{LINE}")
        )
    return articles


def test_a_line_within_sentences_is_no_template() -> None:
    articles = _articles("Harbour Institute Carrow")
    (report,) = Miner(PipelineConfig(select=SelectConfig(caution=1e-6))).run(articles)
    assert report.pack is not None
    texts = {template.example for template in report.pack.templates}
    assert LINE in texts
    assert "Harbour Institute Carrow" not in texts
    assert report.pack.rejected[TEARS] >= 1
    # Else the next mining takes it for the decision of a person, and keeps it.
    assert {mark.partition(" ")[0] for mark in report.pack.mined or ()} == {one.id for one in report.pack.templates}


def test_cuts_and_tears_are_counted_by_template() -> None:
    articles = _articles("Harbour Institute Carrow")
    pack = templatemine.mine(articles)["a.example"]
    counts = count_tears(pack, articles)
    by_text = {template.example: counts[template.id] for template in pack.templates if template.id in counts}
    assert by_text[LINE].cuts == len(articles)
    assert by_text[LINE].tears == 0


def test_a_name_at_the_end_of_sentences_is_no_template() -> None:
    """Their first half would stay: "The embassy remains in"."""
    articles = []
    for one in _articles(""):
        *lines, line = one.text.split("\n")
        told = [f"He said the {word} of it is not the {word[::-1]} in {word}." for word in lines[0].lower().split()[:6]]
        text = "\n".join([f"{lines[0][:-1]} in the Harbour Institute.", *told, *lines[1:], line])
        articles.append(replace(one, text=text))
    pack = templatemine.mine(articles)["a.example"]
    name = Template(
        id=template_id(("Harbour", "Institute.")),
        regex="",
        tokens=("Harbour", "Institute."),
        df=60,
        count=60,
        example="Harbour Institute.",
    )
    pack = replace(pack, templates=(*pack.templates, replace(name, regex=pack.derived(name))))
    counts = count_tears(pack, articles)
    assert counts[name.id] == (len(articles), len(articles))
    assert not any(count.tears for one, count in counts.items() if one != name.id)


def test_which_articles_are_looked_at_does_not_depend_on_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor on their ids, which executors of a cluster leave out."""
    monkeypatch.setattr(own_cuts, "MAX_DOCUMENTS", 20)
    articles = [
        replace(one, text=one.text if index % 3 else one.text.replace(LINE, ""))
        for index, one in enumerate(_articles("Harbour Institute Carrow"))
    ]
    pack = templatemine.mine(articles)["a.example"]
    counts = count_tears(pack, articles)
    assert sum(count.cuts for count in counts.values()) > 0
    assert all(count.cuts <= 20 for count in counts.values())
    assert counts == count_tears(pack, [replace(one, id="") for one in articles[::-1]])


def test_no_text_is_kept_when_a_source_is_mined() -> None:
    mine_pack(
        [Document(source="a.example", id=str(number), text=f"Read more\n\nStory {number}.") for number in range(30)]
    )
    assert kept_texts.read_body.cache_info().currsize == 0
