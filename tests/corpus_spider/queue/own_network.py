"""A network namespace for a program, joined to the network of the tests by one line for each port. Needs root.

A line is a pair of virtual devices. At one end the program connects to a port of its 127.0.0.1, at the other end is
that port of the tests' 127.0.0.1. No proxy is in between: it is one TCP connection, so the kernels at both ends find
out for themselves that a line is cut. The namespace has no other way out, and nothing leaves the machine.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAMS = ("ip", "nsenter", "unshare")

FIRST_ADDRESS, ADDRESSES = IPv4Address("198.18.0.0"), 1 << 17
"""Addresses that are kept for tests of networks (RFC 2544). Those of a line end with its devices."""

OPEN_COMMANDS = """
ip link set lo up
echo 0 >/proc/sys/net/ipv4/conf/all/rp_filter
# Addresses of its own are looked up after the lines.
ip rule add pref 2 lookup local
ip rule del pref 0
"""
"""Commands that set up a namespace."""

NEAR_COMMANDS = """
ip addr add {near}/31 dev {name}
echo 1 >/proc/sys/net/ipv4/conf/{name}/route_localnet
ip link set {name} up
"""
"""Commands for the end of a line in the network of the tests. The settings are those of its device alone."""

FAR_COMMANDS = """
ip addr add {far}/31 dev {name}
echo 1 >/proc/sys/net/ipv4/conf/{name}/route_localnet
echo 1 >/proc/sys/net/ipv4/conf/{name}/accept_local
echo 0 >/proc/sys/net/ipv4/conf/{name}/rp_filter
ip link set {name} up
ip rule add pref 1 to 127.0.0.1 ipproto tcp dport {port} lookup {table}
ip route add default via {near} dev {name} table {table}
"""
"""Commands for the end of a line in the namespace."""


@dataclass(frozen=True)
class Cable:
    """A line of a namespace to a port. ``name``: of its two devices. ``address``: of the program, for the server.

    ``within``: a command line that starts with it runs in the namespace.
    """

    name: str
    port: int
    address: str
    within: tuple[str, ...]

    def cut(self) -> None:
        """Let nothing pass. Neither end is notified."""
        _shell(f"ip link set {self.name} down")

    def mend(self) -> None:
        """Let everything pass again."""
        _shell(f"ip link set {self.name} up")


@contextmanager
def own_network(*ports: int) -> Iterator[list[Cable]]:
    """Make a namespace with lines to these ports for a block. Skips the test where that is impossible.

    At the end of the block the devices are removed and the programs in the namespace killed, and it ends with the last
    of them. If the tests are killed, the process that holds it reads the end of its input.
    """
    if os.geteuid() != 0:
        pytest.skip("only root makes network namespaces")
    if absent := [program for program in PROGRAMS if shutil.which(program) is None]:
        pytest.skip(f"needs {', '.join(absent)}: apt-get install iproute2 util-linux")
    with ExitStack() as stack:
        try:
            cables = _lines(stack, ports)
        except subprocess.CalledProcessError as error:
            pytest.skip(f"this machine refuses a network namespace: {error.stderr.strip()}")
        yield cables


def _lines(stack: ExitStack, ports: tuple[int, ...]) -> list[Cable]:
    _shell("unshare --net true")
    # Its block ends by closing its input, and waits for its end.
    holder = stack.enter_context(
        subprocess.Popen(["unshare", "--net", "cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    )
    assert holder.stdin is not None
    assert holder.stdout is not None
    holder.stdin.write(b"is in its namespace\n")
    holder.stdin.flush()
    holder.stdout.readline()
    stack.callback(_kill_all, holder.pid)
    within, cables = ("nsenter", "--target", str(holder.pid), "--net"), []
    _shell(OPEN_COMMANDS, within)
    for number, port in enumerate(ports):
        name = f"line{os.getpid()}-{number}"
        _shell(f"ip link add {name} type veth peer name {name} netns {holder.pid}")
        stack.callback(_shell, f"ip link del {name}")
        # No other device of the machine has this index.
        near = FIRST_ADDRESS + 2 * socket.if_nametoindex(name) % ADDRESSES
        _shell(NEAR_COMMANDS.format(name=name, near=near))
        _shell(FAR_COMMANDS.format(name=name, near=near, far=near + 1, port=port, table=100 + number), within)
        cables.append(Cable(name, port, str(near + 1), within))
    return cables


def _kill_all(process: int) -> None:
    """Kill the processes in the namespace of a process."""
    namespace = Path(f"/proc/{process}/ns/net").stat()
    for path in Path("/proc").glob("[0-9]*/ns/net"):
        # Some process may just have ended.
        with suppress(OSError):
            if os.path.samestat(path.stat(), namespace):
                os.kill(int(path.parts[2]), signal.SIGKILL)


def _shell(script: str, within: tuple[str, ...] = ()) -> None:
    subprocess.run([*within, "sh", "-e"], input=script, check=True, capture_output=True, text=True)
