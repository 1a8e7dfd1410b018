# Two commands do everything on a fresh machine with Python 3.11 or newer, a C compiler and make:
#   make demo    build, if it is not installed, make a sample archive, mine it, clean articles it has not seen
#   make test    build and run all tests
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Files of tests side by side; those of one file share what they have mined.
BESIDE := --numprocesses auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder
# Those that nothing may run beside: to look for them in all files takes a quarter of a minute.
ALONE := $(shell grep -rl "mark\.alone" tests --include="*.py")
NATIVE := $(shell find src/templatemine -name "*.pyx" -o -name "*.pxd")

.PHONY: demo test test-all sanitize fuzz lint docs man dist wheel bench quality suites loso labels interop gate clean

# Compiled by a command of its own, since pip shows nothing of what it does; pip then finds it done.
$(VENV)/installed: pyproject.toml setup.py $(NATIVE)
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version)'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/pip install --quiet --group compile
	$(BIN)/python setup.py --quiet build_ext --inplace
	$(BIN)/pip install --quiet --no-build-isolation --editable .
	touch $@

$(VENV)/tested: $(VENV)/installed
	$(BIN)/pip install --quiet --group test --group extras
	touch $@

$(VENV)/linted: $(VENV)/installed
	$(BIN)/pip install --quiet --group lint
	touch $@

# A wheel of this version in .venv is used as it is: to compile all again would replace it by an editable install.
OF_THIS_VERSION := import runpy, sys, templatemine._core; \
	sys.exit(templatemine.__version__ != runpy.run_path("src/templatemine/_version.py")["__version__"])
demo:
	@test ! -e $(VENV)/installed && $(BIN)/python -c '$(OF_THIS_VERSION)' 2> /dev/null || $(MAKE) $(VENV)/installed
	$(BIN)/python datasets/demo.py demo

# Compiled once and kept, also where the environment says no: tests start the program hundreds of times.
test test-all: export PYTHONDONTWRITEBYTECODE =

# Some ten minutes on two cores; test-all also those that are marked slow, and in full what else is run in small.
test: $(VENV)/tested
	$(BIN)/python -m pytest -m "not alone and not slow" $(BESIDE)
	$(BIN)/python -m pytest -m "alone and not slow" $(ALONE)

test-all: export TEMPLATEMINE_SCALE = 1
test-all: $(VENV)/tested
	$(BIN)/python -m pytest -m "not alone" $(BESIDE)
	$(BIN)/python -m pytest -m alone $(ALONE)

# The native core with memory watched, beside what is installed: a quarter of an hour, of which gcc takes a third.
WATCHED := build/sanitized
sanitize: $(VENV)/tested
	TEMPLATEMINE_BUILD=asan $(BIN)/pip install --quiet --no-deps --upgrade --target $(WATCHED) .
	TEMPLATEMINE_SCALE=0.2 LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libstdc++.so)" ASAN_OPTIONS=detect_leaks=0 \
		PYTHONPATH=$(WATCHED) $(BIN)/python -m pytest -m "not alone and not slow" $(BESIDE) tests/native tests/properties tests/golden

# Fuzzing: SECONDS of each target (TARGET="pages packs"), two builds of the core by clang: SANITIZE=1 takes the one in which
# memory is watched; FIXED=1 tries the same inputs each time.  The Python of both is always that of the sources.
SECONDS ?= 60
FUZZED := build/fuzz/$(if $(SANITIZE),asan,plain)
$(VENV)/fuzzable: $(VENV)/tested
	$(BIN)/pip install --quiet --group fuzz
	touch $@

$(FUZZED)/built: $(VENV)/fuzzable setup.py $(NATIVE)
	CC=clang TEMPLATEMINE_BUILD=fuzz$(if $(SANITIZE),-asan) $(BIN)/pip install --quiet --no-deps --upgrade --target $(FUZZED) .
	touch $@

fuzz: $(FUZZED)/built
	tar -C src --exclude='*.so' --exclude='*.c' -cf - templatemine | tar -C $(FUZZED) -xf -
	$(BIN)/python fuzz/fuzz.py --seconds $(SECONDS) $(if $(SANITIZE),--sanitize) $(if $(FIXED),--fixed) $(TARGET)

