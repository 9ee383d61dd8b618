"""The operations that a policy rule may be about."""

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

SPONSORING = frozenset({"sponsorEvmTransaction", "sponsorSolTransaction"})
"""The operations about sponsoring gas, not about signing or sending."""

EVM_SENT = frozenset({"sendEvmTransaction", "sponsorEvmTransaction"})
EVM_TRANSACTIONS = EVM_SENT | {"signEvmTransaction"}
EVM_TYPED_DATA = frozenset({"signEvmTypedData"})
EVM_MESSAGES = frozenset({"signEvmMessage"})
SOL_SENT = frozenset({"sendSolTransaction", "sponsorSolTransaction"})
SOL_TRANSACTIONS = SOL_SENT | {"signSolTransaction"}
SOL_MESSAGES = frozenset({"signSolMessage"})
