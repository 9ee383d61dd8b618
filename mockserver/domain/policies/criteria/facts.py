"""What criteria are held against, and what comes of it."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from typing_extensions import TypedDict

Criterion: TypeAlias = Mapping[str, Any]
"""A criterion as it travels: `type`, `operator`, and the members of its type."""


class Facts(TypedDict, total=False):
    """What is known of an operation, by the names of the payload of an evaluation.

    Amounts are decimal strings (wei, lamports, a token's smallest unit), EVM bytes are 0x hex,
    Solana addresses base58, `instructionData` is base64 and begins with the discriminator.
    """

    chainId: int
    to: str
    value: str
    data: str
    netUSDChange: str | None
    """What all calls of the transaction take from the account; None when that cannot be told."""
    verifyingContract: str
    domain: Mapping[str, Any]
    message: Mapping[str, Any]
    primaryType: str
    evmMessage: str
    network: str
    recipients: Sequence[str]
    solValue: str
    splRecipients: Sequence[str]
    splValue: str
    mintAddress: str
    programIds: Sequence[str]
    solMessage: str
    instructionData: str


class Verdict(NamedTuple):
    """Whether a criterion matched, the fact it saw (None when there was none), and why."""

    matched: bool
    observed: object
    reason: str


_LONGEST_SHOWN = 80


def shorten(value: object) -> str:
    """A fact in a sentence, however long it is."""
    text = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 3] + "..."
