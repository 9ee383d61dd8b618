"""What code can ask of its call, its transaction, its block, and other accounts (appendix H, 30s, 40s)."""

from collections.abc import Callable

from mockserver.chain.evm.frames import ExceptionalHalt, Frame, Step, cut, words_of
from mockserver.crypto.keccak import keccak256

_ADDRESS = (1 << 160) - 1


def to_address(word: int) -> bytes:
    """The address in the lower 20 bytes of a word."""
    return (word & _ADDRESS).to_bytes(20, "big")


def _to_word(data: bytes) -> int:
    return int.from_bytes(data, "big")


def ask(answer: Callable[[Frame], int]) -> Step:
    """An instruction that pushes a number."""

    def step(frame: Frame) -> None:
        frame.stack.append(answer(frame))

    return step


def ask_address(answer: Callable[[Frame], bytes]) -> Step:
    """An instruction that pushes an address."""
    return ask(lambda frame: _to_word(answer(frame)))


def calldataload(frame: Frame) -> None:
    frame.stack[-1] = _to_word(cut(frame.call.data, frame.stack[-1], 32))


def calldatacopy(frame: Frame) -> None:
    _copy(frame, frame.call.data)


def codecopy(frame: Frame) -> None:
    _copy(frame, frame.call.code)


def returndatacopy(frame: Frame) -> None:
    """EIP-211: reading beyond the end is an error here."""
    target, source, size = frame.stack.pop(), frame.stack.pop(), frame.stack.pop()
    frame.charge(3 * words_of(size))
    frame.expand(target, size)
    if source + size > len(frame.returned):
        raise ExceptionalHalt("return data out of bounds")
    frame.write(target, frame.returned[source : source + size])


def balance(frame: Frame) -> None:
    frame.stack[-1] = frame.state.account(_look_at(frame)).balance


def extcodesize(frame: Frame) -> None:
    frame.stack[-1] = len(frame.state.account(_look_at(frame)).code)


def extcodecopy(frame: Frame) -> None:
    there = to_address(frame.stack.pop())
    frame.charge(frame.access(there))
    _copy(frame, frame.state.account(there).code)


def extcodehash(frame: Frame) -> None:
    """EIP-1052: 0 for an account that does not exist."""
    there = frame.state.account(_look_at(frame))
    frame.stack[-1] = 0 if there.is_empty else _to_word(keccak256(there.code))


def blockhash(frame: Frame) -> None:
    """The hash of one of the last 256 blocks, 0 for others."""
    number = frame.stack[-1]
    is_recent = 0 < frame.environment.number - number <= 256
    frame.stack[-1] = _to_word(frame.state.block_hash(number)) if is_recent else 0


def blobhash(frame: Frame) -> None:
    """EIP-4844: 0 beyond the last."""
    hashes, index = frame.environment.blob_hashes, frame.stack[-1]
    frame.stack[-1] = _to_word(hashes[index]) if index < len(hashes) else 0


def _look_at(frame: Frame) -> bytes:
    """The address on the stack, charged for."""
    there = to_address(frame.stack[-1])
    frame.charge(frame.access(there))
    return there


def _copy(frame: Frame, source: bytes) -> None:
    """Copy to memory, with zeros beyond the end."""
    target, start, size = frame.stack.pop(), frame.stack.pop(), frame.stack.pop()
    frame.charge(3 * words_of(size))
    frame.expand(target, size)
    frame.write(target, cut(source, start, size))
