"""Check that the user of a system unit can run the program and read the corpus."""

from __future__ import annotations

import os
import pwd
import stat
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from corpus_spider.monitoring.timer_plan import TimerPlan

LISTS = "system.posix_acl_access"
"""Extended attribute of a path that has an access control list (acl(5))."""


@dataclass(frozen=True, slots=True)
class Rights:
    """Mode (with the type of the file), owner and group of a path."""

    mode: int
    uid: int
    gid: int


def is_open_to(rights: Rights, uid: int, gids: Collection[int]) -> bool:
    """Return whether a user may enter a folder, or read a file (path_resolution(7)). Pure.

    The first class that fits decides: owner, group, others. An owner without the right gets none as one of the others.
    """
    if uid == 0:
        return True
    needed = stat.S_IXOTH if stat.S_ISDIR(rights.mode) else stat.S_IROTH
    shift = 6 if uid == rights.uid else 3 if rights.gid in gids else 0
    return bool(rights.mode >> shift & needed)


def require_access(plan: TimerPlan) -> None:
    """Raise ConfigError if the user of a system unit cannot run the program, or cannot read corpus.toml."""
    uid, gids = _ids(plan.user)
    program = [plan.command[0], sys.executable, __file__, os.__file__]
    if closed := first_closed(map(Path, program), uid, gids):
        what = f"the user {plan.user}, who owns this corpus, cannot run the program: {closed} is closed to that user"
        do = "Install the program under /opt/corpus-spider, and run this command from there."
        # An environment under /opt may still use a Python in a home folder, such as one of pyenv or uv.
        if not first_closed([Path(plan.command[0]), Path(__file__)], uid, gids):
            again = f"`/usr/bin/python3 -m venv --clear {sys.prefix}`"
            do = f"Its Python is in {sys.base_prefix}. Make the environment again, and install into it: {again}"
        raise ConfigError(what, where=plan.command[0], do=do)
    file = Path(plan.command[-2])
    if closed := first_closed([file], uid, gids):
        what = f"the user {plan.user}, who owns this corpus, cannot read it: {closed} is closed to that user"
        do = "Give that user the right to read it, or move the corpus to a folder such as /srv."
        raise ConfigError(what, where=str(file), do=do)


def first_closed(files: Iterable[Path], uid: int, gids: Collection[int]) -> Path | None:
    """Return the first folder or file on the way to these files that is closed to a user; None if there is none."""
    ways = (way for file in files for way in (file.absolute(), file.resolve()))
    paths = dict.fromkeys(path for way in ways for path in (*reversed(way.parents), way))
    return next((path for path in paths if (rights := _rights(path)) and not is_open_to(rights, uid, gids)), None)


def _rights(path: Path) -> Rights | None:
    """Return the rights of a path; None if they are not known, or an access control list extends them."""
    with suppress(OSError):
        if LISTS not in os.listxattr(path):
            facts = path.stat()
            return Rights(facts.st_mode, facts.st_uid, facts.st_gid)
    return None


def _ids(user: str) -> tuple[int, set[int]]:
    """Return the number of a user and those of the user's groups. ``user`` is a number if the user has no name."""
    if user.isdigit():
        return int(user), set()
    entry = pwd.getpwnam(user)
    return entry.pw_uid, set(os.getgrouplist(user, entry.pw_gid))
