"""The EVM chains that are known by name."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Network:
    """An EVM chain."""

    chain_id: int
    name: str
    testnet: bool
    rollup: bool = False
    """Whether it is a rollup whose transactions also pay an L1 data fee."""
    currency: str = "ETH"
    native_accounts: bool = False
    """Whether smart accounts send transactions themselves: native account abstraction (ZKsync)."""
    usdc: str | None = None
    """The address of USDC, in lower case."""


_NETWORKS = (
    Network(1, "Ethereum", False, usdc="0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"),
    Network(10, "OP Mainnet", False, rollup=True, usdc="0x0b2c639c533813f4aa9d7837caf62653d097ff85"),
    Network(25, "Cronos", False, currency="CRO"),
    Network(56, "BNB Smart Chain", False, currency="BNB"),
    Network(100, "Gnosis", False, currency="xDAI"),
    Network(130, "Unichain", False, rollup=True),
    Network(137, "Polygon", False, currency="POL", usdc="0x3c499c542cef5e3811e1192ce70d8cc03d5c3359"),
    Network(143, "Monad", False, currency="MON"),
    Network(146, "Sonic", False, currency="S"),
    Network(324, "ZKsync Era", False, native_accounts=True),
    Network(480, "World Chain", False, rollup=True),
    Network(1329, "Sei", False, currency="SEI"),
    Network(1868, "Soneium", False, rollup=True),
    Network(2020, "Ronin", False, currency="RON"),
    Network(2741, "Abstract", False, native_accounts=True),
    Network(5000, "Mantle", False, rollup=True, currency="MNT"),
    Network(7777777, "Zora", False, rollup=True),
    Network(8453, "Base", False, rollup=True, usdc="0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"),
    Network(33139, "ApeChain", False, currency="APE"),
    Network(34443, "Mode", False, rollup=True),
    Network(42161, "Arbitrum One", False, usdc="0xaf88d065e77c8cc2239327c5edb3a432268e5831"),
    Network(42170, "Arbitrum Nova", False),
    Network(43114, "Avalanche C-Chain", False, currency="AVAX"),
    Network(57073, "Ink", False, rollup=True),
    Network(59144, "Linea", False),
    Network(80094, "Berachain", False, currency="BERA"),
    Network(81457, "Blast", False, rollup=True),
    Network(534352, "Scroll", False, rollup=True),
    Network(97, "BNB Smart Chain Testnet", True, currency="tBNB"),
    Network(300, "ZKsync Era Sepolia", True, native_accounts=True),
    Network(338, "Cronos Testnet", True, currency="tCRO"),
    Network(919, "Mode Sepolia", True, rollup=True),
    Network(1301, "Unichain Sepolia", True, rollup=True),
    Network(1328, "Sei Testnet", True, currency="SEI"),
    Network(1946, "Soneium Minato", True, rollup=True),
    Network(2021, "Ronin Saigon", True, currency="RON"),
    Network(4801, "World Chain Sepolia", True, rollup=True),
    Network(5003, "Mantle Sepolia", True, rollup=True, currency="MNT"),
    Network(10143, "Monad Testnet", True, currency="MON"),
    Network(10200, "Gnosis Chiado", True, currency="xDAI"),
    Network(11124, "Abstract Sepolia", True, native_accounts=True),
    Network(13337, "Beam Testnet", True, currency="BEAM"),
    Network(31337, "Anvil", True),
    Network(33111, "Curtis", True, currency="APE"),
    Network(43113, "Avalanche Fuji", True, currency="AVAX"),
    Network(59141, "Linea Sepolia", True),
    Network(80002, "Polygon Amoy", True, currency="POL", usdc="0x41e94eb019c0762f9bfcf9fb1e58725bfb0e7582"),
    Network(80069, "Berachain Bepolia", True, currency="BERA"),
    Network(84532, "Base Sepolia", True, rollup=True, usdc="0x036cbd53842c5426634e7929541ec2318f3dcf7e"),
    Network(421614, "Arbitrum Sepolia", True, usdc="0x75faf114eafb1bdbe2f0316df893fd58ce46aa4d"),
    Network(534351, "Scroll Sepolia", True, rollup=True),
    Network(763373, "Ink Sepolia", True, rollup=True),
    Network(11155111, "Sepolia", True, usdc="0x1c7d4b196cb0c7b01d743fbc6116a902379c7238"),
    Network(11155420, "OP Sepolia", True, rollup=True, usdc="0x5fd84259d66cd46123540766be93dfe6d43130d7"),
    Network(168587773, "Blast Sepolia", True, rollup=True),
    Network(999999999, "Zora Sepolia", True, rollup=True),
)

_UNKNOWN = Network(0, "", False)


class _Networks(dict[int, Network]):
    def __missing__(self, chain_id: int) -> Network:
        return _UNKNOWN


NETWORKS: Mapping[int, Network] = _Networks({network.chain_id: network for network in _NETWORKS})
"""Every known chain by its id (EIP-155). Asked for one that is not known it has what is usual."""
WETH = frozenset(
    (
        (1, "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2"),
        (11155111, "0xfff9976782d46cc05630d1f6ebab18b2324d6b14"),
        *((each.chain_id, "0x4200000000000000000000000000000000000006") for each in _NETWORKS if each.rollup),
    )
)
"""The chains that have WETH, their wrapped coins, and where, in lower case: on rollups at the same place."""
