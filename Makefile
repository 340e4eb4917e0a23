# convcheck: everything from a fresh machine. Needs Python >= 3.11 with pip, and make; nothing else.
# What stands behind `##` is what `make help` prints.

SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2

# The first Python on the path that is new enough; PYTHON=... picks another.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& { echo $$p; break; }; done)

.PHONY: help clean-passes small-programs proofs mutation historical docs demo test quick check lint format format-check types layers tests coverage campaign agreement \
	machines bench tables intrinsics playground clean llvm-suite lowered native-equality random-kernels uniformity
.DELETE_ON_ERROR:

# What an editable install leaves to the first import, which keeps nothing where PYTHONDONTWRITEBYTECODE is set: each
# command would compile the package again, which takes as long as a small run.
COMPILE := $(BIN)/python -m compileall -q convergence

NATURAL := examples_ll/alignments/natural.ll
NESTED := examples_ll/alignments/nested.ll
BROKEN := examples_ll/rules/S-NEST.bad.ll

help:  ## this list
	@awk -F ':.*##  *' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

# The broken file's exit code 1 is what the demo shows, so it is expected here, and nothing else is.
demo: $(VENV)/installed  ## install into .venv, then the two acceptance pictures and one broken file
	@echo '$$ convcheck run $(NATURAL)'; $(BIN)/convcheck run $(NATURAL)
	@echo; echo '$$ convcheck run $(NESTED)'; $(BIN)/convcheck run $(NESTED)
	@echo; echo '$$ convcheck verify $(BROKEN)'; $(BIN)/convcheck verify $(BROKEN); code=$$?; \
	echo "(exit code $$code)"; test $$code -eq 1

test: lint format-check types layers tests  ## all that CI does: lint, format, types, layers and all tests

# A minute on two idle cores. CONTRIBUTING.md says what it leaves out.
quick: lint format-check types layers  ## lint, format, types, layers and the tests of what changed
	$(BIN)/python -m pytest -q -n $(JOBS) --within 30 $$($(BIN)/python -m tests.meta.changed)

# What many projects call it.
check: quick

lint: $(VENV)/installed-test  ## ruff: names, imports, what is likely a fault
	$(BIN)/ruff check

format: $(VENV)/installed-test  ## lay out all Python files with ruff
	$(BIN)/ruff format

format-check: $(VENV)/installed-test  ## ruff: is every Python file laid out?
	$(BIN)/ruff format --check --quiet || { echo 'make format lays them out' >&2; exit 1; }

types: $(VENV)/installed-test  ## mypy, strict: the package, its tests, benchmarks and the site's hooks
	$(BIN)/mypy --num-workers $(JOBS) convergence tests benchmarks docs/hooks

layers: $(VENV)/installed-test  ## import-linter: arrows between packages go one way
	$(BIN)/lint-imports

# After the cheap checks, so that their faults show first.
tests: lint format-check types layers  ## all tests, after the cheap checks
	$(BIN)/python -m pytest -n $(JOBS)

# Lines of convergence/ that the tests run in their own processes; what a test starts as a command counts not.
coverage: $(VENV)/installed-test  ## all tests, and which share of the package's lines and branches they run
	$(BIN)/python -m pytest -q -n $(JOBS) --cov=convergence --cov-branch --cov-report=term:skip-covered

# Each goes on where it was cut off (`make clean` forgets it), and begins nothing after MINUTES.
MINUTES ?= 600
campaign: $(VENV)/installed-test  ## the long comparison: a million random functions through the verifier
	$(BIN)/python -m tests.campaigns campaign .campaign.jsonl --jobs $(JOBS) --minutes $(MINUTES)

# 12 kinds of programs for each of two engines.
agreement: $(VENV)/installed-test  ## both engines and 35,000 comparisons of generated programs against the brute-force oracles
	$(BIN)/python -m tests.campaigns agreement .agreement.jsonl --jobs $(JOBS) --minutes $(MINUTES)

# In parts of 400, each in processes of its own: what is compiled stays in memory.
native-equality: $(VENV)/installed-test  ## 100,000 generated programs by the reference and natively: no difference
	$(BIN)/python -m tests.native.equality
	CONVCHECK_NATIVE_CACHE= $(BIN)/python -m tests.campaigns native .native-equality.jsonl --jobs $(JOBS) --minutes $(MINUTES)

random-kernels: $(VENV)/installed-test  ## 1,000 random kernels, as clang compiles them for four targets, against C (skipped where clang-22 is missing)
	CONVCHECK_NATIVE_CACHE= $(BIN)/python -m tests.campaigns kernels .random-kernels.jsonl --jobs $(JOBS) --minutes $(MINUTES)

# Goes on where it was cut off; `make clean` forgets it. What the stages are stands in tests/small/__main__.py.
small-programs: $(VENV)/installed-test  ## every program of up to 4 blocks: verifier, oracle, LLVM, runs, engines
	$(BIN)/python -m tests.small .small-programs.jsonl --jobs $(JOBS)

proofs:  ## the core of the definition, proved in Coq (skipped where coqc is missing)
	@if command -v coqc >/dev/null 2>&1; then sh proofs/check.sh .proofs; \
	else echo 'make proofs: skipped, as coqc is not installed (Debian: coq)'; fi

