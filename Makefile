# felt: everything a person runs. Two commands do it all on a fresh machine:
#   make run    set up and run a whole simulated table
#   make test   set up and run the whole suite

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# Also holds for what pip builds with; see docs/decisions/0002-dependencies.md.
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# What was compiled is kept, whatever the machine says: the suite starts felt some hundred times.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test often check bench slow soak fresh attack conformance proof mutants fuzz device-arm docs screens golden deb hashes clean setup setup-test setup-bench setup-fuzz

# Another table: make run TABLE=config/tables/ma.toml. Ctrl-C ends it.
TABLE ?= config/tables/pa-639a.toml
run: setup
	@$(BIN)/felt demo --table $(TABLE)

# Four on two cores, as some of it waits for what is real. Who has done its part takes from the others:
# what a file has made for its tests is made once, and nobody waits at the end.
test: check
	$(BIN)/pytest -n 4 --dist worksteal -m "not slow and not attack"

# Ten runs in a row, three of them beside six busy loops: what fails seldom fails there.
often: setup-test
	tests/often.sh

check: setup-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Minutes rather than seconds: the exact main games, long random play, a kill at every write.
slow soak: setup-test
	$(BIN)/pytest -n 2 -m slow

# The pages for whoever installs felt, followed as they stand on a Debian made for it: as root, with debootstrap.
fresh: setup-test
	$(BIN)/python -m tests.debian.fresh
	$(BIN)/pytest -m slow tests/debian/test_fresh.py

# What a hostile hand tries, on loopback only, and the table of it in docs/security.md.
attack: setup-test
	$(BIN)/pytest -n 2 -m attack --security tests/attacks

# Breaks what each clause asks for, and wants a test of that clause to fail: what has no verdict yet.
proof: setup-test
	$(BIN)/python -m tests.mutants clauses

conformance: setup-test
	@mkdir -p build
	$(BIN)/pytest -n 2 -q -m "not slow and not attack" --conformance=build/conformance.json
	$(BIN)/python -m tests.conformance.report build/conformance.json

bench: setup-bench
	$(BIN)/python -m benchmarks

mutants: setup-test
	$(BIN)/python -m tests.mutants

# So many seconds for each of the things that read what comes from outside.
SECONDS ?= 20
fuzz: setup-fuzz
	$(BIN)/python -m tests.fuzz --seconds $(SECONDS)
	$(MAKE) -C docs/reference-device fuzz SECONDS=$(SECONDS)

# The reference device for a Cortex-M0+: sizes, stack, and its self-test in an emulator. Fetches a
# compiler and qemu if they are not there.
device-arm:
	$(MAKE) -C docs/reference-device arm

# Pages that are written from the code: bytes, tables and schemas of the protocol.
docs: setup-test
	$(BIN)/python -m tests.docs

# The pages as they look, in docs/screens: all of them, or SHOTS="floor sign".
SHOTS ?=
screens: setup-test
	$(BIN)/python -m tests.docs.screens $(SHOTS)

# Golden logs that are missing; all of them anew if somebody says why.
REASON ?=
golden: setup-test
	$(BIN)/python -m tests.logs --again "$(REASON)"

# A package for a table PC with Debian, in build/: felt and all that it was tested with.
deb: $(VENV)/deb/felt.installed
	$(VENV)/deb/bin/python -m debian build

# After a change of constraints.txt.
hashes: setup-test
	$(BIN)/python -m debian hashes

# As it was called before: beside that, every driver of felt's would be there twice.
FORGET = @$(BIN)/pip uninstall --quiet --quiet --yes felt

setup: $(VENV)/felt.installed
setup-test: $(VENV)/test.installed $(VENV)/system.installed $(VENV)/compiled
setup-fuzz: $(VENV)/fuzz.installed
setup-bench: $(VENV)/bench.installed $(VENV)/system.installed

# Once, and it takes a while: it says how far it is.
PIP = @$(BIN)/python pip_progress.py

$(VENV)/bin/pip:
	@echo "Python's own environment for felt is made in $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)

$(VENV)/felt.installed: pyproject.toml constraints.txt | $(VENV)/bin/pip
	$(FORGET)
	$(PIP) "felt is set up" $(BIN)/pip install --editable .
	@touch $@

# Packages are compiled by what their sources hold: what is compiled by their age instead is compiled
# anew at each start of felt, to see that it belongs to them, and the suite starts felt some hundred times.
$(VENV)/test.installed: pyproject.toml constraints.txt | $(VENV)/bin/pip
	$(FORGET)
	$(PIP) "felt and its tests are set up" $(BIN)/pip install --no-compile --editable '.[test]'
	$(BIN)/python -m compileall -q -j 0 --invalidation-mode checked-hash $(VENV)/lib
	@touch $@ $(VENV)/felt.installed

# The project's own sources too, before several programs at once would each keep what it compiled.
CODE := controller drivers simulators tests benchmarks debian
SOURCES := $(shell find $(CODE) -name '*.py')
$(VENV)/compiled: $(SOURCES) | $(VENV)/test.installed
	$(BIN)/python -m compileall -q -j 0 --invalidation-mode checked-hash $(CODE)
	@touch $@

# A broker and the like: what pip does not bring.
$(VENV)/system.installed: tests/system-packages.sh | $(VENV)/bin/pip
	tests/system-packages.sh
	@touch $@

$(VENV)/bench.installed: pyproject.toml constraints.txt | $(VENV)/bin/pip
	$(BIN)/pip install --quiet --editable '.[bench,test]'
	@touch $@

# An environment of its own: in it is nothing but what debian/hashes.txt knows by its content.
$(VENV)/deb/felt.installed: pyproject.toml constraints.txt debian/hashes.txt
	rm -rf $(VENV)/deb
	$(PYTHON) -m venv $(VENV)/deb
	$(VENV)/deb/bin/pip install --quiet --no-deps --require-hashes --only-binary :all: -r debian/hashes.txt
	$(VENV)/deb/bin/pip install --quiet --no-deps --no-build-isolation .
	@touch $@

$(VENV)/fuzz.installed: pyproject.toml constraints.txt | $(VENV)/bin/pip
	$(BIN)/pip install --quiet --editable '.[fuzz]'
	@touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
