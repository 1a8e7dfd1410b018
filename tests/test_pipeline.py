"""The order of the stages, on small archives made by hand or by the generator."""

from __future__ import annotations

import gc
import pickle
import random
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from templatemine.api import mine
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import (
    CleanConfig,
    MineConfig,
    PipelineConfig,
    SelectConfig,
    TokeniseConfig,
    UserPattern,
)
from templatemine.errors import ConfigError
from templatemine.kinds import CUT_ALL, choose
from templatemine.mining import cutoff, repeats
from templatemine.mining.methods import METHODS, resolve_defaults
from templatemine.mining.stages import unfit_reason
from templatemine.mining.templates import build_templates
from templatemine.model import Document, Template
from templatemine.packs.pack import Pack
from templatemine.pipeline import Executor, Miner, drive

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "datasets"))
from generate import Archive, ArchiveSpec, generate

WORDS = [f"{a}{b}{c}" for a in "bdfglmnprst" for b in "aeiou" for c in ("l", "n", "r", "st", "ng")]


def story(rng: random.Random, words: int = 60) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(words)) + "."


def invented_words(rng: random.Random, number: int = 600) -> list[str]:
    return ["".join(rng.choices("bdfgklmnprst", k=3)) + rng.choice("aeiou") for _ in range(number)]


def sentence(rng: random.Random, words: list[str], size: int = 25) -> str:
    return " ".join(rng.choices(words, k=size)).capitalize() + "."


def check_that_nothing_goes_but(last_line: str, articles: list[dict[str, str]]) -> None:
    """Each article of a source is what it was, without its last line."""
    cleaner = Cleaner(mine(articles)["a"])
    for one in articles:
        assert cleaner.clean(one["text"]).text == one["text"].removesuffix(f"\n{last_line}")


def archive(source: str, footer: str, documents: int = 40, seed: int = 1) -> list[Document]:
    rng = random.Random(f"{source}{seed}")
    return [
        Document(source=source, id=str(i), text=f"{story(rng)}\n\n{story(rng)}\n\n{footer.replace('#', str(i))}")
        for i in range(documents)
    ]


def three_sources() -> list[Document]:
    return (
        archive("a.example", "Sign up for our Morning Letter, issue #, today!")
        + archive("b.example", "Follow the Weekly Beacon on every channel you like.")
        + archive("c.example", "Call the tip line of the Courier at any hour.")
    )


def test_the_footer_is_found_and_cut_from_a_new_article() -> None:
    packs = mine(three_sources())
    assert sorted(packs) == ["a.example", "b.example", "c.example"]
    tokens = [" ".join(template.tokens or ()) for template in packs["a.example"].templates]
    assert "Sign up for our Morning Letter, issue {number}, today!" in tokens
    text = "Something new happened.\n\nSign up for our Morning Letter, issue 977, today!\n"
    cleaned = Cleaner(packs["a.example"]).clean(text)
    assert cleaned.text == "Something new happened."
    assert [(span.start, span.end) for span in cleaned.removed] == [(25, len(text) - 1)]


def test_a_heading_with_which_the_paragraph_below_begins_is_found() -> None:
    name = "The Evening Mail of Harbour Town"
    below = f"{name} is our letter of the night, with what the day brought and the morning will bring, for all who ask."
    rng = random.Random(7)
    texts = ["\n".join([story(rng), *([name, below] if number % 2 else [story(rng)])]) for number in range(60)]
    cleaner = Cleaner(mine([Document(source="s", id=str(at), text=text) for at, text in enumerate(texts)])["s"])
    told = story(rng)
    assert cleaner.clean(f"{told}\n{name}\n{below}").text == told
    assert cleaner.clean(f"{told}\n{name}").text == told


@pytest.mark.parametrize("method", METHODS)
def test_nothing_depends_on_the_order_of_documents(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutoff, "DRAWS", 19)
    documents = list(three_sources())
    config = PipelineConfig(method=method)
    first = {source: pack.to_json() for source, pack in mine(documents, config).items()}
    random.Random(5).shuffle(documents)
    again = mine(documents, config)
    # The example is one occurrence of several, so it may be another one; everything else is the same.
    for source, pack in again.items():
        old = type(pack).from_json(first[source])
        assert [(one.id, one.regex, one.df, one.count, one.anchor) for one in old.templates] == [
            (one.id, one.regex, one.df, one.count, one.anchor) for one in pack.templates
        ]
        assert old.cutoff == pack.cutoff
        assert old.rejected == pack.rejected


