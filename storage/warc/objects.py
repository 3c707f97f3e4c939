"""WARC files in object storage: S3 by boto3, addresses of other kinds by fsspec. Credentials come from the environment.

S3 takes each file in one request with its SHA-256, and only if there is no object of that name. The SHA-256 that the
server states is compared. A server that states none, and every other kind of address, is read back. Nothing is uploaded
in parts, because such an object has no SHA-256 of the whole file.
"""

from __future__ import annotations

import hashlib
import io
import logging
import os
import shutil
from base64 import b64decode, b64encode
from collections import Counter
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import cache, cached_property
from tempfile import TemporaryFile
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Protocol, cast
from urllib.parse import urlsplit

from storage.credentials import masked
from storage.disk import disk_errors, make_folder
from storage.errors import ConfigError, CorpusError, DiskError, ObjectStorageError
from storage.warc.writer import SUFFIX

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

logger = logging.getLogger(__name__)

MIN_RANGES = 4
"""Records of a file after which it is downloaded whole. Fewer are cheaper one by one."""
MAX_COPIES = 4
"""Downloaded files on the disk. Crawls of several sites at a time mix the files of their pages."""
OWNER = "corpus-spider-owner.json"
"""File beside the WARC files with the corpus that they belong to."""
_CHUNK = 1 << 20
_CONNECT_SECONDS, _READ_SECONDS = 10, 60
_MISSING = frozenset({"404", "NoSuchKey", "NotFound"})
_TAKEN = frozenset({"412", "PreconditionFailed", "409", "ConditionalRequestConflict"})
_UNSUPPORTED = frozenset({"501", "NotImplemented"})
_TRY_AGAIN = "See that the address and its credentials are right, and that it has room. The next run tries again."
_NO_ACCESS = "Give this user the right to list, read and write there, and to list and delete versions."
_CREDENTIALS = "Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or the files below ~/.aws."
_SET_CREDENTIALS = "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or make ~/.aws/credentials. A timer has its own."
_ENDPOINT = "Check AWS_ENDPOINT_URL and the network. Nothing is lost: the next run uploads what waits."
_REFUSALS = {
    "NoSuchBucket": ("there is no such bucket", "Make the bucket, or name another one in warc of [corpus]."),
    "InvalidBucketName": ("this is not a valid name of a bucket", "Name another one in warc of [corpus]."),
    "ParamValidationError": ("this is not a valid name of a bucket", "Name another one in warc of [corpus]."),
    "AccessDenied": ("access is denied", _NO_ACCESS),
    "403": ("access is denied", _NO_ACCESS),
    "InvalidAccessKeyId": ("the server does not know the access key", _CREDENTIALS),
    "SignatureDoesNotMatch": ("the secret key is wrong", _CREDENTIALS),
    "ExpiredToken": ("the session token has expired", _CREDENTIALS),
    "InvalidToken": ("the session token is wrong", _CREDENTIALS),
    "NoCredentialsError": ("there are no credentials", _SET_CREDENTIALS),
    "PartialCredentialsError": ("the credentials are not complete", _SET_CREDENTIALS),
    "PermanentRedirect": ("the bucket is in another region", "Set AWS_DEFAULT_REGION to the region of the bucket."),
    "AuthorizationHeaderMalformed": ("the region is wrong", "Set AWS_DEFAULT_REGION to the region of the bucket."),
    "EndpointConnectionError": ("the server cannot be reached", _ENDPOINT),
    "ConnectTimeoutError": ("the server cannot be reached", _ENDPOINT),
    "ConnectionClosedError": ("the server closes the connection", _ENDPOINT),
    "ReadTimeoutError": ("the server does not answer", _ENDPOINT),
}
"""What a server's error code, or the class of an error of boto3, means, and what to do."""


