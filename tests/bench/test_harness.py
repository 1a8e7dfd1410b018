"""The benchmark's own arithmetic: statistics, claims, what becomes of rows that fail, the page of tables."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

import harness  # noqa: E402
from figures import FIGURES  # noqa: E402
from figures.growth import fit_exponent  # noqa: E402
from harness import GROUPS, Bench, Claim, Figure, Measure, explain_failure, summarize_runs  # noqa: E402
from results_page import render_results  # noqa: E402

ROW = {"figure": "f", "data": "generated", "variant": ""}
OURS = {**ROW, "contender": "templatemine", **summarize_runs([2.0, 1.0, 4.0], [8_000_000] * 3), "peak_memory_mb": 10.0}
THEIRS = {**ROW, "contender": "other", **summarize_runs([1.0, 1.0], [8_000_000] * 2), "peak_memory_mb": 20.0}


def measure(work: Any, **options: Any) -> Measure:
    return Measure(figure="f", data="generated", contender="templatemine", work=work, **options)


def figure(*claims: Claim) -> Figure:
    return Figure(
        name="f", title="A figure", description="What it is.", measures=(measure(lambda bench: {}),), claims=claims
    )


RATIO = Claim(text="speed", value=lambda rows: rows.speed() / rows.speed("other"), goal=2.0, unit="x")


def test_statistics() -> None:
    facts = summarize_runs([2.0, 1.0, 4.0], [8_000_000, 2_000_000, 8_000_000])
    assert (facts["runs"], facts["min_s"], facts["median_s"]) == (3, 1.0, 2.0)
    assert (facts["mb_per_s"], facts["mb_per_s_best"], facts["megabytes"]) == (2.0, 4.0, 6.0)
    assert "mb_per_s" not in summarize_runs([1.0])


def test_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(harness, "WARM_BELOW", 0.0)
    given: list[int] = []
    bench = Bench(folder=tmp_path)
    record = bench.time(given.append, prepare=lambda: len(given), max_runs=3, size=5)
    assert (given, record["runs"]) == ([0, 1, 2], 3)
    monkeypatch.setattr(harness, "WARM_BELOW", 60.0)
    assert bench.time(lambda: None, max_runs=4)["runs"] == 4
    slow = bench.time(lambda: 2_000_000, max_runs=3)
    assert slow["megabytes"] == 2.0
    assert slow["peak_memory_mb"] >= slow["memory_before_mb"] > 5


def test_a_program_that_fails_is_an_error(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import sys; sys.exit('no luck')"]
    with pytest.raises(RuntimeError, match="no luck"):
        Bench(folder=tmp_path).time_program(command)


def test_missing_contenders_are_told(tmp_path: Path) -> None:
    row = measure(lambda bench: {}, needs=("no_such_module_anywhere",))
    record = harness.measure_here(row, Bench(folder=tmp_path))
    assert record["missing"].startswith("no_such_module_anywhere: ")
    page = render_results([figure(RATIO)], [{**record, "contender": "other"}, OURS], {}, [])
    assert "missing: no_such_module_anywhere" in page
    assert "| f | generated | speed | >= 2 x |  |  | not measured |" in page


def one_record(row: Measure, code: str) -> harness.Record:
    (record,) = harness.measure_in_turn([row], [sys.executable, "-c", code])
    return record


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("import sys; sys.exit('it broke')", "failed: it broke"),
        ("import time; time.sleep(60)", "failed: did not finish in 1 s"),
        ("import os; os.abort()", "failed: ended with -6"),
        (
            "print('turn'); import sys; sys.stdout.close(); sys.exit('it died while it waited')",
            "failed: it died while it waited",
        ),
    ],
)
def test_whatever_becomes_of_a_process_there_is_a_record(code: str, told: str) -> None:
    row = measure(lambda bench: {}, limit=1.0 if "sleep" in code else 30.0)
    record = one_record(row, code)
    assert explain_failure(record) == told
    assert record["contender"] == "templatemine"


TAKES_TURNS = """
import json, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from harness import Bench, wait_for_turn
log, number = Path(sys.argv[2]), int(sys.argv[3].split("|")[2])
def run():
    with log.open("a") as lines:
        lines.write(f"{number}\\n")
