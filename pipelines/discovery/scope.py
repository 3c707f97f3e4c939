"""Scope of a site: the URLs that belong to it and may be an article. Hosts, patterns and plausible paths."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from pipelines.urls.url import parse, split_port
from storage.records import Kind

if TYPE_CHECKING:
    from collections.abc import Collection

    from pipelines.urls.url import Address
    from storage.records import Lease, SiteModel

MAX_DEPTH = 20
"""Path segments of a page (Heritrix: TooManyPathSegmentsDecideRule)."""
MAX_REPEATS = 3
"""Occurrences of one segment in a path (after Heritrix: PathologicalPathDecideRule)."""

_NOT_PAGES = frozenset(
    re.findall(
        r"\S+",
        """
        jpg jpeg jpe jfif png gif webp avif heic svg svgz ico bmp tif tiff psd ai eps
        pdf doc docx xls xlsx ppt pptx pps odt ods odp rtf csv epub mobi ps djvu
        mp3 mp4 m4a m4v m4s aac avi mov wmv wma flv f4v webm ogg oga ogv opus wav flac mkv mpg mpeg 3gp m3u8 mpd ts swf
        zip rar 7z gz tgz bz2 xz zst tar dmg iso apk ipa exe msi deb rpm jar bin cab torrent warc
        css js mjs map json jsonld wasm woff woff2 ttf otf eot xsl xsd dtd
        xml rss atom rdf kml ics vcf webmanifest
        """,
    )
)


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """The rules of one site, compiled. Equal rules share one object, which is compared by identity."""

    names: frozenset[str]
    names_with_port: frozenset[str]
    allow: tuple[re.Pattern[str], ...]
    deny: tuple[re.Pattern[str], ...]
    elsewhere: frozenset[str] = frozenset()

    def has_host(self, host: str) -> bool:
        """Return whether a host (``name[:port]``) is the site's or below one of its hosts.

        A rule with a port requires that port. The nearest host above decides which site a host belongs to.
        """
        name = host.partition(":")[0] if not host.startswith("[") else host.rpartition("]")[0] + "]"
        port = host[len(name) :]
        if name in self.names or host in self.names_with_port:
            return True
        if name.startswith("["):
            return False
        parents = [name, *(name[at + 1 :] for at, character in enumerate(name) if character == ".")]
        for one in parents:
            if one in self.elsewhere:
                return False
            if one in self.names or one + port in self.names_with_port:
                return True
        return False

    def completed(self, reference: str) -> str:
        """Return a reference as written, with slashes before one that begins with a host of the site."""
        name, _, _ = reference.partition("/")
        return f"//{reference}" if "." in name and self.has_host(name.lower()) else reference

    def may_lead_to(self, address: Address) -> bool:
        """Return whether a redirect may be followed: on the site, with a plausible path, not denied."""
        return self.has_host(address.host) and self._may_be_page(address)

    def has(self, address: Address) -> bool:
        """Return whether a page belongs to the site and matches its patterns."""
        return self.has_each([address])[0]

    def has_each(self, addresses: Collection[Address | None]) -> list[bool]:
        """Return whether each page belongs to the site and matches its patterns. Each host is compared once."""
        hosts = {host: self.has_host(host) for host in {each.host for each in addresses if each}}
        return [
            each is not None
            and hosts[each.host]
            and self._may_be_page(each)
            and (not self.allow or _any(self.allow, each.canonical))
            for each in addresses
        ]

    def _may_be_page(self, address: Address) -> bool:
        """Return whether a URL has a plausible path and is not denied."""
        return _plausible(address.path) and not (self.deny and _any(self.deny, address.canonical))

    def still_has(self, lease: Lease, *, known: bool) -> bool:
        """Return whether a URL that was queued earlier may be fetched under the rules of today.

        Configured URLs are not questioned. A URL that was read before (``known``) may be a section page or the target
        of a redirect, which need not match ``allow``.
        """
        address = parse(lease.url)
        if lease.depth == 0 or address is None:
            return True
        if lease.kind is not Kind.PAGE:
            return self.has_host(address.host)
        return self.may_lead_to(address) if known or lease.hops else self.has(address)


def _any(patterns: tuple[re.Pattern[str], ...], url: str) -> bool:
    return any(pattern.search(url) for pattern in patterns)


def scope_of(model: SiteModel) -> Scope:
    """Return the compiled rules of a site model.

    Raises:
        re.error: a pattern of the model is not a regular expression.
    """
    return _compile(model.hosts, model.allow, model.deny, model.elsewhere)


@lru_cache(maxsize=256)
def _compile(
    hosts: tuple[str, ...], allow: tuple[str, ...], deny: tuple[str, ...], elsewhere: tuple[str, ...]
) -> Scope:
    lowered = [host.lower().removeprefix("www.") for host in hosts]
    with_port = frozenset(host for host in lowered if (split_port(host) or ("", None))[1] is not None)
    return Scope(
        names=frozenset(lowered) - with_port,
        names_with_port=with_port,
        allow=tuple(re.compile(pattern) for pattern in allow),
        deny=tuple(re.compile(pattern) for pattern in deny),
        elsewhere=frozenset(elsewhere),
    )


def _plausible(path: str) -> bool:
    segments = path.split("/")[1:]
    extension = segments[-1].rpartition(".")[2].lower() if "." in segments[-1] else ""
    if extension in _NOT_PAGES or len(segments) > MAX_DEPTH:
        return False
    return len(segments) <= MAX_REPEATS or max(Counter(segments).values()) <= MAX_REPEATS
