"""Fuzz: run targets for some seconds each, from the kept corpus, and count what was run.

    python fuzz/fuzz.py --seconds 60              all targets, as many at a time as there are processors
    python fuzz/fuzz.py --seconds 600 pages       one of them
    python fuzz/fuzz.py --sanitize                with the sanitizers of addresses and of undefined behaviour
    python fuzz/fuzz.py --replay FILE pages       one input again, with what it breaks
    python fuzz/fuzz.py --fixed --seconds 40      the same inputs each time, in 40 s at the most
    python fuzz/fuzz.py --keep                    the inputs of all runs that reach most, into the kept corpus

An execution is one call of a target with one input.  A target that ends before its time has found something: its input
is in build/fuzz/findings, and the exit code is 1.  Counts of all runs are added to build/fuzz/counts.jsonl.  The native core
is that of build/fuzz/plain or build/fuzz/asan, which `make fuzz` builds.
"""

from __future__ import annotations

import argparse
import base64
import ctypes
import hashlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import accumulate
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HERE, BUILT = ROOT / "fuzz", ROOT / "build" / "fuzz"
KEPT = 24_000
"""Characters of the file of each target in the kept corpus."""

TIMEOUT, MEMORY = 120, 4096
"""Seconds and MB after which an input is a finding; the former by the clock, which other processes use as well."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """What a module of fuzz/targets is run with.

    longest : bytes of an input; what finds most in a given time is short.
    runs : executions under `--fixed`, 80 % of those that 25 s came to in the build with sanitizers.
    dictionary : file of fuzz/dictionaries.
    """

    name: str
    longest: int
    runs: int
    dictionary: str


TARGETS = {
    target.name: target
    for target in (
        Target(name="kernels.scan", longest=160, runs=490_000, dictionary="text"),
        Target(name="kernels.match", longest=200, runs=410_000, dictionary="text"),
        Target(name="kernels.lines", longest=160, runs=1_180_000, dictionary="json"),
        Target(name="scanner", longest=256, runs=240_000, dictionary="text"),
        Target(name="matcher", longest=256, runs=136_000, dictionary="text"),
        Target(name="lines", longest=512, runs=400_000, dictionary="json"),
        Target(name="mining", longest=192, runs=10_000, dictionary=""),
        Target(name="cleaning", longest=192, runs=2_400, dictionary=""),
        Target(name="packs", longest=256, runs=700, dictionary=""),
        Target(name="pages", longest=2048, runs=4_900, dictionary="html"),
        Target(name="readers", longest=2048, runs=2_200, dictionary="readers"),
        Target(name="expressions", longest=192, runs=2_000, dictionary=""),
    )
}


@dataclass(frozen=True, kw_only=True)
class Count:
    """What a run of a target came to."""

    target: str
    date: str
    sanitized: bool
    seconds: float
    executions: int
    edges: int
    finding: bool


def environment(sanitize: bool, fixed: bool = False) -> dict[str, str]:
    """Where Python finds the build and the targets, and the runtime of libFuzzer that must be loaded first; with `fixed`
    nothing else, as what stands there moves addresses."""
    spec = importlib.util.find_spec("atheris")
    if spec is None or spec.origin is None:
        raise SystemExit("expected Atheris to be installed: pip install --group fuzz")
    runtime = Path(spec.origin).parents[1] / f"{'asan' if sanitize else 'ubsan'}_with_fuzzer.so"
    build = BUILT / ("asan" if sanitize else "plain")
    if not (build / "templatemine").exists():
        raise SystemExit(f"expected the fuzzed build at {build.relative_to(ROOT)}: make fuzz")
    paths = [build, HERE, *(ROOT / "tests" / name for name in ("", "native", "properties"))]
    return {
        **({"PATH": os.environ.get("PATH", "")} if fixed else os.environ),
        "TEMPLATEMINE_FUZZING": "1",
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "PYTHONHASHSEED": "0",
        "LD_PRELOAD": str(runtime),
        # An allocation a byte too short is seen only where each is one of its own.
        **({"PYTHONMALLOC": "malloc"} if sanitize else {}),
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:handle_abort=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }


def command(target: Target, options: Sequence[str], paths: Sequence[Path]) -> list[str]:
    dictionary = [f"-dict={HERE / 'dictionaries' / target.dictionary}.dict"] if target.dictionary else []
    limits = [f"-max_len={target.longest}", f"-timeout={TIMEOUT}", f"-rss_limit_mb={MEMORY}"]
    module, *which = target.name.split(".")
    return [sys.executable, "-m", f"targets.{module}", *which, *map(str, paths), *options, *limits, *dictionary]


def kept(name: str) -> Iterator[bytes]:
    """The inputs of a target that are part of the repository, one in base64 a line."""
    path = HERE / "corpus" / f"{name}.txt"
    for line in path.read_text("ascii").splitlines() if path.exists() else ():
        yield base64.b64decode(line)


def unpacked(name: str) -> tuple[Path, Path]:
    """The folder that runs add to, and that of the kept inputs."""
    own, given = BUILT / "corpus" / name, BUILT / "kept" / name
    for folder in (own, given):
        folder.mkdir(parents=True, exist_ok=True)
    for data in kept(name):
        (given / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)
    return own, given


def corpus_options(target: Target, fixed: bool, fresh: Path) -> tuple[list[str], list[Path]]:
    """Options and folders of the inputs that a run begins with: all that there are, or those of the repository alone, in
    their order and with the same choices each time.  What it finds goes into the first folder."""
    if not fixed:
        return [], [*unpacked(target.name)]
    (fresh / "found").mkdir()
    (fresh / "inputs").mkdir()
    inputs = []
    for number, data in enumerate(kept(target.name)):
        inputs.append(fresh / "inputs" / f"{number:04}")
        inputs[-1].write_bytes(data)
    (fresh / "list").write_text(",".join(map(str, inputs)))
    # Folders are read in any order, and again each second.
    return ["-seed=1", f"-runs={target.runs}", "-reload=0", f"-seed_inputs=@{fresh / 'list'}"], [fresh / "found"]


def same_addresses() -> None:
    """Have the processes that are started from here on lie at the same places in memory, where the system lets them:
    sets of objects are ordered by these."""
    ctypes.CDLL(None).personality(_ADDR_NO_RANDOMIZE)


_ADDR_NO_RANDOMIZE = 0x0040000
"""Of linux/personality.h."""


def fuzzed(target: Target, seconds: int, sanitize: bool, fixed: bool) -> Count:
    """Run a target, tell how it went, and count it."""
    start = time.monotonic()
    for folder in ("findings", "logs"):
        (BUILT / folder).mkdir(parents=True, exist_ok=True)
    log = BUILT / "logs" / f"{target.name}{'.sanitized' if sanitize else ''}.log"
    findings = f"-artifact_prefix={BUILT / 'findings' / target.name}-"
    with open(log, "wb") as file, tempfile.TemporaryDirectory(prefix="templatemine-fuzz-") as fresh:
        more, folders = corpus_options(target, fixed, Path(fresh))
        options = [f"-max_total_time={seconds}", "-print_final_stats=1", findings, *more]
        done = subprocess.run(
            command(target, options, folders), env=environment(sanitize, fixed), stdout=file, stderr=file, cwd=BUILT
        )
    told = log.read_text("utf-8", "replace")
    numbers = [int(number) for number in re.findall(r"^#(\d+)\s", told, re.MULTILINE)]
    edges = [int(number) for number in re.findall(r" cov: (\d+) ", told)]
    count = Count(
        target=target.name,
        date=time.strftime("%Y-%m-%d", time.gmtime()),
        sanitized=sanitize,
        seconds=round(time.monotonic() - start, 1),
        executions=max(numbers, default=0),
        edges=max(edges, default=0),
        finding=done.returncode != 0 and "libFuzzer: run interrupted" not in told,
    )
    with open(BUILT / "counts.jsonl", "a") as file:
        file.write(json.dumps(asdict(count)) + "\n")
    rate = count.executions / count.seconds
    print(f"{target.name:12} {count.executions:12,} executions {rate:9,.0f}/s {count.edges:6,} edges", flush=True)
    if count.finding:
        print(f"{target.name}: found something ({log.relative_to(ROOT)}):\n{_end_of(told)}", flush=True)
    return count


def _end_of(told: str) -> str:
    """What broke, and on which input: the traceback or the report of a sanitizer, without libFuzzer's progress."""
    lines = [line for line in told.splitlines() if not re.match(r"#\d+\s|\"|INFO:|WARNING:|stat::", line)][-40:]
    written = re.search(r"Test unit written to (\S+)", told)
    if written:
        lines.append(f"in base64: {base64.b64encode(Path(written[1]).read_bytes()).decode()}")
    return "\n".join(f"    {line}" for line in lines)


