"""Sending transactions to a Solana cluster, and simulating them; LiteSVM executes deployed programs."""

from base64 import b64encode
from functools import partial
from typing import Any, Literal

import orjson
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.chain.base58 import address_of, base58_decode, base58_encode
from mockserver.chain.solana.lookup_tables import LookupFailed, look_up
from mockserver.chain.solana.machine import execute_deployed, has_machine, needs_machine
from mockserver.chain.solana.messages import Message, parse_transaction
from mockserver.chain.solana.parsed import show_inner
from mockserver.chain.solana.programs import Executed, execute, units_of
from mockserver.chain.solana.running import describe_error
from mockserver.chain.solana.system_program import Nonce, find_nonce
from mockserver.chain.solana.tokens import SolanaState
from mockserver.chain.solana.transactions import first_signature, sign_transaction, transfer_message
from mockserver.crypto import ed25519
from mockserver.domain.transactions.solana.transactions import settle_sent
from mockserver.errors import RpcError
from mockserver.kernel.codec import read_base64
from mockserver.nodes.endpoints import invalid
from mockserver.nodes.solana.accounts import show_account
from mockserver.nodes.solana.cluster import Cluster, Commitment, Encoding, Level, Pubkey, SolanaMethods
from mockserver.nodes.solana.records import find_record
from mockserver.state.chains import SolanaRecord

methods = SolanaMethods()

_FAILED = (errors.RPC_PREFLIGHT, errors.RPC_SIGNATURE)
_MOST_LAMPORTS = 10**15
_MOST_KEPT = 1_024
_PACKET_SIZE = 1_232


class SendOptions(TypedDict, total=False):
    """How a transaction is sent."""

    encoding: Literal["base58", "base64"]
    skipPreflight: bool
    preflightCommitment: Level
    maxRetries: int
    minContextSlot: int


class SimulatedAccounts(TypedDict, total=False):
    """Which accounts are shown as they are after a simulation."""

    addresses: list[Pubkey]
    encoding: Encoding | None


class SimulateOptions(TypedDict, total=False):
    """How a transaction is simulated."""

    encoding: Literal["base58", "base64"]
    sigVerify: bool
    replaceRecentBlockhash: bool
    commitment: Level
    accounts: SimulatedAccounts
    innerInstructions: bool
    minContextSlot: int


@methods.method("sendTransaction", errors=_FAILED)
def send_transaction(cluster: Cluster, transaction: str, options: SendOptions = {}) -> str:
    """Send a signed transaction; where the clock is frozen it goes on to the next slot."""
    return send_raw(cluster, read_raw(transaction, options.get("encoding", "base58")), options)


@methods.method("simulateTransaction", errors=_FAILED)
def simulate_transaction(cluster: Cluster, transaction: str, options: SimulateOptions = {}) -> dict[str, Any]:
    """Execute a transaction without keeping what it changes."""
    if options.get("sigVerify") and options.get("replaceRecentBlockhash"):
        raise invalid("sigVerify may not be used with replaceRecentBlockhash")
    raw = read_raw(transaction, options.get("encoding", "base58"))
    signatures, _, message = check(cluster, raw, verify=options.get("sigVerify", False))
    replacement = cluster.latest_blockhash() if options.get("replaceRecentBlockhash") else None
    executed = (
        run(cluster, message) if replacement else _run_before(cluster, message, base58_encode(signatures[0]))
    )
    asked = options.get("accounts", {})
    wanted, shown = asked.get("addresses", []), Commitment(encoding=asked.get("encoding") or "base64")
    if len(wanted) > len(message.keys):
        raise invalid(f"Too many accounts provided; max {len(message.keys)}")
    if shown["encoding"] == "base58":
        raise invalid("base58 encoding not supported")
    states = [executed.accounts.get(each) or cluster.state_of(each) for each in wanted]
    accounts = [show_account(cluster, state, shown) for state in states] if wanted else None
    wants_inner = options.get("innerInstructions", False)
    inner = show_inner(executed.inner, message, "jsonParsed") if wants_inner else None
    more = {"accounts": accounts, "innerInstructions": inner, "replacementBlockhash": replacement}
    return cluster.in_context({**show_executed(executed), **more})


@methods.method("requestAirdrop", is_control=True)
def request_airdrop(cluster: Cluster, address: Pubkey, lamports: int, options: Commitment = {}) -> str:
    """Give lamports to an account, from a faucet that never runs dry."""
    if not 0 < lamports <= _MOST_LAMPORTS:
        raise invalid(f"invalid argument 1: lamports: must be 1 to {_MOST_LAMPORTS}")
    seed = cluster.project.entropy.derive("solana_faucet")
    faucet = ed25519.public_key(seed)
    cluster.keep([(address_of(faucet), SolanaState(lamports + 10**9))])
    cluster.advance()
    blockhash = base58_decode(cluster.blockhash(cluster.slot))
    # Of equal airdrops in one slot each has another signature.
    memo = str(len(cluster.project.chains.solana_records)).encode()
    message = transfer_message(faucet, base58_decode(address), lamports, blockhash, memo)
    _, raw = sign_transaction(message, seed)
    return _process(cluster, raw, check(cluster, raw)[2])


