"""The net value that calls take from an account, in US dollars (criterion `netUSDChange`)."""

from collections.abc import Sequence
from decimal import Decimal

from mockserver.chain.abi.functions import AbiError, decode_values
from mockserver.domain.chains.contracts import contract_on_chain
from mockserver.domain.chains.networks import dollars
from mockserver.domain.chains.tokens.holdings import Token, token_settings
from mockserver.domain.chains.tokens.standards import standard_of
from mockserver.state.onchain import CallRecord
from mockserver.state.project import Project

_TRANSFER = bytes.fromhex("a9059cbb")
_TRANSFER_FROM = bytes.fromhex("23b872dd")


def net_change(project: Project, chain_id: int, account: str, calls: Sequence[CallRecord]) -> Decimal:
    """Outgoing less incoming native coins and ERC-20 transfers.

    Gas is not included, nor effects inside other contracts.
    """
    return sum((_of_call(project, chain_id, account, call) for call in calls), Decimal(0))


def _of_call(project: Project, chain_id: int, account: str, call: CallRecord) -> Decimal:
    value = 0 if call.to.lower() == account.lower() else call.value
    return dollars(project, chain_id, value) + _of_tokens(project, chain_id, account, call)


def _of_tokens(project: Project, chain_id: int, account: str, call: CallRecord) -> Decimal:
    contract = contract_on_chain(project, chain_id, call.to)
    if contract is not None and standard_of(contract.abi) != "ERC-20":
        return Decimal(0)
    amount = _leaving(call.data, account.lower())
    token = token_settings(Token(project, chain_id, call.to))
    return Decimal(amount).scaleb(-token.decimals) * Decimal(token.price_usd)


def _leaving(data: bytes, account: str) -> int:
    """The tokens that a call transfers from an account; negative for a transfer to it."""
    try:
        if data[:4] == _TRANSFER:
            receiver, amount = decode_values(["address", "uint256"], data[4:])
            owner: object = account
        elif data[:4] == _TRANSFER_FROM:
            owner, receiver, amount = decode_values(["address", "address", "uint256"], data[4:])
        else:
            return 0
    except AbiError:
        return 0
    leaves, comes = str(owner).lower() == account, str(receiver).lower() == account
    return int(str(amount)) * (leaves - comes)
