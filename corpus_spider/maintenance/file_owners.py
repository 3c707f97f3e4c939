"""Find the files of a corpus that belong to another user, for example after a command with sudo, and say what to do."""

from __future__ import annotations

import os
import pwd
import shlex
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from corpus_spider.config.model import Config

MAX_NAMED_FILES = 3
"""Files that a message names."""
_REFUSED = ("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PERM")


@dataclass(frozen=True, slots=True)
class OwnedFile:
    """A file or folder of a corpus, its owner, and whether this user may use it.

    ``part`` is the file or folder of the corpus that it belongs to.
    """

    part: Path
    path: Path
    uid: int
    is_usable: bool


@dataclass(frozen=True, slots=True)
class OwnerFinding:
    """Files that belong to the wrong user, and the advice."""

    detail: str
    advice: str


def examine(config: Config | None, file: Path) -> OwnerFinding | None:
    """Return what hinders this user, or the owner of the corpus if this user is root; None if nothing does.

    ``file`` is corpus.toml. Without a ``config``, it is the only file that is known.
    """
    with suppress(OSError):
        return judge(
            list(owned(config, file)), file.absolute().parent, file.absolute().parent.stat().st_uid, os.geteuid()
        )
    return None


def judge(files: Sequence[OwnedFile], folder: Path, keeper: int, user: int) -> OwnerFinding | None:
    """Judge the owners of files. ``keeper``: number of the user who owns the folder of corpus.toml.

    Root can use every file, so its files are those that hinder the keeper.
    """
    if user == 0:
        wrong = [each for each in files if each.uid != keeper and keeper]
    else:
        wrong = [each for each in files if each.uid != user and not each.is_usable]
    if not wrong:
        return None
    owners = ", ".join(dict.fromkeys(name_of(each.uid) for each in wrong))
    more = f" and {len(wrong) - MAX_NAMED_FILES} more" if len(wrong) > MAX_NAMED_FILES else ""
    verb = "belongs" if len(wrong) == 1 else "belong"
    detail = f"{', '.join(str(each.path) for each in wrong[:MAX_NAMED_FILES])}{more} {verb} to {owners}"
    if user in {0, keeper}:
        parts = " ".join(shlex.quote(str(part)) for part in dict.fromkeys(each.part for each in wrong))
        why = f"Run every command as the user {name_of(keeper)}, who owns the corpus"
        return OwnerFinding(detail, f"Give them back: sudo chown -R {name_of(keeper)}: {parts}. {why}.")
    give = f"sudo chown -R {name_of(user)}: {shlex.quote(str(folder))}"
    return OwnerFinding(
        detail, f"Run it as {name_of(keeper)}, who owns the corpus, or give the corpus to this user: {give}"
    )


def owned(config: Config | None, file: Path) -> Iterator[OwnedFile]:
    """Yield the files and folders of a corpus."""
    for part in (file.absolute(), *(_parts(config) if config else ())):
        for path in (part, *_within(part)):
            # Journals come and go. What is in a closed folder is not known, only the folder.
            with suppress(OSError):
                facts = path.stat(follow_symlinks=False)
                needed = os.R_OK | os.W_OK | (os.X_OK if path.is_dir() else 0)
                yield OwnedFile(part, path, facts.st_uid, os.access(path, needed, effective_ids=True))


def _parts(config: Config) -> list[Path]:
    file = config.database_file
    found = [file.with_name(f"{file.name}{end}") for end in ("", "-wal", "-shm")] if file else []
    return [*found, config.warc_folder, config.index_folder, *filter(None, (config.log_file, config.metrics_file))]


def _within(folder: Path) -> Iterator[Path]:
    for root, folders, names in os.walk(folder):
        yield from (Path(root, name) for name in (*folders, *names))


def name_of(uid: int) -> str:
    """Return the name of a user, or the number of one without a name."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def is_refusal(error: BaseException | None) -> bool:
    """Return whether the permissions of a file caused an error, also one of SQLite."""
    seen: list[BaseException] = []
    while error is not None and error not in seen:
        if isinstance(error, PermissionError) or getattr(error, "sqlite_errorname", "").startswith(_REFUSED):
            return True
        seen.append(error)
        error = error.__cause__ or getattr(error, "orig", None)
    return False
