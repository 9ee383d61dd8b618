"""`mockserver healthcheck`."""

import argparse
import socket

from mockserver.cli.parser import Parser
from mockserver.launch.application import reason_of
from mockserver.launch.options import HOST, PORT, TLS_OPTIONS
from mockserver.launch.serve import ServeOptions
from mockserver.launch.streams import complain

EXAMPLE = "MOCKSERVER_PORT=5000 mockserver healthcheck"
EXIT_CODES = {"0": "it is ready", "1": "it is not, or there is none"}

_REQUEST = b"GET /_mock/ready HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
_TIMEOUT_S = 2.0
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
    """The status of the answer. An OSError, or a ValueError for what is not HTTP.

    By a socket and not by a library: an orchestrator asks every few seconds, and importing one takes longer
    than all the rest.
    """
    plain = socket.create_connection((host, port), timeout=_TIMEOUT_S)
    with _encrypt(plain) if tls else plain as connection:
        connection.sendall(_REQUEST)
        words = connection.recv(1024).split(b" ", 2)
        if len(words) < 3 or not words[0].startswith(b"HTTP/1."):
            raise ValueError("what answers there is no HTTP server")
        return int(words[1])


def _encrypt(plain: socket.socket) -> socket.socket:
    import ssl

    # It sends no secret, and asks this machine: whether the certificate is trusted does not matter.
    with plain:
        return ssl._create_unverified_context().wrap_socket(plain)
