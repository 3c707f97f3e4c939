"""Check Dockerfile and compose.yaml without a container engine: ``python tools/check_containers.py [--run] [--build]``

Checks the rules of hadolint that matter here, and that each COPY finds its source. Checks that compose.yaml is
consistent and gives no password away, and that the program accepts each command line. ``--run`` also executes the steps
of the Dockerfile in a new folder, and the program that was installed there. It needs the package registry.
``--build`` builds the image with Docker or Podman, where one runs, and runs the program in it.

Exit codes: 0 no problem, 1 problems.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import yaml

from corpus_spider.cli.app import cli
from corpus_spider.web.serving import listening
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parents[1]
NOT_RUN = "No container engine was used: the images were not built, and the services were not started."
BUILT = "The image was built and run. The services of compose.yaml were not started."
IMAGE = "corpus-spider:check"
KNOWN = frozenset({"FROM", "RUN", "COPY", "ENV", "ARG", "WORKDIR", "USER", "ENTRYPOINT", "CMD", "HEALTHCHECK"})
"""Instructions that are used here. ADD fetches URLs and unpacks archives, so it is none of them."""
SYSTEM_STEPS = ("apt-get", "useradd")
"""Programs of steps that change the machine. They are not run in a folder."""
PYTHON = ("3.11", "3.12", "3.13", "3.14")
SECRET = re.compile(r"PASSWORD|TOKEN|SECRET|KEY", re.IGNORECASE)
VARIABLE = re.compile(r"\$\{(\w+):-([^}]*)\}")
SECONDS = 1800


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction of a Dockerfile, with the number of its stage (0: the first)."""

    stage: int
    word: str
    text: str

    @property
    def listed(self) -> list[str] | None:
        """The arguments of the JSON form; None for another form."""
        try:
            found = json.loads(self.text)
        except ValueError:
            return None
        return found if isinstance(found, list) else None


def parse(text: str) -> list[Step]:
    """Parse a Dockerfile. Raises ValueError for a line that is no instruction."""
    joined = re.sub(r"\\\n\s*", " ", re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE))
    steps: list[Step] = []
    for line in filter(None, map(str.strip, joined.split("\n"))):
        word, _, rest = line.partition(" ")
        if not word.isupper() or not rest.strip():
            raise ValueError(f"no instruction: {line}")
        stage = sum(step.word == "FROM" for step in steps) - (word != "FROM")
        steps.append(Step(stage, word, rest.strip()))
    return steps


def lint(steps: Sequence[Step], context: Path) -> Iterator[str]:
    """Yield what hadolint, or a careful reader, would say."""
    last = max(step.stage for step in steps)
    if any(step.word not in KNOWN for step in steps):
        yield f"unknown or unwanted instructions: {sorted({step.word for step in steps} - KNOWN)}"
    for step in steps:
        yield from lint_step(step, context)
    if not any(step.stage == last and step.word == "USER" for step in steps):
        yield "the last stage has no USER (DL3002)"
    users = [step.text for step in steps if step.word == "USER"]
    if users and users[-1].split(":")[0] in {"0", "root"}:
        yield "the last user is root (DL3002)"
    if sum(step.word == "CMD" for step in steps) > 1 or sum(step.word == "ENTRYPOINT" for step in steps) > 1:
        yield "several CMD or ENTRYPOINT (DL4003, DL4004)"


def lint_step(step: Step, context: Path) -> Iterator[str]:
    """Yield the faults of one instruction."""
    if step.word == "FROM" and not re.fullmatch(r"[a-z]+:(\d+\.)+?\d+[\w.-]*( AS \w+)?", step.text):
        yield f"FROM needs an image with a version, without a registry (DL3006, DL3007): {step.text}"
    if step.word == "WORKDIR" and not step.text.startswith("/"):
        yield f"WORKDIR must be absolute (DL3000): {step.text}"
    if step.word in {"ENTRYPOINT", "CMD"} and step.listed is None:
        yield f"{step.word} must be a JSON list (DL3025): {step.text}"
    if step.word in {"ENV", "ARG"} and SECRET.search(step.text):
        yield f"{step.word} would store a secret in the image: {step.text}"
    if step.word == "RUN":
        yield from lint_run(step)
    if step.word == "COPY" and "--from=" not in step.text:
        yield from (f"COPY finds no {source}" for source in sources(step) if not copied(source, context))