def test_two_processes_give_the_packs_of_one() -> None:
    one = {source: pack.to_json() for source, pack in mine(three_sources()).items()}
    two = {source: pack.to_json() for source, pack in mine(three_sources(), jobs=2).items()}
    assert one == two


def test_cycles_are_searched_for_less_often_until_mining_ends() -> None:
    before, seen = gc.get_threshold(), list[tuple[int, int, int]]()
    Miner(progress=lambda *_: seen.append(gc.get_threshold())).run(three_sources())
    assert {first for first, *_ in seen} == {20_000}
    with pytest.raises(ConfigError):
        Miner().run(three_sources(), errors="never")  # type: ignore[arg-type]
    assert gc.get_threshold() == before


def test_64_bit_arrays_give_the_same_packs(monkeypatch: pytest.MonkeyPatch) -> None:
    config = PipelineConfig(method="energy")
    one = {source: pack.to_json() for source, pack in mine(three_sources(), config).items()}
    monkeypatch.setattr(repeats, "INT32_MAX", 0)
    assert {source: pack.to_json() for source, pack in mine(three_sources(), config).items()} == one


def test_every_rejected_string_has_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutoff, "DRAWS", 19)
    for method in METHODS:
        for report in Miner(PipelineConfig(method=method)).run(three_sources()):
            assert report.pack is not None
            assert report.rejected is not None
            rows = list(report.rejected)
            assert len(rows) == sum(report.pack.rejected.values())
            assert all(one.reason for one in rows)
            assert [one.df for one in rows] == sorted((one.df for one in rows), reverse=True)


def test_a_source_with_few_documents_is_skipped_and_said_so() -> None:
    documents = archive("small.example", "A footer that is always there.", documents=5)
    (report,) = Miner().run(documents[:4])
    assert report.pack is None
    assert report.note == "4 documents, at least 5 are needed"
    assert Miner(PipelineConfig(mine=MineConfig(min_docs=4))).run(documents[:4])[0].pack is not None
    (report,) = Miner().run(documents)
    assert report.pack is not None
    assert [" ".join(one.tokens or ()) for one in report.pack.templates] == ["A footer that is always there."]


@pytest.mark.parametrize("method", ["energy", "thesis"])
def test_a_histogram_asks_for_more_documents(method: str) -> None:
    documents = archive("small.example", "A footer that is always there.", documents=10)
    assert Miner(PipelineConfig(method=method)).run(documents)[0].pack is not None
    (report,) = Miner(PipelineConfig(method=method)).run(documents[:9])
    assert report.note == "9 documents, at least 10 are needed"


def test_equal_documents_teach_nothing() -> None:
    documents = [Document(source="same.example", id=str(i), text="The same text every time.") for i in range(50)]
    (report,) = Miner().run(documents)
    assert report.pack is None
    assert "all documents are equal" in report.note


def test_no_documents_no_reports() -> None:
    with pytest.warns(UserWarning, match="no documents were given$"):
        assert Miner().run([]) == []
    exhausted = iter(())
    with pytest.warns(UserWarning, match="a generator gives what it has only once"):
        assert mine(exhausted) == {}


def test_documents_of_separators_only() -> None:
    documents = [Document(source="blank.example", id=str(i), text=" \n-\t" * i) for i in range(20)]
    (report,) = Miner().run(documents)
    assert report.pack is not None
    assert report.pack.templates == ()


def test_no_second_mode_no_templates_and_it_says_so() -> None:
    rng = random.Random(3)
    documents = [Document(source="prose.example", id=str(i), text=story(rng, 400)) for i in range(60)]
    (report,) = Miner(PipelineConfig(method="energy")).run(documents)
    assert report.pack is not None
    assert report.pack.templates == ()
    assert "no second mode" in report.note
    assert report.pack.cutoff.second_mode["p"] > 0.01


