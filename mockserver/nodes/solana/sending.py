"""Sending transactions to a Solana cluster, and simulating them."""

from typing import Any, Literal

import orjson
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.chain.base58 import address_of, base58_decode, base58_encode
from mockserver.chain.solana.messages import Message
from mockserver.chain.solana.programs import Executed
from mockserver.chain.solana.tokens import SolanaState
from mockserver.chain.solana.transactions import first_signature, sign_transaction, transfer_message
from mockserver.crypto import ed25519
from mockserver.domain.transactions.solana.transactions import settle_sent
from mockserver.errors import RpcError
from mockserver.nodes.envelope import invalid
from mockserver.nodes.solana.accounts import Pubkey, show_account
from mockserver.nodes.solana.cluster import Cluster, Commitment, Encoding, Level, SolanaMethods
from mockserver.nodes.solana.executing import check, describe_error, read_raw, run, show_executed
from mockserver.nodes.solana.records import find_record, show_inner
from mockserver.state.chains import SolanaRecord

methods = SolanaMethods()

_FAILED = (errors.RPC_PREFLIGHT, errors.RPC_SIGNATURE)
_MOST_LAMPORTS = 10**15
_MOST_KEPT = 1_024


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