def lint_run(step: Step) -> Iterator[str]:
    """Yield the faults of a RUN."""
    for command in re.split(r"&&|;|\bthen\b|\bfi\b", step.text):
        words = command.split()
        if "sudo" in words or "cd" in words[:1]:
            yield f"no sudo and no cd (DL3003, DL3004): {command.strip()}"
        if "|" in words:
            yield f"a pipe hides the exit code of its first program (DL4006): {command.strip()}"
        if "pip install" in command and "--require-hashes" not in words and words[-2:] != ["--no-deps", "."]:
            yield f"pip install without hashes: {command.strip()}"
        if "apt-get install" in command and not {"-y", "--no-install-recommends"} <= set(words):
            yield f"apt-get install without -y or --no-install-recommends (DL3014, DL3015): {command.strip()}"
    if "apt-get install" in step.text and not re.search(r"apt-get update.*rm -rf /var/lib/apt/lists", step.text):
        yield "apt-get install without update before and removal of the lists after (DL3009)"
    if re.search(r"https?://", step.text):
        yield f"an address in a step: {step.text}"


def sources(step: Step) -> list[str]:
    """Return the sources of a COPY."""
    return [word for word in step.text.split() if not word.startswith("--")][:-1]


def copied(source: str, context: Path) -> list[Path]:
    """Return the files that a COPY of this source finds: those that .dockerignore lets through."""
    place = context / source
    files = [place] if place.is_file() else sorted(path for path in place.rglob("*") if path.is_file())
    return [file for file in files if not is_ignored(file.relative_to(context).as_posix(), context)]


def is_ignored(path: str, context: Path) -> bool:
    """Return whether .dockerignore leaves a file out. The last rule that matches it, or a folder of it, counts."""
    parts = path.split("/")
    names = ["/".join(parts[:length]) for length in range(1, len(parts) + 1)]
    ignored = False
    for rule in filter(None, (context / ".dockerignore").read_text("utf-8").split("\n")):
        pattern = rule.removeprefix("!")
        anywhere = pattern.removeprefix("**/")
        tried = names if anywhere == pattern else [name.rpartition("/")[2] for name in names]
        if any(fnmatch.fnmatchcase(name, anywhere) and name.count("/") <= anywhere.count("/") for name in tried):
            ignored = not rule.startswith("!")
    return ignored


def resolved(value: Any) -> Any:
    """Return a part of compose.yaml with the defaults of its variables."""
    if isinstance(value, str):
        return VARIABLE.sub(lambda match: match[2], value)
    if isinstance(value, dict):
        return {key: resolved(each) for key, each in value.items()}
    return [resolved(each) for each in value] if isinstance(value, list) else value


def check_compose(compose: dict[str, Any], context: Path) -> Iterator[str]:
    """Yield the faults of compose.yaml."""
    services, secrets, volumes = compose["services"], compose["secrets"], compose["volumes"]
    for name, secret in secrets.items():
        if set(secret) != {"file"}:
            yield f"secret {name} is not in a file"
    for name, service in services.items():
        yield from (f"{name}: {fault}" for fault in (*check_settings(service), *check_health(service)))
        yield from (f"{name}: there is no secret {one}" for one in service.get("secrets", []) if one not in secrets)
        named = {volume.split(":")[0] for volume in service.get("volumes", [])}
        yield from (f"{name}: there is no volume {one}" for one in named - {*volumes} if not one.startswith("./"))
        unchecked = (one for one in service.get("depends_on", {}) if "healthcheck" not in services.get(one, {}))
        yield from (f"{name}: waits for the health of {one}, which has no check" for one in unchecked)
        if any(not port.startswith("127.0.0.1:") for port in service.get("ports", [])):
            yield f"{name}: a port is open to other machines"
        if "build" in service:
            yield from check_own_service(name, service, context)
        elif not re.fullmatch(r"[a-z]+:\d+[\w.-]*", service["image"]):
            yield f"{name}: the image has no version, or a registry: {service['image']}"


