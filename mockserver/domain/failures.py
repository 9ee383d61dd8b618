"""Why transactions fail that no block has taken."""

from mockserver.chain.reverts import EXPLANATIONS
from mockserver.state.onchain import TransactionError


class Failure(Exception):
    """A transaction cannot be built, or cannot be mined any more; `error` says why."""

    def __init__(self, error: TransactionError) -> None:
        self.error = error
        super().__init__(error.reason)


def aa_error(code: str) -> TransactionError:
    """A refusal of the entry point, with its explanation (ERC-4337)."""
    explanation = EXPLANATIONS[code]
    return TransactionError(
        reason=explanation.message, name="FailedOp", cause=explanation.cause, solution=explanation.solution
    )
