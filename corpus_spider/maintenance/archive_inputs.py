"""Archives that an import reads: local files, remote files that are streamed, and records that an index names."""

from __future__ import annotations

import gzip
import io
import re
import tempfile
import zlib
from collections import Counter
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from corpus_spider.archive.cdx_index import CdxLines
from corpus_spider.archive.foreign_warc import ArchiveDamage, SkippedResponse, captures, captures_in, is_streamed
from corpus_spider.archive.path_lists import ADDRESS, located
from corpus_spider.network.download import download
from corpus_spider.network.range_client import DownloadError, FileChangedError, FileIdentity, RangeStream, RemoteFile
from storage.errors import ConfigError
from storage.warc import FileSource, Loss

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from typing import BinaryIO, TypeAlias

    from corpus_spider.archive.adoption import PageSites
    from corpus_spider.archive.cdx_index import CdxEntry
    from corpus_spider.archive.foreign_warc import ForeignPage
    from corpus_spider.network.range_client import RangeClient
    from storage.warc import ByteSource

    Found: TypeAlias = ForeignPage | SkippedResponse | ArchiveDamage

BATCH = 2_000
"""Records of an index that are sorted by file and offset, so that neighbours need one request."""
MAX_GAP_BYTES = 8 << 10
"""Bytes between two wanted records that are fetched with them. A request and its metadata lie between responses."""
MAX_LINE_BYTES = 1 << 20
SECONDS_BETWEEN_QUERIES = 1.0
"""Pause before each query to a CDX server."""
NO_CAPTURES = 404
"""Status of a CDX server that has no capture of a host."""
GZIP_MAGIC = b"\x1f\x8b"
OUT_OF_RANGE = "out_of_range"
"""Reason of a page that was not captured in the wanted days."""
_STAMP = re.compile(r"CC-NEWS-(\d{4})(\d\d)(\d\d)\d{6}-")
_DAMAGED_INDEX = (EOFError, zlib.error, gzip.BadGzipFile)


@dataclass(frozen=True, slots=True)
class CaptureDays:
    """First and last wanted day of the captures, as ISO dates; empty: no limit."""

    since: str = ""
    until: str = ""

    def has(self, day: str) -> bool:
        """Return whether a day is wanted."""
        return (not self.since or day >= self.since) and (not self.until or day <= self.until)

    def may_have(self, name: str) -> bool:
        """Return whether an archive may have captures of the wanted days, by its name."""
        days = _days_of(name)
        return not days or any(map(self.has, days))

    def has_all(self, name: str) -> bool:
        """Return whether all captures of an archive are of the wanted days, by its name."""
        days = _days_of(name)
        return all(map(self.has, days)) if days else not (self.since or self.until)


class ArchiveInput(Protocol):
    """An archive that an import reads. ``name`` is its path or address."""

    @property
    def name(self) -> str:
        """Path or address."""

    @property
    def mark_step(self) -> int:
        """Distance of the positions that are worth keeping; 0 if none is."""

    def found(
        self, wanted: Callable[[str], bool], max_body: int, start: int, known: FileIdentity
    ) -> Iterator[tuple[int, Found]]:
        """Yield what `captures` does, each with the position at which a later import may go on.

        ``start``: position where an earlier import has stopped, 0 at first; ``known``: the archive at that time.
        Raises DownloadError.
        """

    def identity(self) -> FileIdentity:
        """Return what tells that the archive is still the same one."""


@dataclass(frozen=True, slots=True)
class LocalArchive:
    """A local file."""

    path: Path
    mark_step: int = 0

    @property
    def name(self) -> str:
        """Path."""
        return str(self.path)

    def found(
        self, wanted: Callable[[str], bool], max_body: int, start: int, known: FileIdentity
    ) -> Iterator[tuple[int, Found]]:
        """Yield what the file has. It is always read from its beginning."""
        del start, known
        for each in captures(self.path, wanted, max_body):
            yield 0, each

    def identity(self) -> FileIdentity:
        """Return nothing: local files are always read."""
        return FileIdentity()


class RemoteArchive:
    """A file on another server. It is streamed, not kept. Only collections and LZ4 or Zstandard files are copied."""

    mark_step = 64 << 20

    def __init__(self, address: str, client: RangeClient) -> None:
        self.name = address
        self._client = client
        self._identity = FileIdentity()

    def identity(self) -> FileIdentity:
        """Return ETag and size, as far as they are known."""
        return self._identity

    def found(
        self, wanted: Callable[[str], bool], max_body: int, start: int, known: FileIdentity
    ) -> Iterator[tuple[int, Found]]:
        """Yield what the file has. A file that has changed is read from its beginning."""
        source = RemoteFile(self._client, self.name, start, identity=known)
        try:
            beginning = source.read_at(start, 8)
        except FileChangedError:
            start, source = 0, RemoteFile(self._client, self.name)
            beginning = source.read_at(0, 8)
        with closing(source):
            self._identity = source.identity
            if start or is_streamed(beginning):
                at = start
                for each in captures_in(self.name, source, wanted, max_body, start):
                    if not isinstance(each, ArchiveDamage):
                        at = max(at, each.offset)
                    yield at, each
                return
        with tempfile.TemporaryDirectory(prefix="corpus-spider-") as folder:
            target = Path(folder) / "archive"
            download(self.name, target, client=self._client)
            for each in captures(target, wanted, max_body):
                if isinstance(each, ArchiveDamage):
                    yield 0, replace(each, where=each.where.replace(str(target), self.name))
                else:
                    yield 0, each


