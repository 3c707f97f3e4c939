"""Write the dataset card of a release: README.md with the YAML header for Hugging Face, and tables."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from storage.exports.fields import BY_NAME, COUNTS, SIGNALS
from storage.exports.release.changes import CHANGES
from storage.exports.release.citation import SPDX, title_of
from storage.records import Quality

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from storage.fields import Field

_SIZES = ((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"), (10**7, "1M<n<10M"))
_HUGE = ((10**8, "10M<n<100M"), (10**9, "100M<n<1B"), (10**10, "1B<n<10B"))
_ALIASES = {"cc0": "cc0-1.0", "odc-by-1.0": "odc-by"}
"""Other spellings of identifiers of licences."""
_PACKAGES = {
    "parquet": "datasets",
    "jsonl": "datasets",
    "jsonl.gz": "datasets",
    "jsonl.zst": "datasets zstandard",
    "csv": "pandas",
}
"""Packages that load a format. The library ``datasets`` itself does not bring zstandard."""
_TEXTS = frozenset({"jsonl", "jsonl.gz", "jsonl.zst"})
_WITH_DATASETS = _TEXTS | {"parquet"}
_FOLDER = 'folder = str(Path(".").resolve())'
"""Not the name of the folder: the same corpus gives the same card in every folder. ``datasets`` refuses a bare dot."""
_TYPES = {str: "string", int: "int64", float: "float64", datetime: "timestamp[us, tz=UTC]"}


def card(manifest: Mapping[str, Any]) -> str:
    """Return the dataset card of a release. All of its content comes from the manifest."""
    counts = manifest["counts"]
    parts = [
        _header(manifest),
        f"# {_text(title_of(manifest))}",
        _about(manifest),
        *_loading(manifest),
        _numbers(counts),
    ]
    sites = [
        (name, site["documents"], site["chars"], site["licence"] or "not stated")
        for name, site in counts["sites"].items()
    ]
    parts.append(_table("Sites", ("site", "documents", "characters", "licence"), sites))
    for title, name in (("Languages", "languages"), ("Months of publication", "months")):
        rows = [(key, each["documents"], each["chars"]) for key, each in counts[name].items()]
        parts.append(_table(title, (name.rstrip("s"), "documents", "characters"), rows))
    return "\n\n".join([*parts, *_fields(manifest), _provenance(manifest), _cited(manifest), _removal(manifest)]) + "\n"


def size_category(documents: int) -> str:
    """Return the size category of Hugging Face for so many documents."""
    return next((name for bound, name in (*_SIZES, *_HUGE) if documents < bound), "10B<n<100B")


def licence_id(licences: Iterable[str | None]) -> str:
    """Return the identifier of the licence that all sites share, where it has one; else ``other``."""
    found = set(map(_identifier, licences))
    return found.pop() or "other" if len(found) == 1 else "other"


def _identifier(licence: str | None) -> str | None:
    """Return the identifier of a licence: ``CC BY-SA 4.0`` and ``CC-BY-SA-4.0`` are ``cc-by-sa-4.0``."""
    name = "-".join(re.findall(r"[a-z0-9.]+", (licence or "").lower()))
    name = _ALIASES.get(name, name)
    return name if name in SPDX else None


def licence_of(manifest: Mapping[str, Any]) -> str:
    """Return the identifier of the licence of a release, or ``other``."""
    return licence_id(each["licence"] for each in manifest["counts"]["sites"].values())


def _header(manifest: Mapping[str, Any]) -> str:
    counts = manifest["counts"]
    fields: dict[str, Any] = {
        "pretty_name": title_of(manifest),
        "language": [each for each in counts["languages"] if each != "und"],
        "license": licence_of(manifest),
        "size_categories": [size_category(counts["documents"])],
        "task_categories": ["text-generation", "fill-mask"],
        "source_datasets": ["original"],
        "annotations_creators": ["no-annotation"],
    }
    if manifest["format"] in _WITH_DATASETS:
        files = [each["path"] for each in manifest["files"]]
        fields["configs"] = [{"config_name": "default", "data_files": [{"split": "train", "path": files}]}]
        # Without types the library guesses them from the first file, and fails at later files that do not fit.
        fields["dataset_info"] = {"features": [_feature(BY_NAME[name]) for name in manifest["fields"]]}
    # JSON is YAML. A name from a page or a user cannot break out of a JSON string.
    lines = (f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in fields.items())
    return "\n".join(["---", *lines, "---"])


def _feature(field: Field) -> dict[str, Any]:
    """Return the type of a field as the library ``datasets`` writes it."""
    if field.kind is tuple:
        return {"name": field.name, "list": _TYPES[str]}
    if field.kind is Quality:
        parts = [{"name": name, "dtype": _TYPES[int if name in COUNTS else float]} for name in SIGNALS]
        return {"name": field.name, "struct": parts}
    return {"name": field.name, "dtype": _TYPES[field.kind]}


def _about(manifest: Mapping[str, Any]) -> str:
    since = manifest.get("since")
    lines = ["Newspaper texts, crawled, cleaned and de-duplicated."]
    if since:
        reported = ", ".join(f"{since[name]} {name}" for name in CHANGES)
        lines = [
            f"Changes since the release whose manifest has the SHA-256 `{since['manifest_sha256']}`: {reported}.",
            (
                "`changes.jsonl` names each document. To update the earlier release, delete the removed and the changed"
                " documents, then add the documents here."
            ),
        ]
    lines.append("`manifest.json` has the number of documents, the SHA-256 of every file, and the provenance.")
    tokens = manifest.get("tokens")
    if tokens:
        lines.append(f"Tokens: {_text(', '.join(f'{language}: {unit}' for language, unit in tokens.items()))}.")
    annotations = manifest.get("annotations")
    if annotations:
        libraries = ", ".join(f"{language}: {library}" for language, library in annotations.items())
        lines.append(f"Lemmas and tags: {_text(libraries)}.")
    return "\n".join(lines)


def _loading(manifest: Mapping[str, Any]) -> list[str]:
    """Return how to load the documents, if one of the usual libraries can: what to install, and the code."""
    name = manifest["format"]
    if name not in _PACKAGES:
        return []
    if name in _WITH_DATASETS:
        code = [
            "from pathlib import Path",
            "",
            "from datasets import load_dataset",
            "",
            _FOLDER,
            'documents = load_dataset(folder, split="train")',
            "",
            "# Or one document after another, without reading them all first:",
            'for document in load_dataset(folder, split="train", streaming=True):',
            f"    print(document[{json.dumps(manifest['fields'][0])}])",
            "    break",
        ]
    else:
        code = [
            "from pathlib import Path",
            "",
            "import pandas",
            "",
            _FOLDER,
            'files = sorted(Path(folder).glob("data/part-*.csv"))',
            "documents = pandas.concat(map(pandas.read_csv, files))",
        ]
    lines = ["## Loading", "", "```", f"pip install {_PACKAGES[name]}", "```", "", "```python", *code, "```", ""]
    reported = ["Run it in this folder, or replace `.` by the path of this folder."]
    if name in _TEXTS:
        reported.append("`datasets` reads the times of JSON lines as UTC and drops the zone. Parquet keeps it.")
    return ["\n".join([*lines, *reported])]


def _fields(manifest: Mapping[str, Any]) -> list[str]:
    """Return a table of the fields with their types and meanings, if the format has fields."""
    fields = [BY_NAME[name] for name in manifest.get("fields", ())]
    rows = [(field.name, _type(field), field.note.meaning) for field in fields]
    tables = [_table("Fields", ("field", "type", "meaning"), rows)] if rows else []
    if rows:
        tables.append("A field without a value is null.")
    return tables


def _type(field: Field) -> str:
    if field.kind is tuple:
        return "list of string"
    return "struct of numbers" if field.kind is Quality else _TYPES[field.kind]


def _cited(manifest: Mapping[str, Any]) -> str:
    doi = manifest["doi"]
    where = f"DOI: [{_text(doi)}](https://doi.org/{quote(doi, safe='/')})." if doi else "It has no DOI yet."
    return f"## Citation\n\n`CITATION.cff` says how to cite this corpus. {where}"


def _numbers(counts: Mapping[str, Any]) -> str:
    rows = [("documents", counts["documents"]), ("characters", counts["chars"])]
    rows += [(name, " to ".join(counts[name]) if counts[name][0] else "unknown") for name in ("published", "fetched")]
    return _table("Contents", ("what", "value"), rows)


def _provenance(manifest: Mapping[str, Any]) -> str:
    selection = json.dumps(manifest["selection"], ensure_ascii=False, sort_keys=True)
    source = "public pages, by the rules of each site's robots.txt"
    if "archives" in manifest:
        source = "the archives in `archives.jsonl`"
    return "\n".join(
        [
            "## Provenance",
            "",
            f"Made by {_text(manifest['software'])} from {source}. The",
            "texts belong to their publishers. `url` and `fetched_at` are address and time of fetching, `licence_url`",
            "is the licence that a page states.",
            f"Selection: {_code(selection)}. Characters folded: {_code(', '.join(manifest['folds']) or 'none')}.",
        ]
    )


def _removal(manifest: Mapping[str, Any]) -> str:
    contact = manifest["contact"] or "the provider of this release"
    return "\n".join(
        [
            "## Removal",
            "",
            f"To have a text removed, write to {_text(contact)} with its `url` or `id`.",
            f"`removed.jsonl` lists documents removed on request (documents: {manifest['removed']['documents']}).",
            "Delete them from older releases too.",
        ]
    )


def _table(title: str, header: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> str:
    lines = [f"## {title}", "", f"| {' | '.join(header)} |", f"|{' --- |' * len(header)}"]
    lines += [f"| {' | '.join(_text(each) for each in row)} |" for row in rows]
    return "\n".join(lines)


def _text(value: object) -> str:
    """Return a value as one line of Markdown without markup."""
    text = " ".join(str(value).split())
    for character in ("\\", "|", "<", ">", "[", "]", "`", "*", "_", "#"):
        text = text.replace(character, f"\\{character}")
    return text


def _code(value: str) -> str:
    """Return a value as a Markdown code span, in which nothing can be escaped."""
    return f"`{' '.join(value.replace('`', '').split())}`"
