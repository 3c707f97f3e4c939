"""Parse and normalise URLs and their hosts: the canonical form that identifies a page, and the form to fetch.

ada-url parses and joins by the URL standard, as browsers do (https://url.spec.whatwg.org). The result is normalised as
RFC 3986, section 6.2, allows: percent-encoding of unreserved and of unsafe characters. User-info, the fragment and an
empty query are removed. Parameters keep their order, which can carry meaning.

- The *canonical* form is the key. It has no tracking parameters, no session identifiers and no parameters or path
  segments of AMP and print variants.
- The *fetchable* form keeps them, because a few sites answer nothing without.

Hosts follow the host parser of the URL standard, so ``2130706433``, ``0x7f.1`` and ``①②⑦.0.0.1`` are recognised as the
loopback address, which must not be requested. Names that are not ASCII are mapped by UTS 46.
Stricter than the standard: port 0 and names that the DNS cannot have are refused, and a final dot is removed.
"""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ada_url import join_url, normalize_url

from storage.records import PORTS

if TYPE_CHECKING:
    from collections.abc import Collection

    from publicsuffixlist import PublicSuffixList

MAX_LENGTH = 2000
"""Characters, after encoding. A longer URL is not kept."""

REDIRECTS = frozenset({301, 302, 303, 307, 308})
"""Statuses with a Location to follow (RFC 9110, 15.4)."""
MAX_REDIRECTS = 5
"""Redirects that are followed for one answer. RFC 9309, 2.3.1.2, requires at least five for robots.txt."""
TO_ITSELF = "itself"
"""Stored as the target of a redirect to the URL that was fetched."""

_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_IN_PATH, _IN_QUERY = r"A-Za-z0-9\-._~!$&'()*+,;=:@/", r"A-Za-z0-9\-._~!$&()*+,;=:@/?"
"""Characters that are not encoded."""
_UNSAFE = r"%(?:[0-9A-Fa-f]{{2}})?|[^{}%]+"
_UNSAFE_PATH, _UNSAFE_QUERY = (re.compile(_UNSAFE.format(safe)) for safe in (_IN_PATH, _IN_QUERY))
_OCTET = "%(?:[0189A-F][0-9A-F]|2[0-9A-CF]|3[A-F]|40|5[B-E]|60|7[B-DF])"
"""Octet that stays encoded: it is no unreserved character."""
_SAFE = rf"[{{0}}]*+(?:{_OCTET}[{{0}}]*+)*+"
_PLAIN = re.compile(
    r"(?=[h/])(?:(?:(?P<scheme>https?):)?//(?P<host>[a-z0-9.-]++))?"
    rf"(?P<path>/(?!/){_SAFE.format(_IN_PATH)})?(?:\?(?P<query>{_SAFE.format(_IN_QUERY)}))?"
)
"""Reference that is in normal form except for dots, with a host or from the root: 90 % of the links of real pages."""

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
        base = f"{self.scheme}://{self.host}{self.path}"
        return f"{base}?{self.query}" if self.query else base

    @property
    def canonical(self) -> str:
        """The URL that identifies the page: without tracking, session and AMP or print parts."""
        path = plain_path(_drop_path_sessions(self.path))
        parts = self.query.split("&") if self.query else ()
        query = "&".join([part for part in parts if part and not _is_noise(part)])
        return Address(self.scheme, self.host, path, query).fetchable


def parse(url: str, base: str | None = None) -> Address | None:
    """Parse and normalise an http(s) URL, relative to ``base`` if given. Return None if it cannot be fetched."""
    address = _resolve(url, base) if len(url) <= 4 * MAX_LENGTH else None
    return address if address is not None and len(address.fetchable) <= MAX_LENGTH else None


def parse_each(urls: Collection[str], base: str) -> list[Address | None]:
    """Parse and normalise the references of a page; see `parse`."""
    return [parse(url, base) for url in urls]


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