lint: $(VENV)/linted
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/cython-lint --max-line-length=140 $(NATIVE)
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest templatemine._core templatemine.text._scan templatemine.text._reading templatemine.mining._candidates \
		templatemine.matching._automaton templatemine.matching._cutting templatemine.cleaning._records templatemine.pages._html \
		templatemine.pages._blocks templatemine.pages._scores templatemine.pages.baselines._systems

$(VENV)/documented: $(VENV)/tested
	$(BIN)/pip install --quiet --group docs
	touch $@

# The site of docs/, without a network once its tools are installed; with Chromium and the extras also pictures.
docs: $(VENV)/documented
	PYTHONPATH=datasets $(BIN)/python docs/site/build.py build/site

man: $(VENV)/installed
	mkdir -p build/man
	$(BIN)/python docs/site/manual.py man > build/man/templatemine.1

dist: $(VENV)/installed
	$(BIN)/pip install --quiet --group build
	rm -rf dist
	$(BIN)/python -m build --outdir dist

# The wheel that is built from the source distribution, in a Python of its own, with tests of the latter but not its sources.
CLEAN := build/wheel
WHEELED ?= tests/cleaning tests/cli tests/golden tests/pages tests/test_pipeline.py
wheel: dist
	test -z "$$(find dist -name '*.whl' -size +4096k)" || (echo "the wheel is larger than 4 MB"; exit 1)
	rm -rf $(CLEAN)
	$(PYTHON) -m venv $(CLEAN)
	$(CLEAN)/bin/pip install --quiet --upgrade 'pip>=25.1'
	$(CLEAN)/bin/pip install --quiet dist/*.whl
	$(CLEAN)/bin/pip install --quiet --group test
	mkdir $(CLEAN)/unpacked
	tar -xzf dist/*.tar.gz -C $(CLEAN)/unpacked --strip-components 1
	rm -r $(CLEAN)/unpacked/src
	cd $(CLEAN)/unpacked && ../bin/python -m pytest -p no:cacheprovider -m "not slow and not alone" $(BESIDE) $(WHEELED)

# A contender that cannot be installed here is told as missing in the results.
$(VENV)/benched: $(VENV)/installed
	$(BIN)/pip install --quiet --group bench || echo "not all contenders could be installed"
	touch $@

bench: $(VENV)/benched
	$(BIN)/python bench/run.py $(BENCH)

# Accuracy beside others, into docs/research/quality.md; and whether any figure fell below its floor.
$(VENV)/compared: $(VENV)/benched
	$(BIN)/pip install --quiet --editable '.[eval]'
	$(BIN)/pip install --quiet --group quality || echo "not all contenders could be installed"
	touch $@

quality: $(VENV)/compared
	$(BIN)/python bench/quality/run.py $(QUALITY)

# The tests of other extractors, theirs beside ours: SUITES=folder of their source distributions, unpacked.
suites: $(VENV)/compared
	$(BIN)/python bench/quality/suites.py "$(abspath $(SUITES))"

# What is fitted takes the trainer.
$(VENV)/trained: $(VENV)/installed
	$(BIN)/pip install --quiet --group training
	touch $@

# Every annotated source by what was fitted without its publisher, into docs/research/loso.md: ten minutes of two cores.
loso: $(VENV)/trained
	$(BIN)/python bench/quality/loso.py $(LOSO)

# Single decisions on labelled strings, in the same way, into docs/research/labels.md: a minute.
labels: $(VENV)/trained
	$(BIN)/python bench/quality/labels.py $(LABELS)

# Files that other projects test themselves with: INTEROP=folder of their source distributions or checkouts.
interop: $(VENV)/tested
	INTEROP="$(abspath $(INTEROP))" $(BIN)/python -m pytest -s -rs tests/interop

gate: $(VENV)/tested
	$(BIN)/python bench/quality/floors.py check

clean:
	rm -rf $(VENV) build dist demo src/*.egg-info $(shell find src/templatemine -name "*.c" -o -name "*.so")
