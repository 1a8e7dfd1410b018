"""What a pack does to an archive: the figures of the cleaner and the miner, whatever the order of the documents."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import examples
from templatemine.api import mine
from templatemine.cleaning.cleaner import Cleaner, page_text
from templatemine.config import CleanConfig, ReadConfig, ReportConfig
from templatemine.io.read import read_documents
from templatemine.model import Document, Span, Template
from templatemine.packs.pack import Pack
from templatemine.packs.readable import join_tokens, outermost_templates, template_text
from templatemine.report.explain import Explainer, find_cut_template, read_json_object
from templatemine.report.marks import split_pieces
from templatemine.report.measure import PackMeasurement
from templatemine.report.terminal import Painter, format_article, format_reasons, format_rows
from templatemine.report.timeline import count_by_period, split_periods
from templatemine.report.view import Report, make_report
from templatemine.text.dates import resolve_day

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "lantern"


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    return list(read_documents([GOLDEN / "articles.jsonl"], ReadConfig()))


@pytest.fixture(scope="module")
def pack() -> Pack:
    return Pack.load(GOLDEN / "learned.pack.json")


def measured(pack: Pack, documents: Sequence[Document], **options: int) -> PackMeasurement:
    found = PackMeasurement(pack, ReportConfig(**options))
    for document in documents:
        found.add(document)
    return found


def test_the_figures_are_those_of_the_cleaner(pack: Pack, documents: list[Document]) -> None:
    found = measured(pack, documents)
    cleaned = [Cleaner(pack).clean(document.body) for document in documents]
    assert found.documents == len(documents)
    assert found.changed == sum(bool(one.removed) for one in cleaned) > 0
    assert found.characters == sum(len(document.body) for document in documents)
    assert found.cut == found.characters - sum(len(one.text) for one in cleaned)
    assert sum(found.days.values()) == sum(resolve_day(document.date) is not None for document in documents)


def test_days_are_those_that_all_dates_tell(pack: Pack, documents: list[Document]) -> None:
    """Of those that read two ways only the days above 12 were counted."""
    dates = [f"{1 + number % 28:02}/05/2024" for number in range(len(documents))]
    found = measured(pack, [replace(one, date=date) for one, date in zip(documents, dates, strict=True)])
    assert found.days == Counter(f"2024-05-{date[:2]}" for date in dates)
    assert sum(found.changed_days.values()) == found.changed
    assert set(found.changed_days) <= set(found.days)
    assert all(sum(one.days.values()) == one.df for one in found.template_figures())


def test_templates_are_seen_as_they_were_mined(pack: Pack, documents: list[Document]) -> None:
    """On the archive that a pack was mined from; a template with an anchor is cut only where it is at it."""
    seen = measured(pack, documents).template_figures()
    assert len(seen) == len(pack.templates)
    for template, one in zip(pack.templates, seen, strict=True):
        assert 0 < one.df <= template.df
        assert one.count <= template.count
        if not template.anchor and not template.slot:
            assert (one.df, one.count) == (template.df, template.count)
        assert sum(one.days.values()) == one.df  # every article has a day


def test_an_expression_by_hand_is_counted_too(pack: Pack) -> None:
    own = Template(id="own", regex="(?:^|\n)(End of page [0-9]+)", tokens=None, df=0, count=0, example="End of page 7")
    text = "One.\nEnd of page 1\nTwo.\nEnd of page 22 and on.\n" + "More of the story. " * 20
    found = measured(
        replace(pack, templates=(own, *pack.templates)),
        [
            Document(source=pack.source, id="1", text=text, date="2024-02-03"),
            Document(source=pack.source, id="2", text="x"),
        ],
    )
    one = found.template_figures()[0]
    assert (one.df, one.count, dict(one.days)) == (1, 2, {"2024-02-03": 1})


def facts(report: Report) -> object:
    return [(one.rows, one.samples, one.documents, one.changed, one.share) for one in report.sources]


def test_the_order_of_documents_changes_nothing(pack: Pack, documents: list[Document]) -> None:
    shuffled = documents[:]
    random.Random(1).shuffle(shuffled)
    reports = [make_report({pack.source: pack}, order, lambda source: ()) for order in (documents, shuffled)]
    assert facts(reports[0]) == facts(reports[1])


def test_samples(pack: Pack, documents: list[Document]) -> None:
    found = measured(pack, [*documents, *documents], samples=4)
    samples = list(found.samples())
    assert len({sample.document.id for sample in samples}) == len(samples) == 4
    assert all(any(piece.templates for piece in sample.pieces) for sample in samples)
    assert samples[0].share == pytest.approx(
        max(1 - len(Cleaner(pack).clean(one.body).text) / len(one.body) for one in documents)
    )
    assert [("".join(piece.text for piece in sample.pieces)) for sample in samples] == [
        sample.document.body for sample in samples
    ]
    assert list(measured(pack, documents, samples=0).samples()) == []


def test_stubs_are_counted(pack: Pack) -> None:
    example = max(pack.templates, key=lambda one: len(one.example)).example
    found = measured(pack, [Document(source=pack.source, id="1", text=example)])
    assert (found.stubs, found.changed, found.cut) == (1, 1, len(example))
    (sample,) = found.samples()
    assert not sample.whole
    assert sample.share == 1


def page(number: int) -> Document:
    words = random.Random(number)
    story = " ".join("".join(words.choices("aeioudlmnrst", k=5)) for _ in range(90)).capitalize() + "."
    html = (
        f"<html><head><title>Site</title></head><body><div class=menu><a href=/>Home</a> <a href=/w>World</a></div>"
        f"<div class=story><h1>The story of {story[:30]}</h1><p>{story}</p><p>{story[::-1]}</p></div>"
        f"<div class=foot>All rights reserved by the site. Imprint.</div><script>var a = {number};</script></body></html>"
    )
    return Document(source="page.example", id=str(number), html=html, date="2024-01-01")


@pytest.mark.parametrize("kind", ["main", "strip"])
def test_pages(kind: str) -> None:
    pages = [page(number) for number in range(60)]
    pack = mine(pages)["page.example"]
    found = PackMeasurement(pack, ReportConfig(clean=CleanConfig(html=kind)))
    for one in pages:
        found.add(one)
    found.add(Document(source="page.example", id="t", text="only text"))
    assert found.other_kind == 1
    assert found.documents == found.changed == 60
    assert found.characters == sum(len(page_text(one.body, ())) for one in pages)
    assert 0 < found.cut < found.characters
    sample = next(iter(found.samples()))
    cut = "".join(piece.text for piece in sample.pieces if piece.templates)
    kept = "".join(piece.text for piece in sample.pieces if not piece.templates)
    assert "All rights reserved" in cut
    assert kept.count("\n") >= 2
    assert all("<" not in piece.text and "var a" not in piece.text for piece in sample.pieces)


# ---------------------------------------------------------------------------------------------------------- the parts


DAYS = st.dates(date(1, 1, 1), date.max).map(date.isoformat)


@given(st.dictionaries(DAYS, st.integers(0, 9), max_size=6))
@examples(200)
def test_periods_hold_every_day(counts: dict[str, int]) -> None:
    steps = split_periods(counts)
    assert sum(count_by_period(counts, steps)) == sum(counts.values())
    assert all(first < end for first, end in steps)
    assert all(one[1] == other[0] for one, other in pairwise(steps))
    if counts:
        assert steps[0][0] <= min(counts)
        assert max(counts) < steps[-1][1] or max(counts) >= "9999"


@pytest.mark.parametrize(
    ("size", "most"), [(1, 1), (100, 100), (180, 180), (181, 27), (1260, 182), (1300, 44), (20000, 60)]
)
def test_periods_can_be_told_apart(size: int, most: int) -> None:
    first = date(2001, 5, 3)
    assert 1 <= len(split_periods([first.isoformat(), (first + timedelta(size - 1)).isoformat()])) <= most


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-02-29T10:00Z", "2024-02-29"),
        ("20240229", "2024-02-29"),
        ("2023-02-29", None),
        ("soon", None),
        (None, None),
    ],
)
def test_day(text: str | None, day: str | None) -> None:
    assert resolve_day(text) == day


def template(*tokens: str) -> Template:
    return Template(id=" ".join(tokens), regex="", tokens=tokens, df=1, count=1, example="")


def test_leading() -> None:
    whole, rest, part, other, inner = (
        template("CLICK", "HERE", "FOR", "MORE"),
        template("CLICK", "HERE", "{slot}"),
        template("HERE", "FOR"),
        template("MORE", "NEWS"),
        template("ERE"),
    )
    assert outermost_templates([part, rest, whole, other, inner]) == [whole, other, inner]
    by_hand = replace(part, tokens=None, regex="HERE")
    assert outermost_templates([by_hand, whole]) == [whole, by_hand]
    assert outermost_templates([]) == []


def test_words() -> None:
    assert join_tokens(["Sign", "up", "央", "视", "{number}"]) == "Sign up央视{number}"
    assert template_text(replace(template("a"), tokens=None, regex="a+")) == "a+"


def test_what_cut_it(pack: Pack, documents: list[Document]) -> None:
    explainer = Explainer(pack)
    templates = {one.id: one for one in pack.templates}
    cuts = [
        piece
        for document in documents[:20]
        for piece in explainer.pieces(document.body, explainer.explain(document.body))
        if piece.templates
    ]
    assert cuts
    for piece in cuts:
        found = find_cut_template(piece, templates)
        assert found is not None
        assert found.head.tokens is not None
        assert len(found.head.tokens) == max(len(templates[one].tokens or ()) for one in piece.templates)
        assert 1 + len(found.also) + found.within == len(piece.templates)
        assert {found.head.id, *(one.id for one in found.also)} <= set(piece.templates)
    assert find_cut_template(replace(cuts[0], templates=("", "tunknown")), templates) is None


def test_one_cut_has_one_number_on_a_terminal(pack: Pack, documents: list[Document]) -> None:
    one = max(pack.templates, key=lambda template: len(template.string or ()) * (template.slot == ""))
    inner = replace(one, id="tinner", tokens=(one.tokens or ())[1:3])
    unlike = [replace(one, id=f"tunlike{number}", regex=f"{number}", tokens=None) for number in range(2)]
    more = replace(pack, templates=(*pack.templates, inner, *unlike))
    body = next(document.body for document in documents if one.example in document.body)
    place = body.index(one.example)
    ids = (one.id, inner.id, *(other.id for other in unlike))
    text, listed = format_article(
        split_pieces(body, [Span(place, place + len(one.example), ids)]), more, Painter(colours=False)
    )
    assert f"[-{one.example}-]{{1}}" in text
    assert [other.template.id for other in listed] == [one.id]
    (row,) = format_rows(listed, more)
    assert one.id in row
    assert format_reasons(listed)[-1].strip().removeprefix("1: ") == "also matched: tunlike0 0; tunlike1 1; 1 within it"


def test_one_object(tmp_path: Path) -> None:
    read = ReadConfig(text_field="body")
    path = tmp_path / "article.json"
    path.write_text('{\n "id": 7,\n "body": "A story.",\n "date": [2024], "title": "T"\n}\n')
    assert read_json_object(str(path), read) == Document(source="article", id="7", text="A story.", title="T")
    for other in ("[1]", "{", '{"a": 1}\n{"a": 2}', "\xff", '{\n"title": "no body"}'):
        path.write_text(other, encoding="latin-1")
        assert read_json_object(str(path), read) is None
    assert read_json_object(str(tmp_path / "missing.json"), read) is None
    assert read_json_object("-", read) is None


def test_heads_of_templates_count_too() -> None:
    """Words that stand in no other template than in the head of one with a slot within."""
    tokens = ("Zither", "{slot}", "appeared", "first", "on", "Harbour")
    head = Template(
        id="t1",
        tokens=tokens,
        regex="",
        example="Zither one appeared first on Harbour",
        df=2,
        count=2,
        kind="promotion",
    )
    story = " ".join(f"word{number}" for number in range(40))
    documents = [
        Document(source="s", id=name, text=f"{story} {name}.\nZither filler {name} appeared first on Harbour")
        for name in ("ada", "bea", "cleo")
    ]
    pack = mine([*documents, *(replace(one, id=f"x{one.id}", text=f"{one.text} again") for one in documents)])["s"]
    pack = replace(pack, templates=(replace(head, regex=pack.derived(head)),))
    found = measured(pack, documents)
    assert (found.documents, found.changed) == (3, 3)
