# Three commands matter: `make demo`, `make check` and `make test`. Each sets up what it needs.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin

EXTRAS := axe data dedup docs-tools figures lemma peers queue render s3 segment web
lock_of = requirements/$(1:-tools=).lock

.PHONY: demo check check-containers check-image test test-core test-kills test-hostile test-install setup extras \
	$(EXTRAS) docs ministack readers messages spark screenshots lint lock audit clean

# A lock is complete, so pip resolves nothing: old versions of pip fail on the extras of lxml, which packages spell
# differently.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
LOCKED := $(PIP) --no-deps --require-hashes

setup: $(VENV)/.ready

# One hashed lock for core and tests; a hashed file together with `-e .` in one command is refused by pip.
$(VENV)/.ready: requirements/core.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(LOCKED) -r requirements/core.lock
	$(PIP) --no-deps --no-build-isolation -e .
	touch $@

# peers: other extractors for `corpus-spider evaluate`. render: browser driver for sites with `render = true`; the
# browser, chromium, comes from the system. segment: words of Thai, Lao, Khmer, Burmese, Vietnamese, Chinese and
# Japanese. lemma: lemmas, and parts of speech of Russian. web: search, word lists and the web page. figures: figures of
# single pages. data: pandas and Polars. dedup: DuckDB, for `dedup`. s3: boto3. axe: the test that finds what keeps
# people with a screen reader out. docs-tools: Sphinx, for the documentation site.
$(EXTRAS): setup
	$(LOCKED) -r $(call lock_of,$@)

axe: render

# A server of S3 for the tests of object storage, in an environment of its own: it pins what the program has newer.
ministack: .ministack/.ready

.ministack/.ready: requirements/ministack.lock
	test -x .ministack/bin/python || $(PYTHON) -m venv .ministack
	.ministack/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r $<
	touch $@

# All of them in one call of pip.
extras: $(VENV)/.extras

$(VENV)/.extras: $(VENV)/.ready $(foreach extra,$(EXTRAS),$(call lock_of,$(extra)))
	$(LOCKED) $(foreach extra,$(EXTRAS),-r $(call lock_of,$(extra)))
	touch $@

# Readers of WARC files that others use, and engines that run commands, in an environment of their own: they bind
# libraries to older versions. 930 MB, so `make test` does not install it.
readers:
	test -x .venv-readers/bin/python || $(PYTHON) -m venv .venv-readers
	.venv-readers/bin/python -m pip install --quiet --disable-pip-version-check 'daft>=0.7.26' \
		'datatrove[io]>=0.10.1' 'pywb>=2.9' 'distributed>=2026.8' 'ray>=2.60'

# PySpark, for `--engine spark`. 500 MB, so `make test` does not install it. Java 17 comes from the system.
spark: setup
	$(LOCKED) -r requirements/spark.lock

# The pictures of the documentation. Needs chromium and fonts: apt-get install chromium fonts-noto-core
screenshots: render web figures segment
	$(BIN)/python tools/screenshots.py

# Brings the catalogues of the web page up to date, and names the messages that need a translation.
messages: web
	$(BIN)/python tools/messages.py

# The documentation site, in build/docs. A warning, such as a link that leads nowhere, is an error.
docs: docs-tools
	$(BIN)/python -m sphinx -W --keep-going -n -E -q -b html docs build/docs

# With the extra web, because the README goes on with `search` and `serve`. pandas is there with the tools of the tests.
demo: web
	$(BIN)/corpus-spider demo

# Linters, types and the fast tests: before each commit.
check: setup lint
	$(BIN)/python -m pytest -q -n 2 --dist loadfile $(FAST) $(SLOW:%=--ignore=%)

# Pure functions without server or crawl. SLOW: tests of growth and memory, and those that start workers.
FAST := tests/pipelines tests/test_doctests.py tests/test_project_documents.py tests/test_plain_english.py \
	tests/storage/blocklist/test_author_keys.py tests/storage/bytes/test_mime.py tests/storage/exports/test_export_encoding.py tests/storage/frontier/test_recrawl_schedule.py \
	tests/storage/warc/test_warc_scanning.py tests/corpus_spider/config/test_config.py \
	tests/corpus_spider/config/test_config_values.py tests/corpus_spider/terminal/test_console.py tests/corpus_spider/cli/test_documented.py \
	tests/storage/test_reasons.py tests/docs/test_commands.py tests/docs/test_front_page.py \
	tests/corpus_spider/lab/test_intervals.py tests/corpus_spider/crawling/test_retry_policy.py tests/corpus_spider/terminal/test_crawl_words.py \
	tests/corpus_spider/lab/test_scores.py tests/corpus_spider/monitoring/test_site_checks.py
