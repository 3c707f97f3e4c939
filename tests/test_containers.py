"""Dockerfile, compose.yaml and the nightly loop, as far as a machine without a container engine can check them."""

from __future__ import annotations

import http.client
import importlib.util
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from storage import Corpus
from tests.conftest import free_port
from tests.corpus_spider.running import PATIENCE, ROOT, environment, program, until
from tests.extras import need

if TYPE_CHECKING:
    from pathlib import Path

FILES = ("Dockerfile", "compose.yaml", ".dockerignore", "README.md", "LICENSE", "pyproject.toml", "tools/crawl-nightly")
FOLDERS = ("requirements", "corpus_spider/exit_codes.py", "pipelines/__init__.py", "storage/__init__.py")


@pytest.fixture(scope="module")
def tool() -> Any:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("check_containers", ROOT / "tools" / "check_containers.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def context(tmp_path: Path) -> Path:
    """A copy of what the images are built from."""
    for name in (*FILES, *FOLDERS):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / name)
        else:
            shutil.copy2(ROOT / name, tmp_path / name)
    return tmp_path


def test_the_files_have_no_fault_and_the_script_says_what_it_did_not_do() -> None:
    """It runs as `make check-containers` runs it, without the part that needs the registry."""
    command = [sys.executable, "tools/check_containers.py"]
    ended = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("0 problems. No container engine was used")


@pytest.mark.parametrize(
    ("file", "before", "after", "fault"),
    [
        ("Dockerfile", "python:3.13-slim-trixie AS", "python:latest AS", "FROM needs an image with a version"),
        ("Dockerfile", "FROM python:3.13-slim-trixie\n", "FROM ghcr.example/x/python:3.13\n", "without a registry"),
        ("Dockerfile", "USER 1000:1000", "USER root", "the last user is root"),
        ("Dockerfile", "USER 1000:1000\n", "", "no USER"),
        ("Dockerfile", "--no-deps --require-hashes -r requirements/web", "-r requirements/web", "without hashes"),
        ("Dockerfile", "requirements/web.lock ", "requirements/wbe.lock ", "COPY finds no requirements/wbe.lock"),
        ("Dockerfile", " --no-install-recommends", "", "DL3015"),
        ("Dockerfile", "&& rm -rf /var/lib/apt/lists/*", "", "DL3009"),
        ("Dockerfile", 'CMD ["--help"]', "CMD --help", "must be a JSON list"),
        ("Dockerfile", "ARG CHROMIUM=0", "ARG DB_PASSWORD=x", "store a secret"),
        ("Dockerfile", "RUN useradd", "RUN sudo useradd", "no sudo"),
        (".dockerignore", "!storage\n", "", "COPY finds no storage"),
        (".dockerignore", "!tools/crawl-nightly\n", "", "COPY finds no tools/crawl-nightly"),
        ("compose.yaml", "      - --token-file\n      - /run/secrets/serve_token\n", "", "a token is required"),
        ("compose.yaml", '      - --behind-proxy\n      - "${SERVE_HOST:-localhost}"\n', "", "TLS is required"),
        ("compose.yaml", "- --listen", "- --listne", "No such option"),
        ("compose.yaml", '["--config", "/corpus"]', '["--confg", "/corpus"]', "No such option"),
        ("compose.yaml", "127.0.0.1:8321:8321", "8321:8321", "open to other machines"),
        ("compose.yaml", "corpus@db/corpus", "corpus:secret@db/corpus", "has a password"),
        ("compose.yaml", "PGPASSFILE: /run", "PGPASSWORD: /run", "a secret in the environment"),
        ("compose.yaml", 'user: "1000:1000"', 'user: "0:0"', "runs as root"),
        ("compose.yaml", "secrets: [pgpass]\n", "secrets: [pgpas]\n", "there is no secret pgpas"),
        ("compose.yaml", "database:/var", "databse:/var", "there is no volume databse"),
        ("compose.yaml", "postgres:17-trixie", "postgres", "the image has no version"),
        ("compose.yaml", '"--dbname=corpus"', '"--dbname corpus"', "Podman splits"),
    ],
)
def test_each_fault_is_found(tool: Any, context: Path, file: str, before: str, after: str, fault: str) -> None:
    """One mistake in the files gives a problem that names it."""
    text = (context / file).read_text()
    assert before in text
    (context / file).write_text(text.replace(before, after, 1))
    assert any(fault in problem for problem in tool.problems(context)), tool.problems(context)


@pytest.mark.parametrize(
    ("path", "ignored"),
    [
        ("storage/corpus.py", False),
        ("storage/__pycache__/corpus.pyc", True),
        ("tests/test_containers.py", True),
        ("requirements/web.lock", False),
        ("requirements/audit.py", True),
        ("tools/crawl-nightly", False),
        ("tools/plain_english.py", True),
        (".git/config", True),
        ("secrets/pgpass", True),
    ],
)
def test_only_what_the_image_needs_is_sent_to_the_builder(tool: Any, path: str, ignored: bool) -> None:
    """No secret, no repository, no cache."""
    assert tool.is_ignored(path, ROOT) is ignored


PROGRAM = f"""#!{sys.executable}
import os, signal, sys
from pathlib import Path
calls = Path(os.environ["CALLS"])
signal.signal(signal.SIGTERM, lambda *_: (calls.write_text("stopped"), os._exit(11)))
calls.write_text(" ".join(sys.argv[1:]))
while Path(f"{{calls}}.hang").exists():
    signal.pause()
sys.exit(8)
"""


