"""The first sentence of a report: whether the packs are within the limits, by which figures, and what to do first."""

from __future__ import annotations

import json
import re
from copy import copy
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_page import GOLDEN

from strategies import examples
from templatemine.cleaning.records import RecordCleaner, RecordConfig
from templatemine.config import ReadConfig, ReportConfig
from templatemine.evaluation.residue import TORN, Residue
from templatemine.io.pending import Lines
from templatemine.io.read import read_documents
from templatemine.mining.shared_pack import SHARED_PACK
from templatemine.model import Document, Template
from templatemine.packs.pack import Pack
from templatemine.report.harm import CutResidues
from templatemine.report.limits import sample_size
from templatemine.report.page import first_commands, render
from templatemine.report.rests import SHARED, count_long, count_shared
from templatemine.report.summary import summarise
from templatemine.report.verdict import LOST, RESTS, STUBS, UNCUT, Verdict, give_verdict, measure_source
from templatemine.report.verdict import TORN as TORN_SENTENCES
from templatemine.report.view import Report, SourceView, make_report


@pytest.fixture(scope="module")
def pack() -> Pack:
    return Pack.load(GOLDEN / "learned.pack.json")


@pytest.fixture(scope="module")
def documents(pack: Pack) -> list[Document]:
    return [one for one in read_documents([GOLDEN / "articles.jsonl"], ReadConfig()) if one.source == pack.source]


@pytest.fixture(scope="module")
def made(pack: Pack, documents: list[Document]) -> Report:
    """A report of two sources, within the limits."""
    packs = {name: replace(pack, source=name) for name in ("a.example", "b.example")}
    return make_report(packs, [replace(one, source=name) for one in documents for name in packs], lambda source: ())


def with_left(source: SourceView, torn: int, shared: int, looked: int = 200) -> SourceView:
    """The source, with other figures of what cuts leave behind."""
    first = Residue(kind=TORN, start=0, end=9, left="a", cut="b")
    kinds = ((TORN, torn, first), (SHARED, shared, first))
    left = CutResidues(looked=looked, articles=max(torn, shared), torn=torn, kinds=kinds, untorn={}, harm={})
    measured = copy(source.measured)
    assert measured is not None
    measured.torn, measured.changed = torn, looked
    return replace(source, left=left, measured=measured)


def with_figures(made: Report, *figures: tuple[int, int]) -> Report:
    return replace(
        made, sources=tuple(with_left(one, *two) for one, two in zip(made.sources, figures, strict=True)), harmful=()
    )


def test_figures_are_those_of_the_sources(made: Report) -> None:
    for source in made.sources:
        found = source.measured
        assert found is not None
        assert [(one.what, one.number, one.of) for one in measure_source(source)] == [
            (TORN_SENTENCES, found.torn, found.changed),
            (RESTS, 0, source.left.looked),
            (UNCUT, 0, found.documents),
            (STUBS, found.stubs, found.documents),
            (LOST, found.cut, found.characters),
        ]


def test_what_passes_is_within_the_limits(made: Report) -> None:
    """Nothing says that the packs are right: a limit shows what is wrong, and no more."""
    looked = sum(one.left.looked for one in made.sources)
    verdict = give_verdict(made)
    assert (verdict.is_within, verdict.said) == (True, f"Within the limits, by {looked} changed articles of 2 sources.")
    assert [row.over for row in verdict.rows] == [0, 0, 0, 0, 0]
    alone = give_verdict(replace(made, sources=made.sources[:1]))
    assert alone.said == f"Within the limits, by {made.sources[0].left.looked} changed articles."
    assert first_commands(verdict, ["my packs"], "") == [
        ("", "templatemine clean new.jsonl --packs 'my packs' --check 0.5 -o clean.jsonl")
    ]


