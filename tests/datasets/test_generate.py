"""The generator of news archives: same seed, same bytes; and what it calls boilerplate is boilerplate."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "datasets"))

import generate  # noqa: E402
from generate import KINDS, SCRIPTS, Archive, ArchiveSpec, Article  # noqa: E402
from jsonlines import read_records  # noqa: E402
from newsgen.archive import COPY_WINDOW  # noqa: E402
from newsgen.language import make_zipf_urn  # noqa: E402

SCORER = ROOT.parent / "shared" / "score" / "score_spans.py"
SPEC = ArchiveSpec(seed=7, sources=9, documents=150, scripts=("latin", "arabic", "han"), kilobytes=2.0)
SMALL = replace(SPEC, sources=3, documents=12)
#: SHA-256 of SMALL, records and spans.  A change of any table changes it: look at some articles before you pin it anew.
DIGEST = "0337bae6456342e3dd877077144173948b6823700b19b5e7520b2095c31b9063"


@pytest.fixture(scope="module")
def archive() -> Archive:
    return Archive(SPEC)


@pytest.fixture(scope="module")
def articles(archive: Archive) -> list[Article]:
    return list(archive.articles())


def by_source(articles: list[Article]) -> dict[str, list[Article]]:
    groups: dict[str, list[Article]] = {}
    for article in articles:
        groups.setdefault(article.record["source"], []).append(article)
    return groups


def content(article: Article) -> list[str]:
    """The stretches of the text that are in no span."""
    text, at, out = article.record["text"], 0, []
    for start, end, _ in article.spans:
        out.append(text[at:start])
        at = end
    return [*out, text[at:]]


# -- determinism -------------------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_bytes() -> None:
    digest = hashlib.sha256()
    for article in Archive(SMALL).articles():
        digest.update(json.dumps([article.record, article.spans], ensure_ascii=False).encode())
    assert digest.hexdigest() == DIGEST


def test_a_source_does_not_depend_on_what_was_generated_before(articles: list[Article]) -> None:
    alone = list(Archive(SPEC).source_articles(4))
    assert alone == [article for article in articles if article.record["source"] == alone[0].record["source"]]


def test_another_seed_is_another_archive() -> None:
    first, second = (list(generate.generate(SMALL, seed=seed)) for seed in (7, 8))
    assert first != second
    assert first == list(generate.generate(SMALL))


# -- truth -------------------------------------------------------------------------------------------------------------


def test_records_are_complete_and_in_order_of_date(articles: list[Article]) -> None:
    assert len({article.record["id"] for article in articles}) == len(articles) == SPEC.sources * SPEC.documents
    for group in by_source(articles).values():
        assert [article.record["date"] for article in group] == sorted(article.record["date"] for article in group)
    for article in articles:
        assert list(article.record) == ["source", "id", "url", "date", "title", "text"]
        assert all(article.record.values())


def test_spans_are_sorted_disjoint_and_tight(articles: list[Article]) -> None:
    for article in articles:
        text, at = article.record["text"], 0
        for start, end, label in article.spans:
            assert at <= start < end <= len(text)
            assert text[start:end] == text[start:end].strip()
            assert label in ("template", "dynamic")
            at = end


def test_template_spans_say_what_a_template_of_the_source_says(archive: Archive, articles: list[Article]) -> None:
    for source in archive.sources:
        wordings = [re.compile(wording) for template in source.templates for wording in template.wordings()]
        for article in articles:
            if article.record["source"] == source.id:
                for start, end, label in article.spans:
                    piece = article.record["text"][start:end]
                    if label == "template":
                        assert any(wording.fullmatch(piece) for wording in wordings), piece


def test_every_template_drawn_is_in_the_text(archive: Archive, articles: list[Article]) -> None:
    known = {template.id: template for source in archive.sources for template in source.templates}
    for article in articles[::7]:
        for identity in article.templates:
            for wording in known[identity].wordings():
                assert re.search(wording, article.record["text"]), identity


def test_no_boilerplate_outside_the_spans(archive: Archive, articles: list[Article]) -> None:
    titles = {source.id: source.title for source in archive.sources}
    for article in articles:
        rest = "".join(content(article))
        assert titles[article.record["source"]].lower() not in rest.lower()
        assert ".example" not in rest


# -- what an archive has -----------------------------------------------------------------------------------------------


def test_every_kind_occurs_and_in_its_share(archive: Archive, articles: list[Article]) -> None:
    groups = by_source(articles)
    for source in archive.sources[:3]:  # the first of a script has all kinds
        used = Counter(identity for article in groups[source.id] for identity in article.templates)
        kinds = {template.kind for template in source.templates}
        assert kinds == {kind.name for kind in KINDS} & set(
            archive.languages[_script(source.id, archive)].script.boilerplate
        )
        for template in source.templates:
            live = min(template.last, SPEC.days) - template.first
            expected = template.share * live / SPEC.days * SPEC.documents
            assert abs(used[template.id] - expected) <= 4 * max(1.0, expected**0.5), template.id
    assert {template.share for source in archive.sources for template in source.templates} == {1.0, 0.6, 0.2, 0.03}
    places = {template.place for source in archive.sources for template in source.templates}
    assert places == {"head", "open", "between", "inline", "close", "tail"}


def _script(identity: str, archive: Archive) -> str:
    index = [source.id for source in archive.sources].index(identity)
    return SPEC.scripts[index % len(SPEC.scripts)]


def test_lifetimes_are_kept(archive: Archive, articles: list[Article]) -> None:
    known = {template.id: template for source in archive.sources for template in source.templates}
    seasons = [template for template in known.values() if template.kind == "campaign"]
    assert {template.last - template.first for template in seasons} == {SPEC.season}
    for group in by_source(articles).values():
        for number, article in enumerate(group):
            day = number * SPEC.days // SPEC.documents
            assert all(known[identity].first <= day < known[identity].last for identity in article.templates)
    letters = [template for template in known.values() if template.kind == "newsletter"]
    assert len(letters) == 2 * SPEC.sources  # one wording before the redesign, one after


def test_dynamic_parts(articles: list[Article]) -> None:
    for article in articles:
        labels = {label for _, _, label in article.spans}
        names = {identity.split("/")[1] for identity in article.templates}
        if names & {"dateline", "related", "credit", "caption", "more", "also", "signoff", "reporting"}:
            assert "dynamic" in labels


def test_idioms_are_content_of_every_source(archive: Archive, articles: list[Article]) -> None:
    groups = by_source(articles)
    for source in archive.sources:
        for idiom in archive.languages[_script(source.id, archive)].script.idioms:
            holders = [article for article in groups[source.id] if idiom in article.record["text"]]
            assert len(holders) >= 3, idiom
            for article in holders:
                assert idiom in "".join(content(article))
                at = article.record["text"].index(idiom)
                assert not any(start < at + len(idiom) and at < end for start, end, _ in article.spans)


def test_agency_prose_is_shared_word_for_word_and_content(archive: Archive, articles: list[Article]) -> None:
    carriers: dict[tuple[str, int], set[str]] = {}
    for article in articles:
        if article.wire is not None:
            index = [source.id for source in archive.sources].index(article.record["source"])
            rest = "".join(content(article))
            whole = [paragraph for paragraph in archive.story(index, article.wire) if paragraph in rest]
            # An in-line template may stand in a paragraph or two, and glued to them.
            assert len(whole) >= len(archive.story(index, article.wire)) - 3
            carriers.setdefault((SPEC.scripts[index % 3], article.wire), set()).add(article.record["source"])
    assert len(carriers) >= 20
    assert Counter(len(sources) for sources in carriers.values()).most_common(1)[0][0] in (2, 3)


def test_near_duplicates(archive: Archive, articles: list[Article]) -> None:
    known = {article.record["id"]: article for article in articles}
    copies = [article for article in articles if article.copy_of]
    assert 0.02 < len(copies) / len(articles) < 0.06
    for article in copies:
        assert article.copy_of
        model = known[article.copy_of]
        distance = int(article.record["id"][-6:]) - int(model.record["id"][-6:])
        assert 0 < distance <= COPY_WINDOW
        mine, other = ("".join(content(one)).split() for one in (article, model))
        if len(mine) > 50:  # Han texts have no words to compare
            assert SequenceMatcher(None, mine, other, autojunk=False).ratio() > 0.8
    assert not any(article.copy_of for article in Archive(replace(SMALL, near_duplicates=0.0)).articles())
    many = [
        article for article in Archive(replace(SMALL, documents=60, near_duplicates=0.5)).articles() if article.copy_of
    ]
    assert 60 < len(many) < 120


def test_three_scripts(archive: Archive, articles: list[Article]) -> None:
    groups = by_source(articles)
    latin, arabic, han = (
        ["".join("".join(content(a)) for a in groups[s.id]) for s in archive.sources[n::3]] for n in range(3)
    )
    assert all(re.search("[“”’]", text) and re.search(r"[.?,] ", text) for text in latin)
    assert all("،" in text and "؟" in text and re.search("[\u0627-\u064a]{3}", text) for text in arabic)
    assert all("，" in text and "。" in text and len(re.findall(r"\s", text)) < len(text) / 30 for text in han)
    newlines = [groups[source.id][0].record["text"].count("\n") for source in archive.sources[2::3]]
    assert min(newlines) == 0 < max(newlines)
    eastern = ["".join(a.record["text"] for a in groups[source.id]) for source in archive.sources[1::3]]
    assert ["٣" in text for text in eastern] == [False, True, False]


def test_scripts_that_share_names_of_papers_have_sources_of_their_own() -> None:
    spec = ArchiveSpec(sources=2 * len(SCRIPTS), documents=2, scripts=tuple(SCRIPTS))
    names = [source.id for source in Archive(spec).sources]
    assert len(set(names)) == len(names)


def test_words_are_distributed_as_in_a_language() -> None:
    words: Counter[str] = Counter()
    for record in generate.generate(sources=1, documents=150):
        words.update(re.findall(r"\w+", record["text"].lower()))
    counts = [count for _, count in words.most_common()]
    total = sum(counts)
    assert words.most_common(1)[0][0] == "the"
    assert 0.05 < counts[0] / total < 0.15
    assert len(counts) > 8_000
    assert sum(count == 1 for count in counts) > len(counts) / 3
    assert 3 < counts[99] / counts[999] < 40  # Zipf: ten times


def test_urn_holds_words_by_rank() -> None:
    urn = make_zipf_urn([f"w{rank}" for rank in range(1_000)])
    counts = Counter(urn)
    assert len(urn) == 1 << 16
    assert [counts[f"w{rank}"] for rank in (0, 10, 100)] == sorted(
        (counts[f"w{r}"] for r in (0, 10, 100)), reverse=True
    )


# -- options -----------------------------------------------------------------------------------------------------------


def test_size_of_documents_and_archives() -> None:
    spec = ArchiveSpec(sources=1, documents=150, kilobytes=8.0)
    sizes = [len(record["text"].encode()) for record in generate.generate(spec)]
    assert 7_000 < sum(sizes) / len(sizes) < 10_000
    sized = generate.scale_spec(ArchiveSpec(sources=2), 1.5)
    assert 1.4e6 < sum(len(record["text"].encode()) for record in generate.generate(sized)) < 1.6e6


def test_many_templates_and_none() -> None:
    archive = Archive(ArchiveSpec(sources=2, documents=40, templates=500, clean_sources=1))
    assert len({template.parts for template in archive.sources[0].templates}) >= 500
    assert not archive.sources[1].templates
    groups = by_source(list(archive.articles()))
    assert not any(article.spans for article in groups[archive.sources[1].id])
    kinds = {identity for article in groups[archive.sources[0].id] for identity in article.templates}
    assert len(kinds) > 150
    assert len(Archive(ArchiveSpec(templates=3)).sources[0].templates) in (3, 4)


@pytest.mark.parametrize(
    "options", [{"scripts": ("cyrillic",)}, {"scripts": ()}, {"sources": 0}, {"documents": -1}, {"kilobytes": 0.0}]
)
def test_a_bad_spec_is_refused_by_field(options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        next(generate.generate(**options))


# -- pages -------------------------------------------------------------------------------------------------------------


def test_pages_carry_the_same_truth() -> None:
    archive = Archive(SMALL)
    for article, record in zip(archive.articles(), generate.generate_pages(SMALL), strict=True):
        assert record["id"] == article.record["id"]
        assert "text" not in record
        for part in ("<nav", "<header", "<footer", "<aside", "<script", "<!--", "<section", record["title"][:5]):
            assert part in record["html"]
        assert record["gold"].startswith(record["title"])
        source = next(source for source in archive.sources if source.id == record["source"])
        assert source.title not in record["gold"]
        plain = re.sub(r"<[^>]+>", "", record["html"])
        longest = max(record["gold"].split("\n\n"), key=len)
        assert longest[-8:] in plain


# -- files and command line --------------------------------------------------------------------------------------------


def test_split_and_gold(tmp_path: Path) -> None:
    spec = ArchiveSpec(sources=2, documents=40)
    out, held_out, gold = (tmp_path / name for name in ("a.jsonl.gz", "new.jsonl", "gold"))

    def run() -> tuple[int, int]:
        return generate.write_archive(spec, str(out), held_out=str(held_out), gold=str(gold), split=0.1)

    assert run() == (72, 8)
    kept, away = ([row for _, row in read_records(path)] for path in (out, held_out))
    truth = [row for file in sorted(gold.iterdir()) for _, row in read_records(file)]
    assert {row["id"] for row in truth} == {row["id"] for row in away}
    assert not {row["id"] for row in away} & {row["id"] for row in kept}
    assert {file.name for file in gold.iterdir()} == {f"{row['source']}.jsonl" for row in away}
    first = out.read_bytes()
    run()
    assert out.read_bytes() == first
    assert not list(tmp_path.rglob("*.part"))


def test_nothing_half_written_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generate, "format_line", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        generate.write_archive(SMALL, str(tmp_path / "a.jsonl"), gold=str(tmp_path / "gold"))
    assert not [file for file in tmp_path.rglob("*") if file.is_file()]


@pytest.mark.parametrize(
    "arguments", [["--split", "0.1"], ["--scripts", "latin,runes"], ["--html", "--gold", "g"], ["--sources", "0"]]
)
def test_usage_errors(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        generate.main([*arguments, "-o", "never.jsonl"])
    assert stop.value.code == 2
    assert "error:" in capsys.readouterr().err


@pytest.mark.skipif(not SCORER.exists(), reason="the scorer is not here")
def test_the_truth_scores_full_marks(tmp_path: Path) -> None:
    script = [sys.executable, str(ROOT / "datasets" / "generate.py"), "--sources", "3", "--documents", "20"]
    script += ["--scripts", "latin,arabic,han", "-o", "a.jsonl", "--gold", "gold"]
    subprocess.run(script, cwd=tmp_path, check=True, capture_output=True)
    with open(tmp_path / "cleaned.jsonl", "w") as out:
        for file in (tmp_path / "gold").iterdir():
            for _, row in read_records(file):
                out.write(json.dumps({"id": row["id"], "removed": [span[:2] for span in row["spans"]]}) + "\n")
    score = [sys.executable, str(SCORER), "gold", "cleaned.jsonl", "--texts", "a.jsonl", "--json"]
    answer = json.loads(subprocess.run(score, cwd=tmp_path, check=True, capture_output=True, text=True).stdout)
    assert len(answer) == 4
    assert answer["mean"] == {"recall": 1.0, "precision": 1.0, "f1": 1.0, "loss": 0.0, "whole": 1.0, "torn": 0.0}


def test_every_script_speaks_every_form() -> None:
    for script in SCRIPTS.values():
        assert {"S", "HEADLINE", "CAPTION"} <= set(script.grammar)
        assert set(script.boilerplate) <= {kind.name for kind in KINDS}
        assert {kind.name for kind in KINDS if kind.core} - set(script.boilerplate) <= {"prefix"}