def nightly(folder: Path, **more: str) -> subprocess.Popen[str]:
    program = folder / "corpus-spider"
    program.write_text(PROGRAM)
    program.chmod(0o755)
    variables = {"PATH": f"{folder}:{os.environ['PATH']}", "CALLS": str(folder / "calls")} | more
    command = [sys.executable, str(ROOT / "tools" / "crawl-nightly"), "--config", "/corpus"]
    return subprocess.Popen(command, env=variables, stderr=subprocess.PIPE, text=True, start_new_session=True)


def test_the_nightly_loop_crawls_at_once_and_waits_for_the_next_night(tmp_path: Path) -> None:
    """After a failing site too. A stop ends the wait at once."""
    loop = nightly(tmp_path)
    assert loop.stderr
    assert loop.stderr.readline() == "crawl-nightly: the crawl ended with exit code 8\n"
    assert (tmp_path / "calls").read_text() == "--config /corpus crawl"
    loop.send_signal(signal.SIGTERM)
    assert loop.wait(PATIENCE) == 0


def test_a_stop_of_the_nightly_loop_stops_the_crawl_gently(tmp_path: Path) -> None:
    """The crawl gets the signal, and its exit code is that of the loop."""
    (tmp_path / "calls.hang").touch()
    loop = nightly(tmp_path)
    until((tmp_path / "calls").exists)
    loop.send_signal(signal.SIGTERM)
    assert loop.wait(PATIENCE) == 11
    assert (tmp_path / "calls").read_text() == "stopped"


@pytest.mark.parametrize(
    ("zone", "now", "hours"),
    [
        ("UTC", "2026-11-26 01:15", 1),
        ("UTC", "2026-11-26 02:15", 24),
        ("UTC", "2026-12-31 03:15", 23),
        # Clocks go back at 03:00.
        ("Europe/Berlin", "2026-10-25 01:15", 1),
        ("Europe/Berlin", "2026-10-25 03:15", 23),
    ],
)
def test_the_next_night_begins_at_the_time_on_the_clock(zone: str, now: str, hours: int) -> None:
    """Also after the last crawl began at that minute, and when the clocks change."""
    script = (
        "import datetime, importlib.machinery as m, importlib.util as u;"
        f"l = m.SourceFileLoader('n', {str(ROOT / 'tools' / 'crawl-nightly')!r});"
        "n = u.module_from_spec(u.spec_from_loader('n', l)); l.exec_module(n);"
        f"print(n.seconds_until('02:15', datetime.datetime.fromisoformat('{now}').astimezone()) / 3600)"
    )
    variables = os.environ | {"TZ": zone, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", script], env=variables, capture_output=True, text=True, check=True)
    assert float(done.stdout) == hours


def test_the_nightly_loop_refuses_a_wrong_time(tmp_path: Path) -> None:
    """It would crawl without a pause, or never."""
    loop = nightly(tmp_path, CRAWL_AT="25:99")
    assert loop.wait(PATIENCE) == 2
    assert not (tmp_path / "calls").exists()


def test_the_page_on_containers_names_what_the_files_have() -> None:
    """Secrets, variables, services and the build argument."""
    page = (ROOT / "docs/how-to/containers.md").read_text()
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text())
    variables = re.findall(r"\$\{(\w+):-", (ROOT / "compose.yaml").read_text())
    names = {*compose["secrets"], *variables, *compose["services"]}
    assert [name for name in sorted(names) if not re.search(rf"\b{name}\b", page)] == []


def test_the_service_serve_works_as_it_is_written(tmp_path: Path) -> None:
    """With its command line it answers 401 without the token, 200 with it, and its health check agrees.

    Only the address differs: a free port of the loopback. There is no home folder, as in the container.
    """
    need("web")
    Corpus.open(tmp_path / "corpus.db", create=True).close()
    (tmp_path / "corpus.toml").write_text('[corpus]\nname = "news"\ncontact = "tests@example.org"\n')
    token = tmp_path / "token"
    token.write_text("a token of at least twenty characters")
    token.chmod(0o600)
    port, service = free_port(), yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]["serve"]
    changes = {"/corpus": str(tmp_path), "0.0.0.0:8321": f"127.0.0.1:{port}", "/run/secrets/serve_token": str(token)}
    command = [changes.get(each, "localhost" if each.startswith("${") else each) for each in service["command"]]
    variables = environment(HOME="/nonexistent")
    server = subprocess.Popen(program(*command), cwd=tmp_path, env=variables, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr
        assert "until you press Ctrl-C" in server.stderr.readline()
        kind, shell = service["healthcheck"]["test"]
        assert kind == "CMD-SHELL"
        check = [sys.executable, *shlex.split(shell.replace("8321", str(port)))[1:]]
        until(lambda: subprocess.run(check, capture_output=True, check=False).returncode == 0)
        connection = http.client.HTTPConnection("localhost", port, timeout=PATIENCE)
        connection.request("GET", "/", headers={"Authorization": f"Bearer {token.read_text()}"})
        assert connection.getresponse().status == 200
    finally:
        server.terminate()
        server.wait(PATIENCE)
    assert subprocess.run(check, capture_output=True, check=False).returncode != 0
