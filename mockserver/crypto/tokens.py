"""JSON Web Tokens signed with ES256, in the compact form (RFC 7515, RFC 7519). No clock is read here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import orjson

from mockserver.crypto import base64url

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import ec

_BASE64URL: Final = re.compile(r"[A-Za-z0-9_-]*")


class BadToken(ValueError):
    """The text is not a token, or this key did not sign it; the message says why."""


def sign_es256(key: ec.EllipticCurvePrivateKey, claims: Mapping[str, object], kid: str | None = None) -> str:
    """Return the claims as a token signed by a P-256 key; equal claims give equal tokens (RFC 6979)."""
    # Here and below imported on first use: many servers never see a token.
    from cryptography.hazmat.primitives.asymmetric import ec, utils
    from cryptography.hazmat.primitives.hashes import SHA256

    header = {"alg": "ES256", "typ": "JWT"} | ({} if kid is None else {"kid": kid})
    signed = f"{base64url.encode(orjson.dumps(header))}.{base64url.encode(orjson.dumps(dict(claims)))}"
    scheme = ec.ECDSA(SHA256(), deterministic_signing=True)
    r, s = utils.decode_dss_signature(key.sign(signed.encode(), scheme))
    return f"{signed}.{base64url.encode(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


def read_es256(token: str, public_key: ec.EllipticCurvePublicKey) -> dict[str, Any]:
    """Return the claims of a token that this key signed; `exp` and the like are not checked.

    Raises BadToken if the token is malformed, its algorithm is not ES256 or its signature is wrong.
    """
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric import ec, utils
    from cryptography.hazmat.primitives.hashes import SHA256

    header, claims = peek(token)
    if header.get("alg") != "ES256":
        raise BadToken("the algorithm is not ES256")
    if "crit" in header:
        raise BadToken("the header has critical extensions, and none is understood")
    signed, _, last = token.rpartition(".")
    signature = _decode(last, "signature")
    if len(signature) != 64:
        raise BadToken(f"an ES256 signature is 64 bytes long, not {len(signature)}")
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    try:
        public_key.verify(utils.encode_dss_signature(r, s), signed.encode(), ec.ECDSA(SHA256()))
    except InvalidSignature:
        raise BadToken("the signature is wrong") from None
    return claims


def peek(token: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the header and the claims, unverified; BadToken unless the text has the shape of a JWT."""
    parts = token.split(".")
    if len(parts) != 3:
        raise BadToken(f"a token has three parts, not {len(parts)}")
    _decode(parts[2], "signature")
    return _read_object(parts[0], "header"), _read_object(parts[1], "claims")


def _decode(text: str, part: str) -> bytes:
    if not _BASE64URL.fullmatch(text) or len(text) % 4 == 1:
        raise BadToken(f"the {part} is not base64url")
    raw = base64url.decode(text)
    # The last character may have unused bits (RFC 4648, 3.5). Other values of them would be a second
    # encoding of the same token, so only zeros are accepted.
    if base64url.encode(raw) != text:
        raise BadToken(f"the {part} is not base64url in its shortest form")
    return raw


def _read_object(text: str, part: str) -> dict[str, Any]:
    try:
        value = orjson.loads(_decode(text, part))
    except orjson.JSONDecodeError:
        raise BadToken(f"the {part} is not JSON") from None
    if not isinstance(value, dict):
        raise BadToken(f"the {part} is not a JSON object")
    return value