# Each goes on where it was cut off; `make clean` forgets it.
MUTANTS ?= 300
mutation: $(VENV)/installed-test  ## small faults in the package, one at a time: does a test notice? MUTANTS=300
	$(BIN)/python -m tests.mutation .mutation.jsonl --jobs $(JOBS) --count $(MUTANTS) --minutes $(MINUTES)

historical: $(VENV)/installed-test  ## faults that compilers have had, put back: do campaigns find them?
	$(BIN)/python -m tests.historical .historical.jsonl --jobs $(JOBS)

LOWERED ?= 5000
lowered: $(VENV)/installed-test  ## 5,000 generated kernels at -O0 and -O2 through AMDGPU's back end: no unexplained difference (needs llc)
	$(BIN)/python -m tests.lowered .lowered.jsonl --count $(LOWERED)

docs: $(VENV)/installed-test  ## the pages and notebooks as a site, in site/
	$(BIN)/python -m properdocs build --strict
	@if command -v npm >/dev/null 2>&1; then $(MAKE) playground; else echo 'no npm here: the site has no playground' >&2; fi

# npm and pip bring what package-lock.json and pyproject.toml name; the page itself fetches nothing.
playground: $(VENV)/installed-test  ## the page that runs convcheck in the browser, in site/playground/ (needs npm)
	cd playground && npm ci --no-audit --no-fund --loglevel=error
	rm -rf .playground/wheels
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir .playground/wheels . click
	cd playground && node build.mjs ../.playground/site ../.playground/wheels ../examples_ll
	rm -rf site/playground && mkdir -p site && cp -r .playground/site site/playground

# The heart machine must conform on every verified program, and machines agree with the interpreter.
machines: $(VENV)/installed-test  ## 39,000 generated programs on the lock-step machines
	$(BIN)/python -m tests.campaigns machines .machines.jsonl --jobs $(JOBS) --minutes $(MINUTES)

# Goes on where it was cut off; `make clean` forgets it.
CLEAN := --passes early-cse --passes instcombine --passes reassociate --passes sroa --passes loop-rotate --max-launches 5
clean-passes: $(VENV)/installed-test  ## 10,000 checks of passes that are right: no alarm (needs opt, LLVM 22)
	$(BIN)/convcheck fuzz $(CLEAN) --count 1000 --seed 77 --jobs $(JOBS) -o .clean-passes/tokens
	$(BIN)/convcheck fuzz $(CLEAN) --count 1000 --seed 78 --jobs $(JOBS) -o .clean-passes/memory --style memory
	$(BIN)/python -m tests.fuzz.clang_kernels

uniformity: $(VENV)/installed-test  ## the rules of uniformity with their oracle, with runs, and with LLVM's claims (needs opt)
	$(BIN)/python -m pytest -q -m campaign tests/uniformity
	$(BIN)/convcheck fuzz --uniformity --count 20000 --seed 5 --jobs $(JOBS) -o .uniformity; test $$? -le 1

# LLVM's own tests stay where they are (the source package llvm-toolchain-22 has them, in llvm/test). It goes on
# where it was cut off; EVERY=1 runs all commands, which takes a day.
LLVM_TESTS ?=
EVERY ?= 60
llvm-suite: $(VENV)/installed  ## LLVM's tests through the checks: LLVM_TESTS=path, EVERY=n for a sample
	@test -n "$(LLVM_TESTS)" || { echo "make llvm-suite LLVM_TESTS=path/to/llvm/test" >&2; exit 1; }
	$(BIN)/convcheck suite $(LLVM_TESTS) --results .llvm-suite --verify --every $(EVERY) --jobs $(JOBS)

bench: $(VENV)/installed-test  ## ratios measured side by side
	@for b in benchmarks/*.py; do echo "== $$b"; $(BIN)/python $$b || exit 1; done

# Minutes: LLVM is asked for a declaration of each intrinsic.
intrinsics: $(VENV)/installed-test  ## make anew what is known of intrinsics where LLVM is not asked (needs libLLVM 22)
	$(BIN)/python -m tests.parser.intrinsic_table

spirv-grammar: $(VENV)/installed-test  ## make the table of SPIR-V's grammar anew, from Khronos' machine-readable one
	$(BIN)/python tests/spirv/make_grammar.py

tables: $(VENV)/installed-test  ## make the parser's tables anew after a change of its grammar
	$(BIN)/python -m convergence.parser.driver

# The environment. Debian's python3 may come without ensurepip: then pip is brought in from outside.
$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "convcheck needs Python >= 3.11 on the path (or PYTHON=...)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 || { $(PYTHON) -m venv --clear --without-pip $(VENV) \
		&& $(PYTHON) -m pip --python $(BIN)/python install --quiet pip; }

$(VENV)/installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@$(COMPILE)
	@touch $@

$(VENV)/installed-test: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@$(COMPILE)
	@touch $@ $(VENV)/installed

clean:  ## remove .venv and caches
	rm -rf $(VENV) .proofs .campaign.jsonl .agreement.jsonl .machines.jsonl .mutation.jsonl .mutation.lines .historical.jsonl .native-equality.jsonl .random-kernels.jsonl .small-programs.jsonl .lowered.jsonl .coverage .clean-passes .uniformity .llvm-suite .playground playground/node_modules site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
