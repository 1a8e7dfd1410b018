"""What names a cited paper is content, whatever stands before it."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from invented import bare_pack, mine_pack
from templatemine.mining.citing import find_citing
from templatemine.model import Document
from templatemine.packs.pack_record import bare_template

LABEL = "Read more: https://"
PAPERS = ("doi.org/10.1234/sci.{}", "dx.doi.org/10.55555/{}.7", "arxiv.org/abs/2401.{}")
OTHERS = ("courier.example/shop/{}", "courier.example/10.12/{}", "courier.example/v10.1234/{}")


def _articles(address: str, number: int = 60) -> list[Document]:
    dice = random.Random(5)
    words = ["".join(dice.choices("ghijklmnopqrstuv", k=8)) for _ in range(4000)]
    return [
        Document(
            source="a.example",
            id=str(index),
            text="\n".join(f"{' '.join(dice.choices(words, k=14)).capitalize()}." for _ in range(5))
            + f"\n{LABEL}{address.format(10_000 + 37 * index)}",
        )
        for index in range(number)
    ]


@pytest.mark.parametrize("address", PAPERS)
def test_references_to_papers_stay(address: str) -> None:
    articles = _articles(address)
    pack = mine_pack(articles)
    assert all(pack.clean(one.body).text == one.body for one in articles)
    assert "takes references to papers" in pack.rejected


@pytest.mark.parametrize("address", OTHERS)
def test_other_addresses_go(address: str) -> None:
    articles = _articles(address)
    pack = mine_pack(articles)
    assert all(LABEL not in pack.clean(one.body).text for one in articles)


def test_a_template_beside_a_reference_goes() -> None:
    """Both are one cut."""
    templates = [
        replace(bare_template(tokens), anchor="line") for tokens in (("Read", "more:", "{url}"), ("Sign", "up!"))
    ]
    pack = replace(bare_pack(4), templates=tuple(templates))
    articles = [
        Document(source="a.example", id=str(index), text=f"A story.\n{LABEL}{PAPERS[0].format(index)}\nSign up!")
        for index in range(4)
    ]
    assert find_citing(pack, articles) == {templates[0].id}


def test_half_of_the_matches_decide() -> None:
    template = replace(bare_template(("Read", "more:", "{url}")), anchor="line")
    pack = replace(bare_pack(4), templates=(template,))
    for papers in range(5):
        addresses = [PAPERS[0]] * papers + [OTHERS[0]] * (4 - papers)
        articles = [
            Document(source="a.example", id=str(index), text=f"A story.\n{LABEL}{address.format(index)}")
            for index, address in enumerate(addresses)
        ]
        assert find_citing(pack, articles) == ({template.id} if papers >= 2 else set())