def test_unknown_method_and_jobs_are_refused() -> None:
    with pytest.raises(ConfigError, match="method: expected learned, energy or thesis, got 'best'"):
        mine([], PipelineConfig(method="best"))
    with pytest.raises(ConfigError, match="jobs: expected a whole number of at least 1, got 0"):
        mine([], jobs=0)


def test_a_pattern_of_the_user_that_spans_separators_becomes_one_token() -> None:
    rng = random.Random(9)
    documents = [
        Document(
            source="u.example",
            id=str(i),
            text=f"{story(rng)}\nWritten by Ann{'abcdefgh'[i % 8]} Lee{'klmnopqr'[i // 8]} for the Evening Courier desk",
        )
        for i in range(64)
    ]
    own = UserPattern(name="writer", regex="Ann[a-z]+ Lee[a-z]+", spans=True)
    packs = mine(documents, PipelineConfig(tokenise=TokeniseConfig(user_patterns=(own,))))
    found = [template for template in packs["u.example"].templates if template.tokens and "{writer}" in template.tokens]
    assert found
    for engine in ("native", "regex"):
        cleaner = Cleaner(packs["u.example"], CleanConfig(engine=engine))
        text = "News.\nWritten by Annz Leez for the Evening Courier desk"
        assert cleaner.clean(text).text == "News."


@pytest.mark.parametrize(("pages", "html"), [(0, False), (1, False), (39, False), (40, True), (80, True)])
def test_a_source_is_one_of_pages_if_half_of_its_documents_are(pages: int, html: bool) -> None:
    """One page that strayed among articles must not make their pack useless for them."""
    rng = random.Random(5)
    documents = [
        Document(source="w.example", id=str(i), **{"html" if i < pages else "text": f"{story(rng)}\nRead our letter."})
        for i in range(80)
    ]
    for order in (documents, documents[::-1]):
        (report,) = Miner().run(order)
        assert report.pack is not None
        assert report.pack.html is html


def test_html_is_mined_and_cleaned_to_text() -> None:
    rng = random.Random(4)
    pages = [
        Document(
            source="web.example",
            id=str(i),
            html=f"<html><body><div class='nav' data-n='{i}'>Home Politics Sports Weather</div><p>{story(rng)}</p>"
            f"<div id='foot-{i}'>Copyright {2000 + i} The Web Example</div><script>var x={i};</script></body></html>",
        )
        for i in range(40)
    ]
    packs = mine(pages)
    assert packs["web.example"].html
    page = (
        "<html><body><div class='nav' data-n='x'>Home Politics Sports Weather</div><p>Fresh &amp; new.</p>"
        "<div id='foot-99'>Copyright 2099 The Web Example</div><script>var x=9;</script></body></html>"
    )
    assert Cleaner(packs["web.example"]).clean(page).text == "Fresh & new."


@pytest.mark.parametrize("script", ["latin", "arabic", "han"])
def test_the_generators_truth_is_found(script: str) -> None:
    """At least half of the template characters, and of what is cut nine tenths is template, in each script."""
    spec = ArchiveSpec(seed=11, sources=3, documents=150, scripts=(script,))
    documents = [
        Document(source=row["source"], id=row["id"], text=row["text"], date=row["date"]) for row in generate(spec)
    ]
    packs = mine(documents)
    cleaners = {source: Cleaner(pack) for source, pack in packs.items()}
    template = hit = harm = 0
    for article in Archive(spec).articles():
        text = article.record["text"]
        kind = bytearray(len(text))
        for start, end, name in article.spans:
            kind[start:end] = bytes([2 if name == "template" else 1]) * (end - start)
        cut = bytearray(len(text))
        for span in cleaners[article.record["source"]].spans(text):
            cut[span.start : span.end] = b"\1" * (span.end - span.start)
        for place, char in enumerate(text):
            if not char.isspace():
                template += kind[place] == 2
                hit += kind[place] == 2 and cut[place]
                harm += kind[place] == 0 and cut[place]
    assert hit / template > 0.5
    assert hit / (hit + harm) > 0.9


def cut_of(documents: list[Document], text: str) -> str:
    """What is cut of a text by the pack of its source alone."""
    cleaned = Cleaner(mine(documents)["a.example"], CleanConfig(guard=1.0)).clean(text)
    return " … ".join(text[span.start : span.end] for span in cleaned.removed)


