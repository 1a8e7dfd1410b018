"""The generator of news archives: same seed, same bytes; and what it calls boilerplate is boilerplate."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "datasets"))

import generate  # noqa: E402
from generate import Archive, ArchiveSpec, Article  # noqa: E402
from jsonlines import read_records  # noqa: E402

SPEC = ArchiveSpec(seed=7, sources=3, documents=40, scripts=("latin", "arabic", "han"), kilobytes=2.0)
SMALL = replace(SPEC, documents=12)
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


def test_no_boilerplate_outside_the_spans(archive: Archive, articles: list[Article]) -> None:
    titles = {source.id: source.title for source in archive.sources}
    for article in articles:
        rest = "".join(content(article))
        assert titles[article.record["source"]].lower() not in rest.lower()
        assert ".example" not in rest


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
