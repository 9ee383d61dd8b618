"""A backend wallet made as a client makes one: with a registered secret and a signed request."""

import hashlib

import httpx
import jwt
import orjson
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

_SECRET = ec.derive_private_key(7, ec.SECP256R1())
_NOW_S = 1_767_225_600


def custodial_account(client: httpx.Client) -> str:
    """The id of a new account that signs for itself."""
    pem = _SECRET.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    path = "/v2/accounts/backend/register-secret"
    token = _token(path, {"publicKey": pem}, "register")
    client.post(path, json={"publicKey": pem, "walletAuthToken": token}).raise_for_status()
    path, body = "/v2/accounts/backend", {"chainType": "EVM"}
    headers = {"x-wallet-auth": _token(path, body, "create")}
    answer = client.post(path, content=orjson.dumps(body), headers=headers).raise_for_status()
    account: str = answer.json()["id"]
    return account


def _token(path: str, body: dict[str, str], jti: str) -> str:
    digest = hashlib.sha256(orjson.dumps(body, option=orjson.OPT_SORT_KEYS)).hexdigest()
    claims = {"uris": [path], "reqHash": digest, "iat": _NOW_S, "nbf": _NOW_S, "jti": jti}
    return jwt.encode(claims, _SECRET, algorithm="ES256")
