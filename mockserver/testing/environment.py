"""The variables that the official clients, front ends and `MockServer` read."""

from mockserver.server.answering.control_token import TOKEN_VARIABLE
from mockserver.state.api_keys import webhook_key

_FRONT_ENDS = ("NEXT_PUBLIC_", "VITE_", "REACT_APP_", "EXPO_PUBLIC_", "NUXT_PUBLIC_", "PUBLIC_")
"""What the variables begin with that Next.js, Vite, Create React App, Expo, Nuxt, and Astro or SvelteKit
pass on to a browser, where only the publishable key may be."""


def client_environment(
    url: str, secret_key: str, publishable_key: str, wallet_secret: str, control_token: str | None
) -> dict[str, str]:
    """The variables with values that work here."""
    public = {"OPENFORT_BASE_URL": url, "OPENFORT_PUBLISHABLE_KEY": publishable_key}
    found = {
        **public,
        "OPENFORT_SECRET_KEY": secret_key,
        "OPENFORT_API_KEY": secret_key,
        "OPENFORT_WALLET_SECRET": wallet_secret,
        "OPENFORT_WEBHOOK_SECRET": webhook_key(secret_key),
        "MOCKSERVER_URL": url,
        **{f"{prefix}{name}": value for prefix in _FRONT_ENDS for name, value in public.items()},
    }
    return found if control_token is None else found | {TOKEN_VARIABLE: control_token}
