"""Parse and normalise URLs: the canonical form that identifies a page, and the form to fetch.

Parsing follows the URL standard as browsers do for ``http`` and ``https`` (https://url.spec.whatwg.org): white space at
the ends, tabs and newlines are removed, backslashes become slashes, user-info is removed. The result is normalised as
RFC 3986, section 6.2, allows: case, percent-encoding, dot segments, default port, empty path. The fragment and an empty
query are removed. Parameters keep their order, which can carry meaning.

- The *canonical* form is the key. It has no tracking parameters, no session identifiers and no parameters or path
  segments of AMP and print variants.
- The *fetchable* form keeps them, because a few sites answer nothing without.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from pipelines.urls.hosts import (
    address_allowed,
    normalise_host,
    private_address,
    registered_domain,
    same_site,
    split_port,
)

__all__ = [
    "MAX_LENGTH",
    "MAX_REDIRECTS",
    "REDIRECTS",
    "TO_ITSELF",
    "Address",
    "address_allowed",
    "canonicalise",
    "fetchable",
    "host_of",
    "parse",
    "private_address",
    "redirect_target",
    "registered_domain",
    "same_site",
    "twin",
]

MAX_LENGTH = 2000
"""Characters, after encoding. A longer URL is not kept."""

REDIRECTS = frozenset({301, 302, 303, 307, 308})
"""Statuses with a Location to follow (RFC 9110, 15.4)."""
MAX_REDIRECTS = 5
"""Redirects that are followed for one answer. RFC 9309, 2.3.1.2, requires at least five for robots.txt."""
TO_ITSELF = "itself"
"""Stored as the target of a redirect to the URL that was fetched."""

_PORTS = {"http": 80, "https": 443}
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_EDGES = "".join(map(chr, range(0x21)))
_BREAKS = str.maketrans("", "", "\t\n\r")

_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_UNSAFE_PATH = re.compile(r"%(?:[0-9A-Fa-f]{2})?|[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]+")
_UNSAFE_QUERY = re.compile(r"%(?:[0-9A-Fa-f]{2})?|[^A-Za-z0-9\-._~!$&()*+,;=:@/?%]+")

_TRACKING_PREFIXES = (
    "utm_",
    "pk_",
    "mtm_",
    "matomo_",
    "piwik_",
    "hsa_",
    "fb_action_",
    "guce_referrer",
    "__xts__",
    "trk_",
)
_TRACKING_NAMES = frozenset(
    re.findall(
        r"\S+",
        """
        fbclid gclid dclid gclsrc gbraid wbraid gad_source gad_campaignid srsltid _ga _gl msclkid yclid ysclid yadclid
        _openstat twclid ttclid obclid rb_clickid wickedid zanpid li_fat_id mc_cid mc_eid mkt_tok igsh igshid _hsenc
        _hsmi hsctatracking oly_anon_id oly_enc_id vero_id vero_conv ml_subscriber ml_subscriber_hash _branch_match_id
        __twitter_impression __tn__ ref_src ref_url fb_source fb_ref s_cid s_kwcid sc_cid sc_campaign sc_channel cmpid
        xtor icid ncid smid smtyp soc_src soc_trk guccounter spm epik dm_i echobox at_medium at_campaign at_custom1
        at_custom2 at_custom3 at_custom4 at_link_id at_link_type at_link_origin at_ptr_name at_format at_bbc_team
        ns_mchannel ns_source ns_campaign ns_linkname ns_fee wt_mc wt.mc_id wt_zmc zarsrc gidzl
        """,
    )
)
_ANSWER_NAMES = frozenset({"replytocom", "unapproved", "moderation-hash"})
"""WordPress: the page with an open reply form or a comment under moderation. Each comment has such a URL."""
_SESSION_NAMES = frozenset(
    re.findall(r"\S+", "phpsessid jsessionid asp.net_sessionid sessionid session_id cfid cftoken oscsid zenid")
)
_NOISE = _TRACKING_NAMES | _ANSWER_NAMES | _SESSION_NAMES
_SHORT_SESSION_NAMES = frozenset({"sid", "s", "sess", "session"})
# A short name may mean "story" or "search". Its value must look random; 24 digits are the key of a database.
_SESSION_VALUE = re.compile(r"(?=[0-9]*[a-f])(?=[a-f]*[0-9])(?:[0-9a-f]{16,23}|[0-9a-f]{25,})", re.IGNORECASE)
_PATH_SESSION = re.compile(r";(?:jsessionid|phpsessid|sessionid)=[^/;]*", re.IGNORECASE)
_COOKIELESS = re.compile(r"/\((?:[SAF]\([0-9A-Za-z_-]{8,}\)|X\(\d\))+\)(?=/)")
"""Part of the path that ASP.NET adds for visitors without cookies."""
# Variants of a page for mobile devices, AMP and print. One in path or query is recognised by its form. One on a host of
# its own may be the only form that a site has, so the page decides (rel=canonical).
_FORM_YES = frozenset({"", "1", "true", "yes", "y", "on"})
_FORM_FLAGS = frozenset({"amp", "print", "printable", "printview", "print_view", "printer_friendly", "mobile"})
_FORM_MODES = frozenset({"outputtype", "output", "view", "mode", "format", "layout", "display"})
_FORM_VALUES = frozenset({"amp", "print", "printable", "mobile"})
# Parameters that Google's AMP viewer adds. Their names have no other use.
_VIEWER = frozenset({"amp_js_v", "amp_gsa", "amp_ct", "usqp"})
_FORM_LABEL = re.compile(r"^(?:www|m|mobile|amp|wap)\.(?=[^.]+\.)")
_FORM_HOST = re.compile(r"^(?:m|mobile|amp|wap)\.(?=[^.]+\.)")
_FORM_TAIL = re.compile(r"/(?:amp|print)(/?)$", re.IGNORECASE)
_FORM_HEAD = re.compile(r"^/(?:amp|print)(?=/)", re.IGNORECASE)
_FORM_SUFFIX = re.compile(r"\.amp(?=(?:\.html?)?$)", re.IGNORECASE)
_SLUG = re.compile(r"[0-9-]")


_ORIGIN = re.compile(
    r"(?:from|ref|referr?er|src|source|via|origin|position|placement|widget|click_?from|link_?from|came_?from)"
    r"=[a-z][a-z_.-]*",
    re.IGNORECASE,
)
"""Parameter that names the place of a link and not another page."""


class Address(NamedTuple):
    """A normalised URL: ``host`` with a port unless it is the default one, ``path`` with its first slash."""

    scheme: str
    host: str
    path: str
    query: str

    @property
    def fetchable(self) -> str:
        """The URL to fetch."""
        return _join(self)

    @property
    def canonical(self) -> str:
        """The URL that identifies the page: without tracking, session and AMP or print parts."""
        path = plain_path(_drop_path_sessions(self.path))
        query = "&".join(part for part in self.query.split("&") if part and not _is_noise(part))
        return _join(Address(self.scheme, self.host, path, query))


def parse(url: str, base: str | None = None) -> Address | None:
    """Parse and normalise an http(s) URL, relative to ``base`` if given. Return None if it cannot be fetched."""
    parent = _parse_base(base) if base else None
    address = _resolve(url, parent) if len(url) <= 4 * MAX_LENGTH else None
    return address if address is not None and len(address.fetchable) <= MAX_LENGTH else None


def canonicalise(url: str, base: str | None = None) -> str | None:
    """Return the canonical form of a URL, ASCII and at most 2,000 characters, or None. Idempotent."""
    address = parse(url, base)
    return address.canonical if address else None


def fetchable(url: str, base: str | None = None) -> str | None:
    """Return the URL to fetch: normalised like the canonical one, with all its parameters."""
    address = parse(url, base)
    return address.fetchable if address else None


def redirect_target(location: str, url: str) -> Address | None:
    """Return the target of a redirect from ``url``, or None if it cannot be fetched.

    ``location`` is the header's value, read as latin-1. Octets that are valid UTF-8 are read as UTF-8, as in browsers.
    """
    try:
        reference = location.encode("latin-1").decode("utf-8")
    except UnicodeError:
        reference = location
    return parse(reference, url)


def host_of(url: str) -> str:
    """Return the host of an absolute URL, with ``:port`` unless it is the default one. Empty if there is none."""
    address = parse(url)
    return address.host if address else ""


@lru_cache(maxsize=256)
def _parse_base(base: str) -> Address | None:
    return _resolve(base, None) if len(base) <= 4 * MAX_LENGTH else None


def _resolve(url: str, parent: Address | None) -> Address | None:
    head, mark, query = url.strip(_EDGES).translate(_BREAKS).partition("#")[0].partition("?")
    head = head.replace("\\", "/")
    scheme = _SCHEME.match(head)
    if scheme is None:
        return _relative(head, query if mark else None, parent) if parent else None
    name, rest = scheme[1].lower(), head[scheme.end() :]
    if name not in _PORTS:
        return None
    if parent and parent.scheme == name and not rest.startswith("//"):
        return _relative(rest, query if mark else None, parent)
    return _absolute(name, rest, query)


def _relative(head: str, query: str | None, parent: Address) -> Address | None:
    if head.startswith("//"):
        return _absolute(parent.scheme, head, query or "")
    if not head:
        return parent if query is None else parent._replace(query=_normalise_query(query))
    path = head if head.startswith("/") else f"{parent.path.rpartition('/')[0]}/{head}"
    return Address(parent.scheme, parent.host, _normalise_path(path), _normalise_query(query or ""))


def _absolute(scheme: str, head: str, query: str) -> Address | None:
    authority, _, path = head.lstrip("/").partition("/")
    host = _normalise_authority(authority, _PORTS[scheme])
    return Address(scheme, host, _normalise_path("/" + path), _normalise_query(query)) if host else None


@lru_cache(maxsize=4096)
def _normalise_authority(authority: str, default_port: int) -> str | None:
    split = split_port(authority.rpartition("@")[2])
    host = normalise_host(split[0]) if split else None
    if split is None or host is None:
        return None
    return host if split[1] in {None, default_port} else f"{host}:{split[1]}"


def _normalise_path(path: str) -> str:
    return _remove_dots(_UNSAFE_PATH.sub(_encode, path))


def _normalise_query(query: str) -> str:
    return _UNSAFE_QUERY.sub(_encode, query) if query else ""


def _encode(match: re.Match[str]) -> str:
    """Normalise an encoded octet, or characters that must be encoded (RFC 3986, section 6.2.2)."""
    text = match[0]
    if text == "%":
        return "%25"
    if text.startswith("%"):
        character = chr(int(text[1:], 16))
        return character if character in _UNRESERVED else text.upper()
    try:
        octets = text.encode()
    except UnicodeEncodeError:
        octets = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
    return "".join(f"%{octet:02X}" for octet in octets)


def _remove_dots(path: str) -> str:
    """Resolve ``.`` and ``..`` segments. Empty segments count (RFC 3986, section 5.2.4)."""
    if "/." not in path:
        return path
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    tail = "/" if segments[-1] in {".", ".."} and kept else ""
    return "/" + "/".join(kept) + tail


def _drop_path_sessions(path: str) -> str:
    if ";" not in path and "(" not in path:
        return path
    shorter = _COOKIELESS.sub("", _PATH_SESSION.sub("", path))
    return _remove_dots(shorter) if shorter != path else path


def _is_noise(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    name = name.lower().removeprefix("amp;")
    if name in _NOISE or name.startswith(_TRACKING_PREFIXES):
        return True
    stated = value.lower()
    if (name in _FORM_FLAGS and stated in _FORM_YES) or (name in _FORM_MODES and stated in _FORM_VALUES):
        # The parameter only selects a variant of the page: ``amp=1``, ``outputType=amp``, ``print``.
        return True
    if name in _VIEWER:
        return True
    return name in _SHORT_SESSION_NAMES and bool(_SESSION_VALUE.fullmatch(value))


def _join(address: Address) -> str:
    base = f"{address.scheme}://{address.host}{address.path}"
    return f"{base}?{address.query}" if address.query else base


def twin(address: Address, page: Address) -> str | None:
    """Return the key of the same path at the host of the page that links to it, if both hosts are variants of one.

    ``m.example.org/a``, linked from ``https://www.example.org/``, gives ``https://www.example.org/a``.
    """
    there, here = (address.scheme, address.host), (page.scheme, page.host)
    if there == here or plain_host(address.host) != plain_host(page.host):
        return None
    return address._replace(scheme=page.scheme, host=page.host).canonical


def without_origin(address: Address) -> str | None:
    """Return the key of the page without parameters that name the place of the link, or None if it has none.

    ``?from=search``, ``?ref=home``. A value with a digit may be the number of a page, and is left.
    """
    parts = [part for part in address.query.split("&") if part]
    kept = [part for part in parts if not _ORIGIN.fullmatch(part)]
    return address._replace(query="&".join(kept)).canonical if len(kept) < len(parts) else None


def plain_path(path: str) -> str:
    """Return the path of the page itself: without ``/amp``, ``/print`` or ``.amp`` at an end.

    The rest must look like an article's name, with a digit or a hyphen: ``/glossary/amp`` is a page of its own.
    """
    shorter: str | None = path
    while shorter is not None:
        path, shorter = shorter, None
        for form, rest in ((_FORM_TAIL, r"\1"), (_FORM_HEAD, ""), (_FORM_SUFFIX, "")):
            if found := form.search(path):
                name = path[: found.start()].rpartition("/")[2] if form is not _FORM_HEAD else path[found.end() :]
                if _SLUG.search(name):
                    shorter = form.sub(rest, path, count=1)
                    break
    return path


def is_secondary(host: str) -> bool:
    """Return whether a host is named as one for mobile devices or AMP."""
    return _FORM_HOST.match(host) is not None


def plain_host(host: str) -> str:
    """Return a host without the label of a variant: ``www.``, ``m.``, ``amp.`` and similar."""
    return _FORM_LABEL.sub("", host)
