# The course, in two commands: `make serve` opens it, `make test` proves it.
SHELL := /bin/sh
PYTHON ?= python3
PORT ?= 8000
MODELS ?= full
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# One BLAS thread a process and one process a core answer the most requests.
export OPENBLAS_NUM_THREADS := 1
export PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD := 1
export PYTHONUTF8 := 1

.PHONY: help setup serve fetch hashes test check lint format bench lock messages browser

help: ## say what each command does
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/:[^#]*##/\t/' | expand -t 10

serve: .venv/runs ## open the course: make serve [PORT=8000] [MODELS=small|full] [WORKERS=n]
	@[ "$(MODELS)" = small ] || $(BIN)/python -m app.models.fetch
	@PORT=$(PORT) MODELS=$(MODELS) $(if $(WORKERS),WORKERS=$(WORKERS)) $(BIN)/python -m app

fetch: .venv/runs ## download and check the models, once
	@$(BIN)/python -m app.models.fetch --strict

hashes: .venv/runs ## after a new export: the hashes of what ships, into models/catalogue.toml
	@$(BIN)/python -m app.models.rehash

test: check ## everything that must hold: style, types, layers, tests, browser
check: setup browser lint
	@[ "$(MODELS)" = small ] || $(BIN)/python -m app.models.fetch
	$(BIN)/pytest $(ARGS)

lint: setup ## style, types and layers only
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup ## let ruff lay out the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: .venv/runs ## measure against others, which it installs: make bench [ROUNDS=2]
	@$(BIN)/python -m app.models.fetch
	@$(BIN)/python -m benchmarks $(if $(ROUNDS),--rounds $(ROUNDS)) $(ARGS)

messages: setup ## the words of the pages, for translators: app/locale/course.pot
	@mkdir -p app/locale
	@$(BIN)/pybabel --quiet extract --mapping pyproject.toml --sort-by-file --add-comments=. \
	  --project "Basics of Transformers" --output app/locale/course.pot app lessons templates
	@echo "The words are in app/locale/course.pot; a language is app/locale/<code>/LC_MESSAGES/course.mo"

setup: .venv/tests ## the virtual environment with everything that the tests need

browser: # the tests drive Debian's Chromium
	@command -v chromium >/dev/null || deploy/need.sh chromium fonts-dejavu-core

lock: ## choose new versions of all dependencies (needs uv)
	for group in "" fetch dev; do \
	  uv pip compile --quiet --no-config --universal --python-version 3.11 --fork-strategy fewest \
	    --generate-hashes --no-annotate --no-header pyproject.toml $${group:+--group $$group} \
	    $${group:+-c requirements.lock} -o requirements$${group:+-$$group}.lock; \
	done

.venv/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; this is $$($(PYTHON) --version 2>&1)."; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || deploy/need.sh python3-venv
	@$(PYTHON) -m venv --clear .venv
	@touch $@

.venv/runs: .venv/made requirements-fetch.lock
	@echo "Installing the course's libraries …"
	@$(BIN)/python -m pip install --quiet --require-hashes -r requirements-fetch.lock
	@touch $@

.venv/tests: .venv/made requirements-dev.lock
	@echo "Installing the course's libraries and its tests' …"
	@$(BIN)/python -m pip install --quiet --require-hashes -r requirements-dev.lock
	@touch $@ .venv/runs
