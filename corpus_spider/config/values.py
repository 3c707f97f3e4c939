"""Conversion and checks of configuration values: sizes, times, URLs, regular expressions, languages.

A check takes a text and returns an error message, or an empty string if the text is valid.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, get_origin
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

import msgspec

from corpus_spider.config.language_codes import COUNTRIES, ISO_639_1, code_of, of_tag, two_letters
from storage.reservations import RECORD, SKIP

Check = Callable[[str], str]

SIZES = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
SIZES |= {"kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}
SIZE_PATTERN = re.compile(r"(\d{1,18}(?:\.\d{1,18})?)\s*([kmgt]?i?b|)", re.IGNORECASE)
DURATIONS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}
DURATION_PATTERN = r"([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*(min|[smhd])"
SHOWN_CHARS = 60
"""Characters of a wrong value that a message shows."""
TYPE_WORDS = {
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "str": "a text in quotes",
    "array": "a list",
    "object": "a table",
    "null": "nothing",
}


@dataclass(frozen=True, slots=True)
class Key:
    """Explanation of a key, the check of its texts, and whether it is a size in bytes or a time in seconds."""

    explanation: str
    check: Check | None = None
    size: bool = False
    duration: bool = False


@dataclass(frozen=True, slots=True)
class GivenValue:
    """A value as the user wrote it, and its origin: a key of the file, an environment variable or an option."""

    value: object
    origin: str
    as_text: bool = False
    """True for the environment and the command line, where every value is a string."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One error in the configuration, and its origin."""

    origin: str
    what: str

    def __str__(self) -> str:
        return f"{self.origin}: {self.what}"


class WrongValueError(ValueError):
    """An invalid value. ``path`` is the position (``[0]``) of the invalid element of a list."""

    def __init__(self, what: str, path: str = "") -> None:
        self.path = path
        super().__init__(what)


def convert(given: GivenValue, kind: Any, key: Key) -> Any:
    """Convert a value to ``kind`` (a type that msgspec supports) and check each text in it.

    Raises WrongValueError. Its message says what was expected.
    """
    value = given.value
    if isinstance(value, str) and not is_utf8(value):
        raise WrongValueError("expected text in UTF-8")
    if key.check is iso_day and isinstance(value, date):
        value = value.isoformat()
    if key.size and isinstance(value, str):
        value = parse_size(value)
    elif given.as_text and isinstance(value, str):
        bare = kind.__origin__ if get_origin(kind) is Annotated else kind
        value = listed(value) if get_origin(bare) is tuple else value
    if key.duration:
        value = [_seconds(part) for part in value] if isinstance(value, list) else _seconds(value)
    try:
        converted = msgspec.convert(value, kind, strict=not given.as_text)
    except msgspec.ValidationError as error:
        raise _in_words(error, given, key) from None
    check_each(converted, key.check)
    return converted


def is_utf8(text: str) -> bool:
    """Return whether a text is valid UTF-8. Environment, command line and file names may contain other bytes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def listed(text: str) -> object:
    """Parse a list: TOML syntax, or words separated by commas or spaces.

    >>> listed('["ar", "fa"]'), listed("ar, fa"), listed("[::1]:8080")
    (['ar', 'fa'], ['ar', 'fa'], ['[::1]:8080'])
    """
    try:
        return tomllib.loads(f"list = {text}")["list"] if text.startswith("[") else text.replace(",", " ").split()
    except tomllib.TOMLDecodeError:
        return text.replace(",", " ").split()


def check_each(value: object, check: Check | None) -> None:
    """Apply the check to a text, or to every text of a tuple. A single empty text means no value and passes."""
    if check is None:
        return
    if isinstance(value, str):
        if value and (wrong := check(value)):
            raise WrongValueError(wrong)
    elif isinstance(value, tuple):
        for position, text in enumerate(value):
            if wrong := check(text) if text else "expected a non-empty text":
                raise WrongValueError(wrong, f"[{position}]")


def _in_words(error: msgspec.ValidationError, given: GivenValue, key: Key) -> WrongValueError:
    """Translate msgspec's message: types in words, sizes in units, and the given value instead of its type."""
    what, _, path = str(error).partition(" - at ")
    words = re.sub(r"`(\w+)( \|[^`]*)?`", lambda match: TYPE_WORDS.get(match[1], match[1]), what)
    words = words.replace(">=", "of at least").replace("<=", "of at most").replace(" > ", " of more than ")
    words = re.sub(r"(\d)\.0$", r"\1", words)
    if key.size:
        words = re.sub(
            r"a whole number( of .* )(\d+)$", lambda match: f"a size{match[1]}{_size_words(int(match[2]))}", words
        )
    if not path and (shown := _shown(given)):
        words = f"{words.partition(', got ')[0]}, got {shown}"
    return WrongValueError(words[:1].lower() + words[1:], path.strip("`").removeprefix("$"))


