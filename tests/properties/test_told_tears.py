"""What mining holds against a cut is told of it, and all that tell of cuts count the same ones."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from invented import bare_pack
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig
from templatemine.desk.effects import find_cuts
from templatemine.desk.review import Article, try_expression
from templatemine.evaluation.residue import TORN, evaluate_residue
from templatemine.kinds import CUT_ALL
from templatemine.mining.halved import find_halving
from templatemine.mining.own_cuts import tearing_templates
from templatemine.model import Cleaned, Document, Template
from templatemine.packs.pack import Pack
from templatemine.packs.pack_record import template_id
from templatemine.report.explain import Explainer
from templatemine.report.findings import judge_texts
from templatemine.report.harm import NO_HARM, CutResidues, count_residues, find_blamed
from templatemine.text.tears import SentenceEnds, torn_edges

NAMES = ["".join(letters).title() for letters in product("bdfg", "aeio", "lmnr")]
PROSE = [f"They live in {name}. They met in {name}, and sat in {name}. The news is of it." for name in NAMES] * 6
"""No sentence ends with "in"."""
ENDS = SentenceEnds(PROSE)
PIECES = st.lists(
    st.sampled_from((" ", "\n", "\n\n", ". ", ", ", "in", " to", "The", "the news", "Bal", "By:", "(", ")", "\u3002")),
    max_size=14,
).map("".join)


@given(PIECES, st.integers(0, 60), st.integers(0, 60))
def test_what_mining_holds_against_a_cut_is_told(text: str, start: int, end: int) -> None:
    start, end = sorted((min(start, len(text)), min(end, len(text))))
    told = ENDS.leaves_part(text, start, end)
    assert told >= ENDS.is_tear(text, start, end)
    assert told >= ENDS.leaves_rest(text, start, end)
    assert any(torn_edges(text, start, end, ENDS.leaves_part)) == told


def _pack(strings: list[str]) -> Pack:
    pack = bare_pack(len(PROSE))
    templates = []
    for text in strings:
        tokens = tuple(text.split())
        one = Template(id=template_id(tokens), regex="", tokens=tokens, df=9, count=9, example=text, kind="promotion")
        templates.append(replace(one, regex=pack.derived(one)))
    return replace(pack, templates=tuple(templates))


CUTS = {
    "the rest is on the next line": (
        "{0}.\nThe whole story stands in\nNature Letters\n.",
        "The whole story stands in",
        1,
    ),
    "the rest is on its line": ("{0}. The desk of ours said so.", "The desk of ours", 1),
    "an open sentence": ("{0}. They live in Tel Aviv.\nIt was late.", "Tel Aviv.", 1),
    "half on each side": ("{0}\nmet a man\nin the news.", "a man", 1),
    "whole": ("{0}.\nSubscribe now to it\n\nIt was late.", "Subscribe now to it", 0),
}


@pytest.mark.parametrize("name", CUTS)
def test_all_count_the_same_cuts(name: str) -> None:
    pattern, string, torn = CUTS[name]
    pack, dice = _pack([string]), random.Random(3)
    texts = [f"{text}\n{pattern.format(dice.choice(NAMES))}" if n % 3 else text for n, text in enumerate(PROSE)]
    documents = [Document(source="a.example", id=str(number), text=text) for number, text in enumerate(texts)]
    expected = torn * sum(string in text for text in texts)
    (template,) = pack.templates
    cleaner = Cleaner(pack, CleanConfig(choice=CUT_ALL))
    looked = [(text, cleaner.spans(text)) for text in texts if string in text]

    def count_explained() -> int:
        explainer = Explainer(pack, CleanConfig(choice=CUT_ALL), iter(texts))
        return sum(bool(part.torn) for text, spans in looked for part in explainer.find_parts(text, spans))

    def count_in_trial() -> int:
        cleaned = [Cleaned("", tuple(cleaner.spans(text))) for text in texts]
        share = evaluate_residue(documents, lambda _, some: cleaned[: len(some)]).row(source="a.example")[TORN]
        return round(share * len(looked))

    def count_left() -> CutResidues:
        return count_residues([(cuts, find_blamed(text, cuts)) for text, cuts in judge_texts(pack, looked)])

    articles = [Article(document=one) for one in documents]
    ends = SentenceEnds(texts)
    counts: dict[str, Callable[[], int]] = {
        "explain": count_explained,
        "evaluate residue": count_in_trial,
        "residues of the report": lambda: count_left().torn,
        "templates of the report": lambda: dict(count_left().harm.get(template.id, NO_HARM).kinds).get(TORN, 0),
        "desk": lambda: sum(bool(one.torn) for cuts in find_cuts(pack, articles, ends) for one in cuts.judged),
        "an expression at the desk": lambda: try_expression(pack, f"({template.example})", articles).torn,
    }
    assert {told: count() for told, count in counts.items()} == dict.fromkeys(counts, expected)
    rejected = tearing_templates(pack, documents) | find_halving(pack, documents)[0]
    assert rejected == ({template.id} if torn else set())


def test_the_template_that_ends_with_its_line_is_to_blame() -> None:
    text = "It was late.\nRead on. The whole story stands in\nNature Letters\n."
    start, end = text.index("Read on."), text.index("\nNature")
    assert torn_edges(text, start, end, ENDS.leaves_part) == (False, True)
