"""Cleaning documents of many sources, each with its pack."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest

from templatemine import Cleaner, Cleaners, Document, Packs, clean, mine
from templatemine.config import CleanConfig
from templatemine.errors import ConfigError, PackError, SkippedPackError
from templatemine.model import Cleaned

SOURCES = ("a.example", "b.example")
CALL = "Sign up for the letter of {} today."


def story(source: str, number: int | str) -> str:
    words = [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in ("m", "n", "rst")]
    return " ".join(Random(f"{source}{number}").choices(words, k=12)) + "."


def documents() -> list[Document]:
    return [
        Document(source=source, id=str(number), text=f"{story(source, number)}\n{CALL.format(source)}")
        for source in SOURCES
        for number in range(20)
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("packs")
    for source, pack in mine(documents()).items():
        pack.save(place / f"{source}.json")
    return place


def test_each_document_by_the_pack_of_its_source(folder: Path) -> None:
    cleaners = Cleaners.load(folder)
    assert sorted(cleaners) == list(SOURCES)
    assert (len(cleaners), "a.example" in cleaners, "c.example" in cleaners) == (2, True, False)
    assert repr(cleaners) == "<Cleaners: 2 sources>"
    found = list(cleaners.clean_all(documents()))
    assert [document for document, _ in found] == documents()
    for document, cleaned in found:
        assert cleaned == cleaners[document.source].clean(document.body)
        assert cleaned.text == story(document.source, document.id)
        assert cleaners.clean(document.body, document.source) == cleaned
    assert cleaners["a.example"] is cleaners["a.example"]


def test_a_source_without_a_pack(folder: Path) -> None:
    text = f"A story.\n{CALL.format('a.example')}"
    other = Document(source="c.example", id="1", text=text)
    assert Cleaners.load(folder).clean(text, "c.example") == Cleaned(text, ())
    ((_, cleaned),) = Cleaners.load(folder, fallback="a.example").clean_all([other])
    assert cleaned.text == "A story."
    with pytest.raises(ConfigError, match=r"fallback: expected a source that has a pack, got 'c.example'"):
        Cleaners.load(folder, fallback="c.example")


def test_a_name_that_no_pack_has_is_told(folder: Path, recwarn: pytest.WarningsRecorder) -> None:
    cleaners = Cleaners.load(folder)
    known, other = (Document(source=name, id="1", text="A text.") for name in ("a.example", "A.example"))
    assert [len(list(cleaners.clean_all(some))) for some in ([], [known], [other, known])] == [0, 1, 2]
    assert not [one for one in recwarn if "no document has" in str(one.message)]
    with pytest.warns(UserWarning, match="no document has a pack; the first is of 'A.example', and packs are of 'a.ex"):
        list(cleaners.clean_all([other]))


def test_a_page_is_not_cleaned_by_a_pack_of_texts(folder: Path) -> None:
    page = Document(source="a.example", id="1", html=f"<p>{CALL.format('a.example')}</p>")
    ((_, cleaned),) = Cleaners.load(folder).clean_all([page])
    assert cleaned == Cleaned(page.body, ())


def test_they_go_to_another_process(folder: Path) -> None:
    cleaners = Cleaners.load(folder, config=CleanConfig(stubs="keep"), fallback="b.example")
    list(cleaners.clean_all(documents()))
    twin = pickle.loads(pickle.dumps(cleaners))
    assert (twin.config, twin.fallback) == (cleaners.config, cleaners.fallback)
    assert list(twin.clean_all(documents())) == list(cleaners.clean_all(documents()))


def test_what_is_no_pack_is_refused_at_once(folder: Path) -> None:
    """A path for packs had a length and held no source, so that nothing was cleaned, without a word."""
    paths: list[Any] = [str(folder), folder]
    for path in paths:
        with pytest.raises(TypeError, match=r"expected packs by source, got (str|PosixPath); Cleaners\.load reads"):
            Cleaners(path)
        for call in (Cleaner, lambda pack: clean("A text.", pack)):
            with pytest.raises(TypeError, match=r"expected a Pack, got (str|PosixPath); Pack\.load reads"):
                call(path)
        with pytest.raises(TypeError, match=r"expected a Pack, got Packs; take packs\['a\.example'\]"):
            Cleaner(Packs.load(folder))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"expected a Pack, got Packs; Pack\.load reads"):
        clean("A text.", Packs())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expected texts, got one str"):
        Cleaners.load(folder)["a.example"].clean_all("A text.")


def test_one_text_is_cleaned_by_the_choices_of_many(folder: Path) -> None:
    packs = Packs.load(folder)
    pack = packs["a.example"]
    kinds = ",".join({template.kind for template in pack.templates})
    (document, *_) = documents()
    assert clean(document.body, pack).text != document.body
    for keep in (kinds, kinds.split(",")):
        ((_, cleaned),) = packs.clean([document], keep=keep)
        assert clean(document.body, pack, keep=keep) == cleaned == Cleaned(document.body, ())
    config = CleanConfig(guard=0.0, stubs="keep")
    ((_, cleaned),) = packs.clean([document], config)
    assert clean(document.body, pack, config) == cleaned == Cleaned(document.body, (), True)
    with pytest.raises(ConfigError, match="keep: expected kinds of"):
        clean(document.body, pack, keep="caption,adverts")


def test_packs_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(PackError):
        Cleaners.load(tmp_path / "none")


def test_a_folder_with_one_bad_pack(folder: Path, tmp_path: Path) -> None:
    packs = shutil.copytree(folder, tmp_path / "packs")
    bad = packs / "b.example.json"
    bad.write_text(bad.read_text().replace('"documents"', '"docs"'))
    (packs / "zzz.json").write_text("[]")
    given = documents()
    good = dict_of(Cleaners.load(folder), given)
    cleaners = Cleaners.load(packs)
    with pytest.warns(
        UserWarning, match=r"'b\.example' left as it is: .*b\.example\.json: the field 'documents'"
    ) as told:
        found = dict_of(cleaners, given)
    assert len(told) == 1
    for document in given:
        key = document.source, document.id
        assert found[key] == (document.body if document.source == "b.example" else good[key])
    assert [*cleaners.skipped] == ["b.example"]
    with pytest.raises(SkippedPackError):
        cleaners["b.example"]
    with pytest.warns(UserWarning, match="zzz"):
        assert cleaners.clean("text", "zzz").text == "text"
    for strict in (lambda: Cleaners.load(packs, errors="raise"), lambda: Cleaners.load(bad).clean("x", "b.example")):
        with pytest.raises(PackError):
            strict()


def dict_of(cleaners: Cleaners, given: list[Document]) -> dict[tuple[str, str], str]:
    return {(document.source, document.id): cleaned.text for document, cleaned in cleaners.clean_all(given)}