@dataclass(slots=True)
class IndexSurvey:
    """What an index names: lines that were read, wanted records, their bytes, and the number by site.

    ``is_whole``: the index was read to its end.
    """

    lines: int = 0
    records: int = 0
    bytes: int = 0
    sites: Counter[str] = field(default_factory=Counter)
    is_whole: bool = True


class IndexedArchive:
    """Records of other archives that an index names. Only the byte ranges of wanted records are fetched.

    Args:
        name: path or address of the index, or of one page of a CDX server.
        base: address or folder that the file names in it are relative to; empty: the folder of a local index.
        client: fetches.
        days: wanted days of the captures.
    """

    mark_step = 1

    def __init__(self, name: str, base: str, client: RangeClient, days: CaptureDays) -> None:
        self.name = name
        self._base, self._client, self._days = base, client, days
        self._beside = "" if _is_query(name) else name.rpartition("/")[0]
        self._files: dict[str, FileIdentity] = {}

    def identity(self) -> FileIdentity:
        """Return nothing: an index may grow at its end."""
        return FileIdentity()

    def found(
        self, wanted: Callable[[str], bool], max_body: int, start: int, known: FileIdentity
    ) -> Iterator[tuple[int, Found]]:
        """Yield the pages of the wanted records. A position is the number of the first line whose records miss."""
        del known
        batch: list[CdxEntry] = []
        position = start
        for number, entry in self._entries(start):
            if isinstance(entry, ArchiveDamage):
                yield position, entry
            elif reason := self._refusal(entry, wanted):
                yield position, SkippedResponse(entry.url, reason)
            else:
                batch.append(entry)
            if len(batch) >= BATCH:
                for each in self._fetched(batch, wanted, max_body):
                    yield position, each
                batch, position = [], number + 1
        for each in self._fetched(batch, wanted, max_body):
            yield position, each

    def survey(self, sites: PageSites, max_lines: int | None = None) -> IndexSurvey:
        """Count the wanted records. Fetches the index only. ``max_lines``: read no further."""
        survey = IndexSurvey()
        entries = self._entries(0)
        for _, entry in islice(entries, max_lines):
            survey.lines += 1
            seen = None if isinstance(entry, ArchiveDamage) else sites.seen(entry.url)
            if seen is None or isinstance(entry, ArchiveDamage) or self._refusal(entry, lambda _: True):
                continue
            survey.records += 1
            survey.bytes += entry.length
            survey.sites[seen.site] += 1
        survey.is_whole = next(entries, None) is None
        return survey

    def _refusal(self, entry: CdxEntry, wanted: Callable[[str], bool]) -> str:
        if not wanted(entry.url):
            return "other_site"
        return entry.kind or ("" if not entry.timestamp or self._days.has(entry.day) else OUT_OF_RANGE)

    def _entries(self, first: int) -> Iterator[tuple[int, CdxEntry | ArchiveDamage]]:
        """Yield the entries of the index from a line on, with the numbers of their lines."""
        reader = CdxLines()
        number = 0
        try:
            if _is_query(self.name):
                self._client.wait(SECONDS_BETWEEN_QUERIES)
            with _opened_index(self.name, self._client) as lines:
                while line := lines.readline(MAX_LINE_BYTES):
                    try:
                        entry = reader.read(line)
                    except ValueError as error:
                        found: CdxEntry | ArchiveDamage | None = self._damage(number, f"not an index line: {error}")
                    else:
                        found = entry
                    if found is not None and number >= first:
                        yield number, found
                    number += 1
        except _DAMAGED_INDEX as error:
            yield number, self._damage(number, f"the index cannot be unpacked to its end: {error}")
        except DownloadError as error:
            # A CDX server answers so if it has no capture.
            if not (error.status == NO_CAPTURES and _is_query(self.name)):
                raise

    def _damage(self, number: int, reason: str) -> ArchiveDamage:
        return ArchiveDamage(f"{self.name}, line {number + 1}", Loss(0, 0, reason))

    def _fetched(self, batch: Sequence[CdxEntry], wanted: Callable[[str], bool], max_body: int) -> Iterator[Found]:
        """Yield the pages of some records. The captures of one page keep their order."""
        seen: Counter[str] = Counter()
        order: list[tuple[int, str, int, CdxEntry]] = []
        for entry in batch:
            order.append((seen[entry.url], entry.file, entry.offset, entry))
            seen[entry.url] += 1
        order.sort(key=lambda each: each[:3])
        run: list[CdxEntry] = []
        for *_, entry in order:
            if run and not _follows(run[-1], entry):
                yield from self._run(run, wanted, max_body)
                run = []
            run.append(entry)
        if run:
            yield from self._run(run, wanted, max_body)

    def _run(self, run: Sequence[CdxEntry], wanted: Callable[[str], bool], max_body: int) -> Iterator[Found]:
        """Yield the pages of neighbours in one file."""
        where, first, last = located(run[0].file, self._base, self._beside), run[0], run[-1]
        end = max(each.offset + each.length for each in run) if last.length else None
        try:
            with self._source(where, first.offset, end) as source:
                for entry in run:
                    record = _UntilSource(source, entry.offset + entry.length) if entry.length else source
                    pages = captures_in(where, record, wanted, max_body, entry.offset)
                    # Without a length the next records would be read too.
                    found = list(pages) if entry.length else list(islice(pages, 1))
                    if not found:
                        loss = Loss(entry.offset, entry.length, "no response is there", entry.url)
                        found = [ArchiveDamage(where, loss)]
                    yield from found
        except DownloadError as error:
            if not error.is_missing:
                raise
            for entry in run:
                yield ArchiveDamage(where, Loss(entry.offset, entry.length, f"not fetched: {error.what}", entry.url))

    @contextmanager
    def _source(self, where: str, start: int, end: int | None) -> Iterator[ByteSource]:
        if ADDRESS.match(where):
            source = RemoteFile(
                self._client, where, start, end, identity=self._files.get(where, FileIdentity()), may_skip=False
            )
            with closing(source):
                yield source
                self._files = {where: source.identity}
            return
        path, folder = Path(where).resolve(), Path(self._base or self._beside).resolve()
        try:
            if not path.is_relative_to(folder):
                # An index from elsewhere may name any file.
                do = "Copy it there, or name its folder with --base."
                raise DownloadError("it is not below the base folder", where=where, do=do, status=404)
            with path.open("rb") as file:
                yield FileSource(file.fileno())
        except FileNotFoundError as error:
            do = "Copy it there, or name its folder with --base."
            raise DownloadError("no such file", where=where, do=do, status=404) from error


