"""Calldata with which a smart account executes calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from mockserver.chain.abi.functions import Function, encode_call, encode_values

EncodedCall: TypeAlias = tuple[str, int, bytes]
"""Destination, value in wei, and calldata."""

_EXECUTE = "execute(address,uint256,bytes)"
_EXECUTE_BATCH = "executeBatch(address[],uint256[],bytes[])"
_EXECUTE_MODE = "execute(bytes32,bytes)"
# The ERC-7821 mode 0x01000000...: a batch that reverts as a whole, without `opData`.
_BATCH_MODE = b"\x01" + bytes(31)


def execute_call(to: str, value: int, data: bytes) -> bytes:
    """Return the calldata of `execute(address,uint256,bytes)`: one call."""
    return _encode(_EXECUTE, [to, value, data])


def execute_batch(calls: Sequence[EncodedCall]) -> bytes:
    """Return the calldata of `executeBatch(address[],uint256[],bytes[])` (ERC-4337 sample account)."""
    return _encode(_EXECUTE_BATCH, [[call[i] for call in calls] for i in range(3)])


def erc7821_execute(calls: Sequence[EncodedCall]) -> bytes:
    """Return the calldata of `execute(bytes32,bytes)` in the mode of one atomic batch (ERC-7821)."""
    return _encode(_EXECUTE_MODE, [_BATCH_MODE, encode_values(["(address,uint256,bytes)[]"], [list(calls)])])


def calls_data(implementation: str, calls: Sequence[EncodedCall]) -> bytes:
    """Return the calldata with which an account of this implementation makes the calls.

    `CaliburV9` implements ERC-7821; all others have `execute` and `executeBatch`.
    """
    if implementation.startswith("Calibur"):
        return erc7821_execute(calls)
    return execute_call(*calls[0]) if len(calls) == 1 else execute_batch(calls)


def _encode(signature: str, args: Sequence[object]) -> bytes:
    return encode_call(Function.parse(signature), args)
