"""A check: its name, and what it does on the stage."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import pytest
from _pytest.mark import ParameterSet

from tests.specification.lines import Operation
from tests.specification.sending import set_stage
from tests.specification.setting import the_stage


class Check(NamedTuple):
    """What a line of the data says about an operation, and how that is seen."""

    operation: Operation
    name: str
    """Such as `body.chainType: enum`."""
    run: Callable[[], object]


def parameters(checks: Iterable[Check]) -> list[ParameterSet]:
    """The checks as parameters of a test, those that are known not to hold as expected failures."""
    found = []
    for check in checks:
        marks = []
        if check.name in check.operation.wanting:
            marks.append(pytest.mark.xfail(reason=check.operation.wanting[check.name], strict=True))
        found.append(pytest.param(check, id=f"{check.operation.id}.{check.name}", marks=marks))
    return found


def carry_out(check: Check) -> None:
    """Run a check on the stage as it was set."""
    set_stage(check.operation)
    check.run()
    assert the_stage().failures == []
