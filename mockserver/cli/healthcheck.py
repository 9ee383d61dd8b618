"""`mockserver healthcheck`."""

import argparse
import socket

from mockserver.cli.parser import Parser
from mockserver.launch.application import reason_of
from mockserver.launch.options import HOST, PORT, TLS_OPTIONS
from mockserver.launch.serve import ServeOptions
from mockserver.launch.streams import complain
from mockserver.server.edge.start_up import READY
from mockserver.server.edge.ticker import Ticker

EXAMPLE = "MOCKSERVER_PORT=5000 mockserver healthcheck"
EXIT_CODES = {"0": "it is ready", "1": "it is not, or there is none"}

_REQUEST = b"GET /_mock/ready HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
_PROBLEM = b'{"type":"urn:mockserver:'
_TIMEOUT_S = 2.0
_MOST_BYTES = 4096
_OWN = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}
"""Where a server is reached that listens on all addresses."""


def add_arguments(parser: Parser) -> None:
    """See `Command`."""
    parser.add_options((HOST, PORT, TLS_OPTIONS[0]), ServeOptions())


def run(options: argparse.Namespace) -> int:
    """See `Command`."""
    chosen = options.parser.choose(options)
    host = _OWN.get(chosen["host"].value, chosen["host"].value)
    try:
        status = ask(host, chosen["port"].value, tls=chosen["tls"].value)
    except (OSError, ValueError) as error:
        complain(f"not ready: {reason_of(error)}")
        return 1
    if status != 200:
        complain(f"not ready: it answers {status}")
    return 0 if status == 200 else 1


def ask(host: str, port: int, *, tls: bool) -> int:
    """The status of the answer. An OSError, or a ValueError for another server.

    By a socket and not by a library: an orchestrator asks every few seconds, and importing one takes longer
    than all the rest.
    """
    plain = socket.create_connection((host, port), timeout=_TIMEOUT_S)
    with _encrypt(plain) if tls else plain as connection:
        connection.sendall(_REQUEST)
        now_ms = Ticker().real_ms
        end_ms, answer = now_ms() + _TIMEOUT_S * 1000, b""
        while len(answer) < _MOST_BYTES and now_ms() < end_ms and (part := connection.recv(_MOST_BYTES)):
            answer += part
    head, _, body = answer.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1."):
        raise ValueError("what answers there is no HTTP server")
    status = int(head.split(b" ", 2)[1])
    # Many a server answers 200 to everything.
    if not (body.startswith(_PROBLEM) or (status, body) == (200, READY)):
        raise ValueError(f"another server answers there: {status}")
    return status


def _encrypt(plain: socket.socket) -> socket.socket:
    import ssl

    # It sends no secret, and asks this machine: whether the certificate is trusted does not matter.
    with plain:
        return ssl._create_unverified_context().wrap_socket(plain)
