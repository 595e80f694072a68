# `make demo` shows the memory at work, `make test` runs every check. Both need Python 3.11 or newer and nothing else.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
export LITELLM_LOCAL_MODEL_COST_MAP := True
# the tests start hundreds of programs, which would compile every module anew
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test quick soak check in-turn unit coverage hindsight lint mypy pyright map clean

demo: $(STAMP)
	$(BIN)/thought-fabric demo $(ARGS)

# what is checked in turn takes what the tests leave of two cores: they wait for programs and for the disk at times
test: $(STAMP)
	$(MAKE) -j 2 unit in-turn

check: $(STAMP)
	$(MAKE) -j 2 lint mypy pyright

PYTEST := $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

unit: $(STAMP)
	$(PYTEST)

quick: $(STAMP)
	$(PYTEST) -m "not slow"

# what is short elsewhere, for longer
soak: $(STAMP)
	$(PYTEST) --hypothesis-profile soak -m "soak or hypothesis"

in-turn: $(STAMP)
	nice $(MAKE) lint
	nice $(MAKE) mypy
	nice $(MAKE) pyright

coverage: $(STAMP)
	$(PYTEST) --cov --cov-report=term:skip-covered --cov-report=html

# on a real Hindsight server: about six minutes, and ten more at the first call, which installs it into .hindsight
hindsight: $(STAMP)
	$(BIN)/python -m tests.hindsight.server \
		$(BIN)/python -m pytest -s -m hindsight tests/hindsight $(wildcard tests/contract/retain)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

mypy: $(STAMP)
	$(BIN)/mypy

pyright: $(STAMP)
	$(BIN)/pyright

# the first line of every module
map:
	@find fabric capabilities blocks pipelines -name '*.py' | sort | xargs grep -m 1 '"""'

# the pip that comes with an older Python takes three times as long as today's, which compiles one file after another,
# also all those that nobody imports
$(STAMP): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("thought-fabric needs Python 3.11 or newer, this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv --upgrade-deps .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --no-warn-conflicts --editable '.[dev]'
	touch $(STAMP)

clean:
	rm -rf .venv .hindsight build dist
