"""The variables that the official clients read."""


def client_environment(url: str, secret_key: str, publishable_key: str, wallet_secret: str) -> dict[str, str]:
    """The variables with values that work here."""
    return {
        "OPENFORT_BASE_URL": url,
        "OPENFORT_SECRET_KEY": secret_key,
        "OPENFORT_API_KEY": secret_key,
        "OPENFORT_PUBLISHABLE_KEY": publishable_key,
        "OPENFORT_WALLET_SECRET": wallet_secret,
    }
