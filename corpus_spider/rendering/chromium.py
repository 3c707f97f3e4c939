"""The Chromium program: find it, check the driver, start options, memory of its processes."""

from __future__ import annotations

import os
import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from corpus_spider.config.model import Config

VARIABLE = "CORPUS_SPIDER_CHROMIUM"
PROGRAMS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
DOWNLOADED = ("chromium_headless_shell-*/*/*headless*shell", "chromium-*/*/chrome")
"""Paths of browsers that `playwright install chromium` downloads."""
NO_DRIVER = "Install the driver: pip install 'corpus-spider[render]' (in a checkout: make render)."
NO_BROWSER = (
    "Install a browser (Debian, Ubuntu: apt-get install chromium), or set its path: "
    f'browser = "/path/to/chromium" in [crawl], or {VARIABLE}=/path/to/chromium.'
)

START_SECONDS = 30.0
CLOSED_PROXY = "http://127.0.0.1:1"
FLAGS = (
    # All requests go through the crawl: no name resolves, and WebRTC may not bypass the proxy, which is closed.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-gpu",
    "--disable-remote-fonts",
    "--blink-settings=imagesEnabled=false",
    # Scripts that need more memory crash their tab, not the browser.
    "--js-flags=--max-old-space-size=512",
)


def require_browser(config: Config) -> None:
    """Raise ConfigError if a site has ``render = true`` and the browser or its driver is missing."""
    sites = [site.name for site in config.sites if site.render]
    if not sites:
        return
    where = f"{config.path or 'configuration'}, site {sites[0]}"
    if find_spec("scrapy_playwright") is None:
        raise ConfigError("render = true needs a browser driver, which is not installed", where=where, do=NO_DRIVER)
    path = find_browser(config.crawl.browser, os.environ)
    if path is None:
        raise ConfigError("render = true needs a browser, and none was found", where=where, do=NO_BROWSER)
    if not os.access(path, os.X_OK) or path.is_dir():
        raise ConfigError(f"render = true needs a browser, and {path} is not a program", where=where, do=NO_BROWSER)


def find_browser(named: str, environ: Mapping[str, str]) -> Path | None:
    """Return the browser: the configured one, else $CORPUS_SPIDER_CHROMIUM, the system's, or Playwright's download."""
    if given := named or environ.get(VARIABLE):
        return Path(given)
    on_path = next((found for name in PROGRAMS if (found := shutil.which(name, path=environ.get("PATH")))), None)
    if on_path is not None:
        return Path(on_path)
    downloads = Path(environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
    return next((path for pattern in DOWNLOADED for path in sorted(downloads.glob(pattern), reverse=True)), None)


def launch_options(program: Path, mark: str) -> dict[str, Any]:
    """Return Playwright's options to start the browser. ``mark`` is an argument that identifies its processes."""
    return {
        "executable_path": str(program),
        "args": [*FLAGS, mark],
        "ignore_default_args": ["--disable-popup-blocking"],
        # Chromium's own sandbox refuses to run as root.
        "chromium_sandbox": os.geteuid() != 0,
        "proxy": {"server": CLOSED_PROXY},
        # Not our environment: it may contain passwords.
        "env": {"PATH": os.environ.get("PATH", ""), "HOME": tempfile.gettempdir()},
        "handle_sigint": False,
        "handle_sigterm": False,
        "handle_sighup": False,
        "timeout": START_SECONDS * 1000,
    }


def processes(mark: str) -> list[int]:
    """Return the process ids of the browser whose command line contains ``mark``, and of all its descendants.

    Empty on systems without /proc.
    """
    parents = dict(_parents())
    found = [pid for pid in parents if mark in _command(pid) and "--type=" not in _command(pid)]
    for pid in found:
        found.extend(child for child, parent in parents.items() if parent == pid and child not in found)
    return found


def memory(pids: list[int]) -> int:
    """Return the bytes of anonymous and shared memory of the processes, without pages of files."""
    return sum(_own_memory(pid) for pid in pids)


def _parents() -> Iterator[tuple[int, int]]:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        yield int(folder.name), int(state[1])


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""


def _own_memory(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text(errors="replace").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(("RssAnon:", "RssShmem:")))
