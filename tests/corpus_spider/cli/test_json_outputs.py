"""Every `--json` output has a published JSON Schema, made from the types of the results, and follows it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest
from jsonschema import Draft202012Validator

from corpus_spider.cli import json_outputs
from corpus_spider.cli.app import cli, run
from corpus_spider.cli.json_outputs import OUTPUTS
from corpus_spider.demo.server import serve
from corpus_spider.demo.site import build_site
from storage import Corpus, Selection
from tests.corpus_spider.cli.commands import verbs
from tests.corpus_spider.running import PATIENCE, ROOT, environment
from tests.corpus_spider.running import run as run_program
from tests.extras import need

SCHEMAS = ROOT / "corpus_spider" / "cli" / "schemas"
VERBS = verbs(cli)
SEARCHING = {"index", "search", "words", "words-against", "words-around", "words-by", "cloud"}
CASES = [
    ("backup", "backup copy"),
    ("check", "check --deep"),
    ("cloud", "cloud --language vi"),
    ("config", "config"),
    ("crawl-dry-run", "crawl --dry-run"),
    ("doctor", "doctor"),
    ("dropped", "dropped"),
    ("dedup", "dedup RELEASE -o unique --include-duplicates"),
    ("dedup", "dedup RELEASE --dry-run"),
    ("evaluate", "evaluate --gold gold --compare bte"),
    ("evaluate-paper-tables", "evaluate --gold gold --paper-tables site --extractor r2l,bte"),
    ("evaluate-site-models", "evaluate --gold gold --site-models"),
    ("export", "export -o all.jsonl"),
    ("export", "export -o release/ --release"),
    ("export-dry-run", "export --dry-run"),
    ("export-originals", "export -o all.wacz"),
    ("extract", "extract gold/pages/p1.html"),
    ("extract", "extract empty.html"),
    ("extract-pages", "extract gold/pages empty.html -o texts.jsonl"),
    ("extract-list", "extract --list"),
    ("health", "health"),
    ("help", "help duplicates"),
    ("import", "import ARCHIVE --dry-run"),
    ("index", "index"),
    ("learn", "learn --dry-run"),
    ("migrate", "migrate --dry-run"),
    ("move", "move sqlite:///other.db"),
    ("plot", "plot URL"),
    ("process", "process warc -o processed"),
    ("prune", "prune --dry-run"),
    ("process", "process warc -o processed"),
    ("prune", "prune -s archive.max=1"),
    ("reextract", "reextract --dry-run"),
    ("remove", "remove --url URL --dry-run"),
    ("remove", "remove --domain DOMAIN --reason asked --yes"),
    ("rules-try", "rules try gold/pages/p1.html --content article --date time"),
    ("search", "search chính"),
    ("show", "show URL"),
    ("sites-check", "sites check"),
    ("sites-check", "sites check --max-age 36500"),
    ("sites-discover", "sites discover HOME"),
    ("sites-discover-all", "sites discover HOME HOME/nothing"),
    ("sites-list", "sites list --language vi"),
    ("status", "status"),
    ("tune", "tune vi-demo --gold gold --extractor bte,r2l"),
    ("words", "words --language vi"),
    ("words-against", "words --language vi --against rest"),
    ("words-around", "words --language vi --around bà"),
    ("words-by", "words --language vi --by month một"),
]
"""Schema and command line. Codes other than 0 are allowed: the demo corpus may be too old for `health`."""
SENTENCE = (
    "Hội đồng đã họp hôm thứ ba và đồng ý rằng cây cầu số {} sẽ được xây lại vào năm tới, sau nhiều năm chờ đợi. "
)
PROMPT = "Đăng ký nhận bản tin của chúng tôi để đọc thêm những bài viết hay nhất mỗi sáng."


@pytest.fixture(scope="module")
def outputs() -> dict[str, Any]:
    """JSON outputs of the commands that run the crawler, by schema. Filled by the corpus."""
    return {}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory, outputs: dict[str, Any]) -> Path:
    """The demo corpus, crawled again, with a folder of true texts beside it."""
    folder = tmp_path_factory.mktemp("json")
    outputs["demo"] = crawler(folder, "-q", "demo", "--keep", "corpus")
    corpus = folder / "corpus"
    outputs["crawl"] = crawler(corpus, "-q", "crawl")
    entries = []
    for part in ("pages", "gold"):
        (corpus / "gold" / part).mkdir(parents=True)
    for number in range(1, 7):
        text = [SENTENCE.format(10 * number + each) * 2 for each in range(4)]
        page = "".join(f"<p>{line}</p>" for line in [*text, PROMPT])
        (corpus / f"gold/pages/p{number}.html").write_text(f"<html lang=vi><article>{page}</article>")
        (corpus / f"gold/gold/p{number}.txt").write_text("\n".join(text))
        entries.append(json.dumps({"id": f"p{number}", "lang": "vi", "site": "vi-demo"}))
    (corpus / "gold/manifest.jsonl").write_text("\n".join(entries))
    (corpus / "empty.html").write_text("<html></html>")
    return corpus


@pytest.fixture
def home(demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the demo corpus, as the current folder."""
    shutil.copytree(demo, tmp_path / "demo")
    monkeypatch.chdir(tmp_path / "demo")
    return tmp_path / "demo"


