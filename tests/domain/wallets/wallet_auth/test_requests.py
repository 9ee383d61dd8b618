"""Tokens vouch for one request: its method, host and path."""

import json

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

from mockserver.state.project import Project
from tests.domain.wallets.wallet_auth.helpers import PATH, Request, accept, claims_of, refuse
from tests.tables import cases

NESTED = json.loads("[" * 400 + "]" * 400)


def test_a_token_as_the_clients_make_it_is_accepted(project: Project, key: EllipticCurvePrivateKey) -> None:
    accept(project, jwt.encode(claims_of(project, jti="0" * 32), key, "ES256"))


@cases("uri", PATH, f"POST {PATH}", f"POST 127.0.0.1:4572{PATH}")
def test_each_form_of_a_uri_is_accepted(project: Project, key: EllipticCurvePrivateKey, uri: str) -> None:
    accept(project, jwt.encode(claims_of(project, uris=["GET /elsewhere", uri]), key, "ES256"))


@cases(
    "uris",
    None,
    [],
    PATH,
    [PATH + "/"],
    [PATH + "?x=1"],
    [f"GET {PATH}"],
    [f"post {PATH}"],
    [f"POST 127.0.0.1{PATH}"],
    [f"POST http://127.0.0.1:4572{PATH}"],
    [f"POST evil.example{PATH}"],
    ["/v2/accounts/backend/acc_1/sign"],
    [[PATH]],
    [None],
    NESTED,
)
def test_anothers_token_is_refused(project: Project, key: EllipticCurvePrivateKey, uris: object) -> None:
    refused = refuse(project, jwt.encode(claims_of(project, uris=uris), key, "ES256"))
    assert "uris: expected a list with one of" in refused.message
    assert f"POST 127.0.0.1:4572{PATH}" in refused.message


def test_the_host_is_compared_without_regard_to_case(project: Project, key: EllipticCurvePrivateKey) -> None:
    request = Request(headers={"host": "LocalHost:80"})
    accept(project, jwt.encode(claims_of(project, uris=[f"POST localhost:80{PATH}"]), key, "ES256"), request)