class _UntilSource:
    """The bytes of a source before an offset."""

    def __init__(self, source: ByteSource, end: int) -> None:
        self._source, self._end = source, end

    def read_at(self, offset: int, size: int) -> bytes:
        """Return the bytes at an offset, fewer than ``size`` only at the end."""
        size = min(size, self._end - offset)
        return self._source.read_at(offset, size) if size > 0 else b""


def _follows(before: CdxEntry, entry: CdxEntry) -> bool:
    """Return whether one request should fetch two records."""
    end = before.offset + before.length
    return (
        bool(before.length and entry.length) and before.file == entry.file and 0 <= entry.offset - end <= MAX_GAP_BYTES
    )


def _is_query(name: str) -> bool:
    return "?" in name and ADDRESS.match(name) is not None


def _days_of(name: str) -> list[str]:
    """Return the days that an archive of Common Crawl's news may have captures of; none if its name has no time.

    The name has the time of its beginning. It holds a day at most.
    """
    found = _STAMP.search(name)
    try:
        begun = date(int(found[1]), int(found[2]), int(found[3])) if found else None
    except ValueError:
        return []
    return [begun.isoformat(), (begun + timedelta(days=1)).isoformat()] if begun else []


@contextmanager
def _opened_index(name: str, client: RangeClient) -> Iterator[BinaryIO | gzip.GzipFile]:
    """Open the lines of a local or remote index or list, packed by gzip or not."""
    with ExitStack() as stack:
        if ADDRESS.match(name):
            raw: io.BufferedReader = io.BufferedReader(RangeStream(client, name), 1 << 16)
        else:
            try:
                raw = Path(name).open("rb")  # noqa: SIM115 - the stack closes it
            except OSError as error:
                raise ConfigError(f"cannot be read: {error.strerror}", where=name, do="Is the name right?") from error
        stack.enter_context(raw)
        if raw.peek(len(GZIP_MAGIC))[: len(GZIP_MAGIC)] == GZIP_MAGIC:
            yield stack.enter_context(gzip.GzipFile(fileobj=raw))
        else:
            yield raw


def lines_of(name: str, client: RangeClient, max_bytes: int) -> Generator[str]:
    """Yield the lines of a path list or a response. Raises ConfigError if it is damaged or too long, DownloadError."""
    size = 0
    try:
        with _opened_index(name, client) as lines:
            while line := lines.readline(MAX_LINE_BYTES):
                size += len(line)
                if size > max_bytes:
                    raise ConfigError("the path list is too long", where=name, do="Split it.")
                yield line.decode()
    except (*_DAMAGED_INDEX, UnicodeDecodeError) as error:
        raise ConfigError(f"the path list cannot be read: {error}", where=name, do="Fetch it again.") from error
