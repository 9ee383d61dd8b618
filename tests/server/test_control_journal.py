"""The journal: what is recorded, found and shown."""

import base64
import contextlib
import json

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, derive_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from httpx import Auth, Client, RemoteProtocolError, TransportError

from mockserver.api.values import find_rpc_error
from mockserver.state.project import Project
from tests.tables import cases

JOURNAL = "/_mock/projects/-/journal"
CONTRACT = {"name": "Token", "chainId": 80002, "address": "0x" + "ab" * 20}


def _numbers(api: Client, **filters: object) -> list[int]:
    found = api.get(JOURNAL, params={name: str(value) for name, value in filters.items()})
    assert found.status_code == 200, found.text
    return [exchange["n"] for exchange in found.json()["data"]]


@pytest.fixture
def busy(api: Client) -> Client:
    """A project with five exchanges."""
    api.post("/v1/contracts", json=CONTRACT, headers={"x-request-id": "first"})
    api.post("/v1/contracts", json=CONTRACT)
    api.get("/v1/contracts")
    api.get("/v1/contracts/con_none", headers={"x-request-id": "fourth"})
    api.get("/v9/nowhere")
    return api


def test_an_exchange_is_shown_with_its_request_and_its_response(api: Client) -> None:
    answer = api.post("/v1/contracts?expand=abi", json=CONTRACT, headers={"x-request-id": "r-1"})
    shown = api.get(f"{JOURNAL}/1").json()
    assert (shown["n"], shown["at"]) == (1, "2026-01-01T00:00:00.000Z")
    assert (shown["method"], shown["path"], shown["query"]) == ("POST", "/v1/contracts", "expand=abi")
    assert (shown["operation"], shown["status"], shown["rule"]) == ("CreateContract", 200, None)
    assert (shown["request_id"], shown["request"]["body"]) == ("r-1", CONTRACT)
    assert shown["request"]["headers"]["content-type"] == "application/json"
    assert shown["response"]["body"] == answer.json()
    assert shown["response"]["headers"]["x-request-id"] == "r-1"


def test_exchanges_are_listed_in_order_with_their_number(busy: Client) -> None:
    answer = busy.get(JOURNAL).json()
    assert [exchange["n"] for exchange in answer["data"]] == [1, 2, 3, 4, 5]
    assert answer["total"] == 5


@cases(
    "filters, numbers",
    ({"operation": "CreateContract"}, [1, 2]),
    ({"status": 409}, [2]),
    ({"status": "4xx"}, [2, 4, 5]),
    ({"method": "get"}, [3, 4, 5]),
    ({"path": "/v1/contracts/"}, [4]),
    ({"path": "/v1/"}, [1, 2, 3, 4]),
    ({"path": "*/con_*"}, [4]),
    ({"path": "/v1/?ontracts*"}, []),
    ({"since": 3}, [4, 5]),
    ({"request_id": "fourth"}, [4]),
    ({"matched": "true"}, []),
    ({"matched": "false", "since": 3}, [4, 5]),
    ({"operation": "CreateContract", "status": "2xx"}, [1]),
    ({"limit": 2}, [1, 2]),
    ({"skip": 3}, [4, 5]),
    ({"limit": 2, "order": "desc"}, [5, 4]),
    ({"operation": "DeleteContract"}, []),
)
def test_exchanges_are_found(busy: Client, filters: dict[str, object], numbers: list[int]) -> None:
    assert _numbers(busy, **filters) == numbers


def test_a_misspelt_operation_is_refused_with_the_nearest_one(busy: Client) -> None:
    refused = busy.get(JOURNAL, params={"operation": "CreateContrat"})
    assert refused.status_code == 400
    assert refused.json()["detail"].endswith("is not an operation (did you mean CreateContract?)")


def test_the_total_counts_exchanges_beyond_the_page(busy: Client) -> None:
    assert busy.get(JOURNAL, params={"status": "4xx", "limit": 1}).json()["total"] == 3


@cases("filters", {"status": "20"}, {"status": "600"}, {"since": "-1"}, {"wait": "301"})
def test_a_filter_that_means_nothing_is_refused(api: Client, filters: dict[str, str]) -> None:
    response = api.get(JOURNAL, params=filters)
    assert response.status_code == 400
    assert response.json()["param"] == next(iter(filters))


