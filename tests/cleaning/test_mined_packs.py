"""What `mine` gives: packs by source, to save, load and clean with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

import templatemine
from templatemine import CleanConfig, Cleaners, Document, Packs
from templatemine.errors import ConfigError, CorpusError
from templatemine.model import Template

LINE = "Sign up for the morning letter of <Example>."


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    dice = Random(6)
    words = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in ("m", "n", "rst", "lk")]
    return [
        Document(source=source, id=str(n), text=f"{' '.join(dice.choices(words, k=50)).capitalize()}.\n{LINE}")
        for source in ("a.example", "b/c.example")
        for n in range(30)
    ]


@pytest.fixture(scope="module")
def packs(documents: list[Document]) -> Packs:
    return templatemine.mine(documents)


def test_a_mapping(packs: Packs) -> None:
    assert isinstance(packs, Packs)
    assert sorted(packs) == ["a.example", "b/c.example"]
    assert isinstance(packs, dict)
    templates = sum(len(pack.templates) for pack in packs.values())
    assert repr(packs) == f"<Packs of 2 sources: {templates} templates>"
    assert "<td>b/c.example</td><td>30</td>" in packs._repr_html_()


def test_saved_and_loaded(packs: Packs, tmp_path: Path) -> None:
    packs.save(tmp_path / "packs")
    read = Packs.load(tmp_path / "packs")
    assert {name: pack.templates for name, pack in read.items()} == {n: pack.templates for n, pack in packs.items()}
    with pytest.raises(CorpusError, match="exists"):
        packs.save(tmp_path / "packs")
    packs.save(tmp_path / "packs", force=True)
    assert [len(list((tmp_path / "packs").glob(f"*.{kind}"))) for kind in ("json", "rejected.jsonl.gz")] == [2, 2]


def test_cleaning_is_that_of_cleaners(packs: Packs, documents: list[Document]) -> None:
    config = CleanConfig(gap=8)
    found, wanted = list(packs.clean(documents, config)), list(Cleaners(packs, config).clean_all(documents))
    assert [(one.id, cleaned) for one, cleaned in found] == [(one.id, cleaned) for one, cleaned in wanted]
    ((_, cleaned),) = packs.clean([{"source": "a.example", "text": f"News.\n{LINE}"}])
    assert cleaned.text == "News."


def test_a_template_is_told_in_one_line(packs: Packs) -> None:
    told = [repr(template) for pack in packs.values() for template in pack.templates]
    assert all("\n" not in one and len(one) < 160 for one in told)
    assert any(
        one.startswith("<Template t") and "Sign up for the morning" in one and "30 documents" in one for one in told
    )


def test_a_template_without_spaces_is_told_without_them() -> None:
    one = Template(id="t1", regex="", tokens=("日", "本", "の", "{number}"), df=2, count=2, example="日本の\n10")
    assert repr(one) == "<Template t1: '日本の 10' in 2 documents>"


def test_other_things_than_texts_are_named(packs: Packs) -> None:
    """In our own words, as all mistakes are: those of the native core name its arguments."""
    pack = packs["a.example"]
    cleaner = templatemine.Cleaner(pack)
    calls: list[tuple[Callable[[Any], object], str]] = [
        (lambda given: templatemine.clean(given, pack), "text: expected a str"),
        (cleaner.clean, "text: expected a str"),
        (cleaner.spans, "text: expected a str"),
        (lambda given: cleaner.clean_all(["a", given]), "texts[1]: expected a str"),
        (lambda given: templatemine.Cleaners(packs).clean(given, "a.example"), "text: expected a str"),
        (templatemine.reading, "text: expected a str"),
        (templatemine.PageCleaner().clean, "html: expected a str"),
    ]
    for call, told in calls:
        for given, name in ((None, "NoneType"), (b"abc", "bytes"), (7, "int")):
            with pytest.raises(TypeError) as caught:
                call(given)
            assert str(caught.value) == f"{told}, got {name}"
    for wrong in (None, 7):
        with pytest.raises(TypeError, match="^html: expected a str or bytes, got (NoneType|int)$"):
            templatemine.extract(wrong)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=r"^caution: expected a number above 0, got -3$"):
        templatemine.mine([], caution=-3)


def test_only_public_names_are_listed() -> None:
    assert dir(templatemine) == sorted(templatemine.__all__)
