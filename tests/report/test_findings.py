"""The head of the report: what goes, what is risky, what cuts leave behind; every figure again by another way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from test_page import GOLDEN, Reader

from templatemine.api import mine
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import CleanConfig, ReadConfig, ReportConfig
from templatemine.evaluation.residue import TORN, Residue, find_residues
from templatemine.io.read import read_documents
from templatemine.model import Document, RejectedCandidate, Template
from templatemine.packs.families import group_families
from templatemine.packs.pack import Pack
from templatemine.packs.pack_record import template_id
from templatemine.report.charts import histogram_spec, scores_spec
from templatemine.report.findings import NotableTemplate, add_example, harm_rank, rank_risky
from templatemine.report.harm import RESIDUE_KINDS, CutResidues, Harm, count_residues, find_blamed, find_cuts_of
from templatemine.report.histogram import histogram_of
from templatemine.report.page import render
from templatemine.report.summary import MEASURED_LOSS, MEASURED_STORY, summarise, summarise_doubt, summarise_harm
from templatemine.report.view import Report, make_report
from templatemine.text.tears import JudgedCut, leaves_part


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    """Those of the pack's source."""
    found = read_documents([GOLDEN / "articles.jsonl"], ReadConfig())
    return [one for one in found if one.source == Pack.load(GOLDEN / "learned.pack.json").source]


@pytest.fixture(scope="module")
def pack() -> Pack:
    return Pack.load(GOLDEN / "learned.pack.json")


@pytest.fixture(scope="module")
def unscored() -> Pack:
    return Pack.load(GOLDEN / "thesis.pack.json")


def report(pack: Pack, documents: Sequence[Document] | None, **options: int) -> Report:
    return make_report({pack.source: pack}, documents, lambda source: (), ReportConfig(**options))


def rendered(made: Report) -> str:
    pytest.importorskip("jinja2")
    pytest.importorskip("vl_convert")
    return "".join(render(made))


def test_the_conclusion_has_the_figures_of_the_cleaner(pack: Pack, documents: list[Document]) -> None:
    said = " ".join(summarise(report(pack, documents)))
    cleaned = [Cleaner(pack).clean(one.body) for one in documents]
    changed = sum(bool(one.removed) for one in cleaned)
    size = sum(len(one.body) for one in documents)
    share = f"{(size - sum(len(one.text) for one in cleaned)) / size:.1%}"
    assert f"changes {changed} of {len(documents)} documents ({changed / len(documents):.1%})" in said
    assert f"removes {share} of their characters" in said
    texts, spans = [one.body for one in documents], [one.removed for one in cleaned]
    kinds = [{*(one.kind for one in find_residues(*pair))} for pair in zip(texts, spans, strict=True)]
    torn, left = sum(TORN in one for one in kinds), sum(map(bool, kinds))
    assert torn == left == 0  # else the sentence is another one, see below
    nothing = "no cut tears a sentence or leaves anything else that is counted."
    assert said.startswith(f"In {changed} changed articles that were looked at, {nothing}")
    doubt = summarise_doubt(report(pack, documents))
    assert (
        f" {MEASURED_STORY:.1%} was story; {MEASURED_LOSS:.2%} of all their story was lost. Here nobody has " in doubt
    )
    assert "was story" not in said  # what is likely does not lead


def residues(looked: int, articles: int, torn: int, label: int = 0) -> CutResidues:
    left = Residue(kind="label", start=0, end=9, left="Photo:", cut="Ann")
    kinds = ((TORN, torn, left), ("label", label, left))
    return CutResidues(
        looked=looked, articles=articles, torn=torn, kinds=kinds, untorn={"label": articles - torn}, harm={}
    )


