"""The wallet secret: what it guards, how it is registered and revoked."""

import hashlib
import json
from collections.abc import Callable

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from httpx import Auth, Client, Response

from mockserver.domain.wallets.wallet_secrets import default_secret
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.operations.backend_wallets.helpers import create
from tests.tables import cases
from tests.wallet_auth import public_pem

KEY = ec.derive_private_key(11, ec.SECP256R1())
OTHER_KEY = ec.derive_private_key(12, ec.SECP256R1())


def registration(
    key: ec.EllipticCurvePrivateKey = KEY, signer: ec.EllipticCurvePrivateKey = KEY, **members: object
) -> dict[str, object]:
    """The body with which the command-line client registers a secret."""
    rest = {"publicKey": public_pem(key)} | members
    canonical = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    claims = {
        "uris": ["POST /v2/accounts/backend/register-secret"],
        "reqHash": hashlib.sha256(canonical.encode()).hexdigest(),
        "iat": 1_790_000_000,
        "nbf": 1_790_000_000,
        "jti": hashlib.sha256(canonical.encode()).hexdigest()[:32],
    }
    return rest | {"walletAuthToken": jwt.encode(claims, signer, "ES256")}


def test_what_the_wallet_secret_did_not_sign_changes_nothing(backend: Client, project: Project) -> None:
    wallet = create(backend)
    backend.auth = Auth()
    calls: list[Callable[[], Response]] = [
        lambda: backend.post("/v2/accounts/backend", json={"chainType": "EVM"}),
        lambda: backend.post(f"/v2/accounts/backend/{wallet['id']}/sign", json={"data": "0x" + "00" * 32}),
        lambda: backend.delete(f"/v2/accounts/backend/{wallet['id']}"),
        lambda: backend.post("/v2/accounts/backend/revoke-secret", json={"keyId": "ws_default"}),
    ]
    for call in calls:
        response = call()
        assert (response.status_code, response.json()["error"]["code"]) == (401, "wallet_auth_missing")
    assert len(project.wallets.accounts) == 1
    assert backend.get(f"/v2/accounts/{wallet['id']}").status_code == 200


def test_access_is_refused_before_the_shape_is_looked_at(api: Client) -> None:
    assert api.post("/v2/accounts/backend", content=b"not JSON").status_code == 401


def test_a_token_serves_one_request_even_a_refused_one(backend: Client, project: Project) -> None:
    first = backend.post("/v2/accounts/backend", json={"chainType": "EVM", "wallet": "pla_unknown"})
    assert first.status_code == 404
    request = first.request
    backend.auth = Auth()
    again = backend.post(
        "/v2/accounts/backend",
        content=request.content,
        headers={"x-wallet-auth": request.headers["x-wallet-auth"]},
    )
    assert again.status_code == 401
    assert "jti" in again.json()["error"]["details"]
    assert len(project.wallets.accounts) == 0


REGISTER = "/v2/accounts/backend/register-secret"
REVOKE = "/v2/accounts/backend/revoke-secret"


def test_a_registered_secret_signs_until_it_is_revoked(api: Client) -> None:
    answer = api.post(REGISTER, json=registration(keyId="ws_mine")).json()
    assert answer == {"object": "walletSecret", "keyId": "ws_mine", "registeredAt": 1_767_225_600}
    body = b'{"keyId":"ws_mine"}'
    claims = {"uris": [REVOKE], "reqHash": hashlib.sha256(body).hexdigest(), "iat": 1, "nbf": 1}
    headers = {"x-wallet-auth": jwt.encode(claims, KEY, "ES256")}
    revoked = api.post(REVOKE, content=body, headers=headers)
    assert revoked.json() == {
        "object": "walletSecretRevocation",
        "keyId": "ws_mine",
        "revoked": True,
        "revokedAt": 1_767_225_600,
    }
    assert api.post(REVOKE, content=body, headers=headers).status_code == 401


def test_a_key_id_is_made_up_when_none_is_given(api: Client) -> None:
    assert api.post(REGISTER, json=registration()).json()["keyId"].startswith("ws_")


