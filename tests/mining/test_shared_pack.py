"""The pack of what many sources share: claims of each source, and what comes of them."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import examples
from templatemine.archive.spill import read_claims, write_claims
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import PipelineConfig, SharedConfig, SlotConfig
from templatemine.errors import ConfigError, CorpusError
from templatemine.mining.methods import resolve_defaults
from templatemine.mining.shared_pack import SHARED_PACK, Claim, Claims
from templatemine.mining.stages import SourceReport, report_shared
from templatemine.model import Document, Template
from templatemine.packs.pack import Pack
from templatemine.packs.pack_record import template_id
from templatemine.pipeline import Miner

CONFIG = PipelineConfig(shared=SharedConfig())
HOUSE = "All pages of the Northern Press Group are made by people and paid for by readers."
RELATED = "You may want to read these as well"
WORDS = [f"{a}{b}{c}" for a in "bdfglmnprst" for b in "aeiou" for c in ("l", "n", "r", "st", "ng", "mp", "sk")]


def prose(rng: random.Random, phrase: str = "") -> str:
    """A line of prose, with a phrase in the middle of it."""
    said = [rng.choice(WORDS).capitalize(), *rng.choices(WORDS, k=39)]
    if phrase:
        said[20:20] = phrase.split()
    return " ".join(said) + "."


def publisher(number: int, documents: int = 15, seed: int = 1, related: int | None = None) -> list[Document]:
    """Papers that share a note of their house and have a line of their own; the first `related` head a list, and the
    others say the same in their prose."""
    found = []
    for paper in range(number):
        rng = random.Random(f"{seed} {paper}")
        heads = related is None or paper < related
        for place in range(documents):
            lines = [
                prose(rng),
                prose(rng, "" if heads else RELATED),
                f"Write to the desk of {WORDS[paper]} at any hour.",
            ]
            lines += [RELATED] if heads else []
            text = "\n\n".join([*lines, HOUSE])
            found.append(Document(source=f"paper{paper:03}.example", id=f"{paper}/{place}", text=text))
    return found


def shared(documents: list[Document], config: PipelineConfig = CONFIG) -> SourceReport:
    (report,) = (report for report in Miner(config).run(documents) if report.source == SHARED_PACK)
    return report


def lines(pack: Pack | None) -> set[str]:
    assert pack is not None
    return {" ".join(template.tokens or ()) for template in pack.templates}


def test_lines_of_a_publisher_are_cut_from_its_newest_paper_and_nothing_else() -> None:
    report = shared(publisher(50))
    assert lines(report.pack) == {HOUSE, RELATED}
    assert report.pack is not None
    assert (report.documents, report.pack.documents) == (750, 750)
    assert {template.df for template in report.pack.templates} == {750}
    rng = random.Random(9)
    story = "\n\n".join([prose(rng), prose(rng, RELATED), "Write to the desk of Zedland at any hour."])
    cleaned = Cleaner(report.pack).clean(f"{story}\n\n{RELATED}\n\n{HOUSE}")
    assert cleaned.text == story


def test_what_is_prose_where_most_have_it_is_shared_as_a_line_alone() -> None:
    report = shared(publisher(30, related=8))
    assert report.pack is not None
    assert lines(report.pack) == {HOUSE, RELATED}
    cleaner = Cleaner(report.pack)
    for document in publisher(30, related=8)[::15]:
        kept = document.body.replace(f"\n\n{HOUSE}", "").replace(f"\n\n{RELATED}", "")
        assert cleaner.clean(document.body).text == kept


def test_what_few_sources_have_is_not_shared() -> None:
    assert lines(shared(publisher(8, related=4)).pack) == {HOUSE}
    report = shared(publisher(4))
    assert report.pack is None
    assert report.note == "4 sources of text with packs, at least 5 are needed"
    assert lines(shared(publisher(4), replace(CONFIG, shared=SharedConfig(least=2))).pack) == {HOUSE, RELATED}


def test_a_share_of_many_sources_is_asked_for() -> None:
    half = replace(CONFIG, shared=SharedConfig(share=0.5, agree=0.0))
    assert lines(shared(publisher(20, related=9), half).pack) == {HOUSE}
    assert lines(shared(publisher(20, related=10), half).pack) == {HOUSE, RELATED}


CREDIT = "Photograph by courtesy of"


def credited(number: int) -> list[Document]:
    """Papers with a credit and its name, always another one."""
    found = []
    for paper in range(number):
        rng = random.Random(f"credit {paper}")
        for place in range(30):
            whom = " ".join(rng.choices(WORDS, k=2)).title()
            text = "\n\n".join([prose(rng), f"{CREDIT} {whom}", prose(rng), prose(rng)])
            found.append(Document(source=f"paper{paper:03}.example", id=f"{paper}/{place}", text=text))
    return found


def test_a_string_that_counts_only_with_its_slot_is_shared_with_it() -> None:
    reports = Miner(CONFIG).run(credited(8))
    assert [lines(one.pack) for one in reports if one.source != SHARED_PACK] == [{CREDIT + " {slot:names}"}] * 8
    (report,) = (one for one in reports if one.source == SHARED_PACK)
    assert lines(report.pack) == {CREDIT + " {slot:names}"}
    assert report.pack is not None
    rng = random.Random(3)
    story, other = prose(rng), f"{CREDIT} a house that asked for no name to be said in any of the papers of the land."
    assert Cleaner(report.pack).clean(f"{story}\n\n{CREDIT} Zora Zedland\n\n{other}").text == f"{story}\n\n{other}"


def test_slots_that_take_anything_are_not_shared() -> None:
    """What fills them is known of their source alone."""
    loose = replace(CONFIG, slots=SlotConfig(kinds=False))
    reports = Miner(loose).run(credited(8))
    own = [lines(one.pack) for one in reports if one.source != SHARED_PACK]
    assert own == [{CREDIT + " {slot}"}] * 8
    (report,) = (one for one in reports if one.source == SHARED_PACK)
    assert not lines(report.pack)


def test_the_other_packs_are_what_they_were() -> None:
    documents = publisher(6)
    with_it = {one.source: one.pack.to_json() for one in Miner(CONFIG).run(documents) if one.pack is not None}
    without = {one.source: one.pack.to_json() for one in Miner().run(documents) if one.pack is not None}
    assert with_it.pop(SHARED_PACK)
    assert with_it == without


def test_pages_claim_nothing() -> None:
    documents = [
        Document(source=one.source, id=one.id, html="<p>" + "</p><p>".join((one.text or "").split("\n\n")) + "</p>")
        for one in publisher(6)
    ]
    report = shared(documents)
    assert report.pack is None
    assert report.note == "0 sources of text with packs, at least 5 are needed"


def test_a_source_of_that_name_is_refused() -> None:
    documents = publisher(6)
    documents += [replace(one, source=SHARED_PACK) for one in documents[:15]]
    with pytest.raises(CorpusError, match="expected no source of the name '_shared'"):
        Miner(CONFIG).run(documents)
    assert len(Miner().run(documents)) == 7


def test_at_least_two_sources() -> None:
    with pytest.raises(ConfigError, match="least: expected a whole number of at least 2, got 1"):
        SharedConfig(least=1)


def test_the_pack_can_be_read_back(tmp_path: Path) -> None:
    pack = shared(publisher(6)).pack
    assert pack is not None
    pack.save(tmp_path / "_shared.json")
    assert Pack.load(tmp_path / "_shared.json").templates == pack.templates


# ------------------------------------------------------------------------------------------------------------- claims


def claim(text: str, df: int, sources: int, anchor: str = "line") -> Claim:
    tokens = tuple(text.split())
    template = Template(
        id="t" + text, regex=text, tokens=tokens, df=df, count=df, example=f"{text} {df}", anchor=anchor
    )
    return Claim(template=template, sources=sources)


@st.composite
def several_claims(draw: st.DrawFn) -> list[Claims]:
    texts = ["a b", "c", "d e f"]
    rows = st.tuples(st.sampled_from(texts), st.integers(1, 9), st.sampled_from(["line", "start"]))
    made = []
    for number in range(draw(st.integers(0, 9))):
        chosen = draw(st.lists(rows, max_size=3, unique_by=lambda row: row[0]))
        claims = tuple(claim(text, df, 6 + len(text), anchor) for text, df, anchor in chosen)
        day = f"2024-01-{draw(st.integers(10, 28))}"
        made.append(Claims(source=f"s{number}", documents=number, dates=(day, day), claims=claims))
    return made


@examples(60)
@given(several_claims(), st.randoms(use_true_random=False))
def test_the_order_of_claims_changes_nothing(claims: list[Claims], rng: random.Random) -> None:
    options = resolve_defaults(PipelineConfig(shared=SharedConfig(least=2)))
    first = report_shared(claims, options)
    rng.shuffle(claims)
    again = report_shared(claims, options)
    assert (first.pack is None, first.note, first.documents) == (again.pack is None, again.note, again.documents)
    if first.pack is not None and again.pack is not None:
        assert first.pack.to_json() == again.pack.to_json()
        for template in first.pack.templates:
            claimed = [
                (one.source, own.template)
                for one in claims
                for own in one.claims
                if (own.template.tokens, own.template.anchor) == (template.tokens, template.anchor)
            ]
            assert len(claimed) >= 2
            assert template.df == sum(own.df for _, own in claimed)
            assert template.example == dict(claimed)[min(name for name, _ in claimed)].example
        assert len({template.tokens for template in first.pack.templates}) == len(first.pack.templates)


@pytest.mark.parametrize(
    ("kinds", "chosen"),
    [
        ({"names": 2, "number": 3}, "number"),
        ({"names": 3, "number": 2}, "names"),
        ({"names": 3, "url": 3, "40": 3}, "url"),
        ({"100": 2, "40": 2, "number": 1}, "40"),
    ],
)
def test_a_shared_slot_takes_what_it_does_in_most_sources(kinds: dict[str, int], chosen: str) -> None:
    """Of several kinds that are as frequent the narrowest; sources are counted whatever the kind."""
    claims = []
    for kind in [kind for kind, number in kinds.items() for _ in range(number)]:
        tokens = ("Photo", "by", f"{{slot:{kind}}}")
        example = f"Photo by {kind} {len(claims)}"
        template = Template(
            id=template_id(tokens), regex=kind, tokens=tokens, df=3, count=4, example=example, anchor="start"
        )
        own = (Claim(template=template, sources=9),)
        claims.append(Claims(source=f"s{len(claims)}", documents=9, dates=(), claims=own))
    pack = report_shared(claims, resolve_defaults(PipelineConfig(shared=SharedConfig(least=5)))).pack
    assert pack is not None
    (template,) = pack.templates
    first = list(kinds).index(chosen)
    example = f"Photo by {chosen} {sum(list(kinds.values())[:first])}"
    assert (template.filler, template.regex, template.example) == (chosen, chosen, example)
    assert (template.df, template.count) == (3 * len(claims), 4 * len(claims))


def test_claims_on_disk_are_those_in_memory(tmp_path: Path) -> None:
    claims = [
        Claims(source="a\udc80.example", documents=3, dates=(), claims=(claim("mit \udcff freundlichen", 3, 7),)),
        Claims(source="b.example", documents=9, dates=("2024-01-01", "2024-02-01"), claims=()),
    ]
    write_claims(str(tmp_path / "claims"), claims)
    assert list(read_claims(str(tmp_path / "claims"))) == claims
    assert len([json.loads(line) for line in (tmp_path / "claims").read_bytes().splitlines()]) == 2
