"""The known chains."""

from collections.abc import Iterable
from operator import attrgetter

from docs.pages.markdown import page, table
from mockserver.chain.networks import NETWORKS, Network


def chains_page() -> str:
    """The known chains, by mode."""
    networks = sorted(NETWORKS.values(), key=attrgetter("chain_id"))
    lines = [
        "# Known chains",
        "",
        "Test keys work with testnets and live keys with mainnets. A known chain of the other mode is",
        "answered with 400. A chain id that is not listed here is accepted in both modes, unless the",
        "setting `unknown_chains` is `refuse`.",
        "",
        "## Testnets",
        "",
        *_chains_table(network for network in networks if network.testnet),
        "",
        "## Mainnets",
        "",
        *_chains_table(network for network in networks if not network.testnet),
    ]
    return page(lines)


def _chains_table(networks: Iterable[Network]) -> list[str]:
    rows = (
        (
            str(network.chain_id),
            network.name,
            network.currency,
            "yes" if network.rollup else "",
            "yes" if network.native_accounts else "",
        )
        for network in networks
    )
    heads = ("chain id", "name", "currency", "rollup (L1 data fee)", "native account abstraction")
    return table(heads, rows)
