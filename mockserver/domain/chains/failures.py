"""Errors of transactions that fail without being included in a block."""

from mockserver.chain.entry_point_errors import EXPLANATIONS
from mockserver.state.chains import Execution, UserOperationExecution
from mockserver.state.onchain import TransactionError

_OF_ZKSYNC = {
    "AA31": "Paymaster validation error: the paymaster cannot pay for the transaction",
    "AA32": "Paymaster validation error: the approval has expired",
    "AA33": "Paymaster validation error: the account cannot pay the paymaster back",
}


class Failure(Exception):
    """A transaction cannot be built or mined; `error` says why."""

    def __init__(self, error: TransactionError) -> None:
        self.error = error
        super().__init__(error.reason)


def aa_error(code: str) -> TransactionError:
    """An error of the entry point, with its explanation (ERC-4337)."""
    explanation = EXPLANATIONS[code]
    return TransactionError(
        reason=explanation.message, name="FailedOp", cause=explanation.cause, solution=explanation.solution
    )


def funding_error(execution: Execution, code: str) -> TransactionError:
    """The error of an execution without funds: an AA code, or a node's message without an entry point."""
    if isinstance(execution, UserOperationExecution):
        return aa_error(code)
    return TransactionError(_OF_ZKSYNC.get(code, "insufficient funds for gas * price + value"))
