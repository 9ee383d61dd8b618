"""Who signed a token."""

import hmac
from base64 import urlsafe_b64encode

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

from mockserver.crypto import p256
from mockserver.domain.wallets import wallet_secrets
from mockserver.state.project import Project
from mockserver.state.wallets import DEFAULT_KEY_ID
from mockserver.state.world import World
from tests.domain.wallets.wallet_auth.helpers import PATH, STRANGER, accept, claims_of, encoded, refuse
from tests.tables import cases
from tests.wallet_auth import load_secret


def test_an_unsigned_token_is_refused(project: Project, key: EllipticCurvePrivateKey) -> None:
    refused = refuse(project, jwt.encode(claims_of(project), "", "none"))
    assert "the algorithm is not ES256" in refused.message


def test_the_public_key_is_no_shared_secret(project: Project, key: EllipticCurvePrivateKey) -> None:
    signed = f"{encoded({'alg': 'HS256', 'typ': 'JWT'})}.{encoded(claims_of(project))}"
    mac = hmac.digest(p256.public_pem(key).encode(), signed.encode(), "sha256")
    token = f"{signed}.{urlsafe_b64encode(mac).rstrip(b'=').decode()}"
    assert "the algorithm is not ES256" in refuse(project, token).message


def test_another_key_is_refused(project: Project, key: EllipticCurvePrivateKey) -> None:
    assert (
        "the signature is wrong" in refuse(project, jwt.encode(claims_of(project), STRANGER, "ES256")).message
    )


def test_claims_changed_later_are_refused(project: Project, key: EllipticCurvePrivateKey) -> None:
    header, _, signature = jwt.encode(claims_of(project), key, "ES256").split(".")
    changed = encoded(claims_of(project, uris=[PATH]))
    assert "the signature is wrong" in refuse(project, f"{header}.{changed}.{signature}").message


@cases("token", "", "x", "a.b", "a.b.c", "..", "e30.e30.", "e30.W10.", "é.é.é")
def test_what_is_no_token_is_refused(project: Project, key: EllipticCurvePrivateKey, token: str) -> None:
    refuse(project, token)


def test_the_secret_of_another_project_is_refused(project: Project, world: World) -> None:
    other = world.create(name="other")
    wallet_secrets.default_secret(project)
    theirs = load_secret(wallet_secrets.default_secret(other))
    token = jwt.encode(claims_of(project), theirs, "ES256")
    refuse(project, token)
    accept(other, token)


def test_without_a_registered_secret_nothing_is_accepted(project: Project) -> None:
    refused = refuse(project, jwt.encode(claims_of(project), STRANGER, "ES256"))
    assert refused.row.code == "wallet_secret_not_registered"


def test_a_revoked_secret_is_refused(project: Project, key: EllipticCurvePrivateKey) -> None:
    wallet_secrets.revoke(project, DEFAULT_KEY_ID)
    refuse(project, jwt.encode(claims_of(project), key, "ES256"))
    wallet_secrets.register(project, p256.public_pem(STRANGER), "ws_new")
    refuse(project, jwt.encode(claims_of(project), key, "ES256"))
    accept(project, jwt.encode(claims_of(project), STRANGER, "ES256"))


@cases("name", "kid", "keyId")
def test_a_headers_key_is_the_active_one(project: Project, key: EllipticCurvePrivateKey, name: str) -> None:
    active = DEFAULT_KEY_ID
    accept(project, jwt.encode(claims_of(project), key, "ES256", headers={name: active}))
    refused = refuse(project, jwt.encode(claims_of(project), key, "ES256", headers={name: "ws_other"}))
    assert f"{name}: expected the active wallet secret {active}; got ws_other" in refused.message


def test_a_claims_key_is_the_active_one(project: Project, key: EllipticCurvePrivateKey) -> None:
    accept(project, jwt.encode(claims_of(project, key_id=DEFAULT_KEY_ID), key, "ES256"))
    refuse(project, jwt.encode(claims_of(project, key_id="ws_other"), key, "ES256"))
