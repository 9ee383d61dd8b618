"""Validators of the members of criteria: each returns what is wrong with a value, or None."""

import re
from collections.abc import Callable, Sequence

from mockserver.chain.addresses import is_address
from mockserver.patterns import compile_pattern
from mockserver.patterns.syntax import PatternError

Check = Callable[[object], str | None]

_BASE58_ADDRESS = re.compile(r"[1-9A-HJ-NP-Za-km-z]{32,44}")
_AMOUNT = re.compile(r"[0-9]{1,78}")
_DOLLARS = re.compile(r"[0-9]{1,30}(?:\.[0-9]{1,18})?")
_MOST_CONSTRAINTS = 100


def _text(fits: Callable[[str], object], problem: str) -> Check:
    """A string that fits."""
    return lambda value: None if isinstance(value, str) and fits(value) else problem


check_text = _text(len, "must be a string that is not empty")
check_evm_address = _text(is_address, "must be 0x followed by 40 hexadecimal digits")
check_sol_address = _text(_BASE58_ADDRESS.fullmatch, "must be a base58 address of 32 to 44 characters")
check_dollars = _text(_DOLLARS.fullmatch, "must be an amount as a decimal string, such as 1000.00")
check_amount = _text(
    lambda text: _AMOUNT.fullmatch(text) and int(text) < 2**256,
    "must be a whole number below 2^256 as a decimal string",
)


def check_chain_id(value: object) -> str | None:
    """An EVM chain id (EIP-155)."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**53:
        return None
    return "must be a positive whole number below 2^53"


def check_pattern(value: object) -> str | None:
    """A pattern that RE2 reads."""
    if not isinstance(value, str) or not value:
        return "must be a pattern that is not empty"
    try:
        compile_pattern(value)
    except PatternError as error:
        return str(error)
    return None


def one_of(allowed: Sequence[str]) -> Check:
    """One of these strings."""
    return lambda value: None if value in allowed else f"must be one of {', '.join(allowed)}"


def check_constraints(value: object) -> str | None:
    """Constraints by the names of arguments."""
    if not isinstance(value, dict):
        return "must be an object of constraints by argument name"
    if len(value) > _MOST_CONSTRAINTS:
        return f"must not have more than {_MOST_CONSTRAINTS} constraints"
    return None
