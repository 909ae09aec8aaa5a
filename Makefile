# `make demo` and `make test` do their own set-up: a virtual environment in .venv, once, and again when
# pyproject.toml changes. Another interpreter: make test PYTHON=python3.12

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
USER_STAMP := $(VENV)/.installed
DEV_STAMP := $(VENV)/.installed-dev

.PHONY: help demo test lint docs bench clean
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

help:
	@echo "make demo   grade three generated sets of digits against real ones"
	@echo "make test   everything the project checks: lint and tests"
	@echo "make lint   ruff, import-linter, mypy"
	@echo "make docs   write docs/metrics.md from the metrics themselves"
	@echo "make bench  speed and memory against the bare matrix products"
	@echo "make clean  remove .venv and all caches"

demo: $(USER_STAMP)
	$(BIN)/truegrade demo

# One thread a process: several test processes share the cores, and threads that wait for each other take them away.
test: lint
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --maxprocesses 4 --dist worksteal

lint: $(DEV_STAMP)
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/mypy

docs: $(DEV_STAMP)
	$(BIN)/python scripts/make_docs.py

bench: $(DEV_STAMP)
	$(BIN)/python -m benchmarks

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "truegrade needs Python 3.11 or later")'
	@echo "Setting up $(VENV), once; this takes a minute or two."
	$(PYTHON) -m venv $(VENV)

$(USER_STAMP): pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[report]'
	@touch $@

# The development install holds everything the plain one does.
$(DEV_STAMP): pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(USER_STAMP)

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .numba_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