def check_settings(service: dict[str, Any]) -> Iterator[str]:
    """Yield the faults of the environment of a service. Secrets are in files only."""
    for variable, value in service.get("environment", {}).items():
        if SECRET.search(variable) and not variable.endswith("_FILE"):
            yield f"{variable} would be a secret in the environment"
        if re.search(r"://[^/@]*:[^/@]*@", str(value)):
            yield f"{variable} has a password"
        found = str(value).partition("/run/secrets/")[2]
        if found and found not in service.get("secrets", []):
            yield f"{variable} names a secret that the service has not"


def check_health(service: dict[str, Any]) -> Iterator[str]:
    """Yield the faults of a health check."""
    kind, *arguments = service.get("healthcheck", {}).get("test", ["NONE"])
    if kind == "CMD" and any(re.search(r"\s", argument) for argument in arguments):
        yield "the health check has an argument with spaces. Podman splits it; use CMD-SHELL"


def check_own_service(name: str, service: dict[str, Any], context: Path) -> Iterator[str]:
    """Yield the faults of a service that runs this program."""
    if service.get("user", "0").split(":")[0] in {"0", "root"}:
        yield f"{name}: runs as root"
    if not service.get("read_only") or service.get("cap_drop") != ["ALL"]:
        yield f"{name}: has more rights than it needs"
    if not (context / service["build"]["context"] / "Dockerfile").is_file():
        yield f"{name}: there is no Dockerfile"
    yield from (f"{name}: {fault}" for fault in check_command(arguments_of(service)))


def arguments_of(service: dict[str, Any]) -> list[str]:
    """Return the arguments that a service gives to corpus-spider. `crawl-nightly` adds the verb itself."""
    nightly = service.get("entrypoint") == ["crawl-nightly"]
    return [*service["command"], *(["crawl"] if nightly else [])]


def check_command(arguments: Sequence[str]) -> Iterator[str]:
    """Parse a command line with the real program, and check where `serve` would listen."""
    with tempfile.TemporaryDirectory() as folder:
        token = Path(folder) / "token"
        token.write_text("a token of at least twenty characters", "utf-8")
        token.chmod(0o600)
        here = [str(token) if argument.startswith("/run/secrets/") else argument for argument in arguments]
        try:
            options = parsed(here)
            if "listen" in options:
                listening(*(options[key] for key in ("listen", "token_file", "tls_cert", "tls_key", "behind_proxy")))
        except (click.ClickException, ConfigError) as error:
            yield f"{shlex.join(arguments)}: {error}"


def parsed(arguments: list[str]) -> dict[str, Any]:
    """Return the options of the verb in a command line, as the program parses it. Raises ClickException."""
    options: dict[str, Any] = {}
    command = next((cli.commands[one] for one in arguments if one in cli.commands), None)
    if command is None:
        raise click.UsageError("there is no verb")
    callback, command.callback = command.callback, options.update
    try:
        cli.main(arguments, standalone_mode=False)
    finally:
        command.callback = callback
    return options


def problems(context: Path = ROOT) -> list[str]:
    """Return all faults of Dockerfile and compose.yaml."""
    steps = parse((context / "Dockerfile").read_text("utf-8"))
    compose = resolved(yaml.safe_load((context / "compose.yaml").read_text("utf-8")))
    return [*lint(steps, context), *check_compose(compose, context)]