def test_a_cleared_journal_is_empty_and_goes_on_counting(busy: Client) -> None:
    assert busy.delete(JOURNAL).json() == {"deleted": 5}
    assert _numbers(busy) == []
    busy.get("/v1/contracts")
    assert _numbers(busy) == [6]
    assert busy.get(f"{JOURNAL}/1").status_code == 404


@cases("number", "0", "6", "-1", "one", "9" * 40, "²")
def test_an_exchange_that_is_not_there_is_not_found(busy: Client, number: str) -> None:
    assert busy.get(f"{JOURNAL}/{number}").status_code == 404


def test_the_control_api_is_not_recorded(api: Client) -> None:
    api.get("/_mock/projects/-")
    api.put("/_mock/projects/-/settings", json={"nonsense": 1})
    api.get("/_mock/nowhere")
    assert _numbers(api) == []


def test_a_journal_with_something_that_fits_does_not_wait(busy: Client) -> None:
    assert _numbers(busy, status=409, wait=300) == [2]


# --- masking -------------------------------------------------------------------------------------------


def _exchange(api: Client, **how: str) -> dict[str, dict[str, dict[str, str]]]:
    found: dict[str, dict[str, dict[str, str]]] = api.get(f"{JOURNAL}/1", params=how).json()
    return found


SECRET_HEADERS = {
    "x-project-key": "pk_test_verylongkey",
    "x-player-token": "eyJhbGciOiJFUzI1NiJ9.e30.c2ln",
    "x-wallet-auth": "eyJhbGciOiJFUzI1NiJ9.e30.d2Fs",
    "cookie": "session=0123456789abcdef",
}


def test_credentials_in_headers_are_cut_to_their_beginning(api: Client, project: Project) -> None:
    api.get("/v1/contracts", headers=SECRET_HEADERS)
    headers = _exchange(api)["request"]["headers"]
    assert (headers["authorization"], headers["x-project-key"]) == ("Bearer sk_test_te…", "pk_test_ve…")
    assert headers["x-player-token"] == "…"
    text = json.dumps(headers)
    assert not any(secret in text for secret in (project.secret_key, *SECRET_HEADERS.values()))


def test_a_basic_credential_is_masked(api: Client, project: Project) -> None:
    credential = base64.b64encode(f"{project.secret_key}:".encode()).decode()
    api.get("/v1/contracts", headers={"authorization": f"Basic {credential}"})
    assert _exchange(api)["request"]["headers"]["authorization"] == "Basic …"


SECRET_BODY = {
    "email": "ada@example.com",
    "password": "correct horse",
    "newPassword": "battery staple",
    "otp": "123456",
    "code": "654321",
    "idToken": "eyJhbGciOiJFUzI1NiJ9.e30.aWQ",
    "refresh_token": "short",
    "nested": [{"encryptedPrivateKey": "aGVsbG8=", "signature": "0xabcd", "recoveryShare": 7}],
}


def test_secrets_in_json_are_masked_at_any_depth(api: Client) -> None:
    api.post("/v1/contracts", json=SECRET_BODY)
    assert _exchange(api)["request"]["body"] == {
        "email": "ada@example.com",
        "password": "…",
        "newPassword": "…",
        "otp": "…",
        "code": "…",
        "idToken": "…",
        "refresh_token": "…",
        "nested": [{"encryptedPrivateKey": "…", "signature": "0xabcd", "recoveryShare": "…"}],
    }


def test_the_code_of_an_error_is_no_secret(api: Client) -> None:
    refused = api.get("/v1/contracts/con_none").json()
    assert _exchange(api)["response"]["body"] == refused
    assert refused["error"]["code"] == "contract_not_found"


def test_secrets_in_queries_and_forms_are_masked(api: Client) -> None:
    api.post(
        "/v1/contracts?token=0123456789abcdef&name=x%20y",
        content="credentials[password]=horse&chainId=80002",
        headers={"content-type": "application/x-www-form-urlencoded"},
    )
    exchange = api.get(f"{JOURNAL}/1").json()
    assert exchange["query"] == "token=…&name=x%20y"
    assert exchange["request"]["body"] == "credentials[password]=…&chainId=80002"