def _size_words(count: int) -> str:
    """Format a size in the largest unit that divides it."""
    units = [(SIZES[unit.lower()], unit) for unit in ("TiB", "GiB", "MiB", "KiB")]
    return next((f"{count // size} {unit}" for size, unit in units if count and count % size == 0), f"{count} bytes")


def _shown(given: GivenValue) -> str:
    """Return the given value if it is more helpful than its type: a number, a size, or a text of the command line."""
    value = given.value
    if isinstance(value, str):
        return f'"{value[:SHOWN_CHARS]}"' if given.as_text or re.match(r"\d", value) else ""
    return f"{value}"[:SHOWN_CHARS] if isinstance(value, (int, float)) and not isinstance(value, bool) else ""


def nearest(word: str, known: Iterable[str]) -> str:
    """Return " (did you mean X?)" with the most similar known word, or an empty string."""
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f" (did you mean {close[0]}?)" if close else ""


MAX_NAMES = 20
"""Names that an error lists."""


def first_names(names: Iterable[str]) -> str:
    """Return the first 20 names of a list, and how many follow.

    >>> first_names(["a", "b"]), first_names([]), first_names("abcdefghijklmnopqrstuvw")[-12:]
    ('a, b', 'none', 't and 3 more')
    """
    every = list(names)
    more = len(every) - MAX_NAMES
    return (", ".join(every[:MAX_NAMES]) or "none") + (f" and {more:,} more" if more > 0 else "")


def parse_size(text: str) -> int:
    """Parse ``10 MiB``, ``500 kB`` or ``1024`` as a number of bytes. The largest units are TB and TiB."""
    match = SIZE_PATTERN.fullmatch(text.strip())
    if match is None or match[2].lower() not in SIZES:
        raise WrongValueError(f'expected a size such as "10 MiB" or "5 GB", got "{text[:SHOWN_CHARS]}"')
    return int(float(match[1]) * SIZES[match[2].lower()])


def parse_duration(text: str) -> float:
    """Parse ``2h``, ``1h30m``, ``3 d`` or ``0`` as seconds. Other numbers need a unit."""
    if re.fullmatch(r"0{1,9}(\.0{1,9})?", text.strip()):
        return 0.0
    if not re.fullmatch(rf"(?:{DURATION_PATTERN}\s*)+", text.strip(), re.IGNORECASE):
        raise WrongValueError(f'expected a time with its unit, such as "90m", "2h" or "1d", got "{text[:SHOWN_CHARS]}"')
    parts = re.findall(DURATION_PATTERN, text, re.IGNORECASE)
    return sum(float(number) * DURATIONS[unit.lower()] for number, unit in parts)


def _seconds(value: object) -> object:
    bare = isinstance(value, (int, float)) and not isinstance(value, bool) and value
    return parse_duration(str(value)) if isinstance(value, str) or bare else value


def web_address(text: str) -> str:
    """Check for an absolute http or https URL with a host and without credentials."""
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        return f'expected a URL, got "{text}" ({error})'
    if parts.scheme.lower() not in {"http", "https"} or not host:
        return f'expected a URL that begins with http:// or https:// and has a host, got "{text}"'
    if "@" in parts.netloc:
        return f"expected a URL without user name and password (host: {host})"
    if re.search(r"[\s\x00-\x1f\x7f]", text):
        return f"expected a URL without spaces, got {text!r}"
    return ""


def archive_address(text: str) -> str:
    """Check for a URL template with year and month."""
    if "{yyyy}" not in text or not ("{mm}" in text or "{m}" in text):
        return f'expected a URL with {{yyyy}}, {{mm}} and optionally {{dd}}, got "{text}"'
    return web_address(re.sub(r"\{(?:yyyy|mm|dd|m|d)\}", "10", text))


