"""The hash of the body in a token."""

import hashlib
import json

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

from mockserver.domain.wallets import wallet_auth
from mockserver.domain.wallets.wallet_secrets import default_secret
from mockserver.state.project import Project
from tests.domain.wallets.wallet_auth.helpers import BODY, PATH, Request, accept, claims_of, refuse
from tests.tables import cases


def test_the_hash_may_be_of_the_sorted_body(project: Project, key: EllipticCurvePrivateKey) -> None:
    body = b'{ "wallet": "pla_1",\n "chainType": "EVM" }'
    token = jwt.encode(
        claims_of(project, reqHash="d2a15c3628b1d1e559adb57d0f4557f33f3a4659d894daa01011371d685e7f10"),
        key,
        "ES256",
    )
    accept(project, token, Request(body=body))


def test_the_hash_may_be_of_the_bytes_as_they_came(project: Project, key: EllipticCurvePrivateKey) -> None:
    body = b'{ "wallet": "p\xc3\xa4", "chainType": "EVM" }'
    claims = claims_of(project, reqHash=hashlib.sha256(body).hexdigest())
    accept(project, jwt.encode(claims, key, "ES256"), Request(body=body))


def test_members_are_sorted_at_every_depth(project: Project, key: EllipticCurvePrivateKey) -> None:
    body = '{"b":[{"y":1,"x":"ä"}],"a":null}'.encode()
    expected = hashlib.sha256('{"a":null,"b":[{"x":"ä","y":1}]}'.encode()).hexdigest()
    accept(project, jwt.encode(claims_of(project, reqHash=expected), key, "ES256"), Request(body=body))


def test_names_and_numbers_are_as_in_javascript(project: Project, key: EllipticCurvePrivateKey) -> None:
    body = '{"\uff5e":1.0,"\U0001f600":1e21,"10":2,"9":3}'.encode()
    written = '{"9":3,"10":2,"\U0001f600":1e+21,"\uff5e":1}'.encode()
    claims = claims_of(project, reqHash=hashlib.sha256(written).hexdigest())
    accept(project, jwt.encode(claims, key, "ES256"), Request(body=body))


def test_a_body_too_deep_to_sort_is_hashed_as_it_came(project: Project, key: EllipticCurvePrivateKey) -> None:
    body = b"[" * 1000 + b"]" * 1000
    claims = claims_of(project, reqHash=hashlib.sha256(body).hexdigest())
    accept(project, jwt.encode(claims, key, "ES256"), Request(body=body))


@cases("body", b'{"chainType":"SVM","wallet":"pla_1"}', b"", b"{}", b"not JSON", b"[" * 100_000)
def test_a_changed_body_is_refused(project: Project, key: EllipticCurvePrivateKey, body: bytes) -> None:
    refused = refuse(project, jwt.encode(claims_of(project), key, "ES256"), Request(body=body))
    assert "reqHash: expected the SHA-256 of the body" in refused.message


def test_a_body_needs_a_hash(project: Project, key: EllipticCurvePrivateKey) -> None:
    refused = refuse(project, jwt.encode(claims_of(project, reqHash=None), key, "ES256"))
    assert "got nothing" in refused.message


@cases("body", b"", b"{}", b" {}\n")
def test_no_body_needs_none(project: Project, key: EllipticCurvePrivateKey, body: bytes) -> None:
    accept(project, jwt.encode(claims_of(project, reqHash=None), key, "ES256"), Request(body=body))


def test_a_signed_request_is_accepted_with_its_own_body(project: Project) -> None:
    secret, now_s = default_secret(project), project.clock.now_s
    token = wallet_auth.sign_request(secret, "POST", PATH, BODY, now_s)
    accept(project, token)
    assert "reqHash" in refuse(project, token, Request(body=b"{}")).message


def test_only_a_token_in_the_body_may_skip_the_hash(project: Project, key: EllipticCurvePrivateKey) -> None:
    rest = hashlib.sha256(b'{"keyId":"ws_1","publicKey":"pem"}').hexdigest()
    token = jwt.encode(claims_of(project, reqHash=rest), key, "ES256")
    request = Request(
        body=json.dumps({"walletAuthToken": token, "publicKey": "pem", "keyId": "ws_1"}).encode()
    )
    refuse(project, token, request)
    wallet_auth.verify_possession(project, token, key.public_key(), request)
