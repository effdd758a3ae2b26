# Windtunnel: everything starts from Python 3.11 to 3.13, make and git; `make help` lists the targets.

VENV ?= .venv
# The first interpreter that will do, `python3` preferred; name another with PYTHON=…
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	"$$p" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null \
	&& echo "$$p" && break; done)
# More for the program that runs: make run ARGS=ui, make test ARGS="-k retry -x"
ARGS ?=

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip -qq --no-input --disable-pip-version-check
# A change to what is installed, or to how, makes the environment stale.
LOCKED := pyproject.toml constraints.txt

# A caller's paths must not shadow what the lock installs.
unexport PYTHONPATH PYTHONHOME
# With -j, the lines of one target stay together.
MAKEFLAGS += --output-sync=target --no-print-directory
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.PHONY: help run test real bench lint format lock wheel clean display

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1 - \2/p' Makefile

run: $(VENV)/installed display ## run the bundled scenarios and print their verdicts
	@$(BIN)/windtunnel run $(ARGS)

test: $(VENV)/installed display ## run all tests, the measurements of speed aside; without ARGS, `real` too
	@$(BIN)/python -m pytest -q -n auto $(ARGS)
	@[ -n "$(ARGS)" ] || $(MAKE) real

real: $(VENV)/installed display ## play the bundled scenarios on real displays and print their verdicts
	@$(BIN)/windtunnel run --world real $(ARGS)

bench: $(VENV)/peers display ## measure speed against the bars and the peers, one at a time
	@$(BIN)/python -m pytest -q -m bench tests/bench $(ARGS)

lint: $(VENV)/installed ## ruff, its format, mypy and the directions of imports
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet . || { echo "make format puts the format right"; exit 1; }
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-logo

format: $(VENV)/installed ## put format and what ruff can repair right
	@$(BIN)/ruff check --quiet --fix-only .
	@$(BIN)/ruff format .

lock: ## write constraints.txt anew from what pyproject.toml asks (needs 3.11, 3.12 and 3.13)
	@$(require-python)
	@"$(PYTHON)" .ci/lock.py

wheel: $(VENV)/installed ## build the sdist and the wheel into dist/
	@$(BIN)/python -m hatchling build -d dist

clean: ## remove environments, caches and what was built
	@rm -rf .venv .venv-* dist build .*_cache .hypothesis .benchmarks
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# ---------------------------------------------------------------- the environment

define require-python
if [ -z "$(PYTHON)" ]; then \
	echo "no Python 3.11, 3.12 or 3.13 is on the path: install one, or name it: make PYTHON=/path/to/python" >&2; \
	exit 1; \
elif ! "$(PYTHON)" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null; then \
	echo "$(PYTHON) is not a Python 3.11, 3.12 or 3.13" >&2; exit 1; \
elif ! "$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null; then \
	echo "$(PYTHON) has no venv module; on Debian and Ubuntu: sudo apt install python3-venv" >&2; exit 1; \
fi
endef

# Made afresh whenever the lock changes, so that nothing of an older one is left in it. The build
# tools come first and from the lock too: a build in isolation would fetch the newest.
$(VENV)/installed: $(LOCKED)
	@$(require-python)
	@echo "installing into $(VENV) (a minute, once)"
	@"$(PYTHON)" -m venv --clear "$(VENV)"
	@$(PIP) install -c constraints.txt hatchling editables
	@$(PIP) install -c constraints.txt --no-build-isolation -e '.[test,lint]'
	@touch $@

# Xvfb and what else the real display needs. Without them all that does not need one still runs.
display:
	@mkdir -p $(VENV)
	@.ci/display-programs --again $(VENV)/display-programs-failed || true

# The peers the speed tests compare with: only `make bench` needs them.
$(VENV)/peers: $(VENV)/installed
	@$(PIP) install -c constraints.txt --no-build-isolation -e '.[bench]'
	@touch $@
