"""Requests signed with a wallet secret."""

import hashlib
import json
from base64 import b64decode
from collections.abc import Generator
from itertools import count

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_der_private_key
from httpx import Auth, Request, Response


def load_secret(secret: str) -> EllipticCurvePrivateKey:
    """The key of a wallet secret as a project shows it: base64 of PKCS #8."""
    key = load_der_private_key(b64decode(secret), None)
    assert isinstance(key, EllipticCurvePrivateKey)
    return key


def public_pem(key: PrivateKeyTypes) -> str:
    """The public half of a key, as it is registered."""
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


class WalletAuth(Auth):
    """Signs requests with a wallet secret, the way the official clients do."""

    requires_request_body = True

    def __init__(self, secret: str) -> None:
        self.key = load_secret(secret)
        self._numbers = count(1)

    def auth_flow(self, request: Request) -> Generator[Request, Response, None]:
        """Add `X-Wallet-Auth` to everything but reads."""
        if request.method != "GET":
            claims: dict[str, object] = {
                "uris": [f"{request.method} {request.url.netloc.decode()}{request.url.path}"],
                "iat": 1_780_000_000,
                "nbf": 1_780_000_000,
                "jti": f"{next(self._numbers):032x}",
            }
            if request.content:
                body = json.dumps(json.loads(request.content), sort_keys=True, separators=(",", ":"))
                claims["reqHash"] = hashlib.sha256(body.encode()).hexdigest()
            request.headers["x-wallet-auth"] = jwt.encode(claims, self.key, "ES256")
        yield request