def test_the_token_of_a_link_is_masked(api: Client) -> None:
    path = "/iam/v2/auth/reset-password/0123456789abcdefghij"
    api.get(path, params={"callbackURL": "/welcome"})
    assert api.get(f"{JOURNAL}/1").json()["path"] == "/iam/v2/auth/reset-password/…"
    for way in (path, path + "/"):
        assert api.put(way).status_code == 404
        assert "0123456789abcdefghij" not in api.get(JOURNAL).text
    assert api.get(f"{JOURNAL}/1", params={"unmasked": "true"}).json()["path"] == path


def test_secrets_are_shown_on_request(api: Client, project: Project) -> None:
    api.post("/v1/contracts?token=0123456789abcdef", json=SECRET_BODY, headers=SECRET_HEADERS)
    exchange = api.get(f"{JOURNAL}/1", params={"unmasked": "true"}).json()
    assert (exchange["query"], exchange["request"]["body"]) == ("token=0123456789abcdef", SECRET_BODY)
    assert exchange["request"]["headers"]["authorization"] == f"Bearer {project.secret_key}"
    assert exchange.pop("findings")[0] == "the body has no member 'code': it is ignored"
    assert exchange == api.get(JOURNAL, params={"unmasked": "true"}).json()["data"][0]


@cases(
    "content, shown",
    (b"", None),
    (b"just text", "just text"),
    (b"{broken", "{broken"),
    (b"\xff\xfe", {"base64": "//4="}),
    (b"[" * 100_000, "[" * 100_000),
)
def test_what_is_no_json_is_counted_and_shown_on_request(api: Client, content: bytes, shown: object) -> None:
    api.post("/v1/contracts", content=content, headers={"content-type": "application/json"})
    counted: object = {"unparsed": len(content)} if content else None
    assert _exchange(api)["request"]["body"] == counted
    assert _exchange(api, unmasked="true")["request"]["body"] == shown


IMPORT = "/v2/accounts/backend/import"


@cases("content_type", "application/json", "application/x-www-form-urlencoded", "text/plain")
@cases(
    "content",
    b'{"encryptedPrivateKey":"SECRETBLOB", ',
    b"{'encryptedPrivateKey': 'SECRETBLOB'}",
    b'{"encryptedPrivateKey":["SECRETBLOB"]}',
    b'{"encryptedPrivateKey":{"blob":"SECRETBLOB","message":"SECRETBLOB"}}',
    b'{"encryptedPrivateKey":[[{"a":["SECRETBLOB"]}]]}',
    b'{"encrypted_private_key ":"SECRETBLOB"}',
    b'{"body":"SECRETBLOB"}',
    b'{"data":{"key":["SECRETBLOB"]}}',
    b'["SECRETBLOB"]',
    b'"SECRETBLOB"',
    b"SECRETBLOB",
    b"encryptedPrivateKey=SECRETBLOB&chainType=EVM",
    b"body=SECRETBLOB==",
    b"encryptedPrivateKey[a][b]=SECRETBLOB",
)
def test_a_misshaped_secret_is_masked_too(backend: Client, content: bytes, content_type: str) -> None:
    backend.auth = Auth()
    sent = backend.post(IMPORT, content=content, headers={"content-type": content_type})
    assert sent.status_code == 401
    assert "SECRET" not in json.dumps(_exchange(backend))
    assert "SECRET" in json.dumps(_exchange(backend, unmasked="true"))


def test_what_is_wrong_with_a_secret_is_shown_without_it(api: Client) -> None:
    refused = api.post("/iam/v2/auth/sign-in/email", json={"email": "a@example.com", "password": 31337})
    assert refused.status_code == 400
    shown = _exchange(api)
    assert "31337" not in json.dumps(shown)
    assert shown["request"]["body"] == {"email": "a@example.com", "password": "…"}
    assert shown["response"]["body"]["message"] == refused.json()["message"]


