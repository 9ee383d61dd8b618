"""The token of the control API: who may control a server that can be reached from other machines."""

TOKEN_HEADER = "x-mockserver-token"
TOKEN_VARIABLE = "MOCKSERVER_CONTROL_TOKEN"
"""The environment variable that servers and clients read it from."""


def draw_control_token() -> str:
    """A token of 256 bits that cannot be predicted.

    The one thing that follows from no seed: an attacker knows the seed of a server, which has a default.
    """
    import secrets

    return secrets.token_urlsafe(32)


def is_same_token(given: str, token: str) -> bool:
    """Compare in constant time, so that the time of an answer does not tell how much of a guess is right."""
    from hmac import compare_digest

    return compare_digest(given.encode(), token.encode())
