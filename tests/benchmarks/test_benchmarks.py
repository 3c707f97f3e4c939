"""Every benchmark runs once, in small, on the invented newspapers of the demo."""

from __future__ import annotations

import gzip
import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from corpus_spider.demo.site import build_site, truth
from tests.corpus_spider.running import PATIENCE, ROOT, environment, loaded_program
from tests.extras import need

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import PostgresServer

BENCHMARKS = sorted(
    path.stem for path in (ROOT / "benchmarks").glob("*.py") if 'if __name__ == "__main__":' in path.read_text("utf-8")
)
"""Those that are commands. The others are parts of these."""
RUNS = {
    "ablation": "{gold} --folds {work}/folds.json --jobs 1 --json",
    "annotators": "{treebanks}",
    "archive": "{gold} --pages 3 --repeat 1 --rounds 1 --workers 1",
    "capacity measure": "{gold} --sites 6 --batch 4 --folder {work}/capacity",
    "capacity plan": "--core-hour 1 --gigabyte-month 1",
    "charsets": "{sentences} --pages 1 --charset cp1258",
    "crawl": "--pages 45 --rounds 1 --only naive fetch indexed --folder {work}",
    "dates_on_their_day": "{gold}",
    "dedup": "--documents 2000 --index",
    "duplicates": "index --documents 2000",
    "duplicates pages": "{gold} --documents 4",
    "duplicates texts": "{gold} --documents 2",
    "duplicates twins": "{gold} --documents 4",
    "export": "--documents 60 --format jsonl",
    "extract_files": "--pages 8 --rounds 1",
    "extractors": "{gold} --pages 3 --passes 1 --extractor auto",
    "frontier": "--urls 2000",
    "gold_crawl": "{gold} --folder {work}/crawl",
    "languages": "{sentences} --lengths 40 --most 5",
    "left_out": "{gold} --json",
    "page": "{gold} --pages 3 --rounds 1",
    "page_path": "{gold}",
    "page_types": "--gold {gold} --wcxb {wcxb}",
    "pin_floors": "{gold} {work}/floors.json",
    "process language": "{gold} --pages 6 --cores 1",
    "process language --whole": "{gold} --cores 1 --rounds 1",
    "process speed": "{gold} --pages 3 --repeat 1 --rounds 1 --cores 1",
    "quality": "{gold}",
    "recurring_lines": "{gold}",
    "scores": "{gold} --extractor auto -o {work}/scores.md",
    "serve": "--documents 120 --rounds 1",
    "site_models": "{gold}",
    "startup": "--pages 80 --sites 200 --folder {work}/startup",
    "train_auto": "{gold} --output {work}/model.json",
    "verbs": "--sizes 20,40 --stored 20 --verb status --verb check --folder {work}/verbs",
}
"""Arguments by benchmark, or by benchmark and verb."""
PARTS = {"archive_loop": "archive", "crawl_runs": "crawl"}
"""Benchmarks that another one starts."""
NEEDS = {
    "annotators": ("lemma",),
    "archive": ("peers",),
    "crawl": ("web",),
    "dedup": ("dedup",),
    "page": ("peers",),
    "scores": ("peers",),
    "serve": ("web",),
}
"""Extras that a benchmark needs."""
TREEBANK = """
1-2	Книг-то	_	_	_	_	_	_	_	_
1	Книг	книга	NOUN	_	_	_	_	_	_
2	-то	то	PART	_	_	_	_	_	_
3	нет	нет	VERB	_	_	_	_	_	SpaceAfter=No
4	.	.	PUNCT	_	_	_	_	_	_
"""
"""A sentence in CoNLL-U."""
GATED = {"crawl", "frontier", "serve"}
"""Benchmarks that exit with 1 when a figure misses its gate, as in small it may."""


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folders in the forms that benchmarks read: articles of the demo as gold pages, sentences and WCXB; a treebank."""
    folders = {name: tmp_path_factory.mktemp(name) for name in ("gold", "sentences", "treebanks", "wcxb")}
    (folders["treebanks"] / "ru_invented-ud-test.conllu").write_text(TREEBANK, "utf-8")
    gold, wcxb = folders["gold"], folders["wcxb"]
    for folder in (gold / "pages", gold / "gold", wcxb / "test" / "html", wcxb / "test" / "ground-truth"):
        folder.mkdir(parents=True)
    pages = {key: page for key, page in truth().items() if not page.duplicate_of}
    answers, lines, kinds = build_site().answers, [], {}
    for number, ((host, path), page) in enumerate(pages.items()):
        answer, name = answers[host, path], f"{page.language}-{number}"
        if answer.status != 200:
            continue
        body = gzip.decompress(answer.body) if dict(answer.headers).get("Content-Encoding") == "gzip" else answer.body
        (gold / "pages" / f"{name}.html").write_bytes(body)
        (gold / "gold" / f"{name}.txt").write_text(page.text, "utf-8")
        lines.append(
            {"id": name, "url": f"http://{host}{path}", "lang": page.language, "title": page.title, "site": host}
            | {"source_repo": "large" if number < 36 else "small", "has_gold": True, "year": 2026}
        )
        (wcxb / "test" / "html" / f"{name}.html.gz").write_bytes(gzip.compress(body))
        (wcxb / "test" / "ground-truth" / f"{name}.json").write_text(json.dumps({"url": f"http://{host}{path}"}))
        kinds[name] = {"page_type": "listing" if number % 2 else "article"}
        with (folders["sentences"] / f"{page.language}.txt").open("a", encoding="utf-8") as file:
            file.write(page.text + "\n")
    (gold / "manifest.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    (wcxb / "metadata.json").write_text(json.dumps({"files": kinds}))
    return folders


def test_each_benchmark_has_a_run_in_small() -> None:
    """A new one that has none fails here."""
    assert sorted({run.split()[0] for run in RUNS} | set(PARTS)) == BENCHMARKS
    assert set(PARTS.values()) <= set(RUNS)


@pytest.mark.parametrize("run", RUNS)
def test_a_benchmark_runs_in_small(run: str, inputs: dict[str, Path], tmp_path: Path) -> None:
    """It prints figures and no traceback, and writes nothing into the repository."""
    name, *verb = run.split()
    need(*NEEDS.get(name, ()))
    before = subprocess.run(["git", "status", "--short"], cwd=ROOT, capture_output=True, check=True).stdout
    arguments = RUNS[run].format(**inputs, work=tmp_path).split()
    more = {"CORPUS_SPIDER_GOLD": str(inputs["gold"]), "TMPDIR": str(tmp_path)}
    script = ROOT / "benchmarks" / f"{name}.py"
    ended = loaded_program().run(tmp_path, [*verb, *arguments], environment(**more), PATIENCE, script)
    assert ended.returncode in ({0, 1} if name in GATED else {0}), ended.stderr
    assert "Traceback" not in ended.stderr
    assert any(character.isdigit() for character in ended.stdout) or list(tmp_path.iterdir()), ended.stdout
    assert subprocess.run(["git", "status", "--short"], cwd=ROOT, capture_output=True, check=True).stdout == before


def test_verbs_are_measured_in_postgresql_too(tmp_path: Path, postgres_server: PostgresServer) -> None:
    """Two of them on copies of documents, which are sound; a verb that changes the corpus gets a copied database."""
    arguments = ["--sizes", "20,40", "--stored", "20", "--verb", "check", "--verb", "remove"]
    arguments += ["--folder", str(tmp_path), "--database", postgres_server.url("postgres")]
    script = ROOT / "benchmarks" / "verbs.py"
    ended = loaded_program().run(tmp_path, arguments, environment(TMPDIR=str(tmp_path)), PATIENCE, script)
    assert ended.returncode == 0, ended.stderr
    assert [line.split(" | ")[0] for line in ended.stdout.splitlines()[2:]] == ["| check", "| remove"]
    for size in (1, 20, 40):
        postgres_server.execute(f"DROP DATABASE verbs_{size}")


def test_the_starts_of_the_queue_are_measured(
    inputs: dict[str, Path], tmp_path: Path, postgres_server: PostgresServer
) -> None:
    """Two workers crawl three newspapers twice."""
    need("queue")
    arguments = [str(inputs["gold"]), "--sites", "3", "--pages", "4", "--workers", "2", "--folder", str(tmp_path)]
    arguments += ["--postgresql", postgres_server.url("postgres")]
    script = ROOT / "benchmarks" / "capacity.py"
    ended = loaded_program().run(tmp_path, ["queue", *arguments], environment(TMPDIR=str(tmp_path)), PATIENCE, script)
    assert ended.returncode == 0, ended.stderr
    assert "2 pages a site: 9 pages" in ended.stdout
    assert "of the CPU of the pages" in ended.stdout
