"""Archives that imports have taken from a list: finished ones are not taken again, others go on where they stopped.

Each has a small file in the folder ``imports`` below the WARC files. Without these files an import reads all archives
again, and stores no page twice.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING

import msgspec

from corpus_spider.archive.path_lists import part_name
from pipelines.discovery.scope import scope_of
from storage.disk import disk_errors, make_folder, replace_file

if TYPE_CHECKING:
    from pathlib import Path

    from corpus_spider.config.model import Config
    from corpus_spider.maintenance.archive_inputs import ArchiveInput, CaptureDays

FOLDER = "imports"


class TakenArchive(msgspec.Struct, frozen=True):
    """State of one archive. ``sites``: digests of the rules of the sites whose pages were taken.

    ``position``: of the first record that was not taken yet, if it is not ``finished``.
    """

    archive: str
    sites: dict[str, str]
    position: int = 0
    finished: bool = False
    etag: str = ""
    size: int | None = None


class TakenArchives:
    """States of the archives of a corpus, for its present sites and their link rules."""

    def __init__(self, config: Config, days: CaptureDays) -> None:
        self._folder: Path = config.warc_folder / FOLDER
        self._days = days
        scopes = {name: scope_of(model) for name, model in config.site_models().items()}
        self._rules = {
            name: [
                sorted(scope.names | scope.names_with_port),
                [pattern.pattern for pattern in scope.allow],
                [pattern.pattern for pattern in scope.deny],
                sorted(scope.elsewhere),
            ]
            for name, scope in scopes.items()
        }

    def before(self, archive: ArchiveInput) -> TakenArchive | None:
        """Return the state of an archive if an earlier import by the same rules has begun or finished it."""
        known, sites = self._read(archive.name), self._sites(archive.name)
        if known is None or not sites.items() <= known.sites.items():
            return None
        # While it is not finished, its position is that of just these sites.
        return known if known.finished or sites == known.sites else None

    def keep(self, archive: ArchiveInput, position: int, *, finished: bool) -> None:
        """Record that the pages of an archive before a position, or all of them, are in the corpus."""
        known, sites, identity = self._read(archive.name), self._sites(archive.name), archive.identity()
        if finished and known is not None and known.finished:
            sites = known.sites | sites
        state = TakenArchive(archive.name, sites, position, finished, identity.etag, identity.size)
        path = self._path(archive.name)
        with disk_errors(path):
            make_folder(path.parent)
            replace_file(path, msgspec.json.encode(state))

    def _path(self, name: str) -> Path:
        return self._folder / f"{part_name(name)}.json"

    def _read(self, name: str) -> TakenArchive | None:
        try:
            state = msgspec.json.decode(self._path(name).read_bytes(), type=TakenArchive)
        except (OSError, msgspec.MsgspecError, ValueError):
            return None
        return state if state.archive == name else None

    def _sites(self, name: str) -> dict[str, str]:
        # An archive that is within the wanted days is finished for any other days too.
        clip = [] if self._days.has_all(name) else [self._days.since, self._days.until]
        return {
            site: sha256(json.dumps([rules, clip]).encode()).hexdigest()[:16] for site, rules in self._rules.items()
        }
