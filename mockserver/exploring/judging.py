"""What a run with a failure shows: whether the consumer noticed it, survived it, or missed it."""

from collections.abc import Sequence
from typing import NamedTuple

SLOWER = 10
"""A run may hang that takes so many times as long as without the failure."""
PATIENCE = 5
"""It hangs if it takes so many times longer still when it is tried again: the machine may have been slow."""

EXPLAINED = {
    "missed": "the test passed, and yet the world is wrong",
    "hung": "the test did not end in time",
    "crashed": "an exception that no code of the consumer catches or raises",
    "noticed": "the test failed at an assertion, or with an error of the consumer's own",
    "survived": "the test passed, and the world is as it is without the failure",
    "not reached": "the call did not come again: the consumer is not deterministic, or a rule came first",
}
VERDICTS = tuple(EXPLAINED)
"""What a run can show, the most harmful first."""
FINDINGS = VERDICTS[:3]
"""What is to be mended."""


class Ending(NamedTuple):
    """How a run ended."""

    passed: bool
    raised: str | None = None
    """The type of the exception, with its module."""
    is_own: bool = False
    """Whether the exception is an assertion's or the consumer's own."""
    is_hung: bool = False
    is_reached: bool = True
    """Whether the failure came about."""


class Judgement(NamedTuple):
    """What a run shows."""

    verdict: str
    reasons: tuple[str, ...] = ()


def judge(ending: Ending, wrong: Sequence[str]) -> Judgement:
    """What a run shows by how it ended and by what is `wrong` in its world."""
    # In this order: what holds first decides.
    table = (
        (ending.is_hung, "hung", ("it took fifty times as long as without the failure",)),
        (not ending.is_reached, "not reached", ()),
        (ending.passed and bool(wrong), "missed", tuple(wrong)),
        (ending.passed, "survived", ()),
        (ending.is_own, "noticed", ()),
        (True, "crashed", (ending.raised or "the command failed",)),
    )
    return next(Judgement(verdict, reasons) for holds, verdict, reasons in table if holds)
