# make check   test the reference server (ARGS="…" for other petcheck options)
# make test    run petcheck's own tests, except slow ones (ARGS="…" for pytest)
# make test-all   run the slow ones too: whole runs in many forms, browsers, shells, wheels
# make test-matrix   test hundreds of servers with a fault or a variation (ARGS="…" for pytest)
# make test-openapi  read openapi.yaml with linters, a mock server and two client generators (ARGS="…" for pytest)
# make test-install   install the wheel with pip, pipx and uv, on each available Python from 3.11 to 3.15
# make format   correct style, as far as that needs no thought
# make lint    check style, format, types, the direction of imports, and words (make prose)
# make prose   find words to avoid in documents and messages; tools/prose.toml says what to write instead
# make messages   print every message with sample values, as a list to read
# make docs    build the documentation into build/site; a broken link is an error
# make generated   write every page, list and number that comes from the code, except those that need many runs
# make kill-matrix   run petcheck on every fault and variation, write docs/kill-matrix.md (ARGS="name …" for some)
# make power   measure how soon a default run finds each fault, write docs/power.md (ARGS="--each 4" for a sample)
# make grounds   run petcheck on faults in other conforming servers, write docs/grounds.md (ARGS="--each 42" for all)
# make explanations   write the data of `petcheck explain`, from runs against the reference server
# make tutorial   run each step of docs/implementers.md and write its last lines into the page
# make soundness   run petcheck on random conforming servers (N=10000 for more, SEED=n repeats one)
# make bench   measure a run, compare it with the schemathesis command line, write docs/benchmarks.md (ARGS=run for a part)
# make soak    run property examples for half an hour; nothing but the recording may grow (ARGS="--minutes 1" for less)
# make pool    draw the property examples that come with petcheck; needed after a change of the values that openapi.yaml allows
# make screenshots   take the screenshots of a report in docs/, from a run against a server with faults
# make mutants   change the judging code in many places; a test must notice each change (see docs/mutation-testing.md)
# make lock    resolve the newest versions and write the lock files (UPGRADE= keeps the pinned versions)
# make audit   look up known vulnerabilities of all pinned packages, and of the lowest allowed versions
# make clean   remove what the other targets created
#
# PYTHON   the Python for the virtual environment, 3.11 or newer
# VENV     the folder of the virtual environment

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
OPENAPI_TOOLS := $(VENV)/openapi
DOCS := $(VENV)/docs
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input --quiet --quiet

# No other plugins: with that of schemathesis, which no test needs, pytest would rewrite its modules. More workers than
# cores, since many tests wait; but each takes seconds to read all tests. `quick` draws fewer examples.
OWN = not matrix and not openapi_tools and not install
PLUGINS = --disable-plugin-autoload -p xdist -p hypothesispytest
UNREAD = --ignore tests/openapi_tools

.DEFAULT_GOAL := check
.PHONY: check test test-all test-matrix test-openapi test-install format lint prose messages docs generated kill-matrix power grounds explanations tutorial soundness bench soak pool screenshots mutants lock audit clean
.NOTPARALLEL:

check: $(VENV)/ready
	$(BIN)/petcheck --self-test $(ARGS)

test: $(VENV)/ready-to-test
	$(BIN)/python -m pytest $(PLUGINS) -n 4 --dist worksteal --hypothesis-profile quick $(UNREAD) -m "not slow and $(OWN)" $(ARGS)

test-all: $(VENV)/ready-to-test
	$(BIN)/python -m pytest $(PLUGINS) -n 5 --dist worksteal $(UNREAD) -m "$(OWN)" $(ARGS)

test-matrix: $(VENV)/ready-to-test
	$(BIN)/python -m pytest $(PLUGINS) -n 3 --dist worksteal -m matrix $(ARGS)

test-openapi: $(VENV)/ready-to-test $(OPENAPI_TOOLS)/ready
	OPENAPI_TOOLS=$(OPENAPI_TOOLS) $(BIN)/python -m pytest $(PLUGINS) -m openapi_tools tests/openapi_tools $(ARGS)

test-install: $(VENV)/ready-to-test
	$(BIN)/python -m pytest $(PLUGINS) -m install -rs $(ARGS) tests/system/test_install.py

format: $(VENV)/ready-to-test
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

lint: $(VENV)/ready-to-test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	@$(MAKE) --no-print-directory prose

prose: $(VENV)/ready-to-test
	$(BIN)/python -m tools.prose

messages: $(VENV)/ready-to-test
	@$(BIN)/python -m tools.messages

docs: $(VENV)/ready-to-test $(DOCS)/ready
	$(BIN)/python -m tools.site
	$(DOCS)/bin/zensical build --clean --strict
	@echo "to read them: $(BIN)/python -m http.server --directory build/site, then open http://localhost:8000"

generated: $(VENV)/ready-to-test
	$(BIN)/python -m tools.generated

kill-matrix: $(VENV)/ready-to-test
	$(BIN)/python -m tools.kill_matrix $(ARGS)

