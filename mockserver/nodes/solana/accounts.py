"""Accounts, slots and fees of a Solana cluster."""

from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from typing import Annotated, Any

from pydantic import Field, PlainValidator
from typing_extensions import TypedDict

from mockserver.chain.base58 import base58_encode
from mockserver.chain.solana.messages import fee_of, parse_message
from mockserver.chain.solana.tokens import SolanaState, read_mint, read_token_account, rent_exempt
from mockserver.nodes.bundler.operations import invalid
from mockserver.nodes.doors import SOLANA, SOLANA_NODE
from mockserver.nodes.methods import Methods
from mockserver.nodes.solana.cluster import (
    BLOCKHASH_SLOTS,
    SLOT_MS,
    Cluster,
    Commitment,
    ask_cluster,
    read_pubkey,
)

methods = Methods("JSON-RPC", ask_cluster, SOLANA, SOLANA_NODE)

Pubkey = Annotated[str, PlainValidator(read_pubkey)]
_EPOCH_SLOTS = 432_000
_Count = Annotated[int, Field(ge=0, lt=2**53)]


class TokenFilter(TypedDict, total=False):
    """Which token accounts are asked for."""

    mint: Pubkey
    programId: Pubkey


@methods.method("getHealth")
def get_health(cluster: Cluster) -> str:
    """Whether the node is healthy."""
    return "ok"


@methods.method("getVersion")
def get_version(cluster: Cluster) -> dict[str, Any]:
    """Retrieve the version of the node."""
    return {"solana-core": "3.0.0", "feature-set": 0}


@methods.method("getGenesisHash")
def get_genesis_hash(cluster: Cluster) -> str:
    """Retrieve the hash of the first block."""
    return cluster.blockhash(0)


@methods.method("getSlot", "getBlockHeight")
def get_slot(cluster: Cluster, options: Commitment = {}) -> int:  # noqa: B006
    """Retrieve the latest slot, which is the height of its block, too."""
    return cluster.slot


@methods.method("getBlockTime")
def get_block_time(cluster: Cluster, slot: _Count) -> int:
    """Retrieve the time of a slot in seconds."""
    return slot * SLOT_MS // 1000


@methods.method("getEpochInfo")
def get_epoch_info(cluster: Cluster, options: Commitment = {}) -> dict[str, int]:  # noqa: B006
    """Retrieve where in an epoch the cluster is."""
    epoch, index = divmod(cluster.slot, _EPOCH_SLOTS)
    return {
        "absoluteSlot": cluster.slot,
        "blockHeight": cluster.slot,
        "epoch": epoch,
        "slotIndex": index,
        "slotsInEpoch": _EPOCH_SLOTS,
        "transactionCount": len(cluster.project.chains.solana_records),
    }


@methods.method("getLatestBlockhash")
def get_latest_blockhash(cluster: Cluster, options: Commitment = {}) -> dict[str, Any]:  # noqa: B006
    """Retrieve the latest block hash, and the last block height that it is good for."""
    found = {
        "blockhash": cluster.blockhash(cluster.slot),
        "lastValidBlockHeight": cluster.slot + BLOCKHASH_SLOTS,
    }
    return cluster.in_context(found)


@methods.method("isBlockhashValid")
def is_blockhash_valid(cluster: Cluster, blockhash: str, options: Commitment = {}) -> dict[str, Any]:  # noqa: B006
    """Whether a block hash is still good."""
    return cluster.in_context(cluster.slot_of(blockhash) is not None)


@methods.method("getFeeForMessage")
def get_fee(cluster: Cluster, message: str, options: Commitment = {}) -> dict[str, Any]:  # noqa: B006
    """Retrieve what a message costs in lamports."""
    try:
        parsed = parse_message(b64decode(message, validate=True))
    except (Base64Error, ValueError) as error:
        raise invalid(f"invalid argument 0: message: {error}") from None
    return cluster.in_context(fee_of(parsed) if cluster.slot_of(parsed.blockhash) is not None else None)


@methods.method("getRecentPrioritizationFees")
def get_priority_fees(cluster: Cluster, addresses: list[Pubkey] = []) -> list[dict[str, int]]:  # noqa: B006
    """Retrieve the priority fees of late: none."""
    return [{"slot": cluster.slot, "prioritizationFee": 0}]


@methods.method("getMinimumBalanceForRentExemption")
def get_rent(cluster: Cluster, size: _Count, options: Commitment = {}) -> int:  # noqa: B006
    """Retrieve the lamports that an account with so many bytes has to have."""
    return rent_exempt(size)


@methods.method("getBalance")
def get_balance(cluster: Cluster, address: Pubkey, options: Commitment = {}) -> dict[str, Any]:  # noqa: B006
    """Retrieve the lamports of an account."""
    return cluster.in_context(cluster.state_of(address).lamports)