class ObjectFiles(Protocol):
    """Finished WARC files at an address, by name. Each method raises DiskError if the server refuses or is away."""

    def sizes(self) -> dict[str, int]:
        """Return the bytes of each file."""

    def range(self, name: str, offset: int, length: int) -> bytes:
        """Return the part of a range that exists. Raises FileNotFoundError."""

    def fetch(self, name: str, target: BinaryIO) -> None:
        """Copy a file into an open one. Raises FileNotFoundError."""

    def put(self, path: Path) -> None:
        """Store a local file under its name, and verify it. Does nothing if it is there already."""

    def delete(self, name: str) -> None:
        """Delete all versions of a file, if there is one."""

    def owner(self) -> bytes:
        """Return the content of the owner file; empty if there is none."""

    def claim(self, owner: bytes, *, replace: bool = False) -> bytes:
        """Store the owner file if there is none, or with ``replace`` in place of another. Return its content."""


@cache
def objects_at(address: str) -> ObjectFiles:
    """Return the files at an address. Raises ConfigError without the extra that it needs."""
    return S3Objects(address) if address.startswith("s3://") else FsspecObjects(address)


class S3Objects:
    """Files in a bucket of S3, or of a server like it (`AWS_ENDPOINT_URL`)."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.address, self._bucket = address, parts.netloc
        self._prefix = f"{parts.path.strip('/')}/".lstrip("/")
        self._is_unconditional = False
        """Whether the server has refused a condition."""

    @cached_property
    def _client(self) -> Any:
        try:
            import boto3
            from botocore.config import Config
        except ImportError as error:
            raise _without_extra("s3", self.address) from error
        # Its debug lines have session tokens and signatures.
        logging.getLogger("botocore").setLevel(logging.INFO)
        retries: Any = {"max_attempts": 4, "mode": "standard"}
        limits = Config(connect_timeout=_CONNECT_SECONDS, read_timeout=_READ_SECONDS, retries=retries)
        with _server_errors(self.address):
            return boto3.session.Session().client("s3", config=limits)

    def _place(self, name: str) -> dict[str, str]:
        return {"Bucket": self._bucket, "Key": self._prefix + name}

    def sizes(self) -> dict[str, int]:
        """Return the bytes of each file."""
        found: dict[str, int] = {}
        pages = self._client.get_paginator("list_objects_v2")
        with _server_errors(self.address):
            for page in pages.paginate(Bucket=self._bucket, Prefix=self._prefix):
                found |= {each["Key"].removeprefix(self._prefix): each["Size"] for each in page.get("Contents", ())}
        return _of_files(found)

    def range(self, name: str, offset: int, length: int) -> bytes:
        """Return the part of a range that exists. Raises FileNotFoundError."""
        from botocore.exceptions import ClientError

        if length <= 0 or offset < 0:
            return b""
        with _server_errors(self.address, name):
            try:
                found = self._client.get_object(**self._place(name), Range=f"bytes={offset}-{offset + length - 1}")
            except ClientError as error:
                if _code(error) in {"416", "InvalidRange"}:
                    return b""
                raise
            content: bytes = found["Body"].read()
            return content

    def fetch(self, name: str, target: BinaryIO) -> None:
        """Copy a file into an open one. Raises FileNotFoundError."""
        with _server_errors(self.address, name):
            target.writelines(self._client.get_object(**self._place(name))["Body"].iter_chunks(_CHUNK))

    def put(self, path: Path) -> None:
        """Store a local file under its name, and verify it. Does nothing if it is there already."""
        digest, is_new = _sha256(path), False
        # A server that does not know conditions may ignore them, so look first.
        if not self._has(path.name):
            with path.open("rb") as file:
                is_new = self._add(path.name, file, digest)
        stored = _read_back(self, path.name) if self._is_unconditional else self._sha256(path.name)
        if stored == digest:
            return
        if is_new:
            self.delete(path.name)
        raise _differs(self.address, path.name)

    def _has(self, name: str) -> bool:
        with suppress(FileNotFoundError), _server_errors(self.address, name):
            return bool(self._client.head_object(**self._place(name)))
        return False

    def _add(self, name: str, file: BinaryIO, digest: bytes) -> bool:
        """Store an object if there is none of that name. Return whether there was none."""
        from botocore.exceptions import ClientError

        condition = {} if self._is_unconditional else {"IfNoneMatch": "*"}
        with _server_errors(self.address, name):
            try:
                self._client.put_object(
                    **self._place(name), Body=file, ChecksumSHA256=b64encode(digest).decode(), **condition
                )
                return True
            except ClientError as error:
                if _code(error) in _TAKEN:
                    return False
                if _code(error) not in _UNSUPPORTED or self._is_unconditional:
                    raise
        self._is_unconditional = True
        logger.warning(
            "%s knows no conditional upload (501). A file is uploaded if there is none of its name, and read back."
            " Let no other program write there.",
            self.address,
        )
        file.seek(0)
        return self._add(name, file, digest)

    def _sha256(self, name: str) -> bytes:
        """Return the SHA-256 of an object: that of the server, or of the object as it is read back."""
        with _server_errors(self.address, name):
            head = self._client.head_object(**self._place(name), ChecksumMode="ENABLED")
        stated = head.get("ChecksumSHA256", "")
        # That of an upload in parts is a digest of digests.
        if stated and "-" not in stated and head.get("ChecksumType", "FULL_OBJECT") == "FULL_OBJECT":
            return b64decode(stated)
        return _read_back(self, name)

    def delete(self, name: str) -> None:
        """Delete all versions of a file, if there is one. Raises DiskError if one of them stays."""
        key, kept = self._prefix + name, ""
        for version in self._versions(key):
            try:
                with _server_errors(self.address, name):
                    self._client.delete_object(Bucket=self._bucket, Key=key, VersionId=version)
            except DiskError as error:
                kept = error.what
        if left := len(self._versions(key)):
            what = f"{left} of its versions cannot be deleted" + (f" ({kept})" if kept else "")
            raise ObjectStorageError(what, where=f"{self.address}/{name}", do="Allow this user to delete versions.")

    def owner(self) -> bytes:
        """Return the content of the owner file; empty if there is none."""
        content = io.BytesIO()
        with suppress(FileNotFoundError):
            self.fetch(OWNER, content)
        return content.getvalue()

    def claim(self, owner: bytes, *, replace: bool = False) -> bytes:
        """Store the owner file if there is none, or with ``replace`` in place of another. Return its content."""
        if replace:
            with _server_errors(self.address, OWNER):
                self._client.put_object(**self._place(OWNER), Body=owner)
        elif not self._has(OWNER):
            self._add(OWNER, io.BytesIO(owner), hashlib.sha256(owner).digest())
        return self.owner()

    def _versions(self, key: str) -> list[str]:
        pages, found = self._client.get_paginator("list_object_versions"), list[str]()
        with _server_errors(self.address):
            for page in pages.paginate(Bucket=self._bucket, Prefix=key):
                every = [*page.get("Versions", ()), *page.get("DeleteMarkers", ())]
                found += [each["VersionId"] for each in every if each["Key"] == key]
        return found


class FsspecObjects:
    """Files at an address that fsspec opens, such as ``gs://``, ``abfs://`` or ``sftp://``.

    fsspec sees no versions. So a store that keeps them must have that turned off for `remove` to be complete.
    """

    def __init__(self, address: str) -> None:
        self.address = address

    @cached_property
    def _system(self) -> tuple[Any, str]:
        try:
            from fsspec.core import url_to_fs
        except ImportError as error:
            raise _without_extra("remote", self.address) from error
        with _server_errors(self.address):
            try:
                system, root = url_to_fs(self.address)
            except ValueError as error:
                do = "Name s3://BUCKET/PREFIX, or another address of fsspec, in warc of [corpus]."
                raise ConfigError(f"this address is not known ({_said(error)})", where=self.address, do=do) from error
            return system, root.rstrip("/")

    def _path(self, name: str) -> tuple[Any, str]:
        system, root = self._system
        return system, f"{root}/{name}"

    def sizes(self) -> dict[str, int]:
        """Return the bytes of each file."""
        system, root = self._system
        with _server_errors(self.address):
            system.invalidate_cache()
            if not system.isdir(root):
                return {}
            found = {each["name"].rpartition("/")[2]: each["size"] for each in system.ls(root, detail=True)}
        return _of_files(found)

    def range(self, name: str, offset: int, length: int) -> bytes:
        """Return the part of a range that exists. Raises FileNotFoundError."""
        if length <= 0 or offset < 0:
            return b""
        system, path = self._path(name)
        with _server_errors(self.address, name):
            content: bytes = system.cat_file(path, start=offset, end=offset + length)
            return content

    def fetch(self, name: str, target: BinaryIO) -> None:
        """Copy a file into an open one. Raises FileNotFoundError."""
        system, path = self._path(name)
        with _server_errors(self.address, name), system.open(path, "rb") as stream:
            while chunk := stream.read(_CHUNK):
                target.write(chunk)

    def put(self, path: Path) -> None:
        """Store a local file under its name, and verify it by reading it back."""
        system, there = self._path(path.name)
        digest, size = _sha256(path), path.stat().st_size
        with _server_errors(self.address, path.name):
            system.invalidate_cache()
            known = system.info(there)["size"] if system.exists(there) else -1
            # A shorter one is what a cut connection left.
            if known < size:
                system.makedirs(self._system[1], exist_ok=True)
                system.put_file(str(path), there)
        if _read_back(self, path.name) != digest:
            raise _differs(self.address, path.name)

    def delete(self, name: str) -> None:
        """Delete a file, if there is one."""
        system, path = self._path(name)
        with _server_errors(self.address, name):
            system.invalidate_cache()
            if system.exists(path):
                system.rm_file(path)

    def owner(self) -> bytes:
        """Return the content of the owner file; empty if there is none."""
        content = io.BytesIO()
        self._system[0].invalidate_cache()
        with suppress(FileNotFoundError):
            self.fetch(OWNER, content)
        return content.getvalue()

    def claim(self, owner: bytes, *, replace: bool = False) -> bytes:
        """Store the owner file if there is none, or with ``replace`` in place of another. Return its content."""
        if replace or not self.owner():
            system, path = self._path(OWNER)
            with _server_errors(self.address, OWNER):
                system.makedirs(self._system[1], exist_ok=True)
                system.pipe_file(path, owner)
        return self.owner()


class CopiedObjects:
    """Files that are read one after the other, by records or whole. Each is downloaded once, and a few are kept.

    A request for each record would take hours for a million pages. Files that are announced, or records of them, are
    downloaded in threads meanwhile. The copies have no names, so that nothing stays after a kill.
    """

    def __init__(self, objects: ObjectFiles, folder: Path) -> None:
        self._objects, self._folder = objects, folder
        self.sizes, self.put, self.delete = objects.sizes, objects.put, objects.delete
        self.owner, self.claim = objects.owner, objects.claim
        self._read: Counter[str] = Counter()
        self._expected: Counter[str] = Counter()
        self._copies: dict[str, Future[BinaryIO]] = {}
        self._lock = Lock()

    def expect(self, name: str) -> None:
        """Announce a record that will be read. A file of several is downloaded meanwhile, if there is room for it."""
        with self._lock:
            self._expected[name] += 1
            self._begin_expected(name)

    def begin(self, name: str) -> None:
        """Begin the download of a file that will be fetched whole, unless it has begun."""
        with self._lock:
            if name not in self._copies:
                self._begin(name)

    def drop(self, name: str) -> None:
        """Forget the copy of a file."""
        with self._lock:
            self._copies.pop(name, None)

    def fetch(self, name: str, target: BinaryIO) -> None:
        """Copy a file into an open one, from its copy if the download has begun. Raises FileNotFoundError."""
        with self._lock:
            copy = self._copies.pop(name, None)
        if copy is None:
            self._objects.fetch(name, target)
            return
        with copy.result() as file:
            file.seek(0)
            shutil.copyfileobj(file, target, _CHUNK)

    def range(self, name: str, offset: int, length: int) -> bytes:
        """Return the part of a range that exists. Raises FileNotFoundError."""
        with self._lock:
            self._read[name] += 1
            # The last used is the last.
            copy = self._copies.pop(name, None)
            if copy is not None:
                self._copies[name] = copy
            elif self._read[name] >= MIN_RANGES:
                self._make_room(unused=False)
                copy = self._begin(name)
            self._count_down(name)
        if copy is None:
            return self._objects.range(name, offset, length)
        try:
            file = copy.result()
        except (CorpusError, OSError):
            with self._lock:
                if self._copies.get(name) is copy:
                    del self._copies[name]
            raise
        return os.pread(file.fileno(), length, offset) if length > 0 <= offset else b""

    def _count_down(self, name: str) -> None:
        """Count an announced record as read. After the last of a file, begin with the next file that waits for room."""
        if name not in self._expected:
            return
        self._expected[name] -= 1
        if not self._expected[name]:
            del self._expected[name]
            for each in self._expected:
                if self._begin_expected(each):
                    return

    def _begin_expected(self, name: str) -> bool:
        is_wanted = self._expected[name] >= MIN_RANGES and name not in self._copies
        if not is_wanted or not self._make_room(unused=True):
            return False
        self._begin(name)
        return True

    def _make_room(self, *, unused: bool) -> bool:
        """Forget the oldest copy if there are many, first one without announced records. Return whether there is room.

        With ``unused`` no other one is forgotten. A forgotten file closes when its last reader has read.
        """
        if len(self._copies) < MAX_COPIES:
            return True
        oldest = None if unused else next(iter(self._copies))
        name = next((each for each in self._copies if each not in self._expected), oldest)
        if name is None:
            return False
        del self._copies[name]
        # Originals of revisits may be anywhere: such a file is not downloaded again for each.
        del self._read[name]
        return True

    def _begin(self, name: str) -> Future[BinaryIO]:
        copy = self._copies[name] = Future[Any]()
        # A thread of a pool would keep the program from ending.
        Thread(target=self._download, args=(name, copy), name="download", daemon=True).start()
        return copy

    def _download(self, name: str, copy: Future[BinaryIO]) -> None:
        try:
            with disk_errors(self._folder):
                make_folder(self._folder)
                file = cast("BinaryIO", TemporaryFile(dir=self._folder))  # noqa: SIM115 - `_copies` holds it open
            self._objects.fetch(name, file)
            with disk_errors(self._folder):
                file.flush()
            copy.set_result(file)
        except Exception as error:  # noqa: BLE001 - the reader raises it
            copy.set_exception(error)


class _DigestFile(io.RawIOBase):
    """A target of `fetch` that only digests."""

    def __init__(self) -> None:
        self.sha256 = hashlib.sha256()

    def write(self, data: Any) -> int:
        self.sha256.update(data)
        return len(data)


def _read_back(objects: ObjectFiles, name: str) -> bytes:
    target = _DigestFile()
    objects.fetch(name, cast("BinaryIO", target))
    return target.sha256.digest()


def _sha256(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def _of_files(sizes: dict[str, int]) -> dict[str, int]:
    return {name: size for name, size in sizes.items() if name.endswith(SUFFIX) and "/" not in name}


def _code(error: Any) -> str:
    # Errors of a connection have no response.
    response = getattr(error, "response", None) or {}
    return str(response.get("Error", {}).get("Code", ""))


def _differs(address: str, name: str) -> DiskError:
    do = "Compare both, and delete the wrong one. The file stays in the local folder."
    return DiskError("the stored file differs from the local one", where=f"{address}/{name}", do=do)


def _without_extra(extra: str, address: str) -> ConfigError:
    do = f"Install the extra `{extra}`: make s3, or pip install 'corpus-spider[{extra}]'."
    return ConfigError(f"addresses of this kind need the extra `{extra}`", where=address, do=do)


@contextmanager
def _server_errors(address: str, name: str = "") -> Iterator[None]:
    """Translate the errors of a server into DiskError, and those of a missing file into FileNotFoundError."""
    where = f"{address}/{name}" if name else address
    try:
        yield
    except (CorpusError, FileNotFoundError, AttributeError, TypeError):
        # The last two are faults of this program.
        raise
    except ImportError as error:
        do = "Install the package that it names, beside corpus-spider."
        raise ConfigError(f"this kind of address needs a package ({_said(error)})", where=where, do=do) from error
    except Exception as error:
        # Each kind of server has errors of its own, without a common class.
        if name and _code(error) in _MISSING:
            raise FileNotFoundError(where) from error
        what, do = _REFUSALS.get(_code(error) or type(error).__name__, ("", _TRY_AGAIN))
        said = f"{what} ({_said(error)})" if what else f"the object storage refuses: {_said(error)}"
        raise ObjectStorageError(said, where=where, do=do) from error


def _said(error: Exception) -> str:
    return masked(" ".join(str(error).split()))[:300] or type(error).__name__