def crawler(folder: Path, *arguments: str) -> Any:
    """Return the JSON output of a command that needs a process of its own."""
    done = run_program(folder, *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def closed(schema: Any) -> Any:
    """Return a schema that allows no field which it does not name."""
    if isinstance(schema, dict):
        inner = {key: closed(value) for key, value in schema.items()}
        return {"additionalProperties": False, **inner} if "properties" in schema else inner
    return [closed(each) for each in schema] if isinstance(schema, list) else schema


def assert_valid(name: str, value: Any) -> None:
    """Compare an output with its schema, in both directions: no field is missing, none is undocumented."""
    schema = json.loads((SCHEMAS / f"{name}.json").read_text())
    errors = [
        f"{error.json_path}: {error.message}" for error in Draft202012Validator(closed(schema)).iter_errors(value)
    ]
    assert errors == []


def test_schemas_and_their_page_are_made_from_the_types() -> None:
    """The stored files are those that `tools/json_schemas.py` makes now, and each is a valid schema."""
    command = [sys.executable, "tools/json_schemas.py", "--check"]
    done = subprocess.run(
        command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    for file in SCHEMAS.glob("*.json"):
        Draft202012Validator.check_schema(json.loads(file.read_text()))


def test_the_types_of_outputs_are_those_of_the_results() -> None:
    """No output is defined again beside its name."""
    own = {
        name for name, value in vars(json_outputs).items() if getattr(value, "__module__", "") == json_outputs.__name__
    }
    assert own == {"Output"}


def test_every_command_with_json_has_a_schema() -> None:
    """And every schema belongs to a command."""
    with_json = {verb for verb, command in VERBS.items() if any("--json" in one.opts for one in command.params)}
    assert {output.command for output in OUTPUTS} == with_json
    assert len({output.name for output in OUTPUTS}) == len(OUTPUTS)


def test_every_schema_is_compared_with_an_output() -> None:
    """The cases below have all of them, with those of the crawler, of lifted removals and of the queue."""
    elsewhere = {"demo", "crawl", "remove-undo", "crawl-queue", "worker-list", "worker-gone"}
    assert {name for name, _ in CASES} | elsewhere == {output.name for output in OUTPUTS}


@pytest.mark.parametrize(("name", "line"), CASES, ids=[f"{name}: {line}" for name, line in CASES])
def test_an_output_follows_its_schema(name: str, line: str, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The output of the command on the demo corpus has all fields of its schema, of these types, and no other."""
    if name in SEARCHING:
        need("web")
    site = tomllib.loads((home / "corpus.toml").read_text())["site"][0]
    front = site["start"][0].rstrip("/")
    with Corpus.open("corpus.db", read_only=True) as corpus:
        page = next(corpus.documents(Selection(sites=("vi-demo",)))).url
    capsys.readouterr()
    values = {"HOME": f"{front}/", "HOME/nothing": f"{front}/nothing", "URL": page, "DOMAIN": "vi.demo.localhost"}
    values["ARCHIVE"] = str(next(Path("warc").glob("*.warc.gz")))
    if "RELEASE" in line:
        need("dedup")
        assert run(["-q", "export", "-o", "release/", "--release"]) == 0
        values["RELEASE"] = "release"
        capsys.readouterr()
    with serve(build_site(), int(front.rpartition(":")[2])):
        run([*(values.get(part, part) for part in line.split()), "--json"])
    shown = capsys.readouterr()
    assert shown.out, shown.err
    assert_valid(name, json.loads(shown.out))


def test_outputs_of_the_crawler_follow_their_schemas(demo: Path, outputs: dict[str, Any]) -> None:
    """Of `demo` and `crawl`."""
    assert set(outputs) == {"demo", "crawl"}
    for name, value in outputs.items():
        assert_valid(name, value)


def test_the_output_of_a_lifted_removal_follows_its_schema(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`remove --undo` after a removal."""
    assert run(["remove", "--domain", "vi.demo.localhost", "--reason", "asked", "--yes", "--json"]) == 0
    number = json.loads(capsys.readouterr().out)["removal"]
    assert run(["remove", "--undo", str(number), "--json"]) == 0
    assert_valid("remove-undo", json.loads(capsys.readouterr().out))


def test_a_schema_is_printed_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    """`schema` lists them with their versions, `schema NAME` prints one; another name is refused with the nearest."""
    assert run(["schema"]) == 0
    listed = {line.split("\t")[0]: line.split("\t")[1] for line in capsys.readouterr().out.splitlines()[2:]}
    assert listed == {output.name: str(output.version) for output in OUTPUTS}
    assert run(["schema", "status"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert (schema["$id"], schema["title"]) == ("urn:corpus-spider:status:1", "corpus-spider status --json")
    assert run(["schema", "statsu"]) == 2
    assert "did you mean status?" in capsys.readouterr().err


def test_the_help_of_json_names_the_schemas() -> None:
    """The help of --json names the command that prints its schema."""
    for verb, command in VERBS.items():
        for option in command.params:
            if isinstance(option, click.Option) and "--json" in option.opts:
                assert re.search(r"`schema`", option.help or ""), verb