def test_where_nouns_begin_with_capitals_they_tell_no_sentence() -> None:
    rng = random.Random(6)

    def paragraph(number: int) -> str:
        sentences = []
        for place in range(9):
            words = [word.capitalize() if rng.random() < 0.35 else word for word in story(rng, 12).split()]
            if number % 3 and place == 4:
                words[:2] = ["Laut", words[1].capitalize()]
            sentences.append(" ".join([words[0].capitalize(), *words[1:]]))
        return " ".join(sentences)

    german = [Document(source="german", id=str(i), text=paragraph(i)) for i in range(120)]
    cleaner = Cleaner(mine(german + three_sources())["german"])
    assert [cleaner.clean(document.body).text for document in german] == [document.body for document in german]


def test_a_name_below_headlines_is_content_in_sentences() -> None:
    """What stands within prose mostly where it doesn't end its lines is cut only where it does."""
    rng = random.Random(4)
    documents = []
    for number in range(100):
        name = "Harbour Courier" if number < 20 else rng.choice(WORDS)
        lines = [f"{story(rng, 14)[:-1]} {name} {story(rng, 14)}"]
        if 20 <= number < 30:
            lines.insert(0, f"{rng.choice(WORDS)} Harbour Courier {rng.choice(WORDS)}")
        elif number >= 30:
            lines.insert(0, "Harbour Courier")
        documents.append(Document(source="s", id=str(number), text="\n\n".join(lines)))
    cleaner = Cleaner(mine(documents + three_sources())["s"])
    said = "He told the Harbour Courier on Sunday that the gates would stay open for as long as they are asked to be."
    assert cleaner.clean(f"Open gates\n\nHarbour Courier\n\n{said}").text == f"Open gates\n\n{said}"


def test_a_sign_says_nothing_of_what_stands_beside_it() -> None:
    """Bullets and stars begin and end lines of any list and of any review."""
    rng = random.Random(6)

    def name() -> str:
        return rng.choice(WORDS)

    def text(place: int) -> str:
        items = f"• {name()} {name()}\n• {name()} {name()} {name()}\n\n{name()} of {name()} ★★★★\n\n"
        return f"{story(rng, 300)}\n\n{items if place < 15 else ''}{story(rng, 300)}"

    documents = [Document(source="a.example", id=str(place), text=text(place)) for place in range(120)]
    cut = cut_of(documents, "Something new happened.\n\n• Ebb strand rises\n\nMusic of the moor ★★★★")
    assert not any(word in cut for word in ("strand", "moor"))


def test_what_a_template_leaves_of_its_parts_must_be_boilerplate_too() -> None:
    """A credit ends with "report.", and so do sentences, now and then."""
    rng = random.Random(2)
    stories = [f"{story(rng)}\n\n{story(rng)}" for _ in range(200)]
    credits = [f"{text}\n\n{rng.choice(WORDS).title()} Roe contributed to this report." for text in stories[:40]]
    reporting = [f"{text[:-1]} says the latest report." for text in stories[40:46]]
    pack = mine(
        [Document(source="s", id=str(i), text=text) for i, text in enumerate(credits + reporting + stories[46:])]
    )["s"]
    cleaner = Cleaner(pack)
    assert cleaner.clean(credits[0]).text == stories[0]
    assert all(cleaner.clean(text).text == text for text in reporting)


def test_a_time_in_a_sentence_is_no_stamp() -> None:
    """Of the times that no stamp holds a third stand in sentences; they are not cut, and stamps are."""
    rng = random.Random(4)
    stamps = [
        f"{story(rng)}\n\nUpdate at 12:{10 + i % 50} p.m. ET. {rng.choice(WORDS).title()}\n\n{story(rng)}"
        for i in range(100)
    ]
    others = [
        f"{story(rng)}\n\n{rng.choice(WORDS).title()} 3:{10 + i} p.m. ET. {rng.choice(WORDS).title()}"
        for i in range(20)
    ]
    said = [f"{story(rng)[:-1]} at about 3:{10 + i} p.m. ET. {story(rng).capitalize()}" for i in range(10)]
    plain = [story(rng) for _ in range(70)]
    texts = [*stamps, *others, *said, *plain]
    pack = mine([Document(source="s", id=str(i), text=text) for i, text in enumerate(texts)] + three_sources())["s"]
    cleaner = Cleaner(pack)
    assert all(cleaner.clean(text).text == text for text in said)
    assert all("ET." not in cleaner.clean(text).text for text in stamps)