def test_what_is_left_is_said_first_as_a_fact(pack: Pack, documents: list[Document]) -> None:
    """ "0 have a torn sentence; 8 have one, or another line" read as a contradiction."""
    made = report(pack, documents)
    for left, said in (
        (
            residues(540, 8, 0, 8),
            "Cuts tear no sentence; they leave something else behind in 8 (1.5%) of 540 changed articles that were "
            "looked at, mostly a label without what it labelled.",
        ),
        (
            residues(540, 8, 5, 4),
            "Cuts tear a sentence or a headline in 5 (0.9%) of 540 changed articles that were looked at, and leave "
            "something else behind in 3 more (0.6%), mostly a label without what it labelled.",
        ),
        (
            residues(1, 1, 1),
            "Cuts tear a sentence or a headline in 1 (100.0%) of 1 changed article that was looked at, and leave "
            "nothing else.",
        ),
        (
            residues(9, 0, 0),
            "In 9 changed articles that were looked at, no cut tears a sentence or leaves anything else that is counted.",
        ),
    ):
        told = replace(made, sources=tuple(replace(one, left=left) for one in made.sources[:1]))
        assert summarise_harm(told) == said
        assert summarise(told)[0] == said


def test_the_worst_source_and_its_worst_template_are_named(pack: Pack, documents: list[Document]) -> None:
    """A reader of one minute learned that something was torn, and not where."""
    words = Template(id="h1", regex="[a-z] ([a-z]{5}) [a-z]", tokens=None, df=9, count=9, example="whole")
    packs = {"calm.example": replace(pack, source="calm.example")}
    packs["torn.example"] = replace(pack, source="torn.example", templates=(words,))
    made = make_report(packs, [replace(one, source=name) for one in documents for name in packs], lambda source: ())
    left = made.sources[1].left
    harm = made.harmful[0].harm
    assert (made.harmful[0].template, harm.articles) == (words, left.looked)
    assert summarise(made)[1] == (
        f"Most are in torn.example, some {left.articles} ({left.articles} of {left.looked} that were looked at); the "
        f"worst template, “{words.regex}” of torn.example, tears a sentence or a headline in {left.torn} of {harm.articles} articles{harm.describe().partition(' articles')[2]}."
    )
    page = rendered(made)
    assert (
        page.index("Most are in torn.example") < page.index("Cleaning changes") < page.index("What may be story</h2>")
    )
    assert f'<a href="#s2-{made.harmful[0].number}">' in page  # the row of the template
    assert 'id="s2-0"' in page


def judged_labels(lines: int) -> tuple[str, list[JudgedCut[str]]]:
    """An article of lines of which a cut leaves a label."""
    text = "".join(f"Photo: Ann {number}\n" for number in range(lines))
    starts = [match.end() for match in re.finditer("Photo: ", text)]
    return text, [JudgedCut(start, text.index("\n", start), ("t",), {}) for start in starts]


def test_what_else_is_left_is_told_by_articles_without_a_torn_sentence() -> None:
    """Lines of articles whose sentences are torn decided what is "mostly" left in the others."""
    text, cuts = judged_labels(1)
    torn = [(Residue(kind=kind, start=0, end=9, left="a", cut="b"), ("t",)) for kind in (TORN, "open end")]
    found = count_residues([(cuts, torn), (cuts, torn), (cuts, find_blamed(text, cuts))])
    assert (found.articles, found.torn, found.untorn) == (3, 2, {"label": 1})
    assert {kind: number for kind, number, _ in found.kinds} == {TORN: 2, "label": 1, "open end": 2}


def test_each_residue_has_the_cuts_of_its_line_alone() -> None:
    text, cuts = judged_labels(40)
    found = find_blamed(text, cuts)
    assert [text[one.start : one.end].strip() for one, _ in found] == text.splitlines()
    for residue, names in found:
        assert names == ["t"]
        assert find_cuts_of(residue, cuts) == [
            cut for cut in cuts if cut.start < residue.end and residue.start < cut.end
        ]


def test_of_those_that_leave_something_the_worst_first() -> None:
    """One that does in 2 of 199 articles of a thousand is boilerplate; and 1 of 1 article shows little."""
    template = Template(id="a", regex="a", tokens=("a",), df=1, count=1, example="a", score=0.5)
    rare, often, once = (
        NotableTemplate(
            source="a",
            number=number,
            template=template,
            variants=0,
            documents=documents,
            characters=9,
            story=0.0,
            harm=Harm(looked, harmed, ((TORN, harmed),)),
        )
        for number, documents, looked, harmed in ((0, 1000, 199, 2), (1, 60, 20, 10), (2, 6, 1, 1))
    )
    assert sorted([once, rare, often], key=harm_rank) == [often, rare, once]
    assert harm_rank(rare) > harm_rank(replace(rare, documents=2000))


