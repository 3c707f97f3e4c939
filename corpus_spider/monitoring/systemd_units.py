"""Text of the systemd units of a schedule. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from corpus_spider.exit_codes import LIMITED
from corpus_spider.monitoring.timer_plan import SYSTEM

if TYPE_CHECKING:
    from corpus_spider.monitoring.timer_plan import TimerPlan

CHROMIUM_CALLS = "@pkey chroot seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self"
"""System calls of Chromium and its sandbox that `@system-service` (systemd 252) does not have, as strace(1) shows."""


def units(plan: TimerPlan) -> dict[str, str]:
    """Return the units by file name."""
    return {f"{plan.name}.service": service(plan), f"{plan.name}.timer": timer(plan)}


def service(plan: TimerPlan) -> str:
    """Return the unit that crawls once. A crawl that a limit ends is a success; failing sites are a visible failure."""
    variables = f"EnvironmentFile={escaped(str(plan.environment))}\n" if plan.variables else ""
    command = " ".join(quoted(part) for part in plan.command)
    limits = hardening(plan) if plan.how == SYSTEM else ""
    return f"""[Unit]
Description=corpus-spider, {plan.name}
Documentation=man:systemd.service(5)
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
WorkingDirectory={escaped(str(plan.folder))}
{variables}ExecStart={command}
SuccessExitStatus={LIMITED}
KillMode=mixed
TimeoutStopSec=60
Nice=10
{limits}"""


def hardening(plan: TimerPlan) -> str:
    """Return the lines that limit a unit of the system (systemd.exec(5), systemd.resource-control(5)).

    Namespaces of users and networks stay allowed: each worker takes its network away with them. Chromium's sandbox
    needs more of them, it reads /proc/meminfo, and its compiler writes machine code. ``OOMPolicy``: a worker that uses
    too much memory affects its own page only.
    """
    writable = " ".join(quoted(str(path), "$") for path in (plan.folder, *plan.writable))
    namespaces, calls, files = "user net", "@system-service", "pid"
    if plan.rendered:
        namespaces, calls, files = "user net pid ipc mnt", f"@system-service {CHROMIUM_CALLS}", "all"
    return f"""User={plan.user}
UMask=0077
IOSchedulingClass=idle
MemoryMax=80%
TasksMax=4096
OOMPolicy=continue
ReadWritePaths={writable}
ProtectSystem=strict
ProtectHome=read-only
PrivateTmp=true
PrivateDevices=true
ProtectClock=true
ProtectControlGroups=true
ProtectHostname=true
ProtectKernelLogs=true
ProtectKernelModules=true
ProtectKernelTunables=true
ProtectProc=invisible
ProcSubset={files}
NoNewPrivileges=true
CapabilityBoundingSet=
AmbientCapabilities=
LockPersonality=true
RemoveIPC=true
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces={namespaces}
RestrictRealtime=true
RestrictSUIDSGID=true
SystemCallArchitectures=native
SystemCallFilter={calls}
SystemCallErrorNumber=EPERM
"""


def timer(plan: TimerPlan) -> str:
    """Return the timer unit. ``Persistent``: systemd catches up on a missed night, once."""
    return f"""[Unit]
Description=corpus-spider every night, {plan.name}

[Timer]
OnCalendar=*-*-* {plan.at}:00
Persistent=true

[Install]
WantedBy=timers.target
"""


def escaped(text: str) -> str:
    """Escape a text for a unit file. ``%`` begins a specifier (systemd.unit(5))."""
    return text.replace("%", "%%")


def quoted(text: str, dollar: str = "$$") -> str:
    """Quote a word for a unit file (systemd.service(5), Command lines).

    Only command lines replace variables, so ``dollar`` is a single one elsewhere.
    """
    if re.fullmatch(r"[A-Za-z0-9_@+=:,./-]+", text):
        return text
    inner = escaped(text).replace("\\", "\\\\").replace('"', '\\"').replace("$", dollar)
    return f'"{inner}"'