def test_edges_without_spaces_end_where_many_ways_part() -> None:
    """The name of the series ends titles of other articles, after any character; what ends prose is grammar."""
    rng = random.Random(9)
    letters = [chr(0x4E00 + number) for number in range(1500)]

    def title() -> str:
        return "".join(rng.choice(letters) for _ in range(rng.randint(6, 12)))

    ending = "と述べたことを皆様に本日お知らせしています。"
    documents = [
        Document(
            source="a.example",
            id=str(place),
            text=f"{title()}{title()}{title()}）{ending}\n\n・{title()}今日の港町の新しい船と海の物語特集",
        )
        for place in range(80)
    ]
    other = Document(source="b.example", id="1", text="x")
    text = f"{title()}{title()}{title()}）{ending}\n・{title()}今日の港町の新しい船と海の物語特集"
    assert cut_of([*documents, other], text).endswith("今日の港町の新しい船と海の物語特集")
    assert ending not in cut_of([*documents, other], text)


def test_one_bad_template_does_not_cost_a_source_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = archive("a.example", "Sign up for our Morning Letter!") + archive("b.example", "Follow the Beacon, do.")
    whole = mine(documents)["a.example"]

    def broken(*args: Any, **more: Any) -> tuple[Template, ...]:
        first, *others = build_templates(*args, **more)
        return replace(first, example="Something else."), *others

    monkeypatch.setattr("templatemine.mining.stages.build_templates", broken)
    pack = mine(documents)["a.example"]
    left_out, *others = whole.templates
    assert pack.templates == tuple(others)
    assert left_out.id in pack.cutoff.note
    assert whole.cutoff.note in pack.cutoff.note
    assert Pack.from_json(pack.to_json(), where="a").templates == pack.templates


def test_documents_on_a_disk_are_not_read_to_say_that_a_source_is_fit() -> None:
    read = 0

    class ChangingList(list[Document]):
        def __iter__(self) -> Iterator[Document]:
            nonlocal read
            for place in range(len(self)):
                read += 1
                yield self[place]

    some = ChangingList(
        Document(source="a", id=str(place), text="" if place % 2 else f"w{place}") for place in range(1000)
    )
    options = resolve_defaults(PipelineConfig())
    assert unfit_reason(some, options) == ""
    assert read < 25
    alike = ChangingList(Document(source="a", id=str(place), text="" if place % 2 else "w") for place in range(1000))
    assert "all documents are equal" in unfit_reason(alike, options)
    assert "4 of 8 documents have text" in unfit_reason(ChangingList(alike[:8]), options)


def test_the_order_is_that_of_the_driver_whatever_the_executor() -> None:
    """Each stage gets what the one before it gave."""
    done: list[str] = []

    class RecordingExecutor(Executor[str, str, str]):
        def map_documents(self) -> str:
            done.append("map documents")
            return "kept"

        def reduce(self, kept: str) -> str:
            done.append(f"reduce {kept}")
            return "table"

        def map_candidates(self, kept: str, table: str) -> str:
            done.append(f"map candidates of {kept} with {table}")
            return "result"

        def share(self, result: str) -> str:
            done.append(f"share {result}")
            return "whole"

    assert drive(RecordingExecutor()) == "whole"
    assert done == ["map documents", "reduce kept", "map candidates of kept with table", "share result"]


def test_a_report_comes_for_each_source_and_progress_is_told() -> None:
    steps: list[tuple[str, int, int]] = []
    some = [*three_sources(), Document(source="tiny.example", id="1", text="A story of its own.")]
    reports = Miner(jobs=2, progress=lambda *step: steps.append(step)).run(some)
    assert [report.source for report in reports] == ["a.example", "b.example", "c.example", "tiny.example"]
    assert [report.pack is not None for report in reports] == [True, True, True, False]
    assert reports[-1].note == "1 document, at least 5 are needed"
    assert steps == [(step, done, 4) for step in ("mining", "choosing") for done in (1, 2, 3, 4)]


