"""The simulated chains: what they cost, who has what on them, and reorganizations."""

from typing import Annotated, Any, TypedDict

from pydantic import Field

from mockserver import errors
from mockserver.api.access import ANYBODY
from mockserver.api.endpoint import Group
from mockserver.api.wire import Address, Wei
from mockserver.chain.addresses import is_address, to_checksum
from mockserver.chain.networks import NETWORKS
from mockserver.domain.chains import gas, ledger
from mockserver.domain.chains.reorganizations import reorganize
from mockserver.domain.chains.tokens import holdings, standards
from mockserver.domain.sponsorship import paymasters
from mockserver.errors import ApiError
from mockserver.server.control.members import ControlBody
from mockserver.server.control_call import ControlCall
from mockserver.state.project import Project

chains = Group("Chains")

_DEEPEST = 10_000


class SetTokenBalance(ControlBody):
    """How much of a token an address is to have; of an ERC-721 token, 1 or 0."""

    contract: Address
    balance: Wei
    token_id: Wei | None = None


class SetAddress(ControlBody):
    """What an address is to have. What is left out stays."""

    balance_wei: Wei | None = None
    tokens: Annotated[list[SetTokenBalance], Field(max_length=1000)] = Field(default_factory=list)


class Reorganize(ControlBody):
    """How many blocks are taken back, that of now included."""

    depth: Annotated[int, Field(ge=1, le=_DEEPEST)] = 1


class ChainAnswer(TypedDict):
    """A chain as it is now; amounts are decimal strings of wei."""

    chain_id: int
    name: str | None
    block_number: int
    block_hash: str
    base_fee_wei: str
    priority_fee_wei: str
    paymaster: str
    """The address of the project's paymaster."""
    paymaster_deposit_wei: str
    fee_recipient: str
    """Who is paid for gas."""


class TokenBalanceAnswer(TypedDict):
    """How much of a token an address has."""

    contract: str
    token_id: str | None
    balance: str


class AddressAnswer(TypedDict):
    """What a chain knows of an address; amounts are decimal strings of wei."""

    chain_id: int
    address: str
    balance_wei: str
    reserved_wei: str
    """What transactions that were sent and are not settled may still take."""
    nonce: int
    operation_nonce: int
    """Its nonce at the entry point."""
    delegate: str | None
    """The implementation it has delegated to (EIP-7702)."""
    deployed: bool
    tokens: list[TokenBalanceAnswer]


class ReorganizedAnswer(TypedDict):
    """The blocks that were made anew, and the transactions that were in them."""

    first_block: int
    last_block: int
    transactions: list[str]


@chains.endpoint(
    "GET", "/_mock/projects/{p}/chains/{chain}", "GetChain", ANYBODY, errors=(errors.CONTROL_INVALID,)
)
def get_chain(call: ControlCall) -> ChainAnswer:
    """What a chain costs now, and what the project's paymaster has on it. Prices are settings."""
    project, chain_id = call.project, _chain_id(call)
    block = ledger.block_at(project, chain_id, call.now_ms)
    fees = gas.fees_of(project, chain_id)
    network = NETWORKS.get(chain_id)
    paymaster = paymasters.paymaster_address(project)
    return {
        "chain_id": chain_id,
        "name": network.name if network else None,
        "block_number": block.number,
        "block_hash": block.hash,
        "base_fee_wei": str(fees.base_fee),
        "priority_fee_wei": str(fees.priority_fee),
        "paymaster": paymaster,
        "paymaster_deposit_wei": str(ledger.paymaster_account(project, chain_id, paymaster).balance),
        "fee_recipient": to_checksum(ledger.FEE_RECIPIENT),
    }


@chains.endpoint(
    "POST",
    "/_mock/projects/{p}/chains/{chain}/reorganize",
    "ReorganizeChain",
    ANYBODY,
    errors=(errors.CONTROL_INVALID,),
)
def reorganize_chain(call: ControlCall[Reorganize]) -> ReorganizedAnswer:
    """Take back the latest blocks of a chain and make them anew, with the same transactions in them."""
    chain_id = _chain_id(call)
    last = ledger.block_at(call.project, chain_id, call.now_ms).number
    first = max(0, last - call.body.depth + 1)
    moved = reorganize(call.project, chain_id, first)
    return {"first_block": first, "last_block": last, "transactions": [row.id for row in moved]}


@chains.endpoint(
    "GET",
    "/_mock/projects/{p}/chains/{chain}/addresses/{address}",
    "GetChainAddress",
    ANYBODY,
    errors=(errors.CONTROL_INVALID,),
)
def get_address(call: ControlCall) -> AddressAnswer:
    """What a chain knows of an address: coins, tokens, nonces."""
    return _answer(call.project, _chain_id(call), _address(call))


@chains.endpoint(
    "PUT",
    "/_mock/projects/{p}/chains/{chain}/addresses/{address}",
    "SetChainAddress",
    ANYBODY,
    errors=(errors.CONTROL_INVALID,),
)
def set_address(call: ControlCall[SetAddress]) -> AddressAnswer:
    """Make an address have so much: coins and tokens come from nowhere, or go there."""
    project, chain_id, address = call.project, _chain_id(call), _address(call)
    if call.body.balance_wei is not None:
        ledger.set_balance(project, chain_id, address, int(call.body.balance_wei))
    for at, wanted in enumerate(call.body.tokens):
        token = holdings.Token(project, chain_id, wanted.contract)
        token_id = None if wanted.token_id is None else int(wanted.token_id)
        try:
            standards.give(token, address, int(wanted.balance), token_id)
        except ValueError as error:
            path = f"tokens[{at}]"
            raise ApiError(errors.CONTROL_INVALID, param=path, summary=f"{path}: {error}") from None
    return _answer(project, chain_id, address)


def _chain_id(call: ControlCall[Any]) -> int:
    text = call.path["chain"]
    if not (text.isascii() and text.isdigit() and len(text) < 16) or int(text) == 0:
        raise ApiError(errors.CONTROL_INVALID, param="chain", summary=f"chain: {text[:80]!r} is no chain id")
    return int(text)


def _address(call: ControlCall[Any]) -> str:
    text = call.path["address"]
    if not is_address(text):
        raise ApiError(
            errors.CONTROL_INVALID,
            param="address",
            summary=f"address: {text[:80]!r} is no address: 0x and 40 hexadecimal digits",
        )
    return to_checksum(text)


def _answer(project: Project, chain_id: int, address: str) -> AddressAnswer:
    row = paymasters.account_at(project, chain_id, address)
    return {
        "chain_id": chain_id,
        "address": address,
        "balance_wei": str(row.balance),
        "reserved_wei": str(row.reserved),
        "nonce": row.nonce,
        "operation_nonce": row.operation_nonce,
        "delegate": row.delegate,
        "deployed": row.deployed,
        "tokens": [
            {
                "contract": to_checksum(held.contract),
                "token_id": None if held.token_id is None else str(held.token_id),
                "balance": str(held.balance),
            }
            for held in holdings.tokens_of(project, chain_id, address)
        ],
    }