def regular_expression(text: str) -> str:
    """Check for a regular expression of Python's ``re``."""
    try:
        re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        return f'expected a regular expression, got "{text}" ({error})'
    return ""


def _has_region(zone: str) -> bool:
    # Names without a region are settings of one machine (localtime), or abbreviations (EST).
    return "/" in zone or zone == "UTC"


def time_zone(text: str) -> str:
    """Check for the IANA name of a time zone, with the nearest name if there is none."""
    with suppress(ZoneInfoNotFoundError, ValueError, OSError):
        if not text or (_has_region(text) and ZoneInfo(text)):
            return ""
    known = nearest(text, sorted(filter(_has_region, available_timezones())))
    return f'expected a time zone such as "Asia/Tehran", got "{text[:SHOWN_CHARS]}"{known}'


def language_code(text: str) -> str:
    """Check for an ISO 639 code; the code of two letters if there is one. Country codes get a hint."""
    plain = text.lower()
    if text in ISO_639_1 or (re.fullmatch(r"[a-z]{3}|[a-z]{2}-[A-Z][a-z]{3}", text) and not two_letters(text)):
        return ""
    language = COUNTRIES.get(plain) or of_tag(plain) or (code_of(text[:SHOWN_CHARS]) if len(text) > 3 else "")
    hint = f" (did you mean {language}?)" if language else ""
    return f'expected a language code of ISO 639 such as "vi" or "ar", got "{text}"{hint}'


def file_name(text: str) -> str:
    """Check for a valid file name."""
    return f"expected the name of a file or folder, without NUL, got {text!r}" if "\0" in text else ""


def warc_place(text: str) -> str:
    """Check for a folder, or an address without credentials. The message does not show them."""
    if "://" not in text:
        return file_name(text)
    try:
        parts = urlsplit(text)
    except ValueError:
        return "expected a folder, or an address such as s3://BUCKET/PREFIX"
    if "@" in parts.netloc or parts.query or parts.fragment:
        return "expected an address without user, password and options: credentials come from the environment only"
    if not parts.scheme or (parts.scheme == "s3" and not parts.netloc):
        return "expected a folder, or an address such as s3://BUCKET/PREFIX"
    return ""


def site_name(text: str) -> str:
    """Check for lower-case letters, digits, dots and hyphens."""
    if re.fullmatch(r"[a-z0-9][a-z0-9.-]{0,99}", text):
        return ""
    return f'expected lower-case letters, digits, dots and hyphens only, got "{text}"'


def selection_name(text: str) -> str:
    """Check for a short name in any script, without spaces and signs that separate selections on a command line."""
    if re.fullmatch(r"[^\s,=\[\]\"']{1,100}", text) and text.isprintable() and not text.startswith("-"):
        return ""
    return f'expected a name without spaces, commas, quotation marks and equals signs, got "{text:.60}"'


def host_name(text: str) -> str:
    """Check for a host name without scheme, port or path."""
    if re.fullmatch(r"[^\s/:@?#\[\]*]+", text):
        return ""
    return f'expected a host such as "news.example.org", without scheme, port or path, got "{text}"'


def host_and_port(text: str) -> str:
    """Check for ``host:port``. Both parts may contain ``*``."""
    if re.fullmatch(r"(\[[0-9a-fA-F:.*]+\]|[^\s/:@\[\]]+):(\d{1,5}|\*)", text):
        return ""
    return f'expected "host:port", such as "127.0.0.1:*" (* matches any), got "{text}"'


def contact_address(text: str) -> str:
    """Check for an e-mail address or URL that fits into an HTTP header."""
    fits = text.isascii() and text.isprintable() and not set(text) & set(" ()<>")
    if fits and (re.fullmatch(r"[^@\s/]+@[^@\s/]+\.[^@\s/.]+", text) or not web_address(text)):
        return ""
    return f'expected an e-mail address or the URL of a page about your crawl, got "{text}"'


def doi(text: str) -> str:
    """Check for a DOI, alone or as a link to doi.org."""
    return "" if bare_doi(text) else f'expected a DOI such as "10.5281/zenodo.1234567", got "{text}"'