def test_the_example_is_one_of_what_is_left(pack: Pack) -> None:
    """A template that left a label alone was shown where it did no harm."""
    tokens = ("—", "Ann", "Lee")
    one = Template(id=template_id(tokens), regex="", tokens=tokens, df=4, count=4, example="")
    notable = NotableTemplate(
        source="a", number=0, template=one, variants=0, documents=9, characters=9, story=0.0, harm=Harm(2, 1)
    )
    texts = ["The story. — Ann Lee\nMore.", "Photo: — Ann Lee\nMore."]
    judged = [(text, [JudgedCut(text.index("—"), text.index("\n"), (one.id,), {})]) for text in texts]
    assert add_example(notable, judged).before == "Photo: "
    assert add_example(replace(notable, harm=Harm(2, 0)), judged).before == "The story. "


def test_no_source_is_accused_because_most_goes_there(pack: Pack, documents: list[Document]) -> None:
    """What may be story was said to be in the source with the longest footer, however plain that was."""
    packs = {name: replace(pack, source=name) for name in ("a.example", "b.example")}
    made = make_report(packs, [replace(one, source=name) for one in documents for name in packs], lambda source: ())
    assert ".example" not in " ".join(summarise(made))


def test_the_example_of_what_is_risky_is_the_least_usual_cut() -> None:
    tokens = ("{slot:80}", "now.")
    one = Template(id=template_id(tokens), regex="", tokens=tokens, df=4, count=4, example="")
    cuts = [
        "Order this at our shop now.",
        "Order that at our shop now.",
        "She hears it now.",
        "Order all at our shop now.",
    ]
    looked = [(f"{cut} The story.", [JudgedCut(0, len(cut), (one.id,), {})]) for cut in cuts]
    shown = NotableTemplate(
        source="a.example",
        number=0,
        template=one,
        variants=0,
        documents=4,
        characters=9,
        story=0.0,
        doubt=0.0,
        signs=(),
        match="",
    )
    assert add_example(shown, looked, unusual=True).match == cuts[2]
    assert add_example(shown, looked).match == cuts[0]
    both = [
        (text, [JudgedCut(0, len(cut), (one.id, "other"), {})])
        for cut, (text, _) in zip(cuts[2:3], looked[2:3], strict=True)
    ]
    assert add_example(shown, [*looked[:2], *both], unusual=True).match == cuts[0]


def test_the_measured_figure_is_that_of_the_research() -> None:
    text = (GOLDEN.parents[2] / "docs" / "research" / "loso.md").read_text(encoding="utf-8")
    row = next(line for line in text.partition("## New articles")[2].splitlines() if line.startswith("| learned | "))
    assert pytest.approx(1 - float(row.split("|")[3]) / 100) == MEASURED_STORY
    assert pytest.approx(float(row.split("|")[5].split()[0]) / 100) == MEASURED_LOSS


def test_sources_are_listed_by_what_may_be_wrong(pack: Pack, documents: list[Document]) -> None:
    """One that removes little, and leaves a line incomplete wherever it does, stood behind all that remove much."""
    tail = Template(id="h1", regex=r"(?m:[a-z]+[.]$)", tokens=None, df=1, count=1, example="x.")
    packs = {"large.example": replace(pack, source="large.example")}
    packs["torn.example"] = replace(pack, source="torn.example", templates=(tail,))
    given = [replace(one, source=name) for one in documents for name in packs]
    made = make_report(packs, given, lambda source: ())
    large, torn = made.sources
    assert torn.story < large.story
    assert torn.harmed_articles > large.harmed_articles
    table = rendered(made).partition("Sources, most articles harmed first</h2>")[2]
    assert table.index("torn.<wbr>example") < table.index("large.<wbr>example")


def test_a_source_of_which_little_is_at_stake_does_not_lead(pack: Pack, documents: list[Document]) -> None:
    """Two changed articles, of which a greater share is harmed, stood before hundreds."""
    tail = Template(id="h1", regex=r"(?m:[a-z]+[.]$)", tokens=None, df=1, count=1, example="x.")
    packs = {name: replace(pack, source=name, templates=(tail,)) for name in ("few.example", "many.example")}
    given = [replace(one, source="many.example") for one in documents]
    given += [replace(one, source="few.example") for one in documents[:2]]
    made = make_report(packs, given, lambda source: ())
    few, many = made.sources
    assert 0 < few.harmed_articles < many.harmed_articles <= len(documents)
    table = rendered(made).partition("Sources, most articles harmed first</h2>")[2]
    assert table.index("many.<wbr>example") < table.index("few.<wbr>example")


