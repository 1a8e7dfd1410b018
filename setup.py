"""The extension modules; everything else is in pyproject.toml.

One switch, ``TEMPLATEMINE_BUILD``, sets compiler directives and flags together:
release (default), debug (bounds checks, -O0), trace (line tracing for coverage), asan (the sanitizers of addresses and
of undefined behaviour, as `make sanitize` runs the tests), fuzz and fuzz-asan (of clang: what libFuzzer has to know of
the paths taken, without and with the sanitizers, and a module more; `make fuzz`).  Modules are translated and compiled
in parallel, a line of output a step, and what all of them need of Cython (memoryviews above all) is in a module of its
own.
"""

import os
import shlex
import shutil
import sysconfig
from contextlib import redirect_stdout
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build import build
from setuptools.command.build_ext import build_ext
from setuptools.modified import newer_group

# One idea each.  Longest first, so that the last processor is not left alone with it.  -O3 where it saves instructions
# against -O2, as measured on whole commands (bench/README.md); elsewhere it only makes code longer.
MODULES = {
    "_core": "-O3",  # repeats: suffix array and LCP, growing strings, versions of documents
    "pages._html": "-O3",  # a page into blocks
    "matching._automaton": "-O2",  # finding: the sieve on bytes, the automaton, fillers of slots
    "mining._candidates": "-O3",  # segments and labels, their features, cues
    "pages._blocks": "-O3",  # features of blocks, and what elements hand down
    "pages.baselines._systems": "-O3",  # what only the systems of the papers compute
    "text._scan": "-O3",  # tokens: patterns, normal forms, the scanner, the tokeniser
    "pages._scores": "-O3",  # the forest, smoothing, which blocks are main text
    "text._reading": "-O3",  # the reading form of a text, and the way back
    "cleaning._records": "-O3",  # lines of JSON in, cleaned lines out
    "matching._cutting": "-O2",  # from matches to the text without them
}
UTILITY = "templatemine._cyutility"

MODES = {
    "release": ([], [], {}),
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
    "fuzz": (["-O2", "-g1", "-w", "-fsanitize=fuzzer-no-link"], [], {}),
    # The runtime is that of Atheris, which is loaded before Python; see fuzz/fuzz.py.  Python calls functions of two
    # arguments by pointers to ones of three, which newer versions of clang hold against it.
    "fuzz-asan": (
        [
            *("-O1", "-g1", "-w", "-fsanitize=fuzzer-no-link,address,undefined"),
            *("-fno-sanitize-recover=undefined", "-fno-sanitize=function", "-fno-omit-frame-pointer"),
        ],
        ["-fsanitize=address,undefined"],
        {},
    ),
}

mode = os.environ.get("TEMPLATEMINE_BUILD", "release")
if mode not in MODES:
    raise SystemExit(f"TEMPLATEMINE_BUILD: expected one of {', '.join(MODES)}, got {mode!r}")
compile_args, link_args, directives = MODES[mode]
if mode == "release" and os.name == "posix":
    # Python's own flags ask for debugging symbols, which are nine tenths of what is written.  Warnings are of code that
    # Cython writes; the other modes show them.
    compile_args = ["-g0", "-w"]

# Which mode was built here last: files of another one are newer than the sources, and would be taken for this one's.
LAST = Path("build", "mode")
force = mode != "release" or (LAST.exists() and LAST.read_text() != mode)
cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Lines:
    """Standard output by whole lines, since steps run in parallel, and at once, since a pipe would hold them back.

    Cython's list of what has changed is left out: the next lines name the same files.
    """

    def __init__(self):
        self.rest = ""

    def write(self, text):
        *lines, self.rest = (self.rest + text).split("\n")
        for line in lines:
            if not line.startswith("Compiling "):
                os.write(1, f"{line}\n".encode())

    def flush(self):
        pass


def require_compiler():
    """End with what to install, before half a minute of translating, if there is no C compiler or no header of Python.

    pip shows only the end of what is written here, and a compiler that is missing is an [Errno 2] there.
    """
    if os.name != "posix":
        return
    program = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]
    header = Path(sysconfig.get_path("include"), "Python.h")
    missing = [] if shutil.which(program) else [f"a C compiler ({program})"]
    missing += [] if header.exists() else [f"the headers of Python ({header})"]
    if missing:
        raise SystemExit(
            f"templatemine is compiled, and {' and '.join(missing)} cannot be found; Debian, Ubuntu: apt install gcc "
            "python3-dev; Fedora: dnf install gcc python3-devel; macOS: xcode-select --install"
        )


class Build(build_ext):
    """In parallel, also where the package is installed in place; all anew if the mode is another one."""

    def finalize_options(self):
        super().finalize_options()
        self.parallel = self.parallel or cores
        if self.editable_mode:
            # Not the temporary folders of an editable installation: what was compiled here before need not be again.
            plain = build(self.distribution)
            plain.ensure_finalized()
            self.build_lib, self.build_temp = plain.build_lib, plain.build_temp

    def run(self):
        require_compiler()
        self.force = self.force or force
        with redirect_stdout(Lines()):
            self.translate()
            super().run()
        LAST.parent.mkdir(exist_ok=True)
        LAST.write_text(mode)

    def translate(self):
        """Cython to C: here and not for every command, since neither a source distribution nor metadata need it."""
        translated = cythonize(
            self.extensions,
            force=self.force,
            include_path=["src"],
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
        )
        sources = {ext.name: ext.sources for ext in translated}
        for ext in self.extensions:
            ext.sources = sources[ext.name]

    def build_extensions(self):
        self.due = [ext.name for ext in self.extensions if self.force or self.outdated(ext)]
        super().build_extensions()

    def outdated(self, ext):
        return newer_group([*ext.sources, *ext.depends], self.get_ext_fullpath(ext.name))

    def build_extension(self, ext):
        if ext.name in self.due:
            print(f"[{self.due.index(ext.name) + 1}/{len(self.due)}] Compiling {ext.sources[0]}")
        super().build_extension(ext)


def extension(name, source, level="-O2"):
    own = [level] if mode == "release" and os.name == "posix" else []
    return Extension(name, [source], extra_compile_args=[*compile_args, *own], extra_link_args=link_args)


modules = [
    extension(f"templatemine.{name}", f"src/templatemine/{name.replace('.', '/')}.pyx", level)
    for name, level in MODULES.items()
]
if mode.startswith("fuzz"):
    modules.append(extension("fuzz_kernels", "fuzz/kernels.pyx"))
shared = extension(UTILITY, "src/templatemine/_cyutility.c")

# Cython's processes may read this file again.
if __name__ == "__main__":
    setup(ext_modules=[*modules, shared], cmdclass={"build_ext": Build})
