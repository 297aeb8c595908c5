# make check   run the suite against its own reference server (ARGS="…" for other petcheck options)
# make test    run the tests of the suite itself (ARGS="…" for pytest)
# make test-matrix   run the suite against hundreds of faulty and conforming servers, as tests (ARGS="…" for pytest)
# make lint    check style, format, types and the direction of imports
# make kill-matrix   run the suite against every fault and variation, write docs/kill-matrix.md
# make grounds   run the suite against faults on other conforming grounds, write docs/grounds.md (ARGS="--each 42" for all)
# make soundness   run the suite against conforming servers composed at random (N=10000 for more, SEED=n repeats one)
# make bench   compare the suite with the schemathesis command line, write docs/benchmarks.md
# make bench-fleet   measure runs of many targets alone (ARGS="latency" for one part)
# make soak    run property examples for half an hour; nothing may grow (ARGS="--minutes 1" for less)
# make screenshots   take the pictures of a report in docs/, from a run against a server with faults
# make mutants   change the judging code in many places; tests must notice each (see docs/mutation-testing.md)
# make lock    resolve the newest versions and write the lock files (UPGRADE= keeps the pinned versions)
# make audit   look up known vulnerabilities of all pinned packages in the package index
# make licences   write the licences of the packages that a run needs to docs/licences.md
# make clean   remove what the other targets created
#
# PYTHON   the Python to set up with, 3.11 or newer
# VENV     where to set up

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input --quiet --quiet

# no other plugins: pytest would rewrite the modules of schemathesis for one that no test needs. Three workers for two
# cores, since some tests wait
PLUGINS = --disable-plugin-autoload -p xdist -p hypothesispytest

.DEFAULT_GOAL := check
.PHONY: check test test-matrix lint kill-matrix grounds soundness bench bench-fleet soak screenshots mutants lock audit licences clean
.NOTPARALLEL:

check: $(VENV)/ready
	$(BIN)/petcheck $(ARGS)

test: $(VENV)/ready-to-test
	$(BIN)/python -m pytest $(PLUGINS) -n 3 --dist worksteal -m "not matrix" $(ARGS)

test-matrix: $(VENV)/ready-to-test
	$(BIN)/python -m pytest $(PLUGINS) -n 3 --dist worksteal -m matrix $(ARGS)

lint: $(VENV)/ready-to-test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

kill-matrix: $(VENV)/ready-to-test
	$(BIN)/python -m tools.kill_matrix

grounds: $(VENV)/ready-to-test
	$(BIN)/python -m tools.grounds $(ARGS)

soundness: $(VENV)/ready-to-test
	$(BIN)/python -m tools.soundness $(if $(N),--servers $(N)) $(if $(SEED),--seed $(SEED)) $(ARGS)

bench: $(VENV)/ready-to-test
	$(BIN)/python -m tools.benchmark

bench-fleet: $(VENV)/ready-to-test
	$(BIN)/python -m tools.fleet_benchmark $(ARGS)

soak: $(VENV)/ready-to-test
	$(BIN)/python -m tools.soak $(ARGS)

screenshots: $(VENV)/ready-to-test
	$(BIN)/python -m tools.screenshots

# Starts from nothing, since mutmut would reuse the results of an earlier run. It fails if a mutant survives; one that never ends is noticed.
mutants: $(VENV)/ready-to-test
	rm -rf mutants
	$(BIN)/mutmut run --max-children 2
	! $(BIN)/mutmut results | grep -v ': timeout$$'

# The test set first; it constrains the run set, so one environment serves both.
UPGRADE ?= --upgrade
LOCK = $(BIN)/uv pip compile --quiet $(UPGRADE) --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate --no-emit-index-url --group pyproject.toml:install pyproject.toml

lock: $(VENV)/ready-to-test
	$(LOCK) --extra test --output-file requirements-test.lock
	$(LOCK) --constraints requirements-test.lock --output-file requirements.lock

# --strict: fail if a package cannot be looked up
audit: $(VENV)/ready-to-test
	$(BIN)/pip-audit --strict --progress-spinner off --disable-pip --require-hashes \
		--requirement requirements.lock --requirement requirements-test.lock

licences: $(VENV)/ready-to-test
	$(BIN)/python -m tools.licences

clean:
	rm -rf $(VENV) build dist .hypothesis .mypy_cache .ruff_cache .pytest_cache .import_linter_cache mutants
	find reports -mindepth 1 ! -name README.md -delete
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Everything by hash; then this checkout, in place, with the build backend from the lock.
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
