"""Command line: commands, exit codes, and messages with what happened, where, and what to do."""

from __future__ import annotations

import errno
import json
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from corpus_spider.cli.app import cli, run
from storage import errors
from storage.corpus import Corpus
from tests.corpus_spider.running import PATIENCE


def test_help_imports_nothing_heavy() -> None:
    """--help of the program and of every verb starts without Scrapy, SQLAlchemy, Arrow and their like."""
    heavy = "{'scrapy', 'twisted', 'sqlalchemy', 'pyarrow', 'lxml', 'trafilatura', 'rich', 'numpy', 'msgspec'}"
    code = (
        "import sys\nfrom corpus_spider.cli.app import cli, run\n"
        "assert run(['--help']) == 0\n"
        "assert all(run([verb, '--help']) == 0 for verb in cli.commands)\n"
        f"print(sorted({heavy} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stderr.strip()) == (0, "[]")


@pytest.mark.parametrize("verb", sorted(cli.commands))
def test_the_help_of_every_verb_teaches_by_example(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each verb explains itself, every option, and shows a command to copy."""
    assert run([verb, "--help"]) == 0
    shown = capsys.readouterr().out
    assert f"corpus-spider {verb}" in shown.partition("Examples:")[2]
    assert cli.commands[verb].help
    assert all(one.help for one in cli.commands[verb].params if isinstance(one, click.Option))


def test_the_version_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """--version names the program and its version."""
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("corpus-spider ")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["nonsense"], "No such command"),
        (["crawl", "--nonsense"], "No such option"),
        (["crawl", "--page-limit", "0"], "page-limit"),
        (["export"], "--output"),
        (["export", "-o", "x.jsonl", "--since", "yesterday"], "--since"),
        (["extract"], "Name a URL"),
        (["-s", "crawl.delay", "config"], "SECTION.KEY=VALUE"),
        (["-s", "crawl.dealy=1", "config"], "did you mean delay"),
        (["-s", "site.x=1", "config"], "with one of corpus, crawl"),
        (["crawl", "--site", "exmaple", "--dry-run"], "did you mean example"),
        (["crawl", "--site", "example, exmaple", "--dry-run"], 'there is no site "exmaple"'),
        (["-c", "none.toml", "status"], "none.toml"),
        (["-c", "none.toml", "status"], "Create one with `corpus-spider init"),
        (
            ["crawl", "--since", "20.11.2026", "--dry-run"],
            "expected a day such as 2026-11-20, a month such as 2026-11, or a year, got",
        ),
        (
            ["export", "--until", "2026-", "--dry-run"],
            "expected a day such as 2026-11-20, a month such as 2026-11, or a year, got",
        ),
        (["schedule", "--at", "3"], "expected a time such as 02:15, got"),
        (["status"], "corpus.db"),
        (["export", "-o", "x.jsonl"], "corpus.db"),
        (["extract", "none.html"], "none.html"),
        (["extract", "news.example.org/a"], "a web address with its https://"),
        (["extract", "corpus.toml", "--language", "arabic"], "--language: expected a language code"),
        (["extract", "ftp://example.org/a"], "only http and https"),
        (["extract", "file:///etc/passwd"], "only http and https"),
        (["extract", "corpus.toml", "--url", "notaurl"], "only http and https"),
        (["evaluate", "--gold", "nowhere"], "nowhere"),
        (["init", "x", "--contact", "me@example.org", "--site", "http://[::1/"], "Invalid IPv6 URL"),
        (["demo", "--keep", "corpus.toml"], "contains other files than a demo"),
        (["dropped", "--limit", "9" * 20], "--limit"),
        (["export", "-o", "x.jsonl", "--min-chars", "9" * 20], "--min-chars"),
        (["sites", "check", "--max-age", "9" * 11], "--max-age"),
        (["health", "--max-age", "1e300"], "--max-age"),
    ],
)
def test_mistakes_are_usage_errors_that_name_the_mistake(
    home: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], expected: str
) -> None:
    """Exit code 2, the message on standard error, nothing on standard output."""
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert expected in captured.err
    assert captured.out == ""


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.CorpusError("it failed"), 1),
        (errors.ConfigError("it failed"), 2),
        (errors.DiskError("it failed"), 3),
        (OSError(errno.ENOSPC, "it failed"), 3),
        (OSError(errno.EMFILE, "it failed"), 3),
        (OSError(errno.ENFILE, "it failed"), 3),
        (MemoryError(), 1),
        (RuntimeError("can't start new thread"), 1),
        (errors.DatabaseError("it failed"), 4),
        (errors.LockedError(("example",)), 5),
        (errors.DamageError("it failed"), 6),
        (errors.NewerCorpusError("it failed"), 9),
        (KeyboardInterrupt(), 11),
        (ZeroDivisionError("it failed"), 1),
    ],
)
def test_every_error_has_its_exit_code_and_one_message(
    home: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    code: int,
) -> None:
    """What ends a verb decides the exit code; the user sees a message, never a traceback."""

    def fail(_: object) -> None:
        raise error

    (home / "corpus.db").touch()
    monkeypatch.setattr("corpus_spider.api.status.read_status", fail)
    assert run(["status", "--json"]) == code
    message = capsys.readouterr().err
    assert message.startswith("corpus-spider: ")
    assert "Traceback" not in message
    assert ("internal error" in message) is isinstance(error, ZeroDivisionError)


def test_an_internal_error_says_how_to_report_it(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without -v the way to the traceback, with -v the traceback; control characters of its text are escaped."""

    def fail(_: object) -> None:
        raise ZeroDivisionError("\x1b[2Jinjected")

    (home / "corpus.db").touch()
    monkeypatch.setattr("corpus_spider.api.status.read_status", fail)
    assert run(["status", "--json"]) == 1
    assert "with -v" in capsys.readouterr().err
    assert run(["status", "--json", "-v"]) == 1
    reported = capsys.readouterr().err
    assert "Traceback" in reported
    assert "\x1b" not in reported


def test_an_error_says_what_where_and_what_to_do(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong key is answered with file, key and the nearest right one."""
    file = home / "corpus.toml"
    file.write_text(file.read_text().replace("start", "strat"))
    assert run(["config"]) == 2
    reported = capsys.readouterr().err
    assert str(home / "corpus.toml") in reported
    assert "site[0].strat (example): there is no such key (did you mean start?)" in reported


def test_init_makes_a_corpus_that_can_be_planned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two commands lead from nothing to the list of what would be crawled; a third init is refused."""
    monkeypatch.chdir(tmp_path)
    assert run(["init", "news", "--language", "vi", "--contact", "me@example.org"]) == 0
    assert "crawl --dry-run" in capsys.readouterr().err
    assert run(["-c", "news/corpus.toml", "crawl", "--dry-run", "--json"]) == 0
    planned = json.loads(capsys.readouterr().out)
    assert "me@example.org" in planned["user_agent"]
    assert planned["limits"] == {}
    assert {seed["kind"] for seed in planned["seeds"]} == {"page", "feed"}
    assert run(["init", "news", "--language", "ar", "--contact", "me@example.org"]) == 2
    assert list(Path("news").iterdir()) == [Path("news/corpus.toml")]


def test_a_dry_run_names_the_limits_and_days_of_a_crawl(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As they come of file and options together: in units for people, in seconds and bytes in JSON."""
    file = home / "corpus.toml"
    file.write_text(f'{file.read_text()}\n[crawl]\ntime_limit = "4h"\n')
    bounds = ("crawl", "--dry-run", "--size-limit", "5 GiB", "--since", "2026-11-01")
    assert run([*bounds, "--json"]) == 0
    limits = json.loads(capsys.readouterr().out)["limits"]
    assert limits == {"time_limit": 14400.0, "size_limit": 5 * 2**30, "since": "2026-11-01"}
    assert run([*bounds]) == 0
    reported = capsys.readouterr().out.splitlines()
    assert {"time_limit\t14400 s", "size_limit\t5.0 GiB", "since\t2026-11-01"} <= set(reported)


def test_a_folder_that_was_removed_is_reported_and_matters_only_where_it_is_needed(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A verb that looks for ./corpus.toml says so with exit code 2; with -c it works."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert run(["config"]) == 2
    assert "the current folder was deleted" in capsys.readouterr().err
    assert run(["-c", str(home / "corpus.toml"), "config"]) == 0


@pytest.mark.parametrize(
    ("sites", "steps"),
    [
        (("--language", "vi", "--site", "vnexpress"), ["sites check --write", "crawl --dry-run", "crawl"]),
        (
            ("--language", "vi", "--site", "vov", "--site", "https://a.example/"),
            [
                "sites discover https://a.example/ vov --write",
                *("sites check --write", "crawl --dry-run", "crawl"),
            ],
        ),
        ((), ["sites discover https://… --write", "crawl --dry-run", "crawl"]),
        (("--site", "https://a.example/"), ["sites discover https://a.example/ --write", "crawl --dry-run", "crawl"]),
    ],
)
def test_init_says_what_comes_next(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], sites: tuple[str, ...], steps: list[str]
) -> None:
    """The sources of unknown newspapers must be searched first; a shell accepts the printed command."""
    assert run(["init", str(tmp_path / "my news"), "--contact", "me@example.org", *sites]) == 0
    reported = [shlex.split(line) for line in capsys.readouterr().err.splitlines() if line.startswith("  ")]
    before = ["corpus-spider", "-c", str(tmp_path / "my news" / "corpus.toml")]
    assert reported == [[*before, *step.split()] for step in steps]


@pytest.mark.parametrize("given", [("--language", "vi", "--language", "fa"), ("--language", "vi, fa")])
def test_languages_are_given_one_by_one_or_with_commas(tmp_path: Path, given: tuple[str, ...]) -> None:
    """As everywhere else on a command line."""
    assert run(["init", str(tmp_path / "new"), "--contact", "me@example.org", *given]) == 0
    assert 'languages = ["vi", "fa"]' in (tmp_path / "new" / "corpus.toml").read_text("utf-8")


@pytest.mark.parametrize(("sites", "reported"), [((), True), (("--site", "https://a.example/"), False)])
def test_init_says_in_which_languages_it_knows_no_newspaper(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], sites: tuple[str, ...], reported: bool
) -> None:
    """They would be missed without a word; who names newspapers knows."""
    asked = ("--language", "vi", "--language", "sw", "--contact", "me@example.org", *sites)
    assert run(["init", str(tmp_path / "new"), *asked]) == 0
    assert ("No newspaper is known in sw. " in capsys.readouterr().err) is reported


def test_a_crawl_without_contact_or_site_does_not_start(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a contact, or with nothing to do: exit code 2 before anything is opened."""
    head, _, site = (home / "corpus.toml").read_text().partition("[[site]]")
    for text, expected in ((f"[[site]]{site}", "contact is missing"), (head, "there is no [[site]]")):
        (home / "corpus.toml").write_text(text, encoding="utf-8")
        assert run(["crawl"]) == 2
        assert expected in capsys.readouterr().err
    assert [path.name for path in home.iterdir()] == ["corpus.toml"]


def test_an_unknown_extractor_is_reported_before_the_crawl(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A misspelt extractor does not cost a night."""
    with (home / "corpus.toml").open("a") as file:
        file.write('extractor = "densty"\n')
    (home / "corpus.db").touch()
    for verb in (["crawl", "--dry-run"], ["crawl"], ["reextract"]):
        assert run(verb) == 2
        reported = capsys.readouterr().err
        assert str(home / "corpus.toml") in reported
        assert 'extractor (example): there is no extractor "densty" (did you mean density?)' in reported


def test_common_options_override_the_file_before_the_verb_and_after_it(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """--set is stronger than corpus.toml and the environment, wherever it stands, and so is --config."""
    monkeypatch.setenv("CORPUS_SPIDER_CONFIG", "none.toml")
    monkeypatch.setenv("CORPUS_SPIDER_CRAWL_DELAY", "6")
    arguments = ["-s", "crawl.delay=7", "config", "-c", "corpus.toml", "--set", "crawl.max_body=1 MiB"]
    assert run(arguments) == 0
    crawl = json.loads(capsys.readouterr().out)["crawl"]
    assert (crawl["delay"], crawl["max_body"]) == (7.0, 2**20)


def test_an_empty_corpus_has_a_status_and_can_be_exported(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """status and export speak JSON on standard output, and a second export does not overwrite."""
    Corpus.open(home / "corpus.db", create=True).close()
    assert run(["status", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["documents"] == 0
    assert run(["status", "--all"]) == 0
    reported = capsys.readouterr().out
    assert "no documents yet   corpus-spider crawl\n" in reported
    assert "documents\t0\n" in reported
    assert run(["export", "-o", "out.jsonl", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["documents"], report["bytes"], len(report["sha256"])) == (0, 0, 64)
    assert report["format"] == "jsonl"
    assert run(["export", "-o", "out.jsonl"]) == 2
    assert "add `--overwrite`" in capsys.readouterr().err
    assert run(["export", "-o", "out.jsonl", "--overwrite"]) == 0


@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
@pytest.mark.parametrize(
    "target", ["corpus.db", "./corpus.db", "corpus.db-wal", "corpus.db-shm", "corpus.toml", "warc/x", "warc/y/"]
)
def test_an_export_takes_the_place_of_no_file_of_the_corpus(
    home: Path, capsys: pytest.CaptureFixture[str], target: str, dry: list[str]
) -> None:
    """A script with --overwrite and a wrong file name would delete the corpus."""
    Corpus.open(home / "corpus.db", create=True).close()
    own = ("corpus.db", "corpus.toml")
    before = [(home / name).read_bytes() for name in own]
    form = "txt" if target.endswith("/") else "jsonl"
    assert run(["export", "-o", target, "--format", form, "--overwrite", *dry]) == 2
    assert "belongs to the corpus itself" in capsys.readouterr().err
    assert [(home / name).read_bytes() for name in own] == before


def test_a_rehearsal_looks_for_the_earlier_release(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Otherwise the export itself would report the mistake, hours later."""
    Corpus.open(home / "corpus.db", create=True).close()
    assert run(["export", "--since-release", "none.json", "--dry-run"]) == 2
    assert "Name a manifest.json" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["status", "check", "reextract", "export"])
def test_without_a_corpus_the_message_names_crawl(home: Path, capsys: pytest.CaptureFixture[str], verb: str) -> None:
    """What reads a corpus says in the shell's words how one is made."""
    assert run([verb, *(["-o", "x.jsonl"] if verb == "export" else [])]) == 2
    assert "Run `corpus-spider crawl` first." in capsys.readouterr().err


def test_an_export_of_an_unknown_site_is_a_mistake_and_one_of_nothing_is_reported(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A misspelt --site is answered as by crawl; a selection without documents gives a note."""
    Corpus.open(home / "corpus.db", create=True).close()
    assert run(["export", "-o", "x.jsonl", "--site", "exmaple"]) == 2
    assert "did you mean example" in capsys.readouterr().err
    assert not (home / "x.jsonl").exists()
    assert run(["export", "-o", "x.jsonl", "--site", "example"]) == 0
    assert "No document matches" in capsys.readouterr().err


def test_quiet_leaves_the_summary_out_unless_json_is_asked_for(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A crontab's mail is empty when all went well."""
    Corpus.open(home / "corpus.db", create=True).close()
    for arguments in (["export", "-o", "x.jsonl"], ["reextract"], ["check"]):
        assert run(["-q", *arguments]) == 0
        captured = capsys.readouterr()
        assert (captured.out, captured.err) == ("", "")
    assert run(["-q", "check", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ok"]


def test_quiet_still_reports_damage(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What check finds is what went wrong."""
    Corpus.open(home / "corpus.db", create=True).close()
    monkeypatch.setattr("storage.corpus.Corpus.problems", lambda *_: ["a row points nowhere"])
    assert run(["-q", "check"]) == 6
    assert capsys.readouterr() == ("", "a row points nowhere\n")


def test_an_export_to_standard_output_holds_nothing_else(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The report goes to standard error, so that a pipe gets documents only."""
    Corpus.open(home / "corpus.db", create=True).close()
    assert run(["export", "-o", "-", "--format", "jsonl"]) == 0
    captured = capfd.readouterr()
    assert captured.out == ""
    assert "0 documents" in captured.err


def test_a_page_in_a_file_is_extracted(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The text on standard output, what is known of it on standard error; exit code 1 when there is no text."""
    sentence = "The committee met on Tuesday and agreed that the bridge will be rebuilt next year. "
    (home / "page.html").write_text(f"<html lang=en><title>Bridge</title><article><p>{sentence * 5}</article>")
    assert run(["extract", "page.html"]) == 0
    captured = capsys.readouterr()
    assert captured.out.strip() == (sentence * 5).strip()
    assert "Bridge" in captured.err
    assert "; scored (" in captured.err
    assert "; utf-8, by its bytes" in captured.err
    assert run(["extract", "page.html", "--json"]) == 0
    known = json.loads(capsys.readouterr().out)
    assert (known["language"], known["title"], len(known["exact"])) == ("en", "Bridge", 32)
    (home / "empty.html").write_text("<html></html>")
    assert run(["extract", "empty.html"]) == 1
    assert "no text" in capsys.readouterr().err
    assert run(["extract", "empty.html", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["drop"]["reason"] == "blank"


def test_the_extractors_are_listed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--list needs no page and shows every extractor."""
    assert run(["extract", "--list"]) == 0
    assert "auto" in capsys.readouterr().out
    assert run(["extract", "--list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert {"name", "version", "for", "description"} == set(listed[0])
    assert [one["name"] for one in listed if not one["description"]] == []


def test_the_configuration_is_json_whether_asked_or_not(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--json is accepted by config as by the other verbs."""
    assert run(["config"]) == 0
    plain = capsys.readouterr().out
    assert run(["config", "--json"]) == 0
    assert capsys.readouterr().out == plain


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("corpus.database=sqlite:///folder", "database names a folder"),
        ("corpus.database=sqlite:///file/corpus.db", "database is in a folder, but "),
        ("corpus.warc=file", "warc names a file"),
        ("corpus.warc=file/warc", "warc is in a folder, but "),
        ("crawl.workers=100000000", "expected a whole number of at most 1024"),
    ],
)
def test_a_dry_run_finds_what_would_keep_a_crawl_from_starting(
    tmp_path: Path, setting: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Folders in place of files and the other way round, and more workers than any machine can have."""
    toml = '[corpus]\ncontact = "a@example.org"\n[[site]]\nname = "a"\nstart = ["https://a.example/"]\n'
    (tmp_path / "corpus.toml").write_text(toml)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    assert run(["-c", str(tmp_path), "-s", setting, "crawl", "--dry-run"]) == 2
    assert words in capsys.readouterr().err
    assert sorted(each.name for each in tmp_path.iterdir()) == ["corpus.toml", "file", "folder"]


def test_init_takes_its_sites_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Names and addresses, beside those of --site; two addresses of one host are one site."""
    listed = tmp_path / "papers.txt"
    addresses = [f"https://{name}.example/" for name in ("a", "b", "c")]
    listed.write_text("\n".join(["# papers", "vnexpress", *addresses, "https://www.a.example/sport", ""]))
    made = ("init", str(tmp_path / "news"), "--language", "vi", "--contact", "me@example.org", "--site", "tuoitre")
    assert run([*made, "--sites-from", str(listed)]) == 0
    assert "sites discover --all --write" in capsys.readouterr().err
    assert run(["-c", str(tmp_path / "news"), "crawl", "--dry-run", "--json"]) == 0
    planned = json.loads(capsys.readouterr().out)
    assert [site["name"] for site in planned["sites"]] == [
        "tuoitre",
        "vnexpress",
        "a.example",
        "b.example",
        "c.example",
    ]
    starts = [seed["url"] for seed in planned["seeds"] if seed["site"] == "a.example"]
    assert starts == ["https://a.example/", "https://www.a.example/sport"]
    assert run(["init", str(tmp_path / "other"), *made[2:6], "--sites-from", str(tmp_path / "missing")]) == 2
