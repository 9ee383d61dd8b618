"""A check: its name, and what it does on the stage."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import pytest

from tests.specification.lines import Operation
from tests.specification.sending import set_stage
from tests.specification.setting import the_stage
from tests.tables import cases


class Check(NamedTuple):
    """What a line of the data says about an operation, and how that is seen."""

    operation: Operation
    name: str
    """Such as `body.chainType: enum`."""
    run: Callable[[], object]


def each_operation(checks: Iterable[Check]) -> pytest.MarkDecorator:
    """A run of a test with the checks of each operation: one for each check takes longer than it does."""
    of_operations: dict[str, list[Check]] = {}
    for check in checks:
        of_operations.setdefault(check.operation.id, []).append(check)
    return cases("checks", *of_operations.values(), ids=of_operations)


def carry_out(checks: Sequence[Check]) -> None:
    """Run each check on the stage as it was set, and say all that do not hold."""
    found = []
    for check in checks:
        set_stage(check.operation)
        try:
            check.run()
            assert the_stage().failures == []
        except AssertionError as failed:
            found.append(f"{check.operation.id}.{check.name}: {failed}")
        except Exception as failed:
            failed.add_note(f"{check.operation.id}.{check.name}")
            raise
    assert not found, "\n".join(found)
