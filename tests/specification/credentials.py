"""How requests are signed and who sends them, by the names that the data have for the schemes."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

ISSUED_S = 1_767_225_600

SCHEMES = ("sk", "pk", "pk_access_token", "pk_third_party", "auth_token", "project_key")


def wallet_token(key: EllipticCurvePrivateKey, method: str, path: str, content: bytes, number: str) -> str:
    """The JWT by which a holder of a wallet secret signs a request (specification, Authentication 6)."""
    claims: dict[str, object] = {
        "uris": [f"{method} {path}"],
        "iat": ISSUED_S,
        "nbf": ISSUED_S,
        "jti": number,
        "reqHash": hashlib.sha256(content).hexdigest(),
    }
    return jwt.encode(claims, key, "ES256")


def proof(key: EllipticCurvePrivateKey, path: str, body: Mapping[str, Any]) -> str:
    """The JWT in the body by which a holder of a new key registers it."""
    content = json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
    return wallet_token(key, "POST", path, content, f"proof {path}")


def headers_of(scheme: str, names: Mapping[str, Any]) -> dict[str, str]:
    """The headers of a caller: a scheme, `visitor` for the publishable key of a client, or `none`."""
    key = str(names["key"])
    publishable = {"authorization": f"Bearer pk_test_{key}"}
    return {
        "sk": {"authorization": f"Bearer sk_test_{key}"},
        "pk": publishable,
        "pk_access_token": publishable | {"x-player-token": names["session"]},
        "pk_third_party": publishable
        | {"x-player-token": names["firebase_token"], "x-auth-provider": "firebase"},
        "auth_token": {"authorization": f"Bearer {names['session']}", "x-project-key": f"pk_test_{key}"},
        "project_key": {"x-project-key": f"pk_test_{key}"},
        "none": {},
    }[scheme]
