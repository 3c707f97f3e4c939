"""Whether a host is the one that its certificate names.

Twisted asks that of service_identity, and takes whatever it raises but a mismatch for a yes (26.10): what an authority
has issued without a name of a host, or with one that is malformed, was good for every host.
"""

from __future__ import annotations

from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING, Any
from weakref import ref

from cryptography.x509 import DNSName, IPAddress, SubjectAlternativeName
from OpenSSL.SSL import VERIFY_FAIL_IF_NO_PEER_CERT, VERIFY_PEER
from service_identity import CertificateError
from service_identity.hazmat import (
    DNS_ID,
    DNSPattern,
    IPAddress_ID,
    IPAddressPattern,
    ServiceID,
    verify_service_identity,
)
from twisted.internet.abstract import isIPAddress, isIPv6Address
from twisted.internet.interfaces import IOpenSSLClientConnectionCreator
from twisted.python.failure import Failure
from twisted.web.iweb import IPolicyForHTTPS
from zope.interface import implementer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from OpenSSL.crypto import X509
    from OpenSSL.SSL import Connection


@implementer(IPolicyForHTTPS)
class NamedHosts:
    """Connects as another policy does, and to no host whose certificate cannot be shown to name it."""

    def __init__(self, policy: Any) -> None:
        self._policy = policy

    def creatorForNetloc(self, hostname: bytes, port: int) -> _NamedHost:  # noqa: N802 - Twisted's name
        """Return what makes the connections to a host."""
        return _NamedHost(self._policy.creatorForNetloc(hostname, port), hostname.decode("ascii"))


@implementer(IOpenSSLClientConnectionCreator)
class _NamedHost:
    def __init__(self, creator: Any, host: str) -> None:
        self._creator = creator
        literal = isIPAddress(host) or isIPv6Address(host)
        self._wanted: ServiceID = IPAddress_ID(host) if literal else DNS_ID(host)

    def clientConnectionForTLS(self, tlsProtocol: Any) -> Connection:  # noqa: N802, N803 - Twisted's names
        """Return a connection that ends with its handshake where the certificate does not name the host."""
        connection: Connection = self._creator.clientConnectionForTLS(tlsProtocol)
        # The connection keeps what it calls, and the protocol the connection.
        protocol = ref(tlsProtocol)

        def verdict(_: Connection, certificate: X509, _error: int, depth: int, ok: int) -> bool:
            if depth or not ok:
                return bool(ok)
            try:
                verify_service_identity(list(_names(certificate)), [self._wanted], [])
            except Exception:  # noqa: BLE001 - whatever it is, the host was not shown to be named
                if (held := protocol()) is not None:
                    held.failVerification(Failure())  # type: ignore[no-untyped-call]
                return False
            return True

        connection.set_verify(VERIFY_PEER | VERIFY_FAIL_IF_NO_PEER_CERT, verdict)
        return connection


def _names(certificate: X509) -> Iterator[DNSPattern | IPAddressPattern]:
    """Yield the hosts that a certificate names; what is malformed names none, and takes nothing from those beside it.

    Raises ExtensionNotFound where there are none, ValueError where they cannot be read.
    """
    for name in certificate.to_cryptography().extensions.get_extension_for_class(SubjectAlternativeName).value:
        if isinstance(name, IPAddress) and isinstance(name.value, IPv4Address | IPv6Address):
            yield IPAddressPattern(name.value)
        elif isinstance(name, DNSName):
            with suppress(CertificateError):
                yield DNSPattern.from_bytes(name.value.encode())