power: $(VENV)/ready-to-test
	$(BIN)/python -m tools.power $(ARGS)

grounds: $(VENV)/ready-to-test
	$(BIN)/python -m tools.grounds $(ARGS)

explanations: $(VENV)/ready-to-test
	$(BIN)/python -m tools.explanations

tutorial: $(VENV)/ready-to-test
	$(BIN)/python -m tools.shown_runs

soundness: $(VENV)/ready-to-test
	$(BIN)/python -m tools.soundness $(if $(N),--servers $(N)) $(if $(SEED),--seed $(SEED)) $(ARGS)

bench: $(VENV)/ready-to-test
	$(BIN)/python -m tools.benchmark $(ARGS)

soak: $(VENV)/ready-to-test
	$(BIN)/python -m tools.soak $(ARGS)

pool: $(VENV)/ready-to-test
	$(BIN)/python -m tools.pool

screenshots: $(VENV)/ready-to-test
	$(BIN)/python -m tools.screenshots

# Starts from an empty folder, because mutmut would reuse earlier results. Fails if a mutant survives; a timeout counts as noticed.
mutants: $(VENV)/ready-to-test
	rm -rf mutants
	$(BIN)/mutmut run --max-children 2
	$(BIN)/mutmut results --all true | $(BIN)/python -m tools.mutation_page

# The test packages first: they constrain the packages of a run, so that one environment serves both.
UPGRADE ?= --upgrade
COMPILE = $(BIN)/uv pip compile --quiet $(UPGRADE) --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate --no-emit-index-url
LOCK = $(COMPILE) --group pyproject.toml:install pyproject.toml

lock: $(VENV)/ready-to-test $(OPENAPI_TOOLS)/python
	$(LOCK) --extra test --output-file requirements-test.lock
	$(LOCK) --constraints requirements-test.lock --output-file requirements.lock
	$(COMPILE) --group pyproject.toml:openapi --output-file requirements-openapi.lock
	$(COMPILE) --group pyproject.toml:docs --output-file requirements-docs.lock
	cd tests/openapi_tools && $(NPM) $(if $(UPGRADE),update,install) --package-lock-only

# The pinned versions, and the lowest that pyproject.toml allows. --strict: fail if a package cannot be looked up
AUDIT = $(BIN)/pip-audit --strict --progress-spinner off --disable-pip --require-hashes
audit: $(VENV)/ready-to-test
	$(AUDIT) --requirement requirements.lock --requirement requirements-test.lock \
		--requirement requirements-openapi.lock --requirement requirements-docs.lock
	mkdir -p build
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --resolution lowest-direct --generate-hashes \
		--no-header --no-annotate --no-emit-index-url --output-file build/lowest.lock pyproject.toml
	$(AUDIT) --requirement build/lowest.lock

clean:
	rm -rf $(VENV) build dist .hypothesis .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .cache mutants
	find reports -mindepth 1 ! -name README.md -delete
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Installs every package by hash, then this checkout in place, with the build backend from the lock file.
$(VENV)/ready: requirements.lock pyproject.toml $(VENV)/made
	$(PIP) install --require-hashes -r requirements.lock
	$(PIP) install --no-deps --no-build-isolation --editable .
	touch $@

$(VENV)/ready-to-test: requirements-test.lock pyproject.toml $(VENV)/made
	$(PIP) install --require-hashes -r requirements-test.lock
	$(PIP) install --no-deps --no-build-isolation --editable .
	touch $@ $(VENV)/ready

# The OpenAPI tools have a separate environment, with Node.js in it and the npm packages beside it.
NPM_FILES = package.json package-lock.json .npmrc
NPM = PATH="$(abspath $(OPENAPI_TOOLS))/bin:$$PATH" npm --silent
$(OPENAPI_TOOLS)/ready: $(OPENAPI_TOOLS)/python $(NPM_FILES:%=tests/openapi_tools/%)
	cp $(NPM_FILES:%=tests/openapi_tools/%) $(OPENAPI_TOOLS)
	cd $(OPENAPI_TOOLS) && $(NPM) ci
	touch $@

$(DOCS)/ready: requirements-docs.lock $(VENV)/made
	$(BIN)/python -m venv $(DOCS)
	$(DOCS)/bin/python -m pip --disable-pip-version-check --no-input --quiet --quiet \
		install --require-hashes -r requirements-docs.lock
	touch $@

$(OPENAPI_TOOLS)/python: requirements-openapi.lock $(VENV)/made
	$(BIN)/python -m venv $(OPENAPI_TOOLS)
	$(OPENAPI_TOOLS)/bin/python -m pip --disable-pip-version-check --no-input --quiet --quiet \
		install --require-hashes -r requirements-openapi.lock
	touch $@

$(VENV)/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "petcheck needs Python 3.11 or newer, and '$(PYTHON)' is older or missing: try make PYTHON=python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	touch $@
