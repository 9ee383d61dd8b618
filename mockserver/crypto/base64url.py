"""Base64url without padding (RFC 4648, RFC 7515)."""

from base64 import urlsafe_b64decode, urlsafe_b64encode


def encode(raw: bytes) -> str:
    """Return bytes as text."""
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def decode(text: str) -> bytes:
    """Return the bytes of a text, in whatever spelling the standard library takes; ValueError otherwise."""
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
