"""Whatever is thrown at the server, it answers in the right envelope, keeps serving, and takes back what
it refused."""

import hashlib
import json
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.serialization import load_der_private_key
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mockserver.api.access import Scheme
from mockserver.api.call import Request
from mockserver.api.endpoint import Endpoint, Routes
from mockserver.api.family import family_of
from mockserver.api.wire import adapter
from mockserver.crypto.tokens import sign_es256
from mockserver.domain.wallets.wallet_secrets import default_secret
from mockserver.server.assembly import ENDPOINTS, assemble
from mockserver.server.pipeline import Pending, Pipeline
from mockserver.server.render import Response
from mockserver.state.project import Project, ProjectState
from mockserver.state.settings import Settings
from mockserver.state.world import ProjectDefaults, World
from tests.transport import InProcessTransport

API = [endpoint for endpoint in ENDPOINTS if endpoint.family.public]
BUILT = [endpoint for endpoint in API if endpoint.handler is not None]
CONTROL = [endpoint for endpoint in ENDPOINTS if not endpoint.family.public]
ROUTES = Routes(ENDPOINTS)


class Stage(NamedTuple):
    """A pipeline over a project in which things have happened, and the words that mean something there."""

    pipeline: Pipeline
    project: Project
    state: ProjectState
    failures: list[str]
    words: list[str]
    wallet_key: EllipticCurvePrivateKey
    token: str

    def send(self, request: Request) -> Response:
        """The answer to a request; one that waits is answered at once."""
        outcome = self.pipeline.answer(request)
        return outcome.finish() if isinstance(outcome, Pending) else outcome


def staged() -> Stage:
    """A stage with users, accounts, contracts, policies and transactions."""
    failures: list[str] = []
    world = World()
    project = world.create(name="tests", defaults=ProjectDefaults(settings=Settings(one_time_code="123456")))
    key = load_der_private_key(b64decode(default_secret(project)), None)
    assert isinstance(key, EllipticCurvePrivateKey)
    stage = Stage(
        Pipeline(world, ROUTES, failures.append), project, project.snapshot(), failures, [], key, ""
    )
    seen: list[bytes] = []

    def post(path: str, body: dict[str, object]) -> Any:
        request = Request(
            "POST", path, "", {"authorization": "Bearer sk_test_tests"}, json.dumps(body).encode()
        )
        signed(stage, request, len(seen))
        response = stage.send(request)
        assert response.status < 300, response.body
        seen.append(response.body)
        return json.loads(response.body)

    ada = {"name": "Ada", "email": "ada@example.com", "password": "long enough"}
    token = post("/iam/v2/auth/sign-up/email", ada)["token"]
    user = next(iter(project.identity.users)).id
    post("/v1/contracts", {"name": "C", "chainId": 80002, "address": "0x" + "11" * 20})
    account = post("/v2/accounts/backend", {"chainType": "EVM"})["id"]
    post("/v2/accounts/backend", {"chainType": "SVM"})
    owned = {"accountType": "Externally Owned Account", "chainType": "EVM", "user": user}
    post("/v2/accounts", owned)
    rule = {"action": "accept", "operation": "sponsorEvmTransaction", "criteria": []}
    policy = post("/v2/policies", {"scope": "project", "rules": [rule]})["id"]
    post("/v2/fee-sponsorship", {"strategy": {"sponsorSchema": "pay_for_user"}, "policyId": policy})
    post("/v1/paymasters", {"address": "0x" + "11" * 20})
    post("/v1/forwarder_contracts", {"address": "0x" + "11" * 20, "chainId": 80002})
    post("/v1/settings/developer_accounts", {})
    call = {"to": "0x" + "22" * 20, "value": "1", "data": "0x"}
    post("/v2/transactions", {"chainId": 80002, "accountId": account, "calls": [call]})
    ids = re.findall(rb'"((?:[a-z]{3}_[0-9a-f-]{36})|0x[0-9a-fA-F]{40})"', b"".join(seen))
    words = [user, token, *dict.fromkeys(text.decode() for text in ids)]
    return stage._replace(state=project.snapshot(), words=words, token=token)


def signed(stage: Stage, request: Request, number: int) -> None:
    """Add the `X-Wallet-Auth` of the project's wallet secret."""
    claims: dict[str, object] = {
        "uris": [f"{request.method} {request.path}"],
        "iat": 1_780_000_000,
        "nbf": 1_780_000_000,
        "jti": f"number {number}",
        "reqHash": hashlib.sha256(request.body).hexdigest(),
    }
    request.headers = {**request.headers, "x-wallet-auth": sign_es256(stage.wallet_key, claims)}


