"""What figures depend on: processor, memory, compiler and its flags, versions, the state of the code."""

from __future__ import annotations

import ast
import os
import platform
import subprocess
import sysconfig
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

__all__ = ["CONTENDERS", "describe_machine"]

ROOT = Path(__file__).resolve().parent.parent
CONTENDERS = ("pydivsufsort", "regex", "google-re2", "hyperscan", "resiliparse", "trafilatura", "orjson")
LIBRARIES = ("templatemine", "numpy", "cython")


def describe_machine() -> dict[str, str]:
    """Facts by name, for the head of the results."""
    return {
        "processor": f"{_describe_processor()}, {len(os.sched_getaffinity(0))} cores, {_memory()} GB of memory",
        "system": f"{platform.system()} {platform.machine()}, {' '.join(platform.libc_ver())}",
        "python": f"{platform.python_implementation()} {platform.python_version()}, {platform.python_compiler()}",
        "compiler flags": f"{sysconfig.get_config_var('CC')} {sysconfig.get_config_var('CFLAGS')} {_read_release_flags()}",
        "packages": ", ".join(_describe_version(name) for name in (*LIBRARIES, *CONTENDERS)),
        "code": _describe_commit(),
    }


def _describe_processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown processor"
    facts = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    wide = [flag for flag in ("avx2", "avx512bw") if flag in facts.get("flags", "").split()]
    numbers = f"family {facts.get('cpu family', '?')} model {facts.get('model', '?')}"
    return f"{facts.get('model name', 'unknown')} ({', '.join([numbers, *wide])})"


def _memory() -> int:
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9)


def _read_release_flags() -> str:
    """What setup.py adds for the build that it is asked for."""
    mode = os.environ.get("TEMPLATEMINE_BUILD", "release")
    for node in ast.parse((ROOT / "setup.py").read_text(encoding="utf-8")).body:
        if (
            isinstance(node, ast.Assign)
            and ast.unparse(node.targets[0]) == "MODES"
            and isinstance(node.value, ast.Dict)
        ):
            for key, value in zip(node.value.keys, node.value.values, strict=True):
                if isinstance(value, ast.Tuple) and isinstance(key, ast.Constant) and key.value == mode:
                    return " ".join(ast.literal_eval(value.elts[0]))
    return "(flags of setup.py not found)"


def _describe_version(name: str) -> str:
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"{name} {_own_version()}" if name == "templatemine" else f"{name} missing"


def _own_version() -> str:
    from templatemine import __version__

    return __version__


def _describe_commit() -> str:
    try:
        commit = _run_git("rev-parse", "--short", "HEAD").strip()
        return f"{commit} with changes" if _run_git("status", "--porcelain", "src", "setup.py") else commit
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _run_git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout
