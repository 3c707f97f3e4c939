"""Small builders that the tests of exports share."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import zstandard
from msgspec import structs
from pyarrow import parquet as arrow_parquet

from storage.documents.model import CorpusDocument
from storage.records import Quality
from tests.corpus_spider.running import PATIENCE

ROOT = Path(__file__).parents[2]
STREAMS = ("out.jsonl", "out.jsonl.gz", "out.jsonl.zst", "out.parquet")
TARGETS = (*STREAMS, "out/")
ODD_TEXTS = (
    "plain",
    "سلام دنیا\nپاراگراف دوم",
    "a\u2028b\u2029c\x85d\ve\ff\x1cg\x1dh\x1ei\rj",
    "nul \x00 inside",
    '=cmd|"/C calc"!A0, "quoted", back\\slash \\u2028 </script>',
    "\ufeff\u202ertl override \U0001f600\U0010ffff",
    "",
    "ends with a newline\n",
)


def a_document(number: int = 1, text: str = "Hello, world.", **changes: object) -> CorpusDocument:
    document = CorpusDocument(
        id=f"doc-{number:06}",
        url=f"https://paper.example/{number}",
        version=1,
        site="paper",
        text=text,
        title="../../etc/passwd",
        author=None,
        date="2024-05-13",
        date_text="13 May 2024",
        canonical=None,
        language="en",
        language_confidence=0.5,
        script="Latn",
        script_share=1.0,
        chars=len(text),
        fetched_at=datetime(2026, 11, 20, 12, 0, 0, 123456, tzinfo=UTC),
        extractor="bte",
        extractor_version="1",
        extractor_reason="",
        encoding="utf-8",
        encoding_source="header",
        replaced=0.0,
        site_model="",
        licence="CC BY 4.0",
        exact="00" * 16,
        duplicates=2,
        duplicate_of=None,
        warc="crawl-00001.warc.gz",
        warc_offset=2**33,
        warc_length=512,
        record_id="<urn:uuid:6d058047-ede2-4a13-be79-90c17c631dd4>",
        payload_digest="sha256:" + "ab" * 32,
        confidence=0.75,
        kinds="hp",
        captions=(),
        comments=(),
        date_calendar=None,
        date_source=None,
        date_confidence=None,
        robots=None,
        robots_sha256=None,
        directives=(),
        tdm=None,
        tdm_policy=None,
        tdm_source=None,
        licence_url=None,
        cluster="",
        languages=(),
        authors=(),
        foreign_share=None,
        mixed=None,
        recurring="",
        quality=Quality(2, 13.0, 5.0, 1.0, 0.1667, 0.0, None, 1.0, 0.0, 0.0, 0.0, 0.0),
    )
    return structs.replace(document, **changes)  # type: ignore[arg-type]


def documents(texts: tuple[str, ...] | list[str]) -> list[CorpusDocument]:
    return [a_document(number, text) for number, text in enumerate(texts)]


def with_all(document: CorpusDocument) -> CorpusDocument:
    """The same with captions, comments and the languages of its lines."""
    languages = ("en 0.98 Latn 1.00",) * (document.text.count("\n") + 1)
    parts = {"captions": ODD_TEXTS[:2], "comments": (document.text,), "languages": languages, "foreign_share": 0.25}
    return structs.replace(document, **parts)


def target_in(folder: Path, name: str) -> str:
    return f"{folder}/{name}"


def read_back(path: Path) -> list[dict[str, object]]:
    """Read an export with other people's readers."""
    if path.is_dir():
        rows = [json.loads(line) for line in (path / "index.jsonl").read_bytes().splitlines()]
        return [row | {"text": (path / row.pop("file")).read_bytes().decode().removesuffix("\n")} for row in rows]
    if path.suffix == ".parquet":
        rows = arrow_parquet.read_table(path).to_pylist()
        return [row | {"fetched_at": row["fetched_at"].isoformat().replace("+00:00", "Z")} for row in rows]
    raw = path.read_bytes()
    if path.suffix == ".gz":
        raw = gzip.decompress(raw)
    if path.suffix == ".zst":
        raw = zstandard.ZstdDecompressor().stream_reader(raw).read()
    return [json.loads(line) for line in raw.decode().splitlines()]


def everything_under(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def run_python(code: str, *arguments: object, **options: object) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, timeout=PATIENCE, check=False, **options)  # type: ignore[call-overload,no-any-return]