def test_a_source_that_tears_every_sentence_leads_and_the_rank_is_seen(pack: Pack, documents: list[Document]) -> None:
    """Torn sentences counted in no column, and such a source stood last."""
    words = Template(id="h1", regex="[a-z] ([a-z]{5}) [a-z]", tokens=None, df=9, count=9, example="whole")
    packs = {"calm.example": replace(pack, source="calm.example")}
    packs["torn.example"] = replace(pack, source="torn.example", templates=(words,))
    made = make_report(packs, [replace(one, source=name) for one in documents for name in packs], lambda source: ())
    left = made.sources[1].left
    assert left.articles == left.looked > 0
    page = rendered(made)
    assert f"articles a cut {RESIDUE_KINDS['torn sentence']}." in page
    table = page.partition("Sources, most articles harmed first</h2>")[2].partition("</table>")[0]
    shares = re.findall(r'c-harmed">(\d+) <small>([\d.]+)% of (\d+)', table)
    ranked = sorted(made.sources, key=lambda one: -one.harmed_articles)
    counts = [(one.harmed_articles, one.left.articles, one.left.looked) for one in ranked]
    assert [(f"{harmed:.0f}", f"{100 * some / looked:.1f}", f"{looked}") for harmed, some, looked in counts] == shares
    assert table.index("torn.<wbr>example") < table.index("calm.<wbr>example")
    assert "c-harmed" not in rendered(report(pack, None)).partition("</style>")[2]  # which is known of an archive alone


def test_the_riskiest_first(pack: Pack, documents: list[Document]) -> None:
    scores = [0.4, 0.3, 0.44, 0.35, 0.999]  # of strings that are in half of the articles
    shaken = tuple(
        replace(one, score=scores[place % len(scores)], reasons_for=("long",), reasons_against=("rare",))
        for place, one in enumerate(pack.templates)
    )
    pack = replace(pack, templates=shaken)
    made = report(pack, documents, risky=3)
    found: dict[str, float] = {}
    for one in shaken:
        if one.slot:
            continue
        spans = [span for text in documents for span in Cleaner(replace(pack, templates=(one,))).spans(text.body)]
        found[one.id] = (1 - (one.score or 0)) * len(spans) * len(one.example)
    for one in made.riskiest:
        if one.template.id in found:
            assert one.story >= found[one.template.id] * 0.98  # of its family the greatest
    damages = [one.damage for one in made.riskiest]
    assert damages == sorted(damages, reverse=True)
    assert len(damages) == 3
    heads = [[shaken[place].id for place in family] for family in group_families(shaken)]
    assert len({next(n for n, ids in enumerate(heads) if one.template.id in ids) for one in made.riskiest}) == 3
    texts = [one.body for one in documents]
    for one in made.riskiest:  # an example as an article has it
        shown = one.before.removeprefix("… ") + one.match + one.after.removesuffix(" …")
        assert any(shown in text for text in texts)
    page = rendered(made)
    assert (
        page.index("What may be story</h2>")
        < page.index("What is removed</h2>")
        < page.index("Sources, most articles harmed first</h2>")
    )
    assert (
        page.index("What may be story</h2>")
        < page.index("Against it: rare.")
        < page.index("Sources, most articles harmed first</h2>")
    )


def test_what_cleaning_leaves_in_is_not_risky(pack: Pack, documents: list[Document]) -> None:
    """A note, which stays unless all is to go, was told as what may be story, and with its characters."""
    made = report(replace(pack, templates=tuple(replace(one, score=0.4) for one in pack.templates)), documents, risky=9)
    first = made.riskiest[0].template
    notes = tuple(replace(one, kind="note" if one.id == first.id else one.kind, score=0.4) for one in pack.templates)
    ids = {one.template.id for one in report(replace(pack, templates=notes), documents, risky=9).riskiest}
    assert first.id not in ids
    assert ids