@methods.method("getAccountInfo")
def get_account(cluster: Cluster, address: Pubkey, options: Commitment = {}) -> dict[str, Any]:  # noqa: B006
    """Retrieve an account."""
    return cluster.in_context(show_account(cluster, cluster.state_of(address), options))


@methods.method("getMultipleAccounts")
def get_accounts(
    cluster: Cluster,
    addresses: Annotated[list[Pubkey], Field(max_length=100)],
    options: Commitment = {},  # noqa: B006
) -> dict[str, Any]:
    """Retrieve several accounts."""
    states = [cluster.state_of(address) for address in addresses]
    return cluster.in_context([show_account(cluster, state, options) for state in states])


@methods.method("getTokenAccountBalance")
def get_token_balance(cluster: Cluster, address: Pubkey, options: Commitment = {}) -> dict[str, Any]:  # noqa: B006
    """Retrieve the tokens of a token account."""
    found = read_token_account(cluster.state_of(address))
    if found is None:
        raise invalid("could not find account")
    return cluster.in_context(show_amount(cluster, found.mint, found.amount))


@methods.method("getTokenSupply")
def get_token_supply(cluster: Cluster, mint: Pubkey, options: Commitment = {}) -> dict[str, Any]:  # noqa: B006
    """Retrieve the supply of a mint."""
    found = read_mint(cluster.state_of(mint))
    if found is None:
        raise invalid("could not find mint")
    return cluster.in_context(show_amount(cluster, mint, found.supply))


@methods.method("getTokenAccountsByOwner")
def get_token_accounts(
    cluster: Cluster,
    owner: Pubkey,
    wanted: TokenFilter,
    options: Commitment = {},  # noqa: B006
) -> dict[str, Any]:
    """List the token accounts of an owner, of a mint or a program."""
    found = []
    for row in cluster.project.chains.solana_accounts.find("cluster", cluster.name):
        state = SolanaState(*row.state)
        held = read_token_account(state)
        if held is None or held.owner != owner:
            continue
        if wanted.get("mint", held.mint) != held.mint or wanted.get("programId", state.owner) != state.owner:
            continue
        found.append(show_keyed(cluster, row.id.partition(":")[2], state, options))
    return cluster.in_context(found)


# --- how they are shown ----------------------------------------------------------------------------------


def show_account(cluster: Cluster, state: SolanaState, options: Commitment) -> dict[str, Any] | None:
    """An account, with its data as it is asked for; None of one that does not exist."""
    if not state.lamports:
        return None
    return {
        "lamports": state.lamports,
        "owner": state.owner,
        "data": _show_data(cluster, state, options),
        "executable": False,
        "rentEpoch": 2**64 - 1,
        "space": len(state.data),
    }


def show_keyed(cluster: Cluster, pubkey: str, state: SolanaState, options: Commitment) -> dict[str, Any]:
    """An account with its public key."""
    return {"pubkey": pubkey, "account": show_account(cluster, state, options)}


def _show_data(cluster: Cluster, state: SolanaState, options: Commitment) -> Any:
    encoding = options.get("encoding")
    if encoding == "jsonParsed":
        parsed = _parse(cluster, state)
        if parsed is not None:
            program = "spl-token" if state.owner.startswith("Tokenkeg") else "spl-token-2022"
            return {"program": program, "parsed": parsed, "space": len(state.data)}
    part = options.get("dataSlice", {})
    start = part.get("offset", 0)
    data = state.data[start : start + part["length"]] if "length" in part else state.data
    if encoding in (None, "base58"):
        return base58_encode(data) if encoding is None else [base58_encode(data), "base58"]
    return [b64encode(data).decode(), "base64"]


def _parse(cluster: Cluster, state: SolanaState) -> dict[str, Any] | None:
    mint, held = read_mint(state), read_token_account(state)
    info: dict[str, Any]
    if mint is not None:
        info = {
            "decimals": mint.decimals,
            "freezeAuthority": mint.freezer,
            "isInitialized": True,
            "mintAuthority": mint.authority,
            "supply": str(mint.supply),
        }
        return {"type": "mint", "info": info}
    if held is None:
        return None
    amount = show_amount(cluster, held.mint, held.amount)
    info = {
        "isNative": False,
        "mint": held.mint,
        "owner": held.owner,
        "state": "initialized",
        "tokenAmount": amount,
    }
    return {"type": "account", "info": info}


def show_amount(cluster: Cluster, mint: str, amount: int) -> dict[str, Any]:
    """An amount of tokens in its smallest unit and in whole ones."""
    found = read_mint(cluster.state_of(mint))
    decimals = found.decimals if found else 0
    whole, rest = divmod(amount, 10**decimals)
    digits = f"{rest:0{decimals}d}".rstrip("0") if decimals else ""
    text = f"{whole}.{digits}" if digits else str(whole)
    return {
        "amount": str(amount),
        "decimals": decimals,
        "uiAmount": amount / 10**decimals,
        "uiAmountString": text,
    }
