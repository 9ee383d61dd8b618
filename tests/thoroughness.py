"""How much the tests draw that could draw more: a sample, or TESTS_THOROUGHNESS times as much."""

import os
from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")

THOROUGHNESS = int(os.environ.get("TESTS_THOROUGHNESS", "1"))


def sampled(rows: Iterable[T], every: int) -> list[T]:
    """One of so many rows, or all of them where more than a sample is asked for."""
    return [*rows][:: every if THOROUGHNESS == 1 else 1]
