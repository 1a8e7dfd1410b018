"""Articles of invented words, and the pack that they give."""

from __future__ import annotations

import random

from templatemine.config import PipelineConfig, TokeniseConfig
from templatemine.model import Cutoff, Document
from templatemine.packs.pack import Pack
from templatemine.pipeline import Miner
from templatemine.text.patterns import pattern_set


def words(dice: random.Random, number: int) -> str:
    """Words that no language has."""
    return " ".join("".join(dice.choices("ghijklmnopqrstuv", k=7)) for _ in range(number))


def mine_pack(articles: list[Document]) -> Pack:
    """The pack of the one source of some articles."""
    (report,) = [one for one in Miner(PipelineConfig()).run(articles) if one.pack is not None]
    assert report.pack is not None
    return report.pack


def bare_pack(documents: int) -> Pack:
    """A pack of so many articles, without templates."""
    return Pack(
        source="a.example",
        html=False,
        tokenise=TokeniseConfig(),
        enabled=pattern_set("news").enabled,
        documents=documents,
        method="learned",
        cutoff=Cutoff(method="score", df=None, share=None, energy=None, histogram=(), note=""),
        templates=(),
    )
