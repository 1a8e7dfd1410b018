"""The table of bounds: it names every number of the records, and the command line, the file of defaults and Python keep
to it alike."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from templatemine.api import Packs, mine
from templatemine.bounds import NUMBERS, WORDS, check_jobs
from templatemine.cleaning.cleaners import Cleaners
from templatemine.cli.app import COMMANDS, command_parser, run
from templatemine.cli.number_types import parse_size
from templatemine.config import CleanConfig, MineConfig, PageConfig, PipelineConfig, ReadConfig, SelectConfig
from templatemine.errors import ConfigError, CorpusError
from templatemine.model import Document
from templatemine.pipeline import Miner

MODULES = ("config", "archive.run", "archive.update", "archive.window", "archive.sort", "cleaning.drift")
RECORDS = {
    name: record
    for module in MODULES
    for name, record in vars(import_module(f"templatemine.{module}")).items()
    if is_dataclass(record) and name.endswith("Config") and name != "ResolvedConfig"
}


def rows() -> Iterator[tuple[str, str, Any]]:
    for name, record in RECORDS.items():
        for one in fields(record):
            yield name, one.name, one


def made(record: str, **values: Any) -> Any:
    needed = {"today": "2026-01-01"} if record == "UpdateConfig" else {}
    return RECORDS[record](**{**needed, **values})


def test_every_number_has_a_row() -> None:
    numbers = {f"{record}.{name}" for record, name, one in rows() if str(one.type).split(" | ")[0] in ("int", "float")}
    assert numbers == {row for row in NUMBERS if row.partition(".")[0] in RECORDS}


@pytest.mark.parametrize("record", RECORDS)
def test_records_take_nothing_of_another_type(record: str) -> None:
    for one in fields(RECORDS[record]):
        with pytest.raises(ConfigError, match=f"{one.name}: expected"):
            made(record, **{one.name: object()})


@pytest.mark.parametrize("row", [row for row in NUMBERS if row.partition(".")[0] in RECORDS])
def test_records_keep_to_their_rows(row: str) -> None:
    record, name = row.split(".")
    bounds = NUMBERS[row]
    wrong = [bounds.least - 1, bounds.most * 2 + 1, math.nan, math.inf, -math.inf, "3", True, 10**5000]
    wrong += [bounds.least + 0.5] if bounds.whole else [1e-320] if bounds.least > 0 else []
    for value in wrong:
        with pytest.raises(ConfigError, match="expected .*, got"):
            made(record, **{name: value})
    for value in (bounds.least, bounds.most):
        made(record, **{name: int(value) if bounds.whole else value})


@pytest.mark.parametrize("row", WORDS)
def test_records_keep_to_their_words(row: str) -> None:
    record, name = row.split(".")
    with pytest.raises(ConfigError, match=f"{name}: expected .* or .*, got 'x'"):
        made(record, **{name: "x"})
    assert getattr(made(record), name) == WORDS[row][0]


def test_what_was_given_is_told() -> None:
    for wrong, told in (
        (lambda: MineConfig(min_docs=0), "min_docs: expected a whole number of at least 1, got 0"),
        (lambda: CleanConfig(gap=2.5), "gap: expected a whole number, got 2.5"),  # type: ignore[arg-type]
        (lambda: CleanConfig(html="x"), "html: expected main or strip, got 'x'"),
        (lambda: MineConfig(min_share=-0.1), "min_share: expected a number from 0 to 1, got -0.1"),
        (
            lambda: SelectConfig(caution=math.inf),
            "caution: expected a number of at most 100, got inf; 3 is careful, and",
        ),
        (lambda: PageConfig(keep="some"), "keep: expected main or all, got 'some'"),
        (lambda: ReadConfig(text_field=3), "text_field: expected a string, got 3"),  # type: ignore[arg-type]
        (lambda: PipelineConfig(mine=5), "mine: expected a MineConfig, got 5"),  # type: ignore[arg-type]
        (lambda: check_jobs(2**31), "jobs: expected a whole number of at most 1,024, got 2147483648"),
        (lambda: mine([], {"gap": 3}), "config: expected a PipelineConfig, got {'gap': 3}"),  # type: ignore[arg-type]
        (lambda: Miner(5), "config: expected a PipelineConfig, got 5"),  # type: ignore[arg-type]
        (lambda: Cleaners({}, "x"), "config: expected a CleanConfig, got 'x'"),  # type: ignore[arg-type]
        (lambda: Packs().report("r.html", config={}), "config: expected a ReportConfig, got {}"),  # type: ignore[arg-type]
        (lambda: Miner(jobs=1.5), "jobs: expected a whole number, got 1.5"),  # type: ignore[arg-type]
    ):
        with pytest.raises(ConfigError, match=told):
            wrong()


@pytest.mark.parametrize("name", ["source", "id", "text", "html", "url", "date", "title"])
def test_documents_are_of_strings(name: str) -> None:
    with pytest.raises(CorpusError, match=f"{name}: expected a string, got 5"):
        Document(**{"source": "s", "id": "1", "text": "t", name: 5})  # type: ignore[arg-type]


def numeric_options() -> Iterator[tuple[str, argparse.Action]]:
    for command in COMMANDS:
        for action in command_parser(command)._actions:
            if callable(action.type) and action.metavar in ("N", "X", "P", "SHARE", "SIZE", "MIB", "DAYS", "S"):
                yield command, action


@pytest.mark.parametrize(
    ("command", "action"), [pytest.param(c, a, id=f"{c}{a.option_strings[0]}") for c, a in numeric_options()]
)
def test_numbers_of_the_command_line_are_bounded(command: str, action: argparse.Action) -> None:
    parser = command_parser(command)
    for text in ("99999999999999999999", "-1e400", "nan", "1" * 5000, "", "½"):
        with pytest.raises(argparse.ArgumentError, match="expected"):
            parser._get_value(action, text)


def test_sizes_are_bounded() -> None:
    assert parse_size("2G") == 2 << 30
    with pytest.raises(argparse.ArgumentTypeError, match="expected a size of at most 256T, got '99999999999T'"):
        parse_size("99999999999T")


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("caution = 1e-320", "mine.caution: expected a number above 0, "),
        ("min-docs = 99999999999999999999", "mine.min-docs: .*at most 2,147,483,647"),
        ("jobs = 2147483648", "mine.jobs: .*at most 1,024"),
        ('memory = "99999999999T"', "mine.memory: .*at most 256T"),
    ],
)
def test_the_file_of_defaults_is_bounded(
    option: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("templatemine.toml").write_text(f"[mine]\n{option}\n")
    assert run(["mine", "a.jsonl", "-o", "packs"]) == 2
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1
    import re

    assert re.search(told, err), err
