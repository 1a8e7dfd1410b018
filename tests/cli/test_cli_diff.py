"""``templatemine diff``: packs before and after."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from cli_support import CALL, records, write

from conftest import Cli
from templatemine.packs.pack import Pack

ALPHA = "alpha.example.json"


@pytest.fixture
def changed(mined: Path, tmp_path: Path) -> Path:
    """The packs without the sign-up prompt of one source, and without the pack of another."""
    folder = tmp_path / "changed"
    shutil.copytree(mined, folder)
    pack = Pack.load(folder / ALPHA)
    kept = tuple(one for one in pack.templates if not one.example.startswith("Sign up"))
    assert len(kept) == len(pack.templates) - 1
    replace(pack, templates=kept, mined=None).save(folder / ALPHA, force=True)
    (folder / "beta.example.json").unlink()
    return folder


def test_the_same_packs(cli: Cli, mined: Path) -> None:
    ran = cli("diff", mined, mined)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "0 of 3 sources with differences; templates: 0 added, 0 removed, 0 changed, 0 moved\n"


def test_folders_and_an_archive(cli: Cli, mined: Path, changed: Path, tmp_path: Path) -> None:
    archive = write(tmp_path / "new.jsonl", records(seed=3))
    ran = cli("diff", mined, changed, "--archive", archive, "--quiet")
    assert ran.code == 0
    call = CALL.format("Alpha")
    (row,) = (line for line in ran.out.splitlines() if call in line)
    lost = 40 * len(call)
    assert row.split()[:4] == ["-", "40", "100.0%", f"-{lost:,}"]
    assert "beta.example: 2 templates of 40 documents -> no pack" in ran.out
    assert "gamma.example" not in ran.out
    assert "2 of 3 sources with differences; templates: 0 added, 3 removed, 0 changed, 0 moved" in ran.out
    assert ran.out.splitlines()[-1].endswith("now: 0; 80 of 120 articles differ")

    facts = json.loads(cli("diff", mined, changed, "--archive", archive, "--json", "--quiet").out)["sources"]
    alpha, beta, gamma = facts
    assert [one["no_longer_removed"] for one in alpha["removed"]] == [lost]
    assert alpha["archive"]["only_old"] == lost
    assert beta["templates"] == [2, None]
    assert gamma["archive"]["differing"] == 0
    back = json.loads(cli("diff", changed, mined, "--archive", archive, "--json", "--quiet").out)["sources"][0]
    assert [one["now_removed"] for one in back["added"]] == [lost]


def test_files_of_two_sources(cli: Cli, mined: Path) -> None:
    """Two files are compared whatever their sources."""
    ran = cli("diff", mined / ALPHA, mined / "beta.example.json")
    assert ran.code == 0
    assert f"{CALL.format('Alpha')} [line] -> {CALL.format('Beta')} [line]" in ran.out
    assert "1 of 1 source with differences" in ran.out


def test_few_rows(cli: Cli, mined: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    shutil.copy(mined / "gamma.example.json", empty)
    rows = cli("diff", mined, empty, "--limit", "1").out
    assert rows.count("and 1 more (--limit 0 lists all)") == 2
    assert "more" not in cli("diff", mined, empty, "--limit", "0").out


def test_a_file_and_a_folder(cli: Cli, mined: Path) -> None:
    told = (
        f"got one of each: {mined} is a folder, {mined / ALPHA} is none; {mined}/SOURCE is the pack of a source in it"
    )
    assert told in cli("diff", mined, mined / ALPHA).error
    assert told in cli("diff", mined / ALPHA, mined).error


def test_chinese_and_japanese_have_no_blanks(cli: Cli, tmp_path: Path) -> None:
    dice = Random(3)
    words = [chr(0x5000 + number) for number in range(400)]
    lines = [
        {
            "source": "ja.example",
            "id": str(n),
            "text": f"{''.join(dice.choices(words, k=60))}。\n無断転載を禁じます。潮見新報社",
        }
        for n in range(40)
    ]
    packs = tmp_path / "packs"
    assert cli("mine", write(tmp_path / "a.jsonl", lines), "-o", packs, "-q").code == 0
    (pack,) = (Pack.load(path) for path in packs.glob("*.json"))
    assert pack.templates
    none = tmp_path / "none.json"
    replace(pack, templates=(), mined=None).save(none)
    (file,) = packs.glob("*.json")
    assert "禁じます" in cli("diff", none, file).out
    updated = cli("update", "--new-sources", tmp_path / "packs2", tmp_path / "a.jsonl")
    assert "  + " in updated.err
    assert "禁じます" in updated.err


def test_packs_of_two_sources_are_told_first(cli: Cli, mined: Path) -> None:
    one, other = (mined / f"{name}.example.json" for name in ("alpha", "beta"))
    assert cli("diff", one, other).err.startswith(
        "templatemine: the packs are of two sources, 'alpha.example' and 'beta"
    )
    assert cli("diff", one, one).err == ""
