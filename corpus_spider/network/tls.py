"""TLS: check that a certificate names the host, and report errors of the handshake.

Twisted (26.10) lets service_identity check the name and accepts any error except a mismatch. So a certificate without a
host name, or with a malformed one, was valid for every host. Twisted also hides the error of a host that closes the
connection during the handshake.
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


class _ClosableConnection(Connection):
    def do_handshake(self) -> None:
        """Raise an error with a reason if the host closes the connection. Twisted fails on an error without one."""
        try:
            super().do_handshake()
        except ZeroReturnError as error:
            raise Error([("SSL routines", "", "closed in the handshake")]) from error


@implementer(IPolicyForHTTPS)
class EncryptedHosts:
    """TLS policy that wraps another one. With ``named``, the certificate must name the host."""

    def __init__(self, policy: Any, *, named: bool) -> None:
        self._policy, self._named = policy, named

    def creatorForNetloc(self, hostname: bytes, port: int) -> _Host | _NamedHost:  # noqa: N802 - Twisted's name
        """Return the creator of the connections to a host."""
        host = _Host(self._policy.creatorForNetloc(hostname, port))
        return _NamedHost(host, hostname.decode("ascii")) if self._named else host


@implementer(IOpenSSLClientConnectionCreator)
class _Host:
    def __init__(self, creator: Any) -> None:
        self._creator = creator

    def clientConnectionForTLS(self, tlsProtocol: Any) -> Connection:  # noqa: N802, N803 - Twisted's names
        """Return a connection that reports every error of its handshake."""
        connection: Connection = self._creator.clientConnectionForTLS(tlsProtocol)
        connection.__class__ = _ClosableConnection
        return connection


@implementer(IOpenSSLClientConnectionCreator)
class _NamedHost:
    def __init__(self, creator: _Host, host: str) -> None:
        self._creator = creator
        literal = isIPAddress(host) or isIPv6Address(host)
        self._wanted: ServiceID = IPAddress_ID(host) if literal else DNS_ID(host)

    def clientConnectionForTLS(self, tlsProtocol: Any) -> Connection:  # noqa: N802, N803 - Twisted's names
        """Return a connection whose handshake fails if the certificate does not name the host."""
        connection = self._creator.clientConnectionForTLS(tlsProtocol)
        # A weak reference: the connection keeps the callback, and the protocol keeps the connection.
        protocol = ref(tlsProtocol)

        def verdict(_: Connection, certificate: X509, _error: int, depth: int, ok: int) -> bool:
            if depth or not ok:
                return bool(ok)
            try:
                verify_service_identity(list(_names(certificate)), [self._wanted], [])
            except Exception:  # noqa: BLE001 - any error means that the name was not verified
                if (held := protocol()) is not None:
                    held.failVerification(Failure())  # type: ignore[no-untyped-call]
                return False
            return True

        connection.set_verify(VERIFY_PEER | VERIFY_FAIL_IF_NO_PEER_CERT, verdict)
        return connection


def _names(certificate: X509) -> Iterator[DNSPattern | IPAddressPattern]:
    """Yield the hosts that a certificate names. Malformed names are skipped.

    Raises ExtensionNotFound if there are no names, ValueError if they cannot be parsed.
    """
    for name in certificate.to_cryptography().extensions.get_extension_for_class(SubjectAlternativeName).value:
        if isinstance(name, IPAddress) and isinstance(name.value, IPv4Address | IPv6Address):
            yield IPAddressPattern(name.value)
        elif isinstance(name, DNSName):
            with suppress(CertificateError):
                yield DNSPattern.from_bytes(name.value.encode())
