"""Faults on TLS, under uvicorn as its users start it."""

import datetime
import errno
import os
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from uvicorn import Config, Server

from mockserver import create_app

RULES = "rules: [{when: GetContracts, then: {fault: connection_reset_by_peer}}]"
PEM = serialization.Encoding.PEM


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate and its key, in one file."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    began = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), 1, began, began.replace(year=2120))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=True)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    text = key.private_bytes(PEM, serialization.PrivateFormat.PKCS8, plain) + made.public_bytes(PEM)
    path = tmp_path_factory.mktemp("tls") / "localhost.pem"
    path.write_bytes(text)
    return path


@pytest.fixture(params=["asyncio", "uvloop"])
def address(request: pytest.FixtureRequest, certificate: Path, tmp_path: Path) -> Iterator[tuple[str, int]]:
    """Where uvicorn serves the application with TLS."""
    pytest.importorskip(request.param)
    (tmp_path / "reset.yaml").write_text(RULES)
    app = create_app(scenarios=tmp_path)
    config = Config(
        app, loop=request.param, ssl_keyfile=certificate, ssl_certfile=certificate, log_config=None
    )
    server, listener = Server(config), socket.create_server(("127.0.0.1", 0))
    serving = threading.Thread(target=server.run, args=([listener],))
    serving.start()
    yield listener.getsockname()
    server.should_exit = True
    serving.join()
    listener.close()


def receive_rest(connected: socket.socket) -> None:
    connected.settimeout(5)
    while connected.recv(65_536):
        pass


def test_a_reset_is_one_on_tls_too(address: tuple[str, int]) -> None:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    plain = socket.create_connection(address, timeout=5)
    with closing(context.wrap_socket(plain, server_hostname="localhost")) as connected:
        connected.sendall(
            b"GET /v1/contracts HTTP/1.1\r\nhost: x\r\nauthorization: Bearer sk_test_default\r\n\r\n"
        )
        # Beneath TLS: OpenSSL tells a reset from an end of the connection in some versions only.
        with (
            closing(socket.socket(fileno=os.dup(connected.fileno()))) as beneath,
            pytest.raises(ConnectionResetError) as found,
        ):
            receive_rest(beneath)
    assert found.value.errno == errno.ECONNRESET
