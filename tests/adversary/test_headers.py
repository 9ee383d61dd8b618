"""Requests whose heads are too large, too many, or without end."""

import itertools
import time

from httpx import Client

from mockserver.state.project import Project
from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.adversary.wire import exchange
from tests.tables import cases

ENVELOPES = [
    ("/v1/contracts", b'"code":"headers_too_large"'),
    ("/iam/v2/auth/get-session", b'"code":"HEADERS_TOO_LARGE"'),
    ("/_mock/health", b"urn:mockserver:headers-too-large"),
]


@cases("path, envelope", *ENVELOPES)
def test_too_many_headers_are_431_for_the_family(server: LiveServer, path: str, envelope: bytes) -> None:
    head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nX-Long: ".encode()
    answer = exchange(server.url, [head, b"x" * 70_000, b"\r\n\r\n"])
    assert answer.status == 431
    assert envelope in answer.body
    assert b"65536" in answer.body


@cases("path, envelope", *ENVELOPES)
def test_an_endless_header_is_431_and_the_end(server: LiveServer, path: str, envelope: bytes) -> None:
    head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nX-Long: ".encode()
    endless = itertools.chain([head], itertools.repeat(b"x" * 65_536, 1_024))
    answer = exchange(server.url, endless)
    assert answer.status == 431
    assert envelope in answer.body
    assert "connection: close" in answer.head


def test_a_url_without_end_is_414(server: LiveServer) -> None:
    endless = itertools.chain([b"GET /v1/contracts?"], itertools.repeat(b"x" * 65_536, 1_024))
    answer = exchange(server.url, endless)
    assert answer.status == 414
    assert b'"code":"url_too_long"' in answer.body


def test_too_many_headers_are_431_however_short(server: LiveServer) -> None:
    lines = b"".join(b"X-%d: 1\r\n" % number for number in range(101))
    answer = exchange(server.url, [b"GET /v1/contracts HTTP/1.1\r\nHost: localhost\r\n", lines, b"\r\n"])
    assert answer.status == 431
    assert b"100" in answer.body


def test_a_hundred_thousand_headers_do_not_stall_the_server(server: LiveServer, http: Client) -> None:
    lines = b"X: 1\r\n" * 100_000
    started = time.monotonic()
    answer = exchange(server.url, [b"GET /v1/contracts HTTP/1.1\r\nHost: localhost\r\n", lines, b"\r\n"])
    assert answer.status == 431
    assert http.get("/_mock/health").status_code == 200
    assert time.monotonic() - started < 5


def test_an_attacker_s_head_is_kept_nowhere(server: LiveServer, victim: MockProject) -> None:
    key = f"Authorization: Bearer {victim.secret_key}\r\n".encode()
    for _ in range(5):
        head = b"GET /v1/contracts HTTP/1.1\r\nHost: localhost\r\n" + key + b"X-Long: "
        exchange(server.url, [head, b"x" * 70_000, b"\r\n\r\n"])
        query = b"GET /v1/contracts?name=" + b"x" * 20_000 + b" HTTP/1.1\r\nHost: localhost\r\n" + key
        exchange(server.url, [query, b"\r\n"])
    kept = victim.journal.list(unmasked=True)
    assert [entry["status"] for entry in kept] == [431, 414] * 5
    assert len(str(kept)) < 10_000


# --- trailers -------------------------------------------------------------------------------------------

CHUNKED = b"POST /v1/contracts HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"


@cases("pause", False, True, ids=["in one packet", "in two packets"])
def test_a_trailer_is_no_credential(server: LiveServer, victim: MockProject, pause: bool) -> None:
    trailer = f"0\r\nAuthorization: Bearer {victim.secret_key}\r\n\r\n".encode()
    first, second = CHUNKED + b"\r\n2\r\n{}\r\n", trailer
    assert exchange(server.url, [first, second] if pause else [first + second]).status == 401
    assert victim.journal.list() == []


def test_a_trailer_does_not_change_a_header(server: LiveServer, victim: MockProject) -> None:
    key = f"Authorization: Bearer {victim.secret_key}\r\n".encode()
    body = b"\r\n2\r\n{}\r\n0\r\nX-Request-Id: forged\r\nContent-Type: text/plain\r\n\r\n"
    assert exchange(server.url, [CHUNKED + key + body]).status == 400
    (entry,) = victim.journal.list()
    assert not {"x-request-id", "content-type"} & entry["request"]["headers"].keys()


def test_trailers_without_end_end_the_connection(server: LiveServer, http: Client) -> None:
    endless = itertools.chain(
        [CHUNKED + b"\r\n2\r\n{}\r\n0\r\n"], itertools.repeat(b"X: 1\r\n" * 10_000, 1_000)
    )
    assert exchange(server.url, endless).status in (0, 431)
    assert http.get("/_mock/health").status_code == 200


def test_chunk_extensions_without_end_end_the_connection(server: LiveServer, http: Client) -> None:
    endless = itertools.chain([CHUNKED + b"\r\n2;"], itertools.repeat(b"x" * 65_536, 1_024))
    assert exchange(server.url, endless).status in (0, 431)
    assert http.get("/_mock/health").status_code == 200


# --- what the journal keeps -----------------------------------------------------------------------------


def test_the_journal_is_bounded_by_headers_and_queries_too(api: Client, project: Project) -> None:
    long = {"x-long": "x" * 60_000}
    for number in range(300):
        api.get("/v1/contracts", headers=long, params={"name": f"{number}-{'y' * 10_000}"})
    held = sum(
        len(entry.query) + sum(map(len, entry.request_headers.values()))
        for entry in project.history.answered_since(0)
    )
    assert held <= 16 * 1024 * 1024
    assert [entry.number for entry in project.history.answered_since(0)][-1] == 300
