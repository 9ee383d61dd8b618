"""Requests signed with a wallet secret, as the official clients sign them."""

from base64 import b64decode
from collections.abc import Callable, Generator
from hashlib import sha256

import httpx
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.serialization import load_der_private_key

from mockserver.crypto.tokens import sign_es256


class WalletAuth(httpx.Auth):
    """Signs each request it is given for: `client.post(path, json=body, auth=project.wallet_auth)`.

    It sets `X-Wallet-Auth` and nothing else, so the client's own credentials are sent as well.
    """

    requires_request_body = True

    def __init__(self, secret: Callable[[], str], now_s: Callable[[], int]) -> None:
        self._secret = secret
        self._now_s = now_s

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Sign method, path and body (specification, Wallet secret)."""
        key = load_der_private_key(b64decode(self._secret()), None)
        assert isinstance(key, EllipticCurvePrivateKey)
        now_s = self._now_s()
        claims: dict[str, object] = {"uris": [f"{request.method} {request.url.path}"]}
        claims |= {"iat": now_s, "nbf": now_s, "reqHash": sha256(request.content).hexdigest()}
        request.headers["x-wallet-auth"] = sign_es256(key, claims)
        yield request
