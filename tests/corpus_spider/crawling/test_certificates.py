"""TLS certificates: hosts whose certificate names them, hosts whose does not, and hosts that close the connection."""

from __future__ import annotations

import socketserver
import ssl
import threading
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.corpus_spider.local_paper import Newspaper, served
from tests.corpus_spider.running import run

if TYPE_CHECKING:
    from pathlib import Path

NAMES: dict[str, list[x509.GeneralName]] = {
    "good": [x509.DNSName("other.example"), x509.DNSName("good.localhost")],
    "beside": [x509.DNSName("*.localhost"), x509.DNSName("192.0.2.1"), x509.DNSName("beside.localhost")],
    "other": [x509.DNSName("other.example")],
    "nameless": [],
    "malformed": [x509.DNSName("*.localhost")],
    "odd": [x509.DNSName("other.example"), x509.DNSName("o*.*.example")],
    "mailbox": [x509.RFC822Name("odd@example.org")],
}
"""Alternative names in the certificate of each host."""
NOW = datetime.now(UTC)


def name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])


def certificate(subject: str, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    made = x509.CertificateBuilder().subject_name(name(subject)).issuer_name(name("authority"))
    made = made.public_key(key.public_key()).serial_number(x509.random_serial_number())
    return made.not_valid_before(NOW - timedelta(days=1)).not_valid_after(NOW + timedelta(days=1))


def pem(folder: Path, host: str, authority: ec.EllipticCurvePrivateKey) -> Path:
    """Write a host's certificate and key."""
    key = ec.generate_private_key(ec.SECP256R1())
    made = certificate(f"{host}.localhost", key)
    if NAMES[host]:
        made = made.add_extension(x509.SubjectAlternativeName(NAMES[host]), critical=False)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = folder / f"{host}.pem"
    path.write_bytes(made.sign(authority, hashes.SHA256()).public_bytes(serialization.Encoding.PEM) + private)
    return path


def test_only_a_host_that_its_certificate_names_is_asked(tmp_path: Path) -> None:
    """One without a name, or with a malformed one, was good for every host: Twisted takes an error for a yes. A good
    name beside one that is malformed is good all the same.
    """
    root = ec.generate_private_key(ec.SECP256R1())
    own = certificate("authority", root).add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    trusted = tmp_path / "authority.pem"
    trusted.write_bytes(own.sign(root, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    papers, toml = {host: Newspaper(articles=1) for host in NAMES}, '[corpus]\nname = "t"\ncontact = "t@example.org"\n'
    toml += '[crawl]\ndelay = 0.0\nretries = 0\nallow_private = ["*.localhost:*"]\n'
    with ExitStack() as stack:
        for host, paper in papers.items():
            stack.enter_context(served(paper))
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(pem(tmp_path, host, root))
            assert paper.server is not None
            paper.server.socket = context.wrap_socket(paper.server.socket, server_side=True)
            toml += f'[[site]]\nname = "{host}"\nstart = ["https://{host}.localhost:{paper.port}/"]\n'
        (tmp_path / "corpus.toml").write_text(toml)
        done = run(tmp_path, "crawl", SSL_CERT_FILE=str(trusted))
    assert {host for host, paper in papers.items() if paper.asked} == {"good", "beside"}, done.stderr
    assert papers["good"].asked["/"] == 1
    assert "Traceback" not in done.stderr


class _Closing(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        """Answer the first message of a handshake with the alert that says goodbye."""
        self.request.recv(9999)
        self.request.sendall(b"\x15\x03\x03\x00\x02\x01\x00")


@pytest.mark.parametrize("verify", ["true", "false"])
def test_a_host_that_closes_in_the_handshake_is_one_that_cannot_be_reached(tmp_path: Path, verify: str) -> None:
    """Twisted (26.10) stumbles over the error, which has no words: two tracebacks stood in the log for each try."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Closing) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        toml = (
            f'[corpus]\nname = "t"\ncontact = "t@example.org"\n[crawl]\nretries = 0\nverify_certificates = {verify}\n'
        )
        site = f'start = ["https://a.localhost:{server.server_address[1]}/"]\n'
        (tmp_path / "corpus.toml").write_text(f'{toml}allow_private = ["*.localhost:*"]\n[[site]]\nname = "a"\n{site}')
        done = run(tmp_path, "crawl", "-v")
        server.shutdown()
    assert "closed in the handshake" in done.stderr
    assert "Traceback" not in done.stderr
