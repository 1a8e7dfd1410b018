"""Files for code hosts and contributors say what the project says: versions, commands, tools."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from templatemine import __version__

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
if not WORKFLOWS:
    pytest.skip("a source distribution has none of these files", allow_module_level=True)


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def run_lines() -> list[str]:
    jobs = [job for path in WORKFLOWS for job in read(path)["jobs"].values()]
    return [step["run"] for job in jobs for step in job["steps"] if "run" in step]


def test_tests_and_wheels_are_of_the_same_pythons() -> None:
    tested = read(ROOT / ".github" / "workflows" / "test.yml")["jobs"]["test"]["strategy"]["matrix"]["python"]
    wheels = PROJECT["tool"]["cibuildwheel"]["build"].split()
    named = [row.rpartition(" ")[2] for row in PROJECT["project"]["classifiers"] if re.search(r":: 3\.\d+$", row)]
    assert [f"cp{version.replace('.', '')}-*" for version in tested] == wheels
    assert tested == named
    assert PROJECT["project"]["requires-python"] == f">={tested[0]}"


def test_extras_of_data_frames_bring_what_reads_them() -> None:
    """All frames are read by Arrow, so that pandas alone is of no use."""
    extras = PROJECT["project"]["optional-dependencies"]
    for name in ("tables", "pandas", "spark", "ray"):
        assert any(one.startswith("pyarrow>=") for one in extras[name]), name


def test_workflows_run_targets_that_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    called = {line.split()[1] for line in run_lines() if line.startswith("make ")}
    assert called
    assert called <= targets


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_ask_for_no_secret_and_write_nothing(path: Path) -> None:
    text, workflow = path.read_text(encoding="utf-8"), read(path)
    assert "secrets." not in text
    assert workflow["permissions"] == {"contents": "read"}
    granted = [job.get("permissions", {}) for job in workflow["jobs"].values()]
    assert all(rights in ({}, {"id-token": "write"}) for rights in granted)


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.parametrize("version", [__version__, "0.0.1"])
def test_the_demo_runs_with_what_is_installed(tmp_path: Path, version: str) -> None:
    """It compiled everything again, and replaced the wheel that README says to install by an editable install."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("src/templatemine/_version.py", "pyproject.toml", "setup.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    programs, wheel = tmp_path / ".venv" / "bin", tmp_path / "site" / "templatemine"
    programs.mkdir(parents=True)
    wheel.mkdir(parents=True)
    (wheel / "__init__.py").write_text(f"__version__ = {version!r}\n")
    (wheel / "_core.py").touch()
    log = tmp_path / "log"
    python = f'case "$1" in -c) PYTHONPATH={wheel.parent} exec {sys.executable} "$@";; *) echo "$@" >> {log};; esac'
    for name, script in (("python", python), ("pip", f'echo pip "$@" >> {log}')):
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)
    for _ in range(2):
        subprocess.run(["make", "demo"], cwd=tmp_path, check=True, capture_output=True)
    lines = log.read_text().splitlines()
    assert lines.count("datasets/demo.py demo") == 2
    builds = sum("build_ext" in line for line in lines)
    assert builds == (version != __version__)
    assert builds or len(lines) == 2


def test_hooks_run_tools_of_the_lint_group() -> None:
    installed = {re.split(r"[<>=]", row)[0] for row in PROJECT["dependency-groups"]["lint"] if isinstance(row, str)}
    for hook in read(ROOT / ".pre-commit-config.yaml")["repos"][0]["hooks"]:
        tool = hook["entry"].split()[0].removeprefix(".venv/bin/")
        assert tool in installed | {"python"}, hook["id"]


def test_what_is_slow_has_a_reason() -> None:
    """A comment in the line of the mark, or in one of the four above it."""
    marks = 0
    for path in sorted((ROOT / "tests").rglob("*.py")):
        lines = path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines):
            if re.search(r"\bmark\.slow\b", line):
                marks += 1
                above = "\n".join(lines[max(0, number - 4) : number + 1])
                assert re.search(r"(?:^|  ) *# \w", above, re.MULTILINE), f"{path.name}:{number + 1}: slow for what?"
    assert marks > 0


def test_templates_of_issues_have_what_forms_need() -> None:
    forms = [path for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml"]
    assert forms
    for path in forms:
        form = read(path)
        assert {"name", "description", "body"} <= form.keys()
        names = [field["id"] for field in form["body"] if field["type"] != "markdown"]
        assert len(names) == len(set(names))


def test_the_citation_is_of_this_version() -> None:
    citation = read(ROOT / "CITATION.cff")
    assert citation["version"] == __version__
    assert citation["license"] == PROJECT["project"]["license"]
    assert citation["abstract"] == PROJECT["project"]["description"]


def test_a_missing_compiler_is_told_before_anything_is_translated(tmp_path: Path) -> None:
    """The last line of half a minute was ``[Errno 2] No such file or directory: 'gcc'``."""
    pytest.importorskip("Cython")
    words = [sys.executable, "setup.py", "build_ext", "--build-temp", str(tmp_path), "--build-lib", str(tmp_path)]
    environment = {**os.environ, "CC": "no-such-compiler -m64", "TEMPLATEMINE_BUILD": "release"}
    ran = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 1
    assert ran.stderr.splitlines()[-1].startswith(
        "templatemine is compiled, and a C compiler (no-such-compiler) cannot be found; Debian, Ubuntu: apt install gcc"
    )
    assert "Compiling" not in ran.stdout
