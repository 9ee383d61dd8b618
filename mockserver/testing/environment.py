"""The variables that the official clients, front ends and `MockServer` read."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from mockserver.server.answering.control_token import TOKEN_VARIABLE
from mockserver.state.api_keys import webhook_key

_FRONT_ENDS = ("NEXT_PUBLIC_", "VITE_", "REACT_APP_", "EXPO_PUBLIC_", "NUXT_PUBLIC_", "PUBLIC_")
"""What the variables begin with that Next.js, Vite, Create React App, Expo, Nuxt, and Astro or SvelteKit
pass on to a browser, where only the publishable key may be."""


_CHAINS = {"pk_test_": (11155111, 84532, 80002, 421614, 11155420), "pk_live_": (1, 8453, 137, 42161, 10)}
"""The chains whose nodes have variables: Ethereum, Base, Polygon, Arbitrum and Optimism."""


def node_url(url: str, project: str, place: int | str) -> str:
    """The URL of the node of a chain, by its id, or of a Solana cluster, such as `solana/devnet`.

    The project is named by its publishable key or its id.
    """
    path = f"chains/{place}" if isinstance(place, int) else place
    return f"{url}/_mock/projects/{project}/{path}/rpc"


def client_environment(
    url: str, secret_key: str, publishable_key: str, wallet_secret: str, control_token: str | None
) -> dict[str, str]:
    """The variables with values that work here."""
    found = {
        **_for_front_ends({"OPENFORT_BASE_URL": url, "OPENFORT_PUBLISHABLE_KEY": publishable_key}),
        "OPENFORT_SECRET_KEY": secret_key,
        "OPENFORT_API_KEY": secret_key,
        "OPENFORT_WALLET_SECRET": wallet_secret,
        "OPENFORT_WEBHOOK_SECRET": webhook_key(secret_key),
        "MOCKSERVER_URL": url,
        "SHIELD_URL": f"{url}/_mock/projects/{publishable_key}/shield",
    }
    chains = _CHAINS["pk_live_" if publishable_key.startswith("pk_live_") else "pk_test_"]
    found |= {f"RPC_URL_{chain_id}": node_url(url, publishable_key, chain_id) for chain_id in chains}
    return found if control_token is None else found | {TOKEN_VARIABLE: control_token}


def base_url_environment(url: str) -> dict[str, str]:
    """The variables that say where the API is, and nothing else."""
    return _for_front_ends({"OPENFORT_BASE_URL": url})


def _for_front_ends(variables: dict[str, str]) -> dict[str, str]:
    """Variables, and how tools for front ends pass them on."""
    return variables | {
        f"{prefix}{name}": value for prefix in _FRONT_ENDS for name, value in variables.items()
    }


def around_proxies(url: str, inherited: Mapping[str, str]) -> dict[str, str]:
    """The variables by which clients ask this machine, and that of a URL, without a proxy in between."""
    hosts = dict.fromkeys(("localhost", "127.0.0.1", "::1", urlsplit(url).hostname or "localhost"))
    return {
        name: ",".join([inherited[name], *hosts] if inherited.get(name) else hosts)
        for name in ("NO_PROXY", "no_proxy")
    }
