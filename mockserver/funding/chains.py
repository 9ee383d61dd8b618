"""The chains and currencies that money comes from and goes to, and what it is worth."""

from collections.abc import Mapping
from decimal import Context, Decimal, localcontext
from typing import NamedTuple

from mockserver.chain import base58
from mockserver.chain.addresses import ZERO_ADDRESS, is_address, to_checksum
from mockserver.chain.networks import NETWORKS
from mockserver.domain.chains.networks import dollars
from mockserver.domain.chains.tokens.holdings import USDC_DECIMALS, Token, token_settings
from mockserver.errors import wrong_field
from mockserver.state.funding import MethodKind
from mockserver.state.project import Project

_SOL = "1" * 32
_COIN = 10**18
EXACT = Context(prec=160)
"""Enough digits for the product of two amounts below 2^256: by default decimals have 28."""


class Currency(NamedTuple):
    """A native coin or a token of a chain."""

    symbol: str
    address: str
    decimals: int
    native: bool


class FundingChain(NamedTuple):
    """A chain that money comes from or goes to."""

    id: str
    """CAIP-2."""
    name: str
    network: str
    """What the on-ramp calls it, and the test network that takes its place with test keys."""
    testnet: bool
    kind: MethodKind
    currencies: tuple[Currency, ...]

    @property
    def chain_id(self) -> int:
        """The EVM chain id."""
        return int(self.id.partition(":")[2])


class Asset(NamedTuple):
    """A currency on a chain."""

    chain: FundingChain
    currency: Currency


def _evm(network: str, *chain_ids: int) -> tuple[FundingChain, ...]:
    return tuple(
        FundingChain(
            f"eip155:{chain_id}",
            NETWORKS[chain_id].name,
            network,
            NETWORKS[chain_id].testnet,
            "evm",
            (
                Currency(NETWORKS[chain_id].currency, ZERO_ADDRESS, 18, True),
                Currency("USDC", to_checksum(NETWORKS[chain_id].usdc or ZERO_ADDRESS), USDC_DECIMALS, False),
            ),
        )
        for chain_id in chain_ids
    )


def _solana(cluster: str, name: str, testnet: bool, usdc: str) -> FundingChain:
    currencies = (Currency("SOL", _SOL, 9, True), Currency("USDC", usdc, USDC_DECIMALS, False))
    return FundingChain(f"solana:{cluster}", name, "solana", testnet, "solana", currencies)


_CHAINS = (
    *_evm("ethereum", 1, 11155111),
    *_evm("base", 8453, 84532),
    *_evm("polygon", 137, 80002),
    *_evm("arbitrum", 42161, 421614),
    *_evm("optimism", 10, 11155420),
    _solana(
        "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", "Solana", False, "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
    ),
    _solana(
        "EtWTRABZaYq6iMfeYKouRu166VU2xqa1",
        "Solana Devnet",
        True,
        "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU",
    ),
)


def chains_of(*, livemode: bool) -> Mapping[str, FundingChain]:
    """The main or the test networks, by their ids."""
    return {chain.id: chain for chain in _CHAINS if chain.testnet != livemode}


def read_asset(project: Project, chain_id: str, currency: str, place: str) -> Asset:
    """The currency on the chain that two members name; 400 that names the wrong one."""
    chains = chains_of(livemode=project.livemode)
    chain = chains.get(chain_id)
    if chain is None:
        raise wrong_field(f"{place}.chain", f"must be one of {', '.join(chains)}")
    check_address(chain, currency, f"{place}.currency")
    known = next((one for one in chain.currencies if one.address.lower() == currency.lower()), None)
    if known is not None:
        return Asset(chain, known)
    # The decimals of a token that is not listed are those that calls read.
    decimals = 6 if chain.kind == "solana" else token_settings(_token(project, chain, currency)).decimals
    return Asset(chain, Currency("", currency, decimals, False))


def asset_by_symbol(chain: FundingChain, symbol: str, place: str) -> Asset:
    """The currency with a symbol on a chain; 400 that names the member."""
    for currency in chain.currencies:
        if currency.symbol.lower() == symbol.lower():
            return Asset(chain, currency)
    symbols = ", ".join(one.symbol for one in chain.currencies)
    raise wrong_field(place, f"must be one of {symbols} on {chain.name}")


def check_address(chain: FundingChain, address: str, place: str) -> None:
    """400 that names the member, unless it is an address on the chain."""
    is_valid = base58.is_address if chain.kind == "solana" else is_address
    if not is_valid(address):
        raise wrong_field(place, f"must be an address on {chain.name}")


def exchange(project: Project, amount: int, source: Asset, target: Asset) -> int:
    """What an amount of a currency is worth in another one, in its smallest unit."""
    with localcontext(EXACT):
        whole = Decimal(amount).scaleb(-source.currency.decimals)
        worth = whole * price(project, source) / price(project, target)
        return int(worth.scaleb(target.currency.decimals))


def to_units(amount: str, asset: Asset) -> int:
    """An amount of whole coins or tokens in the smallest unit."""
    with localcontext(EXACT):
        return int(Decimal(amount).scaleb(asset.currency.decimals))


def price(project: Project, asset: Asset) -> Decimal:
    """The price of a whole coin or token in dollars; what has none costs a dollar."""
    chain, currency = asset
    if chain.kind == "solana":
        found = Decimal(project.settings.native_price_usd if currency.native else 1)
    elif currency.native:
        found = dollars(project, chain.chain_id, _COIN)
    else:
        found = Decimal(token_settings(_token(project, chain, currency.address)).price_usd)
    return found or Decimal(1)


def _token(project: Project, chain: FundingChain, address: str) -> Token:
    return Token(project, chain.chain_id, address)