def _resolve(url: str, base: str | None) -> Address | None:
    """Resolve a reference. One in normal form needs no parser, which takes three times as long."""
    parent = _parse_base(base) if base else None
    plain = _PLAIN.fullmatch(url)
    if plain is None or "/." in url:
        return _parse(url, parent)
    scheme, name, path, query = plain.groups()
    host = normalise_host(name) if name else parent and parent.host
    scheme = scheme or (parent and parent.scheme)
    return Address(scheme, host, path or "/", query or "") if scheme and host else None


@lru_cache(maxsize=256)
def _parse_base(base: str) -> Address | None:
    return _parse(base, None) if len(base) <= 4 * MAX_LENGTH else None


def _parse(url: str, parent: Address | None) -> Address | None:
    """Parse a reference as the URL standard says, and normalise it."""
    if len(url) > MAX_LENGTH and not url.isascii():
        return None  # the time for a name that is not ASCII grows with the square of its length
    try:
        href = join_url(parent.fetchable, _scalars(url)) if parent else normalize_url(_scalars(url))
    except ValueError:
        return None
    scheme, _, rest = href.partition("://")
    if scheme not in PORTS:
        return None
    authority, slash, rest = rest.partition("#")[0].partition("/")
    path, _, query = rest.partition("?")
    host = _checked_host(authority.rpartition("@")[2])
    path, query = _UNSAFE_PATH.sub(_encode, slash + path), _UNSAFE_QUERY.sub(_encode, query)
    return Address(scheme, host, path, query) if host else None


