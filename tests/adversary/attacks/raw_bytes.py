"""Bytes that are HTTP, or nearly: cut, repeated, swapped, in pieces, several requests at once."""

import random
import select
import socket

from httpx import URL, Client

from mockserver.testing.server import LiveServer
from tests.adversary.budget import Budget

KEY = b"authorization: Bearer sk_test_raw\r\n"
JSON = b'{"name":"C","chainId":80002,"address":"0x1111111111111111111111111111111111111111"}'
REQUESTS = [
    b"GET /v1/contracts HTTP/1.1\r\nhost: localhost\r\n" + KEY + b"\r\n",
    b"POST /v1/contracts HTTP/1.1\r\nhost: localhost\r\n"
    + KEY
    + b"content-length: %d\r\n\r\n" % len(JSON)
    + JSON,
    b"POST /v1/contracts HTTP/1.1\r\nhost: localhost\r\n" + KEY + b"transfer-encoding: chunked\r\n\r\n"
    b"%x\r\n%b\r\n0\r\n\r\n" % (len(JSON), JSON),
    b"HEAD /_mock/health HTTP/1.0\r\n\r\n",
    b"OPTIONS * HTTP/1.1\r\nhost: localhost\r\n\r\n",
    b"GET http://localhost/v1/contracts?limit=1 HTTP/1.1\r\nhost: x\r\nconnection: keep-alive\r\n\r\n",
    b"PUT /iam/v1/config HTTP/1.1\r\nhost: localhost\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n{}",
    b"GET /_mock/health HTTP/1.1\r\nhost: localhost\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n",
]
PIECES = [
    *(
        b"\r\n",
        b"\n",
        b"\r",
        b"\0",
        b" ",
        b":",
        b"\xff\xfe",
        b"%",
        b"%2e%2e/",
        b"//",
        b"[::1]",
        b"\x16\x03\x01",
    ),
    *(b"transfer-encoding: chunked\r\n", b"content-length: 5\r\n", b"content-length: -1\r\n", b"\r\n\r\n"),
    *(
        b"ffffffffffffffff\r\n",
        b"0\r\n\r\n",
        b" HTTP/9.9",
        b"host: \r\n",
        b"x" * 3_000,
        b"connection: close\r\n",
    ),
]
WAIT_S = 0.02


def attack(budget: Budget) -> None:
    """Send them; whatever is answered is HTTP and no 5xx, and the next client is served."""
    with LiveServer() as server, Client(base_url=server.url, trust_env=False) as bystander:
        for _ in budget:
            sent = mutate(budget.chance)
            answered = send(server.url, split(budget.chance, sent))
            # 501 is for a Transfer-Encoding or an operation that there is not.
            assert b"HTTP/1.1 500" not in answered, sent
            assert not answered or answered.startswith(b"HTTP/1.1 "), (sent, answered)
            assert bystander.get("/_mock/health").status_code == 200, sent


def mutate(chance: random.Random) -> bytes:
    """One request or several, most of them damaged."""
    data = bytearray(b"".join(chance.choices(REQUESTS, k=chance.randint(1, 3))))
    for _ in range(chance.randint(0, 4)):
        place, kind = chance.randrange(len(data) + 1), chance.randrange(4)
        if kind == 0:
            data[place:place] = chance.choice(PIECES)
        elif kind == 1:
            data[place : place + chance.randint(1, 20)] = b""
        elif kind == 2:
            data[place : place + 1] = bytes([chance.randrange(256)])
        else:
            data[place:place] = data[place : place + chance.randint(1, 40)]
    return bytes(data)


def split(chance: random.Random, data: bytes) -> list[bytes]:
    """The same bytes in up to four pieces."""
    places = sorted(chance.randrange(len(data) + 1) for _ in range(chance.randint(0, 3)))
    return [data[start:end] for start, end in zip([0, *places], [*places, len(data)], strict=True)]


def send(url: str, pieces: list[bytes]) -> bytes:
    """What comes back within a moment; the connection is given up then, whole or not."""
    address = URL(url)
    received = b""
    with socket.create_connection((address.host, address.port or 0), timeout=5) as connection:
        try:
            for piece in pieces:
                connection.sendall(piece)
            while select.select([connection], [], [], WAIT_S)[0] and (part := connection.recv(65_536)):
                received += part
        except (BrokenPipeError, ConnectionResetError):
            pass
    return received
