"""Accounts, block hashes and fees of a Solana cluster."""

from base64 import b64encode
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal, NotRequired, TypeVar

from pydantic import AfterValidator, Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.chain.base58 import base58_decode, base58_encode
from mockserver.chain.solana.messages import TOKEN_PROGRAMS, parse_message
from mockserver.chain.solana.parsed import CLOCK_DATA, SYSVARS, parse_account
from mockserver.chain.solana.programs import BUILT_IN, PROGRAMS, fee_of
from mockserver.chain.solana.running import LOADER, is_program, rent_exempt
from mockserver.chain.solana.tokens import (
    TOKEN_PROGRAM,
    SolanaState,
    TokenAccount,
    read_mint,
    read_token_account,
)
from mockserver.errors import ApiError
from mockserver.kernel.codec import read_base64
from mockserver.nodes.endpoints import invalid
from mockserver.nodes.solana.cluster import Cluster, Commitment, Count, Pubkey, SolanaMethods
from mockserver.nodes.solana.validators import EPOCH_SLOTS

T = TypeVar("T")

methods = SolanaMethods()

_CLOCK = "SysvarC1ock11111111111111111111111111111111"
_LARGEST = 20
_MOST_FILTERS = 4
_MOST_COMPARED_BYTES = 128
_MOST_BASE58_BYTES = 128
"""The most bytes that are encoded in base58, which takes time by the square of their number."""
_TOO_LONG = "Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding."
_NATIVE_LOADER = "NativeLoader1111111111111111111111111111111"
_PROGRAM_STATE = SolanaState(1, LOADER, b"")
_NATIVE_STATE = _PROGRAM_STATE._replace(owner=_NATIVE_LOADER)


class TokenFilter(TypedDict, total=False):
    """Which token accounts are asked for."""

    mint: Pubkey
    programId: Pubkey


class Comparison(TypedDict):
    """Bytes that an account's data has to have at an offset."""

    offset: Annotated[int, Field(ge=0)]
    bytes: str
    encoding: NotRequired[Literal["base58", "base64"]]


class AccountFilter(TypedDict, total=False):
    """What the data of an account has to be: so many bytes, or bytes at an offset."""

    dataSize: Annotated[int, Field(ge=0)]
    memcmp: Comparison


def _check_filter(given: AccountFilter) -> AccountFilter:
    if len(given) != 1:
        raise ValueError("must have either dataSize or memcmp")
    if "memcmp" in given:
        _compared(given["memcmp"])
    return given


def _compared(comparison: Comparison) -> bytes:
    """The bytes of a comparison. ValueError unless they are in their encoding."""
    encoding = comparison.get("encoding", "base58")
    try:
        text = comparison["bytes"]
        raw = base58_decode(text) if encoding == "base58" else read_base64(text)
        if len(raw) > _MOST_COMPARED_BYTES:
            raise ValueError
        return raw
    except ValueError:
        most = _MOST_COMPARED_BYTES
        raise ValueError(f"memcmp.bytes: must be {encoding} of at most {most} bytes") from None


class ProgramOptions(Commitment, total=False):
    """Which accounts of a program are asked for, and how they are shown."""

    filters: Annotated[
        list[Annotated[AccountFilter, AfterValidator(_check_filter)]], Field(max_length=_MOST_FILTERS)
    ]
    withContext: bool
    sortResults: bool


class AccountUpdate(TypedDict, total=False):
    """What an account is to have; the rest stays."""

    lamports: Annotated[int, Field(ge=0, lt=2**64)]
    data: str
    """In hexadecimal."""
    owner: Pubkey
    executable: bool
    """Whether it is a program, whose code `data` is."""
    rentEpoch: int


@methods.method("getLatestBlockhash")
def get_latest_blockhash(cluster: Cluster, options: Commitment = {}) -> dict[str, Any]:
    """Retrieve the latest block hash, and the last block height that it is good for."""
    return cluster.in_context(cluster.latest_blockhash())


@methods.method("isBlockhashValid")
def is_blockhash_valid(cluster: Cluster, blockhash: str, options: Commitment = {}) -> dict[str, Any]:
    """Whether a block hash is still good."""
    return cluster.in_context(cluster.slot_of(blockhash) is not None)


@methods.method("getFeeForMessage")
def get_fee(cluster: Cluster, message: str, options: Commitment = {}) -> dict[str, Any]:
    """Retrieve what a message costs in lamports."""
    try:
        read = parse_message(read_base64(message))
    except ValueError as error:
        raise invalid(f"invalid argument 0: message: {error}") from None
    return cluster.in_context(fee_of(read) if cluster.is_current(read) else None)


