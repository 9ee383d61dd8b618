"""Calldata with which a smart account executes calls."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from mockserver.chain.abi.functions import (
    Function,
    decode_call,
    decode_values,
    encode_call,
    encode_values,
)
from mockserver.chain.addresses import checksum_of

EncodedCall: TypeAlias = tuple[str, int, bytes]
"""Destination, value in wei, and calldata."""

# SimpleAccount, Coinbase, Solady, Safe's 4337 module, Kernel 2, MetaMask, Biconomy 2.
_EXECUTE_MODE = Function.parse("execute(bytes32,bytes)")
_SINGLE = (
    Function.parse("execute(address,uint256,bytes)"),
    Function.parse("executeUserOp(address,uint256,bytes,uint8)"),
    Function.parse("executeUserOpWithErrorString(address,uint256,bytes,uint8)"),
    Function.parse("execute(address,uint256,bytes,uint8)"),
    Function.parse("execute((address,uint256,bytes))"),
    Function.parse("execute_ncC(address,uint256,bytes)"),
)
_MULTI_SEND = Function.parse("multiSend(bytes)")
_DELEGATE_CALL, _PACKED_HEAD = 1, 85
_BATCHES = (
    Function.parse("executeBatch(address[],uint256[],bytes[])"),
    Function.parse("executeBatch(address[],bytes[])"),
    Function.parse("executeBatch_y6U(address[],uint256[],bytes[])"),
    Function.parse("executeBatch((address,uint256,bytes)[])"),
)
_EXECUTE_USER_OPERATION = bytes.fromhex("8dd7712f")
"""The function of accounts whose entry point gives them the user operation, too, before what they execute."""
_OF_CALIBUR = Function.parse("execute(((address,uint256,bytes)[],bool))")
"""A batch, and whether it reverts as a whole. In a user operation it stands without the function."""
# The ERC-7821 mode 0x01000000...: a batch that reverts as a whole, without `opData`.
_BATCH_MODE = b"\x01" + bytes(31)


def execute_call(to: str, value: int, data: bytes) -> bytes:
    """Return the calldata of `execute(address,uint256,bytes)`: one call."""
    return encode_call(_SINGLE[0], [to, value, data])


def execute_batch(calls: Sequence[EncodedCall]) -> bytes:
    """Return the calldata of `executeBatch(address[],uint256[],bytes[])` (ERC-4337 sample account)."""
    return encode_call(_BATCHES[0], [[call[i] for call in calls] for i in range(3)])


def erc7821_execute(calls: Sequence[EncodedCall]) -> bytes:
    """Return the calldata of `execute(bytes32,bytes)` in the mode of one atomic batch (ERC-7821)."""
    batch = encode_values(["(address,uint256,bytes)[]"], [list(calls)])
    return encode_call(_EXECUTE_MODE, [_BATCH_MODE, batch])


def calls_data(implementation: str, calls: Sequence[EncodedCall]) -> bytes:
    """Return the calldata with which an account of this implementation makes the calls.

    `CaliburV9` implements ERC-7821; all others have `execute` and `executeBatch`.
    """
    if implementation.startswith("Calibur"):
        return erc7821_execute(calls)
    return execute_call(*calls[0]) if len(calls) == 1 else execute_batch(calls)


def read_calls(data: bytes) -> list[EncodedCall] | None:
    """Return the calls that published accounts make with this calldata; None if it is of no such account."""
    if data.startswith(_EXECUTE_USER_OPERATION + bytes(4)):
        data = _OF_CALIBUR.selector + data[4:]
    data = data.removeprefix(_EXECUTE_USER_OPERATION)
    for function in (_EXECUTE_MODE, *_SINGLE, *_BATCHES, _OF_CALIBUR):
        if data[:4] == function.selector:
            try:
                return _read(function, decode_call(function, data))
            except (ValueError, IndexError):
                return None
    return None


def _read_packed(calls: bytes) -> Iterator[EncodedCall]:
    """The calls that Safe's MultiSend makes: of each operation, destination, value, size and data."""
    while calls:
        end = _PACKED_HEAD + int.from_bytes(calls[53:_PACKED_HEAD])
        yield checksum_of(calls[1:21]), int.from_bytes(calls[21:53]), calls[_PACKED_HEAD:end]
        calls = calls[end:]


def _read(function: Function, values: tuple[Any, ...]) -> list[EncodedCall]:
    if function in _SINGLE:
        to, value, data, *operation = values if len(values) > 1 else values[0]
        if operation == [_DELEGATE_CALL] and data.startswith(_MULTI_SEND.selector):
            packed: tuple[Any, ...] = decode_call(_MULTI_SEND, data)
            return list(_read_packed(*packed))
        return [(to, value, data)]
    if function is _EXECUTE_MODE:
        mode, inner = values
        # ERC-7579: the first byte of the mode tells a batch from a single call, which is packed.
        if mode[0] == 1:
            return _read(_BATCHES[-1], decode_values(["(address,uint256,bytes)[]"], inner))
        return [(checksum_of(inner[:20]), int.from_bytes(inner[20:52], "big"), inner[52:])]
    if function is _OF_CALIBUR:
        values = values[0][:1]
    if len(values) == 1:
        return [(to, value, data) for to, value, data in values[0]]
    addresses, *wei, datas = values
    amounts = wei[0] if wei else [0] * len(addresses)
    return list(zip(addresses, amounts, datas, strict=True))