def test_templates_that_tear_sentences_lead(pack: Pack, documents: list[Document]) -> None:
    """With the count of articles, whatever their scores say."""
    words = Template(id="h1", regex="[a-z] ([a-z]{5}) [a-z]", tokens=None, df=9, count=9, example="whole")
    pack = replace(pack, templates=(*pack.templates, words))
    made = report(pack, documents, risky=3)
    first = made.harmful[0]
    assert first.template is words
    cleaner = Cleaner(pack)
    cut = [
        (one.body, [span for span in cleaner.clean(one.body).removed if "h1" in span.templates]) for one in documents
    ]
    torn = sum(any(leaves_part(text, *span[:2]) for span in spans) for text, spans in cut)
    assert first.harm.articles == sum(bool(spans) for _, spans in cut)
    assert 0 < torn == dict(first.harm.kinds)[TORN] <= first.harm.harmed
    assert first.before.rstrip()[-1].isalpha()
    page = rendered(made)
    assert f"<strong>Tears a sentence or a headline in {torn} of {first.harm.articles} articles" in page
    torn = sum(any(leaves_part(one.body, *span[:2]) for span in cleaner.clean(one.body).removed) for one in documents)
    assert f'<p class="conclusion">Cuts tear a sentence or a headline in {torn} (100.0%) of {torn} changed' in page
    assert page.index("<strong>Tears a sentence") < page.index("What may be story</h2>")
    assert words.id not in {one.template.id for one in made.riskiest}


def test_a_report_of_few_articles_calls_no_template_rare(pack: Pack, documents: list[Document]) -> None:
    """What most articles of the archive had was "in 8 documents only", of 32 that were read."""
    frequent = replace(pack, templates=tuple(replace(one, df=20, score=0.5) for one in pack.templates))
    rare = replace(pack, templates=tuple(replace(one, df=4, score=0.5) for one in pack.templates))
    few = documents[:3]
    assert " only" not in " ".join(sign for one in report(frequent, few).riskiest for sign in one.signs)
    assert all("it is in 4 documents only" in one.signs for one in report(rare, few).riskiest)


def test_a_source_does_not_hide_the_others() -> None:
    """Of twelve sources one gave four of the five."""
    template = Template(id="a", regex="a", tokens=("a",), df=1, count=1, example="a", score=0.5)
    rows = [
        NotableTemplate(
            source=source, number=number, template=template, variants=0, documents=9, characters=size, story=1.0
        )
        for source, number, size in (("a", 0, 9), ("a", 1, 8), ("a", 2, 7), ("b", 0, 3), ("c", 0, 2))
    ]
    rows = [replace(one, doubt=0.9) for one in rows]
    assert [(one.source, one.number) for one in rank_risky(rows, 4)] == [("a", 0), ("a", 1), ("b", 0), ("c", 0)]
    assert [one.number for one in rank_risky(rows[:3], 3)] == [0, 1, 2]


def test_a_passage_is_shown_once(pack: Pack) -> None:
    """Of three sentences that always go together, each was shown with all three."""
    sentences = ("Read the morning letter.", "It comes before six.", "It costs nothing.")
    lines = [
        replace(pack.templates[0], id=template_id(tokens), tokens=tokens, example=one, anchor="", score=0.99)
        for one in sentences
        for tokens in [tuple(one.split())]
    ]
    lines = [replace(one, regex=pack.derived(one)) for one in lines]
    texts = [f"The mill in town number {place} burns.\n\n{' '.join(sentences)}" for place in range(9)]
    texts += [f"{text} Read the morning letter." for text in texts[:2]]
    documents = [Document(source=pack.source, id=str(place), text=text) for place, text in enumerate(texts)]
    made = report(replace(pack, templates=tuple(lines)), documents)
    (only,) = made.largest
    assert (only.match, only.beside) == (" ".join(sentences), 2)
    assert "cut with 2 other templates" in rendered(made)


def test_the_risk_is_the_damage_that_is_done(pack: Pack, documents: list[Document]) -> None:
    """What goes with few characters does not lead, what is hardly in doubt is no risk, and no template is told twice."""
    one = pack.templates[0]
    notable = NotableTemplate(source="a", number=0, template=one, variants=0, documents=9, characters=0, story=0.0)
    small = replace(notable, number=1, characters=100, doubt=0.5)
    large = replace(notable, number=2, characters=9000, doubt=0.19)
    sure = replace(notable, number=4, characters=90000, doubt=0.02)
    assert [one.number for one in rank_risky([small, large, sure], 9)] == [2, 1]
    made = report(pack, documents)
    told = [two.template.id for part in (made.harmful, made.riskiest, made.largest) for two in part]
    assert made.largest
    assert len(set(told)) == len(told)