def keep(target: Target, sanitize: bool) -> None:
    """Of all inputs those that reach something no smaller one does, smallest first, up to `KEPT`."""
    own, given = unpacked(target.name)
    merged = BUILT / "merged" / target.name
    merged.mkdir(parents=True, exist_ok=True)
    for path in merged.iterdir():
        path.unlink()
    subprocess.run(
        command(target, ["-merge=1"], [merged, given, own]),
        env=environment(sanitize),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    inputs = sorted((path.read_bytes() for path in merged.iterdir()), key=lambda data: (len(data), data))
    if not inputs:
        raise SystemExit(f"{target.name}: expected inputs to keep, found none")
    lines = [base64.b64encode(data).decode() + "\n" for data in inputs]
    held = [line for line, end in zip(lines, accumulate(map(len, lines)), strict=True) if end <= KEPT]
    (HERE / "corpus" / f"{target.name}.txt").write_text("".join(held), "ascii")
    print(f"{target.name:12} kept {len(held):,} of {len(inputs):,} inputs", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)}; default all")
    parser.add_argument("--seconds", type=int, default=60, help="of each target (60)")
    parser.add_argument("--sanitize", action="store_true")
    parser.add_argument("--fixed", action="store_true", help="the same inputs each time, as many as 20 s take")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="targets at a time")
    parser.add_argument("--replay", type=Path)
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    unknown = set(arguments.targets) - set(TARGETS)
    if unknown:
        parser.error(f"no target {min(unknown)}; expected some of {', '.join(TARGETS)}")
    targets = [TARGETS[name] for name in arguments.targets or TARGETS]
    if arguments.replay is not None:
        (target,) = targets
        again = command(target, [], [arguments.replay.resolve()])
        raise SystemExit(subprocess.run(again, env=environment(arguments.sanitize)).returncode)
    if arguments.fixed:
        same_addresses()
    with ThreadPoolExecutor(arguments.jobs) as pool:
        if arguments.keep:
            list(pool.map(lambda target: keep(target, arguments.sanitize), targets))
            return
        counts = list(
            pool.map(lambda target: fuzzed(target, arguments.seconds, arguments.sanitize, arguments.fixed), targets)
        )
    found = [count.target for count in counts if count.finding]
    total = sum(count.executions for count in counts)
    print(f"{total:,} executions; " + (f"findings in {', '.join(found)}" if found else "nothing found"))
    raise SystemExit(bool(found))


if __name__ == "__main__":
    main()