def run_steps(steps: Sequence[Step], root: Path, context: Path) -> None:
    """Execute the steps in a folder that stands for the root of the image. Raises CalledProcessError.

    All stages share the folder, so a COPY from a stage finds its files in place.
    """
    place, environment = root, dict(os.environ)
    (root / "bin").mkdir()
    (root / "bin" / "python").symlink_to(sys.executable)
    environment["PATH"] = f"{root}/bin:{environment['PATH']}"
    for step in steps:
        text = inside(step.text, root)
        if step.word == "WORKDIR":
            place = root / step.text.removeprefix("/")
            place.mkdir(parents=True, exist_ok=True)
        elif step.word in {"ENV", "ARG"}:
            pairs = (word.partition("=") for word in shlex.split(text))
            environment |= {key: os.path.expandvars(value) for key, _, value in pairs if key != "PATH"}
        elif step.word == "COPY" and "--from=" not in step.text:
            target = [word for word in step.text.split() if not word.startswith("--")][-1]
            copy(step, (place / target) if not target.startswith("/") else Path(inside(target, root)), context)
        elif step.word == "RUN" and any(program in step.text for program in SYSTEM_STEPS):
            print(f"not run, because it changes the machine: {step.text}")
        elif step.word == "RUN":
            print(f"RUN {step.text}", flush=True)
            subprocess.run(["sh", "-ec", text], cwd=place, env=environment, check=True, timeout=SECONDS)


def copy(step: Step, target: Path, context: Path) -> None:
    """Copy the sources of a COPY to their target. A folder is copied with its content, a file below a folder."""
    for source in sources(step):
        base = context / source
        for file in copied(source, context):
            below = Path(file.name) if base.is_file() else file.relative_to(base)
            to = target if base.is_file() and not (target.is_dir() or step.text.endswith("/")) else target / below
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, to)


def inside(text: str, root: Path) -> str:
    """Return a text with the absolute paths of the image below a folder."""
    return re.sub(r"(?<![\w.$])/(opt|src|corpus|usr/local/bin)\b", rf"{root}/\1", text)


def try_program(root: Path, compose: dict[str, Any]) -> None:
    """Run the installed program as the services would: make a corpus, show the plan of a crawl, and serve it."""
    program = str(root / "opt/corpus-spider/bin/corpus-spider")
    folder = root / "corpus"
    for arguments in (["--version"], ["init", str(folder), "--language", "vi", "--contact", "you@example.org"]):
        subprocess.run([program, *arguments], check=True, timeout=SECONDS)
    for name, service in compose["services"].items():
        if "build" in service and service.get("entrypoint") == ["crawl-nightly"]:
            arguments = [inside(each, root) for each in arguments_of(service)]
            print(f"{name}: {shlex.join(arguments)} --dry-run")
            quiet = subprocess.DEVNULL
            subprocess.run([program, *arguments, "--dry-run"], check=True, stdout=quiet, timeout=SECONDS)
    command = [program, "-c", str(folder), "doctor"]
    subprocess.run(command, check=False, timeout=SECONDS)


def engine() -> str | None:
    """Return the container engine that works on this machine: docker, podman or None."""
    for name in ("docker", "podman"):
        program = shutil.which(name)
        if program and subprocess.run([program, "info"], capture_output=True, check=False).returncode == 0:
            return program
    return None


def try_image(program: str) -> None:
    """Build the image and run the program in it, as compose.yaml does. Raises CalledProcessError."""
    subprocess.run([program, "build", "--tag", IMAGE, "."], cwd=ROOT, check=True, timeout=SECONDS)
    rights = ["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--tmpfs", "/tmp:mode=1777"]
    for arguments in (["--version"], ["demo", "--keep", "/tmp/demo"]):
        subprocess.run([program, "run", "--rm", *rights, IMAGE, *arguments], check=True, timeout=SECONDS)


def main() -> int:
    """Check, and run the steps if wanted. Print each problem."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--run", action="store_true", help="also run the steps in a new folder")
    parser.add_argument("--build", action="store_true", help="also build the image and run it")
    wanted = parser.parse_args()
    found = problems()
    for problem in found:
        print(problem)
    if wanted.run and not found:
        steps = parse((ROOT / "Dockerfile").read_text("utf-8"))
        with tempfile.TemporaryDirectory() as folder:
            run_steps(steps, Path(folder), ROOT)
            try_program(Path(folder), resolved(yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))))
    program = engine() if wanted.build and not found else None
    if program:
        try_image(program)
    elif wanted.build and not found:
        print("The image was not built: neither docker nor podman works on this machine.")
    print(f"{len(found)} problems. {BUILT if program else NOT_RUN}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
