"""The simulated chains: fees, balances and reorganizations."""

from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.wire import Address, Hex, Wei, Word, empty
from mockserver.chain.addresses import is_address, to_checksum
from mockserver.chain.networks import NETWORKS
from mockserver.chain.user_operations import ENTRY_POINTS
from mockserver.domain.chains import deposits, execution, ledger
from mockserver.domain.chains.networks import fees_of, read_chain_id
from mockserver.domain.chains.reorganizations import reorganize
from mockserver.domain.chains.tokens import holdings, standards
from mockserver.errors import ApiError
from mockserver.kernel.spelling import quote
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.bodies import ControlBody, ListAnswer, ListQuery, invalid, list_answer
from mockserver.server.control.groups import ControlGroup
from mockserver.state.project import Project

networks = ControlGroup("Chains", below="/_mock")
chains = ControlGroup("Chains")

_MAX_DEPTH = 10_000


class SetTokenBalance(ControlBody):
    """The new balance of a token; 1 or 0 for a token of an ERC-721 contract."""

    contract: Address
    """The address of the token."""
    balance: Wei
    token_id: Wei | None = None


class SetAddress(ControlBody):
    """What is to change of an address. What is left out stays as it is."""

    balance_wei: Wei | None = None
    nonce: Annotated[int, Field(ge=0, lt=2**63)] | None = None
    code: Hex | None = None
    """Code to be executed when it is called (not creation code); `0x` for none."""
    storage: Annotated[dict[Word, Word], Field(max_length=10_000)] = Field(default_factory=dict)
    """Values of storage by slot, both in hexadecimal."""
    tokens: Annotated[list[SetTokenBalance], Field(max_length=1000)] = Field(default_factory=empty)


class Reorganize(ControlBody):
    """A reorganization."""

    depth: Annotated[int, Field(ge=1, le=_MAX_DEPTH)] = 1
    """How many of the latest blocks are replaced."""


class NetworkAnswer(TypedDict):
    """An EVM chain that is known by name."""

    chain_id: int
    name: str
    testnet: bool
    """Whether it is a test network, which test keys are for."""
    currency: str
    """The symbol of its native coin, which has 18 decimals."""
    usdc: str | None
    """The address of USDC, which has 6 decimals, in lower case; null where none is known."""


class ChainAnswer(TypedDict):
    """The current state of a chain; amounts are decimal strings of wei."""

    chain_id: int
    name: str | None
    """The name of the chain, if it is known."""
    block_number: int
    block_hash: str
    base_fee_wei: str
    priority_fee_wei: str
    paymaster: str
    """The address of the project's paymaster."""
    paymaster_deposit_wei: str
    fee_recipient: str
    """The address to which gas fees are paid."""


class TokenBalanceAnswer(TypedDict):
    """An address's balance of a token."""

    contract: str
    """The address of the token."""
    token_id: str | None
    balance: str


class AddressAnswer(TypedDict):
    """The state of an address on a chain; amounts are decimal strings of wei."""

    chain_id: int
    address: str
    balance_wei: str
    reserved_wei: str
    """What pending transactions may still cost."""
    nonce: int
    """How many transactions it has sent."""
    operation_nonce: int
    """Its nonce at the entry point."""
    delegate: str | None
    """The contract that its code is delegated to (EIP-7702)."""
    deployed: bool
    """Whether there is code at the address, executed or simulated."""
    code: str
    """The code that is executed when it is called, `0x` if there is none."""
    storage: dict[str, str]
    """The slots of its storage that are not 0."""
    tokens: list[TokenBalanceAnswer]


class ReorganizationAnswer(TypedDict):
    """The blocks that were replaced, and the transactions that were in them."""

    first_block: int
    last_block: int
    transactions: list[str]


@networks.operation("GET /networks", "ListNetworks")
def list_networks(call: ControlCall[None, ListQuery, None]) -> ListAnswer[NetworkAnswer]:
    """List the EVM chains that are known by name."""
    return list_answer(
        call.query,
        NETWORKS.values(),
        lambda network: {
            "chain_id": network.chain_id,
            "name": network.name,
            "testnet": network.testnet,
            "currency": network.currency,
            "usdc": network.usdc,
        },
    )


@chains.operation("GET /chains/{chain}", "GetChain", errors.CONTROL_INVALID)
def get_chain(call: ControlCall) -> ChainAnswer:
    """Retrieve a chain: its latest block, fees and paymaster. Fees are set by the settings."""
    project, chain_id = call.project, parse_chain_id(call)
    block = ledger.block_at(project, chain_id, call.now_ms)
    fees = fees_of(project, chain_id)
    network = NETWORKS.get(chain_id)
    paymaster = deposits.paymaster_address(project)
    return {
        "chain_id": chain_id,
        "name": network.name if network else None,
        "block_number": block.number,
        "block_hash": block.hash,
        "base_fee_wei": str(fees.base_fee),
        "priority_fee_wei": str(fees.priority_fee),
        "paymaster": paymaster,
        "paymaster_deposit_wei": str(
            ledger.paymaster_account(project, chain_id, paymaster).balance
            + sum(deposits.deposit_of(project, chain_id, each, paymaster) for each in ENTRY_POINTS.values())
        ),
        "fee_recipient": to_checksum(ledger.FEE_RECIPIENT),
    }


