"""The log of a server: one stream of one form, on standard error, and the banner is none of it."""

import json
import re
import socket
from pathlib import Path

import pytest
from httpx import URL, TransportError

from tests.cli.conftest import Serve

RULES = """
name: weather
rules:
- {name: reset, when: GetContracts, then: {fault: connection_reset_by_peer}}
- {name: away, when: GetContract, then: {answer: 503}}
"""
MEMBERS = {"at", "status", "method", "target", "operation", "project", "duration_ms", "rule", "request_id"}


def log_of(serve: Serve, directory: Path, form: str) -> list[str]:
    """The log of a server that answered 503 by a rule, broke a connection by a fault and got no HTTP."""
    file = directory / "weather.yaml"
    file.write_text(RULES)
    served = serve("--log", form, "--scenario", str(file))
    with served.client() as client:
        client.headers["x-request-id"] = "cart-7"
        page = {"origin": "https://shop.example"}
        assert client.get("/v1/contracts/con_1", headers=page).status_code == 503
        with pytest.raises(TransportError):
            client.get("/v1/contracts")
    address = URL(served.url)
    with socket.create_connection((address.host, address.port)) as connection:
        connection.sendall(b"no HTTP at all\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 400")
    code, log = served.end()
    assert code == 0
    assert not any(line in log for line in served.banner if line)
    return log.splitlines()


def test_a_line_of_json_has_what_a_call_is_searched_by(serve: Serve, tmp_path: Path) -> None:
    away, reset, broken = map(json.loads, log_of(serve, tmp_path, "json"))
    assert set(away) == MEMBERS
    assert (away["operation"], away["rule"], away["request_id"]) == ("GetContract", "away", "cart-7")
    assert away["project"].startswith("pro_")
    assert all(0 <= line["duration_ms"] < 60_000 for line in (away, reset))
    assert (set(reset), reset["fault"]) == (MEMBERS | {"fault"}, "connection_reset_by_peer")
    assert reset["request_id"] == "cart-7"
    assert set(broken) == {"at", "level", "message"}
    assert (broken["level"], broken["message"]) == ("warning", "Invalid HTTP request received.")


def test_a_line_of_text_has_them_too(serve: Serve, tmp_path: Path) -> None:
    away, reset, broken = log_of(serve, tmp_path, "text")
    pattern = (
        r"\S+ 503 GET /v1/contracts/con_1 operation=GetContract project=pro_\S+ duration_ms=\d+ rule=away"
        r" request_id=cart-7"
    )
    assert re.fullmatch(pattern, away)
    assert " rule=reset fault=connection_reset_by_peer request_id=cart-7" in reset
    assert re.fullmatch(r"\S+ warning .+", broken)


def test_without_request_lines_broken_http_is_said_too(serve: Serve, tmp_path: Path) -> None:
    (broken,) = log_of(serve, tmp_path, "none")
    assert " warning " in broken


def test_a_line_has_the_code_of_an_error_and_no_text_of_a_rule(serve: Serve, tmp_path: Path) -> None:
    file = tmp_path / "code.yaml"
    file.write_text("rules: [{when: GetContract, then: {answer: {status: 400, body: {code: '135223'}}}}]")
    served = serve("--log", "json", "--scenario", str(file))
    unknown = {"jsonrpc": "2.0", "id": 1, "method": "eth_none"}
    with served.client() as client:
        client.get("/v1/contracts", headers={"authorization": ""})
        client.get("/v1/contracts/con_1")
        client.get("/iam/v2/me", headers={"authorization": "Bearer ended"})
        client.get("/_mock/projects/pro_none")
        client.post("/_mock/projects/-/chains/80002/rpc", json=unknown)
    _, log = served.end()
    found = [json.loads(line).get("error") for line in log.splitlines()]
    assert found == ["api_key_missing", None, "SESSION_INVALID", "urn:mockserver:unknown-project", -32601]
