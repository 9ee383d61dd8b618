"""Executing transactions on the accounts of a Solana cluster; deployed programs by LiteSVM."""

from base64 import b64encode
from functools import partial
from typing import Any

from mockserver import errors
from mockserver.chain.base58 import base58_decode
from mockserver.chain.solana.lookup_tables import LookupFailed, look_up
from mockserver.chain.solana.machine import execute_deployed, has_machine, needs_machine
from mockserver.chain.solana.messages import Message, parse_transaction
from mockserver.chain.solana.programs import Executed, execute, units_of
from mockserver.chain.solana.running import describe_instruction_error
from mockserver.chain.solana.system_program import Nonce, find_nonce
from mockserver.crypto import ed25519
from mockserver.errors import RpcError
from mockserver.kernel.codec import read_base64
from mockserver.nodes.envelope import invalid
from mockserver.nodes.solana.cluster import Cluster

_PACKET_SIZE = 1_232
_WORDS = {
    "AccountLoadedTwice": "Account loaded twice",
    "AccountNotFound": "Attempt to debit an account but found no record of a prior credit.",
    "AlreadyProcessed": "This transaction has already been processed",
    "BlockhashNotFound": "Blockhash not found",
    "InsufficientFundsForFee": "Insufficient funds for fee",
    "InvalidAccountForFee": "This account may not be used to pay transaction fees",
    "InvalidProgramForExecution": "This program may not be used for executing instructions",
}


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


def describe_error(error: Any) -> str:
    """An error of a transaction in the node's words."""
    if isinstance(error, dict) and "InstructionError" in error:
        place, inner = error["InstructionError"]
        return f"Error processing Instruction {place}: {describe_instruction_error(inner)}"
    if isinstance(error, dict) and "DuplicateInstruction" in error:
        place = error["DuplicateInstruction"]
        return f"Transaction contains a duplicate instruction ({place}) that is not allowed"
    if isinstance(error, dict) and "InsufficientFundsForRent" in error:
        place = error["InsufficientFundsForRent"]["account_index"]
        return f"Transaction results in an account ({place}) with insufficient funds for rent"
    return _WORDS.get(error, str(error)) if isinstance(error, str) else str(error)
