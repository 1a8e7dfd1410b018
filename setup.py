"""The extension modules; everything else stands in pyproject.toml.

One switch, ``TEMPLATEMINE_BUILD``, sets compiler directives and flags together:
release (default), debug (bounds checks, -O0), trace (line tracing for coverage), asan (the sanitizers of addresses and
of undefined behaviour, as `make sanitize` runs the tests).
"""

import os
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

MODULES = (
    *("_memory", "_tables", "_marks", "_tags", "_forms", "_text", "_utf8"),
    *("_core", "_strings", "_grow", "_count"),
    *("_automaton", "_cut", "_intervals", "_fillers", "_clues", "_sieve", "_spans", "_lines"),
    *("_markup", "_paths", "_words", "_state", "_blocks", "_pages", "_forest"),
    *("_smooth", "_single", "_runs", "_crf"),
)

MODES = {
    "release": (["-O3"], [], {}),
    "debug": (["-O0", "-g"], [], {"boundscheck": True, "initializedcheck": True, "cdivision": False}),
    "trace": (
        ["-O0", "-g", "-DCYTHON_TRACE_NOGIL=1", "-DCYTHON_USE_SYS_MONITORING=0"],
        [],
        {"linetrace": True, "boundscheck": True},
    ),
    "asan": (
        # What is undefined ends the process: pytest throws away the line on standard error of a test that passes.
        ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer"],
        ["-fsanitize=address,undefined"],
        {},
    ),
}

mode = os.environ.get("TEMPLATEMINE_BUILD", "release")
if mode not in MODES:
    raise SystemExit(f"TEMPLATEMINE_BUILD: expected one of {', '.join(MODES)}, got {mode!r}")
compile_args, link_args, directives = MODES[mode]

# Which mode was built here last: files of another one are newer than the sources, and would be taken for this one's.
LAST = Path("build", "mode")
force = mode != "release" or (LAST.exists() and LAST.read_text() != mode)


class Build(build_ext):
    """All anew if the mode is another one."""

    def run(self):
        self.force = self.force or force
        super().run()
        LAST.parent.mkdir(exist_ok=True)
        LAST.write_text(mode)


setup(
    ext_modules=cythonize(
        [
            Extension(
                f"templatemine.{name}",
                [f"src/templatemine/{name}.pyx"],
                extra_compile_args=compile_args,
                extra_link_args=link_args,
            )
            for name in MODULES
        ],
        force=force,
        compiler_directives={
            "language_level": 3,
            "boundscheck": False,
            "initializedcheck": False,
            "wraparound": False,
            "cdivision": True,
            "embedsignature": True,
            "autotestdict": False,
            **directives,
        },
    ),
    cmdclass={"build_ext": Build},
    options={"build_ext": {"parallel": True}},
)
