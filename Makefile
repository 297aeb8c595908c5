# make check   the suite against its own reference server (ARGS="…" for other petcheck options)
# make test    the tests of the suite itself (ARGS="…" for pytest)
# make lint    style, format, types, direction of imports
# make kill-matrix   every fault and variation against the suite, written to docs/kill-matrix.md
# make bench   this suite beside the schemathesis command line, written to docs/benchmarks.md
# make soak    half an hour of property examples: nothing may grow (ARGS="--minutes 1" for less)
# make screenshots   the pictures of a report in docs/, from a run against a server with faults
# make mutants   what the tests of the judging code do not notice; docs/mutation-testing.md tells of the last time
# make lock    resolve the newest versions of everything and write the lock files (UPGRADE= keeps those that are pinned)
# make audit   known vulnerabilities of everything that is pinned; it asks the package index, and fails where that says nothing
# make licences   the licences of what a run needs, written to docs/licences.md
# make clean   remove what the others made
#
# PYTHON   the Python to set up with, 3.11 or newer
# VENV     where to set up

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input --quiet --quiet

# no others: pytest would rewrite the modules of schemathesis for a plugin that no test needs. Three workers for two
# cores, since some tests wait
PLUGINS = --disable-plugin-autoload -p xdist -p hypothesispytest

.DEFAULT_GOAL := check
.PHONY: check test lint kill-matrix bench soak screenshots mutants lock audit licences clean
.NOTPARALLEL:

check: $(VENV)/ready
	$(BIN)/petcheck $(ARGS)

test: $(VENV)/ready-to-test
	$(BIN)/python -m pytest $(PLUGINS) -n 3 --dist worksteal $(ARGS)

lint: $(VENV)/ready-to-test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

kill-matrix: $(VENV)/ready-to-test
	$(BIN)/python -m tests.kill_matrix

bench: $(VENV)/ready-to-test
	$(BIN)/python -m tests.benchmark

soak: $(VENV)/ready-to-test
	$(BIN)/python -m tests.soak $(ARGS)

screenshots: $(VENV)/ready-to-test
	$(BIN)/python -m tests.screenshots

# From nothing each time: what an earlier run left would be taken for what holds now. It fails where a mutant is left.
mutants: $(VENV)/ready-to-test
	rm -rf mutants
	$(BIN)/mutmut run --max-children 2
	! $(BIN)/mutmut results | grep .

# The test set first: the run set is held to the same versions, so one environment serves both.
UPGRADE ?= --upgrade
LOCK = $(BIN)/uv pip compile --quiet $(UPGRADE) --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate --no-emit-index-url --group pyproject.toml:install pyproject.toml

lock: $(VENV)/ready-to-test
	$(LOCK) --extra test --output-file requirements-test.lock
	$(LOCK) --constraints requirements-test.lock --output-file requirements.lock

# --strict: what could not be looked up is no "nothing found"
audit: $(VENV)/ready-to-test
	$(BIN)/pip-audit --strict --progress-spinner off --disable-pip --require-hashes \
		--requirement requirements.lock --requirement requirements-test.lock

licences: $(VENV)/ready-to-test
	$(BIN)/python -m tests.licences

clean:
	rm -rf $(VENV) build dist .hypothesis .mypy_cache .ruff_cache .pytest_cache .import_linter_cache mutants
	find reports -mindepth 1 ! -name README.md -delete
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Everything by hash; then this checkout itself, in place, with the build backend that the lock brought.
$(VENV)/ready: requirements.lock pyproject.toml $(VENV)/made
	$(PIP) install --require-hashes -r requirements.lock
	$(PIP) install --no-deps --no-build-isolation --editable .
	touch $@

$(VENV)/ready-to-test: requirements-test.lock pyproject.toml $(VENV)/made
	$(PIP) install --require-hashes -r requirements-test.lock
	$(PIP) install --no-deps --no-build-isolation --editable .
	touch $@ $(VENV)/ready

$(VENV)/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "petcheck needs Python 3.11 or newer, and '$(PYTHON)' is not: try make PYTHON=python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	touch $@