def test_the_finding_about_a_secret_keeps_its_message(backend: Client) -> None:
    body = {"encryptedPrivateKey": 31337, "chainType": "EVM"}
    error = backend.post(IMPORT, json=body).json()["error"]
    shown = json.loads(json.dumps(_exchange(backend)["response"]["body"]))
    finding = error["details"]["encryptedPrivateKey"]
    assert finding["value"] == 31337
    assert shown["error"]["details"]["encryptedPrivateKey"] == {**finding, "value": "…"}


@cases("kind", "PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY")
@cases("cut", False, True)
def test_a_private_key_in_pem_is_masked_wherever_it_stands(api: Client, kind: str, cut: bool) -> None:
    pem = f"-----BEGIN {kind}-----\nSECRET\nKEY\n" + ("" if cut else f"-----END {kind}-----\n")
    api.post("/v1/contracts", json={"name": f"it is {pem}", "abi": [{"name": pem}]}, params={"name": pem})
    shown = _exchange(api)
    assert "SECRET" not in json.dumps(shown)
    assert str(shown["request"]["body"]["name"]).startswith("it is …")


@cases("path, name", ("register-secret", "publicKey"), ("rotate-secrets", "newPublicKey"))
def test_of_a_public_key_only_a_public_key_is_shown(api: Client, path: str, name: str) -> None:
    key = derive_private_key(7, SECP256R1())
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    bare = "".join(private.splitlines()[1:-1])
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    sent = [private, bare, private.replace("PRIVATE", "PUBLIC"), private + public, [private], public]
    for number, text in enumerate(sent, 1):
        api.post(f"/v2/accounts/backend/{path}", json={name: text, "walletAuthToken": "x"})
        shown = api.get(f"{JOURNAL}/{number}").json()
        assert (bare[40:60] in json.dumps(shown)) is False
        assert (shown["request"]["body"][name] == text) is (text is public)


def test_a_pattern_of_a_path_has_a_limit(api: Client) -> None:
    refused = api.get(JOURNAL, params={"path": "*a" * 501})
    assert (refused.status_code, refused.json()["param"]) == (400, "path")


@cases("name", "path", "rule")
def test_a_pattern_has_so_many_wildcards(api: Client, name: str) -> None:
    assert api.get("/_mock/projects/-/journal", params={name: "*" * 32}).status_code == 200
    refused = api.get("/_mock/projects/-/journal", params={name: "*" * 33})
    assert (refused.status_code, refused.json()["param"]) == (400, name)
    assert refused.json()["detail"] == f"{name}: a pattern has at most 32 wildcards"


# --- filters of what happened ---------------------------------------------------------------------------


def numbers(api: Client, **query: object) -> list[int]:
    """The exchanges that pass filters."""
    params = {name: str(value).lower() if value is True else str(value) for name, value in query.items()}
    answer = api.get("/_mock/projects/-/journal", params=params)
    assert answer.status_code == 200, answer.text
    return [each["n"] for each in answer.json()["data"]]


def test_exchanges_are_found_by_failure_text_and_number(api: Client) -> None:
    api.get("/v1/contracts", params={"name": "Needle"})
    api.get("/v1/contracts/con_nowhere")
    api.post("/v1/contracts", json={"name": "needle", "chainId": 80002, "address": f"0x{1:040x}"})
    api.post("/v1/contracts", json={"other": "Haystack"})
    assert numbers(api, failed=True) == [2, 4]
    assert numbers(api, text="NEEDLE") == [1, 3]
    assert numbers(api, text="haystack") == [4]
    assert numbers(api, text="con_nowhere") == [2]
    assert numbers(api, until=2) == [1, 2]
    assert numbers(api, since=1, until=2) == [2]


def test_exchanges_are_found_by_rule_and_by_fault(api: Client) -> None:
    scenario = """
name: outage
rules:
  - {name: away for once, when: {call: GetContracts, nth: 1}, then: {answer: 503}}
  - {name: no answer, when: GetContract, then: {fault: {truncate_body: {keep: 1}}}}
"""
    api.post("/_mock/projects/-/scenarios", content=scenario, headers={"content-type": "application/yaml"})
    api.get("/v1/contracts")
    api.get("/v1/contracts")
    with pytest.raises(RemoteProtocolError):
        api.get("/v1/contracts/con_1")
    assert numbers(api, rule="away for once") == [2]
    assert numbers(api, rule="*a*") == [2, 4]
    assert numbers(api, faulted=True) == [4]
    assert numbers(api, failed=True) == [2, 4]


