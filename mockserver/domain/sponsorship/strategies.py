"""The accepted tokens of sponsorships (specification, Fee sponsorship)."""

from collections.abc import Sequence
from typing import Literal

from mockserver.chain.addresses import is_address, to_checksum
from mockserver.chain.base58 import is_address as is_solana_address
from mockserver.domain.chains.contracts import find_contract
from mockserver.errors import wrong_field
from mockserver.state.guardrails import AcceptedToken, Strategy
from mockserver.state.project import Project

SponsorSchema = Literal["pay_for_user", "charge_custom_tokens", "fixed_rate"]


def read_strategy(
    schema: SponsorSchema,
    *,
    token_contracts: Sequence[AcceptedToken] | None,
    spl_tokens: Sequence[str] | None,
    token_contract: str | None,
    token_contract_amount: str | None,
) -> Strategy:
    """Read and validate a strategy. ApiError with 400.

    The three ways to name tokens, of which the pair `tokenContract` and `tokenContractAmount` is
    deprecated, exclude each other.
    """
    named = {"tokenContracts": token_contracts, "splTokens": spl_tokens, "tokenContract": token_contract}
    ways = [name for name, value in named.items() if value]
    if len(ways) > 1:
        raise wrong_field(f"strategy.{ways[1]}", f"excludes {ways[0]}: tokens are named in one way only")
    if token_contract_amount is not None and token_contract is None:
        raise wrong_field("strategy.tokenContractAmount", "goes with tokenContract, which is missing")
    if schema == "pay_for_user" and ways:
        raise wrong_field(f"strategy.{ways[0]}", "has no meaning when the sponsor pays for the user")
    if schema == "fixed_rate" and spl_tokens:
        raise wrong_field("strategy.splTokens", "is for charge_custom_tokens")
    if schema != "pay_for_user" and not ways:
        solana = ", or splTokens on Solana" if schema == "charge_custom_tokens" else ""
        finding = f"is required for {schema} (tokenContract in published types){solana}"
        raise wrong_field("strategy.tokenContracts", finding)
    mints = tuple(spl_tokens or ())
    _check_mints(mints)
    if token_contract is not None:
        return Strategy(schema, (AcceptedToken(token_contract, token_contract_amount),))
    return Strategy(schema, tuple(token_contracts or ()), mints)


def _check_mints(mints: tuple[str, ...]) -> None:
    for at, mint in enumerate(mints):
        if not is_solana_address(mint):
            raise wrong_field(f"strategy.splTokens[{at}]", "must be the base58 address of a mint")
        if mint in mints[:at]:
            raise wrong_field(f"strategy.splTokens[{at}]", "is named twice")


def check_tokens(project: Project, strategy: Strategy, chain_id: int | None, paths: Sequence[str]) -> None:
    """Check that the tokens are on the sponsorship's chain: addresses, or contracts registered there.

    `paths` are the request paths of the tokens. ApiError with 400, or 404 for an unknown contract.
    """
    if strategy.spl_tokens and chain_id is not None:
        raise wrong_field("chainId", "is an EVM chain; a strategy with splTokens is for Solana")
    seen: set[str] = set()
    for token, path in zip(strategy.tokens, paths, strict=True):
        address = _address(project, token.contract, chain_id, path).lower()
        if address in seen:
            raise wrong_field(path, "is named twice")
        seen.add(address)


def _address(project: Project, contract_id: str, chain_id: int | None, path: str) -> str:
    if is_address(contract_id):
        return contract_id
    if not contract_id.startswith("con_"):
        raise wrong_field(path, "must be 0x and 40 hexadecimal digits, or a contract's id")
    contract = find_contract(project, contract_id, path)
    if chain_id not in (None, contract.chain_id):
        raise wrong_field(path, f"is on chain {contract.chain_id}, not on {chain_id}")
    return contract.address


def tokens_on(project: Project, strategy: Strategy, chain_id: int) -> list[AcceptedToken]:
    """The accepted tokens on a chain: all except contracts that are registered on another chain."""
    contracts = project.onchain.contracts
    named = [(token, contracts.get(token.contract)) for token in strategy.tokens]
    return [token for token, contract in named if contract is None or contract.chain_id == chain_id]


def token_address(project: Project, accepted: AcceptedToken) -> str:
    """The on-chain address of an accepted token, which may be named by its contract's id."""
    contract = project.onchain.contracts.get(accepted.contract)
    return to_checksum(accepted.contract if contract is None else contract.address)
