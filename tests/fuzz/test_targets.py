"""The targets of fuzz/ on the kept corpus, without Atheris: every run of the tests holds them to a fourth of it."""

from __future__ import annotations

import base64
import sys
from importlib import import_module
from pathlib import Path

import pytest

from scale import scaled

ROOT = Path(__file__).resolve().parents[2]
FUZZ = ROOT / "fuzz"
sys.path[:0] = [str(FUZZ), str(ROOT / "tests" / "native"), str(ROOT / "tests" / "properties")]
NAMES = sorted(path.stem for path in (FUZZ / "targets").glob("[!_]*.py") if path.stem != "kernels")
ZSTD = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
NEEDS = {"readers": ["fastwarc", "warcio", "feedparser", ZSTD]}


def kept(name: str) -> list[bytes]:
    return [base64.b64decode(line) for line in (FUZZ / "corpus" / f"{name}.txt").read_text("ascii").splitlines()]


@pytest.mark.filterwarnings("ignore::UserWarning")  # of rules that nobody has applied
@pytest.mark.parametrize("name", NAMES)
def test_the_kept_corpus(name: str) -> None:
    for library in NEEDS.get(name, ()):
        pytest.importorskip(library)
    one = import_module(f"targets.{name}").one
    inputs = kept(name)
    assert len(inputs) > 20
    inputs = inputs[:: 4 // scaled(4)]
    for data in [b"", b"\0", *inputs]:
        one(data)


def test_the_kept_corpus_is_small() -> None:
    assert sum(path.stat().st_size for path in (FUZZ / "corpus").iterdir()) < 300_000


def test_every_target_is_run() -> None:
    """By the driver, and each with a dictionary that is there."""
    driver = import_module("fuzz")
    kernels = import_module("targets.kernels")
    assert sorted(driver.TARGETS) == sorted([*NAMES, *(f"kernels.{name}" for name in kernels.OBJECTS)])
    for target in driver.TARGETS.values():
        assert not target.dictionary or (FUZZ / "dictionaries" / f"{target.dictionary}.dict").exists()


def test_fixed_runs_begin_with_the_kept_corpus_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In its order, with one seed, and go on from there; what earlier runs have left is no part of it."""
    driver = import_module("fuzz")
    monkeypatch.setattr(driver, "BUILT", tmp_path / "built")
    (tmp_path / "built" / "corpus" / "lines").mkdir(parents=True)
    (tmp_path / "built" / "corpus" / "lines" / "earlier").write_bytes(b"x")
    given = []
    for number in range(2):
        fresh = tmp_path / str(number)
        fresh.mkdir()
        options, (folder,) = driver.corpus_options(driver.TARGETS["lines"], True, fresh)
        assert list(folder.iterdir()) == []
        assert options[:2] == ["-seed=1", f"-runs={driver.TARGETS['lines'].runs}"]
        listed = options[-1].removeprefix("-seed_inputs=@")
        given.append([Path(path).read_bytes() for path in Path(listed).read_text().split(",")])
    assert given[0] == given[1] == kept("lines")
    _, folders = driver.corpus_options(driver.TARGETS["lines"], False, tmp_path)
    assert [path.name for path in folders[0].iterdir()] == ["earlier"]
    for name, target in driver.TARGETS.items():
        assert target.runs > len(kept(name)), name


def test_what_kernels_are_given_is_there() -> None:
    """Their harness is built for fuzzing alone."""
    for given in import_module("targets.kernels").OBJECTS.values():
        assert given()
