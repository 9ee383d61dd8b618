"""The signature of webhooks, as the official clients verify it."""

import hashlib
import hmac

SIGNATURE_HEADER = "openfort-signature"


def sign_webhook(key: str, body: bytes) -> str:
    """The signature of a body: 64 hexadecimal digits of HMAC-SHA256."""
    return hmac.new(key.encode(), body, hashlib.sha256).hexdigest()