@pytest.mark.parametrize("others", [1, 2, 5])
def test_the_shared_pack_is_no_source(pack: Pack, documents: list[Document], others: int) -> None:
    """A folder with it gives the report of one without it, whatever its pack was before; alone it is shown."""
    packs = {name: replace(pack, source=name) for name in (f"{number}.example" for number in range(others))}
    some = [replace(one, source=name) for one in documents for name in packs]
    shared = replace(pack, source=SHARED_PACK, templates=())
    with_it = {SHARED_PACK: shared, **packs}
    reports = [
        make_report(have, some, lambda source: (), before=before)
        for have, before in ((packs, packs), (with_it, packs), (packs, with_it))
    ]
    first, *rest = ((give_verdict(one), summarise(one), "".join(render(one))) for one in reports)
    assert f"of {others} sources" in first[0].said if others > 1 else "sources" not in first[0].said
    assert all(one == first for one in rest)
    assert [one.name for one in make_report({SHARED_PACK: shared}, None, lambda source: ()).sources] == [SHARED_PACK]


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        (((10, 10), (1, 0)), None),  # 5 % are within
        (((11, 0), (0, 0)), "1 of 2 sources, a.example most (torn sentences: 5.5% of 200 changed articles)"),
        (
            ((11, 0), (0, 30)),
            "2 of 2 sources, b.example most (rests that articles share: 15.0% of 200 changed articles)",
        ),
    ],
)
def test_what_is_over_a_limit_is_named(
    made: Report, figures: tuple[tuple[int, int], tuple[int, int]], said: str | None
) -> None:
    verdict = give_verdict(with_figures(made, *figures))
    assert verdict.is_within == (said is None)
    assert verdict.said == (
        "Within the limits, by 400 changed articles of 2 sources."
        if said is None
        else f"Not within the limits: {said}."
    )


def test_the_rows_name_the_worst_source(made: Report) -> None:
    torn, rests, *_ = give_verdict(with_figures(made, (11, 2), (12, 30))).rows
    assert (torn.worst.source, torn.worst.number, torn.over, torn.sources) == ("b.example", 12, 2, 2)
    assert (rests.worst.source, rests.worst.number, rests.over) == ("b.example", 30, 1)


def test_sources_without_a_pack_are_over_a_limit(made: Report) -> None:
    """As `clean --check` has it."""
    verdict = give_verdict(replace(made, unknown={"other.example": 3}))
    assert verdict.said == "Not within the limits: 1 source without a pack."
    assert "other.example" in verdict.first


def test_nothing_measured_gives_no_verdict(pack: Pack, documents: list[Document]) -> None:
    def judge(some: list[Document] | None, one: Pack = pack) -> Verdict:
        return give_verdict(make_report({pack.source: one}, some, lambda source: ()))

    verdict = judge(None)
    assert (verdict.is_within, verdict.rows) == (None, ())
    assert verdict.said == "No verdict: without an archive nothing was measured."
    assert first_commands(verdict, ["packs"], "")[0][1].startswith("templatemine report packs --archive ")
    other = [Document(source=pack.source, id="1", text="Nothing of that.")]
    assert judge(other).said == "No verdict: no article changes."
    assert first_commands(judge(other), ["packs"], "") == []
    assert judge(documents).is_within


_STORY = st.sampled_from([f"The {name} of {ward}" for name in ("mayor", "judge", "baker") for ward in range(9)])
_END = st.sampled_from(["has seen it.", "sang in the rain.", "went home"])
_LONG = "All views are those of the author, who wrote this for readers of the town, and of nobody else here."
_SHAPES = st.sampled_from(
    [
        "{0} {1}\n\nSubscribe to us",
        "{0} asked them to Subscribe to us before it {1}",
        "{0} {1}\n\nSubscribe to us or read the letter",
        "Subscribe to us. {0} {1}",
        "{0} {1}",
        "Subscribe to us",
        "{0} {1}\n" + _LONG,
        "{0} {1}\nSubscribe to us\n" + _LONG,
    ]
)

_TEXTS = st.lists(_SHAPES, min_size=1, max_size=4).flatmap(
    lambda some: st.lists(st.builds(str.format, st.sampled_from(some), _STORY, _END), min_size=1, max_size=120)
)


