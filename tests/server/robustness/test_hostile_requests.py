"""Hostile bodies, paths and headers are answered too."""

import json
import re
from collections.abc import Iterator
from urllib.parse import quote

from httpx import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.api.call import Request
from mockserver.api.endpoint import Endpoint
from mockserver.server.assembly import assemble
from mockserver.state.world import World
from tests.server.robustness.requests import FAST, WORDS
from tests.server.robustness.stage import API, Stage, throw
from tests.tables import cases
from tests.transport import InProcessTransport

HOSTILE_BODIES = [
    b"",
    b"null",
    b"[]",
    b'"x"',
    b"{",
    b"\xff",
    b"\x00",
    b"[" * 100_000,
    b'{"a":' * 150 + b"1" + b"}" * 150,
    b'{"name":NaN,"chainId":1e999}',
    b'{"name":"\\ud800","email":"\\u0000"}',
    b"name[a]=1&name=2",
    json.dumps({"name": 10**400, "chainId": 2**70, "email": [], "token": {}}).encode(),
]


def paths(endpoint: Endpoint) -> Iterator[str]:
    """An endpoint's path with hostile parameters."""
    for word in ("x", "..", "%2F", "\x00", "é☕", "acc_" + "0" * 5_000) if endpoint.parameters else ("",):
        yield re.sub(r"\{\w+\}", word, endpoint.path)


@cases("content_type", "application/json", "application/x-www-form-urlencoded", "text/plain")
def test_every_operation_stands_every_hostile_body(stage: Stage, content_type: str) -> None:
    for endpoint in API:
        for body in HOSTILE_BODIES:
            path = re.sub(r"\{\w+\}", "x", endpoint.path)
            headers = {"authorization": "Bearer sk_test_tests", "content-type": content_type}
            request = Request(endpoint.method, path, "limit=0&skip=-1&chainId=x", headers, body)
            throw(stage, request)


def test_every_operation_stands_every_hostile_path_and_method(stage: Stage) -> None:
    for endpoint in API:
        for path in paths(endpoint):
            for method in (endpoint.method, "PATCH", "HEAD", "get", "\x00"):
                throw(stage, Request(method, path, "", {"authorization": "Bearer sk_test_tests"}, b"{}"))


HEADER_NAMES = [
    *(b"authorization", b"x-project-key", b"x-player-token", b"x-auth-provider", b"x-wallet-auth"),
    *(b"cookie", b"content-type", b"x-request-id", b"x-idempotency-key", b"x-behalf-of-project"),
    *(b"x-forwarded-for", b"x-forwarded-proto", b"host", b"user-agent"),
]
HEADER = st.binary(max_size=30).map(
    lambda raw: raw.replace(b"\n", b"").replace(b"\r", b"").replace(b"\0", b"")
)


@given(
    method=st.sampled_from(["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "BREW"]),
    path=st.lists(st.sampled_from(WORDS) | st.sampled_from(["v1", "v2", "iam", "auth", "accounts", "_mock"])),
    query=st.binary(max_size=40),
    headers=st.dictionaries(st.sampled_from(HEADER_NAMES), HEADER),
    body=st.binary(max_size=200),
)
@settings(FAST)
def test_no_bytes_on_the_wire_stop_the_server(
    method: str, path: list[str], query: bytes, headers: dict[bytes, bytes], body: bytes
) -> None:
    world = World()
    url = "http://mock/" + "/".join(quote(part[:100], safe="") for part in path) + "?" + quote(query)
    with Client(transport=InProcessTransport(assemble(world))) as client:
        for given_headers in (headers, {b"authorization": b"Bearer sk_test_tests", **headers}):
            response = client.request(method, url, headers=given_headers, content=body)
            assert response.status_code in range(200, 500)
            if method == "HEAD":
                assert response.content == b""
            elif response.status_code >= 400:
                assert response.json()
        assert client.get("http://mock/_mock/health").status_code == 200
