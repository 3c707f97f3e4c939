"""Run the program as a child that ends with its parent: ``python -m corpus_spider.cli.worker_child PARENT ARGUMENT…``

A crawl that outlived its worker would go on beside the one that replaces it.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

LOOK_SECONDS = 0.5


def end_with(parent: int) -> None:
    """Stop this process as Ctrl-C does when it has another parent than this one."""
    while os.getppid() == parent:
        time.sleep(LOOK_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)


def main() -> int:
    """Run a command line in this process."""
    threading.Thread(target=end_with, args=(int(sys.argv[1]),), daemon=True).start()
    from corpus_spider.cli.app import run

    return run(sys.argv[2:])


if __name__ == "__main__":
    raise SystemExit(main())