@methods.method("getRecentPrioritizationFees")
def get_priority_fees(
    cluster: Cluster, addresses: Annotated[list[Pubkey], Field(max_length=128)] = []
) -> list[dict[str, int]]:
    """Retrieve the priority fees of late: none."""
    return [{"slot": cluster.slot, "prioritizationFee": 0}]


@methods.method("getMinimumBalanceForRentExemption")
def get_rent(cluster: Cluster, size: Count, options: Commitment = {}) -> int:
    """Retrieve the lamports that an account with so many bytes has to have."""
    return rent_exempt(size)


@methods.method("getBalance")
def get_balance(cluster: Cluster, address: Pubkey, options: Commitment = {}) -> dict[str, Any]:
    """Retrieve the lamports of an account."""
    return cluster.in_context(cluster.state_of(address).lamports)


@methods.method("getAccountInfo")
def get_account(cluster: Cluster, address: Pubkey, options: Commitment = {}) -> dict[str, Any]:
    """Retrieve an account."""
    return cluster.in_context(show_account(cluster, _state_or_program(cluster, address), options))


@methods.method("getMultipleAccounts")
def get_accounts(
    cluster: Cluster, addresses: Annotated[list[Pubkey], Field(max_length=100)], options: Commitment = {}
) -> dict[str, Any]:
    """Retrieve several accounts."""
    states = [_state_or_program(cluster, address) for address in addresses]
    return cluster.in_context([show_account(cluster, state, options) for state in states])


@methods.method("getTokenAccountBalance")
def get_token_balance(cluster: Cluster, address: Pubkey, options: Commitment = {}) -> dict[str, Any]:
    """Retrieve the tokens of a token account."""
    found = _require(cluster, address, read_token_account, "account")
    return cluster.in_context(cluster.show_amount(found.mint, found.amount))


@methods.method("getTokenSupply")
def get_token_supply(cluster: Cluster, mint: Pubkey, options: Commitment = {}) -> dict[str, Any]:
    """Retrieve the supply of a mint."""
    found = _require(cluster, mint, read_mint, "mint")
    return cluster.in_context(cluster.show_amount(mint, found.supply))


@methods.method("getTokenLargestAccounts")
def list_largest_holders(cluster: Cluster, mint: Pubkey, options: Commitment = {}) -> dict[str, Any]:
    """List the twenty token accounts with the most tokens of a mint."""
    _require(cluster, mint, read_mint, "mint")
    held = [(key, account.amount) for key, _, account in _token_accounts(cluster) if account.mint == mint]
    most = sorted(held, key=lambda each: -each[1])[:_LARGEST]
    found = [{"address": key, **cluster.show_amount(mint, amount)} for key, amount in most]
    return cluster.in_context(found)


def _require(cluster: Cluster, address: str, read: Callable[[SolanaState], T | None], kind: str) -> T:
    """A mint or a token account. RpcError in the words of Solana's nodes for what is none."""
    state = cluster.state_of(address)
    found = read(state)
    if found is None:
        raise invalid(f"Invalid param: {'not a Token' if state.lamports else 'could not find'} {kind}")
    return found


def _list_by(role: str) -> None:
    """Declare the method that lists the token accounts in which an address has a role."""

    def list_accounts(
        cluster: Cluster, address: Pubkey, wanted: TokenFilter, options: Commitment = {}
    ) -> dict[str, Any]:
        if len(wanted) != 1:
            raise invalid("invalid argument 1: wanted: must have either mint or programId")
        if wanted.get("programId", TOKEN_PROGRAM) not in TOKEN_PROGRAMS:
            raise invalid("Invalid param: unrecognized Token program id")
        if "mint" in wanted:
            _require(cluster, wanted["mint"], read_mint, "mint")
        found = [
            {"pubkey": key, "account": show_account(cluster, state, options)}
            for key, state, held in _token_accounts(cluster)
            if getattr(held, role) == address
            and wanted.get("mint", held.mint) == held.mint
            and wanted.get("programId", state.owner) == state.owner
        ]
        return cluster.in_context(found)

    list_accounts.__doc__ = f"List the token accounts by their {role}, of a mint or a program."
    methods.method(f"getTokenAccountsBy{role.capitalize()}")(list_accounts)


