# Two commands matter: `make demo` and `make test`. Both set up what they need.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-kills test-hostile setup peers render segment langid lint lock audit clean

setup: $(VENV)/.ready

# One hashed lock for core and tests; a hashed file together with `-e .` in one command is refused by pip.
$(VENV)/.ready: requirements/core.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/core.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

# The extractors that `corpus-spider evaluate` compares ours with. The lock is whole, so pip need not resolve anything,
# which spares its older versions the extras that several packages ask of lxml in different spellings.
peers: setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/peers.lock

# The driver of the browser that sites with `render = true` need; the browser, chromium, comes from the system.
render: setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/render.lock

# ICU for Python, which finds words in scripts that write none apart: Thai, Lao, Khmer, Burmese.
segment: setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/segment.lock

# Further detectors of languages, for `language_backend`.
langid: setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/langid.lock

demo: setup
	$(BIN)/corpus-spider demo

test: setup lint
	$(BIN)/python -m pytest -q -n auto --dist loadfile

# Kills, power cuts and failing disks in their hundreds, which takes most of an hour; `make test` has a few of each.
# What a machine cannot run is told as skipped, with the reason. Seeds are printed; CORPUS_SPIDER_SEED sets another.
test-kills: setup
	CORPUS_SPIDER_THOROUGH=1 $(BIN)/python -m pytest -q -n auto --dist loadgroup -rs $(KILLS)

KILLS := tests/corpus_spider/test_kills.py tests/corpus_spider/test_power.py tests/corpus_spider/test_killed_commands.py \
	tests/corpus_spider/test_signals.py tests/corpus_spider/test_archive.py tests/corpus_spider/test_database_faults.py \
	tests/corpus_spider/test_thirty_nights.py tests/pipelines/test_workers.py tests/storage/test_old_corpora.py \
	tests/storage/test_sqlite_limits.py tests/storage/test_warc_writer.py

# What of the hostile server takes longer: traps, a hundred silent hosts, names that lie, and the whole of it in one crawl;
# and a hundred thousand drawn URLs.
test-hostile: setup
	CORPUS_SPIDER_THOROUGH=1 $(BIN)/python -m pytest -q -m "hostile or not hostile" \
		tests/corpus_spider/test_hostile_bench.py tests/corpus_spider/test_hostile_whole.py \
		tests/corpus_spider/test_guard.py tests/pipelines/test_urls.py

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

# Looks every locked package up in the advisory database, with pip-audit in an environment of its own. Exit code 1:
# something is vulnerable; anything else but 0: it could not be told.
audit:
	test -x .audit/bin/python || $(PYTHON) -m venv .audit
	.audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit || echo "pip-audit cannot be installed"
	.audit/bin/python requirements/audit.py .audit/bin/pip-audit requirements/*.lock

# Needs uv; resolves for Python 3.11 and later and writes hashes, never a registry's address.
lock:
	uv pip compile pyproject.toml --group pyproject.toml:test --generate-hashes --universal --python-version 3.11 \
		--custom-compile-command "make lock" -o requirements/core.lock
	uv pip compile pyproject.toml --extra peers --constraint requirements/core.lock --override requirements/peers.overrides \
		--generate-hashes --universal --python-version 3.11 --custom-compile-command "make lock" -o requirements/peers.lock
	uv pip compile pyproject.toml --extra segment --constraint requirements/core.lock \
		--generate-hashes --universal --python-version 3.11 --custom-compile-command "make lock" -o requirements/segment.lock
	uv pip compile pyproject.toml --extra langid --constraint requirements/core.lock \
		--generate-hashes --universal --python-version 3.11 --custom-compile-command "make lock" -o requirements/langid.lock
	uv pip compile pyproject.toml --extra render --constraint requirements/core.lock \
		--generate-hashes --universal --python-version 3.11 --custom-compile-command "make lock" -o requirements/render.lock

clean:
	rm -rf $(VENV) .audit build dist demo
