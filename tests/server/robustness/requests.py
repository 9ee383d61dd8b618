"""Requests that an endpoint might have been meant by, drawn from its declaration."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import urlencode

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from mockserver.api.access import Scheme
from mockserver.api.call import Request
from mockserver.api.endpoint import Endpoint
from mockserver.api.wire import adapter
from tests.server.robustness.stage import Stage, signed, staged

FAST = settings(suppress_health_check=list(HealthCheck), database=None)

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


@cache
def staged_words() -> list[str]:
    """The words of the stage, which repeats exactly."""
    return staged().words


SOME_WORD = st.sampled_from(WORDS) | st.deferred(lambda: st.sampled_from(staged_words()))


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
    # The server has no control token: a secret key names the project.
    Scheme.CONTROL_TOKEN: "sk",
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
