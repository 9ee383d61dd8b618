"""The operations that a policy rule may be about."""

from collections.abc import Mapping
from typing import Literal, get_args

Operation = Literal[
    "signEvmTransaction",
    "sendEvmTransaction",
    "sponsorEvmTransaction",
    "signEvmTypedData",
    "signEvmMessage",
    "signEvmHash",
    "signSolTransaction",
    "sendSolTransaction",
    "sponsorSolTransaction",
    "signSolMessage",
]

OPERATIONS: tuple[str, ...] = get_args(Operation)
"""Every operation: the specification's eight, and the two that its clients sponsor with."""

SENDING = frozenset({"sendEvmTransaction", "sendSolTransaction"})
"""The operations about sending, where a policy that does not match does not deny."""

_SPONSORING: Mapping[str, frozenset[str]] = {
    "sponsorEvmTransaction": frozenset({"sponsorEvmTransaction", "sendEvmTransaction"}),
    "sponsorSolTransaction": frozenset({"sponsorSolTransaction", "sendSolTransaction"}),
}


def rules_about(operation: str) -> frozenset[str]:
    """The operations of the rules that count for an operation.

    Its own; for sponsoring also sending, by which name the specification sponsors transactions.
    """
    return _SPONSORING.get(operation) or frozenset({operation})


EVM_SENT = frozenset({"sendEvmTransaction", "sponsorEvmTransaction"})
EVM_TRANSACTIONS = EVM_SENT | {"signEvmTransaction"}
EVM_TYPED_DATA = frozenset({"signEvmTypedData"})
EVM_MESSAGES = frozenset({"signEvmMessage"})
SOL_SENT = frozenset({"sendSolTransaction", "sponsorSolTransaction"})
SOL_TRANSACTIONS = SOL_SENT | {"signSolTransaction"}
SOL_MESSAGES = frozenset({"signSolMessage"})
