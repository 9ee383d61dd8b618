"""Signature requests as policies see them: their operation and their facts."""

import base64
from collections.abc import Iterable
from typing import NamedTuple

from mockserver import errors
from mockserver.chain.serialized_transactions import read_unsigned
from mockserver.chain.solana.messages import (
    COMPUTE_BUDGET_PROGRAM,
    SYSTEM_PROGRAM,
    TOKEN_PROGRAMS,
    Instruction,
    read_lamport_transfer,
    read_message,
    read_token_transfer,
)
from mockserver.crypto.keccak import keccak256
from mockserver.domain.policies.criteria import Facts
from mockserver.domain.policies.evaluation import decide
from mockserver.errors import ApiError, wrong_field
from mockserver.state.project import Project

_HASH_SIZE = 32
_EIP191_MARK = b"\x19"
_MESSAGE_PREFIX = b"\x19Ethereum Signed Message:\n"
_TYPED_DATA_PREFIX = b"\x19\x01"
_LENGTH_DIGITS = 10
"""The most decimal digits of a message's length: enough for any, few enough to try one by one."""


class Signable(NamedTuple):
    """A payload to sign, its policy operation and its facts."""

    payload: bytes
    """A digest on EVM, the bytes themselves on Solana."""
    operation: str
    facts: Facts


def read_evm(raw: bytes) -> Signable:
    """Read an EVM payload: 32 bytes are a hash; an EIP-191 message or unsigned transaction is hashed.

    ApiError with 400 for anything else.
    """
    # Check the EIP-191 prefix first: with a message of five bytes it is as long as a hash.
    if raw.startswith(_MESSAGE_PREFIX):
        return Signable(keccak256(raw), "signEvmMessage", Facts(evmMessage=_message(raw)))
    if len(raw) == _HASH_SIZE:
        return Signable(raw, "signEvmHash", Facts())
    # 0x1901 and two hashes (EIP-712): the content is not visible, so criteria about typed data do not match.
    if raw.startswith(_TYPED_DATA_PREFIX):
        return Signable(keccak256(raw), "signEvmTypedData", Facts())
    if raw.startswith(_EIP191_MARK):
        return Signable(keccak256(raw), "signEvmMessage", Facts(evmMessage=_text(raw[1:])))
    try:
        transaction = read_unsigned(raw)
    except ValueError as error:
        reason = f"not a hash, a message with its EIP-191 prefix or an unsigned transaction: {error}"
        raise wrong_field("data", reason) from None
    facts = Facts(value=str(transaction.value), data="0x" + transaction.data.hex())
    if transaction.to is not None:
        facts["to"] = transaction.to
    if transaction.chain_id is not None:
        facts["chainId"] = transaction.chain_id
    return Signable(transaction.digest, "signEvmTransaction", facts)


def read_svm(raw: bytes) -> Signable:
    """Read a Solana payload: the message of a transaction, or else any bytes."""
    try:
        instructions = read_message(raw)
    except ValueError:
        return Signable(raw, "signSolMessage", Facts(solMessage=_text(raw)))
    return Signable(raw, "signSolTransaction", _facts_of(instructions))


def require_allowed(project: Project, account_id: str, signable: Signable) -> None:
    """ApiError with 403 unless the policies allow the account to sign this."""
    decision = decide(project, signable.operation, signable.facts, account_id=account_id)
    if not decision.allowed:
        raise ApiError(
            errors.POLICY_REFUSED, id=account_id, operation=signable.operation, reason=decision.reason
        )


def _message(raw: bytes) -> str:
    """The message behind its prefix and its length."""
    # EIP-191 writes the length in decimal, with nothing between it and the message, which may start with
    # digits itself. So try which number of digits gives the length of the rest.
    rest = raw[len(_MESSAGE_PREFIX) :]
    for digits in range(1, min(len(rest), _LENGTH_DIGITS) + 1):
        length = rest[:digits]
        if length.isdigit() and int(length) == len(rest) - digits:
            return _text(rest[digits:])
    return _text(rest)


def _text(raw: bytes) -> str:
    """Text as text, and other bytes in hex."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return "0x" + raw.hex()


def _facts_of(instructions: tuple[Instruction, ...]) -> Facts:
    """The total transfers of all instructions, and the data of the only instruction that is no transfer.

    A fact that is unknown for one instruction is absent: `not in` must not match addresses that were
    not observed.
    """
    lamports = [moved for each in instructions if (moved := read_lamport_transfer(each))]
    tokens = [moved for each in instructions if (moved := read_token_transfer(each))]
    facts = Facts(solValue=str(sum(moved.amount for moved in lamports)))
    if programs := _all_or_none(each.program for each in instructions):
        facts["programIds"] = list(dict.fromkeys(programs))
    if recipients := _all_or_none(moved.recipient for moved in lamports):
        facts["recipients"] = recipients
    if tokens:
        facts["splValue"] = str(sum(moved.amount for moved in tokens))
    if holders := _all_or_none(moved.recipient for moved in tokens):
        facts["splRecipients"] = holders
    mints = _all_or_none(moved.mint for moved in tokens)
    if len(set(mints)) == 1:
        facts["mintAddress"] = mints[0]
    ordinary = {SYSTEM_PROGRAM, COMPUTE_BUDGET_PROGRAM, *TOKEN_PROGRAMS}
    others = [each for each in instructions if each.program not in ordinary]
    if len(others) == 1:
        facts["instructionData"] = base64.b64encode(others[0].data).decode()
    return facts


def _all_or_none(addresses: Iterable[str | None]) -> list[str]:
    """All addresses, or none of them if one is unknown: in a lookup table, or not named."""
    found = list(addresses)
    seen = [address for address in found if address is not None]
    return seen if len(seen) == len(found) else []
