"""Complete a release whose documents are there already, as parts that tasks made: manifest, card, checksums.

==================== ===============================================================================================
``data/``            the documents, a Parquet file for each archive
``fingerprints/``    their fingerprints, for ``dedup``
``parts/``           a manifest for each archive
``archives.jsonl``   the archives with their counts and damage
``manifest.json``    content and provenance, as in every release; beside it the card and the citation
==================== ===============================================================================================

The manifest comes last. A folder without it is an unfinished release.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from storage.exports.atomic import checksum_line, checksum_path
from storage.exports.files import disk_errors, replaced
from storage.exports.formats import jsonl
from storage.exports.release.card import card, licence_of
from storage.exports.release.changes import MANIFEST
from storage.exports.release.citation import citation
from storage.exports.release.writer import CARD, CITATION, REMOVED, manifest_of
from storage.fields import FIELDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from storage.exports.release.statistics import Census
    from storage.exports.release.writer import Release

ARCHIVES = "archives.jsonl"


def complete(
    folder: Path,
    about: Release,
    census: Census,
    parts: Sequence[Sequence[Mapping[str, Any]]],
    archives: Sequence[Mapping[str, Any]],
    *,
    place: tuple[Path, Path] | None = None,
) -> int:
    """Write what a release has beside its parts. Return its size in bytes.

    ``parts``: entries of each part's files, the documents first. ``archives``: plain JSON values of each archive.
    ``place``: the final folder, and the checksum file until then, if the folder gets its name later.
    """
    written: dict[str, tuple[str, int]] = {
        entry["path"]: (entry["sha256"], entry["bytes"]) for part in parts for entry in part
    }

    def add(name: str, content: bytes) -> dict[str, Any]:
        with replaced(folder / name) as stream:
            stream.write(content)
        written[name] = stream.sha256.hexdigest(), stream.count
        return stream.entry(name)

    final, checksums = place or (folder, checksum_path(folder))
    with disk_errors(folder):
        (folder / MANIFEST).unlink(missing_ok=True)
        checksums.unlink(missing_ok=True)
    manifest = manifest_of(about, "parquet", census) | {
        "files": [dict(part[0]) for part in parts],
        "fingerprints": [dict(entry) for part in parts for entry in part[1:]],
        "fields": [field.name for field in FIELDS],
        "removed": add(REMOVED, b"") | {"documents": 0},
    }
    if archives:
        manifest["archives"] = add(ARCHIVES, b"".join(jsonl.line(dict(each)) for each in archives))
    add(CARD, card(manifest).encode())
    add(CITATION, citation(manifest, licence_of(manifest)).encode())
    add(MANIFEST, json.dumps(manifest, ensure_ascii=False, indent=1, sort_keys=True).encode() + b"\n")
    with replaced(checksums) as stream:
        for name, (digest, _) in sorted(written.items()):
            stream.write(checksum_line(digest, f"{final.name}/{name}"))
    return sum(size for _, size in written.values())
