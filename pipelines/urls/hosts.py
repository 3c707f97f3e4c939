"""Host names and IP addresses: normal form, site membership, and addresses that must not be requested.

The host parser follows the URL standard (https://url.spec.whatwg.org/#host-parsing), so ``2130706433``, ``0x7f.1`` and
``①②⑦.0.0.1`` are recognised as the loopback address. Names are in IDNA 2008 with the UTS 46 mapping. A label that
IDNA 2008 forbids but browsers resolve (for example emoji) is written in plain Punycode.
"""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import unquote

import idna

if TYPE_CHECKING:
    from tldextract import TLDExtract

_NAME = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
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
    if host.startswith("["):
        return _ipv6(host)
    if len(host) > 4 * _MAX_NAME:
        return None
    name = unquote(host, errors="replace") if "%" in host else host
    ascii_name: str | None = name.lower()
    if not name.isascii():
        try:
            mapped = idna.uts46_remap(name, std3_rules=False, transitional=False)
            ascii_name = ".".join(_label(label) for label in mapped.split("."))
        except UnicodeError:
            ascii_name = None
    if ascii_name is None:
        return None
    ascii_name = ascii_name.removesuffix(".")
    if _NUMBER.fullmatch(ascii_name.rpartition(".")[2]):
        return _ipv4(ascii_name)
    return ascii_name if len(ascii_name) <= _MAX_NAME and _NAME.fullmatch(ascii_name) else None


def _ipv6(bracketed: str) -> str | None:
    if not bracketed.endswith("]") or "%" in bracketed:
        return None
    try:
        return f"[{ipaddress.IPv6Address(bracketed[1:-1]).compressed}]"
    except ValueError:
        return None


def _ipv4(name: str) -> str | None:
    """Read the numeric forms of inet_aton: one to four parts, decimal, octal (``0…``) or hexadecimal (``0x…``)."""
    parts = name.split(".")
    if len(parts) > 4 or len(name) > _MAX_NAME:
        return None
    try:
        numbers = [_number(part) for part in parts]
    except ValueError:
        return None
    *leading, last = numbers
    if any(number > 255 for number in leading) or last >= 256 ** (5 - len(numbers)):
        return None
    value = sum(number << (8 * (3 - place)) for place, number in enumerate(leading)) + last
    return str(ipaddress.IPv4Address(value))


def _number(part: str) -> int:
    if not _NUMBER.fullmatch(part):
        raise ValueError(part)
    if part.startswith("0x"):
        return int(part[2:] or "0", 16)
    return int(part, 8) if part.startswith("0") else int(part)


def _label(label: str) -> str:
    if label.isascii():
        return label
    try:
        return idna.alabel(label).decode("ascii")
    except UnicodeError:
        return "xn--" + label.encode("punycode").decode("ascii")


def _bare(host: str) -> tuple[str, int | None]:
    name, port = split_port(host) or (host, None)
    return (normalise_host(name) or name.lower()), port


@lru_cache(maxsize=1)
def _suffixes() -> TLDExtract:
    from tldextract import TLDExtract

    return TLDExtract(cache_dir=None, suffix_list_urls=(), include_psl_private_domains=True)


@lru_cache(maxsize=4096)
def registered_domain(host: str) -> str:
    """Return the registered domain (``news.example.co.uk`` -> ``example.co.uk``), or an empty string for IP addresses.

    Uses the Public Suffix List bundled with tldextract, private part included: two blogs of one hoster differ.
    """
    name = _bare(host)[0]
    return "" if name.startswith("[") else _suffixes().extract_str(name).top_domain_under_public_suffix


def is_public_suffix(name: str) -> bool:
    """Return whether others register their names below this one, as below ``com.vn``. Names of hosters do not count."""
    return bool(name) and _suffixes().extract_str(name, include_psl_private_domains=False).suffix == name


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
    if name.startswith("[") or _NUMBER.fullmatch(name.rpartition(".")[2]):
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
