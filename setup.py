"""The extension modules; everything else stands in pyproject.toml.

One switch, ``TEMPLATEMINE_BUILD``, sets compiler directives and flags together:
release (default), debug (bounds checks, -O0), trace (line tracing for coverage), asan (the sanitizers of addresses and
of undefined behaviour, as `make sanitize` runs the tests).  Modules are translated and compiled side by side, and what
all of them need of Cython (memoryviews above all) stands once, in a module of its own.
"""

import os
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

# Longest first, so that the last processor is not left alone with it.
MODULES = (
    "_core",
    "matching._match",
    "pages._html",
    "pages._model",
    "pages.baselines._crf",
    "text._scan",
    "cleaning._records",
    "matching._prefilter",
)
UTILITY = "templatemine._cyutility"

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
if mode == "release" and os.name == "posix":
    # Python's own flags ask for debugging symbols, which are nine tenths of what is written.
    compile_args = [*compile_args, "-g0"]

# Which mode was built here last: files of another one are newer than the sources, and would be taken for this one's.
LAST = Path("build", "mode")
force = mode != "release" or (LAST.exists() and LAST.read_text() != mode)
cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Build(build_ext):
    """Side by side, also where the package is installed in place; all anew if the mode is another one."""

    def finalize_options(self):
        super().finalize_options()
        self.parallel = self.parallel or cores

    def run(self):
        self.force = self.force or force
        super().run()
        LAST.parent.mkdir(exist_ok=True)
        LAST.write_text(mode)

    def build_extension(self, ext):
        self.announce(f"compiling {ext.name}", level=2)
        super().build_extension(ext)


def extension(name, source):
    return Extension(name, [source], extra_compile_args=compile_args, extra_link_args=link_args)


def main():
    modules = [extension(f"templatemine.{name}", f"src/templatemine/{name.replace('.', '/')}.pyx") for name in MODULES]
    shared = extension(UTILITY, "src/templatemine/_cyutility.c")
    setup(
        ext_modules=cythonize(
            [*modules, shared],
            force=force,
            nthreads=cores,
            shared_utility_qualified_name=UTILITY,
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
    )


if __name__ == "__main__":
    main()