def test_a_text_is_found_in_headers_as_they_are_shown(api: Client) -> None:
    api.get("/v1/contracts", headers={"x-request-id": "Req-77"})
    api.get("/v1/players", headers={"x-idempotency-key": "order-9"})
    assert numbers(api, text="req-77") == [1]
    assert numbers(api, text="X-Idempotency-Key: order-9") == [2]
    assert numbers(api, text="content-type: application/json") == [1, 2]
    assert numbers(api, text=api.headers["authorization"]) == []


@cases(
    "body, expected",
    ({"jsonrpc": "2.0", "id": 1, "method": "eth_chainId"}, None),
    ({"jsonrpc": "2.0", "id": 1, "method": "eth_chaimId"}, -32601),
    ([{"jsonrpc": "2.0", "id": 1, "method": name} for name in ("eth_chainId", "eth_call")], -32602),
)
def test_an_error_of_json_rpc_has_failed(
    api: Client, project: Project, body: object, expected: int | None
) -> None:
    answer = api.post(f"/_mock/projects/{project.id}/chains/80002/rpc", json=body)
    assert answer.status_code == 200
    (shown,) = api.get(JOURNAL).json()["data"]
    assert shown["rpc_error"] == expected
    assert numbers(api, failed=True) == ([1] if expected else [])


@cases(
    "body",
    '[{"jsonrpc":5},5,{"error":{"code":7}',
    '[{"jsonrpc":"2.0"},5,{"error":null,"result":{"error":{"code":7}}}]',
    '{"jsonrpc":"2.0","result":{"error":{"code":7}}}',
    '{"jsonrpc":"2.0","error":{"code":"7"},"result":{"error":{"code":7}}}',
)
def test_only_an_error_of_json_rpc_is_one(body: str) -> None:
    assert find_rpc_error(body.encode()) is None


@cases(
    "fault, is_lost, has_failed",
    ("connection_reset_by_peer", True, True),
    ("malformed_response_chunk", True, True),
    ("malformed_json", False, True),
    ("slow_response", False, False),
)
def test_an_answer_not_received_has_failed(api: Client, fault: str, is_lost: bool, has_failed: bool) -> None:
    then = f"{{fault: {{{fault}: {{effect: done}}}}}}"
    scenario = f"name: outage\nrules:\n  - {{name: away, when: GetContracts, then: {then}}}\n"
    api.post("/_mock/projects/-/scenarios", content=scenario, headers={"content-type": "application/yaml"})
    with contextlib.suppress(TransportError):
        api.get("/v1/contracts")
    shown = api.get(f"{JOURNAL}/2").json()
    assert (shown["status"], shown["fault"], shown["lost"]) == (200, fault, is_lost)
    assert numbers(api, failed=True) == ([2] if has_failed else [])


def test_a_call_took_what_it_waited_for_on_the_clock(api: Client) -> None:
    scenario = "name: late\nrules:\n  - {name: late, when: GetPlayers, then: [delay: 90s, effect: done]}\n"
    api.post("/_mock/projects/-/scenarios", content=scenario, headers={"content-type": "application/yaml"})
    api.post("/_mock/projects/-/clock/advance", json={"seconds": 5})
    api.get("/v1/contracts")
    api.get("/v1/players")
    api.get("/v1/nowhere")
    assert [each["took_ms"] for each in api.get(JOURNAL).json()["data"]] == [0, 90_000, 0]


def test_a_brief_list_leaves_out_headers_bodies_and_effects(api: Client) -> None:
    api.get("/v1/contracts")
    (entry,) = api.get("/_mock/projects/-/journal", params={"brief": "true"}).json()["data"]
    assert entry["path"] == "/v1/contracts"
    assert not {"request", "response", "effects"} & entry.keys()