@pytest.fixture(scope="module")
def stage() -> Stage:
    """One stage for all: every test begins by restoring it."""
    return staged()


# --- what must hold ----------------------------------------------------------------------------------


def refuse_constant(name: str) -> None:
    """JSON has no such number."""
    raise AssertionError(f"{name} is no JSON")


def check_envelope(request: Request, response: Response) -> None:
    """An answer is JSON, and a refusal comes in the envelope of its family."""
    headers = dict(response.headers)
    assert all(32 <= byte < 127 for header in response.headers for part in header for byte in part)
    if not response.body:
        assert response.status in (200, 204, 302), response
        return
    if not headers[b"content-type"].endswith(b"json"):
        assert response.status < 400
        return
    body = json.loads(response.body, parse_constant=refuse_constant)
    assert response.status != 500, response.body
    if response.status < 400:
        return
    assert len(response.body) < 4_000 + 10 * len(request.body)
    family = family_of(request.path).name
    if headers[b"content-type"] == b"application/problem+json":
        assert body["status"] == response.status
        assert all(isinstance(body[name], str) and body[name] for name in ("type", "title", "detail"))
    else:
        assert family != "control"
    if family == "iam":
        assert isinstance(body["code"], str)
        assert isinstance(body["message"], str)
    elif family == "api":
        error = body["error"]
        assert error["type"] == "invalid_request_error"
        assert all(isinstance(error[name], str) and error[name] for name in ("code", "message"))
        assert isinstance(error.get("param", ""), str)
        assert all(finding["message"] for finding in error.get("details", {}).values())


def held(project: Project) -> tuple[object, ...]:
    """All that a project holds, but where a refused call may leave what must stay spent."""
    requests = project.requests
    spent = (project.wallets.spent_tokens, project.identity.verifications, requests.rule_states)
    spared = {id(table) for table in (*spent, requests.client_windows)}
    _, *rest = project.snapshot()
    return rest, [list(table) for table in project.tables() if id(table) not in spared]


def throw(stage: Stage, request: Request, *, spoils: bool = True) -> None:
    """Send a request to the stage as it was, and check everything that must hold."""
    project = stage.project
    project.restore(stage.state, 0)
    before = held(project)
    response = stage.send(request)
    assert stage.failures == []
    check_envelope(request, response)
    if response.status >= 400 and spoils:
        assert held(project) == before
    assert stage.send(Request("GET", "/_mock/health", "", {})).status == 200


# --- what is thrown ----------------------------------------------------------------------------------