@examples(60)
@given(_TEXTS, st.data())
def test_a_report_has_the_figures_of_the_check(pack: Pack, texts: list[str], data: st.DataObject) -> None:
    """Of the same articles, in any order, so that one does not pass where the other fails."""
    template = Template(id="h1", regex="Subscribe to us", tokens=None, df=9, count=9, example="Subscribe to us")
    one = replace(pack, templates=(template,))
    cleaner = RecordCleaner({pack.source: one}, RecordConfig(torn=True, sampled=sample_size(1, 20)))
    lines = "".join(json.dumps({"source": pack.source, "text": text}) + "\n" for text in texts)
    tally = cleaner.clean_batch(Lines("f", "a", 1, lines.encode())).tally
    counts, sample = tally.sources[pack.source], tally.samples.get(pack.source)
    rests = count_shared([] if sample is None else sample.texts())
    uncut = count_long([] if sample is None else sample.texts_of_all(), cleaner.find_all_spans(pack.source))
    documents = [Document(source=pack.source, id=str(place), text=text) for place, text in enumerate(texts)]
    shuffled = data.draw(st.permutations(documents))
    (source,) = make_report({pack.source: one}, shuffled, lambda source: (), ReportConfig(looked=20)).sources
    found = {
        TORN_SENTENCES: (counts.torn, counts.changed),
        RESTS: (rests.articles, rests.looked),
        UNCUT: (uncut.articles, uncut.looked),
        STUBS: (counts.stubs, counts.records),
        LOST: (counts.cut, counts.characters),
    }
    measures = measure_source(source)
    assert {row.what: (row.number, row.of) for row in measures} == {what: row for what, row in found.items() if row[1]}


def test_one_begins_with_the_template_that_does_it(pack: Pack) -> None:
    stories = [f"The {name} of this town has seen it all." for name in ("mayor", "judge", "baker", "nurse")]
    template = Template(id="h1", regex="Subscribe to us", tokens=None, df=9, count=9, example="Subscribe to us")
    texts = [f"{story}\n\nSubscribe to us or read the letter" for story in stories]
    documents = [Document(source=pack.source, id=str(place), text=text) for place, text in enumerate(texts)]
    report = make_report({pack.source: replace(pack, templates=(template,))}, documents, lambda source: ())
    verdict = give_verdict(report)
    assert verdict.template is not None
    assert verdict.template.template == template
    rejection = ("to leave it in:", f"templatemine ask packs --only {pack.source} --reject h1")
    assert first_commands(verdict, ["packs"], "") == [rejection]
    assert first_commands(verdict, ["packs"], "templatemine desk") == [("at the desk:", "templatemine desk"), rejection]
    pytest.importorskip("jinja2")
    pytest.importorskip("vl_convert")
    page = "".join(render(report, packs=["packs"], desk="templatemine desk packs"))
    assert '<section class="verdict over"' in page
    assert page.index(verdict.said) < page.index('<p class="conclusion">')
    assert "<code>templatemine desk packs</code>" in page
    (row,) = re.findall(f'<tr class="over"><th scope="row">{RESTS}</th>.*</tr>', page)
    assert "100.0%" in row


def test_a_source_that_loses_most_of_its_text_or_is_stubs_is_over_a_limit(pack: Pack) -> None:
    template = Template(id="h1", regex="Subscribe to us", tokens=None, df=9, count=9, example="Subscribe to us")
    one = replace(pack, templates=(template,))
    for text, what in (("Subscribe to us\nIt rains here.", LOST), ("Subscribe to us\n" * 20 + "Ok", STUBS)):
        some = [Document(source=pack.source, id=str(place), text=text) for place in range(3)]
        verdict = give_verdict(make_report({pack.source: one}, some, lambda source: ()))
        assert verdict.is_within is False
        assert f"({what}: " in verdict.said
        assert verdict.template is None


def test_a_source_with_long_strings_that_nothing_takes_is_over_a_limit(pack: Pack) -> None:
    """Where nothing changes, too."""
    texts = [f"The mayor of {'I' * place} says that it rains.\n{_LONG}" for place in range(1, 31)]
    documents = [Document(source=pack.source, id=str(place), text=text) for place, text in enumerate(texts)]
    verdict = give_verdict(make_report({pack.source: replace(pack, templates=())}, documents, lambda source: ()))
    assert verdict.is_within is False
    assert verdict.said == f"Not within the limits: {pack.source} ({UNCUT}: 100.0% of 30 articles)."
    assert _LONG[:60] in verdict.first