def test_sources_that_are_too_small_are_named() -> None:
    few = [Document(id=str(n), source=f"s{n // 2}", text=f"Story {n}") for n in range(10)]
    with pytest.warns(UserWarning, match=r"no pack of s0 \(2 documents, at least 5 are needed\); s1 .*; and 2 more"):
        assert mine(few) == {}


def test_a_miner_goes_to_another_process() -> None:
    texts = [f"{WORDS[n]} {WORDS[-n]} said.\nSign up today." for n in range(30)]
    documents = [Document(source="s", id=str(number), text=text) for number, text in enumerate(texts)]
    miner = Miner(PipelineConfig(select=SelectConfig(caution=0.5)), jobs=2)
    copied = pickle.loads(pickle.dumps(miner))
    assert [report.pack for report in copied.run(documents)] == [report.pack for report in miner.run(documents)]
    assert copied.jobs == 2


def test_rows_of_data_are_no_templates() -> None:
    """League tables, prices, dates and numbers repeat as patterns alone; fractions and years stand within sentences."""
    rng = random.Random(1)
    words = invented_words(rng, 4000)

    def prose(number: int) -> str:
        return " ".join(rng.choices(words, k=number)).capitalize()

    def article(number: int) -> dict[str, str]:
        lines = [f"{prose(20)}.", f"{prose(6)} 3/2 {prose(5)} 2000/01, {prose(4)}."]
        if number % 2:
            figures = [" ".join(str(rng.randrange(40)) for _ in range(5)) for _ in range(3)]
            lines += [
                f"{team} {row}"
                for team, row in zip(("Carrow Rovers", "Hazel Town", "Fern Rovers"), figures, strict=True)
            ]
            lines += [f"{rng.randrange(9)}|{rng.randrange(99)}|{rng.randrange(999)}$"]
            lines += [f"all: 1: {rng.randrange(300)}$", f"{rng.randrange(1, 29)} May 2024", f"{number}."]
        return {"source": "a", "id": str(number), "text": "\n".join([*lines, f"{prose(18)}.", CALL])}

    articles = [article(number) for number in range(60)]
    check_that_nothing_goes_but(CALL, articles)


TEAMS = ["Hazelmoor", "Fern Rovers", "Lindow Park", "Oakshott", "Marl Dale", "Wrenbury Vale", "Tarnock", "Ebble Cross"]
GOODS = ["Crude oil", "Gold", "Silver coins", "Copper rods", "Wheat", "Orange juice", "Lean hogs", "Soybeans"]
METALS = [
    "\u9ec4\u91d1",
    "\u767d\u94f6",
    "\u539f\u6cb9",
    "\u5c0f\u9ea6",
    "\u94dc",
    "\u5496\u5561",
    "\u767d\u7cd6",
    "\u68c9\u82b1",
]
SHORT_ROWS = ("{0}: ${1}.{2}", "{0} \u2013 {1}%", "{0} {1} ({2})")
RESULTS = ("FT: {0} {1} {3} {2}", "{0} {1} {3} {2}")


@pytest.mark.parametrize(
    ("row", "names"),
    [*product((*SHORT_ROWS, *RESULTS), [TEAMS, METALS]), *product(SHORT_ROWS, [GOODS])],
)
def test_rows_of_names_and_figures_are_no_templates(row: str, names: list[str]) -> None:
    """Prices and results of the same names, in every third article."""
    rng = random.Random(1)
    words = invented_words(rng)
    articles = []
    for number in range(80):
        lines = [sentence(rng, words) for _ in range(6)]
        chosen = rng.sample(names, 5) if number % 3 == 0 else []
        rows = [row.format(name, rng.randrange(20), rng.randrange(10, 60), rng.choice(names)) for name in chosen]
        articles.append({"source": "a", "id": str(number), "text": "\n".join([*lines[:3], *rows, *lines[3:], CALL])})
    check_that_nothing_goes_but(CALL, articles)