WORDS = [
    *("", " ", "0", "-1", "1.5", "1e999", "null", "true", "*", "..", "%2F", "a[b", "{id}", "\x00", "é☕"),
    *("ada@example.com", "long enough", "+15555550100", "123456", "google", "firebase", "credential"),
    *("0x", "0x0", "0xzz", "0x" + "11" * 20, "0x" + "ab" * 32, "0x" + "ff" * 65, "https://shop.example/x"),
    *("EVM", "SVM", "80002", "137", "1", "2026-01-01T00:00:00Z", "sponsorEvmTransaction", "signEvmMessage"),
    *("acc_00000000-0000-4000-8000-000000000000", "ply_x", "eyJhbGciOiJFUzI1NiJ9.e30.c2ln", "A" * 5_000),
    *(
        "transfer(address,uint256)",
        "(uint256",
        "javascript:alert(1)",
        "x\r\nset-cookie: y=z",
        "11111111111111",
    ),
]
NUMBERS = [
    0,
    1,
    -1,
    2**31,
    2**53,
    2**63,
    2**64,
    2**256,
    10**400,
    80002,
    137,
    0.5,
    -0.0,
    1e308,
    1e999,
    float("nan"),
]
TEXT = st.text(st.characters(codec=None), max_size=12)  # lone surrogates too
JUNK = st.recursive(
    st.none() | st.booleans() | st.sampled_from(NUMBERS) | st.sampled_from(WORDS) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


def mostly(fitting: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """What fits, and junk once in a while."""
    return st.integers(0, 40).flatmap(lambda chance: JUNK if chance == 40 else fitting)


HINTS = {
    "email": ["ada@example.com", "new@example.com"],
    "password": ["long enough", "another one"],
    "phone": ["+15555550100"],
    "address": ["0x" + "11" * 20, "0x"],
    "data": ["0x", "0x" + "ab" * 32],
    "hash": ["0x" + "ab" * 32],
    "signature": ["0x" + "11" * 65],
    "url": ["https://shop.example/x"],
    "provider": ["google", "credential", "firebase", "custom"],
    "to": ["0x" + "22" * 20],
    "value": ["1", "0"],
    "operation": ["sponsorEvmTransaction", "signEvmMessage", "signEvmTransaction"],
    "scope": ["project", "account"],
    "otp": ["123456"],
    "code": ["123456"],
    "functionname": ["transfer", "balanceOf"],
}
PREFIXES = {
    "account": "acc",
    "accounts": "acc",
    "accountid": "acc",
    "backend": "acc",
    "wallet": "pla",
    "walletid": "pla",
    "user": "usr",
    "users": "usr",
    "userid": "usr",
    "player": "pla",
    "players": "pla",
    "policies": "ply",
    "policyid": "ply",
    "fee-sponsorship": "pol",
    "feesponsorshipid": "pol",
    "developer_accounts": "dac",
    "paymasters": "pay",
    "paymaster": "pay",
    "forwarder_contracts": "cfo",
    "forwardercontractid": "cfo",
    "policy": "pol",
    "contracts": "con",
    "contract": "con",
    "transactions": "tin",
    "transaction_intents": "tin",
    "sessions": "ses",
    "policy_rules": "afu",
}


def words_for(name: str) -> st.SearchStrategy[str]:
    """Words that mean something under a name, and others once in a while."""
    plain = name.lower()
    hinted = [word for part, words in HINTS.items() if part in plain for word in words]
    hinted += [word for word in staged_words() if word[:4] == f"{PREFIXES.get(plain)}_"]
    if plain == "token":
        hinted.append(staged_words()[1])
    return st.sampled_from(hinted) | st.sampled_from(hinted) | SOME_WORD if hinted else SOME_WORD | TEXT


def fitting(schema: Mapping[str, Any], defs: Mapping[str, Any], name: str = "") -> Any:
    """Values that a JSON schema lets through under a name, more or less."""
    if "$ref" in schema:
        defined = schema["$ref"].rpartition("/")[2]
        return st.deferred(lambda: fitting(defs[defined], defs, name))
    for combination in ("anyOf", "oneOf"):
        if combination in schema:
            return st.one_of([fitting(one, defs, name) for one in schema[combination]])
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema.get("type"):
        case "object" if "properties" in schema:
            required = set(schema.get("required", ()))
            members = {
                key: mostly(fitting(member, defs, key)) for key, member in schema["properties"].items()
            }
            return st.fixed_dictionaries(
                {key: member for key, member in members.items() if key in required},
                optional={key: member for key, member in members.items() if key not in required},
            )
        case "object":
            return st.dictionaries(SOME_WORD | TEXT, JUNK, max_size=3)
        case "array":
            return st.lists(mostly(fitting(schema.get("items", {}), defs, name)), max_size=3)
        case "string":
            return words_for(name)
        case "integer" if name == "chainId":
            return st.sampled_from([80002, 80002, 80002, 137, 2**53 - 1])
        case "integer":
            low = schema.get("minimum", 0)
            return st.sampled_from([low, low + 1, schema.get("maximum", 2**31 - 1), 80002, 137])
        case "number":
            return st.sampled_from([number for number in NUMBERS if number == number])
        case "boolean":
            return st.booleans()
        case "null":
            return st.none()
    return JUNK


SOME_WORD = st.sampled_from(WORDS) | st.deferred(lambda: st.sampled_from(staged_words()))


@cache
def staged_words() -> list[str]:
    """The words of the stage, which repeats exactly."""
    return staged().words


@cache
def members(shape: Any) -> st.SearchStrategy[Any]:
    """What a body or a query may hold."""
    if shape is None:
        return JUNK
    schema = adapter(shape).json_schema()
    return mostly(fitting(schema, schema.get("$defs", {})))


def as_form(value: object, name: str = "") -> list[tuple[str, str]]:
    """A value as fields of a form."""
    if isinstance(value, dict):
        return [
            field
            for key, member in value.items()
            for field in as_form(member, f"{name}[{key}]" if name else str(key))
        ]
    if isinstance(value, list):
        return [
            field for number, member in enumerate(value) for field in as_form(member, f"{name}[{number}]")
        ]
    return [(name, json.dumps(value) if not isinstance(value, str) else value)]


def encoded(value: object) -> str:
    """A value as a form or a query; half characters become what they become."""
    return urlencode(as_form(value), errors="replace")


SCHEMES = {
    Scheme.SECRET_KEY: "sk",
    Scheme.PUBLISHABLE_KEY: "pk",
    Scheme.ACCESS_TOKEN: "access",
    Scheme.THIRD_PARTY: "third",
    Scheme.AUTH_TOKEN: "session",
    Scheme.PROJECT_KEY: "key",
}


def schemes(endpoint: Endpoint) -> st.SearchStrategy[str]:
    """Mostly a scheme that an endpoint takes."""
    taken = sorted(SCHEMES[scheme] for scheme in endpoint.access.schemes) or ["sk"]
    if endpoint.access.session_required:
        taken = ["session", "access", "third"]
    return st.sampled_from([*taken * 3, *SCHEMES.values(), "none", "junk"])


def credentials(kind: str, token: str, word: str) -> dict[str, str]:
    """The headers of a scheme."""
    bearer_pk = {"authorization": "Bearer pk_test_tests"}
    return {
        "sk": {"authorization": "Bearer sk_test_tests"},
        "session": {"authorization": f"Bearer {token}", "x-project-key": "pk_test_tests"},
        "pk": bearer_pk,
        "access": bearer_pk | {"x-player-token": token},
        "third": bearer_pk | {"x-player-token": word, "x-auth-provider": "firebase"},
        "key": {"x-project-key": "pk_test_tests"},
        "none": {},
        "junk": {"authorization": word, "x-player-token": word, "x-wallet-auth": word},
    }[kind]


@st.composite
def requests(draw: st.DrawFn, stage: Stage, endpoints: list[Endpoint], control: bool = False) -> Request:
    """A request that an endpoint might have been meant by."""
    endpoint = draw(st.sampled_from(endpoints))
    word = SOME_WORD.map(lambda text: text.replace("/", "%2F") or "x")
    path = endpoint.path
    for name in endpoint.parameters:
        before = path.partition(f"/{{{name}}}")[0].rpartition("/")[2]
        chosen = draw(words_for(before)).replace("/", "%2F") or "x"
        if control and name == "p" and draw(st.integers(0, 9)):
            chosen = "-"
        path = path.replace(f"{{{name}}}", chosen)
    query = encoded(draw(members(endpoint.query))) if endpoint.query or draw(st.booleans()) else ""
    value = draw(members(endpoint.body))
    kind = draw(st.sampled_from(["json"] * 8 + ["form", "cut", "text"]))
    body = b"" if endpoint.method == "GET" else json.dumps(value).encode()
    content_type = "application/json"
    if kind == "form":
        body, content_type = encoded(value).encode(), "application/x-www-form-urlencoded"
    elif kind == "cut":
        body = body[: draw(st.integers(0, len(body)))]
    elif kind == "text":
        content_type = draw(st.sampled_from(["", "text/plain", "multipart/form-data", "APPLICATION/JSON"]))
    headers = credentials(draw(schemes(endpoint)), stage.token, draw(word)) | {"content-type": content_type}
    if draw(st.integers(0, 9)) == 0:
        headers["x-idempotency-key"] = draw(word)
    if endpoint.on_behalf and draw(st.booleans()):
        headers["x-behalf-of-project"] = draw(word)
    request = Request(endpoint.method, path, query, headers, body)
    if endpoint.access.wallet_auth and "x-wallet-auth" not in headers:
        signed(stage, request, 1_000_000)
    return request


FAST = {"suppress_health_check": list(HealthCheck), "database": None}


@given(st.data())
@settings(max_examples=500, **FAST)
def test_no_request_to_an_operation_breaks_it(stage: Stage, data: st.DataObject) -> None:
    throw(stage, data.draw(requests(stage, BUILT)))


@given(st.data())
@settings(max_examples=150, **FAST)
def test_no_request_to_the_control_api_breaks_it(stage: Stage, data: st.DataObject) -> None:
    request = data.draw(requests(stage, CONTROL, control=True))
    failures: list[str] = []
    world = World()
    world.key("sk_test_tests")
    outcome = Pipeline(world, ROUTES, failures.append).answer(request)
    response = outcome.finish() if isinstance(outcome, Pending) else outcome
    assert failures == []
    check_envelope(request, response)


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


@pytest.mark.parametrize(
    "content_type", ["application/json", "application/x-www-form-urlencoded", "text/plain"]
)
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
    headers=st.dictionaries(
        st.sampled_from(HEADER_NAMES),
        HEADER,
    ),
    body=st.binary(max_size=200),
)
@settings(max_examples=200, **FAST)
def test_no_bytes_on_the_wire_stop_the_server(
    method: str, path: list[str], query: bytes, headers: dict[bytes, bytes], body: bytes
) -> None:
    world = World()
    url = "http://mock/" + "/".join(quote(part[:100], safe="") for part in path) + "?" + quote(query)
    with httpx.Client(transport=InProcessTransport(assemble(world))) as client:
        for given_headers in (headers, {b"authorization": b"Bearer sk_test_tests", **headers}):
            response = client.request(method, url, headers=given_headers, content=body)
            assert response.status_code in range(200, 500)
            if response.status_code >= 400:
                assert response.json()
        assert client.get("http://mock/_mock/health").status_code == 200
