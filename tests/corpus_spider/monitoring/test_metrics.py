"""Text file for Prometheus: its format, and its figures against the database."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from corpus_spider.config.loader import load
from corpus_spider.monitoring.metrics import Metric, reporting, text
from storage import Corpus
from storage.errors import DatabaseError, LockedError
from tests.corpus_spider.local_paper import Newspaper, corpus_toml, served
from tests.corpus_spider.running import ROOT, ended, run, start, until

if TYPE_CHECKING:
    from pathlib import Path

Values = dict[tuple[str, frozenset[tuple[str, str]]], float]
NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
SAMPLE = re.compile(rf'({NAME})\{{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*",?)*)\}} (\S+)')
LABEL = re.compile(r'([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\"n])*)"')
UNESCAPED = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}


def parse(content: str) -> Values:
    """Parse the text format 0.0.4, and refuse what a strict reader refuses.

    Each metric has one HELP and one TYPE, before its values and in one place; no value is there twice.
    """
    assert content.endswith("\n")
    values: Values = {}
    known: list[str] = []
    helped = ""
    for line in content.removesuffix("\n").split("\n"):
        if line.startswith("# HELP "):
            helped = line.split(" ")[2]
            assert re.fullmatch(rf"# HELP {NAME} \S.*", line), line
            assert helped not in known, line
        elif line.startswith("# TYPE "):
            assert line == f"# TYPE {helped} gauge"
            known.append(helped)
        elif not line.startswith("#"):
            match = SAMPLE.fullmatch(line)
            assert match, line
            assert match[1] == known[-1], line
            labels = [
                (name, re.sub(r"\\.", lambda escape: UNESCAPED[escape[0]], value))
                for name, value in LABEL.findall(match[2])
            ]
            key = match[1], frozenset(labels)
            assert len(dict(labels)) == len(labels), line
            assert key not in values, line
            values[key] = float(match[3])
    return values


def of(values: Values, name: str, **labels: str) -> float | None:
    found = [
        value
        for (metric, own), value in values.items()
        if metric == f"corpus_spider_{name}" and {**dict(own), **labels} == dict(own)
    ]
    assert len(found) <= 1
    return found[0] if found else None


def read(folder: Path) -> Values:
    """Read all files, as node_exporter does: no value is there twice, and a metric has the same HELP everywhere."""
    values: Values = {}
    helps: dict[str, str] = {}
    for file in sorted(folder.glob("*.prom")):
        found = parse(file.read_text())
        assert values.keys().isdisjoint(found)
        values |= found
        for line in re.findall("^# HELP .*", file.read_text(), re.MULTILINE):
            assert helps.setdefault(line.split(" ")[2], line) == line
    return values


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@given(st.lists(st.tuples(st.text(), st.floats(allow_nan=False, allow_infinity=False)), min_size=1))
def test_any_label_and_any_number_can_be_read_again(rows: list[tuple[str, float]]) -> None:
    """Quotes, backslashes and line breaks are escaped."""
    known = dict(rows)
    read = parse(text([Metric("documents", "Words.", [({"site": site}, value) for site, value in known.items()])], "c"))
    back = {dict(labels)["site"]: value for (_, labels), value in read.items()}
    assert back == known


def test_figures_are_there_during_a_crawl_and_agree_with_the_database_after_it(tmp_path: Path) -> None:
    """The file has mode 0644 under the strictest umask. A crawl that cannot start keeps the figures of the corpus."""
    metrics = tmp_path / "out" / "news.prom"
    metrics.parent.mkdir()
    with served(Newspaper(articles=6)) as paper:
        gate = threading.Event()
        paper.extra["/last"] = lambda: (404, {}, b"") if gate.wait(240) else (500, {}, b"")
        toml = corpus_toml(paper, timeout=900) + f'\n[monitor]\nmetrics = "{metrics}"\n'
        (tmp_path / "corpus.toml").write_text(toml + '[[site]]\nname = "other"\nstart = ["http://other.invalid/"]\n')
        before = os.umask(0o077)
        try:
            crawl = start(tmp_path, "crawl", "-q", "--site", "newspaper")
        finally:
            os.umask(before)
        until(metrics.exists, crawl.poll)
        during = parse(metrics.read_text())
        gate.set()
        code = ended(crawl)
    assert (of(during, "run_active"), of(during, "run_exit_code")) == (1, None)
    assert {path.stat().st_mode & 0o777 for path in metrics.parent.iterdir()} == {0o644}
    assert names(metrics.parent) == [".news.prom.lock", "news.corpus.prom", "news.prom"]
    after = read(metrics.parent)
    with Corpus.open(tmp_path / "corpus.db", read_only=True) as corpus:
        status = corpus.status()
        (last,) = corpus.runs.by_site(["newspaper"])
    site = {"site": "newspaper"}
    assert (of(after, "run_active"), of(after, "run_exit_code")) == (0, code)
    assert of(after, "documents", **site) == of(after, "run_documents") == status.documents > 5
    assert of(after, "documents", site="other") == 0
    assert of(after, "pending_urls", **site) == status.pending.get("newspaper", 0)
    assert of(after, "site_last_crawl_timestamp_seconds", **site) == pytest.approx(last.started.timestamp())
    assert of(after, "site_fetched", **site) == last.fetched
    assert of(after, "site_new_documents", **site) == last.articles
    assert (of(after, "site_failing", **site), of(after, "site_failing", site="other")) == (0, 1)
    assert of(after, "site_problems", site="other", sign="not_crawled") == 1
    assert of(after, "disk_bytes", part="database") == (tmp_path / "corpus.db").stat().st_size
    ended_at = of(after, "run_end_timestamp_seconds") or 0
    assert time.time() - 600 < ended_at <= (of(after, "run_written_timestamp_seconds") or 0) <= time.time()
    with sqlite3.connect(tmp_path / "corpus.db") as database:
        received = database.execute("select json_extract(summary, '$.bytes') from run").fetchone()[0]
    assert of(after, "run_received_bytes") == received > 0
    (tmp_path / "corpus.db").write_bytes(b"no database" * 100)
    failed = run(tmp_path, "crawl", "-q")
    broken = read(metrics.parent)
    assert of(broken, "run_exit_code") == failed.returncode != 0
    assert of(broken, "documents", **site) == of(after, "documents", **site)


def test_a_crawl_that_another_one_keeps_out_does_not_touch_the_file(tmp_path: Path) -> None:
    """Other errors are written with their exit code; without a setting nothing is written."""
    (tmp_path / "corpus.toml").write_text('[monitor]\nmetrics = "news.prom"\n')
    config, file = load(tmp_path / "corpus.toml", environ={}), tmp_path / "news.prom"
    with pytest.raises(LockedError), reporting(config):
        raise LockedError("busy")
    assert not file.exists()
    with pytest.raises(DatabaseError), reporting(config):
        raise DatabaseError("gone")
    assert of(parse(file.read_text()), "run_exit_code") == 4
    (tmp_path / "corpus.toml").write_text("")
    with reporting(load(tmp_path / "corpus.toml", environ={})) as metrics:
        metrics.end(0, {})
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".prom"] == ["news.prom"]


def test_crawls_at_the_same_time_have_a_file_each(tmp_path: Path) -> None:
    """A label tells their figures apart. Those of the corpus are there once, whichever ends last."""
    (tmp_path / "corpus.toml").write_text(
        '[monitor]\nmetrics = "out/news.prom"\n[[site]]\nname = "paper"\nstart = ["http://paper.invalid/"]\n'
    )
    config, folder = load(tmp_path / "corpus.toml", environ={}), tmp_path / "out"
    folder.mkdir()
    Corpus.open(config.database_url, create=True).close()
    with reporting(config) as third:
        with reporting(config) as first, reporting(config) as second:
            first.update({})
            second.update({})
            third.update({})
            assert [of(read(folder), "run_active", slot=slot) for slot in ("2", "3")] == [1, 1]
            third.end(0, {})
            second.end(12, {})
            assert of(read(folder), "documents", site="paper") == 0
            first.end(8, {})
        with reporting(config) as later:
            later.update({})
    values = read(folder)
    codes = {dict(labels).get("slot"): value for (name, labels), value in values.items() if name.endswith("exit_code")}
    assert codes == {"2": 12, "3": 0}
    assert [dict(labels).get("slot") for name, labels in values if name.endswith("run_active")] == [None, "2", "3"]
    assert sorted(path.name for path in folder.glob("*.prom")) == [
        "news.corpus.prom",
        "news.prom",
        "news.slot2.prom",
        "news.slot3.prom",
    ]


def test_a_killed_crawl_leaves_its_file_to_the_next(tmp_path: Path) -> None:
    """The system ends its lock with it."""
    (tmp_path / "corpus.toml").write_text('[monitor]\nmetrics = "news.prom"\n')
    config = load(tmp_path / "corpus.toml", environ={})
    code = (
        "import sys; from corpus_spider.config.loader import load;"
        "from corpus_spider.monitoring.metrics import reporting\n"
        "with reporting(load(sys.argv[1])) as metrics: metrics.update({}); print('written', flush=True); input()"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "corpus.toml")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as crawl:
        assert crawl.stdout
        assert crawl.stdout.readline() == b"written\n"
        crawl.kill()
    assert of(read(tmp_path), "run_active") == 1
    with reporting(config) as metrics:
        metrics.end(0, {})
    assert of(read(tmp_path), "run_exit_code") == 0
    assert [path.name for path in tmp_path.glob("*.prom")] == ["news.prom"]


def test_a_file_that_cannot_be_written_does_not_stop_a_crawl(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """One warning for the whole run."""
    (tmp_path / "corpus.toml").write_text('[monitor]\nmetrics = "missing/news.prom"\n')
    with reporting(load(tmp_path / "corpus.toml", environ={})) as metrics:
        metrics.update({})
        metrics.end(0, {})
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert f". Make the folder: mkdir -p {tmp_path}/missing" in caplog.text


def test_the_examples_of_alerts_are_valid_and_use_known_metrics() -> None:
    """The rules file has the form that Prometheus reads, and the page lists each alert."""
    page = (ROOT / "docs/how-to/alerts.md").read_text()
    (group,) = yaml.safe_load((ROOT / "docs/how-to/corpus-spider.rules.yml").read_text())["groups"]
    known = {*re.findall(r"^\| `(corpus_spider_\w+)`", page, re.MULTILINE)}
    for rule in group["rules"]:
        assert {*rule} <= {"alert", "expr", "for", "labels", "annotations"}
        assert rule["annotations"].keys() == {"summary", "description"}
        used = set(re.findall(r"\b(?:corpus_spider|node)_\w+", rule["expr"]))
        assert used
        assert used <= known, rule["alert"]
        assert rule["expr"].count("(") == rule["expr"].count(")")
    listed = re.findall(r"^\| `(CorpusSpider\w+)`", page, re.MULTILINE)
    assert [rule["alert"] for rule in group["rules"]] == listed


def test_every_metric_is_documented() -> None:
    """The page on monitoring with Prometheus names each of them, and no other."""
    page = (ROOT / "docs/how-to/alerts.md").read_text()
    source = (ROOT / "corpus_spider/monitoring/metrics.py").read_text()
    named = set(re.findall(r'(?:_one|Metric|_sites)\(\s*"(\w+)"', source)) | set(re.findall(r'\("(run_\w+)"', source))
    named |= {f"site_{name}" for name in ("fetched", "refused", "http_errors", "failed")}
    assert {f"corpus_spider_{name}" for name in named} == set(
        re.findall(r"^\| `(corpus_spider_\w+)`", page, re.MULTILINE)
    )