print(json.dumps(Bench(folder=log.parent, turn=wait_for_turn).time(run, max_runs=number)))
"""


def test_rows_take_turns(tmp_path: Path) -> None:
    rows = [replace(measure(lambda bench: {}), variant=str(number)) for number in (3, 5)]
    log = tmp_path / "log"
    command = [sys.executable, "-c", TAKES_TURNS, str(ROOT / "bench"), str(log)]
    records = harness.measure_in_turn(rows, command)
    assert [(record["variant"], record["runs"]) for record in records] == [("3", 3), ("5", 5)]
    warm_up_and_runs = [3, 5] * 4
    assert [int(line) for line in log.read_text().split()] == [*warm_up_and_runs, 5, 5]


def test_a_row_whose_runner_has_ended_ends(tmp_path: Path) -> None:
    command = [sys.executable, "-c", TAKES_TURNS, str(ROOT / "bench"), str(tmp_path / "log"), "f|generated|3|us"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (1, b"turn\n")
    assert b"the runner has ended" in done.stderr


def test_a_record_is_the_last_line_of_the_process(tmp_path: Path) -> None:
    code = "import json, sys; print('noise'); print(json.dumps({'key': sys.argv[1]}))"
    record = one_record(measure(lambda bench: {}), code)
    assert record["key"] == "f|generated||templatemine"
    harness.append_record(record, tmp_path / "new" / "lines.jsonl")
    harness.append_record(record, tmp_path / "new" / "lines.jsonl")
    lines = (tmp_path / "new" / "lines.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == [record] * 2


def test_claims() -> None:
    assert (RATIO.evaluate([OURS, THEIRS]), RATIO.evaluate([OURS, THEIRS], best=True)) == (0.5, 1.0)
    assert RATIO.evaluate([OURS]) is None
    assert RATIO.evaluate([OURS, {**ROW, "contender": "other", "failed": "x"}]) is None
    assert RATIO.is_met(2.0)
    assert not RATIO.is_met(1.9)
    assert replace(RATIO, at_least=False).is_met(1.9)


def test_exponent() -> None:
    assert fit_exponent([1, 2, 4, 8], [3 * size**1.25 for size in (1, 2, 4, 8)]) == pytest.approx(1.25)


def test_the_page() -> None:
    crowded = {**THEIRS, "processor_share": 0.5}
    page = render_results([figure(RATIO)], [OURS, crowded], {"date": "today"}, ["a | note"])
    assert "- **date**: today" in page
    assert "| f | generated | speed | >= 2 x | 0.5 | 1 | **short** |" in page
    assert "- f, generated: speed: 0.5, asked >= 2 x" in page
    assert "- f, generated: other is 2 times as fast as we are" in page
    assert "got 50% of a processor" in page
    assert "| generated | other | 8 | 2 | 1 | 1 | 8 | 8 | 0.5 | 20 | got 50% of a processor |" in page
    assert "Nowhere, in these rows." in render_results([figure()], [OURS], {}, [])


def test_rows_have_names_of_their_own() -> None:
    rows = [row for one in FIGURES for row in one.measures]
    assert len({row.key for row in rows}) == len(rows)
    for one in FIGURES:
        assert {row.figure for row in one.measures} == {one.name}
        assert {row.data for row in one.measures} <= set(GROUPS)
        assert any(row.contender == one.reference for row in one.measures)


def test_what_a_program_works_on_is_made_anew_for_each_run(tmp_path: Path) -> None:
    """A program that fails if its file is there already, as it is after a run."""
    made = tmp_path / "made"
    command = [sys.executable, "-c", "import sys; open(sys.argv[1], 'x')", str(made)]
    record = Bench(folder=tmp_path).time_program(command, prepare=lambda: made.unlink(missing_ok=True), max_runs=3)
    assert record["runs"] == 3
    assert made.exists()
    with pytest.raises(RuntimeError, match="FileExistsError"):
        Bench(folder=tmp_path).time_program(command)