def test_one_is_no_plural(pack: Pack, documents: list[Document]) -> None:
    letter = Template(id="h1", regex="[a-z] ([a-z]{5}) [a-z]", tokens=None, df=1, count=1, example="w")
    page = rendered(report(replace(pack, templates=(letter,)), documents))
    assert not re.search(r"(?<![\d.,])1 (?:characters|lines|cuts|documents)\b", page)


def test_people_are_not_doubted(pack: Pack, documents: list[Document]) -> None:
    hand = Template(id="h1", regex="[Tt]he", tokens=None, df=20, count=90, example="the")
    made = report(replace(pack, templates=(hand,)), documents)
    assert [(one.story, one.harm.harmed > 0) for one in made.harmful] == [(0.0, True)]  # it is told all the same
    assert not made.riskiest
    assert not made.largest  # since it is told already
    assert "<p>Nothing but what is told above.</p>" in rendered(made)
    sure = replace(next(one for one in pack.templates if one.anchor == "line"), score=1.0)
    assert "No template is in doubt." in rendered(report(replace(pack, templates=(sure,)), documents))


def test_a_method_without_scores_says_so(unscored: Pack, documents: list[Document]) -> None:
    made = report(unscored, documents)
    assert not made.riskiest
    assert made.largest
    assert "1 pack has no scores" in " ".join(summarise(made))
    assert "Unknown: the method gives no scores." in rendered(made)


def test_residues_are_told_in_words(pack: Pack, documents: list[Document]) -> None:
    tail = Template(id="h1", regex=r"(?m:[a-z]+[.]$)", tokens=None, df=1, count=1, example="x.")
    made = report(replace(pack, templates=(tail,)), documents)
    left = made.sources[0].left
    assert left.articles == left.looked > 0
    assert "open end" in {kind for kind, _, _ in left.kinds}
    page = rendered(made)
    number = next(number for kind, number, _ in left.kinds if kind == "open end")
    assert f"<li>In {number} articles a cut {RESIDUE_KINDS['open end']}." in page
    assert "Sources, most articles harmed first" in page


def test_charts_are_of_the_method_that_ran(pack: Pack, unscored: Pack, documents: list[Document]) -> None:
    by_scores, by_cutoff = rendered(report(pack, documents)), rendered(report(unscored, documents))
    assert '<details class="charts"><summary>' in by_scores
    assert by_scores.count('class="chart"') == 3
    assert "Frequency alone decided nothing" in by_scores
    body = by_scores.partition("</style>")[2]
    assert not re.search("energy|cut-off at", body)
    assert "energy" in by_cutoff.partition("</style>")[2]
    assert "Templates by their score" not in by_cutoff
    spec = histogram_spec(histogram_of(pack), by_scores=True)
    assert "vconcat" not in spec
    assert not [layer for layer in spec["layer"] if layer["mark"]["type"] == "rule"]
    steps = scores_spec([0.78, 0.79, 0.8, 1.0])["data"]["values"]
    assert {row["at"]: row["part"] for row in steps if row["part"]} == {0.78: 2, 0.8: 1, 0.98: 1}


def test_every_column_is_explained(pack: Pack, documents: list[Document]) -> None:
    rejected = [RejectedCandidate(("a", "b"), 4, 5, reason) for reason in pack.rejected]
    packs = {name: replace(pack, source=name) for name in ("a", "b")}
    dated = [replace(one, source=name, date="2024-01-01") for one in documents for name in packs]
    before = {**packs, "a": replace(packs["a"], templates=pack.templates[1:])}
    page = rendered(make_report(packs, dated, lambda source: rejected, before=before))
    told = set(re.findall(r"<dt>([^<]*)</dt><dd>[A-Z]", page.partition('id="words"')[2]))
    columns = set(re.findall(r"<th scope=\"col\"[^>]*>([^<]*)</th>", page))
    assert len(columns) > 20
    assert columns == told


