"""Encrypted connections: whether a host is the one that its certificate names, and what may go wrong before.

Twisted asks the first of service_identity, and takes whatever it raises but a mismatch for a yes (26.10): what an
authority has issued without a name of a host, or with one that is malformed, was good for every host. And of a host
that closes in the handshake it knows no error, but has one of its own.
"""

from __future__ import annotations

from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING, Any
from weakref import ref

from cryptography.x509 import DNSName, IPAddress, SubjectAlternativeName
from OpenSSL.SSL import VERIFY_FAIL_IF_NO_PEER_CERT, VERIFY_PEER, Connection, Error, ZeroReturnError
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


class _Closable(Connection):
    def do_handshake(self) -> None:
        """Name what went wrong where the host says that it closes: Twisted looks for words that are not there."""
        try:
            super().do_handshake()
        except ZeroReturnError as error:
            raise Error([("SSL routines", "", "closed in the handshake")]) from error


@implementer(IPolicyForHTTPS)
class EncryptedHosts:
    """Connects as another policy does, and with ``named`` to no host whose certificate cannot be shown to name it."""

    def __init__(self, policy: Any, *, named: bool) -> None:
        self._policy, self._named = policy, named

    def creatorForNetloc(self, hostname: bytes, port: int) -> _Host | _NamedHost:  # noqa: N802 - Twisted's name
        """Return what makes the connections to a host."""
        host = _Host(self._policy.creatorForNetloc(hostname, port))
        return _NamedHost(host, hostname.decode("ascii")) if self._named else host


@implementer(IOpenSSLClientConnectionCreator)
class _Host:
    def __init__(self, creator: Any) -> None:
        self._creator = creator

    def clientConnectionForTLS(self, tlsProtocol: Any) -> Connection:  # noqa: N802, N803 - Twisted's names
        """Return a connection that tells of all that goes wrong in its handshake."""
        connection: Connection = self._creator.clientConnectionForTLS(tlsProtocol)
        connection.__class__ = _Closable
        return connection


@implementer(IOpenSSLClientConnectionCreator)
class _NamedHost:
    def __init__(self, creator: _Host, host: str) -> None:
        self._creator = creator
        literal = isIPAddress(host) or isIPv6Address(host)
        self._wanted: ServiceID = IPAddress_ID(host) if literal else DNS_ID(host)

    def clientConnectionForTLS(self, tlsProtocol: Any) -> Connection:  # noqa: N802, N803 - Twisted's names
        """Return a connection that ends with its handshake where the certificate does not name the host."""
        connection = self._creator.clientConnectionForTLS(tlsProtocol)
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
