"""Look the locked packages up in the advisory database: ``python requirements/audit.py PIP_AUDIT LOCK...``

Exit codes: 0 every package of every lock was looked up and none has a known vulnerability; 1 some have, they are
listed; 4 not audited: the database, or pip-audit itself, was not to be had, or it left packages out. Silence is no
pass.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

CLEAN, VULNERABLE, NOT_AUDITED = 0, 1, 4
SECONDS = 600
SHOWN = 5
_PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Audit:
    """What came of one lock: vulnerabilities, and why it does not count, if so."""

    lock: str
    looked_up: int = 0
    found: list[str] = field(default_factory=list)
    missed: str = ""


def normal(name: str) -> str:
    """Return a package's name as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pins_of(lock: str) -> list[dict[str, str]]:
    """Return the versions of a lock by name; where markers choose among several, further ones by themselves."""
    rounds: list[dict[str, str]] = []
    for name, version in dict.fromkeys(_PINNED.findall(lock)):
        free = next((pins for pins in rounds if normal(name) not in pins), None)
        if free is None:
            rounds.append(free := {})
        free[normal(name)] = version
    return rounds


def judge(name: str, pins: dict[str, str], report: str, said: str) -> Audit:
    """Read pip-audit's JSON on some pins; without one, or with packages left out, nothing was proved."""
    try:
        listed = json.loads(report)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return Audit(name, missed=(said.strip().splitlines() or ["pip-audit said nothing"])[-1][:300])
    found = [
        f"{each['name']} {each['version']}: {flaw['id']} (fixed in {', '.join(flaw.get('fix_versions', [])) or 'none'})"
        for each in listed
        for flaw in each.get("vulns", [])
    ]
    looked_up = {normal(each["name"]) for each in listed if "skip_reason" not in each}
    missed = sorted(pins.keys() - looked_up)
    return Audit(name, len(looked_up), found, _not_looked_up(missed))


def _not_looked_up(names: list[str]) -> str:
    shown = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
    return f"not looked up: {shown}" if names else ""


def audit(program: str, lock: Path) -> list[Audit]:
    """Run pip-audit on a lock, without resolving or installing anything; every pin counts, with any marker."""
    rounds = pins_of(lock.read_text())
    return [_audit(program, lock.name, pins) for pins in rounds] or [Audit(lock.name, missed="it pins nothing")]


def _audit(program: str, name: str, pins: dict[str, str]) -> Audit:
    with tempfile.TemporaryDirectory() as folder:
        report, wanted = Path(folder) / "report.json", Path(folder) / "pins.txt"
        wanted.write_text("".join(f"{package}=={version}\n" for package, version in pins.items()))
        command = [program, "-r", str(wanted), "--no-deps", "--disable-pip", "--progress-spinner", "off"]
        try:
            done = subprocess.run(  # noqa: S603 - the program that the Makefile has just installed
                [*command, "-f", "json", "-o", str(report)],
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return Audit(name, missed=str(error)[:300])
        return judge(name, pins, report.read_text() if report.exists() else "", done.stderr)


def main(program: str, locks: list[str]) -> int:
    """Audit all locks, say what came of each, and return the worst exit code."""
    audits = [each for lock in locks for each in audit(program, Path(lock))]
    for each in audits:
        for line in each.found:
            print(f"VULNERABLE {each.lock}: {line}")  # noqa: T201
        if each.missed:
            print(f"NOT AUDITED {each.lock}: {each.missed}")  # noqa: T201
        elif not each.found:
            print(f"{each.lock}: {each.looked_up} packages, no known vulnerability")  # noqa: T201
    if any(each.found for each in audits):
        return VULNERABLE
    return NOT_AUDITED if not audits or any(each.missed for each in audits) else CLEAN


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