def _scalars(text: str) -> str:
    """Join the halves of surrogate pairs, and replace single ones. The parser takes no text with surrogates."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


@lru_cache(maxsize=4096)
def _checked_host(host: str) -> str | None:
    """Return a parsed ``host[:port]`` without a final dot, or None if it is no host of the DNS or has port 0."""
    split = split_port(host)
    if split is None:
        return None
    name, port = split[0].removesuffix("."), split[1]
    if not name.startswith("[") and not (len(name) <= _MAX_NAME and _NAME.fullmatch(name)):
        return None
    return name if port is None else f"{name}:{port}"


def _encode(match: re.Match[str]) -> str:
    """Normalise an encoded octet, or characters that must be encoded (RFC 3986, section 6.2.2)."""
    text = match[0]
    if text == "%":
        return "%25"
    if text.startswith("%"):
        character = chr(int(text[1:], 16))
        return character if character in _UNRESERVED else text.upper()
    return "".join(f"%{octet:02X}" for octet in text.encode())


def _drop_path_sessions(path: str) -> str:
    if ";" not in path and "(" not in path:
        return path
    shorter = _COOKIELESS.sub("", _PATH_SESSION.sub("", path))
    if "/." in shorter and (parsed := _parse(f"http://host{shorter}", None)):
        return parsed.path  # the session was behind the dots
    return shorter


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
    if "=" not in address.query:
        return None
    parts = [part for part in address.query.split("&") if part]
    kept = [part for part in parts if not _ORIGIN.fullmatch(part)]
    return address._replace(query="&".join(kept)).canonical if len(kept) < len(parts) else None


def plain_path(path: str) -> str:
    """Return the path of the page itself: without ``/amp``, ``/print`` or ``.amp`` at an end.

    The rest must look like an article's name, with a digit or a hyphen: ``/glossary/amp`` is a page of its own.
    """
    lowered = path.lower()
    shorter = path if "amp" in lowered or "print" in lowered else None
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


# Hosts.
_NAME = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
_HOST = re.compile(r"\[[^\]]*\]|[^\x00-\x20/?#@:\[\]\\]+")
"""A host as written, before it is parsed."""
_AUTHORITY = re.compile(r"(\[[^\]]*\]|[^:\[\]]*)(?::(?:0*([0-9]{1,5}))?)?")
_MAX_NAME = 253
_LOCAL_NAMES = ("localhost", "localdomain", "local", "internal", "home.arpa", "ip6-localhost", "ip6-loopback")

_UNICAST6 = ipaddress.IPv6Network("2000::/3")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_CLOSED6 = tuple(
    ipaddress.IPv6Network(net) for net in ("2001::/23", "2001:db8::/32", "3fff::/20", "2620:4f:8000::/48", "2002::/16")
)
_CLOSED4 = tuple(
    ipaddress.IPv4Network(net) for net in ("192.0.0.0/24", "192.88.99.0/24", "192.31.196.0/24", "192.52.193.0/24")
)


def split_port(authority: str) -> tuple[str, int | None] | None:
    """Split ``host[:port]`` into host and port (None if absent or empty). Return None if it is neither."""
    match = _AUTHORITY.fullmatch(authority)
    if match is None or not match[1]:
        return None
    port = int(match[2]) if match[2] else None
    return (match[1], port) if port is None or 0 < port < 1 << 16 else None


@lru_cache(maxsize=4096)
def normalise_host(host: str) -> str | None:
    """Return the ASCII form of a host (name, IPv4 in dots, IPv6 in brackets), or None if it is not a host."""
    address = _parse(f"http://{host}/", None) if len(host) <= 4 * _MAX_NAME and _HOST.fullmatch(host) else None
    return address.host if address else None


def _bare(host: str) -> tuple[str, int | None]:
    name, port = split_port(host) or (host, None)
    return (normalise_host(name) or name.lower()), port


@lru_cache(maxsize=2)
def _suffixes(*, only_icann: bool = False) -> PublicSuffixList:
    """Return the list as a set of names: 1 MiB, where a tree of labels takes 6."""
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList(accept_unknown=False, only_icann=only_icann)


@lru_cache(maxsize=4096)
def registered_domain(host: str) -> str:
    """Return the registered domain (``news.example.co.uk`` -> ``example.co.uk``), or an empty string for IP addresses.

    Uses the Public Suffix List in the package publicsuffixlist, private part included: two blogs of one hoster differ.
    """
    return _suffixes().privatesuffix(_bare(host)[0]) or ""


def is_public_suffix(name: str) -> bool:
    """Return whether others register their names below this one, as below ``com.vn``. Names of hosters do not count."""
    return _suffixes(only_icann=True).is_public(name)


def same_site(host_a: str, host_b: str) -> bool:
    """Return whether two hosts share their registered domain. Hosts without one must be equal, port included."""
    if host_a == host_b:
        return True
    domain = registered_domain(host_a)
    return domain == registered_domain(host_b) if domain else _bare(host_a) == _bare(host_b)


def private_address(host: str) -> bool:
    """Return whether a host must not be requested, by its spelling: a non-public address, a local name, or no host.

    ``host`` may have a port, and may be an IPv6 address with or without brackets. False says nothing about the
    addresses of the name: each resolved address must pass `address_allowed`.
    """
    if host.count(":") > 1 and not host.startswith("["):
        return not address_allowed(host)
    split = split_port(host)
    name = normalise_host(split[0]) if split else None
    if name is None:
        return True
    if name.startswith("[") or name.rpartition(".")[2].isdigit():
        return not address_allowed(name.strip("[]"))
    return any(name == local or name.endswith("." + local) for local in _LOCAL_NAMES)


def address_allowed(ip: str) -> bool:
    """Return whether an IP address (as a resolver returns it) belongs to the public internet. False if unreadable.

    This is stricter than ``ipaddress.is_global``:

    - multicast and relays are refused;
    - of IPv6 only global unicast is public (RFC 4291), and zone identifiers are refused;
    - a mapped or NAT64 address is as public as the IPv4 address that it contains;
    - 6to4 (retired, RFC 7526) and Teredo are refused, because they could contain a private address.
    """
    try:
        address = ipaddress.ip_address(ip)
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv4Address):
        return _public4(address)
    embedded = address.ipv4_mapped
    if address in _NAT64:
        embedded = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    if embedded is not None:
        return address.scope_id is None and _public4(embedded)
    return (
        address.scope_id is None
        and address in _UNICAST6
        and address.is_global
        and not any(address in net for net in _CLOSED6)
    )


def _public4(address: ipaddress.IPv4Address) -> bool:
    return address.is_global and not address.is_multicast and not any(address in net for net in _CLOSED4)