def test_registering_needs_the_key_itself(api: Client, project: Project) -> None:
    response = api.post(REGISTER, json=registration(signer=OTHER_KEY))
    assert (response.status_code, response.json()["error"]["param"]) == (401, "walletAuthToken")
    assert len(project.wallets.secrets) == 0


def test_the_header_is_ignored_when_a_secret_is_registered(api: Client) -> None:
    headers = {"x-wallet-auth": "left over from an older secret"}
    assert api.post(REGISTER, json=registration(), headers=headers).status_code == 200


def test_what_was_signed_for_registration_cannot_be_changed(api: Client, project: Project) -> None:
    body = registration(keyId="ws_mine") | {"keyId": "ws_theirs"}
    response = api.post(REGISTER, json=body)
    assert response.status_code == 401
    assert "reqHash" in response.json()["error"]["details"]
    assert len(project.wallets.secrets) == 0


def test_a_second_secret_is_refused(api: Client) -> None:
    api.post(REGISTER, json=registration(keyId="ws_mine"))
    response = api.post(REGISTER, json=registration(OTHER_KEY, OTHER_KEY, keyId="ws_second"))
    assert response.status_code == 409
    assert "ws_mine is active" in response.json()["error"]["message"]


def test_a_revoked_key_id_does_not_come_back(backend: Client) -> None:
    assert backend.post(REVOKE, json={"keyId": "ws_default"}).status_code == 200
    backend.auth = Auth()
    response = backend.post(REGISTER, json=registration(keyId="ws_default"))
    assert (response.status_code, response.json()["error"]["param"]) == (409, "keyId")
    assert backend.post(REGISTER, json=registration(keyId="ws_next")).status_code == 200


def test_a_revoked_key_does_not_come_back_under_another_id(api: Client, project: Project) -> None:
    api.post(REGISTER, json=registration(keyId="ws_mine"))
    body = b'{"keyId":"ws_mine"}'
    claims = {"uris": [REVOKE], "reqHash": hashlib.sha256(body).hexdigest(), "iat": 1, "nbf": 1}
    api.post(REVOKE, content=body, headers={"x-wallet-auth": jwt.encode(claims, KEY, "ES256")})
    refused = api.post(REGISTER, json=registration(keyId="ws_again")).json()["error"]
    assert (refused["code"], refused["param"]) == ("wallet_secret_ended", "publicKey")
    assert [row.state for row in project.wallets.secrets.page(limit=10).rows] == ["revoked"]
    assert api.post(REGISTER, json=registration(OTHER_KEY, OTHER_KEY)).status_code == 200


def test_an_unknown_secret_is_not_revoked(backend: Client) -> None:
    response = backend.post(REVOKE, json={"keyId": "ws_unknown"})
    assert (response.status_code, response.json()["error"]["param"]) == (404, "keyId")
    create(backend)


NO_KEYS: list[PrivateKeyTypes] = [
    ec.derive_private_key(1, ec.SECP384R1()),
    ec.derive_private_key(1, ec.SECP256K1()),
    rsa.generate_private_key(65537, 1024),
    ed25519.Ed25519PrivateKey.from_private_bytes(bytes(32)),
]
BROKEN = [*map(public_pem, NO_KEYS), "x", public_pem(KEY)[:80], public_pem(KEY).replace("PUBLIC", "X")]


@cases("public_key", *BROKEN, ids=range(len(BROKEN)))
def test_only_a_p256_key_is_a_wallet_secret(api: Client, project: Project, public_key: str) -> None:
    response = api.post(REGISTER, json=registration() | {"publicKey": public_key})
    assert (response.status_code, response.json()["error"]["param"]) == (400, "publicKey")
    assert len(project.wallets.secrets) == 0


def test_the_secret_of_one_project_opens_no_other(backend: Client, world: World) -> None:
    other = world.create(name="other")
    default_secret(other)
    backend.headers["authorization"] = f"Bearer {other.secret_key}"
    assert backend.post("/v2/accounts/backend", json={"chainType": "EVM"}).status_code == 401
    assert len(other.wallets.accounts) == 0