SLOW := tests/pipelines/text/test_minhash.py tests/pipelines/discovery/test_sitemaps.py \
	tests/pipelines/runtime/test_worker_answers.py tests/pipelines/runtime/test_workers.py \
	tests/pipelines/extractors/test_growth.py tests/pipelines/extractors/test_memory.py \
	tests/pipelines/extractors/lab/test_peers.py

# All tests, with all extras. A test is skipped for want of a program of the system alone, and says how to install it.
test: extras lint ministack
	CORPUS_SPIDER_EXTRAS=all $(BIN)/python -m pytest -q -n auto --dist loadfile

# The program without extras, in an environment of its own: the fast tests, and those of modules that use an extra. Each
# skip names the extra.
test-core:
	$(MAKE) VENV=.venv-core setup
	.venv-core/bin/python -m pytest -q -n auto --dist loadfile $(FAST) $(SLOW:%=--ignore=%) $(USE_EXTRAS)

# Those below tests/pipelines are fast or slow tests already. Benchmarks are tried with all extras.
USE_EXTRAS = $(filter-out tests/pipelines/% tests/benchmarks/% $(FAST),$(shell grep -rl --include='test_*.py' 'tests\.extras' tests))

# Hundreds of kills, power cuts and disk failures: most of an hour. `make test` has a few of each. Skipped tests are
# listed with the reason. Seeds are printed; CORPUS_SPIDER_SEED sets another.
test-kills: setup
	CORPUS_SPIDER_THOROUGH=1 $(BIN)/python -m pytest -q -n auto --dist loadgroup -rs $(KILLS)

KILLS := tests/corpus_spider/crawling/test_kills.py tests/corpus_spider/crawling/test_power.py tests/corpus_spider/crawling/test_killed_commands.py \
	tests/corpus_spider/terminal/test_signals.py tests/corpus_spider/archive/test_archive_damage.py tests/corpus_spider/crawling/test_database_faults.py \
	tests/corpus_spider/crawling/test_thirty_nights.py tests/pipelines/runtime/test_workers.py tests/storage/database/test_next_migration.py \
	tests/storage/database/test_sqlite_limits.py tests/storage/warc/test_warc_writer.py \
	tests/corpus_spider/queue tests/corpus_spider/batch/test_process.py tests/corpus_spider/batch/test_dedup.py

# The slow part of the hostile server: traps, a hundred silent hosts, names that resolve to private addresses, and all of
# it in one crawl. Also a hundred thousand random URLs, and pages of 10 MiB.
test-hostile: setup
	CORPUS_SPIDER_THOROUGH=1 $(BIN)/python -m pytest -q -m "hostile or not hostile" \
		tests/corpus_spider/crawling/test_hostile_bench.py tests/corpus_spider/crawling/test_hostile_whole.py \
		tests/corpus_spider/crawling/test_tarpits.py \
		tests/corpus_spider/middlewares/test_guard.py tests/pipelines/extractors/test_memory.py \
		tests/pipelines/urls/test_urls.py

# The wheel in fresh environments, for each Python from 3.11 to 3.14 on this machine: a crawl, an export, a release, and
# the release loaded with nothing but `datasets`. Then the other ways to install. Needs a package registry; some minutes.
test-install: setup
	$(BIN)/python tools/check_install.py

# Install what the Dockerfile installs into a new folder, and run the commands of compose.yaml there. Needs the package
# registry and some minutes. `make test` has the part that needs neither.
check-containers: setup
	$(BIN)/python tools/check_containers.py --run

# Build the image with Docker or Podman, and run the program in it. Without an engine it says so and succeeds.
check-image: setup
	$(BIN)/python tools/check_containers.py --build

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python tools/plain_english.py

