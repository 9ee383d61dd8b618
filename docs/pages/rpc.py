"""The methods of JSON-RPC."""

from docs.pages.markdown import page, table
from mockserver.nodes.endpoints import BUNDLER, NODE, SOLANA, SOLANA_NODE, WALLET
from mockserver.server.assembly import ROUTES

_DOORS = {
    NODE: "The node of a chain, over HTTP.",
    BUNDLER: "Bundler and paymaster of a chain, with the publishable key.",
    SOLANA: "Kora and the node of a Solana cluster, with the publishable key.",
    SOLANA_NODE: "The node of a Solana cluster.",
    WALLET: "The wallets of a signed-in user.",
}


def rpc_page() -> str:
    """Every method, by the path that it is asked at."""
    lines = [
        "# Methods of JSON-RPC",
        "",
        "See [nodes and bundlers](../guides/nodes.md) for how they are used.",
    ]
    for path, text in _DOORS.items():
        methods = ROUTES.methods_at(path)
        rows = ((f"`{name}`", methods[name].summary) for name in sorted(methods))
        lines += ["", f"## `POST {path}`", "", text, "", *table(("method", "what it does"), rows)]
    return page(lines)
