"""Arithmetic, comparison and bitwise logic on words, integers below 2^256 (appendix H, 0s to 20s)."""

from collections.abc import Callable

from mockserver.chain.evm.frames import Frame, Step, words_of
from mockserver.crypto.keccak import keccak256

WORD = (1 << 256) - 1
_SIGN = 1 << 255


def unary(operate: Callable[[int], int]) -> Step:
    """An instruction that replaces a word."""

    def step(frame: Frame) -> None:
        frame.stack[-1] = operate(frame.stack[-1])

    return step


def binary(operate: Callable[[int, int], int]) -> Step:
    """An instruction that takes two words, the upper one first, and leaves one."""

    def step(frame: Frame) -> None:
        stack = frame.stack
        stack[-1] = operate(stack.pop(), stack[-1])

    return step


def ternary(operate: Callable[[int, int, int], int]) -> Step:
    """An instruction that takes three words and leaves one."""

    def step(frame: Frame) -> None:
        stack = frame.stack
        stack[-1] = operate(stack.pop(), stack.pop(), stack[-1])

    return step


def signed(word: int) -> int:
    """A word as an integer in two's complement."""
    return word - (1 << 256) if word & _SIGN else word


def sdiv(dividend: int, divisor: int) -> int:
    dividend, divisor = signed(dividend), signed(divisor)
    # Towards zero, where Python rounds down.
    quotient = abs(dividend) // abs(divisor) if divisor else 0
    return (quotient if (dividend < 0) == (divisor < 0) else -quotient) & WORD


def smod(dividend: int, divisor: int) -> int:
    dividend, divisor = signed(dividend), signed(divisor)
    # The sign is that of the dividend.
    rest = abs(dividend) % abs(divisor) if divisor else 0
    return (-rest if dividend < 0 else rest) & WORD


def signextend(size: int, value: int) -> int:
    if size >= 31:
        return value
    sign = 1 << (8 * size + 7)
    value &= 2 * sign - 1
    return (value - 2 * sign) & WORD if value & sign else value


def byte(index: int, word: int) -> int:
    return (word >> (8 * (31 - index))) & 0xFF if index < 32 else 0


def exp(frame: Frame) -> None:
    stack = frame.stack
    base, exponent = stack.pop(), stack[-1]
    # 50 for each byte of the exponent (EIP-160).
    frame.charge(50 * ((exponent.bit_length() + 7) // 8))
    stack[-1] = pow(base, exponent, 1 << 256)


def keccak(frame: Frame) -> None:
    stack = frame.stack
    start, size = stack.pop(), stack[-1]
    frame.charge(6 * words_of(size))
    stack[-1] = int.from_bytes(keccak256(frame.read(start, size)), "big")