def _token_accounts(cluster: Cluster) -> Iterator[tuple[str, SolanaState, TokenAccount]]:
    for key, state in cluster.accounts():
        held = read_token_account(state)
        if held is not None:
            yield key, state, held


_list_by("owner")
_list_by("delegate")


@methods.method("surfnet_setAccount", is_control=True)
def set_account(cluster: Cluster, address: Pubkey, update: AccountUpdate) -> dict[str, Any]:
    """Set an account, or deploy a program: its lamports, its data and its owner."""
    # By the name that Surfpool has for it.
    state = cluster.state_of(address)
    try:
        data = bytes.fromhex(update["data"].removeprefix("0x")) if "data" in update else state.data
    except ValueError:
        raise invalid("invalid argument 1: data: must be hexadecimal digits") from None
    owner = update.get("owner", LOADER if update.get("executable") else state.owner)
    lamports = update.get("lamports", state.lamports or rent_exempt(len(data)))
    cluster.keep([(address, state._replace(lamports=lamports, owner=owner, data=data))])
    return cluster.in_context(None)


@methods.method("getProgramAccounts")
def get_program_accounts(cluster: Cluster, program: Pubkey, options: ProgramOptions = {}) -> Any:
    """List the accounts that a program owns, in the order of their public keys."""
    found = accounts_of(cluster, program, options)
    shown = [
        {"pubkey": pubkey, "account": show_account(cluster, found[pubkey], options)}
        for pubkey in sorted(found, key=base58_decode)
    ]
    return cluster.in_context(shown) if options.get("withContext") else shown


def accounts_of(cluster: Cluster, program: str, options: ProgramOptions) -> dict[str, SolanaState]:
    """The accounts that a program owns and that all filters match, by their public keys."""
    matchers = [_matcher(each) for each in options.get("filters", [])]
    return {
        key: state
        for key, state in cluster.accounts()
        if state.owner == program and all(matches(state.data) for matches in matchers)
    }


def _matcher(wanted: AccountFilter) -> Callable[[bytes], bool]:
    if "dataSize" in wanted:
        size = wanted["dataSize"]
        return lambda data: len(data) == size
    start, compared = wanted["memcmp"]["offset"], _compared(wanted["memcmp"])
    return lambda data: data[start : start + len(compared)] == compared


# --- how they are shown ----------------------------------------------------------------------------------


def _state_or_program(cluster: Cluster, address: str) -> SolanaState:
    """An account, the clock of the cluster, or a program that is executed, of which the code is not there."""
    if address == _CLOCK:
        now, epoch = cluster.slot, cluster.slot // EPOCH_SLOTS
        start_s = cluster.time_of(epoch * EPOCH_SLOTS)
        data = CLOCK_DATA.pack(now, start_s, epoch, epoch + 1, cluster.time_of(now))
        return SolanaState(rent_exempt(len(data)), SYSVARS, data)
    state = cluster.state_of(address)
    if state.lamports or address not in PROGRAMS:
        return state
    return _NATIVE_STATE if address in BUILT_IN else _PROGRAM_STATE


def show_account(
    cluster: Cluster, state: SolanaState, options: Commitment, *, is_told: bool = False
) -> dict[str, Any] | None:
    """An account, with its data as it is asked for; None of one that does not exist.

    ApiError for data that are too long for base58; a notification, which `is_told`, says so in their place.
    """
    if not state.lamports:
        return None
    return {
        "lamports": state.lamports,
        "owner": state.owner,
        "data": _show_data(cluster, state, options, is_told=is_told),
        "executable": state.owner == _NATIVE_LOADER or is_program(state),
        "rentEpoch": 2**64 - 1,
        "space": len(state.data),
    }


def _show_data(cluster: Cluster, state: SolanaState, options: Commitment, *, is_told: bool) -> Any:
    encoding = options.get("encoding")
    if encoding == "jsonParsed":
        found = parse_account(state, cluster.show_amount)
        if found is not None:
            return found
    data = state.data
    if "dataSlice" in options:
        part = options["dataSlice"]
        data = data[part["offset"] : part["offset"] + part["length"]]
    if encoding in (None, "base58"):
        is_short = len(data) <= _MOST_BASE58_BYTES
        if not is_short and not is_told:
            raise ApiError(errors.RPC_INVALID_REQUEST, reason=_TOO_LONG)
        shown = base58_encode(data) if is_short else "error: data too large for bs58 encoding"
        return shown if encoding is None else [shown, "base58"]
    return [b64encode(data).decode(), "base64"]