def send_raw(cluster: Cluster, raw: bytes, options: SendOptions) -> str:
    """Send a transaction, and return its signature. RpcError for one that would fail."""
    signatures, _, message = check(cluster, raw)
    signature = base58_encode(signatures[0])
    executed = _run_before(cluster, message, signature)
    if executed.error is not None:
        if not options.get("skipPreflight"):
            raise _refuse(executed, describe_error(executed.error))
        if not executed.fee:
            # A node takes it without looking. No block does, so that it expires with its block hash.
            return signature
    cluster.advance()
    return _process(cluster, raw, message)


def _run_before(cluster: Cluster, message: Message, signature: str) -> Executed:
    if not cluster.is_current(message):
        return Executed({}, 0, "BlockhashNotFound")
    if find_record(cluster, signature) is not None:
        return Executed({}, 0, "AlreadyProcessed")
    return run(cluster, message)


def _process(cluster: Cluster, raw: bytes, message: Message) -> str:
    signature = base58_encode(first_signature(raw))
    before = tuple(cluster.state_of(key) for key in message.keys)
    executed = run(cluster, message)
    after = tuple(executed.accounts[key] for key in message.keys)
    pairs = zip(message.keys, before, after, strict=True)
    cluster.keep((key, new) for key, old, new in pairs if old != new)
    error = None if executed.error is None else orjson.dumps(executed.error).decode()
    row_id = f"{cluster.name}:{signature}"
    record = SolanaRecord(
        row_id,
        cluster.name,
        cluster.slot,
        raw,
        executed.fee,
        error,
        executed.logs,
        tuple(map(_brief, before)),
        tuple(map(_brief, after)),
        message.loaded,
        executed.inner,
    )
    cluster.project.chains.solana_records.insert(record)
    settle_sent(cluster.project, raw, None if error is None else describe_error(executed.error))
    return signature


def _brief(state: SolanaState) -> SolanaState:
    """An account as a record keeps it: without the code of a program, of which nothing is shown."""
    return state if len(state.data) <= _MOST_KEPT else state._replace(data=b"")


def _refuse(executed: Executed, why: str) -> RpcError:
    return RpcError(errors.RPC_PREFLIGHT, {"accounts": None, **show_executed(executed)}, reason=why)


# --- executing -------------------------------------------------------------------------------------------


def read_raw(text: str, encoding: str) -> bytes:
    """The bytes of a transaction. RpcError for what is not in the encoding, or larger than a packet."""
    try:
        raw = read_base64(text) if encoding == "base64" else base58_decode(text)
    except ValueError as error:
        raise invalid(f"invalid {encoding} encoding: {error}") from None
    if len(raw) > _PACKET_SIZE:
        raise invalid(f"decoded VersionedTransaction too large: {len(raw)} bytes (max: {_PACKET_SIZE} bytes)")
    return raw


def check(cluster: Cluster, raw: bytes, *, verify: bool = True) -> tuple[list[bytes], bytes, Message]:
    """The parts of a transaction. RpcError for what is none, and for a signature that is wrong."""
    try:
        # What lookup tables have in the slot that it may be in.
        look_up_next = partial(look_up, state_of=cluster.state_of, slot=cluster.slot + 1)
        signatures, signed, message = parse_transaction(raw, look_up_next)
    except LookupFailed as error:
        raise invalid(f"invalid transaction: {error}") from None
    except ValueError as error:
        raise invalid(f"failed to deserialize VersionedTransaction: {error}") from None
    keys = [base58_decode(key) for key in message.keys[: message.signers]]
    if verify and not all(map(ed25519.verify, keys, [signed] * len(keys), signatures)):
        raise RpcError(errors.RPC_SIGNATURE)
    return signatures, signed, message


def run(cluster: Cluster, message: Message) -> Executed:
    """Execute a message on the accounts as they are."""
    slot, blockhash = cluster.slot, cluster.next_blockhash()
    states = {key: cluster.state_of(key) for key in message.keys}
    if needs_machine(message, states) and has_machine():
        executed = execute_deployed(message, cluster.state_of, slot, cluster.time_of(slot), blockhash)
    else:
        executed = execute(message, states, slot, blockhash)
    used = find_nonce(message, states.__getitem__) if executed.error and executed.fee else None
    if used is None:
        return executed
    # What fails has advanced its nonce all the same, so that it cannot be sent again.
    address, nonce = used
    after = Nonce.next(nonce.authority, blockhash).pack()
    advanced = {address: executed.accounts[address]._replace(data=after)}
    return executed._replace(accounts=executed.accounts | advanced)


def show_executed(executed: Executed) -> dict[str, Any]:
    """What came of a transaction, as simulations show it, and errors before one is sent."""
    shown = {"err": executed.error, "logs": list(executed.logs)}
    returned = None
    if executed.returned is not None:
        program, data = executed.returned
        returned = {"programId": program, "data": [b64encode(data).decode(), "base64"]}
    return {**shown, "unitsConsumed": units_of(executed.logs), "returnData": returned}
