"""A background made of archives: what occurs in the prose of enough publishers, and nothing else."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from random import Random

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "datasets"))

import background as script
from background import BackgroundSpec, Part, derive, part_of
from generate import Archive, ArchiveSpec
from templatemine.config import NO_BACKGROUND, SHIPPED, PipelineConfig
from templatemine.mining.background import read
from templatemine.mining.methods import resolve_defaults
from templatemine.mining.stages import mine_source
from templatemine.model import Document

SOURCES = ("anvil", "bellows", "chisel", "drill")
IDIOM, LINE, OF_TWO = "according to the harbour master", "All rights reserved by the harbour press.", "quoth the raven"
LONG = "as the old keeper of the lighthouse used to say"


def part(source: str, publisher: str | None = None, spec: BackgroundSpec | None = None) -> Part:
    random = Random(source)
    words = ["".join(random.choices("bcdfglmnrstaeiou", k=7)) for _ in range(500)]

    def prose(number: int) -> str:
        return " ".join(random.choices(words, k=number))

    def text(place: int) -> str:
        idiom = IDIOM if place % (2 + SOURCES.index(source)) == 0 else prose(5)
        two = OF_TWO if source in SOURCES[:2] else prose(3)
        return f"{prose(20)} {idiom} {prose(20)} {LONG} {prose(9)} {two} {prose(9)}.\n\n{LINE}"

    rows = [Document(source=source, id=str(place), text=text(place)) for place in range(60)]
    mined = mine_source(source, rows, resolve_defaults(PipelineConfig(background=NO_BACKGROUND)))
    return part_of(mined, publisher or source, spec or BackgroundSpec())


def test_what_three_publishers_have_in_their_prose() -> None:
    parts = [part(source) for source in SOURCES]
    table = derive(parts, BackgroundSpec())
    assert IDIOM in table
    assert not {OF_TWO, LINE, LONG} & table.keys()
    assert all("harbour press" not in string for string in table)
    # The third greatest rate: in one of four articles of some 75 tokens, rounded down.
    assert 2.0 ** -table[IDIOM] <= 15 / (60 * 75) < 2.0 ** (1.5 - table[IDIOM])
    assert derive(parts[::-1], BackgroundSpec()) == table
    assert OF_TWO in derive(parts, BackgroundSpec(publishers=2))
    longer = BackgroundSpec(tokens=12)
    assert LONG in derive([part(source, spec=longer) for source in SOURCES], longer)


def test_sources_of_one_publisher_count_once() -> None:
    house = [part(source, "tools") for source in SOURCES[:3]]
    assert derive([*house, part("drill")], BackgroundSpec()) == {}
    assert IDIOM in derive([*house, part("drill")], BackgroundSpec(publishers=2))


def test_no_source() -> None:
    assert derive([], BackgroundSpec()) == {}


def test_what_is_never_a_template_is_left_out() -> None:
    parts = [part(source) for source in SOURCES]
    whole = derive(parts, BackgroundSpec(bound=0.0, edge=0.0, information=0.0))
    assert derive(parts, BackgroundSpec()).keys() <= whole.keys()
    assert derive(parts, BackgroundSpec(information=1e6)) == {}
    assert all(" " not in string for string in derive(parts, BackgroundSpec(bound=1.1, edge=1.1)))


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("background") / "archive.jsonl"
    articles = Archive(ArchiveSpec(sources=4, documents=60, seed=3)).articles()
    path.write_text("".join(json.dumps(article.record) + "\n" for article in articles), encoding="utf-8")
    return path


def test_the_command(archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "common.tsv.gz"
    assert script.main([str(archive), "-o", str(target)]) == 0
    table = read(str(target))
    assert len(table) > 100
    assert f"{len(table)} strings of 4 publishers, in the prose of 3, up to 6 tokens" in capsys.readouterr().err
    first = target.read_bytes()
    assert script.main([str(archive), "-o", str(target)]) == 0
    assert target.read_bytes() == first


def test_the_command_refuses_too_few_publishers(
    archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = sorted({one.source for one in script.read_documents([archive], script.ReadConfig())})
    target = tmp_path / "common.tsv"
    assert script.main([str(archive), "--one-publisher", ",".join(names[:3]), "-o", str(target)]) == 2
    assert "expected articles of at least 3 publishers, found 2" in capsys.readouterr().err
    assert not target.exists()
    assert script.main([str(tmp_path / "none.jsonl"), "-o", str(target)]) == 2
    capsys.readouterr()
    assert script.main([str(archive), "--one-publisher", f"{names[0]},nobody", "-o", str(target)]) == 2
    assert "--one-publisher: expected sources of the archives, found 'nobody'" in capsys.readouterr().err


SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "text"


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.is_dir(), reason="the real archives (../shared) are not here")
def test_the_one_that_ships_is_what_the_script_makes(tmp_path: Path) -> None:
    """All but all of it, for what counts as a copy, or as prose, may change."""
    archives = [str(SHARED / f"{name}.jsonl.gz") for name in ("allsides", "weekinethereum")]
    assert script.main([*archives, "-o", str(tmp_path / "made.tsv.gz")]) == 0
    made, ships = read(str(tmp_path / "made.tsv.gz")).items(), read(SHIPPED).items()
    assert len(made & ships) >= 0.98 * max(len(made), len(ships))