@chains.operation(
    "POST /chains/{chain}/reorganize",
    "ReorganizeChain",
    errors.CONTROL_INVALID,
    errors.CONTROL_NOTHING_TO_REORGANIZE,
)
def reorganize_chain(call: ControlCall[Reorganize]) -> ReorganizationAnswer:
    """Reorganize a chain: replace its latest blocks by others with the same transactions."""
    chain_id = parse_chain_id(call)
    last = ledger.block_at(call.project, chain_id, call.now_ms).number
    first = max(0, last - call.body.depth + 1)
    moved = reorganize(call.project, chain_id, first)
    if not moved:
        raise ApiError(
            errors.CONTROL_NOTHING_TO_REORGANIZE,
            depth=call.body.depth,
            last=last,
            chain=chain_id,
            instead=_describe_included(call.project, chain_id, last),
        )
    return {"first_block": first, "last_block": last, "transactions": [row.id for row in moved]}


@chains.operation("GET /chains/{chain}/addresses/{address}", "GetChainAddress", errors.CONTROL_INVALID)
def get_address(call: ControlCall) -> AddressAnswer:
    """Retrieve balances, nonces, code and storage of an address on a chain."""
    return _address_answer(call.project, parse_chain_id(call), parse_address(call))


@chains.operation("PUT /chains/{chain}/addresses/{address}", "SetChainAddress", errors.CONTROL_INVALID)
def set_address(call: ControlCall[SetAddress]) -> AddressAnswer:
    """Set balances, code and storage of an address. Coins and tokens are minted or burned to match."""
    project, chain_id, address = call.project, parse_chain_id(call), parse_address(call)
    body = call.body
    if body.balance_wei is not None:
        ledger.set_balance(project, chain_id, address, int(body.balance_wei))
    if body.nonce is not None:
        ledger.write(project, ledger.chain_account(project, chain_id, address)._replace(nonce=body.nonce))
    if body.code is not None:
        execution.set_code(project, chain_id, address, bytes.fromhex(body.code[2:]))
    for slot, value in body.storage.items():
        ledger.set_slot(project, chain_id, address, int(slot, 16), int(value, 16))
    for index, wanted in enumerate(call.body.tokens):
        token = holdings.Token(project, chain_id, wanted.contract)
        token_id = None if wanted.token_id is None else int(wanted.token_id)
        try:
            standards.set_token_balance(token, address, int(wanted.balance), token_id)
        except ValueError as error:
            raise invalid(f"tokens[{index}]", error) from None
    return _address_answer(project, chain_id, address)


def _describe_included(project: Project, chain_id: int, last: int) -> str:
    """Where there are transactions in blocks that could be replaced."""
    blocks: dict[int, int] = {}
    for row in project.onchain.transactions:
        if row.included is not None:
            number = row.included.place.block_number
            blocks[row.chain_id] = max(number, blocks.get(row.chain_id, 0))
    if chain_id in blocks:
        return f"Depth {last - blocks[chain_id] + 1} reaches the latest transaction."
    if not blocks:
        return "The project has no transactions in any block."
    return f"There are transactions on chain {', '.join(map(str, sorted(blocks)))}."


def parse_chain_id(call: ControlCall[Any, Any]) -> int:
    """The chain of the path. ApiError with 400."""
    text = call.path["chain"]
    chain_id = read_chain_id(text)
    if chain_id is None:
        raise invalid("chain", f"{quote(text)} is not a chain id")
    return chain_id


def parse_address(call: ControlCall[Any, Any]) -> str:
    """The address of the path, with its checksum. ApiError with 400."""
    text = call.path["address"]
    if not is_address(text):
        raise invalid("address", f"{quote(text)} is not an address (0x and 40 hexadecimal digits)")
    return to_checksum(text)


def _address_answer(project: Project, chain_id: int, address: str) -> AddressAnswer:
    row, code = deposits.account_at(project, chain_id, address), ledger.code_at(project, chain_id, address)
    return {
        "chain_id": chain_id,
        "address": address,
        "balance_wei": str(row.balance),
        "reserved_wei": str(row.reserved),
        "nonce": row.nonce,
        "operation_nonce": row.operation_nonce,
        "delegate": row.delegate,
        "deployed": row.deployed or bool(code),
        "code": "0x" + code.hex(),
        "storage": {
            hex(slot): hex(value) for slot, value in execution.slots_of(project, chain_id, address).items()
        },
        "tokens": [
            {
                "contract": to_checksum(held.contract),
                "token_id": None if held.token_id is None else str(held.token_id),
                "balance": str(held.balance),
            }
            for held in holdings.tokens_of(project, chain_id, address)
        ],
    }