def bare_doi(text: str) -> str:
    """Return the DOI of a link or of ``doi:10.…`` without what stands before it; empty if it is none.

    >>> bare_doi("https://doi.org/10.5281/zenodo.1234567"), bare_doi("zenodo.1234567")
    ('10.5281/zenodo.1234567', '')
    """
    found = re.fullmatch(
        r"(?i)(?:https?://(?:dx\.)?doi\.org/|doi: ?)?(10\.\d{4,9}(?:\.\d+)?/[\w:/;\-.()\[\]]+)", text, re.ASCII
    )
    return found[1] if found else ""


def plain_line(text: str) -> str:
    """Check for a text of one line."""
    return "" if text.isprintable() and text.strip() == text else "expected one line of text"


def mail_address(text: str) -> str:
    """Check for a plain e-mail address."""
    fits = text.isascii() and text.isprintable() and not set(text) & set(' ()<>,;:"')
    if fits and re.fullmatch(r"[^@/]+@[^@/]+", text):
        return ""
    return f'expected an e-mail address such as "you@example.org", got "{text}"'


def smtp_server(text: str) -> str:
    """Check for a mail server. The message does not show the text: it may contain a password."""
    expected = 'expected "host:port", smtp://USER:PASSWORD@host:port or smtps://USER:PASSWORD@host:port'
    try:
        parts = urlsplit(text if "://" in text else f"smtp://{text}")
        _ = parts.port
    except ValueError:
        return expected
    plain = parts.path in {"", "/"} and not parts.query and not parts.fragment and not re.search(r"\s", text)
    return "" if parts.scheme in {"smtp", "smtps"} and parts.hostname and plain else expected


def retention(text: str) -> str:
    """Check for ``forever`` or a time of at least one day."""
    try:
        fits = text == "forever" or parse_duration(text) >= DURATIONS["d"]
    except WrongValueError:
        fits = False
    return "" if fits else f'expected "forever" or a time of at least one day, such as "90d", got "{text}"'


def masked_address(address: str) -> str:
    """Return a URL with ``***`` for everything after its host. The path of a webhook is a secret."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}/***" if parts.netloc else address


def metrics_file(text: str) -> str:
    """Check for a file name that the textfile collector of node_exporter reads."""
    return file_name(text) or ("" if text.endswith(".prom") else f'expected a name that ends in .prom, got "{text}"')


def occasion(text: str) -> str:
    """Check for a value of `[notify] when`."""
    return "" if text in {"sick", "always"} else f'expected "sick" or "always", got "{text}"'


def header_text(text: str) -> str:
    """Check for a value that an HTTP header may contain."""
    return "" if text.isascii() and text.isprintable() else "expected printable ASCII characters only"


def database_url(text: str) -> str:
    """Check for a SQLite file or PostgreSQL database. The message does not show the text: it may contain a password."""
    expected = "expected sqlite:///FILE or postgresql://USER@HOST/NAME"
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        return expected
    if "\0" in text:
        return f"{expected}, without NUL"
    if parts.scheme == "sqlite":
        return "" if text.startswith("sqlite:///") and parts.path.strip("/") not in {"", ":memory:"} else expected
    return "" if re.fullmatch(r"postgres(ql)?(\+psycopg)?", parts.scheme) else expected


def iso_day(text: str) -> str:
    """Check for a day in the form 2026-11-20."""
    try:
        return "" if date.fromisoformat(text).isoformat() == text else "expected a day such as 2026-11-20"
    except ValueError:
        return f'expected a day such as "2026-11-20", got "{text}"'


def reservation_policy(text: str) -> str:
    """Check for a policy on pages with reserved use."""
    return "" if text in {RECORD, SKIP} else f'expected "{RECORD}" or "{SKIP}", got "{text}"'


def css_selector(text: str) -> str:
    """Check for a CSS selector, or several with commas between them."""
    # The parser takes long to import, and few sites have rules.
    from pipelines.markup.selectors import selector_problem

    problem = selector_problem(text) if text else ""
    return f'expected a CSS selector, got "{text[:SHOWN_CHARS]}" ({problem})' if problem else ""


def plugin_name(text: str) -> str:
    """Check for the form of a plug-in's name. It is looked up when it is used."""
    return "" if re.fullmatch(r"[A-Za-z0-9_.-]+", text) else f'expected the name of a plug-in, got "{text}"'


def extractor_name(text: str) -> str:
    """Check for the form of an extractor's name. The registry knows whether it exists."""
    return "" if re.fullmatch(r"[a-z0-9_.-]+", text) else f'expected the name of an extractor, got "{text}"'