# Look up every locked package in the advisory database, with pip-audit in its own environment. Exit code 0: none is
# vulnerable; 1: some are; any other: unknown.
audit:
	test -x .audit/bin/python || $(PYTHON) -m venv .audit
	.audit/bin/python -m pip install --quiet --disable-pip-version-check pip-audit || echo "pip-audit cannot be installed"
	.audit/bin/python requirements/audit.py .audit/bin/pip-audit requirements/*.lock

# Needs uv. Resolves for Python 3.11 and later and writes hashes, never the address of a registry.
lock:
	uv pip compile pyproject.toml --group pyproject.toml:test --generate-hashes --universal --python-version 3.11 \
		--custom-compile-command "make lock" -o requirements/core.lock
	uv pip compile pyproject.toml --constraint requirements/core.lock \
		--generate-hashes --universal --python-version 3.11 --custom-compile-command "make lock" -o requirements/install.lock
	uv pip compile --group pyproject.toml:datasets --constraint requirements/core.lock \
		--generate-hashes --universal --python-version 3.11 --custom-compile-command "make lock" -o requirements/datasets.lock
	uv pip compile pyproject.toml --extra peers --constraint requirements/core.lock --override requirements/peers.overrides \
		--generate-hashes --universal --python-version 3.11 --custom-compile-command "make lock" -o requirements/peers.lock
	uv pip compile pyproject.toml --extra segment --constraint requirements/core.lock \
		--generate-hashes --universal --python-version 3.11 --custom-compile-command "make lock" -o requirements/segment.lock
	uv pip compile pyproject.toml --extra lemma --constraint requirements/core.lock \
		--generate-hashes --universal --python-version 3.11 --custom-compile-command "make lock" -o requirements/lemma.lock
	uv pip compile pyproject.toml --extra render --constraint requirements/core.lock \
		--generate-hashes --universal --python-version 3.11 --custom-compile-command "make lock" -o requirements/render.lock
	uv pip compile pyproject.toml --extra queue --constraint requirements/core.lock \
		--generate-hashes --universal --python-version 3.11 --custom-compile-command "make lock" -o requirements/queue.lock
	uv pip compile pyproject.toml --extra web --constraint requirements/core.lock \
		--generate-hashes --universal --python-version 3.11 --custom-compile-command "make lock" -o requirements/web.lock
	uv pip compile pyproject.toml --extra figures --constraint requirements/core.lock \
		--generate-hashes --universal --python-version 3.11 --custom-compile-command "make lock" -o requirements/figures.lock
	uv pip compile --group pyproject.toml:axe --constraint requirements/render.lock --constraint requirements/core.lock \
		--generate-hashes --universal --python-version 3.11 --custom-compile-command "make lock" -o requirements/axe.lock
	uv pip compile --group pyproject.toml:docs --constraint requirements/core.lock --constraint requirements/peers.lock \
		--generate-hashes --universal --python-version 3.11 --custom-compile-command "make lock" -o requirements/docs.lock
	printf 'hatchling\nsetuptools\n' | uv pip compile - --constraint requirements/core.lock --generate-hashes --universal \
		--python-version 3.11 --custom-compile-command "make lock" -o requirements/build.lock
	uv pip compile pyproject.toml --extra s3 --extra remote --constraint requirements/core.lock --override requirements/s3.overrides \
		--generate-hashes --universal --python-version 3.11 --custom-compile-command "make lock" -o requirements/s3.lock
	uv pip compile --group pyproject.toml:ministack --generate-hashes --universal --python-version 3.11 \
		--custom-compile-command "make lock" -o requirements/ministack.lock
	uv pip compile pyproject.toml --extra pandas --extra polars --constraint requirements/core.lock \
		--generate-hashes --universal --python-version 3.11 --custom-compile-command "make lock" -o requirements/data.lock
	uv pip compile pyproject.toml --extra dedup --constraint requirements/core.lock \
		--generate-hashes --universal --python-version 3.11 --custom-compile-command "make lock" -o requirements/dedup.lock
	uv pip compile pyproject.toml --extra spark --constraint requirements/core.lock \
		--generate-hashes --universal --python-version 3.11 --custom-compile-command "make lock" -o requirements/spark.lock

clean:
	rm -rf $(VENV) .venv-core .venv-readers .ministack .audit build dist demo