def test_sentences_stand_apart(pack: Pack, documents: list[Document]) -> None:
    """As in "not counted.In", where a line of the template ended with a sentence."""
    noted = replace(pack, cutoff=replace(pack.cutoff, note="12 by their scores; 3 copies not counted"))
    for made in (report(noted, documents), report(noted, None)):
        page = rendered(made)
        text = re.sub(r"<[^>]*>", "", page.partition("</style>")[2].partition('<div class="article"')[0])
        assert "scores decide; 3 copies not counted. " in text
        assert "12 by their scores" not in text  # no number of templates
        assert not re.findall(r"[a-z)%]\.(?:In|The|By|Of|People|Cleaning|Without|Variants)\b", text)


def test_one_cut_has_one_number(pack: Pack, documents: list[Document]) -> None:
    one = max(pack.templates, key=lambda template: len(template.string or ()) * (template.slot == ""))
    other = replace(one, id="tother", tokens=(one.tokens or ())[:2])
    unlike = replace(one, id="tunlike", tokens=(one.tokens or ())[1:])
    page = rendered(report(replace(pack, templates=(*pack.templates, other, unlike)), documents))
    reader = Reader(page)
    for mark in reader.named("mark"):
        assert len((mark.get("aria-describedby") or "").split()) == 1
    assert all(re.fullmatch(r"\d+", text) for text in re.findall("<sup>(.*?)</sup>", page))
    assert any("also matched: " in (mark["data-note"] or "") for mark in reader.named("mark"))


def test_the_caution_is_told_if_it_is_not_the_default(pack: Pack) -> None:
    assert "caution" not in rendered(report(pack, None))
    assert "method “learned, caution 2”" in rendered(report(replace(pack, caution=2.0), None))


def test_the_title_says_what_it_is_about(pack: Pack, documents: list[Document]) -> None:
    assert f"<h1>What is removed from {pack.source}</h1>" in rendered(report(pack, documents))
    assert f"<title>Templates of {pack.source}</title>" in rendered(report(pack, None))
    said = summarise(report(replace(pack, templates=()), documents))
    why = f"{pack.source} (nothing is left of what scores chose)"
    assert said == ["No source has templates, and nothing is removed.", f"1 source without templates: {why}."]
    elsewhere = [replace(one, text="Nothing of it.") for one in documents]
    assert "None of the" in summarise(report(pack, elsewhere))[0]
    others = [replace(one, source="other.example") for one in documents]
    assert "No document of the archive is of a source that has a pack" in summarise(report(pack, others))[0]


def page(number: int) -> Document:
    story = " ".join("".join(Random(number).choices("aeioudlmnrst", k=5)) for _ in range(90)).capitalize() + "."
    html = (
        f"<html><body><div class=menu><a href=/>Home</a> <a href=/w>World</a></div><p>{story}</p><p>{story[::-1]}</p>"
        f"<div class=foot>All rights reserved by the site. Imprint.</div></body></html>"
    )
    return Document(source="page.example", id=str(number), html=html)


def test_scores_of_templates_say_nothing_of_pages(pack: Pack, documents: list[Document]) -> None:
    """Of pages the main text is chosen by others; only with ``strip`` templates are what goes."""
    pages = [page(number) for number in range(30)]
    site = mine(pages)["page.example"]
    assert site.templates
    alone = report(site, pages)
    assert alone.pages == 1
    assert (alone.largest, alone.riskiest, alone.scored, alone.sources[0].story) == ((), (), False, 0.0)
    (said,) = summarise(alone)
    assert said.startswith("Cleaning changes 30 of 30 documents")
    text = rendered(alone)
    assert "Of the pages of 1 source: all but the main text" in text
    assert "no pack has templates that decide what goes" in text
    bare = summarise(report(replace(site, templates=()), pages))
    assert bare[0].startswith("Cleaning changes 30 of 30 documents")
    stripped = make_report(
        {"page.example": site}, pages, lambda source: (), ReportConfig(clean=CleanConfig(html="strip"))
    )
    assert stripped.largest
    assert not stripped.pages
    both = make_report({pack.source: pack, "page.example": site}, [*documents, *pages], lambda source: ())
    assert {one.source for one in both.largest} == {pack.source}
    assert (
        both.sources[[one.name for one in both.sources].index(pack.source)].story
        == report(pack, documents).sources[0].story
    )
