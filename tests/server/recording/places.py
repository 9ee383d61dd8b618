"""The places of a run where a secret is known to be one: a request for each, with a secret of its own."""

import json
from base64 import b64encode
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import quote

from mockserver.crypto import base64url

SIGN_UP = "/iam/v2/auth/sign-up/email"
FORM = {"content-type": "application/x-www-form-urlencoded"}
NAMES = (
    *("password", "newPassword", "passphrase", "passcode", "secret", "client_secret", "apiKey", "api_key"),
    *(
        "secretKey",
        "mnemonic",
        "seedPhrase",
        "privateKey",
        "privateKeys",
        "token",
        "accessToken",
        "jwt",
        "otp",
    ),
    *("refresh-token", "authorization", "credentials", "recoveryShare", "encryptionKey", "codeVerifier"),
)
HEADERS = (
    *("authorization", "proxy-authorization", "x-api-key", "api-key", "x-auth-token", "x-access-token"),
    *("x-client-secret", "x-player-token", "x-wallet-auth", "x-mockserver-token", "x-stripe-api-key"),
    *("x-password", "x-project-key", "x-secret", "x-loyalty-number"),
)
LIVE = "sk_live_"


class Place(NamedTuple):
    """A request with a secret in it, and how that is spelt elsewhere."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes = b""


def places(secret: str) -> Iterator[tuple[str, Place]]:
    """Every place by name, with a secret."""
    yield from _in_headers(secret)
    yield from _in_urls(secret)
    yield from _in_bodies(secret)
    for name, text in _texts(secret):
        yield f"a header with {name}", Place("GET", "/v1/contracts", {"x-note": text})
        yield f"a query with {name}", Place("GET", f"/v1/contracts?name={quote(text, safe='')}", {})
        yield f"a member with {name}", _post("/v1/contracts", {"name": text, "chainId": 80002})
        yield f"an unknown path with {name}", _post("/v9/unknown", {"a": [{"b": text}]})
        yield f"a form with {name}", Place("POST", SIGN_UP, FORM, f"name={quote(text, safe='')}".encode())
    yield from _live_keys(f"{LIVE}{secret}")
    for name, text in _scenarios(secret):
        headers = {"content-type": "application/yaml"}
        yield f"a scenario with {name}", Place("POST", "/_mock/projects/-/scenarios", headers, text.encode())


def _post(path: str, value: Any, **headers: str) -> Place:
    return Place("POST", path, {"content-type": "application/json", **headers}, json.dumps(value).encode())


def _in_headers(secret: str) -> Iterator[tuple[str, Place]]:
    for name in HEADERS:
        yield f"the header {name}", Place("GET", "/v1/contracts", {name: secret})
    for name in ("authorization", "proxy-authorization"):
        basic = b64encode(f"ada:{secret}".encode()).decode()
        yield f"Bearer in {name}", Place("GET", "/v1/contracts", {name: f"Bearer {secret}"})
        yield f"Basic in {name}", Place("GET", "/v1/contracts", {name: f"Basic {basic}"})
    yield "a cookie", Place("GET", "/v1/contracts", {"cookie": f"a=1; session={secret}"})
    referer = {"referer": f"https://shop.example/in?a=1&token={secret}"}
    yield "the query of a referer", Place("GET", "/v1/contracts", referer)


def _in_urls(secret: str) -> Iterator[tuple[str, Place]]:
    for name in NAMES:
        yield f"the parameter {name}", Place("GET", f"/v1/contracts?a=1&{name}={secret}", {})
    yield "an escaped name", Place("GET", f"/v1/contracts?%74oken={secret}", {})
    yield "a nested name", Place("GET", f"/v1/contracts?a[password]={secret}", {})
    yield "a path", Place("GET", f"/iam/v2/auth/reset-password/{secret}", {})
    yield "a session in a path", Place("PUT", f"/_mock/projects/-/sessions/{secret}/aal2", {})


def _in_bodies(secret: str) -> Iterator[tuple[str, Place]]:
    for name in NAMES:
        yield f"the member {name}", _post("/v9/unknown", {name: secret})
        yield f"the nested member {name}", _post("/v1/contracts", {"a": [{"b": {name: {"of": [secret]}}}]})
        yield f"the field {name}", Place("POST", "/v9/unknown", FORM, f"a=1&{name}={secret}".encode())
    yield "a typed member", _post(SIGN_UP, {"email": "a@b.co", "password": secret, "name": "A"})
    yield "a misspelt member", _post(SIGN_UP, {"email": "a@b.co", "pasword": secret, "name": "A"})
    yield (
        "a nested typed member",
        _post("/iam/v2/auth/sign-in/social", {"provider": "x", "idToken": {"token": secret}}),
    )
    yield "a code", _post("/iam/v2/auth/phone-number/verify", {"phoneNumber": "+41791234567", "code": secret})
    yield "a code of an unknown path", _post("/v9/unknown", {"code": secret})
    twice = f'{{"password": "{secret}", "password": null}}'.encode()
    yield "a member that comes twice", Place("POST", SIGN_UP, {"content-type": "application/json"}, twice)
    yield "no JSON", Place("POST", "/v9/unknown", {}, f'{{"password": "{secret}'.encode())
    yield "a name of the project", _post("/v9/unknown", {"loyaltyNumber": secret})
    yield "a wrong type", _post(SIGN_UP, {"email": 1, "password": [secret], "name": 2})
    yield "escapes", Place("POST", "/v9/unknown", {}, f'{{"pass\\u0077ord": "{secret}"}}'.encode())


def _texts(secret: str) -> Iterator[tuple[str, str]]:
    """Texts in which a secret is known by its form."""
    part = base64url.encode(json.dumps({"password": secret}).encode())
    header = base64url.encode(b'{"alg":"none"}')
    yield "a JWT", f"{header}.{part}.{base64url.encode(secret.encode())}"
    yield "the password of a URL", f"postgres://ada:{secret}@db.example/shop"
    yield "a parameter of a URL", f"https://shop.example/cb?state=1&token={secret}"
    yield "a fragment of a URL", f"https://shop.example/cb#access_token={secret}&a=1"
    yield "JSON", json.dumps({"a": [{"password": secret}]})
    yield "JSON in JSON", json.dumps({"a": json.dumps({"apiKey": secret})})
    yield "a private key", f"-----BEGIN PRIVATE KEY-----{secret}-----END PRIVATE KEY-----"


def _live_keys(key: str) -> Iterator[tuple[str, Place]]:
    """Where a live key may be."""
    quoted, escaped = key.replace("_", "%5F"), key.replace("_", "\\u005f")
    basic = b64encode(f"{key}:".encode()).decode()
    for name in ("authorization", "x-note", "x-project-key", "x-idempotency-key", "x-request-id", "cookie"):
        yield f"a live key in {name}", Place("GET", "/v1/contracts", {name: key})
    for name in ("authorization", "x-note", "x-project-key"):
        yield f"a live key in base64 in {name}", Place("GET", "/v1/contracts", {name: f"Basic {basic}"})
    yield "a live key in a path", Place("GET", f"/v1/contracts/{key}", {})
    yield "a live key in an unknown path", Place("GET", f"/v9/{key}", {})
    yield "a live key in a query", Place("GET", f"/v1/contracts?name={key}", {})
    yield "a quoted live key in a query", Place("GET", f"/v1/contracts?name={quoted}", {})
    yield "a live key in a member", _post("/v1/contracts", {"name": key, "chainId": 80002})
    yield "a live key in a name", _post("/v9/unknown", {key: 1})
    yield "an escaped live key", Place("POST", "/v9/unknown", {}, f'{{"a": "{escaped}"}}'.encode())
    yield "a live key in base64", _post("/v9/unknown", {"a": b64encode(f"<{key}>".encode()).decode()})
    yield "a live key in a form", Place("POST", "/v9/unknown", FORM, f"a={quoted}".encode())
    yield "a live key in another body", Place("POST", "/v9/unknown", {}, f"mine is {key}".encode())


def _scenarios(secret: str) -> Iterator[tuple[str, str]]:
    yield "a password", f"given: [{{call: signUpEmail, body: {{password: '{secret}'}}}}]"
    yield (
        "a header",
        f"rules: [{{when: {{headers: {{x-api-key: '{secret}'}}}}, then: {{fault: empty_response}}}}]",
    )
    yield "a remark", f"settings: {{}}\n# password: {secret}\n"