@pytest.mark.parametrize("place", [0, 4, 5])
@pytest.mark.parametrize("label", ["Reference:", "Romney:"])
def test_labels_without_a_cue_stay_where_what_they_label_does(label: str, place: int) -> None:
    """Before prose in every third article: at its head, between its lines, before its footer."""
    rng = random.Random(1)
    words = invented_words(rng)
    articles = []
    for number in range(90):
        lines = [sentence(rng, words) for _ in range(6)]
        if number % 3 == 0:
            lines[place] = f"{label} {sentence(rng, words, 12)}"
        articles.append({"source": "a", "id": str(number), "text": "\n".join([*lines, f"Photo: {CALL}"])})
    check_that_nothing_goes_but(f"Photo: {CALL}", articles)


def test_headlines_that_others_list_stay_at_the_head_of_their_own_articles() -> None:
    """Each article begins with its headline and lists the three before it."""
    rng = random.Random(1)
    words = invented_words(rng)
    headlines = [" ".join(rng.choices(words, k=6)).capitalize() for _ in range(90)]
    articles = []
    for number, headline in enumerate(headlines):
        lines = [sentence(rng, words) for _ in range(5)]
        related = ["Related", *headlines[max(0, number - 3) : number]]
        articles.append({"source": "a", "id": str(number), "text": "\n".join([headline, *lines, *related, CALL])})
    cleaner = Cleaner(mine(articles)["a"])
    own = [cleaner.clean(one["text"]).text.split("\n")[0] for one in articles]
    assert sum(first == headline for first, headline in zip(own, headlines, strict=True)) >= 85


def test_captions_stay_for_readers_and_credits_do_not() -> None:
    spec = ArchiveSpec(seed=7, sources=2, documents=90, kilobytes=2.0, scripts=("en",), agency=0.0)
    texts: dict[str, list[str]] = {}
    for row in generate(spec):
        texts.setdefault(row["source"], []).append(row["text"])
    packs = mine([{"source": name, "text": text} for name, some in texts.items() for text in some])
    captions = credits = 0
    for name, pack in packs.items():
        everything = Cleaner(pack, CleanConfig(choice=CUT_ALL))
        reader = Cleaner(pack, CleanConfig(choice=choose("reader")))
        for text in texts[name]:
            kept = reader.clean(text).text
            for span in everything.clean(text).removed:
                part = text[span.start : span.end]
                if span.kind == "caption":
                    captions += 1
                    assert part.strip() in kept
                    assert part.count(" ") >= 5
                credits += span.kind == "media" and part not in kept
    assert captions > 50
    assert credits > 50


@pytest.mark.parametrize("label", ["Read also:", "Baca juga:", "Lire aussi :"])
@pytest.mark.parametrize("repeats", [1, 3])
def test_a_headline_without_an_end_stays_and_its_label_with_it(label: str, repeats: int) -> None:
    """Articles of one line; each headline is in one or three of them, and before another sentence in each."""
    rng = random.Random(3)
    words = invented_words(rng)
    headlines = [" ".join(rng.choices(words, k=7)).title() for _ in range(90 // repeats)]
    articles = []
    for number in range(90):
        related = f"{label} {headlines[number % len(headlines)]}"
        parts = [sentence(rng, words), sentence(rng, words), related, *(sentence(rng, words) for _ in range(4)), CALL]
        articles.append({"source": "a", "id": str(number), "text": " ".join(parts)})
    cleaner = Cleaner(mine(articles)["a"])
    for one in articles:
        assert cleaner.clean(one["text"]).text == one["text"].removesuffix(f" {CALL}")


@pytest.mark.parametrize("title", ["Dr.", "Sen.", "Prof."])
def test_titles_of_names_stay(title: str) -> None:
    """At the head of paragraphs and within sentences, in every fifth article."""
    rng = random.Random(1)
    words = invented_words(rng)
    articles = []
    for number in range(150):
        lines = [sentence(rng, words) for _ in range(6)]
        if number % 5 == 0:
            name = f"{rng.choice(words).capitalize()} {rng.choice(words).capitalize()}"
            lines[2] = f"{title} {name} {lines[2].lower()}"
            lines[4] = f"The study was led by {title} {name}. {lines[4]}"
        articles.append({"source": "a", "id": str(number), "text": "\n".join([*lines, CALL])})
    check_that_nothing_goes_but(CALL, articles)


CALL = "Sign up for our morning newsletter today."
