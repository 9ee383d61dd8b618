"""The variables that the official clients and `MockServer` read."""

from mockserver.server.control_token import TOKEN_VARIABLE


def client_environment(
    url: str, secret_key: str, publishable_key: str, wallet_secret: str, control_token: str | None
) -> dict[str, str]:
    """The variables with values that work here."""
    found = {
        "OPENFORT_BASE_URL": url,
        "OPENFORT_SECRET_KEY": secret_key,
        "OPENFORT_API_KEY": secret_key,
        "OPENFORT_PUBLISHABLE_KEY": publishable_key,
        "OPENFORT_WALLET_SECRET": wallet_secret,
    }
    return found if control_token is None else found | {TOKEN_VARIABLE: control_token}
