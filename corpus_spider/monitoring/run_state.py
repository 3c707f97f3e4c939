"""State of the last run of a corpus."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def run_state(known: Mapping[str, str]) -> str:
    """Return the state of the last run: ended, running or died; an empty string without a run."""
    if not known:
        return ""
    if "finished" in known:
        return "ended"
    if known.get("host") != socket.gethostname():
        return f"running on {known.get('host', 'another host')}, or died there"
    try:
        os.kill(int(known.get("pid", "")), 0)
    except PermissionError:
        return "running"  # as another user
    except (ValueError, OverflowError, OSError):
        return "died; the next crawl goes on where it stopped"
    return "running"
