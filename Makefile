# Each target does everything it needs on a machine that has Python 3.11 or newer and make.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
RUNS ?= 20000
FUZZED := release bounds-toml bounds-json csv csv-gz parquet arrow ledger address
PIP := $(BIN)/python -m pip --disable-pip-version-check

# Tests start many processes, and each would compile the package anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: install demo studio test tests types quick lint audit bench docs docs-check package fuzz load clean

install: $(VENV)/installed

demo: $(VENV)/installed
	$(BIN)/hushmeans demo

studio: $(VENV)/installed-with-studio
	$(BIN)/hushmeans studio

# Types are checked beside the tests, many of which wait; lint errors and wrong types fail it too.
test: $(VENV)/installed-for-development
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(MAKE) --no-print-directory --jobs=2 types tests

tests: $(VENV)/installed-for-development
	$(BIN)/pytest

types: $(VENV)/installed-for-development
	$(BIN)/mypy

quick: $(VENV)/installed-for-development
	$(BIN)/ruff check
	$(BIN)/pytest -m 'not slow'

lint: types
	$(BIN)/ruff check
	$(BIN)/ruff format --check

audit: $(VENV)/installed-for-development
	PYSPARK_PYTHON=$(abspath $(BIN)/python) $(BIN)/python -m audit

bench: $(VENV)/installed-for-development
	$(BIN)/python benchmarks/performance.py $(VENV)/peers
	$(BIN)/python benchmarks/experiments.py
	$(BIN)/python benchmarks/spark.py

docs: $(VENV)/installed-for-documentation
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --conf-dir docs . docs/_build/html
	@echo 'Open docs/_build/html/index.html'

docs-check: docs
	PYTHONPATH=tests $(BIN)/python -m tools.open_site

package: $(VENV)/installed
	$(BIN)/python -m tools.package

fuzz: $(VENV)/installed-for-fuzzing
	HUSHMEANS_FUZZ=2000 $(BIN)/pytest tests/hostile
	for kind in $(FUZZED); do $(BIN)/python fuzz/run.py $$kind -atheris_runs=$(RUNS) || exit 1; done

load: $(VENV)/installed-for-development
	$(BIN)/python benchmarks/load.py

clean:
	rm -rf $(VENV)
	find src experiments tests audit -name __pycache__ -prune -exec rm -rf {} +

$(VENV)/installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("hushmeans needs Python 3.11 or newer: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet --constraint constraints.txt --upgrade pip
	$(PIP) install --quiet --constraint constraints.txt --editable .
	@touch $@

$(VENV)/installed-with-studio: $(VENV)/installed
	$(PIP) install --quiet --constraint constraints.txt --editable '.[studio]'
	@touch $@

$(VENV)/installed-for-development: $(VENV)/installed
	$(PIP) install --quiet --constraint constraints.txt --group dev --editable ./experiments
	@touch $@

$(VENV)/installed-for-documentation: $(VENV)/installed-for-development
	$(PIP) install --quiet --constraint constraints.txt --group docs
	@touch $@

$(VENV)/installed-for-fuzzing: $(VENV)/installed-for-development
	$(PIP) install --quiet --constraint constraints.txt --group fuzz
	@touch $@
