"""The input and the result of matching a criterion."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from typing_extensions import TypedDict

from mockserver.kernel.spelling import shorten

Criterion: TypeAlias = Mapping[str, Any]
"""A criterion as JSON: `type`, `operator`, and the members of its type."""


class Facts(TypedDict, total=False):
    """The facts about an operation, by the names of an evaluation's payload.

    Amounts are decimal strings (wei, lamports, a token's smallest unit), EVM bytes are 0x hex, Solana
    addresses base58, `instructionData` is base64 and begins with the discriminator.
    """

    chainId: int
    to: str
    value: str
    data: str
    netUSDChange: str | None
    """The net US dollars that all calls of the transaction take from the account; None if unknown."""
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
    """Whether a criterion matched, the fact that it observed (None if absent), and why."""

    matched: bool
    observed: object
    reason: str


def unmatched(observed: object, reason: str) -> Verdict:
    """That a criterion did not match, and why."""
    return Verdict(False, observed, reason)


def show(value: object) -> str:
    """A fact as text in a reason, shortened."""
    return shorten(", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value))
