# Everything here sets up what it needs: only Python ≥ 3.11 and make are taken for granted.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2
PYTEST_OPTIONS ?=

.PHONY: play test lint bench clean

play: $(VENV)/.ready-run
	@$(BIN)/scsp-player match games/connect-four.kif mac-ucb uct --start-clock 10 --play-clock 1 --seed 1

test: $(VENV)/.ready-test
	$(BIN)/python -m pytest -n $(WORKERS) $(PYTEST_OPTIONS)

lint: $(VENV)/.ready-dev
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(VENV)/.ready-bench
	$(BIN)/scsp-player bench ground games
	$(BIN)/scsp-player bench rollouts games

# One stamp for each set of extras; a newer pyproject.toml makes them stale. uv is used when it is there.
$(VENV)/.ready-run: EXTRAS :=
$(VENV)/.ready-test: EXTRAS := [test]
$(VENV)/.ready-dev: EXTRAS := [test,dev]
$(VENV)/.ready-bench: EXTRAS := [bench]
$(VENV)/.ready-%: pyproject.toml
	@test -n "$(PYTHON)" || { echo "scsp-player needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python3" >&2; exit 2; }
	@echo "setting up $(VENV) $(EXTRAS)"
	@if command -v uv >/dev/null 2>&1; then \
		{ test -x $(BIN)/python || uv venv --quiet --python "$(PYTHON)" $(VENV); } && \
		uv pip install --quiet --python $(BIN)/python -e '.$(EXTRAS)'; \
	else \
		{ test -x $(BIN)/pip || "$(PYTHON)" -m venv $(VENV); } && \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.$(EXTRAS)'; \
	fi
	@touch $@

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
