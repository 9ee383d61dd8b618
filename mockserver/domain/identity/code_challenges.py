"""Proof that a link is followed by the client that asked for it (RFC 7636, PKCE)."""

import hmac
from hashlib import sha256
from typing import Literal

from mockserver.crypto import base64url

ChallengeMethod = Literal["plain", "S256"]


def challenge_of(given: str, method: ChallengeMethod) -> str:
    """The challenge as S256 has it: base64url of the verifier's SHA-256. A plain one is the verifier."""
    return given if method == "S256" else _hash(given)


def meets_challenge(challenge: str | None, verifier: str | None) -> bool:
    """Whether this is the verifier of a challenge; where none was set, every one is."""
    return challenge is None or (verifier is not None and hmac.compare_digest(_hash(verifier), challenge))


def _hash(verifier: str) -> str:
    return base64url.encode(sha256(verifier.encode("utf-8", "surrogatepass")).digest())
