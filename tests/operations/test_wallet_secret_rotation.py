"""Rotating the wallet secret."""

import hashlib
import json

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from httpx import Client

from mockserver.domain.wallets.wallet_secrets import LIFECYCLE
from mockserver.state.project import Project
from mockserver.state.wallets import DEFAULT_KEY_ID
from tests.tables import cases
from tests.wallet_auth import WalletAuth, public_pem

ROTATE = "/v2/accounts/backend/rotate-secrets"
NEXT = ec.derive_private_key(21, ec.SECP256R1())
OTHER = ec.derive_private_key(22, ec.SECP256R1())


def rotation(
    key: ec.EllipticCurvePrivateKey = NEXT,
    signer: ec.EllipticCurvePrivateKey = NEXT,
    path: str = ROTATE,
    **members: object,
) -> dict[str, object]:
    """The body as the command-line client sends it."""
    rest = {"newPublicKey": public_pem(key)} | members
    digest = hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    claims = {
        "uris": [f"POST {path}"],
        "reqHash": digest,
        "iat": 1_790_000_000,
        "nbf": 1_790_000_000,
        "jti": digest[:32],
    }
    return rest | {"walletAuthToken": jwt.encode(claims, signer, "ES256")}


def states(project: Project) -> dict[str, str]:
    """Every secret's state."""
    return {row.id: row.state for row in project.wallets.secrets.page(limit=10).rows}


@pytest.fixture
def granted(backend: Client) -> Client:
    """A developer who passed multi-factor authentication."""
    assert backend.put("/_mock/projects/-/settings", json={"aal2": True}).status_code == 200
    return backend


def test_without_multi_factor_authentication_nothing_is_rotated(backend: Client, project: Project) -> None:
    for body in (rotation(), {}):
        refused = backend.post(ROTATE, json=body)
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "mfa_required")
    assert states(project) == {DEFAULT_KEY_ID: "active"}


def test_the_old_secret_is_dead_at_once_and_the_new_one_signs(granted: Client, project: Project) -> None:
    answer = granted.post(ROTATE, json=rotation(newKeyId="ws_next"))
    assert answer.json() == {"object": "walletSecretRotation", "success": True, "rotatedAt": 1_767_225_600}
    assert states(project) == {DEFAULT_KEY_ID: "rotated", "ws_next": "active"}
    refused = granted.post("/v2/accounts/backend", json={"chainType": "EVM"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (401, "wallet_auth_invalid")
    assert isinstance(granted.auth, WalletAuth)
    granted.auth.key = NEXT
    assert granted.post("/v2/accounts/backend", json={"chainType": "EVM"}).status_code == 200


def test_a_rotation_serves_once(granted: Client, project: Project) -> None:
    assert granted.post(ROTATE, json=rotation(newKeyId="ws_next")).status_code == 200
    assert granted.post(ROTATE, json=rotation(newKeyId="ws_next")).status_code == 401
    assert states(project) == {DEFAULT_KEY_ID: "rotated", "ws_next": "active"}


@cases(
    "body, status, code",
    (rotation(signer=OTHER), 401, "wallet_auth_invalid"),
    (rotation(path="/v2/accounts/backend/register-secret"), 401, "wallet_auth_invalid"),
    (rotation() | {"newKeyId": "ws_slipped_in"}, 401, "wallet_auth_invalid"),
    (rotation() | {"newPublicKey": public_pem(OTHER)}, 401, "wallet_auth_invalid"),
    (rotation() | {"newPublicKey": "-----BEGIN PUBLIC KEY-----\nAAAA"}, 400, "invalid_parameters"),
    (rotation() | {"walletAuthToken": "a.b"}, 401, "wallet_auth_invalid"),
    (rotation(newKeyId=DEFAULT_KEY_ID), 409, "wallet_secret_id_taken"),
)
def test_what_does_not_fit_rotates_nothing(
    granted: Client, project: Project, body: dict[str, object], status: int, code: str
) -> None:
    refused = granted.post(ROTATE, json=body)
    assert (refused.status_code, refused.json()["error"]["code"]) == (status, code)
    assert states(project) == {DEFAULT_KEY_ID: "active"}


def test_the_active_key_is_not_rotated_to_itself(granted: Client, project: Project) -> None:
    assert granted.post(ROTATE, json=rotation(newKeyId="ws_next")).status_code == 200
    refused = granted.post(ROTATE, json=rotation(newKeyId="ws_again"))
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "wallet_secret_same")
    assert states(project) == {DEFAULT_KEY_ID: "rotated", "ws_next": "active"}


def test_a_key_that_was_rotated_away_does_not_come_back(granted: Client, project: Project) -> None:
    assert granted.post(ROTATE, json=rotation(newKeyId="ws_next")).status_code == 200
    assert granted.post(ROTATE, json=rotation(OTHER, OTHER, newKeyId="ws_other")).status_code == 200
    refused = granted.post(ROTATE, json=rotation(newKeyId="ws_back")).json()["error"]
    assert (refused["code"], refused["param"]) == ("wallet_secret_ended", "newPublicKey")
    assert states(project) == {DEFAULT_KEY_ID: "rotated", "ws_next": "rotated", "ws_other": "active"}


def test_without_a_secret_there_is_nothing_to_rotate(api: Client, project: Project) -> None:
    api.put("/_mock/projects/-/settings", json={"aal2": True})
    refused = api.post(ROTATE, json=rotation())
    assert (refused.status_code, refused.json()["error"]["code"]) == (401, "wallet_secret_not_registered")
    assert states(project) == {}


def test_revoking_is_final() -> None:
    assert LIFECYCLE.terminal == {"revoked"}
    assert LIFECYCLE.targets.get(("rotated", "rotate")) is None


def test_a_multi_factor_session_rotates(backend: Client, project: Project) -> None:
    key = {"x-project-key": project.publishable_key}
    body = {"name": "Ada", "email": "ada@example.com", "password": "correct horse"}
    token = backend.post("/iam/v2/auth/sign-up/email", json=body, headers=key).json()["token"]
    beside = {"x-player-token": token}
    refused = backend.post(ROTATE, json=rotation(), headers=beside)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "mfa_required")
    granted = backend.put(f"/_mock/projects/-/sessions/{token}/aal2").json()
    assert granted["aal2"] is True
    assert backend.post(ROTATE, json=rotation()).status_code == 403
    assert backend.post(ROTATE, json=rotation(), headers=beside).status_code == 200
    alone = {**key, "authorization": f"Bearer {token}"}
    assert backend.post(ROTATE, json=rotation(OTHER, OTHER), headers=alone).status_code == 401
    assert backend.delete(f"/_mock/projects/-/sessions/{granted['id']}/aal2").json() == {"deleted": 1}
    assert backend.post(ROTATE, json=rotation(OTHER, OTHER), headers=beside).status_code == 403
    assert backend.put("/_mock/projects/-/sessions/unknown/aal2").status_code == 404
