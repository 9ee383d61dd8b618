"""Long work in slices: a generator that pauses between them, and returns the result in the end."""

from collections.abc import Generator
from typing import Any, TypeVar

T = TypeVar("T")


def finish(slices: Generator[Any, None, T]) -> T:
    """Do the work without pausing."""
    try:
        while True:
            next(slices)
    except StopIteration as end:
        result: T = end.value
        return result
