"""Write CITATION.cff, how to cite a release (Citation File Format 1.2.0).

https://github.com/citation-file-format/citation-file-format/blob/1.2.0/schema-guide.md
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

SPDX = {
    "cc0-1.0": "CC0-1.0",
    "cc-by-4.0": "CC-BY-4.0",
    "cc-by-sa-4.0": "CC-BY-SA-4.0",
    "cc-by-nc-4.0": "CC-BY-NC-4.0",
    "cc-by-nc-sa-4.0": "CC-BY-NC-SA-4.0",
    "cc-by-nd-4.0": "CC-BY-ND-4.0",
    "cc-by-nc-nd-4.0": "CC-BY-NC-ND-4.0",
    "cc-by-3.0": "CC-BY-3.0",
    "cc-by-sa-3.0": "CC-BY-SA-3.0",
    "apache-2.0": "Apache-2.0",
    "odc-by": "ODC-By-1.0",
}
"""SPDX identifiers, which the format requires, of the licences that a dataset card names."""

VERSION_DIGITS = 8


def title_of(manifest: Mapping[str, Any]) -> str:
    """Return the title of a release: that of the configuration, else the name of the corpus."""
    return str(manifest["title"] or manifest["name"])


def citation(manifest: Mapping[str, Any], licence: str) -> str:
    """Return the citation file of a release. ``licence`` is the identifier that its dataset card has.

    Day and version come from the corpus, not from the clock: the same corpus gives the same bytes. The day is that of
    the newest page. The version adds the beginning of the digest of all documents.
    """
    counts = manifest["counts"]
    day, of_archives = counts["fetched"][1], "archives" in manifest
    made = "taken from web archives and cleaned" if of_archives else "crawled, cleaned and de-duplicated"
    fields: dict[str, Any] = {
        "cff-version": "1.2.0",
        "message": "If you use this corpus, please cite it as below.",
        "type": "dataset",
        "title": title_of(manifest),
        "authors": [_author(name) for name in manifest["authors"]] or [{"name": f"Makers of {title_of(manifest)}"}],
        "abstract": f"Newspaper texts, {made}. Documents: {counts['documents']}. "
        f"Characters: {counts['chars']}. Languages: {', '.join(counts['languages']) or 'none'}.",
        "keywords": ["corpus", "newspapers", *(code for code in counts["languages"] if code != "und")],
    }
    if day:
        fields["version"] = f"{day}-{_digest(manifest)[:VERSION_DIGITS]}"
        fields["date-released"] = day
    if manifest["contact"]:
        fields["contact"] = [_contact(manifest["contact"])]
    if manifest["doi"]:
        fields["doi"] = manifest["doi"]
    if licence in SPDX:
        fields["license"] = SPDX[licence]
    # JSON is YAML. A name from a user cannot break out of a JSON string.
    return "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in fields.items())


def _digest(manifest: Mapping[str, Any]) -> str:
    """Return the digest of all documents: that of the index, else of the digests of the files."""
    if "index" in manifest:
        return str(manifest["index"]["sha256"])
    return sha256("".join(each["sha256"] for each in manifest["files"]).encode()).hexdigest()


def _author(name: str) -> dict[str, str]:
    """Return a person for "Family, Given", else a group."""
    family, comma, given = (part.strip() for part in name.partition(","))
    return {"family-names": family, "given-names": given} if comma and family and given else {"name": name}


def _contact(contact: str) -> dict[str, str]:
    return {"name": "Maintainers", "website" if "://" in contact else "email": contact}
